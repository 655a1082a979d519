/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/check_device.h"
#include "bench_outlines.h"
#include "check_raster.h"
#include "circles/circles.h"
#include "raster_baseline.h"
#include "raster_oracle.h"

typedef struct
{
  CsScene scene;
  guint width, height;
  const char *gradient;         /* of all circles */
  guint group;                  /* circles of a group, in their own order */
} Row;

static const Row rows[] = {
  {CS_SCENE_RAND10K, 512, 512},
  {CS_SCENE_RAND10K, 1024, 1024},
  {CS_SCENE_RAND10K, 2048, 2048},
  {CS_SCENE_RAND100K, 512, 512},
  {CS_SCENE_RAND100K, 1024, 1024},
  {CS_SCENE_RAND100K, 2048, 2048},
  {CS_SCENE_RAND100K, 3840, 2160},
  {CS_SCENE_RAND1M, 1024, 1024},
  {CS_SCENE_MICRO2M, 1024, 1024},
  {CS_SCENE_BIGLITTLE, 1024, 1024},
  {CS_SCENE_LITTLEBIG, 1024, 1024},
  {CS_SCENE_PATTERN, 1024, 1024},
  {CS_SCENE_SNOW, 1024, 1024},
  {CS_SCENE_SNOW, 1024, 1024, "snow"},
  {CS_SCENE_RAND10K, 1024, 1024, "radial:#ffffff:#ffffff00"},
  {CS_SCENE_RAND100K, 1024, 1024, "linear:45:#ffffff:#404040"},
  {CS_SCENE_RAND10K, 1024, 1024, NULL, 8},
};

typedef struct
{
  Row row;
  CsArray *marks, *depths;
  Disc *discs;
  gsize n;
  CsMarks view;
  CsGradientSet *set;
  CsGradients gradients;
} Scene;

static float
snapped (float v)
{
  return rintf (v * 256) / 256;
}

static void
scene_init (Scene * scene, const Row * row)
{
  const gsize n = cs_scene_get_n_circles (row->scene);
  CsCirclesStyle style = {.fill = TRUE,.normalized = TRUE };
  g_autofree CsCircle *circles = g_new (CsCircle, n);

  scene->row = *row;
  scene->marks = cs_array_new (sizeof (CsMark));
  scene->depths = cs_array_new (sizeof (float));
  scene->set = cs_gradient_set_new ();
  if (row->gradient) {
    cs_gradient_set_add (scene->set, row->gradient, strlen (row->gradient),
        cs_color_parse, &style.gradient, NULL);
    style.gradients = scene->set;
  }
  cs_scene_make (row->scene, 1, 0, circles);
  cs_circles_to_marks (circles, n, &style, row->width, row->height,
      scene->marks, scene->depths);
  scene->n = scene->marks->len;
  scene->view = (CsMarks) {
    (CsMark *) scene->marks->data, (float *) scene->depths->data, scene->n,
    CS_MEMORY_HOST, 0
  };
  scene->gradients = cs_gradient_set_get (scene->set);
  if (row->gradient)
    scene->view.gradients = &scene->gradients;
  for (gsize i = 0; i < scene->n && row->group > 0; i++)
    cs_array_index (scene->marks, CsMark, i).group = 1 + i / row->group;
  if (row->group > 0)
    scene->view.depths = NULL;
  g_autofree guint32 *order = g_new (guint32, scene->n + 1);
  scene->discs = g_new (Disc, scene->n + 1);
  oracle_order (&scene->view, order);
  for (gsize i = 0; i < scene->n; i++) {
    const CsMark *m = &scene->view.marks[order[i]];

    scene->discs[i] = (Disc) { snapped (m->x0), snapped (m->y0),
      snapped (m->radius), m->rgba
    };
  }
}

static void
scene_clear (Scene * scene)
{
  cs_array_free (scene->marks);
  cs_array_free (scene->depths);
  cs_gradient_set_free (scene->set);
  g_free (scene->discs);
}

static CsPicture
word_picture (const Row * row, guint32 * pixels, CsMemory memory)
{
  CsPicture p = {
    .model = CS_PICTURE_RGB,.type = CS_SAMPLE_U8,.memory = memory,
    .width = row->width,.height = row->height,.depth = 8
  };

  for (guint i = 0; i < 3; i++) {
    p.data[i] = (guint8 *) pixels + i;
    p.pixel_stride[i] = 4;
    p.row_stride[i] = 4 * row->width;
  }
  return p;
}

static guint64
count_wrong (const guint32 * a, const guint32 * b, gsize n)
{
  guint64 wrong = 0;

  for (gsize i = 0; i < n; i++)
    wrong += ((a[i] ^ b[i]) & 0xffffff) != 0;
  return wrong;
}

