/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The CUDA backend: all stages as a chain of kernels. The numbers of points and
 * contours stay on the GPU, so that the host synchronises only for the result
 * (and once before for the number of points, if the offsets are in device
 * memory). The result is deterministic: unions keep the lowest root,
 * duplicates the lowest point, sorts are stable.
 *
 * Three parts run on the host, because they are inherently sequential: the
 * drawing order; duplicates at a distance above 0, which depend on the points
 * kept before; and joining of ends, with the stages after it.
 */
#include "base/cuda_base.h"
#include "base/cuda_scan.cuh"
#include "base/cuda_sort.h"

extern "C" {
#include "base/cuda_memory.h"
#include "strokes_cpu.h"
#include "strokes_private.h"
}
#include "strokes_cuda.cuh"

/* --- Memory --------------------------------------------------------------- */

/* Bytes of a result of @n points: offsets, sources, then points. */
static gsize
result_size (const Job * job, gsize n)
{
  return (2 * (gsize) job->capacity + 2) * sizeof (guint32) +
      n * sizeof (CsStrokePoint);
}

static void
carve (CsCudaCarver * carver, Job * job, Contours * parts, gsize n_slots)
{
  const gsize n = job->n, capacity = job->capacity;

  /* header and the next are cleared together */
  job->header = CS_CUDA_CARVE (carver, Header, 1);
  job->last_removed = CS_CUDA_CARVE (carver, uint32_t, job->n_contours);
  job->owners = CS_CUDA_CARVE (carver, uint32_t, n);
  job->kept = CS_CUDA_CARVE (carver, uint8_t, n);
  job->places = CS_CUDA_CARVE (carver, uint64_t, MAX (n, capacity));
  parts->points = CS_CUDA_CARVE (carver, float2, n);
  parts->owners = CS_CUDA_CARVE (carver, uint32_t, n);
  parts->offsets = CS_CUDA_CARVE (carver, uint32_t, capacity + 1);
  parts->sources = CS_CUDA_CARVE (carver, uint32_t, capacity);
  job->roots = CS_CUDA_CARVE (carver, uint32_t, capacity);
  job->set_points = CS_CUDA_CARVE (carver, uint32_t,
      job->by_set ? capacity : 0);
  job->next = CS_CUDA_CARVE (carver, uint32_t, job->by_set ? n : 0);
  /* cleared together */
  job->slots = CS_CUDA_CARVE (carver, uint32_t, job->by_set ? n_slots : 0);
  job->chains = CS_CUDA_CARVE (carver, uint32_t, job->by_set ? n_slots : 0);
  job->firsts = CS_CUDA_CARVE (carver, uint32_t,
      job->drop_duplicates ? n_slots : 0);
  job->slot_of = CS_CUDA_CARVE (carver, uint32_t, job->drop_duplicates ? n : 0);
  job->lengths = CS_CUDA_CARVE (carver, unsigned long long,
      job->min_length > 0 ? capacity : 0);
  job->ranks = CS_CUDA_CARVE (carver, uint32_t, n + 1);
  job->keys = CS_CUDA_CARVE (carver, uint32_t, capacity);
  job->sorted_keys = CS_CUDA_CARVE (carver, uint32_t, capacity);
  job->values = CS_CUDA_CARVE (carver, uint32_t, capacity);
  job->sorted_values = CS_CUDA_CARVE (carver, uint32_t, capacity);
  job->counts = CS_CUDA_CARVE (carver, uint32_t, capacity);
  job->place_of = CS_CUDA_CARVE (carver, uint32_t, capacity);
  /* contiguous, for one download */
  job->out_offsets = (uint32_t *) cs_cuda_carve (carver, 1,
      result_size (job, n));
  job->out_sources = job->out_offsets + capacity + 1;
  job->out_points = (float2 *) ((guint8 *) job->out_offsets +
      result_size (job, 0));
}

/* Slots of a table of load factor at most 1/2; 0 if not needed. */
static gsize
count_slots (gsize n, gboolean wanted)
{
  gsize size = 64;

  if (!wanted)
    return 0;
  while (size < 2 * n)
    size *= 2;
  return size;
}

static void
cuda_destroy (void *state)
{
  StrokesCuda *cuda = (StrokesCuda *) state;

  cs_cuda_scratch_clear (&cuda->input, cuda->stream);
  cs_cuda_scratch_clear (&cuda->arena, cuda->stream);
  cs_cuda_scratch_clear (&cuda->temp, cuda->stream);
  cs_cuda_scratch_clear (&cuda->mask, cuda->stream);
  if (cuda->header)
    cs_cuda_pinned_free (cuda->header, NULL);
  cs_cuda_pinned_clear (&cuda->host);
  if (cuda->cpu)
    cs_strokes_cpu_backend.destroy (cuda->cpu);
  g_free (cuda);
}

