/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The decoder: statements of PTX to instructions. Functions are decoded where
 * they are called, so that there are no calls, and their parameters are
 * local memory of the caller's.
 */

#include "machine.h"
#include "module.h"
#include "ops.h"

/* Registers of 64 bits are apart from those of 32, for lanes that are elsewhere
 * in the code may use the same memory, with other names, and only for
 * themselves. Until all are known they begin here. */
#define WIDE_REGISTERS (1 << 29)

typedef enum
{
  SYMBOL_NONE,
  SYMBOL_REGISTER,
  SYMBOL_PREDICATE,
  SYMBOL_PARAM,                 /* of the kernel */
  SYMBOL_LOCAL,
  SYMBOL_SHARED,
  SYMBOL_GLOBAL,
} SymbolKind;

typedef struct
{
  SymbolKind kind;
  guint bits;                   /* of a register */
  gint64 value;                 /* its offset, or the address */
  guint count;                  /* of numbered registers; 0: not numbered */
  gsize size;
} Symbol;

/* A function where it is called */
typedef struct _Instance
{
  const Function *function;
  struct _Instance *caller;
  GPtrArray *scopes;            /* of tables of names */
  GHashTable *labels, *lists;
  GArray *fixups;               /* of Fixup */
} Instance;

typedef struct
{
  guint at;
  gchar *label;                 /* NULL: the end of the function */
} Fixup;

typedef struct
{
  Module *module;
  const Function *function;
  GArray *code, *constants;
  GHashTable *constant_index;
  GHashTable *shared_offsets;
  GStringChunk *texts;
  gsize registers[2], max_registers[2]; /* of 32 bits, of more */
  gsize local, max_local, shared;
  gsize dynamic_offset, dynamic_align;
  gboolean has_dynamic;
  guint n_predicates;
  Instance *instance;
  guint depth;

  /* the statement that is decoded */
  const gchar *text;
  gchar *name;
  gchar **parts;                /* of the name */
  GPtrArray *operands;          /* strings */
  guint guard_kind;
  gint guard;
} Decoder;

G_NORETURN void decode_fail (const Decoder * decoder, const gchar * why);
const gchar *decode_operand (const Decoder * decoder, guint k);
gboolean decode_has_part (const Decoder * decoder, const gchar * part);

/* Appends an instruction; the guard is the statement's. */
Instruction *decode_emit (Decoder * decoder, const gchar * op);
/* One that may branch or wait: a guard becomes a branch around it. Call
 * decode_close() behind it. */
Instruction *decode_emit_control (Decoder * decoder, const gchar * op);
void decode_fixup (Decoder * decoder, const gchar * label);

/* symbols.c */
void decode_push_scope (Decoder * decoder);
void decode_pop_scope (Decoder * decoder);
/* A declaration: of registers or memory */
void decode_declare (Decoder * decoder, const gchar * text);
Symbol decode_find (Decoder * decoder, const gchar * name);
void decode_bind (Decoder * decoder, const gchar * name, Symbol symbol);
gint32 decode_new_register (Decoder * decoder, guint bits);
guint decode_new_predicate (Decoder * decoder);

/* operands.c: where an operand is, of a register or a constant */
gint32 decode_constant (Decoder * decoder, guint64 value, guint bits);
gint32 decode_value (Decoder * decoder, const gchar * text, gchar letter);
/* A register of whatever width, or a constant of @bits */
gint32 decode_any (Decoder * decoder, const gchar * text, guint bits,
    gboolean * is_wide);
gint32 decode_predicate (Decoder * decoder, const gchar * text);
gboolean decode_number (const gchar * text, gboolean is_double,
    guint64 * value);
/* The elements in braces, or the one there is; free with g_strfreev(). */
gchar **decode_elements (const gchar * text);

/* statements.c: instructions that need more than a row of a table. Returns:
 * whether it is one */
gboolean decode_special_statement (Decoder * decoder);
/* access_decode.c */
gboolean decode_access (Decoder * decoder);
/* decode.c */
void decode_call (Decoder * decoder);
