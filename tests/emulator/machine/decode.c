/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The decoder's main loop, over a function's statements */

#include "decoder.h"

#include <stdlib.h>
#include <string.h>

#include "scan.h"

#define MAX_DEPTH 20

void
decode_fail (const Decoder * decoder, const gchar * why)
{
  g_printerr ("emulator: in kernel %s, function %s: cannot decode: %s: %s\n",
      decoder->function->name, decoder->instance ?
      decoder->instance->function->name : "", why, decoder->text);
  abort ();
}

const gchar *
decode_operand (const Decoder * decoder, guint k)
{
  if (k >= decoder->operands->len)
    decode_fail (decoder, "an operand is missing");
  return g_ptr_array_index (decoder->operands, k);
}

gboolean
decode_has_part (const Decoder * decoder, const gchar * part)
{
  return g_strv_contains ((const gchar * const *) decoder->parts, part);
}

const Op *
op_find (const gchar * name)
{
  static gint is_fast = -1;
  static GHashTable *table;
  static const Op *const plain[] = {
    ops_int_plain, ops_float_plain, ops_compare_plain,
    ops_convert_plain, ops_memory_plain, ops_atomic_plain, ops_sync_plain,
    ops_flow_plain,
  };
  static const Op *const fast[] = {
    ops_int_fast, ops_float_fast, ops_compare_fast,
    ops_convert_fast, ops_memory_fast, ops_atomic_fast, ops_sync_fast,
    ops_flow_fast,
  };

  if (!table) {
    is_fast = g_strcmp0 (g_getenv ("CUDASHAPES_EMULATE_PLAIN"), "1") != 0 &&
        __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma") &&
        __builtin_cpu_supports ("bmi2");
    table = g_hash_table_new (g_str_hash, g_str_equal);
    for (guint k = 0; k < G_N_ELEMENTS (plain); k++)
      for (const Op *op = is_fast ? fast[k] : plain[k]; op->name; op++)
        g_hash_table_insert (table, (gpointer) op->name, (gpointer) op);
  }
  return g_hash_table_lookup (table, name);
}

Instruction *
decode_emit (Decoder * decoder, const gchar * name)
{
  const Op *op = op_find (name);
  Instruction instruction = { 0 };

  if (!op)
    decode_fail (decoder, "an unknown instruction");
  instruction.execute = op->execute;
  instruction.o[5] = -1;
  instruction.n = 1;
  instruction.text = g_string_chunk_insert_const (decoder->texts,
      decoder->text);
  if (decoder->guard_kind != GUARD_NONE) {
    instruction.guard_kind = decoder->guard_kind;
    instruction.guard = decoder->guard;
  }
  g_array_append_val (decoder->code, instruction);
  return &g_array_index (decoder->code, Instruction, decoder->code->len - 1);
}

Instruction *
decode_emit_control (Decoder * decoder, const gchar * op)
{
  const guint guard_kind = decoder->guard_kind;

  if (guard_kind != GUARD_NONE) {
    decoder->guard_kind = GUARD_NONE;
    Instruction *around = decode_emit (decoder, "bra");
    around->kind = 1;
    around->o[0] = decoder->guard * 2 + (guard_kind == GUARD_IF);
    around->target = decoder->code->len + 1;
  }
  return decode_emit (decoder, op);
}

void
decode_fixup (Decoder * decoder, const gchar * label)
{
  const Fixup fixup = { decoder->code->len - 1, g_strdup (label) };

  g_array_append_val (decoder->instance->fixups, fixup);
}

/* An instruction of a row of the table */
static gboolean
decode_plain (Decoder * decoder)
{
  const Op *op = op_find (decoder->name);
  gint32 o[6] = { 0 };
  Instruction *i;

  if (!op || !op->operands)
    return FALSE;
  if (decoder->operands->len != strlen (op->operands))
    decode_fail (decoder, "another number of operands");
  for (guint k = 0; op->operands[k]; k++) {
    const gchar *text = decode_operand (decoder, k);
    const gchar letter = op->operands[k];

    o[k] = letter == 'p' || letter == 'q' ? decode_predicate (decoder,
        text) : decode_value (decoder, text, letter);
  }
  i = strstr (decoder->name, ".sync") || !strcmp (decoder->name, "trap") ?
      decode_emit_control (decoder, decoder->name) :
      decode_emit (decoder, decoder->name);
  memcpy (i->o, o, 5 * sizeof (*o));
  if (g_str_has_suffix (decoder->name, ".b64"))
    i->wide = 2;
  return TRUE;
}

