/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Parser of the JSON lines written by gstshapejson.c. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapejson.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "gstshapeclassnames.h"
#include "gstshapejsonreader.h"
#include "gstshapepoints.h"
#include "gstshapes-private.h"

#define VERSION 1

/* Properties shared by the shapes of a layer. */
typedef struct
{
  GstShapeLayerType type;
  guint32 kind;
  guint has;
} Form;

/* Shapes */

static gboolean
read_form (const GstShapeJsonReader * reader, gsize index, Form * form)
{
  const json_t *shape = json_array_get (reader->array, index);
  const gchar *kind = json_string_value (json_object_get (shape, "kind"));
  const json_t *points = json_object_get (shape, "points");

  *form = (Form) { GST_SHAPE_LAYER_POLYLINES, GST_SHAPE_KIND_CONTOUR, 0 };
  if (g_strcmp0 (kind, "circle") == 0)
    form->type = GST_SHAPE_LAYER_CIRCLES;
  else if (g_strcmp0 (kind, "hull") == 0)
    form->kind = GST_SHAPE_KIND_HULL;
  else if (g_strcmp0 (kind, "contour") != 0)
    return gst_shape_json_fail (reader->error,
        "shapes[%" G_GSIZE_FORMAT "].kind is not "
        "\"contour\", \"hull\" or \"circle\"", index);
  if (points && !json_is_array (points))
    return gst_shape_json_fail (reader->error,
        "shapes[%" G_GSIZE_FORMAT "].points is not an array", index);
  if (form->type == GST_SHAPE_LAYER_CIRCLES)
    return TRUE;
  if (points)
    form->has |= GST_SHAPE_HAS_POINTS;
  if (form->kind == GST_SHAPE_KIND_HULL && json_object_get (shape, "feret"))
    form->has |= GST_SHAPE_HAS_HULL_MEASURES;
  if (form->kind == GST_SHAPE_KIND_HULL) {
    if (json_object_get (shape, "enclosing-ellipse"))
      form->has |= GST_SHAPE_HAS_ELLIPSES;
    if (json_object_get (shape, "defects"))
      form->has |= GST_SHAPE_HAS_DEFECTS;
    if (points && json_object_get (shape, "indices"))
      form->has |= GST_SHAPE_HAS_INDICES;
  }
  if (json_object_get (shape, "statistics"))
    form->has |= GST_SHAPE_HAS_STATISTICS;
  if (json_object_get (shape, "confidence")
      || json_object_get (shape, "track-id")
      || json_object_get (shape, "region-id"))
    form->has |= GST_SHAPE_HAS_ANNOTATIONS;
  return TRUE;
}

/* Names of classes: a layer has one for each class, or none. */

/* "" without a name. */
static gboolean
read_class_name (const GstShapeJsonReader * reader, const json_t * shape,
    const gchar ** name)
{
  const json_t *value = json_object_get (shape, "class-name");

  *name = value ? json_string_value (value) : "";
  if (!*name || strlen (*name) > GST_SHAPE_CLASS_NAME_MAX_BYTES)
    return gst_shape_json_fail_shape (reader, "class-name", "a text of at most "
        G_STRINGIFY (GST_SHAPE_CLASS_NAME_MAX_BYTES) " bytes");
  if (**name && json_integer_value (json_object_get (shape, "class")) < 0)
    return gst_shape_json_fail_shape (reader, "class",
        "at least 0, and its class has a name");
  return TRUE;
}

/* Adds what the shape's class is called to @names, by class, as a pointer;
 * @agrees is whether it is not called otherwise there. */
static gboolean
join_name (GstShapeJsonReader * reader, gsize index, CsMap * names,
    gboolean * agrees)
{
  const json_t *shape = json_array_get (reader->array, index);
  const gint64 class_id = json_integer_value (json_object_get (shape, "class"));
  const gchar *name;
  const gsize *other;

  reader->at = index;
  if (!read_class_name (reader, shape, &name))
    return FALSE;
  other = cs_map_find (names, (gint32) class_id);
  *agrees = !other || strcmp (name, GSIZE_TO_POINTER (*other)) == 0;
  return other || cs_map_set (names, (gint32) class_id, GPOINTER_TO_SIZE (name))
      || gst_shape_json_fail_memory (reader->error, names->n, "classes");
}

