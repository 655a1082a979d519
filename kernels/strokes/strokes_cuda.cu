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
#include "base/cuda_union_find.cuh"

extern "C" {
#include "base/cuda_memory.h"
#include "strokes_cpu.h"
#include "strokes_private.h"
}
#include "strokes_math.h"

#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#define BLOCK 256
#define NONE 0xffffffffu

namespace
{

/**
 * Header:
 * @n_points: of the input
 * @is_bad: offsets that decrease or do not begin with 0
 * @n_kept, @n_parts: points and contours after exclusion
 * @n_out, @n_contours: of the result
 */
struct Header
{
  uint32_t n_points, is_bad;
  uint32_t n_kept, n_parts;
  uint32_t n_out, n_contours;
};

/* The mask on the GPU. */
struct Mask
{
  const uint32_t *bits;
  uint32_t width, height, stride;
};

/* Contours between two stages; beyond the capacity they are only counted. */
struct Contours
{
  float2 *points;
  uint32_t *owners;             /* of each point */
  uint32_t *offsets, *sources;
  const uint32_t *n;            /* number of contours, and of points */
  const uint32_t *n_points;
};

/**
 * Job:
 *
 * Arguments of the kernels, by value; arrays have the maximum size.
 */
struct Job
{
  uint32_t n, n_contours;
  uint32_t capacity;            /* in contours */
  const float2 *points;
  const uint32_t *offsets;
  Mask mask;
  bool by_contour;
  Header *header;
  Header *result;               /* copy for the host, mapped */

  /* exclude */
  uint32_t *owners, *last_removed;
  uint8_t *kept;
  uint64_t *places;

  /* sets of merged contours, for the small stage */
  bool by_set;
  CsStrokesGrid grid;
  uint32_t *slots, *chains, *next;
  uint32_t slot_mask;           /* of all tables */
  uint32_t *roots;
  uint32_t *set_points;         /* of each root */

  /* small and duplicates */
  uint32_t min_points;
  uint64_t min_length;
  unsigned long long *lengths;
  bool drop_duplicates;
  uint32_t *firsts, *slot_of;   /* another table, and the points' slots */
  uint32_t *ranks;              /* kept points before each */

  /* sort */
  bool by_size;
  uint32_t *keys, *sorted_keys, *values, *sorted_values, *counts, *place_of;

  /* result */
  float2 *out_points;
  uint32_t *out_offsets, *out_sources;
};

/**
 * StrokesCuda:
 * @cpu: the CPU backend's state, for the stages on the host
 * @header: mapped host memory
 * @n_guess: points of the last result, initial guess for the next
 */
struct StrokesCuda
{
  const CsStrokes *plan;
  void *cpu;
  cudaStream_t stream;
  CsCudaScratch input, arena, temp, mask;
  guint64 mask_version;
  Header *header;
  CsCudaPinned host;
  gsize n_guess;
};

}                               /* namespace */

/* --- Exclude -------------------------------------------------------------- */

static __device__ bool
is_closed (const float2 *points, uint32_t from, uint32_t size)
{
  return size > 2 && points[from].x == points[from + size - 1].x &&
      points[from].y == points[from + size - 1].y;
}

/* The contour of point @i. */
static __device__ uint32_t
find_owner (const uint32_t *offsets, uint32_t n_contours, uint32_t i)
{
  uint32_t low = 0, high = n_contours;

  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;

    if (offsets[middle] <= i)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static __global__ void
check_offsets_kernel (const uint32_t *offsets, uint32_t n, Header *header)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= n)
    return;
  if (offsets[i] > offsets[i + 1] || (i == 0 && offsets[0] != 0))
    header->is_bad = 1;
  if (i == n - 1)
    header->n_points = offsets[n];
}

