/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scratch.h"

#include <stdlib.h>

#define ALIGNMENT 64

void *
cs_scratch_ensure (CsScratch * scratch, gsize size, GError ** error)
{
  gsize grown;
  void *data;

  if (scratch->data && size <= scratch->size)
    return scratch->data;

  grown = size + scratch->size / 2;
  if (grown < size || grown > G_MAXSSIZE - ALIGNMENT)
    goto no_memory;
  grown = (MAX (grown, 1) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  data = aligned_alloc (ALIGNMENT, grown);
  if (!data)
    goto no_memory;
  free (scratch->data);
  scratch->data = data;
  scratch->size = grown;
  return data;

no_memory:
  g_set_error (error, CS_ERROR, CS_ERROR_NO_MEMORY,
      "cannot allocate %" G_GSIZE_FORMAT " bytes of scratch memory", size);
  return NULL;
}

void
cs_scratch_clear (CsScratch * scratch)
{
  free (scratch->data);
  scratch->data = NULL;
  scratch->size = 0;
}
