#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Filters a photograph or a film with cudallf, or tone-maps an OpenEXR picture, and writes a JPEG, PNG or MP4 file."""
import argparse
import os
import sys

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import GLib, Gst
except (ImportError, ValueError) as error:
    sys.exit(f"llf.py: {error}; run it through pipelines/llf, or in `meson devenv -C build`")

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import files
import films
import llf_settings

PICTURES = {".jpg": "jpegenc quality=95", ".jpeg": "jpegenc quality=95", ".png": "pngenc snapshot=true"}
FILMS = (".mp4", ".m4v", ".mov")
HDR = ".exr"

EXAMPLES = """examples:
  llf photo.jpg                              more detail, to photo-llf.jpg
  llf photo.jpg soft.png --preset Smooth     smoother, to a PNG
  llf film.mp4 --set alpha=0.3 --set sigma=0.2
  llf noisy.jpg --preset CleanDetail         more detail, but not of noise
  llf photo.jpg --set split=0.5              before and after in one picture
  llf room.exr                               tone-mapped HDR, to room-llf.png"""


def is_hdr(path):
    return path.lower().endswith(HDR)


def describe(source, target):
    """The pipeline from one file to the other, without their names."""
    filtered = "videoconvert ! cudallf name=llf ! videoconvert"
    kind = os.path.splitext(target)[1].lower()
    shown = files.shown(source)
    if kind not in PICTURES and kind not in FILMS:
        raise RuntimeError(f"{files.shown(target)}: files of this kind are not written, but "
                           f"{', '.join([*PICTURES, *FILMS])}")
    if is_hdr(source):
        if kind in FILMS:
            raise RuntimeError(f"{shown} is a still picture: name a file {', '.join(PICTURES)}")
        return f"filesrc name=file ! openexrdec ! cudallf name=llf hdr=linear ! videoconvert ! {PICTURES[kind]} ! filesink name=out"
    film = films.is_film(source)
    if film != (kind in FILMS):
        raise RuntimeError(f"{shown} is a {'film' if film else 'still picture'}, which does not fit into "
                           f"{files.shown(target)}: name a file {', '.join(FILMS if film else PICTURES)}")
    if not film:
        # the orientation of photographs is in a tag, which the filter chain loses
        return f"filesrc name=file ! decodebin ! videoflip method=automatic ! {filtered} ! {PICTURES[kind]} ! " \
               "filesink name=out"
    video = films.first("x264enc speed-preset=fast pass=quant quantizer=18", "openh264enc bitrate=8000000")
    return f"filesrc name=file ! decodebin name=d ! queue ! {filtered} ! video/x-raw,format=I420 ! {video} ! " \
           f"h264parse ! queue ! mp4mux name=mux ! filesink name=out {films.sound(source, 'd', 'mux')}"


def output_name(path):
    name, kind = os.path.splitext(path)
    if kind.lower() not in PICTURES:
        kind = ".mp4" if films.is_film(path) else ".png"
    return name + "-llf" + kind


def write(options):
    """Filters the file. Returns: the name of what has been written"""
    files.check_input(options.input)
    target = options.output or output_name(options.input)
    pipeline = Gst.parse_launch(describe(options.input, target))
    files.set_file(pipeline.get_by_name("file"), options.input)
    pipeline.get_by_name("llf").set_property("chroma", 1)
    if is_hdr(options.input) and not options.preset:
        options.preset = "ToneMap"
    llf_settings.set_options(pipeline.get_by_name("llf"), options, is_hdr(options.input))
    with files.Outputs([options.input, *llf_settings.values(options.set)]) as outputs:
        keep = options.keep or not options.output
        files.set_file(pipeline.get_by_name("out"), outputs.choose(target) if keep else outputs.name(target))
        films.run(pipeline, "llf")
        return outputs.commit()[0]


def main():
    parser = files.Parser(prog="llf", description=__doc__, epilog=EXAMPLES,
                          formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", help="a photograph or a film; .exr is HDR, with --preset ToneMap if none is said")
    parser.add_argument("output", nargs="?", help="a file .jpg, .png or .mp4 (default: INPUT-llf and what fits)")
    parser.add_argument("--keep", action="store_true", help="an output that is there is kept: OUTPUT-2, -3, ... is written, "
                        "as it is without an output")
    llf_settings.add_options(parser)
    options = parser.parse_args()
    Gst.init(None)
    try:
        print(files.shown(write(options)))
    except (RuntimeError, GLib.Error) as error:
        sys.exit(f"llf: {error}")


if __name__ == "__main__":
    main()
