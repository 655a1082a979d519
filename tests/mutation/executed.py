# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which tests execute which lines of C: by gcov, in a build of its own."""
import concurrent.futures
import json
import os
import shutil
import subprocess
from collections import defaultdict

SETUP = ("-Db_coverage=true",)


class Executed:
    """@copy: of the tree, whose builds and results are in @folder; what is known of a test is kept there."""

    def __init__(self, copy, folder):
        self.copy = copy
        self.build, self.results = os.path.join(folder, "coverage"), os.path.join(folder, "executed")
        os.makedirs(self.results, exist_ok=True)
        # {path: {line: names of tests}}; lines that no test executes are there, too
        self.lines = defaultdict(lambda: defaultdict(set))
        if not all(os.path.exists(self.result_of(test)) for test in copy.reach.tests):
            self.look()
        for test in copy.reach.tests:
            # one that no build with counters has
            if not os.path.exists(self.result_of(test)):
                continue
            with open(self.result_of(test), encoding="utf-8") as file:
                for path, numbers in json.load(file).items():
                    for number, is_executed in numbers:
                        self.lines[path][number] |= {name_of(test)} if is_executed else set()

    def result_of(self, test):
        return os.path.join(self.results, name_of(test).replace("/", "-").replace(":", "-") + ".json")

    def look(self):
        self.copy.build_all(self.build, SETUP)
        missing = [test for test in self.copy.reach.introspect("--tests", self.build) if not os.path.exists(self.result_of(test))]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(self.look_at, missing))

    def look_at(self, test):
        path = self.result_of(test)
        counts = path[:-5]
        self.copy.run_test(test, 600, {"GCOV_PREFIX": counts})
        lines = self.read_counts(counts)
        shutil.rmtree(counts, ignore_errors=True)
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump({name: sorted(lines[name].items()) for name in lines}, file)
        os.rename(path + ".new", path)

    def read_counts(self, folder):
        """{path: {line: whether it is executed}}"""
        lines = defaultdict(dict)
        for at, _, names in os.walk(folder):
            beside = os.path.join("/", os.path.relpath(at, folder))
            files = [name for name in names if name.endswith(".gcda")]
            for name in files:
                os.symlink(os.path.join(beside, name[:-4] + "gcno"), os.path.join(at, name[:-4] + "gcno"))
            if not files:
                continue
            told = subprocess.run(["gcov", "--json-format", "--stdout", *files], cwd=at, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True).stdout
            for report in map(json.loads, filter(None, told.splitlines())):
                for file in report["files"]:
                    path = os.path.relpath(os.path.join(report["current_working_directory"], file["file"]), self.copy.tree)
                    for line in file["lines"] if not path.startswith("..") else ():
                        number = line["line_number"]
                        lines[path][number] = lines[path].get(number, False) or line["count"] > 0
        return lines

    def of(self, site):
        """Names of the tests that execute a site, None if that is not known."""
        numbers = range(site.line, site.line + site.old.count("\n") + 1)
        known = [self.lines[site.path][number] for number in numbers if number in self.lines[site.path]]
        return set().union(*known) if known else None


def name_of(test):
    return test["suite"][0] + "/" + test["name"]
