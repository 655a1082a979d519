/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: samples of fields, and from them values of the grid's nodes. */
#include "instances_cpu.h"

#include <string.h>

#include "base/clones.h"

/* Samples whose sums are computed at once, at most */
#define MAX_GROUP 32

/* Values of a row that are computed, or bits that are packed, at once */
#define GROUP 8
#define WORD 32

/* Samples and levels up to this are what they say, and their differences, too:
 * less than CS_INSTANCES_LARGE */
#define ORDINARY 1e29

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

/* Of @size samples, whose sums are in registers. */
static inline __attribute__ ((always_inline)) void
multiply_group (const float *from, gsize plane, const float *coefficients,
    guint n_coefficients, float *to, const gint size)
{
  float sum[MAX_GROUP] = { 0.f };

  for (guint k = 0; k < n_coefficients; k++) {
    const float *row = from + k * plane;
    const float c = coefficients[k];

    for (gint l = 0; l < size; l++)
      sum[l] += c * row[l];
  }
  memcpy (to, sum, size * sizeof (float));
}

/* to[i] = the sum of the prototypes' from[i], a @plane apart, times theirs of
 * the @n_coefficients. A last group of a few samples begins with some of those
 * before it. */
CS_CLONES static void
multiply (const float *from, gsize plane, const float *coefficients,
    guint n_coefficients, float *to, gint n)
{
  gint i = 0;

#define MULTIPLY(size) \
    multiply_group (from + i, plane, coefficients, n_coefficients, to + i, size)
  for (; i + 32 <= n; i += 32)
    MULTIPLY (32);
  if (n - i >= 24) {
    MULTIPLY (24);
    i += 24;
  } else if (n - i >= 16) {
    MULTIPLY (16);
    i += 16;
  }
  while (n >= 8 && i < n) {
    i = MIN (i, n - 8);
    MULTIPLY (8);
    i += 8;
  }
  while (n >= 4 && i < n) {
    i = MIN (i, n - 4);
    MULTIPLY (4);
    i += 4;
  }
  for (; i < n; i++)
    MULTIPLY (1);
#undef MULTIPLY
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

/* A row of samples, at the columns' lines. */
static void
read_lines (const Samples * samples, const CsInstancesAxis * x,
    const float *buffer, double *to)
{
  double fraction;

  for (guint line = 1; line <= x->n; line++) {
    const gint at = cs_instances_tap (x, line, &fraction) - samples->first;
    const double from = cs_instances_finite (buffer[at]);

    to[line - 1] = fraction > 0. ? cs_instances_between (from,
        cs_instances_finite (buffer[at + 1]), fraction) : from;
  }
}

/* The values of a line of rows that is @fraction behind row @row of samples,
 * which is read; of any samples. */
static void
fill_between (Samples * samples, const CsInstancesAxis * x, gint row,
    double fraction, CsInstancesLane * lane, float *to)
{
  const double level = samples->job->params->level;
  double *upper = lane->lines.data, *lower = upper + x->n;

  read_lines (samples, x, lane->samples.data, upper);
  if (fraction > 0.) {
    read_row (samples, row + 1, lane->samples.data);
    read_lines (samples, x, lane->samples.data, lower);
    for (guint i = 0; i < x->n; i++)
      upper[i] = cs_instances_between (upper[i], lower[i], fraction);
  }
  for (guint i = 0; i < x->n; i++)
    to[i] = cs_instances_round (upper[i] - level);
}

/* Of @n samples, without branches, as cs_instances_round() does. Returns: whether
 * all are ordinary; otherwise values are undefined */
static inline __attribute__ ((always_inline)) gboolean
subtract_group (const float *restrict from, double level, float *restrict to,
    const gint n)
{
  guint32 others = 0;

  for (gint i = 0; i < n; i++) {
    const double value = from[i] - level;
    const double raised = value < 1e-37 ? 1e-37 : value;

    to[i] = (float) (value > 0. ? raised : value);
  }
  for (gint i = 0; i < n; i++)
    others |= fabsf (from[i]) <= (float) ORDINARY ? 0u : 1u;
  return others == 0;
}

CS_CLONES static gboolean
subtract (const float *from, double level, float *to, guint n)
{
  gboolean ordinary = TRUE;
  guint i = 0;

  while (n >= GROUP && i < n) {
    i = MIN (i, n - GROUP);
    ordinary &= subtract_group (from + i, level, to + i, GROUP);
    i += GROUP;
  }
  for (; i < n; i++)
    ordinary &= subtract_group (from + i, level, to + i, 1);
  return ordinary;
}

/* The value of the first or the last line of columns in a row of samples. */
static float
end_value (const Samples * samples, const CsInstancesAxis * x, gint end,
    const float *row)
{
  const gint at = x->tap[end] - samples->first;
  const double from = cs_instances_finite (row[at]);

  return cs_instances_round ((x->fraction[end] > 0. ?
          cs_instances_between (from, cs_instances_finite (row[at + 1]),
              x->fraction[end]) : from) - samples->job->params->level);
}

/* The values of line @line. Nearly all of them are those of a sample. */
static void
fill_row (Samples * samples, const CsInstancesGrid * grid, guint line,
    CsInstancesLane * lane, float *to)
{
  const double level = samples->job->params->level;
  const CsInstancesAxis *x = &grid->x;
  const float *row = lane->samples.data;
  double fraction;
  const gint at = cs_instances_tap (&grid->y, line, &fraction);

  read_row (samples, at, lane->samples.data);
  if (fraction > 0. || !(fabs (level) <= ORDINARY) ||
      !subtract (row + (x->first - samples->first), level, to + 1, x->n - 2)) {
    fill_between (samples, x, at, fraction, lane, to);
    return;
  }
  to[0] = end_value (samples, x, 0, row);
  to[x->n - 1] = end_value (samples, x, 1, row);
}

CS_CLONES static guint32
pack_word (const float *values)
{
  guint32 word = 0;

  for (guint32 i = 0; i < WORD; i++)
    word |= (values[i] > 0.f ? 1u : 0u) << i;
  return word;
}

/* Bits of @n values; as many as fill the words can be read. */
static void
pack_row (const float *values, guint n, guint32 * words, guint n_words)
{
  words[0] = pack_word (values) << 1;
  for (guint w = 1; w < n_words; w++)
    words[w] = pack_word (values + WORD * w - 1);
  /* nodes 1 to n */
  words[n_words - 1] &= (1u << (n + 1) % WORD) - 1;
}

/* --- Objects -------------------------------------------------------------- */

static gboolean
ensure (CsInstancesLane * lane, const Samples * samples,
    const CsInstancesGrid * grid, GError ** error)
{
  const gsize nodes = (gsize) grid->x.n * grid->y.n;
  const gsize words = (gsize) grid->words * (grid->y.n + 2);

  return cs_scratch_ensure (&lane->values, (nodes + WORD) * sizeof (float),
      error) &&
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
