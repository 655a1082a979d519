/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Texts beside shapes, and the legend. */

#include "gstshapeoverlaymarks.h"
#include "gstshapeoverlaysettings.h"
#include "gstshapeoverlaytemplate.h"
#include "base/array.h"
#include "element/gstshapesfont.h"

/**
 * OverlayBox:
 *
 * In pixels of the frame.
 */
typedef struct
{
  gdouble x0, y0, x1, y1;
} OverlayBox;

/**
 * OverlayLabels:
 *
 * The texts of one frame. Memory, and outlines of text, are kept from frame to
 * frame.
 */
typedef struct
{
  /*< private >*/
  const OverlaySettings *settings;
  gdouble width, height;
  GstShapesFont *font;
  OverlayTemplate *template;
  gchar *font_name, *label;     /* what font and template are of */
  gdouble font_size;            /* at most the frame's height allows */
  gdouble wanted_size, font_frame_height;
  gboolean font_failed;
  CsArray candidates, placed;
  GString *text, *texts;
  GArray *entries;              /* of the legend */
  guint n_more;
} OverlayLabels;

void overlay_labels_init (OverlayLabels * self);
void overlay_labels_clear (OverlayLabels * self);

/* Begins a frame. @settings is borrowed until the next one. @has_texts: whether
 * texts will be added
 *
 * Returns: %FALSE with @error set if there will be no text, once for each
 *     change of settings; it goes on without */
gboolean overlay_labels_begin (OverlayLabels * self,
    const OverlaySettings * settings, gboolean has_texts, guint width,
    guint height, GError ** error);

/* Whether shapes are to be added for labels or for the legend. */
gboolean overlay_labels_are_wanted (const OverlayLabels * self);

/* Adds a shape, whose class name is valid until the end of the frame. */
void overlay_labels_add (OverlayLabels * self, const OverlayFields * fields,
    const OverlayBox * box, guint32 argb);

/* Adds a label that says @text, which is placed before those of shapes. */
void overlay_labels_add_text (OverlayLabels * self, const gchar * text,
    const OverlayBox * box, guint32 argb);

/* Adds everything to @marks. */
void overlay_labels_finish (OverlayLabels * self, GstShapeMarks * marks);

/* Finds a place for a label of @width x @height beside @shape, on a frame of
 * @frame_width x @frame_height: above, below, right, left, or in it, on none of
 * the @n boxes @placed. Returns: %FALSE if there is none */
gboolean overlay_place_label (const OverlayBox * shape,
    gdouble width, gdouble height, gdouble frame_width, gdouble frame_height,
    const OverlayBox * placed, gsize n, OverlayBox * box);
