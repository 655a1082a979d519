# SPDX-License-Identifier: LGPL-2.1-or-later
"""The bill of materials of this build, and the template of a statement: sbom.py SOURCE BUILD"""

import json
import os
import re
import socket
import subprocess
import sys

SOURCE, BUILD = sys.argv[1:3]
SCRIPT = os.path.join(SOURCE, "release", "sbom.py")


def run(build, **variables):
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    return subprocess.run([sys.executable, SCRIPT, build], capture_output=True, text=True, env={**environment, **variables})


def read(*names):
    with open(os.path.join(SOURCE, *names), encoding="utf-8") as file:
        return file.read()


def get_licence(part):
    one = part["licenses"][0]
    return one.get("expression") or one["license"].get("id") or one["license"]["name"]


def check_reproducible(text):
    assert run(BUILD).stdout == text
    for spoils in BUILD, SOURCE, socket.gethostname(), "timestamp":
        assert spoils not in text, spoils
    dated = json.loads(run(BUILD, SOURCE_DATE_EPOCH="1000000000").stdout)
    assert dated["metadata"]["timestamp"] == "2001-09-09T01:46:40Z"


def check_parts(bom):
    refs = [one["bom-ref"] for one in bom["components"]]
    assert len(refs) == len(set(refs)) and {"libgstshapes-1.0", "libgstcudashapes", "glib", "gstreamer", "numpy"} <= set(refs), refs
    known = set(refs) | {"gst-cudashapes"}
    for one in bom["dependencies"]:
        assert one["ref"] in known and set(one["dependsOn"]) <= known, one
    # whatever is there is there for something
    assert set(refs) == {ref for one in bom["dependencies"] for ref in one["dependsOn"]}
    uses = {one["ref"]: one["dependsOn"] for one in bom["dependencies"]}
    assert "expat" in uses["libgstcudashapes"] and "expat" not in uses["libgstshapes-1.0"]
    versions = {one["name"]: one.get("version") for one in bom["components"]}
    assert re.match(r"1\.\d+", versions["gstreamer"]) and re.match(r"2\.\d+", versions["glib"]), versions


def check_page(bom):
    """Its table has all of the parts, of any build, with their licences."""
    table = dict(re.findall(r"(?m)^\| `(\S+)` \| ([^|]+) \|", read("docs", "licences.md")))
    for part in bom["components"]:
        if "purl" in part:
            assert table.get(part["name"]) == get_licence(part), (part, table.get(part["name"]))
    sys.path.insert(0, os.path.dirname(SCRIPT))
    sys.dont_write_bytecode = True
    import sbom
    assert set(table) == set(sbom.PARTS) | set(sbom.OPTIONAL) | {sbom.CUDA[0], sbom.CCCL[0]}
    # a library that nobody has thought of is told
    try:
        sbom.find_part("/usr/lib/libplanted.so.3")
    except SystemExit as end:
        assert "libplanted" in str(end)
    else:
        raise AssertionError("it takes what it does not know")


def validate(texts):
    sys.path.insert(0, os.environ.get("CUDASHAPES_PARTNERS", ""))
    try:
        from cyclonedx.schema import SchemaVersion
        from cyclonedx.validation.json import JsonStrictValidator
        validator = JsonStrictValidator(SchemaVersion.V1_6)
        wrong = validator.validate_str(json.dumps({**json.loads(texts[0]), "bomFormat": "planted"}))
    except ImportError:
        print("not validated: there is no cyclonedx-python-lib[json-validation], which tests/run --partners installs")
        return 77
    assert wrong is not None
    for text in texts:
        problem = validator.validate_str(text)
        assert problem is None, problem
    return 0


def main():
    done = run(BUILD)
    assert done.returncode == 0 and not done.stderr, done
    bom = json.loads(done.stdout)
    check_reproducible(done.stdout)
    check_parts(bom)
    check_page(bom)
    vex = json.loads(read("release", "vex.json"))
    for one in vex["vulnerabilities"]:
        assert all(affected["ref"] in [part["bom-ref"] for part in bom["components"]] for affected in one["affects"]), one
    assert "usage" in run("/nonexistent").stderr
    return validate([done.stdout, read("release", "vex.json")])


if __name__ == "__main__":
    sys.exit(main())
