/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strokes_private.h"

#include <math.h>

void
cs_strokes_params_init (CsStrokesParams * params)
{
  *params = (CsStrokesParams) {
    .merge_distance = -1,
    .merge = CS_STROKES_MERGE_ENDS,
    .min_points = 10,
    .min_length = 0,
    .duplicate_distance = 0,
    .biggest_first = TRUE,
    .order = CS_STROKES_ORDER_ENDPOINTS,
    .exclude = CS_STROKES_EXCLUDE_POINTS,
  };
}

static gboolean
check_params (const CsStrokesParams * params, GError ** error)
{
  if (params->order > CS_STROKES_ORDER_ENDPOINTS ||
      params->exclude > CS_STROKES_EXCLUDE_CONTOURS ||
      params->merge > CS_STROKES_MERGE_LIFT)
    return cs_error (error, CS_ERROR_INVALID,
        "unknown value of order %d, exclude %d or merge %d", params->order,
        params->exclude, params->merge);
  if (!isfinite (params->merge_distance) ||
      !isfinite (params->duplicate_distance) ||
      !isfinite (params->min_length) || !isfinite (params->simplify))
    return cs_error (error, CS_ERROR_INVALID,
        "distances of %g (merge), %g (duplicates) and %g (simplify) and a "
        "minimum length of %g must be finite", params->merge_distance,
        params->duplicate_distance, params->simplify, params->min_length);
  return TRUE;
}

/**
 * cs_strokes_new:
 * @params: copied
 * @executor: must outlive the plan
 * @error: CS_ERROR_INVALID or CS_ERROR_NOT_SUPPORTED
 *
 * Returns: a plan
 */
CsStrokes *
cs_strokes_new (const CsStrokesParams * params, CsExecutor * executor,
    GError ** error)
{
  const CsStrokesBackend *backend;

  if (!check_params (params, error))
    return NULL;
  backend = cs_executor_choose (executor, &cs_strokes_cpu_backend,
      CS_IF_CUDA (&cs_strokes_cuda_backend), "strokes", error);
  if (!backend)
    return NULL;

  CsStrokes *strokes = g_new0 (CsStrokes, 1);
  strokes->params = *params;
  strokes->executor = executor;
  strokes->backend = backend;
  strokes->state = backend->create (strokes, error);
  if (!strokes->state) {
    cs_strokes_free (strokes);
    return NULL;
  }
  return strokes;
}

/**
 * cs_strokes_set_params:
 * @strokes: a plan
 * @params: parameters of later runs
 * @error: CS_ERROR_INVALID
 *
 * Returns: whether they are valid; otherwise the plan keeps its parameters
 */
gboolean
cs_strokes_set_params (CsStrokes * strokes, const CsStrokesParams * params,
    GError ** error)
{
  if (!check_params (params, error))
    return FALSE;
  strokes->params = *params;
  return TRUE;
}

void
cs_strokes_free (CsStrokes * strokes)
{
  if (!strokes)
    return;
  if (strokes->state)
    strokes->backend->destroy (strokes->state);
  cs_strokes_order_clear (&strokes->order);
  cs_scratch_clear (&strokes->simplified);
  g_free (strokes);
}

static gboolean
check_offsets (const CsStrokesInput * input, GError ** error)
{
  gsize i;

  if (input->offsets[0] != 0)
    return cs_error (error, CS_ERROR_INVALID, "the first contour begins at "
        "point %u: it must be 0", input->offsets[0]);
  for (i = 0; i < input->n_contours; i++) {
    if (input->offsets[i] > input->offsets[i + 1])
      return cs_error (error, CS_ERROR_INVALID, "contour %" G_GSIZE_FORMAT
          " goes from point %u to %u: offsets must not decrease", i,
          input->offsets[i], input->offsets[i + 1]);
  }
  if (input->offsets[i] >= CS_STROKES_MAX_POINTS)
    return cs_error (error, CS_ERROR_LIMIT, "%u points are too many: there "
        "must be fewer than 2^31", input->offsets[i]);
  if (input->offsets[i] > 0 && !input->points)
    return cs_error (error, CS_ERROR_INVALID,
        "%u points, but no memory that holds them", input->offsets[i]);
  return TRUE;
}

static gboolean
check_input (const CsStrokes * strokes, const CsStrokesInput * input,
    GError ** error)
{
  if (input->memory > CS_MEMORY_DEVICE ||
      (input->memory == CS_MEMORY_DEVICE &&
          cs_executor_get_backend (strokes->executor) == CS_BACKEND_CPU))
    return cs_error (error, CS_ERROR_INVALID, "points in memory of kind %d: "
        "download them first to use the CPU", input->memory);
  if (input->n_contours >= CS_STROKES_MAX_POINTS)
    return cs_error (error, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT " contours are "
        "too many: there must be fewer than 2^31", input->n_contours);
  if (input->n_contours > 0 && !input->offsets)
    return cs_error (error, CS_ERROR_INVALID, "%" G_GSIZE_FORMAT
        " contours, but no offsets", input->n_contours);
  return input->n_contours == 0 || input->memory == CS_MEMORY_DEVICE ||
      check_offsets (input, error);
}

