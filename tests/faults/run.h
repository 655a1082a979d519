/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One run of a pipeline, with or without a fault, and its outcome. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* Which operations fail. */
typedef enum
{
  FAULT_ONCE,                   /* the n-th */
  FAULT_FROM,                   /* the n-th and all after it */
  N_FAULT_MODES,
} FaultMode;

/* Before a run: the operation @n, counted from 1, fails; none if 0. */
void fault_set (FaultMode mode, guint n);

/* In between nothing of this thread is counted and nothing fails. */
void fault_pause (gboolean paused);

/* How many operations there were since then, and how many failed. */
guint fault_count (void);
guint fault_count_failed (void);

/* Where the first one failed, "FILE:LINE". */
const gchar *fault_place (void);

/* How many places have failed so far in this process. */
guint fault_count_places (void);

/**
 * Case:
 * @name: of the case
 * @line: a pipeline with a sink "out"
 * @element: (nullable): whose property "dropped" counts frames, besides the
 *     shapejsonenc "json", if there is one
 * @prepare: (nullable): what is done to the pipeline before it runs
 * @needs_device: whether it is for the backend cuda alone
 * @n_frames: how many frames come out for each one that goes in; 0 means 1
 * @is_document: whether the output is one text, which is another one without
 *     what was dropped, so that only its parts are counted
 */
typedef struct
{
  const gchar *name, *line, *element;
  void (*prepare) (GstElement * pipeline);
  gboolean needs_device;
  guint n_frames;
  gboolean is_document;
} Case;

/**
 * Outcome:
 * @ended: whether it ended in time, by EOS or an error
 * @error: (nullable): the error message
 * @out: the output, a checksum for each buffer
 * @dropped: frames that elements counted as dropped
 */
typedef struct
{
  gboolean ended;
  gchar *error;
  GPtrArray *out;
  guint64 dropped;
} Outcome;

void outcome_clear (Outcome * outcome);

/* Runs the pipeline of @c to its end; on a GPU in the context that stays, if
 * @share. */
Outcome run_case (const Case * c, gboolean share);

G_END_DECLS
