/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Recordings: the layout against bytes written by hand, random events there and
 * back, files that are cut off or changed, and what is beyond the limits. */

#include "check.h"
#include "checks.h"
#include "random.h"
#include "recording.h"
#include "tones.h"
#include "settings.h"

#include <math.h>
#include <string.h>

#define NAME "lane1.events"
#define N_EVENTS 60

static const char head_bytes[] = "464c4556 02000000";
static const char head_bytes_1[] = "464c4556 01000000";

/* TRIGGER, time, when it came */
static const char trigger_bytes[] =
    "00000000 00000000 0807060504030201 0707060504030201";

/* LOOK, view 3, time, trigger; times of the trigger and of the tensor; 1
 * contour, 2 points */
#define LOOK_BYTES \
    "01000000 03000000 0807060504030201 0500000000000000" \
    "0600000000000000 0700000000000000 01000000 02000000"

static const char view_bytes[] =
    /* class 12, id 7, no parent, a hole; area 1.5 */
    "0c000000 07000000 ffffffff 01000000 000000000000f83f"
    /* box: -2, 0.5, 3, 4; 2 points from the first on */
    "00000000000000c0 000000000000e03f 0000000000000840 0000000000001040"
    "00000000 02000000"
    /* Feret diameters 5 and 6; circle at 7, 8 */
    "0000000000001440 0000000000001840 0000000000001c40 0000000000002040"
    /* (1, 2), (-1, 0.25) */
    "0000803f 00000040 000080bf 0000803e";

/* 3 turns, which come last: 72, -1.5, not known */
static const char turns_bytes[] = "03000000";
static const char turn_bytes[] = "00009042 0000c0bf 0000c07f";

/* for "sum" */
static const char lost_bytes[] =
    "02000000 0f000800 0807060504030201 ffffffffffffffff";
static const char lost_bytes_1[] =
    "02000000 0f000000 0807060504030201 ffffffffffffffff";
static const char recipe_bytes[] =
    "04000000 00000000 0807060504030201 0000000000000000"
    "30313233343536373839616263646566 30313233343536373839616263646566"
    "30313233343536373839616263646566 30313233343536373839616263646566";

/* run 258, whose first piece is 1027; trigger 1027, which agrees, since 8, 6
 * earlier for the PLC, at 9; trigger 0, of which nothing is known */
static const char run_bytes[] =
    "06000000 00000201 0807060504030201 0304000000000000";
static const char number_bytes[] =
    "07000000 00000100 0807060504030201 0304000000000000"
    "0800000000000000 faffffffffffffff 09000000 00000000"
    "07000000 00000000 0807060504030201 0000000000000000"
    "0000000000000000 0000000000000000 00000000 00000000";

static const char some_hash[] =
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static void
append_hex (GByteArray * file, const char *hex)
{
  for (const char *at = hex; *at; at += 2) {
    while (*at == ' ')
      at++;
    guint8 byte = g_ascii_xdigit_value (at[0]) << 4
        | g_ascii_xdigit_value (at[1]);
    g_byte_array_append (file, &byte, 1);
  }
}

static void
append (GByteArray * file, GBytes * bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  g_byte_array_append (file, data, size);
  g_bytes_unref (bytes);
}

static void
append_event (GByteArray * file, const LineEvent * event)
{
  GBytes *bytes = line_recording_encode (event);

  expect (bytes != NULL, "an event that cannot be encoded");
  if (bytes)
    append (file, bytes);
}

static LineRecording *
open_bytes (const guint8 * data, gsize size, GError ** error)
{
  FILE *file = fmemopen ((void *) data, size, "rb");

  g_assert (file);
  return line_recording_open (file, NAME, error);
}

/* The layout */

static LineContour hand_contours[] = {
  {12, 7, -1, TRUE, 1.5, -2, 0.5, 3, 4, 0, 2, 5, 6, 7, 8}
};
static LinePoint hand_points[] = { {1, 2}, {-1, 0.25} };

static gfloat hand_turns[] = { 72, -1.5, 0 };

