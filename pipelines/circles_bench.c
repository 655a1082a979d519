/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* circles-bench [cpu|cuda|both|bad] [-s SIZE] [-n CIRCLES] [-r RUNS] [-o FILE]
 *
 * Paints the same random circles several times on each backend, compares each
 * picture with that of the sequential algorithm, and prints mean times. "bad"
 * is a painter that takes no notice of the order, in several threads at once:
 * the comparison must find it out, or it is worth nothing. FILE is the picture,
 * as raw RGBA.
 *
 * Exits with 0 if every picture is right, and with "bad" if it is found wrong;
 * with 1 otherwise, and with 77 if there is no GPU to be measured. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cuda_memory.h"
#include "circles/circles.h"

#define DEFAULT_SIZE 1024
#define DEFAULT_CIRCLES 100000
#define DEFAULT_RUNS 5

#define EXIT_SKIPPED 77

/**
 * Scene:
 * @circles: @n circles
 * @marks: array of CsMark
 * @depths: array of float
 * @size: side of the picture
 */
typedef struct
{
  CsCircle *circles;
  gsize n;
  CsArray *marks, *depths;
  guint size;
} Scene;

typedef struct
{
  double mean, fastest;
  gsize n_wrong;
} Result;

static void
fail (const char *what, GError * error)
{
  fprintf (stderr, "%s: %s\n", what,
      error ? error->message : "no reason given");
  exit (1);
}

/* Scenes of another seed are put together where one has too few circles. */
static void
scene_init (Scene * scene, guint size, gsize n)
{
  const gsize chunk = cs_scene_get_n_circles (CS_SCENE_RAND100K);
  const CsCirclesStyle style = { TRUE, 0.f, 0, TRUE };
  gsize i;

  scene->circles = g_new (CsCircle, (n + chunk - 1) / chunk * chunk + 1);
  for (i = 0; i < n; i += chunk)
    cs_scene_make (CS_SCENE_RAND100K, (guint32) (i / chunk), 0.,
        scene->circles + i);
  scene->n = n;
  scene->size = size;
  scene->marks = cs_array_new (sizeof (CsMark));
  scene->depths = cs_array_new (sizeof (float));
  cs_circles_to_marks (scene->circles, n, &style, size, size, scene->marks,
      scene->depths);
}

static void
scene_clear (Scene * scene)
{
  g_free (scene->circles);
  cs_array_free (scene->marks);
  cs_array_free (scene->depths);
}

static gsize
picture_bytes (const Scene * scene)
{
  return 4 * (gsize) scene->size * scene->size;
}

static CsPicture
make_picture (const Scene * scene, guint8 * data, CsMemory memory)
{
  CsPicture picture = { CS_PICTURE_RGB, CS_SAMPLE_U8, memory, scene->size,
    scene->size, 8, 0,
  };
  guint i;

  for (i = 0; i < 4; i++) {
    picture.data[i] = data + i;
    picture.pixel_stride[i] = 4;
    picture.row_stride[i] = 4 * (gsize) scene->size;
  }
  return picture;
}

/* The sequential algorithm: circle after circle */

static gint
compare_depths (gconstpointer a, gconstpointer b, gpointer depths)
{
  const float *z = depths;
  const guint32 i = *(const guint32 *) a, k = *(const guint32 *) b;

  if (z[i] != z[k])
    return z[i] > z[k] ? -1 : 1;
  return i < k ? -1 : 1;
}

/* The pixels from @x0 to @x1 and @y0 to @y1 that a mark can touch. */
static void
mark_box (const CsMark * mark, guint size, gint box[4])
{
  box[0] = (gint) CLAMP (floorf (mark->x0 - mark->radius) - 1.f, 0, size);
  box[1] = (gint) CLAMP (ceilf (mark->x0 + mark->radius) + 2.f, 0, size);
  box[2] = (gint) CLAMP (floorf (mark->y0 - mark->radius) - 1.f, 0, size);
  box[3] = (gint) CLAMP (ceilf (mark->y0 + mark->radius) + 2.f, 0, size);
}

