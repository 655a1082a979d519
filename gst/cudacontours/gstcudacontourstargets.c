/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcudacontoursprivate.h"

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
          GST_VIDEO_FORMAT_INFO_DEPTH (finfo, alpha) != 8)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "mask-alpha needs a "
        "format with 8 bits of alpha, such as RGBA, not %s", format);
    return FALSE;
  }
  if (self->current.classes && *self->current.classes) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "classes=\"%s\" is for "
        "tensors; video has a channel instead", self->current.classes);
    return FALSE;
  }
  return TRUE;
}

/* Warns of a level that samples of @low to @high never cross. */
static void
check_level_range (GstCudaContours * self, gdouble level, gdouble low,
    gdouble high)
{
  if (level >= low && level < high)
    return;
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("The level %g is outside the samples' range of %g to %g: there will be "
          "no contours. Is level-unit what you mean?", level, low, high),
      (NULL));
}

/* With auto-level there is one, whatever it is. */
static GArray *
get_levels (GstCudaContours * self, GError ** error)
{
  GArray *levels = gst_cuda_contours_parse_numbers ("levels",
      self->current.levels, error);

  if (levels && self->current.auto_level)
    g_array_set_size (levels, 0);
  if (levels && levels->len == 0)
    g_array_append_val (levels, self->current.level);
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
gst_cuda_contours_make_video_targets (GstCudaContours * self, GError ** error)
{
  const GstCudaContoursSettings *current = &self->current;
  GArray *levels;
  guint i;

  if (!check_channel (self, error))
    return FALSE;
  levels = get_levels (self, error);
  if (!levels)
    return FALSE;
  set_targets (self, levels->len);
  for (i = 0; i < levels->len; i++) {
    const gdouble level = gst_shapes_gray_get_code (&self->gray,
        g_array_index (levels, gdouble, i), current->level_unit);

    if (!current->auto_level)
      check_level_range (self, level, 0, self->gray.range);
    self->targets[i].level = level * self->gray.code_factor;
  }
  g_array_unref (levels);
  return TRUE;
}

/* Targets for @classes and @levels: one level for all classes, one for each,
 * or several for one. */
static gboolean
combine (GstCudaContours * self, const GArray * classes, const GArray * levels,
    GError ** error)
{
  const guint n = MAX (classes->len, levels->len);
  guint i;

  if (classes->len != levels->len && classes->len != 1 && levels->len != 1) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "there are %u levels for "
        "%u classes; give one level, or as many as classes, or choose one "
        "class", levels->len, classes->len);
    return FALSE;
  }
  set_targets (self, n);
  for (i = 0; i < n; i++) {
    CsContoursTarget *target = &self->targets[i];

    target->channel = g_array_index (classes, guint, classes->len == 1 ? 0 : i);
    target->level = g_array_index (levels, gdouble, levels->len == 1 ? 0 : i);
    if (target->channel >= self->tensor.channels) {
      g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "there is no class %u: "
          "the tensor has %u channels, counted from 0 (is layout right?)",
          target->channel, self->tensor.channels);
      return FALSE;
    }
    if (!self->current.auto_level && self->tensor.type == CS_SAMPLE_U8)
      check_level_range (self, target->level, 0, G_MAXUINT8);
    if (!self->current.auto_level && self->tensor.type == CS_SAMPLE_U16)
      check_level_range (self, target->level, 0, G_MAXUINT16);
  }
  return TRUE;
}

/* Settings that say nothing about masks are a mistake. */
static gboolean
check_mask_settings (const GstCudaContoursSettings * current, GError ** error)
{
  const gchar *name = NULL;

  if (current->levels && *current->levels)
    name = "levels";
  else if (current->auto_level)
    name = "auto-level";
  else if (current->roi && *current->roi)
    name = "roi";
  else if (current->mask && *current->mask)
    name = "mask";
  else if (current->mask_alpha)
    name = "mask-alpha";
  if (!name)
    return TRUE;
  g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "source=segmentation takes "
      "regions as they are; unset %s", name);
  return FALSE;
}

/* Between the pixels of a region, 1, and all others, 0. */
gboolean
gst_cuda_contours_make_mask_targets (GstCudaContours * self, GError ** error)
{
  if (!check_mask_settings (&self->current, error))
    return FALSE;
  g_clear_pointer (&self->regions, g_array_unref);
  self->regions = gst_cuda_contours_parse_indices ("classes",
      self->current.classes, error);
  if (!self->regions)
    return FALSE;
  set_targets (self, 1);
  self->targets[0].level = .5;
  return TRUE;
}

gboolean
gst_cuda_contours_make_tensor_targets (GstCudaContours * self, GError ** error)
{
  GArray *classes = gst_cuda_contours_parse_indices ("classes",
      self->current.classes, error);
  GArray *levels = classes ? get_levels (self, error) : NULL;
  gboolean ok = FALSE;
  const gboolean all = !self->current.classes || !*self->current.classes;
  guint i;

  if (levels && self->current.mask_alpha) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "tensors have no alpha; "
        "unset mask-alpha");
  } else if (levels && all &&
      self->tensor.channels > GST_SHAPE_SET_MAX_LAYERS) {
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT, "the tensor has %u "
        "channels and a set of shapes at most %d layers; choose channels with "
        "classes (is layout right?)", self->tensor.channels,
        GST_SHAPE_SET_MAX_LAYERS);
  } else if (levels) {
    for (i = 0; all && i < self->tensor.channels; i++)
      g_array_append_val (classes, i);
    ok = combine (self, classes, levels, error);
  }
  g_clear_pointer (&levels, g_array_unref);
  g_clear_pointer (&classes, g_array_unref);
  return ok;
}
