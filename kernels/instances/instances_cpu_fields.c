/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: samples of fields, and from them values of the grid's nodes. */
#include "instances_cpu.h"

#include <string.h>

#include "base/clones.h"

/* Samples whose sums are in registers */
#define GROUP 32

/**
 * Samples:
 * @fields: as in cs_instances_cpu_fill()
 * @field: of @fields, if there are no @coefficients
 * @coefficients: %NULL, or of each prototype
 * @first, @n: the columns of samples that the grid needs
 * @base_first, @base_n: the columns of the field for them
 * @bases: two rows of the field, resized fields only
 * @base_row: which
 */
typedef struct
{
  const CsInstancesJob *job;
  const CsImage *fields;
  guint field;
  const float *coefficients;
  gint first, n;
  gint base_first, base_n;
  float *bases[2];
  gint base_row[2];
} Samples;

/* to[i] = the sum of the prototypes' from[i], a @plane apart, times theirs of
 * the @n_coefficients. */
CS_CLONES static void
multiply (const float *from, gsize plane, const float *coefficients,
    guint n_coefficients, float *to, gint n)
{
  gint i;

  for (i = 0; i + GROUP <= n; i += GROUP) {
    float sum[GROUP] = { 0.f };

    for (guint k = 0; k < n_coefficients; k++) {
      const float *row = from + k * plane + i;
      const float c = coefficients[k];

      for (gint l = 0; l < GROUP; l++)
        sum[l] += c * row[l];
    }
    memcpy (to + i, sum, sizeof (sum));
  }
  for (gint l = i; l < n; l++)
    to[l] = 0.f;
  for (guint k = 0; k < n_coefficients && i < n; k++) {
    const float *row = from + k * plane;
    const float c = coefficients[k];

    for (gint l = i; l < n; l++)
      to[l] += c * row[l];
  }
}

/* @n samples of the field's row @row, from column @first on. */
static void
read_field (const Samples * samples, gint first, gint row, float *to, gint n)
{
  const CsImage *fields = samples->fields;
  const guint8 *from = (const guint8 *) fields->data +
      row * fields->row_stride + first * fields->pixel_stride;

  if (samples->coefficients) {
    multiply ((const float *) from, fields->channel_stride / sizeof (float),
        samples->coefficients, fields->channels, to, n);
    return;
  }
  from += samples->field * fields->channel_stride;
  if (fields->type == CS_SAMPLE_F32 && fields->pixel_stride == sizeof (float)) {
    memcpy (to, from, n * sizeof (float));
    return;
  }
  for (gint i = 0; i < n; i++)
    to[i] = (float) cs_sample_load (from + i * fields->pixel_stride,
        fields->type);
}

/* The row @row of the field, for resizing. */
static const float *
get_base (Samples * samples, gint row)
{
  const guint slot = row & 1;

  if (samples->base_row[slot] != row) {
    read_field (samples, samples->base_first, row, samples->bases[slot],
        samples->base_n);
    samples->base_row[slot] = row;
  }
  return samples->bases[slot];
}

/* Samples of row @row, which is one of those that count. */
static void
read_inside (Samples * samples, gint first, gint row, float *to, gint n)
{
  const CsInstancesInput *input = samples->job->input;
  const CsImage *fields = samples->fields;
  double down, right;

  first += (gint) input->grid_x;
  row += (gint) input->grid_y;
  if (!input->resized_width) {
    read_field (samples, first, row, to, n);
    return;
  }
  cs_instances_take (CS_INSTANCES_RESIZED);
  const gint upper = cs_instances_resized (row, fields->height,
      input->resized_height, &down);
  const float *from = get_base (samples, upper);
  const float *below = down > 0. ? get_base (samples, upper + 1) : from;

  for (gint i = 0; i < n; i++) {
    const gint at = cs_instances_resized (first + i, fields->width,
        input->resized_width, &right) - samples->base_first;
    const gint next = right > 0. ? at + 1 : at;

    to[i] = cs_instances_resize (from[at], from[next], below[at], below[next],
        right, down);
  }
}

/* Samples of row @row of all that the grid needs. */
static void
read_row (Samples * samples, gint row, float *to)
{
  const gint width = samples->job->width;
  const gint before = MAX (-samples->first, 0);
  const gint after = MAX (samples->first + samples->n - width, 0);

  if (row < 0 || row >= (gint) samples->job->height) {
    memset (to, 0, samples->n * sizeof (float));
    return;
  }
  memset (to, 0, before * sizeof (float));
  read_inside (samples, samples->first + before, row, to + before,
      samples->n - before - after);
  memset (to + samples->n - after, 0, after * sizeof (float));
}

/* Row @row of samples, at the columns' lines. */
static void
read_lines (Samples * samples, const CsInstancesAxis * x, gint row,
    float *buffer, double *to)
{
  double fraction;

  read_row (samples, row, buffer);
  for (guint line = 1; line <= x->n; line++) {
    const gint at = cs_instances_tap (x, line, &fraction) - samples->first;
    const double from = cs_instances_finite (buffer[at]);

    to[line - 1] = fraction > 0. ? cs_instances_between (from,
        cs_instances_finite (buffer[at + 1]), fraction) : from;
  }
}

