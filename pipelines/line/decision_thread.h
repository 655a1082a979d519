/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "journal.h"
#include "event_queue.h"
#include "lots.h"
#include "pictures.h"
#include "plc.h"
#include "report.h"
#include "station.h"
#include "writer.h"

/**
 * LineDecisionThread:
 *
 * The thread that decides the pieces of all lanes, each by its decider. It waits
 * for nothing but events and deadlines: lines go to the writer, pictures to
 * their painter.
 */
typedef struct _LineDecisionThread LineDecisionThread;

/**
 * LineDecisionParts:
 * @config: the line
 * @recipe: what it starts with
 * @queue: of the stations' events
 * @writer: has the file @decisions, and the files @events of all lanes, or none
 * @stations: one for each lane: simulated ones know the truth
 * @report: what happens is counted here
 * @pictures: NULL for none
 * @plc: NULL for none
 * @lots: pieces are counted here, too
 * @run: of the line
 *
 * What it works with. All of it outlives the thread.
 */
typedef struct
{
  const LineConfig *config;
  LineRecipe *recipe;
  LineEventQueue *queue;
  LineWriter *writer;
  gint decisions;
  const gint *events;
  LineStation *const *stations;
  LineReport *report;
  LinePictures *pictures;
  LinePlc *plc;
  LineLots *lots;
  LineRun run;
} LineDecisionParts;

/* Starts the thread. */
LineDecisionThread *line_decision_thread_new (const LineDecisionParts * parts, GError ** error);

/* Waits until a LINE_EVENT_FINISH of each lane has been handled. */
void line_decision_thread_join (LineDecisionThread * thread);
/* After that. */
void line_decision_thread_free (LineDecisionThread * thread);

/* A number that changes twice a second at least, unless the thread hangs. */
guint line_decision_thread_get_pulse (LineDecisionThread * thread);

/* Brings the report's counts of what was written up to date. From any
 * thread. */
void line_decision_thread_report (LineDecisionThread * thread);
