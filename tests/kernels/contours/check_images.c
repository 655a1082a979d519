/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check_images.h"

#include <math.h>
#include <string.h>

const char *const fill_names[N_FILLS] = {
  "zero", "max", "level", "binary", "ternary", "noise", "smooth", "blurred",
  "checkerboard", "spiral", "rows", "columns", "diagonal", "plateau", "nan",
  "infinite", "near-level", "dots", "frame", "sparse", "bubbles"
};

/* splitmix64 */
guint64
random_bits (Random * random)
{
  guint64 z = random->state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ z >> 31;
}

guint
random_below (Random * random, guint n)
{
  return (guint) ((random_bits (random) >> 32) * n >> 32);
}

double
random_unit (Random * random)
{
  return (double) (random_bits (random) >> 11) / 9007199254740992.;
}

/* Adds smooth noise: random values on a grid of @scale pixels, interpolated
 * with a smooth step. */
static void
add_octave (Random * random, guint width, guint height, guint scale,
    double amplitude, double *plane)
{
  const guint gw = width / scale + 2, gh = height / scale + 2;
  g_autofree double *grid = g_new (double, (gsize) gw * gh);

  for (gsize i = 0; i < (gsize) gw * gh; i++)
    grid[i] = random_unit (random) - .5;
  for (guint r = 0; r < height; r++) {
    const double *g0 = grid + (gsize) (r / scale) * gw, *g1 = g0 + gw;
    double v = (double) (r % scale) / scale;

    v = v * v * (3. - 2. * v);
    for (guint c = 0; c < width; c++) {
      const guint k = c / scale;
      double u = (double) (c % scale) / scale;

      u = u * u * (3. - 2. * u);
      double above = g0[k] + (g0[k + 1] - g0[k]) * u;
      double below = g1[k] + (g1[k + 1] - g1[k]) * u;
      plane[(gsize) r * width + c] += amplitude * (above + (below - above) * v);
    }
  }
}

void
fill_picture (Random * random, guint width, guint height, double noise,
    double *plane)
{
  const gsize n = (gsize) width * height;

  for (gsize i = 0; i < n; i++)
    plane[i] = 127.;
  for (guint scale = 256; scale >= 8; scale /= 2)
    add_octave (random, width, height, scale, 18. * sqrt (scale / 2.), plane);
  for (gsize i = 0; i < n; i++)
    plane[i] += noise * (random_unit (random) + random_unit (random) - 1.);
}

/* 1 on a one-pixel wide path that winds inwards, two apart. */
static void
draw_spiral (guint width, guint height, double low, double high, double *plane)
{
  static const gint dx[4] = { 1, 0, -1, 0 }, dy[4] = { 0, 1, 0, -1 };
  gint x = 0, y = 0, direction = 0, turns = 0;
  gint left = 0, top = 0, right = (gint) width - 1, bottom = (gint) height - 1;

  for (gsize i = 0; i < (gsize) width * height; i++)
    plane[i] = low;
  while (left <= right && top <= bottom && turns < 2) {
    const gint nx = x + dx[direction], ny = y + dy[direction];

    plane[(gsize) y * width + (gsize) x] = high;
    if (nx >= left && nx <= right && ny >= top && ny <= bottom) {
      x = nx;
      y = ny;
      turns = 0;
      continue;
    }
    /* the side that was walked along moves in by two */
    top += direction == 0 ? 2 : 0;
    right -= direction == 1 ? 2 : 0;
    bottom -= direction == 2 ? 2 : 0;
    left += direction == 3 ? 2 : 0;
    direction = (direction + 1) % 4;
    turns++;
  }
}

static void
draw_bubbles (Random * random, guint width, guint height, double level,
    double *plane)
{
  guint n = 1 + width * height / 200, k;

  for (gsize i = 0; i < (gsize) width * height; i++)
    plane[i] = level - 1.;
  for (k = 0; k < n; k++) {
    const gint cx = (gint) random_below (random, width);
    const gint cy = (gint) random_below (random, height);
    const gint radius = 1 + (gint) random_below (random, 14);
    const double value = level + (random_below (random, 2) ? 1. : -1.);
    gint x, y;

    for (y = MAX (cy - radius, 0); y <= MIN (cy + radius, (gint) height - 1);
        y++)
      for (x = MAX (cx - radius, 0); x <= MIN (cx + radius, (gint) width - 1);
          x++)
        if ((x - cx) * (x - cx) + (y - cy) * (y - cy) <= radius * radius)
          plane[(gsize) y * width + (gsize) x] = value;
  }
}

static double
near_level (Random * random, double level)
{
  static const double values[] = { 0., -0., 4.9e-324, -4.9e-324, 1e-310,
    1.4e-45, 1e-40, 1e300, -1e300, 3e38, -3e38, 65504., 6e-8
  };

  switch (random_below (random, 6)) {
    case 0:
      return level;
    case 1:
      return nextafter (level, INFINITY);
    case 2:
      return nextafter (level, -INFINITY);
    case 3:
      return (double) nextafterf ((float) level,
          random_below (random, 2) ? INFINITY : -INFINITY);
    case 4:
      return values[random_below (random, G_N_ELEMENTS (values))];
    default:
      return level + (random_unit (random) - .5) * 2.;
  }
}

