/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: a band's rows as words of bits, and the pieces in them. A row's marks need
 * those of the rows beside it, which need two rows more. */
#include "properties_cpu.h"

#include <string.h>

#include "base/clones.h"
#include "labels/labels_cpu.h"

#define BITS 64
/* Rows that are kept */
#define N_KEPT 4

/* Words of a row, with an empty one before them and one behind. */
enum
{
  SAME_LEFT,
  SAME_UP,
  SAME_UP_LEFT,
  SAME_UP_RIGHT,
  BORDER,
  N_MASKS,
};

/**
 * Scan:
 * @stride: words of a mask
 * @labels: of N_KEPT rows, width + 2 each, of a label more
 * @masks: of N_KEPT rows, N_MASKS each
 */
typedef struct
{
  CsLabelsJob job;
  guint width, height, n_words;
  gsize stride;
  guint32 *labels;
  guint64 *masks;
  CsPropertiesLane *lane;
} Scan;

/* @y: -2 and on */
static inline guint32 *
labels_of (const Scan * scan, gint y)
{
  return scan->labels + (y & (N_KEPT - 1)) * ((gsize) scan->width + 2);
}

static inline guint64 *
mask_of (const Scan * scan, gint y, guint mask)
{
  return scan->masks + ((y & (N_KEPT - 1)) * N_MASKS + mask) * scan->stride + 1;
}

/* --- Words ---------------------------------------------------------------- */

static inline __attribute__ ((always_inline)) guint64
find_equal (const guint32 * a, const guint32 * b)
{
  guint8 equal[BITS];
  guint64 word = 0;

  for (guint i = 0; i < BITS; i++)
    equal[i] = a[i] == b[i];
  for (guint i = 0; i < BITS; i += 8) {
    guint64 eight = 0;

    for (guint k = 0; k < 8; k++)
      eight |= (guint64) equal[i + k] << 8 * k;
    word |= (eight * G_GUINT64_CONSTANT (0x0102040810204080)) >> 56 << i;
  }
  return word;
}

/* The same of the first @n. */
static guint64
find_equal_few (const guint32 * a, const guint32 * b, guint n)
{
  guint64 word = 0;

  for (guint i = 0; i < n; i++)
    word |= (guint64) (a[i] == b[i]) << i;
  return word;
}

/* Which pixels are as the one before. */
static CS_CLONES void
compare_row (const guint32 * row, guint width, guint64 * left)
{
  guint w = 0;

  for (; w < width / BITS; w++)
    left[w] = find_equal (row + w * BITS, row + w * BITS - 1);
  if (width % BITS)
    left[w] = find_equal_few (row + w * BITS, row + w * BITS - 1, width % BITS);
}

/* Which are as those above, where pixels of a word are not all the same as
 * there; @above: the mask of the row above that compare_row() finds. */
static CS_CLONES void
compare_rows (const guint32 * row, const guint32 * other, guint width,
    const guint64 * above, guint64 * up, guint64 * up_left, guint64 * up_right)
{
  guint w = 0;

  for (; w < width / BITS; w++) {
    const guint32 *a = row + w * BITS, *b = other + w * BITS;

    up[w] = find_equal (a, b);
    if (up[w] == G_MAXUINT64) {
      up_left[w] = above[w];
      up_right[w] = above[w] >> 1 | above[w + 1] << (BITS - 1);
    } else {
      up_left[w] = find_equal (a, b - 1);
      up_right[w] = find_equal (a, b + 1);
    }
  }
  if (width % BITS) {
    const guint32 *a = row + w * BITS, *b = other + w * BITS;
    const guint n = width % BITS;

    up[w] = find_equal_few (a, b, n);
    up_left[w] = find_equal_few (a, b - 1, n);
    up_right[w] = find_equal_few (a, b + 1, n);
  }
}

/* The pixels one to the left, or to the right, of each. */
static inline guint64
from_left (const guint64 * word)
{
  return word[0] << 1 | word[-1] >> (BITS - 1);
}

static inline guint64
from_right (const guint64 * word)
{
  return word[0] >> 1 | word[1] << (BITS - 1);
}

