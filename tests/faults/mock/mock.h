/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A mock of the CUDA runtime and driver, for tests without a GPU: one device
 * that computes nothing, unless CUDASHAPES_EMULATE=1 is in the environment
 * (tests/emulator). The interface for tests/faults.
 */

#include <glib.h>

G_BEGIN_DECLS

#define MOCK_API __attribute__ ((visibility ("default")))

/* Objects that have not been destroyed. */
MOCK_API guint cuda_mock_count_live (void);
/* Objects made so far: memory, streams, events and so on. */
MOCK_API guint cuda_mock_count_made (void);
/* Objects that went with their context instead of being destroyed. */
MOCK_API guint cuda_mock_count_left (void);
/* Launches of kernels so far, those of graphs included. */
MOCK_API guint cuda_mock_count_launches (void);
/* Names of the kernels of this project, in alphabetical order: of those that
 * were launched, or of the others. Free with g_strfreev(). */
MOCK_API gchar **cuda_mock_list_kernels (gboolean launched);

G_END_DECLS
