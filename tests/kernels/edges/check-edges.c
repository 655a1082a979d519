/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the edges kernels: check-edges [--backend cpu|cuda|both] [--quick]
 *   --brief is for checkers of memory and races, which take their time
 * Measures them:            check-edges --bench [--backend ...]
 * Finds edges:              check-edges --solve WIDTH HEIGHT SIGMA LOW HIGH
 *   in 8-bit samples from stdin; a line for each chain, "x y x y ..." */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/check.h"
#include "../lib/random.h"
#include "../lib/runners.h"
#include "../lib/timing.h"
#include "edges_oracle.h"

#define MAX_RUNNERS 6

static Runner runners[MAX_RUNNERS];
static guint n_runners;
static gboolean quick, brief;
static Device device;

/* --- Runners -------------------------------------------------------------- */

static const RunnerKind kinds[] = {
  {"cpu, 1 thread", 1}, {"cpu, 7 threads", 7},
  {"cuda, host", 0, CS_MEMORY_HOST}, {"cuda, device", 0, CS_MEMORY_DEVICE},
};

static void
make_plans (void)
{
  CsEdgesParams params;
  GError *error = NULL;

  cs_edges_params_init (&params);
  for (guint i = 0; i < n_runners; i++) {
    runners[i].plan = cs_edges_new (&params, runners[i].executor, &error);
    if (!runners[i].plan) {
      printf ("%s: %s\n", runners[i].name, error->message);
      exit (1);
    }
  }
}

typedef struct
{
  const CsStrokePoint *points;
  const guint32 *offsets;
  gsize n;
} Chains;

static gboolean
run (const Runner * runner, const CsEdgesParams * params,
    const CsImage * image, Chains * chains)
{
  CsImage in = *image;
  GError *error = NULL;

  in.memory = runner->memory;
  in.data = device_place (in.memory, image->data,
      image->height * image->row_stride);
  gboolean done = cs_edges_set_params (runner->plan, params, &error) &&
      cs_edges_run (runner->plan, &in, &chains->points, &chains->offsets,
      &chains->n, &error);
  expect (done, "%s: %s", runner->name, error ? error->message : "");
  g_clear_error (&error);
  device_displace (in.memory, in.data);
  return done;
}

/* --- Chains against the oracle -------------------------------------------- */

typedef struct
{
  CsStrokePoint point;
  gsize pixel;
} Located;

static int
compare_located (const void *a, const void *b)
{
  const Located *p = a, *q = b;

  if (p->point.x != q->point.x)
    return p->point.x < q->point.x ? -1 : 1;
  return p->point.y < q->point.y ? -1 : p->point.y > q->point.y;
}

static guint
count_links (const OracleEdges * edges, gsize pixel)
{
  const gint x = pixel % edges->width, y = pixel / edges->width;
  guint n = 0;

  for (gint dy = -1; dy <= 1; dy++)
    for (gint dx = -1; dx <= 1; dx++)
      n += oracle_is_linked (edges, x, y, x + dx, y + dy);
  return n;
}

/**
 * Visits:
 * @located: edge pixels' points, sorted
 * @visits: how often each pixel was visited
 * @links: number of chain links at it
 */
typedef struct
{
  const OracleEdges *edges;
  Located *located;
  guint *visits, *links;
} Visits;

static gssize
pixel_of (const Visits * visits, CsStrokePoint point)
{
  const Located key = { point, 0 };
  const Located *found = bsearch (&key, visits->located,
      visits->edges->n_edges, sizeof (key), compare_located);

  return found ? (gssize) found->pixel : -1;
}

static void
follow_chain (Visits * visits, const char *name, const CsStrokePoint * points,
    gsize n)
{
  const guint width = visits->edges->width;
  const gboolean ring = n > 1 && points[0].x == points[n - 1].x &&
      points[0].y == points[n - 1].y;
  gssize last = -1;

  for (gsize i = 0; i < n; i++) {
    const gssize pixel = pixel_of (visits, points[i]);

    expect (pixel >= 0, "%s: (%g, %g) is no edge", name, points[i].x,
        points[i].y);
    if (pixel < 0)
      return;
    guint degree = count_links (visits->edges, pixel);
    if (i > 0) {
      expect (oracle_is_linked (visits->edges, last % width, last / width,
              pixel % width, pixel / width), "%s: a step from pixel %zd to"
          " %zd", name, last, pixel);
      visits->links[last]++;
      visits->links[pixel]++;
    }
    expect (i == 0 || i == n - 1 ? degree != 2 || ring : degree == 2,
        "%s: point %zu of %zu has %u links", name, i, n, degree);
    if (!(ring && i == n - 1))
      visits->visits[pixel]++;
    last = pixel;
  }
}

