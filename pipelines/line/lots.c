/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lots.h"

#include <string.h>

#include "lot_page.h"
#include "lot_report.h"
#include "publish/clock.h"
#include "publish/lock.h"
#include "publish/names.h"

/* Lots of a run that are in memory: who begins more sees pieces of the oldest
 * ones no more */
#define MOST_LOTS 16

/* Nanoseconds before it begins at which a shift's report is there: longer than a
 * disk takes */
#define AHEAD G_GINT64_CONSTANT (10000000000)

/* @name: NULL for the run. @changes: of the report; @saved: those that are on the
 * disk, both 0 if it shall not be there yet. @from: of a shift: when it begins, in
 * ns */
typedef struct
{
  char *name;
  LineLotReport *report;
  guint64 changes, saved;
  gint64 from;
} Lot;

/* Lots, or shifts
 * @path: name of their folder
 * @member: of a report, that has their names
 * @folder: NULL until there is one
 * @lots: of Lot, in the order in which they began; of shifts the next one, too
 * @latest: (nullable): that has begun last, and has not ended
 * @lanes: (nullable): those of their last pieces */
typedef struct
{
  const char *path, *member;
  LineFolder *folder;
  GPtrArray *lots;
  const Lot *latest, **lanes;
} Group;

/* Pieces of a lane that weights are looked for; those that have theirs before they
 * are decided */
#define SEEN 256
#define EARLY 64

typedef enum
{
  NOTHING,
  EARLY_WEIGHT,
  DECIDED,
  WEIGHED,
} SeenState;

/* A piece of a lane, in place @piece % SEEN. @lot: (nullable): #GRefString.
 * @time: of its last trigger. @run_cell, @lot_cell, @shift_cell: of the reports,
 * that it is counted in */
typedef struct
{
  SeenState state;
  guint64 piece;
  gint64 time;
  guint tenths, outlet, run_cell, lot_cell, shift_cell;
  char *lot;
} Seen;

/* @seen: (nullable): SEEN of each lane, if pieces are weighed; @report with it
 * @next: of each lane, behind the last piece that was decided
 * @is_failing: the last reports could not be written */
struct _LineLots
{
  gint ref_count;
  LineFolder *shared, *output;
  LineShifts hours;
  gboolean is_failing;
  GMutex lock;
  Group lots, shifts;
  Lot run;
  guint n_lanes;
  Seen *seen;
  guint64 *next;
  LineReport *report;
};

static void
free_lot (gpointer data)
{
  Lot *lot = data;

  line_lot_report_free (lot->report);
  g_free (lot->name);
  g_free (lot);
}

/* @is_synced: it outlives a loss of power. @is_last: it is a page, too: that of one
 * which changes is made when somebody asks for it */
static gboolean
save_report (const LineFolder * folder, const char *name, const char *json,
    const char *csv, gboolean is_synced, gboolean is_last, GError ** error)
{
  g_autofree char *page = is_last ? line_lot_page (json) : NULL;
  const char *const texts[] = { csv, page, json };
  const char *const suffixes[] = { ".csv", ".html", ".json" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    if (!texts[i])
      continue;
    g_autofree char *file = g_strconcat (name, suffixes[i], NULL);

    if (!line_folder_save (folder, file, texts[i], strlen (texts[i]), error)
        || (is_synced && !line_folder_sync_file (folder, file, error)))
      return FALSE;
  }
  return TRUE;
}

/* What a run has left of a lot that need not go on; whoever goes on with it opens
 * it again. */
static void
settle (const Group * group, const LineFolder * folder, const char *name)
{
  g_autofree char *file = g_strconcat (name, ".json", NULL);
  g_autofree char *text = NULL;
  gboolean was_open = TRUE;
  gsize size;
  LineLotReport *report = line_folder_load (folder, file, LINE_MOST_LOT, &text,
      &size, NULL) ? line_lot_report_read (text, size, &was_open) : NULL;

  if (was_open) {
    json_auto_t *lot = json_pack ("{s:s}", group->member, name);

    if (!report)
      report = line_lot_report_new (lot, FALSE);
    g_autofree char *json = line_lot_report_to_json (report, FALSE, FALSE);
    g_autofree char *csv = line_lot_report_to_csv (report);
    g_autoptr (GError) error = NULL;
    if (!save_report (folder, name, json, csv, TRUE, TRUE, &error))
      g_printerr ("%s\n", error->message);
  }
  g_clear_pointer (&report, line_lot_report_free);
}