static __global__ void
exclude_kernel (Job job)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= job.n)
    return;

  const float2 p = job.points[i];
  const uint32_t owner = find_owner (job.offsets, job.n_contours, i);
  const bool removed = !cs_strokes_is_near (p.x) ||
      !cs_strokes_is_near (p.y) || (job.mask.bits &&
      cs_strokes_is_masked (job.mask.bits, job.mask.width, job.mask.height,
          job.mask.stride, p.x, p.y));

  job.owners[i] = owner;
  job.kept[i] = !removed;
  if (!removed)
    return;

  const uint32_t from = job.offsets[owner];
  const uint32_t size = job.offsets[owner + 1] - from;

  /* the closing point repeats the first */
  if (i - from + 1 < size || !is_closed (job.points, from, size))
    atomicMax (&job.last_removed[owner], i - from + 1);
}

/* An output position: its input point, whether that is kept, and whether it
 * starts a contour. Closed contours are rotated to start after their last
 * gap. */
struct Place
{
  uint32_t from;
  bool kept, begins;
};

static __device__ Place
find_place (const Job &job, uint32_t i)
{
  const uint32_t owner = job.owners[i], from = job.offsets[owner];
  const uint32_t size = job.offsets[owner + 1] - from, local = i - from;
  const uint32_t last = job.last_removed[owner];

  if (last == 0)
    return { i, true, local == 0 };
  if (job.by_contour)
    return { i, false, false };
  if (!is_closed (job.points, from, size)) {
    const bool kept = job.kept[i];

    return { i, kept, kept && (local == 0 || !job.kept[i - 1]) };
  }

  const uint32_t ring = size - 1;
  const uint32_t at = last + local < ring ? last + local : last + local - ring;

  if (local == ring)
    return { i, false, false };

  const bool kept = job.kept[from + at];

  return { from + at, kept, kept && !job.kept[from + (at ? at : ring) - 1] };
}

/* Packed counts: kept points in the low half, starts of contours in the
 * high. */
namespace
{

struct PlaceCount
{
  Job job;

  __device__ uint64_t operator() (uint32_t i) const
  {
    const Place place = find_place (job, i);

    return (uint64_t) place.begins << 32 | place.kept;
  }
};

}                               /* namespace */

static __global__ void
write_parts_kernel (Job job, Contours out)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= job.n)
    return;

  const Place place = find_place (job, i);
  const uint32_t at = (uint32_t) job.places[i];
  const uint32_t end = (uint32_t) (job.places[i] >> 32) + place.begins;

  if (i == job.n - 1) {
    const bool fits = end <= job.capacity;

    /* on overflow later stages have nothing to do */
    out.offsets[fits ? end : 0] = fits ? at + place.kept : 0;
    job.header->n_kept = fits ? at + place.kept : 0;
    job.header->n_parts = fits ? end : 0;
    job.result->n_parts = end;
  }
  if (end > job.capacity)
    return;
  if (place.kept) {
    const float2 p = job.points[place.from];

    out.points[at] = make_float2 (p.x + 0.f, p.y + 0.f);
    out.owners[at] = end - 1;
  }
  if (place.begins) {
    out.offsets[end - 1] = at;
    out.sources[end - 1] = job.owners[i];
    job.roots[end - 1] = end - 1;
  }
}

/* --- Sets ----------------------------------------------------------------- */

static __device__ bool
is_in_cell (CsStrokesGrid grid, float2 p, double column, double row)
{
  return cs_strokes_cell (grid, p.x) == column &&
      cs_strokes_cell (grid, p.y) == row;
}

/* Inserts the points into their cells. Points of one cell are close. */
static __global__ void
fill_cells_kernel (Job job, Contours in)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= *in.n_points)
    return;

  const float2 p = in.points[i];
  const double column = cs_strokes_cell (job.grid, p.x);
  const double row = cs_strokes_cell (job.grid, p.y);
  uint32_t at = cs_strokes_hash (column, row) & job.slot_mask;
  uint32_t head;

  while ((head = atomicCAS (&job.slots[at], NONE, i)) != NONE &&
      !is_in_cell (job.grid, in.points[head], column, row))
    at = (at + 1) & job.slot_mask;
  job.next[i] = atomicExch (&job.chains[at], i);
  if (head != NONE && in.owners[head] != in.owners[i])
    cs_unite (job.roots, in.owners[head], in.owners[i]);
}

