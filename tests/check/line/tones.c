/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is skin of a picture, and what looks together say of it. Colours are
 * sRGB's corners, whose L*a*b* is in every table. */

#include "check.h"
#include "skin.h"
#include "tones.h"

#include <math.h>
#include <string.h>

#define COLUMNS 60
#define ROWS 20

static const char recipe_text[] =
    "[recipe]\nname=t\nclasses=belt;skin;rot\nfruit=skin;rot\ndefects=rot\n"
    "min-diameter-mm=5\nundecided-outlet=9\n[colour red]\nmin-a=60\n"
    "[colour white]\nmax-a=1\n[rule rest]\noutlet=2\n";

/* A closed square around the pixels from (@x0, @y0) to (@x1, @y1) */
static void
put_square (LineContour * contour, LinePoint * points, gsize first,
    gint class_id, gint id, gfloat x0, gfloat y0, gfloat x1, gfloat y1)
{
  const LinePoint corners[] = { {x0 - .5f, y0 - .5f}, {x1 + .5f, y0 - .5f},
  {x1 + .5f, y1 + .5f}, {x0 - .5f, y1 + .5f}, {x0 - .5f, y0 - .5f}
  };

  memcpy (points + first, corners, sizeof (corners));
  *contour = (LineContour) {.class_id = class_id,.id = id,.parent = -1,
    .area = (x1 - x0 + 1) * (y1 - y0 + 1),.x0 = x0 - .5,.y0 = y0 - .5,
    .x1 = x1 + .5,.y1 = y1 + .5,.first = first,.n_points = 5,
    .feret_min = x1 - x0 + 1,.feret_max = x1 - x0 + 1
  };
}

/* Red fruit of 10 x 10 in the second of two cups: its right half is white, it has
 * a hole of 2 x 2 in the red, a blemish of 3 x 2 in the white that is black, and
 * there is green around it. */
static void
check_picture (const LineRecipe * recipe)
{
  LineGeometry geometry = {.views = 1,.cups = 2,.columns = COLUMNS,
    .rows = ROWS,.mm_per_pixel = {1},.cup_first = {15},.cup_pitch = {30}
  };
  static guint8 rgb[ROWS][COLUMNS][3];
  LinePoint points[15];
  LineContour contours[3];
  LineView view = { contours, 3, points };
  LineSkin *skin = line_skin_new (&geometry, recipe);
  const gfloat wanted[] = { 0, 0, 0, 0, 0, 0, 90, 0, 0, 0, 46, 44 };

  for (guint y = 0; y < ROWS; y++)
    for (guint x = 0; x < COLUMNS; x++) {
      const gboolean is_fruit = x >= 40 && x < 50 && y >= 5 && y < 15;
      const gboolean is_rot = x >= 46 && x < 49 && y >= 10 && y < 12;

      rgb[y][x][0] = is_fruit && !is_rot ? 255 : 0;
      rgb[y][x][1] = !is_fruit || (x >= 45 && !is_rot) ? 255 : 0;
      rgb[y][x][2] = is_fruit && x >= 45 && !is_rot ? 255 : 0;
    }
  put_square (&contours[0], points, 0, 3, 0, 40, 5, 49, 14);
  put_square (&contours[1], points, 5, 3, 1, 41, 6, 42, 7);
  contours[1].is_hole = TRUE;
  contours[1].parent = 0;
  put_square (&contours[2], points, 10, 4, 2, 46, 10, 48, 11);
  /* twice: nothing is left of the first time */
  for (guint i = 0; i < 2; i++)
    line_skin_measure (skin, rgb[0][0], 0, &view);
  check_that (view.n_tones == 12, "%u tones", (guint) view.n_tones);
  for (guint i = 0; i < 12; i++)
    if (i < 7 || i > 9)
      check_that (view.tones[i] == wanted[i], "tone %u: %g", i, view.tones[i]);
  /* 46 of red and 44 of white */
  check_that (fabs (view.tones[7] - (46 * 53.24 + 44 * 100) / 90) < .05
      && fabs (view.tones[8] - 46 * 80.09 / 90) < .1
      && fabs (view.tones[9] - 46 * 67.2 / 90) < .1, "%g %g %g",
      view.tones[7], view.tones[8], view.tones[9]);
  g_free (view.tones);
  view.tones = NULL;
  view.n_tones = 0;
  line_skin_measure (skin, rgb[0][0], 1, &view);
  check_that (!view.tones, "a view that is lost");
  line_skin_free (skin);
}

static void
check_mean (void)
{
  gfloat good[] = { 0, 0, 0, 0, 0, 100, 50, 10, -4, 40 };
  gfloat more[] = { 300, 70, 20, 8, 30, 0, 0, 0, 0, 0 };
  gfloat bad[] = { 10, 0, 0, 0, 11, 100, NAN, 10, 0, 0 };
  gfloat huge[] = { INFINITY, 1, 1, 1, 1, -5, 1, 1, 1, 0 };
  LineView views[] = { {.tones = good,.n_tones = 10}, {.tones = more,
      .n_tones = 10}, {.tones = bad,.n_tones = 10}, {.tones = huge,
      .n_tones = 10}, {.tones = good,.n_tones = 9}, {.n_tones = 0}
  };
  const struct
  {
    guint view, cup;
  } looks[] = { {0, 1}, {1, 0}, {0, 0}, {2, 0}, {2, 1}, {3, 0}, {3, 1}, {4, 1},
  {5, 0}
  };
  LineSight sights[G_N_ELEMENTS (looks)] = { {0} };
  const LineView *list[G_N_ELEMENTS (looks)];

  for (guint i = 0; i < G_N_ELEMENTS (looks); i++) {
    sights[i].cup = looks[i].cup;
    list[i] = &views[looks[i].view];
  }
  const LineTone tone = line_tones_mean (sights, list, G_N_ELEMENTS (looks), 2,
      1);
  check_that (tone.looks == 2 && tone.pixels == 400, "%u looks, %g pixels",
      tone.looks, tone.pixels);
  check_that (tone.lab[0] == 65 && tone.lab[1] == 17.5 && tone.lab[2] == 5
      && tone.shares[0] == 17.5, "%g %g %g %g", tone.lab[0], tone.lab[1],
      tone.lab[2], tone.shares[0]);
  check_that (line_tones_mean (sights, list, 2, 2, 2).looks == 0,
      "of more colours than were measured");
  check_that (line_tones_mean (sights, list, 2, 2, 0).looks == 2,
      "of fewer colours");
}

int
main (void)
{
  LineRecipe *recipe =
      line_recipe_parse ("t", recipe_text, strlen (recipe_text), NULL);

  check_picture (recipe);
  check_mean ();
  line_recipe_unref (recipe);
  return finish ();
}
