/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: the plan, what it reads and writes, and its run. */
#include "contours_cuda_plan.cuh"

#include <math.h>
#include <string.h>

#include "base/cuda_base.h"
#include "base/cuda_memory.h"
#include "base/memory.h"
#include "contours_private.h"

/* Initial capacity: one segment for so many cells; grows on overflow. */
#define CELLS_PER_SEGMENT 12
#define MIN_SEGMENTS 4096
/* Limit of counts and keys. */
#define MAX_SEGMENTS (G_GUINT64_CONSTANT (1) << 31)

/* Shape */

static gboolean
shape_fits (const Shape * have, const Shape * want)
{
  return have->type == want->type &&
      have->user_type == want->user_type && have->width == want->width &&
      have->height == want->height &&
      have->capacity.segments >= want->capacity.segments &&
      have->capacity.fragments >= want->capacity.fragments &&
      have->capacity.contours >= want->capacity.contours &&
      have->capacity.points >= want->capacity.points;
}

static void
reset_shape (CsContoursCuda * cuda)
{
  memset (&cuda->shape, 0, sizeof (cuda->shape));
}

/* Initial guess; grows on overflow. */
static void
guess_capacity (CsContoursCuda * cuda, const CsImage * image)
{
  const CsContoursParams *params = &cuda->plan->params;
  const gsize n_cells = (gsize) (image->width - 1) * (image->height - 1) *
      params->n_targets;
  gsize n = params->max_segments;
  Capacity *wanted = &cuda->wanted;

  if (n == 0)
    n = MAX (n_cells / CELLS_PER_SEGMENT, MIN_SEGMENTS);
  n = MIN (n, MIN (2 * n_cells, MAX_SEGMENTS - 1));
  wanted->segments = MAX (wanted->segments, n);
  wanted->fragments = MAX (wanted->fragments, n / 4 + 256);
  wanted->contours = MAX (wanted->contours, n / 8 + 64);
  wanted->points = MAX (wanted->points, n + n / 8 + 64);
}

static gsize
with_margin (gsize n)
{
  return MIN (n + n / 4 + 64, MAX_SEGMENTS);
}

static void
grow_capacity (CsContoursCuda * cuda)
{
  const CsCounters *counters = &cuda->published->counters;
  const Capacity *have = &cuda->shape.capacity;
  Capacity *wanted = &cuda->wanted;

  if (counters->n_segments > have->segments) {
    cs_contours_take (CS_CONTOURS_GROW_SEGMENTS);
    wanted->segments = with_margin (counters->n_segments);
    wanted->points = MAX (wanted->points, with_margin (wanted->segments));
  }
  if (counters->n_fragments > have->fragments) {
    cs_contours_take (CS_CONTOURS_GROW_FRAGMENTS);
    wanted->fragments = with_margin (counters->n_fragments);
  }
  if (counters->n_raw_contours > have->contours) {
    cs_contours_take (CS_CONTOURS_GROW_CONTOURS);
    wanted->contours = with_margin (counters->n_raw_contours);
  }
  if (counters->n_raw_points > have->points) {
    cs_contours_take (CS_CONTOURS_GROW_POINTS);
    wanted->points = with_margin (counters->n_raw_points);
  }
}

static gboolean
check_limits (const CsContoursCuda * cuda, const CsImage * image,
    GError ** error)
{
  const guint64 n_tiles = (guint64) ((image->width + CS_TILE - 2) / CS_TILE) *
      ((image->height + CS_TILE - 2) / CS_TILE) * cuda->plan->params.n_targets;

  if (n_tiles * CS_TILE < G_MAXINT32)
    return TRUE;
  return cs_error (error, CS_ERROR_LIMIT, "%u x %u pixels with %u levels are "
      "too many at once for the GPU: use fewer levels", image->width,
      image->height, cuda->plan->params.n_targets);
}

