/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "llf_colour.h"

#include "base/scratch.h"
#include "llf_colour_planes.h"
#include "llf_rgb_private.h"

struct _CsLlfColour
{
  CsLlf *filter;
  /* of distances in RGB */
  const CsLlfRgbBackend *distances;
  void *distances_state;
  const CsLlfColourBackend *backend;
  gboolean cuda;
  void *state;
  CsExecutor *executor;
  CsScratch unpacked;
  /* in host memory; borrowed */
  const guint8 *weights;
  guint64 version;
  /* those in the backend's memory */
  const guint8 *own_weights;
  guint64 own_version;
  gsize own_size;
};

CsLlfColour *
cs_llf_colour_new (CsLlfTable * table, CsExecutor * executor, GError ** error)
{
  CsLlf *filter = cs_llf_new (table, executor, error);
  CsLlfColour *plan;

  if (!filter)
    return NULL;
  plan = g_new0 (CsLlfColour, 1);
  plan->filter = filter;
  plan->executor = executor;
  plan->cuda = cs_executor_get_backend (executor) == CS_BACKEND_CUDA;
  plan->backend = &cs_llf_colour_cpu_backend;
  plan->distances = &cs_llf_rgb_cpu_backend;
#ifdef HAVE_CUDA
  if (plan->cuda) {
    plan->backend = &cs_llf_colour_cuda_backend;
    plan->distances = &cs_llf_rgb_cuda_backend;
  }
#endif
  plan->state = plan->backend->create (executor);
  plan->distances_state = plan->distances->create (executor);
  return plan;
}

void
cs_llf_colour_set_table (CsLlfColour * plan, CsLlfTable * table)
{
  cs_llf_set_table (plan->filter, table);
}

void
cs_llf_colour_set_weights (CsLlfColour * plan, const guint8 * weights,
    guint64 version)
{
  plan->weights = weights;
  plan->version = version;
}

void
cs_llf_colour_free (CsLlfColour * plan)
{
  if (!plan)
    return;
  plan->backend->destroy (plan->state);
  cs_scratch_clear (&plan->unpacked);
  plan->distances->destroy (plan->distances_state);
  cs_llf_free (plan->filter);
  g_free (plan);
}

static CsLlfTone
make_tone (const CsPicture * picture)
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

/* YUV */

static gboolean
filter_y (CsLlfColour * plan, const CsLlfWork * work,
    const CsLlfSettings * settings, GError ** error)
{
  const CsLlfFrame frame = {
    .input = cs_picture_get_component (&work->from, 0),
    .shift = work->from.shift,
    .output = work->to.data[0],
    .output_pixel_stride = work->to.pixel_stride[0],
    .output_row_stride = work->to.row_stride[0],
  };

  return cs_llf_run (plan->filter, &frame, settings, error);
}

/* Saves the luma for chroma, if it is overwritten in place. */
static gboolean
keep_luma (CsLlfColour * plan, const CsLlfWork * work, CsLlfChromaJob * job,
    GError ** error)
{
  const CsLlfPlane *plane = &work->planes[0];

  job->luma = work->from.data[0];
  job->luma_stride = work->from.row_stride[0];
  job->filtered = work->to.data[0];
  job->filtered_stride = work->to.row_stride[0];
  if (job->luma != job->filtered)
    return TRUE;
  guint8 *kept = plan->backend->scratch (plan->state, CS_LLF_COLOUR_LUMA,
      plane->row_size * plane->rows, error);
  job->luma = kept;
  job->luma_stride = plane->row_size;
  return kept && plan->backend->copy (plan->state, kept, plane->row_size,
      work->from.data[0], work->from.row_stride[0], plane->row_size,
      plane->rows, error);
}

