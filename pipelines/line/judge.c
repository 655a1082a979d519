/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "judge.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"

#include "recipe.h"

/* Probabilities, rounded by whatever a network computes with */
#define LEAST -0.001f
#define GREATEST 1.001f

/* Sums of a pixel */
#define LEAST_SUM 0.9f
#define GREATEST_SUM 1.1f

/* Values, and pixels of logits, at a time; loops of so many are vectorised */
#define LANES 32
#define WIDTH 32

/* Sums in another order than the definition's differ by less than this; those
 * that are nearer to a limit are made again */
#define MARGIN 1e-3f

/* Bytes that are judged at a time: they are in the cache from one look at them
 * to the next, and when they have just been read */
#define BLOCK (64 << 10)

/* Vectors of two and of one machine word */
typedef gfloat Eight __attribute__ ((vector_size (32)));
typedef gint32 EightBits __attribute__ ((vector_size (32)));
typedef guint32 EightWords __attribute__ ((vector_size (32)));
typedef gfloat Four __attribute__ ((vector_size (16)));
typedef gint32 FourBits __attribute__ ((vector_size (16)));

#ifdef __clang__
#define SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector (a, b, i, j, k, l)
#else
#define SHUFFLE(a, b, i, j, k, l) \
    __builtin_shuffle (a, b, (FourBits) {i, j, k, l})
#endif

static inline guint32
bits_of (gfloat value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof (bits));
  return bits;
}

static inline gfloat
with_bits (guint32 bits)
{
  gfloat value;

  memcpy (&value, &bits, sizeof (value));
  return value;
}

/* Digests: what is one-to-one in each of the words loses nothing of it, and a
 * rotation takes what multiplication has moved up down again: probabilities of
 * 0 and 1 have all their bits at the top. */

#define FACTOR 0x9e3779b1u
#define ROTATE(word) ((word) << 15 | (word) >> 17)
#define STIR(word, a, b) G_STMT_START { \
    (word) = ((word) ^ (a)) * FACTOR + (b); \
    (word) = ROTATE (word); \
} G_STMT_END

/* The rest of the last part, less than 32 values. */
static void
stir_rest (guint32 * digest, const gfloat * values, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    guint32 *word = &digest[i % LINE_DIGEST_WORDS];

    STIR (*word, bits_of (values[i]), 0);
  }
}

CS_CLONES
static void
stir (guint32 * digest, const gfloat * values, gsize n)
{
  EightWords first, second, in[4];
  gsize i;

  memcpy (&first, digest, sizeof (first));
  memcpy (&second, digest + 8, sizeof (second));
  for (i = 0; i + 32 <= n; i += 32) {
    memcpy (in, values + i, sizeof (in));
    STIR (first, in[0], in[1]);
    STIR (second, in[2], in[3]);
  }
  memcpy (digest, &first, sizeof (first));
  memcpy (digest + 8, &second, sizeof (second));
  stir_rest (digest, values + i, n - i);
}

/* Whether a value is no probability; NaN is none; with stir(), of what is in
 * registers once. Arrays of what has been found would be kept in memory, where
 * each look waits for the one before. */
CS_CLONES
static gboolean
has_bad_values (const gfloat * values, gsize n, guint32 * digest)
{
  EightBits good = { -1, -1, -1, -1, -1, -1, -1, -1 }, also = good;
  gboolean any = FALSE;
  EightWords first, second;
  Eight a, b, c, d;
  gsize i;

  memcpy (&first, digest, sizeof (first));
  memcpy (&second, digest + 8, sizeof (second));
  for (i = 0; i + 32 <= n; i += 32) {
    memcpy (&a, values + i, sizeof (a));
    memcpy (&b, values + i + 8, sizeof (b));
    memcpy (&c, values + i + 16, sizeof (c));
    memcpy (&d, values + i + 24, sizeof (d));
    good &= (a >= LEAST) & (a <= GREATEST) & (c >= LEAST) & (c <= GREATEST);
    also &= (b >= LEAST) & (b <= GREATEST) & (d >= LEAST) & (d <= GREATEST);
    STIR (first, (EightWords) a, (EightWords) b);
    STIR (second, (EightWords) c, (EightWords) d);
  }
  memcpy (digest, &first, sizeof (first));
  memcpy (digest + 8, &second, sizeof (second));
  stir_rest (digest, values + i, n - i);
  good &= also;
  for (guint j = 0; j < 8; j++)
    any |= !good[j];
  for (; i < n; i++)
    any |= !(values[i] >= LEAST) | !(values[i] <= GREATEST);
  return any;
}

