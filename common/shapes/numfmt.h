/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Fast number formatting: JSON numbers, independent of the locale, that
 * round-trip with the fewest digits, at most 9 for a float and 17 for a
 * double; "null" for NaN and the infinities. */

#include <glib.h>

/* Maximum length of a number. */
#define NUMFMT_MAX 32

/* Write to @out, without a terminating 0, and return the end. */
gchar *numfmt_float (gchar * out, gfloat value);
gchar *numfmt_double (gchar * out, gdouble value);
gchar *numfmt_int (gchar * out, gint64 value);
gchar *numfmt_uint (gchar * out, guint64 value);
