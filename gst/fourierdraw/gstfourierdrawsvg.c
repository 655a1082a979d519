/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfourierdrawsvg.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "element/gstshapesfile.h"
#include "gstfourierdrawsvgpath.h"

/* Elements within each other. */
#define MAX_DEPTH 256
/* Pixels between points of a line. */
#define MAX_POINTS (1u << 24)

/* A tag: its name, and where its attributes begin and end. */
typedef struct
{
  const gchar *name, *attributes, *end;
  gsize length;
} Tag;

/**
 * Reader:
 * @matrices: of the elements that are open; @depth of them
 * @hidden: depth of the element that is left out with all that it contains; 0
 *     for none
 * @box: of the document: x, y, width, height; no width if it does not say
 */
typedef struct
{
  GstFourierDrawPen pen;
  GstFourierDrawMatrix matrices[MAX_DEPTH];
  guint depth, hidden;
  gdouble box[4];
  gboolean has_root;
} Reader;

static gboolean
is_named (const Tag * tag, const gchar * name)
{
  return strlen (name) == tag->length &&
      strncmp (tag->name, name, tag->length) == 0;
}

/* Returns: (transfer full) (nullable): the value of an attribute */
static gchar *
get_text (const Tag * tag, const gchar * name)
{
  const gchar *at = tag->attributes;
  const gsize length = strlen (name);

  while (at < tag->end) {
    const gchar *begin, *equals, *value, *close;

    while (at < tag->end && (g_ascii_isspace (*at) || *at == '/'))
      at++;
    begin = at;
    equals = memchr (at, '=', tag->end - at);
    if (!equals)
      return NULL;
    for (value = equals + 1; value < tag->end && g_ascii_isspace (*value);)
      value++;
    if (value >= tag->end || (*value != '"' && *value != '\''))
      return NULL;
    close = memchr (value + 1, *value, tag->end - value - 1);
    if (!close)
      return NULL;
    while (equals > begin && g_ascii_isspace (equals[-1]))
      equals--;
    if ((gsize) (equals - begin) == length &&
        strncmp (begin, name, length) == 0)
      return g_strndup (value + 1, close - value - 1);
    at = close + 1;
  }
  return NULL;
}

/* The number of an attribute, units left out; @other if there is none. */
static gdouble
get_number (const Tag * tag, const gchar * name, gdouble other)
{
  gchar *text = get_text (tag, name);
  const gchar *at = text;
  gdouble number;

  if (!text || !gst_fourier_draw_read_number (&at, &number))
    number = other;
  g_free (text);
  return number;
}

static void
read_root (Reader * reader, const Tag * tag)
{
  gchar *text;
  const gchar *at;
  guint i;

  if (reader->has_root)
    return;
  reader->has_root = TRUE;
  text = get_text (tag, "viewBox");
  at = text;
  for (i = 0; text && i < 4 && gst_fourier_draw_read_number (&at,
          &reader->box[i]); i++);
  if (i < 4) {
    reader->box[0] = reader->box[1] = 0.;
    reader->box[2] = get_number (tag, "width", 0.);
    reader->box[3] = get_number (tag, "height", 0.);
  }
  g_free (text);
}

static void
draw_points (GstFourierDrawPen * pen, const Tag * tag, gboolean closed)
{
  gchar *text = get_text (tag, "points");
  const gchar *at = text;
  gdouble x, y, x0 = 0., y0 = 0.;
  guint n = 0;

  while (text && gst_fourier_draw_read_number (&at, &x) &&
      gst_fourier_draw_read_number (&at, &y)) {
    if (n++ == 0) {
      gst_fourier_draw_pen_move (pen, x0 = x, y0 = y);
    } else {
      gst_fourier_draw_pen_line (pen, x, y);
    }
  }
  if (closed && n > 1)
    gst_fourier_draw_pen_line (pen, x0, y0);
  g_free (text);
}

