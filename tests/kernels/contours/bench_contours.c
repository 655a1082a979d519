/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* check-contours --bench: times of both backends on the same images. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef HAVE_CUDA
#include "base/cuda_copy.h"
#endif
#include "check_contours.h"
#include "contours/contours_private.h"
#include "../lib/timing.h"

#define WARM_UP_RUNS 5
#define MAX_RUNS 400
#define MIN_RUNS 15
#define SECONDS_PER_CELL .6
#define CADENCE_RUNS 30
#define CADENCE_US 33000
#define REPLAYS 50
#define MAX_IMAGES 8

typedef enum
{
  IMAGE_PICTURE,                /* structure at every scale, some noise */
  IMAGE_BLOBS,                  /* a probability map: smooth blobs, 0 .. 1 */
  IMAGE_NOISE,                  /* uniform noise, all of the range */
  IMAGE_EMPTY                   /* below the level everywhere */
} ImageKind;

/* Besides the level of each channel */
typedef enum
{
  EXTRA_GROUPS = 1 << 0,        /* two groups, of 3 and of 11 channels */
  EXTRA_EXCLUSIVE = 1 << 1,
  EXTRA_OTSU = 1 << 2,
  EXTRA_MIDRANGE = 1 << 3,
  EXTRA_ADAPTIVE = 1 << 4,      /* with a window of 51 */
  EXTRA_LINE = 1 << 5,          /* what the fruit line adds */
} Extra;

typedef struct
{
  const char *name;
  guint width, height, channels;
  gboolean interleaved;
  CsSampleType type;
  ImageKind kind;
  double noise, level;
  guint extra;                  /* Extra */
  guint n_images;               /* of a batch, or 0: one image */
  gboolean at_once;             /* as a batch, not one after the other */
} Row;

static const Row rows[] = {
  {"95x511 float", 511, 95, 1, FALSE, CS_SAMPLE_F32, IMAGE_BLOBS, .02, .5},
  {"95x511x12 float HWC", 511, 95, 12, TRUE, CS_SAMPLE_F32, IMAGE_BLOBS, .02,
      .5},
  {"95x511x12 float HWC empty", 511, 95, 12, TRUE, CS_SAMPLE_F32, IMAGE_EMPTY,
      0., .5},
  {"95x511x12 float HWC, 2 groups", 511, 95, 12, TRUE, CS_SAMPLE_F32,
      IMAGE_BLOBS, .02, .5, EXTRA_GROUPS},
  {"95x511x12 empty, 2 groups", 511, 95, 12, TRUE, CS_SAMPLE_F32,
      IMAGE_EMPTY, 0., .5, EXTRA_GROUPS},
  {"95x511x12 float HWC excl.", 511, 95, 12, TRUE, CS_SAMPLE_F32,
      IMAGE_BLOBS, .02, .5, EXTRA_EXCLUSIVE},
  {"95x511x12 float HWC otsu", 511, 95, 12, TRUE, CS_SAMPLE_F32,
      IMAGE_BLOBS, .02, .5, EXTRA_OTSU},
  {"95x511x12 float HWC midrange", 511, 95, 12, TRUE, CS_SAMPLE_F32,
      IMAGE_BLOBS, .02, .5, EXTRA_MIDRANGE},
  {"1080p gray8 otsu", 1920, 1080, 1, FALSE, CS_SAMPLE_U8, IMAGE_PICTURE, 3.,
      127.5, EXTRA_OTSU},
  {"1080p gray8 adaptive 51", 1920, 1080, 1, FALSE, CS_SAMPLE_U8,
      IMAGE_PICTURE, 3., 127.5, EXTRA_ADAPTIVE},
  {"1080p gray8 127.5", 1920, 1080, 1, FALSE, CS_SAMPLE_U8, IMAGE_PICTURE, 3.,
      127.5},
  {"1080p gray8 128 (ties)", 1920, 1080, 1, FALSE, CS_SAMPLE_U8, IMAGE_PICTURE,
      3., 128.},
  {"1080p gray8 noisy 127.5", 1920, 1080, 1, FALSE, CS_SAMPLE_U8,
      IMAGE_PICTURE, 16., 127.5},
  {"1080p gray8 empty", 1920, 1080, 1, FALSE, CS_SAMPLE_U8, IMAGE_EMPTY, 0.,
      127.5},
  {"4K gray8 127.5", 3840, 2160, 1, FALSE, CS_SAMPLE_U8, IMAGE_PICTURE, 3.,
      127.5},
  {"4K gray8 128 (ties)", 3840, 2160, 1, FALSE, CS_SAMPLE_U8, IMAGE_PICTURE,
      3., 128.},
  {"4K gray8 noisy 127.5", 3840, 2160, 1, FALSE, CS_SAMPLE_U8, IMAGE_PICTURE,
      14., 127.5},
  {"8 x 1080p float CHW", 1920, 1080, 8, FALSE, CS_SAMPLE_F32, IMAGE_BLOBS,
      .02, .5},
  {"4K uniform noise gray8", 3840, 2160, 1, FALSE, CS_SAMPLE_U8, IMAGE_NOISE,
      0., 127.5},
  {"grow 0.1 Mpixel", 400, 250, 1, FALSE, CS_SAMPLE_U8, IMAGE_PICTURE, 3.,
      127.5},
  {"grow 1 Mpixel", 1250, 800, 1, FALSE, CS_SAMPLE_U8, IMAGE_PICTURE, 3.,
      127.5},
  {"grow 10 Mpixel", 4000, 2500, 1, FALSE, CS_SAMPLE_U8, IMAGE_PICTURE, 3.,
      127.5},
  {"grow 100 Mpixel", 12500, 8000, 1, FALSE, CS_SAMPLE_U8, IMAGE_PICTURE, 3.,
      127.5},
  {"4 x 95x511x12 one by one", 511, 95, 12, TRUE, CS_SAMPLE_F32, IMAGE_BLOBS,
      .02, .5, 0, 4, FALSE},
  {"4 x 95x511x12 at once", 511, 95, 12, TRUE, CS_SAMPLE_F32, IMAGE_BLOBS,
      .02, .5, 0, 4, TRUE},
  {"4 x fruit line one by one", 511, 95, 12, TRUE, CS_SAMPLE_F32,
      IMAGE_BLOBS, .02, .5, EXTRA_GROUPS | EXTRA_LINE, 4, FALSE},
  {"4 x fruit line at once", 511, 95, 12, TRUE, CS_SAMPLE_F32, IMAGE_BLOBS,
      .02, .5, EXTRA_GROUPS | EXTRA_LINE, 4, TRUE},
};

