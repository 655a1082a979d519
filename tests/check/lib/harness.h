/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

/* A bus for the messages of the element @name, in place of the one it has. Its
 * messages hold the element: see free_harness().
 *
 * Returns: (transfer full) */
static inline GstBus *
take_bus (GstHarness * h, const gchar * name)
{
  g_autoptr (GstElement) element = gst_harness_find_element (h, name);
  GstBus *bus = gst_bus_new ();

  fail_unless (element != NULL, "%s", name);
  gst_element_set_bus (element, bus);
  g_object_set_data (G_OBJECT (h->element), "has-bus", element);
  return bus;
}

static inline void
free_harness (GstHarness * h)
{
  if (h->element && g_object_get_data (G_OBJECT (h->element), "has-bus"))
    gst_element_set_bus (g_object_get_data (G_OBJECT (h->element), "has-bus"),
        NULL);
  gst_harness_teardown (h);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstHarness, free_harness)
