/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_STROKES_PRIVATE_H
#define CS_STROKES_PRIVATE_H

/* Between strokes.c, which checks and dispatches, the two backends, and the
 * order, which both have in common. */

#include "base/scratch.h"
#include "strokes.h"

G_BEGIN_DECLS

/* Points a plan takes, in one run. */
#define CS_STROKES_MAX_POINTS (G_GUINT64_CONSTANT (1) << 31)

struct _CsBrushMask
{
  guint width, height;
  /* words of 32 pixels a row */
  guint stride;
  guint32 *bits;
  /* different for every content of every mask */
  guint64 version;
  gboolean is_empty;
};

/**
 * CsStrokesList:
 *
 * Contours on the host, as in #CsStrokesOutput.
 */
typedef struct
{
  const CsStrokePoint *points;
  const guint32 *offsets;
  const guint32 *sources;
  gsize n_contours, n_points;
} CsStrokesList;

/**
 * CsStrokesBackend:
 * @create: a backend's state for @plan
 * @run: everything but the order; input is checked (offsets on the host too).
 *     The list is the state's, until its next run.
 * @destroy: frees the state
 */
typedef struct
{
  void *(*create) (const CsStrokes * plan, GError ** error);
  gboolean (*run) (void *state, const CsStrokesInput * input,
      CsStrokesList * list, GError ** error);
  void (*destroy) (void *state);
} CsStrokesBackend;

/* Whether open contours are joined by their ends: the host's part. */
static inline gboolean
cs_strokes_joins_ends (const CsStrokesParams * params)
{
  return params->merge_distance >= 0 && params->merge == CS_STROKES_MERGE_ENDS;
}

/* Memory of the order. */
typedef struct
{
  CsScratch tree, sort, steps, output;
} CsStrokesOrderScratch;

struct _CsStrokes
{
  CsStrokesParams params;
  CsExecutor *executor;
  const CsStrokesBackend *backend;
  void *state;
  CsStrokesOrderScratch order;
};

extern const CsStrokesBackend cs_strokes_cpu_backend;
/* Only in builds with HAVE_CUDA. */
extern const CsStrokesBackend cs_strokes_cuda_backend;

/* Puts @list, the biggest first, into @order. @output's arrays are @list's own
 * or in @scratch. */
gboolean cs_strokes_order (CsStrokesOrderScratch * scratch,
    CsStrokesOrder order, const CsStrokesList * list,
    CsStrokesOutput * output, GError ** error);
void cs_strokes_order_clear (CsStrokesOrderScratch * scratch);

/* Whether a contour of @n points is closed. */
static inline gboolean
cs_strokes_is_closed (const CsStrokePoint * points, gsize n)
{
  return n > 2 && points[0].x == points[n - 1].x &&
      points[0].y == points[n - 1].y;
}

G_END_DECLS

#endif /* CS_STROKES_PRIVATE_H */
