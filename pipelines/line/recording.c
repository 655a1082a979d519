/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "recording_layout.h"

#include <string.h>

#include "base/memory.h"
#include "publish/names.h"

/* Each returns what is behind the number. */

static guint8 *
put_u16 (guint8 * at, guint16 value)
{
  value = GUINT16_TO_LE (value);
  memcpy (at, &value, sizeof (value));
  return at + sizeof (value);
}

static guint8 *
put_u32 (guint8 * at, guint32 value)
{
  value = GUINT32_TO_LE (value);
  memcpy (at, &value, sizeof (value));
  return at + sizeof (value);
}

static guint8 *
put_u64 (guint8 * at, guint64 value)
{
  value = GUINT64_TO_LE (value);
  memcpy (at, &value, sizeof (value));
  return at + sizeof (value);
}

static guint8 *
put_float (guint8 * at, gfloat value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof (bits));
  return put_u32 (at, bits);
}

static guint8 *
put_double (guint8 * at, gdouble value)
{
  guint64 bits;

  memcpy (&bits, &value, sizeof (bits));
  return put_u64 (at, bits);
}

static guint8 *
put_contour (guint8 * at, const LineContour * contour)
{
  const gdouble box[] = { contour->area, contour->x0, contour->y0, contour->x1,
    contour->y1
  };
  const gdouble hull[] = { contour->feret_min, contour->feret_max,
    contour->circle_x, contour->circle_y
  };

  at = put_u32 (at, contour->class_id);
  at = put_u32 (at, contour->id);
  at = put_u32 (at, contour->parent);
  at = put_u32 (at, contour->is_hole ? 1 : 0);
  for (guint i = 0; i < G_N_ELEMENTS (box); i++)
    at = put_double (at, box[i]);
  at = put_u32 (at, contour->first);
  at = put_u32 (at, contour->n_points);
  for (guint i = 0; i < G_N_ELEMENTS (hull); i++)
    at = put_double (at, hull[i]);
  return at;
}

static guint8 *
put_seen (guint8 * at, const LineSeen * seen, gsize n_points)
{
  const LineView *view = &seen->view;

  at = put_u64 (at, seen->trigger_time);
  at = put_u64 (at, seen->tensor_time);
  at = put_u32 (at, view->n_contours);
  at = put_u32 (at, n_points);
  at = put_u32 (at, view->n_turns);
  for (gsize i = 0; i < view->n_contours; i++)
    at = put_contour (at, &view->contours[i]);
  for (gsize i = 0; i < n_points; i++) {
    at = put_float (at, view->points[i].x);
    at = put_float (at, view->points[i].y);
  }
  for (gsize i = 0; i < view->n_turns; i++)
    at = put_float (at, view->turns[i]);
  for (gsize i = 0; i < view->n_tones; i++)
    at = put_float (at, view->tones[i]);
  return at;
}

/* A view does not say how many points it has: as many as its contours need.
 * Returns: FALSE if there are too many of something */
static gboolean
count_points (const LineView * view, gsize * n_points)
{
  *n_points = 0;
  if (view->n_contours > LINE_RECORDING_MAX_CONTOURS)
    return FALSE;
  for (gsize i = 0; i < view->n_contours; i++) {
    const LineContour *contour = &view->contours[i];

    if (contour->first > LINE_RECORDING_MAX_POINTS
        || contour->n_points > LINE_RECORDING_MAX_POINTS - contour->first)
      return FALSE;
    *n_points = MAX (*n_points, contour->first + contour->n_points);
  }
  return TRUE;
}

gboolean
line_recording_begin (const LineConfig * config, const LineRecipe * recipe,
    const LineFolder * folder, GError ** error)
{
  gsize size;
  const char *text = g_bytes_get_data (config->text, &size);

  return line_folder_save (folder, "line.ini", text, size, error)
      && line_recipe_copy (recipe, folder, error);
}

GBytes *
line_recording_head (void)
{
  guint8 head[HEAD_SIZE];

  memcpy (head, RECORDING_MAGIC, 4);
  put_u32 (head + 4, LINE_RULES_2);
  return g_bytes_new (head, HEAD_SIZE);
}

