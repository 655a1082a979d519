/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-cudallf
 * @title: cudallf
 * @short_description: enhances or smooths detail, compresses tone
 *
 * The local Laplacian filter of Paris, Hasinoff and Kautz: enhances or smooths
 * detail, and compresses or expands the range of tones, without halos along
 * edges. Uses a GPU if there is one, else the CPU.
 *
 * Every pixel is compared with its neighbourhood on all scales. Differences
 * below #cudallf:sigma are detail, controlled by #cudallf:alpha; larger ones
 * are edges, controlled by #cudallf:beta. #cudallf:amount is the strength of
 * the effect.
 *
 * Each frame is filtered independently, without latency, and regardless of its
 * darkest and brightest pixels, so that nothing flickers. If the filter is the
 * identity (an amount of 0, or alpha and beta both 1), frames pass through
 * untouched.
 *
 * ## Colour
 *
 * The luma of YUV is filtered, in the range of the caps; its chroma is kept or
 * scaled (#cudallf:chroma). For RGB the luma is computed with the matrix of the
 * caps' colorimetry, and R, G and B are scaled with it. Alpha is unchanged.
 * With #cudallf:color-mode rgb-distance detail and edges are told apart by the
 * distance of two colours in RGB, and R, G and B are filtered each.
 *
 * ## HDR
 *
 * With #cudallf:hdr, and the preset ToneMap, video of 16 bits or a tensor of
 * linear light is tone-mapped: the logarithm of its intensity is filtered, and
 * scaled to a #cudallf:hdr-contrast that can be shown, with the colours as they
 * were, converted from the primaries of the caps to those of sRGB.
 *
 * ## While playing
 *
 * #cudallf:amount, #cudallf:pyramid-levels, #cudallf:level-weights,
 * #cudallf:tone-guard and #cudallf:chroma take effect with the next frame. The
 * other properties need another table, which takes some tenths of a second to
 * compute unless the process has it already, or it is one of the defaults or a
 * preset: with a live source frames use the old one until it is ready, and pass
 * unfiltered if there is none; otherwise the next frame waits for it, so that
 * the output is reproducible.
 *
 * ## Parts of the frame
 *
 * #cudallf:split shows before and after beside each other; the mouse moves it.
 * #cudallf:region, #cudallf:mask and #cudallf:shapes filter only in rectangles,
 * where a picture is not black, or inside of the contours that
 * #element-cudacontours has found. Several of them: only where all agree.
 *
 * ## Black and white
 *
 * With #cudallf:tone-guard the effect fades towards black and white, so that
 * shadows are not blocked, and black is not lifted.
 *
 * ## Presets
 *
 * Detail, CleanDetail, Clarity, Smooth, Compress and ToneMap, for
 * gst_preset_load_preset() or `@preset=Clarity` in a launch line.
 *
 * ## Example launch lines
 *
 * |[
 * gst-launch-1.0 filesrc location=fruits.jpg ! jpegdec ! videoconvert ! cudallf @preset=Detail ! videoconvert ! jpegenc ! filesink location=detail.jpg
 * ]| Enhances the detail of a photograph.
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! queue leaky=downstream max-size-buffers=1 ! cudallf sigma=0.3 alpha=0.7 ! videoconvert ! autovideosink
 * ]| Local contrast for a camera; late frames are dropped in the queue.
 * |[
 * gst-launch-1.0 videotestsrc ! cudallf curve=power sigma=0.1 alpha=0.25 level-weights="<0.0, 0.5>" ! videoconvert ! autovideosink
 * ]| A stronger effect that does not amplify fine grain.
 * |[
 * gst-launch-1.0 filesrc location=room.exr ! openexrdec ! cudallf @preset=ToneMap ! videoconvert ! jpegenc ! filesink location=room.jpg
 * ]| Tone mapping of an OpenEXR picture.
 *
 * Since: 1.0
 */

#include <gst/video/navigation.h>
#include <gst/video/video.h>

