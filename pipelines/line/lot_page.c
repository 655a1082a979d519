/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lot_page.h"

#include <jansson.h>
#include <string.h>

static const char style[] =
    "@page{size:A4;margin:15mm}"
    "body{font:10pt/1.35 sans-serif;color:#000;background:#fff;"
    "max-width:180mm;margin:1em auto}"
    "h1{font-size:16pt;margin:0 0 .4em}h2{font-size:11pt;margin:1.2em 0 .3em}"
    "table{border-collapse:collapse;page-break-inside:avoid}"
    "th,td{border:.3mm solid #000;padding:.8mm 2mm;text-align:right}"
    "th{font-weight:600;overflow-wrap:anywhere}"
    "th:first-child,.head td{text-align:left;overflow-wrap:anywhere}"
    "tfoot th,tfoot td{border-top-width:.7mm}.note{font-weight:600}"
    "h2{page-break-after:avoid}";

/* All that comes from outside goes through this. */
static void
append_text (GString * html, const char *text)
{
  g_autofree char *escaped = g_markup_escape_text (text ? text : "", -1);

  g_string_append (html, escaped);
}

static guint64
get_count (const json_t * json, const char *name)
{
  return MAX (json_integer_value (json_object_get (json, name)), 0);
}

static void
begin_row (GString * html, const char *name)
{
  g_string_append (html, "<tr><th scope=\"row\">");
  append_text (html, name);
  g_string_append (html, "</th>");
}

static void
append_pieces (GString * html, guint64 pieces)
{
  g_string_append_printf (html, "<td>%" G_GUINT64_FORMAT "</td>", pieces);
}

static void
append_share (GString * html, guint64 pieces, guint64 all)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (html, "<td>%s</td>", g_ascii_formatd (number,
          sizeof (number), "%.1f", all ? 100. * pieces / all : 0));
}

static void
begin_table (GString * html, const char *id, const char *title)
{
  g_string_append_printf (html, "<h2>%s</h2>\n<table id=\"%s\">\n<thead><tr>",
      title, id);
}

static void
append_heading (GString * html, const char *text)
{
  g_string_append (html, "<th scope=\"col\">");
  append_text (html, text);
  g_string_append (html, "</th>");
}

/* Head */

static void
append_fact (GString * html, const char *name, const char *text)
{
  begin_row (html, name);
  g_string_append (html, "<td>");
  append_text (html, text);
  g_string_append (html, "</td></tr>\n");
}

/* With the offset that was in force then */
static void
append_time (GString * html, const char *name, gint64 ns)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local
      (ns / 1000000000);
  g_autofree char *text = time ?
      g_date_time_format (time, "%Y-%m-%d %H:%M:%S %:z") : NULL;

  append_fact (html, name, text);
}

static void
append_notes (GString * html, const json_t * json)
{
  if (json_is_true (json_object_get (json, "open")))
    g_string_append (html, "<p class=\"note\">More pieces may come: these "
        "figures are not final.</p>\n");
  if (json_is_false (json_object_get (json, "whole")))
    g_string_append (html, "<p class=\"note\">Some pieces are not counted "
        "here: decisions.jsonl has them.</p>\n");
}

static void
append_weights (GString * html, const json_t * json)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE + 320];
  g_autofree char *others = g_strdup_printf ("%" G_GUINT64_FORMAT,
      get_count (json, "unweighed"));

  append_fact (html, "Kilograms", g_ascii_formatd (number, sizeof (number),
          "%.1f", json_number_value (json_object_get (json, "kg"))));
  append_fact (html, "Pieces not weighed", others);
}

