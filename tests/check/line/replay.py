# SPDX-License-Identifier: LGPL-2.1-or-later
"""fruit-line on recorded tensors: replay.py FRUIT_LINE FILES

The tensors are discs of known size, painted with numpy; diameters, areas and
outlets must be those of the discs.
"""

import json
import math
import os
import subprocess
import sys
import tarfile
import tempfile

import numpy as np

PROGRAM, FILES = sys.argv[1:3]
COLUMNS, ROWS, CLASSES, VIEWS, CUPS = 511, 95, 12, 4, 5
SKIN, ROT = 1, 6
N_TRIGGERS = 12
# pieces that lie in their cups; radius in pixels
RADII = {1: 30.0, 2: 22.0, 4: 30.0}
ROTTEN = 4


def disc(x, y, radius):
    """Soft by a pixel at the edge."""
    rows, columns = np.mgrid[0:ROWS, 0:COLUMNS]
    return np.clip(radius - np.hypot(columns - x, rows - y) + 0.5, 0, 1)


def make_trigger(trigger):
    tensors = np.zeros((VIEWS, ROWS, COLUMNS, CLASSES), np.float32)
    for cup in range(CUPS):
        piece, x = trigger - cup, 51 + 102 * cup
        if piece not in RADII:
            continue
        fruit = disc(x, 47, RADII[piece])
        # it stays in the middle of the views of cup 0
        rot = disc(x, 47, 8) if piece == ROTTEN and cup == 0 else 0 * fruit
        tensors[..., SKIN] += fruit - rot
        tensors[..., ROT] += rot
    # a trace of something, or a view of belt alone would be constant
    tensors[:, 0, 0, SKIN] = 0.1
    tensors[..., 0] = 1 - tensors[..., 1:].sum(-1)
    return tensors


def run(arguments, status):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    assert done.returncode == status, (arguments, done)
    return done.stdout + done.stderr


def check_decisions(decisions):
    assert [d["piece"] for d in decisions] == list(range(N_TRIGGERS - CUPS + 1))
    for decision in decisions:
        piece = decision["piece"]
        assert decision["status"] == "ok" and not decision["doubts"], decision
        assert decision["trigger"] == piece + CUPS - 1
        assert [v["frame_id"] for v in decision["views"]] == [
            piece + cup for cup in range(CUPS) for view in range(VIEWS)]
        if piece not in RADII:
            assert decision["outlet"] == 0 and decision["reasons"] == ["empty"]
            continue
        diameter = 2 * 0.8 * RADII[piece]
        assert abs(decision["diameter_mm"] / diameter - 1) < 0.01, decision
        assert abs(decision["area_mm2"] / (math.pi * diameter ** 2) - 1) < 0.02
        rot = decision["classes"]["rot"]["mm2"]
        assert (rot > 50) == (piece == ROTTEN), decision
    assert [d["outlet"] for d in decisions if d["piece"] in RADII] == [1, 3, 8]
    assert decisions[ROTTEN]["reasons"][:1] == ["reject"]
    assert "class1.rot-mm2" in decisions[ROTTEN]["reasons"]


def write_config(folder, output="out"):
    with open(os.path.join(FILES, "line1.ini")) as file:
        text = file.read()
    text = text.replace("recipe=apricot.ini", "recipe=" + os.path.join(FILES, "apricot.ini"))
    text = text.replace("output=fruit-line-output", "output=" + output)
    # all views show the same
    text = text.replace("tilt=-45;-15;15;45", "tilt=0;0;0;0")
    text = text.split("[lane ")[0] + "[lane lane1]\nsource=replay\nlocation=tensors\n"
    path = os.path.join(folder, "line.ini")
    with open(path, "w") as file:
        file.write(text)
    return path


def read_lines(path):
    with open(path) as file:
        return file.read()


def check_before(folder):
    """A recording of version 1, by the program of then: frames that were not made, pieces of every status, another recipe, and
    triggers that waited while the process stood still, two of which have the same time. Decided as it was then."""
    with tarfile.open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "recording-1.tar.xz")) as data:
        data.extractall(folder)
    with open(os.path.join(folder, "lane1.events"), "rb") as file:
        assert file.read(8) == b"FLEV\1\0\0\0"
    decisions = [json.loads(line) for line in read_lines(os.path.join(folder, "decisions.jsonl")).splitlines()]
    assert {d["status"] for d in decisions} == {"ok", "partial", "late", "undecided"}
    assert len({d["recipe"] for d in decisions}) == 2
    assert len({d["t_trigger_ns"] for d in decisions}) < len(decisions) == 42
    assert "42 pieces, 0 differ" in run(["replay", folder], 0)


