/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstcheck.h>

/* A test, and the program of all tests of a file:
 *
 *   TEST (squares_are_square)
 *   {
 *   }
 *
 *   SUITE (pictures) {}
 *
 * They run in the order in which they stand. Within SUITE's braces @tcase gets a
 * time limit, fixtures, and tests that are not always there:
 *
 *   if (has_font ())
 *     ADD (a_TEST_TO_ADD);
 */
#define TEST(name) TEST_LOOP (name, 0, 1)

/* With __i__ from @first to below @end */
#define TEST_LOOP(name, first, end) \
  static void name (int __i__); \
  static void name##_add (TCase * tcase) \
  { \
    ADD_LOOP (name, first, end); \
  } \
  static void __attribute__ ((constructor)) name##_register (void) \
  { \
    suite_register (name##_add); \
  } \
  TEST_TO_ADD (name)

/* A test that SUITE adds */
#define TEST_TO_ADD(name) \
  static void name##_run (int __i__); \
  GST_START_TEST (name) \
  { \
    name##_run (__i__); \
  } \
  GST_END_TEST; \
  static void name##_run (int __i__ G_GNUC_UNUSED)

/* A test where @condition holds when the program starts */
#define TEST_IF(condition, name) TEST_LOOP (name, 0, (condition) ? 1 : 0)

#define SUITE(name) SUITE_OF_MAIN (name, GST_CHECK_MAIN)

#define SUITE_OF_MAIN(name, main_of) \
  static void name##_add (TCase * tcase); \
  static Suite *name##_suite (void) \
  { \
    Suite *suite = suite_create (#name); \
    TCase *tcase = tcase_create (#name); \
    suite_add_tcase (suite, tcase); \
    suite_add_registered (tcase); \
    name##_add (tcase); \
    return suite; \
  } \
  main_of (name) \
  static void name##_add (TCase * tcase G_GNUC_UNUSED)

#define ADD(test) tcase_add_test (tcase, test)
#define ADD_LOOP(test, first, end) tcase_add_loop_test (tcase, test, first, end)

typedef void (*SuiteAdd) (TCase * tcase);

static GArray *suite_registered G_GNUC_UNUSED;

static inline void
suite_register (SuiteAdd add)
{
  if (!suite_registered)
    suite_registered = g_array_new (FALSE, FALSE, sizeof (SuiteAdd));
  g_array_append_val (suite_registered, add);
}

static inline void
suite_add_registered (TCase * tcase)
{
  if (!suite_registered)
    return;
  for (guint i = 0; i < suite_registered->len; i++)
    g_array_index (suite_registered, SuiteAdd, i) (tcase);
  g_clear_pointer (&suite_registered, g_array_unref);
}
