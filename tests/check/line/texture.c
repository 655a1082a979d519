/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Turns that are found in pictures of a textured sphere, drawn by rotating its
 * points step by step, and in those of the simulated line, against the turn they
 * were drawn with. What has no texture has no turn. */

#include "aggregate.h"
#include "check.h"
#include "checks.h"
#include "random.h"
#include "scene.h"
#include "texture.h"
#include "turns.h"

#include <math.h>
#include <string.h>

#define RADIANS (G_PI / 180)
#define MOST_SPOTS 120
#define PIECES 64               /* that light is learnt from */

/* A sphere */

typedef struct
{
  guint n_spots;
  double at[MOST_SPOTS][3], height[MOST_SPOTS];
  double sharpness;
} Ball;

/* How it is seen, and lit; @shine: of the lamp's reflection */
typedef struct
{
  guint rows, columns;
  double x, y, radius, tilt, lamp[3], shine, noise;
  guint64 random;
} Shot;

static guint8 pictures[2][3 * 1024 * 1024];

/* Bright and dark spots of @degrees, @contrast high */
static Ball
make_ball (guint64 * random, double degrees, double contrast)
{
  Ball ball = {.n_spots = contrast > 0 ? MOST_SPOTS : 0 };
  const double width = degrees * RADIANS;

  ball.sharpness = 1 / (width * width);
  for (guint i = 0; i < ball.n_spots; i++) {
    const double z = 2 * random_unit (random) - 1, r = sqrt (1 - z * z);
    const double a = 2 * G_PI * random_unit (random);

    ball.at[i][0] = r * cos (a);
    ball.at[i][1] = r * sin (a);
    ball.at[i][2] = z;
    ball.height[i] = contrast * (2 * random_unit (random) - 1);
  }
  return ball;
}

static double
get_colour (const Ball * ball, const double at[3])
{
  double sum = 1;

  for (guint i = 0; i < ball->n_spots; i++) {
    const double *spot = ball->at[i];
    const double cosine = at[0] * spot[0] + at[1] * spot[1] + at[2] * spot[2];

    if ((1 - cosine) * ball->sharpness < 8)
      sum += ball->height[i] * exp ((cosine - 1) * ball->sharpness);
  }
  return MAX (sum, 0.05);
}

static double
get_light (const Shot * shot, const double at[3])
{
  const double lit = at[0] * shot->lamp[0] + at[1] * shot->lamp[1]
      + at[2] * shot->lamp[2];

  return 0.35 + 0.65 * MAX (lit, 0);
}

/* Of the lamp, that a mirror would show where its normal is between lamp and
 * camera. */
static double
get_shine (const Shot * shot, const double at[3])
{
  const double half[3] = { shot->lamp[0], shot->lamp[1], shot->lamp[2] + 1 };
  const double length = sqrt (half[0] * half[0] + half[1] * half[1]
      + half[2] * half[2]);
  const double cosine = (at[0] * half[0] + at[1] * half[1]
      + at[2] * half[2]) / length;

  return shot->shine * pow (MAX (cosine, 0), 200);
}

/* One that @turn degrees bring here: from the camera to the lane, and back by
 * the turn about y. Its top (z) goes towards larger x. */
static double
get_sample (const Ball * ball, const Shot * shot, double turn, double u,
    double v, double *shine)
{
  const double w = sqrt (MAX (1 - u * u - v * v, 0)), seen[3] = { u, v, w };
  const double t = shot->tilt * RADIANS, a = turn * RADIANS;
  const double y = v * cos (t) + w * sin (t), z = w * cos (t) - v * sin (t);
  const double skin[3] = { u * cos (a) - z * sin (a), y,
    u * sin (a) + z * cos (a)
  };

  *shine = get_shine (shot, seen);
  return get_colour (ball, skin) * get_light (shot, seen);
}