/* Splits at commas outside of brackets. */
static void
split_operands (Decoder * decoder, const gchar * text)
{
  const gchar *begin = text, *at;
  gint depth = 0;

  for (at = text;; at++) {
    if (*at && strchr ("{[(", *at))
      depth++;
    else if (*at && strchr ("}])", *at))
      depth--;
    else if (!*at || (*at == ',' && depth == 0)) {
      gchar *operand = g_strstrip (g_strndup (begin, at - begin));

      if (*operand)
        g_ptr_array_add (decoder->operands, operand);
      else
        g_free (operand);
      begin = at + 1;
      if (!*at)
        break;
    }
  }
}

static void
read_guard (Decoder * decoder, const gchar ** at)
{
  decoder->guard_kind = GUARD_NONE;
  decoder->guard = 0;
  if (!skip_char (at, '@'))
    return;
  decoder->guard_kind = skip_char (at, '!') ? GUARD_UNLESS : GUARD_IF;
  g_autofree gchar *name = scan_word (at);
  gint32 predicate = decode_predicate (decoder, name);
  decoder->guard = predicate >> 1;
}

/* "NAME::PART" is in names, too. */
static gchar *
scan_name (const gchar ** at)
{
  skip_blanks (at);
  const gchar *begin = *at;
  while (is_word (**at) || **at == ':')
    ++*at;
  return g_strndup (begin, *at - begin);
}

static void
decode_statement (Decoder * decoder, const gchar * text)
{
  const gchar *at = text;

  decoder->text = text;
  if (text[0] == '.') {
    decode_declare (decoder, text);
    return;
  }
  read_guard (decoder, &at);
  decoder->name = scan_name (&at);
  decoder->parts = g_strsplit (decoder->name, ".", -1);
  decoder->operands = g_ptr_array_new ();
  split_operands (decoder, at);
  if (!decode_special_statement (decoder) && !decode_access (decoder) &&
      !decode_plain (decoder))
    decode_fail (decoder, "an unknown instruction");
  g_ptr_array_unref (decoder->operands);
  g_strfreev (decoder->parts);
  g_free (decoder->name);
}

/* "NAME:"; of a list of targets find_lists() knows the name. */
static gboolean
read_label (Decoder * decoder, const gchar ** at)
{
  const gchar *after = *at;
  gchar *name = scan_word (&after), *word;
  const gchar *list;

  skip_blanks (&after);
  if (!*name || after[0] != ':' || after[1] == ':') {
    g_free (name);
    return FALSE;
  }
  *at = list = after + 1;
  word = scan_word (&list);
  if (!strcmp (word, ".branchtargets")) {
    *at = strchr (list, ';') + 1;
    g_free (name);
  } else if (!g_hash_table_insert (decoder->instance->labels, name,
          GUINT_TO_POINTER (decoder->code->len)))
    decode_fail (decoder, "a label is there twice");
  g_free (word);
  return TRUE;
}

static void
decode_body (Decoder * decoder, const Function * function)
{
  const gchar *at = function->body;

  for (;;) {
    skip_blanks (&at);
    if (at >= function->end)
      break;
    if (*at == '{' || *at == '}') {
      if (*at++ == '{')
        decode_push_scope (decoder);
      else
        decode_pop_scope (decoder);
      continue;
    }
    if (read_label (decoder, &at))
      continue;
    if (skip_char (&at, ';'))
      continue;
    const gchar *end = strchr (at, ';');
    g_autofree gchar *statement = g_strchomp (g_strdelimit (g_strndup (at,
                end - at), "\n\t\r", ' '));
    decode_statement (decoder, statement);
    at = end + 1;
  }
}

/* Lists of targets are declared behind their branch or before it. */
static void
find_lists (Decoder * decoder, const Function * function)
{
  const gchar *at = function->body;

  while ((at = strstr (at, ".branchtargets")) && at < function->end) {
    const gchar *name = at;

    at += strlen (".branchtargets");
    while (*--name != ':');
    const gchar *end = strchr (at, ';');
    g_autofree gchar *text = g_strndup (at, end - at);
    gchar **labels = g_strsplit (text, ",", -1);
    for (guint k = 0; labels[k]; k++)
      g_strstrip (labels[k]);
    for (at = name; is_word (at[-1]); at--);
    g_hash_table_insert (decoder->instance->lists,
        g_strndup (at, name - at), labels);
    at = end;
  }
}

