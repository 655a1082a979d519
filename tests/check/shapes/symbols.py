# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the library and the plugin export is what is declared.

symbols.py SYMBOLS LIBRARY PLUGIN

SYMBOLS is the library's list in the format of Debian's dpkg-gensymbols: a
symbol that is not there any more breaks programs, and one that is not in the
list was exported by accident. A new one gets a line with the version that
brings it.
"""

import re
import shutil
import subprocess
import sys

SKIP = 77
# the linker's own, which some links export
LINKER = {'__bss_start', '_edata', '_end', '_init', '_fini'}
PLUGIN = {'gst_plugin_cudashapes_get_desc', 'gst_plugin_cudashapes_register'}


def exported(path):
    """Symbol: its type, a letter of nm's."""
    lines = subprocess.run(['nm', '-D', '--defined-only', path], check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    symbols = (line.split() for line in lines.splitlines())
    return {name: kind for _, kind, name in symbols if name not in LINKER}


def declared(path):
    """The soname, and symbol: since which version."""
    with open(path, encoding='ascii') as file:
        head, _, *lines = file.read().splitlines()
    symbols = {}
    for line in lines:
        found = re.fullmatch(r' (\w+)@Base (\d+\.\d+\.\d+)', line)
        if not found:
            sys.exit('%s: %r is no symbol' % (path, line))
        symbols[found[1]] = found[2]
    if list(symbols) != sorted(symbols) or len(symbols) != len(lines):
        sys.exit('%s is not sorted' % path)
    return head.split()[0], symbols


def soname(path):
    lines = subprocess.run(['readelf', '-d', path], check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    return re.search(r'\(SONAME\).*\[(.*)\]', lines)[1]


def main(symbols, library, plugin):
    if not shutil.which('nm') or not shutil.which('readelf'):
        print('skipped: no nm, no readelf')
        return SKIP
    name, expected = declared(symbols)
    found = exported(library)
    problems = ['%s is not exported any more' % symbol
                for symbol in sorted(set(expected) - set(found))]
    problems += ['%s is exported, and not in %s' % (symbol, symbols)
                 for symbol in sorted(set(found) - set(expected))]
    problems += ['%s is no function (nm: %s)' % (symbol, kind)
                 for symbol, kind in sorted(found.items()) if kind != 'T']
    if soname(library) != name:
        problems.append('the soname is %s, not %s' % (soname(library), name))
    problems += ['the plugin exports %s' % symbol
                 for symbol in sorted(set(exported(plugin)) ^ PLUGIN)]
    print('\n'.join(problems) or '%d symbols' % len(found))
    return int(bool(problems))


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
