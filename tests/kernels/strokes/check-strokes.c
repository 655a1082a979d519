/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the strokes kernels: check-strokes [--backend cpu|cuda|both] [--quick]
 *   --brief is for compute-sanitizer, which is slow
 * Measures them:              check-strokes --bench [MAX-POINTS]
 * Prints the benchmark input: check-strokes --lines POINTS */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/check.h"
#include "../lib/random.h"
#include "../lib/runners.h"
#include "check_strokes.h"
#include "strokes_data.h"

#define MAX_RUNNERS 8

static Runner runners[MAX_RUNNERS];
static guint n_runners;
static gboolean quick, brief;
static Device device;

/* --- Runners -------------------------------------------------------------- */

static const RunnerKind kinds[] = {
  {"cpu, 1 thread", 1}, {"cpu, 7 threads", 7},
  {"cuda, host", 0, CS_MEMORY_HOST}, {"cuda, pinned", 0, CS_MEMORY_PINNED},
  {"cuda, device", 0, CS_MEMORY_DEVICE},
};

static void
make_plans (void)
{
  CsStrokesParams params;
  GError *error = NULL;

  cs_strokes_params_init (&params);
  for (guint i = 0; i < n_runners; i++) {
    runners[i].plan = cs_strokes_new (&params, runners[i].executor, &error);
    if (!runners[i].plan) {
      printf ("%s: %s\n", runners[i].name, error->message);
      exit (1);
    }
  }
}

static gboolean
run (const Runner * runner, const CsStrokesParams * params,
    const CsStrokesInput * input, CsStrokesOutput * output)
{
  const gsize n = input->n_contours ? input->offsets[input->n_contours] : 0;
  CsStrokesInput in = *input;
  GError *error = NULL;

  in.memory = runner->memory;
  in.points = device_place (runner->memory, input->points, n * sizeof (CsStrokePoint));
  in.offsets = device_place (runner->memory, input->offsets,
      (input->n_contours + 1) * sizeof (guint32));
  gboolean done = cs_strokes_set_params (runner->plan, params, &error) &&
      cs_strokes_run (runner->plan, &in, output, &error);
  expect (done, "%s: %s", runner->name, error ? error->message : "");
  g_clear_error (&error);
  device_displace (runner->memory, in.points);
  device_displace (runner->memory, in.offsets);
  return done;
}

/* --- Comparing ------------------------------------------------------------ */

static void
expect_same (const char *name, const Drawing * want,
    const CsStrokesOutput * got)
{
  expect (got->n_contours == want->n_contours &&
      got->n_points == want->n_points, "%s: %zu contours of %zu points, not"
      " %zu of %zu", name, got->n_contours, got->n_points, want->n_contours,
      want->n_points);
  if (case_has_failed ())
    return;
  for (gsize i = 0; i < want->n_contours; i++)
    expect (got->offsets[i] == want->offsets[i] &&
        got->sources[i] == want->sources[i], "%s: contour %zu is of %u and"
        " begins at %u, not %u and %u", name, i, got->sources[i],
        got->offsets[i], want->sources[i], want->offsets[i]);
  for (gsize i = 0; i < want->n_points; i++)
    expect (memcmp (&got->points[i], &want->points[i],
            sizeof (CsStrokePoint)) == 0, "%s: point %zu is (%g, %g), not"
        " (%g, %g)", name, i, got->points[i].x, got->points[i].y,
        want->points[i].x, want->points[i].y);
  expect (got->travel == want->travel, "%s: travel %.17g, not %.17g", name,
      got->travel, want->travel);
}

/* Runs all runners, which must return @want. */
static void
check (const CsStrokesParams * params, const CsStrokesInput * input,
    const Drawing * want)
{
  CsStrokesOutput output;

  for (guint i = 0; i < n_runners; i++)
    if (run (&runners[i], params, input, &output))
      expect_same (runners[i].name, want, &output);
}

static void
check_oracle (const CsStrokesParams * params, const CsStrokesInput * input)
{
  g_autoptr (Drawing) want = oracle_strokes (params, input);

  check (params, input, want);
}

