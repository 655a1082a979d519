/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contours_oracle.h"

#include <math.h>
#include <string.h>

#include "contours_oracle_planes.h"
#include "contours_parents.h"

typedef struct
{
  double x, y;
} Point;

/* Edge identifiers: 2 * pixel for the edge from a pixel to its right neighbour,
 * 2 * pixel + 1 for the edge to its lower neighbour. */
typedef struct
{
  gsize from_edge, to_edge;
  Point from, to;
  guint row, column;            /* of the cell */
  gssize next, previous;        /* -1: none */
  gssize contour;
} Segment;

/* All the state of one target. */
typedef struct
{
  const CsContoursParams *params;
  const CsContoursInput *input;
  guint width, height, channel;
  double level, min_area, max_area;
  double *samples;
  gboolean *valid;
  GArray *segments;             /* Segment, in raster order */
  gsize n_overwritten;
} Target;

/* A contour before filters. */
typedef struct
{
  gssize first_segment;         /* first in raster order */
  GArray *points;               /* Point */
  gboolean closed, kept;
  gssize parent;
  gint32 id;
  CsContour record;
  CsContourMoments moments;
} Contour;

/* Samples */

static double
half_value (guint16 half)
{
  const int sign = half >> 15, exponent = (half >> 10) & 31;
  const int mantissa = half & 1023;
  double value;

  if (exponent == 31)
    value = mantissa ? NAN : INFINITY;
  else if (exponent == 0)
    value = ldexp (mantissa, -24);
  else
    value = ldexp (1024 + mantissa, exponent - 25);
  return sign ? -value : value;
}

double
oracle_sample (const CsImage * image, guint channel, guint row, guint column)
{
  const guint8 *at = (const guint8 *) image->data +
      row * image->row_stride + column * image->pixel_stride +
      channel * image->channel_stride;

  switch (image->type) {
    case CS_SAMPLE_U8:
      return *at;
    case CS_SAMPLE_U16:
      return *(const guint16 *) at;
    case CS_SAMPLE_F16:
      return half_value (*(const guint16 *) at);
    case CS_SAMPLE_F32:
      return *(const float *) at;
    default:
      return *(const double *) at;
  }
}

static void
read_samples (Target * target)
{
  const CsContoursInput *input = target->input;
  double low = INFINITY, high = -INFINITY;
  gboolean any = FALSE;

  for (guint r = 0; r < target->height; r++) {
    for (guint c = 0; c < target->width; c++) {
      const gsize i = (gsize) r * target->width + c;
      const double v = oracle_sample (&input->image, target->channel, r, c);

      target->samples[i] = v;
      target->valid[i] = !isnan (v) && (!input->mask ||
          oracle_sample (input->mask, 0, r, c) != 0.);
      if (!target->valid[i])
        continue;
      any = TRUE;
      low = v < low ? v : low;
      high = v > high ? v : high;
    }
  }
  if (target->params->auto_level)
    target->level = any ? (low + high) / 2. : 0.;
}

/* Segments */

/* The point on the edge between two neighbouring pixels; the first is the left
 * or upper one. */
static double
cross_edge (double from_coordinate, double from, double to, double level)
{
  double t;

  if (isinf (from) || isinf (to))
    t = .5;
  else if (isinf (to - from))
    t = (level / 2. - from / 2.) / (to / 2. - from / 2.);
  else
    t = from == to ? 0. : (level - from) / (to - from);
  return from_coordinate + t;
}

static gsize
edge_of (const Target * target, guint row, guint column, char name)
{
  const gsize pixel = (gsize) row * target->width + column;

  switch (name) {
    case 'T':
      return 2 * pixel;
    case 'B':
      return 2 * (pixel + target->width);
    case 'L':
      return 2 * pixel + 1;
    default:
      return 2 * (pixel + 1) + 1;
  }
}

