/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: the plan, its memory and its graph. */
#include "contours_cuda.cuh"

#include <math.h>
#include <string.h>

#include "base/cuda_base.h"
#include "base/cuda_memory.h"
#include "base/memory.h"
#include "contours_math.h"
#include "contours_private.h"

/* Blocks per multiprocessor of grid-stride kernels. */
#define BLOCKS_PER_SM 8
/* Blocks that saturate the link to the host. */
#define PUBLISH_BLOCKS 64
#define RANGE_ROWS 64
/* Initial capacity: one segment for so many cells; grows on overflow. */
#define CELLS_PER_SEGMENT 12
#define MIN_SEGMENTS 4096
/* Maximum cells of a target for the small path; more usually have too many
 * segments. */
#define SMALL_CELLS (1u << 17)
/* Blocks per cluster, where clusters are supported */
#define CLUSTER 8
/* After an overflow of the small path, frames that go straight to the general
 * path. */
#define SMALL_RETRY_FRAMES 32
/* After a frame of so many contours at most, the next one's records go to the
 * host as they are measured: a kernel less, but short writes. */
#define DIRECT_CONTOURS 8192
/* Limit of counts and keys. */
#define MAX_SEGMENTS (G_GUINT64_CONSTANT (1) << 31)

typedef struct
{
  gsize segments, fragments, contours, points;
} Capacity;

/* What the graph and the scratch memory depend on. */
typedef struct
{
  CsSampleType type, user_type;
  guint width, height;
  Capacity capacity;
} Shape;

typedef struct
{
  CsCudaGraph graph;
  cudaGraphNode_t range_node, count_node, choose_node, tile_node, small_node;
} Graph;

typedef struct
{
  const CsContours *plan;
  cudaStream_t stream;
  guint n_processors;
  CsSampleType user_type;
  gboolean late_filter;
  Shape shape;
  Capacity wanted;
  CsCudaScratch scratch, staging, mask_staging, planes, bordered_mask;
  CsCudaCopier copier;
  CsCudaScratch sources;        /* the plan's, with their members; once */
  gsize zeroed_size;
  Graph general, direct, small;
  guint range_blocks, tile_blocks, small_blocks;
  gboolean may_be_small, may_be_direct;
  guint frames_not_tried;
  guint64 n_contours;           /* of the last frame */
  CsFrame frame;                /* of the last launch */
  CsPublished *published;
  CsPublished *device_published;        /* its device address */
} CsContoursCuda;

/* Scratch memory */

static guint
blocks_for (const CsContoursCuda * cuda, gsize n, guint a_block)
{
  return (guint) CLAMP ((n + a_block - 1) / a_block, 1,
      cuda->n_processors * BLOCKS_PER_SM);
}

/* Two sets of zeroed counters, at the start of scratch. */
static void
carve_zeroed (CsContoursCuda * cuda, CsCudaCarver * carver)
{
  CsFrame *f = &cuda->frame;

  f->counters = CS_CUDA_CARVE (carver, CsCounters, 1);
  f->next_counters = CS_CUDA_CARVE (carver, CsCounters, 1);
  f->chunks = CS_CUDA_CARVE (carver, CsU64, f->n_chunks);
  f->next_chunks = CS_CUDA_CARVE (carver, CsU64, f->n_chunks);
  f->target_counts = CS_CUDA_CARVE (carver, CsTargetCounts, f->n_targets);
  f->next_target_counts = CS_CUDA_CARVE (carver, CsTargetCounts, f->n_targets);
  f->ranges = CS_CUDA_CARVE (carver, CsU64, 2 * f->n_targets);
  f->next_ranges = CS_CUDA_CARVE (carver, CsU64, 2 * f->n_targets);
  f->bins = CS_CUDA_CARVE (carver, uint32_t, (gsize) f->n_targets * f->n_bins);
  f->selected = CS_CUDA_CARVE (carver, CsU64, f->n_selected_chunks);
  f->next_selected = CS_CUDA_CARVE (carver, CsU64, f->n_selected_chunks);
  cuda->zeroed_size = carver->used;
}

static void
carve_contours (CsContoursCuda * cuda, CsCudaCarver * carver)
{
  const CsContoursParams *params = &cuda->plan->params;
  CsFrame *f = &cuda->frame;
  const gsize n = f->max_contours;

  f->contour_kind = CS_CUDA_CARVE (carver, uint32_t, n);
  f->contour_word = CS_CUDA_CARVE (carver, uint32_t, n);
  f->contour_bit = CS_CUDA_CARVE (carver, uint32_t, n);
  f->contour_items = CS_CUDA_CARVE (carver, uint32_t, n);
  f->contour_done = CS_CUDA_CARVE (carver, uint32_t, n);
  f->items = CS_CUDA_CARVE (carver, uint32_t, f->max_items);
  f->sums = CS_CUDA_CARVE (carver, CsSums, f->max_items);
  f->enclosing = CS_CUDA_CARVE (carver, uint32_t, params->hierarchy ? n : 0);
  f->new_index = CS_CUDA_CARVE (carver, uint32_t, f->late_filter ? n : 0);
  f->raw.points = f->late_filter || f->point_size == 0 ?
      cs_cuda_carve (carver, f->max_points, f->points_are_double ? 16 : 8) :
      NULL;
  if (f->late_filter) {
    f->raw.offsets = CS_CUDA_CARVE (carver, uint32_t, n + 1);
    f->raw.contours = CS_CUDA_CARVE (carver, CsContour, n);
    f->raw.moments = CS_CUDA_CARVE (carver, CsContourMoments,
        params->measures == CS_MEASURES_FULL ? n : 0);
  }
}

