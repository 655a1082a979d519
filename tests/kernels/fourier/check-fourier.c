/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the Fourier series: check-fourier [--bench]. Transforms come from
 * libgstfft, and from a sum over all samples. */
#include <gst/fft/gstfftf64.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/check.h"
#include "../lib/random.h"
#include "fourier/fourier.h"

/* --- Transforms ----------------------------------------------------------- */

/* @user_data: how often it was called. */
static void
transform_gst (gpointer user_data, guint n, const double *samples,
    double *spectrum)
{
  GstFFTF64 *fft = gst_fft_f64_new (n, FALSE);

  gst_fft_f64_fft (fft, samples, (GstFFTF64Complex *) spectrum);
  gst_fft_f64_free (fft);
  ++*(guint *) user_data;
}

static void
transform_sum (gpointer user_data, guint n, const double *samples,
    double *spectrum)
{
  for (guint k = 0; k <= n / 2; k++) {
    long double re = 0, im = 0;

    for (guint j = 0; j < n; j++) {
      const long double angle = 2 * G_PI * ((guint64) j * k % n) / n;

      re += samples[j] * cosl (angle);
      im -= samples[j] * sinl (angle);
    }
    spectrum[2 * k] = re;
    spectrum[2 * k + 1] = im;
  }
  ++*(guint *) user_data;
}

static const struct
{
  const char *name;
  CsRealTransform transform;
} transforms[] = {
  {"libgstfft", transform_gst},
  {"sum", transform_sum},
};

/* --- Drawings ------------------------------------------------------------- */

/* Contours, and what a fourier is made of. */
typedef struct
{
  CsStrokePoint *points;
  guint32 offsets[8];
  CsStrokesOutput strokes;
} Shape;

static void
shape_init (Shape * shape, gsize n_contours, const guint32 * sizes)
{
  shape->offsets[0] = 0;
  for (gsize i = 0; i < n_contours; i++)
    shape->offsets[i + 1] = shape->offsets[i] + sizes[i];
  shape->points = g_new0 (CsStrokePoint, shape->offsets[n_contours] + 1);
  shape->strokes = (CsStrokesOutput) {
    .points = shape->points,
    .offsets = shape->offsets,
    .n_contours = n_contours,
    .n_points = shape->offsets[n_contours],
  };
}

static void
shape_random (Shape * shape, guint64 * state, guint n_contours)
{
  guint32 sizes[7];

  for (gsize i = 0; i < n_contours; i++)
    sizes[i] = 1 + random_below (state, 20);
  shape_init (shape, n_contours, sizes);
  for (gsize i = 0; i < shape->strokes.n_points; i++) {
    shape->points[i].x = 100 * random_unit (state);
    shape->points[i].y = 100 * random_unit (state) - 30;
  }
}

/* Closed, with @n corners on a circle. */
static void
shape_circle (Shape * shape, guint n, double radius)
{
  const guint32 size = n + 1;

  shape_init (shape, 1, &size);
  for (guint i = 0; i <= n; i++) {
    shape->points[i].x = 7 + radius * cos (2 * G_PI * (i % n) / n);
    shape->points[i].y = 9 + radius * sin (2 * G_PI * (i % n) / n);
  }
}

static void
shape_clear (Shape * shape)
{
  g_free (shape->points);
}

static CsFourier *
fourier_of (const Shape * shape, guint n_samples, guint transform,
    guint * calls)
{
  const CsPathParams params = { n_samples, 2 };
  g_autoptr (GError) error = NULL;
  CsFourier *fourier = cs_fourier_new (&shape->strokes, &params,
      transforms[transform].transform, calls, &error);

  expect (fourier != NULL, "%s", error ? error->message : "");
  return fourier;
}

/* --- Against sums --------------------------------------------------------- */

/* The path, which is the trail of all vectors. */
static CsStrokePoint *
samples_of (const CsFourier * fourier, guint8 * pen_down)
{
  CsStrokePoint *samples = g_new (CsStrokePoint,
      cs_fourier_get_n_samples (fourier));
  guint calls = 0;

  cs_fourier_get_trail (fourier, 0, transform_sum, &calls, samples, pen_down);
  return samples;
}

