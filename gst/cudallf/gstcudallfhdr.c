/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstcudallfhdr.h"

#include <math.h>

gboolean
llf_get_picture (GstShapesFrame * frame, CsPicture * picture, GError ** error)
{
  const GstVideoFormat format = GST_VIDEO_INFO_FORMAT (frame->info);
  guint8 *first;

  if (!gst_shapes_frame_get_picture (frame, picture, error))
    return FALSE;
  if (picture->data[CS_PICTURE_ALPHA] || picture->pixel_stride[0] != 4)
    return TRUE;
  first = MIN ((guint8 *) picture->data[0], (guint8 *) picture->data[2]);
  picture->data[CS_PICTURE_ALPHA] = format == GST_VIDEO_FORMAT_xRGB ||
      format == GST_VIDEO_FORMAT_xBGR ? first - 1 : first + 3;
  picture->pixel_stride[CS_PICTURE_ALPHA] = picture->pixel_stride[0];
  picture->row_stride[CS_PICTURE_ALPHA] = picture->row_stride[0];
  return TRUE;
}

/* Caps */

static void
copy_field (const GstStructure * from, GstStructure * to, const gchar * name)
{
  const GValue *value = gst_structure_get_value (from, name);

  if (value)
    gst_structure_set_value (to, name, value);
}

/* A picture's size is that of the tensor. Returns: FALSE if it is none */
static gboolean
take_dimensions (GstCaps * caps, guint index, GstStructure * to)
{
  GstShapesTensorInfo info;
  g_autoptr (GstCaps) one = gst_caps_copy_nth (caps, index);
  const gboolean has = gst_structure_has_field (gst_caps_get_structure (one,
          0), "dimensions");
  const gboolean ok = !has || gst_shapes_tensor_info_from_caps (&info, one,
      GST_SHAPES_TENSOR_LAYOUT_AUTO, NULL);

  if (has && ok)
    gst_structure_set (to, "width", G_TYPE_INT, (gint) info.width, "height",
        G_TYPE_INT, (gint) info.height, NULL);
  return ok;
}

/* Adds what structure @index of @caps becomes, which has the name of @base. */
static void
append_others (GstCaps * others, GstCaps * caps, guint index,
    const GstStructure * base)
{
  static const gchar *const video_fields[] = { "width", "height",
    "pixel-aspect-ratio", "interlace-mode"
  };
  const GstStructure *from = gst_caps_get_structure (caps, index);
  GstStructure *to = gst_structure_copy (base);

  copy_field (from, to, "framerate");
  if (gst_structure_has_name (from, "other/tensors")) {
    if (!take_dimensions (caps, index, to)) {
      gst_structure_free (to);
      return;
    }
  } else if (gst_structure_has_name (to, "video/x-raw")) {
    for (guint i = 0; i < G_N_ELEMENTS (video_fields); i++)
      copy_field (from, to, video_fields[i]);
  }
  gst_caps_append_structure (others, to);
}

GstCaps *
llf_hdr_transform_caps (GstPadDirection direction, GstCaps * caps)
{
  static GstStaticCaps hdr_caps = GST_STATIC_CAPS (LLF_HDR_CAPS);
  static GstStaticCaps shown_caps = GST_STATIC_CAPS (LLF_SHOWN_CAPS);
  const gboolean forward = direction == GST_PAD_SINK;
  GstCaps *own = gst_static_caps_get (forward ? &hdr_caps : &shown_caps);
  GstCaps *other = gst_static_caps_get (forward ? &shown_caps : &hdr_caps);
  g_autoptr (GstCaps) known = gst_caps_intersect_full (caps, own,
      GST_CAPS_INTERSECT_FIRST);
  GstCaps *others = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (known); i++)
    for (guint k = 0; k < gst_caps_get_size (other); k++)
      append_others (others, known, i, gst_caps_get_structure (other, k));
  gst_caps_unref (own);
  gst_caps_unref (other);
  return gst_caps_simplify (others);
}