/* --- Ours ----------------------------------------------------------------- */

/* Milliseconds of one frame: of processor time if @of_cpu. The frame is black,
 * and read: painting on it is painting on black. */
static double
time_frame (Job * job, const Scene * scene, guint32 * pixels, gboolean of_cpu)
{
  gint64 start = 0;

  memset (pixels, 0, 4 * (gsize) scene->row.width * scene->row.height);
  double cpu = baseline_cpu_time ();
  start = g_get_monotonic_time ();
  runner_run_job (job);
  return of_cpu ? baseline_cpu_time () - cpu :
      (g_get_monotonic_time () - start) / 1e3;
}

typedef struct
{
  double one, all, sequential;
  guint64 one_wrong, all_wrong;
} CpuTimes;

#define MIN_FRAMES 5
#define ENOUGH_MS 800

/* @once: a frame of all threads only, for comparing what the GPU paints.
 *
 * The least of some frames, in turn with the sequential loop where @compare:
 * that is what the others are compared with. All but that of all threads are
 * processor time: other processes disturb it less. */
static CpuTimes
time_cpu (Runner * one, Runner * all, const Scene * scene, gboolean compare,
    gboolean once, guint32 * expected, guint32 * pixels)
{
  const gsize n = (gsize) scene->row.width * scene->row.height;
  Job job = {.marks = scene->view };
  CpuTimes best = { G_MAXDOUBLE, G_MAXDOUBLE, G_MAXDOUBLE, 0, 0 };
  double total = 0, loop = 0;

  cs_raster_settings_init (&job.settings);
  job.settings.antialias = FALSE;
  job.picture = word_picture (&scene->row, pixels, CS_MEMORY_HOST);
  for (guint i = 0; once ? i < 1 : i < MIN_FRAMES || total < ENOUGH_MS; i++) {
    job.runner = all;
    best.all = MIN (best.all, time_frame (&job, scene, pixels, FALSE));
    if (i == 0 && !compare)
      memcpy (expected, pixels, 4 * n);
    if (compare && (i == 0 || loop < 1000)) {
      loop = baseline_sequential (scene->discs, scene->n, scene->row.width,
          scene->row.height, expected);
      best.sequential = MIN (best.sequential, loop);
    }
    best.all_wrong += count_wrong (expected, pixels, n);
    if (once)
      break;
    job.runner = one;
    double ms = time_frame (&job, scene, pixels, TRUE);
    best.one = MIN (best.one, ms);
    best.one_wrong += count_wrong (expected, pixels, n);
    total += MAX (ms, 1);
  }
  if (!compare)
    best.sequential = -1;
  if (once)
    best.one = -1;
  return best;
}

typedef struct
{
  double each, still, smooth;
  guint64 wrong;
} CudaTimes;

#define N_FRAMES 20

static void
move_marks (const Scene * scene, CsMarks * marks)
{
  marks->memory = CS_MEMORY_DEVICE;
  marks->marks = check_device_alloc (scene->n * sizeof (CsMark));
  check_device_copy ((void *) marks->marks, scene->view.marks,
      scene->n * sizeof (CsMark));
  if (!scene->view.depths)
    return;
  marks->depths = check_device_alloc (scene->n * sizeof (float));
  check_device_copy ((void *) marks->depths, scene->view.depths,
      scene->n * sizeof (float));
}

/* Every run paints on what the one before has left: only the first can be
 * compared. */
static CudaTimes
time_cuda (Runner * runner, const Scene * scene, const guint32 * expected,
    guint32 * pixels)
{
  static guint64 version;
  const gsize n = (gsize) scene->row.width * scene->row.height;
  guint32 *device = check_device_alloc (4 * n);
  Job job = {.runner = runner,.marks = scene->view };
  CudaTimes times = { 0 };

  cs_raster_settings_init (&job.settings);
  job.settings.antialias = FALSE;
  job.picture = word_picture (&scene->row, device, CS_MEMORY_DEVICE);
  /* gradients are taken from host memory, and so are marks then */
  gboolean on_device = !scene->row.gradient;
  if (on_device)
    move_marks (scene, &job.marks);
  /* both ways: without bins, and with what the first has counted */
  for (guint i = 0; i < 3; i++) {
    check_device_fill (device, 0, 4 * n);
    runner_run_job (&job);
    check_device_copy (pixels, device, 4 * n);
    times.wrong += count_wrong (expected, pixels, n);
  }
  times.each = check_device_time (runner->device.stream, N_FRAMES,
      runner_run_job, &job);
  job.marks.version = ++version;
  for (guint i = 0; i < 2; i++) {
    check_device_fill (device, 0, 4 * n);
    runner_run_job (&job);
    check_device_copy (pixels, device, 4 * n);
    times.wrong += count_wrong (expected, pixels, n);
  }
  times.still = check_device_time (runner->device.stream, N_FRAMES,
      runner_run_job, &job);
  job.marks.version = 0;
  job.settings.antialias = TRUE;
  runner_run_job (&job);
  times.smooth = check_device_time (runner->device.stream, N_FRAMES,
      runner_run_job, &job);
  if (on_device) {
    check_device_free ((void *) job.marks.marks);
    check_device_free ((void *) job.marks.depths);
  }
  check_device_free (device);
  return times;
}

