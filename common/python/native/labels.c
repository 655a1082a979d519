/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "call.h"

/**
 * Given:
 * @wanted: labels, or no buffer for all
 * @taken: the picture, or one strip at a time
 */
typedef struct
{
  Py_buffer wanted;
  CsTaken taken;
} Given;

static gboolean
take (CsCall * call, PyObject * object, Given * given, CsLabelsInput * input)
{
  CsTaken *taken = &given->taken;
  const gint64 *shape = taken->shape.shape, *strides = taken->shape.strides;

  if (!cs_call_take (call, object, taken))
    return FALSE;
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
  input->picture = (CsLabelsPicture) {
    .data = taken->data,
    .memory = taken->is_device ? CS_MEMORY_DEVICE : CS_MEMORY_HOST,
    .size = size,
    .is_signed = taken->dtype.code == 'i',
    .width = shape[1],
    .height = shape[0],
    .pixel_stride = strides[1],
    .row_stride = strides[0],
  };
  input->wanted = given->wanted.buf;
  input->n_wanted = given->wanted.len / sizeof (guint32);
  return TRUE;
}

/* A picture into @output; without that one more strip, or without @input what
 * all of them have. */
static gboolean
find (CsCall * call, CsLabels * plan, const CsLabelsInput * input,
    CsContoursOutput * output)
{
  gboolean ok;

  Py_BEGIN_ALLOW_THREADS;
  if (!output)
    ok = cs_labels_add_strip (plan, input, &call->error);
  else if (!input)
    ok = cs_labels_finish (plan, output, &call->error);
  else
    ok = cs_labels_run (plan, input, output, &call->error);
  Py_END_ALLOW_THREADS;
  return ok;
}

/* @strips: an iterator */
static gboolean
add_strips (CsCall * call, CsLabels * plan, PyObject * strips, Given * given)
{
  CsLabelsInput input = { };
  PyObject *strip;
  gboolean ok = TRUE;

  cs_labels_begin (plan);
  while (ok && (strip = PyIter_Next (strips))) {
    ok = take (call, strip, given, &input) && find (call, plan, &input, NULL);
    cs_taken_clear (&given->taken);
    Py_DECREF (strip);
  }
  return ok && !PyErr_Occurred ();
}

static PyObject *
find_labels (CsEngine * engine, PyObject * args, gboolean strips)
{
  PyObject *object, *result = NULL;
  Given given = { };
  CsLabelsParams params;
  CsLabelsInput input = { };
  CsCall call = { NULL };
  CsLabels *plan = NULL;
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
  if (ok) {
    plan = cs_worker_get_labels (call.worker, &params, &call.error);
    ok = plan && (strips ? add_strips (&call, plan, object, &given)
        && find (&call, plan, NULL, &output) :
        take (&call, object, &given, &input)
        && find (&call, plan, &input, &output));
  }
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
