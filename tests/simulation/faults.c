/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "faults.h"

#include <string.h>

#include "broker.h"
#include "controller.h"
#include "devices.h"
#include "disk.h"
#include "looks.h"
#include "machine.h"
#include "office.h"
#include "pieces.h"
#include "processes.h"
#include "recipe.h"
#include "recipe_text.h"
#include "results.h"

#define SECOND G_GINT64_CONSTANT (1000000)
#define HOUR (3600 * SECOND)

/* What was written is on the disk after what a system takes by itself. */
#define WRITTEN_BACK (45 * SECOND)

/* After this nothing is due to a fault any more. */
#define RECENT (60 * SECOND)

/* After the end of faults the line runs. */
#define SETTLED (40 * SECOND)

/* Recipes that there are, and seconds until a wrong one is put right */
#define RECIPES 4
#define WRONG 3

typedef enum
{
  KILL_LINE,
  KILL_PUBLISHER,
  END_LINE,
  END_PUBLISHER,
  STOP_LINE,
  STOP_PUBLISHER,
  CUT_POWER,
  NEW_RECIPE,
  WRONG_RECIPE,
  STAND_STILL,
  DISK,
  BREAK_BROKER,
  CUT_CONNECTION,
  REFUSE,
  DELAY_ANSWERS,
  CAMERA,
  NETWORK,
  PLC,
  RESTART_PLC,
  N_KINDS,
} Kind;

static const char *const kinds[N_KINDS] = { "line: SIGKILL",
  "publisher: SIGKILL", "line: SIGTERM", "publisher: SIGTERM",
  "line: SIGSTOP", "publisher: SIGSTOP", "power cut", "another recipe",
  "a wrong recipe", "the belt stands still", "disk", "broker down",
  "connection lost", "line refused", "answers late", "camera", "network",
  "PLC", "the PLC starts anew"
};

static const char *const disk_faults[] = { "full", "slow", "fsync fails",
  "stuck"
};

static const char *const camera_faults[] = { "off", "misses pulses",
  "drops pictures", "tears pictures", "late", "dark", "spikes"
};

static const char *const network_faults[] = { "late", "ends", "NaN",
  "constant", "repeats", "no shapes", "slow shapes"
};

static const char *const plc_faults[] = { "off", "silent", "busy", "refuses",
  "slow", "misses pulses", "spikes"
};

/* @bit: of the kinds that have several
 * @view: of cameras */
typedef struct
{
  Kind kind;
  guint bit, view;
  gint64 time, length;
} Fault;

/* @unsynced_at: when the disk began to sync again
 * @active: faults that last, now
 * @over_at: when the last one was over */
static struct
{
  gboolean is_calm;
  guint views, active, base;
  const char *recipe;
  GArray *faults;
  gint64 unsynced_at, over_at;
  FaultsCounts counts;
} my;

static gint64
draw_pause (void)
{
  return SECOND + SECOND / 4 + (gint64) world_below (10 * SECOND);
}

/* Recipes */

static void
write_recipe (const char *wrong)
{
  recipe_text_write (my.recipe, my.base, wrong);
}

static void
set_recipe (guint base)
{
  g_autoptr (GError) error = NULL;

  my.base = base;
  write_recipe ("");
  g_autoptr (LineRecipe) recipe = line_recipe_load (my.recipe, &error);
  if (!recipe)
    g_error ("%s", error->message);
  pieces_set_recipe (recipe->hash, base);
}

static void
mend_recipe (gpointer data)
{
  write_recipe ("");
}

/* What happens at once */

static void
reload (gpointer data)
{
  if (office_is_manned ())
    office_reload ();
  else
    processes_reload ();
}

static void
kill_line (void)
{
  if (processes_kill_line (draw_pause ()))
    results_put_off (world_now () + WRITTEN_BACK);
}

/* Numbers of pieces could not be reserved while the disk did not sync. */
static void
cut_power (void)
{
  const gint64 pause = draw_pause ();

  if (!processes_are_both_there ())
    return;
  (void) processes_kill_line (pause + (gint64) world_below (SECOND));
  (void) processes_kill_publisher (pause + (gint64) world_below (SECOND));
  results_forget_unsure ((disk_get_faults () & DISK_NO_SYNC)
      || world_now () - my.unsynced_at < WRITTEN_BACK);
  disk_cut_power ();
  my.counts.power_cuts++;
}

