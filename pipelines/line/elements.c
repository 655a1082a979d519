/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "elements.h"

#include <gst/gst.h>

void
line_elements_init (void)
{
  gst_init (NULL, NULL);
  g_autoptr (GstElementFactory) factory =
      gst_element_factory_find ("cudacontours");
  if (factory)
    return;
  /* from the program's folder to that of the plugins, where both are installed */
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = program ? g_path_get_dirname (program) : NULL;
  g_autofree char *plugins = folder ?
      g_build_filename (folder, PLUGINS_FROM_BINDIR, NULL) : NULL;
  if (plugins)
    gst_registry_scan_path (gst_registry_get (), plugins);
}
