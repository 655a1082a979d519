/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The filter on a GPU: host side. There is one graph for a size, kind of table
 * and type of samples; a frame only updates the arguments of nodes that depend
 * on its pointers or weights. Tables are copied to device memory at a fixed
 * address.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/cuda_base.h"
#include "base/cuda_memory.h"
extern "C" {
#include "llf_private.h"
}
#include "base/memory.h"
#include "llf_cuda.cuh"

G_STATIC_ASSERT (LLF_MAX_LEVELS == CS_LLF_MAX_LEVELS);
G_STATIC_ASSERT (LLF_NODES == CS_LLF_NODES);
G_STATIC_ASSERT (LLF_PHASES == CS_LLF_PHASES);

#define COPY_THREADS 256
#define N_NODES (LLF_NODES + 2)
#define MAX_GROUPS (CS_LLF_MAX_RANK / LLF_GROUP)
/* Keeps the number of a level's items within int. */
#define MAX_PIXELS (1u << 30)
/* Maximum kernels of a graph: codes of the exact filter, levels down and up. */
#define MAX_KERNELS (2 * CS_LLF_MAX_LEVELS + 2)
#define MAX_ARGS 8
/* Maximum static shared memory of the kernels. */
#define STATIC_SHARED 2048

/**
 * TableLayout:
 *
 * Offsets of a table's arrays, in floats. Memory is allocated for the largest.
 */
typedef struct
{
  gsize u, code_v, v, v0, code, fine, size;
} TableLayout;

/* Which arguments a kernel has after the pyramid; the first two change with
 * frames. */
enum
{
  TAKES_FRAME = 1,
  TAKES_WEIGHTS = 2,
  TAKES_EXACT = 4,
  TAKES_LEVEL = 8,
  TAKES_EXTRA = 16,
};

struct Kernel
{
  cudaGraphNode_t node;
  LlfLaunch launch;
  int takes, level, extra;
};

struct State
{
  CsExecutor *executor;
  cudaStream_t stream;
  bool has_early_launch;        /* programmatic dependent launch */
  gsize max_shared;             /* shared memory per block, opt-in */
  CsCudaScratch scratch, weights_memory;
  float *device_table;
  CsLlfTable *table;            /* in device memory */
  CsCudaGraph graph;
  Kernel kernels[MAX_KERNELS];
  int n_kernels;
  /* what the graph was built for */
  guint width, height, stride;
  bool is_exact;
  LlfKind kind;
  LlfDevicePyramid pyramid;
  LlfDeviceFrame frame;
  LlfDeviceWeights weights;
  guint exact_width, exact_height;
  LlfExact exact;
};

/* --- Tables --------------------------------------------------------------- */

/* Whether P has 16 bits: the rounding error is negligible for 8-bit samples. */
static bool
is_fixed (const CsLlfTable *table)
{
  return table->params.depth == 8;
}

static TableLayout
table_layout (gsize n_codes, gsize n_groups, bool is_exact)
{
  TableLayout layout = { };
  gsize at = 0;

  layout.u = at;
  at += n_codes * n_groups * LLF_GROUP;
  layout.code_v = at;
  at += n_codes * n_groups * LLF_GROUP;
  layout.v = at;
  at += N_NODES * n_groups * LLF_GROUP;
  layout.v0 = at;
  at += N_NODES;
  layout.code = at;
  at += 2 * n_codes;
  layout.fine = at;
  if (is_exact)
    at += (CS_LLF_PHASES + 1) * 2 * n_codes;
  layout.size = at;
  return layout;
}

/* The unit of channel @k: its largest u is LLF_UNITS of it. */
static float
channel_unit (const CsLlfTable *table, guint k)
{
  float max = 0;

  for (guint i = 0; i < table->n_codes; i++)
    max = MAX (max, fabsf (table->u[i * table->stride + k]));
  return max > 0 ? max / LLF_UNITS : 1;
}