static __global__ void
join_cells_kernel (Job job, Contours in)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= *in.n_points)
    return;

  const float2 p = in.points[i];
  const uint32_t owner = in.owners[i];
  const double column = cs_strokes_cell (job.grid, p.x);
  const double row = cs_strokes_cell (job.grid, p.y);

  for (int k = 0; k < CS_STROKES_HALF_RING; k++) {
    int dx, dy;

    cs_strokes_neighbour (k, &dx, &dy);

    uint32_t at = cs_strokes_hash (column + dx, row + dy) & job.slot_mask;

    while (job.slots[at] != NONE && !is_in_cell (job.grid,
            in.points[job.slots[at]], column + dx, row + dy))
      at = (at + 1) & job.slot_mask;
    if (job.slots[at] == NONE)
      continue;

    const uint32_t other = in.owners[job.slots[at]];

    if (other == owner ||
        cs_find_root (job.roots, other) == cs_find_root (job.roots, owner))
      continue;
    for (uint32_t q = job.chains[at]; q != NONE; q = job.next[q]) {
      const float2 o = in.points[q];

      if (cs_strokes_distance2 (p.x, p.y, o.x, o.y) <= job.grid.limit) {
        cs_unite (job.roots, owner, in.owners[q]);
        break;
      }
    }
  }
}

/* The contour that holds the sums of @owner's set. */
static __device__ uint32_t
sum_of (const Job &job, uint32_t owner)
{
  return job.by_set ? cs_find_root (job.roots, owner) : owner;
}

static __global__ void
count_sets_kernel (Job job, Contours in)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i < *in.n && i < job.capacity)
    atomicAdd (&job.set_points[cs_find_root (job.roots, i)],
        in.offsets[i + 1] - in.offsets[i]);
}

/* --- Small and duplicate -------------------------------------------------- */

static __global__ void
measure_kernel (Job job, Contours in)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i == 0 || i >= *in.n_points || in.owners[i] != in.owners[i - 1])
    return;
  atomicAdd (&job.lengths[sum_of (job, in.owners[i])], (unsigned long long)
      cs_strokes_length (in.points[i - 1].x, in.points[i - 1].y,
          in.points[i].x, in.points[i].y));
}

static __device__ bool
is_small (const Job &job, const Contours &in, uint32_t owner)
{
  const uint32_t sum = sum_of (job, owner);
  const uint32_t n = job.by_set ? job.set_points[sum] :
      in.offsets[owner + 1] - in.offsets[owner];

  return n < job.min_points ||
      (job.min_length > 0 && job.lengths[sum] < job.min_length);
}

/* Whether @i is the closing point of a contour, which is kept with the
 * first. */
static __device__ bool
is_closing_point (const Contours &in, uint32_t owner, uint32_t i)
{
  const uint32_t from = in.offsets[owner], end = in.offsets[owner + 1];

  return i + 1 == end && is_closed (in.points, from, end - from);
}

/* Every slot gets the lowest of its points. */
static __global__ void
find_duplicates_kernel (Job job, Contours in)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= *in.n_points)
    return;

  const uint32_t owner = in.owners[i];

  if (is_small (job, in, owner) || is_closing_point (in, owner, i))
    return;

  const float2 p = in.points[i];
  uint32_t at = cs_strokes_hash (p.x, p.y) & job.slot_mask, other;

  while ((other = atomicCAS (&job.firsts[at], NONE, i)) != NONE &&
      (in.points[other].x != p.x || in.points[other].y != p.y))
    at = (at + 1) & job.slot_mask;
  if (other != NONE && other > i)
    atomicMin (&job.firsts[at], i);
  job.slot_of[i] = at;
}

