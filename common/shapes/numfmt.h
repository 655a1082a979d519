/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPES_NUMFMT_H
#define GST_SHAPES_NUMFMT_H

/* Numbers as text, fast: JSON numbers with a point whatever the locale is, that
 * read back as the same number. As few digits as that takes, at most 9 of a
 * float and 17 of a double; "null" for what JSON has no number for (NaN and the
 * infinities). */

#include <glib.h>

G_BEGIN_DECLS

/* No number needs more bytes. */
#define NUMFMT_MAX 32

/* Each writes at @out, without a terminating 0, and returns the end. */
G_GNUC_INTERNAL gchar *numfmt_float (gchar * out, gfloat value);
G_GNUC_INTERNAL gchar *numfmt_double (gchar * out, gdouble value);
G_GNUC_INTERNAL gchar *numfmt_int (gchar * out, gint64 value);
G_GNUC_INTERNAL gchar *numfmt_uint (gchar * out, guint64 value);

G_END_DECLS

#endif /* GST_SHAPES_NUMFMT_H */
