/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_SETTINGS_H
#define LINE_SETTINGS_H

#include "ini.h"

G_BEGIN_DECLS

#define LINE_MAX_VIEWS 16
#define LINE_MAX_CUPS 16
#define LINE_MAX_LOOKS (LINE_MAX_VIEWS * LINE_MAX_CUPS)
#define LINE_MAX_LANES 64

/**
 * LineGeometry:
 * @views: cameras of a lane
 * @cups: cups that each of them sees
 * @columns: of a view, in pixels
 * @rows: of a view, in pixels
 * @mm_per_pixel: at the fruit
 * @cup_first: column of the centre of cup 0
 * @cup_pitch: columns from cup to cup
 * @turn: of a piece from cup to cup, in degrees, the top towards larger columns
 * @tilt: of each view about the direction of travel, in degrees
 */
typedef struct
{
  guint views, cups, columns, rows;
  gdouble mm_per_pixel, cup_first, cup_pitch, turn;
  gdouble tilt[LINE_MAX_VIEWS];
} LineGeometry;

/**
 * LineSource:
 * @LINE_SOURCE_SIMULATE: a simulated line
 * @LINE_SOURCE_REPLAY: recorded tensors
 */
typedef enum
{
  LINE_SOURCE_SIMULATE,
  LINE_SOURCE_REPLAY,
} LineSource;

/**
 * LineLaneConfig:
 * @location: folder of a recording, of LINE_SOURCE_REPLAY; else NULL
 * @seed: of LINE_SOURCE_SIMULATE, as are:
 * @noise_seed: of noise, places in the cup, and rotation at the first cup
 * @empty: share of empty cups, 0 .. 1
 * @blemish: #LineClass of a mark that every piece has; LINE_CLASS_BELT for none
 * @triggers: of LINE_SOURCE_SIMULATE: how many come; 0 for no end
 * @network: command that makes tensors of a simulated lane's pictures; NULL for
 *     the simulation's own
 * @network_timeout_ms: that it has for a picture
 * @network_start_ms: that it has for the first one after a start
 */
typedef struct
{
  char *name;
  LineSource source;
  char *location;
  guint64 seed, noise_seed, triggers;
  gdouble empty;
  guint blemish;
  char **network;
  guint network_timeout_ms, network_start_ms;
} LineLaneConfig;

/**
 * LineConfig:
 * @text: of the file
 * @folder: of the file; networks run in it
 * @recipe: path of the recipe
 * @output: folder that decisions are written to
 * @record: whether lanes' events are recorded
 * @pictures: of rejected pieces, that are kept; 0 for none
 * @port: of the page; 0 for none
 * @address: that the page listens at
 * @lanes: array of #LineLaneConfig
 */
typedef struct
{
  GBytes *text;
  char *folder, *name, *recipe, *output, *address;
  guint deadline_ms, pictures, port;
  gboolean record;
  gdouble triggers_per_second;
  gint cuda_device_id;
  LineGeometry geometry;
  GArray *lanes;
} LineConfig;

/* Relative paths in it are relative to the folder of @name. Returns: the
 * configuration, or NULL with @error set to all that is wrong, a line
 * "NAME:LINE: ..." each */
LineConfig *line_config_parse (const char *name, const char *text, gsize size,
    GError ** error);
LineConfig *line_config_load (const char *path, GError ** error);
void line_config_free (LineConfig * config);

G_END_DECLS

#endif /* LINE_SETTINGS_H */
