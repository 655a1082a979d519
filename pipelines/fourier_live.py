#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lets an arm of rotating vectors draw what a camera sees, again and again, in a window. In the window drag to erase, scroll
to change the brush, press r to draw again. Without a display ten seconds go to fourier-live.mp4 here."""
import os
import stat
import sys

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import GLib, Gst
except (ImportError, ValueError) as error:
    sys.exit(f"fourier_live.py: {error}; run it through pipelines/fourier-live, or in `meson devenv -C build`")

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import files
import films
import llf_settings

CAMERA = "/dev/video0"
DRAW = " ! videoconvert%s ! fourierdraw name=machine mode=live duration=5 hold=1 background=frame brush-enabled=true arms=3 " \
       "n-vectors=300 casing=1 ! videoconvert ! "
FRAMES = 300    # of a film


def is_camera(path):
    try:
        return stat.S_ISCHR(os.stat(path).st_mode)
    except OSError:
        return False


def describe_source(source):
    if source == "test":
        return "videotestsrc name=camera is-live=true pattern=smpte ! video/x-raw,width=640,height=480,framerate=30/1"
    if not is_camera(source):
        raise RuntimeError(f"there is no camera {files.shown(source)}; name another one, or test")
    return "v4l2src name=camera ! decodebin"


def describe(options, outputs, window):
    """The pipeline, and what is said when it begins"""
    source = describe_source(options.source)
    if window:
        words = "Close the window or press Ctrl-C to end."
        line = source + DRAW % " ! queue max-size-buffers=2 leaky=downstream" + "autovideosink"
    elif Gst.ElementFactory.find("x264enc"):
        words = "There is no display (DISPLAY is not set): ten seconds go to a film."
        line = source + DRAW % "" + "x264enc speed-preset=veryfast ! video/x-h264,profile=main ! mp4mux ! filesink name=out"
    else:
        words = "There is neither a display nor the x264 encoder: ten seconds are drawn and thrown away."
        line = source + DRAW % "" + "fakesink"
    pipeline = Gst.parse_launch(line)
    camera = pipeline.get_by_name("camera")
    if options.source != "test":
        llf_settings.set_property(camera, f"device={options.source}", "")
    if not window:
        camera.props.num_buffers = FRAMES
    llf_settings.set_drawing(pipeline.get_by_name("machine"), options.settings, outputs)
    if pipeline.get_by_name("machine").props.background.value_nick == "transparent":
        raise RuntimeError("neither a window nor this film has alpha: set background to frame, black or white")
    if pipeline.get_by_name("out"):
        files.set_file(pipeline.get_by_name("out"), outputs.choose("fourier-live.mp4"))
    return pipeline, words


def show(options):
    window = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    with files.Outputs(llf_settings.values(options.settings)) as outputs:
        pipeline, words = describe(options, outputs, window)
        print(words, file=sys.stderr)
        try:
            films.run(pipeline)
        except SystemExit:
            # Ctrl-C is the end of what goes to a window
            if not window:
                raise
        for name in outputs.commit():
            print(files.shown(name))


def main():
    parser = files.Parser(prog=files.PROGRAM, description=__doc__)
    parser.add_argument("source", nargs="?", default=CAMERA if os.path.exists(CAMERA) else "test",
                        help=f"a camera, or test, a test picture (default: {CAMERA} if there is one)")
    parser.add_argument("settings", nargs="*", metavar="PROPERTY=VALUE", help="of the element fourierdraw")
    options = parser.parse_args()
    Gst.init(None)
    try:
        show(options)
    except (RuntimeError, GLib.Error) as error:
        sys.exit(f"{files.PROGRAM}: {error}")


if __name__ == "__main__":
    main()
