/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Tracks of objects that overlap from frame to frame. */

#include "gstshapezonesobjects.h"

/* What an object and a track's expected box have in common, of what they cover
 * together, at least. */
#define ZONES_TRACKER_LEAST_OVERLAP .1

/**
 * ZonesTracker:
 *
 * Each track's box is expected where it would be if it moved on as from the
 * last frame but one to the last. Tracks and objects of the same class whose
 * boxes overlap the most belong together, then those that overlap the most of
 * the rest, and so on (greedy matching by intersection over union); among equal
 * ones the older track, and the first object.
 */
typedef struct
{
  /*< private > */
  CsArray tracks, pairs, order;
  gint64 next_id;
} ZonesTracker;

void zones_tracker_init (ZonesTracker * self);
void zones_tracker_clear (ZonesTracker * self);

/* Forgets all tracks; their ids are not used again. */
void zones_tracker_forget (ZonesTracker * self);

/* Sets the track of each object. @max_unseen: frames after which a track that
 * has no object ends. Returns: %FALSE with @error set without memory */
gboolean zones_tracker_run (ZonesTracker * self, ZonesObjects * objects,
    guint max_unseen, GError ** error);
