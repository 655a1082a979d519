/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "circles.h"

#include <math.h>

#include "base/quarters.h"

/* Random numbers are hashes of (seed, index, purpose): stateless, so that
 * circles and times are independent. Only operations that IEEE 754 defines
 * exactly are used, and of the C library only floor() and fmod(), which are
 * exact. */

/* Alpha .5, as near as a code comes. */
#define HALF 0x80u

/* Period of animated scenes in seconds; seamless, since all motions have a
 * whole number of periods in it. */
#define LOOP_SECONDS 600.

#define N_SNOWFLAKES 4000
#define N_BALLS 48
#define N_ROCKETS 24
#define N_SPARKS 128
#define N_RINGS 40

/* The smaller grid of the pattern, and the larger one. */
#define PATTERN_SMALL 16
#define PATTERN_LARGE 31

typedef void (*MakeFunc) (CsScene scene, guint32 seed, double seconds,
    CsCircle * circles);

typedef struct
{
  const char *name;
  gsize n_circles;
  gboolean animated;
  MakeFunc make;
} SceneInfo;

/* Randomness */

typedef enum
{
  FOR_PLACE,
  FOR_LOOK,
  FOR_SIZE,
  FOR_MOTION,
  FOR_SWAY,
  FOR_BURST,
} Purpose;