void
bench_list (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    printf ("  %s\n", rows[i].name);
}

/* Images */

static void
make_plane (const Row * row, Random * random, double *plane)
{
  const gsize n = (gsize) row->width * row->height;

  switch (row->kind) {
    case IMAGE_PICTURE:
      fill_picture (random, row->width, row->height, row->noise, plane);
      break;
    case IMAGE_BLOBS:
      fill_picture (random, row->width, row->height, 0., plane);
      for (gsize i = 0; i < n; i++)
        plane[i] = plane[i] / 255. + row->noise * (random_unit (random) - .5);
      break;
    case IMAGE_NOISE:
      for (gsize i = 0; i < n; i++)
        plane[i] = random_below (random, 256);
      break;
    case IMAGE_EMPTY:
      for (gsize i = 0; i < n; i++)
        plane[i] = row->level * random_unit (random);
      break;
  }
}

static guint
count_images (const Row * row)
{
  return MAX (row->n_images, 1);
}

/* The samples of all images at @block. */
static void
fill_images (const Row * row, const CsImage * image, guint8 * block)
{
  const gsize n = (gsize) row->width * row->height;
  const gsize size = n * row->channels * cs_sample_size (row->type);
  g_autofree double *plane = g_new (double, n);
  Random random = { 42 };

  for (guint b = 0; b < count_images (row); b++, block += size)
    for (guint k = 0; k < row->channels; k++) {
      make_plane (row, &random, plane);
      for (gsize i = 0; i < n; i++)
        store_sample (row->type, plane[i], block + i * image->pixel_stride +
            k * image->channel_stride);
    }
}

