/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "aggregate.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "coverage.h"
#include "marks.h"

/* Marks of this many times the recipe's least area are large. */
#define LARGE_AREA 15

/* Points of a contour that are tested for being within another one */
#define SAMPLES 16

/* A fruit that is this near to the picture's edge, in pixels, may be cut off
 * there. */
#define EDGE 1

typedef struct
{
  LineRules rules;
  const LineGeometry *geometry;
  const LineRecipe *recipe;
  LineMeasures *measures;
  /* of the looks that show the fruit */
  guint n;
  const LineView *views[LINE_MAX_LOOKS];
  LineSight sights[LINE_MAX_LOOKS];
  gdouble diameters[LINE_MAX_LOOKS], elongations[LINE_MAX_LOOKS];
  /* Feret diameters, in mm */
  gdouble smallest, greatest;
  /* of #LineMark, look by look */
  CsArray marks;
  /* sums for confidence: shares of main classes, surfaces of their marks */
  gdouble main[LINE_MAX_CLASSES + 1], whole[LINE_MAX_CLASSES + 1];
  /* of one look, and the greatest of all */
  guint counts[LINE_MAX_CLASSES + 1];
  gdouble shown[LINE_MAX_CLASSES + 1], most[LINE_MAX_CLASSES + 1];
} Work;

/* -1 for none. */
static gint
find_cup (const LineGeometry * geometry, guint view,
    const LineContour * contour)
{
  gdouble x = (contour->x0 + contour->x1) / 2;
  gdouble least = geometry->cup_pitch[view] / 2;
  gint cup = -1;

  for (guint c = 0; c < geometry->cups; c++) {
    gdouble distance = fabs (x - (geometry->cup_first[view]
            + c * geometry->cup_pitch[view]));

    if (distance < least || (cup < 0 && distance == least)) {
      least = distance;
      cup = c;
    }
  }
  return cup;
}

const LineContour *
line_aggregate_find_fruit (const LineGeometry * geometry,
    const LineRecipe * recipe, const LineView * view, guint index, guint cup)
{
  const LineContour *fruit = NULL;

  for (gsize i = 0; i < view->n_contours; i++) {
    const LineContour *contour = &view->contours[i];

    if (contour->class_id == (gint32) recipe->n_classes
        && !contour->is_hole
        && find_cup (geometry, index, contour) == (gint) cup
        && (!fruit || fabs (contour->area) > fabs (fruit->area)))
      fruit = contour;
  }
  return fruit && fruit->feret_min >=
      recipe->min_diameter / geometry->mm_per_pixel[index] ? fruit : NULL;
}

/* Returns: whether the look shows a fruit */
static gboolean
find_look (Work * work, const LineView * view, guint cup, guint camera)
{
  const LineContour *fruit = line_aggregate_find_fruit (work->geometry,
      work->recipe, view, camera, cup);
  const gdouble scale = work->geometry->mm_per_pixel[camera];
  LineSight *sight = &work->sights[work->n];

  if (!fruit)
    return FALSE;
  line_sight_tilt (sight, work->geometry->tilt[camera]);
  line_sight_turn (sight, cup, work->geometry->turn);
  sight->view = camera;
  sight->mm_per_pixel = scale;
  sight->x = fruit->circle_x;
  sight->y = fruit->circle_y;
  sight->radius = (fruit->feret_min + fruit->feret_max) / 4;
  if (work->n == 0 || scale * fruit->feret_min < work->smallest)
    work->smallest = scale * fruit->feret_min;
  work->greatest = MAX (work->greatest, scale * fruit->feret_max);
  work->measures->is_cut |= fruit->x0 < EDGE || fruit->y0 < EDGE
      || fruit->x1 > work->geometry->columns - 1 - EDGE
      || fruit->y1 > work->geometry->rows - 1 - EDGE;
  work->elongations[work->n] = fruit->feret_max / fruit->feret_min;
  work->diameters[work->n] =
      2 * scale * sqrt (fabs (fruit->area) / G_PI);
  work->views[work->n++] = view;
  return TRUE;
}

/* There is a fruit if some view shows it in at least half of the looks that it
 * has; by LINE_RULES_1, if all views together do. */
