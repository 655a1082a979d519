/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the programs that test elements on a GPU share: skipping without one,
 * CUDA contexts, noise, and comparison with the CPU backend, bit for bit. */

#include <gst/video/video.h>

#include <gmodule.h>
#include <string.h>

#include "../lib/streams.h"
#include "cuda/gstshapescompat.h"
#include "cuda/gstshapesdevice.h"
#include "shapes/gstshapes.h"

#include <gst/cuda/cuda-gst.h>
#include <gst/cuda/gstcudabufferpool.h>
#include <stdio.h>
#include <unistd.h>

#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudautils.h>

/* What meson takes for "skipped". */
#define EXIT_SKIPPED 77

#define CUDA_CAPS "(memory:CUDAMemory)"
#define TENSOR_CAPS "other/tensors,format=static,num_tensors=1," \
  "framerate=0/1,"

/* One for all tests of a program: a context takes a third of a second. */
static GstCudaContext *test_context;

/* Runs @suite, or says why not and returns EXIT_SKIPPED. */
static inline int
run_gpu_suite (Suite * (*make_suite) (void), const gchar * name)
{
  const gchar *reason;

  if (gst_shapes_device_probe (&reason) == 0) {
    g_print ("%s: skipped: %s\n", name, reason);
    return EXIT_SKIPPED;
  }
  gst_cuda_memory_init_once ();
  test_context = gst_cuda_context_new (0);
  if (!test_context) {
    g_print ("%s: skipped: the GPU gives no CUDA context (%s)\n", name, reason);
    return EXIT_SKIPPED;
  }
  int failed = gst_check_run_suite (make_suite (), name, __FILE__);
  /* a test that failed has left its pipeline running: nothing can be freed */
  if (failed) {
    fflush (NULL);
    _exit (failed);
  }
  gst_clear_object (&test_context);
  return failed;
}

#define GPU_SUITE(name) SUITE_OF_MAIN (name, GPU_CHECK_MAIN)

#define GPU_CHECK_MAIN(name) \
int \
main (int argc, char **argv) \
{ \
  gst_check_init (&argc, &argv); \
  return run_gpu_suite (name ## _suite, "gpu-" #name); \
}

/* Bytes of the device's memory that are free, as the driver says; also counts
 * what other processes use. */
static inline gsize
free_device_memory (void)
{
  static int (*get_info) (size_t *, size_t *);
  size_t n_free = 0, n_total = 0;

  if (!get_info) {
    GModule *driver = g_module_open ("libcuda.so.1", G_MODULE_BIND_LAZY);

    fail_unless (driver && g_module_symbol (driver, "cuMemGetInfo_v2",
            (gpointer *) & get_info));
    g_module_make_resident (driver);
  }
  fail_unless (gst_cuda_context_push (test_context));
  fail_unless_equals_int (get_info (&n_free, &n_total), 0);
  gst_cuda_context_pop (NULL);
  return n_free;
}

/* A context as an application makes one, with the driver's own functions; not
 * current. */
static inline CUcontext
application_context_new (void)
{
  CUcontext context = NULL;
  CUdevice device = 0;

  fail_unless_equals_int (CuDeviceGet (&device, 0), CUDA_SUCCESS);
  fail_unless_equals_int (CuCtxCreate (&context, 0, device), CUDA_SUCCESS);
  fail_unless_equals_int (CuCtxPopCurrent (NULL), CUDA_SUCCESS);
  return context;
}

/* Harnesses */

/* Runs @line, whose elements use @context unless it is %NULL. */
static inline GstHarness *
harness_on (GstCudaContext * context, const gchar * line)
{
  static GstStaticPadTemplate src = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC,
      GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
  static GstStaticPadTemplate sink = GST_STATIC_PAD_TEMPLATE ("sink",
      GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
  GstHarness *h = gst_harness_new_empty ();
  GError *error = NULL;
  GstElement *bin = gst_parse_bin_from_description (line, TRUE, &error);

  fail_unless (bin != NULL, "%s: %s", line, error ? error->message : "");
  gst_object_ref_sink (bin);
  if (context) {
    g_autoptr (GstContext) shared = gst_context_new_cuda_context (context);

    gst_element_set_context (bin, shared);
  }
  gst_harness_add_element_full (h, bin, &src, "sink", &sink, "src");
  gst_object_unref (bin);
  return h;
}

static inline GstHarness *
contours_on (GstCudaContext * context, const gchar * properties)
{
  g_autofree gchar *line = g_strdup_printf ("cudacontours name=c backend=%s %s",
      context ? "cuda" : "cpu", properties);

  return harness_on (context, line);
}

static inline GstElement *
find_contours (GstHarness * h)
{
  GstElement *element = gst_harness_find_element (h, "cudacontours");

  fail_unless (element != NULL);
  return element;
}

/* A reference to the set of @buffer (transfer none) after @h. */
static inline GstShapeSet *
set_of (GstHarness * h, GstBuffer * buffer)
{
  g_autoptr (GstBuffer) out = run (h, gst_buffer_ref (buffer));
  GstShapeSet *set = gst_buffer_get_shape_set (out);

  fail_unless (set != NULL);
  gst_shape_set_ref (set);
  return set;
}

/* The one error on @bus. */
static inline void
assert_error (GstBus * bus, GQuark domain, gint code)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  fail_unless (message != NULL, "no error");
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, domain, code), "%s", error->message);
  g_print ("  as it should: %s\n", error->message);
  gst_message_unref (message);
}

