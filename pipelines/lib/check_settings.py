#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check_settings.py ELEMENT [PROPERTY=VALUE...]: whether the element takes these; if not, says why and exits with 1."""
import os
import sys

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
except (ImportError, ValueError) as problem:
    sys.exit(f"check_settings.py: {problem}")

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import llf_settings

Gst.init(None)
element = Gst.ElementFactory.make(sys.argv[1])
if not element:
    sys.exit(f"there is no element {sys.argv[1]}")
try:
    for setting in sys.argv[2:]:
        llf_settings.set_property(element, setting, "")
except RuntimeError as problem:
    sys.exit(str(problem))