static void
settle_all (const Group * group, LineFolder * shared)
{
  g_autoptr (LineFolder) folder = line_folder_open_inside (shared, group->path,
      FALSE, NULL);
  g_autoptr (GPtrArray) names = folder ? line_folder_list (folder) :
      g_ptr_array_new ();

  for (guint i = 0; i < names->len; i++) {
    g_autofree char *name = line_name_of_file (names->pdata[i], ".json");

    if (name)
      settle (group, folder, name);
  }
}

static void
open_group (LineLots * lots, Group * group, const char *path,
    const char *member)
{
  *group = (Group) {.path = path,.member = member };
  settle_all (group, lots->shared);
  group->lots = g_ptr_array_new_with_free_func (free_lot);
  group->lanes = g_new0 (const Lot *, lots->n_lanes);
}

static void
close_group (Group * group)
{
  g_ptr_array_unref (group->lots);
  g_clear_pointer (&group->folder, line_folder_unref);
  g_free (group->lanes);
}

static Lot *
find (const Group * group, const char *name)
{
  for (guint i = group->lots->len; i-- > 0;) {
    Lot *lot = group->lots->pdata[i];

    if (strcmp (lot->name, name) == 0)
      return lot;
  }
  return NULL;
}

/* (nullable): the folder of lots, with @error set; to be unreferenced */
static LineFolder *
open_folder (LineLots * lots, Group * group, GError ** error)
{
  LINE_LOCK (&lots->lock);

  if (!group->folder)
    group->folder = line_folder_open_inside (lots->shared, group->path, TRUE,
        error);
  return group->folder ? line_folder_ref (group->folder) : NULL;
}

/* The next shift is, too. */
static gboolean
is_open (const LineLots * lots, const Group * group, const Lot * lot)
{
  gboolean is = lot == group->latest
      || (group->latest && lot->from > group->latest->from);

  for (guint i = 0; i < lots->n_lanes; i++)
    is = is || group->lanes[i] == lot;
  return is;
}

/* With the lock: room for one more. */
static void
make_room (LineLots * lots, Group * group)
{
  for (guint i = 0; i < group->lots->len && group->lots->len >= MOST_LOTS; i++) {
    const Lot *lot = group->lots->pdata[i];

    if (!is_open (lots, group, lot) && lot->saved == lot->changes)
      g_ptr_array_remove_index (group->lots, i--);
  }
}

/* (nullable): what runs before have counted */
static LineLotReport *
load_report (LineLots * lots, Group * group, const char *name)
{
  g_autofree char *file = g_strconcat (name, ".json", NULL);
  g_autofree char *text = NULL;
  g_autoptr (LineFolder) folder = open_folder (lots, group, NULL);
  gsize size;
  gboolean was_open;

  return folder && line_folder_load (folder, file, LINE_MOST_LOT, &text, &size,
      NULL) ? line_lot_report_read (text, size, &was_open) : NULL;
}

/* From now on the disk says that more pieces come, in this run: after a loss of
 * power, too, nobody takes what is there for all of them, or its name for
 * another lot. */
static gboolean
announce (LineLots * lots, Group * group, const char *name,
    const LineLotReport * report)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LineFolder) folder = open_folder (lots, group, &error);
  g_autofree char *json = line_lot_report_to_json (report, TRUE, TRUE);
  g_autofree char *csv = line_lot_report_to_csv (report);

  if (folder && save_report (folder, name, json, csv, TRUE, FALSE, &error))
    return TRUE;
  g_printerr ("%s\n", error->message);
  return FALSE;
}

