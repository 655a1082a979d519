/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU backend: threads take bands of rows in turn, each into a lane of its
 * own; rings across bands are joined; then all are put into order, and copied
 * into the result. Strips are bands that come later. */
#include "labels_cpu.h"

#include "base/ids.h"
#include "base/sort.h"
#include "contours/contours_measure.h"

/* Cells of a band: they stay in a cache of a core */
#define BAND_CELLS (1u << 19)
#define MIN_ROWS 32
/* Rings that are measured and copied in turn */
#define CHUNK 64

/**
 * LabelsCpu:
 * @bands: CsLabelsBand, of all strips
 * @joined, @joined_points: rings across bands
 * @above: the last row of labels of the strips so far
 * @n_rows: of these
 * @scratch: while a result is made
 */
typedef struct
{
  CsExecutor *executor;
  CsLabelsLane *lanes;
  guint n_lanes;
  CsArray bands, joined, joined_points;
  CsScratch above;
  gsize n_rows;
  CsScratch joins, rings, points, items, parents, searches[3], numbers;
} LabelsCpu;

static void
clear_lane (CsLabelsLane * lane)
{
  cs_scratch_clear (&lane->rows);
  cs_scratch_clear (&lane->cells);
  cs_array_clear (&lane->ends);
  cs_array_clear (&lane->points);
  cs_array_clear (&lane->rings);
  cs_array_clear (&lane->fragments);
}

static void
cpu_destroy (void *state)
{
  LabelsCpu *cpu = state;

  for (guint i = 0; i < cpu->n_lanes; i++)
    clear_lane (&cpu->lanes[i]);
  g_free (cpu->lanes);
  cs_array_clear (&cpu->bands);
  cs_array_clear (&cpu->joined);
  cs_array_clear (&cpu->joined_points);
  cs_scratch_clear (&cpu->above);
  cs_scratch_clear (&cpu->joins);
  cs_scratch_clear (&cpu->rings);
  cs_scratch_clear (&cpu->points);
  cs_scratch_clear (&cpu->items);
  cs_scratch_clear (&cpu->parents);
  cs_scratch_clear (&cpu->numbers);
  for (guint i = 0; i < G_N_ELEMENTS (cpu->searches); i++)
    cs_scratch_clear (&cpu->searches[i]);
  g_free (cpu);
}

static void *
cpu_create (CsExecutor * executor, G_GNUC_UNUSED GError ** error)
{
  LabelsCpu *cpu = g_new0 (LabelsCpu, 1);

  cpu->executor = executor;
  cpu->n_lanes = cs_executor_get_n_threads (executor);
  cpu->lanes = g_new0 (CsLabelsLane, cpu->n_lanes);
  for (guint i = 0; i < cpu->n_lanes; i++) {
    CsLabelsLane *lane = &cpu->lanes[i];

    cs_array_init (&lane->ends, sizeof (CsLabelsEnd));
    cs_array_init (&lane->points, sizeof (CsLabelsPoint));
    cs_array_init (&lane->rings, sizeof (CsLabelsRing));
    cs_array_init (&lane->fragments, sizeof (CsLabelsFragment));
  }
  cs_array_init (&cpu->bands, sizeof (CsLabelsBand));
  cs_array_init (&cpu->joined, sizeof (CsLabelsRing));
  cs_array_init (&cpu->joined_points, sizeof (CsLabelsPoint));
  return cpu;
}

/* Memory grows with what the first picture has. */
static gboolean
cpu_warm_up (G_GNUC_UNUSED void *state,
    G_GNUC_UNUSED const CsLabelsParams * params, const CsLabelsPicture * picture,
    GError ** error)
{
  if (picture->memory == CS_MEMORY_DEVICE)
    return cs_error (error, CS_ERROR_INVALID,
        "labels are in GPU memory: download them first to use the CPU");
  return TRUE;
}

/* --- Bands ---------------------------------------------------------------- */

/**
 * Run:
 * @first_band, @n_bands: that are made
 * @next: in them, what is taken next
 * @failed: the first one that has failed, with @error, under @lock
 */
typedef struct
{
  LabelsCpu *cpu;
  CsLabelsJob job;
  gsize first_band;
  gint n_bands, next, failed;
  GMutex lock;
  GError *error;
} Run;

static void
fail (Run * run, gint band, GError * error)
{
  g_mutex_lock (&run->lock);
  if (band < g_atomic_int_get (&run->failed)) {
    g_clear_error (&run->error);
    run->error = error;
    g_atomic_int_set (&run->failed, band);
  } else {
    g_error_free (error);
  }
  g_mutex_unlock (&run->lock);
}

