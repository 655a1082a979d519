/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plc_command.h"

#include <string.h>

/* The lane's word for all of them */
#define ALL 65535

/* Readings in succession that are none, after which it is told */
#define WRONG 4

enum
{
  COUNTER,
  RECIPE,
  LANE,
  HAS_FROM,
  FROM,
  SUM = 6,
};

/* @words: of the last command that was taken; the counter is 0 without one
 * @is_old: the command is that of an earlier run
 * @has_written: the PLC has its answer */
struct _LinePlcCommands
{
  const LineConfig *config;
  const LineRun *run;
  guint16 words[LINE_PLC_COMMAND];
  LinePlcVerdict verdict;
  gboolean is_old, has_written;
  guint n_wrong;
};

static guint16
add_up (const guint16 * values, guint n)
{
  guint16 sum = 0;

  for (guint i = 0; i < n; i++)
    sum += values[i];
  return sum;
}

LinePlcCommands *
line_plc_commands_new (const LineConfig * config, const LineRun * run,
    const json_t * last)
{
  LinePlcCommands *commands = g_new0 (LinePlcCommands, 1);
  const json_t *words = json_object_get (last, "words");
  const json_int_t verdict =
      json_integer_value (json_object_get (last, "answer"));

  commands->config = config;
  commands->run = run;
  commands->is_old = TRUE;
  if (json_array_size (words) != LINE_PLC_COMMAND
      || verdict < LINE_PLC_VERDICT_DONE || verdict > LINE_PLC_VERDICT_BUSY)
    return commands;
  commands->verdict = (LinePlcVerdict) verdict;
  for (guint i = 0; i < LINE_PLC_COMMAND; i++)
    commands->words[i] =
        (guint16) json_integer_value (json_array_get (words, i));
  return commands;
}

void
line_plc_commands_free (LinePlcCommands * commands)
{
  g_free (commands);
}

void
line_plc_command_note (json_t * in_force, const LineCommand * command,
    gboolean is_done)
{
  json_t *words = json_array ();

  for (guint i = 0; i < LINE_PLC_COMMAND; i++)
    json_array_append_new (words, json_integer (command->words[i]));
  json_object_set_new (in_force, "plc", json_pack ("{s:o,s:i}", "words", words,
          "answer", is_done ? LINE_PLC_VERDICT_DONE :
          LINE_PLC_VERDICT_REFUSED));
}

/* A command */

static const char *
find_recipe (const LinePlcConfig * plc, guint number)
{
  for (guint i = 0; i < plc->recipes->len; i++) {
    const LinePlcRecipe *recipe =
        &g_array_index (plc->recipes, LinePlcRecipe, i);

    if (recipe->number == number)
      return recipe->name;
  }
  return NULL;
}

static void
find_pieces (const LinePlcCommands * commands, const LinePlcRings * rings,
    LineCommand * command)
{
  const guint n = commands->config->lanes->len;
  const guint16 *words = commands->words;
  const guint32 number = words[FROM] | (guint32) words[FROM + 1] << 16;

  guint64 *pieces = g_new0 (guint64, n);

  command->froms = (gint64 *) pieces;
  for (guint i = 0; i < n; i++)
    if ((words[LANE] == ALL || words[LANE] == i) && !command->wrong
        && line_plc_rings_find_piece (rings, i, commands->run->first, number,
            &pieces[i]) == LINE_PLC_UNREAD)
      command->wrong = g_strdup_printf ("which piece of lane %s the PLC counts "
          "as %u is not known: it and the line are not in step", g_array_index
          (commands->config->lanes, LineLaneConfig, i).name, number);
}

