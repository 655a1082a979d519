/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the local Laplacian filter's colour: check-llf-colour [cpu|cuda|bench]
 *   cpu   the rules in double precision, threads, errors
 *   cuda  the same bits as on the CPU; and prints times of whole pictures
 *   bench times with and without weights */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../lib/check_device.h"
#include "../lib/check.h"
#include "../lib/device.h"
#include "llf/llf_colour.h"
#include "llf/llf_colour_private.h"
#include "llf/llf_private.h"

/* --- Jobs ----------------------------------------------------------------- */

#define MAX_BYTES (1u << 20)

static const CsLlfSettings all = {.amount = 1 };

/**
 * Room:
 * @bytes: random input; the output begins as a copy of it
 * @before: random luma
 *
 * What jobs work on.
 */
typedef struct
{
  guint8 *bytes, *output;
  float *before, *after;
} Room;

static void
room_init (Room * room, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  room->bytes = g_malloc (MAX_BYTES);
  room->output = g_malloc (MAX_BYTES);
  room->before = g_new (float, MAX_BYTES / 4);
  room->after = g_new (float, MAX_BYTES / 4);
  for (gsize i = 0; i < MAX_BYTES; i++)
    room->bytes[i] = g_rand_int (rand);
  memcpy (room->output, room->bytes, MAX_BYTES);
  for (gsize i = 0; i < MAX_BYTES / 4; i++) {
    room->before[i] = g_rand_double (rand);
    /* some of it out of range, some unchanged */
    room->after[i] = i % 7 ? g_rand_double_range (rand, -.2, 1.2) :
        room->before[i];
  }
}

static void
room_clear (Room * room)
{
  g_free (room->bytes);
  g_free (room->output);
  g_free (room->before);
  g_free (room->after);
}

static CsLlfTone
make_tone (guint depth, gboolean limited)
{
  const float most = (1u << depth) - 1;
  CsLlfTone tone = {
    .unit = 1 / most,
    .max_code = most,
    .gain = 1,
    .neutral = 1u << (depth - 1),
  };

  if (limited) {
    tone.black = (16u << (depth - 8)) / most;
    tone.gain = most / (219u << (depth - 8));
  }
  return tone;
}

static CsLlfRgbJob
make_rgb_job (const Room * room, guint width, guint height,
    guint pixel_stride, gboolean bgr, gboolean limited)
{
  const gsize stride = (gsize) width * pixel_stride + 5;

  return (CsLlfRgbJob) {
    .width = width,
    .height = height,
    .pixel_stride = pixel_stride,
    .red = bgr ? 2 : 0,
    .green = 1,
    .blue = bgr ? 0 : 2,
    .input = room->bytes,
    .output = room->output,
    .input_stride = stride,
    .output_stride = stride,
    .red_weight = .2126f,
    .blue_weight = .0722f,
    .luma = room->before,
    .filtered = room->after,
    .tone = make_tone (8, limited),
  };
}

/* Luma is at the beginning of both rooms, chroma after the first half. */
static CsLlfChromaJob
make_chroma_job (const Room * room, const Room * filtered, guint width,
    guint height, guint sub, guint depth, guint shift, gboolean interleaved)
{
  const guint bytes = depth > 8 ? 2 : 1, sub_x = sub & 1, sub_y = sub >> 1;
  const guint chroma_width = (width + sub_x) >> sub_x;
  const gsize pixel_stride = interleaved ? 2 * bytes : bytes;
  const gsize stride = (chroma_width + 3) * pixel_stride;
  const guint chroma_height = (height + sub_y) >> sub_y;
  const gsize second = interleaved ? bytes : stride * chroma_height;
  CsLlfChromaJob job = {
    .width = chroma_width,
    .height = chroma_height,
    .last_x = width - 1,
    .last_y = height - 1,
    .sub_x = sub_x,
    .sub_y = sub_y,
    .bytes = bytes,
    .shift = shift,
    .luma = room->bytes,
    .filtered = filtered->bytes,
    .luma_stride = (width + 1) * bytes,
    .filtered_stride = (width + 2) * bytes,
    .pixel_stride = pixel_stride,
    .tone = make_tone (depth, TRUE),
  };

  for (guint part = 0; part < 2; part++) {
    job.input[part] = room->bytes + MAX_BYTES / 2 + part * second;
    job.output[part] = room->output + MAX_BYTES / 2 + part * second;
    job.input_stride[part] = job.output_stride[part] = stride;
  }
  return job;
}