static void
draw_rect (GstFourierDrawPen * pen, const Tag * tag)
{
  const gdouble x = get_number (tag, "x", 0.), y = get_number (tag, "y", 0.);
  const gdouble w = get_number (tag, "width", 0.);
  const gdouble h = get_number (tag, "height", 0.);
  const gdouble round_x = get_number (tag, "rx", -1.);
  const gdouble round_y = get_number (tag, "ry", round_x);
  const gdouble rx = CLAMP (round_x < 0. ? round_y : round_x, 0., w / 2.);
  const gdouble ry = CLAMP (round_y, 0., h / 2.);

  if (!(w > 0.) || !(h > 0.))
    return;
  gst_fourier_draw_pen_move (pen, x + rx, y);
  gst_fourier_draw_pen_line (pen, x + w - rx, y);
  gst_fourier_draw_pen_ellipse (pen, x + w - rx, y + ry, rx, ry, 0.,
      -G_PI / 2., G_PI / 2.);
  gst_fourier_draw_pen_line (pen, x + w, y + ry);
  gst_fourier_draw_pen_line (pen, x + w, y + h - ry);
  gst_fourier_draw_pen_ellipse (pen, x + w - rx, y + h - ry, rx, ry, 0., 0.,
      G_PI / 2.);
  gst_fourier_draw_pen_line (pen, x + w - rx, y + h);
  gst_fourier_draw_pen_line (pen, x + rx, y + h);
  gst_fourier_draw_pen_ellipse (pen, x + rx, y + h - ry, rx, ry, 0.,
      G_PI / 2., G_PI / 2.);
  gst_fourier_draw_pen_line (pen, x, y + h - ry);
  gst_fourier_draw_pen_line (pen, x, y + ry);
  gst_fourier_draw_pen_ellipse (pen, x + rx, y + ry, rx, ry, 0., G_PI,
      G_PI / 2.);
  gst_fourier_draw_pen_line (pen, x + rx, y);
}

static void
draw_ellipse (GstFourierDrawPen * pen, const Tag * tag, gboolean circle)
{
  const gdouble x = get_number (tag, "cx", 0.), y = get_number (tag, "cy", 0.);
  const gdouble rx = get_number (tag, circle ? "r" : "rx", 0.);
  const gdouble ry = circle ? rx : get_number (tag, "ry", 0.);

  if (!(rx > 0.) || !(ry > 0.))
    return;
  gst_fourier_draw_pen_move (pen, x + rx, y);
  gst_fourier_draw_pen_ellipse (pen, x, y, rx, ry, 0., 0., 2. * G_PI);
  gst_fourier_draw_pen_line (pen, x + rx, y);
}

static void
draw_shape (GstFourierDrawPen * pen, const Tag * tag)
{
  gchar *data;

  if (is_named (tag, "path")) {
    data = get_text (tag, "d");
    if (data)
      gst_fourier_draw_pen_path (pen, data);
    g_free (data);
  } else if (is_named (tag, "rect")) {
    draw_rect (pen, tag);
  } else if (is_named (tag, "circle") || is_named (tag, "ellipse")) {
    draw_ellipse (pen, tag, is_named (tag, "circle"));
  } else if (is_named (tag, "polyline") || is_named (tag, "polygon")) {
    draw_points (pen, tag, is_named (tag, "polygon"));
  } else if (is_named (tag, "line")) {
    gst_fourier_draw_pen_move (pen, get_number (tag, "x1", 0.),
        get_number (tag, "y1", 0.));
    gst_fourier_draw_pen_line (pen, get_number (tag, "x2", 0.),
        get_number (tag, "y2", 0.));
  }
}

static gboolean
is_hidden (const Tag * tag)
{
  static const gchar *const names[] = { "defs", "symbol", "clipPath", "mask",
    "pattern", "marker", "style", "script", "metadata"
  };
  gchar *display = get_text (tag, "display");
  gboolean hidden = g_strcmp0 (display, "none") == 0;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++)
    hidden |= is_named (tag, names[i]);
  g_free (display);
  return hidden;
}

