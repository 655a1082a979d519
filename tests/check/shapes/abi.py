# SPDX-License-Identifier: LGPL-2.1-or-later
"""What programs are built against: abi.py [--accept] ABI LIBRARY HEADER...

Compares libgstshapes' functions and the types of its public headers with those in ABI, by libabigail. --accept writes ABI anew,
for a change that is meant (RELEASING.md).
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

TOOLS = "abidw", "abidiff"
# of abidiff's exit status
ERRORS, CHANGED = 3, 4
TYPES = "class-decl", "union-decl", "typedef-decl", "pointer-type-def", "qualified-type-def", "array-type-def", "function-type"


def is_ours(one):
    return one.get("name", "").lstrip("_").startswith("GstShape")


def drop_others(tree):
    """What is in other people's types, which their own releases change; their names stay."""
    for one in tree.iter():
        if one.tag in ("class-decl", "union-decl") and not is_ours(one) and one.get("name"):
            if not one.get("naming-typedef-id"):
                one[:] = []
                one.attrib.pop("size-in-bits", None)
                one.set("is-declaration-only", "yes")
    while True:
        used = {value for one in tree.iter() for key, value in one.items() if key in ("type-id", "naming-typedef-id")}
        idle = [(parent, one) for parent in tree.iter("abi-instr") for one in parent
                if one.tag in TYPES and not is_ours(one) and one.get("id") not in used]
        if not idle:
            return
        for parent, one in idle:
            parent.remove(one)


def dump(folder, library, headers):
    """The library's ABI; None without debug information."""
    public = os.path.join(folder, "headers")
    os.mkdir(public)
    for header in headers:
        shutil.copy(header, public)
    out = os.path.join(folder, "abi")
    subprocess.run(["abidw", "--headers-dir", public, "--drop-private-types", "--no-show-locs", "--no-corpus-path",
                    "--no-comp-dir-path", "--no-parameter-names", "--exported-interfaces-only",
                    "--out-file", out, os.path.realpath(library)], check=True)
    tree = ElementTree.parse(out)
    drop_others(tree.getroot())
    tree.write(out, encoding="unicode")
    return out if tree.find(".//class-decl") is not None else None


def main():
    arguments = sys.argv[1:]
    accept = arguments[:1] == ["--accept"]
    abi, library, *headers = arguments[accept:]
    for needed in TOOLS:
        if not shutil.which(needed):
            print("skipped: there is no %s (Debian package abigail-tools)" % needed)
            return 77
    if platform.machine() != "x86_64":
        print("skipped: %s is of x86-64" % os.path.basename(abi))
        return 77
    with tempfile.TemporaryDirectory() as folder:
        new = dump(folder, library, headers)
        if not new:
            print("skipped: the library has no debug information")
            return 77
        if accept:
            shutil.copyfile(new, abi)
            return 0
        done = subprocess.run(["abidiff", "--no-default-suppression", abi, new], capture_output=True, text=True)
    if done.returncode & ERRORS:
        print(done.stdout + done.stderr + "abidiff cannot compare them")
        return 1
    if done.returncode & CHANGED:
        breaks = re.search(r" [1-9]\d* (Removed|Changed)", done.stdout)
        print(done.stdout + "Programs that were built before %s. RELEASING.md says how a change is accepted." %
              ("may break" if breaks else "go on"))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
