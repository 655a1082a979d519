/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: planes, groups and jobs for a shape of image. */
#include "contours_cpu.h"

#include <string.h>

#include "base/memory.h"

gsize cs_cpu_samples_per_job = 128 * 1024;
guint cs_cpu_band_rows = 64;

/* Interleaved channels are compared together unless fewer than one in this many
 * is used. */
#define MAX_UNUSED_RATIO 8

static gboolean
same_shape (const CsImage * a, const CsImage * b)
{
  return a->type == b->type && a->width == b->width && a->height == b->height &&
      a->channels == b->channels && a->pixel_stride == b->pixel_stride &&
      a->row_stride == b->row_stride && a->channel_stride == b->channel_stride;
}

/* The channel of the input's image that target @t reads, if it does. */
static guint
get_channel (const CsContoursCpu * cpu, guint t)
{
  const gint plane = cpu->plan->planes.of_target[t];

  return plane >= 0 ? (guint) plane : cpu->plan->params.targets[t].channel;
}

static void
add_planes (CsContoursCpu * cpu, const CsImage * image, const CsImage * planes)
{
  const CsContoursParams *params = &cpu->plan->params;

  cpu->planes = g_new0 (CsPlane, params->n_targets);
  for (guint t = 0; t < params->n_targets; t++) {
    const gint plane = cpu->plan->planes.of_target[t];

    cpu->planes[t].derived = plane >= 0 && !cpu->plan->planes.all;
    cpu->planes[t].offset = cpu->planes[t].derived ?
        (guint) plane * planes->channel_stride :
        get_channel (cpu, t) * image->channel_stride;
    cpu->planes[t].level = params->targets[t].level;
  }
}

static void
init_group (CsGroup * group, const CsImage * image, guint slots)
{
  group->slots = slots;
  group->n = (image->width - 1) * slots + 1;
  group->slot_plane = g_new (gint, slots);
  for (guint i = 0; i < slots; i++)
    group->slot_plane[i] = -1;
}

/* A group for each plane; after interleaved ones only for derived planes. */
static void
add_single_groups (CsContoursCpu * cpu, const CsImage * image, gboolean gather,
    gboolean derived_only)
{
  for (guint t = 0; t < cpu->plan->params.n_targets; t++) {
    CsGroup *group = &cpu->groups[cpu->n_groups];

    if (derived_only && !cpu->planes[t].derived)
      continue;
    init_group (group, image, 1);
    group->derived = cpu->planes[t].derived;
    group->offset = cpu->planes[t].offset;
    group->gather = gather && !group->derived;
    group->slot_plane[0] = (gint) t;
    cpu->n_groups++;
  }
}

static gboolean
add_thresholds (CsContoursCpu * cpu, const CsImage * image, GError ** error)
{
  for (guint g = 0; g < cpu->n_groups; g++) {
    if (cpu->groups[g].slots == 1)
      continue;
    cpu->groups[g].thresholds = cs_try_malloc_n (cpu->groups[g].n,
        cs_sample_size (image->type));
    if (!cpu->groups[g].thresholds)
      return cs_fail_no_memory (error, "the levels of a row");
  }
  return TRUE;
}

/* Group k holds the k-th target of each channel. */
static void
add_interleaved_groups (CsContoursCpu * cpu, const CsImage * image, guint slots)
{
  const CsContoursParams *params = &cpu->plan->params;
  g_autofree guint *n_seen = g_new0 (guint, image->channels);

  for (guint t = 0; t < params->n_targets; t++) {
    if (cpu->planes[t].derived)
      continue;
    guint g = ++n_seen[get_channel (cpu, t)];
    cpu->n_groups = MAX (cpu->n_groups, g);
  }
  for (guint g = 0; g < cpu->n_groups; g++)
    init_group (&cpu->groups[g], image, slots);
  memset (n_seen, 0, image->channels * sizeof (guint));
  for (guint t = 0; t < params->n_targets; t++) {
    const guint channel = cpu->planes[t].derived ? 0 : get_channel (cpu, t);

    if (cpu->planes[t].derived)
      continue;
    CsGroup *group = &cpu->groups[n_seen[channel]++];
    group->slot_plane[channel] = (gint) t;
    group->n = MAX (group->n, (image->width - 1) * slots + channel + 1);
  }
}

