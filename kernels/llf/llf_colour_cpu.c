/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "llf_colour_private.h"

#include <string.h>

#include "base/clones.h"
#include "base/luma_math.h"
#include "base/scratch.h"

/* Rows per chunk. */
#define CHUNK_ROWS 16
/* Samples per block of ratios. */
#define BLOCK 256

typedef struct
{
  CsExecutor *executor;
  CsScratch scratch[CS_LLF_COLOUR_N_SCRATCH];
} State;

static void *
create (CsExecutor * executor)
{
  State *state = g_new0 (State, 1);

  state->executor = executor;
  return state;
}

static void *
scratch (void *data, guint slot, gsize size, GError ** error)
{
  return cs_scratch_ensure (&((State *) data)->scratch[slot], size, error);
}

static void
destroy (void *data)
{
  State *state = data;

  for (guint i = 0; i < CS_LLF_COLOUR_N_SCRATCH; i++)
    cs_scratch_clear (&state->scratch[i]);
  g_free (state);
}

static gboolean
wait_for_all (void *data, GError ** error)
{
  return TRUE;
}

/* Calls @row for each of @n rows. */
static gboolean
for_rows (State * state, CsParallelFunc row, gconstpointer job, guint n)
{
  cs_executor_for_rows (state->executor, n, CHUNK_ROWS, row, (gpointer) job);
  return TRUE;
}

/* Copying */

typedef struct
{
  guint8 *to;
  const guint8 *from;
  gsize to_stride, from_stride, row_size;
} CopyJob;

static void
copy_row (void *data, guint y)
{
  const CopyJob *job = data;

  memcpy (job->to + y * job->to_stride, job->from + y * job->from_stride,
      job->row_size);
}

static gboolean
copy (void *data, guint8 * to, gsize to_stride, const guint8 * from,
    gsize from_stride, gsize row_size, guint rows, GError ** error)
{
  const CopyJob job = { to, from, to_stride, from_stride, row_size };

  return for_rows (data, copy_row, &job, rows);
}

/* RGB. Inlined with a constant pixel stride, so that the loops vectorise. */

static inline __attribute__ ((always_inline))
void
luma_pixels (const CsLlfRgbJob * job, guint y, guint stride)
{
  const guint8 *r = job->input + y * job->input_stride + job->red;
  const guint8 *g = job->input + y * job->input_stride + job->green;
  const guint8 *b = job->input + y * job->input_stride + job->blue;
  const float kr = job->red_weight, kb = job->blue_weight;
  const float unit = job->tone.unit;
  float *luma = job->luma + (gsize) y * job->width;
  const gsize n = job->width;

  for (gsize x = 0; x < n; x++)
    luma[x] = cs_luma (r[x * stride], g[x * stride], b[x * stride], kr, kb) *
        unit;
}

CS_CLONES
static void
luma_row (void *data, guint y)
{
  const CsLlfRgbJob *job = data;

  if (job->pixel_stride == 3)
    luma_pixels (job, y, 3);
  else
    luma_pixels (job, y, 4);
}

static gboolean
luma (void *data, const CsLlfRgbJob * job, GError ** error)
{
  return for_rows (data, luma_row, job, job->height);
}

static inline void
rgb_block (const CsLlfTone * tone, const guint8 * in, guint8 * out,
    const float *before, const float *after, const float *ratio, gsize n,
    guint stride)
{
  const CsLlfTone t = *tone;

  for (gsize x = 0; x < n; x++)
    out[x * stride] = cs_llf_colour_rgb (&t, in[x * stride], before[x],
        after[x], ratio[x]);
}

CS_CLONES
static void
blend_8 (guint8 * after, const guint8 * before, const guint8 * weights, gsize n)
{
  for (gsize i = 0; i < n; i++)
    after[i] = cs_llf_colour_blend_8 (before[i], after[i], weights[i]);
}

/* Whether all weights are one. */
static inline gboolean
is_one_weight (const guint8 * weights, gsize n)
{
  return memcmp (weights, weights + 1, n - 1) == 0;
}

/* Blends @n pixels with what they were. */
static inline void
blend_pixels (guint8 * pixels, const guint8 * before, const guint8 * weights,
    gsize n, guint stride)
{
  guint8 each[BLOCK * 4];

  for (gsize x = 0; x < n; x++)
    for (guint c = 0; c < stride; c++)
      each[x * stride + c] = weights[x];
  blend_8 (pixels, before, each, n * stride);
}