static void
happen_to_processes (const Fault * fault)
{
  switch (fault->kind) {
    case KILL_LINE:
      kill_line ();
      break;
    case KILL_PUBLISHER:
      (void) processes_kill_publisher (draw_pause ());
      break;
    case END_LINE:
      processes_end_line (15 * SECOND + draw_pause ());
      break;
    case END_PUBLISHER:
      processes_end_publisher (15 * SECOND + draw_pause ());
      break;
    case STOP_LINE:
      processes_stop_line (fault->length / 10);
      break;
    case STOP_PUBLISHER:
      processes_stop_publisher (fault->length / 10);
      break;
    case NEW_RECIPE:
      set_recipe ((my.base + 1 + fault->bit) % RECIPES);
      reload (NULL);
      break;
    default:
      write_recipe ("[rule more]\n");
      reload (NULL);
      world_at (world_now () + WRONG * SECOND, mend_recipe, NULL);
      break;
  }
}

static void
happen_elsewhere (const Fault * fault)
{
  switch (fault->kind) {
    case CUT_POWER:
      cut_power ();
      break;
    case STAND_STILL:
      machine_pause (world_now () + fault->length / 4);
      break;
    case CUT_CONNECTION:
      broker_cut ();
      break;
    case REFUSE:
      broker_refuse (1);
      break;
    default:
      controller_restart ();
      break;
  }
}

/* What lasts */

static void
begin_fault (const Fault * fault)
{
  const guint flag = 1u << fault->bit;

  switch (fault->kind) {
    case DISK:
      disk_set_faults (disk_get_faults () | flag);
      results_put_off (G_MAXINT64);
      break;
    case CAMERA:
      devices_set_faults (fault->view, devices_get_faults (fault->view) | flag);
      break;
    case NETWORK:
      looks_set_faults (looks_get_faults () | flag);
      break;
    case PLC:
      controller_set_faults (controller_get_faults () | flag);
      break;
    case BREAK_BROKER:
      broker_set_up (FALSE);
      break;
    default:
      broker_set_delay (fault->length);
      break;
  }
}

static void
end_disk_fault (guint flag)
{
  if (flag == DISK_NO_SYNC)
    my.unsynced_at = world_now ();
  disk_set_faults (disk_get_faults () & ~flag);
  results_put_off (world_now () + WRITTEN_BACK);
}

static void
end_fault (gpointer data)
{
  const Fault *fault = data;
  const guint flag = 1u << fault->bit;

  my.active--;
  my.over_at = world_now ();
  switch (fault->kind) {
    case DISK:
      end_disk_fault (flag);
      break;
    case CAMERA:
      devices_set_faults (fault->view, devices_get_faults (fault->view)
          & ~flag);
      break;
    case NETWORK:
      looks_set_faults (looks_get_faults () & ~flag);
      break;
    case PLC:
      controller_set_faults (controller_get_faults () & ~flag);
      break;
    case BREAK_BROKER:
      broker_set_up (TRUE);
      break;
    default:
      broker_set_delay (0);
      break;
  }
}

gboolean
faults_are_recent (void)
{
  return my.active > 0 || world_now () - my.over_at < RECENT;
}

gint64
faults_get_quiet_since (void)
{
  return my.active > 0 ? G_MAXINT64 : my.over_at;
}

static gboolean
lasts (Kind kind)
{
  return kind == DISK || kind == CAMERA || kind == NETWORK || kind == PLC
      || kind == BREAK_BROKER || kind == DELAY_ANSWERS;
}

static void
happen (gpointer data)
{
  Fault *fault = data;

  if (my.is_calm)
    return;
  g_autofree char *text = faults_describe ((guint) (fault
          - (Fault *) (gpointer) my.faults->data));
  world_tell ("fault: %s", text);
  my.counts.faults++;
  my.over_at = world_now ();
  pieces_expect_all (FALSE);
  if (lasts (fault->kind)) {
    my.active++;
    begin_fault (fault);
    world_at (world_now () + fault->length, end_fault, fault);
  } else if (fault->kind <= WRONG_RECIPE && fault->kind != CUT_POWER) {
    happen_to_processes (fault);
  } else {
    happen_elsewhere (fault);
  }
}

