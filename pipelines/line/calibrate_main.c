/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "calibrate_main.h"

#include <math.h>
#include <string.h>

#include "calibrate.h"
#include "calibrate_picture.h"
#include "elements.h"
#include "publish/options.h"

/* Greatest deviations of a good picture of a good target: of centres, from the
 * fit and from a row, as shares of the diameter; and of diameters */
#define MAX_OFF 0.02
#define MAX_OFF_DIAMETER 0.01

/* @view: -1 for all */
typedef struct
{
  gdouble diameter;
  gint view;
} Options;

static gboolean
parse (int *argc, char ***argv, Options * options)
{
  const GOptionEntry entries[] = {
    {"diameter-mm", 'd', 0, G_OPTION_ARG_DOUBLE, &options->diameter,
        "Diameter of the discs or balls, for mm-per-pixel", "MM"},
    {"view", 'v', 0, G_OPTION_ARG_INT, &options->view,
        "View that the picture is of, from 0; without, it is for all views",
          "N"},
    {NULL}
  };

  if (!line_options_parse (argc, argv, entries, 3, "CONFIG LANE PICTURE",
          "Finds mm-per-pixel, cup-first and cup-pitch in a picture (PNG, JPEG, "
          "PPM) of a\nlane's view with a ball or disc of known diameter in "
          "each cup, dark on light\nground or the other way round, and prints "
          "these keys for the lane's [geometry]."))
    return FALSE;
  if (options->diameter == -1
      || (options->diameter >= 0.1 && options->diameter <= 1e4))
    return TRUE;
  g_printerr ("--diameter-mm must be from 0.1 to 10000\n");
  return FALSE;
}

/* Returns: NULL with @error set, if there is no such lane */
static const LineLaneConfig *
find_lane (const LineConfig * config, const char *name, GError ** error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < config->lanes->len; i++) {
    const LineLaneConfig *lane = line_config_get_lane (config, i);

    if (strcmp (lane->name, name) == 0)
      return lane;
    g_string_append_printf (names, " %s", lane->name);
  }
  line_fail (error, LINE_ERROR_INVALID, "there is no [lane %s]; there are:%s",
      name, names->str);
  return NULL;
}

static gboolean
check_view (const LineLaneConfig * lane, gint view, GError ** error)
{
  const gint views = lane->geometry->views;

  return (view >= -1 && view < views) || line_fail (error, LINE_ERROR_INVALID,
      "--view must be from 0 to %d: lane %s has so many views", views - 1,
      lane->name);
}

typedef char Number[G_ASCII_DTOSTR_BUF_SIZE];

/* Always with a decimal point */
static const char *
format (Number number, gdouble value)
{
  return g_ascii_formatd (number, sizeof (Number), "%.6g", value);
}

/* Deviations are printed with three decimals. */
static const char *
format_off (Number number, gdouble value)
{
  return format (number, floor (1000 * value + 0.5) / 1000);
}

/* (transfer full): of all views, or one number if they are the same. */
static char *
format_views (guint views, const gdouble * numbers)
{
  GString *text = g_string_new (NULL);
  gboolean is_one = TRUE;
  Number number;

  for (guint v = 0; v < views; v++)
    is_one = is_one && numbers[v] == numbers[0];
  for (guint v = 0; v < (is_one ? 1 : views); v++)
    g_string_append_printf (text, "%s%s", v ? ";" : "",
        format (number, numbers[v]));
  return g_string_free (text, FALSE);
}

/* The other views' numbers stay. */
static void
print_key (const char *key, guint views, const gdouble * now, gint view,
    gdouble value)
{
  gdouble numbers[LINE_MAX_VIEWS];

  for (guint v = 0; v < views; v++)
    numbers[v] = view < 0 || (gint) v == view ? value : now[v];
  g_autofree char *text = format_views (views, numbers);
  g_print ("%s=%s\n", key, text);
}

static void
print_result (const LineGeometry * now, const LineCalibration * c,
    const Options * options)
{
  g_autofree char *scale = format_views (now->views, now->mm_per_pixel);
  g_autofree char *first = format_views (now->views, now->cup_first);
  g_autofree char *pitch = format_views (now->views, now->cup_pitch);
  Number diameter, off, row;

  g_print ("%s now %s; diameters are %s pixels, and\n# differ by %s %% at "
      "most\n", options->diameter > 0 ? "#" : "# give --diameter-mm for "
      "mm-per-pixel,", scale, format (diameter, c->diameter), format_off (off,
          100 * c->off_diameter));
  if (options->diameter > 0)
    print_key ("mm-per-pixel", now->views, now->mm_per_pixel, options->view,
        options->diameter / c->diameter);
  g_print ("# now %s\n", first);
  print_key ("cup-first", now->views, now->cup_first, options->view,
      c->cup_first);
  if (c->n == 1)
    return;
  g_print ("# now %s; centres are off by %s columns and %s rows at most\n",
      pitch, format_off (off, c->off_column), format_off (row, c->off_row));
  print_key ("cup-pitch", now->views, now->cup_pitch, options->view,
      c->cup_pitch);
}

/* What the picture is of, and where the keys belong. */
static void
print_head (const LineConfig * config, const LineLaneConfig * lane,
    const char *picture, gint view)
{
  g_print ("# by %s, lane %s, ", picture, lane->name);
  if (view < 0)
    g_print ("for all views\n");
  else
    g_print ("view %d\n", view);
  if (config->lanes->len > 1)
    g_print ("# in [geometry %s]; other lanes stay as they are\n", lane->name);
  else
    g_print ("# in [%s]\n", lane->geometry->group);
}

static void
warn (const LineCalibration * c)
{
  if (c->off_diameter > MAX_OFF_DIAMETER)
    g_printerr ("warning: diameters differ by more than 1 %%: are they of one "
        "size, and is the camera upright above the lane?\n");
  if (MAX (c->off_column, c->off_row) > MAX_OFF * c->diameter)
    g_printerr ("warning: the discs are not in a row, or not at equal "
        "distances: do they lie in the middle of their cups, and is the camera "
        "upright above the lane and not turned?\n");
}

static void
calibrate (const LineConfig * config, const char *name, const char *picture,
    const Options * options, GError ** error)
{
  const LineLaneConfig *lane = find_lane (config, name, error);
  LineCalibration calibration;
  LineView view = { NULL };

  if (lane && check_view (lane, options->view, error)
      && line_calibrate_picture (lane->geometry, config->cuda_device_id,
          picture, &view, error)) {
    if (line_calibrate (&view, lane->geometry->cups, &calibration, error)) {
      print_head (config, lane, picture, options->view);
      print_result (lane->geometry, &calibration, options);
      warn (&calibration);
    } else {
      g_prefix_error (error, "%s: ", picture);
    }
  }
  line_view_clear (&view);
}

int
line_calibrate_main (int argc, char **argv)
{
  Options options = {.diameter = -1,.view = -1 };
  g_autoptr (GError) error = NULL;

  if (!parse (&argc, &argv, &options))
    return 2;
  g_autoptr (LineConfig) config = line_config_load (argv[1], &error);
  if (config) {
    line_elements_init ();
    calibrate (config, argv[2], argv[3], &options, &error);
  }
  return line_options_end (error);
}
