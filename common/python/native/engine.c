/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "call.h"

#include <math.h>

#include "llf/llf_cache.h"
#ifdef HAVE_CUDA
#include "base/cuda_memory.h"
#endif

/* As cudashapes' Python code has them. */
#define FLAG_CONNECTED_HIGH (1u << 0)
#define FLAG_ORIENTATION_HIGH (1u << 1)
#define FLAG_ROWS_FIRST (1u << 2)
#define FLAG_BANDS (1u << 3)
#define FLAG_SINGLE (1u << 4)

static PyObject *
engine_new (PyTypeObject * type, PyObject * args, PyObject * kwargs)
{
  GError *error = NULL;
  CsGpu *gpu = NULL;
  int device, is_auto;

  /* device: -1 for the CPU */
  if (!PyArg_ParseTuple (args, "ip", &device, &is_auto))
    return NULL;
  if (device >= 0) {
    Py_BEGIN_ALLOW_THREADS;
    gpu = cs_gpu_open (device, &error);
    Py_END_ALLOW_THREADS;
    if (!gpu)
      return cs_raise (error);
  }
  CsEngine *engine = (CsEngine *) PyType_GenericAlloc (type, 0);
  if (!engine)
    return NULL;
  engine->gpu = gpu;
  engine->workers = cs_workers_new (gpu ? &cs_gpu_ops : NULL, gpu, is_auto);
  return (PyObject *) engine;
}

static void
engine_dealloc (CsEngine * engine)
{
  PyTypeObject *type = Py_TYPE ((PyObject *) engine);

  if (!engine->gpu || cs_gpu_is_usable (NULL))
    cs_workers_free (engine->workers);
  PyObject_Free (engine);
  Py_DECREF (type);
}

/* What a worker may have seen before, so far as it is known before the array is
 * taken. */
static gboolean
guess_shape (PyObject * object, CsImage * image)
{
  PyObject *shape = PyObject_GetAttrString (object, "shape");
  const Py_ssize_t n = shape ? PySequence_Size (shape) : -1;
  guint sizes[3] = { 0, 0, 1 };

  for (Py_ssize_t i = 0; i < MIN (n, 3); i++) {
    PyObject *item = PySequence_GetItem (shape, i);

    sizes[i] = item ? PyLong_AsLong (item) : 0;
    Py_XDECREF (item);
  }
  Py_XDECREF (shape);
  PyErr_Clear ();
  *image = (CsImage) {
    .height = sizes[0],
    .width = sizes[1],
    .channels = sizes[2],
  };
  return n >= 2;
}

/* Contours */

static void
set_targets (CsContoursParams * params, const double *levels, guint n_levels,
    CsContoursTarget * targets)
{
  for (guint i = 0; i < params->n_targets; i++) {
    targets[i].channel = params->bands ? i / n_levels : i;
    targets[i].level = n_levels == 0 ? 0. :
        levels[params->bands ? i % n_levels : n_levels > 1 ? i : 0];
  }
  params->targets = targets;
}

static gboolean
check_levels (const Py_buffer * levels, guint channels, gboolean bands)
{
  const gsize n = levels->len / sizeof (double);

  if (bands ? n >= 2 && n < G_MAXINT / channels :
      n <= 1 || n == channels)
    return TRUE;
  PyErr_Format (PyExc_ValueError, "%zu levels for %u channels", n, channels);
  return FALSE;
}

