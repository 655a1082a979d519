# SPDX-License-Identifier: LGPL-2.1-or-later
"""What fruit-line says of fruit whose truth is known, seen well and badly: seen.py FRUIT_LINE FILES [CHECK ...]

Spheres with caps, by a renderer of its own (spheres.py), before one, two, four and six cameras: diameters, areas and coverage
are right; what is rotten is never sold as sound, and never `ok`, where lamps are off, tensors have NaN where the rot is, or
fruit turns otherwise than the configuration says.
"""

import configparser
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile

from spheres import CLASSES, ROT, Lane

PROGRAM, FILES = sys.argv[1:3]
RECIPE = os.path.join(FILES, "apricot.ini")
FOUR = (-45, -15, 15, 45)
LEAST_MM2 = 25          # areas and rot from this on are looked at
DIAMETER, AREA = .015, .12
COVERAGE = .02

CONFIG = """[line]
name=spheres
recipe=%s
output=out
deadline-ms=50
[geometry]
columns=%d
rows=%d
mm-per-pixel=%s
cups=%d
cup-first=%s
cup-pitch=%s
%s
tilt=%s
[lane one]
source=replay
location=/dev/stdin
"""


def read_sold():
    """Outlets of sound fruit: of rules that have limits, and take what is ok"""
    ini = configparser.ConfigParser(interpolation=None, delimiters="=", comment_prefixes="#")
    ini.read(RECIPE, encoding="utf-8")
    return {int(ini[name]["outlet"]) for name in ini.sections() if name.startswith("rule ") and "limits" in ini[name]
            and "ok" in ini[name].get("status", "ok").split(";")}


SOLD = read_sold()


def write_recipe(folder):
    """The shipped one, for lanes that have few looks. Returns: its path"""
    path = os.path.join(folder, "recipe.ini")
    with open(RECIPE, encoding="utf-8") as file, open(path, "w", encoding="utf-8") as copy:
        copy.write(re.sub("(?m)^min-looks=.*", "min-looks=1", file.read()))
    return path


def write_views(numbers):
    return ";".join("%.9g" % number for number in numbers)


