/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "llf_colour.h"

#include "llf_colour_private.h"

struct _CsLlfColour
{
  CsLlf *filter;
  const CsLlfColourBackend *backend;
  gboolean cuda;
  void *state;
};

/**
 * Work:
 * @from: input planes in the backend's memory
 * @to: output planes in the backend's memory
 *
 * State of a run.
 */
typedef struct
{
  const CsLlfPicture *picture;
  struct
  {
    const guint8 *from;
    guint8 *to;
    gsize from_stride, to_stride;
  } planes[CS_LLF_MAX_PLANES];
} Work;

CsLlfColour *
cs_llf_colour_new (CsLlfTable * table, CsExecutor * executor, GError ** error)
{
  CsLlf *filter = cs_llf_new (table, executor, error);
  CsLlfColour *plan;

  if (!filter)
    return NULL;
  plan = g_new0 (CsLlfColour, 1);
  plan->filter = filter;
  plan->cuda = cs_executor_get_backend (executor) == CS_BACKEND_CUDA;
  plan->backend = &cs_llf_colour_cpu_backend;
#ifdef HAVE_CUDA
  if (plan->cuda)
    plan->backend = &cs_llf_colour_cuda_backend;
#endif
  plan->state = plan->backend->create (executor);
  return plan;
}

void
cs_llf_colour_set_table (CsLlfColour * plan, CsLlfTable * table)
{
  cs_llf_set_table (plan->filter, table);
}

void
cs_llf_colour_free (CsLlfColour * plan)
{
  plan->backend->destroy (plan->state);
  cs_llf_free (plan->filter);
  g_free (plan);
}

static guint
sample_bytes (const CsLlfPicture * picture)
{
  return picture->depth > 8 ? 2 : 1;
}

static CsLlfTone
make_tone (const CsLlfPicture * picture)
{
  const guint shift = picture->depth - 8;
  const float max_code = (1u << picture->depth) - 1;
  CsLlfTone tone = {
    .unit = 1.f / max_code,
    .max_code = max_code,
    .gain = 1.f,
    .neutral = 128u << shift,
  };

  if (picture->limited_range) {
    tone.black = (16u << shift) / max_code;
    tone.gain = max_code / (219u << shift);
  }
  return tone;
}

/* Whether plane @p is read or changed. */
static gboolean
is_used (const CsLlfPicture * picture, guint p)
{
  guint c;

  for (c = 0; c < picture->n_components; c++) {
    if (picture->components[c].plane == p &&
        (c == 0 || picture->rgb || picture->scale_chroma))
      return TRUE;
  }
  return FALSE;
}

/* Checks */

static gboolean
check_form (const CsLlfPicture * picture, GError ** error)
{
  const guint n = picture->n_components;

  if (picture->depth < 8 || picture->depth + picture->shift > 16 ||
      (picture->rgb && (picture->depth != 8 || n != 3)) ||
      (n != 1 && n != 3) || (n == 1 && picture->scale_chroma) ||
      picture->sub_x > 1 || picture->sub_y > 1 || picture->n_planes < 1 ||
      picture->n_planes > CS_LLF_MAX_PLANES) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "a picture of %u planes "
        "and %u components of %u bits, shifted by %u, is none that can be "
        "filtered", picture->n_planes, n, picture->depth, picture->shift);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_plane (const CsLlfColour * plan, const CsLlfPicture * picture, guint p,
    GError ** error)
{
  const CsLlfPlane *plane = &picture->planes[p];
  const guint size = sample_bytes (picture);

  if (!plan->cuda && (plane->input_memory == CS_MEMORY_DEVICE ||
          plane->output_memory == CS_MEMORY_DEVICE)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "the CPU cannot read device memory; download pictures first");
    return FALSE;
  }
  if (!plane->input || !plane->output || plane->rows == 0 ||
      plane->input_stride < plane->row_size ||
      plane->output_stride < plane->row_size ||
      ((guintptr) plane->input | (guintptr) plane->output |
          plane->input_stride | plane->output_stride) % size != 0 ||
      (plane->input == plane->output &&
          plane->input_stride != plane->output_stride)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "the strides of plane %u (%" G_GSIZE_FORMAT " and %" G_GSIZE_FORMAT
        " bytes) do not fit rows of %" G_GSIZE_FORMAT " bytes", p,
        plane->input_stride, plane->output_stride, plane->row_size);
    return FALSE;
  }
  return TRUE;
}

static void
component_size (const CsLlfPicture * picture, guint c, guint * width,
    guint * height)
{
  const guint sub_x = c > 0 && !picture->rgb ? picture->sub_x : 0;
  const guint sub_y = c > 0 && !picture->rgb ? picture->sub_y : 0;

  *width = (picture->width + sub_x) >> sub_x;
  *height = (picture->height + sub_y) >> sub_y;
}

