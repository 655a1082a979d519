/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/check_device.h"
#include "../lib/device.h"
#include "../lib/timing.h"
#include "check_strokes.h"
#include "strokes_data.h"

#define MAX_REPEATS 60
#define RADIUS 12
#define MERGE_DISTANCE 2
/* Dabs of the brush along its stroke. */
#define N_DABS 200

typedef struct
{
  const char *name;
  CsStrokesParams params;
  gboolean brush;
} Column;

#define NOTHING .merge_distance = -1, .duplicate_distance = -1
#define MERGE .merge_distance = MERGE_DISTANCE, .merge = CS_STROKES_MERGE_LIFT

/* Each stage alone, then together. */
static const Column columns[] = {
  {"nothing", {NOTHING}, FALSE},
  {"brush", {NOTHING}, TRUE},
  {"merge", {MERGE, .min_points = 2, .duplicate_distance = -1}, FALSE},
  {"join", {.merge_distance = MERGE_DISTANCE, .duplicate_distance = -1},
      FALSE},
  {"small", {NOTHING, .min_points = 10}, FALSE},
  {"dupl.", {.merge_distance = -1}, FALSE},
  {"dupl. 1", {.merge_distance = -1, .duplicate_distance = 1}, FALSE},
  {"the four", {MERGE, .min_points = 10}, TRUE},
  {"sort", {NOTHING, .biggest_first = TRUE}, FALSE},
  {"ends", {NOTHING, .order = CS_STROKES_ORDER_ENDPOINTS}, FALSE},
  {"two-opt", {NOTHING, .order = CS_STROKES_ORDER_ENDPOINTS, .two_opt = TRUE},
      FALSE},
  {"simplify", {NOTHING, .simplify = .25}, FALSE},
  {"least", {NOTHING, .order = CS_STROKES_ORDER_MIN_DISTANCE}, FALSE},
  {"all,ends", {MERGE, .min_points = 10,
            .order = CS_STROKES_ORDER_ENDPOINTS}, TRUE},
  {"all,least", {MERGE, .min_points = 10,
            .order = CS_STROKES_ORDER_MIN_DISTANCE}, TRUE},
};

/* Median milliseconds of a run. */
static double
time_run (CsStrokes * plan, const CsStrokesInput * input,
    CsStrokesOutput * output)
{
  gint64 times[MAX_REPEATS], total = 0;
  GError *error = NULL;
  guint i;

  for (i = 0; i < 2; i++)
    if (!cs_strokes_run (plan, input, output, &error)) {
      printf ("%s\n", error->message);
      exit (1);
    }
  for (i = 0; i < MAX_REPEATS && (i < 3 || total < 150000); i++) {
    const gint64 start = g_get_monotonic_time ();

    cs_strokes_run (plan, input, output, NULL);
    times[i] = g_get_monotonic_time () - start;
    total += times[i];
  }
  return median_time (times, i) / 1000.;
}

/* One brush stroke across the picture. */
static CsBrushMask *
make_mask (double side)
{
  CsBrushMask *mask = cs_brush_mask_new (MIN (side, 65536), MIN (side, 65536),
      NULL);

  for (guint i = 1; i < N_DABS; i++)
    cs_brush_mask_stroke (mask, side * (i - 1) / N_DABS,
        side * (.3 + .4 * (i - 1) / N_DABS), side * i / N_DABS,
        side * (.3 + .4 * i / N_DABS), RADIUS);
  return mask;
}

