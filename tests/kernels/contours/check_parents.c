/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parents of contours in every small image of a few values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_contours.h"
#include "../lib/check.h"

#define MAX_PIXELS 15

typedef struct
{
  const char *name;
  float values[4];
  guint n_values;
  double level;
  guint max_images;             /* of one size */
  gint origin;
} Alphabet;

static const Alphabet alphabets[] = {
  {"binary", {0.f, 1.f}, 2, .5, 1 << 15},
  {"with pixels at the level", {-1.f, 0.f, 1.f}, 3, 0., 19683},
  {"with invalid pixels", {0.f, 1.f, NAN}, 3, .5, 19683},
  /* crossings are half way to the neighbour, be it high or low */
  {"infinite", {0.f, 1.f, INFINITY, -INFINITY}, 4, .5, 4096},
  {"invalid, and at the level", {-1.f, 0.f, 1.f, NAN}, 4, 0., 4096},
  /* between the first and the third, crossings are rounded to a pixel; between
   * the first and the second, they are not */
  {"nearly at the level", {.49999997f, 1.f, 3e38f}, 3, .5, 19683, 7},
};

static void
make_image (const Alphabet * alphabet, guint number, guint n, float *samples)
{
  for (guint i = 0; i < n; i++, number /= alphabet->n_values)
    samples[i] = alphabet->values[number % alphabet->n_values];
}

/* All images of one size; the first one that fails ends it. */
static gboolean
check_size (const Alphabet * alphabet, guint width, guint height, guint n,
    gboolean high, Backend ** backends, guint n_backends)
{
  const CsContoursTarget target = { 0, alphabet->level };
  CsContoursInput input = { 0, };
  float samples[MAX_PIXELS];
  CsContoursParams params;
  Checker *checker;
  gboolean ok;
  guint i;

  cs_contours_params_init (&params);
  params.targets = &target;
  params.fully_connected_high = high;
  params.hierarchy = TRUE;
  params.points = CS_POINTS_F64;
  input.image = cs_image_gray (samples, CS_SAMPLE_F32, width, height,
      width * sizeof (float));
  input.origin_y = alphabet->origin;
  checker = checker_new (alphabet->name, &params, backends, n_backends);
  for (i = 0, ok = checker != NULL; i < n && ok; i++) {
    g_autofree char *name =
        g_strdup_printf ("parents, %s, %ux%u, image %u, %s connected",
        alphabet->name, width, height, i, high ? "high" : "low");

    make_image (alphabet, i, width * height, samples);
    ok = checker_check (checker, name, &input);
  }
  if (checker)
    checker_free (checker);
  return ok;
}

static void
check_alphabet (const Alphabet * alphabet, guint max_images,
    Backend ** backends, guint n_backends)
{
  for (guint height = 1; height <= MAX_PIXELS; height++) {
    for (guint width = 1; width * height <= MAX_PIXELS; width++) {
      /* thin ones have few closed contours */
      const guint most = MIN (width, height) < 3 ? max_images / 16 : max_images;
      const double n = pow (alphabet->n_values, width * height);

      for (guint high = 0; high < 2 && n <= most; high++)
        count (check_size (alphabet, width, height, (guint) n, high, backends,
                n_backends));
    }
  }
}

void
check_parents (Backend ** backends, guint n_backends)
{
  for (guint i = 0; i < G_N_ELEMENTS (alphabets); i++)
    check_alphabet (&alphabets[i], alphabets[i].max_images, backends,
        n_backends);
}
