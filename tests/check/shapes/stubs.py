# SPDX-License-Identifier: LGPL-2.1-or-later
"""The type stubs name what the module has, no less and no more.

stubs.py names STUB: compares the names of both
stubs.py mypy FOLDER...: mypy finds the types of typed.py, and its mistakes
"""

import ast
import os
import subprocess
import sys
import tempfile

SKIP = 77


def stub_names(path):
    """'function', 'Class', 'Class.method' of a stub."""
    with open(path, encoding='utf-8') as file:
        tree = ast.parse(file.read())
    names = set()

    def add(nodes, prefix):
        for node in nodes:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                names.add(prefix + node.name)
            elif isinstance(node, ast.ImportFrom):
                # x as x: what the module has of another
                names.update(prefix + alias.name for alias in node.names
                             if alias.asname == alias.name)
            elif isinstance(node, ast.AnnAssign):
                names.add(prefix + node.target.id)
            elif isinstance(node, ast.Assign):
                names.update(prefix + t.id for t in node.targets)
            if isinstance(node, ast.ClassDef):
                add(node.body, node.name + '.')

    add(tree.body, '')
    return {n for n in names if '_' != n.split('.')[-1][0]}


def module_names(module):
    names = set()
    for name in dir(module):
        if name.startswith('_'):
            continue
        names.add(name)
        value = getattr(module, name)
        if not isinstance(value, type):
            continue
        for base in value.__mro__:
            # what GObject's own base classes have belongs to them
            if base.__module__.startswith('gi.repository.GstShapes') \
                    or base.__module__.startswith('gi.overrides'):
                names.update('%s.%s' % (name, member) for member in vars(base)
                             if not member.startswith('_'))
    return names


def compare_names(stub):
    try:
        import gi
        gi.require_version('GstShapes', '1.0')
        from gi.repository import GstShapes
        import numpy  # noqa: F401
    except (ImportError, ValueError) as missing:
        print('skipped:', missing)
        return SKIP
    stubbed, there = stub_names(stub), module_names(GstShapes)
    for name in sorted(there - stubbed):
        print('not in the stub:', name)
    for name in sorted(stubbed - there):
        print('only in the stub:', name)
    print(len(there), 'names')
    return int(stubbed != there or len(there) < 150)


def check_types(*stubs):
    if subprocess.run([sys.executable, '-m', 'mypy', '--version'],
                      capture_output=True, check=False).returncode != 0:
        print('skipped: mypy is not installed')
        return SKIP
    typed = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                         'typed.py')
    with open(typed, encoding='utf-8') as file:
        refused = {number for number, line in enumerate(file, 1)
                   if line.rstrip().endswith('# refused')}
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            [sys.executable, '-m', 'mypy', '--strict', '--no-error-summary',
             '--ignore-missing-imports', '--allow-subclassing-any',
             '--cache-dir', os.devnull, typed],
            text=True, capture_output=True, check=False, cwd=folder,
            env=dict(os.environ, MYPYPATH=os.pathsep.join(stubs)))
    found = set()
    for line in result.stdout.splitlines():
        place = line.split(':')
        if len(place) > 2 and place[2].strip() == 'error':
            found.add(int(place[1]) if place[0].endswith('typed.py') else line)
    if found != refused:
        print(result.stdout, result.stderr)
        print('refused', found, 'and not', refused)
    return int(found != refused or not refused)


if __name__ == '__main__':
    sys.exit({'names': compare_names,
              'mypy': check_types}[sys.argv[1]](*sys.argv[2:]))
