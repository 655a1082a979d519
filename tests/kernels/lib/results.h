/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Results of plans that give polygons, and the memory they are in. */

#include "contours/contours.h"

G_BEGIN_DECLS

/**
 * Result:
 * @output: as the plan gave it
 * @block, @device_block: its memory, of @block_size and @device_size bytes;
 *     %NULL if it is not there
 */
typedef struct
{
  CsContoursOutput output;
  gpointer block, device_block;
  gsize block_size, device_size;
  gboolean is_pinned;
} Result;

/* On CUDA, memory of the GPU and page-locked memory. */
void result_init (Result * result, gboolean on_cuda);
void result_clear (Result * result);

/* Of the same bits. */
gboolean result_equals (const Result * a, const Result * b);

G_END_DECLS
