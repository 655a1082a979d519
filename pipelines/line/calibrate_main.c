/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "calibrate_main.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"
#include "calibrate_picture.h"
#include "elements.h"
#include "publish/options.h"

/* Greatest deviations of a good picture of a good target: of centres, from the
 * fit and from a row, as shares of the diameter; and of diameters */
#define MAX_OFF 0.02
#define MAX_OFF_DIAMETER 0.01

static gboolean
parse (int *argc, char ***argv, gdouble * diameter)
{
  const GOptionEntry entries[] = {
    {"diameter-mm", 'd', 0, G_OPTION_ARG_DOUBLE, diameter,
        "Diameter of the discs or balls, for mm-per-pixel", "MM"},
    {NULL}
  };

  if (!line_options_parse (argc, argv, entries, 3, "CONFIG LANE PICTURE",
          "Finds mm-per-pixel, cup-first and cup-pitch in a picture (PNG, JPEG, "
          "PPM) of a\nlane's view with a ball or disc of known diameter in "
          "each cup, dark on light\nground or the other way round, and prints "
          "lines for [geometry]."))
    return FALSE;
  if (*diameter == -1 || (*diameter >= 0.1 && *diameter <= 1e4))
    return TRUE;
  g_printerr ("--diameter-mm must be from 0.1 to 10000\n");
  return FALSE;
}

static gboolean
has_lane (const LineConfig * config, const char *name, GError ** error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  gboolean found = FALSE;

  for (guint i = 0; i < config->lanes->len && !found; i++) {
    LineLaneConfig *lane = &g_array_index (config->lanes, LineLaneConfig, i);

    found = strcmp (lane->name, name) == 0;
    g_string_append_printf (names, " %s", lane->name);
  }
  if (!found)
    line_fail (error, LINE_ERROR_INVALID, "there is no [lane %s]; there are:%s",
        name, names->str);
  return found;
}

/* Prints @text with its @n numbers, a %s for each, always with a decimal
 * point */
static void
print (const char *text, guint n, ...)
{
  g_auto (GStrv) parts = g_strsplit (text, "%s", -1);
  va_list values;

  va_start (values, n);
  for (guint i = 0; parts[i]; i++) {
    char number[G_ASCII_DTOSTR_BUF_SIZE];

    g_print ("%s%s", parts[i], i < n ? g_ascii_formatd (number,
            sizeof (number), "%.6g", va_arg (values, gdouble)) : "");
  }
  va_end (values);
}

/* Deviations are printed with three decimals. */
static gdouble
round_off (gdouble value)
{
  return floor (1000 * value + 0.5) / 1000;
}

static void
print_result (const LineGeometry * now, const LineCalibration * c,
    gdouble diameter)
{
  gdouble scale = diameter / c->diameter;

  g_print ("# [geometry] is that of all lanes: their cameras must agree.\n");
  if (diameter > 0)
    print ("# now %s; diameters are %s pixels, and differ by %s % at most\n"
        "mm-per-pixel=%s\n", 4, now->mm_per_pixel, c->diameter,
        round_off (100 * c->off_diameter), scale);
  else
    print ("# give --diameter-mm for mm-per-pixel, now %s; diameters are %s "
        "pixels, and\n# differ by %s % at most\n", 3, now->mm_per_pixel,
        c->diameter, round_off (100 * c->off_diameter));
  print ("# now %s\ncup-first=%s\n", 2, now->cup_first, c->cup_first);
  if (c->n > 1)
    print ("# now %s; centres are off by %s columns and %s rows at most\n"
        "cup-pitch=%s\n", 4, now->cup_pitch, round_off (c->off_column),
        round_off (c->off_row), c->cup_pitch);
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
calibrate (const LineConfig * config, const char *lane, const char *picture,
    gdouble diameter, GError ** error)
{
  LineCalibration calibration;
  LineView view = { NULL };

  if (has_lane (config, lane, error)
      && line_calibrate_picture (config, picture, &view, error)) {
    if (line_calibrate (&view, config->geometry.cups, &calibration, error)) {
      g_print ("# by %s, lane %s\n", picture, lane);
      print_result (&config->geometry, &calibration, diameter);
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
  gdouble diameter = -1;
  g_autoptr (GError) error = NULL;

  if (!parse (&argc, &argv, &diameter))
    return 2;
  g_autoptr (LineConfig) config = line_config_load (argv[1], &error);
  if (config) {
    line_elements_init ();
    calibrate (config, argv[2], argv[3], diameter, &error);
  }
  return line_options_end (error);
}
