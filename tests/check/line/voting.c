/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Cameras that trigger themselves, picture by picture: what is left of one, many
 * that are lost, and verdicts that nobody takes. And the cameras of a lane, which
 * are stand-ins: who is woken for a verdict, who is triggered by the line, and one
 * that cannot be opened. */

#include "camera.h"
#include "camera_votes.h"
#include "cameras.h"
#include "check.h"
#include "checks.h"
#include "publish/clock.h"

#include <string.h>

#define MS G_GINT64_CONSTANT (1000000)
#define START (1000000 * MS)
#define PERIOD (100 * MS)
#define TIMEOUT (35 * MS)
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
  line_camera_votes_see_remains (&votes, view, arrival, TIMEOUT);
}

CHECK (remains)
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
  see_remains (1, second + TIMEOUT + 1);
  expect (n_fired == 1, "too late");
  see_remains (1, second + TIMEOUT);
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

CHECK (lost)
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
CHECK (repeated)
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

CHECK (untaken)
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

/* Stand-ins */

struct _LineCamera
{
  guint view, n_wakes;
};

/* @missing, @absent, @unwilling: views of cameras that have no threads, cannot be
 * opened, or take no pictures for the line; @asked: bits of those that should */
static struct
{
  guint missing, absent, unwilling, n;
  guint32 asked;
  LineCameraParts parts;
  LineCamera *cameras[3];
} stand_ins;

gboolean
line_camera_device_is_built (void)
{
  return TRUE;
}

LineCamera *
line_camera_new (const LineCameraParts * parts, GError ** error)
{
  if (parts->task.view == stand_ins.missing) {
    g_set_error (error, LINE_ERROR, LINE_ERROR_RUN, "no thread");
    return NULL;
  }
  LineCamera *camera = g_new0 (LineCamera, 1);
  camera->view = parts->task.view;
  stand_ins.cameras[camera->view] = camera;
  stand_ins.parts = *parts;
  stand_ins.n++;
  return camera;
}

void
line_camera_free (LineCamera * camera)
{
  stand_ins.n--;
  g_free (camera);
}

gboolean
line_camera_wait (LineCamera * camera, GError ** error)
{
  if (camera->view != stand_ins.absent)
    return TRUE;
  g_set_error (error, LINE_ERROR, LINE_ERROR_RUN, "no camera");
  return FALSE;
}

gboolean
line_camera_trigger (LineCamera * camera, guint64 trigger, gint64 time)
{
  LineCameraRing *ring = stand_ins.parts.ring;

  stand_ins.asked |= 1u << camera->view;
  if (camera->view == stand_ins.unwilling)
    return FALSE;
  guint8 *picture = line_camera_ring_fill (ring, trigger, camera->view);
  expect (picture != NULL, "camera %u is not awaited", camera->view);
  *picture = 10 * trigger + camera->view;
  line_camera_ring_filled (ring, trigger, camera->view, time);
  return TRUE;
}

void
line_camera_wake (LineCamera * camera)
{
  camera->n_wakes++;
}

void
line_camera_get_health (LineCamera * camera, LineCameraHealth * health)
{
  memset (health, 0, sizeof (*health));
}

#define NONE 99

/* Returns: the lane's cameras; @config is to be freed after them */
static LineCameras *
open_cameras (const char *trigger, guint missing, guint absent,
    LineConfig ** config, GError ** error)
{
  char *text = g_strdup_printf ("[line]\nname=l\nrecipe=r.ini\noutput=o\n"
      "deadline-ms=50\ntriggers-per-second=10\n"
      "[geometry]\ncolumns=32\nrows=8\nmm-per-pixel=5\ncups=1\ncup-first=15\n"
      "cup-pitch=30\ntilt=-45;15;30\n"
      "[lane a]\nsource=camera\nnetwork=n\ncameras=x;y;z\ntrigger=%s\n"
      "frame-timeout-ms=60000\n", trigger);
  GError *wrong = NULL;

  memset (&stand_ins, 0, sizeof (stand_ins));
  stand_ins.missing = missing;
  stand_ins.absent = absent;
  *config = line_config_parse ("l.ini", text, strlen (text), &wrong);
  g_assert_no_error (wrong);
  g_free (text);
  return line_cameras_new (*config, &g_array_index ((*config)->lanes,
          LineLaneConfig, 0), error);
}

static void
ignore (gint64 time, gpointer user)
{
}

/* The camera's picture @id, of @time */
static void
show (guint view, guint64 id, gint64 time)
{
  line_camera_sync_see (&syncs[view], id, time, time + TAKES);
  stand_ins.parts.voting->see (&syncs[view], view, stand_ins.parts.user);
}

