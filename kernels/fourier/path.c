/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sampling of the pen's path. It consists of parts: each contour, with the pen
 * down, followed by the travel to the next one, with the pen up; the last
 * returns to the first. A part starts at a sample and gets a number of samples
 * proportional to its length; travel of no length gets none.
 */
#include "fourier_private.h"

#include <math.h>

#include "base/memory.h"

#define MIN_SAMPLES 64
#define MAX_AUTOMATIC (1u << 20)
#define MAX_SAMPLES (1u << 30)
#define MAX_TIME 1e15

/**
 * Part:
 * @time: its weight: length in pixels, divided by the speed with the pen up
 * @length: pixels
 * @n: samples
 */
typedef struct
{
  double time, length;
  guint n;
} Part;

static double
distance (CsStrokePoint a, CsStrokePoint b)
{
  return hypot ((double) a.x - b.x, (double) a.y - b.y);
}

static const CsStrokePoint *
contour_begin (const CsStrokesOutput * strokes, gsize contour)
{
  return strokes->points + strokes->offsets[contour % strokes->n_contours];
}

static const CsStrokePoint *
contour_end (const CsStrokesOutput * strokes, gsize contour)
{
  return strokes->points + strokes->offsets[contour + 1] - 1;
}

static double
contour_length (const CsStrokesOutput * strokes, gsize contour)
{
  double length = 0;

  for (const CsStrokePoint *p = contour_begin (strokes, contour);
      p < contour_end (strokes, contour); p++)
    length += distance (p[0], p[1]);
  return length;
}

/* Measures parts 2 * contour and 2 * contour + 1 for each contour. Returns the
 * total time. */
static double
measure (const CsStrokesOutput * strokes, double travel_speed, Part * parts)
{
  double time = 0;

  for (gsize i = 0; i < strokes->n_contours; i++) {
    Part *down = &parts[2 * i], *up = &parts[2 * i + 1];

    down->time = down->length = contour_length (strokes, i);
    up->length = distance (*contour_end (strokes, i),
        *contour_begin (strokes, i + 1));
    /* finite for any speed */
    up->time = MIN (up->length / travel_speed, MAX_TIME);
    time += down->time + up->time;
  }
  return time;
}

/* The next even product of 2, 3 and 5. */
static guint
round_up (guint n)
{
  guint rest;

  for (n = MAX (n + n % 2, 2);; n += 2) {
    for (rest = n; rest % 2 == 0;)
      rest /= 2;
    while (rest % 3 == 0)
      rest /= 3;
    while (rest % 5 == 0)
      rest /= 5;
    if (rest == 1)
      return n;
  }
}

/* One sample per part, the others in proportion to time. */
static void
distribute_samples (Part * parts, gsize n_parts, double time, guint n,
    gsize n_needed)
{
  const double others = n - n_needed;
  double sum = 0;
  guint given = 0;

  for (gsize i = 0; i < n_parts; i++) {
    sum += parts[i].time;
    const guint until = i + 1 == n_parts || !(time > 0) ? others :
        floor (MIN (sum / time, 1) * others + .5);
    parts[i].n = (i % 2 == 0 || parts[i].length > 0) + until - given;
    given = until;
  }
}

/* Travel of no length at the end leaves its samples to the last contour. */
static void
assign_remainder (Part * parts, gsize n_parts)
{
  Part *last = &parts[n_parts - 1];

  if (last->length > 0 || last->n == 0)
    return;
  parts[n_parts - 2].n += last->n;
  last->n = 0;
}

typedef struct
{
  CsPath *path;
  guint at;
} Writer;

static void
write_sample (Writer * writer, double x, double y, gboolean down)
{
  writer->path->x[writer->at] = x;
  writer->path->y[writer->at] = y;
  writer->path->pen_down[writer->at] = down;
  writer->at++;
}

static void
write_contour (Writer * writer, const CsStrokesOutput * strokes,
    gsize contour, const Part * part)
{
  const CsStrokePoint *p = contour_begin (strokes, contour);
  const CsStrokePoint *end = contour_end (strokes, contour);
  double begun = 0, length = p < end ? distance (p[0], p[1]) : 0;

  for (guint i = 0; i < part->n; i++) {
    const double at = part->length * i / part->n;

    while (p + 1 < end && at > begun + length) {
      begun += length;
      p++;
      length = distance (p[0], p[1]);
    }
    if (p == end || length == 0) {
      write_sample (writer, p->x, p->y, TRUE);
      continue;
    }
    const double t = MIN ((at - begun) / length, 1);
    write_sample (writer, p[0].x + t * ((double) p[1].x - p[0].x),
        p[0].y + t * ((double) p[1].y - p[0].y), TRUE);
  }
}

