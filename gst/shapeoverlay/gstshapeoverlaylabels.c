/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapeoverlaylabels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gstshapeoverlaycolors.h"

/* Labels on a frame; more are not readable. */
#define MAX_LABELS 256
/* Rows of the legend */
#define MAX_ENTRIES 16
/* Share of a font's size around a text, and between a label and its shape */
#define PADDING .25
/* Of the ground of texts */
#define LABEL_OPACITY .85
#define LEGEND_OPACITY .7
#define BLACK 0xff000000u
#define WHITE 0xffffffffu

/* What may get a label. @text: where it is in the texts, and 1; 0: the
 * template's, of the fields of a shape */
typedef struct
{
  OverlayFields fields;
  gsize text;
  OverlayBox box;
  guint32 argb;
  gsize index;
} Candidate;

/* A row of the legend. */
typedef struct
{
  gdouble key;
  const gchar *name;
  guint32 argb;
  guint count;
} Entry;

void
overlay_labels_init (OverlayLabels * self)
{
  *self = (OverlayLabels) {
    .text = g_string_new (NULL),
    .texts = g_string_new (NULL),
    .entries = g_array_new (FALSE, FALSE, sizeof (Entry)),
  };
  cs_array_init (&self->candidates, sizeof (Candidate));
  cs_array_init (&self->placed, sizeof (OverlayBox));
}

static void
forget_font (OverlayLabels * self)
{
  g_clear_pointer (&self->font, gst_shapes_font_free);
  g_clear_pointer (&self->font_name, g_ref_string_release);
  self->font_failed = FALSE;
}

static void
forget_template (OverlayLabels * self)
{
  g_clear_pointer (&self->template, overlay_template_free);
  g_clear_pointer (&self->label, g_ref_string_release);
}

void
overlay_labels_clear (OverlayLabels * self)
{
  forget_font (self);
  forget_template (self);
  cs_array_clear (&self->candidates);
  cs_array_clear (&self->placed);
  if (self->text)
    g_string_free (self->text, TRUE);
  if (self->texts)
    g_string_free (self->texts, TRUE);
  self->text = self->texts = NULL;
  g_clear_pointer (&self->entries, g_array_unref);
}

/* Settings */

static gchar *
acquire (gchar * text)
{
  return text ? g_ref_string_acquire (text) : NULL;
}

static gdouble
choose_size (const OverlayLabels * self)
{
  const OverlaySettings *settings = self->settings;

  if (settings->font_size <= 0.)
    return MAX (10., floor (self->height / 40.));
  return settings->font_size * (settings->scale_with_frame ?
      self->height / OVERLAY_REFERENCE_HEIGHT : 1.);
}

static gboolean
ensure_template (OverlayLabels * self, GError ** error)
{
  if (self->settings->label == self->label)
    return TRUE;
  forget_template (self);
  self->label = acquire (self->settings->label);
  if (!self->label || !*self->label)
    return TRUE;
  self->template = overlay_template_parse (self->label, error);
  if (!self->template)
    g_prefix_error (error, "label: ");
  return self->template != NULL;
}

static gdouble
line_height (const OverlayLabels * self)
{
  return ceil (self->font->ascent + self->font->descent);
}

/* So that a line fits the frame. */
static void
shrink_font (OverlayLabels * self, GError ** error)
{
  self->font_size *= self->height / (line_height (self) + 1.);
  gst_shapes_font_free (self->font);
  self->font = gst_shapes_font_new (self->font_name, self->font_size, error);
}

static gboolean
ensure_font (OverlayLabels * self, GError ** error)
{
  const gdouble size = choose_size (self);

  if (self->settings->font == self->font_name && self->wanted_size == size
      && self->font_frame_height == self->height
      && (self->font || self->font_failed))
    return TRUE;
  forget_font (self);
  self->font_name = acquire (self->settings->font);
  self->wanted_size = self->font_size = size;
  self->font_frame_height = self->height;
  self->font = gst_shapes_font_new (self->font_name, size, error);
  if (self->font && line_height (self) > self->height)
    shrink_font (self, error);
  self->font_failed = !self->font;
  return self->font != NULL;
}

gboolean
overlay_labels_begin (OverlayLabels * self, const OverlaySettings * settings,
    gboolean has_texts, guint width, guint height, GError ** error)
{
  self->settings = settings;
  self->width = width;
  self->height = height;
  self->n_more = 0;
  cs_array_empty (&self->candidates);
  cs_array_empty (&self->placed);
  g_array_set_size (self->entries, 0);
  g_string_truncate (self->texts, 0);
  if (!ensure_template (self, error))
    return FALSE;
  return (!self->template && !has_texts
      && settings->legend == OVERLAY_LEGEND_NONE) || ensure_font (self, error);
}

