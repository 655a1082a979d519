/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A field of 64 x 64 pixels on the CPU: it takes its marks nearest first, some
 * at a time, from the array of all marks or from a bin, and hands them to its
 * tiles of 16 x 16 until these are done. Where marks take away little light,
 * they are painted farthest first instead. */
#include "raster_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define TILES_PER_FIELD (CS_TILES_PER_ROW * CS_TILES_PER_ROW)
#define GROUPS_PER_ROW (CS_TILE / CS_GROUP_WIDTH)

/* From so many marks of one run on, they are painted mark by mark. */
#define LONG_RUN 3

/* Marks taken at a time. */
#define ROUND 128

/* Where marks of less than SMALL pixels take away less light than THIN, on an
 * average, a field is painted from the back: from the front hardly any pixel
 * would be done before its last mark. For larger marks going tile by tile is
 * faster. */
#define THIN 8.f
#define SMALL 32.f

/* A field's marks are scattered in memory: each is fetched so many marks before
 * its turn. */
#define AHEAD 16

typedef struct
{
  CsGroup groups[CS_TILE_GROUPS];
  guint n_open;
  gboolean is_used;
} Tile;

typedef struct
{
  guint16 items[TILES_PER_FIELD][ROUND];
  guint n[TILES_PER_FIELD];
} TileLists;

struct _CsFieldWorker
{
  Tile tiles[TILES_PER_FIELD];
  guint open;                   /* a bit for each tile that takes marks */
  CsStaged staged[ROUND];
  TileLists lists;
  CsCells cells;
};

/* --- A field's marks ------------------------------------------------------ */

/* The source: places on the way from the nearest layer backwards. @n places,
 * the ink's included. @seen: which of the CS_LOOK places from @seen_at on touch
 * the field. */
typedef struct
{
  const guint32 *bin;
  guint32 n, ink_at;
  gboolean has_ink;
  guint32 seen_at;
  guint64 seen;
} Source;

static void
source_init (const CsFieldContext * context, guint field, Source * source)
{
  const CsRasterBins *bins = context->bins;
  const guint32 ink_at = context->order->n - context->job->cut;

  source->bin = NULL;
  source->n = context->order->n;
  source->ink_at = ink_at;
  if (bins->is_used) {
    source->bin = bins->items + bins->starts[field];
    source->n = bins->starts[field + 1] - bins->starts[field];
    source->ink_at = cs_lower_bound (source->bin, source->n, ink_at);
  }
  source->has_ink = context->has_ink;
  source->n += context->has_ink;
  source->seen_at = G_MAXUINT32;
}

/* Sets what touches the field among the places around @place. */
static void
source_look (const CsFieldContext * context, Source * source, guint32 place,
    gint x, gint y)
{
  const guint32 at = place / CS_LOOK * CS_LOOK;
  guint64 seen = G_MAXUINT64;

  if (source->seen_at == at)
    return;
  if (!source->bin)
    seen = cs_lanes ()->look (&context->order->reach,
        at - (source->has_ink && source->ink_at < at), x, y);
  if (source->has_ink && source->ink_at - at < CS_LOOK) {
    const guint64 ink = G_GUINT64_CONSTANT (1) << (source->ink_at - at);

    seen = (seen & (ink - 1)) | ink | (seen & -ink) << 1;
  }
  if (source->n - at < CS_LOOK)
    seen &= (G_GUINT64_CONSTANT (1) << (source->n - at)) - 1;
  source->seen_at = at;
  source->seen = seen;
}

/* The first place from @place on that touches the field, or where to look
 * next. */
static gboolean
source_next (const CsFieldContext * context, Source * source, guint32 * place,
    gint x, gint y)
{
  source_look (context, source, *place, x, y);
  const guint64 seen = source->seen >> *place % CS_LOOK;
  if (seen)
    *place += __builtin_ctzll (seen);
  else
    *place = MIN ((guint64) source->seen_at + CS_LOOK, source->n);
  return seen != 0;
}

/* Likewise the last before @place, which is moved there. */
static gboolean
source_previous (const CsFieldContext * context, Source * source,
    guint32 * place, gint x, gint y)
{
  source_look (context, source, *place - 1, x, y);
  const guint64 seen = source->seen << (CS_LOOK - 1 - (*place - 1) % CS_LOOK);
  *place = seen ? *place - 1 - __builtin_clzll (seen) : source->seen_at;
  return seen != 0;
}

