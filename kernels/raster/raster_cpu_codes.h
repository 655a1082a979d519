/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Codes of a group of pixels, read and written; included once for each
 * instruction set, with NAME() for the names. */

typedef CsLanesInt NAME (Words) __attribute__ ((aligned (1)));

static inline CsLanesInt
NAME (widen) (CsBytes bytes)
{
  return __builtin_convertvector (bytes, CsLanesInt);
}

static inline CsLanesInt
NAME (load_bytes) (const guint8 * at)
{
  CsBytes bytes;

  memcpy (&bytes, at, sizeof (bytes));
  return NAME (widen) (bytes);
}

/* Bytes at @at and each @pixel behind it, four of them, twice each. Reads
 * nothing beyond the last. */
static inline CsLanesInt
NAME (load_pairs) (const guint8 * at, gsize pixel)
{
  const gint32 a = at[0], b = at[pixel], c = at[2 * pixel], d = at[3 * pixel];

  return (CsLanesInt) { a, a, b, b, c, c, d, d };
}

/* Codes of a row of samples, of which each is that of 1 << @sub pixels. */
static inline void
NAME (read_codes) (const CsRasterFormat * f, const guint8 * at, gsize pixel,
    guint sub, guint columns, CsLanesInt * to)
{
  CsLanesInt codes = { 0 };

  if (f->wide) {
    for (guint i = 0; i < columns; i++)
      codes[i] = *(const guint16 *) (at + (i >> sub) * pixel) >> f->shift;
  } else if (columns < CS_GROUP_WIDTH) {
    for (guint i = 0; i < columns; i++)
      codes[i] = at[(i >> sub) * pixel];
  } else if (sub) {
    codes = NAME (load_pairs) (at, pixel);
  } else if (pixel == 1) {
    codes = NAME (load_bytes) (at);
  } else {
    codes = (CsLanesInt) {
      at[0], at[pixel], at[2 * pixel], at[3 * pixel],
      at[4 * pixel], at[5 * pixel], at[6 * pixel], at[7 * pixel]
    };
  }
  *to = codes;
}

/* Components of the input's pixels as they are divided: 1 at most. */
static inline CsLanes
NAME (to_component) (const CsRasterFormat * f, CsLanesInt codes)
{
  const CsLanes one = NAME (all) (1);

  return NAME (lesser) (NAME (to_floats) (codes) / f->max, one);
}

/* Whether a group's pixels can be taken as eight words of four bytes, in which
 * @shift is where each component lies; the first is at @first. Where a byte of
 * a word is no component, it may be one of a neighbour's: so not at the end of
 * a field, which another thread may paint, or of a row. */
static inline gboolean
NAME (find_words) (const CsRasterFormat * f, const CsRasterPlanes * planes,
    const CsGroup * g, guint8 ** first, gint32 shift[4])
{
  const gint n = f->has_alpha ? 4 : 3;
  guint8 *low = planes->data[0];

  if (G_BYTE_ORDER != G_LITTLE_ENDIAN || f->wide || f->n_components != 3 ||
      f->sub_x || f->sub_y || g->x + CS_GROUP_WIDTH > f->width)
    return FALSE;
  if (!f->has_alpha && (g->x + CS_GROUP_WIDTH == f->width ||
          (g->x + CS_GROUP_WIDTH) % CS_FIELD == 0))
    return FALSE;
  for (gint j = 0; j < n; j++) {
    low = MIN (low, planes->data[j]);
    if (planes->pixel[j] != 4 || planes->row[j] != planes->row[0])
      return FALSE;
  }
  for (gint j = 0; j < n; j++) {
    if (planes->data[j] - low > 3)
      return FALSE;
    shift[j] = 8 * (gint32) (planes->data[j] - low);
  }
  *first = low + g->y * planes->row[0] + g->x * 4;
  return TRUE;
}