def check_fast_recording(folder, config):
    """As fast as it goes, recorded: the same decisions, and a folder that is replayed like another's."""
    text = read_lines(config)
    with open(config, "w") as file:
        file.write(text.replace("[line]\n", "[line]\nrecord=true\n"))
    run(["run", "--fast", "--output", folder, config], 0)
    lines = read_lines(os.path.join(folder, "decisions.jsonl"))
    recipe = json.loads(lines.splitlines()[0])["recipe"]
    assert sorted(os.listdir(folder)) == ["decisions.jsonl", "lane1.events", "line.ini", "recipe-%s.ini" % recipe[:12]]
    assert read_lines(os.path.join(folder, "line.ini")) == read_lines(config)
    assert "%d pieces, 0 differ" % len(lines.splitlines()) in run(["replay", folder], 0)
    assert "nothing is ever overwritten" in run(["run", "--fast", "--output", folder, config], 1)
    return lines


with tempfile.TemporaryDirectory() as folder:
    config = write_config(folder)
    assert "are good" in run(["check", config], 0)
    assert "No such file" in run(["run", "--fast", config], 1)
    os.remove(os.path.join(folder, "out", "decisions.jsonl"))
    with open(os.path.join(folder, "tensors"), "wb") as file:
        for number in range(N_TRIGGERS):
            file.write(make_trigger(number).tobytes())
    run(["run", "--fast", config], 0)
    first = read_lines(os.path.join(folder, "out", "decisions.jsonl"))
    check_decisions([json.loads(line) for line in first.splitlines()])

    # never over what is there
    assert "nothing is ever overwritten" in run(["run", "--fast", config], 1)
    # once more, and with half a trigger at the end: nothing before it is lost
    with open(os.path.join(folder, "tensors"), "ab") as file:
        file.write(b"half of it")
    assert "trigger 12 has 10 of" in run(["run", "--fast", write_config(folder, "again")], 1)
    assert read_lines(os.path.join(folder, "again", "decisions.jsonl")) == first

    # a simulated lane: the same lines again, in which some piece is there
    simulated = []
    for output in "one", "two":
        path = write_config(folder, output)
        text = read_lines(path).replace("replay\nlocation=tensors", "simulate\ntriggers=8")
        with open(path, "w") as file:
            file.write(text)
        run(["run", "--fast", path], 0)
        simulated.append(read_lines(os.path.join(folder, output, "decisions.jsonl")))
    assert simulated[0] == simulated[1]
    decisions = [json.loads(line) for line in simulated[0].splitlines()]
    assert len(decisions) == 8 - CUPS + 1
    assert check_fast_recording(os.path.join(folder, "fast"), path) == simulated[1]
    check_before(os.path.join(folder, "before"))
    assert all(d["simulated"] and 30 < d["diameter_mm"] < 70 for d in decisions), decisions

    # recorded in real time, the decisions in segments: they are all read, and one that is missing is told
    path = write_config(folder, "segments")
    text = read_lines(path).replace("[line]\n", "[line]\nsegment-mb=0.01\npictures=0\n")
    text = text.replace("replay\nlocation=tensors", "simulate\ntriggers=40")
    with open(path, "w") as file:
        file.write(text)
    recorded = os.path.join(folder, "recorded")
    run(["run", "--record", "--output", recorded, path], 0)
    assert "%d pieces, 0 differ" % (40 - CUPS + 1) in run(["replay", recorded], 0)
    segments = sorted(name for name in os.listdir(recorded) if name.startswith("decisions-"))
    assert len(segments) >= 4, segments
    lines = "".join(read_lines(os.path.join(recorded, name)) for name in segments + ["decisions.jsonl"])
    assert [json.loads(line)["piece"] for line in lines.splitlines()] == list(range(40 - CUPS + 1))
    os.unlink(os.path.join(recorded, segments[1]))
    assert "decisions-000002.jsonl:0: this file is missing" in run(["replay", recorded], 2)
    # nor is anything written over what is left of another run
    os.unlink(os.path.join(recorded, "decisions.jsonl"))
    assert "has decisions of another run" in run(["run", "--output", recorded, path], 1)

    # a wrong configuration starts nothing
    config = write_config(folder)
    with open(config, "a") as file:
        file.write("[lane]\n")
    assert "line.ini:24: unknown group" in run(["run", "--fast", config], 1)
    assert "fruit-line check" in run([], 2)
print("good")