static void
describe_chroma (const CsLlfWork * work, CsLlfChromaJob * job)
{
  const CsPicture *from = &work->from, *to = &work->to;
  const CsImage chroma = cs_picture_get_component (from, 1);

  job->width = chroma.width;
  job->height = chroma.height;
  job->last_x = from->width - 1;
  job->last_y = from->height - 1;
  job->sub_x = from->sub_x;
  job->sub_y = from->sub_y;
  job->bytes = cs_sample_size (from->type);
  job->shift = from->shift;
  job->pixel_stride = chroma.pixel_stride;
  job->tone = make_tone (from);
  for (guint part = 0; part < 2; part++) {
    job->input[part] = from->data[1 + part];
    job->input_stride[part] = from->row_stride[1 + part];
    job->output[part] = to->data[1 + part];
    job->output_stride[part] = to->row_stride[1 + part];
  }
}

static gboolean
run_yuv (CsLlfColour * plan, const CsLlfWork * work,
    const CsLlfSettings * settings, GError ** error)
{
  CsLlfChromaJob job;

  if (!work->scale_chroma)
    return filter_y (plan, work, settings, error);
  describe_chroma (work, &job);
  return keep_luma (plan, work, &job, error) &&
      filter_y (plan, work, settings, error) &&
      plan->backend->chroma (plan->state, &job, error);
}

/* RGB */