static LineSeen hand_seen =
    { {hand_contours, 1, hand_points, hand_turns, 3}, 6, 7 };

#define HAND_TIME 0x0102030405060708

/* As version 2 has them. */
static void
append_by_hand (GByteArray * file)
{
  append_hex (file, head_bytes);
  append_hex (file, trigger_bytes);
  append_hex (file, LOOK_BYTES);
  append_hex (file, turns_bytes);
  append_hex (file, view_bytes);
  append_hex (file, turn_bytes);
  append_hex (file, lost_bytes);
  append_hex (file, recipe_bytes);
  append_hex (file, run_bytes);
  append_hex (file, number_bytes);
}

CHECK (layout)
{
  g_autoptr (GByteArray) written = g_byte_array_new ();
  g_autoptr (GByteArray) wanted = g_byte_array_new ();
  LineRecipe recipe = {.ref_count = 1 };
  LineEvent trigger = {.type = LINE_EVENT_TRIGGER,.time = HAND_TIME,
    .came = HAND_TIME - 1
  };
  LineEvent look = {.type = LINE_EVENT_LOOK,.lane = 9,.time = HAND_TIME,
    .trigger = 5,.view = 3,.seen = &hand_seen
  };
  LineEvent lost = {.type = LINE_EVENT_LOST,.time = HAND_TIME,
    .trigger = G_MAXUINT64,.view = 15,.loss = LINE_LOSS_SUM
  };
  LineEvent change = {.type = LINE_EVENT_RECIPE,.time = HAND_TIME,
    .recipe = &recipe
  };
  LineEvent run = {.type = LINE_EVENT_RUN,.time = HAND_TIME,.run = 258,
    .trigger = 1027
  };
  LineEvent number = {.type = LINE_EVENT_NUMBER,.time = HAND_TIME,
    .trigger = 1027,.numbering = {TRUE, 8, -6, 9}
  };
  LineEvent unknown = {.type = LINE_EVENT_NUMBER,.time = HAND_TIME };

  begin ("bytes written by hand");
  g_strlcpy (recipe.hash, some_hash, sizeof (recipe.hash));
  hand_turns[2] = NAN;
  append_by_hand (wanted);
  append (written, line_recording_head ());
  append_event (written, &trigger);
  append_event (written, &look);
  append_event (written, &lost);
  append_event (written, &change);
  append_event (written, &run);
  append_event (written, &number);
  append_event (written, &unknown);
  expect (written->len == wanted->len, "%u bytes for %u", written->len,
      wanted->len);
  for (guint i = 0; i < MIN (written->len, wanted->len); i++)
    expect (written->data[i] == wanted->data[i], "byte %u is %02x for %02x",
        i, written->data[i], wanted->data[i]);
  end ();
}

static gboolean
same_hand_seen (const LineSeen * seen)
{
  const LineView *view = &seen->view;

  return seen->trigger_time == 6 && seen->tensor_time == 7
      && view->n_contours == 1 && view->contours[0].class_id == 12
      && view->contours[0].circle_y == 8 && view->contours[0].n_points == 2
      && view->points[1].x == -1 && view->points[1].y == 0.25;
}

/* Version 1 has no time of triggers, no reasons and no turns. */
CHECK (before)
{
  static const char *const bytes[] = { head_bytes_1,
    "00000000 00000000 0807060504030201 0000000000000000", LOOK_BYTES,
    view_bytes, lost_bytes_1, recipe_bytes
  };
  g_autoptr (GByteArray) file = g_byte_array_new ();
  GError *error = NULL;
  LineEvent event;
  char hash[65];
  guint n = 0;

  begin ("version 1");
  for (guint i = 0; i < G_N_ELEMENTS (bytes); i++)
    append_hex (file, bytes[i]);
  LineRecording *recording = open_bytes (file->data, file->len, &error);
  g_assert_no_error (error);
  expect (line_recording_get_rules (recording) == LINE_RULES_1, "rules");
  while (line_recording_next (recording, &event, hash, &error)) {
    expect (event.time == HAND_TIME && event.came == 0
        && event.loss == LINE_LOSS_UNFIT, "event %u", n);
    if (event.seen)
      expect (same_hand_seen (event.seen) && event.seen->view.n_turns == 0,
          "the look");
    line_event_clear (&event);
    n++;
  }
  expect (!error && n == 4, "%u events: %s", n,
      error ? error->message : "no error");
  end ();
  line_recording_close (recording);
}

