/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fourier.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/quarters.h"
#include "base/sort.h"

/**
 * Path:
 * @x, @y: @n samples, in one block owned by @x
 * @pen_down: for each sample, whether the pen draws to the next
 */
typedef struct
{
  guint n;
  double *x, *y;
  guint8 *pen_down;
} Path;

/* A vector of frequency @k. */
typedef struct
{
  gint k;
  double re, im;
} Vector;

/**
 * CsFourier:
 * @vectors: n_vectors + 1, c_0 first, then the longest first
 * @error2: n_vectors + 1: mean square distance of the samples from the drawing
 *     with this many vectors
 * @work: scratch of a transform, 4 n + 4, for one thread at a time
 */
struct _CsFourier
{
  Path path;
  Vector *vectors;
  double *error2;
  guint n_vectors;
  double *work;
  GMutex lock;
};

/* --- The transform -------------------------------------------------------- */

/**
 * Spectrum:
 * @real, @imaginary: transforms of @n real numbers each: n / 2 + 1 complex
 *     numbers
 *
 * A complex transform by two real ones: with X and Y those of the real and
 * imaginary parts, Z_k = X_k + i Y_k, and Z_-k = conj X_k + i conj Y_k.
 */
typedef struct
{
  guint n;
  double *real, *imaginary;
} Spectrum;

static Spectrum
spectrum_of (CsFourier * fourier)
{
  const guint n = fourier->path.n;

  return (Spectrum) { n, fourier->work + 2 * n, fourier->work + 3 * n + 2 };
}

static void
transform_pair (const Spectrum * spectrum, CsRealTransform transform,
    gpointer user_data, const double *x, const double *y)
{
  transform (user_data, spectrum->n, x, spectrum->real);
  transform (user_data, spectrum->n, y, spectrum->imaginary);
}

/* Z_k, not scaled, 0 <= k < n. */
static void
spectrum_get (const Spectrum * spectrum, guint k, double *re, double *im)
{
  const guint at = k <= spectrum->n / 2 ? k : spectrum->n - k;
  const double sign = k <= spectrum->n / 2 ? 1 : -1;
  const double *x = spectrum->real + 2 * at, *y = spectrum->imaginary + 2 * at;

  *re = x[0] - sign * y[1];
  *im = sign * x[1] + y[0];
}

/* --- Vectors -------------------------------------------------------------- */

static double
length2 (const Vector * v)
{
  return v->re * v->re + v->im * v->im;
}

/* All but c_0, by |k|, the positive one first, without those that are 0. */
static guint
read_vectors (const Spectrum * spectrum, Vector * vectors)
{
  const guint n = spectrum->n;
  guint n_vectors = 0, k, negative;

  for (k = 1; k <= n / 2; k++) {
    /* k = n / 2 is shared with its opposite */
    const double scale = (k == n / 2 ? .5 : 1) / n;

    for (negative = 0; negative < 2; negative++) {
      Vector v = { negative ? -(gint) k : (gint) k, 0, 0 };

      spectrum_get (spectrum, negative ? n - k : k, &v.re, &v.im);
      v.re *= scale;
      v.im *= scale;
      if (v.re != 0 || v.im != 0)
        vectors[n_vectors++] = v;
    }
  }
  return n_vectors;
}

/* Stable radix sort of @n vectors, longest first, by the bits of their squared
 * lengths, which are not negative. */
static void
sort_vectors (const Vector * vectors, guint n, double *work, Vector * sorted)
{
  CsSortItem *items = (CsSortItem *) work;

  for (guint i = 0; i < n; i++) {
    const double length = length2 (&vectors[i]);

    memcpy (&items[i].key, &length, sizeof (length));
    items[i].key = ~items[i].key;
    items[i].value = i;
  }
  items = cs_sort (items, items + n, n);
  for (guint i = 0; i < n; i++)
    sorted[i] = vectors[items[i].value];
}

