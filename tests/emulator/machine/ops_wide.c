/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Integers of 64 bits */

#include "ops.h"

static inline guint64
bit_mask (guint32 from, guint32 n)
{
  const guint64 ones = n >= 64 ? G_MAXUINT64 :
      (G_GUINT64_CONSTANT (1) << (n & 63)) - 1;

  return from >= 64 ? 0 : ones << (from & 63);
}

static inline guint64
reverse (guint64 x)
{
  x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
  x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
  return GUINT64_SWAP_LE_BE (x);
}

static inline guint64
extract_u64 (guint64 x, guint32 from, guint32 n)
{
  from &= 0xff;
  return from >= 64 ? 0 : x >> (from & 63) & bit_mask (0, n & 0xff);
}

static inline guint64
extract_s64 (guint64 x, guint32 from, guint32 n)
{
  guint64 bits = extract_u64 (x, from, n);

  from &= 0xff;
  n &= 0xff;
  if (n == 0)
    return 0;
  guint32 top = MIN (from + n - 1, 63);
  if (x >> top & 1)
    bits |= from >= 64 ? G_MAXUINT64 : ~bit_mask (0, MIN (n, 64 - from));
  return bits;
}

static inline guint32
highest (guint64 x)
{
  return x ? 63u - __builtin_clzll (x) : ALL_LANES;
}

#define LIST_1(X) \
    X (not_64, "not.b64", u64, u64, ~x) \
    X (neg_64, "neg.s64", u64, u64, -x) \
    X (abs_64, "abs.s64", u64, s64, x < 0 ? -(guint64) x : (guint64) x) \
    X (popc_64, "popc.b64", u32, u64, __builtin_popcountll (x)) \
    X (clz_64, "clz.b64", u32, u64, x ? __builtin_clzll (x) : 64) \
    X (brev_64, "brev.b64", u64, u64, reverse (x)) \
    X (bfind_u64, "bfind.u64", u32, u64, highest (x)) \
    X (bfind_s64, "bfind.s64", u32, s64, highest (x < 0 ? ~x : x)) \
    X (bfind_shift_u64, "bfind.shiftamt.u64", u32, u64, \
        x ? 63 - highest (x) : ALL_LANES) \
    X (copy_64, "copy.64", u64, u64, x)

#define LIST_2(X) \
    X (add_s64, "add.s64", u64, u64, u64, x + y) \
    X (add_u64, "add.u64", u64, u64, u64, x + y) \
    X (sub_s64, "sub.s64", u64, u64, u64, x - y) \
    X (sub_u64, "sub.u64", u64, u64, u64, x - y) \
    X (mul_lo_s64, "mul.lo.s64", u64, u64, u64, x * y) \
    X (mul_lo_u64, "mul.lo.u64", u64, u64, u64, x * y) \
    X (mul_hi_s64, "mul.hi.s64", u64, s64, s64, (__int128) x * y >> 64) \
    X (mul_hi_u64, "mul.hi.u64", u64, u64, u64, \
        (unsigned __int128) x * y >> 64) \
    X (mul_wide_s32, "mul.wide.s32", u64, s32, s32, (gint64) x * y) \
    X (mul_wide_u32, "mul.wide.u32", u64, u32, u32, (guint64) x * y) \
    X (div_s64, "div.s64", s64, s64, s64, y == 0 ? G_MAXUINT64 : \
        y == -1 ? -(guint64) x : (guint64) (x / y)) \
    X (div_u64, "div.u64", u64, u64, u64, y == 0 ? G_MAXUINT64 : x / y) \
    X (rem_s64, "rem.s64", s64, s64, s64, y == 0 ? x : y == -1 ? 0 : x % y) \
    X (rem_u64, "rem.u64", u64, u64, u64, y == 0 ? x : x % y) \
    X (min_s64, "min.s64", s64, s64, s64, x < y ? x : y) \
    X (min_u64, "min.u64", u64, u64, u64, x < y ? x : y) \
    X (max_s64, "max.s64", s64, s64, s64, x > y ? x : y) \
    X (max_u64, "max.u64", u64, u64, u64, x > y ? x : y) \
    X (and_64, "and.b64", u64, u64, u64, x & y) \
    X (or_64, "or.b64", u64, u64, u64, x | y) \
    X (xor_64, "xor.b64", u64, u64, u64, x ^ y) \
    X (shl_64, "shl.b64", u64, u64, u32, y > 63 ? 0 : x << (y & 63)) \
    X (shr_b64, "shr.b64", u64, u64, u32, y > 63 ? 0 : x >> (y & 63)) \
    X (shr_u64, "shr.u64", u64, u64, u32, y > 63 ? 0 : x >> (y & 63)) \
    X (shr_s64, "shr.s64", s64, s64, u32, x >> (y > 63 ? 63 : y)) \
    X (pack_64, "pack.64", u64, u32, u32, x | (guint64) y << 32)

#define LIST_3(X) \
    X (mad_lo_s64, "mad.lo.s64", u64, u64, u64, u64, x * y + z) \
    X (mad_lo_u64, "mad.lo.u64", u64, u64, u64, u64, x * y + z) \
    X (mad_wide_s32, "mad.wide.s32", u64, s32, s32, u64, \
        (guint64) ((gint64) x * y) + z) \
    X (mad_wide_u32, "mad.wide.u32", u64, u32, u32, u64, \
        (guint64) x * y + z) \
    X (bfe_u64, "bfe.u64", u64, u64, u32, u32, extract_u64 (x, y, z)) \
    X (bfe_s64, "bfe.s64", u64, u64, u32, u32, extract_s64 (x, y, z))

LIST_1 (DEFINE_1)
LIST_2 (DEFINE_2)
LIST_3 (DEFINE_3)

static void
bfi_64 (Warp * warp, Instruction * i)
{
  guint64 *d = U64 (0);
  const guint64 *a = U64 (1), *b = U64 (2);
  const guint32 *c = U32 (3), *e = U32 (4);

  EACH_LANE (const guint32 from = c[l] & 0xff;
      const guint64 m = bit_mask (from, e[l] & 0xff);
      d[l] = (b[l] & ~m) | (from >= 64 ? 0 : a[l] << (from & 63) & m));
}

/* The halves of a double word */
static void
unpack_64 (Warp * warp, Instruction * i)
{
  guint32 *d = U32 (0), *e = U32 (1);
  const guint64 *a = U64 (2);

  EACH_LANE (const guint64 x = a[l]; d[l] = x; e[l] = x >> 32);
}

const Op VARIANT (ops_wide)[] = {
  LIST_1 (ROW_1)
  LIST_2 (ROW_2)
  LIST_3 (ROW_3)
  {"bfi.b64", "xxxww", bfi_64},
  {"unpack.64", "wwx", unpack_64},
  {NULL, NULL, NULL},
};
