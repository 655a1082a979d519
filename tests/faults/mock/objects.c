/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "objects.h"

#include <string.h>
#include <sys/mman.h>

#include "../../emulator/machine/emulator.h"
#include "../../kernels/lib/lock.h"
#include "mock.h"

typedef struct
{
  MockKind kind;
  gsize size;
  gpointer context;
} Object;

static const gchar *const kind_names[N_MOCK_KINDS] = {
  "device memory", "page-locked memory", "a memory pool", "a stream",
  "an event", "a graph", "an executable graph", "a context",
};

static GMutex lock;
/* sorted by address, for pointers into the middle of memory */
static GTree *objects;
static guint n_live[N_MOCK_KINDS], n_left, n_made;
static gsize n_device_bytes;
static _Thread_local gpointer current;

static gint
compare (gconstpointer a, gconstpointer b, gpointer unused)
{
  return (guintptr) a < (guintptr) b ? -1 : (guintptr) a > (guintptr) b;
}

void
mock_set_current (gpointer context)
{
  current = context;
}

gpointer
mock_get_current (void)
{
  return current;
}

void
mock_add (MockKind kind, gpointer data, gsize size)
{
  Object *object = g_new (Object, 1);

  *object = (Object) {kind, size, current};
  LOCK_HERE (&lock);
  if (!objects)
    objects = g_tree_new_full (compare, NULL, NULL, g_free);
  if (g_tree_lookup (objects, data))
    g_error ("%s at %p is there already", kind_names[kind], data);
  g_tree_insert (objects, data, object);
  n_live[kind]++;
  n_made++;
  if (kind == MOCK_DEVICE_MEMORY)
    n_device_bytes += size;
  if (kind == MOCK_HOST_MEMORY && emulator_is_enabled ())
    emulator_add_host (data, size);
}

gboolean
mock_has_room (gsize size)
{
  return !emulator_is_enabled () ||
      size <= MOCK_DEVICE_BYTES - MIN (mock_count_device_bytes (),
      MOCK_DEVICE_BYTES);
}

