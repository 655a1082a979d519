/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The contours kernel on the CPU, any parameters on any images: one thread,
 * three threads and the oracle agree bit for bit, also when the same plan then
 * gets another image; iso-bands have the area of their cells. Memory is as large
 * as the image says and no larger. */

#include "fuzz.h"

#include <math.h>
#include <stdlib.h>

#include "../kernels/contours/bands_oracle.h"
#include "../kernels/contours/contours_oracle.h"
#include "fuzz_images.h"

#define MAX_TARGETS 4
#define MAX_SIDE 64
#define MAX_GROUPS 3
#define MAX_MEMBERS 4

/* What the parameters point to. */
typedef struct
{
  CsContoursTarget targets[MAX_TARGETS];
  CsAreaLimits limits[MAX_TARGETS];
  CsContoursGroup groups[MAX_GROUPS];
  guint members[MAX_GROUPS][MAX_MEMBERS];
} Lists;

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

/* As iso-bands want them, but for levels that are equal. */
static int
compare_targets (const void *a, const void *b)
{
  const CsContoursTarget *first = a, *second = b;

  if (first->channel != second->channel)
    return first->channel < second->channel ? -1 : 1;
  return first->level < second->level ? -1 : first->level > second->level;
}

static void
feed_groups (Feed * feed, Lists * lists, CsContoursParams * params)
{
  params->groups = lists->groups;
  params->n_groups = feed_below (feed, MAX_GROUPS + 1);
  params->group_mode = feed_below (feed, 2);
  params->first_group_class = feed_u8 (feed);
  for (guint g = 0; g < params->n_groups; g++) {
    lists->groups[g].channels = lists->members[g];
    lists->groups[g].n_channels = feed_below (feed, MAX_MEMBERS + 1);
    for (guint i = 0; i < lists->groups[g].n_channels; i++)
      lists->members[g][i] = feed_below (feed, 6);
  }
  for (guint i = 0; i < params->n_targets; i++)
    if (feed_below (feed, 2))
      lists->targets[i].channel =
          CS_CONTOURS_GROUP (feed_below (feed, MAX_GROUPS));
}

/* What is not a level of a channel. */
static void
feed_planes (Feed * feed, Lists * lists, CsContoursParams * params)
{
  const guint flags = feed_u8 (feed);

  if (flags & 1)
    feed_groups (feed, lists, params);
  params->auto_method = (flags & 2) ? CS_AUTO_LEVEL_OTSU : 0;
  params->exclusive = (flags & 4) != 0;
  if (flags & 8) {
    params->adaptive_window = feed_u8 (feed);
    params->adaptive_offset = flags & 16 ? feed_double (feed) : 0.;
  }
  if (flags & 32)
    params->area_limits = lists->limits;
  for (guint i = 0; (flags & 32) && i < params->n_targets; i++)
    lists->limits[i] = (CsAreaLimits) {
      feed_area (feed, 0.), feed_area (feed, INFINITY)
    };
}

