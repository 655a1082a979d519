/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tile engine on CUDA: what runs for a picture. */
#include "raster_cuda.h"

#include "base/memory.h"

/* What choosing between bins and the array of all marks goes by, in
 * nanoseconds: for a block of threads to look at a mark, with all blocks at
 * work, or alone, as in a corner where marks are fewer; to put a mark into a
 * bin, and to make bins at all; how many layers a pixel needs until nothing is
 * seen of what is behind. Measured on an H200. */
#define LOOK_COST .0015
#define LOOK_ALONE_COST 3.
#define BIN_COST .05
#define BINS_COST 40000.
#define LAYERS_NEEDED 40.

/* Up to so many layers on a pixel all marks are painted, of which a tile gets
 * some more than on an average. */
#define DIRECT_LAYERS 24.
#define DIRECT_MAX_MARKS (1 << 22)
#define DIRECT_MORE 1.25
#define DIRECT_SPREAD 64.
#define DIRECT_MAX_MEMORY 134217728.

/* Discs are painted by a painter of their own, if that does not leave more than
 * this part of the picture to the painter of all marks. */
#define LEAN_MAX_LEFT .05
#define MASKS_MAX_MEMORY 67108864

/* Runs are painted from the back, in pictures with at most so many layers on a
 * pixel of marks with at most so many pixels, by their bounds, on an average. */
#define RUNS_LAYERS 8.
#define RUNS_AREA 128.

/* Two, so that one is filled while the GPU copies from the other. */
#define N_STAGING 2

/* All that the work of ordering depends on; compared as bytes. */
typedef struct
{
  CsRasterPrepare prepare;
  gboolean keep;
  gsize capacity;
  guint32 room;
  gint32 antialias, has_runs;
} OrderArgs;

typedef struct
{
  cudaStream_t stream;
  CsRasterOrderCuda order;
  CsRasterDirectCuda direct;
  OrderArgs last_args;
  cudaGraphExec_t graph;
  CsCudaScratch uploaded, tables, fills_uploaded, fills_memory, left_over;
  CsCudaScratch gradients_uploaded;
  CsGradients gradients;
  CsRasterKey gradients_key;
  gint table_max;
  float *host_tables;
  CsCudaStaging staging[N_STAGING];
  guint next_staging;
  gint parity;
  CsFillCuda fills;
  CsRasterKey fills_key;
  guint64 fills_dropped;

  /* what is uploaded, sorted and prepared */
  CsRasterKey uploaded_key, order_key;
  CsRasterPrepare prepared;
  gboolean has_groups;
  gsize capacity;
  guint32 room;                 /* of a tile, painted directly; 0: not */
  gint32 has_runs;              /* painted as runs of small marks */

  /* what the GPU has counted, as soon as the event has come */
  CsRasterCounters *counters, *counted;
  cudaEvent_t counters_copied;
  gboolean has_counted, is_counting, is_known;
  CsRasterCounters known;
  gsize known_n, skewed_n, failed_n, left_n, known_pixels;
} State;

static void
clear_graph (State * state)
{
  if (state->graph && !cs_cuda_context_is_lost () &&
      cudaGraphExecDestroy (state->graph) != cudaSuccess)
    cudaGetLastError ();
  state->graph = NULL;
}

static void
destroy (void *data)
{
  State *state = (State *) data;
  const gboolean is_lost = cs_cuda_context_is_lost ();

  if (!is_lost && cudaStreamSynchronize (state->stream) != cudaSuccess)
    cudaGetLastError ();
  clear_graph (state);
  cs_raster_cuda_order_clear (&state->order, state->stream);
  cs_raster_cuda_direct_clear (&state->direct, state->stream);
  cs_cuda_scratch_clear (&state->uploaded, state->stream);
  cs_cuda_scratch_clear (&state->tables, state->stream);
  cs_cuda_scratch_clear (&state->fills_uploaded, state->stream);
  cs_cuda_scratch_clear (&state->fills_memory, state->stream);
  cs_cuda_scratch_clear (&state->gradients_uploaded, state->stream);
  cs_cuda_scratch_clear (&state->left_over, state->stream);
  for (guint i = 0; i < N_STAGING; i++)
    cs_cuda_staging_clear (&state->staging[i]);
  if (!is_lost) {
    if (state->counters_copied)
      cudaEventDestroy (state->counters_copied);
    if (state->counters)
      cudaFreeAsync (state->counters, state->stream);
    cudaGetLastError ();
  }
  if (state->counted)
    cs_cuda_pinned_free (state->counted, NULL);
  g_free (state->host_tables);
  g_free (state);
}