static void *
cuda_create (const CsStrokes * plan, GError ** error)
{
  StrokesCuda *cuda = g_new0 (StrokesCuda, 1);

  cuda->plan = plan;
  cuda->stream = (cudaStream_t) cs_executor_get_stream (plan->executor);
  cuda->cpu = cs_strokes_cpu_backend.create (plan, error);
  if (!cuda->cpu || !(cuda->header = (Header *)
          cs_cuda_pinned_alloc (sizeof (Header), error))) {
    cuda_destroy (cuda);
    return NULL;
  }
  return cuda;
}

/* --- Input ---------------------------------------------------------------- */

static gboolean
synchronise (StrokesCuda * cuda, GError ** error)
{
  return cs_cuda_check (cudaStreamSynchronize (cuda->stream),
      "prepare strokes", error);
}

static gboolean
copy (StrokesCuda * cuda, void *to, const void *from, gsize size,
    GError ** error)
{
  return size == 0 || cs_cuda_check (cudaMemcpyAsync (to, from, size,
          cudaMemcpyDefault, cuda->stream), "copy contours", error);
}

static guint
n_blocks (gsize n)
{
  return (n + BLOCK - 1) / BLOCK;
}

/* Reads the number of points from the GPU, and validates offsets. */
static gboolean
read_n_points (StrokesCuda * cuda, const CsStrokesInput * input, Job * job,
    GError ** error)
{
  memset (cuda->header, 0, sizeof (*cuda->header));
  check_offsets_kernel <<<n_blocks (input->n_contours), BLOCK, 0,
      cuda->stream>>> (input->offsets, input->n_contours, cuda->header);
  if (!synchronise (cuda, error))
    return FALSE;
  if (cuda->header->is_bad)
    return cs_error (error, CS_ERROR_INVALID,
        "contours' offsets must begin with 0 and not decrease");
  if (cuda->header->n_points >= CS_STROKES_MAX_POINTS)
    return cs_error (error, CS_ERROR_LIMIT, "%u points are too many: there "
        "must be fewer than 2^31", cuda->header->n_points);
  job->n = cuda->header->n_points;
  job->points = (const float2 *) input->points;
  job->offsets = input->offsets;
  if (job->n > 0 && !input->points)
    return cs_error (error, CS_ERROR_INVALID,
        "%u points, but no memory that holds them", job->n);
  return TRUE;
}

static gboolean
upload (StrokesCuda * cuda, const CsStrokesInput * input, Job * job,
    GError ** error)
{
  CsCudaCarver carver = { NULL, 0 };
  float2 *points;
  uint32_t *offsets;

  job->n = input->offsets[input->n_contours];
  do {
    points = CS_CUDA_CARVE (&carver, float2, job->n);
    offsets = CS_CUDA_CARVE (&carver, uint32_t, input->n_contours + 1);
  } while (cs_cuda_carve_again (&carver, &cuda->input, cuda->stream, error));
  if (!carver.base)
    return FALSE;
  job->points = points;
  job->offsets = offsets;
  return copy (cuda, points, input->points, job->n * sizeof (float2),
      error) && copy (cuda, offsets, input->offsets,
      (input->n_contours + 1) * sizeof (uint32_t), error);
}

static gboolean
prepare_mask (StrokesCuda * cuda, const CsBrushMask * mask, Job * job,
    GError ** error)
{
  const gsize size = mask ? (gsize) mask->stride * mask->height *
      sizeof (guint32) : 0;

  job->mask.bits = NULL;
  if (!mask || mask->is_empty)
    return TRUE;
  if (!cs_cuda_scratch_ensure (&cuda->mask, size, cuda->stream, error))
    return FALSE;
  if (cuda->mask_version != mask->version &&
      !copy (cuda, cuda->mask.data, mask->bits, size, error))
    return FALSE;
  cuda->mask_version = mask->version;
  job->mask.bits = (const uint32_t *) cuda->mask.data;
  job->mask.width = mask->width;
  job->mask.height = mask->height;
  job->mask.stride = mask->stride;
  return TRUE;
}

