/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What is told of a frame: the fields of the meta and of messages. */

#include "gstshapezonescount.h"

/* Values of all that is told of a frame, at most: shapejsondec reads lines
 * whose tags have 4096. */
#define ZONES_REPORT_MAX_VALUES 3900

/* Events have half of the room that zones and lines leave, classes have the
 * rest.
 *
 * Sets the fields of @structure; what another one told of the same frame stays,
 * and comes first. @has_classes: whether numbers of classes mean something */
void zones_report_fill (GstStructure * structure,
    const ZonesCounter * counter, const GPtrArray * zones, guint width,
    guint height, guint64 frames_missing, gboolean has_classes);
