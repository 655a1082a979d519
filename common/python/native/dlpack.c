/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dlpack.h"

#include "native.h"

/* What is exported, in both forms. */
typedef struct
{
  union
  {
    DlManaged managed;
    DlVersioned versioned;
  };
  CsStore *store;
  gint64 shape[CS_MAX_NDIM], strides[CS_MAX_NDIM];
} Export;

static void
export_free (Export * export)
{
  cs_store_unref (export->store);
  g_free (export);
}

static void
free_managed (DlManaged * managed)
{
  export_free ((Export *) managed);
}

static void
free_versioned (DlVersioned * versioned)
{
  export_free ((Export *) versioned);
}

/* Of a capsule that nobody has taken. */
static void
capsule_free (PyObject * capsule)
{
  if (PyCapsule_IsValid (capsule, DLPACK_NAME))
    export_free (PyCapsule_GetPointer (capsule, DLPACK_NAME));
  else if (PyCapsule_IsValid (capsule, DLPACK_VERSIONED_NAME))
    export_free (PyCapsule_GetPointer (capsule, DLPACK_VERSIONED_NAME));
}

static uint8_t
dlpack_code (CsDType dtype)
{
  return dtype.code == 'f' ? DLPACK_FLOAT :
      dtype.code == 'i' ? DLPACK_INT :
      dtype.code == 'b' ? DLPACK_BOOL : DLPACK_UINT;
}

PyObject *
cs_dlpack_export (CsStore * store, void *address, CsDType dtype,
    const CsShape * shape, gboolean is_versioned)
{
  Export *export = g_new0 (Export, 1);
  DlTensor *tensor = is_versioned ? &export->versioned.tensor :
      &export->managed.tensor;

  export->store = cs_store_ref (store);
  for (gint i = 0; i < shape->ndim; i++) {
    export->shape[i] = shape->shape[i];
    export->strides[i] = shape->strides[i] / dtype.size;
  }
  *tensor = (DlTensor) {
    .data = address,
    .device = DLPACK_CUDA,
    .device_id = cs_store_get_gpu (store)->id,
    .ndim = shape->ndim,
    .code = dlpack_code (dtype),
    .bits = 8 * dtype.size,
    .lanes = 1,
    .shape = export->shape,
    .strides = export->strides,
  };
  if (is_versioned) {
    export->versioned.major = 1;
    export->versioned.free = free_versioned;
  } else {
    export->managed.free = free_managed;
  }
  PyObject *capsule = PyCapsule_New (export, is_versioned ?
      DLPACK_VERSIONED_NAME : DLPACK_NAME, capsule_free);
  if (!capsule)
    export_free (export);
  return capsule;
}
