#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Filters a photograph or a film with cudallf, or tone-maps an OpenEXR or Radiance picture, and writes a JPEG, PNG or MP4 file."""
import argparse
import os
import sys

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import GLib, Gst
    import numpy as np
except (ImportError, ValueError) as error:
    sys.exit(f"llf.py: {error}; run it through pipelines/llf, or in `meson devenv -C build`")

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import files
import films
import llf_settings
import stills

PICTURES = (".jpg", ".jpeg", ".png")
FILMS = (".mp4", ".m4v", ".mov")
# GRAY16 has the luma of BT.709, which is that of RGB without another colorimetry
LUMA = np.array((.2126, .7152, .0722), np.float32)

EXAMPLES = """examples:
  %(prog)s photo.jpg                              more detail, to photo-llf.jpg
  %(prog)s photo.jpg soft.png --preset Smooth     smoother, to a PNG
  %(prog)s film.mp4 --set alpha=0.3 --set sigma=0.2
  %(prog)s noisy.jpg --preset CleanDetail         more detail, but not of noise
  %(prog)s photo.jpg --set split=0.5              before and after in one picture
  %(prog)s room.exr                               tone-mapped HDR, to room-llf.png"""


def kind_of(path):
    return os.path.splitext(path)[1].lower()


def check_target(target, film, name):
    """Raises RuntimeError if the target's kind is not written, or is not for this."""
    shown, kind = files.shown(target), kind_of(target)
    if kind not in PICTURES and kind not in FILMS:
        raise RuntimeError(f"{shown}: files of this kind are not written, but {', '.join([*PICTURES, *FILMS])}")
    if film != (kind in FILMS):
        raise RuntimeError(f"{name} is a {'film' if film else 'still picture'}, which does not fit into {shown}: name a file "
                           f"{', '.join(FILMS if film else PICTURES)}")


def set_llf(llf, options, is_light=False, is_deep=False):
    """Returns: whether the element maps HDR."""
    llf.set_property("chroma", 1)
    llf_settings.set_options(llf, options, is_light)
    if is_deep and llf.props.color_remapping.value_nick != "luma":
        raise RuntimeError("color-remapping=rgb-distance is for 8 bits a sample, and here are more")
    return llf.props.hdr.value_nick != "none"


def filtered(pixels, options):
    """The picture after the element; of light, what a display shows."""
    light = pixels.dtype == np.float32
    pipeline = Gst.parse_launch("appsrc name=in ! " + ("cudallf name=llf ! video/x-raw,format=RGB" if light else
                                "videoconvert ! cudallf name=llf ! videoconvert ! capsfilter name=same") +
                                " ! appsink name=out sync=false")
    set_llf(pipeline.get_by_name("llf"), options, light, pixels.dtype == np.uint16)
    stills.feed(pipeline.get_by_name("in"), pixels)
    if not light:
        pipeline.get_by_name("same").props.caps = pipeline.get_by_name("in").props.caps
    pictures = stills.collect(pipeline.get_by_name("out"))
    films.run(pipeline)
    if not pictures:
        raise RuntimeError("no picture came out of the filter")
    return pictures[0]


def filtered_deep(pixels, options):
    """RGB of 16 bits: its luma is filtered, and its colours follow as docs/cudallf.md has it for 8 bits. HDR is mapped as it
    is."""
    if set_llf(Gst.ElementFactory.make("cudallf"), options):
        return filtered(stills.with_opacity(pixels), options)[..., 1:]
    luma = pixels.astype(np.float32) @ LUMA
    new = filtered(np.rint(luma).astype(np.uint16)[..., None], options).astype(np.float32)
    luma, new = luma[..., None] / 65535, new / 65535
    scale = np.clip((new + .01) / (luma + .01), .5, 2)
    scale = 1 + np.minimum(16 * luma, 1) * (scale - 1)
    return np.rint(65535 * np.clip(new + scale * (pixels / np.float32(65535) - luma), 0, 1)).astype(np.uint16)


def write_still(still, options, part, target):
    """Filters the picture and writes it to PART, which is to be the target."""
    if still.is_light() and not options.preset:
        options.preset = "ToneMap"
    if still.is_light() and still.alpha is not None:
        still.alpha = np.rint(255 * still.alpha).astype(np.uint8)
    deep = still.is_deep() and still.pixels.shape[2] == 3
    still.pixels = (filtered_deep if deep else filtered)(still.pixels, options)
    stills.write(still, part, ".png" if kind_of(target) == ".png" else ".jpg")
    files.say(still.notes)


def write_film(film, options, part):
    film.check()
    # without B-frames: mp4mux cuts off the last pictures of a film of variable rate that has some
    video = films.first("x264enc bframes=0 speed-preset=fast pass=quant quantizer=18", "openh264enc bitrate=8000000")
    pipeline = Gst.parse_launch(
        f"filesrc name=file ! decodebin name=d {film.frames('d')}videoconvert ! capsfilter name=light ! "
        f"cudallf name=llf ! videoconvert ! capsfilter name=coded ! {video} ! h264parse ! queue ! mp4mux name=mux ! "
        f"filesink name=out "
        f"{films.sound(film, 'd', 'mux')}")
    mapped = set_llf(pipeline.get_by_name("llf"), options, is_deep=film.bits() > 8)
    coding = pipeline.get_by_name("llf").props.hdr.value_nick
    if coding in ("pq", "hlg"):
        # or RGB would be said to have the primaries of sRGB
        pipeline.get_by_name("light").props.caps = Gst.Caps.from_string(
            f"video/x-raw,format=ARGB64,colorimetry=bt2100-{coding}")
    pipeline.get_by_name("coded").props.caps = Gst.Caps.from_string(
        f"video/x-raw,format={'I420' if mapped else film.format()}")
    files.set_file(pipeline.get_by_name("file"), options.input)
    files.set_file(pipeline.get_by_name("out"), part)
    films.run(pipeline, progress=True)
    files.say(film.losses())


def write(options):
    """Filters the file. Returns: the name of what has been written"""
    files.check_input(options.input)
    still = stills.read(options.input)
    film = None if still else films.look(options.input)
    name, kind = os.path.splitext(options.input)
    target = options.output or name + "-llf" + (".mp4" if film else kind if kind.lower() in PICTURES else ".png")
    check_target(target, bool(film), files.shown(options.input))
    with files.Outputs([options.input, *llf_settings.values(options.set)]) as outputs:
        part = outputs.choose(target) if options.keep or not options.output else outputs.name(target)
        if still:
            write_still(still, options, part, target)
        else:
            write_film(film, options, part)
        return outputs.commit()[0]


def main():
    parser = files.Parser(prog=files.PROGRAM, description=__doc__, epilog=EXAMPLES,
                          formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", help="a photograph or a film; .exr and .hdr are HDR, with --preset ToneMap if none is said")
    parser.add_argument("output", nargs="?", help="a file .jpg, .png or .mp4 (default: INPUT-llf and what fits)")
    parser.add_argument("--keep", action="store_true", help="an output that is there is kept: OUTPUT-2, -3, ... is written, "
                        "as it is without an output")
    llf_settings.add_options(parser)
    options = parser.parse_args()
    Gst.init(None)
    try:
        print(files.shown(write(options)))
    except (RuntimeError, GLib.Error) as error:
        sys.exit(f"{files.PROGRAM}: {error}")


if __name__ == "__main__":
    main()
