/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Contours: those of the mask of each label, by kernels/contours, which
 * tests/kernels/contours compares with scikit-image. Outlines: the sides of each
 * label's pixels, linked one by one; parents by points in polygons.
 */
#include "labels_oracle.h"

#include <math.h>
#include <string.h>

#include "../lib/check.h"

static gint
compare_labels (const void *a, const void *b)
{
  const gint64 *p = a, *q = b;

  return (*p > *q) - (*p < *q);
}

/* All labels that have rings, in ascending order. */
static GArray *
list_labels (const Case * test)
{
  const CsLabelsPicture *picture = &test->input.picture;
  GArray *labels = g_array_new (FALSE, FALSE, sizeof (gint64));
  guint n = 0;

  for (guint y = 0; y < picture->height; y++)
    for (guint x = 0; x < picture->width; x++) {
      const gint64 label = case_label_at (test, x, y);

      if (label >= 0 && (x == 0 || label != case_label_at (test,
                  (gint64) x - 1, y)))
        g_array_append_val (labels, label);
    }
  if (labels->len > 0)
    qsort (labels->data, labels->len, sizeof (gint64), compare_labels);
  for (guint i = 0; i < labels->len; i++) {
    const gint64 label = g_array_index (labels, gint64, i);

    if (n == 0 || g_array_index (labels, gint64, n - 1) != label)
      g_array_index (labels, gint64, n++) = label;
  }
  g_array_set_size (labels, n);
  return labels;
}

/* --- What is found so far ------------------------------------------------- */

/**
 * Seen:
 * @n_rings, @n_points: of the result, of the labels so far
 */
typedef struct
{
  const Case *test;
  const CsContoursOutput *result;
  gsize n_rings, n_points, n_dropped;
} Seen;

/* Whether the result's next ring is that of @contour's label, and all but what
 * is measured. @points: x and y of @n */
static gboolean
is_next (const Seen * seen, const float *points, gsize n,
    const CsContour * contour)
{
  const CsContoursOutput *result = seen->result;

  if (seen->n_rings >= result->n_contours)
    return FALSE;
  const CsContour *got = &result->contours[seen->n_rings];
  const guint32 *offsets = &result->offsets[seen->n_rings];

  return offsets[0] == seen->n_points && offsets[1] == seen->n_points + n &&
      memcmp ((const float *) result->points + 2 * offsets[0], points,
      2 * n * sizeof (float)) == 0 && got->id == contour->id &&
      got->parent == contour->parent && got->class_id == contour->class_id &&
      got->image == contour->image && got->kind == contour->kind &&
      got->flags == contour->flags && got->level == contour->level;
}

static gboolean
same_measures (const Seen * seen, const CsContour * contour,
    const CsContourMoments * moments)
{
  const CsContoursOutput *result = seen->result;

  return memcmp (&result->contours[seen->n_rings], contour,
      sizeof (*contour)) == 0 && (!moments ||
      memcmp (&result->moments[seen->n_rings], moments, sizeof (*moments)) == 0);
}

/* --- Contours ------------------------------------------------------------- */

/* The mask of @label with zeros around, and its contours. */
static void
find_contours (const Case * test, gint64 label, guint8 * mask,
    CsContours * plan, const Seen * seen, Result * result)
{
  const CsLabelsInput *from = &test->input;
  const guint width = from->picture.width + 2;
  const guint height = from->picture.height + 2;
  GError *error = NULL;

  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++)
      mask[y * width + x] = case_label_at (test, (gint64) x - 1,
          (gint64) y - 1) == label;
  const CsContoursInput input = {
    .image = cs_image_gray (mask, CS_SAMPLE_U8, width, height, width),
    .origin_x = (gint64) from->origin_x - 1,
    .origin_y = (gint64) from->origin_y - 1,
    .first_id = from->first_id + (gint32) seen->n_rings,
    .image_index = from->image_index,
  };

  if (!cs_contours_run (plan, &input, &result->output, &error))
    g_error ("%s: %s", case_name (), error->message);
}

