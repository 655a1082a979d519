/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Images at once: each with the result that the oracle has for it alone, ids
 * counted on. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_contours.h"
#include "../lib/check.h"

#define WIDTH 60
#define HEIGHT 40
#define CHANNELS 5
#define FIRST_ID 1000
/* More than are computed at once */
#define MAX_IMAGES 11
/* As large as any memory */
#define MIXED 3

/* What of a batch is out of the ordinary. */
typedef enum
{
  WITH_MASK = 1 << 0,
  WITH_OTHER_SHAPE = 1 << 1,    /* the sixth image */
  WITH_PLANES = 1 << 2,         /* channels are not interleaved */
  WITHOUT_HOST = 1 << 3,
  WARMED_UP = 1 << 4,
} With;

typedef struct
{
  const char *name;
  guint n_images, with;
  CsContoursParams params;
} Variant;

typedef struct
{
  guint n;
  float *samples[MAX_IMAGES];
  guint8 mask[WIDTH * HEIGHT];
  CsImage mask_image;
  CsContoursInput inputs[MAX_IMAGES];
} Batch;

/* In turn noise, which has more contours than scratch has room for at first,
 * nothing, and blobs. */
static void
fill_image (float *samples, const CsImage * image, guint number)
{
  static const Fill fills[] = { FILL_SMOOTH, FILL_NOISE, FILL_ZERO,
    FILL_BUBBLES, FILL_TERNARY
  };
  const gsize n = (gsize) image->width * image->height;
  g_autofree double *plane = g_new (double, n);
  Random random = { number + 1 };

  for (guint k = 0; k < image->channels; k++) {
    fill_plane (fills[number % G_N_ELEMENTS (fills)], &random, image->width,
        image->height, .5, 1., plane);
    for (gsize i = 0; i < n; i++)
      samples[(i * image->pixel_stride + k * image->channel_stride) /
          sizeof (float)] = (float) plane[i];
  }
}

static void
batch_init (Batch * batch, guint n, guint with, guint seed)
{
  const gboolean planar = (with & WITH_PLANES) != 0;
  Random random = { seed };

  memset (batch, 0, sizeof (*batch));
  batch->n = n;
  for (guint i = 0; i < WIDTH * HEIGHT; i++)
    batch->mask[i] = random_below (&random, 8) != 0;
  batch->mask_image = cs_image_gray (batch->mask, CS_SAMPLE_U8, WIDTH, HEIGHT,
      WIDTH);
  for (guint i = 0; i < n; i++) {
    const gboolean other = (with & WITH_OTHER_SHAPE) && i == 5;
    CsContoursInput *input = &batch->inputs[i];
    CsImage *image = &input->image;

    batch->samples[i] = g_new (float, 2 * WIDTH * HEIGHT * CHANNELS);
    *image = cs_image_gray (batch->samples[i], CS_SAMPLE_F32,
        other ? 2 * WIDTH : WIDTH, HEIGHT, 0);
    image->channels = CHANNELS;
    image->pixel_stride = planar ? 4 : 4 * CHANNELS;
    image->row_stride = image->width * image->pixel_stride;
    image->channel_stride = planar ? HEIGHT * image->row_stride : 4;
    fill_image (batch->samples[i], image, i + seed);
    input->mask = (with & WITH_MASK) && !other && i != 2 ? &batch->mask_image :
        NULL;
    input->first_id = i == 0 ? FIRST_ID : -1;
    input->image_index = i;
    input->origin_x = 3 * i;
  }
}

static void
batch_clear (Batch * batch)
{
  for (guint i = 0; i < batch->n; i++)
    g_free (batch->samples[i]);
}

/* The batch in memory of a kind, or image after image of another. */
typedef struct
{
  OwnImage images[MAX_IMAGES], masks[MAX_IMAGES];
  CsContoursInput inputs[MAX_IMAGES];
} Moved;

static void
moved_init (Moved * moved, const Batch * batch, guint memory)
{
  memset (moved, 0, sizeof (*moved));
  for (guint i = 0; i < batch->n; i++)
    move_input (&batch->inputs[i], (CsMemory) (memory == MIXED ? i % 3 :
            memory), &moved->images[i], &moved->masks[i], &moved->inputs[i]);
}

static void
moved_clear (Moved * moved)
{
  for (guint i = 0; i < MAX_IMAGES; i++) {
    own_image_clear (&moved->images[i]);
    own_image_clear (&moved->masks[i]);
  }
}

/* Memory of an image's result. @early: allocated while the image before it, if
 * there is one, was not done */
typedef struct
{
  MemoryPool pool;
  const CsContoursOutput *before;
  gboolean early;
} Slot;

/* A plan, and results. */
typedef struct
{
  const Backend *backend;
  CsContours *plan;
  Slot slots[MAX_IMAGES];
  CsContoursOutput outputs[MAX_IMAGES];
} Run;

