/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A call of an engine: what is taken, the worker, and memory for the result. */

#include "native.h"

/**
 * CsEngine:
 * @gpu: (nullable): %NULL for the CPU
 */
typedef struct
{
  PyObject_HEAD
  CsGpu * gpu;
  CsWorkers *workers;
} CsEngine;

/**
 * CsCall:
 * @given: (nullable): the stream on which device arrays are ready
 * @is_device: arrays are taken from the GPU and results stay there
 */
typedef struct
{
  CsEngine *engine;
  CsWorker *worker;
  CsStore *store;
  gpointer stream, given;
  gboolean is_device;
  GError *error;
} CsCall;

/* @image: (nullable): as cs_workers_begin() */
gboolean cs_call_begin (CsCall * call, CsEngine * engine,
    const CsImage * image);

/* @result: (nullable): what the call returns if it is ok */
PyObject *cs_call_end (CsCall * call, gboolean ok, PyObject * result);

/* @object: on the host or the GPU, as the call's arrays are; on a GPU other
 * than the engine's it is refused */
gboolean cs_call_take (CsCall * call, PyObject * object, CsTaken * taken);

/* Returns: NULL */
PyObject *cs_raise_strides (const gchar * what);

/* @axis: of the channels; -1 without one
 *
 * Samples with any strides but negative ones. */
gboolean cs_taken_samples (const CsTaken * taken, int axis, const gchar * what,
    CsImage * image);

/* As cs_taken_samples(); rows come from the top and columns from the left. */
gboolean cs_taken_image (const CsTaken * taken, int axis, const gchar * what,
    CsImage * image);

/* Labels with any strides but negative ones. */
gboolean cs_taken_labels (const CsTaken * taken, CsLabelsPicture * picture);

/* The parts of a result: points, offsets, records.
 *
 * @size: bytes of a coordinate */
PyObject *cs_call_contours (CsCall * call, const CsContoursOutput * output,
    gsize size);

/* Methods of an engine */

PyObject *cs_find_instances (CsEngine * engine, PyObject * args);
PyObject *cs_find_labels (CsEngine * engine, PyObject * args);
PyObject *cs_find_labels_of_strips (CsEngine * engine, PyObject * args);
PyObject *cs_measure_labels (CsEngine * engine, PyObject * args);
PyObject *cs_measure_rings (CsEngine * engine, PyObject * args);
