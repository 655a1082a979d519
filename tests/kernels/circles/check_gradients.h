/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CHECK_GRADIENTS_H
#define CHECK_GRADIENTS_H

/* Gradients of circles: their text, and what is painted. */
void check_gradients (void);

#endif /* CHECK_GRADIENTS_H */
