/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* check-luma cpu | cuda: luma against the weighted sum of red, green and blue
 * in double precision. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/check.h"
#include "../lib/check_device.h"
#include "../lib/device.h"
#include "../lib/random.h"
#include "base/luma.h"

/* Rec. 709 */
#define KR .2126
#define KB .0722

static Device device;

/**
 * Picture:
 * @data: the samples
 * @on_device: a copy of them
 * @size: bytes of it
 * @rgb: views of @data
 */
typedef struct
{
  guint8 *data;
  gsize size;
  void *on_device;
  CsImage rgb[3];
} Picture;

/* Interleaved with a fourth channel, or planes; rows are padded. */
static Picture
make_picture (CsSampleType type, gboolean planes, guint width, guint height,
    guint64 * state)
{
  const gsize sample = cs_sample_size (type);
  const gsize row = (planes ? width : 4 * width) * sample + 2 * sample;
  Picture picture = {.size = row * height * (planes ? 3 : 1) };

  picture.data = g_malloc (picture.size);
  for (gsize i = 0; i < picture.size; i++)
    picture.data[i] = random_bits (state);
  for (guint c = 0; c < 3; c++) {
    picture.rgb[c] = cs_image_gray (picture.data + (planes ? c * row * height :
            c * sample), type, width, height, row);
    picture.rgb[c].pixel_stride = planes ? sample : 4 * sample;
  }
  if (device.stream) {
    picture.on_device = check_device_alloc (picture.size);
    check_device_copy (picture.on_device, picture.data, picture.size);
  }
  return picture;
}

static void
picture_clear (Picture * picture)
{
  if (picture->on_device)
    check_device_free (picture->on_device);
  g_free (picture->data);
}

static double
sample_at (const CsImage * image, guint x, guint y)
{
  const guint8 *at = (const guint8 *) image->data + y * image->row_stride +
      x * image->pixel_stride;
  guint16 wide;

  if (image->type == CS_SAMPLE_U8)
    return *at;
  memcpy (&wide, at, sizeof (wide));
  return wide;
}

/* The luma that @executor computes, on the host; to be freed. */
static float *
run (CsExecutor * executor, const Picture * picture)
{
  const gsize size = (gsize) picture->rgb[0].width * picture->rgb[0].height *
      sizeof (float);
  float *luma = g_malloc (MAX (size, 1)), *to = luma;
  CsImage rgb[3];
  GError *error = NULL;

  memcpy (rgb, picture->rgb, sizeof (rgb));
  for (guint c = 0; c < 3 && device.stream; c++) {
    rgb[c].data = (guint8 *) picture->on_device +
        ((const guint8 *) rgb[c].data - picture->data);
    rgb[c].memory = CS_MEMORY_DEVICE;
  }
  if (device.stream)
    to = check_device_alloc (size);
  gboolean done = cs_luma_run (executor, rgb, KR, KB, to, &error);
  expect (done, "%s", error ? error->message : "no error");
  g_clear_error (&error);
  if (device.stream) {
    check_device_copy (luma, to, size);
    check_device_free (to);
  }
  return luma;
}

static void
check_sums (const Picture * picture, const float *luma)
{
  const CsImage *rgb = picture->rgb;

  for (guint y = 0; y < rgb[0].height; y++) {
    for (guint x = 0; x < rgb[0].width; x++) {
      const double r = sample_at (&rgb[0], x, y);
      const double g = sample_at (&rgb[1], x, y);
      const double b = sample_at (&rgb[2], x, y);
      const double want = KR * r + (1. - KR - KB) * g + KB * b;
      const double got = luma[y * rgb[0].width + x];

      /* some roundings of numbers up to the largest of the three */
      expect (fabs (got - want) <= 4. * MAX (MAX (r, g), b) / (1 << 24) + 1e-30,
          "(%u, %u): %.9g, not %.9g", x, y, got, want);
      expect (r != g || g != b || got == g, "(%u, %u): gray %g became %.9g", x,
          y, g, got);
    }
  }
}

static void
check_picture (CsExecutor * executors[2], CsSampleType type, gboolean planes,
    guint width, guint height)
{
  guint64 state = width * 1000 + height + type;
  Picture picture = make_picture (type, planes, width, height, &state);

  begin ("%u x %u, %s, %s", width, height, type == CS_SAMPLE_U8 ? "8 bits" :
      "16 bits", planes ? "planes" : "interleaved");
  if (!planes && width > 4)
    memset (picture.data, 77, picture.rgb[0].row_stride);
  if (picture.on_device)
    check_device_copy (picture.on_device, picture.data, picture.size);
  g_autofree float *luma = run (executors[0], &picture);
  g_autofree float *again = run (executors[1], &picture);
  check_sums (&picture, luma);
  expect (memcmp (luma, again, sizeof (float) * width * height) == 0,
      "other bits from the other executor");
  end ();
  picture_clear (&picture);
}

static void
check_refused (CsExecutor * executor, const char *what, const CsImage * rgb)
{
  float luma = -1.f;
  g_autoptr (GError) error = NULL;

  begin ("%s", what);
  expect (!cs_luma_run (executor, rgb, KR, KB, &luma, &error), "taken");
  expect (g_error_matches (error, CS_ERROR, CS_ERROR_INVALID), "%s",
      error ? error->message : "no error");
  expect (luma == -1.f, "something was written");
  end ();
}

static void
check_errors (CsExecutor * executor)
{
  static const guint8 data[64];
  const CsImage good = cs_image_gray (data, CS_SAMPLE_U8, 1, 1, 4);
  CsImage rgb[3] = { good, good, good };

  rgb[1].width = 2;
  check_refused (executor, "views of two sizes", rgb);
  rgb[1] = good;
  rgb[2].type = CS_SAMPLE_U16;
  rgb[2].pixel_stride = 2;
  check_refused (executor, "views of two types", rgb);
  rgb[2] = good;
  rgb[0].memory = CS_MEMORY_DEVICE;
  check_refused (executor, "one view on the device", rgb);
  rgb[0] = rgb[1] = rgb[2] = cs_image_gray (data, CS_SAMPLE_F32, 1, 1, 4);
  check_refused (executor, "floats", rgb);
  rgb[0] = rgb[1] = rgb[2] = cs_image_gray (data, CS_SAMPLE_U16, 1, 1, 4);
  rgb[1].pixel_stride = 3;
  check_refused (executor, "half samples", rgb);
}

int
main (int argc, char **argv)
{
  static const guint sizes[][2] = { {1, 1}, {5, 3}, {64, 33}, {131, 100} };
  const gboolean on_device = argc > 1 && strcmp (argv[1], "cuda") == 0;
  CsExecutor *executors[2];

  if (on_device && !device_open (&device)) {
    printf ("no CUDA device, or a build without CUDA\n");
    return EXIT_SKIPPED;
  }
  for (guint i = 0; i < 2; i++)
    executors[i] = on_device ? device_executor_new (&device) :
        cs_executor_new_cpu (i == 0 ? 1 : 3);
  for (guint i = 0; i < G_N_ELEMENTS (sizes) * 4; i++)
    check_picture (executors, i & 1 ? CS_SAMPLE_U16 : CS_SAMPLE_U8,
        (i & 2) != 0, sizes[i / 4][0], sizes[i / 4][1]);
  check_errors (executors[0]);
  for (guint i = 0; i < 2; i++)
    cs_executor_free (executors[i]);
  device_close (&device);
  return finish ();
}
