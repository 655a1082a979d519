/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Cameras that trigger themselves, picture by picture: what is left of one, many
 * that are lost, and verdicts that nobody takes. */

#include "camera_votes.h"
#include "check.h"

#include <string.h>

#define MS G_GINT64_CONSTANT (1000000)
#define START (1000000 * MS)
#define PERIOD (100 * MS)
#define PATIENCE (35 * MS)
/* What a picture takes to come */
#define TAKES (7 * MS)

static LineCameraVotes votes;
static LineCameraSync syncs[3];
static guint64 n_fired;
static gint64 last_fired;

static void
fired (guint64 trigger, gint64 time, guint32 awaited, gpointer user)
{
  expect (trigger == n_fired, "trigger %u", (guint) trigger);
  n_fired++;
  last_fired = time;
}

/* Three views, of which two must agree and the first two are there */
static void
begin_votes (void)
{
  memset (&votes, 0, sizeof (votes));
  memset (syncs, 0, sizeof (syncs));
  votes.views = 3;
  votes.min_cameras = 2;
  votes.cups = 5;
  votes.tolerance = 25 * MS;
  votes.fired = fired;
  n_fired = 0;
  for (guint v = 0; v < 2; v++)
    line_camera_votes_join (&votes, v, START - 1000 * MS);
}

/* The picture @id of the view, of pulse @pulse */
static gboolean
see (guint view, guint64 id, guint pulse)
{
  const gint64 time = START + pulse * PERIOD;

  line_camera_sync_see (&syncs[view], id, time, time + TAKES);
  return line_camera_votes_see (&votes, view, &syncs[view]);
}

static void
see_remains (guint view, gint64 arrival)
{
  line_camera_votes_see_remains (&votes, view, arrival, PATIENCE);
}

static void
check_remains (void)
{
  const gint64 second = START + PERIOD + TAKES;

  begin ("what is left of a picture");
  begin_votes ();
  see (0, 1, 0);
  see_remains (1, START + TAKES);
  expect (n_fired == 0, "nothing is known of the camera");
  see (1, 1, 0);
  expect (n_fired == 1 && last_fired == START + TAKES, "both have seen it");
  see_remains (1, START + TAKES + 1);
  expect (n_fired == 1, "of nothing");
  see (0, 2, 1);
  expect (n_fired == 1, "one camera has seen the second");
  see_remains (0, second);
  see_remains (2, second);
  expect (n_fired == 1, "the same one, one that is not there");
  see_remains (1, second - 1);
  expect (n_fired == 1, "from before");
  see_remains (1, second + PATIENCE + 1);
  expect (n_fired == 1, "too late");
  see_remains (1, second + PATIENCE);
  expect (n_fired == 2 && last_fired == second, "in time");
  see (0, 3, 2);
  see (0, 4, 3);
  see_remains (1, START + 3 * PERIOD + TAKES);
  expect (n_fired == 2, "of one of two");
  end ();
}

/* By their ids both have taken @n pictures that are lost. Returns: the trigger
 * that the next one is of */
static guint64
lose (guint n, LineCameraVerdict verdicts[2])
{

  begin_votes ();
  for (guint i = 0; i < 3; i++)
    for (guint v = 0; v < 2; v++)
      see (v, 1 + i, i);
  for (guint v = 0; v < 2; v++)
    while (line_camera_votes_take (&votes, v, &verdicts[v]));
  for (guint v = 0; v < 2; v++)
    see (v, 4 + n, 3 + n);
  for (guint v = 0; v < 2; v++)
    expect (line_camera_votes_take (&votes, v, &verdicts[v]), "a verdict");
  expect (verdicts[0].trigger == verdicts[1].trigger, "%u lost: %u, %u", n,
      (guint) verdicts[0].trigger, (guint) verdicts[1].trigger);
  return verdicts[0].trigger;
}

static void
check_lost (void)
{
  LineCameraVerdict verdicts[2];

  begin ("pictures that both cameras lose");
  expect (lose (0, verdicts) == 3, "none");
  expect (lose (1, verdicts) == 4 && n_fired == 5, "one");
  expect (lose (16, verdicts) == 19 && n_fired == 20, "sixteen: %u",
      (guint) verdicts[0].trigger);
  expect (!verdicts[0].is_lost && !verdicts[1].is_lost, "are counted");
  /* more are a camera that counts wrongly, and begins anew */
  expect (lose (17, verdicts) == LINE_NO_TRIGGER && n_fired == 4, "more");
  expect (verdicts[0].is_lost && verdicts[1].is_lost, "are not believed");
  end ();
}

/* A camera repeats an id: its verdict stays, and the next one is another's. */
static void
check_repeated (void)
{
  LineCameraVerdict verdicts[2];

  begin ("an id twice");
  begin_votes ();
  see (0, 5, 0);
  see (1, 5, 0);
  see (0, 5, 1);
  see (1, 6, 1);
  expect (n_fired == 2, "%u triggers", (guint) n_fired);
  for (guint i = 0; i < 2; i++)
    expect (line_camera_votes_take (&votes, 0, &verdicts[i]), "a verdict");
  expect (verdicts[0].trigger == 0 && verdicts[1].trigger == 1
      && verdicts[0].missed == 0 && verdicts[1].missed == 1, "%u, %u",
      (guint) verdicts[0].trigger, (guint) verdicts[1].trigger);
  end ();
}

static void
check_untaken (void)
{
  LineCameraVerdict verdict;

  begin ("verdicts that nobody takes");
  begin_votes ();
  for (guint i = 0; i < LINE_MOST_VERDICTS; i++)
    for (guint v = 0; v < 2; v++)
      expect (see (v, 1 + i, i), "picture %u", i);
  expect (n_fired == LINE_MOST_VERDICTS, "%u triggers", (guint) n_fired);
  expect (!see (0, LINE_MOST_VERDICTS + 1, LINE_MOST_VERDICTS),
      "one has no room");
  for (guint i = 0; i < LINE_MOST_VERDICTS; i++)
    expect (line_camera_votes_take (&votes, 0, &verdict)
        && verdict.trigger == i && verdict.missed == 0, "verdict %u", i);
  expect (!line_camera_votes_take (&votes, 0, &verdict), "no more");
  expect (see (0, LINE_MOST_VERDICTS + 2, LINE_MOST_VERDICTS + 1), "room");
  end ();
}

int
main (void)
{
  check_remains ();
  check_lost ();
  check_repeated ();
  check_untaken ();
  return finish ();
}
