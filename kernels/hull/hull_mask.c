/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hull_cpu.h"

#include <math.h>

#include "base/clones.h"

/* Pixels tested at a time. */
#define BLOCK 128

gboolean
cs_hull_mask_pixel (const CsImage * mask, guint x, guint y, double level)
{
  const guint8 *p = (const guint8 *) mask->data + y * mask->row_stride +
      x * mask->pixel_stride;

  switch (mask->type) {
    case CS_SAMPLE_U8:
      return *p > level;
    case CS_SAMPLE_U16:
      return *(const guint16 *) p > level;
    case CS_SAMPLE_F16:
      return cs_half_to_double (*(const guint16 *) p) > level;
    case CS_SAMPLE_F32:
      return *(const float *) p > level;
    case CS_SAMPLE_F64:
      return *(const double *) p > level;
  }
  return FALSE;
}

/* Whether any of @n packed samples is greater than the threshold. */
#define DEFINE_ANY(name, Type, Threshold) \
CS_CLONES static gboolean \
name (const void *samples, guint n, Threshold threshold) \
{ \
  const Type *p = samples; \
  Type any = 0; \
  guint i; \
\
  for (i = 0; i < n; i++) \
    any = p[i] > threshold ? 1 : any; \
  return any != 0; \
}

DEFINE_ANY (any_u8, guint8, guint8)
DEFINE_ANY (any_u16, guint16, guint16)
DEFINE_ANY (any_f32, float, float)
DEFINE_ANY (any_f64, double, double)

/* @level rounded down to single precision. */
static float
floor_to_float (double level)
{
  const float f = level;

  return f > level ? nextafterf (f, -INFINITY) : f;
}

/* Whether a pixel of x .. x + n - 1 may be above the level. */
static gboolean
any_above (const CsImage * mask, guint x, guint y, guint n, double level)
{
  const guint8 *p = (const guint8 *) mask->data + y * mask->row_stride +
      x * mask->pixel_stride;

  if (mask->pixel_stride != cs_sample_size (mask->type) || level < 0)
    return TRUE;
  switch (mask->type) {
    case CS_SAMPLE_U8:
      return level < 255 && any_u8 (p, n, level);
    case CS_SAMPLE_U16:
      return level < 65535 && any_u16 (p, n, level);
    case CS_SAMPLE_F32:
      return any_f32 (p, n, floor_to_float (level));
    case CS_SAMPLE_F64:
      return any_f64 (p, n, level);
    default:
      return TRUE;
  }
}

gboolean
cs_hull_mask_row (const CsImage * mask, guint y, double level, guint * first,
    guint * last)
{
  const guint width = mask->width;
  guint x, i, n;

  for (x = 0; x < width; x += n) {
    n = MIN (BLOCK, width - x);
    if (!any_above (mask, x, y, n, level))
      continue;
    for (i = x; i < x + n; i++) {
      if (cs_hull_mask_pixel (mask, i, y, level))
        goto found;
    }
  }
  return FALSE;

found:
  *first = *last = i;
  for (x = width; x > i; x -= n) {
    n = MIN (BLOCK, x - i);
    if (!any_above (mask, x - n, y, n, level))
      continue;
    for (; n > 0; n--, x--) {
      if (cs_hull_mask_pixel (mask, x - 1, y, level)) {
        *last = x - 1;
        return TRUE;
      }
    }
  }
  return TRUE;
}
