/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_SVG_TREE_H
#define GST_FOURIER_DRAW_SVG_TREE_H

/* The elements of an SVG document, as XML has them. */

#include <glib.h>

/* Elements of SVG that are looked at; all others are OTHER, and nothing in
 * them is drawn. */
typedef enum
{
  GST_FOURIER_DRAW_SVG_OTHER,
  GST_FOURIER_DRAW_SVG_CIRCLE,
  GST_FOURIER_DRAW_SVG_CLIP_PATH,
  GST_FOURIER_DRAW_SVG_ELLIPSE,
  GST_FOURIER_DRAW_SVG_GROUP,
  GST_FOURIER_DRAW_SVG_IMAGE,
  GST_FOURIER_DRAW_SVG_LINE,
  GST_FOURIER_DRAW_SVG_PATH,
  GST_FOURIER_DRAW_SVG_POLYGON,
  GST_FOURIER_DRAW_SVG_POLYLINE,
  GST_FOURIER_DRAW_SVG_RECT,
  GST_FOURIER_DRAW_SVG_STYLE,
  GST_FOURIER_DRAW_SVG_SVG,
  GST_FOURIER_DRAW_SVG_SWITCH,
  GST_FOURIER_DRAW_SVG_SYMBOL,
  GST_FOURIER_DRAW_SVG_TEXT,
  GST_FOURIER_DRAW_SVG_USE,
} GstFourierDrawSvgKind;

typedef struct _GstFourierDrawSvgNode GstFourierDrawSvgNode;

/**
 * GstFourierDrawSvgNode:
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
struct _GstFourierDrawSvgNode
{
  GstFourierDrawSvgKind kind;
  const gchar *name;
  const gchar **attributes;
  const gchar *id, *classes;
  GstFourierDrawSvgNode *parent, *first, *last, *next;
  gsize number;
  gconstpointer styles;
  gint n_styles;
  gboolean open;
};

typedef struct _GstFourierDrawSvgTree GstFourierDrawSvgTree;

/* Elements within each other. */
#define GST_FOURIER_DRAW_SVG_MAX_DEPTH 256
/* Bytes of a document, unpacked, and of its style sheets. */
#define GST_FOURIER_DRAW_SVG_MAX_UNPACKED (16u << 20)
/* Steps that a document may take: about a second. */
#define GST_FOURIER_DRAW_SVG_MAX_WORK ((guint64) 1 << 27)

/* Reads an XML document, also a packed one (gzip), in UTF-8, UTF-16 or what
 * its declaration names, with entities that it declares itself.
 *
 * Returns: (transfer full): %NULL with @error (CS_ERROR_INVALID, which says
 *     what is wrong in which line, CS_ERROR_LIMIT or CS_ERROR_NO_MEMORY) set */
GstFourierDrawSvgTree *gst_fourier_draw_svg_tree_new (gconstpointer data,
    gsize size, GError ** error);
void gst_fourier_draw_svg_tree_free (GstFourierDrawSvgTree * tree);

/* Returns: (nullable): the first element svg */
GstFourierDrawSvgNode *gst_fourier_draw_svg_tree_get_root (const
    GstFourierDrawSvgTree * tree);

/* All style sheets of the document, one after the other. */
const gchar *gst_fourier_draw_svg_tree_get_styles (const
    GstFourierDrawSvgTree * tree);

/* Returns: (nullable): the first element with this id */
GstFourierDrawSvgNode *gst_fourier_draw_svg_tree_find (const
    GstFourierDrawSvgTree * tree, const gchar * id);

/* Memory that lives as long as the tree.
 *
 * Returns: (nullable): %NULL if there is no more, or as much as a document
 *     may have is taken */
gpointer gst_fourier_draw_svg_tree_alloc (GstFourierDrawSvgTree * tree,
    gsize size);
const gchar *gst_fourier_draw_svg_tree_copy (GstFourierDrawSvgTree * tree,
    const gchar * text, gsize length);

/* What it means that gst_fourier_draw_svg_tree_alloc() returned %NULL. */
void gst_fourier_draw_svg_tree_set_error (const GstFourierDrawSvgTree * tree,
    GError ** error);

/* Returns: (nullable): the value of an attribute */
const gchar *gst_fourier_draw_svg_node_get (const GstFourierDrawSvgNode *
    node, const gchar * name);

/* Returns: (nullable): what an href, or an xlink:href, refers to in the same
 *     document */
GstFourierDrawSvgNode *gst_fourier_draw_svg_node_follow (const
    GstFourierDrawSvgNode * node, const GstFourierDrawSvgTree * tree);

#endif /* GST_FOURIER_DRAW_SVG_TREE_H */
