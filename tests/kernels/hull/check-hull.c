/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the hull kernels: check-hull [--backend cpu|cuda|both] [--quick]
 *   --brief is for checkers of memory and races, which take their time, as is
 *   --only sets|batches
 * Measures them:          check-hull --bench [MAX-POINTS] [--backend ...]
 *   --quick is for the GPU alone, --brief for profilers
 * Solves from stdin:      check-hull --solve [--backend ...] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/check.h"
#include "check_compare.h"

static gboolean quick, brief;
static const char *only = "";

/* --- Cases ---------------------------------------------------------------- */

static void
test_oracle (void)
{
  static const gsize sizes[] = { 0, 1, 2, 3, 5, 17, 60, 250 };

  for (guint kind = 0; kind < (brief ? 5 : DATA_N_KINDS);
      kind += brief ? 2 : 1) {
    for (guint type = CS_HULL_F32; type <= CS_HULL_I32; type++) {
      for (guint size = brief ? 7 : 0; size < G_N_ELEMENTS (sizes); size++)
        for (guint collinear = 0; collinear < 2; collinear++) {
          Points p = points_new (type, kind, size, sizes[size]);

          begin ("%zu %s points, %s%s: as by gift wrapping", p.n,
              data_name (kind), type_name (type),
              collinear ? ", with collinear points" : "");
          check_against_oracle (&p, collinear);
          end ();
          g_free (p.data);
        }
    }
  }
}

/* Small grids are full of ties. */
static void
test_small_grids (void)
{
  guint64 state = 77;

  for (guint round = 0; round < (brief ? 6 : quick ? 60 : 1500); round++) {
    const guint side = 2 + round % 5;
    gint32 xy[2 * 24];
    Points p = { CS_HULL_I32, 1 + data_random (&state) % 24, xy };

    for (guint i = 0; i < 2 * p.n; i++)
      xy[i] = data_random (&state) % side;
    for (guint collinear = 0; collinear < 2; collinear++) {
      begin ("small grid %u%s", round, collinear ? ", collinear" : "");
      check_against_oracle (&p, collinear);
      end ();
    }
  }
}

typedef struct
{
  const char *name;
  gsize n;
  double xy[24];
  gsize n_hull;
  guint32 hull[12];
} HandCase;

static const HandCase hand_cases[] = {
  {"one", 1, {3, 4}, 1, {0}},
  {"equal, the first counts", 3, {1, 1, 1, 1, 1, 1}, 1, {0}},
  {"equal but for the sign of zero", 3, {0, 0, -0., 0, 0, -0.}, 1, {0}},
  {"segment with duplicates", 4, {1, 2, 0, 0, 1, 2, 0, 0}, 2, {1, 0}},
  {"vertical segment", 3, {5, 2, 5, 9, 5, 4}, 2, {0, 1}},
  {"triangle, counter-clockwise", 3, {0, 0, 0, 1, 1, 0}, 3, {0, 2, 1}},
  {"square with midpoints and centre", 9,
        {0, 0, 1, 0, 2, 0, 2, 1, 2, 2, 1, 2, 0, 2, 0, 1, 1, 1}, 4,
      {0, 2, 4, 6}},
  {"not a number is no point", 4, {0, 0, NAN, 9, 1, 0, 0, INFINITY}, 2,
      {0, 2}},
  {"products that overflow", 4,
      {-1e308, -1e308, 1e308, 1e308, 1e308, 1.0000001e308, 0, 0}, 3,
      {0, 1, 2}},
  {"products that underflow", 4,
        {0, 0, 2e-323, 0, 2e-323, 2e-323, 1e-323, 1e-323}, 3,
      {0, 1, 2}},
};

static void
test_by_hand (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (hand_cases); i++) {
    const HandCase *hand = &hand_cases[i];
    const CsHullParams params = params_all (FALSE);
    Points p = points_from (CS_HULL_F64, hand->xy, hand->n, 1);
    const CsHullInput input = input_of (&p);
    OraclePoint want[12];

    begin ("by hand: %s", hand->name);
    for (guint k = 0; k < hand->n_hull; k++)
      want[k] = point_at (&p, hand->hull[k]);
    g_autoptr (Result) result = run_all (&params, &input);
    if (result)
      expect_hull (&result->out, 0, want, hand->n_hull);
    end ();
    g_free (p.data);
  }
}

