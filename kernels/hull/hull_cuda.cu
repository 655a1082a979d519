/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CUDA backend: dispatch, and the memory of results. */
#include "hull_cuda.cuh"

#include "base/cuda_memory.h"
#include "base/memory.h"

/* Results up to this size are downloaded in one copy. */
#define SMALL_RESULT 65536

static void
cuda_destroy (void *state)
{
  HullCuda *cuda = (HullCuda *) state;

  cs_cuda_scratch_clear (&cuda->input, cuda->stream);
  cs_cuda_scratch_clear (&cuda->set, cuda->stream);
  cs_cuda_scratch_clear (&cuda->lists, cuda->stream);
  cs_cuda_scratch_clear (&cuda->batch, cuda->stream);
  cs_cuda_scratch_clear (&cuda->places, cuda->stream);
  cs_cuda_scratch_clear (&cuda->classes, cuda->stream);
  cs_cuda_scratch_clear (&cuda->large, cuda->stream);
  cs_cuda_scratch_clear (&cuda->mask, cuda->stream);
  cs_cuda_copier_clear (&cuda->copier);
  cs_hull_cuda_batch_clear (cuda);
  if (cuda->header)
    cs_cuda_pinned_free (cuda->header, NULL);
  g_free (cuda);
}

static void *
cuda_create (const CsHull * plan, GError ** error)
{
  HullCuda *cuda = g_new0 (HullCuda, 1);
  int n = 0, cooperative = 0;

  cuda->params = &plan->params;
  cuda->stream = (cudaStream_t) cs_executor_get_stream (plan->executor);
  if (!cs_cuda_get_attribute (cudaDevAttrMultiProcessorCount, &n, error) ||
      !cs_cuda_get_attribute (cudaDevAttrCooperativeLaunch, &cooperative,
          error) ||
      !cs_hull_cuda_batch_init (cuda, error) ||
      !(cuda->header = (HullHeader *) cs_cuda_pinned_alloc (2 *
              sizeof (HullHeader), error))) {
    cuda_destroy (cuda);
    return NULL;
  }
  cuda->n_multiprocessors = n;
  cuda->n_resident = cooperative ? n : 1;
  return cuda;
}

/* --- Input ---------------------------------------------------------------- */

/* The input in device memory; uploads host memory. */
static gboolean
prepare_points (HullCuda * cuda, const CsHullInput * input, HullJob * job,
    GError ** error)
{
  const gsize n_sets = input->offsets ? input->n_polylines : 0;
  CsCudaCarver carver = { NULL, 0 };
  guint8 *points;
  guint32 *offsets;
  CsContour *contours;

  job->source.points = (const guint8 *) input->points;
  job->source.stride = input->stride;
  job->source.type = input->type;
  job->n = input->n_points;
  job->offsets = input->offsets;
  job->contours = input->contours;
  if (input->memory == CS_MEMORY_DEVICE)
    return TRUE;

  do {
    points = CS_CUDA_CARVE (&carver, guint8, input->n_points * input->stride);
    offsets = CS_CUDA_CARVE (&carver, guint32, n_sets + 1);
    contours = CS_CUDA_CARVE (&carver, CsContour, n_sets);
  } while (cs_cuda_carve_again (&carver, &cuda->input, cuda->stream, error));
  if (!carver.base)
    return FALSE;
  /* no padding after the last point */
  if (input->n_points > 0 && !cs_cuda_copy_bytes (&cuda->copier, points,
          input->points, (input->n_points - 1) * input->stride +
          cs_hull_type_size (input->type), cuda->stream, error))
    return FALSE;
  job->source.points = points;
  if (input->offsets) {
    if (!cs_cuda_copy_bytes (&cuda->copier, offsets, input->offsets,
            (n_sets + 1) * sizeof (guint32), cuda->stream, error))
      return FALSE;
    job->offsets = offsets;
  }
  if (input->offsets && input->contours) {
    if (!cs_cuda_copy_bytes (&cuda->copier, contours, input->contours,
            n_sets * sizeof (CsContour), cuda->stream, error))
      return FALSE;
    job->contours = contours;
  }
  return TRUE;
}

/* --- Output --------------------------------------------------------------- */

/**
 * Result:
 * @type: of the input
 * @max_hulls: capacity in hulls
 * @layout: of both blocks
 * @device, @host: the blocks; @host %NULL if not requested
 * @copied: points downloaded so far
 */
