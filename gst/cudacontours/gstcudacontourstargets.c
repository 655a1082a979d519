/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstcudacontoursprivate.h"
#include "element/gstshapeslabels.h"
#include "element/gstshapesmessage.h"

static gint
compare_levels (gconstpointer a, gconstpointer b)
{
  const gdouble first = *(const gdouble *) a, second = *(const gdouble *) b;

  return first < second ? -1 : first > second;
}

/* Sorts the levels of iso-bands, unless there are too few or one twice; makes
 * arrays of equal length of the levels and the classes that have all of
 * them. */
static gboolean
contours_sort_band_levels (const ContoursSettings * settings,
    GArray * levels, GError ** error)
{
  if (settings->auto_level || levels->len < 2)
    return cs_error (error, CS_ERROR_INVALID, "bands=true fills what "
        "is between two levels; give at least two, such as "
        "levels=\"0.25,0.5\"%s", settings->auto_level ? ", and unset auto-level"
        : "");
  g_array_sort (levels, compare_levels);
  for (guint i = 1; i < levels->len; i++) {
    const gdouble level = g_array_index (levels, gdouble, i);

    if (level > g_array_index (levels, gdouble, i - 1))
      continue;
    return cs_error (error, CS_ERROR_INVALID, "with bands=true the levels must "
        "differ; levels=\"%s\" has %g twice", settings->levels, level);
  }
  return TRUE;
}

static void
contours_expand_band_classes (GArray * classes, GArray * levels)
{
  const guint n_classes = classes->len, n_levels = levels->len;

  g_array_set_size (classes, n_classes * n_levels);
  g_array_set_size (levels, n_classes * n_levels);
  /* from the end, where nothing is left to be read */
  for (guint i = n_classes * n_levels; i-- > 0;) {
    g_array_index (classes, guint, i) =
        g_array_index (classes, guint, i / n_levels);
    g_array_index (levels, gdouble, i) =
        g_array_index (levels, gdouble, i % n_levels);
  }
}

ContoursLevelMethod
contours_get_method (const GstCudaContours * self)
{
  return self->current.auto_level ? CONTOURS_LEVEL_MIDRANGE :
      self->current.level_method;
}

gint32
contours_get_class (const GstCudaContours * self, guint target)
{
  const guint channel = self->targets[target].channel;

  return channel < CS_CONTOURS_GROUP (0) ? (gint32) channel :
      (gint32) (self->tensor.channels + channel - CS_CONTOURS_GROUP (0));
}

static gint
compare_indices (gconstpointer a, gconstpointer b)
{
  const guint first = *(const guint *) a, second = *(const guint *) b;

  return first < second ? -1 : first > second;
}

static guint
count_labels (const GstCudaContours * self)
{
  return self->labels ? g_strv_length (self->labels) : 0;
}

static const gchar *
get_class_name (const GstCudaContours * self, gint32 class_id, guint n_labels)
{
  const guint n = self->is_tensor ? self->tensor.channels : 1;

  if (class_id < 0)
    return NULL;
  if ((guint) class_id >= n && (guint) class_id - n < self->groups->len)
    return g_array_index (self->groups, ContoursGroup,
        (guint) class_id - n).name;
  if ((guint) class_id < n_labels && *self->labels[class_id])
    return self->labels[class_id];
  return NULL;
}

const gchar *
contours_get_class_name (const GstCudaContours * self, gint32 class_id)
{
  return get_class_name (self, class_id, count_labels (self));
}

gboolean
contours_name_classes (GstCudaContours * self)
{
  const guint n_labels = count_labels (self);
  guint n = n_labels;

  if (self->groups->len > 0)
    n = MAX (n, self->tensor.channels + self->groups->len);
  g_ptr_array_set_size (self->class_names, 0);
  for (guint i = 0; i < n; i++) {
    const gchar *name = get_class_name (self, (gint32) i, n_labels);

    g_ptr_array_add (self->class_names,
        (gpointer) g_intern_string (name ? name : ""));
  }
  return TRUE;
}

static gboolean
is_set (const gchar * text)
{
  return text && *text;
}

/* The property that is not for iso-bands, or %NULL. */
static const gchar *
find_not_of_bands (const ContoursSettings * current)
{
  return current->level_method != CONTOURS_LEVEL_FIXED ?
      "level-method" : current->exclusive ? "exclusive" :
      is_set (current->class_groups) ? "class-groups" :
      is_set (current->class_min_area) ? "class-min-area" :
      is_set (current->class_max_area) ? "class-max-area" : NULL;
}