static gboolean
ensure_lumas (CsLlfColour * plan, const CsPicture * picture, float **luma,
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

/* Byte of component @c in a pixel. */
static guint
find_byte (const CsLlfWork * work, guint c)
{
  return (const guint8 *) work->input->data[c] - work->planes[0].input;
}

static CsLlfRgbJob
describe_rgb (const CsLlfWork * work)
{
  const CsPicture *from = &work->from, *to = &work->to;
  const gboolean has_weights = from->kr != 0 || from->kb != 0;
  const guint red = find_byte (work, 0);

  return (CsLlfRgbJob) {
    .width = from->width,
    .height = from->height,
    .pixel_stride = from->pixel_stride[0],
    .red = red,
    .green = find_byte (work, 1),
    .blue = find_byte (work, 2),
    .input = (const guint8 *) from->data[0] - red,
    .output = (guint8 *) to->data[0] - red,
    .input_stride = from->row_stride[0],
    .output_stride = to->row_stride[0],
    .red_weight = has_weights ? from->kr : .299,
    .blue_weight = has_weights ? from->kb : .114,
    .tone = make_tone (from),
  };
}

/* @weights: (nullable): where the backend reads them */
static gboolean
run_rgb (CsLlfColour * plan, const CsLlfWork * work, const guint8 * weights,
    const CsLlfSettings * settings, GError ** error)
{
  const CsPicture *from = &work->from;
  const gsize row = sizeof (float) * from->width;
  CsLlfRgbJob job = describe_rgb (work);
  CsLlfFrame frame = {
    .output_pixel_stride = sizeof (float),
    .output_row_stride = row,
  };

  if (!ensure_lumas (plan, from, &job.luma, &job.filtered, error))
    return FALSE;
  job.weights = weights;
  frame.input = cs_image_gray (job.luma, CS_SAMPLE_F32, from->width,
      from->height, row);
  frame.input.memory = from->memory;
  frame.output = job.filtered;
  return plan->backend->luma (plan->state, &job, error) &&
      cs_llf_run (plan->filter, &frame, settings, error) &&
      plan->backend->rgb (plan->state, &job, error);
}

static gboolean
copy_rgb (CsLlfColour * plan, const CsLlfWork * work, GError ** error)
{
  if (cs_llf_work_get_input (work, 0) == cs_llf_work_get_output (work, 0))
    return TRUE;
  return plan->backend->copy (plan->state, cs_llf_work_get_output (work, 0),
      cs_llf_work_get_stride (work, 0, FALSE), cs_llf_work_get_input (work, 0),
      cs_llf_work_get_stride (work, 0, TRUE), work->planes[0].row_size,
      work->planes[0].rows, error);
}

/* With distances in RGB. */
static gboolean
run_distances (CsLlfColour * plan, const CsLlfWork * work,
    const CsLlfSettings * settings, GError ** error)
{
  const CsLlfRgbJob job = describe_rgb (work);
  CsLlfPyramid pyramid;
  gboolean ok;

  if (!cs_llf_pyramid_plan (&pyramid, job.width, job.height, settings, error))
    return FALSE;
  CsLlfTable *table = cs_llf_take_table (plan->filter);
  pyramid.guard = cs_llf_get_tone_guard (&table->params, settings);
  ok = !table->rgb || pyramid.n_levels < 2 ? copy_rgb (plan, work, error) :
      plan->distances->run (plan->distances_state, table, &job, &pyramid,
      error);
  cs_llf_table_unref (table);
  return ok;
}

static gboolean
has_distances (CsLlfColour * plan)
{
  CsLlfTable *table = cs_llf_take_table (plan->filter);
  const gboolean found = table->params.color_remapping == CS_LLF_RGB_DISTANCE;

  cs_llf_table_unref (table);
  return found;
}

/* Weights */

/* Weights to where the backend reads them, unless they are there. */
static gboolean
upload_weights (CsLlfColour * plan, const CsPicture * picture, GError ** error)
{
  const gsize row = picture->width, size = row * picture->height;

  if (!plan->cuda) {
    plan->own_weights = plan->weights;
    return TRUE;
  }
  guint8 *own = plan->backend->scratch (plan->state, CS_LLF_COLOUR_WEIGHTS,
      size, error);
  if (!own)
    return FALSE;
  if (plan->own_weights == own && plan->own_version == plan->version &&
      plan->own_size == size)
    return TRUE;
  plan->own_weights = NULL;
  if (!plan->backend->copy (plan->state, own, row, plan->weights, row, row,
          picture->height, error))
    return FALSE;
  plan->own_weights = own;
  plan->own_version = plan->version;
  plan->own_size = size;
  return TRUE;
}

/* How plane @p is blended with what it was before. */
static CsLlfBlendJob
describe_blend (const CsLlfColour * plan, const CsLlfWork * work, guint p)
{
  const CsPicture *from = &work->from;
  const CsLlfPlane *plane = &work->planes[p];
  const guint bytes = cs_sample_size (from->type);
  const gboolean is_chroma = from->model == CS_PICTURE_YUV &&
      work->plane_of[0] != p;
  const guint c = is_chroma ? (work->plane_of[1] == p ? 1 : 2) : 0;

  return (CsLlfBlendJob) {
    .n_samples = plane->row_size / bytes,
    .n_rows = plane->rows,
    .per_pixel = from->pixel_stride[c] / bytes,
    .sub_x = is_chroma ? from->sub_x : 0,
    .sub_y = is_chroma ? from->sub_y : 0,
    .bytes = bytes,
    .shift = from->shift,
    .width = from->width,
    .height = from->height,
    .weights = plan->own_weights,
    .before = cs_llf_work_get_input (work, p),
    .before_stride = cs_llf_work_get_stride (work, p, TRUE),
    .after = cs_llf_work_get_output (work, p),
    .after_stride = cs_llf_work_get_stride (work, p, FALSE),
  };
}

/* Saves a plane that is filtered in place. */
static gboolean
keep_plane (CsLlfColour * plan, const CsLlfWork * work, guint p,
    CsLlfBlendJob * job, GError ** error)
{
  const CsLlfPlane *plane = &work->planes[p];

  if (job->before != job->after)
    return TRUE;
  guint8 *kept = plan->backend->scratch (plan->state, CS_LLF_COLOUR_BEFORE + p,
      plane->row_size * plane->rows, error);
  if (!kept || !plan->backend->copy (plan->state, kept, plane->row_size,
          job->before, job->before_stride, plane->row_size, plane->rows, error))
    return FALSE;
  job->before = kept;
  job->before_stride = plane->row_size;
  return TRUE;
}

typedef gboolean (*RunWork) (CsLlfColour * plan, const CsLlfWork * work,
    const CsLlfSettings * settings, GError ** error);

/* With weights: planes are kept, and blended after @run. */
static gboolean
run_blended (CsLlfColour * plan, const CsLlfWork * work, RunWork run,
    const CsLlfSettings * settings, GError ** error)
{
  CsLlfBlendJob jobs[CS_LLF_MAX_PLANES];

  for (guint p = 0; p < work->n_planes; p++) {
    jobs[p] = describe_blend (plan, work, p);
    if (work->planes[p].is_used && !keep_plane (plan, work, p, &jobs[p], error))
      return FALSE;
  }
  if (!run (plan, work, settings, error))
    return FALSE;
  for (guint p = 0; p < work->n_planes; p++)
    if (work->planes[p].is_used &&
        !plan->backend->blend (plan->state, &jobs[p], error))
      return FALSE;
  return TRUE;
}

static gboolean
run_all (CsLlfColour * plan, const CsLlfWork * work,
    const CsLlfSettings * settings, GError ** error)
{
  RunWork run = run_yuv;

  if (plan->weights && !upload_weights (plan, work->input, error))
    return FALSE;
  if (work->input->model == CS_PICTURE_RGB) {
    if (!has_distances (plan))
      return run_rgb (plan, work, plan->weights ? plan->own_weights : NULL,
          settings, error);
    run = run_distances;
  }
  return plan->weights ? run_blended (plan, work, run, settings, error) :
      run (plan, work, settings, error);
}

static gboolean
run_planes (CsLlfColour * plan, const CsPicture * input,
    const CsPicture * output, gboolean scale_chroma,
    const CsLlfSettings * settings, GError ** error)
{
  const gboolean is_yuv = input->model == CS_PICTURE_YUV;
  CsLlfWork work = {
    .backend = plan->backend,
    .state = plan->state,
    .is_cuda = plan->cuda,
    .input = input,
    .output = output,
    .scale_chroma = scale_chroma && is_yuv,
  };

  return cs_llf_work_begin (&work, error) &&
      run_all (plan, &work, settings, error) &&
      cs_llf_work_finish (&work, error);
}

/* --- Luma and chroma in one plane (YUY2, UYVY), as planes of their own ---- */

/* Rows that a thread takes at once. */
#define CHUNK_ROWS 16

typedef struct
{
  const CsPicture *from, *to;
} Job;

static gboolean
is_packed (const CsPicture * picture)
{
  return picture->model == CS_PICTURE_YUV &&
      picture->pixel_stride[0] > cs_sample_size (picture->type);
}

static void
copy_row (const CsPicture * from, const CsPicture * to, guint c, guint y,
    guint n)
{
  const gsize in_stride = from->pixel_stride[c];
  const gsize out_stride = to->pixel_stride[c];
  const guint8 *in = (const guint8 *) from->data[c] + y * from->row_stride[c];
  guint8 *out = (guint8 *) to->data[c] + y * to->row_stride[c];

  for (guint x = 0; x < n; x++)
    out[x * out_stride] = in[x * in_stride];
}

static void
copy_chunk (void *data, guint index)
{
  const Job *job = data;

  for (guint c = 0; c < 3; c++) {
    const CsImage image = cs_picture_get_component (job->from, c);
    const guint end = MIN ((index + 1) * CHUNK_ROWS, image.height);

    for (guint y = index * CHUNK_ROWS; y < end; y++)
      copy_row (job->from, job->to, c, y, image.width);
  }
}

static void
copy_samples (const CsPicture * from, const CsPicture * to,
    CsExecutor * executor)
{
  Job job = { from, to };

  cs_executor_parallel_for (executor, (from->height + CHUNK_ROWS - 1) /
      CHUNK_ROWS, copy_chunk, &job);
}

static gboolean
check_packed (const CsPicture * picture, GError ** error)
{
  gboolean fits = picture->model == CS_PICTURE_YUV &&
      picture->type == CS_SAMPLE_U8 && picture->depth == 8 &&
      picture->shift == 0 && picture->memory != CS_MEMORY_DEVICE;

  for (guint c = 0; c < 3; c++) {
    const CsImage image = cs_picture_get_component (picture, c);

    fits = fits && picture->data[c] && image.width > 0 &&
        picture->pixel_stride[c] > 0 && picture->row_stride[c] >
        (image.width - 1) * picture->pixel_stride[c];
  }
  if (!fits)
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "luma and chroma in one plane are filtered with 8 bits, in host "
        "memory, and in rows that hold them");
  return fits;
}

