/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Device memory: an address that nobody can access, and, at a fixed distance
 * behind it, the bytes, for the emulator alone. New memory begins with a
 * pattern. With CUDASHAPES_EMULATE_INIT=1 each byte has a flag that says
 * whether it has been written. */

#include "memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "emulator.h"

#define PAGE 4096
/* not a number that anything could be right with */
#define GARBAGE 0xa5
#define MAX_GARBAGE (16 << 20)

static GRecMutex lock;
/* live ones by address, and those that were released */
static GPtrArray *regions, *released;

void
memory_lock (void)
{
  g_rec_mutex_lock (&lock);
}

void
memory_unlock (void)
{
  g_rec_mutex_unlock (&lock);
}

/* The first region that starts above @address */
static guint
find_above (guint64 address)
{
  guint low = 0, high = regions ? regions->len : 0;

  while (low < high) {
    const guint middle = (low + high) / 2;
    const Region *region = g_ptr_array_index (regions, middle);

    if (region->start > address)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

Region *
memory_find (guint64 address)
{
  const guint above = find_above (address);
  Region *region = above > 0 ? g_ptr_array_index (regions, above - 1) : NULL;

  return region && address - region->start < region->size ? region : NULL;
}

static gint
distance_to (const Region * region, guint64 address, gsize size)
{
  if (address < region->start)
    return MIN (region->start - address, G_MAXINT);
  return MIN (address - region->start - size, G_MAXINT);
}

gchar *
memory_describe (guint64 address)
{
  const Region *nearest = NULL, *region;

  for (guint k = 0; released && k < released->len; k++) {
    region = g_ptr_array_index (released, k);
    if (address - region->start < region->released_size)
      return g_strdup_printf ("it is in memory of %" G_GUINT64_FORMAT
          " bytes that has been freed", region->released_size);
  }
  for (guint k = 0; regions && k < regions->len; k++) {
    region = g_ptr_array_index (regions, k);
    if (address - region->start < region->size)
      return g_strdup_printf ("it is at byte %" G_GUINT64_FORMAT " of %"
          G_GUINT64_FORMAT, address - region->start, region->size);
    if (!nearest || distance_to (region, address, region->size) <
        distance_to (nearest, address, nearest->size))
      nearest = region;
  }
  if (!nearest)
    return g_strdup ("there is no device memory");
  return g_strdup_printf ("the nearest memory has %" G_GUINT64_FORMAT
      " bytes and ends or begins %d bytes from it", nearest->size,
      distance_to (nearest, address, nearest->size));
}

static void
add (Region * region)
{
  g_rec_mutex_lock (&lock);
  if (!regions) {
    regions = g_ptr_array_new ();
    released = g_ptr_array_new ();
  }
  g_ptr_array_insert (regions, find_above (region->start), region);
  g_rec_mutex_unlock (&lock);
}

gpointer
emulator_allocate (gsize size)
{
  static gint checks_init = -1;
  /* a page apart from the next one */
  const gsize mapped = (size + PAGE - 1) / PAGE * PAGE + PAGE;
  Region *region = g_new0 (Region, 1);
  guint8 *data = mmap (NULL, 3 * mapped, PROT_NONE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (data == MAP_FAILED || mprotect (data + mapped, 2 * mapped,
          PROT_READ | PROT_WRITE))
    g_error ("no address space for %" G_GSIZE_FORMAT " bytes: %s", size,
        g_strerror (errno));
  if (checks_init < 0)
    checks_init = g_strcmp0 (g_getenv ("CUDASHAPES_EMULATE_INIT"), "1") == 0;
  /* more of it would take its time, and all of the host's memory */
  memset (data + mapped, GARBAGE, MIN (size, MAX_GARBAGE));
  region->start = (guint64) data;
  region->size = size;
  region->distance = mapped;
  region->mapped = 3 * mapped;
  if (checks_init)
    region->is_written = data + 2 * mapped;
  add (region);
  return data;
}

/* Returns: what the region was, which is released now */
static Region
take (gconstpointer data)
{
  g_rec_mutex_lock (&lock);
  Region *region = memory_find ((guint64) data);
  /* of no bytes */
  if (!region && find_above ((guint64) data) > 0)
    region = g_ptr_array_index (regions, find_above ((guint64) data) - 1);
  if (!region || region->start != (guint64) data)
    g_error ("%p is no device memory", data);
  Region was = *region;
  region->released_size = region->size;
  region->size = 0;
  region->is_written = NULL;
  g_ptr_array_remove_index (regions, find_above (region->start) - 1);
  g_ptr_array_add (released, region);
  g_rec_mutex_unlock (&lock);
  return was;
}

void
emulator_release (gpointer data)
{
  const Region was = take (data);

  munmap (data, was.mapped);
}

void
emulator_add_host (gpointer data, gsize size)
{
  Region *region = g_new0 (Region, 1);

  region->start = (guint64) data;
  region->size = size;
  add (region);
}

void
emulator_remove_host (gpointer data)
{
  take (data);
}

gpointer
emulator_reach (gconstpointer data, gsize size, gboolean is_written)
{
  g_rec_mutex_lock (&lock);
  Region *region = memory_find ((guint64) data);
  if (!region || size > region->start + region->size - (guint64) data)
    g_error ("%" G_GSIZE_FORMAT " bytes at %p are not device memory", size,
        data);
  gpointer where = (guint8 *) data + region->distance;
  if (is_written && region->is_written)
    memset (region->is_written + ((guint64) data - region->start), 1, size);
  g_rec_mutex_unlock (&lock);
  return where;
}
