/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* line-scene: writes pictures, labels, tensors and truth of the simulated
 * line, to look at, to train with. */

#include <locale.h>
#include <stdio.h>

#include "scene.h"

typedef struct
{
  const gchar *folder;
  gint64 first, triggers;
  gboolean tensors;
} Job;

static gboolean
write_file (const Job * job, const gchar * kind, gint64 trigger, guint view,
    const gchar * head, gconstpointer data, gsize size, GError ** error)
{
  gchar *name = g_strdup_printf ("%s/%06" G_GINT64_FORMAT "-%u.%s",
      job->folder, trigger, view, kind);
  FILE *file = fopen (name, "wb");
  gboolean ok = file && fputs (head, file) >= 0 &&
      fwrite (data, 1, size, file) == size;

  if (file)
    ok = fclose (file) == 0 && ok;
  if (!ok)
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
        "%s cannot be written: is the folder there, the disk full?", name);
  g_free (name);
  return ok;
}

static gboolean
write_view (const LineScene * scene, const LineSceneParams * params,
    const Job * job, gint64 trigger, guint view, GError ** error)
{
  gsize pixels = (gsize) params->columns * params->rows;
  guint8 *rgb = g_malloc (pixels * 3), *labels = g_malloc (pixels);
  gfloat *tensor = g_malloc (pixels * LINE_N_CLASSES * sizeof (gfloat));
  gchar *ppm = g_strdup_printf ("P6\n%u %u\n255\n", params->columns,
      params->rows);
  gchar *pgm = g_strdup_printf ("P5\n%u %u\n255\n", params->columns,
      params->rows);
  gboolean ok = line_scene_render (scene, trigger, view, rgb, labels, error)
      && write_file (job, "ppm", trigger, view, ppm, rgb, pixels * 3, error)
      && write_file (job, "pgm", trigger, view, pgm, labels, pixels, error);

  if (ok && job->tensors)
    ok = line_scene_probabilities (scene, trigger, view, tensor, error) &&
        write_file (job, "f32", trigger, view, "", tensor,
        pixels * LINE_N_CLASSES * sizeof (gfloat), error);
  g_free (rgb);
  g_free (labels);
  g_free (tensor);
  g_free (ppm);
  g_free (pgm);
  return ok;
}

/* One JSON object a line for each piece that enters */
static void
print_truth (const LineScene * scene, gint64 piece)
{
  LineTruth truth;
  const gchar *comma = "";

  line_scene_truth (scene, piece, &truth);
  printf ("{\"piece\":%" G_GINT64_FORMAT ",\"present\":%s,\"diameter_mm\":%.2f"
      ",\"area_mm2\":%.2f,\"classes\":{", piece,
      truth.present ? "true" : "false", truth.diameter_mm, truth.surface_mm2);
  for (guint i = 0; i < LINE_N_CLASSES; i++) {
    const LineClassTruth *t = &truth.classes[i];

    if (t->count == 0)
      continue;
    printf ("%s\"%s\":{\"mm2\":%.2f,\"visible_mm2\":%.2f,"
        "\"max_length_mm\":%.2f,\"count\":%u}", comma, line_class_names[i],
        t->mm2, t->max_visible_mm2, t->max_length_mm, t->count);
    comma = ",";
  }
  puts ("}}");
}

static gboolean
run (const LineSceneParams * params, const Job * job, GError ** error)
{
  LineScene *scene = line_scene_new (params, error);
  gboolean ok = scene != NULL;

  for (gint64 i = job->first; ok && i < job->first + job->triggers; i++) {
    print_truth (scene, i);
    for (guint view = 0; ok && job->folder && view < params->views; view++)
      ok = write_view (scene, params, job, i, view, error);
  }
  if (scene)
    line_scene_free (scene);
  return ok;
}

int
main (int argc, char **argv)
{
  LineSceneParams params = LINE_SCENE_PARAMS_DEFAULT;
  gint64 seed = 1, noise = 1;
  gint lane = 0, views = params.views;
  gchar **rest = NULL;
  Job job = {.triggers = 1 };
  const GOptionEntry entries[] = {
    {"seed", 0, 0, G_OPTION_ARG_INT64, &seed, "of the fruits", "N"},
    {"noise-seed", 0, 0, G_OPTION_ARG_INT64, &noise,
        "of noise and rotation", "N"},
    {"lane", 0, 0, G_OPTION_ARG_INT, &lane, "the lane", "N"},
    {"views", 0, 0, G_OPTION_ARG_INT, &views, "cameras, 1 to 16", "N"},
    {"first", 0, 0, G_OPTION_ARG_INT64, &job.first, "first trigger", "N"},
    {"triggers", 0, 0, G_OPTION_ARG_INT64, &job.triggers, "how many", "N"},
    {"empty", 0, 0, G_OPTION_ARG_DOUBLE, &params.empty_share,
        "share of empty cups, 0 to 1", "SHARE"},
    {"tensors", 0, 0, G_OPTION_ARG_NONE, &job.tensors,
        "write an ideal network's tensors, too", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &rest, NULL,
        "[FOLDER]"},
    {NULL}
  };
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;
  gboolean ok;

  setlocale (LC_MESSAGES, "");
  g_option_context_set_summary (context, "Prints the truth of the simulated "
      "line's pieces as JSON lines. With a FOLDER that exists, writes there "
      "each view's picture (.ppm), labels (.pgm) and tensor (.f32: rows x "
      "columns x 12 float32).");
  g_option_context_add_main_entries (context, entries, NULL);
  ok = g_option_context_parse (context, &argc, &argv, &error);
  if (ok) {
    params.seed = seed;
    params.noise_seed = noise;
    params.lane = lane;
    params.views = MAX (views, 0);
    job.folder = rest ? rest[0] : NULL;
    ok = run (&params, &job, &error);
  }
  if (!ok) {
    g_printerr ("line-scene: %s\n", error->message);
    g_error_free (error);
  }
  g_strfreev (rest);
  g_option_context_free (context);
  return ok ? 0 : 1;
}
