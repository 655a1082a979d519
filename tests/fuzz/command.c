/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What somebody with a token may send: whatever it is, it is refused with a
 * plain reason, or is a command whose names are no paths, and which is the same
 * when it is written and read again. */

#include "command.h"

#include "fuzz.h"

static void
check_again (const LineCommand * command)
{
  json_auto_t *json = line_command_to_json (command);
  char *text = json_dumps (json, JSON_COMPACT);
  g_autoptr (GError) error = NULL;
  g_autoptr (LineCommand) again = NULL;

  FUZZ_CHECK (text != NULL, "no text");
  /* what was written shorter than it is written here may be too long now */
  if (strlen (text) <= LINE_COMMAND_LONGEST) {
    again = line_command_parse (text, strlen (text), &error);
    FUZZ_CHECK (again && again->kind == command->kind
        && again->from == command->from
        && g_strcmp0 (again->recipe, command->recipe) == 0
        && g_strcmp0 (again->lane, command->lane) == 0
        && g_strcmp0 (again->lot, command->lot) == 0
        && g_strcmp0 (again->grower, command->grower) == 0
        && g_strcmp0 (again->variety, command->variety) == 0
        && g_strcmp0 (again->bin, command->bin) == 0, "%s: %s", text,
        error ? error->message : "another one");
  }
  free (text);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  g_autofree char *text = g_memdup2 (data, MAX (size, 1));
  g_autoptr (GError) error = NULL;
  g_autoptr (LineCommand) command = line_command_parse (text, size, &error);

  FUZZ_CHECK_ERROR (command != NULL, error);
  if (error)
    fuzz_check_plain (error->message, strlen (error->message));
  if (!command)
    return 0;
  FUZZ_CHECK (command->from >= -1, "from");
  FUZZ_CHECK (!command->recipe || (!strchr (command->recipe, '/')
          && command->recipe[0] != '.'), "%s", command->recipe);
  FUZZ_CHECK (!command->lot || (!strchr (command->lot, '/')
          && command->lot[0] != '.'), "%s", command->lot);
  check_again (command);
  return 0;
}
