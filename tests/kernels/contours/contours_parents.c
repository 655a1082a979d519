/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contours_parents.h"

#include <math.h>
#include <stdio.h>

/*
 * A ray goes left from a point of a contour. The contours that it crosses an
 * odd number of times are around the point, unless the point lies on them.
 * Points are chosen such that nothing has to be computed:
 *   - an end of a line where only one contour can be: between two pixels. The
 *     ray runs along a row of pixels, and what it crosses there are ends of
 *     lines of the row of cells below; or across a row of cells, from its
 *     border, so that each line of the row lies on one side as a whole.
 *   - if a contour's points are all pixels, the middle of one of its lines,
 *     unless another contour runs there, too. Such a line is a cell's edge or
 *     diagonal.
 */

typedef struct
{
  const Line *lines;
  gsize n_lines;
  const gboolean *closed;
  gsize n_contours;
  gsize *row_begin;             /* of each row of cells, and the end */
  gint64 row0, n_rows;
  gsize *by_contour, *contour_begin;    /* lines, by contour */
  guint *crossings;             /* of the ray, by contour */
  GArray *crossed;              /* contours with crossings: gsize */
  GArray **around;              /* of each contour: gsize */
} Nesting;

static gboolean
is_whole (double value)
{
  return value == floor (value);
}

static void
sort_lines (Nesting * n)
{
  gsize at;
  gint64 row;

  n->row0 = n->lines[0].row;
  n->n_rows = n->lines[n->n_lines - 1].row - n->row0 + 1;
  n->row_begin = g_new (gsize, n->n_rows + 1);
  for (row = 0, at = 0; row <= n->n_rows; row++) {
    while (at < n->n_lines && n->lines[at].row - n->row0 < row)
      at++;
    n->row_begin[row] = at;
  }
  n->contour_begin = g_new0 (gsize, n->n_contours + 1);
  n->by_contour = g_new (gsize, n->n_lines);
  for (gsize i = 0; i < n->n_lines; i++)
    n->contour_begin[n->lines[i].contour + 1]++;
  for (gsize i = 0; i < n->n_contours; i++)
    n->contour_begin[i + 1] += n->contour_begin[i];
  for (gsize i = n->n_lines; i-- > 0;) {
    /* reversed: the end of the contour becomes its start */
    n->by_contour[--n->contour_begin[n->lines[i].contour + 1]] = i;
  }
  for (gsize i = 0; i < n->n_contours; i++)
    n->contour_begin[i] = n->contour_begin[i + 1];
  n->contour_begin[n->n_contours] = n->n_lines;
}

static void
cross (Nesting * n, gsize contour)
{
  if (n->crossings[contour]++ == 0)
    g_array_append_val (n->crossed, contour);
}

/* Whether @line, which lies in the row of cells below or around @y, crosses the
 * ray from (@x, @y) to the left. Above the ray, or on it, is one side. */
static gboolean
is_crossed (const Line * line, double x, double y)
{
  if ((line->y0 > y) == (line->y1 > y))
    return FALSE;
  if (is_whole (y))
    return (line->y0 > y ? line->x1 : line->x0) < x;
  if (is_whole (x))
    return line->column + 1 <= x;
  return line->column + 1 < x;
}

/* The contours enclosing the point, from a row of cells. */
static void
cross_row (Nesting * n, double x, double y, gsize skip)
{
  const double row = floor (y) - n->row0;
  gsize i;

  for (i = 0; i < n->crossed->len; i++)
    n->crossings[g_array_index (n->crossed, gsize, i)] = 0;
  g_array_set_size (n->crossed, 0);
  if (row < 0. || row >= n->n_rows)
    return;
  for (i = n->row_begin[(gsize) row]; i < n->row_begin[(gsize) row + 1]; i++) {
    const Line *line = &n->lines[i];

    if (line->contour != skip && is_crossed (line, x, y))
      cross (n, line->contour);
  }
}