static void *
create (CsExecutor * executor, GError ** error)
{
  State *state = g_new0 (State, 1);
  gboolean ok;

  state->stream = (cudaStream_t) cs_executor_get_stream (executor);
  state->counted = (CsRasterCounters *)
      cs_cuda_pinned_alloc (sizeof (CsRasterCounters), error);
  ok = state->counted && cs_cuda_check (cudaMallocAsync (&state->counters,
          sizeof (CsRasterCounters), state->stream), "allocate counters",
      error) && cs_cuda_check (cudaEventCreateWithFlags (
          &state->counters_copied, cudaEventDisableTiming), "make an event",
      error);
  for (guint i = 0; ok && i < N_STAGING; i++)
    ok = cs_cuda_staging_init (&state->staging[i], error);
  if (ok)
    return state;
  destroy (state);
  return NULL;
}

/* Arrays in device memory are aligned. */
static gsize
padded (gsize size)
{
  return (size + 255) / 256 * 256;
}

/* Copies two arrays to device memory of @scratch, the second behind the first,
 * padded. Returns where they are. */
static guint8 *
upload (State * state, CsCudaScratch * scratch, const void *first,
    gsize first_size, const void *second, gsize second_size, GError ** error)
{
  CsCudaStaging *staging = &state->staging[state->next_staging];
  const gsize at = padded (first_size), size = at + second_size;
  guint8 *there = (guint8 *) cs_cuda_scratch_ensure (scratch, size,
      state->stream, error);
  guint8 *from = there ? (guint8 *) cs_cuda_staging_get (staging, size,
      error) : NULL;

  if (!from)
    return NULL;
  state->next_staging = (state->next_staging + 1) % N_STAGING;
  memcpy (from, first, first_size);
  if (second_size > 0)
    memcpy (from + at, second, second_size);
  return cs_cuda_staging_upload (staging, there, size, state->stream, error) ?
      there : NULL;
}

/* Tables of light, once for each size, for the GPU and, in @host, for here. */
static gboolean
set_tables (State * state, CsRasterFormat * f, CsRasterFormat * host,
    GError ** error)
{
  const gsize n = f->table_max + 1, size = (2 * n + 256) * sizeof (float);

  *host = *f;
  if (!f->linear)
    return TRUE;
  if (state->table_max != f->table_max) {
    state->table_max = 0;
    g_free (state->host_tables);
    state->host_tables = (float *) cs_try_malloc (size);
    if (!state->host_tables)
      return cs_fail_no_memory (error, "tables of a transfer function");
    cs_raster_make_tables (f->table_max, state->host_tables,
        state->host_tables + n, state->host_tables + 2 * n);
    if (!upload (state, &state->tables, state->host_tables, size, NULL, 0,
            error))
      return FALSE;
    state->table_max = f->table_max;
  }
  const float *tables = (const float *) state->tables.data;
  f->decode = tables;
  f->encode = tables + n;
  f->bytes = tables + 2 * n;
  host->decode = state->host_tables;
  host->encode = state->host_tables + n;
  host->bytes = state->host_tables + 2 * n;
  return TRUE;
}

static gboolean
find_groups (const CsMarks * marks)
{
  for (gsize i = 0; i < marks->n; i++) {
    if (marks->marks[i].group != 0 && marks->marks[i].half_width >= 0 &&
        !cs_raster_has_gradient (marks->gradients, &marks->marks[i]))
      return TRUE;
  }
  return FALSE;
}

/* The marks and their depths in device memory. */
static gboolean
upload_marks (State * state, const CsMarks * marks, const CsRasterKey * key,
    CsRasterPrepare * p, GError ** error)
{
  const gsize size = marks->n * sizeof (CsMark);

  p->marks = marks->marks;
  p->depths = marks->depths;
  if (marks->memory == CS_MEMORY_DEVICE) {
    state->has_groups = !marks->depths;
    memset (&state->uploaded_key, 0, sizeof (state->uploaded_key));
    p->has_runs = state->has_groups;
    return TRUE;
  }
  if (!cs_raster_key_same_marks (&state->uploaded_key, key)) {
    memset (&state->uploaded_key, 0, sizeof (state->uploaded_key));
    if (!upload (state, &state->uploaded, marks->marks, size, marks->depths,
            marks->depths ? marks->n * sizeof (float) : 0, error))
      return FALSE;
    state->has_groups = !marks->depths && find_groups (marks);
    state->uploaded_key = *key;
  }
  const guint8 *there = (const guint8 *) state->uploaded.data;
  p->marks = (const CsMark *) there;
  p->depths = marks->depths ? (const float *) (there + padded (size)) : NULL;
  p->has_runs = state->has_groups;
  return TRUE;
}

