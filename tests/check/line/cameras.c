/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which trigger a picture is of, the ring of pictures, and pixel formats,
 * without a camera: ids and times are made here, by a camera whose faults are
 * known. */

#include <string.h>

#include "camera_pixels.h"
#include "camera_ring.h"
#include "camera_sync.h"
#include "check.h"
#include "checks.h"
#include "publish/clock.h"
#include "random.h"

#define MS G_GINT64_CONSTANT (1000000)
#define PERIOD (100 * MS)
#define TOLERANCE (25 * MS)

static guint64 state = 1;

/* A camera: its clock is so far off and runs so many millionths fast; the next
 * picture's id; how long a picture takes to come. */
typedef struct
{
  gint64 ahead, ppm;
  guint64 id;
  gboolean is_wide;
  gint64 takes;
} Device;

static gint64
camera_time (const Device * device, gint64 time)
{
  return time + device->ahead + time / 1000000 * device->ppm;
}

/* Takes a picture at @time, which comes @late later than usual. */
static void
shoot (Device * device, LineCameraSync * sync, gint64 time, gint64 late)
{
  line_camera_sync_see (sync, device->id, camera_time (device, time),
      time + device->takes + late);
  device->id = device->id == G_MAXUINT16 && !device->is_wide ? 1 :
      device->id + 1;
}

static LineMatch
match (LineCameraSync * sync, const LineTriggerLog * log, guint64 * entry)
{
  return line_camera_sync_match (sync, log, TOLERANCE, entry);
}

/* Ids that wrap, or do not; a clock that is fast or slow; pictures that take a
 * little longer, come late, as from a busy host, or not at all; pauses. Entries must be right; after
 * a pause a late picture may be refused. */
static void
check_long_run (guint64 id, gboolean is_wide, gint64 ppm)
{
  Device device = {.ahead = -7 * PERIOD,.ppm = ppm,.id = id,
    .is_wide = is_wide,.takes = 8 * MS
  };
  LineCameraSync sync = { FALSE };
  LineTriggerLog log = { 0 };
  gint64 time = 1000 * PERIOD;
  guint64 entry, jitter = 1;
  guint n_refused = 0;

  begin ("ids from %" G_GUINT64_FORMAT ", %d ppm", id, (int) ppm);
  line_trigger_log_add (&log, LINE_NO_TRIGGER, time);
  /* the first one comes late: the clock is wrong until a later one shows it */
  shoot (&device, &sync, time, 60 * MS);
  line_camera_sync_measure (&sync, time);
  line_camera_sync_set (&sync, 0);
  for (guint i = 1; i < 140000; i++) {
    const guint64 dice = random_below (&state, 1000);

    time += dice == 0 ? 3000 * PERIOD : PERIOD;
    line_trigger_log_add (&log, i, time);
    if (dice < 20) {
      /* taken, and lost on its way */
      device.id = device.id == G_MAXUINT16 && !is_wide ? 1 : device.id + 1;
      continue;
    }
    shoot (&device, &sync, time, dice < 100 ? 30 * MS :
        (gint64) random_below (&jitter, 2 * MS));
    switch (match (&sync, &log, &entry)) {
      case LINE_MATCH_ENTRY:
        expect (entry == i, "trigger %u: %" G_GUINT64_FORMAT, i, entry);
        break;
      case LINE_MATCH_NONE:
        n_refused++;
        break;
      default:
        expect (FALSE, "trigger %u: out of step", i);
    }
    if (case_has_failed ())
      break;
  }
  expect (n_refused < 100, "%u were refused", n_refused);
  end ();
}

/* A camera that has ignored a trigger counts on: its pictures are refused, and
 * soon it is out of step. */
CHECK (ignored_trigger)
{
  Device device = {.id = 65530,.takes = 5 * MS };
  LineCameraSync sync = { FALSE };
  LineTriggerLog log = { 0 };
  gint64 time = PERIOD;
  guint64 entry;
  LineMatch last = LINE_MATCH_ENTRY;

  begin ("a trigger that the camera ignores");
  for (guint i = 0; i < 20 && last != LINE_MATCH_LOST; i++, time += PERIOD) {
    line_trigger_log_add (&log, i, time);
    if (i == 10)
      continue;
    shoot (&device, &sync, time, 0);
    if (i == 0) {
      line_camera_sync_measure (&sync, time);
      line_camera_sync_set (&sync, 0);
    }
    last = match (&sync, &log, &entry);
    expect ((last == LINE_MATCH_ENTRY && entry == i) == (i < 10),
        "trigger %u: %d", i, last);
  }
  expect (last == LINE_MATCH_LOST && !sync.is_synced, "it stays in step");
  expect (!sync.is_measured && sync.latency == 0, "it keeps a latency of %d ns",
      (int) sync.latency);
  end ();
}

