/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watch.h"

#include "causes.h"
#include "publish/clock.h"
#include "publish/state.h"
#include "publish/status.h"

/* Alarms of one second, less than there can be */
#define ALARMS_A_SECOND 1000

/* @publisher: path of what the publisher says of itself; NULL without one */
struct _LineWatch
{
  char *publisher;
  LineCauses *causes;
  LineAlarms *alarms;
  LineTrends *trends;
};

LineWatch *
line_watch_new (const LineConfig * config)
{
  LineWatch *watch = g_new0 (LineWatch, 1);
  const gint64 seconds = line_clock_now () / 1000000000;

  watch->publisher = config->publish ?
      line_publish_status_path (config->output) : NULL;
  watch->causes = line_causes_new (config->lanes->len);
  watch->alarms = line_alarms_new ((guint64) MAX (seconds, 1)
      * ALARMS_A_SECOND);
  watch->trends = line_trends_new ();
  return watch;
}

void
line_watch_free (LineWatch * watch)
{
  line_causes_free (watch->causes);
  line_alarms_unref (watch->alarms);
  line_trends_free (watch->trends);
  g_free (watch->publisher);
  g_free (watch);
}

void
line_watch_look (LineWatch * watch, LineReport * report)
{
  g_autoptr (LineReport) copy = line_report_copy (report);
  g_autofree char *publisher = watch->publisher ?
      line_publish_status_read (watch->publisher) : NULL;
  const gint64 now = line_clock_now ();
  g_autoptr (GArray) causes = line_causes_find (watch->causes, copy,
      watch->publisher != NULL, publisher, now);

  line_alarms_update (watch->alarms, (const LineCause *) (gpointer)
      causes->data, causes->len, now);
  line_trends_add (watch->trends, copy, g_get_monotonic_time (), now / 1000);
}

LineAlarms *
line_watch_get_alarms (const LineWatch * watch)
{
  return watch->alarms;
}

LineTrends *
line_watch_get_trends (const LineWatch * watch)
{
  return watch->trends;
}