static void
carve_all (CsContoursCuda * cuda, CsCudaCarver * carver)
{
  CsFrame *f = &cuda->frame;

  carve_zeroed (cuda, carver);
  f->self = CS_CUDA_CARVE (carver, CsFrame, 1);
  f->targets = CS_CUDA_CARVE (carver, CsTarget, f->n_targets);
  f->levels = CS_CUDA_CARVE (carver, double, f->n_targets);
  f->words = CS_CUDA_CARVE (carver, CsWord, f->n_words);
  f->starts = CS_CUDA_CARVE (carver, CsStarts, f->n_words);
  f->segment_pixel = CS_CUDA_CARVE (carver, uint32_t, f->max_segments);
  f->segment_info = CS_CUDA_CARVE (carver, uint32_t, f->max_segments);
  f->segment_fragment = CS_CUDA_CARVE (carver, uint32_t, f->max_segments);
  f->fragments = CS_CUDA_CARVE (carver, CsFragment, f->max_fragments);
  f->jumps = CS_CUDA_CARVE (carver, CsJump, f->max_fragments);
  f->min_jumps = CS_CUDA_CARVE (carver, CsMinJump, f->max_fragments);
  f->places = CS_CUDA_CARVE (carver, CsPlace, f->max_fragments);
  f->roots = CS_CUDA_CARVE (carver, CsRoot, f->max_fragments);
  carve_contours (cuda, carver);
}

static CsTarget
get_target (const CsContoursCuda * cuda, guint t)
{
  const CsContoursParams *params = &cuda->plan->params;
  const gint plane = cuda->plan->planes.of_target[t];
  CsTarget target = { cs_contours_get_class (params, t),
    plane >= 0 ? (guint) plane : params->targets[t].channel,
    plane >= 0 && !cuda->plan->planes.all, 0, params->targets[t].level,
    params->min_area, params->max_area
  };
  gboolean codes;

  if (params->area_limits) {
    target.min_area = MAX (target.min_area, params->area_limits[t].min_area);
    target.max_area = MIN (target.max_area, params->area_limits[t].max_area);
  }
  cs_contours_n_bins (params, t, cuda->user_type, &codes);
  target.codes = codes;
  return target;
}

/* Bins of each target. */
static guint
count_bins (const CsContoursCuda * cuda)
{
  const CsContoursParams *params = &cuda->plan->params;
  gboolean codes;
  guint n = 0, t;

  if (!params->auto_level || params->auto_method != CS_AUTO_LEVEL_OTSU)
    return 0;
  for (t = 0; t < params->n_targets; t++)
    n = MAX (n, cs_contours_n_bins (params, t, cuda->user_type, &codes));
  return n;
}

/* The parameters that may change without a new shape. */
static void
fill_scalars (CsContoursCuda * cuda)
{
  const CsContoursParams *params = &cuda->plan->params;
  CsFrame *f = &cuda->frame;
  guint t;

  for (t = 0; t < MIN (params->n_targets, CS_INLINE_TARGETS); t++)
    f->inline_targets[t] = get_target (cuda, t);
  f->high = params->fully_connected_high;
  f->reversed = params->positive_orientation_high;
  f->min_points = params->min_points;
  f->level_scale = params->level_scale;
}

/* Whether nothing changes records once they are measured. */
static gboolean
may_be_direct (const CsContoursCuda * cuda)
{
  const CsContoursParams *params = &cuda->plan->params;

  return !params->hierarchy && !cuda->late_filter &&
      params->measures != CS_MEASURES_FULL;
}

/* Whether to try the small path. */
static gboolean
may_be_small (const CsContoursCuda * cuda, const Shape * shape)
{
  return cuda->plan->params.n_targets <= CS_SMALL_TARGETS &&
      may_be_direct (cuda) &&
      (guint64) (shape->width - 1) * (shape->height - 1) <= SMALL_CELLS;
}

/* Regions of the targets. */
static void
fill_small (CsContoursCuda * cuda, const Shape * shape)
{
  CsFrame *f = &cuda->frame;
  const guint32 n = f->n_targets;

  cuda->may_be_direct = may_be_direct (cuda);
  cuda->may_be_small = may_be_small (cuda, shape);
  cuda->frames_not_tried = 0;
  if (!cuda->may_be_small)
    return;
  f->region_segments = MIN (2 * (f->width - 1) * (f->height - 1),
      CS_SMALL_SEGMENTS);
  f->max_segments = MAX (f->max_segments, n * f->region_segments);
  f->max_fragments = MAX (f->max_fragments, n * CS_SMALL_FRAGMENTS);
  f->max_items = MAX (f->max_items, n * CS_SMALL_ITEMS);
}

