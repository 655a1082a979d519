/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Reads runs of pixels and sums up their samples. */

#include "stats.h"
#include "stats_lab.h"

G_BEGIN_DECLS

/* Samples that are not summed up yet: runs are short, and vectors long. Gray of
 * 8 bits is kept as bytes, whose sums fit into 32 bits, pixels of four bytes
 * whose luma is wanted as they are, everything else in @samples, for each
 * channel. */
#define CS_STATS_BLOCK 1024

typedef struct
{
  guint n_bytes, n_pixels, n;
  guint8 bytes[4 * CS_STATS_BLOCK];
  guint32 pixels[CS_STATS_BLOCK];
  gint32 samples[CS_STATS_MAX_CHANNELS][CS_STATS_BLOCK];
} CsStatsBlock;

/**
 * CsStatsReader:
 * @input: what is read
 * @lab: of CS_STATS_LAB
 * @weights: of the luma of RGB, in steps of 1 / 65536
 * @is_packed: RGB of 8 bits whose components share pixels of four bytes, of
 *     which luma is wanted
 * @first: the component that comes first in these
 * @pixel_size: bytes from there to the end of the last component
 * @shifts: of each component, in pixels that begin there
 */
typedef struct
{
  const CsStatsInput *input;
  const CsLabTable *lab;
  gint32 weights[3];
  gboolean is_packed;
  guint first, pixel_size, shifts[3];
} CsStatsReader;

/* What red, green and blue count in the luma of @picture, in steps of 1 /
 * 65536; they add up to one. */
void cs_stats_get_weights (const CsPicture * picture, gint32 weights[3]);

/* @input has been checked. */
void cs_stats_reader_init (CsStatsReader * reader, const CsStatsInput * input);

/* Empty. */
void cs_stats_block_init (CsStatsBlock * block);

/* Adds @n pixels from (@x, @y) on, which are inside the picture or image of
 * @region. Its samples are in @sums only after a flush. */
void cs_stats_block_add (CsStatsBlock * block, const CsStatsReader * reader,
    const CsStatsRegion * region, guint y, guint x, guint n,
    CsStatsSums * sums);

/* Sums up what is left; the block is empty then. */
void cs_stats_block_flush (CsStatsBlock * block, const CsStatsReader * reader,
    CsStatsSums * sums);

G_END_DECLS
