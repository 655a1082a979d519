/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CsArray, also where memory runs out. */

#include "../lib/check.h"
#include "base/array.h"
#include "base/error.h"

static void
check_growth (void)
{
  g_autoptr (CsArray) array = cs_array_new (sizeof (guint));

  begin ("ten thousand elements");
  for (guint i = 0; i < 10000; i++)
    expect (cs_array_append_val (array, i), "element %u", i);
  expect (array->len == 10000 && !array->failed, "%zu elements", array->len);
  for (guint i = 0; i < 10000; i++)
    expect (cs_array_index (array, guint, i) == i, "element %u", i);
  expect (array->capacity < 20000, "room for %zu", array->capacity);
  end ();
}

static void
check_sizes (void)
{
  const guint values[] = { 7, 8, 9 };
  CsArray array;

  begin ("sizes");
  cs_array_init (&array, sizeof (guint));
  expect (!array.data && cs_array_append (&array, NULL, 0), "nothing");
  expect (cs_array_append (&array, values, 3) && array.len == 3, "three");
  expect (cs_array_set_size (&array, 2) && array.len == 2, "two");
  expect (cs_array_set_size (&array, 100) && array.len == 100, "a hundred");
  expect (cs_array_index (&array, guint, 1) == 8, "the second");
  cs_array_empty (&array);
  expect (array.len == 0 && array.capacity >= 100, "memory stays");
  cs_array_clear (&array);
  expect (!array.data && array.capacity == 0 && array.size == sizeof (guint),
      "cleared");
  end ();
}

static void
check_failure (void)
{
  const guint64 value = 5;
  CsArray array;

  begin ("without memory");
  cs_array_init (&array, sizeof (guint64));
  expect (cs_array_append_val (&array, value), "one");
  expect (!cs_array_reserve (&array, G_MAXSIZE - 1) && array.failed,
      "more than can be counted");
  array.failed = FALSE;
  expect (!cs_array_set_size (&array, G_MAXSIZE / 16) && array.failed,
      "more than there is");
  expect (array.len == 1 && cs_array_index (&array, guint64, 0) == 5,
      "what was there is lost");
  expect (cs_array_append_val (&array, value) && array.failed,
      "a failure is forgotten");
  cs_array_empty (&array);
  expect (!array.failed, "emptied");
  cs_array_clear (&array);
  end ();
}

static void
check_error (void)
{
  g_autoptr (GError) error = NULL;

  begin ("the error of no memory");
  expect (!cs_fail_no_memory (&error, "a hull's points"), "TRUE");
  expect (g_error_matches (error, CS_ERROR, CS_ERROR_NO_MEMORY), "code");
  expect (g_strrstr (error->message, "a hull's points") != NULL, "%s",
      error->message);
  end ();
}

int
main (void)
{
  check_growth ();
  check_sizes ();
  check_failure ();
  check_error ();
  return finish ();
}
