/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenes, scene files, circles as marks, and circles around points. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/check.h"
#include "check_gradients.h"
#include "circles/circles.h"

/* What scene files fill. */
static CsGradientSet *gradients;

/* Scenes */

static CsCircle *
make (CsScene scene, guint32 seed, double seconds)
{
  CsCircle *circles = g_new0 (CsCircle, cs_scene_get_n_circles (scene) + 1);

  cs_scene_make (scene, seed, seconds, circles);
  return circles;
}

/* FNV-1a of the words, their least significant bytes first. */
static guint64
checksum (CsScene scene, guint32 seed, double seconds)
{
  g_autofree CsCircle *circles = make (scene, seed, seconds);
  const gsize n = cs_scene_get_n_circles (scene);
  guint64 sum = 0xcbf29ce484222325u;

  for (gsize k = 0; k < n; k++) {
    /* position, radius, depth, colour */
    const guint32 *words = (const guint32 *) &circles[k];

    for (gsize i = 0; i < 20; i++)
      sum = (sum ^ (words[i / 4] >> (8 * (i % 4)) & 255)) * 0x100000001b3u;
  }
  return sum;
}

static void
check_scene_is_sane (CsScene scene, double seconds)
{
  const gsize n = cs_scene_get_n_circles (scene);
  const char *name = cs_scene_get_name (scene);
  g_autofree CsCircle *circles = make (scene, 7, seconds);
  gsize n_good = 0;

  for (gsize i = 0; i < n; i++) {
    const CsCircle *c = &circles[i];

    n_good += fabsf (c->x - .5f) < 1.5f && fabsf (c->y - .5f) < 1.5f
        && c->r > 0.f && c->r < 1.2f && c->z >= 0.f && c->z <= 1.2f;
  }
  check_that (n_good == n, "%s at %g: %zu of %zu circles are good", name,
      seconds, n_good, n);
  check_that (circles[n].r == 0.f && circles[n].rgba == 0,
      "%s writes more than its circles", name);
}

/* The same bits on every machine: sums of what the first build made. */
static void
check_checksums (void)
{
  static const struct
  {
    CsScene scene;
    guint32 seed;
    double seconds;
    guint64 sum;
  } sums[] = {
    {CS_SCENE_RGB, 0u, 0.,
      0x1e0c9949a86b8672u},
    {CS_SCENE_RGBY, 0u, 0.,
      0x88228250dcffc4bfu},
    {CS_SCENE_RAND10K, 0u, 0.,
      0xfbea209ffa24abb3u},
    {CS_SCENE_RAND100K, 0u, 0.,
      0x7d7dbf4136abbc98u},
    {CS_SCENE_RAND1M, 0u, 0.,
      0x2f28622317f2e5d2u},
    {CS_SCENE_BIGLITTLE, 0u, 0.,
      0xa97a1af8a25f9174u},
    {CS_SCENE_LITTLEBIG, 0u, 0.,
      0x9761f3c1f039cd7fu},
    {CS_SCENE_PATTERN, 0u, 0.,
      0xaac6751edd30d244u},
    {CS_SCENE_MICRO2M, 0u, 0.,
      0x4218ae4e4dd6d293u},
    {CS_SCENE_SNOW, 0u, 0.,
      0x932a0f0a9d2c9c9bu},
    {CS_SCENE_BOUNCINGBALLS, 0u, 0.,
      0x1d506a3d781d4a6au},
    {CS_SCENE_FIREWORKS, 0u, 0.,
      0xec173e2404155682u},
    {CS_SCENE_HYPNOSIS, 0u, 0.,
      0x95a3dbdd597c4625u},
    {CS_SCENE_SNOW, 12345u, 271.828,
      0x91e8bf2e10b576a5u},
    {CS_SCENE_BOUNCINGBALLS, 12345u, 271.828,
      0x1ed65def762632d8u},
    {CS_SCENE_FIREWORKS, 12345u, 271.828,
      0x5c4b8c742808f788u},
    {CS_SCENE_HYPNOSIS, 12345u, 271.828,
      0x8a6037abf253a9c6u},
    {CS_SCENE_RAND10K, 4294967295u, 0.,
      0xc856f35d4f88e040u},
  };

  for (guint i = 0; i < G_N_ELEMENTS (sums); i++) {
    const guint64 sum = checksum (sums[i].scene, sums[i].seed, sums[i].seconds);

    check_that (sum == sums[i].sum, "%s, seed %u, at %g s: the checksum is 0x%"
        G_GINT64_MODIFIER "x", cs_scene_get_name (sums[i].scene),
        sums[i].seed, sums[i].seconds, sum);
  }
}

