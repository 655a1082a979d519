/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: the run of a frame, from fragments to the result. */
#include "contours_cpu.h"

#include <math.h>
#include <string.h>

#include "base/ids.h"
#include "base/sort.h"
#include "contours_measure.h"

/* Points per job. */
#define POINTS_PER_JOB (16 * 1024)

/* A contour before it is emitted. */
typedef struct
{
  const CsJob *job;             /* of its first fragment */
  const CsFragment *head;       /* a closed one's: that of its last segment */
  gint32 min;                   /* first segment in raster order */
  guint32 n_segments;
  gint32 out;                   /* index in the result, before filters */
  gint32 enclosing;             /* innermost enclosing contour, -1 for none */
  gboolean closed;
} Contour;

/* All contours, and their order in the result. */
typedef struct
{
  CsContoursCpu *cpu;
  Contour *contours;            /* by target, then by first segment */
  guint32 n_contours;
  guint32 n_out;
  guint32 *by_out;              /* n_out: contours in the order of the result */
  gsize n_points;
  guint n_chunks;
} Assembly;

static void *
cpu_create (const CsContours * plan, GError ** error)
{
  CsContoursCpu *cpu = g_new0 (CsContoursCpu, 1);

  cpu->plan = plan;
  cpu->format = plan->params.points == CS_POINTS_F64 ? CS_POINTS_F64 :
      CS_POINTS_F32;
  return cpu;
}

static void
cpu_update (void *state)
{
  CsContoursCpu *cpu = state;

  if (cpu->n_jobs == 0)
    return;
  for (guint p = 0; p < cpu->plan->params.n_targets; p++)
    cpu->planes[p].level = cpu->plan->params.targets[p].level;
  for (guint g = 0; g < cpu->n_groups; g++)
    cs_cpu_set_thresholds (cpu, &cpu->groups[g]);
}

static void
cpu_destroy (void *state)
{
  CsContoursCpu *cpu = state;

  cs_cpu_clear_setup (cpu);
  cs_scratch_clear (&cpu->job_memory);
  cs_scratch_clear (&cpu->segment_memory);
  cs_scratch_clear (&cpu->contour_memory);
  cs_scratch_clear (&cpu->point_memory);
  cs_scratch_clear (&cpu->plane_memory);
  cs_scratch_clear (&cpu->mean_memory);
  cs_scratch_clear (&cpu->bin_memory);
  g_free (cpu);
}

static gboolean
ensure_segments (CsContoursCpu * cpu, gsize n, GError ** error)
{
  const gboolean hierarchy = cpu->plan->params.hierarchy;
  const guint n_arrays = hierarchy ? 5 : 4;
  gsize size;

  n = CS_SEGMENTS_ROUND_UP (n);
  size = n * (n_arrays * sizeof (gint32) + 2 * cs_point_size (cpu->format)) +
      n / 8;
  gint32 *memory = cs_scratch_ensure (&cpu->segment_memory, size, error);
  if (!memory)
    return FALSE;
  cpu->segments.next = memory;
  cpu->segments.prev = memory + n;
  cpu->segments.info = (guint32 *) memory + 2 * n;
  cpu->segments.fragment = memory + 3 * n;
  cpu->segments.left = hierarchy ? memory + 4 * n : NULL;
  cpu->segments.to = memory + n_arrays * n;
  cpu->segments.ordered = (guint8 *) cpu->segments.to +
      n * cs_point_size (cpu->format);
  cpu->segments.visited = (guint64 *) ((guint8 *) cpu->segments.ordered +
      n * cs_point_size (cpu->format));
  return TRUE;
}

static gboolean
cpu_warm_up (void *state, const CsContoursView * view, GError ** error)
{
  CsContoursCpu *cpu = state;

  return cs_cpu_setup (cpu, view, error) &&
      ensure_segments (cpu, cpu->plan->params.max_segments, error);
}

static void
classify_func (void *user_data, guint index)
{
  CsContoursCpu *cpu = user_data;

  cs_cpu_classify (cpu, &cpu->classify_jobs[index]);
}

