/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Statistics of any regions of any small picture or tensor: one thread and three
 * agree bit for bit. Where points are multiples of 1/4, each pixel is asked in
 * integers whether it is inside, and gray and probabilities are summed up
 * anew. */

#include "fuzz_images.h"

#include <math.h>

#include "stats/stats.h"

#define MAX_SIDE 24
#define MAX_REGIONS 6
#define MAX_RINGS 12
#define MAX_POINTS 128
/* The oracle's units: a point times a scale of 1/2, 1 or 2, less .5. */
#define UNIT 8

/**
 * Scene:
 * @how: of its coordinates: 0 any, 1 in steps of 1/64, else multiples of 1/4
 * @points: of all rings
 */
typedef struct
{
  CsStatsInput input;
  CsPicture picture;
  CsImage image;
  guint8 *data;
  guint how, n_points, n_rings;
  float points[2 * MAX_POINTS];
  CsStatsRing rings[MAX_RINGS];
  CsStatsRegion regions[MAX_REGIONS];
} Scene;

/* Frames of the decoded input */

static void
fill (Feed * feed, guint8 * data, gsize size)
{
  guint8 seed[16];

  feed_bytes (feed, seed, sizeof (seed));
  for (gsize i = 0; i < size; i++)
    data[i] = seed[i % sizeof (seed)] + (guint8) (i / sizeof (seed)) * seed[0];
}

static void
feed_image (Feed * feed, Scene * scene)
{
  CsImage *image = &scene->image;

  image->type = feed_below (feed, 5);
  image->width = feed_below (feed, MAX_SIDE + 1);
  image->height = feed_below (feed, MAX_SIDE + 1);
  image->channels = 1 + feed_below (feed, 4);
  gsize size = cs_sample_size (image->type);
  if (feed_below (feed, 2)) {
    image->channel_stride = size;
    image->pixel_stride = size * image->channels;
    image->row_stride = image->width * image->pixel_stride;
  } else {
    image->pixel_stride = size;
    image->row_stride = image->width * size;
    image->channel_stride = image->height * image->row_stride;
  }
  size *= (gsize) image->width * image->height * image->channels;
  image->data = scene->data = g_malloc (size + 1);
  fill (feed, scene->data, size);
  scene->input.images = image;
  scene->input.n_images = 1;
}

static void
feed_picture (Feed * feed, Scene * scene)
{
  static const guint depths[] = { 8, 10, 16 };
  CsPicture *picture = &scene->picture;
  const gboolean rgb = scene->input.kind == CS_STATS_LAB ||
      feed_below (feed, 2);
  const guint n = rgb ? 3 + feed_below (feed, 2) : 1;
  const guint form = scene->input.kind == CS_STATS_LAB ? 0 :
      feed_below (feed, 4);

  picture->model = rgb ? CS_PICTURE_RGB : CS_PICTURE_GRAY;
  picture->type = form == 0 ? CS_SAMPLE_U8 : CS_SAMPLE_U16;
  picture->depth = depths[MIN (form, 2)];
  picture->shift = form == 3 ? 6 : 0;
  picture->width = feed_below (feed, MAX_SIDE + 1);
  picture->height = feed_below (feed, MAX_SIDE + 1);
  if (feed_below (feed, 2)) {
    picture->kr = .2126;
    picture->kb = .0722;
  }
  gsize size = cs_sample_size (picture->type);
  for (gsize c = 0; c < n; c++) {
    picture->pixel_stride[c] = n * size;
    picture->row_stride[c] = picture->width * n * size;
  }
  size *= (gsize) picture->width * picture->height * n;
  scene->data = g_malloc (size + 1);
  fill (feed, scene->data, size);
  for (gsize c = 0; c < n; c++)
    picture->data[c] = scene->data + c * cs_sample_size (picture->type);
  scene->input.picture = picture;
}

static float
feed_number (Feed * feed, guint how)
{
  if (how == 0)
    return feed_float (feed);
  if (how == 1)
    return feed_coordinate (feed);
  return (gint8) feed_u8 (feed) / 4.f;
}

static void
feed_regions (Feed * feed, Scene * scene)
{
  const guint n = feed_below (feed, MAX_REGIONS + 1);

  for (guint i = 0; i < n; i++) {
    CsStatsRegion *region = &scene->regions[i];

    region->first_ring = scene->n_rings;
    region->n_rings = feed_below (feed, 4);
    region->n_rings = MIN (region->n_rings, MAX_RINGS - scene->n_rings);
    region->channel = feed_below (feed, 5);
    region->image = feed_below (feed, 32) == 0;
    for (guint r = 0; r < region->n_rings; r++) {
      CsStatsRing *ring = &scene->rings[scene->n_rings++];

      ring->points = scene->points + 2 * scene->n_points;
      ring->n = feed_below (feed, 24);
      ring->n = MIN (ring->n, MAX_POINTS - scene->n_points);
      for (guint k = 0; k < 2 * ring->n; k++)
        scene->points[2 * scene->n_points + k] = feed_number (feed, scene->how);
      scene->n_points += ring->n;
    }
  }
  scene->input.rings = scene->rings;
  scene->input.regions = scene->regions;
  scene->input.n_regions = n;
}

