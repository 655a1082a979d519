/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check_gradients.h"

#include <math.h>
#include <string.h>

#include "../lib/check.h"
#include "circles/circles.h"

#define SIDE 48
#define MAX_STOPS 6

/* A gradient by its text and by its numbers. */
typedef struct
{
  const char *text;
  gboolean is_linear;
  double angle, falloff;
  guint n;
  struct
  {
    double at, color[4];
  } stops[MAX_STOPS];
} Gradient;

/* *INDENT-OFF* */
static const Gradient gradients[] = {
  {"radial:#ff0000:#0000ff", FALSE, 0, 0, 2,
      {{0, {1, 0, 0, 1}}, {1, {0, 0, 1, 1}}}},
  {"radial:#ff0000 / 0.25:#0000ff00/.75", FALSE, 0, 0, 2,
      {{.25, {1, 0, 0, 1}}, {.75, {0, 0, 1, 0}}}},
  {"linear:0:#00ff00:#ff00ff33", TRUE, 0, 0, 2,
      {{0, {0, 1, 0, 1}}, {1, {1, 0, 1, .2}}}},
  {"linear:90:#ffffff:#000000:#ffffff80", TRUE, 90, 0, 3,
      {{0, {1, 1, 1, 1}}, {.5, {0, 0, 0, 1}}, {1, {1, 1, 1, 128 / 255.}}}},
  {"linear:-37.5:#ffcc00:#0033ff/0.3:#0033ff/0.3:#000000", TRUE, -37.5, 0, 4,
      {{0, {1, .8, 0, 1}}, {.3, {0, .2, 1, 1}}, {.3, {0, .2, 1, 1}},
        {1, {0, 0, 0, 1}}}},
  {"radial:#ff0000/0:#ff0000/0.5:#00ff00/0.5:#00ff00", FALSE, 0, 0, 4,
      {{0, {1, 0, 0, 1}}, {.5, {1, 0, 0, 1}}, {.5, {0, 1, 0, 1}},
        {1, {0, 1, 0, 1}}}},
  {"radial:#000000:#ff0000:#00ff00:#0000ff/0.6:#ffffff", FALSE, 0, 0, 5,
      {{0, {0, 0, 0, 1}}, {.2, {1, 0, 0, 1}}, {.4, {0, 1, 0, 1}},
        {.6, {0, 0, 1, 1}}, {1, {1, 1, 1, 1}}}},
  {"glow", FALSE, 0, 4, 1, {{0, {1, 1, 1, 1}}}},
  {"glow:#ffffff:#ff6600", FALSE, 0, 4, 2,
      {{0, {1, 1, 1, 1}}, {1, {1, .4, 0, 1}}}},
};
/* *INDENT-ON* */

/* What a gradient is at @t, between the two stops around it. */
static void
color_at (const Gradient * g, double t, double color[4])
{
  guint i;

  for (i = 0; i < g->n && g->stops[i].at <= t; i++);
  for (guint j = 0; j < 4; j++)
    if (i == 0 || i == g->n) {
      color[j] = g->stops[i == 0 ? 0 : g->n - 1].color[j];
    } else {
      const double a = g->stops[i - 1].at, b = g->stops[i].at;

      color[j] = g->stops[i - 1].color[j] * (b - t) / (b - a) +
          g->stops[i].color[j] * (t - a) / (b - a);
    }
  color[3] *= exp (-g->falloff * t * t);
}

/* Where a pixel is on a gradient. */
static double
place_of (const Gradient * g, double u, double v)
{
  const double angle = g->angle * G_PI / 180;

  if (!g->is_linear)
    return MIN (hypot (u, v), 1);
  return CLAMP ((cos (angle) * u + sin (angle) * v + 1) / 2, 0, 1);
}

/* Colours jump here. */
static gboolean
is_at_step (const Gradient * g, double t)
{
  for (guint i = 0; i + 1 < g->n; i++)
    if (g->stops[i].at == g->stops[i + 1].at
        && fabs (t - g->stops[i].at) < 1e-4)
      return TRUE;
  return FALSE;
}

/* One circle on black, by the tile engine, in 16 bits. */
static gboolean
paint (const CsGradientSet * set, const CsCircle * circle, guint32 gradient,
    gboolean antialias, guint16 * pixels)
{
  const CsCirclesStyle style = {.fill = TRUE,.gradients = set,
    .gradient = gradient
  };
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (1);
  g_autoptr (CsRaster) raster = cs_raster_new (executor, NULL);
  g_autoptr (CsArray) marks = cs_array_new (sizeof (CsMark));
  g_autoptr (CsArray) depths = cs_array_new (sizeof (float));
  const CsGradients view = cs_gradient_set_get (set);
  CsPicture picture = {.model = CS_PICTURE_RGB,.type = CS_SAMPLE_U16,
    .width = SIDE,.height = SIDE,.depth = 16
  };
  CsRasterSettings settings;

  for (guint i = 0; i < 3; i++) {
    picture.data[i] = pixels + i;
    picture.pixel_stride[i] = 6;
    picture.row_stride[i] = 6 * SIDE;
  }
  cs_circles_to_marks (circle, 1, &style, SIDE, SIDE, marks, depths);
  CsMarks all = (CsMarks) {.marks = (const CsMark *) marks->data,
    .depths = (const float *) depths->data,.n = marks->len,.gradients = &view
  };
  cs_raster_settings_init (&settings);
  settings.background = CS_BACKGROUND_BLACK;
  settings.antialias = antialias;
  return cs_raster_run (raster, &all, &settings, NULL, &picture, NULL);
}

