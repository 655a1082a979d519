# SPDX-License-Identifier: LGPL-2.1-or-later
"""python.py FRUIT_LINE LINE_SCENE FILES FRUIT_LINE_PY: the definition of a decision, implemented twice

pipelines/fruit_line.py shares with fruit-line the elements that find shapes, and nothing else: both write the same lines, byte
for byte.
"""

import importlib.machinery
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

PROGRAM, SCENE, FILES, SCRIPT = sys.argv[1:5]
VIEWS, N_TRIGGERS = 4, 60
MIN_LOOKS = 16      # those that an emptied cup leaves of a piece
SHAPE = VIEWS, 95, 511, 12
VIEWS_OWN = """[geometry lane1]
mm-per-pixel=0.8;0.77;0.84;0.81
cup-first=51;50.5;53;49
cup-pitch=102;102.25;101.5;102.5
turn=70
"""


def draw(tensor, x, y, width, height, classes, value=1):
    """An ellipse of these classes in a view, over what is there."""
    rows, columns = np.mgrid[:SHAPE[1], :SHAPE[2]]
    where = np.hypot((columns - x) / width, (rows - y) / height) < .5
    tensor[where] = 0
    for k in classes:
        tensor[where, k] = value


def draw_rings(tensor, view):
    """Blemishes with sound skin in their middle, and in one of them another blemish."""
    for x, y, inner, outer, k in ((141 + view, 45, 12, 20, 6), (165, 49 - view, 5, 12, 8)):
        draw(tensor, x, y, outer, outer, [k])
        draw(tensor, x, y, inner, inner, [1])
    draw(tensor, 141 + view, 45, 5, 4, [6])


def draw_doubts(tensor, trigger):
    """Fruits that come within a pixel of an edge of the picture or are not round, and a blemish of none of the classes."""
    if trigger % 17 == 1:
        draw(tensor, 357, 25, 46, 50, [1])
    elif trigger % 17 == 6:
        draw(tensor, 459, 69, 46, 50, [1])
    elif trigger % 17 == 11:
        draw(tensor, 51, 47, 110, 110, [0])
        draw(tensor, 51, 47, 60, 36, [1])
    elif trigger % 17 == 14:
        draw(tensor, 357, 44, 16, 12, [5, 7], .29)


def write_tensors(folder):
    """Simulated ones, some cups emptied, specks that make small contours, blemishes with holes, what raises doubts, a piece
    that is hidden in one view more than others are, and a trigger without anything."""
    subprocess.run([SCENE, "--travel=28.9", "--slip=8", "--still=0.1", "--hop=0.1", "--irregular=0.02", "--empty=0.1", folder,
                    str(N_TRIGGERS), "7", "7"], check=True)
    random = np.random.default_rng(1)
    with open(os.path.join(folder, "tensors.f32"), "wb") as file:
        for trigger in range(N_TRIGGERS):
            tensors = np.stack([np.fromfile(os.path.join(folder, "%06d-%d.f32" % (trigger, view)), np.float32)
                                for view in range(VIEWS)]).reshape(SHAPE)
            if trigger % 7 == 3:
                tensors = tensors.copy()
                tensors[:, :, 255 - 51:255 + 51] = 0
            if trigger == 16:
                tensors[0, :, 153 - 51:153 + 51] = 0
            for view in range(VIEWS) if trigger % 13 == 8 else ():
                draw_rings(tensors[view], view)
            draw_doubts(tensors[trigger % VIEWS], trigger)
            if trigger % 11 == 5:
                tensors = np.where(random.random(SHAPE) < 2e-4, np.float32(.9), tensors)
            if trigger == 30:
                tensors = np.zeros(SHAPE, np.float32)
                tensors[:, 0, 0, 0] = .1    # or it would be constant
            file.write(tensors.tobytes())


def write_config(folder):
    shutil.copy(os.path.join(FILES, "apricot.ini"), folder)
    with open(os.path.join(folder, "apricot.ini"), encoding="utf-8") as file:
        text = file.read()
    # specks are of all classes, and nothing is of none
    with open(os.path.join(folder, "specks.ini"), "w", encoding="utf-8") as file:
        text = text.replace("[recipe]\n", "[recipe]\nexclusive=false\n")
        assert "min-looks=10\n" in text
        file.write(text.replace("min-looks=10\n", "min-looks=%d\n" % MIN_LOOKS))
    with open(os.path.join(FILES, "line1.ini"), encoding="utf-8") as file:
        text = file.read().split("[lane ")[0] + "[lane lane1]\nsource=replay\nlocation=tensors.f32\n"
    text = text.replace("recipe=apricot.ini", "recipe=specks.ini")
    path = os.path.join(folder, "line.ini")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(folder, "views.ini"), "w", encoding="utf-8") as file:
        file.write(text + VIEWS_OWN)
    return path


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


