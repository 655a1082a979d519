/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check_hull.h"

#include "../lib/check.h"
#include "hull/hull_filter.h"
#include "hull/hull_ways.h"

void
check_taken (const Runner * runners, guint n_runners, gboolean brief)
{
  const gint *way_flags = cs_hull_ways;
  CheckWay cpu[] = { CS_HULL_CPU_WAYS (CHECK_WAY) };
  CheckWay cuda[] = { CS_HULL_CUDA_WAYS (CHECK_WAY) };

  if (!cs_hull_filter_has_core ()) {
    excuse_way (cpu, G_N_ELEMENTS (cpu), CS_HULL_BY_CORE, "AVX2 is missing");
    excuse_way (cpu, G_N_ELEMENTS (cpu), CS_HULL_CORE_IN_VAIN,
        "AVX2 is missing");
  }
  if (brief) {
    excuse_way (cuda, G_N_ELEMENTS (cuda), CS_HULL_MORE_SURVIVORS,
        "points are few");
    excuse_way (cuda, G_N_ELEMENTS (cuda), CS_HULL_EMIT_AGAIN,
        "points are few");
    excuse_way (cuda, G_N_ELEMENTS (cuda), CS_HULL_MASK_UPLOADED,
        "all is in device memory");
  }
  if (cs_executor_get_backend (runners[0].executor) == CS_BACKEND_CPU && !brief)
    check_ways ("hulls on the CPU", cpu, G_N_ELEMENTS (cpu));
  if (cs_executor_get_backend (runners[n_runners - 1].executor) ==
      CS_BACKEND_CUDA)
    check_ways ("hulls on CUDA", cuda, G_N_ELEMENTS (cuda));
}