static void
resolve_fixups (Decoder * decoder)
{
  const Instance *instance = decoder->instance;

  for (guint k = 0; k < instance->fixups->len; k++) {
    const Fixup *fixup = &g_array_index (instance->fixups, Fixup, k);
    gpointer target = GUINT_TO_POINTER (decoder->code->len);

    if (fixup->label && !g_hash_table_lookup_extended (instance->labels,
            fixup->label, NULL, &target)) {
      decoder->text = fixup->label;
      decode_fail (decoder, "there is no such label");
    }
    g_array_index (decoder->code, Instruction, fixup->at).target =
        GPOINTER_TO_UINT (target);
    g_free (fixup->label);
  }
}

/* Decodes @function; @bind names its parameters. */
static void
decode_function (Decoder * decoder, const Function * function,
    void (*bind) (Decoder * decoder, gpointer data), gpointer data)
{
  Instance instance = { function, decoder->instance };

  if (++decoder->depth > MAX_DEPTH)
    decode_fail (decoder, "functions that call themselves");
  instance.scopes = g_ptr_array_new ();
  instance.labels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  instance.lists = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      (GDestroyNotify) g_strfreev);
  instance.fixups = g_array_new (FALSE, FALSE, sizeof (Fixup));
  decoder->instance = &instance;
  decode_push_scope (decoder);
  bind (decoder, data);
  find_lists (decoder, function);
  decode_body (decoder, function);
  decode_pop_scope (decoder);
  resolve_fixups (decoder);
  decoder->instance = instance.caller;
  decoder->depth--;
  g_ptr_array_unref (instance.scopes);
  g_hash_table_unref (instance.labels);
  g_hash_table_unref (instance.lists);
  g_array_unref (instance.fixups);
}

typedef struct
{
  const Function *function;
  GArray *params, *results;     /* of Symbol */
} Call;

static void
bind_call (Decoder * decoder, gpointer data)
{
  const Call *call = data;

  for (guint k = 0; k < call->params->len; k++)
    decode_bind (decoder, g_array_index (call->function->params, Formal,
            k).name, g_array_index (call->params, Symbol, k));
  for (guint k = 0; k < call->results->len; k++)
    decode_bind (decoder, g_array_index (call->function->results, Formal,
            k).name, g_array_index (call->results, Symbol, k));
}

/* The symbols of "(NAME, ...)" */
static GArray *
read_list (Decoder * decoder, const gchar * text)
{
  GArray *symbols = g_array_new (FALSE, FALSE, sizeof (Symbol));
  g_autofree gchar *inner = g_strndup (text + 1, strlen (text) - 2);
  gchar **names = g_strsplit (inner, ",", -1);

  for (guint k = 0; names[k]; k++) {
    const gchar *name = g_strstrip (names[k]);
    const Symbol symbol = decode_find (decoder, name);

    if (!*name)
      continue;
    if (symbol.kind != SYMBOL_LOCAL)
      decode_fail (decoder, "an argument that is no parameter");
    g_array_append_val (symbols, symbol);
  }
  g_strfreev (names);
  return symbols;
}

/* call.uni [(RESULT),] NAME[, (ARGUMENTS)] */
void
decode_call (Decoder * decoder)
{
  guint k = decode_operand (decoder, 0)[0] == '(';
  Decoder saved = *decoder;
  const gchar *name = decode_operand (decoder, k);
  Call call = { g_hash_table_lookup (decoder->module->functions, name) };
  guint after = 0;

  if (!call.function || !call.function->body)
    decode_fail (decoder, "a function that is not there");
  call.results = read_list (decoder, k ? decode_operand (decoder, 0) : "()");
  call.params = read_list (decoder, decoder->operands->len > k + 1 ?
      decode_operand (decoder, k + 1) : "()");
  if (call.params->len != call.function->params->len ||
      call.results->len != call.function->results->len)
    decode_fail (decoder, "other arguments than are declared");
  if (decoder->guard_kind != GUARD_NONE) {
    decoder->guard_kind = GUARD_NONE;
    after = decoder->code->len;
    Instruction *around = decode_emit (decoder, "bra");
    around->kind = 1;
    around->o[0] = saved.guard * 2 + (saved.guard_kind == GUARD_IF);
  }
  decode_function (decoder, call.function, bind_call, &call);
  if (saved.guard_kind != GUARD_NONE)
    g_array_index (decoder->code, Instruction, after).target =
        decoder->code->len;
  g_array_unref (call.params);
  g_array_unref (call.results);
  decoder->text = saved.text;
  decoder->name = saved.name;
  decoder->parts = saved.parts;
  decoder->operands = saved.operands;
}

