/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "web_command.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <jansson.h>

typedef struct
{
  guint64 ticket;
  LineWebAnswer answer;
} Answer;

struct _LineWebCommands
{
  LineCommander *commander;
  const LineTokens *tokens;
  GAsyncQueue *answers;
  int fd;
};

static void
free_answer (gpointer data)
{
  Answer *answer = data;

  line_web_answer_clear (&answer->answer);
  g_free (answer);
}

LineWebCommands *
line_web_commands_new (LineCommander * commander, const LineTokens * tokens,
    GError ** error)
{
  const int fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);

  if (fd < 0) {
    line_fail (error, LINE_ERROR_RUN, "commands over HTTP: %s",
        g_strerror (errno));
    return NULL;
  }
  LineWebCommands *commands = g_new0 (LineWebCommands, 1);
  commands->commander = commander;
  commands->tokens = tokens;
  commands->answers = g_async_queue_new_full (free_answer);
  commands->fd = fd;
  return commands;
}

void
line_web_commands_free (LineWebCommands * commands)
{
  g_async_queue_unref (commands->answers);
  close (commands->fd);
  g_free (commands);
}

int
line_web_commands_get_fd (const LineWebCommands * commands)
{
  return commands->fd;
}

gboolean
line_web_commands_check (const LineWebCommands * commands,
    const LineWebRequest * request, gboolean is_own, const char **who,
    LineWebAnswer * refusal)
{
  *who = commands->tokens && request->token ?
      line_tokens_find (commands->tokens, request->token) : NULL;
  if (!commands->tokens)
    *refusal = line_web_answer_refuse ("403 Forbidden", "No command is taken "
        "over HTTP: name a file of tokens as token-file= in [line] of the "
        "configuration.\n");
  else if (!is_own)
    *refusal = line_web_answer_refuse ("403 Forbidden",
        "Another page's script has sent this.\n");
  else if (!*who)
    *refusal = line_web_answer_refuse ("401 Unauthorized", "A command needs "
        "the header \"Authorization: Bearer TOKEN\".\n");
  else if (!request->is_json)
    *refusal = line_web_answer_refuse ("415 Unsupported Media Type",
        "A command is sent as \"Content-Type: application/json\".\n");
  else if (request->length < 0)
    *refusal = line_web_answer_refuse ("411 Length Required", NULL);
  else if (request->length > LINE_COMMAND_LONGEST)
    *refusal = line_web_answer_refuse ("413 Content Too Large", NULL);
  else
    return TRUE;
  if (g_str_has_prefix (refusal->status, "401"))
    refusal->more = "WWW-Authenticate: Bearer\r\n";
  return FALSE;
}

/* In the commander's thread */
static void
answered (guint64 id, const char *why, const char *in_force, gpointer user,
    guint64 ticket)
{
  LineWebCommands *commands = user;
  const guint64 one = 1;
  json_auto_t *reason = why ? json_string (why) : json_null ();
  char *text = json_dumps (reason, JSON_ENCODE_ANY);
  Answer *answer = g_new (Answer, 1);

  answer->ticket = ticket;
  answer->answer = line_web_answer_json (why ? "409 Conflict" : "200 OK",
      g_strdup_printf ("{\"id\":%" G_GUINT64_FORMAT ",\"answer\":\"%s\","
          "\"why\":%s,\"in_force\":%s}\n", id, why ? "refused" : "done",
          text ? text : "null", in_force));
  free (text);
  g_async_queue_push (commands->answers, answer);
  (void) !write (commands->fd, &one, sizeof (one));
}

gboolean
line_web_commands_ask (LineWebCommands * commands, const char *who,
    const char *text, gsize size, guint64 ticket, LineWebAnswer * refusal)
{
  if (line_commander_ask_text (commands->commander, who, text, size, answered,
          commands, ticket))
    return TRUE;
  *refusal = line_web_answer_refuse ("503 Service Unavailable",
      "Too many commands wait: this one is not carried out.\n");
  return FALSE;
}

gboolean
line_web_commands_take (LineWebCommands * commands, guint64 * ticket,
    LineWebAnswer * answer)
{
  guint64 n;

  (void) !read (commands->fd, &n, sizeof (n));
  Answer *next = g_async_queue_try_pop (commands->answers);
  if (!next)
    return FALSE;
  *ticket = next->ticket;
  *answer = next->answer;
  g_free (next);
  return TRUE;
}

LineWebAnswer
line_web_commands_put_off (void)
{
  return line_web_answer_refuse ("202 Accepted", "The command is being carried "
      "out: GET /commands says what became of it.\n");
}
