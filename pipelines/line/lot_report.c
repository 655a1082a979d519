/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lot_report.h"

#include <math.h>
#include <string.h>

/* What texts are taken over of a lot, in this order */
static const char *const texts[] = { "lot", "grower", "variety", "bin",
  "shift"
};

/* A class and a look that was not lost, but late */
#define LATE "late"

/* Pieces of a size that went to an outlet. @size: "" for none of the recipe's.
 * @weighed: of them, and what those weigh, in @tenths of a gram */
typedef struct
{
  guint outlet;
  char *size;
  guint64 pieces, weighed, tenths;
} Cell;

typedef struct
{
  char *name;
  guint64 pieces;
  gdouble mm2;
} Defect;

/* @names: of the rules that have led to it */
typedef struct
{
  guint outlet;
  GPtrArray *names;
} Outlet;

/* @losses: of looks, by their reason; the last one is that they were late.
 * @is_whole: all its pieces are counted. @outlets: in order of their numbers.
 * @sizes: of all recipes, in their order. @first, @last: times of triggers in ns, of what was decided first, and last */
struct _LineLotReport
{
  char *texts[G_N_ELEMENTS (texts)];
  guint64 pieces, empty, looks, statuses[LINE_STATUS_UNDECIDED + 1],
      doubts[LINE_N_DOUBTS], losses[LINE_N_LOSSES + 1];
  gint64 first, last;
  gboolean is_whole;
  GArray *cells, *defects, *outlets;
  GPtrArray *sizes;
};

static void
clear_cell (gpointer data)
{
  g_free (((Cell *) data)->size);
}

static void
clear_defect (gpointer data)
{
  g_free (((Defect *) data)->name);
}

static void
clear_outlet (gpointer data)
{
  g_ptr_array_unref (((Outlet *) data)->names);
}

void
line_lot_report_name (LineLotReport * report, const json_t * what)
{
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (!report->texts[i])
      report->texts[i] = g_strdup (json_string_value (json_object_get (what,
                  texts[i])));
}

LineLotReport *
line_lot_report_new (const json_t * what, gboolean is_whole)
{
  LineLotReport *report = g_new0 (LineLotReport, 1);

  line_lot_report_name (report, what);
  report->is_whole = is_whole;
  report->cells = g_array_new (FALSE, TRUE, sizeof (Cell));
  g_array_set_clear_func (report->cells, clear_cell);
  report->defects = g_array_new (FALSE, TRUE, sizeof (Defect));
  g_array_set_clear_func (report->defects, clear_defect);
  report->outlets = g_array_new (FALSE, TRUE, sizeof (Outlet));
  g_array_set_clear_func (report->outlets, clear_outlet);
  report->sizes = g_ptr_array_new_with_free_func (g_free);
  return report;
}

void
line_lot_report_free (LineLotReport * report)
{
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_free (report->texts[i]);
  g_array_unref (report->cells);
  g_array_unref (report->defects);
  g_array_unref (report->outlets);
  g_ptr_array_unref (report->sizes);
  g_free (report);
}

/* Counting */

static Cell *
find_cell (LineLotReport * report, guint outlet, const char *size)
{
  for (guint i = 0; i < report->cells->len; i++) {
    Cell *cell = &g_array_index (report->cells, Cell, i);

    if (cell->outlet == outlet && strcmp (cell->size, size) == 0)
      return cell;
  }
  const Cell cell = { outlet, g_strdup (size), 0, 0, 0 };
  g_array_append_val (report->cells, cell);
  return &g_array_index (report->cells, Cell, report->cells->len - 1);
}

static Defect *
find_defect (LineLotReport * report, const char *name)
{
  for (guint i = 0; i < report->defects->len; i++) {
    Defect *defect = &g_array_index (report->defects, Defect, i);

    if (strcmp (defect->name, name) == 0)
      return defect;
  }
  const Defect defect = { g_strdup (name), 0, 0 };
  g_array_append_val (report->defects, defect);
  return &g_array_index (report->defects, Defect, report->defects->len - 1);
}

static void
add_name (GPtrArray * names, const char *name)
{
  for (guint i = 0; i < names->len; i++)
    if (strcmp (names->pdata[i], name) == 0)
      return;
  g_ptr_array_add (names, g_strdup (name));
}

/* @name: of the rule by which some piece went there */
static void
name_outlet (LineLotReport * report, guint number, const char *name)
{
  guint at = 0;

  while (at < report->outlets->len
      && g_array_index (report->outlets, Outlet, at).outlet < number)
    at++;
  if (at == report->outlets->len
      || g_array_index (report->outlets, Outlet, at).outlet != number) {
    const Outlet outlet = { number, g_ptr_array_new_with_free_func (g_free) };

    g_array_insert_val (report->outlets, at, outlet);
  }
  add_name (g_array_index (report->outlets, Outlet, at).names, name);
}

