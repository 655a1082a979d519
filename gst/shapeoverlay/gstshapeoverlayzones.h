/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The zones and lines that shapezones has counted at. */

#include "gstshapeoverlaycollect.h"

/* What @buffer has of them; NULL: nothing */
const GstStructure *overlay_find_zones (GstBuffer * buffer);

/* Adds their outlines, and their names and counts as labels, after all
 * layers. */
void overlay_collection_add_zones (OverlayCollection * self,
    const GstStructure * zones);
