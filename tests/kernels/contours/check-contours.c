/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks the contour kernels against the oracle and against each other, bit
 * for bit, on random and adversarial images; with --bench measures them.
 * Every case follows from --seed and its number, so a failure can be repeated
 * with --first N --cases 1.
 */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_contours.h"
#include "contours/contours_cpu.h"
#include "contours_oracle.h"
#include "../lib/check.h"
#include "../lib/device.h"

#define MAX_TARGETS 6
#define MAX_GROUPS 3
#define MAX_MEMBERS 14

/* Plans are used for several frames, so that nothing of one shows in the next
 * one. */
#define FRAMES 3

/* Random cases that, with the others, take all ways of CUDA, and of the CPU. */
#define FEWEST 5
#define FEWEST_OF_CPU 100

typedef struct
{
  guint64 seed;
  guint number;
  Random random;
  CsContoursParams params;
  CsContoursTarget targets[MAX_TARGETS];
  CsAreaLimits limits[MAX_TARGETS];
  CsContoursGroup groups[MAX_GROUPS];
  guint members[MAX_GROUPS][MAX_MEMBERS];
  /* of the frame at hand */
  Fill fill;
  CsContoursInput input;
  OwnImage image, mask;
  CsImage mask_view;
} Case;

static gchar *opt_backend, *opt_conformance, *opt_bench_only, *opt_save;
static gchar *opt_checks, *opt_part;
static gint opt_cases = 300, opt_first, opt_seed = 1;
static gboolean opt_list, opt_bench, opt_cadence, opt_no_large, opt_full;
static gboolean opt_device_memory;

static const char *const type_names[] = { "u8", "u16", "f16", "f32", "f64" };

/* Cases */

static guint
random_side (Random * random)
{
  static const guint sides[] = { 1, 2, 3, 4, 31, 32, 33, 34, 63, 64, 65, 66, 95,
    97, 128, 129
  };

  return random_below (random, 2) ? sides[random_below (random,
          G_N_ELEMENTS (sides))] : 1 + random_below (random, 150);
}

static double
random_level (Random * random, double top)
{
  static const double levels[] = { 0., .5, 1., 2., 127.5, 128., 255., -1., .1 };

  if (random_below (random, 3) == 0)
    return levels[random_below (random, G_N_ELEMENTS (levels))];
  if (random_below (random, 2))
    return floor (top * random_unit (random));
  return top * random_unit (random);
}

static double
top_of (CsSampleType type)
{
  return type == CS_SAMPLE_U8 ? 255. : type == CS_SAMPLE_U16 ? 65535. : 1.;
}

/* Targets become groups: of any channels, which may be there more than once, or
 * of some in a row. */
static void
random_groups (Case * c, guint channels)
{
  Random *random = &c->random;
  guint first;
  gboolean in_a_row;

  c->params.groups = c->groups;
  c->params.n_groups = 1 + random_below (random, MAX_GROUPS);
  c->params.group_mode = (CsGroupMode) random_below (random, 2);
  c->params.first_group_class = (gint32) channels;
  for (guint g = 0; g < c->params.n_groups; g++) {
    c->groups[g] = (CsContoursGroup) {
    c->members[g], 1 + random_below (random, MAX_MEMBERS)};
    first = random_below (random, channels);
    in_a_row = random_below (random, 2);
    for (guint k = 0; k < c->groups[g].n_channels; k++)
      c->members[g][k] = in_a_row ? (first + k) % channels :
          random_below (random, channels);
  }
  for (guint t = 0; t < c->params.n_targets; t++)
    if (random_below (random, 2))
      c->targets[t].channel =
          CS_CONTOURS_GROUP (random_below (random, c->params.n_groups));
}

/* What is not a level of a channel. */
static void
random_planes (Case * c, guint channels)
{
  static const guint windows[] = { 3, 5, 7, 31, 201 };
  Random *random = &c->random;

  if (random_below (random, 3) == 0)
    random_groups (c, channels);
  if (random_below (random, 2))
    c->params.auto_method = CS_AUTO_LEVEL_OTSU;
  if (!c->params.auto_level && random_below (random, 5) == 0) {
    c->params.exclusive = TRUE;
  } else if (!c->params.auto_level && random_below (random, 5) == 0) {
    c->params.adaptive_window =
        windows[random_below (random, G_N_ELEMENTS (windows))];
    c->params.adaptive_offset = random_below (random, 2) ? 0. :
        random_unit (random) - .5;
  }
  if (random_below (random, 5))
    return;
  c->params.area_limits = c->limits;
  for (guint t = 0; t < MAX_TARGETS; t++)
    c->limits[t] = (CsAreaLimits) {
    random_below (random, 2) ? 0. : 4. * random_unit (random),
          random_below (random, 2) ? INFINITY : 50. * random_unit (random)};
}