static void
check_time (CsScene scene)
{
  const char *name = cs_scene_get_name (scene);
  const guint64 begin = checksum (scene, 1, 0.);
  static const double times[] = { -3., 1e-9, 599.999, 12345.678, 1e18, -1e300,
    DBL_MAX
  };

  if (!cs_scene_is_animated (scene)) {
    check_that (checksum (scene, 1, 5.) == begin, "%s moves", name);
    return;
  }
  check_that (checksum (scene, 1, .04) != begin, "%s does not move", name);
  check_that (checksum (scene, 1, 600.) == begin, "%s does not begin again",
      name);
  check_that (checksum (scene, 1, 7.5) == checksum (scene, 1, 607.5),
      "%s is another one in the next round", name);
  check_that (checksum (scene, 1, NAN) == begin, "%s at no time", name);
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    check_scene_is_sane (scene, times[i]);
}

/* Between two frames most circles move a little; the rest begin again. */
static void
check_motion (CsScene scene)
{
  const gsize n = cs_scene_get_n_circles (scene);
  g_autofree CsCircle *a = make (scene, 3, 11.);
  g_autofree CsCircle *b = make (scene, 3, 11.02);
  gsize n_near = 0;

  for (gsize i = 0; i < n; i++)
    n_near += hypotf (a[i].x - b[i].x, a[i].y - b[i].y) < .05f;
  check_that (n_near > n * 9 / 10, "%s jumps: %zu of %zu moved a little",
      cs_scene_get_name (scene), n_near, n);
}

static void
check_radii (CsScene scene, gsize from, gsize to, float least, float most)
{
  g_autofree CsCircle *circles = make (scene, 0, 0.);
  float smallest = FLT_MAX, largest = 0.f;

  for (gsize i = from; i < to; i++) {
    smallest = MIN (smallest, circles[i].r);
    largest = MAX (largest, circles[i].r);
  }
  check_that (smallest >= least - 1e-7f && largest <= most + 1e-7f
      && smallest <= least + .02f * (most - least) + 1e-7f
      && largest >= most - .02f * (most - least) - 1e-7f,
      "%s: radii from %g to %g", cs_scene_get_name (scene), smallest, largest);
}

/* Where, how far, and in which colour is even over the whole of it. */
static void
check_uniform (CsScene scene)
{
  const gsize n = cs_scene_get_n_circles (scene);
  g_autofree CsCircle *circles = make (scene, 0, 0.);
  gsize counts[6][8] = { {0} };
  gsize n_half = 0;

  for (gsize i = 0; i < n; i++) {
    const CsCircle *c = &circles[i];

    counts[0][(guint) (c->x * 8) & 7]++;
    counts[1][(guint) (c->y * 8) & 7]++;
    counts[2][(guint) (c->z * 8) & 7]++;
    counts[3][c->rgba >> 29]++;
    counts[4][c->rgba >> 21 & 7]++;
    counts[5][c->rgba >> 13 & 7]++;
    n_half += (c->rgba & 0xff) == 0x80;
  }
  check_that (n_half == n, "%s: alpha", cs_scene_get_name (scene));
  for (guint what = 0; what < 6; what++)
    for (guint i = 0; i < 8; i++)
      /* five standard deviations */
      check_that (fabs (counts[what][i] - n / 8.) < 5. * sqrt (n * 7. / 64.),
          "%s: quantity %u has %zu of %zu in eighth %u",
          cs_scene_get_name (scene), what, counts[what][i], n, i);
}

