/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawsvgstyle.h"

#include <string.h>

#include "base/array.h"

/* Where values are from, with "!important" and with the rule's specificity and
 * place in between: the higher, the more it counts. */
#define FROM_RULE ((guint64) 1 << 61)
#define FROM_ELEMENT ((guint64) 1 << 62)
#define IMPORTANT ((guint64) 1 << 63)
/* Types, classes or ids that a selector's specificity counts, at most. */
#define MAX_SPECIFICITY 255u
/* Elements that a selector names, at most. */
#define MAX_COMPOUNDS 64

typedef struct
{
  SvgProperty property;
  gboolean important;
  const gchar *value;
} Declaration;

typedef enum
{
  TEST_TYPE,
  TEST_ID,
  TEST_CLASS,
  /* of an attribute: there, equal, one of its words, a language */
  TEST_HAS,
  TEST_IS,
  TEST_INCLUDES,
  TEST_DASH,
  TEST_FIRST_CHILD,
} TestKind;

typedef struct
{
  TestKind kind;
  const gchar *name, *value;
} Test;

/* What one element must be. @combinator: to the compound before it */
typedef struct
{
  guint32 first, n;
  gchar combinator;
} Compound;

/* Compounds of a selector, and what it declares. */
typedef struct
{
  guint32 first, n;
  guint32 first_declaration, n_declarations;
  guint32 specificity;
} Rule;

struct _SvgSheet
{
  SvgTree *tree;
  CsArray tests, compounds, rules, declarations;
  gboolean failed;
};

static const gchar *const names[SVG_N_PROPERTIES] = {
  "clip-path", "clip-rule", "cx", "cy", "display", "fill", "fill-opacity",
  "fill-rule", "font-size", "height", "mask", "opacity", "overflow", "r", "rx",
  "ry", "stroke", "stroke-opacity", "stroke-width", "transform", "visibility",
  "width", "x", "y"
};

/* Returns: -1 for others */
static gint
find_property (const gchar * name, gsize length)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_ascii_strncasecmp (names[i], name, length) == 0 &&
        names[i][length] == '\0')
      return (gint) i;
  return -1;
}

/* Reading */

static const gchar *
skip_space (const gchar * at)
{
  while (*at) {
    if (g_ascii_isspace (*at)) {
      at++;
    } else if (at[0] == '/' && at[1] == '*') {
      const gchar *end = strstr (at + 2, "*/");

      at = end ? end + 2 : at + strlen (at);
    } else if (g_str_has_prefix (at, "<!--")) {
      at += 4;
    } else if (g_str_has_prefix (at, "-->")) {
      at += 3;
    } else {
      break;
    }
  }
  return at;
}

/* The first of @marks outside of strings, comments and parentheses, or the
 * end. */
static const gchar *
find_mark (const gchar * at, const gchar * marks)
{
  guint depth = 0;

  while (*at) {
    if (depth == 0 && strchr (marks, *at))
      break;
    if (*at == '"' || *at == '\'') {
      const gchar *end = strchr (at + 1, *at);

      if (!end)
        return at + strlen (at);
      at = end;
    } else if (at[0] == '/' && at[1] == '*') {
      const gchar *end = strstr (at + 2, "*/");

      if (!end)
        return at + strlen (at);
      at = end + 1;
    } else if (*at == '(') {
      depth++;
    } else if (*at == ')' && depth > 0) {
      depth--;
    }
    at++;
  }
  return at;
}

/* A block, or the rest of a statement without one. */
static const gchar *
skip_statement (const gchar * at)
{
  guint depth = 0;

  do {
    at = find_mark (at, "{};");
    if (*at == '{')
      depth++;
    else if (*at == '}' && depth > 0)
      depth--;
    if (*at)
      at++;
  } while (*at && (depth > 0 || !strchr ("};", at[-1])));
  return at;
}

static gsize
trim (const gchar * text, gsize length)
{
  while (length > 0 && g_ascii_isspace (text[length - 1]))
    length--;
  return length;
}

/* Cuts off a "!important". */
static gboolean
cut_important (const gchar * value, gsize * length)
{
  static const gchar important[] = "important";
  const gsize n = sizeof (important) - 1;
  gsize left = *length;

  if (left < n || g_ascii_strncasecmp (value + left - n, important, n) != 0)
    return FALSE;
  left = trim (value, left - n);
  if (left == 0 || value[left - 1] != '!')
    return FALSE;
  *length = trim (value, left - 1);
  return TRUE;
}

