/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stats.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats_lab.h"

guint
cs_stats_get_n_channels (CsStatsKind kind)
{
  return kind == CS_STATS_LAB ? 3 : 1;
}

void
cs_stats_describe (const CsStatsSums * sums, double steps, double *mean,
    double *deviation)
{
  const double n = (double) sums->n;

  *mean = *deviation = 0;
  if (sums->n == 0)
    return;
  *mean = (double) sums->sum / n / steps;
  /* exact, so that nothing cancels out */
  *deviation = sqrt ((double) ((unsigned __int128) sums->n * sums->squares -
          (unsigned __int128) ((__int128) sums->sum * sums->sum))) / n / steps;
}

/**
 * Job:
 * @lab: of CS_STATS_LAB
 * @weights: of the luma of RGB, in steps of 1 / 65536
 * @failed: a thread had no memory
 */
typedef struct
{
  const CsStatsInput *input;
  CsStatsSums *sums;
  const CsLabTable *lab;
  gint32 weights[3];
  gint failed;
} Job;

/* The part of a row from pixel @x on. */
typedef struct
{
  const Job *job;
  const CsStatsRegion *region;
  guint y, x, n;
} Span;

static inline void
add (CsStatsSums * sums, gint32 sample)
{
  sums->sum += sample;
  sums->squares += (guint64) ((gint64) sample * sample);
  sums->minimum = MIN (sums->minimum, sample);
  sums->maximum = MAX (sums->maximum, sample);
}

/* A row of at most 2^16 samples of 8 bits fits into 32 bits; MAX_RUN keeps it
 * there. */
#define MAX_RUN 32768

static void
add_bytes (CsStatsSums * sums, const guint8 * row, gsize stride, guint n)
{
  while (n > 0) {
    const guint run = MIN (n, MAX_RUN);
    guint32 sum = 0, squares = 0;
    guint8 low = 255, high = 0;
    guint i;

    if (stride == 1) {
      for (i = 0; i < run; i++) {
        const guint sample = row[i];

        sum += sample;
        squares += sample * sample;
        low = MIN (low, row[i]);
        high = MAX (high, row[i]);
      }
    } else {
      for (i = 0; i < run; i++) {
        const guint sample = row[i * stride];

        sum += sample;
        squares += sample * sample;
        low = MIN (low, sample);
        high = MAX (high, sample);
      }
    }
    sums->sum += sum;
    sums->squares += squares;
    sums->minimum = MIN (sums->minimum, low);
    sums->maximum = MAX (sums->maximum, high);
    row += run * stride;
    n -= run;
  }
}

static const guint8 *
component (const CsPicture * picture, guint c, const Span * span)
{
  return (const guint8 *) picture->data[c] +
      span->y * picture->row_stride[c] + span->x * picture->pixel_stride[c];
}

static void
add_gray (CsStatsSums * sums, const Span * span)
{
  const CsPicture *picture = span->job->input->picture;
  const guint8 *row = component (picture, 0, span);
  guint i;

  if (picture->type == CS_SAMPLE_U8) {
    add_bytes (sums, row, picture->pixel_stride[0], span->n);
    return;
  }
  for (i = 0; i < span->n; i++, row += picture->pixel_stride[0]) {
    guint16 sample;

    memcpy (&sample, row, sizeof (sample));
    add (sums, sample >> picture->shift);
  }
}

static void
add_luma (CsStatsSums * sums, const Span * span)
{
  const CsPicture *picture = span->job->input->picture;
  const gint32 *w = span->job->weights;
  const guint8 *rgb[3];
  guint i, c;

  for (c = 0; c < 3; c++)
    rgb[c] = component (picture, c, span);
  for (i = 0; i < span->n; i++) {
    if (picture->type == CS_SAMPLE_U8) {
      add (sums, (w[0] * rgb[0][0] + w[1] * rgb[1][0] + w[2] * rgb[2][0] +
              128) >> 8);
    } else {
      gint64 sum = 32768;

      for (c = 0; c < 3; c++) {
        guint16 sample;

        memcpy (&sample, rgb[c], sizeof (sample));
        sum += (gint64) w[c] * (sample >> picture->shift);
      }
      add (sums, (gint32) (sum >> 16));
    }
    for (c = 0; c < 3; c++)
      rgb[c] += picture->pixel_stride[c];
  }
}

static void
add_lab (CsStatsSums * sums, const Span * span)
{
  const CsPicture *picture = span->job->input->picture;
  const guint8 *rgb[3];
  guint i, c;

  for (c = 0; c < 3; c++)
    rgb[c] = component (picture, c, span);
  for (i = 0; i < span->n; i++) {
    gint32 lab[3];

    cs_lab_convert (span->job->lab, *rgb[0], *rgb[1], *rgb[2], lab);
    for (c = 0; c < 3; c++) {
      add (&sums[c], lab[c]);
      rgb[c] += picture->pixel_stride[c];
    }
  }
}