static gboolean
find_contours (CsCall * call, const CsContoursInput * input,
    const Py_buffer * levels, guint flags, CsContoursOutput * output)
{
  const guint n_levels = levels->len / sizeof (double);
  const gboolean bands = (flags & FLAG_BANDS) != 0;
  CsContoursParams params;
  gboolean ok;

  cs_contours_params_init (&params);
  params.bands = bands;
  params.n_targets = input->image.channels * (bands ? n_levels : 1);
  CsContoursTarget *targets = g_new (CsContoursTarget, params.n_targets);
  set_targets (&params, levels->buf, n_levels, targets);
  params.auto_level = n_levels == 0;
  params.fully_connected_high = (flags & FLAG_CONNECTED_HIGH) != 0;
  params.positive_orientation_high = (flags & FLAG_ORIENTATION_HIGH) != 0;
  params.points = flags & FLAG_SINGLE ? CS_POINTS_F32 : CS_POINTS_F64;
  params.measures = CS_MEASURES_NONE;
  *output = (CsContoursOutput) {
    .alloc = cs_store_alloc,
    .user_data = call->store,
    .want_host = !call->is_device,
  };
  Py_BEGIN_ALLOW_THREADS;
  ok = cs_worker_find_contours (call->worker, &params, input, output,
      &call->error);
  if (ok)
    cs_store_finish (call->store);
  Py_END_ALLOW_THREADS;
  g_free (targets);
  return ok;
}

#define SWAP_PAIRS(type, points, n) \
    for (gsize i = 0; i < (n); i++) { \
      type *pair = (type *) (points) + 2 * i; \
      const type x = pair[0]; \
      pair[0] = pair[1]; \
      pair[1] = x; \
    }

static void
put_rows_first (const CsContoursOutput * output, guint flags)
{
  if (!(flags & FLAG_ROWS_FIRST))
    return;
  if (flags & FLAG_SINGLE)
    SWAP_PAIRS (float, output->points, output->n_points)
  else
    SWAP_PAIRS (double, output->points, output->n_points)
}

static PyObject *
engine_find_contours (CsEngine * engine, PyObject * args)
{
  PyObject *given, *given_mask, *result = NULL;
  CsTaken image = { NULL }, mask = { NULL };
  CsImage key, mask_image;
  CsContoursInput input = { };
  CsContoursOutput output;
  CsCall call = { NULL };
  Py_buffer levels;
  unsigned flags;
  unsigned long long stream;
  int axis;

  if (!PyArg_ParseTuple (args, "OOiy*IKp", &given, &given_mask, &axis, &levels,
          &flags, &stream, &call.is_device))
    return NULL;
  call.given = (gpointer) (guintptr) stream;
  call.is_device &= engine->gpu != NULL;
  gboolean ok = cs_call_begin (&call, engine,
      guess_shape (given, &key) ? &key : NULL)
      && cs_call_take (&call, given, &image)
      && cs_taken_image (&image, axis, "the image", &input.image)
      && check_levels (&levels, input.image.channels, flags & FLAG_BANDS);
  if (ok && given_mask != Py_None) {
    ok = cs_call_take (&call, given_mask, &mask)
        && cs_taken_image (&mask, -1, "the mask", &mask_image);
    input.mask = &mask_image;
  }
  ok = ok && find_contours (&call, &input, &levels, flags, &output);
  if (ok) {
    if (!call.is_device)
      put_rows_first (&output, flags);
    result = cs_call_contours (&call, &output,
        flags & FLAG_SINGLE ? 4 : 8);
    ok = result != NULL;
  }
  cs_taken_clear (&image);
  cs_taken_clear (&mask);
  PyBuffer_Release (&levels);
  return cs_call_end (&call, ok, result);
}

/* Hulls */

static gboolean
hull_input (const CsTaken * taken, CsHullInput * input)
{
  const CsDType dtype = taken->dtype;

  if (taken->shape.ndim != 2 || taken->shape.shape[1] != 2) {
    PyErr_SetString (PyExc_ValueError, "points have shape (n, 2)");
    return FALSE;
  }
  if (dtype.size < 4 || dtype.code == 'u'
      || (dtype.code == 'i' && dtype.size != 4)) {
    PyErr_Format (PyExc_TypeError, "points of %c%d are not possible: convert "
        "them to float64", dtype.code, 8 * dtype.size);
    return FALSE;
  }
  if (taken->shape.shape[0] > 1 && (taken->shape.strides[1] != dtype.size
          || taken->shape.strides[0] < 2 * dtype.size))
    return cs_raise_strides ("points") != NULL;
  *input = (CsHullInput) {
    .points = taken->data,
    .type = dtype.code == 'i' ? CS_HULL_I32 :
        dtype.size == 4 ? CS_HULL_F32 : CS_HULL_F64,
    .memory = taken->is_device ? CS_MEMORY_DEVICE : CS_MEMORY_HOST,
    .n_points = taken->shape.shape[0],
    .stride = taken->shape.shape[0] > 1 ? taken->shape.strides[0] : 0,
  };
  return TRUE;
}