static void
feed_scene (Feed * feed, Scene * scene)
{
  static const double scales[] = { 1, .5, 2 };

  *scene = (Scene) { 0, };
  scene->input.kind = feed_below (feed, 3);
  scene->how = feed_below (feed, 8);
  if (scene->input.kind == CS_STATS_PROBABILITY)
    feed_image (feed, scene);
  else
    feed_picture (feed, scene);
  scene->input.scale_x = scene->how ? scales[feed_below (feed, 3)] :
      feed_double (feed);
  scene->input.scale_y = scene->how ? scales[feed_below (feed, 3)] :
      feed_double (feed);
  feed_regions (feed, scene);
}

/* Oracle */

static gint64
to_units (float point, double scale)
{
  return llrint (((double) point + .5) * scale * UNIT) - UNIT / 2;
}

/* Whether the sides at or to the left of (@x, @y) are odd in number; crossed at
 * their upper end, not at the lower one. */
static gboolean
is_inside (const CsStatsInput * input, const CsStatsRegion * region, guint x,
    guint y)
{
  const gint64 px = (gint64) x * UNIT, py = (gint64) y * UNIT;
  gboolean inside = FALSE;

  for (gsize r = 0; r < region->n_rings; r++) {
    const CsStatsRing *ring = &input->rings[region->first_ring + r];

    for (gsize i = 0; i < ring->n; i++) {
      const float *a = ring->points + 2 * i;
      const float *b = ring->points + 2 * ((i + 1) % ring->n);
      const gint64 ax = to_units (a[0], input->scale_x);
      const gint64 ay = to_units (a[1], input->scale_y);
      const gint64 bx = to_units (b[0], input->scale_x);
      const gint64 by = to_units (b[1], input->scale_y);
      const gint64 turn = (bx - ax) * (py - ay) - (px - ax) * (by - ay);

      if ((ay <= py) == (by <= py))
        continue;
      inside ^= turn == 0 || (turn < 0) == (by > ay);
    }
  }
  return inside;
}

/* In steps of the kind. */
static double
get_probability (const CsImage * image, guint channel, guint x, guint y)
{
  CsImage one = *image;

  one.data = (const guint8 *) image->data + channel * image->channel_stride;
  const double share = fuzz_image_get (&one, x, y) /
      (image->type == CS_SAMPLE_U8 ? 255. :
      image->type == CS_SAMPLE_U16 ? 65535. : 1.);
  return isnan (share) ? 0 :
      floor (CLAMP (share, 0., 1.) * CS_STATS_PROBABILITY_STEPS + .5);
}

static double
get_component (const CsPicture * picture, guint c, guint x, guint y)
{
  const guint8 *at = (const guint8 *) picture->data[c] +
      y * picture->row_stride[c] + x * picture->pixel_stride[c];
  guint16 word;

  memcpy (&word, at, cs_sample_size (picture->type));
  return picture->type == CS_SAMPLE_U8 ? *at : word >> picture->shift;
}

/* In steps of the kind; of RGB to a step or so. */
static double
get_gray (const CsPicture * picture, guint x, guint y)
{
  const gboolean given = picture->kr != 0 || picture->kb != 0;
  const double kr = given ? picture->kr : .299;
  const double kb = given ? picture->kb : .114;

  if (picture->model != CS_PICTURE_RGB)
    return get_component (picture, 0, x, y);
  return (kr * get_component (picture, 0, x, y) + (1 - kr - kb) *
      get_component (picture, 1, x, y) + kb * get_component (picture, 2, x,
          y)) * (picture->type == CS_SAMPLE_U8 ? CS_STATS_LUMA_STEPS : 1);
}

static double
get_sample (const CsStatsInput * input, const CsStatsRegion * region, guint x,
    guint y)
{
  return input->kind == CS_STATS_GRAY ? get_gray (input->picture, x, y) :
      input->kind == CS_STATS_LAB ? 0 : get_probability (input->images,
      region->channel, x, y);
}

typedef struct
{
  guint n;
  double sum, squares, minimum, maximum;
} Want;

static Want
sum_up (const CsStatsInput * input, const CsStatsRegion * region, guint width,
    guint height)
{
  Want want = {.minimum = G_MAXDOUBLE,.maximum = -G_MAXDOUBLE };

  for (guint y = 0; y < height; y++) {
    for (guint x = 0; x < width; x++) {
      const double sample = get_sample (input, region, x, y);

      if (!is_inside (input, region, x, y))
        continue;
      want.n++;
      want.sum += sample;
      want.squares += sample * sample;
      want.minimum = MIN (want.minimum, sample);
      want.maximum = MAX (want.maximum, sample);
    }
  }
  return want;
}

