/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plc_settings.h"

#include <math.h>
#include <string.h>

#include "names.h"
#include "plc_registers.h"

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

static void
check_registers (LineIni * ini, const LinePlcConfig * plc, guint lanes)
{
  const gint end = plc->first + lanes * plc->slots * LINE_PLC_REGISTERS;

  if (end > REGISTERS)
    line_ini_problem (ini, GROUP, "register", "%u lanes of %u slots of %d "
        "registers from %u on go beyond register %d: fewer slots, or a lower "
        "\"register\"", lanes, plc->slots, LINE_PLC_REGISTERS, plc->first,
        REGISTERS - 1);
  if (plc->heartbeat >= (gint) plc->first && plc->heartbeat < end)
    line_ini_problem (ini, GROUP, "heartbeat", "register %d is one of the "
        "pieces' registers, %u to %d", plc->heartbeat, plc->first, end - 1);
}

void
line_plc_settings_read (LineIni * ini, guint lanes, guint deadline_ms,
    gdouble rate, LinePlcConfig * plc)
{
  *plc = (LinePlcConfig) {.heartbeat = -1 };
  if (!has_group (ini))
    return;
  plc->address = line_ini_string (ini, GROUP, "address", NULL);
  if (*plc->address && !line_name_is_host (plc->address))
    line_ini_problem (ini, GROUP, "address", LINE_HOST_RULE, "address");
  plc->port = line_ini_integer (ini, GROUP, "port", 1, 65535, 502);
  plc->unit = line_ini_integer (ini, GROUP, "unit", 0, 255, 1);
  if (plc->unit > 247 && plc->unit < 255)
    line_ini_problem (ini, GROUP, "unit", "\"unit\" is 0 to 247, or 255");
  plc->first =
      line_ini_integer (ini, GROUP, "register", 0, REGISTERS - 1, -1);
  plc->slots = line_ini_integer (ini, GROUP, "slots", 1, 4096, 16);
  plc->arrival_ms = line_ini_integer (ini, GROUP, "arrival-ms", 1, 600000, -1);
  plc->timeout_ms = line_ini_integer (ini, GROUP, "timeout-ms", 1, 10000, 100);
  if (line_ini_has (ini, GROUP, "heartbeat"))
    plc->heartbeat =
        line_ini_integer (ini, GROUP, "heartbeat", 0, REGISTERS - 1, -1);
  if (line_ini_has (ini, GROUP, "arrival-ms"))
    check_times (ini, plc, deadline_ms, rate);
  check_registers (ini, plc, lanes);
}

void
line_plc_settings_clear (LinePlcConfig * plc)
{
  g_clear_pointer (&plc->address, g_free);
}