/* Drawing */

static guint
draw_bit (Kind kind)
{
  switch (kind) {
    case DISK:
      return (guint) world_below (G_N_ELEMENTS (disk_faults));
    case CAMERA:
      return (guint) world_below (G_N_ELEMENTS (camera_faults));
    case NETWORK:
      return (guint) world_below (G_N_ELEMENTS (network_faults));
    case PLC:
      return (guint) world_below (G_N_ELEMENTS (plc_faults));
    default:
      return (guint) world_below (RECIPES - 1);
  }
}

/* Some worlds have many faults, some few; some kinds are rare in some. */
static void
draw_faults (guint length)
{
  const gint64 mean = length * SECOND << world_below (10);
  const gint64 end = world_now () + length * HOUR;
  guint weights[N_KINDS], sum = 0;
  gint64 time = world_now ();

  for (guint i = 0; i < N_KINDS; i++)
    sum += weights[i] = world_one_in (4) ? 0 : 1 + (guint) world_below (8);
  while (sum > 0 && (time += 1 + (gint64) world_below (2 * mean)) < end) {
    guint64 at = world_below (sum);
    Fault fault = {.time = time,.length = SECOND / 10 +
          world_delay (200 * SECOND) };

    for (; at >= weights[fault.kind]; fault.kind++)
      at -= weights[fault.kind];
    fault.bit = draw_bit (fault.kind);
    fault.view = (guint) world_below (my.views);
    g_array_append_val (my.faults, fault);
  }
}

/* The world's side */

void
faults_begin (guint length, const char *recipe, guint views)
{
  memset (&my, 0, sizeof (my));
  my.recipe = recipe;
  my.views = views;
  my.unsynced_at = my.over_at = -10 * RECENT;
  my.faults = g_array_new (FALSE, FALSE, sizeof (Fault));
  set_recipe (0);
  draw_faults (length);
}

void
faults_end (void)
{
  g_clear_pointer (&my.faults, g_array_unref);
}

void
faults_start (GHashTable * without)
{
  for (guint i = 0; i < my.faults->len; i++)
    if (!without || !g_hash_table_contains (without, GUINT_TO_POINTER (i)))
      world_at (g_array_index (my.faults, Fault, i).time, happen,
          &g_array_index (my.faults, Fault, i));
}

/* A recipe that was changed while the line started, or before a wrong one, may not
 * have been read: the last one is, whatever the line was doing. */
void
faults_stop (void)
{
  my.is_calm = TRUE;
  office_stop ();
  set_recipe ((my.base + 1) % RECIPES);
  reload (NULL);
  world_at (world_now () + SETTLED, reload, NULL);
  disk_set_faults (0);
  results_put_off (world_now () + WRITTEN_BACK);
  broker_set_up (TRUE);
  broker_set_delay (0);
  broker_refuse (0);
  for (guint v = 0; v < my.views; v++)
    devices_set_faults (v, 0);
  looks_set_faults (0);
  controller_set_faults (0);
}

guint
faults_count (void)
{
  return my.faults->len;
}

char *
faults_describe (guint number)
{
  const Fault *fault = &g_array_index (my.faults, Fault, number);
  g_autofree char *view = fault->kind == CAMERA ? g_strdup_printf (" %u",
      fault->view) : g_strdup ("");
  const char *what = fault->kind == DISK ? disk_faults[fault->bit] :
      fault->kind == CAMERA ? camera_faults[fault->bit] :
      fault->kind == NETWORK ? network_faults[fault->bit] :
      fault->kind == PLC ? plc_faults[fault->bit] : "";

  return g_strdup_printf ("%.3f s: %s%s%s%s, for %.1f s", fault->time / 1e6,
      kinds[fault->kind], view, *what ? ": " : "", what, fault->length / 1e6);
}

FaultsCounts
faults_get_counts (void)
{
  return my.counts;
}
