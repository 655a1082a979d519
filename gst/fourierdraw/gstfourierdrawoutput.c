/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawoutput.h"

#include "element/gstshapesmessage.h"
#include "cuda/gstshapescompat.h"
#ifdef HAVE_GSTCUDA
#include <gst/cuda/gstcudabufferpool.h>
#endif

/* Caps */

/* The intersection of @caps with @wish, unless it is empty. Takes both. */
static GstCaps *
prefer (GstCaps * caps, GstCaps * wish)
{
  GstCaps *common;

  gst_caps_set_features_simple (wish, gst_caps_features_new_any ());
  common = gst_caps_intersect_full (caps, wish, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (wish);
  if (gst_caps_is_empty (common)) {
    gst_caps_unref (common);
    return caps;
  }
  gst_caps_unref (caps);
  return common;
}

static gboolean
has_cuda_memory (const GstCaps * caps, guint index)
{
#ifdef HAVE_GSTCUDA
  const GstCapsFeatures *features = gst_caps_get_features (caps, index);

  return features && gst_caps_features_contains (features,
      GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY);
#else
  return FALSE;
#endif
}

/* The caps that downstream accepts, those in the memory it names first at the
 * front. @on_cuda: whether the backend is cuda */
static GstCaps *
get_allowed_caps (GstPad * srcpad, gboolean on_cuda)
{
  g_autoptr (GstCaps) template = gst_pad_get_pad_template_caps (srcpad);
  g_autoptr (GstCaps) peer = gst_pad_peer_query_caps (srcpad, NULL);
  const gboolean asks = !gst_caps_is_any (peer) && !gst_caps_is_empty (peer) &&
      has_cuda_memory (peer, 0);
  g_autoptr (GstCaps) caps = gst_caps_intersect_full (peer, template,
      GST_CAPS_INTERSECT_FIRST);
  GstCaps *first = gst_caps_new_empty (), *second = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const gboolean cuda = has_cuda_memory (caps, i);

    if (cuda && !on_cuda)
      continue;
    gst_caps_append_structure_full (cuda == asks ? first : second,
        gst_structure_copy (gst_caps_get_structure (caps, i)),
        gst_caps_features_copy (gst_caps_get_features (caps, i)));
  }
  gst_caps_append (first, second);
  return first;
}

static void
fixate_rate (const GstVideoInfo * info, gboolean live, gboolean still,
    GstStructure * structure)
{
  gint fps_n = info->fps_n, fps_d = info->fps_d;

  if (live) {
    gst_structure_set (structure, "framerate", GST_TYPE_FRACTION, fps_n, fps_d,
        NULL);
    return;
  }
  if (still) {
    fps_n = 0;
    fps_d = 1;
  } else if (fps_n <= 0) {
    fps_n = FOURIER_FPS_N;
    fps_d = FOURIER_FPS_D;
  }
  gst_structure_fixate_field_nearest_fraction (structure, "framerate", fps_n,
      fps_d);
}

static void
fixate_size (const GstVideoInfo * info, GstStructure * structure)
{
  gint width = info->width;

  gst_structure_fixate_field_nearest_int (structure, "width", width);
  gst_structure_get_int (structure, "width", &width);
  gst_structure_fixate_field_nearest_int (structure, "height",
      MAX (1, gst_util_uint64_scale_round (info->height, width, info->width)));
  if (gst_structure_has_field (structure, "pixel-aspect-ratio"))
    gst_structure_fixate_field_nearest_fraction (structure,
        "pixel-aspect-ratio", info->par_n, info->par_d);
  else
    gst_structure_set (structure, "pixel-aspect-ratio", GST_TYPE_FRACTION,
        info->par_n, info->par_d, NULL);
}

