/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "raster_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "raster_oracle.h"

/* --- Pictures ------------------------------------------------------------- */

const Layout layouts[] = {
  {.name = "gray8",.model = CS_PICTURE_GRAY,.depth = 8},
  {.name = "gray8 limited",.model = CS_PICTURE_GRAY,.depth = 8,.limited = TRUE},
  {.name = "gray16",.model = CS_PICTURE_GRAY,.depth = 16},
  {.name = "RGB",.model = CS_PICTURE_RGB,.depth = 8,.pixel_size = 3},
  {.name = "RGBx",.model = CS_PICTURE_RGB,.depth = 8,.pixel_size = 4},
  {.name = "RGBA",.model = CS_PICTURE_RGB,.depth = 8,.pixel_size = 4,
      .has_alpha = TRUE},
  {.name = "RGBA premultiplied",.model = CS_PICTURE_RGB,.depth = 8,
        .pixel_size = 4,.has_alpha = TRUE,.premultiplied = TRUE},
  {.name = "RGBA64",.model = CS_PICTURE_RGB,.depth = 16,.pixel_size = 4,
      .has_alpha = TRUE},
  {.name = "RGBP",.model = CS_PICTURE_RGB,.depth = 8},
  {.name = "GBR10",.model = CS_PICTURE_RGB,.depth = 10},
  {.name = "I420",.model = CS_PICTURE_YUV,.depth = 8,.sub_x = 1,.sub_y = 1,
      .limited = TRUE},
  {.name = "NV12",.model = CS_PICTURE_YUV,.depth = 8,.sub_x = 1,.sub_y = 1,
      .limited = TRUE,.chroma_pairs = TRUE},
  {.name = "NV12 full",.model = CS_PICTURE_YUV,.depth = 8,.sub_x = 1,
      .sub_y = 1,.chroma_pairs = TRUE},
  {.name = "P010",.model = CS_PICTURE_YUV,.depth = 10,.shift = 6,.sub_x = 1,
        .sub_y = 1,.limited = TRUE,.chroma_pairs = TRUE},
  {.name = "I420_12",.model = CS_PICTURE_YUV,.depth = 12,.sub_x = 1,
      .sub_y = 1,.limited = TRUE},
  {.name = "Y42B",.model = CS_PICTURE_YUV,.depth = 8,.sub_x = 1,
      .limited = TRUE},
  {.name = "Y440",.model = CS_PICTURE_YUV,.depth = 8,.sub_y = 1,
      .limited = TRUE},
  {.name = "Y444",.model = CS_PICTURE_YUV,.depth = 8,.limited = TRUE},
  {.name = "Y444_16",.model = CS_PICTURE_YUV,.depth = 16},
  {.name = "A420",.model = CS_PICTURE_YUV,.depth = 8,.sub_x = 1,.sub_y = 1,
      .limited = TRUE,.has_alpha = TRUE},
  {.name = "AYUV",.model = CS_PICTURE_YUV,.depth = 8,.limited = TRUE,
      .has_alpha = TRUE,.pixel_size = 4},
  {.name = "xRGB",.model = CS_PICTURE_RGB,.depth = 8,.pixel_size = 4,
      .order = "xRGB"},
  {.name = "ABGR",.model = CS_PICTURE_RGB,.depth = 8,.pixel_size = 4,
      .has_alpha = TRUE,.order = "ABGR"},
  {.name = "YUY2",.model = CS_PICTURE_YUV,.depth = 8,.sub_x = 1,
      .limited = TRUE,.is_yuy2 = TRUE},
};

const guint n_layouts = G_N_ELEMENTS (layouts);

#define MARGIN 64

