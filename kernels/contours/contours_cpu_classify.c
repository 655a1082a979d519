/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: samples to planes of bits. */
#include "contours_cpu.h"

#include <math.h>
#include <string.h>

/* Samples of a row of @job's group, packed. */
static const void *
compact_row (const CsContoursCpu * cpu, CsClassifyJob * job, guint row)
{
  const CsImage *image = cs_cpu_image (cpu, job->group->derived);
  const guint8 *samples = cs_cpu_row (image, job->group->offset, row);

  if (!job->group->gather)
    return samples;
  cs_row_gather (image->type, samples, image->pixel_stride,
      job->group->n, job->gathered);
  return job->gathered;
}

/* The row's bits of the plane of @slot, %NULL if there is none. */
static guint64 *
plane_row (CsContoursCpu * cpu, const CsGroup * group, guint slot, guint row,
    gboolean validity)
{
  const gint number = slot < group->slots ? group->slot_plane[slot] : -1;

  if (number < 0)
    return NULL;
  CsPlane *plane = &cpu->planes[number];

  plane->row_has_invalid[row] = validity;
  return (validity ? plane->valid : plane->above) + (gsize) row * cpu->n_words;
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

  if (zero)
    cs_contours_take (CS_CONTOURS_ALL_BELOW);
  if (group->slots == 1) {
    guint64 *bits = plane_row (cpu, group, 0, row, validity);

    if (bits)
      cs_row_pack (job->bytes, width, bits);
    return;
  }
  for (guint slot = 0; slot < group->slots; slot += CS_ROW_AT_ONCE) {
    guint64 *bits[CS_ROW_AT_ONCE];

    for (guint i = 0; i < CS_ROW_AT_ONCE; i++) {
      bits[i] = plane_row (cpu, group, slot + i, row, validity);
      if (bits[i] && zero)
        memset (bits[i], 0, CS_ROW_WORDS (width) * sizeof (*bits[i]));
    }
    if (!zero)
      cs_row_pack_each (job->bytes + slot, group->slots, width, bits);
  }
}

void
cs_cpu_classify (CsContoursCpu * cpu, CsClassifyJob * job)
{
  const CsGroup *group = job->group;
  const CsImage *mask = cpu->input->mask;

  for (guint row = job->row0; row < job->row1; row++) {
    const void *samples = compact_row (cpu, job, row);
    const gboolean nan = cs_row_above (&group->threshold, group->thresholds,
        samples, group->n, job->bytes);

    pack_planes (cpu, job, row, FALSE);
    if (!nan && !mask)
      continue;
    cs_row_valid (group->threshold.type, samples, group->n, mask ?
        (const guint8 *) mask->data + row * mask->row_stride : NULL,
        mask ? mask->pixel_stride : 0, group->slots, job->bytes);
    pack_planes (cpu, job, row, TRUE);
  }
}

void
cs_cpu_set_thresholds (CsContoursCpu * cpu, CsGroup * group)
{
  const CsSampleType type =
      group->derived ? cpu->planes_shape.type : cpu->shape.type;
  CsRowThreshold threshold;

  group->threshold.type = type;
  for (guint slot = 0; slot < group->slots; slot++) {
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
    for (guint i = slot; i < group->n; i += group->slots)
      cs_row_threshold_store (&threshold, group->thresholds, i);
  }
}

/* Automatic levels */

/* The samples of @plane inside of the border. */
typedef struct
{
  const CsImage *image;
  const CsImage *mask;
  gsize offset;
  guint border;
} Samples;

static Samples
get_samples (const CsContoursCpu * cpu, const CsPlane * plane)
{
  return (Samples) {
    cs_cpu_image (cpu, plane->derived), cpu->input->mask, plane->offset,
        cpu->view->border
  };
}

static const guint8 *
sample_row (const Samples * samples, guint row)
{
  return cs_cpu_row (samples->image, samples->offset, row) +
      samples->border * samples->image->pixel_stride;
}

static const guint8 *
sample_mask (const Samples * samples, guint row)
{
  const CsImage *mask = samples->mask;

  return mask ? (const guint8 *) mask->data + row * mask->row_stride +
      samples->border * mask->pixel_stride : NULL;
}

static void
find_range (const Samples * samples, double *low, double *high)
{
  const CsImage *image = samples->image;
  guint row;

  *low = INFINITY;
  *high = -INFINITY;
  for (row = samples->border; row < image->height - samples->border; row++)
    cs_row_range (image->type, sample_row (samples, row), image->pixel_stride,
        image->width - 2 * samples->border, sample_mask (samples, row),
        samples->mask ? samples->mask->pixel_stride : 0, low, high);
}