static void
run_lane (gpointer data, guint index)
{
  Run *run = data;
  GError *error = NULL;
  gint next;

  while ((next = g_atomic_int_add (&run->next, 1)) <
      g_atomic_int_get (&run->failed)) {
    CsLabelsBand *band = &cs_array_index (&run->cpu->bands, CsLabelsBand,
        run->first_band + next);

    band->lane = index;
    if (!cs_labels_cpu_band (&run->job, band, &run->cpu->lanes[index],
            &error)) {
      fail (run, next, error);
      return;
    }
  }
}

/* The bands of @n_rows rows of cells from @first on. */
static gboolean
make_bands (LabelsCpu * cpu, gsize first, gsize n_rows, gsize stride,
    GError ** error)
{
  gsize each = MAX (BAND_CELLS / stride, MIN_ROWS);

  if (cpu->n_lanes > 1)
    each = CLAMP (n_rows / (4 * cpu->n_lanes), MIN_ROWS, each);
  for (gsize at = 0; at < n_rows; at += each) {
    const CsLabelsBand band = {
      .first = first + at,.n = (guint) MIN (each, n_rows - at)
    };

    if (!cs_array_append_val (&cpu->bands, band))
      return cs_fail_no_memory (error, "bands of labels");
  }
  if (n_rows > each)
    cs_labels_take (CS_LABELS_SEVERAL);
  return TRUE;
}

static void
cpu_begin (void *state)
{
  LabelsCpu *cpu = state;

  for (guint i = 0; i < cpu->n_lanes; i++) {
    CsLabelsLane *lane = &cpu->lanes[i];

    cs_array_empty (&lane->points);
    cs_array_empty (&lane->rings);
    cs_array_empty (&lane->fragments);
    lane->n_steps = 0;
  }
  cs_array_empty (&cpu->bands);
  cs_array_empty (&cpu->joined);
  cs_array_empty (&cpu->joined_points);
  cpu->n_rows = 0;
}

/* The rings and fragments of @input, which is below what is there already, and
 * if it is the last, of the picture's lower side. */
static gboolean
add_rows (LabelsCpu * cpu, const CsLabelsParams * params,
    const CsLabelsInput * input, gboolean is_last, GError ** error)
{
  const CsLabelsPicture *picture = &input->picture;
  Run run = {
    .cpu = cpu,
    .job = {
          .params = params,
          .input = input,
          .first_row = cpu->n_rows,
          .above = cpu->n_rows > 0 ? cpu->above.data : NULL,
        },
    .first_band = cpu->bands.len,
  };

  if (!cpu_warm_up (cpu, params, picture, error) ||
      !make_bands (cpu, cpu->n_rows, (gsize) picture->height + is_last,
          (gsize) picture->width + 1, error))
    return FALSE;
  run.failed = run.n_bands = (gint) (cpu->bands.len - run.first_band);
  g_mutex_init (&run.lock);
  cs_executor_parallel_for (cpu->executor,
      MIN (cpu->n_lanes, (guint) run.n_bands), run_lane, &run);
  g_mutex_clear (&run.lock);
  if (run.error) {
    g_propagate_error (error, run.error);
    return FALSE;
  }
  cpu->n_rows += picture->height;
  return TRUE;
}

/* --- Results -------------------------------------------------------------- */

/**
 * Result:
 * @parents: of each ring the index of another, or -1
 * @numbers: of each ring that in the result, or -1 if it is left out
 * @starts: of each ring its first point there
 */
typedef struct
{
  const LabelsCpu *cpu;
  const CsLabelsParams *params;
  const CsLabelsInput *input;
  CsLabelsRings all;
  gint32 *parents, *numbers;
  guint32 *starts;
  CsContoursOutput *output;
} Result;

static gsize
count_rings (const LabelsCpu * cpu)
{
  gsize n = cpu->joined.len;

  for (guint i = 0; i < cpu->n_lanes; i++)
    n += cpu->lanes[i].rings.len;
  return n;
}

static gsize
add_rings (const CsArray * from, const CsLabelsRing ** to)
{
  for (gsize i = 0; i < from->len; i++)
    to[i] = &cs_array_index (from, CsLabelsRing, i);
  return from->len;
}

/* All rings, and where their points are. */
static gboolean
list_rings (LabelsCpu * cpu, Result * result, GError ** error)
{
  CsLabelsRings *all = &result->all;
  gsize n = 0;

  all->n = count_rings (cpu);
  if (!cs_ids_check (result->input->first_id, all->n, "rings of labels", error))
    return FALSE;
  all->rings = cs_scratch_ensure (&cpu->rings, 2 * (all->n + 1) *
      sizeof (gpointer), error);
  all->points = all->rings ? cs_scratch_ensure (&cpu->points,
      (cpu->n_lanes + 1) * sizeof (gpointer), error) : NULL;
  if (!all->points)
    return FALSE;
  for (guint i = 0; i < cpu->n_lanes; i++) {
    all->points[i] = (const float *) (gconstpointer) cpu->lanes[i].points.data;
    n += add_rings (&cpu->lanes[i].rings, all->rings + n);
  }
  all->points[cpu->n_lanes] = (const float *) (gconstpointer)
      cpu->joined_points.data;
  add_rings (&cpu->joined, all->rings + n);
  return TRUE;
}

