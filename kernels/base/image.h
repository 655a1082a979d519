/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <math.h>
#include <string.h>

#include <glib.h>

G_BEGIN_DECLS

/**
 * CsSampleType:
 * @CS_SAMPLE_U8: unsigned 8 bit
 * @CS_SAMPLE_U16: unsigned 16 bit, native endianness
 * @CS_SAMPLE_F16: IEEE 754 half precision
 * @CS_SAMPLE_F32: IEEE 754 single precision
 * @CS_SAMPLE_F64: IEEE 754 double precision
 */
typedef enum
{
  CS_SAMPLE_U8,
  CS_SAMPLE_U16,
  CS_SAMPLE_F16,
  CS_SAMPLE_F32,
  CS_SAMPLE_F64,
} CsSampleType;

/**
 * CsMemory:
 * @CS_MEMORY_HOST: ordinary (pageable) host memory
 * @CS_MEMORY_PINNED: page-locked host memory, which the GPU copies faster
 * @CS_MEMORY_DEVICE: memory of the executor's GPU
 */
typedef enum
{
  CS_MEMORY_HOST,
  CS_MEMORY_PINNED,
  CS_MEMORY_DEVICE,
} CsMemory;

/**
 * CsImage:
 * @data: sample (channel 0, row 0, column 0)
 * @type: type of every sample
 * @memory: where @data lies
 * @width: columns
 * @height: rows
 * @channels: channels, at least 1
 * @pixel_stride: bytes from a sample to the one a column to the right
 * @row_stride: bytes from a sample to the one a row below
 * @channel_stride: bytes from a sample to the one in the next channel
 *
 * A view of somebody else's samples: it owns nothing. H x W x C tensors have
 * channel_stride = size and pixel_stride = channels * size; C x H x W tensors
 * have pixel_stride = size and channel_stride = height * row_stride.
 */
typedef struct
{
  const void *data;
  CsSampleType type;
  CsMemory memory;
  guint width, height, channels;
  gsize pixel_stride, row_stride, channel_stride;
} CsImage;

/* Bytes of one sample of @type. */
gsize cs_sample_size (CsSampleType type);

/* A single-channel view of densely packed pixels; @row_stride in bytes. */
CsImage cs_image_gray (const void *data, CsSampleType type, guint width,
    guint height, gsize row_stride);

/* IEEE 754 half to double, exact. */
static inline double
cs_half_to_double (guint16 half)
{
  const guint32 exponent = (half >> 10) & 0x1f, mantissa = half & 0x3ff;
  double value;

  if (exponent == 0)
    value = mantissa * (1. / 16777216.);        /* 2^-24 */
  else if (exponent < 31)
    value = (double) (1024 + mantissa) * (double) (1u << exponent) *
        (1. / 33554432.);       /* 2^-25 */
  else
    value = mantissa ? (double) NAN : (double) INFINITY;
  return half & 0x8000 ? -value : value;
}

/* The sample at @at, exact; it need not be aligned. */
static inline double
cs_sample_load (const void *at, CsSampleType type)
{
  guint16 word;
  float single;
  double value;

  switch (type) {
    case CS_SAMPLE_U8:
      return *(const guint8 *) at;
    case CS_SAMPLE_U16:
      memcpy (&word, at, sizeof (word));
      return word;
    case CS_SAMPLE_F16:
      memcpy (&word, at, sizeof (word));
      return cs_half_to_double (word);
    case CS_SAMPLE_F32:
      memcpy (&single, at, sizeof (single));
      return single;
    default:
      memcpy (&value, at, sizeof (value));
      return value;
  }
}

G_END_DECLS
