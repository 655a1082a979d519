/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Fault injection, in builds with -Dfault-injection=enabled only: before an
 * allocation whose size depends on data, the start of a thread, a file
 * operation and a CUDA call of the host, a test program is asked whether it is
 * to fail. Elsewhere nothing is asked and nothing is compiled.
 */

#include <errno.h>

#include <glib.h>

G_BEGIN_DECLS

/**
 * CsFault:
 * @CS_FAULT_MEMORY: an allocation
 * @CS_FAULT_THREAD: the start of a thread
 * @CS_FAULT_FILE: a file operation
 * @CS_FAULT_CUDA: a call of the CUDA runtime, the driver or libgstcuda
 */
typedef enum
{
  CS_FAULT_MEMORY,
  CS_FAULT_THREAD,
  CS_FAULT_FILE,
  CS_FAULT_CUDA,
} CsFault;

#ifdef CS_FAULT_INJECTION

/* What a test program defines and exports, from any thread: whether what is
 * about to be done at @line of @file is to fail. */
gboolean cs_fault_hook (CsFault fault, const char *file, int line)
    __attribute__ ((weak, visibility ("default")));

#define CS_FAULT(fault) \
    (cs_fault_hook && cs_fault_hook ((fault), __FILE__, __LINE__))

#else

#define CS_FAULT(fault) FALSE

#endif

/* @call, or @failure instead of it. */
#define CS_OR_FAULT(fault, failure, call) \
    (CS_FAULT (fault) ? (failure) : (call))

/* As g_thread_try_new(). */
#define cs_thread_try_new(name, func, data, error) \
    (CS_FAULT (CS_FAULT_THREAD) ? (g_set_error_literal ((error), \
            G_THREAD_ERROR, G_THREAD_ERROR_AGAIN, "injected fault"), NULL) : \
        g_thread_try_new ((name), (func), (data), (error)))

/* What open(), read() and fstat() return when they fail. */
static inline int
cs_fail_io (void)
{
  errno = EIO;
  return -1;
}

G_END_DECLS
