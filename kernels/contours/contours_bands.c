/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Iso-bands: the plan, which is a backend of contours to its caller and has
 * contours of its own, and the result. */
#include "contours_bands.h"

#include <math.h>

#include "base/ids.h"
#include "contours_cpu.h"
#include "contours_math.h"
#include "contours_measure.h"

/**
 * BorderEdge:
 * @column, @row: of the edge's left or upper sample
 * @vertical: whether its other sample is below, not on the right
 * @backward: valid cells are on the right when it is walked from its right or
 *     lower sample to the left or upper one
 * @from, @to: its left or upper sample, and the other one
 *
 * An edge with a cell on one of its sides only.
 */
typedef struct
{
  guint column, row;
  gboolean vertical, backward;
  double from, to;
} BorderEdge;

typedef struct
{
  const CsContours *plan;
  CsContours *lines;            /* contours of all levels */
  CsBandsCuda *cuda;            /* %NULL on the CPU */
  CsScratch contours, image, mask;
  CsArray border;               /* BorderEdge: of the current channel */
  CsBandRings rings;
  /* the result */
  gsize point_size;
  CsArray points, offsets, records, moments;
  gsize n_dropped;
} Bands;

/* The contours of all levels, and where those of a target are. */
typedef struct
{
  CsContoursInput input;        /* on the host */
  CsImage mask;
  CsContoursOutput output;
  gsize *first;                 /* one more than targets */
} Lines;

/* The contours that bands are made of: all, as they are found. */
static CsContoursParams
get_line_params (const CsContoursParams * params)
{
  CsContoursParams lines = *params;

  lines.bands = FALSE;
  lines.positive_orientation_high = FALSE;
  lines.close_at_border = FALSE;
  lines.hierarchy = FALSE;
  lines.measures = CS_MEASURES_NONE;
  if (lines.points == CS_POINTS_NONE)
    lines.points = CS_POINTS_F32;
  lines.min_points = 0;
  lines.min_area = 0.;
  lines.max_area = INFINITY;
  lines.level_scale = 1.;
  return lines;
}

static void
bands_destroy (void *state)
{
  Bands *bands = state;

  cs_contours_free (bands->lines);
#ifdef HAVE_CUDA
  if (bands->cuda)
    cs_bands_cuda_free (bands->cuda);
#endif
  cs_scratch_clear (&bands->contours);
  cs_scratch_clear (&bands->image);
  cs_scratch_clear (&bands->mask);
  cs_array_clear (&bands->border);
  cs_band_rings_clear (&bands->rings);
  cs_array_clear (&bands->points);
  cs_array_clear (&bands->offsets);
  cs_array_clear (&bands->records);
  cs_array_clear (&bands->moments);
  g_free (bands);
}

static void *
bands_create (const CsContours * plan, GError ** error)
{
  const CsContoursParams params = get_line_params (&plan->params);
  Bands *bands = g_new0 (Bands, 1);

  bands->plan = plan;
  bands->point_size = cs_point_size (params.points);
  cs_array_init (&bands->border, sizeof (BorderEdge));
  cs_band_rings_init (&bands->rings, params.points);
  cs_array_init (&bands->points, bands->point_size);
  cs_array_init (&bands->offsets, sizeof (guint32));
  cs_array_init (&bands->records, sizeof (CsContour));
  cs_array_init (&bands->moments, sizeof (CsContourMoments));
#ifdef HAVE_CUDA
  if (cs_executor_get_backend (plan->executor) == CS_BACKEND_CUDA)
    bands->cuda = cs_bands_cuda_new (plan->executor);
#endif
  bands->lines = cs_contours_new_by (cs_contours_choose_lines, &params,
      plan->executor, error);
  if (!bands->lines) {
    bands_destroy (bands);
    return NULL;
  }
  return bands;
}

/* What has changed needs no new state of the contours' backend, and has been
 * checked. */
static void
bands_update (void *state)
{
  Bands *bands = state;
  const CsContoursParams params = get_line_params (&bands->plan->params);

  cs_contours_set_params (bands->lines, &params, NULL);
}

static gboolean
bands_warm_up (void *state, const CsContoursView * view, GError ** error)
{
  return cs_contours_warm_up (((Bands *) state)->lines, &view->input.image, 1,
      error);
}

/* Contours */

static void *
alloc_lines (void *user_data, gsize size, gboolean host)
{
  Bands *bands = user_data;

#ifdef HAVE_CUDA
  if (bands->cuda)
    return cs_bands_cuda_alloc (bands->cuda, size, host);
#endif
  return cs_scratch_ensure (&bands->contours, size, NULL);
}