static gboolean
read_tensor (LlfHdrFormat * format, const GstCaps * caps,
    LlfHdr hdr, GError ** error)
{
  const GstShapesTensorInfo *tensor = &format->tensor;

  if (!gst_shapes_tensor_info_from_caps (&format->tensor, caps,
          GST_SHAPES_TENSOR_LAYOUT_AUTO, error))
    return FALSE;
  if (tensor->type != CS_SAMPLE_F32 || tensor->images != 1 ||
      (tensor->channels != 1 && tensor->channels != 3))
    return cs_error (error, CS_ERROR_INVALID, "a tensor of HDR is one picture "
        "of one or three channels of float32, such as "
        "dimensions=3:1920:1080:1");
  if (hdr != LLF_HDR_LINEAR)
    return cs_error (error, CS_ERROR_INVALID, "tensors are linear light: set "
        "hdr=linear");
  return TRUE;
}

/* The primaries that the caps name, else those of the coding's standard. */
static GstVideoColorPrimaries
find_primaries (const LlfHdrFormat * format, const GstCaps * caps, LlfHdr hdr)
{
  /* GstVideoInfo would say sRGB without the field */
  if (!format->has_tensor &&
      gst_structure_has_field (gst_caps_get_structure (caps, 0),
          "colorimetry") && format->input.colorimetry.primaries !=
      GST_VIDEO_COLOR_PRIMARIES_UNKNOWN)
    return format->input.colorimetry.primaries;
  return hdr == LLF_HDR_PQ || hdr == LLF_HDR_HLG ?
      GST_VIDEO_COLOR_PRIMARIES_BT2020 : GST_VIDEO_COLOR_PRIMARIES_BT709;
}

/* GStreamer's white D65 has five digits, that of the standards four. */
static gdouble
round_chromaticity (gdouble value)
{
  return floor (value * 1e4 + .5) / 1e4;
}

static CsLlfPrimaries
get_primaries (GstVideoColorPrimaries primaries)
{
  const GstVideoColorPrimariesInfo *info =
      gst_video_color_primaries_get_info (primaries);
  const gdouble found[] = { info->Rx, info->Ry, info->Gx, info->Gy, info->Bx,
    info->By, info->Wx, info->Wy
  };
  gdouble r[G_N_ELEMENTS (found)];

  for (guint i = 0; i < G_N_ELEMENTS (found); i++)
    r[i] = round_chromaticity (found[i]);
  return (CsLlfPrimaries) {
    {r[0], r[1]}, {r[2], r[3]}, {r[4], r[5]}, {r[6], r[7]}
  };
}

gboolean
llf_hdr_format_init (LlfHdrFormat * format, const GstCaps * input,
    const GstCaps * output, LlfHdr hdr, GError ** error)
{
  format->has_tensor = gst_shapes_caps_are_tensors (input);
  if (!gst_video_info_from_caps (&format->output, output) ||
      (!format->has_tensor &&
          !gst_video_info_from_caps (&format->input, input)))
    return cs_error (error, CS_ERROR_INVALID, "these video caps are "
        "incomplete; they need format, width and height");
  if (format->has_tensor && !read_tensor (format, input, hdr, error))
    return FALSE;
  const gint width = GST_VIDEO_INFO_WIDTH (&format->output);
  const gint height = GST_VIDEO_INFO_HEIGHT (&format->output);
  if (format->has_tensor ? (gint) format->tensor.width != width ||
      (gint) format->tensor.height != height :
      GST_VIDEO_INFO_WIDTH (&format->input) != width ||
      GST_VIDEO_INFO_HEIGHT (&format->input) != height)
    return cs_error (error, CS_ERROR_INVALID, "input and output are not of the "
        "same size");
  format->primaries = get_primaries (find_primaries (format, input, hdr));
  return TRUE;
}

