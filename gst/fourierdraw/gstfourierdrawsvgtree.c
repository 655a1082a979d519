/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawsvgtree.h"

#include <string.h>

/* else expat.h before 2.6 hides the limits of entities */
#ifndef XML_DTD
#define XML_DTD
#endif
#include <expat.h>
#include <gio/gio.h>

#include "base/array.h"
#include "base/error.h"

#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
#define GET_LINE XML_GetCurrentLineNumber64
#else
#define GET_LINE XML_GetCurrentLineNumber
#endif

#define SVG_URI "http://www.w3.org/2000/svg"

/* Bytes that a document may take as a tree. */
#define MAX_MEMORY ((gsize) 256 << 20)
/* Bytes of a block of memory, at least. */
#define BLOCK ((gsize) 64 << 10)
/* Entities of a document. */
#define MAX_ENTITIES 1024
/* Attributes of an element. */
#define MAX_ATTRIBUTES 1024
/* How many times as large as a document entities may make it. */
#define MAX_AMPLIFICATION 8.f
/* Prefixes of names that are known at once. */
#define MAX_PREFIXES 256

/* A prefix that an open element declares. */
typedef struct
{
  const gchar *prefix;
  guint depth;
  gboolean svg;
} Prefix;

/**
 * SvgTree:
 * @blocks: of memory, gchar *
 * @block: rest of the last one
 * @full: whether a document may not have more
 * @ids: elements with an id, in the order of these, once all are read
 *
 * While it is read:
 *
 * @node: (nullable): the element that is open, @depth of them
 * @skipped: open elements in one that is not in the tree
 * @prefixes: that are known, @n_prefixes of them
 * @namespaces: for each depth, whether names without a prefix are those of SVG
 */
struct _SvgTree
{
  CsArray blocks;
  gchar *block;
  gsize left, memory;
  gboolean full;
  SvgNode *root;
  CsArray styles, ids;

  XML_Parser parser;
  GError *error;
  SvgNode *node;
  guint depth, n_entities, n_prefixes;
  Prefix prefixes[MAX_PREFIXES];
  gboolean namespaces[SVG_MAX_DEPTH + 1];
};

/* Memory */

gpointer
svg_tree_alloc (SvgTree * tree, gsize size)
{
  gchar *memory;

  size = (size + 7) & ~(gsize) 7;
  if (size > tree->left) {
    const gsize n = MAX (size, BLOCK);

    tree->full = n > MAX_MEMORY - tree->memory;
    if (tree->full || !cs_array_reserve (&tree->blocks, 1))
      return NULL;
    memory = cs_try_malloc (n);
    if (!memory)
      return NULL;
    cs_array_append_val (&tree->blocks, memory);
    tree->memory += n;
    /* a large piece has a block of its own, and the present one goes on */
    if (n - size < tree->left)
      return memory;
    tree->block = memory;
    tree->left = n;
  }
  memory = tree->block;
  tree->block += size;
  tree->left -= size;
  return memory;
}

const gchar *
svg_tree_copy (SvgTree * tree, const gchar * text, gsize length)
{
  gchar *copy = svg_tree_alloc (tree, length + 1);

  if (copy) {
    memcpy (copy, text, length);
    copy[length] = '\0';
  }
  return copy;
}

void
svg_tree_set_error (const SvgTree * tree, GError ** error)
{
  if (tree->full)
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT,
        "it needs more than %u MiB; draw parts of it one by one",
        (guint) (MAX_MEMORY >> 20));
  else
    cs_fail_no_memory (error, "an SVG document");
}

/* Reading */

/* Nothing more is read. @error was set. */
static void
stop (SvgTree * tree)
{
  XML_StopParser (tree->parser, XML_FALSE);
}

static void
stop_without_memory (SvgTree * tree)
{
  if (!tree->error)
    svg_tree_set_error (tree, &tree->error);
  stop (tree);
}

