/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: from cell to cell along a ring. */
#include "labels_cpu.h"

static const CsLabelsPoint ways[4] = { {1, 0}, {0, 1}, {-1, 0}, {0, -1} };

/* --- Steps ---------------------------------------------------------------- */

static CsLabelsStep
step_of (const CsLabelsWalker * walker, guint cell, guint direction)
{
  const gint32 moves[4] = { 1, (gint32) walker->stride, -1,
    -(gint32) walker->stride
  };
  const guint next = cs_labels_turn (cell, direction);
  const gboolean ends_outer = direction == CS_LABELS_SOUTH &&
      next == CS_LABELS_WEST;
  const gboolean ends_hole = direction == CS_LABELS_EAST &&
      next == CS_LABELS_NORTH;

  return (CsLabelsStep) {
    .move = moves[next],
    .direction = (guint8) next,
    .kept = (guint8) ~(ends_outer ? CS_LABELS_END_OUTER : ends_hole ?
        CS_LABELS_END_HOLE : 0),
    .turns = next != direction,
    .way = (guint8) (4 * direction + next),
  };
}

/* The last two bits of a cell do not matter. */
void
cs_labels_cpu_walker_init (CsLabelsWalker * walker)
{
  for (guint direction = 0; direction < 4; direction++) {
    CsLabelsStep *steps = walker->steps[direction];

    for (guint cell = 0; cell <= CS_LABELS_EQUAL; cell++)
      steps[cell] = step_of (walker, cell, direction);
    for (guint cell = CS_LABELS_EQUAL + 1; cell <= G_MAXUINT8; cell++)
      steps[cell] = steps[cell & CS_LABELS_EQUAL];
    for (guint next = 0; next < 4; next++)
      walker->ways[4 * direction + next] =
          walker->outline == CS_LABELS_PIXELS ? ways[next] :
          .5f * (ways[direction] + ways[next]);
  }
}

/* --- Points --------------------------------------------------------------- */

/* Where points are written, up to @end. */
typedef struct
{
  CsArray *points;
  CsLabelsPoint *next, *end;
} Writer;

static void
begin_writing (CsArray * points, Writer * writer)
{
  CsLabelsPoint *data = (CsLabelsPoint *) (gpointer) points->data;

  *writer = (Writer) { points, data + points->len, data + points->capacity };
}

static void
end_writing (Writer * writer)
{
  writer->points->len = writer->next -
      (CsLabelsPoint *) (gpointer) writer->points->data;
}

/* Room for more. */
static __attribute__ ((noinline)) gboolean
make_room (Writer * writer)
{
  end_writing (writer);
  if (!cs_array_reserve (writer->points, 256))
    return FALSE;
  begin_writing (writer->points, writer);
  return TRUE;
}

/* Where a ring is: at the middle of the side through which it has entered the
 * cell, or with pixels of the cell. */
static CsLabelsPoint
place_of (const CsLabelsWalker * walker, gssize cell, guint direction)
{
  const CsLabelsPoint middle = {
    walker->x + cell % walker->stride, walker->y + cell / walker->stride
  };

  return walker->outline == CS_LABELS_PIXELS ? middle :
      middle - .5f * ways[direction];
}

static inline const CsLabelsStep *
step_at (const CsLabelsWalker * walker, gssize cell, guint direction)
{
  return &walker->steps[direction][walker->cells[cell]];
}

/* Takes a step, and writes its point. */
static inline __attribute__ ((always_inline)) void
take_step (const CsLabelsWalker * walker, const CsLabelsStep * step,
    CsLabelsOutline outline, CsLabelsPoint * at, Writer * writer)
{
  const CsLabelsPoint way = walker->ways[step->way];

  if (outline == CS_LABELS_PIXELS) {
    *writer->next = *at;
    writer->next += step->turns;
    *at += way;
  } else {
    *at += way;
    *writer->next++ = *at;
  }
}

/* --- Walks ---------------------------------------------------------------- */

static inline __attribute__ ((always_inline)) gboolean
walk_ring (const CsLabelsWalker * walker, CsLabelsOutline outline,
    gssize end_cell, guint end_direction, CsLabelsWalk * walk)
{
  const CsLabelsStep *step = step_at (walker, end_cell, end_direction);
  guint8 *cells = walker->cells;
  gssize cell = end_cell + step->move, first = end_cell, at_cell;
  guint direction = step->direction, at_direction;
  CsLabelsPoint at = place_of (walker, cell, direction);
  gsize n = 0;
  Writer writer;

  begin_writing (walker->points, &writer);
  const gsize begin = walker->points->len;

  if (writer.next == writer.end && !make_room (&writer))
    return FALSE;
  writer.next++;
  do {
    if (writer.next == writer.end && !make_room (&writer))
      return FALSE;
    step = step_at (walker, cell, direction);
    cells[cell] &= step->kept;
    first = MIN (first, cell);
    take_step (walker, step, outline, &at, &writer);
    at_cell = cell;
    at_direction = direction;
    cell += step->move;
    direction = step->direction;
    n++;
  } while (at_cell != end_cell || at_direction != end_direction);
  end_writing (&writer);

  CsLabelsPoint *points = (CsLabelsPoint *) (gpointer) walker->points->data;

  points[begin] = points[walker->points->len - 1];
  walk->n_steps = n;
  walk->first = first;
  return TRUE;
}

gboolean
cs_labels_cpu_walk_ring (const CsLabelsWalker * walker, gssize cell,
    gboolean is_hole, CsLabelsWalk * walk)
{
  const guint direction = is_hole ? CS_LABELS_EAST : CS_LABELS_SOUTH;

  return walker->outline == CS_LABELS_PIXELS ?
      walk_ring (walker, CS_LABELS_PIXELS, cell, direction, walk) :
      walk_ring (walker, CS_LABELS_CONTOURS, cell, direction, walk);
}

gboolean
cs_labels_cpu_walk_fragment (const CsLabelsWalker * walker, gssize cell,
    guint direction, CsLabelsWalk * walk)
{
  const gsize begin = walker->points->len;
  CsLabelsPoint at = place_of (walker, cell, direction);
  Writer writer;

  *walk = (CsLabelsWalk) {.first = walker->n,.last = -1 };
  begin_writing (walker->points, &writer);
  do {
    if (writer.next == writer.end && !make_room (&writer))
      return FALSE;
    const CsLabelsStep *step = step_at (walker, cell, direction);

    walker->cells[cell] &= step->kept;
    take_step (walker, step, walker->outline, &at, &writer);
    if (cell < walk->first) {
      walk->first = cell;
      walk->first_direction = direction;
    }
    if (cell > walk->last) {
      walk->last = cell;
      walk->last_direction = direction;
      walk->n_last = writer.next -
          (CsLabelsPoint *) (gpointer) walker->points->data - begin;
    }
    cell += step->move;
    direction = step->direction;
    walk->n_steps++;
  } while (cell >= 0 && cell < walker->n);
  end_writing (&writer);
  walk->to = cell;
  return TRUE;
}
