/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "aggregate.h"

#include <math.h>
#include <string.h>

#include "base/array.h"

typedef struct
{
  const LineContour *contour;
  gdouble surface;
  /* by defect */
  gdouble parts[LINE_MAX_CLASSES];
} Blemish;

typedef struct
{
  const LineGeometry *geometry;
  const LineRecipe *recipe;
  LineMeasures *measures;
  /* of the looks that show the fruit */
  guint n;
  const LineView *views[LINE_MAX_LOOKS];
  guint cups[LINE_MAX_LOOKS];
  LineSight sights[LINE_MAX_LOOKS];
  gdouble diameters[LINE_MAX_LOOKS];
  /* sums for confidence: shares of main classes, surfaces of their blemishes */
  gdouble main[LINE_MAX_CLASSES + 1], whole[LINE_MAX_CLASSES + 1];
  /* of one look */
  CsArray blemishes;
  guint counts[LINE_MAX_CLASSES + 1];
} Work;

/* -1 for none. */
static gint
find_cup (const LineGeometry * geometry, const LineContour * contour)
{
  gdouble x = (contour->x0 + contour->x1) / 2;
  gdouble least = geometry->cup_pitch / 2;
  gint cup = -1;

  for (guint c = 0; c < geometry->cups; c++) {
    gdouble distance =
        fabs (x - (geometry->cup_first + c * geometry->cup_pitch));

    if (distance < least || (cup < 0 && distance == least)) {
      least = distance;
      cup = c;
    }
  }
  return cup;
}