/* That @time is in; made if it is not there, and its report soon before its first
 * piece. Returns: when the next one begins */
static gint64
prepare_shift (LineLots * lots, gint64 time, gint64 now)
{
  Group *group = &lots->shifts;
  LineShift shift;

  if (!line_shifts_find (&lots->hours, NULL, time, &shift))
    return time;
  g_mutex_lock (&lots->lock);
  Lot *lot = find (group, shift.name);
  g_mutex_unlock (&lots->lock);
  /* only this thread adds and removes them */
  if (!lot) {
    json_auto_t *what = json_pack ("{s:s}", group->member, shift.name);
    LineLotReport *old = load_report (lots, group, shift.name);

    lot = g_new0 (Lot, 1);
    *lot = (Lot) {g_strdup (shift.name), old ? old :
      line_lot_report_new (what, TRUE),.from = shift.from};
    LINE_LOCK (&lots->lock);
    make_room (lots, group);
    g_ptr_array_add (group->lots, lot);
  }
  LINE_LOCK (&lots->lock);
  if (lot->changes == 0 && shift.from <= now + AHEAD)
    lot->changes++;
  if (time == now && group->latest != lot) {
    if (group->latest)
      ((Lot *) group->latest)->changes++;
    group->latest = lot;
  }
  return shift.to;
}

/* The next one is there before its first piece is. */
static void
prepare_shifts (LineLots * lots)
{
  const gint64 now = line_clock_now ();

  if (lots->hours.n > 0)
    prepare_shift (lots, prepare_shift (lots, now, now), now);
}

LineLots *
line_lots_new (LineFolder * shared, LineFolder * output,
    const LineShifts * shifts, guint n_lanes)
{
  LineLots *lots = g_new0 (LineLots, 1);

  lots->ref_count = 1;
  lots->shared = line_folder_ref (shared);
  lots->output = line_folder_ref (output);
  lots->hours = *shifts;
  lots->n_lanes = n_lanes;
  g_mutex_init (&lots->lock);
  open_group (lots, &lots->lots, LINE_LOTS, "lot");
  open_group (lots, &lots->shifts, LINE_SHIFTS, "shift");
  lots->run = (Lot) {NULL, line_lot_report_new (NULL, TRUE), 1};
  prepare_shifts (lots);
  return lots;
}

LineLots *
line_lots_ref (LineLots * lots)
{
  g_atomic_int_inc (&lots->ref_count);
  return lots;
}

void
line_lots_unref (LineLots * lots)
{
  if (!g_atomic_int_dec_and_test (&lots->ref_count))
    return;
  close_group (&lots->lots);
  close_group (&lots->shifts);
  line_lot_report_free (lots->run.report);
  for (guint i = 0; lots->seen && i < SEEN * lots->n_lanes; i++)
    g_clear_pointer (&lots->seen[i].lot, g_ref_string_release);
  g_free (lots->seen);
  g_free (lots->next);
  line_folder_unref (lots->shared);
  line_folder_unref (lots->output);
  g_mutex_clear (&lots->lock);
  g_free (lots);
}

gboolean
line_lots_check (LineLots * lots, const char *name, GError ** error)
{
  g_autofree char *file = g_strconcat (name, ".json", NULL);
  g_autoptr (LineFolder) folder = open_folder (lots, &lots->lots, error);

  if (!folder)
    return FALSE;
  const gboolean is_there = line_folder_look (folder, file, NULL, NULL);
  LINE_LOCK (&lots->lock);
  return (!is_there && !find (&lots->lots, name)) || line_fail (error,
      LINE_ERROR_INVALID, "there was a lot \"%s\" already: a lot has a name of "
      "its own", name);
}

