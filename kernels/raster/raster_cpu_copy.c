/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The input where nothing is painted, and what has been painted, on the CPU. */
#include "raster_cpu.h"

#include <string.h>

/* Components whose samples lie between each other's are copied as one. */
static guint
find_cluster (const CsRasterFormat * f, guint first, guint n)
{
  guint members = 1u << first, j;

  for (j = 0; j < n; j++) {
    const guint c = j;
    const gssize from = f->in[c] - f->in[first], to = f->out[c] - f->out[first];
    const gsize pixel = f->in_pixel[first];
    const gboolean same_plane = (f->model == CS_PICTURE_YUV && (c == 1 ||
            c == 2)) == (f->model == CS_PICTURE_YUV && (first == 1 ||
            first == 2)) || (!f->sub_x && !f->sub_y);

    if (c != first && f->in[c] && f->out[c] && same_plane && from == to &&
        ABS (from) < (gssize) pixel && f->in_pixel[c] == pixel &&
        f->out_pixel[c] == pixel && f->out_pixel[first] == pixel &&
        f->in_row[c] == f->in_row[first] && f->out_row[c] == f->out_row[first])
      members |= 1u << c;
  }
  return members;
}

static void
copy_samples (const guint8 * from, gsize from_pixel, guint8 * to,
    gsize to_pixel, guint n, gboolean wide, guint16 mask)
{
  for (guint i = 0; i < n; i++, from += from_pixel, to += to_pixel) {
    if (wide)
      *(guint16 *) to = *(const guint16 *) from & mask;
    else
      *to = *from;
  }
}

static void
copy_component (const CsRasterFormat * f, guint c, guint row)
{
  const guint sub_x = cs_raster_sub_x (f, c), sub_y = cs_raster_sub_y (f, c);
  const guint columns = (f->width + sub_x) >> sub_x;
  const gsize size = f->wide ? 2 : 1;
  const guint members = find_cluster (f, c, 4);
  gssize low = 0, high = 0;

  if (row & sub_y)
    return;
  row >>= sub_y;
  for (guint i = 0; i < 4; i++) {
    if (members >> i & 1) {
      low = MIN (low, f->in[i] - f->in[c]);
      high = MAX (high, f->in[i] - f->in[c]);
    }
  }
  if (f->shift || f->in_pixel[c] != f->out_pixel[c] ||
      (members == 1u << c && f->in_pixel[c] != size)) {
    const guint top = f->shift + (guint) g_bit_nth_msf ((gulong) f->max, -1);
    const guint16 mask = (guint16) ((2u << top) - (1u << f->shift));

    copy_samples (f->in[c] + row * f->in_row[c], f->in_pixel[c],
        f->out[c] + row * f->out_row[c], f->out_pixel[c], columns, f->wide,
        f->shift ? mask : 0xffff);
    return;
  }
  /* the first of a cluster copies it all */
  if (members & ((1u << c) - 1))
    return;
  memmove (f->out[c] + row * f->out_row[c] + low,
      f->in[c] + row * f->in_row[c] + low,
      (columns - 1) * f->in_pixel[c] + (high - low) + size);
}

#define COPY_ROWS 32

static void
copy_rows (void *user_data, guint index)
{
  const CsRasterFormat *f = user_data;
  const guint end = MIN ((index + 1) * COPY_ROWS, (guint) f->height);

  for (guint row = index * COPY_ROWS; row < end; row++) {
    for (guint c = 0; c < 4; c++) {
      if (f->in[c] && f->out[c] && cs_raster_has_component (f, c))
        copy_component (f, c, row);
    }
  }
}

static gboolean
is_in_place (const CsRasterFormat * f)
{
  for (gint c = 0; c < 4; c++) {
    if (cs_raster_has_component (f, c) && (f->in[c] != f->out[c] ||
            f->in_row[c] != f->out_row[c] ||
            f->in_pixel[c] != f->out_pixel[c]))
      return FALSE;
  }
  return TRUE;
}

void
cs_raster_copy_input (const CsRasterFormat * f, CsExecutor * executor)
{
  if (f->has_frame && !is_in_place (f))
    cs_executor_parallel_for (executor, (f->height + COPY_ROWS - 1) / COPY_ROWS,
        copy_rows, (void *) f);
}

/* --- What has been painted ------------------------------------------------ */

/* All that decides what is painted, but where it is. */
static void
strip_places (CsRasterFormat * to, const CsRasterFormat * f)
{
  memcpy (to, f, sizeof (*to));
  memset (to->in, 0, sizeof (to->in));
  memset (to->out, 0, sizeof (to->out));
}

static void
copy_kept (CsRasterKept * kept, const CsRasterJob * job, gboolean restore,
    CsExecutor * executor)
{
  CsRasterFormat copy = job->format;
  CsPicture picture;

  cs_picture_place (job->output, kept->memory.data, &picture);
  for (guint c = 0; c < 4; c++) {
    const CsPicture *from = restore ? &picture : job->output;
    const CsPicture *to = restore ? job->output : &picture;

    copy.in[c] = from->data[c];
    copy.in_row[c] = from->row_stride[c];
    copy.in_pixel[c] = from->pixel_stride[c];
    copy.out[c] = to->data[c];
    copy.out_row[c] = to->row_stride[c];
    copy.out_pixel[c] = to->pixel_stride[c];
  }
  cs_executor_parallel_for (executor, (copy.height + COPY_ROWS - 1) /
      COPY_ROWS, copy_rows, &copy);
}

gboolean
cs_raster_kept_restore (CsRasterKept * kept, const CsRasterJob * job,
    CsExecutor * executor)
{
  CsRasterFormat format;
  CsRasterKey key;

  cs_raster_job_key (job, &key);
  strip_places (&format, &job->format);
  if (job->format.has_frame || job->ink ||
      !cs_raster_key_equal (&key, &kept->key) ||
      memcmp (&format, &kept->format, sizeof (format)) != 0) {
    kept->key = key;
    memcpy (&kept->format, &format, sizeof (format));
    kept->n_seen = 0;
    return FALSE;
  }
  if (kept->n_seen < 2)
    return FALSE;
  copy_kept (kept, job, TRUE, executor);
  return TRUE;
}

void
cs_raster_kept_store (CsRasterKept * kept, const CsRasterJob * job,
    CsExecutor * executor)
{
  if (job->format.has_frame || job->ink || kept->key.version == 0 ||
      ++kept->n_seen != 2)
    return;
  /* without memory for it, it is painted again */
  if (cs_scratch_ensure (&kept->memory, cs_picture_place (job->output, NULL,
              NULL), NULL))
    copy_kept (kept, job, FALSE, executor);
  else
    kept->n_seen = 0;
}

void
cs_raster_kept_clear (CsRasterKept * kept)
{
  cs_scratch_clear (&kept->memory);
}
