/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "blocks.h"
#include "cameras.h"
#include "recipe.h"
#include "scene.h"
#include "settings.h"

/**
 * LineTensors:
 *
 * Where a lane's tensors come from: a simulated lane, a file, or cameras. For
 * one thread.
 */
typedef struct _LineTensors LineTensors;

LineTensors *line_tensors_new (const LineConfig * config,
    const LineLaneConfig * lane, const LineRecipe * recipe, GError ** error);
void line_tensors_free (LineTensors * tensors);

/**
 * LineTensorsResult:
 * @LINE_TENSORS_GOOD: they are there, but for views that are lost
 * @LINE_TENSORS_FAILED: those of this trigger will not come; the error is set
 * @LINE_TENSORS_STOPPED: they will not, after line_tensors_cancel()
 * @LINE_TENSORS_END: none come any more; the error is set if that is one
 */
typedef enum
{
  LINE_TENSORS_GOOD,
  LINE_TENSORS_FAILED,
  LINE_TENSORS_STOPPED,
  LINE_TENSORS_END,
} LineTensorsResult;

/* In real time, before the first trigger: waits until a network has loaded its
 * model and answered a black picture. @data: as of line_tensors_prepare(),
 * overwritten. Returns: FALSE with @error set */
gboolean line_tensors_warm_up (LineTensors * tensors, gpointer data,
    GError ** error);

/* Does what can be done before the next trigger comes. @data: of @size bytes,
 * views x rows x columns x classes floats; the same as that given to
 * line_tensors_next() then */
void line_tensors_prepare (LineTensors * tensors, gpointer data, gsize size);

/* The tensors of the next trigger, prepared or not, into @data. Half a trigger
 * at the end of a file is an error. @lost: always set, views whose tensors are
 * 0, for want of a picture or because they were unfit */
LineTensorsResult line_tensors_next (LineTensors * tensors, gpointer data,
    gsize size, LineLostViews * lost, GError ** error);

/* (nullable): what is wrong with tensors of the last trigger that were unfit, and
 * what to do; until the next call. */
const char *line_tensors_get_complaint (const LineTensors * tensors);

/* (transfer full) (nullable): the pictures that show what the tensors say that
 * line_tensors_next() gave last: views x rows x columns x 3, those of
 * lost views any; a block, for line_block_give(). NULL without a network, but if
 * a simulated lane's recipe asks for colours, or if LINE_TENSORS_PICTURES blocks
 * less one are taken already */
#define LINE_TENSORS_PICTURES 5
gpointer line_tensors_take_pictures (LineTensors * tensors);

/* Leaves out the next trigger. @size: of its tensors */
void line_tensors_skip (LineTensors * tensors, gsize size);

/* From any thread: the next trigger has come, at @time; not of cameras that
 * trigger themselves. */
void line_tensors_trigger (LineTensors * tensors, gint64 time);

/* Triggers that there are, of @size bytes each; 0 if it is not known, or
 * endless. */
guint64 line_tensors_count (LineTensors * tensors, gsize size);

/* From any thread: line_tensors_next() does not wait for anything any more. */
void line_tensors_cancel (LineTensors * tensors);

/* The simulated lane; NULL without one. */
LineScene *line_tensors_get_scene (LineTensors * tensors);

/* Its cameras; NULL without them. */
LineCameras *line_tensors_get_cameras (LineTensors * tensors);
