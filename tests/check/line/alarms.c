/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Alarms of made-up causes; causes of made-up reports; minutes of made-up runs. */

#include "alarms.h"

#include <math.h>
#include <string.h>

#include <jansson.h>

#include "causes.h"
#include "checks.h"
#include "publish/clock.h"
#include "trends.h"

#define SECOND G_GINT64_CONSTANT (1000000000)
#define MICROSECONDS G_GINT64_CONSTANT (1000000)

static const LineCause dark = { LINE_ALARM_VIEW_DARK, "a", 1, NAN };
static const LineCause dark_elsewhere = { LINE_ALARM_VIEW_DARK, "b", 1, NAN };
static const LineCause down = { LINE_ALARM_PLC_DOWN, NULL, -1, NAN };

/* @n: seconds, each with these causes. Returns: the time after them */
static gint64
pass (LineAlarms * alarms, const LineCause * causes, guint n_causes, guint n,
    gint64 now)
{
  for (guint i = 0; i < n; i++)
    line_alarms_update (alarms, causes, n_causes, now + i * SECOND);
  return now + n * SECOND;
}

static json_t *
list (LineAlarms * alarms)
{
  g_autofree char *text = line_alarms_to_json (alarms);
  json_t *json = json_loads (text, 0, NULL);

  g_assert_true (json_is_array (json));
  return json;
}

/* "ID WHAT LANE VIEW SINCE GONE WHO" of each, "-" for null */
static char *
tell (LineAlarms * alarms)
{
  json_auto_t *json = list (alarms);
  GString *text = g_string_new (NULL);
  const json_t *alarm;
  gsize i;

  json_array_foreach (json, i, alarm) {
    static const char *const names[] = { "id", "what", "lane", "view",
      "since_ns", "gone_ns"
    };
    const json_t *who = json_object_get (json_object_get (alarm,
            "acknowledged"), "who");

    for (guint k = 0; k < G_N_ELEMENTS (names); k++) {
      const json_t *value = json_object_get (alarm, names[k]);

      if (json_is_string (value))
        g_string_append_printf (text, "%s ", json_string_value (value));
      else if (json_is_integer (value))
        g_string_append_printf (text, "%" G_GINT64_FORMAT " ",
            (gint64) (json_integer_value (value) / (k > 3 ? SECOND : 1)));
      else
        g_string_append (text, json_is_null (value) ? "- " : "missing ");
    }
    g_string_append_printf (text, "%s;", who ? json_string_value (who) : "-");
  }
  return g_string_free (text, FALSE);
}

static void
expect (LineAlarms * alarms, const char *wanted)
{
  g_autofree char *text = tell (alarms);

  g_assert_cmpstr (text, ==, wanted);
}

CHECK (come_and_go)
{
  LineAlarms *alarms = line_alarms_new (7);
  gint64 now = pass (alarms, &dark, 1, 2, 100 * SECOND);

  expect (alarms, "");
  now = pass (alarms, &dark, 1, 5, now);
  expect (alarms, "7 view-dark a 1 100 - -;");
  /* once is not gone */
  now = pass (alarms, NULL, 0, 2, now);
  now = pass (alarms, &dark, 1, 1, now);
  expect (alarms, "7 view-dark a 1 100 - -;");
  now = pass (alarms, NULL, 0, 3, now);
  expect (alarms, "7 view-dark a 1 100 112 -;");
  /* another one */
  now = pass (alarms, &dark, 1, 3, now);
  expect (alarms, "8 view-dark a 1 113 - -;7 view-dark a 1 100 112 -;");
  line_alarms_unref (alarms);
}

/* What is there twice and not three times in a row is none. */
CHECK (flicker)
{
  LineAlarms *alarms = line_alarms_new (1);
  gint64 now = SECOND;

  for (guint i = 0; i < 10; i++) {
    now = pass (alarms, &down, 1, 2, now);
    now = pass (alarms, NULL, 0, 1, now);
  }
  expect (alarms, "");
  line_alarms_unref (alarms);
}

