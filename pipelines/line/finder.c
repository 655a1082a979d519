/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "finder.h"

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

#include "shapes/gstshapes.h"

#include "publish/lock.h"
#include "shapes.h"

/* What libgstcuda calls its contexts. */
#define CUDA_CONTEXT "gst.cuda.context"

/* Of an element, however many lanes there are */
#define LEAST_THREADS 2

struct _LineFinder
{
  guint n_views;
  gsize size;
  GstElement *pipeline, *source, *sink;
};

/* GPU */

/* All pipelines share the CUDA context of the first one: a GPU runs one
 * context's work at a time. It goes with the last finder, or when one has
 * failed: it may be what is broken. */
static struct
{
  GMutex lock;
  guint n_finders;
  GstContext *context;
} shared;

static GstContext *
take_shared (void)
{
  LINE_LOCK (&shared.lock);

  return shared.context ? gst_context_ref (shared.context) : NULL;
}

/* The GstCudaContext in @context, borrowed; NULL without. */
static gpointer
get_object (const GstContext * context)
{
  const GValue *value = context ? gst_structure_get_value
      (gst_context_get_structure (context), CUDA_CONTEXT) : NULL;

  return value && G_VALUE_HOLDS_OBJECT (value) ? g_value_get_object (value) :
      NULL;
}

/* After a failure of @finder its context is not shared any more. */
static void
unshare (LineFinder * finder)
{
  GstContext *context = line_finder_get_context (finder);

  g_mutex_lock (&shared.lock);
  if (shared.context && get_object (context) == get_object (shared.context))
    g_clear_pointer (&shared.context, gst_context_unref);
  g_mutex_unlock (&shared.lock);
  g_clear_pointer (&context, gst_context_unref);
}

static void
count_finders (int change)
{
  LINE_LOCK (&shared.lock);

  shared.n_finders += change;
  if (shared.n_finders == 0)
    g_clear_pointer (&shared.context, gst_context_unref);
}

/* Called in any thread of the pipeline. */
static GstBusSyncReply
answer (GstBus * bus, GstMessage * message, gpointer user)
{
  const gchar *type = NULL;
  GstContext *context = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_NEED_CONTEXT
      && gst_message_parse_context_type (message, &type)
      && g_str_equal (type, CUDA_CONTEXT)) {
    context = take_shared ();
    if (context)
      gst_element_set_context (GST_ELEMENT (GST_MESSAGE_SRC (message)),
          context);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_HAVE_CONTEXT) {
    gst_message_parse_have_context (message, &context);
    if (gst_context_has_context_type (context, CUDA_CONTEXT)) {
      LINE_LOCK (&shared.lock);

      if (!shared.context)
        shared.context = gst_context_ref (context);
    }
  }
  g_clear_pointer (&context, gst_context_unref);
  return GST_BUS_PASS;
}

GstContext *
line_finder_get_context (LineFinder * finder)
{
  g_autoptr (GstElement) contours =
      gst_bin_get_by_name (GST_BIN (finder->pipeline),
          "contours");
  GstContext *context = gst_element_get_context (contours, CUDA_CONTEXT);

  return context ? context :
      gst_element_get_context (finder->pipeline, CUDA_CONTEXT);
}

/* Pipeline */

static void
append_channels (GString * text, const char *name, const guint * channels,
    guint n)
{
  g_string_append_printf (text, "%s=", name);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%u", i ? "+" : "", channels[i]);
}

static void
append_level (GString * text, const char *separator, gdouble level)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (text, "%s%s", separator,
      g_ascii_dtostr (number, sizeof (number), level));
}

/* As docs/fruit-line.md says. */
static char *
describe (const LineConfig * config, const LineGeometry * geometry,
    const LineRecipe * recipe)
{
  /* Of each element. Lanes work side by side: what is shared out among more
   * threads has to wait for the slowest of them, which another lane keeps from
   * running. */
  const guint n_threads = MAX (g_get_num_processors () / config->lanes->len,
      LEAST_THREADS);
  GString *text = g_string_new (NULL);

  g_string_printf (text, "appsrc name=source format=time caps=other/tensors,"
      "format=static,num_tensors=1,types=float32,framerate=0/1,"
      "dimensions=%u:%u:%u:%u ! cudacontours name=contours layout=hwc backend=%s "
      "cuda-device-id=%d n-threads=%u close-at-border=true hierarchy=true "
      "classes=", recipe->n_classes, geometry->columns, geometry->rows,
      geometry->views, line_backends[config->backend], config->cuda_device_id,
      n_threads);
  for (guint i = 0; i < recipe->n_defects; i++)
    g_string_append_printf (text, "%s%u", i ? "," : "", recipe->defects[i]);
  append_channels (text, " class-groups=\"fruit", recipe->fruit,
      recipe->n_fruit);
  append_channels (text, ", defect", recipe->defects, recipe->n_defects);
  g_string_append (text, "\" levels=");
  for (guint i = 0; i < recipe->n_defects; i++)
    append_level (text, i ? "," : "", recipe->class_level);
  append_level (text, ",", recipe->level);
  append_level (text, ",", recipe->level);
  append_level (text, " min-area=", recipe->min_area);
  /* a trigger has a few thousand points in many layers: a GPU takes longer to
   * begin with them than the CPU to end */
  g_string_append_printf (text, " ! cudahull source=contours measures=full "
      "backend=cpu n-threads=%u ! appsink name=sink sync=false "
      "enable-last-sample=false", n_threads);
  return g_string_free (text, FALSE);
}

