/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* JSON (RFC 8259) read where it stands. A value is a pointer to its first
 * character in a text that json_text_check() has accepted, and takes no memory
 * of its own; %NULL is a value that is not there, and has no type. What a
 * stranger's line may become in memory is so up to its reader. */

#include <glib.h>

/* Arrays and objects in each other, at most. */
#define JSON_TEXT_MAX_DEPTH 64

typedef enum
{
  JSON_TEXT_NONE,
  JSON_TEXT_NULL,
  JSON_TEXT_BOOLEAN,
  JSON_TEXT_NUMBER,
  JSON_TEXT_STRING,
  JSON_TEXT_ARRAY,
  JSON_TEXT_OBJECT
} JsonTextType;

/* Whether @text of @size bytes is an object, and nothing else, in UTF-8.
 * Otherwise @where is the byte, from 1 on, that is not as it should be, and
 * @problem says how. The characters 0 and surrogates without their pair, which
 * UTF-8 has not, are refused. */
gboolean json_text_check (const gchar * text, gsize size,
    gsize * where, const gchar ** problem);

/* The object of a text. */
const gchar *json_text_root (const gchar * text);

JsonTextType json_text_get_type (const gchar * value);

/* The first item of an array or key of an object; %NULL when it is empty, or
 * @value neither. */
const gchar *json_text_first (const gchar * value);

/* What follows an item, or the value of a key. */
const gchar *json_text_next (const gchar * value);

/* The value of a key. */
const gchar *json_text_value_of (const gchar * key);

/* The value of the last key @name of an object. */
const gchar *json_text_get (const gchar * object, const gchar * name);

/* Items of an array. @last: (out) (optional): the last one */
gsize json_text_count (const gchar * array, const gchar ** last);

/* Each is %FALSE if @value is no such value. Numbers that are too large for a
 * double, and for an integer all with a fraction or an exponent, are none. */
gboolean json_text_get_number (const gchar * value, gdouble * number);
gboolean json_text_get_integer (const gchar * value, gint64 * number);
/* Whether it is a number with a fraction or an exponent. */
gboolean json_text_is_real (const gchar * value);
gboolean json_text_get_boolean (const gchar * value, gboolean * is_true);

/* A string without its quotes and escapes, which ends with 0. %FALSE if it is
 * none, or does not fit @size bytes. */
gboolean json_text_get_string (const gchar * value, gchar * out, gsize size);

/* Whether @value is the string @text. */
gboolean json_text_is_string (const gchar * value, const gchar * text);

/* The bytes of @value, without spaces between its parts. @out: (nullable):
 * where they are written, without a 0 */
gsize json_text_compact (const gchar * value, gchar * out);