static void
check_chains (const char *name, const OracleEdges * edges,
    const Chains * chains)
{
  const gsize n = (gsize) edges->width * edges->height;
  Visits visits = { edges, g_new (Located, edges->n_edges + 1),
    g_new0 (guint, n + 1), g_new0 (guint, n + 1)
  };
  gsize i, k = 0;

  for (i = 0; i < n; i++)
    if (edges->is_edge[i])
      visits.located[k++] = (Located) { edges->points[i], i };
  qsort (visits.located, k, sizeof (Located), compare_located);
  for (i = 0; i < chains->n; i++)
    follow_chain (&visits, name, chains->points + chains->offsets[i],
        chains->offsets[i + 1] - chains->offsets[i]);
  for (i = 0; i < n; i++) {
    const guint degree = edges->is_edge[i] ? count_links (edges, i) : 0;

    expect (visits.links[i] == degree, "%s: %u of %u links of pixel %zu",
        name, visits.links[i], degree, i);
    /* once, and a junction once for every chain that ends there, or once for
     * two ends of one */
    expect (degree <= 2 ? visits.visits[i] == (edges->is_edge[i] ? 1 : 0) :
        visits.visits[i] >= 1 && visits.visits[i] <= degree,
        "%s: pixel %zu of %u links was visited %u times", name, i, degree,
        visits.visits[i]);
  }
  g_free (visits.located);
  g_free (visits.visits);
  g_free (visits.links);
}

static void
expect_same (const char *name, const Chains * want, const Chains * got)
{
  const gsize n = want->offsets[want->n];

  expect (want->n == got->n && n == got->offsets[got->n], "%s: %zu chains of"
      " %u points, not %zu of %zu", name, got->n, got->offsets[got->n],
      want->n, n);
  if (case_has_failed ())
    return;
  expect (memcmp (want->offsets, got->offsets, (want->n + 1) *
          sizeof (guint32)) == 0, "%s: other offsets", name);
  expect (n == 0 || memcmp (want->points, got->points, n *
          sizeof (CsStrokePoint)) == 0, "%s: other points", name);
}

static void
check (const CsEdgesParams * params, const CsImage * image,
    const float *samples)
{
  OracleEdges *edges = oracle_edges (params, image->width, image->height,
      samples);
  Chains first, other;

  if (run (&runners[0], params, image, &first)) {
    check_chains (runners[0].name, edges, &first);
    for (guint i = 1; i < n_runners; i++)
      if (run (&runners[i], params, image, &other))
        expect_same (runners[i].name, &first, &other);
  }
  oracle_edges_free (edges);
}

/* --- Pictures ------------------------------------------------------------- */

enum
{ FLAT, NOISE, CODES, DISKS, STRIPES, SQUARES, N_PICTURES };

static const char *const picture_names[] = {
  "flat", "noise", "few codes", "disks", "stripes", "squares"
};

/* Code of a pixel, 0 to 255. */
static guint
picture_at (guint picture, guint seed, guint x, guint y, guint64 * state)
{
  switch (picture) {
    case FLAT:
      return EXIT_SKIPPED;
    case NOISE:
      return random_below (state, 256);
    case CODES:
      return 100 * random_below (state, 3);
    case DISKS:
      return hypot (x - 20., y - 16.) < 5 + seed % 11 ? 200 :
          hypot (x - 40., y - 30.) < 9 ? 120 : 20;
    case STRIPES:
      return (x * (seed % 3) + y) / 6 % 2 ? 255 : 0;
    default:
      return (x / 8 + y / 7) % 2 ? 180 : 60 + seed % 50;
  }
}

