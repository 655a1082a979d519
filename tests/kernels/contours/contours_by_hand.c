/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours computed by hand, for the oracle. */
#include "contours_oracle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct
{
  const char *name;
  guint width, height;
  double samples[35];
  double level;
  gboolean high, reversed;
  guint n_contours;
  const char *points;           /* "x,y x,y; x,y ..." */
  const char *parents;
  double area;                  /* of the first contour */
} HandCase;

static const HandCase hand_cases[] = {
  {"one high pixel", 3, 3, {0, 0, 0, 0, 1, 0, 0, 0, 0}, .5, FALSE, FALSE, 1,
      "1,1.5 0.5,1 1,0.5 1.5,1 1,1.5;", "-1", .5},
  {"one high pixel, quarter level, reversed", 3, 3,
        {0, 0, 0, 0, 1, 0, 0, 0, 0}, .25, FALSE, TRUE, 1,
      "1,1.75 1.75,1 1,0.25 0.25,1 1,1.75;", "-1", -1.125},
  {"one low pixel", 3, 3, {1, 1, 1, 1, 0, 1, 1, 1, 1}, .5, FALSE, FALSE, 1,
      "1.5,1 1,0.5 0.5,1 1,1.5 1.5,1;", "-1", -.5},
  {"vertical step", 2, 3, {0, 1, 0, 1, 0, 1}, .5, FALSE, FALSE, 1,
      "0.5,2 0.5,1 0.5,0;", "-1", 0.},
  {"saddle, low connected", 2, 2, {1, 0, 0, 1}, .5, FALSE, FALSE, 2,
      "0.5,0 0,0.5; 0.5,1 1,0.5;", "-1 -1", 0.},
  {"saddle, high connected", 2, 2, {1, 0, 0, 1}, .5, TRUE, FALSE, 2,
      "0.5,0 1,0.5; 0.5,1 0,0.5;", "-1 -1", 0.},
  {"a pixel equal to the level among high ones gives nothing", 3, 3,
        {2, 2, 2, 2, 1, 2, 2, 2, 2}, 1, FALSE, FALSE, 0, "", "", 0.},
  {"a high pixel among pixels equal to the level", 3, 3,
        {1, 1, 1, 1, 2, 1, 1, 1, 1}, 1, FALSE, FALSE, 1,
      "1,2 0,1 1,0 2,1 1,2;", "-1", 2.},
  {"a NaN corner takes four cells away", 3, 3,
        {0, 0, 0, 0, NAN, 0, 1, 1, 1}, .5, FALSE, FALSE, 0, "", "", 0.},
  {"an infinite pixel is crossed half way to its neighbours", 3, 3,
        {0, 0, 0, 0, INFINITY, 0, 0, 0, 0}, .5, FALSE, FALSE, 1,
      "1,1.5 0.5,1 1,0.5 1.5,1 1,1.5;", "-1", .5},
  {"samples whose difference is too large for a double", 3, 3,
        {-1.5e308, -1.5e308, -1.5e308, -1.5e308, 1.5e308, -1.5e308, -1.5e308,
          -1.5e308, -1.5e308}, .75e308, FALSE, FALSE, 1,
      "1,1.25 0.75,1 1,0.75 1.25,1 1,1.25;", "-1", .125},
  {"a ring and the island in it", 5, 5,
        {1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1,
          1}, .5, FALSE, FALSE, 2,
      "3.5,3 3.5,2 3.5,1 3,0.5 2,0.5 1,0.5 0.5,1 0.5,2 0.5,3 1,3.5 2,3.5"
        " 3,3.5 3.5,3; 2,2.5 1.5,2 2,1.5 2.5,2 2,2.5;", "-1 0", -8.5},
  {"two pixels beside each other under a border", 5, 3,
        {0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0}, .5, FALSE, FALSE, 4,
      "1,1.5 0.5,1 1,0.5 1.5,1 1,1.5; 2.5,0 2,0.5 1.5,0;"
        " 3,1.5 2.5,1 3,0.5 3.5,1 3,1.5; 4,0.5 3.5,0;", "-1 -1 -1 -1", .5},
  {"an island, a hole of invalid pixels beside it, and a ring", 7, 5,
        {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, NAN, 0, 1, 0, 1,
          1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}, .5, FALSE, FALSE, 2,
      "5.5,3 5.5,2 5.5,1 5,0.5 4,0.5 3,0.5 2,0.5 1,0.5 0.5,1 0.5,2 0.5,3 1,3.5"
        " 2,3.5 3,3.5 4,3.5 5,3.5 5.5,3; 4,2.5 3.5,2 4,1.5 4.5,2 4,2.5;",
      "-1 0", -14.5},
  {"a contour without area is around nothing", 6, 4,
        {2, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 1, 2, 2, 0, 2,
          2, 2, 2, 2, 2, 2}, 1, FALSE, FALSE, 2,
      "1,1 1,2 1,1; 4.5,2 4,1.5 3.5,2 4,2.5 4.5,2;", "-1 -1", 0.},
};

static char *
describe (const OracleResult * result, gboolean parents)
{
  GString *text = g_string_new (NULL);
  gsize p;

  for (gsize i = 0; i < result->n_contours; i++) {
    if (parents)
      g_string_append_printf (text, "%s%d", i ? " " : "",
          result->contours[i].parent);
    for (p = result->offsets[i]; p < result->offsets[i + 1] && !parents; p++) {
      const double *xy = (const double *) result->points + 2 * p;

      g_string_append_printf (text, "%s%g,%g",
          p > result->offsets[i] || i ? " " : "", xy[0], xy[1]);
    }
    if (!parents)
      g_string_append_c (text, ';');
  }
  return g_string_free (text, FALSE);
}

static gboolean
self_test_case (const HandCase * hand)
{
  const CsContoursTarget target = { 0, hand->level };
  CsContoursParams params = {
    .targets = &target,
    .n_targets = 1,
    .fully_connected_high = hand->high,
    .positive_orientation_high = hand->reversed,
    .hierarchy = TRUE,
    .measures = CS_MEASURES_FULL,
    .points = CS_POINTS_F64,
    .max_area = INFINITY,
  };
  CsContoursInput input = {
    .image = {
          .data = hand->samples,
          .type = CS_SAMPLE_F64,
          .width = hand->width,
          .height = hand->height,
          .channels = 1,
          .pixel_stride = sizeof (double),
          .row_stride = hand->width * sizeof (double),
          .channel_stride = sizeof (double),
        },
  };
  OracleResult result;

  oracle_run (&params, &input, &result);
  g_autofree char *points = describe (&result, FALSE);
  g_autofree char *parents = describe (&result, TRUE);
  gboolean ok = result.n_contours == hand->n_contours &&
      strcmp (points, hand->points) == 0 &&
      strcmp (parents, hand->parents) == 0 &&
      (hand->n_contours == 0 || result.contours[0].area == hand->area);
  if (!ok)
    fprintf (stderr, "oracle: %s: points %s parents %s area %g\n", hand->name,
        points, parents, result.n_contours ? result.contours[0].area : 0.);
  oracle_clear (&result);
  return ok;
}

guint
oracle_self_test (void)
{
  guint i, n_failed = 0;

  for (i = 0; i < G_N_ELEMENTS (hand_cases); i++)
    n_failed += !self_test_case (&hand_cases[i]);
  return n_failed;
}
