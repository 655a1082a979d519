/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Edge pixels are the nodes of a graph: a pixel is linked to its 4-neighbours,
 * and to a diagonal neighbour if they have no common 4-neighbour. The pixels of
 * thin lines of any slope then have degree two; pixels of degree one or none
 * are end points, others junctions. Every link belongs to exactly one chain
 * between end points and junctions; a component without either is a closed
 * chain.
 */
#include "edges_private.h"

#include <string.h>

#define N_NEIGHBOURS 8
/* Directions 0 to 3 are right, down, left and up; 4 to 7 the diagonals
 * clockwise of those: direction 4 + i lies between i and (i + 1) % 4. */
#define OPPOSITE(direction) (((direction) & 4) | (((direction) + 2) & 3))

/**
 * Linker:
 * @numbers: index of each pixel's node, from 1; 0 for none. With a border of
 *     one pixel.
 * @stride: of @numbers
 * @steps: offsets of the eight neighbours in @numbers
 * @places: position of each node in @numbers
 * @links: of each node: a bit for each direction not traversed yet
 * @degrees: initial number of links of each node
 */
typedef struct
{
  const CsEdgesPixels *pixels;
  guint32 *numbers;
  gsize stride;
  gssize steps[N_NEIGHBOURS];
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

  for (guint direction = 0; direction < 4; direction++)
    links |= (linker->numbers[place + linker->steps[direction]] != 0) <<
        direction;
  for (guint direction = 0; direction < 4; direction++) {
    const guint8 corner = 1 << direction | 1 << (direction + 1) % 4;

    if (!(links & corner) &&
        linker->numbers[place + linker->steps[4 + direction]] != 0)
      links |= 16 << direction;
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

/* Traces the chain from node @i along its first remaining link. */
static void
trace_chain (Linker * linker, gsize i)
{
  add_point (linker, i);
  do {
    const guint direction = g_bit_nth_lsf (linker->links[i], -1);

    linker->links[i] &= ~(1 << direction);
    i = linker->numbers[linker->places[i] + linker->steps[direction]] - 1;
    linker->links[i] &= ~(1 << OPPOSITE (direction));
    add_point (linker, i);
  } while (linker->degrees[i] == 2 && linker->links[i]);
  end_chain (linker);
}

static void
place_pixels (Linker * linker, guint width)
{
  for (gsize i = 0; i < linker->pixels->n; i++) {
    const guint32 pixel = linker->pixels->pixels[i];

    linker->places[i] = (pixel / width + 1) * linker->stride +
        pixel % width + 1;
    linker->numbers[linker->places[i]] = i + 1;
  }
  for (gsize i = 0; i < linker->pixels->n; i++) {
    guint8 links = linker->links[i] = find_links (linker, linker->places[i]);

    for (linker->degrees[i] = 0; links; links &= links - 1)
      linker->degrees[i]++;
  }
}

static void
link_all (Linker * linker)
{
  for (gsize i = 0; i < linker->pixels->n; i++) {
    if (linker->degrees[i] == 0) {
      add_point (linker, i);
      end_chain (linker);
    }
    while (linker->degrees[i] != 2 && linker->links[i])
      trace_chain (linker, i);
  }
  for (gsize i = 0; i < linker->pixels->n; i++) {
    if (linker->links[i])
      trace_chain (linker, i);
  }
}

static gboolean
linker_init (Linker * linker, CsEdgesLinkScratch * scratch, guint width,
    guint height, const CsEdgesPixels * pixels, GError ** error)
{
  const gsize size = ((gsize) width + 2) * (height + 2) * sizeof (guint32);
  const gssize stride = (gssize) width + 2, n = pixels->n;
  const gssize steps[N_NEIGHBOURS] = { 1, stride, -1, -stride, stride + 1,
    stride - 1, -stride - 1, 1 - stride
  };
  const gboolean fits = scratch->numbers.data && scratch->numbers.size >= size;

  memcpy (linker->steps, steps, sizeof (steps));
  linker->pixels = pixels;
  linker->stride = stride;
  linker->numbers = cs_scratch_ensure (&scratch->numbers, size, error);
  if (!linker->numbers)
    return FALSE;
  /* all 0 between calls */
  if (!fits)
    memset (linker->numbers, 0, scratch->numbers.size);
  linker->places = cs_scratch_ensure (&scratch->links,
      n * (sizeof (gsize) + 2), error);
  /* at most two links per pixel, and every chain has one point more than
   * links */
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

  if (!linker_init (&linker, scratch, width, height, pixels, error))
    return FALSE;
  place_pixels (&linker, width);
  link_all (&linker);
  for (gsize i = 0; i < pixels->n; i++)
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