/* The part of the frame that depends on the shape only. */
static void
fill_shape (CsContoursCuda * cuda, const Shape * shape)
{
  const CsContoursParams *params = &cuda->plan->params;
  const Capacity *capacity = &shape->capacity;
  CsFrame *f = &cuda->frame;

  memset (f, 0, sizeof (*f));
  f->width = shape->width;
  f->height = shape->height;
  f->tiles_x = (shape->width - 1 + CS_TILE - 1) / CS_TILE;
  f->tiles_y = (shape->height - 1 + CS_TILE - 1) / CS_TILE;
  f->n_targets = params->n_targets;
  f->n_words = f->n_targets * (f->height - 1) * f->tiles_x;
  f->n_chunks = (f->n_words + CS_WORDS_PER_CHUNK - 1) / CS_WORDS_PER_CHUNK;
  f->type = shape->type;
  f->n_bins = count_bins (cuda);
  f->auto_level = !params->auto_level ? 0 :
      params->auto_method == CS_AUTO_LEVEL_OTSU ? CS_LEVELS_OTSU :
      CS_LEVELS_MIDRANGE;
  f->hierarchy = f->zero_words = params->hierarchy;
  f->late_filter = cuda->late_filter;
  f->measures = params->measures;
  f->points_are_double = params->points == CS_POINTS_F64;
  f->point_size = cs_point_size (params->points);
  f->max_segments = (uint32_t) capacity->segments;
  f->max_fragments = (uint32_t) capacity->fragments;
  f->max_contours = (uint32_t) capacity->contours;
  f->max_points = (uint32_t) capacity->points;
  /* full moments use all lanes */
  f->max_short = params->measures == CS_MEASURES_FULL ? 0 : CS_SUM_LANES;
  f->measure_blocks = blocks_for (cuda, f->max_contours / 2,
      CS_THREADS / 32);
  f->max_items = (uint32_t) ((f->max_short ? capacity->points / f->max_short :
          capacity->contours) + capacity->points / CS_SUM_BLOCK + 1);
  fill_small (cuda, shape);
  f->n_selected_chunks = f->late_filter ? (f->max_contours +
      CS_CONTOURS_PER_CHUNK - 1) / CS_CONTOURS_PER_CHUNK : 0;
  f->published = cuda->device_published;
  fill_scalars (cuda);
}

/* All targets to the device. */
static gboolean
upload_targets (CsContoursCuda * cuda, GError ** error)
{
  const guint n = cuda->plan->params.n_targets;
  CsTarget *targets = cs_try_new (CsTarget, n);
  gboolean ok;
  guint t;

  if (!targets)
    return cs_fail_no_memory (error, "levels");
  for (t = 0; t < n; t++)
    targets[t] = get_target (cuda, t);
  /* pageable memory has been read when this returns */
  ok = cs_cuda_check (cudaMemcpyAsync ((void *) cuda->frame.targets, targets,
          n * sizeof (CsTarget), cudaMemcpyHostToDevice, cuda->stream),
      "upload levels", error);
  g_free (targets);
  return ok;
}

static gboolean
make_scratch (CsContoursCuda * cuda, const Shape * shape, GError ** error)
{
  CsCudaCarver carver = { NULL, 0 };

  cuda->user_type = shape->user_type;
  fill_shape (cuda, shape);
  carve_all (cuda, &carver);
  carver.base = (guint8 *) cs_cuda_scratch_ensure (&cuda->scratch, carver.used,
      cuda->stream, error);
  if (!carver.base)
    return FALSE;
  carver.used = 0;
  carve_all (cuda, &carver);
  return cs_cuda_check (cudaMemsetAsync (cuda->scratch.data, 0,
          cuda->zeroed_size, cuda->stream), "clear device memory", error) &&
      upload_targets (cuda, error);
}

/* Graph */

/* Adds a kernel that takes the stored frame. */
static gboolean
add_stage (CsContoursCuda * cuda, Graph * graph, const void *kernel,
    guint n_blocks, guint n_threads, GError ** error)
{
  const CsFrame *stored = cuda->frame.self;
  void *args[] = { &stored };

  return cs_cuda_graph_add_kernel (&graph->graph, kernel, n_blocks,
      n_threads, args, NULL, error);
}

static gboolean
add_first_stages (CsContoursCuda * cuda, Graph * graph, GError ** error)
{
  const CsFrame *f = &cuda->frame;
  const CsSampleType type = (CsSampleType) f->type;
  void *args[] = { &cuda->frame };

  cuda->range_blocks = f->n_targets * MIN (f->height, RANGE_ROWS);
  cuda->tile_blocks = f->n_targets * f->tiles_x * f->tiles_y;
  if (f->auto_level && !cs_cuda_graph_add_kernel (&graph->graph,
          cs_contours_range_kernel (type), cuda->range_blocks, CS_THREADS,
          args, &graph->range_node, error))
    return FALSE;
  if (f->auto_level == CS_LEVELS_OTSU &&
      (!cs_cuda_graph_add_kernel (&graph->graph,
              cs_contours_count_kernel (type), cuda->range_blocks, CS_THREADS,
              args, &graph->count_node, error) ||
          !cs_cuda_graph_add_kernel (&graph->graph,
              cs_contours_choose_kernel (), f->n_targets, CS_THREADS, args,
              &graph->choose_node, error)))
    return FALSE;
  return cs_cuda_graph_add_kernel (&graph->graph,
      cs_contours_tile_kernel (type), cuda->tile_blocks,
      cs_contours_tile_threads (type), args, &graph->tile_node, error);
}

static gboolean
add_last_stages (CsContoursCuda * cuda, Graph * graph, GError ** error)
{
  const CsFrame *f = &cuda->frame;
  const guint by_thread = blocks_for (cuda, f->max_contours, CS_THREADS);
  const guint by_warp = blocks_for (cuda, f->max_contours, CS_THREADS / 32);

  if (f->hierarchy && !add_stage (cuda, graph, cs_contours_enclosing_kernel (
              (CsSampleType) f->type), by_thread, CS_THREADS, error))
    return FALSE;
  if (f->late_filter && !add_stage (cuda, graph, cs_contours_select_kernel (),
          f->n_selected_chunks, CS_CHUNK_THREADS, error))
    return FALSE;
  if (f->hierarchy && !add_stage (cuda, graph, cs_contours_parents_kernel (),
          by_thread, CS_THREADS, error))
    return FALSE;
  if (f->late_filter && !add_stage (cuda, graph, cs_contours_move_kernel (),
          by_warp, CS_THREADS, error))
    return FALSE;
  return add_stage (cuda, graph, cs_contours_publish_kernel (), PUBLISH_BLOCKS,
      CS_THREADS, error);
}

