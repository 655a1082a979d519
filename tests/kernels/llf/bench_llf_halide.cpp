/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench-llf-halide [WIDTH HEIGHT]: Aubry's sampled filter in Halide, compared
 * with ours, on the image of check-llf --bench. A separate program: nothing
 * installed is linked to Halide.
 *
 * Equal: the image, 8 bits in and out, one channel; the power curve, sigma .2,
 * alpha .5, beta 1, in its guarded form, from a table for each sample; 8
 * samples, 8 levels, of which the last is the image's own; single precision;
 * the pyramids' weights.
 * Not equal: Halide repeats each level's border, ours renormalises the weights
 * there, so that some pixels along the border differ; Halide remaps the image
 * and builds 8 pyramids, as published, where
 * ours builds them of differences to the image; Halide compiles for the
 * processor that it runs on and for one size, which is not in its times, and
 * neither are our tables.
 *
 * Distances are to our exact filter with 8 levels, before rounding. */
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include HALIDE_HEADER

#include "llf/llf.h"
#include "llf_images.h"
#include "llf_oracle.h"

using Halide::Buffer;
using Halide::Expr;
using Halide::Func;
using Halide::Pipeline;
using Halide::Var;

static const int n_samples = 8, n_levels = 8;
/* Floats that are computed at a time, and coarse rows of a strip. */
static const int lanes = 16, strip = 16;

/* 0 is as many as there are processors. The function is in the runtime of
 * compiled code, where only compiled code can call it. */
static void
set_halide_threads (int n)
{
  Func f ("set_threads");

  f () = Halide::Internal::Call::make (Halide::Int (32),
      "halide_set_num_threads", { n }, Halide::Internal::Call::Extern);
  f.realize ();
}

/* --- The filter ----------------------------------------------------------- */

/* A filter is made of these; k is the sample. */
static Var x ("x"), y ("y"), k ("k"), yi ("yi"), pair ("pair");

static Expr
down_sum (const std::function < Expr (int) > &tap)
{
  return (tap (-2) + tap (2) + 4 * (tap (-1) + tap (1)) + 6 * tap (0)) / 16;
}

/* At an even place, the middle of three; at an odd one, between two. */
static Expr
up_sum (Expr at, const std::function < Expr (int) > &tap)
{
  return select (at % 2 == 0, (tap (-1) + 6 * tap (0) + tap (1)) / 8,
      (tap (0) + tap (1)) / 2);
}

struct Size
{
  int w, h;
};

static Size
half (Size size)
{
  return { (size.w + 1) / 2, (size.h + 1) / 2 };
}

/* Without it, every level would be computed with the padding of all coarser
 * ones: half as much again. */
static Func
repeat (Func level, Size size)
{
  Halide::Region region = { { 0, size.w }, { 0, size.h } };

  if (level.dimensions () > 2)
    region.push_back (Halide::Range (Expr (), Expr ()));
  return Halide::BoundaryConditions::repeat_edge (level, region);
}

/* The next level of the image's pyramid, of @size. */
static Func
down (Func fine, Size size)
{
  Func tall ("tall"), coarse ("coarse");

  tall (x, y) = down_sum ([&](int t) { return fine (x, 2 * y + t); });
  coarse (x, y) = down_sum ([&](int t) { return tall (2 * x + t, y); });
  coarse.compute_root ().vectorize (x, lanes).parallel (y);
  tall.compute_at (coarse, y).vectorize (x, lanes);
  return repeat (coarse, size);
}

/* The same of the remapped images' pyramids; of @fine only the rows that are
 * needed are made, each once in a strip, if @fine_inside. */
static Func
down_samples (Func fine, bool fine_inside, Size size)
{
  Func tall ("tall"), coarse ("coarse");

  tall (x, y, k) = down_sum ([&](int t) { return fine (x, 2 * y + t, k); });
  coarse (x, y, k) = down_sum ([&](int t) { return tall (2 * x + t, y, k); });
  coarse.compute_root ().vectorize (x, lanes);
  tall.compute_at (coarse, y).vectorize (x, lanes);
  if (fine_inside) {
    coarse.split (y, y, yi, strip).parallel (y);
    tall.compute_at (coarse, yi);
    fine.store_at (coarse, y).compute_at (coarse, yi).vectorize (x, lanes);
  } else {
    coarse.parallel (y);
  }
  return repeat (coarse, size);
}