static gboolean
convex_hull (CsCall * call, const CsHullInput * input, gboolean collinear,
    CsHullOutput * output)
{
  CsHullParams params;
  gboolean ok;

  cs_hull_params_init (&params);
  params.include_collinear = collinear;
  params.points = CS_HULL_POINTS_INPUT;
  params.measures = CS_MEASURES_FULL;
  *output = (CsHullOutput) {
    .alloc = cs_store_alloc,
    .user_data = call->store,
    .want_host = !call->is_device,
  };
  Py_BEGIN_ALLOW_THREADS;
  ok = cs_worker_convex_hull (call->worker, &params, input, output,
      &call->error);
  if (ok)
    cs_store_finish (call->store);
  Py_END_ALLOW_THREADS;
  return ok;
}

/* Indices and coordinates of the vertices, record, features, n_ignored. */
static PyObject *
hull_tuple (CsCall * call, const CsHullOutput * output, CsDType dtype)
{
  const gboolean on_device = call->is_device;
  const CsDType index = { 'i', 4 }, byte = { 'u', 1 };
  const gsize n = output->n_hulls;

  return Py_BuildValue ("(NNNNn)",
      cs_array_new_rows (call->store, on_device ?
          output->device_indices : output->indices, on_device, index,
          output->n_points, 0),
      cs_array_new_rows (call->store, on_device ?
          output->device_points : output->points, on_device, dtype,
          output->n_points, 2),
      cs_array_new_rows (call->store, on_device ?
          output->device_hulls : output->hulls, on_device, byte,
          n * sizeof (CsContour), 0),
      cs_array_new_rows (call->store, on_device ?
          output->device_features : output->features, on_device, byte,
          n * sizeof (CsHullFeatures), 0), (Py_ssize_t) output->n_ignored);
}

static PyObject *
engine_convex_hull (CsEngine * engine, PyObject * args)
{
  PyObject *given, *result = NULL;
  CsTaken points = { NULL };
  CsHullInput input;
  CsHullOutput output;
  CsCall call = { NULL };
  unsigned long long stream;
  int collinear;

  if (!PyArg_ParseTuple (args, "OpKp", &given, &collinear, &stream,
          &call.is_device))
    return NULL;
  call.given = (gpointer) (guintptr) stream;
  call.is_device &= engine->gpu != NULL;
  gboolean ok = cs_call_begin (&call, engine, NULL)
      && cs_call_take (&call, given, &points) && hull_input (&points, &input)
      && convex_hull (&call, &input, collinear, &output);
  if (ok) {
    result = hull_tuple (&call, &output, points.dtype);
    ok = result != NULL;
  }
  cs_taken_clear (&points);
  return cs_call_end (&call, ok, result);
}

/* The local Laplacian filter */

/* A view of interleaved samples of 8 or 16 bits. */
static CsPicture
picture_of (const CsImage * image, gpointer data, gsize row_stride)
{
  const gsize size = cs_sample_size (image->type);
  CsPicture picture = {
    .model = image->channels >= 3 ? CS_PICTURE_RGB : CS_PICTURE_GRAY,
    .type = image->type,
    .memory = image->memory,
    .width = image->width,
    .height = image->height,
    .depth = 8 * size,
    /* BT.709, as of sRGB */
    .kr = .2126,
    .kb = .0722,
  };

  for (guint i = 0; i < image->channels; i++) {
    picture.data[i] = (guint8 *) data + i * image->channel_stride;
    picture.pixel_stride[i] = image->pixel_stride;
    picture.row_stride[i] = row_stride;
  }
  return picture;
}

