/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfourierdrawbrush.h"

#include <math.h>

#include <gst/video/navigation.h>

#include "gstshapespgm.h"

#define MIN_RADIUS .5
#define MAX_RADIUS 65536.
/* Pictures are smaller by far, and the brush is exact up to here. */
#define MAX_COORDINATE 1e6
/* How much a notch of the wheel changes the brush. */
#define NOTCH 1.2

/* Text */

static const gchar *
skip_space (const gchar * text)
{
  while (g_ascii_isspace (*text))
    text++;
  return text;
}

/* Also whether it is a number at all. */
static gboolean
is_in_range (gdouble coordinate)
{
  return fabs (coordinate) <= MAX_COORDINATE;
}

/* Reads "x,y"; no more than white space around the comma. */
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
  /* "1,2.5.6" and "1,2x" are no points */
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
      /* the first point alone is a dot, unless there is another one */
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
      "list of strokes: points \"x,y\" with spaces in between, and semicolons "
      "between strokes, such as \"10,10 90,10; 50,40\" (up to a million "
      "pixels)", text);
  g_array_unref (dabs);
  return NULL;
}

/* The mouse */

void
gst_fourier_draw_brush_init (GstFourierDrawBrush * brush)
{
  g_mutex_init (&brush->lock);
  brush->dabs = g_array_new (FALSE, FALSE, sizeof (GstFourierDrawDab));
}

void
gst_fourier_draw_brush_finalize (GstFourierDrawBrush * brush)
{
  g_array_unref (brush->dabs);
  g_mutex_clear (&brush->lock);
}

void
gst_fourier_draw_brush_clear (GstFourierDrawBrush * brush)
{
  g_mutex_lock (&brush->lock);
  g_array_set_size (brush->dabs, 0);
  brush->n_applied = 0;
  brush->pressed = FALSE;
  g_mutex_unlock (&brush->lock);
}

/* Goes on to where the pointer is in the window. Sinks report only the last
 * one of motions that follow each other fast, so the brush goes straight.
 * Returns: FALSE for a place that cannot be meant. */
static gboolean
paint_to (GstFourierDrawBrush * brush, const GstFourierDrawView * view,
    gdouble x, gdouble y, gdouble radius, gboolean begin)
{
  GstFourierDrawDab dab = {.radius = radius };

  /* the window counts from the corner of the first pixel */
  dab.x1 = (x - view->dx) / view->scale - .5;
  dab.y1 = (y - view->dy) / view->scale - .5;
  if (!is_in_range (dab.x1) || !is_in_range (dab.y1))
    return FALSE;
  dab.x0 = begin ? dab.x1 : brush->x;
  dab.y0 = begin ? dab.y1 : brush->y;
  brush->x = dab.x1;
  brush->y = dab.y1;
  g_array_append_val (brush->dabs, dab);
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
gst_fourier_draw_brush_get_pending (GstFourierDrawBrush * brush, GArray * dabs)
{
  g_mutex_lock (&brush->lock);
  if (brush->dabs->len > brush->n_applied)
    g_array_append_vals (dabs, &g_array_index (brush->dabs, GstFourierDrawDab,
            brush->n_applied), brush->dabs->len - brush->n_applied);
  g_mutex_unlock (&brush->lock);
}

/* Masks */

static void
stroke (CsBrushMask * mask, const GArray * dabs)
{
  guint i;

  for (i = 0; i < dabs->len; i++) {
    const GstFourierDrawDab *dab = &g_array_index (dabs, GstFourierDrawDab, i);

    cs_brush_mask_stroke (mask, dab->x0, dab->y0, dab->x1, dab->y1,
        dab->radius);
  }
}

static gboolean
add_file (CsBrushMask * mask, const gchar * path, guint width, guint height,
    GError ** error)
{
  guint8 *data = gst_shapes_pgm_load (path, width, height, error);
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

gboolean
gst_fourier_draw_brush_make_mask (GstFourierDrawBrush * brush,
    const GstFourierDrawSettings * settings, guint width, guint height,
    CsBrushMask ** mask, GError ** error)
{
  const gchar *path = settings->exclude_mask;
  GArray *dabs = gst_fourier_draw_parse_strokes (settings->exclude,
      settings->brush_radius, error);
  gboolean ok = TRUE;

  *mask = NULL;
  if (!dabs)
    return FALSE;
  g_mutex_lock (&brush->lock);
  if (brush->dabs->len > 0)
    g_array_append_vals (dabs, brush->dabs->data, brush->dabs->len);
  brush->n_applied = brush->dabs->len;
  g_mutex_unlock (&brush->lock);

  if (dabs->len > 0 || (path && *path)) {
    *mask = cs_brush_mask_new (width, height, error);
    ok = *mask != NULL;
    if (ok)
      stroke (*mask, dabs);
    if (ok && path && *path)
      ok = add_file (*mask, path, width, height, error);
    if (!ok)
      g_clear_pointer (mask, cs_brush_mask_free);
  }
  g_array_unref (dabs);
  return ok;
}