/* Fills and their coverage in device memory. */
static gboolean
cover_fills (State * state, const CsRasterJob * job, GError ** error)
{
  const CsFillSet *set = job->fills;
  const gsize size = set ? set->regions.len * sizeof (CsFillRegion) : 0;
  CsRasterKey key;
  const guint8 *there;

  cs_raster_job_key (job, &key);
  if (set && cs_raster_key_equal (&state->fills_key, &key))
    return TRUE;
  memset (&state->fills_key, 0, sizeof (state->fills_key));
  memset (&state->fills, 0, sizeof (state->fills));
  state->fills_dropped = set ? set->dropped : 0;
  if (!set)
    return TRUE;
  there = upload (state, &state->fills_uploaded, set->regions.data, size,
      set->edges.data, set->edges.len * sizeof (CsFillEdge), error);
  if (!there)
    return FALSE;
  state->fills.regions = (const CsFillRegion *) there;
  state->fills.n_regions = (guint32) set->regions.len;
  if (!cs_raster_cuda_fill (&state->fills_memory, set,
          (const CsFillEdge *) (there + padded (size)),
          (guint) job->format.height, &state->fills, state->stream, error))
    return FALSE;
  state->fills_key = key;
  return TRUE;
}

/* Gradients in device memory. */
static gboolean
upload_gradients (State * state, const CsRasterJob * job, GError ** error)
{
  const CsGradients *from = job->marks->gradients;
  const gsize size = from ? from->n * sizeof (CsGradient) : 0;
  CsRasterKey key;
  const guint8 *there;

  cs_raster_job_key (job, &key);
  if (from && cs_raster_key_equal (&state->gradients_key, &key))
    return TRUE;
  memset (&state->gradients_key, 0, sizeof (state->gradients_key));
  memset (&state->gradients, 0, sizeof (state->gradients));
  if (size == 0)
    return TRUE;
  there = upload (state, &state->gradients_uploaded, from->gradients, size,
      from->stops, from->n_stops * sizeof (CsGradientStop), error);
  if (!there)
    return FALSE;
  state->gradients = *from;
  state->gradients.gradients = (const CsGradient *) there;
  state->gradients.stops = (const CsGradientStop *) (there + padded (size));
  state->gradients_key = key;
  return TRUE;
}

/* Takes what has been counted, if it has come; does not wait. */
static void
look_at_counters (State * state)
{
  if (!state->is_counting)
    return;
  if (CS_OR_FAULT (CS_FAULT_CUDA, cudaErrorNotReady,
          cudaEventQuery (state->counters_copied)) != cudaSuccess) {
    cudaGetLastError ();
    return;
  }
  state->known = *state->counted;
  state->is_known = TRUE;
  if (state->known.skewed)
    state->skewed_n = state->known_n;
  if (state->known.direct_failed) {
    state->failed_n = state->known_n;
    g_atomic_int_inc (&cs_raster_cuda_paths.failed);
  }
  if (!state->known.mixed && state->known.left_over * (16. * 8) >
      LEAN_MAX_LEFT * state->known_pixels)
    state->left_n = state->known_n;
  state->is_counting = FALSE;
}

/* Lets what was counted come here, once for each order. */
static gboolean
fetch_counters (State * state, const CsRasterJob * job, GError ** error)
{
  if (!state->has_counted || state->is_counting)
    return TRUE;
  if (!cs_cuda_check (cudaMemcpyAsync (state->counted, state->counters,
              sizeof (CsRasterCounters), cudaMemcpyDeviceToHost,
              state->stream), "copy counters", error) ||
      !cs_cuda_check (cudaEventRecord (state->counters_copied,
              state->stream), "record an event", error))
    return FALSE;
  state->has_counted = FALSE;
  state->is_counting = TRUE;
  state->known_n = job->marks->n;
  state->known_pixels = (gsize) job->format.width * job->format.height;
  return TRUE;
}

/* Whether what was counted last says something of @n marks: an estimate of
 * another number of marks is none. */
