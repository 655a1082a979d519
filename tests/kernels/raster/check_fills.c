/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filled polygons: their coverage, and the memory for their tiles. */
#include <math.h>

#include "../lib/check.h"
#include "check_raster.h"
#include "raster/raster_fill.h"
#include "raster_fills.h"

/* Coverage, from white on black in 16 bits, against the area that the polygons
 * have within the pixel; each edge may be off by what snapping and the rounding
 * in each row do. */
static void
check_areas (const Runner * runners, guint n_runners, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  const guint width = random_side (rand);
  const guint height = random_side (rand);
  g_autoptr (Fills) fills = fills_new (rand, 1, width, height, 1e5);
  const CsMark mark = {.half_width = CS_MARK_FILL,.rgba = 0xffffffff };
  g_autofree guint8 *memory = g_malloc ((gsize) width * height * 2);
  CsPicture picture = {.type = CS_SAMPLE_U16,.width = width,.height = height,
    .depth = 16,.data = {memory},.pixel_stride = {2},.row_stride = {2 * width}
  };
  CsRasterSettings settings;
  CsMarks marks = {.marks = &mark,.n = 1,.fills = &fills->fills };
  guint n;

  cs_raster_settings_init (&settings);
  settings.background = CS_BACKGROUND_BLACK;
  begin ("areas of fill %u on %u x %u", seed, width, height);
  for (guint i = 0; i < n_runners && !runners[i].is_cuda; i++) {
    expect (cs_raster_run (runners[i].raster, &marks, &settings, NULL,
            &picture, NULL), "%s fails", runners[i].name);
    for (guint y = 0; y < height; y++)
      for (guint x = 0; x < width; x++) {
        const double area = fills_area (&fills->fills, 0, x, y, &n);
        const double got = ((guint16 *) memory)[y * width + x] / 65535.;

        expect (fabs (got - area) <= n * .006 + 1e-4,
            "%s: (%u, %u): %f is inside, not %f", runners[i].name, x, y, got,
            area);
      }
  }
  end ();
}

/* Without antialiasing: by the pixels' centres. */
static void
check_centers (const Runner * runners, guint n_runners, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  const guint width = random_side (rand);
  const guint height = random_side (rand);
  g_autoptr (Fills) fills = fills_new (rand, 1, width, height, 1e5);
  const CsMark mark = {.half_width = CS_MARK_FILL,.rgba = 0xffffffff };
  g_autofree guint8 *memory = g_malloc ((gsize) width * height);
  CsPicture picture = {.type = CS_SAMPLE_U8,.width = width,.height = height,
    .depth = 8,.data = {memory},.pixel_stride = {1},.row_stride = {width}
  };
  CsRasterSettings settings;
  CsMarks marks = {.marks = &mark,.n = 1,.fills = &fills->fills };
  double distance;

  cs_raster_settings_init (&settings);
  settings.background = CS_BACKGROUND_BLACK;
  settings.antialias = FALSE;
  begin ("centres in fill %u on %u x %u", seed, width, height);
  for (guint i = 0; i < n_runners && !runners[i].is_cuda; i++) {
    expect (cs_raster_run (runners[i].raster, &marks, &settings, NULL,
            &picture, NULL), "%s fails", runners[i].name);
    for (guint y = 0; y < height; y++)
      for (guint x = 0; x < width; x++) {
        const gboolean inside = fills_has_center (&fills->fills, 0, x, y,
            &distance);

        expect (memory[y * width + x] == (inside ? 255 : 0)
            || distance < 1e-6, "%s: (%u, %u): %u, and %g from an edge",
            runners[i].name, x, y, memory[y * width + x], distance);
      }
  }
  end ();
}

static guint
count_mixed_tiles (const float *coverage, guint width, guint height)
{
  guint n = 0, left, top, x, y;

  for (top = 0; top < height; top += CS_FILL_TILE)
    for (left = 0; left < width; left += CS_FILL_TILE) {
      const float first = coverage[top * width + left];
      gboolean is_mixed = FALSE;

      for (y = top; y < MIN (top + CS_FILL_TILE, height); y++)
        for (x = left; x < MIN (left + CS_FILL_TILE, width); x++)
          is_mixed |= coverage[y * width + x] != first;
      n += is_mixed;
    }
  return n;
}

/* There is memory for as many tiles as edges are said to pass through. */
static void
check_tiles (guint32 seed, gboolean antialias)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  const guint width = random_side (rand), height = random_side (rand);
  g_autoptr (Fills) fills = fills_new (rand, 1, width, height, 1e3);
  g_autofree float *coverage = g_new (float, (gsize) width * height);
  CsFillSet set;

  begin ("tiles of fill %u on %u x %u", seed, width, height);
  cs_fill_set_init (&set);
  expect (cs_fill_set_update (&set, &fills->fills, width, height, antialias,
          NULL), "no edges");
  fills_cover (&fills->fills, 0, width, height, antialias, coverage);
  expect (count_mixed_tiles (coverage, width, height) <= set.n_blocks,
      "%u tiles, memory for %u", count_mixed_tiles (coverage, width, height),
      set.n_blocks);
  end ();
  cs_fill_set_clear (&set);
}

void
check_fills (const Runner * runners, guint n_runners, guint n_cases,
    guint32 seed)
{
  for (guint32 i = seed; i < seed + n_cases; i++)
    if (is_of_part ()) {
      check_areas (runners, n_runners, i);
      check_centers (runners, n_runners, i);
      check_tiles (i, TRUE);
      check_tiles (i, FALSE);
    }
}