/* The picture of a circle, in double precision; @own: its colour. */
static void
compare (const Gradient * g, const CsCircle * c, const double own[4],
    gboolean antialias, const guint16 * pixels)
{
  guint x, y, i, wrong = 0;

  for (y = 0; y < SIDE; y++) {
    for (x = 0; x < SIDE; x++) {
      const double u = (x - c->x) / c->r, v = (y - c->y) / c->r;
      const double d = hypot (x - c->x, y - c->y);
      const double cover = antialias ? CLAMP (c->r + .5 - d, 0, 1) : d <= c->r;
      double color[4];

      if (is_at_step (g, place_of (g, u, v)))
        continue;
      color_at (g, place_of (g, u, v), color);
      for (i = 0; i < 3; i++)
        wrong += fabs (pixels[(y * SIDE + x) * 3 + i] - 65535 * own[i] *
            color[i] * own[3] * color[3] * cover) > 1.5;
    }
  }
  check_that (wrong == 0, "%s: %u samples are wrong", g->text, wrong);
}

static gboolean
add (CsGradientSet * set, const char *text, guint32 * number, GError ** error)
{
  return cs_gradient_set_add (set, text, strlen (text), cs_color_parse, number,
      error);
}

static void
check_pictures (void)
{
  static const CsCircle circles[] = {
    {24, 23.5f, 20.25f, 0, 0xffffffff}, {10, 30, 7.5f, 0, 0x3366cc99},
    {-5, 60, 50, 0, 0xff990080}
  };
  g_autofree guint16 *pixels = g_new (guint16, SIDE * SIDE * 3);
  g_autoptr (CsGradientSet) set = cs_gradient_set_new ();
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (gradients); i++) {
    guint32 number;

    if (!check_that (add (set, gradients[i].text, &number, &error), "%s: %s",
            gradients[i].text, error ? error->message : "")) {
      g_clear_error (&error);
      continue;
    }
    for (guint j = 0; j < 2 * G_N_ELEMENTS (circles); j++) {
      const CsCircle *c = &circles[j / 2];
      double own[4];

      for (guint k = 0; k < 4; k++)
        own[k] = (c->rgba >> (24 - 8 * k) & 255) / 255.;
      check_that (paint (set, c, number, j % 2, pixels), "paint");
      compare (&gradients[i], c, own, j % 2, pixels);
    }
  }
}

/* The assignment's shading of snowflakes, but that its greatest alpha is a code
 * of 8 bits. */
static void
check_snow (void)
{
  static const Gradient ramp = { "snow", FALSE, 0, 4, 5, {{0, {1, 1, 1, 1}},
          {.25, {1, 1, 1, 1}}, {.5, {.8, .9, 1, 1}}, {.75, {.8, .9, 1, 1}},
          {1, {.8, .8, 1, 1}}}
  };
  static const double depths[] = { 0, .25, .9, 1, -3, 4 };
  g_autofree guint16 *pixels = g_new (guint16, SIDE * SIDE * 3);
  g_autoptr (CsGradientSet) set = cs_gradient_set_new ();
  guint32 number = 0;

  check_that (add (set, "snow", &number, NULL), "snow");
  for (guint i = 0; i < G_N_ELEMENTS (depths); i++) {
    const CsCircle c = { 20, 21.25f, 18, (float) depths[i], 0xff00ff11 };
    const double most = .5 * CLAMP (.6 + .4 * (1 - depths[i]), 0, 1);
    const double own[4] = { 1, 1, 1, floor (255 * most + .5) / 255 };

    check_that (paint (set, &c, number, FALSE, pixels), "paint");
    compare (&ramp, &c, own, FALSE, pixels);
  }
}

