/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * CsError:
 * @CS_ERROR_INVALID: the caller's parameters or input do not fit the contract
 * @CS_ERROR_NO_MEMORY: host or device memory ran out
 * @CS_ERROR_LIMIT: the input is valid, but larger than the kernel's limits
 * @CS_ERROR_NOT_SUPPORTED: the backend is not in this build or on this machine
 * @CS_ERROR_DEVICE: the GPU reported an error
 *
 * What a kernel reports through GError. No kernel ever aborts.
 */
typedef enum
{
  CS_ERROR_INVALID,
  CS_ERROR_NO_MEMORY,
  CS_ERROR_LIMIT,
  CS_ERROR_NOT_SUPPORTED,
  CS_ERROR_DEVICE,
} CsError;

#define CS_ERROR (cs_error_quark ())
GQuark cs_error_quark (void);

/* Set @error as g_set_error() does, and are what to return: FALSE, or NULL. */
#define cs_fail(error, ...) (g_set_error (error, __VA_ARGS__), FALSE)
#define cs_fail_null(error, ...) (g_set_error (error, __VA_ARGS__), NULL)
/* The same of CS_ERROR: a CsError, a format and its arguments. */
#define cs_error(error, ...) cs_fail (error, CS_ERROR, __VA_ARGS__)

/* Sets @error to CS_ERROR_NO_MEMORY, "there is not enough memory for @what".
 * Returns: FALSE */
gboolean cs_fail_no_memory (GError ** error, const char *what);

G_END_DECLS
