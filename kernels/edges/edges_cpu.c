/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU backend: parallel over rows, except for hysteresis. */
#include "edges_private.h"

#include <string.h>

#include "base/clones.h"
#include "base/memory.h"
#include "edges_math.h"

#define CHUNK_ROWS 16
/* Padding at either end of a row: replicated border. */
#define MARGIN CS_EDGES_MAX_RADIUS

/* Values of @marks. */
enum
{ NOTHING, RIDGE, EDGE };

/**
 * Cpu:
 * @planes: two of floats: blurred along rows, later magnitudes; blurred along
 *     both; then bytes: directions, marks
 * @counts: ridge pixels of each chunk
 */
typedef struct
{
  const CsEdges *plan;
  CsScratch planes, counts, ridges, stack, points;
} Cpu;

typedef struct
{
  const CsEdgesKernel *kernel;
  const CsImage *image;
  guint width, height, n_chunks;
  float *rows, *blurred, *magnitudes;
  guint8 *directions, *marks;
  guint32 *counts, *ridges;
  gint failed;                  /* out of memory in a thread */
} Job;

static void *
cpu_create (const CsEdges * plan, GError ** error)
{
  Cpu *cpu = g_new0 (Cpu, 1);

  cpu->plan = plan;
  return cpu;
}

static void
cpu_destroy (void *state)
{
  Cpu *cpu = state;

  cs_scratch_clear (&cpu->planes);
  cs_scratch_clear (&cpu->counts);
  cs_scratch_clear (&cpu->ridges);
  cs_scratch_clear (&cpu->stack);
  cs_scratch_clear (&cpu->points);
  g_free (cpu);
}

/* --- Blur ----------------------------------------------------------------- */

static void
load_row (const CsImage * image, guint y, float scale, float *out)
{
  const guint8 *row = (const guint8 *) image->data + y * image->row_stride;
  const gsize step = image->pixel_stride;

  switch (image->type) {
    case CS_SAMPLE_U8:
      for (guint x = 0; x < image->width; x++)
        out[x] = row[x * step];
      break;
    case CS_SAMPLE_U16:
      for (guint x = 0; x < image->width; x++)
        out[x] = cs_edges_from_u16 (*(const guint16 *) (row + x * step));
      break;
    default:
      for (guint x = 0; x < image->width; x++)
        out[x] = cs_edges_from_float (*(const float *) (row + x * step),
            scale);
      break;
  }
}

/* Symmetric filter: adds pairs of taps from the centre outwards. */
CS_CLONES static void
blur_line (const float *restrict in, guint n, const CsEdgesKernel * kernel,
    float *restrict out)
{
  for (guint x = 0; x < n; x++)
    out[x] = in[x] * kernel->weights[0];
  for (guint i = 1; i <= kernel->radius; i++) {
    const float *before = in - i, *after = in + i;
    const float weight = kernel->weights[i];

    for (guint x = 0; x < n; x++)
      out[x] += weight * (before[x] + after[x]);
  }
}

static void
blur_along_rows (void *user_data, guint index)
{
  Job *job = user_data;
  const guint end = MIN ((index + 1) * CHUNK_ROWS, job->height);
  g_autofree float *line =
      cs_try_new (float, (gsize) job->width + 2 * MARGIN);

  if (!line) {
    g_atomic_int_set (&job->failed, TRUE);
    return;
  }
  float *middle = line + MARGIN;
  for (guint y = index * CHUNK_ROWS; y < end; y++) {
    load_row (job->image, y, job->kernel->scale, middle);
    for (guint i = 1; i <= job->kernel->radius; i++) {
      middle[-(int) i] = middle[0];
      middle[job->width - 1 + i] = middle[job->width - 1];
    }
    blur_line (middle, job->width, job->kernel,
        job->rows + (gsize) y * job->width);
  }
}

CS_CLONES static void
scale_row (const float *restrict in, guint n, float weight, float *restrict out)
{
  for (guint x = 0; x < n; x++)
    out[x] = in[x] * weight;
}

CS_CLONES static void
add_rows (const float *restrict before, const float *restrict after, guint n,
    float weight, float *restrict out)
{
  for (guint x = 0; x < n; x++)
    out[x] += weight * (before[x] + after[x]);
}

static const float *
row_at (const Job * job, const float *plane, gint y)
{
  return plane + (gsize) CLAMP (y, 0, (gint) job->height - 1) * job->width;
}

static void
blur_across_rows (void *user_data, guint index)
{
  const Job *job = user_data;
  const guint end = MIN ((index + 1) * CHUNK_ROWS, job->height);

  for (guint y = index * CHUNK_ROWS; y < end; y++) {
    float *out = job->blurred + (gsize) y * job->width;

    scale_row (row_at (job, job->rows, y), job->width,
        job->kernel->weights[0], out);
    for (guint i = 1; i <= job->kernel->radius; i++)
      add_rows (row_at (job, job->rows, (gint) (y - i)),
          row_at (job, job->rows, (gint) (y + i)), job->width,
          job->kernel->weights[i], out);
  }
}

/* --- Gradient and ridges -------------------------------------------------- */