/* A rectangle of 6 x 8 rotated by the angle of 3-4-5: all measures by hand. */
static void
test_measures_by_hand (void)
{
  static const double xy[] = { 0, 0, 4.8, 3.6, 0, 10, -4.8, 6.4 };
  const CsHullParams params = params_all (FALSE);
  Points p = points_from (CS_HULL_F64, xy, 4, 1);
  const CsHullInput input = input_of (&p);
  const CsHullFeatures *f;
  const CsContour *c;

  begin ("measures of a turned rectangle");
  g_autoptr (Result) result = run_all (&params, &input);
  if (result) {
    c = result->out.hulls;
    f = result->out.features;
    expect (fabs (c->area - 48) < 1e-12, "area %g", c->area);
    expect (fabs (c->perimeter - 28) < 1e-12, "perimeter %g", c->perimeter);
    expect (fabs (c->centroid_x) < 1e-12 && fabs (c->centroid_y - 5) < 1e-12,
        "centroid (%g, %g)", c->centroid_x, c->centroid_y);
    expect (c->bbox_x0 == -4.8 && c->bbox_x1 == 4.8 && c->bbox_y0 == 0 &&
        c->bbox_y1 == 10, "bounding box");
    expect (fabs (f->feret_max - 10) < 1e-12, "Feret max %g", f->feret_max);
    expect (fabs (f->feret_min - 6) < 1e-12, "Feret min %g", f->feret_min);
    expect (fabs (f->rect_width * f->rect_height - 48) < 1e-12,
        "rectangle %g x %g", f->rect_width, f->rect_height);
    expect (fabs (f->rect_x) < 1e-12 && fabs (f->rect_y - 5) < 1e-12,
        "rectangle around (%g, %g)", f->rect_x, f->rect_y);
    expect (fabs (f->circle_r - 5) < 1e-12 && fabs (f->circle_x) < 1e-12 &&
        fabs (f->circle_y - 5) < 1e-12, "circle %g", f->circle_r);
    expect (c->kind == CS_CONTOUR_KIND_HULL && c->parent == -1 &&
        c->flags == CS_CONTOUR_CLOSED && c->id == 0, "record");
  }
  end ();
  g_free (p.data);
}

/* --- Properties of large sets --------------------------------------------- */

/* Random order; to[i] = where point i went. */
static Points
shuffled (const Points * p, guint32 * to)
{
  const gsize size = point_size (p->type);
  Points q = { p->type, p->n, g_malloc (p->n * size + 1) };
  guint64 state = 5;

  for (gsize i = 0; i < p->n; i++)
    to[i] = i;
  for (gsize i = p->n; i > 1; i--) {
    const gsize k = data_random (&state) % i;
    const guint32 swap = to[i - 1];

    to[i - 1] = to[k];
    to[k] = swap;
  }
  for (gsize i = 0; i < p->n; i++)
    memcpy ((guint8 *) q.data + to[i] * size,
        (const guint8 *) p->data + i * size, size);
  return q;
}

static void
test_properties (void)
{
  const gsize sizes[] = { brief ? 5000 : 2000, 30000, quick ? 40000 : 400000 };

  for (guint kind = 0; kind < (brief ? 5 : DATA_N_KINDS);
      kind += brief ? 2 : 1) {
    for (guint type = CS_HULL_F32; type <= CS_HULL_I32; type++) {
      for (guint size = 0; size < (brief ? 1 : G_N_ELEMENTS (sizes)); size++) {
        Points p = points_new (type, kind, 100 + size, sizes[size]), q;
        CsHullParams params = params_all (FALSE);
        CsHullInput input = input_of (&p);
        g_autofree guint32 *to = g_new (guint32, p.n);
        Result *result, *other;

        begin ("%zu %s points, %s: properties", p.n, data_name (kind),
            type_name (type));
        /* the circle of as many vertices takes many steps: once is enough */
        if (quick && size > 0 && (kind != DATA_CIRCLE ||
                type != CS_HULL_F64 || size > 1))
          params.measures = CS_MEASURES_BASIC;
        q = shuffled (&p, to);
        result = run_all (&params, &input);
        if (result)
          expect_properties (&p, &result->out);
        input.points = q.data;
        other = run_or_fail (&runners[size % n_runners], &params, &input);
        if (result && other) {
          expect (result->out.n_points == other->out.n_points,
              "%zu vertices shuffled, not %zu", other->out.n_points,
              result->out.n_points);
          for (gsize i = 0; i < MIN (result->out.n_points, other->out.n_points);
              i++) {
            const OraclePoint a = point_at (&p, result->out.indices[i]);
            const OraclePoint b = point_at (&q, other->out.indices[i]);

            expect (a.x == b.x && a.y == b.y, "vertex %zu differs shuffled", i);
          }
        }
        result_free (result);
        result_free (other);
        end ();
        g_free (q.data);
        g_free (p.data);
      }
    }
  }
}

