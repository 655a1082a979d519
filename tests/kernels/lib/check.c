/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>

/* Of one case; more of the same says no more. */
#define MAX_TOLD 8

static guint n_passed, n_failed, n_told;
static guint part = 1, n_parts = 1, n_groups;
static char name[512];

void
begin (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_vsnprintf (name, sizeof (name), format, args);
  va_end (args);
  n_told = 0;
}

void
expect (gboolean condition, const char *format, ...)
{
  va_list args;

  if (condition)
    return;
  if (n_told == 0)
    printf ("FAILED: %s\n", name);
  if (n_told == MAX_TOLD)
    return;
  n_told++;
  printf ("    ");
  va_start (args, format);
  vprintf (format, args);
  va_end (args);
  printf ("\n");
}

void
end (void)
{
  count (!case_has_failed ());
}

const char *
case_name (void)
{
  return name;
}

gboolean
case_has_failed (void)
{
  return n_told > 0;
}

gboolean
check_that (gboolean condition, const char *format, ...)
{
  va_list args;

  count (condition);
  if (condition)
    return TRUE;
  printf ("FAILED: ");
  va_start (args, format);
  vprintf (format, args);
  va_end (args);
  printf ("\n");
  return FALSE;
}

void
count (gboolean passed)
{
  if (passed)
    n_passed++;
  else
    n_failed++;
}

void
excuse_way (CheckWay * ways, guint n, guint id, const char *excuse)
{
  for (guint i = 0; i < n; i++)
    if (ways[i].id == id)
      ways[i].excuse = excuse;
}

void
check_ways (const char *what, const CheckWay * ways, guint n)
{
  begin ("ways of %s that cases take", what);
  for (guint i = 0; i < n; i++)
    if (!ways[i].taken && ways[i].excuse)
      printf ("%s: not taken: %s, for %s\n", what, ways[i].name,
          ways[i].excuse);
    else
      expect (ways[i].taken, "no case takes this one: %s", ways[i].name);
  end ();
}

gboolean
set_part (const char *text)
{
  char rest;

  return sscanf (text, "%u/%u%c", &part, &n_parts, &rest) == 2 && part >= 1 &&
      part <= n_parts;
}

gboolean
is_of_part (void)
{
  return n_groups++ % n_parts == part - 1;
}

gboolean
is_whole (void)
{
  return n_parts == 1;
}

int
finish (void)
{
  if (n_parts > 1 && part > n_groups) {
    printf ("FAILED: part %u is empty, there are %u groups of cases: ask for "
        "fewer parts\n", part, n_groups);
    n_failed++;
  }
  printf ("%u passed, %u failed\n", n_passed, n_failed);
  return n_failed > 0;
}