static inline void
rgb_pixels (const CsLlfRgbJob * job, guint8 * pixels, const float *before,
    const float *after, gsize n, guint stride)
{
  const CsLlfTone tone = job->tone;
  float ratio[BLOCK];

  for (gsize x = 0; x < n; x++)
    ratio[x] = cs_llf_colour_ratio (&tone, before[x], after[x]);
  rgb_block (&job->tone, pixels + job->red, pixels + job->red, before, after,
      ratio, n, stride);
  rgb_block (&job->tone, pixels + job->green, pixels + job->green, before,
      after, ratio, n, stride);
  rgb_block (&job->tone, pixels + job->blue, pixels + job->blue, before, after,
      ratio, n, stride);
}

static inline __attribute__ ((always_inline))
void
rgb_blocks (const CsLlfRgbJob * job, guint y, guint stride)
{
  const guint8 *in = job->input + y * job->input_stride;
  guint8 *out = job->output + y * job->output_stride;
  const float *before = job->luma + (gsize) y * job->width;
  const float *after = job->filtered + (gsize) y * job->width;

  if (in != out)
    memcpy (out, in, (gsize) job->width * stride);
  for (gsize x = 0; x < job->width; x += BLOCK) {
    const gsize n = MIN (BLOCK, job->width - x);
    const guint8 *weights = job->weights ?
        job->weights + (gsize) y * job->width + x : NULL;
    const gboolean is_one = !weights || is_one_weight (weights, n);
    guint8 *pixels = out + x * stride;
    guint8 kept[BLOCK * 4];

    if (weights && is_one && weights[0] == 0)
      continue;
    if (!is_one || (weights && weights[0] < 255))
      memcpy (kept, pixels, n * stride);
    rgb_pixels (job, pixels, before + x, after + x, n, stride);
    if (!is_one || (weights && weights[0] < 255))
      blend_pixels (pixels, kept, weights, n, stride);
  }
}

CS_CLONES
static void
rgb_row (void *data, guint y)
{
  const CsLlfRgbJob *job = data;

  if (job->pixel_stride == 3)
    rgb_blocks (job, y, 3);
  else
    rgb_blocks (job, y, 4);
}

static gboolean
rgb (void *data, const CsLlfRgbJob * job, GError ** error)
{
  return for_rows (data, rgb_row, job, job->height);
}

/* Chroma */

#define DEFINE_CHROMA(name, Sample) \
/* Samples @x to @x + @n of row @y; the last may lack a column of luma. */ \
CS_CLONES \
static void \
name ## _ratios (const CsLlfChromaJob * job, guint y, gsize x, gsize n, \
    float *ratio) \
{ \
  const gsize top = (gsize) y << job->sub_y; \
  const gsize bottom = MIN (top + job->sub_y, job->last_y); \
  const Sample *a = \
      (const Sample *) (job->luma + top * job->luma_stride); \
  const Sample *b = \
      (const Sample *) (job->luma + bottom * job->luma_stride); \
  const Sample *c = \
      (const Sample *) (job->filtered + top * job->filtered_stride); \
  const Sample *d = \
      (const Sample *) (job->filtered + bottom * job->filtered_stride); \
  const guint sub = job->sub_x, shift = job->shift; \
  const CsLlfTone tone = job->tone; \
  gsize i = 0; \
\
  if (sub) { \
    const gsize n_whole = MIN (x + n, ((gsize) job->last_x + 1) / 2); \
\
    for (; x + i < n_whole; i++) { \
      const gsize at = 2 * (x + i); \
\
      ratio[i] = cs_llf_colour_ratio (&tone, \
          cs_llf_colour_mean (&tone, a[at] >> shift, a[at + 1] >> shift, \
              b[at] >> shift, b[at + 1] >> shift), \
          cs_llf_colour_mean (&tone, c[at] >> shift, c[at + 1] >> shift, \
              d[at] >> shift, d[at + 1] >> shift)); \
    } \
  } \
  for (; i < n; i++) { \
    const gsize at = (x + i) << sub; \
\
    ratio[i] = cs_llf_colour_ratio (&tone, \
        cs_llf_colour_mean (&tone, a[at] >> shift, a[at] >> shift, \
            b[at] >> shift, b[at] >> shift), \
        cs_llf_colour_mean (&tone, c[at] >> shift, c[at] >> shift, \
            d[at] >> shift, d[at] >> shift)); \
  } \
} \
\
CS_CLONES \
static void \
name ## _apply (const CsLlfChromaJob * job, guint part, guint y, gsize x, \
    gsize n, const float *ratio) \
{ \
  const gsize stride = job->pixel_stride / sizeof (Sample); \
  const Sample *in = (const Sample *) (job->input[part] + \
      y * job->input_stride[part]) + x * stride; \
  Sample *out = (Sample *) (job->output[part] + \
      y * job->output_stride[part]) + x * stride; \
  const guint shift = job->shift; \
  const CsLlfTone tone = job->tone; \
  gsize i; \
\
  if (stride == 1) { \
    for (i = 0; i < n; i++) \
      out[i] = \
          cs_llf_colour_chroma (&tone, in[i] >> shift, ratio[i]) << shift; \
  } else { \
    for (i = 0; i < n; i++) \
      out[i * stride] = cs_llf_colour_chroma (&tone, \
          in[i * stride] >> shift, ratio[i]) << shift; \
  } \
}

