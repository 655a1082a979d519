/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../lib/device.h"

/* Measures 1,000 contours that enclose a tenth of 1080p, on the CPU if
 * @measure_cpu, and on @device if it is open. Prints a table. Returns: the exit
 * status */
int stats_bench (const Device * device, gboolean measure_cpu);