static gboolean
covers (const CsMark * mark, gint x, gint y)
{
  const float dx = x - rintf (mark->x0 * 256.f) / 256.f;
  const float dy = y - rintf (mark->y0 * 256.f) / 256.f;
  const float r = rintf (mark->radius * 256.f) / 256.f;

  return dx * dx + dy * dy <= r * r;
}

static void
paint_mark (const CsMark * mark, guint size, float *rgb)
{
  const float a = (mark->rgba & 255) / 255.f;
  const float color[3] = { (mark->rgba >> 24) / 255.f,
    (mark->rgba >> 16 & 255) / 255.f, (mark->rgba >> 8 & 255) / 255.f
  };
  gint box[4], x, y, c;

  mark_box (mark, size, box);
  for (y = box[2]; y < box[3]; y++) {
    for (x = box[0]; x < box[1]; x++) {
      float *pixel = rgb + 3 * ((gsize) y * size + (gsize) x);

      if (covers (mark, x, y))
        for (c = 0; c < 3; c++)
          pixel[c] = a * color[c] + (1.f - a) * pixel[c];
    }
  }
}

static void
to_codes (const float *rgb, gsize n_pixels, guint8 * codes)
{
  gsize i;

  for (i = 0; i < 4 * n_pixels; i++)
    codes[i] = i % 4 == 3 ? 255 :
        (guint8) (255.f * rgb[i / 4 * 3 + i % 4] + .5f);
}

/* Returns: seconds that it took */
static double
paint_sequentially (const Scene * scene, guint8 * codes)
{
  const gsize n_pixels = (gsize) scene->size * scene->size;
  const gint64 begin = g_get_monotonic_time ();
  float *rgb = g_new0 (float, 3 * n_pixels);
  GArray *order = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 i;

  for (i = 0; i < scene->marks->len; i++)
    g_array_append_val (order, i);
  g_array_sort_with_data (order, compare_depths, scene->depths->data);
  for (i = 0; i < scene->marks->len; i++)
    paint_mark (&cs_array_index (scene->marks, CsMark,
            g_array_index (order, guint32, i)), scene->size, rgb);
  to_codes (rgb, n_pixels, codes);
  g_array_unref (order);
  g_free (rgb);
  return (g_get_monotonic_time () - begin) * 1e-6;
}

/* The negative control: no depth order, and unsynchronised reads and writes of
 * pixels */

typedef struct
{
  const Scene *scene;
  guint32 *rgb;                 /* bits of floats */
  guint n_items;
} Disorder;

static float
load (guint32 * bits)
{
  union
  {
    guint32 u;
    float f;
  } value;

  value.u = __atomic_load_n (bits, __ATOMIC_RELAXED);
  return value.f;
}

static void
store (guint32 * bits, float f)
{
  union
  {
    float f;
    guint32 u;
  } value;

  value.f = f;
  __atomic_store_n (bits, value.u, __ATOMIC_RELAXED);
}

static void
paint_disorderly (void *user_data, guint index)
{
  const Disorder *job = user_data;
  const guint size = job->scene->size;
  guint i;

  for (i = index; i < job->scene->marks->len; i += job->n_items) {
    const CsMark *mark = &cs_array_index (job->scene->marks, CsMark, i);
    const float a = (mark->rgba & 255) / 255.f;
    gint box[4], x, y, c;

    mark_box (mark, size, box);
    for (y = box[2]; y < box[3]; y++)
      for (x = box[0]; x < box[1]; x++)
        for (c = 0; c < 3 && covers (mark, x, y); c++) {
          guint32 *at = job->rgb + 3 * ((gsize) y * size + (gsize) x) + c;
          const float color = (mark->rgba >> (24 - 8 * c) & 255) / 255.f;

          store (at, a * color + (1.f - a) * load (at));
        }
  }
}

static double
paint_badly (const Scene * scene, CsExecutor * executor, guint8 * codes)
{
  const gsize n_pixels = (gsize) scene->size * scene->size;
  const gint64 begin = g_get_monotonic_time ();
  Disorder job = { scene, g_new0 (guint32, 3 * n_pixels), 64 };

  cs_executor_parallel_for (executor, job.n_items, paint_disorderly, &job);
  to_codes ((const float *) job.rgb, n_pixels, codes);
  g_free (job.rgb);
  return (g_get_monotonic_time () - begin) * 1e-6;
}