/* Copies the colour of the mark before if it is the same, as it mostly is; not
 * from ink, whose colour is converted in another way. */
static inline void
stage_color (const CsFieldContext * context, CsFieldWorker * worker, guint item)
{
  CsStaged *to = &worker->staged[item];
  const CsStaged *last = item > 0 ? to - 1 : NULL;

  if (last && last->mark.rgba == to->mark.rgba &&
      (!last->is_layer || last->fill)) {
    to->alpha = last->alpha;
    memcpy (to->color, last->color, sizeof (to->color));
  } else {
    to->alpha = cs_raster_color (&context->job->format, to->mark.rgba,
        to->color);
  }
}

static void
stage_mark (const CsFieldContext * context, guint32 index, guint32 at,
    CsStaged * staged)
{
  const CsRasterFormat *f = &context->job->format;
  const CsRasterMark *mark = &context->order->marks[index];
  const float reach = mark->radius + mark->half_width + .5f +
      cs_raster_slack (mark);
  const float ex = mark->x + mark->bx, ey = mark->y + mark->by;

  staged->mark = *mark;
  cs_raster_shape (mark, f->antialias, &staged->shape);
  staged->x0 = MIN (mark->x, ex) - reach;
  staged->y0 = MIN (mark->y, ey) - reach;
  staged->x1 = MAX (mark->x, ex) + reach;
  staged->y1 = MAX (mark->y, ey) + reach;
  staged->at = at;
  staged->is_layer = FALSE;
  staged->fill = NULL;
  staged->gradient = NULL;
  staged->is_disc = mark->half_width == 0 && staged->shape.inv == 0;
}

/* Where @at lies among tiles from @start on, or the first or last of them. */
static inline guint
find_tile (float at, gint start)
{
  return (guint) CLAMP (at - (float) start, 0, CS_FIELD - 1) / CS_TILE;
}

/* Which tiles of the field at (@x, @y), by rows, a mark that touches it may
 * touch, by its bounds. */
static inline guint
tiles_inside (const CsStaged * s, gint x, gint y)
{
  const guint last = CS_TILES_PER_ROW - 1;
  const guint columns = (0xfu << find_tile (s->x0, x)) &
      (0xfu >> (last - find_tile (s->x1, x)));
  const guint rows = (0xffffu << 4 * find_tile (s->y0, y)) &
      (0xffffu >> 4 * (last - find_tile (s->y1, y)));

  return columns * 0x1111 & rows;
}

/* Puts a staged mark on the lists of the tiles that it touches. */
static void
list_mark (CsFieldWorker * worker, guint item, gint x, gint y)
{
  const CsStaged *s = &worker->staged[item];
  TileLists *lists = &worker->lists;
  float disc[3];
  guint seen;

  if (s->x1 - s->x0 <= CS_TILE && s->y1 - s->y0 <= CS_TILE) {
    for (seen = tiles_inside (s, x, y) & worker->open; seen; seen &= seen - 1) {
      const guint tile = __builtin_ctz (seen);

      lists->items[tile][lists->n[tile]++] = item;
    }
    return;
  }
  cs_raster_reach (&s->mark, disc);
  CsRasterReach reach = { disc[0], disc[1], disc[2] * disc[2] };
  seen = cs_lanes ()->look_tiles (&reach, x, y) & worker->open;
  for (; seen; seen &= seen - 1) {
    const guint tile = __builtin_ctz (seen);
    const float left = x + (gint) (tile % CS_TILES_PER_ROW) * CS_TILE;
    const float top = y + (gint) (tile / CS_TILES_PER_ROW) * CS_TILE;

    if (s->is_disc || cs_raster_touches (&s->mark, left, top,
            left + (CS_TILE - 1), top + (CS_TILE - 1)))
      lists->items[tile][lists->n[tile]++] = item;
  }
}

/* The ink goes where there is some. */
static void
list_ink (const CsFieldContext * context, CsFieldWorker * worker, guint item,
    gint x, gint y)
{
  const CsRasterFormat *f = &context->job->format;
  const CsRasterInk *ink = context->group.ink;
  TileLists *lists = &worker->lists;

  for (guint tile = 0; tile < TILES_PER_FIELD; tile++) {
    const gint left = x + tile % CS_TILES_PER_ROW * CS_TILE;
    const gint top = y + tile / CS_TILES_PER_ROW * CS_TILE;

    if (left < f->width && top < f->height &&
        ink->blocks[(gsize) (top / CS_TILE) * ink->blocks_per_row +
            left / CS_TILE])
      lists->items[tile][lists->n[tile]++] = item;
  }
}