static void
fill_channel (const CsLlfTable *table, const TableLayout *layout, guint k,
    float *to)
{
  const gsize n = table->n_codes, group = k / LLF_GROUP, lane = k % LLF_GROUP;
  const float unit = channel_unit (table, k);

  for (gsize i = 0; i < n; i++) {
    const gsize at = (group * n + i) * LLF_GROUP + lane;
    const float u = table->u[i * table->stride + k] / unit;

    to[layout->u + at] = is_fixed (table) ? rintf (u) : u;
    to[layout->code_v + at] = table->code_v[i * table->stride + k] * unit;
  }
  for (gsize i = 0; i < N_NODES; i++)
    to[layout->v + (group * N_NODES + i) * LLF_GROUP + lane] =
        table->v[i * table->stride + k] * unit;
}

/* code_d, from the factors as rounded here. */
static float
own_value (const CsLlfTable *table, const TableLayout *layout, gsize i,
    const float *from)
{
  const gsize n = table->n_codes;
  double sum = (double) from[layout->code + 2 * i + 1] * i;

  for (gsize k = 0; k < table->stride; k++) {
    const gsize at = (k / LLF_GROUP * n + i) * LLF_GROUP + k % LLF_GROUP;

    sum += (double) from[layout->u + at] * from[layout->code_v + at];
  }
  return (float) sum;
}

static void
fill_table (const CsLlfTable *table, const TableLayout *layout, float *to)
{
  const float step = 1.f / (table->n_codes - 1);

  if (table->fine) {
    memcpy (to + layout->fine, table->fine,
        (layout->size - layout->fine) * sizeof (float));
    return;
  }
  for (guint k = 0; k < table->stride; k++)
    fill_channel (table, layout, k, to);
  for (gsize i = 0; i < N_NODES; i++)
    to[layout->v0 + i] = table->v0[i] * step;
  for (gsize i = 0; i < table->n_codes; i++) {
    to[layout->code + 2 * i + 1] = table->code_v0[i] * step;
    to[layout->code + 2 * i] = own_value (table, layout, i, to);
  }
}

/* Uploads in stream order, so that queued frames use the old table. */
static bool
adopt_table (State *state, CsLlfTable *table, GError **error)
{
  const TableLayout layout = table_layout (table->n_codes,
      table->stride / LLF_GROUP, table->fine != NULL);

  if (table == state->table)
    return true;
  if (state->table)
    cs_llf_take (CS_LLF_CUDA_TABLE);
  g_clear_pointer (&state->table, cs_llf_table_unref);
  g_autofree float *packed = cs_try_new0 (float, layout.size);
  if (!packed)
    return cs_fail_no_memory (error, "a table");
  fill_table (table, &layout, packed);
  /* pageable memory: staged before the call returns */
  if (!cs_cuda_check (cudaMemcpyAsync (state->device_table, packed,
              layout.size * sizeof (float), cudaMemcpyHostToDevice,
              state->stream), "upload a table", error))
    return false;
  state->table = cs_llf_table_ref (table);
  return true;
}

static void
place_tables (State *state, const CsLlfTable *table)
{
  const TableLayout layout = table_layout (table->n_codes,
      table->stride / LLF_GROUP, table->fine != NULL);
  const float *base = state->device_table;
  LlfTables *tables = &state->pyramid.tables;

  tables->u = (const float4 *) (base + layout.u);
  tables->code_v = (const float4 *) (base + layout.code_v);
  tables->v = (const float4 *) (base + layout.v);
  tables->v0 = base + layout.v0;
  tables->code = (const float2 *) (base + layout.code);
  tables->fine = base + layout.fine;
}

/* --- The exact filter's weights ------------------------------------------- */

/* Uploads @n words of 4 bytes to carved memory. */
static bool
upload_array (State *state, CsCudaCarver *carver, const void *from, gsize n,
    const void **to, GError **error)
{
  void *data = CS_CUDA_CARVE (carver, float, n);

  *to = data;
  return !data || cs_cuda_check (cudaMemcpyAsync (data, from,
          n * sizeof (float), cudaMemcpyHostToDevice, state->stream),
      "upload weights", error);
}

