/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ink on the CPU. */
#include "raster_cpu.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

void
cs_ink_cpu_destroy (void *data)
{
  CsInkCpu *ink = data;

  g_free (ink->pixels);
  g_free (ink->blocks);
  g_free (ink);
}

void *
cs_ink_cpu_create (CsExecutor * executor, guint width, guint height,
    GError ** error)
{
  CsInkCpu *ink = g_new0 (CsInkCpu, 1);
  const gsize rows = (height + CS_INK_BLOCK - 1) / CS_INK_BLOCK;

  ink->width = width;
  ink->height = height;
  ink->blocks_per_row = (width + CS_INK_BLOCK - 1) / CS_INK_BLOCK;
  ink->pixels = cs_try_new0 (CsInkPixel, (gsize) width * height);
  ink->blocks = cs_try_new0 (guint8, ink->blocks_per_row * rows);
  if (ink->pixels && ink->blocks)
    return ink;
  cs_ink_cpu_destroy (ink);
  return cs_fail_null (error, CS_ERROR, CS_ERROR_NO_MEMORY,
      "cannot allocate ink for %u x %u pixels", width, height);
}

/* Clears only the blocks that have ink. */
gboolean
cs_ink_cpu_clear (void *data, GError ** error)
{
  CsInkCpu *ink = data;
  const guint rows = (ink->height + CS_INK_BLOCK - 1) / CS_INK_BLOCK;

  for (guint y = 0; y < rows; y++) {
    for (guint x = 0; x < ink->blocks_per_row; x++) {
      const guint left = x * CS_INK_BLOCK, top = y * CS_INK_BLOCK;
      const guint bottom = MIN (top + CS_INK_BLOCK, ink->height);
      const gsize width = MIN (CS_INK_BLOCK, ink->width - left);

      if (!ink->blocks[(gsize) y * ink->blocks_per_row + x])
        continue;
      for (guint i = top; i < bottom; i++)
        memset (&ink->pixels[(gsize) i * ink->width + left], 0,
            width * sizeof (CsInkPixel));
      ink->blocks[(gsize) y * ink->blocks_per_row + x] = 0;
    }
  }
  return TRUE;
}

/* The rectangle of pixels, inclusive, that a segment may touch. Returns FALSE if
 * there is none. Sets @mark to the segment. */
static gboolean
find_bounds (const CsInkSegment * segment, float half_width, guint width,
    guint height, CsRasterMark * mark, gint bounds[4])
{
  const CsMark from = {
    segment->x0, segment->y0, segment->x1, segment->y1, half_width, 0, 0, 0
  };

  if (!isfinite (segment->time) || !cs_raster_prepare (&from, width, height,
          mark))
    return FALSE;
  const float reach = mark->radius + .5f + cs_raster_slack (mark);
  bounds[0] = MAX (MIN (mark->x, mark->x + mark->bx) - reach, 0);
  bounds[1] = MAX (MIN (mark->y, mark->y + mark->by) - reach, 0);
  bounds[2] = MIN (MAX (mark->x, mark->x + mark->bx) + reach, width - 1);
  bounds[3] = MIN (MAX (mark->y, mark->y + mark->by) + reach, height - 1);
  return bounds[0] <= bounds[2] && bounds[1] <= bounds[3];
}

static void
stamp_block (CsInkCpu * ink, const CsRasterMark * mark,
    const CsRasterShape * shape, const gint bounds[4], guint32 time)
{
  for (gint y = bounds[1]; y <= bounds[3]; y++) {
    for (gint x = bounds[0]; x <= bounds[2]; x++) {
      CsInkPixel *pixel = &ink->pixels[(gsize) y * ink->width + x];

      union
      {
        float f;
        guint32 u;
      } bits;

      bits.f = cs_raster_coverage (shape, mark->radius, 0, TRUE,
          cs_raster_distance2 (mark->x, mark->y, mark->bx, mark->by,
              shape->inv, x, y));
      if (!(bits.f > 0))
        continue;
      pixel->coverage = MAX (pixel->coverage, bits.u);
      pixel->time = MAX (pixel->time, time);
      ink->blocks[(gsize) (y / CS_INK_BLOCK) * ink->blocks_per_row +
          x / CS_INK_BLOCK] = 1;
    }
  }
}

/* Block by block, so that a long slanting line costs its length. */
static void
stamp_segment (CsInkCpu * ink, const CsRasterMark * mark,
    const gint bounds[4], guint32 time)
{
  CsRasterShape shape;
  gint x, y;

  cs_raster_shape (mark, TRUE, &shape);
  for (y = bounds[1] & -CS_INK_BLOCK; y <= bounds[3]; y += CS_INK_BLOCK) {
    for (x = bounds[0] & -CS_INK_BLOCK; x <= bounds[2]; x += CS_INK_BLOCK) {
      const gint block[4] = {
        MAX (x, bounds[0]), MAX (y, bounds[1]),
        MIN (x + CS_INK_BLOCK - 1, bounds[2]),
        MIN (y + CS_INK_BLOCK - 1, bounds[3])
      };

      if (cs_raster_touches (mark, block[0], block[1], block[2], block[3]))
        stamp_block (ink, mark, &shape, block, time);
    }
  }
}

gboolean
cs_ink_cpu_stamp (void *data, const CsInkSegment * segments, gsize n,
    float half_width, GError ** error)
{
  CsInkCpu *ink = data;

  for (gsize i = 0; i < n; i++) {
    CsRasterMark mark;
    gint bounds[4];

    if (find_bounds (&segments[i], half_width, ink->width,
            ink->height, &mark, bounds))
      stamp_segment (ink, &mark, bounds, cs_raster_time_key (segments[i].time));
  }
  return TRUE;
}
