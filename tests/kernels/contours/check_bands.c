/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Iso-bands: compared with cells that are cut one by one, on all backends. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bands_oracle.h"
#include "check_contours.h"
#include "contours_oracle.h"
#include "../lib/check.h"

#define MAX_LEVELS 5
#define N_SAMPLES 200

/* Results */

static void
get_point (const CsContoursOutput * output, CsPointFormat format, gsize i,
    double *x, double *y)
{
  *x = format == CS_POINTS_F64 ? ((double *) output->points)[2 * i] :
      ((float *) output->points)[2 * i];
  *y = format == CS_POINTS_F64 ? ((double *) output->points)[2 * i + 1] :
      ((float *) output->points)[2 * i + 1];
}

static gboolean
ring_contains (const CsContoursOutput * output, CsPointFormat format,
    gsize ring, double x, double y)
{
  gboolean inside = FALSE;
  guint32 i;

  for (i = output->offsets[ring]; i + 1 < output->offsets[ring + 1]; i++) {
    double x0, y0, x1, y1;

    get_point (output, format, i, &x0, &y0);
    get_point (output, format, i + 1, &x1, &y1);
    inside ^= bands_oracle_is_left (x, y, x0, y0, x1, y1);
  }
  return inside;
}

/* The polygons of a band that contain a point. */
static guint
count_polygons (const CsContoursOutput * output, const CsContoursParams * params,
    guint target, double x, double y)
{
  gboolean inside = FALSE;
  guint n = 0;

  for (gsize i = 0; i <= output->n_contours; i++) {
    const CsContour *contour = &output->contours[i];

    if (i == output->n_contours || !(contour->flags & CS_CONTOUR_HOLE)) {
      n += inside;
      inside = FALSE;
    }
    if (i == output->n_contours || contour->level !=
        params->targets[target].level || contour->class_id !=
        (gint32) params->targets[target].channel)
      continue;
    if (contour->flags & CS_CONTOUR_HOLE)
      inside = inside && !ring_contains (output, params->points, i, x, y);
    else
      inside = ring_contains (output, params->points, i, x, y);
  }
  return n;
}

static void
check_area (const CsContoursParams * params, const CsContoursInput * input,
    const CsContoursOutput * output, guint target)
{
  const CsContoursTarget *low = &params->targets[target];
  const double sign = params->positive_orientation_high ? -1. : 1.;
  const double want = bands_oracle_total (input, low->channel, low[0].level,
      low[1].level, params->fully_connected_high);
  double sum = 0., tolerance;

  for (gsize i = 0; i < output->n_contours; i++)
    if (output->contours[i].level == low->level &&
        output->contours[i].class_id == (gint32) low->channel)
      sum += sign * output->contours[i].area;
  tolerance = (params->points == CS_POINTS_F64 ? 1e-9 : 1e-4) *
      (1. + input->image.width * input->image.height);
  expect (fabs (sum - want) < tolerance, "target %u: area %.12g, not %.12g",
      target, sum, want);
}

/* Whether a point of a cell is in a band; -1 if it is on its edge but for
 * rounding. */
static gint
is_in_band (const double *v, const CsContoursTarget * low, gboolean high,
    double x, double y)
{
  const double offsets[] = { 0., -1e-4, 1e-4 };
  gint inside = -1, other;

  for (guint i = 0; i < 9; i++) {
    const double at_x = x + offsets[i % 3], at_y = y + offsets[i / 3];

    other = bands_oracle_is_above (v, low[0].level, high, at_x, at_y) &&
        !bands_oracle_is_above (v, low[1].level, high, at_x, at_y);
    if (inside >= 0 && inside != other)
      return -1;
    inside = other;
  }
  return inside;
}

static void
check_points (Random * random, const CsContoursParams * params,
    const CsContoursInput * input, const CsContoursOutput * output,
    guint target)
{
  const CsContoursTarget *low = &params->targets[target];
  const gboolean high = params->fully_connected_high;

  for (guint i = 0; i < N_SAMPLES; i++) {
    const guint column = random_below (random, input->image.width - 1);
    const guint row = random_below (random, input->image.height - 1);
    const double x = random_unit (random), y = random_unit (random);
    const double to_x = (double) input->origin_x + column + x;
    const double to_y = (double) input->origin_y + row + y;
    gint want = 0, n;
    double v[4];

    if (bands_oracle_get_cell (input, low->channel, row, column, v))
      want = is_in_band (v, low, high, x, y);
    n = (gint) count_polygons (output, params, target, to_x, to_y);
    expect (want < 0 || n == want, "target %u: %d polygons, not %d, at %.9g, "
        "%.9g", target, n, want, to_x, to_y);
  }
}

