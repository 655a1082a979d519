#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes a looping GIF in which an arm of rotating vectors draws a picture. At most 640 pixels wide, 20 frames a second."""
import os
import shutil
import subprocess
import sys

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import GLib, Gst
except (ImportError, ValueError) as error:
    sys.exit(f"fourier_gif.py: {error}; run it through pipelines/fourier-gif, or in `meson devenv -C build`")

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import files
import films
import llf_settings
import stills

# fourierdraw makes the film's size itself, out of a picture of any size
DRAW = "appsrc name=in ! videoconvert ! fourierdraw name=machine mode=redraw duration=6 hold=2 " \
       "n-vectors=800 merge-distance=2 two-opt=true ink-source=picture trail-width=2.5 ! " \
       "video/x-raw,%swidth=(int)[1,640],framerate=20/1 ! "
# a palette out of all frames, weighted by what moves; no dithering pattern that crawls over still areas
FFMPEG = ("-i", "-", "-filter_complex",
          "[0:v]split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=3:diff_mode=rectangle",
          "-loop", "0", "-f", "gif", "-")
# what ffmpeg reads: frames without alpha, and with it
OPAQUE = "format=Y444,colorimetry=bt601,", "y4menc", ("-f", "yuv4mpegpipe")
TRANSPARENT = "format=RGBA,", "pngenc compression-level=1", ("-f", "image2pipe", "-c:v", "png", "-framerate", "20")


def describe(outputs, options, end):
    """The pipeline of the drawing, with the settings of the user."""
    pipeline = Gst.parse_launch(end)
    stills.feed(pipeline.get_by_name("in"), options.still.pixels)
    llf_settings.set_drawing(pipeline.get_by_name("machine"), options.settings, outputs)
    return pipeline


def encode_with_gifenc(outputs, options, part):
    pipeline = describe(outputs, options, DRAW % "" + "videoconvert ! gifenc repeat=-1 ! filesink name=out")
    files.set_file(pipeline.get_by_name("out"), part)
    films.run(pipeline, progress=True)


def is_transparent(options):
    machine = Gst.ElementFactory.make("fourierdraw")
    for setting in options.settings:
        if setting.partition("=")[0] == "background":
            llf_settings.set_property(machine, setting, "")
    return machine.props.background.value_nick == "transparent"


def encode_with_ffmpeg(outputs, options, part):
    caps, coding, reading = TRANSPARENT if is_transparent(options) else OPAQUE
    pipeline = describe(outputs, options, DRAW % caps + coding + " ! fdsink name=out")
    if not shutil.which("ffmpeg"):
        raise RuntimeError("ffmpeg is missing: install it, or gst-plugins-rs' gifenc")
    with open(part, "wb") as file, subprocess.Popen(("ffmpeg", "-v", "error", *reading, *FFMPEG),
                                                   stdin=subprocess.PIPE, stdout=file) as encoder:
        try:
            pipeline.get_by_name("out").props.fd = encoder.stdin.fileno()
            films.run(pipeline, progress=True)
            encoder.stdin.close()
            failed = encoder.wait() != 0
        finally:
            encoder.kill()
    if failed:
        raise RuntimeError("ffmpeg could not make the GIF")


def read(path):
    """The picture, with the colours that GIF has."""
    still = stills.read(path)
    if not still:
        raise RuntimeError(f"{files.shown(path)} is a film: take a picture of it first, ffmpeg -i IN -frames:v 1 OUT.png")
    if still.is_light():
        raise RuntimeError(f"{still.name} has linear light of any range: make a picture of it first, with {files.beside('llf')}")
    still.lay_on_white()
    still.make_shallow()
    still.apply_profile()
    files.say(still.notes)
    return still


def write(options):
    """Makes the film. Returns: its name"""
    files.check_input(options.image)
    target = options.film or os.path.splitext(os.path.basename(options.image))[0] + ".gif"
    if not target.lower().endswith(".gif"):
        raise RuntimeError(f"{files.shown(target)}: only GIF is written; name a file .gif, before the properties")
    options.still = read(options.image)
    encode = encode_with_gifenc if Gst.ElementFactory.find("gifenc") else encode_with_ffmpeg
    with files.Outputs([options.image, *llf_settings.values(options.settings)]) as outputs:
        encode(outputs, options, outputs.name(target) if options.film else outputs.choose(target))
        return outputs.commit()[0]


def main():
    parser = files.Parser(prog=files.PROGRAM, description=__doc__)
    parser.add_argument("image", help="a picture")
    parser.add_argument("film", nargs="?", help="a file .gif (default: IMAGE's name with .gif, here)")
    parser.add_argument("settings", nargs="*", metavar="PROPERTY=VALUE",
                        help="of the element fourierdraw, such as duration=8 n-vectors=300 background=frame")
    options = parser.parse_args()
    Gst.init(None)
    try:
        print(files.shown(write(options)))
    except (RuntimeError, GLib.Error) as error:
        sys.exit(f"{files.PROGRAM}: {error}")


if __name__ == "__main__":
    main()