static void
name_sizes (LineLotReport * report, const LineRecipe * recipe)
{
  for (guint i = 0; i < recipe->sizes->len; i++)
    add_name (report->sizes, g_array_index (recipe->sizes, LineSize, i).name);
}

static const char *
find_size (const LineDecision * decision)
{
  const GArray *sizes = decision->recipe->sizes;
  const gdouble diameter = decision->measures->diameter;

  for (guint i = 0; i < sizes->len; i++) {
    const LineSize *size = &g_array_index (sizes, LineSize, i);

    if (size->min_mm <= diameter && diameter < size->max_mm)
      return size->name;
  }
  return "";
}

static void
add_looks (LineLotReport * report, const LineDecision * decision)
{
  const guint n = decision->geometry->cups * decision->geometry->views;

  report->looks += n;
  for (guint i = 0; i < n; i++) {
    const LineLook *look = &decision->piece->looks[i];

    if (!look->data)
      report->losses[look->lost ? (guint) look->loss : LINE_N_LOSSES]++;
  }
}

guint
line_lot_report_add (LineLotReport * report, const LineDecision * decision)
{
  const LineRecipe *recipe = decision->recipe;
  const LineOutcome *outcome = decision->outcome;
  const gint64 time = decision->piece->trigger_time;

  report->first = report->pieces == 0 ? time : MIN (report->first, time);
  report->last = MAX (report->last, time);
  report->pieces++;
  report->empty += outcome->is_empty;
  report->statuses[outcome->status]++;
  for (guint i = 0; i < LINE_N_DOUBTS; i++)
    report->doubts[i] += (outcome->doubts >> i) & 1;
  add_looks (report, decision);
  Cell *cell = find_cell (report, outcome->outlet, find_size (decision));
  cell->pieces++;
  name_outlet (report, outcome->outlet, outcome->reasons->pdata[0]);
  name_sizes (report, recipe);
  for (guint k = 0; k < recipe->n_defects; k++) {
    const LineFigures *figures = &decision->measures->figures[k];

    /* of a mark of several classes it may be another's than the mark's */
    if (figures->mm2 > 0) {
      Defect *defect =
          find_defect (report, recipe->classes[recipe->defects[k]]);

      defect->pieces++;
      defect->mm2 += figures->mm2;
    }
  }
  return (guint) (cell - (Cell *) report->cells->data);
}

void
line_lot_report_weigh (LineLotReport * report, guint cell, guint tenths)
{
  Cell *one = &g_array_index (report->cells, Cell, cell);

  one->weighed++;
  one->tenths += tenths;
}

/* Kilograms of @tenths of a gram */
static gdouble
get_kg (guint64 tenths)
{
  return (gdouble) tenths / 1e4;
}

static Cell
add_up (const LineLotReport * report)
{
  Cell sum = { 0 };

  for (guint i = 0; i < report->cells->len; i++) {
    sum.weighed += g_array_index (report->cells, Cell, i).weighed;
    sum.tenths += g_array_index (report->cells, Cell, i).tenths;
  }
  return sum;
}

/* As JSON */

static json_t *
list_counts (const guint64 * counts, const char *const *names, guint n)
{
  json_t *json = json_object ();

  for (guint i = 0; i < n; i++)
    json_object_set_new (json, names[i], json_integer (counts[i]));
  return json;
}

/* The last name is that of looks that were late. */
static void
get_losses (const char *names[LINE_N_LOSSES + 1])
{
  memcpy (names, line_loss_names, sizeof (line_loss_names));
  names[LINE_N_LOSSES] = LATE;
}

static json_t *
list_cells (const LineLotReport * report)
{
  json_t *json = json_array ();

  for (guint i = 0; i < report->cells->len; i++) {
    const Cell *cell = &g_array_index (report->cells, Cell, i);

    json_array_append_new (json, json_pack ("{s:i,s:s,s:I,s:I,s:f}",
            "outlet", (int) cell->outlet, "size", cell->size, "pieces",
            (json_int_t) cell->pieces, "weighed", (json_int_t) cell->weighed,
            "kg", get_kg (cell->tenths)));
  }
  return json;
}

static json_t *
list_defects (const LineLotReport * report)
{
  json_t *json = json_array ();

  for (guint i = 0; i < report->defects->len; i++) {
    const Defect *defect = &g_array_index (report->defects, Defect, i);

    json_array_append_new (json, json_pack ("{s:s,s:I,s:f}", "class",
            defect->name, "pieces", (json_int_t) defect->pieces, "mm2",
            defect->mm2));
  }
  return json;
}