/* Fills whose pixels do not depend on each other. */
static double
pixel_value (Fill fill, Random * random, guint r, guint c, guint width,
    guint height, double level, double top)
{
  switch (fill) {
    case FILL_ZERO:
      return 0.;
    case FILL_MAX:
      return top;
    case FILL_LEVEL:
      return level;
    case FILL_BINARY:
      return level + (random_below (random, 2) ? 1. : -1.);
    case FILL_TERNARY:
      return level + (double) random_below (random, 3) - 1.;
    case FILL_CHECKERBOARD:
      return (r + c) & 1 ? level + 1. : level - 1.;
    case FILL_ROWS:
      return r & 1 ? level + 1. : level - (r & 2);
    case FILL_COLUMNS:
      return c & 1 ? level + 1. : level - (c & 2);
    case FILL_DIAGONAL:
      return (r + c) % 3 ? level + 1. : level;
    case FILL_NAN:
      return random_below (random, 9) ? top * random_unit (random) : NAN;
    case FILL_INFINITE:
      return random_below (random, 5) ? level + (double) random_below (random,
          3) - 1. : random_below (random, 2) ? INFINITY : -INFINITY;
    case FILL_NEAR_LEVEL:
      return near_level (random, level);
    case FILL_DOTS:
      return r % 4 == 1 && c % 4 == 2 ? level + 1. : level - 1.;
    case FILL_FRAME:
      return r == 0 || c == 0 || r == height - 1 || c == width - 1 ?
          level + 1. : level - 2.;
    case FILL_SPARSE:
      return random_below (random, 300) ? level - 1. : level + 2.;
    default:
      return top * random_unit (random);
  }
}

static void
quantize (double *plane, gsize n, double level)
{
  for (gsize i = 0; i < n; i++)
    plane[i] = level + floor ((plane[i] - level) / 8.);
}

void
fill_plane (Fill fill, Random * random, guint width, guint height,
    double level, double top, double *plane)
{
  const gsize n = (gsize) width * height;
  const double fx = 1. + 12. * random_unit (random);
  const double fy = 1. + 12. * random_unit (random);

  switch (fill) {
    case FILL_SPIRAL:
      draw_spiral (width, height, level - 1., level + 1., plane);
      return;
    case FILL_BUBBLES:
      draw_bubbles (random, width, height, level, plane);
      return;
    case FILL_BLURRED:
    case FILL_PLATEAU:
      for (gsize i = 0; i < n; i++)
        plane[i] = level;
      for (gsize i = 0; i < 4; i++)
        add_octave (random, width, height, 2u << i, 20. * (double) (i + 1),
            plane);
      if (fill == FILL_PLATEAU)
        quantize (plane, n, level);
      return;
    default:
      break;
  }
  for (guint r = 0; r < height; r++)
    for (guint c = 0; c < width; c++) {
      double *at = plane + (gsize) r * width + c;

      if (fill == FILL_SMOOTH)
        *at = level + top / 2. * sin (fx * c / width) * sin (fy * r / height) +
            top / 50.;
      else
        *at = pixel_value (fill, random, r, c, width, height, level, top);
    }
}

/* To half precision, toward zero. */
static guint16
half_from_double (double value)
{
  const guint16 sign = signbit (value) ? 0x8000 : 0;
  double size = fabs (value), fraction;
  int exponent;

  if (isnan (value))
    return 0x7e00;
  if (isinf (value))
    return sign | 0x7c00;
  if (size >= 65504.)
    return sign | 0x7bff;
  fraction = frexp (size, &exponent);   /* .5 <= fraction < 1 */
  if (size == 0. || exponent < -24)
    return sign;
  if (exponent < -13)
    return sign | (guint16) ldexp (size, 24);
  return sign | (guint16) ((exponent + 14) << 10) |
      (guint16) (ldexp (fraction, 11) - 1024.);
}

void
store_sample (CsSampleType type, double value, void *at)
{
  const double whole = isnan (value) ? 0. : floor (value + .5);
  guint16 u16;
  float f32;

  switch (type) {
    case CS_SAMPLE_U8:
      *(guint8 *) at = (guint8) CLAMP (whole, 0., 255.);
      break;
    case CS_SAMPLE_U16:
      u16 = (guint16) CLAMP (whole, 0., 65535.);
      memcpy (at, &u16, 2);
      break;
    case CS_SAMPLE_F16:
      u16 = half_from_double (value);
      memcpy (at, &u16, 2);
      break;
    case CS_SAMPLE_F32:
      f32 = (float) value;
      memcpy (at, &f32, 4);
      break;
    case CS_SAMPLE_F64:
      memcpy (at, &value, 8);
      break;
  }
}
