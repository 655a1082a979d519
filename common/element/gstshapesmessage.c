/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesmessage.h"

#include "base/text.h"

/* Bytes of a message, which says what to do and names a file. */
#define MAX_SIZE 8192

static gchar *
take_plain (gchar * text)
{
  gchar *plain = text ? cs_text_make_plain (text, -1, MAX_SIZE, TRUE) : NULL;

  g_free (text);
  return plain;
}

void
gst_shapes_message_post (GstElement * element, GstMessageType type,
    GQuark domain, gint code, gchar * text, gchar * debug, const gchar * file,
    const gchar * function, gint line)
{
  gst_element_message_full (element, type, domain, code, take_plain (text),
      take_plain (debug), file, function, line);
}

void
gst_shapes_check_alpha (GstElement * element, const GstVideoInfo * info,
    gboolean * warned)
{
  if (!GST_VIDEO_INFO_HAS_ALPHA (info))
    GST_SHAPES_WARN_ONCE (element, *warned, LIBRARY, SETTINGS,
        "background=transparent needs a format with alpha, which %s is not: "
        "the background is black. Ask for one, such as "
        "video/x-raw,format=RGBA, or set background=black or white.",
        GST_VIDEO_INFO_NAME (info));
}
