/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A check, and the program of all checks of a file:
 *
 *   CHECK (rings_are_decoded)
 *   {
 *   }
 *
 *   CHECKS
 *
 * They run in the order in which they stand. */

#include <glib.h>

#define CHECK(name) \
  static void check_##name (void); \
  static void __attribute__ ((constructor)) register_##name (void) \
  { \
    register_check (#name, check_##name); \
  } \
  static void check_##name (void)

/* With lib/check.h's cases */
#define CHECKS \
int \
main (void) \
{ \
  run_checks (); \
  return finish (); \
}

/* With GLib's assertions; @group is "/plc" or the like. */
#define GLIB_CHECKS(group) \
int \
main (int argc, char **argv) \
{ \
  g_test_init (&argc, &argv, NULL); \
  add_checks (group); \
  return g_test_run (); \
}

typedef struct
{
  const char *name;
  GTestFunc run;
} RegisteredCheck;

static RegisteredCheck registered_checks[40];
static guint n_registered_checks;

static inline void
register_check (const char *name, GTestFunc run)
{
  g_assert (n_registered_checks < G_N_ELEMENTS (registered_checks));
  registered_checks[n_registered_checks++] = (RegisteredCheck) {name, run};
}

static inline void
run_checks (void)
{
  for (guint i = 0; i < n_registered_checks; i++)
    registered_checks[i].run ();
}

static inline void
add_checks (const char *group)
{
  for (guint i = 0; i < n_registered_checks; i++) {
    g_autofree char *path = g_strconcat (group, "/",
        registered_checks[i].name, NULL);

    g_test_add_func (g_strdelimit (path, "_", '-'), registered_checks[i].run);
  }
}