static void
check_scenes (void)
{
  static const gsize numbers[] = { 0, 3, 4, 10000, 100000, 1000000, 10000,
    10000, 1217, 2000000
  };
  gsize i;

  for (guint scene = 0; scene < CS_N_SCENES; scene++) {
    for (guint other = 0; other < scene; other++)
      check_that (strcmp (cs_scene_get_name (scene), cs_scene_get_name (other)),
          "two scenes are called %s", cs_scene_get_name (scene));
    if (scene < G_N_ELEMENTS (numbers))
      check_that (cs_scene_get_n_circles (scene) == numbers[scene],
          "%s has %zu circles", cs_scene_get_name (scene),
          cs_scene_get_n_circles (scene));
    check_scene_is_sane (scene, 0.);
    check_time (scene);
    if (scene > CS_SCENE_RGBY)
      check_that (checksum (scene, 1, 1.) != checksum (scene, 2, 1.),
          "%s takes no notice of the seed", cs_scene_get_name (scene));
    if (cs_scene_is_animated (scene))
      check_motion (scene);
  }
  check_that (!strcmp (cs_scene_get_name (CS_SCENE_BIGLITTLE), "biglittle"),
      "a name");
  check_checksums ();

  check_radii (CS_SCENE_RAND10K, 0, 10000, .02f, .08f);
  check_radii (CS_SCENE_RAND100K, 0, 100000, .02f, .08f);
  check_radii (CS_SCENE_RAND1M, 0, 1000000, .009f, .014f);
  check_radii (CS_SCENE_MICRO2M, 0, 2000000, .001f, .001f);
  check_radii (CS_SCENE_BIGLITTLE, 0, 9000, .25f, .25f);
  check_radii (CS_SCENE_BIGLITTLE, 9000, 10000, .05f, .05f);
  check_radii (CS_SCENE_LITTLEBIG, 0, 1000, .05f, .05f);
  check_radii (CS_SCENE_LITTLEBIG, 1000, 10000, .25f, .25f);
  check_radii (CS_SCENE_PATTERN, 0, 1217, 1.f / 32.f, 1.f / 32.f);
  check_uniform (CS_SCENE_RAND10K);
  check_uniform (CS_SCENE_RAND1M);

  CsCircle *c = make (CS_SCENE_RGBY, 0, 0.);
  check_that (c[0].z < c[1].z || c[1].z < c[2].z, "rgby is in order of depth");
  g_free (c);
  c = make (CS_SCENE_BIGLITTLE, 0, 0.);
  for (i = 0; i < 10000; i++)
    if ((c[i].z >= .5f) != (i < 9000))
      break;
  check_that (i == 10000, "biglittle: circle %zu is at depth %g", i,
      i < 10000 ? c[i].z : 0.f);
  g_free (c);
  c = make (CS_SCENE_PATTERN, 0, 0.);
  check_that (c[1].x - c[0].x == 2.f / 32.f && c[16].y - c[0].y == 2.f / 32.f,
      "pattern: the circles do not touch");
  g_free (c);
}

/* Scene files */

/* @text is so many circles, of which the last is @last; or wrong in a line, and
 * the error has @wrong in it. */
typedef struct
{
  const char *text;
  guint n;
  CsCircle last;
  guint line;
  const char *wrong;
} Case;

#define RED_CIRCLE "{\"kind\":\"circle\",\"x\":1.5,\"y\":-2,\"r\":3e1," \
    "\"z\":0.25,\"color\":\"#ff000080\",\"parent\":null}"