static void
place_component (Picture * picture, const Layout * layout, guint component,
    gsize * offset, GRand * rand, gboolean measure)
{
  CsPicture *v = &picture->view;
  const gsize size = layout->depth > 8 ? 2 : 1;
  guint samples = layout->pixel_size ? layout->pixel_size : 1;

  if (layout->chroma_pairs && (component == 1 || component == 2))
    samples = 2;
  if (layout->is_yuy2 && component > 0) {
    v->data[component] = (guint8 *) v->data[0] + 2 * component - 1;
    v->pixel_stride[component] = 4;
    v->row_stride[component] = v->row_stride[0];
    return;
  }
  if (layout->order && component > 0) {
    const char *order = layout->order;

    v->data[component] = (guint8 *) v->data[0] + (strchr (order,
            "RGBA"[component]) - strchr (order, 'R'));
    v->pixel_stride[component] = v->pixel_stride[0];
    v->row_stride[component] = v->row_stride[0];
    return;
  }
  /* shares a plane with the one before it */
  if (component > 0 && (layout->pixel_size || (layout->chroma_pairs &&
              component == 2))) {
    v->data[component] = (guint8 *) v->data[component - 1] + size;
    v->pixel_stride[component] = v->pixel_stride[component - 1];
    v->row_stride[component] = v->row_stride[component - 1];
    return;
  }
  v->data[component] = (guint8 *) GSIZE_TO_POINTER (*offset);
  v->pixel_stride[component] = samples * size;
  v->row_stride[component] = samples * size *
      (oracle_columns (v, component) + g_rand_int_range (rand, 0, 9));
  if (layout->is_yuy2) {
    v->pixel_stride[0] = 2;
    v->row_stride[0] = 4 * oracle_columns (v, 1) + g_rand_int_range (rand, 0,
        9);
  }
  *offset += v->row_stride[component] * oracle_rows (v, component) + MARGIN;
  if (layout->order)
    v->data[0] = (guint8 *) v->data[0] + (strchr (layout->order, 'R') -
        layout->order);
}

Picture *
picture_new (const Layout * layout, guint width, guint height, GRand * rand)
{
  Picture *picture = g_new0 (Picture, 1);
  CsPicture *v = &picture->view;
  gsize offset = MARGIN, i;

  v->model = layout->model;
  v->type = layout->depth > 8 ? CS_SAMPLE_U16 : CS_SAMPLE_U8;
  v->memory = CS_MEMORY_HOST;
  v->width = width;
  v->height = height;
  v->depth = layout->depth;
  v->shift = layout->shift;
  v->sub_x = layout->sub_x;
  v->sub_y = layout->sub_y;
  v->limited_range = layout->limited;
  v->premultiplied = layout->premultiplied;
  if (layout->model == CS_PICTURE_YUV) {
    v->kr = .2126;
    v->kb = .0722;
  }
  for (guint c = 0; c < 4; c++)
    if (c == 3 ? layout->has_alpha : c == 0 || layout->model != CS_PICTURE_GRAY)
      place_component (picture, layout, c, &offset, rand, TRUE);
  picture->size = offset;
  picture->memory = g_malloc (offset);
  for (i = 0; i < offset; i++)
    picture->memory[i] = g_rand_int (rand);
  /* bits that are none of a sample's are 0 */
  for (i = 0; layout->depth > 8 && i + 1 < offset; i += 2)
    *(guint16 *) (picture->memory + i) &= ((1 << layout->depth) - 1) <<
        layout->shift;
  for (guint c = 0; c < 4; c++)
    if (v->data[c])
      v->data[c] = picture->memory + GPOINTER_TO_SIZE (v->data[c]);
  /* alpha that is often all or nothing */
  if (layout->has_alpha) {
    for (guint y = 0; y < height; y++)
      for (guint x = 0; x < width; x++) {
        guint8 *at = (guint8 *) v->data[3] + y * v->row_stride[3] +
            x * v->pixel_stride[3];
        const guint kind = g_rand_int (rand) % 4;

        if (kind < 2)
          memset (at, kind ? 255 : 0, layout->depth > 8 ? 2 : 1);
      }
  }
  return picture;
}

CsPicture
picture_view_at (const Picture * picture, void *memory, CsMemory kind)
{
  CsPicture view = picture->view;

  view.memory = kind;
  for (guint c = 0; c < 4; c++)
    if (view.data[c])
      view.data[c] = (guint8 *) memory +
          ((guint8 *) view.data[c] - picture->memory);
  return view;
}

Picture *
picture_copy (const Picture * picture)
{
  Picture *copy = g_new (Picture, 1);

  copy->size = picture->size;
  copy->memory = g_malloc (picture->size);
  memcpy (copy->memory, picture->memory, picture->size);
  copy->view = picture_view_at (picture, copy->memory, CS_MEMORY_HOST);
  return copy;
}

void
picture_free (Picture * picture)
{
  if (!picture)
    return;
  g_free (picture->memory);
  g_free (picture);
}

