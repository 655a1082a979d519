/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stats_cases.h"

#include <math.h>
#include <string.h>

#include "../lib/random.h"
#include "stats_oracle.h"

/* Samples */

/* Rows and planes are padded. */
static guint8 *
make_pixels (gsize size, guint64 * state)
{
  guint8 *pixels = g_malloc (MAX (size, 1));

  for (gsize i = 0; i < size; i++)
    pixels[i] = (guint8) random_bits (state);
  return pixels;
}

static void
make_picture (Case * test, guint64 * state)
{
  CsPicture *picture = &test->picture;
  const gboolean planes = random_below (state, 2);
  const gboolean wide = test->input.kind == CS_STATS_GRAY
      && random_below (state, 2);
  const gsize sample = wide ? 2 : 1;
  const gsize pixel = planes ? sample : 4 * sample;
  const gboolean has_weights = random_below (state, 4) > 0;
  const gsize row = test->width * pixel + sample * random_below (state, 5);
  /* RGBA, BGRA, ARGB and ABGR */
  const guint first = random_below (state, 2), turned = random_below (state, 2);

  /* nothing follows the last pixel */
  test->size = planes ? row * test->height * 3 :
      row * (test->height - 1) + test->width * pixel;
  test->pixels = make_pixels (test->size, state);
  *picture = (CsPicture) {
    .model = test->input.kind == CS_STATS_LAB || random_below (state, 2) ?
        CS_PICTURE_RGB : CS_PICTURE_GRAY,
    .type = wide ? CS_SAMPLE_U16 : CS_SAMPLE_U8,
    .width = test->width,.height = test->height,
    .depth = wide ? 16 : 8,
    .shift = wide && random_below (state, 2) ? 6 : 0,
    .kr = has_weights ? .2126 : 0,.kb = has_weights ? .0722 : 0,
  };
  for (guint c = 0; c < 3; c++) {
    picture->data[c] = test->pixels + (planes ? c * row * test->height :
        sample * (first + (turned ? 2 - c : c)));
    picture->pixel_stride[c] = pixel;
    picture->row_stride[c] = row;
  }
  test->input.picture = picture;
}

static const double shares[] = { -1., 0., .25, 1. / 3., .999999, 1., 1.5, NAN,
  INFINITY, -INFINITY, 1e-9, 3e-8
};

static void
make_image (Case * test, guint64 * state)
{
  const CsSampleType type = (CsSampleType) random_below (state, 5);
  const gsize sample = cs_sample_size (type);
  const gsize n = (gsize) test->width * test->height * 3;

  test->size = n * sample;
  test->pixels = make_pixels (test->size, state);
  for (gsize i = 0; i < n && type >= CS_SAMPLE_F32; i++) {
    const double real = random_below (state, 4) ? random_unit (state) :
        shares[random_below (state, G_N_ELEMENTS (shares))];
    const float single = (float) real;

    memcpy (test->pixels + i * sample, type == CS_SAMPLE_F32 ?
        (const void *) &single : &real, sample);
  }
  test->image = (CsImage) {
    .data = test->pixels,.type = type,
    .width = test->width,.height = test->height,.channels = 3,
    .pixel_stride = 3 * sample,.row_stride = 3 * sample * test->width,
    .channel_stride = sample,
  };
  test->input.images = &test->image;
  test->input.n_images = 1;
}

void
case_init (Case * test, CsStatsKind kind, guint width, guint height,
    guint64 * state)
{
  memset (test, 0, sizeof (*test));
  test->width = width;
  test->height = height;
  test->input = (CsStatsInput) {
    .kind = kind,.scale_x = 1,.scale_y = 1,
    .rings = test->rings,.regions = test->regions,
  };
  if (kind == CS_STATS_PROBABILITY)
    make_image (test, state);
  else
    make_picture (test, state);
}

void
case_clear (Case * test)
{
  g_free (test->pixels);
}

Memory
case_memory (const Case * test)
{
  return (Memory) {
    .pixels = test->pixels,.size = test->size,
    .points = test->points,.n_points = test->n_points,
    .n_rings = test->n_rings,
  };
}

/* Shapes */

/* On the grid, or on whole pixels, where sides pass through centres; some
 * beside the picture. */
