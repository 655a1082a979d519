# SPDX-License-Identifier: LGPL-2.1-or-later
"""Modules that a test needs; without one of them it is skipped."""
import importlib
import sys


def need(*names):
    """Modules, GStreamer's and GLib's from gi.repository; Gst is initialised. Exits with 77 if one is missing."""
    found = []
    try:
        for name in names:
            if name.startswith('Gst'):
                importlib.import_module('gi').require_version(name, '1.0')
            found.append(importlib.import_module(
                ('gi.repository.' if name[0] == 'G' else '') + name))
    except (ImportError, ValueError) as missing:
        print('skipped:', missing)
        sys.exit(77)
    if 'Gst' in names:
        found[names.index('Gst')].init(None)
    return found if len(found) > 1 else found[0]
