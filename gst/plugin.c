/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gst/gst.h>

#include "shapes/gstshapemeta.h"

#include "cudacircles/gstcudacircles.h"
#include "cudacontours/gstcudacontours.h"
#include "cudahull/gstcudahull.h"
#include "cudallf/gstcudallf.h"
#include "gstfourierdraw.h"
#include "shapecombiner/gstshapecombiner.h"
#include "shapejsondec/gstshapejsondec.h"
#include "shapejsonenc/gstshapejsonenc.h"
#include "shapeoverlay/gstshapeoverlay.h"

/* What concerns the plugin as a whole; every element has a category of its
 * own. */
GST_DEBUG_CATEGORY (gst_cudashapes_debug);
#define GST_CAT_DEFAULT gst_cudashapes_debug

static gboolean
plugin_init (GstPlugin * plugin)
{
  gboolean registered = FALSE;

  GST_DEBUG_CATEGORY_INIT (gst_cudashapes_debug, "cudashapes", 0,
      "finds shapes in video and draws shapes on video");

  /* so that a process that only receives shapes can deserialise them */
  gst_shape_meta_get_info ();

  registered |= GST_ELEMENT_REGISTER (cudacircles, plugin);
  registered |= GST_ELEMENT_REGISTER (cudacontours, plugin);
  registered |= GST_ELEMENT_REGISTER (cudahull, plugin);
  registered |= GST_ELEMENT_REGISTER (cudallf, plugin);
  registered |= GST_ELEMENT_REGISTER (fourierdraw, plugin);
  registered |= GST_ELEMENT_REGISTER (shapecombiner, plugin);
  registered |= GST_ELEMENT_REGISTER (shapejsondec, plugin);
  registered |= GST_ELEMENT_REGISTER (shapejsonenc, plugin);
  registered |= GST_ELEMENT_REGISTER (shapeoverlay, plugin);

  return registered;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, cudashapes,
    "Finds shapes in video and draws shapes on video, on the GPU or the CPU",
    plugin_init, PACKAGE_VERSION, GST_LICENSE, PACKAGE_NAME,
    GST_PACKAGE_ORIGIN)