DEFINE_CHROMA (chroma_u8, guint8);
DEFINE_CHROMA (chroma_u16, guint16);

static void
chroma_row (void *data, guint y)
{
  const CsLlfChromaJob *job = data;
  float ratio[BLOCK];

  for (gsize x = 0; x < job->width; x += BLOCK) {
    const gsize n = MIN (BLOCK, job->width - x);

    if (job->bytes == 1)
      chroma_u8_ratios (job, y, x, n, ratio);
    else
      chroma_u16_ratios (job, y, x, n, ratio);
    for (guint part = 0; part < 2; part++) {
      if (job->bytes == 1)
        chroma_u8_apply (job, part, y, x, n, ratio);
      else
        chroma_u16_apply (job, part, y, x, n, ratio);
    }
  }
}

static gboolean
chroma (void *data, const CsLlfChromaJob * job, GError ** error)
{
  return for_rows (data, chroma_row, job, job->height);
}

/* Weights */

/* The mean weight of the pixels of subsampled pixel @x, @y. */
static inline guint8
mean_weight (const CsLlfBlendJob * job, gsize x, gsize y)
{
  const gsize left = x << job->sub_x, top = y << job->sub_y;
  const gsize right = MIN (left + job->sub_x, job->width - 1);
  const gsize bottom = MIN (top + job->sub_y, job->height - 1);
  const guint8 *a = job->weights + top * job->width;
  const guint8 *b = job->weights + bottom * job->width;

  return (a[left] + a[right] + b[left] + b[right] + 2u) >> 2;
}

/* The weights of @n samples from @first on; both are multiples of a pixel's
 * samples. */
static const guint8 *
block_weights (const CsLlfBlendJob * job, guint y, gsize first, gsize n,
    guint8 * weights)
{
  const guint per_pixel = job->per_pixel;
  const gboolean is_sub = job->sub_x || job->sub_y;
  const guint8 *row = job->weights + (gsize) y * job->width;
  gsize i, x = first / per_pixel;

  if (!is_sub && per_pixel == 1)
    return row + first;
  for (i = 0; i < n; x++) {
    const guint8 weight = is_sub ? mean_weight (job, x, y) : row[x];

    for (guint k = 0; k < per_pixel; k++)
      weights[i++] = weight;
  }
  return weights;
}

CS_CLONES
static void
blend_16 (guint16 * after, const guint16 * before, const guint8 * weights,
    gsize n, guint shift)
{
  for (gsize i = 0; i < n; i++)
    after[i] = cs_llf_colour_blend_16 (before[i] >> shift, after[i] >> shift,
        weights[i]) << shift;
}

/* Blends @n samples. Most blocks have one weight; unused bits are written. */
static void
blend_block (const CsLlfBlendJob * job, guint8 * after, const guint8 * before,
    const guint8 * weights, gsize n)
{
  const gboolean is_even = job->shift == 0 && is_one_weight (weights, n);

  if (is_even && weights[0] == 255)
    return;
  if (is_even && weights[0] == 0)
    memcpy (after, before, n * job->bytes);
  else if (job->bytes == 1)
    blend_8 (after, before, weights, n);
  else
    blend_16 ((guint16 *) (gpointer) after,
        (const guint16 *) (gconstpointer) before, weights, n, job->shift);
}

static void
blend_row (void *data, guint y)
{
  const CsLlfBlendJob *job = data;
  const gsize step = BLOCK / job->per_pixel * job->per_pixel;
  guint8 own[BLOCK];

  for (gsize x = 0; x < job->n_samples; x += step) {
    const gsize n = MIN (step, job->n_samples - x);

    blend_block (job, job->after + y * job->after_stride + x * job->bytes,
        job->before + y * job->before_stride + x * job->bytes,
        block_weights (job, y, x, n, own), n);
  }
}

static gboolean
blend (void *data, const CsLlfBlendJob * job, GError ** error)
{
  return for_rows (data, blend_row, job, job->n_rows);
}

const CsLlfColourBackend cs_llf_colour_cpu_backend = {
  create, scratch, copy, luma, rgb, chroma, blend, wait_for_all, destroy,
};
