/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Device code: samples of type T as values of type V, float or double, which
 * holds them exactly. */

#include <cuda_fp16.h>
#include <stdint.h>

typedef __half CsHalf;

template <typename T, typename V> static __device__ __forceinline__ V
cs_load_sample (const uint8_t * at)
{
  return (V) * (const T *) at;
}

template <> __device__ __forceinline__ float
cs_load_sample<CsHalf, float> (const uint8_t * at)
{
  return __half2float (*(const CsHalf *) at);
}

/* A sample of a plane, or of the input. */
template <typename T, typename V> static __device__ __forceinline__ V
cs_load (bool derived, const uint8_t * at)
{
  return derived ? *(const V *) at : cs_load_sample<T, V> (at);
}

/* A sample is above the level exactly when it is above this. */
template <typename V> static __device__ __forceinline__ V
cs_round_down (double level);

template <> __device__ __forceinline__ float
cs_round_down<float> (double level)
{
  return __double2float_rd (level);
}

template <> __device__ __forceinline__ double
cs_round_down<double> (double level)
{
  return level;
}

/* The instance of the template @function for samples of @type. */
#define CS_FOR_TYPE(function, type) \
    ((type) == CS_SAMPLE_U8 ? function<uint8_t, float> : \
    (type) == CS_SAMPLE_U16 ? function<uint16_t, float> : \
    (type) == CS_SAMPLE_F16 ? function<CsHalf, float> : \
    (type) == CS_SAMPLE_F32 ? function<float, float> : function<double, double>)