def decide_both(folder, config):
    """Returns: the lines of both"""
    shutil.rmtree(os.path.join(folder, "fruit-line-output"), ignore_errors=True)
    run([PROGRAM, "run", "--fast", config])
    with open(os.path.join(folder, "fruit-line-output", "decisions.jsonl"), encoding="utf-8") as file:
        expected = file.read().splitlines()
    found = run([sys.executable, SCRIPT, config, os.path.join(folder, "tensors.f32")]).splitlines()
    assert len(expected) == N_TRIGGERS - 4, len(expected)
    for a, b in zip(expected, found, strict=True):
        assert a == b, "\n%s\n%s" % (a, b)
    return expected


def check_views(folder, lines):
    """Of the same tensors, by the lane's own geometry, with other numbers for each view."""
    others = decide_both(folder, os.path.join(folder, "views.ini"))
    diameters = [[json.loads(line)["diameter_mm"] for line in some] for some in (lines, others)]
    assert sum(a != b for a, b in zip(*diameters)) > N_TRIGGERS / 2, diameters


def check_lines(folder, config):
    expected = decide_both(folder, config)
    outlets = {line.split('"outlet":')[1].split(",")[0] for line in expected}
    assert len(outlets) >= 4, outlets
    decided = {(line.count('"fruit":true'), '"status":"undecided"' not in line) for line in expected}
    assert {(MIN_LOOKS, True), (MIN_LOOKS - 1, False)} <= decided, decided
    for word in ("empty", "undecided", "no-fruit", "shape", "coverage", "inconsistent", "no-class"):
        assert any('"%s"' % word in line for line in expected), word
    return expected


def load():
    spec = importlib.util.spec_from_file_location("fruit_line", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.Gst.init(None)
    return module


def expect(error, text, function, *arguments):
    try:
        function(*arguments)
    except error as fault:
        assert text in str(fault), fault
    else:
        raise AssertionError("%s was not raised" % error)


def check_network(folder, config, expected):
    """A network of one's own: here the tensors that were recorded, found by a number in the picture."""
    module = load()

    def infer(picture):
        trigger, view = divmod(int(picture[0, 0, 0]), VIEWS)
        offset = 4 * (trigger * VIEWS + view) * np.prod(SHAPE[1:])
        return np.fromfile(os.path.join(folder, "tensors.f32"), np.float32, np.prod(SHAPE[1:]), offset=offset).reshape(
            SHAPE[1:])

    line = module.FruitLine(config, infer=infer)
    decisions = []
    for trigger in range(12):
        decisions += line.pictures([np.full((95, 511, 3), VIEWS * trigger + view, np.uint8) for view in range(VIEWS)])
    assert decisions == [module.json.loads(text) for text in expected[:8]]
    expect(ValueError, "not (4, 95, 511, 12)", line.tensors, np.zeros((1, 95, 511, 12), np.float32))
    line.close()
    line = module.FruitLine(config)
    expect(NotImplementedError, "needs a network", line.pictures, [np.zeros((95, 511, 3), np.uint8)] * VIEWS)
    line.close()


def check_simulation(folder):
    """--simulate: the lines of fruit-line's simulated lane, and how many are right by the recipe that tests/goals applies."""
    n, output, goals = 30, os.path.join(folder, "simulated"), os.path.join(FILES, "..", "..", "tests", "goals")
    build = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(SCENE))))
    environment = dict(os.environ, CUDASHAPES_BUILD=build)
    command = [sys.executable, SCRIPT, "--simulate", output, "--triggers", str(n), "--seed", "5"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done
    with open(os.path.join(FILES, "line1.ini"), encoding="utf-8") as file:
        text = file.read()
    assert text.endswith("seed=1\n")
    config = os.path.join(folder, "simulate.ini")
    with open(config, "w", encoding="utf-8") as file:
        file.write(text.replace("seed=1\n", "seed=5\ntriggers=%d\n" % n))
    run([PROGRAM, "run", "--fast", "--output", os.path.join(folder, "same"), config])
    found, expected = (open(os.path.join(at, "decisions.jsonl"), encoding="utf-8").read()
                       for at in (output, os.path.join(folder, "same")))
    assert found == expected and found.count('"simulated":true') == n - 4
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("goals", goals)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("goals", loader))
    loader.exec_module(module)
    recipe = module.Recipe(os.path.join(FILES, "apricot.ini"))
    sys.path.insert(0, os.path.join(FILES, "..", "lib"))
    import fruit_simulation
    run([SCENE, "--truth", *fruit_simulation.read_options(), folder, str(n), "5"])
    truths = module.read(os.path.join(folder, "truth.jsonl"))
    right = sum(json.loads(line)["outlet"] == recipe.outlet(truth) for line, truth in zip(found.splitlines(), truths))
    with open(os.path.join(output, "report.txt"), encoding="utf-8") as file:
        assert file.read() == done.stdout
    assert "against the truth: %d of %d pieces went where they should have" % (right, n - 4) in done.stdout, done
    assert "tensor to decision, ms: " in done.stdout
    # never over another run
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and "File exists" in done.stderr, done


def main():
    with tempfile.TemporaryDirectory() as folder:
        write_tensors(folder)
        config = write_config(folder)
        expected = check_lines(folder, config)
        check_views(folder, expected)
        check_network(folder, config, expected)
        check_simulation(folder)
    print("%d equal decisions" % len(expected))


if __name__ == "__main__":
    main()
