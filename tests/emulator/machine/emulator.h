/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * An emulator of device code: it reads the PTX that nvcc puts into fat
 * binaries and runs kernels on the CPU, warp by warp. The CUDA mock calls it
 * when CUDASHAPES_EMULATE=1 is in the environment. docs/reliability.md says
 * what it checks.
 */

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint x, y, z;
} EmulatorSize;

typedef struct
{
  gconstpointer function;       /* the host's pointer to the kernel */
  EmulatorSize grid, block;
  gsize shared;                 /* dynamic shared memory, bytes */
  gboolean cooperative;
  guint8 *params;               /* a copy of the arguments */
  gsize params_size;
} EmulatorLaunch;

typedef struct
{
  gsize static_shared, local;
  guint max_threads;
} EmulatorAttributes;

gboolean emulator_is_enabled (void);

/* What programs register when they are loaded: a fat binary, a kernel */
void emulator_add_binary (gpointer handle, gconstpointer binary);
void emulator_add_function (gpointer handle, gconstpointer host,
    const gchar * name);

/* Device memory. The address is not accessible by the host; the emulator
 * reaches it elsewhere. */
gpointer emulator_allocate (gsize size);
void emulator_release (gpointer data);
/* Memory of the host that kernels may access */
void emulator_add_host (gpointer data, gsize size);
void emulator_remove_host (gpointer data);
/* Where the host finds @size bytes of device memory. @is_written: they are
 * written now */
gpointer emulator_reach (gconstpointer data, gsize size, gboolean is_written);

void emulator_get_attributes (gconstpointer function,
    EmulatorAttributes * attributes);
/* Copies @args to a launch; free with g_free(). */
guint8 *emulator_copy_args (gconstpointer function, void **args,
    gsize * size);
/* Runs a kernel to its end. What it does wrong ends the process with a
 * message. */
void emulator_run (const EmulatorLaunch * launch);

G_END_DECLS
