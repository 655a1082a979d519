/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Descriptors of shapes, derived from their measures. */

#include <math.h>

#include "gstshapeset.h"
#include "gstshapes-private.h"

/**
 * gst_shape_hull_measures_get_rect_angle:
 * @measures: the measures of a hull
 *
 * How the rectangle of minimum area is turned.
 *
 * Returns: by how much the rectangle of minimum area is turned, in degrees,
 *     -90 to 90 with -90 left out: from the x axis to its sides of length
 *     @rect_width, clockwise on the screen
 *
 * Since: 1.0
 */
gdouble
gst_shape_hull_measures_get_rect_angle (const GstShapeHullMeasures * measures)
{
  g_return_val_if_fail (measures != NULL, 0);

  /* A side's direction and its opposite are the same. */
  const gdouble x = fabs (measures->rect_ux);
  gdouble y = measures->rect_ux < 0 ? -measures->rect_uy : measures->rect_uy;
  if (x == 0)
    y = fabs (y);
  return atan2 (y, x) * (180 / G_PI) + 0.;
}

/**
 * gst_shape_moments_get_features:
 * @moments: the moments of a region
 * @features: (out caller-allocates): the descriptors
 *
 * The descriptors that scikit-image's regionprops() defines, of the region with
 * these moments. It measures sets of points, one a pixel, #GstShapeMoments the
 * inside of a polyline, where a pixel has an extent; its own second moment of
 * 1/12 an axis is the difference. A region without a longest axis has
 * orientation 0.
 *
 * Returns: %FALSE, and zeros, when the area is 0 or a moment is not finite
 *
 * Since: 1.0
 */
gboolean
gst_shape_moments_get_features (const GstShapeMoments * moments,
    GstShapeFeatures * features)
{
  gdouble x, y, xx, xy, yy, mean, half, major, minor;

  g_return_val_if_fail (moments != NULL, FALSE);
  g_return_val_if_fail (features != NULL, FALSE);

  memset (features, 0, sizeof (*features));
  const gdouble *m = moments->m;
  for (guint i = 0; i < 6; i++)
    if (!isfinite (m[i]))
      return FALSE;
  if (m[0] == 0)
    return FALSE;

  /* Covariance: a region around low values has all signs reversed, which
   * cancels here. */
  x = m[1] / m[0];
  y = m[2] / m[0];
  xx = m[3] / m[0] - x * x;
  xy = m[4] / m[0] - x * y;
  yy = m[5] / m[0] - y * y;
  mean = (xx + yy) / 2;
  half = hypot ((xx - yy) / 2, xy);
  major = MAX (mean + half, 0);
  minor = MAX (mean - half, 0);

  features->equivalent_diameter = sqrt (4 * fabs (m[0]) / G_PI);
  features->major_axis_length = 4 * sqrt (major);
  features->minor_axis_length = 4 * sqrt (minor);
  features->eccentricity = major > 0 ? sqrt (1 - minor / major) : 0;
  features->orientation = atan2 (2 * xy, yy - xx) / 2;
  return TRUE;
}

/**
 * gst_shape_set_get_features:
 * @set: a set
 * @layer: index of the layer
 * @index: index of the polyline in its layer
 * @features: (out caller-allocates): the descriptors
 *
 * What gst_shape_moments_get_features() makes of a polyline's moments.
 *
 * Returns: %FALSE, and zeros, when there is no such polyline, its moments were
 *     not taken, or they have no descriptors
 *
 * Since: 1.0
 */
gboolean
gst_shape_set_get_features (GstShapeSet * set, guint layer, gsize index,
    GstShapeFeatures * features)
{
  gsize n;

  g_return_val_if_fail (set != NULL, FALSE);
  g_return_val_if_fail (features != NULL, FALSE);

  memset (features, 0, sizeof (*features));
  const GstShapeMoments *moments = gst_shape_set_get_moments (set, layer, &n);
  return index < n && gst_shape_moments_get_features (&moments[index],
      features);
}

/**
 * gst_shape_ellipse_get_angle:
 * @ellipse: an ellipse
 *
 * How the ellipse is turned.
 *
 * Returns: degrees from the x axis to the major axis, clockwise on the screen,
 *     from above -90 up to 90
 *
 * Since: 1.0
 */
gdouble
gst_shape_ellipse_get_angle (const GstShapeEllipse * ellipse)
{
  g_return_val_if_fail (ellipse != NULL, 0);

  gdouble ux = ellipse->ux;
  gdouble uy = ellipse->uy;
  if (ux < 0 || (ux == 0 && uy < 0)) {
    ux = -ux;
    uy = -uy;
  }
  return atan2 (uy, ux) * 180 / G_PI;
}

/**
 * gst_shape_channel_to_string:
 * @channel: a channel
 *
 * The name of a channel, as "gray".
 *
 * Returns: (nullable): its name in JSON lines, %NULL for an unknown one
 *
 * Since: 1.0
 */
const gchar *
gst_shape_channel_to_string (GstShapeChannel channel)
{
  static const gchar *const names[] = {
    [GST_SHAPE_CHANNEL_GRAY] = "gray",
    [GST_SHAPE_CHANNEL_LIGHTNESS] = "lightness",
    [GST_SHAPE_CHANNEL_A] = "a",
    [GST_SHAPE_CHANNEL_B] = "b",
    [GST_SHAPE_CHANNEL_PROBABILITY] = "probability",
  };

  return (guint) channel < G_N_ELEMENTS (names) ? names[channel] : NULL;
}
