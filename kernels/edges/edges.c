/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "edges_private.h"

#include <math.h>
#include <string.h>

#define MAX_SIGMA 20
#define MAX_PIXELS (G_GUINT64_CONSTANT (1) << 31)

void
cs_edges_params_init (CsEdgesParams * params)
{
  *params = (CsEdgesParams) {
    .sigma = 3,
    .low = 10,
    .high = 100,
    .automatic = FALSE,
    .white = 1,
  };
}

static gboolean
check_params (const CsEdgesParams * params, GError ** error)
{
  if (!(params->sigma >= 0 && params->sigma <= MAX_SIGMA))
    return cs_error (error, CS_ERROR_INVALID,
        "a blur of sigma %g: it must be 0 to %d", params->sigma, MAX_SIGMA);
  if (!(params->low >= 0 && params->high >= params->low &&
          isfinite (params->high)))
    return cs_error (error, CS_ERROR_INVALID,
        "thresholds of %g (low) and %g (high): low must be at least 0 and high "
        "at least low", params->low, params->high);
  if (!(params->white >= 0 && isfinite (params->white)))
    return cs_error (error, CS_ERROR_INVALID,
        "a white of %g: it must be at least 0", params->white);
  return TRUE;
}

/* Truncated at three sigma, normalised. */
static void
init_kernel (const CsEdgesParams * params, CsEdgesKernel * kernel)
{
  double weights[CS_EDGES_MAX_RADIUS + 1], sum = 1;

  kernel->radius = ceil (3 * params->sigma);
  /* automatic: of all ridges, and at least */
  kernel->low2 = params->automatic ? 0 : params->low * params->low;
  kernel->high2 = params->automatic ? params->low * params->low :
      params->high * params->high;
  kernel->scale = params->white > 0 ? 1. / params->white : 1;
  weights[0] = 1;
  for (guint i = 1; i <= kernel->radius; i++) {
    weights[i] = exp (-.5 * i * i / (params->sigma * params->sigma));
    sum += 2 * weights[i];
  }
  for (guint i = 0; i <= kernel->radius; i++)
    kernel->weights[i] = weights[i] / sum;
}

/**
 * cs_edges_new:
 * @params: copied
 * @executor: must outlive the plan
 * @error: CS_ERROR_INVALID or CS_ERROR_NOT_SUPPORTED
 *
 * Returns: a plan
 */
CsEdges *
cs_edges_new (const CsEdgesParams * params, CsExecutor * executor,
    GError ** error)
{
  const CsEdgesBackend *backend;

  if (!check_params (params, error))
    return NULL;
  backend = cs_executor_choose (executor, &cs_edges_cpu_backend,
      CS_IF_CUDA (&cs_edges_cuda_backend), "edges", error);
  if (!backend)
    return NULL;

  CsEdges *edges = g_new0 (CsEdges, 1);
  edges->params = *params;
  edges->executor = executor;
  edges->backend = backend;
  init_kernel (params, &edges->kernel);
  edges->state = backend->create (edges, error);
  if (!edges->state) {
    cs_edges_free (edges);
    return NULL;
  }
  return edges;
}

/**
 * cs_edges_set_params:
 * @edges: a plan
 * @params: parameters of later runs
 * @error: CS_ERROR_INVALID
 *
 * Returns: whether they are valid; otherwise the plan keeps its parameters
 */
gboolean
cs_edges_set_params (CsEdges * edges, const CsEdgesParams * params,
    GError ** error)
{
  if (!check_params (params, error))
    return FALSE;
  edges->params = *params;
  init_kernel (params, &edges->kernel);
  return TRUE;
}

/*
 * Edge pixels are the nodes of a graph: a pixel is linked to its 4-neighbours,
 * and to a diagonal neighbour if they have no common 4-neighbour. The pixels of
 * thin lines of any slope then have degree two; pixels of degree one or none
 * are end points, others junctions. Every link belongs to exactly one chain
 * between end points and junctions; a component without either is a closed
 * chain.
 */

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

/* Links edge pixels into chains, owned by @scratch until the next call. */
static gboolean
link_pixels (CsEdgesLinkScratch * scratch, guint width, guint height,
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
cs_edges_free (CsEdges * edges)
{
  if (!edges)
    return;
  if (edges->state)
    edges->backend->destroy (edges->state);
  cs_scratch_clear (&edges->link.numbers);
  cs_scratch_clear (&edges->link.links);
  cs_scratch_clear (&edges->link.points);
  cs_scratch_clear (&edges->link.offsets);
  g_free (edges);
}

static gboolean
check_strides (const CsImage * image, GError ** error)
{
  const gsize size = cs_sample_size (image->type);

  if (image->width == 0 || image->height == 0)
    return TRUE;
  if (!image->data || image->pixel_stride < size || image->row_stride <
      (gsize) (image->width - 1) * image->pixel_stride + size ||
      image->pixel_stride % size || image->row_stride % size ||
      (guintptr) image->data % size)
    return cs_error (error, CS_ERROR_INVALID, "an image with strides of %"
        G_GSIZE_FORMAT " (pixel) and %" G_GSIZE_FORMAT
        " (row) bytes: they, and the address, must be multiples of a sample's %"
        G_GSIZE_FORMAT " and samples must not overlap", image->pixel_stride,
        image->row_stride, size);
  return TRUE;
}

static gboolean
check_image (const CsEdges * edges, const CsImage * image, GError ** error)
{
  if (image->channels != 1 || (image->type != CS_SAMPLE_U8 &&
          image->type != CS_SAMPLE_U16 && image->type != CS_SAMPLE_F32))
    return cs_error (error, CS_ERROR_INVALID,
        "edges are found in one channel of 8 bits, 16 bits or floats, not in "
        "%u channels of type %d", image->channels, image->type);
  if (image->memory == CS_MEMORY_DEVICE &&
      cs_executor_get_backend (edges->executor) == CS_BACKEND_CPU)
    return cs_error (error, CS_ERROR_INVALID,
        "the image is in GPU memory: download it first to use the CPU");
  if ((guint64) image->width * image->height >= MAX_PIXELS)
    return cs_error (error, CS_ERROR_LIMIT, "an image of %u x %u pixels is too "
        "large: there must be fewer than 2^31", image->width, image->height);
  return check_strides (image, error);
}

/**
 * cs_edges_run:
 * @edges: a plan
 * @image: one channel
 * @points: (out): the points of all chains, concatenated
 * @offsets: (out): the first point of each chain, and the end of the last
 * @n_chains: (out): number of chains
 * @error: CS_ERROR_INVALID, CS_ERROR_LIMIT, CS_ERROR_NO_MEMORY or
 *     CS_ERROR_DEVICE
 *
 * Finds edges; see edges.h.
 *
 * Returns: %FALSE on failure; there are no chains then
 */
gboolean
cs_edges_run (CsEdges * edges, const CsImage * image,
    const CsStrokePoint ** points, const guint32 ** offsets, gsize * n_chains,
    GError ** error)
{
  static const guint32 no_offsets[1];
  CsEdgesPixels pixels = { NULL };

  *points = NULL;
  *offsets = no_offsets;
  *n_chains = 0;
  if (!check_image (edges, image, error))
    return FALSE;
  if (image->width == 0 || image->height == 0)
    return TRUE;
  if (!edges->backend->run (edges->state, image, &pixels, error))
    return FALSE;
  return pixels.n == 0 || link_pixels (&edges->link, image->width,
      image->height, &pixels, points, offsets, n_chains, error);
}