/* An image of a type and strides, and its samples as codes. */
static CsImage
make_image (guint picture, guint seed, guint width, guint height,
    CsSampleType type, guint padding, float *samples)
{
  const gsize size = cs_sample_size (type);
  const gsize step = size * (1 + padding), row = (width + padding) * step;
  guint8 *data = g_malloc0 (row * height + 1);
  CsImage image = cs_image_gray (data, type, width, height, row);
  guint64 state = seed + 100;

  image.pixel_stride = step;
  for (guint y = 0; y < height; y++) {
    for (guint x = 0; x < width; x++) {
      const guint code = picture_at (picture, seed, x, y, &state);
      void *at = data + y * row + x * step;

      if (type == CS_SAMPLE_U8)
        *(guint8 *) at = code;
      else if (type == CS_SAMPLE_U16)
        *(guint16 *) at = code * 257;
      else
        *(float *) at = code / 255.f;
      samples[(gsize) y * width + x] = type == CS_SAMPLE_U8 ? code :
          type == CS_SAMPLE_U16 ? code * 257 * (255.f / 65535.f) :
          code / 255.f * 255.f;
    }
  }
  return image;
}

static CsEdgesParams
random_params (guint64 * state)
{
  static const double sigmas[] = { 0, .4, 1, 1.4, 2, 3, 20 };
  const double low = 200 * random_unit (state);

  return (CsEdgesParams) {
    .sigma = sigmas[random_below (state, G_N_ELEMENTS (sigmas))],
    .low = random_below (state, 4) ? low : 0,
    .high = low + 300 * random_unit (state),
    .automatic = random_below (state, 3) == 0,
  };
}

static void
test_pictures (void)
{
  static const guint sizes[][2] = { {64, 48}, {1, 1}, {1, 40}, {40, 1},
    {2, 2}, {33, 17}, {7, 70}, {300, 9},
  };
  const guint n_rounds = brief ? 1 : quick ? 4 : 40;
  guint64 state = 6;

  for (guint round = 0; round < n_rounds; round++) {
    for (guint picture = 0; picture < N_PICTURES; picture++) {
      for (guint i = 0; i < (brief ? 2 : G_N_ELEMENTS (sizes)); i++) {
        static const CsSampleType types[] = { CS_SAMPLE_U8, CS_SAMPLE_U16,
          CS_SAMPLE_F32
        };
        const CsEdgesParams params = random_params (&state);
        const guint width = sizes[i][0], height = sizes[i][1];
        g_autofree float *samples = g_new (float, width * height);
        const CsImage image = make_image (picture, round, width, height,
            types[random_below (&state, 3)], random_below (&state, 3),
            samples);

        begin ("%s of %u x %u, round %u: sigma %g, %g and %g%s",
            picture_names[picture], width, height, round, params.sigma,
            params.low, params.high, params.automatic ? ", automatic" : "");
        check (&params, &image, samples);
        end ();
        g_free ((void *) image.data);
      }
    }
  }
}

static void
test_circle (void)
{
  CsEdgesParams params = { 1, 20, 60, FALSE };
  static guint8 data[64 * 64];
  const CsImage image = cs_image_gray (data, CS_SAMPLE_U8, 64, 64, 64);
  Chains chains;
  guint i;

  begin ("a disk has one ring around it, within a third of a pixel");
  for (i = 0; i < 64 * 64; i++) {
    const double d = 20.5 - hypot (i % 64 - 31.5, i / 64 - 31.);

    data[i] = 30 + 200 * CLAMP (d + .5, 0, 1);
  }
  for (guint r = 0; r < n_runners; r++) {
    if (!run (&runners[r], &params, &image, &chains))
      continue;
    expect (chains.n == 1, "%s: %zu chains", runners[r].name, chains.n);
    for (i = 0; i < chains.offsets[chains.n]; i++) {
      const double d = hypot (chains.points[i].x - 31.5,
          chains.points[i].y - 31.);

      expect (fabs (d - 20.5) < .34, "%s: point %u is %g from the centre",
          runners[r].name, i, d);
    }
    i = chains.offsets[chains.n] - 1;
    expect (i > 100 && memcmp (&chains.points[0], &chains.points[i],
            sizeof (CsStrokePoint)) == 0, "%s: it is not closed",
        runners[r].name);
  }
  end ();
}

