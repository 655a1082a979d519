/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Labels, legend and colours of shapeoverlay. */
#include <gst/video/video.h>

#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef HAVE_PANGO
#include <pango/pangocairo.h>
#endif

#include "../lib/harness.h"
#include "../lib/suite.h"
#include "raster/raster.h"
#include "shapeoverlay/gstshapeoverlaycolors.h"
#include "shapeoverlay/gstshapeoverlaylabels.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstShapesFont, gst_shapes_font_free)

static const OverlayFields some = {
  .class_name = NULL,.id = 7,.class_id = 3,.parent = -1,.region = -1,
  .track = 12,.level = .25,.area = 1234.5678,.length = 42.,.area_mm2 = NAN,
  .length_mm = 10.04,.confidence = .875
};

/* Places */

static gboolean
boxes_overlap (const OverlayBox * a, const OverlayBox * b)
{
  return MIN (a->x1, b->x1) > MAX (a->x0, b->x0) &&
      MIN (a->y1, b->y1) > MAX (a->y0, b->y0);
}

TEST (labels_stay_on_the_frame_and_off_each_other)
{
  const gdouble width = 320., height = 200.;
  g_autoptr (GRand) rand = g_rand_new_with_seed (17);
  guint n_placed = 0;

  for (guint round = 0; round < 50; round++) {
    OverlayBox placed[60];
    guint n = 0;

    for (guint k = 0; k < 60; k++) {
      const gdouble x = g_rand_double_range (rand, -20., width);
      const gdouble y = g_rand_double_range (rand, -20., height);
      const OverlayBox shape = { x, y,
        x + g_rand_double_range (rand, 0., 100.),
        y + g_rand_double_range (rand, 0., 100.)
      };
      const gdouble w = floor (g_rand_double_range (rand, 5., 80.));
      OverlayBox *box = &placed[n];

      if (!overlay_place_label (&shape, w, 12., width, height,
              placed, n, box))
        continue;
      fail_unless (box->x1 - box->x0 == w && box->y1 - box->y0 == 12.);
      fail_unless (box->x0 >= 0. && box->y0 >= 0. && box->x1 <= width
          && box->y1 <= height);
      for (guint i = 0; i < n; i++)
        fail_if (boxes_overlap (box, &placed[i]));
      n++;
    }
    n_placed += n;
  }
  /* a third of the frame's area, and more, finds its place */
  fail_unless (n_placed > 50 * 20, "%u", n_placed);
}

TEST (a_label_is_above_its_shape_if_there_is_room)
{
  const OverlayBox shape = { 50., 60., 90., 80. };
  const OverlayBox low = { 50., 4., 90., 30. };
  OverlayBox box;

  fail_unless (overlay_place_label (&shape, 30., 10., 200., 100.,
          NULL, 0, &box));
  fail_unless (box.x0 == 50. && box.y1 == 60.);
  OverlayBox taken = box;
  fail_unless (overlay_place_label (&shape, 30., 10., 200., 100.,
          &taken, 1, &box));
  fail_unless (box.x0 == 50. && box.y0 == 80.);
  fail_unless (overlay_place_label (&low, 30., 10., 200., 100.,
          NULL, 0, &box));
  fail_unless (box.y0 == 30.);
  fail_if (overlay_place_label (&shape, 201., 10., 200., 100., NULL,
          0, &box));
}

/* Colours */

static guint32
color_of (const gchar * mode, const GstShapePolyline * polylines, gsize n,
    const GstShapeAnnotation * annotations, gsize i)
{
  static const guint32 offsets[8] = { 0, };
  const GstShapeArrays arrays = {.n_shapes = n,.polylines = polylines,
    .offsets = offsets,.annotations = annotations
  };
  OverlaySettings settings = { 0, };
  OverlayColors colors;
  GObject *overlay = G_OBJECT (gst_element_factory_make ("shapeoverlay", NULL));

  overlay_settings_init (&settings);
  overlay_colors_init (&colors);
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (overlay),
      "color-mode");
  GEnumClass *modes = g_type_class_ref (spec->value_type);
  settings.color_mode = g_enum_get_value_by_nick (modes, mode)->value;
  overlay_colors_add_levels (&colors, &arrays);
  guint32 color = overlay_colors_get (&colors, &settings, &arrays, i, 1e6);
  g_type_class_unref (modes);
  gst_object_unref (overlay);
  overlay_colors_clear (&colors);
  overlay_settings_clear (&settings);
  return color;
}

