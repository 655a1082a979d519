/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: passes and jobs for a shape of image. */
#include "contours_cpu.h"

#include <math.h>
#include <string.h>

/* Samples that are worth a job of their own: some hundred microseconds. */
#define SAMPLES_PER_JOB (128 * 1024)

/* Interleaved channels are compared all at once unless fewer than one in this
 * many is wanted. */
#define MAX_UNUSED_RATIO 8

static gboolean
same_shape (const CsImage * a, const CsImage * b)
{
  return a->type == b->type && a->width == b->width && a->height == b->height &&
      a->channels == b->channels && a->pixel_stride == b->pixel_stride &&
      a->row_stride == b->row_stride && a->channel_stride == b->channel_stride;
}

static gsize
thresholds_size (const CsPass * pass, CsSampleType type)
{
  return pass->n * cs_sample_size (type);
}

/* Puts the levels of @pass into its thresholds. */
static void
set_thresholds (CsPass * pass, CsSampleType type)
{
  CsRowThreshold threshold;
  guint slot, i;

  pass->threshold.type = type;
  for (slot = 0; slot < pass->slots; slot++) {
    /* an automatic level is infinite when nothing is to be above it */
    if (pass->slot_target[slot] < 0 || pass->slot_level[slot] == INFINITY)
      cs_row_threshold_init_never (&threshold, type);
    else
      cs_row_threshold_init (&threshold, type, pass->slot_level[slot]);
    if (!pass->thresholds) {
      pass->threshold = threshold;
      return;
    }
    for (i = slot; i < pass->n; i += pass->slots)
      cs_row_threshold_store (&threshold, pass->thresholds, i);
  }
}

static void
init_pass (CsPass * pass, const CsImage * image, gsize offset, guint slots,
    gboolean gather)
{
  const gsize size = cs_sample_size (image->type);
  guint i;

  *pass = (CsPass) {
    .offset = offset,
    .slots = slots,
    .n = (image->width - 1) * slots + 1,
    .step = gather ? image->pixel_stride : size,
    .gather = gather,
    .slot_target = g_new (gint, slots),
    .slot_level = g_new0 (double, slots),
  };
  for (i = 0; i < slots; i++)
    pass->slot_target[i] = -1;
}

static void
set_slot (CsPass * pass, const CsImage * image, guint slot, guint target,
    double level)
{
  pass->slot_target[slot] = (gint) target;
  pass->slot_level[slot] = level;
  pass->n = MAX (pass->n, (image->width - 1) * pass->slots + slot + 1);
}

/* A pass for each target. */
static void
add_planar_passes (CsContoursCpu * cpu, const CsImage * image, gboolean gather)
{
  const CsContoursParams *params = &cpu->plan->params;
  guint t;

  cpu->n_passes = params->n_targets;
  cpu->passes = g_new0 (CsPass, cpu->n_passes);
  for (t = 0; t < params->n_targets; t++) {
    init_pass (&cpu->passes[t], image,
        params->targets[t].channel * image->channel_stride, 1, gather);
    set_slot (&cpu->passes[t], image, 0, t, params->targets[t].level);
  }
}

static void
set_columns (CsPass * pass)
{
  guint i;

  pass->column = g_new (guint32, pass->n);
  for (i = 0; i < pass->n; i++)
    pass->column[i] = i / pass->slots;
}

/* The first pass takes one target of each channel, the second the channels'
 * second ones, and so on. */
static void
add_interleaved_passes (CsContoursCpu * cpu, const CsImage * image, guint slots)
{
  const CsContoursParams *params = &cpu->plan->params;
  guint *n_seen = g_new0 (guint, image->channels);
  guint t, p;

  for (t = 0; t < params->n_targets; t++)
    cpu->n_passes = MAX (cpu->n_passes, ++n_seen[params->targets[t].channel]);
  cpu->passes = g_new0 (CsPass, cpu->n_passes);
  for (p = 0; p < cpu->n_passes; p++)
    init_pass (&cpu->passes[p], image, 0, slots, FALSE);
  memset (n_seen, 0, image->channels * sizeof (guint));
  for (t = 0; t < params->n_targets; t++) {
    const guint channel = params->targets[t].channel;

    set_slot (&cpu->passes[n_seen[channel]++], image, channel, t,
        params->targets[t].level);
  }
  for (p = 0; p < cpu->n_passes; p++) {
    cpu->passes[p].thresholds =
        g_malloc (thresholds_size (&cpu->passes[p], image->type));
    set_columns (&cpu->passes[p]);
  }
  g_free (n_seen);
}

