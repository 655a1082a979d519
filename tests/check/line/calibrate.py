# SPDX-License-Identifier: LGPL-2.1-or-later
"""fruit-line calibrate on rendered targets: calibrate.py FRUIT_LINE FILES

Discs of known place and diameter, averaged over each pixel, a little out of focus,
with noise. What is printed must be a [geometry] that has these places again.
"""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy as np

PROGRAM, FILES = sys.argv[1:3]
COLUMNS, ROWS, CUPS = 511, 95, 5
FIRST, PITCH, RADIUS, MM = 49.37, 103.186, 24.83, 40.0
SUB = 8


def disc(x, y, wide, high):
    """The share of each pixel that is in the ellipse."""
    share = np.zeros((ROWS, COLUMNS))
    first, last = max(int(x - wide) - 2, 0), min(int(x + wide) + 3, COLUMNS)
    rows, columns = (np.mgrid[0:ROWS * SUB, first * SUB:last * SUB] + 0.5) / SUB - 0.5
    inside = ((columns - x) / wide) ** 2 + ((rows - y) / high) ** 2 < 1
    share[:, first:last] = inside.reshape(ROWS, SUB, last - first, SUB).mean((1, 3))
    return share


def blur(picture, sigma):
    kernel = np.exp(-0.5 * (np.arange(-4, 5) / sigma) ** 2)
    kernel /= kernel.sum()
    for axis in 0, 1:
        picture = sum(weight * np.roll(picture, shift, axis) for weight, shift in zip(kernel, range(-4, 5)))
    return picture


def make(ground=220, ball=40, discs=None, sigma=0.6, noise=5, seed=1):
    """RGB. @discs: (column, row, half width, half height) each"""
    if discs is None:
        discs = target()
    share = np.zeros((ROWS, COLUMNS))
    for each in discs:
        share += disc(*each)
    if sigma:
        share = blur(share, sigma)
    grain = np.random.default_rng(seed).normal(0, noise, share.shape)
    gray = np.clip(np.rint(ground + (ball - ground) * share + grain), 0, 255).astype(np.uint8)
    return np.repeat(gray[..., None], 3, 2)


def rings(picture, wide, ground):
    """The same with ground within the discs, but for a rim that is so wide."""
    share = sum(disc(x, y, r - wide, r - wide) for x, y, r, _ in target())
    return np.rint(picture + share[..., None] * (ground - picture.astype(float))).astype(np.uint8)


def target():
    return [(FIRST + PITCH * i, 46.3, RADIUS, RADIUS) for i in range(CUPS)]


def write_png(path, rgb):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    lines = b"".join(b"\0" + line.tobytes() for line in rgb)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", rgb.shape[1], rgb.shape[0], 8, 2, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def has(element):
    return subprocess.run(["gst-inspect-1.0", "--exists", element]).returncode == 0


def calibrate(folder, picture, *options, lane="lane1", status=0, name="target.png"):
    """Returns: keys and values, and all that was written."""
    path = os.path.join(folder, name)
    if picture is not None:
        write_png(path, picture)
    done = subprocess.run([PROGRAM, "calibrate", os.path.join(folder, "line1.ini"), lane, path, *options],
                          capture_output=True, text=True)
    assert done.returncode == status, (done, status)
    pairs = [line.split("=") for line in done.stdout.splitlines() if not line.startswith("#")]
    values = {key: [float(number) for number in value.split(";")] for key, value in pairs}
    return {key: value[0] if len(value) == 1 else value for key, value in values.items()}, done.stdout + done.stderr


def check_right(folder, picture, tolerance=0.002, **more):
    found, text = calibrate(folder, picture, "--diameter-mm=%g" % MM, **more)
    assert set(found) == {"mm-per-pixel", "cup-first", "cup-pitch"}, text
    error = found["mm-per-pixel"] / (MM / (2 * RADIUS)) - 1
    assert abs(error) < tolerance, (error, text)
    assert abs(found["cup-first"] - FIRST) < 0.05 and abs(found["cup-pitch"] - PITCH) < 0.02, text
    assert "warning" not in text and "for all views\n# in [geometry]\n" in text, text
    return error, text


def check_good(folder):
    errors = []
    for sigma in 0, 0.6, 1.2:
        for ground, ball in (220, 40), (30, 200), (140, 90):
            for seed in 1, 2:
                errors.append(check_right(folder, make(ground, ball, sigma=sigma, seed=seed))[0])
    errors.append(check_right(folder, make(noise=20))[0])
    errors.append(check_right(folder, make(noise=0))[0])
    # a bright spot in each ball, and a roller between them
    spots = make(30, 200)
    for x, y, *_ in target():
        spots[int(y) - 12:int(y) - 2, int(x) - 12:int(x) - 2] = 20
        spots[:, int(x) + 50:int(x) + 54] = 210
    errors.append(check_right(folder, spots)[0])
    # rims, whose inner edges are discs of nearly the same size
    check_right(folder, rings(make(sigma=0), 2.3, 220), .005)
    print("scale off by %.3f %% at most" % (100 * max(map(abs, errors))))
    # each line says what is there now
    text = check_right(folder, make())[1]
    assert "# now 0.8;" in text and "# now 51\n" in text and "# now 102;" in text, text
    # without a diameter there is no scale
    found, text = calibrate(folder, make())
    assert set(found) == {"cup-first", "cup-pitch"} and "give --diameter-mm" in text, text


