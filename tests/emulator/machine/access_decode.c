/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loads, stores and atomic operations */

#include "decoder.h"

#include <stdlib.h>
#include <string.h>

#include "reach.h"
#include "scan.h"

/* parts of names that do not matter here: order and caches */
static const gchar *const ignored[] = {
  "volatile", "relaxed", "acquire", "release", "acq_rel", "weak", "gpu",
  "cta", "sys", "ca", "cg", "cs", "cv", "lu", "wb", "wt", "nc", "unified",
  "mmio", NULL,
};

typedef struct
{
  guint space, n, bits;
  gboolean is_signed;
  gchar *operation;             /* of atomic ones */
  const gchar *type;
} Form;

static gboolean
read_space (const gchar * part, guint * space)
{
  static const struct
  {
    const gchar *name;
    guint space;
  } spaces[] = {
    {"global", SPACE_GLOBAL}, {"const", SPACE_GLOBAL},
    {"shared", SPACE_SHARED}, {"shared::cta", SPACE_SHARED},
    {"local", SPACE_LOCAL}, {"param", SPACE_PARAM},
    {"param::entry", SPACE_PARAM}, {"param::func", SPACE_PARAM},
  };

  for (guint k = 0; k < G_N_ELEMENTS (spaces); k++)
    if (!strcmp (part, spaces[k].name)) {
      *space = spaces[k].space;
      return TRUE;
    }
  return FALSE;
}

static Form
read_form (Decoder * decoder)
{
  const guint last = g_strv_length (decoder->parts) - 1;
  Form form = { SPACE_GENERIC, 1, 0, FALSE, NULL, decoder->parts[last] };

  for (guint k = 1; k < last; k++) {
    const gchar *part = decoder->parts[k];

    if (read_space (part, &form.space) ||
        g_strv_contains (ignored, part) || strstr (part, "::"))
      continue;
    if (part[0] == 'v' && g_ascii_isdigit (part[1]))
      form.n = atoi (part + 1);
    else if (!form.operation)
      form.operation = decoder->parts[k];
    else
      decode_fail (decoder, "an unknown form");
  }
  form.bits = atoi (form.type + 1);
  form.is_signed = form.type[0] == 's';
  if (form.bits == 128) {
    form.bits = 64;
    form.n *= 2;
  }
  return form;
}

/* "[BASE+OFFSET]" */
static void
read_address (Decoder * decoder, Instruction * i, const gchar * text,
    guint space)
{
  guint64 value;

  if (text[0] != '[')
    decode_fail (decoder, "an address was expected");
  g_autofree gchar *inner = g_strndup (text + 1, strlen (text) - 2);
  i->offset = 0;
  gchar *plus = strchr (inner, '+');
  if (plus) {
    *plus = '\0';
    i->offset = atoll (plus + 1);
  }
  Symbol symbol = decode_find (decoder, g_strstrip (inner));
  i->space = space;
  i->target = ADDRESS_NONE;
  if (symbol.kind == SYMBOL_REGISTER) {
    i->target = symbol.bits > 32 ? ADDRESS_64 : ADDRESS_32;
    i->o[ADDRESS_OPERAND] = symbol.value;
    /* parameters of functions are local memory */
    if (space == SPACE_PARAM && decoder->instance->caller)
      i->space = SPACE_LOCAL;
  } else if (symbol.kind >= SYMBOL_PARAM) {
    i->offset += symbol.value;
    if (space == SPACE_PARAM && symbol.kind == SYMBOL_LOCAL)
      i->space = SPACE_LOCAL;
  } else if (decode_number (inner, FALSE, &value))
    i->offset += value;
  else
    decode_fail (decoder, "an unknown address");
}

