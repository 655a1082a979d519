/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the rings of a label picture are, label by label, literally. */

#include "../lib/results.h"
#include "labels_cases.h"

G_BEGIN_DECLS

/* Expects @result to be that of @test. */
void oracle_expect (const Case * test, const Result * result);

G_END_DECLS