/* Has the samples on the host. */
static gboolean
find_input (Bands * bands, const CsContoursInput * input, Lines * lines,
    GError ** error)
{
  lines->input = *input;
#ifdef HAVE_CUDA
  if (input->image.memory == CS_MEMORY_DEVICE && !cs_bands_cuda_download
      (bands->cuda, &input->image, &bands->image, &lines->input.image, error))
    return FALSE;
  if (input->mask && input->mask->memory == CS_MEMORY_DEVICE) {
    CsImage mask = *input->mask;

    mask.channels = 1;
    lines->input.mask = &lines->mask;
    return cs_bands_cuda_download (bands->cuda, &mask, &bands->mask,
        &lines->mask, error);
  }
#endif
  return TRUE;
}

/* Contours are ordered by target. */
static void
find_targets (const Bands * bands, Lines * lines)
{
  const CsContoursParams *params = &bands->plan->params;
  const CsContoursOutput *output = &lines->output;
  gsize i = 0;
  guint t;

  for (t = 0; t < params->n_targets; t++) {
    const CsContoursTarget *target = &params->targets[t];

    lines->first[t] = i;
    while (i < output->n_contours && output->contours[i].level ==
        target->level && output->contours[i].class_id ==
        (gint32) target->channel)
      i++;
  }
  lines->first[t] = i;
}

static gsize
count_points (const Lines * lines, guint target)
{
  const guint32 *offsets = lines->output.offsets;

  return offsets[lines->first[target + 1]] - offsets[lines->first[target]];
}

static void
add_lines (Bands * bands, const Lines * lines, guint target, gboolean reversed)
{
  const CsContoursOutput *output = &lines->output;

  for (gsize i = lines->first[target]; i < lines->first[target + 1]; i++)
    cs_band_rings_add_line (&bands->rings, (const guint8 *) output->points +
        output->offsets[i] * bands->point_size,
        output->offsets[i + 1] - output->offsets[i], reversed);
}

/* Border */

/* How far along @edge the band between @low and @high begins or ends: at its
 * sample @at, if that is in the band, or where it crosses a level. */
static double
get_end (const BorderEdge * edge, double at, double position, double low,
    double high)
{
  if (at > high)
    return cs_crossing_fraction (edge->from, edge->to, high);
  if (at > low)
    return position;
  return cs_crossing_fraction (edge->from, edge->to, low);
}

/* A line around the square between a corner of the picture and the centre of its
 * pixel, with the square on its right; the corner is (@dx, @dy) from (@x, @y). */
static void
add_corner (Bands * bands, double x, double y, double dx, double dy)
{
  const gboolean swap = dx * dy < 0.;
  const double ax = swap ? x : x + dx, ay = swap ? y + dy : y;
  const double bx = swap ? x + dx : x, by = swap ? y : y + dy;

  cs_band_rings_add_border (&bands->rings, x, y, ax, ay);
  cs_band_rings_add_border (&bands->rings, ax, ay, x + dx, y + dy);
  cs_band_rings_add_border (&bands->rings, x + dx, y + dy, bx, by);
  cs_band_rings_add_border (&bands->rings, bx, by, x, y);
}

/* How far the picture goes beyond pixel @i of @n, which an edge along its border
 * is at. */
static double
get_margin (const Bands * bands, guint i, guint n)
{
  if (!bands->plan->params.close_at_border)
    return 0.;
  return i == 0 ? -.5 : i == n - 1 ? .5 : 0.;
}

/* Those at the ends of @edge, along the picture's upper or lower border. */
static void
add_corners (Bands * bands, const CsContoursInput * input,
    const BorderEdge * edge, double low, double high)
{
  const double dy = get_margin (bands, edge->row, input->image.height);
  const double x = (double) input->origin_x + edge->column;
  const double y = (double) input->origin_y + edge->row;

  if (edge->vertical || dy == 0.)
    return;
  if (edge->column == 0 && edge->from > low && edge->from <= high)
    add_corner (bands, x, y, -.5, dy);
  if (edge->column == input->image.width - 2 && edge->to > low &&
      edge->to <= high)
    add_corner (bands, x + 1., y, .5, dy);
}

