/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Discs on words, with and without gradients, which CUDA paints in a way of its
 * own once it knows that there are no other marks. */
#include "../lib/check.h"
#include "check_raster.h"
#include "raster/raster_private.h"
#include "raster_cases.h"

/* The layout of words. */
#define WORDS 4

static void
case_init (Case * c, gsize n)
{
  memset (c, 0, sizeof (*c));
  c->marks.marks = g_new (CsMark, n);
  c->marks.depths = g_new (float, n);
  c->marks.n = n;
  c->marks.memory = CS_MEMORY_HOST;
}

static void
case_set_size (Case * c, GRand * rand, guint width, guint height)
{
  c->settings.linear = FALSE;
  c->input = picture_new (&layouts[WORDS], width, height, rand);
  c->output = picture_new (&layouts[WORDS], width, height, rand);
}

static void
case_clear (Case * c)
{
  picture_free (c->input);
  picture_free (c->output);
  g_free ((CsMark *) c->marks.marks);
  g_free ((float *) c->marks.depths);
}

static void
move_discs (Case * c, float x)
{
  CsMark *marks = (CsMark *) c->marks.marks;

  for (gsize i = 0; i < c->marks.n; i++) {
    marks[i].x0 += x;
    marks[i].x1 += x;
  }
}

/* Most marks get a gradient: of any, or of those that change from the centre, or
 * one side, to the other. */
static void
put_gradients (GRand * rand, Gradients * gradients, Case * c)
{
  const guint how = g_rand_int (rand) % 4;
  CsMark *marks = (CsMark *) c->marks.marks;

  gradients_fill (rand, gradients);
  for (guint i = 0; i < MARKS_N_GRADIENTS && how > 0; i++) {
    CsGradient *g = &gradients->gradients[i];
    CsGradientStop *stop = &gradients->stops[g->first_stop];

    g->n_stops = MIN (g->n_stops, 2);
    stop[0].at = 0;
    stop[g->n_stops - 1].at = 1;
    for (guint j = 0; j < 3 && how > 1; j++)
      stop[g->n_stops - 1].color[j] = stop[0].color[j];
  }
  for (gsize i = 0; i < c->marks.n; i++) {
    if (g_rand_int (rand) % 8)
      marks[i].group = CS_MARK_GRADIENT | (g_rand_int (rand) %
          (MARKS_N_GRADIENTS + 1));
  }
  c->marks.gradients = &gradients->view;
}

/* Now and then not all are discs. Painted more than once, as what is known of
 * the last picture decides how the next is painted, and then where they were
 * not before. */
static void
check_words (guint32 seed)
{
  static const MarksKind kinds[] = {
    MARKS_DISCS, MARKS_OPAQUE, MARKS_FOG, MARKS_TANGENT, MARKS_ONE_TILE,
    MARKS_HUGE, MARKS_TINY, MARKS_MIXED
  };
  static const gsize numbers[] = { 1, 40, 700, 3000 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  const guint width = random_side (rand), height = random_side (rand);
  const MarksKind kind = kinds[seed % G_N_ELEMENTS (kinds)];
  const gsize n = numbers[g_rand_int (rand) % G_N_ELEMENTS (numbers)];
  Gradients gradients;
  Case c;

  choose_direct (g_rand_int (rand) % 4 ? CS_DIRECT_NEVER : CS_DIRECT_AUTO);
  case_init (&c, n);
  marks_fill (kind, rand, width, height, n, (CsMark *) c.marks.marks);
  depths_fill (g_rand_int_range (rand, DEPTHS_RANDOM, DEPTHS_N_KINDS), rand, n,
      (float *) c.marks.depths);
  gboolean has_version = g_rand_boolean (rand);
  random_settings (rand, &c);
  case_set_size (&c, rand, width, height);
  c.in_place = g_rand_boolean (rand);
  if (g_rand_boolean (rand))
    put_gradients (rand, &gradients, &c);
  begin ("%" G_GSIZE_FORMAT " %s on words%s%s, %u x %u, seed %u", n,
      marks_kind_name (kind), c.settings.antialias ? ", antialiased" : "",
      c.marks.gradients ? ", with gradients" : "", width, height, seed);
  for (guint i = 0; i < 3; i++) {
    c.marks.version = has_version ? next_version () : 0;
    if (i == 2)
      move_discs (&c, width * .5f);
    check_case (&c);
  }
  end ();
  case_clear (&c);
}

/* Discs so small that few of them touch a block of pixels; @crowd: most of them
 * lie in one corner. */
static void
check_sparse (gboolean crowd, gboolean smooth, gboolean has_gradients)
{
  const guint side = 720;
  const gsize n = 20000;
  g_autoptr (GRand) rand = g_rand_new_with_seed (n);
  Gradients gradients;
  Case c;

  choose_direct (CS_DIRECT_NEVER);
  case_init (&c, n);
  CsMark *marks = (CsMark *) c.marks.marks;
  marks_fill (MARKS_OPAQUE, rand, side, side, n, marks);
  for (gsize i = 0; i < n; i++) {
    const double most = crowd && i % 8 ? 100 : side;

    marks[i].x0 = marks[i].x1 = (float) g_rand_double_range (rand, 0, most);
    marks[i].y0 = marks[i].y1 = (float) g_rand_double_range (rand, 0, most);
    marks[i].radius = (float) g_rand_double_range (rand, .5, 2.5);
  }
  depths_fill (DEPTHS_RANDOM, rand, n, (float *) c.marks.depths);
  cs_raster_settings_init (&c.settings);
  c.settings.antialias = smooth;
  case_set_size (&c, rand, side, side);
  if (has_gradients)
    put_gradients (rand, &gradients, &c);
  c.marks.version = next_version ();
  begin ("%" G_GSIZE_FORMAT " tiny discs%s%s%s", n, crowd ? ", crowded" : "",
      smooth ? ", antialiased" : "", has_gradients ? ", with gradients" : "");
  check_case (&c);
  end ();
  case_clear (&c);
}

void
check_discs (guint n_cases, guint seed)
{
  for (guint i = 0; i < n_cases; i++)
    if (is_of_part ())
      check_words (seed + i);
  for (guint i = 0; i < 8; i++)
    if (is_of_part ())
      check_sparse (i & 1, i >> 1 & 1, i >> 2);
}
