/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Parser of the JSON lines written by gstshapejson.c. */

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

/* What a line may become: so many bytes for each of its own, and as many as
 * short lines need, which may be a layer for each shape. */
#define MEMORY_FACTOR 16
#define MEMORY_FREE (1024 * 1024)
/* More than a layer's own bytes. */
#define LAYER_SIZE 1024
/* More than the bytes of a name beside its characters, here and there. */
#define NAME_SIZE 128
#define MAX_TAGS_SIZE (256 * 1024)
/* Values take some 300 bytes where tags become metas. */
#define MAX_TAGS_VALUES 4096

/* Properties shared by the shapes of a layer. */
typedef struct
{
  GstShapeLayerType type;
  guint32 kind;
  guint has;
} Form;

/* Consecutive shapes of one form. */
typedef struct
{
  const gchar *first;
  gsize begin;                  /* index of the first one */
  gsize n_shapes, n_points;
  Form form;
} Run;

/* Shapes */

static gboolean
read_form (const GstShapeJsonReader * reader, const GstShapeJsonObject * shape,
    Form * form)
{
  const gchar *const *values = shape->values;
  const gchar *kind = values[KEY_KIND];
  const gboolean has_points = values[KEY_POINTS] != NULL;

  *form = (Form) { GST_SHAPE_LAYER_POLYLINES, GST_SHAPE_KIND_CONTOUR, 0 };
  if (json_text_is_string (kind, "circle"))
    form->type = GST_SHAPE_LAYER_CIRCLES;
  else if (json_text_is_string (kind, "hull"))
    form->kind = GST_SHAPE_KIND_HULL;
  else if (!json_text_is_string (kind, "contour"))
    return gst_shape_json_fail_shape (reader, KEY_KIND,
        "\"contour\", \"hull\" or \"circle\"");
  if (has_points && json_text_get_type (values[KEY_POINTS]) != JSON_TEXT_ARRAY)
    return gst_shape_json_fail_shape (reader, KEY_POINTS, "an array");
  if (form->type == GST_SHAPE_LAYER_CIRCLES)
    return TRUE;
  if (has_points)
    form->has |= GST_SHAPE_HAS_POINTS;
  if (form->kind == GST_SHAPE_KIND_HULL) {
    if (values[KEY_FERET])
      form->has |= GST_SHAPE_HAS_HULL_MEASURES;
    if (values[KEY_ENCLOSING_ELLIPSE])
      form->has |= GST_SHAPE_HAS_ELLIPSES;
    if (values[KEY_DEFECTS])
      form->has |= GST_SHAPE_HAS_DEFECTS;
    if (has_points && values[KEY_INDICES])
      form->has |= GST_SHAPE_HAS_INDICES;
  }
  if (values[KEY_STATISTICS])
    form->has |= GST_SHAPE_HAS_STATISTICS;
  if (values[KEY_CONFIDENCE] || values[KEY_TRACK_ID] || values[KEY_REGION_ID])
    form->has |= GST_SHAPE_HAS_ANNOTATIONS;
  return TRUE;
}

/* Names of classes: a layer has one for each class, or none. */

/* Its class, and what that is called, as written; %NULL without a name. */
static gboolean
read_class_name (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * shape, gint64 * class_id, const gchar ** name)
{
  gchar text[GST_SHAPE_CLASS_NAME_MAX_BYTES + 1];

  *class_id = 0;
  json_text_get_integer (shape->values[KEY_CLASS], class_id);
  *name = shape->values[KEY_CLASS_NAME];
  if (!*name)
    return TRUE;
  if (!json_text_get_string (*name, text, sizeof (text)))
    return gst_shape_json_fail_shape (reader, KEY_CLASS_NAME,
        "a text of at most "
        G_STRINGIFY (GST_SHAPE_CLASS_NAME_MAX_BYTES) " bytes");
  if (!*text)
    *name = NULL;
  else if (*class_id < 0)
    return gst_shape_json_fail_shape (reader, KEY_CLASS,
        "at least 0, and its class has a name");
  return TRUE;
}

static gboolean
are_same_names (const gchar * a, const gchar * b)
{
  if (!a || !b)
    return a == b;
  const gsize n = json_text_compact (a, NULL);
  return n == json_text_compact (b, NULL) && memcmp (a, b, n) == 0;
}