#include "element/gstshapestransform.h"
#include "gstcudallfarea.h"
#include "gstcudallfhdr.h"
#include "gstcudallfsettings.h"
#include "gstcudallftables.h"
#include "cuda/gstshapescudacaps.h"
#include "element/gstshapesframe.h"
#include "element/gstshapesmessage.h"
#include "element/gstshapesnegotiation.h"
#include "element/gstshapesoutput.h"
#include "llf/llf_colour.h"

#define GST_TYPE_CUDA_LLF (gst_cuda_llf_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaLlf, gst_cuda_llf, GST, CUDA_LLF,
    GstShapesTransform)

GST_DEBUG_CATEGORY_STATIC (llf_debug);
#define GST_CAT_DEFAULT llf_debug

/* Samples of more than 8 bits are read in native endianness. */
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define DEEP_FORMATS ", P010_10LE, I420_10LE, GRAY16_LE"
#define DEEP_CUDA_FORMATS ", P010_10LE, I420_10LE"
#else
#define DEEP_FORMATS ""
#define DEEP_CUDA_FORMATS ""
#endif

#define FORMATS "{ NV12, NV21, I420, YV12, Y42B, Y444, YUY2, UYVY, RGBA, " \
    "BGRA, ARGB, ABGR, RGBx, BGRx, xRGB, xBGR, RGB, BGR, GRAY8" DEEP_FORMATS \
    " }"
/* The subset that every version of libgstcuda supports. */
#define CUDA_FORMATS "{ NV12, NV21, I420, YV12, Y42B, Y444, RGBA, BGRA, " \
    "RGBx, BGRx, RGB, BGR" DEEP_CUDA_FORMATS " }"

/* With color-remapping=rgb-distance. */
#define DISTANCE_CAPS \
    GST_SHAPES_CUDA_CAPS ("{ RGBA, BGRA, RGBx, BGRx, RGB, BGR }") \
    GST_VIDEO_CAPS_MAKE ("{ RGBA, BGRA, ARGB, ABGR, RGBx, BGRx, xRGB, xBGR, " \
    "RGB, BGR }")

#define TEMPLATE_CAPS \
    GST_SHAPES_CUDA_CAPS (CUDA_FORMATS) \
    GST_VIDEO_CAPS_MAKE (FORMATS)

/* Prefix of errors. */
#define CANNOT "Cannot filter a frame"

struct _GstCudaLlf
{
  GstShapesTransform parent;

  /* with the object lock */
  LlfSettings settings;
  gboolean table_changed, area_changed;
  guint frame_width;
  gboolean is_dragging;

  /* streaming thread: derived from caps and settings; with HDR @info is of the
   * output and @form what is filtered */
  gboolean is_hdr;
  LlfHdrFormat hdr_format;
  CsLlfHdr *hdr;
  GstVideoInfo info;
  CsPicture form;
  LlfSettings now;       /* without texts, which are in the area */
  LlfArea *area;
  LlfTables *tables;
  CsLlfTable *table;
  /* whether the table of these caps is not ready: frames pass unfiltered */
  gboolean is_waiting, has_posted_waiting;
  CsLlfColour *plan;

  /* output for frames that are not writable, or slow to write */
  GstShapesOutput own;
  /* the frame from prepare_output_buffer() on; borrowed, and NULL if there is
   * nothing to do in place */
  GstBuffer *input, *output;
};

#define gst_cuda_llf_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstCudaLlf, gst_cuda_llf, GST_TYPE_SHAPES_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (llf_debug, "cudallf", 0,
        "local Laplacian filter"));
GST_ELEMENT_REGISTER_DECLARE (cudallf);
GST_ELEMENT_REGISTER_DEFINE (cudallf, "cudallf", GST_RANK_NONE,
    GST_TYPE_CUDA_LLF);

/* Properties */

static void
llf_settings_changed (gpointer self, guint affects)
{
  GST_CUDA_LLF (self)->table_changed |= (affects & LLF_TABLE) != 0;
  GST_CUDA_LLF (self)->area_changed |= (affects & LLF_AREA) != 0;
}

