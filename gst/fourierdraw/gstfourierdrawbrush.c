/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawbrush.h"

#include <gst/video/navigation.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "element/gstshapesmask.h"

#define MIN_RADIUS .5
#define MAX_RADIUS 65536.
/* The brush is exact up to here. */
#define MAX_COORDINATE 1e6
/* Factor on the radius for each notch of the wheel. */
#define NOTCH 1.2
/* The oldest are only in the mask. */
#define MAX_PENDING 65536u
/* Most dabs that draw. */
#define MAX_DRAWN 65536u
/* Radius of drawn strokes until they are part of the drawing, in its pixels. */
#define DRAWN_RADIUS 1.

/* Text */

/* Not of NaN. */
static gboolean
is_in_range (gdouble coordinate)
{
  return fabs (coordinate) <= MAX_COORDINATE;
}

/* Parses "x,y", with optional white space around the comma. */
static gboolean
read_point (const gchar ** text, gdouble * x, gdouble * y)
{
  gchar *end;

  *x = g_ascii_strtod (*text, &end);
  if (end == *text || !is_in_range (*x))
    return FALSE;
  *text = cs_text_skip_space (end);
  if (**text != ',')
    return FALSE;
  (*text)++;
  *y = g_ascii_strtod (*text, &end);
  if (end == *text || !is_in_range (*y))
    return FALSE;
  /* not "1,2.5.6" or "1,2x" */
  if (*end && *end != ';' && !g_ascii_isspace (*end))
    return FALSE;
  *text = cs_text_skip_space (end);
  return TRUE;
}

GArray *
fourier_parse_strokes (const gchar * text, gdouble radius, GError ** error)
{
  GArray *dabs = g_array_new (FALSE, FALSE, sizeof (FourierDab));
  const gchar *at = cs_text_skip_space (text ? text : "");

  while (*at) {
    FourierDab dab = {.radius = radius };

    for (guint n = 0; *at && *at != ';'; n++) {
      if (!read_point (&at, &dab.x1, &dab.y1))
        goto wrong;
      /* the dab of the first point is a dot; the second one replaces it */
      if (n == 1)
        g_array_set_size (dabs, dabs->len - 1);
      if (n == 0) {
        dab.x0 = dab.x1;
        dab.y0 = dab.y1;
      }
      g_array_append_val (dabs, dab);
      dab.x0 = dab.x1;
      dab.y0 = dab.y1;
    }
    if (*at == ';')
      at = cs_text_skip_space (at + 1);
  }
  return dabs;

wrong:
  g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "exclude=\"%s\" is not a "
      "list of strokes, separated by semicolons, of points \"x,y\", separated "
      "by spaces, such as \"10,10 90,10; 50,40\" (up to a million pixels)",
      text);
  g_array_unref (dabs);
  return NULL;
}

/* The mouse */

void
fourier_brush_init (FourierBrush * brush)
{
  g_mutex_init (&brush->lock);
  brush->pending.dabs = g_array_new (FALSE, FALSE, sizeof (FourierDab));
  brush->erased = g_array_new (FALSE, FALSE, sizeof (FourierDab));
  brush->drawn = g_array_new (FALSE, FALSE, sizeof (FourierDab));
  /* a copy that is zeroed has none of it yet */
  brush->pending.epoch = 1;
}

void
fourier_brush_finalize (FourierBrush * brush)
{
  g_clear_pointer (&brush->mask, cs_brush_mask_free);
  g_clear_pointer (&brush->committed, cs_brush_mask_free);
  g_array_unref (brush->pending.dabs);
  g_array_unref (brush->erased);
  g_array_unref (brush->drawn);
  g_mutex_clear (&brush->lock);
}

/* With the lock held. */
static void
forget_pending (FourierBrush * brush)
{
  FourierPending *pending = &brush->pending;

  pending->first += pending->dabs->len;
  pending->epoch++;
  g_array_set_size (pending->dabs, 0);
  brush->n_stroked = 0;
}

