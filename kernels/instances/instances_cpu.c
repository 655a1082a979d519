/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU backend: threads take objects in turn, each into a lane of its own;
 * then the lanes' rings are copied into the result in the order of the
 * objects. */
#include "instances_cpu.h"

#include <string.h>

#include "base/ids.h"
#include "base/sort.h"

/* Where an object's rings are. */
typedef struct
{
  guint lane;
  gsize first_ring, n_rings;
} Place;

typedef struct
{
  CsExecutor *executor;
  CsInstancesLane *lanes;
  guint n_lanes;
  CsScratch places, order, planar;
} CpuState;

/**
 * Run:
 * @fields: what lanes read
 * @order: the order in which objects are taken
 * @next: in it, what is taken next
 * @error: the first one, under @lock
 */
typedef struct
{
  CpuState *cpu;
  const CsInstancesJob *job;
  CsImage fields;
  Place *places;
  const CsSortItem32 *order;
  gint next, failed;
  GMutex lock;
  GError *error;
  CsContoursOutput *output;
} Run;

static void
clear_lane (CsInstancesLane * lane)
{
  cs_scratch_clear (&lane->values);
  cs_scratch_clear (&lane->bits);
  cs_scratch_clear (&lane->pending[0]);
  cs_scratch_clear (&lane->pending[1]);
  cs_scratch_clear (&lane->ring_of);
  cs_scratch_clear (&lane->samples);
  cs_scratch_clear (&lane->bases);
  cs_scratch_clear (&lane->lines);
  cs_scratch_clear (&lane->coefficients);
  cs_array_clear (&lane->points);
  cs_array_clear (&lane->rings);
}

static void
cpu_destroy (void *state)
{
  CpuState *cpu = state;

  for (guint i = 0; i < cpu->n_lanes; i++)
    clear_lane (&cpu->lanes[i]);
  g_free (cpu->lanes);
  cs_scratch_clear (&cpu->places);
  cs_scratch_clear (&cpu->order);
  cs_scratch_clear (&cpu->planar);
  g_free (cpu);
}

static void *
cpu_create (CsExecutor * executor, G_GNUC_UNUSED GError ** error)
{
  CpuState *cpu = g_new0 (CpuState, 1);

  cpu->executor = executor;
  cpu->n_lanes = cs_executor_get_n_threads (executor);
  cpu->lanes = g_new0 (CsInstancesLane, cpu->n_lanes);
  for (guint i = 0; i < cpu->n_lanes; i++) {
    cs_array_init (&cpu->lanes[i].points, 2 * sizeof (float));
    cs_array_init (&cpu->lanes[i].rings, sizeof (CsInstancesRing));
  }
  return cpu;
}

/* --- Fields --------------------------------------------------------------- */

static void
make_plane (gpointer data, guint k)
{
  const Run *run = data;
  const CsImage *from = &run->job->input->fields;
  float *to = (float *) run->cpu->planar.data +
      (gsize) k * from->width * from->height;

  for (guint y = 0; y < from->height; y++)
    for (guint x = 0; x < from->width; x++)
      *to++ = (float) cs_sample_load ((const guint8 *) from->data +
          k * from->channel_stride + y * from->row_stride +
          x * from->pixel_stride, from->type);
}

/* Prototypes, which are read many times, as planes of single precision. */
static gboolean
prepare_fields (Run * run, GError ** error)
{
  const CsImage *from = &run->job->input->fields;

  run->fields = *from;
  if (!run->job->input->coefficients) {
    cs_instances_take (CS_INSTANCES_GIVEN);
    return TRUE;
  }
  if (from->type == CS_SAMPLE_F32 && from->pixel_stride == sizeof (float)) {
    cs_instances_take (CS_INSTANCES_PRODUCTS);
    return TRUE;
  }
  cs_instances_take (CS_INSTANCES_INTERLEAVED);
  if (!cs_scratch_ensure (&run->cpu->planar, sizeof (float) * from->width *
          from->height * from->channels, error))
    return FALSE;
  cs_executor_parallel_for (run->cpu->executor, from->channels, make_plane,
      run);
  run->fields = cs_image_gray (run->cpu->planar.data, CS_SAMPLE_F32,
      from->width, from->height, from->width * sizeof (float));
  run->fields.channels = from->channels;
  run->fields.channel_stride = run->fields.row_stride * from->height;
  return TRUE;
}

/* Objects from the top of the picture down, so that the rows of prototypes that
 * several of them need are in a cache. */
static gboolean
find_order (Run * run, GError ** error)
{
  const gsize n = run->job->n_grids;
  CsSortItem32 *items = cs_scratch_ensure (&run->cpu->order,
      2 * MAX (n, 1) * sizeof (*items), error);

  if (!items)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    items[i] = (CsSortItem32) { (guint32) (run->job->grids[i].y.tap[0] + 1),
      (guint32) i
    };
  run->order = cs_sort32 (items, items + n, n);
  return TRUE;
}

/* --- Rings ---------------------------------------------------------------- */

static void
fail (Run * run, GError * error)
{
  g_mutex_lock (&run->lock);
  if (!run->error)
    run->error = error;
  else
    g_error_free (error);
  g_mutex_unlock (&run->lock);
  g_atomic_int_set (&run->failed, TRUE);
}