/* The same format keeps its colorimetry. */
static void
keep_colors (const GstVideoInfo * info, GstCaps * caps)
{
  GstStructure *structure = gst_caps_get_structure (caps, 0);

  if (g_strcmp0 (gst_structure_get_string (structure, "format"),
          gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (info))) != 0 ||
      gst_structure_has_field (structure, "colorimetry"))
    return;
  gchar *colorimetry = gst_video_colorimetry_to_string (&info->colorimetry);
  if (colorimetry)
    gst_structure_set (structure, "colorimetry", G_TYPE_STRING, colorimetry,
        NULL);
  g_free (colorimetry);
}

/* @caps: (transfer full) */
static GstCaps *
fixate (const GstVideoInfo * info, gboolean live, gboolean still,
    GstCaps * caps)
{
  caps = gst_caps_make_writable (gst_caps_truncate (caps));
  GstStructure *structure = gst_caps_get_structure (caps, 0);
  fixate_rate (info, live, still, structure);
  fixate_size (info, structure);
  caps = gst_caps_fixate (caps);
  keep_colors (info, caps);
  return caps;
}

/* Chooses the caps nearest to the picture's that downstream accepts; CUDA
 * memory only if downstream names it first.
 *
 * @srcpad: the element's source pad
 * @info: of the picture
 * @live: whether there is a frame for each picture, at the same rate
 * @still: whether there is no frame rate
 * @context: (nullable): the GstCudaContext, %NULL on the CPU
 * Returns: (transfer full) (nullable): fixed caps */
static GstCaps *
fourier_choose_caps (GstPad * srcpad, const GstVideoInfo * info,
    CsBackground background, gboolean live, gboolean still, gpointer context)
{
  GstCaps *caps = get_allowed_caps (srcpad, context != NULL), *wish;

  if (background == CS_BACKGROUND_TRANSPARENT)
    caps = prefer (caps, gst_caps_from_string ("video/x-raw, "
            "format = (string) { RGBA, BGRA, ARGB, ABGR }"));
  wish = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (info)), NULL);
  if (background == CS_BACKGROUND_FRAME)
    gst_caps_set_simple (wish, "width", G_TYPE_INT, info->width, "height",
        G_TYPE_INT, info->height, NULL);
  caps = prefer (caps, wish);
  if (gst_caps_is_empty (caps)) {
    gst_caps_unref (caps);
    return NULL;
  }
  return fixate (info, live, still, caps);
}

/* Pools */

/* Where frames of system memory are allocated: what downstream wants, or, with
 * @slabs, page-locked memory, for a GPU to write. */
static void
config_allocator (GstStructure * config, GstQuery * query,
    GstShapesSlabPool * slabs)
{
  GstAllocator *allocator = NULL;
  GstAllocationParams params;

  gst_allocation_params_init (&params);
  if (gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, &params);
  if (slabs && (!allocator || !g_strcmp0 (allocator->mem_type,
              GST_ALLOCATOR_SYSMEM))) {
    gst_clear_object (&allocator);
    allocator = gst_shapes_slab_pool_new_pinned_allocator (slabs);
  }
  gst_buffer_pool_config_set_allocator (config, allocator, &params);
  gst_clear_object (&allocator);
}

static gboolean
config_pool (GstBufferPool * pool, GstCaps * caps, GstQuery * query,
    GstShapesSlabPool * slabs, guint size, guint min, guint max)
{
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_set_params (config, caps, size, min, max);
  if (!has_cuda_memory (caps, 0))
    config_allocator (config, query, slabs);
  if (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL))
    gst_buffer_pool_config_add_option (config,
        GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_shapes_cuda_pool_add_stream (pool, config);
  if (gst_buffer_pool_set_config (pool, config))
    return TRUE;
  config = gst_buffer_pool_get_config (pool);
  if (gst_buffer_pool_config_validate_params (config, caps, size, min, max))
    return gst_buffer_pool_set_config (pool, config);
  gst_structure_free (config);
  return FALSE;
}