static void
draw (const Ball * ball, Shot * shot, double turn, guint8 * rgb)
{
  static const double skin[3] = { 210, 140, 60 }, belt[3] = { 30, 50, 90 };

  for (guint i = 0; i < shot->rows * shot->columns; i++) {
    const double u = (i % shot->columns - shot->x) / shot->radius;
    const double v = (i / shot->columns - shot->y) / shot->radius;
    const gboolean is_skin = u * u + v * v < 1;
    double shine = 0, colour = is_skin ?
        get_sample (ball, shot, turn, u, v, &shine) : 1;

    for (guint k = 0; k < 3; k++) {
      const double noise = shot->noise * (random_unit (&shot->random)
          + random_unit (&shot->random) - 1);
      const double value = (is_skin ? skin[k] : belt[k]) * colour + shine
          + noise;

      rgb[3 * i + k] = CLAMP (value + 0.5, 0, 255);
    }
  }
}

static Shot
make_shot (double radius, double tilt)
{
  const guint side = 2 * radius + 11;
  Shot shot = {.rows = side,.columns = side + 6,.x = side / 2.0 + 1.3,
    .y = side / 2.0 - 0.4,.radius = radius,.tilt = tilt,.lamp = {0.28, -0.48,
        0.8314},.shine = 90,.noise = 6,.random = radius * 64 + tilt
  };

  return shot;
}

/* Measures */

typedef struct
{
  guint n, known, right, wrong;
  double worst;
} Score;

static LineTexture textures[2];
static LineTextureLight light;

static void
score (Score * sum, double found, double truth)
{
  const double error = fabs (found - truth);

  sum->n++;
  if (isnan (found))
    return;
  sum->known++;
  sum->right += error <= 1.5;
  sum->wrong += error > 5;
  sum->worst = MAX (sum->worst, error);
}

static void
read_picture (const LineTextureGrid * grid, const Shot * shot, guint i)
{
  const LineTexturePicture picture = { pictures[i], shot->rows, shot->columns };

  line_texture_read (grid, &light, &picture, shot->x, shot->y, shot->radius,
      &textures[i]);
}

/* Has it see other pieces in the same light, of @contrast. */
static void
show_light (const LineTextureGrid * grid, Shot shot, double contrast)
{
  guint64 random = 77;

  light.n = 0;
  shot.radius = 24;
  shot.rows = shot.columns = 61;
  for (guint i = 0; i < PIECES; i++) {
    const Ball ball = make_ball (&random, 5 + i % 4, contrast);

    shot.x = 30 + random_unit (&random);
    shot.y = 30 - random_unit (&random);
    draw (&ball, &shot, 0, pictures[0]);
    read_picture (grid, &shot, 0);
  }
}

/* The pieces in both pictures lie a little apart. */
static double
measure (const LineTextureGrid * grid, const Ball * before,
    const Ball * after, Shot shot, double turn, double nominal)
{
  draw (before, &shot, 17, pictures[0]);
  read_picture (grid, &shot, 0);
  shot.x -= 1.7;
  shot.y += 0.8;
  draw (after, &shot, 17 + turn, pictures[1]);
  read_picture (grid, &shot, 1);
  return line_texture_find_turn (grid, &textures[0], &textures[1], nominal);
}

/* Of balls of @degrees and @radius */
static void
score_balls (Score * sum, const LineTextureGrid * grid, double tilt,
    double radius, double degrees)
{
  static const double turns[] = { 72, 51, 95, -72, 25, 60, 432, 0 };
  guint64 random = 3 + tilt + radius;

  for (guint i = 0; i < G_N_ELEMENTS (turns); i++) {
    const Ball ball = make_ball (&random, degrees, 0.25);
    const double turn = turns[i] + 2 * random_unit (&random);
    const double off = 60 * random_unit (&random) - 30;

    score (sum, measure (grid, &ball, &ball, make_shot (radius, tilt), turn,
            turn + off), turn);
  }
}

