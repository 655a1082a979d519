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

PICTURES = {".jpg": "jpegenc quality=95", ".jpeg": "jpegenc quality=95", ".png": "pngenc snapshot=true"}


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


def first(*names):
    """The first of these elements, with options, that is installed."""
    for name in names:
        if Gst.ElementFactory.find(name.split()[0]):
            return name
    raise RuntimeError("none of %s is installed" % ", ".join(name.split()[0] for name in names))


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
    if kind in PICTURES:
        # the orientation of photographs is in a tag, which the filter chain loses
        return f"filesrc name=file ! decodebin ! videoflip method=automatic ! {filtered} ! {PICTURES[kind]} ! " \
               "filesink name=out"
    video = first("x264enc speed-preset=fast pass=quant quantizer=18", "openh264enc bitrate=8000000")
    line = f"filesrc name=file ! decodebin name=d ! queue ! {filtered} ! video/x-raw,format=I420 ! {video} ! " \
           "h264parse ! queue ! mp4mux name=mux ! filesink name=out"
    if has_audio(source):
        line += f" d. ! queue ! audioconvert ! audioresample ! {first('avenc_aac', 'voaacenc')} ! queue ! mux."
    return line


def output_name(path):
    name, kind = os.path.splitext(path)
    return name + "-llf" + (kind if kind.lower() in PICTURES else ".mp4")


def set_options(element, options):
    for name in ("backend", "quality"):
        if getattr(options, name):
            Gst.util_set_object_arg(element, name, getattr(options, name))
    if options.preset and not element.load_preset(options.preset):
        raise RuntimeError("there is no preset %s, but %s" % (options.preset, ", ".join(element.get_preset_names())))
    element.set_property("chroma", 1)
    for setting in options.set:
        name, _, value = setting.partition("=")
        if not element.find_property(name):
            raise RuntimeError(f"cudallf has no property {name}; see gst-inspect-1.0 cudallf")
        Gst.util_set_object_arg(element, name, value)


def main():
    parser = argparse.ArgumentParser(prog="llf", description=__doc__)
    parser.add_argument("input", help="a photograph or a film")
    parser.add_argument("output", nargs="?", help="a file .jpg, .png or .mp4 (default: INPUT-llf and what fits)")
    parser.add_argument("--preset", help="Detail, Clarity, Smooth or Compress (default: the element's defaults)")
    parser.add_argument("--quality", choices=("fast", "normal", "high", "exact", "sampled"), help="how exact")
    parser.add_argument("--backend", choices=("auto", "cuda", "cpu"))
    parser.add_argument("--set", action="append", default=[], metavar="PROPERTY=VALUE",
                        help="a property of cudallf, such as --set sigma=0.3; any number of times")
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
        set_options(pipeline.get_by_name("llf"), options)
        run(pipeline)
    except (RuntimeError, GLib.Error) as error:
        sys.exit(f"llf: {error}")
    print(target)


if __name__ == "__main__":
    main()
