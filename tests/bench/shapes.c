/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench-shapes [ROUNDS]: milliseconds of processor time to serialise a set of 871
 * contours of 48 points each and to read it again. */

#include <gst/gst.h>

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "../kernels/lib/timing.h"
#include "shapes/gstshapes.h"

#define N_CONTOURS 871
#define N_POINTS 48

static GstShapeSet *
make_set (void)
{
  g_autofree GstShapePoint *points = g_new (GstShapePoint,
      N_CONTOURS * N_POINTS);
  g_autofree guint32 *offsets = g_new (guint32, N_CONTOURS + 1);
  g_autofree GstShapePolyline *polylines = g_new0 (GstShapePolyline,
      N_CONTOURS);
  GstShapeSet *set = gst_shape_set_new (1920, 1080);
  guint i;

  for (i = 0; i < N_CONTOURS; i++) {
    offsets[i] = i * N_POINTS;
    polylines[i].id = (gint32) i;
    polylines[i].parent = -1;
    polylines[i].flags = GST_SHAPE_FLAG_CLOSED;
    for (guint k = 0; k < N_POINTS; k++) {
      const gdouble angle = 2. * G_PI * (k % (N_POINTS - 1)) / (N_POINTS - 1);

      points[i * N_POINTS + k] = (GstShapePoint) {
        (gfloat) (40. + i % 40 * 45. + 8. * cos (angle)),
        (gfloat) (40. + i / 40 * 45. + 8. * sin (angle))
      };
    }
  }
  offsets[i] = i * N_POINTS;
  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (points,
          N_CONTOURS * N_POINTS, offsets, polylines, N_CONTOURS, NULL));
  return set;
}

static gint64
busy_nanoseconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (gint64) now.tv_sec * 1000000000 + now.tv_nsec;
}

static void
report (const gchar * what, gint64 * times, guint n)
{
  const gint64 median = median_time (times, n);

  g_print ("%-12s %8.4f ms, least %.4f\n", what, median / 1e6, times[0] / 1e6);
}

int
main (int argc, char **argv)
{
  const guint n = MAX (argc > 1 ? (guint) atoi (argv[1]) : 500, 1);
  gint64 *times[3];

  gst_init (NULL, NULL);
  g_autoptr (GstShapeSet) set = make_set ();
  for (guint i = 0; i < 3; i++)
    times[i] = g_new (gint64, n);
  for (guint i = 0; i < n; i++) {
    const gint64 begin = busy_nanoseconds ();
    g_autoptr (GBytes) bytes = gst_shape_set_serialize (set, NULL);
    const gint64 middle = busy_nanoseconds ();
    gsize size;
    const guint8 *data = g_bytes_get_data (bytes, &size);
    g_autoptr (GstShapeSet) copy = gst_shape_set_deserialize (data, size, NULL);

    times[1][i] = busy_nanoseconds () - middle;
    times[0][i] = middle - begin;
    times[2][i] = times[0][i] + times[1][i];
    if (!copy)
      g_error ("the set cannot be read again");
    if (i == 0)
      g_print ("%d contours, %d points, %" G_GSIZE_FORMAT " bytes\n",
          N_CONTOURS, N_CONTOURS * N_POINTS, size);
  }
  report ("serialise", times[0], n);
  report ("deserialise", times[1], n);
  report ("both", times[2], n);
  for (guint i = 0; i < 3; i++)
    g_free (times[i]);
  return 0;
}
