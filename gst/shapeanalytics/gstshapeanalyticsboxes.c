/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapeanalyticsboxes.h"

#include <math.h>

#include "base/error.h"
#include "element/gstshapesnames.h"

typedef AnalyticsBox Box;

/* For a mask and its regions' classes. */
#define MASK_MTDS 2

/* Bytes of a metadata with its header, at least. */
#define MTD_SIZE 128

static const GstAnalyticsMtdImpl shape_impl = { "gst-shapes-shape" };

GstAnalyticsMtdType
analytics_shape_get_mtd_type (void)
{
  return (GstAnalyticsMtdType) & shape_impl;
}

/* Boxes of shapes */

static gint
clamp_to_int (gdouble value)
{
  return CLAMP (value, -(G_MAXINT / 4), G_MAXINT / 4);
}

/* The smallest box of whole pixels around; a pixel's centre is at an integer,
 * its edges are half a pixel away. */
static void
set_bounds (Box * box, const GstShapePolyline * polyline)
{
  box->x = clamp_to_int (floor (polyline->bbox_x0 + .5));
  box->y = clamp_to_int (floor (polyline->bbox_y0 + .5));
  box->width = MAX (clamp_to_int (ceil (polyline->bbox_x1 + .5)) - box->x, 1);
  box->height = MAX (clamp_to_int (ceil (polyline->bbox_y1 + .5)) - box->y, 1);
}

/* %FALSE if the rectangle is a line or a point, or along the axes. */
static gboolean
set_rectangle (Box * box, const GstShapeHullMeasures * measures)
{
  gdouble angle = atan2 (measures->rect_uy, measures->rect_ux);

  if (!(measures->rect_width > 0 && measures->rect_height > 0) ||
      fabs (measures->rect_ux) < 1e-6 || fabs (measures->rect_uy) < 1e-6)
    return FALSE;
  box->width = MAX (clamp_to_int (rint (measures->rect_width)), 1);
  box->height = MAX (clamp_to_int (rint (measures->rect_height)), 1);
  box->x = clamp_to_int (rint (measures->rect_x + .5 - .5 * box->width));
  box->y = clamp_to_int (rint (measures->rect_y + .5 - .5 * box->height));
  box->rotation = angle < 0 ? angle + G_PI : angle;
  return TRUE;
}

static void
add_box (const GstShapeArrays * arrays, gsize i, gboolean oriented,
    CsArray * boxes)
{
  GstShapePolyline polyline;
  Box box = {.confidence = 1 };

  gst_shape_arrays_get_measures (arrays, i, &polyline);
  if (isnan (polyline.bbox_x0 + polyline.bbox_y0) ||
      isnan (polyline.bbox_x1 + polyline.bbox_y1))
    return;
  box.class_id = polyline.class_id;
  box.id = polyline.id;
  box.is_hull = polyline.kind == GST_SHAPE_KIND_HULL;
  box.contour = box.is_hull ? polyline.parent : -1;
  if (!oriented || !arrays->hull_measures ||
      !set_rectangle (&box, &arrays->hull_measures[i]))
    set_bounds (&box, &polyline);
  if (arrays->annotations && arrays->annotations[i].confidence >= 0)
    box.confidence = MIN (arrays->annotations[i].confidence, 1);
  box.area = (gdouble) box.width * box.height;
  cs_array_append_val (boxes, box);
}

typedef struct
{
  CsArray *boxes;
  gboolean oriented;
} Collection;

static void
collect_box (gpointer user_data, guint layer, const GstShapeArrays * arrays,
    gsize i)
{
  const Collection *collection = user_data;

  add_box (arrays, i, collection->oriented, collection->boxes);
}

static gint
compare_areas (gconstpointer a, gconstpointer b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return x > y ? -1 : x < y;
}

/* The area that the @n largest of @boxes have at least, and how many of those
 * that have just that are among them. */
static gboolean
find_least_area (const CsArray * boxes, guint n, gdouble * least,
    guint * n_equal, GError ** error)
{
  g_autofree gdouble *areas = cs_try_new (gdouble, boxes->len);

  if (!areas)
    return cs_fail_no_memory (error, "the areas of boxes");
  for (gsize i = 0; i < boxes->len; i++)
    areas[i] = cs_array_index (boxes, Box, i).area;
  qsort (areas, boxes->len, sizeof (*areas), compare_areas);
  *least = areas[n - 1];
  for (*n_equal = 0; *n_equal < n && areas[n - 1 - *n_equal] == *least;)
    (*n_equal)++;
  return TRUE;
}

static gboolean
keep_largest (CsArray * boxes, guint n, GError ** error)
{
  guint n_equal = 0, n_kept = 0;
  gdouble least = 0;

  if (!find_least_area (boxes, n, &least, &n_equal, error))
    return FALSE;
  for (gsize i = 0; i < boxes->len; i++) {
    const Box box = cs_array_index (boxes, Box, i);

    if (box.area > least || (box.area == least && n_equal > 0)) {
      n_equal -= box.area == least;
      cs_array_index (boxes, Box, n_kept++) = box;
    }
  }
  return cs_array_set_size (boxes, n_kept);
}

CsArray *
analytics_collect_boxes (GstShapeSet * set, GstShapesObjectKind kind,
    gboolean oriented, guint max_boxes, guint * n_left_out, GError ** error)
{
  CsArray *boxes = cs_array_new (sizeof (Box));
  Collection collection = { boxes, oriented };
  gboolean ok = gst_shapes_objects_foreach (set, kind, collect_box,
      &collection, error)
      && (!boxes->failed || cs_fail_no_memory (error, "boxes of shapes"));

  *n_left_out = boxes->len > max_boxes ? boxes->len - max_boxes : 0;
  if (ok && *n_left_out > 0)
    ok = keep_largest (boxes, max_boxes, error);
  if (!ok)
    g_clear_pointer (&boxes, cs_array_free);
  return boxes;
}

