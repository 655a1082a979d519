/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tones.h"

#include <math.h>

/* Whether a record of @n floats has skin, and all that it says is possible; it
 * may come from a file. */
static gboolean
is_good (const gfloat * record, gsize n)
{
  const gfloat pixels = record[LINE_TONE_PIXELS];

  if (!(pixels >= 1) || !isfinite (pixels))
    return FALSE;
  for (gsize i = LINE_TONE_LIGHTNESS; i < LINE_TONE_HEAD; i++)
    if (!isfinite (record[i]))
      return FALSE;
  for (gsize i = LINE_TONE_HEAD; i < n; i++)
    if (!(record[i] >= 0 && record[i] <= pixels))
      return FALSE;
  return TRUE;
}

/* (nullable): what @view says of @cup */
static const gfloat *
find_record (const LineView * view, guint cup, guint cups, guint n_colours)
{
  const gsize n = view->n_tones / cups;

  if (n * cups != view->n_tones || n < LINE_TONE_HEAD + n_colours)
    return NULL;
  const gfloat *record = view->tones + cup * n;
  return is_good (record, n) ? record : NULL;
}

LineTone
line_tones_mean (const LineSight * sights, const LineView * const *views,
    guint n, guint cups, guint n_colours)
{
  LineTone tone = { 0 };

  for (guint i = 0; i < n; i++) {
    const gfloat *record =
        find_record (views[i], sights[i].cup, cups, n_colours);

    if (!record)
      continue;
    const gdouble pixels = record[LINE_TONE_PIXELS];
    tone.looks++;
    tone.pixels += pixels;
    for (guint k = 0; k < 3; k++)
      tone.lab[k] += pixels * record[LINE_TONE_LIGHTNESS + k];
    for (guint k = 0; k < n_colours; k++)
      tone.shares[k] += 100 * record[LINE_TONE_HEAD + k];
  }
  for (guint k = 0; k < 3 && tone.looks > 0; k++)
    tone.lab[k] /= tone.pixels;
  for (guint k = 0; k < n_colours && tone.looks > 0; k++)
    tone.shares[k] /= tone.pixels;
  return tone;
}
