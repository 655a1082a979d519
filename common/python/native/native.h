/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the parts of cudashapes._native share. Functions that return NULL or
 * FALSE have set Python's exception; the GIL is held unless they say more. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "store.h"

/**
 * CsDType:
 * @code: 'f' of floating point, 'u' unsigned, 'i' signed, 'b' Boolean
 * @size: bytes
 *
 * Type of an array's elements, in native byte order.
 */
typedef struct
{
  gchar code;
  guint8 size;
} CsDType;

#define CS_MAX_NDIM 3

/**
 * CsShape:
 * @ndim: 0 to CS_MAX_NDIM
 * @shape: elements along each axis
 * @strides: bytes from an element to the next along each axis
 */
typedef struct
{
  gint ndim;
  gint64 shape[CS_MAX_NDIM], strides[CS_MAX_NDIM];
} CsShape;

/* @size: bytes of an element
 * @all: those of the array, if it is contiguous */
gboolean cs_shape_is_contiguous (const CsShape * shape, gsize size,
    gint64 * all);

/* Python's exception for @error, which is freed: ValueError, MemoryError, or
 * RuntimeError. Returns: NULL */
PyObject *cs_raise (GError * error);

/* Array: a part of a result, which has the protocols of arrays */

extern PyType_Spec cs_array_spec;

/* @address: in @store, of which a reference is taken; on the GPU if
 * @is_device */
PyObject *cs_array_new (CsStore * store, void *address,
    gboolean is_device, CsDType dtype, const CsShape * shape);

/* A new one of @n rows of @columns elements, or of @n elements if that is 0;
 * contiguous. */
PyObject *cs_array_new_rows (CsStore * store,
    void *address, gboolean is_device, CsDType dtype, gsize n, gsize columns);

/* Taken: what a caller gives */

/**
 * CsTaken:
 * @data: the first element
 * @is_device: it is memory of a GPU
 * @device: number of that
 *
 * An array of a caller, which only reads it. Zero-initialise it.
 */
typedef struct
{
  void *data;
  CsDType dtype;
  CsShape shape;
  gboolean is_device;
  guint device;

  /*< private >*/
  Py_buffer buffer;
  gboolean has_buffer;
  PyObject *owner;
  gpointer tensor;
  gboolean is_versioned;
} CsTaken;

/* An object with the buffer protocol. */
gboolean cs_take_host (PyObject * object, CsTaken * taken);

/* An object with __dlpack__() or __cuda_array_interface__, to be read on
 * @stream, of the current context, which is made to wait for the object's
 * producer.
 *
 * @given: (nullable): the stream on which the caller says that the object is
 *     ready; 1 is the default one */
gboolean cs_take_device (PyObject * object, gpointer stream, gpointer given,
    CsTaken * taken);

void cs_taken_clear (CsTaken * taken);

/* Capsules of DLPack for an array on a GPU */

PyObject *cs_dlpack_export (CsStore * store, void *address, CsDType dtype,
    const CsShape * shape, gboolean is_versioned);

/* Engine: finds shapes in arrays */

extern PyType_Spec cs_engine_spec;

/**
 * CsModule:
 * @array: class Array
 * @engine: class Engine
 * @strides_error: exception for strides that the kernels do not read
 *
 * The module's state.
 */
typedef struct
{
  PyObject *array, *engine, *strides_error;
} CsModule;

/* That of the only module. */
extern CsModule cs_module;
