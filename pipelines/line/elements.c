/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "elements.h"

#include <gst/gst.h>

/* From the program's folder to that of the plugins, where both are installed */
static char *
find_plugins (void)
{
  char *program = g_file_read_link ("/proc/self/exe", NULL);
  char *folder = program ? g_path_get_dirname (program) : NULL;
  char *plugins = folder ? g_build_filename (folder, PLUGINS_FROM_BINDIR,
      NULL) : NULL;

  g_free (folder);
  g_free (program);
  return plugins;
}

void
line_elements_init (void)
{
  GstElementFactory *factory;
  char *plugins;

  gst_init (NULL, NULL);
  factory = gst_element_factory_find ("cudacontours");
  if (factory) {
    gst_object_unref (factory);
    return;
  }
  plugins = find_plugins ();
  if (plugins)
    gst_registry_scan_path (gst_registry_get (), plugins);
  g_free (plugins);
}