static void
count_func (void *user_data, guint index)
{
  CsContoursCpu *cpu = user_data;

  cs_cpu_count (cpu, &cpu->jobs[index]);
}

static void
link_func (void *user_data, guint index)
{
  CsContoursCpu *cpu = user_data;

  cs_cpu_link (cpu, &cpu->jobs[index], FALSE);
}

/* Replaces the upper bounds on segments by exact counts: collapsed crossings
 * make fewer. Each job is linked for that, in scratch for one job, and linked
 * again later. */
static gboolean
count_exactly (CsContoursCpu * cpu, GError ** error)
{
  guint64 n = 0;

  cs_contours_take (CS_CONTOURS_COUNTED_EXACTLY);
  for (guint j = 0; j < cpu->n_jobs; j++) {
    CsJob *job = &cpu->jobs[j];

    job->base = 0;
    if (!ensure_segments (cpu, job->max_segments, error))
      return FALSE;
    cs_cpu_link (cpu, job, TRUE);
    n += (guint64) job->n_segments;
    if (!cs_contours_check_cost (cpu->plan, &cpu->input->image, n, error))
      return FALSE;
    /* linking writes one candidate past the last segment */
    job->max_segments = MIN (job->max_segments, (gsize) job->n_segments + 1);
  }
  return TRUE;
}

static gboolean
check_segments (CsContoursCpu * cpu, GError ** error)
{
  guint64 n = 0;

  for (guint j = 0; j < cpu->n_jobs; j++)
    n += cpu->jobs[j].max_segments;
  return cs_contours_check_cost (cpu->plan, &cpu->input->image, n, NULL) ||
      count_exactly (cpu, error);
}

/* Gives every job its range of segments. */
static gboolean
assign_segments (CsContoursCpu * cpu, GError ** error)
{
  gsize n = 0;

  for (guint j = 0; j < cpu->n_jobs; j++) {
    cpu->jobs[j].base = (gint32) n;
    n += CS_SEGMENTS_ROUND_UP (cpu->jobs[j].max_segments);
    if (n >= G_MAXINT32)
      return cs_error (error, CS_ERROR_LIMIT,
          "the contours have more than 2^31 segments");
  }
  return ensure_segments (cpu, MAX (n, cpu->plan->params.max_segments), error);
}

static gboolean
find_fragments (CsContoursCpu * cpu, GError ** error)
{
  CsExecutor *executor = cpu->plan->executor;

  cs_executor_parallel_for (executor, cpu->n_classify_jobs, classify_func, cpu);
  cs_executor_parallel_for (executor, cpu->n_jobs, count_func, cpu);
  if (!check_segments (cpu, error) || !assign_segments (cpu, error))
    return FALSE;
  cs_executor_parallel_for (executor, cpu->n_jobs, link_func, cpu);
  for (guint j = 1; j < cpu->n_jobs; j++) {
    if (cpu->jobs[j].plane == cpu->jobs[j - 1].plane)
      cs_cpu_stitch (cpu, &cpu->jobs[j - 1], &cpu->jobs[j]);
  }
  for (guint j = 0; j < cpu->n_jobs; j++) {
    if (cpu->jobs[j].no_memory)
      return cs_fail_no_memory (error, "the fragments of contours");
  }
  return TRUE;
}

/* The job of @plane that @segment belongs to, and its fragment. */
static const CsJob *
job_of (const CsContoursCpu * cpu, const CsPlane * plane, gint32 segment)
{
  const CsJob *job = &cpu->jobs[plane->first_job + plane->n_jobs - 1];

  while (job->base > segment)
    job--;
  return job;
}

static CsFragment *
fragment_of (const CsContoursCpu * cpu, const CsPlane * plane, gint32 segment)
{
  const CsJob *job = job_of (cpu, plane, segment);
  guint low = 0, high = job->n_bands;

  /* the last band that begins at or before the segment */
  while (high - low > 1) {
    const guint middle = (low + high) / 2;

    if (job->bands[middle].first <= segment)
      low = middle;
    else
      high = middle;
  }
  return &job->bands[low].fragments[cpu->segments.fragment[segment]];
}

/* Chains the fragments of the contour whose first fragment in raster order is
 * @fragment. */