CHECK (lanes_and_views)
{
  const LineCause all[] = { dark, dark_elsewhere, down };
  LineAlarms *alarms = line_alarms_new (1);
  gint64 now = pass (alarms, all, 3, 3, SECOND);

  expect (alarms, "3 plc-down - - 1 - -;2 view-dark b 1 1 - -;"
      "1 view-dark a 1 1 - -;");
  pass (alarms, &dark_elsewhere, 1, 3, now);
  expect (alarms, "3 plc-down - - 1 6 -;2 view-dark b 1 1 - -;"
      "1 view-dark a 1 1 6 -;");
  line_alarms_unref (alarms);
}

CHECK (acknowledged)
{
  LineAlarms *alarms = line_alarms_new (1);
  g_autoptr (GError) error = NULL;
  gint64 now = pass (alarms, &dark, 1, 3, SECOND);

  g_assert_false (line_alarms_check (alarms, 2, &error));
  g_assert_nonnull (strstr (error->message, "no alarm 2"));
  g_assert_false (line_alarms_check (alarms, 0, NULL));
  g_assert_true (line_alarms_check (alarms, 1, NULL));
  line_alarms_acknowledge (alarms, 1, "anna", now);
  expect (alarms, "1 view-dark a 1 1 - anna;");
  g_assert_false (line_alarms_check (alarms, 1, NULL));
  /* by somebody else, at the same time: the first one has done it */
  line_alarms_acknowledge (alarms, 1, "bruno", now);
  expect (alarms, "1 view-dark a 1 1 - anna;");
  now = pass (alarms, NULL, 0, 3, now);
  expect (alarms, "");
  now = pass (alarms, &dark, 1, 3, now);
  expect (alarms, "2 view-dark a 1 7 - -;");
  now = pass (alarms, NULL, 0, 3, now);
  line_alarms_acknowledge (alarms, 2, "anna", now);
  expect (alarms, "");
  line_alarms_unref (alarms);
}

/* Causes that have come and gone thousands of times */
CHECK (bounded)
{
  LineAlarms *alarms = line_alarms_new (1);
  gint64 now = SECOND;

  for (guint i = 0; i < 3 * LINE_MOST_ALARMS; i++) {
    now = pass (alarms, &dark, 1, 3, now);
    now = pass (alarms, NULL, 0, 3, now);
  }
  now = pass (alarms, &down, 1, 3, now);
  json_auto_t *json = list (alarms);
  g_assert_cmpuint (json_array_size (json), <=, LINE_MOST_ALARMS);
  g_assert_cmpstr (json_string_value (json_object_get (json_array_get (json,
                  0), "what")), ==, "plc-down");
  line_alarms_unref (alarms);
}

/* Reports */

static const char line_text[] =
    "[line]\nname=line1\nrecipe=r\noutput=o\ndeadline-ms=50\n"
    "[geometry]\ncolumns=511\nrows=95\nmm-per-pixel=0.8\ncups=5\n"
    "cup-first=51\ncup-pitch=102\ntilt=-45;-15;15;45\n"
    "[lane a]\nsource=simulate\n[lane b]\nsource=simulate\n";

static LineReport *
make_report (void)
{
  g_autoptr (GError) error = NULL;
  LineConfig *config = line_config_parse ("line.ini", line_text,
      strlen (line_text), &error);
  LineReport *report;

  g_assert_no_error (error);
  report = line_report_new (config);
  line_config_free (config);
  return report;
}

/* "WHAT LANE VIEW VALUE" of each */
static void
expect_causes (LineCauses * causes, LineReport * report,
    gboolean has_publisher, const char *publisher, const char *wanted)
{
  g_autoptr (GArray) found = line_causes_find (causes, report, has_publisher,
      publisher, 1000 * SECOND);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < found->len; i++) {
    const LineCause *cause = &g_array_index (found, LineCause, i);

    g_string_append_printf (text, "%s %s %d %g;",
        line_alarm_names[cause->kind], cause->lane ? cause->lane : "-",
        cause->view, isnan (cause->value) ? -1 : cause->value);
  }
  g_assert_cmpstr (text->str, ==, wanted);
  g_string_free (text, TRUE);
}