/* Copies the samples of @picture to planes in @memory, which grows. @output is
 * where they will be joined. */
static gboolean
split_packed (const CsPicture * picture, const CsPicture * output,
    CsExecutor * executor, CsScratch * memory, CsPicture * planes,
    GError ** error)
{
  gsize size = 0;

  if (!check_packed (picture, error) || !check_packed (output, error))
    return FALSE;
  if (output->width != picture->width || output->height != picture->height ||
      output->sub_x != picture->sub_x || output->sub_y != picture->sub_y)
    return cs_error (error, CS_ERROR_INVALID,
        "input and output are not of the same format");
  *planes = *picture;
  planes->memory = CS_MEMORY_HOST;
  for (guint c = 0; c < 3; c++) {
    const CsImage image = cs_picture_get_component (picture, c);

    planes->pixel_stride[c] = 1;
    planes->row_stride[c] = image.width;
    size += (gsize) image.width * image.height;
  }
  guint8 *data = cs_scratch_ensure (memory, size, error);
  if (!data)
    return FALSE;
  for (guint c = 0; c < 3; c++) {
    planes->data[c] = data;
    data += planes->row_stride[c] * cs_picture_get_component (picture,
        c).height;
  }
  copy_samples (picture, planes, executor);
  return TRUE;
}