static GstBufferPool *
make_pool (const GstCaps * caps, gpointer context)
{
#ifdef HAVE_GSTCUDA
  if (has_cuda_memory (caps, 0))
    return gst_cuda_buffer_pool_new (context);
#endif
  return gst_video_buffer_pool_new ();
}

static gboolean
is_usable (const GstCaps * caps, GstBufferPool * pool)
{
#ifdef HAVE_GSTCUDA
  if (has_cuda_memory (caps, 0))
    return GST_IS_CUDA_BUFFER_POOL (pool);
#endif
  return TRUE;
}

/* Returns: (transfer full) (nullable): an active pool of frames of @caps
 *
 * @info: of @caps
 * @compute: where frames are painted */
static GstBufferPool *
fourier_choose_pool (GstPad * srcpad, GstCaps * caps,
    const GstVideoInfo * info, const GstShapesCompute * compute)
{
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);
  guint size = GST_VIDEO_INFO_SIZE (info), min = 0, max = 0;
  GstBufferPool *pool = NULL;

  if (!gst_pad_peer_query (srcpad, query))
    GST_DEBUG_OBJECT (srcpad, "downstream does not answer");
  if (gst_query_get_n_allocation_pools (query) > 0) {
    guint wanted;

    gst_query_parse_nth_allocation_pool (query, 0, &pool, &wanted, &min, &max);
    size = MAX (size, wanted);
  }
  if (pool && (!is_usable (caps, pool) ||
          !config_pool (pool, caps, query, NULL, size, min, max)))
    gst_clear_object (&pool);
  if (!pool) {
    pool = make_pool (caps, compute->context);
    if (!config_pool (pool, caps, query, compute->context ? compute->slabs :
            NULL, size, min, 0))
      gst_clear_object (&pool);
  }
  if (pool && !gst_buffer_pool_set_active (pool, TRUE))
    gst_clear_object (&pool);
  return pool;
}

void
fourier_output_init (FourierOutput * output,
    GstElement * element, GstPad * srcpad, GstShapesCompute * compute)
{
  output->element = element;
  output->srcpad = srcpad;
  output->compute = compute;
}

void
fourier_output_clear_pool (FourierOutput * output)
{
  if (output->pool)
    gst_buffer_pool_set_active (output->pool, FALSE);
  gst_clear_object (&output->pool);
}

gboolean
fourier_output_needs_negotiation (FourierOutput * output)
{
  return gst_pad_check_reconfigure (output->srcpad) || !output->negotiated;
}

/* With background=frame, a frame is painted on the picture. */
static gboolean
check_background (FourierOutput * output, const GstVideoInfo * in,
    const FourierSettings * settings)
{
  const GstVideoInfo *out = &output->info;

  if (settings->background != CS_BACKGROUND_FRAME ||
      (GST_VIDEO_INFO_FORMAT (in) == GST_VIDEO_INFO_FORMAT (out) &&
          in->width == out->width && in->height == out->height))
    return TRUE;
  GST_SHAPES_ERROR (output->element, CORE, NEGOTIATION,
      "background=frame needs an output of the same format and size as the "
      "input: %s of %d x %d goes in, %s of %d x %d is wanted. Put videoconvert "
      "and videoscale upstream of fourierdraw.",
      gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (in)), in->width,
      in->height, gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (out)),
      out->width, out->height);
  return FALSE;
}

static gboolean
use_caps (FourierOutput * output, GstCaps * caps,
    const GstVideoInfo * picture, const FourierSettings * settings)
{
  GST_DEBUG_OBJECT (output->element, "caps %" GST_PTR_FORMAT, caps);
  if (!gst_video_info_from_caps (&output->info, caps) ||
      !check_background (output, picture, settings) ||
      !gst_pad_set_caps (output->srcpad, caps))
    return FALSE;
  if (settings->background == CS_BACKGROUND_TRANSPARENT)
    gst_shapes_check_alpha (output->element, &output->info,
        &output->warned_no_alpha);
  fourier_output_clear_pool (output);
  output->pool = fourier_choose_pool (output->srcpad, caps,
      &output->info, output->compute);
  if (!output->pool && !GST_PAD_IS_FLUSHING (output->srcpad))
    GST_SHAPES_ERROR (output->element, RESOURCE, NO_SPACE_LEFT,
        "Cannot draw: there is no memory for frames of %d x %d.",
        output->info.width, output->info.height);
  return output->pool != NULL;
}

