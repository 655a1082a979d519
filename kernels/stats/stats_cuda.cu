/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The CUDA backend. What describes regions, with those of their points that are
 * on the host, is one copy to the GPU; then come two kernels, and one copy of
 * the sums and of the number of tiles back. The host synchronises once, at the
 * end; if there was no room for all tiles, everything is done again with more.
 */
#include "base/cuda_base.h"

extern "C" {
#include "base/cuda_memory.h"
#include "base/memory.h"
#include "stats_cuda.h"
#include "stats_samples.h"
}

/* Room for tiles at first, and tiles beyond one for each region. */
#define MIN_TILES 16384

/* Blocks of threads for each multiprocessor. */
#define BLOCKS 16

/* The number of tiles precedes the sums in the result. */
#define HEAD sizeof (guint64)

#define ALIGNMENT 256

/**
 * StatsCuda:
 * @block: layout.size bytes made on the host, then the copy of the result
 * @device: the same, then the rows of chunks, then the result
 * @samples: pictures and images that came from the host
 * @last: what replays repeat
 */
struct StatsCuda
{
  cudaStream_t stream;
  guint n_blocks;
  CsCudaPinned block;
  CsCudaScratch device, tiles, samples, table;
  gsize n_tiles;
  CsStatsCudaLayout layout;
  gsize result, result_size;
  CsStatsCudaJob last;
};

static void
cuda_destroy (void *state)
{
  StatsCuda *cuda = (StatsCuda *) state;

  cs_cuda_scratch_clear (&cuda->device, cuda->stream);
  cs_cuda_scratch_clear (&cuda->tiles, cuda->stream);
  cs_cuda_scratch_clear (&cuda->samples, cuda->stream);
  cs_cuda_scratch_clear (&cuda->table, cuda->stream);
  cs_cuda_pinned_clear (&cuda->block);
  g_free (cuda);
}

static void *
cuda_create (CsExecutor * executor, GError ** error)
{
  StatsCuda *cuda = g_new0 (StatsCuda, 1);
  int n = 0;

  cuda->stream = (cudaStream_t) cs_executor_get_stream (executor);
  if (!cs_cuda_get_attribute (cudaDevAttrMultiProcessorCount, &n, error) ||
      !cs_stats_cuda_load (error)) {
    cuda_destroy (cuda);
    return NULL;
  }
  cuda->n_blocks = (guint) n * BLOCKS;
  return cuda;
}

/* --- Memory --------------------------------------------------------------- */

static gboolean
ensure_table (StatsCuda * cuda, GError ** error)
{
  if (cuda->table.data)
    return TRUE;
  if (!cs_cuda_scratch_ensure (&cuda->table, sizeof (CsLabTable), cuda->stream,
          error))
    return FALSE;
  if (cs_cuda_check (cudaMemcpyAsync (cuda->table.data, cs_lab_get_table (),
              sizeof (CsLabTable), cudaMemcpyHostToDevice, cuda->stream),
          "upload a table", error))
    return TRUE;
  cs_cuda_scratch_clear (&cuda->table, cuda->stream);
  return FALSE;
}

static gboolean
ensure_tiles (StatsCuda * cuda, gsize n, GError ** error)
{
  if (cuda->tiles.data && n <= cuda->n_tiles)
    return TRUE;
  if (n > G_MAXSIZE / 2 / sizeof (CsStatsCudaTile))
    return cs_error (error, CS_ERROR_LIMIT, "shapes that cover %" G_GSIZE_FORMAT
        " tiles of the frame", n);
  if (!cs_cuda_scratch_ensure (&cuda->tiles, n * sizeof (CsStatsCudaTile),
          cuda->stream, error))
    return FALSE;
  cuda->n_tiles = cuda->tiles.size / sizeof (CsStatsCudaTile);
  return TRUE;
}