CHECK (balls)
{
  static const double tilts[] = { 0, -15, 45, -45, 30 };
  static const double radii[] = { 16, 24, 33, 61.5 };
  Score sum = { 0 };

  begin ("turns of spheres");
  for (guint i = 0; i < G_N_ELEMENTS (tilts); i++) {
    LineTextureGrid *grid = line_texture_grid_new (tilts[i]);

    show_light (grid, make_shot (24, tilts[i]), 0.25);
    for (guint k = 0; k < G_N_ELEMENTS (radii); k++)
      score_balls (&sum, grid, tilts[i], radii[k], 6 + k);
    line_texture_grid_free (grid);
  }
  expect (sum.known >= 0.9 * sum.n, "%u of %u are known", sum.known, sum.n);
  expect (sum.right >= 0.9 * sum.known, "%u of %u are right, the worst by %g",
      sum.right, sum.known, sum.worst);
  expect (sum.wrong == 0, "%u are wrong, by up to %g", sum.wrong, sum.worst);
  end ();
}

/* Of pieces without texture, of two that are not the same */
static void
count_turns (const LineTextureGrid * grid, Shot shot, guint64 * random,
    guint known[3])
{
  const Ball plain = make_ball (random, 1, 0);
  const Ball one = make_ball (random, 7, 0.25);
  const Ball other = make_ball (random, 7, 0.25);

  for (guint i = 0; i < 8; i++) {
    shot = (Shot) {.rows = 121,.columns = 125,.x = 61.3,.y = 60.4,
      .radius = 20 + 5 * i,.tilt = shot.tilt,.shine = shot.shine,
      .noise = shot.noise,.random = i,
      .lamp = {shot.lamp[0], shot.lamp[1], shot.lamp[2]}
    };
    known[0] += !isnan (measure (grid, &plain, &plain, shot, 72, 72));
    known[1] += !isnan (measure (grid, &plain, &plain, shot, 30, 30));
    known[2] += !isnan (measure (grid, &one, &other, shot, 72, 72));
    known[2] += !isnan (measure (grid, &one, &other, shot, 72, 130));
  }
}

/* Whether lamps are reflected or not, and whether others have a texture. */
CHECK (nothing)
{
  LineTextureGrid *grid = line_texture_grid_new (15);
  guint64 random = 4;
  guint known[3] = { 0 };

  begin ("nothing to be seen again");
  for (guint i = 0; i < 8; i++) {
    Shot shot = make_shot (30, 15);

    shot.noise = 3 * (i % 4);
    shot.shine = 40 * (i / 2);
    show_light (grid, shot, i % 2 ? 0.25 : 0);
    count_turns (grid, shot, &random, known);
  }
  expect (known[0] == 0, "%u of 64 turn without texture", known[0]);
  expect (known[1] == 0, "%u of 64 turn by 30 without texture", known[1]);
  expect (known[2] == 0, "%u of 128 turn to another one", known[2]);
  line_texture_grid_free (grid);
  end ();
}

CHECK (still)
{
  LineTextureGrid *grid = line_texture_grid_new (15);
  guint64 random = 5;
  Score sum = { 0 };

  begin ("pieces that stand still");
  show_light (grid, make_shot (30, 15), 0.25);
  for (guint i = 0; i < 20; i++) {
    const Ball ball = make_ball (&random, 7, 0.25);

    for (guint k = 0; k < 3; k++)
      score (&sum, measure (grid, &ball, &ball, make_shot (30, 15), 0,
              45.0 * k - 18), 0);
  }
  expect (sum.right == 60, "%u of 60 do, %u something else", sum.right,
      sum.known - sum.right);
  line_texture_grid_free (grid);
  end ();
}

CHECK (parts)
{
  LineTextureGrid *grid = line_texture_grid_new (15);
  guint64 random = 6;
  Score part = { 0 }, noisy = { 0 };
  guint known = 0;

  begin ("circles that are partly outside, and noise");
  show_light (grid, make_shot (30, 15), 0.25);
  for (guint i = 0; i < 20; i++) {
    const Ball ball = make_ball (&random, 7, 0.25);
    Shot shot = make_shot (30, 15);

    shot.y = 22;
    score (&part, measure (grid, &ball, &ball, shot, 70, 72), 70);
    shot.y = -3;
    known += !isnan (measure (grid, &ball, &ball, shot, 70, 72));
    shot = make_shot (30, 15);
    shot.noise = 40;
    score (&noisy, measure (grid, &ball, &ball, shot, 70, 72), 70);
    shot = make_shot (5, 15);
    known += !isnan (measure (grid, &ball, &ball, shot, 70, 72));
  }
  expect (part.known >= 16 && part.wrong == 0, "partly outside: %u known, %u "
      "wrong by up to %g", part.known, part.wrong, part.worst);
  expect (noisy.wrong == 0, "noisy: %u of %u wrong by up to %g", noisy.wrong,
      noisy.known, noisy.worst);
  expect (known == 0, "%u of 40 small or hidden ones are known", known);
  line_texture_grid_free (grid);
  end ();
}