static Point
point_on (const Target * target, gsize edge)
{
  const gsize pixel = edge / 2;
  const gboolean down = edge % 2;
  const gsize other = pixel + (down ? target->width : 1);
  const double x = (double) target->input->origin_x + pixel % target->width;
  const double y = (double) target->input->origin_y + pixel / target->width;
  const double from = target->samples[pixel], to = target->samples[other];
  Point point = { x, y };

  if (down)
    point.y = cross_edge (y, from, to, target->level);
  else
    point.x = cross_edge (x, from, to, target->level);
  return point;
}

static void
add_segment (Target * target, guint row, guint column, const char *edges)
{
  Segment segment = { 0, };

  segment.from_edge = edge_of (target, row, column, edges[0]);
  segment.to_edge = edge_of (target, row, column, edges[1]);
  segment.from = point_on (target, segment.from_edge);
  segment.to = point_on (target, segment.to_edge);
  segment.row = row;
  segment.column = column;
  segment.next = segment.previous = segment.contour = -1;
  if (segment.from.x == segment.to.x && segment.from.y == segment.to.y)
    return;
  g_array_append_val (target->segments, segment);
}

static void
add_cell (Target * target, guint row, guint column)
{
  static const char *const one[16] = {
    NULL, "TL", "RT", "RL", "LB", "TB", NULL, "RB",
    "BR", NULL, "BT", "BL", "LR", "TR", "LT", NULL
  };
  const gsize ul = (gsize) row * target->width + column;
  const gsize corners[4] = { ul, ul + 1, ul + target->width,
    ul + target->width + 1
  };
  const gboolean high = target->params->fully_connected_high;
  guint cell_case = 0, i;

  for (i = 0; i < 4; i++) {
    if (!target->valid[corners[i]])
      return;
    if (target->samples[corners[i]] > target->level)
      cell_case |= 1u << i;
  }
  if (cell_case == 6) {
    add_segment (target, row, column, high ? "LT" : "RT");
    add_segment (target, row, column, high ? "RB" : "LB");
  } else if (cell_case == 9) {
    add_segment (target, row, column, high ? "TR" : "TL");
    add_segment (target, row, column, high ? "BL" : "BR");
  } else if (one[cell_case]) {
    add_segment (target, row, column, one[cell_case]);
  }
}

/* Links */

static Segment *
segment_at (const Target * target, gssize i)
{
  return &g_array_index (target->segments, Segment, i);
}

static void
link_segments (Target * target, gssize before, gssize after)
{
  segment_at (target, before)->next = after;
  segment_at (target, after)->previous = before;
}

static gboolean
is_pixel (Point point)
{
  return point.x == floor (point.x) && point.y == floor (point.y);
}

static gsize
pixel_at (const Target * target, Point point)
{
  return (gsize) (point.y - (double) target->input->origin_y) * target->width +
      (gsize) (point.x - (double) target->input->origin_x);
}

/* By edge if a crossing lies between pixels, by the slot of the pixel if it
 * collapsed onto one. */
static void
link_all (Target * target)
{
  const gsize n_pixels = (gsize) target->width * target->height;
  g_autofree gssize *start_at = g_new (gssize, 2 * n_pixels);
  g_autofree gssize *end_at = g_new (gssize, 2 * n_pixels);
  g_autofree gssize *pending_start = g_new (gssize, n_pixels);
  g_autofree gssize *pending_end = g_new (gssize, n_pixels);

  for (gsize i = 0; i < 2 * n_pixels; i++)
    start_at[i] = end_at[i] = -1;
  for (gsize i = 0; i < n_pixels; i++)
    pending_start[i] = pending_end[i] = -1;

  for (gsize i = 0; i < target->segments->len; i++) {
    const Segment *s = segment_at (target, i);

    if (is_pixel (s->from)) {
      const gsize p = pixel_at (target, s->from);

      if (pending_end[p] >= 0) {
        link_segments (target, pending_end[p], i);
        pending_end[p] = -1;
      } else {
        target->n_overwritten += pending_start[p] >= 0;
        pending_start[p] = i;
      }
    } else {
      start_at[s->from_edge] = i;
    }
    if (is_pixel (s->to)) {
      const gsize p = pixel_at (target, s->to);

      if (pending_start[p] >= 0) {
        link_segments (target, i, pending_start[p]);
        pending_start[p] = -1;
      } else {
        target->n_overwritten += pending_end[p] >= 0;
        pending_end[p] = i;
      }
    } else {
      end_at[s->to_edge] = i;
    }
  }
  for (gsize i = 0; i < 2 * n_pixels; i++)
    if (start_at[i] >= 0 && end_at[i] >= 0)
      link_segments (target, end_at[i], start_at[i]);
}