/* Numbers of points around limits of the kernels, of sets of which all points
 * survive filtering and few, in turn: a set after one that failed takes another
 * way, and so does a second run. */
static void
test_limits (void)
{
  static const gsize sizes[] = { 31, 192, 193, 513, 1024, 1025, 2048, 2049,
    8193, 16384, 16385, 65537
  };
  static const DataKind kinds[] = { DATA_CIRCLE, DATA_NON_FINITE, DATA_ANNULUS,
    DATA_ALL_EQUAL, DATA_DIAGONAL, DATA_SORTED
  };

  for (guint size = 0; size < G_N_ELEMENTS (sizes); size += brief ? 3 : 1) {
    for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++) {
      const CsHullType type = (size + kind) % 3;
      CsHullParams params = params_all (FALSE);
      Points p = points_new (type, kinds[kind], size, sizes[size]);
      const CsHullInput input = input_of (&p);

      params.measures = CS_MEASURES_BASIC;
      for (guint run = 0; run < 2; run++) {
        begin ("limits: %zu %s points, %s, run %u", p.n,
            data_name (kinds[kind]), type_name (type), run);
        g_autoptr (Result) result = run_all (&params, &input);
        if (result && run == 0)
          expect_properties (&p, &result->out);
        end ();
      }
      g_free (p.data);
    }
  }
}

/* --- Many sets ------------------------------------------------------------ */

typedef struct
{
  Points points;
  guint32 *offsets;
  CsContour *contours;
  gsize n;
} Batch;

/* @n polylines of 0 to @longest points, of 5 classes in no order; the last has
 * @last points. Of all kinds, if @kind is
 * DATA_N_KINDS. */
static Batch
batch_new (CsHullType type, gsize n, gsize longest, gsize last, DataKind kind)
{
  Batch b = { .n = n };
  guint64 state = n + longest;
  gsize k;

  b.offsets = g_new (guint32, n + 1);
  b.contours = g_new0 (CsContour, n + 1);
  for (gsize i = k = 0; i < n; i++) {
    b.offsets[i] = k;
    k += i + 1 == n ? last : data_random (&state) % (longest + 1);
    b.contours[i].id = 1000 + i;
    b.contours[i].class_id = (gint32) (data_random (&state) % 7) - 1;
    b.contours[i].level = .5 * i;
    b.contours[i].image = 3;
    b.contours[i].area = i % 2 ? 2. : -2.;
  }
  b.offsets[n] = k;
  g_autofree double *xy = g_new (double, 2 * k + 1);
  for (gsize i = 0; i < n; i++) {
    const DataKind any = data_random (&state) % DATA_N_KINDS;

    data_fill (kind == DATA_N_KINDS ? any : kind, i, b.offsets[i + 1] - b.offsets[i], xy + 2 * b.offsets[i]);
  }
  b.points = points_from (type, xy, k, 1e3);
  return b;
}

static void
batch_free (Batch * b)
{
  g_free (b->points.data);
  g_free (b->offsets);
  g_free (b->contours);
}

static CsHullInput
batch_input (const Batch * b)
{
  CsHullInput input = input_of (&b->points);

  input.offsets = b->offsets;
  input.contours = b->contours;
  input.n_polylines = b->n;
  return input;
}

