/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kernels: registered when the plugin is loaded, launched to no effect or, if
 * asked to, run by the emulator. A launch that the fault hook picks fails as launches do: the error is the
 * thread's last one. */

#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "base/fault.h"
#include "../../kernels/lib/lock.h"
#include "objects.h"
#include "runtime.h"
#include "mock.h"
#include "work.h"

typedef struct
{
  gchar *name;
  gboolean is_ours, launched;
} Kernel;

static GMutex lock;
static GHashTable *kernels;
static guint n_launches;        /* with lock */

/* The function's own name of a mangled one: the last of the names in a nested
 * one ("N"), the first of another's. */
static gchar *
plain_name (const gchar * mangled)
{
  const gchar *at = mangled, *name = mangled;
  gsize length = strlen (mangled);

  if (!g_str_has_prefix (mangled, "_Z"))
    return g_strdup (mangled);
  at += 2;
  gboolean nested = *at == 'N';
  at += nested;
  do {
    gchar *end;

    at += *at == 'L';
    if (!g_ascii_isdigit (*at))
      break;
    length = MIN (strtoul (at, &end, 10), strlen (end));
    name = end;
    at = end + length;
  } while (nested);
  return g_strndup (name, length);
}

void **
__cudaRegisterFatBinary (void *binary)
{
  void **handle = calloc (1, sizeof (void *));

  emulator_add_binary (handle, binary);
  return handle;
}

void
__cudaRegisterFatBinaryEnd (void **handle)
{
}

void
__cudaUnregisterFatBinary (void **handle)
{
  free (handle);
}

char
__cudaInitModule (void **handle)
{
  return 1;
}

void
__cudaRegisterVar (void **handle, char *host, char *device, const char *name,
    int ext, size_t size, int constant, int global)
{
}

void
__cudaRegisterFunction (void **handle, const char *host, char *device,
    const char *name, int limit, uint3 * tid, uint3 * bid, dim3 * block,
    dim3 * grid, int *warp_size)
{
  Kernel *kernel = g_new0 (Kernel, 1);

  kernel->name = plain_name (name);
  /* not those of the sort and scan library */
  kernel->is_ours = !g_str_has_prefix (name, "_ZN3cub") &&
      !g_str_has_prefix (name, "_ZN6thrust");
  g_mutex_lock (&lock);
  if (!kernels)
    kernels = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (kernels, (gpointer) host, kernel);
  g_mutex_unlock (&lock);
  emulator_add_function (handle, host, name);
}

/* Notes that @function is launched. Returns: its name */
const gchar *
mock_note_launch (const void *function)
{
  g_mutex_lock (&lock);
  Kernel *kernel = kernels ? g_hash_table_lookup (kernels, function) : NULL;
  if (!kernel)
    g_error ("%p, which is launched, is no kernel", function);
  kernel->launched = TRUE;
  n_launches++;
  g_mutex_unlock (&lock);
  return kernel->name;
}

guint
cuda_mock_count_launches (void)
{
  LOCK_HERE (&lock);
  return n_launches;
}

gchar **
cuda_mock_list_kernels (gboolean launched)
{
  GTree *yes = g_tree_new ((GCompareFunc) strcmp);
  GTree *no = g_tree_new ((GCompareFunc) strcmp);
  GPtrArray *names = g_ptr_array_new ();
  GHashTableIter iter;
  GTreeNode *node;
  gpointer value;

  g_mutex_lock (&lock);
  g_hash_table_iter_init (&iter, kernels);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    Kernel *kernel = value;

    if (kernel->is_ours)
      g_tree_insert (kernel->launched ? yes : no, kernel->name, kernel);
  }
  g_mutex_unlock (&lock);
  /* one instance of a template is enough */
  for (node = g_tree_node_first (launched ? yes : no); node;
      node = g_tree_node_next (node))
    if (launched || !g_tree_lookup (yes, g_tree_node_key (node)))
      g_ptr_array_add (names, g_strdup (g_tree_node_key (node)));
  g_tree_unref (yes);
  g_tree_unref (no);
  g_ptr_array_add (names, NULL);
  return (gchar **) g_ptr_array_free (names, FALSE);
}

