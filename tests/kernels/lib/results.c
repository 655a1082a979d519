/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "results.h"

#include <stdlib.h>
#include <string.h>

#include "check_device.h"

static void
free_blocks (Result * result)
{
  if (result->is_pinned)
    check_device_free_pinned (result->block);
  else
    free (result->block);
  if (result->device_block)
    check_device_free (result->device_block);
  result->block = result->device_block = NULL;
}

/* What is large enough is given again, as a pool does. */
static void *
alloc_block (void *user_data, gsize size, gboolean host)
{
  Result *result = user_data;
  gpointer *block = host ? &result->block : &result->device_block;
  gsize *room = host ? &result->block_size : &result->device_size;

  if (*block && size <= *room)
    return *block;
  if (host && !result->is_pinned)
    free (*block);
  else if (*block && host)
    check_device_free_pinned (*block);
  else if (*block)
    check_device_free (*block);
  if (host && !result->is_pinned)
    *block = aligned_alloc (256, (size + 255) / 256 * 256);
  else
    *block = host ? check_device_alloc_pinned (size) :
        check_device_alloc (size);
  *room = *block ? size : 0;
  return *block;
}

void
result_init (Result * result, gboolean on_cuda)
{
  *result = (Result) { .is_pinned = on_cuda };
  result->output.alloc = alloc_block;
  result->output.user_data = result;
  result->output.want_host = TRUE;
}

void
result_clear (Result * result)
{
  if (result->block || result->device_block)
    free_blocks (result);
}

static gboolean
same_bytes (const void *a, const void *b, gsize size)
{
  return size == 0 || memcmp (a, b, size) == 0;
}

gboolean
result_equals (const Result * a, const Result * b)
{
  const CsContoursOutput *p = &a->output, *q = &b->output;
  const gsize n = p->n_contours;

  return n == q->n_contours && p->n_points == q->n_points &&
      p->n_segments == q->n_segments && p->n_dropped == q->n_dropped &&
      same_bytes (p->points, q->points, 2 * sizeof (float) * p->n_points) &&
      same_bytes (p->offsets, q->offsets, sizeof (guint32) * (n + 1)) &&
      same_bytes (p->contours, q->contours, sizeof (CsContour) * n) &&
      !p->moments == !q->moments && (!p->moments || same_bytes (p->moments,
          q->moments, sizeof (CsContourMoments) * n));
}