static void
sum_term (const CsStrokePoint * z, guint n, gint k, long double *re,
    long double *im)
{
  const guint64 rate = k >= 0 ? (guint64) k : (guint64) n - (guint64) - (gint64) k;
  guint j;

  *re = *im = 0;
  for (j = 0; j < n; j++) {
    const long double angle = -2 * G_PI * (long double) (rate * j % n) / n;

    *re += z[j].x * cosl (angle) - z[j].y * sinl (angle);
    *im += z[j].x * sinl (angle) + z[j].y * cosl (angle);
  }
  *re /= n;
  *im /= n;
}

static void
check_vectors (const CsFourier * fourier, const CsStrokePoint * z)
{
  const guint n = cs_fourier_get_n_samples (fourier);
  const guint n_vectors = cs_fourier_get_n_vectors (fourier);
  double last = INFINITY;
  gint last_k = 0;

  expect (n_vectors <= n, "%u vectors", n_vectors);
  for (guint i = 0; i <= n_vectors; i++) {
    long double want_re, want_im;
    double re, im;
    gint k;

    cs_fourier_get_vector (fourier, i, &k, &re, &im);
    sum_term (z, n, k, &want_re, &want_im);
    if (ABS (k) == (gint) n / 2) {
      want_re /= 2;
      want_im /= 2;
    }
    /* samples are returned in single precision */
    expect (hypotl (re - want_re, im - want_im) < 2e-5, "vector %u (k = %d) is"
        " (%g, %g), not (%Lg, %Lg)", i, k, re, im, want_re, want_im);
    expect ((i == 0) == (k == 0) && ABS (k) <= (gint) n / 2, "vector %u is of"
        " k = %d", i, k);
    if (i > 1)
      expect (re * re + im * im < last || (re * re + im * im == last &&
              (ABS (k) > ABS (last_k) || (ABS (k) == ABS (last_k) &&
                      k < last_k))), "vector %u (k = %d) is out of order", i,
          k);
    if (i > 0)
      last = re * re + im * im;
    last_k = k;
  }
}

/* What @n vectors give at a time, in turns. */
static void
evaluate (const CsFourier * fourier, guint n, long double t, long double *x,
    long double *y)
{
  *x = *y = 0;
  for (guint i = 0; i <= n; i++) {
    double re, im;
    long double angle;
    gint k;

    cs_fourier_get_vector (fourier, i, &k, &re, &im);
    angle = 2 * G_PI * k * t;
    *x += re * cosl (angle) - im * sinl (angle);
    *y += re * sinl (angle) + im * cosl (angle);
  }
}

static CsExecutor *one_thread, *four_threads;

/* cs_fourier_get_arm() with one thread and with four, which is the same. */
static void
get_arm (const CsFourier * fourier, guint64 step, double fraction, guint n,
    CsStrokePoint * joints)
{
  const guint n_vectors = cs_fourier_get_n_vectors (fourier);
  const gsize size = (MAX (n, n_vectors) + 1) * sizeof (CsStrokePoint);
  g_autofree double *turned = g_new (double, 2 * n_vectors + 1);
  g_autofree CsStrokePoint *same = g_malloc0 (size);
  const gsize n_joints = (n == 0 ? n_vectors : n) + 1;

  cs_fourier_get_arm (fourier, step, fraction, n, one_thread, turned, joints);
  cs_fourier_get_arm (fourier, step, fraction, n, four_threads, turned, same);
  expect (memcmp (joints, same, n_joints * sizeof (*joints)) == 0,
      "four threads find other joints of %u vectors than one", n);
}