static void
find_looks (Work * work, const LineView * const *looks)
{
  const LineGeometry *geometry = work->geometry;
  LineMeasures *measures = work->measures;
  guint there[LINE_MAX_VIEWS] = { 0 }, shown[LINE_MAX_VIEWS] = { 0 }, all = 0;

  measures->is_empty = TRUE;
  for (guint c = 0; c < geometry->cups; c++)
    for (guint v = 0; v < geometry->views; v++) {
      const guint i = c * geometry->views + v;

      if (!looks[i])
        continue;
      all++;
      there[v]++;
      measures->is_shown[i] = find_look (work, looks[i], c, v);
      shown[v] += measures->is_shown[i];
    }
  measures->n_shown = work->n;
  for (guint v = 0; v < geometry->views; v++)
    if (work->rules != LINE_RULES_1 && shown[v] > 0 && 2 * shown[v] >= there[v])
      measures->is_empty = FALSE;
  if (work->rules == LINE_RULES_1)
    measures->is_empty = work->n == 0 || 2 * work->n < all;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

static LineMark *
get_mark (const Work * work, gsize i)
{
  return &cs_array_index (&work->marks, LineMark, i);
}

/* All that the look shows down to the cosine @limb. */
static gdouble
find_shown (const Work * work, guint look, const LineContour * contour,
    gdouble limb)
{
  return line_sight_shown (&work->sights[look], contour, work->views[look],
      limb);
}

/* By LINE_RULES_1 each place is shared among the looks that see it; else it is
 * all that the look shows. Little is known of a mark that goes on behind the
 * limb. */
static void
measure_mark (const Work * work, LineMark * mark)
{
  const LineView *view = work->views[mark->look];

  if (work->rules == LINE_RULES_1) {
    mark->surface = line_sight_shared (work->sights, work->n, mark->look,
        mark->contour, view);
    return;
  }
  mark->place = line_sight_place (&work->sights[mark->look], mark->contour,
      view->points);
  mark->least_surface =
      find_shown (work, mark->look, mark->contour, LINE_SAFE_LIMB);
  mark->surface = mark->least_surface;
  if (mark->place.least > LINE_LIMB && mark->place.least < LINE_SAFE_LIMB)
    mark->surface = find_shown (work, mark->look, mark->contour, LINE_LIMB);
}

static void
find_marks (Work * work, guint look)
{
  const LineView *view = work->views[look];
  const LineSight *sight = &work->sights[look];
  const guint cup = sight->cup;
  gint32 group = work->recipe->n_classes + 1;

  for (gsize i = 0; i < view->n_contours; i++) {
    LineMark mark = {.contour = &view->contours[i],.look = look,.cup = cup,
      .main = -1,.share = 1
    };

    if (mark.contour->class_id != group || mark.contour->is_hole
        || find_cup (work->geometry, sight->view, mark.contour) != (gint) cup)
      continue;
    measure_mark (work, &mark);
    cs_array_append_val (&work->marks, mark);
  }
}

/* Of the look's marks, which are from @first on. */
static LineMark *
find_owner (Work * work, gsize first, const LineContour * contour)
{
  gdouble x = (contour->x0 + contour->x1) / 2;
  gdouble y = (contour->y0 + contour->y1) / 2;
  LineMark *owner = NULL;

  for (gsize i = first; i < work->marks.len; i++) {
    LineMark *mark = get_mark (work, i);
    const LineContour *box = mark->contour;

    if (x >= box->x0 && x <= box->x1 && y >= box->y0 && y <= box->y1
        && (!owner || fabs (box->area) < fabs (owner->contour->area)))
      owner = mark;
  }
  return owner;
}

/* The defect that a contour is of; n_defects for none, or of another cup */
static guint
find_defect (const Work * work, guint look, const LineContour * contour)
{
  const LineRecipe *recipe = work->recipe;
  const LineSight *sight = &work->sights[look];
  guint k = 0;

  while (k < recipe->n_defects
      && (gint32) recipe->defects[k] != contour->class_id)
    k++;
  return k < recipe->n_defects && find_cup (work->geometry, sight->view,
      contour) == (gint) sight->cup ? k : recipe->n_defects;
}

/* By LINE_RULES_1: by the middle of its box, each hole for itself. */
static void
share_by_boxes (Work * work, guint look, gsize first)
{
  const LineView *view = work->views[look];

  for (gsize i = 0; i < view->n_contours; i++) {
    const LineContour *contour = &view->contours[i];
    const guint k = find_defect (work, look, contour);
    LineMark *owner = k < work->recipe->n_defects ?
        find_owner (work, first, contour) : NULL;

    if (owner)
      owner->parts[k] += line_sight_surface (work->sights, work->n, look,
          contour, view->points);
  }
}

/* Within it, or on its outline: classes of equal levels can have the same
 * outline. */
static gboolean
is_within (const LineView * view, const LineContour * contour, gdouble x,
    gdouble y)
{
  if (!line_contour_is_near (contour, view->points, x, y, 0))
    return FALSE;
  for (gsize i = 0; i < view->n_contours; i++) {
    const LineContour *hole = &view->contours[i];

    if (hole->is_hole && hole->parent == contour->id
        && line_contour_has (hole, view->points, x, y))
      return FALSE;
  }
  return TRUE;
}

/* Whether some of up to SAMPLES points of @a are within @b */
static gboolean
has_points_in (const LineView * view, const LineContour * a,
    const LineContour * b)
{
  const LinePoint *p = view->points + a->first;
  const gsize step = MAX (a->n_points / SAMPLES, 1);

  for (gsize i = 0; i + 1 < a->n_points; i += step)
    if (is_within (view, b, p[i].x, p[i].y))
      return TRUE;
  return FALSE;
}

/* Shares a class's contour among the marks that it overlaps, by their
 * surfaces. */
static void
share_contour (Work * work, guint look, gsize first,
    const LineContour * contour, guint k)
{
  const gdouble surface = find_shown (work, look, contour, LINE_LIMB);
  gdouble sum = 0;

  for (gsize i = first; i < work->marks.len; i++) {
    LineMark *mark = get_mark (work, i);

    mark->overlaps = contour->x0 <= mark->contour->x1
        && mark->contour->x0 <= contour->x1 && contour->y0 <= mark->contour->y1
        && mark->contour->y0 <= contour->y1
        && (has_points_in (work->views[look], contour, mark->contour)
        || has_points_in (work->views[look], mark->contour, contour));
    if (mark->overlaps)
      sum += mark->surface;
  }
  for (gsize i = first; i < work->marks.len && sum > 0; i++) {
    LineMark *mark = get_mark (work, i);

    if (mark->overlaps)
      mark->parts[k] += surface * mark->surface / sum;
  }
}

static void
share_out (Work * work, guint look, gsize first)
{
  const LineView *view = work->views[look];

  for (gsize i = 0; i < view->n_contours; i++) {
    const LineContour *contour = &view->contours[i];
    const guint k = contour->is_hole ? work->recipe->n_defects :
        find_defect (work, look, contour);

    if (k < work->recipe->n_defects)
      share_contour (work, look, first, contour, k);
  }
}

static gdouble
sum_parts (const Work * work, const LineMark * mark)
{
  gdouble sum = 0;

  for (guint k = 0; k < work->recipe->n_defects; k++)
    sum += mark->parts[k];
  return sum;
}

static void
find_main (const Work * work, LineMark * mark)
{
  guint main = 0;

  for (guint k = 0; k < work->recipe->n_defects; k++) {
    mark->parts[k] = MAX (mark->parts[k], 0);
    if (mark->parts[k] > mark->parts[main])
      main = k;
  }
  mark->main = sum_parts (work, mark) > 0 ? (gint) main : -1;
}

static void
read_look (Work * work, guint look)
{
  const gsize first = work->marks.len;

  find_marks (work, look);
  if (work->rules == LINE_RULES_1)
    share_by_boxes (work, look, first);
  else
    share_out (work, look, first);
  for (gsize i = first; i < work->marks.len; i++)
    find_main (work, get_mark (work, i));
}

/* A mark for the figures of its main class, or of all classes. */
static void
add_to_class (Work * work, guint k, const LineMark * mark, gdouble surface,
    gdouble share)
{
  LineFigures *figures = &work->measures->figures[k];

  work->main[k] += share;
  work->whole[k] += surface;
  if (surface <= 0)
    return;
  work->counts[k]++;
  figures->max_length = MAX (figures->max_length,
      work->sights[mark->look].mm_per_pixel * mark->contour->feret_max);
}

static void
add_mark (Work * work, const LineMark * mark)
{
  const guint n = work->recipe->n_defects;
  LineFigures *figures = work->measures->figures;
  const gdouble sum = sum_parts (work, mark);
  const gdouble surface = mark->surface * mark->share;
  gdouble share = 0;

  if (sum > 0) {
    for (guint k = 0; k < n; k++) {
      figures[k].mm2 += surface * mark->parts[k] / sum;
      work->shown[k] += mark->least_surface * mark->parts[k] / sum;
    }
    share = surface * mark->parts[mark->main] / sum;
    add_to_class (work, mark->main, mark, surface, share);
  }
  figures[n].mm2 += surface;
  work->shown[n] += mark->least_surface;
  add_to_class (work, n, mark, surface, share);
}

/* Returns: the first mark of the next look */
static gsize
add_look (Work * work, guint look, gsize first)
{
  const guint n = work->recipe->n_defects;
  LineFigures *figures = work->measures->figures;

  memset (work->counts, 0, sizeof (work->counts));
  memset (work->shown, 0, sizeof (work->shown));
  while (first < work->marks.len && get_mark (work, first)->look == look)
    add_mark (work, get_mark (work, first++));
  for (guint k = 0; k <= n; k++) {
    figures[k].count = MAX (figures[k].count, work->counts[k]);
    work->most[k] = MAX (work->most[k], work->shown[k]);
  }
  return first;
}

/* Where each look's marks are on the piece, and which are the same. */
static void
find_again (Work * work)
{
  LineMeasures *measures = work->measures;
  LineMark *marks = (LineMark *) (gpointer) work->marks.data;
  const gsize n = work->marks.len;
  const gdouble large = line_aggregate_get_large (work->geometry, work->recipe);

  measures->turn = line_geometry_get_turn (work->geometry, measures->diameter);
  measures->is_inconsistent = n > LINE_MAX_MARKS;
  measures->most_coverage =
      line_coverage_reach (work->geometry, measures->diameter);
  if (!measures->is_inconsistent)
    measures->is_turn_measured = line_marks_find_turn (marks, n, measures->turn,
        work->views, work->sights, work->n, large, &measures->turn);
  for (guint i = 0; i < work->n; i++)
    line_sight_turn (&work->sights[i], work->sights[i].cup, measures->turn);
  if (!measures->is_inconsistent)
    measures->is_inconsistent = line_marks_share (marks, n, work->views,
        work->sights, work->n, large);
  measures->coverage = line_coverage (work->sights, work->n);
}

static void
finish (Work * work)
{
  LineMeasures *measures = work->measures;

  for (guint k = 0; k <= work->recipe->n_defects; k++) {
    LineFigures *figures = &measures->figures[k];

    /* a look may show more than all of them together make of it */
    if (work->rules != LINE_RULES_1)
      figures->mm2 = MIN (MAX (figures->mm2, work->most[k]), measures->surface);
    figures->percent = 100 * figures->mm2 / measures->surface;
    if (work->whole[k] > 0)
      figures->confidence = work->main[k] / work->whole[k];
  }
}

/* All looks together. Returns: the first look that was not read, for there are
 * too many marks; all before are added */
static guint
add_all (Work * work)
{
  gsize first = 0;
  guint n = 0;

  while (n < work->n && work->marks.len <= LINE_MAX_MARKS)
    read_look (work, n++);
  if (work->marks.failed)
    return work->n;
  find_again (work);
  for (guint i = 0; i < n; i++)
    first = add_look (work, i, first);
  return n;
}

static void
measure_form (const Work * work)
{
  LineMeasures *measures = work->measures;
  gdouble sorted[LINE_MAX_LOOKS];

  measures->roundness = work->smallest / work->greatest;
  memcpy (sorted, work->diameters, work->n * sizeof (gdouble));
  qsort (sorted, work->n, sizeof (gdouble), compare);
  measures->diameter = (sorted[(work->n - 1) / 2] + sorted[work->n / 2]) / 2;
  measures->surface = G_PI * measures->diameter * measures->diameter;
  /* looks along a piece's axis show none; one alone may be wrong */
  memcpy (sorted, work->elongations, work->n * sizeof (gdouble));
  qsort (sorted, work->n, sizeof (gdouble), compare);
  measures->elongation = sorted[work->n - 1 - (work->n - 1) / 4];
}

static void
measure_colour (const Work * work)
{
  const LineRecipe *recipe = work->recipe;
  LineTone *tone = &work->measures->tone;

  if (recipe->has_colour)
    *tone = line_tones_mean (work->sights, work->views, work->n,
        work->geometry->cups, recipe->colours->len);
  if (tone->looks < recipe->min_looks)
    *tone = (LineTone) { 0 };
}

gboolean
line_aggregate (LineRules rules, const LineGeometry * geometry,
    const LineRecipe * recipe, const LineView * const *looks,
    LineMeasures * measures, GError ** error)
{
  g_autofree Work *work = g_new0 (Work, 1);

  work->rules = rules;
  work->geometry = geometry;
  work->recipe = recipe;
  work->measures = measures;
  memset (measures, 0, sizeof (*measures));
  cs_array_init (&work->marks, sizeof (LineMark));
  find_looks (work, looks);
  if (!measures->is_empty) {
    measure_form (work);
    measure_colour (work);
    /* looks one after the other, with no more of them in memory */
    for (guint i = work->rules == LINE_RULES_1 ? 0 : add_all (work);
        i < work->n && !work->marks.failed; i++) {
      cs_array_empty (&work->marks);
      read_look (work, i);
      add_look (work, i, 0);
    }
    finish (work);
  }
  gboolean failed = work->marks.failed;
  cs_array_clear (&work->marks);
  return !failed || line_fail (error, LINE_ERROR_RUN, "there is not enough "
      "memory for a piece's blemishes");
}

gdouble
line_aggregate_get_large (const LineGeometry * geometry,
    const LineRecipe * recipe)
{
  const gdouble scale = line_geometry_get_coarsest (geometry);

  return LARGE_AREA * recipe->min_area * scale * scale;
}

void
line_measures_forget (LineMeasures * measures)
{
  LineMeasures shown = {.is_empty = measures->is_empty,
    .n_shown = measures->n_shown
  };

  memcpy (shown.is_shown, measures->is_shown, sizeof (shown.is_shown));
  *measures = shown;
}