namespace
{

struct Kept
{
  Job job;
  Contours in;

  __device__ uint32_t operator() (uint32_t i) const
  {
    if (i >= *in.n_points)
      return 0;

    const uint32_t owner = in.owners[i];

    if (is_small (job, in, owner))
      return 0;
    if (!job.drop_duplicates)
      return 1;
    if (is_closing_point (in, owner, i))
      i = in.offsets[owner];
    return job.firsts[job.slot_of[i]] == i;
  }
};

}                               /* namespace */

/* --- Sort and result ------------------------------------------------------ */

/* Keys for a descending sort, empty contours last. */
static __global__ void
size_keys_kernel (Job job, Contours in)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= job.capacity)
    return;

  const uint32_t count = i < *in.n ? job.ranks[in.offsets[i + 1]] -
      job.ranks[in.offsets[i]] : 0;

  job.counts[i] = count;
  job.keys[i] = job.by_size ? count : count > 0;
  job.values[i] = i;
}

namespace
{

struct SortedCount
{
  const uint32_t *counts, *sorted;
  uint32_t n;

  __device__ uint32_t operator() (uint32_t i) const
  {
    return i < n ? counts[sorted[i]] : 0;
  }
};

}                               /* namespace */

static __global__ void
write_contours_kernel (Job job, Contours in)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= job.capacity)
    return;

  const uint32_t contour = job.sorted_values[i], count = job.counts[contour];

  if (count == 0)
    return;
  job.place_of[contour] = i;
  job.out_sources[i] = in.sources[contour];
  if (i + 1 == job.capacity || job.counts[job.sorted_values[i + 1]] == 0) {
    job.result->n_contours = i + 1;
    job.result->n_out = job.out_offsets[i] + count;
  }
}

static __global__ void
write_points_kernel (Job job, Contours in)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= *in.n_points || job.ranks[i + 1] == job.ranks[i])
    return;

  const uint32_t contour = in.owners[i];

  job.out_points[job.out_offsets[job.place_of[contour]] + job.ranks[i] -
      job.ranks[in.offsets[contour]]] = in.points[i];
}

/* --- Memory --------------------------------------------------------------- */

static void
carve_contours (CsCudaCarver * carver, gsize n, gsize capacity,
    Contours * contours)
{
  contours->points = CS_CUDA_CARVE (carver, float2, n);
  contours->owners = CS_CUDA_CARVE (carver, uint32_t, n);
  contours->offsets = CS_CUDA_CARVE (carver, uint32_t, capacity + 1);
  contours->sources = CS_CUDA_CARVE (carver, uint32_t, capacity);
}

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
  carve_contours (carver, n, capacity, parts);
  job->roots = CS_CUDA_CARVE (carver, uint32_t, capacity);
  job->set_points = CS_CUDA_CARVE (carver, uint32_t,
      job->by_set ? capacity : 0);
  job->next = CS_CUDA_CARVE (carver, uint32_t, job->by_set ? n : 0);
  /* cleared together */
  job->slots = CS_CUDA_CARVE (carver, uint32_t, job->by_set ? n_slots : 0);
  job->chains = CS_CUDA_CARVE (carver, uint32_t, job->by_set ? n_slots : 0);
  job->firsts = CS_CUDA_CARVE (carver, uint32_t,
      job->drop_duplicates ? n_slots : 0);
  job->slot_of = CS_CUDA_CARVE (carver, uint32_t,
      job->drop_duplicates ? n : 0);
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
  if (cuda->header->is_bad) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "contours' offsets must begin with 0 and not decrease");
    return FALSE;
  }
  if (cuda->header->n_points >= CS_STROKES_MAX_POINTS) {
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT,
        "%u points are too many: there must be fewer than 2^31",
        cuda->header->n_points);
    return FALSE;
  }
  job->n = cuda->header->n_points;
  job->points = (const float2 *) input->points;
  job->offsets = input->offsets;
  if (job->n > 0 && !input->points) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "%u points, but no memory that holds them", job->n);
    return FALSE;
  }
  return TRUE;
}

