/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The plan on CUDA, between contours_cuda.cu, contours_cuda_scratch.cu,
 * contours_cuda_upload.cu, contours_cuda_beside.cu and
 * contours_cuda_graph.cu. */

#include "contours_cuda.cuh"

#include "base/cuda_base.h"
#include "base/cuda_memory.h"
#include "contours_private.h"

/* Blocks per multiprocessor of grid-stride kernels. */
#define BLOCKS_PER_SM 8

typedef struct
{
  gsize segments, fragments, contours, points;
} Capacity;

/* What the graph and the scratch memory depend on. */
typedef struct
{
  CsSampleType type, user_type;
  guint width, height;
  Capacity capacity;
} Shape;

typedef struct
{
  CsCudaGraph graph;
  cudaGraphNode_t range_node, count_node, choose_node, tile_node;
} Graph;

typedef struct
{
  const CsContours *plan;
  cudaStream_t stream;          /* the executor's: memory, and single frames */
  /* of batches: where a frame is computed while others are, until they join on
   * the executor's stream */
  cudaStream_t beside;
  cudaEvent_t event;
  gboolean is_beside;
  guint n_processors;
  CsSampleType user_type;
  gboolean late_filter;
  Shape shape;
  Capacity wanted;
  CsCudaScratch scratch, staging, mask_staging, planes, bordered_mask;
  /* what frames are uploaded with, those of other states, too */
  CsCudaCopier copier;
  CsArray parts;                /* CsCudaPart */
  cudaStream_t upload_stream;
  cudaEvent_t uploaded[CS_CONTOURS_AT_ONCE];
  CsCudaScratch sources;        /* the plan's, with their members; once */
  gsize zeroed_size;
  Graph general, direct;
  guint range_blocks, tile_blocks;
  gboolean may_be_direct;
  guint64 n_contours;           /* of the last frame */
  CsFrame frame;                /* of the last launch */
  CsArrays to_host;             /* what the caller reads of it */
  CsPublished *published;
  CsPublished *device_published;        /* its device address */
} CsContoursCuda;

static inline guint
blocks_for (const CsContoursCuda * cuda, gsize n, guint a_block)
{
  return (guint) CLAMP ((n + a_block - 1) / a_block, 1,
      cuda->n_processors * BLOCKS_PER_SM);
}

/* The stream that the frame is computed on. */
static inline cudaStream_t
cs_contours_cuda_stream (const CsContoursCuda * cuda)
{
  return cuda->is_beside ? cuda->beside : cuda->stream;
}

/* Memory of frames of @shape, and what of the frame depends on it. */
gboolean cs_contours_cuda_make_scratch (CsContoursCuda * cuda,
    const Shape * shape, GError ** error);

/* The parameters that may change without a new shape. */
void cs_contours_cuda_fill_scalars (CsContoursCuda * cuda);

/* The graphs of the shape, after its memory. */
gboolean cs_contours_cuda_make_graphs (CsContoursCuda * cuda, GError ** error);

/* Queues the frame. */
gboolean cs_contours_cuda_launch (CsContoursCuda * cuda, GError ** error);

/* As the backend's upload(). */
gboolean cs_contours_cuda_upload (void *const *states, CsContoursView * views,
    guint n, CsContoursReadyFunc ready, void *user_data, GError ** error);

/* Frees what is made for uploads. */
void cs_contours_cuda_clear_upload (CsContoursCuda * cuda);

/* A stream beside the executor's, and an event, made once. FALSE: there is
 * none. */
gboolean cs_contours_cuda_ensure_stream (cudaStream_t * stream);
gboolean cs_contours_cuda_ensure_event (cudaEvent_t * event);

/* Where the next frames of @states are computed: side by side, if there are
 * several, and streams for that. */
void cs_contours_cuda_place (CsContoursCuda * const *states, guint n);

/* What is queued next for the frame waits for what is queued on the executor's
 * stream, where memory is allocated. */
gboolean cs_contours_cuda_follow (CsContoursCuda * cuda, GError ** error);

/* As the backend's join(). */
gboolean cs_contours_cuda_join (void *const *states, guint n, gint32 first_id,
    GError ** error);
void cs_contours_cuda_clear_beside (CsContoursCuda * cuda);

/* Waits for all that is queued, whatever has failed. */
void cs_contours_cuda_drain (CsContoursCuda * cuda);
