/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "properties_cases.h"

#include <math.h>
#include <string.h>

#include "../lib/random.h"

void
case_init (Case * test, guint width, guint height, guint size,
    gboolean is_signed)
{
  *test = (Case) {.width = width,.height = height };
  cs_properties_params_init (&test->params);
  test->params.wanted = CASE_ALL;
  test->labels = g_new0 (gint64, (gsize) width * height + 1);
  test->picture = (CsLabelsPicture) {
    .size = size,.is_signed = is_signed,.width = width,.height = height,
    .pixel_stride = size,.row_stride = width * size
  };
}

static void
store (guint8 * to, guint size, gint64 label)
{
  if (size == 1)
    *to = (guint8) label;
  else if (size == 2)
    *(guint16 *) (gpointer) to = (guint16) label;
  else if (size == 4)
    *(guint32 *) (gpointer) to = (guint32) label;
  else
    *(gint64 *) (gpointer) to = label;
}

void
case_pack (Case * test)
{
  CsLabelsPicture *picture = &test->picture;

  test->size = test->width == 0 || test->height == 0 ? picture->size :
      (test->height - 1) * picture->row_stride +
      (test->width - 1) * picture->pixel_stride + picture->size;
  g_free (test->memory);
  test->memory = g_malloc (test->size);
  /* what is between is no label */
  memset (test->memory, 0x77, test->size);
  for (guint y = 0; y < test->height; y++)
    for (guint x = 0; x < test->width; x++)
      store (test->memory + y * picture->row_stride + x * picture->pixel_stride,
          picture->size, test->labels[(gsize) y * test->width + x]);
  picture->data = test->memory;
}

void
case_clear (Case * test)
{
  g_free (test->labels);
  g_free (test->memory);
}

/* --- Random --------------------------------------------------------------- */

/* Each pixel on its own. */
static void
fill_noise (Case * test, guint n_labels, guint64 * state)
{
  for (gsize i = 0; i < (gsize) test->width * test->height; i++)
    test->labels[i] = random_below (state, n_labels + 1);
}

/* The cells of @n_labels seeds, less what is far from all. */
static void
fill_cells (Case * test, guint n_labels, guint64 * state)
{
  const double reach = 3. + random_unit (state) * 30.;
  g_autofree double *seeds = g_new (double, 2 * n_labels);

  for (guint i = 0; i < n_labels; i++) {
    seeds[2 * i] = random_unit (state) * test->width;
    seeds[2 * i + 1] = random_unit (state) * test->height;
  }
  for (guint y = 0; y < test->height; y++)
    for (guint x = 0; x < test->width; x++) {
      double best = reach * reach;

      for (guint i = 0; i < n_labels; i++) {
        const double dx = seeds[2 * i] - x, dy = seeds[2 * i + 1] - y;

        if (dx * dx + dy * dy < best) {
          best = dx * dx + dy * dy;
          test->labels[(gsize) y * test->width + x] = 1 + i;
        }
      }
    }
}

/* Boxes, one over the other. */
static void
fill_boxes (Case * test, guint n_labels, guint64 * state)
{
  for (guint i = 0; i < n_labels; i++) {
    const guint x0 = random_below (state, test->width);
    const guint y0 = random_below (state, test->height);
    const guint x1 = x0 + 1 + random_below (state, 90);
    const guint y1 = y0 + 1 + random_below (state, 40);

    for (guint y = y0; y < MIN (y1, test->height); y++)
      for (guint x = x0; x < MIN (x1, test->width); x++)
        test->labels[(gsize) y * test->width + x] = random_below (state, 50) ?
            1 + i : 0;
  }
}

/* Stripes and checks of all directions. */
static void
fill_pattern (Case * test, guint n_labels, guint64 * state)
{
  const gint a = (gint) random_below (state, 5) - 2;
  const gint b = (gint) random_below (state, 5) - 2;
  const gint period = 1 + (gint) random_below (state, 6);

  for (guint y = 0; y < test->height; y++)
    for (guint x = 0; x < test->width; x++)
      test->labels[(gsize) y * test->width + x] =
          ((a * (gint) x + b * (gint) y) / period & 0xff) % (n_labels + 1);
}

/* A line of one pixel's width, or a few pixels far from each other. */
static void
fill_lines (Case * test, guint n_labels, guint64 * state)
{
  for (guint i = 0; i < n_labels; i++) {
    const double x0 = random_unit (state) * test->width;
    const double y0 = random_unit (state) * test->height;
    const double x1 = random_unit (state) * test->width;
    const double y1 = random_unit (state) * test->height;
    const guint n = random_below (state, 3) ? 400 : 2;

    for (guint k = 0; k < n; k++) {
      const double t = k / (n - 1.);
      const gsize x = (gsize) (x0 + t * (x1 - x0));
      const gsize y = (gsize) (y0 + t * (y1 - y0));

      test->labels[y * test->width + x] = 1 + i;
    }
  }
}

/* Labels become others, which need not follow one another. */
static void
rename_labels (Case * test, guint64 * state)
{
  const CsLabelsPicture *picture = &test->picture;
  const guint bits = MIN (8 * picture->size - picture->is_signed, 31);
  const guint64 mask = ((guint64) 1 << bits) - 1;
  const guint64 factor = random_bits (state) | 1;
  const gboolean has_negative = picture->is_signed && random_below (state, 2);

  for (gsize i = 0; i < (gsize) test->width * test->height; i++) {
    gint64 *label = &test->labels[i];

    if (*label == 0)
      *label = has_negative ? -1 - (gint64) (i % 5) : 0;
    else if (factor & 2)
      *label = (gint64) (((guint64) *label * factor) & mask);
    else
      *label = (gint64) (mask - (guint64) *label % 100);
  }
}

void
case_init_random (Case * test, guint64 * state)
{
  static void (*const fills[]) (Case *, guint, guint64 *) = {
    fill_noise, fill_cells, fill_boxes, fill_pattern, fill_lines
  };
  const guint width = random_below (state, 3) ? 1 + random_below (state, 80) :
      60 + random_below (state, 150);
  const guint height = 1 + random_below (state, 60);
  const guint size = 1u << random_below (state, 4);

  case_init (test, width, height, size, random_below (state, 2));
  fills[random_below (state, G_N_ELEMENTS (fills))] (test,
      1 + random_below (state, random_below (state, 2) ? 3 : 60), state);
  rename_labels (test, state);
  if (random_below (state, 3) == 0) {
    test->params.row_spacing = .25 + random_unit (state);
    test->params.column_spacing = random_below (state, 2) ?
        test->params.row_spacing : .25 + random_unit (state);
    test->params.wanted &= ~CS_PROPERTY_BIT (CS_PROPERTY_MOMENTS_HU);
    if (test->params.column_spacing != test->params.row_spacing)
      test->params.wanted &= ~(CS_PROPERTY_BIT (CS_PROPERTY_PERIMETER) |
          CS_PROPERTY_BIT (CS_PROPERTY_PERIMETER_CROFTON));
  }
  if (random_below (state, 3) == 0) {
    test->picture.pixel_stride *= 1 + random_below (state, 3);
    test->picture.row_stride = width * test->picture.pixel_stride +
        size * random_below (state, 9);
  }
  if (random_below (state, 4) == 0)
    test->params.wanted &= 1u | (guint32) random_bits (state);
  case_pack (test);
}
