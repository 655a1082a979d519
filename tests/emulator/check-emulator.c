/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The emulator runs kernels of which the results are known, and finds what
 * others do wrong. */

#include <stdlib.h>

#include "emulated.h"

static void
check_mistake (gconstpointer data)
{
  const Mistake *mistake = data;

  if (g_test_subprocess ()) {
    mistake->make ();
    exit (0);
  }
  g_test_trap_subprocess (NULL, 60 * G_USEC_PER_SEC, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr (mistake->message);
}

int
main (int argc, char **argv)
{
  g_setenv ("CUDASHAPES_EMULATE", "1", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/values/rounding", check_rounding);
  g_test_add_func ("/values/integers", check_integers);
  g_test_add_func ("/values/conversions", check_conversions);
  g_test_add_func ("/lanes/shuffles", check_shuffles);
  g_test_add_func ("/lanes/votes", check_votes);
  g_test_add_func ("/lanes/divergence", check_divergence);
  g_test_add_func ("/lanes/atomics", check_atomics);
  g_test_add_func ("/blocks/barriers", check_barriers);
  g_test_add_func ("/blocks/chain", check_chain);
  g_test_add_func ("/blocks/grid", check_grid_barrier);
  g_test_add_func ("/blocks/memory", check_memory);
  g_test_add_func ("/blocks/graph", check_graph);
  for (guint k = 0; mistakes[k].name; k++) {
    g_autofree gchar *path = g_strconcat ("/mistakes/", mistakes[k].name, NULL);

    g_test_add_data_func (path, &mistakes[k], check_mistake);
  }
  return g_test_run ();
}