/* Parseval: the mean square error is the sum of the omitted vectors' squares;
 * the two of n / 2 coincide on the samples, and are added before squaring.
 * Summed shortest first, for accuracy. */
static void
sum_errors (CsFourier * fourier)
{
  const gint nyquist = fourier->path.n / 2;
  double sum = 0;
  gboolean half = FALSE;

  fourier->error2[fourier->n_vectors] = 0;
  for (guint i = fourier->n_vectors; i > 0; i--) {
    const Vector *v = &fourier->vectors[i];

    if (ABS (v->k) == nyquist) {
      sum += (half ? 3 : 1) * length2 (v);
      half = TRUE;
    } else {
      sum += length2 (v);
    }
    fourier->error2[i - 1] = sum;
  }
}

static gboolean
alloc_vectors (CsFourier * fourier, Vector ** unsorted, GError ** error)
{
  const gsize n = fourier->path.n;

  fourier->vectors = cs_try_new (Vector, n + 1);
  fourier->error2 = cs_try_new (double, n + 1);
  fourier->work = cs_try_new (double, 4 * n + 4);
  *unsorted = cs_try_new (Vector, n + 1);
  if (fourier->vectors && fourier->error2 && fourier->work && *unsorted)
    return TRUE;
  return cs_error (error, CS_ERROR_NO_MEMORY, "cannot allocate a drawing of %"
      G_GSIZE_FORMAT " vectors", n);
}

/* Relative to the first sample, so that constant coordinates give exactly 0. */
static void
find_vectors (CsFourier * fourier, CsRealTransform transform,
    gpointer user_data, Vector * unsorted)
{
  const Path *path = &fourier->path;
  const Spectrum spectrum = spectrum_of (fourier);
  double *x = fourier->work, *y = fourier->work + path->n;

  for (guint i = 0; i < path->n; i++) {
    x[i] = path->x[i] - path->x[0];
    y[i] = path->y[i] - path->y[0];
  }
  transform_pair (&spectrum, transform, user_data, x, y);
  fourier->vectors[0].k = 0;
  spectrum_get (&spectrum, 0, &fourier->vectors[0].re, &fourier->vectors[0].im);
  fourier->vectors[0].re = fourier->vectors[0].re / path->n + path->x[0];
  fourier->vectors[0].im = fourier->vectors[0].im / path->n + path->y[0];
  fourier->n_vectors = read_vectors (&spectrum, unsorted);
  sort_vectors (unsorted, fourier->n_vectors, fourier->work,
      fourier->vectors + 1);
  sum_errors (fourier);
}

/*
 * Sampling of the pen's path. It consists of parts: each contour, with the pen
 * down, followed by the travel to the next one, with the pen up; the last
 * returns to the first. A part starts at a sample and gets a number of samples
 * proportional to its length; travel of no length gets none.
 */

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
  Path *path;
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
path_alloc (Path * path, guint n, GError ** error)
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

static void
path_clear (Path * path)
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
write_path (const CsStrokesOutput * strokes, const Part * parts, Path * path)
{
  Writer writer = { path, 0 };

  for (gsize i = 0; i < strokes->n_contours; i++) {
    write_contour (&writer, strokes, i, &parts[2 * i]);
    write_travel (&writer, *contour_end (strokes, i),
        *contour_begin (strokes, i + 1), parts[2 * i + 1].n);
  }
}

static gboolean
path_sample (const CsStrokesOutput * strokes, const CsPathParams * params,
    Path * path, GError ** error)
{
  const gsize n_parts = 2 * strokes->n_contours;
  gsize n_needed = strokes->n_contours, i;

  if (!check (strokes, params, error))
    return FALSE;
  g_autofree Part *parts = cs_try_new (Part, n_parts);
  if (!parts)
    return cs_error (error, CS_ERROR_NO_MEMORY, "cannot allocate a path of %"
        G_GSIZE_FORMAT " contours", strokes->n_contours);
  const double time = measure (strokes, params->travel_speed, parts);
  for (i = 1; i < n_parts; i += 2)
    n_needed += parts[i].length > 0;
  if (!path_alloc (path, choose_n (params, time, n_needed), error))
    return FALSE;
  distribute_samples (parts, n_parts, time, path->n, n_needed);
  assign_remainder (parts, n_parts);
  write_path (strokes, parts, path);
  return TRUE;
}