/* The tile engine */

/* What one backend works on: on a GPU marks and picture are in its memory, as
 * they are in a pipeline of CUDA memory. */
typedef struct
{
  CsExecutor *executor;
  CsRaster *raster;
  CsCudaHeap *heap;
  CsMarks marks;
  guint8 *picture;
} Engine;

#ifdef HAVE_CUDA
/* @size bytes with what @from has, if anything. */
static void *
new_on_device (Engine * engine, const void *from, gsize size)
{
  GError *error = NULL;
  void *data = cs_cuda_heap_alloc (engine->heap, MAX (size, 1),
      cs_executor_get_stream (engine->executor), &error);

  if (!data || (from && size
          && !cs_cuda_heap_upload (engine->heap, data, from, size, &error)))
    fail ("The GPU has no memory", error);
  return data;
}

static void
free_on_device (Engine * engine, const void *data)
{
  cs_cuda_heap_release (engine->heap, (void *) data, NULL, 0, NULL);
}

static void
download (Engine * engine, void *to, gsize size)
{
  GError *error = NULL;

  if (!cs_cuda_heap_download (engine->heap, &(CsCudaCopy) {
          to, engine->picture, size}, 1, &error))
    fail ("The picture cannot be copied", error);
}
#else
#define new_on_device(engine, from, size) NULL
#define free_on_device(engine, data)
#define download(engine, to, size)
#endif

static void
engine_init (Engine * engine, const Scene * scene, CsExecutor * executor,
    CsCudaHeap * heap)
{
  const gsize n = scene->marks->len;
  GError *error = NULL;

  *engine = (Engine) {
  executor, cs_raster_new (executor, &error), heap};
  if (!engine->raster)
    fail ("There is no tile engine", error);
  engine->marks = (CsMarks) {
  (const CsMark *) scene->marks->data,
        (const float *) scene->depths->data, n,
        heap ? CS_MEMORY_DEVICE : CS_MEMORY_HOST, 0};
  if (!heap) {
    engine->picture = g_malloc0 (picture_bytes (scene));
    return;
  }
  engine->marks.marks = new_on_device (engine, scene->marks->data,
      n * sizeof (CsMark));
  engine->marks.depths = new_on_device (engine, scene->depths->data,
      n * sizeof (float));
  engine->picture = new_on_device (engine, NULL, picture_bytes (scene));
}

static void
engine_clear (Engine * engine)
{
  cs_raster_free (engine->raster);
  if (engine->heap) {
    free_on_device (engine, engine->marks.marks);
    free_on_device (engine, engine->marks.depths);
    free_on_device (engine, engine->picture);
  } else {
    g_free (engine->picture);
  }
}

/* Sorts, bins and paints everything, on black. Waits for the end. */
static double
engine_paint (Engine * engine, const Scene * scene)
{
  const CsPicture picture = make_picture (scene, engine->picture,
      engine->heap ? CS_MEMORY_DEVICE : CS_MEMORY_HOST);
  const gint64 begin = g_get_monotonic_time ();
  CsRasterSettings settings;
  CsRasterStats stats;
  GError *error = NULL;

  cs_raster_settings_init (&settings);
  settings.background = CS_BACKGROUND_BLACK;
  settings.antialias = FALSE;
  if (!cs_raster_run (engine->raster, &engine->marks, &settings, NULL,
          &picture, &error)
      || !cs_raster_get_stats (engine->raster, &stats, &error))
    fail ("The circles cannot be painted", error);
  return (g_get_monotonic_time () - begin) * 1e-6;
}

static gsize
count_wrong (const guint8 * codes, const guint8 * expected, gsize n_pixels)
{
  gsize i, n = 0;

  for (i = 0; i < n_pixels; i++)
    n += memcmp (codes + 4 * i, expected + 4 * i, 4) != 0;
  return n;
}