static gint
compare_classes (gconstpointer a, gconstpointer b)
{
  const gint32 first = *(const gint32 *) a, second = *(const gint32 *) b;

  return first < second ? -1 : first > second;
}

/* Those that have a name, ascending. */
static void
list_classes (const CsMap * names, CsArray * classes)
{
  for (gsize i = 0; i < names->capacity; i++) {
    const CsMapEntry *entry = &names->entries[i];
    const gchar *name = GSIZE_TO_POINTER (entry->value);

    if (entry->used && *name)
      cs_array_append_val (classes, entry->key);
  }
  if (classes->len > 0)
    qsort (classes->data, classes->len, classes->size, compare_classes);
}

static void
take_names (const CsMap * names, const CsArray * classes, GstShapeLayer * layer)
{
  GArray *table = gst_shape_class_names_new ();

  for (gsize i = 0; i < classes->len; i++) {
    const gint32 class_id = cs_array_index (classes, gint32, i);

    gst_shape_class_names_add (table, class_id,
        GSIZE_TO_POINTER (*cs_map_find (names, class_id)));
  }
  if (table->len > 0)
    gst_shape_layer_take_class_names (layer, table);
  else
    g_array_unref (table);
}

static gboolean
name_classes (GstShapeJsonReader * reader, const CsMap * names,
    GstShapeLayer * layer)
{
  CsArray classes;
  gboolean ok;

  cs_array_init (&classes, sizeof (gint32));
  list_classes (names, &classes);
  if (classes.failed)
    ok = gst_shape_json_fail_memory (reader->error, names->n, "classes");
  else
    ok = classes.len <= GST_SHAPE_CLASS_NAMES_MAX - reader->n_names
        || gst_shape_json_fail (reader->error,
        "there are more than %d names of classes", GST_SHAPE_CLASS_NAMES_MAX);
  if (ok) {
    reader->n_names += (guint) classes.len;
    take_names (names, &classes, layer);
  }
  cs_array_clear (&classes);
  return ok;
}

/* Counts the shapes of one form from @begin on, and their points. Those that
 * are annotated or have statistics do not leave the layer of those that are
 * not. */
static gboolean
count_layer (GstShapeJsonReader * reader, gsize begin, Form * form,
    CsMap * names, gsize * n_shapes, gsize * n_points)
{
  const gsize end = json_array_size (reader->array);
  gsize i;

  *n_points = 0;
  if (!read_form (reader, begin, form))
    return FALSE;
  for (i = begin; i < end; i++) {
    gboolean agrees = TRUE;
    Form other;

    if (!read_form (reader, i, &other))
      return FALSE;
    if (other.type != form->type || other.kind != form->kind
        || ((other.has ^ form->has) & ~(GST_SHAPE_HAS_ANNOTATIONS
                | GST_SHAPE_HAS_STATISTICS)))
      break;
    if (form->type == GST_SHAPE_LAYER_POLYLINES
        && !join_name (reader, i, names, &agrees))
      return FALSE;
    if (!agrees)
      break;
    form->has |= other.has;
    *n_points += gst_shape_json_count_points (json_array_get (reader->array,
            i));
  }
  *n_shapes = i - begin;
  return TRUE;
}

static gboolean
read_points (const GstShapeJsonReader * reader, const json_t * shape,
    GstShapePoint * points, gsize * n)
{
  const json_t *array = json_object_get (shape, "points");
  const gsize size = json_array_size (array);

  *n = gst_shape_json_count_points (shape);
  for (gsize i = 0; i < size; i++)
    if (!gst_shape_json_to_point (json_array_get (array, i), &points[i]))
      return gst_shape_json_fail (reader->error,
          "shapes[%" G_GSIZE_FORMAT "].points[%" G_GSIZE_FORMAT
          "] is not two numbers", reader->at, i);
  if (*n > size)
    points[size] = points[0];
  return TRUE;
}

