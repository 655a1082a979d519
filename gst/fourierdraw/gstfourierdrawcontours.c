/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawcontours.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

G_STATIC_ASSERT (sizeof (CsStrokePoint) == sizeof (GstShapePoint));

FourierContours *
fourier_contours_new (guint width, guint height, gsize n_points,
    gsize n_contours, GError ** error)
{
  FourierContours *contours = g_new0 (FourierContours, 1);

  contours->ref_count = 1;
  contours->width = width;
  contours->height = height;
  contours->scale = 1.;
  contours->min_points = FOURIER_MIN_POINTS;
  contours->points = cs_try_new (CsStrokePoint, MAX (1, n_points));
  contours->offsets = cs_try_new (guint32, n_contours + 1);
  if (!contours->points || !contours->offsets) {
    cs_fail_no_memory (error, "the contours of a picture");
    fourier_contours_unref (contours);
    return NULL;
  }
  contours->offsets[0] = 0;
  return contours;
}

gsize
fourier_divide_line (CsStrokePoint a, CsStrokePoint b, CsStrokePoint * out)
{
  const gdouble length = hypot ((gdouble) b.x - a.x, (gdouble) b.y - a.y);
  const gsize n = (gsize) CLAMP (ceil (length / FOURIER_SPACING), 1., 65536.);

  for (gsize i = 1; out && i <= n; i++) {
    out[i - 1].x = i == n ? b.x : a.x + (b.x - a.x) * (gfloat) i / n;
    out[i - 1].y = i == n ? b.y : a.y + (b.y - a.y) * (gfloat) i / n;
  }
  return n;
}

FourierContours *
fourier_contours_ref (FourierContours * contours)
{
  g_atomic_int_inc (&contours->ref_count);
  return contours;
}

void
fourier_contours_unref (FourierContours * contours)
{
  if (!g_atomic_int_dec_and_test (&contours->ref_count))
    return;
  g_free (contours->points);
  g_free (contours->offsets);
  g_free (contours->colors);
  g_free (contours);
}

/* Pixel centres are at integers. */
void
fourier_contours_enlarge (FourierContours * contours, guint width, guint height)
{
  const gdouble sx = (gdouble) width / contours->width;
  const gdouble sy = (gdouble) height / contours->height;
  const gsize n = contours->offsets[contours->n_contours];

  if (width == contours->width && height == contours->height)
    return;
  for (gsize i = 0; i < n; i++) {
    contours->points[i].x = (contours->points[i].x + .5) * sx - .5;
    contours->points[i].y = (contours->points[i].y + .5) * sy - .5;
  }
  contours->scale = MIN (sx, sy);
  contours->width = width;
  contours->height = height;
}

guint
fourier_contours_get_color (const FourierContours * contours,
    gdouble x, gdouble y, guint other)
{
  const gdouble right = contours->width - 1, bottom = contours->height - 1;

  if (!contours->colors)
    return other;
  const gdouble column = (CLAMP (x, 0.,
          right) + .5) / ((gdouble) contours->width / contours->color_width);
  const gdouble row = (CLAMP (y, 0.,
          bottom) + .5) / ((gdouble) contours->height / contours->color_height);
  return contours->colors[(gsize) row * contours->color_width + (gsize) column];
}

FourierContours *
fourier_contours_new_copy (guint width, guint height,
    const CsStrokePoint * points, const guint32 * offsets, gsize n_contours,
    GError ** error)
{
  const gsize n_points = n_contours > 0 ? offsets[n_contours] : 0;
  FourierContours *contours = fourier_contours_new (width,
      height, n_points, n_contours, error);

  if (!contours)
    return NULL;
  if (n_points > 0)
    memcpy (contours->points, points, n_points * sizeof (*points));
  if (n_contours > 0)
    memcpy (contours->offsets, offsets, (n_contours + 1) * sizeof (*offsets));
  contours->n_contours = n_contours;
  return contours;
}

/* Of a shape set */

/* The arrays of the layers of polylines that are not empty. */
static GPtrArray *
map_layers (GstShapeSet * set, GError ** error)
{
  GPtrArray *layers = g_ptr_array_new ();

  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i);

    if (gst_shape_layer_get_layer_type (layer) != GST_SHAPE_LAYER_POLYLINES)
      continue;
    const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, error);
    if (!arrays) {
      g_ptr_array_unref (layers);
      return NULL;
    }
    if (arrays->points && arrays->n_shapes > 0)
      g_ptr_array_add (layers, (gpointer) arrays);
  }
  return layers;
}

static gboolean
has_contours (const GPtrArray * layers)
{
  for (guint i = 0; i < layers->len; i++) {
    const GstShapeArrays *arrays = g_ptr_array_index (layers, i);

    for (gsize k = 0; k < arrays->n_shapes; k++) {
      if (arrays->polylines[k].kind == GST_SHAPE_KIND_CONTOUR)
        return TRUE;
    }
  }
  return FALSE;
}

static FourierContours *
copy_layers (const GPtrArray * layers, guint width, guint height,
    GError ** error)
{
  /* hulls only if there are no contours */
  const guint kind = has_contours (layers) ? GST_SHAPE_KIND_CONTOUR :
      GST_SHAPE_KIND_HULL;
  gsize n_points = 0, n_contours = 0, k;
  FourierContours *contours;

  for (guint i = 0; i < layers->len; i++) {
    const GstShapeArrays *arrays = g_ptr_array_index (layers, i);

    n_points += arrays->n_points;
    n_contours += arrays->n_shapes;
  }
  contours = fourier_contours_new (width, height, n_points, n_contours, error);
  for (guint i = 0; contours && i < layers->len; i++) {
    const GstShapeArrays *arrays = g_ptr_array_index (layers, i);

    for (k = 0; k < arrays->n_shapes; k++) {
      const guint32 n = arrays->offsets[k + 1] - arrays->offsets[k];
      const guint32 begin = contours->offsets[contours->n_contours];

      if (arrays->polylines[k].kind != kind)
        continue;
      memcpy (contours->points + begin, arrays->points + arrays->offsets[k],
          n * sizeof (*contours->points));
      contours->offsets[++contours->n_contours] = begin + n;
    }
  }
  return contours;
}

FourierContours *
fourier_contours_new_from_set (GstShapeSet * set, guint width,
    guint height, GError ** error)
{
  FourierContours *contours = NULL;
  GstShapeSet *scaled = gst_shape_set_rescale (set, width, height, error);

  if (!scaled)
    return NULL;
  GPtrArray *layers = map_layers (scaled, error);
  if (layers) {
    contours = copy_layers (layers, width, height, error);
    g_ptr_array_unref (layers);
  }
  gst_shape_set_unref (scaled);
  return contours;
}