static double
side (double ax, double ay, double bx, double by, double x, double y)
{
  return (bx - ax) * (y - ay) - (by - ay) * (x - ax);
}

static gboolean
crosses (const double *a, const double *b)
{
  const double limit = 1e-9;
  const double b0 = side (a[0], a[1], a[2], a[3], b[0], b[1]);
  const double b1 = side (a[0], a[1], a[2], a[3], b[2], b[3]);
  const double a0 = side (b[0], b[1], b[2], b[3], a[0], a[1]);
  const double a1 = side (b[0], b[1], b[2], b[3], a[2], a[3]);

  return ((b0 > limit && b1 < -limit) || (b0 < -limit && b1 > limit)) &&
      ((a0 > limit && a1 < -limit) || (a0 < -limit && a1 > limit));
}

/* No lines cross, not even those of different bands of a channel; no ring has a
 * point twice. */
static void
check_lines (const CsContoursParams * params, const CsContoursOutput * output)
{
  const CsContour *contours = output->contours;
  g_autofree double *lines = g_new (double, 4 * output->n_points + 1);
  g_autofree gsize *rings = g_new (gsize, output->n_points + 1);
  gsize i, k, n = 0;

  for (i = 0; i < output->n_contours; i++)
    for (k = output->offsets[i]; k + 1 < output->offsets[i + 1]; k++, n++) {
      double *line = lines + 4 * n;

      rings[n] = i;
      get_point (output, params->points, k, &line[0], &line[1]);
      get_point (output, params->points, k + 1, &line[2], &line[3]);
    }
  for (i = 0; i < n; i++)
    for (k = 0; k < i; k++) {
      const double *a = lines + 4 * i, *b = lines + 4 * k;

      expect (contours[rings[i]].class_id != contours[rings[k]].class_id ||
          !crosses (a, b), "lines at %g, %g and %g, %g cross", a[0], a[1],
          b[0], b[1]);
      expect (rings[i] != rings[k] || a[0] != b[0] || a[1] != b[1],
          "ring %u has the point %g, %g twice", (guint) rings[i], a[0], a[1]);
    }
}

/* Flags, ids, parents, order, where rings begin. */
static void
check_records (const CsContoursParams * params, const CsContoursInput * input,
    const CsContoursOutput * output)
{
  const double sign = params->positive_orientation_high ? -1. : 1.;
  gint32 shell = -1;

  for (gsize i = 0; i < output->n_contours; i++) {
    const CsContour *contour = &output->contours[i];
    const gboolean hole = (contour->flags & CS_CONTOUR_HOLE) != 0;
    const gsize first = output->offsets[i], last = output->offsets[i + 1] - 1;
    double x, y, other_x, other_y;

    if (!hole)
      shell = contour->id;
    expect (contour->id == input->first_id + (gint32) i, "id %d at %u",
        contour->id, (guint) i);
    expect (contour->parent == (hole ? shell : -1), "%d has parent %d, not %d",
        contour->id, contour->parent, hole ? shell : -1);
    expect (contour->flags & CS_CONTOUR_CLOSED, "an open band");
    expect (sign * contour->area * (hole ? -1. : 1.) > -1e-6,
        "%s with area %g", hole ? "a hole" : "an outer ring", contour->area);
    get_point (output, params->points, first, &x, &y);
    get_point (output, params->points, last, &other_x, &other_y);
    expect (x == other_x && y == other_y && last - first >= 3,
        "ring %u is not closed", (guint) i);
    for (gsize k = first; k < last; k++) {
      get_point (output, params->points, k, &other_x, &other_y);
      expect (other_y > y || (other_y == y && other_x >= x),
          "ring %u does not begin at its top", (guint) i);
    }
    if (i == 0 || hole || contour->level != output->contours[i - 1].level ||
        contour->class_id != output->contours[i - 1].class_id ||
        output->contours[i - 1].flags & CS_CONTOUR_HOLE)
      continue;
    get_point (output, params->points, output->offsets[i - 1], &other_x,
        &other_y);
    expect (other_y < y || (other_y == y && other_x <= x),
        "ring %u is out of order", (guint) i);
  }
}