/* Random events, any bits as coordinates */

static void
fill_bits (guint64 * random, void *to, gsize size)
{
  for (gsize i = 0; i < size; i++)
    ((guint8 *) to)[i] = random_bits (random);
}

static LineSeen *
make_seen (guint64 * random)
{
  LineSeen *seen = g_new0 (LineSeen, 1);
  LineView *view = &seen->view;
  guint n_points = random_below (random, 4) ? random_below (random, 900) : 0;

  view->n_contours = random_below (random, 4) ? random_below (random, 80) : 0;
  view->contours = g_new0 (LineContour, view->n_contours + 1);
  view->points = g_new (LinePoint, n_points + 1);
  fill_bits (random, view->points, n_points * sizeof (LinePoint));
  for (gsize i = 0; i < view->n_contours; i++) {
    LineContour *contour = &view->contours[i];

    fill_bits (random, contour, sizeof (*contour));
    contour->is_hole = random_below (random, 2);
    contour->first = random_below (random, n_points + 1);
    contour->n_points = random_below (random, n_points - contour->first + 1);
  }
  view->n_turns = random_below (random, LINE_MAX_CUPS + 1);
  view->turns = g_new (gfloat, view->n_turns + 1);
  fill_bits (random, view->turns, view->n_turns * sizeof (gfloat));
  view->n_tones = random_below (random, LINE_MAX_TONES + 1);
  view->tones = g_new (gfloat, view->n_tones + 1);
  fill_bits (random, view->tones, view->n_tones * sizeof (gfloat));
  seen->trigger_time = random_bits (random) >> 2;
  seen->tensor_time = random_bits (random) >> 2;
  return seen;
}

static LineEvent
make_event (guint64 * random, gint64 time, LineRecipe * recipe)
{
  LineEvent event = {.type = random_below (random, 9),.time = time };

  if (event.type == LINE_EVENT_LOOK || event.type == LINE_EVENT_LOST) {
    event.trigger = random_bits (random);
    event.view = random_below (random, LINE_MAX_VIEWS);
  }
  if (event.type == LINE_EVENT_TRIGGER)
    event.came = random_below (random, 4) ? random_bits (random) % (time + 1) : 0;
  if (event.type == LINE_EVENT_LOST)
    event.loss = (LineLoss) random_below (random, LINE_N_LOSSES);
  if (event.type == LINE_EVENT_LOOK)
    event.seen = make_seen (random);
  if (event.type == LINE_EVENT_RUN) {
    event.trigger = random_bits (random) >> 2;
    event.run = random_below (random, 65536);
  }
  if (event.type == LINE_EVENT_NUMBER) {
    event.trigger = random_bits (random) >> 3;
    event.numbering = (LineNumbering) {
      random_below (random, 2), random_bits (random) % (event.trigger + 1),
      random_bits (random) >> 3, random_bits (random)
    };
  }
  if (event.type == LINE_EVENT_LOT && random_below (random, 4))
    event.lot = g_ref_string_new (random_below (random, 2) ? "a" :
        "0123456789abcdefABCDEF._-0123456789abcdefABCDEF._-0123456789abcd");
  if (event.type == LINE_EVENT_RECIPE) {
    static const char digits[] = "0123456789abcdef";

    event.recipe = line_recipe_ref (recipe);
    for (guint i = 0; i < 64; i++)
      recipe->hash[i] = digits[random_below (random, 16)];
  }
  return event;
}

static gboolean
same_double (const gdouble * a, const gdouble * b)
{
  return memcmp (a, b, sizeof (*a)) == 0;
}

