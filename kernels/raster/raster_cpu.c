/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tile engine on the CPU. Fields of 64 x 64 pixels are independent; each
 * takes its marks nearest first, some at a time, from the array of all marks or
 * from a bin, and hands them to its tiles of 16 x 16 until these are done. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "raster_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define FIELD CS_FIELD
#define TILE CS_TILE
#define TILES_PER_ROW CS_TILES_PER_ROW
#define TILES_PER_FIELD (TILES_PER_ROW * TILES_PER_ROW)
#define GROUPS_PER_ROW (TILE / CS_GROUP_WIDTH)
#define GROUPS_PER_TILE (GROUPS_PER_ROW * TILE / CS_GROUP_HEIGHT)

/* Marks taken at a time. */
#define ROUND 128

/* What choosing between bins and the whole array goes by: nanoseconds for
 * looking at a mark, and for putting it into a bin; how many layers a pixel
 * needs until nothing is seen of what is behind. */
#define LOOK_COST .5
#define BIN_COST 5.
#define LAYERS_NEEDED 40.

typedef struct
{
  CsGroup groups[GROUPS_PER_TILE];
  guint n_open;
  gboolean is_used;
} Tile;

typedef struct
{
  guint16 items[TILES_PER_FIELD][ROUND];
  guint n[TILES_PER_FIELD];
} TileLists;

/* What one thread works with. */
typedef struct _Worker Worker;
struct _Worker
{
  Worker *next;
  Tile tiles[TILES_PER_FIELD];
  guint open;                   /* a bit for each tile that takes marks */
  CsStaged staged[ROUND];
  TileLists lists;
  guint64 replayed;
};

typedef struct
{
  CsExecutor *executor;
  CsRasterOrder order;
  CsFillCover fills;
  CsRasterKey fills_key;
  CsScratch bins_memory, starts_memory;
  guint32 *bins, *starts;
  gboolean has_bins;
  CsRasterKey bins_key;
  float *tables;
  gint table_max;
  guint n_workers;
  Worker *all_workers, *workers;
  GMutex lock;
  guint64 replayed;
} State;

/* One run. */
typedef struct
{
  State *state;
  const CsRasterJob *job;
  CsGroupContext context;
  CsRasterInk ink;
  CsStaged staged_ink;
  gboolean has_ink;
  guint32 ink_at;
  guint fields_per_row, field_rows;
} Run;

/* --- Tables --------------------------------------------------------------- */

static gboolean
set_tables (State * state, CsRasterFormat * f, GError ** error)
{
  const gsize n = f->table_max + 1;

  if (!f->linear)
    return TRUE;
  if (state->table_max != f->table_max) {
    float *tables = cs_try_new (float, 2 * n + 256);

    if (!tables) {
      g_set_error (error, CS_ERROR, CS_ERROR_NO_MEMORY,
          "cannot allocate tables of light");
      return FALSE;
    }
    g_free (state->tables);
    state->tables = tables;
    state->table_max = f->table_max;
    cs_raster_make_tables (f->table_max, tables, tables + n, tables + 2 * n);
  }
  f->decode = state->tables;
  f->encode = state->tables + n;
  f->bytes = state->tables + 2 * n;
  return TRUE;
}

/* --- Bins ----------------------------------------------------------------- */

/* The fields that a mark's bounds touch, inclusive. */
static void
field_range (const CsRasterMark * mark, const Run * run, gint range[4])
{
  const float reach = mark->radius + mark->half_width + .5f +
      cs_raster_slack (mark);
  const float ex = mark->x + mark->bx, ey = mark->y + mark->by;
  const float right = run->fields_per_row - 1, bottom = run->field_rows - 1;

  range[0] = CLAMP ((MIN (mark->x, ex) - reach) / FIELD, 0, right);
  range[1] = CLAMP ((MIN (mark->y, ey) - reach) / FIELD, 0, bottom);
  range[2] = CLAMP ((MAX (mark->x, ex) + reach) / FIELD, 0, right);
  range[3] = CLAMP ((MAX (mark->y, ey) + reach) / FIELD, 0, bottom);
}

static inline gboolean
touches_field (const CsRasterMark * mark, guint field_x, guint field_y)
{
  const float x = (float) field_x * FIELD, y = (float) field_y * FIELD;

  return cs_raster_touches (mark, x, y, x + (FIELD - 1), y + (FIELD - 1));
}