static gboolean
read_polyline (const GstShapeJsonReader * reader, const json_t * shape,
    GstShapePolyline * p)
{
  gdouble *const centroid[] = { &p->centroid_x, &p->centroid_y };
  gdouble *const bbox[] = { &p->bbox_x0, &p->bbox_y0, &p->bbox_x1, &p->bbox_y1
  };

  gst_shape_polyline_forget (p);
  p->solidity = NAN;
  return gst_shape_json_read_id (reader, shape, "id", &p->id)
      && gst_shape_json_read_id (reader, shape, "class", &p->class_id)
      && gst_shape_json_read_id (reader, shape, "image", &p->image)
      && gst_shape_json_read_id (reader, shape, "parent", &p->parent)
      && gst_shape_json_read_flag (reader, shape, "closed",
          GST_SHAPE_FLAG_CLOSED, &p->flags)
      && gst_shape_json_read_flag (reader, shape, "hole", GST_SHAPE_FLAG_HOLE,
          &p->flags)
      && gst_shape_json_read_double (reader, shape, "level", &p->level)
      && gst_shape_json_read_double (reader, shape, "area", &p->area)
      && gst_shape_json_read_double (reader, shape, "perimeter", &p->perimeter)
      && gst_shape_json_read_doubles (reader, shape, "centroid", centroid, 2)
      && gst_shape_json_read_doubles (reader, shape, "bbox", bbox, 4)
      && gst_shape_json_read_double (reader, shape, "solidity", &p->solidity);
}

/* Of directions, only the rectangle's angle is written. */
static gboolean
read_hull_measures (const GstShapeJsonReader * reader, const json_t * shape,
    GstShapeHullMeasures * m)
{
  const json_t *rect = json_object_get (shape, "min-area-rect");
  const json_t *circle = json_object_get (shape, "enclosing-circle");
  gdouble *const feret[] = { &m->feret_min, &m->feret_max };
  gdouble *const centre[] = { &m->rect_x, &m->rect_y };
  gdouble *const size[] = { &m->rect_width, &m->rect_height };
  gdouble angle = 0.;

  if (!gst_shape_json_read_doubles (reader, shape, "feret", feret, 2)
      || !gst_shape_json_read_doubles (reader, rect, "center", centre, 2)
      || !gst_shape_json_read_doubles (reader, rect, "size", size, 2)
      || !gst_shape_json_read_double (reader, rect, "angle", &angle)
      || !gst_shape_json_read_double (reader, circle, "x", &m->circle_x)
      || !gst_shape_json_read_double (reader, circle, "y", &m->circle_y)
      || !gst_shape_json_read_double (reader, circle, "r", &m->circle_r))
    return FALSE;
  m->rect_ux = cos (angle * G_PI / 180.);
  m->rect_uy = sin (angle * G_PI / 180.);
  return TRUE;
}

static gboolean
read_annotation (const GstShapeJsonReader * reader, const json_t * shape,
    GstShapeAnnotation * annotation)
{
  *annotation = (GstShapeAnnotation) GST_SHAPE_ANNOTATION_NONE;
  return gst_shape_json_read_float (reader, shape, "confidence",
          &annotation->confidence)
      && gst_shape_json_read_whole (reader, shape, "track-id",
          &annotation->track_id)
      && gst_shape_json_read_id (reader, shape, "region-id",
          &annotation->region_id);
}