/* A point of @contour between two pixels. */
static gboolean
find_lonely_end (const Nesting * n, gsize contour, gsize number, double *x,
    double *y)
{
  gsize i, found = 0;

  for (i = n->contour_begin[contour]; i < n->contour_begin[contour + 1]; i++) {
    const Line *line = &n->lines[n->by_contour[i]];

    if (is_whole (line->x0) && is_whole (line->y0))
      continue;
    *x = line->x0;
    *y = line->y0;
    if (found++ == number)
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_same_line (const Line * a, const Line * b)
{
  return (a->x0 == b->x0 && a->y0 == b->y0 && a->x1 == b->x1 &&
      a->y1 == b->y1) || (a->x0 == b->x1 && a->y0 == b->y1 && a->x1 == b->x0 &&
      a->y1 == b->y0);
}

/* Whether another contour runs along line @index: in its cell, or in a
 * neighbouring one. */
static gboolean
is_shared (const Nesting * n, gsize index)
{
  const Line *line = &n->lines[index];
  const gint64 row = line->row - n->row0;

  for (gsize i = n->row_begin[row ? row - 1 : 0];
      i < n->row_begin[MIN (row + 2, n->n_rows)]; i++)
    if (n->lines[i].contour != line->contour &&
        is_same_line (&n->lines[i], line))
      return TRUE;
  return FALSE;
}

/* In the cell of a diagonal there may be another line, on one side of it as a
 * whole. The ray from the middle of the diagonal crosses it if it is the left
 * side and the line reaches past the middle. */
static void
cross_beside (Nesting * n, gsize index, double y)
{
  const Line *line = &n->lines[index];
  const double dx = line->x1 - line->x0, dy = line->y1 - line->y0;

  for (gsize i = n->row_begin[line->row - n->row0];
      i < n->row_begin[line->row - n->row0 + 1]; i++) {
    const Line *other = &n->lines[i];
    double side = 0.;

    if (other->column != line->column || other->contour == line->contour ||
        (other->y0 > y) == (other->y1 > y))
      continue;
    side += (other->x0 - line->x0) * dy - (other->y0 - line->y0) * dx;
    side += (other->x1 - line->x0) * dy - (other->y1 - line->y0) * dx;
    if (dy > 0. ? side < 0. : side > 0.)
      cross (n, other->contour);
  }
}

/* The middle of a line of @contour that is no other's. */
static gboolean
cross_from_middle (Nesting * n, gsize contour)
{
  for (gsize i = n->contour_begin[contour]; i < n->contour_begin[contour + 1];
      i++) {
    const gsize index = n->by_contour[i];
    const Line *line = &n->lines[index];
    const double x = .5 * (line->x0 + line->x1), y = .5 * (line->y0 + line->y1);

    if (is_shared (n, index))
      continue;
    cross_row (n, x, y, contour);
    if (!is_whole (x) && !is_whole (y))
      cross_beside (n, index, y);
    return TRUE;
  }
  return FALSE;
}

/* The closed contours that the ray has crossed an odd number of times. */
static GArray *
collect_around (const Nesting * n)
{
  GArray *around = g_array_new (FALSE, FALSE, sizeof (gsize));

  for (gsize i = 0; i < n->crossed->len; i++) {
    const gsize contour = g_array_index (n->crossed, gsize, i);

    if (n->closed[contour] && n->crossings[contour] % 2)
      g_array_append_val (around, contour);
  }
  return around;
}

static gboolean
same_set (const GArray * a, const GArray * b)
{
  guint k;

  for (guint i = 0; i < a->len; i++) {
    for (k = 0; k < b->len &&
        g_array_index (a, gsize, i) != g_array_index (b, gsize, k); k++);
    if (k == b->len)
      return FALSE;
  }
  return a->len == b->len;
}

/* Tests some points of the contour, which must agree. */
#define N_PROBES 4

static gboolean
find_around (Nesting * n, gsize contour)
{
  for (gsize probe = 0; probe < N_PROBES; probe++) {
    double x, y;

    if (find_lonely_end (n, contour, probe, &x, &y))
      cross_row (n, x, y, contour);
    else if (probe > 0)
      return TRUE;
    else if (!cross_from_middle (n, contour)) {
      fprintf (stderr, "oracle: contour %" G_GSIZE_FORMAT
          " runs along others everywhere\n", contour);
      return FALSE;
    }
    GArray *around = collect_around (n);
    gboolean same = probe == 0 || same_set (around, n->around[contour]);
    if (!same) {
      fprintf (stderr, "oracle: contour %" G_GSIZE_FORMAT
          " crosses another one\n", contour);
      g_array_unref (around);
      return FALSE;
    }
    if (n->around[contour])
      g_array_unref (n->around[contour]);
    n->around[contour] = around;
  }
  return TRUE;
}

/* Of those around the contour, the one that has all the others around
 * itself. */
static gboolean
find_innermost (const Nesting * n, gsize contour, gssize * parent)
{
  const GArray *around = n->around[contour];

  *parent = -1;
  for (guint i = 0; i < around->len; i++) {
    const gsize other = g_array_index (around, gsize, i);

    if (n->around[other]->len + 1 != around->len)
      continue;
    if (*parent >= 0)
      return FALSE;
    *parent = (gssize) other;
  }
  return around->len == 0 || *parent >= 0;
}

gboolean
contours_parents (const Line * lines, gsize n_lines, const gboolean * closed,
    gsize n_contours, gssize * parents)
{
  Nesting n = {.lines = lines,.n_lines = n_lines,.closed = closed,
    .n_contours = n_contours
  };
  gboolean ok = TRUE;

  if (n_lines == 0)
    return TRUE;
  sort_lines (&n);
  n.crossings = g_new0 (guint, n_contours);
  n.crossed = g_array_new (FALSE, FALSE, sizeof (gsize));
  n.around = g_new0 (GArray *, n_contours);
  for (gsize i = 0; i < n_contours; i++)
    ok = ok && (!closed[i] || find_around (&n, i));
  for (gsize i = 0; i < n_contours; i++) {
    parents[i] = -1;
    if (ok && closed[i] && !find_innermost (&n, i, &parents[i])) {
      fprintf (stderr, "oracle: no one innermost contour around %"
          G_GSIZE_FORMAT "\n", i);
      ok = FALSE;
    }
  }
  for (gsize i = 0; i < n_contours; i++)
    if (n.around[i])
      g_array_unref (n.around[i]);
  g_free (n.around);
  g_array_unref (n.crossed);
  g_free (n.crossings);
  g_free (n.row_begin);
  g_free (n.by_contour);
  g_free (n.contour_begin);
  return ok;
}