static gboolean
same_contour (const LineContour * a, const LineContour * b)
{
  return a->class_id == b->class_id && a->id == b->id
      && a->parent == b->parent && a->is_hole == b->is_hole
      && same_double (&a->area, &b->area) && same_double (&a->x0, &b->x0)
      && same_double (&a->y0, &b->y0) && same_double (&a->x1, &b->x1)
      && same_double (&a->y1, &b->y1) && a->first == b->first
      && a->n_points == b->n_points
      && same_double (&a->feret_min, &b->feret_min)
      && same_double (&a->feret_max, &b->feret_max)
      && same_double (&a->circle_x, &b->circle_x)
      && same_double (&a->circle_y, &b->circle_y);
}

static void
compare_seen (const LineSeen * a, const LineSeen * b)
{
  expect (a->trigger_time == b->trigger_time
      && a->tensor_time == b->tensor_time, "times");
  expect (a->view.n_contours == b->view.n_contours, "%zu contours for %zu",
      a->view.n_contours, b->view.n_contours);
  for (gsize i = 0; i < MIN (a->view.n_contours, b->view.n_contours); i++) {
    const LineContour *contour = &b->view.contours[i];

    expect (same_contour (&a->view.contours[i], contour), "contour %zu", i);
    expect (memcmp (a->view.points + contour->first,
            b->view.points + contour->first,
            contour->n_points * sizeof (LinePoint)) == 0, "points of %zu", i);
  }
  expect (a->view.n_turns == b->view.n_turns && memcmp (a->view.turns,
          b->view.turns, b->view.n_turns * sizeof (gfloat)) == 0, "turns");
  expect (a->view.n_tones == b->view.n_tones && memcmp (a->view.tones,
          b->view.tones, b->view.n_tones * sizeof (gfloat)) == 0, "tones");
}

static void
compare_event (const LineEvent * a, const char *hash, const LineEvent * b,
    const char *wanted_hash)
{
  expect (a->type == b->type && a->time == b->time
      && a->trigger == b->trigger && a->view == b->view && a->lane == 0
      && a->came == b->came && a->loss == b->loss
      && a->run == b->run && !a->recipe && !a->seen == !b->seen, "an event");
  expect (a->numbering.is_agreed == b->numbering.is_agreed
      && a->numbering.since == b->numbering.since
      && a->numbering.shift == b->numbering.shift
      && a->numbering.encoder == b->numbering.encoder, "a numbering");
  expect (strcmp (hash, wanted_hash) == 0, "hash %s", hash);
  if (a->seen && b->seen)
    compare_seen (a->seen, b->seen);
}

/* Events, their hashes, and where each ends in the file. */
typedef struct
{
  GByteArray *file;
  LineEvent events[N_EVENTS];
  char hashes[N_EVENTS][65];
  gsize ends[N_EVENTS + 1];
} Sample;

static void
make_sample (Sample * sample, guint64 seed)
{
  LineRecipe *recipe = g_new0 (LineRecipe, 1);
  guint64 random = seed;
  gint64 time = 0;

  memset (sample, 0, sizeof (*sample));
  /* never freed by the events: it is no whole recipe */
  recipe->ref_count = 1000000;
  sample->file = g_byte_array_new ();
  append (sample->file, line_recording_head ());
  sample->ends[0] = sample->file->len;
  for (guint i = 0; i < N_EVENTS; i++) {
    time += random_bits (&random) >> 8 >> random_below (&random, 50);
    sample->events[i] = make_event (&random, time, recipe);
    if (sample->events[i].recipe)
      strcpy (sample->hashes[i], recipe->hash);
    append_event (sample->file, &sample->events[i]);
    sample->ends[i + 1] = sample->file->len;
    sample->events[i].recipe = NULL;
  }
  g_free (recipe);
}

static void
clear_sample (Sample * sample)
{
  for (guint i = 0; i < N_EVENTS; i++)
    line_event_clear (&sample->events[i]);
  g_byte_array_unref (sample->file);
}