def check_formats(folder):
    picture = make()
    with open(os.path.join(folder, "target.ppm"), "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (COLUMNS, ROWS) + picture.tobytes())
    if not has("pnmdec"):
        return
    check_right(folder, None, name="target.ppm")
    if has("jpegenc") and has("jpegdec"):
        subprocess.run(["gst-launch-1.0", "-q", "filesrc", "location=" + os.path.join(folder, "target.ppm"), "!", "pnmdec", "!",
                        "videoconvert", "!", "jpegenc", "quality=95", "!", "filesink",
                        "location=" + os.path.join(folder, "target.jpg")], check=True)
        check_right(folder, None, name="target.jpg")


def check_warnings(folder):
    discs = target()
    discs[2] = (discs[2][0] + 4, *discs[2][1:])
    assert "not in a row, or not at equal" in calibrate(folder, make(discs=discs))[1]
    discs = [(x, 46.3 + 2 * i - 4, r, r) for i, (x, _, r, _) in enumerate(target())]
    assert "not in a row, or not at equal" in calibrate(folder, make(discs=discs))[1]
    discs = [(x, y, r + 0.3 * i, r + 0.3 * i) for i, (x, y, r, _) in enumerate(target())]
    assert "diameters differ" in calibrate(folder, make(discs=discs))[1]


def check_views(folder):
    """Of one view of a lane of its own cameras: the other views' numbers stay."""
    path = os.path.join(folder, "line1.ini")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    own = "[lane b]\nsource=simulate\n[geometry b]\ntilt=-30;0;30\nmm-per-pixel=0.7;0.75;0.9\ncup-pitch=101;102;100.5\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "\n" + own)
    found, printed = calibrate(folder, make(), "--diameter-mm=%g" % MM, "--view=1", lane="b")
    assert "lane b, view 1\n# in [geometry b]; other lanes stay" in printed, printed
    assert "# now 0.7;0.75;0.9; diam" in printed and "# now 51\n" in printed and "# now 101;102;100.5; " in printed, printed
    for key, now, new, tolerance in (("mm-per-pixel", (.7, .75, .9), MM / (2 * RADIUS), .002), ("cup-first", (51, 51, 51), FIRST, .05),
                                     ("cup-pitch", (101, 102, 100.5), PITCH, .02)):
        assert [found[key][0], found[key][2]] == [now[0], now[2]] and abs(found[key][1] - new) < tolerance, found
    # what is printed is a geometry
    own += "".join(line + "\n" for line in printed.splitlines() if line.startswith("cup-first"))
    for line in printed.splitlines():
        if line.startswith(("mm-per-pixel", "cup-pitch")):
            own = "\n".join(line if each.split("=")[0] == line.split("=")[0] else each for each in own.split("\n"))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "\n" + own)
    found, printed = calibrate(folder, make(), "--view=1", lane="b")
    assert "# now 51;49.3" in printed, printed
    assert "--view must be from 0 to 2: lane b" in calibrate(folder, make(), "--view=3", lane="b", status=1)[1]
    assert "--view must be from 0 to 3: lane lane1" in calibrate(folder, make(), "--view=-2", status=1)[1]
    # all views of the other lane are the shared group's
    found, printed = calibrate(folder, make(), "--diameter-mm=%g" % MM)
    assert "for all views\n# in [geometry lane1]; other" in printed and isinstance(found["cup-first"], float), printed
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def check_errors(folder):
    discs = target()
    text = calibrate(folder, make(discs=discs[:2] + discs[3:]), status=1)[1]
    assert "4 round discs of one size for 5 cups, at columns " in text, text
    for i in 0, 1, 3, 4:
        assert any("%.1f" % (discs[i][0] + off) in text for off in (-.1, 0, .1)), text
    x, y, r, _ = discs[2]
    text = calibrate(folder, make(discs=discs[:2] + [(x, y, r, 1.1 * r)] + discs[3:]), status=1)[1]
    assert "4 round discs" in text and "a shape that is not round, 52" in text and "at column 255." in text, text
    text = calibrate(folder, make(discs=discs[:2] + [(x, y, 15, 15)] + discs[3:]), status=1)[1]
    assert "4 round discs" in text and "a disc 30" in text and "at column 255." in text, text
    assert "0 round discs" in calibrate(folder, make(discs=[]), status=1)[1]
    text = calibrate(folder, make()[:, :500], status=1)[1]
    assert "500 columns and 95 rows, but a view has 511 and 95" in text, text
    picture = np.where(make(noise=0) > 130, 220, 40).astype(np.uint8)
    assert "2 gray values only" in calibrate(folder, picture, status=1)[1]
    text = calibrate(folder, make(), lane="lane7", status=1)[1]
    assert "there is no [lane lane7]; there are: lane1" in text, text
    assert "No such file" in calibrate(folder, None, name="nothing.png", status=1)[1]
    with open(os.path.join(folder, "words.png"), "w") as file:
        file.write("no picture\n" * 100)
    assert "words.png: " in calibrate(folder, None, name="words.png", status=1)[1]
    assert "--diameter-mm must be" in calibrate(folder, make(), "--diameter-mm=0", status=2)[1]


with tempfile.TemporaryDirectory() as folder:
    for name in "line1.ini", "apricot.ini":
        shutil.copy(os.path.join(FILES, name), folder)
    check_good(folder)
    check_formats(folder)
    check_warnings(folder)
    check_views(folder)
    check_errors(folder)