/* By label, and then by the first cell. */
static gboolean
sort_rings (LabelsCpu * cpu, CsLabelsRings * all, GError ** error)
{
  const gsize n = all->n;
  CsSortItem *items = cs_scratch_ensure (&cpu->items,
      2 * (n + 1) * sizeof (*items), error);
  const CsLabelsRing **sorted = all->rings + n;

  if (!items)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    items[i] = (CsSortItem) { (guint64) all->rings[i]->first_cell, (guint32) i };
  items = cs_sort (items, items + n, n);
  for (gsize i = 0; i < n; i++)
    sorted[i] = all->rings[items[i].value];

  CsSortItem32 *narrow = cpu->items.data;

  for (gsize i = 0; i < n; i++)
    narrow[i] = (CsSortItem32) { sorted[i]->label, (guint32) i };
  narrow = cs_sort32 (narrow, narrow + n, n);
  for (gsize i = 0; i < n; i++)
    all->rings[i] = sorted[narrow[i].value];
  return TRUE;
}

/* Of each ring whether it is large enough, as its number. */
static void
weigh_chunk (gpointer data, guint chunk)
{
  const Result *result = data;
  const CsLabelsRings *all = &result->all;
  const gsize begin = (gsize) chunk * CHUNK;

  for (gsize i = begin; i < MIN (begin + CHUNK, all->n); i++) {
    CsContour contour = {.flags = CS_CONTOUR_CLOSED };

    cs_contours_measure (cs_labels_cpu_points (all, all->rings[i]),
        CS_POINTS_F32, all->rings[i]->n_points, CS_MEASURES_NONE, &contour,
        NULL);
    result->numbers[i] = fabs (contour.area) >= result->params->min_area;
  }
}

static void
for_chunks (const Result * result, CsParallelFunc func)
{
  cs_executor_parallel_for (result->cpu->executor,
      (guint) ((result->all.n + CHUNK - 1) / CHUNK), func, (gpointer) result);
}

/* Numbers the rings of the result. */
static gboolean
number_rings (const Result * result, GError ** error)
{
  const CsLabelsRings *all = &result->all;
  CsContoursOutput *output = result->output;

  for (gsize i = 0; i < all->n; i++)
    result->numbers[i] = 1;
  if (result->params->min_area > 0.)
    for_chunks (result, weigh_chunk);
  for (gsize i = 0; i < all->n; i++) {
    const gboolean is_kept = result->numbers[i];

    result->starts[i] = (guint32) output->n_points;
    result->numbers[i] = is_kept ? (gint32) output->n_contours : -1;
    output->n_contours += is_kept;
    output->n_points += is_kept ? all->rings[i]->n_points : 0;
  }
  output->n_dropped = all->n - output->n_contours;
  if (output->n_dropped > 0)
    cs_labels_take (CS_LABELS_SMALL);
  return cs_labels_check_result (result->input->first_id, output->n_contours,
      output->n_points, error);
}

static void
write_ring (const Result * result, gsize i)
{
  const CsLabelsRing *ring = result->all.rings[i];
  const gint32 first_id = result->input->first_id;
  CsContoursOutput *output = result->output;
  const gint32 number = result->numbers[i], parent = result->parents[i];
  float *points = (float *) output->points + 2 * (gsize) result->starts[i];
  CsContour *contour = &output->contours[number];

  memcpy (points, cs_labels_cpu_points (&result->all, ring),
      ring->n_points * sizeof (CsLabelsPoint));
  *contour = (CsContour) {
    .id = cs_ids_get (first_id, number),
    .parent = parent < 0 ? -1 : cs_ids_get (first_id, result->numbers[parent]),
    .class_id = (gint32) ring->label,
    .image = result->input->image_index,
    .flags = CS_CONTOUR_CLOSED | (ring->is_hole ? CS_CONTOUR_HOLE : 0),
    .level = .5,
  };
  output->offsets[number] = result->starts[i];
  cs_contours_measure (points, CS_POINTS_F32, ring->n_points,
      result->params->measures, contour,
      output->moments ? &output->moments[number] : NULL);
}

