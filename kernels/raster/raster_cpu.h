/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Between raster_cpu.c, which runs, raster_cpu_order.c, which sorts and
 * prepares marks, raster_cpu_bins.c and raster_cpu_field.c, which find those of each
 * tile, raster_cpu_group.c, which paints them nearest first and, in cells,
 * farthest first, and raster_cpu_ink.c and
 * raster_cpu_copy.c, for what lies between and behind them. */

#include "base/scratch.h"
#include "base/sort.h"
#include "raster_cpu_fill.h"
#include "raster_private.h"

G_BEGIN_DECLS

/* --- Components ----------------------------------------------------------- */

CS_RASTER_SMALL_FN gboolean
cs_raster_has_component (const CsRasterFormat * f, guint c)
{
  return c == 3 ? f->has_alpha : (gint) c < f->n_components;
}

/* By how much the columns and rows of a component are subsampled, as log2. */
CS_RASTER_SMALL_FN guint
cs_raster_sub_x (const CsRasterFormat * f, guint c)
{
  return f->model == CS_PICTURE_YUV && (c == 1 || c == 2) ? f->sub_x : 0;
}

CS_RASTER_SMALL_FN guint
cs_raster_sub_y (const CsRasterFormat * f, guint c)
{
  return f->model == CS_PICTURE_YUV && (c == 1 || c == 2) ? f->sub_y : 0;
}

CS_RASTER_SMALL_FN gboolean
cs_raster_is_subsampled (const CsRasterFormat * f, guint c)
{
  return cs_raster_sub_x (f, c) || cs_raster_sub_y (f, c);
}

/* --- Looking at marks ----------------------------------------------------- */

/* Marks looked at together, a bit each. */
#define CS_LOOK 64

/* Tiles of a field, which are looked at together too. */
#define CS_TILE 16
#define CS_TILES_PER_ROW 4
#define CS_FIELD (CS_TILE * CS_TILES_PER_ROW)

/**
 * CsRasterReaches:
 * @x: middles of discs, each around all that a mark may cover
 * @y: likewise
 * @reach2: their squared radii; below 0: the mark is not painted
 *
 * Arrays, for looking at many of them.
 */
typedef struct
{
  float *x, *y, *reach2;
} CsRasterReaches;

/* --- Groups of pixels ----------------------------------------------------- */

#define CS_GROUP_WIDTH 8
#define CS_GROUP_HEIGHT 2
#define CS_GROUP_PIXELS (CS_GROUP_WIDTH * CS_GROUP_HEIGHT)
#define CS_TILE_GROUPS (CS_TILE * CS_TILE / CS_GROUP_PIXELS)

typedef float CsLanes __attribute__ ((vector_size (32), may_alias));
typedef gint32 CsLanesInt __attribute__ ((vector_size (32), may_alias));

/**
 * CsRasterReach:
 * @x: middle of a disc around all that a mark may cover
 * @y: likewise
 * @reach2: its squared radius; below 0: the mark is not painted
 */
typedef struct
{
  float x, y, reach2;
} CsRasterReach;

/**
 * CsStaged:
 * @mark: as prepared
 * @shape: of it
 * @alpha: opacity included
 * @color: working colour
 * @x0: no pixel left of this is covered; likewise the others
 * @at: its place from the nearest layer on, the ink included
 * @is_layer: its coverage is stored, and there is no geometry: of a fill, or
 *     of the ink: then what covers a pixel is its alpha, and @alpha is 1
 * @fill: (nullable): the fill
 * @gradient: (nullable): its gradient
 * @rgb: where it has one: its colour, 0 to 1
 * @scale: likewise: cs_gradient_scale()
 * @is_disc: it is a filled disc
 *
 * A mark with all that can be computed once for many pixels.
 */
typedef struct
{
  CsRasterMark mark;
  CsRasterShape shape;
  float alpha, color[3];
  float x0, y0, x1, y1;
  guint32 at;
  const CsFillRegion *fill;
  const CsGradient *gradient;
  float rgb[3], scale;
  gboolean is_layer, is_disc;
} CsStaged;

typedef enum
{
  CS_GROUP_OPEN,
  CS_GROUP_DONE,
  CS_GROUP_REPLAY,              /* what is behind most likely does not show */
  CS_GROUP_REPLAY_ALL,
} CsGroupState;

/**
 * CsGroup:
 * @color: the sum so far
 * @through: what is let through; 0 outside of the picture
 * @error: the sum over all layers of 3 T + .5, T: what is let through before
 *     one; 0: not touched
 * @cover: coverage of the run that is not painted yet
 * @pending: whether there is one
 * @pending_at: its last mark
 * @pending_run: its number
 * @end: what lies before this has been painted
 *
 * 8 x 2 pixels.
 */
