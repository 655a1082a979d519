/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the tile engine: check-raster [--backend cpu|cuda|both] [--cases N]
 *   [--seed N] [--brief] [--part I/N]; --brief is for checkers of memory and
 *   races
 * Measures it:            check-raster --bench [--row ROW] [--backend ...]
 *   [--brief]; --brief then is for hardly anything on the CPU
 * --direct auto|never|always: whether marks are painted directly */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/check_device.h"
#include "../lib/check.h"
#include "../lib/device.h"
#include "check_raster.h"
#include "raster/raster_fill.h"
#include "raster/raster_private.h"
#include "raster_cases.h"
#include "raster_fills.h"
#include "raster_oracle.h"
#include "raster_place.h"

#define MAX_RUNNERS 4

static Runner runners[MAX_RUNNERS];
static guint n_runners;
static gboolean brief;
static gint forced_direct = -1;
/* by all runs on the CPU */
static guint64 n_replayed;

/* Random cases that take all ways of painting */
#define FEWEST 25

void
choose_direct (guint32 seed)
{
  cs_raster_direct = (CsDirectChoice) (forced_direct >= 0 ? (guint)
      forced_direct : seed % 3);
}

/* --- Running -------------------------------------------------------------- */

/* Paints on a copy of @output, which is returned; in place if @input is
 * @output. */
static Picture *
run_on (Runner * runner, const CsMarks * marks,
    const CsRasterSettings * settings, const Picture * input,
    const Picture * output, gboolean device_marks, GError ** error)
{
  Picture *result = picture_copy (output);
  const CsMemory memory = device_marks ? CS_MEMORY_DEVICE : CS_MEMORY_HOST;
  CsMarks there = *marks;
  CsPicture from, to;
  void *from_memory = NULL, *to_memory = NULL;
  gboolean ok;

  if (!runner->is_cuda) {
    from = input == output ? result->view : input->view;
    ok = cs_raster_run (runner->raster, marks, settings, &from, &result->view,
        error);
  } else {
    to_memory = device_place (CS_MEMORY_DEVICE, result->memory, result->size);
    from_memory = input == output ? to_memory :
        device_place (CS_MEMORY_DEVICE, input->memory, input->size);
    from = picture_view_at (input, from_memory, CS_MEMORY_DEVICE);
    to = picture_view_at (output, to_memory, CS_MEMORY_DEVICE);
    there.memory = memory;
    there.marks = device_place (memory, marks->marks,
        marks->n * sizeof (CsMark));
    there.depths = device_place (memory, marks->depths,
        marks->n * sizeof (float));
    ok = cs_raster_run (runner->raster, &there, settings, &from, &to, error);
    check_device_copy (result->memory, to_memory, result->size);
    device_displace (memory, there.marks);
    device_displace (memory, there.depths);
    if (from_memory != to_memory)
      check_device_free (from_memory);
    check_device_free (to_memory);
  }
  if (!ok)
    g_clear_pointer (&result, picture_free);
  return result;
}

static CsInk *
make_ink (const Runner * runner, const Case * c)
{
  const gsize half = c->n_segments / 2;
  GError *error = NULL;
  CsInk *ink = cs_ink_new (runner->executor, c->output->view.width,
      c->output->view.height, &error);

  expect (ink != NULL, "%s: %s", runner->name, error ? error->message : "");
  if (!ink)
    return NULL;
  /* what has been taken away must be gone, and the order does not matter */
  expect (cs_ink_stamp (ink, c->segments, c->n_segments, 9, &error) &&
      cs_ink_clear (ink, &error) &&
      cs_ink_stamp (ink, c->segments + half, c->n_segments - half, c->pen,
          &error) && cs_ink_stamp (ink, c->segments, half, c->pen, &error),
      "%s: ink: %s", runner->name, error ? error->message : "");
  return ink;
}

static Picture *
expected_of (const Case * c, const guint32 * order)
{
  Picture *expected = picture_copy (c->output);
  const CsPicture *from = c->in_place ? &c->output->view : &c->input->view;
  OracleInk *ink = NULL;

  if (c->segments) {
    ink = oracle_ink_new (expected->view.width, expected->view.height);
    oracle_ink_stamp (ink, c->segments, c->n_segments, c->pen);
  }
  oracle_run (&c->marks, &c->settings, ink, order, from, &expected->view);
  if (ink)
    oracle_ink_free (ink);
  return expected;
}