/* What an output is, for the others to be compared with. */
static Drawing *
copy_output (const CsStrokesOutput * output)
{
  Drawing *d = drawing_new (output->n_points, output->n_contours);

  d->n_points = output->n_points;
  d->n_contours = output->n_contours;
  d->travel = output->travel;
  if (d->n_points > 0)
    memcpy (d->points, output->points, d->n_points * sizeof (CsStrokePoint));
  memcpy (d->offsets, output->offsets, (d->n_contours + 1) * sizeof (guint32));
  if (d->n_contours > 0)
    memcpy (d->sources, output->sources, d->n_contours * sizeof (guint32));
  return d;
}

/* --- By hand -------------------------------------------------------------- */

static CsStrokesParams
params_nothing (void)
{
  return (CsStrokesParams) {
    .merge_distance = -1,
    .duplicate_distance = -1,
  };
}

/* Numbers "x,y x,y / x,y": contours. */
static Drawing *
parse (const char *text)
{
  Drawing *d = drawing_new (strlen (text), strlen (text));
  guint32 source = 0;

  while (*text) {
    double x, y;
    int n;

    if (*text == '/') {
      drawing_end_contour (d, source++);
      text++;
    } else if (sscanf (text, " %lf,%lf%n", &x, &y, &n) == 2) {
      drawing_add (d, x, y);
      text += n;
    } else {
      text++;
    }
  }
  drawing_end_contour (d, source);
  return d;
}

typedef struct
{
  const char *name;
  CsStrokesParams params;
  double brush[5];
  const char *in, *out;
  guint32 sources[6];
  double travel;
} HandCase;

#define NOTHING .merge_distance = -1, .duplicate_distance = -1