static LineCommand *
make_command (const LinePlcCommands * commands, const LinePlcRings * rings)
{
  const GArray *lanes = commands->config->lanes;
  const guint16 *words = commands->words;
  const char *recipe = find_recipe (&commands->config->plc, words[RECIPE]);
  LineCommand *command = line_command_new_reload ();

  memcpy (command->words, words, sizeof (command->words));
  command->recipe = g_strdup (recipe);
  if (words[RECIPE] != 0)
    command->kind = LINE_COMMAND_RECIPE;
  if (words[LANE] < lanes->len)
    command->lane =
        g_strdup (g_array_index (lanes, LineLaneConfig, words[LANE]).name);
  if (words[RECIPE] != 0 && !recipe)
    command->wrong = g_strdup_printf ("\"recipes\" of [plc] has no number %u",
        words[RECIPE]);
  else if (words[LANE] != ALL && words[LANE] >= lanes->len)
    command->wrong = g_strdup_printf ("there is no lane %u: lanes are 0 to %u, "
        "or %d, all", words[LANE], lanes->len - 1, ALL);
  else if (words[HAS_FROM] > 1)
    command->wrong = g_strdup_printf ("the fourth register is 0, at once, or 1, "
        "from a piece on, not %u", words[HAS_FROM]);
  else if (words[HAS_FROM] == 1)
    find_pieces (commands, rings, command);
  return command;
}

/* Readings */

/* An answer that is right, of the command itself; NONE else */
static LinePlcVerdict
read_verdict (const guint16 * values)
{
  const guint16 *answer = values + LINE_PLC_COMMAND;
  const gboolean is_right = answer[0] == values[COUNTER]
      && answer[2] == (guint16) (answer[0] + answer[1])
      && answer[1] <= LINE_PLC_VERDICT_BUSY;

  return is_right ? (LinePlcVerdict) answer[1] : LINE_PLC_VERDICT_NONE;
}

/* The first command of a run may be one that another run has answered. */
static gboolean
was_answered (LinePlcCommands * commands, const guint16 * values)
{
  const LinePlcVerdict verdict = read_verdict (values);

  if (memcmp (commands->words, values, sizeof (commands->words)) == 0)
    return TRUE;
  if (verdict == LINE_PLC_VERDICT_NONE)
    return FALSE;
  memcpy (commands->words, values, sizeof (commands->words));
  commands->verdict = verdict;
  return TRUE;
}

LineCommand *
line_plc_commands_see (LinePlcCommands * commands, const guint16 * values,
    const LinePlcRings * rings, char **message)
{
  const guint first = commands->config->plc.command;

  *message = NULL;
  if (values[COUNTER] != 0 && values[SUM] != add_up (values, SUM)) {
    if (++commands->n_wrong == WRONG)
      *message = g_strdup_printf ("registers %u to %u are no command: the last "
          "one is not the sum of those before; nothing changes\n", first,
          first + LINE_PLC_COMMAND - 1);
    return NULL;
  }
  commands->n_wrong = 0;
  if (values[COUNTER] == 0) {
    commands->words[COUNTER] = 0;
    commands->is_old = FALSE;
    return NULL;
  }
  const gboolean is_known = commands->is_old ? was_answered (commands, values) :
      values[COUNTER] == commands->words[COUNTER];
  commands->is_old = FALSE;
  if (is_known) {
    commands->has_written = read_verdict (values) == commands->verdict;
    return NULL;
  }
  memcpy (commands->words, values, sizeof (commands->words));
  commands->verdict = LINE_PLC_VERDICT_NONE;
  commands->has_written = FALSE;
  return make_command (commands, rings);
}

void
line_plc_commands_answer (LinePlcCommands * commands, guint counter,
    LinePlcVerdict verdict)
{
  if (commands->words[COUNTER] != counter)
    return;
  commands->verdict = verdict;
  commands->has_written = FALSE;
}

gboolean
line_plc_commands_get_answer (const LinePlcCommands * commands,
    guint16 values[LINE_PLC_VERDICT])
{
  values[0] = commands->words[COUNTER];
  values[1] = (guint16) commands->verdict;
  values[2] = (guint16) (values[0] + values[1]);
  return !commands->is_old && values[0] != 0
      && commands->verdict != LINE_PLC_VERDICT_NONE && !commands->has_written;
}

void
line_plc_commands_wrote (LinePlcCommands * commands)
{
  commands->has_written = TRUE;
}