/* Memory for a run that cuda->layout describes; the job's places in it. */
static gboolean
ensure (StatsCuda * cuda, gsize n_regions, guint n_channels,
    CsStatsCudaJob * job, GError ** error)
{
  const CsStatsCudaLayout *layout = &cuda->layout;
  const gsize rows = (layout->n_chunks * 2 * sizeof (gint32) + ALIGNMENT - 1) /
      ALIGNMENT * ALIGNMENT;

  cuda->result = layout->size + rows;
  cuda->result_size = HEAD + n_regions * n_channels * sizeof (CsStatsSums);
  if (!cs_cuda_pinned_ensure (&cuda->block, layout->size + cuda->result_size,
          error) || !ensure_tiles (cuda, n_regions + MIN_TILES, error))
    return FALSE;
  guint8 *device = (guint8 *) cs_cuda_scratch_ensure (&cuda->device,
      cuda->result + cuda->result_size, cuda->stream, error);
  if (!device)
    return FALSE;
  job->n_tiles = (guint64 *) device;
  job->regions = (CsStatsCudaRegion *) (device + layout->regions);
  job->chunks = (const CsStatsCudaChunk *) (device + layout->chunks);
  job->images = (const CsStatsCudaImage *) (device + layout->images);
  job->chunk_rows = (gint32 *) (device + layout->size);
  job->n_found = (guint64 *) (device + cuda->result);
  job->sums = (CsStatsSums *) (device + cuda->result + HEAD);
  job->tiles = (CsStatsCudaTile *) cuda->tiles.data;
  job->capacity = cuda->n_tiles;
  return TRUE;
}

static gboolean
cuda_warm_up (void *state, CsStatsKind kind, gsize n_regions, gsize n_points,
    GError ** error)
{
  StatsCuda *cuda = (StatsCuda *) state;
  CsStatsCudaJob job;

  cuda->layout = CsStatsCudaLayout ();
  cuda->layout.n_images = 1;
  cuda->layout.n_points = n_regions * n_points;
  cuda->layout.n_chunks = n_regions * (n_points / CS_STATS_CUDA_SIDES + 1);
  cs_stats_cuda_lay_out (&cuda->layout, n_regions);
  return ensure (cuda, n_regions, cs_stats_get_n_channels (kind), &job,
      error) && (kind != CS_STATS_LAB || ensure_table (cuda, error));
}

/* --- Samples -------------------------------------------------------------- */

/* Bytes from the first sample to the end of the last. */
static gsize
extent (const CsImage * image)
{
  if (image->width == 0 || image->height == 0)
    return 0;
  return (image->height - 1) * image->row_stride +
      (image->width - 1) * image->pixel_stride +
      (image->channels - 1) * image->channel_stride +
      cs_sample_size (image->type);
}

static CsStatsCudaImage
view_of (const CsImage * image)
{
  CsStatsCudaImage view = CsStatsCudaImage ();

  view.data = (const guint8 *) image->data;
  view.pixel_stride = image->pixel_stride;
  view.row_stride = image->row_stride;
  view.channel_stride = image->channel_stride;
  view.width = (gint32) image->width;
  view.height = (gint32) image->height;
  view.type = image->type;
  return view;
}

/* Bytes to upload: those of an image, or of all that overlap. */
struct Range
{
  const guint8 *from;
  gsize size, to;
};

static void
extend_range (Range * range, const CsStatsCudaImage * view, gsize size)
{
  const guint8 *end = MAX (range->from + range->size, view->data + size);

  range->from = MIN (range->from, view->data);
  range->size = end - range->from;
}

static gboolean
overlaps (const Range * range, const CsStatsCudaImage * view, gsize size)
{
  return view->data < range->from + range->size &&
      range->from < view->data + size;
}

/* The ranges of @n images; components that share pixels share one. @range_of:
 * that of each. Returns: how many */
static gsize
find_ranges (const CsImage * images, gsize n, const CsStatsCudaImage * views,
    Range * ranges, gsize * range_of)
{
  gsize i, n_ranges = 0;

  for (i = 0; i < n; i++) {
    const gsize size = extent (&images[i]);

    if (n_ranges > 0 && overlaps (&ranges[n_ranges - 1], &views[i], size)) {
      extend_range (&ranges[n_ranges - 1], &views[i], size);
    } else {
      ranges[n_ranges].from = views[i].data;
      ranges[n_ranges++].size = size;
    }
    range_of[i] = n_ranges - 1;
  }
  return n_ranges;
}

