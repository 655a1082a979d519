/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_SCENE_H
#define LINE_SCENE_H

#include <glib.h>

G_BEGIN_DECLS

/*
 * The simulated line: irregular, textured spheres in cups, which turn from cup
 * to cup under cameras beside each other, with known truth. Piece p enters cup
 * 0 at trigger p and is in cup c at trigger p + c. Everything is a function of
 * the parameters, the trigger and the view: any order, any thread. Only
 * +, -, *, / and sqrt() are used, so that all machines draw the same.
 */

typedef enum
{
  LINE_BELT,
  LINE_SKIN,
  LINE_STEM,
  LINE_CALYX,
  LINE_ROLLER,
  LINE_BRUISE,
  LINE_ROT,
  LINE_SCAB,
  LINE_RUSSET,
  LINE_HAIL,
  LINE_SCAR,
  LINE_INSECT,
  LINE_N_CLASSES
} LineClass;

/* Names of the classes, which are a tensor's channels in this order */
extern const gchar *const line_class_names[LINE_N_CLASSES];

#define LINE_SCENE_MAX_VIEWS 16
#define LINE_SCENE_MAX_CUPS 16

/**
 * LineSceneParams:
 * @seed: of the fruits: size, shape, defects
 * @noise_seed: of noise, rotation and place in the cup
 * @lane: fruits of lanes differ
 * @views: cameras of the lane, 1 to 16, tilted across it
 * @columns: of a view, at least 160 for the trigger's number
 * @rows: of a view
 * @cups: that a view shows, 1 to 16
 * @mm_per_pixel: 1.2 at most
 * @empty_share: share of cups without a fruit, 0 to 1
 */
typedef struct
{
  guint64 seed, noise_seed;
  guint lane, views, columns, rows, cups;
  gdouble mm_per_pixel, empty_share;
} LineSceneParams;

#define LINE_SCENE_PARAMS_DEFAULT \
    {1, 1, 0, 4, 511, 95, 5, .8, .05}

/**
 * LineClassTruth:
 * @mm2: area on the fruit's surface
 * @max_length_mm: the longest one's, straight from end to end
 * @max_visible_mm2: the largest area that one look sees, on the surface
 * @count: how many there are
 */
typedef struct
{
  gdouble mm2, max_length_mm, max_visible_mm2;
  guint count;
} LineClassTruth;

/**
 * LineTruth:
 * @present: whether there is a fruit; all else is 0 without one
 * @diameter_mm: twice the mean radius
 * @surface_mm2: area of the whole surface
 * @classes: by #LineClass; belt and roller are 0
 */
typedef struct
{
  gboolean present;
  gdouble diameter_mm, surface_mm2;
  LineClassTruth classes[LINE_N_CLASSES];
} LineTruth;

typedef struct _LineScene LineScene;

/**
 * line_scene_new: parameters are checked: views, cups, sizes that a fruit of
 * 66 mm fits. Returns: (transfer full): NULL with @error (G_OPTION_ERROR) that
 * says which one to change
 */
LineScene *line_scene_new (const LineSceneParams * params, GError ** error);
void line_scene_free (LineScene * scene);

/* Truth of piece @piece. Areas in mm2 by the formula of the cap, with the
 * irregularity's first order; exact to .2 %. */
void line_scene_truth (const LineScene * scene, gint64 piece,
    LineTruth * truth);

/**
 * line_scene_render:
 * @rgb: (out caller-allocates): rows x columns x 3 bytes; row 0 to 3 carry the
 *     trigger's number
 * @labels: (out caller-allocates) (nullable): rows x columns, #LineClass of
 *     each pixel's middle
 *
 * Returns: FALSE with @error for a view that is not there or without memory
 */
gboolean line_scene_render (const LineScene * scene, gint64 trigger,
    guint view, guint8 * rgb, guint8 * labels, GError ** error);

/**
 * line_scene_probabilities: what an ideal network says: soft edges, noise.
 * @tensor: (out caller-allocates): rows x columns x 12; a pixel's sum is 1
 *
 * Returns: FALSE with @error as line_scene_render()
 */
gboolean line_scene_probabilities (const LineScene * scene, gint64 trigger,
    guint view, gfloat * tensor, GError ** error);

/* Reads the number drawn into a picture of @columns columns: the trigger's
 * lower 32 bits. Returns: FALSE when there is none or its check fails */
gboolean line_scene_read_trigger (const guint8 * rgb, guint columns,
    guint32 * trigger);

G_END_DECLS

#endif /* LINE_SCENE_H */
