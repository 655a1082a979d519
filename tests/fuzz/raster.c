/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* shapeoverlay's rasteriser, any shapes on any small picture. A raster of three
 * threads that lives for ever and a fresh one of one thread draw the same, and
 * nothing beside the picture. The marks that a GPU would paint of the same
 * shapes are finite and near the picture. */

#include "fuzz_shapes.h"

#include <math.h>

#include "gstshapeoverlaymarks.h"
#include "gstshaperaster.h"

#define MAX_SIDE 96
#define MAX_LINE_WIDTH 256.f

/* What is kept from frame to frame must not show in the next one. */
static GstShapeRaster *lasting;
static GstShapeMarks marks;

typedef struct
{
  guint8 *data[3];
  gsize size[3];
  GstShapeSurface surface;
} Picture;

static void
set_plane (Picture * picture, guint plane, guint pixel_stride, guint columns,
    guint rows, guint padding)
{
  const gsize row = (gsize) columns * pixel_stride;

  picture->surface.pixel_stride[plane] = pixel_stride;
  picture->surface.row_stride[plane] = (gssize) (row + padding);
  /* no padding after the last row */
  picture->size[plane] = (rows - 1) * (row + padding) + row;
}

static void
make_planes (Picture * picture, guint how, guint padding)
{
  GstShapeSurface *s = &picture->surface;

  s->n_planes = how & 1 ? 3 : 1;
  s->sub_x = how >> 1 & 1;
  s->sub_y = s->sub_x && (how >> 2 & 1);
  s->full_range = (how & 8) != 0;
  set_plane (picture, 0, 1, s->width, s->height, padding);
  for (guint i = 1; i < s->n_planes; i++)
    set_plane (picture, i, 1, (s->width + s->sub_x) >> s->sub_x,
        (s->height + s->sub_y) >> s->sub_y, padding);
}

static void
make_rgb (Picture * picture, guint how, guint padding)
{
  static const gint orders[4][4] = { {0, 1, 2, 3}, {2, 1, 0, 3}, {1, 2, 3, 0},
  {3, 2, 1, 0}
  };
  GstShapeSurface *s = &picture->surface;

  s->n_planes = 1;
  s->pixel_bytes = how & 1 ? 4 : 3;
  memcpy (s->offsets, orders[(how >> 1) % (s->pixel_bytes == 4 ? 4 : 2)],
      sizeof (s->offsets));
  if (s->pixel_bytes == 3 || (how & 8))
    s->offsets[3] = -1;
  s->premultiplied = s->offsets[3] >= 0 && (how & 16);
  set_plane (picture, 0, s->pixel_bytes, s->width, s->height, padding);
}

/* Semi-planar chroma: both components in one block. */
static void
join_chroma (Picture * picture, guint padding)
{
  GstShapeSurface *s = &picture->surface;
  const guint columns = (s->width + s->sub_x) >> s->sub_x;
  const guint rows = (s->height + s->sub_y) >> s->sub_y;

  set_plane (picture, 1, 2, columns, rows, padding);
  set_plane (picture, 2, 2, columns, rows, padding);
  picture->size[2] = 0;
}

static void
feed_picture (Feed * feed, Picture * picture)
{
  const guint how = feed_u8 (feed), padding = feed_below (feed, 5);
  const guint shade = feed_u8 (feed);
  GstShapeSurface *s = &picture->surface;

  memset (picture, 0, sizeof (*picture));
  s->width = 1 + feed_below (feed, MAX_SIDE);
  s->height = 1 + feed_below (feed, MAX_SIDE);
  s->kr = how & 64 ? .2126 : .299;
  s->kb = how & 64 ? .0722 : .114;
  if (how & 128) {
    make_rgb (picture, how, padding);
  } else {
    make_planes (picture, how, padding);
    if (s->n_planes == 3 && (how & 32))
      join_chroma (picture, padding);
  }
  for (guint i = 0; i < s->n_planes; i++) {
    if (picture->size[i] == 0) {
      s->data[i] = picture->data[i - 1] + 1;
      continue;
    }
    picture->data[i] = g_malloc (picture->size[i]);
    for (gsize k = 0; k < picture->size[i]; k++)
      picture->data[i][k] = shade + 7 * k;
    s->data[i] = picture->data[i];
  }
}

static void
copy_picture (const Picture * from, Picture * to)
{
  *to = *from;
  for (guint i = 0; i < 3; i++) {
    to->data[i] = from->size[i] ? g_memdup2 (from->data[i], from->size[i]) :
        NULL;
    to->surface.data[i] = to->data[i];
  }
  if (from->surface.n_planes == 3 && !to->data[2])
    to->surface.data[2] = to->data[1] + 1;
}

static void
clear_picture (Picture * picture)
{
  for (guint i = 0; i < 3; i++)
    g_free (picture->data[i]);
}

static void
check_same (const Picture * a, const Picture * b)
{
  for (guint i = 0; i < 3; i++)
    FUZZ_CHECK (a->size[i] == 0
        || memcmp (a->data[i], b->data[i], a->size[i]) == 0,
        "plane %u of %u x %u depends on the threads", i, a->surface.width,
        a->surface.height);
}

/* What lies between the rows stays as it was. */
static void
check_padding (const Picture * before, const Picture * after)
{
  const GstShapeSurface *s = &before->surface;

  for (guint i = 0; i < s->n_planes; i++) {
    const gsize columns = i ? (s->width + s->sub_x) >> s->sub_x : s->width;
    const gsize used = columns * s->pixel_stride[i];

    for (gsize k = 0; k < before->size[i]; k++)
      FUZZ_CHECK (k % (gsize) s->row_stride[i] < used
          || before->data[i][k] == after->data[i][k], "byte %zu", k);
  }
}