/* A drop's reflection, where no other piece has one */
static void
draw_drop (const Shot * shot, guint8 * rgb, guint64 * random)
{
  const double at = 2 * G_PI * random_unit (random);
  const double x = shot->x + 0.5 * shot->radius * cos (at);
  const double y = shot->y + 0.5 * shot->radius * sin (at);

  for (guint i = 0; i < shot->rows * shot->columns; i++)
    if (hypot (i % shot->columns - x, i / shot->columns - y)
        < 0.12 * shot->radius)
      memset (rgb + 3 * i, 255, 3);
}

CHECK (drops)
{
  LineTextureGrid *grid = line_texture_grid_new (15);
  Shot shot = make_shot (30, 15);
  guint64 random = 8;
  Score sum = { 0 };

  begin ("reflections that are elsewhere on each piece");
  show_light (grid, shot, 0.12);
  for (guint i = 0; i < 20; i++) {
    const Ball ball = make_ball (&random, 7, 0.12);

    for (guint k = 0; k < 2; k++) {
      draw (&ball, &shot, 60 * k, pictures[k]);
      draw_drop (&shot, pictures[k], &random);
      read_picture (grid, &shot, k);
    }
    score (&sum, line_texture_find_turn (grid, &textures[0], &textures[1],
            72), 60);
  }
  expect (sum.known >= 10 && sum.wrong == 0, "%u of %u known, %u wrong",
      sum.known, sum.n, sum.wrong);
  line_texture_grid_free (grid);
  end ();
}

CHECK (hostile)
{
  static const double values[] = { 0, -1, 3, 47, 1e9, -1e9, 1e300, INFINITY,
    -INFINITY, NAN
  };
  const guint n = G_N_ELEMENTS (values);
  LineTextureGrid *grid = line_texture_grid_new (-45);
  const Shot shot = make_shot (30, -45);

  begin ("hostile circles, pictures and turns");
  memset (pictures[0], 0, sizeof (pictures[0]));
  memset (pictures[1], 200, sizeof (pictures[1]));
  for (guint i = 0; i < n * n * n; i++)
    for (guint k = 0; k < 4; k++) {
      const LineTexturePicture picture = { pictures[k % 2], k < 2 ? 95 : 1,
        k < 2 ? 511 : 1
      };

      light.n = i % 2 ? 100 : 0;
      line_texture_read (grid, &light, &picture, values[i % n], values[i / n % n],
          values[i / n / n], &textures[0]);
      expect (!textures[0].is_known || k == 1, "circle %u is known", i);
    }
  read_picture (grid, &shot, 1);
  expect (textures[1].is_known, "a grey one is not");
  for (guint i = 0; i < n; i++) {
    const double turn = line_texture_find_turn (grid, &textures[1],
        &textures[1], values[i]);

    expect (isnan (turn) || fabs (turn) < 1, "%g instead of %g", turn,
        values[i]);
  }
  line_texture_grid_free (grid);
  end ();
}

/* The simulated line */

#define COLUMNS 511
#define ROWS 95
#define CUPS 5
#define VIEWS 4
#define SKIN 12                 /* class of the fruit's contours */

/* Of each view */
static const double scales[VIEWS] = { 0.8, 0.78, 0.76, 0.8 };
static const guint firsts[VIEWS] = { 51, 43, 53, 51 };
static const guint pitches[VIEWS] = { 102, 85, 104, 102 };
static const double tilts[VIEWS] = { -45, -15, 15, 45 };

static guint8 scene_rgb[VIEWS][3 * COLUMNS * ROWS], labels[COLUMNS * ROWS];

