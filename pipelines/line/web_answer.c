/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "web_answer.h"

#include <gio/gio.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "command_log.h"
#include "lot_list.h"
#include "lot_page.h"
#include "lots.h"
#include "pictures.h"
#include "publish/clock.h"
#include "publish/names.h"
#include "publish/status.h"
#include "publish_metrics.h"
#include "recipes.h"
#include "resources.h"

/* Decisions of pictures are not larger, and the newest so many are listed. */
#define MOST_DECISION (256 * 1024)
#define MOST_LISTED 24

/* The page's own script, style and pictures, and nothing else from anywhere */
#define OF_PAGE "script-src 'self'; style-src 'self'; img-src 'self'; " \
    "connect-src 'self'; "

/* A report has its style in it, and nothing else. */
#define OF_REPORT "style-src 'unsafe-inline'; "
#define HTML "text/html; charset=utf-8"

/* Other pages neither show nor load any of it. What is shown is always new. */
#define ALWAYS \
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n" \
    "X-Content-Type-Options: nosniff\r\n" \
    "X-Frame-Options: DENY\r\n" \
    "Cross-Origin-Resource-Policy: same-origin\r\n" \
    "Referrer-Policy: no-referrer\r\n" \
    "Cache-Control: no-store\r\n" \
    "Connection: close\r\n\r\n"

static LineWebAnswer
make_text (const char *type, char *text)
{
  return (LineWebAnswer) {"200 OK", type, NULL, text, strlen (text), -1};
}

LineWebAnswer
line_web_answer_refuse (const char *status, const char *why)
{
  LineWebAnswer answer = make_text ("text/plain; charset=utf-8",
      g_strconcat (status, "\n", why, NULL));

  answer.status = status;
  if (g_str_has_prefix (status, "405"))
    answer.more = "Allow: GET, HEAD\r\n";
  return answer;
}

LineWebAnswer
line_web_answer_json (const char *status, char *text)
{
  LineWebAnswer answer = make_text ("application/json", text);

  answer.status = status;
  return answer;
}

void
line_web_answer_clear (LineWebAnswer * answer)
{
  if (answer->fd >= 0)
    close (answer->fd);
  g_free (answer->body);
  *answer = (LineWebAnswer) {.fd = -1 };
}

char *
line_web_answer_get_head (const LineWebAnswer * answer)
{
  return g_strdup_printf ("HTTP/1.1 %s\r\nContent-Type: %s\r\n"
      "Content-Length: %" G_GUINT64_FORMAT "\r\n%s"
      "Content-Security-Policy: default-src 'none'; %s" ALWAYS, answer->status,
      answer->type, answer->size, answer->more ? answer->more : "",
      answer->policy ? answer->policy : OF_PAGE);
}

/* The page's parts, by their paths */
static const struct
{
  const char *path, *type;
} parts[] = {
  {"/page.html", HTML},
  {"/page.css", "text/css; charset=utf-8"},
  {"/page.js", "text/javascript; charset=utf-8"},
  {"/charts.js", "text/javascript; charset=utf-8"},
  {"/commands.js", "text/javascript; charset=utf-8"},
  {"/draw.js", "text/javascript; charset=utf-8"},
  {"/messages.js", "text/javascript; charset=utf-8"},
  {"/messages/de.json", "application/json"},
  {"/messages/en.json", "application/json"},
  {"/messages/es.json", "application/json"},
  {"/messages/it.json", "application/json"},
};

/* Returns: whether @path is a part of the page */
static gboolean
get_part (const char *path, LineWebAnswer * answer)
{
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    g_autofree char *name = g_strconcat ("/line", parts[i].path, NULL);
    gsize size;

    if (strcmp (path, parts[i].path) != 0)
      continue;
    GBytes *part = g_resource_lookup_data (line_resources_get_resource (),
        name, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    *answer = (LineWebAnswer) {"200 OK", parts[i].type,.fd = -1 };
    answer->body = g_bytes_unref_to_data (part, &size);
    answer->size = size;
    return TRUE;
  }
  return FALSE;
}

