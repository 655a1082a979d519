# SPDX-License-Identifier: LGPL-2.1-or-later
"""Grades by colour and form: grades.py FRUIT_LINE LINE_SCENE FILES

What decisions say of a piece's skin is what its pictures show there, by the scene's own labels and CIE's formula; its elongation
is that of the ellipses that were drawn.
"""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

PROGRAM, SCENE, FILES = sys.argv[1:4]
CUPS, VIEWS, N_TRIGGERS, SKIN = 5, 4, 16, (1, 2, 3)
FIRST, PITCH = 51, 102
BLUSH, LIGHT = 20, 70
# A contour is a quarter of a pixel off at most, on the mean: 2 % of a piece's pixels are then the belt's, which differ from the
# skin's by 36 of L*, 20 of a* and 75 of b*.
TOLERANCES = {"L": .7, "a": .4, "b": 1.5}
SHARE = 2


def write_line(folder, more, triggers=N_TRIGGERS):
    with open(os.path.join(FILES, "apricot.ini"), encoding="utf-8") as file:
        recipe = file.read()
    with open(os.path.join(folder, "apricot.ini"), "w", encoding="utf-8") as file:
        file.write(recipe.replace("[limits extra]\n", more))
    with open(os.path.join(FILES, "line1.ini"), encoding="utf-8") as file:
        text = re.sub("(?m)^(turn|travel-mm|slip|still|hop|irregular)=.*\n", "", file.read())
    path = os.path.join(folder, "line1.ini")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("[geometry]\n", "[geometry]\nturn=72\n") + "triggers=%d\n" % triggers)
    return path


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done
    return done.stdout