static bool
upload_weights (State *state, CsCudaCarver *carver, const CsLlfWeights *from,
    LlfExactWeights *to, GError **error)
{
  const gsize n = (gsize) from->n * from->support;

  to->support = from->support;
  return upload_array (state, carver, from->start, from->n,
      (const void **) &to->start, error) &&
      upload_array (state, carver, from->count, from->n,
      (const void **) &to->count, error) &&
      upload_array (state, carver, from->a, n, (const void **) &to->a, error) &&
      upload_array (state, carver, from->b, n, (const void **) &to->b, error);
}

/* All weights of the exact filter at this size. */
static bool
prepare_exact (State *state, guint width, guint height, GError **error)
{
  const int n = state->pyramid.n - 1;
  CsCudaCarver carver = { NULL, 0 };
  CsLlfWindows windows = { };

  if (state->exact_width == width && state->exact_height == height) {
    cs_llf_take (CS_LLF_CUDA_EXACT_SIZE);
    return true;
  }
  state->exact_width = 0;
  bool ok = cs_llf_windows_ensure (&windows, width, height, error);
  do {
    for (int l = 0; ok && l < n; l++)
      ok = upload_weights (state, &carver, &windows.columns[l],
          &state->exact.columns[l], error) &&
          upload_weights (state, &carver, &windows.rows[l],
          &state->exact.rows[l], error);
  } while (ok && cs_cuda_carve_again (&carver, &state->weights_memory,
          state->stream, error));
  ok = ok && carver.base;
  if (ok) {
    state->exact_width = width;
    state->exact_height = height;
  }
  cs_llf_windows_clear (&windows);
  return ok;
}

/* --- Graph ---------------------------------------------------------------- */

/* Arguments of @kernel, in the order of its parameters. */
static void
fill_args (State *state, Kernel *kernel, void *args[MAX_ARGS])
{
  int n = 0;

  args[n++] = &state->pyramid;
  if (kernel->takes & TAKES_WEIGHTS)
    args[n++] = &state->weights;
  if (kernel->takes & TAKES_FRAME)
    args[n++] = &state->frame;
  if (kernel->takes & TAKES_EXACT)
    args[n++] = &state->exact;
  if (kernel->takes & TAKES_LEVEL)
    args[n++] = &kernel->level;
  if (kernel->takes & TAKES_EXTRA)
    args[n++] = &kernel->extra;
}

static cudaKernelNodeParams
node_params (const LlfLaunch *launch, void **args)
{
  cudaKernelNodeParams params = cudaKernelNodeParams ();

  params.func = (void *) launch->function;
  params.gridDim = launch->blocks;
  params.blockDim = launch->threads;
  params.sharedMemBytes = launch->shared;
  params.kernelParams = args;
  return params;
}

/* Adds an edge: @to starts when @from has completed, or, if @early, as soon as
 * all of its blocks have triggered, and synchronises itself. */
static cudaError_t
add_edge (cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to,
    bool early)
{
#if CUDART_VERSION >= 12030
  cudaGraphEdgeData edge = cudaGraphEdgeData ();

  if (early) {
    edge.from_port = cudaGraphKernelNodePortProgrammatic;
    edge.type = cudaGraphDependencyTypeProgrammatic;
  }
#if CUDART_VERSION >= 13000
  return cudaGraphAddDependencies (graph, &from, &to, &edge, 1);
#else
  return cudaGraphAddDependencies_v2 (graph, &from, &to, &edge, 1);
#endif
#else
  return cudaGraphAddDependencies (graph, &from, &to, 1);
#endif
}

