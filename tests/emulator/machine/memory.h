/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Memory that kernels may access. Kept when it is released, of size 0, for
 * instructions remember what they last accessed. */
typedef struct
{
  guint64 start, size;
  guint64 released_size;        /* what it was */
  gint64 distance;              /* from an address to the host's */
  guint8 *is_written;           /* a byte for each, if that is checked */
  gsize mapped;                 /* 0: of the host */
} Region;

/* One kernel, or one change of the memory, at a time */
void memory_lock (void);
void memory_unlock (void);

/* The region that @address is in, or NULL; with the lock */
Region *memory_find (guint64 address);
/* Describes where @address is near; free with g_free(). */
gchar *memory_describe (guint64 address);

G_END_DECLS
