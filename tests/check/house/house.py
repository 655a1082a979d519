#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rules of the house, for the files of C and CUDA.

    house.py ROOT    the tree at ROOT keeps them
    house.py         each rule finds what it forbids, in a tree made for it

Sizes: no file over 900 lines, no function over 80, outside EXCEPTIONS; an exception that is not needed any more is an error,
too. Includes: each file in quotes exists, no circle, dependencies in one direction, as in docs/architecture.md; headers of
the fruit line are for the line and its tests. Circles of calls are found by calls.py. Layout: no tab, no blank at the end of
a line, one newline at the end of the file; 80 columns in gst/ and common/. Messages of elements are plain text: posted by
GST_SHAPES_ERROR() and GST_SHAPES_WARNING().
"""

import pathlib
import posixpath
import re
import sys
import tempfile

MAX_FILE = 900
MAX_FUNCTION = 80
MAX_COLUMNS = 80

FOLDERS = ('gst', 'common', 'kernels', 'pipelines', 'tests')
SUFFIXES = {'.c', '.h', '.cu', '.cuh'}

EXCEPTIONS = {
    # kernels that are written anew in the next round of performance
    'kernels/llf/llf_cuda_up.cu': 'function',
    # a table of points
    'tests/kernels/hull/hull_data.c': 'function',
}

# where files in quotes are looked for, beside the file that includes them
INCLUDE_FOLDERS = ('gst', 'common', 'kernels', 'pipelines')
GENERATED = {'config.h', 'resources.h'}

# what the files of a folder may include besides their own folder; the longest prefix counts
MAY_INCLUDE = {
    'kernels/': ('kernels/',),
    'common/shapes/': ('common/shapes/', 'kernels/base/array.h', 'kernels/base/map.h', 'kernels/base/memory.h',
                       'kernels/base/orient.h'),
    'common/cuda/': ('common/shapes/', 'kernels/base/'),
    'common/element/': ('common/cuda/', 'common/shapes/', 'kernels/base/'),
    'common/engine/': ('common/', 'kernels/'),
    'gst/': ('common/', 'kernels/'),
    'gst/plugin.c': ('common/', 'gst/'),
    # of the library its public header, of what is private these alone
    'pipelines/publish/': ('common/element/gstshapesfile.h', 'common/shapes/jsontext.h', 'kernels/base/text.h'),
    'pipelines/line/': ('pipelines/publish/', 'common/shapes/gstshapes.h', 'common/element/gstshapesfile.h', 'kernels/base/array.h',
                        'kernels/base/clones.h', 'kernels/base/memory.h', 'kernels/base/text.h', 'kernels/stats/stats_lab.h'),
}

# tests that may include headers of the fruit line and the publisher
LINE_TESTS = ('tests/check/line/', 'tests/check/publish/', 'tests/fuzz/', 'tests/simulation/')


def sources(root):
    """Path below root -> text."""
    return {path.relative_to(root).as_posix(): path.read_text(encoding='utf-8')
            for folder in FOLDERS for path in sorted((root / folder).rglob('*'))
            if path.suffix in SUFFIXES and path.is_file()}


def functions(text):
    """(line, number of lines) of each body: '{' and '}' in the first column."""
    begin = None
    for number, line in enumerate(text.split('\n'), 1):
        if line == '{':
            begin = number
        elif line.startswith('}') and begin:
            yield begin, number - begin + 1
            begin = None


def check_sizes(files, exceptions):
    for name, text in files.items():
        needed = set()
        allowed = set(exceptions.get(name, '').split())
        lines = text.count('\n')
        if lines > MAX_FILE:
            needed.add('file')
            if 'file' not in allowed:
                yield f'{name}: {lines} lines, and {MAX_FILE} are the most: split it by content'
        for line, length in functions(text):
            if length > MAX_FUNCTION:
                needed.add('function')
                if 'function' not in allowed:
                    yield f'{name}:{line}: a function of {length} lines, and {MAX_FUNCTION} are the most'
        for what in sorted(allowed - needed):
            yield f'{name}: the exception of its {what} is not needed any more: remove it from EXCEPTIONS'
    for name in sorted(set(exceptions) - set(files)):
        yield f'{name}: there is no such file: remove it from EXCEPTIONS'


def includes(name, text, files, folders=INCLUDE_FOLDERS):
    """(line, what is included, its path or None) of those in quotes, and of those in <> that are files of the tree."""
    here = name.rpartition('/')[0]
    for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]+(["<])([^">]+)[">]', text, re.M):
        quoted, target = match[1] == '"', match[2]
        line = text.count('\n', 0, match.start()) + 1
        paths = (posixpath.normpath(f'{folder}/{target}') for folder in (here, *folders))
        found = next((path for path in paths if path in files), None)
        if found or (quoted and target not in GENERATED):
            yield line, target, found


def may_include(name, path):
    if name.rpartition('/')[0] == path.rpartition('/')[0] and name != 'gst/plugin.c':
        return True
    prefix = max((p for p in MAY_INCLUDE if name.startswith(p)), key=len)
    return path.startswith(MAY_INCLUDE[prefix])


def find_circle(graph):
    """A path of files or folders that ends where it begins, or None."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        path.append(node)
        for other in sorted(graph.get(node, ())):
            circle = visit(other)
            if circle:
                return circle
        path.pop()
        done.add(node)
        return None

    return next((circle for circle in map(visit, sorted(graph)) if circle), None)


