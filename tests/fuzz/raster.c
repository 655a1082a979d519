/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What shapeoverlay paints, any shapes on any small picture. A painter of three
 * threads that lives for ever and a fresh one of one thread paint the same, and
 * nothing beside the picture. The marks are finite and near the picture. */

#include "fuzz_shapes.h"

#include <math.h>

#include "shapeoverlay/gstshapeoverlaymarks.h"

#define MAX_SIDE 96
#define MAX_LINE_WIDTH 256.f

/* What is kept from frame to frame must not show in the next one. */
static CsRaster *lasting;
static GstShapeMarks marks;

typedef struct
{
  guint8 *data[3];              /* planes */
  gsize size[3];
  guint n_planes;
  CsPicture view;
  gsize offset[CS_PICTURE_MAX_COMPONENTS];      /* in its plane */
  guint plane[CS_PICTURE_MAX_COMPONENTS];
} Picture;

/* Component @c lies in @plane, @offset bytes from its beginning. */
static void
set_component (Picture * picture, guint c, guint plane, guint offset,
    guint pixel_stride, guint columns, guint rows, guint padding)
{
  const gsize row = (gsize) columns * pixel_stride;

  picture->plane[c] = plane;
  picture->offset[c] = offset;
  picture->view.pixel_stride[c] = pixel_stride;
  picture->view.row_stride[c] = row + padding;
  /* no padding after the last row */
  picture->size[plane] = (rows - 1) * (row + padding) + row;
  picture->n_planes = MAX (picture->n_planes, plane + 1);
}

static void
make_planes (Picture * picture, guint how, guint padding)
{
  CsPicture *v = &picture->view;
  const gboolean pairs = (how & 32) != 0;

  v->model = how & 1 ? CS_PICTURE_YUV : CS_PICTURE_GRAY;
  v->limited_range = !(how & 8);
  set_component (picture, 0, 0, 0, 1, v->width, v->height, padding);
  if (v->model == CS_PICTURE_GRAY)
    return;
  v->sub_x = how >> 1 & 1;
  v->sub_y = v->sub_x && (how >> 2 & 1);
  guint columns = (v->width + v->sub_x) >> v->sub_x;
  guint rows = (v->height + v->sub_y) >> v->sub_y;
  for (guint i = 1; i < 3; i++)
    set_component (picture, i, pairs ? 1 : i, pairs ? i - 1 : 0, pairs ? 2 : 1,
        columns, rows, padding);
}

static void
make_rgb (Picture * picture, guint how, guint padding)
{
  static const guint orders[4][4] = { {0, 1, 2, 3}, {2, 1, 0, 3}, {1, 2, 3, 0},
  {3, 2, 1, 0}
  };
  CsPicture *v = &picture->view;
  const guint bytes = how & 1 ? 4 : 3;
  const guint *order = orders[(how >> 1) % (bytes == 4 ? 4 : 2)];
  const guint n = bytes == 4 && !(how & 8) ? 4 : 3;

  v->model = CS_PICTURE_RGB;
  v->premultiplied = n == 4 && (how & 16);
  for (guint i = 0; i < n; i++)
    set_component (picture, i, 0, order[i], bytes, v->width, v->height,
        padding);
}

static void
set_data (Picture * picture)
{
  for (guint i = 0; i < CS_PICTURE_MAX_COMPONENTS; i++)
    picture->view.data[i] = picture->view.pixel_stride[i] == 0 ? NULL :
        picture->data[picture->plane[i]] + picture->offset[i];
}

static void
feed_picture (Feed * feed, Picture * picture)
{
  const guint how = feed_u8 (feed), padding = feed_below (feed, 5);
  const guint shade = feed_u8 (feed);
  CsPicture *v = &picture->view;

  memset (picture, 0, sizeof (*picture));
  v->width = 1 + feed_below (feed, MAX_SIDE);
  v->height = 1 + feed_below (feed, MAX_SIDE);
  v->depth = 8;
  v->kr = how & 64 ? .2126 : .299;
  v->kb = how & 64 ? .0722 : .114;
  if (how & 128)
    make_rgb (picture, how, padding);
  else
    make_planes (picture, how, padding);
  for (guint i = 0; i < picture->n_planes; i++) {
    picture->data[i] = g_malloc (picture->size[i]);
    for (gsize k = 0; k < picture->size[i]; k++)
      picture->data[i][k] = shade + 7 * k;
  }
  set_data (picture);
}

