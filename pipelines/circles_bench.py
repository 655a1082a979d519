#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Paints the same random circles on each backend, prints mean times and how many pixels differ from the sequential algorithm,
which must be none, and writes the picture."""
import argparse
import os
import subprocess
import sys
import tempfile

import gi
gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import files
import films

PAINTERS = ("cpu", "cuda", "both", "bad")


def encode(raw, size, part):
    """The PNG file of a picture of RGBA."""
    pipeline = Gst.parse_launch("filesrc name=file ! rawvideoparse name=parse format=rgba framerate=1/1 ! pngenc ! "
                                "filesink name=out")
    files.set_file(pipeline.get_by_name("file"), raw)
    pipeline.get_by_name("file").props.blocksize = 4 * size * size
    pipeline.get_by_name("parse").props.width = pipeline.get_by_name("parse").props.height = size
    files.set_file(pipeline.get_by_name("out"), part)
    films.run(pipeline)


def measure(options):
    """Returns: the program's exit status"""
    picture = options.picture or "circles.png"
    if not picture.endswith(".png"):
        raise RuntimeError(f"{files.shown(picture)}: only PNG is written; the painters are {', '.join(PAINTERS)}")
    with files.Outputs() as outputs, tempfile.NamedTemporaryFile() as raw:
        part = outputs.name(picture) if options.picture else outputs.choose(picture)
        status = subprocess.run([options.program, options.painter, "-s", str(options.size), "-n", str(options.circles),
                                 "-r", str(options.runs), "-o", raw.name]).returncode
        if os.path.getsize(raw.name):
            encode(raw.name, options.size, part)
            print("The picture is", files.shown(outputs.commit()[0]), file=sys.stderr)
    return status


def main():
    parser = files.Parser(prog=files.PROGRAM, description=__doc__)
    parser.add_argument("program", help=argparse.SUPPRESS)      # which measures; the script knows it
    parser.add_argument("painter", nargs="?", default="both", help="|".join(PAINTERS))
    parser.add_argument("picture", nargs="?", help="a file .png (default: circles.png here)")
    parser.add_argument("-s", dest="size", type=int, default=1024, help="the picture's side, pixels (1024)")
    parser.add_argument("-n", dest="circles", type=int, default=100000, help="circles (100000)")
    parser.add_argument("-r", dest="runs", type=int, default=5, help="runs (5)")
    options = parser.parse_intermixed_args()
    if options.painter not in PAINTERS and not options.picture:
        options.painter, options.picture = "both", options.painter
    Gst.init(None)
    try:
        sys.exit(measure(options))
    except (OSError, RuntimeError, GLib.Error) as error:
        sys.exit(f"{files.PROGRAM}: {error}")


if __name__ == "__main__":
    main()
