/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Discs by the centre of pixels on words, which CUDA paints in a way of its own
 * once it knows that there are no other marks. */
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
  c->settings.antialias = c->settings.linear = FALSE;
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
  begin ("%" G_GSIZE_FORMAT " %s on words, %u x %u, seed %u", n,
      marks_kind_name (kind), width, height, seed);
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
check_sparse (gboolean crowd)
{
  const guint side = 720;
  const gsize n = 20000;
  g_autoptr (GRand) rand = g_rand_new_with_seed (n);
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
  case_set_size (&c, rand, side, side);
  c.marks.version = next_version ();
  begin ("%" G_GSIZE_FORMAT " tiny discs%s", n, crowd ? ", crowded" : "");
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
  for (guint crowd = 0; crowd < 2; crowd++)
    if (is_of_part ())
      check_sparse (crowd);
}