static const HandCase hand_cases[] = {
  {"nothing to do", {NOTHING}, {0}, "0,0 1,0 / 5,5", "0,0 1,0 / 5,5",
      {0, 1}, 0},
  {"a brush splits", {NOTHING}, {2, 0, 2, 0, .5}, "0,0 1,0 2,0 3,0 4,0",
      "0,0 1,0 / 3,0 4,0", {0, 0}, 2},
  {"a brush cuts a closed one open, and nothing else", {NOTHING},
        {2, 2, 2, 2, .1}, "0,0 2,0 2,2 0,2 0,0", "0,2 0,0 2,0", {0}, 0},
  {"a closed one that begins under the brush", {NOTHING}, {0, 0, 0, 0, .1},
        "0,0 2,0 2,2 0,2 0,0", "2,0 2,2 0,2", {0}, 0},
  {"a closed one with two holes", {NOTHING}, {2, 0, 0, 2, .1},
        "0,0 2,0 2,2 0,2 0,0", "0,0 / 2,2", {0, 0}, 0},
  {"a brush removes contours", {NOTHING, .exclude =
          CS_STROKES_EXCLUDE_CONTOURS}, {2, 0, 2, 0, .5},
      "0,0 1,0 2,0 / 3,0 4,0", "3,0 4,0", {1}, 0},
  {"ends: a chain, drawn as its first", {.merge_distance = 2,
          .duplicate_distance = -1}, {0},
        "4,0 6,0 / 9,9 9,8 / 2,0 0,0 / 8,1 7,0", "0,0 2,0 4,0 6,0 7,0 8,1"
        " / 9,9 9,8", {0, 1}, 8.06225774829855},
  {"ends: the nearest one, not the first", {.merge_distance = 2,
          .duplicate_distance = -1}, {0},
        "0,0 5,0 / 7,0 9,0 / 9,9 6,0", "0,0 5,0 6,0 9,9 / 7,0 9,0", {0, 1},
      9.219544457292887},
  {"ends: before the beginning first", {.merge_distance = 5,
          .duplicate_distance = -1}, {0},
      "0,0 1,0 / 4,0", "4,0 0,0 1,0", {0}, 0},
  {"ends: a closed one stays", {.merge_distance = 2,
          .duplicate_distance = -1}, {0},
        "0,0 2,0 2,2 0,0 / 0,1 0,9", "0,0 2,0 2,2 0,0 / 0,1 0,9", {0, 1}, 1},
  {"ends: equal ones join", {.merge_distance = 0, .duplicate_distance = -1},
        {0}, "1,0 / 1,1 / -0,0 1,0", "0,0 1,0 1,0 / 1,1", {0, 1}, 1},
  {"lift: small together, drawn apart", {.merge_distance = 2,
          .merge = CS_STROKES_MERGE_LIFT, .duplicate_distance = -1,
          .min_points = 3}, {0},
      "0,0 / 9,9 9,8 / 4,0 / 2,0", "0,0 / 4,0 / 2,0", {0, 2, 3}, 6},
  {"lift: short together", {.merge_distance = 1,
          .merge = CS_STROKES_MERGE_LIFT, .duplicate_distance = -1,
          .min_length = 4}, {0}, "0,0 2,0 / 5,0 7,0 / 3,0 5,1",
      "0,0 2,0 / 5,0 7,0 / 3,0 5,1", {0, 1, 2}, 7},
  {"few points", {NOTHING, .min_points = 2}, {0}, "0,0 / 1,1 2,2 / 3,3",
      "1,1 2,2", {1}, 0},
  {"short", {NOTHING, .min_length = 2}, {0}, "0,0 1,0 / 0,0 2,0 / 0,0 1,0 1,1",
      "0,0 2,0 / 0,0 1,0 1,1", {1, 2}, 2},
  {"duplicates", {.merge_distance = -1, .duplicate_distance = 0}, {0},
      "0,0 1,0 / 1,0 2,0 -0,0 / 0,0 1,0", "0,0 1,0 / 2,0", {0, 1}, 1},
  {"a closed contour stays closed", {.merge_distance = -1,
          .duplicate_distance = 0}, {0}, "0,0 2,0 2,2 0,0",
      "0,0 2,0 2,2 0,0", {0}, 0},
  {"a closed contour that is there twice goes", {.merge_distance = -1,
          .duplicate_distance = 0}, {0},
      "0,0 2,0 2,2 0,0 / 0,0 2,0 2,2 0,0", "0,0 2,0 2,2 0,0", {0}, 0},
  {"the first that is kept wins", {.merge_distance = -1,
          .duplicate_distance = 1}, {0}, "0,0 1,0 2,0 3,0 4,0",
      "0,0 2,0 4,0", {0}, 0},
  {"biggest first, stable", {NOTHING, .biggest_first = TRUE}, {0},
      "0,0 / 1,1 2,2 / 3,3 / 4,4 5,5", "1,1 2,2 / 4,4 5,5 / 0,0 / 3,3",
        {1, 3, 0, 2}, 2.8284271247461903 + 7.0710678118654755 +
        4.242640687119285},
  {"ends: a contour is reversed", {NOTHING, .order =
          CS_STROKES_ORDER_ENDPOINTS}, {0}, "9,0 5,0 / 0,0 1,0 2,0",
      "0,0 1,0 2,0 / 5,0 9,0", {1, 0}, 3},
  {"ends: a closed one is turned", {NOTHING, .order =
          CS_STROKES_ORDER_ENDPOINTS}, {0},
        "0,0 1,0 2,0 3,0 4,0 5,0 / 9,9 9,0 8,0 9,9",
      "0,0 1,0 2,0 3,0 4,0 5,0 / 8,0 9,9 9,0 8,0", {0, 1}, 3},
  {"least distance: between any points", {NOTHING, .order =
          CS_STROKES_ORDER_MIN_DISTANCE}, {0},
        "0,0 5,0 9,0 / 9,3 10,3 / 5,1 20,20",
      "0,0 5,0 9,0 / 5,1 20,20 / 9,3 10,3", {0, 2, 1},
        4.123105625617661 + 20.248456731316587},
};

static void
test_by_hand (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (hand_cases); i++) {
    const HandCase *hand = &hand_cases[i];
    g_autoptr (Drawing) in = parse (hand->in);
    g_autoptr (Drawing) want = parse (hand->out);
    g_autoptr (CsBrushMask) mask = cs_brush_mask_new (30, 30, NULL);
    const CsStrokesInput input = drawing_input (in, mask);

    begin ("by hand: %s", hand->name);
    if (hand->brush[4] > 0)
      cs_brush_mask_stroke (mask, hand->brush[0], hand->brush[1],
          hand->brush[2], hand->brush[3], hand->brush[4]);
    memcpy (want->sources, hand->sources, want->n_contours * sizeof (guint32));
    if (hand->travel > 0 || want->n_contours == 1) {
      want->travel = hand->travel;
    } else {
      g_autoptr (Drawing) oracle = oracle_strokes (&hand->params, &input);

      want->travel = oracle->travel;
    }
    check (&hand->params, &input, want);
    check_oracle (&hand->params, &input);
    end ();
  }
}

