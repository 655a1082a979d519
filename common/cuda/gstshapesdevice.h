/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPES_DEVICE_H
#define GST_SHAPES_DEVICE_H

#include <glib.h>

G_BEGIN_DECLS

/* How many GPUs this process can use. Asks the driver once in a process and
 * remembers the answer; 0 on a machine without a driver, with a driver that
 * does not start, and in a build without CUDA. Safe from any thread.
 *
 * Without a GPU no function of libgstcuda may be called: the first one that
 * makes a context would abort, or wait for ever. So ask this first.
 *
 * @reason: (out) (optional): why there is none, or which driver answered, in
 *     words; never %NULL, lives as long as the process */
guint gst_shapes_device_probe (const gchar ** reason);

G_END_DECLS

#endif /* GST_SHAPES_DEVICE_H */