/* Painted once to warm up, then @n_runs times. */
static Result
measure_engine (Engine * engine, const Scene * scene, guint n_runs,
    const guint8 * expected, guint8 * codes)
{
  Result result = { 0., INFINITY, 0 };
  guint i;

  engine_paint (engine, scene);
  for (i = 0; i < n_runs; i++) {
    const double seconds = engine_paint (engine, scene);

    result.mean += seconds / n_runs;
    result.fastest = MIN (result.fastest, seconds);
  }
  if (engine->heap)
    download (engine, codes, picture_bytes (scene));
  else
    memcpy (codes, engine->picture, picture_bytes (scene));
  result.n_wrong = count_wrong (codes, expected, (gsize) scene->size *
      scene->size);
  return result;
}

static void
print_row (const char *name, const Result * result, double sequential)
{
  printf ("| %-24s | %10.3f | %10.3f | %9.1f | %12" G_GSIZE_FORMAT " |\n",
      name, result->mean * 1e3, result->fastest * 1e3,
      sequential / result->mean, result->n_wrong);
}

/* Modes */

typedef struct
{
  Scene scene;
  guint n_runs;
  double sequential;
  guint8 *expected, *codes;
  void *stream;
} Bench;

static Result
measure_cpu (Bench * bench, guint n_threads)
{
  CsExecutor *executor = cs_executor_new_cpu (n_threads);
  Engine engine;
  Result result;

  engine_init (&engine, &bench->scene, executor, NULL);
  result = measure_engine (&engine, &bench->scene, bench->n_runs,
      bench->expected, bench->codes);
  engine_clear (&engine);
  cs_executor_free (executor);
  return result;
}

static gsize
run_cpu (Bench * bench, double *mean)
{
  CsExecutor *all = cs_executor_new_cpu (0);
  const guint n_threads = cs_executor_get_n_threads (all);
  Result one = measure_cpu (bench, 1), many;
  char name[32];

  cs_executor_free (all);
  print_row ("cpu, 1 thread", &one, bench->sequential);
  *mean = one.mean;
  if (n_threads == 1)
    return one.n_wrong;
  many = measure_cpu (bench, 0);
  g_snprintf (name, sizeof (name), "cpu, %u threads", n_threads);
  print_row (name, &many, bench->sequential);
  *mean = many.mean;
  return one.n_wrong + many.n_wrong;
}

/* A stream on the GPU, or %NULL with @error set. */
static void *
open_gpu (GError ** error)
{
#ifdef HAVE_CUDA
  return cs_cuda_stream_new (error);
#else
  g_set_error_literal (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED,
      "this build is without CUDA");
  return NULL;
#endif
}

static gsize
run_cuda (Bench * bench, double *mean)
{
  Result result = { 0 };
#ifdef HAVE_CUDA
  GError *error = NULL;
  CsExecutor *executor = cs_executor_new_cuda (bench->stream, &error);
  CsCudaHeap *heap = executor ? cs_cuda_heap_new (&error) : NULL;
  Engine engine;

  if (!heap)
    fail ("The GPU cannot be used", error);
  engine_init (&engine, &bench->scene, executor, heap);
  result = measure_engine (&engine, &bench->scene, bench->n_runs,
      bench->expected, bench->codes);
  print_row ("cuda", &result, bench->sequential);
  engine_clear (&engine);
  cs_executor_free (executor);
  cs_cuda_heap_free (heap);
  cs_cuda_stream_free (bench->stream, NULL);
#endif
  *mean = result.mean;
  return result.n_wrong;
}

static gsize
run_bad (Bench * bench)
{
  CsExecutor *executor = cs_executor_new_cpu (0);
  Result result = { 0., INFINITY, 0 };
  guint i;

  for (i = 0; i < bench->n_runs; i++) {
    const double seconds = paint_badly (&bench->scene, executor, bench->codes);

    result.mean += seconds / bench->n_runs;
    result.fastest = MIN (result.fastest, seconds);
  }
  result.n_wrong = count_wrong (bench->codes, bench->expected,
      (gsize) bench->scene.size * bench->scene.size);
  print_row ("bad (no order)", &result, bench->sequential);
  cs_executor_free (executor);
  return result.n_wrong;
}