/* Adds a kernel to the graph; see add_edge() of @early. */
static bool
append (State *state, LlfLaunch launch, int takes, int level, int extra,
    bool early, GError **error)
{
  CsCudaGraph *graph = &state->graph;
  Kernel *kernel = &state->kernels[state->n_kernels++];
  void *args[MAX_ARGS];

  *kernel = Kernel { NULL, launch, takes, level, extra };
  fill_args (state, kernel, args);
  cudaKernelNodeParams params = node_params (&kernel->launch, args);
  if (!cs_cuda_check (cudaFuncSetAttribute (kernel->launch.function,
              cudaFuncAttributeMaxDynamicSharedMemorySize,
              kernel->launch.shared), "get shared memory", error) ||
      !cs_cuda_check (cudaGraphAddKernelNode (&kernel->node, graph->graph,
              NULL, 0, &params), "add a kernel to a graph", error) ||
      (graph->n_nodes && !cs_cuda_check (add_edge (graph->graph, graph->last,
                  kernel->node, early && state->has_early_launch),
              "order the kernels of a graph", error)))
    return false;
  graph->last = kernel->node;
  graph->n_nodes++;
  return true;
}

static bool
add_down (State *state, int l, GError **error)
{
  const LlfDevicePyramid *pyramid = &state->pyramid;
  int rows = 0;
  const LlfLaunch launch = l ? llf_cuda_down_tiles (pyramid, state->kind, l) :
      llf_cuda_down (pyramid, state->kind, &rows);

  return append (state, launch, l ? TAKES_LEVEL : TAKES_FRAME | TAKES_EXTRA, l,
      rows, l > 0, error);
}

/* The level from which llf_cuda_coarse() starts. */
static int
coarse_level (const State *state)
{
  const LlfDevicePyramid *pyramid = &state->pyramid;
  int l = 2;

  while (l < pyramid->n && ((gsize) pyramid->levels[l].w *
          pyramid->levels[l].h > LLF_COARSE_PIXELS ||
          llf_cuda_coarse (pyramid, state->kind, l).shared > state->max_shared))
    l += 2;
  return l;
}

static bool
add_factored (State *state, GError **error)
{
  const LlfDevicePyramid *pyramid = &state->pyramid;
  const int coarse = coarse_level (state);
  const bool has_coarse = coarse + 1 < pyramid->n;
  int last = 0;

  cs_llf_take (!has_coarse ? CS_LLF_CUDA_NO_COARSE : coarse == 2 ?
      CS_LLF_CUDA_COARSE : CS_LLF_CUDA_COARSE_LATER);
  for (int l = 0; l < coarse && l + 1 < pyramid->n; l += 2) {
    if (!add_down (state, l, error))
      return false;
    last = l;
  }
  if (has_coarse && !append (state, llf_cuda_coarse (pyramid, state->kind,
              coarse), TAKES_WEIGHTS | TAKES_LEVEL, coarse, 0, true, error))
    return false;
  /* the extra argument: whether it waits for the kernel before at once */
  for (int l = last; l >= 0; l -= 2)
    if (!append (state, llf_cuda_up (pyramid, state->kind, l), TAKES_FRAME |
            TAKES_WEIGHTS | TAKES_LEVEL | TAKES_EXTRA, l,
            l == last && !has_coarse, true, error))
      return false;
  return true;
}

static bool
add_exact (State *state, GError **error)
{
  const LlfDevicePyramid *pyramid = &state->pyramid;

  cs_llf_take (pyramid->n > 2 ? CS_LLF_CUDA_EXACT : CS_LLF_CUDA_EXACT_TWO);
  if (!append (state, llf_cuda_exact_codes (pyramid, &state->exact),
          TAKES_FRAME | TAKES_EXACT, 0, 0, false, error))
    return false;
  for (int l = 0; l + 1 < pyramid->n; l += 2)
    if (!add_down (state, l, error))
      return false;
  if (pyramid->n > 2 && !append (state, llf_cuda_exact_sums (pyramid,
              &state->exact), TAKES_WEIGHTS | TAKES_EXACT, 0, 0, false, error))
    return false;
  for (int l = pyramid->n - 2; l > 0; l--)
    if (!append (state, llf_cuda_exact_collapse (pyramid, l),
            TAKES_WEIGHTS | TAKES_EXACT | TAKES_LEVEL, l, 0, false, error))
      return false;
  return append (state, llf_cuda_exact_first (pyramid),
      TAKES_FRAME | TAKES_WEIGHTS | TAKES_EXACT, 0, 0, false, error);
}