static void
check_arm (const CsFourier * fourier, guint n, guint64 step, double fraction)
{
  const guint n_samples = cs_fourier_get_n_samples (fourier);
  const guint n_vectors = cs_fourier_get_n_vectors (fourier);
  const guint used = n == 0 ? n_vectors : MIN (n, n_vectors);
  g_autofree CsStrokePoint *joints = g_new (CsStrokePoint, MAX (n,
          n_vectors) + 1);
  g_autofree CsStrokePoint *later = g_new (CsStrokePoint, MAX (n,
          n_vectors) + 1);

  get_arm (fourier, step, fraction, n, joints);
  for (guint i = 0; i <= used; i += 1 + used / 7) {
    long double x, y;

    evaluate (fourier, i, (step % n_samples + (long double) fraction) /
        n_samples, &x, &y);
    expect (hypotl (joints[i].x - x, joints[i].y - y) < 5e-5, "joint %u at"
        " %" G_GUINT64_FORMAT " + %g is (%g, %g), not (%Lg, %Lg)", i, step,
        fraction, joints[i].x, joints[i].y, x, y);
  }
  /* a year of 60 frames a second later */
  get_arm (fourier, step + n_samples * G_GUINT64_CONSTANT
      (1892160000), fraction, n, later);
  expect (memcmp (joints, later, (MAX (n, used) + 1) *
          sizeof (*joints)) == 0, "the arm is elsewhere after a year");
}

static void
check_trail (const CsFourier * fourier, guint n, guint transform,
    const CsStrokePoint * z)
{
  const guint n_samples = cs_fourier_get_n_samples (fourier);
  const guint n_vectors = cs_fourier_get_n_vectors (fourier);
  const guint used = n == 0 ? n_vectors : MIN (n, n_vectors);
  g_autofree CsStrokePoint *trail = g_new (CsStrokePoint, n_samples);
  double sum = 0, rms;
  guint calls = 0, i;

  cs_fourier_get_trail (fourier, n, transforms[transform].transform, &calls,
      trail, NULL);
  expect (calls == 0 || calls == 2, "%u transforms of real numbers", calls);
  for (i = 0; i < n_samples; i++) {
    const double dx = (double) trail[i].x - z[i].x;
    const double dy = (double) trail[i].y - z[i].y;
    long double x, y;

    sum += dx * dx + dy * dy;
    if (i % (1 + n_samples / 23) != 0)
      continue;
    evaluate (fourier, used, (long double) i / n_samples, &x, &y);
    expect (hypotl (trail[i].x - x, trail[i].y - y) < 5e-5, "%u vectors at %u:"
        " (%g, %g), not (%Lg, %Lg)", n, i, trail[i].x, trail[i].y, x, y);
  }
  rms = sqrt (sum / n_samples);
  expect (fabs (rms - cs_fourier_get_rms_error (fourier, n)) < 2e-5,
      "%u vectors: %g pixels off, not %g", n,
      rms, cs_fourier_get_rms_error (fourier, n));
}

static void
check_drawing (const Shape * shape, guint n_samples, guint transform)
{
  static const guint64 steps[] = { 0, 1, 5, 63, 1000003 };
  guint calls = 0, n, i;
  CsFourier *fourier = fourier_of (shape, n_samples, transform, &calls);

  if (!fourier)
    return;
  expect (calls == 2, "%u transforms of real numbers", calls);
  n = cs_fourier_get_n_samples (fourier);
  g_autofree CsStrokePoint *z = samples_of (fourier, NULL);
  check_vectors (fourier, z);
  for (i = 0; i < G_N_ELEMENTS (steps); i++) {
    check_arm (fourier, 0, steps[i], 0);
    check_arm (fourier, 1 + i * 3, steps[i], .37);
    check_arm (fourier, n + 10, steps[i], .999);
  }
  for (i = 0; i < 5; i++)
    check_trail (fourier, i * n / 4 + (i == 1), transform, z);
  check_trail (fourier, n - 1, transform, z);
  check_trail (fourier, 1, transform, z);
  check_trail (fourier, n + 5, transform, z);
  expect (cs_fourier_get_rms_error (fourier, 0) == 0, "all of them are off");
  cs_fourier_free (fourier);
}