static gboolean
read_circle (const GstShapeJsonReader * reader, const json_t * shape,
    GstShapeCircle * c)
{
  const json_t *color = json_object_get (shape, "color");
  const gchar *text = json_string_value (color);
  gchar *end = NULL;
  guint64 rgba;

  if (text && text[0] == '#' && strlen (text) == 9) {
    rgba = g_ascii_strtoull (text + 1, &end, 16);
    c->rgba = (guint32) rgba;
  }
  if (color && (!end || *end))
    return gst_shape_json_fail_shape (reader, "color", "a text \"#rrggbbaa\"");
  return gst_shape_json_read_float (reader, shape, "x", &c->x)
      && gst_shape_json_read_float (reader, shape, "y", &c->y)
      && gst_shape_json_read_float (reader, shape, "r", &c->r)
      && gst_shape_json_read_float (reader, shape, "z", &c->z)
      && gst_shape_json_read_id (reader, shape, "parent", &c->parent);
}

static gboolean
fill_polylines (GstShapeJsonReader * reader, gsize begin, gsize n,
    GstShapeBlock * block)
{
  gsize i, n_points = 0, taken = 0;

  for (i = 0; i < n; i++, n_points += taken) {
    const json_t *shape = json_array_get (reader->array, begin + i);

    reader->at = begin + i;
    block->offsets[i] = (guint32) n_points;
    block->polylines[i] = (GstShapePolyline) {
    .id = (gint32) (begin + i),.parent = -1,.kind = block->polylines[i].kind};
    if (!read_polyline (reader, shape, &block->polylines[i])
        || (block->points && !read_points (reader, shape,
                block->points + n_points, &taken))
        || (block->annotations
            && !read_annotation (reader, shape, &block->annotations[i])))
      return FALSE;
    if (block->points)
      gst_shape_polyline_complete (&block->polylines[i],
          block->points + n_points, taken);
    if (!block->hull_measures)
      continue;
    block->hull_measures[i] = (GstShapeHullMeasures) { 0, };
    if (!read_hull_measures (reader, shape, &block->hull_measures[i]))
      return FALSE;
  }
  block->offsets[n] = (guint32) n_points;
  return TRUE;
}

static gboolean
fill_circles (GstShapeJsonReader * reader, gsize begin, gsize n,
    GstShapeBlock * block)
{
  gsize i;

  for (i = 0; i < n; i++) {
    reader->at = begin + i;
    block->circles[i] = (GstShapeCircle) {.rgba = 0xffffffff,.parent = -1 };
    if (!read_circle (reader, json_array_get (reader->array, begin + i),
            &block->circles[i]))
      return FALSE;
  }
  return TRUE;
}

/* The layer of @n_shapes shapes from @begin on. */
static GstShapeLayer *
read_layer (GstShapeJsonReader * reader, gsize begin, Form form, gsize n_shapes,
    gsize n_points)
{
  GstShapeLayer *layer;
  GstShapeBlock block;
  gboolean filled;

  layer = gst_shape_layer_new_block (form.type, n_shapes, n_points, form.has,
      &block);
  if (!layer) {
    gst_shape_json_fail_memory (reader->error, n_shapes, "shapes");
    return NULL;
  }
  for (gsize i = 0; block.polylines && i < n_shapes; i++)
    block.polylines[i].kind = form.kind;
  filled = form.type == GST_SHAPE_LAYER_CIRCLES ?
      fill_circles (reader, begin, n_shapes, &block) :
      fill_polylines (reader, begin, n_shapes, &block);
  if (!filled) {
    gst_shape_layer_unref (layer);
    return NULL;
  }
  if (!gst_shape_layer_seal (layer)) {
    gst_shape_json_fail (reader->error,
        "shapes[%" G_GSIZE_FORMAT "] and those after it are "
        "more than a layer can have", begin);
    return NULL;
  }
  form.has &= GST_SHAPE_HAS_EXTRAS;
  if (form.has
      && !gst_shape_json_read_extras (reader, begin, n_shapes, form.has,
          &layer))
    g_clear_pointer (&layer, gst_shape_layer_unref);
  return layer;
}

