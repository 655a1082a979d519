/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/gst.h>

#include "engine/gstshapesengine.h"
#include "shapes/gstshapes.h"

GST_ELEMENT_REGISTER_DECLARE (cudacircles);
GST_ELEMENT_REGISTER_DECLARE (cudacontours);
GST_ELEMENT_REGISTER_DECLARE (cudahull);
GST_ELEMENT_REGISTER_DECLARE (cudallf);
GST_ELEMENT_REGISTER_DECLARE (fourierdraw);
GST_ELEMENT_REGISTER_DECLARE (shapeanalytics);
GST_ELEMENT_REGISTER_DECLARE (shapecocoenc);
GST_ELEMENT_REGISTER_DECLARE (shapecombiner);
GST_ELEMENT_REGISTER_DECLARE (shapecsvenc);
GST_ELEMENT_REGISTER_DECLARE (shapegeojsonenc);
GST_ELEMENT_REGISTER_DECLARE (shapejsondec);
GST_ELEMENT_REGISTER_DECLARE (shapejsonenc);
GST_ELEMENT_REGISTER_DECLARE (shapeoverlay);
GST_ELEMENT_REGISTER_DECLARE (shapestats);
GST_ELEMENT_REGISTER_DECLARE (shapesvgenc);
GST_ELEMENT_REGISTER_DECLARE (shapetensordec);
GST_ELEMENT_REGISTER_DECLARE (shapezones);

/* Category of the plugin; every element has its own. */
GST_DEBUG_CATEGORY (gst_cudashapes_debug);
#define GST_CAT_DEFAULT gst_cudashapes_debug

static gboolean
plugin_init (GstPlugin * plugin)
{
  gboolean registered = FALSE;

  GST_DEBUG_CATEGORY_INIT (gst_cudashapes_debug, "cudashapes", 0,
      "finds shapes in video and draws shapes on video");

  /* so that a process that only receives shapes can deserialise them */
  gst_shapes_init ();
#if GST_CHECK_VERSION (1, 28, 0)
  /* even when this plugin is not loaded yet */
  gst_meta_factory_register (plugin, GST_SHAPE_META_INFO);
#endif
  gst_shapes_engine_register ();

  registered |= GST_ELEMENT_REGISTER (cudacircles, plugin);
  registered |= GST_ELEMENT_REGISTER (cudacontours, plugin);
  registered |= GST_ELEMENT_REGISTER (cudahull, plugin);
  registered |= GST_ELEMENT_REGISTER (cudallf, plugin);
  registered |= GST_ELEMENT_REGISTER (fourierdraw, plugin);
#ifdef HAVE_ANALYTICS
  registered |= GST_ELEMENT_REGISTER (shapeanalytics, plugin);
#endif
  registered |= GST_ELEMENT_REGISTER (shapecocoenc, plugin);
  registered |= GST_ELEMENT_REGISTER (shapecombiner, plugin);
  registered |= GST_ELEMENT_REGISTER (shapecsvenc, plugin);
  registered |= GST_ELEMENT_REGISTER (shapegeojsonenc, plugin);
  registered |= GST_ELEMENT_REGISTER (shapejsondec, plugin);
  registered |= GST_ELEMENT_REGISTER (shapejsonenc, plugin);
  registered |= GST_ELEMENT_REGISTER (shapeoverlay, plugin);
  registered |= GST_ELEMENT_REGISTER (shapestats, plugin);
  registered |= GST_ELEMENT_REGISTER (shapesvgenc, plugin);
  registered |= GST_ELEMENT_REGISTER (shapetensordec, plugin);
  registered |= GST_ELEMENT_REGISTER (shapezones, plugin);

  return registered;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, cudashapes,
    "Finds shapes in video and draws shapes on video, on the GPU or the CPU",
    plugin_init, PLUGIN_VERSION, GST_LICENSE, PACKAGE_NAME,
    GST_PACKAGE_ORIGIN)