/* What is between @at and the first "}", or the end. Returns: where it ends */
static const gchar *
read_declarations (SvgSheet * sheet, const gchar * at)
{
  for (;;) {
    const gchar *name = skip_space (at), *value;
    const gchar *colon = find_mark (name, ":;}");
    Declaration declaration;

    at = find_mark (colon, ";}");
    if (*colon == ':') {
      const gint property = find_property (name, trim (name, colon - name));
      value = skip_space (colon + 1);
      gsize length = value < at ? trim (value, at - value) : 0;
      if (property >= 0 && length > 0) {
        declaration.property = property;
        declaration.important = cut_important (value, &length);
        declaration.value = svg_tree_copy (sheet->tree, value, length);
        if (!declaration.value ||
            !cs_array_append_val (&sheet->declarations, declaration))
          sheet->failed = TRUE;
      }
    }
    if (*at != ';')
      return at;
    at++;
  }
}

static gboolean
is_name_char (gchar c)
{
  return g_ascii_isalnum (c) || c == '-' || c == '_' || (guchar) c >= 128;
}

/* Returns: (nullable): a copy of the name at *@at */
static const gchar *
read_name (SvgSheet * sheet, const gchar ** at)
{
  const gchar *begin = *at, *copy;

  while (is_name_char (**at))
    (*at)++;
  if (*at == begin)
    return NULL;
  copy = svg_tree_copy (sheet->tree, begin, *at - begin);
  sheet->failed |= copy == NULL;
  return copy;
}

/* Returns: whether it is understood */
static gboolean
read_attribute_test (SvgSheet * sheet, const gchar ** text, Test * test)
{
  const gchar *at = skip_space (*text), *end;

  test->kind = TEST_HAS;
  test->name = read_name (sheet, &at);
  at = skip_space (at);
  if (test->name && *at != ']') {
    test->kind = *at == '~' ? TEST_INCLUDES : *at == '|' ? TEST_DASH : TEST_IS;
    if (test->kind != TEST_IS)
      at++;
    if (*at != '=')
      return FALSE;
    at = skip_space (at + 1);
    gchar quote = *at == '"' || *at == '\'' ? *at : 0;
    if (quote) {
      end = strchr (++at, quote);
      if (!end)
        return FALSE;
      test->value = svg_tree_copy (sheet->tree, at, end - at);
      at = end + 1;
    } else {
      test->value = read_name (sheet, &at);
    }
    if (!test->value)
      return FALSE;
    at = skip_space (at);
  }
  *text = at + 1;
  return test->name && *at == ']';
}

/* Returns: whether it is understood */
static gboolean
read_test (SvgSheet * sheet, const gchar ** at, Test * test)
{
  const gchar mark = **at;

  *test = (Test) { TEST_TYPE, NULL, NULL };
  if (mark == '[') {
    (*at)++;
    return read_attribute_test (sheet, at, test);
  }
  if (mark == '.' || mark == '#' || mark == ':')
    (*at)++;
  test->name = read_name (sheet, at);
  test->kind = mark == '.' ? TEST_CLASS : mark == '#' ? TEST_ID : TEST_TYPE;
  gboolean ok = test->name != NULL;
  if (mark == ':') {
    test->kind = TEST_FIRST_CHILD;
    ok = ok && g_ascii_strcasecmp (test->name, "first-child") == 0;
  }
  return ok;
}

static guint32
add_specificity (guint32 specificity, TestKind kind)
{
  const guint shift = kind == TEST_ID ? 16 : kind == TEST_TYPE ? 0 : 8;

  return ((specificity >> shift) & 255) == MAX_SPECIFICITY ? specificity :
      specificity + (1u << shift);
}

/* Returns: whether it is understood */
static gboolean
read_compound (SvgSheet * sheet, const gchar ** at,
    gchar combinator, Rule * rule)
{
  Compound compound = { (guint32) sheet->tests.len, 0, combinator };
  const gchar *begin = *at;
  Test test;

  if (**at == '*')
    (*at)++;
  while (**at && (strchr (".#[:", **at) || is_name_char (**at))) {
    if (!read_test (sheet, at, &test))
      return FALSE;
    rule->specificity = add_specificity (rule->specificity, test.kind);
    cs_array_append_val (&sheet->tests, test);
    compound.n++;
  }
  cs_array_append_val (&sheet->compounds, compound);
  rule->n++;
  return *at > begin;
}