/* --- Runs ----------------------------------------------------------------- */

gboolean
cs_llf_colour_run (CsLlfColour * plan, const CsPicture * input,
    const CsPicture * output, gboolean scale_chroma,
    const CsLlfSettings * settings, GError ** error)
{
  CsPicture planes;

  if (!is_packed (input))
    return run_planes (plan, input, output, scale_chroma, settings, error);
  if (!split_packed (input, output, plan->executor, &plan->unpacked,
          &planes, error) ||
      !run_planes (plan, &planes, &planes, scale_chroma, settings, error))
    return FALSE;
  /* other bytes stay */
  copy_samples (&planes, output, plan->executor);
  return TRUE;
}

static gboolean
warm_up_distances (CsLlfColour * plan, CsLlfTable * table,
    const CsPicture * picture, GError ** error)
{
  const CsLlfSettings all = {.amount = 1 };
  CsLlfPyramid pyramid;

  return cs_llf_pyramid_plan (&pyramid, picture->width, picture->height, &all,
      error) && (!table->rgb || pyramid.n_levels < 2
      || plan->distances->warm_up (plan->distances_state, table, &pyramid,
          error));
}

gboolean
cs_llf_colour_warm_up (CsLlfColour * plan, const CsPicture * picture,
    const CsLlfSettings * settings, GError ** error)
{
  CsLlfTable *table = cs_llf_take_table (plan->filter);
  float *luma, *filtered;
  gboolean ok;

  if (table->params.color_remapping == CS_LLF_RGB_DISTANCE)
    ok = cs_llf_colour_check_format (picture, error) &&
        warm_up_distances (plan, table, picture, error);
  else
    ok = cs_llf_colour_check_format (picture, error) &&
        cs_llf_warm_up (plan->filter, picture->width, picture->height,
        settings, error) && (picture->model != CS_PICTURE_RGB ||
        ensure_lumas (plan, picture, &luma, &filtered, error));
  cs_llf_table_unref (table);
  return ok;
}
