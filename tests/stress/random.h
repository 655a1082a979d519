/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Random elements, properties and frames: the same ones for the same seed. */

#include <gst/video/video.h>

G_BEGIN_DECLS

/* A number below @n, which is above 0. */
guint random_below (GRand * random, guint n);

/* Whether what happens once in @n times happens. */
gboolean random_one_in (GRand * random, guint n);

/* A chain of our elements as launch line. @is_counted: (out): whether as many
 * buffers come out as go in, but for those that "dropped" counts;
 * @takes_tensors: (out): whether the first one accepts tensors. Returns:
 * (transfer full) */
gchar *random_chain (GRand * random, gboolean * is_counted,
    gboolean * takes_tensors);

/* Our elements in @bin. Returns: (transfer container) */
GPtrArray *find_elements (GstBin * bin);

/* Caps of small video, of a format that all our elements or converters take, or
 * of tensors. Returns: (transfer full) */
GstCaps *random_caps (GRand * random, gboolean tensors);

/* A frame of @caps: noise, blobs or one value. Returns: (transfer full) */
GstBuffer *random_frame (GRand * random, GstCaps * caps);

/* Sets one property of @element to a value that its GParamSpec allows, but for
 * what would take minutes. */
void random_property (GRand * random, GstElement * element);

G_END_DECLS
