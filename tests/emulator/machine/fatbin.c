/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fat binaries: a header, and after it entries of a kind and a size each. Read
 * as far as the PTX in them is found. */

#include <string.h>

#include "module.h"

#define WRAPPER_MAGIC 0x466243b1
#define BINARY_MAGIC 0xba55ed50
#define KIND_PTX 1

typedef struct
{
  guint32 magic, version;
  gconstpointer data;
  gconstpointer name;
} Wrapper;

typedef struct
{
  guint32 magic;
  guint16 version, header_size;
  guint64 size;                 /* of the entries */
} Header;

typedef struct
{
  guint16 kind, version;
  guint32 header_size;
  guint64 size;
  guint32 compressed_size;
} Entry;

gchar *
fatbin_get_ptx (gconstpointer binary)
{
  const Wrapper *wrapper = binary;

  if (wrapper->magic != WRAPPER_MAGIC)
    return NULL;
  const Header *header = wrapper->data;
  if (header->magic != BINARY_MAGIC)
    return NULL;
  const guint8 *at = (const guint8 *) header + header->header_size;
  const guint8 *end = at + header->size;
  while (at + sizeof (Entry) <= end) {
    const Entry *entry = (const Entry *) at;
    const gchar *text = (const gchar *) at + entry->header_size;

    if (entry->kind == KIND_PTX && entry->compressed_size == 0 &&
        memchr (text, '.', entry->size))
      return g_strndup (text, entry->size);
    at += entry->header_size + entry->size;
  }
  return NULL;
}
