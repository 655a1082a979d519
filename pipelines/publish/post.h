/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>
#include <jansson.h>

#include "settings.h"

/* Bytes of a command with what it is recognised by, at most */
#define LINE_POST_LONGEST 4096

/**
 * LinePost:
 * @ref: what its sender recognises the answer by; null without one
 * @body: for the line; NULL if it is no command
 * @why: it is none
 *
 * A command that came from a broker.
 */
typedef struct
{
  json_t *ref;
  char *body;
  const char *why;
} LinePost;

/* Never fails. @text: @size bytes, any */
LinePost *line_post_new (const void *text, gsize size);
void line_post_free (LinePost * post);

/* Sends the command to the line's page on this machine, and waits for its answer.
 * @cancellable: ends that. @was_sent: (out): FALSE if the line has nothing of it, and
 * it may be sent once more. Returns: the answer to be published,
 * as text of JSON; to be freed */
char *line_post_send (const LinePost * post, const LinePublishConfig * config,
    GCancellable * cancellable, gboolean * was_sent);

/* An answer of this program's own. @answer: "refused", "busy" or "unknown" */
char *line_post_answer (const LinePost * post, const char *answer,
    const char *why);
