/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawoutput.h"

#include "gstfourierdrawcaps.h"
#include "gstfourierdrawdebug.h"
#include "element/gstshapesmessage.h"

void
fourier_output_init (FourierOutput * output,
    GstElement * element, GstPad * srcpad, GstShapesCompute * compute)
{
  output->element = element;
  output->srcpad = srcpad;
  output->compute = compute;
}

void
fourier_output_clear_pool (FourierOutput * output)
{
  if (output->pool)
    gst_buffer_pool_set_active (output->pool, FALSE);
  gst_clear_object (&output->pool);
}

gboolean
fourier_output_needs_negotiation (FourierOutput * output)
{
  return gst_pad_check_reconfigure (output->srcpad) || !output->negotiated;
}

/* With background=frame, a frame is painted on the picture. */
static gboolean
check_background (FourierOutput * output, const GstVideoInfo * in,
    const FourierSettings * settings)
{
  const GstVideoInfo *out = &output->info;

  if (settings->background != FOURIER_BACKGROUND_FRAME ||
      (GST_VIDEO_INFO_FORMAT (in) == GST_VIDEO_INFO_FORMAT (out) &&
          in->width == out->width && in->height == out->height))
    return TRUE;
  GST_SHAPES_ERROR (output->element, CORE, NEGOTIATION,
      ("background=frame needs an output of the same format and size as the "
          "input: %s of %d x %d goes in, %s of %d x %d is wanted. Put "
          "videoconvert and videoscale upstream of fourierdraw.",
          gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (in)), in->width,
          in->height, gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (out)),
          out->width, out->height), (NULL));
  return FALSE;
}

/* A format with alpha is preferred. */
static void
check_alpha (FourierOutput * output, const FourierSettings * settings)
{
  if (output->warned_no_alpha || GST_VIDEO_INFO_HAS_ALPHA (&output->info) ||
      settings->background != FOURIER_BACKGROUND_TRANSPARENT)
    return;
  output->warned_no_alpha = TRUE;
  gst_shapes_warn_no_alpha (output->element, GST_VIDEO_INFO_NAME
      (&output->info));
}

static gboolean
use_caps (FourierOutput * output, GstCaps * caps,
    const GstVideoInfo * picture, const FourierSettings * settings)
{
  GST_DEBUG_OBJECT (output->element, "caps %" GST_PTR_FORMAT, caps);
  if (!gst_video_info_from_caps (&output->info, caps) ||
      !check_background (output, picture, settings) ||
      !gst_pad_set_caps (output->srcpad, caps))
    return FALSE;
  check_alpha (output, settings);
  fourier_output_clear_pool (output);
  output->pool = fourier_choose_pool (output->srcpad, caps,
      &output->info, output->compute);
  if (!output->pool && !GST_PAD_IS_FLUSHING (output->srcpad))
    GST_SHAPES_ERROR (output->element, RESOURCE, NO_SPACE_LEFT,
        ("Cannot draw: there is no memory for frames of %d x %d.",
            output->info.width, output->info.height), (NULL));
  return output->pool != NULL;
}

static GstCaps *
choose_caps (const FourierOutput * output, const GstVideoInfo * picture,
    const FourierSettings * settings, gboolean live)
{
  return fourier_choose_caps (output->srcpad, picture, settings->background,
      live, settings->mode == FOURIER_MODE_STILL, output->compute->context);
}

GstFlowReturn
fourier_output_negotiate (FourierOutput * output, const GstVideoInfo * picture,
    const FourierSettings * settings, gboolean live)
{
  GstCaps *caps;

  output->negotiated = FALSE;
  output->picture = *picture;
  caps = choose_caps (output, picture, settings, live);
  if (caps)
    output->negotiated = use_caps (output, caps, picture, settings);
  else
    GST_SHAPES_ERROR (output->element, CORE, NEGOTIATION,
        ("Downstream accepts no format that fourierdraw makes. Put "
            "videoconvert downstream of it."), (NULL));
  gst_clear_caps (&caps);
  if (output->negotiated)
    return GST_FLOW_OK;
  gst_pad_mark_reconfigure (output->srcpad);
  return GST_PAD_IS_FLUSHING (output->srcpad) ? GST_FLOW_FLUSHING :
      GST_FLOW_NOT_NEGOTIATED;
}

/* What the frames of pictures like @picture will be. */
static gboolean
foresee (const FourierOutput * output, const GstVideoInfo * picture,
    const FourierSettings * settings, GstVideoInfo * info)
{
  GstCaps *caps;
  gboolean known;

  *info = output->info;
  if (output->negotiated && !gst_pad_needs_reconfigure (output->srcpad) &&
      gst_video_info_is_equal (&output->picture, picture))
    return TRUE;
  caps = choose_caps (output, picture, settings, FALSE);
  known = caps && gst_video_info_from_caps (info, caps);
  gst_clear_caps (&caps);
  return known;
}

void
fourier_output_get_copy_size (const FourierOutput * output,
    const GstVideoInfo * picture, const FourierSettings * settings,
    guint * width, guint * height)
{
  gdouble scale = 1.;
  GstVideoInfo film;

  if (settings->detect_size > 0)
    scale = MIN (scale, (gdouble) settings->detect_size / MAX (picture->width,
            picture->height));
  if (settings->camera == FOURIER_CAMERA_FIT &&
      foresee (output, picture, settings, &film))
    scale = MIN (scale, MIN ((gdouble) film.width / picture->width,
            (gdouble) film.height / picture->height));
  *width = MAX (1, (guint) (picture->width * scale + .5));
  *height = MAX (1, (guint) (picture->height * scale + .5));
}

GstFlowReturn
fourier_output_acquire (FourierOutput * output, GstBuffer ** buffer)
{
  const GstFlowReturn flow = gst_buffer_pool_acquire_buffer (output->pool,
      buffer, NULL);

  if (flow == GST_FLOW_ERROR)
    GST_SHAPES_ERROR (output->element, RESOURCE, NO_SPACE_LEFT,
        ("Cannot draw: there is no memory for a frame of %d x %d.",
            output->info.width, output->info.height), (NULL));
  return flow;
}

void
fourier_output_push_segment (FourierOutput * output, const GstSegment * segment)
{
  GstEvent *event;

  if (!output->need_segment)
    return;
  output->need_segment = FALSE;
  event = gst_event_new_segment (segment);
  if (output->seqnum != GST_SEQNUM_INVALID)
    gst_event_set_seqnum (event, output->seqnum);
  gst_pad_push_event (output->srcpad, event);
}