/* As a contour of it would be: by its pixels. Returns: whether there is one */
static gboolean
find_disc (guint view, guint cup, LineContour * contour)
{
  const guint left = firsts[view] + cup * pitches[view] - pitches[view] / 2;
  double n = 0, x = 0, y = 0;

  for (guint row = 0; row < ROWS; row++)
    for (guint k = left; k < MIN (left + pitches[view], COLUMNS); k++) {
      const guint8 label = labels[row * COLUMNS + k];

      if (label == LINE_CLASS_BELT || label == LINE_CLASS_ROLLER)
        continue;
      n++;
      x += k;
      y += row;
    }
  if (n == 0)
    return FALSE;
  *contour = (LineContour) {.class_id = SKIN,.id = cup,.parent = -1,.area = n,
    .circle_x = x / n,.circle_y = y / n,.x0 = x / n - 1,.x1 = x / n + 1,
    .feret_min = 2 * sqrt (n / G_PI),.feret_max = 2 * sqrt (n / G_PI)
  };
  return TRUE;
}

static LineGeometry
make_geometry (double turn)
{
  LineGeometry geometry = {.views = VIEWS,.cups = CUPS,.columns = COLUMNS,
    .rows = ROWS,.turn = turn
  };

  for (guint v = 0; v < VIEWS; v++) {
    geometry.mm_per_pixel[v] = scales[v];
    geometry.cup_first[v] = firsts[v];
    geometry.cup_pitch[v] = pitches[v];
    geometry.tilt[v] = tilts[v];
  }
  return geometry;
}

static LineScene *
make_scene (double turn)
{
  LineSceneParams params;

  line_scene_params_init (&params);
  params.turn = turn;
  params.seed = 7;
  for (guint v = 0; v < VIEWS; v++) {
    params.mm_per_pixel[v] = scales[v];
    params.cup_first[v] = firsts[v];
    params.cup_pitch[v] = pitches[v];
  }
  return line_scene_new (&params, NULL);
}

static LineRecipe *
load_recipe (void)
{
  LineRecipe *recipe = line_recipe_load (LINE_FILES "/apricot.ini", NULL);

  g_assert (recipe);
  return recipe;
}

/* Contours of all views of a trigger, and their turns, as if it was @number. */
static void
see_as (LineTurns * turns, const LineScene * scene, guint trigger,
    guint number, guint32 lost, LineView * views)
{
  for (guint v = 0; v < VIEWS; v++) {
    views[v] = (LineView) {.contours = g_new (LineContour, CUPS) };
    line_scene_render (scene, trigger, v, scene_rgb[v], labels, NULL);
    for (guint c = 0; c < CUPS; c++)
      views[v].n_contours +=
          find_disc (v, c, &views[v].contours[views[v].n_contours]);
  }
  line_turns_find (turns, number, scene_rgb[0], lost, views);
}

static void
see (LineTurns * turns, const LineScene * scene, guint trigger,
    LineView * views)
{
  see_as (turns, scene, trigger, trigger, 0, views);
}

static void
clear (LineView * views)
{
  for (guint v = 0; v < VIEWS; v++)
    line_view_clear (&views[v]);
}

/* Pieces until the light in a cup is known, and triggers until that of all is */
#define PIECES_EARLY 12
#define EARLY (PIECES_EARLY + CUPS)

/* All looks of all pieces, in a line that is configured for another turn. */
static void
check_scene (LineRecipe * recipe, double turn, double nominal)
{
  const LineGeometry geometry = make_geometry (nominal);
  LineTurns *turns = line_turns_new (&geometry, recipe);
  LineScene *scene = make_scene (turn);
  Score sum = { 0 };

  begin ("the simulated line, %g degrees instead of %g", turn, nominal);
  for (guint t = 0; t < EARLY + 8; t++) {
    LineView views[VIEWS];

    see (turns, scene, t, views);
    for (guint v = 0; v < VIEWS; v++) {
      expect (views[v].n_turns == CUPS && isnan (views[v].turns[0]), "%u turns",
          (guint) views[v].n_turns);
      for (guint c = 1; c < CUPS; c++) {
        expect (t >= PIECES_EARLY || isnan (views[v].turns[c]), "%u is early", t);
        if (t >= EARLY)
          score (&sum, views[v].turns[c], turn);
      }
    }
    clear (views);
  }
  expect (sum.n == 8 * VIEWS * (CUPS - 1), "%u", sum.n);
  expect (sum.known >= 0.95 * sum.n, "%u of %u are known", sum.known, sum.n);
  expect (sum.right >= 0.9 * sum.known, "%u of %u are right, the worst by %g",
      sum.right, sum.known, sum.worst);
  expect (sum.wrong == 0, "%u are wrong, by up to %g", sum.wrong, sum.worst);
  line_scene_free (scene);
  line_turns_free (turns);
  end ();
}

