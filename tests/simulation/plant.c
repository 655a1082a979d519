/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plant.h"

#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "broker.h"
#include "controller.h"
#include "devices.h"
#include "disk.h"
#include "looks.h"
#include "machine.h"
#include "office.h"
#include "publish/clock.h"
#include "publish_line.h"
#include "recipe.h"
#include "recipe_text.h"

#define SECOND G_GINT64_CONSTANT (1000000)
#define HOUR (3600 * SECOND)

/* In the end nothing fails for so long: a publisher that was refused waits up to
 * half a minute, each time. After a part of it every piece is decided as it
 * should be. */
#define CALM (240 * SECOND)
#define SETTLED (90 * SECOND)
#define LAST (60 * SECOND)

#define VIEWS 3
#define CUPS 3
#define COLUMNS 90
#define ROWS 24
#define RATE 10
#define DEADLINE_MS 50

static struct
{
  char *folder, *recipe, *recipes;
  LineConfig *config;
  LinePublishSource source;
  gboolean is_over;
  guint64 beats, good_slots, good;
} my;

/* The light barrier */
static void
pulsed (gint64 pulse)
{
  controller_pulse (pulse);
  devices_pulse (pulse);
}

static char *
write_config (gboolean is_hardware, gboolean has_plc, gboolean has_commands)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "[line]\nname=l\nrecipe=%s\nrecipes=%s\n"
      "output=%s\n"
      "deadline-ms=%u\ntriggers-per-second=%u\npictures=0\n"
      "[geometry]\ncolumns=%u\nrows=%u\nmm-per-pixel=3\ncups=%u\ncup-first=15\n"
      "cup-pitch=30\nturn=120\ntilt=-30;0;30\n"
      "[geometry a]\nmm-per-pixel=3;2.8;3.1\ncup-first=15;16;14\n"
      "[publish]\nhost=broker\n"
      "[lane a]\nsource=camera\ncameras=c0;c1;c2\ntrigger=%s\n"
      "network=child\nnetwork-timeout-ms=30\nnetwork-start-ms=5000\n",
      my.recipe, my.recipes, my.folder, DEADLINE_MS, RATE, COLUMNS, ROWS, CUPS,
      is_hardware ? "hardware" : "software");
  if (has_plc)
    g_string_append_printf (text, "[plc]\naddress=plc\nheartbeat=90\n"
        "register=100\nslots=16\narrival-ms=800\n%s%s", is_hardware ?
        "triggers=900\n" : "", has_commands ?
        "command=60\nrecipes=4:r4;5:r5;6:r6\n" : "");
  return g_string_free (text, FALSE);
}

static void
make_config (gboolean is_hardware, gboolean has_plc, gboolean has_commands)
{
  g_autofree char *text = write_config (is_hardware, has_plc, has_commands);
  g_autofree char *name = g_build_filename (my.folder, "line.ini", NULL);
  g_autoptr (GError) error = NULL;

  my.config = line_config_parse (name, text, strlen (text), &error);
  if (!my.config)
    g_error ("%s", error->message);
  my.config->publish->in_flight =
      1 + (guint) world_below (world_one_in (2) ? 4 : 60);
  my.config->segment_bytes = world_one_in (4) ? 0 :
      20000 + world_below (600000);
  my.config->keep_bytes = my.config->segment_bytes == 0 || world_one_in (3) ?
      0 : 200000 + world_below (4000000);
  my.source = (LinePublishSource) {.name = my.config->name,
    .folder = my.folder,.publish = my.config->publish
  };
}

/* Those that are called by their names, and one that the line cannot use */
static void
write_recipes (void)
{
  g_autofree char *unfit = g_build_filename (my.recipes, "unfit.ini", NULL);

  (void) !g_mkdir (my.recipes, 0755);
  for (guint i = 0; i < OFFICE_RECIPES; i++) {
    const guint base = OFFICE_FIRST_RECIPE + i;
    g_autofree char *name = g_strdup_printf ("r%u.ini", base);
    g_autofree char *path = g_build_filename (my.recipes, name, NULL);
    g_autoptr (GError) error = NULL;

    recipe_text_write (path, base, "");
    g_autoptr (LineRecipe) recipe = line_recipe_load (path, &error);
    if (!recipe)
      g_error ("%s", error->message);
    pieces_add_recipe (recipe->hash, base);
  }
  recipe_text_write (unfit, 0, "[rule more]\n");
}

/* In some short worlds nobody gives commands; the recipe is read again by
 * SIGHUP. */
static gint64
draw_mean (guint length)
{
  return length == 1 && world_one_in (3) ? 0 :
      length * 3 * SECOND << world_below (6);
}