static GstCaps *
choose_caps (const FourierOutput * output, const GstVideoInfo * picture,
    const FourierSettings * settings, gboolean live)
{
  return fourier_choose_caps (output->srcpad, picture, settings->background,
      live, settings->mode == FOURIER_MODE_STILL, output->compute->context);
}

GstFlowReturn
fourier_output_negotiate (FourierOutput * output, const GstVideoInfo * picture,
    const FourierSettings * settings, gboolean live)
{
  output->negotiated = FALSE;
  output->picture = *picture;
  GstCaps *caps = choose_caps (output, picture, settings, live);
  if (caps)
    output->negotiated = use_caps (output, caps, picture, settings);
  else
    GST_SHAPES_ERROR (output->element, CORE, NEGOTIATION,
        "Downstream accepts no format that fourierdraw makes. Put videoconvert "
        "downstream of it.");
  gst_clear_caps (&caps);
  if (output->negotiated)
    return GST_FLOW_OK;
  gst_pad_mark_reconfigure (output->srcpad);
  return GST_PAD_IS_FLUSHING (output->srcpad) ? GST_FLOW_FLUSHING :
      GST_FLOW_NOT_NEGOTIATED;
}

/* What the frames of pictures like @picture will be. */
static gboolean
foresee (const FourierOutput * output, const GstVideoInfo * picture,
    const FourierSettings * settings, GstVideoInfo * info)
{
  *info = output->info;
  if (output->negotiated && !gst_pad_needs_reconfigure (output->srcpad) &&
      gst_video_info_is_equal (&output->picture, picture))
    return TRUE;
  GstCaps *caps = choose_caps (output, picture, settings, FALSE);
  const gboolean known = caps && gst_video_info_from_caps (info, caps);
  gst_clear_caps (&caps);
  return known;
}

void
fourier_output_get_copy_size (const FourierOutput * output,
    const GstVideoInfo * picture, const FourierSettings * settings,
    guint * width, guint * height)
{
  gdouble scale = 1.;
  GstVideoInfo film;

  if (settings->detect_size > 0)
    scale = MIN (scale, (gdouble) settings->detect_size / MAX (picture->width,
            picture->height));
  if (settings->camera == FOURIER_CAMERA_FIT &&
      foresee (output, picture, settings, &film))
    scale = MIN (scale, MIN ((gdouble) film.width / picture->width,
            (gdouble) film.height / picture->height));
  *width = MAX (1, (guint) (picture->width * scale + .5));
  *height = MAX (1, (guint) (picture->height * scale + .5));
}

GstFlowReturn
fourier_output_acquire (FourierOutput * output, GstBuffer ** buffer)
{
  const GstFlowReturn flow = gst_buffer_pool_acquire_buffer (output->pool,
      buffer, NULL);

  if (flow == GST_FLOW_ERROR)
    GST_SHAPES_ERROR (output->element, RESOURCE, NO_SPACE_LEFT,
        "Cannot draw: there is no memory for a frame of %d x %d.",
        output->info.width, output->info.height);
  return flow;
}

void
fourier_output_push_segment (FourierOutput * output, const GstSegment * segment)
{
  if (!output->need_segment)
    return;
  output->need_segment = FALSE;
  GstEvent *event = gst_event_new_segment (segment);
  if (output->seqnum != GST_SEQNUM_INVALID)
    gst_event_set_seqnum (event, output->seqnum);
  gst_pad_push_event (output->srcpad, event);
}
