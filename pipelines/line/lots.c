/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lots.h"

#include <string.h>

#include "lot_page.h"
#include "lot_report.h"
#include "publish/lock.h"
#include "publish/names.h"

/* Lots of a run that are in memory: who begins more sees pieces of the oldest
 * ones no more */
#define MOST_LOTS 16

/* Bytes of a lot's file */
#define LONGEST (1 << 20)

/* @name: NULL for the run */
typedef struct
{
  char *name;
  LineLotReport *report;
  gboolean has_changed;
} Lot;

/* @folder: of @lots; NULL until there is one
 * @lots: of Lot, in the order in which they began
 * @latest: (nullable): that has begun last, and has not ended
 * @lanes: (nullable): those of their last pieces */
struct _LineLots
{
  gint ref_count;
  LineFolder *shared, *output;
  GMutex lock;
  LineFolder *folder;
  GPtrArray *lots;
  Lot run;
  const Lot *latest, **lanes;
  guint n_lanes;
};

static void
free_lot (gpointer data)
{
  Lot *lot = data;

  line_lot_report_free (lot->report);
  g_free (lot->name);
  g_free (lot);
}

/* @is_last: nobody writes it again */
static void
save_report (const LineFolder * folder, const char *name, const char *json,
    const char *csv, gboolean is_last)
{
  g_autofree char *page = line_lot_page (json);
  const char *const texts[] = { csv, page, json };
  const char *const suffixes[] = { ".csv", ".html", ".json" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree char *file = g_strconcat (name, suffixes[i], NULL);
    g_autoptr (GError) error = NULL;

    if (!line_folder_save (folder, file, texts[i], strlen (texts[i]), &error)
        || (is_last && !line_folder_sync_file (folder, file, &error)))
      g_printerr ("%s\n", error->message);
  }
}

/* What a run has left of a lot that need not go on; whoever goes on with it opens
 * it again. */
static void
settle (const LineFolder * folder, const char *name)
{
  g_autofree char *file = g_strconcat (name, ".json", NULL);
  g_autofree char *text = NULL;
  gboolean was_open = TRUE;
  gsize size;
  LineLotReport *report = line_folder_load (folder, file, LONGEST, &text,
      &size, NULL) ? line_lot_report_read (text, size, &was_open) : NULL;

  if (was_open) {
    json_auto_t *lot = json_pack ("{s:s}", "lot", name);

    if (!report)
      report = line_lot_report_new (lot, FALSE);
    g_autofree char *json = line_lot_report_to_json (report, FALSE, FALSE);
    g_autofree char *csv = line_lot_report_to_csv (report);
    save_report (folder, name, json, csv, TRUE);
  }
  g_clear_pointer (&report, line_lot_report_free);
}

static void
settle_all (LineFolder * shared)
{
  g_autoptr (LineFolder) folder = line_folder_open_inside (shared, LINE_LOTS,
      FALSE, NULL);
  g_autoptr (GPtrArray) names = folder ? line_folder_list (folder) :
      g_ptr_array_new ();

  for (guint i = 0; i < names->len; i++) {
    g_autofree char *name = g_strdup (names->pdata[i]);

    if (!g_str_has_suffix (name, ".json"))
      continue;
    name[strlen (name) - strlen (".json")] = '\0';
    if (line_name_is_file (name))
      settle (folder, name);
  }
}

LineLots *
line_lots_new (LineFolder * shared, LineFolder * output, guint n_lanes)
{
  LineLots *lots = g_new0 (LineLots, 1);

  lots->ref_count = 1;
  settle_all (shared);
  lots->shared = line_folder_ref (shared);
  lots->output = line_folder_ref (output);
  g_mutex_init (&lots->lock);
  lots->lots = g_ptr_array_new_with_free_func (free_lot);
  lots->run = (Lot) {NULL, line_lot_report_new (NULL, TRUE), TRUE};
  lots->n_lanes = n_lanes;
  lots->lanes = g_new0 (const Lot *, n_lanes);
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
  g_ptr_array_unref (lots->lots);
  line_lot_report_free (lots->run.report);
  g_clear_pointer (&lots->folder, line_folder_unref);
  line_folder_unref (lots->shared);
  line_folder_unref (lots->output);
  g_mutex_clear (&lots->lock);
  g_free (lots->lanes);
  g_free (lots);
}

static Lot *
find (const LineLots * lots, const char *name)
{
  for (guint i = lots->lots->len; i-- > 0;) {
    Lot *lot = lots->lots->pdata[i];

    if (strcmp (lot->name, name) == 0)
      return lot;
  }
  return NULL;
}

/* (nullable): the folder of lots, with @error set; to be unreferenced */
static LineFolder *
open_folder (LineLots * lots, GError ** error)
{
  LINE_LOCK (&lots->lock);

  if (!lots->folder)
    lots->folder = line_folder_open_inside (lots->shared, LINE_LOTS, TRUE,
        error);
  return lots->folder ? line_folder_ref (lots->folder) : NULL;
}