/* Contours */

static void
reverse_points (GArray * points)
{
  for (guint i = 0; i < points->len / 2; i++) {
    Point *a = &g_array_index (points, Point, i);
    Point *b = &g_array_index (points, Point, points->len - 1 - i);
    const Point t = *a;

    *a = *b;
    *b = t;
  }
}

/* Collects the contour of segment @seed, its first in raster order. */
static void
trace (Target * target, gssize seed, gssize index, Contour * contour)
{
  gssize head = seed, last = seed, i;

  contour->first_segment = seed;
  while (segment_at (target, head)->previous >= 0) {
    head = segment_at (target, head)->previous;
    last = MAX (last, head);
    if (head == seed)
      break;
  }
  contour->closed = segment_at (target, head)->previous >= 0;
  if (contour->closed)
    head = segment_at (target, last)->next;

  contour->points = g_array_new (FALSE, FALSE, sizeof (Point));
  g_array_append_val (contour->points, segment_at (target, head)->from);
  i = head;
  do {
    segment_at (target, i)->contour = index;
    g_array_append_val (contour->points, segment_at (target, i)->to);
    i = segment_at (target, i)->next;
  } while (i >= 0 && i != head);
  if (target->params->positive_orientation_high)
    reverse_points (contour->points);
}

static gboolean
is_hole (const Target * target, const Contour * contour)
{
  const double area = contour->record.area;

  return contour->closed &&
      (target->params->positive_orientation_high ? area > 0. : area < 0.);
}

/* The parents of all contours, before filters. */
static void
find_parents (const Target * target, GArray * contours)
{
  const CsContoursInput *input = target->input;
  g_autofree Line *lines = g_new (Line, target->segments->len);
  g_autofree gboolean *closed = g_new (gboolean, contours->len);
  g_autofree gssize *parents = g_new0 (gssize, contours->len);

  for (gsize i = 0; i < target->segments->len; i++) {
    const Segment *s = segment_at (target, (gssize) i);

    lines[i] = (Line) {
      s->from.x, s->from.y, s->to.x, s->to.y, input->origin_y + s->row,
      input->origin_x + s->column, (gsize) s->contour
    };
  }
  for (gsize i = 0; i < contours->len; i++)
    closed[i] = g_array_index (contours, Contour, i).closed;
  if (!contours_parents (lines, target->segments->len, closed, contours->len,
          parents))
    g_error ("the oracle cannot tell which contour lies in which");
  for (gsize i = 0; i < contours->len; i++)
    g_array_index (contours, Contour, i).parent = parents[i];
}

/* Measures */

/* To single precision and back. Through memory: GCC 12 drops the pair of
 * conversions where it vectorises them. */
static double
round_to_float (double value)
{
  volatile float rounded = (float) value;

  return rounded;
}

/* The coordinates as they are published. */
static void
round_points (CsPointFormat format, GArray * points)
{
  for (guint i = 0; i < points->len && format != CS_POINTS_F64; i++) {
    Point *p = &g_array_index (points, Point, i);

    p->x = round_to_float (p->x);
    p->y = round_to_float (p->y);
  }
}

/* Terms in blocks of 256; lane l of 32 takes every 32nd term; tree reduction of
 * the lanes; blocks are added in order. */
static double
ordered_sum (const double *terms, gsize n)
{
  double sum = 0.;

  for (gsize start = 0; start < n; start += 256) {
    double lane[32] = { 0., };

    for (gsize i = start; i < n && i < start + 256; i++)
      lane[(i - start) % 32] += terms[i];
    for (guint width = 16; width > 0; width /= 2)
      for (gsize i = 0; i < width; i++)
        lane[i] += lane[i + width];
    sum += lane[0];
  }
  return sum;
}

