/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CUDA backend: memory, uploads, and runs that are repeated with more memory
 * when something did not fit. The host synchronises once a run. */
#include <string.h>

#include "base/cuda_base.h"
#include "base/cuda_copy.h"
#include "instances_cuda.cuh"

/* What frames begin with, of each object. */
#define SEGMENTS 512
#define POINTS 1024
#define RINGS 8

/**
 * InstancesCuda:
 * @pinned: CsInstancesPublished, @device_published to the GPU
 * @grids: the host's, which kernels read, or which are @uploaded
 * @fields, @coefficients: of the host, uploaded
 * @kept: counters and status, from frame to frame
 * @is_unknown: whether a frame has failed, so that the counters are not known
 * @scratch: all else; its sizes are the frame's
 * @used: by the last frame
 */
typedef struct
{
  cudaStream_t stream;
  CsCudaPinned pinned;
  CsInstancesPublished *published, *device_published;
  CsCudaPinned grids;
  CsCudaScratch uploaded, fields, coefficients, kept, scratch;
  gboolean is_unknown;
  CsCudaCopier copier;
  CsInstancesFrame frame;
  CsInstancesCounters used;
  gsize n_values;
} InstancesCuda;

static void
cuda_destroy (void *state)
{
  InstancesCuda *cuda = (InstancesCuda *) state;

  cs_cuda_copier_clear (&cuda->copier);
  cs_cuda_scratch_clear (&cuda->uploaded, cuda->stream);
  cs_cuda_scratch_clear (&cuda->fields, cuda->stream);
  cs_cuda_scratch_clear (&cuda->coefficients, cuda->stream);
  cs_cuda_scratch_clear (&cuda->scratch, cuda->stream);
  cs_cuda_scratch_clear (&cuda->kept, cuda->stream);
  cs_cuda_pinned_clear (&cuda->grids);
  cs_cuda_pinned_clear (&cuda->pinned);
  g_free (cuda);
}

static void *
cuda_create (CsExecutor * executor, GError ** error)
{
  InstancesCuda *cuda = g_new0 (InstancesCuda, 1);

  cuda->stream = (cudaStream_t) cs_executor_get_stream (executor);
  cuda->published = (CsInstancesPublished *) cs_cuda_pinned_ensure
      (&cuda->pinned, sizeof (CsInstancesPublished), error);
  if (cuda->published && cs_cuda_check (cudaHostGetDevicePointer ((void **)
              &cuda->device_published, cuda->published, 0),
          "map page-locked memory", error))
    return cuda;
  cuda_destroy (cuda);
  return NULL;
}

/* --- Memory --------------------------------------------------------------- */

static void
carve (InstancesCuda * cuda, CsCudaCarver * carver)
{
  CsInstancesFrame *f = &cuda->frame;
  const gsize n = f->max_segments;

  f->values = CS_CUDA_CARVE (carver, float, cuda->n_values);
  f->bits = CS_CUDA_CARVE (carver, uint32_t, f->n_words);
  f->word_base = CS_CUDA_CARVE (carver, uint32_t, f->n_words);
  f->segments = CS_CUDA_CARVE (carver, CsInstancesSegment, n);
  f->next = CS_CUDA_CARVE (carver, uint32_t, n);
  f->weights = CS_CUDA_CARVE (carver, uint32_t, n);
  f->leaders = CS_CUDA_CARVE (carver, uint32_t, n);
  f->ring_of = CS_CUDA_CARVE (carver, uint32_t, n);
  f->jumps = CS_CUDA_CARVE (carver, CsInstancesU64, 2 * n);
  f->points = CS_CUDA_CARVE (carver, float2, f->max_points);
  f->rings = CS_CUDA_CARVE (carver, CsInstancesCudaRing, f->max_rings);
}

/* Counters and status of @n objects: zeros at first, and when they are not
 * known. */
static gboolean
ensure_kept (InstancesCuda * cuda, gsize n, GError ** error)
{
  CsInstancesFrame *f = &cuda->frame;
  const gsize offset = 256, size = cuda->kept.size;
  guint8 *kept = (guint8 *) cs_cuda_scratch_ensure (&cuda->kept, offset +
      n * sizeof (CsInstancesStatus), cuda->stream, error);

  if (!kept)
    return FALSE;
  f->counters = (CsInstancesCounters *) kept;
  f->status = (CsInstancesStatus *) (kept + offset);
  if (cuda->kept.size == size && !cuda->is_unknown)
    return TRUE;
  memset (&f->base, 0, sizeof (f->base));
  cuda->is_unknown = TRUE;
  if (!cs_cuda_check (cudaMemsetAsync (kept, 0, cuda->kept.size, cuda->stream),
          "clear counters", error))
    return FALSE;
  cuda->is_unknown = FALSE;
  return TRUE;
}

