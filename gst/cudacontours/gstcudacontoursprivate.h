/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Between the parts of cudacontours: gstcudacontours.c is the element and posts
 * what it found, gstcudacontoursregion.c its region of interest and mask,
 * gstcudacontourstargets.c what to find, gstcudacontoursrun.c has the plans and
 * finds it, gstcudacontourslabels.c finds polygons of labels,
 * gstcudacontoursmasks.c in masks of regions; it also reads what metadata of
 * frames have. */

#include <gst/video/video.h>

#include "contours/contours.h"
#include "element/gstshapestransform.h"
#include "gstcudacontoursclasses.h"
#include "gstcudacontourssettings.h"
#include "element/gstshapesaspect.h"
#include "element/gstshapesframe.h"
#include "element/gstshapesgray.h"
#include "element/gstshapestensormeta.h"

#define GST_TYPE_CUDA_CONTOURS (gst_cuda_contours_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaContours, gst_cuda_contours, GST, CUDA_CONTOURS,
    GstShapesTransform)

GST_DEBUG_CATEGORY_EXTERN (contours_debug);

/* The mask of a file, and its copy on the GPU, made when first used. */
typedef struct
{
  gchar *path;
  guint8 *data;
  guint width, height;
  GstShapesSlab *slab;
  gpointer device;
} ContoursMask;

/* A region of interest of the images, and its id, -1 for none. */
typedef struct
{
  GstShapesRegion region;
  gint32 id;
} ContoursRoi;

/* A plan for images of one size. */
typedef struct
{
  guint width, height;
  CsContours *plan;
} ContoursPlan;

struct _GstCudaContours
{
  GstShapesTransform parent;

  /* with the object lock */
  ContoursSettings settings;
  gboolean settings_changed;

  /* streaming thread: what caps and settings come to */
  ContoursSettings current;
  GstCaps *caps;
  gboolean is_tensor;
  gboolean warned_about_meta;
  GstShapesAspect aspect;
  GstVideoInfo video;
  GstShapesTensorInfo tensor;
  /* of the images, and of the shapes' coordinates */
  guint width, height;
  guint frame_width, frame_height;
  /* area of a pixel of the images in the shapes' coordinates */
  gdouble pixel_area;
  /* of the regions of interest, ContoursRoi, the current one */
  GstShapesRegion roi;
  gint32 region_id;
  GArray *rois;
  gboolean warned_about_rois;
  /* what the last error about settings said; it is posted once */
  gchar *posted;
  ContoursMask mask;
  GstShapesGray gray;
  CsContoursTarget *targets;
  guint n_targets;
  /* ContoursGroup */
  GArray *groups;
  /* ContoursClassArea */
  GArray *min_areas, *max_areas;
  gchar **labels;
  gchar *labels_path;
  /* const gchar *: of the classes 0, 1, ...; empty if none has a name */
  GPtrArray *class_names;
  /* guint: labels, or ids of regions, in ascending order, or none for all */
  GArray *wanted;
  /* of a tensor of labels */
  GstShapesLabelsInfo label_info;
  /* of tensors in another order, of labels in the other endianness, of a
   * region */
  CsScratch rearranged;
  /* of the regions of a mask, of the polygons of labels */
  CsScratch boxes, kept;

  /* ContoursPlan, the one to replace next */
  GArray *plans;
  guint next_plan;
  /* instead of these, for labels */
  CsLabels *label_plan;
};

/* What is looked at: @samples, which are %NULL if there is nothing, as video or
 * as the tensor of the element; @tensor if the frame carries it. @changed if it
 * has another form than the last one. */
typedef struct
{
  GstBuffer *samples;
  GstShapesMetaTensor tensor;
  gboolean changed;
} ContoursContent;

/* What a frame's contours come to, for messages. */
typedef struct
{
  guint64 n_contours, n_points, n_segments;
  guint *n_of_target;
  GArray *n_of_region;
} ContoursTotals;

/* One of @n_of_region. The label is a quark's or %NULL, the confidence -1 if it
 * is unknown. */
typedef struct
{
  guint id;
  guint n_contours;
  const gchar *label;
  gfloat confidence;
} ContoursRegion;

/* One image, ready for the kernel. The shapes get the class @class_id unless it
 * is -1, and then are on the host only. */
typedef struct
{
  CsImage image;
  CsImage mask;
  gboolean has_mask;
  gint32 index;
  gint32 class_id;
  guint origin_x, origin_y;
} ContoursTask;

/* Finds the contours of @n images of one size, at most CS_CONTOURS_AT_ONCE, and
 * adds them to @set, a layer for each; ids count from @first_id on. */
gboolean contours_run_tasks (GstCudaContours * self, const ContoursTask * tasks,
    guint n, gint32 first_id, gboolean want_host, GstShapeSet * set,
    ContoursTotals * totals, GError ** error);

/* The first id for shapes of @buffer that @set does not have yet. */
gint32 contours_next_id (GstBuffer * buffer, const GstShapeSet * set);

/* The layer of the result @output in @slab, which it takes: with @want_device
 * also what is on the device. */
GstShapeLayer *contours_get_layer (GstCudaContours * self, GstShapesSlab * slab,
    const CsContoursOutput * output, gboolean want_device, gint32 first_id,
    GError ** error);

/* The samples of the tensor, of which one has @alignment bytes, until @frame is
 * unmapped; %NULL with @error set. */
gconstpointer contours_map_tensor (GstCudaContours * self,
    const ContoursContent * content, gsize alignment, GstShapesFrame * frame,
    CsMemory * memory, GError ** error);

/* The layer with an annotation for each shape; %NULL without memory. */
GstShapeLayer *contours_annotate (GstShapeLayer * layer,
    gfloat confidence, gint32 region_id);