static void
test_white (void)
{
  CsEdgesParams params = { 1, 20, 60, FALSE };
  static float data[2][48 * 48];
  Chains chains;

  begin ("floats whose white is 256 have the edges of those of 0 to 1");
  for (guint i = 0; i < 48 * 48; i++) {
    data[0][i] = .5 + .4 * sin (i % 48 / 4.) * cos (i / 48 / 5.);
    data[1][i] = 256 * data[0][i];
  }
  for (guint r = 0; r < n_runners; r++) {
    g_autofree CsStrokePoint *points = NULL;
    gsize n = 0;

    for (guint i = 0; i < 2; i++) {
      const CsImage image = cs_image_gray (data[i], CS_SAMPLE_F32, 48, 48,
          48 * sizeof (float));

      params.white = i == 0 ? 1 : 256;
      if (!run (&runners[r], &params, &image, &chains))
        continue;
      if (i == 0) {
        n = chains.offsets[chains.n];
        points = g_memdup2 (chains.points, n * sizeof (*points));
      }
      expect (n > 0 && chains.offsets[chains.n] == n && memcmp (points,
              chains.points, n * sizeof (*points)) == 0, "%s: white %g",
          runners[r].name, params.white);
    }
  }
  end ();
}

/* The greatest magnitude of Sobel's gradient along a step of 10 codes: 4 steps
 * across columns or rows, (3, 3) steps along a diagonal. Thresholds above it
 * find nothing, but for what a diagonal is at the image's borders. */
static void
test_magnitudes (void)
{
  static const struct
  {
    gint x, y;
    double magnitude;
  } steps[] = { {1, 0, 40}, {0, -1, 40}, {1, 1, 42.426407}, {-1, 1, 42.426407}
  };
  static guint8 data[32 * 32];
  const CsImage image = cs_image_gray (data, CS_SAMPLE_U8, 32, 32, 32);

  for (guint s = 0; s < G_N_ELEMENTS (steps); s++) {
    begin ("a step along (%d, %d)", steps[s].x, steps[s].y);
    for (guint i = 0; i < 32 * 32; i++)
      data[i] = 50 + 10 * (steps[s].x * ((gint) i % 32 - 16) +
          steps[s].y * ((gint) i / 32 - 16) >= 0);
    for (guint above = 0; above < 2; above++) {
      const double at = steps[s].magnitude + (above ? .01 : -.01);
      CsEdgesParams params = { 0, at, at, FALSE };
      Chains chains;

      for (guint r = 0; r < n_runners; r++)
        if (run (&runners[r], &params, &image, &chains))
          expect (above ? chains.offsets[chains.n] <= 2 :
              chains.offsets[chains.n] >= 30, "%s: %u points with thresholds"
              " of %g", runners[r].name, chains.offsets[chains.n], at);
    }
    end ();
  }
}

/* Of a step of 100 codes, Sobel's sums of what a Gaussian makes of it: four
 * times the part of the bell within a pixel and a half on one side and half a
 * pixel on the other. Samples of the bell are within 3 % of that. */
static void
test_blur (void)
{
  static const double sigmas[] = { 1.5, 3 };
  static guint8 data[48 * 48];
  const CsImage image = cs_image_gray (data, CS_SAMPLE_U8, 48, 48, 48);

  for (guint i = 0; i < 48 * 48; i++)
    data[i] = i % 48 < 24 ? 50 : 150;
  for (guint s = 0; s < G_N_ELEMENTS (sigmas); s++) {
    const double unit = sigmas[s] * sqrt (2);
    const double want = 200 * (erf (1.5 / unit) + erf (.5 / unit));

    begin ("a step after a blur of %g", sigmas[s]);
    for (guint above = 0; above < 2; above++) {
      const double at = want * (above ? 1.03 : .97);
      CsEdgesParams params = { sigmas[s], at, at, FALSE };
      Chains chains;

      for (guint r = 0; r < n_runners; r++)
        if (run (&runners[r], &params, &image, &chains))
          expect (above == (chains.offsets[chains.n] == 0), "%s: %u points"
              " with thresholds of %g", runners[r].name,
              chains.offsets[chains.n], at);
    }
    end ();
  }
}

