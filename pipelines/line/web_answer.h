/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publish/folder.h"
#include "report.h"

/* What the page is made of. @output: the run's folder. @publisher: path of
 * publisher.json, which may be missing; NULL for none */
typedef struct
{
  LineReport *report;
  const LineFolder *output;
  char *publisher;
} LineWebSources;

/* @body: of @size bytes; NULL if they are those of the file @fd */
typedef struct
{
  const char *status, *type;
  char *body;
  guint64 size;
  int fd;
} LineWebAnswer;

/* What is at @path. */
LineWebAnswer line_web_answer (const LineWebSources * sources,
    const char *path);

/* @status: "404 Not Found". @why: for a person; may be NULL */
LineWebAnswer line_web_answer_refuse (const char *status, const char *why);

void line_web_answer_clear (LineWebAnswer * answer);

/* What is sent before the body, to be freed. */
char *line_web_answer_get_head (const LineWebAnswer * answer);