void
line_lots_begin (LineLots * lots, const json_t * what, gboolean goes_on)
{
  Group *group = &lots->lots;
  const char *name = json_string_value (json_object_get (what, group->member));
  LineLotReport *report = name ? load_report (lots, group, name) : NULL;

  if (report)
    line_lot_report_name (report, what);
  else if (name)
    report = line_lot_report_new (what, !goes_on);
  const gboolean is_there = report && announce (lots, group, name, report);
  LINE_LOCK (&lots->lock);

  /* it may have no piece, and get none */
  if (group->latest)
    ((Lot *) group->latest)->changes++;
  group->latest = NULL;
  if (!name)
    return;
  make_room (lots, group);
  Lot *lot = g_new0 (Lot, 1);
  *lot = (Lot) {g_strdup (name), report, 1, is_there};
  g_ptr_array_add (group->lots, lot);
  group->latest = lot;
}

/* With the lock: a piece of @lane's is of @lot, or of none. Returns: its cell of
 * that lot's report */
static guint
add_to (Group * group, Lot * lot, guint lane, const LineDecision * decision)
{
  const guint cell = lot ? line_lot_report_add (lot->report, decision) : 0;

  if (group->lanes[lane] && group->lanes[lane] != lot)
    ((Lot *) group->lanes[lane])->changes++;
  if (lot)
    lot->changes++;
  group->lanes[lane] = lot;
  return cell;
}

/* That @time is in; before all of them, the first. NULL without shifts */
static Lot *
find_shift (const Group * group, gint64 time)
{
  Lot *found = NULL;

  for (guint i = 0; i < group->lots->len; i++) {
    Lot *shift = group->lots->pdata[i];

    if (!found || (shift->from <= time && shift->from > found->from))
      found = shift;
  }
  return found;
}

void
line_lots_begin_weights (LineLots * lots, LineReport * report)
{
  LINE_LOCK (&lots->lock);

  lots->seen = g_new0 (Seen, SEEN * lots->n_lanes);
  lots->next = g_new0 (guint64, lots->n_lanes);
  lots->report = report;
}

/* With the lock, as is all that follows: a piece that is decided has its weight. */
static void
weigh_in (Lot * lot, guint cell, guint tenths)
{
  if (!lot)
    return;
  line_lot_report_weigh (lot->report, cell, tenths);
  lot->changes++;
}

static void
weigh (LineLots * lots, guint lane, Seen * seen, guint tenths)
{
  seen->state = WEIGHED;
  weigh_in (&lots->run, seen->run_cell, tenths);
  weigh_in (seen->lot ? find (&lots->lots, seen->lot) : NULL, seen->lot_cell,
      tenths);
  weigh_in (find_shift (&lots->shifts, seen->time), seen->shift_cell, tenths);
  line_report_weigh (lots->report, lane, seen->outlet, tenths);
}

static void
note (LineLots * lots, guint lane, const LineDecision * decision,
    guint run_cell, guint lot_cell, guint shift_cell)
{
  const guint64 piece = line_decision_get_number (decision);
  Seen *seen = &lots->seen[lane * SEEN + piece % SEEN];
  const gboolean is_early = seen->state == EARLY_WEIGHT
      && seen->piece == piece;
  const guint tenths = seen->tenths;

  g_clear_pointer (&seen->lot, g_ref_string_release);
  *seen = (Seen) {DECIDED, piece, decision->piece->trigger_time, 0,
    decision->outcome->outlet, run_cell, lot_cell, shift_cell,
    decision->lot ? g_ref_string_acquire ((char *) decision->lot) : NULL
  };
  lots->next[lane] = piece + 1;
  if (is_early)
    weigh (lots, lane, seen, tenths);
}

gboolean
line_lots_weigh (LineLots * lots, guint lane, guint64 piece, guint tenths)
{
  LINE_LOCK (&lots->lock);
  Seen *seen = &lots->seen[lane * SEEN + piece % SEEN];
  const guint64 next = lots->next[lane];

  if (seen->piece == piece && seen->state == DECIDED) {
    weigh (lots, lane, seen, tenths);
    return TRUE;
  }
  if ((seen->piece == piece && seen->state != NOTHING)
      || (next > 0 && (piece < next || piece >= next + EARLY)))
    return FALSE;
  g_clear_pointer (&seen->lot, g_ref_string_release);
  *seen = (Seen) {EARLY_WEIGHT, piece,.tenths = tenths};
  return TRUE;
}