static void
assemble_contour (CsContoursCpu * cpu, const CsPlane * plane,
    CsFragment * fragment, gint32 index, Contour * contour)
{
  const CsSegments *segments = &cpu->segments;
  CsFragment *head = fragment, *at;
  gint32 segment;

  contour->closed = fragment->closed;
  contour->min = fragment->min;
  while (!contour->closed && (segment = segments->prev[head->first]) >= 0) {
    head = fragment_of (cpu, plane, segment);
    contour->closed = head == fragment;
  }
  contour->n_segments = 0;
  contour->head = at = head;
  do {
    at->contour = index;
    contour->n_segments += (guint32) at->length;
    if (contour->closed && at->max > contour->head->max)
      contour->head = at;
    segment = at->closed ? -1 : segments->next[at->last];
    at = segment >= 0 ? fragment_of (cpu, plane, segment) : NULL;
  } while (at && at != head);
  contour->job = job_of (cpu, plane, contour->head->first);
}

/* Short contours are dropped at once unless they may be a parent. */
static gboolean
is_dropped_early (const CsContoursParams * params, const Contour * contour)
{
  return !params->hierarchy && contour->n_segments + 1 < params->min_points;
}

static void
number_contours (Assembly * assembly)
{
  const CsContoursParams *params = &assembly->cpu->plan->params;

  for (guint32 i = 0; i < assembly->n_contours; i++) {
    Contour *contour = &assembly->contours[i];

    contour->out = -1;
    if (is_dropped_early (params, contour)) {
      cs_contours_take (CS_CONTOURS_DROPPED_EARLY);
      continue;
    }
    contour->out = (gint32) assembly->n_out;
    assembly->by_out[assembly->n_out++] = i;
    assembly->n_points += (gsize) contour->n_segments + 1;
  }
}

/* The contours that begin in @band. */
static void
assemble_band (Assembly * assembly, const CsJob * job, CsBand * band)
{
  for (guint f = 0; f < band->n_fragments; f++) {
    CsFragment *fragment = &band->fragments[f];

    if (fragment->contour >= 0)
      continue;
    assemble_contour (assembly->cpu, job->plane, fragment,
        (gint32) assembly->n_contours,
        &assembly->contours[assembly->n_contours]);
    assembly->n_contours++;
  }
}

static gboolean
assemble (CsContoursCpu * cpu, Assembly * assembly, GError ** error)
{
  gsize n_fragments = 0, n_segments = 0;

  for (guint j = 0; j < cpu->n_jobs; j++) {
    for (guint b = 0; b < cpu->jobs[j].n_bands; b++)
      n_fragments += cpu->jobs[j].bands[b].n_fragments;
    n_segments += (gsize) cpu->jobs[j].n_segments;
    cpu->output->n_overwritten += cpu->jobs[j].n_overwritten;
  }
  cpu->output->n_segments = n_segments;
  guint8 *memory = cs_scratch_ensure (&cpu->contour_memory,
      n_fragments * (sizeof (Contour) + sizeof (guint32)), error);
  if (!memory)
    return FALSE;

  assembly->cpu = cpu;
  assembly->contours = (Contour *) memory;
  assembly->by_out = (guint32 *) (assembly->contours + n_fragments);
  for (guint j = 0; j < cpu->n_jobs; j++) {
    for (guint b = 0; b < cpu->jobs[j].n_bands; b++)
      assemble_band (assembly, &cpu->jobs[j], &cpu->jobs[j].bands[b]);
  }
  number_contours (assembly);
  return TRUE;
}