def check_includes(files):
    graph, folders = {}, {}
    for name, text in files.items():
        if not name.startswith(tuple(MAY_INCLUDE)):
            continue
        for line, target, path in includes(name, text, files):
            if path is None:
                yield f'{name}:{line}: there is no "{target}" beside it nor in {", ".join(INCLUDE_FOLDERS)}'
                continue
            graph.setdefault(name, set()).add(path)
            here, there = name.rpartition('/')[0], path.rpartition('/')[0]
            if here != there:
                folders.setdefault(here, set()).add(there)
            if not may_include(name, path):
                yield f'{name}:{line}: includes {path}, against the direction of dependencies (docs/architecture.md)'
        if name.startswith('kernels/') and re.search(r'^#\s*include\s+<gst/', text, re.M):
            yield f'{name}: kernels/ does not depend on GStreamer'
    for what, edges in (('files', graph), ('folders', folders)):
        circle = find_circle(edges)
        if circle:
            yield f'a circle of {what}: ' + ' -> '.join(circle)


def check_line_headers(files):
    for name, text in files.items():
        if name.startswith('tests/') and not name.startswith(LINE_TESTS):
            for line, _, path in includes(name, text, files, ('pipelines', 'pipelines/line')):
                if path and path.startswith('pipelines/'):
                    yield f'{name}:{line}: includes {path}, which is for the line and its tests'


def check_layout(files):
    for name, text in files.items():
        if not text.endswith('\n') or text.endswith('\n\n'):
            yield f'{name}: it does not end with one newline'
        for number, line in enumerate(text.split('\n'), 1):
            if '\t' in line:
                yield f'{name}:{number}: a tab'
            if line != line.rstrip():
                yield f'{name}:{number}: a blank at the end of the line'
            # a command of the documentation is one line
            if len(line) > MAX_COLUMNS and name.startswith(('gst/', 'common/')) and 'gst-launch-1.0' not in line:
                yield f'{name}:{number}: {len(line)} columns, and {MAX_COLUMNS} are the most'


def check_messages(files):
    for name, text in files.items():
        for number, line in enumerate(text.split('\n'), 1):
            if name.startswith(('gst/', 'common/')) and re.search(r'\bGST_ELEMENT_(ERROR|WARNING|INFO) \(', line):
                yield f'{name}:{number}: posts what may be no plain text; use element/gstshapesmessage.h'


def check(root, exceptions):
    files = sources(root)
    if not files:
        yield f'there is no C in {root}'
    yield from check_sizes(files, exceptions)
    yield from check_includes(files)
    yield from check_line_headers(files)
    yield from check_layout(files)
    yield from check_messages(files)


GOOD = {
    'kernels/base/array.h': '#include <glib.h>\n',
    'kernels/base/text.h': '#include <glib.h>\n',
    'kernels/hull/hull.c': '#include "config.h"\n#include "base/array.h"\n\nint\nhull (void)\n{\n  return 0;\n}\n',
    'common/shapes/set.h': '#include "base/array.h"\n',
    'common/element/frame.h': '#include "shapes/set.h"\n',
    'common/element/gstshapesfile.h': '#include <glib.h>\n',
    'pipelines/line/scene.h': '#include "element/gstshapesfile.h"\n#include "base/array.h"\n',
    'pipelines/publish/ini.h': '#include "base/text.h"\n',
    'pipelines/line/settings.h': '#include "publish/ini.h"\n',
    'tests/check/line/scene.c': '#include "scene.h"\n',
    'tests/check/hull/scene.h': 'int x;\n',
    'tests/check/hull/scene.c': '#include "scene.h"\n',
    'gst/hull/element.c': '#include "element/frame.h"\n/* gst-launch-1.0 ' + 'x' * 80 + ' */\n',
}

