/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "trends.h"

#include "publish/lock.h"

#define MINUTE (60 * G_USEC_PER_SEC)

/* @outlets: of #LineTally; @latencies: from the last view's trigger to the
 * decision */
typedef struct
{
  guint64 pieces, good, lost, late;
  GArray *outlets;
  LineHistogram *latencies;
} Counts;

/* @begin: seconds since 1970. @p99: in ms; 0 without pieces. @outlets: of
 * #LineTally */
typedef struct
{
  gint64 begin;
  guint64 pieces, good, lost, late;
  gdouble p99;
  GArray *outlets;
} Minute;

/* @minutes: of Minute, in a ring; @n: so far
 * @number: of the last one, by the clock that nobody sets
 * @before: what was counted when it began; @last: a second ago */
struct _LineTrends
{
  GMutex lock;
  Minute minutes[LINE_MOST_MINUTES];
  guint64 n;
  gint64 number;
  Counts before, last;
};

static void
clear_counts (Counts * counts)
{
  g_clear_pointer (&counts->outlets, g_array_unref);
  g_clear_pointer (&counts->latencies, line_histogram_free);
}

static Counts
take_counts (const LineReport * report)
{
  LineLaneReport sum;

  line_report_sum (report, &sum);
  return (Counts) {sum.pieces, sum.statuses[LINE_STATUS_OK],
        line_counts_get_lost (&sum.counts), sum.counts.late, sum.outlets,
        line_histogram_copy (report->latencies[LINE_LATENCY_ALL])};
}

LineTrends *
line_trends_new (void)
{
  LineTrends *trends = g_new0 (LineTrends, 1);

  g_mutex_init (&trends->lock);
  return trends;
}

void
line_trends_free (LineTrends * trends)
{
  for (guint i = 0; i < LINE_MOST_MINUTES; i++)
    g_clear_pointer (&trends->minutes[i].outlets, g_array_unref);
  clear_counts (&trends->before);
  clear_counts (&trends->last);
  g_mutex_clear (&trends->lock);
  g_free (trends);
}

static guint64
find_outlet (const GArray * outlets, guint outlet)
{
  for (guint i = 0; outlets && i < outlets->len; i++)
    if (g_array_index (outlets, LineTally, i).outlet == outlet)
      return g_array_index (outlets, LineTally, i).n;
  return 0;
}

/* What has come since @before */
static GArray *
subtract_outlets (const GArray * now, const GArray * before)
{
  GArray *outlets = g_array_new (FALSE, FALSE, sizeof (LineTally));

  for (guint i = 0; i < now->len; i++) {
    LineTally tally = g_array_index (now, LineTally, i);

    tally.n -= find_outlet (before, tally.outlet);
    if (tally.n > 0)
      g_array_append_val (outlets, tally);
  }
  return outlets;
}

static gdouble
find_p99 (const LineHistogram * now, const LineHistogram * before)
{
  LineHistogram *latencies = line_histogram_copy (now);

  if (before)
    line_histogram_subtract (latencies, before);
  const gdouble p99 = line_histogram_get_quantile (latencies, 0.99);
  line_histogram_free (latencies);
  return p99 / 1e3;
}

/* With the lock */
static void
set_minute (LineTrends * trends, const Counts * counts)
{
  const Counts *before = &trends->before;
  Minute *minute = &trends->minutes[(trends->n - 1) % LINE_MOST_MINUTES];

  minute->pieces = counts->pieces - before->pieces;
  minute->good = counts->good - before->good;
  minute->lost = counts->lost - before->lost;
  minute->late = counts->late - before->late;
  minute->p99 = find_p99 (counts->latencies, before->latencies);
  g_clear_pointer (&minute->outlets, g_array_unref);
  minute->outlets = subtract_outlets (counts->outlets, before->outlets);
}

void
line_trends_add (LineTrends * trends, const LineReport * report, gint64 time,
    gint64 now)
{
  Counts counts = take_counts (report);
  LINE_LOCK (&trends->lock);

  if (trends->n == 0 || trends->number != time / MINUTE) {
    clear_counts (&trends->before);
    trends->before = trends->last;
    trends->number = time / MINUTE;
    trends->minutes[trends->n++ % LINE_MOST_MINUTES].begin =
        now / G_USEC_PER_SEC;
  } else {
    clear_counts (&trends->last);
  }
  trends->last = counts;
  set_minute (trends, &trends->last);
}

static json_t *
make_minute (const Minute * minute)
{
  json_t *outlets = json_object ();

  for (guint i = 0; i < minute->outlets->len; i++) {
    const LineTally *tally = &g_array_index (minute->outlets, LineTally, i);
    char name[12];

    g_snprintf (name, sizeof (name), "%u", tally->outlet);
    json_object_set_new (outlets, name, json_integer ((json_int_t) tally->n));
  }
  return json_pack ("{s:I,s:I,s:I,s:I,s:I,s:o,s:o}", "t",
      (json_int_t) minute->begin, "pieces", (json_int_t) minute->pieces, "ok",
      (json_int_t) minute->good, "lost", (json_int_t) minute->lost, "late",
      (json_int_t) minute->late, "p99_ms", minute->p99 > 0 ?
      json_real (minute->p99) : json_null (), "outlets", outlets);
}

char *
line_trends_to_json (LineTrends * trends)
{
  json_auto_t *list = json_array ();

  g_mutex_lock (&trends->lock);
  for (guint64 i = trends->n - MIN (trends->n, LINE_MOST_MINUTES);
      i < trends->n; i++)
    json_array_append_new (list, make_minute (&trends->minutes[i %
                LINE_MOST_MINUTES]));
  g_mutex_unlock (&trends->lock);
  json_auto_t *json = json_pack ("{s:i,s:O}", "seconds", 60, "points", list);
  char *encoded = json_dumps (json, JSON_COMPACT | JSON_REAL_PRECISION (5));
  char *text = g_strdup_printf ("%s\n", encoded ? encoded : "null");
  free (encoded);
  return text;
}