/* Calls for each field that a mark touches: counts, or fills in. */
static guint64
each_field (const Run * run, guint32 * starts, guint32 * bins)
{
  const CsRasterOrder *order = &run->state->order;
  guint64 n = 0;
  gsize i;

  for (i = 0; i < order->n; i++) {
    const CsRasterMark *mark = &order->marks[i];
    gboolean is_one;
    gint range[4], x, y;

    if (mark->radius < 0)
      continue;
    field_range (mark, run, range);
    is_one = range[0] == range[2] && range[1] == range[3];
    for (y = range[1]; y <= range[3]; y++) {
      for (x = range[0]; x <= range[2]; x++) {
        const guint field = y * run->fields_per_row + x;

        if (!is_one && !touches_field (mark, x, y))
          continue;
        if (bins)
          bins[starts[field]++] = i;
        else
          starts[field]++;
        n++;
      }
    }
  }
  return n;
}

/* Whether looking at all marks for each field costs more than bins. */
static gboolean
wants_bins (const Run * run)
{
  const CsRasterOrder *order = &run->state->order;
  const CsRasterFormat *f = &run->job->format;
  const double pixels = (double) f->width * f->height;
  const double fields = (double) run->fields_per_row * run->field_rows;
  const double painted = order->n - order->dropped;
  double mean, entries, needed;

  if (painted < 1)
    return FALSE;
  mean = MAX (order->area / painted, 1);
  needed = MIN (order->n, LAYERS_NEEDED * pixels / mean);
  entries = painted * (sqrt (mean) / FIELD + 1) * (sqrt (mean) / FIELD + 1);
  entries = MIN (entries, painted * fields);
  return entries < G_MAXUINT32 / 2 &&
      entries * BIN_COST < fields * needed * LOOK_COST;
}

static gboolean
make_bins (Run * run, GError ** error)
{
  State *state = run->state;
  const gsize n_fields = (gsize) run->fields_per_row * run->field_rows;
  guint32 sum = 0;
  guint64 n;
  gsize i;

  if (cs_raster_key_equal (&state->bins_key, &state->order.key))
    return TRUE;
  memset (&state->bins_key, 0, sizeof (state->bins_key));
  state->has_bins = FALSE;
  if (wants_bins (run)) {
    state->starts = cs_scratch_ensure (&state->starts_memory,
        (n_fields + 2) * sizeof (guint32), error);
    if (!state->starts)
      return FALSE;
    /* one place ahead, so that filling in moves each start to its place */
    memset (state->starts, 0, (n_fields + 2) * sizeof (guint32));
    n = each_field (run, state->starts + 2, NULL);
    if (n < G_MAXUINT32) {
      state->bins = cs_scratch_ensure (&state->bins_memory,
          n * sizeof (guint32), error);
      if (!state->bins)
        return FALSE;
      for (i = 2; i < n_fields + 2; i++) {
        sum += state->starts[i];
        state->starts[i] = sum;
      }
      each_field (run, state->starts + 1, state->bins);
      state->has_bins = TRUE;
    }
  }
  state->bins_key = state->order.key;
  return TRUE;
}

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