static void
test_random (void)
{
  static const guint sizes[] = { 0, 1, 2, 3, 7, 16, 30, 97, 128, 211 };
  guint64 state = 1;
  guint transform;

  for (transform = 0; transform < G_N_ELEMENTS (transforms); transform++) {
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      for (guint k = 1; k <= 5; k++) {
        Shape shape;

        shape_random (&shape, &state, k);
        begin ("%u contours, %u samples, %s", k, sizes[i],
            transforms[transform].name);
        check_drawing (&shape, sizes[i] ? sizes[i] : 96, transform);
        end ();
        shape_clear (&shape);
      }
  }
}

/* --- Special paths -------------------------------------------------------- */

static void
test_sizes (void)
{
  static const guint want[][2] = { {1, 2}, {2, 2}, {3, 4}, {7, 8}, {11, 12},
    {13, 16}, {65, 72}, {97, 100}, {1009, 1024}, {86400, 86400},
    {86401, 87480}
  };
  guint calls = 0, i;
  Shape shape;

  shape_circle (&shape, 5, 100);
  for (i = 0; i < G_N_ELEMENTS (want); i++) {
    begin ("%u samples", want[i][0]);
    g_autoptr (CsFourier) fourier = fourier_of (&shape, want[i][0], 0, &calls);
    expect (cs_fourier_get_n_samples (fourier) == want[i][1], "%u, not %u",
        cs_fourier_get_n_samples (fourier), want[i][1]);
    end ();
  }
  shape_clear (&shape);
}

static void
test_one_point (void)
{
  const guint32 sizes[] = { 1, 3, 1 };
  guint calls = 0, n_contours, i;

  for (n_contours = 1; n_contours <= 3; n_contours++) {
    CsStrokePoint joints[4];
    Shape shape;
    double re, im;
    gint k;

    begin ("all points are one, in %u contours", n_contours);
    shape_init (&shape, n_contours, sizes);
    for (i = 0; i < shape.strokes.n_points; i++)
      shape.points[i] = (CsStrokePoint) { 3.3f, -7.1f };
    g_autoptr (CsFourier) fourier = fourier_of (&shape, 0, 0, &calls);
    expect (cs_fourier_get_n_vectors (fourier) == 0, "%u vectors",
        cs_fourier_get_n_vectors (fourier));
    cs_fourier_get_vector (fourier, 0, &k, &re, &im);
    expect (k == 0 && re == 3.3f && im == -7.1f, "(%g, %g)", re, im);
    get_arm (fourier, 99, .5, 3, joints);
    for (i = 0; i < 4; i++)
      expect (joints[i].x == 3.3f && joints[i].y == -7.1f, "joint %u", i);
    shape_clear (&shape);
    end ();
  }
}

static void
test_circle (void)
{
  guint calls = 0;
  double re, im;
  Shape shape;
  gint k;

  begin ("a circle is one vector");
  shape_circle (&shape, 240, 50);
  g_autoptr (CsFourier) fourier = fourier_of (&shape, 240, 0, &calls);
  cs_fourier_get_vector (fourier, 0, &k, &re, &im);
  expect (hypot (re - 7, im - 9) < 1e-5, "its centre is (%g, %g)", re, im);
  cs_fourier_get_vector (fourier, 1, &k, &re, &im);
  expect (k == 1 && hypot (re - 50, im) < 1e-4, "k = %d, (%g, %g)", k, re, im);
  expect (cs_fourier_get_rms_error (fourier, 1) < 1e-4, "it is off by %g",
      cs_fourier_get_rms_error (fourier, 1));
  shape_clear (&shape);
  end ();
}

