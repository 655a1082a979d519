/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "properties_bench.h"

#include <stdio.h>

#include "../lib/check_device.h"
#include "../lib/random.h"
#include "../lib/timing.h"
#include "properties_cases.h"

#define REPEATS 21
#define MOMENTS (CS_PROPERTY_BIT (CS_PROPERTY_MOMENTS) | \
    CS_PROPERTY_BIT (CS_PROPERTY_MOMENTS_CENTRAL) | \
    CS_PROPERTY_BIT (CS_PROPERTY_MOMENTS_NORMALIZED) | \
    CS_PROPERTY_BIT (CS_PROPERTY_MOMENTS_HU))
#define HULLS (CS_PROPERTY_BIT (CS_PROPERTY_AREA_CONVEX) | \
    CS_PROPERTY_BIT (CS_PROPERTY_FERET_DIAMETER_MAX) | \
    CS_PROPERTY_BIT (CS_PROPERTY_SOLIDITY))
#define NEIGHBOURS (CS_PROPERTY_BIT (CS_PROPERTY_EULER_NUMBER) | \
    CS_PROPERTY_BIT (CS_PROPERTY_PERIMETER) | \
    CS_PROPERTY_BIT (CS_PROPERTY_PERIMETER_CROFTON))

static const struct
{
  const gchar *name;
  guint32 wanted;
} sets[] = {
  {"sums", CASE_ALL & ~(MOMENTS | HULLS | NEIGHBOURS)},
  {"perimeters", CASE_ALL & ~(MOMENTS | HULLS)},
  {"hulls", CASE_ALL & ~MOMENTS},
  {"moments", CASE_ALL},
};

/* Cells of seeds, of which each square of @step pixels has one; most pixels that
 * are as far from two of them are background. */
static void
fill (Case * test, guint step)
{
  const guint columns = (test->width + step - 1) / step;

  for (guint y = 0; y < test->height; y++)
    for (guint x = 0; x < test->width; x++) {
      double best = G_MAXDOUBLE, second = G_MAXDOUBLE;
      gint64 label = 0;

      for (gint k = 0; k < 9; k++) {
        const gint i = (gint) (x / step) + k % 3 - 1;
        const gint j = (gint) (y / step) + k / 3 - 1;
        guint64 state = (guint64) (j + 1) * 1000003 + (guint64) (i + 1);
        const double dx = (i + random_unit (&state)) * step - x;
        const double dy = (j + random_unit (&state)) * step - y;
        const double distance = dx * dx + dy * dy;

        if (i < 0 || j < 0 || i >= (gint) columns)
          continue;
        if (distance < best) {
          second = best;
          best = distance;
          label = 1 + (gint64) j * columns + i;
        } else {
          second = MIN (second, distance);
        }
      }
      test->labels[(gsize) y * test->width + x] = second - best > step / 2. ?
          label : 0;
    }
}

typedef struct
{
  void *host, *device;
  gsize host_size, device_size;
} Memory;

/* The same memory again. */
static void *
alloc (void *user_data, gsize size, gboolean host)
{
  Memory *memory = user_data;

  if (host && memory->host_size < size) {
    g_free (memory->host);
    memory->host = g_malloc (size);
    memory->host_size = size;
  }
  if (!host && memory->device_size < size) {
    if (memory->device)
      check_device_free (memory->device);
    memory->device = check_device_alloc (size);
    memory->device_size = size;
  }
  return host ? memory->host : memory->device;
}

/* Microseconds of a call: the median. */
static double
time_on (CsExecutor * executor, const Case * test, guint32 wanted,
    CsMemory where, gboolean want_host, gsize * n_regions)
{
  CsPropertiesParams params = test->params;
  CsLabelsPicture picture = test->picture;
  gint64 times[REPEATS];
  GError *error = NULL;
  Memory memory = { NULL };
  CsPropertiesOutput output = {.alloc = alloc,.user_data = &memory,
    .want_host = want_host
  };

  params.wanted = wanted;
  CsProperties *plan = cs_properties_new (&params, executor, &error);
  if (!plan)
    g_error ("%s", error->message);
  picture.data = device_place (where, test->memory, test->size);
  picture.memory = where;
  for (guint i = 0; i < REPEATS + 3; i++) {
    const gint64 begin = g_get_monotonic_time ();

    if (!cs_properties_run (plan, &picture, &output, &error))
      g_error ("%s", error->message);
    if (i >= 3)
      times[i - 3] = g_get_monotonic_time () - begin;
  }
  *n_regions = output.n_regions;
  device_displace (where, picture.data);
  cs_properties_free (plan);
  g_free (memory.host);
  if (memory.device)
    check_device_free (memory.device);
  return (double) median_time (times, REPEATS);
}

static void
print_row (const Device * device, const Case * test, guint set)
{
  const guint32 wanted = sets[set].wanted;
  gsize n_regions;

  printf ("%8.1f %12s", test->width * 1e-6 * test->height, sets[set].name);
  for (guint i = 0; i < 2; i++) {
    CsExecutor *executor = cs_executor_new_cpu (i == 0 ? 1 : 0);

    printf (" %10.0f", time_on (executor, test, wanted, CS_MEMORY_HOST, TRUE,
            &n_regions));
    cs_executor_free (executor);
  }
  if (device->stream) {
    CsExecutor *executor = device_executor_new (device);

    printf (" %10.0f", time_on (executor, test, wanted, CS_MEMORY_DEVICE,
            FALSE, &n_regions));
    printf (" %10.0f", time_on (executor, test, wanted, CS_MEMORY_HOST, TRUE,
            &n_regions));
    cs_executor_free (executor);
  }
  printf (" %10" G_GSIZE_FORMAT "\n", n_regions);
}

int
properties_bench (const Device * device)
{
  /* sides of pictures and of squares: 10,000 and 100,000 regions, few large */
  static const guint sides[][2] = { {2121, 21}, {4096, 13}, {4096, 1000} };

  printf ("Properties of regions, labels of 32 bits; microseconds\n%8s %12s "
      "%10s %10s", "Mpx", "properties", "1 thread", "all");
  if (device->stream)
    printf (" %10s %10s", "GPU", "from host");
  printf (" %10s\n%s%s", "regions", device->name, device->stream ? "\n" : "");
  for (guint i = 0; i < G_N_ELEMENTS (sides); i++) {
    Case test;

    case_init (&test, sides[i][0], sides[i][0], 4, TRUE);
    fill (&test, sides[i][1]);
    case_pack (&test);
    for (guint set = 0; set < G_N_ELEMENTS (sets); set++)
      print_row (device, &test, set);
    case_clear (&test);
  }
  return 0;
}
