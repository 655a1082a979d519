/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the programs that test cudacircles share: frames, and a renderer that
 * does literally what the documentation says, circle by circle. */

#include <gst/video/video.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/streams.h"
#include "circles/circles.h"
#include "shapes/gstshapes.h"

/* A harness of "cudacircles backend=cpu" and more properties. */
static inline GstHarness *
circles_new (const gchar * properties)
{
  g_autofree gchar *line = g_strconcat ("cudacircles name=c backend=cpu ",
      properties, NULL);
  GstHarness *h = gst_harness_new_parse (line);

  fail_unless (h != NULL, "%s", line);
  return h;
}

static inline GstElement *
find_circles (GstHarness * h)
{
  GstElement *element = gst_harness_find_element (h, "cudacircles");

  fail_unless (element != NULL);
  return element;
}

/* Sets a property from text, as gst-launch-1.0 does. */
static inline void
set_from_text (GstElement * element, const gchar * name, const gchar * text)
{
  GParamSpec *pspec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);
  GValue value = G_VALUE_INIT;
  /* structures in arrays are taken apart where they are */
  g_autofree gchar *copy = g_strdup (text);

  g_value_init (&value, pspec->value_type);
  fail_unless (gst_value_deserialize_with_pspec (&value, copy, pspec), "%s",
      text);
  g_object_set_property (G_OBJECT (element), name, &value);
  g_value_unset (&value);
}

static inline void
set_property (GstHarness * h, const gchar * name, const gchar * text)
{
  g_autoptr (GstElement) element = find_circles (h);

  set_from_text (element, name, text);
}

static inline guint64
get_left_out (GstHarness * h)
{
  g_autoptr (GstElement) element = find_circles (h);
  guint64 left_out;

  g_object_get (element, "circles-left-out", &left_out, NULL);
  return left_out;
}

/* The caps of a format, and what they say. */
static inline gchar *
make_caps (GstVideoInfo * info, const gchar * format, guint width,
    guint height, const gchar * more)
{
  gchar *text = g_strdup_printf ("video/x-raw,format=%s,width=%u,height=%u,"
      "framerate=25/1%s", format, width, height, more);
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  fail_unless (gst_video_info_from_caps (info, caps), "%s", text);
  return text;
}

/* A frame of noise; alpha is opaque. The same for the same @seed. */
static inline void
fill_frame (const GstVideoInfo * info, GstBuffer * buffer, guint32 seed)
{
  GstVideoFrame frame;
  guint x, y;

  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_WRITE));
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (&frame); c++) {
    const guint depth = GST_VIDEO_FRAME_COMP_DEPTH (&frame, c);
    const guint shift = GST_VIDEO_FORMAT_INFO_SHIFT (info->finfo, c);
    const gboolean is_alpha = c == 3;

    for (y = 0; y < (guint) GST_VIDEO_FRAME_COMP_HEIGHT (&frame, c); y++)
      for (x = 0; x < (guint) GST_VIDEO_FRAME_COMP_WIDTH (&frame, c); x++) {
        guint8 *at = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame,
            GST_VIDEO_FORMAT_INFO_PLANE (info->finfo, c)) +
            (gsize) y * GST_VIDEO_FRAME_COMP_STRIDE (&frame, c) +
            x * GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, c);
        guint poffset = GST_VIDEO_FORMAT_INFO_POFFSET (info->finfo, c);

        /* the V of P010 is said to be at byte 1 */
        if (depth > 8 && poffset % 2)
          poffset *= 2;
        seed = seed * 1664525u + 1013904223u;
        guint code = is_alpha ? (1u << depth) - 1 : (seed >> 8) >> (24 - depth);
        if (depth > 8)
          GST_WRITE_UINT16_LE (at + poffset, code << shift);
        else
          at[poffset] = (guint8) code;
      }
  }
  gst_video_frame_unmap (&frame);
}

static inline GstBuffer *
noise_buffer (const GstVideoInfo * info, guint32 seed)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL,
      GST_VIDEO_INFO_SIZE (info), NULL);

  gst_buffer_memset (buffer, 0, 0x5a, -1);
  fill_frame (info, buffer, seed);
  return buffer;
}

/* The code of component @c at (@x, @y) of that component. */
static inline guint
get_code (GstVideoFrame * frame, guint c, guint x, guint y)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  const guint depth = GST_VIDEO_FRAME_COMP_DEPTH (frame, c);
  guint poffset = GST_VIDEO_FORMAT_INFO_POFFSET (finfo, c);

  if (depth > 8 && poffset % 2)
    poffset *= 2;
  const guint8 *at = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame,
      GST_VIDEO_FORMAT_INFO_PLANE (finfo, c)) + poffset +
      (gsize) y * GST_VIDEO_FRAME_COMP_STRIDE (frame, c) +
      (gsize) x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c);
  return depth > 8 ? GST_READ_UINT16_LE (at) >>
      GST_VIDEO_FORMAT_INFO_SHIFT (finfo, c) : *at;
}