/* No pixel of the tiles that the picture has is painted again twice. */
static void
check_replayed (const Case * c, Runner * runner)
{
  const CsPicture *p = &c->output->view;
  CsRasterStats stats = { 0 };

  if (runner->is_cuda)
    return;
  expect (cs_raster_get_stats (runner->raster, &stats, NULL) &&
      stats.replayed <= (guint64) (p->width + 63) * (p->height + 63),
      "%s: %" G_GUINT64_FORMAT " pixels painted again", runner->name,
      stats.replayed);
  n_replayed += stats.replayed;
}

void
check_case (const Case * c)
{
  g_autoptr (Picture) expected = expected_of (c, NULL);

  for (guint i = 0; i < n_runners; i++) {
    Runner *runner = &runners[i];
    CsRasterSettings settings = c->settings;
    CsInk *ink = c->segments ? make_ink (runner, c) : NULL;

    settings.ink = ink;
    for (guint again = 0; again < 2; again++) {
      g_autoptr (GError) error = NULL;
      g_autoptr (Picture) result = run_on (runner, &c->marks, &settings,
          c->in_place ? c->output : c->input, c->output,
          again && i & 1 && !c->marks.fills && !c->marks.gradients,
          &error);

      expect (result != NULL, "%s: %s", runner->name,
          error ? error->message : "");
      if (result) {
        const guint64 wrong = picture_compare (expected, result,
            case_has_failed () ? NULL : runner->name);

        expect (wrong == 0, "%s: %" G_GUINT64_FORMAT " samples are wrong%s",
            runner->name, wrong, again ? ", the second time" : "");
        check_replayed (c, runner);
      }
    }
    cs_ink_free (ink);
  }
}

/* The case has begun; its pictures are freed. */
static void
finish_case (Case * c)
{
  check_case (c);
  end ();
  if (c->input != c->output)
    picture_free (c->input);
  picture_free (c->output);
}

/* --- Random cases --------------------------------------------------------- */

static const gsize counts[] = { 0, 1, 2, 3, 10, 40, 150, 700, 3000 };

guint
random_side (GRand * rand)
{
  static const guint sides[] = {
    1, 2, 3, 5, 15, 16, 17, 31, 33, 48, 63, 64, 65, 100, 129, 150
  };

  return sides[g_rand_int (rand) % G_N_ELEMENTS (sides)];
}

guint64
next_version (void)
{
  static guint64 version;

  return ++version;
}

void
random_settings (GRand * rand, Case * c)
{
  CsRasterSettings *s = &c->settings;

  cs_raster_settings_init (s);
  if (g_rand_int (rand) % 3 == 0)
    s->background = g_rand_int (rand) % 4;
  s->antialias = g_rand_boolean (rand);
  s->linear = g_rand_int (rand) % 4 == 0;
  if (g_rand_int (rand) % 4 == 0)
    s->opacity = g_rand_double_range (rand, -.2, 1.2);
}

static CsInkSegment *
random_ink (GRand * rand, Case * c)
{
  const guint width = c->output->view.width, height = c->output->view.height;

  if (g_rand_int (rand) % 3 != 0)
    return NULL;
  c->n_segments = g_rand_int (rand) % 40 + 2;
  CsInkSegment *segments = g_new (CsInkSegment, c->n_segments);
  for (gsize i = 0; i < c->n_segments; i++) {
    segments[i].x0 = g_rand_double_range (rand, -10, width + 10);
    segments[i].y0 = g_rand_double_range (rand, -10, height + 10);
    segments[i].x1 = segments[i].x0 + g_rand_double_range (rand, -9, 9);
    segments[i].y1 = g_rand_int (rand) % 9 ? segments[i].y0 + 3 : NAN;
    segments[i].time = g_rand_double_range (rand, -1, 10);
  }
  c->pen = g_rand_double_range (rand, .1, 5);
  c->settings.ink_after = g_rand_int_range (rand, 0, c->marks.n + 3);
  c->settings.ink_rgba = g_rand_int (rand);
  c->settings.ink_now = g_rand_double_range (rand, 0, 12);
  c->settings.ink_fade = g_rand_boolean (rand) ? 0 : 5;
  return segments;
}