/* Returns: FALSE if @event is beyond the limits */
static gboolean
check_event (const LineEvent * event)
{
  if (!is_recorded_time (event->time))
    return FALSE;
  if (event->type == LINE_EVENT_TRIGGER)
    return event->came >= 0 && event->came <= event->time;
  if (event->type == LINE_EVENT_LOT)
    return !event->lot || line_name_is_file (event->lot);
  if (event->type == LINE_EVENT_NUMBER && event->numbering.is_agreed)
    return is_recorded_numbering (&event->numbering, event->trigger);
  if (event->type == LINE_EVENT_RUN)
    return event->run <= G_MAXUINT16 && event->trigger <= RECORDED_MOST;
  return !has_look (event->type) || event->view < LINE_MAX_VIEWS;
}

/* Returns: FALSE if @seen is beyond the limits; else how many bytes follow the
 * event's own */
static gboolean
measure_seen (const LineSeen * seen, gsize * n_points, gsize * size)
{
  const LineView *view = &seen->view;

  if (!is_recorded_time (seen->trigger_time)
      || !is_recorded_time (seen->tensor_time)
      || view->n_turns > LINE_MAX_CUPS || view->n_tones > LINE_MAX_TONES
      || !count_points (view, n_points))
    return FALSE;
  *size = SEEN_SIZE + view->n_contours * CONTOUR_SIZE + *n_points * POINT_SIZE
      + view->n_turns * TURN_SIZE + view->n_tones * TONE_SIZE;
  return TRUE;
}

/* What events of other types have where that of a lost look has its reason. */
static guint
find_reason (const LineEvent * event)
{
  switch (event->type) {
    case LINE_EVENT_LOOK:
      return event->seen->view.n_tones;
    case LINE_EVENT_LOST:
      return event->loss;
    case LINE_EVENT_RUN:
      return event->run;
    case LINE_EVENT_NUMBER:
      return event->numbering.is_agreed;
    default:
      return 0;
  }
}

static guint8 *
put_event (guint8 * at, const LineEvent * event)
{
  at = put_u32 (at, event->type);
  at = put_u16 (at, has_look (event->type) ? event->view : 0);
  at = put_u16 (at, find_reason (event));
  at = put_u64 (at, event->time);
  return put_u64 (at, has_trigger (event->type) ? event->trigger :
      event->type == LINE_EVENT_TRIGGER ? (guint64) event->came : 0);
}

GBytes *
line_recording_encode (const LineEvent * event)
{
  const LineSeen *seen = event->type == LINE_EVENT_LOOK ? event->seen : NULL;
  gsize more = 0, n_points = 0;
  guint8 *data, *at;

  g_return_val_if_fail (event->type != LINE_EVENT_LOOK || seen, NULL);
  if (!check_event (event) || (seen && !measure_seen (seen, &n_points, &more)))
    return NULL;
  if (event->type == LINE_EVENT_RECIPE)
    more = HASH_SIZE;
  else if (event->type == LINE_EVENT_NUMBER)
    more = NUMBERING_SIZE;
  else if (event->type == LINE_EVENT_LOT)
    more = LOT_SIZE;
  data = cs_try_malloc (EVENT_SIZE + more);
  if (!data)
    return NULL;
  at = put_event (data, event);
  if (seen)
    put_seen (at, seen, n_points);
  if (event->type == LINE_EVENT_RECIPE)
    memcpy (at, event->recipe->hash, HASH_SIZE);
  else if (event->type == LINE_EVENT_NUMBER) {
    at = put_u64 (at, event->numbering.since);
    at = put_u64 (at, event->numbering.shift);
    at = put_u32 (at, event->numbering.encoder);
    put_u32 (at, 0);
  } else if (event->type == LINE_EVENT_LOT) {
    memset (at, 0, LOT_SIZE);
    if (event->lot)
      memcpy (at, event->lot, strlen (event->lot));
  }
  return g_bytes_new_take (data, EVENT_SIZE + more);
}
