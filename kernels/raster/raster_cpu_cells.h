/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields painted from the back, without bounds; included once for each
 * instruction set, with NAME() for the names. */

static void
NAME (begin_cell) (const CsRasterFormat * f, CsCells * cells, guint index)
{
  CsLanes frame[4][2], color[4][2];
  CsGroup place;

  cells->begun[index] = TRUE;
  if (!find_cell (f, cells, index, &place))
    return;
  if (f->linear)
    find_background (f, &place, color);
  else if (f->has_frame)
    NAME (read_frame) (f, &place, frame);
  for (guint row = 0; row < CS_GROUP_HEIGHT; row++) {
    for (gint j = 0; !f->linear && j < 4; j++)
      NAME (behind) (f, frame, row, j, &color[j][row]);
  }
  if (cells->has_lanes) {
    memcpy (cells->lanes[index], color, sizeof (color));
    return;
  }
  for (guint row = 0; row < CS_GROUP_HEIGHT; row++) {
    CsPixel *to = cell_row (cells, index, row);

    for (guint i = 0; i < CS_GROUP_WIDTH; i++)
      to[i] = (CsPixel) { color[0][row][i], color[1][row][i],
        color[2][row][i], color[3][row][i]
      };
  }
}

static inline void
NAME (read_cell) (CsCells * cells, guint index, CsLanes color[4][2])
{
  if (cells->has_lanes) {
    memcpy (color, cells->lanes[index], sizeof (cells->lanes[index]));
    return;
  }
  for (guint row = 0; row < CS_GROUP_HEIGHT; row++) {
    const CsPixel *from = cell_row (cells, index, row);

    for (guint i = 0; i < CS_GROUP_WIDTH; i++) {
      for (guint j = 0; j < 4; j++)
        color[j][row][i] = from[i][j];
    }
  }
}

/* Codes of a cell whose colours are codes divided by the greatest, and which
 * lies in the picture as a whole; untouched pixels' are the input's. */
static void
NAME (write_plain) (const CsRasterFormat * f, const CsGroup * place,
    CsLanes color[4][2])
{
  CsLanesInt codes[4][2];

  for (gint j = 0; j < f->n_components; j++) {
    const gboolean is_pairs = cs_raster_is_subsampled (f, j);

    for (guint row = 0; row < CS_GROUP_HEIGHT; row++) {
      CsLanes v = NAME (clip) (color[j][row]);

      if (is_pairs && row > 0 && f->sub_y)
        continue;
      if (is_pairs) {
        v = NAME (add_pairs) (color[j][row]);
        if (f->sub_y)
          v += NAME (add_pairs) (color[j][1]);
        v = NAME (clip) (v * (f->sub_y ? .25f : .5f));
      }
      codes[j][row] = NAME (to_ints) (f->max * v + .5f);
    }
  }
  NAME (write_codes) (f, place, codes);
}

/* Likewise of colours with alpha, which divides them unless it is premultiplied,
 * as words. */
static gboolean
NAME (write_alpha) (const CsRasterFormat * f, const CsGroup * place,
    CsLanes color[4][2], const CsLanesInt touched[2])
{
  CsLanes same[4][2];
  CsLanesInt codes[4][2];

  memcpy (same, color, sizeof (same));
  for (guint row = 0; row < CS_GROUP_HEIGHT; row++) {
    if (!f->premultiplied)
      NAME (divide) (f, row, color, same);
    for (gint j = 0; j < 4; j++)
      codes[j][row] = NAME (to_ints) (f->max * NAME (clip) (color[j][row]) +
          .5f);
  }
  return NAME (write_words) (f, place, codes, touched);
}

