/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-cudacircles
 * @title: cudacircles
 * @short_description: paints semi-transparent circles in exact depth order
 *
 * Paints circles on video, up to millions of them: of built-in scenes, of a
 * file, added by the application, in the #GstShapeMeta of frames, and markers
 * around contours and regions of interest. Uses a GPU if there is one, else
 * the CPU.
 *
 * The picture is the one that painting circle by circle would give, from the
 * farthest (largest z) to the nearest, circles of equal depth in their given
 * order: each pixel becomes a * colour + (1 - a) * pixel, in single precision,
 * and is rounded once, at the end. It is the same, bit for bit, on the GPU, on
 * the CPU, and with any number of threads.
 *
 * Coordinates are pixels, whose centres are at integers; with
 * #GstCudaCircles:units normalized they are 0 to 1 across the frame and radii
 * fractions of its smaller side, as those of scenes always are. Circles that
 * are not finite, have no radius, or lie outside are skipped and counted in
 * #GstCudaCircles:circles-left-out.
 *
 * Accepts system memory and CUDA memory and paints in place, or from ordinary
 * memory by way of the GPU into page-locked memory; a shared frame is
 * copied first. Frames on which nothing is painted pass through untouched.
 * Shapes are rescaled if they were found at another frame size.
 *
 * ## Example launch lines
 *
 * |[
 * gst-launch-1.0 videotestsrc pattern=black num-buffers=1 ! video/x-raw,format=RGBA,width=1024,height=1024 ! cudacircles scene=rand10k ! pngenc ! filesink location=rand10k.png
 * ]| Ten thousand circles as a picture.
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! cudacircles scene=snow ! videoconvert ! autovideosink
 * ]| Snow in the room.
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! video/x-raw,format=NV12 ! cudacontours level=0.4 min-area=50 ! cudacircles from-contours=enclosing fill=false stroke-width=3 marker-color=0xffd55e00 ! videoconvert ! autovideosink
 * ]| A ring around each bright region of a camera's picture.
 * |[
 * gst-launch-1.0 videotestsrc ! cudacircles location=circles.txt background=white ! videoconvert ! autovideosink
 * ]| The circles of a file; a line of it is `320 240 50 0 #ff000080`.
 * |[
 * gst-launch-1.0 videotestsrc pattern=black ! video/x-raw,format=RGBA ! cudacircles scene=snow gradient=snow ! videoconvert ! autovideosink
 * ]| Soft snowflakes.
 *
 * Since: 1.0
 */

#include <string.h>

#include "gstcudacirclesprivate.h"
#include "element/gstshapesfile.h"
#include "element/gstshapesmessage.h"
#include "element/gstshapesnegotiation.h"

GST_DEBUG_CATEGORY_STATIC (circles_debug);
#define GST_CAT_DEFAULT circles_debug

/* Prefix of errors. */
#define CANNOT "Cannot paint circles"

/* Some millions of circles, in bytes. */
#define MAX_FILE_SIZE ((gsize) 256 << 20)

enum
{
  SIGNAL_ADD_CIRCLE,
  SIGNAL_CLEAR_CIRCLES,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

#define gst_cuda_circles_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstCudaCircles, gst_cuda_circles,
    GST_TYPE_SHAPES_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (circles_debug, "cudacircles", 0,
        "paints circles"));
GST_ELEMENT_REGISTER_DECLARE (cudacircles);
GST_ELEMENT_REGISTER_DEFINE (cudacircles, "cudacircles", GST_RANK_NONE,
    GST_TYPE_CUDA_CIRCLES);

/* Properties and signals */

/* Wrong circles are told when there is a bus, so that those of a launch line,
 * which come before it, are told when the element starts. */
static void
tell_wrong_circles (GstCudaCircles * self)
{
  gchar problem[sizeof (self->settings.problem)];
  guint n_wrong = 0;

  GST_OBJECT_LOCK (self);
  if (GST_ELEMENT_BUS (self)) {
    n_wrong = self->settings.n_wrong;
    self->settings.n_wrong = 0;
    memcpy (problem, self->settings.problem, sizeof (problem));
  }
  GST_OBJECT_UNLOCK (self);
  if (n_wrong > 0)
    GST_SHAPES_WARNING (self, LIBRARY, SETTINGS,
        "%u of the circles are left out; %s. A circle is a structure with the "
        "numbers x, y and r, and if wanted z, vx, vy, color and gradient, such "
        "as [circle,x=320,y=240,r=50,color=(uint)0x80ff0000]; the first is "
        "circle 0.", n_wrong, problem);
}