void
fourier_brush_clear (FourierBrush * brush)
{
  g_mutex_lock (&brush->lock);
  g_clear_pointer (&brush->mask, cs_brush_mask_free);
  g_clear_pointer (&brush->committed, cs_brush_mask_free);
  g_array_set_size (brush->erased, 0);
  g_array_set_size (brush->drawn, 0);
  forget_pending (brush);
  brush->pressed = 0;
  g_mutex_unlock (&brush->lock);
}

static void
stroke (CsBrushMask * mask, const GArray * dabs, guint first)
{
  for (guint i = first; i < dabs->len; i++) {
    const FourierDab *dab = &g_array_index (dabs, FourierDab, i);

    if (!dab->draws)
      cs_brush_mask_stroke (mask, dab->x0, dab->y0, dab->x1, dab->y1,
          dab->radius);
  }
}

/* Adds the new dabs to the mask, if there is one. With the lock held. */
static void
stroke_pending (FourierBrush * brush)
{
  if (!brush->mask)
    return;
  stroke (brush->mask, brush->pending.dabs, brush->n_stroked);
  brush->n_stroked = brush->pending.dabs->len;
}

/* Keeps a dab to undo it. If there are too many that erase, those before cannot
 * be undone any more. With the lock held. Returns: FALSE if there are too many
 * that draw */
static gboolean
keep_dab (FourierBrush * brush, const FourierDab * dab)
{
  GArray *kept = dab->draws ? brush->drawn : brush->erased;

  if (dab->draws && kept->len == MAX_DRAWN)
    return FALSE;
  if (!dab->draws && kept->len == MAX_PENDING && brush->mask) {
    stroke_pending (brush);
    g_clear_pointer (&brush->committed, cs_brush_mask_free);
    brush->committed = g_steal_pointer (&brush->mask);
    g_array_set_size (kept, 0);
  }
  g_array_append_vals (kept, dab, 1);
  return TRUE;
}

/* If there are too many, drops the older half, which the mask has. With the
 * lock held. */
static void
add_dab (FourierBrush * brush, const FourierDab * dab)
{
  FourierPending *pending = &brush->pending;

  if (!keep_dab (brush, dab))
    return;
  if (pending->dabs->len == MAX_PENDING) {
    stroke_pending (brush);
    g_array_remove_range (pending->dabs, 0, MAX_PENDING / 2);
    pending->first += MAX_PENDING / 2;
    brush->n_stroked -= MIN (brush->n_stroked, MAX_PENDING / 2);
  }
  g_array_append_vals (pending->dabs, dab, 1);
}

/* Paints a straight line to the pointer: sinks merge fast motions. Returns:
 * FALSE if the coordinates are out of range */
static gboolean
paint_to (FourierBrush * brush, const FourierView * view,
    gdouble x, gdouble y, gdouble radius, gboolean begin)
{
  FourierDab dab = {.radius = brush->draws ? DRAWN_RADIUS : radius,
    .draws = brush->draws,.stroke = brush->n_strokes
  };

  /* window coordinates begin at the corner of the first pixel */
  dab.x1 = (x - view->dx) / view->scale - .5;
  dab.y1 = (y - view->dy) / view->scale - .5;
  if (!is_in_range (dab.x1) || !is_in_range (dab.y1))
    return FALSE;
  dab.x0 = begin ? dab.x1 : brush->x;
  dab.y0 = begin ? dab.y1 : brush->y;
  brush->x = dab.x1;
  brush->y = dab.y1;
  add_dab (brush, &dab);
  return TRUE;
}

static FourierAction
scroll (gdouble amount, gdouble * radius)
{
  if (amount == 0.)
    return FOURIER_ACTION_NONE;
  *radius = CLAMP (*radius * (amount > 0. ? NOTCH : 1. / NOTCH), MIN_RADIUS,
      MAX_RADIUS);
  return FOURIER_ACTION_RADIUS;
}