static void
check_random (guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  const Layout *layout = &layouts[g_rand_int (rand) % n_layouts];
  const guint width = random_side (rand);
  const guint height = random_side (rand);
  const MarksKind kind = g_rand_int (rand) % MARKS_N_KINDS;
  DepthsKind depths_kind = g_rand_int (rand) % DEPTHS_N_KINDS;
  Fills *fills = NULL;
  Gradients gradients;
  Case c = { 0 };

  choose_direct (seed);

  c.marks.n = counts[g_rand_int (rand) % G_N_ELEMENTS (counts)];
  if (kind == MARKS_GROUPS || kind == MARKS_FILLS ||
      kind == MARKS_GRADIENTS_GROUPS)
    depths_kind = DEPTHS_NONE;
  if (kind == MARKS_FILLS) {
    c.marks.n %= 64;
    fills = fills_new (rand, MARKS_N_FILLS, width, height, 1e30);
    c.marks.fills = &fills->fills;
  }
  if (kind == MARKS_GRADIENTS || kind == MARKS_GRADIENTS_GROUPS) {
    gradients_fill (rand, &gradients);
    c.marks.gradients = &gradients.view;
  }
  g_autofree CsMark *marks = g_new (CsMark, c.marks.n + 1);
  g_autofree float *depths = g_new (float, c.marks.n + 1);
  marks_fill (kind, rand, width, height, c.marks.n, marks);
  depths_fill (depths_kind, rand, c.marks.n, depths);
  c.marks.marks = marks;
  c.marks.depths = depths_kind == DEPTHS_NONE ? NULL : depths;
  c.marks.version = g_rand_boolean (rand) ? next_version () : 0;
  random_settings (rand, &c);
  c.output = picture_new (layout, width, height, rand);
  c.input = picture_new (layout, width, height, rand);
  /* strides are random: the same for both only where the test needs it */
  c.in_place = g_rand_boolean (rand);
  c.segments = random_ink (rand, &c);
  begin ("seed %u: %s %u x %u, %" G_GSIZE_FORMAT " %s, depths %d, "
      "background %d%s%s%s%s, opacity %g", seed, layout->name, width, height,
      c.marks.n, marks_kind_name (kind), depths_kind, c.settings.background,
      c.settings.antialias ? ", antialiased" : "",
      c.settings.linear ? ", linear" : "", c.in_place ? ", in place" : "",
      c.segments ? ", ink" : "", c.settings.opacity);
  finish_case (&c);
  g_free ((void *) c.segments);
  g_clear_pointer (&fills, fills_free);
}

/* --- Order ---------------------------------------------------------------- */

/* A renderer that does not keep the order must be caught. */
static void
check_negative_control (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  CsMark marks[200];
  float depths[200];
  guint32 order[200];
  Case c = { 0 };

  begin ("marks in another order are noticed");
  marks_fill (MARKS_DISCS, rand, 96, 96, 200, marks);
  depths_fill (DEPTHS_RANDOM, rand, 200, depths);
  c.marks = (CsMarks) { marks, depths, 200, CS_MEMORY_HOST, 0 };
  cs_raster_settings_init (&c.settings);
  c.output = c.input = picture_new (&layouts[3], 96, 96, rand);
  oracle_order (&c.marks, order);
  for (guint i = 0; i < 200; i += 2) {
    const guint32 swap = order[i];

    order[i] = order[i + 1];
    order[i + 1] = swap;
  }
  for (guint i = 0; i < n_runners; i++) {
    g_autoptr (Picture) wrong = expected_of (&c, order);
    g_autoptr (Picture) result = run_on (&runners[i], &c.marks, &c.settings,
        c.input, c.output, FALSE, NULL);

    expect (result && picture_compare (wrong, result, NULL) > 0,
        "%s: neighbours exchanged, and nothing differs", runners[i].name);
  }
  end ();
  picture_free (c.output);
}