static void
copy_picture (const Picture * from, Picture * to)
{
  *to = *from;
  for (guint i = 0; i < from->n_planes; i++)
    to->data[i] = g_memdup2 (from->data[i], from->size[i]);
  set_data (to);
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
  for (guint i = 0; i < a->n_planes; i++)
    FUZZ_CHECK (memcmp (a->data[i], b->data[i], a->size[i]) == 0,
        "plane %u of %u x %u depends on the threads", i, a->view.width,
        a->view.height);
}

/* What lies between the rows stays as it was. */
static void
check_padding (const Picture * before, const Picture * after)
{
  const CsPicture *v = &before->view;

  for (guint c = 0; c < CS_PICTURE_MAX_COMPONENTS; c++) {
    const gsize columns = v->model == CS_PICTURE_YUV && c > 0 ?
        (v->width + v->sub_x) >> v->sub_x : v->width;
    const guint i = before->plane[c];

    if (!v->data[c])
      continue;
    for (gsize k = 0; k < before->size[i]; k++)
      FUZZ_CHECK (k % v->row_stride[c] < columns * v->pixel_stride[c]
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

static gboolean
is_near (gfloat v, guint side)
{
  return v >= -MAX_LINE_WIDTH && v <= side + MAX_LINE_WIDTH;
}

static void
check_marks (const CsMarks * all, guint width, guint height)
{
  for (gsize i = 0; i < all->n; i++) {
    const CsMark *mark = &all->marks[i];
    const gboolean is_round = mark->x0 == mark->x1 && mark->y0 == mark->y1;

    if (mark->half_width == CS_MARK_FILL) {
      FUZZ_CHECK (all->fills && mark->group < all->fills->n, "mark %zu", i);
      continue;
    }
    FUZZ_CHECK (isfinite (mark->x0) && isfinite (mark->y0)
        && mark->radius > 0.f && mark->group > 0 && (mark->rgba & 0xff) > 0,
        "mark %zu", i);
    /* circles may be large */
    FUZZ_CHECK (is_round || (is_near (mark->x0, width)
            && is_near (mark->x1, width) && is_near (mark->y0, height)
            && is_near (mark->y1, height)), "mark %zu: %g,%g to %g,%g", i,
        mark->x0, mark->y0, mark->x1, mark->y1);
  }
}

static void
add_shape (Feed * feed, GstShapePaint * paint)
{
  const guint how = feed_u8 (feed), kind = (how >> 1) % 3;

  if (how & 1)
    *paint = feed_paint (feed);
  g_autoptr (GArray) array =
      kind == 2 ? feed_circles (feed) : feed_points (feed, 600);
  gconstpointer data = array->data;
  if (kind == 0)
    gst_shape_marks_add_polyline (&marks, data, array->len, paint);
  else if (kind == 1)
    gst_shape_marks_add_dots (&marks, data, array->len, paint);
  else
    gst_shape_marks_add_circles (&marks, data, array->len, paint);
}

static void
paint_on (CsRaster * raster, const CsMarks * all, const CsPicture * picture)
{
  CsRasterSettings settings;
  GError *error = NULL;
  gboolean ok;

  cs_raster_settings_init (&settings);
  ok = cs_raster_run (raster, all, &settings, picture, picture, &error);
  FUZZ_CHECK_ERROR (ok, error);
  FUZZ_CHECK (ok, "no memory");
}

static void
draw_frame (Feed * feed, CsRaster * rasters[2])
{
  const guint n_shapes = feed_below (feed, 8), scale = feed_below (feed, 4);
  GstShapePaint paint = feed_paint (feed);
  guint set_width = scale == 1 ? feed_u16 (feed) : 0;
  guint set_height = scale == 1 ? feed_u16 (feed) : 0;
  Picture before, pictures[2];

  feed_picture (feed, &before);
  gst_shape_marks_begin (&marks, before.view.width, before.view.height,
      set_width, set_height);
  for (guint i = 0; i < n_shapes; i++)
    add_shape (feed, &paint);
  CsMarks all = gst_shape_marks_get (&marks);
  check_marks (&all, before.view.width, before.view.height);
  for (guint i = 0; i < 2; i++) {
    copy_picture (&before, &pictures[i]);
    paint_on (rasters[i], &all, &pictures[i].view);
    check_padding (&before, &pictures[i]);
    if (gst_shape_marks_is_empty (&marks))
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
  CsRaster *rasters[2];

  if (!lasting) {
    one = cs_executor_new_cpu (1);
    three = cs_executor_new_cpu (3);
    lasting = cs_raster_new (three, NULL);
    gst_shape_marks_init (&marks);
  }
  rasters[0] = cs_raster_new (one, NULL);
  rasters[1] = lasting;
  draw_frame (&feed, rasters);
  cs_raster_free (rasters[0]);
  return 0;
}
