/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: a copy of the image with a border of minus infinity. */
#include "contours_cpu.h"

#include <math.h>
#include <string.h>

#include "contours_math.h"

/* Rows in a job */
#define ROWS_PER_JOB 32

typedef struct
{
  const CsContoursCpu *cpu;
  const CsContoursInput *input;
  guint border;
  const CsImage *image, *mask;  /* the copies; @mask may be %NULL */
} Copy;

#define WIDEN(type, wide, expression) \
  for (i = 0; i < n; i++) { \
    const type sample = *(const type *) (from + i * stride); \
    ((wide *) to)[i] = (wide) (expression); \
  } \
  break

static void
widen_row (CsSampleType type, const guint8 * from, gsize stride, guint n,
    void *to)
{
  guint i;

  switch (type) {
    case CS_SAMPLE_U8:
      WIDEN (guint8, gfloat, sample);
    case CS_SAMPLE_U16:
      WIDEN (guint16, gfloat, sample);
    case CS_SAMPLE_F16:
      WIDEN (guint16, gfloat, cs_half_to_double (sample));
    case CS_SAMPLE_F32:
      WIDEN (gfloat, gfloat, sample);
    default:
      WIDEN (gdouble, gdouble, sample);
  }
}

static void
fill_infinite (CsSampleType type, void *to, guint n)
{
  guint i;

  for (i = 0; i < n; i++) {
    if (type == CS_SAMPLE_F64)
      ((gdouble *) to)[i] = -INFINITY;
    else
      ((gfloat *) to)[i] = -INFINITY;
  }
}

static void
copy_row (const Copy * copy, guint channel, guint row)
{
  const CsImage *image = copy->image, *from = &copy->input->image;
  const guint border = copy->border;
  guint8 *to = (guint8 *) image->data + channel * image->channel_stride +
      row * image->row_stride;

  if (row < border || row >= image->height - border) {
    fill_infinite (image->type, to, image->width);
    return;
  }
  fill_infinite (image->type, to, border);
  widen_row (from->type, (const guint8 *) from->data +
      channel * from->channel_stride + (row - border) * from->row_stride,
      from->pixel_stride, from->width, to + border * image->pixel_stride);
  fill_infinite (image->type, to + (image->width - border) *
      image->pixel_stride, border);
}

static void
copy_mask_row (const Copy * copy, guint row)
{
  const CsImage *mask = copy->mask, *from = copy->input->mask;
  const guint border = copy->border;
  guint8 *to = (guint8 *) mask->data + row * mask->row_stride;

  memset (to, 1, mask->width);
  if (row >= border && row < mask->height - border)
    cs_row_gather (CS_SAMPLE_U8, (const guint8 *) from->data +
        (row - border) * from->row_stride, from->pixel_stride, from->width,
        to + border);
}

static gboolean
is_used (const CsContoursParams * params, guint channel)
{
  guint t;

  for (t = 0; t < params->n_targets; t++) {
    if (params->targets[t].channel == channel)
      return TRUE;
  }
  return FALSE;
}

static void
copy_rows (void *user_data, guint job)
{
  const Copy *copy = user_data;
  const CsImage *image = copy->image;
  const guint end = MIN (image->height, (job + 1) * ROWS_PER_JOB);
  guint channel, row;

  for (channel = 0; channel < image->channels; channel++) {
    if (!is_used (&copy->cpu->plan->params, channel))
      continue;
    for (row = job * ROWS_PER_JOB; row < end; row++)
      copy_row (copy, channel, row);
  }
  for (row = job * ROWS_PER_JOB; copy->mask && row < end; row++)
    copy_mask_row (copy, row);
}

gboolean
cs_cpu_add_border (CsContoursCpu * cpu, const CsContoursInput * input,
    guint border, CsContoursInput * bordered, CsImage * mask, GError ** error)
{
  CsImage *image = &bordered->image;
  const gsize size = image->channels * image->channel_stride;
  const gsize mask_size = input->mask ? (gsize) image->width * image->height : 0;
  const Copy copy = { cpu, input, border, image, input->mask ? mask : NULL };
  guint8 *memory =
      cs_scratch_ensure (&cpu->border_memory, size + mask_size, error);

  if (!memory)
    return FALSE;
  image->data = memory;
  image->memory = CS_MEMORY_HOST;
  if (input->mask) {
    *mask = cs_image_gray (memory + size, CS_SAMPLE_U8, image->width,
        image->height, image->width);
    bordered->mask = mask;
  }
  cs_executor_parallel_for (cpu->plan->executor, (image->height +
          ROWS_PER_JOB - 1) / ROWS_PER_JOB, copy_rows, (void *) &copy);
  return TRUE;
}