/* Values worked out by hand: red, then half of green over it. */
static void
check_by_hand (void)
{
  const CsMark marks[] = {
    {4, 4, 4, 4, 2, 0, 0x00ff0080, 0},
    {4, 4, 4, 4, 3, 0, 0xff0000ff, 0},
  };
  const float depths[] = { 1, 2 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);
  Case c = { 0 };

  begin ("values worked out by hand");
  c.marks = (CsMarks) { marks, depths, 2, CS_MEMORY_HOST, 0 };
  cs_raster_settings_init (&c.settings);
  c.settings.antialias = FALSE;
  c.settings.background = CS_BACKGROUND_BLACK;
  c.output = c.input = picture_new (&layouts[3], 9, 9, rand);
  for (guint i = 0; i < n_runners; i++) {
    g_autoptr (Picture) r = run_on (&runners[i], &c.marks, &c.settings, c.input,
        c.output, FALSE, NULL);

    expect (r && oracle_get (&r->view, 0, 4, 4) == 127 &&
        oracle_get (&r->view, 1, 4, 4) == 128 &&
        oracle_get (&r->view, 0, 7, 4) == 255 &&
        oracle_get (&r->view, 1, 7, 4) == 0 &&
        oracle_get (&r->view, 0, 8, 4) == 0, "%s: half green on red",
        runners[i].name);
  }
  end ();
  picture_free (c.output);
}

/* --- Fills ---------------------------------------------------------------- */

/* Many layers that let nearly everything through, where the order of sums
 * differs most; and many marks on one tile. */
static void
check_deep (MarksKind kind, const Layout * layout, gsize n, guint side)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (n + kind);
  g_autofree CsMark *marks = g_new (CsMark, n);
  g_autofree float *depths = g_new (float, n);
  Case c = { 0 };

  begin ("%" G_GSIZE_FORMAT " %s on %s, %u x %u", n, marks_kind_name (kind),
      layout->name, side, side);
  marks_fill (kind, rand, side, side, n, marks);
  depths_fill (DEPTHS_RANDOM, rand, n, depths);
  c.marks = (CsMarks) { marks, depths, n, CS_MEMORY_HOST, next_version () };
  cs_raster_settings_init (&c.settings);
  c.input = picture_new (layout, side, side, rand);
  c.output = picture_new (layout, side, side, rand);
  finish_case (&c);
}

static void
check_paths (const Layout * layout, guint32 seed, gboolean has_fills)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  const guint width = g_rand_int_range (rand, 321, 400);
  const guint height = g_rand_int_range (rand, 193, 250);
  const gsize n = g_rand_int_range (rand, 500, 3000);
  g_autofree CsMark *marks = g_new (CsMark, n);
  Fills *fills = NULL;
  Case c = { 0 };

  choose_direct (seed % 2 ? CS_DIRECT_AUTO : CS_DIRECT_ALWAYS);
  marks_fill_paths (rand, width, height, n, marks);
  c.marks = (CsMarks) { marks, NULL, n, CS_MEMORY_HOST, next_version () };
  if (has_fills) {
    fills = fills_new (rand, MARKS_N_FILLS, width, height, 1e30);
    c.marks.fills = &fills->fills;
    for (gsize i = 0; i < n; i += 1 + g_rand_int (rand) % 300) {
      marks[i].half_width = CS_MARK_FILL;
      marks[i].group = g_rand_int (rand) % (MARKS_N_FILLS + 1);
      marks[i].rgba &= 0xffffff3f;
    }
  }
  random_settings (rand, &c);
  c.input = picture_new (layout, width, height, rand);
  c.output = picture_new (layout, width, height, rand);
  c.in_place = g_rand_boolean (rand);
  begin ("%" G_GSIZE_FORMAT " lines of paths%s on %s, seed %u", n, has_fills ?
      " and fills" : "", layout->name, seed);
  finish_case (&c);
  g_clear_pointer (&fills, fills_free);
}

/* So many lines that CUDA puts them into bins the second time, when it knows
 * their number, or, @as_runs, looks for them in several parts of masks: they are
 * uploaded already, and still in groups. */