/* Bit for bit. */
static void
check_same (const CsContoursOutput * a, const CsContoursOutput * b,
    CsPointFormat format, const char *name)
{
  const gsize size = format == CS_POINTS_F64 ? 16 : 8;

  expect (a->n_contours == b->n_contours && a->n_points == b->n_points &&
      a->n_segments == b->n_segments && a->n_dropped == b->n_dropped,
      "%s finds other numbers of polygons or points", name);
  if (case_has_failed ())
    return;
  expect (memcmp (a->offsets, b->offsets, (a->n_contours + 1) *
          sizeof (guint32)) == 0, "%s has other offsets", name);
  if (a->n_contours == 0)
    return;
  expect (memcmp (a->points, b->points, a->n_points * size) == 0,
      "%s has other points", name);
  expect (memcmp (a->contours, b->contours, a->n_contours *
          sizeof (CsContour)) == 0, "%s has other records", name);
}

/* Runs @params on @input in memory of kind @memory. */
static gboolean
run (const Backend * backend, const CsContoursParams * params,
    const CsContoursInput * input, CsMemory memory, MemoryPool * pool,
    CsContoursOutput * output)
{
  OwnImage image = { 0, }, mask = { 0, };
  CsContoursInput moved;
  g_autoptr (GError) error = NULL;

  move_input (input, memory, &image, &mask, &moved);
  gboolean ok = backend_run (backend, params, &moved, pool, output, &error);
  expect (ok, "%s fails: %s", backend->name, error ? error->message : "");
  own_image_clear (&image);
  own_image_clear (&mask);
  return ok;
}

/* Checks @input on the first backend, and compares the others, and other memory,
 * with it. */
static void
check_input (Random * random, const CsContoursParams * params,
    const CsContoursInput * input, Backend ** backends, guint n_backends)
{
  MemoryPool first = {.cuda = is_cuda (backends[0]) };
  CsContoursOutput output, other;

  if (!run (backends[0], params, input, CS_MEMORY_HOST, &first, &output))
    return;
  check_records (params, input, &output);
  for (guint t = 0; t + 1 < params->n_targets; t++) {
    if (params->targets[t].channel != params->targets[t + 1].channel)
      continue;
    check_area (params, input, &output, t);
    check_points (random, params, input, &output, t);
  }
  if (output.n_points < 2000)
    check_lines (params, &output);
  for (guint b = 0; b < n_backends; b++) {
    const gboolean cuda = is_cuda (backends[b]);
    MemoryPool pool = {.cuda = cuda };

    if (b > 0 && run (backends[b], params, input, CS_MEMORY_HOST, &pool,
            &other))
      check_same (&output, &other, params->points, backends[b]->name);
    if (cuda && run (backends[b], params, input, CS_MEMORY_DEVICE, &pool,
            &other))
      check_same (&output, &other, params->points, "CUDA with device memory");
    memory_pool_clear (&pool);
  }
  memory_pool_clear (&first);
}

/* Random images */

static int
compare_doubles (const void *a, const void *b)
{
  const double first = *(const double *) a, second = *(const double *) b;

  return first < second ? -1 : first > second;
}

/* Ascending, some of them equal to many samples. */
static guint
make_levels (Random * random, double level, double top, double *levels)
{
  const guint n = 2 + random_below (random, MAX_LEVELS - 1);
  guint i, m = 1;

  for (i = 0; i < n; i++) {
    const guint kind = random_below (random, 4);

    levels[i] = kind == 0 ? level : kind == 1 ? -1. :
        (random_unit (random) * 1.2 - .1) * top;
    if (kind == 2 && top > 1.)
      levels[i] = floor (levels[i]);
  }
  qsort (levels, n, sizeof (*levels), compare_doubles);
  for (i = 1; i < n; i++)
    if (levels[i] > levels[m - 1])
      levels[m++] = levels[i];
  if (m == 1)
    levels[m++] = levels[0] + .5 * top;
  return m;
}