static gboolean
upload (StrokesCuda * cuda, const CsStrokesInput * input, Job * job,
    GError ** error)
{
  CsCudaCarver carver = { NULL, 0 };
  float2 *points;
  uint32_t *offsets;
  guint pass;

  job->n = input->offsets[input->n_contours];
  for (pass = 0; pass < 2; pass++) {
    carver.used = 0;
    points = CS_CUDA_CARVE (&carver, float2, job->n);
    offsets = CS_CUDA_CARVE (&carver, uint32_t, input->n_contours + 1);
    if (pass == 0 && !(carver.base = (guint8 *)
            cs_cuda_scratch_ensure (&cuda->input, carver.used, cuda->stream,
                error)))
      return FALSE;
  }
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
  gsize n_slots;

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
  n_slots = count_slots (job->n, job->by_set || job->drop_duplicates);
  job->slot_mask = n_slots - 1;
  carve (&carver, job, parts, n_slots);
  carver.base = (guint8 *) cs_cuda_scratch_ensure (&cuda->arena, carver.used,
      cuda->stream, error);
  carver.used = 0;
  if (!carver.base)
    return FALSE;
  carve (&carver, job, parts, n_slots);
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

/* --- Scans and sorts ------------------------------------------------------ */

/* Exclusive prefix sums of @count (0 .. n - 1). */
template <typename T, typename Count> static gboolean
scan (StrokesCuda * cuda, const Count & count, T * sums, gsize n,
    GError ** error)
{
  const auto counts = thrust::make_transform_iterator (
      thrust::make_counting_iterator<uint32_t> (0), count);
  size_t size = 0;

  return cs_cuda_check (cub::DeviceScan::ExclusiveSum (NULL, size, counts,
          sums, (int) n, cuda->stream), "size a scan", error) &&
      cs_cuda_scratch_ensure (&cuda->temp, size, cuda->stream, error) &&
      cs_cuda_check (cub::DeviceScan::ExclusiveSum (cuda->temp.data, size,
          counts, sums, (int) n, cuda->stream), "scan", error);
}

/* Stable descending sort of the job's keys. */
static gboolean
sort (StrokesCuda * cuda, const Job * job, int n_bits, GError ** error)
{
  size_t size = 0;
  void *temp = NULL;
  guint pass;

  for (pass = 0; pass < 2; pass++) {
    if (!cs_cuda_check (cub::DeviceRadixSort::SortPairsDescending (temp, size,
                job->keys, job->sorted_keys, job->values, job->sorted_values,
                (int) job->capacity, 0, n_bits, cuda->stream),
            "sort contours", error))
      return FALSE;
    if (pass == 0 && !(temp = cs_cuda_scratch_ensure (&cuda->temp, size,
                cuda->stream, error)))
      return FALSE;
  }
  return TRUE;
}

/* --- Stages --------------------------------------------------------------- */

static gboolean
exclude (StrokesCuda * cuda, const Job * job, const Contours * parts,
    GError ** error)
{
  const PlaceCount count = { *job };

  exclude_kernel <<<n_blocks (job->n), BLOCK, 0, cuda->stream>>> (*job);
  if (!scan (cuda, count, job->places, job->n, error))
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
drop (StrokesCuda * cuda, const Job * job, const Contours * in,
    GError ** error)
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
  return scan (cuda, kept, job->ranks, (gsize) job->n + 1, error);
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
  if (!sort (cuda, job, job->by_size ? g_bit_storage (job->n) : 1,
          error) ||
      !scan (cuda, count, job->out_offsets, (gsize) job->capacity + 1, error))
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

  if (!cs_cuda_pinned_ensure (&cuda->host, result_size (job, job->n),
          error) ||
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