/* --- The literal renderer ------------------------------------------------- */

/**
 * Canvas:
 * @rgb: 3 floats for each pixel, 0 to 1; of YUV and gray frames Y, U and V
 *
 * What circles are painted on, one after the other.
 */
typedef struct
{
  guint width, height;
  gfloat *rgb;
  gboolean is_yuv;
  gdouble kr, kb;
  gboolean limited;
} Canvas;

static inline void
canvas_init (Canvas * canvas, const GstVideoInfo * info, GstBuffer * buffer)
{
  GstVideoFrame frame;

  canvas->width = (guint) GST_VIDEO_INFO_WIDTH (info);
  canvas->height = (guint) GST_VIDEO_INFO_HEIGHT (info);
  canvas->rgb = g_new0 (gfloat, 3 * (gsize) canvas->width * canvas->height);
  canvas->is_yuv = !GST_VIDEO_INFO_IS_RGB (info);
  canvas->kr = .299;
  canvas->kb = .114;
  if (canvas->is_yuv)
    gst_video_color_matrix_get_Kr_Kb (info->colorimetry.matrix, &canvas->kr,
        &canvas->kb);
  canvas->limited =
      info->colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235;

  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_READ));
  for (guint y = 0; y < canvas->height; y++)
    for (guint x = 0; x < canvas->width; x++)
      for (guint c = 0; c < 3; c++) {
        const gboolean chroma = canvas->is_yuv && c > 0;

        if (c >= GST_VIDEO_FRAME_N_COMPONENTS (&frame))
          break;
        gfloat max = (gfloat) ((1u << GST_VIDEO_FRAME_COMP_DEPTH (&frame,
                    c)) - 1);
        canvas->rgb[3 * (y * canvas->width + x) + c] = get_code (&frame, c,
            chroma ? x >> GST_VIDEO_FORMAT_INFO_W_SUB (info->finfo, c) : x,
            chroma ? y >> GST_VIDEO_FORMAT_INFO_H_SUB (info->finfo,
                c) : y) / max;
      }
  gst_video_frame_unmap (&frame);
}

static inline void
canvas_clear (Canvas * canvas)
{
  g_free (canvas->rgb);
}

/* A circle's colour in the canvas's terms. */
static inline void
canvas_color (const Canvas * canvas, guint32 rgba, guint depth, gfloat color[3])
{
  const gdouble r = (rgba >> 24) / 255., g = (rgba >> 16 & 255) / 255.;
  const gdouble b = (rgba >> 8 & 255) / 255.;
  const gdouble max = (1u << depth) - 1, unit = 1u << (depth - 8);
  const gdouble luma = canvas->limited ? 219. * unit / max : 1.;
  const gdouble chroma = canvas->limited ? 224. * unit / max : 1.;

  if (!canvas->is_yuv) {
    color[0] = (rgba >> 24) / 255.f;
    color[1] = (rgba >> 16 & 255) / 255.f;
    color[2] = (rgba >> 8 & 255) / 255.f;
    return;
  }
  gdouble y = canvas->kr * r + (1. - canvas->kr - canvas->kb) * g + canvas->kb
      * b;
  color[0] = (gfloat) ((canvas->limited ? 16. * unit / max : 0.) + luma * y);
  color[1] = (gfloat) CLAMP (128. * unit / max + chroma * .5 * (b - y) /
      (1. - canvas->kb), 0., 1.);
  color[2] = (gfloat) CLAMP (128. * unit / max + chroma * .5 * (r - y) /
      (1. - canvas->kr), 0., 1.);
}

/* One circle, in pixels. */
static inline void
canvas_paint (Canvas * canvas, const CsCircle * circle, guint depth,
    gboolean antialias, gfloat opacity)
{
  const gfloat cx = rintf (circle->x * 256.f) / 256.f;
  const gfloat cy = rintf (circle->y * 256.f) / 256.f;
  const gfloat r = rintf (circle->r * 256.f) / 256.f;
  const gfloat alpha = (circle->rgba & 255) / 255.f * opacity;
  gfloat color[3];

  canvas_color (canvas, circle->rgba, depth, color);
  for (guint y = 0; y < canvas->height; y++)
    for (guint x = 0; x < canvas->width; x++) {
      const gfloat dx = x - cx, dy = y - cy, d2 = dx * dx + dy * dy;
      gfloat *pixel = canvas->rgb + 3 * ((gsize) y * canvas->width + x), a;

      if (antialias) {
        const gfloat coverage = r + .5f - sqrtf (d2);

        a = alpha * (coverage > 1.f ? 1.f : coverage > 0.f ? coverage : 0.f);
      } else {
        a = d2 <= r * r ? alpha : 0.f;
      }
      if (a > 0.f)
        for (guint c = 0; c < 3; c++)
          pixel[c] = a * color[c] + (1.f - a) * pixel[c];
    }
}

