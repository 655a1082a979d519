/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plc_link.h"

#include <errno.h>

#include <modbus.h>

struct _LinePlcLink
{
  modbus_t *modbus;
  gboolean is_open;
  char reason[128];
};

LinePlcLink *
line_plc_link_new (const LinePlcConfig * plc, GError ** error)
{
  const guint seconds = plc->timeout_ms / 1000;
  const guint microseconds = plc->timeout_ms % 1000 * 1000;
  char port[12];

  g_snprintf (port, sizeof (port), "%u", plc->port);
  modbus_t *modbus = modbus_new_tcp_pi (plc->address, port);
  if (!modbus || modbus_set_slave (modbus, plc->unit) != 0) {
    line_fail (error, LINE_ERROR_INVALID, "[plc]: %s:%s, unit %u: %s",
        plc->address, port, plc->unit, modbus_strerror (errno));
    g_clear_pointer (&modbus, modbus_free);
    return NULL;
  }
  modbus_set_response_timeout (modbus, seconds, microseconds);
  /* of its own a byte would have as long as the answer: without one, the whole
   * answer has the time */
  modbus_set_byte_timeout (modbus, 0, 0);
  LinePlcLink *link = g_new0 (LinePlcLink, 1);
  link->modbus = modbus;
  return link;
}

static void
shut (LinePlcLink * link)
{
  if (link->is_open)
    modbus_close (link->modbus);
  link->is_open = FALSE;
}

void
line_plc_link_free (LinePlcLink * link)
{
  shut (link);
  modbus_free (link->modbus);
  g_free (link);
}

gboolean
line_plc_link_is_open (const LinePlcLink * link)
{
  return link->is_open;
}

static void
note_reason (LinePlcLink * link, int code)
{
  g_strlcpy (link->reason, modbus_strerror (code), sizeof (link->reason));
}

LinePlcAnswer
line_plc_link_open (LinePlcLink * link)
{
  shut (link);
  link->is_open = modbus_connect (link->modbus) == 0;
  if (link->is_open)
    return LINE_PLC_ANSWER_OK;
  note_reason (link, errno);
  return LINE_PLC_ANSWER_UNREACHABLE;
}

/* Exceptions are answers: the connection stays. */
static LinePlcAnswer
classify (int code)
{
  switch (code) {
    case EMBXACK:
    case EMBXSBUSY:
    case EMBXGTAR:
      return LINE_PLC_ANSWER_BUSY;
    case EMBXILFUN:
    case EMBXILADD:
    case EMBXILVAL:
    case EMBXSFAIL:
    case EMBXNACK:
    case EMBXMEMPAR:
    case EMBXGPATH:
      return LINE_PLC_ANSWER_REFUSED;
    case ETIMEDOUT:
      return LINE_PLC_ANSWER_SILENT;
    default:
      return LINE_PLC_ANSWER_BROKEN;
  }
}

/* Of a request for @n registers. @done: those that it was good for */
static LinePlcAnswer
judge (LinePlcLink * link, int done, guint n)
{
  const int code = errno;

  if (done == (int) n)
    return LINE_PLC_ANSWER_OK;
  LinePlcAnswer answer = classify (code);
  note_reason (link, code);
  /* an answer that comes later must not be taken for that to another request */
  if (answer >= LINE_PLC_ANSWER_UNREACHABLE)
    shut (link);
  return answer;
}

LinePlcAnswer
line_plc_link_write (LinePlcLink * link, guint first, const guint16 * values,
    guint n)
{
  g_assert (link->is_open && n <= LINE_PLC_LINK_MAX);
  return judge (link, modbus_write_registers (link->modbus, first, n, values),
      n);
}

LinePlcAnswer
line_plc_link_read (LinePlcLink * link, guint first, guint16 * values, guint n)
{
  g_assert (link->is_open && n <= LINE_PLC_LINK_MAX);
  return judge (link, modbus_read_registers (link->modbus, first, n, values),
      n);
}

const char *
line_plc_link_get_reason (const LinePlcLink * link)
{
  return link->reason;
}