static SvgKind
find_kind (const gchar * name)
{
  static const struct
  {
    const gchar *name;
    SvgKind kind;
  } kinds[] = {
    {"a", SVG_GROUP},
    {"circle", SVG_CIRCLE},
    {"clipPath", SVG_CLIP_PATH},
    {"ellipse", SVG_ELLIPSE},
    /* texts of some programs are in it */
    {"foreignObject", SVG_TEXT},
    {"g", SVG_GROUP},
    {"image", SVG_IMAGE},
    {"line", SVG_LINE},
    {"path", SVG_PATH},
    {"polygon", SVG_POLYGON},
    {"polyline", SVG_POLYLINE},
    {"rect", SVG_RECT},
    {"style", SVG_STYLE},
    {"svg", SVG_SVG},
    {"switch", SVG_SWITCH},
    {"symbol", SVG_SYMBOL},
    {"text", SVG_TEXT},
    {"use", SVG_USE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (kinds[i].name, name) == 0)
      return kinds[i].kind;
  return SVG_OTHER;
}

/* The namespaces that an element declares. */
static void
read_namespaces (SvgTree * tree, const gchar ** attributes)
{
  const gchar **a;

  tree->namespaces[tree->depth] = tree->namespaces[tree->depth - 1];
  for (a = attributes; *a; a += 2) {
    const gboolean svg = strcmp (a[1], SVG_URI) == 0;

    if (strcmp (a[0], "xmlns") == 0)
      tree->namespaces[tree->depth] = svg;
    else if (g_str_has_prefix (a[0], "xmlns:")
        && tree->n_prefixes < MAX_PREFIXES)
      tree->prefixes[tree->n_prefixes++] = (Prefix) {
        a[0] + strlen ("xmlns:"), tree->depth, svg
      };
  }
}

/* Whether @name is one of SVG. Documents need not say so. */
static gboolean
is_svg (const SvgTree * tree, const gchar * name, const gchar * colon)
{
  const gsize length = colon ? colon - name : 0;

  if (!colon)
    return tree->namespaces[tree->depth];
  for (guint i = tree->n_prefixes; i > 0; i--) {
    const Prefix *prefix = &tree->prefixes[i - 1];

    if (strncmp (prefix->prefix, name, length) == 0 &&
        prefix->prefix[length] == '\0')
      return prefix->svg;
  }
  return length == 3 && strncmp (name, "svg", 3) == 0;
}

/* Copies names and values. */
static const gchar **
copy_attributes (SvgTree * tree, const gchar ** attributes)
{
  const gsize n = g_strv_length ((gchar **) attributes);
  const gchar **copy = svg_tree_alloc (tree, (n + 1) * sizeof (*copy));

  if (!copy)
    return NULL;
  for (gsize i = 0; i < n; i++) {
    copy[i] = svg_tree_copy (tree, attributes[i], strlen (attributes[i]));
    if (!copy[i])
      return NULL;
  }
  copy[n] = NULL;
  return copy;
}

static void
add_to_parent (SvgNode * node, SvgNode * parent)
{
  node->parent = parent;
  if (!parent)
    return;
  if (parent->last)
    parent->last->next = node;
  else
    parent->first = node;
  parent->last = node;
}

static void
open_element (gpointer data, const gchar * name, const gchar ** attributes)
{
  SvgTree *tree = data;
  SvgNode *node;
  const gchar *colon = strchr (name, ':');

  if (tree->error)
    return;
  if (tree->depth == SVG_MAX_DEPTH) {
    g_set_error (&tree->error, CS_ERROR, CS_ERROR_LIMIT, "there are more than "
        "%d elements within each other; ungroup some of them",
        SVG_MAX_DEPTH);
    stop (tree);
    return;
  }
  if (g_strv_length ((gchar **) attributes) > 2 * MAX_ATTRIBUTES) {
    g_set_error (&tree->error, CS_ERROR, CS_ERROR_LIMIT, "there is an element "
        "\"%.200s\" with more than %d attributes", name, MAX_ATTRIBUTES);
    stop (tree);
    return;
  }
  tree->depth++;
  node = svg_tree_alloc (tree, sizeof (*node));
  if (node) {
    *node = (SvgNode) {.n_styles = -1 };
    node->attributes = copy_attributes (tree, attributes);
    node->name = svg_tree_copy (tree,
        colon ? colon + 1 : name, strlen (colon ? colon + 1 : name));
  }
  if (!node || !node->attributes || !node->name) {
    stop_without_memory (tree);
    return;
  }
  read_namespaces (tree, node->attributes);
  if (is_svg (tree, name, colon))
    node->kind = find_kind (node->name);
  node->id = svg_node_get (node, "id");
  node->classes = svg_node_get (node, "class");
  node->number = tree->ids.len;
  if (node->id)
    cs_array_append_val (&tree->ids, node);
  add_to_parent (node, tree->node);
  if (!tree->root && node->kind == SVG_SVG)
    tree->root = node;
  tree->node = node;
}

static void
close_element (gpointer data, const gchar * name)
{
  SvgTree *tree = data;

  if (tree->error || !tree->node)
    return;
  while (tree->n_prefixes > 0 &&
      tree->prefixes[tree->n_prefixes - 1].depth == tree->depth)
    tree->n_prefixes--;
  tree->depth--;
  tree->node = tree->node->parent;
}

static void
read_text (gpointer data, const gchar * text, gint length)
{
  SvgTree *tree = data;

  if (!tree->node || tree->node->kind != SVG_STYLE)
    return;
  const gchar *type = svg_node_get (tree->node, "type");
  if (type && *type && g_ascii_strcasecmp (type, "text/css") != 0)
    return;
  if (tree->styles.len + length > SVG_MAX_UNPACKED) {
    tree->full = TRUE;
    stop_without_memory (tree);
  } else if (!cs_array_append (&tree->styles, text, length)) {
    stop_without_memory (tree);
  }
}

/* An entity that refers to another file is an error. */
static gint
refuse_entity (XML_Parser parser, const gchar * context, const gchar * base,
    const gchar * system_id, const gchar * public_id)
{
  SvgTree *tree = XML_GetUserData (parser);

  if (!tree->error)
    g_set_error (&tree->error, CS_ERROR, CS_ERROR_INVALID, "it takes in "
        "another file, \"%.200s\", which is not read: save it as one file",
        system_id ? system_id : "");
  return XML_STATUS_ERROR;
}

static void
count_entity (gpointer data, const gchar * name, gint is_parameter,
    const gchar * value, gint length, const gchar * base,
    const gchar * system_id, const gchar * public_id, const gchar * notation)
{
  SvgTree *tree = data;

  if (++tree->n_entities <= MAX_ENTITIES || tree->error)
    return;
  g_set_error (&tree->error, CS_ERROR, CS_ERROR_LIMIT,
      "it declares more than %d entities; save it without them", MAX_ENTITIES);
  stop (tree);
}

/* An encoding of one byte for each character. */
static gint
read_encoding (gpointer data, const gchar * name, XML_Encoding * encoding)
{
  GIConv convert = g_iconv_open ("UTF-8", name);
  guint i;

  if (convert == (GIConv) - 1)
    return XML_STATUS_ERROR;
  for (i = 0; i < 256; i++) {
    gchar byte = (gchar) i, out[8] = { 0 }, *in_at = &byte, *out_at = out;
    gsize in_left = 1, out_left = sizeof (out) - 1;

    encoding->map[i] = -1;
    g_iconv (convert, NULL, NULL, NULL, NULL);
    if (g_iconv (convert, &in_at, &in_left, &out_at, &out_left) != (gsize) - 1
        && in_left == 0 && out_at > out)
      encoding->map[i] = (int) g_utf8_get_char (out);
    /* XML is written in ASCII */
    if (i < 128 && encoding->map[i] != (int) i)
      break;
  }
  g_iconv_close (convert);
  encoding->data = NULL;
  encoding->convert = NULL;
  encoding->release = NULL;
  return i == 256 ? XML_STATUS_OK : XML_STATUS_ERROR;
}

static void
set_parser_error (SvgTree * tree)
{
  const enum XML_Error code = XML_GetErrorCode (tree->parser);
  const guint line = (guint) GET_LINE (tree->parser);

  if (tree->error)
    return;
  if (code == XML_ERROR_NO_MEMORY)
    cs_fail_no_memory (&tree->error, "an SVG document");
  else if (code == XML_ERROR_AMPLIFICATION_LIMIT_BREACH)
    g_set_error (&tree->error, CS_ERROR, CS_ERROR_LIMIT, "its entities make "
        "it too large; save it without them");
  else if (code == XML_ERROR_UNKNOWN_ENCODING)
    g_set_error (&tree->error, CS_ERROR, CS_ERROR_INVALID,
        "its encoding is not known; save it as UTF-8");
  else if (code == XML_ERROR_NO_ELEMENTS && !tree->root)
    g_set_error (&tree->error, CS_ERROR, CS_ERROR_INVALID,
        "there is no element svg in it, or it ends within a tag or a comment");
  else
    g_set_error (&tree->error, CS_ERROR, CS_ERROR_INVALID,
        "line %u is not XML: %s", line, XML_ErrorString (code));
}

static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  const SvgNode *const *x = a, *const *y = b;
  const gint order = strcmp ((*x)->id, (*y)->id);

  return order != 0 ? order : ((*x)->number > (*y)->number ? 1 : -1);
}

