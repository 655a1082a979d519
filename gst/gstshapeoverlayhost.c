/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapeoverlayhost.h"

#include "element/gstshapesframe.h"

static void
surface_set_rgb (GstShapeSurface * surface, const GstVideoFormatInfo * format,
    const CsPicture * picture)
{
  guint i;

  surface->pixel_bytes = (guint) picture->pixel_stride[0];
  for (i = 0; i < 3; i++)
    surface->offsets[i] = (gint) GST_VIDEO_FORMAT_INFO_POFFSET (format, i);
  surface->offsets[3] = GST_VIDEO_FORMAT_INFO_HAS_ALPHA (format) ?
      (gint) GST_VIDEO_FORMAT_INFO_POFFSET (format, 3) : -1;
  surface->premultiplied = picture->premultiplied;
  surface->n_planes = 1;
  surface->data[0] = (guint8 *) picture->data[0] - surface->offsets[0];
  surface->row_stride[0] = (gssize) picture->row_stride[0];
}

static void
surface_set_planes (GstShapeSurface * surface, const CsPicture * picture)
{
  guint i;

  surface->n_planes = picture->model == CS_PICTURE_GRAY ? 1 : 3;
  for (i = 0; i < surface->n_planes; i++) {
    surface->data[i] = picture->data[i];
    surface->row_stride[i] = (gssize) picture->row_stride[i];
    surface->pixel_stride[i] = (guint) picture->pixel_stride[i];
  }
  surface->sub_x = picture->sub_x;
  surface->sub_y = picture->sub_y;
  surface->kr = picture->kr;
  surface->kb = picture->kb;
  surface->full_range = !picture->limited_range;
}

static GstShapeSurface
make_surface (const GstVideoInfo * info, const CsPicture * picture)
{
  GstShapeSurface surface = {.width = picture->width,.height = picture->height
  };

  if (picture->model == CS_PICTURE_RGB)
    surface_set_rgb (&surface, info->finfo, picture);
  else
    surface_set_planes (&surface, picture);
  return surface;
}

gboolean
gst_shape_overlay_host_draw (GstShapeRaster * raster,
    const GstVideoInfo * info, GstBuffer * buffer, GError ** error)
{
  GstShapesPictureStage stage;
  GstShapesPicture picture;
  GstShapeSurface surface;
  gboolean drawn, unmapped;

  /* no GPU, so it holds nothing */
  gst_shapes_picture_stage_init (&stage, NULL, NULL, NULL);
  if (!gst_shapes_picture_map (&picture, &stage, info, buffer,
          GST_MAP_READWRITE, error))
    return FALSE;
  surface = make_surface (info, &picture.picture);
  drawn = gst_shape_raster_draw (raster, &surface, error);
  unmapped = gst_shapes_picture_unmap (&picture, drawn, drawn ? error : NULL);
  return drawn && unmapped;
}