/* Replaces the regions of interest by the pixels of an image that the
 * property's rectangles of the frame touch; may be empty, which is warned
 * of. */
gboolean contours_parse_roi (GstCudaContours * self, GError ** error);

/* The same by @buffer's metadata, if that is where they are from. */
void contours_read_rois (GstCudaContours * self, GstBuffer * buffer);

/* Reads the property's file, unless it has been read, or forgets it. */
gboolean contours_load_mask (GstCudaContours * self, GError ** error);
void contours_clear_mask (ContoursMask * mask);

/* The file's mask in the memory that the image is in. The context is
 * current. */
gboolean contours_get_mask (GstCudaContours * self, CsMemory memory,
    CsImage * image, GError ** error);

/* The targets of video, of a tensor, of masks, and which labels are wanted, by
 * the properties. */
gboolean contours_make_video_targets (GstCudaContours * self, GError ** error);
gboolean contours_make_tensor_targets (GstCudaContours * self, GError ** error);
gboolean contours_make_mask_targets (GstCudaContours * self, GError ** error);
gboolean contours_make_label_targets (GstCudaContours * self, GError ** error);

/* How levels are found, by auto-level and level-method. */
ContoursLevelMethod contours_get_method (const GstCudaContours * self);

/* Reads and parses what the properties say of classes, but for the targets. */
gboolean contours_parse_classes (GstCudaContours * self, GError ** error);
void contours_clear_classes (GstCudaContours * self);

/* The class of a target's shapes, and its name, which may be %NULL; all names
 * that there are, for the shapes (always succeeds). */
gint32 contours_get_class (const GstCudaContours * self, guint target);
gboolean contours_name_classes (GstCudaContours * self);
const gchar *contours_get_class_name (const GstCudaContours * self,
    gint32 class_id);

/* Plans for the targets: those that are there follow the settings. */
gboolean contours_make_plan (GstCudaContours * self, GError ** error);

void contours_clear_plans (GstCudaContours * self);

/* Whether what frames carry is looked at, not they themselves. */
static inline gboolean
contours_looks_at_metadata (const GstCudaContours * self)
{
  return self->current.source == CONTOURS_SOURCE_TENSOR_META ||
      self->current.source == CONTOURS_SOURCE_SEGMENTATION;
}

/* Whether the kernel of labels is what finds, also in masks. It does not
 * connect pixels diagonally: such regions are drawn. */
static inline gboolean
contours_has_labels (const GstCudaContours * self)
{
  return self->current.source == CONTOURS_SOURCE_LABELS ||
      (self->current.source == CONTOURS_SOURCE_SEGMENTATION &&
      self->current.fully_connected == CONTOURS_SIDE_LOW);
}

/* Whether there is a plan, of either kind. */
static inline gboolean
contours_has_plan (const GstCudaContours * self)
{
  return self->plans->len > 0 || self->label_plan;
}

/* Makes the plan for labels, ready for frames. */
gboolean contours_make_label_plan (GstCudaContours * self, GError ** error);

/* Whether labels of @format are not in native endianness. */
gboolean contours_is_swapped (GstVideoFormat format);

/* The samples of @image as labels. */
gboolean contours_get_label_picture (GstCudaContours * self,
    GstVideoFormat format, CsImage image, CsLabelsPicture * picture,
    GError ** error);

/* Finds the rings of the wanted ones of @input's labels, in memory of @slab. */
gboolean contours_find_rings (GstCudaContours * self,
    const CsLabelsInput * input, gboolean want_host, GstShapesSlab * slab,
    CsContoursOutput * output, GError ** error);

/* Of the rings @begin to @end of @from, which are there until the next call,
 * what the properties leave, in memory of @slab on the host; numbered from
 * @first_id on, and without parents unless @with_parents. */
gboolean contours_keep_rings (GstCudaContours * self,
    const CsContoursOutput * from, gsize begin, gsize end, gint32 first_id,
    gboolean with_parents, GstShapesSlab * slab, CsContoursOutput * kept,
    GError ** error);

/* Gets the plans ready for images in the regions of interest. */
gboolean contours_warm_up (GstCudaContours * self, GError ** error);

/* What of @buffer to look at, by the properties; of a tensor that it carries
 * also its form. Without a @buffer only whether that can be told. */
gboolean contours_find_content (GstCudaContours * self,
    GstBuffer * buffer, ContoursContent * content, GError ** error);

/* Says once that @buffer carries tensors, which are not looked at. */
void contours_warn_about_tensors (GstCudaContours * self, GstBuffer * buffer);

/* Attaches @set, in the coordinates of the images, in those of the frame. */
gboolean contours_add_to_frame (GstCudaContours * self,
    GstBuffer * buffer, GstShapeSet * set, GError ** error);

/* Adds the contours of @buffer to @set, a layer for each image, and their
 * numbers to @totals. The context is current. */
gboolean contours_run_video (GstCudaContours * self,
    GstBuffer * buffer, gboolean want_host, GstShapeSet * set,
    ContoursTotals * totals, GError ** error);
gboolean contours_run_tensor (GstCudaContours * self, GstBuffer * buffer,
    const ContoursContent * content, gboolean want_host, GstShapeSet * set,
    ContoursTotals * totals, GError ** error);

/* The same for labels. */
gboolean contours_run_labels (GstCudaContours * self, GstBuffer * buffer,
    const ContoursContent * content, gboolean want_host, GstShapeSet * set,
    ContoursTotals * totals, GError ** error);

/* The same for the regions of the masks that @buffer carries, a layer for each
 * region. */
gboolean contours_run_masks (GstCudaContours * self, GstBuffer * buffer,
    GstShapeSet * set, ContoursTotals * totals, GError ** error);

/* What errors begin with. */
#define CONTOURS_CANNOT "Cannot find contours"