/* Channels of the input's image that are read. */
static guint
count_channels (const CsContoursCpu * cpu, guint n_channels)
{
  g_autofree gboolean *range = g_new0 (gboolean, n_channels);
  guint t, n = 0;

  for (t = 0; t < cpu->plan->params.n_targets; t++) {
    if (cpu->planes[t].derived)
      continue;
    n += !range[get_channel (cpu, t)];
    range[get_channel (cpu, t)] = TRUE;
  }
  return n;
}

static gboolean
add_groups (CsContoursCpu * cpu, const CsImage * image, GError ** error)
{
  const gsize size = cs_sample_size (image->type);
  const gsize slots = image->pixel_stride / size;
  const gboolean interleaved = slots > 1 && slots < G_MAXUINT / image->width &&
      image->channels <= slots &&
      (image->channels == 1 || image->channel_stride == size);

  cpu->groups = g_new0 (CsGroup, cpu->plan->params.n_targets);
  if (interleaved && slots <= MAX_UNUSED_RATIO *
      count_channels (cpu, image->channels)) {
    add_interleaved_groups (cpu, image, (guint) slots);
    cs_contours_take (CS_CONTOURS_INTERLEAVED);
    guint g = cpu->n_groups;
    add_single_groups (cpu, image, FALSE, TRUE);
    if (cpu->n_groups > g)
      cs_contours_take (CS_CONTOURS_BESIDE_INTERLEAVED);
    if (!add_thresholds (cpu, image, error))
      return FALSE;
  } else {
    add_single_groups (cpu, image, slots > 1, FALSE);
    cs_contours_take (slots > 1 ? CS_CONTOURS_GATHERED : CS_CONTOURS_SINGLE);
  }
  for (guint g = 0; g < cpu->n_groups; g++)
    cs_cpu_set_thresholds (cpu, &cpu->groups[g]);
  return TRUE;
}

/* Number of jobs to split rows into: enough for all threads over @n_parallel
 * planes or groups, none too small. */
static guint
count_jobs (const CsContoursCpu * cpu, guint64 n_samples, guint n_rows,
    guint n_parallel)
{
  const guint n_threads = cs_executor_get_n_threads (cpu->plan->executor);
  guint64 n = MIN (n_samples / cs_cpu_samples_per_job + 1,
      (2 * n_threads + n_parallel - 1) / n_parallel);

  if (n_threads == 1)
    n = 1;
  return (guint) MIN (n, n_rows);
}

static void
add_classify_jobs (CsContoursCpu * cpu, const CsImage * image)
{
  GArray *jobs = g_array_new (FALSE, TRUE, sizeof (CsClassifyJob));

  for (guint g = 0; g < cpu->n_groups; g++) {
    const guint n_each = count_jobs (cpu, (guint64) cpu->groups[g].n *
        image->height, image->height, cpu->n_groups);

    for (guint b = 0; b < n_each; b++) {
      const CsClassifyJob job = {
        .group = &cpu->groups[g],
        .row0 = (guint) ((guint64) image->height * b / n_each),
        .row1 = (guint) ((guint64) image->height * (b + 1) / n_each),
      };

      g_array_append_val (jobs, job);
    }
  }
  cpu->n_classify_jobs = jobs->len;
  cpu->classify_jobs = (CsClassifyJob *) g_array_free (jobs, FALSE);
}

static void
add_jobs (CsContoursCpu * cpu, const CsImage * image)
{
  const guint n_planes = cpu->plan->params.n_targets;
  const guint n_rows = image->height - 1;
  const guint n_each = count_jobs (cpu, (guint64) image->width *
      image->height, n_rows, n_planes);

  cs_contours_take (n_each > 1 ? CS_CONTOURS_JOBS : CS_CONTOURS_ONE_JOB);
  cpu->n_jobs = n_planes * n_each;
  cpu->jobs = g_new0 (CsJob, cpu->n_jobs);
  for (guint p = 0; p < n_planes; p++) {
    cpu->planes[p].first_job = p * n_each;
    cpu->planes[p].n_jobs = n_each;
    for (guint b = 0; b < n_each; b++) {
      CsJob *job = &cpu->jobs[p * n_each + b];

      job->plane = &cpu->planes[p];
      job->row0 = (guint) ((guint64) n_rows * b / n_each);
      job->row1 = (guint) ((guint64) n_rows * (b + 1) / n_each);
      job->n_bands = (job->row1 - job->row0 - 1) / cs_cpu_band_rows + 1;
      if (job->n_bands > 1)
        cs_contours_take (CS_CONTOURS_BANDS);
      job->bands = g_new0 (CsBand, job->n_bands);
    }
  }
}