/* Components of the input's pixels, before anything is done to them. */
static void
NAME (read_frame) (const CsRasterFormat * f, const CsGroup * g,
    CsLanes frame[4][2])
{
  const CsRasterPlanes planes = {
    { (guint8 *) f->in[0], (guint8 *) f->in[1], (guint8 *) f->in[2],
        (guint8 *) f->in[3] }, f->in_pixel, f->in_row
  };
  const guint columns = MIN (f->width - g->x, CS_GROUP_WIDTH);
  const guint rows = MIN (f->height - g->y, CS_GROUP_HEIGHT);
  gint32 shift[4];
  guint8 *first;

  for (guint row = 0; row < CS_GROUP_HEIGHT; row++) {
    for (gint j = 0; j < 4; j++)
      frame[j][row] = NAME (all) (j == 3 ? 1.f : 0.f);
  }
  if (NAME (find_words) (f, &planes, g, &first, shift)) {
    for (guint row = 0; row < rows; row++, first += f->in_row[0]) {
      const CsLanesInt words = *(const NAME (Words) *) first;

      for (gint j = 0; j < (f->has_alpha ? 4 : 3); j++)
        frame[j][row] = NAME (to_component) (f, words >> shift[j] & 255);
    }
    return;
  }
  for (gint j = 0; j < 4; j++) {
    const guint sub_x = cs_raster_sub_x (f, j), sub_y = cs_raster_sub_y (f, j);

    if (!cs_raster_has_component (f, j))
      continue;
    for (guint row = 0; row < rows; row++) {
      const guint8 *at = f->in[j] + ((guint) (g->y + (gint) row) >> sub_y) *
          f->in_row[j] + ((guint) g->x >> sub_x) * f->in_pixel[j];
      CsLanesInt codes;

      if (row > 0 && sub_y) {
        frame[j][row] = frame[j][0];
        continue;
      }
      NAME (read_codes) (f, at, f->in_pixel[j], sub_x, columns, &codes);
      frame[j][row] = NAME (to_component) (f, codes);
    }
  }
}

/* --- Writing -------------------------------------------------------------- */

static inline void
NAME (write_row) (const CsRasterFormat * f, CsLanesInt codes, guint8 * at,
    gsize pixel, guint sub, guint columns)
{
  if (f->wide) {
    for (guint i = 0; i < columns; i += 1 + sub, at += pixel)
      *(guint16 *) at = (guint16) (codes[i] << f->shift);
  } else if (pixel == 1 && !sub && columns == CS_GROUP_WIDTH) {
    const CsBytes bytes = __builtin_convertvector (codes, CsBytes);

    memcpy (at, &bytes, sizeof (bytes));
  } else {
    for (guint i = 0; i < columns; i += 1 + sub, at += pixel)
      *at = (guint8) codes[i];
  }
}

/* Writes codes of a group as words, where that is possible; those of untouched
 * pixels stay. */
static inline gboolean
NAME (write_words) (const CsRasterFormat * f, const CsGroup * g,
    CsLanesInt codes[4][2], const CsLanesInt touched[2])
{
  const CsRasterPlanes planes = {
    { f->out[0], f->out[1], f->out[2], f->out[3] }, f->out_pixel, f->out_row
  };
  const guint rows = MIN (f->height - g->y, CS_GROUP_HEIGHT);
  const gint n = f->has_alpha ? 4 : 3;
  gint32 shift[4];
  guint32 own = 0;
  guint8 *first;

  if (!NAME (find_words) (f, &planes, g, &first, shift))
    return FALSE;
  for (gint j = 0; j < n; j++)
    own |= 255u << shift[j];
  for (guint row = 0; row < rows; row++, first += f->out_row[0]) {
    const CsLanesInt mask = touched[row] & (gint32) own;

    NAME (Words) * to = (NAME (Words) *) first;
    CsLanesInt words = { 0 };

    for (gint j = 0; j < n; j++)
      words |= codes[j][row] << shift[j];
    *to = (words & mask) | (*to & ~mask);
  }
  return TRUE;
}

/* Codes of a group; of subsampled components in the place of each sample's
 * first pixel. */
static void
NAME (write_codes) (const CsRasterFormat * f, const CsGroup * g,
    CsLanesInt codes[4][2])
{
  const CsLanesInt zero = { 0 }, all[2] = { zero - 1, zero - 1 };
  const guint columns = MIN (f->width - g->x, CS_GROUP_WIDTH);
  const guint rows = MIN (f->height - g->y, CS_GROUP_HEIGHT);

  if (NAME (write_words) (f, g, codes, all))
    return;
  for (gint j = 0; j < 4; j++) {
    const guint sub_x = cs_raster_sub_x (f, j), sub_y = cs_raster_sub_y (f, j);

    if (!cs_raster_has_component (f, j))
      continue;
    for (guint row = 0; row < rows; row += 1 + sub_y)
      NAME (write_row) (f, codes[j][row], f->out[j] + ((guint) (g->y +
                  (gint) row) >> sub_y) * f->out_row[j] +
          ((guint) g->x >> sub_x) * f->out_pixel[j], f->out_pixel[j], sub_x,
          columns);
  }
}
