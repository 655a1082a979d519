#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""partners.py: renews partners.txt, beside it: the newest Python packages from PyPI that the tests compare and work with, and
all that these need, with the hashes of their wheels on x86-64. `tests/run --partners` installs no others. Needs pip 23."""
import json
import os
import subprocess
import sys
import tempfile

PACKAGES = ("cyclonedx-python-lib[json-validation]", "geojson", "geopandas", "jsonschema", "onnxruntime",
            "opencv-python-headless", "pandas", "pycocotools", "shapely", "supervision", "tree-sitter", "tree-sitter-c", "vpype")
# of the Debian releases where partners' tests run; the oldest chooses the versions
PYTHONS = ("3.11", "3.13")
HEAD = """# Python packages for the tests with other people's programs, as pip's --require-hashes wants them; wheels for
# Python %s on x86-64. tests/partners.py writes this file. Read what changes before you commit it, and run
# `tests/run --partners`.
"""


def resolve(python, constraints):
    """What pip would install: {(name, version): hash}"""
    with tempfile.TemporaryDirectory() as folder:
        report, pins = os.path.join(folder, "report"), os.path.join(folder, "pins")
        with open(pins, "w") as file:
            file.writelines(f"{name}=={version}\n" for name, version in constraints)
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--dry-run", "--ignore-installed", "--only-binary", ":all:",
                        "--python-version", python, "--target", folder, "--report", report, "-c", pins, *PACKAGES], check=True)
        with open(report) as file:
            return {(one["metadata"]["name"].lower(), one["metadata"]["version"]):
                    one["download_info"]["archive_info"]["hash"].replace("=", ":") for one in json.load(file)["install"]}


def main():
    found = {}
    for python in PYTHONS:
        for package, digest in resolve(python, found).items():
            found.setdefault(package, set()).add(digest)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "partners.txt"), "w") as file:
        file.write(HEAD % " and ".join(PYTHONS))
        for (name, version), digests in sorted(found.items()):
            file.write(" \\\n    ".join([f"{name}=={version}", *(f"--hash={digest}" for digest in sorted(digests))]) + "\n")


if __name__ == "__main__":
    main()
