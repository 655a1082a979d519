/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "native.h"

#include <string.h>

#ifdef HAVE_CUDA
#include "base/cuda_memory.h"
#endif
#include "dlpack.h"

static gboolean
check_ndim (gint ndim)
{
  if (ndim >= 1 && ndim <= CS_MAX_NDIM)
    return TRUE;
  PyErr_Format (PyExc_ValueError, "an array of %d dimensions is not possible",
      ndim);
  return FALSE;
}

/* The type of a format of the struct module, or of the array interface's
 * typestr without its byte order. */
static gboolean
set_dtype (CsTaken * taken, gchar code, gsize size)
{
  taken->dtype.size = size;
  switch (code) {
    case '?':
    case 'b':
      taken->dtype.code = 'b';
      return size == 1;
    case 'e':
    case 'f':
    case 'd':
      taken->dtype.code = 'f';
      return size == 2 || size == 4 || size == 8;
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'u':
      taken->dtype.code = 'u';
      return size <= 8;
    case 'h':
    case 'i':
    case 'l':
    case 'q':
      taken->dtype.code = 'i';
      return size <= 8;
    default:
      return FALSE;
  }
}

gboolean
cs_take_host (PyObject * object, CsTaken * taken)
{
  Py_buffer *buffer = &taken->buffer;

  if (PyObject_GetBuffer (object, buffer, PyBUF_STRIDED_RO | PyBUF_FORMAT))
    return FALSE;
  taken->has_buffer = TRUE;
  taken->data = buffer->buf;
  if (!check_ndim (buffer->ndim))
    return FALSE;
  taken->shape.ndim = buffer->ndim;
  for (gint i = 0; i < buffer->ndim; i++) {
    taken->shape.shape[i] = buffer->shape[i];
    taken->shape.strides[i] = buffer->strides[i];
  }
  const gchar *format = buffer->format ? buffer->format : "B";
  if (*format == '@' || *format == '=' || *format == '<')
    format++;
  /* 'b' is what the array interface calls Boolean */
  if (strlen (format) == 1 && set_dtype (taken, *format == 'b' ? 'i' : *format,
          buffer->itemsize))
    return TRUE;
  PyErr_Format (PyExc_TypeError, "an array of type \"%s\" is not possible",
      buffer->format);
  return FALSE;
}

#ifdef HAVE_CUDA

static gboolean
raise_unless (gboolean ok, GError * error)
{
  if (!ok)
    cs_raise (error);
  return ok;
}

/* What is done on @stream from now on waits for what @producer has to do. */
static gboolean
wait_for (gpointer producer, gpointer stream)
{
  GError *error = NULL;
  void *event = cs_cuda_event_new (&error);
  const gboolean ok = event && cs_cuda_event_record (event, producer, &error)
      && cs_cuda_event_wait (event, stream, &error);

  if (event)
    cs_cuda_event_free (event, NULL);
  return raise_unless (ok, error);
}

/* DLPack */

static PyObject *
call_dlpack (PyObject * object, gpointer stream)
{
  PyObject *method = PyObject_GetAttrString (object, "__dlpack__");
  PyObject *none = PyTuple_New (0);
  PyObject *kwargs = Py_BuildValue ("{s:K,s:(II)}", "stream",
      (unsigned long long) (guintptr) stream, "max_version", 1u, 0u);
  PyObject *capsule = NULL;

  if (method && none && kwargs) {
    capsule = PyObject_Call (method, none, kwargs);
    /* a producer from before there were versions */
    if (!capsule && PyErr_ExceptionMatches (PyExc_TypeError)) {
      PyErr_Clear ();
      PyDict_DelItemString (kwargs, "max_version");
      capsule = PyObject_Call (method, none, kwargs);
    }
  }
  Py_XDECREF (method);
  Py_XDECREF (none);
  Py_XDECREF (kwargs);
  return capsule;
}

