/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "llf_hdr.h"

#include <math.h>
#include <string.h>

#include "base/scratch.h"

#define N_CODES 65536u
#define MAX_CODE (N_CODES - 1)

/* Rows that a thread takes at once. */
#define CHUNK_ROWS 16

/**
 * CsLlfHdr:
 * @own: (nullable): the CPU, where @executor is a GPU
 * @intensity: Y, in dense rows; infinite ones are
 * @plane: x, in dense rows
 * @maxima: the largest finite Y of each chunk of rows
 * @light: linear light of each code of @coding, once there is one
 */
struct _CsLlfHdr
{
  CsExecutor *executor, *own;
  CsScratch intensity, plane, maxima;
  float *light;
  CsLlfCoding coding;
  guint histogram[N_CODES];
  float shown[N_CODES];
};

CsLlfHdr *
cs_llf_hdr_new (CsExecutor * executor)
{
  CsLlfHdr *plan = g_new0 (CsLlfHdr, 1);

  if (cs_executor_get_backend (executor) != CS_BACKEND_CPU)
    executor = plan->own = cs_executor_new_cpu (0);
  plan->executor = executor;
  return plan;
}

void
cs_llf_hdr_free (CsLlfHdr * plan)
{
  if (!plan)
    return;
  g_clear_pointer (&plan->own, cs_executor_free);
  cs_scratch_clear (&plan->intensity);
  cs_scratch_clear (&plan->plane);
  cs_scratch_clear (&plan->maxima);
  g_free (plan->light);
  g_free (plan);
}

/* Codings */

static double
pq_to_light (double value)
{
  const double m1 = 2610. / 16384., m2 = 2523. / 4096. * 128.;
  const double c1 = 3424. / 4096., c2 = 2413. / 4096. * 32.;
  const double c3 = 2392. / 4096. * 32.;
  const double root = pow (value, 1. / m2);

  return pow (MAX (root - c1, 0.) / (c2 - c3 * root), 1. / m1);
}

static double
hlg_to_light (double value)
{
  const double a = .17883277, b = 1. - 4. * a, c = .5 - a * log (4. * a);

  return value <= .5 ? value * value / 3. : (exp ((value - c) / a) + b) / 12.;
}

double
cs_llf_coding_to_light (CsLlfCoding coding, double value)
{
  switch (coding) {
    case CS_LLF_CODING_SRGB:
      return value <= .04045 ? value / 12.92 : pow ((value + .055) / 1.055,
          2.4);
    case CS_LLF_CODING_PQ:
      return pq_to_light (value);
    case CS_LLF_CODING_HLG:
      return hlg_to_light (value);
    default:
      return value;
  }
}

static float
light_to_srgb (float light)
{
  return light <= .0031308f ? light * 12.92f :
      1.055f * powf (light, 1.f / 2.4f) - .055f;
}

static void
prepare_light (CsLlfHdr * plan, CsLlfCoding coding)
{
  if (plan->light && plan->coding == coding)
    return;
  if (!plan->light)
    plan->light = g_new (float, N_CODES);
  for (guint i = 0; i < N_CODES; i++)
    plan->light[i] = cs_llf_coding_to_light (coding, i / (double) MAX_CODE);
  plan->coding = coding;
}

/* Input */

typedef struct
{
  CsLlfHdr *plan;
  const CsLlfHdrFrame *frame;
  CsLlfGamut gamut;
  float *intensity, *maxima;
  guint16 *plane;
  float maximum;
} Job;

/* NaN becomes 0; infinity stays. Colours outside of the primaries have
 * samples below 0. */
static inline float
get_light (const Job * job, const guint8 * sample)
{
  const float light = job->frame->input.type == CS_SAMPLE_U16 ?
      job->plan->light[*(const guint16 *) sample] : *(const float *) sample;

  return light > -INFINITY ? light : 0.f;
}

static inline void
get_lights (const Job * job, guint x, guint y, float light[3])
{
  const CsImage *image = &job->frame->input;
  const guint8 *at = (const guint8 *) image->data + y * image->row_stride +
      x * image->pixel_stride;

  light[0] = light[1] = light[2] = get_light (job, at);
  if (image->channels == 3) {
    light[1] = get_light (job, at + image->channel_stride);
    light[2] = get_light (job, at + 2 * image->channel_stride);
  }
}

/* Rows of a chunk, from *@y on. Returns: where they end */
static guint
find_rows (const Job * job, guint index, guint * y)
{
  *y = index * CHUNK_ROWS;
  return MIN (*y + CHUNK_ROWS, job->frame->input.height);
}

static void
measure_chunk (void *data, guint index)
{
  const Job *job = data;
  const guint width = job->frame->input.width;
  float maximum = 0.f;
  guint x, y, end = find_rows (job, index, &y);

  for (; y < end; y++) {
    float *intensity = job->intensity + (gsize) y * width;

    for (x = 0; x < width; x++) {
      float light[3], luminance;

      get_lights (job, x, y, light);
      luminance = cs_llf_gamut_get_luminance (&job->gamut, light);
      intensity[x] = luminance > 0.f ? luminance : 0.f;
      if (intensity[x] > maximum && isfinite (intensity[x]))
        maximum = intensity[x];
    }
  }
  job->maxima[index] = maximum;
}