typedef struct
{
  CsHullType type;
  gsize max_hulls;
  CsHullLayout layout;
  guint8 *device, *host;
  gsize copied;
} Result;

static gboolean
get_block (CsHullOutput * output, gsize size, gboolean host, guint8 ** block,
    GError ** error)
{
  *block = (guint8 *) output->alloc (output->user_data, size, host);
  if (*block)
    return TRUE;
  return cs_error (error, CS_ERROR_NO_MEMORY, "no %" G_GSIZE_FORMAT
      " bytes for the hulls%s", size, host ? " on the host" : "");
}

/* Allocates the result for @capacity points, and lets @job write to it. */
static gboolean
prepare_result (HullCuda * cuda, Result * result, CsHullOutput * output,
    HullJob * job, gsize capacity, GError ** error)
{
  const CsHullParams *params = cuda->params;
  CsHullLayout *layout = &result->layout;

  cs_hull_layout (params, result->type, result->max_hulls, capacity, layout);
  if (!get_block (output, layout->size, FALSE, &result->device, error))
    return FALSE;
  result->host = NULL;
  if (output->want_host && !get_block (output, layout->size, TRUE,
          &result->host, error))
    return FALSE;
  result->copied = 0;
  job->capacity = capacity;
  job->out_offsets = (guint32 *) (result->device + layout->offsets);
  job->out_hulls = (CsContour *) (result->device + layout->hulls);
  job->out_features = params->measures == CS_MEASURES_FULL ?
      (CsHullFeatures *) (result->device + layout->features) : NULL;
  job->out_points = result->device + layout->points;
  job->out_indices = (guint32 *) (result->device + layout->indices);
  return TRUE;
}

static gboolean
copy_to_host (HullCuda * cuda, const Result * result, gsize at, gsize size,
    GError ** error)
{
  return size == 0 || cs_cuda_check (cudaMemcpyAsync (result->host + at,
          result->device + at, size, cudaMemcpyDeviceToHost, cuda->stream),
      "download hulls", error);
}

/* Queues the download of points result->copied .. n - 1; the first time also of
 * everything else. */
static gboolean
download (HullCuda * cuda, Result * result, gsize n, GError ** error)
{
  const gsize size = cs_hull_returned_size (cuda->params, result->type);
  const CsHullLayout *layout = &result->layout;
  const gsize first = result->copied;

  if (!result->host)
    return TRUE;
  /* one copy if everything is small */
  if (first == 0 && layout->size <= SMALL_RESULT) {
    result->copied = G_MAXUINT32;
    cs_hull_take (CS_HULL_DOWNLOAD_ALL);
    return copy_to_host (cuda, result, 0, layout->size, error);
  }
  if (first == 0 && !copy_to_host (cuda, result, 0, layout->points, error))
    return FALSE;
  if (n <= first)
    return TRUE;
  result->copied = n;
  cs_hull_take (first == 0 ? CS_HULL_DOWNLOAD_PARTS : CS_HULL_DOWNLOAD_REST);
  return copy_to_host (cuda, result, layout->points + first * size,
      (n - first) * size, error) && (!cuda->params->indices ||
      copy_to_host (cuda, result, layout->indices + first * sizeof (guint32),
          (n - first) * sizeof (guint32), error));
}

static gboolean
synchronise (HullCuda * cuda, GError ** error)
{
  return cs_cuda_check (cudaStreamSynchronize (cuda->stream), "find hulls",
      error);
}

static void
publish (HullCuda * cuda, const Result * result, const HullJob * job,
    CsHullOutput * output)
{
  output->n_hulls = job->header->n_hulls;
  output->n_points = job->header->n_points;
  output->n_ignored = job->header->n_ignored;
  output->device_offsets = job->out_offsets;
  output->device_hulls = job->out_hulls;
  output->device_features = job->out_features;
  output->device_points = cuda->params->points != CS_HULL_POINTS_NONE ?
      job->out_points : NULL;
  output->device_indices = cuda->params->indices ? job->out_indices : NULL;
  if (result->host)
    cs_hull_output_set_host (output, cuda->params, &result->layout,
        result->host);
  cuda->last_points = output->n_points;
}

/* --- Runs ----------------------------------------------------------------- */

