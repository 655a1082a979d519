/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bins on the CPU: which marks touch each field. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "raster_cpu.h"

#include <string.h>

/* What choosing between bins and the whole array goes by: nanoseconds for
 * looking at a mark, and for putting it into a bin; how many layers a pixel
 * needs until nothing is seen of what is behind. */
#define LOOK_COST .5
#define BIN_COST 5.
#define LAYERS_NEEDED 40.

/* The fields that a mark's bounds touch, inclusive. */
static void
field_range (const CsRasterMark * mark, const CsRasterBins * bins,
    gint range[4])
{
  const float reach = mark->radius + mark->half_width + .5f +
      cs_raster_slack (mark);
  const float ex = mark->x + mark->bx, ey = mark->y + mark->by;
  const float right = bins->fields_per_row - 1;
  const float bottom = bins->field_rows - 1;

  range[0] = CLAMP ((MIN (mark->x, ex) - reach) / CS_FIELD, 0, right);
  range[1] = CLAMP ((MIN (mark->y, ey) - reach) / CS_FIELD, 0, bottom);
  range[2] = CLAMP ((MAX (mark->x, ex) + reach) / CS_FIELD, 0, right);
  range[3] = CLAMP ((MAX (mark->y, ey) + reach) / CS_FIELD, 0, bottom);
}

static inline gboolean
touches_field (const CsRasterMark * mark, guint field_x, guint field_y)
{
  const float x = (float) field_x * CS_FIELD, y = (float) field_y * CS_FIELD;

  return cs_raster_touches (mark, x, y, x + (CS_FIELD - 1), y + (CS_FIELD - 1));
}

/* Calls for each field that a mark touches: counts, or fills in. */
static guint64
each_field (const CsRasterBins * bins, const CsRasterOrder * order,
    guint32 * starts, guint32 * items)
{
  guint64 n = 0;
  gsize i;

  for (i = 0; i < order->n; i++) {
    const CsRasterMark *mark = &order->marks[i];
    gboolean is_one;
    gint range[4], x, y;

    if (mark->radius < 0)
      continue;
    field_range (mark, bins, range);
    is_one = range[0] == range[2] && range[1] == range[3];
    for (y = range[1]; y <= range[3]; y++) {
      for (x = range[0]; x <= range[2]; x++) {
        const guint field = y * bins->fields_per_row + x;

        if (!is_one && !touches_field (mark, x, y))
          continue;
        if (items)
          items[starts[field]++] = i;
        else
          starts[field]++;
        n++;
      }
    }
  }
  return n;
}

/* Whether looking at all marks for each field costs more than bins. */
static gboolean
wants_bins (const CsRasterBins * bins, const CsRasterOrder * order,
    double pixels)
{
  const double fields = (double) bins->fields_per_row * bins->field_rows;
  const double painted = order->n - order->dropped;
  double mean, entries, needed;

  if (painted < 1)
    return FALSE;
  mean = MAX (order->area / painted, 1);
  needed = MIN (order->n, LAYERS_NEEDED * pixels / mean);
  entries = painted * (sqrt (mean) / CS_FIELD + 1) * (sqrt (mean) / CS_FIELD + 1);
  entries = MIN (entries, painted * fields);
  return entries < G_MAXUINT32 / 2 &&
      entries * BIN_COST < fields * needed * LOOK_COST;
}

static gboolean
make_bins (CsRasterBins * bins, const CsRasterOrder * order, GError ** error)
{
  const gsize n_fields = (gsize) bins->fields_per_row * bins->field_rows;
  guint32 sum = 0;
  guint64 n;
  gsize i;

  bins->starts = cs_scratch_ensure (&bins->starts_memory,
      (n_fields + 2) * sizeof (guint32), error);
  if (!bins->starts)
    return FALSE;
  /* one place ahead, so that filling in moves each start to its place */
  memset (bins->starts, 0, (n_fields + 2) * sizeof (guint32));
  n = each_field (bins, order, bins->starts + 2, NULL);
  if (n >= G_MAXUINT32)
    return TRUE;
  bins->items = cs_scratch_ensure (&bins->items_memory, n * sizeof (guint32),
      error);
  if (!bins->items)
    return FALSE;
  for (i = 2; i < n_fields + 2; i++) {
    sum += bins->starts[i];
    bins->starts[i] = sum;
  }
  each_field (bins, order, bins->starts + 1, bins->items);
  bins->is_used = TRUE;
  return TRUE;
}

gboolean
cs_raster_bins_update (CsRasterBins * bins, const CsRasterOrder * order,
    guint width, guint height, GError ** error)
{
  if (cs_raster_key_equal (&bins->key, &order->key))
    return TRUE;
  memset (&bins->key, 0, sizeof (bins->key));
  bins->is_used = FALSE;
  bins->fields_per_row = (width + CS_FIELD - 1) / CS_FIELD;
  bins->field_rows = (height + CS_FIELD - 1) / CS_FIELD;
  if (wants_bins (bins, order, (double) width * height) &&
      !make_bins (bins, order, error))
    return FALSE;
  bins->key = order->key;
  return TRUE;
}

void
cs_raster_bins_clear (CsRasterBins * bins)
{
  cs_scratch_clear (&bins->items_memory);
  cs_scratch_clear (&bins->starts_memory);
}