static void
test_empty (void)
{
  const guint32 offsets[4] = { 0, 0, 0, 0 };
  const CsStrokesParams params = params_nothing ();
  CsStrokesParams all;
  CsStrokesInput input = { .offsets = offsets };
  g_autoptr (Drawing) none = drawing_new (0, 0);

  cs_strokes_params_init (&all);
  all.merge_distance = 3;
  begin ("no contours, and only empty ones");
  check (&params, &input, none);
  input.n_contours = 3;
  check (&params, &input, none);
  check (&all, &input, none);
  end ();
}

/* --- Against the oracle --------------------------------------------------- */

static double
random_distance (guint64 * state)
{
  static const double distances[] = { -1, 0, 0, .5, 1, 1, 1.5, 3, 7, 1000,
    1e-200, 1e200
  };

  return distances[random_below (state, G_N_ELEMENTS (distances))];
}

static CsStrokesParams
random_params (guint64 * state)
{
  static const double lengths[] = { 0, 0, -3, 1, 5, 1e300 };

  return (CsStrokesParams) {
    .merge_distance = random_distance (state),
    .merge = random_below (state, 2),
    .min_points = random_below (state, 2) ? random_below (state, 12) : 0,
    .min_length = lengths[random_below (state, G_N_ELEMENTS (lengths))],
    .duplicate_distance = random_distance (state),
    .biggest_first = random_below (state, 2),
    .order = random_below (state, 3),
    .exclude = random_below (state, 2),
  };
}

static CsBrushMask *
random_mask (guint64 * state)
{
  guint n = random_below (state, 4);

  if (random_below (state, 2))
    return NULL;
  CsBrushMask *mask = cs_brush_mask_new (1 + random_below (state, 80),
      1 + random_below (state, 80), NULL);
  while (n-- > 0)
    cs_brush_mask_stroke (mask, 80 * random_unit (state),
        80 * random_unit (state), 80 * random_unit (state),
        80 * random_unit (state), 8 * random_unit (state));
  if (random_below (state, 12) == 0)
    cs_brush_mask_stroke (mask, 40, 40, 40, 40, 1000);
  return mask;
}

static void
test_oracle (void)
{
  const guint n_rounds = brief ? 3 : quick ? 150 : 2500;
  guint64 state = 1;

  for (guint round = 0; round < n_rounds; round++) {
    for (guint kind = 0; kind < DATA_N_KINDS; kind++) {
      const CsStrokesParams params = random_params (&state);
      g_autoptr (Drawing) in = data_new (kind, round, 1 + random_below (&state,
              130));
      g_autoptr (CsBrushMask) mask = random_mask (&state);
      const CsStrokesInput input = drawing_input (in, mask);

      begin ("%s, round %u: merge %g by %u, small %u %g, duplicates %g,"
          " order %u", data_name (kind), round, params.merge_distance,
          params.merge, params.min_points,
          params.min_length, params.duplicate_distance, params.order);
      check_oracle (&params, &input);
      end ();
    }
  }
}

/* Every order of three contours, of which only neighbours are close: the
 * drawing is the same. */
static void
test_chain (void)
{
  static const char *const inputs[] = {
    "0,0 1,0 / 3,0 4,0 / 6,0 7,0", "0,0 1,0 / 6,0 7,0 / 3,0 4,0",
    "3,0 4,0 / 0,0 1,0 / 6,0 7,0", "3,0 4,0 / 6,0 7,0 / 0,0 1,0",
    "6,0 7,0 / 0,0 1,0 / 3,0 4,0", "6,0 7,0 / 3,0 4,0 / 0,0 1,0"
  };
  CsStrokesParams params = params_nothing ();

  params.merge_distance = 2;
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++) {
    g_autoptr (Drawing) in = parse (inputs[i]);
    g_autoptr (Drawing) want = parse ("0,0 1,0 3,0 4,0 6,0 7,0");
    const CsStrokesInput input = drawing_input (in, NULL);

    begin ("A-B-C: %s", inputs[i]);
    check (&params, &input, want);
    end ();
  }
}