static void
assert_color (guint32 color, guint32 expected)
{
  fail_unless (color == expected, "%08x, not %08x", color, expected);
}

TEST (colors_say_level_area_confidence_and_region)
{
  const GstShapePolyline polylines[] = {
    {.level = .75,.area = 1e6}, {.level = .25,.area = 1.}, {.level = .5,.area =
          -1000.}
  };
  const GstShapeAnnotation annotations[] = {
    {1.f, 1, -1}, {-1.f, -1, -1}, {0.f, 0, -1}
  };

  /* the ends and the middle of cividis */
  assert_color (color_of ("level", polylines, 3, NULL, 0),
      0xfffee838u);
  assert_color (color_of ("level", polylines, 3, NULL, 1),
      0xff00224eu);
  assert_color (color_of ("level", polylines, 3, NULL, 2),
      0xff7d7c78u);
  assert_color (color_of ("area", polylines, 3, NULL, 0),
      0xfffee838u);
  assert_color (color_of ("area", polylines, 3, NULL, 1),
      0xff00224eu);
  assert_color (color_of ("area", polylines, 3, NULL, 2),
      0xff7d7c78u);
  assert_color (color_of ("confidence", polylines, 3,
          annotations, 0), 0xfffee838u);
  assert_color (color_of ("confidence", polylines, 3,
          annotations, 1), 0xff9e9e9e);
  assert_color (color_of ("confidence", polylines, 3, NULL, 0),
      0xff9e9e9eu);
  assert_color (color_of ("confidence", polylines, 3,
          annotations, 2), 0xff00224e);
  assert_color (color_of ("region", polylines, 3, annotations,
          0), 0xffe69f00u);
  assert_color (color_of ("region", polylines, 3, annotations,
          1), 0xff9e9e9e);
}

/* The element */

#define CAPS "video/x-raw,format=GRAY8,width=320,height=240,framerate=0/1"

/* A black frame with two bright squares, whose contours cudacontours finds and
 * shapeoverlay draws. */
static GstBuffer *
draw_contours (const gchar * contours, const gchar * properties, GstBus * bus)
{
  gchar *line = g_strdup_printf ("cudacontours backend=cpu level=0.5 %s "
      "! shapeoverlay backend=cpu %s", contours, properties);
  g_autoptr (GstHarness) h = gst_harness_new_parse (line);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 320 * 240, NULL);
  GstMapInfo map;

  gst_element_set_bus (h->element, bus);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  memset (map.data, 0, map.size);
  for (guint y = 100; y < 140; y++)
    for (guint x = 0; x < 40; x++)
      map.data[y * 320 + 60 + x] = map.data[y * 320 + 200 + x] = 255;
  gst_buffer_unmap (buffer, &map);
  gst_harness_set_src_caps_str (h, CAPS);
  gst_buffer_ref (buffer);
  gst_harness_push (h, buffer);
  GstBuffer *out = gst_harness_pull (h);
  gst_buffer_unref (out);
  /* the second one shows that messages come once */
  gst_harness_push (h, buffer);
  out = gst_harness_pull (h);
  gst_element_set_bus (h->element, NULL);
  g_free (line);
  return out;
}

static GstBuffer *
draw (const gchar * properties, GstBus * bus)
{
  return draw_contours ("", properties, bus);
}

static guint
count_warnings (GstBus * bus, const gchar * part)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_warning (message, &error, NULL);
    fail_unless (strstr (error->message, part) != NULL, "%s", error->message);
    gst_message_unref (message);
    n++;
  }
  return n;
}

