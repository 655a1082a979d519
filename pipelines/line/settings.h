/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "plc_settings.h"
#include "publish/ini.h"
#include "publish/settings.h"
#include "shifts.h"

#define LINE_MAX_VIEWS 16
#define LINE_MAX_CUPS 16
#define LINE_MAX_LOOKS (LINE_MAX_VIEWS * LINE_MAX_CUPS)
#define LINE_MAX_LANES 128

/**
 * LineGeometry:
 * @group: of the configuration, that says it
 * @views: cameras of a lane
 * @cups: cups that each of them sees
 * @columns: of a view, in pixels
 * @rows: of a view, in pixels
 * @turn: of a piece from cup to cup, in degrees, the top towards larger columns;
 *     without @travel
 * @travel: of its surface from cup to cup, in mm, in the same direction; 0: it turns
 *     by @turn, whatever its size
 * @mm_per_pixel: of each view, at the fruit
 * @cup_first: of each view, column of the centre of cup 0
 * @cup_pitch: of each view, columns from cup to cup
 * @tilt: of each view about the direction of travel, in degrees
 */
typedef struct
{
  char *group;
  guint views, cups, columns, rows;
  gdouble turn, travel;
  gdouble mm_per_pixel[LINE_MAX_VIEWS], cup_first[LINE_MAX_VIEWS];
  gdouble cup_pitch[LINE_MAX_VIEWS], tilt[LINE_MAX_VIEWS];
} LineGeometry;

/* Degrees that a piece of @diameter mm turns from cup to cup */
gdouble line_geometry_get_turn (const LineGeometry * geometry,
    gdouble diameter);

/* The greatest mm per pixel of its views */
gdouble line_geometry_get_coarsest (const LineGeometry * geometry);

/**
 * LineSource:
 * @LINE_SOURCE_SIMULATE: a simulated line
 * @LINE_SOURCE_REPLAY: recorded tensors
 * @LINE_SOURCE_CAMERA: cameras
 */
typedef enum
{
  LINE_SOURCE_SIMULATE,
  LINE_SOURCE_REPLAY,
  LINE_SOURCE_CAMERA,
} LineSource;

/**
 * LineBackend:
 * @LINE_BACKEND_AUTO: a GPU, if there is one
 * @LINE_BACKEND_CPU: the processor
 * @LINE_BACKEND_CUDA: a GPU, or nothing starts
 *
 * Where shapes are found, as the elements' property backend.
 */
typedef enum
{
  LINE_BACKEND_AUTO,
  LINE_BACKEND_CPU,
  LINE_BACKEND_CUDA,
} LineBackend;

/* By LineBackend; NULL at the end */
extern const char *const line_backends[];

/**
 * LineCameraConfig:
 * @ids: libaravis' device ids, or addresses, one for each view
 * @is_hardware: whether they have a trigger input of their own; else the line
 *     triggers them
 * @trigger_source: GenICam's TriggerSource, with @is_hardware
 * @trigger_activation: GenICam's TriggerActivation, with @is_hardware
 * @min_cameras: that must see a trigger, with @is_hardware
 * @pixel_format: GenICam's PixelFormat; NULL: the best one that it has
 * @features: others, "NAME=VALUE NAME=VALUE"; NULL for none
 * @exposure_us: GenICam's ExposureTime, of each view; NaN: as it is
 * @gain: GenICam's Gain; NaN: as it is
 * @offset_x: GenICam's OffsetX, of each view; NaN: as it is
 * @offset_y: GenICam's OffsetY
 * @packet_size: bytes of a packet on the network; 0: as it is negotiated
 * @timeout_ms: after its trigger a picture is missing
 * @retention_ms: after its last packet a picture is incomplete
 */
typedef struct
{
  char **ids;
  gboolean is_hardware;
  char *trigger_source, *trigger_activation, *pixel_format, *features;
  gdouble exposure_us[LINE_MAX_VIEWS], gain[LINE_MAX_VIEWS];
  gdouble offset_x[LINE_MAX_VIEWS], offset_y[LINE_MAX_VIEWS];
  guint packet_size, timeout_ms, retention_ms, min_cameras;
} LineCameraConfig;