# what is wrong, the file that makes it so, a part of the message, exceptions
BAD = (
    ('tests/long.c', '\n' * 900 + 'int x;\n', 'tests/long.c: 901 lines', {}),
    ('kernels/hull/long.cu', 'int\nf (void)\n{\n' + '  ;\n' * 79 + '}\n', 'kernels/hull/long.cu:3: a function of 81 lines', {}),
    ('kernels/hull/short.c', 'int x;\n', 'the exception of its file is not needed', {'kernels/hull/short.c': 'file'}),
    ('kernels/hull/short.c', 'int x;\n', 'gone.c: there is no such file', {'gone.c': 'file'}),
    ('kernels/hull/lost.c', '#include "hull/lost.h"\n', 'there is no "hull/lost.h"', {}),
    ('kernels/base/array.h', '#include "base/array.h"\n', 'a circle of files: kernels/base/array.h -> kernels/base/array.h', {}),
    ('kernels/base/up.h', '#include "hull/hull.c"\n', 'a circle of folders: kernels/base -> kernels/hull -> kernels/base', {}),
    ('kernels/hull/up.c', '#include "shapes/set.h"\n', 'includes common/shapes/set.h, against', {}),
    ('kernels/hull/gst.c', '#include <gst/gst.h>\n', 'does not depend on GStreamer', {}),
    ('common/shapes/up.c', '#include "element/frame.h"\n', 'includes common/element/frame.h, against', {}),
    ('common/shapes/kernel.c', '#include "hull/hull.c"\n', 'includes kernels/hull/hull.c, against', {}),
    ('common/element/up.c', '#include "hull/element.c"\n', 'includes gst/hull/element.c, against', {}),
    ('gst/other/other.c', '#include "hull/element.c"\n', 'includes gst/hull/element.c, against', {}),
    ('gst/hull/line.c', '#include "../../pipelines/line/scene.h"\n', 'includes pipelines/line/scene.h, against', {}),
    ('pipelines/line/up.c', '#include "element/frame.h"\n', 'includes common/element/frame.h, against', {}),
    ('pipelines/line/kernel.c', '#include "hull/hull.c"\n', 'includes kernels/hull/hull.c, against', {}),
    ('pipelines/publish/up.c', '#include "line/scene.h"\n', 'includes pipelines/line/scene.h, against', {}),
    ('tests/bench/line.c', '#include "scene.h"\n', 'tests/bench/line.c:1: includes pipelines/line/scene.h, which is for', {}),
    ('pipelines/tab.c', 'int\tx;\n', 'pipelines/tab.c:1: a tab', {}),
    ('tests/blank.c', 'int x; \n', 'tests/blank.c:1: a blank at the end', {}),
    ('tests/end.c', 'int x;', 'tests/end.c: it does not end with', {}),
    ('common/wide.h', 'x' * 81 + '\n', 'common/wide.h:1: 81 columns', {}),
    ('gst/hull/raw.c', 'GST_ELEMENT_ERROR (a, B, C, ("%s", d), (NULL));\n', 'gst/hull/raw.c:1: posts what may be', {}),
)


def check_in(tree, exceptions):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding='utf-8')
        return list(check(pathlib.Path(folder), exceptions))


def check_rules():
    for fault in check_in(GOOD, {}):
        yield f'a good tree: {fault}'
    for name, text, message, exceptions in BAD:
        faults = check_in({**GOOD, name: text}, exceptions)
        if not any(message in fault for fault in faults):
            yield f'{name}: nothing says "{message}", but {faults}'


def main():
    if len(sys.argv) > 2:
        sys.exit('usage: house.py [ROOT]')
    faults = list(check(pathlib.Path(sys.argv[1]), EXCEPTIONS) if len(sys.argv) == 2 else check_rules())
    print('\n'.join(faults))
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
