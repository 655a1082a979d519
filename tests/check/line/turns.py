# SPDX-License-Identifier: LGPL-2.1-or-later
"""How far pieces turn, by their skin: turns.py FRUIT_LINE FILES SKIN_NETWORK

Pictures of a simulated lane, and a network that finds fruit but no marks, so that nothing but the texture of the skin in
two pictures says how far a piece has turned; with run --fast and in real time.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM, FILES, NETWORK = map(os.path.abspath, sys.argv[1:4])
CUPS, TRIGGERS = 5, 32
# pieces until the light is known
EARLY = 12
TURN = 72
# degrees, of a piece and in the mean
NEAR, MEAN = 1.5, .3


def write_line(folder, source):
    with open(os.path.join(FILES, "line1.ini"), encoding="utf-8") as file:
        text = file.read().split("[lane ")[0].replace("deadline-ms=50\n", "deadline-ms=20000\n")
    text = text.replace("travel-mm=28.9\n", "turn=%d\n" % TURN)
    shutil.copy(os.path.join(FILES, "apricot.ini"), folder)
    path = os.path.join(folder, "line.ini")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "[lane a]\nsource=simulate\nseed=3\ntriggers=%d\n%s" % (TRIGGERS, source))
    return path


def decide(folder, path, *arguments):
    output = os.path.join(folder, "output")
    subprocess.run([PROGRAM, "run", *arguments, path, "--output", output], check=True, stdout=subprocess.DEVNULL, timeout=120)
    with open(os.path.join(output, "decisions.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def check(decisions):
    """Those with all looks are measured, and measured turns are right. Returns how many are."""
    errors = []
    for decision in decisions:
        whole = all(view["ok"] for view in decision["views"])
        assert not (decision["turn_measured"] and decision["piece"] + CUPS <= EARLY), decision
        if whole and decision["piece"] >= EARLY and decision["diameter_mm"] > 0:
            assert decision["turn_measured"], decision
        if decision["turn_measured"]:
            assert abs(decision["turn"] - TURN) <= NEAR, decision
            errors.append(decision["turn"] - TURN)
    assert not errors or abs(sum(errors) / len(errors)) <= MEAN, errors
    return len(errors)


def main():
    network = "network='%s' 12\nnetwork-timeout-ms=60000\n" % NETWORK
    with tempfile.TemporaryDirectory() as folder:
        decisions = decide(folder, write_line(folder, network), "--fast")
        assert len(decisions) == TRIGGERS - CUPS + 1 and check(decisions) >= TRIGGERS - CUPS - EARLY, decisions
        assert any(decision["turn"] != TURN for decision in decisions), "they are as configured"
    with tempfile.TemporaryDirectory() as folder:
        assert check(decide(folder, write_line(folder, network))) > 0
    print("turns are measured")


main()
