/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Writes a small network as an ONNX file: protocol buffers, of which it takes
 * numbers, strings and messages. The network reduces an image of 1 x 3 x H x W
 * floats to the means of its channels and of blocks of 2 x 2 pixels, 1 x 1 x
 * H/2 x W/2. */

#include <glib.h>

static inline void
put_varint (GByteArray * out, guint64 value)
{
  do {
    const guint8 byte = (value & 0x7f) | (value > 0x7f ? 0x80 : 0);

    g_byte_array_append (out, &byte, 1);
    value >>= 7;
  } while (value > 0);
}

static inline void
put_number (GByteArray * out, guint field, guint64 value)
{
  put_varint (out, field << 3);
  put_varint (out, value);
}

static inline void
put_bytes (GByteArray * out, guint field, gconstpointer data, gsize size)
{
  put_varint (out, field << 3 | 2);
  put_varint (out, size);
  g_byte_array_append (out, data, size);
}

static inline void
put_string (GByteArray * out, guint field, const gchar * text)
{
  put_bytes (out, field, text, strlen (text));
}

/* Takes @message. */
static inline void
put_message (GByteArray * out, guint field, GByteArray * message)
{
  put_bytes (out, field, message->data, message->len);
  g_byte_array_unref (message);
}

/* AttributeProto: name 1, i 3, ints 8, type 20 (2 is INT, 7 is INTS) */
static inline void
put_ints (GByteArray * node, const gchar * name, guint n, gint value)
{
  GByteArray *attribute = g_byte_array_new ();

  put_string (attribute, 1, name);
  for (guint i = 0; i < n; i++)
    put_number (attribute, 8, value);
  put_number (attribute, 20, 7);
  put_message (node, 5, attribute);
}

/* NodeProto: input 1, output 2, op_type 4 */
static inline GByteArray *
new_node (const gchar * type, const gchar * input, const gchar * output)
{
  GByteArray *node = g_byte_array_new ();

  put_string (node, 1, input);
  put_string (node, 2, output);
  put_string (node, 4, type);
  return node;
}

/* ValueInfoProto: name 1, type 2 (tensor_type 1 (elem_type 1, FLOAT is 1;
 * shape 2 (dim 1 (dim_value 1)))) */
static inline GByteArray *
new_value (const gchar * name, const guint dims[4])
{
  GByteArray *value = g_byte_array_new (), *type = g_byte_array_new ();
  GByteArray *tensor = g_byte_array_new (), *shape = g_byte_array_new ();

  for (guint i = 0; i < 4; i++) {
    GByteArray *dim = g_byte_array_new ();

    put_number (dim, 1, dims[i]);
    put_message (shape, 1, dim);
  }
  put_number (tensor, 1, 1);
  put_message (tensor, 2, shape);
  put_message (type, 1, tensor);
  put_string (value, 1, name);
  put_message (value, 2, type);
  return value;
}

/* GraphProto: node 1, name 2, input 11, output 12 */
static inline GByteArray *
new_graph (guint width, guint height)
{
  const guint input[4] = { 1, 3, height, width };
  const guint output[4] = { 1, 1, height / 2, width / 2 };
  GByteArray *graph = g_byte_array_new ();
  GByteArray *mean = new_node ("ReduceMean", "image", "gray");
  GByteArray *pool = new_node ("AveragePool", "gray", "map");

  put_ints (mean, "axes", 1, 1);
  put_ints (pool, "kernel_shape", 2, 2);
  put_ints (pool, "strides", 2, 2);
  put_message (graph, 1, mean);
  put_message (graph, 1, pool);
  put_string (graph, 2, "means");
  put_message (graph, 11, new_value ("image", input));
  put_message (graph, 12, new_value ("map", output));
  return graph;
}

/* ModelProto: ir_version 1, graph 7, opset_import 8 (version 2), metadata_props
 * 14 (key 1, value 2), where GStreamer 1.26 looks for the names of tensors.
 *
 * Returns: (transfer full): the file's content */
static inline GByteArray *
new_network (guint width, guint height)
{
  GByteArray *model = g_byte_array_new (), *opset = g_byte_array_new ();
  GByteArray *property = g_byte_array_new ();

  put_number (model, 1, 7);
  put_message (model, 7, new_graph (width, height));
  put_number (opset, 2, 13);
  put_message (model, 8, opset);
  put_string (property, 1, "map");
  put_string (property, 2, "the-map");
  put_message (model, 14, property);
  return model;
}

/* What GStreamer 1.28 wants beside it. */
static inline gchar *
new_network_info (guint width, guint height)
{
  return g_strdup_printf ("[modelinfo]\nversion=1.0\ngroup-id=means\n\n"
      "[image]\nid=the-image\ntype=float32\ndims=1,3,%u,%u\ndir=input\n"
      "ranges=0.0,255.0;0.0,255.0;0.0,255.0\n\n"
      "[map]\nid=the-map\ntype=float32\ndims=1,1,%u,%u\ndir=output\n", height,
      width, height / 2, width / 2);
}