/* Floats: on a GPU those of the host are brought there and back. */
static gboolean
filter_floats (CsCall * call, CsLlfTable * table, const CsImage * image,
    gpointer output, const CsLlfSettings * settings)
{
  CsLlfFrame frame = {
    .input = *image,
    .output = output,
    .output_pixel_stride = sizeof (float),
    .output_row_stride = image->width * sizeof (float),
  };
#ifdef HAVE_CUDA
  const gsize size = (gsize) image->width * image->height * sizeof (float);

  if (call->engine->gpu && !call->is_device) {
    CsCudaHeap *heap = call->engine->gpu->heap;
    gpointer device = cs_store_alloc (call->store, size, FALSE);
    const CsCudaCopy copy = { output, device, size };

    if (!device)
      return cs_fail_no_memory (&call->error, "a picture");
    frame.input.data = frame.output = device;
    frame.input.memory = CS_MEMORY_DEVICE;
    return cs_cuda_stream_wait (call->stream, &call->error)
        && cs_cuda_heap_upload (heap, device, image->data, size, &call->error)
        && cs_worker_filter (call->worker, table, &frame, settings,
        &call->error) && cs_cuda_heap_download (heap, &copy, 1, &call->error);
  }
#endif
  return cs_worker_filter (call->worker, table, &frame, settings,
      &call->error);
}

static gboolean
filter (CsCall * call, const CsLlfParams * params, const CsImage * image,
    gpointer output, const CsLlfSettings * settings)
{
  CsLlfTable *table = cs_llf_cache_get (params, &call->error);
  gboolean ok;

  if (!table)
    return FALSE;
  if (image->type == CS_SAMPLE_F32) {
    ok = filter_floats (call, table, image, output, settings);
  } else {
    const CsPicture from = picture_of (image, (gpointer) image->data,
        image->row_stride);
    const CsPicture to = picture_of (image, output, image->row_stride);

    ok = cs_worker_filter_colour (call->worker, table, &from, &to, settings,
        &call->error);
  }
  cs_llf_table_unref (table);
  return ok;
}

/* @taken: contiguous (rows, columns) of 8 or 16 bits or float32, or
 * (rows, columns, 3 or 4) of 8 bits */
static gboolean
filter_image (const CsTaken * taken, CsImage * image)
{
  if (!cs_taken_image (taken, taken->shape.ndim == 3 ? 2 : -1, "the image",
          image))
    return FALSE;
  const gsize pixel = image->channels * taken->dtype.size;
  const gboolean typed = taken->dtype.code != 'b' && (image->channels == 1 ?
      image->type == CS_SAMPLE_U8 || image->type == CS_SAMPLE_U16 ||
      image->type == CS_SAMPLE_F32 : image->type == CS_SAMPLE_U8);
  if (!typed || image->channels == 2 || image->channels > 4) {
    PyErr_SetString (PyExc_TypeError, "an image has shape (rows, columns) of "
        "uint8, uint16 or float32, or (rows, columns, 3 or 4) of uint8");
    return FALSE;
  }
  if (image->channel_stride == taken->dtype.size
      && image->pixel_stride == pixel
      && image->row_stride == image->width * pixel)
    return TRUE;
  return cs_raise_strides ("the image") != NULL;
}

static PyObject *
engine_local_laplacian (CsEngine * engine, PyObject * args)
{
  PyObject *given, *result = NULL;
  CsTaken taken = { NULL };
  CsLlfParams params;
  CsLlfSettings settings = { };
  CsImage image;
  CsCall call = { NULL };
  unsigned long long stream;
  int quality, curve, remapping;
  gboolean ok;

  cs_llf_params_init (&params);
  if (!PyArg_ParseTuple (args, "OiiiddddIddKp", &given, &quality, &curve,
          &remapping, &params.sigma, &params.alpha, &params.beta,
          &params.noise_guard, &settings.levels, &settings.amount,
          &settings.tone_guard, &stream, &call.is_device))
    return NULL;
  params.quality = quality;
  params.curve = curve;
  params.color_remapping = remapping;
  call.given = (gpointer) (guintptr) stream;
  call.is_device &= engine->gpu != NULL;
  ok = cs_call_begin (&call, engine, NULL)
      && cs_call_take (&call, given, &taken)
      && filter_image (&taken, &image);
  if (ok) {
    const gsize size = image.row_stride * image.height;
    gpointer output;

    params.depth = image.type == CS_SAMPLE_U16 ? 16 : 8;
    Py_BEGIN_ALLOW_THREADS;
    output = cs_store_alloc (call.store, MAX (size, 1), !call.is_device);
    ok = output ? filter (&call, &params, &image, output, &settings) :
        cs_fail_no_memory (&call.error, "a picture");
    Py_END_ALLOW_THREADS;
    if (ok) {
      cs_store_finish (call.store);
      result = cs_array_new (call.store,
          output, call.is_device, taken.dtype, &taken.shape);
      ok = result != NULL;
    }
  }
  cs_taken_clear (&taken);
  return cs_call_end (&call, ok, result);
}