static void
check_random (guint64 seed, Backend ** backends, guint n_backends)
{
  static const CsSampleType types[] = {
    CS_SAMPLE_U8, CS_SAMPLE_U16, CS_SAMPLE_F16, CS_SAMPLE_F32, CS_SAMPLE_F64
  };
  Random random = { seed + 1 };
  const guint width = 1 + random_below (&random, seed % 8 ? 14 : 90);
  const guint height = 1 + random_below (&random, seed % 8 ? 14 : 90);
  const guint channels = 1 + random_below (&random, 2);
  const gboolean planar = seed % 3 == 1;
  const CsSampleType type = types[random_below (&random, 5)];
  const double top = type == CS_SAMPLE_U8 ? 255. : type == CS_SAMPLE_U16 ?
      65535. : 1.;
  const Fill fill = random_below (&random, N_FILLS);
  const double level = top > 1. ? floor (top / 2.) : .5;
  const gsize size = cs_sample_size (type), n = (gsize) width * height;
  g_autofree double *plane = g_new (double, n);
  double levels[MAX_LEVELS];
  g_autofree guint8 *samples = g_malloc (n * channels * size);
  g_autofree guint8 *mask_data = g_malloc (n);
  CsImage mask = cs_image_gray (mask_data, CS_SAMPLE_U8, width, height, width);
  CsContoursTarget targets[2 * MAX_LEVELS];
  CsContoursParams params;
  CsContoursInput input = {.first_id = (gint32) random_below (&random, 100) };

  cs_contours_params_init (&params);
  params.targets = targets;
  params.n_targets = 0;
  params.bands = TRUE;
  params.fully_connected_high = random_below (&random, 2);
  params.positive_orientation_high = random_below (&random, 4) == 0;
  params.points = random_below (&random, 2) ? CS_POINTS_F64 : CS_POINTS_F32;
  guint n_levels = make_levels (&random, level, top, levels);
  for (guint c = 0; c < channels; c++) {
    fill_plane (fill, &random, width, height, level, top, plane);
    for (gsize i = 0; i < n; i++)
      store_sample (type, plane[i], samples + (planar ? c * n + i :
              i * channels + c) * size);
    for (gsize i = 0; i < n_levels; i++)
      targets[params.n_targets++] = (CsContoursTarget) { c, levels[i] };
  }
  input.image = cs_image_gray (samples, type, width, height,
      width * (planar ? 1 : channels) * size);
  input.image.channels = channels;
  input.image.pixel_stride = (planar ? 1 : channels) * size;
  input.image.channel_stride = planar ? n * size : size;
  input.origin_x = random_below (&random, 50);
  input.origin_y = random_below (&random, 50);
  if (random_below (&random, 3) == 0) {
    for (gsize i = 0; i < n; i++)
      mask_data[i] = random_below (&random, 5) > 0;
    input.mask = &mask;
  }
  begin ("bands %u: %u x %u x %u of type %d, %s, %u levels",
      (guint) seed, width, height, channels, type, fill_names[fill], n_levels);
  if (width > 1 && height > 1)
    check_input (&random, &params, &input, backends, n_backends);
  end ();
}

/* Known by hand */

static void
check_known (const Backend * backend, const char *name, guint width,
    guint height, const float *samples, const double *levels,
    guint n_rings, const float *points, guint n_points)
{
  const CsContoursTarget targets[] = { {0, levels[0]}, {0, levels[1]} };
  MemoryPool pool = {.cuda = is_cuda (backend) };
  CsContoursInput input = { 0, };
  CsContoursParams params;
  CsContoursOutput output;

  cs_contours_params_init (&params);
  params.targets = targets;
  params.n_targets = 2;
  params.bands = TRUE;
  input.image = cs_image_gray (samples, CS_SAMPLE_F32, width, height,
      width * sizeof (float));
  input.image.channel_stride = width * height * sizeof (float);
  begin ("%s: band of %s", backend->name, name);
  if (run (backend, &params, &input, CS_MEMORY_HOST, &pool, &output)) {
    expect (output.n_contours == n_rings && output.n_points == n_points,
        "%u rings of %u points", (guint) output.n_contours,
        (guint) output.n_points);
    for (guint i = 0; i < 2 * output.n_points && !case_has_failed (); i++)
      expect (((float *) output.points)[i] == points[i],
          "coordinate %u is %g, not %g", i, ((float *) output.points)[i],
          points[i]);
  }
  end ();
  memory_pool_clear (&pool);
}

static void
check_all_known (const Backend * backend)
{
  static const double around_one[] = { 0., 2. }, two[] = { -1., 1.5 };
  static const double half[] = { .5, 1.5 }, above[] = { 1., 2. };
  static const double one[] = { -1., 1. };
  static const float flat[12] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
  static const float ramp[] = { 0, 1, 2, 3, 0, 1, 2, 3 };
  static const float peak[] = { 0, 0, 0, 0, 3, 0, 0, 0, 0 };
  static const float cross[] = { 2, 1, 2, 1, 1, 1, 2, 1, 2 };
  static const float rectangle[] = { 0, 0, 3, 0, 3, 2, 0, 2, 0, 0 };
  static const float strip[] = { .5, 0, 1.5, 0, 1.5, 1, .5, 1, .5, 0 };
  static const float ring[] = { 0, 0, 2, 0, 2, 2, 0, 2, 0, 0,
    1, .5, .5, 1, 1, 1.5, 1.5, 1, 1, .5
  };
  /* what touches itself in the middle of the sides is four polygons' wedge */
  static const float star[] = { 1, 0, 2, 1, 1, 2, 0, 1, 1, 0 };

  check_known (backend, "a plateau", 4, 3, flat, around_one, 1, rectangle, 5);
  check_known (backend, "a plateau at the lower level", 4, 3, flat, above, 0,
      NULL, 0);
  check_known (backend, "a plateau at the upper level", 4, 3, flat, one, 1,
      rectangle, 5);
  check_known (backend, "a ramp", 4, 2, ramp, half, 1, strip, 5);
  check_known (backend, "a peak", 3, 3, peak, two, 2, ring, 10);
  check_known (backend, "corners", 3, 3, cross, one, 1, star, 5);
}