static json_t *
list_texts (const GPtrArray * list)
{
  json_t *json = json_array ();

  for (guint i = 0; i < list->len; i++)
    json_array_append_new (json, json_string (list->pdata[i]));
  return json;
}

static json_t *
list_names (const LineLotReport * report)
{
  json_t *json = json_array ();

  for (guint i = 0; i < report->outlets->len; i++) {
    const Outlet *outlet = &g_array_index (report->outlets, Outlet, i);

    json_array_append_new (json, json_pack ("{s:i,s:o}", "outlet",
            (int) outlet->outlet, "names", list_texts (outlet->names)));
  }
  return json;
}

char *
line_lot_report_to_json (const LineLotReport * report, gboolean is_open,
    gboolean is_running)
{
  json_auto_t *json = json_pack ("{s:s,s:b,s:b,s:b,s:I,s:I,s:I,s:I,s:I}",
      "schema", "fruit-line-lot/1", "open", is_open, "running", is_running,
      "whole", report->is_whole, "first_ns",
      (json_int_t) report->first, "last_ns", (json_int_t) report->last,
      "pieces", (json_int_t) report->pieces, "empty",
      (json_int_t) report->empty, "looks", (json_int_t) report->looks);
  const char *losses[LINE_N_LOSSES + 1];
  const Cell sum = add_up (report);

  json_object_set_new (json, "weighed", json_integer (sum.weighed));
  json_object_set_new (json, "unweighed",
      json_integer (report->pieces - MIN (sum.weighed, report->pieces)));
  json_object_set_new (json, "kg", json_real (get_kg (sum.tenths)));
  get_losses (losses);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    json_object_set_new (json, texts[i], report->texts[i] ?
        json_string (report->texts[i]) : json_null ());
  json_object_set_new (json, "statuses", list_counts (report->statuses,
          line_status_names, G_N_ELEMENTS (report->statuses)));
  json_object_set_new (json, "doubts", list_counts (report->doubts,
          line_doubt_names, LINE_N_DOUBTS));
  json_object_set_new (json, "looks_lost", list_counts (report->losses, losses,
          G_N_ELEMENTS (report->losses)));
  json_object_set_new (json, "outlets", list_cells (report));
  json_object_set_new (json, "names", list_names (report));
  json_object_set_new (json, "sizes", list_texts (report->sizes));
  json_object_set_new (json, "defects", list_defects (report));
  char *encoded = json_dumps (json, JSON_COMPACT);
  char *text = g_strdup_printf ("%s\n", encoded ? encoded : "null");
  free (encoded);
  return text;
}

/* Reading */

static guint64
read_count (const json_t * json, const char *name)
{
  return MAX (json_integer_value (json_object_get (json, name)), 0);
}

static void
read_counts (const json_t * json, guint64 * counts, const char *const *names,
    guint n)
{
  for (guint i = 0; i < n; i++)
    counts[i] = read_count (json, names[i]);
}

/* Of what has no names the cells tell the outlets and the sizes. */
static void
read_names (LineLotReport * report, const json_t * json)
{
  const json_t *value, *name;
  gsize i, k;

  json_array_foreach (json_object_get (json, "names"), i, value)
    json_array_foreach (json_object_get (value, "names"), k, name)
    if (json_is_string (name))
      name_outlet (report, read_count (value, "outlet"),
          json_string_value (name));
  json_array_foreach (json_object_get (json, "sizes"), i, value)
    if (json_is_string (value))
      add_name (report->sizes, json_string_value (value));
  for (i = 0; i < report->cells->len; i++) {
    const Cell *cell = &g_array_index (report->cells, Cell, i);

    if (*cell->size)
      add_name (report->sizes, cell->size);
    if (!json_object_get (json, "names"))
      name_outlet (report, cell->outlet, "");
  }
}

static void
read_lists (LineLotReport * report, const json_t * json)
{
  const json_t *value;
  gsize i;

  json_array_foreach (json_object_get (json, "outlets"), i, value) {
    const char *size = json_string_value (json_object_get (value, "size"));

    Cell *cell = find_cell (report, read_count (value, "outlet"),
        size ? size : "");

    cell->pieces += read_count (value, "pieces");
    cell->weighed += read_count (value, "weighed");
    cell->tenths += (guint64) round (MAX (json_number_value (json_object_get
                (value, "kg")), 0) * 1e4);
  }
  json_array_foreach (json_object_get (json, "defects"), i, value) {
    const char *name = json_string_value (json_object_get (value, "class"));
    Defect *defect = name ? find_defect (report, name) : NULL;

    if (defect) {
      defect->pieces += read_count (value, "pieces");
      defect->mm2 += json_number_value (json_object_get (value, "mm2"));
    }
  }
}