/* Goes from the first quarter of the room to its output's second half. Most
 * weights are random, in rows of some height there are none or only the
 * largest. @form: bits for samples, depth and shift */
static CsLlfBlendJob
make_blend_job (const Room * room, guint width, guint height, guint sub,
    guint form)
{
  const guint bytes = form & 1 ? 2 : 1, sub_x = sub & 1, sub_y = sub >> 1;
  const guint per_pixel = 1 + (form >> 1 & 3);
  CsLlfBlendJob job = {
    .n_samples = ((width + sub_x) >> sub_x) * per_pixel,
    .n_rows = (height + sub_y) >> sub_y,
    .per_pixel = per_pixel,
    .sub_x = sub_x,
    .sub_y = sub_y,
    .bytes = bytes,
    .shift = bytes == 2 && form & 8 ? 6 : 0,
    .width = width,
    .height = height,
    .weights = room->bytes + MAX_BYTES / 4,
    .before = room->bytes,
    .after = room->output + MAX_BYTES / 2,
  };

  job.before_stride = (job.n_samples + 1) * bytes;
  job.after_stride = (job.n_samples + 2) * bytes;
  return job;
}

/* --- The rules, in double precision --------------------------------------- */

static double
oracle_ratio (const CsLlfTone * tone, double before, double after)
{
  const double y = MAX (0, (before - tone->black) * tone->gain);
  const double z = MAX (0, (after - tone->black) * tone->gain);
  const double ratio = CLAMP ((z + .01) / (y + .01), .5, 2);

  return 1 + MIN (y * 16, 1) * (ratio - 1);
}

/* Whether @got is @want rounded to a code, within tolerance. */
static gboolean
is_nearest (const CsLlfTone * tone, guint got, double want)
{
  return fabs (got - CLAMP (want, 0, tone->max_code)) <= .5 + 1e-3;
}

/* Whether @got is so far on the way from @code to @want, rounded to a code, and
 * rounded again. */
static gboolean
is_on_the_way (const CsLlfTone * tone, guint got, guint code, double want,
    guint weight)
{
  const double part = weight / 255.;

  if (weight == 255)
    return is_nearest (tone, got, want);
  return weight == 0 ? got == code : fabs ((double) got - code -
      (CLAMP (want, 0, tone->max_code) - code) * part) <= .5 * part + .503;
}

static gboolean
rgb_is_right (const CsLlfRgbJob * job)
{
  const guint places[3] = { job->red, job->green, job->blue };

  for (guint y = 0; y < job->height; y++) {
    for (guint x = 0; x < job->width; x++) {
      const double before = job->luma[y * job->width + x];
      const double after = job->filtered[y * job->width + x];
      const double ratio = oracle_ratio (&job->tone, before, after);
      const guint weight = job->weights ? job->weights[y * job->width + x] :
          255;
      const guint8 *in = job->input + y * job->input_stride +
          x * job->pixel_stride;
      const guint8 *out = job->output + y * job->output_stride +
          x * job->pixel_stride;

      for (guint c = 0; c < 3; c++) {
        const guint8 code = in[places[c]];

        if (!is_on_the_way (&job->tone, out[places[c]], code,
                255 * (after + ratio * (code / 255. - before)), weight) ||
            (after == before && out[places[c]] != code))
          return FALSE;
      }
      if (job->pixel_stride == 4 && out[3] != in[3])
        return FALSE;
    }
  }
  return TRUE;
}

static guint
read_code (const CsLlfChromaJob * job, const guint8 * at)
{
  return job->bytes == 1 ? *at : *(const guint16 *) at >> job->shift;
}

