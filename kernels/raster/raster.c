/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "raster_private.h"

#include <math.h>
#include <string.h>

#define MAX_SIDE 65536
#define MAX_MARKS (((gsize) 1 << 31) - 1)

struct _CsRaster
{
  CsExecutor *executor;
  const CsRasterBackend *backend;
  void *state;
  CsFillSet fills;
  CsRasterKey fills_key;
  CsRasterKey checked;          /* of marks without groups */
};

void
cs_raster_settings_init (CsRasterSettings * settings)
{
  *settings = (CsRasterSettings) {
    .background = CS_BACKGROUND_FRAME,
    .antialias = TRUE,
    .opacity = 1,
  };
}

static const CsRasterBackend *
find_backend (CsExecutor * executor, GError ** error)
{
  return cs_executor_choose (executor, &cs_raster_cpu_backend,
      CS_IF_CUDA (&cs_raster_cuda_backend), "marks", error);
}

CsRaster *
cs_raster_new (CsExecutor * executor, GError ** error)
{
  const CsRasterBackend *backend = find_backend (executor, error);

  if (!backend)
    return NULL;
  void *state = backend->create (executor, error);
  if (!state)
    return NULL;
  CsRaster *raster = g_new0 (CsRaster, 1);
  raster->executor = executor;
  raster->backend = backend;
  raster->state = state;
  cs_fill_set_init (&raster->fills);
  return raster;
}

void
cs_raster_free (CsRaster * raster)
{
  if (!raster)
    return;
  raster->backend->destroy (raster->state);
  cs_fill_set_clear (&raster->fills);
  g_free (raster);
}

/* --- What a picture is ---------------------------------------------------- */

static guint
n_components (const CsPicture * picture)
{
  return picture->model == CS_PICTURE_GRAY ? 1 : 3;
}

static gboolean
has_alpha (const CsPicture * picture)
{
  return picture->data[CS_PICTURE_ALPHA] != NULL;
}

static gboolean
check_samples (const CsPicture * picture, GError ** error)
{
  const gboolean is_wide = picture->type == CS_SAMPLE_U16;

  if (picture->type != CS_SAMPLE_U8 && !is_wide)
    return cs_error (error, CS_ERROR_INVALID, "marks are painted on samples of "
        "8 or 16 bits, not of type %d", picture->type);
  if (picture->depth < 8 || picture->shift > 8 ||
      picture->depth + picture->shift > (is_wide ? 16 : 8))
    return cs_error (error, CS_ERROR_INVALID,
        "%u significant bits and %u below them do not fit into samples of %u",
        picture->depth, picture->shift, is_wide ? 16 : 8);
  return TRUE;
}

static gboolean
check_picture (const CsPicture * picture, GError ** error)
{
  if (picture->model > CS_PICTURE_RGB)
    return cs_error (error, CS_ERROR_INVALID, "unknown model %d",
        picture->model);
  if (picture->width == 0 || picture->height == 0)
    return cs_error (error, CS_ERROR_INVALID,
        "a picture of %u x %u has no pixels", picture->width, picture->height);
  if (picture->width > MAX_SIDE || picture->height > MAX_SIDE)
    return cs_error (error, CS_ERROR_LIMIT, "%u x %u pixels: no side may have "
        "more than %d", picture->width, picture->height, MAX_SIDE);
  if (!check_samples (picture, error))
    return FALSE;
  for (guint i = 0; i < n_components (picture); i++) {
    if (!picture->data[i])
      return cs_error (error, CS_ERROR_INVALID,
          "the picture's component %u is missing", i);
  }
  if (picture->sub_x > 1 || picture->sub_y > 1 ||
      (picture->model != CS_PICTURE_YUV && (picture->sub_x ||
              picture->sub_y)))
    return cs_error (error, CS_ERROR_INVALID, "chroma subsampled by 2^%u x "
        "2^%u: only YUV can be, by 1 or 2", picture->sub_x, picture->sub_y);
  return TRUE;
}

static gboolean
same_layout (const CsPicture * a, const CsPicture * b)
{
  return a->model == b->model && a->type == b->type &&
      a->width == b->width && a->height == b->height &&
      a->depth == b->depth && a->shift == b->shift &&
      a->sub_x == b->sub_x && a->sub_y == b->sub_y &&
      a->kr == b->kr && a->kb == b->kb &&
      !a->limited_range == !b->limited_range &&
      !a->premultiplied == !b->premultiplied && has_alpha (a) == has_alpha (b);
}

