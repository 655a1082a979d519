/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_OVERLAY_LABELS_H
#define GST_SHAPE_OVERLAY_LABELS_H

/* Texts beside shapes, and the legend. */

#include "gstshapeoverlaymarks.h"
#include "gstshapeoverlaysettings.h"
#include "gstshapeoverlaytemplate.h"
#include "base/array.h"
#include "element/gstshapesfont.h"

/**
 * GstShapeOverlayBox:
 *
 * In pixels of the frame.
 */
typedef struct
{
  gdouble x0, y0, x1, y1;
} GstShapeOverlayBox;

/**
 * GstShapeOverlayLabels:
 *
 * The texts of one frame. Memory, and outlines of text, are kept from frame to
 * frame.
 */
typedef struct
{
  /*< private >*/
  const GstShapeOverlaySettings *settings;
  gdouble width, height;
  GstShapesFont *font;
  GstShapeOverlayTemplate *template;
  gchar *font_name, *label;     /* what font and template are of */
  gdouble font_size;            /* at most the frame's height allows */
  gdouble wanted_size, font_frame_height;
  gboolean font_failed;
  CsArray candidates, placed;
  GString *text;
  GArray *entries;              /* of the legend */
  guint n_more;
} GstShapeOverlayLabels;

void gst_shape_overlay_labels_init (GstShapeOverlayLabels * self);
void gst_shape_overlay_labels_clear (GstShapeOverlayLabels * self);

/* Begins a frame. @settings is borrowed until the next one.
 *
 * Returns: %FALSE with @error set if there will be no text, once for each
 *     change of settings; it goes on without */
gboolean gst_shape_overlay_labels_begin (GstShapeOverlayLabels * self,
    const GstShapeOverlaySettings * settings, guint width, guint height,
    GError ** error);

/* Whether shapes are to be added for labels or for the legend. */
gboolean gst_shape_overlay_labels_are_wanted (const GstShapeOverlayLabels *
    self);

/* Adds a shape, whose class name is valid until the end of the frame. */
void gst_shape_overlay_labels_add (GstShapeOverlayLabels * self,
    const GstShapeOverlayFields * fields, const GstShapeOverlayBox * box,
    guint32 argb);

/* Adds everything to @marks. */
void gst_shape_overlay_labels_finish (GstShapeOverlayLabels * self,
    GstShapeMarks * marks);

/* Finds a place for a label of @width x @height beside @shape, on a frame of
 * @frame_width x @frame_height: above, below, right, left, or in it, on none of
 * the @n boxes @placed. Returns: %FALSE if there is none */
gboolean gst_shape_overlay_place_label (const GstShapeOverlayBox * shape,
    gdouble width, gdouble height, gdouble frame_width, gdouble frame_height,
    const GstShapeOverlayBox * placed, gsize n, GstShapeOverlayBox * box);

#endif /* GST_SHAPE_OVERLAY_LABELS_H */