/* Metadata */

static GstAnalyticsRelationMeta *
new_meta (GstBuffer * buffer, gsize n)
{
  GstAnalyticsRelationMetaInitParams params = {
    .initial_relation_order = n,
    .initial_buf_size = n * MTD_SIZE,
  };

  return gst_buffer_add_analytics_relation_meta_full (buffer, &params);
}

static gboolean
copy_meta (GstBuffer * to, GstBuffer * from)
{
  GstMeta *meta = (GstMeta *) gst_buffer_get_analytics_relation_meta (from);
  GstMetaTransformCopy copy = { FALSE, 0, -1 };

  return meta->info->transform_func (to, meta, from, _gst_meta_transform_copy,
      &copy);
}

/* The matrix of relations of a meta that is there grows in small steps, and is
 * copied for each: @n more would take a time that grows with their third
 * power. */
static GstAnalyticsRelationMeta *
enlarge_meta (GstBuffer * buffer, GstAnalyticsRelationMeta * meta, gsize n)
{
  const gsize total = gst_analytics_relation_get_length (meta) + n;
  g_autoptr (GstBuffer) shelf = gst_buffer_new ();
  gboolean ok = new_meta (shelf, total) && copy_meta (shelf, buffer);

  if (ok) {
    gst_buffer_remove_meta (buffer, (GstMeta *) meta);
    meta = new_meta (buffer, total);
    ok = meta && copy_meta (buffer, shelf);
  }
  return ok ? meta : NULL;
}

static GstAnalyticsRelationMeta *
prepare_meta (GstBuffer * buffer, gsize n)
{
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (buffer);

  return meta ? enlarge_meta (buffer, meta, n) : new_meta (buffer, n);
}

GQuark
analytics_get_label (gint32 class_id, gchar ** labels)
{
  gchar name[32];

  if (class_id >= 0 && labels && (guint) class_id < g_strv_length (labels) &&
      *labels[class_id])
    return g_quark_from_string (labels[class_id]);
  g_snprintf (name, sizeof (name), "class %d", class_id);
  GQuark quark = gst_shapes_name_to_quark (name);
  return quark ? quark : g_quark_from_static_string ("class");
}

/* A class of this frame. */
typedef struct
{
  GQuark label;
  guint mtd;
} Class;

/* Makes the class's metadata when it is first needed. */
static const Class *
find_class (GstAnalyticsRelationMeta * meta, GHashTable * classes,
    gint32 class_id, gchar ** labels)
{
  Class *found = g_hash_table_lookup (classes, GINT_TO_POINTER (class_id));
  GstAnalyticsClsMtd mtd;

  if (found)
    return found;
  found = g_new (Class, 1);
  found->label = analytics_get_label (class_id, labels);
  g_hash_table_insert (classes, GINT_TO_POINTER (class_id), found);
  if (!gst_analytics_relation_meta_add_one_cls_mtd (meta, 1, found->label,
          &mtd))
    return NULL;
  found->mtd = mtd.id;
  return found;
}

static gboolean
attach_ids (GstAnalyticsRelationMeta * meta, const Box * box, guint object)
{
  GstAnalyticsMtd shape;
  AnalyticsShape *data = gst_analytics_relation_meta_add_mtd (meta,
      &shape_impl, sizeof (*data), &shape);

  if (!data)
    return FALSE;
  data->id = box->id;
  data->contour = box->contour;
  return gst_analytics_relation_meta_set_relation (meta,
      GST_ANALYTICS_REL_TYPE_RELATE_TO, object, shape.id);
}

static gboolean
attach_box (GstAnalyticsRelationMeta * meta, const Box * box,
    const Class * class, gboolean ids)
{
  GstAnalyticsODMtd object;

  if (!(box->rotation != 0 ?
          gst_analytics_relation_meta_add_oriented_od_mtd (meta, class->label,
              box->x, box->y, box->width, box->height, box->rotation,
              box->confidence, &object) :
          gst_analytics_relation_meta_add_od_mtd (meta, class->label, box->x,
              box->y, box->width, box->height, box->confidence, &object)))
    return FALSE;
  return (!ids || attach_ids (meta, box, object.id)) &&
      gst_analytics_relation_meta_set_relation (meta,
      GST_ANALYTICS_REL_TYPE_RELATE_TO, object.id, class->mtd);
}

static guint
count_classes (const CsArray * boxes)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < boxes->len; i++)
    g_hash_table_add (seen,
        GINT_TO_POINTER (cs_array_index (boxes, Box, i).class_id));
  return g_hash_table_size (seen);
}

gboolean
analytics_attach_boxes (GstBuffer * buffer, const CsArray * boxes,
    gchar ** labels, gboolean ids)
{
  GstAnalyticsRelationMeta *meta = prepare_meta (buffer,
      (ids ? 2 : 1) * (gsize) boxes->len + count_classes (boxes) + MASK_MTDS);
  GHashTable *classes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  gboolean ok = meta != NULL;

  for (guint i = 0; ok && i < boxes->len; i++) {
    const Box *box = &cs_array_index (boxes, Box, i);
    const Class *class = find_class (meta, classes, box->class_id, labels);

    ok = class && attach_box (meta, box, class, ids);
  }
  g_hash_table_unref (classes);
  return ok;
}
