/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tone mapping of any samples, in any layout: one thread and three agree bit
 * for bit, bytes between samples stay, what has no light is black and what is
 * infinite is white. */

#include "fuzz_images.h"

#include <math.h>

#include "base/error.h"
#include "llf/llf_hdr.h"

#define MAX_SIDE 24

/* What a frame is made of, and where its samples lie. */
typedef struct
{
  CsLlfHdrFrame frame;
  guint8 *data;
  gsize size, output_size;
  guint out_pixel, first;
} Scene;

static CsLlfTable *
get_table (guint which)
{
  static CsLlfTable *tables[2];
  CsLlfParams params;

  if (!tables[which]) {
    cs_llf_params_init (&params);
    params.quality = CS_LLF_SAMPLED;
    params.sigma = .066;
    params.beta = which ? 2 : .2;
    params.depth = 16;
    tables[which] = cs_llf_table_new (&params, NULL);
  }
  FUZZ_CHECK (tables[which], "no table");
  return tables[which];
}

static void
feed_input (Feed * feed, Scene * scene)
{
  CsImage *image = &scene->frame.input;

  image->type = feed_below (feed, 2) ? CS_SAMPLE_F32 : CS_SAMPLE_U16;
  image->width = 1 + feed_below (feed, MAX_SIDE);
  image->height = 1 + feed_below (feed, MAX_SIDE);
  image->channels = feed_below (feed, 2) ? 3 : 1;
  gsize sample = cs_sample_size (image->type);
  image->channel_stride = sample;
  /* room for alpha */
  image->pixel_stride = sample * (4 + feed_below (feed, 2));
  image->row_stride = image->pixel_stride * image->width +
      sample * feed_below (feed, 3);
  scene->size = image->row_stride * image->height;
  scene->data = g_malloc (scene->size);
  for (gsize i = 0; i < scene->size / sample; i++)
    if (image->type == CS_SAMPLE_F32)
      ((gfloat *) scene->data)[i] = feed_below (feed, 4) ? feed_u8 (feed) :
          feed_float (feed);
    else
      ((guint16 *) scene->data)[i] = feed_u16 (feed);
  image->data = scene->data;
  if (image->type == CS_SAMPLE_U16 && feed_below (feed, 2))
    scene->frame.alpha = scene->data + 3 * sample;
}

static void
feed_output (Feed * feed, Scene * scene)
{
  CsPicture *picture = &scene->frame.output;
  const guint bytes = 1 + feed_below (feed, 2);

  picture->model = CS_PICTURE_RGB;
  picture->type = bytes == 1 ? CS_SAMPLE_U8 : CS_SAMPLE_U16;
  picture->depth = 8 * bytes;
  picture->width = scene->frame.input.width;
  picture->height = scene->frame.input.height;
  scene->out_pixel = bytes * (3 + feed_below (feed, 3));
  scene->first = scene->out_pixel > 3 * bytes ? feed_below (feed, 2) : 0;
  picture->row_stride[0] = scene->out_pixel * picture->width +
      bytes * feed_below (feed, 5);
  scene->output_size = picture->row_stride[0] * picture->height;
}

static void
point_at (Scene * scene, guint8 * data)
{
  CsPicture *picture = &scene->frame.output;
  const guint bytes = cs_sample_size (picture->type);

  for (guint c = 0; c < 3 + (scene->first > 0); c++) {
    picture->data[c] = data + (c == 3 ? 0 : scene->first + c) * bytes;
    picture->pixel_stride[c] = scene->out_pixel;
    picture->row_stride[c] = picture->row_stride[0];
  }
}

/* Sample @c of a pixel as it was before. */
static float
get_sample (const Scene * scene, guint x, guint y, guint c)
{
  const CsImage *image = &scene->frame.input;
  const guint8 *at = scene->data + y * image->row_stride +
      x * image->pixel_stride + c * image->channel_stride;
  const float value = image->type == CS_SAMPLE_F32 ? *(const gfloat *) at :
      *(const guint16 *) at;

  return value > 0 ? value : 0;
}

static void
check_pixel (const Scene * scene, guint x, guint y)
{
  const CsPicture *picture = &scene->frame.output;
  const guint most = (1u << picture->depth) - 1;
  gboolean is_dark = TRUE, is_infinite = FALSE;
  guint code;

  for (guint c = 0; c < scene->frame.input.channels; c++) {
    is_dark &= get_sample (scene, x, y, c) == 0;
    is_infinite |= isinf (get_sample (scene, x, y, c)) != 0;
  }
  for (guint c = 0; c < 3; c++) {
    const guint8 *at = (const guint8 *) picture->data[c] +
        y * picture->row_stride[c] + x * picture->pixel_stride[c];

    code = most == 255 ? *at : *(const guint16 *) at;
    FUZZ_CHECK (!is_dark || code == 0, "(%u, %u) is dark, and %u", x, y, code);
    FUZZ_CHECK (!is_infinite || code == most, "(%u, %u) is infinite, and %u", x,
        y, code);
  }
}

/* @result: the whole memory of the output, which was of 0x5a. */
static void
check_bytes_between (const Scene * scene, const guint8 * result)
{
  const CsPicture *picture = &scene->frame.output;
  const guint bytes = cs_sample_size (picture->type);
  const guint used = (3 + (scene->first > 0)) * bytes;

  for (gsize i = 0; i < scene->output_size; i++) {
    const gsize in_row = i % picture->row_stride[0];

    FUZZ_CHECK (result[i] == 0x5a ||
        (in_row < (gsize) scene->out_pixel * picture->width &&
            in_row % scene->out_pixel < used), "byte %u", (guint) i);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Feed feed = { data, size };
  CsLlfTable *table = get_table (feed_below (&feed, 2));
  const CsLlfSettings settings = {.amount = feed_below (&feed, 3) - 1. };
  static const CsLlfPrimaries bt2020 = { {.708, .292}, {.17, .797},
  {.131, .046}, {.3127, .329}
  };
  Scene scene = {.frame = {.range = 1 + feed_below (&feed, 64),
          .contrast = 1 + feed_u8 (&feed)}
  };
  guint8 *results[2];
  gboolean done = FALSE;

  feed_input (&feed, &scene);
  feed_output (&feed, &scene);
  scene.frame.coding = feed_below (&feed, 4);
  scene.frame.primaries = feed_below (&feed, 2) ? &bt2020 : NULL;
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;

    CsLlfColour *filter = cs_llf_colour_new (table, fuzz_executor (i), NULL);
    CsLlfHdr *plan = cs_llf_hdr_new (fuzz_executor (i));
    results[i] = g_malloc (scene.output_size);
    memset (results[i], 0x5a, scene.output_size);
    point_at (&scene, results[i]);
    done = cs_llf_hdr_run (plan, filter, &scene.frame, &settings, &error);
    FUZZ_CHECK_ERROR (done, error);
    FUZZ_CHECK (done || scene.frame.input.type == CS_SAMPLE_F32, "%s",
        error->message);
    cs_llf_hdr_free (plan);
    cs_llf_colour_free (filter);
  }
  FUZZ_CHECK (memcmp (results[0], results[1], scene.output_size) == 0,
      "threads differ");
  check_bytes_between (&scene, results[1]);
  for (guint y = 0; done && y < scene.frame.input.height; y++)
    for (guint x = 0; x < scene.frame.input.width; x++)
      check_pixel (&scene, x, y);
  g_free (scene.data);
  g_free (results[0]);
  g_free (results[1]);
  return 0;
}