static void
begin (guint64 seed, guint length, const char *folder)
{
  memset (&my, 0, sizeof (my));
  world_begin (seed);
  disk_begin (folder);
  const gboolean is_hardware = !world_one_in (3);
  const gboolean has_plc = is_hardware || world_one_in (2);
  const gboolean has_commands = has_plc && seed % 2 == 1;
  my.folder = g_strdup (folder);
  my.recipe = g_strconcat (folder, ".recipe.ini", NULL);
  my.recipes = g_strconcat (folder, ".recipes", NULL);
  make_config (is_hardware, has_plc, has_commands);
  machine_begin (VIEWS, CUPS, RATE, is_hardware ? pulsed : NULL);
  devices_begin (VIEWS, COLUMNS, ROWS);
  looks_begin (VIEWS, CUPS);
  controller_begin (is_hardware, CUPS, has_commands, office_answer);
  pieces_begin (VIEWS, CUPS, is_hardware, DEADLINE_MS * 1000);
  results_begin (my.config->publish->in_flight);
  write_recipes ();
  office_begin (folder, draw_mean (length));
  faults_begin (length, my.recipe, VIEWS);
  processes_begin (my.config, &my.source);
  broker_begin (world_one_in (2), results_arrived, results_disturb);
  /* what is made once in a process of this machine is made before there are
   * fibers, which would wait for each other */
  (void) line_clock_now ();
}

void
plant_end (void)
{
  broker_end ();
  faults_end ();
  office_end ();
  results_end ();
  pieces_end ();
  controller_end ();
  looks_end ();
  machine_end ();
  world_end ();
  disk_end ();
  line_config_free (my.config);
  (void) !unlink (my.recipe);
  g_free (my.recipe);
  g_free (my.recipes);
  g_free (my.folder);
}

static void
write_back (gpointer data)
{
  disk_write_back ();
  world_at (world_now () + 5 * SECOND, write_back, NULL);
}

static void
be_calm (gpointer data)
{
  faults_stop ();
}

/* Between faults */
static void
look (gpointer data)
{
  if (my.is_over)
    return;
  if (faults_get_quiet_since () < world_now () - SETTLED)
    pieces_expect_all (TRUE);
  world_at (world_now () + 5 * SECOND, look, NULL);
}

static void
expect_all (gpointer data)
{
  pieces_expect_recipe ();
  my.beats = controller_count_beats ();
  my.good_slots = controller_count_good ();
  my.good = pieces_get_counts ().good;
  pieces_expect_all (TRUE);
}

/* What is good reaches the PLC, but for the last ones. */
static void
check_slots (void)
{
  const guint64 good = pieces_get_counts ().good - my.good;
  const guint64 slots = controller_count_good () - my.good_slots;

  if (my.config->plc.address && slots + 10 < good)
    world_fail ("all is well, and the PLC has got %" G_GUINT64_FORMAT " of %"
        G_GUINT64_FORMAT " good pieces", slots, good);
}

/* A heart that beats once a second has, but for two. */
static void
end_line (gpointer data)
{
  const guint64 beats = controller_count_beats () - my.beats;

  if (my.config->plc.address && beats + 2 < (CALM - SETTLED - LAST) / SECOND)
    world_fail ("all is well, and the PLC has seen %" G_GUINT64_FORMAT
        " heartbeats in %d s", beats, (gint) ((CALM - SETTLED - LAST)
            / SECOND));
  check_slots ();
  my.is_over = TRUE;
  pieces_expect_all (FALSE);
  processes_finish_line ();
}

static void
check_results (void)
{
  results_check_all ();
  office_check_reports ();
}

gboolean
plant_run (guint64 seed, guint length, const char *folder,
    GHashTable * without, PlantCounts * counts)
{
  begin (seed, length, folder);
  const gint64 last = world_now () + length * HOUR;
  faults_start (without);
  world_at (world_now (), processes_start_line, NULL);
  world_at (world_now () + (gint64) world_below (5 * SECOND),
      processes_start_publisher, NULL);
  world_at (world_now (), write_back, NULL);
  world_at (world_now () + SETTLED, look, NULL);
  world_at (world_now () + SECOND, office_start, NULL);
  world_at (last, be_calm, NULL);
  world_at (last + SETTLED, expect_all, NULL);
  world_at (last + CALM - LAST, end_line, NULL);
  if (world_run_until (last + CALM))
    check_results ();
  *counts = (PlantCounts) {
    results_get_counts (), pieces_get_counts (), processes_get_counts (),
        faults_get_counts (), office_get_counts (), controller_count_good ()
  };
  return world_get_failure () == NULL;
}
