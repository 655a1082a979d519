/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Shapes out of a fuzz target's input. */

#include "fuzz.h"

#include <shapes/gstshapes.h>

/* Up to @max_points points (fewer than 2^16), sometimes a ring. */
GArray *feed_points (Feed * feed, guint max_points);

/* Up to 15 circles. */
GArray *feed_circles (Feed * feed);

/* Up to three layers of up to 7 polylines or 15 circles. */
GstShapeSet *feed_set (Feed * feed);