/* Values of 0 to 1 (not rounded), or codes. */
static Pipeline
make_filter (const Buffer < uint8_t > &codes, const Buffer < float >&table,
    bool rounded)
{
  Func image = Halide::BoundaryConditions::repeat_edge (codes);
  Func gaussian[n_levels], remapped[n_levels], finest, result;
  Size sizes[n_levels] = { { codes.width (), codes.height () } };

  gaussian[0] (x, y) = image (x, y) / 255.f;
  /* once for the pyramids, and once where pixels look up two samples of it */
  for (Func * remap : { &remapped[0], &finest })
    (*remap) (x, y, k) = table (Halide::cast < int >(image (x, y)), k);
  for (int l = 1; l < n_levels; l++) {
    sizes[l] = half (sizes[l - 1]);
    gaussian[l] = down (gaussian[l - 1], sizes[l]);
    remapped[l] = down_samples (remapped[l - 1], l == 1, sizes[l]);
  }

  result = gaussian[n_levels - 1];
  for (int l = n_levels - 1; l-- > 0;) {
    Func above ("above"), wide ("wide"), sum ("sum"), wide_sum ("wide_sum");
    Func next ("next"), output ("output");
    const Func coarse = remapped[l + 1], coarse_result = result;
    const Func fine = l > 0 ? remapped[l] : finest;
    /* between which samples the pixel lies */
    Expr place = gaussian[l] (x, y) * (n_samples - 1);
    Expr first = clamp (Halide::cast < int >(place), 0, n_samples - 2);
    Expr share = place - first;

    above (x, y, k) = up_sum (y, [&](int t) {
          return coarse (x, y / 2 + t, k);
        });
    wide (x, y, k) = up_sum (x, [&](int t) { return above (x / 2 + t, y, k); });
    sum (x, y) = up_sum (y, [&](int t) {
          return coarse_result (x, y / 2 + t);
        });
    wide_sum (x, y) = up_sum (x, [&](int t) { return sum (x / 2 + t, y); });
    next (x, y) = wide_sum (x, y) +
        (1 - share) * (fine (x, y, first) - wide (x, y, first)) +
        share * (fine (x, y, first + 1) - wide (x, y, first + 1));
    if (l > 0 || !rounded)
      output = next;
    else
      output (x, y) = Halide::cast < uint8_t >
          (clamp (next (x, y), 0.f, 1.f) * 255 + .5f);

    output.compute_root ().vectorize (x, lanes).parallel (y, l < 3 ? 4 : 1);
    for (Func * row : { &above, &sum })
      row->compute_at (output, y).vectorize (x, lanes);
    for (Func * row : { &wide, &wide_sum })
      row->compute_at (output, y).align_bounds (x, 2).split (x, x, pair, 2)
          .unroll (pair).vectorize (x, lanes);
    result = l > 0 ? repeat (output, sizes[l]) : output;
  }
  return Pipeline (result);
}

/* Row k remaps all codes about sample k, as our tables do. */
static Buffer < float >
make_table (const CsLlfParams & params)
{
  Buffer < float >table (256, n_samples);

  for (int sample = 0; sample < n_samples; sample++)
    for (int code = 0; code < 256; code++)
      table (code, sample) = (float) llf_oracle_remap (&params, code / 255.,
          (double) sample / (n_samples - 1));
  return table;
}

/* --- Measuring ------------------------------------------------------------ */

struct Picture
{
  int w, h;
  std::vector < uint8_t > codes;
  std::vector < float >values;

  Picture (int width, int height): w (width), h (height)
  {
    guint16 *made = llf_codes_new (LLF_NATURAL, w, h, 255);

    for (size_t i = 0; i < (size_t) w * h; i++) {
      codes.push_back ((uint8_t) made[i]);
      values.push_back (made[i] / 255.f);
    }
    g_free (made);
  }
};

/* Prints the median of 15 runs after 2, and the best, which says more on a
 * machine that does something else, too. */
static void
print_ms (const std::function < void () > &run)
{
  typedef std::chrono::steady_clock Clock;
  std::vector < double >times;

  for (int i = 0; i < 17; i++) {
    const Clock::time_point start = Clock::now ();

    run ();
    if (i >= 2)
      times.push_back (std::chrono::duration < double,
          std::milli > (Clock::now () - start).count ());
  }
  std::sort (times.begin (), times.end ());
  printf (" %7.1f (%6.1f)", times[times.size () / 2], times[0]);
}

static double
psnr (const std::vector < float >&a, const std::vector < float >&b)
{
  double sum = 0;

  for (size_t i = 0; i < a.size (); i++)
    sum += ((double) a[i] - b[i]) * ((double) a[i] - b[i]);
  return -10 * log10 (std::max (sum / a.size (), 1e-20));
}

static void
stop (GError * error)
{
  fprintf (stderr, "bench-llf-halide: %s\n", error->message);
  exit (1);
}