/* The first image of @row; others follow it. */
static void
make_image (const Row * row, OwnImage * own)
{
  const gsize size = cs_sample_size (row->type);
  const gsize n = (gsize) row->width * row->height;
  CsImage *image = &own->image;

  memset (own, 0, sizeof (*own));
  image->type = row->type;
  image->width = row->width;
  image->height = row->height;
  image->channels = row->channels;
  image->pixel_stride = row->interleaved ? row->channels * size : size;
  image->row_stride = row->width * image->pixel_stride;
  image->channel_stride = row->interleaved ? size : n * size;
  own->size = n * row->channels * size * count_images (row);
  own->block = aligned_alloc (256, (own->size + 255) / 256 * 256);
  image->data = own->block;
  fill_images (row, image, own->block);
}

/* Writes the image as row-@index.npy into @folder, for other programs; batches
 * are not written. */
static void
save_image (const Row * row, const OwnImage * own, guint index,
    const char *folder)
{
  g_autofree gchar *name = g_strdup_printf ("row-%u.npy", index);
  g_autofree gchar *path = g_build_filename (folder, name, NULL);
  g_autofree gchar *shape = row->channels == 1 ?
      g_strdup_printf ("%u, %u", row->height, row->width) : row->interleaved ?
      g_strdup_printf ("%u, %u, %u", row->height, row->width, row->channels) :
      g_strdup_printf ("%u, %u, %u", row->channels, row->height, row->width);
  /* version 1.0 of the format; header and preamble make 128 bytes */
  g_autofree gchar *header =
      g_strdup_printf ("{'descr': '%s', 'fortran_order': False, "
      "'shape': (%s), }", row->type == CS_SAMPLE_U8 ? "|u1" : "<f4", shape);
  FILE *file = fopen (path, "wb");

  if (!file || fwrite ("\x93NUMPY\x01\x00\x76\x00", 1, 10, file) != 10 ||
      fprintf (file, "%-117s\n", header) != 118 ||
      fwrite (own->block, 1, own->size, file) != own->size) {
    fprintf (stderr, "bench: cannot write %s\n", path);
    exit (1);
  }
  fclose (file);
}

/* Timing */

typedef struct
{
  double median_us, busy_us;
  gsize n_segments, n_contours, n_points;
} Timing;

static gint64
nanoseconds (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return t.tv_sec * G_GINT64_CONSTANT (1000000000) + t.tv_nsec;
}

/* The images of a row, where they are, and their results. */
typedef struct
{
  CsContours *plan;
  guint n_images;
  gboolean at_once;
  CsContoursInput inputs[MAX_IMAGES];
  CsContoursOutput outputs[MAX_IMAGES];
  MemoryPool pools[MAX_IMAGES];
} Run;

static void
run_init (Run * run, const Row * row, CsContours * plan,
    const OwnImage * image, gboolean cuda, gboolean want_host)
{
  memset (run, 0, sizeof (*run));
  run->plan = plan;
  run->n_images = count_images (row);
  run->at_once = row->at_once;
  for (guint i = 0; i < run->n_images; i++) {
    run->pools[i].cuda = cuda;
    run->inputs[i].image = image->image;
    run->inputs[i].image.data = (const guint8 *) image->image.data +
        i * (image->size / run->n_images);
    run->outputs[i] = (CsContoursOutput) {
      .alloc = memory_pool_alloc,
      .user_data = &run->pools[i],
      .want_host = want_host,
    };
  }
}

static void
run_clear (Run * run)
{
  cs_contours_free (run->plan);
  for (guint i = 0; i < run->n_images; i++)
    memory_pool_clear (&run->pools[i]);
}

static gboolean
run_images (Run * run, GError ** error)
{
  if (run->at_once)
    return cs_contours_run_batch (run->plan, run->inputs, run->outputs,
        run->n_images, error);
  for (guint i = 0; i < run->n_images; i++)
    if (!cs_contours_run (run->plan, &run->inputs[i], &run->outputs[i], error))
      return FALSE;
  return TRUE;
}

/* @busy: (nullable): the least processor time of all runs */
static gint64
run_once (Run * run, gint64 * busy)
{
  const gint64 start = nanoseconds (CLOCK_MONOTONIC);
  const gint64 busy_start = nanoseconds (CLOCK_PROCESS_CPUTIME_ID);
  GError *error = NULL;

  if (!run_images (run, &error)) {
    fprintf (stderr, "bench: %s\n", error->message);
    exit (1);
  }
  if (busy)
    *busy = MIN (*busy, nanoseconds (CLOCK_PROCESS_CPUTIME_ID) - busy_start);
  return nanoseconds (CLOCK_MONOTONIC) - start;
}

