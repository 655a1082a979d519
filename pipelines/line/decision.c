/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decide.h"

#include <jansson.h>

/* A string as JSON has it. */
static void
append_string (GString * json, const char *text)
{
  json_auto_t *value = json_string (text);
  char *encoded = value ? json_dumps (value, JSON_ENCODE_ANY) : NULL;

  g_string_append (json, encoded ? encoded : "\"\"");
  free (encoded);
}

static void
append_member (GString * json, const char *name, const char *text)
{
  g_string_append_printf (json, ",\"%s\":", name);
  append_string (json, text);
}

/* Fixed decimals, by any locale. A negative 0 is none. */
static void
append_number (GString * json, const char *name, const char *format,
    gdouble value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE + 320];

  g_ascii_formatd (text, sizeof (text), format, value + 0.0);
  g_string_append_printf (json, ",\"%s\":%s", name, text);
}

static void
append_integer (GString * json, const char *name, gint64 value)
{
  g_string_append_printf (json, ",\"%s\":%" G_GINT64_FORMAT, name, value);
}

static void
append_boolean (GString * json, const char *name, gboolean value)
{
  g_string_append_printf (json, ",\"%s\":%s", name, value ? "true" : "false");
}

/* Whether a look shows the fruit; why one that is not there was lost, if that is
 * known. */
static void
append_shown (GString * json, const LineLook * look, gboolean is_shown)
{
  append_boolean (json, "fruit", is_shown);
  if (look->data)
    return;
  if (look->lost)
    append_member (json, "lost", line_loss_names[look->loss]);
  else
    g_string_append (json, ",\"lost\":null");
}

static void
append_views (GString * json, const LineDecision * decision)
{
  guint views = decision->geometry->views;

  g_string_append (json, ",\"views\":[");
  for (guint i = 0; i < decision->geometry->cups * views; i++) {
    const LineLook *look = &decision->piece->looks[i];

    g_string_append_printf (json, "%s{\"view\":%u,\"frame_id\":%"
        G_GUINT64_FORMAT ",\"t_ns\":", i ? "," : "", i % views,
        line_decision_get_number (decision) + i / views);
    if (look->data)
      g_string_append_printf (json, "%" G_GINT64_FORMAT ",\"ok\":true",
          look->time);
    else
      g_string_append (json, "null,\"ok\":false");
    if (decision->rules != LINE_RULES_1)
      append_shown (json, look, decision->measures->is_shown[i]);
    g_string_append_c (json, '}');
  }
  g_string_append_c (json, ']');
}

/* What the recipe asks for, and was seen */
static void
append_grades (GString * json, const LineDecision * decision)
{
  const LineRecipe *recipe = decision->recipe;
  const LineTone *tone = &decision->measures->tone;
  static const char *const names[] = { "L", "a", "b" };

  if (tone->looks > 0) {
    g_autoptr (GString) members = g_string_new (NULL);

    for (guint i = 0; i < G_N_ELEMENTS (names); i++)
      append_number (members, names[i], "%.2f", tone->lab[i]);
    g_string_append_printf (json, ",\"colour\":{%s}", members->str + 1);
  }
  if (tone->looks > 0 && recipe->colours->len > 0) {
    g_autoptr (GString) members = g_string_new (NULL);

    for (guint i = 0; i < recipe->colours->len; i++)
      append_number (members,
          g_array_index (recipe->colours, LineColour, i).name, "%.2f",
          tone->shares[i]);
    g_string_append_printf (json, ",\"shares\":{%s}", members->str + 1);
  }
  if (recipe->has_elongation && decision->measures->elongation > 0)
    append_number (json, "elongation", "%.3f",
        decision->measures->elongation);
}

static void
append_classes (GString * json, const LineDecision * decision)
{
  const LineRecipe *recipe = decision->recipe;

  g_string_append (json, ",\"classes\":{");
  for (guint k = 0; k <= recipe->n_defects; k++) {
    const LineFigures *figures = &decision->measures->figures[k];
    g_autoptr (GString) members = g_string_new (NULL);

    append_number (members, "percent", "%.2f", figures->percent);
    append_number (members, "mm2", "%.2f", figures->mm2);
    append_number (members, "max_length_mm", "%.2f", figures->max_length);
    append_integer (members, "count", figures->count);
    append_number (members, "confidence", "%.4f", figures->confidence);
    g_string_append_printf (json, "%s\"%s\":{%s}", k ? "," : "",
        k < recipe->n_defects ? recipe->classes[recipe->defects[k]] : "defect",
        members->str + 1);
  }
  g_string_append_c (json, '}');
}