static void
random_params (Case * c, CsSampleType type, guint channels)
{
  Random *random = &c->random;

  cs_contours_params_init (&c->params);
  c->params.n_targets = random_below (random, 3) ? 1 :
      1 + random_below (random, MAX_TARGETS);
  for (guint i = 0; i < c->params.n_targets; i++) {
    c->targets[i].channel = random_below (random, channels);
    c->targets[i].level = random_level (random, top_of (type));
  }
  c->params.targets = c->targets;
  c->params.auto_level = random_below (random, 8) == 0;
  c->params.fully_connected_high = random_below (random, 2);
  c->params.close_at_border = random_below (random, 4) == 0;
  c->params.positive_orientation_high = random_below (random, 2);
  c->params.hierarchy = random_below (random, 2);
  c->params.measures = (CsMeasures) random_below (random, 3);
  c->params.points = (CsPointFormat) random_below (random, 3);
  if (random_below (random, 4) == 0)
    c->params.min_points = random_below (random, 12);
  if (random_below (random, 4) == 0)
    c->params.min_area = 4. * random_unit (random);
  if (random_below (random, 6) == 0)
    c->params.max_area = 100. * random_unit (random);
  if (random_below (random, 6) == 0)
    c->params.max_segments = 1 + random_below (random, 200);
  random_planes (c, channels);
}

/* Strides: interleaved, planar, or neither; rows padded or not. */
static void
random_layout (Random * random, CsSampleType type, guint width, guint height,
    guint channels, OwnImage * own)
{
  const gsize size = cs_sample_size (type);
  const guint pad = random_below (random, 3) ? 0 : random_below (random, 40);
  CsImage *image = &own->image;

  memset (own, 0, sizeof (*own));
  image->type = type;
  image->memory = CS_MEMORY_HOST;
  image->width = width;
  image->height = height;
  image->channels = channels;
  if (random_below (random, 2)) {
    const guint gap = random_below (random, 5) ? 0 : random_below (random, 3);

    image->channel_stride = size;
    image->pixel_stride = (channels + gap) * size;
    image->row_stride = width * image->pixel_stride + pad * size;
    own->size = height * image->row_stride;
  } else {
    image->pixel_stride = size;
    image->row_stride = (width + pad) * size;
    image->channel_stride = height * image->row_stride +
        random_below (random, 2) * 64 * size;
    own->size = channels * image->channel_stride;
  }
  own->offset = random_below (random, 3) * size;
  own->size += own->offset;
  own->block = malloc (own->size);
  memset (own->block, 0xff, own->size);
  image->data = (guint8 *) own->block + own->offset;
}

static void
store_plane (const OwnImage * own, guint channel, const double *plane)
{
  const CsImage *image = &own->image;

  for (guint r = 0; r < image->height; r++)
    for (guint c = 0; c < image->width; c++)
      store_sample (image->type, plane[(gsize) r * image->width + c],
          (guint8 *) own->block + own->offset + r * image->row_stride +
          c * image->pixel_stride + channel * image->channel_stride);
}

static double
channel_level (const Case * c, guint channel)
{
  for (guint i = 0; i < c->params.n_targets; i++)
    if (c->targets[i].channel == channel)
      return c->targets[i].level;
  return .5;
}

static void
random_mask (Case * c)
{
  const guint width = c->image.image.width, height = c->image.image.height;
  const guint kind = random_below (&c->random, 8);

  c->input.mask = NULL;
  if (kind > 2)
    return;
  g_autofree double *plane = g_new (double, (gsize) width * height);
  random_layout (&c->random, CS_SAMPLE_U8, width, height, 1, &c->mask);
  for (gsize i = 0; i < (gsize) width * height; i++) {
    const guint row = (guint) (i / width), column = (guint) (i % width);

    plane[i] = kind == 0 ? random_below (&c->random, 12) != 0 :
        kind == 1 ? (row / 7 + column / 9) % 3 : row > height / 4;
  }
  store_plane (&c->mask, 0, plane);
  c->mask_view = c->mask.image;
  c->input.mask = &c->mask_view;
}