def read_decisions(folder, output="fruit-line-output"):
    with open(os.path.join(folder, output, "decisions.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def read_picture(path, channels):
    with open(path, "rb") as file:
        data = file.read()
    head = data.split(b"\n", 3)
    columns, rows = map(int, head[1].split())
    shape = (rows, columns, channels) if channels > 1 else (rows, columns)
    return np.frombuffer(head[3], np.uint8).reshape(shape)


def to_lab(rgb):
    """CIE 1976 of sRGB under D65, as IEC 61966-2-1 and CIE 15 have it."""
    code = rgb / 255
    light = np.where(code <= .04045, code / 12.92, ((code + .055) / 1.055) ** 2.4)
    xyz = light @ np.array([[.4124, .2126, .0193], [.3576, .7152, .1192], [.1805, .0722, .9505]])
    share = xyz / np.array([.9505, 1, 1.089])
    f = np.where(share > (6 / 29) ** 3, np.cbrt(share), share / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], -1)


def find_truth(folder, piece):
    """All pixels of the skin of a piece."""
    pixels = []
    for cup in range(CUPS):
        for view in range(VIEWS):
            path = os.path.join(folder, "%06d-%d." % (piece + cup, view))
            labels, rgb = read_picture(path + "pgm", 1), read_picture(path + "ppm", 3)
            middle = FIRST + cup * PITCH
            part = slice(max(middle - PITCH // 2, 0), middle + PITCH // 2)
            pixels.append(rgb[:, part][np.isin(labels[:, part], SKIN)])
    return to_lab(np.concatenate(pixels).astype(float))


def test_colours(folder):
    config = write_line(folder, "[colour blush]\nmin-a=%d\n[colour light]\nmin-lightness=%d\n[limits extra]\n"
                        "min-blush-percent=30\nmax-light-percent=99\n" % (BLUSH, LIGHT))
    run("run", "--fast", "--record", config)
    scene = os.path.join(folder, "scene")
    subprocess.run([SCENE, "--pictures", scene, str(N_TRIGGERS), "1"], check=True)
    worst, shares, graded = dict.fromkeys([*TOLERANCES, "share"], 0), [], 0
    for decision in read_decisions(folder):
        piece = decision["piece"]
        if decision["diameter_mm"] == 0:
            assert "colour" not in decision and "shares" not in decision, decision
            continue
        lab = find_truth(scene, piece)
        for k, name in enumerate("Lab"):
            error = abs(decision["colour"][name] - lab[:, k].mean())
            assert error <= TOLERANCES[name], (piece, name, decision["colour"], lab.mean(0))
            worst[name] = max(worst[name], error)
        for name, is_of in ("blush", lab[:, 1] >= BLUSH), ("light", lab[:, 0] >= LIGHT):
            error = abs(decision["shares"][name] - 100 * is_of.mean())
            assert error <= SHARE, (piece, name, decision["shares"], 100 * is_of.mean())
            worst["share"] = max(worst["share"], error)
        shares.append(decision["shares"]["blush"])
        reason = "extra.min-blush-percent"
        if decision["status"] != "undecided":
            graded += 1
            assert (reason in decision["reasons"]) == (decision["shares"]["blush"] < 30), decision
        assert "elongation" not in decision
    assert graded >= 8 and min(shares) < 30 < max(shares) and len(shares) >= 8, shares
    assert " 0 differ" in run("replay", os.path.join(folder, "fruit-line-output"))
    print("%d pieces: " % len(shares) + ", ".join("%s %.2f" % pair for pair in worst.items()) + " off at most")


def test_live(folder):
    """In real time the same pictures show the same, and replay knows it, also with another limit."""
    grade = "[colour blush]\nmin-a=%d\n[limits extra]\nmin-elongation=1.001\nmin-blush-percent=" % BLUSH
    config = write_line(folder, grade + "30\n")
    run("run", "--fast", config)
    fast = read_decisions(folder)
    with open(config, encoding="utf-8") as file:
        text = file.read()
    with open(config, "w", encoding="utf-8") as file:
        file.write(text.replace("deadline-ms=50\n", "deadline-ms=20000\n"))
    live = os.path.join(folder, "live")
    run("run", "--record", "--output", live, config)
    decisions = read_decisions(folder, live)
    assert len(decisions) == len(fast) >= 12
    grades = "piece", "colour", "shares", "elongation", "outlet", "reasons"
    for decision, other in zip(decisions, fast):
        assert [decision.get(key) for key in grades] == [other.get(key) for key in grades], (decision, other)
    assert " 0 differ" in run("replay", live)
    limit = sorted(d["shares"]["blush"] for d in decisions if "shares" in d)[4] + .01
    with open(os.path.join(folder, "apricot.ini"), encoding="utf-8") as file:
        text = file.read()
    for name, changed in ("other", text.replace("percent=30", "percent=%.2f" % limit)), ("redder", text.replace("min-a=20", "min-a=21")):
        with open(os.path.join(folder, name + ".ini"), "w", encoding="utf-8") as file:
            file.write(changed)
    changed = sum((d["shares"]["blush"] < 30) != (d["shares"]["blush"] < limit) for d in decisions if "shares" in d)
    done = subprocess.run([PROGRAM, "replay", "--recipe", os.path.join(folder, "other.ini"), live], capture_output=True, text=True)
    assert done.returncode == 1 and changed > 0 and ", %d differ" % changed in done.stdout, (changed, done)
    done = subprocess.run([PROGRAM, "replay", "--recipe", os.path.join(folder, "redder.ini"), live], capture_output=True, text=True)
    assert done.returncode == 2 and "it asks for colours that are not measured" in done.stderr, done


def test_none(folder):
    """Who does not ask is not told."""
    run("run", "--fast", write_line(folder, "[limits extra]\n", 8))
    for decision in read_decisions(folder):
        assert not {"colour", "shares", "elongation"} & set(decision), decision


def draw(ratio, angle, columns, rows, middle, radius=25.):
    """Probabilities of an ellipse's pixels: soft over a pixel at its edge."""
    y, x = np.mgrid[:rows, :columns].astype(float)
    x, y = x - middle, y - (rows - 1) / 2
    u, v = x * math.cos(angle) + y * math.sin(angle), y * math.cos(angle) - x * math.sin(angle)
    a, b = radius * math.sqrt(ratio), radius / math.sqrt(ratio)
    f = np.hypot(u / a, v / b)
    slope = np.hypot(u / a ** 2, v / b ** 2) / np.maximum(f, 1e-9)
    return np.clip(.5 - (f - 1) / np.maximum(slope, 1e-9), 0, 1)


ELLIPSES = """[line]
name=ellipses
recipe=ellipses-recipe.ini
output=fruit-line-output
deadline-ms=60000
triggers-per-second=10
[geometry]
columns=%d
rows=95
mm-per-pixel=1
cups=5
cup-first=51
cup-pitch=102
turn=72
tilt=0
[lane a]
source=replay
location=ellipses.f32
"""
ELLIPSES_RECIPE = """[recipe]
name=ellipses
classes=belt;skin;rot
fruit=skin;rot
defects=rot
undecided-outlet=9
%s
[limits long]
min-elongation=1.25
[limits round]
max-elongation=1.1
[rule long]
outlet=1
limits=long
[rule round]
outlet=2
limits=round
[rule rest]
outlet=3
"""


def decide_ellipses(folder, ratios, more=""):
    columns, rows, n = PITCH * CUPS, 95, CUPS + 1
    picture = np.zeros((rows, columns, 3), np.float32)
    for cup, ratio in enumerate(ratios):
        picture[..., 1] = np.maximum(picture[..., 1], draw(ratio, .5 * cup, columns, rows, FIRST + cup * PITCH))
    picture[..., 0] = 1 - picture[..., 1]
    for i in range(n):
        # as noisy as a network's, or they stand still
        picture[0, 0] = (1 - .001 * i, .001 * i, 0)
        with open(os.path.join(folder, "ellipses.f32"), "ab" if i else "wb") as file:
            file.write(picture.tobytes())
    for name, text in ("ellipses.ini", ELLIPSES % columns), ("ellipses-recipe.ini", ELLIPSES_RECIPE % more):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    return subprocess.run([PROGRAM, "run", "--fast", os.path.join(folder, "ellipses.ini")], capture_output=True, text=True)


def test_ellipses(folder):
    """Of five looks the second longest counts: one alone may be wrong."""
    for ratios, wanted, outlet in ((1, 1.3, 1.1, 1.6, 1.2), 1.3, 1), ((1.05,) * 5, 1.05, 2), ((1.2,) * 4 + (1,), 1.2, 3):
        shutil.rmtree(os.path.join(folder, "fruit-line-output"), ignore_errors=True)
        done = decide_ellipses(folder, ratios)
        assert done.returncode == 0, done
        decisions = read_decisions(folder)
        assert len(decisions) == 2, decisions
        for decision in decisions:
            # the hull of a contour of straight lines: within a fifth of a pixel of 50
            assert abs(decision["elongation"] / wanted - 1) < .008, (ratios, decision["elongation"])
            assert decision["outlet"] == outlet, decision
            assert "colour" not in decision


def test_no_pictures(folder):
    done = decide_ellipses(folder, (1,) * 5, "[colour red]\nmin-a=20\n")
    assert done.returncode == 1 and "the recipe asks for colours, and there are no pictures" in done.stderr, done


def main():
    for test in test_colours, test_live, test_none, test_ellipses, test_no_pictures:
        with tempfile.TemporaryDirectory() as folder:
            test(folder)


if __name__ == "__main__":
    main()