static void
set_elements (Decoder * decoder, Instruction * i, const gchar * text,
    const Form * form)
{
  gchar **elements = decode_elements (text);
  const Symbol symbol = decode_find (decoder, text);
  gboolean is_wide;

  if (symbol.kind == SYMBOL_REGISTER && symbol.bits == 128) {
    i->o[0] = symbol.value;
    i->o[1] = symbol.value + 8 * LANES;
    i->wide = 3;
    g_strfreev (elements);
    return;
  }
  if (g_strv_length (elements) != form->n || form->n > ADDRESS_OPERAND)
    decode_fail (decoder, "a vector of another size");
  for (guint k = 0; k < form->n; k++) {
    i->o[k] = decode_any (decoder, elements[k], form->bits, &is_wide);
    i->wide |= is_wide << k;
  }
  g_strfreev (elements);
}

/* An instruction that is not emitted yet takes the operands: emitting moves
 * those that are. */
static void
emit_access (Decoder * decoder, const gchar * op, const Instruction * from)
{
  Instruction *i = decode_emit (decoder, op);

  memcpy (i->o, from->o, sizeof (i->o));
  i->target = from->target;
  i->offset = from->offset;
  i->n = from->n;
  i->kind = from->kind;
  i->wide = from->wide;
  i->size = from->size;
  i->space = from->space;
}

static void
decode_load_or_store (Decoder * decoder, gboolean is_store)
{
  const Form form = read_form (decoder);
  Instruction i = { 0 };
  gchar *op;

  if (form.operation)
    decode_fail (decoder, "an unknown form");
  read_address (decoder, &i, decode_operand (decoder, !is_store), form.space);
  set_elements (decoder, &i, decode_operand (decoder, is_store), &form);
  i.n = form.n;
  i.size = form.bits / 8;
  i.kind = form.is_signed;
  if (decode_has_part (decoder, "volatile") ||
      decode_has_part (decoder, "relaxed") ||
      decode_has_part (decoder, "acquire") ||
      decode_has_part (decoder, "release"))
    i.target |= ACCESS_IS_ATOMIC;
  if (!is_store && i.space == SPACE_PARAM && (i.target & 3) == ADDRESS_NONE)
    op = g_strdup ("ld.param");
  else
    op = g_strdup_printf ("%s.%c%u", is_store ? "st" : "ld",
        form.is_signed && !is_store && form.bits < 64 ? 's' : 'u',
        form.bits);
  emit_access (decoder, op, &i);
  g_free (op);
}

static void
decode_atomic (Decoder * decoder, gboolean has_result)
{
  const Form form = read_form (decoder);
  const gchar letter = form.type[0] == 'f' ? form.bits > 32 ? 'd' : 'f' :
      form.bits > 32 ? 'x' : 'w';
  Instruction i = { 0 };
  g_autofree gchar *op = g_strdup_printf ("atom.%s.%s", form.operation,
      form.type);
  guint k = 0;

  if (has_result) {
    i.n = strcmp (decode_operand (decoder, 0), "_") != 0;
    i.o[0] = decode_value (decoder, decode_operand (decoder, k++), letter);
  }
  read_address (decoder, &i, decode_operand (decoder, k++), form.space);
  i.o[1] = decode_value (decoder, decode_operand (decoder, k++), letter);
  i.o[2] = decoder->operands->len > k ? decode_value (decoder,
      decode_operand (decoder, k), letter) : i.o[1];
  if (!has_result)
    i.o[0] = i.o[1];
  i.size = form.bits / 8;
  i.target |= ACCESS_IS_ATOMIC;
  emit_access (decoder, op, &i);
}

gboolean
decode_access (Decoder * decoder)
{
  const gchar *first = decoder->parts[0];

  if (!strcmp (first, "ld") || !strcmp (first, "ldu"))
    decode_load_or_store (decoder, FALSE);
  else if (!strcmp (first, "st"))
    decode_load_or_store (decoder, TRUE);
  else if (!strcmp (first, "atom"))
    decode_atomic (decoder, TRUE);
  else if (!strcmp (first, "red"))
    decode_atomic (decoder, FALSE);
  else
    return FALSE;
  return TRUE;
}