/* *INDENT-OFF* */
static const Case cases[] = {
  {"", 0},
  {"\n\n# nothing\n   \t\n  # 1 2 3 4 #ffffff\n", 0},
  {"1 2 3 4 #01020304\n", 1, {1, 2, 3, 4, 0x01020304}},
  {"1 2 3 4 #01020304", 1, {1, 2, 3, 4, 0x01020304}},
  {"\xef\xbb\xbf" "1 2 3 4 #aBcDeF\r\n", 1, {1, 2, 3, 4, 0xabcdefff}},
  {"  -1.5e2\t.25 +3 0x10  #00ff0080 \n", 1, {-150, .25, 3, 16, 0x00ff0080}},
  {"9 9 9 9 #ffffff\n\n1 2 3 1e99 #00000000\n", 2, {1, 2, 3, INFINITY, 0}},
  {"{\"frame\":0,\"pts\":null,\"shapes\":[" RED_CIRCLE "]}\n", 1,
      {1.5, -2, 30, .25, 0xff000080}},
  {" { \"a\" : [ [ ] , { } , { \"b\" : [ true , false , null , -1.5e+3 ] } ] ,"
      " \"shapes\" : [ ] , \"s\" : \"\\\"}\\\\\" } \n", 0},
  {"{\"shapes\":[{\"kind\":\"contour\",\"points\":[[1,2],[3,4]]}," RED_CIRCLE
      ",{},{\"x\":1}]}\n" "5 6 7 8 #ffffff", 2, {5, 6, 7, 8, 0xffffffff}},
  {"{\"shapes\":[{\"x\":null,\"y\":0,\"r\":1,\"z\":0,\"color\":\"#102030\","
      "\"kind\":\"circle\"}]}", 1, {NAN, 0, 1, 0, 0x102030ff}},

  {"1 2 -1e39 4 #01020304 5e39 -6\n", 1, {1, 2, -INFINITY, 4, 0x01020304}},
  {"inf nan 3 4 #01020304 inf nan\n", 1, {INFINITY, NAN, 3, 4, 0x01020304}},
  {"{}\n", 0, {0}, 1, "no \"shapes\""},
  {"{\"shapes\":[{\"y\":nul,\"x\":1}]}\n", 0, {0}, 1, "for y"},
  {"{\"shapes\":[{\"y\":nu", 0, {0}, 1, "for y"},
  {"{\"shapes\":[{\"y\":1 \"x\":1}]}\n", 0, {0}, 1, "expected '}'"},
  {"{\"shapes\":[{1:2}]}\n", 0, {0}, 1, "'\"'"},
  {"{\"shapes\":[{\"kind\":1}]}\n", 0, {0}, 1, "'\"'"},
  {"{\"shapes\":[{\"gradient\":1}]}\n", 0, {0}, 1, "'\"'"},
  {"{\"shapes\":[{\"color\":\"#ffffff", 0, {0}, 1, "no end"},
  {"{\"shapes\":[{\"color\":\"\"}]}\n", 0, {0}, 1, "#rrggbb"},
  {"{\"a\":{\"b\":1,\"c\":tru}}\n", 0, {0}, 1, "a value"},
  {"{\"a\":{\"b\":1,\"c\":[1,2,true],\"d\":{}},\"shapes\":[]}\n", 0},
  {"{\"a\":{\"b\":1 2}}\n", 0, {0}, 1, "expected '}'"},
  {"{\"a\":\"b\tc\"}\n", 0, {0}, 1, "no end"},
  {"{\"a\":\"b\\\tc\"}\n", 0, {0}, 1, "no end"},
  {"{\"a\":", 0, {0}, 1, "a value"},
  {"1 2 3 4", 0, {0}, 1, "the colour is missing"},
  {"1 2 3 4 #", 0, {0}, 1, "#rrggbbaa"},
  {"1 2 3 4 #ffffff x 6\n", 0, {0}, 1, "x"},
  {"1 2 3 4 #ffffff 5.x 6\n", 0, {0}, 1, "for vx"},
  {"1 2 3 4 #ffffff 5 6.x\n", 0, {0}, 1, "for vy"},
  {"1 2 3 4\n", 0, {0}, 1, "the colour is missing"},
  {"\n1\n", 0, {0}, 2, "y is missing"},
  {"# ok\n1 2 3 4 #ffffff\nx 2 3 4 #ffffff\n", 0, {0}, 3, "for x, found \"x\""},
  {"1 2 3 4 #ffffff 5 6 7\n", 0, {0}, 1, "end of the line"},
  {"1 2 3 4 #fffffff\n", 0, {0}, 1, "#rrggbbaa"},
  {"1 2 3 4 #ffffffffff\n", 0, {0}, 1, "#rrggbbaa"},
  {"1 2 3 4 red\n", 0, {0}, 1, "found \"red\""},
  {"1 2 3 4 #ffffffg\n", 0, {0}, 1, "expected a blank, found \"g\""},
  {"1, 2, 3, 4, #ffffff\n", 0, {0}, 1, "expected a blank, found \",\""},
  {"1,5 2 3 4 #ffffff\n", 0, {0}, 1, "expected a blank"},
  {"1 2 3 1.2.3 #ffffff\n", 0, {0}, 1, "for z"},
  {"1 2 3 \x01\xff #ffffff\n", 0, {0}, 1, "\\001\\377"},
  {"{\"frame\":0}\n", 0, {0}, 1, "no \"shapes\""},
  {"{\"shapes\":[" RED_CIRCLE "]\n", 0, {0}, 1, "expected '}'"},
  {"{\"shapes\":[" RED_CIRCLE "}\n", 0, {0}, 1, "expected ']'"},
  {"{\"shapes\":[" RED_CIRCLE "]} x\n", 0, {0}, 1, "after the JSON"},
  {"{\"shapes\":{}}\n", 0, {0}, 1, "expected '['"},
  {"{\"shapes\":[1]}\n", 0, {0}, 1, "expected '{'"},
  {"{\"shapes\":[{\"kind\":\"circle\",\"x\":1}]}\n", 0, {0}, 1, "no \"y\""},
  {"{\"shapes\":[{\"kind\":\"circle\",\"x\":\"1\"}]}\n", 0, {0}, 1, "for x"},
  {"{\"shapes\":[{\"color\":\"#ffffff \"}]}\n", 0, {0}, 1, "end of a colour"},
  {"{\"shapes\":[{\"color\":\"ffffff\"}]}\n", 0, {0}, 1, "#rrggbb"},
  {"{\"shapes\":[{\"color\":#ffffff}]}\n", 0, {0}, 1, "'\"'"},
  {"{\"a\":\"\\\n", 0, {0}, 1, "no end"},
  {"{\"a\":\"b\n", 0, {0}, 1, "no end"},
  {"{\"a\":nil}\n", 0, {0}, 1, "a value"},
  {"{\"a\"}\n", 0, {0}, 1, "expected ':'"},
  {"{,}\n", 0, {0}, 1, "expected a '\"'"},
  {"{", 0, {0}, 1, "the end of the line"},
};
/* *INDENT-ON* */