static void
random_frame (Case * c, CsSampleType type, guint width, guint height,
    guint channels)
{
  Random *random = &c->random;
  g_autofree double *plane = g_new (double, (gsize) width * height);

  c->fill = (Fill) random_below (random, N_FILLS);
  random_layout (random, type, width, height, channels, &c->image);
  for (guint k = 0; k < channels; k++) {
    fill_plane (c->fill, random, width, height, channel_level (c, k),
        top_of (type), plane);
    store_plane (&c->image, k, plane);
  }
  memset (&c->input, 0, sizeof (c->input));
  c->input.image = c->image.image;
  random_mask (c);
  if (random_below (random, 4) == 0) {
    c->input.origin_x = random_below (random, 5000);
    c->input.origin_y = random_below (random, 5000);
  }
  c->input.first_id = (gint32) random_below (random, 100);
  c->input.image_index = (gint32) random_below (random, 3);
}

static void
clear_frame (Case * c)
{
  free (c->image.block);
  if (c->input.mask)
    free (c->mask.block);
}

static void
describe_planes (const CsContoursParams * p, GString * text)
{
  for (guint g = 0; g < p->n_groups; g++) {
    g_string_append_printf (text, " group %u %s:", g,
        p->group_mode == CS_GROUP_MAX ? "max" : "sum");
    for (guint k = 0; k < p->groups[g].n_channels; k++)
      g_string_append_printf (text, " %u", p->groups[g].channels[k]);
  }
  g_string_append_printf (text, "%s%s window %u offset %g%s",
      p->exclusive ? " exclusive" : "",
      p->auto_level && p->auto_method == CS_AUTO_LEVEL_OTSU ? " otsu" : "",
      p->adaptive_window, p->adaptive_offset,
      p->area_limits ? " limits of targets" : "");
}

static void
describe_case (const Case * c, GString * text)
{
  const CsContoursParams *p = &c->params;
  const CsImage *image = &c->input.image;

  g_string_append_printf (text, "seed %" G_GUINT64_FORMAT
      " case %u: %s %s %ux%ux%u strides %" G_GSIZE_FORMAT "/%" G_GSIZE_FORMAT
      "/%" G_GSIZE_FORMAT "%s origin %" G_GINT64_FORMAT ",%"
      G_GINT64_FORMAT, c->seed, c->number,
      fill_names[c->fill], type_names[image->type], image->width,
      image->height, image->channels, image->pixel_stride, image->row_stride,
      image->channel_stride, c->input.mask ? " mask" : "", c->input.origin_x,
      c->input.origin_y);
  for (guint i = 0; i < p->n_targets; i++)
    g_string_append_printf (text, " [%u]%.17g", p->targets[i].channel,
        p->targets[i].level);
  g_string_append_printf (text, "%s%s%s%s%s measures %d points %d min-points %u"
      " area %g..%g max-segments %" G_GSIZE_FORMAT,
      p->auto_level ? " auto" : "", p->fully_connected_high ? " high" : "",
      p->close_at_border ? " closed at the border" : "",
      p->positive_orientation_high ? " reversed" : "",
      p->hierarchy ? " hierarchy" : "", p->measures, p->points, p->min_points,
      p->min_area, p->max_area, p->max_segments);
  describe_planes (p, text);
}

/* Checks */

/* Compares one input on all backends with the oracle. */
static gboolean
check_input (const char *name, const CsContoursParams * params,
    const CsContoursInput * input, Backend ** backends, guint n_backends)
{
  Checker *checker = checker_new (name, params, backends, n_backends);
  const gboolean ok = checker && checker_check (checker, name, input);

  if (checker)
    checker_free (checker);
  return ok;
}

static gboolean
check_frame (Case * c, Backend ** backends, guint n_backends, Runner * runners)
{
  const CsMemory any = (CsMemory) random_below (&c->random, 3);
  const CsMemory memory = opt_device_memory ? CS_MEMORY_DEVICE : any;
  const gboolean want_host = random_below (&c->random, 4) != 0;
  g_autoptr (GString) name = g_string_new (NULL);
  OracleResult expected;
  gboolean ok = TRUE;

  describe_case (c, name);
  oracle_run (&c->params, &c->input, &expected);
  for (guint b = 0; b < n_backends; b++) {
    const gboolean cuda = is_cuda (backends[b]);

    ok &= run_and_compare (name->str, backends[b], &runners[b], &c->params,
        &c->input, cuda ? memory : CS_MEMORY_HOST, cuda ? want_host : FALSE,
        &expected);
  }
  oracle_clear (&expected);
  return ok;
}