static gboolean
ensure_shape (CsContoursCuda * cuda, const CsContoursView * view,
    GError ** error)
{
  const CsImage *image = &view->input.image;
  Shape shape = { image->type, view->type, image->width, image->height,
    { 0, }
  };

  if (!check_limits (cuda, image, error))
    return FALSE;
  guess_capacity (cuda, image);
  shape.capacity = cuda->wanted;
  if (shape_fits (&cuda->shape, &shape))
    return TRUE;
  reset_shape (cuda);
  if (!cs_contours_cuda_make_scratch (cuda, &shape, error) ||
      !cs_contours_cuda_make_graphs (cuda, error))
    return FALSE;
  cuda->shape = shape;
  return TRUE;
}

/* Input */

/* The plan's sources and members on the device. */
static gboolean
upload_sources (CsContoursCuda * cuda, const CsPlaneSource ** sources,
    const guint32 ** members, GError ** error)
{
  const CsContoursPlanes *planes = &cuda->plan->planes;
  const gsize size = planes->n_planes * sizeof (CsPlaneSource);
  const gsize members_size = planes->n_members * sizeof (guint32);
  const gboolean again = cuda->sources.data != NULL;
  guint8 *data = (guint8 *) cs_cuda_scratch_ensure (&cuda->sources,
      size + members_size, cuda->stream, error);

  *sources = (const CsPlaneSource *) data;
  *members = (const guint32 *) (data + size);
  if (!data || again)
    return data != NULL;
  if (cs_cuda_check (cudaMemcpyAsync (data, planes->sources, size,
              cudaMemcpyHostToDevice, cuda->stream), "upload groups", error) &&
      cs_cuda_check (cudaMemcpyAsync (data + size, planes->members,
              members_size, cudaMemcpyHostToDevice, cuda->stream),
          "upload groups", error))
    return TRUE;
  cs_cuda_scratch_clear (&cuda->sources, cuda->stream);
  return FALSE;
}

/* Memory for @planes; @sums is %NULL if there is nothing to add up. */
static gboolean
ensure_planes (CsContoursCuda * cuda, CsImage * planes, guint border,
    double **sums, GError ** error)
{
  const gsize size =
      (planes->channels * planes->channel_stride + 255) / 256 * 256;
  const gsize n_sums = cuda->plan->params.adaptive_window == 0 ? 0 :
      (gsize) (planes->width - 2 * border) * (planes->height - 2 * border);

  planes->memory = CS_MEMORY_DEVICE;
  planes->data = cs_cuda_scratch_ensure (&cuda->planes,
      size + n_sums * sizeof (double), cuda->stream, error);
  *sums = n_sums ? (double *) ((guint8 *) planes->data + size) : NULL;
  return planes->data != NULL;
}

static gboolean
contours_cuda_derive (void *state, CsContoursView * view, GError ** error)
{
  CsContoursCuda *cuda = (CsContoursCuda *) state;
  CsImage mask, *planes = &view->planes;
  const CsPlaneSource *sources;
  const guint32 *members;
  double *sums;

  if (!upload_sources (cuda, &sources, &members, error) ||
      !ensure_planes (cuda, planes, view->border, &sums, error) ||
      !cs_contours_cuda_follow (cuda, error) ||
      !cs_contours_derive (cs_contours_cuda_stream (cuda), cuda->plan,
          &view->input.image, view->border, sources, members, sums, planes,
          error))
    return FALSE;
  if (!view->input.mask || view->border == 0)
    return TRUE;
  mask = *view->input.mask;
  view->input.mask = &view->mask;
  view->mask = cs_image_gray (cs_cuda_scratch_ensure (&cuda->bordered_mask,
          (gsize) planes->width * planes->height, cuda->stream, error),
      CS_SAMPLE_U8, planes->width, planes->height, planes->width);
  view->mask.memory = CS_MEMORY_DEVICE;
  return view->mask.data && cs_contours_cuda_follow (cuda, error) &&
      cs_contours_copy_mask (cs_contours_cuda_stream (cuda), &mask,
      view->border, &view->mask, error);
}

