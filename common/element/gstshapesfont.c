/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesfont.h"

#include <string.h>

G_DEFINE_QUARK (gst-shapes-font-error-quark, gst_shapes_font_error);

#ifdef HAVE_PANGO

#include <pango/pangocairo.h>

/* How far a polygon's sides may be from a curve, in pixels */
#define TOLERANCE .05
/* Pieces of text, and texts that were cut, that are kept */
#define MAX_PIECES 1024
#define MAX_CUTS 256
#define ELLIPSIS "\342\200\246"
/* Of a line's height: characters are wider as a rule, and a text of more of
 * them than fit is not shaped to its end. */
#define NARROW .1

typedef struct
{
  PangoContext *context;
  PangoLayout *layout;
  cairo_t *cairo;
} Shaper;

/* Outlines of a piece of text whose baseline begins at the origin. */
typedef struct
{
  gdouble advance;
  CsArray points;               /* pairs of gfloat */
  CsArray rings;                /* guint32: first points */
} Piece;

static void
piece_free (gpointer data)
{
  Piece *piece = data;

  cs_array_clear (&piece->points);
  cs_array_clear (&piece->rings);
  g_free (piece);
}

static gboolean
piece_has_failed (const Piece * piece)
{
  return piece->points.failed || piece->rings.failed;
}

static void
shaper_free (Shaper * shaper)
{
  g_clear_object (&shaper->layout);
  g_clear_object (&shaper->context);
  cairo_destroy (shaper->cairo);
  g_free (shaper);
}

/* Outlines do not depend on where they lie: no hinting. */
static void
set_options (PangoContext * context)
{
  cairo_font_options_t *options = cairo_font_options_create ();

  cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  pango_cairo_context_set_font_options (context, options);
  cairo_font_options_destroy (options);
}

/* A font map of its own: Pango's default one belongs to the thread. */
static Shaper *
shaper_new (const gchar * description, gdouble size)
{
  Shaper *shaper = g_new0 (Shaper, 1);
  /* unbounded: Pango leaves out glyphs that are off the surface */
  cairo_surface_t *surface =
      cairo_recording_surface_create (CAIRO_CONTENT_ALPHA, NULL);
  PangoFontMap *map = pango_cairo_font_map_new ();
  PangoFontDescription *font =
      pango_font_description_from_string (description ? description : "Sans");

  pango_font_description_set_absolute_size (font, size * PANGO_SCALE);
  shaper->cairo = cairo_create (surface);
  cairo_set_tolerance (shaper->cairo, TOLERANCE);
  shaper->context = pango_font_map_create_context (map);
  set_options (shaper->context);
  shaper->layout = pango_layout_new (shaper->context);
  pango_layout_set_font_description (shaper->layout, font);
  pango_layout_set_single_paragraph_mode (shaper->layout, TRUE);
  pango_font_description_free (font);
  g_object_unref (map);
  cairo_surface_destroy (surface);
  return shaper;
}

static void
append_point (Piece * piece, const cairo_path_data_t * at)
{
  const gfloat point[2] = { (gfloat) at->point.x, (gfloat) at->point.y };

  cs_array_append (&piece->points, point, 1);
}

/* Rings of fewer than three points, which closing a path leaves, go. */
static void
end_ring (Piece * piece)
{
  const gsize n = piece->rings.len;

  if (n == 0)
    return;
  const guint32 first = cs_array_index (&piece->rings, guint32, n - 1);
  if (piece->points.len - first >= 3)
    return;
  cs_array_set_size (&piece->points, first);
  cs_array_set_size (&piece->rings, n - 1);
}

static void
begin_ring (Piece * piece)
{
  const guint32 first = (guint32) piece->points.len;

  cs_array_append_val (&piece->rings, first);
}

