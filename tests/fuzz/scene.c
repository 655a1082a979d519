/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any bytes as a scene file. Circles are written as text, which must parse to
 * the same circles; errors must name an existing line. What is painted does not
 * depend on the number of threads. */

#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../kernels/lib/cleanup.h"
#include "circles/circles.h"

static guint64
count_lines (const uint8_t * data, size_t size)
{
  guint64 n = 1;

  for (size_t i = 0; i < size; i++)
    n += data[i] == '\n';
  return n;
}

static void
check_error (const GError * error, guint64 n_lines)
{
  char *end;

  FUZZ_CHECK (g_error_matches (error, CS_ERROR, CS_ERROR_INVALID), "%s",
      error->message);
  FUZZ_CHECK (g_str_has_prefix (error->message, "line "), "%s", error->message);
  guint64 line = g_ascii_strtoull (error->message + 5, &end, 10);
  FUZZ_CHECK (line >= 1 && line <= n_lines && g_str_has_prefix (end, ": ")
      && end[2], "%s (%" G_GUINT64_FORMAT " lines)", error->message, n_lines);
  FUZZ_CHECK (g_utf8_validate (error->message, -1, NULL), "%s", error->message);
}

static gboolean
same_float (gfloat a, gfloat b)
{
  return a == b || (isnan (a) && isnan (b));
}

static GString *
write_circles (const CsArray * circles, const CsGradientSet * gradients)
{
  GString *text = g_string_new (NULL);
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < circles->len; i++) {
    const CsCircle *c = &cs_array_index (circles, CsCircle, i);
    const gfloat values[] = { c->x, c->y, c->r, c->z };

    for (guint k = 0; k < G_N_ELEMENTS (values); k++)
      g_string_append_printf (text, "%s ", g_ascii_dtostr (digits,
              sizeof (digits), values[k]));
    g_string_append_printf (text, "#%08x", c->rgba);
    if (c->gradient) {
      g_autofree gchar *gradient = cs_gradient_set_to_text (gradients,
          c->gradient);

      g_string_append_printf (text, " %s", gradient);
    }
    g_string_append_c (text, '\n');
  }
  return text;
}

static void
check_reads_back (const CsArray * circles, const CsGradientSet * gradients)
{
  g_autoptr (GString) text = write_circles (circles, gradients);
  g_autoptr (CsGradientSet) others = cs_gradient_set_new ();
  GError *error = NULL;
  g_autoptr (CsArray) again = cs_scene_parse (text->str, text->len, others,
      &error);

  FUZZ_CHECK (again && again->len == circles->len, "%s", error ?
      error->message : "other circles");
  for (guint i = 0; i < circles->len; i++) {
    const CsCircle *a = &cs_array_index (circles, CsCircle, i);
    const CsCircle *b = &cs_array_index (again, CsCircle, i);

    FUZZ_CHECK (same_float (a->x, b->x) && same_float (a->y, b->y)
        && same_float (a->r, b->r) && same_float (a->z, b->z)
        && a->rgba == b->rgba && !a->gradient == !b->gradient, "circle %u: %g %g %g %g %08x", i, b->x, b->y,
        b->r, b->z, b->rgba);
    if (a->gradient) {
      g_autofree gchar *before = cs_gradient_set_to_text (gradients,
          a->gradient);
      g_autofree gchar *after = cs_gradient_set_to_text (others, b->gradient);

      FUZZ_CHECK (g_str_equal (before, after), "%s is %s", before, after);
    }
  }
}

#define WIDTH 64
#define HEIGHT 48

/* With one thread and three, the same. */
static void
check_picture (const CsMarks * marks)
{
  static CsRaster *rasters[2];
  guint8 pixels[2][WIDTH * HEIGHT * 3];
  CsRasterSettings settings;
  GError *error = NULL;

  cs_raster_settings_init (&settings);
  settings.background = CS_BACKGROUND_BLACK;
  for (guint i = 0; i < 2; i++) {
    const CsPicture picture = {.model = CS_PICTURE_RGB,.width = WIDTH,
      .height = HEIGHT,.depth = 8,
      .data = {pixels[i], pixels[i] + 1, pixels[i] + 2},
      .pixel_stride = {3, 3, 3},
      .row_stride = {3 * WIDTH, 3 * WIDTH, 3 * WIDTH}
    };

    if (!rasters[i])
      rasters[i] = cs_raster_new (cs_executor_new_cpu (1 + 2 * i), NULL);
    FUZZ_CHECK (cs_raster_run (rasters[i], marks, &settings, NULL, &picture,
            &error), "%s", error->message);
  }
  FUZZ_CHECK (memcmp (pixels[0], pixels[1], sizeof (pixels[0])) == 0,
      "pictures differ");
}

/* They become marks of finite size, or are counted. */
static void
check_marks (const CsArray * circles, const CsGradientSet * gradients)
{
  const CsCirclesStyle style = { TRUE, 0.f, 0, circles->len % 2, gradients };
  const CsGradients view = cs_gradient_set_get (gradients);
  g_autoptr (CsArray) marks = cs_array_new (sizeof (CsMark));
  g_autoptr (CsArray) depths = cs_array_new (sizeof (gfloat));
  const gsize dropped = cs_circles_to_marks ((const CsCircle *) circles->data,
      circles->len, &style, WIDTH, HEIGHT, marks, depths);
  const CsMarks all = {.marks = (const CsMark *) marks->data,
    .depths = (const gfloat *) depths->data,.n = marks->len,.gradients = &view
  };

  FUZZ_CHECK (marks->len == depths->len
      && marks->len + dropped == circles->len, "%u marks",
      (guint) marks->len);
  for (guint i = 0; i < marks->len; i++) {
    const CsMark *mark = &all.marks[i];

    FUZZ_CHECK (isfinite (mark->x0) && isfinite (mark->y0)
        && isfinite (mark->radius) && mark->radius > 0.f, "mark %u", i);
    FUZZ_CHECK (mark->group == 0 || (mark->group & ~CS_MARK_GRADIENT) < view.n,
        "mark %u", i);
  }
  check_picture (&all);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  GError *error = NULL;
  g_autoptr (CsGradientSet) gradients = cs_gradient_set_new ();
  CsArray *circles = cs_scene_parse ((const char *) data, size, gradients,
      &error);

  FUZZ_CHECK_ERROR (circles != NULL, error);
  if (error)
    check_error (error, count_lines (data, size));
  g_clear_error (&error);
  if (circles) {
    check_reads_back (circles, gradients);
    check_marks (circles, gradients);
    cs_array_free (circles);
  }
  return 0;
}