/* Pixels in a rectangle that differ. */
static guint
count_different (GstBuffer * a, GstBuffer * b, guint x0, guint y0, guint x1,
    guint y1)
{
  g_auto (GstBufferMapInfo) p = GST_MAP_INFO_INIT, q = GST_MAP_INFO_INIT;
  guint n = 0;

  gst_buffer_map (a, &p, GST_MAP_READ);
  gst_buffer_map (b, &q, GST_MAP_READ);
  for (guint y = y0; y < y1; y++)
    for (guint x = x0; x < x1; x++)
      n += p.data[y * 320 + x] != q.data[y * 320 + x];
  return n;
}

TEST (a_mistake_in_the_label_is_one_warning)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstBuffer) plain = draw ("", bus);

  fail_unless_equals_int (count_warnings (bus, ""), 0);
  g_autoptr (GstBuffer) bad = draw ("label=\"{aera}\"", bus);
  fail_unless_equals_int (count_warnings (bus, "{area}"), 1);
  fail_unless_equals_int (count_different (plain, bad, 0, 0, 320, 240), 0);
}

TEST (casings_are_around_lines)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstBuffer) buffer = draw ("line-width=2 casing=3 color-mode=fixed "
      "color=0xffffffff casing-color=0xff808080", bus);
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  /* to the left of the left square, whose contour is at 59.5 */
  fail_unless_equals_int (map.data[120 * 320 + 54], 0);
  fail_unless_equals_int (map.data[120 * 320 + 57], 128);
  fail_unless_equals_int (map.data[120 * 320 + 59], 255);
  fail_unless_equals_int (map.data[120 * 320 + 62], 128);
  fail_unless_equals_int (map.data[120 * 320 + 66], 255);
}

TEST (widths_scale_with_the_frame)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  /* 240 rows are a third of 720 */
  GstBuffer *a = draw ("line-width=6 casing=3 scale-with-frame=true", bus);
  g_autoptr (GstBuffer) b = draw ("line-width=2 casing=1", bus);

  fail_unless_equals_int (count_different (a, b, 0, 0, 320, 240), 0);
  gst_buffer_unref (a);
}

#ifdef HAVE_PANGO

TEST (labels_and_legend_are_where_they_belong)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstBuffer) plain = draw ("", bus);
  GstBuffer *labels = draw ("label=\"{id}: {area:.0f}\" font-size=12", bus);

  fail_unless_equals_int (count_warnings (bus, ""), 0);
  /* above both squares, and nowhere else */
  fail_unless (count_different (plain, labels, 60, 80, 120, 99) > 100);
  fail_unless (count_different (plain, labels, 200, 80, 260, 99) > 100);
  fail_unless_equals_int (count_different (plain, labels, 0, 102, 320, 240), 0);
  fail_unless_equals_int (count_different (plain, labels, 0, 0, 320, 78), 0);

  g_autoptr (GstBuffer) legend = draw ("legend=bottom-right font-size=12", bus);
  fail_unless_equals_int (count_warnings (bus, ""), 0);
  fail_unless (count_different (plain, legend, 200, 210, 320, 240) > 50);
  fail_unless_equals_int (count_different (plain, legend, 0, 0, 320, 200), 0);
  fail_unless_equals_int (count_different (plain, legend, 0, 0, 160, 240), 0);
  gst_buffer_unref (labels);
}

/* Alone in its process: fontconfig reads its files once. */
TEST_IF (g_getenv ("LABELS_WITHOUT_FONTS"),
    without_fonts_there_is_one_warning_and_no_text)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstBuffer) plain = draw ("", bus);
  g_autoptr (GstBuffer) labels = draw ("label={id} legend=top-left", bus);

  fail_unless_equals_int (count_warnings (bus, "font"), 1);
  fail_unless_equals_int (count_different (plain, labels, 0, 0, 320, 240), 0);
}

