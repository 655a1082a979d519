/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Numbers that are the same everywhere for the same state. */

#include <glib.h>

/* splitmix64 */
static inline guint64
random_bits (guint64 * state)
{
  guint64 z = *state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* 0 .. n - 1 */
static inline guint
random_below (guint64 * state, guint n)
{
  return random_bits (state) % n;
}

/* 0 .. 1 */
static inline double
random_unit (guint64 * state)
{
  return (random_bits (state) >> 11) * 0x1p-53;
}
