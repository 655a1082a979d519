/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: the graphs of a frame. */
#include "contours_cuda_plan.cuh"

/* Blocks that saturate the link to the host. */
#define PUBLISH_BLOCKS 64
#define RANGE_ROWS 64
/* After a frame of so many contours at most, the next one's records go to the
 * host as they are measured: a kernel less, but short writes. */
#define DIRECT_CONTOURS 8192

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
              cs_contours_choose_kernel, f->n_targets, CS_THREADS, args,
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
  if (f->late_filter && !add_stage (cuda, graph, cs_contours_select_kernel,
          f->n_selected_chunks, CS_CHUNK_THREADS, error))
    return FALSE;
  if (f->hierarchy && !add_stage (cuda, graph, cs_contours_parents_kernel,
          by_thread, CS_THREADS, error))
    return FALSE;
  if (f->late_filter && !add_stage (cuda, graph, cs_contours_move_kernel,
          by_warp, CS_THREADS, error))
    return FALSE;
  return add_stage (cuda, graph, cs_contours_publish_kernel, PUBLISH_BLOCKS,
      CS_THREADS, error);
}

/* The graph of the general path, or the one whose measures publish. */
static gboolean
make_graph (CsContoursCuda * cuda, Graph * graph, GError ** error)
{
  const CsFrame *f = &cuda->frame;

  return cs_cuda_graph_begin (&graph->graph, error) &&
      add_first_stages (cuda, graph, error) &&
      add_stage (cuda, graph, cs_contours_join_kernel,
      blocks_for (cuda, f->max_fragments, CS_THREADS), CS_THREADS, error) &&
      add_stage (cuda, graph, cs_contours_order_kernel, f->n_chunks,
      CS_CHUNK_THREADS, error) &&
      add_stage (cuda, graph,
      cs_contours_emit_kernel ((CsSampleType) f->type),
      blocks_for (cuda, f->max_segments, CS_THREADS), CS_THREADS, error) &&
      add_stage (cuda, graph, cs_contours_measure_kernel (f->measures),
      f->measure_blocks + PUBLISH_BLOCKS, CS_THREADS, error) &&
      (graph == &cuda->direct || add_last_stages (cuda, graph, error)) &&
      cs_cuda_graph_end (&graph->graph, cuda->stream, error);
}

gboolean
cs_contours_cuda_make_graphs (CsContoursCuda * cuda, GError ** error)
{
  return make_graph (cuda, &cuda->general, error) &&
      (!cuda->may_be_direct || make_graph (cuda, &cuda->direct, error));
}

/* --- Launch --------------------------------------------------------------- */

static void
take_way (const CsContoursCuda * cuda)
{
  const CsFrame *f = &cuda->frame;

  cs_contours_take (f->direct ? CS_CONTOURS_DIRECT : cuda->may_be_direct ?
      CS_CONTOURS_GENERAL_AFTER_MANY : CS_CONTOURS_GENERAL);
  if (f->n_targets > CS_INLINE_TARGETS)
    cs_contours_take (CS_CONTOURS_MANY_TARGETS);
}

static void
swap_zeroed (CsFrame * f)
{
  CsCounters *counters = f->counters;
  CsU64 *chunks = f->chunks, *ranges = f->ranges, *selected = f->selected;

  f->counters = f->next_counters;
  f->chunks = f->next_chunks;
  f->ranges = f->next_ranges;
  f->selected = f->next_selected;
  f->next_counters = counters;
  f->next_chunks = chunks;
  f->next_ranges = ranges;
  f->next_selected = selected;
}

gboolean
cs_contours_cuda_launch (CsContoursCuda * cuda, GError ** error)
{
  CsFrame *f = &cuda->frame;
  const CsSampleType type = (CsSampleType) f->type;
  void *args[] = { f };

  f->direct = cuda->may_be_direct && cuda->n_contours <= DIRECT_CONTOURS;
  Graph *graph = f->direct ? &cuda->direct : &cuda->general;
  take_way (cuda);
  swap_zeroed (f);
  return (!f->auto_level || cs_cuda_graph_set_args (&graph->graph,
          graph->range_node, cs_contours_range_kernel (type),
          cuda->range_blocks, CS_THREADS, args, error)) &&
      (f->auto_level != CS_LEVELS_OTSU ||
      (cs_cuda_graph_set_args (&graph->graph, graph->count_node,
              cs_contours_count_kernel (type), cuda->range_blocks, CS_THREADS,
              args, error) &&
          cs_cuda_graph_set_args (&graph->graph, graph->choose_node,
              cs_contours_choose_kernel, f->n_targets, CS_THREADS, args,
              error))) &&
      cs_cuda_graph_set_args (&graph->graph, graph->tile_node,
      cs_contours_tile_kernel (type), cuda->tile_blocks,
      cs_contours_tile_threads (type), args, error) &&
      cs_cuda_graph_launch (&graph->graph, cs_contours_cuda_stream (cuda),
      error);
}
