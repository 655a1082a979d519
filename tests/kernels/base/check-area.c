/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* check-area [cuda]: means of areas against sums of samples that are repeated
 * until every area consists of whole ones, on the CPU; then a GPU's against the
 * CPU's. */

#include <stdio.h>
#include <string.h>

#include "../lib/check.h"
#include "../lib/check_device.h"
#include "../lib/device.h"
#include "../lib/random.h"
#include "base/area.h"

static Device device;

/* Rows are padded, and pixels have another channel beside. */
static CsImage
make_image (CsSampleType type, guint width, guint height, guint64 * state)
{
  const gsize sample = cs_sample_size (type);
  const gsize row = 2 * width * sample + 8;
  guint8 *data = g_malloc (row * height);
  CsImage image = cs_image_gray (data, type, width, height, row);

  image.pixel_stride = 2 * sample;
  for (guint y = 0; y < height; y++) {
    for (guint x = 0; x < 2 * width; x++) {
      const guint16 wide = random_bits (state);
      /* sums of them are exact in double precision */
      const float number = wide / 256.f - 100.f;
      guint8 *at = data + y * row + x * sample;

      if (type == CS_SAMPLE_U8)
        *at = wide;
      else
        memcpy (at, type == CS_SAMPLE_U16 ? (const void *) &wide : &number,
            sample);
    }
  }
  return image;
}

static double
sample_at (const CsImage * image, guint x, guint y)
{
  const guint8 *at = (const guint8 *) image->data + y * image->row_stride +
      x * image->pixel_stride;
  guint16 wide;
  float number;

  if (image->type == CS_SAMPLE_U8)
    return *at;
  memcpy (&wide, at, sizeof (wide));
  memcpy (&number, at, image->type == CS_SAMPLE_F32 ? sizeof (number) : 0);
  return image->type == CS_SAMPLE_U16 ? wide : number;
}

/* Each sample is repeated @width times along rows and @height times along
 * columns: then an area is as many of them as the image has samples. */
static float
mean_at (const CsImage * image, guint width, guint height, guint x, guint y)
{
  const guint n_columns = image->width, n_rows = image->height;
  double sum = 0.;

  for (guint v = y * n_rows; v < (y + 1) * n_rows; v++)
    for (guint u = x * n_columns; u < (x + 1) * n_columns; u++)
      sum += sample_at (image, u / width, v / height);
  return sum / ((double) n_columns * n_rows);
}

static void
check_size (CsSampleType type, guint from_width, guint from_height,
    guint width, guint height)
{
  guint64 state = from_width * 100 + from_height + type;
  CsImage image = make_image (type, from_width, from_height, &state);
  g_autoptr (CsExecutor) one = cs_executor_new_cpu (1);
  g_autoptr (CsExecutor) three = cs_executor_new_cpu (3);
  const gsize size = (gsize) width * height * sizeof (float);
  g_autofree float *out = g_malloc (size);
  g_autofree float *again = g_malloc (size);

  begin ("type %d: %u x %u to %u x %u", type, from_width, from_height, width,
      height);
  cs_area_average (one, &image, width, height, out, NULL);
  cs_area_average (three, &image, width, height, again, NULL);
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++)
      expect (out[y * width + x] == mean_at (&image, width, height, x, y),
          "(%u, %u): %.9g, not %.9g", x, y, out[y * width + x],
          mean_at (&image, width, height, x, y));
  expect (memcmp (out, again, size) == 0, "other bits by three threads");
  end ();
  g_free ((void *) image.data);
}

/* Gradients of rounding errors would be edges. */
static void
check_flat (float value)
{
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (1);
  float in[97 * 61], out[31 * 23];
  const CsImage image = cs_image_gray (in, CS_SAMPLE_F32, 97, 61,
      97 * sizeof (float));

  begin ("flat %g", value);
  for (guint i = 0; i < G_N_ELEMENTS (in); i++)
    in[i] = value;
  cs_area_average (executor, &image, 31, 23, out, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (out); i++)
    expect (out[i] == value, "%u: %.9g", i, out[i]);
  end ();
}

/* The GPU's bits are the CPU's. */
static void
check_device (CsExecutor * gpu, CsSampleType type, const guint sizes[4])
{
  const guint width = sizes[2], height = sizes[3];
  guint64 state = sizes[0] * 100 + sizes[1] + type;
  CsImage image = make_image (type, sizes[0], sizes[1], &state);
  g_autoptr (CsExecutor) cpu = cs_executor_new_cpu (1);
  const gsize size = (gsize) width * height * sizeof (float);
  const gsize bytes = image.row_stride * image.height;
  g_autofree float *want = g_malloc (size);
  g_autofree float *got = g_malloc (size);
  float *out = check_device_alloc (size);
  guint8 *in = check_device_alloc (bytes), *host = (guint8 *) image.data;

  begin ("GPU, type %d: %u x %u to %u x %u", type, sizes[0], sizes[1], width,
      height);
  /* rounded sums show their order */
  for (gsize i = 0; type == CS_SAMPLE_F32 && i < bytes / sizeof (float); i++)
    ((float *) (gpointer) host)[i] /= 3.f;
  cs_area_average (cpu, &image, width, height, want, NULL);
  check_device_copy (in, host, bytes);
  image.data = in;
  image.memory = CS_MEMORY_DEVICE;
  expect (cs_area_average (gpu, &image, width, height, out, NULL), "it fails");
  check_device_copy (got, out, size);
  expect (memcmp (got, want, size) == 0, "other bits");
  end ();
  check_device_free (out);
  check_device_free (in);
  g_free (host);
}

int
main (int argc, char **argv)
{
  static const guint sizes[][4] = {
    {1, 1, 1, 1}, {5, 4, 1, 1}, {12, 9, 4, 3}, {12, 9, 12, 9}, {13, 7, 5, 3},
    {40, 30, 39, 29}, {64, 48, 17, 48}, {64, 48, 64, 5}, {7, 5, 9, 8},
    {100, 3, 7, 2}, {2500, 4, 7, 3}, {1030, 2, 1029, 2}, {3, 700, 2, 3},
  };
  static const CsSampleType types[] = { CS_SAMPLE_U8, CS_SAMPLE_U16,
    CS_SAMPLE_F32
  };

  if (argc > 1 && strcmp (argv[1], "cuda") == 0) {
    if (!device_open (&device)) {
      printf ("no CUDA device, or a build without CUDA\n");
      return EXIT_SKIPPED;
    }
    g_autoptr (CsExecutor) gpu = device_executor_new (&device);
    for (guint i = 0; i < G_N_ELEMENTS (types); i++)
      for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
        check_device (gpu, types[i], sizes[k]);
    g_clear_pointer (&gpu, cs_executor_free);
    device_close (&device);
    return finish ();
  }
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
      check_size (types[i], sizes[k][0], sizes[k][1], sizes[k][2], sizes[k][3]);
  check_flat (77.f);
  check_flat (.1f);
  check_flat (12345.678f);
  return finish ();
}
