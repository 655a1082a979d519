/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Edge pixels are the nodes of a graph: a pixel is linked to those beside,
 * above and below it, and to a diagonal one if there is no way around the
 * corner. Thin lines then have two links a pixel, whatever their slope; pixels
 * with one or none are ends, others junctions. Every link becomes part of
 * exactly one chain, between ends and junctions; what has neither is a ring.
 */
#include "edges_private.h"

#include <string.h>

#define N_WAYS 8
/* Ways 0 to 3 are right, down, left and up; 4 to 7 the diagonals clockwise of
 * those: way 4 + i lies between ways i and (i + 1) % 4. */
#define OPPOSITE(way) (((way) & 4) | (((way) + 2) & 3))

/**
 * Linker:
 * @numbers: number of each pixel's edge, from 1; 0 for none. One pixel wider
 *     on all sides.
 * @stride: of @numbers
 * @steps: of the eight ways, in @numbers
 * @places: of each edge, in @numbers
 * @links: of each edge: a bit for each way that has not been gone
 * @degrees: links of each edge at first
 */
typedef struct
{
  const CsEdgesPixels *pixels;
  guint32 *numbers;
  gsize stride;
  gssize steps[N_WAYS];
  gsize *places;
  guint8 *links, *degrees;
  CsStrokePoint *points;
  guint32 *offsets;
  gsize n_points, n_chains;
} Linker;

static guint8
find_links (const Linker * linker, gsize place)
{
  guint8 links = 0;
  guint way;

  for (way = 0; way < 4; way++)
    links |= (linker->numbers[place + linker->steps[way]] != 0) << way;
  for (way = 0; way < 4; way++) {
    const guint8 corner = 1 << way | 1 << (way + 1) % 4;

    if (!(links & corner) &&
        linker->numbers[place + linker->steps[4 + way]] != 0)
      links |= 16 << way;
  }
  return links;
}

static void
add_point (Linker * linker, gsize i)
{
  linker->points[linker->n_points++] = linker->pixels->points[i];
}

static void
end_chain (Linker * linker)
{
  linker->offsets[++linker->n_chains] = linker->n_points;
}

/* The chain that leaves edge @i by the first way that is left. */
static void
follow (Linker * linker, gsize i)
{
  add_point (linker, i);
  do {
    const guint way = g_bit_nth_lsf (linker->links[i], -1);

    linker->links[i] &= ~(1 << way);
    i = linker->numbers[linker->places[i] + linker->steps[way]] - 1;
    linker->links[i] &= ~(1 << OPPOSITE (way));
    add_point (linker, i);
  } while (linker->degrees[i] == 2 && linker->links[i]);
  end_chain (linker);
}

static void
place_pixels (Linker * linker, guint width)
{
  gsize i;

  for (i = 0; i < linker->pixels->n; i++) {
    const guint32 pixel = linker->pixels->pixels[i];

    linker->places[i] = (pixel / width + 1) * linker->stride +
        pixel % width + 1;
    linker->numbers[linker->places[i]] = i + 1;
  }
  for (i = 0; i < linker->pixels->n; i++) {
    guint8 links = linker->links[i] = find_links (linker, linker->places[i]);

    for (linker->degrees[i] = 0; links; links &= links - 1)
      linker->degrees[i]++;
  }
}

static void
link_all (Linker * linker)
{
  gsize i;

  for (i = 0; i < linker->pixels->n; i++) {
    if (linker->degrees[i] == 0) {
      add_point (linker, i);
      end_chain (linker);
    }
    while (linker->degrees[i] != 2 && linker->links[i])
      follow (linker, i);
  }
  for (i = 0; i < linker->pixels->n; i++) {
    if (linker->links[i])
      follow (linker, i);
  }
}

static gboolean
linker_init (Linker * linker, CsEdgesLinkScratch * scratch, guint width,
    guint height, const CsEdgesPixels * pixels, GError ** error)
{
  const gsize size = ((gsize) width + 2) * (height + 2) * sizeof (guint32);
  const gssize stride = (gssize) width + 2, n = pixels->n;
  const gssize steps[N_WAYS] = { 1, stride, -1, -stride, stride + 1,
    stride - 1, -stride - 1, 1 - stride
  };
  const gboolean fits = scratch->numbers.data && scratch->numbers.size >= size;

  memcpy (linker->steps, steps, sizeof (steps));
  linker->pixels = pixels;
  linker->stride = stride;
  linker->numbers = cs_scratch_ensure (&scratch->numbers, size, error);
  if (!linker->numbers)
    return FALSE;
  /* it is left as it was found, all 0 */
  if (!fits)
    memset (linker->numbers, 0, scratch->numbers.size);
  linker->places = cs_scratch_ensure (&scratch->links,
      n * (sizeof (gsize) + 2), error);
  /* there are two links a pixel at most: four ways each, and every chain has a
   * point more than links */
  linker->points = linker->places ? cs_scratch_ensure (&scratch->points,
      5 * n * sizeof (CsStrokePoint), error) : NULL;
  linker->offsets = linker->points ? cs_scratch_ensure (&scratch->offsets,
      (3 * n + 1) * sizeof (guint32), error) : NULL;
  if (!linker->offsets)
    return FALSE;
  linker->links = (guint8 *) (linker->places + n);
  linker->degrees = linker->links + n;
  linker->offsets[0] = 0;
  return TRUE;
}

gboolean
cs_edges_link (CsEdgesLinkScratch * scratch, guint width, guint height,
    const CsEdgesPixels * pixels, const CsStrokePoint ** points,
    const guint32 ** offsets, gsize * n_chains, GError ** error)
{
  Linker linker = { NULL };
  gsize i;

  if (!linker_init (&linker, scratch, width, height, pixels, error))
    return FALSE;
  place_pixels (&linker, width);
  link_all (&linker);
  for (i = 0; i < pixels->n; i++)
    linker.numbers[linker.places[i]] = 0;
  *points = linker.points;
  *offsets = linker.offsets;
  *n_chains = linker.n_chains;
  return TRUE;
}

void
cs_edges_link_clear (CsEdgesLinkScratch * scratch)
{
  cs_scratch_clear (&scratch->numbers);
  cs_scratch_clear (&scratch->links);
  cs_scratch_clear (&scratch->points);
  cs_scratch_clear (&scratch->offsets);
}