const gchar *
llf_hdr_find_contradiction (const LlfHdrFormat * format, LlfHdr hdr)
{
  if (format->has_tensor)
    return NULL;
  /* decoders say sRGB also of what is linear */
  switch (format->input.colorimetry.transfer) {
    case GST_VIDEO_TRANSFER_GAMMA10:
      return hdr == LLF_HDR_LINEAR ? NULL : "linear";
    case GST_VIDEO_TRANSFER_SMPTE2084:
      return hdr == LLF_HDR_PQ ? NULL : "pq";
    case GST_VIDEO_TRANSFER_ARIB_STD_B67:
      return hdr == LLF_HDR_HLG ? NULL : "hlg";
    default:
      return NULL;
  }
}

GstEvent *
llf_hdr_convert_event (GstEvent * event)
{
  const GstSegment *segment;
  GstSegment time;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT)
    return event;
  gst_event_parse_segment (event, &segment);
  if (segment->format != GST_FORMAT_BYTES)
    return event;
  gst_segment_init (&time, GST_FORMAT_TIME);
  GstEvent *other = gst_event_new_segment (&time);
  gst_event_set_seqnum (other, gst_event_get_seqnum (event));
  gst_event_unref (event);
  return other;
}

/* Buffers */

static gboolean
map_tensor (const LlfHdrFormat * format, GstShapesFrame * from,
    GstBuffer * buffer, CsLlfHdrFrame * frame, GError ** error)
{
  gconstpointer data;
  CsMemory memory;

  if (!gst_shapes_frame_map_bytes (from, buffer, format->tensor.size,
          sizeof (gfloat), NULL, NULL, &data, &memory, error))
    return FALSE;
  frame->input = gst_shapes_tensor_info_get_image (&format->tensor, data,
      memory, 0);
  return TRUE;
}

static gboolean
map_video (const LlfHdrFormat * format, GstShapesFrame * from,
    GstBuffer * buffer, CsLlfHdrFrame * frame, GError ** error)
{
  CsPicture picture;

  if (!gst_shapes_frame_init (from, &format->input, buffer, NULL, NULL, error))
    return FALSE;
  if (!gst_shapes_frame_get_picture (from, &picture, error)) {
    gst_shapes_frame_unmap (from);
    return FALSE;
  }
  frame->input = cs_picture_get_component (&picture, 0);
  frame->input.channels = 3;
  frame->input.channel_stride = (guint8 *) picture.data[1] -
      (guint8 *) picture.data[0];
  frame->alpha = picture.data[CS_PICTURE_ALPHA];
  return TRUE;
}

static gboolean
map_input (const LlfHdrFormat * format, GstShapesFrame * from,
    GstBuffer * buffer, CsLlfHdrFrame * frame, GError ** error)
{
  return format->has_tensor ?
      map_tensor (format, from, buffer, frame, error) :
      map_video (format, from, buffer, frame, error);
}

gboolean
llf_hdr_run (const LlfHdrFormat * format, const LlfSettings * now,
    CsLlfHdr * plan, CsLlfColour * filter, const CsLlfSettings * settings,
    GstBuffer * input, GstBuffer * output, GError ** error)
{
  CsLlfHdrFrame frame = {
    .coding = (CsLlfCoding) (now->hdr - LLF_HDR_LINEAR),
    .range = now->hdr_range,
    .contrast = now->hdr_contrast,
    .primaries = &format->primaries,
  };
  GstShapesFrame from, to;

  if (!map_input (format, &from, input, &frame, error))
    return FALSE;
  gboolean ok = gst_shapes_frame_init_writable (&to, &format->output, output,
      NULL, NULL, error);
  if (ok) {
    ok = llf_get_picture (&to, &frame.output, error) &&
        cs_llf_hdr_run (plan, filter, &frame, settings, error);
    gst_shapes_frame_unmap (&to);
  }
  gst_shapes_frame_unmap (&from);
  return ok;
}