static double
mean (const CsLlfChromaJob * job, const guint8 * plane, gsize stride, guint x,
    guint y)
{
  double sum = 0;
  guint i, j, n = 0;

  for (j = y << job->sub_y; j < (y + 1) << job->sub_y; j++)
    for (i = x << job->sub_x; i < (x + 1) << job->sub_x; i++)
      if (i <= job->last_x && j <= job->last_y) {
        sum += read_code (job, plane + j * stride + i * job->bytes);
        n++;
      }
  return sum / n / job->tone.max_code;
}

static gboolean
chroma_is_right (const CsLlfChromaJob * job)
{
  for (guint y = 0; y < job->height; y++) {
    for (guint x = 0; x < job->width; x++) {
      const double ratio = oracle_ratio (&job->tone,
          mean (job, job->luma, job->luma_stride, x, y),
          mean (job, job->filtered, job->filtered_stride, x, y));

      for (guint part = 0; part < 2; part++) {
        const double code = read_code (job, job->input[part] +
            y * job->input_stride[part] + x * job->pixel_stride);

        if (!is_nearest (&job->tone, read_code (job, job->output[part] +
                    y * job->output_stride[part] + x * job->pixel_stride),
                job->tone.neutral + ratio * (code - job->tone.neutral)))
          return FALSE;
      }
    }
  }
  return TRUE;
}

static guint
weight_of (const CsLlfBlendJob * job, guint x, guint y)
{
  double sum = 0;

  for (guint j = 0; j < 2; j++)
    for (guint i = 0; i < 2; i++)
      sum += job->weights[MIN ((y << job->sub_y) + j * job->sub_y,
              job->height - 1) * (gsize) job->width +
          MIN ((x << job->sub_x) + i * job->sub_x, job->width - 1)];
  return floor (sum / 4 + .5);
}

static guint
blend_code (const CsLlfBlendJob * job, const guint8 * row, guint i)
{
  return job->bytes == 1 ? row[i] : ((const guint16 *) row)[i] >> job->shift;
}

/* @original: what @after was */
static gboolean
blend_is_right (const CsLlfBlendJob * job, const guint8 * original)
{
  for (guint y = 0; y < job->n_rows; y++) {
    const guint8 *before = job->before + y * job->before_stride;
    const guint8 *after = original + y * job->after_stride;
    const guint8 *got = job->after + y * job->after_stride;

    for (guint i = 0; i < job->n_samples; i++) {
      const double w = weight_of (job, i / job->per_pixel, y) / 255.;
      const double a = blend_code (job, before, i);
      const double want = a + (blend_code (job, after, i) - a) * w;

      if (blend_code (job, got, i) != floor (want + .5) || (job->shift &&
              ((const guint16 *) got)[i] & ((1u << job->shift) - 1)))
        return FALSE;
    }
  }
  return TRUE;
}

/* --- Backends ------------------------------------------------------------- */

static const guint sizes[][2] = { {1, 1}, {2, 1}, {1, 3}, {5, 4}, {63, 17},
{64, 33}, {301, 41}, {514, 2}
};

#define N_FORMS 8

typedef struct
{
  const CsLlfColourBackend *backend;
  CsExecutor *executor;
  void *state;
} Runner;

static void
runner_init (Runner * runner, const CsLlfColourBackend * backend,
    CsExecutor * executor)
{
  *runner = (Runner) { backend, executor, backend->create (executor) };
}

static void
runner_clear (Runner * runner)
{
  runner->backend->destroy (runner->state);
  cs_executor_free (runner->executor);
}

static CsLlfRgbJob
nth_rgb_job (const Room * room, guint size, guint form)
{
  return make_rgb_job (room, sizes[size][0], sizes[size][1], 3 + (form & 1),
      form & 2, form & 4);
}

static CsLlfChromaJob
nth_chroma_job (const Room * room, const Room * filtered, guint size,
    guint form, guint sub)
{
  const guint depth = form & 1 ? 10 : 8;

  return make_chroma_job (room, filtered, sizes[size][0], sizes[size][1], sub,
      depth, form & 2 && depth > 8 ? 6 : 0, form & 4);
}

#define N_BLEND_FORMS 16

