/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stats_oracle.h"

#include <math.h>
#include <string.h>

/* What a coordinate is after scaling, in units of 1 / UNIT. */
#define UNIT (2 * ORACLE_GRID * ORACLE_SCALE)

static gint64
place (float coordinate, double scale)
{
  const gint64 grid = (gint64) (coordinate * ORACLE_GRID);
  const gint64 factor = (gint64) (scale * ORACLE_SCALE);

  /* (p + 1/2) s - 1/2 */
  return (2 * grid + ORACLE_GRID) * factor - UNIT / 2;
}

static gboolean
side_is_left (gint64 ax, gint64 ay, gint64 bx, gint64 by, gint64 x, gint64 y)
{
  if (ay > by)
    return side_is_left (bx, by, ax, ay, x, y);
  /* ax + (y - ay) (bx - ax) / (by - ay) <= x */
  return ay <= y && y < by && (y - ay) * (bx - ax) <= (x - ax) * (by - ay);
}

gboolean
oracle_is_inside (const CsStatsInput * input, const CsStatsRegion * region,
    guint x, guint y)
{
  guint n_left = 0;

  for (gsize r = 0; r < region->n_rings; r++) {
    const CsStatsRing *ring = &input->rings[region->first_ring + r];

    for (gsize i = 0; i < ring->n; i++) {
      const float *a = ring->points + 2 * i;
      const float *b = ring->points + 2 * ((i + 1) % ring->n);

      n_left += side_is_left (place (a[0], input->scale_x),
          place (a[1], input->scale_y), place (b[0], input->scale_x),
          place (b[1], input->scale_y), (gint64) x * UNIT, (gint64) y * UNIT);
    }
  }
  return n_left % 2 == 1;
}

static double
half (guint16 bits)
{
  const double sign = bits & 0x8000 ? -1. : 1.;
  const guint exponent = (bits & 0x7c00) >> 10, fraction = bits & 0x3ff;

  if (exponent == 31)
    return fraction ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * fraction * pow (2., -24.);
  return sign * (1. + fraction / 1024.) * pow (2., (double) exponent - 15.);
}

static double
read_sample (const guint8 * at, CsSampleType type)
{
  union
  {
    guint16 word;
    float single;
    double real;
  } value;

  memcpy (&value, at, cs_sample_size (type));
  switch (type) {
    case CS_SAMPLE_U8:
      return *at;
    case CS_SAMPLE_U16:
      return value.word;
    case CS_SAMPLE_F16:
      return half (value.word);
    case CS_SAMPLE_F32:
      return value.single;
    default:
      return value.real;
  }
}

static double
code (const CsPicture * picture, guint c, guint x, guint y)
{
  const double sample = read_sample ((const guint8 *) picture->data[c] +
      y * picture->row_stride[c] + x * picture->pixel_stride[c],
      picture->type);

  return floor (sample / (1u << picture->shift));
}

static double
linear (double code)
{
  return code <= .04045 ? code / 12.92 : pow ((code + .055) / 1.055, 2.4);
}

static double
root (double t)
{
  return t > .008856 ? cbrt (t) : 7.787 * t + 16. / 116.;
}

/* CIE 1976 of sRGB over D65. */
static double
lab (const CsPicture * picture, guint c, guint x, guint y)
{
  const double r = linear (code (picture, 0, x, y) / 255.);
  const double g = linear (code (picture, 1, x, y) / 255.);
  const double b = linear (code (picture, 2, x, y) / 255.);
  const double fx = root ((.412453 * r + .357580 * g + .180423 * b) / .950456);
  const double fy = root (.212671 * r + .715160 * g + .072169 * b);
  const double fz = root ((.019334 * r + .119193 * g + .950227 * b) / 1.088754);

  return c == 0 ? 116. * fy - 16. : c == 1 ? 500. * (fx - fy) :
      200. * (fy - fz);
}

static double
probability (const CsStatsInput * input, const CsStatsRegion * region, guint x,
    guint y)
{
  const CsImage *image = &input->images[region->image];
  const double sample = read_sample ((const guint8 *) image->data +
      region->channel * image->channel_stride + y * image->row_stride +
      x * image->pixel_stride, image->type);
  const double largest = image->type == CS_SAMPLE_U8 ? 255. :
      image->type == CS_SAMPLE_U16 ? 65535. : 1.;

  return isnan (sample) ? 0. : CLAMP (sample / largest, 0., 1.);
}

double
oracle_sample (const CsStatsInput * input, const CsStatsRegion * region,
    guint c, guint x, guint y)
{
  const CsPicture *picture = input->picture;

  if (input->kind == CS_STATS_PROBABILITY)
    return probability (input, region, x, y) * CS_STATS_PROBABILITY_STEPS;
  if (input->kind == CS_STATS_LAB)
    return lab (picture, c, x, y) * CS_STATS_LAB_STEPS;
  if (picture->model != CS_PICTURE_RGB)
    return code (picture, 0, x, y);
  double red = picture->kr;
  double blue = picture->kb;
  if (red == 0. && blue == 0.) {
    /* BT.601 */
    red = .299;
    blue = .114;
  }
  return (red * code (picture, 0, x, y) +
      (1. - red - blue) * code (picture, 1, x, y) +
      blue * code (picture, 2, x, y)) *
      (picture->type == CS_SAMPLE_U8 ? CS_STATS_LUMA_STEPS : 1);
}