static void
check_round_trip (guint64 seed)
{
  g_autofree Sample *sample = g_new (Sample, 1);
  g_autoptr (GError) error = NULL;
  LineEvent event;
  char hash[65];
  guint n = 0;

  begin ("there and back, seed %u", (guint) seed);
  make_sample (sample, seed);
  LineRecording *recording = open_bytes (sample->file->data, sample->file->len,
      &error);
  expect (recording
      && line_recording_get_rules (recording) == LINE_RULES_2, "rules");
  while (recording && line_recording_next (recording, &event, hash, &error)) {
    if (n < N_EVENTS)
      compare_event (&event, hash, &sample->events[n], sample->hashes[n]);
    line_event_clear (&event);
    n++;
  }
  expect (!error && n == N_EVENTS, "%u events: %s", n,
      error ? error->message : "no error");
  end ();
  g_clear_pointer (&recording, line_recording_close);
  clear_sample (sample);
}

/* Reads all that there is, every point of it. Returns: the number of events */
static guint
read_all (const guint8 * data, gsize size, GError ** error)
{
  LineRecording *recording = open_bytes (data, size, error);
  LineEvent event;
  char hash[65];
  guint n = 0;

  while (recording && line_recording_next (recording, &event, hash, error)) {
    const LineView *view = event.seen ? &event.seen->view : NULL;
    volatile gfloat sum = 0;

    for (gsize i = 0; view && i < view->n_contours; i++)
      for (gsize j = 0; j < view->contours[i].n_points; j++)
        sum += view->points[view->contours[i].first + j].x;
    for (gsize i = 0; view && i < view->n_turns; i++)
      sum += view->turns[i];
    for (gsize i = 0; view && i < view->n_tones; i++)
      sum += view->tones[i];
    expect (event.view < LINE_MAX_VIEWS, "view %u", event.view);
    expect (event.loss < LINE_N_LOSSES, "loss %u", event.loss);
    expect (event.came >= 0 && event.came <= event.time, "a trigger's time");
    expect (strlen (hash) == (event.type == LINE_EVENT_RECIPE ? 64 : 0),
        "hash %s", hash);
    line_event_clear (&event);
    n++;
  }
  g_clear_pointer (&recording, line_recording_close);
  return n;
}

/* A copy for each length, so that a byte too many is seen by
 * AddressSanitizer. */
CHECK (truncation)
{
  g_autofree Sample *sample = g_new (Sample, 1);
  guint whole = 0;

  begin ("cut off at every byte");
  make_sample (sample, 77);
  for (gsize size = 0; size < MIN (sample->file->len, 20000); size++) {
    g_autofree guint8 *copy = g_memdup2 (sample->file->data, size);
    g_autoptr (GError) error = NULL;
    guint n = read_all (copy, size, &error);
    char *wanted = g_strdup_printf (NAME ": byte %zu: the file ends at byte %zu"
        ", ", size < 8 ? 0 : sample->ends[whole], size);

    if (size >= 8 && size == sample->ends[whole + 1])
      whole++;
    if (size >= 8 && size == sample->ends[whole])
      expect (!error, "%zu bytes: %s", size, error ? error->message : "");
    else
      expect (error && g_str_has_prefix (error->message, wanted), "%s for %s",
          error ? error->message : "no error", wanted);
    expect (n == whole, "%zu bytes: %u events for %u", size, n, whole);
    g_free (wanted);
  }
  expect (whole > 5, "%u events", whole);
  end ();
  clear_sample (sample);
}

CHECK (flips)
{
  g_autofree Sample *sample = g_new (Sample, 1);
  guint64 random = 5;
  guint n_good = 0, n_bad = 0;

  begin ("changed bytes");
  make_sample (sample, 78);
  for (guint i = 0; i < 4000; i++) {
    g_autofree guint8 *copy = g_memdup2 (sample->file->data, sample->file->len);
    g_autoptr (GError) error = NULL;

    for (guint k = random_below (&random, 3) + 1; k > 0; k--) {
      /* mostly in what is no coordinate */
      gsize at = sample->ends[random_below (&random, N_EVENTS)]
          + random_below (&random, 64);

      if (at < sample->file->len)
        copy[at] = random_bits (&random) >> random_below (&random, 8);
    }
    read_all (copy, sample->file->len, &error);
    if (error) {
      n_bad++;
      expect (g_str_has_prefix (error->message, NAME ": byte "), "%s",
          error->message);
    } else {
      n_good++;
    }
  }
  expect (n_good > 100 && n_bad > 100, "%u good, %u bad", n_good, n_bad);
  end ();
  clear_sample (sample);
}

