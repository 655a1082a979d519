#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""summary.py TESTLOG.json...: counts what `meson test` logged; fails unless something passed and nothing failed."""
import json
import sys

PASSED, SKIPPED = {"OK", "EXPECTEDFAIL"}, {"SKIP"}


def main():
    passed, failed, skipped = [], [], []
    for path in sys.argv[1:]:
        try:
            with open(path) as file:
                tests = [json.loads(line) for line in file]
        except OSError as error:
            print(error)
            failed.append(path)
            continue
        for test in tests:
            group = passed if test["result"] in PASSED else skipped if test["result"] in SKIPPED else failed
            group.append(test["name"])
    for title, names in (("skipped", skipped), ("failed", failed)):
        if names:
            print(f"{title}: {', '.join(names)}")
    print(f"{len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped")
    return bool(failed) or not passed


if __name__ == "__main__":
    sys.exit(main())