static void
check_per_contour (const Batch * b, gboolean collinear, gboolean closed)
{
  CsHullParams params = params_all (collinear);
  CsHullInput input = batch_input (b);
  g_autofree OraclePoint *points = oracle_points (&b->points);
  gsize i, hull = 0, n_ignored = 0;

  params.scope = CS_HULL_SCOPE_PER_CONTOUR;
  params.closed = closed;
  input.first_id = 70;
  g_autoptr (Result) result = run_all (&params, &input);
  for (i = 0; i < b->n && result; i++) {
    const CsContour *c = &result->out.hulls[hull];
    gsize n, ignored;
    g_autofree OraclePoint *want = oracle_hull (points + b->offsets[i],
        b->offsets[i + 1] - b->offsets[i], collinear, &n, &ignored);

    n_ignored += ignored;
    if (n > 0 && hull < result->out.n_hulls) {
      want[n] = want[0];
      expect_hull (&result->out, hull, want, closed ? n + 1 : n);
      expect (c->id == 70 + (gint32) hull && c->parent == 1000 + (gint32) i &&
          c->class_id == b->contours[i].class_id && c->image == 3 &&
          c->level == .5 * i, "record %zu", hull);
      expect (c->area > 0 ? c->solidity == 2 / c->area : isnan (c->solidity),
          "solidity %g of hull %zu", c->solidity, hull);
    }
    hull += n > 0;
  }
  if (result) {
    expect (hull == result->out.n_hulls, "%zu hulls, not %zu",
        result->out.n_hulls, hull);
    expect (n_ignored == result->out.n_ignored, "%zu ignored, not %zu",
        result->out.n_ignored, n_ignored);
  }
}

static void
check_per_class (const Batch * b, gboolean collinear, guint n_classes)
{
  CsHullParams params = params_all (collinear);
  const CsHullInput input = batch_input (b);
  g_autofree OraclePoint *points = oracle_points (&b->points);
  g_autofree OraclePoint *of_class = g_new (OraclePoint, b->points.n + 1);
  gsize i, hull = 0;

  params.scope = CS_HULL_SCOPE_PER_CLASS;
  params.n_classes = n_classes;
  g_autoptr (Result) result = run_all (&params, &input);
  for (guint class_id = 0; class_id < n_classes && result; class_id++) {
    gsize n = 0, k, ignored;

    for (i = 0; i < b->n; i++)
      for (k = b->offsets[i]; k < b->offsets[i + 1] &&
          b->contours[i].class_id == (gint32) class_id; k++)
        of_class[n++] = points[k];
    g_autofree OraclePoint *want = oracle_hull (of_class, n, collinear, &n,
        &ignored);
    if (n > 0 && hull < result->out.n_hulls) {
      expect_hull (&result->out, hull, want, n);
      expect (result->out.hulls[hull].class_id == (gint32) class_id &&
          result->out.hulls[hull].parent == -1, "record %zu", hull);
    }
    hull += n > 0;
  }
  if (result)
    expect (hull == result->out.n_hulls, "%zu hulls, not %zu",
        result->out.n_hulls, hull);
}

static void
test_batches (void)
{
  static const struct
  {
    gboolean in_brief;
    DataKind kind;
    gsize n, longest, last;
  } batches[] = {
    {FALSE, DATA_N_KINDS, 0, 5, 0},
    {FALSE, DATA_N_KINDS, 1, 5, 7},
    {TRUE, DATA_N_KINDS, 40, 8, 3},
    {TRUE, DATA_N_KINDS, 300, 40, 33},
    {TRUE, DATA_N_KINDS, 60, 200, 900},
    {FALSE, DATA_N_KINDS, 3, 100, 5000},
    {FALSE, DATA_RING, 400, 12, 9},
    {TRUE, DATA_RING, 300, 40, 33},
    {TRUE, DATA_RING, 64, 600, 400},
    {FALSE, DATA_RING, 40, 1500, 900},
    {FALSE, DATA_RING, 16, 100, 9000},
  };

  for (guint i = 0; i < G_N_ELEMENTS (batches); i++) {
    const char *what = batches[i].kind == DATA_RING ? "rings" : "polylines";

    if (brief && !batches[i].in_brief)
      continue;
    for (guint type = brief ? i % 3 : CS_HULL_F32; type <= (brief ? i % 3 :
            CS_HULL_I32); type++) {
      Batch b = batch_new (type, batches[i].n, batches[i].longest,
          batches[i].last, batches[i].kind);

      if (b.n == 0)
        b.offsets[0] = 0;
      for (guint flags = 0; flags < 4; flags++) {
        begin ("%zu %s, %s: per contour%s%s", b.n, what, type_name (type),
            flags & 1 ? ", collinear" : "", flags & 2 ? ", closed" : "");
        check_per_contour (&b, flags & 1, flags & 2);
        end ();
      }
      for (guint flags = 0; flags < 2; flags++) {
        begin ("%zu %s, %s: per class%s", b.n, what, type_name (type), flags ? ", collinear" : "");
        check_per_class (&b, flags, 6);
        end ();
      }
      begin ("%zu %s, %s: all", b.n, what, type_name (type));
      if (b.points.n < 2000)
        check_against_oracle (&b.points, FALSE);
      end ();
      batch_free (&b);
    }
  }
}

