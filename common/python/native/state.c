/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The module's classes and exceptions. */
#include "native.h"

CsModule cs_module;

PyObject *
cs_raise (GError * error)
{
  PyObject *type = PyExc_RuntimeError;

  switch ((CsError) error->code) {
    case CS_ERROR_INVALID:
    case CS_ERROR_LIMIT:
      type = PyExc_ValueError;
      break;
    case CS_ERROR_NO_MEMORY:
      type = PyExc_MemoryError;
      break;
    case CS_ERROR_NOT_SUPPORTED:
    case CS_ERROR_DEVICE:
      break;
  }
  PyErr_SetString (type, error->message);
  g_error_free (error);
  return NULL;
}