/* NNN.SUFFIX, which no path to somewhere else is. */
static gboolean
is_slot (const char *name, const char *suffix)
{
  return strlen (name) == 3 + strlen (suffix) && g_ascii_isdigit (name[0])
      && g_ascii_isdigit (name[1]) && g_ascii_isdigit (name[2])
      && strcmp (name + 3, suffix) == 0;
}

/* Pictures */

static LineFolder *
open_pictures (const LineWebSources * sources)
{
  return line_folder_open_inside (sources->output, LINE_PICTURES, FALSE, NULL);
}

static LineWebAnswer
get_picture (const LineWebSources * sources, const char *name)
{
  LineWebAnswer answer = { "200 OK", "image/jpeg",.fd = -1 };
  g_autoptr (LineFolder) folder = open_pictures (sources);

  if (folder)
    answer.fd = line_folder_read (folder, name, &answer.size, NULL);
  return answer.fd >= 0 ? answer :
      line_web_answer_refuse ("404 Not Found", NULL);
}

typedef struct
{
  char name[4];
  gint64 written_at;
} Slot;

/* The newest first. */
static int
compare_slots (gconstpointer a, gconstpointer b)
{
  const Slot *x = a, *y = b;

  return (x->written_at < y->written_at) - (x->written_at > y->written_at);
}

static GArray *
find_slots (const LineFolder * folder)
{
  GArray *slots = g_array_new (FALSE, FALSE, sizeof (Slot));
  g_autoptr (GPtrArray) names = line_folder_list (folder);

  for (guint i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    Slot slot;

    if (is_slot (name, ".json")
        && line_folder_look (folder, name, NULL, &slot.written_at)) {
      g_strlcpy (slot.name, name, sizeof (slot.name));
      g_array_append_val (slots, slot);
    }
  }
  g_array_sort (slots, compare_slots);
  return slots;
}

/* Not everybody who can write there writes decisions. */
static gboolean
is_json (const char *text, gsize size)
{
  json_auto_t *object = json_loadb (text, size, 0, NULL);

  return json_is_object (object);
}

/* Adds {"picture":"007.jpg","decision":{...}}. It may have been replaced
 * meanwhile, but is never there by half. */
static void
append_picture (GString * text, const LineFolder * folder, const char *slot)
{
  g_autofree char *name = g_strconcat (slot, ".json", NULL);
  g_autofree char *decision = NULL;
  gsize size;

  if (line_folder_load (folder, name, MOST_DECISION, &decision, &size, NULL)
      && is_json (decision, size))
    g_string_append_printf (text, "%s{\"picture\":\"%s.jpg\",\"decision\":%s}",
        text->len > 1 ? ",\n" : "", slot, g_strchomp (decision));
}

/* The newest first */
static LineWebAnswer
list_pictures (const LineWebSources * sources)
{
  GString *text = g_string_new ("[");
  g_autoptr (LineFolder) folder = open_pictures (sources);

  if (folder) {
    g_autoptr (GArray) slots = find_slots (folder);

    for (guint i = 0; i < MIN (slots->len, MOST_LISTED); i++)
      append_picture (text, folder, g_array_index (slots, Slot, i).name);
  }
  g_string_append (text, "]\n");
  return make_text ("application/json", g_string_free (text, FALSE));
}

/* Numbers */

/* The line's own, and its publisher's. */
static LineWebAnswer
get_metrics (const LineWebSources * sources)
{
  g_autofree char *own = line_report_to_metrics (sources->report);
  g_autofree char *publisher =
      sources->publisher ? line_publish_status_to_metrics
      (sources->publisher, line_clock_now ()) : NULL;

  return make_text ("text/plain; version=0.0.4; charset=utf-8",
      g_strconcat (own, publisher, NULL));
}

static LineWebAnswer
get_publisher (const LineWebSources * sources)
{
  char *text = sources->publisher ?
      line_publish_status_read (sources->publisher) : NULL;

  return make_text ("application/json", text ? text : g_strdup ("null\n"));
}

/* Commands and lots */

static LineWebAnswer
get_command (void)
{
  LineWebAnswer answer = line_web_answer_refuse ("405 Method Not Allowed",
      "A command is sent by POST.\n");

  answer.more = "Allow: POST\r\n";
  return answer;
}