/* Those of one label: not the parents of outer rings without a hierarchy. */
static gboolean
expect_label (Seen * seen, gint64 label, const CsContoursOutput * output)
{
  for (gsize i = 0; i < output->n_contours; i++) {
    CsContour contour = output->contours[i];
    const gsize begin = output->offsets[i];
    const gsize n = output->offsets[i + 1] - begin;

    contour.class_id = (gint32) label;
    if (!(contour.flags & CS_CONTOUR_HOLE) && !seen->test->params.hierarchy)
      contour.parent = -1;
    if (!is_next (seen, (const float *) output->points + 2 * begin, n,
            &contour) || !same_measures (seen, &contour,
            output->moments ? &output->moments[i] : NULL))
      return FALSE;
    seen->n_rings++;
    seen->n_points += n;
  }
  seen->n_dropped += output->n_dropped;
  return TRUE;
}

static gboolean
expect_contours (Seen * seen, const GArray * labels)
{
  const Case *test = seen->test;
  const CsLabelsPicture *picture = &test->input.picture;
  const CsContoursTarget target = { 0, .5 };
  g_autofree guint8 *mask = g_malloc ((picture->width + 2) *
      (picture->height + 2));
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (1);
  CsContoursParams params;
  gsize n_segments = 0;
  gboolean same = TRUE;
  GError *error = NULL;

  cs_contours_params_init (&params);
  params.targets = &target;
  params.n_targets = 1;
  params.hierarchy = TRUE;
  params.measures = test->params.measures;
  params.points = CS_POINTS_F32;
  params.min_area = test->params.min_area;
  g_autoptr (CsContours) plan = cs_contours_new (&params, executor, &error);

  if (!plan)
    g_error ("%s", error->message);
  for (guint i = 0; same && i < labels->len; i++) {
    const gint64 label = g_array_index (labels, gint64, i);
    Result result;

    result_init (&result, FALSE);
    find_contours (test, label, mask, plan, seen, &result);
    same = expect_label (seen, label, &result.output);
    n_segments += result.output.n_segments;
    result_clear (&result);
    if (!same)
      expect (FALSE, "label %" G_GINT64_FORMAT ", ring %" G_GSIZE_FORMAT,
          label, seen->n_rings);
  }
  expect (!same || n_segments == seen->result->n_segments, "%" G_GSIZE_FORMAT
      " segments, not %" G_GSIZE_FORMAT, seen->result->n_segments, n_segments);
  return same;
}

/* --- Outlines of pixels --------------------------------------------------- */

/* A ring of the corners of pixels: x and y less the origin, plus a half. */
typedef struct
{
  GArray *corners;
  gint64 area;
  gint first_x, first_y;
  gboolean is_kept;
  gint number;
} Ring;

/* East, south, west, north. */
static const gint dx[4] = { 1, 0, -1, 0 }, dy[4] = { 0, 1, 0, -1 };

/**
 * Sides:
 * @left: of each corner a bit for each direction in which a side leaves it with a
 *     pixel of the label on its right hand
 */
typedef struct
{
  const Case *test;
  gint width, height;
  guint8 *left;
} Sides;

static guint8 *
sides_at (const Sides * sides, gint x, gint y)
{
  return &sides->left[y * (sides->width + 1) + x];
}

static void
find_sides (const Sides * sides, gint64 label)
{
  for (gint y = 0; y <= sides->height; y++)
    for (gint x = 0; x <= sides->width; x++) {
      const gboolean upper_left = case_label_at (sides->test, x - 1, y - 1) ==
          label;
      const gboolean upper_right = case_label_at (sides->test, x, y - 1) ==
          label;
      const gboolean lower_left = case_label_at (sides->test, x - 1, y) == label;
      const gboolean lower_right = case_label_at (sides->test, x, y) == label;

      *sides_at (sides, x, y) = (guint8) ((lower_right && !upper_right) |
          (lower_left && !lower_right) << 1 | (upper_left && !lower_left) << 2 |
          (upper_right && !upper_left) << 3);
    }
}

/* The direction in which the way that came to (@x, @y) in @direction goes on: to
 * the right where it can, so that pixels that meet at a corner are apart. */
