/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plc_settings.h"

#include <math.h>
#include <string.h>

#include "plc_command.h"
#include "plc_registers.h"
#include "plc_ring.h"
#include "plc_weights.h"
#include "publish/names.h"

#define GROUP "plc"
#define REGISTERS 65536

static gboolean
has_group (LineIni * ini)
{
  const char *const *groups = line_ini_groups (ini);

  for (guint i = 0; groups[i]; i++)
    if (strcmp (groups[i], GROUP) == 0)
      return TRUE;
  return FALSE;
}

/* A slot is used again when the line has gone on by as many pieces. */
static void
check_times (LineIni * ini, const LinePlcConfig * plc, guint deadline_ms,
    gdouble rate)
{
  const gdouble least = floor (plc->arrival_ms * rate / 1000) + 1;

  if (plc->arrival_ms <= deadline_ms)
    line_ini_problem (ini, GROUP, "arrival-ms", "pieces arrive after %u ms, "
        "and are decided %u ms after their last trigger at the latest: a "
        "shorter \"deadline-ms\", or outlets further away", plc->arrival_ms,
        deadline_ms);
  if (plc->slots < least)
    line_ini_problem (ini, GROUP, "slots", "%u slots, at %g pieces a second, "
        "are used again before a piece arrives, after %u ms: at least %g "
        "slots, better twice as many", plc->slots, rate, plc->arrival_ms,
        least);
}

/* Registers from @from until before @to */
typedef struct
{
  const char *key;
  gint64 from, to;
} Range;

static void
check_apart (LineIni * ini, const Range * range, const Range * others, guint n)
{
  for (guint i = 0; i < n; i++)
    if (range->from >= 0 && others[i].from >= 0 && range->from < others[i].to
        && others[i].from < range->to)
      line_ini_problem (ini, GROUP, range->key, "registers %" G_GINT64_FORMAT
          " to %" G_GINT64_FORMAT " are also those of \"%s\", %"
          G_GINT64_FORMAT " to %" G_GINT64_FORMAT, range->from, range->to - 1,
          others[i].key, others[i].from, others[i].to - 1);
}

static void
check_registers (LineIni * ini, const LinePlcConfig * plc, guint lanes)
{
  const guint size = line_plc_slot_size (plc);
  const Range ranges[] = {
    {"register", plc->first, plc->first + (gint64) lanes * plc->slots * size},
    {"heartbeat", plc->heartbeat,
        plc->heartbeat + (plc->layout == 1 ? 1 : LINE_PLC_HEAD)},
    {"triggers", plc->triggers, plc->triggers + (gint64) (lanes - 1)
          * plc->step + LINE_PLC_RING_REGISTERS},
    {"command", plc->command, plc->command + LINE_PLC_COMMAND_REGISTERS},
    {"weights", plc->weights, plc->weights + line_plc_weights_get_size (plc)}
  };

  if (ranges[0].to > REGISTERS)
    line_ini_problem (ini, GROUP, "register", "%u lanes of %u slots of %u "
        "registers from %u on go beyond register %d: fewer slots, or a lower "
        "\"register\"", lanes, plc->slots, size, plc->first, REGISTERS - 1);
  for (guint i = 1; i < G_N_ELEMENTS (ranges); i++) {
    if (ranges[i].to > REGISTERS)
      line_ini_problem (ini, GROUP, ranges[i].key, "registers %"
          G_GINT64_FORMAT " to %" G_GINT64_FORMAT " go beyond register %d",
          ranges[i].from, ranges[i].to - 1, REGISTERS - 1);
    check_apart (ini, &ranges[i], ranges, i);
  }
}

static void
read_triggers (LineIni * ini, LinePlcConfig * plc)
{
  if (!line_ini_has (ini, GROUP, "triggers"))
    return;
  plc->triggers =
      line_ini_integer (ini, GROUP, "triggers", 0, REGISTERS - 1, -1);
  if (plc->layout == 1)
    line_ini_problem (ini, GROUP, "triggers", "layout=1 has no room for what a "
        "PLC notes of its triggers: layout=2");
  if (line_ini_has (ini, GROUP, "triggers-delay-ms"))
    plc->delay =
        line_ini_number (ini, GROUP, "triggers-delay-ms", -1000, 1000, 0);
  if (!line_ini_has (ini, GROUP, "triggers-step"))
    return;
  plc->step =
      line_ini_integer (ini, GROUP, "triggers-step", 0, REGISTERS - 1, 0);
  if (plc->step > 0 && plc->step < LINE_PLC_RING_REGISTERS)
    line_ini_problem (ini, GROUP, "triggers-step", "a lane's triggers take %d "
        "registers: 0, if all lanes have the same, or %d at least",
        LINE_PLC_RING_REGISTERS, LINE_PLC_RING_REGISTERS);
}

