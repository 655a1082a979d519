/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../lib/device.h"

G_BEGIN_DECLS

/* Prints the table of the benchmark; the exit status. */
int properties_bench (const Device * device);

G_END_DECLS