void
line_lots_add (LineLots * lots, guint lane, const LineDecision * decision)
{
  LINE_LOCK (&lots->lock);
  Lot *lot = decision->lot ? find (&lots->lots, decision->lot) : NULL;
  Lot *shift = find_shift (&lots->shifts, decision->piece->trigger_time);
  const guint run_cell = line_lot_report_add (lots->run.report, decision);
  const guint lot_cell = add_to (&lots->lots, lot, lane, decision);
  const guint shift_cell = add_to (&lots->shifts, shift, lane, decision);

  lots->run.changes++;
  if (lots->seen)
    note (lots, lane, decision, run_cell, lot_cell, shift_cell);
}

/* With the lock. @group: NULL of the run */
static gboolean
is_due (const LineLots * lots, const Group * group, const Lot * lot,
    gboolean is_end)
{
  return lot->changes != lot->saved || (is_end && lot->changes > 0
      && (!group || is_open (lots, group, lot)));
}

/* What it says is taken with the lock, and written without. */
static gboolean
save (LineLots * lots, Group * group, Lot * lot, gboolean is_end,
    GError ** error)
{
  g_mutex_lock (&lots->lock);
  const gboolean is_still_open = !group || is_open (lots, group, lot);
  const guint64 changes = lot->changes;
  const gboolean is_last = is_end || !is_still_open;
  const gboolean is_synced = is_last || lot->saved == 0;
  g_autofree char *name = g_strdup (group ? lot->name : "run");
  g_autofree char *json = line_lot_report_to_json (lot->report,
      is_still_open && (group || !is_end), is_still_open && !is_end);
  g_autofree char *csv = line_lot_report_to_csv (lot->report);
  g_mutex_unlock (&lots->lock);
  g_autoptr (LineFolder) folder = group ? open_folder (lots, group, error) :
      line_folder_ref (lots->output);
  if (!folder || !save_report (folder, name, json, csv, is_synced, is_last,
          error))
    return FALSE;
  LINE_LOCK (&lots->lock);
  lot->saved = changes;
  return TRUE;
}

/* Returns: FALSE with @error set, of the first, if some were not saved */
static gboolean
save_group (LineLots * lots, Group * group, gboolean is_end, GError ** error)
{
  g_autoptr (GPtrArray) changed = g_ptr_array_new ();
  gboolean good = TRUE;

  g_mutex_lock (&lots->lock);
  for (guint i = 0; i < group->lots->len; i++) {
    Lot *lot = group->lots->pdata[i];

    if (is_due (lots, group, lot, is_end))
      g_ptr_array_add (changed, lot);
  }
  g_mutex_unlock (&lots->lock);
  /* nobody frees a lot that has changed, or is open: it changes when it ends */
  for (guint i = 0; i < changed->len; i++)
    good = save (lots, group, changed->pdata[i], is_end, good ? error : NULL)
        && good;
  return good;
}

void
line_lots_save (LineLots * lots, gboolean is_end)
{
  g_autoptr (GError) error = NULL;

  prepare_shifts (lots);
  g_mutex_lock (&lots->lock);
  const gboolean is_run_due = is_due (lots, NULL, &lots->run, is_end);
  g_mutex_unlock (&lots->lock);
  gboolean good = !is_run_due
      || save (lots, NULL, &lots->run, is_end, &error);
  good = save_group (lots, &lots->lots, is_end, good ? &error : NULL) && good;
  good = save_group (lots, &lots->shifts, is_end, good ? &error : NULL)
      && good;
  if (!good && is_end)
    g_printerr ("%s; reports lack this run's last pieces\n", error->message);
  else if (!good && !lots->is_failing)
    g_printerr ("%s; trying again each second\n", error->message);
  else if (good && lots->is_failing)
    g_printerr ("%s: reports can be written again\n",
        line_folder_get_path (lots->shared));
  lots->is_failing = !good;
}