static gboolean
check_memory (const CsRaster * raster, CsMemory memory, const char *what,
    GError ** error)
{
  const gboolean on_device = memory == CS_MEMORY_DEVICE;
  const gboolean is_cuda =
      cs_executor_get_backend (raster->executor) == CS_BACKEND_CUDA;

  if (on_device == is_cuda)
    return TRUE;
  return cs_error (error, CS_ERROR_INVALID, "the %s is in %s memory, where "
      "this backend does not reach it", what, on_device ? "device" : "host");
}

static gboolean
check_marks (const CsRaster * raster, const CsMarks * marks, GError ** error)
{
  if (marks->n > MAX_MARKS)
    return cs_error (error, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT
        " marks: there may be %" G_GSIZE_FORMAT, marks->n, MAX_MARKS);
  if (marks->n > 0 && !marks->marks)
    return cs_error (error, CS_ERROR_INVALID, "%" G_GSIZE_FORMAT
        " marks without an array of them", marks->n);
  if (marks->n > 0 && marks->memory == CS_MEMORY_DEVICE &&
      !check_memory (raster, marks->memory, "marks' array", error))
    return FALSE;
  return TRUE;
}

/* Fills are merged into the order of marks on the host. */
static gboolean
check_fills (const CsMarks * marks, GError ** error)
{
  if (!marks->fills || (!marks->depths && marks->memory == CS_MEMORY_HOST))
    return TRUE;
  return cs_error (error, CS_ERROR_INVALID, "fills are painted %s",
      marks->depths ? "in the order of the marks, which have no depths then" :
      "between marks in host memory");
}

static gboolean
is_from_0_to (float v, float most)
{
  return v >= 0 && v <= most;
}

static gboolean
check_gradient (const CsGradients * gradients, const CsGradient * g)
{
  if ((guint) g->kind > CS_GRADIENT_LINEAR || g->n_stops == 0 ||
      g->first_stop > gradients->n_stops ||
      g->n_stops > gradients->n_stops - g->first_stop ||
      !is_from_0_to (g->falloff, CS_GRADIENT_MAX_FALLOFF) ||
      !(fabsf (g->x) <= 1) || !(fabsf (g->y) <= 1))
    return FALSE;
  for (guint32 i = 0; i < g->n_stops; i++) {
    const CsGradientStop *stop = &gradients->stops[g->first_stop + i];

    if (!is_from_0_to (stop->at, 1) || (i > 0 && stop->at < stop[-1].at))
      return FALSE;
    for (guint32 j = 0; j < 4; j++) {
      if (!is_from_0_to (stop->color[j], 1))
        return FALSE;
    }
  }
  return TRUE;
}

static gboolean
check_gradients (const CsMarks * marks, GError ** error)
{
  const CsGradients *gradients = marks->gradients;

  if (!gradients)
    return TRUE;
  if (marks->memory == CS_MEMORY_DEVICE)
    return cs_error (error, CS_ERROR_INVALID,
        "marks with gradients are taken from host memory");
  if (marks->n > CS_GRADIENT_RUN || gradients->n > CS_GRADIENT_RUN)
    return cs_error (error, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT " marks with %"
        G_GSIZE_FORMAT " gradients: there may be %u", marks->n, gradients->n,
        CS_GRADIENT_RUN);
  for (gsize i = 0; i < gradients->n; i++) {
    if (!check_gradient (gradients, &gradients->gradients[i]))
      return cs_error (error, CS_ERROR_INVALID, "gradient %" G_GSIZE_FORMAT
          " has numbers out of range, or stops that there are not or that "
          "decrease", i);
  }
  return TRUE;
}

static gboolean
check_groups (CsRaster * raster, const CsMarks * marks, GError ** error)
{
  const CsRasterJob job = {.marks = marks };
  CsRasterKey key;

  if (!marks->depths || marks->memory == CS_MEMORY_DEVICE)
    return TRUE;
  cs_raster_job_key (&job, &key);
  if (cs_raster_key_same_marks (&raster->checked, &key))
    return TRUE;
  for (gsize i = 0; i < marks->n; i++) {
    if (marks->marks[i].group != 0 && marks->marks[i].half_width >= 0 &&
        !cs_raster_has_gradient (marks->gradients, &marks->marks[i]))
      return cs_error (error, CS_ERROR_INVALID, "mark %" G_GSIZE_FORMAT
          " is in a group, but the marks have depths; leave one of them out",
          i);
  }
  raster->checked = key;
  return TRUE;
}