static const void *
small_kernel (const CsFrame * f)
{
  return cs_contours_small_kernel ((CsSampleType) f->type, f->measures);
}

static gboolean
make_small_graph (CsContoursCuda * cuda, GError ** error)
{
  CsFrame *f = &cuda->frame;
  struct cudaFuncAttributes attributes;
  void *args[] = { f };

  if (!cs_cuda_check (cudaFuncGetAttributes (&attributes, small_kernel (f)),
          "load a kernel", error))
    return FALSE;
  cuda->small_blocks = f->n_targets * (attributes.binaryVersion >= 90 ?
      CLUSTER : 1);
  return cs_cuda_graph_begin (&cuda->small.graph, error) &&
      add_first_stages (cuda, &cuda->small, error) &&
      cs_cuda_graph_add_kernel (&cuda->small.graph, small_kernel (f),
      cuda->small_blocks, CS_SMALL_THREADS, args, &cuda->small.small_node,
      error) &&
      cs_cuda_graph_end (&cuda->small.graph, cuda->stream, error);
}

/* The graph of the general path, or the one whose measures publish. */
static gboolean
make_graph (CsContoursCuda * cuda, Graph * graph, GError ** error)
{
  const CsFrame *f = &cuda->frame;

  return cs_cuda_graph_begin (&graph->graph, error) &&
      add_first_stages (cuda, graph, error) &&
      add_stage (cuda, graph, cs_contours_join_kernel (),
      blocks_for (cuda, f->max_fragments, CS_THREADS), CS_THREADS, error) &&
      add_stage (cuda, graph, cs_contours_order_kernel (), f->n_chunks,
      CS_CHUNK_THREADS, error) &&
      add_stage (cuda, graph,
      cs_contours_emit_kernel ((CsSampleType) f->type),
      blocks_for (cuda, f->max_segments, CS_THREADS), CS_THREADS, error) &&
      add_stage (cuda, graph, cs_contours_measure_kernel (f->measures),
      f->measure_blocks + PUBLISH_BLOCKS, CS_THREADS, error) &&
      (graph == &cuda->direct || add_last_stages (cuda, graph, error)) &&
      cs_cuda_graph_end (&graph->graph, cuda->stream, error);
}

/* Shape */

static gboolean
shape_fits (const Shape * have, const Shape * want)
{
  return have->type == want->type &&
      have->user_type == want->user_type && have->width == want->width &&
      have->height == want->height &&
      have->capacity.segments >= want->capacity.segments &&
      have->capacity.fragments >= want->capacity.fragments &&
      have->capacity.contours >= want->capacity.contours &&
      have->capacity.points >= want->capacity.points;
}

static void
reset_shape (CsContoursCuda * cuda)
{
  memset (&cuda->shape, 0, sizeof (cuda->shape));
}

/* Initial guess; grows on overflow. */
static void
guess_capacity (CsContoursCuda * cuda, const CsImage * image)
{
  const CsContoursParams *params = &cuda->plan->params;
  const gsize n_cells = (gsize) (image->width - 1) * (image->height - 1) *
      params->n_targets;
  gsize n = params->max_segments;
  Capacity *wanted = &cuda->wanted;

  if (n == 0)
    n = MAX (n_cells / CELLS_PER_SEGMENT, MIN_SEGMENTS);
  n = MIN (n, MIN (2 * n_cells, MAX_SEGMENTS - 1));
  wanted->segments = MAX (wanted->segments, n);
  wanted->fragments = MAX (wanted->fragments, n / 4 + 256);
  wanted->contours = MAX (wanted->contours, n / 8 + 64);
  wanted->points = MAX (wanted->points, n + n / 8 + 64);
}

static gsize
with_margin (gsize n)
{
  return MIN (n + n / 4 + 64, MAX_SEGMENTS);
}

static void
grow_capacity (CsContoursCuda * cuda)
{
  const CsCounters *counters = &cuda->published->counters;
  const Capacity *have = &cuda->shape.capacity;
  Capacity *wanted = &cuda->wanted;

  if (counters->n_segments > have->segments) {
    wanted->segments = with_margin (counters->n_segments);
    wanted->points = MAX (wanted->points, with_margin (wanted->segments));
  }
  if (counters->n_fragments > have->fragments)
    wanted->fragments = with_margin (counters->n_fragments);
  if (counters->n_raw_contours > have->contours)
    wanted->contours = with_margin (counters->n_raw_contours);
  if (counters->n_raw_points > have->points)
    wanted->points = with_margin (counters->n_raw_points);
}

static gboolean
check_limits (const CsContoursCuda * cuda, const CsImage * image,
    GError ** error)
{
  const guint64 n_tiles = (guint64) ((image->width + CS_TILE - 2) / CS_TILE) *
      ((image->height + CS_TILE - 2) / CS_TILE) * cuda->plan->params.n_targets;

  if (n_tiles * CS_TILE < G_MAXINT32)
    return TRUE;
  g_set_error (error, CS_ERROR, CS_ERROR_LIMIT,
      "%u x %u pixels with %u levels are too many at once for the GPU: use"
      " fewer levels", image->width, image->height,
      cuda->plan->params.n_targets);
  return FALSE;
}