/* Statistics */

/* @offsets: where each ring begins, and their end; @firsts: each region's first
 * ring, and their end */
static gboolean
make_regions (const CsTaken * points, const Py_buffer * offsets,
    const Py_buffer * firsts, guint channel, CsStatsInput * input)
{
  const guint32 *at = offsets->buf, *first = firsts->buf;
  const gsize n_rings = offsets->len / 4 - 1;
  CsStatsRing *rings = g_new0 (CsStatsRing, n_rings + 1);
  CsStatsRegion *regions;

  input->n_regions = firsts->len / 4 - 1;
  regions = g_new0 (CsStatsRegion, input->n_regions + 1);
  input->rings = rings;
  input->regions = regions;
  for (gsize i = 0; i < n_rings; i++) {
    if (at[i] > at[i + 1] || at[i + 1] > points->shape.shape[0]) {
      PyErr_SetString (PyExc_ValueError, "rings have more points than there "
          "are");
      return FALSE;
    }
    rings[i].points = (const float *) points->data + 2 * at[i];
    rings[i].n = at[i + 1] - at[i];
    rings[i].memory = points->is_device ? CS_MEMORY_DEVICE : CS_MEMORY_HOST;
  }
  for (gsize i = 0; i < input->n_regions; i++) {
    if (first[i] > first[i + 1] || first[i + 1] > n_rings) {
      PyErr_SetString (PyExc_ValueError, "regions have more rings than there "
          "are");
      return FALSE;
    }
    regions[i].first_ring = first[i];
    regions[i].n_rings = first[i + 1] - first[i];
    regions[i].channel = channel;
  }
  return TRUE;
}

static gboolean
check_points (const CsTaken * points)
{
  if (points->dtype.code == 'f' && points->dtype.size == 4
      && points->shape.ndim == 2 && points->shape.shape[1] == 2
      && (points->shape.shape[0] == 0 || (points->shape.strides[1] == 4
              && points->shape.strides[0] == 8)))
    return TRUE;
  PyErr_SetString (PyExc_TypeError, "the rings' points are x, y of float32");
  return FALSE;
}

/* As _stats.py has it. */
typedef struct
{
  guint64 n;
  double mean, deviation, minimum, maximum;
} Description;

static PyObject *
describe (const CsStatsSums * sums, gsize n, double steps)
{
  PyObject *bytes = PyBytes_FromStringAndSize (NULL, n * sizeof (Description));
  Description *to = bytes ? (Description *) PyBytes_AsString (bytes) : NULL;

  for (gsize i = 0; to && i < n; i++) {
    to[i].n = sums[i].n;
    cs_stats_describe (&sums[i], steps, &to[i].mean, &to[i].deviation);
    to[i].minimum = sums[i].n ? sums[i].minimum / steps : NAN;
    to[i].maximum = sums[i].n ? sums[i].maximum / steps : NAN;
  }
  return bytes;
}