static guint32
find_in_bin (const guint32 * bin, guint32 n, guint32 index)
{
  guint32 low = 0, high = n;

  while (low < high) {
    const guint32 middle = low + (high - low) / 2;

    if (bin[middle] < index)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void
source_init (const Run * run, guint field, Source * source)
{
  const State *state = run->state;
  const guint32 ink_at = state->order.n - run->job->cut;

  source->bin = NULL;
  source->n = state->order.n;
  source->ink_at = ink_at;
  if (state->has_bins) {
    source->bin = state->bins + state->starts[field];
    source->n = state->starts[field + 1] - state->starts[field];
    source->ink_at = find_in_bin (source->bin, source->n, ink_at);
  }
  source->has_ink = run->has_ink;
  source->n += run->has_ink;
  source->seen_at = G_MAXUINT32;
}

/* Sets what touches the field among the places around @place. */
static void
source_look (const Run * run, Source * source, guint32 place, gint x, gint y)
{
  const guint32 at = place / CS_LOOK * CS_LOOK;
  guint64 seen = G_MAXUINT64;

  if (source->seen_at == at)
    return;
  if (!source->bin)
    seen = cs_raster_look (&run->state->order.reach,
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
source_next (const Run * run, Source * source, guint32 * place, gint x, gint y)
{
  guint64 seen;

  source_look (run, source, *place, x, y);
  seen = source->seen >> *place % CS_LOOK;
  if (seen)
    *place += __builtin_ctzll (seen);
  else
    *place = MIN ((guint64) source->seen_at + CS_LOOK, source->n);
  return seen != 0;
}

/* Likewise the last before @place, which is moved there. */
static gboolean
source_previous (const Run * run, Source * source, guint32 * place, gint x,
    gint y)
{
  guint64 seen;

  source_look (run, source, *place - 1, x, y);
  seen = source->seen << (CS_LOOK - 1 - (*place - 1) % CS_LOOK);
  *place = seen ? *place - 1 - __builtin_clzll (seen) : source->seen_at;
  return seen != 0;
}

/* Neighbours mostly have one colour; the ink's is another sort. */
static inline void
stage_color (const Run * run, Worker * worker, guint item)
{
  CsStaged *to = &worker->staged[item];
  const CsStaged *last = item > 0 ? to - 1 : NULL;

  if (last && last->mark.rgba == to->mark.rgba &&
      (!last->is_layer || last->fill)) {
    to->alpha = last->alpha;
    memcpy (to->color, last->color, sizeof (to->color));
  } else {
    to->alpha = cs_raster_color (&run->job->format, to->mark.rgba, to->color);
  }
}

static void
stage_mark (const Run * run, guint32 index, guint32 at, CsStaged * staged)
{
  const CsRasterFormat *f = &run->job->format;
  const CsRasterMark *mark = &run->state->order.marks[index];
  const CsRasterReaches *reaches = &run->state->order.reach;
  const float reach = mark->radius + mark->half_width + .5f +
      cs_raster_slack (mark);
  const float ex = mark->x + mark->bx, ey = mark->y + mark->by;

  staged->mark = *mark;
  cs_raster_shape (mark, f->antialias, &staged->shape);
  staged->x0 = MIN (mark->x, ex) - reach;
  staged->y0 = MIN (mark->y, ey) - reach;
  staged->x1 = MAX (mark->x, ex) + reach;
  staged->y1 = MAX (mark->y, ey) + reach;
  staged->reach.x = reaches->x[index];
  staged->reach.y = reaches->y[index];
  staged->reach.reach2 = reaches->reach2[index];
  staged->at = at;
  staged->is_layer = FALSE;
  staged->fill = NULL;
  staged->is_disc = mark->half_width == 0 && staged->shape.inv == 0;
}

/* Puts a staged mark on the lists of the tiles that it touches. */
static void
list_mark (Worker * worker, guint item, gint x, gint y)
{
  const CsStaged *s = &worker->staged[item];
  TileLists *lists = &worker->lists;
  guint seen = cs_raster_look_tiles (&s->reach, x, y) & worker->open;

  for (; seen; seen &= seen - 1) {
    const guint tile = __builtin_ctz (seen);
    const float left = x + (gint) (tile % TILES_PER_ROW) * TILE;
    const float top = y + (gint) (tile / TILES_PER_ROW) * TILE;

    if (s->is_disc || cs_raster_touches (&s->mark, left, top,
            left + (TILE - 1), top + (TILE - 1)))
      lists->items[tile][lists->n[tile]++] = item;
  }
}

/* The ink goes where there is some. */
static void
list_ink (const Run * run, Worker * worker, guint item, gint x, gint y)
{
  const CsRasterFormat *f = &run->job->format;
  TileLists *lists = &worker->lists;
  guint tile;

  for (tile = 0; tile < TILES_PER_FIELD; tile++) {
    const gint left = x + tile % TILES_PER_ROW * TILE;
    const gint top = y + tile / TILES_PER_ROW * TILE;

    if (left < f->width && top < f->height &&
        run->ink.blocks[(gsize) (top / TILE) * run->ink.blocks_per_row +
            left / TILE])
      lists->items[tile][lists->n[tile]++] = item;
  }
}

/* A fill goes where something of it is inside. */
static void
list_fill (const Run * run, Worker * worker, guint item, gint x, gint y)
{
  const guint32 *cells = run->state->fills.cells;
  CsStaged *s = &worker->staged[item];
  TileLists *lists = &worker->lists;
  guint tile;

  s->fill = &cs_array_index (&run->job->fills->regions, CsFillRegion,
      s->mark.run & ~CS_FILL_RUN);
  s->is_layer = TRUE;
  for (tile = 0; tile < TILES_PER_FIELD; tile++) {
    if ((worker->open >> tile & 1) && cs_fill_cell (s->fill, cells,
            x / TILE + (gint) (tile % TILES_PER_ROW),
            y / TILE + (gint) (tile / TILES_PER_ROW)) != CS_FILL_EMPTY)
      lists->items[tile][lists->n[tile]++] = item;
  }
}

/* Takes the mark at one place of the source. */
static void
take (const Run * run, const Source * source, Worker * worker, guint32 place,
    guint item, gint x, gint y)
{
  guint32 index = place;

  if (source->has_ink && place == source->ink_at) {
    worker->staged[item] = run->staged_ink;
    worker->staged[item].at = place;
    list_ink (run, worker, item, x, y);
    return;
  }
  if (source->has_ink && place > source->ink_at)
    index--;
  if (source->bin)
    index = source->bin[index];
  stage_mark (run, index, place, &worker->staged[item]);
  stage_color (run, worker, item);
  if (worker->staged[item].mark.run & CS_FILL_RUN)
    list_fill (run, worker, item, x, y);
  else
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
  guint i;

  for (i = 0; i < GROUPS_PER_TILE; i++) {
    const gint left = x + (gint) (i % GROUPS_PER_ROW) * CS_GROUP_WIDTH;
    const gint top = y + (gint) (i / GROUPS_PER_ROW) * CS_GROUP_HEIGHT;

    cs_group_init (&tile->groups[i], f, left, top);
    if (!tile_is_inside (f, left, top))
      tile->groups[i].state = CS_GROUP_DONE;
  }
  tile->is_used = TRUE;
}

static void
tile_paint (const Run * run, Worker * worker, guint index)
{
  Tile *tile = &worker->tiles[index];
  guint i;

  tile->n_open = 0;
  for (i = 0; i < GROUPS_PER_TILE; i++) {
    CsGroup *group = &tile->groups[i];

    if (group->state != CS_GROUP_OPEN)
      continue;
    cs_group_paint (&run->context, group, worker->staged,
        worker->lists.items[index], worker->lists.n[index]);
    tile->n_open += group->state == CS_GROUP_OPEN;
  }
}

static guint
open_tiles (const Worker * worker)
{
  guint open = 0, i;

  for (i = 0; i < TILES_PER_FIELD; i++)
    open |= (worker->tiles[i].n_open > 0) << i;
  return open;
}

/* From the front, until all tiles are done. */
static void
field_paint (const Run * run, Worker * worker, Source * source, gint x,
    gint y)
{
  const CsRasterFormat *f = &run->job->format;
  guint32 place = 0;
  guint i, n;

  while (place < source->n && (worker->open = open_tiles (worker)) != 0) {
    memset (worker->lists.n, 0, sizeof (worker->lists.n));
    for (n = 0; n < ROUND && place < source->n;) {
      if (source_next (run, source, &place, x, y))
        take (run, source, worker, place++, n++, x, y);
    }
    for (i = 0; i < TILES_PER_FIELD; i++) {
      Tile *tile = &worker->tiles[i];

      if (tile->n_open == 0 || worker->lists.n[i] == 0)
        continue;
      if (!tile->is_used)
        tile_begin (f, tile, x + (gint) (i % TILES_PER_ROW) * TILE,
            y + (gint) (i / TILES_PER_ROW) * TILE);
      tile_paint (run, worker, i);
    }
  }
}

/* Closes all tiles; returns the number of groups to be painted again. */
static guint
field_finish (const Run * run, Worker * worker, gint x, gint y)
{
  const CsRasterFormat *f = &run->job->format;
  guint i, j, n = 0;

  for (i = 0; i < TILES_PER_FIELD; i++) {
    Tile *tile = &worker->tiles[i];
    const gint left = x + (gint) (i % TILES_PER_ROW) * TILE;
    const gint top = y + (gint) (i / TILES_PER_ROW) * TILE;

    if (!tile_is_inside (f, left, top))
      continue;
    /* what nothing touches is in the output already */
    if (!tile->is_used && f->has_frame)
      continue;
    if (!tile->is_used)
      tile_begin (f, tile, left, top);
    for (j = 0; j < GROUPS_PER_TILE; j++) {
      cs_group_finish (&run->context, &tile->groups[j]);
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
collect (Worker * worker, Again * again, guint32 * end)
{
  guint i, j, n = 0;

  *end = 0;
  for (i = 0; i < TILES_PER_FIELD; i++) {
    Tile *tile = &worker->tiles[i];

    for (j = 0; tile->is_used && j < GROUPS_PER_TILE && n < MAX_AGAIN; j++) {
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
field_replay (const Run * run, Worker * worker, Source * source, gint x,
    gint y)
{
  Again again[MAX_AGAIN];
  guint32 place;
  guint i, n, n_again;

  n_again = collect (worker, again, &place);
  worker->open = 0;
  for (i = 0; i < n_again; i++)
    worker->open |= 1u << again[i].tile;
  place = MIN (place, source->n);
  for (i = 0; i < n_again; i++)
    cs_group_replay_begin (&run->context, again[i].group, &again[i].bounds);
  while (place > 0) {
    memset (worker->lists.n, 0, sizeof (worker->lists.n));
    for (n = 0; n < ROUND && place > 0;) {
      if (source_previous (run, source, &place, x, y))
        take (run, source, worker, place, n++, x, y);
    }
    for (i = 0; i < n_again; i++)
      cs_group_replay (&run->context, again[i].group, &again[i].bounds,
          worker->staged, worker->lists.items[again[i].tile],
          worker->lists.n[again[i].tile]);
  }
  for (i = 0; i < n_again; i++)
    cs_group_replay_end (&run->context, again[i].group, &again[i].bounds);
}

static Worker *
get_worker (State * state)
{
  Worker *worker;

  g_mutex_lock (&state->lock);
  worker = state->workers;
  state->workers = worker->next;
  g_mutex_unlock (&state->lock);
  return worker;
}

static void
put_worker (State * state, Worker * worker)
{
  g_mutex_lock (&state->lock);
  worker->next = state->workers;
  state->workers = worker;
  g_mutex_unlock (&state->lock);
}

static void
run_field (void *user_data, guint index)
{
  const Run *run = user_data;
  const gint x = index % run->fields_per_row * FIELD;
  const gint y = index / run->fields_per_row * FIELD;
  Worker *worker = get_worker (run->state);
  Source source;
  guint i, n;

  for (i = 0; i < TILES_PER_FIELD; i++) {
    worker->tiles[i].is_used = FALSE;
    worker->tiles[i].n_open = tile_is_inside (&run->job->format,
        x + (gint) (i % TILES_PER_ROW) * TILE,
        y + (gint) (i / TILES_PER_ROW) * TILE);
  }
  source_init (run, index, &source);
  field_paint (run, worker, &source, x, y);
  n = field_finish (run, worker, x, y);
  worker->replayed += n * CS_GROUP_PIXELS;
  while (n > 0) {
    field_replay (run, worker, &source, x, y);
    n = field_finish (run, worker, x, y);
  }
  put_worker (run->state, worker);
}

/* --- The input where nothing is painted ----------------------------------- */

/* Components whose samples lie between each other's are copied as one. */
static guint
find_cluster (const CsRasterFormat * f, guint first, guint n)
{
  guint members = 1u << first, j;

  for (j = 0; j < n; j++) {
    const guint c = j;
    const gssize from = f->in[c] - f->in[first];
    const gssize to = f->out[c] - f->out[first];
    const gsize pixel = f->in_pixel[first];
    const gboolean same_plane = (f->model == CS_PICTURE_YUV && (c == 1 ||
            c == 2)) == (f->model == CS_PICTURE_YUV && (first == 1 ||
            first == 2)) || (!f->sub_x && !f->sub_y);

    if (c != first && f->in[c] && f->out[c] && same_plane && from == to &&
        ABS (from) < (gssize) pixel && f->in_pixel[c] == pixel &&
        f->out_pixel[c] == pixel && f->out_pixel[first] == pixel &&
        f->in_row[c] == f->in_row[first] && f->out_row[c] == f->out_row[first])
      members |= 1u << c;
  }
  return members;
}

static void
copy_samples (const guint8 * from, gsize from_pixel, guint8 * to,
    gsize to_pixel, guint n, gboolean wide, guint16 mask)
{
  guint i;

  for (i = 0; i < n; i++, from += from_pixel, to += to_pixel) {
    if (wide)
      *(guint16 *) to = *(const guint16 *) from & mask;
    else
      *to = *from;
  }
}

static void
copy_component (const CsRasterFormat * f, guint c, guint row)
{
  const gboolean is_chroma = f->model == CS_PICTURE_YUV && (c == 1 || c == 2);
  const guint sub_x = is_chroma ? f->sub_x : 0, sub_y = is_chroma ? f->sub_y :
      0;
  const guint columns = (f->width + sub_x) >> sub_x;
  const gsize size = f->wide ? 2 : 1;
  const guint members = find_cluster (f, c, 4);
  gssize low = 0, high = 0;
  guint i;

  if (row & sub_y)
    return;
  row >>= sub_y;
  for (i = 0; i < 4; i++) {
    if (members >> i & 1) {
      low = MIN (low, f->in[i] - f->in[c]);
      high = MAX (high, f->in[i] - f->in[c]);
    }
  }
  if (f->shift || f->in_pixel[c] != f->out_pixel[c] ||
      (members == 1u << c && f->in_pixel[c] != size)) {
    const guint top = f->shift + (guint) g_bit_nth_msf ((gulong) f->max, -1);
    const guint16 mask = (guint16) ((2u << top) - (1u << f->shift));

    copy_samples (f->in[c] + row * f->in_row[c], f->in_pixel[c],
        f->out[c] + row * f->out_row[c], f->out_pixel[c], columns, f->wide,
        f->shift ? mask : 0xffff);
    return;
  }
  /* the first of a cluster copies it all */
  if (members & ((1u << c) - 1))
    return;
  memmove (f->out[c] + row * f->out_row[c] + low,
      f->in[c] + row * f->in_row[c] + low,
      (columns - 1) * f->in_pixel[c] + (high - low) + size);
}

#define COPY_ROWS 32

static void
copy_rows (void *user_data, guint index)
{
  const Run *run = user_data;
  const CsRasterFormat *f = &run->job->format;
  const guint end = MIN ((index + 1) * COPY_ROWS, (guint) f->height);
  guint row, c;

  for (row = index * COPY_ROWS; row < end; row++) {
    for (c = 0; c < 4; c++) {
      if (f->in[c] && f->out[c] && (c == 3 ? f->has_alpha :
              (gint) c < f->n_components))
        copy_component (f, c, row);
    }
  }
}

static gboolean
is_in_place (const CsRasterFormat * f)
{
  gint c;

  for (c = 0; c < 4; c++) {
    const gboolean is_there = c == 3 ? f->has_alpha : c < f->n_components;

    if (is_there && (f->in[c] != f->out[c] || f->in_row[c] != f->out_row[c] ||
            f->in_pixel[c] != f->out_pixel[c]))
      return FALSE;
  }
  return TRUE;
}

/* --- Ink ------------------------------------------------------------------ */

typedef struct
{
  guint width, height, blocks_per_row;
  CsInkPixel *pixels;
  guint8 *blocks;
} InkState;

static void
ink_destroy (void *data)
{
  InkState *ink = data;

  g_free (ink->pixels);
  g_free (ink->blocks);
  g_free (ink);
}

static void *
ink_create (CsExecutor * executor, guint width, guint height, GError ** error)
{
  InkState *ink = g_new0 (InkState, 1);
  const gsize rows = (height + CS_INK_BLOCK - 1) / CS_INK_BLOCK;

  ink->width = width;
  ink->height = height;
  ink->blocks_per_row = (width + CS_INK_BLOCK - 1) / CS_INK_BLOCK;
  ink->pixels = cs_try_new0 (CsInkPixel, (gsize) width * height);
  ink->blocks = cs_try_new0 (guint8, ink->blocks_per_row * rows);
  if (ink->pixels && ink->blocks)
    return ink;
  ink_destroy (ink);
  g_set_error (error, CS_ERROR, CS_ERROR_NO_MEMORY,
      "cannot allocate ink for %u x %u pixels", width, height);
  return NULL;
}

/* Only where there is any. */
static gboolean
ink_clear (void *data, GError ** error)
{
  InkState *ink = data;
  const guint rows = (ink->height + CS_INK_BLOCK - 1) / CS_INK_BLOCK;
  guint x, y, i;

  for (y = 0; y < rows; y++) {
    for (x = 0; x < ink->blocks_per_row; x++) {
      const guint left = x * CS_INK_BLOCK, top = y * CS_INK_BLOCK;
      const guint bottom = MIN (top + CS_INK_BLOCK, ink->height);
      const gsize width = MIN (CS_INK_BLOCK, ink->width - left);

      if (!ink->blocks[(gsize) y * ink->blocks_per_row + x])
        continue;
      for (i = top; i < bottom; i++)
        memset (&ink->pixels[(gsize) i * ink->width + left], 0,
            width * sizeof (CsInkPixel));
      ink->blocks[(gsize) y * ink->blocks_per_row + x] = 0;
    }
  }
  return TRUE;
}

static void
stamp_block (InkState * ink, const CsRasterMark * mark,
    const CsRasterShape * shape, const gint bounds[4], guint32 time)
{
  gint x, y;

  for (y = bounds[1]; y <= bounds[3]; y++) {
    for (x = bounds[0]; x <= bounds[2]; x++) {
      CsInkPixel *pixel = &ink->pixels[(gsize) y * ink->width + x];
      union
      {
        float f;
        guint32 u;
      } bits;

      bits.f = cs_raster_coverage (shape, mark->radius, 0, TRUE,
          cs_raster_distance2 (mark->x, mark->y, mark->bx, mark->by,
              shape->inv, x, y));
      if (!(bits.f > 0))
        continue;
      pixel->coverage = MAX (pixel->coverage, bits.u);
      pixel->time = MAX (pixel->time, time);
      ink->blocks[(gsize) (y / CS_INK_BLOCK) * ink->blocks_per_row +
          x / CS_INK_BLOCK] = 1;
    }
  }
}

/* Block by block, so that a long slanting line costs its length. */
static void
stamp_segment (InkState * ink, const CsRasterMark * mark,
    const gint bounds[4], guint32 time)
{
  CsRasterShape shape;
  gint x, y;

  cs_raster_shape (mark, TRUE, &shape);
  for (y = bounds[1] & -CS_INK_BLOCK; y <= bounds[3]; y += CS_INK_BLOCK) {
    for (x = bounds[0] & -CS_INK_BLOCK; x <= bounds[2]; x += CS_INK_BLOCK) {
      const gint block[4] = {
        MAX (x, bounds[0]), MAX (y, bounds[1]),
        MIN (x + CS_INK_BLOCK - 1, bounds[2]),
        MIN (y + CS_INK_BLOCK - 1, bounds[3])
      };

      if (cs_raster_touches (mark, block[0], block[1], block[2], block[3]))
        stamp_block (ink, mark, &shape, block, time);
    }
  }
}

static gboolean
ink_stamp (void *data, const CsInkSegment * segments, gsize n,
    float half_width, GError ** error)
{
  InkState *ink = data;
  gsize i;

  for (i = 0; i < n; i++) {
    CsRasterMark mark;
    gint bounds[4];

    if (cs_ink_segment_bounds (&segments[i], half_width, ink->width,
            ink->height, &mark, bounds))
      stamp_segment (ink, &mark, bounds,
          cs_raster_time_key (segments[i].time));
  }
  return TRUE;
}

/* --- Runs ----------------------------------------------------------------- */

static void *
create (CsExecutor * executor, GError ** error)
{
  State *state = g_new0 (State, 1);

  state->executor = executor;
  g_mutex_init (&state->lock);
  return state;
}

static void
destroy (void *data)
{
  State *state = data;

  while (state->workers) {
    Worker *worker = state->workers;

    state->workers = worker->next;
    free (worker);
  }
  cs_raster_order_clear (&state->order);
  cs_fill_cover_clear (&state->fills);
  cs_scratch_clear (&state->bins_memory);
  cs_scratch_clear (&state->starts_memory);
  g_free (state->tables);
  g_mutex_clear (&state->lock);
  g_free (state);
}

/* One for each thread that may come, and one for the caller. */
static gboolean
ensure_workers (State * state, GError ** error)
{
  const guint n = cs_executor_get_n_threads (state->executor) + 1;
  const gsize size = (sizeof (Worker) + 63) / 64 * 64;

  while (state->n_workers < n) {
    Worker *worker = cs_aligned_alloc (64, size);

    if (!worker) {
      g_set_error (error, CS_ERROR, CS_ERROR_NO_MEMORY,
          "cannot allocate memory for a thread's tiles");
      return FALSE;
    }
    memset (worker, 0, size);
    state->n_workers++;
    put_worker (state, worker);
  }
  return TRUE;
}

static void
set_ink (Run * run, const CsRasterJob * job)
{
  const InkState *ink;

  run->ink = job->ink_settings;
  run->has_ink = job->ink != NULL;
  if (!run->has_ink)
    return;
  ink = job->ink->state;
  run->ink.pixels = ink->pixels;
  run->ink.blocks = ink->blocks;
  run->ink.alpha = cs_raster_color (&job->format, job->ink_rgba,
      run->ink.color);
  run->staged_ink.is_layer = TRUE;
  run->staged_ink.alpha = 1;
  memcpy (run->staged_ink.color, run->ink.color, sizeof (run->ink.color));
  run->staged_ink.mark.run = G_MAXUINT32;
  run->staged_ink.x0 = run->staged_ink.y0 = -1;
  run->staged_ink.x1 = run->staged_ink.y1 = G_MAXINT32;
}

static gboolean
cover_fills (State * state, const CsRasterJob * job, GError ** error)
{
  CsRasterKey key;

  if (!job->fills)
    return TRUE;
  cs_raster_job_key (job, &key);
  if (cs_raster_key_equal (&state->fills_key, &key))
    return TRUE;
  memset (&state->fills_key, 0, sizeof (state->fills_key));
  if (!cs_fill_cover_update (&state->fills, state->executor, job->fills,
          (guint) job->format.width, (guint) job->format.height, error))
    return FALSE;
  state->fills_key = key;
  return TRUE;
}

static gboolean
run_job (void *data, const CsRasterJob * job, GError ** error)
{
  State *state = data;
  CsRasterJob copy = *job;
  const CsRasterFormat *f = &copy.format;
  Run run = {.state = state,.job = &copy };
  Worker *worker;

  if (!ensure_workers (state, error) ||
      !set_tables (state, &copy.format, error) ||
      !cover_fills (state, &copy, error) ||
      !cs_raster_order_update (&state->order, state->executor, &copy, error))
    return FALSE;
  run.fields_per_row = (f->width + FIELD - 1) / FIELD;
  run.field_rows = (f->height + FIELD - 1) / FIELD;
  if (!make_bins (&run, error))
    return FALSE;
  set_ink (&run, &copy);
  run.context.format = f;
  run.context.ink = &run.ink;
  run.context.fills = &state->fills;
  run.context.has_runs = state->order.has_runs;
  if (f->has_frame && !is_in_place (f))
    cs_executor_parallel_for (state->executor,
        (f->height + COPY_ROWS - 1) / COPY_ROWS, copy_rows, &run);
  cs_executor_parallel_for (state->executor,
      run.fields_per_row * run.field_rows, run_field, &run);
  state->replayed = 0;
  for (worker = state->workers; worker; worker = worker->next) {
    state->replayed += worker->replayed;
    worker->replayed = 0;
  }
  return TRUE;
}

static gboolean
get_stats (void *data, CsRasterStats * stats, GError ** error)
{
  const State *state = data;

  stats->dropped = state->order.dropped;
  stats->replayed = state->replayed;
  return TRUE;
}

const CsRasterBackend cs_raster_cpu_backend = {
  .create = create,
  .run = run_job,
  .get_stats = get_stats,
  .destroy = destroy,
  .ink_create = ink_create,
  .ink_clear = ink_clear,
  .ink_stamp = ink_stamp,
  .ink_destroy = ink_destroy,
};