/* Memory for @job. */
static gboolean
ensure (InstancesCuda * cuda, const CsInstancesJob * job, GError ** error)
{
  CsInstancesFrame *f = &cuda->frame;
  CsCudaCarver carver = { NULL, 0 };
  const gsize n = job->n_grids;

  if (job->n_values > G_MAXINT32 || job->n_words > G_MAXINT32)
    return cs_error (error, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT
        " samples of all objects are too many at once: the limit is 2^31",
        job->n_values);
  f->n_grids = (uint32_t) n;
  f->n_words = (uint32_t) job->n_words;
  cuda->n_values = job->n_values;
  f->max_segments = MAX (f->max_segments, (uint32_t) (n * SEGMENTS));
  f->max_points = MAX (f->max_points, (uint32_t) (n * POINTS));
  f->max_rings = MAX (f->max_rings, (uint32_t) (n * RINGS));
  f->max_contours = MAX (f->max_contours, (uint32_t) (n * RINGS));
  f->max_contour_points = MAX (f->max_contour_points, (uint32_t) (n * POINTS));
  do
    carve (cuda, &carver);
  while (cs_cuda_carve_again (&carver, &cuda->scratch, cuda->stream, error));
  return carver.base && ensure_kept (cuda, n, error);
}

static gboolean
cuda_warm_up (void *state, const CsInstancesJob * job, GError ** error)
{
  InstancesCuda *cuda = (InstancesCuda *) state;

  return ensure (cuda, job, error) && cs_cuda_pinned_ensure (&cuda->grids,
      job->n_grids * sizeof (CsInstancesGrid), error);
}

/* --- Input ---------------------------------------------------------------- */

static CsInstancesSamples
samples_of (const CsImage * image)
{
  const CsInstancesSamples samples = { (const uint8_t *) image->data,
    image->pixel_stride, image->row_stride, image->channel_stride,
    image->type == CS_SAMPLE_F16
  };

  return samples;
}

/* A view of @image on the device: of a copy, in one block, if it is the
 * host's. */
static gboolean
upload (InstancesCuda * cuda, const CsImage * image, CsCudaScratch * scratch,
    CsInstancesSamples * samples, GError ** error)
{
  const gsize size = cs_sample_size (image->type) +
      (image->width - 1) * image->pixel_stride +
      (image->height - 1) * image->row_stride +
      (image->channels - 1) * image->channel_stride;

  *samples = samples_of (image);
  if (image->memory == CS_MEMORY_DEVICE) {
    cs_instances_take (CS_INSTANCES_UPLOAD_NOTHING);
    return TRUE;
  }
  cs_instances_take (CS_INSTANCES_UPLOAD);
  samples->data = (const uint8_t *) cs_cuda_scratch_ensure (scratch, size,
      cuda->stream, error);
  return samples->data && cs_cuda_copy_bytes (&cuda->copier,
      (void *) samples->data, image->data, size, cuda->stream, error);
}

static gboolean
has_large_grid (const CsInstancesJob * job)
{
  for (gsize i = 0; i < job->n_grids; i++)
    if ((gsize) job->grids[i].x.n * job->grids[i].y.n > CS_INSTANCES_LARGE_GRID)
      return TRUE;
  return FALSE;
}

static gboolean
prepare_grids (InstancesCuda * cuda, const CsInstancesJob * job,
    GError ** error)
{
  const gsize size = job->n_grids * sizeof (CsInstancesGrid);
  CsInstancesFrame *f = &cuda->frame;
  void *from = cs_cuda_pinned_ensure (&cuda->grids, size, error), *to;

  if (!from)
    return FALSE;
  memcpy (from, job->grids, size);
  f->is_filled = has_large_grid (job);
  if (f->is_filled) {
    cs_instances_take (CS_INSTANCES_LARGE_GRIDS);
    to = cs_cuda_scratch_ensure (&cuda->uploaded, size, cuda->stream, error);
    if (!to || !cs_cuda_check (cudaMemcpyAsync (to, from, size,
                cudaMemcpyHostToDevice, cuda->stream), "upload objects", error))
      return FALSE;
  } else {
    cs_instances_take (CS_INSTANCES_SMALL_GRIDS);
    if (!cs_cuda_check (cudaHostGetDevicePointer (&to, from, 0),
            "map page-locked memory", error))
      return FALSE;
  }
  f->grids = (const CsInstancesGrid *) to;
  return TRUE;
}