static const DlTensor *
open_capsule (PyObject * capsule, CsTaken * taken)
{
  taken->is_versioned = PyCapsule_IsValid (capsule, DLPACK_VERSIONED_NAME);
  gpointer managed = PyCapsule_GetPointer (capsule, taken->is_versioned ?
      DLPACK_VERSIONED_NAME : DLPACK_NAME);
  if (!managed)
    return NULL;
  if (taken->is_versioned && ((DlVersioned *) managed)->major > 1) {
    PyErr_Format (PyExc_BufferError, "the array comes with version %u of "
        "DLPack, and 1 is understood", ((DlVersioned *) managed)->major);
    return NULL;
  }
  PyCapsule_SetName (capsule, taken->is_versioned ?
      DLPACK_VERSIONED_NAME_USED : DLPACK_NAME_USED);
  taken->tensor = managed;
  return taken->is_versioned ? &((DlVersioned *) managed)->tensor :
      &((DlManaged *) managed)->tensor;
}

static gboolean
set_dlpack_dtype (CsTaken * taken, const DlTensor * tensor)
{
  static const gchar codes[] = {[DLPACK_INT] = 'i',[DLPACK_UINT] = 'u',
    [DLPACK_FLOAT] = 'f',[DLPACK_BOOL] = 'b'
  };

  if (tensor->lanes == 1 && tensor->code < G_N_ELEMENTS (codes)
      && codes[tensor->code]
      && set_dtype (taken, codes[tensor->code], tensor->bits / 8))
    return TRUE;
  PyErr_Format (PyExc_TypeError, "elements of %d bits and DLPack's type %d are "
      "not possible: convert the array to float32", tensor->bits,
      tensor->code);
  return FALSE;
}

static gboolean
take_tensor (const DlTensor * tensor, CsTaken * taken)
{
  gint64 packed = 1;

  if (!check_ndim (tensor->ndim) || !set_dlpack_dtype (taken, tensor))
    return FALSE;
  if (tensor->device != DLPACK_CUDA && tensor->device != DLPACK_CUDA_MANAGED) {
    PyErr_Format (PyExc_ValueError, "the array is on a device of DLPack's kind "
        "%d, and neither on the host nor on an NVIDIA GPU", tensor->device);
    return FALSE;
  }
  taken->device = tensor->device_id;
  taken->data = (guint8 *) tensor->data + tensor->byte_offset;
  taken->shape.ndim = tensor->ndim;
  for (gint i = tensor->ndim; i-- > 0;) {
    taken->shape.shape[i] = tensor->shape[i];
    taken->shape.strides[i] = taken->dtype.size *
        (tensor->strides ? tensor->strides[i] : packed);
    packed *= tensor->shape[i];
  }
  return TRUE;
}

static gboolean
take_dlpack (PyObject * object, gpointer stream, gpointer given,
    CsTaken * taken)
{
  PyObject *capsule = call_dlpack (object, given ? given : stream);

  if (!capsule)
    return FALSE;
  const DlTensor *tensor = open_capsule (capsule, taken);
  Py_DECREF (capsule);
  return tensor && take_tensor (tensor, taken)
      && (!given || wait_for (given, stream));
}

/* __cuda_array_interface__ */

