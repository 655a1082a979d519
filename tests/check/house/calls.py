#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""No circle of calls between files of the product.

    calls.py BUILD   the objects of the build in the folder BUILD have none; exits with 77 without nm or objects
    calls.py         circles that are planted are found

A file calls another one if it uses a symbol that the other one defines, be it a function or a variable. Calls by pointers
are not seen.
"""

import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDERS = ('gst/', 'common/', 'kernels/', 'pipelines/')

# symbols that are named for a call
MAX_NAMED = 3


def find_objects(build):
    """Object, below the build -> source, below the tree: those of the product."""
    path = build / 'compile_commands.json'
    found = {}
    for command in json.loads(path.read_text(encoding='utf-8')) if path.exists() else ():
        output, source = command['output'], os.path.relpath(build / command['file'], ROOT)
        if source.startswith(FOLDERS) and not output.startswith('tests/') and (build / output).exists():
            found[output] = source
    return found


def read_symbols(text):
    """Object -> what it defines, what it uses: of what nm -A prints. Functions with clones are i."""
    symbols = collections.defaultdict(lambda: (set(), set()))
    for name, kind, symbol in re.findall(r'^(.*?\.o):[0-9a-f]* +([A-Za-z]) (\S+)$', text, re.M):
        if kind in 'BCDGiRSTuVW':
            symbols[name][0].add(symbol)
        elif kind in 'Uvw':
            symbols[name][1].add(symbol)
    return symbols


def find_calls(symbols, sources):
    """Source -> source that it calls -> symbols. Of objects that define the same symbol those of the same target count."""
    owners = collections.defaultdict(set)
    for name, (defined, _) in symbols.items():
        for symbol in defined:
            owners[symbol].add(name)
    calls = {source: collections.defaultdict(set) for source in sources.values()}
    for name, (_, used) in symbols.items():
        for symbol in used:
            near = {owner for owner in owners[symbol] if os.path.dirname(owner) == os.path.dirname(name)}
            for owner in near or owners[symbol]:
                if sources[owner] != sources[name]:
                    calls[sources[name]][sources[owner]].add(symbol)
    return calls


def find_reached(calls, source):
    reached, waiting = set(), [source]
    while waiting:
        for other in calls[waiting.pop()]:
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return reached


def find_circles(calls):
    """Sorted files of each set in which every file reaches every other one."""
    reached = {source: find_reached(calls, source) for source in calls}
    return sorted({tuple(sorted(other for other in reached[source] if source in reached[other]))
                   for source in calls if source in reached[source]})


def check(text, sources):
    calls = find_calls(read_symbols(text), sources)
    for circle in find_circles(calls):
        yield f'a circle of calls between {len(circle)} files:'
        for source in circle:
            for other in sorted(set(calls[source]) & set(circle)):
                names = sorted(calls[source][other])
                more = ', ...' if len(names) > MAX_NAMED else ''
                yield f'    {source} calls {other}: ' + ', '.join(names[:MAX_NAMED]) + more


SOURCES = {
    'a/a.o': 'gst/a.c',
    'a/b.o': 'gst/b.c',
    'k/c.o': 'kernels/c.c',
    'k/d.o': 'kernels/d.cu',
    'p/main.o': 'pipelines/main.c',
}
# both main.o and a.o have a help (); what main.o calls is its own
GOOD = '''\
a/a.o:                 U b_run
a/a.o:0000000000000000 T a_run
a/a.o:0000000000000010 T help
a/b.o:                 U c_run
a/b.o:                 U help_text
a/b.o:0000000000000000 T b_run
a/b.o:0000000000000020 t a_static
k/c.o:0000000000000000 i c_run
k/c.o:                 U malloc
k/d.o:0000000000000000 D d_table
k/d.o:                 U c_run
p/main.o:              U help
p/main.o:0000000000000000 T help
p/main.o:0000000000000010 T help_text
'''

# what nm prints besides, parts of the faults
BAD = (
    ('a/b.o:                 U a_run\n', ('2 files', 'gst/a.c calls gst/b.c: b_run', 'gst/b.c calls gst/a.c: a_run')),
    ('k/c.o:                 U d_table\n', ('2 files', 'kernels/c.c calls kernels/d.cu: d_table')),
    ('k/c.o:                 w a_run\n', ('3 files', 'kernels/c.c calls gst/a.c: a_run')),
)


def check_rules():
    for fault in check(GOOD, SOURCES):
        yield f'without a circle: {fault}'
    for text, parts in BAD:
        faults = '\n'.join(check(GOOD + text, SOURCES))
        for part in parts:
            if part not in faults:
                yield f'with {text.strip()!r}: nothing says "{part}", but {faults!r}'


def check_build(build):
    objects = find_objects(build)
    if not objects or not shutil.which('nm'):
        print('nm or the objects are missing')
        sys.exit(77)
    text = subprocess.run(['nm', '-A', *objects], cwd=build, capture_output=True, text=True, check=True).stdout
    yield from check(text, objects)


def main():
    if len(sys.argv) > 2:
        sys.exit('usage: calls.py [BUILD]')
    faults = list(check_build(pathlib.Path(sys.argv[1]).resolve()) if len(sys.argv) == 2 else check_rules())
    print('\n'.join(faults))
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