static void
add_border_edge (Bands * bands, const CsContoursInput * input,
    const BorderEdge * edge, double low, double high)
{
  const double x = (double) input->origin_x + edge->column;
  const double y = (double) input->origin_y + edge->row;
  const gboolean vertical = edge->vertical;
  const double margin = vertical ? get_margin (bands, edge->column,
      input->image.width) : get_margin (bands, edge->row, input->image.height);
  const double dx = vertical ? margin : 0., dy = vertical ? 0. : margin;

  if ((edge->from > high && edge->to > high) || (edge->from <= low &&
          edge->to <= low))
    return;
  double from = get_end (edge, edge->from, 0., low, high);
  double to = get_end (edge, edge->to, 1., low, high);
  if (edge->backward) {
    const double other = from;

    from = to;
    to = other;
  }
  const double x0 = x + (vertical ? 0. : from);
  const double y0 = y + (vertical ? from : 0.);
  const double x1 = x + (vertical ? 0. : to);
  const double y1 = y + (vertical ? to : 0.);
  /* lines that two edges share cancel */
  cs_band_rings_add_border (&bands->rings, x0, y0, x0 + dx, y0 + dy);
  cs_band_rings_add_border (&bands->rings, x0 + dx, y0 + dy, x1 + dx, y1 + dy);
  cs_band_rings_add_border (&bands->rings, x1 + dx, y1 + dy, x1, y1);
  add_corners (bands, input, edge, low, high);
}

/* Result */

static gboolean
passes_filters (const CsContoursParams * params, const CsContour * record,
    gsize n_points)
{
  const double area = fabs (record->area);

  return n_points >= params->min_points && area >= params->min_area &&
      area <= params->max_area;
}

/* Appends the corners of @ring, the first one at the end again; as the filled
 * lines run, with low values on their left, or reversed. */
static gboolean
append_points (Bands * bands, const CsBandRing * ring)
{
  const gboolean reversed = bands->plan->params.positive_orientation_high;
  const gsize n = ring->n, first = bands->points.len;

  if (!cs_array_set_size (&bands->points, first + n + 1))
    return FALSE;
  for (gsize i = 0; i <= n; i++)
    cs_band_rings_get_corner (&bands->rings, ring->first +
        (reversed ? n - i : i) % n,
        bands->points.data + (first + i) * bands->point_size);
  return TRUE;
}

/* Appends @ring to the result unless it is filtered out, its outer ring is, or
 * there is no memory; @parent is that ring's index in the result. Returns: its
 * own index, or -1 */
static gint32
append_ring (Bands * bands, const CsContoursInput * input,
    const CsBandRing * ring, const CsContoursTarget * target, gint32 parent)
{
  const CsContoursParams *params = &bands->plan->params;
  const gsize index = bands->records.len, first = bands->points.len;
  const guint32 offset = (guint32) first;
  CsContourMoments moments;
  CsContour record = {
    .id = cs_ids_get (input->first_id, index),
    .parent = parent >= 0 ? cs_ids_get (input->first_id, (guint32) parent) : -1,
    .class_id = (gint32) target->channel,
    .image = input->image_index,
    .flags = CS_CONTOUR_CLOSED | (ring->hole ? CS_CONTOUR_HOLE : 0),
    .level = target->level * params->level_scale,
  };

  if (!append_points (bands, ring))
    return -1;
  cs_contours_measure (bands->points.data + first * bands->point_size,
      bands->rings.format, ring->n + 1, params->measures, &record, &moments);
  if (!passes_filters (params, &record, ring->n + 1)) {
    bands->points.len = first;
    return -1;
  }
  cs_array_append_val (&bands->offsets, offset);
  cs_array_append_val (&bands->records, record);
  if (params->measures == CS_MEASURES_FULL)
    cs_array_append_val (&bands->moments, moments);
  return (gint32) index;
}

static gboolean
append_rings (Bands * bands, const CsContoursInput * input,
    const CsContoursTarget * target, GError ** error)
{
  const CsArray *rings = &bands->rings.ordered;
  gint32 parent = -1, index;

  for (gsize i = 0; i < rings->len; i++) {
    const CsBandRing *ring = &cs_array_index (rings, CsBandRing, i);
    const gboolean is_shell = ring->shell == i;

    /* holes go with their outer ring */
    index = is_shell || parent >= 0 ? append_ring (bands, input, ring, target,
        is_shell ? -1 : parent) : -1;
    if (is_shell)
      parent = index;
    if (index < 0)
      bands->n_dropped++;
  }
  if (bands->points.failed || bands->offsets.failed || bands->records.failed ||
      bands->moments.failed)
    return cs_fail_no_memory (error, "iso-bands");
  if (bands->points.len > G_MAXUINT32 || bands->records.len > G_MAXINT32)
    return cs_error (error, CS_ERROR_LIMIT, "the iso-bands have more than 2^32 "
        "points, or there are more than 2^31");
  return TRUE;
}

