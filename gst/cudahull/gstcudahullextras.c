/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What hulls have beyond their records: ellipses, convexity defects, indices.
 * Computed on the host for both backends, so that these agree. */

#include <stddef.h>
#include <string.h>

#include "gstcudahullprivate.h"
#include "base/array.h"
#include "base/error.h"
#include "hull/hull_defects.h"
#include "hull/hull_ellipse.h"
#include "element/gstshapesmessage.h"

#define ASSERT_SAME(field) \
  G_STATIC_ASSERT (offsetof (CsEllipse, field) == \
      offsetof (GstShapeEllipse, field))

ASSERT_SAME (x);
ASSERT_SAME (y);
ASSERT_SAME (ux);
ASSERT_SAME (uy);
ASSERT_SAME (major);
ASSERT_SAME (minor);
G_STATIC_ASSERT (sizeof (CsEllipse) == sizeof (GstShapeEllipse));

gboolean
hull_wants_extras (const HullSettings * settings)
{
  return settings->ellipse || settings->defects || settings->indices;
}

static void
find_ellipses (const CsHullOutput * output, CsEllipse * ellipses)
{
  const gfloat *points = output->points;

  for (gsize i = 0; i < output->n_hulls; i++) {
    const guint32 first = output->offsets[i];

    cs_hull_find_ellipse (points + 2 * (gsize) first,
        output->offsets[i + 1] - first, &ellipses[i]);
  }
}