/* A selector up to @end. Returns: whether it is understood */
static gboolean
read_selector (SvgSheet * sheet, const gchar * at,
    const gchar * end, Rule * rule)
{
  gchar combinator = 0;

  at = skip_space (at);
  for (;;) {
    if (rule->n == MAX_COMPOUNDS ||
        !read_compound (sheet, &at, combinator, rule))
      return FALSE;
    const gchar *next = skip_space (at);
    if (next >= end)
      return TRUE;
    if (strchr (">+~", *next)) {
      combinator = *next;
      next = skip_space (next + 1);
    } else if (next > at) {
      combinator = ' ';
    } else {
      return FALSE;
    }
    at = next;
  }
}

/* Selectors between commas, and their block. Returns: where that ends */
static const gchar *
read_rule (SvgSheet * sheet, const gchar * at)
{
  const gsize first_rule = sheet->rules.len;
  const gchar *block = find_mark (at, "{};");
  gboolean good = *block == '{';

  while (good) {
    const gchar *end = find_mark (at, ",{");
    Rule rule = {.first = (guint32) sheet->compounds.len };

    good = read_selector (sheet, at, end, &rule);
    if (good)
      cs_array_append_val (&sheet->rules, rule);
    if (end >= block)
      break;
    at = end + 1;
  }
  /* one that is not understood spoils the others */
  if (!good) {
    sheet->rules.len = first_rule;
    return skip_statement (block);
  }
  const gsize first = sheet->declarations.len;
  at = read_declarations (sheet, block + 1);
  for (gsize i = first_rule; i < sheet->rules.len; i++) {
    Rule *rule = &cs_array_index (&sheet->rules, Rule, i);

    rule->first_declaration = (guint32) first;
    rule->n_declarations = (guint32) (sheet->declarations.len - first);
  }
  return *at ? at + 1 : at;
}

SvgSheet *
svg_sheet_new (SvgTree * tree, GError ** error)
{
  SvgSheet *sheet = g_new0 (SvgSheet, 1);
  const gchar *at = svg_tree_get_styles (tree);

  sheet->tree = tree;
  cs_array_init (&sheet->tests, sizeof (Test));
  cs_array_init (&sheet->compounds, sizeof (Compound));
  cs_array_init (&sheet->rules, sizeof (Rule));
  cs_array_init (&sheet->declarations, sizeof (Declaration));
  while (!sheet->failed && *(at = skip_space (at)))
    at = *at == '@' || strchr ("{};", *at) ? skip_statement (at) :
        read_rule (sheet, at);
  if (sheet->failed || sheet->tests.failed || sheet->compounds.failed ||
      sheet->rules.failed || sheet->declarations.failed) {
    svg_tree_set_error (tree, error);
    g_clear_pointer (&sheet, svg_sheet_free);
  }
  return sheet;
}

void
svg_sheet_free (SvgSheet * sheet)
{
  cs_array_clear (&sheet->tests);
  cs_array_clear (&sheet->compounds);
  cs_array_clear (&sheet->rules);
  cs_array_clear (&sheet->declarations);
  g_free (sheet);
}

/* Matching */

/* Whether @word is one of those in @text, between white space. */
static gboolean
has_word (const gchar * text, const gchar * word, guint64 * work)
{
  const gsize length = strlen (word);

  while (text && *text) {
    const gchar *end;

    while (g_ascii_isspace (*text))
      text++;
    for (end = text; *end && !g_ascii_isspace (*end);)
      end++;
    *work += 1 + (end - text) / 16;
    if ((gsize) (end - text) == length && length > 0 &&
        strncmp (text, word, length) == 0)
      return TRUE;
    text = end;
  }
  return FALSE;
}

static gboolean
passes (const SvgNode * node, const Test * test, guint64 * work)
{
  const gchar *value;
  gsize length;

  switch (test->kind) {
    case TEST_TYPE:
      return strcmp (node->name, test->name) == 0;
    case TEST_ID:
      return node->id && strcmp (node->id, test->name) == 0;
    case TEST_CLASS:
      return has_word (node->classes, test->name, work);
    case TEST_FIRST_CHILD:
      return node->parent && node->parent->first == node;
    default:
      break;
  }
  *work += 16;
  value = svg_node_get (node, test->name);
  if (!value || test->kind == TEST_HAS)
    return value != NULL;
  if (test->kind == TEST_IS)
    return strcmp (value, test->value) == 0;
  if (test->kind == TEST_INCLUDES)
    return has_word (value, test->value, work);
  length = strlen (test->value);
  return strncmp (value, test->value, length) == 0 &&
      (value[length] == '\0' || value[length] == '-');
}