def decide(lane, pieces, tensors, turn=None, scales=None):
    """A decision of each piece that these tensors show. turn, scales: the geometry's, where they are not the lane's own"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "line.ini")
        with open(path, "w", encoding="utf-8") as file:
            file.write(CONFIG % (write_recipe(folder), lane.columns, lane.rows, write_views(scales or lane.scales), lane.cups,
                                 write_views(lane.firsts), write_views(lane.pitches), turn or "turn=%g" % lane.turn,
                                 write_views(lane.tilts)))
        with subprocess.Popen([PROGRAM, "run", "--fast", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=False) as line:
            try:
                for tensor in tensors:
                    line.stdin.write(tensor.data)
            except BrokenPipeError:
                pass
            text = line.communicate()[0].decode()
        # 1: frames are lost, as they may be
        assert line.returncode in (0, 1), text
        try:
            with open(os.path.join(folder, "out", "decisions.jsonl"), encoding="utf-8") as file:
                decisions = [json.loads(one) for one in file]
        except FileNotFoundError:
            raise AssertionError(text) from None
    assert [decision["piece"] for decision in decisions] == list(range(len(pieces))), text
    return decisions


class Faults:
    """Of one check; the first few are printed."""

    def __init__(self, name):
        self.name, self.n, self.wrong = name, 0, []

    def expect(self, good, text, *values):
        self.n += 1
        if not good:
            self.wrong.append(text % values)
        return good

    def tell(self):
        print("%-4s %s: %d of %d wrong" % ("FAIL" if self.wrong else "ok", self.name, len(self.wrong), self.n), flush=True)
        for text in self.wrong[:5]:
            print("       " + text)
        return not self.wrong and self.n > 0


def compare_areas(pieces, decisions, looked_at):
    """(piece's number, channel, found, truth) of areas that are large enough"""
    for number, (piece, decision) in enumerate(zip(pieces, decisions)):
        for cap in piece.caps:
            area = piece.area(cap)
            if area >= LEAST_MM2 and looked_at(piece, cap):
                yield number, cap.channel, decision["classes"][CLASSES[cap.channel]]["mm2"], area


# Each check yields a Faults for each of its runs.


def check_renderer():
    """A cap straight before a camera is a disc of pi R^2 sin^2 a, the fruit one of pi R^2"""
    lane = Lane((20,), cups=1)
    faults = Faults("renderer: discs are as large as they should be")
    for mm2 in (25, 100, 400):
        piece = lane.draw({ROT: mm2}, 46)
        piece.caps[0].axis = lane.cameras[0][2]
        tensor = lane.tensor([piece], 0)[0]
        for channels, disc in (((ROT,), mm2 * (1 - mm2 / (4 * math.pi * 23 ** 2))),
                               (range(1, len(CLASSES)), math.pi * 23 ** 2)):
            noise = lane.noises[0, 0][..., channels].sum()
            found = (tensor[..., channels].sum() - noise) / (1 - .015) * lane.scale ** 2
            faults.expect(abs(found / disc - 1) < .01, "%g mm2: the disc has %g, not %g", mm2, found, disc)
        faults.expect(abs(tensor.sum(axis=-1) - 1).max() < 1e-5, "sums of %g mm2 are not 1", mm2)
    yield faults


def check_well():
    """All is well: measures are right, statuses ok, and what has no blemish is sold"""
    for tilts, cups, turn, scale, travel in (
            ((0,), 5, 72, .8, None), ((0,), 6, 60, .7, None), ((-30, 30), 5, 72, .8, None), ((-30, 30), 4, 90, .9, None),
            (FOUR, 5, 72, .8, None), (FOUR, 4, 45, .8, None), (FOUR, 5, -72, .8, None), (FOUR, 5, 72, .8, 28.9),
            ((-50, -30, -10, 10, 30, 50), 5, 72, .8, None)):
        lane = Lane(tilts, cups, turn, scale, seed=len(tilts) * 10 + cups)
        pieces = [lane.empty() if i % 9 == 4 else lane.draw_any() for i in range(18)]
        for piece in pieces if travel else ():
            if piece.diameter:
                piece.poses = lane.roll(360 * travel / (math.pi * piece.diameter))
        decisions = decide(lane, pieces, lane.tensors(pieces), travel and "travel-mm=%g" % travel)
        yield from tell_well(lane, pieces, decisions, "%d cameras, %d cups, %s" % (
            len(tilts), cups, "%g mm of travel" % travel if travel else "%g degrees" % turn))


def check_views():
    """Cameras of different scales and aims; and what comes of it if the scales of two of them are exchanged"""
    for tilts, views in (((-30, 30), ((.8, 0), (.64, 25))), (FOUR, ((.8, 9), (.64, 0), (.75, 31), (.9, 14)))):
        lane = Lane(tilts, seed=10 + len(tilts), views=views)
        pieces = [lane.empty() if i % 9 == 4 else lane.draw_any() for i in range(18)]
        tensors = lane.tensors(pieces)
        yield from tell_well(lane, pieces, decide(lane, pieces, tensors), "%d cameras of different scales" % len(tilts))
        exchanged = [lane.scales[1], lane.scales[0], *lane.scales[2:]]
        faults = Faults("two of %d scales are exchanged" % len(tilts))
        for number, (piece, decision) in enumerate(zip(pieces, decide(lane, pieces, tensors, scales=exchanged))):
            if not piece.diameter:
                continue
            faults.expect("shape" in decision["doubts"], "piece %d: %s", number, decision["doubts"])
            # the median of all looks is right while half of them are
            off = abs(decision["diameter_mm"] / piece.diameter - 1)
            faults.expect((off > DIAMETER) == (len(tilts) == 2), "piece %d: the diameter is off by %.3f", number, off)
        yield faults


def tell_well(lane, pieces, decisions, what):
    measures, areas, outlets = (Faults("all well, %s: %s" % (what, name)) for name in ("diameters", "areas", "outlets"))
    for number, (piece, decision) in enumerate(zip(pieces, decisions)):
        outlets.expect(decision["status"] == "ok", "piece %d is %s: %s", number, decision["status"], decision.get("doubts"))
        if not piece.diameter:
            outlets.expect(decision["reasons"] == ["empty"], "empty cup %d: %s", number, decision["reasons"])
            continue
        found = decision["diameter_mm"]
        measures.expect(abs(found / piece.diameter - 1) <= DIAMETER, "piece %d: %.2f mm, not %.2f", number, found,
                        piece.diameter)
        if not piece.caps:
            outlets.expect(decision["outlet"] in SOLD, "sound piece %d: outlet %d, %s", number, decision["outlet"],
                           decision["reasons"])
        outlets.expect(lane.visible(piece, ROT) < LEAST_MM2 or decision["outlet"] not in SOLD, "rotten piece %d: outlet %d",
                       number, decision["outlet"])
    for number, k, found, area in compare_areas(pieces, decisions, lane.is_seen):
        areas.expect(abs(found / area - 1) <= AREA, "piece %d: %s of %.1f mm2, not %.1f", number, CLASSES[k], found, area)
    return measures, areas, outlets


def tell_rotten(lane, pieces, decisions, what, numbers=None):
    """What some look of all views shows as rotten is not sold, and not ok; numbers: of those that are looked at"""
    sold, ok = (Faults("%s: %s" % (what, name)) for name in ("rotten pieces are not sold", "they are not ok"))
    for number, (piece, decision) in enumerate(zip(pieces, decisions)):
        shown = lane.visible(piece, ROT) if piece.diameter else 0
        if shown >= LEAST_MM2 and (numbers is None or number in numbers):
            sold.expect(decision["outlet"] not in SOLD, "piece %d: %.0f mm2 of rot, %.0f of it not at a limb, found %.0f: "
                        "outlet %d, %s", number, shown, lane.visible(piece, ROT, least=.3),
                        decision["classes"]["rot"]["mm2"], decision["outlet"], decision["status"])
            ok.expect(decision["status"] != "ok", "piece %d: %.0f mm2 of rot, outlet %d", number, shown, decision["outlet"])
    return sold, ok


def draw_rotten(lane, n, every=2):
    """Each second one (or third, ..) has rot that some look shows, beside other marks; in turn anywhere, and near one of the
    axis' ends, where few views see it"""
    pieces = []
    while len(pieces) < n:
        piece = lane.draw_any()
        if len(pieces) % every == 0:
            piece = lane.draw({ROT: lane.rng.uniform(30, 120), **piece.areas()})
            is_at_end = abs(piece.caps[0].axis[1]) > .75
            if lane.visible(piece, ROT) < LEAST_MM2 or (len(pieces) // every % 2 and not is_at_end):
                continue
        pieces.append(piece)
    return pieces


def check_dark():
    """One, two, or three of four lamps are off"""
    lane = Lane(FOUR, seed=3)
    pieces = draw_rotten(lane, 32)
    tensors = lane.tensors(pieces)
    for n in (1, 2, 3):
        for dark in itertools.combinations(range(4), n):
            what = "views %s are dark" % ", ".join(map(str, dark))
            decisions = decide(lane, pieces, lane.darken(tensors, dark))
            none = Faults(what + ": no piece is ok")
            for number, decision in enumerate(decisions):
                none.expect(decision["status"] != "ok", "piece %d: outlet %d", number, decision["outlet"])
            yield tell_rotten(lane, pieces, decisions, what)[0]
            yield none
    # with fewer cameras
    for tilts in ((-30, 30), (-50, -30, -10, 10, 30, 50)):
        lane = Lane(tilts, seed=4)
        pieces = draw_rotten(lane, 16)
        decisions = decide(lane, pieces, lane.darken(lane.tensors(pieces), (1,)))
        yield from tell_rotten(lane, pieces, decisions, "view 1 of %d is dark" % len(tilts))


def check_nan():
    """NaN at the rot: in one view, in all"""
    lane = Lane(FOUR, seed=5)
    pieces = draw_rotten(lane, 32, every=3)
    tensors = lane.tensors(pieces)
    rotten = [number for number, piece in enumerate(pieces) if lane.visible(piece, ROT) >= LEAST_MM2]

    def best(number):
        """The view that shows most of the rot"""
        return [max(range(4), key=lambda view: lane.visible(pieces[number], ROT, views=[view]))]

    for what, views in (("in one view", lambda number: [number % 4]), ("in the view that shows most", best),
                        ("in all views", lambda number: range(4))):
        numbers = [number for number in rotten if any(lane.visible(pieces[number], ROT, views=[v]) >= LEAST_MM2
                                                      for v in views(number))]
        decisions = decide(lane, pieces, lane.spoil(tensors, pieces, numbers, views))
        yield from tell_rotten(lane, pieces, decisions, "NaN at the rot %s" % what, numbers)


def check_turn():
    """The configuration's rotation is wrong by up to 20 degrees"""
    lane = Lane(FOUR, seed=6)
    pieces = draw_rotten(lane, 36)
    tensors = lane.tensors(pieces)
    for off in (0, -5, 5, -10, 10, -15, 15, -20, 20):
        decisions = decide(lane, pieces, tensors, "turn=%g" % (lane.turn + off))
        what = "turn %+d degrees" % off
        single, half = (Faults("%s: %s" % (what, name)) for name in ("areas are not less than a look shows", "nor than half"))
        ratios = []
        for number, k, found, area in compare_areas(pieces, decisions, lambda piece, cap: True):
            ratios.append(found / area)
            half.expect(found >= area / 2, "piece %d: %s of %.1f mm2, not %.1f", number, CLASSES[k], found, area)
            shown = lane.visible(pieces[number], k)
            single.expect(found >= .88 * shown, "piece %d: %s of %.1f mm2, a look shows %.1f", number, CLASSES[k], found, shown)
        near = sum(abs(ratio - 1) <= AREA for ratio in ratios) / len(ratios)
        most = Faults("%s: 95 %% of %d areas are within %d %%: %.1f %%, from %.2f to %.2f" % (
            what, len(ratios), 100 * AREA, 100 * near, min(ratios), max(ratios)))
        most.expect(near >= .95, "they are not")
        yield from (most, half, single)
        sold, _ = tell_rotten(lane, pieces, decisions, what)
        yield sold


def check_still():
    """Fruit that stands still, or hops"""
    for what in ("stand still", "hop"):
        lane = Lane(FOUR, seed=7)
        pieces = []
        while len(pieces) < 40:
            piece = draw_rotten(lane, 1)[0]
            piece.poses = lane.roll(0) if what == "stand still" else lane.hop(1 + len(pieces) % 4)
            if lane.visible(piece, ROT) >= LEAST_MM2:
                pieces.append(piece)
        sold, _ = tell_rotten(lane, pieces, decide(lane, pieces, lane.tensors(pieces)), "pieces %s" % what)
        yield sold


def check_coverage():
    """What decisions say of it, against points drawn at random"""
    for tilts, cups, turn, expected in (((0,), 5, 72, .84), (FOUR, 5, 72, 1), ((0,), 3, 72, None), (FOUR, 4, 45, None),
                                        ((-50, 20), 2, 90, None)):
        lane = Lane(tilts, cups, turn, seed=8)
        pieces = [lane.draw({}) for _ in range(6)]
        truth = lane.coverage(pieces[0])
        faults = Faults("coverage of %d cameras, %d cups, %g degrees: %.3f" % (len(tilts), cups, turn, truth))
        faults.expect(expected is None or abs(truth - expected) < .005, "by points %.3f, not %g", truth, expected or 0)
        for decision in decide(lane, pieces, lane.tensors(pieces)):
            for name in ("coverage", "most_coverage"):
                found = decision.get(name)
                faults.expect(found is not None and abs(found - truth) < COVERAGE, "%s of piece %d is %s", name,
                              decision["piece"], found)
        yield faults
    lane = Lane(FOUR, seed=9)
    pieces = [lane.draw({}) for _ in range(4)]
    tensors = lane.tensors(pieces)
    for dark in ((0,), (0, 1), (1, 2), (0, 1, 2)):
        truth = lane.coverage(pieces[0], views=[view for view in range(4) if view not in dark])
        faults = Faults("coverage, views %s dark: %.3f" % (dark, truth))
        for decision in decide(lane, pieces, lane.darken(tensors, dark)):
            found = decision.get("coverage")
            faults.expect(found is not None and abs(found - truth) < COVERAGE, "of piece %d it is %s", decision["piece"], found)
        yield faults


CHECKS = {"renderer": check_renderer, "well": check_well, "views": check_views, "dark": check_dark, "nan": check_nan, "turn": check_turn,
          "still": check_still, "coverage": check_coverage}


def main():
    good = [faults.tell() for name in sys.argv[3:] or CHECKS for faults in CHECKS[name]()]
    print("%d of %d are as they should be" % (sum(good), len(good)))
    return not all(good)


if __name__ == "__main__":
    sys.exit(main())
