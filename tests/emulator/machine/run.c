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
      round_up (kernel->local_size * LANES, 64);

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
init_block (Run * run, Block * block)
{
  const Kernel *kernel = run->kernel;

  block->run = run;
  block->n_warps = count_warps (run);
  block->warps = take (block->n_warps * sizeof (Warp));
  block->shared = take (run->shared_size);
  if (run->checks_races)
    block->accesses = take (races_size (run->shared_size));
  memset (block->warps, 0, block->n_warps * sizeof (Warp));
  for (guint w = 0; w < block->n_warps; w++) {
    Warp *warp = &block->warps[w];

    warp->run = run;
    warp->block = block;
    warp->index = w;
    warp->base[0] = take (kernel->registers_size);
    warp->base[1] = kernel->constants + CONSTANT_BIAS;
    warp->predicates = take (kernel->n_predicates * sizeof (guint32));
    warp->local = take (kernel->local_size * LANES);
  }
}

/* Starts block @index of the grid. */
static void
start_block (Block * block, guint64 index)
{
  Run *run = block->run;
  const EmulatorSize *grid = &run->launch->grid;

  block->index[0] = index % grid->x;
  block->index[1] = index / grid->x % grid->y;
  block->index[2] = index / ((guint64) grid->x * grid->y);
  memset (block->shared, GARBAGE, run->shared_size);
  memset (block->barriers, 0, sizeof (block->barriers));
  if (block->accesses)
    races_reset (block, run->shared_size);
  block->n_live = run->n_threads;
  for (guint w = 0; w < block->n_warps; w++) {
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

/* Every warp of a block in turn. Returns: whether any has run */
static gboolean
run_block (Run * run, Block * block)
{
  const guint first = run->rand ?
      g_rand_int_range (run->rand, 0, block->n_warps) : 0;
  const gboolean backwards = run->rand && g_rand_boolean (run->rand);
  gboolean has_run = FALSE;

  for (guint k = 0; k < block->n_warps; k++) {
    const guint at = (first + (backwards ? block->n_warps - k : k)) %
        block->n_warps;
    Warp *warp = &block->warps[at];

    if (warp->live && warp_can_run (warp))
      has_run |= warp_run (warp, run->rand ?
          g_rand_int_range (run->rand, 1, SLICE) : SLICE);
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
  const guint64 n = (guint64) grid->x * grid->y * grid->z;
  guint64 next = 0;
  guint n_used = 0, b;

  while (next < n || n_used > 0) {
    const guint first = run->rand ?
        g_rand_int_range (run->rand, 0, run->n_blocks) : 0;
    gboolean has_run = FALSE;

    for (b = 0; b < run->n_blocks && next < n; b++)
      if (run->blocks[b].n_live == 0) {
        start_block (&run->blocks[b], next++);
        n_used++;
      }
    for (b = 0; b < run->n_blocks; b++) {
      Block *block = &run->blocks[(first + b) % run->n_blocks];

      if (block->n_live == 0)
        continue;
      has_run |= run_block (run, block);
      n_used -= block->n_live == 0;
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
  const guint64 n = (guint64) launch->grid.x * launch->grid.y * launch->grid.z;

  run->launch = launch;
  run->n_threads = launch->block.x * launch->block.y * launch->block.z;
  run->shared_size = round_up (kernel->shared_size,
      kernel->dynamic_align) + launch->shared;
  run->checks_races = run->shared_size > 0 &&
      g_strcmp0 (g_getenv ("CUDASHAPES_EMULATE_RACES"), "1") == 0;
  run->n_blocks = launch->cooperative ? n : MIN (n, RESIDENT_BLOCKS);
  run->blocks = g_new0 (Block, run->n_blocks);
  prepare_arena (block_size (run) * run->n_blocks);
  for (guint b = 0; b < run->n_blocks; b++)
    init_block (run, &run->blocks[b]);
  run->deadline = g_get_monotonic_time () + G_USEC_PER_SEC *
      (timeout ? atoi (timeout) : DEFAULT_TIMEOUT);
  if (seed)
    run->rand = g_rand_new_with_seed (atoi (seed));
}

static void
clear_run (Run * run)
{
  g_free (run->blocks);
  if (run->rand)
    g_rand_free (run->rand);
}

static void
check_launch (const EmulatorLaunch * launch, const Kernel * kernel)
{
  const guint n = launch->block.x * launch->block.y * launch->block.z;

  if (kernel->max_threads && n > kernel->max_threads)
    g_error ("%s is launched with %u threads, more than its limit of %u",
        kernel->name, n, kernel->max_threads);
  if (launch->shared > 0 && !kernel->has_dynamic)
    g_warning ("%s is launched with shared memory that it does not have",
        kernel->name);
  if (kernel->shared_size + launch->shared > 227 << 10)
    g_error ("%s is launched with more shared memory than there is",
        kernel->name);
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
  Run run = { 0 };

  memory_lock ();
  run.kernel = module_get_kernel (launch->function);
  check_launch (launch, run.kernel);
  init_run (&run, launch);
  run_grid (&run);
  if (g_getenv ("CUDASHAPES_EMULATE_TIMES"))
    print_statistics (&run, begin);
  clear_run (&run);
  memory_unlock ();
}
