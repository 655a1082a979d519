#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The properties of all elements, a line each, in docs/pipelines.md.

properties.py PAGE            fails if PAGE has others than the elements' pages
properties.py --write PAGE    renews them

The elements' pages, beside it, have the tables, which a test compares with the
elements.
"""

import os
import re
import sys

BEGIN = '<!-- properties -->\n'
ELEMENTS = ('cudacontours', 'cudahull', 'cudallf', 'cudacircles', 'fourierdraw',
            'shapeoverlay', 'shapestats', 'shapetensordec', 'shapezones',
            'shapecombiner', 'shapeanalytics', 'shapejsonenc', 'shapejsondec',
            'shapegeojsonenc', 'shapecocoenc', 'shapesvgenc', 'shapecsvenc')
# defaults that no pipeline can write
WORDS = ('all', 'empty', 'seven colours')


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def split_row(row):
    """Cells, in which \\| and what is in backquotes is no border."""
    return [cell.strip() for cell in re.split(r'(?<!\\)\|', row)]


def element_lines(folder, name):
    section = re.search(r'^## Properties\n(.*?)(?=^## |\Z)', read(
        os.path.join(folder, name + '.md')), re.M | re.S)
    rows = re.findall(r'^\| `([a-z0-9-]+)` \|(.*)\|$', section[1], re.M) \
        if section else []
    if not rows:
        yield '**%s**: none.' % name
        return
    yield '**[%s](%s.md#properties)**' % (name, name)
    yield ''
    for prop, row in rows:
        values, default, when = split_row(row)[:3]
        # links are of that page
        values = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', values)
        default = default.strip('`')
        if default in WORDS:
            text = '`%s`, without it %s' % (prop, default)
        else:
            text = '`%s=%s`' % (prop, '' if default == 'unset' else default)
        yield '- %s%s; %s' % (text, ': ' + values if values else '', when)


def properties(folder):
    lines = []
    for name in ELEMENTS:
        lines += [*element_lines(folder, name), '']
    return '\n'.join(lines)


def main(arguments):
    write = arguments[:1] == ['--write']
    page = arguments[-1]
    before, mark, found = read(page).partition(BEGIN)
    if not mark:
        sys.exit('%s has no line %s' % (page, BEGIN.strip()))
    expected = '\n' + properties(os.path.dirname(page))
    if write:
        with open(page, 'w', encoding='utf-8') as file:
            file.write(before + mark + expected)
    elif found != expected:
        sys.exit('%s: the properties are not those of the pages; '
                 'docs/site/properties.py --write %s' % (page, page))


if __name__ == '__main__':
    main(sys.argv[1:])