/* Any cell: both bounds are its colours, so that they always give one code. */
static void
NAME (write_cell) (const CsRasterFormat * f, const CsGroup * place,
    CsLanes color[4][2], const guint bits[2])
{
  const CsLanesInt each = { 1, 2, 4, 8, 16, 32, 64, 128 }, zero = { 0 };
  CsGroupBounds bounds;

  /* samples of two rows of one column are left to settle() */
  if (f->is_plain && (f->sub_x || !f->sub_y) &&
      f->width - place->x >= CS_GROUP_WIDTH &&
      f->height - place->y >= CS_GROUP_HEIGHT) {
    NAME (write_plain) (f, place, color);
    return;
  }
  memset (bounds.frame, 0, sizeof (bounds.frame));
  bounds.has_frame = f->is_plain;
  for (guint row = 0; row < CS_GROUP_HEIGHT; row++) {
    bounds.touched[row] = zero - 1;
    if (!f->is_plain)
      bounds.touched[row] = NAME (less_int) (zero, each & (zero +
              (gint32) bits[row]));
  }
  memcpy (bounds.low, color, sizeof (bounds.low));
  if (f->has_frame && f->has_alpha && !f->linear &&
      NAME (write_alpha) (f, place, color, bounds.touched))
    return;
  memcpy (bounds.high, bounds.low, sizeof (bounds.high));
  settle (f, place, &bounds);
}

/* What has not been touched is in the output already, if there is an input. */
static void
NAME (write_cells) (const CsRasterFormat * f, CsCells * cells)
{
  CsGroup place = { 0 };

  for (guint row = 0; row < CS_FIELD; row += CS_GROUP_HEIGHT) {
    const guint64 *touched = &cells->touched[row];

    for (guint column = 0; column < CS_CELLS_PER_ROW; column++) {
      const guint shift = column * CS_GROUP_WIDTH;
      const guint i = row / CS_GROUP_HEIGHT * CS_CELLS_PER_ROW + column;
      const guint bits[2] = { touched[0] >> shift & 0xff,
        touched[1] >> shift & 0xff
      };
      CsLanes color[4][2];

      if (f->has_frame && (touched[0] | touched[1]) >> shift == 0)
        break;
      if ((f->has_frame && (bits[0] | bits[1]) == 0) ||
          !find_cell (f, cells, i, &place))
        continue;
      if (!cells->begun[i])
        NAME (begin_cell) (f, cells, i);
      NAME (read_cell) (cells, i, color);
      NAME (write_cell) (f, &place, color, bits);
    }
  }
}

/* One layer on those of eight pixels that have a bit; @alpha: of each. */
static inline __attribute__ ((always_inline))
void
NAME (blend_pixels) (CsPixel * pixels, guint bits, CsLanes alpha, CsPixel color)
{
  const CsLanes through = 1.f - alpha;

  for (; bits; bits &= bits - 1) {
    const guint i = __builtin_ctz (bits);

    pixels[i] = alpha[i] * color + through[i] * pixels[i];
  }
}

/* A mark on the pixels from (@x0, @y0) to (@x1, @y1) of the field, inclusive. */
static inline __attribute__ ((always_inline))
void
NAME (paint_rows) (CsCells * cells, const CsStaged * s, gboolean antialias,
    const gint x[2], const gint y[2])
{
  const CsLanes steps = { 0, 1, 2, 3, 4, 5, 6, 7 };
  const CsLanes zero = { 0 }, one = zero + 1.f;
  const CsLanes inner = zero + s->shape.inner, outer = zero + s->shape.outer;
  const CsPixel color = { s->color[0], s->color[1], s->color[2], 1 };

  for (gint column = x[0]; column <= x[1]; column += CS_GROUP_WIDTH) {
    const CsLanes at_x = steps + (float) (cells->x + column);
    const guint exist = 0xffu >> (7 - MIN (x[1] - column, 7));

    for (gint row = y[0]; row <= y[1]; row++) {
      const CsLanes d2 = NAME (distance2) (s, at_x, (float) (cells->y + row));
      const CsLanesInt edge = NAME (less) (inner, d2) &
          NAME (at_most) (d2, outer);
      CsLanes alpha = (CsLanes) (NAME (at_most) (d2, inner) & (CsLanesInt) one);
      guint bits;

      if (NAME (bits) (edge))
        alpha = NAME (select) (edge, NAME (cover_edge) (s, antialias, d2),
            alpha);
      alpha *= s->alpha;
      bits = NAME (bits) (NAME (is_positive) (alpha)) & exist;
      cells->touched[row] |= (guint64) bits << column;
      NAME (blend_pixels) (&cells->pixels[row][column], bits, alpha, color);
    }
  }
}