static gboolean
same_float (float a, float b)
{
  return a == b || (isnan (a) && isnan (b));
}

static void
check_case (const Case * c)
{
  g_autoptr (GError) error = NULL;
  gsize length = strlen (c->text);
  /* without a zero at its end, so that a sanitizer sees what reads it */
  char *text = g_memdup2 (c->text, length);
  CsArray *circles = cs_scene_parse (text, length, gradients, &error);
  char *begin;

  g_free (text);
  if (c->line == 0) {
    const CsCircle *last;

    if (check_that (circles && !error, "%s: %s", c->text, error ?
            error->message : "no error") &&
        check_that (circles->len == c->n, "%s: %u circles", c->text,
            (guint) circles->len) && c->n > 0) {
      last = &cs_array_index (circles, CsCircle, c->n - 1);
      check_that (same_float (last->x, c->last.x)
          && same_float (last->y, c->last.y) && last->r == c->last.r && last->z == c->last.z
          && last->rgba == c->last.rgba, "%s: %g %g %g %g %08x", c->text,
          last->x, last->y, last->r, last->z, last->rgba);
    }
  } else if (check_that (!circles && error, "%s: is taken", c->text)) {
    begin = g_strdup_printf ("line %u: ", c->line);
    check_that (g_error_matches (error, CS_ERROR, CS_ERROR_INVALID)
        && g_str_has_prefix (error->message, begin)
        && strstr (error->message, c->wrong), "%s: %s", c->text,
        error->message);
    g_free (begin);
  }
  g_clear_pointer (&circles, cs_array_free);
}

static void
check_bytes (const char *text, gsize length, const char *wrong)
{
  g_autoptr (GError) error = NULL;
  CsArray *circles = cs_scene_parse (text, length, gradients, &error);

  check_that (!circles && error && strstr (error->message, wrong), "%s", error ?
      error->message : wrong);
  g_clear_pointer (&circles, cs_array_free);
}

static void
check_files (void)
{
  g_autoptr (GString) deep = g_string_new ("{\"a\":");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_case (&cases[i]);
  check_bytes ("1 2 \0 4 #ffffff", 15, "line 1: ");
  check_bytes ("\0", 1, "line 1: ");

  for (guint i = 0; i < 100000; i++)
    g_string_append_c (deep, i % 2 ? '[' : '{');
  check_bytes (deep->str, deep->len, "line 1: ");
  g_string_assign (deep, "{\"a\":");
  for (guint i = 0; i < 100000; i++)
    g_string_append_c (deep, '[');
  check_bytes (deep->str, deep->len, "deep");
  g_string_assign (deep, "");
  for (guint i = 0; i < 100000; i++)
    g_string_append_c (deep, '7');
  check_bytes (deep->str, deep->len, "line 1: ");

  g_string_assign (deep, "");
  for (guint i = 0; i < 20000; i++)
    g_string_append_printf (deep, "%u 2 3 4 #ffffff80\n", i);
  CsArray *circles = cs_scene_parse (deep->str, deep->len, gradients, NULL);
  check_that (circles && circles->len == 20000
      && cs_array_index (circles, CsCircle, 19999).x == 19999.f,
      "many circles");
  g_clear_pointer (&circles, cs_array_free);
  g_string_append (deep, "oops\n");
  check_bytes (deep->str, deep->len, "line 20001: ");
}

/* Marks */

typedef struct
{
  CsArray *marks, *depths;
} Marks;

static gsize
to_marks (Marks * marks, const CsCircle * circles, gsize n,
    const CsCirclesStyle * style)
{
  marks->marks = cs_array_new (sizeof (CsMark));
  marks->depths = cs_array_new (sizeof (float));
  return cs_circles_to_marks (circles, n, style, 200, 100, marks->marks,
      marks->depths);
}

static void
clear_marks (Marks * marks)
{
  cs_array_free (marks->marks);
  cs_array_free (marks->depths);
}

static gboolean
mark_is (const Marks * marks, guint i, float x, float y, float r,
    float half_width, guint32 rgba, float z)
{
  const CsMark *m = &cs_array_index (marks->marks, CsMark, i);

  return m->x0 == x && m->x1 == x && m->y0 == y && m->y1 == y
      && m->radius == r && m->half_width == half_width && m->rgba == rgba
      && m->group == 0 && cs_array_index (marks->depths, float, i) == z;
}

