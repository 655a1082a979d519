/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The colours of a picture, for ink. */
#include "gstfourierdrawcolors.h"

#include <math.h>

#include "base/area.h"
#include "base/error.h"
#include "base/memory.h"

/**
 * Source:
 * @offset: code of 0 of each component
 * @scale: codes from 0 to 1
 */
typedef struct
{
  CsImage images[3];
  guint n;
  guint shifts[3];
  gint offset[GST_VIDEO_MAX_COMPONENTS], scale[GST_VIDEO_MAX_COMPONENTS];
  gdouble kr, kb;
  gboolean rgb;
} Source;

static gboolean
source_init (Source * source, GstShapesFrame * frame,
    const GstVideoInfo * info, GError ** error)
{
  guint i;

  source->rgb = GST_VIDEO_INFO_IS_RGB (info);
  source->n = MIN (3, GST_VIDEO_INFO_N_COMPONENTS (info));
  if (!gst_video_color_matrix_get_Kr_Kb (info->colorimetry.matrix, &source->kr,
          &source->kb))
    gst_video_color_matrix_get_Kr_Kb (GST_VIDEO_COLOR_MATRIX_BT601,
        &source->kr, &source->kb);
  gst_video_color_range_offsets (source->rgb ? GST_VIDEO_COLOR_RANGE_0_255 :
      info->colorimetry.range, info->finfo, source->offset, source->scale);
  for (i = 0; i < source->n; i++) {
    source->shifts[i] = GST_VIDEO_FORMAT_INFO_SHIFT (info->finfo, i);
    if (!gst_shapes_frame_get_component (frame, i, &source->images[i], error))
      return FALSE;
  }
  return TRUE;
}

/* Replaces the components by their means over the pixels of a copy of @width x
 * @height; @means: 3 * @width * @height */
static void
shrink (Source * source, CsExecutor * executor, guint width, guint height,
    gfloat * means)
{
  const gsize n = (gsize) width * height;
  guint i;

  for (i = 0; i < source->n; i++) {
    cs_area_average (executor, &source->images[i], width, height,
        means + i * n);
    source->images[i] = cs_image_gray (means + i * n, CS_SAMPLE_F32, width,
        height, sizeof (gfloat) * width);
  }
}

/* Component @i at a pixel of the copy. */
static gdouble
read_sample (const Source * source, guint i, guint x, guint y, guint width,
    guint height)
{
  const CsImage *image = &source->images[i];
  const guint column = (guint64) x * image->width / width;
  const guint row = (guint64) y * image->height / height;
  const guint8 *at = (const guint8 *) image->data + row * image->row_stride +
      column * image->pixel_stride;
  gdouble code;

  if (image->type == CS_SAMPLE_F32)
    code = ldexp (*(const gfloat *) (gconstpointer) at,
        -(gint) source->shifts[i]);
  else if (image->type == CS_SAMPLE_U16)
    code = *(const guint16 *) (gconstpointer) at >> source->shifts[i];
  else
    code = *at >> source->shifts[i];
  return (code - source->offset[i]) / source->scale[i];
}

static guint
to_code (gdouble value)
{
  return (guint) (CLAMP (value, 0., 1.) * 255. + .5);
}

static guint
read_color (const Source * source, guint x, guint y, guint width, guint height)
{
  gdouble c[3], r, g, b;
  guint i;

  for (i = 0; i < source->n; i++)
    c[i] = read_sample (source, i, x, y, width, height);
  if (source->n < 3) {
    r = g = b = c[0];
  } else if (source->rgb) {
    r = c[0];
    g = c[1];
    b = c[2];
  } else {
    r = c[0] + 2. * (1. - source->kr) * c[2];
    b = c[0] + 2. * (1. - source->kb) * c[1];
    g = (c[0] - source->kr * r - source->kb * b) / (1. - source->kr -
        source->kb);
  }
  return to_code (r) << 16 | to_code (g) << 8 | to_code (b);
}

gboolean
fourier_read_colors (CsExecutor * executor, GstBuffer * buffer,
    const GstVideoInfo * info, guint width, guint height,
    FourierContours * contours, GError ** error)
{
  const gboolean smaller = width != contours->width ||
      height != contours->height;
  const gsize n = (gsize) width * height;
  gfloat *means = NULL;
  GstShapesFrame frame;
  Source source;
  guint x, y;
  gboolean ok;

  if (!gst_shapes_frame_init (&frame, info, buffer, NULL, NULL, error))
    return FALSE;
  ok = source_init (&source, &frame, info, error);
  if (ok) {
    contours->color_width = width;
    contours->color_height = height;
    contours->colors = cs_try_new (guint32, n);
    if (smaller)
      means = cs_try_new (gfloat, 3 * n);
    ok = (contours->colors && (means || !smaller)) ||
        cs_fail_no_memory (error, "a picture's colours");
  }
  if (ok && smaller)
    shrink (&source, executor, width, height, means);
  for (y = 0; ok && y < height; y++) {
    for (x = 0; x < width; x++)
      contours->colors[(gsize) y * width + x] = read_color (&source, x, y,
          width, height);
  }
  g_free (means);
  gst_shapes_frame_unmap (&frame);
  return ok;
}
