#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The work of tests/mutate, which says how it is used."""
import argparse
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict

import executed
import reach
import sites

# where tests/run --partners installs its parser
sys.path[:0] = filter(None, [os.environ.get("CUDASHAPES_PARTNERS")])

ROOT = subprocess.run(["git", "rev-parse", "--show-toplevel"], cwd=os.path.dirname(os.path.abspath(__file__)), check=True,
                      stdout=subprocess.PIPE, text=True).stdout.strip()
FOLDERS = ("common", "gst", "kernels", "pipelines")
SETUP = ("-Dcuda=disabled", "-Dtests=enabled", "-Dwerror=false", "-Doptimization=1", "-Ddebug=false")
SEEN, SURVIVED, SAME, BROKEN, UNREACHED = "seen", "survived", "no change", "does not compile", "no test"


def say(text):
    print(text, file=sys.stderr, flush=True)


def git(*command, root):
    return subprocess.run(["git", *command], cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout


def is_python(root, path):
    if path.endswith(".py"):
        return True
    if "." in os.path.basename(path) or not os.path.isfile(os.path.join(root, path)):
        return False
    with open(os.path.join(root, path), "rb") as file:
        return file.readline().startswith(b"#!/usr/bin/env python3")


def list_files(root, paths):
    files = git("ls-files", "-z", "--", *paths, root=root).split("\0")
    return sorted(path for path in files if path and (path.endswith(".c") or is_python(root, path)))


def changed_lines(root, revision):
    """{path: numbers of lines that are not as in the revision}"""
    lines, path = defaultdict(set), None
    for line in git("diff", "-U0", "--no-color", "--no-ext-diff", revision, root=root).splitlines():
        if line.startswith("+++ "):
            path = line[6:] if line.startswith("+++ b/") else None
        found = re.match(r"@@ \S+ \+(\d+)(?:,(\d+))? @@", line)
        if found and path:
            first, n = int(found[1]), int(found[2] or 1)
            lines[path] |= set(range(first, first + n))
    return lines


def draw(options):
    """All mistakes that are planted, in their order."""
    lines = changed_lines(options.root, options.change) if options.change else None
    found = []
    for path in list_files(options.root, options.paths):
        if lines is not None and path not in lines:
            continue
        with open(os.path.join(options.root, path), "rb") as file:
            all_sites = sites.find_sites(path, file.read())
        found += [site for site in all_sites if lines is None or site.line in lines[path]]
    random.Random(options.seed).shuffle(found)
    index, of = options.shard
    return (found if options.change else found[:options.count])[index::of]


class Copy:
    """A copy of the tree, and a build of it."""

    def __init__(self, options):
        self.root, self.options = options.root, options
        self.tree = os.path.join(options.folder, "tree")
        self.build = os.path.join(options.folder, "build")
        self.results = os.path.join(options.folder, "results.jsonl")
        self.times_path = os.path.join(options.folder, "times.json")
        self.update()
        self.environment = dict(os.environ, CCACHE_BASEDIR=self.tree, CCACHE_NOHASHDIR="1")
        self.build_all(self.build, ())
        self.reach = reach.Reach(self.tree, self.build)
        self.times = {}
        if os.path.exists(self.times_path):
            with open(self.times_path, encoding="utf-8") as file:
                self.times = {name: seconds for name, seconds in json.load(file).items() if seconds is not None}

    def build_all(self, build, setup):
        if not os.path.exists(os.path.join(build, "build.ninja")):
            self.run(["meson", "setup", build, self.tree, *self.options.setup, *setup])
        say("Building in %s" % build)
        self.run(["ninja", "-C", build])

    def run(self, command):
        log = os.path.join(self.options.folder, "log")
        with open(log, "w", encoding="utf-8") as file:
            if subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, env=self.environment).returncode:
                sys.exit("%s failed: %s" % (command[0], log))

    def update(self):
        """The user's files as they are; what is the same keeps its time. What is executed may be another line then."""
        os.makedirs(self.tree, exist_ok=True)
        files = [path for path in git("ls-files", "-z", root=self.root).split("\0") if path]
        for path in files:
            source, target = os.path.join(self.root, path), os.path.join(self.tree, path)
            if not os.path.lexists(source):
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if os.path.islink(source):
                if not os.path.lexists(target):
                    os.symlink(os.readlink(source), target)
            elif not os.path.exists(target) or read(source) != read(target):
                shutil.copy(source, target)
                shutil.rmtree(os.path.join(self.options.folder, "executed"), ignore_errors=True)
        if not os.path.isdir(os.path.join(self.tree, ".git")):
            git("init", "-q", root=self.tree)

    def compile(self, targets):
        """FALSE if that is not possible."""
        return not targets or subprocess.run(["ninja", "-C", self.build, *sorted(targets)], stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL, env=self.environment).returncode == 0

    def digest(self, objects):
        digest = hashlib.sha256()
        for path in objects:
            digest.update(read(os.path.join(self.build, path)))
        return digest.hexdigest()

    def run_test(self, test, limit, environment=()):
        """(its exit status, seconds); None: it hung."""
        begin = time.monotonic()
        process = subprocess.Popen(test["cmd"], cwd=test["workdir"] or self.build, env={**os.environ, **test["env"], **dict(environment)},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        end_session(process)
        return status, time.monotonic() - begin

    def measure(self, test):
        """Seconds that it takes without a mistake; None if it does not pass."""
        name = executed.name_of(test)
        if name not in self.times:
            status, seconds = self.run_test(test, 600)
            self.times[name] = seconds if status == 0 else None
            with open(self.times_path, "w", encoding="utf-8") as file:
                json.dump(self.times, file)
        return self.times[name]


def end_session(process):
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        pass
    process.wait()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


class Planter:
    def __init__(self, copy, most, lines):
        self.copy, self.most, self.lines = copy, most, lines
        # tests that saw mistakes in a file
        self.saw = defaultdict(Counter)
        # of the objects of a file, without a mistake
        self.digests = {}
        # what is linked of an object that may have a mistake
        self.stale = set()

    def order(self, path, tests):
        """The likeliest first: what saw a mistake in this file, what is named as it, what is short, or not measured yet."""
        stem = os.path.splitext(os.path.basename(path))[0]

        def key(test):
            name = test["name"]
            return -self.saw[path][name], name not in stem and stem not in name, self.copy.times.get(
                executed.name_of(test)) or 10
        return sorted(tests, key=key)

    def choose(self, path, tests):
        """Those that pass without a mistake, in order, as many as there is time for."""
        chosen, seconds = [], 0
        for test in self.order(path, tests):
            self.copy.compile(self.stale & self.copy.reach.needs(test))
            usual = self.copy.measure(test)
            if usual is not None and seconds + usual <= self.most:
                chosen.append(test)
                seconds += usual
            if seconds > .9 * self.most:
                break
        return chosen

    def judge(self, site):
        """(result, the test that saw it or None)"""
        copy = self.copy
        path = os.path.join(copy.tree, site.path)
        before = read(path)
        tests, objects, made = copy.reach.of(site.path)
        names = self.lines.of(site) if self.lines else None
        if names is not None:
            tests = [test for test in tests if executed.name_of(test) in names]
        if not tests:
            return UNREACHED, None
        # before there is a mistake
        tests = self.choose(site.path, tests)
        if site.path not in self.digests:
            copy.compile(objects)
            self.digests[site.path] = copy.digest(objects)
        write(path, before[:site.first] + site.new.encode() + before[site.end:])
        try:
            if not copy.compile(objects):
                return BROKEN, None
            if objects and copy.digest(objects) == self.digests[site.path]:
                return SAME, None
            self.stale |= made
            return self.run(site, tests)
        finally:
            write(path, before)

    def run(self, site, tests):
        for test in tests:
            # linked when it is needed, for mostly the first test sees it
            if not self.copy.compile(self.stale & self.copy.reach.needs(test)):
                return BROKEN, None
            status, _ = self.copy.run_test(test, max(20, 5 * self.copy.measure(test)))
            if status not in (0, 77):
                self.saw[site.path][test["name"]] += 1
                return SEEN, test["name"]
        return SURVIVED, None


def key_of(site):
    return [site.path, site.line, site.first, site.old, site.new]


def show(site):
    return "%s:%d: %s -> %s" % (site.path, site.line, " ".join(site.old.split()), " ".join(site.new.split()))


def report(results):
    """Returns: how many survive"""
    table = defaultdict(Counter)
    for key, result, _ in results:
        folder = os.path.dirname(key[0])
        table[folder][result] += 1
        table["all"][result] += 1
    print("%-28s %6s %6s %6s %10s %8s" % ("folder", "seen", "not", "share", "no change", "other"))
    for folder in sorted(table, key=lambda name: (name == "all", name)):
        n = table[folder]
        judged = n[SEEN] + n[SURVIVED] + n[UNREACHED]
        print("%-28s %6d %6d %5.0f%% %10d %8d" % (folder, n[SEEN], n[SURVIVED] + n[UNREACHED],
                                                  100 * n[SEEN] / judged if judged else 0, n[SAME], n[BROKEN]))
    lost = [key for key, result, _ in results if result in (SURVIVED, UNREACHED)]
    if lost:
        print("\nNo test sees:")
    for key in sorted(lost):
        print("  %s:%d: %s -> %s" % (key[0], key[1], " ".join(key[3].split()), " ".join(key[4].split())))
    return len(lost)


def shard(text):
    index, of = map(int, text.split("/"))
    if not 1 <= index <= of:
        raise ValueError(text)
    return index - 1, of


def parse_arguments():
    parser = argparse.ArgumentParser(prog="mutate")
    parser.add_argument("paths", nargs="*", default=list(FOLDERS))
    parser.add_argument("--change")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shard", type=shard, default=(0, 1))
    parser.add_argument("--folder", default=None)
    parser.add_argument("--most", type=float, default=300)
    parser.add_argument("--lines", action="store_true")
    parser.add_argument("--list", action="store_true")
    # of another project, for tests
    parser.add_argument("--root", default=ROOT)
    parser.add_argument("--setup", nargs="*", default=list(SETUP))
    options = parser.parse_args()
    options.root = os.path.abspath(options.root)
    options.folder = os.path.abspath(options.folder or os.path.join(options.root, "build-mutants"))
    return options


def main():
    options = parse_arguments()
    drawn = draw(options)
    if options.list:
        print(*map(show, drawn), sep="\n")
        return 0
    copy = Copy(options)
    planter = Planter(copy, options.most, executed.Executed(copy, options.folder) if options.lines else None)
    done = {}
    if os.path.exists(copy.results):
        with open(copy.results, encoding="utf-8") as file:
            done = {json.dumps(key): (key, result, test) for key, result, test in map(json.loads, file)}
    # what no test saw may be seen now
    done = {key: one for key, one in done.items() if one[1] not in (SURVIVED, UNREACHED)}
    for key, _, test in done.values():
        planter.saw[key[0]][test] += 1
    results = []
    # file by file, so that one compilation takes a mistake out and puts the next one in
    for i, site in enumerate(sorted(drawn, key=lambda site: site.path)):
        key = json.dumps(key_of(site))
        if key not in done:
            result, test = planter.judge(site)
            done[key] = key_of(site), result, test
            with open(copy.results, "a", encoding="utf-8") as file:
                file.write(json.dumps(done[key]) + "\n")
            say("%d of %d: %s%s: %s" % (i + 1, len(drawn), result, " by " + test if test else "", show(site)))
        results.append(done[key])
    return 1 if report(results) else 0


if __name__ == "__main__":
    sys.exit(main())