/* Other numbers for the same plans, as an element's animated properties. */
static gboolean
change_params (Case * c, CsSampleType type, Runner * runners, guint n)
{
  Random *random = &c->random;
  gboolean ok = TRUE;

  for (guint i = 0; i < c->params.n_targets; i++)
    c->targets[i].level = random_level (random, top_of (type));
  c->params.fully_connected_high = random_below (random, 2);
  c->params.close_at_border ^= random_below (random, 4) == 0;
  c->params.positive_orientation_high = random_below (random, 2);
  c->params.min_points = random_below (random, 8);
  c->params.min_area = random_below (random, 2) ? 0. : random_unit (random);
  for (guint i = 0; i < n; i++)
    ok &= cs_contours_set_params (runners[i].plan, &c->params, NULL);
  return ok;
}

/* Plans may be warmed up for the frames that come, or others. */
static gboolean
warm_up (Case * c, Runner * runners, guint n)
{
  gboolean ok = TRUE;

  if (random_below (&c->random, 3))
    return TRUE;
  for (guint i = 0; i < n; i++)
    ok &= cs_contours_warm_up (runners[i].plan, &c->input.image, 1, NULL);
  return ok;
}

/* Splits small images on the CPU, too: into jobs of few samples, and these into
 * bands of few rows. Part of a case; its random numbers are its own. */
static void
split_finely (guint64 seed, guint number)
{
  Random random = {.state = seed + number * G_GUINT64_CONSTANT (0x9e3779b9) };

  cs_cpu_samples_per_job = (gsize) 64 << random_below (&random, 12);
  cs_cpu_band_rows = 1 + random_below (&random, random_below (&random, 2) ? 8 :
      80);
}

static gboolean
check_case (guint64 seed, guint number, Backend ** backends, guint n_backends)
{
  const gsize samples_per_job = cs_cpu_samples_per_job;
  const guint band_rows = cs_cpu_band_rows;
  g_autofree Runner *runners = g_new0 (Runner, n_backends);
  gboolean ok = TRUE;
  guint channels;
  Case c = {.seed = seed,.number = number };

  c.random.state = seed * G_GUINT64_CONSTANT (0x632be59bd9b4e019) + number;
  CsSampleType type = (CsSampleType) random_below (&c.random, 5);
  channels = random_below (&c.random, 2) ? 1 : 1 + random_below (&c.random,
      random_below (&c.random, 4) ? 5 : 16);
  random_params (&c, type, channels);
  split_finely (seed, number);
  for (guint b = 0; b < n_backends; b++)
    ok &= runner_open (&runners[b], backends[b], &c.params, "plan");
  for (guint f = 0; f < FRAMES && ok; f++) {
    const guint width = random_side (&c.random);

    /* every size with every type sooner or later */
    random_frame (&c, f == 2 ? (CsSampleType) random_below (&c.random, 5) :
        type, width, random_side (&c.random), channels);
    if (f == 1 && random_below (&c.random, 2))
      ok = change_params (&c, type, runners, n_backends);
    ok = ok && warm_up (&c, runners, n_backends) &&
        check_frame (&c, backends, n_backends, runners);
    clear_frame (&c);
  }
  for (guint b = 0; b < n_backends; b++)
    runner_close (&runners[b]);
  cs_cpu_samples_per_job = samples_per_job;
  cs_cpu_band_rows = band_rows;
  return ok;
}

/* Sizes beyond the random cases. */

typedef struct
{
  guint width, height;
  Fill fill;
  gboolean hierarchy;
} LargeCase;

/* Many bands, tiles, and pieces of one contour. */
static const LargeCase large_cases[] = {
  {8193, 33, FILL_TERNARY, TRUE},
  {33, 8193, FILL_NOISE, TRUE},
  {511, 386, FILL_SPIRAL, TRUE},
  {640, 360, FILL_BLURRED, TRUE},
  {641, 357, FILL_PLATEAU, TRUE},
  {500, 400, FILL_CHECKERBOARD, FALSE},
  {500, 500, FILL_DIAGONAL, TRUE},
};