guint64
picture_compare (const Picture * a, const Picture * b, const char *name)
{
  g_autofree guint8 *alien = g_malloc (a->size);
  const gsize size = a->view.type == CS_SAMPLE_U16 ? 2 : 1;
  guint64 n = 0;

  memset (alien, 1, a->size);
  for (guint c = 0; c < 4; c++) {
    if (!oracle_has (&a->view, c))
      continue;
    for (guint y = 0; y < oracle_rows (&a->view, c); y++) {
      for (guint x = 0; x < oracle_columns (&a->view, c); x++) {
        const gsize at = (guint8 *) a->view.data[c] - a->memory +
            y * a->view.row_stride[c] + x * a->view.pixel_stride[c];

        memset (alien + at, 0, size);
        if (memcmp (a->memory + at, b->memory + at, size) == 0)
          continue;
        if (n++ == 0 && name)
          printf ("    %s: component %u at (%u, %u) is %u, not %u\n", name, c,
              x, y, oracle_get (&b->view, c, x, y),
              oracle_get (&a->view, c, x, y));
      }
    }
  }
  /* the fourth sample of RGBx may be copied from the input or stay */
  for (gsize i = 0; i < a->size; i++) {
    const gboolean in_rows = i >= MARGIN && i < a->size - MARGIN;

    if (alien[i] && !in_rows && a->memory[i] != b->memory[i]) {
      if (n++ == 0 && name)
        printf ("    %s: byte %" G_GSIZE_FORMAT " outside is written\n", name,
            i);
    }
  }
  return n;
}

/* --- Marks ---------------------------------------------------------------- */

const char *
marks_kind_name (MarksKind kind)
{
  static const char *const names[] = {
    "discs", "tiny", "huge", "fog", "opaque", "tangent", "one tile", "rings",
    "capsules", "mixed", "groups", "broken",
    "fills", "gradients", "gradients and groups"
  };

  return names[kind];
}

static double
range (GRand * rand, double low, double high)
{
  return low + (high - low) * g_rand_double (rand);
}

static guint32
random_color (GRand * rand, MarksKind kind)
{
  static const guint32 alphas[] = { 0, 1, 2, 127, 128, 254, 255 };
  guint32 rgb = g_rand_int (rand) & 0xffffff00u;

  if (g_rand_int (rand) % 5 == 0)
    rgb = g_rand_boolean (rand) ? 0xffffff00u : 0;
  if (kind == MARKS_OPAQUE)
    return rgb | (g_rand_int (rand) % 4 ? 255 : 254);
  if (kind == MARKS_FOG)
    return rgb | (g_rand_int (rand) % 3);
  if (g_rand_int (rand) % 3 == 0)
    return rgb | alphas[g_rand_int (rand) % G_N_ELEMENTS (alphas)];
  return rgb | (g_rand_int (rand) & 255);
}

static void
fill_tangent (GRand * rand, guint width, guint height, CsMark * m)
{
  const gint step = 8 << g_rand_int (rand) % 3;

  m->radius = step / 2 + (g_rand_int (rand) % 3 - 1.f) / 256;
  m->x0 = m->x1 = (gint) range (rand, -1, width / step + 2) * step +
      (g_rand_boolean (rand) ? 0 : -.5f);
  m->y0 = m->y1 = (gint) range (rand, -1, height / step + 2) * step +
      (g_rand_boolean (rand) ? 0 : -.5f);
}

static void
fill_broken (GRand * rand, CsMark * m)
{
  const float bad[] = {
    NAN, INFINITY, -INFINITY, 1e30f, -1e30f, -1, 0, 1e-30f, 2e9f, 1e9f, -0.f
  };
  const guint n = g_rand_int (rand) % 3;

  for (guint i = 0; i < n; i++) {
    const float v = bad[g_rand_int (rand) % G_N_ELEMENTS (bad)];

    switch (g_rand_int (rand) % 6) {
      case 0:
        m->x0 = v;
        break;
      case 1:
        m->y1 = v;
        break;
      case 2:
        m->x1 = m->x0 = v;
        break;
      case 3:
        m->radius = v;
        break;
      case 4:
        m->half_width = v;
        break;
      default:
        m->y1 = m->y0 = v;
    }
  }
}

