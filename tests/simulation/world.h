/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* A world in virtual time, in which one seed decides everything: threads are
 * fibers of this process, of which one runs at a time, and whichever goes on,
 * and how long things take, is drawn. The product's own code runs in them; the
 * linker has put the functions of wrap.c and disk.c in the place of GLib's
 * threads and clocks and of the system's files.
 *
 * Time stands still while a fiber runs, but for what its calls are said to
 * take, and goes on to what is due next when all wait. */

/* A process of the world: fibers and open files that end at once. */
typedef struct _Process Process;

/* Begins a world. Time is in microseconds from its beginning on. */
void world_begin (guint64 seed);
/* Ends all that is left of it. */
void world_end (void);

gint64 world_now (void);
/* The time of day in microseconds; it begins in 2026 in all worlds. */
gint64 world_time_of_day (void);

/* Chance */

guint64 world_random (void);
/* 0 .. @n - 1 */
guint64 world_below (guint64 n);
/* Once in @n times. */
gboolean world_one_in (guint n);
/* Mostly short, at most @most */
gint64 world_delay (gint64 most);

/* Processes and their fibers */

Process *world_process_new (const char *name);
/* Of the fiber that runs; NULL outside of fibers */
Process *world_get_process (void);
/* @process: NULL: it has not begun */
gboolean world_process_is_alive (const Process * process);

/* A fiber of @process. It is joined by g_thread_join(), or by nobody. */
gpointer world_spawn (Process * process, GThreadFunc function, gpointer data);

/* SIGKILL. Not of the fiber that runs. */
void world_kill (Process * process);
/* SIGSTOP, and SIGCONT at @until. */
void world_stop (Process * process, gint64 until);

/* What a call takes, at most @most microseconds; others may run meanwhile. */
void world_spend (gint64 most);
void world_sleep_until (gint64 time);

/* Calls @function at @time, between fibers. */
void world_at (gint64 time, void (*function) (gpointer data), gpointer data);

/* Runs until then, or until the world has failed. Returns: FALSE in that case */
gboolean world_run_until (gint64 time);

/* What happened */

/* An invariant does not hold. */
void world_fail (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* NULL: the world has not failed */
const char *world_get_failure (void);

/* Printed if the world is traced; and part of its sum in any case. */
void world_tell (const char *format, ...) G_GNUC_PRINTF (1, 2);
void world_set_traced (gboolean is_traced);
/* Of all that happened: the same for the same seed */
guint64 world_get_sum (void);
guint64 world_count_events (void);

/* For wrap.c: locks and conditions, by their addresses */
void world_wait_lock (gconstpointer lock);
/* Returns: FALSE if @until came first */
gboolean world_wait_signal (gconstpointer condition, gint64 until);
void world_wake (gconstpointer what, gboolean all);
gpointer world_join (gpointer fiber);
void world_detach (gpointer fiber);
gboolean world_is_inside (void);