static void
test_nyquist (void)
{
  const guint32 size = 3;
  guint calls = 0, i;
  CsStrokePoint joints[3];
  double re, im;
  Shape shape;
  gint k;

  begin ("to and fro: the fastest vector alone, split");
  shape_init (&shape, 1, &size);
  shape.points[0] = shape.points[2] = (CsStrokePoint) { 2, 1 };
  shape.points[1] = (CsStrokePoint) { 6, 5 };
  g_autoptr (CsFourier) fourier = fourier_of (&shape, 2, 0, &calls);
  expect (cs_fourier_get_n_vectors (fourier) == 2, "%u vectors",
      cs_fourier_get_n_vectors (fourier));
  for (i = 1; i <= 2; i++) {
    cs_fourier_get_vector (fourier, i, &k, &re, &im);
    expect (k == (i == 1 ? 1 : -1) && re == -1 && im == -1, "vector %u: k = %d"
        ", (%g, %g)", i, k, re, im);
  }
  /* between samples it stays on the line */
  get_arm (fourier, 0, .5, 0, joints);
  expect (fabs (joints[2].x - 4) < 1e-6 && fabs (joints[2].y - 3) < 1e-6,
      "half way it is at (%g, %g)", joints[2].x, joints[2].y);
  /* one of two halves is off by half as much as none */
  expect (fabs (cs_fourier_get_rms_error (fourier, 1) - sqrt (2)) < 1e-12,
      "one vector is off by %g", cs_fourier_get_rms_error (fourier, 1));
  shape_clear (&shape);
  end ();
}

static void
test_line (void)
{
  const guint32 size = 2;
  guint calls = 0, i;
  guint8 down[96];
  Shape shape;

  begin ("a line, drawn there, and back with the pen up, slow at both ends");
  shape_init (&shape, 1, &size);
  shape.points[0] = (CsStrokePoint) { 10, 20 };
  shape.points[1] = (CsStrokePoint) { 70, 20 };
  g_autoptr (CsFourier) fourier = fourier_of (&shape, 96, 0, &calls);
  g_autofree CsStrokePoint *z = samples_of (fourier, down);
  expect (z[0].x == 10 && down[0], "it begins at %g", z[0].x);
  for (i = 0; i < 96; i++) {
    expect (z[i].y == 20 && z[i].x >= 10 && z[i].x <= 70, "sample %u is at"
        " (%g, %g)", i, z[i].x, z[i].y);
    /* 60 pixels, and 60 twice as fast: 64 and 32 samples */
    expect (down[i] == (i < 64), "sample %u is %s", i, down[i] ? "down" : "up");
    if (i < 64)
      expect (fabs (z[i].x - (10 + 60. * i / 64)) < 1e-4, "sample %u is at %g",
          i, z[i].x);
  }
  expect (z[64].x == 70 && 70 - z[65].x < z[79].x - z[80].x &&
      z[95].x - 10 < z[79].x - z[80].x, "it is not slow at both ends");
  shape_clear (&shape);
  end ();
}

/* Every contour and every way has its sample. */
static void
test_parts (void)
{
  const guint32 sizes[] = { 2, 1, 2, 1, 2, 1 };
  guint calls = 0, i, n_down = 0;
  Shape shape;

  begin ("more contours and ways than samples");
  shape_init (&shape, 6, sizes);
  for (i = 0; i < shape.strokes.n_points; i++)
    shape.points[i] = (CsStrokePoint) { i * i, i };
  g_autoptr (CsFourier) fourier = fourier_of (&shape, 4, 0, &calls);
  expect (cs_fourier_get_n_samples (fourier) == 12, "%u samples",
      cs_fourier_get_n_samples (fourier));
  g_autofree guint8 *down = g_new (guint8, cs_fourier_get_n_samples (fourier));
  g_free (samples_of (fourier, down));
  for (i = 0; i < cs_fourier_get_n_samples (fourier); i++)
    n_down += down[i];
  expect (n_down == 6, "the pen is down %u times", n_down);
  shape_clear (&shape);
  end ();
}

/* Points of the drawing are never far from samples. */
static void
test_coverage (void)
{
  guint64 state = 8;
  guint calls = 0, i, k;
  Shape shape;

  begin ("about a sample a pixel");
  shape_random (&shape, &state, 4);
  g_autoptr (CsFourier) fourier = fourier_of (&shape, 0, 0, &calls);
  g_autofree guint8 *down = g_new (guint8, cs_fourier_get_n_samples (fourier));
  g_autofree CsStrokePoint *z = samples_of (fourier, down);
  for (i = 0; i < shape.strokes.n_points; i++) {
    double least = INFINITY;

    for (k = 0; k < cs_fourier_get_n_samples (fourier); k++)
      least = MIN (least, hypot (z[k].x - shape.points[i].x,
              z[k].y - shape.points[i].y));
    expect (least < .75, "point %u is %g pixels from all samples", i, least);
  }
  for (k = 0; k + 1 < cs_fourier_get_n_samples (fourier); k++)
    expect (!down[k] || hypot (z[k].x - z[k + 1].x, z[k].y - z[k + 1].y) < 1.1,
        "step %u is long", k);
  shape_clear (&shape);
  end ();
}

