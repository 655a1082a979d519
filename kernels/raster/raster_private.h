/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Between raster.c, which checks and dispatches, the two backends, and
 * raster_job.c, which is below them. */

#include "raster.h"
#include "raster_fill.h"
#include "raster_gradient_math.h"
#include "raster_math.h"

G_BEGIN_DECLS

/**
 * CsRasterJob:
 * @marks: checked
 * @fills: (nullable): what fills among them refer to
 * @cut: how many marks lie under the ink, all without
 * @format: complete, but for the tables of a linear one
 * @input: what @format.in is of, %NULL without it
 * @output: what @format.out is of
 * @ink: (nullable): the canvas
 * @ink_rgba: its colour
 * @ink_settings: how to paint it, without the canvas's arrays, alpha and colour
 *
 * A run whose arguments fit together.
 */
typedef struct
{
  const CsMarks *marks;
  const CsFillSet *fills;
  gsize cut;
  CsRasterFormat format;
  const CsPicture *input, *output;
  const CsInk *ink;
  guint32 ink_rgba;
  CsRasterInk ink_settings;
} CsRasterJob;

typedef struct
{
  void *(*create) (CsExecutor * executor, GError ** error);
  gboolean (*run) (void *state, const CsRasterJob * job, GError ** error);
  gboolean (*get_stats) (void *state, CsRasterStats * stats, GError ** error);
  void (*destroy) (void *state);

  /* ink; create fails, and clear is called after it */
  void *(*ink_create) (CsExecutor * executor, guint width, guint height,
      GError ** error);
  gboolean (*ink_clear) (void *state, GError ** error);
  gboolean (*ink_stamp) (void *state, const CsInkSegment * segments, gsize n,
      float half_width, GError ** error);
  void (*ink_destroy) (void *state);
} CsRasterBackend;

extern const CsRasterBackend cs_raster_cpu_backend;
/* Only in builds with HAVE_CUDA. */
extern const CsRasterBackend cs_raster_cuda_backend;

struct _CsInk
{
  CsExecutor *executor;
  const CsRasterBackend *backend;
  void *state;
  guint width, height;
};

typedef enum
{
  CS_DIRECT_AUTO,
  CS_DIRECT_NEVER,
  CS_DIRECT_ALWAYS,             /* where it is possible */
} CsDirectChoice;

/* Whether marks of which few lie on a pixel are painted directly. A variable so
 * that tests can force both ways. */
extern CsDirectChoice cs_raster_direct;

/* How many pictures were painted on CUDA in each way, for tests: directly, as
 * nothing but discs, as runs of small marks; and of which the direct way had no
 * room, as far as that was looked at. */
typedef struct
{
  gint painted, direct, lean, runs, failed;
} CsRasterPaths;

extern CsRasterPaths cs_raster_cuda_paths;

/* Whether nothing but the coverage and the colour of single marks matters, which
 * may then be painted tile by tile in order: no ink, no fills, no gradients. Groups
 * are not looked for. */
static inline gboolean
cs_raster_job_is_plain (const CsRasterJob * job)
{
  return !job->ink && !job->fills && !job->marks->gradients &&
      job->marks->n > 0;
}

/* Tables of light for formats with @table_max: @table_max + 1 entries in
 * @decode and @encode, 256 in @bytes. */
void cs_raster_make_tables (gint table_max, float *decode, float *encode,
    float *bytes);

/**
 * CsRasterKey:
 *
 * What prepared marks depend on. Compared as bytes: zero it first.
 */
typedef struct
{
  guint64 version;
  gsize n, cut;
  gint32 width, height, antialias, has_depths;
  const void *marks, *depths, *fills, *gradients;
} CsRasterKey;

/* The job's key; its version is 0 if nothing may be used again. */
void cs_raster_job_key (const CsRasterJob * job, CsRasterKey * key);
gboolean cs_raster_key_equal (const CsRasterKey * a, const CsRasterKey * b);

/* The region of a mark that is a fill; %NULL if there is none. */
static inline const CsFillRegion *
cs_raster_find_region (const CsFillSet * fills, const CsMark * mark)
{
  if (!fills || mark->group >= fills->regions.len)
    return NULL;
  return &cs_array_index (&fills->regions, CsFillRegion, mark->group);
}

/* Whether a mark has a gradient; there may be none of that index. */
static inline gboolean
cs_raster_has_gradient (const CsGradients * gradients, const CsMark * mark)
{
  return gradients && (mark->group & CS_MARK_GRADIENT) != 0 &&
      mark->half_width >= 0;
}

/* Whether two keys' marks have the same order. */
gboolean cs_raster_key_same_marks (const CsRasterKey * a,
    const CsRasterKey * b);

G_END_DECLS
