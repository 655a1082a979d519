/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The elements of an SVG document, as XML has them. */

#include <glib.h>

/* Elements of SVG that are looked at; all others are OTHER, and nothing in
 * them is drawn. */
typedef enum
{
  SVG_OTHER,
  SVG_CIRCLE,
  SVG_CLIP_PATH,
  SVG_ELLIPSE,
  SVG_GROUP,
  SVG_IMAGE,
  SVG_LINE,
  SVG_PATH,
  SVG_POLYGON,
  SVG_POLYLINE,
  SVG_RECT,
  SVG_STYLE,
  SVG_SVG,
  SVG_SWITCH,
  SVG_SYMBOL,
  SVG_TEXT,
  SVG_USE,
} SvgKind;

typedef struct _SvgNode SvgNode;

/**
 * SvgNode:
 * @name: without a prefix
 * @attributes: (array zero-terminated=1): names and values in turn
 * @id: (nullable): its id
 * @classes: (nullable): its classes, between white space
 * @parent: (nullable): the element around it
 * @first: (nullable): the first element in it
 * @last: (nullable): the last one
 * @next: (nullable): the element after it, in the same one
 * @number: of elements with an id before it
 * @styles: (nullable): what its attribute style says, once it was read
 * @n_styles: how many; -1: not read yet
 * @open: whether it is being drawn, or read as a clip path: it is not in itself
 */
struct _SvgNode
{
  SvgKind kind;
  const gchar *name;
  const gchar **attributes;
  const gchar *id, *classes;
  SvgNode *parent, *first, *last, *next;
  gsize number;
  gconstpointer styles;
  gint n_styles;
  gboolean open;
};

typedef struct _SvgTree SvgTree;

/* Elements within each other. */
#define SVG_MAX_DEPTH 256
/* Bytes of a document, unpacked, and of its style sheets. */
#define SVG_MAX_UNPACKED (16u << 20)
/* Steps that a document may take: about a second. */
#define SVG_MAX_WORK ((guint64) 1 << 27)

/* Reads an XML document, also a packed one (gzip), in UTF-8, UTF-16 or what
 * its declaration names, with entities that it declares itself.
 *
 * Returns: (transfer full): %NULL with @error (CS_ERROR_INVALID, which says
 *     what is wrong in which line, CS_ERROR_LIMIT or CS_ERROR_NO_MEMORY) set */
SvgTree *svg_tree_new (gconstpointer data, gsize size, GError ** error);
void svg_tree_free (SvgTree * tree);

/* Returns: (nullable): the first element svg */
SvgNode *svg_tree_get_root (const SvgTree * tree);

/* All style sheets of the document, one after the other. */
const gchar *svg_tree_get_styles (const SvgTree * tree);

/* Returns: (nullable): the first element with this id */
SvgNode *svg_tree_find (const SvgTree * tree, const gchar * id);

/* Memory that lives as long as the tree.
 *
 * Returns: (nullable): %NULL if there is no more, or as much as a document
 *     may have is taken */
gpointer svg_tree_alloc (SvgTree * tree, gsize size);
const gchar *svg_tree_copy (SvgTree * tree, const gchar * text, gsize length);

/* What it means that svg_tree_alloc() returned %NULL. */
void svg_tree_set_error (const SvgTree * tree, GError ** error);

/* Returns: (nullable): the value of an attribute */
const gchar *svg_node_get (const SvgNode * node, const gchar * name);

/* Returns: (nullable): what an href, or an xlink:href, refers to in the same
 *     document */
SvgNode *svg_node_follow (const SvgNode * node, const SvgTree * tree);