static void
expect_error (const Shape * shape, guint n_samples, double speed,
    const char *what)
{
  const CsPathParams params = { n_samples, speed };
  g_autoptr (GError) error = NULL;
  guint calls = 0;

  expect (!cs_fourier_new (&shape->strokes, &params, transform_sum, &calls,
          &error) && error && error->domain == CS_ERROR &&
      error->code == CS_ERROR_INVALID, "%s: %s", what,
      error ? error->message : "no error");
}

static void
test_errors (void)
{
  const guint32 sizes[] = { 3, 2 };
  Shape shape;

  begin ("errors");
  shape_init (&shape, 2, sizes);
  expect_error (&shape, 0, 0, "a speed of 0");
  expect_error (&shape, 0, NAN, "a speed that is not a number");
  expect_error (&shape, 0, INFINITY, "an infinite speed");
  expect_error (&shape, G_MAXUINT, 1, "too many samples");
  shape.points[4].y = NAN;
  expect_error (&shape, 0, 1, "a point that is not a number");
  shape.points[4].y = 0;
  shape.offsets[1] = 5;
  expect_error (&shape, 0, 1, "an empty contour");
  shape.strokes.n_points = shape.strokes.n_contours = 0;
  expect_error (&shape, 0, 1, "no points");
  shape_clear (&shape);
  end ();
}

/* --- Times ---------------------------------------------------------------- */

static int
bench (void)
{
  static const guint sizes[] = { 1024, 10000, 86400, 1048576 };
  guint64 state = 3;

  printf ("milliseconds\n%9s %9s %9s %9s %9s\n", "samples", "series",
      "arm, 1", "arm, 4", "trail");
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autofree CsStrokePoint *points = g_new (CsStrokePoint, MAX (sizes[i],
            10001));
    g_autofree double *turned = g_new (double, 20000);
    guint calls = 0;
    Shape shape;
    gint64 start[5];

    shape_random (&shape, &state, 6);
    start[0] = g_get_monotonic_time ();
    g_autoptr (CsFourier) fourier = fourier_of (&shape, sizes[i], 0, &calls);
    start[1] = g_get_monotonic_time ();
    cs_fourier_get_arm (fourier, 77, .5, 10000, one_thread, turned, points);
    start[2] = g_get_monotonic_time ();
    cs_fourier_get_arm (fourier, 77, .5, 10000, four_threads, turned, points);
    start[3] = g_get_monotonic_time ();
    cs_fourier_get_trail (fourier, sizes[i] / 2, transform_gst, &calls,
        points, NULL);
    start[4] = g_get_monotonic_time ();
    printf ("%9u %9.3f %9.3f %9.3f %9.3f\n", sizes[i],
        (start[1] - start[0]) / 1000., (start[2] - start[1]) / 1000.,
        (start[3] - start[2]) / 1000., (start[4] - start[3]) / 1000.);
    shape_clear (&shape);
  }
  return 0;
}

int
main (int argc, char **argv)
{
  setvbuf (stdout, NULL, _IOLBF, 0);
  one_thread = cs_executor_new_cpu (1);
  four_threads = cs_executor_new_cpu (4);
  if (argc > 1 && strcmp (argv[1], "--bench") == 0)
    return bench ();
  test_sizes ();
  test_one_point ();
  test_circle ();
  test_nyquist ();
  test_line ();
  test_parts ();
  test_coverage ();
  test_errors ();
  test_random ();
  int status = finish ();
  cs_executor_free (one_thread);
  cs_executor_free (four_threads);
  return status;
}
