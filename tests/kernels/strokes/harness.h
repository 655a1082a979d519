/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HARNESS_H
#define HARNESS_H

/* What check-strokes, check-fourier and check-edges count and print with. */

#include <glib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static guint n_passed, n_failed, n_told;
static gboolean case_failed;
static char case_name[256];

static inline void G_GNUC_PRINTF (1, 2)
begin (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_vsnprintf (case_name, sizeof (case_name), format, args);
  va_end (args);
  case_failed = FALSE;
  n_told = 0;
}

/* Says what is wrong, the first few times. */
static inline void G_GNUC_PRINTF (2, 3)
expect (gboolean condition, const char *format, ...)
{
  va_list args;

  if (condition)
    return;
  if (!case_failed)
    printf ("FAILED: %s\n", case_name);
  case_failed = TRUE;
  if (n_told++ >= 8)
    return;
  printf ("    ");
  va_start (args, format);
  vprintf (format, args);
  va_end (args);
  printf ("\n");
}

static inline void
end (void)
{
  if (case_failed)
    n_failed++;
  else
    n_passed++;
}

static inline int
finish (void)
{
  printf ("%u passed, %u failed\n", n_passed, n_failed);
  return n_failed > 0;
}

/* splitmix64 */
static inline guint64
random_bits (guint64 * state)
{
  guint64 z = *state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* 0 .. n - 1 */
static inline guint
random_below (guint64 * state, guint n)
{
  return random_bits (state) % n;
}

/* 0 .. 1 */
static inline double
random_unit (guint64 * state)
{
  return (random_bits (state) >> 11) * 0x1p-53;
}

#endif /* HARNESS_H */