/* Pairs of points that are just close or just not, across the corners of cells
 * and anywhere: the corner's other side is two cells away both ways. */
static void
test_near_limit (void)
{
  const double distance = 10, cell = 7;
  CsStrokesParams params = params_nothing ();
  guint64 state = 31;

  for (guint round = 0; round < (brief ? 2 : 16); round++) {
    g_autoptr (Drawing) in = drawing_new (80, 80);

    for (guint i = 0; i < 40; i++) {
      const double angle = round % 2 ? 7 * random_unit (&state) :
          G_PI / 4 * (1 + 2 * (i % 4));
      const double away = distance * (.993 + .01 * random_unit (&state));
      const double x = 70 * cell * (i % 8) - copysign (.01, cos (angle));
      const double y = 70 * cell * (i / 8) - copysign (.01, sin (angle));

      drawing_add (in, x, y);
      drawing_end_contour (in, 2 * i);
      drawing_add (in, x + away * cos (angle), y + away * sin (angle));
      drawing_end_contour (in, 2 * i + 1);
    }
    CsStrokesInput input = drawing_input (in, NULL);
    begin ("points near the limit, round %u", round);
    params.merge_distance = distance;
    params.merge = CS_STROKES_MERGE_ENDS;
    params.min_points = 0;
    params.duplicate_distance = -1;
    check_oracle (&params, &input);
    /* only those that are close stay */
    params.merge = CS_STROKES_MERGE_LIFT;
    params.min_points = 2;
    check_oracle (&params, &input);
    params.min_points = 0;
    params.merge_distance = -1;
    params.duplicate_distance = distance;
    check_oracle (&params, &input);
    end ();
  }
}

/* Too much for the oracle: all runners agree, and nothing takes for ever. */
static void
test_large (void)
{
  const gsize n = brief ? 3000 : quick ? 20000 : 100000;
  guint64 state = 9;

  for (guint kind = 0; kind < DATA_N_KINDS; kind++) {
    g_autoptr (Drawing) in = data_new (kind, 77, n);
    const CsStrokesInput input = drawing_input (in, NULL);

    for (guint round = 0; round < (brief ? 2 : 4); round++) {
      CsStrokesParams params = random_params (&state);
      CsStrokesOutput output;
      Drawing *want;

      params.order = round % 3;
      params.two_opt = kind % 2;
      params.simplify = round % 2 ? .5 : 0;
      begin ("%zu points of %s, round %u: merge %g, duplicates %g, order %u",
          n, data_name (kind), round, params.merge_distance,
          params.duplicate_distance, params.order);
      if (run (&runners[0], &params, &input, &output)) {
        want = copy_output (&output);
        check (&params, &input, want);
        drawing_free (want);
      }
      end ();
    }
  }
}

/* A mask that changes is seen; one that does not is not copied, which does not
 * show. */
static void
test_mask_changes (void)
{
  CsStrokesParams params = params_nothing ();
  g_autoptr (Drawing) in = data_new (DATA_WALKS, 3, 100);
  g_autoptr (CsBrushMask) mask = cs_brush_mask_new (40, 40, NULL);
  const CsStrokesInput input = drawing_input (in, mask);

  begin ("a mask that changes from run to run");
  for (guint i = 0; i < 6; i++) {
    check_oracle (&params, &input);
    cs_brush_mask_stroke (mask, 7 * i, 5, 3 * i, 30, 2);
    check_oracle (&params, &input);
  }
  end ();
}

/* --- The mask ------------------------------------------------------------- */

static long double
segment_distance (long double px, long double py, const double *s)
{
  const long double dx = (long double) s[2] - s[0];
  const long double dy = (long double) s[3] - s[1];
  const long double length2 = dx * dx + dy * dy;
  long double t = length2 > 0 ? ((px - s[0]) * dx + (py - s[1]) * dy) /
      length2 : 0;

  t = CLAMP (t, 0, 1);
  return hypotl (px - s[0] - t * dx, py - s[1] - t * dy);
}