static bool
make_graph (State *state, GError **error)
{
  cs_llf_take (state->kind.bytes ? CS_LLF_CUDA_BYTES : state->kind.fixed ?
      CS_LLF_CUDA_FIXED : CS_LLF_CUDA_FLOATS);
  cs_llf_take (state->has_early_launch ? CS_LLF_CUDA_EARLY :
      CS_LLF_CUDA_NOT_EARLY);
  if (state->kind.guarded)
    cs_llf_take (CS_LLF_CUDA_GUARDED);
  state->n_kernels = 0;
  return cs_cuda_graph_begin (&state->graph, error) &&
      (state->is_exact ? add_exact (state, error) :
      add_factored (state, error)) &&
      cs_cuda_graph_end (&state->graph, state->stream, error);
}

/* --- Sizes ---------------------------------------------------------------- */

static void
place_levels (State *state, CsCudaCarver *carver)
{
  LlfDevicePyramid *pyramid = &state->pyramid;
  const int coarse = coarse_level (state);
  const gsize pixel = (gsize) pyramid->n_groups * LLF_GROUP *
      (state->kind.fixed ? sizeof (uint16_t) : sizeof (float));

  for (int l = 1; l < pyramid->n; l++) {
    LlfDeviceLevel *level = &pyramid->levels[l];
    const gsize n = (gsize) level->w * level->h;
    const bool is_coarse = !state->is_exact && l > coarse;

    if (is_coarse)
      continue;
    level->n_c = !state->is_exact && l == coarse ?
        pyramid->n_groups * LLF_GROUP + 1 : 1;
    level->p = cs_cuda_carve (carver, n, pixel);
    level->g = CS_CUDA_CARVE (carver, float, n);
    /* coefficients of odd levels stay in shared memory */
    if (state->is_exact || l % 2 == 0)
      level->c = CS_CUDA_CARVE (carver, float, n * level->n_c);
  }
  if (state->is_exact) {
    state->exact.codes = cs_cuda_carve (carver, (gsize) state->exact.pitch *
        pyramid->levels[0].h, pyramid->n_codes <= 256 ? 1 : 2);
    state->exact.partials = CS_CUDA_CARVE (carver, float4,
        state->exact.n_items);
  }
}

static void
set_sizes (State *state, const CsLlfTable *table, LlfKind kind, guint width,
    guint height)
{
  LlfDevicePyramid *pyramid = &state->pyramid;
  CsLlfPyramid sizes;

  cs_llf_pyramid_init (&sizes, width, height);
  *pyramid = LlfDevicePyramid ();
  pyramid->n = sizes.n_levels;
  pyramid->n_codes = table->n_codes;
  pyramid->n_groups = table->stride / LLF_GROUP;
  pyramid->to_node = (float) LLF_NODES / (table->n_codes - 1);
  for (guint l = 0; l < sizes.n_levels; l++) {
    pyramid->levels[l].w = sizes.levels[l].width;
    pyramid->levels[l].h = sizes.levels[l].height;
  }
  state->width = width;
  state->height = height;
  state->stride = table->stride;
  state->is_exact = table->fine != NULL;
  state->kind = kind;
  place_tables (state, table);
  if (state->is_exact) {
    state->exact.pitch = (width + 3) / 4 * 4;
    llf_cuda_exact_items (pyramid, &state->exact);
  }
}