static void
find_fruit (Work * work, const LineView * view, guint cup, guint camera)
{
  const LineContour *fruit = NULL;
  LineSight *sight = &work->sights[work->n];

  for (gsize i = 0; i < view->n_contours; i++) {
    const LineContour *contour = &view->contours[i];

    if (contour->class_id == (gint32) work->recipe->n_classes
        && !contour->is_hole
        && find_cup (work->geometry, contour) == (gint) cup
        && (!fruit || fabs (contour->area) > fabs (fruit->area)))
      fruit = contour;
  }
  if (!fruit || fruit->feret_min <
      work->recipe->min_diameter / work->geometry->mm_per_pixel)
    return;
  line_sight_init (sight, work->geometry, cup, camera);
  sight->x = fruit->circle_x;
  sight->y = fruit->circle_y;
  sight->radius = (fruit->feret_min + fruit->feret_max) / 4;
  work->diameters[work->n] =
      2 * work->geometry->mm_per_pixel * sqrt (fabs (fruit->area) / G_PI);
  work->views[work->n] = view;
  work->cups[work->n] = cup;
  work->n++;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

static gdouble
find_median (const gdouble * values, guint n)
{
  gdouble sorted[LINE_MAX_LOOKS];

  memcpy (sorted, values, n * sizeof (gdouble));
  qsort (sorted, n, sizeof (gdouble), compare);
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static gdouble
find_surface (const Work * work, guint look, const LineContour * contour)
{
  return line_sight_surface (work->sights, work->n, look, contour,
      work->views[look]->points, work->geometry->mm_per_pixel);
}

static void
find_blemishes (Work * work, guint look)
{
  const LineView *view = work->views[look];
  gint32 group = work->recipe->n_classes + 1;

  cs_array_empty (&work->blemishes);
  for (gsize i = 0; i < view->n_contours; i++) {
    Blemish blemish = {.contour = &view->contours[i] };

    if (blemish.contour->class_id != group || blemish.contour->is_hole
        || find_cup (work->geometry,
            blemish.contour) != (gint) work->cups[look])
      continue;
    blemish.surface = find_surface (work, look, blemish.contour);
    for (gsize j = 0; j < view->n_contours; j++)
      if (view->contours[j].is_hole
          && view->contours[j].parent == blemish.contour->id)
        blemish.surface += find_surface (work, look, &view->contours[j]);
    blemish.surface = MAX (blemish.surface, 0);
    cs_array_append_val (&work->blemishes, blemish);
  }
}

static Blemish *
find_owner (Work * work, const LineContour * contour)
{
  gdouble x = (contour->x0 + contour->x1) / 2;
  gdouble y = (contour->y0 + contour->y1) / 2;
  Blemish *owner = NULL;

  for (gsize i = 0; i < work->blemishes.len; i++) {
    Blemish *blemish = &cs_array_index (&work->blemishes, Blemish, i);
    const LineContour *box = blemish->contour;

    if (x >= box->x0 && x <= box->x1 && y >= box->y0 && y <= box->y1
        && (!owner || fabs (box->area) < fabs (owner->contour->area)))
      owner = blemish;
  }
  return owner;
}

static void
share_out (Work * work, guint look)
{
  const LineView *view = work->views[look];
  const LineRecipe *recipe = work->recipe;

  for (gsize i = 0; i < view->n_contours; i++) {
    const LineContour *contour = &view->contours[i];
    Blemish *owner;
    guint k = 0;

    while (k < recipe->n_defects
        && (gint32) recipe->defects[k] != contour->class_id)
      k++;
    if (k == recipe->n_defects
        || find_cup (work->geometry, contour) != (gint) work->cups[look])
      continue;
    owner = find_owner (work, contour);
    if (owner)
      owner->parts[k] += find_surface (work, look, contour);
  }
}

/* A blemish for the figures of its main class, or of all classes. */
static void
add_to_class (Work * work, guint k, const Blemish * blemish, gdouble share)
{
  LineFigures *figures = &work->measures->figures[k];

  work->main[k] += share;
  work->whole[k] += blemish->surface;
  if (blemish->surface <= 0)
    return;
  work->counts[k]++;
  figures->max_length = MAX (figures->max_length,
      work->geometry->mm_per_pixel * blemish->contour->feret_max);
}

static void
add_blemish (Work * work, Blemish * blemish)
{
  guint n = work->recipe->n_defects, main = 0;
  LineFigures *figures = work->measures->figures;
  gdouble sum = 0, share = 0;

  for (guint k = 0; k < n; k++) {
    blemish->parts[k] = MAX (blemish->parts[k], 0);
    sum += blemish->parts[k];
    if (blemish->parts[k] > blemish->parts[main])
      main = k;
  }
  if (sum > 0) {
    for (guint k = 0; k < n; k++)
      figures[k].mm2 += blemish->surface * blemish->parts[k] / sum;
    share = blemish->surface * blemish->parts[main] / sum;
    add_to_class (work, main, blemish, share);
  }
  figures[n].mm2 += blemish->surface;
  add_to_class (work, n, blemish, share);
}

static void
add_look (Work * work, guint look)
{
  guint n = work->recipe->n_defects;
  LineFigures *figures = work->measures->figures;

  memset (work->counts, 0, sizeof (work->counts));
  find_blemishes (work, look);
  share_out (work, look);
  for (gsize i = 0; i < work->blemishes.len; i++)
    add_blemish (work, &cs_array_index (&work->blemishes, Blemish, i));
  for (guint k = 0; k <= n; k++)
    figures[k].count = MAX (figures[k].count, work->counts[k]);
}

static void
finish (Work * work)
{
  LineMeasures *measures = work->measures;

  for (guint k = 0; k <= work->recipe->n_defects; k++) {
    LineFigures *figures = &measures->figures[k];

    figures->percent = 100 * figures->mm2 / measures->surface;
    if (work->whole[k] > 0)
      figures->confidence = work->main[k] / work->whole[k];
  }
}

gboolean
line_aggregate (LineRules rules, const LineGeometry * geometry,
    const LineRecipe * recipe, const LineView * const *looks,
    LineMeasures * measures, GError ** error)
{
  Work *work = g_new0 (Work, 1);
  gboolean failed = FALSE;
  guint there = 0;

  work->geometry = geometry;
  work->recipe = recipe;
  work->measures = measures;
  memset (measures, 0, sizeof (*measures));
  cs_array_init (&work->blemishes, sizeof (Blemish));
  for (guint c = 0; c < geometry->cups; c++)
    for (guint v = 0; v < geometry->views; v++)
      if (looks[c * geometry->views + v]) {
        there++;
        find_fruit (work, looks[c * geometry->views + v], c, v);
      }
  measures->is_empty = work->n == 0 || 2 * work->n < there;
  if (!measures->is_empty) {
    measures->diameter = find_median (work->diameters, work->n);
    measures->surface = G_PI * measures->diameter * measures->diameter;
    for (guint i = 0; i < work->n && !failed; i++) {
      add_look (work, i);
      failed = work->blemishes.failed;
    }
    finish (work);
  }
  cs_array_clear (&work->blemishes);
  g_free (work);
  if (failed)
    g_set_error (error, LINE_ERROR, LINE_ERROR_RUN,
        "there is not enough memory for a piece's blemishes");
  return !failed;
}
