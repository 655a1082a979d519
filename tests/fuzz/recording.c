/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any bytes as a recording of the fruit line. What is read is written to bytes
 * that say the same, and a decider takes its events. */

#include "fuzz.h"

#include "decider.h"
#include "recording.h"

static const char recipe_text[] =
    "[recipe]\nname=fuzz\nclasses=belt;skin;rot;scar\nfruit=skin;rot;scar\n"
    "defects=rot;scar\nundecided-outlet=9\nmin-diameter-mm=1\n"
    "[limits few]\nrot-mm2=10\nscar-length-mm=3\ndefect-count=1\n"
    "[rule good]\noutlet=1\nlimits=few\n[rule rest]\noutlet=2\n";

static void
check_decision (const LineDecision * decision, gpointer user)
{
  guint64 *next = user;
  g_autofree char *json = line_decision_to_json (decision);

  FUZZ_CHECK (decision->piece->piece == (*next)++, "%" G_GUINT64_FORMAT,
      decision->piece->piece);
  FUZZ_CHECK (g_str_has_suffix (json, "}\n"), "%s", json);
}

static LineRecording *
open_bytes (const guint8 * data, gsize size, GError ** error)
{
  FILE *file = fmemopen ((void *) data, size, "rb");

  FUZZ_CHECK (file != NULL, "no file of %zu bytes", size);
  return line_recording_open (file, "file", error);
}

/* Returns: @event as a whole file; @hash is that of its recipe */
static GByteArray *
write_event (LineEvent * event, const char *hash)
{
  LineRecipe recipe = {.ref_count = 1 };
  GByteArray *file = g_byte_array_new ();
  GBytes *parts[2] = { line_recording_head () };

  g_strlcpy (recipe.hash, hash, sizeof (recipe.hash));
  event->recipe = event->type == LINE_EVENT_RECIPE ? &recipe : NULL;
  parts[1] = line_recording_encode (event);
  event->recipe = NULL;
  FUZZ_CHECK (parts[1] != NULL, "type %d", event->type);
  for (guint i = 0; i < 2; i++) {
    gsize size;
    const guint8 *data = g_bytes_get_data (parts[i], &size);

    g_byte_array_append (file, data, size);
    g_bytes_unref (parts[i]);
  }
  return file;
}

/* Points that no contour has are not written; all else is the same, and so the
 * bytes are when they are written again. */
static void
check_again (LineEvent * event, const char *hash)
{
  g_autoptr (GByteArray) file = write_event (event, hash);
  LineRecording *recording = open_bytes (file->data, file->len, NULL);
  char other_hash[65];
  LineEvent other;

  FUZZ_CHECK (recording && line_recording_next (recording, &other, other_hash,
          NULL), "type %d", event->type);
  g_autoptr (GByteArray) again = write_event (&other, other_hash);
  FUZZ_CHECK (again->len == file->len
      && memcmp (again->data, file->data, file->len) == 0, "type %d",
      event->type);
  line_event_clear (&other);
  FUZZ_CHECK (!line_recording_next (recording, &other, other_hash, NULL),
      "more than an event");
  line_recording_close (recording);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  LineConfig config = {.name = (char *) "fuzz",.deadline_ms = 50 };
  const LineGeometry geometry = {.views = 2,.cups = 2,.columns = 64,.rows = 32,
    .mm_per_pixel = {0.8, 0.4},.cup_first = {16, 8},.cup_pitch = {32, 40},
    .turn = 72
  };
  LineLaneConfig lane = {.name = (char *) "fuzz",.geometry = &geometry };
  LineRecipe *recipe = line_recipe_parse ("fuzz.ini", recipe_text,
      strlen (recipe_text), NULL);
  guint64 next = 0;
  g_autoptr (GError) error = NULL;
  LineRecording *recording = open_bytes (data, size, &error);
  LineDecider *decider = line_decider_new (recording ?
      line_recording_get_rules (recording) : LINE_RULES_2, &config, &lane,
      recipe, NULL, check_decision, &next);
  gint64 time = 0;
  LineEvent event;
  char hash[65];

  FUZZ_CHECK_ERROR (recording != NULL, error);
  while (recording && line_recording_next (recording, &event, hash, &error)) {
    FUZZ_CHECK (event.time >= time, "%" G_GINT64_FORMAT, event.time);
    time = event.time;
    check_again (&event, hash);
    if (event.type == LINE_EVENT_RECIPE)
      event.recipe = line_recipe_ref (recipe);
    /* replay refuses others */
    if (event.seen && event.seen->view.n_turns != geometry.cups)
      event.seen->view.n_turns = 0;
    line_decider_handle (decider, &event);
  }
  FUZZ_CHECK (!error || g_str_has_prefix (error->message, "file: byte "), "%s",
      error->message);
  g_clear_pointer (&recording, line_recording_close);
  line_decider_free (decider);
  line_recipe_unref (recipe);
  return 0;
}