static const CsFillRegion *
find_fill (const CsFieldContext * context, const CsRasterMark * mark)
{
  return &cs_array_index (&context->job->fills->regions, CsFillRegion,
      mark->run & ~CS_FILL_RUN);
}

/* A fill goes where something of it is inside. */
static void
list_fill (const CsFieldContext * context, CsFieldWorker * worker, guint item,
    gint x, gint y)
{
  const guint32 *cells = context->group.fills->cells;
  CsStaged *s = &worker->staged[item];
  TileLists *lists = &worker->lists;

  s->fill = find_fill (context, &s->mark);
  s->is_layer = TRUE;
  for (guint tile = 0; tile < TILES_PER_FIELD; tile++) {
    if ((worker->open >> tile & 1) && cs_fill_cell (s->fill, cells,
            x / CS_TILE + (gint) (tile % CS_TILES_PER_ROW),
            y / CS_TILE + (gint) (tile / CS_TILES_PER_ROW)) != CS_FILL_EMPTY)
      lists->items[tile][lists->n[tile]++] = item;
  }
}

static void
stage_gradient (const CsFieldContext * context, CsStaged * s)
{
  const guint32 rgba = s->mark.rgba;

  s->gradient = &context->job->marks->gradients->gradients[s->mark.run &
      ~CS_GRADIENT_RUN];
  s->rgb[0] = cs_raster_byte (rgba >> 24);
  s->rgb[1] = cs_raster_byte (rgba >> 16 & 255);
  s->rgb[2] = cs_raster_byte (rgba >> 8 & 255);
  s->scale = cs_gradient_scale (s->mark.radius);
}

/* Takes the mark at one place of the source. */
static void
take (const CsFieldContext * context, const Source * source,
    CsFieldWorker * worker, guint32 place, guint item, gint x, gint y)
{
  guint32 index = place;

  if (source->has_ink && place == source->ink_at) {
    worker->staged[item] = context->staged_ink;
    worker->staged[item].at = place;
    list_ink (context, worker, item, x, y);
    return;
  }
  if (source->has_ink && place > source->ink_at)
    index--;
  if (source->bin)
    index = source->bin[index];
  stage_mark (context, index, place, &worker->staged[item]);
  stage_color (context, worker, item);
  if (worker->staged[item].mark.run & CS_FILL_RUN) {
    list_fill (context, worker, item, x, y);
    return;
  }
  if (context->group.stops && (worker->staged[item].mark.run &
          CS_GRADIENT_RUN) && worker->staged[item].mark.radius >= 0)
    stage_gradient (context, &worker->staged[item]);
  list_mark (worker, item, x, y);
}

/* --- Fields --------------------------------------------------------------- */

static gboolean
tile_is_inside (const CsRasterFormat * f, gint x, gint y)
{
  return x < f->width && y < f->height;
}

static void
tile_begin (const CsRasterFormat * f, Tile * tile, gint x, gint y)
{
  for (guint i = 0; i < CS_TILE_GROUPS; i++) {
    const gint left = x + (gint) (i % GROUPS_PER_ROW) * CS_GROUP_WIDTH;
    const gint top = y + (gint) (i / GROUPS_PER_ROW) * CS_GROUP_HEIGHT;

    cs_group_init (&tile->groups[i], f, left, top);
    if (!tile_is_inside (f, left, top))
      tile->groups[i].state = CS_GROUP_DONE;
  }
  tile->is_used = TRUE;
}

static void
tile_paint_groups (const CsFieldContext * context,
    const CsFieldWorker * worker, Tile * tile, const guint16 * list, guint n)
{
  for (guint i = 0; n > 0 && i < CS_TILE_GROUPS; i++) {
    if (tile->groups[i].state == CS_GROUP_OPEN)
      cs_lanes ()->paint (&context->group, &tile->groups[i], worker->staged,
          list, n);
  }
}

/* How many of @n marks are discs and capsules of one run, from the first on. */
static guint
run_length (const CsFieldContext * context, const CsFieldWorker * worker,
    const guint16 * list, guint n)
{
  const CsStaged *staged = worker->staged;
  const guint32 run = staged[list[0]].mark.run;
  guint i = 0;

  if (!context->group.has_runs || !context->job->format.antialias)
    return 0;
  while (i < n && staged[list[i]].mark.run == run &&
      !staged[list[i]].is_layer && !staged[list[i]].gradient &&
      staged[list[i]].mark.half_width == 0)
    i++;
  return i;
}