static CsLlfBlendJob
nth_blend_job (const Room * room, guint size, guint form, guint sub)
{
  return make_blend_job (room, sizes[size][0], sizes[size][1], sub, form);
}

/* Some rows without weight, some with all of it. */
static void
draw_weights (Room * room, guint width, guint height)
{
  for (guint y = 0; y < height; y++)
    if (y % 5 < 2)
      memset (room->bytes + MAX_BYTES / 4 + (gsize) y * width,
          y % 5 ? 255 : 0, width);
}

static void
test_blending (void)
{
  Runner runner;

  runner_init (&runner, &cs_llf_colour_cpu_backend, cs_executor_new_cpu (3));
  for (guint size = 0; size < G_N_ELEMENTS (sizes); size++) {
    for (guint form = 0; form < N_BLEND_FORMS; form++) {
      for (guint sub = 0; sub < 4; sub++) {
        guint8 *original;
        Room room;

        room_init (&room, size * N_BLEND_FORMS + form);
        draw_weights (&room, sizes[size][0], sizes[size][1]);
        original = g_memdup2 (room.output + MAX_BYTES / 2, MAX_BYTES / 2);
        CsLlfBlendJob job = nth_blend_job (&room, size, form, sub);
        check_that (runner.backend->blend (runner.state, &job, NULL) &&
            blend_is_right (&job, original), "weights (%u, %u, %u)", size,
            form, sub);
        g_free (original);
        room_clear (&room);
      }
    }
  }
  runner_clear (&runner);
}

static void
test_rules (void)
{
  Runner runner;

  runner_init (&runner, &cs_llf_colour_cpu_backend, cs_executor_new_cpu (3));
  for (guint size = 0; size < G_N_ELEMENTS (sizes); size++) {
    for (guint form = 0; form < N_FORMS; form++) {
      CsLlfChromaJob chroma;
      Room room, filtered;

      room_init (&room, size * N_FORMS + form);
      room_init (&filtered, 1000 + form);
      CsLlfRgbJob rgb = nth_rgb_job (&room, size, form);
      check_that (runner.backend->rgb (runner.state, &rgb, NULL) &&
          rgb_is_right (&rgb), "RGB follows (%u)", size * N_FORMS + form);
      draw_weights (&room, sizes[size][0], sizes[size][1]);
      rgb.weights = room.bytes + MAX_BYTES / 4;
      check_that (runner.backend->rgb (runner.state, &rgb, NULL) &&
          rgb_is_right (&rgb), "RGB follows by weights (%u)",
          size * N_FORMS + form);
      for (guint sub = 0; sub < 4; sub++) {
        chroma = nth_chroma_job (&room, &filtered, size, form, sub);
        check_that (runner.backend->chroma (runner.state, &chroma, NULL) &&
            chroma_is_right (&chroma), "chroma follows (%u)",
            (size * N_FORMS + form) * 4 + sub);
      }
      room_clear (&room);
      room_clear (&filtered);
    }
  }
  runner_clear (&runner);
}

/* Pictures through the plan */

static CsPicture
nv12_picture (guint8 * data, guint width, guint height)
{
  const gsize stride = (width + 1) / 2 * 2;
  guint8 *chroma = data + width * height;

  return (CsPicture) {
    .model = CS_PICTURE_YUV,.type = CS_SAMPLE_U8,
    .width = width,.height = height,.depth = 8,.limited_range = TRUE,
    .sub_x = 1,.sub_y = 1,
    .data = {data, chroma, chroma + 1},
    .pixel_stride = {1, 2, 2},
    .row_stride = {stride, stride, stride},
  };
}

static CsPicture
rgba_picture (guint8 * data, guint width, guint height)
{
  return (CsPicture) {
    .model = CS_PICTURE_RGB,.type = CS_SAMPLE_U8,
    .width = width,.height = height,.depth = 8,.kr = .2126,.kb = .0722,
    .data = {data, data + 1, data + 2, data + 3},
    .pixel_stride = {4, 4, 4, 4},
    .row_stride = {4 * width, 4 * width, 4 * width, 4 * width},
  };
}