static void *
slot_alloc (void *user_data, gsize size, gboolean host)
{
  Slot *slot = user_data;

  slot->early = slot->before && !slot->before->offsets &&
      !slot->before->device_offsets;
  return memory_pool_alloc (&slot->pool, size, host);
}

static void
run_init (Run * run, const Backend * backend, const CsContoursParams * params,
    gboolean want_host)
{
  memset (run, 0, sizeof (*run));
  run->backend = backend;
  run->plan = cs_contours_new (params, backend->executor, NULL);
  for (guint i = 0; i < MAX_IMAGES; i++) {
    run->slots[i].pool.cuda = is_cuda (backend);
    run->slots[i].before = i > 0 ? &run->outputs[i - 1] : NULL;
    run->outputs[i] = (CsContoursOutput) {
      .alloc = slot_alloc,
      .user_data = &run->slots[i],
      .want_host = want_host,
    };
  }
}

static void
run_clear (Run * run)
{
  cs_contours_free (run->plan);
  for (guint i = 0; i < MAX_IMAGES; i++)
    memory_pool_clear (&run->slots[i].pool);
}

static gboolean
same_results (const char *name, const CsContoursParams * params,
    const Batch * batch, const Run * run)
{
  gint32 first_id = FIRST_ID;
  gboolean same = TRUE;

  for (guint i = 0; i < batch->n; i++) {
    CsContoursInput input = batch->inputs[i];
    g_autofree char *text = g_strdup_printf ("%s, image %u", name, i);
    OracleResult expected;

    input.first_id = first_id;
    oracle_run (params, &input, &expected);
    same &= same_result (text, params, &expected, &run->outputs[i],
        is_cuda (run->backend));
    first_id += (gint32) expected.n_contours;
    oracle_clear (&expected);
  }
  return same;
}

/* Whether each image was computed once, and those that can be at once. */
static gboolean
were_at_once (const Variant * variant, const Run * run)
{
  const gboolean cuda = is_cuda (run->backend);
  const guint n_blocks = cuda && !(variant->with & WITHOUT_HOST) ? 2 : 1;
  gboolean were = TRUE;

  for (guint i = 0; i < variant->n_images; i++) {
    /* an image of another shape is alone, and so the first after it */
    const gboolean early = cuda && i % CS_CONTOURS_AT_ONCE > 0 &&
        (!(variant->with & WITH_OTHER_SHAPE) || i < 5);

    were &= run->slots[i].pool.n_allocs == n_blocks &&
        run->slots[i].early == early;
  }
  return were;
}

/* Runs @batch and compares. @settled: nothing has to grow any more. */
static void
check_run (const Variant * variant, const CsContoursParams * params,
    const Batch * batch, guint memory, gboolean settled, Run * run)
{
  g_autofree char *name = g_strdup_printf ("%s: batch %s, memory %u",
      run->backend->name, variant->name, memory);
  GError *error = NULL;
  Moved moved;

  moved_init (&moved, batch, memory);
  for (guint i = 0; i < batch->n; i++) {
    memory_pool_poison (&run->slots[i].pool);
    run->slots[i].pool.n_allocs = 0;
  }
  gboolean ok = cs_contours_run_batch (run->plan, moved.inputs, run->outputs,
      batch->n, &error);
  begin ("%s", name);
  if (!ok) {
    fprintf (stderr, "%s: %s\n", name, error->message);
    g_error_free (error);
  }
  count (ok && (!settled || were_at_once (variant, run)) &&
      same_results (name, params, batch, run));
  moved_clear (&moved);
}

static void
check_variant (const Variant * variant, const Backend * backend)
{
  const gboolean cuda = is_cuda (backend);
  CsContoursParams params = variant->params;
  CsContoursTarget targets[8];
  Batch batch, other;
  Run run;

  memcpy (targets, params.targets, params.n_targets * sizeof (targets[0]));
  batch_init (&batch, variant->n_images, variant->with, 1);
  batch_init (&other, variant->n_images, variant->with, 3);
  run_init (&run, backend, &params, !(variant->with & WITHOUT_HOST));
  if (variant->with & WARMED_UP)
    count (cs_contours_warm_up (run.plan, &batch.inputs[0].image,
            variant->n_images, NULL));
  for (guint memory = 0; memory <= (cuda ? MIXED : 0); memory++)
    check_run (variant, &params, &batch, memory, memory > 1, &run);
  check_run (variant, &params, &other, 0, FALSE, &run);
  /* numbers that all states follow */
  for (guint i = 0; i < params.n_targets; i++)
    targets[i].level *= .75;
  params.targets = targets;
  params.min_points = 5;
  count (cs_contours_set_params (run.plan, &params, NULL));
  check_run (variant, &params, &batch, 0, FALSE, &run);
  /* new states */
  params.hierarchy = !params.hierarchy;
  count (cs_contours_set_params (run.plan, &params, NULL));
  check_run (variant, &params, &batch, 0, FALSE, &run);
  run_clear (&run);
  batch_clear (&batch);
  batch_clear (&other);
}

