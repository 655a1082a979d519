# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which tests of a Meson build a file reaches: by its objects and what is linked of them, or by the names that a test is given."""
import json
import os
import re
import subprocess
from collections import defaultdict


class Reach:
    def __init__(self, tree, build):
        self.tree, self.build = tree, build
        self.tests = self.introspect("--tests")
        self.outputs = {target["id"]: [os.path.relpath(path, build) for path in target["filename"]]
                        for target in self.introspect("--targets")}
        self.made_of = self.read_edges()
        self.scripts = self.read_scripts()

    def introspect(self, what, build=None):
        return json.loads(subprocess.run(["meson", "introspect", what, build or self.build], check=True,
                                         stdout=subprocess.PIPE).stdout)

    def read_edges(self):
        """{what is made: what from it is made}, of build.ninja"""
        edges = defaultdict(set)
        with open(os.path.join(self.build, "build.ninja"), encoding="utf-8") as file:
            text = file.read().replace("$\n", "")
        for line in text.splitlines():
            found = re.match(r"build (.*?[^$]): \S+(.*)", line)
            if not found:
                continue
            outputs = found[1].replace("|", " ").split()
            # not what has only to be there before
            inputs = found[2].split("||")[0].replace("|", " ").split()
            for one in inputs:
                edges[os.path.normpath(one)] |= set(map(os.path.normpath, outputs))
        return edges

    def follow(self, names):
        """All that is made of these."""
        found, open_names = set(), list(names)
        while open_names:
            for one in self.made_of.get(open_names.pop(), ()):
                if one not in found and one not in ("all", "test", "benchmark", "meson-test-prereq", "meson-benchmark-prereq"):
                    found.add(one)
                    open_names.append(one)
        return found

    def of(self, path):
        """(tests, objects, what is made of these)"""
        if not path.endswith(".c"):
            paths = self.users_of(path)
            return [test for test in self.tests if any(self.names(test, one) for one in paths)], [], set()
        source = os.path.normpath(os.path.relpath(os.path.join(self.tree, path), self.build))
        objects = sorted(one for one in self.made_of.get(source, ()) if one.endswith(".o"))
        made = self.follow(objects)
        tests = [test for test in self.tests if self.needs(test) & made]
        return tests, objects, made

    def users_of(self, path):
        """A script, and those that import or start it."""
        found = [path]
        for one in found:
            name = os.path.basename(one)
            stem = name.rpartition(".")[0] or name
            used = re.compile(r"^\s*(import|from)\s+%s\b|[/\"' ]%s[\"'\s]" % (re.escape(stem), re.escape(name)), re.M)
            found += [other for other, text in self.scripts.items() if other not in found and used.search(text)]
        return found

    def read_scripts(self):
        """{path of what is below pipelines/ and no C: text}"""
        texts = {}
        for folder, _, names in os.walk(os.path.join(self.tree, "pipelines")):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.splitext(name)[1] in (".py", ".sh", ""):
                    with open(path, encoding="utf-8", errors="replace") as file:
                        texts[os.path.relpath(path, self.tree)] = file.read()
        return texts

    def needs(self, test):
        """What is made for it."""
        needed = {os.path.relpath(word, self.build) for word in test["cmd"] if os.path.isabs(word)}
        for target in test.get("depends", ()):
            needed |= set(self.outputs.get(target, ()))
        return {one for one in needed if not one.startswith("..")}

    def names(self, test, path):
        """A script is run by who is given it, its folder, or a page that names it; a module by who finds it in PYTHONPATH."""
        path = os.path.join(self.tree, path)
        folders = filter(None, test["env"].get("PYTHONPATH", "").split(":"))
        if any(path.startswith(os.path.realpath(folder) + os.sep) for folder in folders):
            return True
        given = [os.path.realpath(os.path.join(self.build, word)) for word in
                 [*test["cmd"], *":".join(test["env"].values()).split(":")] if "/" in word]
        for word in given:
            if word == path or (word == os.path.dirname(path) and os.path.isdir(word)):
                return True
            if word.endswith(".md") and os.path.isfile(word):
                with open(word, encoding="utf-8") as file:
                    name = os.path.basename(path)
                    if (name.rpartition(".")[0] or name).replace("_", "-") in file.read().replace("_", "-"):
                        return True
        return False
