/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "call.h"

/* A list of the columns. */
static PyObject *
make_columns (CsCall * call, const CsPropertiesParams * params,
    const CsPropertiesOutput * output)
{
  guint8 *at = call->is_device ? output->device_columns : output->columns;
  PyObject *columns = PyList_New (0);

  for (guint i = 0; columns && i < CS_N_PROPERTIES; i++) {
    const CsDType dtype = { cs_property_is_integer (i) ? 'i' : 'f', 8 };

    if (!(params->wanted & CS_PROPERTY_BIT (i)))
      continue;
    for (guint k = 0; columns && k < cs_property_get_n_columns (i); k++) {
      PyObject *column = cs_array_new_rows (call->store, at, call->is_device,
          dtype, output->n_regions, 0);

      if (!column || PyList_Append (columns, column))
        Py_CLEAR (columns);
      Py_XDECREF (column);
      at += output->stride;
    }
  }
  return columns;
}

PyObject *
cs_measure_labels (CsEngine * engine, PyObject * args)
{
  PyObject *object, *result = NULL;
  CsTaken taken = { NULL };
  CsPropertiesParams params;
  CsLabelsPicture picture;
  CsCall call = { NULL };
  unsigned long long stream;

  if (!PyArg_ParseTuple (args, "OIddKp", &object, &params.wanted,
          &params.row_spacing, &params.column_spacing, &stream,
          &call.is_device))
    return NULL;
  call.given = (gpointer) (guintptr) stream;
  call.is_device &= engine->gpu != NULL;
  gboolean ok = cs_call_begin (&call, engine, NULL)
      && cs_call_take (&call, object, &taken)
      && cs_taken_labels (&taken, &picture);
  CsPropertiesOutput output = {
    .alloc = cs_store_alloc,
    .user_data = call.store,
    .want_host = !call.is_device,
  };
  if (ok) {
    Py_BEGIN_ALLOW_THREADS;
    ok = cs_worker_measure_labels (call.worker, &params, &picture, &output,
        &call.error);
    if (ok)
      cs_store_finish (call.store);
    Py_END_ALLOW_THREADS;
  }
  if (ok) {
    result = make_columns (&call, &params, &output);
    ok = result != NULL;
  }
  cs_taken_clear (&taken);
  return cs_call_end (&call, ok, result);
}