/* What is refused */

/* @at: of the bytes of a head, a trigger, a look, LOST, and RECIPE. */
typedef struct
{
  const char *what;
  gsize at;
  const char *bytes, *error;
} Change;

#define TRIGGER 8
#define LOOK (TRIGGER + 24)
#define LOST (LOOK + 24 + 28 + 96 + 16 + 12)
#define RECIPE (LOST + 24)

static const Change changes[] = {
  {"no recording", 0, "7b", NAME ": byte 0: this is no recording"},
  {"the next version", 4, "03", NAME ": byte 0: a recording of version 3"},
  {"no version", 4, "00", NAME ": byte 0: a recording of version 0"},
  {"a trigger that came after it was handled", TRIGGER + 16, "09",
      NAME ": byte 8: the trigger came at 72623859790382857, which is after"},
  {"a trigger that came before all", TRIGGER + 23, "ff",
      NAME ": byte 8: the trigger came at"},
  {"a view's trigger", TRIGGER + 4, "01", NAME ": byte 8: events of type 0"},
  {"a trigger's reason", TRIGGER + 6, "01", NAME ": byte 8: events of type 0 "
        "have no reason 1"},
  {"a tenth type", LOOK, "09", NAME ": byte 32: there is no type 9"},
  {"a seventeenth view", LOOK + 4, "10", NAME ": byte 32: view 16"},
  {"a time before all", LOOK + 15, "80", NAME ": byte 32: the time -"},
  {"a time after all", LOOK + 15, "40", NAME ": byte 32: the time 4"},
  {"a tensor before all", LOOK + 24 + 15, "80", NAME ": byte 32: a time"},
  {"a million and one contours", LOOK + 40, "41420f00",
      NAME ": byte 32: 1000001 contours"},
  {"ten million and one points", LOOK + 44, "81969800",
      NAME ": byte 32: 1 contours of 10000001 points"},
  {"more turns than cups", LOOK + 48, "11000000", NAME ": byte 32: 17 turns"},
  {"more tones than cups and colours", LOOK + 6, "c100", NAME ": byte 32: "
        "events of type 1 have no reason 193"},
  {"neither a hole nor not", LOOK + 52 + 12, "02",
      NAME ": byte 32: contour 0 must be a hole"},
  {"points behind the end", LOOK + 52 + 56, "01000000 02000000",
      NAME ": byte 32: contour 0 has the points from 1 on, 2 of them; the view "
        "has 2"},
  {"points around the end", LOOK + 52 + 56, "ffffffff 03000000",
      NAME ": byte 32: contour 0 has the points from 4294967295 on"},
  {"back in time", LOST + 8, "07", NAME ": byte 208: the time 72623859790382855"
        " is less"},
  {"a twelfth reason", LOST + 6, "0b", NAME ": byte 208: events of type 2 have "
        "no reason 11"},
  {"a great reason", LOST + 7, "01", NAME ": byte 208: events of type 2 have no "
        "reason 264"},
  {"a tick of a trigger", LOST, "03", NAME ": byte 208: events of type 3"},
  {"a name of capitals", RECIPE + 24, "41", NAME ": byte 232: a recipe is"},
  {"a path for a name", RECIPE + 24, "2e2e2f", NAME ": byte 232: a recipe is"},
};

