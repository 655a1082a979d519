/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Interface between llf_colour.c, which checks and dispatches, and the
 * backends. */

#include <glib.h>

#include "base/executor.h"
#include "llf_colour_math.h"

G_BEGIN_DECLS

/* Slots of a backend's scratch memory. The first ones are planes. */
enum
{
  CS_LLF_COLOUR_LUMA = 4,
  CS_LLF_COLOUR_FILTERED,
  CS_LLF_COLOUR_WEIGHTS,
  /* four planes before filtering */
  CS_LLF_COLOUR_BEFORE,
  CS_LLF_COLOUR_N_SCRATCH = CS_LLF_COLOUR_BEFORE + 4,
};

/**
 * CsLlfRgbJob:
 * @pixel_stride: bytes of a pixel, 3 or 4
 * @red: byte of R in a pixel
 * @green: byte of G
 * @blue: byte of B
 * @luma: luma before filtering, in dense rows
 * @filtered: luma after filtering
 * @weights: (nullable): how much of the change each pixel gets, in dense rows
 */
typedef struct
{
  guint width, height;
  guint pixel_stride, red, green, blue;
  const guint8 *input;
  guint8 *output;
  gsize input_stride, output_stride;
  float red_weight, blue_weight;
  float *luma, *filtered;
  const guint8 *weights;
  CsLlfTone tone;
} CsLlfRgbJob;

/**
 * CsLlfChromaJob:
 * @width: columns of chroma
 * @height: rows of chroma
 * @last_x: last column of luma
 * @last_y: last row of luma
 * @bytes: bytes of a sample, 1 or 2
 * @luma: luma plane before filtering
 * @filtered: luma plane after filtering
 * @input: Cb and Cr
 */
typedef struct
{
  guint width, height, last_x, last_y, sub_x, sub_y;
  guint bytes, shift;
  const guint8 *luma, *filtered;
  gsize luma_stride, filtered_stride;
  const guint8 *input[2];
  guint8 *output[2];
  gsize input_stride[2], output_stride[2], pixel_stride;
  CsLlfTone tone;
} CsLlfChromaJob;

/**
 * CsLlfBlendJob:
 * @n_samples: of a row
 * @n_rows: rows of samples
 * @per_pixel: samples of a pixel
 * @sub_x: of this plane
 * @bytes: of a sample, 1 or 2
 * @weights: of pixels, in rows of @width, @height of them
 * @before: what the plane was
 * @after: what it is, and becomes
 *
 * A plane of interleaved samples.
 */
typedef struct
{
  guint n_samples, n_rows, per_pixel, sub_x, sub_y;
  guint bytes, shift;
  guint width, height;
  const guint8 *weights;
  const guint8 *before;
  guint8 *after;
  gsize before_stride, after_stride;
} CsLlfBlendJob;

/**
 * CsLlfColourBackend:
 * @scratch: memory of slot @slot, at least @size bytes; only grows
 * @copy: copies rows of bytes, from any memory to any
 * @luma: computes the luma of @job
 * @rgb: computes the output of @job from both lumas
 * @chroma: computes the output of @job
 * @blend: goes from @before to @after by weights
 * @wait: synchronises
 *
 * Operations run in order.
 */
typedef struct
{
  void *(*create) (CsExecutor * executor);
  void *(*scratch) (void *state, guint slot, gsize size, GError ** error);
  gboolean (*copy) (void *state, guint8 * to, gsize to_stride,
      const guint8 * from, gsize from_stride, gsize row_size, guint rows,
      GError ** error);
  gboolean (*luma) (void *state, const CsLlfRgbJob * job, GError ** error);
  gboolean (*rgb) (void *state, const CsLlfRgbJob * job, GError ** error);
  gboolean (*chroma) (void *state, const CsLlfChromaJob * job, GError ** error);
  gboolean (*blend) (void *state, const CsLlfBlendJob * job, GError ** error);
  gboolean (*wait) (void *state, GError ** error);
  void (*destroy) (void *state);
} CsLlfColourBackend;

extern const CsLlfColourBackend cs_llf_colour_cpu_backend;
/* Only in builds with HAVE_CUDA. */
extern const CsLlfColourBackend cs_llf_colour_cuda_backend;

G_END_DECLS