static void
check_many_paths (const Layout * layout, gsize n, gboolean as_runs)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (n);
  g_autofree CsMark *marks = g_new (CsMark, n);
  Case c = { 0 };

  choose_direct (as_runs ? CS_DIRECT_ALWAYS : CS_DIRECT_NEVER);
  marks_fill_paths (rand, 300, 200, n, marks);
  c.marks = (CsMarks) { marks, NULL, n, CS_MEMORY_HOST, next_version () };
  cs_raster_settings_init (&c.settings);
  c.input = picture_new (layout, 300, 200, rand);
  c.output = picture_new (layout, 300, 200, rand);
  begin ("%" G_GSIZE_FORMAT " lines of paths on %s%s", n, layout->name,
      as_runs ? ", as runs" : "");
  finish_case (&c);
}

/* @direct: whether marks are painted directly, on the CPU if they are @plain */
static void
check_thin (const Layout * layout, guint32 seed, gboolean plain, guint direct)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  const guint width = g_rand_int_range (rand, 321, 400);
  const guint height = g_rand_int_range (rand, 193, 250);
  const gsize n = g_rand_int_range (rand, 500, 3000);
  g_autofree CsMark *marks = g_new (CsMark, n);
  g_autofree float *depths = g_new (float, n);
  Case c = { 0 };

  choose_direct (direct);
  marks_fill_small (rand, width, height, plain, n, marks);
  depths_fill (DEPTHS_TIED, rand, n, depths);
  c.marks = (CsMarks) { marks, depths, n, CS_MEMORY_HOST, next_version () };
  random_settings (rand, &c);
  c.input = picture_new (layout, width, height, rand);
  c.output = picture_new (layout, width, height, rand);
  c.in_place = g_rand_boolean (rand);
  begin ("%" G_GSIZE_FORMAT " small %s on %s, direct %d, seed %u", n,
      plain ? "discs" : "marks", layout->name, cs_raster_direct, seed);
  finish_case (&c);
}

/* --- Arguments ------------------------------------------------------------ */

static void
expect_error (Runner * runner, const CsMarks * marks,
    const CsRasterSettings * settings, const CsPicture * input,
    const CsPicture * output, CsError code, const char *what)
{
  g_autoptr (GError) error = NULL;
  const gboolean ok = cs_raster_run (runner->raster, marks, settings, input,
      output, &error);

  expect (!ok && g_error_matches (error, CS_ERROR, code), "%s: %s: %s",
      runner->name, what, error ? error->message : "no error");
}

