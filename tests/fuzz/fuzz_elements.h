/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the targets share that push buffers and events into elements. */

#include "fuzz.h"

#include <gst/check/gstharness.h>

G_BEGIN_DECLS

/* A harness of the plugin's elements in @line, with a bus; output is discarded.
 * Freed with fuzz_harness_free(). */
GstHarness *fuzz_harness_new (const gchar * line, GstBus ** bus);
void fuzz_harness_free (GstHarness * h, GstBus * bus);

/* Whether an element has said that something is wrong. */
gboolean fuzz_has_failed (GstBus * bus);

/* Pushes @buffer; a flow other than OK requires an error message. Returns
 * whether the element continues. */
gboolean fuzz_push (GstHarness * h, GstBus * bus, GstBuffer * buffer);

/* A buffer without padding, so that a sanitizer detects overreads: @right bytes
 * or, sometimes, fewer. */
GstBuffer *fuzz_buffer_new (Feed * feed, gsize right);

G_END_DECLS