static gfloat
feed_opacity (Feed * feed)
{
  return feed_u8 (feed) / 255.f;
}

static GstShapePaint
feed_paint (Feed * feed)
{
  const guint how = feed_u8 (feed);
  GstShapePaint paint = { 0, };

  paint.argb = feed_u32 (feed) | (how & 1 ? 0xff000000u : 0);
  paint.line_opacity = feed_opacity (feed);
  paint.fill_opacity = feed_opacity (feed);
  paint.line_width = how & 2 ? feed_u8 (feed) / 16.f :
      feed_u16 (feed) / 65535.f * MAX_LINE_WIDTH;
  paint.dashed = (how & 4) != 0;
  paint.group = how >> 3 & 3;
  return paint;
}

static void
add_marks (guint kind, const GArray * array, const GstShapePaint * paint)
{
  gconstpointer data = array->data;

  if (kind == 0)
    gst_shape_marks_add_polyline (&marks, data, array->len, paint);
  else if (kind == 1)
    gst_shape_marks_add_dots (&marks, data, array->len, paint);
  else
    gst_shape_marks_add_circles (&marks, data, array->len, paint);
}

static gboolean
is_near (gfloat v, guint side)
{
  return v >= -MAX_LINE_WIDTH && v <= side + MAX_LINE_WIDTH;
}

static void
check_marks (guint width, guint height)
{
  for (guint i = 0; i < marks.marks->len; i++) {
    const CsMark *mark = &g_array_index (marks.marks, CsMark, i);
    const gboolean is_round = mark->x0 == mark->x1 && mark->y0 == mark->y1;

    FUZZ_CHECK (isfinite (mark->x0) && isfinite (mark->y0)
        && mark->radius > 0.f && mark->group > 0 && (mark->rgba & 0xff) > 0,
        "mark %u", i);
    /* circles may be large */
    FUZZ_CHECK (is_round || (is_near (mark->x0, width)
            && is_near (mark->x1, width) && is_near (mark->y0, height)
            && is_near (mark->y1, height)), "mark %u: %g,%g to %g,%g", i,
        mark->x0, mark->y0, mark->x1, mark->y1);
  }
}

/* One shape is added to both rasters; its memory lives until they have drawn. */
static void
add_shape (Feed * feed, GstShapeRaster * rasters[2], GPtrArray * memory,
    GstShapePaint * paint)
{
  const guint how = feed_u8 (feed);
  GArray *array;

  if (how & 1)
    *paint = feed_paint (feed);
  array = (how >> 1) % 3 == 2 ? feed_circles (feed) : feed_points (feed, 600);
  g_ptr_array_add (memory, array);
  add_marks ((how >> 1) % 3, array, paint);
  for (guint i = 0; i < 2; i++) {
    switch ((how >> 1) % 3) {
      case 0:
        gst_shape_raster_add_polyline (rasters[i],
            (const GstShapePoint *) (gpointer) array->data, array->len, paint);
        break;
      case 1:
        gst_shape_raster_add_dots (rasters[i],
            (const GstShapePoint *) (gpointer) array->data, array->len, paint);
        break;
      default:
        gst_shape_raster_add_circles (rasters[i],
            (const GstShapeCircle *) (gpointer) array->data, array->len,
            paint);
        break;
    }
  }
}

static void
draw_frame (Feed * feed, GstShapeRaster * rasters[2], GPtrArray * memory)
{
  const guint n_shapes = feed_below (feed, 8), scale = feed_below (feed, 4);
  GstShapePaint paint = feed_paint (feed);
  guint set_width = scale == 1 ? feed_u16 (feed) : 0;
  guint set_height = scale == 1 ? feed_u16 (feed) : 0;
  Picture before, pictures[2];

  feed_picture (feed, &before);
  for (guint i = 0; i < 2; i++)
    gst_shape_raster_begin (rasters[i], before.surface.width,
        before.surface.height, set_width, set_height);
  gst_shape_marks_begin (&marks, before.surface.width, before.surface.height,
      set_width, set_height);
  for (guint i = 0; i < n_shapes; i++)
    add_shape (feed, rasters, memory, &paint);
  check_marks (before.surface.width, before.surface.height);
  for (guint i = 0; i < 2; i++) {
    GError *error = NULL;
    gboolean ok;

    copy_picture (&before, &pictures[i]);
    ok = gst_shape_raster_draw (rasters[i], &pictures[i].surface, &error);
    FUZZ_CHECK_ERROR (ok, error);
    FUZZ_CHECK (ok, "no memory");
    check_padding (&before, &pictures[i]);
    if (gst_shape_raster_is_empty (rasters[i]))
      check_same (&before, &pictures[i]);
  }
  check_same (&pictures[0], &pictures[1]);
  clear_picture (&before);
  clear_picture (&pictures[0]);
  clear_picture (&pictures[1]);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  static CsExecutor *one, *three;
  Feed feed = { data, size };
  GPtrArray *memory =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  GstShapeRaster *rasters[2];

  if (!lasting) {
    one = cs_executor_new_cpu (1);
    three = cs_executor_new_cpu (3);
    lasting = gst_shape_raster_new (three);
    gst_shape_marks_init (&marks);
  }
  rasters[0] = gst_shape_raster_new (one);
  rasters[1] = lasting;
  draw_frame (&feed, rasters, memory);
  gst_shape_raster_free (rasters[0]);
  g_ptr_array_unref (memory);
  return 0;
}
