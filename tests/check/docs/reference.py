# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every symbol that the library exports has a page in the C reference.

reference.py LIBRARY GIR CONFIG FOLDER

gi-docgen makes the pages, and warns of nothing, in FOLDER. The get_type()
functions have none: the pages of their types do.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

SKIP = 77
GLIB = '{http://www.gtk.org/introspection/glib/1.0}'


def exported(library):
    lines = subprocess.run(['nm', '-D', '--defined-only', library], check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    return {line.split()[-1] for line in lines.splitlines()
            if line.split()[-1].startswith('gst_')}


def make(gir, config, folder):
    shutil.rmtree(folder, ignore_errors=True)
    wrong = []
    for command in (['check'], ['generate', '--fatal-warnings', '--output-dir',
                                folder, '--no-namespace-dir']):
        done = subprocess.run(['gi-docgen', *command, '--config', config, gir],
                              stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT)
        warnings = [line for line in done.stdout.splitlines()
                    if 'WARNING' in line or 'ERROR' in line]
        if done.returncode or warnings:
            wrong.append('gi-docgen %s: exit code %d\n%s' % (
                command[0], done.returncode, '\n'.join(warnings)))
    return wrong


def described(gir, folder):
    """What the pages declare, and the get_type() functions of their types."""
    names = set()
    for path in glob.glob(os.path.join(folder, '*.*.html')):
        with open(path, encoding='utf-8') as file:
            # the declaration, which only a symbol's own page has
            found = re.search(r'<h4[^>]*>\s*Declaration\b(.*?)<h4',
                              file.read(), re.S)
        if found:
            names.update(re.findall(r'\bgst_\w+', found[1]))
    for node in xml.etree.ElementTree.parse(gir).iter():
        if node.get(GLIB + 'get-type') and glob.glob(os.path.join(
                folder, '*.%s.html' % node.get('name'))):
            names.add(node.get(GLIB + 'get-type'))
    return names


def main(library, gir, config, folder):
    for program in ('gi-docgen', 'nm'):
        if not shutil.which(program):
            print('skipped: no %s' % program)
            return SKIP
    wrong = make(gir, config, folder)
    symbols = exported(library)
    wrong += ['%s has no page' % name
              for name in sorted(symbols - described(gir, folder))]
    print('\n'.join(wrong) or '%d symbols' % len(symbols))
    return int(bool(wrong) or len(symbols) < 100)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