static void
init_job (HullCuda * cuda, const CsHullInput * input, HullJob * job)
{
  const CsHullParams *params = cuda->params;

  memset (job, 0, sizeof (*job));
  memset (cuda->header, 0, 2 * sizeof (*cuda->header));
  job->header = cuda->header;
  job->n_sets = 1;
  job->collinear = params->include_collinear;
  job->closed = params->closed;
  job->with_indices = params->indices;
  job->points_form = params->points;
  job->measures = params->measures;
  job->scope = CS_HULL_SCOPE_ALL;
  job->first_id = input->first_id;
  job->image_index = input->image_index;
}

static gboolean
prepare_lists (HullCuda * cuda, gsize n_points, gsize n_sets,
    HullLists * lists, GError ** error)
{
  CsCudaCarver carver = { NULL, 0 };

  do {
    lists->hull = CS_CUDA_CARVE (&carver, guint32, n_points);
    lists->count = CS_CUDA_CARVE (&carver, guint32, n_sets);
    lists->vertices = CS_CUDA_CARVE (&carver, double2, n_points);
    lists->strict = CS_CUDA_CARVE (&carver, double2,
        cuda->params->include_collinear ? n_points : 0);
  } while (cs_cuda_carve_again (&carver, &cuda->lists, cuda->stream, error));
  return carver.base != NULL;
}

/* Writes the hulls of @lists to the result; again with more memory on
 * overflow. */
static gboolean
emit_lists (HullCuda * cuda, HullJob * job, const HullLists * lists,
    Result * result, CsHullOutput * output, GError ** error)
{
  const gsize closing = job->closed ? job->n_sets : 0;
  const gsize max_points = (gsize) job->n + closing;
  const gsize guess = cuda->last_points + cuda->last_points / 8 + 1024;
  /* the upper bound, unless that is far above usual sizes */
  const gsize capacity = max_points <= 1u << 20 ? max_points :
      MIN (max_points, MAX (1u << 20, 2 * guess));

  if (!prepare_result (cuda, result, output, job, capacity, error) ||
      !cs_hull_cuda_emit (cuda, job, lists, error) ||
      !download (cuda, result, MIN (guess, capacity), error) ||
      !synchronise (cuda, error))
    return FALSE;
  if (job->header->unfinished > 0 || cuda->header[1].unfinished > 0)
    return TRUE;
  if (job->header->n_points > capacity) {
    cs_hull_take (CS_HULL_EMIT_AGAIN);
    if (!prepare_result (cuda, result, output, job, job->header->n_points,
            error) || !cs_hull_cuda_emit (cuda, job, lists, error))
      return FALSE;
  } else if (!result->host || job->header->n_points <= result->copied) {
    return TRUE;
  }
  return download (cuda, result, job->header->n_points, error) &&
      synchronise (cuda, error);
}

/* One set: by all blocks; then a sort if too many points survive. */
static gboolean
run_set (HullCuda * cuda, HullJob * job, Result * result,
    CsHullOutput * output, GError ** error)
{
  const HullHeader *header = job->header;
  HullLists lists;
  const guint32 *numbers = NULL;
  guint32 n = job->n;
  const gsize capacity = MIN (n, CS_HULL_BLOCK_POINTS) + 1;

  if (!prepare_result (cuda, result, output, job, capacity, error) ||
      !cs_hull_cuda_set (cuda, job, error) ||
      !download (cuda, result, capacity, error) || !synchronise (cuda, error))
    return FALSE;
  cs_hull_take (header->n_passes == 0 ? CS_HULL_SET_WHOLE :
      header->n_passes == 1 ? CS_HULL_SET : CS_HULL_SET_TWICE);
  memset (&cuda->stats, 0, sizeof (cuda->stats));
  cuda->stats.n_passes = header->n_passes;
  cuda->stats.survivors[0] = header->n_survivors;
  cuda->stats.survivors[1] = header->n_second;
  if (header->n_passes > 0)
    n = cuda->stats.survivors[header->n_passes - 1];
  cuda->stats.sorted = n;
  if (!header->unfinished)
    return TRUE;

  /* a single pass has left most of the points, and their indices are not in
   * order: all points are taken instead */
  if (header->n_passes == 2)
    numbers = cuda->second_indices;
  else
    n = job->n;
  cs_hull_take (numbers ? CS_HULL_SORT_SECOND : CS_HULL_SORT_ALL);
  cuda->stats.sorted = n;
  job->header->unfinished = 0;
  return prepare_lists (cuda, n, 1, &lists, error) &&
      cs_hull_cuda_large (cuda, &job->source, numbers, 0, n, &lists, 0, NULL,
      error) && emit_lists (cuda, job, &lists, result, output, error);
}