static void
circles_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (object);

  GST_OBJECT_LOCK (self);
  if (gst_shapes_properties_set (&circles_properties, &self->settings,
          id, value) & CIRCLES_STATIC)
    self->settings.generation++;
  GST_OBJECT_UNLOCK (self);
  tell_wrong_circles (self);
}

static void
circles_add_circle (GstCudaCircles * self, gdouble x, gdouble y,
    gdouble r, gdouble z, guint color)
{
  const CsCircle circle = { (gfloat) x, (gfloat) y, (gfloat) r, (gfloat) z,
    circles_color_to_rgba (color)
  };

  GST_OBJECT_LOCK (self);
  const gboolean added = cs_array_append_val (self->settings.circles, circle);
  self->settings.generation++;
  GST_OBJECT_UNLOCK (self);
  if (!added)
    GST_SHAPES_WARNING (self, RESOURCE, NO_SPACE_LEFT,
        "A circle is left out: there is no memory for more.");
}

static void
circles_clear_circles (GstCudaCircles * self)
{
  GST_OBJECT_LOCK (self);
  cs_array_empty (self->settings.circles);
  cs_gradient_set_empty (self->settings.gradients);
  self->settings.generation++;
  GST_OBJECT_UNLOCK (self);
}

/* Snapshot of the properties for a frame. */
static void
take_settings (GstCudaCircles * self)
{
  CirclesPainting *painting = &self->painting;

  GST_OBJECT_LOCK (self);
  self->current = self->settings;
  if (!painting->is_current
      || painting->generation != self->settings.generation) {
    painting->is_current = FALSE;
    painting->generation = self->settings.generation;
    cs_array_empty (self->given);
    cs_array_append (self->given, self->settings.circles->data,
        self->settings.circles->len);
    cs_gradient_set_empty (self->given_gradients);
    cs_gradient_set_append (self->given_gradients, self->settings.gradients);
    g_free (self->gradient);
    self->gradient = g_strdup (self->settings.gradient);
  }
  GST_OBJECT_UNLOCK (self);
  self->current.location = NULL;
  self->current.circles = NULL;
  self->current.gradients = NULL;
  self->current.gradient = NULL;
}

/* Painting */

static gboolean
changes_frame (GstCudaCircles * self)
{
  return self->current.background != CS_BACKGROUND_FRAME
      || (self->painting.marks->len > 0 && self->current.opacity > 0.);
}

/* A frame must be writable only if there is something to paint: collect the
 * circles here, before the base class makes a copy. */
static GstFlowReturn
circles_prepare_output_buffer (GstBaseTransform * trans,
    GstBuffer * input, GstBuffer ** output)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (trans);

  if (!self->has_caps)
    return gst_shapes_post_no_caps (GST_ELEMENT_CAST (self));
  GST_BASE_TRANSFORM_CLASS (parent_class)->before_transform (trans, input);
  take_settings (self);
  if (self->current.background == CS_BACKGROUND_TRANSPARENT)
    gst_shapes_check_alpha (GST_ELEMENT_CAST (self), &self->info,
        &self->warned_no_alpha);
  if (!circles_collect (self, input))
    return GST_FLOW_ERROR;
  self->n_frames++;
  if (!changes_frame (self)) {
    *output = input;
    return GST_FLOW_OK;
  }
  return gst_shapes_output_prepare (&self->output,
      GST_SHAPES_TRANSFORM (trans), &self->info, input, output);
}

static gboolean
run_raster (gpointer user_data, const CsPicture * picture, GError ** error)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (user_data);
  const CirclesPainting *painting = &self->painting;
  const gboolean over_frame = self->current.background == CS_BACKGROUND_FRAME;
  const gboolean still = painting->marks->len == painting->n_static;
  const CsMarks marks = {
    .marks = (const CsMark *) painting->marks->data,
    .depths = (const gfloat *) painting->depths->data,
    .n = painting->marks->len,
    .memory = CS_MEMORY_HOST,
    .version = still ? painting->version : 0,
    .gradients = painting->gradients_view.n > 0 ? &painting->gradients_view :
        NULL,
  };
  CsRasterSettings settings;

  cs_raster_settings_init (&settings);
  settings.background = self->current.background;
  settings.antialias = self->current.antialias;
  settings.linear = self->current.linear;
  settings.opacity = (gfloat) self->current.opacity;
  return cs_raster_run (self->raster, &marks, &settings,
      over_frame ? picture : NULL, picture, error);
}