/* Pixels from @x to below @end; @left and @right are the steps to the
 * neighbours, 0 at the border. */
static inline void
gradient_span (const float *restrict a, const float *restrict b,
    const float *restrict c, guint x, guint end, guint left, guint right,
    float *restrict magnitudes, guint8 * restrict directions)
{
  for (; x < end; x++) {
    float gx, gy;

    cs_edges_gradient (a[x - left], a[x], a[x + right], b[x - left],
        b[x + right], c[x - left], c[x], c[x + right], &gx, &gy);
    magnitudes[x] = gx * gx + gy * gy;
    directions[x] = cs_edges_direction (gx, gy);
  }
}

CS_CLONES static void
gradient_row (const float *a, const float *b, const float *c, guint width,
    float *magnitudes, guint8 * directions)
{
  if (width == 1) {
    gradient_span (a, b, c, 0, 1, 0, 0, magnitudes, directions);
    return;
  }
  gradient_span (a, b, c, 0, 1, 0, 1, magnitudes, directions);
  gradient_span (a, b, c, 1, width - 1, 1, 1, magnitudes, directions);
  gradient_span (a, b, c, width - 1, width, 1, 0, magnitudes, directions);
}

static void
find_gradients (void *user_data, guint index)
{
  const Job *job = user_data;
  const guint end = MIN ((index + 1) * CHUNK_ROWS, job->height);

  for (guint y = index * CHUNK_ROWS; y < end; y++)
    gradient_row (row_at (job, job->blurred, (gint) y - 1),
        row_at (job, job->blurred, y), row_at (job, job->blurred, y + 1),
        job->width, job->magnitudes + (gsize) y * job->width,
        job->directions + (gsize) y * job->width);
}

/* Squared magnitude; 0 outside of the image. */
static inline float
magnitude_at (const Job * job, gint x, gint y)
{
  return x < 0 || y < 0 || x >= (gint) job->width || y >= (gint) job->height ?
      0 : job->magnitudes[(gsize) y * job->width + x];
}

static inline void
neighbours_across (const Job * job, guint x, guint y, float *before,
    float *after)
{
  const guint8 direction = job->directions[(gsize) y * job->width + x];
  const int dx = cs_edges_step_x (direction), dy = cs_edges_step_y (direction);

  *before = magnitude_at (job, x - dx, y - dy);
  *after = magnitude_at (job, x + dx, y + dy);
}

static void
find_ridges (void *user_data, guint index)
{
  const Job *job = user_data;
  const guint end = MIN ((index + 1) * CHUNK_ROWS, job->height);
  const float threshold2 = job->kernel->low2;
  guint32 count = 0;

  for (guint y = index * CHUNK_ROWS; y < end; y++) {
    const float *row = job->magnitudes + (gsize) y * job->width;
    guint8 *marks = job->marks + (gsize) y * job->width;

    for (guint x = 0; x < job->width; x++) {
      float before, after;

      marks[x] = NOTHING;
      if (!(row[x] > 0 && row[x] >= threshold2))
        continue;
      neighbours_across (job, x, y, &before, &after);
      if (cs_edges_is_ridge (before, row[x], after)) {
        marks[x] = RIDGE;
        count++;
      }
    }
  }
  job->counts[index] = count;
}

/* Writes the indices of a chunk's ridge pixels at the chunk's offset. */
static void
list_ridges (void *user_data, guint index)
{
  const Job *job = user_data;
  const gsize from = (gsize) index * CHUNK_ROWS * job->width;
  const gsize end = MIN (from + (gsize) CHUNK_ROWS * job->width,
      (gsize) job->width * job->height);
  guint32 at = job->counts[index];

  for (gsize i = from; i < end; i++) {
    if (job->marks[i] == RIDGE)
      job->ridges[at++] = i;
  }
}

/* --- Thresholds and hysteresis -------------------------------------------- */

/* The magnitude of rank @rank among @n: radix select on the bits of
 * non-negative floats, whose order is that of integers. */
static float
select_magnitude (const Job * job, gsize n, gsize rank)
{
  guint32 prefix = 0, bits, digit;
  float found;

  for (int shift = 24; shift >= 0; shift -= 8) {
    gsize count[256] = { 0 };

    for (gsize i = 0; i < n; i++) {
      memcpy (&bits, &job->magnitudes[job->ridges[i]], sizeof (bits));
      if (shift == 24 || bits >> (shift + 8) == prefix)
        count[bits >> shift & 255]++;
    }
    for (digit = 0; rank >= count[digit]; digit++)
      rank -= count[digit];
    prefix = prefix << 8 | digit;
  }
  memcpy (&found, &prefix, sizeof (found));
  return found;
}

/* Marks ridge pixels around @pixel of at least @low2 as edges, and pushes them
 * on the stack. */
static gsize
push_neighbours (const Job * job, guint32 pixel, float low2, guint32 * stack,
    gsize n)
{
  const gint px = pixel % job->width, py = pixel / job->width;
  const gint x1 = MIN (px + 1, (gint) job->width - 1);
  const gint y1 = MIN (py + 1, (gint) job->height - 1);

  for (gint y = MAX (py - 1, 0); y <= y1; y++) {
    for (gint x = MAX (px - 1, 0); x <= x1; x++) {
      const gsize at = (gsize) y * job->width + x;

      if (job->marks[at] == RIDGE && job->magnitudes[at] >= low2) {
        job->marks[at] = EDGE;
        stack[n++] = at;
      }
    }
  }
  return n;
}