static gboolean
allocate_output (Assembly * assembly, GError ** error)
{
  CsContoursCpu *cpu = assembly->cpu;
  const CsContoursParams *params = &cpu->plan->params;
  CsContoursOutput *output = cpu->output;
  CsContoursLayout layout;

  if (assembly->n_points > G_MAXUINT32)
    return cs_error (error, CS_ERROR_LIMIT,
        "the contours have more than 2^32 points");
  cs_contours_layout (params->points, params->measures, assembly->n_out,
      assembly->n_points, &layout);
  guint8 *memory = output->alloc (output->user_data, layout.size, TRUE);
  if (!memory)
    return cs_error (error, CS_ERROR_NO_MEMORY, "cannot allocate %"
        G_GSIZE_FORMAT " bytes for the result", layout.size);
  output->points = memory + layout.points;
  output->offsets = (guint32 *) (memory + layout.offsets);
  output->contours = (CsContour *) (memory + layout.contours);
  if (params->measures == CS_MEASURES_FULL)
    output->moments = (CsContourMoments *) (memory + layout.moments);
  if (params->points == CS_POINTS_NONE) {
    /* needed for the measures */
    cs_contours_take (CS_CONTOURS_NO_POINTS);
    output->points = cs_scratch_ensure (&cpu->point_memory,
        assembly->n_points * cs_point_size (cpu->format), error);
    return output->points != NULL;
  }
  return TRUE;
}

static void
fill_offsets (Assembly * assembly)
{
  guint32 *offsets = assembly->cpu->output->offsets;
  guint32 i, n = 0;

  for (i = 0; i < assembly->n_out; i++) {
    offsets[i] = n;
    n += assembly->contours[assembly->by_out[i]].n_segments + 1;
  }
  offsets[i] = n;
}

/* Where the points of a contour go. */
typedef struct
{
  guint8 *at;                   /* the next one, or the one behind it */
  gsize size;                   /* of a point */
  gboolean reverse;
} PointWriter;

static void
put_points (PointWriter * writer, const void *points, gsize n)
{
  const guint8 *from = points;
  const gsize size = writer->size;

  if (!writer->reverse) {
    memcpy (writer->at, from, n * size);
    writer->at += n * size;
    return;
  }
  for (; n > 0; n--, from += size) {
    writer->at -= size;
    memcpy (writer->at, from, size);
  }
}

/* The end points of @fragment's segments from number @begin to @end. */
static void
put_fragment (PointWriter * writer, const CsSegments * segments,
    const CsFragment * fragment, gint32 begin, gint32 end)
{
  const guint8 *points = segments->ordered;
  const gint32 n_back = fragment->n_back;

  if (begin < n_back)
    put_points (writer, points + (gsize) (fragment->back + begin) *
        writer->size, (gsize) (MIN (end, n_back) - begin));
  if (end > n_back)
    put_points (writer, points + (gsize) (fragment->front +
            MAX (begin, n_back) - n_back) * writer->size,
        (gsize) (end - MAX (begin, n_back)));
}

/* Points in the order of the segments, or reversed. A closed contour begins
 * behind its last segment in raster order. */
static void
write_points (const CsContoursCpu * cpu, const Contour * contour, void *points)
{
  const CsSegments *segments = &cpu->segments;
  const gsize size = cs_point_size (cpu->format);
  const gboolean reverse = cpu->plan->params.positive_orientation_high;
  guint8 *first = points, *last = first + contour->n_segments * size;
  PointWriter writer = { reverse ? last : first + size, size, reverse };
  const CsFragment *head = contour->head, *at = head;
  const gint32 skipped = contour->closed ? head->max_at + 1 : 0;
  gint32 next;

  put_fragment (&writer, segments, head, skipped, head->length);
  while (!at->closed && (next = segments->next[at->last]) >= 0) {
    at = fragment_of (cpu, contour->job->plane, next);
    if (at == head)
      break;
    put_fragment (&writer, segments, at, 0, at->length);
  }
  put_fragment (&writer, segments, head, 0, skipped);
  if (reverse) {
    guint8 *swap = first;

    first = last;
    last = swap;
  }
  /* a closed contour starts at its last end point */
  if (contour->closed)
    memcpy (first, last, size);
  else
    cs_cpu_store_start (cpu, contour->job, head->first, first);
}