/* Comparison */

#define ASSERT_SAME_BYTES(a, b, n, what) \
  fail_unless (((a) != NULL) == ((b) != NULL) && \
      (!(a) || (n) == 0 || memcmp ((a), (b), (n) * sizeof (*(a))) == 0), \
      "%s: layer %u differs in its " #a, what, layer)

static inline void
assert_same_arrays (const GstShapeArrays * a, const GstShapeArrays * b,
    guint layer, const gchar * what)
{
  const GstShapePoint *points = a->points;
  const guint32 *offsets = a->offsets;
  const GstShapePolyline *records = a->polylines;
  const GstShapeMoments *moments = a->moments;
  const GstShapeAnnotation *annotations = a->annotations;

  fail_unless (a->n_shapes == b->n_shapes && a->n_points == b->n_points,
      "%s: layer %u has %u contours of %u points, not %u of %u", what, layer,
      (guint) a->n_shapes, (guint) a->n_points, (guint) b->n_shapes,
      (guint) b->n_points);
  if (a->n_shapes == 0)
    return;
  ASSERT_SAME_BYTES (offsets, b->offsets, a->n_shapes + 1, what);
  ASSERT_SAME_BYTES (points, b->points, a->n_points, what);
  ASSERT_SAME_BYTES (records, b->polylines, a->n_shapes, what);
  ASSERT_SAME_BYTES (moments, b->moments, a->n_shapes, what);
  ASSERT_SAME_BYTES (annotations, b->annotations, a->n_shapes, what);
}

static inline void
assert_same_sets (GstShapeSet * a, GstShapeSet * b, const gchar * what)
{
  const guint n = gst_shape_set_get_n_layers (b);

  fail_unless_equals_int (gst_shape_set_get_width (a),
      gst_shape_set_get_width (b));
  fail_unless_equals_int (gst_shape_set_get_height (a),
      gst_shape_set_get_height (b));
  fail_unless_equals_int (gst_shape_set_get_n_layers (a), n);
  for (guint i = 0; i < n; i++) {
    const GstShapeArrays *x =
        gst_shape_layer_map_host (gst_shape_set_get_layer (a, i), NULL);
    const GstShapeArrays *y =
        gst_shape_layer_map_host (gst_shape_set_get_layer (b, i), NULL);

    fail_unless (x != NULL && y != NULL, "%s: layer %u", what, i);
    assert_same_arrays (x, y, i, what);
  }
}

static inline gsize
n_contours (GstShapeSet * set)
{
  gsize n = 0;

  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++)
    n += gst_shape_layer_get_n_shapes (gst_shape_set_get_layer (set, i));
  return n;
}

/* The set of @buffer in a fresh element. */
static inline GstShapeSet *
contours_of (GstCudaContext * context, const gchar * properties,
    const gchar * caps, GstBuffer * buffer)
{
  g_autoptr (GstHarness) h = contours_on (context, properties);

  gst_harness_set_src_caps_str (h, caps);
  return set_of (h, buffer);
}

/* Both backends find the same in @buffer. Returns how many contours. */
static inline gsize
assert_backends_agree (const gchar * properties, const gchar * caps,
    GstBuffer * buffer)
{
  g_autoptr (GstShapeSet) cpu = contours_of (NULL, properties, caps, buffer);
  GstShapeSet *cuda = contours_of (test_context, properties, caps, buffer);
  g_autofree gchar *what = g_strconcat (caps, " ", properties, NULL);
  const gsize n = n_contours (cpu);

  assert_same_sets (cuda, cpu, what);
  gst_shape_set_unref (cuda);
  return n;
}

/* Pictures */

/* Noise that is smooth enough for contours of some length: random bytes, each
 * drawn towards the one before. */
static inline void
fill_noise (guint8 * data, gsize n, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  guint last = 128;

  for (gsize i = 0; i < n; i++) {
    last = (2 * last + g_rand_int_range (rand, 0, 256)) / 3;
    data[i] = last;
  }
}

static inline GstBuffer *
noise_buffer (gsize size, guint32 seed)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  fill_noise (map.data, map.size, seed);
  return buffer;
}

