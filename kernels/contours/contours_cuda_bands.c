/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Iso-bands of contours on CUDA: memory, and samples to the host. */
#include "contours_bands.h"

#include "base/cuda_base.h"
#include "base/cuda_copy.h"
#include "base/cuda_memory.h"

struct _CsBandsCuda
{
  cudaStream_t stream;
  CsCudaScratch device;
  CsCudaPinned host;
  CsCudaCopier copier;
};

CsBandsCuda *
cs_bands_cuda_new (CsExecutor * executor)
{
  CsBandsCuda *cuda = g_new0 (CsBandsCuda, 1);

  cuda->stream = (cudaStream_t) cs_executor_get_stream (executor);
  return cuda;
}

void
cs_bands_cuda_free (CsBandsCuda * cuda)
{
  cs_cuda_scratch_clear (&cuda->device, cuda->stream);
  cs_cuda_pinned_clear (&cuda->host);
  cs_cuda_copier_clear (&cuda->copier);
  g_free (cuda);
}

void *
cs_bands_cuda_alloc (CsBandsCuda * cuda, gsize size, gboolean host)
{
  return host ? cs_cuda_pinned_ensure (&cuda->host, size, NULL) :
      cs_cuda_scratch_ensure (&cuda->device, size, cuda->stream, NULL);
}

/* Rows are copied whole, from the first sample of a channel to its last; those
 * of interleaved channels at once. */
gboolean
cs_bands_cuda_download (CsBandsCuda * cuda, const CsImage * image,
    CsScratch * copy, CsImage * view, GError ** error)
{
  const gsize row = (image->width - 1) * image->pixel_stride +
      cs_sample_size (image->type);
  const gsize interleaved = row + (image->channels - 1) * image->channel_stride;
  const gboolean planar = interleaved > image->row_stride;
  const guint n = planar ? image->channels : 1;
  const gsize extent = planar ? row : interleaved;
  const gsize pitch = (extent + 15) / 16 * 16;
  guint8 *to = cs_scratch_ensure (copy, n * image->height * pitch, error);

  if (!to)
    return FALSE;
  cs_contours_take (planar ? CS_CONTOURS_BANDS_PLANAR :
      CS_CONTOURS_BANDS_INTERLEAVED);
  *view = *image;
  view->data = to;
  view->memory = CS_MEMORY_HOST;
  view->row_stride = pitch;
  if (planar)
    view->channel_stride = image->height * pitch;
  for (guint i = 0; i < n; i++) {
    const CsCudaRows rows = {
      (const guint8 *) image->data + i * image->channel_stride,
      image->row_stride, to + i * image->height * pitch, pitch, extent,
      image->height
    };

    if (!cs_cuda_copy (&cuda->copier, &rows, cuda->stream, error))
      return FALSE;
  }
  return cs_cuda_check (cudaStreamSynchronize (cuda->stream),
      "download an image", error);
}
