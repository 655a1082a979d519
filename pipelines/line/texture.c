/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How far a piece has turned between two pictures, as its skin shows. */

#include "texture.h"

#include <math.h>

/* A place that is seen at less than this cosine says little. */
#define LEAST_COSINE 0.35
/* Degrees from the pole; there longitudes are too near to each other. */
#define LEAST_POLE 15

/* The light is the mean of the newest of so many pieces; before it is that of
 * this many it is not known. */
#define MOST_PIECES 64
#define LEAST_PIECES 12

/* A share counts as at most so many times their mean: no mark, or reflection of a
 * lamp, says more than all else. */
#define MOST_SHARE 2

/* Of the brightness in the mean; what is darker even so is not lit */
#define LEAST_LIGHT 0.05f

/* A turn is believed if a fifth of the samples are seen again, and to each other
 * turn, farther than WIDTH degrees from there, this many times as much is missing
 * to a correlation of 1. */
#define LEAST_OVERLAP 0.2f
#define LEAST_FACTOR 2.5f
#define WIDTH 12

/* Degrees around 0 that are looked at, too: the piece may stand still. That is
 * believed of one with this contrast, for less may be light that is not as it was
 * learnt. */
#define STILL 9
#define STILL_CONTRAST 0.025f
/* Of the nominal turn, in degrees */
#define MOST_TURN 1e6
/* Turns that are looked at; nominal ones are up to half a turn from 0 then */
#define MOST_SHIFTS ((180 + LINE_TEXTURE_RANGE + STILL) / LINE_TEXTURE_STEP + 1)

/* Samples side by side, and behind each row, where there is nothing */
#define LANES LINE_TEXTURE_LANES

struct _LineTextureGrid
{
  /* with those behind the rows, and without */
  guint n, n_samples, n_rows;
  /* of a row: its first sample; samples to either side of the middle one */
  guint first[LINE_TEXTURE_ROWS];
  gint half[LINE_TEXTURE_ROWS];
  /* square roots of the rows' surfaces */
  gfloat weights[LINE_TEXTURE_ROWS];
  /* where a sample is, in radii from the centre; NaN behind a row */
  gfloat u[LINE_TEXTURE_SAMPLES], v[LINE_TEXTURE_SAMPLES];
};

/* Floats are added in the order that is written, so these are sums side by
 * side, which one instruction adds to. Behind @n, up to a whole number of
 * lanes, one of the two is 0. */
static void
add_products (gfloat * sums, const gfloat * a, const gfloat * b, guint n)
{
  for (guint i = 0; i < n; i += LANES)
    for (guint k = 0; k < LANES; k++)
      sums[k] += a[i + k] * b[i + k];
}

/* Grid */

static void
add_row (LineTextureGrid * grid, gdouble latitude, gdouble st, gdouble ct)
{
  const guint row = grid->n_rows;
  const gdouble y = sin (latitude), r = cos (latitude);
  gint half = -1;

  while (half < 59 && y * st + r * cos ((half + 1) * LINE_TEXTURE_STEP
          * G_PI / 180) * ct > LEAST_COSINE)
    half++;
  if (half < 0)
    return;
  grid->first[row] = grid->n;
  grid->half[row] = half;
  grid->weights[row] = sqrt (r);
  grid->n_rows++;
  for (gint k = -half; k <= half; k++) {
    const gdouble longitude = k * LINE_TEXTURE_STEP * G_PI / 180;
    const gdouble lx = r * sin (longitude), lz = r * cos (longitude);

    grid->u[grid->n] = lx;
    grid->v[grid->n++] = y * ct - lz * st;
  }
  grid->n_samples += 2 * half + 1;
  for (guint k = 0; k < LANES; k++, grid->n++)
    grid->u[grid->n] = grid->v[grid->n] = NAN;
}