static float
half_to_float (guint16 half)
{
  const int exponent = half >> 10 & 31;
  const float fraction = half & 1023;
  float value;

  if (exponent == 31)
    value = fraction > 0 ? NAN : INFINITY;
  else
    value = exponent > 0 ? ldexpf (1024 + fraction, exponent - 25) :
        ldexpf (fraction, -24);
  return half >> 15 ? -value : value;
}

static double
read_share (const guint8 * at, CsSampleType type)
{
  guint16 word;
  float single;
  double real;

  switch (type) {
    case CS_SAMPLE_U8:
      return *at / 255.;
    case CS_SAMPLE_U16:
      memcpy (&word, at, sizeof (word));
      return word / 65535.;
    case CS_SAMPLE_F16:
      memcpy (&word, at, sizeof (word));
      return half_to_float (word);
    case CS_SAMPLE_F32:
      memcpy (&single, at, sizeof (single));
      return single;
    default:
      memcpy (&real, at, sizeof (real));
      return real;
  }
}

static void
add_probability (CsStatsSums * sums, const Span * span)
{
  const CsImage *image = &span->job->input->images[span->region->image];
  const guint8 *at = (const guint8 *) image->data +
      span->region->channel * image->channel_stride +
      span->y * image->row_stride + span->x * image->pixel_stride;
  guint i;

  for (i = 0; i < span->n; i++, at += image->pixel_stride) {
    const double share = read_share (at, image->type);

    /* NaN is neither */
    add (sums, share >= 1 ? CS_STATS_PROBABILITY_STEPS : share > 0 ?
        (gint32) (share * CS_STATS_PROBABILITY_STEPS + .5) : 0);
  }
}

static void
add_span (CsStatsSums * sums, const Span * span)
{
  sums->n += span->n;
  switch (span->job->input->kind) {
    case CS_STATS_GRAY:
      if (span->job->input->picture->model == CS_PICTURE_RGB)
        add_luma (sums, span);
      else
        add_gray (sums, span);
      break;
    case CS_STATS_LAB:
      add_lab (sums, span);
      sums[1].n = sums[2].n = sums[0].n;
      break;
    case CS_STATS_PROBABILITY:
      add_probability (sums, span);
      break;
  }
}

/* Regions */

typedef struct
{
  guint width, height;
} Size;

static Size
size_of (const CsStatsInput * input, const CsStatsRegion * region)
{
  Size size;

  if (input->kind == CS_STATS_PROBABILITY) {
    size.width = input->images[region->image].width;
    size.height = input->images[region->image].height;
  } else {
    size.width = input->picture->width;
    size.height = input->picture->height;
  }
  return size;
}

/* A side, and the rows from @first up to, not with, @end that it crosses. */
typedef struct
{
  double x, y, slope;
  gint first, end;
} Side;

/* The next integer that is not less, between 0 and @limit; 0 for NaN. */
static inline gint
ceil_clipped (double value, gint limit)
{
  gint below;

  if (!(value > 0))
    return 0;
  if (value >= limit)
    return limit;
  below = (gint) value;
  return below + (below < value);
}

/* Sides of a region, and their crossings: row r (from @top on) has those from
 * starts[r] up to, not with, starts[r + 1]. */
typedef struct
{
  Side *sides;
  gsize n_sides;
  gint top, bottom;
  guint32 *starts;
  gint *crossings;
} Rows;

static void
add_side (Rows * rows, double ax, double ay, double bx, double by, gint height)
{
  Side *side = &rows->sides[rows->n_sides];

  side->first = ceil_clipped (MIN (ay, by), height);
  side->end = ceil_clipped (MAX (ay, by), height);
  if (side->first >= side->end || !isfinite (ax + bx + ay + by))
    return;
  side->x = ax;
  side->y = ay;
  side->slope = (bx - ax) / (by - ay);
  rows->top = MIN (rows->top, side->first);
  rows->bottom = MAX (rows->bottom, side->end);
  rows->n_sides++;
}

static void
add_ring (const CsStatsInput * input, const CsStatsRing * ring, gint height,
    Rows * rows)
{
  double x, y;
  gsize i;

  if (ring->n == 0)
    return;
  x = (ring->points[2 * ring->n - 2] + .5) * input->scale_x - .5;
  y = (ring->points[2 * ring->n - 1] + .5) * input->scale_y - .5;
  for (i = 0; i < ring->n; i++) {
    const double bx = (ring->points[2 * i] + .5) * input->scale_x - .5;
    const double by = (ring->points[2 * i + 1] + .5) * input->scale_y - .5;

    add_side (rows, x, y, bx, by, height);
    x = bx;
    y = by;
  }
}

static gboolean
find_sides (const CsStatsInput * input, const CsStatsRegion * region,
    gint height, Rows * rows)
{
  const CsStatsRing *rings = input->rings + region->first_ring;
  gsize r, n = 0;

  for (r = 0; r < region->n_rings; r++)
    n += rings[r].n;
  rows->sides = cs_try_new (Side, MAX (n, 1));
  if (!rows->sides)
    return FALSE;
  rows->top = height;
  for (r = 0; r < region->n_rings; r++)
    add_ring (input, &rings[r], height, rows);
  if (rows->bottom < rows->top)
    rows->bottom = rows->top;
  return TRUE;
}

