/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string.h>

#include "base/array.h"
#include "gstshapeset.h"
#include "numfmt.h"

/**
 * GstShapeText: (skip)
 * @bytes: what is written
 * @max_size: the most bytes that it may have
 *
 * Text in the making: gst_shape_text_append() for strings, reserve and advance
 * for runs of numbers, which go straight into its memory. When memory runs out
 * or the text is too long, what is appended is left out, and
 * gst_shape_text_finish() says so.
 */
typedef struct
{
  CsArray bytes;
  gsize max_size;
} GstShapeText;

/* More than any record without its points takes. */
#define GST_SHAPE_TEXT_RECORD_MAX 2048

/* @max_size: 0 for as much as there is. */
static inline void
gst_shape_text_init (GstShapeText * text, gsize max_size)
{
  cs_array_init (&text->bytes, 1);
  text->max_size = max_size ? max_size : G_MAXSIZE;
}

static inline gboolean
gst_shape_text_is_lost (const GstShapeText * text)
{
  return text->bytes.failed || text->bytes.len > text->max_size;
}

/* Room for @n bytes at the end, %NULL if the text is lost. */
static inline gchar *
gst_shape_text_reserve (GstShapeText * text, gsize n)
{
  if (gst_shape_text_is_lost (text) || !cs_array_reserve (&text->bytes, n))
    return NULL;
  return text->bytes.data + text->bytes.len;
}

/* @end is where the text that was written after reserving ends. */
static inline void
gst_shape_text_advance (GstShapeText * text, gchar * end)
{
  text->bytes.len = end - text->bytes.data;
}

static inline void
gst_shape_text_append (GstShapeText * text, const gchar * string)
{
  cs_array_append (&text->bytes, string, strlen (string));
}

/* Takes back the last character if it is @last. */
static inline void
gst_shape_text_take_back (GstShapeText * text, gchar last)
{
  if (!gst_shape_text_is_lost (text) && text->bytes.len > 0
      && text->bytes.data[text->bytes.len - 1] == last)
    text->bytes.len--;
}

/* Copies a literal to @end and returns where it ends. */
#define gst_shape_text_put(end, literal) \
    ((gchar *) memcpy ((end), literal, sizeof (literal) - 1) + \
        sizeof (literal) - 1)

/* A JSON string, quotes included; invalid UTF-8 is replaced. */
void gst_shape_text_append_string (GstShapeText * text, const gchar * string);

/**
 * GstShapeTextPoints: (skip)
 * @open: before a point's numbers, or 0
 * @between: between them
 * @close: after them, or 0
 * @after: after each point but the last
 * @shift: is added to both
 */
typedef struct
{
  gchar open, between, close, after;
  gfloat shift;
} GstShapeTextPoints;

/* @keep says which points, %NULL all. @backwards: the last one first. */
void gst_shape_text_append_points (GstShapeText * text,
    const GstShapeTextPoints * format, const GstShapePoint * points, gsize n,
    const guint8 * keep, gboolean backwards);

/* Takes the bytes out of @text. Returns: %NULL with @error set, as
 * gst_shape_json_make_line() does, if it is lost. */
GBytes *gst_shape_text_finish (GstShapeText * text, GError ** error);
