/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shifts by the local clock, also where it skips or repeats an hour; times since
 * 1970 are those of the time zones' tables. */

#include "check.h"
#include "shifts.h"

#include <string.h>

#define SECOND G_GINT64_CONSTANT (1000000000)

/* The rules of Europe/Rome, whose table a system need not have */
#define ROME "CET-1CEST,M3.5.0,M10.5.0/3"

/* @hours: of the key; @in: a time in the shift */
static const struct
{
  const char *what, *hours;
  gint64 in, from, to;
  const char *name;
} cases[] = {
  {"a day", "06:00;14:00;22:00", 1782916200, 1782907200, 1782936000,
      "2026-07-01-1400"},
  {"its first second", "22:00;14:00;06:00", 1782907200, 1782907200, 1782936000,
      "2026-07-01-1400"},
  {"its last second", "06:00;14:00;22:00", 1782935999, 1782907200, 1782936000,
      "2026-07-01-1400"},
  {"one a day", "14:00", 1782907199, 1782820800, 1782907200,
      "2026-06-30-1400"},
  {"a short night", "06:00;14:00;22:00", 1774746000, 1774731600, 1774756800,
      "2026-03-28-2200"},
  {"in a skipped hour", "02:30;22:00", 1774750000, 1774746000, 1774814400,
      "2026-03-29-0230"},
  {"a long night", "06:00;14:00;22:00", 1792893600, 1792872000, 1792904400,
      "2026-10-24-2200"},
  {"before what there is twice", "02:30;22:00", 1792889999, 1792872000,
      1792891800, "2026-10-24-2200"},
  {"after the first of two", "02:30;22:00", 1792888300, 1792872000,
      1792891800, "2026-10-24-2200"},
  {"after the second of two", "02:30;22:00", 1792891800, 1792891800,
      1792962000, "2026-10-25-0230"},
};

static gboolean
read (const char *hours, LineShifts * shifts, GError ** error)
{
  g_autofree char *text = g_strdup_printf ("[line]\nshifts=%s\n", hours);
  g_autoptr (LineIni) ini = line_ini_new ("l", text, strlen (text));

  line_shifts_read (ini, "line", "shifts", shifts);
  line_ini_has_group (ini, "line");
  return line_ini_check (ini, error);
}

static void
check_cases (void)
{
  g_autoptr (GTimeZone) zone = g_time_zone_new_identifier (ROME);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LineShifts shifts;
    LineShift shift = { "" };
    gboolean good = read (cases[i].hours, &shifts, NULL)
        && line_shifts_find (&shifts, zone, cases[i].in * SECOND, &shift);

    check_that (good && strcmp (shift.name, cases[i].name) == 0
        && shift.from == cases[i].from * SECOND
        && shift.to == cases[i].to * SECOND, "%s: %s from %" G_GINT64_FORMAT
        " to %" G_GINT64_FORMAT, cases[i].what, shift.name,
        shift.from / SECOND, shift.to / SECOND);
  }
}

/* Every time of a year is in one shift, and they follow each other. */
static void
check_year (void)
{
  g_autoptr (GTimeZone) zone = g_time_zone_new_identifier (ROME);
  LineShifts shifts;
  LineShift shift;
  gint64 time = G_GINT64_CONSTANT (1767222000) * SECOND;
  guint n = 0, wrong = 0;

  read ("00:00;02:15;02:45;13:59", &shifts, NULL);
  line_shifts_find (&shifts, zone, time, &shift);
  while (shift.to < G_GINT64_CONSTANT (1798758000) * SECOND) {
    const gint64 end = shift.to;

    wrong += !line_shifts_find (&shifts, zone, end - 1, &shift)
        || shift.to != end;
    wrong += !line_shifts_find (&shifts, zone, end, &shift)
        || shift.from != end || shift.to <= end;
    n++;
  }
  /* those of a skipped hour begin at once, or follow; none is lost otherwise */
  check_that (wrong == 0 && n >= 4 * 365 - 2 && n <= 4 * 365, "%u of %u", wrong,
      n);
}

static void
check_words (void)
{
  static const char *const bad[] = { "6:00", "24:00", "06:60", "06.00",
    "06:00;06:00", "06:00:00", "x", "", "-1:00", "06:00;;14:00"
  };
  LineShifts shifts = { 0 };
  LineShift shift;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;

    check_that (!read (bad[i], &shifts, &error)
        && strstr (error->message, "l:2: \"shifts\" "), "%s: %s", bad[i],
        error ? error->message : "no error");
  }
  shifts.n = 0;
  check_that (!line_shifts_find (&shifts, NULL, 0, &shift), "no shifts");
}

/* A clock of which nothing is known is not taken for UTC. */
static void
check_zone (void)
{
  static const char *const good[] = { "", "UTC0", ROME };
  g_autoptr (GError) error = NULL;
  LineShifts shifts;

  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    g_setenv ("TZ", good[i], TRUE);
    check_that (read ("06:00", &shifts, NULL), "\"%s\"", good[i]);
  }
  g_setenv ("TZ", "Nowhere/None", TRUE);
  check_that (!read ("06:00", &shifts, &error)
      && strstr (error->message, "time zone \"Nowhere/None\""), "%s",
      error ? error->message : "no error");
  g_unsetenv ("TZ");
}

int
main (void)
{
  check_cases ();
  check_year ();
  check_words ();
  check_zone ();
  return finish ();
}