static void
tile_paint (const CsFieldContext * context, CsFieldWorker * worker, guint index)
{
  Tile *tile = &worker->tiles[index];
  const guint16 *list = worker->lists.items[index];
  const guint n = worker->lists.n[index];
  guint first = 0, i;

  for (i = 0; i < n; i++) {
    const guint length = run_length (context, worker, list + i, n - i);

    if (length < LONG_RUN)
      continue;
    tile_paint_groups (context, worker, tile, list + first, i - first);
    cs_lanes ()->paint_run (&context->group, tile->groups, worker->staged,
        list + i, length);
    first = i + length;
    i = first - 1;
  }
  tile_paint_groups (context, worker, tile, list + first, n - first);
  tile->n_open = 0;
  for (i = 0; i < CS_TILE_GROUPS; i++)
    tile->n_open += tile->groups[i].state == CS_GROUP_OPEN;
}

static guint
open_tiles (const CsFieldWorker * worker)
{
  guint open = 0, i;

  for (i = 0; i < TILES_PER_FIELD; i++)
    open |= (worker->tiles[i].n_open > 0) << i;
  return open;
}

/* From the front, until all tiles are done. */
static void
field_paint (const CsFieldContext * context, CsFieldWorker * worker,
    Source * source, gint x, gint y)
{
  const CsRasterFormat *f = &context->job->format;
  guint32 place = 0;

  while (place < source->n && (worker->open = open_tiles (worker)) != 0) {
    memset (worker->lists.n, 0, sizeof (worker->lists.n));
    for (guint n = 0; n < ROUND && place < source->n;) {
      if (source_next (context, source, &place, x, y))
        take (context, source, worker, place++, n++, x, y);
    }
    for (guint i = 0; i < TILES_PER_FIELD; i++) {
      Tile *tile = &worker->tiles[i];

      if (tile->n_open == 0 || worker->lists.n[i] == 0)
        continue;
      if (!tile->is_used)
        tile_begin (f, tile, x + (gint) (i % CS_TILES_PER_ROW) * CS_TILE,
            y + (gint) (i / CS_TILES_PER_ROW) * CS_TILE);
      tile_paint (context, worker, i);
    }
  }
}

/* Closes all tiles; returns the number of groups to be painted again. */
static guint
field_finish (const CsFieldContext * context, CsFieldWorker * worker, gint x,
    gint y)
{
  const CsRasterFormat *f = &context->job->format;
  guint i, j, n = 0;

  for (i = 0; i < TILES_PER_FIELD; i++) {
    Tile *tile = &worker->tiles[i];
    const gint left = x + (gint) (i % CS_TILES_PER_ROW) * CS_TILE;
    const gint top = y + (gint) (i / CS_TILES_PER_ROW) * CS_TILE;

    if (!tile_is_inside (f, left, top))
      continue;
    /* what nothing touches is in the output already */
    if (!tile->is_used && f->has_frame)
      continue;
    if (!tile->is_used)
      tile_begin (f, tile, left, top);
    for (j = 0; j < CS_TILE_GROUPS; j++) {
      cs_group_finish (&context->group, &tile->groups[j]);
      n += tile->groups[j].state != CS_GROUP_DONE;
    }
  }
  return n;
}

typedef struct
{
  CsGroup *group;
  guint tile;
  CsGroupBounds bounds;
} Again;

#define MAX_AGAIN 64

/* Collects groups in @state, at most MAX_AGAIN. */
static guint
collect (CsFieldWorker * worker, Again * again, guint32 * end)
{
  guint i, j, n = 0;

  *end = 0;
  for (i = 0; i < TILES_PER_FIELD; i++) {
    Tile *tile = &worker->tiles[i];

    for (j = 0; tile->is_used && j < CS_TILE_GROUPS && n < MAX_AGAIN; j++) {
      CsGroup *group = &tile->groups[j];

      if (group->state == CS_GROUP_DONE)
        continue;
      again[n].group = group;
      again[n].tile = i;
      n++;
      *end = MAX (*end, group->state == CS_GROUP_REPLAY_ALL ? G_MAXUINT32 :
          group->end);
    }
  }
  return n;
}