static gboolean
upload_ranges (StatsCuda * cuda, Range * ranges, gsize n, GError ** error)
{
  gsize i, size = 0;

  for (i = 0; i < n; i++) {
    ranges[i].to = size;
    size += (ranges[i].size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }
  guint8 *to = (guint8 *) cs_cuda_scratch_ensure (&cuda->samples, size,
      cuda->stream, error);
  if (!to)
    return FALSE;
  for (i = 0; i < n; i++)
    if (ranges[i].size > 0 && !cs_cuda_check (cudaMemcpyAsync (to +
                ranges[i].to, ranges[i].from, ranges[i].size,
                cudaMemcpyDefault, cuda->stream), "upload samples", error))
      return FALSE;
  return TRUE;
}

/* Uploads @n images, and makes @views of them views of the copies. */
static gboolean
upload (StatsCuda * cuda, const CsImage * images, gsize n,
    CsStatsCudaImage * views, GError ** error)
{
  g_autofree Range *ranges = cs_try_new (Range, n);
  g_autofree gsize *range_of = cs_try_new (gsize, n);

  if (!ranges || !range_of)
    return cs_fail_no_memory (error, "the images of a tensor");
  if (!upload_ranges (cuda, ranges, find_ranges (images, n, views, ranges,
              range_of), error))
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    const Range *range = &ranges[range_of[i]];

    views[i].data = (const guint8 *) cuda->samples.data + range->to +
        (views[i].data - range->from);
  }
  return TRUE;
}

static gboolean
prepare_images (StatsCuda * cuda, const CsImage * images, gsize n,
    CsStatsCudaImage * views, GError ** error)
{
  gboolean is_on_host = FALSE;

  for (gsize i = 0; i < n; i++) {
    views[i] = view_of (&images[i]);
    is_on_host = is_on_host || images[i].memory != CS_MEMORY_DEVICE;
  }
  return !is_on_host || upload (cuda, images, n, views, error);
}

static gboolean
prepare_picture (StatsCuda * cuda, const CsPicture * picture,
    CsStatsCudaJob * job, GError ** error)
{
  const guint n = cs_stats_get_n_components (picture);
  CsImage components[3];

  for (guint c = 0; c < n; c++)
    components[c] = cs_picture_get_component (picture, c);
  job->is_rgb = n == 3;
  job->shift = picture->shift;
  cs_stats_get_weights (picture, job->weights);
  return prepare_images (cuda, components, n, job->components, error);
}

/* --- Running -------------------------------------------------------------- */

static gboolean
prepare (StatsCuda * cuda, const CsStatsInput * input, CsStatsCudaJob * job,
    GError ** error)
{
  *job = CsStatsCudaJob ();
  if (!cs_stats_cuda_count (input, &cuda->layout, error))
    return FALSE;
  job->kind = input->kind;
  job->n_regions = (guint32) input->n_regions;
  job->n_chunks = (guint32) cuda->layout.n_chunks;
  job->n_channels = cs_stats_get_n_channels (input->kind);
  job->scale_x = input->scale_x;
  job->scale_y = input->scale_y;
  if (!ensure (cuda, input->n_regions, job->n_channels, job, error) ||
      (input->kind == CS_STATS_LAB && !ensure_table (cuda, error)))
    return FALSE;
  job->lab = (const CsLabTable *) cuda->table.data;
  CsStatsCudaImage *images = (CsStatsCudaImage *) ((guint8 *) cuda->block.data +
      cuda->layout.images);
  if (input->kind == CS_STATS_PROBABILITY)
    return prepare_images (cuda, input->images, input->n_images, images, error);
  if (!prepare_picture (cuda, input->picture, job, error))
    return FALSE;
  images[0] = job->components[0];
  return TRUE;
}