/* Bump allocator over a block; without a block it adds up the size. */
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
carve_all (CsContoursCpu * cpu, const CsImage * image, Carver * carver)
{
  const gsize width = image->width;
  const gsize plane_bits = (gsize) image->height * cpu->n_words *
      sizeof (guint64);

  cpu->all_valid = carve (carver, cpu->n_words * sizeof (guint64));
  for (guint p = 0; p < cpu->plan->params.n_targets; p++) {
    cpu->planes[p].above = carve (carver, plane_bits);
    cpu->planes[p].valid = carve (carver, plane_bits);
    cpu->planes[p].row_has_invalid = carve (carver, image->height);
  }
  for (guint j = 0; j < cpu->n_classify_jobs; j++) {
    CsClassifyJob *job = &cpu->classify_jobs[j];

    job->bytes = carve (carver, job->group->n + 64 * job->group->slots +
        CS_ROW_AT_ONCE);
    job->gathered = job->group->gather ?
        carve (carver, width * cs_sample_size (image->type)) : NULL;
  }
  for (guint j = 0; j < cpu->n_jobs; j++) {
    CsJob *job = &cpu->jobs[j];

    job->row_first = carve (carver, (job->row1 - job->row0) * sizeof (guint32));
    job->position = carve (carver, 3 * width * sizeof (double));
    job->pending = carve (carver, 3 * width * sizeof (gint32));
    for (guint i = 0; i < 2; i++)
      job->slots[i] = carve (carver, width * sizeof (CsSlot));
    /* at most two ends of two segments in each cell of the first row */
    job->deferred = job->row0 > 0 ?
        carve (carver, 4 * width * sizeof (CsDeferred)) : NULL;
  }
}

static gboolean
add_memory (CsContoursCpu * cpu, const CsImage * image, GError ** error)
{
  Carver carver = { NULL, 0 };

  /* one word of padding: cells read their right neighbour */
  cpu->n_words = CS_ROW_WORDS (image->width) + 1;
  carve_all (cpu, image, &carver);
  if (!cs_scratch_ensure (&cpu->job_memory, carver.used, error))
    return FALSE;
  memset (cpu->job_memory.data, 0, carver.used);
  carver = (Carver) { cpu->job_memory.data, 0 };
  carve_all (cpu, image, &carver);
  memset (cpu->all_valid, 0xff, cpu->n_words * sizeof (guint64));
  return TRUE;
}

void
cs_cpu_clear_setup (CsContoursCpu * cpu)
{
  for (guint i = 0; i < cpu->n_groups; i++) {
    g_free (cpu->groups[i].thresholds);
    g_free (cpu->groups[i].slot_plane);
  }
  for (guint i = 0; i < cpu->n_jobs; i++) {
    for (guint b = 0; b < cpu->jobs[i].n_bands; b++)
      g_free (cpu->jobs[i].bands[b].fragments);
    g_free (cpu->jobs[i].bands);
  }
  g_clear_pointer (&cpu->planes, g_free);
  g_clear_pointer (&cpu->groups, g_free);
  g_clear_pointer (&cpu->classify_jobs, g_free);
  g_clear_pointer (&cpu->jobs, g_free);
  cpu->n_groups = cpu->n_classify_jobs = cpu->n_jobs = 0;
}

gboolean
cs_cpu_setup (CsContoursCpu * cpu, const CsContoursView * view, GError ** error)
{
  const CsImage *image = &view->input.image;

  if (cpu->n_jobs > 0 && same_shape (&cpu->shape, image) &&
      same_shape (&cpu->planes_shape, &view->planes))
    return TRUE;
  cs_cpu_clear_setup (cpu);
  cpu->shape = *image;
  cpu->planes_shape = view->planes;
  add_planes (cpu, image, &view->planes);
  if (!add_groups (cpu, image, error)) {
    cs_cpu_clear_setup (cpu);
    return FALSE;
  }
  add_classify_jobs (cpu, image);
  add_jobs (cpu, image);
  if (!add_memory (cpu, image, error)) {
    cs_cpu_clear_setup (cpu);
    return FALSE;
  }
  return TRUE;
}