/* The first and the third button paint; some sinks report the wheel as buttons
 * 4 and 5. */
static FourierAction
press (FourierBrush * brush, GstEvent * event, gboolean draws,
    const FourierView * view, gdouble * radius)
{
  gdouble x, y;
  gint button;

  if (!gst_navigation_event_parse_mouse_button_event (event, &button, &x, &y))
    return FOURIER_ACTION_NONE;
  if (button == 4 || button == 5)
    return scroll (button == 4 ? 1. : -1., radius);
  if (button != 1 && button != 3)
    return FOURIER_ACTION_NONE;
  brush->draws = draws == (button == 1);
  brush->n_strokes++;
  brush->pressed = paint_to (brush, view, x, y, *radius, TRUE) ? button : 0;
  return FOURIER_ACTION_PAINTED;
}

static FourierAction
release (FourierBrush * brush, GstEvent * event,
    const FourierView * view, gdouble radius)
{
  gdouble x, y;
  gint button;

  if (!gst_navigation_event_parse_mouse_button_event (event, &button, &x, &y)
      || button != brush->pressed || !brush->pressed)
    return FOURIER_ACTION_NONE;
  brush->pressed = 0;
  paint_to (brush, view, x, y, radius, FALSE);
  return FOURIER_ACTION_PAINTED;
}

static FourierAction
move (FourierBrush * brush, GstEvent * event,
    const FourierView * view, gdouble radius)
{
  gdouble x, y;

  if (!brush->pressed ||
      !gst_navigation_event_parse_mouse_move_event (event, &x, &y))
    return FOURIER_ACTION_NONE;
  paint_to (brush, view, x, y, radius, FALSE);
  return FOURIER_ACTION_PAINTED;
}

static guint64
get_last_stroke (const GArray * dabs)
{
  return dabs->len == 0 ? 0 : g_array_index (dabs, FourierDab,
      dabs->len - 1).stroke;
}

/* Takes the last stroke back. */
static FourierAction
undo (FourierBrush * brush)
{
  const guint64 erased = get_last_stroke (brush->erased);
  const guint64 drawn = get_last_stroke (brush->drawn);
  const guint64 last = MAX (erased, drawn);
  GArray *kept = erased > drawn ? brush->erased : brush->drawn;
  GArray *pending = brush->pending.dabs;
  guint i, n = 0;

  if (last == 0)
    return FOURIER_ACTION_NONE;
  while (get_last_stroke (kept) == last)
    g_array_set_size (kept, kept->len - 1);
  for (i = 0; i < pending->len; i++) {
    const FourierDab dab = g_array_index (pending, FourierDab, i);

    if (dab.stroke != last)
      g_array_index (pending, FourierDab, n++) = dab;
  }
  g_array_set_size (pending, n);
  brush->pending.epoch++;
  brush->pressed = 0;
  /* made again without it */
  g_clear_pointer (&brush->mask, cs_brush_mask_free);
  brush->n_stroked = 0;
  return FOURIER_ACTION_REDRAW;
}

static FourierAction
press_key (FourierBrush * brush, GstEvent * event)
{
  const gchar *key;

  if (!gst_navigation_event_parse_key_event (event, &key))
    return FOURIER_ACTION_NONE;
  if (g_ascii_strcasecmp (key, "r") == 0)
    return FOURIER_ACTION_REDRAW;
  if (g_ascii_strcasecmp (key, "u") == 0 ||
      g_ascii_strcasecmp (key, "BackSpace") == 0)
    return undo (brush);
  return FOURIER_ACTION_NONE;
}

static FourierAction
turn_wheel (GstEvent * event, gdouble * radius)
{
  gdouble x, y, dx, dy;

  if (!gst_navigation_event_parse_mouse_scroll_event (event, &x, &y, &dx, &dy))
    return FOURIER_ACTION_NONE;
  return scroll (dy, radius);
}