static void
write_chunk (gpointer data, guint chunk)
{
  const Result *result = data;
  const gsize begin = (gsize) chunk * CHUNK;

  for (gsize i = begin; i < MIN (begin + CHUNK, result->all.n); i++) {
    cs_labels_cpu_fetch (&result->all, i);
    if (result->numbers[i] >= 0)
      write_ring (result, i);
  }
}

static gboolean
write_result (const Result * result, GError ** error)
{
  CsContoursOutput *output = result->output;
  CsContoursLayout layout;

  cs_contours_layout (CS_POINTS_F32, result->params->measures,
      output->n_contours, output->n_points, &layout);
  guint8 *memory = output->alloc (output->user_data, layout.size, TRUE);

  if (!memory)
    return cs_fail_no_memory (error, "polygons of labels");
  output->points = memory + layout.points;
  output->offsets = (guint32 *) (gpointer) (memory + layout.offsets);
  output->contours = (CsContour *) (gpointer) (memory + layout.contours);
  if (result->params->measures == CS_MEASURES_FULL)
    output->moments = (CsContourMoments *) (gpointer) (memory + layout.moments);
  output->offsets[output->n_contours] = (guint32) output->n_points;
  for (guint i = 0; i < result->cpu->n_lanes; i++)
    output->n_segments += result->cpu->lanes[i].n_steps;
  for_chunks (result, write_chunk);
  return TRUE;
}

static gboolean
ensure (LabelsCpu * cpu, Result * result, GError ** error)
{
  const gsize size = (result->all.n + 1) * sizeof (gint32);

  result->parents = cs_scratch_ensure (&cpu->parents, size, error);
  result->numbers = result->parents ? cs_scratch_ensure (&cpu->numbers, 2 * size,
      error) : NULL;
  if (!result->numbers)
    return FALSE;
  result->starts = (guint32 *) result->numbers + result->all.n + 1;
  return TRUE;
}

/* The rings of all bands. */
static gboolean
publish (LabelsCpu * cpu, const CsLabelsParams * params,
    const CsLabelsInput * input, CsContoursOutput * output, GError ** error)
{
  const gsize stride = (gsize) input->picture.width + 1;
  Result result = {
    .cpu = cpu,
    .params = params,
    .input = input,
    .all = {
          .stride = stride,
          .origin_x = input->origin_x,
          .origin_y = input->origin_y,
        },
    .output = output,
  };

  return cs_labels_cpu_join (&cpu->bands, cpu->lanes, cpu->n_lanes, stride,
      &cpu->joins, &cpu->joined, &cpu->joined_points, error) &&
      list_rings (cpu, &result, error) &&
      sort_rings (cpu, &result.all, error) && ensure (cpu, &result, error) &&
      cs_labels_cpu_parents (cpu->executor, &result.all, params->outline,
      cpu->searches, result.parents, error) &&
      number_rings (&result, error) && write_result (&result, error);
}

/* --- Runs ----------------------------------------------------------------- */

static gboolean
cpu_run (void *state, const CsLabelsParams * params,
    const CsLabelsInput * input, CsContoursOutput * output, GError ** error)
{
  cpu_begin (state);
  return add_rows (state, params, input, TRUE, error) &&
      publish (state, params, input, output, error);
}

/* Keeps the last row of @strip for the next one. */
static gboolean
keep_row (LabelsCpu * cpu, const CsLabelsParams * params,
    const CsLabelsInput * strip, GError ** error)
{
  const CsLabelsJob job = {.params = params,.input = strip };
  guint32 *row = cs_scratch_ensure (&cpu->above,
      ((gsize) strip->picture.width + 2) * sizeof (guint32), error);

  return row && cs_labels_cpu_load (&job, strip->picture.height - 1, row, error);
}

static gboolean
cpu_add_strip (void *state, const CsLabelsParams * params,
    const CsLabelsInput * strip, GError ** error)
{
  cs_labels_take (CS_LABELS_STRIPS);
  return strip->picture.height == 0 ||
      (add_rows (state, params, strip, FALSE, error) &&
      keep_row (state, params, strip, error));
}

static gboolean
cpu_finish (void *state, const CsLabelsParams * params,
    const CsLabelsInput * first, CsContoursOutput * output, GError ** error)
{
  const CsLabelsInput none = { 0 };
  CsLabelsInput end = first ? *first : none;

  end.picture.height = 0;
  end.picture.memory = CS_MEMORY_HOST;
  return add_rows (state, params, &end, TRUE, error) &&
      publish (state, params, &end, output, error);
}

const CsLabelsBackend cs_labels_cpu_backend = {
  cpu_create,
  cpu_warm_up,
  cpu_run,
  cpu_begin,
  cpu_add_strip,
  cpu_finish,
  cpu_destroy,
};