static void
bench_executor (CsExecutor * executor, const char *name, const gsize * sizes,
    guint n_sizes)
{
  const gboolean cuda = cs_executor_get_backend (executor) == CS_BACKEND_CUDA;

  printf ("\n%s\n%9s %9s", name, "points", "contours");
  for (guint k = 0; k < G_N_ELEMENTS (columns); k++)
    printf (" %9s", columns[k].name);
  printf ("\n");
  for (guint i = 0; i < n_sizes; i++) {
    double side;
    g_autoptr (Drawing) d = data_picture (sizes[i], &side);
    g_autoptr (CsBrushMask) mask = make_mask (side);
    CsStrokesInput input = drawing_input (d, NULL);
    void *device = NULL;

    if (cuda) {
      const gsize size = d->n_points * sizeof (CsStrokePoint);
      const gsize size_offsets = (d->n_contours + 1) * sizeof (guint32);

      device = check_device_alloc (size + size_offsets);
      check_device_copy (device, d->points, size);
      check_device_copy ((guint8 *) device + size, d->offsets, size_offsets);
      input.points = device;
      input.offsets = (guint32 *) ((guint8 *) device + size);
      input.memory = CS_MEMORY_DEVICE;
    }
    printf ("%9zu %9zu", d->n_points, d->n_contours);
    for (guint k = 0; k < G_N_ELEMENTS (columns); k++) {
      g_autoptr (CsStrokes) plan = cs_strokes_new (&columns[k].params, executor,
          NULL);
      CsStrokesOutput output;

      input.mask = columns[k].brush ? mask : NULL;
      printf (" %9.3f", time_run (plan, &input, &output));
    }
    printf ("\n");
    if (device)
      check_device_free (device);
  }
}

static void
bench_travel (gsize max_points)
{
  static const gsize sizes[] = { 1000, 20000, 83600, 1000000 };
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (1);

  printf ("\ntravel with the pen up, pixels\n"
      "%9s %9s %12s %12s %12s %12s %12s\n",
      "points", "contours", "input", "biggest", "least dist.", "ends",
      "two-opt");
  for (guint i = 0; i < G_N_ELEMENTS (sizes) && sizes[i] <= max_points; i++) {
    double side;
    g_autoptr (Drawing) d = data_picture (sizes[i], &side);
    const CsStrokesInput input = drawing_input (d, NULL);

    printf ("%9zu %9zu", d->n_points, d->n_contours);
    for (guint k = 0; k < 5; k++) {
      const CsStrokesParams params = { NOTHING, .biggest_first = k > 0,
        .order = k < 2 ? CS_STROKES_ORDER_NONE : MIN (k, 3) - 1,
        .two_opt = k == 4,
      };
      g_autoptr (CsStrokes) plan = cs_strokes_new (&params, executor, NULL);
      CsStrokesOutput output;

      if (!cs_strokes_run (plan, &input, &output, NULL))
        exit (1);
      printf (" %12.0f", output.travel);
    }
    printf ("\n");
  }
}

int
print_lines (gsize n)
{
  double side;
  g_autoptr (Drawing) d = data_picture (n, &side);

  for (gsize i = 0; i < d->n_contours; i++) {
    for (guint32 k = d->offsets[i]; k < d->offsets[i + 1]; k++)
      printf ("%.9g %.9g ", d->points[k].x, d->points[k].y);
    printf ("\n");
  }
  return 0;
}

int
bench_strokes (const char *backend, gsize max_points)
{
  static const gsize sizes[] = { 1000, 2000, 5000, 10000, 20000, 83600,
    300000, 1000000, 4000000
  };
  guint n_sizes = 0;

  while (n_sizes < G_N_ELEMENTS (sizes) && sizes[n_sizes] <= max_points)
    n_sizes++;
  printf ("milliseconds, medians\n");
  if (strcmp (backend, "cuda") != 0) {
    CsExecutor *one = cs_executor_new_cpu (1);

    bench_executor (one, "CPU, which takes one thread", sizes, n_sizes);
    cs_executor_free (one);
    bench_travel (max_points);
  }
  if (strcmp (backend, "cpu") != 0) {
    Device device;

    if (!device_open (&device))
      return EXIT_SKIPPED;
    CsExecutor *executor = device_executor_new (&device);
    bench_executor (executor, device.name, sizes, n_sizes);
    cs_executor_free (executor);
    device_close (&device);
  }
  return 0;
}
