/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The meaning of iso-bands, cell by cell and without any of the product's
 * code: what of a cell is above a level. Cells are unit squares, their corners
 * clockwise from the upper left one. */

#include "contours/contours.h"

/* The corners of a cell; FALSE if one is invalid, so that it is no cell. */
gboolean bands_oracle_get_cell (const CsContoursInput * input, guint channel,
    guint row, guint column, double *v);

/* Whether a point is above @level. */
gboolean bands_oracle_is_above (const double *v, double level,
    gboolean connect_high, double x, double y);

/* The area of the band from @low to @high in all cells. */
double bands_oracle_total (const CsContoursInput * input, guint channel,
    double low, double high, gboolean connect_high);

/* Whether the edge from (@x0, @y0) to (@x1, @y1) is to the left of a point, at
 * its height. */
gboolean bands_oracle_is_left (double x, double y, double x0, double y0,
    double x1, double y1);
