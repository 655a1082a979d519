/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstharness.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstHarness, gst_harness_teardown)
