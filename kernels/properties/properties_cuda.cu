/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CUDA backend: memory, uploads, sorts and results. The host synchronises for
 * the numbers of pieces and of regions, and at the end. */
#include "base/cuda_copy.h"
#include "base/cuda_select.cuh"
#include "base/cuda_sort.h"
#include "properties_cuda.cuh"

extern "C" {
#include "labels/labels_private.h"
}

/**
 * PropertiesCuda:
 * @pinned: CsPropertiesPublished
 * @labels: of the host, uploaded
 * @words, @pieces, @regions: what there is for each
 * @temp: of sorts and sums
 */
typedef struct
{
  cudaStream_t stream;
  CsCudaPinned pinned;
  CsCudaScratch labels, words, pieces, regions, temp;
  CsCudaCopier copier;
  CsPropertiesFrame frame;
} PropertiesCuda;

static void
cuda_destroy (void *state)
{
  PropertiesCuda *cuda = (PropertiesCuda *) state;

  cs_cuda_copier_clear (&cuda->copier);
  cs_cuda_scratch_clear (&cuda->labels, cuda->stream);
  cs_cuda_scratch_clear (&cuda->words, cuda->stream);
  cs_cuda_scratch_clear (&cuda->pieces, cuda->stream);
  cs_cuda_scratch_clear (&cuda->regions, cuda->stream);
  cs_cuda_scratch_clear (&cuda->temp, cuda->stream);
  cs_cuda_pinned_clear (&cuda->pinned);
  g_free (cuda);
}

static void *
cuda_create (CsExecutor * executor, GError ** error)
{
  PropertiesCuda *cuda = g_new0 (PropertiesCuda, 1);

  cuda->stream = (cudaStream_t) cs_executor_get_stream (executor);
  if (cs_cuda_pinned_ensure (&cuda->pinned, sizeof (CsPropertiesPublished),
          error))
    return cuda;
  cuda_destroy (cuda);
  return NULL;
}

static CsPropertiesPublished *
published_of (const PropertiesCuda * cuda)
{
  return (CsPropertiesPublished *) cuda->pinned.data;
}

static gboolean
synchronize (const PropertiesCuda * cuda, GError ** error)
{
  return cs_cuda_check (cudaStreamSynchronize (cuda->stream),
      "measure regions on the GPU", error);
}

/* --- Words ---------------------------------------------------------------- */

static gboolean
ensure_words (PropertiesCuda * cuda, const CsLabelsPicture * picture,
    GError ** error)
{
  CsPropertiesFrame *f = &cuda->frame;
  CsCudaCarver carver = { NULL, 0 };

  f->width = picture->width;
  f->height = picture->height;
  f->n_words = cs_cuda_blocks (f->width, 32);
  const gsize n = (gsize) f->n_words * f->height;

  do {
    f->counters = CS_CUDA_CARVE (&carver, CsPropertiesCounters, 1);
    f->counts = CS_CUDA_CARVE (&carver, uint32_t, n + 1);
    f->bases = CS_CUDA_CARVE (&carver, uint32_t, n + 1);
  } while (cs_cuda_carve_again (&carver, &cuda->words, cuda->stream, error));
  return carver.base != NULL;
}

/* Labels on the device: in one block from the first to the last one, if they are
 * the host's. */
static gboolean
prepare_labels (PropertiesCuda * cuda, const CsLabelsPicture * picture,
    GError ** error)
{
  CsPropertiesFrame *f = &cuda->frame;

  f->data = (const uint8_t *) picture->data;
  f->pixel_stride = picture->pixel_stride;
  f->row_stride = picture->row_stride;
  f->size = picture->size;
  f->is_signed = picture->is_signed != 0;
  if (picture->memory == CS_MEMORY_DEVICE) {
    cs_properties_take (CS_PROPERTIES_UPLOAD_NOTHING);
    return TRUE;
  }
  cs_properties_take (CS_PROPERTIES_UPLOAD);
  const gsize size = picture->size +
      (picture->width - 1) * picture->pixel_stride +
      (picture->height - 1) * picture->row_stride;

  f->data = (const uint8_t *) cs_cuda_scratch_ensure (&cuda->labels, size,
      cuda->stream, error);
  return f->data && cs_cuda_copy_bytes (&cuda->copier, (void *) f->data,
      picture->data, size, cuda->stream, error);
}

static gboolean
sum_words (PropertiesCuda * cuda, GError ** error)
{
  const CsPropertiesFrame *f = &cuda->frame;
  const guint32 n = f->n_words * f->height + 1;
  gsize size = 0;

  return cs_cuda_check (cs_cuda_sum_u32 (NULL, &size, f->counts, f->bases, n,
          cuda->stream), "size a sum", error) &&
      cs_cuda_scratch_ensure (&cuda->temp, size, cuda->stream, error) &&
      cs_cuda_check (cs_cuda_sum_u32 (cuda->temp.data, &size, f->counts,
          f->bases, n, cuda->stream), "sum up pieces", error);
}

