/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stats_placed.h"

#include <string.h>

#include "../lib/check_device.h"

/* Where @at, a place in @from, is in @to. */
static void *
move (const void *at, const void *from, void *to)
{
  return at ? (guint8 *) to + ((const guint8 *) at - (const guint8 *) from) :
      NULL;
}

static void
place_samples (Placed * placed, const Memory * memory, Places places)
{
  const CsMemory at = places == PLACES_DEVICE ? CS_MEMORY_DEVICE :
      CS_MEMORY_PINNED;
  void *copy;

  if (places == PLACES_HOST)
    return;
  if (places == PLACES_DEVICE)
    copy = placed->device_pixels = check_device_alloc (memory->size);
  else
    copy = placed->pinned_pixels = check_device_alloc_pinned (memory->size);
  check_device_copy (copy, memory->pixels, memory->size);
  if (placed->input.picture) {
    placed->picture = *placed->input.picture;
    placed->picture.memory = at;
    for (guint c = 0; c < CS_PICTURE_MAX_COMPONENTS; c++)
      placed->picture.data[c] = move (placed->picture.data[c], memory->pixels,
          copy);
    placed->input.picture = &placed->picture;
  } else {
    placed->image = placed->input.images[0];
    placed->image.memory = at;
    placed->image.data = move (placed->image.data, memory->pixels, copy);
    placed->input.images = &placed->image;
  }
}

static void
place_points (Placed * placed, const Memory * memory, Places places)
{
  const gsize size = 2 * sizeof (float) * memory->n_points;

  if (places == PLACES_HOST || memory->n_rings == 0)
    return;
  placed->device_points = check_device_alloc (size);
  check_device_copy (placed->device_points, memory->points, size);
  placed->rings = g_memdup2 (placed->input.rings,
      memory->n_rings * sizeof (CsStatsRing));
  for (gsize i = 0; i < memory->n_rings; i++) {
    if (places == PLACES_MIXED && i % 2 == 1)
      continue;
    placed->rings[i].points = move (placed->rings[i].points, memory->points,
        placed->device_points);
    placed->rings[i].memory = CS_MEMORY_DEVICE;
  }
  placed->input.rings = placed->rings;
}

void
placed_init (Placed * placed, const CsStatsInput * input,
    const Memory * memory, Places samples, Places points)
{
  memset (placed, 0, sizeof (*placed));
  placed->input = *input;
  place_samples (placed, memory, samples);
  place_points (placed, memory, points);
}

void
placed_clear (Placed * placed)
{
  if (placed->device_pixels)
    check_device_free (placed->device_pixels);
  if (placed->pinned_pixels)
    check_device_free_pinned (placed->pinned_pixels);
  if (placed->device_points)
    check_device_free (placed->device_points);
  g_free (placed->rings);
}
