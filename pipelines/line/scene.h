/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* A simulated lane: irregular spheres that turn from cup to cup, their
 * blemishes, and what each camera sees. Every function but new and free may be
 * called from any thread, in any order. All arithmetic is +, -, *, / and square
 * root in double precision, so that results are the same on every machine. */

#define LINE_SCENE_CLASSES 12
#define LINE_SCENE_MAX_VIEWS 8
#define LINE_SCENE_MAX_CUPS 8

typedef enum
{
  LINE_CLASS_BELT,
  LINE_CLASS_SKIN,
  LINE_CLASS_STEM,
  LINE_CLASS_CALYX,
  LINE_CLASS_ROLLER,
  LINE_CLASS_BRUISE,
  LINE_CLASS_ROT,
  LINE_CLASS_SCAB,
  LINE_CLASS_RUSSET,
  LINE_CLASS_HAIL,
  LINE_CLASS_SCAR,
  LINE_CLASS_INSECT,
} LineClass;

/* Their names, ended by NULL */
extern const char *const line_scene_classes[];

#define LINE_SCENE_ERROR (line_scene_error_quark ())
GQuark line_scene_error_quark (void);

typedef enum
{
  LINE_SCENE_ERROR_PARAMS,
} LineSceneError;

/**
 * LineSceneParams:
 * @seed: of the fruits
 * @noise_seed: of noise, places in the cup, and rotation at the first cup
 * @lane: lanes have different fruits
 * @views: cameras, 1 .. 8
 * @columns: of a picture, 480 .. 16384
 * @rows: of a picture, 16 .. 16384
 * @cups: under the cameras, 1 .. 8
 * @mm_per_pixel: of each view, greater than 0
 * @cup_first: of each view, column of the first cup's centre
 * @cup_pitch: of each view, columns from cup to cup
 * @turn: degrees that a piece turns between cups, without @travel
 * @travel: of its surface between cups, in mm, so that small ones turn further;
 *     0: all turn by @turn
 * @slip: standard deviation of a piece's turn from that, in degrees; it is the
 *     same between all of its cups
 * @still: share of pieces that do not turn at all, 0 .. 1
 * @hop: share of pieces that once, between two cups, come to lie anew in any
 *     position, 0 .. 1 - @still
 * @tilt: of each camera about the direction of travel, in degrees
 * @empty: share of empty cups, 0 .. 1
 * @irregular: the radius deviates in three directions by at most this share
 *     each, .. 0.03; 0: by 0.008
 * @blemish: every piece has a mark of this class, which some look sees, beside
 *     those that it has anyway; LINE_CLASS_BELT for none
 * @dark: bits of views whose lamp is off: they show dark belt and nothing else
 * @dark_from: trigger from which it is off
 */
typedef struct
{
  guint64 seed, noise_seed;
  guint lane, views, columns, rows, cups;
  gdouble mm_per_pixel[LINE_SCENE_MAX_VIEWS], cup_first[LINE_SCENE_MAX_VIEWS];
  gdouble cup_pitch[LINE_SCENE_MAX_VIEWS], tilt[LINE_SCENE_MAX_VIEWS];
  gdouble turn, travel, slip, still, hop;
  gdouble empty, irregular;
  LineClass blemish;
  guint32 dark, dark_from;
} LineSceneParams;

/**
 * LineTruth:
 * @present: FALSE for an empty cup; all else is then 0
 * @diameter_mm: of the sphere of the same mean radius
 * @surface_mm2: of the piece
 * @area_mm2: of each class; skin is what the others leave
 * @count: number of marks of each class
 * @max_length_mm: greatest straight length of a mark of each class
 * @max_visible_mm2: of the class's marks, the greatest area that one look sees,
 *     counted on points of each mark, within about 3 %; as if no view were dark
 * @max_lit_mm2: the same of looks that are not dark
 * @turn: degrees that it turns on its way to cup 1, 2, ..; NaN where it hops
 * @still: whether it does not turn
 * @hop: cup in which it lies anew; 0 for none
 *
 * Areas are the cap's formula with the first order of the irregularity; the
 * second order, below 0.1 % (1 % for the most irregular), is left out.
 */
typedef struct
{
  gboolean present;
  gdouble diameter_mm, surface_mm2;
  gdouble area_mm2[LINE_SCENE_CLASSES];
  guint count[LINE_SCENE_CLASSES];
  gdouble max_length_mm[LINE_SCENE_CLASSES];
  gdouble max_visible_mm2[LINE_SCENE_CLASSES];
  gdouble max_lit_mm2[LINE_SCENE_CLASSES];
  gdouble turn[LINE_SCENE_MAX_CUPS - 1];
  gboolean still;
  guint hop;
} LineTruth;

typedef struct _LineScene LineScene;

/* 4 views of 511 x 95 at 0.8 mm a pixel, 5 cups, no empty ones. Pieces turn as
 * they should, and all lamps are on. */
void line_scene_params_init (LineSceneParams * params);

/* Returns: (transfer full): the scene; NULL with @error for a parameter out of
 * range (the message names it), or if memory runs out. */
LineScene *line_scene_new (const LineSceneParams * params, GError ** error);
void line_scene_free (LineScene * scene);

void line_scene_truth (const LineScene * scene, guint32 piece,
    LineTruth * truth);

/* The picture of @view at @trigger into @rgb (rows x columns x 3), and the
 * class of the point at each pixel's centre into @labels (rows x columns);
 * either may be NULL. Returns: FALSE with @error if there is no such view. */
gboolean line_scene_render (const LineScene * scene, guint32 trigger,
    guint view, guint8 * rgb, guint8 * labels, GError ** error);

/* What an ideal network makes of it: rows x columns x 12 probabilities, whose
 * sum is 1 but for rounding; soft at edges, with noise. */
gboolean line_scene_probabilities (const LineScene * scene, guint32 trigger,
    guint view, gfloat * probabilities, GError ** error);

/* Reads the trigger number drawn into a picture. Returns: FALSE, with @trigger
 * untouched, if there is none, or its check sum is wrong. */
gboolean line_scene_read_trigger (const guint8 * rgb, guint columns,
    guint rows, guint32 * trigger);