CHECK (changes)
{
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autoptr (GByteArray) patch = g_byte_array_new ();

  append_by_hand (file);
  check_that (read_all (file->data, file->len, NULL) == 7, "all seven");
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    g_autofree guint8 *copy = g_memdup2 (file->data, file->len);
    g_autoptr (GError) error = NULL;

    g_byte_array_set_size (patch, 0);
    append_hex (patch, changes[i].bytes);
    memcpy (copy + changes[i].at, patch->data, patch->len);
    read_all (copy, file->len, &error);
    check_that (error && g_str_has_prefix (error->message, changes[i].error),
        "%s: %s", changes[i].what, error ? error->message : "no error");
  }
}

CHECK (encoding)
{
  LineContour contour = {.first = LINE_RECORDING_MAX_POINTS,.n_points = 1 };
  LineSeen seen = { {&contour, 1, NULL}, 0, 0 };
  LineEvent look = {.type = LINE_EVENT_LOOK,.seen = &seen };
  LineEvent lost = {.type = LINE_EVENT_LOST,.view = LINE_MAX_VIEWS };
  LineEvent tick = {.type = LINE_EVENT_TICK,.time = -1 };
  LineEvent trigger = {.type = LINE_EVENT_TRIGGER,.time = 5,.came = 6 };

  check_that (!line_recording_encode (&look), "too many points");
  seen.tensor_time = -1;
  contour.first = 0;
  contour.n_points = 0;
  check_that (!line_recording_encode (&look), "a tensor before all");
  check_that (!line_recording_encode (&lost), "a view too many");
  check_that (!line_recording_encode (&tick), "a time before all");
  check_that (!line_recording_encode (&trigger), "a trigger of later");
  seen.tensor_time = 0;
  seen.view.n_turns = LINE_MAX_CUPS + 1;
  check_that (!line_recording_encode (&look), "too many turns");
  seen.view.n_turns = 0;
  seen.view.n_tones = LINE_MAX_TONES + 1;
  check_that (!line_recording_encode (&look), "too many tones");
}

/* Of a lot: 64 bytes of its name, and 0 behind it. */
CHECK (lots)
{
  static const struct
  {
    const char *name, *error;
    gsize at;
    guint8 byte;
  } cases[] = {
    {"L-1.b", NULL, 0, 'L'}, {"", NULL, 0, 0}, {"L1", "of a lot", 0, '.'},
    {"L1", "of a lot", 1, '/'}, {"L1", "behind a lot's name", 63, '1'},
    {"", "behind a lot's name", 1, 'a'}, {"L1", "cut off", 64, 0},
  };

  begin ("lots");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GByteArray) file = g_byte_array_new ();
    g_autoptr (GError) error = NULL;
    LineEvent event = {.type = LINE_EVENT_LOT,.time = 5 }, read;
    char hash[65];

    event.lot = *cases[i].name ? g_ref_string_new (cases[i].name) : NULL;
    append (file, line_recording_head ());
    append_event (file, &event);
    expect (file->len == 8 + 24 + 64 && file->data[8] == 8
        && memcmp (file->data + 32, cases[i].name, strlen (cases[i].name) + 1)
        == 0, "case %u as bytes", i);
    if (cases[i].at < 64)
      file->data[32 + cases[i].at] = cases[i].byte;
    LineRecording *recording = open_bytes (file->data, file->len
        - (cases[i].at == 64), NULL);
    const gboolean is_read = line_recording_next (recording, &read, hash,
        &error);
    expect (is_read == !cases[i].error && (!error
            || strstr (error->message, cases[i].error)), "case %u: %s", i,
        error ? error->message : "read");
    if (is_read) {
      expect (g_strcmp0 (read.lot, event.lot) == 0, "case %u: %s", i, read.lot);
      line_event_clear (&read);
    }
    line_event_clear (&event);
    line_recording_close (recording);
  }
  LineEvent wrong = {.type = LINE_EVENT_LOT,.lot = g_ref_string_new ("../a") };
  expect (!line_recording_encode (&wrong), "a path");
  line_event_clear (&wrong);
  end ();
}

int
main (void)
{
  run_checks ();
  for (guint64 seed = 1; seed <= 50; seed++)
    check_round_trip (seed);
  return finish ();
}