static void
fill_mark (MarksKind kind, GRand * rand, guint width, guint height, CsMark * m)
{
  const double side = MIN (width, height);

  m->x0 = m->x1 = range (rand, -.2 * width, 1.2 * width);
  m->y0 = m->y1 = range (rand, -.2 * height, 1.2 * height);
  m->radius = range (rand, .02, .3) * side;
  m->half_width = 0;
  m->group = 0;
  m->rgba = random_color (rand, kind);
  switch (kind) {
    case MARKS_TINY:
      m->radius = range (rand, 0, 1.5);
      break;
    case MARKS_HUGE:
      m->radius = range (rand, .5, 100) * side;
      m->x0 = m->x1 = range (rand, -20. * width, 20. * width);
      break;
    case MARKS_FOG:
      m->x0 = m->x1 = width / 2;
      m->y0 = m->y1 = height / 2;
      m->radius = 2 * (width + height);
      break;
    case MARKS_TANGENT:
      fill_tangent (rand, width, height, m);
      break;
    case MARKS_ONE_TILE:
      m->x0 = m->x1 = range (rand, 0, 16);
      m->y0 = m->y1 = range (rand, 0, 16);
      m->radius = range (rand, .1, 4);
      break;
    case MARKS_RINGS:
      m->half_width = range (rand, 0, 4);
      break;
    case MARKS_CAPSULES:
    case MARKS_GROUPS:
    case MARKS_GRADIENTS_GROUPS:
    case MARKS_FILLS:
      m->x1 = range (rand, 0, width);
      m->y1 = range (rand, 0, height);
      m->radius = range (rand, .1, 5);
      break;
    case MARKS_MIXED:
    case MARKS_GRADIENTS:
      if (g_rand_boolean (rand))
        m->x1 += range (rand, -30, 30);
      if (g_rand_boolean (rand))
        m->y1 += range (rand, -30, 30);
      if (g_rand_boolean (rand))
        m->half_width = range (rand, 0, .3) * m->radius;
      if (g_rand_int (rand) % 8 == 0)
        m->radius = 0;
      break;
    case MARKS_BROKEN:
      fill_broken (rand, m);
      break;
    default:
      break;
  }
}

/* Some marks become fills, now and then one that there is not. */
static void
put_fill (GRand * rand, CsMark * mark)
{
  if (g_rand_int (rand) % 4 != 0)
    return;
  mark->half_width = CS_MARK_FILL;
  mark->group = g_rand_int (rand) % (MARKS_N_FILLS + 1);
}

/* Some marks get a gradient, now and then one that there is not. */
static void
put_gradient (GRand * rand, CsMark * mark)
{
  if (g_rand_int (rand) % 3 == 0)
    return;
  mark->group = CS_MARK_GRADIENT | (g_rand_int (rand) %
      (MARKS_N_GRADIENTS + 1));
}

static int
compare_stops (const void *a, const void *b)
{
  const float p = ((const CsGradientStop *) a)->at;
  const float q = ((const CsGradientStop *) b)->at;

  return p < q ? -1 : p > q;
}

static void
fill_stops (GRand * rand, guint n, CsGradientStop * stops)
{
  for (guint i = 0; i < n; i++) {
    /* often two at one place */
    stops[i].at = g_rand_boolean (rand) ? range (rand, 0, 1) :
        (g_rand_int (rand) % 3) / 2.f;
    for (guint j = 0; j < 4; j++)
      stops[i].color[j] = g_rand_int (rand) % 4 ? range (rand, 0, 1) :
          g_rand_boolean (rand);
  }
  qsort (stops, n, sizeof (CsGradientStop), compare_stops);
}

void
gradients_fill (GRand * rand, Gradients * gradients)
{
  guint n_stops = 0, i;

  for (i = 0; i < MARKS_N_GRADIENTS; i++) {
    CsGradient *g = &gradients->gradients[i];
    const double angle = range (rand, 0, 2 * G_PI);

    g->kind = g_rand_boolean (rand) ? CS_GRADIENT_LINEAR : CS_GRADIENT_RADIAL;
    g->x = cos (angle);
    g->y = sin (angle);
    g->falloff = g_rand_boolean (rand) ? 0 : range (rand, 0,
        CS_GRADIENT_MAX_FALLOFF);
    g->first_stop = n_stops;
    g->n_stops = 1 + g_rand_int (rand) % 5;
    fill_stops (rand, g->n_stops, &gradients->stops[n_stops]);
    n_stops += g->n_stops;
  }
  gradients->view = (CsGradients) { gradients->gradients, gradients->stops,
    MARKS_N_GRADIENTS, n_stops
  };
}