static void
prepare_input (CsContoursCuda * cuda, const CsContoursView * view)
{
  const CsContoursInput *input = &view->input;
  const CsImage *image = &input->image;
  CsFrame *f = &cuda->frame;

  f->samples = (const uint8_t *) image->data;
  f->pixel_stride = image->pixel_stride;
  f->row_stride = image->row_stride;
  f->channel_stride = image->channel_stride;
  f->planes = (const uint8_t *) view->planes.data;
  f->mask = input->mask ? (const uint8_t *) input->mask->data : NULL;
  f->mask_pixel_stride = input->mask ? input->mask->pixel_stride : 0;
  f->mask_row_stride = input->mask ? input->mask->row_stride : 0;
  f->border = view->border;
  f->origin_x = (double) input->origin_x;
  f->origin_y = (double) input->origin_y;
  f->first_id = input->first_id;
  f->image_index = input->image_index;
}

/* Output */

static void
set_arrays (const CsContoursCuda * cuda, guint8 * memory, CsArrays * arrays)
{
  const CsContoursParams *params = &cuda->plan->params;
  CsContoursLayout layout;

  memset (arrays, 0, sizeof (*arrays));
  if (!memory)
    return;
  cs_contours_layout (params->points, params->measures,
      cuda->shape.capacity.contours, cuda->shape.capacity.points, &layout);
  if (params->points != CS_POINTS_NONE)
    arrays->points = memory + layout.points;
  arrays->offsets = (uint32_t *) (memory + layout.offsets);
  arrays->contours = (CsContour *) (memory + layout.contours);
  if (params->measures == CS_MEASURES_FULL)
    arrays->moments = (CsContourMoments *) (memory + layout.moments);
}

static guint8 *
alloc_result (const CsContoursCuda * cuda, CsContoursOutput * output,
    gboolean host, GError ** error)
{
  CsContoursLayout layout;
  guint8 *memory;

  cs_contours_layout (cuda->plan->params.points, cuda->plan->params.measures,
      cuda->shape.capacity.contours, cuda->shape.capacity.points, &layout);
  memory = (guint8 *) output->alloc (output->user_data, layout.size, host);
  if (!memory)
    g_set_error (error, CS_ERROR, CS_ERROR_NO_MEMORY,
        "no memory for a result of %" G_GSIZE_FORMAT " bytes", layout.size);
  return memory;
}

static gboolean
prepare_output (CsContoursCuda * cuda, CsContoursOutput * output,
    GError ** error)
{
  CsArrays *host = &cuda->to_host;
  CsFrame *f = &cuda->frame;
  guint8 *memory = alloc_result (cuda, output, FALSE, error);
  void *mapped = NULL;

  if (!memory)
    return FALSE;
  set_arrays (cuda, memory, &f->out);
  if (!f->late_filter) {
    if (f->out.points)
      f->raw.points = f->out.points;
    f->raw.offsets = f->out.offsets;
    f->raw.contours = f->out.contours;
    f->raw.moments = f->out.moments;
  }

  memset (host, 0, sizeof (*host));
  memset (&f->host, 0, sizeof (f->host));
  if (!output->want_host)
    return TRUE;
  memory = alloc_result (cuda, output, TRUE, error);
  if (!memory)
    return FALSE;
  set_arrays (cuda, memory, host);
  /* not mapped on the GPU: downloaded afterwards */
  if (CS_OR_FAULT (CS_FAULT_CUDA, cudaErrorInvalidValue,
          cudaHostGetDevicePointer (&mapped, memory, 0)) == cudaSuccess)
    set_arrays (cuda, (guint8 *) mapped, &f->host);
  else
    cudaGetLastError ();
  return TRUE;
}

/* Launch */

static gboolean
synchronize (CsContoursCuda * cuda, GError ** error)
{
  return cs_cuda_check (cudaStreamSynchronize (cs_contours_cuda_stream (cuda)),
      "find contours on the GPU", error);
}