LineTextureGrid *
line_texture_grid_new (gdouble tilt)
{
  LineTextureGrid *grid = g_new0 (LineTextureGrid, 1);
  const gdouble reach = acos (LEAST_COSINE) * 180 / G_PI;
  const gdouble from = MAX (tilt - reach, LEAST_POLE - 90);
  const gdouble to = MIN (tilt + reach, 90 - LEAST_POLE);
  const gdouble step = (to - from) / LINE_TEXTURE_ROWS;

  for (guint i = 0; i < LINE_TEXTURE_ROWS && step > 0; i++)
    add_row (grid, (from + (i + 0.5) * step) * G_PI / 180,
        sin (tilt * G_PI / 180), cos (tilt * G_PI / 180));
  return grid;
}

void
line_texture_grid_free (LineTextureGrid * grid)
{
  g_free (grid);
}

/* Texture */

/* Square of @n x @n pixels, some twice, as wide as from sample to sample */
typedef struct
{
  const LineTexturePicture *picture;
  guint n;
  gfloat step;
} Brush;

/* Returns: the brightness around (x, y); negative if some is outside */
static gfloat
look_at (const Brush * brush, gfloat x, gfloat y)
{
  const LineTexturePicture *picture = brush->picture;
  const gfloat reach = (brush->n - 1) * 0.5f * brush->step;
  guint sum = 0;

  /* pixels' middles are at whole numbers */
  x += 0.5f - reach;
  y += 0.5f - reach;
  if (!(x >= 0 && y >= 0 && x + 2 * reach < picture->columns
          && y + 2 * reach < picture->rows))
    return -1;
  for (guint i = 0; i < brush->n; i++) {
    const guint8 *line = picture->rgb + (gsize) (guint) (y + i * brush->step)
        * picture->columns * 3;

    for (guint k = 0; k < brush->n; k++) {
      const guint8 *p = line + 3 * (guint) (x + k * brush->step);

      sum += p[0] + 2 * p[1] + p[2];
    }
  }
  return sum;
}

/* Returns: the samples that are in the picture */
static guint
take_samples (const LineTextureGrid * grid, const LineTexturePicture * picture,
    gfloat x, gfloat y, gfloat radius, gfloat * values)
{
  const gfloat step = radius * (gfloat) (LINE_TEXTURE_STEP * G_PI / 180);
  const guint width = CLAMP ((guint) ceilf (step), 2, 4);
  const Brush brush = { picture, width, step / width };
  guint n = 0;

  for (guint i = 0; i < grid->n; i++) {
    values[i] = look_at (&brush, x + radius * grid->u[i],
        y + radius * grid->v[i]);
    n += values[i] >= 0;
  }
  return n;
}

/* Shares of what is brighter than the light on the same samples; 0 where there
 * is none. Returns: the sum of the absolute ones */
static gfloat
compare_light (const LineTextureGrid * grid, const LineTextureLight * light,
    const gfloat * values, gfloat mean, gfloat * shares)
{
  const guint n = grid->n;
  gfloat sum = 0, most;

  for (guint i = 0; i < n; i++) {
    const gfloat lit = mean * MAX (light->values[i], LEAST_LIGHT);

    shares[i] = values[i] < 0 ? 0 : values[i] / lit - 1;
    sum += fabsf (shares[i]);
  }
  most = MOST_SHARE * sum / grid->n_samples;
  for (guint i = 0; i < n; i++)
    shares[i] = CLAMP (shares[i], -most, most);
  return sum;
}

static void
sum_squares (const LineTextureGrid * grid, LineTexture * texture)
{
  for (guint row = 0; row < grid->n_rows; row++) {
    gfloat *values = &texture->values[grid->first[row]], sum = 0;
    gfloat *sums = &texture->squares[grid->first[row]];

    for (gint k = 0; k <= 2 * grid->half[row]; k++) {
      values[k] *= grid->weights[row];
      sums[k] = sum;
      sum += values[k] * values[k];
    }
    sums[2 * grid->half[row] + 1] = sum;
  }
}

