/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "check_raster.h"

G_BEGIN_DECLS

/* Measures outlines as shapeoverlay draws them and prints a table; @name:
 * (nullable): only rows whose name contains it. */
void bench_outlines (Runner * cpu, Runner * cuda, const char *name);

G_END_DECLS