/* The first pixel at or to the right of a side is its crossing of a row. First
 * starts[r] is where row r begins, and, when the crossings are there, where it
 * ends. */
static gboolean
find_rows (const CsStatsInput * input, const CsStatsRegion * region,
    Size size, Rows * rows)
{
  gint n, y;
  gsize i;

  if (!find_sides (input, region, (gint) size.height, rows))
    return FALSE;
  n = rows->bottom - rows->top;
  rows->starts = cs_try_new0 (guint32, (gsize) n + 1);
  if (!rows->starts)
    return FALSE;
  for (i = 0; i < rows->n_sides; i++)
    for (y = rows->sides[i].first; y < rows->sides[i].end; y++)
      rows->starts[y - rows->top + 1]++;
  for (y = 0; y < n; y++)
    rows->starts[y + 1] += rows->starts[y];
  rows->crossings = cs_try_new (gint, (gsize) MAX (rows->starts[n], 1));
  if (!rows->crossings)
    return FALSE;
  for (i = 0; i < rows->n_sides; i++) {
    const Side *side = &rows->sides[i];

    for (y = side->first; y < side->end; y++)
      rows->crossings[rows->starts[y - rows->top]++] =
          ceil_clipped (side->x + (y - side->y) * side->slope,
          (gint) size.width);
  }
  return TRUE;
}

static void
sort (gint * values, guint n)
{
  guint i, k;

  for (i = 1; i < n; i++) {
    const gint value = values[i];

    for (k = i; k > 0 && values[k - 1] > value; k--)
      values[k] = values[k - 1];
    values[k] = value;
  }
}

static void
add_rows (const Job * job, const CsStatsRegion * region, const Rows * rows,
    CsStatsSums * sums)
{
  const gint n = rows->bottom - rows->top;
  guint32 first = 0;
  gint r;

  for (r = 0; r < n; r++) {
    const guint32 end = rows->starts[r];
    gint *x = rows->crossings + first;
    guint32 i;

    sort (x, end - first);
    for (i = 0; i + 1 < end - first; i += 2) {
      const Span span = { job, region, (guint) (rows->top + r), (guint) x[i],
        (guint) (x[i + 1] - x[i])
      };

      if (span.n > 0)
        add_span (sums, &span);
    }
    first = end;
  }
}

static void
run_region (void *user_data, guint index)
{
  Job *job = user_data;
  const CsStatsInput *input = job->input;
  const CsStatsRegion *region = &input->regions[index];
  const guint n_channels = cs_stats_get_n_channels (input->kind);
  CsStatsSums *sums = job->sums + (gsize) index * n_channels;
  Rows rows = { 0, };
  guint c;

  for (c = 0; c < n_channels; c++)
    sums[c] = (CsStatsSums) { 0, 0, 0, G_MAXINT32, G_MININT32 };
  if (find_rows (input, region, size_of (input, region), &rows))
    add_rows (job, region, &rows, sums);
  else
    g_atomic_int_set (&job->failed, 1);
  g_free (rows.sides);
  g_free (rows.starts);
  g_free (rows.crossings);
  for (c = 0; c < n_channels; c++)
    if (sums[c].n == 0)
      sums[c].minimum = sums[c].maximum = 0;
}

static gboolean
check (const CsStatsInput * input, GError ** error)
{
  const CsPicture *picture = input->picture;
  gsize i;

  if (input->kind == CS_STATS_LAB && (picture->model != CS_PICTURE_RGB ||
          picture->type != CS_SAMPLE_U8)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "L*a*b* is computed of RGB "
        "of 8 bits");
    return FALSE;
  }
  for (i = 0; input->kind == CS_STATS_PROBABILITY && i < input->n_regions;
      i++) {
    const CsStatsRegion *region = &input->regions[i];

    if (region->image >= input->n_images ||
        region->channel >= input->images[region->image].channels) {
      g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "there is no channel %u "
          "of image %u", region->channel, region->image);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
cs_stats_run (const CsStatsInput * input, CsExecutor * executor,
    CsStatsSums * sums, GError ** error)
{
  Job job = {.input = input,.sums = sums };

  if (!check (input, error))
    return FALSE;
  if (input->kind == CS_STATS_LAB)
    job.lab = cs_lab_get_table ();
  if (input->kind == CS_STATS_GRAY) {
    job.weights[0] = (gint32) (input->picture->kr * 65536 + .5);
    job.weights[2] = (gint32) (input->picture->kb * 65536 + .5);
    job.weights[1] = 65536 - job.weights[0] - job.weights[2];
  }
  cs_executor_parallel_for (executor, (guint) input->n_regions, run_region,
      &job);
  if (!job.failed)
    return TRUE;
  g_set_error (error, CS_ERROR, CS_ERROR_NO_MEMORY, "there is no memory for the "
      "rows of regions");
  return FALSE;
}