/* Paints some groups from the back to the front. */
static void
field_replay (const CsFieldContext * context, CsFieldWorker * worker,
    Source * source, gint x, gint y)
{
  Again again[MAX_AGAIN];
  guint32 place;
  const guint n_again = collect (worker, again, &place);

  worker->open = 0;
  for (guint i = 0; i < n_again; i++)
    worker->open |= 1u << again[i].tile;
  place = MIN (place, source->n);
  for (guint i = 0; i < n_again; i++)
    cs_group_replay_begin (&context->group, again[i].group, &again[i].bounds);
  while (place > 0) {
    memset (worker->lists.n, 0, sizeof (worker->lists.n));
    for (guint n = 0; n < ROUND && place > 0;) {
      if (source_previous (context, source, &place, x, y))
        take (context, source, worker, place, n++, x, y);
    }
    for (guint i = 0; i < n_again; i++)
      cs_lanes ()->replay (&context->group, again[i].group, &again[i].bounds,
          worker->staged, worker->lists.items[again[i].tile],
          worker->lists.n[again[i].tile]);
  }
  for (guint i = 0; i < n_again; i++)
    cs_group_replay_end (&context->group, again[i].group, &again[i].bounds);
}

/* --- Thin fields ---------------------------------------------------------- */

/* How many pixels of a field a mark covers, roughly; without its ends if it
 * @joins the one before it. */
static inline float
covered_pixels (const CsRasterMark * mark, gboolean joins)
{
  const float size = mark->radius + mark->half_width;
  float area = joins ? 0 : (float) G_PI * size * size;

  if (mark->bx != 0 || mark->by != 0)
    area += 2 * size * (fabsf (mark->bx) + fabsf (mark->by));
  return MIN (area, CS_FIELD * CS_FIELD);
}

/* How many pixels of a field the tiles of a fill have. */
static float
filled_pixels (const CsFieldContext * context, const CsRasterMark * mark,
    guint field)
{
  const CsFillRegion *region = find_fill (context, mark);
  const gint x = field % context->fields_per_row * CS_TILES_PER_ROW;
  const gint y = field / context->fields_per_row * CS_TILES_PER_ROW;
  const gint columns = MIN (region->tile_x + region->n_columns,
      x + CS_TILES_PER_ROW) - MAX (region->tile_x, x);
  const gint rows = MIN (region->tile_y + region->n_rows,
      y + CS_TILES_PER_ROW) - MAX (region->tile_y, y);

  return MAX (columns, 0) * MAX (rows, 0) * CS_TILE * CS_TILE;
}

/* Whether marks of one run can be painted together: what covers a pixel is the
 * nearest line then. */
static inline gboolean
fit_together (const CsRasterMark * a, const CsRasterMark * b)
{
  return a->half_width == 0 && b->half_width == 0 && a->radius == b->radius;
}

static gboolean
field_is_thin (const CsFieldContext * context, guint field)
{
  const CsRasterBins *bins = context->bins;
  const CsRasterMark *last = NULL;
  float sum = 0, covered = 0;
  guint32 n_fills = 0, i;

  if (!context->is_simple || !bins->is_used)
    return FALSE;
  for (i = bins->starts[field]; i < bins->starts[field + 1] &&
      sum < THIN * CS_FIELD * CS_FIELD; i++) {
    const CsRasterMark *mark = &context->order->marks[bins->items[i]];
    const gboolean joins = last && last->run == mark->run;

    if (mark->run & CS_FILL_RUN) {
      sum += filled_pixels (context, mark, field) *
          context->thickness[mark->rgba & 255];
      last = NULL;
      n_fills++;
      continue;
    }
    const float area = covered_pixels (mark, joins);
    if (joins && !fit_together (last, mark))
      return FALSE;
    last = mark;
    if (i + AHEAD < bins->starts[field + 1])
      __builtin_prefetch (&context->order->marks[bins->items[i + AHEAD]]);
    covered += area;
    sum += area * context->thickness[mark->rgba & 255];
  }
  return i == bins->starts[field + 1] &&
      covered <= SMALL * (float) (i - bins->starts[field] - n_fills);
}

/* The run of the last of @n marks: how many they are. */
static guint32
last_run (const CsRasterMark * marks, const guint32 * items, guint32 n)
{
  const guint32 run = marks[items[n - 1]].run;
  guint32 i = n - 1;

  while (i > 0 && marks[items[i - 1]].run == run)
    i--;
  return n - i;
}