static void
check_errors (const Backend * backend)
{
  static const CsContoursTarget single = { 0, .5 };
  static const CsContoursTarget equal[] = { {0, .5}, {0, .5} };
  static const CsContoursTarget falling[] = { {0, .5}, {0, .25} };
  static const CsContoursTarget channels[] = { {0, .5}, {1, .75} };
  static const CsContoursTarget good[] = { {0, .5}, {0, .75} };
  const struct
  {
    const CsContoursTarget *targets;
    guint n;
    gboolean automatic, ok;
  } cases[] = {
    {&single, 1, FALSE, FALSE}, {equal, 2, FALSE, FALSE},
    {falling, 2, FALSE, FALSE}, {channels, 2, FALSE, FALSE},
    {good, 2, TRUE, FALSE}, {good, 2, FALSE, TRUE}
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    CsContoursParams params;
    g_autoptr (GError) error = NULL;

    cs_contours_params_init (&params);
    params.targets = cases[i].targets;
    params.n_targets = cases[i].n;
    params.auto_level = cases[i].automatic;
    params.bands = TRUE;
    g_autoptr (CsContours) plan = cs_contours_new (&params, backend->executor,
        &error);
    check_that (cases[i].ok ? plan != NULL : g_error_matches (error, CS_ERROR,
            CS_ERROR_INVALID), "%s: levels of bands, case %u", backend->name,
        i);
  }
}

/* Filters take rings, and holes with their outer ring. */
static void
check_filters (const Backend * backend)
{
  enum
  { SIZE = 60 };
  static const CsContoursTarget targets[] = { {0, .3}, {0, .5}, {0, .8} };
  MemoryPool all_pool = {.cuda = is_cuda (backend) }, pool = all_pool;
  double plane[SIZE * SIZE];
  Random random = { 7 };
  CsContoursInput input = { 0, };
  CsContoursParams params;
  CsContoursOutput all, some;
  gboolean kept = FALSE;
  gsize i, k = 0;

  fill_plane (FILL_NOISE, &random, SIZE, SIZE, .5, 1., plane);
  cs_contours_params_init (&params);
  params.targets = targets;
  params.n_targets = 3;
  params.bands = TRUE;
  input.image = cs_image_gray (plane, CS_SAMPLE_F64, SIZE, SIZE,
      SIZE * sizeof (double));
  input.image.channel_stride = sizeof (plane);
  begin ("%s: filters of bands", backend->name);
  if (run (backend, &params, &input, CS_MEMORY_HOST, &all_pool, &all)) {
    params.min_area = 2.;
    params.max_area = 100.;
    params.min_points = 12;
    if (run (backend, &params, &input, CS_MEMORY_HOST, &pool, &some)) {
      for (i = 0; i < all.n_contours; i++) {
        const gboolean passes = fabs (all.contours[i].area) >= 2. &&
            fabs (all.contours[i].area) <= 100. &&
            all.offsets[i + 1] - all.offsets[i] >= 12;

        if (!(all.contours[i].flags & CS_CONTOUR_HOLE))
          kept = passes;
        if (!passes || !kept)
          continue;
        expect (k < some.n_contours && some.contours[k].area ==
            all.contours[i].area, "ring %u is missing", (guint) i);
        k++;
      }
      expect (k > 0 && k == some.n_contours && some.n_dropped ==
          all.n_contours - k, "%u rings, not %u", (guint) some.n_contours,
          (guint) k);
    }
  }
  end ();
  memory_pool_clear (&all_pool);
  memory_pool_clear (&pool);
}

void
check_bands (Backend ** backends, guint n_backends, guint n_cases)
{
  for (guint i = 0; i < n_backends; i++) {
    if (is_of_part ())
      check_all_known (backends[i]);
    if (is_of_part ()) {
      check_errors (backends[i]);
      check_filters (backends[i]);
    }
  }
  for (guint i = 0; i < n_cases; i++)
    if (is_of_part ())
      check_random (i, backends, n_backends);
}
