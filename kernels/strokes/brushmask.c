/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strokes_private.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "strokes_math.h"

#define MAX_SIDE 65536

static void
set_changed (CsBrushMask * mask)
{
  static GMutex lock;
  static guint64 last;

  g_mutex_lock (&lock);
  mask->version = ++last;
  g_mutex_unlock (&lock);
}

/**
 * cs_brush_mask_new:
 * @width: columns, 1 to 65536
 * @height: rows, 1 to 65536
 * @error: CS_ERROR_INVALID or CS_ERROR_NO_MEMORY
 *
 * Returns: an empty mask
 */
CsBrushMask *
cs_brush_mask_new (guint width, guint height, GError ** error)
{
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_INVALID, "a brush mask of "
        "%u x %u pixels: sides must be 1 to %d", width, height, MAX_SIDE);
  g_autofree CsBrushMask *mask = g_new0 (CsBrushMask, 1);
  mask->width = width;
  mask->height = height;
  mask->stride = (width + 31) / 32;
  mask->bits = cs_try_new0 (guint32, (gsize) mask->stride * height);
  mask->is_empty = TRUE;
  if (!mask->bits)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_NO_MEMORY,
        "cannot allocate a brush mask of %u x %u pixels", width, height);
  set_changed (mask);
  return g_steal_pointer (&mask);
}

void
cs_brush_mask_free (CsBrushMask * mask)
{
  if (!mask)
    return;
  g_free (mask->bits);
  g_free (mask);
}

/* Sets the pixels from @first to @last, both included, of row @y. */
static void
set_span (CsBrushMask * mask, guint y, guint first, guint last)
{
  guint32 *row = mask->bits + (gsize) y * mask->stride;
  const guint from = first / 32, to = last / 32;
  const guint32 head = ~(guint32) 0 << first % 32;
  const guint32 tail = ~(guint32) 0 >> (31 - last % 32);

  if (from == to) {
    row[from] |= head & tail;
    return;
  }
  row[from] |= head;
  for (guint i = from + 1; i < to; i++)
    row[i] = ~(guint32) 0;
  row[to] |= tail;
}

/**
 * Capsule:
 * @scale: a power of two applied to all lengths, so that squares are finite
 * @x, @y: one end
 * @dx, @dy: vector to the other end
 * @length2: its squared length
 * @radius: radius
 */
typedef struct
{
  double scale;
  double x, y, dx, dy, length2;
  double radius;
} Capsule;

static gboolean
capsule_init (Capsule * capsule, double x0, double y0, double x1, double y1,
    double radius)
{
  const double largest = MAX (MAX (MAX (fabs (x0), fabs (y0)), MAX (fabs (x1),
              fabs (y1))), MAX (radius, MAX_SIDE));
  int exponent;

  if (!isfinite (x0) || !isfinite (y0) || !isfinite (x1) || !isfinite (y1) ||
      !isfinite (radius) || radius < 0)
    return FALSE;
  frexp (largest, &exponent);
  capsule->scale = ldexp (1, -exponent);
  capsule->x = x0 * capsule->scale;
  capsule->y = y0 * capsule->scale;
  capsule->dx = x1 * capsule->scale - capsule->x;
  capsule->dy = y1 * capsule->scale - capsule->y;
  capsule->length2 = capsule->dx * capsule->dx + capsule->dy * capsule->dy;
  capsule->radius = radius * capsule->scale;
  return TRUE;
}

static gboolean
capsule_contains (const Capsule * capsule, double column, double row)
{
  const double px = column * capsule->scale - capsule->x;
  const double py = row * capsule->scale - capsule->y;
  double t = 0, ex, ey;

  if (capsule->length2 > 0)
    t = CLAMP ((px * capsule->dx + py * capsule->dy) / capsule->length2, 0, 1);
  ex = px - t * capsule->dx;
  ey = py - t * capsule->dy;
  return ex * ex + ey * ey <= capsule->radius * capsule->radius;
}

/* Extends [*low, *high] by the extent of a disc around x at distance @dy. */
static void
widen_by_disc (double x, double dy, double radius, double *low, double *high)
{
  const double half2 = radius * radius - dy * dy;

  if (half2 < 0)
    return;
  *low = MIN (*low, x - sqrt (half2));
  *high = MAX (*high, x + sqrt (half2));
}

/* Intersects [*low, *high] with a <= slope * x + offset <= b. */
static void
narrow (double slope, double offset, double a, double b, double *low,
    double *high)
{
  const double p = (a - offset) / slope, q = (b - offset) / slope;

  if (slope == 0) {
    if (offset < a || offset > b)
      *high = -INFINITY;
    return;
  }
  *low = MAX (*low, MIN (p, q));
  *high = MIN (*high, MAX (p, q));
}

