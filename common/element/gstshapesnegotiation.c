/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesnegotiation.h"

#include <gst/video/video.h>

#include "gstshapesmessage.h"

gboolean
gst_shapes_get_video_unit_size (GstBaseTransform * trans, GstCaps * caps,
    gsize * size)
{
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps))
    return FALSE;
  *size = GST_VIDEO_INFO_SIZE (&info);
  return TRUE;
}

gboolean
gst_shapes_caps_are_alone (const GstCaps * caps)
{
  return gst_structure_has_name (gst_caps_get_structure (caps, 0),
      GST_SHAPES_ALONE_CAPS);
}

void
gst_shapes_propose_meta (GstQuery * query, GType api)
{
  if (!gst_query_find_allocation_meta (query, api, NULL))
    gst_query_add_allocation_meta (query, api, NULL);
}

GstFlowReturn
gst_shapes_post_no_caps (GstElement * element)
{
  GST_SHAPES_ERROR (element, CORE, NEGOTIATION,
      "A buffer came before its caps.");
  return GST_FLOW_NOT_NEGOTIATED;
}

gboolean
gst_shapes_is_live (GstPad * sinkpad)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  gboolean live = FALSE;

  if (gst_pad_peer_query (sinkpad, query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  return live;
}

static void
add_template (GstElementClass * klass, const gchar * name,
    GstPadDirection direction, const gchar * caps)
{
  g_autoptr (GstCaps) parsed = gst_caps_from_string (caps);

  gst_element_class_add_pad_template (klass, gst_pad_template_new (name,
          direction, GST_PAD_ALWAYS, parsed));
}

void
gst_shapes_element_class_describe (GstElementClass * klass,
    const gchar * sink_caps, const gchar * src_caps, const gchar * name,
    const gchar * classes, const gchar * description)
{
  add_template (klass, "sink", GST_PAD_SINK, sink_caps);
  add_template (klass, "src", GST_PAD_SRC, src_caps);
  gst_element_class_set_static_metadata (klass, name, classes, description,
      "The gst-cudashapes authors");
}

gboolean
gst_shapes_push_fixed_caps (GstPad * srcpad)
{
  if (gst_pad_has_current_caps (srcpad))
    return TRUE;
  g_autoptr (GstCaps) caps = gst_pad_get_pad_template_caps (srcpad);
  return gst_pad_set_caps (srcpad, caps);
}