/* Snapshot of the properties for a frame. Whether another table is needed. */
static gboolean
take_settings (GstCudaLlf * self)
{
  const guint levels = self->now.levels;

  GST_OBJECT_LOCK (self);
  self->now = self->settings;
  const gboolean changed = self->table_changed;
  self->table_changed = FALSE;
  if (self->area_changed)
    llf_area_set (self->area, self->settings.region,
        self->settings.mask, self->settings.shapes);
  self->area_changed = FALSE;
  GST_OBJECT_UNLOCK (self);
  self->now.region = self->now.mask = NULL;
  self->now.table.depth = self->form.depth;
  self->now.table.limited_range = self->form.limited_range &&
      self->now.table.color_remapping == CS_LLF_LUMA;
  if (self->now.levels == 1 && levels != 1)
    GST_SHAPES_WARNING_FULL (self, LIBRARY, SETTINGS,
        ("pyramid-levels=1 changes nothing: set pyramid-levels=2 or more, or 0 "
            "for all."),
        ("the coarsest level is never changed"));
  return changed;
}

/* Tables */

static void
publish_table (GstCudaLlf * self, gdouble bound, guint rank)
{
  GST_OBJECT_LOCK (self);
  const gboolean bound_changed = self->settings.error_bound != bound;
  const gboolean rank_changed = self->settings.active_rank != rank;
  self->settings.error_bound = bound;
  self->settings.active_rank = rank;
  GST_OBJECT_UNLOCK (self);
  if (bound_changed)
    g_object_notify (G_OBJECT (self), "error-bound");
  if (rank_changed)
    g_object_notify (G_OBJECT (self), "active-rank");
}

/* Updates the published bound, which depends on the number of levels. */
static void
publish_bound (GstCudaLlf * self)
{
  guint levels = cs_llf_n_levels (self->form.width, self->form.height);

  if (self->now.levels > 0)
    levels = MIN (levels, self->now.levels);
  publish_table (self, cs_llf_table_get_error_bound (self->table, levels),
      cs_llf_table_get_rank (self->table));
}

/* Posts @error and frees it. Returns: %FALSE */
static gboolean
fail (GstCudaLlf * self, GError * error)
{
  gst_shapes_transform_post_error (GST_SHAPES_TRANSFORM (self), CANNOT, error);
  g_error_free (error);
  return FALSE;
}

/* Uses a table that is ready. */
static gboolean
update_table (GstCudaLlf * self, gboolean wait)
{
  GError *error = NULL;
  CsLlfTable *table = llf_tables_take (self->tables, wait, &error);

  if (error)
    return fail (self, error);
  if (!table)
    return TRUE;
  g_clear_pointer (&self->table, cs_llf_table_unref);
  self->table = table;
  self->is_waiting = FALSE;
  cs_llf_colour_set_table (self->plan, table);
  GST_DEBUG_OBJECT (self, "new table, rank %u", cs_llf_table_get_rank (table));
  return TRUE;
}

/* Before each frame: applies changed properties. */
static gboolean
update_settings (GstCudaLlf * self)
{
  const gboolean changed = take_settings (self);

  if (changed)
    llf_tables_request (self->tables, &self->now.table);
  /* frames of a live pipeline must not wait for a table */
  if (!update_table (self, changed &&
          !gst_shapes_is_live (GST_BASE_TRANSFORM_SINK_PAD (self))))
    return FALSE;
  if (!self->is_waiting)
    publish_bound (self);
  return TRUE;
}

/* Where the next frame is filtered. */
static gboolean
update_area (GstCudaLlf * self, GstBuffer * buffer)
{
  GError *error = NULL;

  return llf_area_update (self->area, &self->info, self->now.split, buffer,
      &error) || fail (self, error);
}

/* Requests the table of these caps. A live stream does not wait for it. */
static gboolean
prepare_table (GstCudaLlf * self)
{
  take_settings (self);
  llf_tables_request (self->tables, &self->now.table);
  self->is_waiting = TRUE;
  if (!update_table (self, FALSE))
    return FALSE;
  if (!self->is_waiting)
    return TRUE;
  if (!gst_shapes_is_live (GST_BASE_TRANSFORM_SINK_PAD (self)))
    return update_table (self, TRUE);
  if (!self->has_posted_waiting)
    GST_SHAPES_INFO_FULL (self, LIBRARY, SETTINGS,
        ("The table of these settings is being computed: frames of this live "
            "stream pass unfiltered until it is ready."),
        ("tables of the presets and the defaults take no time"));
  self->has_posted_waiting = TRUE;
  return TRUE;
}

