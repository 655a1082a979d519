/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "llf_colour_packed.h"

/* Rows that a thread takes at once. */
#define CHUNK_ROWS 16

typedef struct
{
  const CsPicture *from, *to;
} Job;

gboolean
cs_llf_packed_is (const CsPicture * picture)
{
  return picture->model == CS_PICTURE_YUV &&
      picture->pixel_stride[0] > cs_sample_size (picture->type);
}

static void
copy_row (const CsPicture * from, const CsPicture * to, guint c, guint y,
    guint n)
{
  const gsize in_stride = from->pixel_stride[c];
  const gsize out_stride = to->pixel_stride[c];
  const guint8 *in = (const guint8 *) from->data[c] + y * from->row_stride[c];
  guint8 *out = (guint8 *) to->data[c] + y * to->row_stride[c];

  for (guint x = 0; x < n; x++)
    out[x * out_stride] = in[x * in_stride];
}

static void
copy_chunk (void *data, guint index)
{
  const Job *job = data;

  for (guint c = 0; c < 3; c++) {
    const CsImage image = cs_picture_get_component (job->from, c);
    const guint end = MIN ((index + 1) * CHUNK_ROWS, image.height);

    for (guint y = index * CHUNK_ROWS; y < end; y++)
      copy_row (job->from, job->to, c, y, image.width);
  }
}

static void
copy_samples (const CsPicture * from, const CsPicture * to,
    CsExecutor * executor)
{
  Job job = { from, to };

  cs_executor_parallel_for (executor, (from->height + CHUNK_ROWS - 1) /
      CHUNK_ROWS, copy_chunk, &job);
}

static gboolean
check (const CsPicture * picture, GError ** error)
{
  gboolean fits = picture->model == CS_PICTURE_YUV &&
      picture->type == CS_SAMPLE_U8 && picture->depth == 8 &&
      picture->shift == 0 && picture->memory != CS_MEMORY_DEVICE;

  for (guint c = 0; c < 3; c++) {
    const CsImage image = cs_picture_get_component (picture, c);

    fits = fits && picture->data[c] && image.width > 0 &&
        picture->pixel_stride[c] > 0 && picture->row_stride[c] >
        (image.width - 1) * picture->pixel_stride[c];
  }
  if (!fits)
    cs_error (error, CS_ERROR_INVALID, "luma and chroma in one plane are "
        "filtered with 8 bits, in host memory, and in rows that hold them");
  return fits;
}

gboolean
cs_llf_packed_split (const CsPicture * picture, const CsPicture * output,
    CsExecutor * executor, CsScratch * memory, CsPicture * planes,
    GError ** error)
{
  gsize size = 0;

  if (!check (picture, error) || !check (output, error))
    return FALSE;
  if (output->width != picture->width || output->height != picture->height ||
      output->sub_x != picture->sub_x || output->sub_y != picture->sub_y)
    return cs_error (error, CS_ERROR_INVALID,
        "input and output are not of the same format");
  *planes = *picture;
  planes->memory = CS_MEMORY_HOST;
  for (guint c = 0; c < 3; c++) {
    const CsImage image = cs_picture_get_component (picture, c);

    planes->pixel_stride[c] = 1;
    planes->row_stride[c] = image.width;
    size += (gsize) image.width * image.height;
  }
  guint8 *data = cs_scratch_ensure (memory, size, error);
  if (!data)
    return FALSE;
  for (guint c = 0; c < 3; c++) {
    planes->data[c] = data;
    data += planes->row_stride[c] * cs_picture_get_component (picture,
        c).height;
  }
  copy_samples (picture, planes, executor);
  return TRUE;
}

void
cs_llf_packed_join (const CsPicture * planes, CsExecutor * executor,
    const CsPicture * picture)
{
  copy_samples (planes, picture, executor);
}