static guint
count_channels (const CsContoursParams * params, guint n_channels)
{
  gboolean *seen = g_new0 (gboolean, n_channels);
  guint t, n = 0;

  for (t = 0; t < params->n_targets; t++) {
    n += !seen[params->targets[t].channel];
    seen[params->targets[t].channel] = TRUE;
  }
  g_free (seen);
  return n;
}

static void
add_passes (CsContoursCpu * cpu, const CsImage * image)
{
  const gsize size = cs_sample_size (image->type);
  const gsize slots = image->pixel_stride / size;
  const gboolean interleaved = slots > 1 && slots < G_MAXUINT / image->width &&
      image->channels <= slots &&
      (image->channels == 1 || image->channel_stride == size);

  if (interleaved && slots <= MAX_UNUSED_RATIO *
      count_channels (&cpu->plan->params, image->channels))
    add_interleaved_passes (cpu, image, (guint) slots);
  else
    add_planar_passes (cpu, image, slots > 1);
}

/* Hands out pieces of a block of memory; with no block it adds them up. */
typedef struct
{
  guint8 *memory;
  gsize used;
} Carver;

static void *
carve (Carver * carver, gsize size)
{
  void *piece = carver->memory ? carver->memory + carver->used : NULL;

  carver->used += (size + 63) / 64 * 64;
  return piece;
}

static void
carve_job (CsJob * job, const CsImage * image, Carver * carver)
{
  const CsPass *pass = job->pass;
  const gsize n = (gsize) image->width * pass->slots;
  const gsize rows = job->row1 - job->row0 + 1;
  guint i;

  /* two more words than samples need, for cells look to the right */
  job->n_words = (guint) (CS_ROW_WORDS (n) + 2);
  job->above = carve (carver, rows * job->n_words * sizeof (guint64));
  job->valid = carve (carver, rows * job->n_words * sizeof (guint64));
  job->bytes = carve (carver, CS_ROW_WORDS (n) * 64);
  job->gathered = pass->gather ?
      carve (carver, n * cs_sample_size (image->type)) : NULL;
  job->row_first = carve (carver, rows * sizeof (guint32));
  job->position = carve (carver, (3 * n + pass->slots) * sizeof (double));
  job->pending = carve (carver, (3 * n + pass->slots) * sizeof (gint32));
  for (i = 0; i < 2; i++)
    job->slots[i] = carve (carver, n * sizeof (CsSlot));
  job->last_segment = carve (carver, pass->slots * sizeof (gint32));
  job->last_row = carve (carver, pass->slots * sizeof (gint64));
  /* at most two ends of two segments in each cell of the first row */
  job->deferred = job->row0 > 0 ?
      carve (carver, 4 * n * sizeof (CsDeferred)) : NULL;
}

static guint
count_bands (const CsContoursCpu * cpu, const CsImage * image,
    const CsPass * pass)
{
  const guint n_threads = cs_executor_get_n_threads (cpu->plan->executor);
  const guint64 samples = (guint64) pass->n * image->height;
  guint64 n = MIN (samples / SAMPLES_PER_JOB + 1,
      (2 * n_threads + cpu->n_passes - 1) / cpu->n_passes);

  if (n_threads == 1)
    n = 1;
  return (guint) MIN (n, image->height - 1);
}