/* A term of the integral of x^p y^q over a polygon, by Green's theorem, times
 * the divisor that goes with it. */
static double
moment_term (int m, Point a, Point b)
{
  const double cross = a.x * b.y - b.x * a.y;

  switch (m) {
    case 0:
      return cross;
    case 1:
      return cross * (a.x + b.x);
    case 2:
      return cross * (a.y + b.y);
    case 3:
      return cross * (a.x * a.x + a.x * b.x + b.x * b.x);
    case 4:
      return cross * (a.x * (2. * a.y + b.y) + b.x * (a.y + 2. * b.y));
    case 5:
      return cross * (a.y * a.y + a.y * b.y + b.y * b.y);
    case 6:
      return cross * ((a.x + b.x) * (a.x * a.x + b.x * b.x));
    case 7:
      return cross * (a.x * a.x * (3. * a.y + b.y) +
          2. * a.x * b.x * (a.y + b.y) + b.x * b.x * (a.y + 3. * b.y));
    case 8:
      return cross * (a.y * a.y * (3. * a.x + b.x) +
          2. * a.y * b.y * (a.x + b.x) + b.y * b.y * (a.x + 3. * b.x));
    default:
      return cross * ((a.y + b.y) * (a.y * a.y + b.y * b.y));
  }
}

static const double moment_divisors[10] =
    { 2., 6., 6., 12., 24., 12., 20., 60., 60., 20. };

typedef enum
{
  SUM_CROSS, SUM_LENGTH, SUM_CROSS_X, SUM_CROSS_Y, SUM_LENGTH_X, SUM_LENGTH_Y,
  SUM_MOMENT
} SumKind;