/* Ramer, Douglas and Peucker's simplification, of pieces of a contour: it is
 * quadratic in the worst case, such as spirals. Distances are rounded otherwise
 * than in libgstshapes' simplify.c, so that neither can replace the other
 * without changing results. */

/* Most points of a piece. */
#define MAX_PIECE 4096

/* Points between @first and @last that are not decided yet. */
typedef struct
{
  guint32 first, last;
} Range;

/* Squared distance between @p and the segment from @a to @b. */
static double
get_distance2 (const CsStrokePoint * p, const CsStrokePoint * a,
    const CsStrokePoint * b)
{
  const double dx = (double) b->x - a->x, dy = (double) b->y - a->y;
  const double px = (double) p->x - a->x, py = (double) p->y - a->y;
  const double length2 = dx * dx + dy * dy;
  const double t = length2 > 0 ? CLAMP ((px * dx + py * dy) / length2, 0, 1) :
      0;
  const double x = px - t * dx, y = py - t * dy;

  return x * x + y * y;
}

/* Sets @keep of the points of a piece that stay. @stack: for @n ranges */
static void
mark_piece (const CsStrokePoint * points, guint32 n, double limit2,
    guint8 * keep, Range * stack)
{
  guint32 n_ranges = 0, i;

  keep[0] = keep[n - 1] = TRUE;
  stack[n_ranges++] = (Range) { 0, n - 1 };
  while (n_ranges > 0) {
    const Range range = stack[--n_ranges];
    double farthest = limit2;
    guint32 at = range.first;

    for (i = range.first + 1; i < range.last; i++) {
      const double d = get_distance2 (&points[i], &points[range.first],
          &points[range.last]);

      if (d > farthest) {
        farthest = d;
        at = i;
      }
    }
    if (at == range.first)
      continue;
    keep[at] = TRUE;
    stack[n_ranges++] = (Range) { range.first, at };
    stack[n_ranges++] = (Range) { at, range.last };
  }
}

static void
mark (const CsStrokePoint * points, guint32 n, double limit2, guint8 * keep,
    Range * stack)
{
  guint32 first, size;

  memset (keep, 0, n);
  for (first = 0; first + 1 < n; first += size - 1) {
    size = MIN (MAX_PIECE + 1, n - first);
    mark_piece (points + first, size, limit2, keep + first, stack);
  }
  /* a single point */
  keep[0] = TRUE;
}

static gboolean
simplify_all (CsScratch * scratch, double tolerance,
    CsStrokesOutput * output, GError ** error)
{
  const gsize n = output->n_points;
  guint8 *data = cs_scratch_ensure (scratch, n * (sizeof (CsStrokePoint) +
          sizeof (Range) + 1) + (output->n_contours + 1) * sizeof (guint32),
      error);
  gsize i, k, at = 0;

  if (!data)
    return FALSE;
  CsStrokePoint *points = (CsStrokePoint *) data;
  Range *stack = (Range *) (points + n);
  guint32 *offsets = (guint32 *) (stack + n);
  guint8 *keep = (guint8 *) (offsets + output->n_contours + 1);

  for (i = 0; i < output->n_contours; i++) {
    const CsStrokePoint *from = output->points + output->offsets[i];
    const guint32 size = output->offsets[i + 1] - output->offsets[i];

    offsets[i] = at;
    mark (from, size, tolerance * tolerance, keep, stack);
    for (k = 0; k < size; k++) {
      if (keep[k])
        points[at++] = from[k];
    }
  }
  offsets[i] = at;
  output->points = points;
  output->offsets = offsets;
  output->n_points = at;
  return TRUE;
}

/**
 * cs_strokes_run:
 * @strokes: a plan
 * @input: contours
 * @output: (out): the result, owned by the plan
 * @error: CS_ERROR_INVALID, CS_ERROR_LIMIT, CS_ERROR_NO_MEMORY or
 *     CS_ERROR_DEVICE
 *
 * Runs all stages.
 *
 * Returns: %FALSE on failure; @output is empty then
 */
gboolean
cs_strokes_run (CsStrokes * strokes, const CsStrokesInput * input,
    CsStrokesOutput * output, GError ** error)
{
  static const guint32 no_offsets[1];
  const CsStrokesOutput empty = { .offsets = no_offsets };
  CsStrokesList list = { NULL };

  *output = empty;
  if (!check_input (strokes, input, error))
    return FALSE;
  if (input->n_contours == 0)
    return TRUE;
  if (!strokes->backend->run (strokes->state, input, &list, error))
    return FALSE;
  if (list.n_contours == 0)
    return TRUE;
  if (!cs_strokes_order (&strokes->order, &strokes->params, &list, output,
          error) || (strokes->params.simplify > 0 &&
          !simplify_all (&strokes->simplified,
              strokes->params.simplify, output, error))) {
    *output = empty;
    return FALSE;
  }
  return TRUE;
}