void
cs_fourier_free (CsFourier * fourier)
{
  path_clear (&fourier->path);
  g_free (fourier->vectors);
  g_free (fourier->error2);
  g_free (fourier->work);
  g_mutex_clear (&fourier->lock);
  g_free (fourier);
}

/**
 * cs_fourier_new:
 * @strokes: contours, in drawing order
 * @params: how the path is sampled
 * @transform: a transform of real numbers
 * @user_data: for @transform
 * @error: CS_ERROR_INVALID or CS_ERROR_NO_MEMORY
 *
 * Returns: a drawing
 */
CsFourier *
cs_fourier_new (const CsStrokesOutput * strokes, const CsPathParams * params,
    CsRealTransform transform, gpointer user_data, GError ** error)
{
  CsFourier *fourier = g_new0 (CsFourier, 1);
  g_autofree Vector *unsorted = NULL;

  g_mutex_init (&fourier->lock);
  if (!path_sample (strokes, params, &fourier->path, error) ||
      !alloc_vectors (fourier, &unsorted, error)) {
    cs_fourier_free (fourier);
    return NULL;
  }
  find_vectors (fourier, transform, user_data, unsorted);
  return fourier;
}

guint
cs_fourier_get_n_samples (const CsFourier * fourier)
{
  return fourier->path.n;
}

guint
cs_fourier_get_n_vectors (const CsFourier * fourier)
{
  return fourier->n_vectors;
}

/* @n, or the number of vectors if 0 or larger. */
static guint
clamp_n (const CsFourier * fourier, guint n)
{
  return n == 0 ? fourier->n_vectors : MIN (n, fourier->n_vectors);
}

double
cs_fourier_get_rms_error (const CsFourier * fourier, guint n)
{
  return sqrt (fourier->error2[clamp_n (fourier, n)]);
}

void
cs_fourier_get_vector (const CsFourier * fourier, guint i, gint * k,
    double *re, double *im)
{
  const Vector *v = &fourier->vectors[i];

  *k = v->k;
  *re = v->re;
  *im = v->im;
}

/* --- Drawing -------------------------------------------------------------- */

/* exp (2 pi i turns), exact at multiples of a quarter turn. */
static void
rotation (double turns, double *re, double *im)
{
  const double quarters = rint (4 * turns);
  const double angle = 2 * G_PI * (turns - quarters / 4);

  *re = cos (angle);
  *im = sin (angle);
  cs_rotate_quarters ((gint64) quarters, re, im);
}

/* Fractional turns of a vector at a sample: correctly rounded if @fraction is
 * 0. */
static double
turns_at (gint k, guint64 step, double fraction, guint n)
{
  const guint64 rate = k >= 0 ? (guint64) k : n - (guint64) (-(gint64) k);

  return (rate * step % n + k * fraction) / n;
}

/* Vectors that a thread turns at a time: some 30 microseconds of work. */
#define VECTORS_AT_ONCE 512

typedef struct
{
  const CsFourier *fourier;
  guint64 step;
  double fraction;
  guint used;
  double *turned;               /* of each vector x and y */
} ArmJob;

/* The vectors of chunk @index as they are turned. */
static void
turn_vectors (void *user_data, guint index)
{
  const ArmJob *job = user_data;
  const guint first = 1 + index * VECTORS_AT_ONCE;
  const guint end = MIN (first + VECTORS_AT_ONCE, job->used + 1);

  for (guint i = first; i < end; i++) {
    const Vector *v = &job->fourier->vectors[i];
    double c, s;

    rotation (turns_at (v->k, job->step, job->fraction,
            job->fourier->path.n), &c, &s);
    job->turned[2 * i - 2] = v->re * c - v->im * s;
    job->turned[2 * i - 1] = v->re * s + v->im * c;
  }
}

