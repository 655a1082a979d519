/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "native.h"

#ifdef HAVE_CUDA
#include "base/cuda_memory.h"
#endif
#include "dlpack.h"

typedef struct
{
  PyObject_HEAD
  CsStore * store;
  void *address;
  gboolean is_device;
  CsDType dtype;
  CsShape shape;
} Array;

PyObject *
cs_array_new (CsStore * store, void *address,
    gboolean is_device, CsDType dtype, const CsShape * shape)
{
  Array *array = PyObject_New (Array, (PyTypeObject *) cs_module.array);

  if (!array)
    return NULL;
  array->store = cs_store_ref (store);
  array->address = address;
  array->is_device = is_device;
  array->dtype = dtype;
  array->shape = *shape;
  return (PyObject *) array;
}

PyObject *
cs_array_new_rows (CsStore * store, void *address,
    gboolean is_device, CsDType dtype, gsize n, gsize columns)
{
  const CsShape shape = {
    .ndim = columns ? 2 : 1,
    .shape = {n, columns},
    .strides = {MAX (columns, 1) * dtype.size, dtype.size},
  };

  return cs_array_new (store, address, is_device, dtype, &shape);
}

static void
array_dealloc (Array * array)
{
  PyTypeObject *type = Py_TYPE ((PyObject *) array);

  cs_store_unref (array->store);
  PyObject_Free (array);
  Py_DECREF (type);
}

/* The buffer protocol, of what is on the host */

static const gchar *
buffer_format (CsDType dtype)
{
  switch (dtype.code) {
    case 'f':
      return dtype.size == 8 ? "d" : dtype.size == 4 ? "f" : "e";
    case 'i':
      return dtype.size == 8 ? "q" : dtype.size == 4 ? "i" :
          dtype.size == 2 ? "h" : "b";
    case 'b':
      return "?";
    default:
      return dtype.size == 8 ? "Q" : dtype.size == 4 ? "I" :
          dtype.size == 2 ? "H" : "B";
  }
}

static gint64
n_elements (const Array * array)
{
  gint64 n = 1;

  for (gint i = 0; i < array->shape.ndim; i++)
    n *= array->shape.shape[i];
  return n;
}

gboolean
cs_shape_is_contiguous (const CsShape * shape, gsize size, gint64 * all)
{
  *all = size;
  for (gint i = 0; i < shape->ndim; i++)
    *all *= shape->shape[i];
  if (*all == 0)
    return TRUE;
  *all = size;
  for (gint i = shape->ndim; i-- > 0;) {
    if (shape->shape[i] != 1 && shape->strides[i] != *all)
      return FALSE;
    *all *= shape->shape[i];
  }
  return TRUE;
}

static gboolean
is_contiguous (const Array * array)
{
  gint64 all;

  return cs_shape_is_contiguous (&array->shape, array->dtype.size, &all);
}

static int
array_get_buffer (Array * array, Py_buffer * view, int flags)
{
  if (array->is_device) {
    PyErr_SetString (PyExc_BufferError, "the array is on a GPU: copy_to_host() "
        "brings it");
    return -1;
  }
  if (!is_contiguous (array) && !(flags & PyBUF_STRIDES)) {
    PyErr_SetString (PyExc_BufferError, "the array is not contiguous");
    return -1;
  }
  *view = (Py_buffer) {
    .buf = array->address,
    .obj = Py_NewRef ((PyObject *) array),
    .len = n_elements (array) * array->dtype.size,
    .itemsize = array->dtype.size,
    .ndim = array->shape.ndim,
    .format = flags & PyBUF_FORMAT ?
        (char *) buffer_format (array->dtype) : NULL,
    .shape = flags & PyBUF_ND ? (Py_ssize_t *) array->shape.shape : NULL,
    .strides = flags & PyBUF_STRIDES ?
        (Py_ssize_t *) array->shape.strides : NULL,
  };
  return 0;
}

/* The GPU's protocols */

static gboolean
check_device (const Array * array)
{
  if (array->is_device)
    return TRUE;
  PyErr_SetString (PyExc_BufferError, "the array is on the host: "
      "numpy.asarray() takes it");
  return FALSE;
}

/* Whoever reads on @stream has to have read before the memory is used again.
 * What a blocking stream does, the default one waits for, and that lives as
 * long as the memory. */