static void
append_head (GString * html, const json_t * json)
{
  static const char *const names[][2] = { {"grower", "Grower"},
  {"variety", "Variety"}, {"bin", "Bin"}
  };
  const char *lot = json_string_value (json_object_get (json, "lot"));
  const guint64 pieces = get_count (json, "pieces");
  g_autofree char *all = g_strdup_printf ("%" G_GUINT64_FORMAT, pieces);
  g_autofree char *empty = g_strdup_printf ("%" G_GUINT64_FORMAT,
      get_count (json, "empty"));
  const char *shift = json_string_value (json_object_get (json, "shift"));
  g_autofree char *title = lot ? g_strdup_printf ("Lot %s", lot) :
      shift ? g_strdup_printf ("Shift %s", shift) :
      g_strdup ("All pieces of the run");

  g_string_append (html, "<!DOCTYPE html>\n<html lang=\"en\"><head>"
      "<meta charset=\"utf-8\"><title>");
  append_text (html, title);
  g_string_append_printf (html, "</title><style>%s</style></head><body>\n<h1>",
      style);
  append_text (html, title);
  g_string_append (html, "</h1>\n");
  append_notes (html, json);
  g_string_append (html, "<table id=\"lot\" class=\"head\"><tbody>\n");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    const char *text =
        json_string_value (json_object_get (json, names[i][0]));

    if (text)
      append_fact (html, names[i][1], text);
  }
  if (pieces > 0) {
    append_time (html, "First piece", get_count (json, "first_ns"));
    append_time (html, "Last piece", get_count (json, "last_ns"));
  }
  append_fact (html, "Pieces", all);
  append_fact (html, "Of these empty", empty);
  if (get_count (json, "weighed") > 0)
    append_weights (html, json);
  g_string_append (html, "</tbody></table>\n");
}

/* Grades and sizes */

/* The text of an element of an array; NULL if it is none */
static const char *
get_name (const json_t * array, gsize i)
{
  return json_string_value (json_array_get (array, i));
}

/* A table of what cells have. @member: of theirs; @sum: the report's, of all.
 * @digits: after the point, as of printf */
typedef struct
{
  const char *id, *title, *member, *digits;
  gdouble sum;
} Grades;

/* "" is a size of its own, which is no size: the last one. */
static gdouble
add_up (const Grades * grades, const json_t * cells, gint64 outlet,
    const char *size)
{
  gdouble sum = 0;
  const json_t *cell;
  gsize i;

  json_array_foreach (cells, i, cell) {
    const char *of = json_string_value (json_object_get (cell, "size"));

    if ((outlet < 0
            || json_integer_value (json_object_get (cell, "outlet")) == outlet)
        && (!size || g_strcmp0 (of, size) == 0))
      sum += json_number_value (json_object_get (cell, grades->member));
  }
  return sum;
}

/* What an outlet is called: by the rules that lead to it. */
static void
append_outlet (GString * html, const json_t * outlets, gint64 outlet)
{
  const json_t *one, *name;
  const char *separator = " ";
  gsize i, k;

  g_string_append_printf (html, "<tr><th scope=\"row\">%" G_GINT64_FORMAT,
      outlet);
  json_array_foreach (outlets, i, one) {
    if (json_integer_value (json_object_get (one, "outlet")) != outlet)
      continue;
    json_array_foreach (json_object_get (one, "names"), k, name) {
      g_string_append (html, separator);
      append_text (html, json_string_value (name));
      separator = ", ";
    }
  }
  g_string_append (html, "</th>");
}

static void
append_number (GString * html, const char *digits, gdouble value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE + 320];

  g_string_append_printf (html, "<td>%s</td>", g_ascii_formatd (number,
          sizeof (number), digits, value));
}

/* @outlet: -1 for all */
static void
append_sizes (GString * html, const Grades * grades, const json_t * json,
    gint64 outlet)
{
  const json_t *cells = json_object_get (json, "outlets");
  const json_t *sizes = json_object_get (json, "sizes");
  const gdouble sum = add_up (grades, cells, outlet, NULL);

  for (gsize i = 0; i < json_array_size (sizes); i++)
    append_number (html, grades->digits, add_up (grades, cells, outlet,
            get_name (sizes, i)));
  append_number (html, grades->digits, add_up (grades, cells, outlet, ""));
  append_number (html, grades->digits, sum);
  append_number (html, "%.1f", grades->sum > 0 ? 100 * sum / grades->sum : 0);
  g_string_append (html, "</tr>\n");
}

