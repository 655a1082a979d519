/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "raster_private.h"

static void *
create (CsExecutor * executor, GError ** error)
{
  g_set_error (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED,
      "this build paints no marks on CUDA");
  return NULL;
}

static void *
ink_create (CsExecutor * executor, guint width, guint height, GError ** error)
{
  return create (executor, error);
}

extern "C" const CsRasterBackend cs_raster_cuda_backend = {
  create, NULL, NULL, NULL, ink_create, NULL, NULL, NULL,
};
