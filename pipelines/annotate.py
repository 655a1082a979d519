#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds the contours of a picture or film, and their convex hulls with --hulls, draws them on it and writes them as JSON
lines. A film keeps its sound.

An example of an application, too: a pipeline with cudacontours and cudahull, the shapes read from the buffers in Python,
and the time that each frame took.
"""
import argparse
import math
import os
import sys
import time

try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstShapes", "1.0")
    from gi.repository import GLib, Gst, GstShapes
except (ImportError, ValueError) as error:
    sys.exit(f"annotate.py: {error}; run it through pipelines/demo, or in `meson devenv -C build`")


sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import files
import films
import stills


class Timer:
    """How long an element takes for each frame; its sink and source pads call this."""

    def __init__(self, element):
        self.times = []
        element.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.enter)
        element.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, self.leave)

    def enter(self, pad, info):
        self.begin = time.perf_counter()
        return Gst.PadProbeReturn.OK

    def leave(self, pad, info):
        self.times.append(time.perf_counter() - self.begin)
        return Gst.PadProbeReturn.OK

    def __str__(self):
        times = sorted(self.times)
        text = "%.3f ms" % (times[len(times) // 2] * 1e3)
        return text + (" (median; slowest %.3f ms)" % (times[-1] * 1e3) if len(times) > 1 else "")


class Statistics:
    """Pad probe: collects the shapes; on the source pad of the last element that adds some."""

    def __init__(self, element):
        self.frames = self.contours = self.holes = self.points = 0
        self.area = 0.
        self.size = None
        self.hulls = 0
        self.solidities = []
        element.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, self.count)

    def count(self, pad, info):
        shapes = GstShapes.buffer_get_shape_set(info.get_buffer())
        self.frames += 1
        if shapes:
            self.size = shapes.get_width(), shapes.get_height()
            for contour in shapes.contours():
                self.contours += 1
                self.holes += contour.hole
                self.points += len(contour.points)
                self.area += contour.area
            # a hull without an area has none
            hulls = list(shapes.hulls())
            self.hulls += len(hulls)
            self.solidities += [hull.solidity for hull in hulls if not math.isnan(hull.solidity)]
        return Gst.PadProbeReturn.OK


def encoder():
    """How to write the annotated frames of a film: (description, file name); its muxer is named mux"""
    # an encoder that keeps frames would wait for ever for some that the JSON branch, whose queue is full, holds up
    for name, options in (("x264enc", "speed-preset=veryfast tune=zerolatency"), ("openh264enc", "")):
        if Gst.ElementFactory.find(name):
            return f"{name} {options} ! h264parse ! mp4mux name=mux", "annotated.mp4"
    return "videoconvert ! jpegenc ! avimux name=mux", "annotated.avi"


def sound(film, encode):
    """The branch that puts the sound of a film into the file; empty if there is none, or no encoder for it."""
    try:
        return films.sound(film, "d", "mux", "audio/x-raw,format=S16LE" if "avimux" in encode else None)
    except RuntimeError as error:
        print(f"annotate.py: the sound is left out: {error}", file=sys.stderr)
        return ""


def describe(options, source, drawn, end=""):
    """The pipeline from frames to shapes on them, and as JSON. Shapes are added upstream of the tee and of conversions, on
    unmodified frames."""
    finders = "cudacontours name=contours hierarchy=true"
    if options.hulls:
        finders += " ! cudahull name=hulls measures=full"
    return Gst.parse_launch(
        f"{source}videoconvert ! {finders} ! tee name=t "
        "t. ! queue max-size-time=0 max-size-bytes=0 ! shapejsonenc ! filesink name=json "
        f"t. ! queue ! {drawn}{end}")


def annotate_film(options, film, encode, picture, lines):
    pipeline = describe(options, f"filesrc name=file ! decodebin name=d {film.frames('d')}",
                        f"shapeoverlay ! {encode} ! filesink name=picture", sound(film, encode))
    files.set_file(pipeline.get_by_name("file"), options.input)
    files.set_file(pipeline.get_by_name("picture"), picture)
    measure(options, pipeline, lines, progress=True)
    files.say(film.losses())


def annotate_still(options, still, picture, lines):
    still.lay_on_white()
    pipeline = describe(options, "appsrc name=in ! ", "videoconvert ! video/x-raw,format=RGBA ! shapeoverlay ! videoconvert ! "
                        "video/x-raw,format=RGB ! appsink name=out sync=false")
    pixels = still.pixels
    if still.is_deep() and pixels.shape[2] == 3:
        pixels = stills.with_opacity(pixels)
    stills.feed(pipeline.get_by_name("in"), pixels)
    pictures = stills.collect(pipeline.get_by_name("out"))
    measure(options, pipeline, lines)
    if still.is_deep():
        still.notes.append(f"{still.name}: shapes are found in its 16 bits, and drawn on 8")
    if still.profile and still.pixels.shape[2] == 1:
        still.apply_profile()
    still.pixels, = pictures
    stills.write(still, picture, ".png")
    files.say(still.notes)


def measure(options, pipeline, lines, progress=False):
    """Runs it, and prints what is found."""
    files.set_file(pipeline.get_by_name("json"), lines)
    contours = pipeline.get_by_name("contours")
    contours.props.level, contours.props.min_area = options.level, options.min_area
    hulls = pipeline.get_by_name("hulls")
    finders = [contours, hulls] if hulls else [contours]
    for finder in finders:
        Gst.util_set_object_arg(finder, "backend", options.backend)
    timers = [Timer(finder) for finder in finders]
    statistics = Statistics(finders[-1])
    backend = []
    contours.connect("notify::active-backend", lambda element, _: backend.append(element.props.active_backend))
    films.run(pipeline, progress)
    if statistics.frames == 0:
        raise RuntimeError(f"no frame came out of {files.shown(options.input)}")
    n = statistics.frames
    used = [b.value_nick for b in backend if b.value_nick != "auto"]
    print("frames          %d of %d x %d pixels" % ((n,) + statistics.size))
    print("contours        %d%s" % (statistics.contours, " (%.1f a frame)" % (statistics.contours / n) if n > 1 else ""))
    print("  around dark   %d" % statistics.holes)
    print("points          %d" % statistics.points)
    print("total area      %.1f square pixels, holes subtracted" % statistics.area)
    if statistics.hulls:
        print("hulls           %d" % statistics.hulls)
    if statistics.solidities:
        print("  solidity      mean %.3f, lowest %.3f" % (sum(statistics.solidities) / len(statistics.solidities),
                                                          min(statistics.solidities)))
    print("time per frame  %s" % timers[0])
    if hulls:
        print("  for hulls     %s" % timers[1])
    print("backend         %s" % (used[-1] if used else "unknown"))


def main():
    parser = files.Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", help="a picture or a film")
    parser.add_argument("folder", nargs="?", default="cudashapes-demo",
                        help="where to write to; it is made (default: cudashapes-demo)")
    parser.add_argument("--level", type=float, default=.5, help="brightness, 0 to 1, whose contours to find")
    parser.add_argument("--min-area", type=float, default=0., help="drop smaller contours, square pixels")
    parser.add_argument("--hulls", action="store_true", help="find the contours' convex hulls, too")
    parser.add_argument("--backend", choices=("auto", "cuda", "cpu"), default="auto")
    options = parser.parse_args()
    Gst.init(None)

    try:
        files.check_input(options.input)
        still = stills.read(options.input)
        if still and still.is_light():
            raise RuntimeError(f"{still.name} has linear light of any range: make a picture of it first, with {files.beside('llf')}")
        film = None if still else films.look(options.input)
        if film:
            film.check()
        encode, name = encoder() if film else (None, "annotated.png")
        files.make_folder(options.folder)
        with files.Outputs([options.input]) as outputs:
            picture, lines = (outputs.choose(os.path.join(options.folder, each)) for each in (name, "shapes.jsonl"))
            if still:
                annotate_still(options, still, picture, lines)
            else:
                annotate_film(options, film, encode, picture, lines)
            picture, lines = map(files.shown, outputs.commit())
    except (RuntimeError, GLib.Error) as error:
        sys.exit(f"{files.PROGRAM}: {error}")
    print("picture         %s\nshapes          %s" % (picture, lines))


if __name__ == "__main__":
    main()