/* The layer that begins at @begin, of @n_shapes shapes. */
static GstShapeLayer *
read_named_layer (GstShapeJsonReader * reader, gsize begin, gsize * n_shapes)
{
  CsMap names = CS_MAP_INIT;
  GstShapeLayer *layer = NULL;
  gsize n_points;
  Form form;

  if (count_layer (reader, begin, &form, &names, n_shapes, &n_points))
    layer = read_layer (reader, begin, form, *n_shapes, n_points);
  if (layer && !name_classes (reader, &names, layer))
    g_clear_pointer (&layer, gst_shape_layer_unref);
  cs_map_clear (&names);
  return layer;
}

static gboolean
read_shapes (json_t * array, GstShapeSet * set, GError ** error)
{
  GstShapeJsonReader reader = { array, 0, error, 0 };
  gsize begin, n;

  for (begin = 0; begin < json_array_size (array); begin += n) {
    GstShapeLayer *layer = read_named_layer (&reader, begin, &n);

    if (!layer)
      return FALSE;
    gst_shape_set_add_layer (set, layer);
  }
  return TRUE;
}

/* Frames */

static gboolean
read_count (const json_t * object, const gchar * key, guint64 maximum,
    guint64 * count, GError ** error)
{
  const json_t *value = json_object_get (object, key);

  if (!value || json_is_null (value))
    return TRUE;
  if (!json_is_integer (value) || json_integer_value (value) < 0
      || (guint64) json_integer_value (value) > maximum)
    return gst_shape_json_fail (error, "%s is not a whole number of at most %"
        G_GUINT64_FORMAT, key, maximum);
  *count = (guint64) json_integer_value (value);
  return TRUE;
}

/* A copy for g_free(). */
static gboolean
copy_text (const gchar * text, const gchar ** copy, GError ** error)
{
  const gsize size = strlen (text) + 1;
  gchar *copied = cs_try_malloc (size);

  if (!copied)
    return gst_shape_json_fail_memory (error, size, "bytes of text");
  *copy = memcpy (copied, text, size);
  return TRUE;
}

static gboolean
read_tags (const json_t * tags, GstShapeJsonFrame * frame, GError ** error)
{
  char *text = json_dumps (tags, JSON_COMPACT);
  const gboolean ok = text ? copy_text (text, &frame->tags, error) :
      gst_shape_json_fail_memory (error, json_object_size (tags), "tags");

  free (text);
  return ok;
}

static gboolean
read_frame (const json_t * object, GstShapeJsonFrame * frame, GError ** error)
{
  const json_t *source = json_object_get (object, "source");
  const json_t *tags = json_object_get (object, "tags");
  guint64 width = 0, height = 0, version = VERSION;

  if (!read_count (object, "version", G_MAXINT64, &version, error)
      || !read_count (object, "frame", G_MAXINT64, &frame->frame, error)
      || !read_count (object, "pts", G_MAXINT64, &frame->pts, error)
      || !read_count (object, "reference-timestamp", G_MAXINT64,
          &frame->reference, error)
      || !read_count (object, "offset", G_MAXINT64, &frame->offset, error)
      || !read_count (object, "width", G_MAXINT32, &width, error)
      || !read_count (object, "height", G_MAXINT32, &height, error))
    return FALSE;
  if (version != VERSION)
    return gst_shape_json_fail (error,
        "version is %" G_GUINT64_FORMAT ", and only %d is known", version,
        VERSION);
  if (source && !json_is_string (source))
    return gst_shape_json_fail (error, "source is not a text");
  if (tags && !json_is_object (tags))
    return gst_shape_json_fail (error, "tags is not an object");
  if ((source && !copy_text (json_string_value (source), &frame->source,
              error)) || (tags && !read_tags (tags, frame, error)))
    return FALSE;
  frame->width = (guint) width;
  frame->height = (guint) height;
  return TRUE;
}

static gboolean
read_pixel_size (const json_t * object, GstShapeSet * set, GError ** error)
{
  const json_t *array = json_object_get (object, "pixel-size");
  const json_t *x = json_array_get (array, 0), *y = json_array_get (array, 1);

  if (!array)
    return TRUE;
  if (json_array_size (array) != 2 || !(json_number_value (x) > 0)
      || !(json_number_value (y) > 0))
    return gst_shape_json_fail (error,
        "pixel-size is not two positive numbers");
  gst_shape_set_set_pixel_size (set, json_number_value (x),
      json_number_value (y));
  return TRUE;
}

