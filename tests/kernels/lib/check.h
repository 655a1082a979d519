/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the kernels' test programs count and report with. A case begins, expects
 * any number of things, and ends; it passes when all of them hold. */

#include <glib.h>

#include "cleanup.h"

G_BEGIN_DECLS

/* The name of the case, for messages. */
void begin (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* Prints a failure, up to a few per case. */
void expect (gboolean condition, const char *format, ...) G_GNUC_PRINTF (2, 3);
void end (void);

/* The current case, or the last one. */
const char *case_name (void);
gboolean case_has_failed (void);

/* A case of one condition, which is returned. */
gboolean check_that (gboolean condition, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/* A case that prints its own failures. */
void count (gboolean passed);

/* Of what takes long in one piece, processes run a part each: "2/3" is the
 * second of three. FALSE if @text is no part. */
gboolean set_part (const char *text);

/* Whether the next group of cases is this part's; each call is a group. */
gboolean is_of_part (void);

/* Whether there is no other part. */
gboolean is_whole (void);

/**
 * CheckWay:
 * @id: of its list
 * @name: a way through the algorithm
 * @taken: what it has counted or set of it
 * @excuse: (nullable): why no case here can take it
 */
typedef struct
{
  guint id;
  const char *name;
  gint taken;
  const char *excuse;
} CheckWay;

/* Of a list of kernels/base/ways.h, with the flags @way_flags: a #CheckWay. */
#define CHECK_WAY(id, name) {id, name, way_flags[id], NULL},

/* Why the way @id cannot be taken. */
void excuse_way (CheckWay * ways, guint n, guint id, const char *excuse);

/* A case: the cases before have taken all of @ways of @what. Prints those that
 * they have not. */
void check_ways (const char *what, const CheckWay * ways, guint n);

/* Prints how many cases passed and failed; the exit status. */
int finish (void);

G_END_DECLS