static gboolean
check_ink (const CsRaster * raster, const CsInk * ink,
    const CsPicture * output, GError ** error)
{
  if (ink->backend != raster->backend)
    return cs_error (error, CS_ERROR_INVALID, "the ink is on another backend");
  if (ink->width != output->width || ink->height != output->height)
    return cs_error (error, CS_ERROR_INVALID,
        "ink of %u x %u pixels does not fit a picture of %u x %u", ink->width,
        ink->height, output->width, output->height);
  return TRUE;
}

static gboolean
check_pictures (const CsRaster * raster, const CsRasterSettings * settings,
    const CsPicture * input, const CsPicture * output, GError ** error)
{
  if (settings->background > CS_BACKGROUND_TRANSPARENT)
    return cs_error (error, CS_ERROR_INVALID, "unknown background %d",
        settings->background);
  if (!check_picture (output, error) ||
      !check_memory (raster, output->memory, "output", error))
    return FALSE;
  if (settings->background != CS_BACKGROUND_FRAME)
    return TRUE;
  if (!input)
    return cs_error (error, CS_ERROR_INVALID,
        "there is no input to paint on; give one or another background");
  if (!check_picture (input, error) ||
      !check_memory (raster, input->memory, "input", error))
    return FALSE;
  if (!same_layout (input, output))
    return cs_error (error, CS_ERROR_INVALID,
        "input and output differ in more than where they lie");
  return TRUE;
}

/* --- The format for kernels ----------------------------------------------- */

static gboolean
set_matrix (CsRasterFormat * f, const CsPicture * picture, GError ** error)
{
  const gboolean limited = picture->limited_range &&
      picture->model != CS_PICTURE_RGB;
  const double max = (1u << picture->depth) - 1;
  const double unit = 1u << (picture->depth - 8);
  double kr = picture->kr, kb = picture->kb, luma, chroma;

  if (picture->model == CS_PICTURE_RGB || (kr == 0 && kb == 0)) {
    kr = .299;
    kb = .114;
  }
  if (!(kr > 0 && kb > 0 && kr + kb < 1))
    return cs_error (error, CS_ERROR_INVALID, "weights of red %g and blue %g "
        "must be above 0 and below 1 together", kr, kb);
  luma = limited ? 219 * unit / max : 1;
  chroma = limited ? 224 * unit / max : 1;
  f->kr = kr;
  f->kb = kb;
  f->kg = 1 - kr - kb;
  f->y_scale = luma;
  f->y_offset = limited ? 16 * unit / max : 0;
  f->c_offset = 128 * unit / max;
  f->cb_scale = chroma * .5 / (1 - kb);
  f->cr_scale = chroma * .5 / (1 - kr);
  return TRUE;
}

/* Black or white as a working colour, and black as components. */
static void
set_background (CsRasterFormat * f, CsBackground background)
{
  const gboolean is_white = background == CS_BACKGROUND_WHITE;
  const gboolean is_nothing = background == CS_BACKGROUND_TRANSPARENT &&
      f->has_alpha;

  for (guint i = 0; i < 3; i++) {
    f->constant[i] = is_white && !is_nothing ? 1 : 0;
    f->black[i] = 0;
  }
  if (f->model == CS_PICTURE_YUV) {
    cs_raster_to_yuv (f, 0, 0, 0, f->black);
    if (!f->linear && !is_nothing)
      cs_raster_to_yuv (f, is_white, is_white, is_white, f->constant);
  } else if (f->model == CS_PICTURE_GRAY) {
    f->black[0] = f->y_offset;
    if (!f->linear && !is_nothing)
      f->constant[0] = cs_raster_unit (f->y_offset + is_white * f->y_scale);
  }
  f->constant_alpha = is_nothing ? 0 : 1;
  f->has_frame = background == CS_BACKGROUND_FRAME;
}

static void
set_planes (const CsPicture * picture, guint8 ** data, gsize * pixel,
    gsize * row)
{
  for (guint i = 0; i < CS_PICTURE_MAX_COMPONENTS; i++) {
    data[i] = picture->data[i];
    pixel[i] = picture->pixel_stride[i];
    row[i] = picture->row_stride[i];
  }
}

static gboolean
set_format (CsRasterFormat * f, const CsRasterSettings * settings,
    const CsPicture * input, const CsPicture * output, GError ** error)
{
  memset (f, 0, sizeof (*f));
  f->model = output->model;
  f->n_components = n_components (output);
  f->n_channels = f->n_components;
  f->has_alpha = has_alpha (output);
  f->premultiplied = f->has_alpha && output->premultiplied;
  f->linear = settings->linear != FALSE;
  f->is_plain = !f->has_alpha && !f->linear;
  f->wide = output->type == CS_SAMPLE_U16;
  f->shift = output->shift;
  f->sub_x = output->sub_x;
  f->sub_y = output->sub_y;
  f->width = output->width;
  f->height = output->height;
  f->antialias = settings->antialias != FALSE;
  f->opacity = settings->opacity > 0 ? MIN (settings->opacity, 1) : 0;
  f->max = (1u << output->depth) - 1;
  f->table_max = output->model == CS_PICTURE_RGB ? (gint) f->max : 65535;
  if (!set_matrix (f, output, error))
    return FALSE;
  set_background (f, settings->background);
  if (f->has_frame)
    set_planes (input, (guint8 **) f->in, f->in_pixel, f->in_row);
  set_planes (output, f->out, f->out_pixel, f->out_row);
  return TRUE;
}

