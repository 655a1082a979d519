/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publish/folder.h"
#include "commander.h"
#include "report.h"
#include "trends.h"

/* What the page is made of. @output: the run's folder. @shared: that of all runs,
 * with the log of commands and the lots. @recipes: (nullable): path of the folder
 * of recipes. @alarms, @trends: (nullable). @publisher: path of publisher.json, which may be missing; NULL for
 * none */
typedef struct
{
  LineReport *report;
  LineCommander *commander;
  LineAlarms *alarms;
  LineTrends *trends;
  const LineFolder *output, *shared;
  char *recipes, *publisher;
} LineWebSources;

/* @body: of @size bytes; NULL if they are those of the file @fd
 * @more: (nullable): headers, with their ends
 * @policy: (nullable): what it may load, of a Content-Security-Policy; NULL: what
 * the page may */
typedef struct
{
  const char *status, *type, *more;
  char *body;
  guint64 size;
  int fd;
  const char *policy;
} LineWebAnswer;

/* What is at @path. */
LineWebAnswer line_web_answer (const LineWebSources * sources,
    const char *path);

/* JSON. @text: taken */
LineWebAnswer line_web_answer_json (const char *status, char *text);

/* @status: "404 Not Found". @why: for a person; may be NULL */
LineWebAnswer line_web_answer_refuse (const char *status, const char *why);

void line_web_answer_clear (LineWebAnswer * answer);

/* What is sent before the body, to be freed. */
char *line_web_answer_get_head (const LineWebAnswer * answer);
