/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* line-scene FOLDER TRIGGERS [SEED [NOISE-SEED]]: pictures (PPM), true classes
 * (PGM), ideal tensors (raw float32, rows x columns x 12) and the truth
 * (truth.jsonl) of a simulated lane, for training and tests. With --truth the
 * truth alone; with --tensors the truth, and tensors to standard output, one
 * trigger after the other: views x rows x columns x 12; with --pictures all but
 * tensors. */

#include "base/memory.h"
#include "publish/folder.h"
#include "scene.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct
{
  LineSceneParams params;
  LineScene *scene;
  LineFolder *folder;
  guint8 *rgb, *labels;
  gfloat *tensor;
  gboolean truth_only, tensors_only, pictures_only;
} Job;

/* A file in place of what has had its name. */
static FILE *
begin (const Job * job, const char *name)
{
  int fd = line_folder_create_anew (job->folder, name, NULL);

  return fd >= 0 ? fdopen (fd, "w") : NULL;
}

static gboolean
save (const Job * job, guint trigger, guint view, const char *suffix,
    const char *magic, const void *data, gsize size)
{
  g_autofree gchar *name =
      g_strdup_printf ("%06u-%u.%s", trigger, view, suffix);
  FILE *file = begin (job, name);
  gboolean ok = file != NULL;

  if (ok && magic)
    ok = fprintf (file, "%s\n%u %u\n255\n", magic, job->params.columns,
        job->params.rows) > 0;
  ok = ok && fwrite (data, 1, size, file) == size;
  if (file && fclose (file))
    ok = FALSE;
  if (!ok)
    g_printerr ("line-scene: %s cannot be written: %s\n", name,
        g_strerror (errno));
  return ok;
}

static gboolean
print_tensor (Job * job, guint trigger, guint view)
{
  const gsize n = (gsize) job->params.columns * job->params.rows
      * LINE_SCENE_CLASSES;

  if (!line_scene_probabilities (job->scene, trigger, view, job->tensor, NULL))
    return FALSE;
  if (fwrite (job->tensor, sizeof (gfloat), n, stdout) == n
      && fflush (stdout) == 0)
    return TRUE;
  g_printerr ("line-scene: nobody takes tensors: %s\n", g_strerror (errno));
  return FALSE;
}

static gboolean
write_view (Job * job, guint trigger, guint view)
{
  gsize n = (gsize) job->params.columns * job->params.rows;

  if (job->tensors_only)
    return print_tensor (job, trigger, view);
  if (!line_scene_render (job->scene, trigger, view, job->rgb, job->labels,
          NULL)
      || !save (job, trigger, view, "ppm", "P6", job->rgb, 3 * n)
      || !save (job, trigger, view, "pgm", "P5", job->labels, n))
    return FALSE;
  return job->pictures_only || (line_scene_probabilities (job->scene, trigger,
          view, job->tensor, NULL)
      && save (job, trigger, view, "f32", NULL, job->tensor,
          n * LINE_SCENE_CLASSES * sizeof (gfloat)));
}

/* null for what is not a number */
static void
print_numbers (FILE * file, const char *name, const gdouble * values, guint n)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  fprintf (file, ",\"%s\":[", name);
  for (guint k = 0; k < n; k++)
    fprintf (file, "%s%s", k ? "," : "", isnan (values[k]) ? "null" :
        g_ascii_formatd (number, sizeof number, "%.4f", values[k]));
  fputs ("]", file);
}

static void
print_classes (FILE * file, const char *name, const gdouble * values)
{
  print_numbers (file, name, values, LINE_SCENE_CLASSES);
}

static void
print_truth (FILE * file, const Job * job, guint piece)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  LineTruth truth;

  line_scene_truth (job->scene, piece, &truth);
  fprintf (file, "{\"piece\":%u,\"present\":%s,\"diameter_mm\":%s", piece,
      truth.present ? "true" : "false",
      g_ascii_formatd (number, sizeof number, "%.4f", truth.diameter_mm));
  print_classes (file, "mm2", truth.area_mm2);
  print_classes (file, "max_length_mm", truth.max_length_mm);
  print_classes (file, "max_visible_mm2", truth.max_visible_mm2);
  print_classes (file, "max_lit_mm2", truth.max_lit_mm2);
  print_numbers (file, "turn", truth.turn, job->params.cups - 1);
  fprintf (file, ",\"still\":%s,\"hop\":%u", truth.still ? "true" : "false",
      truth.hop);
  fprintf (file, ",\"count\":");
  for (guint k = 0; k < LINE_SCENE_CLASSES; k++)
    fprintf (file, "%s%u", k ? "," : "[", truth.count[k]);
  fprintf (file, "]}\n");
}

static gboolean
run (Job * job, guint triggers)
{
  const char *name = "truth.jsonl";
  FILE *file = begin (job, name);
  gboolean ok = file != NULL;

  for (guint t = 0; ok && t < triggers; t++) {
    print_truth (file, job, t);
    for (guint v = 0; ok && v < job->params.views && !job->truth_only; v++)
      ok = write_view (job, t, v);
  }
  if (!file || fclose (file)) {
    g_printerr ("line-scene: %s cannot be written: %s\n", name,
        g_strerror (errno));
    ok = FALSE;
  }
  return ok;
}

