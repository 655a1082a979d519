/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Instructions that need more than a row of a table */

#include "decoder.h"

#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "special.h"

static const struct
{
  const gchar *name;
  guint code;
} specials[] = {
  {"%tid", SPECIAL_TID}, {"%ntid", SPECIAL_NTID}, {"%ctaid", SPECIAL_CTAID},
  {"%nctaid", SPECIAL_NCTAID}, {"%laneid", SPECIAL_LANEID},
  {"%warpid", SPECIAL_WARPID}, {"%nwarpid", SPECIAL_NWARPID},
  {"%smid", SPECIAL_SMID}, {"%nsmid", SPECIAL_NSMID},
  {"%lanemask_eq", SPECIAL_LANEMASK_EQ},
  {"%lanemask_le", SPECIAL_LANEMASK_LE},
  {"%lanemask_lt", SPECIAL_LANEMASK_LT},
  {"%lanemask_ge", SPECIAL_LANEMASK_GE},
  {"%lanemask_gt", SPECIAL_LANEMASK_GT},
  {"%dynamic_smem_size", SPECIAL_DYNAMIC_SHARED},
  {"%total_smem_size", SPECIAL_TOTAL_SHARED}, {"%clock", SPECIAL_CLOCK},
  {"%clock64", SPECIAL_CLOCK}, {"%globaltimer", SPECIAL_CLOCK},
};

static gint
find_special (const gchar * name)
{
  const gchar *dot = strchr (name, '.');
  g_autofree gchar *base = dot ? g_strndup (name, dot - name) : g_strdup (name);
  gint found = -1;

  for (guint k = 0; k < G_N_ELEMENTS (specials); k++)
    if (!strcmp (base, specials[k].name))
      found = specials[k].code + (dot ? dot[1] - 'x' : 0);
  return found;
}

static void
emit_copy (Decoder * decoder, gint32 to, gint32 from, guint bits)
{
  Instruction *i = decode_emit (decoder, bits > 32 ? "copy.64" : "copy.32");

  i->o[0] = to;
  i->o[1] = from;
}

/* mov.b64 d, {a, b} and its like, or the other way */
static void
decode_halves (Decoder * decoder, guint bits, gboolean packs)
{
  const gchar *whole = decode_operand (decoder, !packs);
  gchar **halves = decode_elements (decode_operand (decoder, packs));

  if (g_strv_length (halves) != 2)
    decode_fail (decoder, "not of two elements");
  if (bits == 128) {
    for (guint k = 0; k < 2; k++) {
      const gint32 part = decode_find (decoder, whole).value + 8 * LANES * k;
      const gint32 half = decode_value (decoder, halves[k], 'x');

      emit_copy (decoder, packs ? part : half, packs ? half : part, 64);
    }
  } else {
    const gchar letter = bits == 64 ? 'w' : 'h';
    const gint32 a = decode_value (decoder, halves[0], letter);
    const gint32 b = decode_value (decoder, halves[1], letter);
    const gint32 w = decode_value (decoder, whole, bits == 64 ? 'x' : 'w');
    g_autofree gchar *op = g_strdup_printf (packs ? "pack.%u" : "unpack.%u",
        bits);
    Instruction *i = decode_emit (decoder, op);

    memcpy (i->o, packs ? (gint32[]) {w, a, b} : (gint32[]) {a, b, w},
        3 * sizeof (w));
  }
  g_strfreev (halves);
}

static gboolean
decode_mov (Decoder * decoder)
{
  const gchar *type = decoder->parts[1];
  const guint bits = atoi (type + 1);
  const gchar *to = decode_operand (decoder, 0);
  const gchar *from = decode_operand (decoder, 1);
  const gint special = find_special (from);
  gboolean is_wide;

  if (from[0] == '{')
    decode_halves (decoder, bits, TRUE);
  else if (to[0] == '{')
    decode_halves (decoder, bits, FALSE);
  else if (special >= 0) {
    const gint32 d = decode_any (decoder, to, bits, &is_wide);
    Instruction *i = decode_emit (decoder, "special");

    i->o[0] = d;
    i->wide = is_wide;
    i->target = special;
  } else {
    const gchar letter = !strcmp (type, "f32") ? 'f' : !strcmp (type,
        "f64") ? 'd' : bits == 64 ? 'x' : bits == 32 ? 'w' : 'h';
    const gint32 d = decode_value (decoder, to, letter);

    emit_copy (decoder, d, decode_value (decoder, from, letter), bits);
  }
  return TRUE;
}

static gint
find_type (const gchar * name)
{
  static const gchar *const types[] = {
    "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "f32",
    "f64", NULL,
  };
  gint k;

  for (k = 0; types[k]; k++)
    if (!strcmp (types[k], name))
      return k;
  return -1;
}