/* Text by cairo's own rasteriser, shaped as a whole. */
static void
paint_by_cairo (const gchar * text, gdouble size, gdouble x, gdouble y,
    guint8 * pixels, gint width, gint height)
{
  cairo_surface_t *surface = cairo_image_surface_create_for_data (pixels,
      CAIRO_FORMAT_A8, width, height, width);
  cairo_t *cairo = cairo_create (surface);
  PangoLayout *layout = pango_cairo_create_layout (cairo);
  cairo_font_options_t *options = cairo_font_options_create ();
  PangoFontDescription *font = pango_font_description_from_string ("Sans");

  cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  pango_cairo_context_set_font_options (pango_layout_get_context (layout),
      options);
  pango_font_description_set_absolute_size (font, size * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_text (layout, text, -1);
  cairo_set_antialias (cairo, CAIRO_ANTIALIAS_BEST);
  /* pixels of the painter have their centres at integers */
  cairo_move_to (cairo, x + .5, y + .5);
  pango_cairo_layout_line_path (cairo,
      pango_layout_get_line_readonly (layout, 0));
  cairo_fill (cairo);
  pango_font_description_free (font);
  cairo_font_options_destroy (options);
  g_object_unref (layout);
  cairo_destroy (cairo);
  cairo_surface_destroy (surface);
}

static void
paint_by_painter (const gchar * text, gdouble size, gdouble x, gdouble y,
    guint8 * pixels, guint width, guint height)
{
  CsArray points, rings;
  CsFill fill = {.rule = CS_FILL_NONZERO };
  CsFills fills = {.fills = &fill,.n = 1 };
  const CsMark mark = {.half_width = CS_MARK_FILL,.rgba = 0xffffffff };
  const CsMarks marks = {.marks = &mark,.n = 1,.fills = &fills };
  const CsPicture picture = {.model = CS_PICTURE_GRAY,.type = CS_SAMPLE_U8,
    .width = width,.height = height,.depth = 8,.data = {pixels},
    .pixel_stride = {1},.row_stride = {width}
  };
  CsExecutor *executor = cs_executor_new_cpu (1);
  CsRaster *raster = cs_raster_new (executor, NULL);
  CsRasterSettings settings;
  GstShapesFont *font = gst_shapes_font_new ("Sans", size, NULL);

  cs_array_init (&points, 2 * sizeof (gfloat));
  cs_array_init (&rings, sizeof (guint32));
  fill.n_rings = gst_shapes_font_append (font, text, x, y, &points, &rings);
  guint32 end = (guint32) points.len;
  fills.n_rings = rings.len;
  cs_array_append_val (&rings, end);
  fills.rings = (const guint32 *) (gpointer) rings.data;
  fills.points = (const gfloat *) (gpointer) points.data;
  cs_raster_settings_init (&settings);
  fail_unless (cs_raster_run (raster, &marks, &settings, &picture, &picture,
          NULL));
  cs_array_clear (&points);
  cs_array_clear (&rings);
  gst_shapes_font_free (font);
  cs_raster_free (raster);
  cs_executor_free (executor);
}

TEST (text_is_what_cairo_paints)
{
  static const gchar *const texts[] = {
    "stem 3", "Schädling: 1234.5 mm²", "% & @ ij|", "Ωμέγα 98765",
    "a text of more than ten ems without a digit"
  };
  static const gdouble sizes[] = { 10., 17.5, 40. };

  enum
  { W = 1200, H = 64 };

  for (guint t = 0; t < G_N_ELEMENTS (texts); t++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
      g_autofree guint8 *a = g_malloc0 (W * H), *b = g_malloc0 (W * H);
      guint64 sum_a = 0, sum_b = 0;
      gint most = 0;

      paint_by_cairo (texts[t], sizes[s], 8.25, 45.5, a, W, H);
      paint_by_painter (texts[t], sizes[s], 8.25, 45.5, b, W, H);
      for (guint i = 0; i < W * H; i++) {
        sum_a += a[i];
        sum_b += b[i];
        most = MAX (most, ABS (a[i] - b[i]));
      }
      fail_unless (sum_a > 1000);
      fail_unless (most <= 24 && fabs ((gdouble) sum_b / sum_a - 1.) < .02,
          "\"%s\" at %g: %d, %g", texts[t], sizes[s], most,
          (gdouble) sum_b / sum_a);
    }
}

TEST (widths_are_advances)
{
  g_autoptr (GstShapesFont) font = gst_shapes_font_new ("Sans", 20., NULL);
  const gdouble one = gst_shapes_font_measure (font, "1");

  fail_unless (one > 5. && one < 20.);
  fail_unless (fabs (gst_shapes_font_measure (font, "1111") - 4. * one) < 1e-9);
  fail_unless (gst_shapes_font_measure (font, "") == 0.);
  fail_unless (font->ascent > 10. && font->descent > 2.);
}

/* The longest begin of @text that fits together with an ellipsis, tried one
 * character after the other. */
static gchar *
longest_begin (GstShapesFont * font, const gchar * text, gdouble width)
{
  gchar *best = g_strdup ("");

  for (glong n = 0; n < g_utf8_strlen (text, -1); n++) {
    g_autofree gchar *begin = g_utf8_substring (text, 0, n);
    gchar *cut = g_strconcat (begin, "\342\200\246", NULL);

    if (gst_shapes_font_measure (font, cut) <= width) {
      g_free (best);
      best = cut;
    } else {
      g_free (cut);
    }
  }
  return best;
}

TEST (long_texts_are_cut_with_an_ellipsis)
{
  static const gchar *const texts[] = { "a long name without end",
    "12345.6789 mm and more", "Sch\303\244dling: Wurzelfl\303\244che",
    "\327\251\327\234\327\225\327\235 \327\242\327\225\327\234\327\235"
        "\327\251\327\234\327\225\327\235",
    "\345\221\263\351\201\223\343\201\256\350\211\257\343\201\204"
        "\346\236\234\347\211\251",
  };
  static const gdouble widths[] = { 0., 15., 30., 61.5, 100., 1000. };
  g_autoptr (GstShapesFont) font = gst_shapes_font_new ("Sans", 12., NULL);

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    for (guint k = 0; k < G_N_ELEMENTS (widths); k++) {
      gchar *cut = g_strdup (gst_shapes_font_cut (font, texts[i], widths[k]));
      g_autofree gchar *want = longest_begin (font, texts[i], widths[k]);

      if (gst_shapes_font_measure (font, texts[i]) <= widths[k]) {
        fail_unless_equals_string (cut, texts[i]);
      } else if (!strstr (want, " \342\200\246")) {
        fail_unless_equals_string (cut, want);
      }
      fail_unless (gst_shapes_font_measure (font, cut) <= widths[k]);
      g_free (cut);
    }
  /* no space before it, and a letter keeps its marks */
  fail_unless_equals_string (gst_shapes_font_cut (font, "abc  defghijklm",
          gst_shapes_font_measure (font, "abc  \342\200\246")),
      "abc\342\200\246");
  fail_unless_equals_string (gst_shapes_font_cut (font,
          "ae\314\201\314\201\314\201wwwwww",
          gst_shapes_font_measure (font, "ae\342\200\246")),
      "ae\314\201\314\201\314\201\342\200\246");
}

/* A label that repeats @part. */
static GstBuffer *
draw_long (const gchar * part, guint n, const gchar * properties, GstBus * bus)
{
  g_autoptr (GString) label = g_string_new ("label=\"");

  for (guint i = 0; i < n; i++)
    g_string_append (label, part);
  g_string_append_printf (label, "\" color-mode=fixed %s", properties);
  return draw (label->str, bus);
}

TEST (a_long_label_is_drawn_as_far_as_it_fits)
{
  static const gchar *const parts[] = { "w", "7", "\314\201", "\327\251",
    "word "
  };
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstBuffer *plain = draw ("color-mode=fixed", bus), *label;

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    label = draw_long (parts[i], 5000, "font-size=12", bus);
    fail_unless (count_different (plain, label, 0, 60, 320, 180) >
        /* marks have no width */
        (i == 2 ? 50 : 1000), "%s", parts[i]);
    gst_buffer_unref (label);
  }
  /* what is beyond the frame does not matter */
  label = draw_long ("w", 5000, "font-size=12", bus);
  GstBuffer *other = draw_long ("w", 4000, "font-size=12", bus);
  fail_unless_equals_int (count_different (label, other, 0, 0, 320, 240), 0);
  gst_buffer_unref (other);
  /* the end of the line is three dots, not letters */
  other = draw_long ("w", 10, "font-size=12", bus);
  fail_unless (count_different (label, other, 0, 0, 320, 240) > 100);
  gst_buffer_unref (label);
  gst_buffer_unref (other);
  fail_unless_equals_int (count_warnings (bus, ""), 0);
  gst_buffer_unref (plain);
}