/* What fails in a batch fails as the first that fails by itself. */
static void
check_failure (const char *name, const CsContoursParams * params,
    const Batch * batch, guint bad, const Backend * backend)
{
  GError *alone = NULL, *together = NULL;
  gboolean ok = TRUE, failed;
  gint32 first_id = batch->inputs[0].first_id;
  Run run, loop;

  begin ("%s: batch that fails: %s", backend->name, name);
  run_init (&run, backend, params, TRUE);
  run_init (&loop, backend, params, TRUE);
  for (guint i = 0; i <= bad; i++) {
    CsContoursInput input = batch->inputs[i];

    input.first_id = first_id;
    failed = !cs_contours_run (loop.plan, &input, &loop.outputs[i], &alone);
    ok &= failed == (i == bad);
    first_id += (gint32) loop.outputs[i].n_contours;
  }
  ok &= !cs_contours_run_batch (run.plan, batch->inputs, run.outputs, batch->n,
      &together);
  for (guint i = 0; i < batch->n; i++)
    ok &= run.outputs[i].n_contours == 0 && !run.outputs[i].contours;
  ok = ok && g_error_matches (together, alone->domain, alone->code) &&
      strcmp (together->message, alone->message) == 0;
  if (!ok)
    fprintf (stderr, "alone: %s\n together: %s\n", alone ? alone->message : "",
        together ? together->message : "");
  count (ok);
  /* the images before it */
  if (bad > 0) {
    Batch before = *batch;

    before.n = bad;
    before.inputs[0].first_id = FIRST_ID;
    count (cs_contours_run_batch (run.plan, before.inputs, run.outputs, bad,
            NULL) && same_results (name, params, &before, &run));
  }
  g_clear_error (&alone);
  g_clear_error (&together);
  run_clear (&run);
  run_clear (&loop);
}

static void
check_failures (const CsContoursParams * params, const Backend * backend)
{
  CsContoursParams limited = *params;
  Batch batch;

  batch_init (&batch, 6, 0, 1);
  CsImage wrong_mask = batch.mask_image;
  wrong_mask.width--;
  batch.inputs[3].mask = &wrong_mask;
  check_failure ("a mask of another size", params, &batch, 3, backend);
  batch.inputs[3].mask = NULL;
  batch.inputs[4].image.row_stride = 4;
  check_failure ("strides that overlap", params, &batch, 4, backend);
  batch_clear (&batch);

  batch_init (&batch, 6, 0, 5);
  limited.max_memory = limited.n_targets * 64 * 64 + 64 * 2000;
  check_failure ("too many segments", &limited, &batch, 1, backend);
  batch.inputs[0].first_id = G_MAXINT32 - 20;
  check_failure ("too many ids", params, &batch, 1, backend);
  batch_clear (&batch);
}

static const guint members[] = { 0, 2, 4 };
static const CsContoursGroup groups[] = { {members, 3}, {members + 1, 2} };

static const CsContoursTarget targets[] = { {0, .5}, {1, .4}, {4, .6},
  {CS_CONTOURS_GROUP (0), 1.5}, {CS_CONTOURS_GROUP (1), 1.}
};

#define PARAMS(n, point_format, what) .targets = targets, \
    .n_targets = (n), .points = CS_POINTS_##point_format, \
    .measures = CS_MEASURES_##what, .max_area = INFINITY, .level_scale = 1., \
    .max_segments = 64
#define GROUPED .groups = groups, .n_groups = 2, .first_group_class = CHANNELS

static const Variant variants[] = {
  {"as it is", 4, WARMED_UP, {PARAMS (3, F32, BASIC)}},
  {"of few", 2, WITHOUT_HOST, {PARAMS (3, F32, BASIC)}},
  {"of many", MAX_IMAGES, WITH_PLANES, {PARAMS (3, F64, NONE)}},
  {"with hierarchy and filters", 7, WITH_MASK, {PARAMS (3, F32, FULL),
          .hierarchy = TRUE,.min_area = 2.}},
  {"with groups", 4, WITH_MASK, {PARAMS (5, F32, FULL), GROUPED}},
  {"exclusive, closed at the border", 8, WITH_MASK | WITH_PLANES, {PARAMS (5,
              F32, BASIC), GROUPED,.exclusive = TRUE,
          .close_at_border = TRUE}},
  {"with Otsu's levels", 7, WITH_OTHER_SHAPE | WITHOUT_HOST, {PARAMS (3, F32,
              BASIC),.auto_level = TRUE,.auto_method = CS_AUTO_LEVEL_OTSU}},
  {"adaptive, without points", 3, 0, {PARAMS (3, NONE, BASIC),
          .adaptive_window = 7}},
};

void
check_batches (Backend ** backends, guint n_backends)
{
  for (guint b = 0; b < n_backends; b++) {
    for (guint i = 0; i < G_N_ELEMENTS (variants); i++)
      if (is_of_part ())
        check_variant (&variants[i], backends[b]);
    if (is_of_part ())
      check_failures (&variants[0].params, backends[b]);
  }
}