/* The number of a conversion, of what its name says */
static guint
read_conversion (Decoder * decoder)
{
  static const gchar directions[] = "nmpz";
  const guint last = g_strv_length (decoder->parts) - 1;
  guint direction = ROUND_NEAREST, k;
  gboolean saturates = FALSE, to_integer = FALSE;

  for (k = 1; k + 1 < last; k++) {
    const gchar *part = decoder->parts[k];
    const gchar *found = part[0] == 'r' && part[1] ?
        strchr (directions, part[1]) : NULL;

    if (!strcmp (part, "sat"))
      saturates = TRUE;
    else if (found) {
      direction = found - directions;
      to_integer = part[2] == 'i';
    } else
      decode_fail (decoder, "an unknown form");
  }
  gint to = find_type (decoder->parts[last - 1]);
  gint from = find_type (decoder->parts[last]);
  if (to < 0 || from < 0)
    decode_fail (decoder, "an unknown type");
  return CONVERSION (to, from, direction, saturates, to_integer);
}

static gboolean
decode_cvt (Decoder * decoder)
{
  const gchar *to = decode_operand (decoder, 0);
  const gchar *from = decode_operand (decoder, 1);
  const guint code = read_conversion (decoder);
  const guint last = g_strv_length (decoder->parts) - 1;
  gboolean to_wide, from_wide;
  Instruction *i;
  const Op *op = op_find (decoder->name);

  gint32 d = decode_any (decoder, to, atoi (decoder->parts[last - 1] + 1),
      &to_wide);
  gint32 a = decode_any (decoder, from, atoi (decoder->parts[last] + 1),
      &from_wide);
  /* one of the frequent ones, if registers have the types' widths */
  if (op && (strchr ("xd", op->operands[0]) != NULL) == to_wide &&
      (strchr ("xd", op->operands[1]) != NULL) == from_wide)
    i = decode_emit (decoder, decoder->name);
  else
    i = decode_emit (decoder, "cvt");
  i->o[0] = d;
  i->o[1] = a;
  i->wide = to_wide | from_wide << 1;
  i->target = code;
  return TRUE;
}

/* "d|p": what is in front of the bar, and behind it or NULL */
static gchar **
split_result (const gchar * text)
{
  gchar **both = g_strsplit (text, "|", 2);

  for (guint k = 0; both[k]; k++)
    g_strstrip (both[k]);
  return both;
}

static gboolean
decode_setp (Decoder * decoder)
{
  gint32 p, q, a, b;
  const Op *op = op_find (decoder->name);

  if (!op)
    return FALSE;
  gchar **both = split_result (decode_operand (decoder, 0));
  p = decode_predicate (decoder, both[0]);
  q = both[1] ? decode_predicate (decoder, both[1]) : -1;
  a = decode_value (decoder, decode_operand (decoder, 1), op->operands[1]);
  b = decode_value (decoder, decode_operand (decoder, 2), op->operands[2]);
  g_strfreev (both);
  Instruction *i = decode_emit (decoder, decoder->name);
  i->o[0] = p;
  i->o[1] = a;
  i->o[2] = b;
  i->o[5] = q;
  return TRUE;
}

static gboolean
decode_shfl (Decoder * decoder)
{
  static const gchar *const kinds[] = { "up", "down", "bfly", "idx", NULL };
  gchar **both = split_result (decode_operand (decoder, 0));
  gint32 o[6] = { 0 };

  for (guint k = 1; k < 5; k++)
    o[k] = decode_value (decoder, decode_operand (decoder, k), 'w');
  o[0] = decode_value (decoder, both[0], 'w');
  o[5] = both[1] ? decode_predicate (decoder, both[1]) : -1;
  g_strfreev (both);
  Instruction *i = decode_emit_control (decoder, "shfl");
  memcpy (i->o, o, sizeof (o));
  for (guint k = 0; kinds[k]; k++)
    if (!strcmp (decoder->parts[2], kinds[k]))
      i->kind = k;
  return TRUE;
}

/* Both orders of the parts are in use. */
static gboolean
decode_vote (Decoder * decoder)
{
  const gboolean sync_first = !strcmp (decoder->parts[1], "sync");
  const gchar *how = decoder->parts[sync_first ? 2 : 1];
  const gboolean is_ballot = !strcmp (how, "ballot");
  const gchar *to = decode_operand (decoder, 0);
  const gint32 d = is_ballot ? decode_value (decoder, to, 'w') :
      decode_predicate (decoder, to);
  const gint32 a = decode_predicate (decoder, decode_operand (decoder, 1));
  const gint32 members = decode_value (decoder, decode_operand (decoder, 2),
      'w');
  g_autofree gchar *op = g_strdup_printf ("vote.%s", how);
  Instruction *i = decode_emit_control (decoder, op);

  i->o[0] = d;
  i->o[1] = a;
  i->o[2] = members;
  return TRUE;
}

static void
decode_barrier_sync (Decoder * decoder, const gchar * op)
{
  const gint32 a = decode_value (decoder, decode_operand (decoder, 0), 'w');
  const gint32 n = decoder->operands->len > 1 ? decode_value (decoder,
      decode_operand (decoder, 1), 'w') : decode_constant (decoder, 0, 32);
  Instruction *i = decode_emit_control (decoder, op);

  i->o[0] = a;
  i->o[1] = n;
}