void
marks_fill (MarksKind kind, GRand * rand, guint width, guint height, gsize n,
    CsMark * marks)
{
  guint32 group = 0;

  for (gsize i = 0; i < n; i++) {
    fill_mark (kind, rand, width, height, &marks[i]);
    if (kind == MARKS_GROUPS || kind == MARKS_FILLS ||
        kind == MARKS_GRADIENTS_GROUPS) {
      /* a path whose parts meet, now and then with a hole in it */
      if (g_rand_int (rand) % 6 == 0)
        group = g_rand_int (rand) % 3;
      marks[i].group = group;
      if (i > 0) {
        marks[i].x0 = marks[i - 1].x1;
        marks[i].y0 = marks[i - 1].y1;
        marks[i].radius = marks[i - 1].radius;
      }
      marks[i].x1 = marks[i].x0 + range (rand, -20, 20);
      marks[i].y1 = marks[i].y0 + range (rand, -20, 20);
      if (g_rand_int (rand) % 20 == 0)
        marks[i].radius = NAN;
      else if (!(marks[i].radius > 0))
        marks[i].radius = range (rand, .5, 4);
    }
    if (kind == MARKS_FILLS)
      put_fill (rand, &marks[i]);
    if (kind == MARKS_GRADIENTS || kind == MARKS_GRADIENTS_GROUPS)
      put_gradient (rand, &marks[i]);
  }
}

void
marks_fill_small (GRand * rand, guint width, guint height, gboolean plain,
    gsize n, CsMark * marks)
{
  for (gsize i = 0; i < n; i++) {
    const guint kind = g_rand_int (rand) % (plain ? 2 : 4);
    CsMark *mark = &marks[i];

    memset (mark, 0, sizeof (*mark));
    mark->x0 = mark->x1 = range (rand, -4, width + 4);
    mark->y0 = mark->y1 = range (rand, -4, height + 4);
    mark->radius = range (rand, 0, kind == 0 ? 1.5 : 5);
    if (kind == 2)
      mark->half_width = range (rand, .1, 1.5);
    if (kind == 3) {
      mark->x1 += range (rand, -9, 9);
      mark->y1 += range (rand, -9, 9);
    }
    mark->rgba = g_rand_int (rand);
    if (g_rand_int (rand) % 5 == 0)
      mark->rgba |= 0xff;
  }
}

void
marks_fill_paths (GRand * rand, guint width, guint height, gsize n,
    CsMark * marks)
{
  const double odd = g_rand_int (rand) % 3 ? 0 : .1;
  CsMark mark = { 0 };
  guint32 group = 0;

  for (gsize i = 0; i < n; i++) {
    if (i == 0 || g_rand_int (rand) % 40 == 0) {
      group = g_rand_int (rand) % 5 ? group + 1 : 0;
      mark.x1 = range (rand, -9, width + 9);
      mark.y1 = range (rand, -9, height + 9);
      mark.radius = range (rand, .2, 2.5);
      mark.rgba = g_rand_int (rand);
      if (g_rand_boolean (rand))
        mark.rgba |= 0xff;
    }
    mark.x0 = mark.x1;
    mark.y0 = mark.y1;
    if (g_rand_int (rand) % 30 != 0) {
      mark.x1 += range (rand, -2, 3);
      mark.y1 += range (rand, -3, 2);
    }
    mark.group = group;
    marks[i] = mark;
    if (g_rand_double (rand) < odd)
      marks[i].radius *= g_rand_double (rand);
    if (g_rand_double (rand) < odd)
      marks[i].half_width = g_rand_double (rand);
  }
}

void
depths_fill (DepthsKind kind, GRand * rand, gsize n, float *depths)
{
  const float strange[] = { NAN, -NAN, INFINITY, -INFINITY, 0, -0.f, 1e-40f };

  for (gsize i = 0; i < n; i++) {
    depths[i] = range (rand, -1, 1);
    if (kind == DEPTHS_TIED)
      depths[i] = g_rand_int (rand) % 4;
    else if (kind == DEPTHS_EQUAL)
      depths[i] = 1;
    else if (kind == DEPTHS_STRANGE && g_rand_boolean (rand))
      depths[i] = strange[g_rand_int (rand) % G_N_ELEMENTS (strange)];
  }
}
