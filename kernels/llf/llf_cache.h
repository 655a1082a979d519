/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * Tables of the process: one that has been computed is used again, by every
 * plan, for every size. At most %CS_LLF_MAX_KEPT are kept; of more, those not
 * used for longest are given up. Tables of the presets are made with the build
 * and only copied. Thread-safe; all tables have the bits of cs_llf_table_new().
 */

#include "llf.h"

G_BEGIN_DECLS

/* About 100 to 300 KB each. */
#define CS_LLF_MAX_KEPT 32

/* A table that takes no time: kept, made with the build, or the identity.
 *
 * Returns: (transfer full) (nullable): %NULL if it would have to be computed */
CsLlfTable *cs_llf_cache_find (const CsLlfParams * params);

/* Likewise, or computes it. If another thread is computing it, waits for that.
 * Fails as cs_llf_table_new(). */
CsLlfTable *cs_llf_cache_get (const CsLlfParams * params, GError ** error);

/* How many tables have been computed so far in this process. */
guint cs_llf_cache_get_n_computed (void);

G_END_DECLS