/* What the host reads, when the stream has come so far. */
static gboolean
publish (PropertiesCuda * cuda, GError ** error)
{
  const CsPropertiesFrame *f = &cuda->frame;
  CsPropertiesPublished *published = published_of (cuda);

  return cs_cuda_check (cudaMemcpyAsync (&published->n_pieces,
          f->bases + (gsize) f->n_words * f->height, sizeof (uint32_t),
          cudaMemcpyDeviceToHost, cuda->stream), "read a number", error) &&
      cs_cuda_check (cudaMemcpyAsync (&published->counters, f->counters,
          sizeof (*f->counters), cudaMemcpyDeviceToHost, cuda->stream),
      "read numbers", error) && synchronize (cuda, error);
}

/* Fails with the label that is too large. */
static gboolean
fail_label (const PropertiesCuda * cuda, GError ** error)
{
  const CsPropertiesFrame *f = &cuda->frame;
  const uint32_t at = CS_PROPERTIES_NONE - published_of (cuda)->counters.bad;
  const uint32_t x = at % f->width, y = at / f->width;
  guint64 label = 0;

  if (!cs_cuda_check (cudaMemcpyAsync (&label, f->data + y * f->row_stride +
              x * f->pixel_stride, f->size, cudaMemcpyDeviceToHost,
              cuda->stream), "read a label", error) || !synchronize (cuda,
          error))
    return FALSE;
  return cs_labels_fail_label (label, x, y, error);
}

static gboolean
count_pieces (PropertiesCuda * cuda, GError ** error)
{
  const CsPropertiesFrame *f = &cuda->frame;

  if (!cs_cuda_check (cudaMemsetAsync (f->counters, 0, sizeof (*f->counters),
              cuda->stream), "clear counters", error) ||
      !cs_cuda_check (cudaMemsetAsync (f->counts + (gsize) f->n_words *
              f->height, 0, sizeof (uint32_t), cuda->stream), "clear a number",
          error) || !cs_properties_cuda_count (f, cuda->stream, error) ||
      !sum_words (cuda, error) || !publish (cuda, error))
    return FALSE;
  if (published_of (cuda)->counters.bad)
    return fail_label (cuda, error);
  cuda->frame.n_pieces = published_of (cuda)->n_pieces;
  if (f->n_pieces > G_MAXINT32)
    return cs_error (error, CS_ERROR_LIMIT, "%u pieces of regions are too many "
        "for the GPU: the limit is 2^31; use the CPU", f->n_pieces);
  return TRUE;
}

/* --- Pieces --------------------------------------------------------------- */

static gboolean
ensure_pieces (PropertiesCuda * cuda, GError ** error)
{
  CsPropertiesFrame *f = &cuda->frame;
  CsCudaCarver carver = { NULL, 0 };
  const gsize n = f->n_pieces;

  do {
    f->pieces = CS_CUDA_CARVE (&carver, CsPropertiesPiece, n);
    for (guint k = 0; k < 2; k++) {
      f->keys[k] = CS_CUDA_CARVE (&carver, uint32_t, n);
      f->values[k] = CS_CUDA_CARVE (&carver, uint32_t, n);
    }
    f->firsts = CS_CUDA_CARVE (&carver, uint32_t, n);
  } while (cs_cuda_carve_again (&carver, &cuda->pieces, cuda->stream, error));
  return carver.base != NULL;
}

static gboolean
sort_pieces (PropertiesCuda * cuda, GError ** error)
{
  CsPropertiesFrame *f = &cuda->frame;
  const int n_bits = 32 - __builtin_clz (published_of (cuda)->counters.
      max_label);
  gsize size = 0;

  return cs_cuda_check (cs_cuda_sort_pairs_u32 (NULL, &size, f->keys, f->values,
          f->n_pieces, n_bits, cuda->stream), "size a sort", error) &&
      cs_cuda_scratch_ensure (&cuda->temp, size, cuda->stream, error) &&
      cs_cuda_check (cs_cuda_sort_pairs_u32 (cuda->temp.data, &size, f->keys,
          f->values, f->n_pieces, n_bits, cuda->stream), "sort pieces", error);
}

namespace
{

/* Whether a region's first piece is here. */
struct IsFirst
{
  const uint32_t *keys;

  __device__ bool
  operator() (uint32_t i) const
  {
    return i == 0 || keys[i] != keys[i - 1];
  }
};

}                               /* namespace */

static gboolean
find_regions (PropertiesCuda * cuda, GError ** error)
{
  CsPropertiesFrame *f = &cuda->frame;
  const IsFirst test = { f->keys[0] };

  if (!cs_cuda_select_numbers (&cuda->temp, f->firsts,
          &f->counters->n_regions, f->n_pieces, test, cuda->stream, error) ||
      !publish (cuda, error))
    return FALSE;
  f->n_regions = published_of (cuda)->counters.n_regions;
  return TRUE;
}

/* --- Regions -------------------------------------------------------------- */