static void
check_marks (void)
{
  static const CsCircle circles[] = {
    {10, 20, 5, 3, 0x11223344}, {NAN, 0, 1, 0, 0}, {0, 0, 0, 0, 0},
    {0, INFINITY, 1, 0, 0}, {0, 0, -1, 0, 0}, {0, 0, NAN, 0, 0},
    {0, 0, INFINITY, 0, 0}, {-7, 50, 5, 0, 0}, {50, 107, 5, 0, 0},
    {199, 99, 5, 1, 0x55667700},
  };
  const gsize n = G_N_ELEMENTS (circles);
  CsCirclesStyle style = { TRUE, 0.f, 0, FALSE };
  Marks marks;
  static const CsCircle half = { .5f, .5f, .25f, 9, 0xffffffff };

  check_that (to_marks (&marks, circles, n, &style) == 8, "dropped");
  check_that (marks.marks->len == 2 && marks.depths->len == 2
      && mark_is (&marks, 0, 10, 20, 5, 0, 0x11223344, 3)
      && mark_is (&marks, 1, 199, 99, 5, 0, 0x55667700, 1), "discs");
  clear_marks (&marks);

  style.stroke_width = 4.f;
  check_that (to_marks (&marks, circles, n, &style) == 6,
      "an outline reaches farther");
  check_that (marks.marks->len == 8 && mark_is (&marks, 0, 10, 20, 5, 0,
          0x11223344, 3) && mark_is (&marks, 1, 10, 20, 5, 2, 0x112233ff, 3)
      && mark_is (&marks, 7, 199, 99, 5, 2, 0x556677ff, 1), "outlines");
  clear_marks (&marks);

  style.fill = FALSE;
  style.stroke_rgba = 0x01020380;
  to_marks (&marks, circles, 1, &style);
  check_that (marks.marks->len == 1 && mark_is (&marks, 0, 10, 20, 5, 2,
          0x01020380, 3), "an outline's own colour");
  clear_marks (&marks);

  style = (CsCirclesStyle) {
  TRUE, 0.f, 0, TRUE};
  to_marks (&marks, &half, 1, &style);
  check_that (marks.marks->len == 1 && mark_is (&marks, 0, 99.5f, 49.5f, 25, 0,
          0xffffffff, 9), "normalised coordinates");
  clear_marks (&marks);

  style.fill = FALSE;
  check_that (to_marks (&marks, circles, 1, &style) == 1, "far outside");
  clear_marks (&marks);
  check_that (to_marks (&marks, &half, 1, &style) == 0 && marks.marks->len == 0,
      "nothing to paint");
  clear_marks (&marks);
  check_that (to_marks (&marks, NULL, 0, &style) == 0, "no circles");
  clear_marks (&marks);
}

/* Smallest enclosing circles */

static double
distance (const float *p, double x, double y)
{
  return hypot (p[0] - x, p[1] - y);
}

/* Whether all points are within @r of (@x, @y). */
static gboolean
all_inside (const float *xy, gsize n, double x, double y, double r)
{
  for (gsize i = 0; i < n; i++)
    if (distance (xy + 2 * i, x, y) > r * (1. + 1e-9) + 1e-12)
      return FALSE;
  return TRUE;
}

/* The radius by trying every pair and every triple. */
static double
brute_force (const float *xy, gsize n)
{
  double best = n == 1 ? 0. : INFINITY;

  for (gsize a = 0; a < n; a++) {
    for (gsize b = a + 1; b < n; b++) {
      const float *p = xy + 2 * a, *q = xy + 2 * b;
      double x = .5 * ((double) p[0] + q[0]), y = .5 * ((double) p[1] + q[1]);
      double r = distance (p, x, y);

      if (r < best && all_inside (xy, n, x, y, r))
        best = r;
      for (gsize c = b + 1; c < n; c++) {
        const float *s = xy + 2 * c;
        const double ax = q[0] - (double) p[0], ay = q[1] - (double) p[1];
        const double bx = s[0] - (double) p[0], by = s[1] - (double) p[1];
        const double d = 2. * (ax * by - ay * bx);

        if (d == 0.)
          continue;
        x = p[0] + (by * (ax * ax + ay * ay) - ay * (bx * bx + by * by)) / d;
        y = p[1] + (ax * (bx * bx + by * by) - bx * (ax * ax + ay * ay)) / d;
        r = distance (p, x, y);
        if (r < best && all_inside (xy, n, x, y, r))
          best = r;
      }
    }
  }
  return best;
}

static guint32 random_state = 1;

static guint32
next_random (void)
{
  random_state = random_state * 1664525u + 1013904223u;
  return random_state >> 8;
}