static void
code_chunk (void *data, guint index)
{
  const Job *job = data;
  const guint width = job->frame->input.width;
  const float unit = 1.f / job->frame->range;
  guint x, y, end = find_rows (job, index, &y);

  for (; y < end; y++) {
    const float *intensity = job->intensity + (gsize) y * width;
    guint16 *plane = job->plane + (gsize) y * width;

    for (x = 0; x < width; x++) {
      const float value = 1.f + log2f (intensity[x] / job->maximum) * unit;

      plane[x] = MAX_CODE * CLAMP (value, 0.f, 1.f) + .5f;
    }
  }
}

/* Output */

/* The codes that at most .5 % are below, and .5 % above; pixels without light
 * do not count. At least one has some. */
static void
find_percentiles (CsLlfHdr * plan, const Job * job, guint * low, guint * high)
{
  const gsize n = (gsize) job->frame->input.width * job->frame->input.height;
  guint64 n_lit = 0, sum = 0;
  gboolean is_low_found = FALSE;
  guint code;

  memset (plan->histogram, 0, sizeof (plan->histogram));
  for (gsize i = 0; i < n; i++) {
    if (job->intensity[i] > 0.f) {
      plan->histogram[job->plane[i]]++;
      n_lit++;
    }
  }
  for (code = 0; code < N_CODES; code++) {
    sum += plan->histogram[code];
    if (!is_low_found && sum * 1000 >= n_lit * 5) {
      *low = code;
      is_low_found = TRUE;
    }
    if (sum * 1000 >= n_lit * 995)
      break;
  }
  *high = code;
}

/* The intensity that is shown for each code. @had: codes that the input's
 * percentiles are apart */
static void
prepare_shown (CsLlfHdr * plan, const CsLlfHdrFrame * frame, guint had,
    guint low, guint high)
{
  const double unit = frame->range / MAX_CODE;
  const double wanted = MIN (log2 (frame->contrast), had * unit);
  const double slope = wanted > 0. && high > low ? wanted / (high - low) : unit;

  for (guint code = 0; code < N_CODES; code++)
    plan->shown[code] = exp2 (((double) code - high) * slope);
}

static inline void
put (const CsPicture * picture, guint c, guint x, guint y, float value)
{
  guint8 *at = (guint8 *) picture->data[c] + y * picture->row_stride[c] +
      x * picture->pixel_stride[c];

  if (picture->type == CS_SAMPLE_U8)
    *at = value * 255.f + .5f;
  else
    *(guint16 *) at = value * (float) MAX_CODE + .5f;
}

static inline void
show_pixel (const Job * job, guint x, guint y)
{
  const CsPicture *output = &job->frame->output;
  const gsize i = (gsize) y * output->width + x;
  const float intensity = job->intensity[i];
  const float shown = job->plan->shown[job->plane[i]];
  float light[3];

  get_lights (job, x, y, light);
  if (isinf (intensity)) {
    light[0] = light[1] = light[2] = 1.f;
  } else if (intensity > 0.f) {
    for (guint c = 0; c < 3; c++)
      light[c] /= intensity;
    cs_llf_gamut_show (&job->gamut, light, shown);
  } else {
    light[0] = light[1] = light[2] = 0.f;
  }
  for (guint c = 0; c < 3; c++)
    put (output, c, x, y, light_to_srgb (light[c]));
}

static void
show_chunk (void *data, guint index)
{
  const Job *job = data;
  const CsLlfHdrFrame *frame = job->frame;
  const CsImage *input = &frame->input;
  guint x, y, end = find_rows (job, index, &y);

  for (; y < end; y++) {
    for (x = 0; x < input->width; x++) {
      float alpha = 1.f;

      show_pixel (job, x, y);
      if (frame->alpha)
        alpha = *(const guint16 *) ((const guint8 *) frame->alpha +
            y * input->row_stride + x * input->pixel_stride) /
            (float) MAX_CODE;
      if (frame->output.data[CS_PICTURE_ALPHA])
        put (&frame->output, CS_PICTURE_ALPHA, x, y, alpha);
    }
  }
}

/* All */

CsPicture
cs_llf_hdr_get_plane (guint width, guint height)
{
  CsPicture plane = {
    .model = CS_PICTURE_GRAY,
    .type = CS_SAMPLE_U16,
    .memory = CS_MEMORY_HOST,
    .width = width,
    .height = height,
    .depth = 16,
    .pixel_stride = {sizeof (guint16)},
    .row_stride = {sizeof (guint16) * width},
  };

  return plane;
}

