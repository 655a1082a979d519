/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The hull kernel on the CPU, any parameters on any points: one thread and
 * three agree bit for bit, and the vertices are those of gift wrapping in
 * integers of any length. Ellipses and defects of them (hull_extras.h). */

#include "fuzz.h"

#include <math.h>
#include <stdlib.h>

#include "../kernels/hull/hull_oracle.h"
#include "fuzz_images.h"
#include "hull/hull.h"
#include "hull_extras.h"

/* The oracle is slow where numbers are long. */
#define MAX_POINTS 96
#define MAX_POLYLINES 8
#define MAX_CLASSES 4
#define MAX_MASK 12

/**
 * Set:
 * @input: what the plan gets
 * @memory: its points, to be freed
 * @offsets: its offsets
 * @contours: its records
 * @mask: (nullable): its mask
 * @is_small: whether its points are small numbers
 */
typedef struct
{
  CsHullInput input;
  guint8 *memory;
  guint32 offsets[MAX_POLYLINES + 1];
  CsContour contours[MAX_POLYLINES];
  FuzzImage mask;
  gboolean is_small;
} Set;

static CsHullParams
feed_params (Feed * feed)
{
  const guint flags = feed_u8 (feed);
  CsHullParams params;

  cs_hull_params_init (&params);
  params.scope = flags % 3;
  params.n_classes = 1 + feed_below (feed, MAX_CLASSES);
  params.include_collinear = (flags & 16) != 0;
  params.closed = (flags & 32) != 0;
  params.points = feed_below (feed, 3);
  params.indices = TRUE;
  params.measures = feed_below (feed, 3);
  return params;
}

/* Mostly small integers, so that points are equal and collinear; sometimes
 * anything. */
static double
feed_number (Feed * feed, guint how)
{
  switch (how) {
    case 0:
      return feed_double (feed);
    case 1:
      return ldexp ((gint8) feed_u8 (feed), (gint8) feed_u8 (feed));
    case 2:
      return feed_float (feed);
    default:
      return (gint8) feed_u8 (feed) / 4;
  }
}

static void
put_point (guint8 * to, CsHullType type, double x, double y)
{
  switch (type) {
    case CS_HULL_F32:
      ((float *) to)[0] = x;
      ((float *) to)[1] = y;
      break;
    case CS_HULL_F64:
      ((double *) to)[0] = x;
      ((double *) to)[1] = y;
      break;
    case CS_HULL_I32:
      ((gint32 *) to)[0] = CLAMP (isnan (x) ? 0. : x, G_MININT32, G_MAXINT32);
      ((gint32 *) to)[1] = CLAMP (isnan (y) ? 0. : y, G_MININT32, G_MAXINT32);
      break;
  }
}

static OraclePoint
get_point (const CsHullInput * input, gsize i)
{
  const gsize size = input->type == CS_HULL_F64 ? 16 : 8;
  const guint8 *at = (const guint8 *) input->points +
      i * (input->stride ? input->stride : size);

  switch (input->type) {
    case CS_HULL_F32:
      return (OraclePoint) { ((const float *) at)[0], ((const float *) at)[1], i };
    case CS_HULL_F64:
      return (OraclePoint) { ((const double *) at)[0], ((const double *) at)[1],
        i };
    default:
      return (OraclePoint) { ((const gint32 *) at)[0], ((const gint32 *) at)[1],
        i };
  }
}

static void
feed_polylines (Feed * feed, Set * set)
{
  CsHullInput *input = &set->input;

  input->n_polylines = 1 + feed_below (feed, MAX_POLYLINES);
  for (gsize i = 1; i <= input->n_polylines; i++)
    set->offsets[i] = MIN (set->offsets[i - 1] + feed_below (feed, 24),
        input->n_points);
  set->offsets[0] = feed_below (feed, 2) ? set->offsets[1] : 0;
  for (gsize i = 0; i < input->n_polylines; i++) {
    set->contours[i].id = 100 + i;
    set->contours[i].class_id = (gint32) feed_below (feed, 6) - 1;
    set->contours[i].image = 3;
    set->contours[i].area = 1.;
  }
  input->offsets = set->offsets;
  input->contours = set->contours;
}