/* Sizes of frames, with --full. */
static const LargeCase full_cases[] = {
  {1023, 770, FILL_SPIRAL, TRUE},
  {1200, 900, FILL_TERNARY, TRUE},
  {1920, 1080, FILL_BLURRED, TRUE},
  {1920, 1080, FILL_NOISE, FALSE},
  {1920, 1080, FILL_PLATEAU, TRUE},
  {1500, 1500, FILL_BUBBLES, TRUE},
  {2000, 1000, FILL_CHECKERBOARD, FALSE},
  {1000, 2000, FILL_ROWS, FALSE},
  {2001, 1003, FILL_DIAGONAL, TRUE},
};

static gboolean
check_large (const LargeCase * large, Backend ** backends, guint n_backends)
{
  const gsize n = (gsize) large->width * large->height;
  g_autofree char *name = g_strdup_printf ("large: %s %ux%u",
      fill_names[large->fill], large->width, large->height);
  const CsContoursTarget target = { 0, 128. };
  g_autofree double *plane = g_new (double, n);
  g_autofree guint8 *samples = g_new (guint8, n);
  CsContoursInput input = { 0, };
  CsContoursParams params;
  Random random = { 7 };

  cs_contours_params_init (&params);
  params.targets = &target;
  params.hierarchy = large->hierarchy;
  params.measures = CS_MEASURES_FULL;
  fill_plane (large->fill, &random, large->width, large->height, target.level,
      255., plane);
  for (gsize i = 0; i < n; i++)
    store_sample (CS_SAMPLE_U8, plane[i], samples + i);
  input.image = cs_image_gray (samples, CS_SAMPLE_U8, large->width,
      large->height, large->width);
  return check_input (name, &params, &input, backends, n_backends);
}

/* Samples whose differences are too large for a double. */
static gboolean
check_huge_values (Backend ** backends, guint n_backends)
{
  static const double levels[] = { 0., .75e308, -1.7e308, 1.6e308 };
  double samples[16 * 16];
  CsContoursInput input = { 0, };
  CsContoursParams params;
  Random random = { 11 };
  gboolean ok = TRUE;

  cs_contours_params_init (&params);
  params.points = CS_POINTS_F64;
  params.hierarchy = TRUE;
  input.image = cs_image_gray (samples, CS_SAMPLE_F64, 16, 16,
      16 * sizeof (double));
  for (guint i = 0; i < G_N_ELEMENTS (levels); i++) {
    const CsContoursTarget target = { 0, levels[i] };

    params.targets = &target;
    for (guint k = 0; k < G_N_ELEMENTS (samples); k++)
      samples[k] = ((double) random_below (&random, 1797) - 898) * 2e305;
    ok &= check_input ("huge values", &params, &input, backends, n_backends);
  }
  return ok;
}

/* Bytes in rows of whole words of 16, at and beside levels that are codes. */
static gboolean
check_bytes (Backend ** backends, guint n_backends)
{
  static const double levels[] = { 128., 127.5, 0., 255., 254.5, -.25, 255.25,
    128. + 0x1p-45, 3. - 0x1p-51, 128.001
  };
  static const guint widths[] = { 49, 64, 66, 75, 80, 96 };
  enum { STRIDE = 96, HEIGHT = 67 };
  g_autofree guint8 *samples = g_malloc (STRIDE * HEIGHT);
  CsContoursInput input = { 0, };
  CsContoursParams params;
  Random random = { 17 };
  gboolean ok = TRUE;

  cs_contours_params_init (&params);
  params.points = CS_POINTS_F64;
  for (guint i = 0; i < G_N_ELEMENTS (levels); i++) {
    const CsContoursTarget target = { 0, levels[i] };
    const gint code = (gint) CLAMP (levels[i] + .5, 0., 255.);

    params.targets = &target;
    for (guint w = 0; w < G_N_ELEMENTS (widths); w++) {
      params.fully_connected_high = (i + w) % 2;
      input.origin_x = w % 3 == 2 ? 2000000000 : w;
      for (guint k = 0; k < STRIDE * HEIGHT; k++)
        samples[k] = random_below (&random, 8) == 0 ?
            (guint8) random_below (&random, 256) :
            (guint8) CLAMP (code - 1 + (gint) random_below (&random, 3), 0,
            255);
      input.image = cs_image_gray (samples, CS_SAMPLE_U8, widths[w], HEIGHT,
          STRIDE);
      ok &= check_input ("bytes", &params, &input, backends, n_backends);
    }
  }
  return ok;
}

