/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "call.h"

#include "contours/contours_measure.h"

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

/* Rings */

/**
 * Rings:
 * @points: pairs of doubles; a ring ends with its first point
 * @offsets: where rings begin in @points, and the end
 * @regions: where the rings of regions begin there, and the end
 * @records, @moments: of each ring
 */
typedef struct
{
  Py_buffer points, offsets, regions;
  CsContour *records;
  CsContourMoments *moments;
} Rings;

static gsize
count_words (const Py_buffer * words)
{
  return words->len / sizeof (guint32);
}

static void
measure_rings (const Rings * rings)
{
  const double *points = rings->points.buf;
  const guint32 *offsets = rings->offsets.buf;

  for (gsize i = 0; i + 1 < count_words (&rings->offsets); i++) {
    rings->records[i] = (CsContour) {.flags = CS_CONTOUR_CLOSED };
    cs_contours_measure (points + 2 * offsets[i], CS_POINTS_F64,
        offsets[i + 1] - offsets[i], CS_MEASURES_FULL, &rings->records[i],
        &rings->moments[i]);
  }
}

static gboolean
find_hulls (CsCall * call, const Rings * rings, CsHullOutput * output)
{
  CsHullParams params;
  const CsHullInput input = {
    .points = rings->points.buf,
    .type = CS_HULL_F64,
    .n_points = rings->points.len / (2 * sizeof (double)),
    .offsets = rings->regions.buf,
    .n_polylines = count_words (&rings->regions) - 1,
  };

  cs_hull_params_init (&params);
  params.scope = CS_HULL_SCOPE_PER_CONTOUR;
  params.points = CS_HULL_POINTS_NONE;
  params.indices = FALSE;
  params.measures = CS_MEASURES_FULL;
  *output = (CsHullOutput) {
    .alloc = cs_store_alloc,
    .user_data = call->store,
    .want_host = TRUE,
  };
  return cs_worker_convex_hull (call->worker, &params, &input, output,
      &call->error);
}

/* Returns: records and moments of rings, records and features of the regions'
 * hulls */
PyObject *
cs_measure_rings (CsEngine * engine, PyObject * args)
{
  PyObject *result = NULL;
  Rings rings = { };
  CsHullOutput hulls;
  CsCall call = { NULL };

  if (!PyArg_ParseTuple (args, "y*y*y*", &rings.points, &rings.offsets,
          &rings.regions))
    return NULL;
  const gsize n = count_words (&rings.offsets) - 1;
  gboolean ok = cs_call_begin (&call, engine, NULL);

  rings.records = g_try_new (CsContour, n + 1);
  rings.moments = g_try_new (CsContourMoments, n + 1);
  if (ok && !(rings.records && rings.moments)) {
    PyErr_NoMemory ();
    ok = FALSE;
  }
  if (ok) {
    Py_BEGIN_ALLOW_THREADS;
    measure_rings (&rings);
    ok = find_hulls (&call, &rings, &hulls);
    if (ok)
      cs_store_finish (call.store);
    Py_END_ALLOW_THREADS;
  }
  if (ok) {
    result = Py_BuildValue ("y#y#y#y#", rings.records,
        (Py_ssize_t) (n * sizeof (*rings.records)), rings.moments,
        (Py_ssize_t) (n * sizeof (*rings.moments)), hulls.hulls,
        (Py_ssize_t) (hulls.n_hulls * sizeof (*hulls.hulls)), hulls.features,
        (Py_ssize_t) (hulls.n_hulls * sizeof (*hulls.features)));
    ok = result != NULL;
  }
  g_free (rings.records);
  g_free (rings.moments);
  PyBuffer_Release (&rings.points);
  PyBuffer_Release (&rings.offsets);
  PyBuffer_Release (&rings.regions);
  return cs_call_end (&call, ok, result);
}