/* --- Rows ----------------------------------------------------------------- */

/* Loads row @y, and compares it with the one above, which is there. */
static gboolean
load (const Scan * scan, gint y, gboolean neighbours, GError ** error)
{
  guint32 *row = labels_of (scan, y);

  if (y < 0 || y >= (gint) scan->height)
    memset (row, 0, (scan->width + 2) * sizeof (*row));
  else if (!cs_labels_cpu_load (&scan->job, y, row, error))
    return FALSE;
  compare_row (row + 1, scan->width, mask_of (scan, y, SAME_LEFT));
  if (neighbours)
    compare_rows (row + 1, labels_of (scan, y - 1) + 1, scan->width,
        mask_of (scan, y - 1, SAME_LEFT), mask_of (scan, y, SAME_UP),
        mask_of (scan, y, SAME_UP_LEFT), mask_of (scan, y, SAME_UP_RIGHT));
  return TRUE;
}

/* Row @y and the one below are there. */
static void
find_border (const Scan * scan, gint y)
{
  const guint64 *left = mask_of (scan, y, SAME_LEFT);
  const guint64 *up = mask_of (scan, y, SAME_UP);
  const guint64 *down = mask_of (scan, y + 1, SAME_UP);
  guint64 *border = mask_of (scan, y, BORDER);

  for (guint w = 0; w < scan->n_words; w++)
    border[w] = ~(left[w] & from_right (left + w) & up[w] & down[w]);
}

/* --- Pieces --------------------------------------------------------------- */

/**
 * Rows:
 * @left: and so on: of a row; @down_*: of the one below
 *
 * Where the masks are that a row's marks need.
 */
typedef struct
{
  const guint64 *left, *up, *up_left, *up_right, *border;
  const guint64 *down, *down_left, *down_right, *border_up, *border_down;
} Rows;

static Rows
rows_of (const Scan * scan, gint y)
{
  return (Rows) {
    .left = mask_of (scan, y, SAME_LEFT),
    .up = mask_of (scan, y, SAME_UP),
    .up_left = mask_of (scan, y, SAME_UP_LEFT),
    .up_right = mask_of (scan, y, SAME_UP_RIGHT),
    .border = mask_of (scan, y, BORDER),
    .down = mask_of (scan, y + 1, SAME_UP),
    /* as a pixel below and to the left has this one above and to the right */
    .down_left = mask_of (scan, y + 1, SAME_UP_RIGHT),
    .down_right = mask_of (scan, y + 1, SAME_UP_LEFT),
    .border_up = mask_of (scan, y - 1, BORDER),
    .border_down = mask_of (scan, y + 1, BORDER),
  };
}

/* Returns: FALSE if the word has no marks */
static inline __attribute__ ((always_inline)) gboolean
mark_word (const Rows * rows, guint w, CsPropertiesMarks * marks)
{
  const CsPropertiesAround same = {
    .left = rows->left[w],
    .right = from_right (rows->left + w),
    .up = rows->up[w],
    .down = rows->down[w],
    .up_left = rows->up_left[w],
    .up_right = rows->up_right[w],
    .down_left = from_left (rows->down_left + w),
    .down_right = from_right (rows->down_right + w),
  };
  const guint64 border = rows->border[w];

  if ((same.up_left & same.up_right & ~border) == G_MAXUINT64)
    return FALSE;
  const CsPropertiesAround near = {
    .left = same.left & from_left (rows->border + w),
    .right = same.right & from_right (rows->border + w),
    .up = same.up & rows->border_up[w],
    .down = same.down & rows->border_down[w],
    .up_left = same.up_left & from_left (rows->border_up + w),
    .up_right = same.up_right & from_right (rows->border_up + w),
    .down_left = same.down_left & from_left (rows->border_down + w),
    .down_right = same.down_right & from_right (rows->border_down + w),
  };

  cs_properties_mark (&same, &near, border, marks);
  return TRUE;
}

/* Adds the pieces of word @w of row @y, in which pixels begin that are not as the
 * one before where @starts has bits. */