static CsLlfSettings
get_frame_settings (const GstCudaLlf * self)
{
  const CsLlfSettings settings = {
    .amount = self->now.amount,
    .levels = self->now.levels,
    .weights = self->now.weights,
    .n_weights = self->now.n_weights,
    .tone_guard = self->now.tone_guard,
  };

  return settings;
}

/* Prepares the table and all memory before the first frame. The context is
 * current. */
static gboolean
prepare_plan (GstCudaLlf * self)
{
  GError *error = NULL;

  if (!prepare_table (self))
    return FALSE;
  if (!self->is_waiting)
    publish_bound (self);
  CsLlfSettings settings = get_frame_settings (self);
  return cs_llf_colour_warm_up (self->plan, &self->form, &settings, &error) ||
      fail (self, error);
}

static gboolean
has_distances (GstCudaLlf * self)
{
  GST_OBJECT_LOCK (self);
  gboolean has = self->settings.table.color_remapping == CS_LLF_RGB_DISTANCE;
  GST_OBJECT_UNLOCK (self);
  return has;
}

static LlfHdr
get_hdr (GstCudaLlf * self)
{
  GST_OBJECT_LOCK (self);
  LlfHdr hdr = self->settings.hdr;
  GST_OBJECT_UNLOCK (self);
  return hdr;
}

/* The other pad's caps are the same, and RGB for distances in RGB; or what HDR
 * becomes. */
static GstCaps *
llf_transform_caps (GstBaseTransform * trans,
    GstPadDirection direction, GstCaps * caps, GstCaps * filter)
{
  static GstStaticCaps distance_caps = GST_STATIC_CAPS (DISTANCE_CAPS);
  static GstStaticCaps all_caps = GST_STATIC_CAPS (TEMPLATE_CAPS);
  GstCudaLlf *self = GST_CUDA_LLF (trans);
  GstCaps *others;

  if (get_hdr (self)) {
    others = llf_hdr_transform_caps (direction, caps);
  } else {
    g_autoptr (GstCaps) known = gst_static_caps_get (has_distances (self) ?
        &distance_caps : &all_caps);

    others = gst_caps_intersect_full (caps, known, GST_CAPS_INTERSECT_FIRST);
  }
  if (filter) {
    g_autoptr (GstCaps) all = others;

    others = gst_caps_intersect_full (filter, all, GST_CAPS_INTERSECT_FIRST);
  }
  return others;
}

static gboolean
parse_hdr_caps (GstCudaLlf * self, GstCaps * incaps, GstCaps * outcaps)
{
  const LlfHdr hdr = get_hdr (self);
  LlfHdrFormat *format = &self->hdr_format;
  GError *error = NULL;

  if (!llf_hdr_format_init (format, incaps, outcaps, hdr, &error))
    return fail (self, error);
  self->info = format->output;
  self->form = cs_llf_hdr_get_plane (GST_VIDEO_INFO_WIDTH (&self->info),
      GST_VIDEO_INFO_HEIGHT (&self->info));
  const gchar *coding = llf_hdr_find_contradiction (format, hdr);
  if (coding)
    GST_SHAPES_WARNING_FULL (self, STREAM, FORMAT,
        ("The stream says that its coding is another one than \"hdr\"; if it "
            "is right, set hdr=%s.", coding), ("%" GST_PTR_FORMAT, incaps));
  return TRUE;
}

static gboolean
parse_caps (GstCudaLlf * self, GstCaps * incaps, GstCaps * outcaps)
{
  self->is_hdr = get_hdr (self) != LLF_HDR_NONE;
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), !self->is_hdr);
  if (self->is_hdr)
    return parse_hdr_caps (self, incaps, outcaps);
  if (gst_video_info_from_caps (&self->info, incaps) &&
      gst_shapes_picture_describe (&self->info, &self->form))
    return TRUE;
  GST_ERROR_OBJECT (self, "cannot make sense of caps %" GST_PTR_FORMAT, incaps);
  return FALSE;
}