/* Adds what the shape's class is called to @names, by class, as a pointer;
 * @agrees is whether it is not called otherwise there. */
static gboolean
join_name (GstShapeJsonReader * reader, const GstShapeJsonObject * shape,
    CsMap * names, gboolean * agrees)
{
  const gchar *name;
  gint64 class_id;

  if (!read_class_name (reader, shape, &class_id, &name))
    return FALSE;
  const gsize *other = cs_map_find (names, (gint32) class_id);
  *agrees = !other || are_same_names (name, GSIZE_TO_POINTER (*other));
  if (other)
    return TRUE;
  return gst_shape_json_spend (reader, 1, NAME_SIZE)
      && (cs_map_set (names, (gint32) class_id, GPOINTER_TO_SIZE (name))
      || gst_shape_json_fail_memory (reader->error, names->n, "classes"));
}

static gint
compare_classes (gconstpointer a, gconstpointer b)
{
  const gint32 first = *(const gint32 *) a, second = *(const gint32 *) b;

  return first < second ? -1 : first > second;
}

static void
take_names (const CsMap * names, const CsArray * classes, GstShapeLayer * layer)
{
  GArray *table = gst_shape_class_names_new ();

  for (gsize i = 0; i < classes->len; i++) {
    const gint32 class_id = cs_array_index (classes, gint32, i);
    gchar name[GST_SHAPE_CLASS_NAME_MAX_BYTES + 1];

    if (json_text_get_string (GSIZE_TO_POINTER (*cs_map_find (names,
                    class_id)), name, sizeof (name)))
      gst_shape_class_names_add (table, class_id, name);
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
  /* Those that have a name, ascending. */
  for (gsize i = 0; i < names->capacity; i++) {
    const CsMapEntry *entry = &names->entries[i];

    if (entry->used && entry->value)
      cs_array_append_val (&classes, entry->key);
  }
  if (classes.len > 0)
    qsort (classes.data, classes.len, classes.size, compare_classes);
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

/* The memory of a run's layer, but what is of any number. */
static gboolean
spend_layer (GstShapeJsonReader * reader, const Run * run)
{
  const guint has = run->form.has;
  gsize size = sizeof (GstShapePolyline) + sizeof (guint32);
  gsize point_size = 0;

  if (run->form.type == GST_SHAPE_LAYER_CIRCLES)
    size = sizeof (GstShapeCircle);
  if (has & GST_SHAPE_HAS_HULL_MEASURES)
    size += sizeof (GstShapeHullMeasures);
  if (has & GST_SHAPE_HAS_ANNOTATIONS)
    size += sizeof (GstShapeAnnotation);
  if (has & GST_SHAPE_HAS_ELLIPSES)
    size += sizeof (GstShapeEllipse);
  if (has & GST_SHAPE_HAS_POINTS)
    point_size += sizeof (GstShapePoint);
  if (has & GST_SHAPE_HAS_INDICES)
    point_size += sizeof (guint32);
  return gst_shape_json_spend (reader, 1, LAYER_SIZE)
      && gst_shape_json_spend (reader, run->n_shapes, size)
      && (point_size == 0
      || gst_shape_json_spend (reader, run->n_points, point_size));
}

/* Counts the shapes of one form from run->first on, and their points. Those
 * that are annotated or have statistics do not leave the layer of those that
 * are not. @next: the shape after them */
static gboolean
count_run (GstShapeJsonReader * reader, Run * run, CsMap * names,
    const gchar ** next)
{
  GstShapeJsonObject shape;
  gboolean agrees = TRUE;
  Form form;

  run->n_shapes = run->n_points = 0;
  for (*next = run->first; *next; *next = json_text_next (*next)) {
    reader->at = run->begin + run->n_shapes;
    gst_shape_json_index (*next, &shape);
    if (!read_form (reader, &shape, &form))
      return FALSE;
    if (run->n_shapes == 0)
      run->form = form;
    if (form.type != run->form.type || form.kind != run->form.kind
        || ((form.has ^ run->form.has) & ~(GST_SHAPE_HAS_ANNOTATIONS
                | GST_SHAPE_HAS_STATISTICS)))
      break;
    if (form.type == GST_SHAPE_LAYER_POLYLINES
        && !join_name (reader, &shape, names, &agrees))
      return FALSE;
    if (!agrees)
      break;
    run->form.has |= form.has;
    run->n_points += gst_shape_json_count_points (&shape);
    run->n_shapes++;
  }
  reader->at = run->begin;
  return spend_layer (reader, run);
}

/* @n: of those that are read, which may be one more than are there */
static gboolean
read_points (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * shape, GstShapePoint * points, gsize * n)
{
  const gchar *point = json_text_first (shape->values[KEY_POINTS]);
  gsize i = 0;

  for (; point; point = json_text_next (point), i++)
    if (!gst_shape_json_to_point (point, &points[i]))
      return gst_shape_json_fail (reader->error,
          "shapes[%" G_GSIZE_FORMAT "].points[%" G_GSIZE_FORMAT
          "] is not two numbers", reader->at, i);
  if (gst_shape_json_is_closed (shape) && !gst_shape_points_are_closed (points,
          i))
    points[i++] = points[0];
  *n = i;
  return TRUE;
}

static gboolean
read_polyline (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * shape, GstShapePolyline * p)
{
  gdouble *const centroid[] = { &p->centroid_x, &p->centroid_y };
  gdouble *const bbox[] = { &p->bbox_x0, &p->bbox_y0, &p->bbox_x1, &p->bbox_y1
  };

  gst_shape_polyline_forget (p);
  p->solidity = NAN;
  return gst_shape_json_read_id (reader, shape, KEY_ID, &p->id)
      && gst_shape_json_read_id (reader, shape, KEY_CLASS, &p->class_id)
      && gst_shape_json_read_id (reader, shape, KEY_IMAGE, &p->image)
      && gst_shape_json_read_id (reader, shape, KEY_PARENT, &p->parent)
      && gst_shape_json_read_flag (reader, shape, KEY_CLOSED,
          GST_SHAPE_FLAG_CLOSED, &p->flags)
      && gst_shape_json_read_flag (reader, shape, KEY_HOLE, GST_SHAPE_FLAG_HOLE,
          &p->flags)
      && gst_shape_json_read_double (reader, shape, KEY_LEVEL, &p->level)
      && gst_shape_json_read_double (reader, shape, KEY_AREA, &p->area)
      && gst_shape_json_read_double (reader, shape, KEY_PERIMETER,
          &p->perimeter)
      && gst_shape_json_read_doubles (reader, shape, KEY_CENTROID, centroid, 2)
      && gst_shape_json_read_doubles (reader, shape, KEY_BBOX, bbox, 4)
      && gst_shape_json_read_double (reader, shape, KEY_SOLIDITY, &p->solidity);
}

/* Of directions, only the rectangle's angle is written. */
static gboolean
read_hull_measures (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * shape, GstShapeHullMeasures * m)
{
  GstShapeJsonObject rect, circle;
  gdouble *const feret[] = { &m->feret_min, &m->feret_max };
  gdouble *const centre[] = { &m->rect_x, &m->rect_y };
  gdouble *const size[] = { &m->rect_width, &m->rect_height };
  gdouble angle = 0.;

  gst_shape_json_index (shape->values[KEY_MIN_AREA_RECT], &rect);
  gst_shape_json_index (shape->values[KEY_ENCLOSING_CIRCLE], &circle);
  if (!gst_shape_json_read_doubles (reader, shape, KEY_FERET, feret, 2)
      || !gst_shape_json_read_doubles (reader, &rect, KEY_CENTER, centre, 2)
      || !gst_shape_json_read_doubles (reader, &rect, KEY_SIZE, size, 2)
      || !gst_shape_json_read_double (reader, &rect, KEY_ANGLE, &angle)
      || !gst_shape_json_read_double (reader, &circle, KEY_X, &m->circle_x)
      || !gst_shape_json_read_double (reader, &circle, KEY_Y, &m->circle_y)
      || !gst_shape_json_read_double (reader, &circle, KEY_R, &m->circle_r))
    return FALSE;
  m->rect_ux = cos (angle * G_PI / 180.);
  m->rect_uy = sin (angle * G_PI / 180.);
  return TRUE;
}

static gboolean
read_annotation (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * shape, GstShapeAnnotation * annotation)
{
  *annotation = (GstShapeAnnotation) GST_SHAPE_ANNOTATION_NONE;
  return gst_shape_json_read_float (reader, shape, KEY_CONFIDENCE,
          &annotation->confidence)
      && gst_shape_json_read_whole (reader, shape, KEY_TRACK_ID,
          &annotation->track_id)
      && gst_shape_json_read_id (reader, shape, KEY_REGION_ID,
          &annotation->region_id);
}

static gboolean
read_circle (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * shape, GstShapeCircle * c)
{
  const gchar *color = shape->values[KEY_COLOR];
  gchar text[sizeof ("#rrggbbaa")];

  if (color && (!json_text_get_string (color, text, sizeof (text))
          || text[0] != '#' || strlen (text) != 9
          || strspn (text + 1, "0123456789abcdefABCDEF") != 8))
    return gst_shape_json_fail_shape (reader, KEY_COLOR,
        "a text \"#rrggbbaa\"");
  if (color)
    c->rgba = (guint32) g_ascii_strtoull (text + 1, NULL, 16);
  return gst_shape_json_read_float (reader, shape, KEY_X, &c->x)
      && gst_shape_json_read_float (reader, shape, KEY_Y, &c->y)
      && gst_shape_json_read_float (reader, shape, KEY_R, &c->r)
      && gst_shape_json_read_float (reader, shape, KEY_Z, &c->z)
      && gst_shape_json_read_id (reader, shape, KEY_PARENT, &c->parent);
}

static gboolean
fill_polyline (GstShapeJsonReader * reader, const GstShapeJsonObject * shape,
    const Run * run, gsize i, GstShapeBlock * block)
{
  GstShapePolyline *polyline = &block->polylines[i];
  const gsize first = block->offsets[i];
  gsize n = 0;

  *polyline = (GstShapePolyline) {
  .id = (gint32) reader->at,.parent = -1,.kind = run->form.kind};
  if (!read_polyline (reader, shape, polyline)
      || (block->points
          && !read_points (reader, shape, block->points + first, &n))
      || (block->annotations
          && !read_annotation (reader, shape, &block->annotations[i])))
    return FALSE;
  if (block->points)
    gst_shape_polyline_complete (polyline, block->points + first, n);
  block->offsets[i + 1] = (guint32) (first + n);
  if (!block->hull_measures)
    return TRUE;
  block->hull_measures[i] = (GstShapeHullMeasures) { 0, };
  return read_hull_measures (reader, shape, &block->hull_measures[i]);
}

static gboolean
fill_circle (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * shape, GstShapeCircle * circle)
{
  *circle = (GstShapeCircle) {.rgba = 0xffffffff,.parent = -1 };
  return read_circle (reader, shape, circle);
}

static gboolean
fill_block (GstShapeJsonReader * reader, const Run * run, GstShapeBlock * block)
{
  const gchar *value = run->first;

  if (block->offsets)
    block->offsets[0] = 0;
  for (gsize i = 0; i < run->n_shapes; i++, value = json_text_next (value)) {
    GstShapeJsonObject shape;

    reader->at = run->begin + i;
    gst_shape_json_index (value, &shape);
    if (!(block->circles ? fill_circle (reader, &shape, &block->circles[i]) :
            fill_polyline (reader, &shape, run, i, block)))
      return FALSE;
  }
  return TRUE;
}

static GstShapeLayer *
read_layer (GstShapeJsonReader * reader, const Run * run)
{
  const guint extras = run->form.has & GST_SHAPE_HAS_EXTRAS;
  GstShapeBlock block;

  GstShapeLayer *layer = gst_shape_layer_new_block (run->form.type,
      run->n_shapes, run->n_points, run->form.has, &block);
  if (!layer) {
    gst_shape_json_fail_memory (reader->error, run->n_shapes, "shapes");
    return NULL;
  }
  if (!fill_block (reader, run, &block)) {
    gst_shape_layer_unref (layer);
    return NULL;
  }
  if (!gst_shape_layer_seal (layer)) {
    gst_shape_json_fail (reader->error,
        "shapes[%" G_GSIZE_FORMAT "] and those after it are "
        "more than a layer can have", run->begin);
    return NULL;
  }
  if (extras && !gst_shape_json_read_extras (reader, run->first, run->begin,
          run->n_shapes, extras, &layer))
    g_clear_pointer (&layer, gst_shape_layer_unref);
  return layer;
}

/* The layer that begins with run->first. @next: the shape after it */
static GstShapeLayer *
read_run (GstShapeJsonReader * reader, Run * run, const gchar ** next)
{
  CsMap names = CS_MAP_INIT;
  GstShapeLayer *layer = NULL;

  if (count_run (reader, run, &names, next))
    layer = read_layer (reader, run);
  if (layer && !name_classes (reader, &names, layer))
    g_clear_pointer (&layer, gst_shape_layer_unref);
  cs_map_clear (&names);
  return layer;
}

/* @size: of the line */
static gboolean
read_shapes (const gchar * array, gsize size, GstShapeSet * set,
    GError ** error)
{
  GstShapeJsonReader reader = {.error = error };
  const gchar *next = json_text_first (array);
  Run run = { 0, };

  reader.budget = MIN (size, (G_MAXSIZE - MEMORY_FREE) / MEMORY_FACTOR)
      * MEMORY_FACTOR + MEMORY_FREE;
  while (next) {
    run.first = next;
    GstShapeLayer *layer = read_run (&reader, &run, &next);
    if (!layer)
      return FALSE;
    gst_shape_set_add_layer (set, layer);
    run.begin += run.n_shapes;
  }
  return TRUE;
}

/* Frames */

static gboolean
read_count (const GstShapeJsonObject * line, GstShapeJsonKey key,
    gint64 maximum, guint64 * count, GError ** error)
{
  const gchar *value = line->values[key];
  gint64 number;

  if (!value || json_text_get_type (value) == JSON_TEXT_NULL)
    return TRUE;
  if (!json_text_get_integer (value, &number) || number < 0 || number > maximum)
    return gst_shape_json_fail (error, "%s is not a whole number of at most %"
        G_GINT64_FORMAT, gst_shape_json_key_to_string (key), maximum);
  *count = (guint64) number;
  return TRUE;
}

static gboolean
read_source (const gchar * value, GstShapeJsonFrame * frame, GError ** error)
{
  const gsize size = json_text_compact (value, NULL);
  gchar *text;

  if (json_text_get_type (value) != JSON_TEXT_STRING)
    return gst_shape_json_fail (error, "source is not a text");
  frame->source = text = cs_try_malloc (size);
  if (!text)
    return gst_shape_json_fail_memory (error, size, "bytes of text");
  json_text_get_string (value, text, size);
  return TRUE;
}

/* Readers of JSON refuse numbers out of range; nothing would be left of the
 * tags. @left: values that there may be, with @value */
static gboolean
check_tags (const gchar * value, guint * left, GError ** error)
{
  const gboolean is_object = json_text_get_type (value) == JSON_TEXT_OBJECT;
  const gchar *item = json_text_first (value);
  gint64 whole;
  gdouble number;

  if ((*left)-- == 0)
    return gst_shape_json_fail (error, "tags has more than %d values",
        MAX_TAGS_VALUES);
  if (json_text_get_type (value) == JSON_TEXT_NUMBER
      && !json_text_get_integer (value, &whole)
      && !(json_text_is_real (value) && json_text_get_number (value, &number)))
    return gst_shape_json_fail (error, "tags has a number that is too large");
  while (item) {
    const gchar *part = is_object ? json_text_value_of (item) : item;

    if (!check_tags (part, left, error))
      return FALSE;
    item = json_text_next (part);
  }
  return TRUE;
}

static gboolean
read_tags (const gchar * value, GstShapeJsonFrame * frame, GError ** error)
{
  const gsize size = json_text_compact (value, NULL);
  guint left = MAX_TAGS_VALUES;
  gchar *text;

  if (json_text_get_type (value) != JSON_TEXT_OBJECT)
    return gst_shape_json_fail (error, "tags is not an object");
  if (size > MAX_TAGS_SIZE)
    return gst_shape_json_fail (error, "tags has more than %d bytes",
        MAX_TAGS_SIZE);
  if (!check_tags (value, &left, error))
    return FALSE;
  frame->tags = text = cs_try_malloc (size + 1);
  if (!text)
    return gst_shape_json_fail_memory (error, size, "bytes of text");
  json_text_compact (value, text);
  text[size] = '\0';
  return TRUE;
}

static gboolean
read_frame (const GstShapeJsonObject * line, GstShapeJsonFrame * frame,
    GError ** error)
{
  const gchar *source = line->values[KEY_SOURCE];
  const gchar *tags = line->values[KEY_TAGS];
  guint64 width = 0, height = 0, version = VERSION;

  if (!read_count (line, KEY_VERSION, G_MAXINT64, &version, error)
      || !read_count (line, KEY_FRAME, G_MAXINT64, &frame->frame, error)
      || !read_count (line, KEY_PTS, G_MAXINT64, &frame->pts, error)
      || !read_count (line, KEY_REFERENCE_TIMESTAMP, G_MAXINT64,
          &frame->reference, error)
      || !read_count (line, KEY_OFFSET, G_MAXINT64, &frame->offset, error)
      || !read_count (line, KEY_WIDTH, G_MAXINT32, &width, error)
      || !read_count (line, KEY_HEIGHT, G_MAXINT32, &height, error))
    return FALSE;
  if (version != VERSION)
    return gst_shape_json_fail (error,
        "version is %" G_GUINT64_FORMAT ", and only %d is known", version,
        VERSION);
  if ((source && !read_source (source, frame, error))
      || (tags && !read_tags (tags, frame, error)))
    return FALSE;
  frame->width = (guint) width;
  frame->height = (guint) height;
  return TRUE;
}

static gboolean
read_pixel_size (const GstShapeJsonObject * line, GstShapeSet * set,
    GError ** error)
{
  const gchar *array = line->values[KEY_PIXEL_SIZE];
  const gchar *x = json_text_get_type (array) == JSON_TEXT_ARRAY ?
      json_text_first (array) : NULL;
  const gchar *y = x ? json_text_next (x) : NULL;
  gdouble width, height;

  if (!array)
    return TRUE;
  if (!json_text_get_number (x, &width) || !json_text_get_number (y, &height)
      || width <= 0 || height <= 0 || json_text_next (y))
    return gst_shape_json_fail (error,
        "pixel-size is not two positive numbers");
  gst_shape_set_set_pixel_size (set, width, height);
  return TRUE;
}

/* @size: of the line */
static gboolean
read_set (const GstShapeJsonObject * line, gsize size,
    GstShapeJsonFrame * frame, GstShapeSet ** set, GError ** error)
{
  const gchar *shapes = line->values[KEY_SHAPES];

  if (json_text_get_type (shapes) != JSON_TEXT_ARRAY)
    return gst_shape_json_fail (error, "shapes is not an array");
  if (!read_frame (line, frame, error))
    return FALSE;
  *set = gst_shape_set_new (frame->width, frame->height);
  return read_pixel_size (line, *set, error)
      && read_shapes (shapes, size, *set, error);
}

/**
 * gst_shape_json_frame_clear: (skip)
 * @frame: a frame filled by gst_shape_json_read_line()
 *
 * Frees its contents.
 *
 * Since: 1.0
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
 * Lines may come from strangers. What is made of one takes at most 16 times
 * its size and 1 MiB of memory; a line that would take more, such as one with
 * thousands of shapes of a few bytes and of changing kinds, is an error. So are
 * tags of more than 256 KiB or 4,096 values, and objects and arrays more than
 * 64 deep.
 *
 * Returns: (transfer full): the shapes, or %NULL with @error set: to
 *     %GST_STREAM_ERROR_DECODE, with the offending key or byte, or
 *     %GST_RESOURCE_ERROR_NO_SPACE_LEFT
 *
 * Since: 1.0
 */
GstShapeSet *
gst_shape_json_read_line (const gchar * line, gsize size,
    GstShapeJsonFrame * frame, GError ** error)
{
  GstShapeSet *set = NULL;
  GstShapeJsonObject object;
  const gchar *problem;
  gsize where;

  g_return_val_if_fail (line != NULL || size == 0, NULL);
  g_return_val_if_fail (frame != NULL, NULL);

  *frame = (GstShapeJsonFrame) {
  .pts = GST_CLOCK_TIME_NONE,.offset = GST_BUFFER_OFFSET_NONE,.reference =
        GST_CLOCK_TIME_NONE};
  if (!json_text_check (line ? line : "", size, &where, &problem)) {
    gst_shape_json_fail (error, "byte %" G_GSIZE_FORMAT ": %s", where, problem);
    return NULL;
  }
  gst_shape_json_index (json_text_root (line), &object);
  if (!read_set (&object, size, frame, &set, error)) {
    g_clear_pointer (&set, gst_shape_set_unref);
    gst_shape_json_frame_clear (frame);
  }
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
 *     offending key or byte
 *
 * Since: 1.0
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