/* Checks */

static void
check_described (const CsStatsSums * sums, double steps)
{
  double mean, deviation;

  cs_stats_describe (sums, steps, &mean, &deviation);
  if (sums->n == 0) {
    FUZZ_CHECK (isnan (mean) && isnan (deviation), "mean %g of nothing", mean);
    return;
  }
  FUZZ_CHECK (deviation >= 0 && isfinite (deviation), "deviation %g",
      deviation);
  FUZZ_CHECK (mean >= sums->minimum / steps - 1e-9 &&
      mean <= sums->maximum / steps + 1e-9, "mean %g, %d to %d", mean,
      sums->minimum, sums->maximum);
  if (sums->minimum == sums->maximum)
    FUZZ_CHECK (deviation == 0, "deviation %g of equal samples", deviation);
}

static void
check_sums (const CsStatsInput * input, const CsStatsRegion * region,
    const CsStatsSums * sums, guint width, guint height)
{
  const Want want = sum_up (input, region, width, height);
  /* of luma: its weights are rounded, and it is */
  const double error = input->kind == CS_STATS_GRAY &&
      input->picture->model == CS_PICTURE_RGB ? 3 : 0;

  FUZZ_CHECK (sums->n == want.n, "%" G_GUINT64_FORMAT " pixels, not %u",
      sums->n, want.n);
  if (want.n == 0 || input->kind == CS_STATS_LAB)
    return;
  FUZZ_CHECK (fabs (sums->sum - want.sum) <= error * want.n, "sum %"
      G_GINT64_FORMAT ", not %g", sums->sum, want.sum);
  FUZZ_CHECK (fabs (sums->minimum - want.minimum) <= error, "minimum %d, not %g",
      sums->minimum, want.minimum);
  FUZZ_CHECK (fabs (sums->maximum - want.maximum) <= error, "maximum %d, not %g",
      sums->maximum, want.maximum);
  if (error == 0)
    FUZZ_CHECK ((double) sums->squares == want.squares, "squares %"
        G_GUINT64_FORMAT ", not %g", sums->squares, want.squares);
}

static void
check_lab (const CsStatsSums * sums)
{
  FUZZ_CHECK (sums[0].minimum >= 0 && sums[0].maximum <= 100 *
      CS_STATS_LAB_STEPS, "L* from %d to %d", sums[0].minimum, sums[0].maximum);
  for (guint c = 1; c < 3; c++)
    FUZZ_CHECK (sums[c].n == sums[0].n && sums[c].minimum >= -128 *
        CS_STATS_LAB_STEPS && sums[c].maximum <= 128 * CS_STATS_LAB_STEPS,
        "a* or b* from %d to %d", sums[c].minimum, sums[c].maximum);
}

static void
check_scene (const Scene * scene, const CsStatsSums * sums)
{
  const CsStatsInput *input = &scene->input;
  const gboolean is_image = input->kind == CS_STATS_PROBABILITY;
  const guint width = is_image ? scene->image.width : scene->picture.width;
  const guint height = is_image ? scene->image.height : scene->picture.height;
  const guint n_channels = cs_stats_get_n_channels (input->kind);

  for (gsize i = 0; i < input->n_regions * n_channels; i++) {
    FUZZ_CHECK (sums[i].n <= (guint64) width * height, "%" G_GUINT64_FORMAT
        " pixels of %u x %u", sums[i].n, width, height);
    check_described (&sums[i], CS_STATS_LAB_STEPS);
  }
  for (gsize i = 0; i < input->n_regions; i++) {
    if (input->kind == CS_STATS_LAB)
      check_lab (&sums[i * n_channels]);
    if (scene->how > 1)
      check_sums (input, &input->regions[i], &sums[i * n_channels], width,
          height);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  static CsStats *plans[2];
  CsStatsSums sums[2][MAX_REGIONS * CS_STATS_MAX_CHANNELS];
  gboolean done[2], is_valid = TRUE;
  Feed feed = { data, size };
  Scene scene;

  memset (sums, 0, sizeof (sums));
  feed_scene (&feed, &scene);
  for (guint i = 0; i < scene.input.n_regions; i++)
    is_valid &= scene.input.kind != CS_STATS_PROBABILITY ||
        (scene.regions[i].image == 0
        && scene.regions[i].channel < scene.image.channels);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;

    if (!plans[i])
      plans[i] = cs_stats_new (fuzz_executor (i), NULL);
    done[i] = cs_stats_run (plans[i], &scene.input, sums[i], &error);
    FUZZ_CHECK_ERROR (done[i], error);
    FUZZ_CHECK (done[i] == is_valid, "%s", error ? error->message : "no error");
  }
  FUZZ_CHECK (memcmp (sums[0], sums[1], sizeof (sums[0])) == 0,
      "threads do not agree");
  if (done[0])
    check_scene (&scene, sums[0]);
  g_free (scene.data);
  return 0;
}
