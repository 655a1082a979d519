/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The contours kernel on the CPU, any parameters on any images: one thread,
 * three threads and the oracle agree bit for bit, also when the same plan then
 * gets another image. Memory is as large as the image says and no larger. */

#include "fuzz.h"

#include <math.h>
#include <stdlib.h>

#include "../kernels/contours/contours_oracle.h"
#include "fuzz_images.h"

#define MAX_TARGETS 4
#define MAX_SIDE 64

/* Levels are often where samples are, for ties. */
static double
feed_level (Feed * feed)
{
  switch (feed_below (feed, 4)) {
    case 0:
      return feed_u8 (feed);
    case 1:
      return feed_u8 (feed) / 4.;
    case 2:
      return feed_u8 (feed) * 257.;
    default:
      return feed_double (feed);
  }
}

static double
feed_area (Feed * feed, double unlimited)
{
  const guint how = feed_below (feed, 8);

  if (how < 4)
    return unlimited;
  return how < 7 ? feed_u8 (feed) / 4. : feed_double (feed);
}

static CsContoursParams
feed_params (Feed * feed, CsContoursTarget * targets)
{
  const guint flags = feed_u8 (feed);
  CsContoursParams params;
  guint points;

  cs_contours_params_init (&params);
  params.targets = targets;
  params.n_targets = flags & 1 ? feed_below (feed, MAX_TARGETS + 1) : 1;
  for (guint i = 0; i < params.n_targets; i++) {
    targets[i].channel = flags & 1 ? feed_below (feed, 5) : 0;
    targets[i].level = feed_level (feed);
  }
  params.auto_level = (flags & 2) != 0;
  params.fully_connected_high = (flags & 4) != 0;
  params.positive_orientation_high = (flags & 8) != 0;
  params.hierarchy = (flags & 16) != 0;
  params.measures = feed_below (feed, 3);
  points = feed_below (feed, 6);
  params.points = points % 3;
  params.close_at_border = points >= 3;
  params.min_points = flags & 32 ? feed_u8 (feed) : 0;
  params.min_area = flags & 64 ? feed_area (feed, 0.) : 0.;
  params.max_area = flags & 64 ? feed_area (feed, INFINITY) : INFINITY;
  params.max_segments = flags & 128 ? feed_u16 (feed) : 0;
  return params;
}

static void
feed_picture (Feed * feed, FuzzImage * picture)
{
  CsImage *image = &picture->image;

  image->type = feed_below (feed, 5);
  image->memory = CS_MEMORY_HOST;
  image->width = feed_below (feed, MAX_SIDE + 1);
  image->height = feed_below (feed, MAX_SIDE + 1);
  image->channels = feed_below (feed, 6);
  feed_strides (feed, image);
  fuzz_image_fill (picture, feed);
}

static void
feed_mask (Feed * feed, const CsImage * image, FuzzImage * mask)
{
  const guint how = feed_u8 (feed);

  mask->image = cs_image_gray (NULL, how & 1 ? CS_SAMPLE_U8 :
      image->type, image->width, image->height, 0);
  mask->image.width += (how & 0xfe) == 0xfe;
  mask->image.pixel_stride = 1 + (how >> 1 & 3);
  mask->image.row_stride = mask->image.pixel_stride * mask->image.width +
      (how >> 3 & 3);
  fuzz_image_fill (mask, feed);
}

static void
feed_input (Feed * feed, CsContoursInput * input, FuzzImage * image,
    FuzzImage * mask)
{
  const guint flags = feed_u8 (feed);

  input->origin_x = flags & 1 ? feed_u16 (feed) : 0;
  input->origin_y = flags & 2 ? feed_u16 (feed) : 0;
  input->first_id = flags & 4 ? feed_i32 (feed) : 0;
  input->image_index = flags & 8 ? feed_i32 (feed) : 0;
  feed_picture (feed, image);
  if (flags & 16)
    feed_mask (feed, &image->image, mask);
  input->image = image->image;
  input->mask = flags & 16 ? &mask->image : NULL;
}

static void
check_bytes (const char *what, const void *got, const void *expected,
    gsize size)
{
  FUZZ_CHECK (size == 0 || (got && expected), "%s are missing", what);
  FUZZ_CHECK (size == 0 || memcmp (got, expected, size) == 0, "%s differ",
      what);
}