static gboolean
paint (GstShapesTransform * base, GstBuffer * buffer, GError ** error)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (base);
  const GstMapFlags flags = self->current.background == CS_BACKGROUND_FRAME ?
      GST_MAP_READWRITE : GST_MAP_WRITE;
  GstBuffer *input = self->output.input;

  if (!gst_shapes_picture_paint (&self->stage, &self->info,
          input ? input : buffer, input ? buffer : NULL,
          flags, run_raster, self, error))
    return FALSE;
  /* painted: no longer a gap */
  GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_GAP);
  return TRUE;
}

static GstFlowReturn
circles_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  return changes_frame (GST_CUDA_CIRCLES (trans)) ?
      gst_shapes_transform_run (GST_SHAPES_TRANSFORM (trans), CANNOT, buffer,
      paint) : GST_FLOW_OK;
}

/* Negotiation */

static gboolean
circles_set_caps (GstBaseTransform * trans, GstCaps * incaps, GstCaps * outcaps)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (trans);

  if (!gst_video_info_from_caps (&self->info, incaps)) {
    GST_ERROR_OBJECT (self, "invalid caps %" GST_PTR_FORMAT, incaps);
    return FALSE;
  }
  self->has_caps = TRUE;
  gst_shapes_output_clear (&self->output);
  self->painting.is_current = FALSE;
  return GST_BASE_TRANSFORM_CLASS (parent_class)->set_caps (trans, incaps,
      outcaps);
}

/* A new segment or flush resets the frame counter. */
static gboolean
circles_sink_event (GstBaseTransform * trans, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    GST_CUDA_CIRCLES (trans)->n_frames = 0;
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

/* Life cycle */

static gboolean
parse_file (GstCudaCircles * self, const gchar * location, const gchar * text,
    gsize length)
{
  GError *error = NULL;

  cs_gradient_set_empty (self->file_gradients);
  self->file_circles = cs_scene_parse (text, length, self->file_gradients,
      &error);
  if (!self->file_circles) {
    GST_SHAPES_ERROR (self, STREAM, DECODE,
        "The scene file \"%s\" has an error in %s.", location, error->message);
    g_clear_error (&error);
  }
  return self->file_circles != NULL;
}

static gboolean
load_file (GstCudaCircles * self, const gchar * location)
{
  g_autoptr (GError) error = NULL;
  gchar *text;
  gsize length;

  if (!gst_shapes_file_load (location, MAX_FILE_SIZE, &text, &length, &error)) {
    GST_SHAPES_ERROR (self, RESOURCE, OPEN_READ,
        "The scene file cannot be read: %s.", error->message);
    return FALSE;
  }
  const gboolean ok = parse_file (self, location, text, length);
  g_free (text);
  return ok;
}

static gboolean
circles_start (GstBaseTransform * trans)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (trans);

  GST_OBJECT_LOCK (self);
  g_autofree gchar *location = g_strdup (self->settings.location);
  self->settings.n_left_out = 0;
  GST_OBJECT_UNLOCK (self);
  self->n_frames = 0;
  self->painting.is_current = FALSE;
  tell_wrong_circles (self);
  const gboolean ok = (!location || !*location || load_file (self, location))
      && GST_BASE_TRANSFORM_CLASS (parent_class)->start (trans);
  if (!ok)
    g_clear_pointer (&self->file_circles, cs_array_free);
  return ok;
}

static gboolean
circles_stop (GstBaseTransform * trans)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (trans);

  g_clear_pointer (&self->file_circles, cs_array_free);
  self->has_caps = FALSE;
  self->warned_no_points = self->warned_no_measures = FALSE;
  self->warned_no_circles = self->warned_no_alpha = FALSE;
  gst_shapes_aspect_reset (&self->aspect);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);
}

static gboolean
circles_open (GstShapesTransform * base, GError ** error)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (base);

  gst_shapes_picture_stage_init (&self->stage, base->slabs, base->context,
      base->stream);
  self->raster = cs_raster_new (base->executor, error);
  return self->raster != NULL;
}