static void
apply_hysteresis (const Job * job, gsize n_ridges, float low2, float high2,
    guint32 * stack)
{
  gsize i, n = 0;

  for (i = 0; i < n_ridges; i++) {
    const guint32 pixel = job->ridges[i];

    if (job->marks[pixel] != RIDGE || !(job->magnitudes[pixel] >= high2))
      continue;
    job->marks[pixel] = EDGE;
    stack[n++] = pixel;
    while (n > 0) {
      n--;
      n = push_neighbours (job, stack[n], low2, stack, n);
    }
  }
}

static CsStrokePoint
refine (const Job * job, guint32 pixel)
{
  const guint x = pixel % job->width, y = pixel / job->width;
  const guint8 direction = job->directions[pixel];
  float before, after, offset;

  neighbours_across (job, x, y, &before, &after);
  offset = cs_edges_offset (before, job->magnitudes[pixel], after);
  return (CsStrokePoint) {
  x + offset * cs_edges_step_x (direction),
        y + offset * cs_edges_step_y (direction)};
}

/* -------------------------------------------------------------------------- */

static gboolean
alloc_job (Cpu * cpu, Job * job, GError ** error)
{
  const gsize n = (gsize) job->width * job->height;
  guint8 *planes = cs_scratch_ensure (&cpu->planes,
      n * (2 * sizeof (float) + 2), error);

  job->n_chunks = (job->height + CHUNK_ROWS - 1) / CHUNK_ROWS;
  job->counts = planes ? cs_scratch_ensure (&cpu->counts,
      job->n_chunks * sizeof (guint32), error) : NULL;
  if (!job->counts)
    return FALSE;
  /* reuses the plane blurred along rows */
  job->rows = job->magnitudes = (float *) planes;
  job->blurred = job->rows + n;
  job->directions = (guint8 *) (job->blurred + n);
  job->marks = job->directions + n;
  return TRUE;
}

/* Exclusive prefix sum in place; returns the total. */
static guint32
exclusive_scan (guint32 * counts, guint n)
{
  guint32 sum = 0;

  for (guint i = 0; i < n; i++) {
    const guint32 count = counts[i];

    counts[i] = sum;
    sum += count;
  }
  return sum;
}

static gboolean
collect (Cpu * cpu, const Job * job, gsize n_ridges, CsEdgesPixels * pixels,
    GError ** error)
{
  CsStrokePoint *points = cs_scratch_ensure (&cpu->points,
      n_ridges * sizeof (CsStrokePoint), error);
  gsize i, n = 0;

  if (!points)
    return FALSE;
  for (i = 0; i < n_ridges; i++) {
    const guint32 pixel = job->ridges[i];

    if (job->marks[pixel] != EDGE)
      continue;
    points[n] = refine (job, pixel);
    job->ridges[n++] = pixel;
  }
  pixels->pixels = job->ridges;
  pixels->points = points;
  pixels->n = n;
  return TRUE;
}

static gboolean
cpu_run (void *state, const CsImage * image, CsEdgesPixels * pixels,
    GError ** error)
{
  Cpu *cpu = state;
  CsExecutor *executor = cpu->plan->executor;
  CsEdgesKernel kernel = cpu->plan->kernel;
  Job job = { &kernel, image, image->width, image->height };

  if (!alloc_job (cpu, &job, error))
    return FALSE;
  cs_executor_parallel_for (executor, job.n_chunks, blur_along_rows, &job);
  if (job.failed)
    return cs_fail_no_memory (error, "rows of a picture");
  cs_executor_parallel_for (executor, job.n_chunks, blur_across_rows, &job);
  cs_executor_parallel_for (executor, job.n_chunks, find_gradients, &job);
  cs_executor_parallel_for (executor, job.n_chunks, find_ridges, &job);
  const gsize n = exclusive_scan (job.counts, job.n_chunks);
  job.ridges = cs_scratch_ensure (&cpu->ridges, n * sizeof (guint32), error);
  guint32 *stack = job.ridges ? cs_scratch_ensure (&cpu->stack,
      n * sizeof (guint32), error) : NULL;
  if (!stack)
    return FALSE;
  cs_executor_parallel_for (executor, job.n_chunks, list_ridges, &job);
  if (cpu->plan->params.automatic && n > 0) {
    kernel.high2 = MAX (kernel.high2, select_magnitude (&job, n,
            cs_edges_percentile (n)));
    kernel.low2 = CS_EDGES_LOW2 * kernel.high2;
  }
  apply_hysteresis (&job, n, kernel.low2, kernel.high2, stack);
  return collect (cpu, &job, n, pixels, error);
}

const CsEdgesBackend cs_edges_cpu_backend = {
  .create = cpu_create,
  .run = cpu_run,
  .destroy = cpu_destroy,
};
