/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "world.h"

/* What may be in force, by what was asked for and what was answered: a set of
 * possibilities, as nobody knows what has become of a command that was not
 * answered. There is one command at a time. */

typedef enum
{
  EXPECTED_RECIPE,
  EXPECTED_LOT,
  EXPECTED_PLACES
} ExpectedPlace;

void expected_begin (void);
void expected_end (void);

/* From piece @from on there is to be @value at @place; -1: at once. What is known
 * is that pieces before @next are decided. */
void expected_ask (ExpectedPlace place, guint value, gint64 from,
    guint64 next);
/* @next: as above */
void expected_answer (gboolean is_done, guint64 next);
/* Whether something was asked for and may still be on its way to the pieces */
gboolean expected_is_open (void);

/* Another run begins, with pieces of greater numbers than before. */
void expected_begin_run (void);

/* Whether @value may be at @place for piece @number, the next one. What cannot be
 * is not expected any more. */
gboolean expected_check (ExpectedPlace place, guint value, guint64 number);

/* Whether there may be @value, or may come to be */
gboolean expected_is_possible (ExpectedPlace place, guint value);
