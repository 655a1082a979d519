/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstcheck.h>

/* The program of the tests that are added to @tcase in what follows:
 *
 *   SUITE (pictures)
 *   {
 *     ADD (they_are_square);
 *   }
 */
#define SUITE(name) \
  static void name##_add (TCase * tcase); \
  static Suite *name##_suite (void) \
  { \
    Suite *suite = suite_create (#name); \
    TCase *tcase = tcase_create (#name); \
    suite_add_tcase (suite, tcase); \
    name##_add (tcase); \
    return suite; \
  } \
  GST_CHECK_MAIN (name) \
  static void name##_add (TCase * tcase)

#define ADD(test) tcase_add_test (tcase, test)

/* With __i__ from @first to below @end */
#define ADD_LOOP(test, first, end) tcase_add_loop_test (tcase, test, first, end)