static void
check_arguments (void)
{
  CsMark mark = { 1, 1, 1, 1, 1, 0, 0xff, 3 };
  const float depth = 0;
  CsMarks marks = { &mark, NULL, 1, CS_MEMORY_HOST, 0 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  g_autoptr (Picture) picture = picture_new (&layouts[3], 8, 8, rand);
  CsRasterSettings settings;

  cs_raster_settings_init (&settings);
  begin ("arguments that do not fit");
  for (guint i = 0; i < n_runners; i++) {
    Runner *r = &runners[i];
    CsPicture good = picture->view, bad;

    good.memory = r->is_cuda ? CS_MEMORY_DEVICE : CS_MEMORY_HOST;
    expect_error (r, &marks, &settings, NULL, &good, CS_ERROR_INVALID,
        "no input");
    bad = good;
    bad.width = 7;
    expect_error (r, &marks, &settings, &bad, &good, CS_ERROR_INVALID,
        "another size");
#define CHECK_BAD(field, value, code) \
    bad = good; \
    bad.field = value; \
    expect_error (r, &marks, &settings, &bad, &bad, code, #field " = " #value)
    CHECK_BAD (width, 70000, CS_ERROR_LIMIT);
    CHECK_BAD (width, 0, CS_ERROR_INVALID);
    CHECK_BAD (memory, r->is_cuda ? CS_MEMORY_HOST : CS_MEMORY_DEVICE,
        CS_ERROR_INVALID);
    CHECK_BAD (type, CS_SAMPLE_F32, CS_ERROR_INVALID);
    CHECK_BAD (sub_x, 1, CS_ERROR_INVALID);
    marks.depths = &depth;
    expect_error (r, &marks, &settings, &good, &good, CS_ERROR_INVALID,
        "depths and groups");
    /* what is wrong is not what has been looked at */
    marks.version = 7;
    for (guint n = 0; n < 2; n++)
      expect_error (r, &marks, &settings, &good, &good, CS_ERROR_INVALID,
          "depths and groups, again");
    marks.version = 0;
    marks.depths = NULL;
    marks.n = (gsize) 1 << 31;
    expect_error (r, &marks, &settings, &good, &good, CS_ERROR_LIMIT,
        "2^31 marks");
    marks.n = 1;
    marks.marks = NULL;
    expect_error (r, &marks, &settings, &good, &good, CS_ERROR_INVALID,
        "no array");
    marks.marks = &mark;
  }
  end ();
}

static void
check_stats (void)
{
  const CsMark marks[] = {
    {8, 8, 8, 8, 4, 0, 0xff, 0},
    {NAN, 8, 8, 8, 4, 0, 0xff, 0},
    {8, 8, 8, INFINITY, 4, 0, 0xff, 0},
    {8, 8, 8, 8, 0, 0, 0xff, 0},
    {8, 8, 8, 8, -1, 0, 0xff, 0},
    {8, 8, 8, 8, 0, 2, 0xff, 0},
    {8, 80, 8, 80, 4, 0, 0xff, 0},
    {-1e20f, 8, 8, 8, 4, 0, 0xff, 0},
  };
  g_autoptr (GRand) rand = g_rand_new_with_seed (8);
  Case c = { 0 };

  begin ("dropped marks are counted");
  c.marks = (CsMarks) { marks, NULL, G_N_ELEMENTS (marks), CS_MEMORY_HOST, 0 };
  cs_raster_settings_init (&c.settings);
  c.output = c.input = picture_new (&layouts[3], 16, 16, rand);
  for (guint i = 0; i < n_runners; i++) {
    CsRasterStats stats = { 0 };
    g_autoptr (Picture) r = run_on (&runners[i], &c.marks, &c.settings, c.input,
        c.output, FALSE, NULL);

    expect (r && cs_raster_get_stats (runners[i].raster, &stats, NULL) &&
        stats.dropped == 6, "%s: %" G_GUINT64_FORMAT " dropped, not 6",
        runners[i].name, stats.dropped);
  }
  end ();
  picture_free (c.output);
}

/* A long and narrow picture, wider than 2^16 pixels' worth of tiles. */
static void
check_long (guint width, guint height)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);
  CsMark marks[300];
  Case c = { 0 };

  begin ("%u x %u", width, height);
  marks_fill (MARKS_MIXED, rand, width, height, 300, marks);
  c.marks = (CsMarks) { marks, NULL, 300, CS_MEMORY_HOST, 0 };
  cs_raster_settings_init (&c.settings);
  c.output = c.input = picture_new (&layouts[11], width, height, rand);
  c.in_place = TRUE;
  finish_case (&c);
}

/* --- Main ----------------------------------------------------------------- */

static void
check_all (guint n_cases, guint seed)
{
  static const struct
  {
    MarksKind kind;
    guint layout, n, side;
  } deep[] = {
    {MARKS_FOG, 3, 40000, 20},
    {MARKS_FOG, 11, 5000, 17},
    {MARKS_FOG, 7, 5000, 17},
    {MARKS_ONE_TILE, 3, 2000000, 64},
    {MARKS_TINY, 3, 100000, 300},
    {MARKS_DISCS, 10, 3000, 400},
    {MARKS_OPAQUE, 5, 3000, 300},
  };

  if (is_of_part ()) {
    check_by_hand ();
    check_negative_control ();
    check_arguments ();
    check_stats ();
  }
  for (guint i = 0; i < n_cases; i++)
    if (is_of_part ())
      check_random (seed + i);
  check_fills (runners, n_runners, n_cases / 5, seed);
  for (guint i = 0; i < MIN (2 * n_layouts, n_cases); i++)
    if (is_of_part ())
      check_thin (&layouts[i % n_layouts], seed + i, FALSE, CS_DIRECT_AUTO);
  for (guint i = 0; i < MIN (3 * n_layouts, n_cases); i++)
    if (is_of_part ())
      check_thin (&layouts[i / 3 % n_layouts], seed + i, TRUE, i % 3);
  for (guint i = 0; i < n_layouts; i++)
    if (is_of_part ())
      check_place (&layouts[i]);
  for (guint i = 0; i < MIN (6 * n_layouts, n_cases); i++)
    if (is_of_part ())
      check_paths (&layouts[i / 2 % n_layouts], seed + i, i & 1);
  if (is_of_part ())
    check_many_paths (&layouts[4], 70000, TRUE);
  check_discs (n_cases / 4, seed);
  choose_direct (CS_DIRECT_AUTO);
  if (brief)
    return;
  if (is_of_part ()) {
    /* sorting into bins moves what it does not use, and has not written */
    check_many_paths (&layouts[4], 15000, FALSE);
    choose_direct (CS_DIRECT_AUTO);
  }
  for (guint i = 0; i < G_N_ELEMENTS (deep); i++)
    if (is_of_part ())
      check_deep (deep[i].kind, &layouts[deep[i].layout], deep[i].n,
          deep[i].side);
  if (is_of_part ()) {
    check_long (65536, 3);
    check_long (2, 65536);
  }
}