static void
write_travel (Writer * writer, CsStrokePoint from, CsStrokePoint to, guint n)
{
  for (guint i = 0; i < n; i++) {
    const double u = (double) i / n;
    /* smoothstep */
    const double t = u * u * (3 - 2 * u);

    write_sample (writer, from.x + t * ((double) to.x - from.x),
        from.y + t * ((double) to.y - from.y), FALSE);
  }
}

static gboolean
path_alloc (CsPath * path, guint n, GError ** error)
{
  path->n = n;
  path->x = cs_try_malloc_n (n, 2 * sizeof (double) + 1);
  if (!path->x)
    return cs_error (error, CS_ERROR_NO_MEMORY,
        "cannot allocate a path of %u samples", n);
  path->y = path->x + n;
  path->pen_down = (guint8 *) (path->y + n);
  return TRUE;
}

void
cs_path_clear (CsPath * path)
{
  g_free (path->x);
  path->x = NULL;
}

/* The number of samples: as requested, or by the spacing; at least
 * @n_needed. */
static guint
choose_n (const CsPathParams * params, double time, gsize n_needed)
{
  const double spacing = params->spacing > 0 ? params->spacing : 1;
  double n = params->n_samples;

  if (params->n_samples == 0)
    n = CLAMP (ceil (time / spacing), MIN_SAMPLES, MAX_AUTOMATIC);
  return round_up (MAX (n, n_needed));
}

static gboolean
check (const CsStrokesOutput * strokes, const CsPathParams * params,
    GError ** error)
{
  if (!(params->travel_speed > 0) || !isfinite (params->travel_speed) ||
      params->n_samples > MAX_SAMPLES)
    return cs_error (error, CS_ERROR_INVALID,
        "a pen %g times as fast when it is up, and %u samples: the speed must "
        "be above 0 and finite, the samples at most %u", params->travel_speed,
        params->n_samples, MAX_SAMPLES);
  if (strokes->n_points == 0 || strokes->n_contours == 0 ||
      strokes->n_contours > MAX_SAMPLES / 4)
    return cs_error (error, CS_ERROR_INVALID, "a drawing of %" G_GSIZE_FORMAT
        " points in %" G_GSIZE_FORMAT
        " contours: there must be some, and at most %u contours",
        strokes->n_points, strokes->n_contours, MAX_SAMPLES / 4);
  for (gsize i = 0; i < strokes->n_contours; i++) {
    if (strokes->offsets[i] >= strokes->offsets[i + 1] ||
        strokes->offsets[i + 1] > strokes->n_points)
      return cs_error (error, CS_ERROR_INVALID, "contour %" G_GSIZE_FORMAT
          " goes from point %u to %u of %" G_GSIZE_FORMAT
          ": offsets must ascend", i, strokes->offsets[i],
          strokes->offsets[i + 1], strokes->n_points);
  }
  for (gsize i = 0; i < strokes->n_points; i++) {
    if (!isfinite (strokes->points[i].x) || !isfinite (strokes->points[i].y))
      return cs_error (error, CS_ERROR_INVALID, "point %" G_GSIZE_FORMAT
          " is not finite", i);
  }
  return TRUE;
}

static void
write_path (const CsStrokesOutput * strokes, const Part * parts, CsPath * path)
{
  Writer writer = { path, 0 };

  for (gsize i = 0; i < strokes->n_contours; i++) {
    write_contour (&writer, strokes, i, &parts[2 * i]);
    write_travel (&writer, *contour_end (strokes, i),
        *contour_begin (strokes, i + 1), parts[2 * i + 1].n);
  }
}

gboolean
cs_path_sample (const CsStrokesOutput * strokes, const CsPathParams * params,
    CsPath * path, GError ** error)
{
  const gsize n_parts = 2 * strokes->n_contours;
  gsize n_needed = strokes->n_contours, i;

  if (!check (strokes, params, error))
    return FALSE;
  Part *parts = cs_try_new (Part, n_parts);
  if (!parts)
    return cs_error (error, CS_ERROR_NO_MEMORY, "cannot allocate a path of %"
        G_GSIZE_FORMAT " contours", strokes->n_contours);
  const double time = measure (strokes, params->travel_speed, parts);
  for (i = 1; i < n_parts; i += 2)
    n_needed += parts[i].length > 0;
  if (!path_alloc (path, choose_n (params, time, n_needed), error)) {
    g_free (parts);
    return FALSE;
  }
  distribute_samples (parts, n_parts, time, path->n, n_needed);
  assign_remainder (parts, n_parts);
  write_path (strokes, parts, path);
  g_free (parts);
  return TRUE;
}
