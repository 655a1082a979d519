/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Gradients of circles: their text, and what is painted. */
void check_gradients (void);