typedef struct
{
  CsLanes color[3][2];
  CsLanes through[2], error[2], cover[2];
  float pending_alpha, pending_color[3];
  guint32 pending_run, pending_at;
  gboolean pending;
  guint32 end;
  CsGroupState state;
  gint x, y;
} CsGroup;

/* Bounds of a group's working colours and alpha, and whether anything is
 * painted on a pixel; and, if they have been read, the input's components. */
typedef struct
{
  CsLanes low[4][2], high[4][2];
  CsLanesInt touched[2];
  CsLanes frame[4][2];
  gboolean has_frame;
} CsGroupBounds;

typedef struct
{
  const CsRasterFormat *format;
  const CsRasterInk *ink;
  const CsFillCover *fills;
  gboolean has_runs;
  const CsGradientStop *stops;  /* of all gradients */
} CsGroupContext;

void cs_group_init (CsGroup * group, const CsRasterFormat * format, gint x,
    gint y);

/* There are no more marks. */
void cs_group_finish (const CsGroupContext * context, CsGroup * group);

/* Painting again: begin, then replay() of the marks before the group's end,
 * farthest first, then settle; it may have to be done once more, in full. */
void cs_group_replay_begin (const CsGroupContext * context, CsGroup * group,
    CsGroupBounds * bounds);
void cs_group_replay_end (const CsGroupContext * context, CsGroup * group,
    CsGroupBounds * bounds);

/* --- Cells ---------------------------------------------------------------- */

#define CS_CELLS_PER_ROW (CS_FIELD / CS_GROUP_WIDTH)
#define CS_CELL_ROWS (CS_FIELD / CS_GROUP_HEIGHT)
#define CS_CELLS (CS_CELLS_PER_ROW * CS_CELL_ROWS)

typedef float CsPixel __attribute__ ((vector_size (16), may_alias));

/**
 * CsCells:
 * @pixels: working colour and alpha of each, by rows: where discs are painted
 * @lanes: the same of each cell, channel by channel: where runs and fills are
 * @has_lanes: which of both
 * @touched: whether anything is painted on a pixel: a bit each, by rows
 * @begun: of each cell of 8 x 2 pixels, by rows: whether its pixels are those
 *     of the background at least
 * @least2: of the run that is being painted: the squared distance of each pixel
 *     from the nearest line; CS_CELLS_FAR without
 * @reached: where there is one: a bit for eight pixels, by rows
 * @x: where the field begins
 * @y: likewise
 *
 * A field, painted from the back. Small discs cover a few pixels of a row, so a
 * pixel's channels lie together there.
 */
typedef struct
{
  union
  {
    CsPixel pixels[CS_FIELD][CS_FIELD];
    CsLanes lanes[CS_CELLS][4][CS_GROUP_HEIGHT];
  };
  gboolean has_lanes;
  guint64 touched[CS_FIELD];
  guint8 begun[CS_CELLS];
  CsLanes least2[CS_FIELD][CS_CELLS_PER_ROW];
  guint8 reached[CS_FIELD];
  gint x, y;
} CsCells;

#define CS_CELLS_FAR 3.4028234e38f

/* A disc that is ready to be painted. */
typedef struct
{
  float x, y, radius;
  guint32 rgba;
} CsDisc;

/* Once, before the first field. */
void cs_cells_clear (CsCells * cells);
void cs_cells_init (CsCells * cells, gint x, gint y, gboolean has_lanes);

/* --- Lanes ---------------------------------------------------------------- */

/**
 * CsLaneFunctions:
 * @look: which of the CS_LOOK discs from @first on touch the field at (@x, @y)
 * @look_tiles: which tiles of the field at (@x, @y), by rows, a disc touches
 * @paint: paints the marks at @list on a group, nearest first, until it is done
 *     or must be replayed
 * @paint_run: likewise on all groups of a tile, by rows, where all marks belong
 *     to one run, and none is a layer: mark by mark, each on those groups that
 *     it may cover
 * @replay: paints the marks at @list, farthest first, on a group's bounds
 * @write_cells: writes all codes that differ from the input's
 * @paint_mark: paints a mark that belongs to no run and is no layer; farther
 *     ones first
 * @paint_discs: likewise @n discs, those of @items in their order, without ends
 * @paint_joined: likewise, on lanes, @n marks of one run, those of @items: one,
 *     or discs and capsules of one radius
 * @paint_fill: likewise, on lanes, a fill
 *
 * What works on eight pixels at a time, for one instruction set. The others are
 * of raster_cpu_group.c alone.
 */