/* The line follows a clock that is fast, and pictures that take a little longer,
 * for hours without a pause: none of them is untimely. */
CHECK (fast_clock)
{
  Device device = {.ppm = 50,.id = 1,.takes = 5 * MS };
  LineCameraSync sync = { FALSE };
  LineTriggerLog log = { 0 };
  gint64 time = PERIOD;
  guint64 entry;

  begin ("a fast clock");
  for (guint i = 0; i < 100000 && !case_has_failed (); i++, time += PERIOD) {
    line_trigger_log_add (&log, i, time);
    shoot (&device, &sync, time, (gint64) random_below (&state, 2 * MS));
    if (i == 0) {
      line_camera_sync_measure (&sync, time);
      line_camera_sync_set (&sync, 0);
    }
    expect (match (&sync, &log, &entry) == LINE_MATCH_ENTRY && entry == i,
        "picture %u is untimely", i);
  }
  expect (sync.latency >= 5 * MS && sync.latency < 8 * MS, "a latency of %d ns",
      (int) sync.latency);
  end ();
}

/* One late exposure is refused, and no more. */
CHECK (late_exposure)
{
  Device device = {.id = 1,.takes = 5 * MS };
  LineCameraSync sync = { FALSE };
  LineTriggerLog log = { 0 };
  gint64 time = PERIOD;
  guint64 entry;

  begin ("a picture that is taken late");
  for (guint i = 0; i < 10; i++, time += PERIOD) {
    line_trigger_log_add (&log, i, time);
    shoot (&device, &sync, time + (i == 5 ? 40 * MS : 0), 0);
    if (i == 0)
      line_camera_sync_set (&sync, 0);
    expect (match (&sync, &log, &entry) == (i == 5 ? LINE_MATCH_NONE :
            LINE_MATCH_ENTRY), "trigger %u", i);
  }
  end ();
  begin ("a picture of a trigger that has not come");
  shoot (&device, &sync, time, 0);
  expect (match (&sync, &log, &entry) == LINE_MATCH_NEW && entry == 10,
      "it is not new");
  end ();
}

/* A camera that joins a line which runs, with ids from anywhere, and whose
 * pictures come late at random: it is synchronised rightly, or not at all. */
CHECK (learning)
{
  guint n_synced = 0;

  begin ("cameras that join");
  for (guint k = 0; k < 500; k++) {
    Device device = {.ahead = (gint64) random_below (&state, 1u << 30) * 1000,
      .id = 1 + random_below (&state, 65535),.takes = 3 * MS
    };
    const guint busy = random_below (&state, 40);
    LineCameraSync sync = { FALSE };
    LineTriggerLog log = { 0 };
    gint64 time = PERIOD;
    gboolean is_synced = FALSE;

    for (guint i = 0; i < 40 && !is_synced; i++, time += PERIOD) {
      const gint64 late = random_below (&state, 100) < busy ?
          (gint64) random_below (&state, 250) * MS : 0;

      line_trigger_log_add (&log, i, time);
      if (i < 5)
        continue;
      shoot (&device, &sync, time, late);
      is_synced = line_camera_sync_learn (&sync, &log, TOLERANCE);
      if (is_synced)
        expect ((gint64) sync.count + sync.offset == i,
            "camera %u: %d, not %u", k, (int) (sync.count + sync.offset), i);
    }
    n_synced += is_synced;
  }
  expect (n_synced > 450, "%u of 500 are synchronised", n_synced);
  end ();
}

/* Ring */

typedef struct
{
  LineCameraRing *ring;
  guint64 trigger;
} Filling;

/* Ids of more than 16 bits are counted as they are, back, too; of a trigger that
 * is too long ago nothing is known. */
