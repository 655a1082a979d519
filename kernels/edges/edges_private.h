/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Interface between edges.c, which checks, dispatches and links, and the
 * backends, which find edge pixels. */

#include "base/scratch.h"
#include "edges.h"

G_BEGIN_DECLS

/* Maximum radius of the blur kernel. */
#define CS_EDGES_MAX_RADIUS 60

/* Percentile of the automatic threshold, and the square of low / high. */
#define CS_EDGES_PERCENT 80
#define CS_EDGES_LOW2 .16f

/**
 * CsEdgesKernel:
 * @radius: radius of the blur kernel
 * @weights: of the centre tap and of the pairs at 1, 2 ... @radius
 * @low2, @high2: squared thresholds; automatic: 0, and the least high one
 * @scale: makes 1 of white, of samples of F32
 *
 * Constants of both backends.
 */
typedef struct
{
  guint radius;
  float weights[CS_EDGES_MAX_RADIUS + 1];
  float low2, high2;
  float scale;
} CsEdgesKernel;

/**
 * CsEdgesPixels:
 * @pixels: row * width + column, ascending
 * @points: sub-pixel positions, within half a pixel of each
 * @n: number of edge pixels
 */
typedef struct
{
  const guint32 *pixels;
  const CsStrokePoint *points;
  gsize n;
} CsEdgesPixels;

/**
 * CsEdgesBackend:
 * @create: the backend's state for @plan
 * @run: finds the edge pixels of @image, which is valid. They are owned by the
 *     state, until its next run.
 * @destroy: frees the state
 */
typedef struct
{
  void *(*create) (const CsEdges * plan, GError ** error);
  gboolean (*run) (void *state, const CsImage * image, CsEdgesPixels * pixels,
      GError ** error);
  void (*destroy) (void *state);
} CsEdgesBackend;

/* Scratch of linking. */
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

/* Rank, from 0, of the percentile among @n ascending magnitudes. */
static inline gsize
cs_edges_percentile (gsize n)
{
  return (n * CS_EDGES_PERCENT + 99) / 100 - 1;
}

G_END_DECLS