static gboolean
read_xml (SvgTree * tree, const gchar * data, gsize size)
{
  tree->parser = XML_ParserCreate (NULL);
  if (!tree->parser)
    return cs_fail_no_memory (&tree->error, "an SVG document");
  XML_SetUserData (tree->parser, tree);
  XML_SetElementHandler (tree->parser, open_element, close_element);
  XML_SetCharacterDataHandler (tree->parser, read_text);
  XML_SetExternalEntityRefHandler (tree->parser, refuse_entity);
  XML_SetEntityDeclHandler (tree->parser, count_entity);
  XML_SetUnknownEncodingHandler (tree->parser, read_encoding, NULL);
  XML_SetBillionLaughsAttackProtectionMaximumAmplification (tree->parser,
      MAX_AMPLIFICATION);
  if (XML_Parse (tree->parser, data, (int) size, TRUE) != XML_STATUS_OK)
    set_parser_error (tree);
  XML_ParserFree (tree->parser);
  if (!tree->error && !tree->root)
    g_set_error (&tree->error, CS_ERROR, CS_ERROR_INVALID,
        "there is no element svg in it");
  if (!tree->error && (!cs_array_append (&tree->styles, "", 1) ||
          tree->ids.failed))
    cs_fail_no_memory (&tree->error, "an SVG document");
  return !tree->error;
}

