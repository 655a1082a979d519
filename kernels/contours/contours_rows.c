/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contours_rows.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "contours_planes.h"

/* Halves mapped to integers of the same order, -0 just below +0. NaNs map
 * beyond the infinities. */
#define HALF_ORDERED(h) \
    ((gint16) ((guint16) (h) ^ ((((guint16) (h)) >> 15) * 0x7fff)))
#define HALF_INF 0x7c00
#define HALF_MINUS_INF HALF_ORDERED (0xfc00)

/* The greatest ordered half that is not above @level. */
static gint16
half_floor (double level)
{
  gint low = HALF_MINUS_INF, high = HALF_INF;

  if (level == 0.)
    return 0;
  while (high - low > 1) {
    const gint middle = (low + high) >> 1;
    const guint16 bits = (guint16) HALF_ORDERED (middle);

    if (cs_half_to_double (bits) <= level)
      low = middle;
    else
      high = middle;
  }
  return (gint16) low;
}

static float
float_floor (double level)
{
  const float rounded = (float) level;

  return (double) rounded > level ? nextafterf (rounded, -INFINITY) : rounded;
}

void
cs_row_threshold_init (CsRowThreshold * threshold, CsSampleType type,
    double level)
{
  memset (threshold, 0, sizeof (*threshold));
  threshold->type = type;
  switch (type) {
    case CS_SAMPLE_U8:
      threshold->u8 = level >= 0. && level < 255. ? (guint8) level : 255;
      break;
    case CS_SAMPLE_U16:
      threshold->u16 = level >= 0. && level < 65535. ? (guint16) level : 65535;
      break;
    case CS_SAMPLE_F16:
      threshold->f16 = half_floor (level);
      break;
    case CS_SAMPLE_F32:
      threshold->f32 = float_floor (level);
      break;
    case CS_SAMPLE_F64:
      threshold->f64 = level;
      break;
  }
}

void
cs_row_threshold_init_never (CsRowThreshold * threshold, CsSampleType type)
{
  memset (threshold, 0, sizeof (*threshold));
  threshold->type = type;
  switch (type) {
    case CS_SAMPLE_U8:
      threshold->u8 = 255;
      break;
    case CS_SAMPLE_U16:
      threshold->u16 = 65535;
      break;
    case CS_SAMPLE_F16:
      threshold->f16 = G_MAXINT16;
      break;
    case CS_SAMPLE_F32:
      threshold->f32 = INFINITY;
      break;
    case CS_SAMPLE_F64:
      threshold->f64 = INFINITY;
      break;
  }
}

void
cs_row_threshold_store (const CsRowThreshold * threshold, void *array, guint i)
{
  const gsize size = cs_sample_size (threshold->type);

  memcpy ((guint8 *) array + i * size, &threshold->f64, size);
}

/* Eight bytes of 0 or 1 to eight bits: the multiplication moves bit 0 of byte k
 * to bit 56 + k. */
CS_CLONES static void
pack (const guint8 * bytes, guint n_words, guint64 * bits)
{
  for (guint w = 0; w < n_words; w++) {
    guint64 word = 0;

    for (guint k = 0; k < 8; k++) {
      guint64 eight;

      memcpy (&eight, bytes + 64 * w + 8 * k, 8);
      eight = GUINT64_FROM_LE (eight);
      word |= (eight * G_GUINT64_CONSTANT (0x0102040810204080) >> 56) <<
          (8 * k);
    }
    bits[w] = word;
  }
}

void
cs_row_pack (guint8 * bytes, guint n, guint64 * bits)
{
  const guint n_words = CS_ROW_WORDS (n);

  memset (bytes + n, 0, 64 * n_words - n);
  pack (bytes, n_words, bits);
}

void
cs_row_pack_each (const guint8 * bytes, guint stride, guint n,
    guint64 * const bits[CS_ROW_AT_ONCE])
{
  const guint64 ones = G_GUINT64_CONSTANT (0x0101010101010101);

  for (guint w = 0; w < CS_ROW_WORDS (n); w++) {
    const guint64 used = n - 64 * w < 64 ?
        ((guint64) 1 << (n - 64 * w)) - 1 : G_MAXUINT64;
    guint64 words[CS_ROW_AT_ONCE] = { 0 };

    for (guint group = 0; group < 64; group += 8) {
      const guint8 *at = bytes + (gsize) (64 * w + group) * stride;
      guint64 eight = 0, bytes_of_one;

      /* of each channel a byte, with a bit of each sample */
      for (guint k = 0; k < 8; k++) {
        memcpy (&bytes_of_one, at + (gsize) k * stride, 8);
        eight |= (GUINT64_FROM_LE (bytes_of_one) & ones) << k;
      }
      for (guint channel = 0; channel < CS_ROW_AT_ONCE; channel++)
        words[channel] |= (eight >> (8 * channel) & 255) << group;
    }
    for (guint channel = 0; channel < CS_ROW_AT_ONCE; channel++)
      if (bits[channel])
        bits[channel][w] = words[channel] & used;
  }
}

CS_CLONES gboolean
cs_row_is_zero (const guint8 * bytes, guint n)
{
  guint8 any = 0;

  for (guint i = 0; i < n; i++)
    any |= bytes[i];
  return any == 0;
}

/* VALUE maps a stored sample to its comparison key; IS_NAN tells whether it is
 * NaN. Both variants return whether any sample is NaN. */
