#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""llf_pictures.py FOLDER: the pictures of docs/cudallf.md, made by the element: the photographs llf-*.jpg of the folder with
each preset, before and after beside each other, what becomes of an edge, and a scene of HDR. Run it in
`meson devenv -C build`."""
import os
import sys
import tempfile

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst

import numpy as np

import files
import films
import hdr_scene

WIDTH, HEIGHT = 256, 64
MARGIN, PLOT = 34, (640, 300)
PHOTOGRAPHS = ("portrait", "coffee", "night")
PRESETS = ("Detail", "CleanDetail", "Clarity", "Smooth", "Compress")


def run(line, **locations):
    pipeline = Gst.parse_launch(line)
    for name, location in locations.items():
        files.set_file(pipeline.get_by_name(name), location)
    films.run(pipeline)


def filtered(rows, properties):
    """Rows of gray codes after the filter."""
    pipeline = Gst.parse_launch(
        "appsrc name=source format=time caps=video/x-raw,format=GRAY8,width=%d,height=%d,framerate=0/1 ! "
        "cudallf %s ! appsink name=sink sync=false" % (WIDTH, HEIGHT, properties))
    source, sink = pipeline.get_by_name("source"), pipeline.get_by_name("sink")
    pipeline.set_state(Gst.State.PLAYING)
    source.emit("push-buffer", Gst.Buffer.new_wrapped(b"".join(rows)))
    source.emit("end-of-stream")
    buffer = sink.emit("pull-sample").get_buffer()
    data = buffer.extract_dup(0, buffer.get_size())
    pipeline.set_state(Gst.State.NULL)
    return [data[y * WIDTH:(y + 1) * WIDTH] for y in range(HEIGHT)]


def edge():
    """A step of 110 codes, with a texture of 6 codes on both sides."""
    return [bytes((70 if x < WIDTH // 2 else 180) + (3 if (x // 4 + y // 4) % 2 else -3) for x in range(WIDTH))
            for y in range(HEIGHT)]


def unsharp(rows, radius=12, gain=1.):
    """Unsharp mask: adds the difference from the local mean."""
    row = rows[HEIGHT // 2]
    means = []
    for x in range(WIDTH):
        part = [sum(rows[HEIGHT // 2 + dy][min(max(x + dx, 0), WIDTH - 1)] for dy in (-4, 0, 4, 8)) / 4
                for dx in range(-radius, radius + 1)]
        means.append(sum(part) / len(part))
    return [min(max(code + gain * (code - mean), 0), 255) for code, mean in zip(row, means)]


def plot(path, lines):
    """An SVG of lines of codes, each (name, colour, values)."""
    def place(x, code):
        return "%.1f,%.1f" % (MARGIN + x * (PLOT[0] - 1.5 * MARGIN) / (WIDTH - 1),
                              PLOT[1] - MARGIN - code * (PLOT[1] - 1.5 * MARGIN) / 255)
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">'
             % PLOT, '<rect width="100%" height="100%" fill="#fff"/>']
    for code in (0, 64, 128, 192, 255):
        left, right = place(0, code), place(WIDTH - 1, code)
        parts.append('<polyline points="%s %s" stroke="#d8d8d8"/>' % (left, right))
        parts.append('<text x="4" y="%.1f" fill="#555">%d</text>' % (float(left.split(",")[1]) + 4, code))
    for index, (name, colour, values) in enumerate(lines):
        points = " ".join(place(x, value) for x, value in enumerate(values))
        parts.append('<polyline points="%s" stroke="%s" stroke-width="1.6" fill="none"/>' % (points, colour))
        parts.append('<text x="%d" y="%d" fill="%s">%s</text>' % (MARGIN + 10, MARGIN + 18 * index, colour, name))
    parts.append('<text x="%d" y="%d" fill="#555">column of the picture</text></svg>' % (PLOT[0] / 2 - 60, PLOT[1] - 10))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(parts) + "\n")


def exposed(picture, stops):
    """What a display shows of linear light when it is so many stops brighter: codes of sRGB."""
    light = np.clip(picture * 2. ** stops, 0, 1)
    return np.rint(255 * np.where(light > .0031308, 1.055 * light ** (1 / 2.4) - .055, 12.92 * light)).astype(np.uint8)


def hdr(outputs, folder):
    """The scene of hdr_scene.py, exposed for the window and for the room, then tone-mapped without and with the filter."""
    picture = hdr_scene.draw()
    light = "other/tensors,format=static,num_tensors=1,types=float32,dimensions=3:%d:%d:1,framerate=0/1" % (
        hdr_scene.WIDTH, hdr_scene.HEIGHT)
    codes = "video/x-raw,format=RGB,width=%d,height=%d,framerate=0/1" % (hdr_scene.WIDTH, hdr_scene.HEIGHT)
    with tempfile.NamedTemporaryFile() as file:
        for name, caps, data, use in (
                ("window", codes, exposed(picture, .5), "identity"), ("room", codes, exposed(picture, 6.5), "identity"),
                ("log", light, picture, "cudallf hdr=linear amount=0"),
                ("tonemap", light, picture, "cudallf @preset=ToneMap")):
            data.tofile(file.name)
            run("filesrc name=source blocksize=%d ! %s ! %s ! videoconvert ! jpegenc quality=85 ! filesink name=target" % (
                data.nbytes, caps if caps == light else "rawvideoparse format=rgb width=%d height=%d framerate=0/1" % (
                    hdr_scene.WIDTH, hdr_scene.HEIGHT), use),
                source=file.name, target=outputs.name(os.path.join(folder, "llf-hdr-%s.jpg" % name)))


def photograph(outputs, folder, name, target, use):
    # JPEG is of BT.601, and of all codes
    run("filesrc name=source ! jpegdec ! videoconvert ! video/x-raw,format=RGBx ! cudallf %s ! videoconvert ! "
        "video/x-raw,format=I420,colorimetry=1:4:7:1 ! jpegenc quality=85 ! filesink name=target" % use,
        source=os.path.join(folder, "llf-%s.jpg" % name),
        target=outputs.name(os.path.join(folder, "llf-%s.jpg" % target)))


def draw(outputs, folder):
    for name in PHOTOGRAPHS:
        for preset in PRESETS:
            photograph(outputs, folder, name, "%s-%s" % (name, preset.lower()), "@preset=" + preset)
    photograph(outputs, folder, "coffee", "split", "@preset=Detail split=0.5")
    hdr(outputs, folder)
    rows = edge()
    middle = HEIGHT // 2
    plot(outputs.name(os.path.join(folder, "llf-edge.svg")), (
        ("unsharp mask, radius 12", "#d5590f", unsharp(rows)),
        ("cudallf sigma=0.2 alpha=0.5", "#0060b0", filtered(rows, "alpha=0.5")[middle]),
        ("before", "#202020", rows[middle])))
    exact = filtered(rows, "alpha=0.5 quality=exact")
    normal = filtered(rows, "alpha=0.5")
    print("largest difference from quality=exact: %d" % max(
        abs(a - b) for p, q in zip(exact, normal) for a, b in zip(p, q)))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    Gst.init(None)
    try:
        with files.Outputs() as outputs:
            draw(outputs, sys.argv[1])
            outputs.commit()
    except RuntimeError as error:
        sys.exit(f"llf_pictures.py: {error}")


if __name__ == "__main__":
    main()
