/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "error.h"

G_BEGIN_DECLS

/**
 * CsScratch:
 *
 * A host buffer that only grows, so that a plan allocates on its first frames
 * and never again. Zero-initialise it; cs_scratch_clear() frees it. Contents
 * do not survive growth. Aligned to 64 bytes.
 */
typedef struct
{
  void *data;
  gsize size;
} CsScratch;

/* At least @size bytes in @scratch; grows by half again when it grows.
 * Returns the data, or %NULL with @error (CS_ERROR_NO_MEMORY) set and
 * @scratch left as it was. */
void *cs_scratch_ensure (CsScratch * scratch, gsize size, GError ** error);
void cs_scratch_clear (CsScratch * scratch);

G_END_DECLS
