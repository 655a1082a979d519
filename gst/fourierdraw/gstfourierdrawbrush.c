/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfourierdrawbrush.h"

#include <math.h>

#include <gst/video/navigation.h>

#include "element/gstshapesmask.h"

#define MIN_RADIUS .5
#define MAX_RADIUS 65536.
/* The brush is exact up to here. */
#define MAX_COORDINATE 1e6
/* Factor on the radius for each notch of the wheel. */
#define NOTCH 1.2
/* The oldest are only in the mask. */
#define MAX_PENDING 65536u

/* Text */

static const gchar *
skip_space (const gchar * text)
{
  while (g_ascii_isspace (*text))
    text++;
  return text;
}

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
  *text = skip_space (end);
  if (**text != ',')
    return FALSE;
  (*text)++;
  *y = g_ascii_strtod (*text, &end);
  if (end == *text || !is_in_range (*y))
    return FALSE;
  /* not "1,2.5.6" or "1,2x" */
  if (*end && *end != ';' && !g_ascii_isspace (*end))
    return FALSE;
  *text = skip_space (end);
  return TRUE;
}

GArray *
gst_fourier_draw_parse_strokes (const gchar * text, gdouble radius,
    GError ** error)
{
  GArray *dabs = g_array_new (FALSE, FALSE, sizeof (GstFourierDrawDab));
  const gchar *at = skip_space (text ? text : "");

  while (*at) {
    GstFourierDrawDab dab = {.radius = radius };
    guint n;

    for (n = 0; *at && *at != ';'; n++) {
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
      at = skip_space (at + 1);
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
gst_fourier_draw_brush_init (GstFourierDrawBrush * brush)
{
  g_mutex_init (&brush->lock);
  brush->pending.dabs = g_array_new (FALSE, FALSE, sizeof (GstFourierDrawDab));
  /* not that of a copy that is still zero */
  brush->pending.epoch = 1;
}

void
gst_fourier_draw_brush_finalize (GstFourierDrawBrush * brush)
{
  g_clear_pointer (&brush->mask, cs_brush_mask_free);
  g_array_unref (brush->pending.dabs);
  g_mutex_clear (&brush->lock);
}

/* With the lock held. */
static void
forget_pending (GstFourierDrawBrush * brush)
{
  GstFourierDrawPending *pending = &brush->pending;

  pending->first += pending->dabs->len;
  pending->epoch++;
  g_array_set_size (pending->dabs, 0);
  brush->n_stroked = 0;
}

void
gst_fourier_draw_brush_clear (GstFourierDrawBrush * brush)
{
  g_mutex_lock (&brush->lock);
  g_clear_pointer (&brush->mask, cs_brush_mask_free);
  forget_pending (brush);
  brush->pressed = FALSE;
  g_mutex_unlock (&brush->lock);
}

static void
stroke (CsBrushMask * mask, const GArray * dabs, guint first)
{
  guint i;

  for (i = first; i < dabs->len; i++) {
    const GstFourierDrawDab *dab = &g_array_index (dabs, GstFourierDrawDab, i);

    cs_brush_mask_stroke (mask, dab->x0, dab->y0, dab->x1, dab->y1,
        dab->radius);
  }
}

/* Adds the new dabs to the mask, if there is one. With the lock held. */
static void
stroke_pending (GstFourierDrawBrush * brush)
{
  if (!brush->mask)
    return;
  stroke (brush->mask, brush->pending.dabs, brush->n_stroked);
  brush->n_stroked = brush->pending.dabs->len;
}

/* If there are too many, drops the older half, which the mask has. With the
 * lock held. */
static void
add_dab (GstFourierDrawBrush * brush, const GstFourierDrawDab * dab)
{
  GstFourierDrawPending *pending = &brush->pending;

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
paint_to (GstFourierDrawBrush * brush, const GstFourierDrawView * view,
    gdouble x, gdouble y, gdouble radius, gboolean begin)
{
  GstFourierDrawDab dab = {.radius = radius };

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

static GstFourierDrawAction
scroll (gdouble amount, gdouble * radius)
{
  if (amount == 0.)
    return GST_FOURIER_DRAW_ACTION_NONE;
  *radius = CLAMP (*radius * (amount > 0. ? NOTCH : 1. / NOTCH), MIN_RADIUS,
      MAX_RADIUS);
  return GST_FOURIER_DRAW_ACTION_RADIUS;
}

/* The first button paints; some sinks report the wheel as buttons 4 and 5. */
static GstFourierDrawAction
press (GstFourierDrawBrush * brush, GstEvent * event,
    const GstFourierDrawView * view, gdouble * radius)
{
  gdouble x, y;
  gint button;

  if (!gst_navigation_event_parse_mouse_button_event (event, &button, &x, &y))
    return GST_FOURIER_DRAW_ACTION_NONE;
  if (button == 4 || button == 5)
    return scroll (button == 4 ? 1. : -1., radius);
  if (button != 1)
    return GST_FOURIER_DRAW_ACTION_NONE;
  brush->pressed = paint_to (brush, view, x, y, *radius, TRUE);
  return GST_FOURIER_DRAW_ACTION_PAINTED;
}

static GstFourierDrawAction
release (GstFourierDrawBrush * brush, GstEvent * event,
    const GstFourierDrawView * view, gdouble radius)
{
  gdouble x, y;
  gint button;

  if (!gst_navigation_event_parse_mouse_button_event (event, &button, &x, &y)
      || button != 1 || !brush->pressed)
    return GST_FOURIER_DRAW_ACTION_NONE;
  brush->pressed = FALSE;
  paint_to (brush, view, x, y, radius, FALSE);
  return GST_FOURIER_DRAW_ACTION_PAINTED;
}

static GstFourierDrawAction
move (GstFourierDrawBrush * brush, GstEvent * event,
    const GstFourierDrawView * view, gdouble radius)
{
  gdouble x, y;

  if (!brush->pressed ||
      !gst_navigation_event_parse_mouse_move_event (event, &x, &y))
    return GST_FOURIER_DRAW_ACTION_NONE;
  paint_to (brush, view, x, y, radius, FALSE);
  return GST_FOURIER_DRAW_ACTION_PAINTED;
}

static GstFourierDrawAction
press_key (GstEvent * event)
{
  const gchar *key;

  if (gst_navigation_event_parse_key_event (event, &key) &&
      g_ascii_strcasecmp (key, "r") == 0)
    return GST_FOURIER_DRAW_ACTION_REDRAW;
  return GST_FOURIER_DRAW_ACTION_NONE;
}

static GstFourierDrawAction
turn_wheel (GstEvent * event, gdouble * radius)
{
  gdouble x, y, dx, dy;

  if (!gst_navigation_event_parse_mouse_scroll_event (event, &x, &y, &dx, &dy))
    return GST_FOURIER_DRAW_ACTION_NONE;
  return scroll (dy, radius);
}

GstFourierDrawAction
gst_fourier_draw_brush_navigate (GstFourierDrawBrush * brush, GstEvent * event,
    const GstFourierDrawView * view, gdouble * radius)
{
  GstFourierDrawAction action = GST_FOURIER_DRAW_ACTION_NONE;

  g_mutex_lock (&brush->lock);
  switch (gst_navigation_event_get_type (event)) {
    case GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS:
      action = press (brush, event, view, radius);
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
      action = press_key (event);
      break;
    default:
      break;
  }
  g_mutex_unlock (&brush->lock);
  return action;
}

void
gst_fourier_draw_brush_get_pending (GstFourierDrawBrush * brush,
    GstFourierDrawPending * pending)
{
  const GstFourierDrawPending *all = &brush->pending;
  guint64 known;

  g_mutex_lock (&brush->lock);
  known = pending->first + pending->dabs->len;
  if (pending->epoch != all->epoch || known < all->first) {
    g_array_set_size (pending->dabs, 0);
    known = all->first;
  } else if (pending->first < all->first) {
    g_array_remove_range (pending->dabs, 0, all->first - pending->first);
  }
  pending->first = all->first;
  pending->epoch = all->epoch;
  if (known < all->first + all->dabs->len)
    g_array_append_vals (pending->dabs, &g_array_index (all->dabs,
            GstFourierDrawDab, known - all->first),
        all->first + all->dabs->len - known);
  g_mutex_unlock (&brush->lock);
}

/* Masks */

static gboolean
add_file (CsBrushMask * mask, const gchar * path, guint width, guint height,
    GError ** error)
{
  guint8 *data = gst_shapes_mask_load (path, width, height, error);
  CsImage image;
  gboolean ok;

  if (!data) {
    g_prefix_error (error, "no mask: ");
    return FALSE;
  }
  image = cs_image_gray (data, CS_SAMPLE_U8, width, height, width);
  ok = cs_brush_mask_add_image (mask, &image, error);
  g_free (data);
  return ok;
}

/* Copies the mask to one of @width x @height. With the lock held. */
static gboolean
resize_mask (GstFourierDrawBrush * brush, guint width, guint height,
    GError ** error)
{
  CsBrushMask *mask;

  if (brush->mask && cs_brush_mask_has_size (brush->mask, width, height))
    return TRUE;
  mask = cs_brush_mask_new (width, height, error);
  if (!mask)
    return FALSE;
  if (brush->mask)
    cs_brush_mask_add (mask, brush->mask);
  g_clear_pointer (&brush->mask, cs_brush_mask_free);
  brush->mask = mask;
  /* the pending dabs may be outside of the old one */
  brush->n_stroked = 0;
  return TRUE;
}

/* Makes the mask of the picture's size, with all dabs; none is pending then.
 *
 * @copy: (out): of the mask, unless it is empty */
static gboolean
copy_mask (GstFourierDrawBrush * brush, gboolean enabled, guint width,
    guint height, CsBrushMask ** copy, GError ** error)
{
  gboolean ok = TRUE;

  g_mutex_lock (&brush->lock);
  /* add_dab() needs one */
  if (enabled || brush->mask || brush->pending.dabs->len > 0)
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

static gboolean
ensure_mask (CsBrushMask ** mask, guint width, guint height, GError ** error)
{
  if (!*mask)
    *mask = cs_brush_mask_new (width, height, error);
  return *mask != NULL;
}

gboolean
gst_fourier_draw_brush_make_mask (GstFourierDrawBrush * brush,
    const GstFourierDrawSettings * settings, guint width, guint height,
    CsBrushMask ** mask, GError ** error)
{
  const gchar *path = settings->exclude_mask;
  GArray *dabs = gst_fourier_draw_parse_strokes (settings->exclude,
      settings->brush_radius, error);
  gboolean ok;

  *mask = NULL;
  if (!dabs)
    return FALSE;
  ok = copy_mask (brush, settings->brush_enabled, width, height, mask, error);
  if (ok && (dabs->len > 0 || (path && *path)))
    ok = ensure_mask (mask, width, height, error);
  if (ok && dabs->len > 0)
    stroke (*mask, dabs, 0);
  if (ok && path && *path)
    ok = add_file (*mask, path, width, height, error);
  if (!ok)
    g_clear_pointer (mask, cs_brush_mask_free);
  g_array_unref (dabs);
  return ok;
}