/* Our filter on some threads, 0 for all. */
class Ours
{
public:
  Ours (const CsLlfParams & params, int n_threads)
  {
    GError *error = NULL;

    executor = cs_executor_new_cpu (n_threads);
    table = cs_llf_table_new (&params, &error);
    plan = table ? cs_llf_new (table, executor, &error) : NULL;
    if (!plan)
      stop (error);
  }
  Ours (const Ours &) = delete;
  Ours & operator= (const Ours &) = delete;
  ~Ours ()
  {
    cs_llf_free (plan);
    cs_llf_table_unref (table);
    cs_executor_free (executor);
  }

  void run (const void *in, CsSampleType type, int w, int h, void *out)
  {
    CsLlfSettings settings = CsLlfSettings ();
    CsLlfFrame frame = CsLlfFrame ();
    GError *error = NULL;

    settings.amount = 1;
    settings.levels = n_levels;
    frame.output_pixel_stride = cs_sample_size (type);
    frame.output_row_stride = w * frame.output_pixel_stride;
    frame.input = cs_image_gray (in, type, w, h, frame.output_row_stride);
    frame.output = out;
    if (!cs_llf_run (plan, &frame, &settings, &error))
      stop (error);
  }

  std::vector < float >values (const Picture & picture)
  {
    std::vector < float >out (picture.values.size ());

    run (picture.values.data (), CS_SAMPLE_F32, picture.w, picture.h,
        out.data ());
    return out;
  }

private:
  CsExecutor *executor;
  CsLlfTable *table;
  CsLlf *plan;
};

static const int thread_counts[] = { 1, 2, 0 };

static void
bench_ours (const char *name, CsLlfParams params, CsLlfQuality quality,
    const Picture & picture, const std::vector < float >&exact)
{
  std::vector < uint8_t > out (picture.codes.size ());

  params.quality = quality;
  params.intensity_levels = n_samples;
  printf ("  %-18s", name);
  for (int n : thread_counts) {
    Ours ours (params, n);

    print_ms ([&] {
          ours.run (picture.codes.data (), CS_SAMPLE_U8, picture.w, picture.h,
              out.data ());
        });
  }
  printf ("  %7.1f dB\n", psnr (Ours (params, 0).values (picture), exact));
  fflush (stdout);
}

static void
bench_halide (const CsLlfParams & params, Picture & picture,
    const std::vector < float >&exact)
{
  Buffer < uint8_t > in (picture.codes.data (), picture.w, picture.h);
  Buffer < uint8_t > out (picture.w, picture.h);
  std::vector < float >values (picture.values.size ());
  Buffer < float >all (values.data (), picture.w, picture.h);
  const Buffer < float >table = make_table (params);
  Pipeline filter = make_filter (in, table, true);

  filter.compile_jit ();
  printf ("  %-18s", "Halide, sampled 8");
  for (int n : thread_counts) {
    set_halide_threads (n);
    print_ms ([&] { filter.realize (out); });
  }
  make_filter (in, table, false).realize (all);
  printf ("  %7.1f dB\n", psnr (values, exact));
  fflush (stdout);
}

static void
bench_size (int w, int h)
{
  Picture picture (w, h);
  CsLlfParams params;

  cs_llf_params_init (&params);
  params.curve = CS_LLF_POWER;
  CsLlfParams reference = params;
  reference.quality = CS_LLF_EXACT;
  const std::vector < float >exact = Ours (reference, 0).values (picture);

  printf ("%d x %d, 8 bits, power curve, sigma .2, alpha .5, %d levels\n", w,
      h, n_levels);
  printf ("  %-18s %16s %16s %16s     against exact\n",
      "median (best), ms", "1 thread", "2 threads", "all");
  bench_halide (params, picture, exact);
  bench_ours ("sampled 8", params, CS_LLF_SAMPLED, picture, exact);
  bench_ours ("normal", params, CS_LLF_NORMAL, picture, exact);
}

int
main (int argc, char **argv)
{
#ifdef __GLIBC__
  /* Halide allocates with every frame: let it get the same memory again, as
   * our plans keep theirs, not new pages from the system */
  mallopt (M_MMAP_MAX, 0);
  mallopt (M_TRIM_THRESHOLD, G_MAXINT);
#endif
  if (argc == 1) {
    bench_size (1920, 1080);
    bench_size (3840, 2160);
    return 0;
  }
  const int w = argc == 3 ? atoi (argv[1]) : 0;
  const int h = argc == 3 ? atoi (argv[2]) : 0;

  if (w < 256 || w > 16384 || h < 256 || h > 16384) {
    fprintf (stderr, "usage: bench-llf-halide [WIDTH HEIGHT], of 256 to 16384"
        " pixels\n");
    return 2;
  }
  bench_size (w, h);
  return 0;
}