static Piece *
shape_piece (Shaper * shaper, const gchar * text, gsize length)
{
  Piece *piece = g_new0 (Piece, 1);
  int width;

  cs_array_init (&piece->points, 2 * sizeof (gfloat));
  cs_array_init (&piece->rings, sizeof (guint32));
  pango_layout_set_text (shaper->layout, text, (int) length);
  pango_layout_get_size (shaper->layout, &width, NULL);
  piece->advance = (gdouble) width / PANGO_SCALE;
  cairo_new_path (shaper->cairo);
  cairo_move_to (shaper->cairo, 0., 0.);
  pango_cairo_layout_line_path (shaper->cairo,
      pango_layout_get_line_readonly (shaper->layout, 0));
  cairo_path_t *path = cairo_copy_path_flat (shaper->cairo);
  for (int i = 0; i < path->num_data; i += path->data[i].header.length) {
    const cairo_path_data_t *data = &path->data[i];

    if (data->header.type == CAIRO_PATH_MOVE_TO) {
      end_ring (piece);
      begin_ring (piece);
    }
    if (data->header.type == CAIRO_PATH_MOVE_TO ||
        data->header.type == CAIRO_PATH_LINE_TO)
      append_point (piece, &data[1]);
  }
  end_ring (piece);
  cairo_path_destroy (path);
  return piece;
}

/* Without any font Pango warns on the console when it shapes. */
static gboolean
has_digits (Shaper * shaper)
{
  PangoFontFamily **families;
  int n;

  pango_font_map_list_families (pango_context_get_font_map (shaper->context),
      &families, &n);
  g_free (families);
  if (n == 0)
    return FALSE;
  pango_layout_set_text (shaper->layout, "0", 1);
  return pango_layout_get_unknown_glyphs_count (shaper->layout) == 0;
}

static void
measure_line (GstShapesFont * font, Shaper * shaper)
{
  PangoFontMetrics *metrics = pango_context_get_metrics (shaper->context,
      pango_layout_get_font_description (shaper->layout), NULL);

  font->ascent = (gdouble) pango_font_metrics_get_ascent (metrics) /
      PANGO_SCALE;
  font->descent = (gdouble) pango_font_metrics_get_descent (metrics) /
      PANGO_SCALE;
  pango_font_metrics_unref (metrics);
}

GstShapesFont *
gst_shapes_font_new (const gchar * description, gdouble size, GError ** error)
{
  Shaper *shaper = shaper_new (description, size);

  if (!has_digits (shaper)) {
    g_set_error (error, GST_SHAPES_FONT_ERROR, GST_SHAPES_FONT_ERROR_NO_FONT,
        "there is no font for \"%s\": install one, such as the package "
        "fonts-dejavu-core", description);
    shaper_free (shaper);
    return NULL;
  }
  GstShapesFont *font = g_new0 (GstShapesFont, 1);
  font->shaper = shaper;
  font->pieces = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      piece_free);
  font->cuts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  measure_line (font, shaper);
  return font;
}

void
gst_shapes_font_free (GstShapesFont * font)
{
  if (!font)
    return;
  g_hash_table_unref (font->pieces);
  g_hash_table_unref (font->cuts);
  shaper_free (font->shaper);
  g_free (font);
}

/* Bytes of the first piece: a digit, or all up to the next digit. */
static gsize
piece_length (const gchar * text)
{
  gsize length = 1;

  if (g_ascii_isdigit (text[0]))
    return 1;
  while (text[length] && !g_ascii_isdigit (text[length]))
    length++;
  return length;
}

/* One without its outlines, for there was no memory, is made anew. */
static const Piece *
find_piece (GstShapesFont * font, const gchar * text, gsize length)
{
  gchar *key = g_strndup (text, length);
  Piece *piece = g_hash_table_lookup (font->pieces, key);

  if (piece && !piece_has_failed (piece)) {
    g_free (key);
    return piece;
  }
  if (g_hash_table_size (font->pieces) >= MAX_PIECES)
    g_hash_table_remove_all (font->pieces);
  piece = shape_piece (font->shaper, text, length);
  g_hash_table_insert (font->pieces, key, piece);
  return piece;
}

gdouble
gst_shapes_font_measure (GstShapesFont * font, const gchar * text)
{
  gdouble width = 0.;

  while (*text) {
    const gsize length = piece_length (text);

    width += find_piece (font, text, length)->advance;
    text += length;
  }
  return width;
}

/* The advance width of text that will not be kept. */
static gdouble
measure_once (Shaper * shaper, const gchar * text)
{
  gdouble width = 0.;

  while (*text) {
    const gsize length = piece_length (text);
    int advance;

    pango_layout_set_text (shaper->layout, text, (int) length);
    pango_layout_get_size (shaper->layout, &advance, NULL);
    width += (gdouble) advance / PANGO_SCALE;
    text += length;
  }
  return width;
}

