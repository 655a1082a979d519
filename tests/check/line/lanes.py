# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two lanes of different cameras in one line: lanes.py FRUIT_LINE LINE_SCENE FILES

The first has four views and five cups by [geometry], the second three views, each of its own scale and place, and four cups by
[geometry two]. Diameters are those that the simulation drew, which has no pixels.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

PROGRAM, SCENE, FILES = sys.argv[1:4]
N_TRIGGERS = 24
LOOKS = {"lane1": (4, 5), "two": (3, 4)}    # views and cups
SEEDS = {"lane1": 1, "two": 2}
DIAMETER = .015
SCALES = "0.8;0.62;0.7"
TWO = """triggers=%d
[lane two]
source=simulate
seed=2
triggers=%d
[geometry two]
columns=660
rows=120
cups=4
tilt=-30;0;30
mm-per-pixel=%s
cup-first=60;95;80
cup-pitch=102.5;132.25;117
""" % (N_TRIGGERS, N_TRIGGERS, SCALES)


def write_config(folder, text=TWO):
    with open(os.path.join(FILES, "line1.ini"), encoding="utf-8") as file:
        shipped = file.read().replace("recipe=", "recipe=%s/" % FILES)
    shipped = re.sub("(?m)^(travel-mm|slip|still|hop|irregular)=.*\n", "", shipped)
    path = os.path.join(folder, "line.ini")
    with open(path, "w", encoding="utf-8") as file:
        file.write(shipped + text)
    return path


def run(*arguments, status=0):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    assert done.returncode == status, (arguments, done)
    return done.stdout + done.stderr


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def check_diameters(folder, decisions):
    for lane, seed in SEEDS.items():
        scene = os.path.join(folder, "scene-" + lane)
        subprocess.run([SCENE, "--truth", scene, str(N_TRIGGERS), str(seed)], check=True)
        truths = {truth["piece"]: truth for truth in read_json(os.path.join(scene, "truth.jsonl"))}
        own = [decision for decision in decisions if decision["lane"] == lane]
        views, cups = LOOKS[lane]
        assert [d["piece"] for d in own] == list(range(N_TRIGGERS - cups + 1)), lane
        for decision in own:
            assert len(decision["views"]) == views * cups and decision["trigger"] == decision["piece"] + cups - 1, decision
            assert "shape" not in decision["doubts"] and "lost" not in decision["doubts"], decision
            error = decision["diameter_mm"] / truths[decision["piece"]]["diameter_mm"] - 1
            assert abs(error) <= DIAMETER, (lane, decision["piece"], error)


def check_recording(folder):
    """Replayed by each lane's own geometry; by another one of the second, its pieces are others, and the first's are not.
    Returns: of how many that could be seen."""
    decisions = read_json(os.path.join(folder, "decisions.jsonl"))
    n = len(decisions)
    assert n == sum(N_TRIGGERS - cups + 1 for _, cups in LOOKS.values())
    # on a machine that is too slow a piece may have no looks
    n_two = sum(decision["lane"] == "two" and decision["diameter_mm"] > 0 for decision in decisions)
    assert "%d pieces, 0 differ" % n in run("replay", folder)
    path = os.path.join(folder, "line.ini")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(SCALES, "0.9;0.7;0.8"))
    told = run("replay", folder, status=1 if n_two > 0 else 0)
    assert "%d pieces, %d differ" % (n, n_two) in told and "lane1" not in told, told
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return n_two


def check_live(folder, config):
    """In real time: what is counted, and what is kept, is each lane's own."""
    output = os.path.join(folder, "live")
    run("run", "--record", "--output", output, config)
    with open(os.path.join(output, "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    assert report["adds_up"] and report["views"] == 4, report
    for lane, (views, _) in LOOKS.items():
        assert len(report["lanes"][lane]["seen"]["views"]) == views, lane
    with open(os.path.join(output, "report.txt"), encoding="utf-8") as file:
        assert "frames: %d of %d triggers = " % (7 * N_TRIGGERS, 2 * N_TRIGGERS) in file.read()
    check_recording(output)


def check_check(config):
    told = run("check", config).splitlines()
    assert [line.split(" see ")[0] for line in told[1:]] == [
        "lane1:", "4 views and 5 cups", "two:", "3 views and 4 cups"], told
    # two that are the same are told once
    with open(config, encoding="utf-8") as file:
        text = file.read()
    with open(config, "w", encoding="utf-8") as file:
        file.write(text + "[lane three]\nsource=simulate\n")
    assert "\nlane1, three:\n" in run("check", config)
    with open(config, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    with tempfile.TemporaryDirectory() as folder:
        config, output = write_config(folder), os.path.join(folder, "fast")
        check_check(config)
        run("run", "--fast", "--record", "--output", output, config)
        decisions = read_json(os.path.join(output, "decisions.jsonl"))
        check_diameters(folder, decisions)
        assert check_recording(output) > 0
        check_live(folder, config)
    print("%d decisions of two lanes" % len(decisions))


if __name__ == "__main__":
    main()
