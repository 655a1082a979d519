/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check_contours.h"

#include "../lib/check.h"
#include "contours/contours_ways.h"

void
check_taken (Backend ** backends, guint n_backends, gboolean of_cpu,
    gboolean pageable)
{
  const gint *way_flags = cs_contours_ways;
  const CheckWay cpu[] = { CS_CONTOURS_CPU_WAYS (CHECK_WAY) };
  CheckWay cuda[] = { CS_CONTOURS_CUDA_WAYS (CHECK_WAY) };

  if (!pageable)
    excuse_way (cuda, G_N_ELEMENTS (cuda), CS_CONTOURS_DOWNLOAD,
        "the runtime's error would be a sanitizer's");
  if (!is_cuda (backends[0]) && of_cpu)
    check_ways ("contours on the CPU", cpu, G_N_ELEMENTS (cpu));
  if (is_cuda (backends[n_backends - 1]))
    check_ways ("contours on CUDA", cuda, G_N_ELEMENTS (cuda));
}
