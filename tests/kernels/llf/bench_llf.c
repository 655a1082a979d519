/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bench_llf.h"
int
bench_llf (void)
{
  return 0;
}
