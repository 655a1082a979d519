/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "surface.h"

/* The share of a sphere that looks from these directions see at less than 60
 * degrees. */
gdouble line_coverage (const LineSight * sights, guint n);

/* The same of all looks of a piece of @diameter mm that turns as the geometry
 * says. */
gdouble line_coverage_reach (const LineGeometry * geometry, gdouble diameter);
