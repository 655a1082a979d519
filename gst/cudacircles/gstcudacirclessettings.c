/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstcudacirclessettings.h"

#include <string.h>

#include "element/gstshapescolor.h"
#include "element/gstshapesframe.h"
#include "shapes/gstshapesenum.h"

/* Colour of circles without one. */
#define DEFAULT_CIRCLE_COLOR 0xffffffff

/* Name of the structures in "circles". */
#define CIRCLE_NAME "circle"

enum
{
  BLEND_GAMMA,
  BLEND_LINEAR,
};

GST_SHAPES_DEFINE_ENUM_TYPE (static, units_get_type, "GstCudaCirclesUnits",
    {CIRCLES_UNITS_PIXELS,
        "Pixels of the frame, whose centres are at integers", "pixels"},
    {CIRCLES_UNITS_NORMALIZED,
          "0 to 1 across the frame; radii are fractions of its smaller side",
        "normalized"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, markers_get_type, "GstCudaCirclesMarkers",
    {CIRCLES_MARKERS_NONE, "Contours are not marked", "none"},
    {CIRCLES_MARKERS_ENCLOSING, "The smallest circle around each", "enclosing"},
    {CIRCLES_MARKERS_EQUIVALENT, "A circle of the same area at the "
          "centroid of each", "equivalent"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, order_get_type, "GstCudaCirclesOrder",
    {CIRCLES_ORDER_DEPTH, "From the farthest to the nearest", "depth"},
    {CIRCLES_ORDER_ARRAY, "In their order in the scene, behind all "
          "circles that are nearer than 1", "array"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, blend_get_type, "GstCudaCirclesBlend",
    {BLEND_GAMMA, "Gamma-encoded code values, as usual", "gamma"},
    {BLEND_LINEAR, "Linear light, by the transfer function of sRGB", "linear"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, scene_get_type, "GstCudaCirclesScene",
    {CS_SCENE_NONE, "No scene", "none"},
    {CS_SCENE_RGB, "3 overlapping circles", "rgb"},
    {CS_SCENE_RGBY, "4 overlapping circles, not in order of depth", "rgby"},
    {CS_SCENE_RAND10K, "10 000 random circles", "rand10k"},
    {CS_SCENE_RAND100K, "100 000 random circles", "rand100k"},
    {CS_SCENE_RAND1M, "1 000 000 small random circles", "rand1m"},
    {CS_SCENE_BIGLITTLE, "9000 large circles, and 1000 small ones in a corner "
          "in front of them", "biglittle"},
    {CS_SCENE_LITTLEBIG, "1000 small circles in a corner, and 9000 large ones "
          "in front of them", "littlebig"},
    {CS_SCENE_PATTERN, "A grid of touching circles, and a finer one in front",
        "pattern"},
    {CS_SCENE_MICRO2M, "2 000 000 tiny random circles", "micro2m"},
    {CS_SCENE_SNOW, "4000 falling snowflakes", "snow"},
    {CS_SCENE_BOUNCINGBALLS, "48 bouncing balls", "bouncingballs"},
    {CS_SCENE_FIREWORKS, "24 rockets that rise and burst repeatedly",
        "fireworks"},
    {CS_SCENE_HYPNOSIS, "Expanding rings", "hypnosis"})

G_STATIC_ASSERT (G_N_ELEMENTS (scene_get_type_values) == CS_N_SCENES + 1);

typedef CirclesSettings Settings;

/* Circles as structures */

/* A field of any numeric type; FALSE if there is none. */
static gboolean
get_number (const GstStructure * structure, const gchar * name, gfloat * number)
{
  const GValue *value = gst_structure_get_value (structure, name);
  GValue as_float = G_VALUE_INIT;
  gboolean ok;

  if (!value || G_VALUE_HOLDS_STRING (value))
    return FALSE;
  g_value_init (&as_float, G_TYPE_FLOAT);
  ok = g_value_transform (value, &as_float);
  if (ok)
    *number = g_value_get_float (&as_float);
  g_value_unset (&as_float);
  return ok;
}

static gboolean
get_color (const GstStructure * structure, guint32 * rgba)
{
  const GValue *value = gst_structure_get_value (structure, "color");
  GValue as_uint = G_VALUE_INIT;
  guint32 argb;
  gboolean ok;

  if (!value)
    return TRUE;
  if (G_VALUE_HOLDS_STRING (value)) {
    ok = gst_shapes_color_parse (g_value_get_string (value), &argb);
    if (ok)
      *rgba = circles_color_to_rgba (argb);
    return ok;
  }
  g_value_init (&as_uint, G_TYPE_UINT);
  ok = g_value_transform (value, &as_uint);
  if (ok)
    *rgba = circles_color_to_rgba (g_value_get_uint (&as_uint));
  g_value_unset (&as_uint);
  return ok;
}

gboolean
circles_read_color (const char *text, guint32 * rgba)
{
  guint32 argb;

  if (!gst_shapes_color_parse (text, &argb))
    return FALSE;
  *rgba = circles_color_to_rgba (argb);
  return TRUE;
}

/* Returns: (transfer full): what is wrong; %NULL if nothing is */
static gchar *
read_gradient (Settings * settings, const GstStructure * structure,
    guint32 * number)
{
  const gchar *text = gst_structure_get_string (structure, "gradient");
  g_autoptr (GError) error = NULL;
  gchar *problem;

  if (!gst_structure_has_field (structure, "gradient"))
    return NULL;
  if (!text)
    return g_strdup ("has a gradient that is no text");
  if (cs_gradient_set_add (settings->gradients, text, strlen (text),
          circles_read_color, number, &error))
    return NULL;
  problem = g_strdup_printf ("has gradient=\"%s\": %s", text, error->message);
  return problem;
}

static const gchar *const fields[] = {
  "x", "y", "r", "z", "vx", "vy", "color", "gradient"
};

#define N_NUMBERS 6
#define N_NEEDED 3

/* The first field that is no circle's; %NULL if there is none. */
static const gchar *
find_unknown (const GstStructure * structure)
{
  guint k;

  for (gint i = 0; i < gst_structure_n_fields (structure); i++) {
    const gchar *name = gst_structure_nth_field_name (structure, i);

    for (k = 0; k < G_N_ELEMENTS (fields) && strcmp (name, fields[k]); k++);
    if (k == G_N_ELEMENTS (fields))
      return name;
  }
  return NULL;
}

/* The text of a field's value, for errors. */
static gchar *
show_value (const GstStructure * structure, const gchar * name)
{
  const GValue *value = gst_structure_get_value (structure, name);

  return value ? gst_value_serialize (value) : NULL;
}

/* What is wrong; %NULL if it is a circle. */
static gchar *
read_circle (Settings * settings, const GstStructure * structure,
    CsCircle * circle)
{
  gfloat *const numbers[N_NUMBERS] = { &circle->x, &circle->y, &circle->r,
    &circle->z, &circle->vx, &circle->vy
  };
  gchar *value, *problem;

  if (!structure)
    return g_strdup ("is no structure");
  const gchar *unknown = find_unknown (structure);
  if (unknown)
    return g_strdup_printf ("has a field \"%s\"; there are x, y, r, z, vx, "
        "vy, color and gradient", unknown);
  for (guint i = 0; i < N_NUMBERS; i++) {
    if (!gst_structure_has_field (structure, fields[i])) {
      if (i < N_NEEDED)
        return g_strdup_printf ("has no field \"%s\"", fields[i]);
    } else if (!get_number (structure, fields[i], numbers[i])) {
      value = show_value (structure, fields[i]);
      problem = g_strdup_printf ("has %s=%s, which is no number", fields[i],
          value ? value : "?");
      g_free (value);
      return problem;
    }
  }
  if (get_color (structure, &circle->rgba))
    return read_gradient (settings, structure, &circle->gradient);
  value = show_value (structure, "color");
  problem = g_strdup_printf ("has color=%s, which is no colour", value ? value :
      "?");
  g_free (value);
  return problem;
}

static void
take_structure (Settings * settings, const GstStructure * structure, guint i)
{
  CsCircle circle = { 0.f, 0.f, 0.f, 0.f,
    circles_color_to_rgba (DEFAULT_CIRCLE_COLOR)
  };
  g_autofree gchar *problem = read_circle (settings, structure, &circle);

  if (!problem)
    cs_array_append_val (settings->circles, circle);
  else if (settings->n_wrong++ == 0)
    g_snprintf (settings->problem, sizeof (settings->problem),
        "circle %u %s", i, problem);
}

static gboolean
set_circles (gpointer values, const GValue * array)
{
  Settings *settings = values;
  const guint n = gst_value_array_get_size (array);

  cs_array_empty (settings->circles);
  cs_gradient_set_empty (settings->gradients);
  settings->n_wrong = 0;
  for (guint i = 0; i < n; i++)
    take_structure (settings,
        gst_value_get_structure (gst_value_array_get_value (array, i)), i);
  return TRUE;
}

static void
get_circles (gconstpointer values, GValue * array)
{
  const Settings *settings = values;

  for (guint i = 0; i < settings->circles->len; i++) {
    const CsCircle *c = &cs_array_index (settings->circles, CsCircle, i);
    GstStructure *structure = gst_structure_new (CIRCLE_NAME,
        "x", G_TYPE_DOUBLE, (gdouble) c->x, "y", G_TYPE_DOUBLE, (gdouble) c->y,
        "r", G_TYPE_DOUBLE, (gdouble) c->r, "z", G_TYPE_DOUBLE, (gdouble) c->z,
        "color", G_TYPE_UINT, c->rgba >> 8 | c->rgba << 24, NULL);
    GValue value = G_VALUE_INIT;

    if (c->vx != 0.f || c->vy != 0.f)
      gst_structure_set (structure, "vx", G_TYPE_DOUBLE, (gdouble) c->vx, "vy",
          G_TYPE_DOUBLE, (gdouble) c->vy, NULL);
    if (c->gradient > 0) {
      gchar *text = cs_gradient_set_to_text (settings->gradients, c->gradient);

      gst_structure_set (structure, "gradient", G_TYPE_STRING, text, NULL);
      g_free (text);
    }

    g_value_init (&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&value, structure);
    gst_value_array_append_and_take_value (array, &value);
  }
}

static GParamSpec *
new_circle (void)
{
  return g_param_spec_boxed ("circle", "Circle", "A circle.",
      GST_TYPE_STRUCTURE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
}

/* Properties */

static const GstShapesProperty rows[] = {
  GST_SHAPES_ENUM (Settings, scene, "scene", "Scene", scene_get_type,
      CS_SCENE_NONE, LIVE, "Built-in scene. The last four are animated by the "
      "stream time, or by the number of frames if there is none; equal times "
      "give equal pictures.", .affects = CIRCLES_STATIC),
  GST_SHAPES_UINT (Settings, seed, "seed", "Seed", 0, G_MAXUINT32, 0, LIVE,
      "Seed of the random positions and colours of scenes; the same seed gives "
      "the same picture on every machine.", .affects = CIRCLES_STATIC),
  GST_SHAPES_ENUM (Settings, scene_order, "scene-order", "Order of scenes",
      order_get_type, CIRCLES_ORDER_DEPTH, LIVE,
      "Order in which a scene's circles are painted: by \"depth\", or that of "
      "the \"array\", to compare with renderers that expect sorted circles.",
      .affects = CIRCLES_STATIC),
  GST_SHAPES_STRING (Settings, location, "location", "Location", NULL, READY,
      "File of circles, read when the element starts: lines of \"x y r z "
      "#rrggbbaa\", each optionally followed by a gradient and \"vx vy\", and "
      "comments, which begin with #; or JSON lines written by shapejsonenc. "
      "Empty: none."),
  GST_SHAPES_ARRAY ("circles", "Circles", new_circle, LIVE,
      "Circles, each a structure with the fields x, y, r (numbers), and "
      "optionally z (a number, larger is farther, 0 by default), vx and vy "
      "(velocity a second, in the unit of x and y) and color (0xAARRGGBB, or a "
      "text: a name of CSS, #rrggbb, #rrggbbaa; opaque white by default) and "
      "gradient (a text, see the property). The signal add-circle adds one, "
      "clear-circles removes all.", .set = set_circles, .get = get_circles,
      .affects = CIRCLES_STATIC),
  GST_SHAPES_STRING (Settings, gradient, "gradient", "Gradient", NULL, LIVE,
      "What the colours of circles without a gradient of their own are "
      "multiplied by: \"radial:COLOUR:COLOUR:...\" from the centre to the "
      "border, \"linear:ANGLE:COLOUR:...\" along a direction (degrees, 0 to "
      "the right, 90 downwards), \"glow\" or \"glow:COLOUR:...\" with an "
      "alpha that falls off as exp(-4t^2), \"snow\" for the snowflakes of the "
      "circle renderer of Stanford's CS149. COLOUR is a name of CSS, rrggbb "
      "or rrggbbaa; COLOUR/0.3 says where it is. For instance "
      "\"radial:white:ffffff00\". Unset: none.", .affects = CIRCLES_STATIC),
  GST_SHAPES_ENUM (Settings, units, "units", "Units", units_get_type,
      CIRCLES_UNITS_PIXELS, LIVE,
      "Unit of the coordinates in \"circles\" and in the file at \"location\".",
      .affects = CIRCLES_STATIC),
  GST_SHAPES_DOUBLE (Settings, gravity, "gravity", "Gravity", -1e6, 1e6, 0.,
      LIVE, "Acceleration of the circles of \"circles\" and of the file "
      "downwards, in \"units\" a second squared. They are where their velocity "
      "and it take them up to the stream time: the same time gives the same "
      "picture.", .affects = CIRCLES_STATIC),
  GST_SHAPES_BOOLEAN (Settings, bounce, "bounce", "Bounce", FALSE, LIVE,
      "Throw moving circles back at the borders of the frame, without loss, "
      "instead of letting them leave.", .affects = CIRCLES_STATIC),
  GST_SHAPES_BOOLEAN (Settings, from_circles, "from-circles", "From circles",
      TRUE, LIVE, "Draw the circles in the shape meta of frames."),
  GST_SHAPES_ENUM (Settings, from_contours, "from-contours", "From contours",
      markers_get_type, CIRCLES_MARKERS_NONE, LIVE,
      "Mark each contour in the shape meta of frames with a circle, except "
      "holes. Without contours, hulls are marked."),
  GST_SHAPES_BOOLEAN (Settings, from_roi, "from-roi",
      "From regions of interest", FALSE, LIVE, "Mark each region of interest "
      "(GstVideoRegionOfInterestMeta) with the circle through its corners."),
  GST_SHAPES_COLOR (Settings, marker_color, "marker-color", "Marker colour",
      0x80d55e00, ANIMATED, "Colour of the markers of contours and regions, as "
      "0xAARRGGBB. Markers are in front of all other circles.", 0),
  GST_SHAPES_BOOLEAN (Settings, fill, "fill", "Fill", TRUE, LIVE,
      "Fill circles with their colour.", .affects = CIRCLES_STATIC),
  GST_SHAPES_DOUBLE (Settings, stroke_width, "stroke-width", "Stroke width", 0.,
      1024., 0., ANIMATED, "Width of the circles' outlines in pixels, 0 for "
      "none. Centred on the circle's border, and drawn right after its fill.",
      .affects = CIRCLES_STATIC),
  GST_SHAPES_COLOR (Settings, stroke_color, "stroke-color", "Stroke colour", 0,
      ANIMATED, "Colour of outlines, as 0xAARRGGBB; an alpha of 0 selects the "
      "circle's own colour, opaque.", CIRCLES_STATIC),
  GST_SHAPES_BOOLEAN (Settings, antialias, "antialias", "Anti-alias", TRUE,
      ANIMATED, "Give borders soft edges. Without it a pixel is covered if its "
      "centre is inside the circle."),
  GST_SHAPES_ENUM (Settings, linear, "blend", "Blend", blend_get_type,
      BLEND_GAMMA, LIVE, "Values in which transparent circles are blended."),
  GST_SHAPES_DOUBLE (Settings, opacity, "opacity", "Opacity", 0., 1., 1.,
      ANIMATED, "How much circles hide the frame, from 0 (none is drawn) to "
      "1. Multiplies the alpha of every circle."),
  GST_SHAPES_ENUM (Settings, background, "background", "Background",
      gst_shapes_background_get_type, CS_BACKGROUND_FRAME, LIVE,
      "What is behind the circles. \"frame\" is the picture itself; "
      "\"transparent\" needs a format with alpha (otherwise it is black, with "
      "a warning)."),
  GST_SHAPES_UINT64 (Settings, n_left_out, "circles-left-out",
      "Circles left out", 0, G_MAXUINT64, 0, READ_ONLY,
      "Number of circles skipped in the last frame because they are not "
      "finite, have no radius, or lie outside."),
};

const GstShapesProperties circles_properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 1);
