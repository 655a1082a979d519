/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "view.h"
#include "world.h"

/* Between a picture and its shapes: the network's process, in place of network.c,
 * whose tensors say which picture they are of, and the finder, in place of
 * finder.c, whose shapes are those that such a picture shows. */

void looks_begin (guint views, guint cups);
void looks_end (void);

/* Faults of the network, until they are ended */
typedef enum
{
  LOOKS_LATE = 1 << 0,          /* a fifth of the answers takes longer than it may */
  LOOKS_ENDS = 1 << 1,          /* its process ends now and then */
  LOOKS_NAN = 1 << 2,           /* a value of a third of the tensors is none */
  LOOKS_CONSTANT = 1 << 3,      /* a third of the tensors is the same everywhere */
  LOOKS_REPEATS = 1 << 4,       /* a third of the answers are those of before */
  LOOKS_FAILS = 1 << 5,         /* shapes cannot be found, now and then */
  LOOKS_SLOW = 1 << 6,          /* they take up to half a second */
} LooksFault;

void looks_set_faults (guint faults);
guint looks_get_faults (void);

/* The machine's pulse that shapes are of, or -1 */
gint64 looks_find_pulse (const LineView * view);

/* Whether shapes were found in a good tensor of the view's picture of it. */
gboolean looks_were_given (gint64 pulse, guint view);
