/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_EDGES_PRIVATE_H
#define CS_EDGES_PRIVATE_H

/* Between edges.c, which checks, dispatches and links, and the two backends,
 * which find edge pixels. */

#include "base/scratch.h"
#include "edges.h"

G_BEGIN_DECLS

/* Taps at either side of the blur's middle, at most. */
#define CS_EDGES_MAX_RADIUS 60

/* The automatic threshold's percentile, and low's part of high, squared. */
#define CS_EDGES_PERCENT 80
#define CS_EDGES_LOW2 .16f

/**
 * CsEdgesKernel:
 * @radius: taps at either side
 * @weights: of the middle and of the pairs at 1, 2 ... @radius from it
 * @low2, @high2: squares of the thresholds
 *
 * Numbers that both backends use.
 */
typedef struct
{
  guint radius;
  float weights[CS_EDGES_MAX_RADIUS + 1];
  float low2, high2;
} CsEdgesKernel;

/**
 * CsEdgesPixels:
 * @pixels: row * width + column, ascending
 * @points: where the edge is, within half a pixel of each
 * @n: how many
 */
typedef struct
{
  const guint32 *pixels;
  const CsStrokePoint *points;
  gsize n;
} CsEdgesPixels;

/**
 * CsEdgesBackend:
 * @create: a backend's state for @plan
 * @run: finds the edge pixels of @image, which is checked. They are the
 *     state's, until its next run.
 * @destroy: frees the state
 */
typedef struct
{
  void *(*create) (const CsEdges * plan, GError ** error);
  gboolean (*run) (void *state, const CsImage * image, CsEdgesPixels * pixels,
      GError ** error);
  void (*destroy) (void *state);
} CsEdgesBackend;

/* Memory of the links. */
typedef struct
{
  CsScratch numbers, links, points, offsets;
} CsEdgesLinkScratch;

struct _CsEdges
{
  CsEdgesParams params;
  CsEdgesKernel kernel;
  CsExecutor *executor;
  const CsEdgesBackend *backend;
  void *state;
  CsEdgesLinkScratch link;
};

extern const CsEdgesBackend cs_edges_cpu_backend;
/* Only in builds with HAVE_CUDA. */
extern const CsEdgesBackend cs_edges_cuda_backend;

/* Links edge pixels into chains, which are @scratch's until the next call. */
gboolean cs_edges_link (CsEdgesLinkScratch * scratch, guint width,
    guint height, const CsEdgesPixels * pixels, const CsStrokePoint ** points,
    const guint32 ** offsets, gsize * n_chains, GError ** error);
void cs_edges_link_clear (CsEdgesLinkScratch * scratch);

/* Index, from 0, of the percentile among @n ascending magnitudes. */
static inline gsize
cs_edges_percentile (gsize n)
{
  return (n * CS_EDGES_PERCENT + 99) / 100 - 1;
}

G_END_DECLS

#endif /* CS_EDGES_PRIVATE_H */