static guint64
hash (guint32 seed, guint64 index, Purpose purpose)
{
  guint64 h = ((guint64) seed << 32 | purpose) + index * 0x9e3779b97f4a7c15u;

  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  h ^= h >> 31;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

/* Uniform in [0, 1) with 24 bits; number 0 or 1 of a hash. */
static double
uniform (guint64 hashed, guint which)
{
  return (double) ((hashed >> (16 + 24 * which)) & 0xffffff) / 0x1000000;
}

static guint32
to_code (double value)
{
  return (guint32) (CLAMP (value, 0., 1.) * 255. + .5);
}

static guint32
rgba (double r, double g, double b, double a)
{
  return to_code (r) << 24 | to_code (g) << 16 | to_code (b) << 8 | to_code (a);
}

/* A saturated colour of hue 0 <= @hue < 1. */
static guint32
bright (double hue, double alpha)
{
  double r = fabs (hue * 6. - 3.) - 1.;
  double g = 2. - fabs (hue * 6. - 2.), b = 2. - fabs (hue * 6. - 4.);

  return rgba (.15 + .85 * CLAMP (r, 0., 1.), .15 + .85 * CLAMP (g, 0., 1.),
      .15 + .85 * CLAMP (b, 0., 1.), alpha);
}

/* Random position, depth and colour; half transparent. */
static CsCircle
random_circle (guint32 seed, gsize i, double r)
{
  const guint64 place = hash (seed, i, FOR_PLACE);
  const guint64 look = hash (seed, i, FOR_LOOK);

  return (CsCircle) {
  (float) uniform (place, 0), (float) uniform (place, 1), (float) r,
        (float) uniform (look, 0), (guint32) (look >> 40) << 8 | HALF};
}

/* Static scenes */

static void
make_rgb (CsScene scene, guint32 seed, double seconds, CsCircle * circles)
{
  circles[0] = (CsCircle) { .39f, .58f, .28f, .75f, 0xff000000u | HALF };
  circles[1] = (CsCircle) { .61f, .58f, .28f, .5f, 0x00ff0000u | HALF };
  circles[2] = (CsCircle) { .5f, .4f, .28f, .25f, 0x0000ff00u | HALF };
}

/* As make_rgb(), with yellow in front; not sorted by depth. */
static void
make_rgby (CsScene scene, guint32 seed, double seconds, CsCircle * circles)
{
  CsCircle rgb[3];

  make_rgb (scene, seed, seconds, rgb);
  circles[0] = rgb[2];
  circles[1] = rgb[0];
  circles[2] = (CsCircle) { .5f, .52f, .16f, .125f, 0xffff0000u | HALF };
  circles[3] = rgb[1];
}

static void
make_random (CsScene scene, guint32 seed, double seconds, CsCircle * circles)
{
  const gsize n = cs_scene_get_n_circles (scene);
  double min_r = .02, spread = .06;

  if (scene == CS_SCENE_RAND1M) {
    min_r = .009;
    spread = .005;
  } else if (scene == CS_SCENE_MICRO2M) {
    min_r = .001;
    spread = 0.;
  }
  for (gsize i = 0; i < n; i++)
    circles[i] = random_circle (seed, i,
        min_r + spread * uniform (hash (seed, i, FOR_SIZE), 0));
}

/* 9000 large circles and 1000 small ones, all of these in the upper left
 * corner; in order of depth, farthest first. */
static void
make_big_and_little (CsScene scene, guint32 seed, double seconds,
    CsCircle * circles)
{
  const gsize n = cs_scene_get_n_circles (scene), n_little = n / 10;
  const gboolean big_first = scene == CS_SCENE_BIGLITTLE;

  for (gsize i = 0; i < n; i++) {
    const gboolean little = big_first ? i >= n - n_little : i < n_little;
    const gboolean first = little != big_first;
    CsCircle c = random_circle (seed, i, little ? .05 : .25);

    c.z = .5f * c.z + (first ? .5f : 0.f);
    if (little) {
      c.x *= .25f;
      c.y *= .25f;
    }
    circles[i] = c;
  }
}

static CsCircle *
make_grid (guint side, double step, double first, float z, guint32 seed,
    CsCircle * circles)
{
  for (guint row = 0; row < side; row++) {
    for (guint column = 0; column < side; column++) {
      const guint64 look = hash (seed, (guint64) side << 32 | row << 16
          | column, FOR_LOOK);

      *circles++ = (CsCircle) {
      (float) (first + column * step), (float) (first + row * step),
            1.f / 32.f, z, (guint32) (look >> 40) << 8 | HALF};
    }
  }
  return circles;
}

/* Circles that touch their neighbours, and in front of them a grid of half the
 * step. */
static void
make_pattern (CsScene scene, guint32 seed, double seconds, CsCircle * circles)
{
  circles = make_grid (PATTERN_SMALL, 1. / 16., 1. / 32., 1.f, seed, circles);
  make_grid (PATTERN_LARGE, 1. / 32., 1. / 32., .5f, seed, circles);
}

/* Animated scenes */

static double
fraction (double value)
{
  return value - floor (value);
}

/* Position in the loop, 0 <= x < 1. */
static double
loop_position (double seconds)
{
  if (!isfinite (seconds))
    return 0.;
  return fraction (fmod (seconds, LOOP_SECONDS) / LOOP_SECONDS);
}

/* Phase of a motion that starts at @begin and repeats @times times per loop. */
static double
phase (double begin, guint times, double position)
{
  return fraction (begin + fraction (times * position));
}

/* The point of the unit circle after @turns turns, by a truncated Taylor
 * series, accurate to 10 digits within an eighth of a turn. */
static void
on_unit_circle (double turns, double *x, double *y)
{
  const double quarter = floor (turns * 4. + .5);
  const double a = (turns - quarter / 4.) * 2. * G_PI, q = a * a;

  *x = 1. - q / 2. * (1. - q / 12. * (1. - q / 30. * (1. -
              q / 56. * (1. - q / 90.))));
  *y = a * (1. - q / 6. * (1. - q / 20. * (1. - q / 42. * (1. -
              q / 72. * (1. - q / 110.)))));
  cs_rotate_quarters ((gint64) quarter, x, y);
}

/* Near flakes are larger, brighter and faster; all sway in a light wind. */
static void
make_snow (CsScene scene, guint32 seed, double seconds, CsCircle * circles)
{
  const double position = loop_position (seconds);

  for (guint i = 0; i < N_SNOWFLAKES; i++) {
    const guint64 place = hash (seed, i, FOR_PLACE);
    const guint64 sway = hash (seed, i, FOR_SWAY);
    const double z = uniform (hash (seed, i, FOR_LOOK), 0), near = 1. - z;
    const double r = .002 + .006 * near;
    const double fall = phase (uniform (place, 1), 50 + (guint) (100. * near),
        position);
    const double drift = phase (uniform (place, 0), 3 + (guint) (6. * near),
        position);
    double x, y;

    on_unit_circle (phase (uniform (sway, 0),
            100 + (guint) (150. * uniform (sway, 1)), position), &x, &y);
    circles[i] = (CsCircle) {
    (float) ((drift * 1.1 - .05) + .012 * x),
          (float) (fall * (1. + 2. * r) - r), (float) r, (float) z, rgba (1.,
          1., 1., .35 + .6 * near)};
  }
}

/* Parabolic bounces, reflected at the walls. */
static void
make_bouncing_balls (CsScene scene, guint32 seed, double seconds,
    CsCircle * circles)
{
  const double position = loop_position (seconds);

  for (guint i = 0; i < N_BALLS; i++) {
    const guint64 place = hash (seed, i, FOR_PLACE);
    const guint64 look = hash (seed, i, FOR_LOOK);
    const guint64 motion = hash (seed, i, FOR_MOTION);
    const double r = .02 + .05 * uniform (hash (seed, i, FOR_SIZE), 0);
    const guint bounces = 400 + (guint) (400. * uniform (motion, 0));
    /* equal gravity: the height is proportional to the time squared */
    const double height = (400. / bounces) * (400. / bounces);
    const double up = phase (uniform (place, 1), bounces, position);
    const double across = phase (uniform (place, 0),
        60 + (guint) (120. * uniform (motion, 1)), position);
    const double way = 1. - fabs (2. * across - 1.);

    circles[i] = (CsCircle) {
    (float) (r + (1. - 2. * r) * way),
          (float) (1. - r - (1. - 2. * r) * height * 4. * up * (1. - up)),
          (float) r, (float) uniform (look, 0), bright (uniform (look, 1),
          .75)};
  }
}

/* A spark of a rocket at phase @f of the flight with seed @flight. While the
 * rocket rises, its sparks are the tail. */
static CsCircle
make_spark (guint32 seed, guint64 flight, guint spark, double f)
{
  const double rise_end = .3, ground = 1.03;
  const guint64 place = hash (seed, flight, FOR_PLACE);
  const guint64 burst = hash (seed, flight * N_SPARKS + spark, FOR_BURST);
  const double hue = uniform (hash (seed, flight, FOR_LOOK), 0);
  const double x = .12 + .76 * uniform (place, 0);
  const double top = .15 + .35 * uniform (place, 1);
  const float z = (float) uniform (burst, 0);
  double g, left, ux, uy, way;

  if (f < rise_end) {
    g = MAX (f / rise_end - .15 * spark / N_SPARKS, 0.);
    left = 1. - g;
    return (CsCircle) {
    (float) x, (float) (ground + (top - ground) * (1. - left * left)),
          .0025f, z, rgba (1., .85, .6, .5 * (1. - (double) spark /
              N_SPARKS))};
  }
  g = (f - rise_end) / (1. - rise_end);
  left = 1. - g;
  on_unit_circle (uniform (burst, 0), &ux, &uy);
  way = (.06 + .2 * sqrt (uniform (burst, 1))) * (1. - left * left * left);
  return (CsCircle) {
  (float) (x + ux * way), (float) (top + uy * way + .2 * g * g),
        (float) (.0025 + .0045 * left), z, bright (fraction (hue +
          .12 * uniform (burst, 1)), left)};
}

static void
make_fireworks (CsScene scene, guint32 seed, double seconds, CsCircle * circles)
{
  const double position = loop_position (seconds);

  for (guint rocket = 0; rocket < N_ROCKETS; rocket++) {
    const guint64 motion = hash (seed, rocket, FOR_MOTION);
    const guint n_flights = 100 + (guint) (100. * uniform (motion, 0));
    const double flown = uniform (motion, 1) + n_flights * position;
    const guint64 flight = (guint64) rocket << 32
        | (guint) floor (flown) % n_flights;

    for (guint spark = 0; spark < N_SPARKS; spark++)
      *circles++ = make_spark (seed, flight, spark, fraction (flown));
  }
}

/* Rings expanding from a centre that moves on a circle. */
static void
make_hypnosis (CsScene scene, guint32 seed, double seconds, CsCircle * circles)
{
  const double position = loop_position (seconds);
  const double hue = uniform (hash (seed, 0, FOR_LOOK), 0);

  for (guint i = 0; i < N_RINGS; i++) {
    const double grown = phase ((double) i / N_RINGS, 60, position);
    const double r = .001 + 1.1 * grown * (.4 + .6 * grown);
    double x, y;

    on_unit_circle (fraction (90. * position + 1. - grown), &x, &y);
    circles[i] = (CsCircle) {
    (float) (.5 + .06 * x * (1. - grown)),
          (float) (.5 + .06 * y * (1. - grown)), (float) r, (float) r,
          i % 2 ? rgba (.04, .04, .08, .94) : bright (hue, .94)};
  }
}

/* The table of scenes */

/* *INDENT-OFF* */
static const SceneInfo scenes[CS_N_SCENES] = {
  [CS_SCENE_NONE] = {"none", 0, FALSE, NULL},
  [CS_SCENE_RGB] = {"rgb", 3, FALSE, make_rgb},
  [CS_SCENE_RGBY] = {"rgby", 4, FALSE, make_rgby},
  [CS_SCENE_RAND10K] = {"rand10k", 10000, FALSE, make_random},
  [CS_SCENE_RAND100K] = {"rand100k", 100000, FALSE, make_random},
  [CS_SCENE_RAND1M] = {"rand1m", 1000000, FALSE, make_random},
  [CS_SCENE_BIGLITTLE] = {"biglittle", 10000, FALSE, make_big_and_little},
  [CS_SCENE_LITTLEBIG] = {"littlebig", 10000, FALSE, make_big_and_little},
  [CS_SCENE_PATTERN] = {"pattern", PATTERN_SMALL * PATTERN_SMALL
        + PATTERN_LARGE * PATTERN_LARGE, FALSE, make_pattern},
  [CS_SCENE_MICRO2M] = {"micro2m", 2000000, FALSE, make_random},
  [CS_SCENE_SNOW] = {"snow", N_SNOWFLAKES, TRUE, make_snow},
  [CS_SCENE_BOUNCINGBALLS] = {"bouncingballs", N_BALLS, TRUE,
      make_bouncing_balls},
  [CS_SCENE_FIREWORKS] = {"fireworks", N_ROCKETS * N_SPARKS, TRUE,
      make_fireworks},
  [CS_SCENE_HYPNOSIS] = {"hypnosis", N_RINGS, TRUE, make_hypnosis},
};
/* *INDENT-ON* */

const char *
cs_scene_get_name (CsScene scene)
{
  g_return_val_if_fail ((guint) scene < CS_N_SCENES, NULL);
  return scenes[scene].name;
}

gboolean
cs_scene_is_animated (CsScene scene)
{
  g_return_val_if_fail ((guint) scene < CS_N_SCENES, FALSE);
  return scenes[scene].animated;
}

gsize
cs_scene_get_n_circles (CsScene scene)
{
  g_return_val_if_fail ((guint) scene < CS_N_SCENES, 0);
  return scenes[scene].n_circles;
}

void
cs_scene_make (CsScene scene, guint32 seed, double seconds, CsCircle * circles)
{
  g_return_if_fail ((guint) scene < CS_N_SCENES);
  if (scenes[scene].make)
    scenes[scene].make (scene, seed, seconds, circles);
}
