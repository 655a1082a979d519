/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "work.h"

#include "objects.h"

StubWork
stub_kernel_work (const void *function, dim3 grid, dim3 block, void **args,
    gsize shared)
{
  StubWork work = { STUB_KERNEL };

  work.launch.function = function;
  work.launch.grid = (EmulatorSize) {
  grid.x, grid.y, grid.z};
  work.launch.block = (EmulatorSize) {
  block.x, block.y, block.z};
  work.launch.shared = shared;
  if (emulator_is_enabled ())
    work.launch.params = emulator_copy_args (function, args,
        &work.launch.params_size);
  return work;
}

StubWork *
stub_copy_work (const StubWork * work)
{
  StubWork *copy = g_memdup2 (work, sizeof (*work));

  copy->launch.params = g_memdup2 (work->launch.params,
      work->launch.params_size);
  return copy;
}

void
stub_free_work (StubWork * work)
{
  g_free (work->launch.params);
  g_free (work);
}

void
stub_run_work (const StubWork * work, const gchar * caller)
{
  switch (work->kind) {
    case STUB_KERNEL:
      if (emulator_is_enabled ())
        emulator_run (&work->launch);
      break;
    case STUB_COPY:
      stub_copy (work->to, work->to_pitch, work->from, work->from_pitch,
          work->width, work->height, caller);
      break;
    case STUB_SET:
      stub_set (work->to, work->value, work->width, caller);
  }
}

void
stub_queue_work (cudaStream_t stream, StubWork work, const gchar * caller)
{
  if (!stub_capture_work (stream, &work))
    stub_run_work (&work, caller);
  g_free (work.launch.params);
}