/* One contour much longer than all others, as in noise. */
static void
test_unbalanced_batch (void)
{
  Batch b = batch_new (CS_HULL_F32, brief ? 200 : quick ? 2000 : 20000, 24,
      brief ? 20000 : 200000, DATA_N_KINDS);
  CsHullParams params = params_all (FALSE);
  const CsHullInput input = batch_input (&b);
  gsize i, hull = 0;

  begin ("a batch with one very long polyline");
  params.scope = CS_HULL_SCOPE_PER_CONTOUR;
  g_autoptr (Result) result = run_all (&params, &input);
  for (i = 0; i < b.n && result && hull < result->out.n_hulls; i++) {
    if (result->out.hulls[hull].parent != 1000 + (gint32) i)
      continue;
    if (i + 1 == b.n) {
      Points p = { b.points.type, b.offsets[i + 1] - b.offsets[i],
        (float *) b.points.data + 2 * b.offsets[i]
      };
      CsHullOutput one = result->out;
      const gsize start = one.offsets[hull];

      one.n_points -= start;
      one.indices += start;
      one.points = (float *) one.points + 2 * start;
      for (gsize k = 0; k < one.n_points; k++)
        one.indices[k] -= b.offsets[i];
      expect_properties (&p, &one);
    }
    hull++;
  }
  end ();
  batch_free (&b);
}

/* --- Masks ---------------------------------------------------------------- */

static double
sample_at (const CsImage * image, guint x, guint y)
{
  const guint8 *p = (const guint8 *) image->data + y * image->row_stride +
      x * image->pixel_stride;

  switch (image->type) {
    case CS_SAMPLE_U8:
      return *p;
    case CS_SAMPLE_U16:
      return *(const guint16 *) p;
    case CS_SAMPLE_F16:
      return *(const guint16 *) p == 0x3c00;    /* 1 */
    case CS_SAMPLE_F32:
      return *(const float *) p;
    default:
      return *(const double *) p;
  }
}

static void
set_sample (const CsImage * image, guint x, guint y, gboolean on)
{
  guint8 *p = (guint8 *) image->data + y * image->row_stride +
      x * image->pixel_stride;

  switch (image->type) {
    case CS_SAMPLE_U8:
      *p = on;
      break;
    case CS_SAMPLE_U16:
      *(guint16 *) p = on;
      break;
    case CS_SAMPLE_F16:
      *(guint16 *) p = on ? 0x3c00 : 0x3000;
      break;
    case CS_SAMPLE_F32:
      *(float *) p = on ? 1 : NAN;
      break;
    default:
      *(double *) p = on ? 1 : .5;
      break;
  }
}

static void
check_mask_image (const CsImage * image, gboolean collinear)
{
  CsHullParams params = params_all (collinear);
  const CsHullInput input = { .mask = image, .level = .5 };
  g_autofree OraclePoint *points = g_new (OraclePoint,
      image->width * image->height + 1);
  gsize n = 0, ignored;
  g_autoptr (Result) result = run_all (&params, &input);

  for (guint y = 0; y < image->height; y++)
    for (guint x = 0; x < image->width; x++)
      if (sample_at (image, x, y) > .5)
        points[n++] = (OraclePoint) { x, y, y * image->width + x };
  g_autofree OraclePoint *want = oracle_hull (points, n, collinear, &n,
      &ignored);
  if (result) {
    expect (result->out.n_ignored == 0, "%zu ignored", result->out.n_ignored);
    expect (result->out.n_hulls == (n > 0), "%zu hulls", result->out.n_hulls);
    if (result->out.n_hulls == 1)
      expect_hull (&result->out, 0, want, n);
  }
}

