/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which marks of two or three looks are one, and which turn they vote for, of
 * marks whose places are set by hand; and where a point is to a contour. */

#include "check.h"
#include "checks.h"
#include "marks.h"

#include <math.h>
#include <string.h>

#define RADIUS 30
#define CENTRE 50
#define SCALE 0.8
#define RAD (G_PI / 180)

/* Looks by one view from above, of cups that follow each other, and their
 * marks */
typedef struct
{
  LineSight sights[3];
  LinePoint points[3][20];
  LineView views[3];
  const LineView *looks[3];
  LineContour contours[4];
  LineMark marks[4];
  guint n_sights, n;
} World;

static void
begin_world (World * world, guint n_sights, double turn)
{
  memset (world, 0, sizeof (*world));
  world->n_sights = n_sights;
  for (guint i = 0; i < n_sights; i++) {
    LineSight *sight = &world->sights[i];

    line_sight_tilt (sight, 0);
    line_sight_turn (sight, i, turn);
    sight->x = sight->y = CENTRE;
    sight->radius = RADIUS;
    sight->mm_per_pixel = SCALE;
    world->views[i].points = world->points[i];
    world->looks[i] = &world->views[i];
  }
}

/* A mark in @look, as far from its middle to the right and down as the angles
 * say, in degrees, drawn as a square of @side pixels */
static LineMark *
add_mark (World * world, guint look, double right, double down, double side,
    double surface)
{
  const guint i = world->n++;
  LineContour *contour = &world->contours[i];
  LineMark *mark = &world->marks[i];
  LinePoint *p = world->points[look] + 5 * i;
  const double x = sin (right * RAD) * cos (down * RAD), y = sin (down * RAD);
  const double z = cos (right * RAD) * cos (down * RAD);
  const double cx = CENTRE + RADIUS * x, cy = CENTRE + RADIUS * y;

  *contour = (LineContour) {.id = i,.parent = -1,.area = side * side,
    .x0 = cx - side / 2,.x1 = cx + side / 2,.y0 = cy - side / 2,
    .y1 = cy + side / 2,.first = 5 * i,.n_points = 5
  };
  p[0] = p[4] = (LinePoint) {contour->x0, contour->y0};
  p[1] = (LinePoint) {contour->x1, contour->y0};
  p[2] = (LinePoint) {contour->x1, contour->y1};
  p[3] = (LinePoint) {contour->x0, contour->y1};
  *mark = (LineMark) {.contour = contour,.look = look,.cup = look,.main = 0,
    .surface = surface,.share = 1
  };
  mark->place = (LinePlace) {.centre = {x, y, z},.longitude = right,
    .radius = side / RADIUS,.least = z
  };
  return mark;
}

static gboolean
share (World * world)
{
  return line_marks_share (world->marks, world->n, world->looks,
      world->sights, world->n_sights, 1e9);
}

/* Whether the two marks' shares are these */
static gboolean
has_shares (const World * world, double first, double second)
{
  return fabs (world->marks[0].share - first) < 1e-9
      && fabs (world->marks[1].share - second) < 1e-9;
}

/* A mark, and a small one that another look shows elsewhere on it, of which only
 * one has the other's middle in it; the small one shows less of it. */
CHECK (within)
{
  World world;

  begin ("a small mark on a large one");
  for (guint first = 0; first < 2; first++) {
    begin_world (&world, 2, 40);
    /* the second look shows all 40 degrees further on */
    add_mark (&world, first, first ? 30 : -10, 5, 18, 100);
    add_mark (&world, 1 - first, first ? 0 : 40, 5, 2, 20);
    share (&world);
    expect (has_shares (&world, 1, 0), "%g and %g", world.marks[0].share,
        world.marks[1].share);
  }
  begin_world (&world, 2, 40);
  add_mark (&world, 0, -10, 5, 18, 100);
  add_mark (&world, 0, 0, 5, 2, 20);
  share (&world);
  expect (has_shares (&world, 1, 1), "in one look they are two");
  end ();
}

/* A mark that its look shows far to the side, and wide: what is as far from its
 * middle may be behind the limb there, or beside the outline. */