CHECK (shares_of_a_minute)
{
  LineReport *report = make_report ();
  LineCauses *causes = line_causes_new (2);
  LineCounts *counts = &report->lanes[1].counts;

  counts->in_time = 100000;
  report->lanes[1].pieces = 1000;
  expect_causes (causes, report, FALSE, NULL, "");
  /* one in a thousand is none yet */
  counts->in_time += 999;
  counts->losses[LINE_LOSS_MISSING] = 1;
  for (guint i = 0; i < 60; i++) {
    g_autoptr (GArray) found = line_causes_find (causes, report, FALSE, NULL,
        1000 * SECOND);

    g_assert_cmpuint (found->len, ==, 0);
  }
  counts->losses[LINE_LOSS_MISSING] += 2;
  counts->in_time += 98;
  report->lanes[1].pieces += 4;
  report->lanes[1].statuses[LINE_STATUS_LATE] += 1;
  report->lanes[1].statuses[LINE_STATUS_UNDECIDED] += 2;
  for (guint i = 0; i < 60; i++)
    expect_causes (causes, report, FALSE, NULL, "frames-lost b -1 0.02;"
        "deadline-missed b -1 0.25;undecided b -1 0.5;");
  expect_causes (causes, report, FALSE, NULL, "");
  line_causes_free (causes);
  line_report_free (report);
}

CHECK (things_that_are_down)
{
  LineReport *report = make_report ();
  LineCauses *causes = line_causes_new (2);

  report->lanes[0].looks.n_views = report->lanes[0].n_cameras = 4;
  report->lanes[0].looks.views[2].dark_since = 5;
  for (guint i = 0; i < 4; i++)
    report->lanes[0].cameras[i].is_running = i != 3;
  report->plc = (LinePlcCounts) {.is_used = TRUE,.has_triggers = TRUE,
    .lanes = 2,.agreed = 2
  };
  report->health.unsaved = 2000000;
  expect_causes (causes, report, TRUE, NULL, "view-dark a 2 -1;"
      "camera-off a 3 -1;plc-down - -1 -1;publisher-gone - -1 -1;"
      "disk-waits - -1 2e+06;");
  report->lanes[0].looks.views[2].dark_since = 0;
  report->lanes[0].cameras[3].is_running = TRUE;
  report->plc.is_answering = TRUE;
  report->plc.agreed = 1;
  report->health.unsaved = 0;
  report->written.lines_unwritten = 3;
  expect_causes (causes, report, TRUE,
      "{\"t_ns\":999000000000,\"connected_since_ns\":0}",
      "plc-out-of-step - -1 1;broker-down - -1 -1;"
      "decisions-unwritten - -1 3;");
  report->plc.agreed = 2;
  expect_causes (causes, report, TRUE,
      "{\"t_ns\":990000000000,\"connected_since_ns\":5}",
      "publisher-gone - -1 -1;decisions-unwritten - -1 3;");
  for (guint i = 0; i < 60; i++)
    line_causes_find (causes, report, FALSE, NULL, 0);
  expect_causes (causes, report, TRUE,
      "{\"t_ns\":999000000000,\"connected_since_ns\":5}", "");
  line_causes_free (causes);
  line_report_free (report);
}

/* Trends */

static void
add_pieces (LineReport * report, guint outlet, guint64 n, gdouble latency)
{
  LineTally tally = {.outlet = outlet,.n = n };
  GArray *outlets = report->lanes[0].outlets;
  guint i = 0;

  while (i < outlets->len && g_array_index (outlets, LineTally, i).outlet !=
      outlet)
    i++;
  if (i == outlets->len)
    g_array_append_val (outlets, tally);
  else
    g_array_index (outlets, LineTally, i).n += n;
  report->lanes[0].pieces += n;
  for (guint64 k = 0; k < n; k++)
    line_histogram_add (report->latencies[LINE_LATENCY_ALL], latency);
}