static gboolean
can_estimate (const State * state, gsize n)
{
  return state->is_known && state->known.dropped < state->known_n &&
      n <= 2 * state->known_n && state->known_n <= 2 * n;
}

/* How much room a tile needs for painting marks directly, by what was counted
 * last; 0: not directly. */
static guint32
choose_room (const State * state, const CsRasterJob * job)
{
  const CsRasterFormat *f = &job->format;
  const double tiles = ceil ((double) f->width / CS_RASTER_TILE) *
      ceil ((double) f->height / CS_RASTER_TILE);
  const gsize n = job->marks->n;
  guint32 room = 256;

  if (cs_raster_direct == CS_DIRECT_NEVER || !cs_raster_job_is_plain (job) ||
      state->has_groups || n > DIRECT_MAX_MARKS)
    return 0;
  if (cs_raster_direct == CS_DIRECT_ALWAYS)
    return room;
  if (!can_estimate (state, n) || state->failed_n == n ||
      state->known.area > DIRECT_LAYERS * f->width * f->height)
    return 0;
  const double side = sqrt (state->known.area / (n - state->known.dropped)) +
      CS_RASTER_TILE - 1;
  double each = n * side * side / (CS_RASTER_TILE * CS_RASTER_TILE) / tiles;
  while (room < each * DIRECT_MORE + DIRECT_SPREAD)
    room *= 2;
  return room <= CS_RASTER_DIRECT_MAX_ROOM &&
      room * tiles * sizeof (guint64) <= DIRECT_MAX_MEMORY ? room : 0;
}

/* How much room bins need, by what was counted last; 0: without bins. */
static gsize
choose_capacity (const State * state, const CsRasterFormat * f, gsize n)
{
  const CsRasterCounters *c = &state->known;
  const double pixels = (double) f->width * f->height;
  const double blocks = pixels / (CS_RASTER_BLOCK * CS_RASTER_BLOCK);
  const double painted = (double) n - (double) c->dropped;

  if (!can_estimate (state, n) || painted < 1)
    return 0;
  double needed = MIN ((double) n,
      LAYERS_NEEDED * pixels / MAX (c->area / painted, 1));
  const double entries = (double) c->entries * 1.125 + 4096;
  if (entries > G_MAXINT32 ||
      BINS_COST + entries * BIN_COST > needed * (blocks * LOOK_COST +
          LOOK_ALONE_COST))
    return 0;
  /* rarely another size, which would be other memory */
  return ((gsize) entries + 65535) / 65536 * 65536;
}

/* Puts into tiles, or sorts, prepares and bins. */
static gboolean
queue_order (State * state, const OrderArgs * args, GError ** error)
{
  if (args->room == 0)
    return cs_raster_cuda_order (&state->order, &args->prepare, args->keep,
        args->capacity, state->counters, state->stream, error);
  state->direct.room = args->room;
  state->direct.antialias = args->antialias;
  return cs_raster_cuda_direct_scatter (&state->direct, &args->prepare,
      state->counters, state->stream, error) &&
      cs_raster_cuda_order_failed (&state->order, &args->prepare,
      state->counters, state->stream, error);
}

/* The same as a graph, which costs the host one launch instead of fifteen. All
 * memory is there already. */
static gboolean
capture_order (State * state, const OrderArgs * args, GError ** error)
{
  cudaGraph_t graph = NULL;

  if (!cs_cuda_check (cudaStreamBeginCapture (state->stream,
              cudaStreamCaptureModeThreadLocal), "begin a graph", error))
    return FALSE;
  gboolean ok = queue_order (state, args, error);
  /* in any case: nothing else can be done with the stream before */
  cudaError_t ended = cudaStreamEndCapture (state->stream, &graph);
  ok &= cs_cuda_check (ended, "end a graph", ok ? error : NULL);
  ok = ok && cs_cuda_check (cudaGraphInstantiate (&state->graph, graph, 0),
      "finish a graph", error);
  if (graph)
    cudaGraphDestroy (graph);
  return ok;
}

/* A graph only for the second of the same: then it is likely to come again. */
static gboolean
launch_order (State * state, const OrderArgs * args, GError ** error)
{
  if (memcmp (args, &state->last_args, sizeof (*args)) != 0) {
    clear_graph (state);
    memset (&state->last_args, 0, sizeof (state->last_args));
    if (!queue_order (state, args, error))
      return FALSE;
    state->last_args = *args;
    return TRUE;
  }
  if (!state->graph && !capture_order (state, args, error))
    return FALSE;
  return cs_cuda_check (cudaGraphLaunch (state->graph, state->stream),
      "launch a graph", error);
}

