/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CUDA backend: memory, uploads, and runs that are repeated with more memory
 * when something did not fit. The host synchronises once a run, and again if it
 * wants the result. */
#include <string.h>

#include "base/cuda_base.h"
#include "base/cuda_copy.h"
#include "labels_cuda.cuh"

/* What there is room for at first */
#define FRAGMENTS (1u << 16)
#define RINGS (1u << 14)
#define POINTS (1u << 20)
#define LABEL_BITS 14

/**
 * LabelsCuda:
 * @pinned: Published
 * @labels, @wanted: of the host, uploaded
 * @scratch: all else of the frame; its sizes are the frame's
 * @temp: of sorts and sums
 */
typedef struct
{
  cudaStream_t stream;
  CsCudaPinned pinned;
  CsCudaScratch labels, wanted, scratch, temp;
  CsCudaCopier copier;
  CsLabelsFrame frame;
} LabelsCuda;

/* What the host reads. */
typedef struct
{
  CsLabelsCounters counters;
  CsCudaPair sums;
} Published;

static void
cuda_destroy (void *state)
{
  LabelsCuda *cuda = (LabelsCuda *) state;

  cs_cuda_copier_clear (&cuda->copier);
  cs_cuda_scratch_clear (&cuda->labels, cuda->stream);
  cs_cuda_scratch_clear (&cuda->wanted, cuda->stream);
  cs_cuda_scratch_clear (&cuda->scratch, cuda->stream);
  cs_cuda_scratch_clear (&cuda->temp, cuda->stream);
  cs_cuda_pinned_clear (&cuda->pinned);
  g_free (cuda);
}

static void *
cuda_create (CsExecutor * executor, GError ** error)
{
  LabelsCuda *cuda = g_new0 (LabelsCuda, 1);

  cuda->stream = (cudaStream_t) cs_executor_get_stream (executor);
  cuda->frame.max_fragments = FRAGMENTS;
  cuda->frame.max_rings = RINGS;
  cuda->frame.max_points = POINTS;
  cuda->frame.max_items = RINGS + POINTS / CS_SUM_BLOCK;
  cuda->frame.label_bits = LABEL_BITS;
  if (cs_cuda_pinned_ensure (&cuda->pinned, sizeof (Published), error))
    return cuda;
  cuda_destroy (cuda);
  return NULL;
}

/* --- Memory --------------------------------------------------------------- */

static uint32_t
n_bits_of (guint64 value)
{
  return value ? 64 - __builtin_clzll (value) : 0;
}

/* The frame's sizes for a picture. */
static gboolean
set_picture (LabelsCuda * cuda, const CsLabelsPicture * picture,
    GError ** error)
{
  CsLabelsFrame *f = &cuda->frame;
  const guint64 n_cells = ((guint64) picture->width + 1) * (picture->height + 1);

  if (n_cells > G_MAXINT32)
    return cs_error (error, CS_ERROR_LIMIT, "%u x %u labels are too many for "
        "the GPU: the limit is 2^31; use the CPU, which takes strips, too",
        picture->width, picture->height);
  f->width = picture->width;
  f->height = picture->height;
  f->columns = picture->width + 1;
  f->rows = picture->height + 1;
  f->tiles_x = cs_cuda_blocks (f->columns, CS_LABELS_TILE);
  f->tiles_y = cs_cuda_blocks (f->rows, CS_LABELS_TILE);
  f->n_sides = 2 * CS_LABELS_TILE * ((f->tiles_x + 1) * f->tiles_y +
      (f->tiles_y + 1) * f->tiles_x);
  f->cell_bits = n_bits_of (n_cells - 1);
  f->size = picture->size;
  f->is_signed = picture->is_signed != 0;
  return TRUE;
}

