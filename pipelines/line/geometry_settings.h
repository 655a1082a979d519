/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "settings.h"

/* The geometry of @lane by [geometry LANE], and where that lacks a key by
 * [geometry]; what is wrong with them is added to the problems of @ini. @known:
 * of #LineGeometry; a new one is added. Returns: the one of @known; never
 * NULL */
const LineGeometry *line_geometry_read (LineIni * ini, const char *lane,
    GPtrArray * known);
void line_geometry_free (gpointer geometry);

/* A number from @min to @max for all of @n views, or one for each. @numbers:
 * (out): LINE_MAX_VIEWS; NaN where there is none */
void line_views_read (LineIni * ini, const char *group, const char *key,
    gdouble min, gdouble max, guint n, gdouble * numbers);

/* Adds a problem for each [geometry NAME] without its lane. */
void line_geometry_check_names (LineIni * ini);