/* Whether a value is infinite or NaN. */
CS_CLONES
static gboolean
has_infinite (const gfloat * values, gsize n)
{
  const guint32 exponent = 0x7f800000;
  guint32 bad[LANES] = { 0 }, any = 0;
  gsize i;

  for (i = 0; i + LANES <= n; i += LANES)
    for (guint j = 0; j < LANES; j++)
      bad[j] |= (bits_of (values[i + j]) & exponent) == exponent;
  for (; i < n; i++)
    any |= (bits_of (values[i]) & exponent) == exponent;
  for (guint j = 0; j < LANES; j++)
    any |= bad[j];
  return any != 0;
}

/* In the order of the classes: the definition has the same bits. */
static gfloat
add_pixel (const gfloat * pixel, guint classes)
{
  gfloat sum = pixel[0];

  for (guint k = 1; k < classes; k++)
    sum += pixel[k];
  return sum;
}

static gboolean
has_bad_sums (const gfloat * pixels, gsize n, guint classes)
{
  gboolean any = FALSE;

  for (gsize i = 0; i < n; i++) {
    const gfloat sum = add_pixel (pixels + i * classes, classes);

    any |= !(sum >= LEAST_SUM) | !(sum <= GREATEST_SUM);
  }
  return any;
}

static inline Four
load_four (const gfloat * values)
{
  Four four;

  memcpy (&four, values, sizeof (four));
  return four;
}

/* Whether all sums are surely good, of pixels of at least four classes: those of
 * four pixels at a time, each from four sums. */
CS_CLONES
static gboolean
are_sums_good (const gfloat * pixels, gsize n, guint classes)
{
  /* of a pixel's last four values those that are in no four before */
  const gint32 r = classes % 4;
  const FourBits rest = { 0, r > 2 ? -1 : 0, r > 1 ? -1 : 0, r > 0 ? -1 : 0 };
  const gsize second = classes, third = 2 * second, fourth = 3 * second;
  FourBits good = { -1, -1, -1, -1 };
  gsize i;

  for (i = 0; i + 4 <= n; i += 4) {
    const gfloat *p = pixels + i * classes, *end = p + classes;
    Four a = load_four (p), b = load_four (p + second);
    Four c = load_four (p + third), d = load_four (p + fourth);

    for (p += 4; p + 4 <= end; p += 4) {
      a += load_four (p);
      b += load_four (p + second);
      c += load_four (p + third);
      d += load_four (p + fourth);
    }
    if (r) {
      p = end - 4;
      a += (Four) ((FourBits) load_four (p) & rest);
      b += (Four) ((FourBits) load_four (p + second) & rest);
      c += (Four) ((FourBits) load_four (p + third) & rest);
      d += (Four) ((FourBits) load_four (p + fourth) & rest);
    }
    /* half sums of two pixels each, then all four */
    a = SHUFFLE (a, b, 0, 4, 1, 5) + SHUFFLE (a, b, 2, 6, 3, 7);
    c = SHUFFLE (c, d, 0, 4, 1, 5) + SHUFFLE (c, d, 2, 6, 3, 7);
    a = SHUFFLE (a, c, 0, 1, 4, 5) + SHUFFLE (a, c, 2, 3, 6, 7);
    good &= (a >= LEAST_SUM + MARGIN) & (a <= GREATEST_SUM - MARGIN);
  }
  return (good[0] & good[1] & good[2] & good[3])
      && !has_bad_sums (pixels + i * classes, n - i, classes);
}

/* Logits */

/* e to the power of @x, which is not greater than 0; what is less than -87 is
 * taken for that. libm's differ by their versions; of these operations each has
 * one result, and the definition has them in this order: 2^n e^r, |r| <= ln(2)
 * / 2, by the series of e^r. */
static inline gfloat
exponential (gfloat x)
{
  /* 1.5 2^23: a sum with it is a whole number, in the lowest bits */
  const gfloat magic = 12582912;
  const guint32 bits = bits_of (x), limit = bits_of (-87.0f);
  gfloat whole, n, r, y;

  /* of negative numbers the bits grow with their size */
  x = with_bits (bits < limit ? bits : limit);
  whole = x * 1.44269504f + magic;
  n = whole - magic;
  /* ln(2) in two parts: the product with the first one is exact */
  r = x - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  y = 1.0f / 5040;
  y = y * r + 1.0f / 720;
  y = y * r + 1.0f / 120;
  y = y * r + 1.0f / 24;
  y = y * r + 1.0f / 6;
  y = y * r + 0.5f;
  y = y * r + 1.0f;
  y = y * r + 1.0f;
  return y * with_bits ((bits_of (whole) << 23) + bits_of (1));
}

