/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Number of usable GPUs. Probes the driver once per process; 0 without a
 * driver, with a driver that fails to initialise, and in a build without CUDA.
 * Thread-safe.
 *
 * Without a GPU no other function of libgstcuda may be called: creating a
 * context would abort or hang.
 *
 * @reason: (out) (optional): why there is none, or a description of the driver;
 *     never %NULL, static */
guint gst_shapes_device_probe (const gchar ** reason);

/* Whether there are GPUs that only a newer driver is missing for. */
gboolean gst_shapes_device_driver_is_old (void);
