/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Colours as text. */

#ifdef HAVE_PANGO
#include <pango/pango.h>
#endif

#include "../lib/suite.h"
#include "element/gstshapescolor.h"

#define UNCHANGED 0x12345678u

static guint32
parse (const gchar * text)
{
  guint32 argb = UNCHANGED;

  fail_unless (gst_shapes_color_parse (text, &argb), "%s", text);
  return argb;
}

#define fail_unless_color(a, b) fail_unless_equals_uint64_hex (a, b)

TEST (alpha_is_first_in_numbers_and_last_in_texts)
{
  fail_unless_color (parse ("#112233"), 0xff112233u);
  fail_unless_color (parse ("#11223344"), 0x44112233u);
  fail_unless_color (parse ("#AbCdEf00"), 0x00abcdefu);
  fail_unless_color (parse ("#ffffffff"), 0xffffffffu);
  fail_unless_color (parse ("red"), 0xffff0000u);
  fail_unless_color (parse ("RebeccaPurple"), 0xff663399u);
}

TEST (what_is_no_colour_changes_nothing)
{
  const gchar *texts[] = { NULL, "", "#", "#12345", "#1234567", "#123456789",
    "#12345g", "112233", "rde", "red ", " red", "0xff0000", "#-12345", "none",
    "#11223344556677889900", "lightgoldenrodyellowlightgoldenrodyellow"
  };
  guint32 argb = UNCHANGED;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    fail_if (gst_shapes_color_parse (texts[i], &argb), "%s", texts[i]);
  fail_unless_color (argb, UNCHANGED);
}

TEST (texts_read_back)
{
  const guint32 colors[] = { 0, 0xff000000u, 0x00ffffffu, 0xffd55e00u,
    0x80d55e00u, 0xfe010203u, 0xffffffffu
  };
  const gchar *texts[] = { "#00000000", "#000000", "#ffffff00", "#d55e00",
    "#d55e0080", "#010203fe", "#ffffff"
  };

  for (guint i = 0; i < G_N_ELEMENTS (colors); i++) {
    g_autofree gchar *text = gst_shapes_color_to_string (colors[i]);

    fail_unless_equals_string (text, texts[i]);
    fail_unless_color (parse (text), colors[i]);
  }
}

TEST (lists_are_taken_as_a_whole)
{
  g_autoptr (GArray) colors = g_array_new (FALSE, FALSE, sizeof (guint32));

  fail_unless (gst_shapes_colors_parse (" red,#00ff0080 , Blue", colors));
  g_autofree gchar *text = gst_shapes_colors_to_string (colors);
  fail_unless_equals_string (text, "#ff0000, #00ff0080, #0000ff");
  fail_if (gst_shapes_colors_parse ("red,,blue", colors));
  fail_if (gst_shapes_colors_parse ("red,", colors));
  fail_if (gst_shapes_colors_parse (",", colors));
  fail_if (gst_shapes_colors_parse ("red,rde", colors));
  fail_unless_equals_int (colors->len, 3);
  fail_unless (gst_shapes_colors_parse ("", colors));
  fail_unless_equals_int (colors->len, 0);
  fail_unless (gst_shapes_colors_parse (NULL, colors));
}

#ifdef HAVE_PANGO

static const gchar *names[] = {
  "aliceblue", "antiquewhite", "aqua", "aquamarine", "azure", "beige",
  "bisque", "black", "blanchedalmond", "blue", "blueviolet", "brown",
  "burlywood", "cadetblue", "chartreuse", "chocolate", "coral",
  "cornflowerblue", "cornsilk", "crimson", "cyan", "darkblue", "darkcyan",
  "darkgoldenrod", "darkgray", "darkgreen", "darkgrey", "darkkhaki",
  "darkmagenta", "darkolivegreen", "darkorange", "darkorchid", "darkred",
  "darksalmon", "darkseagreen", "darkslateblue", "darkslategray",
  "darkslategrey", "darkturquoise", "darkviolet", "deeppink", "deepskyblue",
  "dimgray", "dimgrey", "dodgerblue", "firebrick", "floralwhite",
  "forestgreen", "fuchsia", "gainsboro", "ghostwhite", "gold", "goldenrod",
  "gray", "green", "greenyellow", "grey", "honeydew", "hotpink", "indianred",
  "indigo", "ivory", "khaki", "lavender", "lavenderblush", "lawngreen",
  "lemonchiffon", "lightblue", "lightcoral", "lightcyan",
  "lightgoldenrodyellow", "lightgray", "lightgreen", "lightgrey", "lightpink",
  "lightsalmon", "lightseagreen", "lightskyblue", "lightslategray",
  "lightslategrey", "lightsteelblue", "lightyellow", "lime", "limegreen",
  "linen", "magenta", "maroon", "mediumaquamarine", "mediumblue",
  "mediumorchid", "mediumpurple", "mediumseagreen", "mediumslateblue",
  "mediumspringgreen", "mediumturquoise", "mediumvioletred", "midnightblue",
  "mintcream", "mistyrose", "moccasin", "navajowhite", "navy", "oldlace",
  "olive", "olivedrab", "orange", "orangered", "orchid", "palegoldenrod",
  "palegreen", "paleturquoise", "palevioletred", "papayawhip", "peachpuff",
  "peru", "pink", "plum", "powderblue", "purple", "rebeccapurple", "red",
  "rosybrown", "royalblue", "saddlebrown", "salmon", "sandybrown", "seagreen",
  "seashell", "sienna", "silver", "skyblue", "slateblue", "slategray",
  "slategrey", "snow", "springgreen", "steelblue", "tan", "teal", "thistle",
  "tomato", "turquoise", "violet", "wheat", "white", "whitesmoke", "yellow",
  "yellowgreen",
};

/* Pango has a table of its own. */
TEST (names_are_those_that_pango_knows)
{
  fail_unless_equals_int (G_N_ELEMENTS (names), 148);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    PangoColor color;

    fail_unless (pango_color_parse (&color, names[i]), "%s", names[i]);
    fail_unless_color (parse (names[i]), 0xff000000u |
        (guint32) (color.red >> 8) << 16 | (color.green >> 8) << 8 |
        color.blue >> 8);
  }
}

#endif

SUITE (color) {}