/* Prepares all that depends on the size and the kind of table. */
static bool
prepare (State *state, const CsLlfTable *table, bool bytes, bool guarded,
    guint width, guint height, GError **error)
{
  const LlfKind kind = { is_fixed (table), bytes, guarded && !table->fine };
  CsCudaCarver carver = { NULL, 0 };

  if (state->graph.exec && state->width == width && state->height == height &&
      state->stride == table->stride && state->is_exact == !!table->fine &&
      state->pyramid.n_codes == (int) table->n_codes &&
      state->kind.fixed == kind.fixed && state->kind.bytes == kind.bytes &&
      state->kind.guarded == kind.guarded) {
    cs_llf_take (CS_LLF_CUDA_SAME_GRAPH);
    return true;
  }
  if ((guint64) width * height > MAX_PIXELS)
    return cs_error (error, CS_ERROR_LIMIT, "an image of %u x %u pixels: the "
        "limit on the GPU is 2^30", width, height);
  cs_cuda_graph_clear (&state->graph);
  set_sizes (state, table, kind, width, height);
  do
    place_levels (state, &carver);
  while (cs_cuda_carve_again (&carver, &state->scratch, state->stream, error));
  return carver.base && (!state->is_exact ||
      prepare_exact (state, width, height, error)) &&
      make_graph (state, error);
}

/* --- Frames --------------------------------------------------------------- */

static void
place_frame (const CsLlfFrame *frame, LlfDeviceFrame *to)
{
  memset (to, 0, sizeof (*to));
  to->in = (const uint8_t *) frame->input.data;
  to->out = (uint8_t *) frame->output;
  to->in_pixel = frame->input.pixel_stride;
  to->in_row = frame->input.row_stride;
  to->out_pixel = frame->output_pixel_stride;
  to->out_row = frame->output_row_stride;
}

/* Whether the fast path of LlfKind applies. */
static bool
has_bytes (const LlfDeviceFrame *frame, gsize height)
{
  return frame->type == CS_SAMPLE_U8 && frame->in_pixel == 1 &&
      frame->out_pixel == 1 && (uintptr_t) frame->in % 4 == 0 &&
      frame->in_row % 4 == 0 && frame->in_row <= G_MAXUINT32 / height &&
      frame->out_row <= G_MAXUINT32 / height;
}

/* Updates the graph with this frame's pointers and weights. */
static bool
set_frame (State *state, const LlfDeviceFrame *frame,
    const LlfDeviceWeights *weights, GError **error)
{
  int changed = 0;

  if (memcmp (&state->frame, frame, sizeof (*frame)) != 0)
    changed |= TAKES_FRAME;
  if (memcmp (&state->weights, weights, sizeof (*weights)) != 0)
    changed |= TAKES_WEIGHTS;
  state->frame = *frame;
  state->weights = *weights;
  for (int i = 0; i < state->n_kernels; i++) {
    Kernel *kernel = &state->kernels[i];
    void *args[MAX_ARGS];

    if (!(kernel->takes & changed))
      continue;
    fill_args (state, kernel, args);
    cudaKernelNodeParams params = node_params (&kernel->launch, args);
    if (!cs_cuda_check (cudaGraphExecKernelNodeSetParams (state->graph.exec,
                kernel->node, &params), "update a graph", error)) {
      /* partly updated: forces an update of all nodes next time */
      memset (&state->frame, 0, sizeof (state->frame));
      memset (&state->weights, 255, sizeof (state->weights));
      return false;
    }
  }
  return true;
}

static gboolean
llf_cuda_warm_up (void *user_data, const CsLlfTable *table,
    const CsLlfPyramid *pyramid, GError **error)
{
  State *state = (State *) user_data;

  if (table->identity || pyramid->n_levels < 2)
    return TRUE;
  return adopt_table (state, (CsLlfTable *) table, error) &&
      prepare (state, table, table->params.depth == 8, pyramid->guard.slope > 0,
      pyramid->levels[0].width, pyramid->levels[0].height, error);
}