static gboolean
ensure_shape (CsContoursCuda * cuda, const CsContoursView * view,
    GError ** error)
{
  const CsImage *image = &view->input.image;
  Shape shape = { image->type, view->type, image->width, image->height,
    { 0, }
  };

  if (!check_limits (cuda, image, error))
    return FALSE;
  guess_capacity (cuda, image);
  shape.capacity = cuda->wanted;
  if (shape_fits (&cuda->shape, &shape))
    return TRUE;
  reset_shape (cuda);
  if (!make_scratch (cuda, &shape, error) ||
      !make_graph (cuda, &cuda->general, error) || (cuda->may_be_direct &&
          !make_graph (cuda, &cuda->direct, error)) || (cuda->may_be_small &&
          !make_small_graph (cuda, error)))
    return FALSE;
  cuda->shape = shape;
  return TRUE;
}

/* Input */

/* Where the GPU finds the samples and, if there is one, the mask. */
static gboolean
find_input (CsContoursCuda * cuda, const CsContoursInput * input,
    CsImage * image, CsImage * mask, GError ** error)
{
  CsImage mask_view;

  *image = input->image;
  if (image->memory != CS_MEMORY_DEVICE && !cs_contours_upload (cuda->stream,
          &input->image, cuda->plan, &cuda->staging, &cuda->copier, image,
          error))
    return FALSE;
  if (!input->mask)
    return TRUE;
  mask_view = *input->mask;
  mask_view.channels = 1;
  *mask = mask_view;
  return mask_view.memory == CS_MEMORY_DEVICE ||
      cs_contours_upload (cuda->stream, &mask_view, NULL, &cuda->mask_staging,
      &cuda->copier, mask, error);
}

/* The plan's sources and members on the device. */
static gboolean
upload_sources (CsContoursCuda * cuda, const CsPlaneSource ** sources,
    const guint32 ** members, GError ** error)
{
  const CsContoursPlanes *planes = &cuda->plan->planes;
  const gsize size = planes->n_planes * sizeof (CsPlaneSource);
  const gsize members_size = planes->n_members * sizeof (guint32);
  const gboolean again = cuda->sources.data != NULL;
  guint8 *data = (guint8 *) cs_cuda_scratch_ensure (&cuda->sources,
      size + members_size, cuda->stream, error);

  *sources = (const CsPlaneSource *) data;
  *members = (const guint32 *) (data + size);
  if (!data || again)
    return data != NULL;
  if (cs_cuda_check (cudaMemcpyAsync (data, planes->sources, size,
              cudaMemcpyHostToDevice, cuda->stream), "upload groups", error) &&
      cs_cuda_check (cudaMemcpyAsync (data + size, planes->members,
              members_size, cudaMemcpyHostToDevice, cuda->stream),
          "upload groups", error))
    return TRUE;
  cs_cuda_scratch_clear (&cuda->sources, cuda->stream);
  return FALSE;
}

/* Memory for @planes; @sums is %NULL if there is nothing to add up. */
static gboolean
ensure_planes (CsContoursCuda * cuda, CsImage * planes, guint border,
    double **sums, GError ** error)
{
  const gsize size =
      (planes->channels * planes->channel_stride + 255) / 256 * 256;
  const gsize n_sums = cuda->plan->params.adaptive_window == 0 ? 0 :
      (gsize) (planes->width - 2 * border) * (planes->height - 2 * border);

  planes->memory = CS_MEMORY_DEVICE;
  planes->data = cs_cuda_scratch_ensure (&cuda->planes,
      size + n_sums * sizeof (double), cuda->stream, error);
  *sums = n_sums ? (double *) ((guint8 *) planes->data + size) : NULL;
  return planes->data != NULL;
}

static gboolean
contours_cuda_derive (void *state, CsContoursView * view, GError ** error)
{
  CsContoursCuda *cuda = (CsContoursCuda *) state;
  CsImage image, mask = { 0, }, *planes = &view->planes;
  const CsPlaneSource *sources;
  const guint32 *members;
  double *sums;

  if (!find_input (cuda, &view->input, &image, &mask, error) ||
      !upload_sources (cuda, &sources, &members, error) ||
      !ensure_planes (cuda, planes, view->border, &sums, error) ||
      !cs_contours_derive (cuda->stream, cuda->plan, &image, view->border,
          sources, members, sums, planes, error))
    return FALSE;
  view->input.image = image;
  if (!view->input.mask)
    return TRUE;
  view->mask = mask;
  view->input.mask = &view->mask;
  if (view->border == 0)
    return TRUE;
  view->mask = cs_image_gray (cs_cuda_scratch_ensure (&cuda->bordered_mask,
          (gsize) planes->width * planes->height, cuda->stream, error),
      CS_SAMPLE_U8, planes->width, planes->height, planes->width);
  view->mask.memory = CS_MEMORY_DEVICE;
  return view->mask.data && cs_contours_copy_mask (cuda->stream, &mask,
      view->border, &view->mask, error);
}