static double
sum_of (const Contour * contour, SumKind kind, int moment)
{
  const gsize n = contour->points->len - 1;
  const Point first = g_array_index (contour->points, Point, 0);
  g_autofree double *terms = g_new (double, n);
  double sum;

  for (gsize i = 0; i < n; i++) {
    Point a = g_array_index (contour->points, Point, i);
    Point b = g_array_index (contour->points, Point, i + 1);
    double cross, length;

    a.x -= first.x;
    a.y -= first.y;
    b.x -= first.x;
    b.y -= first.y;
    cross = a.x * b.y - b.x * a.y;
    length = sqrt ((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
    terms[i] = kind == SUM_CROSS ? cross : kind == SUM_LENGTH ? length :
        kind == SUM_CROSS_X ? cross * (a.x + b.x) :
        kind == SUM_CROSS_Y ? cross * (a.y + b.y) :
        kind == SUM_LENGTH_X ? length * (a.x + b.x) :
        kind == SUM_LENGTH_Y ? length * (a.y + b.y) :
        moment_term (moment, a, b);
  }
  sum = ordered_sum (terms, n);
  return sum;
}

static void
measure_box (Contour * contour)
{
  CsContour *record = &contour->record;

  record->bbox_x0 = record->bbox_y0 = INFINITY;
  record->bbox_x1 = record->bbox_y1 = -INFINITY;
  for (guint i = 0; i < contour->points->len; i++) {
    const Point p = g_array_index (contour->points, Point, i);

    record->bbox_x0 = MIN (record->bbox_x0, p.x);
    record->bbox_y0 = MIN (record->bbox_y0, p.y);
    record->bbox_x1 = MAX (record->bbox_x1, p.x);
    record->bbox_y1 = MAX (record->bbox_y1, p.y);
  }
}

static void
measure (const CsContoursParams * params, Contour * contour)
{
  CsContour *record = &contour->record;
  const double cross = sum_of (contour, SUM_CROSS, 0);
  Point centroid = g_array_index (contour->points, Point, 0);

  record->area = cross / 2.;
  record->solidity = NAN;
  if (params->measures == CS_MEASURES_NONE) {
    record->perimeter = record->centroid_x = record->centroid_y = NAN;
    record->bbox_x0 = record->bbox_y0 = NAN;
    record->bbox_x1 = record->bbox_y1 = NAN;
    return;
  }
  record->perimeter = sum_of (contour, SUM_LENGTH, 0);
  measure_box (contour);
  if (contour->closed && cross != 0.) {
    centroid.x += sum_of (contour, SUM_CROSS_X, 0) / (3. * cross);
    centroid.y += sum_of (contour, SUM_CROSS_Y, 0) / (3. * cross);
  } else if (record->perimeter > 0.) {
    centroid.x += sum_of (contour, SUM_LENGTH_X, 0) / (2. * record->perimeter);
    centroid.y += sum_of (contour, SUM_LENGTH_Y, 0) / (2. * record->perimeter);
  }
  record->centroid_x = CLAMP (centroid.x, record->bbox_x0, record->bbox_x1);
  record->centroid_y = CLAMP (centroid.y, record->bbox_y0, record->bbox_y1);
  for (int m = 0; m < 10 && params->measures == CS_MEASURES_FULL; m++)
    contour->moments.m[m] = sum_of (contour, SUM_MOMENT, m) /
        moment_divisors[m];
}

/* Results */

static void
find_contours (Target * target, GArray * contours)
{
  for (guint r = 0; r + 1 < target->height; r++)
    for (guint c = 0; c + 1 < target->width; c++)
      add_cell (target, r, c);
  link_all (target);
  for (gsize i = 0; i < target->segments->len; i++) {
    Contour contour = { 0, };

    if (segment_at (target, i)->contour >= 0)
      continue;
    trace (target, i, contours->len, &contour);
    round_points (target->params->points, contour.points);
    measure (target->params, &contour);
    g_array_append_val (contours, contour);
  }
}

static gboolean
passes_filters (const Target * target, const Contour * contour)
{
  const CsContoursParams *params = target->params;
  const double size = fabs (contour->record.area);

  return contour->points->len >= params->min_points &&
      size >= params->min_area && size <= params->max_area &&
      size >= target->min_area && size <= target->max_area;
}

static void
append_points (const CsContoursParams * params, const Contour * contour,
    GArray * f32, GArray * f64)
{
  for (guint i = 0; i < contour->points->len; i++) {
    const Point p = g_array_index (contour->points, Point, i);
    const float xy[2] = { (float) p.x, (float) p.y };

    if (params->points == CS_POINTS_F32)
      g_array_append_val (f32, xy);
    else if (params->points == CS_POINTS_F64)
      g_array_append_val (f64, p);
  }
}

/* Appends the target's contours that pass the filters. */
static void
collect (Target * target, GArray * contours, OracleResult * result,
    GArray * f32, GArray * f64, GArray * offsets, GArray * records,
    GArray * moments)
{
  const CsContoursParams *params = target->params;

  for (gsize i = 0; i < contours->len; i++) {
    Contour *contour = &g_array_index (contours, Contour, i);

    contour->kept = passes_filters (target, contour);
    contour->id = contour->kept ?
        target->input->first_id + (gint32) result->n_contours : -1;
    if (!contour->kept) {
      result->n_dropped++;
      continue;
    }
    result->n_contours++;
    result->n_points += contour->points->len;
  }
  for (gsize i = 0; i < contours->len; i++) {
    Contour *contour = &g_array_index (contours, Contour, i);

    if (!contour->kept)
      continue;
    contour->record.id = contour->id;
    contour->record.parent = -1;
    contour->record.class_id = (gint32) target->channel;
    contour->record.image = target->input->image_index;
    contour->record.flags = (contour->closed ? CS_CONTOUR_CLOSED : 0) |
        (is_hole (target, contour) ? CS_CONTOUR_HOLE : 0);
    contour->record.level = target->level;
    if (params->hierarchy && contour->parent >= 0)
      contour->record.parent =
          g_array_index (contours, Contour, contour->parent).id;
    append_points (params, contour, f32, f64);
    guint32 end = g_array_index (offsets, guint32, offsets->len - 1) +
        contour->points->len;
    g_array_append_val (offsets, end);
    g_array_append_val (records, contour->record);
    g_array_append_val (moments, contour->moments);
  }
}

static void
clear_contour (gpointer data)
{
  g_array_unref (((Contour *) data)->points);
}

static void
run_target (const CsContoursParams * params, const CsContoursInput * input,
    guint index, OracleResult * result, GArray * f32, GArray * f64,
    GArray * offsets, GArray * records, GArray * moments)
{
  const gsize n_pixels = (gsize) input->image.width * input->image.height;
  g_autoptr (GArray) contours = g_array_new (FALSE, FALSE, sizeof (Contour));
  Target target = {
    .params = params,
    .input = input,
    .width = input->image.width,
    .height = input->image.height,
    .channel = params->targets[index].channel,
    .level = params->targets[index].level,
    .min_area = params->area_limits ? params->area_limits[index].min_area : 0.,
    .max_area = params->area_limits ? params->area_limits[index].max_area :
        INFINITY,
    .samples = g_new (double, n_pixels),
    .valid = g_new (gboolean, n_pixels),
    .segments = g_array_new (FALSE, FALSE, sizeof (Segment)),
  };

  g_array_set_clear_func (contours, clear_contour);
  read_samples (&target);
  find_contours (&target, contours);
  if (params->hierarchy)
    find_parents (&target, contours);
  result->n_segments += target.segments->len;
  result->n_overwritten += target.n_overwritten;
  collect (&target, contours, result, f32, f64, offsets, records, moments);
  g_array_unref (target.segments);
  g_free (target.samples);
  g_free (target.valid);
}

/* One more row or column of samples of minus infinity at each side. */
static double *
bordered_plane (const CsImage * image, guint channel, double outside)
{
  const gsize width = image->width + 2, height = image->height + 2;
  double *plane = g_new (double, width * height);

  for (gsize r = 0; r < height; r++)
    for (gsize c = 0; c < width; c++) {
      const gboolean inside = r > 0 && r < height - 1 && c > 0 && c < width - 1;

      plane[r * width + c] = inside ?
          oracle_sample (image, channel, (guint) r - 1, (guint) c - 1) :
          outside;
    }
  return plane;
}

/* The midrange of a channel, of the samples alone. */
static double
middle_of (const CsContoursInput * input, guint channel)
{
  double low = INFINITY, high = -INFINITY;

  for (guint r = 0; r < input->image.height; r++)
    for (guint c = 0; c < input->image.width; c++) {
      const double v = oracle_sample (&input->image, channel, r, c);

      if (isnan (v) || (input->mask && oracle_sample (input->mask, 0, r,
                  c) == 0.))
        continue;
      low = MIN (low, v);
      high = MAX (high, v);
    }
  return low > high ? 0. : (low + high) / 2.;
}

/* By definition: the contours of a larger image. */
static void
run_bordered (const CsContoursParams * params, const CsContoursInput * input,
    OracleResult * result)
{
  const gsize n = (input->image.width + 2ul) * (input->image.height + 2ul);
  g_autofree double *samples = g_new (double, n * input->image.channels);
  g_autofree CsContoursTarget *targets = g_memdup2 (params->targets,
      params->n_targets * sizeof (*targets));
  CsContoursParams bordered_params = *params;
  CsContoursInput bordered = *input;
  CsImage mask;
  g_autofree guint8 *valid = NULL;
  double *plane;

  for (guint k = 0; k < input->image.channels; k++) {
    plane = bordered_plane (&input->image, k, -INFINITY);
    memcpy (samples + k * n, plane, n * sizeof (double));
    g_free (plane);
  }
  bordered.image = cs_image_gray (samples, CS_SAMPLE_F64,
      input->image.width + 2, input->image.height + 2,
      (input->image.width + 2ul) * sizeof (double));
  bordered.image.channels = input->image.channels;
  bordered.image.channel_stride = n * sizeof (double);
  bordered.origin_x--;
  bordered.origin_y--;
  if (input->mask) {
    plane = bordered_plane (input->mask, 0, 1.);
    valid = g_new (guint8, n);
    for (gsize i = 0; i < n; i++)
      valid[i] = plane[i] != 0.;
    g_free (plane);
    mask = cs_image_gray (valid, CS_SAMPLE_U8, bordered.image.width,
        bordered.image.height, bordered.image.width);
    bordered.mask = &mask;
  }
  bordered_params.close_at_border = FALSE;
  bordered_params.targets = targets;
  for (guint k = 0; params->auto_level && k < params->n_targets; k++)
    targets[k].level = middle_of (input, targets[k].channel);
  bordered_params.auto_level = FALSE;
  oracle_run (&bordered_params, &bordered, result);
}

/* By definition: the contours of an image whose channels are what the targets
 * are contours of. */
static void
run_planes (const CsContoursParams * params, const CsContoursInput * input,
    OracleResult * result)
{
  const gsize n = (gsize) input->image.width * input->image.height;
  g_autofree CsContoursTarget *targets = g_new (CsContoursTarget,
      params->n_targets);
  g_autofree double *samples = g_new (double, n * params->n_targets);
  CsContoursParams plain = *params;
  CsContoursInput planes = *input;

  plain.targets = targets;
  plain.groups = NULL;
  plain.exclusive = FALSE;
  plain.adaptive_window = 0;
  for (guint t = 0; t < params->n_targets; t++) {
    g_autofree double *plane = oracle_plane (params, &input->image, t);

    targets[t] = (CsContoursTarget) {
    t, params->targets[t].level};
    if (params->exclusive || params->adaptive_window)
      targets[t].level = 0.;
    if (params->auto_level && params->auto_method == CS_AUTO_LEVEL_OTSU) {
      targets[t].level = oracle_otsu (params, input, t, plane);
      plain.auto_level = FALSE;
    }
    memcpy (samples + t * n, plane, n * sizeof (double));
  }
  plain.auto_method = CS_AUTO_LEVEL_MIDRANGE;
  planes.image = cs_image_gray (samples, CS_SAMPLE_F64, input->image.width,
      input->image.height, input->image.width * sizeof (double));
  planes.image.channels = params->n_targets;
  planes.image.channel_stride = n * sizeof (double);
  oracle_run (&plain, &planes, result);
  for (gsize i = 0; i < result->n_contours; i++)
    result->contours[i].class_id =
        oracle_class (params, (guint) result->contours[i].class_id);
}

static void
run_targets (const CsContoursParams * params, const CsContoursInput * input,
    OracleResult * result)
{
  GArray *f32 = g_array_new (FALSE, FALSE, 2 * sizeof (float));
  GArray *f64 = g_array_new (FALSE, FALSE, sizeof (Point));
  GArray *offsets = g_array_new (FALSE, FALSE, sizeof (guint32));
  GArray *records = g_array_new (FALSE, FALSE, sizeof (CsContour));
  GArray *moments = g_array_new (FALSE, FALSE, sizeof (CsContourMoments));
  const guint32 zero = 0;

  memset (result, 0, sizeof (*result));
  g_array_append_val (offsets, zero);
  for (guint i = 0; i < params->n_targets; i++)
    run_target (params, input, i, result, f32, f64, offsets, records, moments);

  if (params->points == CS_POINTS_F32)
    result->points = g_array_free (f32, FALSE);
  else
    g_array_unref (f32);
  if (params->points == CS_POINTS_F64)
    result->points = g_array_free (f64, FALSE);
  else
    g_array_unref (f64);
  result->offsets = (guint32 *) g_array_free (offsets, FALSE);
  result->contours = (CsContour *) g_array_free (records, FALSE);
  if (params->measures == CS_MEASURES_FULL)
    result->moments = (CsContourMoments *) g_array_free (moments, FALSE);
  else
    g_array_unref (moments);
}

void
oracle_run (const CsContoursParams * params, const CsContoursInput * input,
    OracleResult * result)
{
  if (oracle_has_planes (params))
    run_planes (params, input, result);
  else if (params->close_at_border)
    run_bordered (params, input, result);
  else
    run_targets (params, input, result);
}

void
oracle_clear (OracleResult * result)
{
  g_free (result->points);
  g_free (result->offsets);
  g_free (result->contours);
  g_free (result->moments);
  memset (result, 0, sizeof (*result));
}