LineFinder *
line_finder_new (const LineConfig * config, const LineGeometry * geometry,
    const LineRecipe * recipe, GError ** error)
{
  LineFinder *finder = g_new0 (LineFinder, 1);
  g_autofree char *description = describe (config, geometry, recipe);

  finder->n_views = geometry->views;
  finder->size = (gsize) geometry->views * geometry->rows * geometry->columns
      * recipe->n_classes * sizeof (gfloat);
  finder->pipeline = gst_parse_launch_full (description, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (!finder->pipeline) {
    g_prefix_error (error, "GStreamer cannot make the elements (is "
        "GST_PLUGIN_PATH set to the folder of this project's plugin?): ");
    g_free (finder);
    return NULL;
  }
  finder->source = gst_bin_get_by_name (GST_BIN (finder->pipeline), "source");
  finder->sink = gst_bin_get_by_name (GST_BIN (finder->pipeline), "sink");
  count_finders (1);
  g_autoptr (GstBus) bus = gst_element_get_bus (finder->pipeline);
  gst_bus_set_sync_handler (bus, answer, NULL, NULL);
  gst_element_set_state (finder->pipeline, GST_STATE_PLAYING);
  return finder;
}

void
line_finder_free (LineFinder * finder)
{
  gst_element_set_state (finder->pipeline, GST_STATE_NULL);
  gst_object_unref (finder->source);
  gst_object_unref (finder->sink);
  gst_object_unref (finder->pipeline);
  g_free (finder);
  count_finders (-1);
}

gsize
line_finder_get_size (const LineFinder * finder)
{
  return finder->size;
}

/* Blocks */

static gpointer
take_memory (gpointer user_data, gsize size, gpointer * data)
{
  GstMemory *memory = gst_allocator_alloc (user_data, size, NULL);
  GstMapInfo map;

  if (!memory)
    return NULL;
  if (!gst_memory_map (memory, &map, GST_MAP_READWRITE)) {
    gst_memory_unref (memory);
    return NULL;
  }
  /* it stays where it is */
  gst_memory_unmap (memory, &map);
  *data = map.data;
  return memory;
}

static void
drop_memory (gpointer handle)
{
  gst_memory_unref (handle);
}

/* (transfer full) (nullable): an allocator of memory that the GPU reads without
 * a copy. */
static GstAllocator *
ask_for_allocator (LineFinder * finder)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (finder->source, "src");
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstQuery *query = caps ? gst_query_new_allocation (caps, FALSE) : NULL;
  GstAllocator *allocator = NULL;

  if (query && gst_pad_peer_query (pad, query)
      && gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, NULL);
  if (allocator && g_strcmp0 (allocator->mem_type,
          GST_SHAPES_PINNED_MEMORY_TYPE) != 0)
    g_clear_pointer (&allocator, gst_object_unref);
  if (query)
    gst_query_unref (query);
  if (caps)
    gst_caps_unref (caps);
  return allocator;
}

LineBlocks *
line_finder_make_blocks (LineFinder * finder, guint most)
{
  const LineBlockMemory memory = {
    take_memory, drop_memory, ask_for_allocator (finder), gst_object_unref
  };

  return line_blocks_new (finder->size, most, memory.user_data ? &memory :
      NULL);
}

/* Takes @block: it is given back when nobody uses the buffer's memory any
 * more. */
static GstBuffer *
make_buffer (const LineFinder * finder, gpointer block)
{
  const gsize size = finder->size;
  gsize offset;
  GstMemory *memory = line_block_get_handle (block, &offset);

  if (!memory)
    return gst_buffer_new_wrapped_full (0, block, size, 0, size, block,
        line_block_give);
  memory = gst_memory_share (memory, offset, size);
  gst_mini_object_set_qdata (GST_MINI_OBJECT (memory),
      g_quark_from_static_string ("line-block"), block, line_block_give);
  GstBuffer *buffer = gst_buffer_new ();
  gst_buffer_append_memory (buffer, memory);
  return buffer;
}

gboolean
line_finder_run (LineFinder * finder, gpointer tensors, LineView * views,
    GError ** error)
{
  GstBuffer *buffer = make_buffer (finder, tensors);

  gst_app_src_push_buffer (GST_APP_SRC (finder->source), buffer);
  GstSample *sample = line_shapes_wait (finder->pipeline, finder->sink, error);
  if (!sample) {
    unshare (finder);
    return FALSE;
  }
  GstShapeSet *set = gst_buffer_get_shape_set (gst_sample_get_buffer (sample));
  gboolean good = set && line_shapes_read (set, finder->n_views, views);
  if (!good)
    line_fail (error, LINE_ERROR_RUN, "there is not enough memory for a "
        "trigger's shapes");
  gst_sample_unref (sample);
  return good;
}
