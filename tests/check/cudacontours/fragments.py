# SPDX-License-Identifier: LGPL-2.1-or-later
"""fragments.py [LINE-SCENE]: areas of small fragments of probability maps, as cudacontours measures them

Discs of known area, averaged over each pixel, blurred as a network blurs edges, anywhere between pixels. What is lost is a
number of square pixels that depends on the blur and the level, not on the size; the test holds it to what
docs/cudacontours.md says, and prints that table. With the program line-scene it also prints what becomes of the marks of
simulated fruits: not part of the test.
"""

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

import numpy as np

CELL, ACROSS, DOWN, SUB = 40, 16, 10, 8
AREAS = 4, 6, 9, 16, 25, 50, 100, 200, 400
BLURS = 0, 0.5, 1.0
LEVELS = 0.5, 0.3
HEIGHT, WIDTH = 95, 511


def find(folder, tensor, *options):
    """The shapes of a tensor of rows, columns and channels."""
    rows, columns, channels = tensor.shape
    path = os.path.join(folder, "maps.raw")
    tensor.astype(np.float32).tofile(path)
    done = subprocess.run([
        "gst-launch-1.0", "-q", "filesrc", "location=" + path, "blocksize=%d" % (4 * tensor.size), "!",
        "other/tensors,format=static,num_tensors=1,types=float32,dimensions=%d:%d:%d:1,framerate=0/1" % (
            channels, columns, rows), "!",
        "cudacontours", "layout=hwc", "close-at-border=true", "measures=basic", *options, "!",
        "shapejsonenc", "points=none", "!", "fdsink"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["shapes"]


def blur(picture, sigma):
    if not sigma:
        return picture
    steps = range(-5, 6)
    kernel = [math.exp(-0.5 * (step / sigma) ** 2) for step in steps]
    for axis in 0, 1:
        picture = sum(weight / sum(kernel) * np.roll(picture, step, axis) for weight, step in zip(kernel, steps))
    return picture


def render(area, random):
    """A disc in each cell: the share of each pixel that is in it."""
    radius = math.sqrt(area / math.pi)
    picture = np.zeros((CELL * DOWN, CELL * ACROSS))
    rows, columns = (np.mgrid[0:CELL * SUB, 0:CELL * SUB] + 0.5) / SUB - 0.5
    for cell in range(DOWN * ACROSS):
        y, x = CELL // 2 + random.random(2)
        share = ((rows - y) ** 2 + (columns - x) ** 2 < radius ** 2).reshape(CELL, SUB, CELL, SUB).mean((1, 3))
        top, left = cell // ACROSS * CELL, cell % ACROSS * CELL
        picture[top:top + CELL, left:left + CELL] = share
    return picture


def sum_cells(picture):
    return picture.reshape(DOWN, CELL, ACROSS, CELL).sum((1, 3))


def measure(folder, picture, level):
    """The area in each cell."""
    found = np.zeros((DOWN, ACROSS))
    for shape in find(folder, picture[..., None], "level=%g" % level):
        x, y = shape["centroid"]
        found[int(y) // CELL, int(x) // CELL] += shape["area"]
    return found


def check_discs(folder):
    random = np.random.default_rng(1)
    print("Lost of discs of so many square pixels, in square pixels, means of %d:" % (ACROSS * DOWN))
    print("blur level   " + "".join("%8d" % area for area in AREAS))
    pictures = {area: render(area, random) for area in AREAS}
    for sigma in BLURS:
        blurred = {area: blur(picture, sigma) for area, picture in pictures.items()}
        for level in LEVELS:
            lost = [area - np.mean(measure(folder, picture, level)) for area, picture in blurred.items()]
            count = [area - np.mean(sum_cells(picture > level)) for area, picture in blurred.items()]
            print("%4g %5g   " % (sigma, level) + "".join("%8.2f" % loss for loss in lost))
            print("   by pixels:" + "".join("%8.2f" % loss for loss in count))
            check_loss(sigma, level, lost)


def check_loss(sigma, level, lost):
    """At 0.5 an edge of curvature k moves inwards by k times half the variance of its blur; the integral of k along the edge
    is 2 pi. So pi times the variance is lost, and about a square pixel for pixels' size and for straight lines between
    crossings, whatever the disc's size is, unless the blur reaches its middle."""
    least = 16 if sigma == 1 else 6
    for area, loss in zip(AREAS, lost):
        if level == 0.5 and area >= least:
            assert 0.4 < loss - math.pi * sigma ** 2 < 1.3, (sigma, area, loss)
        elif level == 0.3 and area >= least:
            # the more the longer the edge is
            assert -2.5 < loss / math.sqrt(area) < -0.4, (sigma, area, loss)


def label_fragments(labels):
    """(class, rows and columns of its pixels) of each connected set of pixels of a defect."""
    left = {(y, x) for y, x in np.argwhere(labels >= 5)}
    while left:
        start = left.pop()
        kind, pixels, todo = labels[start], [start], [start]
        while todo:
            y, x = todo.pop()
            for at in ((y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)):
                if at in left and labels[at] == kind:
                    left.remove(at)
                    pixels.append(at)
                    todo.append(at)
        yield int(kind), np.array(pixels)


def assign(fragments, shapes, same_class):
    """The areas of the shapes that are nearest to each fragment, summed."""
    areas = [0] * len(fragments)
    for shape in shapes:
        x, y = shape["centroid"]
        distances = [np.hypot(*(pixels - (y, x)).T).min() if kind == shape["class"] or not same_class else 1e9
                     for kind, pixels in fragments]
        if distances and min(distances) < 3:
            areas[distances.index(min(distances))] += shape["area"]
    return areas


def show_scene(folder, program, triggers=30):
    """The marks that each view shows, with the tensors of an ideal network."""
    subprocess.run([program, folder, str(triggers)], check=True)
    rows = []
    for trigger in range(5, triggers):
        for view in range(4):
            name = os.path.join(folder, "%06d-%d" % (trigger, view))
            tensor = np.fromfile(name + ".f32", np.float32).reshape(HEIGHT, WIDTH, 12)
            labels = np.fromfile(name + ".pgm", np.uint8)[-HEIGHT * WIDTH:].reshape(HEIGHT, WIDTH)
            fragments = list(label_fragments(labels))
            found = [assign(fragments, find(folder, tensor, "classes=5,6,7,8,9,10,11", "level=%g" % level), True)
                     for level in LEVELS]
            found.append(assign(fragments, find(
                folder, tensor, "classes=none", "class-groups=defect=5+6+7+8+9+10+11", "level=0.5"), False))
            rows += [(len(pixels), *areas) for (_, pixels), *areas in zip(fragments, *found)]
    print("Marks of simulated fruits, area of contours against the number of their pixels, medians:")
    print("%-12s %9s %14s %14s %14s" % ("pixels", "fragments", "class at 0.5", "class at 0.3", "group at 0.5"))
    for low, high in zip((4, 6, 12, 25, 50, 100), (5, 11, 24, 49, 99, 400)):
        inside = [row for row in rows if low <= row[0] <= high]
        print("%3d .. %-6d %9d" % (low, high, len(inside)) + "".join(
            " %12.1f %%" % (100 * statistics.median(row[i] / row[0] - 1 for row in inside)) for i in (1, 2, 3)))
    print("min-area=6            " + "".join(" %12.1f %%" % (
        100 * statistics.median(row[i] / row[0] - 1 for row in rows if 6 <= row[i] <= 60)) for i in (1, 2, 3)))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        check_discs(temporary)
        if len(sys.argv) > 1:
            show_scene(temporary, sys.argv[1])
