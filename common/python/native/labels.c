/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "call.h"

/**
 * Given:
 * @wanted: labels, or no buffer for all
 * @taken: the picture, or a strip
 */
typedef struct
{
  Py_buffer wanted;
  CsTaken taken;
} Given;

gboolean
cs_taken_labels (const CsTaken * taken, CsLabelsPicture * picture)
{
  const gint64 *shape = taken->shape.shape, *strides = taken->shape.strides;
  const guint size = taken->dtype.size;

  if (taken->dtype.code == 'f') {
    PyErr_Format (PyExc_TypeError, "labels are integers, and not of type f%u",
        8 * size);
    return FALSE;
  }
  if (taken->shape.ndim != 2) {
    PyErr_Format (PyExc_ValueError, "labels have 2 dimensions, and not %d",
        taken->shape.ndim);
    return FALSE;
  }
  if (MAX (shape[0], shape[1]) > G_MAXINT) {
    PyErr_SetString (PyExc_ValueError, "the picture is too large");
    return FALSE;
  }
  if (MIN (strides[0], strides[1]) < 0 || strides[0] % size
      || strides[1] % size || (guintptr) taken->data % size)
    return cs_raise_strides ("the picture") != NULL;
  *picture = (CsLabelsPicture) {
    .data = taken->data,
    .memory = taken->is_device ? CS_MEMORY_DEVICE : CS_MEMORY_HOST,
    .size = size,
    .is_signed = taken->dtype.code == 'i',
    .width = shape[1],
    .height = shape[0],
    .pixel_stride = strides[1],
    .row_stride = strides[0],
  };
  return TRUE;
}

static gboolean
take (CsCall * call, PyObject * object, Given * given, CsLabelsInput * input)
{
  input->wanted = given->wanted.buf;
  input->n_wanted = given->wanted.len / sizeof (guint32);
  return cs_call_take (call, object, &given->taken)
      && cs_taken_labels (&given->taken, &input->picture);
}

static gboolean
find (CsCall * call, const CsLabelsParams * params, PyObject * picture,
    Given * given, CsContoursOutput * output)
{
  CsLabelsInput input = { };
  gboolean ok;

  if (!take (call, picture, given, &input))
    return FALSE;
  Py_BEGIN_ALLOW_THREADS;
  ok = cs_worker_find_labels (call->worker, params, &input, output,
      &call->error);
  Py_END_ALLOW_THREADS;
  return ok;
}

static gboolean
add_strip (CsCall * call, CsLabels * plan, PyObject * strip, Given * given)
{
  CsLabelsInput input = { };
  gboolean ok = take (call, strip, given, &input);

  if (ok) {
    Py_BEGIN_ALLOW_THREADS;
    ok = cs_labels_add_strip (plan, &input, &call->error);
    Py_END_ALLOW_THREADS;
  }
  cs_taken_clear (&given->taken);
  return ok;
}

/* @strips: an iterator */
static gboolean
find_of_strips (CsCall * call, const CsLabelsParams * params,
    PyObject * strips, Given * given, CsContoursOutput * output)
{
  CsLabels *plan = cs_worker_new_labels (call->worker, params, &call->error);
  PyObject *strip;
  gboolean ok = plan != NULL;

  if (!plan)
    return FALSE;
  cs_labels_begin (plan);
  while (ok && (strip = PyIter_Next (strips))) {
    ok = add_strip (call, plan, strip, given);
    Py_DECREF (strip);
  }
  ok = ok && !PyErr_Occurred ();
  Py_BEGIN_ALLOW_THREADS;
  ok = ok && cs_labels_finish (plan, output, &call->error);
  cs_labels_free (plan);
  Py_END_ALLOW_THREADS;
  return ok;
}

static PyObject *
find_labels (CsEngine * engine, PyObject * args, gboolean strips)
{
  PyObject *object, *result = NULL;
  Given given = { };
  CsLabelsParams params;
  CsCall call = { NULL };
  unsigned long long stream;
  long long background;
  int outline;

  cs_labels_params_init (&params);
  if (!PyArg_ParseTuple (args, "OiLdpz*Kp", &object, &outline, &background,
          &params.min_area, &params.hierarchy, &given.wanted, &stream,
          &call.is_device))
    return NULL;
  params.outline = outline;
  params.background = background;
  call.given = (gpointer) (guintptr) stream;
  call.is_device &= engine->gpu != NULL;
  gboolean ok = cs_call_begin (&call, engine, NULL);
  CsContoursOutput output = {
    .alloc = cs_store_alloc,
    .user_data = call.store,
    .want_host = !call.is_device,
  };
  ok = ok && (strips ? find_of_strips : find) (&call, &params, object, &given,
      &output);
  if (ok) {
    cs_store_finish (call.store);
    result = cs_call_contours (&call, &output, sizeof (float));
    ok = result != NULL;
  }
  cs_taken_clear (&given.taken);
  PyBuffer_Release (&given.wanted);
  return cs_call_end (&call, ok, result);
}

PyObject *
cs_find_labels (CsEngine * engine, PyObject * args)
{
  return find_labels (engine, args, FALSE);
}

PyObject *
cs_find_labels_of_strips (CsEngine * engine, PyObject * args)
{
  return find_labels (engine, args, TRUE);
}