/* The contour that a point of its layer belongs to. */
static gsize
find_contour (const GstShapeArrays * contours, guint32 point)
{
  gsize low = 0, high = contours->n_shapes;

  while (high - low > 1) {
    const gsize middle = low + (high - low) / 2;

    if (contours->offsets[middle] <= point)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The vertices of hull @i as indices into its contour, without the repeated
 * one. */
static gsize
list_vertices (const CsHullOutput * output, gsize i, guint32 first,
    guint32 * vertices)
{
  const guint32 begin = output->offsets[i];
  gsize k, n = output->offsets[i + 1] - begin;

  if (n > 1)
    n--;
  for (k = 0; k < n; k++)
    vertices[k] = output->indices[begin + k] - first;
  return n;
}

static void
append_defects (CsArray * found, gsize hull, const GstShapePoint * points,
    const CsHullDefect * defects, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    const GstShapeDefect defect = {
      .shape = (guint32) hull,
      .start = points[defects[i].start],
      .end = points[defects[i].end],
      .farthest = points[defects[i].farthest],
      .depth = defects[i].depth,
    };

    cs_array_append_val (found, defect);
  }
}

/* Appends all to @found. Returns: FALSE without memory */
static gboolean
find_defects (const CsHullOutput * output, const GstShapeArrays * contours,
    gdouble min_depth, CsArray * found)
{
  guint32 *vertices = cs_try_new (guint32, MAX (output->n_points, 1));
  CsHullDefect *defects = cs_try_new (CsHullDefect, MAX (output->n_points, 1));
  const gboolean ok = vertices && defects;

  for (gsize i = 0; ok && i < output->n_hulls; i++) {
    const gsize contour = find_contour (contours,
        output->indices[output->offsets[i]]);
    const guint32 first = contours->offsets[contour];
    const GstShapePoint *points = contours->points + first;
    const gsize n = list_vertices (output, i, first, vertices);

    append_defects (found, i, points, defects,
        cs_hull_find_defects (&points->x, contours->offsets[contour + 1] -
            first, vertices, n, min_depth, defects));
  }
  g_free (vertices);
  g_free (defects);
  return ok && !found->failed;
}

/* Indices count from the contour's first point where each hull is of one.
 * Returns: NULL without memory */
static guint32 *
find_indices (const CsHullOutput * output, const GstShapeArrays * contours)
{
  guint32 *indices = cs_try_new (guint32, MAX (output->n_points, 1));

  if (!indices)
    return NULL;
  if (output->n_points > 0)
    memcpy (indices, output->indices, output->n_points * sizeof (*indices));
  for (gsize i = 0; contours && i < output->n_hulls; i++) {
    const guint32 begin = output->offsets[i];
    const guint32 first = contours->offsets[find_contour (contours,
            indices[begin])];

    for (gsize k = begin; k < output->offsets[i + 1]; k++)
      indices[k] -= first;
  }
  return indices;
}

gboolean
hull_has_annotations (const HullJob * job, const HullTask * task)
{
  return task->contours && task->contours->annotations
      && job->self->current.scope == CS_HULL_SCOPE_PER_CONTOUR;
}

GstShapeAnnotation *
hull_find_annotations (const HullTask * task, const CsHullOutput * output)
{
  const GstShapeArrays *contours = task->contours;
  GstShapeAnnotation *annotations = cs_try_new (GstShapeAnnotation,
      MAX (output->n_hulls, 1));
  gsize i, k = 0;

  /* hulls are in the order of contours, some of which have none */
  for (i = 0; annotations && i < output->n_hulls; i++) {
    while (k < contours->n_shapes
        && contours->polylines[k].id != output->hulls[i].parent)
      k++;
    annotations[i] = k < contours->n_shapes ? contours->annotations[k++] :
        (GstShapeAnnotation) GST_SHAPE_ANNOTATION_NONE;
  }
  return annotations;
}

/* What the settings ask for. */
typedef struct
{
  CsEllipse *ellipses;
  guint32 *indices;
  CsArray defects;
} Extras;

static void
clear_extras (Extras * found)
{
  g_free (found->ellipses);
  g_free (found->indices);
  cs_array_clear (&found->defects);
}

/* @contours: %NULL if hulls are not each of one. Returns: FALSE without
 * memory */
static gboolean
find_extras (GstCudaHull * self, const CsHullOutput * output,
    const GstShapeArrays * contours, Extras * found)
{
  const HullSettings *current = &self->current;

  if (current->ellipse) {
    found->ellipses = cs_try_new (CsEllipse, MAX (output->n_hulls, 1));
    if (!found->ellipses)
      return FALSE;
    find_ellipses (output, found->ellipses);
  }
  if (current->indices && !(found->indices = find_indices (output, contours)))
    return FALSE;
  if (current->defects && !contours)
    GST_SHAPES_WARN_ONCE (self, self->warned_no_defects, LIBRARY, SETTINGS,
        "Convexity defects are those of a contour: defects=true needs contours "
        "and scope=per-contour.");
  return !current->defects || !contours || find_defects (output, contours,
      current->defect_min_depth, &found->defects);
}

GstShapeLayer *
hull_add_extras (HullJob * job, GstShapeLayer * layer,
    const CsHullOutput * output, const GstShapeArrays * contours,
    const GstShapeAnnotation * annotations, GError ** error)
{
  static const GstShapeDefect none;
  const HullSettings *current = &job->self->current;
  const GstShapeArrays *each = current->scope == CS_HULL_SCOPE_PER_CONTOUR ?
      contours : NULL;
  GstShapeLayer *extended = NULL;
  Extras found = { 0, };

  cs_array_init (&found.defects, sizeof (GstShapeDefect));
  if (find_extras (job->self, output, each, &found)) {
    GstShapeArrays extras = {
      .annotations = annotations,
      .ellipses = (const GstShapeEllipse *) found.ellipses,
      .indices = found.indices,
      .n_defects = found.defects.len,
    };

    if (current->defects && each)
      extras.defects = found.defects.len > 0 ?
          (const GstShapeDefect *) (gconstpointer) found.defects.data : &none;
    extended = gst_shape_layer_extend (layer, &extras);
  }
  gst_shape_layer_unref (layer);
  clear_extras (&found);
  if (!extended)
    g_set_error (error, CS_ERROR, CS_ERROR_NO_MEMORY, "there is not enough "
        "memory for measures of %" G_GSIZE_FORMAT " hulls", output->n_hulls);
  return extended;
}