static void
carve (LabelsCuda * cuda, CsCudaCarver * carver)
{
  CsLabelsFrame *f = &cuda->frame;
  const gsize n = f->max_fragments, n_tiles = (gsize) f->tiles_x * f->tiles_y;
  const gsize n_rings = f->max_rings;

  f->counters = CS_CUDA_CARVE (carver, CsLabelsCounters, 1);
  f->ends = CS_CUDA_CARVE (carver, uint32_t, f->n_sides);
  f->tiles = CS_CUDA_CARVE (carver, CsLabelsTile, n_tiles);
  f->fragments = CS_CUDA_CARVE (carver, CsLabelsFragment, n);
  f->rings = CS_CUDA_CARVE (carver, CsLabelsRing, n);
  f->places = CS_CUDA_CARVE (carver, CsLabelsPlace, n);
  f->jumps = CS_CUDA_CARVE (carver, CsJump, n);
  f->keys = CS_CUDA_CARVE (carver, CsLabelsU64, n_rings);
  f->roots = CS_CUDA_CARVE (carver, uint32_t, n_rings);
  f->sorted_keys = CS_CUDA_CARVE (carver, CsLabelsU64, n_rings);
  f->sorted_roots = CS_CUDA_CARVE (carver, uint32_t, n_rings);
  f->counts = CS_CUDA_CARVE (carver, CsCudaPair, n_rings + 1);
  f->sums = CS_CUDA_CARVE (carver, CsCudaPair, n_rings + 1);
  f->n_done = CS_CUDA_CARVE (carver, uint32_t, n_rings);
  f->item_ring = CS_CUDA_CARVE (carver, uint32_t, f->max_items);
  f->item_sums = CS_CUDA_CARVE (carver, CsSums, f->max_items);
}

/* Sorts rings, or with @temp NULL tells how much of that a sort needs. */
static cudaError_t
sort (const LabelsCuda * cuda, void *temp, gsize * size, CsLabelsFrame * f)
{
  guint64 *keys[2] = { (guint64 *) f->keys, (guint64 *) f->sorted_keys };
  guint32 *roots[2] = { f->roots, f->sorted_roots };
  const cudaError_t status = cs_cuda_sort_pairs_u64 (temp, size, keys, roots,
      f->max_rings, f->label_bits + f->cell_bits, cuda->stream);

  f->sorted_keys = (CsLabelsU64 *) keys[0];
  f->sorted_roots = roots[0];
  return status;
}

static cudaError_t
sum (const LabelsCuda * cuda, void *temp, gsize * size, const CsLabelsFrame * f)
{
  return cs_cuda_sum_pairs (temp, size, f->counts, f->sums, f->max_rings + 1,
      cuda->stream);
}

static gboolean
ensure_temp (LabelsCuda * cuda, GError ** error)
{
  CsLabelsFrame frame = cuda->frame;
  gsize sort_size = 0, sum_size = 0;

  return cs_cuda_check (sort (cuda, NULL, &sort_size, &frame), "size a sort",
      error) && cs_cuda_check (sum (cuda, NULL, &sum_size, &frame),
      "size a sum", error) && cs_cuda_scratch_ensure (&cuda->temp,
      MAX (sort_size, sum_size), cuda->stream, error);
}

static gboolean
ensure (LabelsCuda * cuda, GError ** error)
{
  CsCudaCarver carver = { NULL, 0 };

  do
    carve (cuda, &carver);
  while (cs_cuda_carve_again (&carver, &cuda->scratch, cuda->stream, error));
  return carver.base && ensure_temp (cuda, error);
}

static gboolean
cuda_warm_up (void *state, G_GNUC_UNUSED const CsLabelsParams * params,
    const CsLabelsPicture * picture, GError ** error)
{
  LabelsCuda *cuda = (LabelsCuda *) state;

  return set_picture (cuda, picture, error) && ensure (cuda, error);
}

/* --- Input ---------------------------------------------------------------- */