static void
check_stroke (guint width, guint height, const double *s)
{
  g_autoptr (CsBrushMask) mask = cs_brush_mask_new (width, height, NULL);
  gboolean any = FALSE;

  cs_brush_mask_stroke (mask, s[0], s[1], s[2], s[3], s[4]);
  for (guint y = 0; y < height; y++) {
    for (guint x = 0; x < width; x++) {
      const long double d = segment_distance (x, y, s) - s[4];
      const gboolean set = cs_brush_mask_contains (mask, x, y);

      any |= set;
      /* within rounding, either will do */
      if (fabsl (d) > 1e-9L * (1 + fabs (s[4])))
        expect (set == (d < 0), "(%u, %u), %Lg from the border, is %s", x, y,
            d, set ? "set" : "not set");
    }
  }
  expect (any == !cs_brush_mask_is_empty (mask), "empty or not");
  expect (!cs_brush_mask_contains (mask, -.6, 0) &&
      !cs_brush_mask_contains (mask, width - .4, 0) &&
      !cs_brush_mask_contains (mask, NAN, 0), "set outside");
}

static void
test_mask (void)
{
  static const double strokes[][5] = {
    {10, 10, 10, 10, 0}, {10, 10, 10, 10, 3}, {5, 5, 30, 5, 2},
    {5, 5, 5, 30, 2}, {5.3, 4.2, 33, 21.7, 3.3}, {-50, -50, 200, 150, 5},
    {-1e6, 3, 1e6, 20, 4}, {1e3, 1e3, 2e3, 2e3, 10}, {10, 10, 10, 10, 1e4},
    {0, 0, 63, 0, .5}, {31, 4, 32, 4, .5}, {-3, -3, -3, -3, 3.5},
  };
  guint64 state = 4;
  guint8 image[12] = { 0, 1, 0, 0, 0, 0, 255, 0, 0, 0, 0, 7 };
  CsImage view = cs_image_gray (image, CS_SAMPLE_U8, 4, 3, 4);
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (strokes); i++) {
    begin ("stroke %u", i);
    check_stroke (70, 37, strokes[i]);
    check_stroke (1, 1, strokes[i]);
    end ();
  }
  for (guint i = 0; i < (brief ? 2 : 200); i++) {
    double s[5];

    for (guint k = 0; k < 5; k++)
      s[k] = (k == 4 ? 10 : 90) * random_unit (&state) - (k == 4 ? 0 : 10);
    begin ("random stroke %u", i);
    check_stroke (64, 65, s);
    end ();
  }

  begin ("what is not finite, and what is far too large");
  CsBrushMask *mask = cs_brush_mask_new (20, 20, NULL);
  cs_brush_mask_stroke (mask, NAN, 0, 1, 1, 3);
  cs_brush_mask_stroke (mask, 0, 0, INFINITY, 1, 3);
  cs_brush_mask_stroke (mask, 0, 0, 1, 1, -1);
  expect (cs_brush_mask_is_empty (mask), "it has set something");
  cs_brush_mask_stroke (mask, 1e300, 1e300, 1.1e300, 1e300, 5);
  expect (cs_brush_mask_is_empty (mask), "far out is in");
  cs_brush_mask_stroke (mask, 5, 5, 6, 5, 1e308);
  expect (cs_brush_mask_contains (mask, 19, 19), "a huge brush");
  cs_brush_mask_free (mask);
  end ();

  begin ("images");
  mask = cs_brush_mask_new (4, 3, NULL);
  expect (cs_brush_mask_add_image (mask, &view, &error), "it does not fit");
  for (guint i = 0; i < 12; i++)
    expect (cs_brush_mask_contains (mask, i % 4, i / 4) == (image[i] != 0),
        "pixel %u", i);
  view.width = 3;
  expect (!cs_brush_mask_add_image (mask, &view, &error) && error &&
      error->code == CS_ERROR_INVALID, "another size fits");
  g_clear_error (&error);
  cs_brush_mask_free (mask);
  expect (!cs_brush_mask_new (0, 4, &error) && error, "no columns");
  g_clear_error (&error);
  expect (!cs_brush_mask_new (4, 65537, &error) && error, "too many rows");
  g_clear_error (&error);
  end ();
}

