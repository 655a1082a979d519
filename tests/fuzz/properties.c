/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any text as the lists in cudacontours' properties: "levels" is a list of
 * numbers; "classes" and "roi" are lists of whole numbers; "class-groups" and
 * "class-min-area" have names. */

#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "cudacontours/gstcudacontoursclasses.h"
#include "cudacontours/gstcudacontourssettings.h"

static guint
count_commas (const gchar * text)
{
  guint n = 0;

  for (; *text; text++)
    n += *text == ',';
  return n;
}

static gboolean
is_blank (const gchar * text)
{
  while (g_ascii_isspace (*text))
    text++;
  return *text == '\0';
}

/* The list that @numbers are written as reads back as the same numbers. */
static void
check_reads_back (const GArray * numbers)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < numbers->len; i++)
    g_string_append_printf (text, "%s%s", i ? ", " : " ",
        g_ascii_dtostr (digits, sizeof (digits),
            g_array_index (numbers, gdouble, i)));
  g_autoptr (GArray) again = contours_parse_numbers ("levels", text->str, NULL);
  FUZZ_CHECK (again && again->len == numbers->len, "%s", text->str);
  for (guint i = 0; i < numbers->len; i++)
    FUZZ_CHECK (g_array_index (again, gdouble, i) == g_array_index (numbers,
            gdouble, i), "number %u of %s", i, text->str);
}

static GArray *
parse_numbers (const gchar * text)
{
  GError *error = NULL;
  GArray *numbers = contours_parse_numbers ("levels", text, &error);

  FUZZ_CHECK_ERROR (numbers != NULL, error);
  g_clear_error (&error);
  if (!numbers)
    return NULL;
  FUZZ_CHECK (numbers->len == (is_blank (text) ? 0 : count_commas (text) + 1),
      "%u numbers in \"%s\"", numbers->len, text);
  for (guint i = 0; i < numbers->len; i++)
    FUZZ_CHECK (isfinite (g_array_index (numbers, gdouble, i)), "number %u", i);
  check_reads_back (numbers);
  return numbers;
}

static void
check_indices (const gchar * text, const GArray * numbers)
{
  g_autoptr (GError) error = NULL;
  GArray *indices = contours_parse_indices ("classes", text, &error);
  gboolean expected = numbers != NULL;

  for (guint i = 0; numbers && i < numbers->len; i++) {
    gdouble number = g_array_index (numbers, gdouble, i);

    expected &= number >= 0. && number <= G_MAXINT32
        && number == floor (number);
  }
  FUZZ_CHECK_ERROR (indices != NULL, error);
  FUZZ_CHECK ((indices != NULL) == expected, "\"%s\"", text);
  for (guint i = 0; indices && i < indices->len; i++)
    FUZZ_CHECK (g_array_index (indices, guint, i) == g_array_index (numbers,
            gdouble, i), "index %u of \"%s\"", i, text);
  g_clear_pointer (&indices, g_array_unref);
}

/* What is accepted is as it is documented. */
static void
check_groups (const gchar * text)
{
  g_autoptr (GError) error = NULL;
  GArray *groups = contours_parse_groups (text, &error);

  FUZZ_CHECK_ERROR (groups != NULL, error);
  for (guint g = 0; groups && g < groups->len; g++) {
    const ContoursGroup *group = &g_array_index (groups, ContoursGroup, g);

    FUZZ_CHECK (*group->name && !g_ascii_isdigit (*group->name) &&
        g_utf8_validate (group->name, -1, NULL), "name of group %u", g);
    FUZZ_CHECK (group->channels->len > 0, "group %u is empty", g);
    for (guint k = 0; k < g; k++)
      FUZZ_CHECK (strcmp (group->name, g_array_index (groups,
                  ContoursGroup, k).name) != 0, "groups %u, %u", k, g);
  }
  g_clear_pointer (&groups, g_array_unref);
}

static void
check_class_areas (const gchar * text)
{
  g_autoptr (GError) error = NULL;
  GArray *areas = contours_parse_class_areas ("class-min-area", text, &error);

  FUZZ_CHECK_ERROR (areas != NULL, error);
  FUZZ_CHECK (!areas || areas->len == (is_blank (text) ? 0 :
          count_commas (text) + 1), "%u areas in \"%s\"", areas->len, text);
  for (guint i = 0; areas && i < areas->len; i++) {
    const gdouble area = g_array_index (areas, ContoursClassArea, i).area;

    FUZZ_CHECK (isfinite (area) && area >= 0., "area %u", i);
  }
  g_clear_pointer (&areas, g_array_unref);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  g_autofree gchar *text = g_strndup ((const gchar *) data, size);
  GArray *numbers = parse_numbers (text);

  check_indices (text, numbers);
  check_groups (text);
  check_class_areas (text);
  g_clear_pointer (&numbers, g_array_unref);
  return 0;
}