static gboolean
queue (StatsCuda * cuda, const CsStatsCudaJob * job, GError ** error)
{
  guint8 *host = (guint8 *) cuda->block.data;
  guint8 *device = (guint8 *) cuda->device.data;

  return cs_cuda_check (cudaMemcpyAsync (device, host, cuda->layout.size,
          cudaMemcpyHostToDevice, cuda->stream), "upload shapes", error) &&
      cs_stats_cuda_launch (job, cuda->n_blocks, cuda->stream, error) &&
      cs_cuda_check (cudaMemcpyAsync (host + cuda->layout.size,
          device + cuda->result, cuda->result_size, cudaMemcpyDeviceToHost,
          cuda->stream), "download sums", error);
}

/* Returns: whether everything had room, or %FALSE with no @error, and more
 * room */
static gboolean
run_once (StatsCuda * cuda, const CsStatsInput * input, CsStatsCudaJob * job,
    GError ** error)
{
  guint64 n_tiles;

  if (!prepare (cuda, input, job, error))
    return FALSE;
  const guint8 *host = (const guint8 *) cuda->block.data;
  cs_stats_cuda_pack (input, &cuda->layout, (guint8 *) cuda->block.data,
      (const guint8 *) cuda->device.data);
  if (!queue (cuda, job, error) ||
      !cs_cuda_check (cudaStreamSynchronize (cuda->stream),
          "sum up samples inside shapes", error))
    return FALSE;
  memcpy (&n_tiles, host + cuda->layout.size, sizeof (n_tiles));
  if (n_tiles <= job->capacity)
    return TRUE;
  ensure_tiles (cuda, n_tiles, error);
  return FALSE;
}

static void
take_sums (StatsCuda * cuda, gsize n, CsStatsSums * sums)
{
  memcpy (sums, (const guint8 *) cuda->block.data + cuda->layout.size + HEAD,
      n * sizeof (*sums));
  for (gsize i = 0; i < n; i++)
    if (sums[i].n == 0)
      sums[i].minimum = sums[i].maximum = 0;
}

static gboolean
cuda_run (void *state, const CsStatsInput * input, CsStatsSums * sums,
    GError ** error)
{
  StatsCuda *cuda = (StatsCuda *) state;
  GError *failure = NULL;
  CsStatsCudaJob job;

  while (!run_once (cuda, input, &job, &failure)) {
    if (!failure)
      continue;
    /* what is queued may still read the caller's memory */
    if (cudaStreamSynchronize (cuda->stream) != cudaSuccess)
      cudaGetLastError ();
    g_propagate_error (error, failure);
    return FALSE;
  }
  cuda->last = job;
  take_sums (cuda, input->n_regions * job.n_channels, sums);
  return TRUE;
}

extern "C" const CsStatsBackend cs_stats_cuda_backend = {
  cuda_create,
  cuda_warm_up,
  cuda_run,
  cuda_destroy,
};

/* --- Benchmarks ----------------------------------------------------------- */

static gboolean
replay (StatsCuda * cuda, guint n, cudaEvent_t begin, cudaEvent_t end,
    float *milliseconds)
{
  gboolean ok = queue (cuda, &cuda->last, NULL) &&
      cs_cuda_check (cudaEventRecord (begin, cuda->stream), "", NULL);

  for (guint i = 0; i < n && ok; i++)
    ok = queue (cuda, &cuda->last, NULL);
  return ok && cs_cuda_check (cudaEventRecord (end, cuda->stream), "", NULL) &&
      cs_cuda_check (cudaEventSynchronize (end), "", NULL) &&
      cs_cuda_check (cudaEventElapsedTime (milliseconds, begin, end), "", NULL);
}

extern "C" double
cs_stats_cuda_replay (void *state, guint n)
{
  StatsCuda *cuda = (StatsCuda *) state;
  cudaEvent_t begin = NULL, end = NULL;
  float milliseconds = 0.f;
  const gboolean ok = cuda->last.n_regions > 0 &&
      cs_cuda_check (cudaEventCreate (&begin), "", NULL) &&
      cs_cuda_check (cudaEventCreate (&end), "", NULL) &&
      replay (cuda, n, begin, end, &milliseconds);

  if (begin)
    cs_cuda_check (cudaEventDestroy (begin), "", NULL);
  if (end)
    cs_cuda_check (cudaEventDestroy (end), "", NULL);
  return ok && n > 0 ? 1000. * milliseconds / n : -1.;
}