/* Unpacking */

static gboolean
is_packed (const guint8 * data, gsize size)
{
  return size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

/* @out: of gchar */
static gboolean
unpack (const gchar * data, gsize size, CsArray * out, GError ** error)
{
  GConverter *converter = G_CONVERTER (g_zlib_decompressor_new
      (G_ZLIB_COMPRESSOR_FORMAT_GZIP));
  GConverterResult result = G_CONVERTER_CONVERTED;
  g_autoptr (GError) problem = NULL;

  while (result != G_CONVERTER_FINISHED && !out->failed && !problem &&
      out->len <= SVG_MAX_UNPACKED) {
    gsize n_read = 0, n_written = 0;

    if (!cs_array_reserve (out, BLOCK))
      break;
    result = g_converter_convert (converter, data, size, out->data + out->len,
        out->capacity - out->len, G_CONVERTER_INPUT_AT_END, &n_read,
        &n_written, &problem);
    data += n_read;
    size -= n_read;
    out->len += n_written;
  }
  g_object_unref (converter);
  if (out->failed)
    cs_fail_no_memory (error, "an SVG document");
  else if (problem)
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "it cannot be unpacked: "
        "%s; save it anew, or as .svg", problem->message);
  else if (out->len > SVG_MAX_UNPACKED)
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT, "it has more than %u MiB, "
        "unpacked; draw parts of it one by one",
        SVG_MAX_UNPACKED >> 20);
  else
    return TRUE;
  return FALSE;
}

SvgTree *
svg_tree_new (gconstpointer data, gsize size, GError ** error)
{
  SvgTree *tree = g_new0 (SvgTree, 1);
  CsArray unpacked;
  gboolean ok = TRUE;

  cs_array_init (&unpacked, 1);
  cs_array_init (&tree->blocks, sizeof (gchar *));
  cs_array_init (&tree->styles, 1);
  cs_array_init (&tree->ids, sizeof (SvgNode *));
  /* documents need not declare it */
  tree->namespaces[0] = TRUE;
  if (is_packed (data, size)) {
    ok = unpack (data, size, &unpacked, &tree->error);
    data = unpacked.data;
    size = unpacked.len;
  }
  if (ok)
    ok = read_xml (tree, size > 0 ? data : "", size);
  cs_array_clear (&unpacked);
  if (ok && tree->ids.len > 0)
    qsort (tree->ids.data, tree->ids.len, tree->ids.size, compare_ids);
  if (!ok) {
    g_propagate_error (error, g_steal_pointer (&tree->error));
    g_clear_pointer (&tree, svg_tree_free);
  }
  return tree;
}

void
svg_tree_free (SvgTree * tree)
{
  for (gsize i = 0; i < tree->blocks.len; i++)
    g_free (cs_array_index (&tree->blocks, gchar *, i));
  cs_array_clear (&tree->blocks);
  cs_array_clear (&tree->styles);
  cs_array_clear (&tree->ids);
  g_free (tree);
}

/* What was read */

SvgNode *
svg_tree_get_root (const SvgTree * tree)
{
  return tree->root;
}

const gchar *
svg_tree_get_styles (const SvgTree * tree)
{
  return tree->styles.data;
}

SvgNode *
svg_tree_find (const SvgTree * tree, const gchar * id)
{
  gsize first = 0, end = tree->ids.len;

  while (first < end) {
    const gsize middle = first + (end - first) / 2;

    if (strcmp (cs_array_index (&tree->ids, SvgNode *, middle)->id, id) < 0)
      first = middle + 1;
    else
      end = middle;
  }
  if (first < tree->ids.len) {
    SvgNode *node = cs_array_index (&tree->ids, SvgNode *, first);

    if (strcmp (node->id, id) == 0)
      return node;
  }
  return NULL;
}

const gchar *
svg_node_get (const SvgNode * node, const gchar * name)
{
  const gchar **a;

  for (a = node->attributes; *a; a += 2)
    if (strcmp (a[0], name) == 0)
      return a[1];
  return NULL;
}

SvgNode *
svg_node_follow (const SvgNode * node, const SvgTree * tree)
{
  const gchar *target = svg_node_get (node, "href");
  const gchar **a;

  for (a = node->attributes; !target && *a; a += 2)
    if (g_str_has_suffix (a[0], ":href"))
      target = a[1];
  while (target && g_ascii_isspace (*target))
    target++;
  return target && *target == '#' ? svg_tree_find (tree, target + 1) : NULL;
}