/* Computes the sets that do not fit a block, one by one. */
static gboolean
finish_sets (HullCuda * cuda, const HullJob * job, const HullLists * lists,
    HullHeader * header, GError ** error)
{
  g_autofree guint32 *count = cs_try_new (guint32, job->n_sets);
  g_autofree guint32 *offsets = cs_try_new (guint32, (gsize) job->n_sets + 1);
  gboolean done = ((count && offsets) ||
      cs_fail_no_memory (error, "the hulls of sets")) &&
      cs_cuda_check (cudaMemcpyAsync (count, lists->count,
          job->n_sets * sizeof (guint32), cudaMemcpyDeviceToHost,
          cuda->stream), "download counts", error) &&
      cs_cuda_check (cudaMemcpyAsync (offsets, job->offsets,
          (job->n_sets + 1) * sizeof (guint32), cudaMemcpyDeviceToHost,
          cuda->stream), "download offsets", error) &&
      synchronise (cuda, error);

  for (guint32 set = 0; done && set < job->n_sets; set++) {
    if (count[set] != CS_HULL_UNFINISHED)
      continue;
    done = cs_hull_cuda_large (cuda, &job->source, job->source.via ?
        job->source.via + offsets[set] : NULL, offsets[set],
        MIN (offsets[set + 1], job->n) - offsets[set], lists, set, header,
        error);
  }
  header->unfinished = 0;
  return done && synchronise (cuda, error);
}

/* How the sets of a batch were found. */
static void
take_tiers (const HullJob * job)
{
  const HullHeader *header = job->header;

  if (header->n_rings > 0)
    cs_hull_take (CS_HULL_RING_SETS);
  if (header->n_long > 0)
    cs_hull_take (CS_HULL_LONG_SETS);
  if (header->n_medium > 0)
    cs_hull_take (CS_HULL_MEDIUM_SETS);
  if (job->n_sets > header->n_rings + header->n_long + header->n_medium)
    cs_hull_take (CS_HULL_TINY_SETS);
}

static gboolean
run_per_contour (HullCuda * cuda, HullJob * job, Result * result,
    CsHullOutput * output, GError ** error)
{
  HullLists lists;

  if (!prepare_lists (cuda, job->n, job->n_sets, &lists, error) ||
      !cs_hull_cuda_batch (cuda, job, &lists, job->header, error) ||
      !emit_lists (cuda, job, &lists, result, output, error))
    return FALSE;
  take_tiers (job);
  if (job->header->unfinished == 0)
    return TRUE;
  cs_hull_take (CS_HULL_SETS_LEFT);
  return finish_sets (cuda, job, &lists, job->header, error) &&
      emit_lists (cuda, job, &lists, result, output, error);
}

/* Hulls of the polylines, then of their vertices by class. */
static gboolean
run_per_class (HullCuda * cuda, HullJob * job, Result * result,
    CsHullOutput * output, GError ** error)
{
  HullHeader *of_polylines = &cuda->header[0], *of_classes = &cuda->header[1];
  HullJob classes;
  HullLists lists;
  gboolean again = FALSE;

  if (!prepare_lists (cuda, job->n, MAX (job->n_sets,
              cuda->params->n_classes), &lists, error) ||
      !cs_hull_cuda_batch (cuda, job, &lists, of_polylines, error))
    return FALSE;
  do {
    if (!cs_hull_cuda_classes (cuda, job, &lists, &classes, error))
      return FALSE;
    classes.header = of_classes;
    if (!cs_hull_cuda_batch (cuda, &classes, &lists, of_classes, error) ||
        !emit_lists (cuda, &classes, &lists, result, output, error))
      return FALSE;
    again = of_polylines->unfinished > 0;
    if (again)
      cs_hull_take (CS_HULL_CLASS_SETS_LEFT);
    if (again && (!cs_hull_cuda_batch (cuda, job, &lists, of_polylines,
                error) ||
            !finish_sets (cuda, job, &lists, of_polylines, error)))
      return FALSE;
  } while (again);
  if (of_classes->unfinished > 0)
    cs_hull_take (CS_HULL_CLASSES_LEFT);
  if (of_classes->unfinished > 0 && (!finish_sets (cuda, &classes, &lists,
              of_classes, error) ||
          !emit_lists (cuda, &classes, &lists, result, output, error)))
    return FALSE;
  of_classes->n_ignored = of_polylines->n_ignored;
  *job = classes;
  return TRUE;
}