static gboolean
is_compound (const SvgSheet * sheet, const SvgNode * node,
    const Compound * compound, guint64 * work)
{
  *work += 1 + compound->n;
  for (guint32 i = 0; i < compound->n; i++)
    if (!passes (node, &cs_array_index (&sheet->tests, Test,
                compound->first + i), work))
      return FALSE;
  return TRUE;
}

/* (nullable): the element before it, in the same one */
static const SvgNode *
get_previous (const SvgNode * node, guint64 * work)
{
  const SvgNode *at = node->parent ? node->parent->first : NULL;

  if (at == node)
    return NULL;
  for (; at && at->next != node; at = at->next)
    (*work)++;
  return at;
}

/* Whether the selector's compounds up to the @n-th fit to elements up to
 * @node, which is the @n-th. */
static gboolean
matches (const SvgSheet * sheet, const Rule * rule, guint32 n,
    const SvgNode * node, guint64 * work)
{
  const Compound *compound = &cs_array_index (&sheet->compounds, Compound,
      rule->first + n);

  if (!is_compound (sheet, node, compound, work))
    return FALSE;
  while (n > 0 && strchr (">+", compound->combinator)) {
    node = compound->combinator == '>' ? node->parent :
        get_previous (node, work);
    compound--;
    n--;
    if (!node || !is_compound (sheet, node, compound, work))
      return FALSE;
  }
  if (n == 0)
    return TRUE;
  const gboolean far = compound->combinator == ' ';
  /* the nearest that fits is not always the right one before a ">" or "+" */
  do {
    node = far ? node->parent : get_previous (node, work);
    if (node && matches (sheet, rule, n - 1, node, work))
      return TRUE;
  } while (node && *work < SVG_MAX_WORK);
  return FALSE;
}

static void
set_value (SvgStyle * style, const Declaration * declaration, guint64 priority)
{
  if (declaration->important)
    priority |= IMPORTANT;
  if (style->values[declaration->property] &&
      style->priorities[declaration->property] > priority)
    return;
  style->values[declaration->property] = declaration->value;
  style->priorities[declaration->property] = priority;
}

/* What the element's attribute style says. */
static void
read_own (SvgSheet * sheet, SvgNode * node)
{
  const gchar *text = svg_node_get (node, "style");
  const gsize first = sheet->declarations.len;

  node->n_styles = 0;
  while (text && *text) {
    text = read_declarations (sheet, text);
    if (*text)
      text++;
  }
  const gsize size = (sheet->declarations.len - first) * sizeof (Declaration);
  sheet->failed |= sheet->declarations.failed;
  if (size == 0)
    return;
  gpointer styles = svg_tree_alloc (sheet->tree, size);
  sheet->failed |= styles == NULL;
  if (styles) {
    memcpy (styles, &cs_array_index (&sheet->declarations, Declaration,
            first), size);
    node->styles = styles;
    node->n_styles = (gint) (sheet->declarations.len - first);
  }
  sheet->declarations.len = first;
}

gboolean
svg_sheet_get (SvgSheet * sheet, SvgNode * node,
    SvgStyle * style, guint64 * work)
{
  const gchar **a;

  memset (style, 0, sizeof (*style));
  for (a = node->attributes; *a; a += 2) {
    const gint property = find_property (*a, strlen (*a));

    *work += 8;
    if (property >= 0)
      style->values[property] = a[1];
  }
  for (gsize i = 0; i < sheet->rules.len && *work < SVG_MAX_WORK;
      i++) {
    const Rule *rule = &cs_array_index (&sheet->rules, Rule, i);

    if (!matches (sheet, rule, rule->n - 1, node, work))
      continue;
    *work += rule->n_declarations;
    for (gsize k = 0; k < rule->n_declarations; k++)
      set_value (style, &cs_array_index (&sheet->declarations, Declaration,
              rule->first_declaration + k), FROM_RULE |
          ((guint64) rule->specificity << 32) | i);
  }
  if (node->n_styles < 0)
    read_own (sheet, node);
  *work += (guint64) node->n_styles;
  for (gsize i = 0; i < (gsize) node->n_styles; i++)
    set_value (style, (const Declaration *) node->styles + i, FROM_ELEMENT);
  return !sheet->failed;
}