/* Whether discs are painted by their own painter, by what was counted last. */
static gboolean
choose_lean (const State * state, const CsRasterJob * job)
{
  const gsize n = job->marks->n;

  return n > 0 && !job->ink && !job->fills && !state->has_groups &&
      can_estimate (state, n) && !state->known.mixed && state->left_n != n &&
      cs_raster_cuda_lean_fits (&job->format);
}

/* Whether marks in runs, or with fills among them, are so few on a pixel, and so
 * small, that they are painted from the back, by what was counted last. */
static gboolean
choose_runs (const State * state, const CsRasterJob * job)
{
  const CsRasterCounters *c = &state->known;
  const gsize n = job->marks->n;

  if (cs_raster_direct == CS_DIRECT_NEVER || n == 0 || job->ink ||
      job->marks->gradients || !(state->has_groups || job->fills))
    return FALSE;
  return cs_raster_direct == CS_DIRECT_ALWAYS || (can_estimate (state, n) &&
      c->area <= RUNS_LAYERS * job->format.width * job->format.height &&
      c->area <= RUNS_AREA * (n - c->dropped));
}

/* Masks of @side, unless they take too much memory. Returns whether there
 * are. */
static gboolean
choose_masks (CsRasterPrepare * p, gint32 side)
{
  p->mask_side = side;
  if (cs_raster_cuda_mask_words (p) > MASKS_MAX_MEMORY / sizeof (guint32))
    p->mask_side = 0;
  return p->mask_side > 0;
}

/* How the next picture is painted, with what has to be known of its marks. */
static void
choose_way (const State * state, const CsRasterJob * job, OrderArgs * args)
{
  CsRasterPrepare *p = &args->prepare;

  args->room = choose_room (state, job);
  args->antialias = args->room > 0 && job->format.antialias;
  p->mask_side = 0;
  args->has_runs = choose_runs (state, job) && choose_masks (p, CS_RASTER_BIN);
  if (args->room == 0 && choose_lean (state, job))
    choose_masks (p, CS_RASTER_MASK);
  args->capacity = args->room > 0 || p->mask_side > 0 ? 0 :
      choose_capacity (state, &job->format, p->n);
}

/* What all marks are prepared from, in device memory. */
static gboolean
begin_order (State * state, const CsRasterJob * job, const CsRasterKey * key,
    OrderArgs * args, GError ** error)
{
  CsRasterPrepare *p = &args->prepare;

  args->keep = state->room == 0 &&
      cs_raster_key_same_marks (&state->order_key, key);
  memset (&state->order_key, 0, sizeof (state->order_key));
  p->cut = job->cut;
  p->is_skewed = state->skewed_n == job->marks->n;
  p->regions = state->fills.regions;
  p->n_regions = state->fills.n_regions;
  p->has_gradients = job->marks->gradients != NULL;
  p->n_gradients = (guint32) state->gradients.n;
  /* what is uploaded already has not been looked at again */
  if (job->marks->n == 0)
    state->has_groups = FALSE;
  return job->marks->n == 0 || upload_marks (state, job->marks, key, p, error);
}

static gboolean
order_marks (State * state, const CsRasterJob * job, GError ** error)
{
  CsRasterKey key;
  OrderArgs args;

  memset (&args, 0, sizeof (args));
  cs_raster_job_key (job, &key);
  look_at_counters (state);
  args.prepare.n = job->marks->n;
  args.prepare.width = job->format.width;
  args.prepare.height = job->format.height;
  if (cs_raster_key_equal (&state->order_key, &key)) {
    choose_way (state, job, &args);
    if ((state->capacity > 0) == (args.capacity > 0) &&
        (state->room > 0) == (args.room > 0) &&
        state->prepared.mask_side == args.prepare.mask_side) {
      state->has_runs = args.has_runs;
      return TRUE;
    }
  }
  if (!begin_order (state, job, &key, &args, error))
    return FALSE;
  choose_way (state, job, &args);
  if (!launch_order (state, &args, error))
    return FALSE;
  state->has_counted = TRUE;
  state->order_key = key;
  state->prepared = args.prepare;
  state->capacity = args.capacity;
  state->room = args.room;
  state->has_runs = args.has_runs;
  return TRUE;
}

