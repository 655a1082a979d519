/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string.h>

#include "memory.h"

G_BEGIN_DECLS

/**
 * CsArray:
 * @data: the elements; %NULL as long as there were none
 * @len: their number
 * @size: bytes of an element
 * @capacity: elements that fit the memory
 * @failed: whether memory has run out since the array was last emptied
 *
 * What GArray is, for as many elements as data has: when memory runs out,
 * elements are left out and @failed is set. So a loop may append and look at
 * @failed once, at its end.
 */
typedef struct
{
  gchar *data;
  gsize len, size, capacity;
  gboolean failed;
} CsArray;

/* Fewer elements than this are never made room for. */
#define CS_ARRAY_MIN 16

static inline void
cs_array_init (CsArray * array, gsize size)
{
  *array = (CsArray) {.size = size };
}

static inline CsArray *
cs_array_new (gsize size)
{
  CsArray *array = g_new (CsArray, 1);

  cs_array_init (array, size);
  return array;
}

/* Frees the elements; the array is an empty one then. */
static inline void
cs_array_clear (CsArray * array)
{
  g_free (array->data);
  cs_array_init (array, array->size);
}

static inline void
cs_array_free (CsArray * array)
{
  g_free (array->data);
  g_free (array);
}

/* Room for @n more elements. Returns: FALSE without memory */
static inline gboolean
cs_array_reserve (CsArray * array, gsize n)
{
  gsize capacity;

  if (n <= array->capacity - array->len)
    return TRUE;
  gchar *data = NULL;
  if (n <= G_MAXSIZE / 2 - array->len) {
    capacity = MAX (array->len + n, array->capacity + array->capacity / 2);
    capacity = MAX (capacity, CS_ARRAY_MIN);
    data = (gchar *) cs_try_realloc_n (array->data, capacity, array->size);
  }
  if (!data) {
    array->failed = TRUE;
    return FALSE;
  }
  array->data = data;
  array->capacity = capacity;
  return TRUE;
}

static inline gboolean
cs_array_append (CsArray * array, gconstpointer values, gsize n)
{
  if (!cs_array_reserve (array, n))
    return FALSE;
  if (n > 0)
    memcpy (array->data + array->len * array->size, values, n * array->size);
  array->len += n;
  return TRUE;
}

/* Shortens the array, or makes it longer by elements of any content. */
static inline gboolean
cs_array_set_size (CsArray * array, gsize n)
{
  if (n > array->len && !cs_array_reserve (array, n - array->len))
    return FALSE;
  array->len = n;
  return TRUE;
}

/* No elements and no failure; the memory stays. */
static inline void
cs_array_empty (CsArray * array)
{
  array->len = 0;
  array->failed = FALSE;
}

/* @value is a variable of the element's type. */
#define cs_array_append_val(array, value) \
    cs_array_append ((array), &(value), 1)
#define cs_array_index(array, type, i) \
    (((type *) (gpointer) (array)->data)[i])

G_END_DECLS