gboolean
line_lots_check (LineLots * lots, const char *name, GError ** error)
{
  g_autofree char *file = g_strconcat (name, ".json", NULL);
  g_autoptr (LineFolder) folder = open_folder (lots, error);

  if (!folder)
    return FALSE;
  const gboolean is_there = line_folder_look (folder, file, NULL, NULL);
  LINE_LOCK (&lots->lock);
  return (!is_there && !find (lots, name)) || line_fail (error,
      LINE_ERROR_INVALID, "there was a lot \"%s\" already: a lot has a name of "
      "its own", name);
}

static gboolean
is_open (const LineLots * lots, const Lot * lot)
{
  gboolean is = lot == lots->latest;

  for (guint i = 0; i < lots->n_lanes; i++)
    is = is || lots->lanes[i] == lot;
  return is;
}

/* With the lock: room for one more. */
static void
make_room (LineLots * lots)
{
  for (guint i = 0; i < lots->lots->len && lots->lots->len >= MOST_LOTS; i++) {
    const Lot *lot = lots->lots->pdata[i];

    if (!is_open (lots, lot) && !lot->has_changed)
      g_ptr_array_remove_index (lots->lots, i--);
  }
}

void
line_lots_begin (LineLots * lots, const json_t * what, gboolean goes_on)
{
  const char *name = json_string_value (json_object_get (what, "lot"));
  g_autofree char *file = name ? g_strconcat (name, ".json", NULL) : NULL;
  g_autofree char *text = NULL;
  g_autoptr (LineFolder) folder = name ? open_folder (lots, NULL) : NULL;
  gsize size;
  gboolean was_open;
  LineLotReport *old = folder && line_folder_load (folder, file, LONGEST,
      &text, &size, NULL) ? line_lot_report_read (text, size, &was_open) :
      NULL;
  LINE_LOCK (&lots->lock);

  /* it may have no piece, and get none */
  if (lots->latest)
    ((Lot *) lots->latest)->has_changed = TRUE;
  lots->latest = NULL;
  if (!name)
    return;
  make_room (lots);
  if (old)
    line_lot_report_name (old, what);
  Lot *lot = g_new0 (Lot, 1);
  *lot = (Lot) {g_strdup (name), old ? old : line_lot_report_new (what,
        !goes_on), TRUE};
  g_ptr_array_add (lots->lots, lot);
  lots->latest = lot;
}

void
line_lots_add (LineLots * lots, guint lane, const LineDecision * decision)
{
  LINE_LOCK (&lots->lock);
  Lot *lot = decision->lot ? find (lots, decision->lot) : NULL;

  line_lot_report_add (lots->run.report, decision);
  lots->run.has_changed = TRUE;
  if (lot)
    line_lot_report_add (lot->report, decision);
  if (lots->lanes[lane] && lots->lanes[lane] != lot)
    ((Lot *) lots->lanes[lane])->has_changed = TRUE;
  if (lot)
    lot->has_changed = TRUE;
  lots->lanes[lane] = lot;
}

/* What it says is taken with the lock, and written without. */
static void
save (LineLots * lots, Lot * lot, gboolean is_end)
{
  const gboolean is_run = lot == &lots->run;

  g_mutex_lock (&lots->lock);
  const gboolean is_still_open = is_run || is_open (lots, lot);
  const gboolean has_changed = lot->has_changed || (is_end && is_still_open);
  g_autofree char *name = g_strdup (is_run ? "shift" : lot->name);
  g_autofree char *json = has_changed ? line_lot_report_to_json (lot->report,
      is_still_open && !(is_run && is_end), is_still_open && !is_end) : NULL;
  g_autofree char *csv = has_changed ?
      line_lot_report_to_csv (lot->report) : NULL;
  lot->has_changed = FALSE;
  g_mutex_unlock (&lots->lock);
  if (!has_changed)
    return;
  g_autoptr (GError) error = NULL;
  g_autoptr (LineFolder) folder = is_run ? line_folder_ref (lots->output) :
      open_folder (lots, &error);
  if (error)
    g_printerr ("%s\n", error->message);
  if (!folder)
    return;
  save_report (folder, name, json, csv, is_end || !is_still_open);
}

void
line_lots_save (LineLots * lots, gboolean is_end)
{
  g_autoptr (GPtrArray) changed = g_ptr_array_new ();

  save (lots, &lots->run, is_end);
  g_mutex_lock (&lots->lock);
  for (guint i = 0; i < lots->lots->len; i++)
    if (is_end || ((const Lot *) lots->lots->pdata[i])->has_changed)
      g_ptr_array_add (changed, lots->lots->pdata[i]);
  g_mutex_unlock (&lots->lock);
  /* nobody frees a lot that has changed, or any at the end */
  for (guint i = 0; i < changed->len; i++)
    save (lots, changed->pdata[i], is_end);
}