CHECK (beside)
{
  World world;

  begin ("near a wide mark's middle");
  for (guint i = 0; i < 2; i++) {
    begin_world (&world, 2, -60);
    LineMark *wide = add_mark (&world, 0, 45, 0, 6, 100);
    wide->place.radius = 0.9;
    /* 50 degrees further, behind the limb; or 30 less, in sight */
    add_mark (&world, 1, 45 + (i ? -30 : 50) - 60, 0, 1, 90);
    share (&world);
    expect (has_shares (&world, 1, 1), "%g and %g", world.marks[0].share,
        world.marks[1].share);
  }
  end ();
}

/* A mark that goes on behind the limb at 70 degrees and one that is whole, in
 * another look or the same */
static void
make_part (World * world, guint look, double surface)
{
  begin_world (world, 2, -52);
  add_mark (world, look, look ? 10 : 62, 0, 4, 100);
  add_mark (world, 0, 70, 0, 4, surface)->place.least = 0.2;
}

CHECK (parts)
{
  World world;

  begin ("a mark that goes on behind the limb");
  make_part (&world, 1, 119);
  share (&world);
  expect (has_shares (&world, 1, 0), "is a part of the whole one");
  make_part (&world, 1, 121);
  share (&world);
  expect (has_shares (&world, 1, 1), "is too large for it: %g, %g",
      world.marks[0].share, world.marks[1].share);
  make_part (&world, 0, 119);
  share (&world);
  expect (has_shares (&world, 1, 1), "is beside it: %g, %g",
      world.marks[0].share, world.marks[1].share);
  /* nothing of nothing is nothing */
  make_part (&world, 0, 0);
  share (&world);
  expect (has_shares (&world, 1, 0), "has no surface: %g",
      world.marks[1].share);
  end ();
}

/* Two marks of the second look are one of the first, which weighs by its least
 * cosine, the second by the lesser of theirs. */
CHECK (weights)
{
  /* fourth powers of the cosines above 0.3 */
  const double a = 0.5 * 0.5 * 0.5 * 0.5, b = 0.4 * 0.4 * 0.4 * 0.4;

  begin ("weights of looks");
  for (guint i = 0; i < 2; i++) {
    World world;

    begin_world (&world, 2, 20);
    add_mark (&world, 0, 5, 0, 18, 100)->place.least = 0.8;
    add_mark (&world, 1, 20, 0, 2, 60)->place.least = i ? 0.7 : 0.9;
    add_mark (&world, 1, 28, 0, 2, 45)->place.least = i ? 0.9 : 0.7;
    share (&world);
    expect (has_shares (&world, a / (a + b), b / (a + b))
        && world.marks[2].share == world.marks[1].share, "%g, %g, %g",
        world.marks[0].share, world.marks[1].share, world.marks[2].share);
  }
  end ();
}

static gboolean
find_turn (World * world, double nominal, double *turn)
{
  return line_marks_find_turn (world->marks, world->n, nominal, world->looks,
      world->sights, world->n_sights, 50, turn);
}

CHECK (turns)
{
  World world;
  double turn;

  begin ("votes for a turn");
  /* whichever of the cups comes first */
  for (guint first = 0; first < 2; first++) {
    begin_world (&world, 2, 0);
    add_mark (&world, first, first ? 47 : -36, 10, 4, 80);
    add_mark (&world, 1 - first, first ? -36 : 47, 10, 4, 80);
    expect (find_turn (&world, 72, &turn) && fabs (turn - 83) < 1e-9,
        "%g degrees", turn);
  }
  /* far from the nominal turn, of one pair of cups, of two from one cup */
  begin_world (&world, 3, 0);
  add_mark (&world, 0, -60, 10, 4, 80);
  add_mark (&world, 1, 50, 10, 4, 80);
  expect (!find_turn (&world, 72, &turn) && turn == 72, "one: %g", turn);
  add_mark (&world, 0, 75, -20, 4, 60)->main = 1;
  add_mark (&world, 2, -65, -20, 4, 60)->main = 1;
  expect (find_turn (&world, 72, &turn) && fabs (turn - 110) < 1e-9,
      "two: %g", turn);
  world.marks[3].surface = 49;
  expect (!find_turn (&world, 72, &turn) && turn == 72, "one that is small");
  /* and to one cup, from two */
  begin_world (&world, 3, 0);
  add_mark (&world, 2, 50, 10, 4, 80);
  add_mark (&world, 1, -60, 10, 4, 80);
  add_mark (&world, 2, -65, -20, 4, 60)->main = 1;
  add_mark (&world, 0, 75, -20, 4, 60)->main = 1;
  expect (find_turn (&world, 72, &turn) && fabs (turn - 110) < 1e-9,
      "from two: %g", turn);
  end ();
}