/**
 * cs_fourier_get_arm:
 * @fourier: a drawing
 * @step: a sample, of any round
 * @fraction: how far to the next one, 0 <= @fraction < 1
 * @n: vectors; 0 means all
 * @executor: a CPU's
 * @turned: room for two numbers for each vector
 * @joints: (out): n + 1 points
 *
 * The arm's joints, from the mount to the pen. Not a bit depends on the number
 * of threads. If there are fewer vectors than
 * @n, the last points repeat the pen.
 */
void
cs_fourier_get_arm (const CsFourier * fourier, guint64 step, double fraction,
    guint n, CsExecutor * executor, double *turned, CsStrokePoint * joints)
{
  const guint used = clamp_n (fourier, n);
  ArmJob job = { fourier, step % fourier->path.n, fraction, used, turned };
  double x = fourier->vectors[0].re, y = fourier->vectors[0].im;
  guint i;

  cs_executor_parallel_for (executor,
      (used + VECTORS_AT_ONCE - 1) / VECTORS_AT_ONCE, turn_vectors, &job);
  joints[0] = (CsStrokePoint) { x, y };
  for (i = 1; i <= used; i++) {
    x += turned[2 * i - 2];
    y += turned[2 * i - 1];
    joints[i] = (CsStrokePoint) { x, y };
  }
  for (; i <= n; i++)
    joints[i] = joints[used];
}

/* Inverse transform by the forward one: z_n = conj sum_k conj Z_k exp (-2 pi i
 * k n / N). */
static void
transform_back (CsFourier * fourier, guint n, CsRealTransform transform,
    gpointer user_data, CsStrokePoint * points)
{
  const guint n_samples = fourier->path.n;
  const Spectrum spectrum = spectrum_of (fourier);
  double *re = fourier->work, *im = fourier->work + n_samples;

  memset (fourier->work, 0, 2 * (gsize) n_samples * sizeof (double));
  for (guint i = 1; i <= n; i++) {
    const Vector *v = &fourier->vectors[i];
    const guint at = v->k >= 0 ? (guint) v->k : n_samples - (guint) - v->k;

    re[at] += v->re;
    im[at] -= v->im;
  }
  transform_pair (&spectrum, transform, user_data, re, im);
  for (guint i = 0; i < n_samples; i++) {
    double x, y;

    spectrum_get (&spectrum, i, &x, &y);
    points[i].x = fourier->vectors[0].re + x;
    points[i].y = fourier->vectors[0].im - y;
  }
}

/**
 * cs_fourier_get_trail:
 * @fourier: a drawing
 * @n: vectors; 0 means all, whose trail is the path itself
 * @transform: a transform of real numbers
 * @user_data: for @transform
 * @points: (out): N points
 * @pen_down: (out) (nullable): N flags
 */
void
cs_fourier_get_trail (const CsFourier * fourier, guint n,
    CsRealTransform transform, gpointer user_data, CsStrokePoint * points,
    guint8 * pen_down)
{
  /* only the scratch changes, under its lock */
  CsFourier *self = (CsFourier *) fourier;

  if (pen_down)
    memcpy (pen_down, fourier->path.pen_down, fourier->path.n);
  if (clamp_n (fourier, n) == fourier->n_vectors) {
    for (guint i = 0; i < fourier->path.n; i++)
      points[i] = (CsStrokePoint) { fourier->path.x[i], fourier->path.y[i] };
    return;
  }
  g_mutex_lock (&self->lock);
  transform_back (self, n, transform, user_data, points);
  g_mutex_unlock (&self->lock);
}