#define DEFINE_ABOVE(name, stored, compared, VALUE, IS_NAN) \
CS_CLONES static gboolean \
name##_one (const stored * row, compared threshold, guint n, guint8 * bytes) \
{ \
  guint i, nan = 0; \
\
  for (i = 0; i < n; i++) { \
    bytes[i] = VALUE (row[i]) > threshold; \
    nan |= IS_NAN (row[i]); \
  } \
  return nan != 0; \
} \
\
CS_CLONES static gboolean \
name##_each (const stored * row, const compared * thresholds, guint n, \
    guint8 * bytes) \
{ \
  guint i, nan = 0; \
\
  for (i = 0; i < n; i++) { \
    bytes[i] = VALUE (row[i]) > thresholds[i]; \
    nan |= IS_NAN (row[i]); \
  } \
  return nan != 0; \
}

#define SAME(v) (v)
#define NEVER_NAN(v) 0
#define FLOAT_NAN(v) ((v) != (v))
#define HALF_NAN(v) (((v) & 0x7fff) > HALF_INF)

DEFINE_ABOVE (above_u8, guint8, guint8, SAME, NEVER_NAN)
DEFINE_ABOVE (above_u16, guint16, guint16, SAME, NEVER_NAN)
DEFINE_ABOVE (above_f16, guint16, gint16, HALF_ORDERED, HALF_NAN)
DEFINE_ABOVE (above_f32, gfloat, gfloat, SAME, FLOAT_NAN)
DEFINE_ABOVE (above_f64, gdouble, gdouble, SAME, FLOAT_NAN)

#define ABOVE(type) \
    (thresholds ? above_##type##_each (row, thresholds, n, bytes) : \
    above_##type##_one (row, threshold->type, n, bytes))

gboolean
cs_row_above (const CsRowThreshold * threshold, const void *thresholds,
    const void *row, guint n, guint8 * bytes)
{
  switch (threshold->type) {
    case CS_SAMPLE_U8:
      return ABOVE (u8);
    case CS_SAMPLE_U16:
      return ABOVE (u16);
    case CS_SAMPLE_F16:
      return ABOVE (f16);
    case CS_SAMPLE_F32:
      return ABOVE (f32);
    default:
      return ABOVE (f64);
  }
}

void
cs_row_valid (CsSampleType type, const void *row, guint n, const guint8 * mask,
    gsize mask_stride, guint slots, guint8 * bytes)
{
  for (guint i = 0; i < n; i++) {
    gboolean nan = FALSE;

    if (type == CS_SAMPLE_F16)
      nan = HALF_NAN (((const guint16 *) row)[i]);
    else if (type == CS_SAMPLE_F32)
      nan = isnan (((const gfloat *) row)[i]);
    else if (type == CS_SAMPLE_F64)
      nan = isnan (((const gdouble *) row)[i]);
    bytes[i] = !nan && (!mask || mask[(gsize) (i / slots) * mask_stride]);
  }
}

#define RANGE(stored, VALUE) \
    G_STMT_START { \
      for (i = 0; i < n; i++) { \
        const double v = VALUE (*(const stored *) (from + i * stride)); \
\
        if (mask && !mask[i * mask_stride]) \
          continue; \
        /* both false for NaN */ \
        *low = v < *low ? v : *low; \
        *high = v > *high ? v : *high; \
      } \
    } G_STMT_END

void
cs_row_range (CsSampleType type, const void *row, gsize stride, guint n,
    const guint8 * mask, gsize mask_stride, double *low, double *high)
{
  const guint8 *from = row;
  guint i;

  switch (type) {
    case CS_SAMPLE_U8:
      RANGE (guint8, SAME);
      break;
    case CS_SAMPLE_U16:
      RANGE (guint16, SAME);
      break;
    case CS_SAMPLE_F16:
      RANGE (guint16, cs_half_to_double);
      break;
    case CS_SAMPLE_F32:
      RANGE (gfloat, SAME);
      break;
    case CS_SAMPLE_F64:
      RANGE (gdouble, SAME);
      break;
  }
}

#define COUNT(stored, VALUE) \
  for (i = 0; i < n; i++) { \
    const double sample = (double) VALUE (*(const stored *) (from + \
            i * stride)); \
\
    if (isnan (sample) || (mask && !mask[i * mask_stride])) \
      continue; \
    bins[codes ? (int) sample : cs_otsu_bin (sample, low, high)]++; \
  } \
  break

void
cs_row_count (CsSampleType type, const void *row, gsize stride, guint n,
    const guint8 * mask, gsize mask_stride, gboolean codes, double low,
    double high, guint32 * bins)
{
  const guint8 *from = row;
  guint i;

  switch (type) {
    case CS_SAMPLE_U8:
      COUNT (guint8, SAME);
    case CS_SAMPLE_U16:
      COUNT (guint16, SAME);
    case CS_SAMPLE_F16:
      COUNT (guint16, cs_half_to_double);
    case CS_SAMPLE_F32:
      COUNT (gfloat, SAME);
    default:
      COUNT (gdouble, SAME);
  }
}

void
cs_row_gather (CsSampleType type, const void *row, gsize stride, guint n,
    void *out)
{
  const guint8 *from = row;

  switch (cs_sample_size (type)) {
    case 1:
      for (guint i = 0; i < n; i++)
        ((guint8 *) out)[i] = from[i * stride];
      break;
    case 2:
      for (guint i = 0; i < n; i++)
        ((guint16 *) out)[i] = *(const guint16 *) (from + i * stride);
      break;
    case 4:
      for (guint i = 0; i < n; i++)
        ((guint32 *) out)[i] = *(const guint32 *) (from + i * stride);
      break;
    default:
      for (guint i = 0; i < n; i++)
        ((guint64 *) out)[i] = *(const guint64 *) (from + i * stride);
      break;
  }
}