/* "NUMBER:NAME", of a recipe that no other number has */
static void
read_recipe (LineIni * ini, LinePlcConfig * plc, const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, ":", 2);
  guint64 number;

  if (words[0] && words[1] && g_ascii_string_to_unsigned (g_strstrip (words[0]),
          10, 1, 65535, &number, NULL)
      && line_name_is_file (g_strstrip (words[1]))) {
    const LinePlcRecipe recipe = { number, g_strdup (words[1]) };

    for (guint i = 0; i < plc->recipes->len; i++)
      if (g_array_index (plc->recipes, LinePlcRecipe, i).number == number)
        line_ini_problem (ini, GROUP, "recipes", "number %u is there twice",
            recipe.number);
    g_array_append_val (plc->recipes, recipe);
  } else {
    line_ini_problem (ini, GROUP, "recipes", "\"%s\" is no NUMBER:NAME: a "
        "number is 1 to 65535, a name that of a recipe", text);
  }
}

static void
clear_recipe (gpointer data)
{
  g_free (((LinePlcRecipe *) data)->name);
}

static void
read_command (LineIni * ini, LinePlcConfig * plc)
{
  g_auto (GStrv) recipes = line_ini_list (ini, GROUP, "recipes");

  plc->recipes = g_array_new (FALSE, FALSE, sizeof (LinePlcRecipe));
  g_array_set_clear_func (plc->recipes, clear_recipe);
  for (guint i = 0; recipes[i]; i++)
    read_recipe (ini, plc, recipes[i]);
  if (line_ini_has (ini, GROUP, "command"))
    plc->command =
        line_ini_integer (ini, GROUP, "command", 0, REGISTERS - 1, -1);
  else if (recipes[0])
    line_ini_problem (ini, GROUP, "recipes", "\"recipes\" needs \"command\": "
        "the register that the PLC asks for them in");
  if (recipes[0] && !line_ini_has (ini, "line", "recipes"))
    line_ini_problem (ini, GROUP, "recipes", "\"recipes\" needs "
        "recipes=FOLDER in [line], which has them");
}

/* They are read twice before they are overwritten, whatever an answer takes. */
static void
read_weights (LineIni * ini, LinePlcConfig * plc, gdouble rate)
{
  plc->most_g = 5000;
  plc->n_weights = 16;
  if (!line_ini_has (ini, GROUP, "weights"))
    return;
  plc->weights = line_ini_integer (ini, GROUP, "weights", 0, REGISTERS - 1, -1);
  if (line_ini_has (ini, GROUP, "weights-slots"))
    plc->n_weights = line_ini_integer (ini, GROUP, "weights-slots", 2,
        LINE_PLC_MOST_WEIGHTS, 16);
  if (line_ini_has (ini, GROUP, "weights-most-g"))
    plc->most_g = line_ini_integer (ini, GROUP, "weights-most-g", 1, 6553, 5000);
  const gdouble ms = 1000 * plc->n_weights / (plc->lanes * rate);
  if (ms < 2 * plc->timeout_ms)
    line_ini_problem (ini, GROUP, "weights", "%u weights, at %g pieces a "
        "second in %u lanes, are overwritten after %.0f ms, and two answers may "
        "take %u ms: more \"weights-slots\", at most %d, or a shorter "
        "\"timeout-ms\"", plc->n_weights, rate, plc->lanes, ms,
        2 * plc->timeout_ms, LINE_PLC_MOST_WEIGHTS);
}

void
line_plc_settings_read (LineIni * ini, guint lanes, guint deadline_ms,
    gdouble rate, LinePlcConfig * plc)
{
  *plc = (LinePlcConfig) {.heartbeat = -1,.triggers = -1,.command = -1,
    .weights = -1,.delay = NAN
  };
  if (!has_group (ini))
    return;
  plc->address = line_ini_string (ini, GROUP, "address", NULL);
  if (*plc->address && !line_name_is_host (plc->address))
    line_ini_problem (ini, GROUP, "address", LINE_HOST_RULE, "address");
  plc->port = line_ini_integer (ini, GROUP, "port", 1, 65535, 502);
  plc->unit = line_ini_integer (ini, GROUP, "unit", 0, 255, 1);
  if (plc->unit > 247 && plc->unit < 255)
    line_ini_problem (ini, GROUP, "unit", "\"unit\" is 0 to 247, or 255");
  plc->layout = line_ini_integer (ini, GROUP, "layout", 1, 2, 2);
  plc->lanes = lanes;
  plc->first = line_ini_integer (ini, GROUP, "register", 0, REGISTERS - 1, -1);
  plc->slots = line_ini_integer (ini, GROUP, "slots", 1, 4096, 16);
  plc->arrival_ms = line_ini_integer (ini, GROUP, "arrival-ms", 1, 600000, -1);
  plc->timeout_ms = line_ini_integer (ini, GROUP, "timeout-ms", 1, 10000, 100);
  if (line_ini_has (ini, GROUP, "heartbeat"))
    plc->heartbeat =
        line_ini_integer (ini, GROUP, "heartbeat", 0, REGISTERS - 1, -1);
  read_triggers (ini, plc);
  read_command (ini, plc);
  read_weights (ini, plc, rate);
  if (line_ini_has (ini, GROUP, "arrival-ms"))
    check_times (ini, plc, deadline_ms, rate);
  check_registers (ini, plc, lanes);
}

void
line_plc_settings_clear (LinePlcConfig * plc)
{
  g_clear_pointer (&plc->address, g_free);
  g_clear_pointer (&plc->recipes, g_array_unref);
}
