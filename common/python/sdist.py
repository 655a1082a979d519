#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run by `meson dist` in a build without GStreamer: leaves in the source
distribution what the Python package is made of, and its tests."""

import os
import shutil

KEPT = (
    "LICENSE",
    "common/arrays",
    "common/cuda",
    "common/meson.build",
    "common/python",
    # tables of its presets are compiled in
    "gst/presets/GstCudaLlf.prs",
    "kernels",
    "meson.build",
    "meson_options.txt",
    "pyproject.toml",
    "tests/check/python",
)


def prune(top, folder=""):
    for name in sorted(os.listdir(os.path.join(top, folder))):
        path = os.path.join(folder, name)
        full = os.path.join(top, path)
        if path in KEPT:
            continue
        if any(kept.startswith(path + "/") for kept in KEPT):
            prune(top, path)
        elif os.path.isdir(full) and not os.path.islink(full):
            shutil.rmtree(full)
        else:
            os.unlink(full)


prune(os.environ["MESON_DIST_ROOT"])