static inline GstBuffer *
video_noise (const gchar * caps, guint32 seed)
{
  g_autoptr (GstCaps) parsed = gst_caps_from_string (caps);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, parsed), "%s", caps);
  return noise_buffer (GST_VIDEO_INFO_SIZE (&info), seed);
}

static inline gchar *
video_caps (const gchar * features, const gchar * format, guint width,
    guint height)
{
  return g_strdup_printf ("video/x-raw%s,format=%s,width=%u,height=%u,"
      "framerate=0/1", features, format, width, height);
}

/* @frame, described by @caps, in CUDA memory of @context: written on the host,
 * to be uploaded by the first reader on the GPU. */
static inline GstBuffer *
in_cuda_memory (GstCudaContext * context, const gchar * caps,
    GstBuffer * buffer)
{
  g_autoptr (GstBufferPool) pool = gst_cuda_buffer_pool_new (context);
  GstStructure *config = gst_buffer_pool_get_config (pool);
  g_autoptr (GstCaps) parsed = gst_caps_from_string (caps);
  GstVideoFrame from, to;
  GstBuffer *out = NULL;
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, parsed), "%s", caps);
  gst_buffer_pool_config_set_params (config, parsed, GST_VIDEO_INFO_SIZE
      (&info), 1, 0);
  gst_buffer_pool_config_add_option (config,
      GST_BUFFER_POOL_OPTION_VIDEO_META);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &out, NULL),
      GST_FLOW_OK);
  fail_unless (gst_video_frame_map (&from, &info, buffer, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to, &info, out, GST_MAP_WRITE));
  fail_unless (gst_video_frame_copy (&to, &from));
  gst_video_frame_unmap (&to);
  gst_video_frame_unmap (&from);
  gst_buffer_pool_set_active (pool, FALSE);
  return out;
}

/* Memory of the allocator that @h proposes upstream. */
static inline GstMemory *
pinned_memory_of (GstHarness * h, const gchar * caps, gsize size)
{
  g_autoptr (GstCaps) parsed = gst_caps_from_string (caps);
  g_autoptr (GstQuery) query = gst_query_new_allocation (parsed, FALSE);
  g_autoptr (GstAllocator) allocator = NULL;
  GstAllocationParams params;

  fail_unless (gst_pad_peer_query (h->srcpad, query));
  fail_unless (gst_query_get_n_allocation_params (query) > 0);
  gst_query_parse_nth_allocation_param (query, 0, &allocator, &params);
  GstMemory *memory = gst_allocator_alloc (allocator, size, &params);
  fail_unless (gst_is_shapes_pinned_memory (memory));
  return memory;
}

/* A copy of @buffer in such memory. */
static inline GstBuffer *
in_pinned_memory (GstHarness * h, const gchar * caps, GstBuffer * buffer)
{
  GstMemory *memory = pinned_memory_of (h, caps, gst_buffer_get_size (buffer));
  GstBuffer *pinned = gst_buffer_new ();
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  gst_buffer_extract (buffer, 0, map.data, map.size);
  gst_memory_unmap (memory, &map);
  gst_buffer_append_memory (pinned, memory);
  return pinned;
}

/* Describes @buffer, which holds a dense frame of this size, so that caps of a
 * smaller one mean its upper left part: with padded strides. */
static inline void
add_large_meta (GstBuffer * buffer, GstVideoFormat format, guint width,
    guint height)
{
  GstVideoInfo large;

  gst_video_info_set_format (&large, format, width, height);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, format,
      width, height, GST_VIDEO_INFO_N_PLANES (&large), large.offset,
      large.stride);
}

/* Reading a device */

/* Copies @n bytes of the device's memory; @context is the memory's. */
static inline void
copy_from_device (GstCudaContext * context, gpointer to, gconstpointer from,
    gsize n)
{
  CUDA_MEMCPY2D copy = { 0, };

  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = (CUdeviceptr) (guintptr) from;
  copy.srcPitch = n;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = to;
  copy.dstPitch = n;
  copy.WidthInBytes = n;
  copy.Height = 1;
  fail_unless (gst_cuda_context_push (context));
  fail_unless_equals_int (CuMemcpy2D (&copy), CUDA_SUCCESS);
  gst_cuda_context_pop (NULL);
}

/* Downstream that reads shapes on the GPU, as cudahull does. */
static inline void
pretend_to_read_on_the_device (GstHarness * h)
{
  GstStructure *params = gst_structure_new (GST_SHAPE_META_PARAMS_NAME,
      "device-capable", G_TYPE_BOOLEAN, TRUE, NULL);

  gst_harness_add_propose_allocation_meta (h, GST_SHAPE_META_API_TYPE, params);
  gst_structure_free (params);
}