/* Settings that say the same thing twice are a mistake. */
static gboolean
check_method (const GstCudaContours * self, GError ** error)
{
  const ContoursSettings *current = &self->current;
  const ContoursLevelMethod method = current->level_method;
  const gchar *name;

  if (current->auto_level && method != CONTOURS_LEVEL_FIXED &&
      method != CONTOURS_LEVEL_MIDRANGE)
    return cs_error (error, CS_ERROR_INVALID, "auto-level=true is "
        "level-method=midrange; unset it to use another level-method");
  if (current->exclusive && contours_get_method (self) != CONTOURS_LEVEL_FIXED)
    return cs_error (error, CS_ERROR_INVALID, "exclusive contours "
        "have the level 0; unset %s", current->auto_level ? "auto-level" :
        "level-method");
  if (current->bands && (name = find_not_of_bands (current)))
    return cs_error (error, CS_ERROR_INVALID, "bands=true takes channels as "
        "they are, between levels that are given; unset %s", name);
  if (method == CONTOURS_LEVEL_ADAPTIVE && current->adaptive_window % 2 == 0)
    return cs_error (error, CS_ERROR_INVALID, "adaptive-window=%u is not an "
        "odd number: a window has its pixel in the middle",
        current->adaptive_window);
  return TRUE;
}

static gboolean
load_labels (GstCudaContours * self, GError ** error)
{
  const gchar *path = self->current.labels;

  if (g_strcmp0 (path, self->labels_path) == 0)
    return TRUE;
  g_clear_pointer (&self->labels, g_free);
  g_clear_pointer (&self->labels_path, g_free);
  if (!path || !*path)
    return TRUE;
  self->labels = gst_shapes_load_labels (path, error);
  if (!self->labels)
    return FALSE;
  self->labels_path = g_strdup (path);
  return TRUE;
}

void
contours_clear_classes (GstCudaContours * self)
{
  g_clear_pointer (&self->groups, g_array_unref);
  g_clear_pointer (&self->min_areas, g_array_unref);
  g_clear_pointer (&self->max_areas, g_array_unref);
  g_clear_pointer (&self->labels, g_free);
  g_clear_pointer (&self->labels_path, g_free);
}

gboolean
contours_parse_classes (GstCudaContours * self, GError ** error)
{
  const ContoursSettings *current = &self->current;

  g_clear_pointer (&self->groups, g_array_unref);
  g_clear_pointer (&self->min_areas, g_array_unref);
  g_clear_pointer (&self->max_areas, g_array_unref);
  return check_method (self, error) &&
      (self->groups = contours_parse_groups (current->class_groups,
          error)) && (self->min_areas =
      contours_parse_class_areas ("class-min-area",
          current->class_min_area, error)) && (self->max_areas =
      contours_parse_class_areas ("class-max-area",
          current->class_max_area, error)) && load_labels (self, error);
}

static gboolean
check_channel (GstCudaContours * self, GError ** error)
{
  const GstVideoFormatInfo *finfo = self->video.finfo;
  const gchar *format = GST_VIDEO_FORMAT_INFO_NAME (finfo);
  const gint alpha = gst_shapes_gray_find_component (finfo,
      GST_SHAPES_CHANNEL_A);

  if (!gst_shapes_gray_set_format (&self->gray, &self->video,
          self->current.channel, self->current.bit_depth, error))
    return FALSE;
  if (self->current.mask_alpha && (alpha < 0 ||
          GST_VIDEO_FORMAT_INFO_DEPTH (finfo, alpha) != 8))
    return cs_error (error, CS_ERROR_INVALID, "mask-alpha needs a format with "
        "8 bits of alpha, such as RGBA, not %s", format);
  if (self->current.classes && *self->current.classes)
    return cs_error (error, CS_ERROR_INVALID, "classes=\"%s\" is for tensors; "
        "video has a channel instead", self->current.classes);
  if (self->groups->len > 0 || self->current.exclusive)
    return cs_error (error, CS_ERROR_INVALID, "%s is for tensors of "
        "several channels, not for video; unset it", self->groups->len > 0 ?
        "class-groups" : "exclusive");
  return TRUE;
}

/* Whether levels are those of the properties. */
static gboolean
has_fixed_levels (const GstCudaContours * self)
{
  return contours_get_method (self) == CONTOURS_LEVEL_FIXED &&
      !self->current.exclusive;
}

/* Warns, once for all targets, of levels that samples of @low to @high never
 * cross. @factor: of a target's level to what the user has set. */
