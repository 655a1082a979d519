/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The binary interface of DLPack 1, with which libraries of arrays exchange
 * memory. */

#include <stdint.h>

#define DLPACK_CUDA 2
#define DLPACK_CUDA_MANAGED 13

#define DLPACK_INT 0
#define DLPACK_UINT 1
#define DLPACK_FLOAT 2
#define DLPACK_BOOL 6

#define DLPACK_NAME "dltensor"
#define DLPACK_NAME_USED "used_dltensor"
#define DLPACK_VERSIONED_NAME "dltensor_versioned"
#define DLPACK_VERSIONED_NAME_USED "used_dltensor_versioned"

/* @device, @device_id: where; @code, @bits, @lanes: the elements' type;
 * @strides: in elements, NULL for a contiguous array */
typedef struct
{
  void *data;
  int32_t device, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} DlTensor;

typedef struct _DlManaged DlManaged;
struct _DlManaged
{
  DlTensor tensor;
  void *data;
  void (*free) (DlManaged * self);
};

typedef struct _DlVersioned DlVersioned;
struct _DlVersioned
{
  uint32_t major, minor;
  void *data;
  void (*free) (DlVersioned * self);
  uint64_t flags;
  DlTensor tensor;
};
