/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the programs that test cudacontours share: pictures, buffers, and
 * comparison of shapes. */

#include <gst/video/video.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/streams.h"
#include "shapes/gstshapes.h"

#define VIDEO(format, width, height) \
  "video/x-raw,format=" format ",width=" #width ",height=" #height \
  ",framerate=0/1"

/* A harness of "cudacontours backend=cpu" and more properties. */
static inline GstHarness *
contours_new (const gchar * properties)
{
  gchar *line = g_strconcat ("cudacontours backend=cpu ", properties, NULL);
  GstHarness *h = gst_harness_new_parse (line);

  fail_unless (h != NULL, "%s", line);
  g_free (line);
  return h;
}

static inline GstBuffer *
buffer_of (gconstpointer data, gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_fill (buffer, 0, data, size);
  return buffer;
}

/* Pushes one buffer through @h, frees @h, and returns a reference to the
 * set. */
static inline GstShapeSet *
set_of (GstHarness * h, const gchar * caps, GstBuffer * buffer)
{
  gst_harness_set_src_caps_str (h, caps);
  buffer = run (h, buffer);
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  fail_unless (set != NULL);
  gst_shape_set_ref (set);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
  return set;
}

/* The same through a fresh "cudacontours PROPERTIES". */
static inline GstShapeSet *
contours_of (const gchar * properties, const gchar * caps, GstBuffer * buffer)
{
  return set_of (contours_new (properties), caps, buffer);
}

/* Contours of all layers. */
static inline gsize
n_contours (GstShapeSet * set)
{
  gsize n = 0;

  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++)
    n += gst_shape_layer_get_n_shapes (gst_shape_set_get_layer (set, i));
  return n;
}

/* Every point to within a rounding error, everything else exactly. */
static inline void
assert_same_layer (GstShapeSet * a, guint layer_a, GstShapeSet * b,
    guint layer_b, const gchar * what)
{
  gsize na, nb, ma, mb;
  const GstShapePoint *pa = gst_shape_set_get_points (a, layer_a, &na);
  const GstShapePoint *pb = gst_shape_set_get_points (b, layer_b, &nb);
  const guint32 *oa = gst_shape_set_get_offsets (a, layer_a, &ma);
  const guint32 *ob = gst_shape_set_get_offsets (b, layer_b, &mb);

  fail_unless (na == nb && ma == mb, "%s: %u points in %u, not %u in %u", what,
      (guint) na, (guint) ma - 1, (guint) nb, (guint) mb - 1);
  fail_unless (memcmp (oa, ob, ma * sizeof (guint32)) == 0, "%s", what);
  for (gsize i = 0; i < na; i++)
    fail_unless (fabsf (pa[i].x - pb[i].x) < 1e-5f &&
        fabsf (pa[i].y - pb[i].y) < 1e-5f, "%s: point %u is %g,%g not %g,%g",
        what, (guint) i, pa[i].x, pa[i].y, pb[i].x, pb[i].y);
  const GstShapePolyline *la = gst_shape_set_get_polylines (a, layer_a, &na);
  const GstShapePolyline *lb = gst_shape_set_get_polylines (b, layer_b, &nb);
  for (gsize i = 0; i < na; i++)
    fail_unless (la[i].flags == lb[i].flags && la[i].parent == lb[i].parent
        && fabs (la[i].area - lb[i].area) < 1e-3, "%s: record %u", what,
        (guint) i);
}

#define WIDTH 23
#define HEIGHT 17

/* A picture of four grays that every depth has: v * 85 / 255. The same for the
 * same @seed, with @n grays. */
static inline void
draw (guint8 picture[HEIGHT][WIDTH], guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++)
      picture[y][x] = 85 * g_rand_int_range (rand, 0, 4);
}

/* Writes @picture into component @c of a mapped frame. */
static inline void
write_component (GstVideoFrame * frame, guint c, guint8 picture[HEIGHT][WIDTH])
{
  const guint depth = GST_VIDEO_FRAME_COMP_DEPTH (frame, c);
  const guint shift = GST_VIDEO_FORMAT_INFO_SHIFT (frame->info.finfo, c);

  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++) {
      const guint code = picture[y][x] * ((1u << depth) - 1) / 255;
      guint8 *at = (guint8 *) GST_VIDEO_FRAME_COMP_DATA (frame, c) +
          y * GST_VIDEO_FRAME_COMP_STRIDE (frame, c) +
          x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c);

      if (depth > 8)
        GST_WRITE_UINT16_LE (at, code << shift);
      else
        *at = code;
    }
}

/* A buffer of @info that shows @picture as gray; other components are a
 * constant. */
static inline GstBuffer *
gray_buffer (const GstVideoInfo * info, guint8 picture[HEIGHT][WIDTH])
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (info),
      NULL);
  GstVideoFrame frame;

  gst_buffer_memset (buffer, 0, 0x5a, -1);
  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_WRITE));
  write_component (&frame, 0, picture);
  if (GST_VIDEO_INFO_IS_RGB (info)) {
    write_component (&frame, 1, picture);
    write_component (&frame, 2, picture);
  }
  gst_video_frame_unmap (&frame);
  return buffer;
}

static inline gchar *
caps_text (const GstVideoInfo * info)
{
  g_autoptr (GstCaps) caps = gst_video_info_to_caps (info);

  return gst_caps_to_string (caps);
}

/* The contours of @picture as GRAY8, the reference for the others. */
static inline GstShapeSet *
gray8_contours (const gchar * properties, guint8 picture[HEIGHT][WIDTH])
{
  GstVideoInfo info;

  gst_video_info_init (&info);
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT);
  g_autofree gchar *caps = caps_text (&info);
  GstBuffer *buffer = gray_buffer (&info, picture);
  return contours_of (properties, caps, buffer);
}

/* Samples of tensors */

typedef enum
{ FLOAT32, FLOAT16, UINT8, UINT16, N_TYPES } Type;

static G_GNUC_UNUSED const gchar *type_names[] = { "float32", "float16",
  "uint8", "uint16"
};
static G_GNUC_UNUSED const gsize type_sizes[] = { 4, 2, 1, 2 };

/* 0, 85, 170 or 255; exact in every type. */
static inline void
write_sample (guint8 * at, Type type, guint value)
{
  const guint16 halves[] = { 0, 0x5550, 0x5950, 0x5bf8 };
  gfloat single = value;

  switch (type) {
    case FLOAT32:
      memcpy (at, &single, 4);
      break;
    case FLOAT16:
      memcpy (at, &halves[value / 85], 2);
      break;
    case UINT8:
      *at = value;
      break;
    default:
      *(guint16 *) (gpointer) at = value;
      break;
  }
}