static void
add_reader (Array * array, gpointer stream)
{
#ifdef HAVE_CUDA
  CsGpu *gpu = cs_store_get_gpu (array->store);

  if (stream != CS_LEGACY_STREAM && cs_gpu_ops.enter (gpu, NULL)) {
    if (cs_cuda_stream_is_blocking (stream))
      stream = CS_BLOCKING_STREAMS;
    cs_gpu_ops.leave (gpu);
  }
  cs_store_add_reader (array->store, stream);
#endif
}

static PyObject *
array_dlpack (Array * array, PyObject * args, PyObject * kwargs)
{
  static const char *names[] = { "stream", "max_version", "dl_device", "copy",
    NULL
  };
  PyObject *stream = Py_None, *version = Py_None, *device = Py_None;
  PyObject *copy = Py_None;
  unsigned major = 0, minor;

  if (!PyArg_ParseTupleAndKeywords (args, kwargs, "|$OOOO", (char **) names,
          &stream, &version, &device, &copy) || !check_device (array))
    return NULL;
  if (version != Py_None
      && !PyArg_ParseTuple (version, "II", &major, &minor))
    return NULL;
  if (copy == Py_True) {
    PyErr_SetString (PyExc_BufferError, "the array is not copied here");
    return NULL;
  }
  if (device != Py_None) {
    int type, id;

    if (!PyArg_ParseTuple (device, "ii", &type, &id))
      return NULL;
    if (type != DLPACK_CUDA
        || id != (int) cs_store_get_gpu (array->store)->id) {
      PyErr_SetString (PyExc_BufferError, "the array is on another device: "
          "copy_to_host() brings it");
      return NULL;
    }
  }
  /* -1: the consumer waits for nothing; its stream is not known */
  const long long number = stream == Py_None ? 1 : PyLong_AsLongLong (stream);
  if (number == -1 && PyErr_Occurred ())
    return NULL;
  if (number <= 0)
    cs_store_add_reader (array->store, CS_BLOCKING_STREAMS);
  else
    add_reader (array, (gpointer) (guintptr) number);
  return cs_dlpack_export (array->store, array->address, array->dtype,
      &array->shape, major >= 1);
}

static PyObject *
array_dlpack_device (Array * array, PyObject * unused)
{
  if (!check_device (array))
    return NULL;
  return Py_BuildValue ("(iI)", DLPACK_CUDA,
      cs_store_get_gpu (array->store)->id);
}

static PyObject *
tuple_of (const gint64 * values, gint n)
{
  PyObject *tuple = PyTuple_New (n);

  for (gint i = 0; tuple && i < n; i++)
    PyTuple_SetItem (tuple, i, PyLong_FromLongLong (values[i]));
  return tuple;
}

static PyObject *
array_cuda_interface (Array * array, void *unused)
{
  gchar typestr[8];

  if (!array->is_device) {
    PyErr_SetString (PyExc_AttributeError, "the array is on the host");
    return NULL;
  }
  cs_store_add_reader (array->store, CS_BLOCKING_STREAMS);
  g_snprintf (typestr, sizeof (typestr), "%c%c%d",
      array->dtype.size == 1 ? '|' : '<', array->dtype.code,
      array->dtype.size);
  /* complete: there is no stream to wait for */
  return Py_BuildValue ("{s:N,s:s,s:(KO),s:i,s:N,s:O}",
      "shape", tuple_of (array->shape.shape, array->shape.ndim),
      "typestr", typestr, "data",
      (unsigned long long) (guintptr) array->address, Py_False, "version", 3,
      "strides", tuple_of (array->shape.strides, array->shape.ndim),
      "stream", Py_None);
}

/* Views and copies */

static PyObject *
array_shape (Array * array, void *unused)
{
  return tuple_of (array->shape.shape, array->shape.ndim);
}

static PyObject *
array_dtype (Array * array, void *unused)
{
  gchar name[8];

  if (array->dtype.code == 'b')
    return PyUnicode_FromString ("bool");
  g_snprintf (name, sizeof (name), "%s%d", array->dtype.code == 'f' ? "float" :
      array->dtype.code == 'i' ? "int" : "uint", 8 * array->dtype.size);
  return PyUnicode_FromString (name);
}

static PyObject *
array_device (Array * array, void *unused)
{
  if (!array->is_device)
    return PyUnicode_FromString ("cpu");
  return PyUnicode_FromFormat ("cuda:%u", cs_store_get_gpu (array->store)->id);
}

