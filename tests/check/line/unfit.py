# SPDX-License-Identifier: LGPL-2.1-or-later
"""unfit.py FRUIT_LINE FILES FRUIT_LINE_PY: tensors that cannot be believed

What a broken network, or the wrong one, gives: the views that it spoils are lost, for a reason that is said and counted, and no
piece that they show is ok. `run --fast`, pipelines/fruit_line.py and a line in real time decide the same.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

from files import read, write

PROGRAM, FILES, SCRIPT = sys.argv[1:4]
VIEWS, ROWS, COLUMNS, CLASSES, CUPS, TRIGGERS = 4, 95, 204, 12, 2, 7
BELT, SKIN, ROT = 0, 1, 6
# all flaws but those of all triggers
AT, VIEW = 3, 1
REASONS = "not-finite", "out-of-range", "sum", "constant", "frozen"
FROZEN = "it shows fruit, and is the same, bit for bit, as one of before: "


def make_tensors(triggers=TRIGGERS):
    """A piece of 48 mm in each cup, every third one rotten, with noise. All views are one, and pieces do not turn."""
    rows, columns = np.mgrid[0:ROWS, 0:COLUMNS]
    tensors = np.random.default_rng(1).uniform(0, .01, (triggers, VIEWS, ROWS, COLUMNS, CLASSES)).astype(np.float32)
    for trigger in range(triggers):
        for cup in range(CUPS):
            edge = np.hypot(columns - (51 + 102 * cup), rows - 47)
            skin = np.clip(30.5 - edge, 0, 1) * (abs(columns - (51 + 102 * cup)) < 51)
            rot = np.clip(8.5 - edge, 0, 1) * ((trigger - cup) % 3 == 0)
            tensors[trigger, ..., SKIN] += skin - rot
            tensors[trigger, ..., ROT] += rot
    tensors[..., BELT] += 1 - tensors[..., 1:].sum(axis=-1).clip(0, 1)
    return tensors / tensors.sum(axis=-1, keepdims=True)


def write_config(folder, keys="", lane="source=replay\nlocation=tensors.f32", rate=40, columns=COLUMNS):
    text = read(FILES, "line1.ini").split("[lane ")[0]
    for key, value in ("columns", columns), ("cups", CUPS), ("deadline-ms", 20000), ("triggers-per-second", rate):
        text, n = re.subn("(?m)^%s=.*" % key, "%s=%s" % (key, value), text)
        assert n == 1, key
    text, n = re.subn("(?m)^travel-mm=.*\n#.*\ntilt=.*", "turn=0\ntilt=0;0;0;0", text)
    assert n == 1
    recipe = read(FILES, "apricot.ini")
    assert recipe.count("[recipe]\n") == 1 and recipe.count("min-looks=10\n") == 1
    recipe = recipe.replace("min-looks=10\n", "min-looks=4\n")
    write(recipe.replace("[recipe]\n", "[recipe]\n" + keys), folder, "apricot.ini")
    return write(text + "[lane lane1]\n%s\n" % lane, folder, "line.ini")


def run(*command):
    """(standard error, seconds)"""
    begin = time.monotonic()
    done = subprocess.run([PROGRAM, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    return done.stderr, time.monotonic() - begin


def check_messages(text, seconds, message):
    """As one line says it, at most once a second. The view is that of the first complaint; message: what follows, or None."""
    lines = [line for line in text.splitlines() if re.match("lane1: trigger [0-9]+, view [0-9]+: ", line)]
    assert len(lines) <= 1 + seconds, (seconds, text)
    assert bool(lines) == bool(message) and all(message in line for line in lines), (message, text)
    return lines


def run_fast(folder, config, message):
    """Decisions, lines"""
    output = tempfile.mkdtemp(dir=folder)
    said, seconds = run("run", "--fast", "--output", os.path.join(output, "out"), config)
    check_messages(said, seconds, message)
    return read(output, "out", "decisions.jsonl").splitlines(), said


def run_live(folder, config, message):
    """Decisions, losses. Replayed, they are the same."""
    output = os.path.join(tempfile.mkdtemp(dir=folder), "out")
    said, seconds = run("run", "--record", "--seconds", "60", "--output", output, config)
    check_messages(said, seconds, message)
    report = json.loads(read(output, "report.json"))
    lane = report["lanes"]["lane1"]
    frames, losses = lane["frames"], lane["losses"]
    assert report["adds_up"] is True and frames["lost"] == sum(losses.values()), report
    assert lane["triggers"] * VIEWS == frames["in_time"] + frames["late"] + frames["lost"], lane
    assert "0 differ" in subprocess.run([PROGRAM, "replay", output], capture_output=True, text=True, check=True).stdout
    text = read(output, "report.txt")
    for reason, words in zip(REASONS, ("not finite", "logits=true in [recipe]", "exclusive=false in [recipe]", "everywhere",
                                      "the same as before")):
        assert (words in text) == (losses[reason] > 0), (reason, text)
    return [json.loads(line) for line in read(output, "decisions.jsonl").splitlines()], losses


def check_decisions(decisions, unfit):
    """unfit: (trigger, view) of each"""
    for decision in decisions:
        lost = {(view["frame_id"], view["view"]) for view in decision["views"] if not view["ok"]}
        assert lost == {(t, v) for t, v in unfit if 0 <= t - decision["piece"] < CUPS}, (decision, unfit)
        assert all(view["ok"] == (view["t_ns"] is not None) for view in decision["views"]), decision
        expected = "ok" if not lost else "partial" if CUPS * VIEWS - len(lost) >= 4 else "undecided"
        # tensors of noise have blemishes of no class
        if not lost and "no-class" in decision["doubts"]:
            expected = "partial"
        assert decision["status"] == expected, (decision, expected)


def judge_live(decisions, losses, expected, reason, n_unfit):
    """What a machine that is too busy does not look at is lost, too, for another reason."""
    too_busy = losses["crowded"] + losses["slow"]
    assert sum(losses.values()) == losses.get(reason, 0) + too_busy, losses
    assert losses.get(reason, 0) <= n_unfit <= losses.get(reason, 0) + too_busy, (losses, n_unfit)
    if not too_busy:
        names = "piece", "diameter_mm", "area_mm2", "classes", "outlet", "reasons", "status"
        assert [[d[name] for name in names] for d in decisions] == [[d[name] for name in names] for d in expected]


def check_case(folder, module, name, tensors, reason=None, message=None, unfit=None, keys=""):
    """unfit: (trigger, view) of the views that are; reason and message: why. Returns: the decisions"""
    unfit = unfit if unfit is not None else {(AT, VIEW)} if reason else set()
    config = write_config(folder, keys)
    tensors = np.ascontiguousarray(tensors, np.float32)
    tensors.tofile(os.path.join(folder, "tensors.f32"))
    lines, said = run_fast(folder, config, message)
    first = "lane1: trigger %d, view %d: " % min(unfit) if unfit else ""
    assert first in said, (first, said)
    counts = "lane1: lost views of triggers: %s: %d\n" % (reason, len(unfit))
    assert (counts in said) == bool(unfit), (name, said)
    decisions = [json.loads(line) for line in lines]
    assert len(decisions) == len(tensors) - CUPS + 1
    check_decisions(decisions, unfit)
    twin = module.FruitLine(config)
    found = []
    for trigger, one in enumerate(tensors):
        before = one.copy()
        found += twin.lines(one)
        assert np.array_equal(one.view(np.uint32), before.view(np.uint32)), "the caller's tensors are changed"
        assert twin.lost[trigger] == [reason if (trigger, view) in unfit else None for view in range(VIEWS)], twin.lost
    twin.close()
    for a, b in zip(lines, found, strict=True):
        assert a == b, (name, a, b)
    live, losses = run_live(folder, config, message)
    judge_live(live, losses, decisions, reason, len(unfit))
    print("%s: %s" % (name, ", ".join("%s %d" % (d["status"], d["outlet"]) for d in decisions)), flush=True)
    return decisions


def spoil(tensors, value, where=np.s_[AT, VIEW]):
    """A copy, with other values there."""
    tensors = tensors.copy()
    tensors[where] = value
    return tensors


def check_views(folder, module, good):
    """One view of one trigger."""
    view = good.shape[2:]
    noise = np.random.default_rng(2).random(view, np.float32)
    everywhere = {(t, v) for t in range(TRIGGERS) for v in range(VIEWS)}
    expected = check_case(folder, module, "good", good)
    assert len({d["outlet"] for d in expected}) > 1 and all(d["status"] == "ok" for d in expected), expected
    # where the rot is: what is NaN there is not taken for sound
    check_case(folder, module, "a NaN", spoil(good, np.nan, np.s_[AT, VIEW, 47, 51, ROT]), "not-finite",
               "1 value is not finite: the network's output is broken")
    last = np.s_[AT, VIEW, ROWS - 1, COLUMNS - 1, CLASSES - 1]
    check_case(folder, module, "an infinity", spoil(good, np.inf, last), "not-finite", "1 value is not finite")
    check_case(folder, module, "all NaN", spoil(good, np.nan), "not-finite", "%d values are not finite" % np.prod(view))
    check_case(folder, module, "ones", spoil(good, 1), "sum",
               "add up to 12: if the classes do not exclude each other, say exclusive=false in [recipe]")
    check_case(folder, module, "zeros", spoil(good, 0), "sum", "add up to 0: ")
    check_case(folder, module, "noise", spoil(good, noise), "sum", "probabilities of a pixel add up to ")
    check_case(folder, module, "one too great", spoil(good, 1.1, last), "out-of-range", "values from ")
    check_case(folder, module, "constant", spoil(good, np.float32(1 / CLASSES)), "constant",
               "all pixels have the same probabilities: the network does not see the picture")
    check_case(folder, module, "all views", spoil(good, np.nan, np.s_[AT]), "not-finite", "values are not finite",
               {(AT, v) for v in range(VIEWS)})
    check_case(folder, module, "all of all", spoil(good, np.nan, np.s_[:]), "not-finite", "values are not finite", everywhere)
    return expected


def check_borders(folder, module, good):
    """As near as float32 comes to what is allowed; the same for both programs."""
    tensors = good.copy()
    for trigger, value in enumerate((1.001, np.nextafter(np.float32(1.001), np.float32(2)), -.001,
                                     np.nextafter(np.float32(-.001), np.float32(-1)))):
        tensors[trigger, VIEW, 5, 5] = np.float32(value) * (np.arange(CLASSES) == 3)
    check_case(folder, module, "borders", tensors, "out-of-range", "values from ", {(1, VIEW), (3, VIEW)}, "exclusive=false\n")
    tensors = good.copy()
    for trigger, value in enumerate((1.1, np.nextafter(np.float32(1.1), np.float32(2)), .9,
                                     np.nextafter(np.float32(.9), np.float32(0)))):
        # halves: their sum is exact
        tensors[trigger, VIEW, 5, 5] = np.float32(value) / 2 * (np.arange(CLASSES) < 2)
    check_case(folder, module, "borders of sums", tensors, "sum", "add up to ", {(1, VIEW), (3, VIEW)})


def check_keys(folder, module, good, expected):
    """exclusive and logits: of all triggers."""
    everywhere = {(t, v) for t in range(TRIGGERS) for v in range(VIEWS)}
    exclusive, logits = "exclusive=false\n", "logits=true\n"
    scores = np.log(np.maximum(good, 1e-6)) + np.random.default_rng(3).normal(0, 9, good.shape[:-1] + (1,))
    own = np.log(np.maximum(good, 1e-6)) - np.log(np.maximum(1 - good, 1e-6))
    check_case(folder, module, "logits", scores, "out-of-range",
               "are no probabilities: if the network gives logits, say logits=true in [recipe]", everywhere)
    for name, values, keys in (("logits, said", scores, logits), ("logits, not exclusive", own, logits + exclusive)):
        found = check_case(folder, module, name, values, keys=keys)
        for a, b in zip(found, expected, strict=True):
            assert a["outlet"] == b["outlet"] and abs(a["diameter_mm"] - b["diameter_mm"]) < .05, (name, a, b)
    sizes = np.random.default_rng(4).choice((3e38, -3e38, 1000, -1000, 88, -104, 0, 1e-42), good.shape[3:])
    check_case(folder, module, "logits of any size", spoil(scores, sizes, np.s_[AT, VIEW, 0]), keys=logits)
    check_case(folder, module, "logits of any size, not exclusive", spoil(own, sizes, np.s_[AT, VIEW, 0]), keys=logits + exclusive)
    check_case(folder, module, "logits, an infinity", spoil(scores, -np.inf, np.s_[AT, VIEW, 47, 51, ROT]), "not-finite",
               "1 value is not finite", keys=logits)
    check_case(folder, module, "logits, constant", spoil(scores, -4), "constant", "all pixels have the same", keys=logits)
    check_case(folder, module, "logits, frozen", spoil(scores, scores[AT - 1, VIEW]), "frozen", FROZEN, keys=logits)
    # other logits, though they may make the same probabilities
    large = np.float32(400) * (2 * (good > .5) - 1)
    large[1::2] *= 2
    check_case(folder, module, "logits of 0 and 1", large, keys=logits)
    both = good.copy()
    both[..., CLASSES - 1] += both[..., ROT].clip(0, .5)
    check_case(folder, module, "classes beside each other", both, keys=exclusive)
    check_case(folder, module, "ones, not exclusive", spoil(good, 1), "constant", "all pixels have the same", keys=exclusive)


def check_frozen(folder, module, good, expected):
    """Fruit that stands still in the tensors, and empty cups that may."""
    check_case(folder, module, "frozen", spoil(good, good[AT - 1, VIEW]), "frozen", FROZEN)
    check_case(folder, module, "another view's", spoil(good, good[AT - 1, 3]), "frozen", FROZEN)
    tensors = good.copy()
    tensors[AT:] = good[AT - 1]
    found = check_case(folder, module, "all frozen", tensors, "frozen", FROZEN,
                       {(t, v) for t in range(AT, TRIGGERS) for v in range(VIEWS)})
    # the rotten piece that comes then; what stands still shows sound ones
    assert "rot" in str(expected[AT]["reasons"]) and "rot" not in str(expected[AT - 1]["reasons"] + expected[AT - 2]["reasons"])
    assert found[AT]["status"] == "undecided" and found[AT]["outlet"] == 9, found[AT]
    check_case(folder, module, "that of three triggers ago", spoil(good, good[AT - 3, VIEW]))
    tensors = good.copy()
    tensors[:, VIEW] = tensors[:, 0]
    check_case(folder, module, "views alike", tensors)
    # as an empty belt is after rounding, with as much of fruit as is none yet, and as is; 0.5 exactly
    belt = np.zeros(good.shape, np.float32)
    belt[..., BELT] = 1
    for n_pixels in 0, 245, 246:
        tensors = belt.copy()
        spot = np.zeros((ROWS, COLUMNS), bool)
        spot[30:46, 20:36] = np.arange(256).reshape(16, 16) < n_pixels
        tensors[..., spot, :] = .5 * (np.arange(CLASSES) == BELT) + .25 * np.isin(np.arange(CLASSES), (SKIN, ROT))
        # no fruit, and not constant
        tensors[..., 80, 100, BELT], tensors[..., 80, 100, SKIN] = .5 + 1e-7, .5 - 1e-7
        is_fruit = n_pixels == 246
        check_case(folder, module, "%d pixels of fruit" % n_pixels, tensors, "frozen" if is_fruit else None,
                   FROZEN if is_fruit else None, {(t, v) for t in range(1, TRIGGERS) for v in range(VIEWS)} if is_fruit else None)


def check_repeat(folder, good):
    """A file of one trigger, which stands still."""
    good[:1].tofile(os.path.join(folder, "tensors.f32"))
    config = write_config(folder, lane="source=replay\nlocation=tensors.f32\nrepeat=true", rate=10)
    output = os.path.join(folder, "repeat")
    run("run", "--seconds", "1.5", "--output", output, config)
    decisions = [json.loads(line) for line in read(output, "decisions.jsonl").splitlines()]
    assert len(decisions) > 5 and all(d["status"] != "ok" for d in decisions), decisions
    assert all(d["status"] == "undecided" for d in decisions[1:]), decisions


# mode; the first answer is that to the black picture before all, in real time
NETWORK = """
import struct, sys
import numpy as np
n = -1 if sys.argv[1] == "live" else 0
while head := sys.stdin.buffer.read(20):
    _, tag, rows, columns, _ = struct.unpack("<4s4I", head)
    sys.stdin.buffer.read(rows * columns * 3)
    tensor = np.zeros((rows, columns, 12), np.float32)
    tensor[..., 0], tensor[0, 0, :2] = 1, .5
    tensor[3, 4, 5] = np.nan if n < 0 or n % 4 == 2 else 0
    if n % 4 == 3:
        tensor[:] = 1 / 12
    sys.stdout.buffer.write(struct.pack("<4s4I", b"FLNT", tag, rows, columns, 12) + tensor.tobytes())
    sys.stdout.buffer.flush()
    n += 1