TEST (letters_larger_than_the_frame_are_made_to_fit)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstBuffer) plain = draw ("", bus);
  g_autoptr (GstBuffer) label = draw ("label=\"{id}\" font-size=512", bus);

  fail_unless (count_different (plain, label, 0, 0, 320, 240) > 5000);
  gst_buffer_unref (label);
  label = draw ("legend=top-left font-size=300", bus);
  fail_unless (count_different (plain, label, 0, 0, 320, 240) > 5000);
  fail_unless_equals_int (count_warnings (bus, ""), 0);
}

TEST (controls_are_spaces)
{
  static const gchar *const controls[] = { "\n", "\t", "\r", "\033", "\177",
    "\302\205", "\342\200\250", "\342\200\251"
  };
  g_autoptr (GstBus) bus = gst_bus_new ();

  for (guint i = 0; i < G_N_ELEMENTS (controls); i++) {
    /* as many spaces as the control has bytes */
    g_autofree gchar *with = g_strdup_printf ("label=\"one%stwo\" font-size=14",
        controls[i]);
    gchar *without = g_strdup_printf ("label=\"one%*stwo\" font-size=14",
        (int) strlen (controls[i]), "");
    g_autoptr (GstBuffer) a = draw (with, bus), b = draw (without, bus);

    fail_unless_equals_int (count_different (a, b, 0, 0, 320, 240), 0);
    g_free (without);
  }
}