static void
circles_close (GstShapesTransform * base)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (base);

  g_clear_pointer (&self->raster, cs_raster_free);
  gst_shapes_picture_stage_clear (&self->stage);
  gst_shapes_output_clear (&self->output);
}

static void
gst_cuda_circles_init (GstCudaCircles * self)
{
  gst_shapes_properties_init (&circles_properties, &self->settings);
  self->settings.circles = cs_array_new (sizeof (CsCircle));
  self->settings.gradients = cs_gradient_set_new ();
  self->file_gradients = cs_gradient_set_new ();
  self->given_gradients = cs_gradient_set_new ();
  self->painting.gradients = cs_gradient_set_new ();
  self->given = cs_array_new (sizeof (CsCircle));
  self->scratch = cs_array_new (sizeof (CsCircle));
  self->painting.marks = cs_array_new (sizeof (CsMark));
  self->painting.depths = cs_array_new (sizeof (gfloat));
  gst_video_info_init (&self->info);
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), TRUE);
}

static void
circles_finalize (GObject * object)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (object);

  gst_shapes_properties_clear (&circles_properties, &self->settings);
  cs_array_free (self->settings.circles);
  cs_gradient_set_free (self->settings.gradients);
  cs_gradient_set_free (self->file_gradients);
  cs_gradient_set_free (self->given_gradients);
  cs_gradient_set_free (self->painting.gradients);
  g_free (self->gradient);
  cs_array_free (self->given);
  cs_array_free (self->scratch);
  cs_array_free (self->painting.marks);
  cs_array_free (self->painting.depths);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
install_signals (GstCudaCirclesClass * klass)
{
  const GSignalFlags flags = G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION;

  /**
   * GstCudaCircles::add-circle:
   * @circles: the element
   * @x: centre
   * @y: centre
   * @r: radius
   * @z: depth; larger is farther
   * @color: 0xAARRGGBB
   *
   * Adds a circle to #GstCudaCircles:circles, from the next frame on.
   * Thread-safe.
   */
  signals[SIGNAL_ADD_CIRCLE] = g_signal_new_class_handler ("add-circle",
      G_TYPE_FROM_CLASS (klass), flags, G_CALLBACK (circles_add_circle), NULL,
      NULL, NULL, G_TYPE_NONE, 5, G_TYPE_DOUBLE, G_TYPE_DOUBLE, G_TYPE_DOUBLE,
      G_TYPE_DOUBLE, G_TYPE_UINT);

  /**
   * GstCudaCircles::clear-circles:
   * @circles: the element
   *
   * Removes all circles from #GstCudaCircles:circles. Thread-safe.
   */
  signals[SIGNAL_CLEAR_CIRCLES] = g_signal_new_class_handler ("clear-circles",
      G_TYPE_FROM_CLASS (klass), flags, G_CALLBACK (circles_clear_circles),
      NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
gst_cuda_circles_class_init (GstCudaCirclesClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstShapesTransformClass *shapes_class = GST_SHAPES_TRANSFORM_CLASS (klass);

  object_class->set_property = circles_set_property;
  object_class->finalize = circles_finalize;
  gst_shapes_properties_bind (&circles_properties, object_class,
      G_STRUCT_OFFSET (GstCudaCircles, settings), NULL);
  install_signals (klass);

  gst_shapes_element_class_describe (GST_ELEMENT_CLASS (klass),
      GST_SHAPES_PICTURE_CAPS, GST_SHAPES_PICTURE_CAPS, "Circle painter",
      "Filter/Effect/Video",
      "Paints semi-transparent circles in exact depth order: scenes, files, "
      "shapes and regions of interest");

  trans_class->start = circles_start;
  trans_class->stop = circles_stop;
  trans_class->set_caps = circles_set_caps;
  trans_class->get_unit_size = gst_shapes_get_video_unit_size;
  trans_class->sink_event = circles_sink_event;
  trans_class->prepare_output_buffer = circles_prepare_output_buffer;
  trans_class->transform_ip = circles_transform_ip;
  shapes_class->open = circles_open;
  shapes_class->close = circles_close;
  shapes_class->offers_video_meta = TRUE;
  shapes_class->passes_gaps = TRUE;
}