static void
expect_woken (guint first, guint second, guint third)
{
  const guint wanted[] = { first, second, third };

  for (guint v = 0; v < 3; v++) {
    expect (stand_ins.cameras[v]->n_wakes == wanted[v], "camera %u: %u times",
        v, stand_ins.cameras[v]->n_wakes);
    stand_ins.cameras[v]->n_wakes = 0;
  }
}

/* Those whose pictures have waited for others', if the line runs */
CHECK (woken)
{
  const gint64 now = line_clock_now ();
  LineCameraVerdict verdict;
  g_autoptr (LineConfig) config = NULL;

  begin ("who is woken");
  memset (syncs, 0, sizeof (syncs));
  LineCameras *cameras = open_cameras ("hardware", NONE, NONE, &config, NULL);
  gpointer user = stand_ins.parts.user;
  for (guint v = 0; v < 3; v++)
    show (v, 1, now - 100 * PERIOD);
  expect_woken (0, 0, 0);
  line_cameras_start (cameras, ignore, NULL);
  for (guint v = 0; v < 3; v++)
    show (v, 2, now - 9 * PERIOD);
  for (guint v = 0; v < 3; v++) {
    stand_ins.cameras[v]->n_wakes = 0;
    expect (stand_ins.parts.voting->take (v, &verdict, user), "%u: the first",
        v);
  }
  show (2, 3, now - 8 * PERIOD);
  expect_woken (0, 0, 0);
  expect (!stand_ins.parts.voting->take (2, &verdict, user), "too few");
  show (1, 3, now - 8 * PERIOD);
  expect_woken (0, 1, 1);
  for (guint v = 1; v < 3; v++)
    expect (stand_ins.parts.voting->take (v, &verdict, user)
        && verdict.trigger == 1, "the verdict of camera %u", v);
  show (0, 3, now - 8 * PERIOD);
  expect_woken (1, 0, 0);
  line_cameras_end (cameras);
  show (2, 4, now - 7 * PERIOD);
  expect_woken (0, 0, 0);
  line_cameras_free (cameras);
  expect (stand_ins.n == 0, "%u are left", stand_ins.n);
  end ();
}

/* The line's trigger @trigger, which came at @time: bits of the cameras that are
 * asked for it, and of those that have no picture of it */
static void
trigger_cameras (LineCameras * cameras, guint64 trigger, gint64 time,
    guint32 asked, guint32 lost)
{
  LineLostViews views = { {0} };
  guint32 taken = 0;
  const guint8 *picture;
  guint view;

  stand_ins.asked = 0;
  line_cameras_trigger (cameras, time);
  expect (stand_ins.asked == asked, "%u: %x are asked", (guint) trigger,
      stand_ins.asked);
  while ((picture = line_cameras_take (cameras, trigger, &taken, &view)))
    expect (*picture == 10 * trigger + view, "%u: another picture",
        (guint) trigger);
  expect (taken == (7 & ~lost), "%u: %x are there", (guint) trigger, taken);
  line_cameras_settle (cameras, trigger, taken, &views);
  expect (views.by[LINE_LOSS_MISSING] == lost, "%u: %x are missing",
      (guint) trigger, views.by[LINE_LOSS_MISSING]);
}

/* No picture is taken of what has passed, and none is waited for. */
CHECK (triggered)
{
  g_autoptr (LineConfig) config = NULL;

  begin ("who is triggered");
  LineCameras *cameras = open_cameras ("software", NONE, NONE, &config, NULL);
  stand_ins.unwilling = NONE;
  expect (!stand_ins.parts.voting && !line_cameras_trigger_themselves (cameras),
      "they trigger themselves");
  gint64 now = line_clock_now ();
  trigger_cameras (cameras, 0, now - PERIOD, 0, 7);
  trigger_cameras (cameras, 1, now + 100 * PERIOD, 7, 0);
  stand_ins.unwilling = 1;
  trigger_cameras (cameras, 2, now + 101 * PERIOD, 7, 2);
  line_cameras_free (cameras);
  end ();
}

static void
check_unopened (guint missing, guint absent, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LineConfig) config = NULL;

  begin ("%s", wanted);
  expect (!open_cameras ("hardware", missing, absent, &config, &error), "they are opened");
  expect (error && strstr (error->message, wanted), "%s", error ?
      error->message : "nothing is told");
  expect (stand_ins.n == 0, "%u are left", stand_ins.n);
  end ();
}

int
main (void)
{
  run_checks ();
  check_unopened (2, NONE, "no thread");
  check_unopened (NONE, 1, "no camera");
  return finish ();
}