static void
test_not_finite (void)
{
  CsEdgesParams params = { 1, 5, 20, FALSE };
  static float data[32 * 32];
  const CsImage image = cs_image_gray (data, CS_SAMPLE_F32, 32, 32, 128);
  Chains first, other;

  begin ("samples that are not finite");
  for (guint i = 0; i < 32 * 32; i++)
    data[i] = i % 32 < 16 ? 0 : 1;
  data[200] = NAN;
  data[300] = INFINITY;
  data[500] = -INFINITY;
  data[700] = 1e38f;
  for (guint i = 0; i < n_runners; i++) {
    if (!run (&runners[i], &params, &image, i ? &other : &first))
      continue;
    if (i > 0)
      expect_same (runners[i].name, &first, &other);
    for (guint k = 0; k < first.offsets[first.n]; k++)
      expect (isfinite (first.points[k].x) && isfinite (first.points[k].y),
          "point %u is not finite", k);
  }
  end ();
}

static void
expect_error (const CsImage * image, const CsEdgesParams * params,
    CsError code, const char *what)
{
  CsEdgesParams good;

  cs_edges_params_init (&good);
  for (guint i = 0; i < n_runners; i++) {
    g_autoptr (GError) error = NULL;
    Chains chains = { NULL };
    const gboolean set = cs_edges_set_params (runners[i].plan,
        params ? params : &good, &error);

    expect (!(set && cs_edges_run (runners[i].plan, image, &chains.points,
                &chains.offsets, &chains.n, &error)) && error &&
        error->domain == CS_ERROR && error->code == (gint) code &&
        chains.n == 0,
        "%s: %s: %s", runners[i].name, what, error ? error->message :
        "no error");
  }
}

static void
test_errors (void)
{
  guint8 data[64] = { 0 };
  const CsImage good = cs_image_gray (data, CS_SAMPLE_U8, 8, 8, 8);
  CsEdgesParams params = { 30, 10, 100, FALSE };
  CsImage image = good;
  Chains chains;

  begin ("errors");
  expect_error (&image, &params, CS_ERROR_INVALID, "sigma 30");
  params = (CsEdgesParams) { NAN, 10, 100, FALSE };
  expect_error (&image, &params, CS_ERROR_INVALID, "sigma that is no number");
  params = (CsEdgesParams) { 1, 100, 10, FALSE };
  expect_error (&image, &params, CS_ERROR_INVALID, "high below low");
  params = (CsEdgesParams) { 1, -1, 10, FALSE };
  expect_error (&image, &params, CS_ERROR_INVALID, "low below 0");
  params = (CsEdgesParams) { 1, 10, 100, FALSE, -1 };
  expect_error (&image, &params, CS_ERROR_INVALID, "white below 0");
#define CHECK_BAD(field, value) \
  image = good; \
  image.field = value; \
  expect_error (&image, NULL, CS_ERROR_INVALID, #field " = " #value)
  CHECK_BAD (channels, 3);
  CHECK_BAD (type, CS_SAMPLE_F64);
  CHECK_BAD (row_stride, 7);
  CHECK_BAD (data, NULL);
  image = good;
  image.width = image.height = 65536;
  expect_error (&image, NULL, CS_ERROR_LIMIT, "2^32 pixels");
  params = (CsEdgesParams) { 1, 10, 100, FALSE };
  image = good;
  image.width = 0;
  expect (run (&runners[0], &params, &image, &chains) && chains.n == 0,
      "no columns");
  expect (run (&runners[0], &params, &good, &chains) && chains.n == 0,
      "the plan cannot be used any more");
  end ();
}

/* --- Times and peers ------------------------------------------------------ */

static guint8 *
make_picture (guint width, guint height)
{
  guint8 *data = g_malloc ((gsize) width * height);
  guint64 state = 1;

  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++)
      data[(gsize) y * width + x] = 40 + random_below (&state, 20) +
          (sin (x * .031 + 3 * sin (y * .013)) > 0 ? 90 : 0) +
          (sin (y * .05 + 2 * sin (x * .021)) > .3 ? 70 : 0);
  return data;
}

