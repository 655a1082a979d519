# SPDX-License-Identifier: LGPL-2.1-or-later
"""decisions.jsonl and report.json against their schemas: schemas.py FRUIT_LINE DOCS

Schemas that took everything would prove nothing: lines that are changed must fail.
"""

import copy
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.environ.get("CUDASHAPES_PARTNERS", ""))
try:
    import jsonschema
except ImportError as error:
    print(f"skipped: {error} (tests/run --partners installs it)")
    sys.exit(77)

PROGRAM, DOCS = sys.argv[1:3]


def open_schema(name):
    with open(os.path.join(DOCS, name), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def objects(value, path=()):
    """Paths of all objects in it."""
    if isinstance(value, dict):
        yield path
        value = value.items()
    elif isinstance(value, list):
        value = enumerate(value)
    else:
        return
    for key, member in value:
        yield from objects(member, (*path, key))


def look_up(value, path):
    for key in path:
        value = value[key]
    return value


def must_fail(schema, value, what):
    assert not schema.is_valid(value), ("this passes", what)


def check_strict(schema, value, free=()):
    """One without a member, with one more, with null in a member's place; free: objects with any members."""
    n = 0
    for path in objects(value):
        if path and path[-1] in free:
            continue
        more = copy.deepcopy(value)
        look_up(more, path)["surplus"] = 1
        must_fail(schema, more, (path, "surplus"))
        for name in look_up(value, path):
            less, wrong = copy.deepcopy(value), copy.deepcopy(value)
            del look_up(less, path)[name]
            must_fail(schema, less, (path, name))
            look_up(wrong, path)[name] = [None]
            must_fail(schema, wrong, (path, name, "[null]"))
            n += 2
    return n


def decide_colours(folder):
    """Of a recipe that asks for all that there is."""
    files = os.path.join(DOCS, "..", "pipelines", "line")
    for name, old, new in (("apricot.ini", "[limits extra]\n", "[colour blush]\nmin-a=20\n[limits extra]\nmax-elongation=1.5\n"),
                           ("line1.ini", "[lane lane1]\n", "[lane lane1]\ntriggers=8\n")):
        with open(os.path.join(files, name), encoding="utf-8") as file:
            text = file.read()
        assert old in text, name
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))
    subprocess.run([PROGRAM, "run", "--fast", os.path.join(folder, "line1.ini")], check=True, capture_output=True)
    with open(os.path.join(folder, "fruit-line-output", "decisions.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def main():
    decisions, reports = open_schema("decision.schema.json"), open_schema("report.schema.json")
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "out")
        subprocess.run([PROGRAM, "--simulate", "--seconds", "2", "--output", output], check=True, capture_output=True)
        with open(os.path.join(output, "decisions.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        with open(os.path.join(output, "report.json"), encoding="utf-8") as file:
            report = json.load(file)
        coloured = decide_colours(folder)
    assert len(lines) == 16
    # a simulated line has none
    assert report["cameras"] == []
    report["cameras"] = [{"lane": "lane1", "view": 0, "camera": "10.0.0.1", "state": "gone", "state_s": 1.5, "frames": 1,
                          "incomplete": 0, "missing": 2, "strays": 0, "spikes": 0, "missed": 0, "reconnects": 0, "last_frame_s": .1}]
    for line in lines:
        decisions.validate(line)
    for line in coloured:
        decisions.validate(line)
    coloured = next(line for line in coloured if "colour" in line)
    assert {"shares", "elongation"} < set(coloured), coloured
    for path, value in (("colour", "L"), -1), (("shares", "blush"), 101), (("elongation",), .9), (("shares", "blush"), "much"):
        wrong = copy.deepcopy(coloured)
        look_up(wrong, path[:-1])[path[-1]] = value
        must_fail(decisions, wrong, path)
    must_fail(decisions, dict(coloured, colour={"L": 1, "a": 1}), "no b")
    reports.validate(report)
    # as with a PLC, which this line has not
    counts = ("written", "late", "dropped", "refused", "unnumbered", "errors", "reconnects")
    report["plc"] = {**dict.fromkeys(counts, 1), "answering": True, "state_s": 1.5, "latency_us": report["latency_us"]["to_decision"],
                     "triggers": None}
    reports.validate(report)
    triggers = "lanes", "agreed", "resynchronised", "restarts", "extra", "missed"
    report["plc"]["triggers"] = {**dict.fromkeys(triggers, 1), "delay_ms": -1.5}
    reports.validate(report)
    n = check_strict(decisions, lines[0], free=("classes",)) + check_strict(reports, report, free=("lanes", "outlets", "looks_with_fruit", "classes"))
    must_fail(decisions, dict(lines[0], status="maybe"), "status")
    must_fail(decisions, dict(lines[0], outlet=1.5), "outlet")
    must_fail(reports, dict(report, schema="fruit-line-report/2"), "schema")
    reports.validate(dict(report, truth=None))
    print("%d lines and a report are valid, %d changed ones are not" % (len(lines), n))


if __name__ == "__main__":
    main()
