/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The elements of an SVG document, as XML has them. */

#include <glib.h>

/* Elements of SVG that are looked at; all others are OTHER, and nothing in
 * them is drawn. */
typedef enum
{
  FOURIER_SVG_OTHER,
  FOURIER_SVG_CIRCLE,
  FOURIER_SVG_CLIP_PATH,
  FOURIER_SVG_ELLIPSE,
  FOURIER_SVG_GROUP,
  FOURIER_SVG_IMAGE,
  FOURIER_SVG_LINE,
  FOURIER_SVG_PATH,
  FOURIER_SVG_POLYGON,
  FOURIER_SVG_POLYLINE,
  FOURIER_SVG_RECT,
  FOURIER_SVG_STYLE,
  FOURIER_SVG_SVG,
  FOURIER_SVG_SWITCH,
  FOURIER_SVG_SYMBOL,
  FOURIER_SVG_TEXT,
  FOURIER_SVG_USE,
} FourierSvgKind;

typedef struct _FourierSvgNode FourierSvgNode;

/**
 * FourierSvgNode:
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
struct _FourierSvgNode
{
  FourierSvgKind kind;
  const gchar *name;
  const gchar **attributes;
  const gchar *id, *classes;
  FourierSvgNode *parent, *first, *last, *next;
  gsize number;
  gconstpointer styles;
  gint n_styles;
  gboolean open;
};

typedef struct _FourierSvgTree FourierSvgTree;

/* Elements within each other. */
#define FOURIER_SVG_MAX_DEPTH 256
/* Bytes of a document, unpacked, and of its style sheets. */
#define FOURIER_SVG_MAX_UNPACKED (16u << 20)
/* Steps that a document may take: about a second. */
#define FOURIER_SVG_MAX_WORK ((guint64) 1 << 27)

/* Reads an XML document, also a packed one (gzip), in UTF-8, UTF-16 or what
 * its declaration names, with entities that it declares itself.
 *
 * Returns: (transfer full): %NULL with @error (CS_ERROR_INVALID, which says
 *     what is wrong in which line, CS_ERROR_LIMIT or CS_ERROR_NO_MEMORY) set */
FourierSvgTree *fourier_svg_tree_new (gconstpointer data,
    gsize size, GError ** error);
void fourier_svg_tree_free (FourierSvgTree * tree);

/* Returns: (nullable): the first element svg */
FourierSvgNode *fourier_svg_tree_get_root (const FourierSvgTree * tree);

/* All style sheets of the document, one after the other. */
const gchar *fourier_svg_tree_get_styles (const FourierSvgTree * tree);

/* Returns: (nullable): the first element with this id */
FourierSvgNode *fourier_svg_tree_find (const
    FourierSvgTree * tree, const gchar * id);

/* Memory that lives as long as the tree.
 *
 * Returns: (nullable): %NULL if there is no more, or as much as a document
 *     may have is taken */
gpointer fourier_svg_tree_alloc (FourierSvgTree * tree, gsize size);
const gchar *fourier_svg_tree_copy (FourierSvgTree * tree,
    const gchar * text, gsize length);

/* What it means that fourier_svg_tree_alloc() returned %NULL. */
void fourier_svg_tree_set_error (const FourierSvgTree * tree, GError ** error);

/* Returns: (nullable): the value of an attribute */
const gchar *fourier_svg_node_get (const FourierSvgNode * node,
    const gchar * name);

/* Returns: (nullable): what an href, or an xlink:href, refers to in the same
 *     document */
FourierSvgNode *fourier_svg_node_follow (const
    FourierSvgNode * node, const FourierSvgTree * tree);