static void
append_doubts (GString * json, guint doubts)
{
  const char *separator = "";

  g_string_append (json, ",\"doubts\":[");
  for (guint i = 0; i < LINE_N_DOUBTS; i++)
    if (doubts & (1u << i)) {
      g_string_append (json, separator);
      append_string (json, line_doubt_names[i]);
      separator = ",";
    }
  g_string_append_c (json, ']');
}

static void
append_outcome (GString * json, const LineOutcome * outcome)
{
  append_integer (json, "outlet", outcome->outlet);
  g_string_append (json, ",\"reasons\":[");
  for (guint i = 0; i < outcome->reasons->len; i++) {
    if (i)
      g_string_append_c (json, ',');
    append_string (json, g_ptr_array_index (outcome->reasons, i));
  }
  g_string_append_c (json, ']');
  append_member (json, "status", line_status_names[outcome->status]);
}

/* Whose piece it is for the PLC. */
static void
append_plc (GString * json, const LineDecision * decision)
{
  if (!decision->has_plc) {
    g_string_append (json, ",\"plc\":null");
    return;
  }
  g_string_append (json, ",\"plc\":{\"piece\":");
  if (decision->plc_piece < 0)
    g_string_append (json, "null");
  else
    g_string_append_printf (json, "%" G_GINT64_FORMAT, decision->plc_piece);
  append_integer (json, "shift", decision->plc_shift);
  g_string_append_c (json, '}');
}

guint64
line_decision_get_number (const LineDecision * decision)
{
  return decision->first + decision->piece->piece;
}

char *
line_decision_to_json (const LineDecision * decision)
{
  const LinePiece *piece = decision->piece;
  const guint64 number = line_decision_get_number (decision);
  GString *json = g_string_new (NULL);

  g_string_append_printf (json, "{\"schema\":\"fruit-line/%d\"",
      decision->rules);
  append_member (json, "line", decision->line);
  if (decision->rules != LINE_RULES_1) {
    if (decision->run)
      append_integer (json, "run", decision->run);
    else
      g_string_append (json, ",\"run\":null");
  }
  append_member (json, "lane", decision->lane);
  append_integer (json, "piece", number);
  append_integer (json, "trigger", number + decision->geometry->cups - 1);
  if (decision->encoder < 0)
    g_string_append (json, ",\"encoder\":null");
  else
    append_integer (json, "encoder", decision->encoder);
  if (decision->rules != LINE_RULES_1)
    append_plc (json, decision);
  append_integer (json, "t_trigger_ns", piece->trigger_time);
  append_member (json, "recipe", decision->recipe->hash);
  if (decision->lot)
    append_member (json, "lot", decision->lot);
  append_member (json, "software", decision->software);
  append_views (json, decision);
  if (decision->rules != LINE_RULES_1) {
    /* How well the piece was seen; nothing is known of an empty one. */
    append_number (json, "coverage", "%.3f", decision->measures->coverage);
    append_number (json, "most_coverage", "%.3f",
        decision->measures->most_coverage);
    append_number (json, "turn", "%.2f", decision->measures->turn);
    append_boolean (json, "turn_measured",
        decision->measures->is_turn_measured);
    append_boolean (json, "inconsistent", decision->measures->is_inconsistent);
  }
  append_number (json, "diameter_mm", "%.2f", decision->measures->diameter);
  append_number (json, "area_mm2", "%.2f", decision->measures->surface);
  append_grades (json, decision);
  append_classes (json, decision);
  append_outcome (json, decision->outcome);
  if (decision->rules != LINE_RULES_1)
    append_doubts (json, decision->outcome->doubts);
  g_string_append_printf (json, ",\"latency_us\":{\"last_view_to_tensor\":%"
      G_GINT64_FORMAT ",\"to_shapes\":%" G_GINT64_FORMAT ",\"to_decision\":%"
      G_GINT64_FORMAT "},\"simulated\":%s}\n", decision->to_tensor,
      decision->to_shapes, decision->to_decision,
      decision->is_simulated ? "true" : "false");
  return g_string_free (json, FALSE);
}
