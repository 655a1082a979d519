/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "expected.h"

#include <string.h>

/* Microseconds after an answer in which pieces may still be of before */
#define ON_THE_WAY (2 * G_USEC_PER_SEC)

/* Pieces that may have been decided, and not been seen yet */
#define UNSEEN 4

/* @from: piece from which on there is @next; -1: there is none */
typedef struct
{
  guint now, next;
  gint64 from;
} Possible;

/* @possible: of Possible, without what is asked for; @other: with it
 * @answered_at: -1: not yet
 * @is_seen: a piece has shown that it was done
 * @first, @last: pieces one of which was next when it was done */
static struct
{
  GArray *possible[EXPECTED_PLACES], *other;
  gboolean is_open, is_seen;
  ExpectedPlace place;
  guint value;
  gint64 from, answered_at;
  guint64 first, last;
} my;

static guint
find (const Possible * possible, guint64 number)
{
  return possible->from >= 0 && number >= (guint64) possible->from ?
      possible->next : possible->now;
}

static void
add (GArray * array, Possible possible)
{
  for (guint i = 0; i < array->len; i++) {
    const Possible *other = &g_array_index (array, Possible, i);

    if (other->now == possible.now && other->from == possible.from
        && (possible.from < 0 || other->next == possible.next))
      return;
  }
  g_array_append_val (array, possible);
}

/* What comes of the command, if the next piece is one of @first to @last. */
static void
make_other (guint64 first, guint64 last)
{
  g_array_set_size (my.other, 0);
  for (guint i = 0; i < my.possible[my.place]->len; i++) {
    const Possible *before = &g_array_index (my.possible[my.place], Possible,
        i);
    const Possible at_once = { my.value, 0, -1 };

    if (my.from < 0) {
      add (my.other, at_once);
      continue;
    }
    add (my.other, (Possible) {find (before, first), my.value, my.from});
    add (my.other, (Possible) {find (before, last), my.value, my.from});
  }
}

void
expected_ask (ExpectedPlace place, guint value, gint64 from, guint64 next)
{
  my.is_open = TRUE;
  my.is_seen = FALSE;
  my.place = place;
  my.value = value;
  my.from = from;
  my.answered_at = -1;
  my.first = next;
  make_other (next, next + UNSEEN);
}

/* It was done for sure. */
static void
take_other (void)
{
  GArray *before = my.possible[my.place];

  my.possible[my.place] = my.other;
  my.other = before;
  my.is_open = FALSE;
}

void
expected_answer (gboolean is_done, guint64 next)
{
  make_other (my.first, next + UNSEEN);
  my.last = next + UNSEEN;
  my.answered_at = world_now ();
  if (is_done)
    return;
  my.is_open = FALSE;
  if (my.is_seen)
    world_fail ("a command was refused, and a piece is of what it asked for");
}

gboolean
expected_is_open (void)
{
  if (my.is_open && my.answered_at >= 0
      && world_now () > my.answered_at + ON_THE_WAY)
    take_other ();
  return my.is_open;
}

void
expected_begin_run (void)
{
  if (!expected_is_open ())
    return;
  if (my.answered_at >= 0 || my.is_seen) {
    take_other ();
    return;
  }
  for (guint i = 0; i < my.other->len; i++)
    add (my.possible[my.place], g_array_index (my.other, Possible, i));
  my.is_open = FALSE;
}

/* Returns: whether any can be; others are taken away, if @others_too */
static gboolean
sift (GArray * array, guint value, guint64 number, gboolean others_too)
{
  guint n = 0;

  for (guint i = 0; i < array->len; i++)
    n += find (&g_array_index (array, Possible, i), number) == value;
  for (guint i = array->len; n > 0 && others_too && i-- > 0;)
    if (find (&g_array_index (array, Possible, i), number) != value)
      g_array_remove_index_fast (array, i);
  return n > 0;
}

gboolean
expected_check (ExpectedPlace place, guint value, guint64 number)
{
  const gboolean is_here = expected_is_open () && my.place == place;

  if (!is_here)
    return sift (my.possible[place], value, number, TRUE);
  if (my.answered_at < 0)
    make_other (my.first, number + UNSEEN);
  const gboolean is_new = sift (my.other, value, number, FALSE);
  if (my.is_seen || (is_new && !sift (my.possible[place], value, number,
              FALSE)))
    return my.is_seen = TRUE, is_new;
  return is_new || sift (my.possible[place], value, number, FALSE);
}

gboolean
expected_is_possible (ExpectedPlace place, guint value)
{
  for (guint i = 0; i < my.possible[place]->len; i++) {
    const Possible *possible = &g_array_index (my.possible[place], Possible,
        i);

    if (possible->now == value || (possible->from >= 0
            && possible->next == value))
      return TRUE;
  }
  return FALSE;
}

void
expected_begin (void)
{
  const Possible nothing = { 0, 0, -1 };

  memset (&my, 0, sizeof (my));
  for (guint i = 0; i < EXPECTED_PLACES; i++) {
    my.possible[i] = g_array_new (FALSE, FALSE, sizeof (Possible));
    g_array_append_val (my.possible[i], nothing);
  }
  my.other = g_array_new (FALSE, FALSE, sizeof (Possible));
}

void
expected_end (void)
{
  for (guint i = 0; i < EXPECTED_PLACES; i++)
    g_clear_pointer (&my.possible[i], g_array_unref);
  g_clear_pointer (&my.other, g_array_unref);
}
