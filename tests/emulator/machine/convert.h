/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What an instruction "cvt" converts, in its field target */

enum
{
  TYPE_CODE_U8,
  TYPE_CODE_S8,
  TYPE_CODE_U16,
  TYPE_CODE_S16,
  TYPE_CODE_U32,
  TYPE_CODE_S32,
  TYPE_CODE_U64,
  TYPE_CODE_S64,
  TYPE_CODE_F16,
  TYPE_CODE_F32,
  TYPE_CODE_F64,
  N_TYPE_CODES,
};

enum
{
  ROUND_NEAREST,
  ROUND_DOWN,
  ROUND_UP,
  ROUND_ZERO,
};

#define CONVERSION(to, from, round, saturates, to_integer) \
    ((to) | (from) << 4 | (round) << 8 | (saturates) << 12 | \
        (to_integer) << 13)
#define CONVERSION_TO(code) ((code) & 15)
#define CONVERSION_FROM(code) ((code) >> 4 & 15)
#define CONVERSION_ROUND(code) ((code) >> 8 & 15)
#define CONVERSION_SATURATES(code) ((code) >> 12 & 1)
#define CONVERSION_TO_INTEGER(code) ((code) >> 13 & 1)