CHECK (far)
{
  static const guint64 ids[] = { 65530, 70000, 69000, 3, 70001, 70002 };
  LineCameraSync sync = { 0 };
  LineTriggerLog log = { 0 };
  guint64 entry, first = 0;

  begin ("ids and triggers that are far away");
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++) {
    line_camera_sync_see (&sync, ids[i], i * PERIOD, i * PERIOD);
    first = i == 0 ? sync.count : first;
    expect (sync.count - first == ids[i] - ids[0], "id %u: %u",
        (guint) ids[i], (guint) (sync.count - first));
  }
  for (guint i = 0; i < LINE_TRIGGER_LOG + 1; i++)
    line_trigger_log_add (&log, i, 5 * PERIOD);
  line_camera_sync_set (&sync, 1);
  expect (match (&sync, &log, &entry) == LINE_MATCH_ENTRY && entry == 1,
      "the oldest");
  line_camera_sync_set (&sync, 0);
  expect (match (&sync, &log, &entry) == LINE_MATCH_LOST && !sync.is_synced,
      "one that is forgotten");
  end ();
}

static gpointer
fill_later (gpointer data)
{
  const Filling *filling = data;

  g_usleep (20000);
  guint8 *picture = line_camera_ring_fill (filling->ring, filling->trigger, 1);
  memset (picture, 42, 6);
  line_camera_ring_filled (filling->ring, filling->trigger, 1, 7);
  return NULL;
}

static void
expect_lost (const LineLostViews * lost, guint32 missing, guint32 incomplete,
    guint32 stopped)
{
  const guint32 *by = lost->by;

  expect (by[LINE_LOSS_MISSING] == missing
      && by[LINE_LOSS_INCOMPLETE] == incomplete
      && by[LINE_LOSS_STOPPED] == stopped, "%x, %x, %x", by[LINE_LOSS_MISSING],
      by[LINE_LOSS_INCOMPLETE], by[LINE_LOSS_STOPPED]);
  expect (line_lost_views_get_all (lost) == (missing | incomplete | stopped),
      "all: %x", line_lost_views_get_all (lost));
}

CHECK (ring)
{
  LineCameraRing *ring = line_camera_ring_new (3, 6, 4);
  Filling filling = { ring, 0 };
  LineCameraHealth health;
  LineLostViews lost;
  guint32 taken = 0;
  guint8 copy[6] = { 0 };
  guint view = 9;

  begin ("ring");
  line_camera_ring_add (ring, 0, 3);
  line_camera_ring_lose (ring, 0, 0, TRUE);
  GThread *thread = g_thread_new ("fill", fill_later, &filling);
  const guint8 *picture = line_camera_ring_take (ring, 0, &taken, &view,
      G_MAXINT64 / 2);
  expect (picture && view == 1 && picture[5] == 42 && taken == 2, "one came");
  g_thread_join (thread);
  expect (!line_camera_ring_take (ring, 0, &taken, &view, G_MAXINT64 / 2),
      "nothing else comes");
  line_camera_ring_settle (ring, 0, taken, &lost);
  expect_lost (&lost, 4, 1, 0);
  expect (!line_camera_ring_fill (ring, 0, 1), "a second picture");
  expect (line_camera_ring_look_at (ring, 0, 1, copy) && copy[0] == 42
      && !line_camera_ring_look_at (ring, 0, 0, copy), "looking at it");
  line_camera_ring_count (ring, 1, &health);
  expect (health.frames == 1 && health.last_time == 7, "counts");
  expect (line_camera_ring_get_silence (ring, 2) == 1
      && line_camera_ring_get_silence (ring, 1) == 0, "silence");
  /* one that is waited for is not overwritten; what does not fit is missing */
  line_camera_ring_add (ring, 1, 7);
  taken = 0;
  line_camera_ring_take (ring, 1, &taken, &view, line_clock_now ());
  line_camera_ring_add (ring, 5, 7);
  expect (!line_camera_ring_fill (ring, 5, 0)
      && line_camera_ring_fill (ring, 1, 0), "overwritten");
  line_camera_ring_filled (ring, 1, 0, 8);
  line_camera_ring_give_up (ring, 1);
  /* nobody has taken it: it has no tensor */
  line_camera_ring_settle (ring, 1, taken, &lost);
  expect_lost (&lost, 7, 0, 0);
  line_camera_ring_settle (ring, 5, taken, &lost);
  expect_lost (&lost, 7, 0, 0);
  line_camera_ring_add (ring, 9, 7);
  expect (!line_camera_ring_look_at (ring, 1, 0, copy), "an old picture");
  line_camera_ring_cancel (ring);
  taken = 0;
  expect (!line_camera_ring_take (ring, 9, &taken, &view, G_MAXINT64 / 2),
      "cancelled");
  /* what has been known before stays so */
  line_camera_ring_lose (ring, 9, 1, TRUE);
  line_camera_ring_count (ring, 2, &health);
  guint64 before = health.missing;
  line_camera_ring_settle (ring, 9, taken, &lost);
  line_camera_ring_count (ring, 2, &health);
  expect_lost (&lost, 0, 2, 5);
  expect (health.missing == before + 1, "counted as missing");
  line_camera_ring_free (ring);
  end ();
}

