/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Finders on a GPU: lanes share one CUDA context, also with a finder that is
 * opened later; without finders nothing is kept. In builds with fault
 * injection: the context of a failed finder is not for the next one. Exits
 * with 77 without a GPU. */

#include <gst/gst.h>

#include <string.h>

#include "base/fault.h"
#include "finder.h"
#include "shapes/gstshapesallocator.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LineBlocks, line_blocks_free)

#define N_FINDERS 3

static const char line_text[] =
    "[line]\nname=line1\nrecipe=r\noutput=o\nbackend=cuda\ndeadline-ms=50\n"
    "[geometry]\ncolumns=100\nrows=40\nmm-per-pixel=0.8\ncups=1\n"
    "cup-first=50\ncup-pitch=100\ntilt=0\n"
    "[lane a]\nsource=simulate\n";

static LineConfig *config;
static LineRecipe *recipe;

/* Returns: NULL without a GPU */
static LineFinder *
open_finder (void)
{
  GError *error = NULL;
  LineFinder *finder = line_finder_new (config, line_config_get_lane (config, 0)->geometry,
      recipe, &error);

  g_assert_no_error (error);
  return finder;
}

/* A fruit that fills half of the view. */
static gboolean
run (LineFinder * finder, GError ** error)
{
  const gsize size = line_finder_get_size (finder);
  g_autoptr (LineBlocks) blocks = line_finder_make_blocks (finder, 1);
  gfloat *tensors = line_blocks_take (blocks);
  LineView view;

  memset (tensors, 0, size);
  for (guint y = 10; y < 30; y++)
    for (guint x = 25; x < 75; x++)
      tensors[(y * 100 + x) * recipe->n_classes + recipe->fruit[0]] = 1;
  gboolean good = line_finder_run (finder, tensors, &view, error);
  if (good) {
    g_assert_cmpuint (view.n_contours, ==, 1);
    line_view_clear (&view);
  }
  return good;
}

/* The GPU reads blocks without a copy. */
static void
check_blocks (LineFinder * finder)
{
  g_autoptr (LineBlocks) blocks = line_finder_make_blocks (finder, 1);
  gpointer block = line_blocks_take (blocks);
  gsize offset;

  g_assert_true (gst_is_shapes_pinned_memory (line_block_get_handle (block,
              &offset)));
  line_block_give (block);
}

/* Returns: FALSE without a GPU */
static gboolean
find (LineFinder * finder)
{
  g_autoptr (GError) error = NULL;
  const gboolean good = run (finder, &error);

  if (!good && !strstr (error->message, "No GPU can be used"))
    g_assert_no_error (error);
  return good;
}

/* Returns: the object that is shared, or NULL where elements share one by
 * themselves */
static gpointer
context_of (LineFinder * finder)
{
  GstContext *context = line_finder_get_context (finder);

  if (!context)
    return NULL;
  const GValue *value =
      gst_structure_get_value (gst_context_get_structure (context),
      "gst.cuda.context");
  g_assert_true (value && G_VALUE_HOLDS_OBJECT (value));
  gpointer object = g_value_get_object (value);
  gst_context_unref (context);
  return object;
}

/* Whether the object goes. GStreamer's thread that ends a change of state may
 * keep the pipeline for a moment longer than its owner. */
static gboolean
goes (GWeakRef * ref)
{
  for (guint i = 0; i < 10000; i++) {
    gpointer object = g_weak_ref_get (ref);

    if (!object)
      return TRUE;
    gst_object_unref (object);
    g_usleep (1000);
  }
  return FALSE;
}

static void
assert_goes (GWeakRef * ref)
{
  g_assert_true (goes (ref));
  g_weak_ref_clear (ref);
}

/* Lanes share a context, which goes with the last finder. */
static gpointer
check_sharing (LineFinder ** finders)
{
  gpointer context = context_of (finders[0]);

  check_blocks (finders[0]);
  for (guint i = 1; i < N_FINDERS; i++)
    g_assert_true (context_of (finders[i]) == context);
  line_finder_free (finders[0]);
  LineFinder *later = open_finder ();
  g_assert_true (find (later));
  g_assert_true (context_of (later) == context);
  finders[0] = later;
  return context;
}

#ifdef CS_FAULT_INJECTION

static gint is_failing;

gboolean
cs_fault_hook (CsFault fault, const char *file, int line)
{
  return fault == CS_FAULT_CUDA && g_atomic_int_get (&is_failing);
}

static void
fail (LineFinder * finder)
{
  g_autoptr (GError) error = NULL;

  g_atomic_int_set (&is_failing, TRUE);
  g_assert_false (run (finder, &error));
  g_atomic_int_set (&is_failing, FALSE);
  g_assert_nonnull (error);
}

/* After a failure the next finder has a context of its own, the others keep
 * theirs, whose failure then does not concern the new one. */
static void
check_failure (LineFinder ** finders)
{
  gpointer old = context_of (finders[0]);
  GWeakRef gone;

  fail (finders[0]);
  line_finder_free (finders[0]);
  LineFinder *next = open_finder ();
  g_assert_true (find (next));
  gpointer context = context_of (next);
  g_assert_true (context && context != old);
  for (guint i = 1; i < N_FINDERS; i++) {
    g_assert_true (find (finders[i]));
    g_assert_true (context_of (finders[i]) == old);
  }
  fail (finders[1]);
  line_finder_free (finders[1]);
  LineFinder *after = open_finder ();
  g_assert_true (find (after));
  g_assert_true (context_of (after) == context);
  finders[0] = next;
  finders[1] = after;
  g_weak_ref_init (&gone, old);
  for (guint i = 2; i < N_FINDERS; i++) {
    line_finder_free (finders[i]);
    finders[i] = open_finder ();
  }
  assert_goes (&gone);
}

#endif

int
main (int argc, char **argv)
{
  LineFinder *finders[N_FINDERS];
  GError *error = NULL;
  GWeakRef gone;

  gst_init (&argc, &argv);
  config = line_config_parse ("line.ini", line_text, strlen (line_text),
      &error);
  g_assert_no_error (error);
  /* the program runs on other machines, too */
  if (!g_getenv ("LINE_FILES"))
    g_error ("set LINE_FILES to the folder pipelines/line of the source");
  char *path = g_build_filename (g_getenv ("LINE_FILES"), "apricot.ini", NULL);
  recipe = line_recipe_load (path, &error);
  g_free (path);
  g_assert_no_error (error);
  for (guint i = 0; i < N_FINDERS; i++) {
    finders[i] = open_finder ();
    if (!find (finders[i])) {
      line_finder_free (finders[i]);
      g_print ("skipped: there is no GPU\n");
      return 77;
    }
  }
  gpointer context = check_sharing (finders);
#ifdef CS_FAULT_INJECTION
  if (context)
    check_failure (finders);
#endif
  g_weak_ref_init (&gone, context_of (finders[0]));
  for (guint i = 0; i < N_FINDERS; i++)
    line_finder_free (finders[i]);
  assert_goes (&gone);
  line_recipe_unref (recipe);
  line_config_free (config);
  g_print ("1 passed, 0 failed: %d finders, %s\n", N_FINDERS, context ?
      "one context" : "elements' own context");
  return 0;
}
