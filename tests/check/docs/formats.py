#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""formats.py PAGE: compares the page's table of formats with the elements'."""
import re
import sys

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

Gst = need('Gst')


def formats_of(name, direction):
    """Of raw video in system memory."""
    found = set()
    factory = Gst.ElementFactory.find(name)
    for template in factory.get_static_pad_templates():
        caps = template.get_caps()
        for i in range(caps.get_size()):
            # not get_structure(), which GStreamer's own overrides change
            structure = caps.copy_nth(i).to_string()
            if template.direction == direction and structure.startswith(
                    'video/x-raw,'):
                text = re.search(r'format=\(string\)({[^}]*}|\w+)', structure)
                found |= set(re.findall(r'\w+', text.group(1)))
    return found


def main():
    Gst.init(None)
    with open(sys.argv[1], encoding='utf-8') as file:
        section = file.read().split('\n## Formats\n')[1]
    rows = dict(re.findall(r'^\| ([^|]+) \| ([^|]+) \|$', section, re.M))
    told = {}
    for elements, formats in rows.items():
        if formats.startswith('those without'):
            told[elements] = painted - set(re.findall(r'[A-Z0-9]{4}', formats))
        elif formats.startswith('those; and '):
            told[elements] = painted | set(re.findall(
                r'[A-Z0-9]{4,}', formats))
        elif other := re.match(r'those of (\w+); and (\w+)', formats):
            told[elements] = {other[2]} | next(
                told[key] for key in told if other[1] in key)
        elif formats.startswith('those'):
            told[elements] = painted
        elif elements != 'element' and not elements.startswith('-'):
            told[elements] = set(formats.split(', '))
        if elements.startswith('shapeoverlay'):
            painted = told[elements]
    checked = set()
    for elements, formats in told.items():
        for name in elements.split(', '):
            source = name.endswith("'s output")
            name = name.split("'")[0]
            has = formats_of(name, Gst.PadDirection.SRC if source
                             else Gst.PadDirection.SINK)
            if has != formats:
                sys.exit('%s: %s in one place only' % (
                    name, ', '.join(sorted(has ^ formats))))
            checked.add(name)
    missing = {'shapeoverlay', 'cudacircles', 'fourierdraw', 'shapestats',
               'cudallf', 'cudacontours', 'cudahull'} - checked
    if missing:
        sys.exit('not in the table: %s' % ', '.join(sorted(missing)))


main()
