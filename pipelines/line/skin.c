/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "skin.h"

#include <math.h>
#include <string.h>

#include "stats/stats_lab.h"

#include "aggregate.h"
#include "tones.h"

/* Steps of L*, a*, b* */
#define STEPS 256.

/* Bits of a pixel's sides, and of what is inside of them */
#define FRUIT 1
#define BLEMISH 2

/* @limits: of each colour, in steps, least and greatest of L*, a*, b*
 * @sides: a picture's rows with one more pixel each, 0 but while a look is
 *     measured */
struct _LineSkin
{
  const LineGeometry *geometry;
  const LineRecipe *recipe;
  const CsLabTable *table;
  gint32 limits[LINE_MAX_COLOURS][3][2];
  guint8 *sides;
};

/* A part of a picture: rows from @top on, before @bottom */
typedef struct
{
  gint top, bottom, right;
} Box;

typedef struct
{
  guint64 pixels, of[LINE_MAX_COLOURS];
  gint64 sums[3];
} Sums;

static gint32
to_steps (gdouble value)
{
  return (gint32) CLAMP (value * STEPS, G_MININT32, G_MAXINT32);
}

LineSkin *
line_skin_new (const LineGeometry * geometry, const LineRecipe * recipe)
{
  LineSkin *skin = g_new0 (LineSkin, 1);

  skin->geometry = geometry;
  skin->recipe = recipe;
  skin->table = cs_lab_get_table ();
  for (guint i = 0; i < recipe->colours->len; i++) {
    const LineColour *colour =
        &g_array_index (recipe->colours, LineColour, i);

    for (guint k = 0; k < 3; k++) {
      skin->limits[i][k][0] = to_steps (ceil (colour->min[k] * STEPS) / STEPS);
      skin->limits[i][k][1] = to_steps (floor (colour->max[k] * STEPS) / STEPS);
    }
  }
  skin->sides = g_malloc0_n (geometry->rows, geometry->columns + 1);
  return skin;
}

void
line_skin_free (LineSkin * skin)
{
  g_free (skin->sides);
  g_free (skin);
}

/* The pixels that a contour may have, within the picture. */
static Box
find_box (const LineSkin * skin, const LineContour * contour)
{
  const gdouble rows = skin->geometry->rows, columns = skin->geometry->columns;

  return (Box) {
    .top = cs_stats_ceil (contour->y0, rows),
    .bottom = cs_stats_ceil (contour->y1 + 1, rows),
    .right = cs_stats_ceil (contour->x1 + 1, columns)
  };
}

/* Turns @bit where a side of @contour crosses one of the rows, by the rule of
 * docs/shapestats.md. */
static void
cross (LineSkin * skin, const LineView * view, const LineContour * contour,
    const Box * box, guint8 bit)
{
  const LinePoint *p = view->points + contour->first;
  const guint columns = skin->geometry->columns;

  for (gsize i = 0; i + 1 < contour->n_points; i++) {
    const gdouble ax = p[i].x, ay = p[i].y, bx = p[i + 1].x, by = p[i + 1].y;

    if (!cs_stats_is_finite (ax, ay, bx, by))
      continue;
    const gint from = MAX (cs_stats_ceil (MIN (ay, by), box->bottom), box->top);
    const gint to = cs_stats_ceil (MAX (ay, by), box->bottom);
    for (gint y = from; y < to; y++)
      skin->sides[(gsize) y * (columns + 1)
          + cs_stats_cross (ax, ay, bx, by, y, columns)] ^= bit;
  }
}

static void
add_pixel (const LineSkin * skin, const guint8 * rgb, Sums * sums)
{
  gint32 lab[3];

  cs_lab_convert (skin->table, rgb[0], rgb[1], rgb[2], lab);
  sums->pixels++;
  for (guint k = 0; k < 3; k++)
    sums->sums[k] += lab[k];
  for (guint i = 0; i < skin->recipe->colours->len; i++) {
    gboolean is = TRUE;

    for (guint k = 0; k < 3; k++)
      is = is && lab[k] >= skin->limits[i][k][0]
          && lab[k] <= skin->limits[i][k][1];
    sums->of[i] += is;
  }
}

/* Reads the box's rows, and leaves their sides 0. What a row has before the box
 * are sides of other contours. */
static void
read_rows (LineSkin * skin, const guint8 * picture, const Box * box,
    Sums * sums)
{
  const gsize columns = skin->geometry->columns;

  for (gint y = box->top; y < box->bottom; y++) {
    guint8 *row = skin->sides + y * (columns + 1), inside = 0;

    for (gint x = 0; x < box->right; x++) {
      inside ^= row[x];
      if ((inside & (FRUIT | BLEMISH)) == FRUIT)
        add_pixel (skin, picture + (y * columns + x) * 3, sums);
    }
    memset (row, 0, columns + 1);
  }
}

static void
measure_look (LineSkin * skin, const guint8 * picture, const LineView * view,
    const LineContour * fruit, Sums * sums)
{
  const Box box = find_box (skin, fruit);
  const gint32 group = skin->recipe->n_classes;

  for (gsize i = 0; i < view->n_contours; i++) {
    const LineContour *contour = &view->contours[i];

    if (contour == fruit || (contour->class_id == group && contour->is_hole
            && contour->parent == fruit->id))
      cross (skin, view, contour, &box, FRUIT);
    else if (contour->class_id == group + 1)
      cross (skin, view, contour, &box, BLEMISH);
  }
  read_rows (skin, picture, &box, sums);
}

/* Records are of 0 where there is no fruit. */
static void
measure_view (LineSkin * skin, guint index, const guint8 * picture,
    LineView * view)
{
  const guint n = LINE_TONE_HEAD + skin->recipe->colours->len;

  g_free (view->tones);
  view->n_tones = (gsize) skin->geometry->cups * n;
  view->tones = g_new0 (gfloat, view->n_tones);
  for (guint c = 0; c < skin->geometry->cups; c++) {
    const LineContour *fruit = line_aggregate_find_fruit (skin->geometry,
        skin->recipe, view, index, c);
    gfloat *record = view->tones + c * n;
    Sums sums = { 0 };

    if (fruit)
      measure_look (skin, picture, view, fruit, &sums);
    record[LINE_TONE_PIXELS] = sums.pixels;
    for (guint k = 0; k < 3 && sums.pixels > 0; k++)
      record[LINE_TONE_LIGHTNESS + k] = sums.sums[k] / STEPS / sums.pixels;
    for (guint k = LINE_TONE_HEAD; k < n; k++)
      record[k] = sums.of[k - LINE_TONE_HEAD];
  }
}

void
line_skin_measure (LineSkin * skin, const guint8 * pictures, guint32 lost,
    LineView * views)
{
  const LineGeometry *geometry = skin->geometry;
  const gsize size = (gsize) geometry->rows * geometry->columns * 3;

  for (guint v = 0; v < geometry->views; v++)
    if (!(lost & (1u << v)))
      measure_view (skin, v, pictures + v * size, &views[v]);
}