/* Of a band: one an edge, or three and four in each corner. */
static gsize
count_border_lines (const Bands * bands)
{
  return bands->plan->params.close_at_border ? 3 * bands->border.len + 16 :
      bands->border.len;
}

/* The band from target @low to the next one. */
static gboolean
find_band (Bands * bands, const Lines * lines, guint low, GError ** error)
{
  const CsContoursTarget *target = &bands->plan->params.targets[low];

  if (!cs_band_rings_begin (&bands->rings, count_points (lines, low) +
          count_points (lines, low + 1) + count_border_lines (bands), error))
    return FALSE;
  add_lines (bands, lines, low, FALSE);
  add_lines (bands, lines, low + 1, TRUE);
  for (gsize i = 0; i < bands->border.len; i++)
    add_border_edge (bands, &lines->input, &cs_array_index (&bands->border,
            BorderEdge, i), target[0].level, target[1].level);
  return cs_band_rings_finish (&bands->rings, error) &&
      append_rings (bands, &lines->input, target, error);
}

/* --- Where valid cells end ------------------------------------------------ */

typedef struct
{
  CsImage image;                /* of the channel */
  const CsImage *mask;
  CsArray *edges;
  guint8 *samples;              /* a row of valid ones, in bytes */
  guint8 *gathered;             /* a row, side by side */
  guint8 *above, *below;        /* rows of valid cells */
} Border;

static const guint8 *
get_sample (const Border * border, guint column, guint row)
{
  return (const guint8 *) border->image.data + row * border->image.row_stride +
      column * border->image.pixel_stride;
}

static void
add_edge (Border * border, guint column, guint row, gboolean vertical,
    gboolean backward)
{
  const CsSampleType type = border->image.type;
  const BorderEdge edge = { column, row, vertical, backward,
    cs_sample_load (get_sample (border, column, row), type),
    cs_sample_load (get_sample (border, column + !vertical,
            row + vertical), type)
  };

  cs_array_append_val (border->edges, edge);
}

/* The valid samples of @row. */
static void
find_valid (Border * border, guint row, guint8 * valid)
{
  const CsImage *image = &border->image, *mask = border->mask;

  cs_row_gather (image->type, get_sample (border, 0, row),
      image->pixel_stride, image->width, border->gathered);
  cs_row_valid (image->type, border->gathered, image->width, mask ?
      (const guint8 *) mask->data + row * mask->row_stride : NULL,
      mask ? mask->pixel_stride : 0, 1, valid);
}

/* The valid cells of @row, whose upper samples' are in samples; the lower ones'
 * are there afterwards. */
static void
find_cells (Border * border, guint row, guint8 * cells)
{
  const guint n = border->image.width - 1;
  guint8 *upper = border->samples;

  for (guint i = 0; i < n; i++)
    cells[i] = upper[i] & upper[i + 1];
  find_valid (border, row + 1, upper);
  for (guint i = 0; i < n; i++)
    cells[i] &= upper[i] & upper[i + 1];
}

static void
add_edges_of_row (Border * border, guint row)
{
  const guint n = border->image.width - 1;

  for (guint i = 0; i < n; i++) {
    if (border->above[i] != border->below[i])
      add_edge (border, i, row, FALSE, border->above[i]);
  }
  for (guint i = 0; i <= n && row + 1 < border->image.height; i++) {
    const gboolean left = i > 0 && border->below[i - 1];
    const gboolean right = i < n && border->below[i];

    if (left != right)
      add_edge (border, i, row, TRUE, right);
  }
}

static void
walk_rows (Border * border)
{
  const guint height = border->image.height;

  find_valid (border, 0, border->samples);
  for (guint row = 0; row < height; row++) {
    guint8 *other = border->above;

    border->above = border->below;
    border->below = other;
    if (row + 1 < height)
      find_cells (border, row, border->below);
    else
      memset (border->below, 0, border->image.width);
    add_edges_of_row (border, row);
  }
}

/* All cells are valid. */
static void
walk_around (Border * border)
{
  const guint right = border->image.width - 1;
  const guint bottom = border->image.height - 1;

  for (guint i = 0; i < right; i++) {
    add_edge (border, i, 0, FALSE, FALSE);
    add_edge (border, i, bottom, FALSE, TRUE);
  }
  for (guint i = 0; i < bottom; i++) {
    add_edge (border, 0, i, TRUE, TRUE);
    add_edge (border, right, i, TRUE, FALSE);
  }
}

/* Appends the edges where the cells of @channel end that have no invalid
 * corner. @image and @mask, or %NULL, are on the host. Returns: FALSE without
 * memory */
