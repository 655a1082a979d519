#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""fruits.py FOLDER (it is made): what the elements are for, on a drawn picture: from a network's probabilities to decisions.

Draws fruits with bruises, and the probability maps that a network would give of them (lib/fruit_scene.py). cudacontours
finds the contours of both classes in the maps; shapeoverlay draws them on the picture, which is four times as large;
shapejsonenc writes them. Each fruit is accepted or rejected by the share of its skin that is bruised.

An example of an application, too: tensors in, shapes out, and shapes from one stream put on the frames of another.
"""
import os
import subprocess
import sys
import time

try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstShapes", "1.0")
    from gi.repository import GLib, Gst, GstShapes
    import numpy as np
except (ImportError, ValueError) as error:
    sys.exit(f"fruits.py: {error}; run it through pipelines/demo, or in `meson devenv -C build`")

LIB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
sys.path.insert(0, LIB)
import files

SCENE = os.path.join(LIB, "fruit_scene.py")
CHANNELS, WIDTH, HEIGHT, SCALE = 2, 240, 136, 4
SKIN, BRUISE = range(CHANNELS)
WORST = .02  # of the skin may be bruised


def pull(pipeline, name, seconds=60):
    """The next sample of an appsink; raises RuntimeError with what the pipeline says is wrong."""
    sample = pipeline.get_by_name(name).emit("try-pull-sample", seconds * Gst.SECOND)
    if sample:
        return sample
    message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    raise RuntimeError(message.parse_error()[0].message if message else "no frame came")


def end(pipeline):
    message = pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    if not message or message.type == Gst.MessageType.ERROR:
        raise RuntimeError(message.parse_error()[0].message if message else "the pipeline does not end")


def find(maps, lines):
    """The shapes in the probability maps, which are written as a line of JSON, too; and how long finding them took."""
    pipeline = Gst.parse_launch(
        f"filesrc name=file blocksize={4 * CHANNELS * WIDTH * HEIGHT} ! "
        f"other/tensors,format=static,num_tensors=1,types=float32,dimensions={CHANNELS}:{WIDTH}:{HEIGHT}:1,"
        "framerate=0/1 ! cudacontours name=contours level=0.5 min-area=2 ! tee name=t "
        "t. ! queue ! shapejsonenc ! filesink name=json t. ! queue ! appsink name=shapes sync=false")
    files.set_file(pipeline.get_by_name("file"), maps)
    files.set_file(pipeline.get_by_name("json"), lines)
    contours, times = pipeline.get_by_name("contours"), []
    for pad in ("sink", "src"):
        contours.get_static_pad(pad).add_probe(
            Gst.PadProbeType.BUFFER, lambda *_: times.append(time.perf_counter()) or Gst.PadProbeReturn.OK)
    try:
        pipeline.set_state(Gst.State.PLAYING)
        shapes = GstShapes.buffer_get_shape_set(pull(pipeline, "shapes").get_buffer())
        end(pipeline)
        return shapes, times[1] - times[0], contours.props.active_backend.value_nick
    finally:
        pipeline.set_state(Gst.State.NULL)


def draw(shapes, picture, annotated):
    """Draws the shapes on the picture; they are scaled to its size."""
    reader = Gst.parse_launch("filesrc name=file ! pngdec ! videoconvert ! video/x-raw,format=RGBA ! "
                              "appsink name=frame sync=false")
    writer = Gst.parse_launch("appsrc name=frame format=time ! shapeoverlay line-width=3 ! "
                              "videoconvert ! video/x-raw,format=RGB ! pngenc ! filesink name=file")
    files.set_file(reader.get_by_name("file"), picture)
    files.set_file(writer.get_by_name("file"), annotated)
    try:
        reader.set_state(Gst.State.PLAYING)
        sample = pull(reader, "frame")
        frame = sample.get_buffer().copy_deep()
        GstShapes.buffer_add_shape_meta(frame, shapes)
        source = writer.get_by_name("frame")
        source.props.caps = sample.get_caps()
        writer.set_state(Gst.State.PLAYING)
        source.emit("push-buffer", frame)
        source.emit("end-of-stream")
        end(writer)
    finally:
        reader.set_state(Gst.State.NULL)
        writer.set_state(Gst.State.NULL)


def around(outline, point):
    """Whether a closed outline (n x 2) encloses a point: crossings of a ray to the right."""
    x, y = outline.T
    crosses = (y[:-1] > point[1]) != (y[1:] > point[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        at = x[:-1] + (point[1] - y[:-1]) / (y[1:] - y[:-1]) * (x[1:] - x[:-1])
    return np.count_nonzero(crosses & (at > point[0])) % 2 == 1


def decide(shapes):
    """A line for each fruit, from left to right and from the top down."""
    skins = [c for c in shapes.contours() if c.class_id == SKIN and c.closed and not c.hole]
    bruises = [c for c in shapes.contours() if c.class_id == BRUISE and not c.hole]
    skins.sort(key=lambda c: (c.centroid[1] > HEIGHT / 2, c.centroid[0]))
    print("fruit  skin, pixels  bruises  bruised")
    for number, skin in enumerate(skins, 1):
        outline = np.asarray(skin.points)
        mine = [b for b in bruises if around(outline, b.centroid)]
        share = sum(abs(b.area) for b in mine) / abs(skin.area)
        print("%5d  %12.0f  %7d  %6.1f %%  %s" % (number, abs(skin.area) * SCALE ** 2, len(mine), 100 * share,
                                                 "reject" if share > WORST else "accept"))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    Gst.init(None)
    folder = sys.argv[1]
    try:
        files.make_folder(folder)
        with files.Outputs() as outputs:
            picture, maps, annotated, lines = (outputs.choose(os.path.join(folder, name)) for name in (
                "fruits.png", "maps.raw", "annotated.png", "shapes.jsonl"))
            subprocess.run([sys.executable, SCENE, picture, maps], check=True)
            shapes, seconds, backend = find(maps, lines)
            draw(shapes, picture, annotated)
            _, _, annotated, lines = map(files.shown, outputs.commit())
    except (RuntimeError, GLib.Error, subprocess.CalledProcessError) as error:
        sys.exit(f"fruits.py: {error}")
    decide(shapes)
    print("\ncontours        %d in %d maps of %d x %d in %.2f ms, backend %s" % (
        len(list(shapes.contours())), CHANNELS, WIDTH, HEIGHT, seconds * 1e3, backend))
    print("picture         %s\nshapes          %s" % (annotated, lines))


if __name__ == "__main__":
    main()