/* By depth from far to near, and then by their order. */
static inline gint
compare_circles (gconstpointer a, gconstpointer b, gpointer circles)
{
  const CsCircle *all = circles;
  const guint i = *(const guint *) a, k = *(const guint *) b;

  if (all[i].z != all[k].z)
    return all[i].z > all[k].z ? -1 : 1;
  return i < k ? -1 : 1;
}

static inline void
canvas_paint_all (Canvas * canvas, const CsCircle * circles, gsize n,
    guint depth, gboolean antialias, gfloat opacity)
{
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < n; i++)
    g_array_append_val (order, i);
  g_array_sort_with_data (order, compare_circles, (gpointer) circles);
  for (guint i = 0; i < n; i++)
    canvas_paint (canvas, &circles[g_array_index (order, guint, i)], depth,
        antialias, opacity);
}

/* The code that component @c at (@x, @y) of it has; chroma is the mean of the
 * pixels it belongs to. */
static inline guint
canvas_code (const Canvas * canvas, const GstVideoFormatInfo * finfo, guint c,
    guint x, guint y)
{
  const guint max = (1u << GST_VIDEO_FORMAT_INFO_DEPTH (finfo, c)) - 1;
  const guint sub_x = GST_VIDEO_FORMAT_INFO_W_SUB (finfo, c);
  const guint sub_y = GST_VIDEO_FORMAT_INFO_H_SUB (finfo, c);
  gfloat sum = 0.f;
  guint n = 0;

  for (guint k = y << sub_y; k < MIN ((y + 1) << sub_y, canvas->height); k++)
    for (guint i = x << sub_x; i < MIN ((x + 1) << sub_x, canvas->width); i++) {
      sum += canvas->rgb[3 * ((gsize) k * canvas->width + i) + c];
      n++;
    }
  return (guint) ((gint) (max * (sum / n) + .5f));
}

/* @buffer shows what was painted: exactly in RGB, to a code in YUV and gray,
 * whose colours the test converts in its own way. */
static inline void
assert_shows (GstBuffer * buffer, const GstVideoInfo * info,
    const Canvas * canvas, const gchar * what)
{
  const gint tolerance = canvas->is_yuv ? 1 : 0;
  GstVideoFrame frame;
  guint x, y;

  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_READ));
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (&frame); c++)
    for (y = 0; y < (guint) GST_VIDEO_FRAME_COMP_HEIGHT (&frame, c); y++)
      for (x = 0; x < (guint) GST_VIDEO_FRAME_COMP_WIDTH (&frame, c); x++) {
        const gint code = (gint) get_code (&frame, c, x, y);
        const gint expected = c == 3 ? 255 :
            (gint) canvas_code (canvas, info->finfo, c, x, y);

        fail_unless (ABS (code - expected) <= tolerance,
            "%s: component %u of pixel %u,%u is %d, not %d", what, c, x, y,
            code, expected);
      }
  gst_video_frame_unmap (&frame);
}

/* Normalised coordinates to those of a frame. */
static inline CsCircle
to_frame (CsCircle c, const GstVideoInfo * info)
{
  const gfloat width = (gfloat) GST_VIDEO_INFO_WIDTH (info);
  const gfloat height = (gfloat) GST_VIDEO_INFO_HEIGHT (info);

  c.x = c.x * width - .5f;
  c.y = c.y * height - .5f;
  c.r = c.r * MIN (width, height);
  return c;
}

/* --- Running -------------------------------------------------------------- */

/* "cudacircles PROPERTIES" paints @circles on noise as the renderer does. Takes
 * @buffer, which may be %NULL. */
static inline void
assert_paints_on (const gchar * properties, const gchar * format, guint width,
    guint height, GstBuffer * buffer, const CsCircle * circles, gsize n,
    gboolean antialias, gfloat opacity)
{
  g_autoptr (GstHarness) h = circles_new (properties);
  GstVideoInfo info;
  g_autofree gchar *caps = make_caps (&info, format, width, height, "");
  const guint depth = GST_VIDEO_INFO_COMP_DEPTH (&info, 0);
  Canvas canvas;

  if (!buffer)
    buffer = noise_buffer (&info, 7);
  canvas_init (&canvas, &info, buffer);
  gst_harness_set_src_caps_str (h, caps);
  buffer = run (h, buffer);
  canvas_paint_all (&canvas, circles, n, depth, antialias, opacity);
  assert_shows (buffer, &info, &canvas, properties);
  gst_buffer_unref (buffer);
  canvas_clear (&canvas);
}

#define ASSERT_PAINTS(properties, width, height, circles) \
  assert_paints_on (properties, "RGBA", width, height, NULL, circles, \
      G_N_ELEMENTS (circles), TRUE, 1.f)