static gboolean
find_border (const CsImage * image, const CsImage * mask,
    guint channel, CsArray * edges)
{
  Border border = {.image = *image,.mask = mask,.edges = edges };
  const gsize width = image->width;

  border.image.data = (const guint8 *) image->data +
      channel * image->channel_stride;
  if (!mask && image->type <= CS_SAMPLE_U16) {
    walk_around (&border);
    return !edges->failed;
  }
  g_autofree guint8 *memory =
      cs_try_new0 (guint8, width * (3 + sizeof (gdouble)));
  if (!memory)
    return FALSE;
  border.gathered = memory;
  border.samples = memory + width * sizeof (gdouble);
  border.above = border.samples + width;
  border.below = border.above + width;
  walk_rows (&border);
  return !edges->failed;
}

static gboolean
find_bands (Bands * bands, const Lines * lines, GError ** error)
{
  const CsContoursParams *params = &bands->plan->params;
  const CsContoursTarget *targets = params->targets;

  for (guint t = 0; t + 1 < params->n_targets; t++) {
    if (t == 0 || targets[t].channel != targets[t - 1].channel) {
      cs_array_empty (&bands->border);
      if (!find_border (&lines->input.image, lines->input.mask,
              targets[t].channel, &bands->border))
        return cs_fail_no_memory (error, "the border of iso-bands");
      if (!cs_contours_check_cost (bands->plan, &lines->input.image,
              (guint64) lines->output.n_segments * CS_CONTOURS_BAND_SEGMENTS +
              (guint64) count_border_lines (bands) *
              CS_CONTOURS_BORDER_SEGMENTS, error))
        return FALSE;
    }
    if (targets[t].channel == targets[t + 1].channel &&
        !find_band (bands, lines, t, error))
      return FALSE;
  }
  return TRUE;
}

/* The result into the caller's memory. */
static gboolean
write_output (Bands * bands, CsContoursOutput * output, GError ** error)
{
  const CsContoursParams *params = &bands->plan->params;
  const guint32 end = (guint32) bands->points.len;
  const gsize n = bands->records.len;
  CsContoursLayout layout;

  if (!cs_array_append_val (&bands->offsets, end))
    return cs_fail_no_memory (error, "iso-bands");
  cs_contours_layout (params->points, params->measures, n, end, &layout);
  guint8 *memory = output->alloc (output->user_data, layout.size, TRUE);
  if (!memory)
    return cs_fail_no_memory (error, "iso-bands");
  output->offsets = (guint32 *) (memory + layout.offsets);
  output->contours = (CsContour *) (memory + layout.contours);
  memcpy (output->offsets, bands->offsets.data, (n + 1) * sizeof (guint32));
  if (params->points != CS_POINTS_NONE)
    output->points = memory + layout.points;
  if (params->measures == CS_MEASURES_FULL)
    output->moments = (CsContourMoments *) (memory + layout.moments);
  if (n > 0) {
    memcpy (output->contours, bands->records.data, n * sizeof (CsContour));
    if (output->points)
      memcpy (output->points, bands->points.data, end * bands->point_size);
    if (output->moments)
      memcpy (output->moments, bands->moments.data,
          n * sizeof (CsContourMoments));
  }
  output->n_contours = n;
  output->n_points = end;
  output->n_dropped = bands->n_dropped;
  return TRUE;
}

static gboolean
bands_run (void *state, const CsContoursView * view,
    CsContoursOutput * output, GError ** error)
{
  const CsContoursInput *input = &view->input;
  Bands *bands = state;
  Lines lines = {.output = {.alloc = alloc_lines,.user_data = bands,
          .want_host = TRUE}
  };
  CsContoursInput line_input = *input;
  gboolean ok;

  line_input.first_id = 0;
  cs_array_empty (&bands->points);
  cs_array_empty (&bands->offsets);
  cs_array_empty (&bands->records);
  cs_array_empty (&bands->moments);
  bands->n_dropped = 0;
  if (!cs_contours_run (bands->lines, &line_input, &lines.output, error) ||
      !find_input (bands, input, &lines, error))
    return FALSE;
  lines.first = g_new (gsize, bands->plan->params.n_targets + 1);
  find_targets (bands, &lines);
  ok = find_bands (bands, &lines, error) && write_output (bands, output, error);
  g_free (lines.first);
  output->n_segments = lines.output.n_segments;
  output->n_overwritten = lines.output.n_overwritten;
  return ok;
}

const CsContoursBackend cs_contours_bands_backend = {
  .create = bands_create,
  .update = bands_update,
  .warm_up = bands_warm_up,
  .run = bands_run,
  .destroy = bands_destroy,
};
