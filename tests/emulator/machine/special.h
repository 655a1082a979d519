/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Special registers; those with axes are followed by y and z. */
enum
{
  SPECIAL_TID = 0,
  SPECIAL_NTID = 4,
  SPECIAL_CTAID = 8,
  SPECIAL_NCTAID = 12,
  SPECIAL_LANEID = 16,
  SPECIAL_WARPID,
  SPECIAL_NWARPID,
  SPECIAL_SMID,
  SPECIAL_NSMID,
  SPECIAL_LANEMASK_EQ,
  SPECIAL_LANEMASK_LE,
  SPECIAL_LANEMASK_LT,
  SPECIAL_LANEMASK_GE,
  SPECIAL_LANEMASK_GT,
  SPECIAL_DYNAMIC_SHARED,
  SPECIAL_TOTAL_SHARED,
  SPECIAL_CLOCK,
};

/* Reductions at barriers, in an instruction's field "kind" */
enum
{
  REDUCE_AND,
  REDUCE_OR,
  REDUCE_POPC,
};