static void
check_result (const CsContoursParams * params, const OracleResult * expected,
    const CsContoursOutput * output)
{
  const gsize n = expected->n_contours;

  FUZZ_CHECK (output->n_segments == expected->n_segments, "%zu segments: %zu",
      expected->n_segments, output->n_segments);
  FUZZ_CHECK (output->n_contours == n, "%zu contours: %zu", n,
      output->n_contours);
  FUZZ_CHECK (output->n_points == expected->n_points, "%zu points: %zu",
      expected->n_points, output->n_points);
  FUZZ_CHECK (output->n_dropped == expected->n_dropped, "%zu dropped: %zu",
      expected->n_dropped, output->n_dropped);
  FUZZ_CHECK (output->n_overwritten == expected->n_overwritten,
      "%zu overwritten: %zu", expected->n_overwritten, output->n_overwritten);
  check_bytes ("offsets", output->offsets, expected->offsets, (n + 1) * 4);
  if (params->points != CS_POINTS_NONE)
    check_bytes ("points", output->points, expected->points,
        expected->n_points * (params->points == CS_POINTS_F32 ? 8 : 16));
  else
    FUZZ_CHECK (!output->points, "points");
  check_bytes ("contours", output->contours, expected->contours,
      n * sizeof (CsContour));
  if (params->measures == CS_MEASURES_FULL)
    check_bytes ("moments", output->moments, expected->moments,
        n * sizeof (CsContourMoments));
  else
    FUZZ_CHECK (!output->moments, "moments");
}

static void
check_no_memory (CsContours * plan, const CsContoursInput * input)
{
  FuzzPool pool = { NULL, TRUE };
  CsContoursOutput output = {.alloc = fuzz_pool_alloc,.user_data = &pool };
  GError *error = NULL;

  FUZZ_CHECK (!cs_contours_run (plan, input, &output, &error),
      "without memory");
  FUZZ_CHECK (g_error_matches (error, CS_ERROR, CS_ERROR_NO_MEMORY), "%s",
      error ? error->message : "no error");
  FUZZ_CHECK (output.n_contours == 0 && output.n_points == 0, "counts");
  g_error_free (error);
}

/* Runs @input on both plans; the oracle has the last word. */
static void
run_frame (CsContours * const plans[2], const CsContoursParams * params,
    const CsContoursInput * input, gboolean without_memory)
{
  OracleResult expected;
  gboolean have_expected = FALSE;

  for (guint i = 0; i < 2; i++) {
    FuzzPool pool = { NULL, FALSE };
    CsContoursOutput output = {.alloc = fuzz_pool_alloc,.user_data = &pool };
    GError *error = NULL;
    gboolean ok = cs_contours_run (plans[i], input, &output, &error);

    FUZZ_CHECK_ERROR (ok, error);
    FUZZ_CHECK (i == 0 || ok == have_expected, "threads do not agree");
    if (ok && !have_expected) {
      oracle_run (params, input, &expected);
      have_expected = TRUE;
    }
    if (ok)
      check_result (params, &expected, &output);
    else
      FUZZ_CHECK (error->code == CS_ERROR_INVALID && output.n_contours == 0,
          "%s", error->message);
    if (ok && without_memory)
      check_no_memory (plans[i], input);
    g_clear_error (&error);
    g_clear_pointer (&pool.data, free);
  }
  if (have_expected)
    oracle_clear (&expected);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  static CsExecutor *executors[2];
  Feed feed = { data, size };
  CsContoursTarget targets[MAX_TARGETS];
  CsContoursParams params = feed_params (&feed, targets);
  const guint flags = feed_u8 (&feed), n_frames = 1 + flags % 3;
  CsContours *plans[2] = { NULL, };

  for (guint i = 0; i < 2; i++) {
    GError *error = NULL;

    if (!executors[i])
      executors[i] = cs_executor_new_cpu (i == 0 ? 1 : 3);
    plans[i] = cs_contours_new (&params, executors[i], &error);
    FUZZ_CHECK_ERROR (plans[i] != NULL, error);
    g_clear_error (&error);
  }
  FUZZ_CHECK (!plans[0] == !plans[1], "threads do not agree");
  for (guint i = 0; plans[0] && i < n_frames; i++) {
    CsContoursInput input = { 0, };
    FuzzImage image = { 0, }, mask = { 0, };

    feed_input (&feed, &input, &image, &mask);
    run_frame (plans, &params, &input, (flags & 128) != 0);
    g_free (image.data);
    g_free (mask.data);
  }
  cs_contours_free (plans[0]);
  cs_contours_free (plans[1]);
  return 0;
}