gpointer
mock_new (MockKind kind, gsize size)
{
  gpointer data;

  if (kind == MOCK_DEVICE_MEMORY && emulator_is_enabled ())
    data = emulator_allocate (size);
  else if (kind == MOCK_DEVICE_MEMORY)
    data = mmap (NULL, size, PROT_NONE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  else
    data = g_malloc (MAX (size, 1));
  if (data == MAP_FAILED)
    g_error ("no address space for %" G_GSIZE_FORMAT " bytes", size);
  mock_add (kind, data, size);
  return data;
}

/* With the lock. */
static Object *
find (MockKind kind, gpointer data, const gchar * caller)
{
  Object *object = objects ? g_tree_lookup (objects, data) : NULL;

  if (!object || object->kind != kind)
    g_error ("%s: %p is not %s, or not any more", caller, data,
        kind_names[kind]);
  return object;
}

void
mock_use_stream (gpointer stream, const gchar * caller)
{
  /* programs that check kernels use the default one */
  if (stream || !emulator_is_enabled ())
    mock_use (MOCK_STREAM, stream, caller);
}

void
mock_use (MockKind kind, gpointer data, const gchar * caller)
{
  LOCK_HERE (&lock);
  find (kind, data, caller);
}

/* With the lock. */
static void
drop (gpointer data, const Object * object)
{
  if (object->kind == MOCK_DEVICE_MEMORY && emulator_is_enabled ())
    emulator_release (data);
  else if (object->kind == MOCK_HOST_MEMORY && emulator_is_enabled ())
    emulator_remove_host (data);
  else if (object->kind == MOCK_DEVICE_MEMORY)
    munmap (data, object->size);
  else if (object->kind != MOCK_HOST_MEMORY)
    g_free (data);
  n_live[object->kind]--;
  if (object->kind == MOCK_DEVICE_MEMORY)
    n_device_bytes -= object->size;
  g_tree_remove (objects, data);
}

void
mock_free (MockKind kind, gpointer data, const gchar * caller)
{
  LOCK_HERE (&lock);
  drop (data, find (kind, data, caller));
}

void
mock_free_context (gpointer context)
{
  GTreeNode *node, *next;

  LOCK_HERE (&lock);
  find (MOCK_CONTEXT, context, "cuCtxDestroy");
  for (node = g_tree_node_first (objects); node; node = next) {
    gpointer data = g_tree_node_key (node);
    Object *object = g_tree_node_value (node);

    next = g_tree_node_next (node);
    if (object->context != context || object->kind == MOCK_CONTEXT)
      continue;
    g_printerr ("%s of %" G_GSIZE_FORMAT " bytes is left in a context that "
        "ends\n", kind_names[object->kind], object->size);
    n_left++;
    drop (data, object);
  }
  drop (context, find (MOCK_CONTEXT, context, "cuCtxDestroy"));
}

/* The memory that @data points into, if it is known; with the lock. */
static Object *
find_block (gconstpointer data, gconstpointer * start)
{
  if (!objects)
    return NULL;
  GTreeNode *node = g_tree_upper_bound (objects, data);
  node = node ? g_tree_node_previous (node) : g_tree_node_last (objects);
  /* events and the like lie between */
  while (node && ((Object *) g_tree_node_value (node))->kind > MOCK_HOST_MEMORY)
    node = g_tree_node_previous (node);
  if (!node)
    return NULL;
  *start = g_tree_node_key (node);
  return (const guint8 *) data < (const guint8 *) *start +
      ((Object *) g_tree_node_value (node))->size ?
      g_tree_node_value (node) : NULL;
}

gboolean
mock_is_in (MockKind kind, gconstpointer data)
{
  gconstpointer start;

  LOCK_HERE (&lock);
  Object *object = find_block (data, &start);
  return object && object->kind == kind;
}

/* Whether @size bytes at @data are device memory. */
static gboolean
is_device (gconstpointer data, gsize size, const gchar * caller)
{
  gconstpointer start;

  LOCK_HERE (&lock);
  Object *object = find_block (data, &start);
  if (object && (const guint8 *) data + size >
      (const guint8 *) start + object->size)
    g_error ("%s: %" G_GSIZE_FORMAT " bytes at %p go beyond the end of %s",
        caller, size, data, kind_names[object->kind]);
  return object && object->kind == MOCK_DEVICE_MEMORY;
}

void
mock_set (gpointer to, gint value, gsize size, const gchar * caller)
{
  if (size > 0 && !is_device (to, size, caller))
    g_error ("%s: %p is not device memory", caller, to);
  if (size > 0 && emulator_is_enabled ())
    memset (emulator_reach (to, size, TRUE), value, size);
}

/* Copies bytes really. */
static void
copy_rows (gpointer to, gsize to_pitch, gconstpointer from, gsize from_pitch,
    gsize width, gsize height)
{
  for (gsize y = 0; y < height; y++)
    memmove ((guint8 *) to + y * to_pitch,
        (const guint8 *) from + y * from_pitch, width);
}

void
mock_copy (gpointer to, gsize to_pitch, gconstpointer from, gsize from_pitch,
    gsize width, gsize height, const gchar * caller)
{
  gboolean to_device, from_device;

  if (width == 0 || height == 0)
    return;
  to_device = is_device (to, to_pitch * (height - 1) + width, caller);
  from_device = is_device (from, from_pitch * (height - 1) + width, caller);
  if (emulator_is_enabled ()) {
    if (to_device)
      for (gsize y = 0; y < height; y++)
        emulator_reach ((guint8 *) to + y * to_pitch, width, TRUE);
    copy_rows (to_device ? emulator_reach (to, width, TRUE) : to, to_pitch,
        from_device ? emulator_reach (from, width, FALSE) : from, from_pitch,
        width, height);
    return;
  }
  for (gsize y = 0; y < height; y++) {
    guint8 *row = (guint8 *) to + y * to_pitch;
    const guint8 *source = (const guint8 *) from + y * from_pitch;
    guint8 seen = 0;

    if (!to_device && from_device)
      memset (row, 0, width);
    else if (!to_device)
      memcpy (row, source, width);
    else if (!from_device)
      /* read, so that a sanitizer sees it */
      for (gsize x = 0; x < width; x++)
        *(volatile guint8 *) &seen = source[x];
  }
}

guint
cuda_mock_count_live (void)
{
  guint n = 0, kind;

  LOCK_HERE (&lock);
  for (kind = 0; kind < N_MOCK_KINDS; kind++)
    n += n_live[kind];
  return n;
}

gsize
mock_count_device_bytes (void)
{
  LOCK_HERE (&lock);
  return n_device_bytes;
}

guint
cuda_mock_count_made (void)
{
  LOCK_HERE (&lock);
  return n_made;
}

guint
cuda_mock_count_left (void)
{
  LOCK_HERE (&lock);
  return n_left;
}
