#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes tests/conformance/data/networks: outputs of real instance networks, and what their packages make of them.

    python3 -m venv VENV
    VENV/bin/pip install ultralytics rfdetr segment-anything torchvision onnx onnxruntime onnxslim onnxscript
    VENV/bin/python make_golden.py [nms] [yolo] [rfdetr] [maskrcnn] [sam]

The networks are built from the packages' code without weights, taught drawn pictures for a minute each, exported to ONNX as
their packages do, and run by onnxruntime. Takes ten minutes on one core; another machine or version gives other tensors.
"""
import importlib
import os
import sys
import tempfile

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
NETWORKS = ("nms", "yolo", "rfdetr", "maskrcnn", "sam")


def main():
    wanted = sys.argv[1:] or NETWORKS
    if set(wanted) - set(NETWORKS):
        sys.exit(__doc__)
    torch.set_num_threads(1)
    folder = os.path.join(HERE, os.pardir, "data", "networks")
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        for name in wanted:
            importlib.import_module(f"golden_{name}").make_all(os.path.normpath(folder), work)


if __name__ == "__main__":
    main()