/* The first and last pixel of a field at @start that lie from @low to @high. */
static inline gboolean
NAME (find_pixels) (float low, float high, gint start, gint pixels[2])
{
  const float first = cs_raster_max (low - (float) start, 0);
  const float last = cs_raster_min (high - (float) start, CS_FIELD - 1);

  if (!(last >= 0) || !(first <= CS_FIELD - 1))
    return FALSE;
  pixels[0] = (gint) first;
  pixels[0] += (float) pixels[0] < first;
  pixels[1] = (gint) last;
  return pixels[0] <= pixels[1];
}

static inline __attribute__ ((always_inline))
void
NAME (paint_cells) (const CsRasterFormat * f, CsCells * cells,
    const CsStaged * s)
{
  gint x[2], y[2], row, column;

  if (!NAME (find_pixels) (s->x0, s->x1, cells->x, x) ||
      !NAME (find_pixels) (s->y0, s->y1, cells->y, y))
    return;
  for (row = y[0] / CS_GROUP_HEIGHT; row <= y[1] / CS_GROUP_HEIGHT; row++) {
    for (column = x[0] / CS_GROUP_WIDTH; column <= x[1] / CS_GROUP_WIDTH;
        column++) {
      const guint index = row * CS_CELLS_PER_ROW + column;

      if (!cells->begun[index])
        NAME (begin_cell) (f, cells, index);
    }
  }
  NAME (paint_rows) (cells, s, f->antialias, x, y);
}

static void
NAME (paint_mark) (const CsRasterFormat * f, CsCells * cells,
    const CsStaged * s)
{
  NAME (paint_cells) (f, cells, s);
}

static void
NAME (paint_discs) (const CsRasterFormat * f, CsCells * cells,
    const CsDisc * discs, const CsSortItem32 * items, gsize n)
{
  CsStaged s = { 0 };

  for (gsize i = 0; i < n; i++) {
    const CsDisc *disc = &discs[items[i].value];

    s.mark.x = disc->x;
    s.mark.y = disc->y;
    s.mark.radius = disc->radius;
    cs_raster_shape (&s.mark, f->antialias, &s.shape);
    s.alpha = cs_raster_color (f, disc->rgba, s.color);
    /* up to where coverage is 0 */
    const float reach = s.shape.edge + cs_raster_slack (&s.mark);
    s.x0 = disc->x - reach;
    s.y0 = disc->y - reach;
    s.x1 = disc->x + reach;
    s.y1 = disc->y + reach;
    NAME (paint_cells) (f, cells, &s);
  }
}

/* --- Runs ----------------------------------------------------------------- */

/* Columns of cells that a mark reaches, and rows. */
typedef struct
{
  gint first, last, top, bottom;
} NAME (Range);

/* What a mark may cover of a field. Returns: FALSE if it misses it */
static inline gboolean
NAME (find_range) (const CsCells * cells, const CsRasterMark * mark,
    NAME (Range) * range)
{
  const float reach = mark->radius + mark->half_width + .5f +
      cs_raster_slack (mark);
  const float ex = mark->x + mark->bx, ey = mark->y + mark->by;
  gint x[2], y[2];

  if (!NAME (find_pixels) (cs_raster_min (mark->x, ex) - reach,
          cs_raster_max (mark->x, ex) + reach, cells->x, x) ||
      !NAME (find_pixels) (cs_raster_min (mark->y, ey) - reach,
          cs_raster_max (mark->y, ey) + reach, cells->y, y))
    return FALSE;
  *range = (NAME (Range)) { x[0] / CS_GROUP_WIDTH, x[1] / CS_GROUP_WIDTH,
    y[0], y[1] };
  return TRUE;
}