static gboolean
ensure_regions (PropertiesCuda * cuda, guint32 wanted, GError ** error)
{
  CsPropertiesFrame *f = &cuda->frame;
  CsCudaCarver carver = { NULL, 0 };
  const gsize n = f->n_regions;
  const gsize n_blocks = MIN (n, CS_PROPERTIES_LARGE_BLOCKS);
  const gboolean hulls = cs_properties_need_hulls (wanted);
  const gboolean wide = cs_properties_need_wide (wanted);
  gsize zeros;

  f->max_chain = MIN (f->height, CS_PROPERTIES_MAX_CHAIN);
  f->moments = NULL;
  f->convex = NULL;
  do {
    f->sums = CS_CUDA_CARVE (&carver, CsPropertiesSums, n);
    if (wide)
      f->moments = CS_CUDA_CARVE (&carver, CsPropertiesMoments, n);
    zeros = carver.used;
    if (hulls) {
      f->convex = CS_CUDA_CARVE (&carver, uint64_t, n);
      f->diameter2 = CS_CUDA_CARVE (&carver, double, n);
      f->large = CS_CUDA_CARVE (&carver, uint32_t, n);
      f->chains = CS_CUDA_CARVE (&carver, CsPropertiesPoint,
          n_blocks * 4 * f->max_chain);
    }
  } while (cs_cuda_carve_again (&carver, &cuda->regions, cuda->stream, error));
  if (hulls)
    cs_properties_take (CS_PROPERTIES_GPU_HULLS);
  if (wide)
    cs_properties_take (CS_PROPERTIES_GPU_WIDE);
  return carver.base && cs_cuda_check (cudaMemsetAsync (f->sums, 0, zeros,
          cuda->stream), "clear sums", error);
}

/* Complete on return. */
static gboolean
download (const PropertiesCuda * cuda, guint32 wanted,
    CsPropertiesOutput * output, GError ** error)
{
  if (output->want_host) {
    output->columns = cs_properties_alloc (output, wanted, output->n_regions,
        TRUE, error);
    if (!output->columns || (output->n_regions > 0 &&
            !cs_cuda_check (cudaMemcpy2DAsync (output->columns, output->stride,
                    output->device_columns, output->stride,
                    output->n_regions * sizeof (double), output->n_columns,
                    cudaMemcpyDeviceToHost, cuda->stream),
                "download properties", error)))
      return FALSE;
  }
  return synchronize (cuda, error);
}

static gboolean
measure (PropertiesCuda * cuda, const CsPropertiesParams * params,
    CsPropertiesOutput * output, GError ** error)
{
  CsPropertiesFrame *f = &cuda->frame;

  output->device_columns = cs_properties_alloc (output, params->wanted,
      f->n_regions, FALSE, error);
  if (!output->device_columns)
    return FALSE;
  f->table.params = *params;
  f->table.columns = (uint8_t *) output->device_columns;
  f->table.stride = output->stride;
  return (f->n_regions == 0 || (ensure_regions (cuda, params->wanted, error) &&
          cs_properties_cuda_measure (f, cuda->stream, error))) &&
      download (cuda, params->wanted, output, error);
}

/* --- Runs ----------------------------------------------------------------- */

static gboolean
cuda_warm_up (void *state, G_GNUC_UNUSED const CsPropertiesParams * params,
    const CsLabelsPicture * picture, GError ** error)
{
  PropertiesCuda *cuda = (PropertiesCuda *) state;

  if (!ensure_words (cuda, picture, error))
    return FALSE;
  /* a piece in every fourth of a word is usual */
  cuda->frame.n_pieces = cuda->frame.n_words * cuda->frame.height * 4;
  return ensure_pieces (cuda, error);
}

/* After a failure nothing is under way that others may see. */
static gboolean
give_up (const PropertiesCuda * cuda)
{
  if (cudaStreamSynchronize (cuda->stream) != cudaSuccess)
    cudaGetLastError ();
  return FALSE;
}

static gboolean
cuda_run (void *state, const CsPropertiesParams * params,
    const CsLabelsPicture * picture, CsPropertiesOutput * output,
    GError ** error)
{
  PropertiesCuda *cuda = (PropertiesCuda *) state;
  CsPropertiesFrame *f = &cuda->frame;
  const gboolean neighbours = cs_properties_need_neighbours (params->wanted);

  f->n_pieces = f->n_regions = 0;
  if (picture->width > 0 && picture->height > 0 &&
      (!ensure_words (cuda, picture, error) ||
          !prepare_labels (cuda, picture, error) ||
          !count_pieces (cuda, error)))
    return give_up (cuda);
  if (f->n_pieces == 0)
    cs_properties_take (CS_PROPERTIES_NO_PIECES);
  else if (!ensure_pieces (cuda, error) ||
      !cs_properties_cuda_list (f, neighbours, cuda->stream, error) ||
      !sort_pieces (cuda, error) || !find_regions (cuda, error))
    return give_up (cuda);
  return measure (cuda, params, output, error) || give_up (cuda);
}

extern "C" const CsPropertiesBackend cs_properties_cuda_backend = {
  cuda_create,
  cuda_warm_up,
  cuda_run,
  cuda_destroy,
};