static Py_ssize_t
array_length (Array * array)
{
  return array->shape.ndim ? array->shape.shape[0] : 0;
}

/* Rows from @first to before @end, as a view. */
static PyObject *
array_rows (Array * array, PyObject * args)
{
  Py_ssize_t first, end;
  CsShape shape = array->shape;

  if (!PyArg_ParseTuple (args, "nn", &first, &end))
    return NULL;
  end = CLAMP (end, 0, shape.shape[0]);
  first = CLAMP (first, 0, end);
  shape.shape[0] = end - first;
  return cs_array_new (array->store,
      (guint8 *) array->address + first * shape.strides[0], array->is_device,
      array->dtype, &shape);
}

/* Of rows of two the other order, as a view. */
static PyObject *
array_swapped (Array * array, PyObject * unused)
{
  CsShape shape = array->shape;

  if (shape.ndim != 2 || shape.shape[1] != 2) {
    PyErr_SetString (PyExc_ValueError, "the array has no pairs");
    return NULL;
  }
  shape.strides[1] = -shape.strides[1];
  return cs_array_new (array->store,
      (guint8 *) array->address + array->shape.strides[1], array->is_device,
      array->dtype, &shape);
}

/* The bytes from the first in memory to the last. */
static gsize
extent (const Array * array, gsize * before)
{
  gsize size = array->dtype.size;

  *before = 0;
  for (gint i = 0; i < array->shape.ndim; i++) {
    const gint64 way =
        (array->shape.shape[i] - 1) * array->shape.strides[i];

    size += ABS (way);
    if (way < 0)
      *before += -way;
  }
  return n_elements (array) ? size : 0;
}

static PyObject *
array_copy_to_host (Array * array, PyObject * unused)
{
  g_autoptr (GError) error = NULL;
  gsize before;
  const gsize size = extent (array, &before);
  gboolean ok;

  if (!array->is_device)
    return Py_NewRef ((PyObject *) array);
  CsStore *store = cs_store_new (NULL, NULL);
  guint8 *host = cs_store_alloc (store, MAX (size, 1), TRUE);
  if (!host) {
    cs_store_unref (store);
    return PyErr_NoMemory ();
  }
  Py_BEGIN_ALLOW_THREADS;
  ok = size == 0 || cs_store_download (array->store, host,
      (guint8 *) array->address - before, size, &error);
  Py_END_ALLOW_THREADS;
  PyObject *copy = ok ? cs_array_new (store, host + before,
      FALSE, array->dtype, &array->shape) : cs_raise (g_steal_pointer (&error));
  cs_store_unref (store);
  return copy;
}

static PyMethodDef methods[] = {
  {"__dlpack__", (PyCFunction) (void (*)(void)) array_dlpack,
      METH_VARARGS | METH_KEYWORDS, NULL},
  {"__dlpack_device__", (PyCFunction) array_dlpack_device, METH_NOARGS, NULL},
  {"copy_to_host", (PyCFunction) array_copy_to_host, METH_NOARGS,
      "A copy that numpy.asarray() takes."},
  {"rows", (PyCFunction) array_rows, METH_VARARGS,
      "Rows from the first to before the second argument, as a view."},
  {"swapped", (PyCFunction) array_swapped, METH_NOARGS,
      "Pairs in the other order, as a view."},
  {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
  {"__cuda_array_interface__", (getter) array_cuda_interface, NULL, NULL,
      NULL},
  {"shape", (getter) array_shape, NULL, "Elements along each axis.", NULL},
  {"dtype", (getter) array_dtype, NULL, "Name of the elements' type.", NULL},
  {"device", (getter) array_device, NULL, "\"cpu\", or \"cuda:\" and a number.",
      NULL},
  {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
  {Py_tp_doc, (char *) "An array of a result, on a GPU. Libraries take it by "
      "from_dlpack() or __cuda_array_interface__."},
  {Py_tp_dealloc, array_dealloc},
  {Py_tp_methods, methods},
  {Py_tp_getset, properties},
  {Py_sq_length, array_length},
  {Py_bf_getbuffer, array_get_buffer},
  {0, NULL},
};

PyType_Spec cs_array_spec = {
  .name = "cudashapes.Array",
  .basicsize = sizeof (Array),
  .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
  .slots = slots,
};