static gboolean
check_component (const CsLlfPicture * picture, guint c, GError ** error)
{
  const CsLlfComponent *component = &picture->components[c];
  const guint size = sample_bytes (picture);
  const CsLlfPlane *plane = &picture->planes[component->plane];
  guint width, height;

  component_size (picture, c, &width, &height);
  if (component->plane >= picture->n_planes || component->pixel_stride < size ||
      (component->offset | component->pixel_stride) % size != 0 ||
      component->offset + (width - 1) * component->pixel_stride + size >
      plane->row_size || height > plane->rows || (picture->rgb &&
          (component->plane != 0 || component->pixel_stride !=
              picture->components[0].pixel_stride ||
              component->pixel_stride < 3 || component->pixel_stride > 4 ||
              component->offset >= component->pixel_stride ||
              plane->row_size < width * component->pixel_stride)) ||
      (c == 2 && !picture->rgb && component->pixel_stride !=
          picture->components[1].pixel_stride)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "component %u does not fit its plane", c);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check (const CsLlfColour * plan, const CsLlfPicture * picture, GError ** error)
{
  guint i;

  if (!check_form (picture, error))
    return FALSE;
  for (i = 0; i < picture->n_planes; i++) {
    if (!check_plane (plan, picture, i, error))
      return FALSE;
  }
  for (i = 0; i < picture->n_components; i++) {
    if (!check_component (picture, i, error))
      return FALSE;
  }
  return TRUE;
}

/* Transfer of planes to the backend's memory, and back */

static gboolean
is_here (const CsLlfColour * plan, CsMemory memory)
{
  return plan->cuda == (memory == CS_MEMORY_DEVICE);
}

static gboolean
begin_plane (CsLlfColour * plan, Work * work, guint p, GError ** error)
{
  const CsLlfPlane *plane = &work->picture->planes[p];
  const gboolean input_here = is_here (plan, plane->input_memory);
  const gboolean output_here = is_here (plan, plane->output_memory);
  guint8 *own = NULL;

  if (!is_used (work->picture, p))
    return plane->input == plane->output ||
        plan->backend->copy (plan->state, plane->output, plane->output_stride,
        plane->input, plane->input_stride, plane->row_size, plane->rows, error);
  work->planes[p].from = plane->input;
  work->planes[p].from_stride = plane->input_stride;
  work->planes[p].to = plane->output;
  work->planes[p].to_stride = plane->output_stride;
  if (input_here && output_here)
    return TRUE;

  own = plan->backend->scratch (plan->state, p,
      (plane->row_size + 255) / 256 * 256 * plane->rows, error);
  if (!own)
    return FALSE;
  if (!output_here) {
    work->planes[p].to = own;
    work->planes[p].to_stride = (plane->row_size + 255) / 256 * 256;
  }
  if (input_here)
    return TRUE;
  work->planes[p].from = own;
  work->planes[p].from_stride = (plane->row_size + 255) / 256 * 256;
  return plan->backend->copy (plan->state, own, work->planes[p].from_stride,
      plane->input, plane->input_stride, plane->row_size, plane->rows, error);
}

static gboolean
begin (CsLlfColour * plan, Work * work, GError ** error)
{
  guint p;

  for (p = 0; p < work->picture->n_planes; p++) {
    if (!begin_plane (plan, work, p, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
finish (CsLlfColour * plan, const Work * work, GError ** error)
{
  const CsLlfPicture *picture = work->picture;
  gboolean must_wait = FALSE;
  guint p;

  for (p = 0; p < picture->n_planes; p++) {
    const CsLlfPlane *plane = &picture->planes[p];

    must_wait |= !is_here (plan, plane->input_memory) ||
        !is_here (plan, plane->output_memory);
    if (is_used (picture, p) && !is_here (plan, plane->output_memory) &&
        !plan->backend->copy (plan->state, plane->output, plane->output_stride,
            work->planes[p].to, work->planes[p].to_stride, plane->row_size,
            plane->rows, error))
      return FALSE;
  }
  return !must_wait || plan->backend->wait (plan->state, error);
}

/* YUV */

static CsImage
make_image (const CsLlfColour * plan, const void *data, CsSampleType type,
    guint width, guint height, gsize pixel_stride, gsize row_stride)
{
  CsImage image = cs_image_gray (data, type, width, height, row_stride);

  image.pixel_stride = pixel_stride;
  if (plan->cuda)
    image.memory = CS_MEMORY_DEVICE;
  return image;
}

static gboolean
filter_y (CsLlfColour * plan, const Work * work, const CsLlfSettings * settings,
    GError ** error)
{
  const CsLlfPicture *picture = work->picture;
  const CsLlfComponent *y = &picture->components[0];
  const CsLlfFrame frame = {
    .input = make_image (plan, work->planes[y->plane].from + y->offset,
        picture->depth > 8 ? CS_SAMPLE_U16 : CS_SAMPLE_U8, picture->width,
        picture->height, y->pixel_stride, work->planes[y->plane].from_stride),
    .shift = picture->shift,
    .output = work->planes[y->plane].to + y->offset,
    .output_pixel_stride = y->pixel_stride,
    .output_row_stride = work->planes[y->plane].to_stride,
  };

  return cs_llf_run (plan->filter, &frame, settings, error);
}

/* Saves the luma for chroma, if it is overwritten in place. */
static gboolean
keep_luma (CsLlfColour * plan, const Work * work, CsLlfChromaJob * job,
    GError ** error)
{
  const CsLlfPicture *picture = work->picture;
  const CsLlfPlane *plane = &picture->planes[0];
  guint8 *kept;

  job->luma = work->planes[0].from;
  job->luma_stride = work->planes[0].from_stride;
  job->filtered = work->planes[0].to;
  job->filtered_stride = work->planes[0].to_stride;
  if (job->luma != job->filtered)
    return TRUE;
  kept = plan->backend->scratch (plan->state, CS_LLF_COLOUR_LUMA,
      plane->row_size * plane->rows, error);
  job->luma = kept;
  job->luma_stride = plane->row_size;
  return kept && plan->backend->copy (plan->state, kept, plane->row_size,
      work->planes[0].from, work->planes[0].from_stride, plane->row_size,
      plane->rows, error);
}

static void
describe_chroma (const Work * work, CsLlfChromaJob * job)
{
  const CsLlfPicture *picture = work->picture;
  guint part;

  component_size (picture, 1, &job->width, &job->height);
  job->last_x = picture->width - 1;
  job->last_y = picture->height - 1;
  job->sub_x = picture->sub_x;
  job->sub_y = picture->sub_y;
  job->bytes = sample_bytes (picture);
  job->shift = picture->shift;
  job->pixel_stride = picture->components[1].pixel_stride;
  job->tone = make_tone (picture);
  for (part = 0; part < 2; part++) {
    const CsLlfComponent *component = &picture->components[1 + part];
    const guint p = component->plane;

    job->input[part] = work->planes[p].from + component->offset;
    job->input_stride[part] = work->planes[p].from_stride;
    job->output[part] = work->planes[p].to + component->offset;
    job->output_stride[part] = work->planes[p].to_stride;
  }
}

static gboolean
run_yuv (CsLlfColour * plan, const Work * work, const CsLlfSettings * settings,
    GError ** error)
{
  CsLlfChromaJob job;

  if (!work->picture->scale_chroma)
    return filter_y (plan, work, settings, error);
  describe_chroma (work, &job);
  return keep_luma (plan, work, &job, error) &&
      filter_y (plan, work, settings, error) &&
      plan->backend->chroma (plan->state, &job, error);
}

/* RGB */

static gboolean
ensure_lumas (CsLlfColour * plan, const CsLlfPicture * picture, float **luma,
    float **filtered, GError ** error)
{
  const gsize size = sizeof (float) * picture->width * picture->height;

  *luma = plan->backend->scratch (plan->state, CS_LLF_COLOUR_LUMA, size, error);
  if (!*luma)
    return FALSE;
  *filtered = plan->backend->scratch (plan->state, CS_LLF_COLOUR_FILTERED,
      size, error);
  return *filtered != NULL;
}

static gboolean
run_rgb (CsLlfColour * plan, const Work * work, const CsLlfSettings * settings,
    GError ** error)
{
  const CsLlfPicture *picture = work->picture;
  const gsize row = sizeof (float) * picture->width;
  CsLlfRgbJob job = {
    .width = picture->width,
    .height = picture->height,
    .pixel_stride = picture->components[0].pixel_stride,
    .red = picture->components[0].offset,
    .green = picture->components[1].offset,
    .blue = picture->components[2].offset,
    .input = work->planes[0].from,
    .output = work->planes[0].to,
    .input_stride = work->planes[0].from_stride,
    .output_stride = work->planes[0].to_stride,
    .red_weight = picture->red_weight,
    .blue_weight = picture->blue_weight,
    .tone = make_tone (picture),
  };
  CsLlfFrame frame = {
    .output_pixel_stride = sizeof (float),
    .output_row_stride = row,
  };

  if (!ensure_lumas (plan, picture, &job.luma, &job.filtered, error))
    return FALSE;
  frame.input = make_image (plan, job.luma, CS_SAMPLE_F32, picture->width,
      picture->height, sizeof (float), row);
  frame.output = job.filtered;
  return plan->backend->luma (plan->state, &job, error) &&
      cs_llf_run (plan->filter, &frame, settings, error) &&
      plan->backend->rgb (plan->state, &job, error);
}

gboolean
cs_llf_colour_run (CsLlfColour * plan, const CsLlfPicture * picture,
    const CsLlfSettings * settings, GError ** error)
{
  Work work = { .picture = picture };

  return check (plan, picture, error) && begin (plan, &work, error) &&
      (picture->rgb ? run_rgb (plan, &work, settings, error) :
      run_yuv (plan, &work, settings, error)) && finish (plan, &work, error);
}

gboolean
cs_llf_colour_warm_up (CsLlfColour * plan, const CsLlfPicture * picture,
    GError ** error)
{
  float *luma, *filtered;

  return check_form (picture, error) &&
      cs_llf_warm_up (plan->filter, picture->width, picture->height, error) &&
      (!picture->rgb ||
      ensure_lumas (plan, picture, &luma, &filtered, error));
}