static json_t *
get_points (LineTrends * trends, json_t ** owner)
{
  g_autofree char *text = line_trends_to_json (trends);

  *owner = json_loads (text, 0, NULL);
  g_assert_cmpint (json_integer_value (json_object_get (*owner, "seconds")),
      ==, 60);
  return json_object_get (*owner, "points");
}

static void
check_point (const json_t * point, gint64 t, gint64 pieces, gint64 first,
    gint64 second, gdouble p99)
{
  const json_t *outlets = json_object_get (point, "outlets");

  g_assert_cmpint (json_integer_value (json_object_get (point, "t")), ==, t);
  g_assert_cmpint (json_integer_value (json_object_get (point, "pieces")), ==,
      pieces);
  g_assert_cmpint (json_integer_value (json_object_get (outlets, "1")), ==,
      first);
  g_assert_cmpint (json_integer_value (json_object_get (outlets, "2")), ==,
      second);
  g_assert_cmpfloat (fabs (json_number_value (json_object_get (point,
                  "p99_ms")) - p99), <=, .02 * p99);
}

CHECK (minutes)
{
  LineReport *report = make_report ();
  LineTrends *trends = line_trends_new ();
  json_t *owner = NULL;

  add_pieces (report, 1, 10, 20e3);
  line_trends_add (trends, report, 90 * MICROSECONDS,
      5000 * MICROSECONDS);
  add_pieces (report, 1, 5, 20e3);
  line_trends_add (trends, report, 119 * MICROSECONDS,
      5029 * MICROSECONDS);
  add_pieces (report, 2, 30, 40e3);
  add_pieces (report, 1, 1, 40e3);
  report->lanes[1].statuses[LINE_STATUS_OK] = 12;
  report->lanes[1].counts.late = 3;
  report->lanes[1].counts.losses[LINE_LOSS_MISSING] = 4;
  line_trends_add (trends, report, 121 * MICROSECONDS,
      5031 * MICROSECONDS);
  json_t *points = get_points (trends, &owner);
  g_assert_cmpuint (json_array_size (points), ==, 2);
  check_point (json_array_get (points, 0), 5000, 15, 15, 0, 20);
  check_point (json_array_get (points, 1), 5031, 31, 1, 30, 40);
  g_assert_cmpint (json_integer_value (json_object_get (json_array_get
              (points, 1), "ok")), ==, 12);
  g_assert_cmpint (json_integer_value (json_object_get (json_array_get
              (points, 1), "late")), ==, 3);
  g_assert_cmpint (json_integer_value (json_object_get (json_array_get
              (points, 1), "lost")), ==, 4);
  json_decref (owner);
  /* nothing came */
  line_trends_add (trends, report, 181 * MICROSECONDS, 0);
  points = get_points (trends, &owner);
  g_assert_true (json_is_null (json_object_get (json_array_get (points, 2),
              "p99_ms")));
  json_decref (owner);
  line_trends_free (trends);
  line_report_free (report);
}

CHECK (half_a_day)
{
  LineReport *report = make_report ();
  LineTrends *trends = line_trends_new ();
  json_t *owner = NULL;

  for (guint i = 1; i <= LINE_MOST_MINUTES + 100; i++) {
    add_pieces (report, 1 + i % 3, i, 20e3);
    line_trends_add (trends, report, 60 * i * MICROSECONDS,
        60 * i * MICROSECONDS);
  }
  const json_t *points = get_points (trends, &owner);
  g_assert_cmpuint (json_array_size (points), ==, LINE_MOST_MINUTES);
  for (guint i = 0; i < LINE_MOST_MINUTES; i++) {
    const gint64 number = 101 + i;
    const json_t *point = json_array_get (points, i);

    check_point (point, 60 * number, number, number % 3 == 0 ? number : 0,
        number % 3 == 1 ? number : 0, 20);
  }
  json_decref (owner);
  line_trends_free (trends);
  line_report_free (report);
}

GLIB_CHECKS ("/alarms")
