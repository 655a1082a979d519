/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "call.h"

gboolean
cs_call_begin (CsCall * call, CsEngine * engine, const CsImage * image)
{
  gboolean ok;

  call->engine = engine;
  ok = !engine->gpu || cs_gpu_is_usable (&call->error);
  if (ok) {
    call->worker = cs_workers_begin (engine->workers, image, &call->error);
    ok = call->worker != NULL;
  }
  if (!ok) {
    cs_raise (g_steal_pointer (&call->error));
    return FALSE;
  }
  call->stream = cs_worker_get_stream (call->worker);
  call->store = cs_store_new (engine->gpu, call->stream);
  return TRUE;
}

PyObject *
cs_call_end (CsCall * call, gboolean ok, PyObject * result)
{
  if (call->store)
    cs_store_unref (call->store);
  if (call->worker)
    cs_workers_end (call->engine->workers, call->worker);
  if (ok)
    return result;
  Py_XDECREF (result);
  if (call->error)
    cs_raise (call->error);
  return NULL;
}

gboolean
cs_call_take (CsCall * call, PyObject * object, CsTaken * taken)
{
  if (!call->is_device)
    return cs_take_host (object, taken);
  if (!cs_take_device (object, call->stream, call->given, taken))
    return FALSE;
  if (!taken->tensor || taken->device == call->engine->gpu->id)
    return TRUE;
  PyErr_Format (PyExc_ValueError, "the arrays are on different GPUs, %u and %u",
      call->engine->gpu->id, taken->device);
  return FALSE;
}

PyObject *
cs_raise_strides (const gchar * what)
{
  PyErr_Format (cs_module.strides_error, "%s has strides that are not read: "
      "make it contiguous", what);
  return NULL;
}

static gboolean
sample_type (CsDType dtype, CsSampleType * type)
{
  if (dtype.code == 'f')
    *type = dtype.size == 2 ? CS_SAMPLE_F16 :
        dtype.size == 4 ? CS_SAMPLE_F32 : CS_SAMPLE_F64;
  else if (dtype.code != 'i' && dtype.size <= 2)
    *type = dtype.size == 1 ? CS_SAMPLE_U8 : CS_SAMPLE_U16;
  else
    return FALSE;
  return TRUE;
}

gboolean
cs_taken_samples (const CsTaken * taken, int axis, const gchar * what,
    CsImage * image)
{
  gint64 shape[3] = { 0, 0, 1 }, strides[3] = { 0, 0, taken->dtype.size };
  guint n = 0;

  if (taken->shape.ndim != (axis < 0 ? 2 : 3) || axis >= 3) {
    PyErr_Format (PyExc_ValueError, "%s has %d dimensions", what,
        taken->shape.ndim);
    return FALSE;
  }
  for (gint i = 0; i < taken->shape.ndim; i++) {
    const guint to = i == axis ? 2 : n++;

    shape[to] = taken->shape.shape[i];
    strides[to] = taken->shape.strides[i];
  }
  if (shape[2] == 1)
    strides[2] = taken->dtype.size;
  if (shape[0] > G_MAXINT || shape[1] > G_MAXINT || shape[2] > G_MAXINT) {
    PyErr_Format (PyExc_ValueError, "%s is too large", what);
    return FALSE;
  }
  if (strides[0] < 0 || strides[1] < 0 || strides[2] < 0)
    return cs_raise_strides (what) != NULL;
  *image = (CsImage) {
    .data = taken->data,
    .memory = taken->is_device ? CS_MEMORY_DEVICE : CS_MEMORY_HOST,
    .width = shape[1],
    .height = shape[0],
    .channels = shape[2],
    .pixel_stride = strides[1],
    .row_stride = strides[0],
    .channel_stride = strides[2],
  };
  if (sample_type (taken->dtype, &image->type))
    return TRUE;
  PyErr_Format (PyExc_TypeError, "%s of %c%d is not possible: convert it to "
      "float32 or float64", what, taken->dtype.code, 8 * taken->dtype.size);
  return FALSE;
}

gboolean
cs_taken_image (const CsTaken * taken, int axis, const gchar * what,
    CsImage * image)
{
  const gsize size = taken->dtype.size;

  if (!cs_taken_samples (taken, axis, what, image))
    return FALSE;
  return (image->pixel_stride >= size && image->channel_stride >= size
      && image->row_stride >= image->width * image->pixel_stride)
      || cs_raise_strides (what) != NULL;
}

PyObject *
cs_call_contours (CsCall * call, const CsContoursOutput * output, gsize size)
{
  /* bands are assembled on the host */
  const gboolean on_device = call->is_device && output->device_offsets;
  const CsDType point = { 'f', size };
  const CsDType offset = { 'u', 4 }, byte = { 'u', 1 };

  return Py_BuildValue ("(NNN)",
      cs_array_new_rows (call->store, on_device ? output->device_points :
          output->points, on_device, point, output->n_points, 2),
      cs_array_new_rows (call->store, on_device ?
          output->device_offsets : output->offsets, on_device, offset,
          output->n_contours + 1, 0),
      cs_array_new_rows (call->store, on_device ?
          (gpointer) output->device_contours : output->contours, on_device,
          byte, output->n_contours * sizeof (CsContour), 0));
}
