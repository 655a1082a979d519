/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstshapeformats.h"
#include "gstshapepolygons.h"
#include "gstshaperings.h"
#include "gstshapetext.h"
#include "simplify.h"

/**
 * GstShapeWriter: (skip)
 * @text: what is written
 * @options: what to write
 * @polygons: of the set, an array of GstShapePolygon
 * @simplifier: for the points
 * @rings: what gst_shape_writer_take_rings() took
 * @left: shapes that may still be written
 *
 * What formats of polygons with holes share.
 */
typedef struct
{
  GstShapeText text;
  GstShapeJsonOptions options;
  CsArray polygons;
  Simplifier simplifier;
  GstShapeRings rings;
  guint64 left;
} GstShapeWriter;

/* @options: %NULL for everything. */
gboolean gst_shape_writer_init (GstShapeWriter * writer, GstShapeSet * set,
    const GstShapeJsonOptions * options, gsize max_size, GError ** error);

/* The text, and frees the rest. @made: whether there is one; else @error is set
 * already. */
GBytes *gst_shape_writer_finish (GstShapeWriter * writer,
    gboolean made, GError ** error);

/* The next polygon from @i on that is no hole of another one, as long as shapes
 * may be written; %NULL at the end. */
const GstShapePolygon *gst_shape_writer_next
    (GstShapeWriter * writer, gsize * i);

/* Takes the outline and the holes of a closed polygon, simplified together if
 * that is wanted, into @rings; with @valid split into valid polygons, of which
 * there may be none. Returns: %FALSE if not all points are known, or memory ran
 * out */
gboolean gst_shape_writer_take_rings (GstShapeWriter * writer,
    const GstShapePolygon * polygon, gboolean valid);

/* Which of an open polyline's points to write, %NULL for all. */
const guint8 *gst_shape_writer_simplify
    (GstShapeWriter * writer, const GstShapePoint * points, gsize n);

/* Calls @append for each layer of circles of @set, which may be %NULL. Returns:
 * %FALSE with @error set when a layer cannot be downloaded */
typedef void (*GstShapeWriterCircles) (GstShapeWriter * writer,
    const GstShapeArrays * arrays);
gboolean gst_shape_writer_append_circles (GstShapeWriter * writer,
    GstShapeSet * set, GstShapeWriterCircles append, GError ** error);

/* The text of a whole document as a string that @make makes of @set alone. */
typedef GBytes *(*GstShapeWriterMake) (const GstShapeJsonFrame * frame,
    GstShapeSet * set, const GstShapeJsonOptions * options, gsize max_size,
    GError ** error);
gchar *gst_shape_writer_make_string (GstShapeWriterMake make,
    GstShapeSet * set, GError ** error);