static gboolean
llf_set_caps (GstBaseTransform * trans, GstCaps * incaps, GstCaps * outcaps)
{
  GstCudaLlf *self = GST_CUDA_LLF (trans);
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (trans);

  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->set_caps (trans, incaps,
          outcaps) || !parse_caps (self, incaps, outcaps))
    return FALSE;
  GST_OBJECT_LOCK (self);
  self->frame_width = GST_VIDEO_INFO_WIDTH (&self->info);
  GST_OBJECT_UNLOCK (self);
  gst_shapes_output_clear (&self->own);
  if (!gst_shapes_transform_begin (base, NULL))
    return FALSE;
  const gboolean ok = prepare_plan (self);
  gst_shapes_transform_end (base);
  return ok;
}

/* Backend */

/* Creates the plan with the current table, or the identity until there are
 * caps. */
static gboolean
llf_open (GstShapesTransform * base, GError ** error)
{
  GstCudaLlf *self = GST_CUDA_LLF (base);
  CsLlfParams params;

  if (get_hdr (self) && has_distances (self))
    return cs_error (error, CS_ERROR_INVALID, "HDR is filtered by intensity: "
        "set color-remapping=luma");
  if (!self->table) {
    cs_llf_params_init (&params);
    params.alpha = params.beta = 1;
    self->table = cs_llf_table_new (&params, error);
  }
  if (self->table)
    self->plan = cs_llf_colour_new (self->table, base->executor, error);
  self->hdr = cs_llf_hdr_new (base->executor);
  return self->plan != NULL;
}

static void
llf_close (GstShapesTransform * base)
{
  GstCudaLlf *self = GST_CUDA_LLF (base);

  g_clear_pointer (&self->plan, cs_llf_colour_free);
  g_clear_pointer (&self->hdr, cs_llf_hdr_free);
  gst_shapes_output_clear (&self->own);
}

static gboolean
llf_start (GstBaseTransform * trans)
{
  GstCudaLlf *self = GST_CUDA_LLF (trans);

  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->start (trans)) {
    /* stop() is not called after a failed start() */
    g_clear_pointer (&self->table, cs_llf_table_unref);
    return FALSE;
  }
  self->tables = llf_tables_new ();
  return TRUE;
}

static gboolean
llf_stop (GstBaseTransform * trans)
{
  GstCudaLlf *self = GST_CUDA_LLF (trans);
  const gboolean ok = GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);

  g_clear_pointer (&self->tables, llf_tables_free);
  g_clear_pointer (&self->table, cs_llf_table_unref);
  self->has_posted_waiting = FALSE;
  publish_table (self, LLF_UNKNOWN_BOUND, 0);
  return ok;
}

/* Frames in place, or in buffers of their own */

static gboolean
is_writable (GstBuffer * buffer)
{
  return gst_buffer_is_writable (buffer) &&
      gst_buffer_is_all_memory_writable (buffer);
}

/* Frames pass through if there is nothing to do, and are filtered in place if
 * they are writable, which is known only here, unless that is slower. */
static GstFlowReturn
llf_prepare_output_buffer (GstBaseTransform * trans,
    GstBuffer * input, GstBuffer ** output)
{
  GstCudaLlf *self = GST_CUDA_LLF (trans);
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (trans);

  *output = input;
  self->input = NULL;
  if (!update_settings (self))
    return GST_FLOW_ERROR;
  if (self->is_hdr) {
    if (!update_area (self, input))
      return GST_FLOW_ERROR;
    return GST_BASE_TRANSFORM_CLASS (parent_class)->prepare_output_buffer
        (trans, input, output);
  }
  /* Gaps pass through, too. */
  if (GST_BUFFER_FLAG_IS_SET (input, GST_BUFFER_FLAG_GAP) || self->is_waiting ||
      self->now.amount == 0 || cs_llf_table_is_identity (self->table))
    return GST_FLOW_OK;
  if (!update_area (self, input))
    return GST_FLOW_ERROR;
  self->input = input;
  /* Of YUV only the luma may change; then chroma would have to be copied. */
  if (is_writable (input) &&
      !(self->form.model != CS_PICTURE_YUV ||
          self->now.chroma == LLF_CHROMA_SCALE))
    return GST_FLOW_OK;
  return gst_shapes_output_choose (&self->own, base, &self->info, input,
      is_writable (input), output);
}

