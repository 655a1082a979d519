/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesdriver.h"

#include <gmodule.h>

#define LIBRARY "libcuda.so.1"

/* Name here, symbol in the library, parameters, arguments. Symbols have the
 * suffix that cuda.h gives them; cuCtxCreate() has newer ones with other
 * parameters. */
#define FUNCTIONS(F) \
    F (CuInit, "cuInit", (unsigned flags), (flags)) \
    F (CuGetErrorName, "cuGetErrorName", \
        (CUresult error, const char **name), (error, name)) \
    F (CuDriverGetVersion, "cuDriverGetVersion", (int *version), (version)) \
    F (CuDeviceGetCount, "cuDeviceGetCount", (int *n), (n)) \
    F (CuDeviceGet, "cuDeviceGet", (CUdevice * device, int index), \
        (device, index)) \
    F (CuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", \
        (CUcontext * context, CUdevice device), (context, device)) \
    F (CuCtxCreate, "cuCtxCreate_v2", \
        (CUcontext * context, unsigned flags, CUdevice device), \
        (context, flags, device)) \
    F (CuCtxDestroy, "cuCtxDestroy_v2", (CUcontext context), (context)) \
    F (CuCtxPushCurrent, "cuCtxPushCurrent_v2", (CUcontext context), \
        (context)) \
    F (CuCtxPopCurrent, "cuCtxPopCurrent_v2", (CUcontext * context), \
        (context)) \
    F (CuStreamSynchronize, "cuStreamSynchronize", (CUstream stream), \
        (stream))

#define DEFINE(name, symbol, parameters, arguments) \
    static CUresult (*loaded_##name) parameters; \
    CUresult \
    name parameters \
    { \
      return loaded_##name arguments; \
    }
/* *INDENT-OFF* */
FUNCTIONS (DEFINE)
#define ROW(name, symbol, parameters, arguments) \
    {symbol, (gpointer *) & loaded_##name},
static const struct
{
  const gchar *symbol;
  gpointer *function;
} rows[] = { FUNCTIONS (ROW) };
/* *INDENT-ON* */

/* Returns: why not, or %NULL */
static gpointer
load (gpointer unused)
{
  GModule *library = g_module_open (LIBRARY, G_MODULE_BIND_LAZY);
  guint i;

  if (!library)
    return (gpointer) LIBRARY " cannot be loaded";
  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (!g_module_symbol (library, rows[i].symbol, rows[i].function)) {
      g_module_close (library);
      return g_strdup_printf (LIBRARY " cannot be loaded: it lacks %s()",
          rows[i].symbol);
    }
  }
  /* stays open */
  return NULL;
}

const gchar *
gst_shapes_cuda_load (void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once (&once, load, NULL);
}