/* The page of a report is made of it as it is now. */
static LineWebAnswer
get_page (const LineFolder * folder, const char *name)
{
  g_autofree char *stem = g_strndup (name, strlen (name) - strlen (".html"));
  g_autofree char *file = g_strconcat (stem, ".json", NULL);
  g_autofree char *text = NULL;
  gsize size;

  if (!folder || !line_folder_load (folder, file, LINE_MOST_LOT, &text, &size,
          NULL))
    return line_web_answer_refuse ("404 Not Found", NULL);
  LineWebAnswer answer = make_text (HTML, line_lot_page (text));
  answer.policy = OF_REPORT;
  return answer;
}

/* @name: a file's, which nobody but the line may have chosen */
static LineWebAnswer
get_report (const LineFolder * folder, const char *name)
{
  LineWebAnswer answer = {.status = "200 OK",.fd = -1,.policy = OF_REPORT,
    .type = g_str_has_suffix (name, ".csv") ? "text/csv; charset=utf-8" :
        "application/json"
  };

  if (g_str_has_suffix (name, ".html"))
    return get_page (folder, name);
  if (folder)
    answer.fd = line_folder_read (folder, name, &answer.size, NULL);
  return answer.fd >= 0 ? answer :
      line_web_answer_refuse ("404 Not Found", NULL);
}

static LineWebAnswer
get_lot (const LineWebSources * sources, const char *where, const char *name)
{
  static const char *const suffixes[] = { ".json", ".csv", ".html" };

  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++) {
    g_autofree char *lot = line_name_of_file (name, suffixes[i]);

    if (lot) {
      g_autoptr (LineFolder) folder = line_folder_open_inside
          (sources->shared, where, FALSE, NULL);
      return get_report (folder, name);
    }
  }
  return line_web_answer_refuse ("404 Not Found", NULL);
}

LineWebAnswer
line_web_answer (const LineWebSources * sources, const char *path)
{
  LineWebAnswer part;

  if (get_part (strcmp (path, "/") == 0 ? "/page.html" : path, &part))
    return part;
  if (strcmp (path, "/report.json") == 0)
    return make_text ("application/json",
        line_report_to_json (sources->report));
  if (strcmp (path, "/metrics") == 0)
    return get_metrics (sources);
  if (strcmp (path, "/publisher.json") == 0)
    return get_publisher (sources);
  if (strcmp (path, "/command") == 0)
    return get_command ();
  if (strcmp (path, "/commands") == 0)
    return line_web_answer_json ("200 OK", line_command_log_read
        (sources->shared));
  if (strcmp (path, "/recipes") == 0)
    return line_web_answer_json ("200 OK", line_recipes_list
        (sources->recipes));
  if (strcmp (path, "/in-force.json") == 0)
    return line_web_answer_json ("200 OK", line_commander_get_in_force
        (sources->commander));
  if (strcmp (path, "/lots") == 0)
    return line_web_answer_json ("200 OK", line_lot_list_read
        (sources->shared, LINE_LOTS));
  if (strcmp (path, "/shifts") == 0)
    return line_web_answer_json ("200 OK", line_lot_list_read
        (sources->shared, LINE_SHIFTS));
  if (strcmp (path, "/alarms.json") == 0)
    return line_web_answer_json ("200 OK", line_alarms_to_json
        (sources->alarms));
  if (strcmp (path, "/trends.json") == 0)
    return line_web_answer_json ("200 OK", line_trends_to_json
        (sources->trends));
  if (strcmp (path, "/run.json") == 0 || strcmp (path, "/run.csv") == 0
      || strcmp (path, "/run.html") == 0)
    return get_report (sources->output, path + 1);
  if (g_str_has_prefix (path, "/lots/"))
    return get_lot (sources, LINE_LOTS, path + 6);
  if (g_str_has_prefix (path, "/shifts/"))
    return get_lot (sources, LINE_SHIFTS, path + 8);
  if (strcmp (path, "/pictures.json") == 0)
    return list_pictures (sources);
  if (g_str_has_prefix (path, "/pictures/") && is_slot (path + 10, ".jpg"))
    return get_picture (sources, path + 10);
  return line_web_answer_refuse ("404 Not Found", NULL);
}