static gboolean
copy_to_host (CsContoursCuda * cuda, void *to, const void *from, gsize size,
    GError ** error)
{
  return !to || size == 0 || cs_cuda_check (cudaMemcpyAsync (to, from, size,
          cudaMemcpyDeviceToHost, cuda->stream), "download contours", error);
}

/* For host memory that is not mapped on the GPU. */
static gboolean
download (CsContoursCuda * cuda, GError ** error)
{
  const CsFrame *f = &cuda->frame;
  const CsArrays *host = &cuda->to_host;
  const gsize n = cuda->published->counters.n_contours;

  cs_contours_take (CS_CONTOURS_DOWNLOAD);
  return copy_to_host (cuda, host->points, f->out.points,
      cuda->published->counters.n_points * f->point_size, error) &&
      copy_to_host (cuda, host->offsets, f->out.offsets,
      (n + 1) * sizeof (guint32), error) &&
      copy_to_host (cuda, host->contours, f->out.contours,
      n * sizeof (CsContour), error) &&
      copy_to_host (cuda, host->moments, f->out.moments,
      n * sizeof (CsContourMoments), error) && synchronize (cuda, error);
}

static void
fill_output (const CsContoursCuda * cuda, CsContoursOutput * output)
{
  const CsArrays *host = &cuda->to_host;
  const CsCounters *counters = &cuda->published->counters;
  const CsArrays *device = &cuda->frame.out;

  output->n_contours = counters->n_contours;
  output->n_points = counters->n_points;
  output->n_segments = counters->n_segments;
  output->n_dropped = counters->n_dropped;
  output->n_overwritten = counters->n_overwritten;
  output->points = host->points;
  output->offsets = host->offsets;
  output->contours = host->contours;
  output->moments = host->moments;
  output->device_points = device->points;
  output->device_offsets = device->offsets;
  output->device_contours = device->contours;
  output->device_moments = device->moments;
}

static gboolean
check_segments (const CsContoursCuda * cuda, const CsImage * image,
    GError ** error)
{
  const guint64 n = cuda->published->counters.n_segments;

  if (!cs_contours_check_cost (cuda->plan, image, n, error))
    return FALSE;
  if (n < MAX_SEGMENTS)
    return TRUE;
  return cs_error (error, CS_ERROR_LIMIT, "%" G_GUINT64_FORMAT
      " segments: there must be fewer than 2^31", n);
}

/* Queues the frame. */
static gboolean
launch_frame (CsContoursCuda * cuda, const CsContoursView * view,
    CsContoursOutput * output, GError ** error)
{
  if (!ensure_shape (cuda, view, error))
    return FALSE;
  prepare_input (cuda, view);
  return prepare_output (cuda, output, error) &&
      cs_contours_cuda_follow (cuda, error) &&
      cs_contours_cuda_launch (cuda, error);
}

/* Waits for the frame. */
static gboolean
complete_frame (CsContoursCuda * cuda, const CsContoursView * view,
    CsContoursOutput * output, gboolean * again, GError ** error)
{
  if (!synchronize (cuda, error) ||
      !check_segments (cuda, &view->input.image, error))
    return FALSE;
  *again = cuda->published->overflow != 0;
  if (*again) {
    grow_capacity (cuda);
    return TRUE;
  }
  cuda->n_contours = cuda->published->counters.n_contours;
  if (output->want_host && !cuda->frame.host.offsets && !download (cuda, error))
    return FALSE;
  fill_output (cuda, output);
  return TRUE;
}

/* Of a frame that has failed: nothing reads or writes its memory any more, and
 * the next one starts anew. */
static gboolean
give_up (CsContoursCuda * cuda)
{
  cs_contours_cuda_drain (cuda);
  reset_shape (cuda);
  return FALSE;
}

static gboolean
contours_cuda_start (void *state, const CsContoursView * view,
    CsContoursOutput * output, GError ** error)
{
  CsContoursCuda *cuda = (CsContoursCuda *) state;

  return launch_frame (cuda, view, output, error) || give_up (cuda);
}

