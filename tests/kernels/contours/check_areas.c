/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Areas of contours compared with numbers of pixels, as in the
 * documentation. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_contours.h"
#include "../lib/check.h"

#define WIDTH 40
#define HEIGHT 30
#define N_ROUNDS 50

static gboolean
run (const Backend * backend, const float *samples, MemoryPool * pool,
    CsContoursOutput * output)
{
  const CsContoursTarget target = { 0, .5 };
  CsContoursInput input = { 0, };
  CsContoursParams params;

  cs_contours_params_init (&params);
  params.targets = &target;
  input.image = cs_image_gray (samples, CS_SAMPLE_F32, WIDTH, HEIGHT,
      WIDTH * sizeof (float));
  return backend_run (backend, &params, &input, pool, output, NULL);
}

/* Of 0 and 1: each region has half a pixel less than it has pixels, each hole
 * half a pixel less than it has, too. */
static void
check_binary (const Backend * backend, guint round)
{
  Random random = { round + 1 };
  MemoryPool pool = {.cuda = is_cuda (backend) };
  float samples[WIDTH * HEIGHT] = { 0, };
  double want = 0., sum = 0.;
  CsContoursOutput output;

  for (guint y = 1; y + 1 < HEIGHT; y++)
    for (guint x = 1; x + 1 < WIDTH; x++) {
      samples[y * WIDTH + x] = (float) random_below (&random, 2);
      want += samples[y * WIDTH + x];
    }
  begin ("%s: areas and pixels, round %u", backend->name, round);
  if (run (backend, samples, &pool, &output)) {
    for (gsize i = 0; i < output.n_contours; i++) {
      const gboolean hole = (output.contours[i].flags & CS_CONTOUR_HOLE) != 0;

      sum += output.contours[i].area;
      want -= hole ? -.5 : .5;
    }
    expect (sum == want, "areas of %g, not %g", sum, want);
  } else {
    expect (FALSE, "no contours");
  }
  end ();
  memory_pool_clear (&pool);
}

/* One pixel above the level on 0: the lower, the smaller. */
static void
check_peak (const Backend * backend, float height, double want)
{
  MemoryPool pool = {.cuda = is_cuda (backend) };
  float samples[WIDTH * HEIGHT] = { 0, };
  CsContoursOutput output;

  samples[5 * WIDTH + 7] = height;
  begin ("%s: area of a peak of %g", backend->name, height);
  if (run (backend, samples, &pool, &output))
    expect (output.n_contours == 1 && fabs (output.contours[0].area - want) <
        1e-5, "%g, not %g", output.contours[0].area, want);
  else
    expect (FALSE, "no contours");
  end ();
  memory_pool_clear (&pool);
}

void
check_areas (Backend ** backends, guint n_backends)
{
  for (guint b = 0; b < n_backends; b++) {
    for (guint round = 0; round < N_ROUNDS; round++)
      if (is_of_part ())
        check_binary (backends[b], round);
    if (is_of_part ()) {
      check_peak (backends[b], 1.f, .5);
      check_peak (backends[b], .6f, 2. / 36.);
      check_peak (backends[b], 2.f, 2. * .75 * .75);
    }
  }
}
