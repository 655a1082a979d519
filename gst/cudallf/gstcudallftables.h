/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "llf/llf.h"

/**
 * LlfTables:
 *
 * Has tables of the process's cache (llf/llf_cache.h), and what is not there
 * computed on a separate thread. Only the latest request is served; requests
 * not started yet are replaced. Used by one thread at a time.
 */
typedef struct _LlfTables LlfTables;

LlfTables *llf_tables_new (void);
/* Waits for a table that is being computed. */
void llf_tables_free (LlfTables * tables);

/* Requests the table of @params. Does not block; a table that is in the cache
 * is ready at once. */
void llf_tables_request (LlfTables * tables, const CsLlfParams * params);

/* Takes a table that is ready.
 *
 * @wait: wait for the latest request
 * Returns: (transfer full) (nullable): %NULL without @error set if there is no
 *     new one; with @error if it could not be computed */
CsLlfTable *llf_tables_take (LlfTables * tables, gboolean wait,
    GError ** error);
