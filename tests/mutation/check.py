# SPDX-License-Identifier: LGPL-2.1-or-later
"""tests/mutate on a small project whose survivors are known. Exits with 77 without its parser, git, meson or a compiler."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mutate.py")
FILES = {
    "meson.build": """project ('half', 'c')
lib = shared_library ('half', 'common/half.c')
test ('half', executable ('check', 'check.c', link_with: lib))
test ('twice', find_program ('python3'), args: [files ('check.py'), meson.project_source_root () / 'pipelines'])
""",
    "common/half.c": """/* n < m */
#include "half.h"

int
half (int n)
{
  if (n > 9)
    return 9;
  return n / 2;
}

int
count (int n)
{
  int sum = 0;

  while (n > 0) {
    sum++;
    n--;
  }
  return sum;
}
""",
    "common/half.h": "int half (int n);\nint count (int n);\n",
    "common/lonely.c": "int\nlonely (void)\n{\n  return 1 + 1;\n}\n",
    "check.c": '#include "common/half.h"\nint main (void) { return half (8) != 4 || half (20) != 9 || count (3) != 3; }\n',
    "pipelines/twice.py": 'import more\n\n\ndef twice(n):\n    """1 + 1"""\n    return n + n + more.more()\n',
    "pipelines/lib/more.py": "def more():\n    return 4 - 3\n",
    "check.py": "import sys\nsys.path[:0] = [sys.argv[1], sys.argv[1] + '/lib']\nimport twice\nassert twice.twice(3) == 7\n",
}


class Mutate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.root, self.work = os.path.join(self.folder, "project"), os.path.join(self.folder, "work")
        for name, text in FILES.items():
            self.write(name, text)
        self.git("init", "-q")
        self.commit()

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def git(self, *command):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *command], cwd=self.root, check=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a")

    def run_it(self, *options):
        """(status, lines of output, lines of progress)"""
        if options[0].startswith("-"):
            options = (*options, "--setup", "--", "common", "pipelines")
        else:
            options = ("--setup", "--", *options)
        done = subprocess.run([sys.executable, PROGRAM, "--root", self.root, "--folder", self.work, *options],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=150)
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, done.stdout.splitlines(), [line for line in done.stderr.splitlines() if " of " in line]

    def test_survivors_are_named(self):
        status, lines, progress = self.run_it("common/half.c", "pipelines")
        self.assertEqual(status, 1)
        survivors = {line.strip() for line in lines if line.startswith("  ")}
        # half of 9 and 10 is not asked for, nor what n was in the end
        self.assertEqual(survivors, {"common/half.c:7: > -> >=", "common/half.c:7: 9 -> 10"})
        self.assertTrue(any("seen by twice: pipelines/twice.py:6: + -> -" in line for line in progress), progress)
        # one that never ends
        self.assertTrue(any("seen by half: common/half.c:19: -- -> ++" in line for line in progress), progress)
        # neither in comments nor in texts
        self.assertFalse(any("half.c:1:" in line or "twice.py:5:" in line for line in progress), progress)
        # the user's files are as they were; what was seen is not tried again, survivors are
        self.assertEqual(subprocess.run(["git", "status", "--porcelain"], cwd=self.root, stdout=subprocess.PIPE).stdout, b"")
        again = self.run_it("common/half.c", "pipelines")
        self.assertEqual(again[:2], (status, lines))
        self.assertEqual(len(again[2]), len(survivors), again[2])
        self.assertTrue(all(": survived: " in line for line in again[2]), again[2])
        # with an assertion more there are none
        self.write("check.c", FILES["check.c"].replace("count (3)", "half (9) != 4 || half (10) != 9 || count (3)"))
        status, lines, _ = self.run_it("common/half.c", "pipelines")
        self.assertEqual(status, 0, lines)

    def test_what_no_test_reaches(self):
        status, lines, _ = self.run_it("common/lonely.c")
        self.assertEqual(status, 1)
        self.assertIn("  common/lonely.c:4: + -> -", lines)

    def test_change(self):
        self.write("common/half.c", FILES["common/half.c"].replace("n / 2", "n / 2 + 0"))
        _, lines, _ = self.run_it("--change", "HEAD", "--list")
        self.assertEqual({line.split(":")[1] for line in lines}, {"9"})
        status, lines, _ = self.run_it("--change", "HEAD")
        # to take nothing from it is the same
        self.assertEqual(status, 0, lines)
        self.assertEqual(lines[-1].split()[0:2], ["all", "3"])
        self.assertEqual(lines[-1].split()[4], "1")

    def test_lines(self):
        status, lines, progress = self.run_it("--lines")
        self.assertEqual(status, 1)
        self.assertIn("  common/lonely.c:4: + -> -", lines)
        self.assertTrue(any("seen by half: common/half.c:8: 9 -> 10" in line for line in progress), progress)

    def test_shards(self):
        whole = self.run_it("--list", "--seed", "3")[1]
        parts = [self.run_it("--list", "--seed", "3", "--shard", "%d/3" % i)[1] for i in (1, 2, 3)]
        self.assertEqual(sorted(sum(parts, [])), sorted(whole))
        self.assertEqual(parts[0], whole[::3])
        self.assertNotEqual(self.run_it("--list", "--seed", "4")[1], whole)


def main():
    sys.path[:0] = filter(None, [os.environ.get("CUDASHAPES_PARTNERS")])
    try:
        import tree_sitter    # noqa: F401
        import tree_sitter_c    # noqa: F401
    except ImportError as error:
        print("skipped:", error)
        sys.exit(77)
    if not all(map(shutil.which, ("git", "meson", "ninja", "cc"))):
        print("skipped: there is no git, meson or compiler")
        sys.exit(77)
    unittest.main()


if __name__ == "__main__":
    main()
