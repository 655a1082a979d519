/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scratch.h"

#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>

#include "memory.h"
#endif

#define ALIGNMENT 64
#define HUGE_PAGE ((gsize) 2 << 20)

/* Large blocks in huge pages where the system gives them: kernels follow
 * contours, and would miss the TLB at nearly every step. */
static void *
allocate (gsize size)
{
  const gsize alignment = size >= 2 * HUGE_PAGE ? HUGE_PAGE : ALIGNMENT;
  void *data = cs_aligned_alloc (alignment,
      (size + alignment - 1) / alignment * alignment);

#if defined (__linux__) && defined (MADV_HUGEPAGE)
  if (data && alignment == HUGE_PAGE)
    madvise (data, size, MADV_HUGEPAGE);
#endif
  return data;
}

void *
cs_scratch_ensure (CsScratch * scratch, gsize size, GError ** error)
{
  const gsize grown = MAX (size + scratch->size / 2, 1);

  if (scratch->data && size <= scratch->size)
    return scratch->data;
  void *data = grown < size || grown > G_MAXSSIZE - HUGE_PAGE ? NULL :
      allocate (grown);
  if (!data)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_NO_MEMORY,
        "cannot allocate %" G_GSIZE_FORMAT " bytes of scratch memory", size);
  free (scratch->data);
  scratch->data = data;
  scratch->size = grown;
  return data;
}

void
cs_scratch_clear (CsScratch * scratch)
{
  free (scratch->data);
  scratch->data = NULL;
  scratch->size = 0;
}