static void
feed_points (Feed * feed, Set * set, guint flags)
{
  CsHullInput *input = &set->input;

  input->type = flags % 3;
  input->n_points = feed_below (feed, MAX_POINTS + 1);
  gsize size = input->type == CS_HULL_F64 ? 16 : 8;
  if (flags & 16)
    size = input->stride = size + size / 2 * (1 + (flags >> 5 & 1));
  set->memory = g_malloc0 (input->n_points * size + 1);
  input->points = set->memory;
  guint how = feed_below (feed, 8);
  set->is_small = how > 2;
  for (gsize i = 0; i < input->n_points; i++) {
    const double x = feed_number (feed, how), y = feed_number (feed, how);

    put_point (set->memory + i * size, input->type, x, y);
  }
  if (flags & 64)
    feed_polylines (feed, set);
}

static void
feed_mask (Feed * feed, Set * set)
{
  CsImage *image = &set->mask.image;

  image->type = feed_below (feed, 5);
  image->width = feed_below (feed, MAX_MASK + 1);
  image->height = feed_below (feed, MAX_MASK + 1);
  image->channels = 1;
  set->input.level = feed_u8 (feed) / 2.;
  feed_strides (feed, image);
  fuzz_image_fill (&set->mask, feed);
  set->input.mask = image;
}

/* The points of hull @which: of a polyline, of a class, or of all, whether they
 * belong to a polyline or not. */
static GArray *
collect_points (const CsHullParams * params, const CsHullInput * input,
    guint which)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (OraclePoint));
  const gboolean is_split = input->offsets
      && params->scope != CS_HULL_SCOPE_ALL;
  gsize k;

  if (input->mask) {
    const guint width = input->mask->width;

    for (gsize i = 0; i < (gsize) width * input->mask->height; i++) {
      const OraclePoint point = { i % width, i / width, i };

      if (fuzz_image_get (input->mask, i % width, i / width) > input->level)
        g_array_append_val (points, point);
    }
    return points;
  }
  for (gsize i = 0; i < input->n_points; i++) {
    const OraclePoint point = get_point (input, i);

    for (k = 0; is_split && k < input->n_polylines; k++)
      if (i >= input->offsets[k] && i < input->offsets[k + 1]
          && (params->scope == CS_HULL_SCOPE_PER_CONTOUR ? k == which :
              input->contours[k].class_id == (gint32) which))
        break;
    if (!is_split || k < input->n_polylines)
      g_array_append_val (points, point);
  }
  return points;
}

/* Hull @hull of the output against the oracle's hull @which, which may be
 * empty. Returns: whether there is one */
static gboolean
check_hull (const CsHullParams * params, const CsHullInput * input,
    const CsHullOutput * output, guint which, gsize hull)
{
  g_autoptr (GArray) points = collect_points (params, input, which);
  gsize n = 0, n_ignored, i;
  g_autofree OraclePoint *want = oracle_hull ((OraclePoint *) points->data,
      points->len, params->include_collinear, &n, &n_ignored);

  if (n > 0) {
    const guint32 begin = hull < output->n_hulls ? output->offsets[hull] : 0;
    const gsize repeated = params->closed;

    FUZZ_CHECK (hull < output->n_hulls, "hull %zu is missing", hull);
    FUZZ_CHECK (output->offsets[hull + 1] - begin == n + repeated,
        "%u vertices, not %zu", output->offsets[hull + 1] - begin, n);
    for (i = 0; i < n + repeated; i++)
      FUZZ_CHECK (output->indices[begin + i] == want[i % n].index,
          "vertex %zu is point %u, not %u", i, output->indices[begin + i],
          want[i % n].index);
  }
  return n > 0;
}