/* Points of a few sorts that are hard: few values, on a line, on a circle. */
static void
make_points (float *xy, gsize n, guint sort)
{
  for (gsize i = 0; i < n; i++) {
    const double turn = next_random () * (2. * G_PI / (1 << 24));

    switch (sort) {
      case 0:
        xy[2 * i] = (next_random () & 0xffff) / 64.f;
        xy[2 * i + 1] = (next_random () & 0xffff) / 64.f;
        break;
      case 1:
        xy[2 * i] = (float) (next_random () % 4);
        xy[2 * i + 1] = (float) (next_random () % 4);
        break;
      case 2:
        xy[2 * i] = (float) (next_random () % 1000);
        xy[2 * i + 1] = 2.f * xy[2 * i] + 1.f;
        break;
      case 3:
        xy[2 * i] = (float) (1e4 + 100. * cos (turn));
        xy[2 * i + 1] = (float) (-3e3 + 100. * sin (turn));
        break;
      default:
        xy[2 * i] = 3.f;
        xy[2 * i + 1] = -4.f;
        break;
    }
  }
}

static void
check_enclosing (void)
{
  const float mixed[] = { NAN, 0, 1, 1, INFINITY, 3, 5, 1, 2, -INFINITY };
  float xy[2 * 20000];
  double x = 0., y = 0., r = 0.;

  check_that (!cs_enclosing_circle (NULL, 0, &x, &y, &r), "no points");
  check_that (!cs_enclosing_circle (mixed, 1, &x, &y, &r), "no finite point");
  check_that (cs_enclosing_circle (mixed, 5, &x, &y, &r) && x == 3. && y == 1.
      && r == 2., "points that are not finite: %g %g %g", x, y, r);
  for (guint round = 0; round < 2000; round++) {
    const gsize n = 1 + next_random () % 9;

    make_points (xy, n, round % 5);
    double expected = brute_force (xy, n);
    if (!isfinite (expected))
      expected = 0.;
    check_that (cs_enclosing_circle (xy, n, &x, &y, &r)
        && all_inside (xy, n, x, y, r)
        && fabs (r - expected) <= 1e-9 * expected + 1e-12,
        "%zu points of sort %u: %.17g, not %.17g", n, round % 5, r, expected);
  }
  for (guint i = 0; i < 20000; i++) {
    xy[2 * i] = (float) (320. + 100. * cos (2. * G_PI * i / 20000.));
    xy[2 * i + 1] = (float) (240. + 100. * sin (2. * G_PI * i / 20000.));
  }
  check_that (cs_enclosing_circle (xy, 20000, &x, &y, &r) &&
      fabs (x - 320.) < 1e-3 && fabs (y - 240.) < 1e-3 &&
      fabs (r - 100.) < 1e-3,
      "a round contour: %g %g %g", x, y, r);
}

/* Motion */

/* From event to event, in long double: whatever of the floor, the ceiling and
 * the end of the time comes first. @low and @high bound the centre. */
static double
simulate (double at, double velocity, double acceleration, double low,
    double high, double seconds)
{
  long double p = CLAMP (at, low, high), v = velocity, left = seconds;
  const long double a = acceleration;

  if (high <= low)
    return (low + high) / 2;
  /* thrown at the border that it touches */
  if ((p >= high && v > 0) || (p <= low && v < 0))
    v = -v;
  if (v == 0 && ((p >= high && a >= 0) || (p <= low && a <= 0)))
    return p;
  for (guint n = 0; n < 100000 && left > 0; n++) {
    long double hit = left;
    int which = -1;

    for (guint wall = 0; wall < 2; wall++) {
      const long double c = p - (wall ? high : low);
      const long double root = v * v - 2 * a * c;
      long double times[2] = { -1, -1 };

      if (a == 0 && v != 0)
        times[0] = -c / v;
      else if (a != 0 && root >= 0) {
        times[0] = (-v - sqrtl (root)) / a;
        times[1] = (-v + sqrtl (root)) / a;
      }
      for (guint k = 0; k < 2; k++) {
        /* leaving the wall where it is now is no hit */
        const long double then = v + a * times[k];

        if (times[k] > 1e-9L && times[k] < hit && (wall ? then > 0 :
                then < 0)) {
          hit = times[k];
          which = wall;
        }
      }
    }
    p += v * hit + a * hit * hit / 2;
    v += a * hit;
    left -= hit;
    if (which >= 0) {
      p = which ? high : low;
      v = -v;
    }
  }
  return p;
}