/* An element begins. Returns: FALSE with the pen's error set */
static gboolean
open_element (Reader * reader, const Tag * tag)
{
  GstFourierDrawPen *pen = &reader->pen;
  gchar *transform;

  if (reader->depth == MAX_DEPTH) {
    g_set_error (&pen->error, CS_ERROR, CS_ERROR_LIMIT,
        "there are more than %d elements within each other", MAX_DEPTH);
    return FALSE;
  }
  reader->matrices[reader->depth++] = pen->matrix;
  if (is_named (tag, "svg"))
    read_root (reader, tag);
  if (!reader->hidden && is_hidden (tag))
    reader->hidden = reader->depth;
  if (reader->hidden)
    return TRUE;
  transform = get_text (tag, "transform");
  if (transform)
    gst_fourier_draw_matrix_parse (&pen->matrix, transform, &pen->error);
  g_free (transform);
  if (!pen->error)
    draw_shape (pen, tag);
  return !pen->error;
}

static void
close_element (Reader * reader)
{
  if (reader->depth == 0)
    return;
  if (reader->hidden == reader->depth)
    reader->hidden = 0;
  reader->pen.matrix = reader->matrices[--reader->depth];
}

/* What @at begins ends with @text; %NULL if it does not end. */
static const gchar *
skip_to (const gchar * at, const gchar * text)
{
  const gchar *end = strstr (at, text);

  return end ? end + strlen (text) : NULL;
}

/* The end of a tag, not within quotes. */
static const gchar *
find_end (const gchar * at)
{
  for (; *at && *at != '>'; at++) {
    if (*at == '"' || *at == '\'') {
      at = strchr (at + 1, *at);
      if (!at)
        return NULL;
    }
  }
  return *at ? at : NULL;
}

/* The tag at @at. Returns: where it ends, or %NULL */
static const gchar *
read_tag (Reader * reader, const gchar * at)
{
  Tag tag = {.name = at + 1 };
  gsize prefix;

  if (g_str_has_prefix (at, "<!--"))
    return skip_to (at + 4, "-->");
  if (g_str_has_prefix (at, "<![CDATA["))
    return skip_to (at, "]]>");
  tag.end = find_end (at);
  if (!tag.end)
    return NULL;
  if (at[1] == '/') {
    close_element (reader);
  } else if (at[1] != '?' && at[1] != '!') {
    while (tag.name + tag.length < tag.end &&
        !g_ascii_isspace (tag.name[tag.length]) && tag.name[tag.length] != '/')
      tag.length++;
    /* a name of any prefix */
    tag.attributes = tag.name + tag.length;
    prefix = tag.length;
    while (prefix > 0 && tag.name[prefix - 1] != ':')
      prefix--;
    tag.name += prefix;
    tag.length -= prefix;
    if (open_element (reader, &tag) && tag.end[-1] == '/')
      close_element (reader);
  }
  return tag.end + 1;
}

/* The box of what is drawn. */
static void
find_box (const GstFourierDrawPen * pen, gdouble * box)
{
  const gdouble *p = (const gdouble *) (gconstpointer) pen->points.data;
  gdouble x1 = -INFINITY, y1 = -INFINITY;
  gsize i;

  box[0] = box[1] = INFINITY;
  for (i = 0; i < pen->points.len; i++) {
    box[0] = MIN (box[0], p[2 * i]);
    box[1] = MIN (box[1], p[2 * i + 1]);
    x1 = MAX (x1, p[2 * i]);
    y1 = MAX (y1, p[2 * i + 1]);
  }
  box[2] = x1 - box[0];
  box[3] = y1 - box[1];
}

