/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../lib/device.h"

G_BEGIN_DECLS

/* Prints what runs take; on @device too, if it is open. */
int labels_bench (const Device * device);

G_END_DECLS