typedef struct
{
  guint64 (*look) (const CsRasterReaches * reaches, gsize first, gint x,
      gint y);
  guint (*look_tiles) (const CsRasterReach * disc, gint x, gint y);
  void (*init) (CsGroup * g, const CsRasterFormat * f);
  gboolean (*is_dark) (const CsGroup * g);
  gboolean (*flush_front) (CsGroup * g);
  gboolean (*prove_plain) (const CsRasterFormat * f, const CsGroup * g,
      CsLanesInt codes[4][2]);
  void (*write_codes) (const CsRasterFormat * f, const CsGroup * g,
      CsLanesInt codes[4][2]);
  gboolean (*settle_direct) (const CsRasterFormat * f, const CsGroup * g,
      CsGroupBounds * bounds);
  void (*bound_last) (const CsRasterFormat * f, const CsGroup * g,
      CsGroupBounds * bounds);
  void (*paint) (const CsGroupContext * context, CsGroup * group,
      const CsStaged * staged, const guint16 * list, guint n);
  void (*paint_run) (const CsGroupContext * context, CsGroup * groups,
      const CsStaged * staged, const guint16 * list, guint n);
  void (*replay) (const CsGroupContext * context, CsGroup * g,
      CsGroupBounds * bounds, const CsStaged * staged, const guint16 * list,
      guint n);
  void (*flush_over) (const CsGroupContext * context, CsGroup * g,
      CsGroupBounds * bounds);
  void (*write_cells) (const CsRasterFormat * f, CsCells * cells);
  void (*paint_mark) (const CsRasterFormat * f, CsCells * cells,
      const CsStaged * s);
  void (*paint_discs) (const CsRasterFormat * f, CsCells * cells,
      const CsDisc * discs, const CsSortItem32 * items, gsize n);
  void (*paint_joined) (const CsRasterFormat * f, CsCells * cells,
      const CsRasterMark * marks, const guint32 * items, guint32 n);
  void (*cover_by_fill) (const CsGroupContext * context, gint x, gint y,
      const CsFillRegion * region, CsLanes cover[2]);
  void (*paint_fill) (const CsGroupContext * context, CsCells * cells,
      const CsFillRegion * region, guint32 rgba);
} CsLaneFunctions;

/* Those of the best instruction set that the machine has. */
const CsLaneFunctions *cs_lanes (void);

/* --- Order ---------------------------------------------------------------- */

/**
 * CsFieldRange:
 *
 * The fields that a mark's bounds touch, inclusive; none if the last is before
 * the first.
 */
typedef struct
{
  guint16 x0, y0, x1, y1;
} CsFieldRange;

/**
 * CsRasterOrder:
 * @marks: prepared, nearest first
 * @ranges: of each
 * @reach: of each, and CS_LOOK more that touch nothing, where @has_reach
 * @n: how many
 * @has_runs: whether there are groups
 * @dropped: marks that are not painted
 * @area: of all marks, in pixels, roughly
 */
typedef struct
{
  CsScratch marks_memory, ranges_memory, reach_memory;
  CsScratch indices_memory, keys_memory;
  CsRasterMark *marks;
  CsFieldRange *ranges;
  CsRasterReaches reach;
  gboolean has_reach;
  gsize n;
  guint32 *order;
  gboolean is_identity, has_runs;
  guint64 dropped;
  double area;
  CsRasterKey key;
} CsRasterOrder;

gboolean cs_raster_order_update (CsRasterOrder * order, CsExecutor * executor,
    const CsRasterJob * job, GError ** error);
/* Sets @reach, unless it is there. */
gboolean cs_raster_order_find_reach (CsRasterOrder * order,
    CsExecutor * executor, GError ** error);
void cs_raster_order_clear (CsRasterOrder * order);

/* --- Bins ----------------------------------------------------------------- */

/**
 * CsRasterBins:
 * @starts: for each field, where its bin begins in @items, and the end of the
 *     last
 * @items: numbers of marks, in order
 * @is_used: whether there are bins; or else it is faster to look at all marks
 *     for each field
 * @fields_per_row: fields, of which there are @field_rows rows
 *
 * Which marks touch each field.
 */
typedef struct
{
  CsScratch items_memory, starts_memory, counts_memory;
  guint32 *items, *starts;
  gboolean is_used;
  guint fields_per_row, field_rows;
  CsRasterKey key;
} CsRasterBins;

gboolean cs_raster_bins_update (CsRasterBins * bins, CsExecutor * executor,
    const CsRasterOrder * order, guint width, guint height, GError ** error);
void cs_raster_bins_clear (CsRasterBins * bins);

/* @counts: for each part one number for each field: how many it has there;
 * becomes where they go. Sets @starts: where each field's begin, and the end of
 * the last. */
void cs_raster_place_parts (guint32 * counts, gsize n_fields, guint n_parts,
    guint32 * starts);