"""


def check_network(folder):
    """Views of a network are judged as they come; what it says of a black picture is not."""
    write(NETWORK, folder, "network.py")
    lane = "source=simulate\ntriggers=%d\nnetwork=%s network.py %%s" % (TRIGGERS, sys.executable)
    unfit = {(t, v) for t in range(TRIGGERS) for v in (2, 3)}
    message = "view 2: 1 value is not finite"
    # the simulation's pictures are not smaller
    lines, _ = run_fast(folder, write_config(folder, lane=lane % "fast", columns=511), message)
    expected = [json.loads(line) for line in lines]
    check_decisions(expected, unfit)
    decisions, losses = run_live(folder, write_config(folder, lane=lane % "live", columns=511), message)
    assert losses["unfit"] == 0 and losses["constant"] <= TRIGGERS, losses
    assert losses["not-finite"] == losses["constant"] > 0, losses
    if not losses["crowded"] + losses["slow"]:
        check_decisions(decisions, unfit)
        assert losses["constant"] == TRIGGERS, losses


# The number of the answer from which on it is the last one, in real time one more; a fruit in each cup
HUNG = """
import struct, sys
import numpy as np
n, hung = 0, int(sys.argv[1])
rows, columns = np.mgrid[0:95, 0:511]
while head := sys.stdin.buffer.read(20):
    _, tag, rows_, columns_, _ = struct.unpack("<4s4I", head)
    sys.stdin.buffer.read(rows_ * columns_ * 3)
    if n < hung:
        tensor = np.zeros((95, 511, 12), np.float32)
        edge = np.hypot((columns - 51 + 51) % 102 - 51, rows - 47)
        tensor[..., 1] = np.clip(30.5 - edge, 0, 1) * (.99 + .0001 * n)
        tensor[..., 0] = 1 - tensor[..., 1]
    sys.stdout.buffer.write(struct.pack("<4s4I", b"FLNT", tag, 95, 511, 12) + tensor.tobytes())
    sys.stdout.buffer.flush()
    n += 1
