/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "labels_cases.h"

#include <math.h>
#include <string.h>

#include "../lib/random.h"

#define MAX_SIDE 100

/* --- Labels --------------------------------------------------------------- */

static guint8 *
address_of (const Case * test, guint x, guint y)
{
  const CsLabelsPicture *picture = &test->input.picture;

  return (guint8 *) test->samples + y * picture->row_stride +
      x * picture->pixel_stride;
}

void
case_set_label (const Case * test, guint x, guint y, gint64 label)
{
  /* the lowest bytes, which are the first ones */
  memcpy (address_of (test, x, y), &label, test->input.picture.size);
}

static gint64
value_at (const Case * test, guint x, guint y)
{
  const guint8 *at = address_of (test, x, y);
  const gboolean is_signed = test->input.picture.is_signed;

  switch (test->input.picture.size) {
    case 1:
      return is_signed ? (gint64) (gint8) *at : (gint64) *at;
    case 2:
      return is_signed ? (gint64) *(const gint16 *) (gconstpointer) at :
          (gint64) *(const guint16 *) (gconstpointer) at;
    case 4:
      return is_signed ? (gint64) *(const gint32 *) (gconstpointer) at :
          (gint64) *(const guint32 *) (gconstpointer) at;
    default:
      return *(const gint64 *) (gconstpointer) at;
  }
}

gint64
case_label_at (const Case * test, gint64 x, gint64 y)
{
  const CsLabelsInput *input = &test->input;
  gboolean is_wanted = !input->wanted;

  if (x < 0 || y < 0 || x >= input->picture.width || y >= input->picture.height)
    return -1;
  const gint64 label = value_at (test, (guint) x, (guint) y);

  for (gsize i = 0; input->wanted && i < input->n_wanted; i++)
    is_wanted |= input->wanted[i] == label;
  return label < 0 || label == test->params.background || !is_wanted ? -1 :
      label;
}

/* --- Pictures ------------------------------------------------------------- */

/* Memory for @test's picture, of which size and sides are set; with gaps
 * between pixels and rows. */
static void
allocate (Case * test, guint pixel_gap, guint row_gap)
{
  CsLabelsPicture *picture = &test->input.picture;

  picture->pixel_stride = (1 + pixel_gap) * picture->size;
  picture->row_stride = picture->width * picture->pixel_stride +
      row_gap * picture->size;
  test->samples_size = picture->width == 0 || picture->height == 0 ? 0 :
      (picture->height - 1) * picture->row_stride +
      (picture->width - 1) * picture->pixel_stride + picture->size;
  test->samples = g_malloc0 (MAX (test->samples_size, 8));
  picture->data = test->samples;
}

static void
init (Case * test, guint width, guint height, guint size, gboolean is_signed)
{
  *test = (Case) { {0}, };
  cs_labels_params_init (&test->params);
  test->input.picture = (CsLabelsPicture) {
    .size = size,.is_signed = is_signed,.width = width,.height = height
  };
}

void
case_init_given (Case * test, const gint64 * values, guint width,
    guint height, guint size, gboolean is_signed)
{
  init (test, width, height, size, is_signed);
  allocate (test, 0, 0);
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++)
      case_set_label (test, x, y, values[y * width + x]);
}

/* A point in each square of a grid: the nearest one to a pixel is in its square
 * or one of the 24 around. */
void
case_init_voronoi (Case * test, guint width, guint height, guint n,
    guint size)
{
  const double side = sqrt ((double) width * height / n);
  const guint columns = (guint) ceil (width / side);
  const guint rows = (guint) ceil (height / side);
  g_autofree double *points = g_new (double, 2 * rows * columns);
  guint64 state = 1;

  init (test, width, height, size, TRUE);
  allocate (test, 0, 0);
  for (guint i = 0; i < rows * columns; i++) {
    points[2 * i] = (i % columns + random_unit (&state)) * side;
    points[2 * i + 1] = (i / columns + random_unit (&state)) * side;
  }
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++) {
      const gint c = (gint) (x / side), r = (gint) (y / side);
      double least = INFINITY;
      gint nearest = 0;

      for (gint v = MAX (r - 2, 0); v <= MIN (r + 2, (gint) rows - 1); v++)
        for (gint u = MAX (c - 2, 0); u <= MIN (c + 2, (gint) columns - 1);
            u++) {
          const gint i = v * (gint) columns + u;
          const double dx = points[2 * i] - x, dy = points[2 * i + 1] - y;

          if (dx * dx + dy * dy < least) {
            least = dx * dx + dy * dy;
            nearest = i + 1;
          }
        }
      case_set_label (test, x, y, nearest);
    }
}

void
case_init_noise (Case * test, guint width, guint height, guint n,
    double density, guint size)
{
  guint64 state = 2;

  init (test, width, height, size, FALSE);
  allocate (test, 0, 0);
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++)
      case_set_label (test, x, y, random_unit (&state) >= density ? 0 :
          1 + (gint64) random_below (&state, n - 1));
}

void
case_init_comb (Case * test, guint width, guint height, guint n)
{
  init (test, width, height, 4, TRUE);
  allocate (test, 0, 0);
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++)
      case_set_label (test, x, y, y == 0 || (x % 2 == 0 && x < 2 * n));
}

/* Whether pixel (@x, @y) is on a way that winds inwards, one pixel wide. */
static gboolean
is_spiral (gint x, gint y, gint width, gint height)
{
  const gint ring = MIN (MIN (x, y), MIN (width - 1 - x, height - 1 - y));

  /* square rings, each of which has a gap, and a way to the next one there */
  return ring % 2 == 0 ? x != ring || y != ring + 1 :
      x == ring && y == ring + 1;
}