/* RGBA, or NV12 */
static CsPicture
make_picture (gboolean rgb, guint8 * data, guint width, guint height)
{
  return rgb ? rgba_picture (data, width, height) :
      nv12_picture (data, width, height);
}

static CsLlfColour *
plan_new (gboolean limited, CsExecutor * executor)
{
  CsLlfParams params;

  cs_llf_params_init (&params);
  params.limited_range = limited;
  g_autoptr (CsLlfTable) table = cs_llf_table_new (&params, NULL);
  return cs_llf_colour_new (table, executor, NULL);
}

static void
expect_invalid (CsLlfColour * plan, const CsPicture * input,
    const CsPicture * output, guint i)
{
  g_autoptr (GError) error = NULL;

  check_that (!cs_llf_colour_run (plan, input, output, TRUE, &all, &error) &&
      g_error_matches (error, CS_ERROR, CS_ERROR_INVALID),
      "an invalid picture (%u)", i);
}

/* Where the guard of tones ends: black and white of ITU-R BT.709 and BT.2100,
 * as codes of each depth. */
static void
test_guard (void)
{
  static const struct
  {
    guint depth;
    double black, white;
  } limited[] = { {8, 16, 235}, {10, 64, 940}, {12, 256, 3760}, {16, 4096,
      60160}};
  const CsLlfSettings settings = {.amount = 1,.tone_guard = .25f };
  CsLlfParams params;

  cs_llf_params_init (&params);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (limited); i++) {
    const guint k = i / 2;
    const double most = ldexp (1, (gint) limited[k].depth) - 1;
    const double black = i % 2 ? limited[k].black / most : 0;
    const double white = i % 2 ? limited[k].white / most : 1;

    params.depth = limited[k].depth;
    params.limited_range = i % 2;
    CsLlfToneGuard guard = cs_llf_get_tone_guard (&params, &settings);
    check_that (fabs (guard.black - black) < 1e-7
        && fabs (guard.white - white) < 1e-7
        && fabs (guard.slope * .25 * (white - black) - 1) < 1e-6,
        "guard of %u bits%s: %f to %f, slope %f", limited[k].depth, i % 2 ?
        ", limited" : "", guard.black, guard.white, guard.slope);
  }
}

static void
test_errors (void)
{
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (1);
  g_autoptr (CsLlfColour) plan = plan_new (TRUE, executor);
  CsPicture input, output, bad, bad_output;
  Room room;
  guint i = 0;

  room_init (&room, 1);
  input = nv12_picture (room.bytes, 64, 32);
  output = nv12_picture (room.output, 64, 32);
  /* of both, of the input, of the output */
#define BAD(change) do { bad = input; bad_output = output; bad.change; \
    bad_output.change; expect_invalid (plan, &bad, &bad_output, i++); \
    } while (0)
#define BAD_INPUT(change) do { bad = input; bad.change; \
    expect_invalid (plan, &bad, &output, i++); } while (0)
#define BAD_OUTPUT(change) do { bad = output; bad.change; \
    expect_invalid (plan, &input, &bad, i++); } while (0)
  BAD (depth = 7);
  BAD (depth = 17);
  BAD (depth = 10);
  BAD (shift = 9);
  BAD (sub_x = 2);
  BAD (model = CS_PICTURE_RGB);
  BAD (memory = CS_MEMORY_DEVICE);
  BAD (pixel_stride[0] = 0);
  BAD (pixel_stride[0] = 2);
  BAD (pixel_stride[2] = 1);
  BAD (row_stride[0] = 63);
  BAD (row_stride[1] = 62);
  BAD_INPUT (data[0] = NULL);
  BAD_INPUT (data[2] = input.data[1]);
  BAD_INPUT (memory = CS_MEMORY_DEVICE);
  BAD_INPUT (model = CS_PICTURE_GRAY);
  BAD_INPUT (height = 30);
  BAD_OUTPUT (data[1] = NULL);
  BAD_OUTPUT (data[2] = (guint8 *) output.data[2] + 3);
  BAD_OUTPUT (data[CS_PICTURE_ALPHA] = room.output);
  BAD_OUTPUT (pixel_stride[1] = 4);
  BAD_OUTPUT (row_stride[0] = 63);
  BAD_OUTPUT (sub_y = 0);
  BAD_OUTPUT (data[0] = NULL);
  bad = input;
  bad.row_stride[0] = 65;
  expect_invalid (plan, &bad, &input, i++);
  check_that (cs_llf_colour_run (plan, &input, &output, TRUE, &all, NULL),
      "and then a good one");
  room_clear (&room);
  cs_llf_colour_free (NULL);
}