/* e^x over the sum of a pixel's. The greatest logit is taken from all before, so
 * that no power is too great. */
CS_CLONES
static void
apply_softmax (gfloat (*planes)[WIDTH], guint classes)
{
  gfloat top[WIDTH], sum[WIDTH] = { 0 };

  memcpy (top, planes[0], sizeof (top));
  for (guint k = 1; k < classes; k++)
    for (guint i = 0; i < WIDTH; i++)
      top[i] = planes[k][i] > top[i] ? planes[k][i] : top[i];
  for (guint k = 0; k < classes; k++)
    for (guint i = 0; i < WIDTH; i++) {
      planes[k][i] = exponential (planes[k][i] - top[i]);
      sum[i] += planes[k][i];
    }
  for (guint k = 0; k < classes; k++)
    for (guint i = 0; i < WIDTH; i++)
      planes[k][i] /= sum[i];
}

/* The logistic function, 1 / (1 + e^-x) or e^x / (1 + e^x): the power that is at
 * most 1. */
CS_CLONES
static void
apply_logistic (gfloat (*planes)[WIDTH], guint classes)
{
  const guint32 sign = bits_of (-0.0f), one = bits_of (1);

  for (guint k = 0; k < classes; k++)
    for (guint i = 0; i < WIDTH; i++) {
      const guint32 bits = bits_of (planes[k][i]);
      const gfloat power = exponential (with_bits (bits | sign));

      planes[k][i] = with_bits (bits & sign ? bits_of (power) : one)
          / (1 + power);
    }
}

/* Of up to WIDTH pixels. */
static void
convert (const LineJudge * judge, gfloat * pixels, gsize n)
{
  gfloat planes[LINE_MAX_CLASSES][WIDTH];
  const guint classes = judge->n_classes;

  if (n < WIDTH)
    memset (planes, 0, classes * sizeof (planes[0]));
  for (gsize i = 0; i < n; i++)
    for (guint k = 0; k < classes; k++)
      planes[k][i] = pixels[i * classes + k];
  if (judge->is_exclusive)
    apply_softmax (planes, classes);
  else
    apply_logistic (planes, classes);
  for (gsize i = 0; i < n; i++)
    for (guint k = 0; k < classes; k++)
      pixels[i * classes + k] = planes[k][i];
}

/* Judge */

/* How many are not finite, and the range of the others. */
static void
measure_values (const gfloat * values, gsize n, LineVerdict * verdict)
{
  verdict->least = G_MAXFLOAT;
  verdict->greatest = -G_MAXFLOAT;
  for (gsize i = 0; i < n; i++) {
    if (!isfinite (values[i])) {
      verdict->n_values++;
      continue;
    }
    verdict->least = MIN (verdict->least, values[i]);
    verdict->greatest = MAX (verdict->greatest, values[i]);
  }
}

static gfloat
find_worst_sum (const gfloat * tensor, gsize n, guint classes)
{
  gfloat worst = 1;

  for (gsize i = 0; i < n; i++) {
    const gfloat sum = add_pixel (tensor + i * classes, classes);

    if (fabsf (sum - 1) > fabsf (worst - 1))
      worst = sum;
  }
  return worst;
}

static void
add_probabilities (LineJudging * judging, const gfloat * pixels, gsize n)
{
  const LineJudge *judge = judging->judge;
  const guint classes = judge->n_classes;

  judging->has_bad_values = judging->has_bad_values
      || has_bad_values (pixels, n * classes, judging->digest);
  if (judge->is_exclusive && !judging->has_bad_sums)
    judging->has_bad_sums = !(classes >= 4
        && are_sums_good (pixels, n, classes))
        && has_bad_sums (pixels, n, classes);
}

/* Those that are not finite are counted before they are converted. */
static void
add_logits (LineJudging * judging, gfloat * pixels, gsize n)
{
  const LineJudge *judge = judging->judge;

  stir (judging->digest, pixels, n * judge->n_classes);
  if (has_infinite (pixels, n * judge->n_classes)) {
    judging->has_bad_values = TRUE;
    measure_values (pixels, n * judge->n_classes, &judging->verdict);
  }
  for (gsize i = 0; i < n; i += WIDTH)
    convert (judge, pixels + i * judge->n_classes, MIN (WIDTH, n - i));
}

