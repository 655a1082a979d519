/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Integers of 16 and 32 bits */

#include "ops.h"

static inline guint32
reverse (guint32 x)
{
  x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
  x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
  return GUINT32_SWAP_LE_BE (x);
}

/* The byte or, replicated, the sign that a nibble of a selector asks for */
static inline guint32
permuted_byte (guint32 x, guint32 y, guint32 nibble)
{
  const guint64 both = (guint64) y << 32 | x;
  const guint32 byte = both >> 8 * (nibble & 7) & 0xff;

  return nibble & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

static inline guint32
permute (guint32 x, guint32 y, guint32 selector)
{
  return permuted_byte (x, y, selector) |
      permuted_byte (x, y, selector >> 4) << 8 |
      permuted_byte (x, y, selector >> 8) << 16 |
      permuted_byte (x, y, selector >> 12) << 24;
}

/* Ones from bit @from on, @n of them */
static inline guint32
bit_mask (guint32 from, guint32 n)
{
  const guint32 ones = n >= 32 ? ALL_LANES : (1u << (n & 31)) - 1;

  return from >= 32 ? 0 : ones << (from & 31);
}

static inline guint32
insert_bits (guint32 what, guint32 to, guint32 from, guint32 n)
{
  const guint32 mask = bit_mask (from & 0xff, n & 0xff);

  return (to & ~mask) | ((from & 0xff) >= 32 ? 0 : what << (from & 31) & mask);
}

static inline guint32
extract_u32 (guint32 x, guint32 from, guint32 n)
{
  from &= 0xff;
  return from >= 32 ? 0 : x >> (from & 31) & bit_mask (0, n & 0xff);
}

static inline guint32
extract_s32 (guint32 x, guint32 from, guint32 n)
{
  guint32 bits = extract_u32 (x, from, n), top;

  from &= 0xff;
  n &= 0xff;
  if (n == 0)
    return 0;
  top = MIN (from + n - 1, 31);
  if (x >> top & 1)
    bits |= from >= 32 ? ALL_LANES : ~bit_mask (0, MIN (n, 32 - from));
  return bits;
}

static inline guint32
highest (guint32 x)
{
  return x ? 31u - __builtin_clz (x) : ALL_LANES;
}

static inline guint32
logic_3 (guint32 x, guint32 y, guint32 z, guint32 table)
{
  guint32 result = 0;

  for (guint k = 0; k < 8; k++)
    if (table >> k & 1)
      result |= (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z);
  return result;
}

#define LIST_1(X) \
    X (not_32, "not.b32", u32, u32, ~x) \
    X (not_16, "not.b16", u16, u16, ~x) \
    X (cnot_32, "cnot.b32", u32, u32, x == 0) \
    X (neg_32, "neg.s32", u32, u32, -x) \
    X (neg_16, "neg.s16", s16, s16, -x) \
    X (abs_32, "abs.s32", u32, s32, x < 0 ? -(guint32) x : (guint32) x) \
    X (abs_16, "abs.s16", s16, s16, x < 0 ? -x : x) \
    X (popc_32, "popc.b32", u32, u32, __builtin_popcount (x)) \
    X (clz_32, "clz.b32", u32, u32, x ? __builtin_clz (x) : 32) \
    X (brev_32, "brev.b32", u32, u32, reverse (x)) \
    X (bfind_u32, "bfind.u32", u32, u32, highest (x)) \
    X (bfind_s32, "bfind.s32", u32, s32, highest (x < 0 ? ~x : x)) \
    X (bfind_shift_u32, "bfind.shiftamt.u32", u32, u32, \
        x ? 31 - highest (x) : ALL_LANES) \
    X (bfind_shift_s32, "bfind.shiftamt.s32", u32, s32, \
        (x < 0 ? ~x : x) ? 31 - highest (x < 0 ? ~x : x) : ALL_LANES) \
    X (copy_32, "copy.32", u32, u32, x)

#define LIST_2(X) \
    X (add_s32, "add.s32", u32, u32, u32, x + y) \
    X (add_u32, "add.u32", u32, u32, u32, x + y) \
    X (add_s16, "add.s16", u16, u16, u16, x + y) \
    X (add_u16, "add.u16", u16, u16, u16, x + y) \
    X (sub_s32, "sub.s32", u32, u32, u32, x - y) \
    X (sub_u32, "sub.u32", u32, u32, u32, x - y) \
    X (sub_s16, "sub.s16", u16, u16, u16, x - y) \
    X (sub_u16, "sub.u16", u16, u16, u16, x - y) \
    X (mul_lo_s32, "mul.lo.s32", u32, u32, u32, x * y) \
    X (mul_lo_u32, "mul.lo.u32", u32, u32, u32, x * y) \
    X (mul_lo_s16, "mul.lo.s16", u16, u16, u16, (guint32) x * y) \
    X (mul_lo_u16, "mul.lo.u16", u16, u16, u16, (guint32) x * y) \
    X (mul_hi_s32, "mul.hi.s32", u32, s32, s32, (gint64) x * y >> 32) \
    X (mul_hi_u32, "mul.hi.u32", u32, u32, u32, (guint64) x * y >> 32) \
    X (mul_wide_u16, "mul.wide.u16", u32, u16, u16, (guint32) x * y) \
    X (mul_wide_s16, "mul.wide.s16", u32, s16, s16, (gint32) x * y) \
    X (mul24_lo_s32, "mul24.lo.s32", u32, s32, s32, \
        (x << 8 >> 8) * (y << 8 >> 8)) \
    X (div_s32, "div.s32", s32, s32, s32, y == 0 ? ALL_LANES : \
        y == -1 ? -(guint32) x : (guint32) (x / y)) \
    X (div_u32, "div.u32", u32, u32, u32, y == 0 ? ALL_LANES : x / y) \
    X (div_s16, "div.s16", s16, s16, s16, y == 0 ? -1 : x / y) \
    X (div_u16, "div.u16", u16, u16, u16, y == 0 ? 0xffff : x / y) \
    X (rem_s32, "rem.s32", s32, s32, s32, y == 0 ? x : y == -1 ? 0 : x % y) \
    X (rem_u32, "rem.u32", u32, u32, u32, y == 0 ? x : x % y) \
    X (rem_s16, "rem.s16", s16, s16, s16, y == 0 ? x : x % y) \
    X (rem_u16, "rem.u16", u16, u16, u16, y == 0 ? x : x % y) \
    X (min_s32, "min.s32", s32, s32, s32, x < y ? x : y) \
    X (min_u32, "min.u32", u32, u32, u32, x < y ? x : y) \
    X (max_s32, "max.s32", s32, s32, s32, x > y ? x : y) \
    X (max_u32, "max.u32", u32, u32, u32, x > y ? x : y) \
    X (min_s16, "min.s16", s16, s16, s16, x < y ? x : y) \
    X (min_u16, "min.u16", u16, u16, u16, x < y ? x : y) \
    X (max_s16, "max.s16", s16, s16, s16, x > y ? x : y) \
    X (max_u16, "max.u16", u16, u16, u16, x > y ? x : y) \
    X (and_32, "and.b32", u32, u32, u32, x & y) \
    X (or_32, "or.b32", u32, u32, u32, x | y) \
    X (xor_32, "xor.b32", u32, u32, u32, x ^ y) \
    X (and_16, "and.b16", u16, u16, u16, x & y) \
    X (or_16, "or.b16", u16, u16, u16, x | y) \
    X (xor_16, "xor.b16", u16, u16, u16, x ^ y) \
    X (shl_32, "shl.b32", u32, u32, u32, y > 31 ? 0 : x << (y & 31)) \
    X (shr_b32, "shr.b32", u32, u32, u32, y > 31 ? 0 : x >> (y & 31)) \
    X (shr_u32, "shr.u32", u32, u32, u32, y > 31 ? 0 : x >> (y & 31)) \
    X (shr_s32, "shr.s32", s32, s32, u32, x >> (y > 31 ? 31 : y)) \
    X (shl_16, "shl.b16", u16, u16, u32, y > 15 ? 0 : x << (y & 15)) \
    X (shr_b16, "shr.b16", u16, u16, u32, y > 15 ? 0 : x >> (y & 15)) \
    X (shr_u16, "shr.u16", u16, u16, u32, y > 15 ? 0 : x >> (y & 15)) \
    X (shr_s16, "shr.s16", s16, s16, u32, x >> (y > 15 ? 15 : y)) \
    X (bmsk_clamp, "bmsk.clamp.b32", u32, u32, u32, bit_mask (x, y)) \
    X (bmsk_wrap, "bmsk.wrap.b32", u32, u32, u32, \
        bit_mask (x & 31, y & 31)) \
    X (pack_32, "pack.32", u32, u16, u16, x | (guint32) y << 16)

#define LIST_3(X) \
    X (mad_lo_s32, "mad.lo.s32", u32, u32, u32, u32, x * y + z) \
    X (mad_lo_u32, "mad.lo.u32", u32, u32, u32, u32, x * y + z) \
    X (mad_lo_s16, "mad.lo.s16", u16, u16, u16, u16, (guint32) x * y + z) \
    X (mad_lo_u16, "mad.lo.u16", u16, u16, u16, u16, (guint32) x * y + z) \
    X (mad_hi_s32, "mad.hi.s32", u32, s32, s32, s32, \
        (guint32) ((gint64) x * y >> 32) + (guint32) z) \
    X (mad_hi_u32, "mad.hi.u32", u32, u32, u32, u32, \
        ((guint64) x * y >> 32) + z) \
    X (mad_wide_u16, "mad.wide.u16", u32, u16, u16, u32, \
        (guint32) x * y + z) \
    X (mad_wide_s16, "mad.wide.s16", u32, s16, s16, u32, \
        (guint32) ((gint32) x * y) + z) \
    X (sad_s32, "sad.s32", u32, s32, s32, u32, \
        z + (x < y ? (guint32) y - x : (guint32) x - y)) \
    X (sad_u32, "sad.u32", u32, u32, u32, u32, z + (x < y ? y - x : x - y)) \
    X (bfe_u32, "bfe.u32", u32, u32, u32, u32, extract_u32 (x, y, z)) \
    X (bfe_s32, "bfe.s32", u32, u32, u32, u32, extract_s32 (x, y, z)) \
    X (prmt_32, "prmt.b32", u32, u32, u32, u32, permute (x, y, z)) \
    X (shf_l_wrap, "shf.l.wrap.b32", u32, u32, u32, u32, \
        ((guint64) y << 32 | x) << (z & 31) >> 32) \
    X (shf_r_wrap, "shf.r.wrap.b32", u32, u32, u32, u32, \
        ((guint64) y << 32 | x) >> (z & 31)) \
    X (shf_l_clamp, "shf.l.clamp.b32", u32, u32, u32, u32, \
        z > 31 ? x : ((guint64) y << 32 | x) << (z & 31) >> 32) \
    X (shf_r_clamp, "shf.r.clamp.b32", u32, u32, u32, u32, \
        z > 31 ? y : ((guint64) y << 32 | x) >> (z & 31))

LIST_1 (DEFINE_1)
LIST_2 (DEFINE_2)
LIST_3 (DEFINE_3)

static void
bfi_32 (Warp * warp, Instruction * i)
{
  guint32 *d = U32 (0);
  const guint32 *a = U32 (1), *b = U32 (2), *c = U32 (3), *e = U32 (4);

  EACH_LANE (d[l] = insert_bits (a[l], b[l], c[l], e[l]));
}

static void
lop3_32 (Warp * warp, Instruction * i)
{
  guint32 *d = U32 (0);
  const guint32 *a = U32 (1), *b = U32 (2), *c = U32 (3), *e = U32 (4);

  EACH_LANE (d[l] = logic_3 (a[l], b[l], c[l], e[l]));
}

/* The halves of a word */
static void
unpack_32 (Warp * warp, Instruction * i)
{
  guint32 *d = U32 (0), *e = U32 (1);
  const guint32 *a = U32 (2);

  EACH_LANE (const guint32 x = a[l]; d[l] = x & 0xffff; e[l] = x >> 16);
}

const Op VARIANT (ops_int)[] = {
  LIST_1 (ROW_1)
  LIST_2 (ROW_2)
  LIST_3 (ROW_3)
  {"bfi.b32", "wwwww", bfi_32},
  {"lop3.b32", "wwwww", lop3_32},
  {"unpack.32", "hhw", unpack_32},
  {NULL, NULL, NULL},
};