/* --- The table ------------------------------------------------------------ */

typedef struct
{
  Runner cpu_one, cpu_all, cuda;
  gboolean has_cpu, has_cuda, brief;
} Runners;

static void
print_time (double ms)
{
  if (ms < 0)
    printf (" - |");
  else if (ms < 10)
    printf (" %.3f |", ms);
  else
    printf (" %.1f |", ms);
}

static void
print_wrong (double ms, guint64 wrong)
{
  print_time (ms);
  if (ms < 0)
    printf (" - |");
  else
    printf (" %" G_GUINT64_FORMAT " |", wrong);
}

/* The sequential loop only where it takes less than minutes. */
static gboolean
is_quick (const Scene * scene)
{
  double area = 0;

  /* it knows neither */
  if (scene->row.gradient || scene->row.group > 0)
    return FALSE;
  for (gsize i = 0; i < scene->n; i++)
    area += (double) scene->discs[i].r * scene->discs[i].r * 4;
  return area < 2e10;
}

static void
bench_row (Runners * r, const Row * row)
{
  const gsize n = (gsize) row->width * row->height;
  g_autofree guint32 *expected = g_new (guint32, n);
  g_autofree guint32 *pixels = g_new (guint32, n);
  double cairo = -1;
  CudaTimes cuda = { -1, -1, -1, 0 };
  Scene scene;

  scene_init (&scene, row);
  gboolean compare = r->has_cpu && is_quick (&scene);
  CpuTimes cpu = time_cpu (&r->cpu_one, &r->cpu_all, &scene, compare, r->brief,
      expected, pixels);
  if (compare)
    cairo = baseline_cairo (scene.discs, scene.n, row->width, row->height);
  if (r->has_cuda)
    cuda = time_cuda (&r->cuda, &scene, expected, pixels);
  printf ("| %s%s%s%s | %ux%u |", cs_scene_get_name (row->scene),
      row->gradient ? ", " : "", row->gradient ? row->gradient : "",
      row->group > 0 ? ", groups" : "", row->width, row->height);
  print_wrong (cpu.one, cpu.one_wrong);
  print_wrong (cpu.all, cpu.all_wrong);
  print_wrong (cuda.each, cuda.wrong);
  print_time (cuda.still);
  print_time (cuda.smooth);
  print_time (cpu.sequential);
  print_time (cairo);
  if (cuda.each > 0 && cpu.one > 0)
    printf (" %.1f |", cpu.one / cuda.each);
  else
    printf (" - |");
  if (cpu.sequential > 0)
    printf (" %.2f |\n", cpu.sequential / cpu.one);
  else
    printf (" - |\n");
  scene_clear (&scene);
}

int
bench_raster (const char *backend, const char *name, gboolean brief)
{
  Runners r = { 0 };
  GError *error = NULL;

  r.has_cpu = strcmp (backend, "cuda") != 0;
  r.brief = brief;
  runner_init_cpu (&r.cpu_one, 1);
  runner_init_cpu (&r.cpu_all, g_get_num_processors ());
  if (strcmp (backend, "cpu") != 0)
    r.has_cuda = runner_init_cuda (&r.cuda, &error);
  g_clear_error (&error);
  printf ("| scene | size | cpu, 1 thread | wrong | cpu, %u threads | wrong | "
      "cuda | wrong | cuda, still | cuda, antialiased | sequential | cairo | "
      "x cpu, 1 thread | sequential / cpu |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
      g_get_num_processors ());
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *id = g_strdup_printf ("%s-%ux%u%s%s", cs_scene_get_name (
            rows[i].scene), rows[i].width, rows[i].height,
        rows[i].gradient ? "-gradient" : "", rows[i].group > 0 ? "-groups" :
        "");

    if (!name || strstr (id, name))
      bench_row (&r, &rows[i]);
  }
  bench_outlines (&r.cpu_all, r.has_cuda ? &r.cuda : NULL, name);
  runner_clear (&r.cpu_one);
  runner_clear (&r.cpu_all);
  if (r.has_cuda)
    runner_clear (&r.cuda);
  return 0;
}
