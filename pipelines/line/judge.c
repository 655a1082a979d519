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

/* Pixels whose sums do not wait for each other */
#define CHAINS 8

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

/* Whether a value is no probability; NaN is none. */
CS_CLONES
static gboolean
has_bad_values (const gfloat * values, gsize n)
{
  guint32 bad[LANES] = { 0 }, any = 0;
  gsize i;

  for (i = 0; i + LANES <= n; i += LANES)
    for (guint j = 0; j < LANES; j++)
      bad[j] |= !(values[i + j] >= LEAST) | !(values[i + j] <= GREATEST);
  for (; i < n; i++)
    any |= !(values[i] >= LEAST) | !(values[i] <= GREATEST);
  for (guint j = 0; j < LANES; j++)
    any |= bad[j];
  return any != 0;
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

static inline gboolean
is_bad_sum (gfloat sum)
{
  return !(sum >= LEAST_SUM) | !(sum <= GREATEST_SUM);
}

/* Of CHAINS pixels. An array of sums would be kept in memory, where each
 * addition waits for the one before. */
static inline gboolean
is_any_sum_bad (const gfloat * pixels, guint classes)
{
  const gsize c = classes;
  const gfloat *p = pixels;
  gfloat s0 = p[0], s1 = p[c], s2 = p[2 * c], s3 = p[3 * c];
  gfloat s4 = p[4 * c], s5 = p[5 * c], s6 = p[6 * c], s7 = p[7 * c];

  for (guint k = 1; k < classes; k++) {
    p++;
    s0 += p[0];
    s1 += p[c];
    s2 += p[2 * c];
    s3 += p[3 * c];
    s4 += p[4 * c];
    s5 += p[5 * c];
    s6 += p[6 * c];
    s7 += p[7 * c];
  }
  return is_bad_sum (s0) | is_bad_sum (s1) | is_bad_sum (s2)
      | is_bad_sum (s3) | is_bad_sum (s4) | is_bad_sum (s5)
      | is_bad_sum (s6) | is_bad_sum (s7);
}

static gboolean
has_bad_sums (const gfloat * pixels, gsize n, guint classes)
{
  gboolean any = FALSE;
  gsize i;

  for (i = 0; i + CHAINS <= n; i += CHAINS)
    any |= is_any_sum_bad (pixels + i * classes, classes);
  for (; i < n; i++)
    any |= is_bad_sum (add_pixel (pixels + i * classes, classes));
  return any;
}

/* Bit for bit. */
static gboolean
is_constant (const gfloat * tensor, gsize n, guint classes)
{
  return memcmp (tensor, tensor + classes,
      (n - 1) * classes * sizeof (gfloat)) == 0;
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

static gboolean
judge_probabilities (const LineJudge * judge, const gfloat * tensor,
    LineVerdict * verdict)
{
  const gsize n = judge->n_pixels * judge->n_classes;

  if (has_bad_values (tensor, n)) {
    measure_values (tensor, n, verdict);
    verdict->loss = verdict->n_values ? LINE_LOSS_NOT_FINITE :
        LINE_LOSS_OUT_OF_RANGE;
    return FALSE;
  }
  if (judge->is_exclusive
      && has_bad_sums (tensor, judge->n_pixels, judge->n_classes)) {
    verdict->sum = find_worst_sum (tensor, judge->n_pixels, judge->n_classes);
    verdict->loss = LINE_LOSS_SUM;
    return FALSE;
  }
  return TRUE;
}

/* Returns: FALSE if there are logits that are not finite */
static gboolean
judge_logits (const LineJudge * judge, gfloat * tensor, LineVerdict * verdict)
{
  const gsize n = judge->n_pixels * judge->n_classes;

  if (has_infinite (tensor, n)) {
    measure_values (tensor, n, verdict);
    verdict->loss = LINE_LOSS_NOT_FINITE;
    return FALSE;
  }
  for (gsize i = 0; i < judge->n_pixels; i += WIDTH)
    convert (judge, tensor + i * judge->n_classes,
        MIN (WIDTH, judge->n_pixels - i));
  return TRUE;
}

gboolean
line_judge_view (const LineJudge * judge, gfloat * tensor,
    LineVerdict * verdict)
{
  *verdict = (LineVerdict) { 0 };
  if (!(judge->is_logits ? judge_logits (judge, tensor, verdict) :
          judge_probabilities (judge, tensor, verdict)))
    return FALSE;
  verdict->loss = LINE_LOSS_CONSTANT;
  return !is_constant (tensor, judge->n_pixels, judge->n_classes);
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
    default:
      return g_strdup ("all pixels have the same probabilities: the network "
          "does not see the picture");
  }
}
