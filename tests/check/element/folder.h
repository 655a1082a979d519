/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Files in a folder that is there during a test. */

#include <glib/gstdio.h>

#include <string.h>

#include "../lib/streams.h"
#include "element/gstshapesmask.h"

static gchar *folder;

static inline void
make_folder (void)
{
  folder = g_dir_make_tmp ("element-XXXXXX", NULL);
  fail_unless (folder != NULL);
}

static inline void
remove_folder (void)
{
  g_rmdir (folder);
  g_free (folder);
}

static inline void
remove_file (gchar * path)
{
  g_unlink (path);
  g_free (path);
}

/* The error names @path and @what. */
static inline void
assert_no_mask (const gchar * path, guint width, guint height,
    const gchar * what)
{
  g_autoptr (GError) error = NULL;

  fail_unless (gst_shapes_mask_load (path, width, height, &error) == NULL);
  fail_unless (strstr (error->message, path) != NULL, "%s", error->message);
  fail_unless (strstr (error->message, what) != NULL, "%s", error->message);
}
