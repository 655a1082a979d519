/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages about what a kernel does wrong */

#include "machine.h"

#include <stdlib.h>

void
fail_at (const Warp * warp, const Instruction * i, guint lane,
    const gchar * format, ...)
{
  const EmulatorSize *size = &warp->run->launch->block;
  const guint *block = warp->block->index;
  const guint thread = warp->index * LANES + lane;
  va_list args;

  va_start (args, format);
  gchar *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_printerr ("emulator: %s\n  in kernel %s\n  by thread (%u, %u, %u) of "
      "block (%u, %u, %u)\n  instruction %u: %s\n", text,
      warp->run->kernel->name, thread % size->x, thread / size->x % size->y,
      thread / (size->x * size->y), block[0], block[1], block[2],
      (guint) (i - warp->run->kernel->code), i->text);
  abort ();
}

static const gchar *const states[] = {
  "could run", "wait for other lanes", "wait at a barrier",
};

static void
report_warp (const Warp * warp)
{
  const Instruction *code = warp->run->kernel->code;
  const guint *block = warp->block->index;

  if (warp->active)
    g_printerr ("  block (%u, %u, %u) warp %u: lanes %08x run at %u: %s\n",
        block[0], block[1], block[2], warp->index, warp->active, warp->pc,
        code[warp->pc].text);
  for (guint k = 0; k < warp->n_fragments; k++) {
    const Fragment *f = &warp->fragments[k];
    /* at a barrier they wait behind it */
    const guint pc = f->state == WAITS_FOR_BLOCK ? f->pc - 1 : f->pc;

    g_printerr ("  block (%u, %u, %u) warp %u: lanes %08x %s at %u: %s\n",
        block[0], block[1], block[2], warp->index, f->lanes,
        states[f->state], pc, code[pc].text);
  }
}

#define MAX_REPORTED 100

void
report_warps (const Run * run)
{
  guint b, w, n = 0;

  g_printerr ("emulator: in kernel %s\n", run->kernel->name);
  for (b = 0; b < run->n_blocks; b++)
    for (w = 0; w < run->blocks[b].n_warps; w++)
      if (run->blocks[b].warps[w].live && n++ < MAX_REPORTED)
        report_warp (&run->blocks[b].warps[w]);
}