/* The least squared distance of each pixel from the lines of a run's marks:
 * coverage falls with it, so the least one has the greatest coverage. As
 * distance2(), which gives the same for discs too. */
static inline void
NAME (approach) (CsCells * cells, const CsRasterMark * mark,
    const NAME (Range) * range)
{
  const CsLanes steps = { 0, 1, 2, 3, 4, 5, 6, 7 };
  const CsLanes zero = { 0 }, one = zero + 1.f;
  const float b = mark->bx * mark->bx + mark->by * mark->by;
  const float inv = b > 0 ? 1.f / b : 0;

  for (gint column = range->first; column <= range->last; column++) {
    const CsLanes dx = steps + (float) (cells->x + column * CS_GROUP_WIDTH) -
        mark->x;
    const CsLanes along = dx * mark->bx;

    for (gint row = range->top; row <= range->bottom; row++) {
      CsLanes *least = &cells->least2[row][column];
      const float dy = (float) (cells->y + row) - mark->y;
      CsLanes t = (along + dy * mark->by) * inv;

      t = NAME (lesser) (NAME (greater) (t, zero), one);
      CsLanes at_x = dx - t * mark->bx, at_y = dy - t * mark->by;
      *least = NAME (lesser) (at_x * at_x + at_y * at_y, *least);
      cells->reached[row] |= 1u << column;
    }
  }
}

/* One layer on a row of lanes. */
static inline void
NAME (blend_lanes) (CsLanes color[4][2], guint row, CsLanes alpha,
    const CsStaged * s)
{
  const CsLanes through = 1.f - alpha;

  for (gint j = 0; j < 3; j++)
    color[j][row] = alpha * s->color[j] + through * color[j][row];
  color[3][row] = alpha + through * color[3][row];
}

/* One layer where a run's marks have reached: @s is one of them. */
static inline void
NAME (blend_run) (const CsRasterFormat * f, CsCells * cells,
    const CsStaged * s, gint top, gint bottom)
{
  const CsLanes zero = { 0 }, one = zero + 1.f;
  const CsLanes far = zero + CS_CELLS_FAR;
  const CsLanes inner = zero + s->shape.inner, outer = zero + s->shape.outer;

  for (gint row = top; row <= bottom; row++) {
    guint reached = cells->reached[row];

    cells->reached[row] = 0;
    for (; reached; reached &= reached - 1) {
      const guint column = __builtin_ctz (reached);
      const guint cell = row / CS_GROUP_HEIGHT * CS_CELLS_PER_ROW + column;
      const CsLanes d2 = cells->least2[row][column];
      CsLanes alpha = (CsLanes) (NAME (at_most) (d2, inner) & (CsLanesInt) one);
      guint bits;

      cells->least2[row][column] = far;
      alpha = NAME (select) (NAME (less) (inner, d2) &
          NAME (at_most) (d2, outer), NAME (cover_edge) (s, f->antialias, d2),
          alpha);
      alpha *= s->alpha;
      bits = NAME (bits) (NAME (is_positive) (alpha));
      if (!bits)
        continue;
      if (!cells->begun[cell])
        NAME (begin_cell) (f, cells, cell);
      cells->touched[row] |= (guint64) bits << column * CS_GROUP_WIDTH;
      NAME (blend_lanes) (cells->lanes[cell], row % CS_GROUP_HEIGHT, alpha, s);
    }
  }
}

