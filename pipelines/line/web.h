/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_WEB_H
#define LINE_WEB_H

#include "report.h"

G_BEGIN_DECLS

/**
 * LineWeb:
 *
 * A page about a run, for people, and what it is made of, for programs: GET of
 * /, /report.json, /metrics (Prometheus), /pictures.json and /pictures/NNN.jpg.
 * It changes nothing. Threads of its own answer, so that nobody of the line waits
 * for a client: eight are answered at a time, 56 wait, others are turned away. A
 * client has two seconds for its request and ten to take the answer.
 */
typedef struct _LineWeb LineWeb;

/* @publisher: path of publisher.json, which may be missing; NULL for none.
 * @address: that it listens at, "127.0.0.1" or "0.0.0.0" for all. @port: 0 for
 * any. @pictures: folder of the run's pictures. Accepts in the thread-default
 * main context. */
LineWeb *line_web_new (const char *address, guint port, LineReport * report,
    const char *pictures, const char *publisher, GError ** error);
/* Breaks off answers that are being given. */
void line_web_free (LineWeb * web);

guint line_web_get_port (const LineWeb * web);

G_END_DECLS

#endif /* LINE_WEB_H */