static void
test_masks (void)
{
  static const guint sizes[][2] = { {1, 1}, {7, 5}, {130, 40}, {300, 2},
    {3, 200}, {0, 4},
  };
  guint64 state = 11;
  guint type;

  for (guint i = brief ? 2 : 0; i < (brief ? 3 : G_N_ELEMENTS (sizes)); i++) {
    for (type = CS_SAMPLE_U8; type <= CS_SAMPLE_F64; type += brief ? 2 : 1) {
      for (guint fill = brief ? 2 : 0; fill < 4; fill++) {
        const gsize size = cs_sample_size (type);
        const guint w = sizes[i][0], h = sizes[i][1];
        const gsize row = w * size * (fill == 3 ? 2 : 1) + 3 * size;
        g_autofree void *data = g_malloc0 (row * h + 1);
        CsImage image = cs_image_gray (data, type, w, h, row);

        if (fill == 3)
          image.pixel_stride = 2 * size;
        for (guint y = 0; y < h; y++)
          for (guint x = 0; x < w; x++)
            set_sample (&image, x, y, fill == 1 ||
                (fill > 1 && data_random (&state) % 40 == 0));
        begin ("mask of %u x %u, type %u, fill %u", w, h, type, fill);
        check_mask_image (&image, FALSE);
        if (w * h < 6000)
          check_mask_image (&image, TRUE);
        end ();
      }
    }
  }
}

/* Whose sides are long, but not their product. */
static void
test_long_masks (void)
{
  static const guint sizes[][2] = { {60000, 2}, {2, 60000} };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const guint w = sizes[i][0], h = sizes[i][1];
    g_autofree guint8 *data = g_malloc0 ((gsize) w * h);
    const CsImage image = cs_image_gray (data, CS_SAMPLE_U8, w, h, w);

    data[3] = data[(gsize) w * h - 2] = data[(gsize) w * (h - 1)] = 1;
    begin ("mask of %u x %u", w, h);
    check_mask_image (&image, FALSE);
    end ();
  }
}

/* --- Forms and errors ----------------------------------------------------- */

static void
test_forms (void)
{
  Points p = points_new (CS_HULL_F64, DATA_DISK, 3, 5000);
  g_autofree double *padded = g_new (double, 5 * p.n);

  for (gsize i = 0; i < p.n; i++)
    memcpy (padded + 5 * i, (double *) p.data + 2 * i, 16);
  for (guint points = 0; points <= CS_HULL_POINTS_INPUT; points++) {
    for (guint measures = 0; measures <= CS_MEASURES_FULL; measures++) {
      for (guint flags = brief ? 7 : 0; flags < 8; flags++) {
        CsHullParams params = params_all (FALSE);
        CsHullInput input = input_of (&p);

        params.points = points;
        params.measures = measures;
        params.indices = (flags & 1) != 0;
        params.closed = (flags & 2) != 0;
        begin ("points %u, measures %u, flags %u", points, measures, flags);
        if (flags & 4) {
          input.points = padded;
          input.stride = 40;
        }
        g_autoptr (Result) result = run_all (&params, &input);
        if (result) {
          const CsHullOutput *out = &result->out;
          const gsize last = out->n_points - 1;

          expect ((out->points == NULL) == (points == CS_HULL_POINTS_NONE) &&
              (out->indices == NULL) == !params.indices &&
              (out->features == NULL) == (measures != CS_MEASURES_FULL),
              "arrays that were not asked for");
          if (out->indices)
            expect ((out->indices[last] == out->indices[0]) ==
                params.closed, "closed or not");
          if (out->indices && points == CS_HULL_POINTS_F32)
            expect (((float *) out->points)[2 * last] ==
                (float) point_at (&p, out->indices[last]).x, "rounding");
          expect (measures > 0 ? out->hulls->perimeter > 0 :
              isnan (out->hulls->perimeter) && isnan (out->hulls->bbox_x0) &&
              isnan (out->hulls->centroid_x), "measures");
          expect (isnan (out->hulls->solidity), "solidity of no contour");
          expect (out->hulls->area > 3, "area %g", out->hulls->area);
        }
        end ();
      }
    }
  }
  g_free (p.data);
}