static gboolean
wants_labels (const OverlayLabels * self)
{
  return self->template && self->font;
}

static gboolean
wants_legend (const OverlayLabels * self)
{
  return self->settings->legend != OVERLAY_LEGEND_NONE && self->font;
}

gboolean
overlay_labels_are_wanted (const OverlayLabels * self)
{
  return wants_labels (self) || wants_legend (self);
}

/* Shapes */

/* What shapes of one row of the legend have in common; NaN: one row for all. */
static gdouble
legend_key (const OverlaySettings * settings, const OverlayFields * fields)
{
  switch (settings->color_mode) {
    case OVERLAY_COLOR_MODE_CLASS:
      return fields->class_id;
    case OVERLAY_COLOR_MODE_LEVEL:
      return fields->level;
    case OVERLAY_COLOR_MODE_REGION:
      return fields->region;
    default:
      return 0.;
  }
}

static void
count_entry (OverlayLabels * self, const OverlayFields * fields, guint32 argb)
{
  const gdouble key = legend_key (self->settings, fields);
  Entry entry = { key, NULL, argb, 1 };
  guint i;

  for (i = 0; i < self->entries->len; i++) {
    Entry *other = &g_array_index (self->entries, Entry, i);

    if (other->key == key) {
      other->count++;
      return;
    }
    if (other->key > key)
      break;
  }
  if (self->settings->color_mode == OVERLAY_COLOR_MODE_CLASS)
    entry.name = fields->class_name;
  g_array_insert_val (self->entries, i, entry);
  if (self->entries->len > MAX_ENTRIES) {
    self->n_more += g_array_index (self->entries, Entry, MAX_ENTRIES).count;
    g_array_set_size (self->entries, MAX_ENTRIES);
  }
}

static gboolean
is_on_frame (const OverlayLabels * self, const OverlayBox * box)
{
  return isfinite (box->x0) && isfinite (box->y0) && isfinite (box->x1)
      && isfinite (box->y1) && box->x1 >= 0. && box->y1 >= 0.
      && box->x0 <= self->width - 1. && box->y0 <= self->height - 1.;
}

void
overlay_labels_add (OverlayLabels * self, const OverlayFields * fields,
    const OverlayBox * box, guint32 argb)
{
  const Candidate candidate = {
    *fields, 0, *box, argb, self->candidates.len
  };

  if (wants_legend (self))
    count_entry (self, fields, argb);
  if (wants_labels (self) && is_on_frame (self, box))
    cs_array_append_val (&self->candidates, candidate);
}

void
overlay_labels_add_text (OverlayLabels * self, const gchar * text,
    const OverlayBox * box, guint32 argb)
{
  const Candidate candidate = {
    {.area = INFINITY }, self->texts->len + 1, *box, argb, self->candidates.len
  };

  if (!self->font || !is_on_frame (self, box))
    return;
  g_string_append_len (self->texts, text, (gssize) strlen (text) + 1);
  cs_array_append_val (&self->candidates, candidate);
}

/* Painting */

/* Black or white, whichever stands out from @argb more: by its luma. */
static guint32
contrast (guint32 argb)
{
  const guint luma = 299 * ((argb >> 16) & 0xff) + 587 * ((argb >> 8) & 0xff) +
      114 * (argb & 0xff);

  return luma > 140 * 1000 ? BLACK : WHITE;
}

static void
paint_text (OverlayLabels * self, GstShapeMarks * marks,
    const gchar * text, gdouble x, gdouble baseline, guint32 argb)
{
  gst_shape_marks_begin_region (marks, argb, self->settings->opacity);
  gst_shape_marks_add_rings (marks, gst_shapes_font_append (self->font, text,
          x, baseline, marks->points, marks->rings));
}

/* Edges of pixels are at halves. */
static void
paint_box (OverlayLabels * self, GstShapeMarks * marks,
    const OverlayBox * box, guint32 argb, gdouble opacity)
{
  gst_shape_marks_add_box (marks, box->x0 - .5, box->y0 - .5, box->x1 - .5,
      box->y1 - .5, argb | 0xff000000u, self->settings->opacity * opacity);
}

static gdouble
padding (const OverlayLabels * self)
{
  return ceil (self->font_size * PADDING);
}

/* Makes one line of the text, of UTF-8: controls are spaces. */
static void
make_line (GString * text)
{
  gchar *at;

  if (!g_utf8_validate (text->str, (gssize) text->len, NULL)) {
    g_autofree gchar *valid = g_utf8_make_valid (text->str, (gssize) text->len);

    g_string_assign (text, valid);
  }
  for (at = text->str; *at; at = g_utf8_next_char (at)) {
    const gunichar c = g_utf8_get_char (at);

    if (g_unichar_iscntrl (c) || c == 0x2028 || c == 0x2029)
      memset (at, ' ', (gsize) (g_utf8_next_char (at) - at));
  }
}