/* Copies lines, or only counts their points. */
static gsize
copy_lines (const Reader * reader, const GstFourierDrawMatrix * m,
    GstFourierDrawContours * contours)
{
  const GstFourierDrawPen *pen = &reader->pen;
  const gdouble *p = (const gdouble *) (gconstpointer) pen->points.data;
  gsize line, i, n = 0;

  for (line = 0; line < pen->starts.len; line++) {
    const gsize first = cs_array_index (&pen->starts, gsize, line);
    const gsize end = line + 1 < pen->starts.len ?
        cs_array_index (&pen->starts, gsize, line + 1) : pen->points.len;
    CsStrokePoint last = { 0.f, 0.f };

    for (i = first; i < end && n < MAX_POINTS; i++) {
      const CsStrokePoint point = {
        CLAMP (p[2 * i] * m->a + m->e, -1e6, 1e6),
        CLAMP (p[2 * i + 1] * m->d + m->f, -1e6, 1e6)
      };

      if (i > first)
        n += gst_fourier_draw_divide_line (last, point,
            contours ? contours->points + n : NULL);
      else if (contours)
        contours->points[n++] = point;
      else
        n++;
      last = point;
    }
    if (contours)
      contours->offsets[line + 1] = (guint32) n;
  }
  if (contours)
    contours->n_contours = pen->starts.len;
  return n;
}

/* Scales what was drawn to the picture. */
static GstFourierDrawContours *
make_contours (Reader * reader, guint width, guint height, GError ** error)
{
  gdouble *box = reader->box, scale;
  GstFourierDrawMatrix m = { 1., 0., 0., 1., 0., 0. };
  GstFourierDrawContours *contours;
  gsize n;

  if (reader->pen.points.len == 0)
    return gst_fourier_draw_contours_new (width, height, 0, 0, error);
  if (!(box[2] > 0.) || !(box[3] > 0.))
    find_box (&reader->pen, box);
  scale = MIN (width / MAX (box[2], 1e-9), height / MAX (box[3], 1e-9));
  m.a = m.d = scale;
  /* pixel centres are at integers */
  m.e = (width - box[2] * scale) / 2. - box[0] * scale - .5;
  m.f = (height - box[3] * scale) / 2. - box[1] * scale - .5;
  n = copy_lines (reader, &m, NULL);
  if (n >= MAX_POINTS) {
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT, "its lines are longer than "
        "%u pixels", (guint) (MAX_POINTS * GST_FOURIER_DRAW_SPACING));
    return NULL;
  }
  contours = gst_fourier_draw_contours_new (width, height, n,
      reader->pen.starts.len, error);
  if (contours)
    copy_lines (reader, &m, contours);
  return contours;
}

GstFourierDrawContours *
gst_fourier_draw_svg_parse (const gchar * text, gsize size, guint width,
    guint height, GError ** error)
{
  Reader *reader = g_new0 (Reader, 1);
  GstFourierDrawContours *contours = NULL;
  const gchar *at = text;

  gst_fourier_draw_pen_init (&reader->pen);
  if (strlen (text) != size)
    g_set_error (&reader->pen.error, CS_ERROR, CS_ERROR_INVALID,
        "it is not a text");
  while (!reader->pen.error && (at = strchr (at, '<'))) {
    at = read_tag (reader, at);
    if (!at && !reader->pen.error)
      g_set_error (&reader->pen.error, CS_ERROR, CS_ERROR_INVALID,
          "it ends within a tag or a comment");
  }
  if (!reader->pen.error && !reader->has_root)
    g_set_error (&reader->pen.error, CS_ERROR, CS_ERROR_INVALID,
        "there is no element svg in it");
  if (!reader->pen.error && (reader->pen.points.failed ||
          reader->pen.starts.failed))
    cs_fail_no_memory (&reader->pen.error, "the lines of an SVG document");
  if (reader->pen.error)
    g_propagate_error (error, g_steal_pointer (&reader->pen.error));
  else
    contours = make_contours (reader, width, height, error);
  gst_fourier_draw_pen_clear (&reader->pen);
  g_free (reader);
  return contours;
}

GstFourierDrawContours *
gst_fourier_draw_svg_load (const gchar * path, guint width, guint height,
    GError ** error)
{
  GstFourierDrawContours *contours;
  gchar *text;
  gsize size;

  if (!gst_shapes_file_load (path, GST_FOURIER_DRAW_SVG_MAX_SIZE, &text, &size,
          error))
    return NULL;
  contours = gst_fourier_draw_svg_parse (text, size, width, height, error);
  if (!contours)
    g_prefix_error (error, "%s: ", path);
  g_free (text);
  return contours;
}