/* --- Errors --------------------------------------------------------------- */

static void
expect_error (const CsStrokesInput * input, CsError code, const char *what)
{
  for (guint i = 0; i < n_runners; i++) {
    const gsize n = input->n_contours + 1;
    CsStrokesInput in = *input;
    CsStrokesOutput output = { .n_contours = 7 };
    GError *error = NULL;

    in.memory = runners[i].memory;
    in.points = device_place (in.memory, input->points, 4 * sizeof (CsStrokePoint));
    in.offsets = device_place (in.memory, input->offsets, n * sizeof (guint32));
    expect (!cs_strokes_run (runners[i].plan, &in, &output, &error) &&
        error && error->domain == CS_ERROR && error->code == (gint) code &&
        output.n_contours == 0, "%s: %s: %s", runners[i].name, what,
        error ? error->message : "no error");
    g_clear_error (&error);
    device_displace (in.memory, in.points);
    device_displace (in.memory, in.offsets);
  }
}

static void
test_errors (void)
{
  const CsStrokePoint points[4] = { {0, 0} };
  guint32 offsets[3] = { 0, 3, 2 };
  CsStrokesInput input = { points, offsets, 2 };
  CsStrokesParams params = params_nothing (), bad;
  CsStrokesOutput output;

  begin ("errors");
  expect_error (&input, CS_ERROR_INVALID, "offsets that decrease");
  offsets[0] = 1;
  offsets[2] = 4;
  expect_error (&input, CS_ERROR_INVALID, "offsets that begin with 1");
  offsets[0] = 0;
  offsets[2] = 1u << 31;
  expect_error (&input, CS_ERROR_LIMIT, "2^31 points");
  input.offsets = NULL;
  expect_error (&input, CS_ERROR_INVALID, "no offsets");
  bad = params;
  bad.merge_distance = INFINITY;
  for (guint i = 0; i < n_runners; i++) {
    GError *error = NULL;

    expect (!cs_strokes_set_params (runners[i].plan, &bad, &error) && error &&
        error->code == CS_ERROR_INVALID, "an infinite distance");
    g_clear_error (&error);
    expect (!cs_strokes_new (&bad, runners[i].executor, &error) && error,
        "an infinite distance");
    g_clear_error (&error);
  }
  offsets[2] = 4;
  input.offsets = offsets;
  expect (run (&runners[0], &params, &input, &output) &&
      output.n_contours == 2, "the plan cannot be used any more");
  end ();
}

int
main (int argc, char **argv)
{
  const char *backend = "cpu";
  gboolean bench = FALSE, lines = FALSE;
  gsize max_points = 4000000;

  setvbuf (stdout, NULL, _IOLBF, 0);
  for (int i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--backend") == 0 && i + 1 < argc)
      backend = argv[++i];
    else if (strcmp (argv[i], "--bench") == 0)
      bench = TRUE;
    else if (strcmp (argv[i], "--lines") == 0)
      lines = TRUE;
    else if (strcmp (argv[i], "--quick") == 0)
      quick = TRUE;
    else if (strcmp (argv[i], "--brief") == 0)
      quick = brief = TRUE;
    else if (g_ascii_isdigit (argv[i][0]))
      max_points = g_ascii_strtoull (argv[i], NULL, 10);
    else
      return fprintf (stderr, "%s: unknown argument %s\n", argv[0], argv[i]), 2;
  }
  if (lines)
    return print_lines (max_points);
  if (bench)
    return bench_strokes (backend, max_points);
  if (!runners_open (runners, &n_runners, kinds, G_N_ELEMENTS (kinds), backend,
          brief, &device))
    return EXIT_SKIPPED;
  make_plans ();
  test_by_hand ();
  test_empty ();
  test_errors ();
  test_chain ();
  test_mask ();
  test_mask_changes ();
  test_near_limit ();
  test_oracle ();
  test_large ();
  check_two_opt (brief ? 3 : quick ? 60 : 1000);
  check_simplify (brief ? 3 : quick ? 60 : 1000);
  int status = finish ();
  for (guint i = 0; i < n_runners; i++)
    cs_strokes_free (runners[i].plan);
  runners_close (runners, n_runners, &device);
  return status;
}
