# SPDX-License-Identifier: LGPL-2.1-or-later
"""The simulated line for pipelines/fruit_line.py: tensors of line-scene, decided one trigger after the other, and the truth."""
import configparser
import contextlib
import json
import math
import os
import subprocess
import tempfile
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONFIG = os.path.join(ROOT, "pipelines", "line", "line1.ini")


def read_options():
    """line-scene's options for the lane of CONFIG: how its pieces roll, and what its views show."""
    ini = configparser.ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=("#",))
    ini.read(CONFIG, encoding="utf-8")
    geometry = ini["geometry"]
    lane = next(ini[name] for name in ini.sections() if name.startswith("lane "))
    options = {key: lane[key] for key in ("slip", "still", "hop", "irregular", "empty", "blemish", "dark", "dark-from")
               if lane.get(key, "none") != "none"}
    options.update(turn=geometry.get("turn", "72"), travel=geometry.get("travel-mm", "0"))
    return ["--%s=%s" % pair for pair in options.items()]


@contextlib.contextmanager
def open_scene(triggers, seed):
    """(tensors, folder): a stream of the lane's tensors, as line-scene writes them; the folder has truth.jsonl at the end.
    Raises OSError if there is no line-scene."""
    program = os.path.join(os.environ.get("CUDASHAPES_BUILD", os.path.join(ROOT, "build")), "pipelines", "line", "line-scene")
    with tempfile.TemporaryDirectory() as folder, \
            subprocess.Popen([program, "--tensors", *read_options(), folder, str(triggers), str(seed)],
                             stdout=subprocess.PIPE) as scene:
        yield scene.stdout, folder


def read_truth(folder):
    with open(os.path.join(folder, "truth.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def expect(recipe, truth):
    """The outlet that the recipe has for a piece as it is."""
    if not truth["present"]:
        return recipe.empty_outlet
    classes, surface = {}, math.pi * truth["diameter_mm"] ** 2
    for name, k in zip(recipe.names, recipe.defects):
        mm2 = truth["mm2"][k]
        classes[name] = {"mm2": mm2, "percent": 100 * mm2 / surface, "max_length_mm": truth["max_length_mm"][k],
                         "count": truth["count"][k]}
    all_of = list(classes.values())
    classes["defect"] = {key: sum(figures[key] for figures in all_of) for key in ("mm2", "percent", "count")}
    classes["defect"]["max_length_mm"] = max(figures["max_length_mm"] for figures in all_of)
    return recipe.decide({"diameter": truth["diameter_mm"], "classes": classes}, "ok")[0]


def report(recipe, decisions, truths, seconds):
    """What report.txt of fruit-line says of these, as text. seconds: of each trigger, from its tensors to the decision"""
    lines, outlets, wrong = [], {}, {}
    for decision, truth in zip(decisions, truths):
        outlet, expected = decision["outlet"], expect(recipe, truth)
        outlets[outlet] = outlets.get(outlet, 0) + 1
        if outlet != expected:
            wrong[outlet, expected] = wrong.get((outlet, expected), 0) + 1
    right = len(decisions) - sum(wrong.values())
    lines.append("%d pieces: %s" % (len(decisions), ", ".join("outlet %d: %d" % pair for pair in sorted(outlets.items()))))
    p50, p99, most = (1000 * value for value in np.quantile(seconds, (.5, .99, 1)))
    lines.append("tensor to decision, ms: %.1f (p50), %.1f (p99), %.1f at most" % (p50, p99, most))
    lines.append("against the truth: %d of %d pieces went where they should have (%.2f %%)" % (
        right, len(decisions), 100 * right / max(len(decisions), 1)))
    lines += ["  %d went to outlet %d in place of %d" % (n, *pair) for pair, n in sorted(wrong.items())]
    return "".join(line + "\n" for line in lines)


def create(folder, name):
    """A new file for text, never one that is there, for its owner and group."""
    return open(os.path.join(folder, name), "x", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o640))


def run(line, triggers, seed, folder):
    """Decides a simulated lane as fast as it goes; decisions.jsonl and report.txt in the folder, which must be a new one.
    line: a FruitLine of CONFIG. Returns: the report"""
    os.makedirs(folder, 0o750)
    shape, texts, seconds = line.finder.shape, [], []
    with open_scene(triggers, seed) as (tensors, scene), \
            create(folder, "decisions.jsonl") as file:
        for _ in range(triggers):
            data = tensors.read(4 * math.prod(shape))
            if len(data) != 4 * math.prod(shape):
                raise RuntimeError("line-scene has ended before its last trigger")
            begin = time.perf_counter()
            new = line.lines(np.frombuffer(data, np.float32).reshape(shape))
            seconds.append(time.perf_counter() - begin)
            for text in new:
                print(text, file=file, flush=True)
            texts += new
        # it has written all of the truth when it has ended
        if tensors.read(1):
            raise RuntimeError("line-scene has written more than was asked for")
        truths = read_truth(scene)
    text = report(line.recipe, [json.loads(one) for one in texts], truths, seconds)
    with create(folder, "report.txt") as file:
        file.write(text)
    return text