static void
fill_row (Samples * samples, const CsInstancesGrid * grid, guint line,
    CsInstancesLane * lane, float *to)
{
  const double level = samples->job->params->level;
  const guint n = grid->x.n;
  double *upper = lane->lines.data, *lower = upper + n;
  double fraction;
  const gint row = cs_instances_tap (&grid->y, line, &fraction);

  read_lines (samples, &grid->x, row, lane->samples.data, upper);
  if (fraction > 0.) {
    read_lines (samples, &grid->x, row + 1, lane->samples.data, lower);
    for (guint i = 0; i < n; i++)
      upper[i] = cs_instances_between (upper[i], lower[i], fraction);
  }
  for (guint i = 0; i < n; i++)
    to[i] = cs_instances_round (upper[i] - level);
}

static void
pack_row (const float *values, guint n, guint32 * words, guint n_words)
{
  for (guint w = 0; w < n_words; w++) {
    const guint begin = w ? 32 * w : 1, end = MIN (32 * w + 32, n + 1);
    guint32 word = 0;

    for (guint c = begin; c < end; c++)
      word |= (guint32) (values[c - 1] > 0.f) << (c - 32 * w);
    words[w] = word;
  }
}

/* --- Objects -------------------------------------------------------------- */

static gboolean
ensure (CsInstancesLane * lane, const Samples * samples,
    const CsInstancesGrid * grid, GError ** error)
{
  const gsize nodes = (gsize) grid->x.n * grid->y.n;
  const gsize words = (gsize) grid->words * (grid->y.n + 2);

  return cs_scratch_ensure (&lane->values, nodes * sizeof (float), error) &&
      cs_scratch_ensure (&lane->bits, words * sizeof (guint32), error) &&
      cs_scratch_ensure (&lane->samples, samples->n * sizeof (float), error) &&
      cs_scratch_ensure (&lane->bases, 2 * (gsize) samples->base_n *
      sizeof (float), error) &&
      cs_scratch_ensure (&lane->lines, 2 * (gsize) grid->x.n * sizeof (double),
      error);
}

/* @grid's coefficients in a row. */
static gboolean
gather_coefficients (Samples * samples, const CsInstancesGrid * grid,
    CsInstancesLane * lane, GError ** error)
{
  const CsImage *all = samples->job->input->coefficients;

  if (!all)
    return TRUE;
  float *row = cs_scratch_ensure (&lane->coefficients,
      all->width * sizeof (float), error);
  if (!row)
    return FALSE;
  for (guint k = 0; k < all->width; k++)
    row[k] = (float) cs_sample_load ((const guint8 *) all->data +
        grid->field * all->row_stride + k * all->pixel_stride, all->type);
  samples->coefficients = row;
  return TRUE;
}

static void
find_columns (Samples * samples, const CsInstancesAxis * x)
{
  const CsInstancesInput *input = samples->job->input;
  const gint width = samples->job->width;
  double fraction;

  samples->first = x->tap[0];
  samples->n = x->tap[1] + (x->fraction[1] > 0.) - x->tap[0] + 1;
  if (!input->resized_width)
    return;
  /* none, if only what is beyond the samples is needed */
  const gint first = MAX (samples->first, 0);
  const gint last = MAX (MIN (samples->first + samples->n, width) - 1, first);
  const gint offset = (gint) input->grid_x;
  samples->base_first = cs_instances_resized (first + offset,
      samples->fields->width, input->resized_width, &fraction);
  samples->base_n = cs_instances_resized (last + offset, samples->fields->width,
      input->resized_width, &fraction) - samples->base_first + 1;
  samples->base_n += fraction > 0.;
}

gboolean
cs_instances_cpu_fill (const CsInstancesJob * job, const CsImage * fields,
    const CsInstancesGrid * grid, CsInstancesLane * lane, GError ** error)
{
  Samples samples = {.job = job,.fields = fields,.field = grid->field,
    .base_row = {-1, -1}
  };

  find_columns (&samples, &grid->x);
  if (!gather_coefficients (&samples, grid, lane, error) ||
      !ensure (lane, &samples, grid, error))
    return FALSE;
  samples.bases[0] = lane->bases.data;
  samples.bases[1] = samples.bases[0] + samples.base_n;

  float *values = lane->values.data;
  guint32 *bits = lane->bits.data;
  memset (bits, 0, grid->words * sizeof (guint32));
  for (guint line = 1; line <= grid->y.n; line++) {
    fill_row (&samples, grid, line, lane, values);
    pack_row (values, grid->x.n, bits + (gsize) line * grid->words,
        grid->words);
    values += grid->x.n;
  }
  memset (bits + (gsize) (grid->y.n + 1) * grid->words, 0,
      grid->words * sizeof (guint32));
  return TRUE;
}
