#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Filters a photograph or a film with cudallf and writes a JPEG, PNG or MP4 file."""
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
import llf_settings

PICTURES = {".jpg": "jpegenc quality=95", ".jpeg": "jpegenc quality=95", ".png": "pngenc snapshot=true"}
FILMS = (".mp4", ".m4v", ".mov")

EXAMPLES = """examples:
  llf photo.jpg                              more detail, to photo-llf.jpg
  llf photo.jpg soft.png --preset Smooth     smoother, to a PNG
  llf film.mp4 --set alpha=0.3 --set sigma=0.2"""


def run(pipeline):
    """Plays until the end; raises RuntimeError with what the pipeline says is wrong."""
    bus = pipeline.get_bus()
    pipeline.set_state(Gst.State.PLAYING)
    try:
        message = bus.timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        if message.type == Gst.MessageType.ERROR:
            error, detail = message.parse_error()
            raise RuntimeError(f"{message.src.get_name()}: {error.message}\n{detail or ''}")
    finally:
        pipeline.set_state(Gst.State.NULL)


def has_audio(path):
    """Whether there is sound in the file."""
    pipeline = Gst.parse_launch("filesrc name=file ! decodebin name=d ! video/x-raw(ANY) ! fakesink sync=false "
                                "num-buffers=1")
    pipeline.get_by_name("file").props.location = path
    found = []

    def added(_, pad):
        caps = pad.get_current_caps() or pad.query_caps(None)
        # not get_structure(), which GStreamer's own overrides change between versions
        found.append(caps.to_string().split(",")[0])
    pipeline.get_by_name("d").connect("pad-added", added)
    run(pipeline)
    return "audio/x-raw" in found


def describe(source, target):
    """The pipeline from one file to the other, without their names."""
    filtered = "videoconvert ! cudallf name=llf ! videoconvert"
    kind = os.path.splitext(target)[1].lower()
    if kind not in PICTURES and kind not in FILMS:
        raise RuntimeError(f"{target}: files of this kind are not written, but {', '.join([*PICTURES, *FILMS])}")
    if kind in PICTURES:
        # the orientation of photographs is in a tag, which the filter chain loses
        return f"filesrc name=file ! decodebin ! videoflip method=automatic ! {filtered} ! {PICTURES[kind]} ! " \
               "filesink name=out"
    video = llf_settings.first("x264enc speed-preset=fast pass=quant quantizer=18", "openh264enc bitrate=8000000")
    line = f"filesrc name=file ! decodebin name=d ! queue ! {filtered} ! video/x-raw,format=I420 ! {video} ! " \
           "h264parse ! queue ! mp4mux name=mux ! filesink name=out"
    if has_audio(source):
        line += f" d. ! queue ! audioconvert ! audioresample ! "\
                f"{llf_settings.first('avenc_aac', 'voaacenc')} ! queue ! mux."
    return line


def output_name(path):
    name, kind = os.path.splitext(path)
    return name + "-llf" + (kind if kind.lower() in PICTURES else ".mp4")


def main():
    parser = argparse.ArgumentParser(prog="llf", description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", help="a photograph or a film")
    parser.add_argument("output", nargs="?", help="a file .jpg, .png or .mp4 (default: INPUT-llf and what fits)")
    llf_settings.add_options(parser)
    options = parser.parse_args()
    Gst.init(None)
    target = options.output or output_name(options.input)
    try:
        if not os.path.isfile(options.input):
            raise RuntimeError(f"there is no file {options.input}")
        if os.path.exists(target) and os.path.samefile(options.input, target):
            raise RuntimeError("the output would overwrite the input")
        pipeline = Gst.parse_launch(describe(options.input, target))
        pipeline.get_by_name("file").props.location = options.input
        pipeline.get_by_name("out").props.location = target
        pipeline.get_by_name("llf").set_property("chroma", 1)
        llf_settings.set_options(pipeline.get_by_name("llf"), options)
        run(pipeline)
    except (RuntimeError, GLib.Error) as error:
        sys.exit(f"llf: {error}")
    print(target)


if __name__ == "__main__":
    main()
