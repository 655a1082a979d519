/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>

#include "base/executor.h"
#include "gstshapesbackend.h"
#include "gstshapesproperties.h"
#include "cuda/gstshapesslab.h"

#define GST_TYPE_SHAPES_TRANSFORM (gst_shapes_transform_get_type ())
#define GST_SHAPES_TRANSFORM(obj) \
  (G_TYPE_CHECK_INSTANCE_CAST ((obj), GST_TYPE_SHAPES_TRANSFORM, \
      GstShapesTransform))
#define GST_SHAPES_TRANSFORM_CAST(obj) ((GstShapesTransform *) (obj))
#define GST_SHAPES_TRANSFORM_CLASS(klass) \
  (G_TYPE_CHECK_CLASS_CAST ((klass), GST_TYPE_SHAPES_TRANSFORM, \
      GstShapesTransformClass))
#define GST_SHAPES_TRANSFORM_GET_CLASS(obj) \
  (G_TYPE_INSTANCE_GET_CLASS ((obj), GST_TYPE_SHAPES_TRANSFORM, \
      GstShapesTransformClass))
#define GST_IS_SHAPES_TRANSFORM(obj) \
  (G_TYPE_CHECK_INSTANCE_TYPE ((obj), GST_TYPE_SHAPES_TRANSFORM))

typedef struct _GstShapesTransform GstShapesTransform;
typedef struct _GstShapesTransformClass GstShapesTransformClass;
typedef struct _GstShapesTransformPrivate GstShapesTransformPrivate;

/**
 * GstShapesTransform:
 * @executor: where kernels run, from open() to close()
 * @slabs: where results live, from open() to close()
 * @context: (nullable): the GstCudaContext, %NULL on the CPU
 * @stream: (nullable): the CUDA stream of @executor, %NULL on the CPU
 * @host_executor: (nullable): beside a GPU that backend=auto has chosen, an
 *     executor on the CPU, from open() to close(), for what is done sooner
 *     there: little data that is in host memory. %NULL on the CPU, and with
 *     backend=cuda, which asks for the GPU
 *
 * What every element that computes has in common: the properties backend,
 * cuda-device-id, active-backend, n-threads and dropped, the choice of the
 * backend on READY to PAUSED, and sharing of CUDA contexts with the pipeline.
 * An element that only adds metadata implements transform_ip(); one that writes
 * pixels implements transform(); both bracket their work with
 * gst_shapes_transform_begin() and gst_shapes_transform_end().
 *
 * Subclasses that implement set_caps() chain up. The fields are the streaming
 * thread's, and read-only to subclasses.
 */
struct _GstShapesTransform
{
  GstBaseTransform parent;

  CsExecutor *executor;
  GstShapesSlabPool *slabs;
  gpointer context;
  gpointer stream;
  CsExecutor *host_executor;

  /*< private >*/
  GstShapesTransformPrivate *priv;
};

/**
 * GstShapesTransformClass:
 * @open: the executor is there: make what belongs to it (plans, tables). May
 *     be called again after close(), when another CUDA context is adopted.
 *     When it fails on CUDA, backend=auto tries again on the CPU.
 * @close: the executor is about to go: free what was made on it. Also called
 *     after an open() that failed.
 *
 * @offers_video_meta: whether to tell upstream that frames may come with a
 *     GstVideoMeta, as an element does that paints on some frames and passes
 *     others through
 * @passes_gaps: whether gaps without memory go on as they are, as they do
 *     through an element that works on pixels
 *
 * The CUDA context, if any, is current in @open and @close.
 */
struct _GstShapesTransformClass
{
  GstBaseTransformClass parent_class;

  gboolean (*open) (GstShapesTransform * self, GError ** error);
  void (*close) (GstShapesTransform * self);

  gboolean offers_video_meta, passes_gaps;
};

GType gst_shapes_transform_get_type (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstShapesTransform, gst_object_unref)

/* Before the work on a buffer: adopts the CUDA context of @buffer's memory if
 * that is another one on an allowed device, and makes the context current.
 * @buffer: (nullable): %NULL for work that belongs to no buffer
 * Returns: %FALSE after posting an error; else call gst_shapes_transform_end()
 * when done. */
gboolean gst_shapes_transform_begin (GstShapesTransform * self,
    GstBuffer * buffer);
void gst_shapes_transform_end (GstShapesTransform * self);

/* The work of one buffer. The CUDA context, if any, is current. */
typedef gboolean (*GstShapesTransformFunc) (GstShapesTransform * self,
    GstBuffer * buffer, GError ** error);

/* What a transform_ip() does that is nothing but @func: begins, calls it, ends,
 * and deals with its failure as gst_shapes_transform_fail_buffer(). */
GstFlowReturn gst_shapes_transform_run (GstShapesTransform * self,
    const gchar * what, GstBuffer * buffer, GstShapesTransformFunc func);

/* Whether the element has started on the GPU. From any thread, also in a query
 * that arrives while the element stops, when the fields of @self may not be
 * read. */
gboolean gst_shapes_transform_has_gpu (GstShapesTransform * self);

/* From any thread, too.
 *
 * Returns: (transfer full) (nullable): the allocator of page-locked memory that
 *     the element offers upstream, %NULL on the CPU */
GstAllocator *gst_shapes_transform_get_pinned (GstShapesTransform * self);

/* CUDA only: whether downstream said, in its answer to an ALLOCATION query,
 * that it reads layers on the GPU. Asks once after each caps change; a metadata
 * element uses it to leave out the download. FALSE on the CPU. */
gboolean gst_shapes_transform_downstream_reads_device (
    GstShapesTransform * self);

/* What an element returns for a frame that could not be read or worked on: if
 * only this frame is at fault (GstShapesDrops), it is counted in the property
 * "dropped", reported and dropped; everything else is an error, which is
 * posted.
 *
 * @what: what could not be done, "Cannot find contours" */
GstFlowReturn gst_shapes_transform_fail_buffer (GstShapesTransform * self,
    const gchar * what, GstBuffer * buffer, const GError * error);

/* Posts @error, which a kernel or the frame access reported, as the element
 * message it deserves. */
void gst_shapes_transform_post_error (GstShapesTransform * self,
    const gchar * what, const GError * error);
