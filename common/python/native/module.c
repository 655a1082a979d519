/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "native.h"

#ifdef HAVE_CUDA
#include "base/cuda_memory.h"
#endif
#include "cuda/gstshapesdevice.h"

/* Returns: GPUs that can be used; why there are none, or what the driver is;
 * whether all that is missing is a newer driver */
static PyObject *
probe (PyObject * module, PyObject * unused)
{
  const gchar *reason;
  guint n;

  Py_BEGIN_ALLOW_THREADS;
  n = gst_shapes_device_probe (&reason);
  Py_END_ALLOW_THREADS;
  return Py_BuildValue ("(IsN)", n, reason,
      PyBool_FromLong (gst_shapes_device_driver_is_old ()));
}

static PyObject *
device_of (PyObject * module, PyObject * address)
{
  const unsigned long long at G_GNUC_UNUSED =
      PyLong_AsUnsignedLongLong (address);
  int device = -1;

  if (PyErr_Occurred ())
    return NULL;
#ifdef HAVE_CUDA
  if (gst_shapes_device_probe (NULL) > 0)
    device = cs_cuda_device_of ((gpointer) (guintptr) at);
#endif
  if (device < 0) {
    PyErr_SetString (PyExc_ValueError, "the array's memory is not that of a "
        "GPU that can be used");
    return NULL;
  }
  return PyLong_FromLong (device);
}

static PyMethodDef methods[] = {
  {"probe", probe, METH_NOARGS, NULL},
  {"device_of", device_of, METH_O, NULL},
  {NULL, NULL, 0, NULL},
};

static int
add (PyObject * module, const char *name, PyObject ** where, PyObject * what)
{
  *where = what;
  return what ? PyModule_AddObjectRef (module, name, what) : -1;
}

static int
exec (PyObject * module)
{
  if (cs_module.array) {
    PyErr_SetString (PyExc_ImportError, "cudashapes works in one interpreter "
        "of a process only");
    return -1;
  }
  if (add (module, "Array", &cs_module.array,
          PyType_FromSpec (&cs_array_spec))
      || add (module, "Engine", &cs_module.engine,
          PyType_FromSpec (&cs_engine_spec))
      || add (module, "StridesError", &cs_module.strides_error,
          PyErr_NewException ("cudashapes._native.StridesError",
              PyExc_ValueError, NULL)))
    return -1;
  return PyModule_AddStringConstant (module, "version", PACKAGE_VERSION);
}

static PyModuleDef_Slot slots[] = {
  {Py_mod_exec, exec},
#ifdef Py_GIL_DISABLED
  {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
  {0, NULL},
};

static PyModuleDef definition = {
  PyModuleDef_HEAD_INIT,
  .m_name = "_native",
  .m_methods = methods,
  .m_slots = slots,
};

PyMODINIT_FUNC PyInit__native (void);

PyMODINIT_FUNC
PyInit__native (void)
{
  return PyModuleDef_Init (&definition);
}
