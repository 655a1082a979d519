/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_OFFICE_H
#define LINE_OFFICE_H

#include "journal.h"
#include "mailbox.h"
#include "pictures.h"
#include "plc.h"
#include "report.h"
#include "station.h"
#include "writer.h"

G_BEGIN_DECLS

/**
 * LineOffice:
 *
 * The thread that decides the pieces of all lanes, each at its desk. It waits
 * for nothing but events and deadlines: lines go to the writer, pictures to
 * their painter.
 */
typedef struct _LineOffice LineOffice;

/**
 * LineOfficeParts:
 * @config: the line
 * @recipe: what it starts with
 * @mailbox: of the stations' events
 * @writer: has the file @decisions, and the files @events of all lanes, or none
 * @stations: one for each lane: simulated ones know the truth
 * @report: what happens is counted here
 * @pictures: NULL for none
 * @plc: NULL for none
 * @run: of the line
 *
 * What an office works with. All of it outlives the office.
 */
typedef struct
{
  const LineConfig *config;
  LineRecipe *recipe;
  LineMailbox *mailbox;
  LineWriter *writer;
  gint decisions;
  const gint *events;
  LineStation *const *stations;
  LineReport *report;
  LinePictures *pictures;
  LinePlc *plc;
  LineRun run;
} LineOfficeParts;

/* Starts the thread. */
LineOffice *line_office_new (const LineOfficeParts * parts, GError ** error);

/* Waits until a LINE_EVENT_FINISH of each lane has been handled. */
void line_office_join (LineOffice * office);
/* After that. */
void line_office_free (LineOffice * office);

/* A number that changes twice a second at least, unless the thread hangs. */
guint line_office_get_pulse (LineOffice * office);

/* Brings the report's counts of what was written up to date. From any
 * thread. */
void line_office_report (LineOffice * office);

G_END_DECLS

#endif /* LINE_OFFICE_H */