void
line_texture_read (const LineTextureGrid * grid, LineTextureLight * light,
    const LineTexturePicture * picture, gdouble x, gdouble y, gdouble radius,
    LineTexture * texture)
{
  const guint n = grid->n;
  gfloat values[LINE_TEXTURE_SAMPLES], mean;

  texture->is_known = FALSE;
  if (!(radius >= LINE_TEXTURE_LEAST_RADIUS && radius <= 16384
          && fabs (x) <= 65536 && fabs (y) <= 65536) || n == 0
      || 4 * take_samples (grid, picture, x, y, radius, values)
      < 3 * grid->n_samples)
    return;
  /* Of the samples that are there. */
  gfloat sum = 0;
  guint known = 0;
  for (guint i = 0; i < n; i++) {
    sum += MAX (values[i], 0);
    known += values[i] >= 0;
  }
  mean = sum / MAX (known, 1);
  if (!(mean > 0))
    return;
  if (light->n >= LEAST_PIECES) {
    texture->contrast = compare_light (grid, light, values, mean,
        texture->values) / grid->n_samples;
    sum_squares (grid, texture);
    texture->is_known = TRUE;
  }
  light->n = MIN (light->n + 1, MOST_PIECES);
  gfloat weight = 1.0f / light->n;
  for (guint i = 0; i < n; i++)
    if (values[i] >= 0)
      light->values[i] += weight * (values[i] / mean - light->values[i]);
}

/* Turn */

/* Of the samples that both show, if @after is turned back by @shift samples.
 * Returns: 0 if those are too few */
static gfloat
correlate (const LineTextureGrid * grid, const LineTexture * before,
    const LineTexture * after, gint shift)
{
  const guint length = ABS (shift);
  gfloat sums[LANES] = { 0 }, product = 0, a2 = 0, b2 = 0;
  guint overlap = 0;

  for (guint row = 0; row < grid->n_rows; row++) {
    const guint all = 2 * grid->half[row] + 1;
    const guint n = all > length ? all - length : 0;
    const guint a = grid->first[row] + (shift < 0 ? length : 0);
    const guint b = grid->first[row] + (shift > 0 ? length : 0);

    if (n == 0)
      continue;
    overlap += n;
    add_products (sums, &before->values[a], &after->values[b], n);
    a2 += before->squares[a + n] - before->squares[a];
    b2 += after->squares[b + n] - after->squares[b];
  }
  for (guint k = 0; k < LANES; k++)
    product += sums[k];
  return overlap > LEAST_OVERLAP * grid->n_samples && a2 > 0 && b2 > 0 ?
      product / sqrtf (a2 * b2) : 0;
}

/* Returns: whether the one at @best is a peak, and no other one nearly as
 * high */
static gboolean
is_clear (const gfloat * values, gint n, gint best)
{
  if (best == 0 || best == n - 1)
    return FALSE;
  for (gint i = 0; i < n; i++)
    if (ABS (i - best) * LINE_TEXTURE_STEP > WIDTH
        && 1 - values[i] < LEAST_FACTOR * (1 - values[best]))
      return FALSE;
  return TRUE;
}

/* Where the parabola through the greatest value and its neighbours is highest */
static gdouble
refine (const gfloat * values)
{
  const gdouble bend = values[-1] - 2 * values[0] + values[1];

  return bend < 0 ? 0.5 * (values[-1] - values[1]) / bend : 0;
}

gdouble
line_texture_find_turn (const LineTextureGrid * grid,
    const LineTexture * before, const LineTexture * after, gdouble nominal)
{
  const gdouble whole = 360 * rint (nominal / 360), part = nominal - whole;
  const gdouble low = MIN (part - LINE_TEXTURE_RANGE, -STILL);
  const gdouble high = MAX (part + LINE_TEXTURE_RANGE, STILL);
  gfloat values[MOST_SHIFTS] = { 0 };
  gint first, n = 0, best = 0;

  if (!before->is_known || !after->is_known || !(fabs (nominal) <= MOST_TURN))
    return NAN;
  first = ceil (low / LINE_TEXTURE_STEP);
  for (; (first + n) * LINE_TEXTURE_STEP <= high; n++) {
    values[n] = correlate (grid, before, after, first + n);
    if (values[n] > values[best])
      best = n;
  }
  if (!is_clear (values, n, best))
    return NAN;
  gdouble turn = (first + best + refine (&values[best])) * LINE_TEXTURE_STEP;
  return fabs (turn) < STILL && MIN (before->contrast, after->contrast)
      < STILL_CONTRAST ? NAN : whole + turn;
}