static void
add_level (OverlayLabels * labels, guint level, guint n)
{
  const OverlayBox box = { 9., 90., 60., 120. };
  OverlayFields fields = some;

  fields.level = level;
  for (; n > 0; n--)
    overlay_labels_add (labels, &fields, &box, 0xff000000u);
}

/* What no row of the legend is for is counted, all of it, and of each frame. */
TEST (others_are_counted)
{
  OverlaySettings settings = { 0, };
  OverlayLabels labels;

  overlay_settings_init (&settings);
  settings.legend = OVERLAY_LEGEND_TOP_LEFT;
  settings.color_mode = OVERLAY_COLOR_MODE_LEVEL;
  settings.font_size = 8.;
  overlay_labels_init (&labels);
  for (guint frame = 0; frame < 2; frame++) {
    fail_unless (overlay_labels_begin (&labels, &settings, FALSE, 640, 480,
            NULL));
    fail_unless_equals_int (labels.n_more, 0);
    /* the lowest 16 levels stay */
    for (guint i = 20; i > 0; i--)
      add_level (&labels, i, i);
    fail_unless_equals_int (labels.entries->len, 16);
    fail_unless_equals_int (labels.n_more, 17 + 18 + 19 + 20);
  }
  overlay_labels_clear (&labels);
  overlay_settings_clear (&settings);
}

/* A text is black on what is bright, white on what is dark; and so is its box
 * in the shape's colour. */
TEST (texts_stand_out)
{
  static const struct
  {
    guint32 argb, text;
  } cases[] = {
    {0xffffffff, 0x000000ff}, {0xff000000, 0xffffffff},
    {0xffffff00, 0x000000ff}, {0xff0000ff, 0xffffffff},
    {0xff00c800, 0xffffffff}, {0xff00ff00, 0x000000ff},
  };
  const OverlayBox box = { 40., 90., 60., 120. };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    OverlaySettings settings = { 0, };
    OverlayLabels labels;
    GstShapeMarks marks;

    overlay_settings_init (&settings);
    settings.label = g_ref_string_new ("{id}");
    settings.font_size = 12.;
    overlay_labels_init (&labels);
    gst_shape_marks_init (&marks);
    fail_unless (overlay_labels_begin (&labels, &settings, FALSE, 640, 480,
            NULL));
    gst_shape_marks_begin (&marks, 640, 480, 640, 480);
    overlay_labels_add (&labels, &some, &box, cases[i].argb);
    overlay_labels_finish (&labels, &marks);
    fail_unless (marks.marks->len >= 2);
    const CsMark *mark = &cs_array_index (marks.marks, CsMark,
        marks.marks->len - 1);
    fail_unless (mark->rgba == cases[i].text, "%08x on %08x", mark->rgba,
        cases[i].argb);
    gst_shape_marks_clear (&marks);
    overlay_labels_clear (&labels);
    overlay_settings_clear (&settings);
  }
}