static gboolean
parse (const char *text, guint64 most, guint64 * value)
{
  g_autoptr (GError) error = NULL;

  if (g_ascii_string_to_unsigned (text, 10, 0, most, value, &error))
    return TRUE;
  g_printerr ("line-scene: %s\n", error->message);
  return FALSE;
}

/* Bits of views, of numbers between commas or semicolons. */
static gboolean
parse_views (const char *text, guint32 * views)
{
  gchar **numbers = g_strsplit_set (text, ",;", -1);
  gboolean ok = TRUE;
  guint64 view;

  for (guint i = 0; ok && numbers[i]; i++) {
    ok = parse (numbers[i], LINE_SCENE_MAX_VIEWS - 1, &view);
    if (ok)
      *views |= 1u << view;
  }
  g_strfreev (numbers);
  return ok;
}

static gboolean
parse_options (Job * job, int *argc, char ***argv)
{
  LineSceneParams *p = &job->params;
  g_autofree gchar *blemish = NULL;
  g_autofree gchar *dark = NULL;
  gint dark_from = 0;
  const GOptionEntry entries[] = {
    {"truth", 0, 0, G_OPTION_ARG_NONE, &job->truth_only,
        "Write truth.jsonl only", NULL},
    {"tensors", 0, 0, G_OPTION_ARG_NONE, &job->tensors_only,
        "Write truth.jsonl, and tensors to standard output", NULL},
    {"pictures", 0, 0, G_OPTION_ARG_NONE, &job->pictures_only,
        "Write no tensors", NULL},
    {"empty", 0, 0, G_OPTION_ARG_DOUBLE, &p->empty, "Share of empty cups",
        "0..1"},
    {"turn", 0, 0, G_OPTION_ARG_DOUBLE, &p->turn,
        "Turn of pieces between cups", "DEGREES"},
    {"travel", 0, 0, G_OPTION_ARG_DOUBLE, &p->travel,
        "Travel of their surface between cups, in place of that", "MM"},
    {"slip", 0, 0, G_OPTION_ARG_DOUBLE, &p->slip,
        "Standard deviation of a piece's turn", "DEGREES"},
    {"still", 0, 0, G_OPTION_ARG_DOUBLE, &p->still,
        "Share of pieces that do not turn", "0..1"},
    {"hop", 0, 0, G_OPTION_ARG_DOUBLE, &p->hop,
        "Share of pieces that once lie anew", "0..1"},
    {"irregular", 0, 0, G_OPTION_ARG_DOUBLE, &p->irregular,
        "Deviation of the radius", "0..0.03"},
    {"dark", 0, 0, G_OPTION_ARG_STRING, &dark,
        "Views whose lamp is off, as 0,3", "LIST"},
    {"dark-from", 0, 0, G_OPTION_ARG_INT, &dark_from,
        "Trigger from which it is off", "TRIGGER"},
    {"blemish", 0, 0, G_OPTION_ARG_STRING, &blemish,
        "Every piece has a mark of this class", "CLASS"},
    {NULL}
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("FOLDER TRIGGERS [SEED [NOISE-SEED]]");
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  gboolean ok = g_option_context_parse (context, argc, argv, &error);
  p->dark_from = MAX (dark_from, 0);
  ok = ok && (!dark || parse_views (dark, &p->dark));
  while (ok && blemish && line_scene_classes[p->blemish]
      && strcmp (line_scene_classes[p->blemish], blemish) != 0)
    p->blemish++;
  if (ok && (*argc < 3 || *argc > 5)) {
    g_autofree gchar *help = g_option_context_get_help (context, TRUE, NULL);

    g_printerr ("%s", help);
    ok = FALSE;
  }
  if (error)
    g_printerr ("line-scene: %s\n", error->message);
  return ok;
}

int
main (int argc, char **argv)
{
  guint64 triggers = 0;
  GError *error = NULL;
  Job job = { 0 };

  line_scene_params_init (&job.params);
  if (!parse_options (&job, &argc, &argv)
      || !parse (argv[2], 999999, &triggers)
      || (argc > 3 && !parse (argv[3], G_MAXUINT64, &job.params.seed))
      || (argc > 4 && !parse (argv[4], G_MAXUINT64, &job.params.noise_seed)))
    return 2;
  gsize n = (gsize) job.params.columns * job.params.rows;
  job.folder = line_folder_open (argv[1], TRUE, &error);
  if (!job.folder) {
    g_printerr ("line-scene: %s\n", error->message);
    g_error_free (error);
    return 1;
  }
  job.scene = line_scene_new (&job.params, &error);
  job.rgb = cs_try_malloc_n (n, 3);
  job.labels = cs_try_malloc_n (n, 1);
  job.tensor = cs_try_new (gfloat, n * LINE_SCENE_CLASSES);
  gboolean ok = job.scene && job.rgb && job.labels && job.tensor;
  if (!ok)
    g_printerr ("line-scene: %s\n", error ? error->message : "no memory");
  ok = ok && run (&job, triggers);
  g_clear_error (&error);
  line_scene_free (job.scene);
  g_free (job.rgb);
  g_free (job.labels);
  g_free (job.tensor);
  line_folder_unref (job.folder);
  return ok ? 0 : 1;
}