static gboolean
prepare (StrokesCuda * cuda, const CsStrokesInput * input, Job * job,
    Contours * parts, GError ** error)
{
  const CsStrokesParams *params = &cuda->plan->params;
  /* the stages after joining ends run on the host, too */
  const gboolean stops = cs_strokes_joins_ends (params);
  CsCudaCarver carver = { NULL, 0 };

  job->by_contour = params->exclude == CS_STROKES_EXCLUDE_CONTOURS;
  job->min_points = stops ? 0 : params->min_points;
  job->min_length = params->min_length > 0 && !stops ?
      cs_strokes_min_length (params->min_length) : 0;
  job->by_set = params->merge_distance >= 0 && !stops &&
      (job->min_points > 1 || job->min_length > 0);
  job->drop_duplicates = params->duplicate_distance == 0 && !stops;
  /* if the host removes duplicates, it sorts afterwards */
  job->by_size = params->duplicate_distance <= 0 && !stops &&
      (params->biggest_first || params->order != CS_STROKES_ORDER_NONE);
  gsize n_slots = count_slots (job->n, job->by_set || job->drop_duplicates);
  job->slot_mask = n_slots - 1;
  do
    carve (&carver, job, parts, n_slots);
  while (cs_cuda_carve_again (&carver, &cuda->arena, cuda->stream, error));
  if (!carver.base)
    return FALSE;
  parts->n = &job->header->n_parts;
  parts->n_points = &job->header->n_kept;
  return prepare_mask (cuda, input->mask, job, error) &&
      cs_cuda_check (cudaMemsetAsync (job->header, 0,
          (guint8 *) job->owners - (guint8 *) job->header, cuda->stream),
      "clear contours", error) && (n_slots == 0 ||
      cs_cuda_check (cudaMemsetAsync (job->slots, 0xff,
              (guint8 *) job->slot_of - (guint8 *) job->slots, cuda->stream),
          "clear tables", error));
}

/* --- Sort ----------------------------------------------------------------- */

/* Stable descending sort of the job's keys. */
static gboolean
sort (StrokesCuda * cuda, const Job * job, int n_bits, GError ** error)
{
  size_t size = 0;
  void *temp = NULL;

  do {
    if (!cs_cuda_check (cs_cuda_sort_pairs_descending_u32 (temp, &size,
                job->keys, job->sorted_keys, job->values, job->sorted_values,
                job->capacity, n_bits, cuda->stream), "sort contours", error))
      return FALSE;
  } while (!temp && (temp = cs_cuda_scratch_ensure (&cuda->temp, size,
              cuda->stream, error)));
  return temp != NULL;
}

/* --- Stages --------------------------------------------------------------- */

static gboolean
exclude (StrokesCuda * cuda, const Job * job, const Contours * parts,
    GError ** error)
{
  const PlaceCount count = { *job };

  exclude_kernel <<<n_blocks (job->n), BLOCK, 0, cuda->stream>>> (*job);
  if (!cs_cuda_sum_counts (&cuda->temp, count, job->places, job->n,
          cuda->stream, error))
    return FALSE;
  write_parts_kernel <<<n_blocks (job->n), BLOCK, 0, cuda->stream>>> (*job,
      *parts);
  return TRUE;
}

static gboolean
find_sets (StrokesCuda * cuda, Job * job, const Contours * parts,
    GError ** error)
{
  const guint blocks = n_blocks (job->n);

  job->grid = cs_strokes_grid (cuda->plan->params.merge_distance);
  if (!cs_cuda_check (cudaMemsetAsync (job->set_points, 0,
              job->capacity * sizeof (*job->set_points), cuda->stream),
          "clear sums", error))
    return FALSE;
  fill_cells_kernel <<<blocks, BLOCK, 0, cuda->stream>>> (*job, *parts);
  if (job->grid.inverse > 0)
    join_cells_kernel <<<blocks, BLOCK, 0, cuda->stream>>> (*job, *parts);
  count_sets_kernel <<<n_blocks (job->capacity), BLOCK, 0, cuda->stream>>>
      (*job, *parts);
  return TRUE;
}

static gboolean
drop (StrokesCuda * cuda, const Job * job, const Contours * in, GError ** error)
{
  const guint blocks = n_blocks (job->n);
  const Kept kept = { *job, *in };

  if (job->min_length > 0) {
    if (!cs_cuda_check (cudaMemsetAsync (job->lengths, 0,
                job->capacity * sizeof (*job->lengths), cuda->stream),
            "clear lengths", error))
      return FALSE;
    measure_kernel <<<blocks, BLOCK, 0, cuda->stream>>> (*job, *in);
  }
  if (job->drop_duplicates)
    find_duplicates_kernel <<<blocks, BLOCK, 0, cuda->stream>>> (*job, *in);
  return cs_cuda_sum_counts (&cuda->temp, kept, job->ranks,
      (gsize) job->n + 1, cuda->stream, error);
}

