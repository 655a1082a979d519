/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_SCENE_LOOK_H
#define LINE_SCENE_LOOK_H

#include "scene_fruit.h"

struct _LineScene
{
  LineSceneParams params;
  guint pitch;                  /* columns from cup to cup */
  LineTurn tilts[LINE_SCENE_MAX_VIEWS];
};

/* A fruit in a cup, as a view sees it: columns run along x, rows along y, the
 * camera is at z's far end. */
typedef struct
{
  LineFruit fruit;
  LineTurn turn;                /* from the fruit's frame to the view's */
  gdouble x, y;                 /* its middle, in pixels */
  guint first_column, end_column, first_row, end_row;
} LineLook;

typedef struct
{
  LineVec normal;               /* view's frame */
  LineVec on_fruit;             /* fruit's frame */
  gdouble edge_mm;              /* to the outline; < 0: outside */
} LineHit;

/* What camera @view sees of a cup at @trigger */
G_GNUC_INTERNAL void line_look_init (LineLook * look, const LineScene * scene,
    gint64 trigger, guint view, guint cup);
/* FALSE: farther than a pixel from the fruit */
G_GNUC_INTERNAL gboolean line_look_hit (const LineLook * look,
    gdouble mm_per_pixel, guint column, guint row, LineHit * hit);
G_GNUC_INTERNAL LineClass line_scene_background (const LineScene * scene,
    guint column);
G_GNUC_INTERNAL gboolean line_scene_check_view (const LineScene * scene,
    gint64 trigger, guint view, GError ** error);

#endif /* LINE_SCENE_LOOK_H */