static void
append_grades (GString * html, const Grades * grades, const json_t * json)
{
  const json_t *sizes = json_object_get (json, "sizes");
  const json_t *names = json_object_get (json, "names"), *one;
  gsize i;

  begin_table (html, grades->id, grades->title);
  append_heading (html, "outlet");
  for (i = 0; i < json_array_size (sizes); i++)
    append_heading (html, get_name (sizes, i));
  append_heading (html, "no size");
  append_heading (html, "all");
  append_heading (html, "%");
  g_string_append (html, "</tr></thead>\n<tbody>\n");
  json_array_foreach (names, i, one) {
    const gint64 outlet =
        json_integer_value (json_object_get (one, "outlet"));

    append_outlet (html, names, outlet);
    append_sizes (html, grades, json, outlet);
  }
  g_string_append (html, "</tbody>\n<tfoot>");
  begin_row (html, "all");
  append_sizes (html, grades, json, -1);
  g_string_append (html, "</tfoot></table>\n");
}

static void
append_all_grades (GString * html, const json_t * json)
{
  const Grades pieces = { "grades", "Pieces by outlet and size", "pieces",
    "%.0f", get_count (json, "pieces")
  };
  const Grades weights = { "weights", "Kilograms by outlet and size", "kg",
    "%.1f", json_number_value (json_object_get (json, "kg"))
  };

  append_grades (html, &pieces, json);
  if (get_count (json, "weighed") > 0)
    append_grades (html, &weights, json);
}

/* The rest */

static void
append_defects (GString * html, const json_t * json)
{
  const json_t *defects = json_object_get (json, "defects"), *one;
  gsize i;

  begin_table (html, "defects", "Defects");
  append_heading (html, "defect");
  append_heading (html, "pieces");
  append_heading (html, "%");
  append_heading (html, "mm\302\262");
  g_string_append (html, "</tr></thead>\n<tbody>\n");
  json_array_foreach (defects, i, one) {
    begin_row (html, json_string_value (json_object_get (one, "class")));
    append_pieces (html, get_count (one, "pieces"));
    append_share (html, get_count (one, "pieces"), get_count (json, "pieces"));
    append_number (html, "%.2f", json_number_value (json_object_get (one,
                "mm2")));
    g_string_append (html, "</tr>\n");
  }
  g_string_append (html, "</tbody></table>\n");
}

/* What there is none of is left out, also the whole table. */
static void
append_counts (GString * html, const json_t * json, const char *member,
    const char *title, const char *of)
{
  json_t *counts = json_object_get (json, member);
  const guint64 all = get_count (json, of);
  g_autoptr (GString) rows = g_string_new (NULL);
  const char *name;
  json_t *value;

  json_object_foreach (counts, name, value) {
    const guint64 n = MAX (json_integer_value (value), 0);

    if (n == 0)
      continue;
    begin_row (rows, name);
    append_pieces (rows, n);
    append_share (rows, n, all);
    g_string_append (rows, "</tr>\n");
  }
  if (rows->len == 0)
    return;
  begin_table (html, member, title);
  append_heading (html, "");
  append_heading (html, of);
  append_heading (html, "%");
  g_string_append_printf (html, "</tr></thead>\n<tbody>\n%s</tbody></table>\n",
      rows->str);
}

char *
line_lot_page (const char *text)
{
  json_auto_t *json = json_loads (text, JSON_REJECT_DUPLICATES, NULL);
  GString *html = g_string_new (NULL);

  append_head (html, json);
  append_all_grades (html, json);
  append_defects (html, json);
  append_counts (html, json, "statuses", "How they were decided", "pieces");
  append_counts (html, json, "doubts", "Why pieces were not well seen",
      "pieces");
  append_counts (html, json, "looks_lost", "Looks that were not there",
      "looks");
  g_string_append (html, "</body></html>\n");
  return g_string_free (html, FALSE);
}
