/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "shifts.h"

#include <string.h>

#define SECOND G_GINT64_CONSTANT (1000000000)

/* "06:00". Returns: FALSE if it is none */
static gboolean
parse (const char *text, guint * minutes)
{
  if (strlen (text) != 5 || text[2] != ':')
    return FALSE;
  for (guint i = 0; i < 5; i++)
    if (i != 2 && !g_ascii_isdigit (text[i]))
      return FALSE;
  const guint hours = (text[0] - '0') * 10 + text[1] - '0';
  const guint rest = (text[3] - '0') * 10 + text[4] - '0';
  *minutes = hours * 60 + rest;
  return hours < 24 && rest < 60;
}

/* Returns: FALSE if it is there already */
static gboolean
insert (LineShifts * shifts, guint minutes)
{
  guint at = 0;

  while (at < shifts->n && shifts->minutes[at] < minutes)
    at++;
  if (at < shifts->n && shifts->minutes[at] == minutes)
    return FALSE;
  memmove (&shifts->minutes[at + 1], &shifts->minutes[at],
      (shifts->n - at) * sizeof (guint));
  shifts->minutes[at] = minutes;
  shifts->n++;
  return TRUE;
}

/* What GLib cannot find is UTC for it, and shifts would begin hours off. */
static gboolean
is_zone (const char *name)
{
  g_autoptr (GTimeZone) zone = g_time_zone_new_identifier (name);

  return zone != NULL;
}

void
line_shifts_read (LineIni * ini, const char *group, const char *key,
    LineShifts * shifts)
{
  g_auto (GStrv) times = line_ini_list (ini, group, key);
  const char *zone = g_getenv ("TZ");
  guint minutes;

  shifts->n = 0;
  for (guint i = 0; times[i]; i++)
    if (shifts->n == LINE_MAX_SHIFTS || !parse (times[i], &minutes)
        || !insert (shifts, minutes))
      line_ini_problem (ini, group, key, "\"%s\" has the times at which shifts "
          "begin, at most %d between semicolons, as 06:00;14:00;22:00, each once; "
          "not \"%s\"", key, LINE_MAX_SHIFTS, times[i]);
  if (!times[0] && line_ini_has (ini, group, key))
    line_ini_problem (ini, group, key, "\"%s\" names no time", key);
  if (times[0] && zone && *zone && !is_zone (zone))
    line_ini_problem (ini, group, key, "\"%s\" has times by the local clock, but "
        "this system has no time zone \"%s\", which TZ names: install tzdata, "
        "or correct TZ", key, zone);
}

/* Of a local day, which the clock shows as that */
static gboolean
find_start (GTimeZone * zone, GDateTime * day, guint minutes, LineShift * shift)
{
  int year, month, date;

  g_date_time_get_ymd (day, &year, &month, &date);
  g_autoptr (GDateTime) start = g_date_time_new (zone, year, month, date,
      minutes / 60, minutes % 60, 0);
  if (!start)
    return FALSE;
  shift->from = g_date_time_to_unix (start) * SECOND;
  g_snprintf (shift->name, sizeof (shift->name), "%04d-%02d-%02d-%02u%02u", year,
      month, date, minutes / 60, minutes % 60);
  return TRUE;
}

gboolean
line_shifts_find (const LineShifts * shifts, GTimeZone * zone, gint64 time,
    LineShift * shift)
{
  g_autoptr (GTimeZone) local = zone ? g_time_zone_ref (zone) :
      g_time_zone_new_local ();
  g_autoptr (GDateTime) utc = g_date_time_new_from_unix_utc (time / SECOND);
  g_autoptr (GDateTime) now = utc ? g_date_time_to_timezone (utc, local) : NULL;

  *shift = (LineShift) {.from = G_MININT64,.to = G_MAXINT64 };
  for (gint day = -1; day <= 1 && now; day++) {
    g_autoptr (GDateTime) noon = g_date_time_add_days (now, day);

    for (guint i = 0; i < shifts->n && noon; i++) {
      LineShift one;

      if (!find_start (local, noon, shifts->minutes[i], &one))
        continue;
      if (one.from > time) {
        shift->to = MIN (shift->to, one.from);
      } else if (one.from >= shift->from) {
        shift->from = one.from;
        memcpy (shift->name, one.name, sizeof (one.name));
      }
    }
  }
  return shift->from != G_MININT64 && shift->to != G_MAXINT64;
}