static gboolean
contours_cuda_finish (void *state, const CsContoursView * view,
    CsContoursOutput * output, gboolean * again, GError ** error)
{
  CsContoursCuda *cuda = (CsContoursCuda *) state;

  return complete_frame (cuda, view, output, again, error) || give_up (cuda);
}

/* Again after each overflow of scratch. */
static gboolean
contours_cuda_run (void *state, const CsContoursView * view,
    CsContoursOutput * output, GError ** error)
{
  CsContoursCuda *cuda = (CsContoursCuda *) state;
  gboolean again;

  cs_contours_cuda_place (&cuda, 1);
  do {
    if (!contours_cuda_start (state, view, output, error) ||
        !contours_cuda_finish (state, view, output, &again, error))
      return FALSE;
  } while (again);
  return TRUE;
}

/* Warm-up */

typedef struct
{
  CsContoursCuda *cuda;
  CsCudaScratch memory;
} WarmUp;

static void *
warm_up_alloc (void *user_data, gsize size, gboolean host)
{
  WarmUp *warm_up = (WarmUp *) user_data;

  return cs_cuda_scratch_ensure (&warm_up->memory, size,
      warm_up->cuda->stream, NULL);
}

/* Room for what is uploaded, and planes. */
static gboolean
warm_up_memory (CsContoursCuda * cuda, const CsContoursView * view,
    gboolean upload, GError ** error)
{
  const CsImage *image = &view->input.image;
  CsImage planes = view->planes;
  double *sums;

  if (planes.width && !ensure_planes (cuda, &planes, view->border, &sums,
          error))
    return FALSE;
  return !upload || cs_cuda_scratch_ensure (&cuda->staging,
      (image->height - 1) * image->row_stride +
      (image->channels - 1) * image->channel_stride +
      (image->width - 1) * image->pixel_stride +
      cs_sample_size (image->type), cuda->stream, error);
}

/* Runs a black frame of the same shape. */
static gboolean
contours_cuda_warm_up (void *state, const CsContoursView * view,
    GError ** error)
{
  CsContoursCuda *cuda = (CsContoursCuda *) state;
  WarmUp warm_up = { cuda, { NULL, 0 } };
  CsContoursView frame = *view;
  CsImage *image = &frame.input.image;
  const gsize size = cs_sample_size (image->type);
  const gsize plane = (gsize) image->width * image->height * size;
  /* planes are of the same width, and of this type or single precision */
  const gsize all = MAX (plane, view->planes.channels *
      view->planes.channel_stride);
  CsCudaScratch black = { NULL, 0 };
  CsContoursOutput output = { warm_up_alloc, &warm_up, FALSE };
  gboolean ok;

  image->data = cs_cuda_scratch_ensure (&black, all, cuda->stream, error);
  image->memory = CS_MEMORY_DEVICE;
  image->pixel_stride = size;
  image->row_stride = image->width * size;
  image->channel_stride = 0;
  frame.planes.data = image->data;
  ok = image->data && cs_cuda_check (cudaMemsetAsync (black.data, 0, all,
          cuda->stream), "clear device memory", error) &&
      contours_cuda_run (cuda, &frame, &output, error) &&
      warm_up_memory (cuda, view, view->input.image.memory !=
      CS_MEMORY_DEVICE, error);
  cs_cuda_scratch_clear (&black, cuda->stream);
  cs_cuda_scratch_clear (&warm_up.memory, cuda->stream);
  return ok;
}

/* Plan */

static void
contours_cuda_destroy (void *state)
{
  CsContoursCuda *cuda = (CsContoursCuda *) state;

  cs_cuda_graph_clear (&cuda->general.graph);
  cs_cuda_graph_clear (&cuda->direct.graph);
  cs_cuda_scratch_clear (&cuda->scratch, cuda->stream);
  cs_contours_cuda_clear_upload (cuda);
  cs_contours_cuda_clear_beside (cuda);
  cs_cuda_scratch_clear (&cuda->planes, cuda->stream);
  cs_cuda_scratch_clear (&cuda->sources, cuda->stream);
  cs_cuda_scratch_clear (&cuda->bordered_mask, cuda->stream);
  cs_cuda_pinned_free (cuda->published, NULL);
  g_free (cuda);
}

