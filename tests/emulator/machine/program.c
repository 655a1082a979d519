/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the program has registered: fat binaries and the kernels in them */

#include <string.h>

#include "module.h"

typedef struct
{
  gconstpointer binary;
  Module *module;               /* once a kernel of it is launched */
} Binary;

typedef struct
{
  Binary *binary;
  gchar *name;
  Kernel *kernel;               /* once it is launched */
} Registered;

static GHashTable *binaries, *functions;

gboolean
emulator_is_enabled (void)
{
  static gint enabled = -1;

  if (enabled < 0)
    enabled = g_strcmp0 (g_getenv ("CUDASHAPES_EMULATE"), "1") == 0;
  return enabled;
}

void
emulator_add_binary (gpointer handle, gconstpointer data)
{
  Binary *binary = g_new0 (Binary, 1);

  binary->binary = data;
  memory_lock ();
  if (!binaries) {
    binaries = g_hash_table_new (NULL, NULL);
    functions = g_hash_table_new (NULL, NULL);
  }
  g_hash_table_insert (binaries, handle, binary);
  memory_unlock ();
}

void
emulator_add_function (gpointer handle, gconstpointer host, const gchar * name)
{
  Registered *function = g_new0 (Registered, 1);

  memory_lock ();
  function->binary = g_hash_table_lookup (binaries, handle);
  function->name = g_strdup (name);
  g_hash_table_insert (functions, (gpointer) host, function);
  memory_unlock ();
}

Kernel *
module_get_kernel (gconstpointer host)
{
  Registered *registered = functions ?
      g_hash_table_lookup (functions, host) : NULL;

  if (!registered)
    g_error ("%p, which is launched, is no kernel", host);
  if (registered->kernel)
    return registered->kernel;
  Binary *binary = registered->binary;
  if (!binary->module) {
    gchar *ptx = fatbin_get_ptx (binary->binary);

    if (!ptx)
      g_error ("there is no uncompressed PTX of %s", registered->name);
    binary->module = module_new (ptx);
  }
  Function *function = g_hash_table_lookup (binary->module->functions,
      registered->name);
  if (!function || !function->body)
    g_error ("there is no PTX of %s", registered->name);
  registered->kernel = decode_kernel (binary->module, function);
  return registered->kernel;
}

void
emulator_get_attributes (gconstpointer function,
    EmulatorAttributes * attributes)
{
  memory_lock ();
  const Kernel *kernel = module_get_kernel (function);
  attributes->static_shared = kernel->shared_size;
  attributes->local = kernel->local_size;
  attributes->max_threads = kernel->max_threads ? kernel->max_threads : 1024;
  memory_unlock ();
}

guint8 *
emulator_copy_args (gconstpointer function, void **args, gsize * size)
{
  memory_lock ();
  const Kernel *kernel = module_get_kernel (function);
  *size = MAX (kernel->params_size, 1);
  guint8 *params = g_malloc0 (*size);
  for (guint k = 0; k < kernel->params->len; k++) {
    const Param *param = &g_array_index (kernel->params, Param, k);

    memcpy (params + param->offset, args[k], param->size);
  }
  memory_unlock ();
  return params;
}
