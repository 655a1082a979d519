/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What caps say of a picture. */
#include <string.h>

#include "gstshapesframe.h"
#include "shapes/gstshapesenum.h"

GST_SHAPES_DEFINE_ENUM_TYPE (, gst_shapes_background_get_type,
    "GstShapesBackground",
    {CS_BACKGROUND_FRAME, "The picture itself", "frame"},
    {CS_BACKGROUND_BLACK, "Black", "black"},
    {CS_BACKGROUND_WHITE, "White", "white"},
    {CS_BACKGROUND_TRANSPARENT, "Transparent in formats with alpha, else black",
        "transparent"})

void
gst_shapes_choose_luma_weights (const GstVideoInfo * info, gfloat * red_weight,
    gfloat * blue_weight)
{
  const GstVideoColorimetry *colorimetry = &GST_VIDEO_INFO_COLORIMETRY (info);
  GstVideoColorMatrix matrix = colorimetry->matrix;
  gdouble red, blue;

  if (!gst_video_color_matrix_get_Kr_Kb (matrix, &red, &blue)) {
    switch (colorimetry->primaries) {
      case GST_VIDEO_COLOR_PRIMARIES_BT2020:
        matrix = GST_VIDEO_COLOR_MATRIX_BT2020;
        break;
      case GST_VIDEO_COLOR_PRIMARIES_BT470M:
      case GST_VIDEO_COLOR_PRIMARIES_BT470BG:
      case GST_VIDEO_COLOR_PRIMARIES_SMPTE170M:
        matrix = GST_VIDEO_COLOR_MATRIX_BT601;
        break;
      default:
        matrix = GST_VIDEO_COLOR_MATRIX_BT709;
        break;
    }
    gst_video_color_matrix_get_Kr_Kb (matrix, &red, &blue);
  }
  *red_weight = red;
  *blue_weight = blue;
}

static void
describe_matrix (const GstVideoInfo * info, CsPicture * picture)
{
  const gboolean gray = picture->model == CS_PICTURE_GRAY;
  gfloat kr, kb;

  if (picture->model == CS_PICTURE_RGB) {
    gst_shapes_choose_luma_weights (info, &kr, &kb);
    picture->kr = kr;
    picture->kb = kb;
  } else if (!gst_video_color_matrix_get_Kr_Kb (info->colorimetry.matrix,
          &picture->kr, &picture->kb)) {
    gst_video_color_matrix_get_Kr_Kb (GST_VIDEO_INFO_HEIGHT (info) >= 720
        && !gray ? GST_VIDEO_COLOR_MATRIX_BT709 : GST_VIDEO_COLOR_MATRIX_BT601,
        &picture->kr, &picture->kb);
  }
}

static gboolean
is_limited (const GstVideoInfo * info)
{
  const GstVideoColorRange range = info->colorimetry.range;

  return range == GST_VIDEO_COLOR_RANGE_16_235
      || (range != GST_VIDEO_COLOR_RANGE_0_255 && GST_VIDEO_INFO_IS_YUV (info));
}

/* All components of a picture have the same depth, and both of chroma the same
 * size. */
static gboolean
components_agree (const GstVideoFormatInfo * finfo)
{
  for (guint i = 1; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo); i++) {
    if (GST_VIDEO_FORMAT_INFO_DEPTH (finfo, i) !=
        GST_VIDEO_FORMAT_INFO_DEPTH (finfo, 0) ||
        GST_VIDEO_FORMAT_INFO_SHIFT (finfo, i) !=
        GST_VIDEO_FORMAT_INFO_SHIFT (finfo, 0))
      return FALSE;
  }
  return TRUE;
}

gboolean
gst_shapes_picture_describe (const GstVideoInfo * info, CsPicture * picture)
{
  const GstVideoFormatInfo *finfo = info->finfo;
  const guint depth = GST_VIDEO_FORMAT_INFO_DEPTH (finfo, 0);

  memset (picture, 0, sizeof (*picture));
  if (GST_VIDEO_INFO_WIDTH (info) < 1 || GST_VIDEO_INFO_HEIGHT (info) < 1 ||
      depth < 8 || depth > 16 || !components_agree (finfo))
    return FALSE;
  if (GST_VIDEO_INFO_IS_GRAY (info))
    picture->model = CS_PICTURE_GRAY;
  else if (GST_VIDEO_INFO_IS_YUV (info))
    picture->model = CS_PICTURE_YUV;
  else if (GST_VIDEO_INFO_IS_RGB (info))
    picture->model = CS_PICTURE_RGB;
  else
    return FALSE;

  picture->type = depth > 8 ? CS_SAMPLE_U16 : CS_SAMPLE_U8;
  picture->width = (guint) GST_VIDEO_INFO_WIDTH (info);
  picture->height = (guint) GST_VIDEO_INFO_FIELD_HEIGHT (info);
  picture->depth = depth;
  picture->shift = GST_VIDEO_FORMAT_INFO_SHIFT (finfo, 0);
  if (picture->model == CS_PICTURE_YUV) {
    picture->sub_x = (guint) GST_VIDEO_FORMAT_INFO_W_SUB (finfo, 1);
    picture->sub_y = (guint) GST_VIDEO_FORMAT_INFO_H_SUB (finfo, 1);
  }
  describe_matrix (info, picture);
  picture->limited_range = is_limited (info);
  picture->premultiplied = (GST_VIDEO_INFO_FLAGS (info) &
      GST_VIDEO_FLAG_PREMULTIPLIED_ALPHA) != 0;
  return picture->sub_x <= 1 && picture->sub_y <= 1;
}
