/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Images of any type, size and strides for the kernels, in memory that is as
 * large as they say and no larger. */

#include "base/executor.h"
#include "base/image.h"
#include "fuzz.h"

G_BEGIN_DECLS

/**
 * FuzzImage:
 * @data: to be freed
 * @image: a view of it
 */
typedef struct
{
  guint8 *data;
  CsImage image;
} FuzzImage;

/* Strides that fit @image's type and size, with or without padding; or, now
 * and then, any strides, which a plan may refuse. */
void feed_strides (Feed * feed, CsImage * image);

/* Of one thread, or @more; kept. */
CsExecutor *fuzz_executor (gboolean more);

/* A sample of the first channel */
double fuzz_image_get (const CsImage * image, guint x, guint y);

/* Makes the memory of @picture, whose image is set but for its data, and fills
 * it with samples made of the feed's bytes, which are repeated and stay. */
void fuzz_image_fill (FuzzImage * picture, Feed * feed);

/**
 * FuzzPool:
 * @data: the last allocation, freed with free()
 * @fails: whether allocations fail
 *
 * Memory for results, with the signature of the alloc callbacks.
 */
typedef struct
{
  guint8 *data;
  gboolean fails;
} FuzzPool;

void *fuzz_pool_alloc (void *pool, gsize size, gboolean host);

G_END_DECLS