static gboolean
prepare_input (CsContoursCuda * cuda, const CsContoursView * view,
    GError ** error)
{
  const CsContoursInput *input = &view->input;
  CsImage image, mask = { 0, };
  CsFrame *f = &cuda->frame;

  if (!find_input (cuda, input, &image, &mask, error))
    return FALSE;
  f->samples = (const uint8_t *) image.data;
  f->pixel_stride = image.pixel_stride;
  f->row_stride = image.row_stride;
  f->channel_stride = image.channel_stride;
  f->planes = (const uint8_t *) view->planes.data;
  f->mask = (const uint8_t *) mask.data;
  f->mask_pixel_stride = mask.pixel_stride;
  f->mask_row_stride = mask.row_stride;
  f->border = view->border;
  f->origin_x = (double) input->origin_x;
  f->origin_y = (double) input->origin_y;
  f->first_id = input->first_id;
  f->image_index = input->image_index;
  return TRUE;
}

/* Output */

static void
set_arrays (const CsContoursCuda * cuda, guint8 * memory, CsArrays * arrays)
{
  const CsContoursParams *params = &cuda->plan->params;
  CsContoursLayout layout;

  memset (arrays, 0, sizeof (*arrays));
  if (!memory)
    return;
  cs_contours_layout (params, cuda->shape.capacity.contours,
      cuda->shape.capacity.points, &layout);
  if (params->points != CS_POINTS_NONE)
    arrays->points = memory + layout.points;
  arrays->offsets = (uint32_t *) (memory + layout.offsets);
  arrays->contours = (CsContour *) (memory + layout.contours);
  if (params->measures == CS_MEASURES_FULL)
    arrays->moments = (CsContourMoments *) (memory + layout.moments);
}

static guint8 *
alloc_result (const CsContoursCuda * cuda, CsContoursOutput * output,
    gboolean host, GError ** error)
{
  CsContoursLayout layout;
  guint8 *memory;

  cs_contours_layout (&cuda->plan->params, cuda->shape.capacity.contours,
      cuda->shape.capacity.points, &layout);
  memory = (guint8 *) output->alloc (output->user_data, layout.size, host);
  if (!memory)
    g_set_error (error, CS_ERROR, CS_ERROR_NO_MEMORY,
        "no memory for a result of %" G_GSIZE_FORMAT " bytes", layout.size);
  return memory;
}

/* @host: the arrays that the caller reads */
static gboolean
prepare_output (CsContoursCuda * cuda, CsContoursOutput * output,
    CsArrays * host, GError ** error)
{
  CsFrame *f = &cuda->frame;
  guint8 *memory = alloc_result (cuda, output, FALSE, error);
  void *mapped = NULL;

  if (!memory)
    return FALSE;
  set_arrays (cuda, memory, &f->out);
  if (!f->late_filter) {
    if (f->out.points)
      f->raw.points = f->out.points;
    f->raw.offsets = f->out.offsets;
    f->raw.contours = f->out.contours;
    f->raw.moments = f->out.moments;
  }

  memset (host, 0, sizeof (*host));
  memset (&f->host, 0, sizeof (f->host));
  if (!output->want_host)
    return TRUE;
  memory = alloc_result (cuda, output, TRUE, error);
  if (!memory)
    return FALSE;
  set_arrays (cuda, memory, host);
  /* not mapped on the GPU: downloaded afterwards */
  if (CS_OR_FAULT (CS_FAULT_CUDA, cudaErrorInvalidValue,
          cudaHostGetDevicePointer (&mapped, memory, 0)) == cudaSuccess)
    set_arrays (cuda, (guint8 *) mapped, &f->host);
  else
    cudaGetLastError ();
  return TRUE;
}

/* Launch */

static void
swap_zeroed (CsFrame * f)
{
  CsCounters *counters = f->counters;
  CsU64 *chunks = f->chunks, *ranges = f->ranges, *selected = f->selected;
  CsTargetCounts *target_counts = f->target_counts;

  f->counters = f->next_counters;
  f->chunks = f->next_chunks;
  f->ranges = f->next_ranges;
  f->selected = f->next_selected;
  f->next_counters = counters;
  f->next_chunks = chunks;
  f->next_ranges = ranges;
  f->next_selected = selected;
  f->target_counts = f->next_target_counts;
  f->next_target_counts = target_counts;
}

static gboolean
launch (CsContoursCuda * cuda, GError ** error)
{
  CsFrame *f = &cuda->frame;
  const CsSampleType type = (CsSampleType) f->type;
  Graph *graph;
  void *args[] = { f };

  f->small = cuda->may_be_small && cuda->frames_not_tried == 0;
  f->direct = f->small || (cuda->may_be_direct &&
      cuda->n_contours <= DIRECT_CONTOURS);
  graph = f->small ? &cuda->small : f->direct ? &cuda->direct :
      &cuda->general;
  swap_zeroed (f);
  return (!f->auto_level || cs_cuda_graph_set_args (&graph->graph,
          graph->range_node, cs_contours_range_kernel (type),
          cuda->range_blocks, CS_THREADS, args, error)) &&
      (f->auto_level != CS_LEVELS_OTSU ||
      (cs_cuda_graph_set_args (&graph->graph, graph->count_node,
              cs_contours_count_kernel (type), cuda->range_blocks, CS_THREADS,
              args, error) &&
          cs_cuda_graph_set_args (&graph->graph, graph->choose_node,
              cs_contours_choose_kernel (), f->n_targets, CS_THREADS, args,
              error))) &&
      cs_cuda_graph_set_args (&graph->graph, graph->tile_node,
      cs_contours_tile_kernel (type), cuda->tile_blocks,
      cs_contours_tile_threads (type), args, error) && (!f->small ||
      cs_cuda_graph_set_args (&graph->graph, graph->small_node,
          small_kernel (f), cuda->small_blocks, CS_SMALL_THREADS, args,
          error)) &&
      cs_cuda_graph_launch (&graph->graph, cuda->stream, error);
}

