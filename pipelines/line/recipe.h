/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "publish/folder.h"
#include "publish/ini.h"

/* More channels than this are no classes. */
#define LINE_MAX_CLASSES 64
#define LINE_MAX_OUTLET 65535

/* Of a recipe: each piece is compared with all of them. */
#define LINE_MAX_SIZES 64
#define LINE_MAX_LIMITS 256
#define LINE_MAX_RULES 256
#define LINE_MAX_COLOURS 8

/**
 * LineMeasure:
 * @LINE_MEASURE_MM2: area over the whole surface
 * @LINE_MEASURE_LENGTH: longest Feret diameter, in mm
 * @LINE_MEASURE_PERCENT: of the surface
 * @LINE_MEASURE_COUNT: of blemishes
 * @LINE_MEASURE_LIGHTNESS: mean L* of the skin
 * @LINE_MEASURE_A: mean a*
 * @LINE_MEASURE_B: mean b*
 * @LINE_MEASURE_CHROMA: of that mean
 * @LINE_MEASURE_HUE: of that mean, in degrees from -180 to 180
 * @LINE_MEASURE_SHARE: percent of the skin that are of a colour
 * @LINE_MEASURE_ELONGATION: of the outline, 1 for a circle
 *
 * What a limit is on.
 */
typedef enum
{
  LINE_MEASURE_MM2,
  LINE_MEASURE_LENGTH,
  LINE_MEASURE_PERCENT,
  LINE_MEASURE_COUNT,
  LINE_MEASURE_LIGHTNESS,
  LINE_MEASURE_A,
  LINE_MEASURE_B,
  LINE_MEASURE_CHROMA,
  LINE_MEASURE_HUE,
  LINE_MEASURE_SHARE,
  LINE_MEASURE_ELONGATION,
  LINE_N_MEASURES,
} LineMeasure;

/**
 * LineStatus: as in docs/fruit-line.md
 */
typedef enum
{
  LINE_STATUS_OK,
  LINE_STATUS_PARTIAL,
  LINE_STATUS_LATE,
  LINE_STATUS_UNDECIDED,
} LineStatus;

/* Their names, up to a NULL. */
extern const char *const line_status_names[];

/**
 * LineLimit:
 * @key: of the file: CLASS-MEASURE, or min- or max- and a measure
 * @of: index into the recipe's defects, their number for all of them together;
 *     of a share, index into its colours; else 0
 * @measure: what is limited
 * @is_least: whether it must not be less than @value, else not greater
 * @value: mm2, mm, percent, degrees, or a number
 */
typedef struct
{
  char *key;
  guint of;
  LineMeasure measure;
  gboolean is_least;
  gdouble value;
} LineLimit;

/* Colours: @min <= L*, a*, b* <= @max. */
typedef struct
{
  char *name;
  gdouble min[3], max[3];
} LineColour;

typedef struct
{
  char *name;
  GArray *limits;
} LineLimits;

/* Sizes: @min_mm <= diameter < @max_mm. */
typedef struct
{
  char *name;
  gdouble min_mm, max_mm;
} LineSize;

/**
 * LineRule:
 * @name: of the rule
 * @outlet: where pieces go for which the rule holds
 * @sizes: bits of the recipe's sizes; 0 for any
 * @limits: index of a set of limits; -1 for none
 * @statuses: bits of #LineStatus; 0 for any
 */
typedef struct
{
  char *name;
  guint outlet;
  guint64 sizes;
  gint limits;
  guint statuses;
} LineRule;

/**
 * LineRecipe:
 * @is_exclusive: whether probabilities of a pixel add up to 1
 * @is_logits: whether tensors have logits, not probabilities
 * @min_roundness: of an `ok` piece, the least ratio of the smallest Feret diameter
 *     of its looks to the greatest
 * @min_coverage: of an `ok` piece, as a share of what all looks reach
 * @has_colour: it asks for the skin's colour
 * @has_elongation: it asks for the elongation
 *
 * What is done with pieces: @text of the file, and what it says. Immutable once
 * made, and counted by references, so that threads share it. Arrays are of
 * LineSize, LineColour, LineLimits and LineRule, in the order of the file.
 */
typedef struct
{
  gint ref_count;
  GBytes *text;
  char hash[65];
  char *name;
  char **classes;
  guint n_classes;
  guint fruit[LINE_MAX_CLASSES], n_fruit;
  guint defects[LINE_MAX_CLASSES], n_defects;
  gdouble level, class_level, min_area, min_diameter;
  gboolean is_exclusive, is_logits;
  gdouble min_roundness, min_coverage;
  guint min_looks, empty_outlet, undecided_outlet;
  gboolean has_colour, has_elongation;
  GArray *sizes, *colours, *limits, *rules;
} LineRecipe;

/* @name: of the file, for messages. Returns: the recipe, or NULL with @error
 * set to all that is wrong, a line "NAME:LINE: ..." each */
LineRecipe *line_recipe_parse (const char *name, const char *text, gsize size,
    GError ** error);
LineRecipe *line_recipe_load (const char *path, GError ** error);

/* As a recording has it: for the owner and the group, under a name that has part
 * of the hash. One that is there stays. */
gboolean line_recipe_copy (const LineRecipe * recipe,
    const LineFolder * folder, GError ** error);
char *line_recipe_name_copy (const char *folder, const char *hash);

LineRecipe *line_recipe_ref (LineRecipe * recipe);
void line_recipe_unref (LineRecipe * recipe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LineRecipe, line_recipe_unref)

/* Whether what was found for @recipe serves @other, too: classes, fruit,
 * defects and levels are the same, and so are colours if @other asks for them.
 * Returns: FALSE with @error set to what is not */
gboolean line_recipe_is_compatible (const LineRecipe * recipe,
    const LineRecipe * other, GError ** error);
