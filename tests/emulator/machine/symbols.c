/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names in a function: registers, parameters, memory */

#include "decoder.h"

#include <stdlib.h>

#include "scan.h"

#define LOCAL_ALIGN 16

typedef struct
{
  GHashTable *names;            /* to Symbol */
  gsize registers[2], local;    /* taken before it began */
} Scope;

void
decode_push_scope (Decoder * decoder)
{
  Scope *scope = g_new0 (Scope, 1);

  scope->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  memcpy (scope->registers, decoder->registers, sizeof (scope->registers));
  scope->local = decoder->local;
  g_ptr_array_add (decoder->instance->scopes, scope);
}

void
decode_pop_scope (Decoder * decoder)
{
  GPtrArray *scopes = decoder->instance->scopes;
  g_autofree Scope *scope = g_ptr_array_index (scopes, scopes->len - 1);

  memcpy (decoder->registers, scope->registers, sizeof (scope->registers));
  decoder->local = scope->local;
  g_hash_table_unref (scope->names);
  g_ptr_array_set_size (scopes, scopes->len - 1);
}

void
decode_bind (Decoder * decoder, const gchar * name, Symbol symbol)
{
  GPtrArray *scopes = decoder->instance->scopes;
  Scope *scope = g_ptr_array_index (scopes, scopes->len - 1);

  g_hash_table_insert (scope->names, g_strdup (name),
      g_memdup2 (&symbol, sizeof (symbol)));
}

static gsize
register_size (guint bits)
{
  return (bits > 32 ? bits / 8 : 4) * LANES;
}

static gint32
take_registers (Decoder * decoder, guint bits, guint n)
{
  const guint wide = bits > 32;
  const gsize at = decoder->registers[wide];

  decoder->registers[wide] += register_size (bits) * n;
  decoder->max_registers[wide] = MAX (decoder->max_registers[wide],
      decoder->registers[wide]);
  return at + (wide ? WIDE_REGISTERS : 0);
}

gint32
decode_new_register (Decoder * decoder, guint bits)
{
  return take_registers (decoder, bits, 1);
}

guint
decode_new_predicate (Decoder * decoder)
{
  return decoder->n_predicates++;
}

static gint64
take_local (Decoder * decoder, gsize size)
{
  const gsize at = decoder->local;

  decoder->local += (size + LOCAL_ALIGN - 1) / LOCAL_ALIGN * LOCAL_ALIGN;
  decoder->max_local = MAX (decoder->max_local, decoder->local);
  return at;
}

static gint64
take_shared (Decoder * decoder, const Variable * variable)
{
  gpointer known;

  if (variable->is_extern) {
    decoder->has_dynamic = TRUE;
    decoder->dynamic_align = MAX (decoder->dynamic_align, variable->align);
    return decoder->dynamic_offset;
  }
  if (g_hash_table_lookup_extended (decoder->shared_offsets, variable->name,
          NULL, &known))
    return GPOINTER_TO_SIZE (known);
  gsize at = (decoder->shared + variable->align - 1) / variable->align *
      variable->align;
  decoder->shared = at + variable->size;
  g_hash_table_insert (decoder->shared_offsets, g_strdup (variable->name),
      GSIZE_TO_POINTER (at));
  return at;
}

/* .reg TYPE NAME[<COUNT>], ... */
static void
declare_registers (Decoder * decoder, const gchar * at)
{
  g_autofree gchar *type = scan_word (&at);
  const gboolean is_predicate = !strcmp (type, ".pred");
  const guint bits = is_predicate ? 1 : atoi (type + 2);

  do {
    g_autofree gchar *name = scan_word (&at);
    Symbol symbol = { is_predicate ? SYMBOL_PREDICATE : SYMBOL_REGISTER,
      bits, 0, 0, 0
    };
    guint n = 1;

    if (skip_char (&at, '<')) {
      g_autofree gchar *number = scan_word (&at);

      n = symbol.count = atoi (number);
      skip_char (&at, '>');
    }
    if (is_predicate) {
      symbol.value = decoder->n_predicates;
      decoder->n_predicates += n;
    } else
      symbol.value = take_registers (decoder, bits, n);
    decode_bind (decoder, name, symbol);
  } while (skip_char (&at, ','));
}

void
decode_declare (Decoder * decoder, const gchar * text)
{
  const gchar *at = text;
  g_autofree gchar *word = scan_word (&at);

  if (!strcmp (word, ".reg"))
    declare_registers (decoder, at);
  else if (!strcmp (word, ".param") || !strcmp (word, ".local") ||
      !strcmp (word, ".shared")) {
    g_autofree Variable *variable = module_read_variable (&at);
    Symbol symbol = { SYMBOL_LOCAL, 0, 0, 0, variable->size };

    if (word[1] == 's') {
      symbol.kind = SYMBOL_SHARED;
      symbol.value = take_shared (decoder, variable);
    } else
      symbol.value = take_local (decoder, variable->size);
    decode_bind (decoder, variable->name, symbol);
    g_free (variable->name);
  } else if (strcmp (word, ".pragma") && strcmp (word, ".loc"))
    decode_fail (decoder, "an unknown directive");
}

/* One of numbered registers: @name is the symbol's and a number. */
static Symbol
find_numbered (const Scope * scope, const gchar * name)
{
  gsize length = strlen (name);
  Symbol symbol = { SYMBOL_NONE, 0, 0, 0, 0 };

  while (length > 0 && g_ascii_isdigit (name[length - 1]))
    length--;
  if (!name[length])
    return symbol;
  g_autofree gchar *prefix = g_strndup (name, length);
  const Symbol *found = g_hash_table_lookup (scope->names, prefix);
  guint number = strtoul (name + length, NULL, 10);
  if (!found || number >= found->count)
    return symbol;
  symbol = *found;
  symbol.value += symbol.kind == SYMBOL_PREDICATE ? number :
      number * register_size (symbol.bits);
  return symbol;
}

static Symbol
find_global (Decoder * decoder, const gchar * name)
{
  Variable *variable = g_hash_table_lookup (decoder->module->variables, name);
  Symbol symbol = { SYMBOL_NONE, 0, 0, 0, 0 };

  if (!variable)
    return symbol;
  symbol.size = variable->size;
  if (variable->space == 's') {
    symbol.kind = SYMBOL_SHARED;
    symbol.value = take_shared (decoder, variable);
  } else {
    symbol.kind = SYMBOL_GLOBAL;
    symbol.value = (gint64) module_get_data (variable);
  }
  return symbol;
}

Symbol
decode_find (Decoder * decoder, const gchar * name)
{
  GPtrArray *scopes = decoder->instance->scopes;

  for (guint k = scopes->len; k-- > 0;) {
    const Scope *scope = g_ptr_array_index (scopes, k);
    const Symbol *symbol = g_hash_table_lookup (scope->names, name);

    if (symbol && symbol->count == 0)
      return *symbol;
    Symbol numbered = find_numbered (scope, name);
    if (numbered.kind != SYMBOL_NONE)
      return numbered;
  }
  return find_global (decoder, name);
}