static void
run_lane (gpointer data, guint index)
{
  Run *run = data;
  CsInstancesLane *lane = &run->cpu->lanes[index];
  const gint n = (gint) run->job->n_grids;
  GError *error = NULL;
  gint next;

  cs_array_empty (&lane->points);
  cs_array_empty (&lane->rings);
  while (!g_atomic_int_get (&run->failed) &&
      (next = g_atomic_int_add (&run->next, 1)) < n) {
    const guint32 i = run->order[next].value;
    const CsInstancesGrid *grid = &run->job->grids[i];
    const gsize first = lane->rings.len;

    if (!cs_instances_cpu_fill (run->job, &run->fields, grid, lane, &error) ||
        !cs_instances_cpu_trace (run->job, grid, lane, &error)) {
      fail (run, error);
      return;
    }
    run->places[i] = (Place) { index, first, lane->rings.len - first };
  }
}

/* --- Results -------------------------------------------------------------- */

static CsInstancesRing *
rings_of (const Run * run, gsize i)
{
  const Place *place = &run->places[i];

  return (CsInstancesRing *) (gpointer) run->cpu->lanes[place->lane].rings.data +
      place->first_ring;
}

/* Counts what is kept. */
static void
count (const Run * run, CsContoursOutput * output)
{
  for (gsize i = 0; i < run->job->n_grids; i++)
    for (gsize j = 0; j < run->places[i].n_rings; j++) {
      const CsInstancesRing *ring = &rings_of (run, i)[j];

      if (ring->kept) {
        output->n_contours++;
        output->n_points += ring->n_points;
        output->n_segments += ring->n_points - 1;
      } else {
        output->n_dropped++;
      }
    }
}

/* The rings of object @i, as contours from @index and points from @point on. */
static void
emit (const Run * run, gsize i, gsize * index, gsize * point)
{
  CsContoursOutput *output = run->output;
  const CsInstancesLane *lane = &run->cpu->lanes[run->places[i].lane];
  const gint32 first_id = run->job->input->first_id;
  CsInstancesRing *rings = rings_of (run, i);

  for (gsize j = 0; j < run->places[i].n_rings; j++) {
    CsInstancesRing *ring = &rings[j];

    if (!ring->kept)
      continue;
    ring->contour.id = cs_ids_get (first_id, *index);
    if (ring->contour.parent >= 0)
      ring->contour.parent = rings[ring->contour.parent].contour.id;
    output->contours[*index] = ring->contour;
    if (output->moments)
      output->moments[*index] = ring->moments;
    output->offsets[(*index)++] = (guint32) * point;
    memcpy ((float *) output->points + 2 * *point, lane->points.data +
        ring->first_point * lane->points.size,
        ring->n_points * lane->points.size);
    *point += ring->n_points;
  }
}

static gboolean
publish (Run * run, GError ** error)
{
  CsContoursOutput *output = run->output;
  const CsMeasures measures = run->job->params->measures;
  CsContoursLayout layout;
  gsize index = 0, point = 0;

  count (run, output);
  if (!cs_instances_check_result (run->job->input, output->n_contours,
          output->n_points, error))
    return FALSE;
  cs_contours_layout (CS_POINTS_F32, measures, output->n_contours,
      output->n_points, &layout);
  guint8 *memory = output->alloc (output->user_data, layout.size, TRUE);
  if (!memory)
    return cs_fail_no_memory (error, "polygons of objects");
  output->points = memory + layout.points;
  output->offsets = (guint32 *) (gpointer) (memory + layout.offsets);
  output->contours = (CsContour *) (gpointer) (memory + layout.contours);
  if (measures == CS_MEASURES_FULL)
    output->moments = (CsContourMoments *) (gpointer) (memory + layout.moments);
  for (gsize i = 0; i < run->job->n_grids; i++)
    emit (run, i, &index, &point);
  output->offsets[index] = (guint32) point;
  return TRUE;
}

/* --- Runs ----------------------------------------------------------------- */

static gboolean
check_memory (const CsInstancesInput * input, GError ** error)
{
  if (input->fields.memory == CS_MEMORY_DEVICE || (input->coefficients &&
          input->coefficients->memory == CS_MEMORY_DEVICE))
    return cs_error (error, CS_ERROR_INVALID,
        "fields are in GPU memory: download them first to use the CPU");
  return TRUE;
}

static gboolean
cpu_warm_up (G_GNUC_UNUSED void *state, const CsInstancesJob * job,
    GError ** error)
{
  return check_memory (job->input, error);
}

static gboolean
cpu_run (void *state, const CsInstancesJob * job, CsContoursOutput * output,
    GError ** error)
{
  CpuState *cpu = state;
  Run run = {.cpu = cpu,.job = job,.output = output };
  const guint n_lanes = (guint) MIN (cpu->n_lanes, job->n_grids);

  run.places = cs_scratch_ensure (&cpu->places, MAX (job->n_grids, 1) *
      sizeof (Place), error);
  if (!run.places || !check_memory (job->input, error) ||
      !prepare_fields (&run, error) || !find_order (&run, error))
    return FALSE;
  if (n_lanes > 1)
    cs_instances_take (CS_INSTANCES_SEVERAL);
  g_mutex_init (&run.lock);
  cs_executor_parallel_for (cpu->executor, n_lanes, run_lane, &run);
  g_mutex_clear (&run.lock);
  if (run.error) {
    g_propagate_error (error, run.error);
    return FALSE;
  }
  return publish (&run, error);
}

const CsInstancesBackend cs_instances_cpu_backend = {
  cpu_create,
  cpu_warm_up,
  cpu_run,
  cpu_destroy,
};
