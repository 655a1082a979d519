/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "plc_settings.h"

/* Registers of a request that writes, at most; one that reads may have two
 * more */
#define LINE_PLC_LINK_MAX 123

/**
 * LinePlcAnswer:
 * @LINE_PLC_ANSWER_OK: done
 * @LINE_PLC_ANSWER_REFUSED: the PLC refuses this request
 * @LINE_PLC_ANSWER_BUSY: the PLC refuses it for now
 * @LINE_PLC_ANSWER_UNREACHABLE: there is no connection
 * @LINE_PLC_ANSWER_SILENT: no answer in time
 * @LINE_PLC_ANSWER_BROKEN: the connection ended, or the answer is none
 *
 * What became of a request. After the last three the link is not open.
 */
typedef enum
{
  LINE_PLC_ANSWER_OK,
  LINE_PLC_ANSWER_REFUSED,
  LINE_PLC_ANSWER_BUSY,
  LINE_PLC_ANSWER_UNREACHABLE,
  LINE_PLC_ANSWER_SILENT,
  LINE_PLC_ANSWER_BROKEN,
  LINE_PLC_N_ANSWERS,
} LinePlcAnswer;

/**
 * LinePlcLink:
 *
 * A connection to a Modbus TCP server, by libmodbus. A request waits timeout-ms
 * for the whole answer; a connection as long for each address of the PLC's name,
 * and until that is looked up. Not thread-safe.
 */
typedef struct _LinePlcLink LinePlcLink;

/* Connects nothing yet. Returns: NULL with @error set if this program was built
 * without libmodbus, or the address cannot be one */
LinePlcLink *line_plc_link_new (const LinePlcConfig * plc, GError ** error);
void line_plc_link_free (LinePlcLink * link);

gboolean line_plc_link_is_open (const LinePlcLink * link);

/* Connects. Returns: OK, UNREACHABLE, or SILENT */
LinePlcAnswer line_plc_link_open (LinePlcLink * link);

/* Writes @n holding registers in one request, with function 16. The link must
 * be open. */
LinePlcAnswer line_plc_link_write (LinePlcLink * link, guint first,
    const guint16 * values, guint n);

/* Reads @n holding registers in one request, with function 3. The link must be
 * open. */
LinePlcAnswer line_plc_link_read (LinePlcLink * link, guint first,
    guint16 * values, guint n);

/* Why the last request failed, or the last connection; the link's own. */
const char *line_plc_link_get_reason (const LinePlcLink * link);