static void
bench_size (CsExecutor * executor, const char *name, guint width, guint height)
{
  static const CsEdgesParams params = { 3, 10, 100, FALSE };
  g_autoptr (CsEdges) plan = cs_edges_new (&params, executor, NULL);
  g_autofree guint8 *data = make_picture (width, height);
  CsImage image = cs_image_gray (data, CS_SAMPLE_U8, width, height, width);
  gint64 times[15];
  Chains chains;

  if (cs_executor_get_backend (executor) == CS_BACKEND_CUDA)
    image.memory = CS_MEMORY_DEVICE;
  image.data = device_place (image.memory, data, (gsize) width * height);
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    const gint64 start = g_get_monotonic_time ();

    if (!cs_edges_run (plan, &image, &chains.points, &chains.offsets,
            &chains.n, NULL))
      exit (1);
    times[i] = g_get_monotonic_time () - start;
  }
  printf ("%16s %5u x %4u %9.3f ms %7zu chains %8u points\n", name, width,
      height, median_time (times, G_N_ELEMENTS (times)) / 1000., chains.n,
      chains.offsets[chains.n]);
  device_displace (image.memory, image.data);
}

static int
bench (const char *backend)
{
  static const guint sizes[][2] = { {640, 480}, {1920, 1080}, {3840, 2160} };
  CsExecutor *one = cs_executor_new_cpu (1), *all = cs_executor_new_cpu (0);
  CsExecutor *cuda = NULL;
  char name[256];

  if (strcmp (backend, "cpu") != 0) {
    if (!device_open (&device))
      return EXIT_SKIPPED;
    cuda = device_executor_new (&device);
  }
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    if (strcmp (backend, "cuda") != 0) {
      g_snprintf (name, sizeof (name), "%u threads",
          cs_executor_get_n_threads (all));
      bench_size (one, "1 thread", sizes[i][0], sizes[i][1]);
      bench_size (all, name, sizes[i][0], sizes[i][1]);
    }
    if (cuda)
      bench_size (cuda, "CUDA", sizes[i][0], sizes[i][1]);
  }
  cs_executor_free (one);
  cs_executor_free (all);
  cs_executor_free (cuda);
  device_close (&device);
  return 0;
}

static int
solve (char **argv)
{
  const guint width = atoi (argv[0]), height = atoi (argv[1]);
  const CsEdgesParams params = { g_ascii_strtod (argv[2], NULL),
    g_ascii_strtod (argv[3], NULL), g_ascii_strtod (argv[4], NULL), FALSE
  };
  guint8 *data = g_malloc ((gsize) width * height + 1);
  const CsImage image = cs_image_gray (data, CS_SAMPLE_U8, width, height,
      width);
  Chains chains;

  if (fread (data, width, height, stdin) != height ||
      !run (&runners[0], &params, &image, &chains))
    return 1;
  for (gsize i = 0; i < chains.n; i++) {
    for (guint32 k = chains.offsets[i]; k < chains.offsets[i + 1]; k++)
      printf ("%.9g %.9g ", chains.points[k].x, chains.points[k].y);
    printf ("\n");
  }
  g_free (data);
  return 0;
}

int
main (int argc, char **argv)
{
  const char *backend = "cpu";
  gboolean measure = FALSE;
  int i, status, solve_at = 0;

  setvbuf (stdout, NULL, _IOLBF, 0);
  for (i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--backend") == 0 && i + 1 < argc)
      backend = argv[++i];
    else if (strcmp (argv[i], "--bench") == 0)
      measure = TRUE;
    else if (strcmp (argv[i], "--quick") == 0)
      quick = TRUE;
    else if (strcmp (argv[i], "--brief") == 0)
      quick = brief = TRUE;
    else if (strcmp (argv[i], "--solve") == 0 && i + 5 < argc) {
      solve_at = i + 1;
      i += 5;
    } else
      return fprintf (stderr, "%s: unknown argument %s\n", argv[0], argv[i]), 2;
  }
  if (measure)
    return bench (backend);
  if (!runners_open (runners, &n_runners, kinds, G_N_ELEMENTS (kinds), backend,
          brief, &device))
    return EXIT_SKIPPED;
  make_plans ();
  if (solve_at > 0) {
    status = solve (argv + solve_at);
  } else {
    test_circle ();
  test_white ();
    test_magnitudes ();
    test_blur ();
    test_not_finite ();
    test_errors ();
    test_pictures ();
    status = finish ();
  }
  for (guint i = 0; i < n_runners; i++)
    cs_edges_free (runners[i].plan);
  runners_close (runners, n_runners, &device);
  return status;
}