static void
check_one_motion (const CsCircle * c, const CsMotion * motion,
    gboolean normalized, guint width, guint height, double seconds)
{
  const double low = normalized ? 0 : -.5, side = MIN (width, height);
  const double rx = normalized ? c->r * side / width : c->r;
  const double ry = normalized ? c->r * side / height : c->r;
  const double unit = normalized ? 1 : side;
  double x = c->x + c->vx * seconds;
  double y = c->y + c->vy * seconds + motion->gravity * seconds * seconds / 2;
  CsCircle to;

  if (motion->bounce) {
    x = simulate (c->x, c->vx, 0, low + rx, low + (normalized ? 1 : width) - rx,
        seconds);
    y = simulate (c->y, c->vy, motion->gravity, low + ry,
        low + (normalized ? 1 : height) - ry, seconds);
  }
  cs_circles_move (c, 1, motion, normalized, width, height, seconds, &to);
  check_that (fabs (to.x - x) < 2e-5 * unit * (1 + seconds) &&
      fabs (to.y - y) < 2e-5 * unit * (1 + seconds) * (1 + seconds) &&
      to.r == c->r && to.z == c->z && to.rgba == c->rgba,
      "a circle from %g,%g r %g with %g,%g, gravity %g, bounce %d, at %g: "
      "%g,%g, not %g,%g", c->x, c->y, c->r, c->vx, c->vy, motion->gravity,
      motion->bounce, seconds, to.x, to.y, x, y);
}

static void
check_moving (void)
{
  static const double gravities[] = { 0, .3, -.7, 1e-6, 40 };
  const CsMotion still = { 0, TRUE }, falls = { 1, FALSE };
  const CsCircle resting = { 10, 99.5f - 5, 5, 0, 0 };
  CsCircle c = { 10, 20, 5, 1, 0x11223344 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);

  check_that (!cs_circles_are_moving (&c, 1, &still) &&
      cs_circles_are_moving (&c, 1, &falls) &&
      !cs_circles_are_moving (&c, 0, &falls), "what stands does not move");
  c.vy = 1;
  check_that (cs_circles_are_moving (&c, 1, &still), "and what moves does");
  for (guint i = 0; i < 3000; i++) {
    const gboolean normalized = i % 2;
    const guint width = 40 + i % 300, height = 30 + i % 170;
    const double size = normalized ? 1 : MIN (width, height);
    const CsMotion motion = {
      .gravity = size * gravities[i % 5],.bounce = i % 3 != 0
    };

    c.x = g_rand_double_range (rand, -.1, 1.1) * (normalized ? 1 : width);
    c.y = g_rand_double_range (rand, -.1, 1.1) * (normalized ? 1 : height);
    c.r = size * g_rand_double_range (rand, .01, i % 50 ? .3 : .9);
    c.vx = size * g_rand_double_range (rand, -2, 2);
    c.vy = i % 7 ? size * g_rand_double_range (rand, -2, 2) : 0;
    check_one_motion (&c, &motion, normalized, width, height,
        i % 11 ? g_rand_double_range (rand, 0, 8) : 0);
  }
  /* by hand: it lies on the floor of a picture of 100 x 100 */
  cs_circles_move (&resting, 1, &(CsMotion) {
      50, TRUE}, FALSE, 100, 100, 3, &c);
  check_that (c.x == 10 && c.y == 94.5f, "at rest: %g,%g", c.x, c.y);
  /* thrown up from the floor at 10 with 5: at the top after 2 s */
  c = resting;
  c.vy = -10;
  cs_circles_move (&c, 1, &(CsMotion) {
      5, TRUE}, FALSE, 100, 100, 2 + 8 * 4, &c);
  check_that (c.y == 84.5f, "nine flights later: %g", c.y);
}

static void
check_moving_files (void)
{
  static const char text[] = "1 2 3 4 #ffffff 5 -6.5\n1 2 3 4 #ffffff\n";
  CsArray *circles = cs_scene_parse (text, strlen (text), gradients, NULL);
  GError *error = NULL;

  check_that (circles && circles->len == 2 &&
      cs_array_index (circles, CsCircle, 0).vx == 5 &&
      cs_array_index (circles, CsCircle, 0).vy == -6.5f &&
      cs_array_index (circles, CsCircle, 1).vx == 0, "velocities of a file");
  cs_array_free (circles);
  circles = cs_scene_parse ("1 2 3 4 #ffffff 5\n", 18, gradients, &error);
  check_that (!circles && error && strstr (error->message, "vy is missing"),
      "one velocity");
  g_clear_error (&error);
  circles = cs_scene_parse ("1 2 3 4 #ffffff 5 6 7\n", 22, gradients, &error);
  check_that (!circles && error && strstr (error->message, "end of the line"),
      "three velocities");
  g_clear_error (&error);
}

int
main (void)
{
  gradients = cs_gradient_set_new ();
  check_moving ();
  check_moving_files ();
  check_scenes ();
  check_files ();
  check_marks ();
  check_enclosing ();
  check_gradients ();
  cs_gradient_set_free (gradients);
  return finish ();
}
