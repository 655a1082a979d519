/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Copies of base/cuda_copy.h, on whatever has the functions of
 * ../lib/check_device.h. */

#include <glib.h>

#include "base/cuda_copy.h"

G_BEGIN_DECLS

/**
 * Shape:
 * @row_size, @rows: what is copied
 * @host_stride, @device_stride: of the two sides
 * @host_offset, @device_offset: from an aligned address
 * @pinned: whether the host's memory is page-locked
 */
typedef struct
{
  gsize row_size, rows, host_stride, device_stride;
  gsize host_offset, device_offset;
  gboolean pinned;
} Shape;

/* Each to the GPU and back again, compared byte for byte, also what is between
 * the rows, before and behind; and with what was copied before. */
void check_copy (CsCudaCopier * copier, const Shape * shape, void *stream);

/* Any sizes, strides and offsets, with various numbers of threads and sizes of
 * chunks. */
void check_copies (void *stream, guint n_cases, gsize max_size);

/* Several parts by one copy: one is told of when it is queued. */
void check_parts (void *stream);

/* Frames as cameras and decoders give them, as it is done by itself. */
void check_frames (void *stream);

/* On a GPU that is said to share the host's memory: what it reads there. */
void check_reached (void);

/* All helpers have other work, for longer than the copy takes. */
void check_busy (void *stream);

G_END_DECLS
