# SPDX-License-Identifier: LGPL-2.1-or-later
"""fruit-line with the shipped network: infer.py FRUIT_LINE LINE_SCENE FILES

Pictures of a simulated lane go through network.py and fruit.onnx, a child of the
program; the pieces that are decided on are those that the simulation drew.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.environ.get("CUDASHAPES_PARTNERS", ""))
PROGRAM, SCENE, FILES = sys.argv[1:4]
try:
    import numpy  # noqa: F401
    import onnxruntime  # noqa: F401
except ImportError as error:
    print("skipped: %s (tests/run --partners installs it)" % error)
    sys.exit(77)

CUPS, N_TRIGGERS = 5, 20
# of the network, not of an ideal one; training's seed is another
DIAMETER = .03
SEED = 1


def decide(folder, command):
    for name in "line1.ini", "apricot.ini", "network.py", "fruit.onnx":
        shutil.copy(os.path.join(FILES, name), folder)
    path = os.path.join(folder, "line1.ini")
    with open(path, "a", encoding="utf-8") as file:
        file.write("triggers=%d\nnetwork=%s\nnetwork-timeout-ms=60000\n" % (N_TRIGGERS, command))
    return subprocess.run([PROGRAM, "run", "--fast", path], capture_output=True, text=True, timeout=90)


def read_lines(*names):
    with open(os.path.join(*names), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_pieces():
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as scene:
        done = decide(folder, "'%s' network.py fruit.onnx" % sys.executable)
        assert done.returncode == 0, done
        decisions = read_lines(folder, "fruit-line-output", "decisions.jsonl")
        subprocess.run([SCENE, scene, str(N_TRIGGERS), str(SEED)], check=True)
        truths = {truth["piece"]: truth for truth in read_lines(scene, "truth.jsonl")}
    assert [d["piece"] for d in decisions] == list(range(N_TRIGGERS - CUPS + 1))
    errors = []
    for decision in decisions:
        truth, found = truths[decision["piece"]], decision["diameter_mm"]
        assert (found > 0) == truth["present"], decision
        if truth["present"]:
            errors.append(found / truth["diameter_mm"] - 1)
            assert abs(errors[-1]) <= DIAMETER, (decision["piece"], found, truth["diameter_mm"])
    assert len(errors) >= 10, len(errors)
    print("%d pieces: the diameter is off by %.2f %% at most" % (len(errors), 100 * max(map(abs, errors))))


def test_missing_model():
    """The fast mode ends with the lane's, trigger's and view's names; the child's own message is before it."""
    with tempfile.TemporaryDirectory() as folder:
        done = decide(folder, "'%s' network.py missing.onnx" % sys.executable)
    assert done.returncode == 1 and "missing.onnx" in done.stderr, done
    assert "lane lane1: trigger 0, view 0: the network has ended after" in done.stderr, done


for test in test_pieces, test_missing_model:
    test()
