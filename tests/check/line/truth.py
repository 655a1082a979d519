# SPDX-License-Identifier: LGPL-2.1-or-later
"""fruit-line on a simulated lane: truth.py FRUIT_LINE LINE_SCENE FILES

Diameters and areas of the decisions are those that the simulation drew, which come
from formulas, not from pixels. The fruit rolls as it should: 72 degrees from cup to cup.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

PROGRAM, SCENE, FILES = sys.argv[1:4]
CUPS, N_TRIGGERS = 5, 60
CLASSES = "belt skin stem calyx roller bruise rot scab russet hail scar insect".split()
DEFECTS = CLASSES[5:]
# what the goals of the line allow, in shares; areas from this one on
DIAMETER, AREA, LEAST_MM2 = .015, .1, 25


def decide(folder):
    with open(os.path.join(FILES, "line1.ini"), encoding="utf-8") as file:
        text = file.read().replace("recipe=", "recipe=%s/" % FILES)
    text = re.sub("(?m)^(turn|travel-mm|slip|still|hop|irregular)=.*\n", "", text)
    path = os.path.join(folder, "line1.ini")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("[geometry]\n", "[geometry]\nturn=72\n") + "triggers=%d\n" % N_TRIGGERS)
    done = subprocess.run([PROGRAM, "run", "--fast", path], capture_output=True, text=True)
    assert done.returncode == 0, done
    with open(os.path.join(folder, "fruit-line-output", "decisions.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def simulate(folder):
    subprocess.run([SCENE, folder, str(N_TRIGGERS), "1"], check=True)
    with open(os.path.join(folder, "truth.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def check_measures(decision, truth):
    """Returns: errors of the diameter and of all areas, as shares."""
    piece = decision["piece"]
    diameter = decision["diameter_mm"] / truth["diameter_mm"] - 1
    assert abs(diameter) <= DIAMETER, (piece, decision["diameter_mm"], truth["diameter_mm"])
    errors = []
    for name in DEFECTS:
        area, found = truth["mm2"][CLASSES.index(name)], decision["classes"][name]["mm2"]
        if area >= LEAST_MM2:
            errors.append(found / area - 1)
            assert abs(errors[-1]) <= AREA, (piece, name, found, area)
        elif area == 0:
            assert found < 5, (piece, name, found)
    return diameter, errors


def main():
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as scene:
        decisions, truths = decide(folder), simulate(scene)
    truths = {truth["piece"]: truth for truth in truths}
    diameters, areas = [], []
    for decision in decisions:
        truth = truths[decision["piece"]]
        assert decision["simulated"] is True
        assert (decision["diameter_mm"] is not None and decision["diameter_mm"] > 0) == truth["present"], decision["piece"]
        if truth["present"]:
            diameter, errors = check_measures(decision, truth)
            diameters.append(abs(diameter))
            areas += [abs(error) for error in errors]
    assert len(diameters) >= 40 and len(areas) >= 10, (len(diameters), len(areas))
    print("%d pieces: the diameter is off by %.2f %% at most, %d areas by %.1f %%" % (
        len(diameters), 100 * max(diameters), len(areas), 100 * max(areas)))


if __name__ == "__main__":
    main()