/**
 * LineLaneConfig:
 * @geometry: one of the configuration's
 * @location: folder of a recording, of LINE_SOURCE_REPLAY; else NULL
 * @is_repeated: of LINE_SOURCE_REPLAY: it begins again where it ends
 * @seed: of LINE_SOURCE_SIMULATE, as are:
 * @noise_seed: of noise, places in the cup, and rotation at the first cup
 * @empty: share of empty cups, 0 .. 1
 * @blemish: #LineClass of a mark that every piece has; LINE_CLASS_BELT for none
 * @slip: standard deviation of a piece's turn between cups, in degrees
 * @still: share of pieces that do not turn
 * @hop: share of pieces that once come to lie anew between two cups
 * @irregular: deviation of the radius; 0: an ordinary one
 * @dark: bits of views whose lamp is off
 * @dark_from: trigger from which it is off
 * @triggers: of LINE_SOURCE_SIMULATE: how many come; 0 for no end
 * @cameras: of LINE_SOURCE_CAMERA; else NULL
 * @network: command that makes tensors of pictures; NULL for the simulation's
 *     own ones
 * @network_timeout_ms: that it has for a picture
 * @network_start_ms: that it has for the first one after a start
 * @burst: of LINE_SOURCE_SIMULATE: so many triggers come at twice their pace,
 *     then none for as long; 0: all come evenly
 */
typedef struct
{
  char *name;
  const LineGeometry *geometry;
  LineSource source;
  char *location;
  gboolean is_repeated;
  guint64 seed, noise_seed, triggers;
  gdouble empty, slip, still, hop, irregular;
  guint blemish;
  guint32 dark, dark_from;
  LineCameraConfig *cameras;
  char **network;
  guint network_timeout_ms, network_start_ms, burst;
} LineLaneConfig;

/**
 * LineConfig:
 * @text: of the file
 * @folder: of the file; networks run in it
 * @recipe: path of the recipe
 * @recipes: (nullable): folder of recipes that have names
 * @tokens: (nullable): file of those who may change something over HTTP
 * @output: folder that decisions are written to
 * @record: whether lanes' events are recorded
 * @pictures: of rejected pieces, that are kept; 0 for none
 * @port: of the page; 0 for none
 * @address: that the page listens at
 * @hosts: names by which it is asked for there; ends with NULL
 * @plc: that decisions are written to
 * @segment_bytes: of a file of decisions, after which a new one begins; 0: one
 *     file has them all
 * @keep_bytes: of decisions that are kept; 0 for all
 * @keep_days: of decisions that are kept; 0 for all
 * @shifts: of a day, which have reports
 * @publish: how decisions leave the machine; NULL if they do not
 * @geometries: of #LineGeometry, those of the lanes, which differ
 * @lanes: array of #LineLaneConfig
 */
typedef struct
{
  GBytes *text;
  char *folder, *name, *recipe, *recipes, *tokens, *output, *address, **hosts;
  guint deadline_ms, pictures, port;
  gboolean record;
  guint64 segment_bytes, keep_bytes;
  gdouble keep_days;
  LineShifts shifts;
  LinePublishConfig *publish;
  gdouble triggers_per_second;
  LineBackend backend;
  gint cuda_device_id;
  GPtrArray *geometries;
  LinePlcConfig plc;
  GArray *lanes;
} LineConfig;

/* Relative paths in it are relative to the folder of @name. Returns: the
 * configuration, or NULL with @error set to all that is wrong, a line
 * "NAME:LINE: ..." each */
LineConfig *line_config_parse (const char *name, const char *text, gsize size,
    GError ** error);
LineConfig *line_config_load (const char *path, GError ** error);
void line_config_free (LineConfig * config);

const LineLaneConfig *line_config_get_lane (const LineConfig * config,
    guint lane);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LineConfig, line_config_free)