/* What is shown of the text, of at most @width pixels. */
static const gchar *
fit_text (OverlayLabels * self, gdouble width)
{
  make_line (self->text);
  return gst_shapes_font_cut (self->font, self->text->str, width);
}

/* Labels */

static gboolean
overlaps (const OverlayBox * a, const OverlayBox * b)
{
  return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}

gboolean
overlay_place_label (const OverlayBox * shape, gdouble width,
    gdouble height, gdouble frame_width, gdouble frame_height,
    const OverlayBox * placed, gsize n, OverlayBox * box)
{
  const gdouble corners[][2] = {
    {shape->x0, shape->y0 - height}, {shape->x0, shape->y1},
    {shape->x1, shape->y0}, {shape->x0 - width, shape->y0},
    {shape->x0, shape->y0},
    {(shape->x0 + shape->x1 - width) / 2., (shape->y0 + shape->y1 -
            height) / 2.}
  };
  gsize i;

  if (width > frame_width || height > frame_height)
    return FALSE;
  for (guint c = 0; c < G_N_ELEMENTS (corners); c++) {
    /* along the shape's side it may move to stay on the frame */
    const gdouble x = c < 2 || c >= 4 ? CLAMP (corners[c][0], 0.,
        frame_width - width) : corners[c][0];
    const gdouble y = c >= 2 ? CLAMP (corners[c][1], 0.,
        frame_height - height) : corners[c][1];

    *box = (OverlayBox) {
    floor (x), floor (y), floor (x) + width, floor (y) + height};
    if (box->x0 < 0. || box->y0 < 0. || box->x1 > frame_width
        || box->y1 > frame_height)
      continue;
    for (i = 0; i < n && !overlaps (box, &placed[i]); i++);
    if (i == n)
      return TRUE;
  }
  return FALSE;
}

/* The largest first, then in the order in which they came. */
static gint
compare_candidates (gconstpointer a, gconstpointer b)
{
  const Candidate *p = a, *q = b;
  const gdouble x = fabs (p->fields.area), y = fabs (q->fields.area);

  if (x != y)
    return x > y ? -1 : 1;
  return p->index < q->index ? -1 : 1;
}

static void
paint_label (OverlayLabels * self, GstShapeMarks * marks,
    const Candidate * candidate)
{
  const gdouble gap = padding (self);
  OverlayBox box;

  g_string_truncate (self->text, 0);
  if (candidate->text > 0)
    g_string_append (self->text, self->texts->str + candidate->text - 1);
  else
    overlay_template_format (self->template, &candidate->fields, self->text);
  const gchar *text = fit_text (self, self->width - 2. * gap - 1.);
  gdouble width = ceil (gst_shapes_font_measure (self->font, text)) + 2. * gap;
  if (!overlay_place_label (&candidate->box, width,
          line_height (self), self->width, self->height,
          (const OverlayBox *) (gpointer) self->placed.data,
          self->placed.len, &box))
    return;
  cs_array_append_val (&self->placed, box);
  paint_box (self, marks, &box, candidate->argb, LABEL_OPACITY);
  paint_text (self, marks, text, box.x0 - .5 + gap,
      floor (box.y0 + self->font->ascent + .5) - .5, contrast
      (candidate->argb));
}

static void
paint_labels (OverlayLabels * self, GstShapeMarks * marks)
{
  const Candidate *candidates = (const Candidate *) (gpointer)
      self->candidates.data;
  gsize i;

  if (self->candidates.len == 0)
    return;
  qsort (self->candidates.data, self->candidates.len, sizeof (Candidate),
      compare_candidates);
  for (i = 0; i < self->candidates.len && self->placed.len < MAX_LABELS; i++)
    paint_label (self, marks, &candidates[i]);
}

/* Legend */

static void
name_entry (const OverlaySettings * settings, const Entry * entry,
    GString * text)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_truncate (text, 0);
  switch (settings->color_mode) {
    case OVERLAY_COLOR_MODE_CLASS:
      if (entry->name)
        g_string_append (text, entry->name);
      else
        g_string_append_printf (text, "class %.0f", entry->key);
      break;
    case OVERLAY_COLOR_MODE_LEVEL:
      g_string_append_printf (text, "level %s",
          g_ascii_formatd (number, sizeof (number), "%.4g", entry->key));
      break;
    case OVERLAY_COLOR_MODE_REGION:
      if (entry->key < 0)
        g_string_append (text, "no region");
      else
        g_string_append_printf (text, "region %.0f", entry->key);
      break;
    default:
      g_string_append (text, "shapes");
      break;
  }
  g_string_append_printf (text, ": %u", entry->count);
}