static void
set_ink (CsRasterJob * job, const CsRasterSettings * settings)
{
  CsRasterInk *ink = &job->ink_settings;

  job->ink = settings->ink;
  job->cut = job->marks->n;
  if (!settings->ink)
    return;
  job->cut = MIN (settings->ink_after, job->marks->n);
  job->ink_rgba = settings->ink_rgba;
  ink->after = job->cut;
  ink->now = settings->ink_now;
  ink->fade = settings->ink_fade;
  ink->width = settings->ink->width;
  ink->blocks_per_row = (settings->ink->width + CS_INK_BLOCK - 1) /
      CS_INK_BLOCK;
}

/* Fills as edges, unless those are the last run's. */
static gboolean
set_fills (CsRaster * raster, CsRasterJob * job, GError ** error)
{
  CsRasterKey key;

  if (!job->marks->fills || job->marks->fills->n == 0)
    return TRUE;
  cs_raster_job_key (job, &key);
  job->fills = &raster->fills;
  if (cs_raster_key_equal (&raster->fills_key, &key))
    return TRUE;
  memset (&raster->fills_key, 0, sizeof (raster->fills_key));
  if (!cs_fill_set_update (&raster->fills, job->marks->fills,
          (guint) job->format.width, (guint) job->format.height,
          job->format.antialias, error))
    return FALSE;
  raster->fills_key = key;
  return TRUE;
}

gboolean
cs_raster_run (CsRaster * raster, const CsMarks * marks,
    const CsRasterSettings * settings, const CsPicture * input,
    const CsPicture * output, GError ** error)
{
  CsRasterJob job = {.marks = marks,.output = output };

  if (!check_pictures (raster, settings, input, output, error) ||
      !check_marks (raster, marks, error) ||
      !check_groups (raster, marks, error) ||
      !check_fills (marks, error) || !check_gradients (marks, error) ||
      (settings->ink && !check_ink (raster, settings->ink, output, error)) ||
      !set_format (&job.format, settings, input, output, error))
    return FALSE;
  job.input = job.format.has_frame ? input : NULL;
  set_ink (&job, settings);
  return set_fills (raster, &job, error) &&
      raster->backend->run (raster->state, &job, error);
}

gboolean
cs_raster_get_stats (CsRaster * raster, CsRasterStats * stats, GError ** error)
{
  return raster->backend->get_stats (raster->state, stats, error);
}

/* --- Ink ------------------------------------------------------------------ */

CsInk *
cs_ink_new (CsExecutor * executor, guint width, guint height, GError ** error)
{
  const CsRasterBackend *backend = find_backend (executor, error);

  if (!backend)
    return NULL;
  if (width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_LIMIT, "ink of %u x %u "
        "pixels: each side has 1 to %d", width, height, MAX_SIDE);
  void *state = backend->ink_create (executor, width, height, error);
  if (!state)
    return NULL;
  CsInk *ink = g_new0 (CsInk, 1);
  ink->executor = executor;
  ink->backend = backend;
  ink->state = state;
  ink->width = width;
  ink->height = height;
  if (!cs_ink_clear (ink, error)) {
    cs_ink_free (ink);
    return NULL;
  }
  return ink;
}

void
cs_ink_free (CsInk * ink)
{
  if (!ink)
    return;
  ink->backend->ink_destroy (ink->state);
  g_free (ink);
}

gboolean
cs_ink_clear (CsInk * ink, GError ** error)
{
  return ink->backend->ink_clear (ink->state, error);
}

gboolean
cs_ink_stamp (CsInk * ink, const CsInkSegment * segments, gsize n,
    float half_width, GError ** error)
{
  if (!(half_width > 0) || !isfinite (half_width))
    return cs_error (error, CS_ERROR_INVALID, "half a pen's width of %g pixels "
        "must be above 0 and finite", half_width);
  if (n == 0)
    return TRUE;
  return ink->backend->ink_stamp (ink->state, segments, n, half_width, error);
}