static gboolean
synchronize (CsContoursCuda * cuda, GError ** error)
{
  return cs_cuda_check (cudaStreamSynchronize (cuda->stream),
      "find contours on the GPU", error);
}

static gboolean
copy_to_host (CsContoursCuda * cuda, void *to, const void *from, gsize size,
    GError ** error)
{
  return !to || size == 0 || cs_cuda_check (cudaMemcpyAsync (to, from, size,
          cudaMemcpyDeviceToHost, cuda->stream), "download contours", error);
}

/* For host memory that is not mapped on the GPU. */
static gboolean
download (CsContoursCuda * cuda, const CsArrays * host, GError ** error)
{
  const CsFrame *f = &cuda->frame;
  const gsize n = cuda->published->counters.n_contours;

  return copy_to_host (cuda, host->points, f->out.points,
      cuda->published->counters.n_points * f->point_size, error) &&
      copy_to_host (cuda, host->offsets, f->out.offsets,
      (n + 1) * sizeof (guint32), error) &&
      copy_to_host (cuda, host->contours, f->out.contours,
      n * sizeof (CsContour), error) &&
      copy_to_host (cuda, host->moments, f->out.moments,
      n * sizeof (CsContourMoments), error) && synchronize (cuda, error);
}

static void
fill_output (const CsContoursCuda * cuda, const CsArrays * host,
    CsContoursOutput * output)
{
  const CsCounters *counters = &cuda->published->counters;
  const CsArrays *device = &cuda->frame.out;

  output->n_contours = counters->n_contours;
  output->n_points = counters->n_points;
  output->n_segments = counters->n_segments;
  output->n_dropped = counters->n_dropped;
  output->n_overwritten = counters->n_overwritten;
  output->points = host->points;
  output->offsets = host->offsets;
  output->contours = host->contours;
  output->moments = host->moments;
  output->device_points = device->points;
  output->device_offsets = device->offsets;
  output->device_contours = device->contours;
  output->device_moments = device->moments;
}

static gboolean
check_segments (const CsContoursCuda * cuda, const CsImage * image,
    GError ** error)
{
  const guint64 n = cuda->published->counters.n_segments;

  if (!cs_contours_check_cost (cuda->plan, image, n, error))
    return FALSE;
  if (n < MAX_SEGMENTS)
    return TRUE;
  g_set_error (error, CS_ERROR, CS_ERROR_LIMIT,
      "%" G_GUINT64_FORMAT " segments: there must be fewer than 2^31", n);
  return FALSE;
}

/* Launches the frame, again after each overflow of scratch. */
static gboolean
run_frame (CsContoursCuda * cuda, const CsContoursView * view,
    CsContoursOutput * output, GError ** error)
{
  CsArrays host;

  for (;;) {
    if (!ensure_shape (cuda, view, error) ||
        !prepare_input (cuda, view, error) ||
        !prepare_output (cuda, output, &host, error) ||
        !launch (cuda, error) || !synchronize (cuda, error) ||
        !check_segments (cuda, &view->input.image, error))
      return FALSE;
    if (!cuda->published->overflow)
      break;
    if (cuda->published->too_large)
      cuda->frames_not_tried = SMALL_RETRY_FRAMES;
    else
      grow_capacity (cuda);
  }
  if (cuda->frames_not_tried > 0)
    cuda->frames_not_tried--;
  cuda->n_contours = cuda->published->counters.n_contours;
  if (output->want_host && !cuda->frame.host.offsets &&
      !download (cuda, &host, error))
    return FALSE;
  fill_output (cuda, &host, output);
  return TRUE;
}

static gboolean
contours_cuda_run (void *state, const CsContoursView * view,
    CsContoursOutput * output, GError ** error)
{
  CsContoursCuda *cuda = (CsContoursCuda *) state;

  if (run_frame (cuda, view, output, error))
    return TRUE;
  /* drain the stream and rebuild with the next frame */
  if (cudaStreamSynchronize (cuda->stream) != cudaSuccess)
    cudaGetLastError ();
  reset_shape (cuda);
  return FALSE;
}

/* Warm-up */

typedef struct
{
  CsContoursCuda *cuda;
  CsCudaScratch memory;
} WarmUp;

static void *
warm_up_alloc (void *user_data, gsize size, gboolean host)
{
  WarmUp *warm_up = (WarmUp *) user_data;

  return cs_cuda_scratch_ensure (&warm_up->memory, size,
      warm_up->cuda->stream, NULL);
}

/* Room for what is uploaded, and planes. */
static gboolean
warm_up_memory (CsContoursCuda * cuda, const CsContoursView * view,
    gboolean upload, GError ** error)
{
  const CsImage *image = &view->input.image;
  CsImage planes = view->planes;
  double *sums;

  if (planes.width && !ensure_planes (cuda, &planes, view->border, &sums,
          error))
    return FALSE;
  return !upload || cs_cuda_scratch_ensure (&cuda->staging,
      (image->height - 1) * image->row_stride +
      (image->channels - 1) * image->channel_stride +
      (image->width - 1) * image->pixel_stride +
      cs_sample_size (image->type), cuda->stream, error);
}

