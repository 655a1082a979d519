/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kernels, block by block: as many are resident as the device has room for,
 * all of a cooperative launch, and their warps run in turn. */

#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "module.h"

/* What the device has room for */
#define RESIDENT_BLOCKS 8
/* Instructions until it is another warp's turn */
#define SLICE 2000
#define DEFAULT_TIMEOUT 300     /* seconds */
/* what shared memory holds at first */
#define GARBAGE 0x5a

static gsize
round_up (gsize size, gsize to)
{
  return (size + to - 1) / to * to;
}

/* Memory of blocks, kept from one kernel to the next: fresh pages would take
 * longer than small kernels. With the memory's lock. */
static struct
{
  guint8 *data;
  gsize size, used;
} arena;

static gpointer
take (gsize size)
{
  gpointer data = arena.data + arena.used;

  arena.used += round_up (size, 64);
  g_assert (arena.used <= arena.size);
  return data;
}

static guint
count_warps (const Run * run)
{
  return (run->n_threads + LANES - 1) / LANES;
}

/* What init_block() takes */
static gsize
block_size (const Run * run)
{
  const Kernel *kernel = run->kernel;
  const gsize warp_size = round_up (kernel->registers_size, 64) +
      round_up (kernel->n_predicates * sizeof (guint32), 64) +
      round_up (kernel->local_size * LANES, 64) +
      round_up (LANES * sizeof (guint32), 64);

  return round_up (run->shared_size, 64) +
      (run->checks_races ? round_up (races_size (run->shared_size), 64) : 0) +
      count_warps (run) * warp_size +
      round_up (count_warps (run) * sizeof (Warp), 64);
}

static void
prepare_arena (gsize size)
{
  arena.used = 0;
  if (size <= arena.size)
    return;
  g_free (arena.data);
  arena.data = g_malloc (size);
  arena.size = size;
}

static void
init_block (Run * run, Cluster * cluster, Block * block)
{
  const Kernel *kernel = run->kernel;
  guint w;

  block->run = run;
  block->cluster = cluster;
  block->n_warps = count_warps (run);
  block->warps = take (block->n_warps * sizeof (Warp));
  block->shared = take (run->shared_size);
  if (run->checks_races)
    block->accesses = take (races_size (run->shared_size));
  memset (block->warps, 0, block->n_warps * sizeof (Warp));
  for (w = 0; w < block->n_warps; w++) {
    Warp *warp = &block->warps[w];

    warp->run = run;
    warp->block = block;
    warp->index = w;
    warp->base[0] = take (kernel->registers_size);
    warp->base[1] = kernel->constants + CONSTANT_BIAS;
    warp->predicates = take (kernel->n_predicates * sizeof (guint32));
    warp->local = take (kernel->local_size * LANES);
    warp->cluster_phase = take (LANES * sizeof (guint32));
  }
}

static void
start_block (Block * block)
{
  Run *run = block->run;
  guint w;

  memset (block->shared, GARBAGE, run->shared_size);
  memset (block->barriers, 0, sizeof (block->barriers));
  if (block->accesses)
    races_reset (block, run->shared_size);
  block->n_live = run->n_threads;
  for (w = 0; w < block->n_warps; w++) {
    Warp *warp = &block->warps[w];
    const guint n = MIN (run->n_threads - w * LANES, LANES);

    warp->live = n == LANES ? ALL_LANES : (1u << n) - 1;
    warp->n_fragments = warp->n_slices = 0;
    warp->n_barriers = 0;
    warp->pc = 0;
    warp->yields = FALSE;
    /* the predicate that is always true */
    warp->predicates[0] = ALL_LANES;
    warp_set_active (warp, warp->live);
  }
}

/* Starts the blocks of cluster @index of the grid. */
static void
start_cluster (Run * run, Cluster * cluster, guint64 index)
{
  const guint *grid = (const guint *) &run->launch->grid;
  const guint *size = (const guint *) &run->launch->cluster;
  const guint nx = grid[0] / size[0], ny = grid[1] / size[1];
  guint b, axis;

  cluster->index[0] = index % nx;
  cluster->index[1] = index / nx % ny;
  cluster->index[2] = index / ((guint64) nx * ny);
  cluster->n_live = run->n_threads * run->cluster_size;
  cluster->n_arrived = cluster->phase = 0;
  cluster->is_used = TRUE;
  for (b = 0; b < run->cluster_size; b++) {
    const guint within[3] = { b % size[0], b / size[0] % size[1],
      b / (size[0] * size[1])
    };
    Block *block = &cluster->blocks[b];

    for (axis = 0; axis < 3; axis++)
      block->index[axis] = cluster->index[axis] * size[axis] + within[axis];
    block->rank = b;
    start_block (block);
  }
}

/* Every warp of a cluster in turn. Returns: whether any has run */
static gboolean
run_cluster (Run * run, Cluster * cluster)
{
  gboolean has_run = FALSE;
  guint b, k;

  for (b = 0; b < run->cluster_size; b++) {
    Block *block = &cluster->blocks[b];
    const guint first = run->rand ?
        g_rand_int_range (run->rand, 0, block->n_warps) : 0;
    const gboolean backwards = run->rand && g_rand_boolean (run->rand);

    for (k = 0; k < block->n_warps; k++) {
      const guint at = (first + (backwards ? block->n_warps - k : k)) %
          block->n_warps;
      Warp *warp = &block->warps[at];

      if (warp->live && warp_can_run (warp))
        has_run |= warp_run (warp, run->rand ?
            g_rand_int_range (run->rand, 1, SLICE) : SLICE);
    }
  }
  return has_run;
}