static gboolean
write_result (StrokesCuda * cuda, const Job * job, const Contours * in,
    GError ** error)
{
  const guint blocks = n_blocks (job->capacity);
  const SortedCount count = { job->counts, job->sorted_values,
    job->capacity
  };

  size_keys_kernel <<<blocks, BLOCK, 0, cuda->stream>>> (*job, *in);
  if (!sort (cuda, job, job->by_size ? g_bit_storage (job->n) : 1, error) ||
      !cs_cuda_sum_counts (&cuda->temp, count, job->out_offsets,
          (gsize) job->capacity + 1, cuda->stream, error))
    return FALSE;
  write_contours_kernel <<<blocks, BLOCK, 0, cuda->stream>>> (*job, *in);
  write_points_kernel <<<n_blocks (job->n), BLOCK, 0, cuda->stream>>> (*job,
      *in);
  return cs_cuda_check (cudaGetLastError (), "prepare strokes", error);
}

/* --- Output --------------------------------------------------------------- */

/* Downloads the result: first a guess from the last result, then the rest. */
static gboolean
fetch (StrokesCuda * cuda, const Job * job, CsStrokesList * list,
    GError ** error)
{
  const gsize n = MIN (job->n, cuda->n_guess + cuda->n_guess / 8 + 4096);
  const Header *result = cuda->header;

  if (!cs_cuda_pinned_ensure (&cuda->host, result_size (job, job->n), error) ||
      !copy (cuda, cuda->host.data, job->out_offsets, result_size (job, n),
          error) || !synchronise (cuda, error))
    return FALSE;
  list->offsets = (guint32 *) cuda->host.data;
  list->sources = list->offsets + job->capacity + 1;
  list->points = (CsStrokePoint *) ((guint8 *) cuda->host.data +
      result_size (job, 0));
  list->n_points = cuda->n_guess = result->n_out;
  list->n_contours = result->n_contours;
  if (result->n_out <= n)
    return TRUE;
  return copy (cuda, (CsStrokePoint *) list->points + n, job->out_points + n,
      (result->n_out - n) * sizeof (CsStrokePoint), error) &&
      synchronise (cuda, error);
}

/* All stages, for at most @job's capacity of contours after exclusion. */
static gboolean
run_stages (StrokesCuda * cuda, const CsStrokesInput * input, Job * job,
    CsStrokesList * list, GError ** error)
{
  Contours parts = Contours ();

  memset (cuda->header, 0, sizeof (*cuda->header));
  job->result = cuda->header;
  return prepare (cuda, input, job, &parts, error) &&
      exclude (cuda, job, &parts, error) &&
      (!job->by_set || find_sets (cuda, job, &parts, error)) &&
      drop (cuda, job, &parts, error) &&
      write_result (cuda, job, &parts, error) &&
      fetch (cuda, job, list, error);
}

static gboolean
cuda_run (void *state, const CsStrokesInput * input, CsStrokesList * list,
    GError ** error)
{
  StrokesCuda *cuda = (StrokesCuda *) state;
  const CsStrokesParams *params = &cuda->plan->params;
  Job job = Job ();

  job.n_contours = input->n_contours;
  if (!(input->memory == CS_MEMORY_DEVICE ?
          read_n_points (cuda, input, &job, error) :
          upload (cuda, input, &job, error)))
    return FALSE;
  if (job.n == 0)
    return TRUE;
  /* initial guess for splits by the brush; grows on overflow */
  job.capacity = MIN (job.n, 2 * (gsize) job.n_contours + 1024);
  if (!run_stages (cuda, input, &job, list, error))
    return FALSE;
  if (cuda->header->n_parts > job.capacity) {
    job.capacity = cuda->header->n_parts;
    if (!run_stages (cuda, input, &job, list, error))
      return FALSE;
  }
  return list->n_contours == 0 || (params->duplicate_distance <= 0 &&
      !cs_strokes_joins_ends (params)) ||
      cs_strokes_cpu_finish (cuda->cpu, list, error);
}

extern "C" const CsStrokesBackend cs_strokes_cuda_backend = {
  cuda_create,
  cuda_run,
  cuda_destroy,
};