/* Groups of many channels, of all types, interleaved and not. */
static gboolean
check_groups (CsSampleType type, gboolean interleaved, CsGroupMode mode,
    Backend ** backends, guint n_backends)
{
  static const guint members[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
  static const CsContoursGroup groups[] = { {members + 4, 3}, {members, 11},
  {members, 5}
  };
  enum { SIDE = 67, CHANNELS = 12 };
  const gsize size = cs_sample_size (type);
  const double top = top_of (type);
  CsContoursTarget targets[4] = { {0, top / 2}, };
  g_autofree guint8 *samples = g_malloc (SIDE * SIDE * CHANNELS * size);
  CsContoursInput input = { 0, };
  CsContoursParams params;
  Random random = { 13 };

  cs_contours_params_init (&params);
  params.targets = targets;
  params.n_targets = G_N_ELEMENTS (targets);
  params.groups = groups;
  params.n_groups = G_N_ELEMENTS (groups);
  params.group_mode = mode;
  params.first_group_class = CHANNELS;
  for (guint i = 0; i < params.n_groups; i++)
    targets[i + 1] = (CsContoursTarget) {
    CS_CONTOURS_GROUP (i), mode == CS_GROUP_MAX ? .9 * top :
          groups[i].n_channels * top / 2};
  for (guint i = 0; i < SIDE * SIDE * CHANNELS; i++)
    store_sample (type, top * random_unit (&random), samples + i * size);
  input.image = cs_image_gray (samples, type, SIDE, SIDE,
      SIDE * size * (interleaved ? CHANNELS : 1));
  input.image.channels = CHANNELS;
  input.image.pixel_stride = size * (interleaved ? CHANNELS : 1);
  input.image.channel_stride = size * (interleaved ? 1 : SIDE * SIDE);
  gboolean ok = check_input ("groups", &params, &input, backends, n_backends);
  return ok;
}

/* The program */

static void
list_all (void)
{
  printf ("fills:");
  for (guint i = 0; i < N_FILLS; i++)
    printf (" %s", fill_names[i]);
  printf ("\nbench:\n");
  bench_list ();
}

static guint
open_backends (const char *names, Backend ** backends)
{
  guint n = 0;

  if (strcmp (names, "cuda") != 0) {
    backends[n++] = backend_new_cpu (1);
    backends[n++] = backend_new_cpu (0);
  }
  if (strcmp (names, "cpu") != 0) {
    backends[n] = backend_new_cuda ();
    n += backends[n] != NULL;
  }
  return n;
}

static const GOptionEntry entries[] = {
  {"backend", 0, 0, G_OPTION_ARG_STRING, &opt_backend,
      "cpu, cuda, or both (default: cpu, and cuda when there is a device)",
      "NAME"},
  {"seed", 0, 0, G_OPTION_ARG_INT, &opt_seed, "Seed of the cases", "N"},
  {"cases", 0, 0, G_OPTION_ARG_INT, &opt_cases, "How many random cases", "N"},
  {"first", 0, 0, G_OPTION_ARG_INT, &opt_first, "Number of the first", "N"},
  {"checks", 0, 0, G_OPTION_ARG_STRING, &opt_checks, "Only these of cases, "
        "values, groups, areas, bands, batches, measures; --no-large for "
        "nothing else", "NAMES"},
  {"part", 0, 0, G_OPTION_ARG_STRING, &opt_part,
      "Part I of N of the cases, such as 1/3", "I/N"},
  {"no-large", 0, 0, G_OPTION_ARG_NONE, &opt_no_large,
      "Leave out large images and the exhaustive tests", NULL},
  {"full", 0, 0, G_OPTION_ARG_NONE, &opt_full, "Also images of some megapixels",
      NULL},
  {"conformance", 0, 0, G_OPTION_ARG_FILENAME, &opt_conformance,
      "Also the cases of this file, if it is there", "FILE"},
  {"device-memory", 0, 0, G_OPTION_ARG_NONE, &opt_device_memory,
      "CUDA: random cases read device memory only, and results are page-locked (for"
      " sanitizers: initcheck does not see what the host writes)", NULL},
  {"list", 0, 0, G_OPTION_ARG_NONE, &opt_list, "List fills and bench rows",
      NULL},
  {"bench", 0, 0, G_OPTION_ARG_NONE, &opt_bench, "Measure, do not check",
      NULL},
  {"only", 0, 0, G_OPTION_ARG_STRING, &opt_bench_only,
      "Measure rows whose name contains this", "TEXT"},
  {"save", 0, 0, G_OPTION_ARG_FILENAME, &opt_save,
      "Write the measured images there, as row-N.npy, but not batches", "FOLDER"},
  {"cadence", 0, 0, G_OPTION_ARG_NONE, &opt_cadence,
      "Measure the CPU also with 33 ms between frames", NULL},
  {NULL}
};

static gboolean
is_wanted (const char *check)
{
  return !opt_checks || strstr (opt_checks, check);
}

static void
check_all (Backend ** backends, guint n_backends)
{
  count (oracle_self_test () == 0);
  if (opt_conformance && is_of_part () &&
      !check_conformance (opt_conformance, backends, n_backends))
    printf ("no conformance cases at %s, left out\n", opt_conformance);
  for (guint i = 0; i < (guint) opt_cases && is_wanted ("cases"); i++)
    if (is_of_part ())
      count (check_case ((guint64) opt_seed, (guint) opt_first + i, backends,
              n_backends));
  if (is_wanted ("values") && is_of_part ()) {
    count (check_huge_values (backends, n_backends));
    count (check_bytes (backends, n_backends));
  }
  if (is_wanted ("values") && is_of_part ())
    check_many (backends, n_backends, !opt_device_memory);
  for (guint i = 0; i < 20 && is_wanted ("groups"); i++)
    if (is_of_part ())
      count (check_groups ((CsSampleType) (i % 5), i / 5 % 2,
              i < 10 ? CS_GROUP_SUM : CS_GROUP_MAX, backends, n_backends));
  if (is_wanted ("areas"))
    check_areas (backends, n_backends);
  if (is_wanted ("bands"))
    check_bands (backends, n_backends, (guint) opt_cases * 10 / 3);
  if (is_wanted ("batches"))
    check_batches (backends, n_backends);
  if (is_wanted ("measures"))
    check_measures (backends, n_backends);
  if (opt_no_large)
    return;
  if (is_of_part ())
    check_exhaustive (backends, n_backends);
  if (is_of_part ())
    check_parents (backends, n_backends);
  for (guint i = 0; i < G_N_ELEMENTS (large_cases); i++)
    if (is_of_part ())
      count (check_large (&large_cases[i], backends, n_backends));
  for (guint i = 0; i < G_N_ELEMENTS (full_cases) && opt_full; i++)
    if (is_of_part ())
      count (check_large (&full_cases[i], backends, n_backends));
}

static gboolean
parse_options (int *argc, char ***argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  gboolean ok = g_option_context_parse (context, argc, argv, &error);
  if (!ok) {
    fprintf (stderr, "%s\n", error->message);
    g_error_free (error);
  }
  g_option_context_free (context);
  if (ok && opt_backend && strcmp (opt_backend, "cpu") != 0 &&
      strcmp (opt_backend, "cuda") != 0 && strcmp (opt_backend, "both") != 0) {
    fprintf (stderr, "--backend is cpu, cuda or both\n");
    ok = FALSE;
  }
  if (ok && opt_part && !set_part (opt_part)) {
    fprintf (stderr, "--part is I/N, such as 1/3\n");
    ok = FALSE;
  }
  return ok;
}

int
main (int argc, char **argv)
{
  guint n_backends;
  Backend *backends[3];

  setlocale (LC_ALL, "");
  if (!parse_options (&argc, &argv))
    return 2;
  if (opt_list) {
    list_all ();
    return 0;
  }
  n_backends = open_backends (opt_backend ? opt_backend : "any", backends);
  if (n_backends == 0 || (opt_backend && strcmp (opt_backend, "both") == 0 &&
          n_backends < 3)) {
    printf ("no CUDA device, skipped\n");
    return EXIT_SKIPPED;
  }
  if (opt_bench)
    bench_run (opt_bench_only, !is_cuda (backends[0]),
        is_cuda (backends[n_backends - 1]) ? backends[n_backends - 1] : NULL,
        opt_cadence, opt_save);
  else
    check_all (backends, n_backends);
  if (!opt_bench && is_whole () && !opt_checks && opt_cases >= FEWEST)
    check_taken (backends, n_backends, opt_cases >= FEWEST_OF_CPU &&
        !opt_no_large, !opt_device_memory);
  for (guint i = 0; i < n_backends; i++)
    backend_free (backends[i]);
  return opt_bench ? 0 : finish ();
}