static void
check_progress (Run * run, gboolean has_run)
{
  if (!has_run) {
    report_warps (run);
    g_printerr ("emulator: all wait, and for nothing that will come\n");
    abort ();
  }
  if (g_get_monotonic_time () > run->deadline) {
    report_warps (run);
    g_printerr ("emulator: the kernel does not end\n");
    abort ();
  }
}

static void
run_grid (Run * run)
{
  const EmulatorSize *grid = &run->launch->grid;
  const guint64 n = (guint64) grid->x * grid->y * grid->z /
      run->cluster_size;
  guint64 next = 0;
  guint n_used = 0, c;

  while (next < n || n_used > 0) {
    const guint first = run->rand ?
        g_rand_int_range (run->rand, 0, run->n_clusters) : 0;
    gboolean has_run = FALSE;

    for (c = 0; c < run->n_clusters && next < n; c++)
      if (!run->clusters[c].is_used) {
        start_cluster (run, &run->clusters[c], next++);
        n_used++;
      }
    for (c = 0; c < run->n_clusters; c++) {
      Cluster *cluster = &run->clusters[(first + c) % run->n_clusters];

      if (!cluster->is_used)
        continue;
      has_run |= run_cluster (run, cluster);
      if (cluster->n_live == 0) {
        cluster->is_used = FALSE;
        n_used--;
      }
    }
    check_progress (run, has_run);
  }
}

static void
init_run (Run * run, const EmulatorLaunch * launch)
{
  const gchar *seed = g_getenv ("CUDASHAPES_EMULATE_SEED");
  const gchar *timeout = g_getenv ("CUDASHAPES_EMULATE_TIMEOUT");
  const Kernel *kernel = run->kernel;
  const guint64 n = (guint64) launch->grid.x * launch->grid.y *
      launch->grid.z;
  guint c, b;

  run->launch = launch;
  run->n_threads = launch->block.x * launch->block.y * launch->block.z;
  run->cluster_size = launch->cluster.x * launch->cluster.y *
      launch->cluster.z;
  run->shared_size = round_up (kernel->shared_size,
      kernel->dynamic_align) + launch->shared;
  run->checks_races = run->shared_size > 0 &&
      g_strcmp0 (g_getenv ("CUDASHAPES_EMULATE_RACES"), "1") == 0;
  run->n_clusters = n / run->cluster_size;
  if (!launch->cooperative)
    run->n_clusters = MIN (run->n_clusters,
        MAX (RESIDENT_BLOCKS / run->cluster_size, 1));
  run->clusters = g_new0 (Cluster, run->n_clusters);
  prepare_arena (block_size (run) * run->n_clusters * run->cluster_size);
  for (c = 0; c < run->n_clusters; c++) {
    run->clusters[c].blocks = g_new0 (Block, run->cluster_size);
    for (b = 0; b < run->cluster_size; b++)
      init_block (run, &run->clusters[c], &run->clusters[c].blocks[b]);
  }
  run->deadline = g_get_monotonic_time () + G_USEC_PER_SEC *
      (timeout ? atoi (timeout) : DEFAULT_TIMEOUT);
  if (seed)
    run->rand = g_rand_new_with_seed (atoi (seed));
}

static void
clear_run (Run * run)
{
  guint c;

  for (c = 0; c < run->n_clusters; c++)
    g_free (run->clusters[c].blocks);
  g_free (run->clusters);
  if (run->rand)
    g_rand_free (run->rand);
}

static void
check_launch (const EmulatorLaunch * launch, const Kernel * kernel)
{
  const guint *grid = (const guint *) &launch->grid;
  const guint *cluster = (const guint *) &launch->cluster;
  const guint n = launch->block.x * launch->block.y * launch->block.z;
  guint axis;

  if (kernel->max_threads && n > kernel->max_threads)
    g_error ("%s is launched with %u threads, more than its limit of %u",
        kernel->name, n, kernel->max_threads);
  if (launch->shared > 0 && !kernel->has_dynamic)
    g_warning ("%s is launched with shared memory that it does not have",
        kernel->name);
  if (kernel->shared_size + launch->shared > 227 << 10)
    g_error ("%s is launched with more shared memory than there is",
        kernel->name);
  for (axis = 0; axis < 3; axis++)
    if (grid[axis] % cluster[axis])
      g_error ("%s is launched with a part of a cluster", kernel->name);
}

static void
print_statistics (const Run * run, gint64 begin)
{
  const gint64 us = g_get_monotonic_time () - begin;

  g_printerr ("emulator: %9" G_GINT64_FORMAT " us %11" G_GUINT64_FORMAT
      " instructions %5.1f/us  %u x %u  %s\n", us, run->n_instructions,
      (gdouble) run->n_instructions / MAX (us, 1), run->launch->grid.x *
      run->launch->grid.y * run->launch->grid.z, run->n_threads,
      run->kernel->name);
}

void
emulator_run (const EmulatorLaunch * launch)
{
  const gint64 begin = g_get_monotonic_time ();
  EmulatorLaunch adjusted = *launch;
  Run run = { 0 };
  guint axis;

  memory_lock ();
  run.kernel = module_get_kernel (launch->function);
  if (launch->cluster.x == 0) {
    guint *cluster = (guint *) & adjusted.cluster;

    for (axis = 0; axis < 3; axis++)
      cluster[axis] = MAX (run.kernel->cluster[axis], 1);
  }
  check_launch (&adjusted, run.kernel);
  init_run (&run, &adjusted);
  run_grid (&run);
  if (g_getenv ("CUDASHAPES_EMULATE_TIMES"))
    print_statistics (&run, begin);
  clear_run (&run);
  memory_unlock ();
}