static gboolean
cuda_run (void *state, const CsHullInput * input, CsHullOutput * output,
    GError ** error)
{
  HullCuda *cuda = (HullCuda *) state;
  Result result = { cs_hull_input_type (input),
    cs_hull_max_hulls (cuda->params, input)
  };
  gboolean done;
  HullJob job;

  init_job (cuda, input, &job);
  if (input->mask) {
    job.mask_width = MAX (input->mask->width, 1);
    done = cs_hull_cuda_mask (cuda, input->mask, input->level, &job.source,
        &job.n, error) && run_set (cuda, &job, &result, output, error);
  } else if (!prepare_points (cuda, input, &job, error)) {
    done = FALSE;
  } else if (cuda->params->scope == CS_HULL_SCOPE_ALL || !input->offsets) {
    job.scope = cuda->params->scope;
    job.offsets = NULL;
    job.contours = NULL;
    done = run_set (cuda, &job, &result, output, error);
  } else {
    job.scope = cuda->params->scope;
    job.n_sets = input->n_polylines;
    done = cuda->params->scope == CS_HULL_SCOPE_PER_CLASS ?
        run_per_class (cuda, &job, &result, output, error) :
        run_per_contour (cuda, &job, &result, output, error);
  }
  if (done)
    publish (cuda, &result, &job, output);
  else
    cudaStreamSynchronize (cuda->stream);
  return done;
}

/* --- Warm-up -------------------------------------------------------------- */

typedef struct
{
  CsCudaScratch block;
  cudaStream_t stream;
} WarmUp;

static void *
alloc_for_warm_up (void *user_data, gsize size, gboolean host)
{
  WarmUp *warm_up = (WarmUp *) user_data;

  return cs_cuda_scratch_ensure (&warm_up->block, size, warm_up->stream, NULL);
}

/* Runs the kernels over as many equal points as the input has: this loads
 * modules and allocates memory. */
static gboolean
cuda_warm_up (void *state, const CsHullInput * input, GError ** error)
{
  HullCuda *cuda = (HullCuda *) state;
  WarmUp user = { { NULL, 0 }, cuda->stream };
  CsHullInput copy = *input;
  CsHullOutput output = { alloc_for_warm_up, &user };
  CsImage mask;
  CsCudaScratch zeros = { NULL, 0 };
  gsize size = input->n_points * input->stride + sizeof (double) +
      (input->n_polylines + 1) * sizeof (guint32);
  gboolean done;

  if (input->mask)
    size = input->mask->height * input->mask->row_stride;
  if (!input->offsets)
    copy.n_polylines = 0;
  size += copy.n_polylines * sizeof (CsContour);
  if (!cs_cuda_scratch_ensure (&zeros, MAX (size, 256), cuda->stream, error))
    return FALSE;
  done = cs_cuda_check (cudaMemsetAsync (zeros.data, 0, MAX (size, 256),
          cuda->stream), "clear memory", error);
  copy.memory = CS_MEMORY_DEVICE;
  copy.points = zeros.data;
  if (copy.offsets)
    copy.offsets = (const guint32 *) zeros.data;
  if (copy.contours)
    copy.contours = (const CsContour *) zeros.data;
  if (input->mask) {
    mask = *input->mask;
    mask.memory = CS_MEMORY_DEVICE;
    mask.data = zeros.data;
    copy.mask = &mask;
  }
  done = done && cuda_run (cuda, &copy, &output, error);
  cs_cuda_scratch_clear (&zeros, cuda->stream);
  cs_cuda_scratch_clear (&user.block, cuda->stream);
  /* host memory is uploaded to scratch of the plan */
  return done && (input->memory == CS_MEMORY_DEVICE || input->mask ||
      cs_cuda_scratch_ensure (&cuda->input, size + 1024, cuda->stream,
          error) != NULL);
}

static void
cuda_get_stats (const void *state, CsHullStats * stats)
{
  *stats = ((const HullCuda *) state)->stats;
}

const CsHullBackend cs_hull_cuda_backend = {
  cuda_create,
  cuda_warm_up,
  cuda_run,
  cuda_get_stats,
  cuda_destroy,
};
