/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <jansson.h>

#include "commander.h"
#include "world.h"

/* People who give the line commands, right and wrong, and know what has to come
 * of them: which recipe and which lot each piece is of, and what a lot's report
 * says in the end. */

/**
 * OfficeCounts:
 *
 * What a world has seen: commands that were done, that were refused, and that
 * nobody has answered; reports of lots that were compared.
 */
typedef struct
{
  guint64 done, refused, unanswered, lots;
} OfficeCounts;

/* Recipes by name: "r4" has its outlets in the forties */
#define OFFICE_FIRST_RECIPE 4
#define OFFICE_RECIPES 3

/* @folder: of all runs. @mean: microseconds between two commands; 0: there is
 * nobody in the office */
void office_begin (const char *folder, gint64 mean);
void office_end (void);
gboolean office_is_manned (void);

/* From then on. For world_at() */
void office_start (gpointer data);
/* No more commands, but for reloads. */
void office_stop (void);

/* The configuration's recipe is to be read again; asked for until the line says
 * that it is done, or why not. */
void office_reload (void);

/* The line has answered a command by the PLC. */
void office_answer (gboolean is_done);

/* Before a run of the line */
void office_begin_run (void);

/* The line's page is there, and goes. In the line's fibers */
void office_open (LineCommander * commander);
void office_close (void);
/* It was killed. */
void office_lose_line (void);

/* A decision of piece @number; @base: of its recipe's outlets, in tens */
void office_check_decision (guint64 number, guint base,
    const json_t * decision);

/* A run has ended in good order, and has left @folder. */
void office_check_run (const char *folder);

/* In the end. */
void office_check_reports (void);

OfficeCounts office_get_counts (void);