/* Infinite, so that no sample is above, if there are none or they range from
 * -inf to inf. */
static double
find_midrange (double low, double high)
{
  const double middle = (low + high) / 2;

  cs_contours_take (isnan (middle) ? CS_CONTOURS_NO_MIDRANGE :
      CS_CONTOURS_MIDRANGE);
  return isnan (middle) ? INFINITY : middle;
}

static void
count_bins (const Samples * samples, gboolean codes, double low, double high,
    guint32 * bins)
{
  const CsImage *image = samples->image;
  const guint n = image->width - 2 * samples->border;
  const gsize mask_stride = samples->mask ? samples->mask->pixel_stride : 0;
  guint row;

  for (row = samples->border; row < image->height - samples->border; row++)
    cs_row_count (image->type, sample_row (samples, row), image->pixel_stride,
        n, sample_mask (samples, row), mask_stride, codes, low, high, bins);
}

/* The first bin of the greatest variance, -1 if only one has samples. Bins count
 * from 0, for codes from the least sample. */
static gint
find_otsu_bin (const guint32 * bins, guint n_bins)
{
  guint64 all = 0, all_sum = 0, n = 0, sum = 0;
  double best = -1.;
  gint found = -1;

  for (guint i = 0; i < n_bins; i++) {
    all += bins[i];
    all_sum += (guint64) bins[i] * i;
  }
  for (guint i = 0; i < n_bins; i++) {
    n += bins[i];
    sum += (guint64) bins[i] * i;
    const double variance = cs_otsu_variance (n, sum, all, all_sum);
    if (variance > best) {
      best = variance;
      found = (gint) i;
    }
  }
  return found;
}

static gsize
bins_size (const CsContoursCpu * cpu)
{
  const CsContoursParams *params = &cpu->plan->params;
  guint n = 0, t;
  gboolean codes;

  for (t = 0; t < params->n_targets; t++)
    n = MAX (n, cs_contours_n_bins (params, t, cpu->view->type, &codes));
  return (gsize) n * params->n_targets * sizeof (guint32);
}

/* Infinite where find_midrange() would be, and where there is an infinity. */
static double
find_otsu (const CsContoursCpu * cpu, guint t, const Samples * samples,
    double low, double high)
{
  gboolean codes;
  const guint n_bins = cs_contours_n_bins (&cpu->plan->params, t,
      cpu->view->type, &codes);
  guint32 *bins = (guint32 *) ((guint8 *) cpu->bin_memory.data +
      t * (bins_size (cpu) / cpu->plan->params.n_targets));
  guint first = 0;

  if (low > high || isinf (high - low)) {
    cs_contours_take (CS_CONTOURS_NO_OTSU);
    return INFINITY;
  }
  memset (bins, 0, n_bins * sizeof (*bins));
  count_bins (samples, codes, low, high, bins);
  if (codes)
    first = (guint) low;
  const gint bin = find_otsu_bin (bins + first, n_bins - first);
  if (bin < 0) {
    cs_contours_take (CS_CONTOURS_OTSU_EQUAL);
    return low;
  }
  cs_contours_take (codes ? CS_CONTOURS_OTSU_CODES : CS_CONTOURS_OTSU_BINS);
  return codes ? low + bin + .5 : cs_otsu_level (bin, low, high);
}

static void
auto_level_func (void *user_data, guint t)
{
  CsContoursCpu *cpu = user_data;
  const Samples samples = get_samples (cpu, &cpu->planes[t]);
  double low, high;

  find_range (&samples, &low, &high);
  cpu->planes[t].level = cpu->plan->params.auto_method == CS_AUTO_LEVEL_OTSU ?
      find_otsu (cpu, t, &samples, low, high) : find_midrange (low, high);
}

gboolean
cs_cpu_set_auto_levels (CsContoursCpu * cpu, GError ** error)
{
  const CsContoursParams *params = &cpu->plan->params;

  if (params->auto_method == CS_AUTO_LEVEL_OTSU &&
      !cs_scratch_ensure (&cpu->bin_memory, bins_size (cpu), error))
    return FALSE;
  cs_executor_parallel_for (cpu->plan->executor, params->n_targets,
      auto_level_func, cpu);
  for (guint g = 0; g < cpu->n_groups; g++)
    cs_cpu_set_thresholds (cpu, &cpu->groups[g]);
  return TRUE;
}