/* Pixels */

/* The colour that a Bayer pattern's pixel has, by its name: "RG" is the first
 * row's, the second one has the other green and what is left. */
static guint
colour_at (const char *name, guint x, guint y)
{
  const char *letters = "RGB";
  const char first_row[] = { name[0], name[1] };
  const char rest = name[0] == 'G' ? (name[1] == 'R' ? 'B' : 'R') :
      (name[0] == 'R' ? 'B' : 'R');
  char letter;

  if (y % 2 == 0)
    letter = first_row[x % 2];
  else
    letter = (name[0] == 'G') == (x % 2 == 0) ? rest : 'G';
  return strchr (letters, letter) - letters;
}

/* A scene of one colour, and one that gets brighter evenly, come out as they
 * were, but for the ramp's border. */
static void
check_bayer (guint32 format, const char *name)
{
  const guint columns = 13, rows = 9;
  const guint8 colour[] = { 200, 100, 20 };
  guint8 data[13 * 9], rgb[13 * 9 * 3];

  begin ("Bayer%s8", name);
  for (guint i = 0; i < columns * rows; i++)
    data[i] = colour[colour_at (name, i % columns, i / columns)];
  line_pixels_to_rgb (format, data, columns, rows, rgb);
  for (guint i = 0; i < columns * rows * 3; i++)
    expect (rgb[i] == colour[i % 3], "sample %u: %u", i, rgb[i]);
  for (guint i = 0; i < columns * rows; i++)
    data[i] = 10 * (i % columns) + 8 * (i / columns);
  line_pixels_to_rgb (format, data, columns, rows, rgb);
  for (guint y = 1; y < rows - 1; y++)
    for (guint x = 1; x < columns - 1; x++)
      for (guint c = 0; c < 3; c++)
        expect (rgb[3 * (y * columns + x) + c] == data[y * columns + x],
            "pixel %u, %u", x, y);
  end ();
}

CHECK (pixels)
{
  const guint8 data[] = { 1, 2, 3, 4, 5, 6 };
  guint8 rgb[18];

  begin ("whole pixels");
  line_pixels_to_rgb (LINE_PIXELS_RGB8, data, 2, 1, rgb);
  expect (memcmp (rgb, data, 6) == 0, "RGB8");
  line_pixels_to_rgb (LINE_PIXELS_BGR8, data, 2, 1, rgb);
  expect (memcmp (rgb, "\3\2\1\6\5\4", 6) == 0, "BGR8");
  line_pixels_to_rgb (LINE_PIXELS_MONO8, data, 2, 3, rgb);
  expect (memcmp (rgb, "\1\1\1\2\2\2\3\3\3", 9) == 0, "Mono8");
  expect (line_pixels_get_size (LINE_PIXELS_BGR8, 5, 2) == 30
      && line_pixels_get_size (LINE_PIXELS_RGB8, 3, 7) == 63
      && line_pixels_get_size (LINE_PIXELS_MONO8, 5, 2) == 10, "sizes");
  expect (line_pixels_are_known (LINE_PIXELS_RGB8)
      && line_pixels_are_known (LINE_PIXELS_MONO8), "the first, the last");
  expect (!line_pixels_are_known (0x01100007), "Mono16");
  end ();
}

int
main (void)
{
  check_long_run (1, FALSE, 0);
  check_long_run (65000, FALSE, 60);
  check_long_run (3, FALSE, -60);
  check_long_run (0, TRUE, 20);
  run_checks ();
  check_bayer (LINE_PIXELS_BAYER_RG8, "RG");
  check_bayer (LINE_PIXELS_BAYER_GR8, "GR");
  check_bayer (LINE_PIXELS_BAYER_GB8, "GB");
  check_bayer (LINE_PIXELS_BAYER_BG8, "BG");
  return finish ();
}
