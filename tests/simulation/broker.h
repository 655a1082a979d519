/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publish/transport.h"
#include "world.h"

/* The broker of the world, and the library that talks to it: a transport as
 * publish/transport.h has it, whose lines arrive, are acknowledged in any order,
 * are sent again by a new connection, or are refused. What has arrived stays,
 * whatever happens to those who sent it. */

/* @can_queue: as of #LineTransportClass. @arrived: called for each line that
 * arrives, in order. @disturbed: when there is a connection or none, and when a
 * line is refused: what is on its way may arrive again */
void broker_begin (gboolean can_queue,
    void (*arrived) (const char *text, gsize size), void (*disturbed) (void));
void broker_end (void);

const LineTransportClass *broker_get_transport (void);

/* Nobody is connected, and nobody can be, until it is up again. */
void broker_set_up (gboolean is_up);
/* The connection that there is ends. */
void broker_cut (void);
/* So many of the next lines are refused. */
void broker_refuse (guint n);
/* Whatever the other side sends is acknowledged so much later, in
 * microseconds. */
void broker_set_delay (gint64 most);