/* CUDASHAPES_EMULATE_LOG: a file of which kernels the process has launched, and
 * which it has not. */
static void __attribute__ ((destructor))
write_log (void)
{
  const gchar *path = g_getenv ("CUDASHAPES_EMULATE_LOG");

  if (!path)
    return;
  g_autoptr (GString) text = g_string_new (NULL);
  for (gint launched = FALSE; kernels && launched <= TRUE; launched++) {
    gchar **names = cuda_mock_list_kernels (launched);

    for (guint i = 0; names[i]; i++)
      g_string_append_printf (text, "%s %s\n", launched ? "launched" : "never",
          names[i]);
    g_strfreev (names);
  }
  if (!g_file_set_contents (path, text->str, -1, NULL))
    g_printerr ("%s cannot be written\n", path);
}

/* Launches */

static _Thread_local struct
{
  dim3 grid, block;
  size_t shared;
  void *stream;
} configuration;

unsigned
__cudaPushCallConfiguration (dim3 grid, dim3 block, size_t shared,
    struct CUstream_st *stream)
{
  configuration.grid = grid;
  configuration.block = block;
  configuration.shared = shared;
  configuration.stream = stream;
  return 0;
}

cudaError_t
__cudaPopCallConfiguration (dim3 * grid, dim3 * block, size_t * shared,
    void *stream)
{
  *grid = configuration.grid;
  *block = configuration.block;
  *shared = configuration.shared;
  *(void **) stream = configuration.stream;
  return cudaSuccess;
}

cudaError_t
__cudaGetKernel (cudaKernel_t * kernel, const void *function)
{
  *kernel = (cudaKernel_t) function;
  return cudaSuccess;
}

/* Takes what @work holds. */
static cudaError_t
launch (MockWork work, cudaStream_t stream)
{
  const EmulatorSize *grid = &work.launch.grid, *block = &work.launch.block;
  const gchar *name = mock_note_launch (work.launch.function);
  gboolean fails;

  mock_use_stream (stream, name);
  fails = grid->x == 0 || grid->y == 0 || grid->z == 0 || block->x == 0 ||
      (guint64) block->x * block->y * block->z > 1024 || grid->y > 65535 ||
      grid->z > 65535;
  if (fails) {
    g_free (work.launch.params);
    return mock_fail (cudaErrorInvalidConfiguration);
  }
  if (cs_fault_hook) {
    g_autofree gchar *place = g_strconcat ("launch of ", name, NULL);

    fails = cs_fault_hook (CS_FAULT_CUDA, place, 0);
  }
  if (fails) {
    g_free (work.launch.params);
    return mock_fail (cudaErrorLaunchOutOfResources);
  }
  mock_queue_work (stream, work, name);
  return cudaSuccess;
}

cudaError_t
__cudaLaunchKernel (cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
    size_t shared, cudaStream_t stream)
{
  return cudaLaunchKernel (kernel, grid, block, args, shared, stream);
}

cudaError_t
cudaLaunchKernel (const void *function, dim3 grid, dim3 block, void **args,
    size_t shared, cudaStream_t stream)
{
  return launch (mock_kernel_work (function, grid, block, args, shared),
      stream);
}

cudaError_t
cudaLaunchCooperativeKernel (const void *function, dim3 grid, dim3 block,
    void **args, size_t shared, cudaStream_t stream)
{
  MockWork work = mock_kernel_work (function, grid, block, args, shared);

  work.launch.cooperative = TRUE;
  return launch (work, stream);
}

cudaError_t
cudaLaunchKernelExC (const cudaLaunchConfig_t * config, const void *function,
    void **args)
{
  MockWork work = mock_kernel_work (function, config->gridDim,
      config->blockDim, args, config->dynamicSmemBytes);

  for (guint i = 0; i < config->numAttrs; i++)
    if (config->attrs[i].id == cudaLaunchAttributeCooperative)
      work.launch.cooperative = config->attrs[i].val.cooperative;
  return launch (work, config->stream);
}