FourierAction
fourier_brush_navigate (FourierBrush * brush, GstEvent * event,
    gboolean draws, const FourierView * view, gdouble * radius)
{
  FourierAction action = FOURIER_ACTION_NONE;

  g_mutex_lock (&brush->lock);
  switch (gst_navigation_event_get_type (event)) {
    case GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS:
      action = press (brush, event, draws, view, radius);
      break;
    case GST_NAVIGATION_EVENT_MOUSE_BUTTON_RELEASE:
      action = release (brush, event, view, *radius);
      break;
    case GST_NAVIGATION_EVENT_MOUSE_MOVE:
      action = move (brush, event, view, *radius);
      break;
    case GST_NAVIGATION_EVENT_MOUSE_SCROLL:
      action = turn_wheel (event, radius);
      break;
    case GST_NAVIGATION_EVENT_KEY_PRESS:
      action = press_key (brush, event);
      break;
    default:
      break;
  }
  g_mutex_unlock (&brush->lock);
  return action;
}

void
fourier_brush_get_pending (FourierBrush * brush, FourierPending * pending)
{
  const FourierPending *all = &brush->pending;

  g_mutex_lock (&brush->lock);
  guint64 known = pending->first + pending->dabs->len;
  if (pending->epoch != all->epoch || known < all->first) {
    g_array_set_size (pending->dabs, 0);
    known = all->first;
  } else if (pending->first < all->first) {
    g_array_remove_range (pending->dabs, 0, all->first - pending->first);
  }
  pending->first = all->first;
  pending->epoch = all->epoch;
  if (known < all->first + all->dabs->len)
    g_array_append_vals (pending->dabs, &g_array_index (all->dabs, FourierDab,
            known - all->first), all->first + all->dabs->len - known);
  g_mutex_unlock (&brush->lock);
}

/* Masks */

static gboolean
add_file (CsBrushMask * mask, const gchar * path, guint width, guint height,
    GError ** error)
{
  g_autofree guint8 *data = gst_shapes_mask_load (path, width, height, error);

  if (!data) {
    g_prefix_error (error, "no mask: ");
    return FALSE;
  }
  CsImage image = cs_image_gray (data, CS_SAMPLE_U8, width, height, width);
  return cs_brush_mask_add_image (mask, &image, error);
}

/* Makes a mask of @width x @height, with all dabs. With the lock held. */
static gboolean
resize_mask (FourierBrush * brush, guint width, guint height, GError ** error)
{
  if (brush->mask && cs_brush_mask_has_size (brush->mask, width, height))
    return TRUE;
  CsBrushMask *mask = cs_brush_mask_new (width, height, error);
  if (!mask)
    return FALSE;
  if (brush->committed)
    cs_brush_mask_add (mask, brush->committed);
  stroke (mask, brush->erased, 0);
  g_clear_pointer (&brush->mask, cs_brush_mask_free);
  brush->mask = mask;
  brush->n_stroked = brush->pending.dabs->len;
  return TRUE;
}

/* Makes the mask of the picture's size, with all dabs; none is pending then.
 *
 * @copy: (out): of the mask, unless it is empty */
static gboolean
copy_mask (FourierBrush * brush, gboolean enabled, guint width,
    guint height, CsBrushMask ** copy, GError ** error)
{
  gboolean ok = TRUE;

  g_mutex_lock (&brush->lock);
  /* add_dab() needs one */
  if (enabled || brush->mask || brush->committed || brush->erased->len > 0)
    ok = resize_mask (brush, width, height, error);
  if (ok)
    stroke_pending (brush);
  if (ok && brush->mask && !cs_brush_mask_is_empty (brush->mask)) {
    *copy = cs_brush_mask_new (width, height, error);
    ok = *copy != NULL;
    if (ok)
      cs_brush_mask_add (*copy, brush->mask);
  }
  if (ok)
    forget_pending (brush);
  g_mutex_unlock (&brush->lock);
  return ok;
}