static void
check_level_range (GstCudaContours * self, gdouble factor, gdouble low,
    gdouble high)
{
  guint i, n_outside = 0;
  gdouble first = 0;

  /* bands are bounded by the samples' range, too */
  if (self->current.bands || !has_fixed_levels (self))
    return;
  for (i = 0; i < self->n_targets; i++) {
    const gdouble level = self->targets[i].level * factor;

    /* sums of channels have another range */
    if ((level >= low && level < high)
        || self->targets[i].channel >= CS_CONTOURS_GROUP (0))
      continue;
    if (n_outside++ == 0)
      first = level;
  }
  if (n_outside == 1)
    GST_SHAPES_WARNING (self, LIBRARY, SETTINGS,
        "The level %g is outside the samples' range of %g to %g: there will be "
        "no contours. Is level-unit what you mean?", first, low, high);
  else if (n_outside > 1)
    GST_SHAPES_WARNING (self, LIBRARY, SETTINGS,
        "%u of %u levels, %g the first of them, are outside the samples' range "
        "of %g to %g: there will be no contours at them. Is level-unit what "
        "you mean?", n_outside, self->n_targets, first, low, high);
}

/* Where levels are found there is one, whatever it is. */
static GArray *
get_levels (GstCudaContours * self, GError ** error)
{
  GArray *levels = contours_parse_numbers ("levels",
      self->current.levels, error);

  if (levels && !has_fixed_levels (self))
    g_array_set_size (levels, 0);
  if (levels && levels->len == 0)
    g_array_append_val (levels, self->current.level);
  if (levels && self->current.bands && !contours_sort_band_levels
      (&self->current, levels, error))
    g_clear_pointer (&levels, g_array_unref);
  return levels;
}

static void
set_targets (GstCudaContours * self, guint n_targets)
{
  g_free (self->targets);
  self->targets = g_new0 (CsContoursTarget, n_targets);
  self->n_targets = n_targets;
}

gboolean
contours_make_video_targets (GstCudaContours * self, GError ** error)
{
  const ContoursSettings *current = &self->current;

  if (!check_channel (self, error))
    return FALSE;
  g_autoptr (GArray) levels = get_levels (self, error);
  if (!levels)
    return FALSE;
  set_targets (self, levels->len);
  for (guint i = 0; i < levels->len; i++) {
    const gdouble level = gst_shapes_gray_get_code (&self->gray,
        g_array_index (levels, gdouble, i), current->level_unit);

    self->targets[i].level = level * self->gray.code_factor;
  }
  check_level_range (self, 1. / self->gray.code_factor, 0, self->gray.range);
  return TRUE;
}

/* Targets for @classes and @levels: one level for all classes, one for each,
 * or several for one. */
static gboolean
combine (GstCudaContours * self, const GArray * classes, const GArray * levels,
    GError ** error)
{
  const guint n = MAX (classes->len, levels->len);

  if (classes->len != levels->len && classes->len != 1 && levels->len != 1)
    return cs_error (error, CS_ERROR_INVALID, "there are %u levels for %u "
        "classes; give one level, or as many as classes, or choose one class",
        levels->len, classes->len);
  set_targets (self, n);
  for (guint i = 0; i < n; i++) {
    CsContoursTarget *target = &self->targets[i];

    target->channel = g_array_index (classes, guint, classes->len == 1 ? 0 : i);
    target->level = g_array_index (levels, gdouble, levels->len == 1 ? 0 : i);
    if (target->channel >= CS_CONTOURS_GROUP (0))
      continue;
    if (target->channel >= self->tensor.channels)
      return cs_error (error, CS_ERROR_INVALID, "there is no class %u: the "
          "tensor has %u channels, counted from 0 (is layout right?)",
          target->channel, self->tensor.channels);
  }
  if (self->tensor.type == CS_SAMPLE_U8)
    check_level_range (self, 1, 0, G_MAXUINT8);
  if (self->tensor.type == CS_SAMPLE_U16)
    check_level_range (self, 1, 0, G_MAXUINT16);
  return TRUE;
}

/* The property that labels do not have, or %NULL. */
static const gchar *
find_not_of_labels (const ContoursSettings * current)
{
  return is_set (current->levels) ? "levels" : current->bands ? "bands" :
      current->auto_level ? "auto-level" :
      current->level_method != CONTOURS_LEVEL_FIXED ? "level-method" :
      is_set (current->class_groups) ? "class-groups" :
      current->exclusive ? "exclusive" :
      is_set (current->class_min_area) ? "class-min-area" :
      is_set (current->class_max_area) ? "class-max-area" :
      is_set (current->mask) ? "mask-location" :
      current->mask_alpha ? "mask-alpha" : NULL;
}

/* The labels, or regions, that are wanted. */
static gboolean
parse_wanted (GstCudaContours * self, GError ** error)
{
  guint n = 0;

  g_clear_pointer (&self->wanted, g_array_unref);
  self->wanted = contours_parse_indices ("classes", self->current.classes,
      error);
  if (!self->wanted)
    return FALSE;
  g_array_sort (self->wanted, compare_indices);
  for (guint i = 0; i < self->wanted->len; i++) {
    const guint index = g_array_index (self->wanted, guint, i);

    if (n == 0 || g_array_index (self->wanted, guint, n - 1) != index)
      g_array_index (self->wanted, guint, n++) = index;
  }
  g_array_set_size (self->wanted, n);
  return TRUE;
}