static gboolean
parse_direct (const char *option, const char *value, gpointer data,
    GError ** error)
{
  static const char *const names[] = { "auto", "never", "always", NULL };
  guint i;

  for (i = 0; names[i] && strcmp (names[i], value) != 0; i++);
  if (!names[i]) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "%s: auto, never or always, not \"%s\"", option, value);
    return FALSE;
  }
  forced_direct = (gint) i;
  choose_direct (0);
  return TRUE;
}

static gboolean
add_runners (const char *backend)
{
  const gboolean cpu = strcmp (backend, "cuda") != 0;
  const gboolean cuda = strcmp (backend, "cpu") != 0;
  static const guint threads[] = { 1, 2, 5 };
  GError *error = NULL;

  for (guint i = 0; cpu && i < G_N_ELEMENTS (threads); i++)
    runner_init_cpu (&runners[n_runners++], threads[i]);
  if (cuda) {
    if (!runner_init_cuda (&runners[n_runners], &error)) {
      printf ("no CUDA: %s\n", error ? error->message : "no device");
      g_clear_error (&error);
      return cpu && strcmp (backend, "both") != 0;
    }
    n_runners++;
  }
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autofree gchar *backend = NULL, *row = NULL, *part = NULL;
  gint n_cases = 1500, seed = 1;
  gboolean bench = FALSE;
  const GOptionEntry entries[] = {
    {"backend", 0, 0, G_OPTION_ARG_STRING, &backend, "cpu, cuda or both", "B"},
    {"cases", 0, 0, G_OPTION_ARG_INT, &n_cases, "random cases", "N"},
    {"seed", 0, 0, G_OPTION_ARG_INT, &seed, "of the first case", "N"},
    {"part", 0, 0, G_OPTION_ARG_STRING, &part, "of all cases", "I/N"},
    {"brief", 0, 0, G_OPTION_ARG_NONE, &brief, "without large cases", NULL},
    {"bench", 0, 0, G_OPTION_ARG_NONE, &bench, "measure instead", NULL},
    {"row", 0, 0, G_OPTION_ARG_STRING, &row, "rows to measure", "NAME"},
    {"direct", 0, 0, G_OPTION_ARG_CALLBACK, parse_direct,
        "whether marks are painted directly", "HOW"},
    {NULL}
  };
  GOptionContext *options = g_option_context_new (NULL);
  GError *error = NULL;

  setvbuf (stdout, NULL, _IOLBF, 0);
  g_option_context_add_main_entries (options, entries, NULL);
  if (!g_option_context_parse (options, &argc, &argv, &error)) {
    fprintf (stderr, "%s\n", error->message);
    return 1;
  }
  g_option_context_free (options);
  if (part && !set_part (part)) {
    fprintf (stderr, "--part is I/N, such as 1/3\n");
    return 1;
  }
  if (bench)
    return bench_raster (backend ? backend : "both", row, brief);
  if (!add_runners (backend ? backend : "cpu"))
    return EXIT_SKIPPED;
  check_all (n_cases, seed);
  if (!runners[0].is_cuda && is_whole () && n_cases >= FEWEST) {
    begin ("pixels are painted again");
    expect (n_replayed > 0, "none");
    end ();
  }
  if (runners[n_runners - 1].is_cuda && is_whole () && n_cases >= FEWEST)
    check_taken (forced_direct);
  for (guint i = 0; i < n_runners; i++)
    runner_clear (&runners[i]);
  return finish ();
}