static gboolean
llf_cuda_run (void *user_data, CsLlfTable *table, const CsLlfFrame *frame,
    const CsLlfPyramid *pyramid, GError **error)
{
  State *state = (State *) user_data;
  LlfDeviceFrame next;
  LlfDeviceWeights weights = { };

  place_frame (frame, &next);
  next.type = frame->input.type;
  next.shift = frame->shift;
  next.depth = table->params.depth;
  next.guard = pyramid->guard;
  for (guint l = 0; l < pyramid->n_levels; l++)
    weights.level[l] = pyramid->levels[l].weight;
  return adopt_table (state, table, error) &&
      prepare (state, table, has_bytes (&next, frame->input.height),
      pyramid->guard.slope > 0, frame->input.width, frame->input.height,
      error) &&
      set_frame (state, &next, &weights, error) &&
      cs_cuda_graph_launch (&state->graph, state->stream, error);
}

static __global__ void __launch_bounds__ (COPY_THREADS)
copy_kernel (const __grid_constant__ LlfDeviceFrame frame, int width,
    int height, int size)
{
  const size_t at = (size_t) blockIdx.x * blockDim.x + threadIdx.x;

  if (at >= (size_t) width * height)
    return;

  const int y = at / width, x = at - (size_t) y * width;

  for (int i = 0; i < size; i++)
    frame.out[y * frame.out_row + x * frame.out_pixel + i] =
        frame.in[y * frame.in_row + x * frame.in_pixel + i];
}

static gboolean
llf_cuda_copy (void *user_data, const CsLlfFrame *frame, GError **error)
{
  const State *state = (const State *) user_data;
  const CsImage *image = &frame->input;
  const int size = cs_sample_size (image->type);
  const gsize n = (gsize) image->width * image->height;
  LlfDeviceFrame args;

  if (image->data == frame->output) {
    cs_llf_take (CS_LLF_CUDA_COPY_IN_PLACE);
    return TRUE;
  }
  cs_llf_take (CS_LLF_CUDA_COPY);
  place_frame (frame, &args);
  copy_kernel <<<(unsigned) ((n + COPY_THREADS - 1) / COPY_THREADS),
      COPY_THREADS, 0, state->stream>>> (args, image->width, image->height,
      size);
  return cs_cuda_check (cudaGetLastError (), "copy a frame", error);
}

static void
llf_cuda_destroy (void *user_data)
{
  State *state = (State *) user_data;

  cs_cuda_graph_clear (&state->graph);
  cs_cuda_scratch_clear (&state->scratch, state->stream);
  cs_cuda_scratch_clear (&state->weights_memory, state->stream);
  if (state->device_table && !cs_cuda_context_is_lost () &&
      cudaFreeAsync (state->device_table, state->stream) != cudaSuccess)
    cudaGetLastError ();
  g_clear_pointer (&state->table, cs_llf_table_unref);
  g_free (state);
}

/* Queries the capabilities of the device. */
static bool
query_device (State *state, GError **error)
{
  int major, shared;

  if (!cs_cuda_get_attribute (cudaDevAttrComputeCapabilityMajor, &major,
          error) ||
      !cs_cuda_get_attribute (cudaDevAttrMaxSharedMemoryPerBlockOptin, &shared,
          error))
    return false;
  state->has_early_launch = major >= 9;
  state->max_shared = shared - STATIC_SHARED;
  return true;
}

static void *
llf_cuda_create (CsExecutor *executor, GError **error)
{
  State *state = g_new0 (State, 1);
  const gsize size = MAX (table_layout (LLF_MAX_CODES, MAX_GROUPS,
          false).size, table_layout (LLF_MAX_CODES, 0, true).size);

  state->executor = executor;
  state->stream = (cudaStream_t) cs_executor_get_stream (executor);
  if (query_device (state, error) &&
      cs_cuda_check (cudaMallocAsync ((void **) &state->device_table,
              size * sizeof (float), state->stream), "allocate a table", error))
    return state;
  g_free (state);
  return NULL;
}

extern "C" const CsLlfBackend cs_llf_cuda_backend = {
  llf_cuda_create, llf_cuda_warm_up, llf_cuda_run, llf_cuda_copy,
  llf_cuda_destroy,
};
