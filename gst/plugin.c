/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gst/gst.h>

#include "engine/gstshapesengine.h"
#include "shapes/gstshapes.h"

#include "cudacircles/gstcudacircles.h"
#include "cudacontours/gstcudacontours.h"
#include "cudahull/gstcudahull.h"
#include "cudallf/gstcudallf.h"
#include "fourierdraw/gstfourierdraw.h"
#ifdef HAVE_ANALYTICS
#include "shapeanalytics/gstshapeanalytics.h"
#endif
#include "shapecombiner/gstshapecombiner.h"
#include "shapeenc/gstshapeenc.h"
#include "shapejsondec/gstshapejsondec.h"
#include "shapejsonenc/gstshapejsonenc.h"
#include "shapeoverlay/gstshapeoverlay.h"
#include "shapestats/gstshapestats.h"

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

  return registered;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, cudashapes,
    "Finds shapes in video and draws shapes on video, on the GPU or the CPU",
    plugin_init, PLUGIN_VERSION, GST_LICENSE, PACKAGE_NAME,
    GST_PACKAGE_ORIGIN)