/* Between the pixels of a region, 1, and all others, 0. */
gboolean
contours_make_mask_targets (GstCudaContours * self, GError ** error)
{
  const ContoursSettings *current = &self->current;
  const gchar *name = find_not_of_labels (current);

  if (!name && current->roi_source != CONTOURS_ROI_PROPERTY)
    name = "roi-source";
  if (!name && is_set (current->roi))
    name = "roi";
  /* what is connected diagonally is drawn, and then contours are found */
  if (!name && current->outline != CS_LABELS_CONTOURS &&
      !contours_has_labels (self))
    name = "fully-connected, or outline";
  if (name)
    return cs_error (error, CS_ERROR_INVALID, "image-source=segmentation takes "
        "regions as they are; unset %s", name);
  if (!parse_wanted (self, error))
    return FALSE;
  set_targets (self, 1);
  self->targets[0].level = .5;
  return TRUE;
}

gboolean
contours_make_label_targets (GstCudaContours * self, GError ** error)
{
  const ContoursSettings *current = &self->current;
  const GstVideoFormatInfo *finfo = self->video.finfo;
  const gchar *name = find_not_of_labels (current);

  if (!name && current->fully_connected != CONTOURS_SIDE_LOW)
    name = "fully-connected: they are connected by the sides of pixels";
  if (!name && current->channel != GST_SHAPES_CHANNEL_LUMA)
    name = "channel";
  if (name)
    return cs_error (error, CS_ERROR_INVALID, "image-source=labels takes "
        "labels as they are; unset %s", name);
  if (!self->is_tensor && !GST_VIDEO_FORMAT_INFO_IS_GRAY (finfo))
    return cs_error (error, CS_ERROR_INVALID, "image-source=labels looks at "
        "GRAY8, GRAY16_LE, GRAY16_BE and tensors of integers, not at %s, whose "
        "values are colours; have labels sent in one of these",
        GST_VIDEO_FORMAT_INFO_NAME (finfo));
  set_targets (self, 0);
  return parse_wanted (self, error);
}

/* Whether groups are of channels that the tensor has. */
static gboolean
check_groups (GstCudaContours * self, gboolean only_groups, GError ** error)
{
  if (only_groups && self->groups->len == 0)
    return cs_error (error, CS_ERROR_INVALID, "classes=none leaves nothing to "
        "look at without class-groups");
  for (guint g = 0; g < self->groups->len; g++) {
    const ContoursGroup *group =
        &g_array_index (self->groups, ContoursGroup, g);

    for (guint i = 0; i < group->channels->len; i++) {
      const guint channel = g_array_index (group->channels, guint, i);

      if (channel < self->tensor.channels)
        continue;
      return cs_error (error, CS_ERROR_INVALID, "there is no channel %u for "
          "the class group \"%s\": the tensor has %u channels, counted from 0 "
          "(is layout right?)", channel, group->name, self->tensor.channels);
    }
  }
  if (self->current.exclusive && self->tensor.channels < 2)
    return cs_error (error, CS_ERROR_INVALID, "exclusive needs a tensor of "
        "several channels (is layout right?)");
  return TRUE;
}

gboolean
contours_make_tensor_targets (GstCudaContours * self, GError ** error)
{
  const gchar *text = self->current.classes;
  const gboolean none = g_strcmp0 (text, "none") == 0;
  const gboolean all = !text || !*text;
  GArray *classes = contours_parse_indices ("classes", none ? "" : text, error);
  g_autoptr (GArray) levels = classes ? get_levels (self, error) : NULL;
  gboolean ok = FALSE;

  if (levels && self->current.mask_alpha) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "tensors have no alpha; "
        "unset mask-alpha");
  } else if (levels && all &&
      self->tensor.channels > GST_SHAPE_SET_MAX_LAYERS) {
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT, "the tensor has %u "
        "channels and a set of shapes at most %d layers; choose channels with "
        "classes (is layout right?)", self->tensor.channels,
        GST_SHAPE_SET_MAX_LAYERS);
  } else if (levels && check_groups (self, none, error)) {
    for (guint i = 0; all && i < self->tensor.channels; i++)
      g_array_append_val (classes, i);
    for (guint i = 0; i < self->groups->len; i++) {
      const guint channel = CS_CONTOURS_GROUP (i);

      g_array_append_val (classes, channel);
    }
    if (self->current.bands)
      contours_expand_band_classes (classes, levels);
    ok = combine (self, classes, levels, error);
  }
  g_clear_pointer (&classes, g_array_unref);
  return ok;
}