static gboolean
read_integers (PyObject * tuple, gint64 * values, gint n)
{
  for (gint i = 0; i < n; i++) {
    PyObject *item = PySequence_GetItem (tuple, i);

    if (!item)
      return FALSE;
    values[i] = PyLong_AsLongLong (item);
    Py_DECREF (item);
    if (values[i] == -1 && PyErr_Occurred ())
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_shape (PyObject * interface, CsTaken * taken)
{
  PyObject *shape = PyDict_GetItemString (interface, "shape");
  PyObject *strides = PyDict_GetItemString (interface, "strides");
  const Py_ssize_t n = shape ? PySequence_Size (shape) : 0;
  gint64 packed = taken->dtype.size;

  if (n < 0 || !check_ndim (n)
      || !read_integers (shape, taken->shape.shape, n))
    return FALSE;
  taken->shape.ndim = n;
  if (strides && strides != Py_None)
    return read_integers (strides, taken->shape.strides, n);
  for (gint i = n; i-- > 0;) {
    taken->shape.strides[i] = packed;
    packed *= taken->shape.shape[i];
  }
  return TRUE;
}

static gboolean
read_typestr (PyObject * interface, CsTaken * taken)
{
  PyObject *typestr = PyDict_GetItemString (interface, "typestr");
  PyObject *bytes = typestr && PyUnicode_Check (typestr) ?
      PyUnicode_AsASCIIString (typestr) : NULL;
  const gchar *text = bytes ? PyBytes_AsString (bytes) : "";
  const gboolean ok = strlen (text) >= 3 && *text != '>'
      && strchr ("biuf", text[1])
      && set_dtype (taken, text[1], g_ascii_strtoull (text + 2, NULL, 10));

  if (!ok && !PyErr_Occurred ())
    PyErr_Format (PyExc_TypeError, "an array of type \"%s\" is not possible: "
        "convert it to float32", text);
  Py_XDECREF (bytes);
  return ok;
}

/* Without a stream, as before version 3, the default one is waited for. */
static gboolean
wait_for_interface (PyObject * interface, gpointer stream)
{
  PyObject *producer = PyDict_GetItemString (interface, "stream");
  PyObject *version = PyDict_GetItemString (interface, "version");
  unsigned long long number = 1;

  if (!producer && version && PyLong_AsLong (version) >= 3)
    return TRUE;
  if (producer == Py_None)
    return TRUE;
  if (producer)
    number = PyLong_AsUnsignedLongLong (producer);
  if (PyErr_Occurred ())
    return FALSE;
  if (number == 0) {
    PyErr_SetString (PyExc_ValueError, "stream 0 is ambiguous in "
        "__cuda_array_interface__: 1 or 2 are default streams");
    return FALSE;
  }
  return wait_for ((gpointer) (guintptr) number, stream);
}

/* Which GPU the memory is of is what the current context makes of it. */
static gboolean
take_interface (PyObject * object, gpointer stream, gpointer given,
    CsTaken * taken)
{
  PyObject *interface =
      PyObject_GetAttrString (object, "__cuda_array_interface__");
  gint64 data = 0;

  if (!interface)
    return FALSE;
  taken->owner = interface;
  PyObject *pointer = PyDict_Check (interface) ?
      PyDict_GetItemString (interface, "data") : NULL;
  if (!pointer) {
    PyErr_SetString (PyExc_TypeError, "__cuda_array_interface__ has no data");
    return FALSE;
  }
  if (!read_integers (pointer, &data, 1) || !read_typestr (interface, taken)
      || !read_shape (interface, taken)
      || !wait_for_interface (interface, stream))
    return FALSE;
  taken->data = (gpointer) (guintptr) data;
  return !given || wait_for (given, stream);
}

gboolean
cs_take_device (PyObject * object, gpointer stream, gpointer given,
    CsTaken * taken)
{
  PyObject *method = PyObject_GetAttrString (object, "__dlpack__");
  const gboolean has_dlpack = method != NULL;

  taken->is_device = TRUE;
  PyErr_Clear ();
  Py_XDECREF (method);
  return has_dlpack ? take_dlpack (object, stream, given, taken) :
      take_interface (object, stream, given, taken);
}

#else

gboolean
cs_take_device (PyObject * object, gpointer stream, gpointer given,
    CsTaken * taken)
{
  PyErr_SetString (PyExc_RuntimeError, "this build has no CUDA backend");
  return FALSE;
}

#endif

void
cs_taken_clear (CsTaken * taken)
{
  if (taken->has_buffer)
    PyBuffer_Release (&taken->buffer);
  if (taken->tensor && taken->is_versioned) {
    DlVersioned *versioned = taken->tensor;

    if (versioned->free)
      versioned->free (versioned);
  } else if (taken->tensor) {
    DlManaged *managed = taken->tensor;

    if (managed->free)
      managed->free (managed);
  }
  Py_XDECREF (taken->owner);
  memset (taken, 0, sizeof (*taken));
}