static gboolean
upload (LabelsCuda * cuda, CsCudaScratch * scratch, const void *from,
    gsize size, GError ** error)
{
  return cs_cuda_scratch_ensure (scratch, size, cuda->stream, error) &&
      cs_cuda_copy_bytes (&cuda->copier, scratch->data, from, size,
      cuda->stream, error);
}

/* Labels on the device: in one block from the first to the last one, if they are
 * the host's. */
static gboolean
prepare_labels (LabelsCuda * cuda, const CsLabelsPicture * picture,
    GError ** error)
{
  CsLabelsFrame *f = &cuda->frame;

  f->pixel_stride = picture->pixel_stride;
  f->row_stride = picture->row_stride;
  f->data = (const uint8_t *) picture->data;
  if (picture->memory == CS_MEMORY_DEVICE || picture->width == 0 ||
      picture->height == 0) {
    cs_labels_take (CS_LABELS_UPLOAD_NOTHING);
    return TRUE;
  }
  cs_labels_take (CS_LABELS_UPLOAD);
  const gsize size = picture->size +
      (picture->width - 1) * picture->pixel_stride +
      (picture->height - 1) * picture->row_stride;

  if (!upload (cuda, &cuda->labels, picture->data, size, error))
    return FALSE;
  f->data = (const uint8_t *) cuda->labels.data;
  return TRUE;
}

static gboolean
prepare_input (LabelsCuda * cuda, const CsLabelsParams * params,
    const CsLabelsInput * input, GError ** error)
{
  CsLabelsFrame *f = &cuda->frame;

  f->background = params->background;
  f->pixels = params->outline == CS_LABELS_PIXELS;
  f->hierarchy = params->hierarchy != 0;
  f->min_area = params->min_area;
  f->measures = params->measures;
  f->origin_x = input->origin_x;
  f->origin_y = input->origin_y;
  f->first_id = input->first_id;
  f->image_index = input->image_index;
  f->has_wanted = input->wanted != NULL;
  f->n_wanted = f->has_wanted ? (uint32_t) input->n_wanted : 0;
  if (f->n_wanted > 0 && !upload (cuda, &cuda->wanted, input->wanted,
          f->n_wanted * sizeof (guint32), error))
    return FALSE;
  f->wanted = (const uint32_t *) cuda->wanted.data;
  return set_picture (cuda, &input->picture, error) &&
      prepare_labels (cuda, &input->picture, error);
}

/* --- Output --------------------------------------------------------------- */

static CsLabelsArrays
arrays_of (const CsLabelsFrame * f, const CsContoursLayout * layout,
    guint8 * memory)
{
  const CsLabelsArrays arrays = {
    (float2 *) (memory + layout->points),
    (uint32_t *) (memory + layout->offsets),
    (CsContour *) (memory + layout->contours),
    f->measures == CS_MEASURES_FULL ?
        (CsContourMoments *) (memory + layout->moments) : NULL
  };

  return arrays;
}

static gboolean
prepare_output (LabelsCuda * cuda, CsContoursOutput * output, GError ** error)
{
  CsLabelsFrame *f = &cuda->frame;
  CsContoursLayout layout;

  cs_contours_layout (CS_POINTS_F32, f->measures, f->max_rings, f->max_points,
      &layout);
  guint8 *memory = (guint8 *) output->alloc (output->user_data, layout.size,
      FALSE);

  if (!memory)
    return cs_fail_no_memory (error, "polygons of labels");
  f->out = arrays_of (f, &layout, memory);
  return TRUE;
}

static gboolean
synchronize (const LabelsCuda * cuda, GError ** error)
{
  return cs_cuda_check (cudaStreamSynchronize (cuda->stream),
      "find polygons of labels on the GPU", error);
}

static gboolean
copy_to_host (const LabelsCuda * cuda, void *to, const void *from, gsize size,
    GError ** error)
{
  return size == 0 || cs_cuda_check (cudaMemcpyAsync (to, from, size,
          cudaMemcpyDeviceToHost, cuda->stream), "download polygons", error);
}

