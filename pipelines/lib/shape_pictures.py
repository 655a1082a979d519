#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""shape_pictures.py FOLDER [jpg or png]: pictures of what is measured and drawn, for docs/: of the photograph
docs/images/llf-original.jpg and of the scene of fruit_scene.py with its probability maps. Run it in
`meson devenv -C build`."""
import os
import subprocess
import sys
import tempfile

import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstShapes", "1.0")
from gi.repository import Gst, GstShapes
import numpy as np

import files

LIB = os.path.dirname(os.path.abspath(__file__))
PHOTOGRAPH = os.path.join(LIB, "..", "..", "docs", "images", "llf-original.jpg")
WIDTH, HEIGHT = 480, 272    # twice the maps' size
MAPS = "other/tensors,format=static,num_tensors=1,types=float32,dimensions=3:240:136:1,framerate=0/1"
RGB = "video/x-raw,format=RGB,width=%d,height=%d,framerate=0/1"
LINES = "line-width=1.5 casing=1"


def check(pipeline):
    message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR | Gst.MessageType.WARNING)
    if message:
        parse = message.parse_error if message.type == Gst.MessageType.ERROR else message.parse_warning
        sys.exit("shape_pictures.py: %s" % parse()[0].message)


def pull(line, data=None, caps=None, shapes=None, path=None):
    """The last buffer of @line, whose source is @data if there is some, or whose filesrc named file is of @path."""
    pipeline = Gst.parse_launch(("appsrc name=in format=time ! " if data is not None else "") + line +
                                " ! appsink name=out sync=false")
    if path:
        files.set_file(pipeline.get_by_name("file"), path)
    pipeline.set_state(Gst.State.PLAYING)
    if data is not None:
        source, buffer = pipeline.get_by_name("in"), Gst.Buffer.new_wrapped(data.tobytes())
        if shapes:
            GstShapes.buffer_add_shape_meta(buffer, shapes)
        source.props.caps = Gst.Caps.from_string(caps)
        source.emit("push-buffer", buffer)
        source.emit("end-of-stream")
    sample = None
    while following := pipeline.get_by_name("out").emit("try-pull-sample", 60 * Gst.SECOND):
        sample = following
    check(pipeline)
    pipeline.set_state(Gst.State.NULL)
    if not sample:
        sys.exit("shape_pictures.py: no frame came out of %s" % line)
    return sample.get_buffer()


def pixels(buffer, width, height):
    """Rows of a buffer begin at multiples of four bytes."""
    data = buffer.extract_dup(0, buffer.get_size())
    return np.frombuffer(data, np.uint8).reshape(height, -1)[:, :3 * width].reshape(height, width, 3)


def read(path, width, height):
    return pixels(pull("filesrc name=file ! decodebin ! videoconvert ! videoscale method=lanczos add-borders=false ! "
                       "video/x-raw,format=RGB,width=%d,height=%d,pixel-aspect-ratio=1/1" % (width, height), path=path),
                  width, height)


def padded(picture):
    height, width = picture.shape[:2]
    rows = np.zeros((height, (3 * width + 3) // 4 * 4), np.uint8)
    rows[:, :3 * width] = picture.reshape(height, -1)
    return rows


def process(picture, line, shapes=None):
    """@picture after the elements of @line; @shapes are put on it."""
    height, width = picture.shape[:2]
    return pixels(pull(line, padded(picture), RGB % (width, height), shapes), width, height)


def find(maps, line):
    return GstShapes.buffer_get_shape_set(pull(line, maps, MAPS))


def warmed(picture, probability):
    """@picture under a map, from blue for 0 through green to red for 1."""
    p = np.repeat(np.repeat(probability, 2, 0), 2, 1)[..., None]
    colour = 255 * np.clip(1.5 - np.abs(4 * p - (3, 2, 1)), 0, 1)
    return (.45 * picture + .55 * colour).astype(np.uint8)


def beside(*pictures):
    return np.concatenate(pictures, 1)


def count(folder):
    """The last frame of a film of discs that pass a line, one of them twice."""
    width, height, film = 640, 360, os.path.join(folder, "belt.gray")
    y, x = np.mgrid[0:height, 0:width]
    with open(film, "wb") as file:
        for t in range(118):
            frame = np.full((height, width), 24, np.uint8)
            for i in range(6):
                at = t - 15 * i if i != 2 or t < 100 else 200 - t - 15 * i
                frame[np.hypot(x - 6 * at + 40, y - 45 - 54 * i) <= 18 + 3 * (i % 3)] = 180 + 10 * i
            file.write(frame.tobytes())
    return pixels(pull(
        "filesrc name=file blocksize=%d ! rawvideoparse format=gray8 width=%d height=%d framerate=30/1 "
        "! cudacontours level=0.4 min-area=100 close-at-border=true ! shapezones tracks=overlap "
        'lines="passed: 320,359 320,0" zones="oven: 420,20 620,20 620,340 420,340" ! videoconvert ! '
        'video/x-raw,format=RGB ! shapeoverlay font-size=14 color-mode=region label="{track}"'
        % (width * height, width, height), path=film), width, height)


def make_pictures(photograph, scene, large, maps, labels):
    """Names and pictures; large: the scene with more pixels; labels: a file with the names of the maps, which are those of
    three classes that exclude each other."""
    contours = "cudacontours level=0.5 min-area=6 hierarchy=true labels-location=%s " % labels
    draw = "shapeoverlay %s font-size=13 legend=bottom-right " % LINES
    grouped = find(maps, contours + 'class-groups="fruit=1+2" group-mode=sum classes=none')
    exclusive = find(maps, contours + "exclusive=true classes=1,2")
    yield "measure-groups", beside(process(scene, draw, grouped), process(scene, draw, exclusive))
    measured = find(maps, contours + "classes=1,2 ! shapestats")
    heat = warmed(scene, maps[..., 2])
    yield "measure-map", beside(scene, process(heat, "shapeoverlay " + LINES, find(maps, contours + "classes=2")))
    yield "measure-statistics", process(
        large, draw.replace("bottom-right", "none") + 'color-mode=confidence label="{class} {confidence:.2f}"', measured)
    lanes = find(maps, contours + 'classes=none class-groups="fruit=1+2" group-mode=sum roi="0,0,240,70;0,70,240,66"')
    yield "measure-regions", process(scene, draw + 'color-mode=region label="lane {region}: {area:.0f}"', lanes)
    objects = "cudacontours level-method=otsu min-area=%d hierarchy=true close-at-border=true "
    yield "measure-hulls", process(
        photograph, objects % 2000 + "! cudahull measures=full ellipse=true defects=true ! shapeoverlay %s "
        "color-mode=shape draw-ellipses=true" % LINES)
    yield "overlay-photograph", process(
        photograph, objects % 200 + "! shapeoverlay %s color-mode=shape fill-opacity=0.25 font-size=13 "
        'label="{id}: {area:.0f} px"' % LINES)


def write(picture, path, kind):
    height, width = picture.shape[:2]
    encode = "pngenc" if kind == "png" else "jpegenc quality=70"
    buffer = pull("videoconvert ! %s" % encode, padded(picture), RGB % (width, height))
    with open(path, "wb") as file:
        file.write(buffer.extract_dup(0, buffer.get_size()))


def draw(outputs, target, kind="jpg"):
    with tempfile.TemporaryDirectory() as folder:
        picture, raw = os.path.join(folder, "scene.png"), os.path.join(folder, "maps.raw")
        subprocess.run([sys.executable, os.path.join(LIB, "fruit_scene.py"), picture, raw], check=True)
        labels = os.path.join(folder, "labels")
        with open(labels, "w") as file:
            file.write("ground\nsound\nbruise\n")
        scene, large = read(picture, WIDTH, HEIGHT), read(picture, 720, 408)
        skin, bruise = np.moveaxis(np.fromfile(raw, np.float32).reshape(136, 240, 2), -1, 0)
        maps = np.stack((1 - skin, skin * (1 - bruise), skin * bruise), -1)
        write(count(folder), outputs.name(os.path.join(target, "counting.%s" % kind)), kind)
        for name, picture in make_pictures(read(PHOTOGRAPH, 400, 375), scene, large, maps, labels):
            write(picture, outputs.name(os.path.join(target, "%s.%s" % (name, kind))), kind)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    Gst.init(None)
    try:
        with files.Outputs([PHOTOGRAPH]) as outputs:
            draw(outputs, *sys.argv[1:])
            outputs.commit()
    except RuntimeError as error:
        sys.exit(f"shape_pictures.py: {error}")


if __name__ == "__main__":
    main()