/* Frames */

/* The plan may be new: of the context that this frame came with. */
static void
set_weights (GstCudaLlf * self)
{
  guint64 version;
  const guint8 *weights = llf_area_get_weights (self->area, &version);

  cs_llf_colour_set_weights (self->plan, weights, version);
}

/* Filters @from into @to, which may be the same. */
static gboolean
filter (GstCudaLlf * self, GstShapesFrame * from, GstShapesFrame * to,
    GError ** error)
{
  const CsLlfSettings settings = get_frame_settings (self);
  const gboolean scale_chroma = self->now.chroma == LLF_CHROMA_SCALE;
  CsPicture input, output;

  if (!llf_get_picture (to, &output, error))
    return FALSE;
  input = output;
  if (from != to && !llf_get_picture (from, &input, error))
    return FALSE;
  return cs_llf_colour_run (self->plan, &input, &output, scale_chroma,
      &settings, error);
}

static gboolean
unmap_written (GstShapesFrame * frame, GError ** error)
{
  if (gst_shapes_frame_unmap (frame))
    return TRUE;
  if (error && !*error)
    g_set_error (error, CS_ERROR, CS_ERROR_DEVICE,
        "a frame in GPU memory could not be completed");
  return FALSE;
}

/* The context is current. */
static gboolean
filter_buffer (GstShapesTransform * base, GstBuffer * input, GError ** error)
{
  GstCudaLlf *self = GST_CUDA_LLF (base);
  /* Luma and chroma of one plane, which are taken apart on the host. */
  gpointer context = self->form.model == CS_PICTURE_YUV &&
      GST_VIDEO_INFO_N_PLANES (&self->info) == 1 ? NULL : base->context;
  GstShapesFrame from, to;
  gboolean ok;

  set_weights (self);
  if (!gst_shapes_frame_init_writable (&to, &self->info, self->output,
          context, base->stream, error))
    return FALSE;
  if (input == self->output) {
    ok = filter (self, &to, &to, error);
  } else {
    ok = gst_shapes_frame_init (&from, &self->info, input, context,
        base->stream, error);
    if (ok) {
      ok = filter (self, &from, &to, error);
      gst_shapes_frame_unmap (&from);
    }
  }
  return unmap_written (&to, error) && ok;
}

static GstFlowReturn
llf_transform_ip (GstBaseTransform * trans, GstBuffer * output)
{
  GstCudaLlf *self = GST_CUDA_LLF (trans);

  self->output = output;
  return self->input ? gst_shapes_transform_run (GST_SHAPES_TRANSFORM (trans),
      CANNOT, self->input, filter_buffer) : GST_FLOW_OK;
}

static gboolean
show_buffer (GstShapesTransform * base, GstBuffer * input, GError ** error)
{
  GstCudaLlf *self = GST_CUDA_LLF (base);
  const CsLlfSettings settings = get_frame_settings (self);

  set_weights (self);
  return llf_hdr_run (&self->hdr_format, &self->now, self->hdr,
      self->plan, &settings, input, self->output, error);
}

/* HDR, which is not in place. */
static GstFlowReturn
llf_transform (GstBaseTransform * trans, GstBuffer * input, GstBuffer * output)
{
  GST_CUDA_LLF (trans)->output = output;
  return gst_shapes_transform_run (GST_SHAPES_TRANSFORM (trans), CANNOT, input,
      show_buffer);
}

/* Tensors have no unit size: only that of the output is asked for. */
static gboolean
llf_transform_size (GstBaseTransform * trans, GstPadDirection direction,
    GstCaps * caps, gsize size, GstCaps * othercaps, gsize * othersize)
{
  if (!GST_CUDA_LLF (trans)->is_hdr)
    return GST_BASE_TRANSFORM_CLASS (parent_class)->transform_size (trans,
        direction, caps, size, othercaps, othersize);
  return gst_shapes_get_video_unit_size (trans, othercaps, othersize);
}

