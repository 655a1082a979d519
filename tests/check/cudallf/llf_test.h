/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the programs that test cudallf share: pictures, harnesses, the kernel
 * called directly, and the rules of colour in double precision. */

#include <gst/video/video.h>

#include <math.h>
#include <string.h>

#include "../lib/streams.h"
#include "llf/llf.h"

/* What tables are made with here; sampled ones cost no time. */
static CsLlfQuality test_quality = CS_LLF_NORMAL;

static const gchar *const all_formats[] = {
  "GRAY8", "GRAY16_LE", "NV12", "NV21", "I420", "YV12", "Y42B", "Y444",
  "P010_10LE", "I420_10LE", "RGBA", "BGRA", "RGBx", "BGRx", "RGB", "BGR",
  "ARGB", "ABGR", "xRGB", "xBGR", "YUY2", "UYVY",
};

/* A harness of "cudallf backend=cpu" and more properties, with a source that is
 * not live. */
static inline GstHarness *
llf_new (const gchar * properties)
{
  gchar *line = g_strconcat ("cudallf backend=cpu ", properties, NULL);
  GstHarness *h = gst_harness_new_parse (line);

  fail_unless (h != NULL, "%s", line);
  gst_harness_set_live (h, FALSE);
  g_free (line);
  return h;
}

/* @more: further fields, with a comma first */
static inline gchar *
llf_caps (const gchar * format, guint width, guint height, const gchar * more)
{
  return g_strdup_printf ("video/x-raw,format=%s,width=%u,height=%u,"
      "framerate=0/1%s", format, width, height, more);
}

static inline void
llf_info (GstVideoInfo * info, const gchar * caps)
{
  g_autoptr (GstCaps) parsed = gst_caps_from_string (caps);

  fail_unless (parsed && gst_video_info_from_caps (info, parsed), "%s", caps);
}

/* Component @c at @x, @y as a code without shift. */
static inline guint
get_code (const GstVideoFrame * frame, guint c, guint x, guint y)
{
  const guint depth = GST_VIDEO_FRAME_COMP_DEPTH (frame, c);
  const guint8 *at = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame,
      GST_VIDEO_FRAME_COMP_PLANE (frame, c)) +
      y * GST_VIDEO_FRAME_COMP_STRIDE (frame, c) +
      x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c);
  guint offset = GST_VIDEO_FRAME_COMP_POFFSET (frame, c);

  if (depth <= 8)
    return at[offset];
  /* GStreamer says that the V of P010 is at byte 1 */
  offset = (offset + 1) / 2 * 2;
  return (at[offset] | at[offset + 1] << 8) >>
      GST_VIDEO_FORMAT_INFO_SHIFT (frame->info.finfo, c);
}

static inline void
set_code (GstVideoFrame * frame, guint c, guint x, guint y, guint code)
{
  const guint depth = GST_VIDEO_FRAME_COMP_DEPTH (frame, c);
  guint8 *at = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame,
      GST_VIDEO_FRAME_COMP_PLANE (frame, c)) +
      y * GST_VIDEO_FRAME_COMP_STRIDE (frame, c) +
      x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c);
  guint offset = GST_VIDEO_FRAME_COMP_POFFSET (frame, c);

  if (depth <= 8) {
    at[offset] = code;
    return;
  }
  offset = (offset + 1) / 2 * 2;
  code <<= GST_VIDEO_FORMAT_INFO_SHIFT (frame->info.finfo, c);
  /* planes may begin anywhere */
  at[offset] = code & 0xff;
  at[offset + 1] = code >> 8;
}

/* Slopes, an edge and noise; another picture for each component. */
static inline guint
picture_code (guint c, guint x, guint y, guint most, GRand * rand)
{
  gdouble value = .5 + .3 * sin (x * (.11 + .05 * c)) * cos (y * .07 + c);

  if ((x + 2 * y + 9 * c) % 61 < 20)
    value *= .45;
  value += g_rand_double_range (rand, -.06, .06);
  return CLAMP (value, 0, 1) * most;
}

static inline void
draw_frame (GstVideoFrame * frame, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (frame); c++) {
    const guint most = (1u << GST_VIDEO_FRAME_COMP_DEPTH (frame, c)) - 1;

    for (guint y = 0; y < (guint) GST_VIDEO_FRAME_COMP_HEIGHT (frame, c); y++)
      for (guint x = 0; x < (guint) GST_VIDEO_FRAME_COMP_WIDTH (frame, c); x++)
        set_code (frame, c, x, y, picture_code (c, x, y, most, rand));
  }
}

/* A picture of @info, the same for the same @seed. */
static inline GstBuffer *
draw_buffer (const GstVideoInfo * info, guint32 seed)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (info),
      NULL);
  GstVideoFrame frame;

  gst_buffer_memset (buffer, 0, 0x5a, -1);
  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_READWRITE));
  draw_frame (&frame, seed);
  gst_video_frame_unmap (&frame);
  return buffer;
}

