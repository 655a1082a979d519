/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Canny's edges on the CPU, any parameters on any images: one thread and three
 * agree bit for bit; of 8-bit codes every pixel that the oracle calls an edge
 * is visited, at the oracle's point, and nothing else. */

#include "fuzz.h"

#include <math.h>

#include "../kernels/edges/edges_oracle.h"
#include "fuzz_images.h"

#define MAX_SIDE 24

typedef struct
{
  const CsStrokePoint *points;
  const guint32 *offsets;
  gsize n;
} Chains;

static CsEdgesParams
feed_params (Feed * feed)
{
  const guint flags = feed_u8 (feed);
  CsEdgesParams params;

  cs_edges_params_init (&params);
  params.automatic = flags & 1;
  params.sigma = flags & 2 ? 0. : feed_u8 (feed) / 32.;
  params.low = feed_u8 (feed);
  params.high = params.low + feed_u16 (feed) % 1024;
  if ((flags & 0xf0) == 0xf0) {
    params.sigma = feed_double (feed);
    params.low = feed_double (feed);
    params.high = feed_double (feed);
  }
  return params;
}

static float *
read_codes (const CsImage * image)
{
  float *codes = g_new (float, MAX ((gsize) image->width * image->height, 1));

  for (guint y = 0; y < image->height; y++)
    for (guint x = 0; x < image->width; x++)
      codes[y * image->width + x] = ((const guint8 *) image->data)
          [y * image->row_stride + x * image->pixel_stride];
  return codes;
}

/* A point lies less than half a pixel from its pixel. */
static gsize
pixel_of (const OracleEdges * edges, CsStrokePoint point)
{
  const gint x = (gint) floorf (point.x + .5f), y = (gint) floorf (point.y + .5f);

  FUZZ_CHECK (x >= 0 && y >= 0 && (guint) x < edges->width
      && (guint) y < edges->height, "(%g, %g)", point.x, point.y);
  return (gsize) y *edges->width + x;
}

static void
check_chains (const CsEdgesParams * params, const CsImage * image,
    const Chains * chains)
{
  g_autofree float *codes = read_codes (image);
  OracleEdges *edges = oracle_edges (params, image->width, image->height,
      codes);
  g_autofree gboolean *visited = g_new0 (gboolean,
      image->width * image->height + 1);

  for (gsize i = 0; i < chains->n; i++) {
    for (guint32 k = chains->offsets[i]; k < chains->offsets[i + 1]; k++) {
      const CsStrokePoint point = chains->points[k];
      const gsize pixel = pixel_of (edges, point);

      FUZZ_CHECK (edges->is_edge[pixel], "(%g, %g) is no edge", point.x,
          point.y);
      FUZZ_CHECK (edges->points[pixel].x == point.x
          && edges->points[pixel].y == point.y, "(%g, %g) is not (%g, %g)",
          point.x, point.y, edges->points[pixel].x, edges->points[pixel].y);
      visited[pixel] = TRUE;
    }
  }
  for (gsize i = 0; i < (gsize) image->width * image->height; i++)
    FUZZ_CHECK (visited[i] == edges->is_edge[i], "pixel %zu", i);
  oracle_edges_free (edges);
}

static void
check_same (const Chains * a, const Chains * b)
{
  FUZZ_CHECK (a->n == b->n, "threads: %zu chains, %zu", a->n, b->n);
  FUZZ_CHECK (memcmp (a->offsets, b->offsets, (a->n + 1) * 4) == 0,
      "threads: offsets");
  FUZZ_CHECK (a->offsets[a->n] == 0 || memcmp (a->points, b->points,
          a->offsets[a->n] * sizeof (CsStrokePoint)) == 0, "threads: points");
}

static void
run_image (CsEdges * const plans[2], const CsEdgesParams * params,
    const CsImage * image)
{
  Chains chains[2] = { {NULL, NULL, 0}, {NULL, NULL, 0} };
  gboolean done[2];

  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;

    done[i] = cs_edges_run (plans[i], image, &chains[i].points,
        &chains[i].offsets, &chains[i].n, &error);
    FUZZ_CHECK_ERROR (done[i], error);
    FUZZ_CHECK (done[i] || error->code == CS_ERROR_INVALID, "%s",
        error->message);
  }
  FUZZ_CHECK (done[0] == done[1], "threads do not agree");
  if (!done[0])
    return;
  check_same (&chains[0], &chains[1]);
  if (image->type == CS_SAMPLE_U8)
    check_chains (params, image, &chains[0]);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Feed feed = { data, size };
  const CsEdgesParams params = feed_params (&feed);
  CsEdges *plans[2];

  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;

    plans[i] = cs_edges_new (&params, fuzz_executor (i), &error);
    FUZZ_CHECK_ERROR (plans[i] != NULL, error);
  }
  FUZZ_CHECK (!plans[0] == !plans[1], "threads do not agree");
  for (guint n = 1 + feed_below (&feed, 3); plans[0] && n > 0; n--) {
    FuzzImage picture = { NULL, {0,} };
    CsImage *image = &picture.image;

    image->type = feed_below (&feed, 4) ? CS_SAMPLE_U8 : feed_below (&feed, 5);
    image->width = feed_below (&feed, MAX_SIDE + 1);
    image->height = feed_below (&feed, MAX_SIDE + 1);
    image->channels = 1 + (feed_below (&feed, 16) == 0);
    feed_strides (&feed, image);
    fuzz_image_fill (&picture, &feed);
    run_image (plans, &params, image);
    g_free (picture.data);
  }
  cs_edges_free (plans[0]);
  cs_edges_free (plans[1]);
  return 0;
}