static void
expect_error (const CsHullParams * params, const CsHullInput * input,
    CsError code, const char *what)
{
  for (guint i = 0; i < n_runners; i++) {
    g_autoptr (GError) error = NULL;
    CsHullOutput out = { .n_hulls = 9 };
    CsHull *plan = cs_hull_new (params, runners[i].executor, &error);

    if (plan) {
      expect (!cs_hull_run (plan, input, &out, &error) && out.n_hulls == 0,
          "%s: %s went well", runners[i].name, what);
      cs_hull_free (plan);
    }
    expect (error && error->domain == CS_ERROR && error->code == (gint) code,
        "%s: %s: %s", runners[i].name, what, error ? error->message :
        "no error");
  }
}

static void *
no_memory (void *user_data, gsize size, gboolean host)
{
  return NULL;
}

static void
test_errors (void)
{
  double xy[8] = { 0, 0, 1, 0, 1, 1, 0, 1 };
  guint32 offsets[3] = { 0, 3, 2 };
  CsImage mask = cs_image_gray (xy, CS_SAMPLE_U8, 8, 8, 8);
  CsHullParams params = params_all (FALSE), bad;
  const CsHullInput good = { .points = xy, .type = CS_HULL_F64, .n_points = 4 };
  CsHullInput input = good;

  begin ("errors");
  bad = params;
  bad.scope = 9;
  expect_error (&bad, &good, CS_ERROR_INVALID, "unknown scope");
  bad = params;
  bad.scope = CS_HULL_SCOPE_PER_CLASS;
  expect_error (&bad, &good, CS_ERROR_INVALID, "no classes");
  bad.n_classes = 3;
  expect_error (&bad, &good, CS_ERROR_INVALID, "classes without polylines");
  input.stride = 12;
  expect_error (&params, &input, CS_ERROR_INVALID, "stride of 12");
  input = good;
  input.points = (guint8 *) xy + 4;
  input.n_points = 3;
  expect_error (&params, &input, CS_ERROR_INVALID, "misaligned");
  input = good;
  input.points = NULL;
  expect_error (&params, &input, CS_ERROR_INVALID, "no points");
  input = good;
  input.n_points = CS_HULL_MAX_POINTS + 1;
  expect_error (&params, &input, CS_ERROR_LIMIT, "too many");
  input = good;
  input.offsets = offsets;
  input.n_polylines = 2;
  bad = params;
  bad.scope = CS_HULL_SCOPE_PER_CONTOUR;
  expect_error (&bad, &input, CS_ERROR_INVALID, "offsets that descend");
  offsets[2] = 5;
  expect_error (&bad, &input, CS_ERROR_INVALID, "offsets beyond the points");
  input = (CsHullInput) { .mask = &mask, .level = NAN };
  expect_error (&params, &input, CS_ERROR_INVALID, "NaN level");
  mask.channels = 3;
  input.level = 0;
  expect_error (&params, &input, CS_ERROR_INVALID, "mask of 3 channels");
  mask.channels = 1;
  mask.row_stride = mask.width = 1 << 16;
  mask.height = 1 << 15;
  expect_error (&params, &input, CS_ERROR_LIMIT, "mask of 2^31 pixels");
  mask.row_stride = mask.width = (1 << 24) + 1;
  mask.height = 1;
  expect_error (&params, &input, CS_ERROR_LIMIT, "mask that is too wide");
  mask.width = 1;
  mask.height = (1 << 24) + 1;
  expect_error (&params, &input, CS_ERROR_LIMIT, "mask that is too high");
  mask.width = mask.height = 8;
  mask.row_stride = 7;
  expect_error (&params, &input, CS_ERROR_INVALID, "overlapping rows");
  end ();

  begin ("no memory for the result, then some");
  for (guint i = 0; i < n_runners; i++) {
    GError *error = NULL;
    g_autoptr (CsHull) plan = cs_hull_new (&params, runners[i].executor,
        &error);
    CsHullOutput out = { .alloc = no_memory, .want_host = TRUE };

    expect (plan && !cs_hull_run (plan, &good, &out, &error) && error &&
        error->code == CS_ERROR_NO_MEMORY, "%s: %s", runners[i].name,
        error ? error->message : "no error");
    g_clear_error (&error);
    g_autoptr (Result) result = run_or_fail (&runners[i], &params, &good);
    expect (result && result->out.n_points == 4, "%s", runners[i].name);
  }
  end ();
}

