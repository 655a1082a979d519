/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "work.h"

#include "objects.h"

MockWork
mock_kernel_work (const void *function, dim3 grid, dim3 block, void **args,
    gsize shared)
{
  MockWork work = { MOCK_KERNEL };

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

MockWork *
mock_copy_work (const MockWork * work)
{
  MockWork *copy = g_memdup2 (work, sizeof (*work));

  copy->launch.params = g_memdup2 (work->launch.params,
      work->launch.params_size);
  return copy;
}

void
mock_free_work (MockWork * work)
{
  g_free (work->launch.params);
  g_free (work);
}

void
mock_run_work (const MockWork * work, const gchar * caller)
{
  switch (work->kind) {
    case MOCK_KERNEL:
      if (emulator_is_enabled ())
        emulator_run (&work->launch);
      break;
    case MOCK_COPY:
      mock_copy (work->to, work->to_pitch, work->from, work->from_pitch,
          work->width, work->height, caller);
      break;
    case MOCK_SET:
      mock_set (work->to, work->value, work->width, caller);
  }
}

void
mock_queue_work (cudaStream_t stream, MockWork work, const gchar * caller)
{
  if (!mock_capture_work (stream, &work))
    mock_run_work (&work, caller);
  g_free (work.launch.params);
}
