/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* In place of plc_link.c in a build without libmodbus: there is no link. */

#include "plc_link.h"

LinePlcLink *
line_plc_link_new (const LinePlcConfig * plc, GError ** error)
{
  g_set_error_literal (error, LINE_ERROR, LINE_ERROR_INVALID, "[plc]: this "
      "program was built without libmodbus: install it (Debian: "
      "libmodbus-dev) and build anew, or remove the group");
  return NULL;
}

void
line_plc_link_free (LinePlcLink * link)
{
}

gboolean
line_plc_link_is_open (const LinePlcLink * link)
{
  return FALSE;
}

LinePlcAnswer
line_plc_link_open (LinePlcLink * link)
{
  return LINE_PLC_ANSWER_UNREACHABLE;
}

LinePlcAnswer
line_plc_link_write (LinePlcLink * link, guint first, const guint16 * values,
    guint n)
{
  return LINE_PLC_ANSWER_UNREACHABLE;
}

LinePlcAnswer
line_plc_link_read (LinePlcLink * link, guint first, guint16 * values, guint n)
{
  return LINE_PLC_ANSWER_UNREACHABLE;
}

const char *
line_plc_link_get_reason (const LinePlcLink * link)
{
  return "";
}