static gboolean
add_jobs (CsContoursCpu * cpu, const CsImage * image, GError ** error)
{
  Carver carver = { NULL, 0 };
  guint p, b, j;

  cpu->n_jobs = 0;
  for (p = 0; p < cpu->n_passes; p++) {
    cpu->passes[p].first_job = cpu->n_jobs;
    cpu->passes[p].n_jobs = count_bands (cpu, image, &cpu->passes[p]);
    cpu->n_jobs += cpu->passes[p].n_jobs;
  }
  cpu->jobs = g_new0 (CsJob, cpu->n_jobs);
  for (p = 0; p < cpu->n_passes; p++) {
    const CsPass *pass = &cpu->passes[p];

    for (b = 0; b < pass->n_jobs; b++) {
      CsJob *job = &cpu->jobs[pass->first_job + b];
      const guint64 rows = image->height - 1;

      job->pass = pass;
      job->row0 = (guint) (rows * b / pass->n_jobs);
      job->row1 = (guint) (rows * (b + 1) / pass->n_jobs);
      carve_job (job, image, &carver);
    }
  }
  if (!cs_scratch_ensure (&cpu->job_memory, carver.used, error))
    return FALSE;
  memset (cpu->job_memory.data, 0, carver.used);
  carver = (Carver) {
  cpu->job_memory.data, 0};
  for (j = 0; j < cpu->n_jobs; j++)
    carve_job (&cpu->jobs[j], image, &carver);
  return TRUE;
}

void
cs_cpu_clear_setup (CsContoursCpu * cpu)
{
  guint i;

  for (i = 0; i < cpu->n_passes; i++) {
    g_free (cpu->passes[i].thresholds);
    g_free (cpu->passes[i].slot_target);
    g_free (cpu->passes[i].slot_level);
    g_free (cpu->passes[i].column);
  }
  for (i = 0; i < cpu->n_jobs; i++)
    g_free (cpu->jobs[i].fragments);
  g_clear_pointer (&cpu->passes, g_free);
  g_clear_pointer (&cpu->jobs, g_free);
  cpu->n_passes = cpu->n_jobs = 0;
}

gboolean
cs_cpu_setup (CsContoursCpu * cpu, const CsImage * image, GError ** error)
{
  guint p;

  if (cpu->n_jobs > 0 && same_shape (&cpu->shape, image))
    return TRUE;
  cs_cpu_clear_setup (cpu);
  add_passes (cpu, image);
  for (p = 0; p < cpu->n_passes; p++)
    set_thresholds (&cpu->passes[p], image->type);
  if (!add_jobs (cpu, image, error)) {
    cs_cpu_clear_setup (cpu);
    return FALSE;
  }
  cpu->shape = *image;
  return TRUE;
}

/* The smallest and largest valid sample of a slot of @pass; none leaves them
 * as they are. */
static void
find_range (const CsContoursCpu * cpu, const CsPass * pass, guint slot,
    double *low, double *high)
{
  const CsImage *image = &cpu->input->image, *mask = cpu->input->mask;
  guint row, column;

  for (row = 0; row < image->height; row++) {
    const guint8 *mask_row = mask ?
        (const guint8 *) mask->data + row * mask->row_stride : NULL;

    for (column = 0; column < image->width; column++) {
      const double v = cs_cpu_sample (cpu, pass, row,
          column * pass->slots + slot);

      if (mask_row && !mask_row[column * mask->pixel_stride])
        continue;
      /* false for NaN */
      if (v < *low)
        *low = v;
      if (v > *high)
        *high = v;
    }
  }
}

void
cs_cpu_set_auto_levels (CsContoursCpu * cpu)
{
  guint p, slot;

  for (p = 0; p < cpu->n_passes; p++) {
    CsPass *pass = &cpu->passes[p];

    for (slot = 0; slot < pass->slots; slot++) {
      double low = INFINITY, high = -INFINITY;

      if (pass->slot_target[slot] < 0)
        continue;
      find_range (cpu, pass, slot, &low, &high);
      /* not a number without valid samples, or between opposite infinities:
       * nothing is above it */
      pass->slot_level[slot] = (low + high) / 2;
      if (isnan (pass->slot_level[slot]))
        pass->slot_level[slot] = INFINITY;
    }
    set_thresholds (pass, cpu->input->image.type);
  }
}