static inline __attribute__ ((always_inline)) CsPropertiesPiece *
list_word (const guint32 * row, guint y, guint w, guint n, guint64 starts,
    const CsPropertiesMarks * marks, CsPropertiesPiece * next)
{
  guint bit = 0;

  for (starts &= ~(guint64) 1;; starts &= starts - 1) {
    const guint end = starts ? MIN ((guint) __builtin_ctzll (starts), n) : n;
    const guint32 label = row[w * BITS + bit];

    if (label != CS_LABELS_OUTSIDE)
      *next++ = cs_properties_piece (marks, label - 1, y, w, bit, end - bit);
    if (end == n)
      return next;
    bit = end;
  }
}

/* @rows: (nullable): %NULL without neighbours */
static CS_CLONES gboolean
list_row (const Scan * scan, guint y, const Rows * rows)
{
  static const CsPropertiesMarks none;
  const guint32 *row = labels_of (scan, y) + 1;
  const guint64 *left = mask_of (scan, y, SAME_LEFT);
  CsArray *pieces = &scan->lane->pieces;
  gboolean is_flat = FALSE;

  if (!cs_array_reserve (pieces, scan->width))
    return FALSE;
  CsPropertiesPiece *next = &cs_array_index (pieces, CsPropertiesPiece,
      pieces->len);
  for (guint w = 0; w < scan->n_words; w++) {
    const guint n = MIN (BITS, scan->width - w * BITS);
    CsPropertiesMarks marks;

    if (rows && mark_word (rows, w, &marks)) {
      next = list_word (row, y, w, n, ~left[w], &marks, next);
    } else {
      is_flat |= rows != NULL;
      next = list_word (row, y, w, n, ~left[w], &none, next);
    }
  }
  pieces->len = next - &cs_array_index (pieces, CsPropertiesPiece, 0);
  if (is_flat)
    cs_properties_take (CS_PROPERTIES_FLAT_WORD);
  return TRUE;
}

/* --- Bands ---------------------------------------------------------------- */

static gboolean
list_neighbours (const Scan * scan, gint first, gint end, GError ** error)
{
  memset (labels_of (scan, first - 3), 0, (scan->width + 2) * sizeof (guint32));
  for (gint y = first - 2; y < end + 2; y++) {
    if (!load (scan, y, TRUE, error))
      return FALSE;
    if (y >= first)
      find_border (scan, y - 1);
    if (y >= first + 2) {
      const Rows rows = rows_of (scan, y - 2);

      if (!list_row (scan, y - 2, &rows))
        return cs_fail_no_memory (error, "pieces of regions");
    }
  }
  return TRUE;
}

static gboolean
list_plain (const Scan * scan, gint first, gint end, GError ** error)
{
  for (gint y = first; y < end; y++) {
    if (!load (scan, y, FALSE, error))
      return FALSE;
    if (!list_row (scan, y, NULL))
      return cs_fail_no_memory (error, "pieces of regions");
  }
  return TRUE;
}

gboolean
cs_properties_cpu_rows (const CsLabelsPicture * picture, guint first,
    guint end, gboolean neighbours, CsPropertiesLane * lane, GError ** error)
{
  const CsLabelsParams params = {.background = 0 };
  const CsLabelsInput input = {.picture = *picture };
  Scan scan = {
    .job = {.params = &params,.input = &input},
    .width = picture->width,
    .height = picture->height,
    .n_words = (picture->width + BITS - 1) / BITS,
    .lane = lane,
  };

  scan.stride = scan.n_words + 2;
  const gsize size = N_KEPT * N_MASKS * scan.stride * sizeof (guint64);
  guint8 *memory = cs_scratch_ensure (&lane->rows, size + N_KEPT *
      ((gsize) scan.width + 2) * sizeof (guint32), error);

  if (!memory)
    return FALSE;
  scan.masks = (guint64 *) (gpointer) memory;
  scan.labels = (guint32 *) (gpointer) (memory + size);
  memset (scan.masks, 0, size);
  cs_properties_take (neighbours ? CS_PROPERTIES_NEIGHBOURS :
      CS_PROPERTIES_PLAIN);
  return neighbours ? list_neighbours (&scan, first, end, error) :
      list_plain (&scan, first, end, error);
}
