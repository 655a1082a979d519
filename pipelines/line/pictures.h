/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "decide.h"
#include "publish/folder.h"

/**
 * LinePictures:
 *
 * Pictures of pieces, painted by a thread of their own that gives way to all
 * others: all looks of a piece side by side, cups from left to right, views
 * from top to bottom, with the contours of the fruit and of its blemishes. A
 * ring of them is kept in a folder: 000.jpg with 000.json, and so on.
 */
typedef struct _LinePictures LinePictures;

/* The folder's name in that of the run */
#define LINE_PICTURES "pictures"

/* A picture of @view at @trigger, rows x columns x 3. Called by the painter's
 * thread. Returns: FALSE if there is none */
typedef gboolean (*LineLookAt) (guint lane, guint64 trigger, guint view,
    guint8 * rgb, gpointer user);

/* @config: outlives them. @folder: is taken. @n_slots: pictures that are kept, 1
 * to 999. @look_at: may be NULL: shapes are painted on plain ground then. */
LinePictures *line_pictures_new (const LineConfig * config,
    LineFolder * folder, guint n_slots, LineLookAt look_at, gpointer user,
    GError ** error);

/* Waits for the picture that is being painted; the others are dropped. */
void line_pictures_free (LinePictures * pictures);

/* Copies what it needs of @decision, whose looks' data are #LineSeen. Never
 * waits: if four pictures are waiting already, this one is dropped and
 * counted. */
void line_pictures_add (LinePictures * pictures, guint lane,
    const LineDecision * decision);

/* @dropped: also those that wait, which line_pictures_free() drops. @failed:
 * could not be painted or written; the reason was printed once */
void line_pictures_get_counts (LinePictures * pictures, guint64 * written,
    guint64 * dropped, guint64 * failed);