/* As the texture says, from the first cup to the second and on to the third */
static gboolean
find_texture (float texture, double nominal, double *turn)
{
  gfloat turns[3] = { NAN, texture, texture };
  World world;

  begin_world (&world, 3, 0);
  for (guint i = 1; i < 3; i++) {
    world.views[i].turns = turns;
    world.views[i].n_turns = 3;
  }
  return find_turn (&world, nominal, turn);
}

CHECK (textures)
{
  double turn;

  begin ("votes of textures");
  expect (find_texture (80, 72, &turn) && fabs (turn - 80) < 1e-9, "%g",
      turn);
  expect (!find_texture (NAN, 72, &turn) && turn == 72, "none");
  expect (find_texture (-47.5, 72, &turn) && fabs (turn + 47.5) < 1e-9,
      "%g, far below", turn);
  expect (!find_texture (-48.5, 72, &turn) && turn == 72, "too far below");
  expect (find_texture (191.5, 72, &turn) && fabs (turn - 191.5) < 1e-9,
      "%g, far above", turn);
  expect (!find_texture (192, 72, &turn) && turn == 72, "too far above");
  /* rounded, the last bin ends before it */
  expect (!find_texture (120, ldexp (1, -46), &turn), "at the end");
  end ();
}

CHECK (contours)
{
  /* an L, with a corner twice */
  static const LinePoint points[] = {
    {10, 10}, {30, 10}, {30, 10}, {30, 15}, {15, 15}, {15, 40}, {10, 40},
    {10, 10}
  };
  static const struct
  {
    double x, y, slack;
    gboolean is_near;
  } wanted[] = {
    {12, 38, 0, TRUE}, {28, 12, 0, TRUE}, {25, 25, 0, FALSE},
    {25, 25, 9.5, FALSE}, {25, 25, 10, TRUE}, {30, 10, 0, TRUE},
    {33, 6, 5, TRUE}, {33, 6, 4.75, FALSE}, {20, 8, 2, TRUE},
    {20, 8, 1.75, FALSE}, {12, 42, 2, TRUE}, {12, 42, 1.75, FALSE},
    {8, 30, 2, TRUE}, {8, 30, 1.75, FALSE}, {32, 12, 2, TRUE},
    {32, 12, 1.75, FALSE},
  };
  const LineContour contour = {.x0 = 10,.y0 = 10,.x1 = 30,.y1 = 40,
    .n_points = 8
  };

  begin ("near a contour");
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    expect (line_contour_is_near (&contour, points, wanted[i].x, wanted[i].y,
            wanted[i].slack) == wanted[i].is_near, "(%g, %g), %g",
        wanted[i].x, wanted[i].y, wanted[i].slack);
  end ();
}

/* Of what has no surface the place is that of its box's middle; beyond the limb
 * nothing has a share. */
CHECK (places)
{
  static const LinePoint points[] = { {56, 68}, {56, 68}, {56, 68} };
  const LineContour dot = {.x0 = 56,.y0 = 68,.x1 = 56,.y1 = 68,.n_points = 3 };
  World world;

  begin ("places");
  begin_world (&world, 1, 0);
  /* 0.2 to the right and 0.6 down of the radius */
  LinePlace place = line_sight_place (&world.sights[0], &dot, points);
  expect (fabs (place.centre[0] - 0.2) < 1e-12
      && fabs (place.centre[1] - 0.6) < 1e-12
      && fabs (place.centre[2] - sqrt (0.6)) < 1e-12, "%g, %g, %g",
      place.centre[0], place.centre[1], place.centre[2]);
  expect (place.radius < 1e-6 && fabs (place.least - sqrt (0.6)) < 1e-12,
      "%g, %g", place.radius, place.least);
  /* alone a look's share is all of it, more than the picture by the slope */
  expect (fabs (line_sight_factor (world.sights, 1, 0, 50 + 18, 50) - 1.25)
      < 1e-12, "at a cosine of 0.8");
  expect (line_sight_factor (world.sights, 1, 0, 50, 50 + 29) == 0
      && line_sight_factor (world.sights, 1, 0, 50, 80) == 0
      && line_sight_factor (world.sights, 1, 0, 15, 50) == 0,
      "near the limb, on it, beyond");
  end ();
}

CHECKS