static gboolean
read_object (const json_t * object, GstShapeJsonFrame * frame,
    GstShapeSet ** set, GError ** error)
{
  json_t *shapes = json_object_get (object, "shapes");

  if (!json_is_object (object))
    return gst_shape_json_fail (error, "it is not an object");
  if (!json_is_array (shapes))
    return gst_shape_json_fail (error, "shapes is not an array");
  if (!read_frame (object, frame, error))
    return FALSE;
  *set = gst_shape_set_new (frame->width, frame->height);
  return read_pixel_size (object, *set, error)
      && read_shapes (shapes, *set, error);
}

/**
 * gst_shape_json_frame_clear: (skip)
 * @frame: a frame filled by gst_shape_json_read_line()
 *
 * Frees its contents.
 *
 * Since: 0.1
 */
void
gst_shape_json_frame_clear (GstShapeJsonFrame * frame)
{
  g_return_if_fail (frame != NULL);

  g_free ((gchar *) frame->source);
  frame->source = NULL;
  g_free ((gchar *) frame->tags);
  frame->tags = NULL;
}

/**
 * gst_shape_json_read_line: (skip)
 * @line: a line in the format of gst_shape_json_make_line(), with or without a
 *     newline
 * @size: its size in bytes
 * @frame: (out caller-allocates): the frame's fields, to be cleared with
 *     gst_shape_json_frame_clear()
 * @error: return location for an error
 *
 * Parses one JSON line. Consecutive shapes of the same kind, with the same
 * arrays and the same names of classes become a layer. A closed polyline may
 * end with its first point or not; in the layer it does. Unknown keys are
 * ignored; measures that are missing or null are taken from the points, and are
 * NaN without points; a missing `id` is the shape's index. Moments and the
 * directions of diameters are not in lines.
 *
 * Returns: (transfer full): the shapes, or %NULL with @error set: to
 *     %GST_STREAM_ERROR_DECODE, with the offending key or column, or
 *     %GST_RESOURCE_ERROR_NO_SPACE_LEFT
 *
 * Since: 0.1
 */
GstShapeSet *
gst_shape_json_read_line (const gchar * line, gsize size,
    GstShapeJsonFrame * frame, GError ** error)
{
  GstShapeSet *set = NULL;
  json_error_t reason;
  json_t *object;

  g_return_val_if_fail (line != NULL || size == 0, NULL);
  g_return_val_if_fail (frame != NULL, NULL);

  *frame = (GstShapeJsonFrame) {
  .pts = GST_CLOCK_TIME_NONE,.offset = GST_BUFFER_OFFSET_NONE,.reference =
        GST_CLOCK_TIME_NONE};
  object = json_loadb (size ? line : "", size, 0, &reason);
  if (!object) {
    gst_shape_json_fail (error, "column %d: %s", reason.column, reason.text);
    return NULL;
  }
  if (!read_object (object, frame, &set, error)) {
    g_clear_pointer (&set, gst_shape_set_unref);
    gst_shape_json_frame_clear (frame);
  }
  json_decref (object);
  return set;
}

/**
 * gst_shape_set_from_json:
 * @json: the result of gst_shape_set_to_json(), or a line of shapejsonenc
 * @error: return location for an error
 *
 * Parses shapes; see gst_shape_json_read_line().
 *
 * Returns: (transfer full): the set, or %NULL with @error set to the
 *     offending key or column
 *
 * Since: 0.1
 */
GstShapeSet *
gst_shape_set_from_json (const gchar * json, GError ** error)
{
  GstShapeJsonFrame frame;
  GstShapeSet *set;

  g_return_val_if_fail (json != NULL, NULL);

  set = gst_shape_json_read_line (json, strlen (json), &frame, error);
  if (set)
    gst_shape_json_frame_clear (&frame);
  return set;
}
