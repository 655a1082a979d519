/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any bytes to gst_shape_set_deserialize(). An accepted set is read, rescaled,
 * written as JSON, and must serialise to the same bytes. */

#include "fuzz.h"

#include <shapes/gstshapes.h>

/* Reads every byte, which lets AddressSanitizer see whether it is there. */
static guint
sum_bytes (const void *data, gsize n)
{
  const guint8 *bytes = data;
  guint sum = 0;

  while (n-- > 0)
    sum += bytes[n];
  return sum;
}

static guint
read_polylines (GstShapeSet * set, guint layer)
{
  gsize n, n_offsets, n_points, n_moments, n_annotations;
  const GstShapePolyline *polylines = gst_shape_set_get_polylines (set, layer,
      &n);
  const guint32 *offsets = gst_shape_set_get_offsets (set, layer, &n_offsets);
  const GstShapePoint *points = gst_shape_set_get_points (set, layer,
      &n_points);
  const GstShapeMoments *moments = gst_shape_set_get_moments (set, layer,
      &n_moments);
  const GstShapeAnnotation *annotations = gst_shape_set_get_annotations (set,
      layer, &n_annotations);
  guint sum = sum_bytes (polylines, n * sizeof (*polylines)) +
      sum_bytes (annotations, n_annotations * sizeof (*annotations));

  FUZZ_CHECK (n_offsets == n + 1, "%zu offsets of %zu", n_offsets, n);
  FUZZ_CHECK (!moments || n_moments == n, "%zu moments of %zu", n_moments, n);
  FUZZ_CHECK (!annotations || n_annotations == n, "%zu annotations of %zu",
      n_annotations, n);
  FUZZ_CHECK (offsets[0] == 0, "%u", offsets[0]);
  for (gsize i = 0; i < n; i++) {
    GstShapeFeatures features;

    FUZZ_CHECK (offsets[i] <= offsets[i + 1], "polyline %zu", i);
    FUZZ_CHECK (!points || offsets[i + 1] <= n_points, "polyline %zu", i);
    if (points)
      sum += sum_bytes (points + offsets[i],
          (offsets[i + 1] - offsets[i]) * sizeof (*points));
    if (gst_shape_set_get_features (set, layer, i, &features))
      FUZZ_CHECK (moments != NULL, "features of no moments");
  }
  return sum;
}

static guint
read_set (GstShapeSet * set)
{
  guint sum = gst_shape_set_get_next_id (set);

  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    gsize n;

    if (gst_shape_set_get_layer_type (set, i) == GST_SHAPE_LAYER_POLYLINES) {
      sum += read_polylines (set, i);
    } else {
      const GstShapeCircle *circles = gst_shape_set_get_circles (set, i, &n);

      sum += sum_bytes (circles, n * sizeof (*circles));
    }
  }
  return sum;
}

static void
check_same_bytes (GstShapeSet * set, const uint8_t * data, size_t size)
{
  GError *error = NULL;
  g_autoptr (GBytes) bytes = gst_shape_set_serialize (set, &error);
  gsize n;

  FUZZ_CHECK_ERROR (bytes != NULL, error);
  FUZZ_CHECK (bytes != NULL, "what was read cannot be written");
  const void *written = g_bytes_get_data (bytes, &n);
  FUZZ_CHECK (n == size && memcmp (written, data, n) == 0,
      "%zu bytes became %zu others", size, n);
}

static void
use_set (GstShapeSet * set)
{
  GError *error = NULL;
  g_autoptr (GstShapeSet) scaled = gst_shape_set_rescale (set, 640, 481,
      &error);
  g_autofree gchar *json = gst_shape_set_to_json (set, NULL);
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();

  FUZZ_CHECK_ERROR (scaled != NULL, error);
  FUZZ_CHECK (scaled != NULL, "a set cannot be rescaled");
  FUZZ_CHECK (gst_shape_set_get_n_layers (scaled) ==
      gst_shape_set_get_n_layers (set), "layers got lost");
  read_set (scaled);
  FUZZ_CHECK (json != NULL, "a set cannot be written as JSON");
  gst_buffer_add_shape_meta (buffer, set);
  gst_buffer_add_shape_meta (buffer, scaled);
  read_set (gst_buffer_get_shape_set (buffer));
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  GError *error = NULL;
  GstShapeSet *set = gst_shape_set_deserialize (data, size, &error);

  FUZZ_CHECK_ERROR (set != NULL, error);
  g_clear_error (&error);
  if (!set)
    return 0;
  read_set (set);
  check_same_bytes (set, data, size);
  use_set (set);
  gst_shape_set_unref (set);
  return 0;
}