static gboolean
prepare_input (InstancesCuda * cuda, const CsInstancesJob * job,
    GError ** error)
{
  const CsInstancesInput *input = job->input;
  CsInstancesFrame *f = &cuda->frame;

  f->grid_x = input->grid_x;
  f->grid_y = input->grid_y;
  f->width = job->width;
  f->height = job->height;
  f->field_width = input->fields.width;
  f->field_height = input->fields.height;
  f->resized_width = input->resized_width;
  f->resized_height = input->resized_height;
  f->level = job->params->level;
  f->tolerance = job->params->tolerance;
  f->min_area = job->params->min_area;
  f->measures = job->params->measures;
  f->first_id = input->first_id;
  f->n_coefficients = 0;
  if (input->coefficients) {
    f->n_coefficients = input->coefficients->width;
    if (!upload (cuda, input->coefficients, &cuda->coefficients,
            &f->coefficients, error))
      return FALSE;
  }
  return upload (cuda, &input->fields, &cuda->fields, &f->fields, error) &&
      prepare_grids (cuda, job, error);
}

/* --- Output --------------------------------------------------------------- */

static CsInstancesArrays
arrays_of (const CsInstancesFrame * f, guint8 * memory)
{
  CsInstancesArrays arrays = { NULL, NULL, NULL, NULL };
  CsContoursLayout layout;

  if (!memory)
    return arrays;
  cs_contours_layout (CS_POINTS_F32, f->measures, f->max_contours,
      f->max_contour_points, &layout);
  arrays.points = (float2 *) (memory + layout.points);
  arrays.offsets = (uint32_t *) (memory + layout.offsets);
  arrays.contours = (CsContour *) (memory + layout.contours);
  if (f->measures == CS_MEASURES_FULL)
    arrays.moments = (CsContourMoments *) (memory + layout.moments);
  return arrays;
}

static guint8 *
alloc_result (const CsInstancesFrame * f, CsContoursOutput * output,
    gboolean host, GError ** error)
{
  CsContoursLayout layout;

  cs_contours_layout (CS_POINTS_F32, f->measures, f->max_contours,
      f->max_contour_points, &layout);
  guint8 *memory = (guint8 *) output->alloc (output->user_data, layout.size,
      host);
  if (!memory)
    cs_fail_no_memory (error, "polygons of objects");
  return memory;
}

/* @host: what the caller reads; the GPU writes it, if it can. */
static gboolean
prepare_output (InstancesCuda * cuda, CsContoursOutput * output,
    CsInstancesArrays * host, GError ** error)
{
  CsInstancesFrame *f = &cuda->frame;
  guint8 *memory = alloc_result (f, output, FALSE, error);
  void *mapped = NULL;

  if (!memory)
    return FALSE;
  f->out = arrays_of (f, memory);
  f->host = *host = arrays_of (f, NULL);
  if (!output->want_host)
    return TRUE;
  memory = alloc_result (f, output, TRUE, error);
  if (!memory)
    return FALSE;
  *host = arrays_of (f, memory);
  if (CS_OR_FAULT (CS_FAULT_CUDA, cudaErrorInvalidValue,
          cudaHostGetDevicePointer (&mapped, memory, 0)) == cudaSuccess)
    f->host = arrays_of (f, (guint8 *) mapped);
  else
    cudaGetLastError ();
  return TRUE;
}

static gboolean
copy_to_host (InstancesCuda * cuda, void *to, const void *from, gsize size,
    GError ** error)
{
  return !to || size == 0 || cs_cuda_check (cudaMemcpyAsync (to, from, size,
          cudaMemcpyDeviceToHost, cuda->stream), "download polygons", error);
}

static gboolean
synchronize (InstancesCuda * cuda, GError ** error)
{
  return cs_cuda_check (cudaStreamSynchronize (cuda->stream),
      "find polygons on the GPU", error);
}

/* To host memory that the GPU cannot write. */
static gboolean
download (InstancesCuda * cuda, const CsInstancesArrays * host, GError ** error)
{
  const CsInstancesArrays *out = &cuda->frame.out;
  const gsize n = cuda->published->n_contours;

  return copy_to_host (cuda, host->points, out->points,
      cuda->published->n_points * sizeof (float2), error) &&
      copy_to_host (cuda, host->offsets, out->offsets,
      (n + 1) * sizeof (guint32), error) &&
      copy_to_host (cuda, host->contours, out->contours,
      n * sizeof (CsContour), error) &&
      copy_to_host (cuda, host->moments, out->moments,
      n * sizeof (CsContourMoments), error) && synchronize (cuda, error);
}

static void
fill_output (const InstancesCuda * cuda, const CsInstancesArrays * host,
    CsContoursOutput * output)
{
  const CsInstancesPublished *published = cuda->published;
  const CsInstancesArrays *out = &cuda->frame.out;

  output->n_contours = published->n_contours;
  output->n_points = published->n_points;
  output->n_segments = published->n_points - published->n_contours;
  output->n_dropped = published->n_dropped;
  output->points = host->points;
  output->offsets = host->offsets;
  output->contours = host->contours;
  output->moments = host->moments;
  output->device_points = out->points;
  output->device_offsets = out->offsets;
  output->device_contours = out->contours;
  output->device_moments = out->moments;
}

