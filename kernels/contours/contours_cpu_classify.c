/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: samples to planes of bits. */
#include "contours_cpu.h"

#include <math.h>
#include <string.h>

/* Samples of a row of @job's group, packed. */
static const void *
compact_row (const CsContoursCpu * cpu, CsClassifyJob * job, guint row)
{
  const guint8 *samples = cs_cpu_row (cpu, job->group->offset, row);

  if (!job->group->gather)
    return samples;
  cs_row_gather (cpu->shape.type, samples, cpu->shape.pixel_stride,
      job->group->n, job->gathered);
  return job->gathered;
}

/* Packs the row's bytes into the bitmaps of the group's planes. */
static void
pack_planes (CsContoursCpu * cpu, CsClassifyJob * job, guint row,
    gboolean validity)
{
  const CsGroup *group = job->group;
  const guint width = cpu->shape.width;
  const gboolean zero = group->slots > 1 && !validity &&
      cs_row_is_zero (job->bytes, group->n);
  guint slot;

  for (slot = 0; slot < group->slots; slot++) {
    const gint plane = group->slot_plane[slot];
    guint64 *bits;

    if (plane < 0)
      continue;
    bits = (validity ? cpu->planes[plane].valid : cpu->planes[plane].above) +
        (gsize) row * cpu->n_words;
    cpu->planes[plane].row_has_invalid[row] = validity;
    if (zero)
      memset (bits, 0, CS_ROW_WORDS (width) * sizeof (*bits));
    else
      cs_row_pack (job->bytes + slot, group->slots, width, bits);
  }
}

void
cs_cpu_classify (CsContoursCpu * cpu, CsClassifyJob * job)
{
  const CsGroup *group = job->group;
  const CsImage *mask = cpu->input->mask;
  guint row;

  for (row = job->row0; row < job->row1; row++) {
    const void *samples = compact_row (cpu, job, row);
    const gboolean nan = cs_row_above (&group->threshold, group->thresholds,
        samples, group->n, job->bytes);

    pack_planes (cpu, job, row, FALSE);
    if (!nan && !mask)
      continue;
    cs_row_valid (cpu->shape.type, samples, group->n, mask ?
        (const guint8 *) mask->data + row * mask->row_stride : NULL,
        mask ? mask->pixel_stride : 0, group->slots, job->bytes);
    pack_planes (cpu, job, row, TRUE);
  }
}

void
cs_cpu_set_thresholds (CsContoursCpu * cpu, CsGroup * group, CsSampleType type)
{
  CsRowThreshold threshold;
  guint slot, i;

  group->threshold.type = type;
  for (slot = 0; slot < group->slots; slot++) {
    const gint plane = group->slot_plane[slot];

    /* an infinite automatic level: no sample is above */
    if (plane < 0 || cpu->planes[plane].level == INFINITY)
      cs_row_threshold_init_never (&threshold, type);
    else
      cs_row_threshold_init (&threshold, type, cpu->planes[plane].level);
    if (!group->thresholds) {
      group->threshold = threshold;
      return;
    }
    for (i = slot; i < group->n; i += group->slots)
      cs_row_threshold_store (&threshold, group->thresholds, i);
  }
}

/* The midrange of the valid samples of @plane inside of the border; infinite, so that no sample is
 * above, if there are none or they range from -inf to inf. */
static double
find_midrange (const CsContoursCpu * cpu, const CsPlane * plane)
{
  const CsImage *mask = cpu->input->mask;
  double low = INFINITY, high = -INFINITY, middle;
  const guint border = cpu->border;
  guint row;

  for (row = border; row < cpu->shape.height - border; row++)
    cs_row_range (cpu->shape.type, cs_cpu_row (cpu, plane->offset, row) +
        border * cpu->shape.pixel_stride, cpu->shape.pixel_stride,
        cpu->shape.width - 2 * border, mask ? (const guint8 *) mask->data +
        row * mask->row_stride + border * mask->pixel_stride : NULL,
        mask ? mask->pixel_stride : 0, &low, &high);
  middle = (low + high) / 2;
  return isnan (middle) ? INFINITY : middle;
}

void
cs_cpu_set_auto_levels (CsContoursCpu * cpu)
{
  guint p, g;

  for (p = 0; p < cpu->plan->params.n_targets; p++)
    cpu->planes[p].level = find_midrange (cpu, &cpu->planes[p]);
  for (g = 0; g < cpu->n_groups; g++)
    cs_cpu_set_thresholds (cpu, &cpu->groups[g], cpu->shape.type);
}