static gboolean
download (const LabelsCuda * cuda, CsContoursOutput * output, GError ** error)
{
  const CsLabelsFrame *f = &cuda->frame;
  const gsize n = output->n_contours;
  CsContoursLayout layout;

  cs_contours_layout (CS_POINTS_F32, f->measures, n, output->n_points, &layout);
  guint8 *memory = (guint8 *) output->alloc (output->user_data, layout.size,
      TRUE);

  if (!memory)
    return cs_fail_no_memory (error, "polygons of labels");
  const CsLabelsArrays host = arrays_of (f, &layout, memory);

  output->points = host.points;
  output->offsets = host.offsets;
  output->contours = host.contours;
  output->moments = host.moments;
  return copy_to_host (cuda, host.points, f->out.points,
      output->n_points * sizeof (float2), error) &&
      copy_to_host (cuda, host.offsets, f->out.offsets,
      (n + 1) * sizeof (guint32), error) &&
      copy_to_host (cuda, host.contours, f->out.contours,
      n * sizeof (CsContour), error) &&
      copy_to_host (cuda, host.moments, f->out.moments,
      host.moments ? n * sizeof (CsContourMoments) : 0, error) &&
      synchronize (cuda, error);
}

/* --- Runs ----------------------------------------------------------------- */

/* Keys of what is not listed are greater than all others; roots are behind
 * them. */
static gboolean
clear (const LabelsCuda * cuda, GError ** error)
{
  const CsLabelsFrame *f = &cuda->frame;

  return cs_cuda_check (cudaMemsetAsync (f->counters, 0,
          sizeof (CsLabelsCounters), cuda->stream), "clear counters", error) &&
      cs_cuda_check (cudaMemsetAsync (f->keys, 0xff,
          (gsize) ((guint8 *) (f->roots + f->max_rings) - (guint8 *) f->keys),
          cuda->stream), "clear keys", error);
}

static gboolean
sort_and_sum (LabelsCuda * cuda, GError ** error)
{
  CsLabelsFrame *f = &cuda->frame;
  gsize size = cuda->temp.size;

  if (!cs_cuda_check (sort (cuda, cuda->temp.data, &size, f), "sort rings",
          error) || !cs_labels_cuda_number (f, cuda->stream, error))
    return FALSE;
  size = cuda->temp.size;
  return cs_cuda_check (sum (cuda, cuda->temp.data, &size, f), "sum up rings",
      error);
}

/* What a frame has come to. */
static gboolean
read_back (const LabelsCuda * cuda, GError ** error)
{
  const CsLabelsFrame *f = &cuda->frame;
  Published *to = (Published *) cuda->pinned.data;

  return copy_to_host (cuda, &to->counters, f->counters,
      sizeof (to->counters), error) && copy_to_host (cuda, &to->sums,
      &f->sums[f->max_rings], sizeof (to->sums), error) &&
      synchronize (cuda, error);
}

static gboolean
launch (LabelsCuda * cuda, CsContoursOutput * output, GError ** error)
{
  const CsLabelsFrame *f = &cuda->frame;

  return ensure (cuda, error) && prepare_output (cuda, output, error) &&
      clear (cuda, error) && cs_labels_cuda_find (f, cuda->stream, error) &&
      cs_labels_cuda_join (f, cuda->stream, error) &&
      sort_and_sum (cuda, error) &&
      cs_labels_cuda_rays (f, cuda->stream, error) &&
      cs_labels_cuda_emit (f, cuda->stream, error) &&
      cs_labels_cuda_measure (f, cuda->stream, error) &&
      read_back (cuda, error);
}

/* Whether @needed elements have room; else @max is more than that. */
static gboolean
fits (guint64 needed, uint32_t * max, guint way)
{
  if (needed <= *max)
    return TRUE;
  cs_labels_take (way);
  *max = (uint32_t) MIN (needed + needed / 4, G_MAXINT32);
  return FALSE;
}