static gboolean
run_mode (Bench * bench, const char *mode)
{
  double cpu = 0., cuda = 0.;
  gsize n_wrong = 0;

  if (g_str_equal (mode, "bad")) {
    n_wrong = run_bad (bench);
    printf ("\n%s\n", n_wrong ? "The comparison finds it out, as it must." :
        "The comparison has found nothing: it is worth nothing.");
    return n_wrong > 0;
  }
  if (!g_str_equal (mode, "cuda"))
    n_wrong += run_cpu (bench, &cpu);
  if (!g_str_equal (mode, "cpu"))
    n_wrong += run_cuda (bench, &cuda);
  if (cpu > 0. && cuda > 0.)
    printf ("\ncuda is %.1f times as fast as cpu.\n", cpu / cuda);
  return n_wrong == 0;
}

static gboolean
is_mode (const char *mode)
{
  return g_str_equal (mode, "cpu") || g_str_equal (mode, "cuda")
      || g_str_equal (mode, "both") || g_str_equal (mode, "bad");
}

static gboolean
write_picture (const Bench * bench, const char *path)
{
  GError *error = NULL;

  if (!path || g_file_set_contents (path, (const gchar *) bench->codes,
          (gssize) picture_bytes (&bench->scene), &error))
    return TRUE;
  fprintf (stderr, "%s\n", error->message);
  g_clear_error (&error);
  return FALSE;
}

int
main (int argc, char **argv)
{
  gint size = DEFAULT_SIZE, n = DEFAULT_CIRCLES, n_runs = DEFAULT_RUNS;
  gchar *output = NULL;
  const GOptionEntry entries[] = {
    {"size", 's', 0, G_OPTION_ARG_INT, &size, "side of the picture", "SIZE"},
    {"circles", 'n', 0, G_OPTION_ARG_INT, &n, "how many", "CIRCLES"},
    {"runs", 'r', 0, G_OPTION_ARG_INT, &n_runs, "how often", "RUNS"},
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
        "where to write the picture, as raw RGBA", "FILE"},
    {NULL}
  };
  GOptionContext *context = g_option_context_new ("[cpu|cuda|both|bad]");
  GError *error = NULL;
  const char *mode;
  Bench bench = { 0 };
  gboolean ok;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    fail ("circles-bench", error);
  g_option_context_free (context);
  mode = argc > 1 ? argv[1] : "both";
  if (!is_mode (mode) || argc > 2 || size < 1 || size > 16384 || n < 0
      || n > 20000000 || n_runs < 1) {
    fprintf (stderr, "usage: circles-bench [cpu|cuda|both|bad] [-s SIZE up to "
        "16384] [-n CIRCLES up to 20000000] [-r RUNS] [-o FILE]\n");
    return 2;
  }
  if ((g_str_equal (mode, "cuda") || g_str_equal (mode, "both"))
      && !(bench.stream = open_gpu (&error))) {
    fprintf (stderr, "There is no GPU here (%s)%s\n", error->message,
        g_str_equal (mode, "both") ? ": the CPU alone is measured." : ".");
    g_clear_error (&error);
    if (g_str_equal (mode, "cuda"))
      return EXIT_SKIPPED;
    mode = "cpu";
  }

  scene_init (&bench.scene, (guint) size, (gsize) n);
  bench.n_runs = (guint) n_runs;
  bench.expected = g_malloc (picture_bytes (&bench.scene));
  bench.codes = g_malloc (picture_bytes (&bench.scene));
  bench.sequential = paint_sequentially (&bench.scene, bench.expected);
  printf ("%d circles on %d x %d pixels, %d runs\n\n"
      "| painter                  |   mean, ms | fastest, ms | times sequential"
      " | wrong pixels |\n|---|---|---|---|---|\n", n, size, size, n_runs);
  print_row ("sequential", &(Result) {bench.sequential, bench.sequential, 0},
      bench.sequential);
  ok = run_mode (&bench, mode);
  ok = write_picture (&bench, output) && ok;
  scene_clear (&bench.scene);
  g_free (bench.expected);
  g_free (bench.codes);
  g_free (output);
  return ok ? 0 : 1;
}