/* The sequential algorithm. */
static void
field_paint_thin (const CsFieldContext * context, CsFieldWorker * worker,
    guint field, gint x, gint y)
{
  const CsRasterFormat *f = &context->job->format;
  const CsRasterBins *bins = context->bins;
  const CsRasterMark *marks = context->order->marks;
  const guint32 *items = bins->items + bins->starts[field];
  CsStaged *staged = &worker->staged[0];
  guint32 n = bins->starts[field + 1] - bins->starts[field];

  cs_cells_init (&worker->cells, x, y, context->has_lanes);
  while (n > 0 && context->has_lanes) {
    const CsRasterMark *last = &marks[items[n - 1]];

    if (last->run & CS_FILL_RUN) {
      cs_lanes ()->paint_fill (&context->group, &worker->cells,
          find_fill (context, last), last->rgba);
      n--;
      continue;
    }
    const guint32 length = last_run (marks, items, n);
    n -= length;
    cs_lanes ()->paint_joined (f, &worker->cells, marks, items + n, length);
  }
  while (n-- > 0) {
    if (n >= AHEAD)
      __builtin_prefetch (&marks[items[n - AHEAD]]);
    stage_mark (context, items[n], 0, staged);
    staged->alpha = cs_raster_color (f, staged->mark.rgba, staged->color);
    cs_lanes ()->paint_mark (f, &worker->cells, staged);
  }
  cs_lanes ()->write_cells (f, &worker->cells);
}

void
cs_field_context_set_thickness (CsFieldContext * context)
{
  const CsRasterJob *job = context->job;

  if (context->direct)
    return;
  context->is_simple = !context->has_ink && !job->marks->gradients;
  context->has_lanes = context->order->has_runs || job->fills;
  for (guint i = 0; i < 256; i++) {
    const float through = 1.f - cs_raster_byte (i) * job->format.opacity;

    context->thickness[i] = through > 0 ? MIN (-logf (through), THIN) : THIN;
  }
}

void
cs_field_context_set_ink (CsFieldContext * context, const CsInkCpu * canvas,
    CsRasterInk * ink)
{
  const CsRasterJob *job = context->job;
  CsStaged *staged = &context->staged_ink;

  context->has_ink = TRUE;
  ink->pixels = canvas->pixels;
  ink->blocks = canvas->blocks;
  ink->alpha = cs_raster_color (&job->format, job->ink_rgba, ink->color);
  staged->is_layer = TRUE;
  staged->alpha = 1;
  memcpy (staged->color, ink->color, sizeof (ink->color));
  staged->mark.run = G_MAXUINT32;
  staged->x0 = staged->y0 = -1;
  staged->x1 = staged->y1 = (float) G_MAXINT32;
}

CsFieldWorker *
cs_field_worker_new (GError ** error)
{
  const gsize size = (sizeof (CsFieldWorker) + 63) / 64 * 64;
  CsFieldWorker *worker = cs_aligned_alloc (64, size);

  if (!worker)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_NO_MEMORY,
        "cannot allocate memory for a thread's tiles");
  memset (worker, 0, size);
  cs_cells_clear (&worker->cells);
  return worker;
}

void
cs_field_worker_free (CsFieldWorker * worker)
{
  free (worker);
}

guint64
cs_field_run (const CsFieldContext * context, CsFieldWorker * worker,
    guint index)
{
  const gint x = index % context->fields_per_row * CS_FIELD;
  const gint y = index / context->fields_per_row * CS_FIELD;
  Source source;

  if (context->direct) {
    cs_cells_init (&worker->cells, x, y, FALSE);
    cs_raster_direct_paint (context->direct, &context->job->format,
        &worker->cells, index);
    return 0;
  }
  if (field_is_thin (context, index)) {
    field_paint_thin (context, worker, index, x, y);
    return 0;
  }
  for (guint i = 0; i < TILES_PER_FIELD; i++) {
    worker->tiles[i].is_used = FALSE;
    worker->tiles[i].n_open = tile_is_inside (&context->job->format,
        x + (gint) (i % CS_TILES_PER_ROW) * CS_TILE,
        y + (gint) (i / CS_TILES_PER_ROW) * CS_TILE);
  }
  source_init (context, index, &source);
  field_paint (context, worker, &source, x, y);
  guint n = field_finish (context, worker, x, y);
  const guint64 replayed = n * CS_GROUP_PIXELS;
  while (n > 0) {
    field_replay (context, worker, &source, x, y);
    n = field_finish (context, worker, x, y);
  }
  return replayed;
}