/* --- Directly ------------------------------------------------------------- */

/**
 * CsRasterDirect:
 * @is_used: whether marks are painted this way
 * @discs: of each field, as marks lie
 * @items: of each field: depth and place in the field's discs; sorted where
 *     @is_sorted
 * @others: room for sorting
 * @starts: for each field, where its discs begin, and the end of the last
 * @dropped: marks that are not painted
 *
 * Marks of which few lie on a pixel, so that all of them are needed: they go to
 * fields at once, and each field sorts and paints its own, farthest first.
 */
typedef struct
{
  CsScratch marks_memory, discs_memory, items_memory, starts_memory;
  CsScratch counts_memory;
  gboolean is_used;
  CsDisc *discs;
  CsSortItem32 *items, *others;
  guint32 *starts;
  guint8 *is_sorted;
  gboolean has_depths;
  guint64 dropped;
  CsRasterKey key;
} CsRasterDirect;

/* Sets @is_used, and all else if it is. */
gboolean cs_raster_direct_update (CsRasterDirect * direct,
    CsExecutor * executor, const CsRasterJob * job, GError ** error);
void cs_raster_direct_paint (const CsRasterDirect * direct,
    const CsRasterFormat * format, CsCells * cells, guint field);
void cs_raster_direct_clear (CsRasterDirect * direct);

/* --- Ink ------------------------------------------------------------------ */

/* A canvas. */
typedef struct
{
  guint width, height, blocks_per_row;
  CsInkPixel *pixels;
  guint8 *blocks;
} CsInkCpu;

/* Of CsRasterBackend. */
void *cs_ink_cpu_create (CsExecutor * executor, guint width, guint height,
    GError ** error);
gboolean cs_ink_cpu_clear (void *data, GError ** error);
gboolean cs_ink_cpu_stamp (void *data, const CsInkSegment * segments, gsize n,
    float half_width, GError ** error);
void cs_ink_cpu_destroy (void *data);

/* --- Fields --------------------------------------------------------------- */

/**
 * CsFieldContext:
 * @job: what is painted
 * @order: its marks
 * @bins: of them
 * @direct: (nullable): what is painted directly; then there is neither order
 *     nor bins
 * @group: for groups
 * @staged_ink: the ink among the marks
 * @has_ink: whether there is any
 * @is_simple: there are neither gradients nor ink
 * @has_lanes: there are runs or fills
 * @thickness: how much light a mark takes away where it covers, by the byte of
 *     its alpha: the negative logarithm of what it lets through
 *
 * What all fields of a run have in common.
 */
typedef struct
{
  const CsRasterJob *job;
  const CsRasterOrder *order;
  const CsRasterBins *bins;
  const CsRasterDirect *direct;
  guint fields_per_row;
  CsGroupContext group;
  CsStaged staged_ink;
  gboolean has_ink, is_simple, has_lanes;
  float thickness[256];
} CsFieldContext;

/* Sets @is_simple and @thickness. */
void cs_field_context_set_thickness (CsFieldContext * context);

/* Puts @canvas among the marks, with @ink, which is completed. */
void cs_field_context_set_ink (CsFieldContext * context,
    const CsInkCpu * canvas, CsRasterInk * ink);

/* What one thread works with. */
typedef struct _CsFieldWorker CsFieldWorker;

CsFieldWorker *cs_field_worker_new (GError ** error);
void cs_field_worker_free (CsFieldWorker * worker);

/* Paints a field; @index is by rows. Returns the number of pixels that had to
 * be painted again. */
guint64 cs_field_run (const CsFieldContext * context, CsFieldWorker * worker,
    guint index);

/* --- Input ---------------------------------------------------------------- */

/* Copies it to the output, unless they are one. */
void cs_raster_copy_input (const CsRasterFormat * f, CsExecutor * executor);

/**
 * CsRasterKept:
 * @key: of the last run
 * @format: likewise, without its pictures
 * @n_seen: how often that has been painted
 * @memory: the picture, from the second time on
 *
 * What has been painted, for as long as neither marks nor settings change and
 * nothing of the input shows: the third picture and those after it are copies.
 */
typedef struct
{
  CsRasterKey key;
  CsRasterFormat format;
  guint n_seen;
  CsScratch memory;
} CsRasterKept;

/* Before painting. Returns: whether the output is complete. */
gboolean cs_raster_kept_restore (CsRasterKept * kept, const CsRasterJob * job,
    CsExecutor * executor);

/* After painting. */
void cs_raster_kept_store (CsRasterKept * kept, const CsRasterJob * job,
    CsExecutor * executor);
void cs_raster_kept_clear (CsRasterKept * kept);

G_END_DECLS