void
case_init_spiral (Case * test, guint width, guint height)
{
  init (test, width, height, 4, TRUE);
  allocate (test, 0, 0);
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++)
      case_set_label (test, x, y, is_spiral ((gint) x, (gint) y, (gint) width,
              (gint) height));
}

/* --- Any ------------------------------------------------------------------ */

enum
{
  NOISE, BLOTS, CHECKERS, STRIPES, SPIRAL, COMB, RINGS, ONE, DOTS, N_PATTERNS
};

/* The number of pixel (@x, @y) in pattern @pattern of @n labels. */
static guint
number_of (guint pattern, guint n, guint x, guint y, const guint * points,
    const Case * test, guint64 * state)
{
  const gint width = (gint) test->input.picture.width;
  const gint height = (gint) test->input.picture.height;
  guint64 least = G_MAXUINT64;
  guint nearest = 0;

  switch (pattern) {
    case NOISE:
      return random_below (state, n);
    case BLOTS:
      for (guint i = 0; i < n; i++) {
        const gint64 dx = (gint64) points[2 * i] - x;
        const gint64 dy = (gint64) points[2 * i + 1] - y;

        if ((guint64) (dx * dx + dy * dy) < least) {
          least = (guint64) (dx * dx + dy * dy);
          nearest = i;
        }
      }
      return nearest;
    case CHECKERS:
      return (x + y) % n;
    case STRIPES:
      return (points[0] & 1 ? x : y) / (1 + points[1] % 5) % n;
    case SPIRAL:
      return is_spiral ((gint) x, (gint) y, width, height);
    case COMB:
      return y == 0 || x % 2 == 0;
    case RINGS:
      return (guint) MIN (MIN ((gint) x, (gint) y), MIN (width - 1 - (gint) x,
              height - 1 - (gint) y)) % n;
    case ONE:
      return 1;
    default:
      return x % 2 && y % 3 ? 1 + random_below (state, n) : 0;
  }
}

/* Labels of numbers: small ones, any up to the largest, some below 0. */
static gint64
label_of (guint number, guint kind, const CsLabelsPicture * picture)
{
  const guint bits = MIN (8 * picture->size - picture->is_signed, 31);
  const gint64 most = (G_GINT64_CONSTANT (1) << bits) - 1;

  if (kind == 0)
    return number & most;
  if (kind == 1)
    return most - (number & most);
  if (picture->is_signed && number % 4 == 3)
    return -(gint64) number;
  return (gint64) (number * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15) >> 20) &
      most;
}

static void
fill (Case * test, guint64 * state)
{
  const CsLabelsPicture *picture = &test->input.picture;
  const guint pattern = random_below (state, N_PATTERNS);
  const guint kind = random_below (state, 3);
  const guint n = pattern == BLOTS ? 1 + random_below (state, 40) :
      2 + random_below (state, random_below (state, 2) ? 3 : 300);
  const double specks = random_below (state, 3) ? 0. : .1;
  g_autofree guint *points = g_new (guint, 2 * n);

  for (guint i = 0; i < n; i++) {
    points[2 * i] = random_below (state, picture->width + 1);
    points[2 * i + 1] = random_below (state, picture->height + 1);
  }
  for (guint y = 0; y < picture->height; y++)
    for (guint x = 0; x < picture->width; x++) {
      const guint number = random_unit (state) < specks ?
          random_below (state, n) : number_of (pattern, n, x, y, points, test,
          state);

      case_set_label (test, x, y, label_of (number, kind, picture));
    }
}

/* Some of the labels that there are, and one that is not. */
static void
choose_wanted (Case * test, guint64 * state)
{
  const CsLabelsPicture *picture = &test->input.picture;
  gint64 last = -1;
  gsize n = 0;

  test->wanted = g_new (guint32, 9);
  while (n < 8) {
    gint64 next = CS_LABELS_MAX;

    for (guint y = 0; y < picture->height; y++)
      for (guint x = 0; x < picture->width; x++) {
        const gint64 label = value_at (test, x, y);

        if (label > last && label < next)
          next = label;
      }
    if (next == CS_LABELS_MAX)
      break;
    last = next;
    if (random_below (state, 2))
      test->wanted[n++] = (guint32) next;
  }
  if (last < CS_LABELS_MAX)
    test->wanted[n++] = (guint32) last + 1;
  test->input.wanted = test->wanted;
  test->input.n_wanted = n;
}

static guint
any_side (guint64 * state)
{
  return random_below (state, 6) ? random_below (state, MAX_SIDE + 1) :
      random_below (state, 4);
}

void
case_init (Case * test, guint64 * state)
{
  const guint width = any_side (state), height = any_side (state);

  init (test, width, height, 1u << random_below (state, 4),
      (gboolean) random_below (state, 2));
  allocate (test, random_below (state, 3) ? 0 : random_below (state, 3),
      random_below (state, 2) ? 0 : random_below (state, 9));
  fill (test, state);
  test->params.outline = random_below (state, 2);
  test->params.background = random_below (state, 3) ? 0 :
      (gint64) random_below (state, 4) - 1;
  test->params.hierarchy = (gboolean) random_below (state, 2);
  test->params.min_area = random_below (state, 3) ? 0. :
      random_unit (state) * 40.;
  test->params.measures = random_below (state, 3);
  if (random_below (state, 4) == 0)
    choose_wanted (test, state);
  if (random_below (state, 2)) {
    test->input.origin_x = random_below (state, 1000);
    test->input.origin_y = random_below (state, CS_LABELS_MAX_SIDE - MAX_SIDE);
  }
  test->input.first_id = (gint32) random_below (state, 1000);
  test->input.image_index = (gint32) random_below (state, 7);
}

void
case_clear (Case * test)
{
  g_free (test->samples);
  g_free (test->wanted);
}