static float
random_place (guint size, gboolean whole, guint64 * state)
{
  const gint grid = whole ? 1 : ORACLE_GRID;

  return ((gint) random_below (state, (size + 12) * grid) - 6 * grid) /
      (float) grid;
}

static void
begin_ring (Case * test)
{
  test->rings[test->n_rings] = (CsStatsRing) {
  test->points + 2 * test->n_points, 0, CS_MEMORY_HOST};
}

static void
add_point (Case * test, float x, float y)
{
  test->points[2 * test->n_points] = x;
  test->points[2 * test->n_points + 1] = y;
  test->n_points++;
  test->rings[test->n_rings].n++;
}

static void
begin_region (Case * test, guint64 * state)
{
  test->regions[test->input.n_regions] = (CsStatsRegion) {
    .first_ring = test->n_rings,
    .channel = test->input.kind == CS_STATS_PROBABILITY ?
        random_below (state, 3) : 0,
  };
}

static void
end_ring (Case * test)
{
  test->n_rings++;
  test->regions[test->input.n_regions].n_rings++;
}

void
add_random_regions (Case * test, guint64 * state)
{
  guint n = random_below (state, 8), r, i;

  for (; n > 0; n--, test->input.n_regions++) {
    begin_region (test, state);
    for (r = random_below (state, 5); r > 0; r--) {
      const gboolean whole = random_below (state, 2);
      /* now and then many crossings of a row */
      const guint n_points = test->n_points == 0 && random_below (state, 3) ?
          random_below (state, 400) : random_below (state, 14);

      begin_ring (test);
      for (i = 0; i < n_points; i++)
        add_point (test, random_place (test->width, whole, state),
            random_place (test->height, whole, state));
      if (n_points > 0 && random_below (state, 2))
        add_point (test, test->rings[test->n_rings].points[0],
            test->rings[test->n_rings].points[1]);
      end_ring (test);
    }
  }
}

/* A triangle, walked through in either direction from any corner. */
static void
add_triangle (Case * test, float corners[3][2], guint64 * state)
{
  const guint first = random_below (state, 3), step = 1 + random_below (state,
      2);

  begin_region (test, state);
  begin_ring (test);
  for (guint i = 0; i < 3; i++)
    add_point (test, corners[(first + i * step) % 3][0],
        corners[(first + i * step) % 3][1]);
  end_ring (test);
  test->input.n_regions++;
}

#define MESH 7

void
add_mesh (Case * test, gboolean whole, guint64 * state)
{
  float at[MESH + 1][MESH + 1][2];

  for (guint y = 0; y <= MESH; y++) {
    for (guint x = 0; x <= MESH; x++) {
      const double cell_x = (test->width + 8.) / MESH;
      const double cell_y = (test->height + 8.) / MESH;
      const double grid = whole ? 1 : ORACLE_GRID;

      /* less than half a cell, so that no triangle turns over */
      at[y][x][0] = (float) (floor ((x * cell_x - 4 +
                  .45 * cell_x * (random_unit (state) - .5)) * grid) / grid);
      at[y][x][1] = (float) (floor ((y * cell_y - 4 +
                  .45 * cell_y * (random_unit (state) - .5)) * grid) / grid);
    }
  }
  for (guint y = 0; y < MESH; y++) {
    for (guint x = 0; x < MESH; x++) {
      float upper[3][2] = { {at[y][x][0], at[y][x][1]},
      {at[y][x + 1][0], at[y][x + 1][1]}, {at[y + 1][x][0], at[y + 1][x][1]}
      };
      float lower[3][2] = { {at[y + 1][x + 1][0], at[y + 1][x + 1][1]},
      {at[y][x + 1][0], at[y][x + 1][1]}, {at[y + 1][x][0], at[y + 1][x][1]}
      };

      add_triangle (test, upper, state);
      add_triangle (test, lower, state);
    }
  }
}

void
add_box (Case * test, float x0, float y0, float x1, float y1, guint64 * state)
{
  begin_region (test, state);
  begin_ring (test);
  add_point (test, x0, y0);
  add_point (test, x1, y0);
  add_point (test, x1, y1);
  add_point (test, x0, y1);
  end_ring (test);
  test->input.n_regions++;
}
