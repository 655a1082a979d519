/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Operands: registers, predicates, numbers */

#include "decoder.h"

#include <stdlib.h>
#include <string.h>

gint32
decode_constant (Decoder * decoder, guint64 value, guint bits)
{
  const gboolean is_wide = bits > 32;
  gchar *key = g_strdup_printf ("%" G_GINT64_MODIFIER "x %d", value, is_wide);
  gpointer known;

  if (g_hash_table_lookup_extended (decoder->constant_index, key, NULL,
          &known)) {
    g_free (key);
    return GPOINTER_TO_INT (known);
  }
  gsize at = decoder->constants->len;
  for (guint l = 0; l < LANES; l++)
    g_array_append_vals (decoder->constants, &value, is_wide ? 8 : 4);
  known = GINT_TO_POINTER ((gint) at - CONSTANT_BIAS);
  g_hash_table_insert (decoder->constant_index, key, known);
  return GPOINTER_TO_INT (known);
}

gboolean
decode_number (const gchar * text, gboolean is_double, guint64 * value)
{
  gchar *end;

  if (g_str_has_prefix (text, "0f") || g_str_has_prefix (text, "0F")) {
    *value = g_ascii_strtoull (text + 2, &end, 16);
    if (is_double) {
      union
      {
        guint32 u;
        float f;
      } single = { *value };
      union
      {
        double f;
        guint64 u;
      } wide = { single.f };

      *value = wide.u;
    }
    return *end == '\0';
  }
  if (g_str_has_prefix (text, "0d") || g_str_has_prefix (text, "0D"))
    *value = g_ascii_strtoull (text + 2, &end, 16);
  else if (text[0] == '-')
    *value = -g_ascii_strtoull (text + 1, &end, 0);
  else if (!strcmp (text, "WARP_SZ")) {
    *value = LANES;
    return TRUE;
  } else
    *value = g_ascii_strtoull (text, &end, 0);
  if (*end == 'U' && end > text)
    end++;
  return end > text && *end == '\0';
}

/* The address that a name of memory stands for */
static gboolean
get_address (Decoder * decoder, const gchar * text, guint64 * value)
{
  const gchar *plus = strpbrk (text, "+");
  g_autofree gchar *name =
      plus ? g_strndup (text, plus - text) : g_strdup (text);
  const Symbol symbol = decode_find (decoder, g_strchomp (name));

  if (symbol.kind < SYMBOL_PARAM)
    return FALSE;
  *value = symbol.value + (plus ? atoll (plus + 1) : 0);
  return TRUE;
}

gint32
decode_value (Decoder * decoder, const gchar * text, gchar letter)
{
  const guint bits = strchr ("xd", letter) ? 64 : 32;
  const Symbol symbol = decode_find (decoder, text);
  guint64 value;

  if (symbol.kind == SYMBOL_REGISTER) {
    if ((symbol.bits > 32 ? symbol.bits : 32) != bits)
      decode_fail (decoder, "a register of the wrong width");
    return symbol.value;
  }
  if (!strcmp (text, "_"))
    return decode_new_register (decoder, bits);
  if (!decode_number (text, letter == 'd', &value) &&
      !get_address (decoder, text, &value))
    decode_fail (decoder, "an unknown operand");
  if (letter == 'h')
    value &= 0xffff;
  return decode_constant (decoder, bits == 32 ? (guint32) value : value, bits);
}

gint32
decode_any (Decoder * decoder, const gchar * text, guint bits,
    gboolean * is_wide)
{
  const Symbol symbol = decode_find (decoder, text);

  if (symbol.kind == SYMBOL_REGISTER) {
    if (symbol.bits > 64)
      decode_fail (decoder, "128 bits");
    *is_wide = symbol.bits > 32;
    return symbol.value;
  }
  *is_wide = bits > 32;
  return decode_value (decoder, text, bits > 32 ? 'x' : bits == 32 ? 'w' : 'h');
}

gint32
decode_predicate (Decoder * decoder, const gchar * text)
{
  const gboolean is_negated = text[0] == '!';
  const gchar *name = text + is_negated;
  guint64 value;

  while (g_ascii_isspace (*name))
    name++;
  if (!strcmp (name, "_"))
    return decode_new_predicate (decoder) * 2;
  Symbol symbol = decode_find (decoder, name);
  if (symbol.kind == SYMBOL_PREDICATE)
    return symbol.value * 2 + is_negated;
  if (!decode_number (name, FALSE, &value))
    decode_fail (decoder, "an unknown predicate");
  /* predicate 0 is true */
  return (value == 0) != is_negated;
}

gchar **
decode_elements (const gchar * text)
{
  gchar *inner, **elements;

  if (text[0] != '{') {
    elements = g_new0 (gchar *, 2);
    elements[0] = g_strdup (text);
    return elements;
  }
  inner = g_strndup (text + 1, strlen (text) - 2);
  elements = g_strsplit (inner, ",", -1);
  for (guint k = 0; elements[k]; k++)
    g_strstrip (elements[k]);
  g_free (inner);
  return elements;
}