/* The result does not depend on the number of threads, nor on working in
 * place. */
static void
test_threads (void)
{
  guint8 *first = NULL;

  for (guint kind = 0; kind < 2; kind++) {
    const guint width = kind ? 301 : 302;

    for (guint n = 1; n <= 4; n++) {
      g_autoptr (CsExecutor) executor = cs_executor_new_cpu (n);
      g_autoptr (CsLlfColour) plan = plan_new (kind == 0, executor);
      Room room;

      room_init (&room, 5);
      guint8 *to = n == 4 ? room.bytes : room.output;
      CsPicture input = make_picture (kind, room.bytes, width, 77);
      CsPicture output = make_picture (kind, to, width, 77);
      check_that (cs_llf_colour_run (plan, &input, &output, TRUE, &all, NULL),
          "runs (%u)", n);
      if (n == 1)
        first = g_memdup2 (room.output, 302 * 77 * 3 / 2);
      else
        check_that (memcmp (n == 4 ? room.bytes : room.output, first,
                302 * 77 * 3 / 2) == 0, "threads, places (%u)", n);
      room_clear (&room);
    }
    g_clear_pointer (&first, g_free);
  }
}

/* With weights of 255 a picture is the filtered one, with 0 the input, and else
 * in between: at every place, in place and not. */
static void
test_weights (void)
{
  const guint w = 301, h = 77;
  g_autofree guint8 *weights = g_malloc (w * h);

  for (guint i = 0; i < w * h; i++)
    weights[i] = i % w < 100 ? 255 : i % w < 200 ? 0 : i * 7;
  for (guint kind = 0; kind < 2; kind++) {
    g_autoptr (CsExecutor) executor = cs_executor_new_cpu (2);
    g_autoptr (CsLlfColour) plan = plan_new (kind == 0, executor);
    const guint width = kind ? w : w - 1;
    const gsize size = (kind ? 4 : 1) * width * h;
    Room room;

    room_init (&room, 5);
    CsPicture input = make_picture (kind, room.bytes, width, h);
    CsPicture output = make_picture (kind, room.output, width, h);
    check_that (cs_llf_colour_run (plan, &input, &output, TRUE, &all, NULL),
        "without weights");
    for (guint place = 0; place < 2; place++) {
      g_autofree guint8 *before = g_memdup2 (room.bytes, MAX_BYTES);
      guint8 *got = place ? room.bytes : g_malloc (MAX_BYTES);

      output = make_picture (kind, got, width, h);
      cs_llf_colour_set_weights (plan, weights, 1);
      gboolean ok = cs_llf_colour_run (plan, &input, &output, TRUE, &all, NULL);
      for (gsize at = 0; at < size && ok; at++) {
        const gsize pixel = kind ? at / 4 : at;
        const double part = weights[pixel] / 255.;
        const double want = before[at] + (room.output[at] - before[at]) * part;

        ok = kind && at % 4 == 3 ? got[at] == before[at] :
            got[at] == floor (want + .5);
      }
      check_that (ok, "weighted, picture %u, place %u", kind, place);
      cs_llf_colour_set_weights (plan, NULL, 2);
      memcpy (room.bytes, before, MAX_BYTES);
      if (!place)
        g_free (got);
    }
    output = make_picture (kind, room.bytes, width, h);
    check_that (cs_llf_colour_run (plan, &input, &output, TRUE, &all, NULL) &&
        memcmp (room.bytes, room.output, size) == 0, "and without again");
    room_clear (&room);
  }
}

/* Processor time with and without weights, in turns: of half of the frame, and of all
 * pixels, each another. */