LineLotReport *
line_lot_report_read (const char *text, gsize size, gboolean * was_open)
{
  json_auto_t *json = json_loadb (text, size, JSON_REJECT_DUPLICATES, NULL);
  const char *schema = json_string_value (json_object_get (json, "schema"));
  const char *losses[LINE_N_LOSSES + 1];

  if (g_strcmp0 (schema, "fruit-line-lot/1") != 0)
    return NULL;
  LineLotReport *report = line_lot_report_new (json, TRUE);
  get_losses (losses);
  *was_open = !json_is_false (json_object_get (json, "open"));
  report->is_whole = json_is_true (json_object_get (json, "whole"))
      && json_is_false (json_object_get (json, "running"));
  report->first = read_count (json, "first_ns");
  report->last = read_count (json, "last_ns");
  report->pieces = read_count (json, "pieces");
  report->empty = read_count (json, "empty");
  report->looks = read_count (json, "looks");
  read_counts (json_object_get (json, "statuses"), report->statuses,
      line_status_names, G_N_ELEMENTS (report->statuses));
  read_counts (json_object_get (json, "doubts"), report->doubts,
      line_doubt_names, LINE_N_DOUBTS);
  read_counts (json_object_get (json, "looks_lost"), report->losses, losses,
      G_N_ELEMENTS (report->losses));
  read_lists (report, json);
  read_names (report, json);
  return report;
}

/* As a table */

/* A text of a person's, which a spreadsheet must not take for a formula. */
static void
append_cell (GString * csv, const char *text)
{
  g_string_append_c (csv, '"');
  if (*text && strchr ("=+-@", *text))
    g_string_append_c (csv, '\'');
  for (const char *at = text; *at; at++) {
    if (*at == '"')
      g_string_append_c (csv, '"');
    g_string_append_c (csv, *at);
  }
  g_string_append_c (csv, '"');
}

static void
append_weight (GString * csv, const Cell * cell)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE + 320];

  g_string_append_printf (csv, ",%" G_GUINT64_FORMAT ",%s\n", cell->weighed,
      g_ascii_formatd (number, sizeof (number), "%.4f", get_kg (cell->tenths)));
}

static void
append_counts (GString * csv, const char *kind, const guint64 * counts,
    const char *const *names, guint n)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (csv, "%s,%s,,%" G_GUINT64_FORMAT ",,,\n", kind,
        names[i], counts[i]);
}

char *
line_lot_report_to_csv (const LineLotReport * report)
{
  GString *csv = g_string_new ("kind,name,size,pieces,mm2,weighed,kg\n");
  const char *losses[LINE_N_LOSSES + 1];
  char number[G_ASCII_DTOSTR_BUF_SIZE + 320];
  const Cell sum = add_up (report);

  get_losses (losses);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (report->texts[i]) {
      g_string_append_printf (csv, "%s,", texts[i]);
      append_cell (csv, report->texts[i]);
      g_string_append (csv, ",,,,,\n");
    }
  g_string_append_printf (csv, "all,,,%" G_GUINT64_FORMAT ",", report->pieces);
  append_weight (csv, &sum);
  g_string_append_printf (csv, "empty,,,%" G_GUINT64_FORMAT ",,,\n",
      report->empty);
  for (guint i = 0; i < report->cells->len; i++) {
    const Cell *cell = &g_array_index (report->cells, Cell, i);

    g_string_append_printf (csv, "outlet,%u,", cell->outlet);
    append_cell (csv, cell->size);
    g_string_append_printf (csv, ",%" G_GUINT64_FORMAT ",", cell->pieces);
    append_weight (csv, cell);
  }
  for (guint i = 0; i < report->defects->len; i++) {
    const Defect *defect = &g_array_index (report->defects, Defect, i);

    g_string_append_printf (csv, "defect,%s,,%" G_GUINT64_FORMAT ",%s,,\n",
        defect->name, defect->pieces, g_ascii_formatd (number,
            sizeof (number), "%.2f", defect->mm2));
  }
  append_counts (csv, "status", report->statuses, line_status_names,
      G_N_ELEMENTS (report->statuses));
  append_counts (csv, "doubt", report->doubts, line_doubt_names,
      LINE_N_DOUBTS);
  append_counts (csv, "look-lost", report->losses, losses,
      G_N_ELEMENTS (report->losses));
  return g_string_free (csv, FALSE);
}