static PyObject *
sum_regions (CsCall * call, const CsTaken * image, int axis, double steps,
    CsStatsInput * input)
{
  const guint n = cs_stats_get_n_channels (input->kind);
  CsImage view;
  CsPicture picture;
  PyObject *result = NULL;
  gboolean ok;

  if (!cs_taken_image (image, axis, "the image", &view))
    return NULL;
  if (input->kind == CS_STATS_PROBABILITY) {
    input->images = &view;
    input->n_images = 1;
  } else {
    picture = picture_of (&view, (gpointer) view.data, view.row_stride);
    input->picture = &picture;
  }
  CsStatsSums *sums = g_try_new (CsStatsSums, n * input->n_regions + 1);
  if (!sums)
    return PyErr_NoMemory ();
  Py_BEGIN_ALLOW_THREADS;
  ok = cs_worker_sum (call->worker, input, sums, &call->error);
  Py_END_ALLOW_THREADS;
  if (ok)
    result = describe (sums, n * input->n_regions, steps);
  g_free (sums);
  return result;
}

static PyObject *
engine_region_stats (CsEngine * engine, PyObject * args)
{
  PyObject *given, *given_points, *result = NULL;
  CsTaken image = { NULL }, points = { NULL };
  CsStatsInput input = {.scale_x = 1.,.scale_y = 1. };
  Py_buffer offsets, firsts;
  CsCall call = { NULL };
  unsigned long long stream;
  unsigned channel;
  double steps;
  int kind, axis, points_on_device;

  if (!PyArg_ParseTuple (args, "OiOy*y*idIpKp", &given, &axis, &given_points,
          &offsets, &firsts, &kind, &steps, &channel, &points_on_device,
          &stream, &call.is_device))
    return NULL;
  input.kind = kind;
  call.given = (gpointer) (guintptr) stream;
  call.is_device &= engine->gpu != NULL;
  gboolean ok = cs_call_begin (&call, engine, NULL)
      && cs_call_take (&call, given, &image)
      && (points_on_device ? cs_call_take (&call, given_points, &points) :
      cs_take_host (given_points, &points)) && check_points (&points)
      && make_regions (&points, &offsets, &firsts, channel, &input);
  if (ok) {
    result = sum_regions (&call, &image, axis, steps, &input);
    ok = result != NULL;
  }
  g_free ((gpointer) input.rings);
  g_free ((gpointer) input.regions);
  cs_taken_clear (&image);
  cs_taken_clear (&points);
  PyBuffer_Release (&offsets);
  PyBuffer_Release (&firsts);
  return cs_call_end (&call, ok, result);
}

/* Copies from the host, for what is found there of an array on the GPU */

static PyObject *
engine_upload (CsEngine * engine, PyObject * given)
{
  CsTaken taken = { NULL };
  CsCall call = { NULL };
  PyObject *result = NULL;
  gboolean ok = cs_call_begin (&call, engine, NULL)
      && cs_take_host (given, &taken);

  if (ok && !engine->gpu) {
    PyErr_SetString (PyExc_RuntimeError, "there is no GPU to copy to");
    ok = FALSE;
  }
#ifdef HAVE_CUDA
  if (ok) {
    const gsize size = taken.buffer.len;
    gpointer device;

    Py_BEGIN_ALLOW_THREADS;
    device = cs_store_alloc (call.store, MAX (size, 1), FALSE);
    ok = device ? cs_cuda_stream_wait (call.stream, &call.error)
        && cs_cuda_heap_upload (engine->gpu->heap, device, taken.data, size,
        &call.error) : cs_fail_no_memory (&call.error, "an array");
    Py_END_ALLOW_THREADS;
    if (ok) {
      cs_store_finish (call.store);
      result = cs_array_new (call.store,
          device, TRUE, taken.dtype, &taken.shape);
      ok = result != NULL;
    }
  }
#endif
  cs_taken_clear (&taken);
  return cs_call_end (&call, ok, result);
}

/* Copies to the host, of what is small beside other arrays on the GPU */

static gboolean
download (CsCall * call, const CsTaken * taken, gpointer host, gsize size)
{
  gboolean ok = FALSE;

#ifdef HAVE_CUDA
  const CsCudaCopy copy = { host, taken->data, size };

  Py_BEGIN_ALLOW_THREADS;
  ok = cs_cuda_stream_wait (call->stream, &call->error)
      && cs_cuda_heap_download (call->engine->gpu->heap, &copy, 1,
      &call->error);
  Py_END_ALLOW_THREADS;
#endif
  return ok;
}