/* --- Runs ----------------------------------------------------------------- */

/* Whether @needed elements have room; else @max is more than that. */
static gboolean
fits (guint64 needed, uint32_t * max, guint way)
{
  if (needed <= *max)
    return TRUE;
  cs_instances_take (way);
  *max = (uint32_t) MIN (needed + needed / 4, G_MAXINT32);
  return FALSE;
}

/* Looks at what the frame has needed. Returns: whether it had room */
static gboolean
had_room (InstancesCuda * cuda)
{
  const CsInstancesPublished *published = cuda->published;
  const CsInstancesCounters *counters = &cuda->used;
  CsInstancesFrame *f = &cuda->frame;

  gboolean all = fits (counters->segments, &f->max_segments,
      CS_INSTANCES_GROW_SEGMENTS);

  all &= fits (counters->rings, &f->max_rings, CS_INSTANCES_GROW_RINGS);
  all &= fits (counters->points, &f->max_points, CS_INSTANCES_GROW_POINTS);
  /* known only if all of that had room */
  return all && fits (published->n_contours, &f->max_contours,
      CS_INSTANCES_GROW_RESULT) && fits (published->n_points,
      &f->max_contour_points, CS_INSTANCES_GROW_RESULT);
}

/* What the frame has taken of common memory. */
static void
read_counters (InstancesCuda * cuda)
{
  const CsInstancesCounters *now = &cuda->published->counters;
  CsInstancesCounters *base = &cuda->frame.base;

  cuda->used.segments = now->segments - base->segments;
  cuda->used.points = now->points - base->points;
  cuda->used.rings = now->rings - base->rings;
  *base = *now;
  cuda->is_unknown = FALSE;
}

static gboolean
check_result (const InstancesCuda * cuda, const CsInstancesJob * job,
    GError ** error)
{
  const CsInstancesPublished *published = cuda->published;
  const CsInstancesCounters *used = &cuda->used;

  return cs_instances_check_result (job->input, MAX (used->rings,
          published->n_contours), MAX (MAX (used->points, used->segments),
          published->n_points), error);
}

static gboolean
launch (InstancesCuda * cuda, const CsInstancesJob * job,
    CsContoursOutput * output, CsInstancesArrays * host, GError ** error)
{
  CsInstancesFrame *f = &cuda->frame;

  f->published = cuda->device_published;
  if (++f->epoch == 0) {
    f->epoch = 1;
    cuda->is_unknown = TRUE;
  }
  if (!ensure (cuda, job, error) || !prepare_output (cuda, output, host, error))
    return FALSE;
  cuda->is_unknown = TRUE;
  if ((f->is_filled && !cs_instances_cuda_fill (f, cuda->stream, error)) ||
      !cs_instances_cuda_trace (f, cuda->stream, error) ||
      !synchronize (cuda, error))
    return FALSE;
  read_counters (cuda);
  return check_result (cuda, job, error);
}

/* Nothing is queued on return, whatever has failed. */
static gboolean
give_up (InstancesCuda * cuda)
{
  if (cudaStreamSynchronize (cuda->stream) != cudaSuccess)
    cudaGetLastError ();
  return FALSE;
}

/* Without objects: arrays of nothing. */
static gboolean
run_none (InstancesCuda * cuda, CsContoursOutput * output, GError ** error)
{
  CsInstancesArrays host;

  memset (cuda->published, 0, sizeof (*cuda->published));
  if (!prepare_output (cuda, output, &host, error) ||
      !cs_cuda_check (cudaMemsetAsync (cuda->frame.out.offsets, 0,
              sizeof (guint32), cuda->stream), "clear offsets", error))
    return FALSE;
  if (host.offsets)
    host.offsets[0] = 0;
  fill_output (cuda, &host, output);
  return synchronize (cuda, error);
}

static gboolean
cuda_run (void *state, const CsInstancesJob * job, CsContoursOutput * output,
    GError ** error)
{
  InstancesCuda *cuda = (InstancesCuda *) state;
  CsInstancesArrays host;

  cuda->frame.measures = job->params->measures;
  if (job->n_grids == 0)
    return run_none (cuda, output, error) || give_up (cuda);
  if (!prepare_input (cuda, job, error))
    return give_up (cuda);
  do {
    if (!launch (cuda, job, output, &host, error))
      return give_up (cuda);
  } while (!had_room (cuda));
  if (output->want_host && !cuda->frame.host.offsets &&
      !download (cuda, &host, error))
    return give_up (cuda);
  fill_output (cuda, &host, output);
  return TRUE;
}

extern "C" const CsInstancesBackend cs_instances_cuda_backend = {
  cuda_create,
  cuda_warm_up,
  cuda_run,
  cuda_destroy,
};