static gboolean
is_in_place (const CsRasterFormat * f)
{
  for (int c = 0; c < 4; c++) {
    const gboolean is_there = c == 3 ? f->has_alpha : c < f->n_components;

    if (is_there && (f->in[c] != f->out[c] || f->in_row[c] != f->out_row[c] ||
            f->in_pixel[c] != f->out_pixel[c]))
      return FALSE;
  }
  return f->has_frame;
}

static void
set_ink (CsRasterPaint * paint, const CsRasterJob * job,
    const CsRasterFormat * host_format)
{
  paint->ink = job->ink_settings;
  paint->has_ink = job->ink != NULL;
  paint->ink_at = (guint32) (job->marks->n - job->cut);
  if (!job->ink)
    return;
  const CsInkCuda *ink = (const CsInkCuda *) job->ink->state;
  paint->ink.pixels = ink->pixels;
  paint->ink.blocks = ink->blocks;
  paint->ink.alpha = cs_raster_color (host_format, job->ink_rgba,
      paint->ink.color);
}

/* Paints what the quick ways can; the rest is left to the painter of all marks,
 * as @paint then says. */
static gboolean
paint_quickly (State * state, CsRasterPaint * paint, GError ** error)
{
  const gsize width = paint->format.width, height = paint->format.height;
  const gsize n_blocks = (gsize) cs_cuda_blocks (width, CS_RASTER_BLOCK) *
      cs_cuda_blocks (height, CS_RASTER_BLOCK);

  paint->only_failed = state->room > 0;
  if (state->room > 0) {
    g_atomic_int_inc (&cs_raster_cuda_paths.direct);
    return cs_raster_cuda_direct_paint (&state->direct, &state->prepared,
        paint, state->stream, error);
  }
  if (!paint->sorted.masks)
    return TRUE;
  g_atomic_int_inc (&cs_raster_cuda_paths.lean);
  guint8 *left_over = (guint8 *) cs_cuda_scratch_ensure (&state->left_over,
      n_blocks * sizeof (guint64), state->stream, error);
  paint->left_over = left_over;
  return left_over && cs_raster_cuda_lean_paint (paint, state->known.area /
      (state->known_n - state->known.dropped), left_over, state->stream, error);
}

static gboolean
run (void *data, const CsRasterJob * job, GError ** error)
{
  State *state = (State *) data;
  CsRasterFormat host_format;
  CsRasterPaint paint;

  memset (&paint, 0, sizeof (paint));
  paint.format = job->format;
  if (!set_tables (state, &paint.format, &host_format, error) ||
      !cover_fills (state, job, error) ||
      !upload_gradients (state, job, error) ||
      !order_marks (state, job, error))
    return FALSE;
  set_ink (&paint, job, &host_format);
  paint.in_place = is_in_place (&paint.format);
  paint.sorted = state->order.sorted;
  paint.fills = state->fills;
  paint.gradients = state->gradients;
  paint.parity = state->parity ^= 1;
  const gboolean has_runs = state->has_groups || paint.has_ink || job->fills ||
      job->marks->gradients;
  g_atomic_int_inc (&cs_raster_cuda_paths.painted);
  if (state->has_runs) {
    g_atomic_int_inc (&cs_raster_cuda_paths.runs);
    return cs_raster_cuda_runs_paint (&paint, state->stream, error) &&
        fetch_counters (state, job, error);
  }
  return paint_quickly (state, &paint, error) &&
      cs_raster_cuda_paint (&paint, has_runs, state->stream, error) &&
      fetch_counters (state, job, error);
}

static gboolean
get_stats (void *data, CsRasterStats * stats, GError ** error)
{
  State *state = (State *) data;
  CsRasterCounters counters;

  if (!cs_cuda_check (cudaMemcpyAsync (&counters, state->counters,
              sizeof (counters), cudaMemcpyDeviceToHost, state->stream),
          "read counters", error) ||
      !cs_cuda_check (cudaStreamSynchronize (state->stream),
          "wait for painting", error))
    return FALSE;
  stats->dropped = counters.dropped + state->fills_dropped;
  stats->replayed = counters.replayed[state->parity];
  return TRUE;
}

extern "C" const CsRasterBackend cs_raster_cuda_backend = {
  create, run, get_stats, destroy,
  cs_ink_cuda_create, cs_ink_cuda_clear, cs_ink_cuda_stamp,
  cs_ink_cuda_destroy,
};