/* The map of colours, with the values at its steps. */
static void
set_ramp (OverlayLabels * self)
{
  const gboolean is_area =
      self->settings->color_mode == OVERLAY_COLOR_MODE_AREA;

  g_array_set_size (self->entries, 0);
  for (guint i = 0; i < 5; i++) {
    const gdouble t = i / 4.;
    const Entry entry = { is_area ? exp (t * log (self->width * self->height)) :
          t, NULL, overlay_colors_map (t), 0
    };

    g_array_append_val (self->entries, entry);
  }
}

static gboolean
is_ramp (const OverlayLabels * self)
{
  return self->settings->color_mode == OVERLAY_COLOR_MODE_AREA ||
      self->settings->color_mode == OVERLAY_COLOR_MODE_CONFIDENCE;
}

/* Text of row @i in self->text; the row after the last entries counts the
 * others. */
static void
name_row (OverlayLabels * self, guint i)
{
  const Entry *entry = &g_array_index (self->entries, Entry, i);

  if (i >= self->entries->len)
    g_string_printf (self->text, "others: %u", self->n_more);
  else if (!is_ramp (self))
    name_entry (self->settings, entry, self->text);
  else if (self->settings->color_mode == OVERLAY_COLOR_MODE_AREA)
    g_string_printf (self->text, "area %.0f", entry->key);
  else
    g_string_printf (self->text, "confidence %.0f %%", 100. * entry->key);
}

/* Of a row's text, at most: there is a gap inside and outside of the legend. */
static gdouble
row_width (const OverlayLabels * self)
{
  return self->width - line_height (self) - 4. * padding (self) - 1.;
}

/* Rows that do not fit the frame are among the others. */
static guint
limit_rows (OverlayLabels * self)
{
  const gdouble room = (self->height - 4. * padding (self)) /
      line_height (self);
  const guint most = (guint) MAX (room, 1.);

  if (self->entries->len + (self->n_more > 0) > most) {
    for (guint i = most - 1; i < self->entries->len; i++)
      self->n_more += g_array_index (self->entries, Entry, i).count;
    g_array_set_size (self->entries, most - (self->n_more > 0));
  }
  return self->entries->len + (self->n_more > 0);
}

static OverlayBox
place_legend (OverlayLabels * self, guint n_rows)
{
  const OverlayLegend corner = self->settings->legend;
  const gdouble gap = padding (self), row = line_height (self);
  const gdouble height = n_rows * row + 2. * gap;
  gdouble width = 0., x = gap, y = gap;

  for (guint i = 0; i < n_rows; i++) {
    name_row (self, i);
    width = MAX (width, gst_shapes_font_measure (self->font,
            fit_text (self, row_width (self))));
  }
  width = ceil (width) + row + 2. * gap;
  if (corner == OVERLAY_LEGEND_TOP_RIGHT
      || corner == OVERLAY_LEGEND_BOTTOM_RIGHT)
    x = self->width - width - gap;
  if (corner == OVERLAY_LEGEND_BOTTOM_LEFT
      || corner == OVERLAY_LEGEND_BOTTOM_RIGHT)
    y = self->height - height - gap;
  return (OverlayBox) { x, y, x + width, y + height };
}

static void
paint_row (OverlayLabels * self, GstShapeMarks * marks, guint i,
    gdouble x, gdouble y)
{
  const gdouble row = line_height (self), inset = floor (row / 5.);
  const OverlayBox swatch = { x, y + inset, x + row - 2. * inset,
    y + row - inset
  };

  if (i < self->entries->len)
    paint_box (self, marks, &swatch, g_array_index (self->entries, Entry,
            i).argb, 1.);
  name_row (self, i);
  paint_text (self, marks, fit_text (self, row_width (self)), x + row - .5,
      floor (y + self->font->ascent + .5) - .5, WHITE);
}

/* Before the labels, which avoid it. */
static void
paint_legend (OverlayLabels * self, GstShapeMarks * marks)
{
  const gdouble gap = padding (self);

  if (self->entries->len == 0)
    return;
  if (is_ramp (self))
    set_ramp (self);
  const guint n_rows = limit_rows (self);
  OverlayBox box = place_legend (self, n_rows);
  cs_array_append_val (&self->placed, box);
  paint_box (self, marks, &box, BLACK, LEGEND_OPACITY);
  for (guint i = 0; i < n_rows; i++)
    paint_row (self, marks, i, box.x0 + gap, box.y0 + gap +
        i * line_height (self));
}

void
overlay_labels_finish (OverlayLabels * self, GstShapeMarks * marks)
{
  if (wants_legend (self))
    paint_legend (self, marks);
  if (self->font)
    paint_labels (self, marks);
}