static void
bench_weights (void)
{
  static const char *const names[] = { "no weights", "half a frame", "a mask" };
  const guint w = 1920, h = 1080;
  const gsize size = (gsize) 4 * w * h;
  guint8 *weights[3] = { NULL, g_malloc0 (w * h), g_malloc (w * h) };
  guint64 best[2][3];

  for (gsize i = 0; i < (gsize) w * h; i++) {
    weights[1][i] = i % w < w / 2 ? 0 : 255;
    weights[2][i] = i * 7 + i / w;
  }
  for (guint kind = 0; kind < 2; kind++) {
    g_autoptr (CsExecutor) executor = cs_executor_new_cpu (0);
    g_autoptr (CsLlfColour) plan = plan_new (kind == 0, executor);
    g_autofree guint8 *data = g_malloc0 (size);
    const CsPicture picture = make_picture (kind, data, w, h);

    for (gsize i = 0; i < size; i++)
      data[i] = i * 7 + i / 1000 * 13;
    for (guint turn = 0; turn < 12; turn++)
      for (guint way = 0; way < 3; way++) {
        const clock_t begin = clock ();

        cs_llf_colour_set_weights (plan, weights[way], way);
        cs_llf_colour_run (plan, &picture, &picture, FALSE, &all, NULL);
        guint64 took = (clock () - begin) * 1000000 / CLOCKS_PER_SEC;
        if (turn == 0 || took < best[kind][way])
          best[kind][way] = took;
      }
    for (guint way = 0; way < 3; way++)
      printf ("1920x1080 %s, %s: %.2f ms, %.2f times\n",
          kind ? "RGBA" : "NV12", names[way], best[kind][way] / 1e3,
          (double) best[kind][way] / best[kind][0]);
  }
  g_free (weights[1]);
  g_free (weights[2]);
}

/* --- CUDA ----------------------------------------------------------------- */

#ifdef HAVE_CUDA

/* A room's copy on the device. */
static Room
upload (const Room * room)
{
  return (Room) {
    device_place (CS_MEMORY_DEVICE, room->bytes, MAX_BYTES),
        device_place (CS_MEMORY_DEVICE, room->bytes, MAX_BYTES),
        device_place (CS_MEMORY_DEVICE, room->before, MAX_BYTES),
        device_place (CS_MEMORY_DEVICE, room->after, MAX_BYTES)
  };
}

static void
clear_device (Room * room)
{
  check_device_free (room->bytes);
  check_device_free (room->output);
  check_device_free (room->before);
  check_device_free (room->after);
}

static gboolean
is_same_output (const Room * host, const Room * device)
{
  g_autofree guint8 *copy = g_malloc (MAX_BYTES);

  check_device_copy (copy, device->output, MAX_BYTES);
  return memcmp (copy, host->output, MAX_BYTES) == 0;
}

static void
test_same_bits (Runner * cuda)
{
  Runner cpu;

  runner_init (&cpu, &cs_llf_colour_cpu_backend, cs_executor_new_cpu (0));
  for (guint size = 0; size < G_N_ELEMENTS (sizes); size++) {
    for (guint form = 0; form < N_FORMS; form++) {
      Room room, other, device, device_other;

      room_init (&room, size * N_FORMS + form);
      room_init (&other, 1000 + form);
      device = upload (&room);
      device_other = upload (&other);
      CsLlfRgbJob a = nth_rgb_job (&room, size, form);
      CsLlfRgbJob b = nth_rgb_job (&device, size, form);
      check_that (cpu.backend->luma (cpu.state, &a, NULL) &&
          cuda->backend->luma (cuda->state, &b, NULL) &&
          cpu.backend->rgb (cpu.state, &a, NULL) &&
          cuda->backend->rgb (cuda->state, &b, NULL) &&
          is_same_output (&room, &device), "RGB on CUDA (%u)",
          size * N_FORMS + form);
      a.weights = room.bytes + MAX_BYTES / 4;
      b.weights = device.bytes + MAX_BYTES / 4;
      check_that (cpu.backend->rgb (cpu.state, &a, NULL) &&
          cuda->backend->rgb (cuda->state, &b, NULL) &&
          is_same_output (&room, &device), "RGB by weights on CUDA (%u)",
          size * N_FORMS + form);
      for (guint sub = 0; sub < 4; sub++) {
        const CsLlfChromaJob c = nth_chroma_job (&room, &other, size, form,
            sub);
        const CsLlfChromaJob d = nth_chroma_job (&device, &device_other, size,
            form, sub);

        check_that (cpu.backend->chroma (cpu.state, &c, NULL) &&
            cuda->backend->chroma (cuda->state, &d, NULL) &&
            is_same_output (&room, &device), "chroma on CUDA (%u)",
            (size * N_FORMS + form) * 4 + sub);
      }
      for (guint sub = 0; sub < 4; sub++) {
        const CsLlfBlendJob e = nth_blend_job (&room, size, form, sub);
        const CsLlfBlendJob f = nth_blend_job (&device, size, form, sub);

        check_that (cpu.backend->blend (cpu.state, &e, NULL) &&
            cuda->backend->blend (cuda->state, &f, NULL) &&
            is_same_output (&room, &device), "weights on CUDA (%u)",
            (size * N_FORMS + form) * 4 + sub);
      }
      clear_device (&device);
      clear_device (&device_other);
      room_clear (&room);
      room_clear (&other);
    }
  }
  runner_clear (&cpu);
}

