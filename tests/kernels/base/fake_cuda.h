/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* In place of the CUDA runtime, for a test of what queues copies: a thread does
 * them one after another, some late, so that one who does not wait for them is
 * found out. Also has the functions of ../lib/check_device.h. */

#include <glib.h>

G_BEGIN_DECLS

/* The call after the next @n fails, one time; -1: none does. Those that wait
 * and those that free do not fail. */
void fake_cuda_fail_after (gint n);

/* Whether a call has failed since then. */
gboolean fake_cuda_has_failed (void);

/* Whether page-locked memory can be had. */
void fake_cuda_set_pinned (gboolean works);

/* What the device answers for the attribute, and whether it can read pageable
 * memory. */
void fake_cuda_set_integrated (gboolean integrated, gboolean pageable);

/* Copies that have not been done, events and blocks of page-locked memory that
 * there are. */
guint fake_cuda_count_queued (void);
guint fake_cuda_count_events (void);
guint fake_cuda_count_pinned (void);

/* Copies from or to pageable memory that were queued so far. */
guint fake_cuda_count_pageable (void);

G_END_DECLS