static guint
count_sets (const CsHullParams * params, const CsHullInput * input)
{
  if (input->mask || params->scope == CS_HULL_SCOPE_ALL)
    return 1;
  if (params->scope == CS_HULL_SCOPE_PER_CLASS)
    return params->n_classes;
  return input->offsets ? (guint) input->n_polylines : 1;
}

static void
check_result (const CsHullParams * params, const CsHullInput * input,
    const CsHullOutput * output)
{
  gsize hull = 0;

  for (guint i = 0; i < count_sets (params, input); i++)
    hull += check_hull (params, input, output, i, hull);
  FUZZ_CHECK (output->n_hulls == hull, "%zu hulls, not %zu", output->n_hulls,
      hull);
  FUZZ_CHECK (output->n_points == output->offsets[hull], "%zu points",
      output->n_points);
}

static void
check_bytes (const char *what, const void *a, const void *b, gsize size)
{
  FUZZ_CHECK (!a == !b, "threads: %s are missing", what);
  FUZZ_CHECK (!a || memcmp (a, b, size) == 0, "threads: %s differ", what);
}

static void
check_same (const CsHullParams * params, const CsHullInput * input,
    const CsHullOutput * a, const CsHullOutput * b)
{
  const gsize coordinate = params->points == CS_HULL_POINTS_INPUT
      && input->type == CS_HULL_F64 && !input->mask ? 8 : 4;

  FUZZ_CHECK (a->n_hulls == b->n_hulls && a->n_points == b->n_points
      && a->n_ignored == b->n_ignored, "threads: counts differ");
  check_bytes ("indices", a->indices, b->indices, a->n_points * 4);
  check_bytes ("offsets", a->offsets, b->offsets, (a->n_hulls + 1) * 4);
  check_bytes ("points", a->points, b->points, a->n_points * 2 * coordinate);
  check_bytes ("records", a->hulls, b->hulls, a->n_hulls * sizeof (CsContour));
  check_bytes ("features", a->features, b->features,
      a->n_hulls * sizeof (CsHullFeatures));
}

static void
run_set (CsHull * const plans[2], const CsHullParams * params,
    const CsHullInput * input, gboolean is_small)
{
  FuzzPool pools[2] = { {NULL, FALSE}, {NULL, FALSE} };
  CsHullOutput outputs[2];
  gboolean done[2];

  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;

    outputs[i] = (CsHullOutput) {
    .alloc = fuzz_pool_alloc,.user_data = &pools[i]};
    done[i] = cs_hull_run (plans[i], input, &outputs[i], &error);
    FUZZ_CHECK_ERROR (done[i], error);
    FUZZ_CHECK (done[i] || error->code == CS_ERROR_INVALID, "%s",
        error->message);
  }
  FUZZ_CHECK (done[0] == done[1], "threads do not agree");
  if (done[0]) {
    check_result (params, input, &outputs[0]);
    check_same (params, input, &outputs[0], &outputs[1]);
    check_extras (params, input, &outputs[0], is_small);
  }
  free (pools[0].data);
  free (pools[1].data);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Feed feed = { data, size };
  const CsHullParams params = feed_params (&feed);
  CsHull *plans[2];

  for (guint i = 0; i < 2; i++) {
    GError *error = NULL;

    plans[i] = cs_hull_new (&params, fuzz_executor (i), &error);
    FUZZ_CHECK (plans[i], "%s", error ? error->message : "no error");
  }
  for (guint n = 1 + feed_below (&feed, 3); n > 0; n--) {
    const guint flags = feed_u8 (&feed);
    Set set = { {0,}, };

    if (flags & 128)
      feed_mask (&feed, &set);
    else
      feed_points (&feed, &set, flags);
    run_set (plans, &params, &set.input, set.is_small);
    g_free (set.memory);
    g_free (set.mask.data);
  }
  cs_hull_free (plans[0]);
  cs_hull_free (plans[1]);
  return 0;
}