static void
emit_contour (const Assembly * assembly, guint32 out)
{
  const CsContoursCpu *cpu = assembly->cpu;
  const CsContoursParams *params = &cpu->plan->params;
  const Contour *contour = &assembly->contours[assembly->by_out[out]];
  const CsPlane *plane = contour->job->plane;
  CsContour *record = &cpu->output->contours[out];
  guint8 *points = (guint8 *) cpu->output->points +
      cpu->output->offsets[out] * cs_point_size (cpu->format);

  write_points (cpu, contour, points);
  *record = (CsContour) {
    .id = cs_ids_get (cpu->input->first_id, out),
    .parent = -1,
    .class_id = cs_contours_get_class (params,
        (guint) (plane - cpu->planes)),
    .image = cpu->input->image_index,
    .flags = contour->closed ? CS_CONTOUR_CLOSED : 0,
    .level = plane->level * params->level_scale,
  };
  cs_contours_measure (points, cpu->format, (gsize) contour->n_segments + 1,
      params->measures, record,
      cpu->output->moments ? &cpu->output->moments[out] : NULL);
  const gboolean hole = params->positive_orientation_high ? record->area > 0. :
      record->area < 0.;
  if (contour->closed && hole)
    record->flags |= CS_CONTOUR_HOLE;
}

static void
emit_func (void *user_data, guint index)
{
  const Assembly *assembly = user_data;
  const guint32 *offsets = assembly->cpu->output->offsets;
  const gsize n = assembly->n_points;
  const guint32 end = cs_lower_bound (offsets, assembly->n_out,
      n * (index + 1) / assembly->n_chunks);

  for (guint32 i = cs_lower_bound (offsets, assembly->n_out,
          n * index / assembly->n_chunks); i < end; i++)
    emit_contour (assembly, i);
}

static void
emit (Assembly * assembly)
{
  CsExecutor *executor = assembly->cpu->plan->executor;
  const guint n_threads = cs_executor_get_n_threads (executor);

  assembly->n_chunks = n_threads == 1 ? 1 :
      (guint) MIN (assembly->n_points / POINTS_PER_JOB + 1, 4 * n_threads);
  if (assembly->n_chunks > 1)
    cs_contours_take (CS_CONTOURS_EMIT_CHUNKS);
  cs_executor_parallel_for (executor, assembly->n_chunks, emit_func, assembly);
}

/* Hierarchy; see contours_math.h. */

/* The segment of a contour that is farthest to the left in the contour's first
 * row of cells. */
static gint32
leftmost_segment (const Assembly * assembly, gint32 index)
{
  const Contour *contour = &assembly->contours[index];
  const gint32 left = assembly->cpu->segments.left[contour->min];

  if (left <= contour->min || fragment_of (assembly->cpu,
          contour->job->plane, left)->contour != index)
    return contour->min;
  cs_contours_take (CS_CONTOURS_LEFT_OF_FIRST);
  return left;
}

/* The first contour hit by a ray to the left, -1 for none; @inside: whether it
 * is hit from its inside. */
static gint32
cast_left (const Assembly * assembly, gint32 index, gboolean * inside)
{
  const CsSegments *segments = &assembly->cpu->segments;
  const gint32 left = segments->left[leftmost_segment (assembly, index)];

  if (left < 0)
    return -1;
  gint32 met = fragment_of (assembly->cpu, assembly->contours[index].job->plane,
      left)->contour;
  *inside = assembly->contours[met].closed &&
      CS_INFO_RIGHT_HIGH (segments->info[left]) !=
      CS_INFO_LEFT_HIGH (segments->info[leftmost_segment (assembly, met)]);
  return met;
}

/* Finds the enclosing contour of each. The contour hit starts earlier in raster
 * order and is resolved already, or is the next one and starts in the same
 * cell. */
static void
find_parents (Assembly * assembly)
{
  CsContour *records = assembly->cpu->output->contours;

  for (guint32 i = 0; i < assembly->n_contours; i++) {
    Contour *contour = &assembly->contours[i];
    gboolean inside = FALSE;
    gint32 met = cast_left (assembly, (gint32) i, &inside);

    if (met > (gint32) i && !inside) {
      met = cast_left (assembly, met, &inside);
      cs_contours_take (CS_CONTOURS_SAME_CELL);
    }
    contour->enclosing = met < 0 || inside ? met :
        assembly->contours[met].enclosing;
    if (contour->closed && contour->enclosing >= 0)
      records[contour->out].parent = assembly->contours[contour->enclosing].out;
  }
}