static CsContoursParams
feed_params (Feed * feed, Lists * lists)
{
  CsContoursTarget *targets = lists->targets;
  const guint flags = feed_u8 (feed);
  CsContoursParams params;

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
  guint points = feed_below (feed, 9);
  params.points = points % 3;
  params.close_at_border = points / 3 == 1;
  params.bands = points / 3 == 2;
  if (params.bands && flags & 1)
    qsort (targets, params.n_targets, sizeof (*targets), compare_targets);
  params.min_points = flags & 32 ? feed_u8 (feed) : 0;
  params.min_area = flags & 64 ? feed_area (feed, 0.) : 0.;
  params.max_area = flags & 64 ? feed_area (feed, INFINITY) : INFINITY;
  params.max_segments = flags & 128 ? feed_u16 (feed) : 0;
  if (points % 2)
    feed_planes (feed, lists, &params);
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

/* Every band's area, when no ring is filtered out, as far as points are
 * exact. */
static void
check_areas (const CsContoursParams * params, const CsContoursInput * input,
    const CsContoursOutput * output)
{
  const double cells = (double) input->image.width * input->image.height;
  const double limit = cells * (params->points == CS_POINTS_F64 ? 1e-6 :
      input->origin_x || input->origin_y ? .1 : 1e-3);
  gsize i = 0;

  for (guint t = 0; t + 1 < params->n_targets; t++) {
    const CsContoursTarget *low = &params->targets[t];
    double sum = 0., want;

    if (low[0].channel != low[1].channel)
      continue;
    for (; i < output->n_contours && output->contours[i].level ==
        low->level && output->contours[i].class_id == (gint32) low->channel;
        i++)
      sum += output->contours[i].area;
    want = bands_oracle_total (input, low->channel, low[0].level,
        low[1].level, params->fully_connected_high);
    if (params->positive_orientation_high)
      want = -want;
    FUZZ_CHECK (fabs (sum - want) <= limit, "band %u: area %g, not %g", t, sum,
        want);
  }
  FUZZ_CHECK (i == output->n_contours, "%zu rings of %zu", i,
      output->n_contours);
}

/* What any iso-bands are. */
static void
check_bands (const CsContoursParams * params, const CsContoursInput * input,
    const CsContoursOutput * output)
{
  gint32 shell = -1;

  for (gsize i = 0; i < output->n_contours; i++) {
    const CsContour *contour = &output->contours[i];
    const gboolean hole = (contour->flags & CS_CONTOUR_HOLE) != 0;

    if (!hole)
      shell = contour->id;
    FUZZ_CHECK (contour->flags & CS_CONTOUR_CLOSED, "ring %zu is open", i);
    FUZZ_CHECK (contour->parent == (hole ? shell : -1), "ring %zu has parent "
        "%d", i, contour->parent);
    FUZZ_CHECK (output->offsets[i + 1] - output->offsets[i] >= 4,
        "ring %zu has too few points", i);
  }
  if (output->n_dropped == 0)
    check_areas (params, input, output);
}

static void
check_no_memory (CsContours * plan, const CsContoursInput * input)
{
  FuzzPool pool = { NULL, TRUE };
  CsContoursOutput output = {.alloc = fuzz_pool_alloc,.user_data = &pool };
  g_autoptr (GError) error = NULL;

  FUZZ_CHECK (!cs_contours_run (plan, input, &output, &error),
      "without memory");
  FUZZ_CHECK (g_error_matches (error, CS_ERROR, CS_ERROR_NO_MEMORY), "%s",
      error ? error->message : "no error");
  FUZZ_CHECK (output.n_contours == 0 && output.n_points == 0, "counts");
}

/* The first plan's iso-bands as what the other's are to be. */
static void
take_bands (const CsContoursParams * params, const CsContoursInput * input,
    const CsContoursOutput * output, OracleResult * expected)
{
  check_bands (params, input, output);
  *expected = (OracleResult) {
    .n_contours = output->n_contours,
    .n_points = output->n_points,
    .n_segments = output->n_segments,
    .n_dropped = output->n_dropped,
    .n_overwritten = output->n_overwritten,
    .points = output->points,
    .offsets = output->offsets,
    .contours = output->contours,
    .moments = output->moments,
  };
}

/* Runs @input on both plans; the oracle has the last word. */
static void
run_frame (CsContours * const plans[2], const CsContoursParams * params,
    const CsContoursInput * input, gboolean without_memory)
{
  OracleResult expected = { 0, };
  FuzzPool pools[2] = { {NULL, FALSE}, };
  gboolean have_expected = FALSE;

  for (guint i = 0; i < 2; i++) {
    CsContoursOutput output = {.alloc = fuzz_pool_alloc,.user_data = &pools[i] };
    g_autoptr (GError) error = NULL;
    gboolean ok = cs_contours_run (plans[i], input, &output, &error);

    FUZZ_CHECK_ERROR (ok, error);
    FUZZ_CHECK (i == 0 || ok == have_expected, "threads do not agree");
    if (ok && !have_expected) {
      if (params->bands)
        take_bands (params, input, &output, &expected);
      else
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
  }
  if (have_expected && !params->bands)
    oracle_clear (&expected);
  for (guint i = 0; i < 2; i++)
    g_clear_pointer (&pools[i].data, free);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Feed feed = { data, size };
  Lists lists;
  CsContoursParams params = feed_params (&feed, &lists);
  const guint flags = feed_u8 (&feed), n_frames = 1 + flags % 3;
  CsContours *plans[2] = { NULL, };

  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;

    plans[i] = cs_contours_new (&params, fuzz_executor (i), &error);
    FUZZ_CHECK_ERROR (plans[i] != NULL, error);
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
