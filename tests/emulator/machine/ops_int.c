/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Integers. What has 32 bits is computed with 64 where that gives the same low
 * bits. */

#include "ops.h"

static inline guint64
reverse (guint64 x)
{
  x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
  x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
  return GUINT64_SWAP_LE_BE (x);
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
static inline guint64
bit_mask (guint32 from, guint32 n)
{
  const guint64 ones = n >= 64 ? G_MAXUINT64 :
      (G_GUINT64_CONSTANT (1) << (n & 63)) - 1;

  return from >= 64 ? 0 : ones << (from & 63);
}

static inline guint64
insert_bits (guint64 what, guint64 to, guint32 from, guint32 n)
{
  const guint64 mask = bit_mask (from & 0xff, n & 0xff);

  return (to & ~mask) | ((from & 0xff) >= 64 ? 0 : what << (from & 63) & mask);
}

static inline guint64
extract (guint64 x, guint32 from, guint32 n)
{
  from &= 0xff;
  return from >= 64 ? 0 : x >> (from & 63) & bit_mask (0, n & 0xff);
}

/* @x: of @width bits */
static inline guint64
extract_signed (guint64 x, guint32 from, guint32 n, guint width)
{
  guint64 bits = extract (x, from, n);

  from &= 0xff;
  n &= 0xff;
  if (n == 0)
    return 0;
  if (x >> MIN (from + n - 1, width - 1) & 1)
    bits |= from >= width ? G_MAXUINT64 : ~bit_mask (0, MIN (n, width - from));
  return bits;
}

static inline guint32
highest (guint64 x)
{
  return x ? 63u - __builtin_clzll (x) : ALL_LANES;
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

/* Of all widths, @n */
#define INTEGERS_1(X, n) \
    X (not_##n, "not.b" #n, u##n, u##n, ~x) \
    X (neg_##n, "neg.s" #n, u##n, u##n, -x) \
    X (abs_##n, "abs.s" #n, u##n, s##n, \
        x < 0 ? -(TYPE_u##n) x : (TYPE_u##n) x)
#define INTEGERS_2(X, n) \
    X (add_s##n, "add.s" #n, u##n, u##n, u##n, x + y) \
    X (add_u##n, "add.u" #n, u##n, u##n, u##n, x + y) \
    X (sub_s##n, "sub.s" #n, u##n, u##n, u##n, x - y) \
    X (sub_u##n, "sub.u" #n, u##n, u##n, u##n, x - y) \
    X (mul_lo_s##n, "mul.lo.s" #n, u##n, u##n, u##n, 1u * x * y) \
    X (mul_lo_u##n, "mul.lo.u" #n, u##n, u##n, u##n, 1u * x * y) \
    X (div_s##n, "div.s" #n, s##n, s##n, s##n, y == 0 ? (TYPE_u##n) -1 : \
        y == -1 ? -(TYPE_u##n) x : (TYPE_u##n) (x / y)) \
    X (div_u##n, "div.u" #n, u##n, u##n, u##n, \
        y == 0 ? (TYPE_u##n) -1 : x / y) \
    X (rem_s##n, "rem.s" #n, s##n, s##n, s##n, \
        y == 0 ? x : y == -1 ? 0 : x % y) \
    X (rem_u##n, "rem.u" #n, u##n, u##n, u##n, y == 0 ? x : x % y) \
    X (min_s##n, "min.s" #n, s##n, s##n, s##n, x < y ? x : y) \
    X (min_u##n, "min.u" #n, u##n, u##n, u##n, x < y ? x : y) \
    X (max_s##n, "max.s" #n, s##n, s##n, s##n, x > y ? x : y) \
    X (max_u##n, "max.u" #n, u##n, u##n, u##n, x > y ? x : y) \
    X (and_##n, "and.b" #n, u##n, u##n, u##n, x & y) \
    X (or_##n, "or.b" #n, u##n, u##n, u##n, x | y) \
    X (xor_##n, "xor.b" #n, u##n, u##n, u##n, x ^ y) \
    X (shl_##n, "shl.b" #n, u##n, u##n, u32, \
        y > n - 1 ? 0 : x << (y & (n - 1))) \
    X (shr_b##n, "shr.b" #n, u##n, u##n, u32, \
        y > n - 1 ? 0 : x >> (y & (n - 1))) \
    X (shr_u##n, "shr.u" #n, u##n, u##n, u32, \
        y > n - 1 ? 0 : x >> (y & (n - 1))) \
    X (shr_s##n, "shr.s" #n, s##n, s##n, u32, x >> (y > n - 1 ? n - 1 : y))
#define INTEGERS_3(X, n) \
    X (mad_lo_s##n, "mad.lo.s" #n, u##n, u##n, u##n, u##n, 1u * x * y + z) \
    X (mad_lo_u##n, "mad.lo.u" #n, u##n, u##n, u##n, u##n, 1u * x * y + z)

/* Of 32 and 64 bits */
#define WORDS_1(X, n) \
    X (popc_##n, "popc.b" #n, u32, u##n, __builtin_popcountll (x)) \
    X (clz_##n, "clz.b" #n, u32, u##n, x ? n - 1 - highest (x) : n) \
    X (brev_##n, "brev.b" #n, u##n, u##n, reverse (x) >> (64 - n)) \
    X (bfind_u##n, "bfind.u" #n, u32, u##n, highest (x)) \
    X (bfind_s##n, "bfind.s" #n, u32, s##n, highest (x < 0 ? ~x : x)) \
    X (bfind_shift_u##n, "bfind.shiftamt.u" #n, u32, u##n, \
        x ? n - 1 - highest (x) : ALL_LANES) \
    X (copy_##n, "copy." #n, u##n, u##n, x)
#define WORDS_3(X, n) \
    X (bfe_u##n, "bfe.u" #n, u##n, u##n, u32, u32, extract (x, y, z)) \
    X (bfe_s##n, "bfe.s" #n, u##n, u##n, u32, u32, \
        extract_signed (x, y, z, n))

/* From @n bits to twice as many, @m */
#define WIDENING_2(X, n, m) \
    X (mul_wide_u##n, "mul.wide.u" #n, u##m, u##n, u##n, (TYPE_u##m) x * y) \
    X (mul_wide_s##n, "mul.wide.s" #n, u##m, s##n, s##n, (TYPE_s##m) x * y) \
    X (pack_##m, "pack." #m, u##m, u##n, u##n, x | (TYPE_u##m) y << n)
#define WIDENING_3(X, n, m) \
    X (mad_wide_u##n, "mad.wide.u" #n, u##m, u##n, u##n, u##m, \
        (TYPE_u##m) x * y + z) \
    X (mad_wide_s##n, "mad.wide.s" #n, u##m, s##n, s##n, u##m, \
        (TYPE_u##m) ((TYPE_s##m) x * y) + z)

#define LIST_1(X) \
    INTEGERS_1 (X, 16) INTEGERS_1 (X, 32) INTEGERS_1 (X, 64) \
    WORDS_1 (X, 32) WORDS_1 (X, 64) \
    X (cnot_32, "cnot.b32", u32, u32, x == 0) \
    X (bfind_shift_s32, "bfind.shiftamt.s32", u32, s32, \
        (x < 0 ? ~x : x) ? 31 - highest (x < 0 ? ~x : x) : ALL_LANES)

#define LIST_2(X) \
    INTEGERS_2 (X, 16) INTEGERS_2 (X, 32) INTEGERS_2 (X, 64) \
    WIDENING_2 (X, 16, 32) WIDENING_2 (X, 32, 64) \
    X (mul_hi_s32, "mul.hi.s32", u32, s32, s32, (gint64) x * y >> 32) \
    X (mul_hi_u32, "mul.hi.u32", u32, u32, u32, (guint64) x * y >> 32) \
    X (mul_hi_s64, "mul.hi.s64", u64, s64, s64, (__int128) x * y >> 64) \
    X (mul_hi_u64, "mul.hi.u64", u64, u64, u64, \
        (unsigned __int128) x * y >> 64) \
    X (mul24_lo_s32, "mul24.lo.s32", u32, s32, s32, \
        (x << 8 >> 8) * (y << 8 >> 8)) \
    X (bmsk_clamp, "bmsk.clamp.b32", u32, u32, u32, bit_mask (x, y)) \
    X (bmsk_wrap, "bmsk.wrap.b32", u32, u32, u32, \
        bit_mask (x & 31, y & 31))

#define LIST_3(X) \
    INTEGERS_3 (X, 16) INTEGERS_3 (X, 32) INTEGERS_3 (X, 64) \
    WORDS_3 (X, 32) WORDS_3 (X, 64) \
    WIDENING_3 (X, 16, 32) WIDENING_3 (X, 32, 64) \
    X (mad_hi_s32, "mad.hi.s32", u32, s32, s32, s32, \
        (guint32) ((gint64) x * y >> 32) + (guint32) z) \
    X (mad_hi_u32, "mad.hi.u32", u32, u32, u32, u32, \
        ((guint64) x * y >> 32) + z) \
    X (sad_s32, "sad.s32", u32, s32, s32, u32, \
        z + (x < y ? (guint32) y - x : (guint32) x - y)) \
    X (sad_u32, "sad.u32", u32, u32, u32, u32, z + (x < y ? y - x : x - y)) \
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

/* d, what, to, from, number */
#define DEFINE_BFI(n) \
    static void \
    bfi_##n (Warp * warp, Instruction * i) \
    { \
      guint##n *d = U##n (0); \
      const guint##n *a = U##n (1), *b = U##n (2); \
      const guint32 *c = U32 (3), *e = U32 (4); \
 \
      EACH_LANE (d[l] = insert_bits (a[l], b[l], c[l], e[l])); \
    }
DEFINE_BFI (32)
DEFINE_BFI (64)

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

/* The halves of a double word */
static void
unpack_64 (Warp * warp, Instruction * i)
{
  guint32 *d = U32 (0), *e = U32 (1);
  const guint64 *a = U64 (2);

  EACH_LANE (const guint64 x = a[l]; d[l] = x; e[l] = x >> 32);
}

const Op VARIANT (ops_int)[] = {
  LIST_1 (ROW_1)
  LIST_2 (ROW_2)
  LIST_3 (ROW_3)
  {"bfi.b32", "wwwww", bfi_32},
  {"bfi.b64", "xxxww", bfi_64},
  {"lop3.b32", "wwwww", lop3_32},
  {"unpack.32", "hhw", unpack_32},
  {"unpack.64", "wwx", unpack_64},
  {NULL, NULL, NULL},
};