static void
time_picture (CsExecutor * executor, gboolean rgb, CsMemory memory)
{
  const guint width = 1920, height = 1080, n = 100;
  const gsize size = (gsize) width * height * (rgb ? 4 : 2);
  g_autoptr (CsLlfColour) plan = plan_new (!rgb, executor);
  g_autofree guint8 *host = g_malloc0 (size);
  gint64 begin = 0;
  gboolean ok = TRUE;

  for (guint i = 0; i < size; i++)
    host[i] = i * 7 + i / 1000 * 13;
  guint8 *data = device_place (memory, host, size);
  CsPicture picture = make_picture (rgb, data, width, height);
  picture.memory = memory;
  for (guint i = 0; i < n + 5 && ok; i++) {
    if (i == 5) {
      check_device_copy (host, data, 1);
      begin = g_get_monotonic_time ();
    }
    ok = cs_llf_colour_run (plan, &picture, &picture, TRUE, &all, NULL);
  }
  check_device_copy (host, data, 1);
  check_that (ok, "a picture on CUDA (%u)", memory);
  printf ("1920x1080 %s in %s memory: %.0f us a picture\n",
      rgb ? "RGBA" : "NV12 with chroma", memory == CS_MEMORY_DEVICE ? "device" :
      memory == CS_MEMORY_PINNED ? "pinned" : "pageable",
      (g_get_monotonic_time () - begin) / (double) n);
  device_displace (memory, data);
}

/* @brief: without timing, which sanitizers make endless */
static int
run_cuda (gboolean brief)
{
  Device device;
  Runner cuda;

  if (!device_open (&device)) {
    printf ("skipped: no CUDA device\n");
    return EXIT_SKIPPED;
  }
  runner_init (&cuda, &cs_llf_colour_cuda_backend,
      device_executor_new (&device));
  test_same_bits (&cuda);
  for (guint i = 0; i < 6 && !brief; i++)
    time_picture (cuda.executor, i % 2, i / 2 == 0 ? CS_MEMORY_DEVICE :
        i / 2 == 1 ? CS_MEMORY_PINNED : CS_MEMORY_HOST);
  runner_clear (&cuda);
  device_close (&device);
  return 0;
}

#else

static int
run_cuda (gboolean brief)
{
  printf ("skipped: a build without CUDA\n");
  return EXIT_SKIPPED;
}

#endif

int
main (int argc, char **argv)
{
  if (argc > 1 && strcmp (argv[1], "cuda") == 0) {
    const int status = run_cuda (argc > 2 && strcmp (argv[2], "brief") == 0);

    if (status != 0)
      return status;
  } else if (argc > 1 && strcmp (argv[1], "bench") == 0) {
    bench_weights ();
    return 0;
  } else {
    test_rules ();
    test_blending ();
    test_weights ();
    test_errors ();
    test_guard ();
    test_threads ();
  }
  return finish ();
}