static PyObject *
engine_download (CsEngine * engine, PyObject * args)
{
  PyObject *given, *result = NULL;
  CsTaken taken = { NULL };
  CsCall call = { NULL };
  unsigned long long stream;
  gint64 size = 0;

  if (!PyArg_ParseTuple (args, "OKp", &given, &stream, &call.is_device))
    return NULL;
  call.given = (gpointer) (guintptr) stream;
  call.is_device &= engine->gpu != NULL;
  gboolean ok = cs_call_begin (&call, engine, NULL)
      && cs_call_take (&call, given, &taken)
      && (cs_shape_is_contiguous (&taken.shape, taken.dtype.size, &size)
      || cs_raise_strides ("the array") != NULL);
  if (ok) {
    gpointer host = cs_store_alloc (call.store, MAX (size, 1), TRUE);

    ok = host ? size == 0 || download (&call, &taken, host, size) :
        cs_fail_no_memory (&call.error, "an array");
    if (ok) {
      cs_store_finish (call.store);
      result = cs_array_new (call.store, host, FALSE, taken.dtype,
          &taken.shape);
      ok = result != NULL;
    }
  }
  cs_taken_clear (&taken);
  return cs_call_end (&call, ok, result);
}

/* What somebody's stream has been given is done. */
static PyObject *
engine_wait (CsEngine * engine, PyObject * stream)
{
  const unsigned long long number G_GNUC_UNUSED =
      PyLong_AsUnsignedLongLong (stream);
  CsCall call = { NULL };
  gboolean ok;

  if (PyErr_Occurred ())
    return NULL;
  ok = cs_call_begin (&call, engine, NULL);
#ifdef HAVE_CUDA
  if (ok) {
    Py_BEGIN_ALLOW_THREADS;
    ok = cs_cuda_stream_wait ((gpointer) (guintptr) number, &call.error);
    Py_END_ALLOW_THREADS;
  }
#endif
  return cs_call_end (&call, ok, ok ? Py_NewRef (Py_None) : NULL);
}

static PyObject *
engine_device (CsEngine * engine, void *unused)
{
  return PyLong_FromLong (engine->gpu ? (long) engine->gpu->id : -1);
}

static PyMethodDef methods[] = {
  {"find_contours", (PyCFunction) engine_find_contours, METH_VARARGS, NULL},
  {"find_instances", (PyCFunction) cs_find_instances, METH_VARARGS, NULL},
  {"find_labels", (PyCFunction) cs_find_labels, METH_VARARGS, NULL},
  {"find_labels_of_strips", (PyCFunction) cs_find_labels_of_strips,
      METH_VARARGS, NULL},
  {"measure_labels", (PyCFunction) cs_measure_labels, METH_VARARGS, NULL},
  {"measure_rings", (PyCFunction) cs_measure_rings, METH_VARARGS, NULL},
  {"convex_hull", (PyCFunction) engine_convex_hull, METH_VARARGS, NULL},
  {"local_laplacian", (PyCFunction) engine_local_laplacian, METH_VARARGS,
      NULL},
  {"region_stats", (PyCFunction) engine_region_stats, METH_VARARGS, NULL},
  {"upload", (PyCFunction) engine_upload, METH_O, NULL},
  {"download", (PyCFunction) engine_download, METH_VARARGS, NULL},
  {"wait", (PyCFunction) engine_wait, METH_O, NULL},
  {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
  {"device", (getter) engine_device, NULL,
      "Number of the GPU, -1 for the CPU.", NULL},
  {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
  {Py_tp_new, engine_new},
  {Py_tp_dealloc, engine_dealloc},
  {Py_tp_methods, methods},
  {Py_tp_getset, properties},
  {0, NULL},
};

PyType_Spec cs_engine_spec = {
  .name = "cudashapes._native.Engine",
  .basicsize = sizeof (CsEngine),
  .flags = Py_TPFLAGS_DEFAULT,
  .slots = slots,
};