static gint
next_direction (const Sides * sides, gint x, gint y, gint direction)
{
  for (gint turn = 1; turn >= -1; turn--)
    if (*sides_at (sides, x, y) >> ((direction + turn) & 3) & 1)
      return (direction + turn) & 3;
  return -1;
}

/* Takes the ring that leaves corner (@x, @y) in @direction: it begins at its last
 * corner in raster order, and ends there. */
static Ring
take_ring (const Sides * sides, gint x, gint y, gint direction)
{
  Ring ring = {.corners = g_array_new (FALSE, FALSE, 2 * sizeof (gint)) };
  const gint begin_x = x, begin_y = y;
  GArray *all = g_array_new (FALSE, FALSE, 2 * sizeof (gint));
  guint last = 0;

  ring.first_x = x;
  ring.first_y = y;
  const gint begin = direction;

  do {
    const gint from_x = x, from_y = y;

    *sides_at (sides, x, y) &= (guint8) ~(1u << direction);
    x += dx[direction];
    y += dy[direction];
    ring.area += (gint64) from_x * y - (gint64) x * from_y;
    const gboolean closed = x == begin_x && y == begin_y &&
        next_direction (sides, x, y, direction) < 0;
    const gint next = closed ? begin : next_direction (sides, x, y, direction);

    if (next != direction) {
      const gint corner[2] = { x, y };

      g_array_append_val (all, corner);
    }
    direction = next;
    if (closed)
      break;
  } while (TRUE);
  const gint *corners = (const gint *) (gconstpointer) all->data;

  for (guint i = 1; i < all->len; i++)
    if (corners[2 * i + 1] > corners[2 * last + 1] ||
        (corners[2 * i + 1] == corners[2 * last + 1] &&
            corners[2 * i] > corners[2 * last]))
      last = i;
  for (guint i = 0; i <= all->len; i++)
    g_array_append_vals (ring.corners,
        corners + 2 * ((last + i) % all->len), 1);
  g_array_unref (all);
  return ring;
}

/* In the order of their first corners. */
static GArray *
take_rings (const Sides * sides)
{
  GArray *rings = g_array_new (FALSE, FALSE, sizeof (Ring));

  for (gint y = 0; y <= sides->height; y++)
    for (gint x = 0; x <= sides->width; x++)
      while (*sides_at (sides, x, y)) {
        const guint8 left = *sides_at (sides, x, y);
        /* where pixels meet at a corner, the lower right one's ring is the
         * one that has its first corner here */
        const gint direction = left & 1 ? 0 : left & 2 ? 1 : left & 4 ? 2 : 3;
        const Ring ring = take_ring (sides, x, y, direction);

        g_array_append_val (rings, ring);
      }
  return rings;
}

static gboolean
contains (const Ring * ring, double x, double y)
{
  const gint *at = (const gint *) (gconstpointer) ring->corners->data;
  gboolean inside = FALSE;

  for (guint i = 0; i + 1 < ring->corners->len; i++, at += 2)
    if ((at[1] > y) != (at[3] > y) && at[0] > x)
      inside = !inside;
  return inside;
}

/* The innermost ring around @ring. */
static gint
parent_of (const GArray * rings, const Ring * ring)
{
  gint64 least = G_MAXINT64;
  gint parent = -1;

  for (guint i = 0; i < rings->len; i++) {
    const Ring *other = &g_array_index (rings, Ring, i);
    const gint64 area = ABS (other->area);

    if (other != ring && area < least && contains (other,
            ring->first_x + .5, ring->first_y + .5)) {
      least = area;
      parent = other->number;
    }
  }
  return parent;
}

/* Of what is measured only what is plain to see. */
static gboolean
same_outline (const Seen * seen, const Ring * ring, const float *points)
{
  const CsContour *got = &seen->result->contours[seen->n_rings];
  double length = 0., x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY;
  double y1 = -INFINITY;

  for (guint i = 0; i + 1 < ring->corners->len; i++, points += 2) {
    length += fabs ((double) points[2] - points[0]) +
        fabs ((double) points[3] - points[1]);
    x0 = MIN (x0, points[0]);
    y0 = MIN (y0, points[1]);
    x1 = MAX (x1, points[0]);
    y1 = MAX (y1, points[1]);
  }
  return got->area == .5 * (double) ring->area &&
      (seen->test->params.measures == CS_MEASURES_NONE ||
      (got->perimeter == length && got->bbox_x0 == x0 && got->bbox_y0 == y0 &&
          got->bbox_x1 == x1 && got->bbox_y1 == y1));
}