gboolean
fourier_brush_make_mask (FourierBrush * brush, const FourierSettings * settings,
    guint width, guint height, CsBrushMask ** mask, GError ** error)
{
  const gchar *path = settings->exclude_mask;
  g_autoptr (GArray) dabs = fourier_parse_strokes (settings->exclude,
      settings->brush_radius, error);
  gboolean ok;

  *mask = NULL;
  if (!dabs)
    return FALSE;
  ok = copy_mask (brush, settings->brush_enabled, width, height, mask, error);
  if (ok && !*mask && (dabs->len > 0 || (path && *path)))
    ok = (*mask = cs_brush_mask_new (width, height, error)) != NULL;
  if (ok && dabs->len > 0)
    stroke (*mask, dabs, 0);
  if (ok && path && *path)
    ok = add_file (*mask, path, width, height, error);
  if (!ok)
    g_clear_pointer (mask, cs_brush_mask_free);
  return ok;
}

/* Drawn strokes */

/* Appends the strokes to @to; only counts without it. With the lock held. */
static void
copy_strokes (const GArray * drawn, FourierContours * to,
    gsize * n_points, gsize * n_strokes)
{
  guint64 last = 0;

  for (guint i = 0; i < drawn->len; i++) {
    const FourierDab *dab = &g_array_index (drawn, FourierDab, i);
    /* points on the way from its start, without it */
    const guint n = (guint) CLAMP (ceil (hypot (dab->x1 - dab->x0,
                dab->y1 - dab->y0)), 1., 65536.);
    /* the first dab of a stroke is a dot */
    const guint from = dab->stroke != last ? 0 : 1;

    *n_strokes += dab->stroke != last;
    last = dab->stroke;
    for (guint k = from; to && k <= n; k++) {
      CsStrokePoint *point = &to->points[*n_points + k - from];

      point->x = dab->x0 + (dab->x1 - dab->x0) * k / n;
      point->y = dab->y0 + (dab->y1 - dab->y0) * k / n;
    }
    *n_points += n + 1 - from;
    if (to)
      to->offsets[*n_strokes] = *n_points;
  }
}

static FourierContours *
append_strokes (const GArray * drawn, const FourierContours * contours,
    GError ** error)
{
  const gsize size = (gsize) contours->color_width * contours->color_height;
  gsize n_points = contours->offsets[contours->n_contours];
  gsize n_contours = contours->n_contours;

  copy_strokes (drawn, NULL, &n_points, &n_contours);
  FourierContours *all = fourier_contours_new (contours->width,
      contours->height, n_points, n_contours, error);
  if (!all)
    return NULL;
  all->n_contours = n_contours;
  all->scale = contours->scale;
  all->min_points = contours->min_points;
  n_points = contours->offsets[contours->n_contours];
  n_contours = contours->n_contours;
  memcpy (all->points, contours->points, n_points * sizeof (*all->points));
  memcpy (all->offsets, contours->offsets, (n_contours + 1) *
      sizeof (*all->offsets));
  copy_strokes (drawn, all, &n_points, &n_contours);
  if (contours->colors) {
    all->colors = cs_try_new (guint32, size);
    if (!all->colors) {
      cs_fail_no_memory (error, "a picture's colours");
      fourier_contours_unref (all);
      return NULL;
    }
    memcpy (all->colors, contours->colors, size * sizeof (guint32));
    all->color_width = contours->color_width;
    all->color_height = contours->color_height;
  }
  return all;
}

FourierContours *
fourier_brush_add_strokes (FourierBrush * brush,
    FourierContours * contours, GError ** error)
{
  FourierContours *all;

  g_mutex_lock (&brush->lock);
  if (brush->drawn->len > 0)
    all = append_strokes (brush->drawn, contours, error);
  else
    all = fourier_contours_ref (contours);
  g_mutex_unlock (&brush->lock);
  return all;
}