TEST (a_legend_stays_on_the_frame)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autofree gchar *path = g_strdup_printf ("%s/overlay-legend-%u.txt",
      g_get_tmp_dir (), g_random_int ());
  g_autofree gchar *contours = g_strdup_printf ("labels-location=%s", path);
  g_autofree gchar *name = g_strnfill (4000, 'w');

  fail_unless (g_file_set_contents (path, name, -1, NULL));
  g_autoptr (GstBuffer) plain = draw ("color-mode=class", bus);
  g_autoptr (GstBuffer) legend = draw_contours (contours,
      "legend=bottom-right font-size=12 " "color-mode=class", bus);
  /* at its left there are the swatch and the first letters */
  fail_unless (count_different (plain, legend, 0, 200, 40, 240) > 100);
  fail_unless_equals_int (count_different (plain, legend, 0, 0, 3, 240), 0);
  /* one row of the others, if there is room for no more */
  g_autoptr (GstBuffer) other =
      draw ("legend=top-left font-size=180 color-mode=level", bus);
  fail_unless (count_different (plain, other, 0, 0, 320, 240) > 5000);
  fail_unless_equals_int (count_warnings (bus, ""), 0);
  g_remove (path);
}

/* Nothing fits, and nothing breaks. */
TEST (tiny_frames_take_labels)
{
  static const guint sizes[][2] = { {1, 1}, {2, 3}, {16, 1}, {1, 16}, {8, 8} };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const guint width = sizes[i][0], height = sizes[i][1];
    GstHarness *h = gst_harness_new_parse ("cudacontours backend=cpu level=0.5 "
        "close-at-border=true ! shapeoverlay backend=cpu label=\"{id} pieces\" "
        "legend=top-left font-size=20");
    GstBuffer *buffer = gst_buffer_new_allocate (NULL,
        GST_ROUND_UP_4 (width) * height, NULL);
    gchar *caps = g_strdup_printf ("video/x-raw,format=GRAY8,width=%u,"
        "height=%u,framerate=0/1", width, height);

    gst_buffer_memset (buffer, 0, 255, -1);
    gst_harness_set_src_caps_str (h, caps);
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
    gst_buffer_unref (gst_harness_pull (h));
    gst_harness_teardown (h);
    g_free (caps);
  }
}

TEST (labels_say_names_and_millimetres)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autofree gchar *path = g_strdup_printf ("%s/overlay-labels-%u.txt",
      g_get_tmp_dir (), g_random_int ());
  g_autofree gchar *contours =
      g_strdup_printf ("labels-location=%s pixel-size=0.5,0.25", path);
  g_autoptr (GstBuffer) plain = draw ("", bus), written = NULL;

  fail_unless (g_file_set_contents (path, "stem", -1, NULL));
  /* squares of 40 pixels with corners of half a pixel cut: 1599.5 square
   * pixels; 39 x (.5 + .25) x 2 and four times hypot (.25, .125) mm around */
  GstBuffer *said = draw_contours (contours, "label=\"{class} {area-mm2:.4f} "
      "{length-mm:.3f}\" color-mode=fixed", bus);
  written = draw ("label=\"stem 199.9375 59.618\" color-mode=fixed", bus);
  fail_unless_equals_int (count_warnings (bus, ""), 0);
  fail_unless (count_different (plain, written, 0, 0, 320, 240) > 200);
  fail_unless_equals_int (count_different (said, written, 0, 0, 320, 240), 0);
  gst_buffer_unref (written);
  written = draw ("label=\"{class} {area-mm2:.4f} {length-mm:.3f}\" "
      "color-mode=fixed", bus);
  fail_unless (count_different (said, written, 0, 0, 320, 240) > 100);
  gst_buffer_unref (said);
  g_remove (path);
}

#endif

SUITE (labels) {}