static void
NAME (paint_joined) (const CsRasterFormat * f, CsCells * cells,
    const CsRasterMark * marks, const guint32 * items, guint32 n)
{
  gint top = CS_FIELD, bottom = -1;
  CsStaged s;

  s.mark = marks[items[0]];
  cs_raster_shape (&s.mark, f->antialias, &s.shape);
  s.alpha = cs_raster_color (f, s.mark.rgba, s.color);
  for (guint32 i = 0; i < n; i++) {
    const CsRasterMark *mark = &marks[items[i]];

    NAME (Range) range;

    if (!NAME (find_range) (cells, mark, &range))
      continue;
    NAME (approach) (cells, mark, &range);
    top = MIN (top, range.top);
    bottom = MAX (bottom, range.bottom);
  }
  NAME (blend_run) (f, cells, &s, top, bottom);
}

/* --- Fills ---------------------------------------------------------------- */

/* The coverage of the group at (@x, @y). */
static void
NAME (cover_by_fill) (const CsGroupContext * context, gint x, gint y,
    const CsFillRegion * region, CsLanes cover[2])
{
  typedef guint16 Packed __attribute__ ((vector_size (16)));
  const CsFillCover *fills = context->fills;
  const guint32 cell = cs_fill_cell (region, fills->cells, x / CS_FILL_TILE,
      y / CS_FILL_TILE);
  const CsLanes zero = { 0 };

  if (cell < CS_FILL_BLOCK) {
    for (guint row = 0; row < CS_GROUP_HEIGHT; row++)
      cover[row] = zero + (cell == CS_FILL_FULL ? 1.f : 0.f);
    return;
  }
  const guint16 *packed = fills->blocks + (gsize) (cell - CS_FILL_BLOCK) *
      CS_FILL_TILE_PIXELS + y % CS_FILL_TILE * CS_FILL_TILE + x % CS_FILL_TILE;
  for (guint row = 0; row < CS_GROUP_HEIGHT; row++, packed += CS_FILL_TILE) {
    Packed words;

    memcpy (&words, packed, sizeof (words));
    CsLanesInt codes = __builtin_convertvector (words, CsLanesInt);
    CsLanesInt half = codes >> 15;
    cover[row] = NAME (to_floats) (half);
    if (context->format->antialias)
      cover[row] = NAME (to_floats) (codes + half) * (1.f / 65536.f);
  }
}

/* One layer on a cell. */
static inline void
NAME (fill_cell) (const CsGroupContext * context, CsCells * cells, guint cell,
    const CsFillRegion * region, const CsStaged * s)
{
  CsLanes cover[2];
  CsGroup place;

  if (!find_cell (context->format, cells, cell, &place))
    return;
  NAME (cover_by_fill) (context, place.x, place.y, region, cover);
  for (guint row = 0; row < CS_GROUP_HEIGHT; row++) {
    const CsLanes alpha = cover[row] * s->alpha;
    const guint bits = NAME (bits) (NAME (is_positive) (alpha));

    if (!bits)
      continue;
    if (!cells->begun[cell])
      NAME (begin_cell) (context->format, cells, cell);
    cells->touched[cell / CS_CELLS_PER_ROW * CS_GROUP_HEIGHT + row] |=
        (guint64) bits << cell % CS_CELLS_PER_ROW * CS_GROUP_WIDTH;
    NAME (blend_lanes) (cells->lanes[cell], row, alpha, s);
  }
}

static void
NAME (paint_fill) (const CsGroupContext * context, CsCells * cells,
    const CsFillRegion * region, guint32 rgba)
{
  const guint groups = CS_FILL_TILE / CS_GROUP_WIDTH;
  CsStaged s;

  s.alpha = cs_raster_color (context->format, rgba, s.color);
  for (guint i = 0; i < CS_CELLS; i++) {
    const guint column = i % CS_CELLS_PER_ROW, row = i / CS_CELLS_PER_ROW;

    if (cs_fill_cell (region, context->fills->cells, (guint) cells->x /
            CS_FILL_TILE + column / groups, (guint) cells->y / CS_FILL_TILE +
            row * CS_GROUP_HEIGHT / CS_FILL_TILE) != CS_FILL_EMPTY)
      NAME (fill_cell) (context, cells, i, region, &s);
  }
}