static gboolean
passes_filters (const CsContoursParams * params, guint t,
    const CsContour * record, gsize n_points)
{
  const double area = fabs (record->area);

  return n_points >= params->min_points && area >= params->min_area &&
      area <= params->max_area && (!params->area_limits ||
      (area >= params->area_limits[t].min_area &&
          area <= params->area_limits[t].max_area));
}

/* Compacts the result in place. by_out is reused as the map from old to new
 * indices. */
static void
filter (Assembly * assembly)
{
  const CsContoursCpu *cpu = assembly->cpu;
  const CsContoursParams *params = &cpu->plan->params;
  CsContoursOutput *output = cpu->output;
  const gsize size = cs_point_size (cpu->format);
  guint8 *points = output->points;
  gint32 *map = (gint32 *) assembly->by_out;
  guint32 i, n = 0, n_points = 0;

  cs_contours_take (CS_CONTOURS_FILTERED);
  for (i = 0; i < assembly->n_out; i++) {
    const guint32 start = output->offsets[i];
    const guint32 length = output->offsets[i + 1] - start;

    const Contour *contour = &assembly->contours[assembly->by_out[i]];

    map[i] = -1;
    if (!passes_filters (params, (guint) (contour->job->plane - cpu->planes),
            &output->contours[i], length))
      continue;
    map[i] = (gint32) n;
    memmove (points + n_points * size, points + start * size, length * size);
    output->contours[n] = output->contours[i];
    output->contours[n].id = cs_ids_get (cpu->input->first_id, n);
    if (output->moments)
      output->moments[n] = output->moments[i];
    /* n <= i: these offsets have been read */
    output->offsets[n] = n_points;
    n_points += length;
    n++;
  }
  output->offsets[n] = n_points;
  for (i = 0; i < n; i++) {
    if (output->contours[i].parent >= 0)
      output->contours[i].parent = map[output->contours[i].parent];
  }
  assembly->n_out = n;
  assembly->n_points = n_points;
}

/* Indices of parents to ids. */
static void
finish_parents (const Assembly * assembly)
{
  CsContoursOutput *output = assembly->cpu->output;

  for (guint32 i = 0; i < assembly->n_out; i++) {
    if (output->contours[i].parent >= 0)
      output->contours[i].parent = cs_ids_get (assembly->cpu->input->first_id,
          output->contours[i].parent);
  }
}

static gboolean
cpu_derive (void *state, CsContoursView * view, GError ** error)
{
  return cs_cpu_derive (state, view, error);
}

static gboolean
cpu_run (void *state, const CsContoursView * view, CsContoursOutput * output,
    GError ** error)
{
  CsContoursCpu *cpu = state;
  const CsContoursParams *params = &cpu->plan->params;
  Assembly assembly = { NULL, };

  cpu->view = view;
  cpu->input = &view->input;
  cpu->output = output;
  if (!cs_cpu_setup (cpu, view, error) ||
      (params->auto_level && !cs_cpu_set_auto_levels (cpu, error)))
    return FALSE;
  if (!find_fragments (cpu, error) || !assemble (cpu, &assembly, error) ||
      !allocate_output (&assembly, error))
    return FALSE;

  fill_offsets (&assembly);
  emit (&assembly);
  if (params->hierarchy)
    find_parents (&assembly);
  if (params->min_area > 0. || params->max_area < INFINITY ||
      cs_contours_have_area_limits (params) ||
      (params->hierarchy && params->min_points > 1))
    filter (&assembly);
  if (params->hierarchy)
    finish_parents (&assembly);
  output->n_contours = assembly.n_out;
  output->n_points = assembly.n_points;
  output->n_dropped = assembly.n_contours - assembly.n_out;
  if (params->points == CS_POINTS_NONE)
    output->points = NULL;
  return TRUE;
}

const CsContoursBackend cs_contours_cpu_backend = {
  .create = cpu_create,
  .update = cpu_update,
  .warm_up = cpu_warm_up,
  .derive = cpu_derive,
  .run = cpu_run,
  .destroy = cpu_destroy,
};
