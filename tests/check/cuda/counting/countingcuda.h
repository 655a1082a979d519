/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the driver of countingcuda.c tells the test. */

#define COUNTING_DEVICES 2

#define COUNTING_API __attribute__ ((visibility ("default")))

/* Contexts that have not been destroyed. */
COUNTING_API int counting_live (void);
/* The context that is current in this thread, or NULL. */
COUNTING_API void *counting_current (void);
/* The device that @context was made for. */
COUNTING_API int counting_device (const void *context);
/* The next context is not made. */
COUNTING_API void counting_fail_next (void);
