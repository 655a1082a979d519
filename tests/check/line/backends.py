# SPDX-License-Identifier: LGPL-2.1-or-later
"""Processor and GPU decide alike: backends.py FRUIT_LINE FILES

The same tensors are decided with backend=cpu and backend=cuda: the lines are equal, byte for byte. Exits with 77 where there is
no GPU.
"""

import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM, FILES = sys.argv[1:3]
N_TRIGGERS, CUPS = 60, 5
# what elements say
NO_GPU = "No GPU can be used"


def decide(folder, backend, lane):
    """The status, decisions.jsonl, and what was said."""
    shutil.copy(os.path.join(FILES, "apricot.ini"), folder)
    with open(os.path.join(FILES, "line1.ini"), encoding="utf-8") as file:
        text = file.read().split("[lane ")[0]
    assert text.count("[line]\n") == text.count("output=fruit-line-output\n") == 1
    text = text.replace("[line]\n", "[line]\nbackend=%s\n" % backend).replace("=fruit-line-output", "=" + backend)
    path = os.path.join(folder, "line.ini")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "[lane lane1]\nsource=simulate\ntriggers=%d\n%s\n" % (N_TRIGGERS, lane))
    done = subprocess.run([PROGRAM, "run", "--fast", path], capture_output=True, text=True)
    with open(os.path.join(folder, backend, "decisions.jsonl"), "rb") as file:
        return done.returncode, file.read(), done.stderr


def main():
    n = 0
    # with empty cups, and with a mark on each piece
    for lane in "seed=3\nempty=0.3", "seed=4\nblemish=hail":
        with tempfile.TemporaryDirectory() as folder:
            status, expected, said = decide(folder, "cpu", lane)
            assert status == 0, said
            status, found, said = decide(folder, "cuda", lane)
        lines = expected.splitlines()
        assert len(lines) == N_TRIGGERS - CUPS + 1 and len({line.split(b'"outlet":')[1][:2] for line in lines}) >= 2
        if status != 0 and NO_GPU in said:
            assert not found, "decided all the same"
            print("skipped: %s" % said.strip())
            sys.exit(77)
        assert status == 0, said
        for a, b in zip(lines, found.splitlines()):
            assert a == b, (a, b)
        assert found == expected
        n += len(lines)
    print("%d lines of both backends are equal" % n)


if __name__ == "__main__":
    main()