static void
bind_params (Decoder * decoder, gpointer data)
{
  const Function *function = data;

  for (guint k = 0; k < function->params->len; k++) {
    const Formal *formal = &g_array_index (function->params, Formal, k);
    const Symbol symbol = { SYMBOL_PARAM, 0, formal->offset, 0,
      formal->size
    };

    decode_bind (decoder, formal->name, symbol);
  }
}

static void
copy_params (Kernel * kernel, const Function * function)
{
  kernel->params = g_array_new (FALSE, FALSE, sizeof (Param));
  for (guint k = 0; k < function->params->len; k++) {
    const Formal *formal = &g_array_index (function->params, Formal, k);
    const Param param = { formal->offset, formal->size };

    g_array_append_val (kernel->params, param);
    kernel->params_size = param.offset + param.size;
  }
}

/* Decodes with dynamic shared memory at @dynamic_offset. */
static Decoder
decode_at (Module * module, const Function * function, gsize dynamic_offset)
{
  Decoder decoder = { module, function };

  decoder.code = g_array_new (FALSE, FALSE, sizeof (Instruction));
  decoder.constants = g_array_new (FALSE, FALSE, 1);
  decoder.constant_index = g_hash_table_new_full (g_str_hash, g_str_equal,
      g_free, NULL);
  decoder.shared_offsets = g_hash_table_new_full (g_str_hash, g_str_equal,
      g_free, NULL);
  decoder.texts = g_string_chunk_new (1 << 16);
  decoder.dynamic_offset = dynamic_offset;
  decoder.dynamic_align = 1;
  /* the one that is always true, and operands that are not there */
  decoder.n_predicates = 1;
  decode_new_register (&decoder, 32);
  decode_new_register (&decoder, 64);
  decode_function (&decoder, function, bind_params, (gpointer) function);
  decoder.text = "exit";
  decoder.guard_kind = GUARD_NONE;
  decode_emit (&decoder, "exit");
  g_hash_table_unref (decoder.constant_index);
  g_hash_table_unref (decoder.shared_offsets);
  return decoder;
}

/* behind those of 32 bits, which take @size bytes */
static void
place_wide_registers (Kernel * kernel, gsize size)
{
  for (guint i = 0; i < kernel->n_code; i++)
    for (guint k = 0; k < G_N_ELEMENTS (kernel->code->o); k++)
      if (kernel->code[i].o[k] >= WIDE_REGISTERS)
        kernel->code[i].o[k] += (gint32) size - WIDE_REGISTERS;
}

Kernel *
decode_kernel (Module * module, const Function * function)
{
  Decoder decoder = decode_at (module, function, 0);
  Kernel *kernel = g_new0 (Kernel, 1);

  if (decoder.has_dynamic && decoder.shared > 0) {
    const gsize at = (decoder.shared + decoder.dynamic_align - 1) /
        decoder.dynamic_align * decoder.dynamic_align;

    g_array_unref (decoder.code);
    g_array_unref (decoder.constants);
    g_string_chunk_free (decoder.texts);
    decoder = decode_at (module, function, at);
  }
  kernel->name = g_strdup (function->name);
  kernel->n_code = decoder.code->len;
  kernel->code = (Instruction *) g_array_free (decoder.code, FALSE);
  kernel->constants = (guint8 *) g_array_free (decoder.constants, FALSE);
  place_wide_registers (kernel, decoder.max_registers[0]);
  kernel->registers_size = decoder.max_registers[0] + decoder.max_registers[1];
  kernel->n_predicates = decoder.n_predicates;
  kernel->shared_size = decoder.shared;
  kernel->local_size = decoder.max_local;
  kernel->has_dynamic = decoder.has_dynamic;
  kernel->dynamic_align = decoder.dynamic_align;
  kernel->max_threads = function->max_threads;
  copy_params (kernel, function);
  return kernel;
}
