/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Interface between strokes.c, which checks and dispatches, the backends, and
 * the order, which both share. */

#include "base/scratch.h"
#include "strokes.h"

G_BEGIN_DECLS

/* Limit of a run's points. */
#define CS_STROKES_MAX_POINTS (G_GUINT64_CONSTANT (1) << 31)

struct _CsBrushMask
{
  guint width, height;
  /* 32-bit words per row */
  guint stride;
  guint32 *bits;
  /* unique for every content of every mask */
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
 * @create: the backend's state for @plan
 * @run: all stages except the order; the input is valid (offsets in host memory
 *     too). The list is owned by the state, until its next run.
 * @destroy: frees the state
 */
typedef struct
{
  void *(*create) (const CsStrokes * plan, GError ** error);
  gboolean (*run) (void *state, const CsStrokesInput * input,
      CsStrokesList * list, GError ** error);
  void (*destroy) (void *state);
} CsStrokesBackend;

/* Whether open contours are joined by their ends, which runs on the host. */
static inline gboolean
cs_strokes_joins_ends (const CsStrokesParams * params)
{
  return params->merge_distance >= 0 && params->merge == CS_STROKES_MERGE_ENDS;
}

/* A contour as drawn: its first point, and whether it is reversed. */
typedef struct
{
  guint32 contour, first;
  gboolean reversed;
} CsStrokesStep;

/* Scratch of two-opt. */
typedef struct
{
  CsScratch near, tour, log;
} CsStrokesTourScratch;

/* Scratch of the order. */
typedef struct
{
  CsScratch tree, sort, steps, output;
  CsStrokesTourScratch tour;
} CsStrokesOrderScratch;

struct _CsStrokes
{
  CsStrokesParams params;
  CsExecutor *executor;
  const CsStrokesBackend *backend;
  void *state;
  CsStrokesOrderScratch order;
  CsScratch simplified;
};

extern const CsStrokesBackend cs_strokes_cpu_backend;
/* Only in builds with HAVE_CUDA. */
extern const CsStrokesBackend cs_strokes_cuda_backend;

/* Orders @list, which is sorted biggest first. @output's arrays are those of
 * @list or in @scratch. */
gboolean cs_strokes_order (CsStrokesOrderScratch * scratch,
    const CsStrokesParams * params, const CsStrokesList * list,
    CsStrokesOutput * output, GError ** error);
void cs_strokes_order_clear (CsStrokesOrderScratch * scratch);

/* Shortens the way of the lifted pen along @steps, all contours of @list, which
 * changes their order, directions and, of closed ones, first points. */
gboolean cs_strokes_two_opt (CsStrokesTourScratch * scratch,
    const CsStrokesList * list, CsStrokesStep * steps, GError ** error);

/* Joins open contours by their end points, see #CsStrokesMerge. Chain c is
 * @entries[@chain_offsets[c]] up to, not including, @chain_offsets[c + 1]: the
 * entry ends of its contours, in order; end 2 * i is the start of contour i,
 * 2 * i + 1 its end. A closed contour is a chain of its own. Both arrays are
 * the caller's, of one entry more than there are contours. Chains are in the
 * order of their lowest contours. */
gboolean cs_strokes_join_ends (CsScratch * scratch, const CsStrokesList * list,
    double distance, guint32 * entries, guint32 * chain_offsets,
    gsize * n_chains, GError ** error);

/* Whether a contour of @n points is closed. */
static inline gboolean
cs_strokes_is_closed (const CsStrokePoint * points, gsize n)
{
  return n > 2 && points[0].x == points[n - 1].x &&
      points[0].y == points[n - 1].y;
}

G_END_DECLS
