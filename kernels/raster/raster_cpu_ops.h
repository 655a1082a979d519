/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations on eight lanes; included once for each instruction set, with NAME()
 * for the names.
 *
 * LANES_HALVES: the machine's vectors have four lanes. Compilers split sums and
 * products of eight into two then, but compare, convert and take roots lane by
 * lane; here each half does so as a whole. */

#ifdef LANES_HALVES
#define LOW(a) __builtin_shufflevector ((a), (a), 0, 1, 2, 3)
#define HIGH(a) __builtin_shufflevector ((a), (a), 4, 5, 6, 7)
#define JOIN(a, b) __builtin_shufflevector ((a), (b), 0, 1, 2, 3, 4, 5, 6, 7)
#define COMPARE(name, op, Type) \
static inline CsLanesInt \
NAME (name) (Type a, Type b) \
{ \
  return JOIN (LOW (a) op LOW (b), HIGH (a) op HIGH (b)); \
}
#else
#define COMPARE(name, op, Type) \
static inline CsLanesInt \
NAME (name) (Type a, Type b) \
{ \
  return a op b; \
}
#endif

COMPARE (less, <, CsLanes)
COMPARE (at_most, <=, CsLanes)
COMPARE (less_int, <, CsLanesInt)
COMPARE (unequal, !=, CsLanesInt)

#undef COMPARE

static inline CsLanes
NAME (all) (float a)
{
  return (CsLanes) { 0 } + a;
}

static inline CsLanesInt
NAME (is_positive) (CsLanes a)
{
  return NAME (less) ((CsLanes) { 0 }, a);
}

static inline CsLanesInt
NAME (is_negative) (CsLanesInt a)
{
  return a >> 31;
}

static inline CsLanes
NAME (select) (CsLanesInt mask, CsLanes a, CsLanes b)
{
  return (CsLanes) ((mask & (CsLanesInt) a) | (~mask & (CsLanesInt) b));
}

/* a > 0 ? a : 0 */
static inline CsLanes
NAME (clip) (CsLanes a)
{
  return (CsLanes) ((CsLanesInt) a & NAME (is_positive) (a));
}

/* a < b ? a : b, and a > b ? a : b. */
static inline CsLanes
NAME (lesser) (CsLanes a, CsLanes b)
{
#ifdef LANES_MIN
  return LANES_MIN (a, b);
#else
  return NAME (select) (NAME (less) (a, b), a, b);
#endif
}

static inline CsLanes
NAME (greater) (CsLanes a, CsLanes b)
{
#ifdef LANES_MAX
  return LANES_MAX (a, b);
#else
  return NAME (select) (NAME (less) (b, a), a, b);
#endif
}

/* A bit for each lane of a comparison. */
static inline guint
NAME (bits) (CsLanesInt a)
{
#ifdef LANE_BITS
  return LANE_BITS (a);
#else
  typedef guint64 Wide __attribute__ ((vector_size (32)));
  const CsLanesInt each = { 1, 2, 4, 8, 16, 32, 64, 128 };
  const Wide wide = (Wide) (a & each);
  const guint64 both = wide[0] | wide[1] | wide[2] | wide[3];

  return (guint) (both | both >> 32);
#endif
}

static inline gboolean
NAME (any) (CsLanesInt a, CsLanesInt b)
{
#ifdef LANES_ANY
  return LANES_ANY (a | b);
#else
  return NAME (bits) (a | b) != 0;
#endif
}

static inline CsLanes
NAME (root) (CsLanes a)
{
#ifdef LANES_ROOT
  return LANES_ROOT (a);
#else
  guint i;

  for (i = 0; i < CS_GROUP_WIDTH; i++)
    a[i] = sqrtf (a[i]);
  return a;
#endif
}

/* Rounds to 0. */
static inline CsLanesInt
NAME (to_ints) (CsLanes a)
{
#ifdef LANES_HALVES
  return JOIN (__builtin_convertvector (LOW (a), CsHalfInt),
      __builtin_convertvector (HIGH (a), CsHalfInt));
#else
  return __builtin_convertvector (a, CsLanesInt);
#endif
}

static inline CsLanes
NAME (to_floats) (CsLanesInt a)
{
#ifdef LANES_HALVES
  return JOIN (__builtin_convertvector (LOW (a), CsHalf),
      __builtin_convertvector (HIGH (a), CsHalf));
#else
  return __builtin_convertvector (a, CsLanes);
#endif
}