/* Whether filters depend on measures, or dropped contours may be parents. */
static gboolean
needs_late_filter (const CsContoursParams * params)
{
  return params->min_area > 0. || params->max_area < INFINITY ||
      cs_contours_have_area_limits (params) ||
      (params->hierarchy && params->min_points > 2);
}

static void
contours_cuda_update (void *state)
{
  CsContoursCuda *cuda = (CsContoursCuda *) state;
  const CsContoursParams *params = &cuda->plan->params;

  if (cuda->late_filter != needs_late_filter (params) ||
      params->n_targets > CS_INLINE_TARGETS) {
    reset_shape (cuda);
    cs_contours_take (CS_CONTOURS_UPDATE_SHAPE);
  } else {
    cs_contours_take (CS_CONTOURS_UPDATE);
  }
  cuda->late_filter = needs_late_filter (params);
  cs_contours_cuda_fill_scalars (cuda);
}

static void *
contours_cuda_create (const CsContours * plan, GError ** error)
{
  CsContoursCuda *cuda = g_new0 (CsContoursCuda, 1);
  int n_processors = 0;

  cs_array_init (&cuda->parts, sizeof (CsCudaPart));
  cuda->plan = plan;
  cuda->stream = (cudaStream_t) cs_executor_get_stream (plan->executor);
  cuda->late_filter = needs_late_filter (&plan->params);
  if (!cs_cuda_get_attribute (cudaDevAttrMultiProcessorCount, &n_processors,
          error) ||
      !(cuda->published = (CsPublished *) cs_cuda_pinned_alloc (sizeof
              (CsPublished), error)) ||
      !cs_cuda_check (cudaHostGetDevicePointer ((void **)
              &cuda->device_published, cuda->published, 0),
          "map page-locked memory", error)) {
    contours_cuda_destroy (cuda);
    return NULL;
  }
  cuda->n_processors = (guint) n_processors;
  return cuda;
}

extern "C" const CsContoursBackend cs_contours_cuda_backend = {
  contours_cuda_create,
  contours_cuda_update,
  contours_cuda_warm_up,
  contours_cuda_derive,
  contours_cuda_run,
  contours_cuda_destroy,
  cs_contours_cuda_upload,
  contours_cuda_start,
  cs_contours_cuda_join,
  contours_cuda_finish,
};

extern "C" double
cs_contours_cuda_replay (CsContours * plan, guint n)
{
  CsContoursCuda *cuda = (CsContoursCuda *) plan->states[0];
  cudaEvent_t begin = NULL, end = NULL;
  float milliseconds = 0.f;
  gboolean ok = cuda->shape.width != 0 &&
      cs_cuda_check (cudaEventCreate (&begin), "", NULL) &&
      cs_cuda_check (cudaEventCreate (&end), "", NULL) &&
      cs_contours_cuda_launch (cuda, NULL) &&
      cs_cuda_check (cudaEventRecord (begin, cuda->stream), "", NULL);

  for (guint i = 0; i < n && ok; i++)
    ok = cs_contours_cuda_launch (cuda, NULL);
  ok = ok && cs_cuda_check (cudaEventRecord (end, cuda->stream), "", NULL) &&
      cs_cuda_check (cudaEventSynchronize (end), "", NULL) &&
      cs_cuda_check (cudaEventElapsedTime (&milliseconds, begin, end), "",
      NULL);
  if (begin)
    cs_cuda_check (cudaEventDestroy (begin), "", NULL);
  if (end)
    cs_cuda_check (cudaEventDestroy (end), "", NULL);
  return ok && n ? 1000. * milliseconds / n : -1.;
}