static gboolean
llf_sink_event (GstBaseTransform * trans, GstEvent * event)
{
  if (get_hdr (GST_CUDA_LLF (trans)))
    event = llf_hdr_convert_event (event);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

/* Navigation */

/* With the object lock. Returns: whether the split has moved */
static gboolean
drag (GstCudaLlf * self, GstEvent * event)
{
  gdouble x, y;
  gint button;

  switch (gst_navigation_event_get_type (event)) {
    case GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS:
      self->is_dragging = gst_navigation_event_parse_mouse_button_event (event,
          &button, &x, &y) && button == 1 && self->settings.split > 0.;
      break;
    case GST_NAVIGATION_EVENT_MOUSE_MOVE:
      if (!self->is_dragging ||
          !gst_navigation_event_parse_mouse_move_event (event, &x, &y))
        return FALSE;
      break;
    case GST_NAVIGATION_EVENT_MOUSE_BUTTON_RELEASE:
      self->is_dragging = FALSE;
      return FALSE;
    default:
      return FALSE;
  }
  /* 0 would be no split any more, and could not be moved */
  if (self->is_dragging)
    self->settings.split = CLAMP (x / MAX (self->frame_width, 1), .001, 1.);
  return self->is_dragging;
}

static gboolean
llf_src_event (GstBaseTransform * trans, GstEvent * event)
{
  GstCudaLlf *self = GST_CUDA_LLF (trans);
  gboolean moved = FALSE;

  if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION &&
      gst_event_get_structure (event)) {
    GST_OBJECT_LOCK (self);
    moved = drag (self, event);
    GST_OBJECT_UNLOCK (self);
  }
  if (moved)
    g_object_notify (G_OBJECT (self), "split");
  return GST_BASE_TRANSFORM_CLASS (parent_class)->src_event (trans, event);
}

/* Object */

static void
llf_finalize (GObject * object)
{
  GstCudaLlf *self = GST_CUDA_LLF (object);

  llf_area_free (self->area);
  gst_shapes_properties_clear (&llf_properties, &self->settings);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_cuda_llf_init (GstCudaLlf * self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);

  gst_shapes_properties_init (&llf_properties, &self->settings);
  self->area = llf_area_new ();
  gst_video_info_init (&self->info);
  gst_base_transform_set_in_place (trans, TRUE);
  gst_base_transform_set_gap_aware (trans, TRUE);
  gst_base_transform_set_qos_enabled (trans, TRUE);
}

static void
gst_cuda_llf_class_init (GstCudaLlfClass * klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstShapesTransformClass *shapes_class = GST_SHAPES_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = llf_finalize;
  gst_shapes_properties_bind (&llf_properties, G_OBJECT_CLASS (klass),
      G_STRUCT_OFFSET (GstCudaLlf, settings), llf_settings_changed);

  gst_shapes_element_class_describe (GST_ELEMENT_CLASS (klass),
      TEMPLATE_CAPS "; " LLF_HDR_CAPS, TEMPLATE_CAPS "; " LLF_SHOWN_CAPS,
      "Local Laplacian filter", "Filter/Effect/Video",
      "Enhances or smooths detail and compresses tone, without halos");

  trans_class->start = llf_start;
  trans_class->stop = llf_stop;
  trans_class->transform_caps = llf_transform_caps;
  trans_class->set_caps = llf_set_caps;
  trans_class->get_unit_size = gst_shapes_get_video_unit_size;
  trans_class->prepare_output_buffer = llf_prepare_output_buffer;
  trans_class->transform_size = llf_transform_size;
  trans_class->transform = llf_transform;
  trans_class->transform_ip = llf_transform_ip;
  trans_class->sink_event = llf_sink_event;
  trans_class->src_event = llf_src_event;
  shapes_class->open = llf_open;
  shapes_class->close = llf_close;
  shapes_class->passes_gaps = TRUE;
}
