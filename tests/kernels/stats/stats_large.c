/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stats_large.h"

#include <math.h>
#include <string.h>

#include "../lib/random.h"

typedef struct
{
  float x, y;
} Point;

static gsize
fill_pixels (Large * large, LargeFormat format, gsize n)
{
  static const gsize sizes[] = { 1, 2, 4, 4 };
  const gsize size = n * sizes[format];
  guint64 state = 77;

  large->pixels = g_malloc (size);
  if (format == LARGE_FLOATS)
    for (gsize i = 0; i < n; i++)
      ((float *) (gpointer) large->pixels)[i] = (float) random_unit (&state);
  else
    for (gsize i = 0; i < size; i++)
      large->pixels[i] = (guint8) (i / 7 + random_below (&state, 32));
  return size;
}

static void
describe_picture (Large * large, LargeFormat format, guint width, guint height)
{
  const gsize sample = format == LARGE_GRAY16 ? 2 : 1;
  const gsize pixel = format == LARGE_RGBA ? 4 : sample;

  large->picture = (CsPicture) {
    .model = format == LARGE_RGBA ? CS_PICTURE_RGB : CS_PICTURE_GRAY,
    .type = sample == 2 ? CS_SAMPLE_U16 : CS_SAMPLE_U8,
    .width = width,.height = height,.depth = (guint) sample * 8,
    .kr = .2126,.kb = .0722,
  };
  for (guint c = 0; c < (format == LARGE_RGBA ? 3 : 1); c++) {
    large->picture.data[c] = large->pixels + c;
    large->picture.pixel_stride[c] = pixel;
    large->picture.row_stride[c] = pixel * width;
  }
  large->input.picture = &large->picture;
}

void
large_init (Large * large, LargeFormat format, CsStatsKind kind, guint width,
    guint height)
{
  memset (large, 0, sizeof (*large));
  large->memory.size = fill_pixels (large, format, (gsize) width * height);
  large->memory.pixels = large->pixels;
  large->input = (CsStatsInput) {.kind = kind,.scale_x = 1,.scale_y = 1 };
  if (format == LARGE_FLOATS) {
    large->image = cs_image_gray (large->pixels, CS_SAMPLE_F32, width, height,
        width * sizeof (float));
    large->input.images = &large->image;
    large->input.n_images = 1;
  } else {
    describe_picture (large, format, width, height);
  }
  large->points = g_array_new (FALSE, FALSE, sizeof (Point));
  large->rings = g_array_new (FALSE, FALSE, sizeof (CsStatsRing));
  large->regions = g_array_new (FALSE, FALSE, sizeof (CsStatsRegion));
}

void
large_clear (Large * large)
{
  g_free (large->pixels);
  g_array_unref (large->points);
  g_array_unref (large->rings);
  g_array_unref (large->regions);
}

static void
get_size (const Large * large, double *width, double *height)
{
  const CsPicture *picture = large->input.picture;

  *width = picture ? picture->width : large->image.width;
  *height = picture ? picture->height : large->image.height;
}

static void
add_point (Large * large, double x, double y)
{
  const Point point = { (float) x, (float) y };

  g_array_append_val (large->points, point);
}

/* Of the points from @first on, in a region of its own. */
static void
add_ring (Large * large, guint first)
{
  const CsStatsRing ring = {.n = large->points->len - first };
  const CsStatsRegion region = {.first_ring = large->rings->len,.n_rings = 1 };

  g_array_append_val (large->rings, ring);
  g_array_append_val (large->regions, region);
}

static void
add_disc (Large * large, double x, double y, double radius, guint64 * state)
{
  const guint n = (guint) (2. * G_PI * radius) + 3;
  const guint first = large->points->len;

  for (guint i = 0; i < n; i++) {
    const double angle = 2. * G_PI * i / n;
    const double r = radius + 1.4 * (random_unit (state) - .5);

    add_point (large, x + r * cos (angle), y + r * sin (angle));
  }
  add_ring (large, first);
}

void
large_add_discs (Large * large, guint columns, guint rows, double share,
    guint64 * state)
{
  const guint n = columns * rows;
  double width, height, radius;

  get_size (large, &width, &height);
  radius = sqrt (share * width * height / n / G_PI);
  for (guint i = 0; i < n; i++)
    add_disc (large, (i % columns + .5) * width / columns,
        (i / columns + .5) * height / rows, radius, state);
}

void
large_add_slivers (Large * large, guint n, guint64 * state)
{
  double width, height;

  get_size (large, &width, &height);
  for (guint i = 0; i < n; i++) {
    const guint first = large->points->len;

    add_point (large, 2. * random_unit (state), 0.);
    add_point (large, width - 2. * random_unit (state), height - 1.);
    add_point (large, width - 2. * random_unit (state), height - 2.);
    add_ring (large, first);
  }
}

void
large_add_comb (Large * large, guint n, guint64 * state)
{
  const guint first = large->points->len;
  double width, height;

  get_size (large, &width, &height);
  for (guint i = 0; i < n; i++) {
    add_point (large, i * width / n, height + 3. * random_unit (state));
    add_point (large, (i + .5) * width / n, -3. * random_unit (state));
  }
  add_point (large, width, height);
  add_point (large, width, height + 9.);
  add_point (large, 0., height + 9.);
  add_ring (large, first);
}

void
large_finish (Large * large)
{
  const float *points = (const float *) (gconstpointer) large->points->data;
  gsize at = 0;

  for (guint i = 0; i < large->rings->len; i++) {
    CsStatsRing *ring = &g_array_index (large->rings, CsStatsRing, i);

    ring->points = points + 2 * at;
    at += ring->n;
  }
  large->memory.points = points;
  large->memory.n_points = large->points->len;
  large->memory.n_rings = large->rings->len;
  large->input.rings = (const CsStatsRing *) (gpointer) large->rings->data;
  large->input.regions = (const CsStatsRegion *) (gpointer)
      large->regions->data;
  large->input.n_regions = large->regions->len;
}