static gboolean
is_input (const CsLlfHdrFrame * frame)
{
  const CsImage *image = &frame->input;
  const gsize size = cs_sample_size (image->type);

  return image->data && image->width > 0 && image->height > 0 &&
      image->memory != CS_MEMORY_DEVICE &&
      (image->channels == 1 || image->channels == 3) &&
      (image->type == CS_SAMPLE_U16 || (image->type == CS_SAMPLE_F32 &&
              frame->coding == CS_LLF_CODING_LINEAR && !frame->alpha)) &&
      image->pixel_stride % size == 0 && image->row_stride % size == 0 &&
      image->channel_stride % size == 0 && (guintptr) image->data % size == 0 &&
      (guintptr) frame->alpha % size == 0;
}

static gboolean
is_output (const CsLlfHdrFrame * frame)
{
  const CsPicture *picture = &frame->output;
  const gsize size = cs_sample_size (picture->type);
  gboolean is = picture->model == CS_PICTURE_RGB &&
      picture->memory != CS_MEMORY_DEVICE &&
      picture->width == frame->input.width &&
      picture->height == frame->input.height &&
      ((picture->type == CS_SAMPLE_U8 && picture->depth == 8) ||
      (picture->type == CS_SAMPLE_U16 && picture->depth == 16));

  for (guint c = 0; is && c < CS_PICTURE_MAX_COMPONENTS; c++)
    if (picture->data[c] || c != CS_PICTURE_ALPHA)
      is = picture->data[c] && picture->pixel_stride[c] >= size &&
          (guintptr) picture->data[c] % size == 0 &&
          picture->pixel_stride[c] % size == 0 &&
          picture->row_stride[c] % size == 0;
  return is;
}

static gboolean
check_frame (const CsLlfHdrFrame * frame, GError ** error)
{
  if (!is_input (frame) || !is_output (frame))
    return cs_error (error, CS_ERROR_INVALID,
        "tone mapping takes one or three channels of linear float32 or of 16 "
        "bits and gives RGB of 8 or 16 bits, both in host memory");
  /* not <, so that NaN fails */
  if (!(frame->range >= 1. && frame->range <= 100. &&
          frame->contrast >= 1. && frame->contrast <= 1e9))
    return cs_error (error, CS_ERROR_INVALID,
        "a range of %g stops and a contrast of %g: they must be 1 to 100, and "
        "1 to 1e9", frame->range, frame->contrast);
  return TRUE;
}

static gboolean
take_primaries (Job * job, GError ** error)
{
  if (cs_llf_gamut_init (&job->gamut, job->frame->primaries))
    return TRUE;
  return cs_error (error, CS_ERROR_INVALID,
      "the primaries of a picture must be a triangle around its white");
}

static gboolean
ensure (CsLlfHdr * plan, guint n_chunks, Job * job, GError ** error)
{
  const gsize n = (gsize) job->frame->input.width * job->frame->input.height;

  job->intensity = cs_scratch_ensure (&plan->intensity, n * sizeof (float),
      error);
  if (!job->intensity)
    return FALSE;
  job->plane = cs_scratch_ensure (&plan->plane, n * sizeof (guint16), error);
  if (!job->plane)
    return FALSE;
  job->maxima = cs_scratch_ensure (&plan->maxima, n_chunks * sizeof (float),
      error);
  return job->maxima != NULL;
}

/* Filters x, and prepares what is shown for it. */
static gboolean
map_plane (CsLlfHdr * plan, CsLlfColour * filter, const Job * job,
    const CsLlfSettings * settings, GError ** error)
{
  const CsLlfHdrFrame *frame = job->frame;
  CsPicture plane = cs_llf_hdr_get_plane (frame->input.width,
      frame->input.height);
  guint low, high, had;

  find_percentiles (plan, job, &low, &high);
  had = high - low;
  plane.data[0] = job->plane;
  if (!cs_llf_colour_run (filter, &plane, &plane, FALSE, settings, error))
    return FALSE;
  find_percentiles (plan, job, &low, &high);
  prepare_shown (plan, frame, had, low, high);
  return TRUE;
}

gboolean
cs_llf_hdr_run (CsLlfHdr * plan, CsLlfColour * filter,
    const CsLlfHdrFrame * frame, const CsLlfSettings * settings,
    GError ** error)
{
  const guint n = (frame->input.height + CHUNK_ROWS - 1) / CHUNK_ROWS;
  Job job = { plan, frame, };

  if (!check_frame (frame, error) || !take_primaries (&job, error) ||
      !ensure (plan, n, &job, error))
    return FALSE;
  if (frame->input.type == CS_SAMPLE_U16)
    prepare_light (plan, frame->coding);
  cs_executor_parallel_for (plan->executor, n, measure_chunk, &job);
  for (guint i = 0; i < n; i++)
    job.maximum = MAX (job.maximum, job.maxima[i]);
  /* without any light there is nothing to filter: all is black, or infinite */
  if (job.maximum > 0.f) {
    cs_executor_parallel_for (plan->executor, n, code_chunk, &job);
    if (!map_plane (plan, filter, &job, settings, error))
      return FALSE;
  } else {
    memset (job.plane, 0, sizeof (guint16) * frame->input.width *
        frame->input.height);
  }
  cs_executor_parallel_for (plan->executor, n, show_chunk, &job);
  return TRUE;
}
