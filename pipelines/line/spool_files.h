/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publish/reader.h"
#include "spool.h"
#include "spool_runs.h"

/* A longer line, in bytes, is no decision. */
#define LINE_SPOOL_LONGEST (1 << 20)

/* The decisions of all runs in an output folder. */
extern const LineSpoolClass line_spool_decisions;

/* Order in time. */
int line_spool_compare (const LineSpoolPosition * a,
    const LineSpoolPosition * b);