static gboolean
expect_ring (Seen * seen, const GArray * rings, guint i, gint64 label)
{
  const Ring *ring = &g_array_index (rings, Ring, i);
  const CsLabelsInput *input = &seen->test->input;
  const gint *corners = (const gint *) (gconstpointer) ring->corners->data;
  const gsize n = ring->corners->len;
  g_autofree float *points = g_new (float, 2 * n);
  const gboolean is_hole = ring->area < 0;
  const CsContour contour = {
    .id = ring->number,
    .parent = is_hole || seen->test->params.hierarchy ? parent_of (rings, ring) :
        -1,
    .class_id = (gint32) label,
    .image = input->image_index,
    .flags = CS_CONTOUR_CLOSED | (is_hole ? CS_CONTOUR_HOLE : 0),
    .level = .5,
  };

  for (gsize k = 0; k < n; k++) {
    points[2 * k] = (float) (input->origin_x + corners[2 * k] - .5);
    points[2 * k + 1] = (float) (input->origin_y + corners[2 * k + 1] - .5);
  }
  if (!is_next (seen, points, n, &contour) ||
      !same_outline (seen, ring, points))
    return FALSE;
  seen->n_rings++;
  seen->n_points += n;
  return TRUE;
}

static gboolean
expect_outlines_of (Seen * seen, const Sides * sides, gint64 label)
{
  find_sides (sides, label);
  GArray *rings = take_rings (sides);
  gint32 id = seen->test->input.first_id + (gint32) seen->n_rings;
  gboolean same = TRUE;

  for (guint i = 0; i < rings->len; i++) {
    Ring *ring = &g_array_index (rings, Ring, i);

    ring->is_kept = .5 * (double) ABS (ring->area) >=
        seen->test->params.min_area;
    ring->number = ring->is_kept ? id++ : -1;
    seen->n_dropped += !ring->is_kept;
  }
  for (guint i = 0; i < rings->len; i++)
    if (same && g_array_index (rings, Ring, i).is_kept)
      same = expect_ring (seen, rings, i, label);
  for (guint i = 0; i < rings->len; i++)
    g_array_unref (g_array_index (rings, Ring, i).corners);
  g_array_unref (rings);
  if (!same)
    expect (FALSE, "outlines of label %" G_GINT64_FORMAT ", ring %"
        G_GSIZE_FORMAT, label, seen->n_rings);
  return same;
}

static gboolean
expect_outlines (Seen * seen, const GArray * labels)
{
  const CsLabelsPicture *picture = &seen->test->input.picture;
  g_autofree guint8 *left = g_malloc ((picture->width + 1) *
      (picture->height + 1));
  const Sides sides = { seen->test, (gint) picture->width,
    (gint) picture->height, left
  };
  gboolean same = TRUE;

  for (guint i = 0; same && i < labels->len; i++)
    same = expect_outlines_of (seen, &sides, g_array_index (labels, gint64, i));
  return same;
}

void
oracle_expect (const Case * test, const Result * result)
{
  GArray *labels = list_labels (test);
  Seen seen = { test, &result->output, 0, 0, 0 };

  const gboolean same = test->params.outline == CS_LABELS_PIXELS ?
      expect_outlines (&seen, labels) : expect_contours (&seen, labels);

  expect (!same || (seen.n_rings == result->output.n_contours &&
          seen.n_points == result->output.n_points &&
          seen.n_dropped == result->output.n_dropped), "%" G_GSIZE_FORMAT
      " rings of %" G_GSIZE_FORMAT " points, %" G_GSIZE_FORMAT " dropped, not %"
      G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT ", %" G_GSIZE_FORMAT,
      result->output.n_contours, result->output.n_points,
      result->output.n_dropped, seen.n_rings, seen.n_points, seen.n_dropped);
  g_array_unref (labels);
}