static void
check_wrong_texts (void)
{
  static const struct
  {
    const char *text, *wrong;
  } cases[] = {
    {"", "is no gradient"}, {"radial", "is no gradient"},
    {"conic:#ffffff:#000000", "\"conic\" is no gradient"},
    {"snow:#ffffff", "\"snow\" is no gradient"},
    {"radial(#ffffff)", "is no gradient"},
    {"radial:", "\"\" is no colour"}, {"linear:90", "no colour"},
    {"linear:#ffffff:#000000", "no angle"},
    {"linear:400:#ffffff", "no angle"}, {"linear:nan:#ffffff", "no angle"},
    {"radial:#ffffff:", "\"\" is no colour"},
    {"radial:#fffffff", "no colour"}, {"radial:white", "no colour"},
    {"radial:#ffffff/1.5", "no place"}, {"radial:#ffffff/", "no place"},
    {"radial:#ffffff/nan", "no place"},
    {"radial:#ffffff/0.5:#ffffff/0.25", "a colour at 0.5 lies behind"},
    {"radial:#ffffff\xff", "no colour"}, {"\xff:#ffffff", "is no gradient"},
    {"glow:#111111:#111111:#111111:#111111:#111111:#111111:#111111:#111111:"
          "#111111:#111111:#111111:#111111:#111111:#111111:#111111:#111111:"
          "#111111", "more than 16"},
    {"radial:#11111111111111111111111111111111111111111111111111111111111111",
        "no colour"},
    {"radial:#1111111111111111111111111111111111111111111111111111111111111111",
        "bytes"},
  };
  g_autoptr (CsGradientSet) set = cs_gradient_set_new ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    guint32 number;

    check_that (!add (set, cases[i].text, &number, &error) && error &&
        g_error_matches (error, CS_ERROR, CS_ERROR_INVALID) &&
        strstr (error->message, cases[i].wrong) &&
        g_utf8_validate (error->message, -1, NULL), "\"%s\": %s",
        cases[i].text, error ? error->message : "is taken");
  }
  check_that (set->gradients->len == 0, "none is kept");
}

/* The same text is one gradient; what text is made of a gradient is the
 * gradient again. */
static void
check_sets (void)
{
  g_autoptr (CsGradientSet) set = cs_gradient_set_new ();
  g_autoptr (CsGradientSet) all = cs_gradient_set_new ();
  guint32 number, again;
  gchar *text;

  for (guint i = 0; i < G_N_ELEMENTS (gradients); i++) {
    add (set, gradients[i].text, &number, NULL);
    check_that (number == i + 1, "%s is %u", gradients[i].text, number);
    text = cs_gradient_set_to_text (set, number);
    check_that (add (set, text, &again, NULL) && again == number,
        "%s becomes %s", gradients[i].text, text);
    g_free (text);
  }
  add (set, "snow", &number, NULL);
  text = cs_gradient_set_to_text (set, number);
  check_that (!strcmp (text, "snow"), "%s is not snow", text);
  g_free (text);
  add (all, "radial:#123456:#654321", &number, NULL);
  check_that (cs_gradient_set_append (all, set) == 1, "one was there");
  for (guint i = 1; i <= set->gradients->len; i++) {
    g_autofree gchar *other = cs_gradient_set_to_text (all, i + 1);

    text = cs_gradient_set_to_text (set, i);
    check_that (!strcmp (text, other), "%s became %s", text, other);
    g_free (text);
  }
}

static void
check_scene_files (void)
{
  static const char text[] = "1 2 3 4 #ffffff radial:#ff0000:#0000ff 5 6\n"
      "1 2 3 4 #ffffff glow\n1 2 3 4 #ffffff\n"
      "1 2 3 4 #ffffff radial:#ff0000:#0000ff\n1 2 3 4 #ffffff nan inf\n"
      "{\"shapes\":[{\"kind\":\"circle\",\"x\":1,\"y\":2,\"r\":3,\"z\":0,"
      "\"color\":\"#ffffff\",\"gradient\":\"snow\"}]}\n";
  static const char *const wrong[] = {
    "1 2 3 4 #ffffff red\n", "1 2 3 4 #ffffff glow 5\n",
    "1 2 3 4 #ffffff radial:#ff0000: 5 6\n",
    "{\"shapes\":[{\"gradient\":\"red\"}]}\n",
  };
  static const guint32 numbers[] = { 1, 2, 0, 1, 0, 3 };
  g_autoptr (CsGradientSet) set = cs_gradient_set_new ();
  CsArray *circles = cs_scene_parse (text, strlen (text), set, NULL);

  check_that (circles && circles->len == G_N_ELEMENTS (numbers) &&
      cs_array_index (circles, CsCircle, 0).vy == 6, "gradients of a file");
  for (guint i = 0; circles && i < circles->len; i++)
    check_that (cs_array_index (circles, CsCircle, i).gradient == numbers[i],
        "circle %u has gradient %u", i, cs_array_index (circles, CsCircle,
            i).gradient);
  g_clear_pointer (&circles, cs_array_free);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;

    circles = cs_scene_parse (wrong[i], strlen (wrong[i]), set, &error);
    check_that (!circles && error && g_str_has_prefix (error->message,
            "line 1: "), "%s: %s", wrong[i], error ? error->message : "taken");
    g_clear_pointer (&circles, cs_array_free);
  }
}

void
check_gradients (void)
{
  check_pictures ();
  check_snow ();
  check_wrong_texts ();
  check_sets ();
  check_scene_files ();
}