/* Groups have the level of a channel for each of theirs. */
static void
add_extra (const Row * row, CsContoursTarget * targets,
    CsContoursParams * params)
{
  static const guint members[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
  static const CsContoursGroup groups[] = { {members + 4, 3}, {members, 11} };

  params->groups = groups;
  params->n_groups = 2;
  params->first_group_class = 12;
  for (guint g = 0; (row->extra & EXTRA_GROUPS) && g < 2; g++)
    targets[params->n_targets++] = (CsContoursTarget) {
    CS_CONTOURS_GROUP (g), row->level * groups[g].n_channels};
  params->exclusive = (row->extra & EXTRA_EXCLUSIVE) != 0;
  params->auto_level = (row->extra & (EXTRA_OTSU | EXTRA_MIDRANGE)) != 0;
  if (row->extra & EXTRA_OTSU)
    params->auto_method = CS_AUTO_LEVEL_OTSU;
  if (row->extra & EXTRA_ADAPTIVE)
    params->adaptive_window = 51;
  if (row->extra & EXTRA_LINE) {
    params->close_at_border = params->hierarchy = TRUE;
    params->min_area = 1.;
  }
}

static CsContours *
make_plan (const Row * row, const Backend * backend)
{
  CsContoursTarget targets[16];
  CsContoursParams params;
  GError *error = NULL;

  for (guint i = 0; i < row->channels; i++) {
    targets[i].channel = i;
    targets[i].level = row->level;
  }
  cs_contours_params_init (&params);
  params.targets = targets;
  params.n_targets = row->channels;
  add_extra (row, targets, &params);
  CsContours *plan = cs_contours_new (&params, backend->executor, &error);
  if (!plan) {
    fprintf (stderr, "bench: %s\n", error->message);
    exit (1);
  }
  return plan;
}

/* The median of many runs; with @pause_us between them, of fewer. */
static void
time_runs (Run * run, guint pause_us, Timing * timing)
{
  gint64 times[MAX_RUNS], total = 0, busy = G_MAXINT64;
  guint n = 0, i;

  for (i = 0; i < WARM_UP_RUNS; i++)
    run_once (run, NULL);
  while (n < MAX_RUNS && (n < MIN_RUNS || total < SECONDS_PER_CELL * 1e9)) {
    if (pause_us)
      g_usleep (pause_us);
    times[n] = run_once (run, &busy);
    total += times[n++];
    if (pause_us && n == CADENCE_RUNS)
      break;
  }
  timing->median_us = (double) median_time (times, n) / 1000.;
  timing->busy_us = (double) busy / 1000.;
  timing->n_segments = timing->n_contours = timing->n_points = 0;
  for (i = 0; i < run->n_images; i++) {
    timing->n_segments += run->outputs[i].n_segments;
    timing->n_contours += run->outputs[i].n_contours;
    timing->n_points += run->outputs[i].n_points;
  }
}

static void
time_cpu (const Row * row, const OwnImage * image, guint n_threads,
    guint pause_us, Timing * timing)
{
  Backend *backend = backend_new_cpu (n_threads);
  Run run;

  run_init (&run, row, make_plan (row, backend), image, FALSE, FALSE);
  time_runs (&run, pause_us, timing);
  run_clear (&run);
  backend_free (backend);
}

/* End to end: from @memory, with everything brought to the host. Returns the
 * time of the GPU's work for one image alone. */
static double
time_cuda (const Row * row, const OwnImage * image, Backend * cuda,
    CsMemory memory, Timing * timing)
{
  double device_us = 0.;
  OwnImage moved;
  Run run;

  own_image_copy (image, memory, &moved);
  run_init (&run, row, make_plan (row, cuda), &moved, TRUE,
      memory != CS_MEMORY_DEVICE);
  time_runs (&run, 0, timing);
#ifdef HAVE_CUDA
  if (memory == CS_MEMORY_DEVICE)
    device_us = cs_contours_cuda_replay (run.plan, REPLAYS);
#endif
  run_clear (&run);
  own_image_clear (&moved);
  return device_us;
}

/* Table */

static void
print_head (gboolean cpu, gboolean cuda, gboolean cadence)
{
  printf ("%-28s %9s %8s", "case", "segments", "contours");
  if (cpu)
    printf (" %10s %10s %10s", "cpu 1 us", "cpu all us", "busy us");
  if (cpu && cadence)
    printf (" %10s", "33ms us");
  if (cuda)
    printf (" %10s %10s %10s %10s %10s", "device us", "call us", "pinned us",
        "driver us", "pageable us");
  printf (" %8s %8s\n", "ns/cell", "ns/seg");
}

/* Fills @count with what was found; the time of one thread, in microseconds. */
static double
run_row_cpu (const Row * row, const OwnImage * image, gboolean cadence,
    GString * line, Timing * count)
{
  Timing all, spaced;

  time_cpu (row, image, 1, 0, count);
  time_cpu (row, image, 0, 0, &all);
  g_string_append_printf (line, " %10.1f %10.1f %10.1f", count->median_us,
      all.median_us, count->busy_us);
  if (cadence) {
    time_cpu (row, image, 0, CADENCE_US, &spaced);
    g_string_append_printf (line, " %10.1f", spaced.median_us);
  }
  return count->median_us;
}

#ifdef HAVE_CUDA

/* From pageable memory, copied by the driver. */
static void
time_driver (const Row * row, const OwnImage * image, Backend * cuda,
    Timing * timing)
{
  static const CsCudaCopyPolicy policy = { 0, };

  cs_cuda_copy_set_policy (&policy);
  time_cuda (row, image, cuda, CS_MEMORY_HOST, timing);
  cs_cuda_copy_set_policy (NULL);
}

#else

static void
time_driver (const Row * row, const OwnImage * image, Backend * cuda,
    Timing * timing)
{
}

#endif

/* The same for the GPU; the time of its work alone. */
static double
run_row_cuda (const Row * row, const OwnImage * image, Backend * cuda,
    GString * line, Timing * count)
{
  Timing pinned, driver = { 0, }, pageable;
  const double device_us = time_cuda (row, image, cuda, CS_MEMORY_DEVICE,
      count);

  time_cuda (row, image, cuda, CS_MEMORY_PINNED, &pinned);
  time_driver (row, image, cuda, &driver);
  time_cuda (row, image, cuda, CS_MEMORY_HOST, &pageable);
  g_string_append_printf (line, " %10.1f %10.1f %10.1f %10.1f %10.1f",
      device_us, count->median_us, pinned.median_us, driver.median_us,
      pageable.median_us);
  return device_us;
}

static void
run_row (const Row * row, gboolean cpu, Backend * cuda, gboolean cadence,
    const char *save)
{
  const double n_cells = (double) (row->width - 1) * (row->height - 1) *
      row->channels * count_images (row);
  g_autoptr (GString) line = g_string_new (NULL);
  Timing count[2] = { {0,}, };
  double us = 0.;
  OwnImage image;

  make_image (row, &image);
  if (save && row->n_images == 0)
    save_image (row, &image, (guint) (row - rows), save);
  if (cpu)
    us = run_row_cpu (row, &image, cadence, line, &count[0]);
  if (cuda)
    us = run_row_cuda (row, &image, cuda, line, &count[1]);
  if (!cpu)
    count[0] = count[1];
  printf ("%-28s %9" G_GSIZE_FORMAT " %8" G_GSIZE_FORMAT "%s %8.4f %8.3f%s\n",
      row->name, count[0].n_segments, count[0].n_contours, line->str,
      us * 1000. / n_cells, count[0].n_segments ?
      us * 1000. / (double) count[0].n_segments : 0.,
      cpu && cuda && (count[0].n_segments != count[1].n_segments ||
          count[0].n_contours != count[1].n_contours) ? " MISMATCH" : "");
  fflush (stdout);
  own_image_clear (&image);
}

void
bench_run (const char *only, gboolean cpu, Backend * cuda, gboolean cadence,
    const char *save)
{
  guint i;

  printf ("Medians, warm. cpu 1, cpu all: threads; busy: the least processor time"
      " of one thread. device: the GPU's work alone"
      "; call: one run on an image in its memory; pinned, pageable: end to end"
      " from such memory; driver: pageable, with the driver's copy. ns: of %s.\n", cuda ? "device" : "cpu 1");
  print_head (cpu, cuda != NULL, cadence);
  for (i = 0; i < G_N_ELEMENTS (rows); i++)
    if (!only || strstr (rows[i].name, only))
      run_row (&rows[i], cpu, cuda, cadence, save);
}
