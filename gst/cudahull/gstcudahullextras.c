/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What hulls have beyond their records: ellipses, convexity defects, indices.
 * Computed on the host for both backends, so that these agree. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcudahullprivate.h"

#include <stddef.h>
#include <stdlib.h>

#include "hull/hull_defects.h"
#include "hull/hull_ellipse.h"

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
gst_cuda_hull_wants_extras (const GstCudaHullSettings * settings)
{
  return settings->ellipse || settings->defects || settings->indices;
}

static void
find_ellipses (const CsHullOutput * output, CsEllipse * ellipses)
{
  const gfloat *points = output->points;
  gsize i;

  for (i = 0; i < output->n_hulls; i++) {
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

static gint
compare_indices (gconstpointer a, gconstpointer b)
{
  const guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  return (x > y) - (x < y);
}

/* The vertices of hull @i as indices into its contour, ascending, without the
 * repeated one. */
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
  qsort (vertices, n, sizeof (*vertices), compare_indices);
  return n;
}

static void
append_defects (GArray * found, gsize hull, const GstShapePoint * points,
    const CsHullDefect * defects, gsize n)
{
  gsize i;

  for (i = 0; i < n; i++) {
    const GstShapeDefect defect = {
      .shape = (guint32) hull,
      .start = points[defects[i].start],
      .end = points[defects[i].end],
      .farthest = points[defects[i].farthest],
      .depth = defects[i].depth,
    };

    g_array_append_val (found, defect);
  }
}

static GArray *
find_defects (const CsHullOutput * output, const GstShapeArrays * contours,
    gdouble min_depth)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (GstShapeDefect));
  guint32 *vertices = g_new (guint32, output->n_points);
  CsHullDefect *defects = g_new (CsHullDefect, output->n_points);
  gsize i;

  for (i = 0; i < output->n_hulls; i++) {
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
  return found;
}

/* Indices count from the contour's first point where each hull is of one. */
static guint32 *
find_indices (const CsHullOutput * output, const GstShapeArrays * contours)
{
  guint32 *indices = g_memdup2 (output->indices,
      output->n_points * sizeof (*indices));
  gsize i, k;

  for (i = 0; contours && i < output->n_hulls; i++) {
    const guint32 begin = output->offsets[i];
    const guint32 first = contours->offsets[find_contour (contours,
            indices[begin])];

    for (k = begin; k < output->offsets[i + 1]; k++)
      indices[k] -= first;
  }
  return indices;
}

static void
warn_no_defects (GstCudaHull * self)
{
  if (self->warned_no_defects)
    return;
  self->warned_no_defects = TRUE;
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("Convexity defects are those of a contour: defects=true needs contours "
          "and scope=per-contour."), (NULL));
}

GstShapeLayer *
gst_cuda_hull_add_extras (GstCudaHullJob * job, GstShapeLayer * layer,
    const CsHullOutput * output, const GstShapeArrays * contours,
    GError ** error)
{
  const GstCudaHullSettings *current = &job->self->current;
  const gboolean per_contour = contours &&
      current->scope == CS_HULL_SCOPE_PER_CONTOUR;
  GstShapeArrays extras = { 0, };
  GArray *defects = NULL;
  GstShapeLayer *extended;
  CsEllipse *ellipses = NULL;
  guint32 *indices = NULL;

  if (current->ellipse) {
    ellipses = g_new (CsEllipse, output->n_hulls);
    find_ellipses (output, ellipses);
    extras.ellipses = (const GstShapeEllipse *) ellipses;
  }
  if (current->indices)
    extras.indices = indices = find_indices (output,
        per_contour ? contours : NULL);
  if (current->defects && !per_contour)
    warn_no_defects (job->self);
  if (current->defects && per_contour) {
    static const GstShapeDefect none;

    defects = find_defects (output, contours, current->defect_min_depth);
    extras.defects = defects->len > 0 ?
        (const GstShapeDefect *) (gconstpointer) defects->data : &none;
    extras.n_defects = defects->len;
  }
  extended = gst_shape_layer_extend (layer, &extras);
  gst_shape_layer_unref (layer);
  g_free (ellipses);
  g_free (indices);
  g_clear_pointer (&defects, g_array_unref);
  if (!extended)
    g_set_error (error, CS_ERROR, CS_ERROR_NO_MEMORY, "there is no memory for "
        "measures of %" G_GSIZE_FORMAT " hulls", output->n_hulls);
  return extended;
}