/* @in, which stays the caller's, through a fresh element. */
static inline GstBuffer *
filtered (const gchar * properties, const gchar * caps, GstBuffer * in)
{
  g_autoptr (GstHarness) h = llf_new (properties);

  gst_harness_set_src_caps_str (h, caps);
  return run (h, gst_buffer_copy_deep (in));
}

static inline void
assert_same_bytes (GstBuffer * a, GstBuffer * b, const gchar * what)
{
  g_auto (GstBufferMapInfo) x = GST_MAP_INFO_INIT, y = GST_MAP_INFO_INIT;
  gsize i;

  fail_unless (gst_buffer_map (a, &x, GST_MAP_READ));
  fail_unless (gst_buffer_map (b, &y, GST_MAP_READ));
  fail_unless (x.size == y.size, "%s: %u bytes, not %u", what, (guint) x.size,
      (guint) y.size);
  for (i = 0; i < x.size && x.data[i] == y.data[i]; i++);
  fail_unless (i == x.size, "%s: byte %u is %u, not %u", what, (guint) i,
      x.data[i], y.data[i]);
}

static inline gboolean
is_limited (const GstVideoInfo * info)
{
  return info->colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235;
}

/* What tables of @info are made of by default. */
static inline CsLlfParams
llf_params (const GstVideoInfo * info)
{
  CsLlfParams params;

  cs_llf_params_init (&params);
  params.quality = test_quality;
  params.depth = GST_VIDEO_INFO_COMP_DEPTH (info, 0);
  params.limited_range = is_limited (info);
  return params;
}

/* Runs the kernel itself. */
static inline void
run_plan (const CsLlfParams * params, CsImage image, guint shift,
    gpointer output, const CsLlfSettings * settings)
{
  CsExecutor *executor = cs_executor_new_cpu (1);
  CsLlfTable *table = cs_llf_table_new (params, NULL);
  CsLlf *plan = cs_llf_new (table, executor, NULL);
  const CsLlfFrame frame = {
    .input = image,
    .shift = shift,
    .output = output,
    .output_pixel_stride = cs_sample_size (image.type),
    .output_row_stride = cs_sample_size (image.type) * image.width,
  };

  fail_unless (cs_llf_run (plan, &frame, settings, NULL));
  cs_llf_free (plan);
  cs_llf_table_unref (table);
  cs_executor_free (executor);
}

/* Luma before and after, in dense rows of codes (YUV and gray) without shift.
 * Free with g_free(). */
static inline guint16 *
plan_luma (const CsLlfParams * params, const GstVideoFrame * frame,
    const CsLlfSettings * settings)
{
  const guint w = GST_VIDEO_FRAME_WIDTH (frame);
  const guint h = GST_VIDEO_FRAME_HEIGHT (frame);
  const gboolean deep = params->depth > 8;
  guint16 *wide = g_new (guint16, w * h), *result = g_new (guint16, w * h);
  g_autofree guint8 *bytes = g_new (guint8, w * h);

  for (guint i = 0; i < w * h; i++) {
    wide[i] = get_code (frame, 0, i % w, i / w);
    bytes[i] = wide[i];
  }
  if (deep) {
    run_plan (params, cs_image_gray (wide, CS_SAMPLE_U16, w, h, 2 * w), 0,
        result, settings);
  } else {
    run_plan (params, cs_image_gray (bytes, CS_SAMPLE_U8, w, h, w), 0, bytes,
        settings);
    for (guint i = 0; i < w * h; i++)
      result[i] = bytes[i];
  }
  g_free (wide);
  return result;
}

/* By how much colour grows, by the rule in the documentation. */
static inline gdouble
colour_ratio (gdouble before, gdouble after)
{
  before = MAX (before, 0);
  after = MAX (after, 0);
  gdouble ratio = CLAMP ((after + .01) / (before + .01), .5, 2);
  return 1 + MIN (before * 16, 1) * (ratio - 1);
}

/* Counts what differs: never by more than a code, and rarely. */
typedef struct
{
  guint n, n_different, most;
} Difference;

static inline void
compare_codes (Difference * difference, guint got, guint want)
{
  const guint distance = got > want ? got - want : want - got;

  difference->n++;
  difference->n_different += distance > 0;
  difference->most = MAX (difference->most, distance);
}

static inline void
assert_close (const Difference * difference, const gchar * what)
{
  fail_unless (difference->most <= 1 &&
      difference->n_different * 1000 <= difference->n + 999,
      "%s: %u of %u differ, by up to %u", what, difference->n_different,
      difference->n, difference->most);
}