/* Approximate columns of the convex capsule on row @row. */
static void
capsule_span (const Capsule * c, double row, double *first, double *last)
{
  const double y = row * c->scale - c->y, length = sqrt (c->length2);
  double low = INFINITY, high = -INFINITY;

  widen_by_disc (0, y, c->radius, &low, &high);
  widen_by_disc (c->dx, y - c->dy, c->radius, &low, &high);
  if (length > 0) {
    const double ux = c->dx / length, uy = c->dy / length;
    double from = -INFINITY, to = INFINITY;

    narrow (ux, y * uy, 0, length, &from, &to);
    narrow (-uy, y * ux, -c->radius, c->radius, &from, &to);
    if (from <= to) {
      low = MIN (low, from);
      high = MAX (high, to);
    }
  }
  *first = (low + c->x) / c->scale;
  *last = (high + c->x) / c->scale;
}

static gboolean
stroke_row (CsBrushMask * mask, const Capsule * capsule, guint row)
{
  double first, last;

  capsule_span (capsule, row, &first, &last);
  /* one column of margin, decided by the exact test below */
  first = MAX (floor (first) - 1, 0);
  last = MIN (ceil (last) + 1, mask->width - 1.);
  if (!(first <= last))
    return FALSE;
  guint from = first, to = last;
  while (from <= to && !capsule_contains (capsule, from, row))
    from++;
  if (from > to)
    return FALSE;
  while (!capsule_contains (capsule, to, row))
    to--;
  set_span (mask, row, from, to);
  return TRUE;
}

/**
 * cs_brush_mask_stroke:
 * @mask: the mask
 * @x0: start of the line, in pixels
 * @y0: start of the line
 * @x1: end of the line
 * @y1: end of the line
 * @radius: pixels, at least 0
 *
 * Strokes the mask with a round brush.
 */
void
cs_brush_mask_stroke (CsBrushMask * mask, double x0, double y0, double x1,
    double y1, double radius)
{
  gboolean any = FALSE;
  Capsule capsule;

  if (!capsule_init (&capsule, x0, y0, x1, y1, radius))
    return;
  const double first = MAX (floor (MIN (y0, y1) - radius), 0);
  const double last = MIN (ceil (MAX (y0, y1) + radius), mask->height - 1.);
  if (!(first <= last))
    return;
  for (guint row = first; row <= last; row++)
    any |= stroke_row (mask, &capsule, row);
  if (any) {
    mask->is_empty = FALSE;
    set_changed (mask);
  }
}

/**
 * cs_brush_mask_add_image:
 * @mask: the mask
 * @image: of its size
 * @error: CS_ERROR_INVALID
 *
 * Adds the pixels that are not 0.
 *
 * Returns: whether the image fits
 */
gboolean
cs_brush_mask_add_image (CsBrushMask * mask, const CsImage * image,
    GError ** error)
{
  if (image->channels != 1 || image->type != CS_SAMPLE_U8 ||
      image->memory == CS_MEMORY_DEVICE || image->width != mask->width ||
      image->height != mask->height)
    return cs_error (error, CS_ERROR_INVALID,
        "a brush mask of %u x %u pixels needs an image of that size with one "
        "channel of 8 bits in host memory, not %u x %u with %u", mask->width,
        mask->height, image->width, image->height, image->channels);
  for (guint y = 0; y < mask->height; y++) {
    const guint8 *row = (const guint8 *) image->data + y * image->row_stride;

    for (guint x = 0; x < mask->width; x++) {
      if (!row[x * image->pixel_stride])
        continue;
      mask->bits[(gsize) y * mask->stride + x / 32] |= 1u << x % 32;
      mask->is_empty = FALSE;
    }
  }
  set_changed (mask);
  return TRUE;
}

/**
 * cs_brush_mask_add:
 * @mask: the mask
 * @other: another one
 *
 * Adds the pixels of @other that lie within @mask.
 */
void
cs_brush_mask_add (CsBrushMask * mask, const CsBrushMask * other)
{
  const guint width = MIN (mask->width, other->width);
  const guint height = MIN (mask->height, other->height);
  const guint32 tail = ~(guint32) 0 >> (31 - (width - 1) % 32);
  guint32 any = 0;

  for (guint y = 0; y < height && !other->is_empty; y++) {
    guint32 *to = mask->bits + (gsize) y * mask->stride;
    const guint32 *from = other->bits + (gsize) y * other->stride;

    for (guint i = 0; i <= (width - 1) / 32; i++) {
      const guint32 bits = from[i] & (i == (width - 1) / 32 ? tail :
          ~(guint32) 0);

      to[i] |= bits;
      any |= bits;
    }
  }
  if (any) {
    mask->is_empty = FALSE;
    set_changed (mask);
  }
}

gboolean
cs_brush_mask_contains (const CsBrushMask * mask, double x, double y)
{
  return cs_strokes_is_masked (mask->bits, mask->width, mask->height,
      mask->stride, x, y);
}

gboolean
cs_brush_mask_is_empty (const CsBrushMask * mask)
{
  return mask->is_empty;
}

gboolean
cs_brush_mask_has_size (const CsBrushMask * mask, guint width, guint height)
{
  return mask->width == width && mask->height == height;
}