"""


def check_hung_network(folder):
    """What is the answer to all pictures from some trigger on; or from the second view of one."""
    write(HUNG, folder, "hung.py")
    lane = "source=simulate\ntriggers=%d\nnetwork=%s hung.py %%d" % (TRIGGERS, sys.executable)
    all_unfit = [(t, v) for t in range(TRIGGERS) for v in range(VIEWS)]
    for hung in AT * VIEWS + 1, AT * VIEWS:
        unfit = set(all_unfit[hung:])
        lines, said = run_fast(folder, write_config(folder, lane=lane % hung, columns=511), FROZEN)
        check_decisions([json.loads(line) for line in lines], unfit)
        assert "frozen: %d\n" % len(unfit) in said, said
    decisions, losses = run_live(folder, write_config(folder, lane=lane % (AT * VIEWS + 1), columns=511), FROZEN)
    if not losses["crowded"] + losses["slow"]:
        check_decisions(decisions, unfit)
        assert losses["frozen"] == sum(losses.values()) == len(unfit), losses


def check_pace(folder, good):
    """Many complaints, of three seconds; also those of `run --fast`, as fast as it goes."""
    tensors = np.tile(spoil(good, np.nan, np.s_[:, VIEW])[:3], (20, 1, 1, 1, 1))
    config = write_config(folder, rate=20)
    tensors.tofile(os.path.join(folder, "tensors.f32"))
    for command in (["run", "--fast"], ["run"]):
        said, seconds = run(*command, "--output", os.path.join(folder, "pace" + command[-1]), config)
        lines = check_messages(said, seconds, "values are not finite")
        print("%d complaints in %.1f s" % (len(lines), seconds))


def load():
    spec = importlib.util.spec_from_file_location("fruit_line", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.Gst.init(None)
    return module


def main():
    good, module = make_tensors(), load()
    with tempfile.TemporaryDirectory() as folder:
        expected = check_views(folder, module, good)
        check_borders(folder, module, good)
        check_keys(folder, module, good, expected)
        check_frozen(folder, module, good, expected)
        check_repeat(folder, good)
        check_network(folder)
        check_hung_network(folder)
        check_pace(folder, good)


if __name__ == "__main__":
    main()
