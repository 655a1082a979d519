/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: rows of labels, and which corners of the cells between two are equal. */
#include "labels_cpu.h"

#include "base/clones.h"

/* What a label @value is in a row; the background and what is below 0 is
 * outside. */
static inline guint32
mapped (gint64 value, gint64 background)
{
  return value < 0 || value == background ? CS_LABELS_OUTSIDE :
      (guint32) value + 1;
}

/* Of 32 bits and less a label below 0 is one of 2^31 and more without sign. */
#define LOAD_NARROW(name, Type, is_signed) \
static CS_CLONES gboolean \
name (const void *data, gsize n, gint64 background, guint32 * to) \
{ \
  const Type *from = data; \
  const guint32 other = background < 0 ? G_MAXUINT32 : (guint32) background; \
  guint32 all = 0; \
\
  for (gsize i = 0; i < n; i++) { \
    const guint32 value = (guint32) from[i]; \
\
    all |= value; \
    to[i] = value == other || value > CS_LABELS_MAX ? CS_LABELS_OUTSIDE : \
        value + 1; \
  } \
  return is_signed || all <= CS_LABELS_MAX; \
}

#define LOAD_WIDE(name, Type) \
static CS_CLONES gboolean \
name (const void *data, gsize n, gint64 background, guint32 * to) \
{ \
  const Type *from = data; \
  gboolean fits = TRUE; \
\
  for (gsize i = 0; i < n; i++) { \
    const Type value = from[i]; \
\
    fits &= value <= (Type) CS_LABELS_MAX; \
    to[i] = mapped ((gint64) value, background); \
  } \
  return fits; \
}

LOAD_NARROW (load_u8, guint8, FALSE)
LOAD_NARROW (load_i8, gint8, TRUE)
LOAD_NARROW (load_u16, guint16, FALSE)
LOAD_NARROW (load_i16, gint16, TRUE)
LOAD_NARROW (load_u32, guint32, FALSE)
LOAD_NARROW (load_i32, gint32, TRUE)
LOAD_WIDE (load_u64, guint64)
LOAD_WIDE (load_i64, gint64)

typedef gboolean (*Load) (const void *data, gsize n, gint64 background,
    guint32 * to);

static Load
load_of (const CsLabelsPicture * picture)
{
  switch (picture->size) {
    case 1:
      return picture->is_signed ? load_i8 : load_u8;
    case 2:
      return picture->is_signed ? load_i16 : load_u16;
    case 4:
      return picture->is_signed ? load_i32 : load_u32;
    default:
      return picture->is_signed ? load_i64 : load_u64;
  }
}

/* Labels that are not wanted are outside. */
static void
select_labels (const CsLabelsInput * input, guint32 * row)
{
  guint32 last = CS_LABELS_OUTSIDE;
  gboolean is_wanted = FALSE;

  cs_labels_take (CS_LABELS_SELECTED);
  for (guint x = 0; x < input->picture.width; x++) {
    if (row[x] == CS_LABELS_OUTSIDE)
      continue;
    if (row[x] != last) {
      gsize low = 0, high = input->n_wanted;

      last = row[x];
      while (low < high) {
        const gsize middle = (low + high) / 2;

        if (input->wanted[middle] < last - 1)
          low = middle + 1;
        else
          high = middle;
      }
      is_wanted = low < input->n_wanted && input->wanted[low] == last - 1;
    }
    if (!is_wanted)
      row[x] = CS_LABELS_OUTSIDE;
  }
}

gboolean
cs_labels_cpu_load (const CsLabelsJob * job, gsize y, guint32 * row,
    GError ** error)
{
  const CsLabelsPicture *picture = &job->input->picture;
  const guint8 *from = (const guint8 *) picture->data + y * picture->row_stride;
  const gint64 background = job->params->background;
  const Load load = load_of (picture);
  const gboolean dense = picture->pixel_stride == picture->size;

  cs_labels_take (dense ? CS_LABELS_DENSE : CS_LABELS_STRIDED);
  row[0] = row[picture->width + 1] = CS_LABELS_OUTSIDE;
  const gboolean done = dense && load (from, picture->width, background,
      row + 1);

  for (guint x = 0; x < picture->width && !done; x++) {
    const guint8 *at = from + x * picture->pixel_stride;

    if (!load (at, 1, background, &row[x + 1]))
      return cs_labels_fail_label (picture->size == 4 ?
          *(const guint32 *) (gconstpointer) at :
          *(const guint64 *) (gconstpointer) at, x, job->first_row + y, error);
  }
  if (job->input->wanted)
    select_labels (job->input, row + 1);
  return TRUE;
}

/* Cells that are compared at once. */
#define AT_ONCE 512

static inline __attribute__ ((always_inline)) void
find_equal (const guint32 * a, const guint32 * b, gsize n, guint8 * equal)
{
  for (gsize i = 0; i < n; i++)
    equal[i] = a[i] == b[i];
}

/* A ring's last cell has its label at the upper left only, or, of a hole,
 * everywhere but there. It is not the last one if its pixels, or the hole's, go on
 * in the row below to the left. */
CS_CLONES void
cs_labels_cpu_compare (const guint32 * top, const guint32 * bottom, gsize n,
    const guint8 * previous, guint8 * cells)
{
  /* of the cell to the left of the first one, too */
  guint8 above[AT_ONCE + 1] = { 0 }, below[AT_ONCE + 1] = { 0 };
  guint8 sides[AT_ONCE + 2] = { 0 };
  guint8 falling[AT_ONCE], rising[AT_ONCE];

  for (gsize begin = 0; begin < n; begin += AT_ONCE) {
    const guint32 *t = top + begin, *b = bottom + begin;
    const gsize m = MIN (n - begin, AT_ONCE);
    guint8 *out = cells + begin;

    if (previous)
      for (gsize i = 0; i < m; i++)
        above[i + 1] = (previous[begin + i] / CS_LABELS_BOTTOM) & 1;
    else
      find_equal (t, t + 1, m, above + 1);
    find_equal (b, b + 1, m, below + 1);
    find_equal (t, b, m + 1, sides + 1);
    find_equal (t, b + 1, m, falling);
    find_equal (t + 1, b, m, rising);
    for (gsize i = 0; i < m; i++) {
      const guint8 flat = above[i + 1], left = sides[i + 1];
      const guint8 right = sides[i + 2], floor = below[i + 1];
      const guint8 outer = (flat | left | (above[i] & sides[i])) ^ 1;
      const guint8 hole = right & floor & below[i] & (falling[i] ^ 1);

      out[i] = (guint8) (flat * CS_LABELS_TOP | left * CS_LABELS_LEFT |
          right * CS_LABELS_RIGHT | floor * CS_LABELS_BOTTOM |
          falling[i] * CS_LABELS_FALLING | rising[i] * CS_LABELS_RISING |
          outer * CS_LABELS_END_OUTER | hole * CS_LABELS_END_HOLE);
    }
    above[0] = above[m];
    below[0] = below[m];
    sides[0] = sides[m];
  }
}

CS_CLONES gssize
cs_labels_cpu_find_left (const guint32 * row, gssize c, guint32 label)
{
  guint32 found = 0;

  for (; c >= 31 && !found; c -= 32)
    for (gssize k = 0; k < 32; k++)
      found |= row[c - k] == label;
  for (c += found ? 32 : 0; c >= 0 && row[c] != label; c--);
  return c;
}