static void
test_warm_up (void)
{
  begin ("warm up without data");
  for (guint i = 0; i < n_runners; i++) {
    g_autoptr (GError) error = NULL;
    const CsHullParams params = params_all (FALSE);
    const CsHullInput input = { .type = CS_HULL_F32, .n_points = 100000,
      .memory = runners[i].memory
    };
    g_autoptr (CsHull) plan = cs_hull_new (&params, runners[i].executor,
        &error);

    expect (plan && cs_hull_warm_up (plan, &input, &error), "%s: %s",
        runners[i].name, error ? error->message : "");
  }
  end ();
}

/* Those of this part; up to %NULL */
static void
run_tests (void (*const *tests) (void))
{
  for (; *tests; tests++)
    if (is_of_part ())
      (*tests) ();
}

static int
check_all (void)
{
  static void (*const small[]) (void) = { test_by_hand, test_measures_by_hand,
    test_errors, test_warm_up, test_forms, test_small_grids, test_oracle, NULL
  };
  static void (*const large[]) (void) = { test_masks, test_long_masks,
    test_properties, test_limits, NULL
  };
  static void (*const batches[]) (void) = { test_batches,
    test_unbalanced_batch, NULL
  };

  if (strcmp (only, "batches") != 0) {
    run_tests (small);
    check_thin (runners, n_runners, brief ? 30 : 3000);
    check_filter (brief ? 30 : 3000);
    if (is_of_part ())
      check_batch (runners, n_runners);
    run_tests (large);
    if (is_of_part ())
      check_rare (runners, n_runners, brief);
  }
  if (strcmp (only, "sets") != 0)
    run_tests (batches);
  if (is_whole () && strcmp (only, "") == 0)
    check_taken (runners, n_runners, brief);
  return finish ();
}

int
main (int argc, char **argv)
{
  const char *backend = "cpu", *mode = "check";
  gsize max_points = 10000000;
  int status;

  setvbuf (stdout, NULL, _IOLBF, 0);
  for (int i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--backend") == 0 && i + 1 < argc)
      backend = argv[++i];
    else if (strcmp (argv[i], "--bench") == 0 ||
        strcmp (argv[i], "--solve") == 0)
      mode = argv[i] + 2;
    else if (strcmp (argv[i], "--quick") == 0)
      quick = TRUE;
    else if (strcmp (argv[i], "--brief") == 0)
      quick = brief = TRUE;
    else if (strcmp (argv[i], "--only") == 0 && i + 1 < argc)
      only = argv[++i];
    else if (strcmp (argv[i], "--part") == 0 && i + 1 < argc) {
      if (!set_part (argv[++i]))
        return fprintf (stderr, "--part is I/N, such as 1/3\n"), 2;
    } else if (g_ascii_isdigit (argv[i][0]))
      max_points = g_ascii_strtoull (argv[i], NULL, 10);
    else
      return fprintf (stderr, "%s: unknown argument %s\n", argv[0], argv[i]), 2;
  }

  if (!open_runners (runners, &n_runners, backend, brief &&
          strcmp (mode, "check") == 0))
    return EXIT_SKIPPED;
  if (strcmp (mode, "bench") == 0)
    status = bench_hull (runners, n_runners, max_points, brief ?
        BENCH_PROFILE : quick ? BENCH_GPU : BENCH_ALL);
  else if (strcmp (mode, "solve") == 0)
    status = solve_hull (runners, n_runners);
  else
    status = check_all ();
  close_runners (runners, n_runners);
  return status;
}