/* Pieces as they are decided on: without any mark, so texture alone says how
 * they turn. */
static void
check_pieces (LineRecipe * recipe, double turn, double nominal)
{
  enum { N = 6 };
  const LineGeometry geometry = make_geometry (nominal);
  LineTurns *turns = line_turns_new (&geometry, recipe);
  LineScene *scene = make_scene (turn);
  static LineView views[EARLY + N + CUPS][VIEWS];
  Score sum = { 0 };

  begin ("pieces by texture alone, %g degrees instead of %g", turn, nominal);
  for (guint t = 0; t < EARLY + N + CUPS - 1; t++)
    see (turns, scene, t, views[t]);
  for (guint p = EARLY; p < EARLY + N; p++) {
    const LineView *looks[CUPS * VIEWS];
    LineMeasures measures;

    for (guint i = 0; i < CUPS * VIEWS; i++)
      looks[i] = &views[p + i / VIEWS][i % VIEWS];
    expect (line_aggregate (LINE_RULES_2, &geometry, recipe, looks, &measures,
            NULL), "made");
    score (&sum, measures.is_turn_measured ? measures.turn : NAN, turn);
  }
  expect (sum.known == N && sum.right == N, "of %u pieces %u are measured, %u "
      "right, the worst by %g", N, sum.known, sum.right, sum.worst);
  for (guint t = 0; t < EARLY + N + CUPS - 1; t++)
    clear (views[t]);
  line_scene_free (scene);
  line_turns_free (turns);
  end ();
}

/* A view's turns need its pictures of both triggers. */
static void
test_lost (LineRecipe * recipe)
{
  static const guint numbers[] = { 20, 21, 22, 23, 24, 26, 27 };
  static const guint32 lost[] = { 0, 0, 2, 0, 0, 0, 0 };
  static const gboolean known[][2] = {
    {FALSE, FALSE}, {TRUE, TRUE}, {TRUE, FALSE}, {TRUE, FALSE}, {TRUE, TRUE},
    {FALSE, FALSE}, {TRUE, TRUE}
  };
  const LineGeometry geometry = make_geometry (72);
  LineTurns *turns = line_turns_new (&geometry, recipe);
  LineScene *scene = make_scene (72);

  begin ("lost views and triggers");
  for (guint t = 0; t < EARLY; t++) {
    LineView views[VIEWS];

    see (turns, scene, t, views);
    clear (views);
  }
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    LineView views[VIEWS];

    see_as (turns, scene, 20 + i, numbers[i], lost[i], views);
    for (guint v = 0; v < 2; v++) {
      guint n = 0;

      for (guint c = 0; c < views[v].n_turns; c++)
        n += !isnan (views[v].turns[c]);
      expect (n <= CUPS - 1 && (n >= CUPS - 2) == known[i][v],
          "trigger %u, view %u: %u turns", numbers[i], v, n);
    }
    clear (views);
  }
  line_scene_free (scene);
  line_turns_free (turns);
  end ();
}

int
main (void)
{
  g_autoptr (LineRecipe) recipe = load_recipe ();

  run_checks ();
  check_scene (recipe, 72, 72);
  check_scene (recipe, 60, 72);
  check_scene (recipe, 82, 72);
  check_scene (recipe, -60, -72);
  check_pieces (recipe, 72, 62);
  check_pieces (recipe, 61, 72);
  check_pieces (recipe, 0, 72);
  check_pieces (recipe, 108, 72);
  test_lost (recipe);
  return finish ();
}