/* Bit for bit; the first of @pixels against the one before, too. */
static gboolean
are_constant (const LineJudging * judging, const gfloat * pixels, gsize n)
{
  const gsize classes = judging->judge->n_classes;
  const gfloat *from = pixels == judging->tensor ? pixels : pixels - classes;

  return memcmp (from, from + classes,
      (pixels + (n - 1) * classes - from) * sizeof (gfloat)) == 0;
}

void
line_judging_begin (LineJudging * judging, const LineJudge * judge,
    gfloat * tensor)
{
  *judging = (LineJudging) {.judge = judge,.tensor = tensor,
    .is_constant = TRUE
  };
}

gsize
line_judging_get_step (const LineJudging * judging)
{
  const LineJudge *judge = judging->judge;
  const gsize most = BLOCK / (judge->n_classes * sizeof (gfloat));

  return MIN (most / WIDTH * WIDTH, judge->n_pixels - judging->n_judged);
}

void
line_judging_add (LineJudging * judging, gsize n)
{
  const LineJudge *judge = judging->judge;
  gfloat *pixels = judging->tensor + judging->n_judged * judge->n_classes;

  if (judge->is_logits)
    add_logits (judging, pixels, n);
  else
    add_probabilities (judging, pixels, n);
  judging->is_constant = judging->is_constant
      && are_constant (judging, pixels, n);
  judging->n_judged += n;
}

gboolean
line_judging_end (LineJudging * judging, LineVerdict * verdict)
{
  const LineJudge *judge = judging->judge;
  const gsize n = judge->n_pixels * judge->n_classes;

  *verdict = judging->verdict;
  if (judging->has_bad_values) {
    if (!judge->is_logits)
      measure_values (judging->tensor, n, verdict);
    verdict->loss = verdict->n_values ? LINE_LOSS_NOT_FINITE :
        LINE_LOSS_OUT_OF_RANGE;
    return FALSE;
  }
  if (judging->has_bad_sums) {
    verdict->sum = find_worst_sum (judging->tensor, judge->n_pixels,
        judge->n_classes);
    verdict->loss = LINE_LOSS_SUM;
    return FALSE;
  }
  /* never 0 */
  guint64 sum = 0;
  for (guint i = 0; i < LINE_DIGEST_WORDS; i++) {
    sum = (sum ^ judging->digest[i]) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
    sum ^= sum >> 32;
  }
  verdict->digest = sum ? sum : 1;
  verdict->loss = LINE_LOSS_CONSTANT;
  return !judging->is_constant;
}

gboolean
line_judge_view (const LineJudge * judge, gfloat * tensor,
    LineVerdict * verdict)
{
  LineJudging judging;
  gsize n;

  line_judging_begin (&judging, judge, tensor);
  while ((n = line_judging_get_step (&judging)) > 0)
    line_judging_add (&judging, n);
  return line_judging_end (&judging, verdict);
}

gboolean
line_judge_has_fruit (const LineJudge * judge, const gfloat * tensor)
{
  gsize n = 0;

  for (gsize i = 0; i < judge->n_pixels && n < judge->least_fruit; i++) {
    const gfloat *pixel = tensor + i * judge->n_classes;
    gfloat sum = 0;

    for (guint64 left = judge->fruit; left; left &= left - 1)
      sum += pixel[__builtin_ctzll (left)];
    n += sum >= judge->level;
  }
  return n >= judge->least_fruit;
}

char *
line_verdict_describe (const LineVerdict * verdict)
{
  switch (verdict->loss) {
    case LINE_LOSS_NOT_FINITE:
      return g_strdup_printf ("%" G_GSIZE_FORMAT " value%s not finite: the "
          "network's output is broken", verdict->n_values,
          verdict->n_values == 1 ? " is" : "s are");
    case LINE_LOSS_OUT_OF_RANGE:
      return g_strdup_printf ("values from %g to %g are no probabilities: if "
          "the network gives logits, say logits=true in [recipe]",
          verdict->least, verdict->greatest);
    case LINE_LOSS_SUM:
      return g_strdup_printf ("probabilities of a pixel add up to %g: if the "
          "classes do not exclude each other, say exclusive=false in [recipe]",
          verdict->sum);
    case LINE_LOSS_FROZEN:
      return g_strdup ("it shows fruit, and is the same, bit for bit, as one of "
          "before: the network gives old answers, or its camera old pictures; "
          "start them again. Or the belt stands still");
    default:
      return g_strdup ("all pixels have the same probabilities: the network "
          "does not see the picture");
  }
}