/* bar.red.OP.TYPE d, a[, n], p */
static void
decode_barrier_reduction (Decoder * decoder, const gchar * how)
{
  const guint n = decoder->operands->len;
  const gboolean counts = !strcmp (how, "popc");
  gint32 o[4];

  o[0] = counts ? decode_value (decoder, decode_operand (decoder, 0), 'w') :
      decode_predicate (decoder, decode_operand (decoder, 0));
  o[1] = decode_value (decoder, decode_operand (decoder, 1), 'w');
  o[2] = n > 3 ? decode_value (decoder, decode_operand (decoder, 2), 'w') :
      decode_constant (decoder, 0, 32);
  o[3] = decode_predicate (decoder, decode_operand (decoder, n - 1));
  Instruction *i = decode_emit_control (decoder, "bar.red.or.pred");
  memcpy (i->o, o, sizeof (o));
  i->kind = counts ? REDUCE_POPC : !strcmp (how, "and") ? REDUCE_AND :
      REDUCE_OR;
}

static gboolean
decode_barrier (Decoder * decoder)
{
  gchar **parts = decoder->parts;
  guint k = 1;

  if (!strcmp (parts[1], "warp")) {
    const gint32 members = decode_value (decoder, decode_operand (decoder,
            0), 'w');

    decode_emit_control (decoder, "bar.warp.sync")->o[0] = members;
    return TRUE;
  }
  if (!strcmp (parts[1], "cta"))
    k++;
  if (!strcmp (parts[k], "sync"))
    decode_barrier_sync (decoder, "bar.sync");
  else if (!strcmp (parts[k], "arrive"))
    decode_barrier_sync (decoder, "bar.arrive");
  else if (!strcmp (parts[k], "red"))
    decode_barrier_reduction (decoder, !strcmp (parts[k + 1], "aligned") ?
        parts[k + 2] : parts[k + 1]);
  else
    return FALSE;
  return TRUE;
}

static gboolean
decode_branch (Decoder * decoder)
{
  const guint guard_kind = decoder->guard_kind;

  /* the guard is the branch's own */
  decoder->guard_kind = GUARD_NONE;
  Instruction *i = decode_emit (decoder, "bra");
  i->kind = guard_kind != GUARD_NONE;
  i->o[0] = decoder->guard * 2 + (guard_kind == GUARD_UNLESS);
  decode_fixup (decoder, decode_operand (decoder, 0));
  return TRUE;
}

static gboolean
decode_return (Decoder * decoder)
{
  if (decoder->instance->caller && !strcmp (decoder->parts[0], "ret")) {
    g_ptr_array_set_size (decoder->operands, 0);
    g_ptr_array_add (decoder->operands, NULL);
    return decode_branch (decoder);
  }
  decode_emit_control (decoder, "exit");
  return TRUE;
}

static gboolean
decode_list_branch (Decoder * decoder)
{
  const gint32 index = decode_value (decoder, decode_operand (decoder, 0), 'w');
  gchar **labels = g_hash_table_lookup (decoder->instance->lists,
      decode_operand (decoder, 1));
  const guint n = labels ? g_strv_length (labels) : 0;

  if (n == 0 || n > 255)
    decode_fail (decoder, "an unknown list of targets");
  Instruction *i = decode_emit (decoder, "brx");
  i->o[0] = index;
  i->n = n;
  /* the list follows as branches, which the index selects */
  i->target = decoder->code->len;
  decoder->guard_kind = GUARD_NONE;
  for (guint k = 0; k < n; k++) {
    decode_emit (decoder, "bra");
    decode_fixup (decoder, labels[k]);
  }
  return TRUE;
}

static gboolean
decode_nothing (Decoder * decoder)
{
  return TRUE;
}

static gboolean
decode_call_statement (Decoder * decoder)
{
  decode_call (decoder);
  return TRUE;
}

gboolean
decode_special_statement (Decoder * decoder)
{
  static const struct
  {
    const gchar *first;
    gboolean (*decode) (Decoder * decoder);
  } statements[] = {
    {"mov", decode_mov}, {"cvt", decode_cvt}, {"setp", decode_setp},
    {"shfl", decode_shfl}, {"vote", decode_vote}, {"bar", decode_barrier},
    {"barrier", decode_barrier}, {"bra", decode_branch},
    {"brx", decode_list_branch}, {"call", decode_call_statement},
    {"ret", decode_return}, {"exit", decode_return},
    {"membar", decode_nothing}, {"fence", decode_nothing},
    {"prefetch", decode_nothing}, {"prefetchu", decode_nothing},
    {"griddepcontrol", decode_nothing}, {"discard", decode_nothing},
    {"applypriority", decode_nothing},
  };

  if (!strcmp (decoder->name, "mov.pred"))
    return FALSE;
  for (guint k = 0; k < G_N_ELEMENTS (statements); k++)
    if (!strcmp (decoder->parts[0], statements[k].first))
      return statements[k].decode (decoder);
  return FALSE;
}
