/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What lanes rehearse with: in each cup of each view a fruit, and in it a mark of
 * each defect; nothing else. */

#include "check.h"
#include "pattern.h"

#include <math.h>
#include <string.h>

/* @marks: pixels of each class in the cup */
static void
count_cup (const LineGeometry * geometry, const LineRecipe * recipe,
    const gfloat * tensors, guint v, guint cup, guint * marks)
{
  const gfloat *view = tensors + (gsize) v * geometry->rows
      * geometry->columns * recipe->n_classes;
  const gdouble centre = geometry->cup_first[v] + cup * geometry->cup_pitch[v];

  for (guint row = 0; row < geometry->rows; row++)
    for (guint column = 0; column < geometry->columns; column++) {
      const gfloat *pixel = view + (row * geometry->columns + column)
          * recipe->n_classes;

      if (fabs (column - centre) <= geometry->cup_pitch[v] / 2)
        for (guint k = 0; k < recipe->n_classes; k++)
          marks[k] += pixel[k] == 1;
    }
}

static gboolean
is_in (guint class, const guint * classes, guint n)
{
  for (guint i = 0; i < n; i++)
    if (classes[i] == class)
      return TRUE;
  return FALSE;
}

static void
check_pattern (const LineGeometry * geometry, const LineRecipe * recipe)
{
  const gsize n = (gsize) geometry->views * geometry->rows
      * geometry->columns * recipe->n_classes;
  g_autofree gfloat *tensors = g_new (gfloat, n + 1);

  begin ("%u views, %u cups of %ux%u", geometry->views, geometry->cups,
      geometry->columns, geometry->rows);
  /* all of it is written, and nothing else */
  memset (tensors, 0x7f, (n + 1) * sizeof (gfloat));
  line_pattern_paint (geometry, recipe, tensors);
  for (gsize i = 0; i < n; i++)
    expect (tensors[i] == 0 || tensors[i] == 1, "%g", tensors[i]);
  expect (tensors[n] > 1, "beyond the end");
  for (guint v = 0; v < geometry->views; v++)
    for (guint cup = 0; cup < geometry->cups; cup++) {
      guint marks[LINE_MAX_CLASSES] = { 0 };

      count_cup (geometry, recipe, tensors, v, cup, marks);
      for (guint k = 0; k < recipe->n_classes; k++) {
        const gboolean is_mark =
            is_in (k, recipe->defects, recipe->n_defects)
            || k == recipe->fruit[0];

        expect (is_mark == (marks[k] > 0), "cup %u: %u pixels of class %u",
            cup, marks[k], k);
      }
    }
  end ();
}

int
main (void)
{
  LineRecipe *recipe = line_recipe_load (LINE_FILES "/apricot.ini", NULL);
  LineConfig *config = line_config_load (LINE_FILES "/line1.ini", NULL);
  /* the last cup is cut off by the view's edge */
  const LineGeometry small = {.views = 1,.cups = 2,.columns = 60,.rows = 40,
    .cup_first = {12},.cup_pitch = {36}
  };
  const LineGeometry high = {.views = 2,.cups = 3,.columns = 100,.rows = 200,
    .cup_first = {16, 25},.cup_pitch = {33, 20}
  };

  g_assert_nonnull (recipe);
  g_assert_nonnull (config);
  check_pattern (line_config_get_lane (config, 0)->geometry, recipe);
  check_pattern (&small, recipe);
  check_pattern (&high, recipe);
  line_config_free (config);
  line_recipe_unref (recipe);
  return finish ();
}