/* Runs a black frame of the same shape. */
static gboolean
contours_cuda_warm_up (void *state, const CsContoursView * view,
    GError ** error)
{
  CsContoursCuda *cuda = (CsContoursCuda *) state;
  WarmUp warm_up = { cuda, { NULL, 0 } };
  CsContoursView frame = *view;
  CsImage *image = &frame.input.image;
  const gsize size = cs_sample_size (image->type);
  const gsize plane = (gsize) image->width * image->height * size;
  /* planes are of the same width, and of this type or single precision */
  const gsize all = MAX (plane, view->planes.channels *
      view->planes.channel_stride);
  CsCudaScratch black = { NULL, 0 };
  CsContoursOutput output = { warm_up_alloc, &warm_up, FALSE };
  gboolean ok;

  image->data = cs_cuda_scratch_ensure (&black, all, cuda->stream, error);
  image->memory = CS_MEMORY_DEVICE;
  image->pixel_stride = size;
  image->row_stride = image->width * size;
  image->channel_stride = 0;
  frame.planes.data = image->data;
  ok = image->data && cs_cuda_check (cudaMemsetAsync (black.data, 0, all,
          cuda->stream), "clear device memory", error) &&
      contours_cuda_run (cuda, &frame, &output, error) &&
      warm_up_memory (cuda, view, view->input.image.memory !=
      CS_MEMORY_DEVICE, error);
  cs_cuda_scratch_clear (&black, cuda->stream);
  cs_cuda_scratch_clear (&warm_up.memory, cuda->stream);
  return ok;
}

/* Plan */

static void
contours_cuda_destroy (void *state)
{
  CsContoursCuda *cuda = (CsContoursCuda *) state;

  cs_cuda_graph_clear (&cuda->general.graph);
  cs_cuda_graph_clear (&cuda->direct.graph);
  cs_cuda_graph_clear (&cuda->small.graph);
  cs_cuda_scratch_clear (&cuda->scratch, cuda->stream);
  cs_cuda_scratch_clear (&cuda->staging, cuda->stream);
  cs_cuda_scratch_clear (&cuda->mask_staging, cuda->stream);
  cs_cuda_copier_clear (&cuda->copier);
  cs_cuda_scratch_clear (&cuda->planes, cuda->stream);
  cs_cuda_scratch_clear (&cuda->sources, cuda->stream);
  cs_cuda_scratch_clear (&cuda->bordered_mask, cuda->stream);
  cs_cuda_pinned_free (cuda->published, NULL);
  g_free (cuda);
}

/* Whether filters depend on measures, or dropped contours may be parents. */
static gboolean
needs_late_filter (const CsContoursParams * params)
{
  return params->min_area > 0. || params->max_area < INFINITY ||
      cs_contours_have_area_limits (params) ||
      (params->hierarchy && params->min_points > 2);
}

static void
contours_cuda_update (void *state)
{
  CsContoursCuda *cuda = (CsContoursCuda *) state;
  const CsContoursParams *params = &cuda->plan->params;

  if (cuda->late_filter != needs_late_filter (params) ||
      params->n_targets > CS_INLINE_TARGETS)
    reset_shape (cuda);
  cuda->late_filter = needs_late_filter (params);
  fill_scalars (cuda);
}

static void *
contours_cuda_create (const CsContours * plan, GError ** error)
{
  CsContoursCuda *cuda = g_new0 (CsContoursCuda, 1);
  int device = 0, n_processors = 0;

  cuda->plan = plan;
  cuda->stream = (cudaStream_t) cs_executor_get_stream (plan->executor);
  cuda->late_filter = needs_late_filter (&plan->params);
  if (!cs_cuda_check (cudaGetDevice (&device), "query the GPU", error) ||
      !cs_cuda_check (cudaDeviceGetAttribute (&n_processors,
              cudaDevAttrMultiProcessorCount, device), "query the GPU",
          error) ||
      !(cuda->published = (CsPublished *) cs_cuda_pinned_alloc (sizeof
              (CsPublished), error)) ||
      !cs_cuda_check (cudaHostGetDevicePointer ((void **)
              &cuda->device_published, cuda->published, 0),
          "map page-locked memory", error)) {
    contours_cuda_destroy (cuda);
    return NULL;
  }
  cuda->n_processors = (guint) n_processors;
  return cuda;
}

extern "C" const CsContoursBackend cs_contours_cuda_backend = {
  contours_cuda_create,
  contours_cuda_update,
  contours_cuda_warm_up,
  contours_cuda_derive,
  contours_cuda_run,
  contours_cuda_destroy,
};

extern "C" double
cs_contours_cuda_replay (CsContours * plan, guint n)
{
  CsContoursCuda *cuda = (CsContoursCuda *) plan->state;
  cudaEvent_t begin = NULL, end = NULL;
  float milliseconds = 0.f;
  gboolean ok;
  guint i;

  ok = cuda->shape.width != 0 &&
      cs_cuda_check (cudaEventCreate (&begin), "", NULL) &&
      cs_cuda_check (cudaEventCreate (&end), "", NULL) &&
      launch (cuda, NULL) &&
      cs_cuda_check (cudaEventRecord (begin, cuda->stream), "", NULL);
  for (i = 0; i < n && ok; i++)
    ok = launch (cuda, NULL);
  ok = ok && cs_cuda_check (cudaEventRecord (end, cuda->stream), "", NULL) &&
      cs_cuda_check (cudaEventSynchronize (end), "", NULL) &&
      cs_cuda_check (cudaEventElapsedTime (&milliseconds, begin, end), "",
      NULL);
  if (begin)
    cs_cuda_check (cudaEventDestroy (begin), "", NULL);
  if (end)
    cs_cuda_check (cudaEventDestroy (end), "", NULL);
  return ok && n ? 1000. * milliseconds / n : -1.;
}
