/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapeoverlaytemplate.h"

#include <gst/gst.h>
#include <math.h>
#include <string.h>

#define MAX_DECIMALS 9

typedef enum
{
  TYPE_LITERAL,
  TYPE_CLASS,
  TYPE_ID,                      /* negative is unknown */
  TYPE_NUMBER,
} Type;

/* A kind of field. */
typedef struct
{
  const gchar *name;
  Type type;
  gsize offset;
  guint decimals;               /* unless it says */
} Kind;

#define FIELD(name, type, member, decimals) \
  { name, type, G_STRUCT_OFFSET (OverlayFields, member), decimals }

static const Kind kinds[] = {
  FIELD ("class", TYPE_CLASS, class_id, 0),
  FIELD ("id", TYPE_ID, id, 0),
  FIELD ("class-id", TYPE_ID, class_id, 0),
  FIELD ("parent", TYPE_ID, parent, 0),
  FIELD ("region", TYPE_ID, region, 0),
  FIELD ("track", TYPE_ID, track, 0),
  FIELD ("level", TYPE_NUMBER, level, 2),
  FIELD ("area", TYPE_NUMBER, area, 0),
  FIELD ("length", TYPE_NUMBER, length, 0),
  FIELD ("area-mm2", TYPE_NUMBER, area_mm2, 1),
  FIELD ("length-mm", TYPE_NUMBER, length_mm, 1),
  FIELD ("confidence", TYPE_NUMBER, confidence, 2),
};

/* A field, or a literal without @kind. */
typedef struct
{
  const Kind *kind;
  gchar *literal;
  guint decimals;
} Part;

struct _OverlayTemplate
{
  GArray *parts;                /* Part */
};

static void
part_clear (gpointer data)
{
  g_free (((Part *) data)->literal);
}

static const Kind *
find_kind (const gchar * name, gsize length)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    if (strlen (kinds[i].name) == length
        && strncmp (kinds[i].name, name, length) == 0)
      return &kinds[i];
  }
  return NULL;
}

static gboolean
fail_field (const gchar * field, gsize length, GError ** error)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    g_string_append_printf (names, "%s{%s}", i ? ", " : "", kinds[i].name);
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "\"{%.*s}\" is no field: write one of %s, numbers also with decimals, "
      "as {area:.1f}, and {{ for a brace", (int) MIN (length, 40), field,
      names->str);
  g_string_free (names, TRUE);
  return FALSE;
}

/* ".2f" */
static gboolean
parse_decimals (const gchar * text, gsize length, guint * decimals)
{
  if (length != 3 || text[0] != '.' || !g_ascii_isdigit (text[1])
      || text[2] != 'f')
    return FALSE;
  *decimals = (guint) (text[1] - '0');
  return *decimals <= MAX_DECIMALS;
}

static gboolean
add_field (OverlayTemplate * self, const gchar * field, gsize length,
    GError ** error)
{
  const gchar *colon = memchr (field, ':', length);
  const gsize name_length = colon ? (gsize) (colon - field) : length;
  Part part = {.kind = find_kind (field, name_length) };

  if (!part.kind)
    return fail_field (field, length, error);
  part.decimals = part.kind->decimals;
  if (colon && (part.kind->type != TYPE_NUMBER
          || !parse_decimals (colon + 1, length - name_length - 1,
              &part.decimals)))
    return fail_field (field, length, error);
  g_array_append_val (self->parts, part);
  return TRUE;
}

static void
add_literal (OverlayTemplate * self, GString * text)
{
  Part part = { NULL, };

  if (text->len == 0)
    return;
  part.literal = g_strdup (text->str);
  g_array_append_val (self->parts, part);
  g_string_truncate (text, 0);
}

/* Moves *@at past a brace; FALSE if it does not fit. */
static gboolean
parse_brace (OverlayTemplate * self, const gchar ** at,
    GString * literal, GError ** error)
{
  const gchar *begin = *at + 1, *end;

  if (*begin == **at) {
    g_string_append_c (literal, *begin);
    *at += 2;
    return TRUE;
  }
  end = strchr (begin, '}');
  if (**at == '}' || !end) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "\"%.*s\" %s: a field is written as {area}, and {{ or }} for a brace",
        (int) MIN (strlen (*at), 40), *at, **at == '}' ? "closes what was not "
        "opened" : "has no }");
    return FALSE;
  }
  add_literal (self, literal);
  *at = end + 1;
  return add_field (self, begin, (gsize) (end - begin), error);
}

OverlayTemplate *
overlay_template_parse (const gchar * text, GError ** error)
{
  OverlayTemplate *self = g_new0 (OverlayTemplate, 1);
  GString *literal = g_string_new (NULL);
  gboolean ok = TRUE;

  if (!g_utf8_validate (text, -1, NULL)) {
    g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "it is no UTF-8");
    ok = FALSE;
  }
  self->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  g_array_set_clear_func (self->parts, part_clear);
  while (*text && ok) {
    if (*text == '{' || *text == '}')
      ok = parse_brace (self, &text, literal, error);
    else
      g_string_append_c (literal, *text++);
  }
  add_literal (self, literal);
  g_string_free (literal, TRUE);
  if (!ok)
    g_clear_pointer (&self, overlay_template_free);
  return self;
}

void
overlay_template_free (OverlayTemplate * self)
{
  if (!self)
    return;
  g_array_unref (self->parts);
  g_free (self);
}

static void
format_number (gdouble value, guint decimals, GString * string)
{
  gchar format[8], text[G_ASCII_DTOSTR_BUF_SIZE + 320];

  if (isnan (value)) {
    g_string_append_c (string, '?');
    return;
  }
  g_snprintf (format, sizeof (format), "%%.%uf", decimals);
  g_string_append (string, g_ascii_formatd (text, sizeof (text), format,
          value));
}

static void
format_field (const Part * part, const OverlayFields * fields, GString * string)
{
  const gchar *member = (const gchar *) fields + part->kind->offset;

  if (part->kind->type == TYPE_NUMBER) {
    format_number (*(const gdouble *) (gconstpointer) member, part->decimals,
        string);
    return;
  }
  const gint64 id = *(const gint64 *) (gconstpointer) member;
  if (part->kind->type == TYPE_CLASS && fields->class_name)
    g_string_append (string, fields->class_name);
  else if (id < 0)
    g_string_append_c (string, '?');
  else
    g_string_append_printf (string, "%" G_GINT64_FORMAT, id);
}

void
overlay_template_format (const OverlayTemplate * self,
    const OverlayFields * fields, GString * string)
{
  for (guint i = 0; i < self->parts->len; i++) {
    const Part *part = &g_array_index (self->parts, Part, i);

    if (part->literal)
      g_string_append (string, part->literal);
    else
      format_field (part, fields, string);
  }
}
