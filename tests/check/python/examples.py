# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples of the package's docstrings print what they say; every public
function has one, and says what it takes, returns and raises."""

import doctest
import importlib
import inspect
import sys

import cudashapes

MODULES = ('cudashapes', 'cudashapes._contours', 'cudashapes._filter',
           'cudashapes._hull', 'cudashapes._instances', 'cudashapes._labels',
           'cudashapes._properties', 'cudashapes._stats')
SECTIONS = ('Parameters', 'Returns', 'Raises', 'Examples')


def main():
    failed = 0
    for name in MODULES:
        found = doctest.testmod(importlib.import_module(name))
        failed += found.failed + (found.attempted == 0)
    for name in cudashapes.__all__:
        public = getattr(cudashapes, name)
        for section in () if isinstance(public, type) else SECTIONS:
            if '\n%s\n%s\n' % (section, '-' * len(section)) not in \
                    inspect.getdoc(public):
                print('%s has no section %s' % (name, section))
                failed += 1
        missing = not public.__doc__ or (
            not isinstance(public, type) and '>>>' not in public.__doc__)
        if missing:
            print('%s has no docstring with an example' % name)
        failed += missing
    return int(failed > 0)


if __name__ == '__main__':
    sys.exit(main())