/* Looks at what the frame has needed: of the result only if all before it had
 * room. */
static gboolean
had_room (LabelsCuda * cuda)
{
  const Published *published = (const Published *) cuda->pinned.data;
  const CsLabelsCounters *counters = &published->counters;
  CsLabelsFrame *f = &cuda->frame;
  const uint32_t bits = n_bits_of ((guint64) counters->max_label + 1);

  if (!fits (counters->n_fragments, &f->max_fragments,
          CS_LABELS_GROW_FRAGMENTS))
    return FALSE;
  gboolean all = fits (counters->n_rings, &f->max_rings, CS_LABELS_GROW_RINGS);

  if (bits > f->label_bits) {
    cs_labels_take (CS_LABELS_GROW_LABELS);
    f->label_bits = bits;
    all = FALSE;
  }
  all = all && fits (published->sums.first, &f->max_points,
      CS_LABELS_GROW_POINTS);
  f->max_items = MAX (f->max_items, f->max_rings +
      f->max_points / CS_SUM_BLOCK);
  return all;
}

/* The first label that is too large, if there is one. */
static gboolean
check_labels (const LabelsCuda * cuda, GError ** error)
{
  const Published *published = (const Published *) cuda->pinned.data;
  const CsLabelsFrame *f = &cuda->frame;
  guint64 label = 0;

  if (published->counters.bad == 0)
    return TRUE;
  const guint32 at = CS_LABELS_NONE - published->counters.bad;
  const guint x = at % f->width, y = at / f->width;

  return copy_to_host (cuda, &label, f->data + y * f->row_stride +
      x * f->pixel_stride, f->size, error) && synchronize (cuda, error) &&
      cs_labels_fail_label (label, x, y, error);
}

/* Points of all rings, with the first one of each again. */
static gboolean
check_result (const LabelsCuda * cuda, const CsLabelsInput * input,
    GError ** error)
{
  const CsLabelsCounters *counters =
      &((const Published *) cuda->pinned.data)->counters;

  if (counters->has_changed)
    return cs_labels_fail_changed (error);
  return cs_labels_check_result (input->first_id, counters->n_rings,
      MAX (counters->n_points + counters->n_rings, counters->n_fragments),
      error);
}

static gboolean
find (LabelsCuda * cuda, const CsLabelsInput * input,
    CsContoursOutput * output, GError ** error)
{
  const CsLabelsFrame *f = &cuda->frame;
  const Published *published = (const Published *) cuda->pinned.data;

  do
    if (!launch (cuda, output, error) || !check_labels (cuda, error) ||
        !check_result (cuda, input, error))
      return FALSE;
  while (!had_room (cuda));
  output->n_contours = published->counters.n_rings;
  output->n_points = published->sums.first;
  output->n_segments = published->counters.n_steps;
  output->n_dropped = published->counters.n_dropped;
  output->device_points = f->out.points;
  output->device_offsets = f->out.offsets;
  output->device_contours = f->out.contours;
  output->device_moments = f->out.moments;
  return !output->want_host || download (cuda, output, error);
}

static gboolean
cuda_run (void *state, const CsLabelsParams * params,
    const CsLabelsInput * input, CsContoursOutput * output, GError ** error)
{
  LabelsCuda *cuda = (LabelsCuda *) state;

  if (prepare_input (cuda, params, input, error) &&
      find (cuda, input, output, error))
    return TRUE;
  /* nothing is queued on return */
  if (cudaStreamSynchronize (cuda->stream) != cudaSuccess)
    cudaGetLastError ();
  return FALSE;
}

const CsLabelsBackend cs_labels_cuda_backend = {
  cuda_create,
  cuda_warm_up,
  cuda_run,
  NULL,
  NULL,
  NULL,
  cuda_destroy,
};