/* The first @n characters of @text, or less, so that none is torn from its
 * marks, and an ellipsis. */
static gchar *
shorten (const gchar * text, glong n)
{
  const gchar *end = g_utf8_offset_to_pointer (text, n);

  while (end > text && (g_unichar_ismark (g_utf8_get_char (end)) ||
          g_unichar_iszerowidth (g_utf8_get_char (end))))
    end = g_utf8_prev_char (end);
  while (end > text && end[-1] == ' ')
    end--;
  return g_strdup_printf ("%.*s" ELLIPSIS, (int) (end - text), text);
}

/* As much of the first @n characters of @text as fits. */
static gchar *
find_cut (Shaper * shaper, const gchar * text, glong n, gdouble width)
{
  gchar *best = g_strdup ("");
  glong low = 0, high = n;

  while (low <= high) {
    const glong middle = low + (high - low) / 2;
    gchar *cut = shorten (text, middle);

    if (measure_once (shaper, cut) <= width) {
      g_free (best);
      best = cut;
      low = middle + 1;
    } else {
      g_free (cut);
      high = middle - 1;
    }
  }
  return best;
}

const gchar *
gst_shapes_font_cut (GstShapesFont * font, const gchar * text, gdouble width)
{
  const gdouble narrow = NARROW * (font->ascent + font->descent);
  const glong n = g_utf8_strlen (text, -1);
  const glong most = (glong) (MAX (width, 0.) / MAX (narrow, .1)) + 1;

  if (n <= most && gst_shapes_font_measure (font, text) <= width)
    return text;
  if (font->cut_width != width || g_hash_table_size (font->cuts) >= MAX_CUTS)
    g_hash_table_remove_all (font->cuts);
  font->cut_width = width;
  gchar *cut = g_hash_table_lookup (font->cuts, text);
  if (!cut) {
    cut = find_cut (font->shaper, text, MIN (n, most), width);
    g_hash_table_insert (font->cuts, g_strdup (text), cut);
  }
  return cut;
}

static guint
append_piece (const Piece * piece, gdouble x, gdouble y, CsArray * points,
    CsArray * rings)
{
  const guint32 base = (guint32) points->len;

  for (gsize i = 0; i < piece->rings.len; i++) {
    const guint32 first = base + cs_array_index (&piece->rings, guint32, i);

    cs_array_append_val (rings, first);
  }
  for (gsize i = 0; i < piece->points.len; i++) {
    const gfloat *from = &cs_array_index (&piece->points, gfloat, 2 * i);
    const gfloat point[2] = { (gfloat) (from[0] + x), (gfloat) (from[1] + y) };

    cs_array_append (points, point, 1);
  }
  return (guint) piece->rings.len;
}

guint
gst_shapes_font_append (GstShapesFont * font, const gchar * text, gdouble x,
    gdouble y, CsArray * points, CsArray * rings)
{
  guint n = 0;

  while (*text) {
    const gsize length = piece_length (text);
    const Piece *piece = find_piece (font, text, length);

    n += append_piece (piece, x, y, points, rings);
    points->failed |= piece_has_failed (piece);
    x += piece->advance;
    text += length;
  }
  return n;
}

#else

GstShapesFont *
gst_shapes_font_new (const gchar * description, gdouble size, GError ** error)
{
  g_set_error (error, GST_SHAPES_FONT_ERROR, GST_SHAPES_FONT_ERROR_NOT_BUILT,
      "this build has no Pango: build with -Dtext=enabled");
  return NULL;
}

void
gst_shapes_font_free (GstShapesFont * font)
{
}

gdouble
gst_shapes_font_measure (GstShapesFont * font, const gchar * text)
{
  return 0.;
}

const gchar *
gst_shapes_font_cut (GstShapesFont * font, const gchar * text, gdouble width)
{
  return text;
}

guint
gst_shapes_font_append (GstShapesFont * font, const gchar * text, gdouble x,
    gdouble y, CsArray * points, CsArray * rings)
{
  return 0;
}

#endif
