# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page for whoever writes pipelines has the elements' properties and caps.

pipelines.py PROPERTIES PAGE

PROPERTIES, a program, compares the properties with the elements' own pages.
"""

import re
import subprocess
import sys

SKIP = 77
# obsolete, and refused with a message that names its successor
OBSOLETE = {'other/tensor'}


def rows(page):
    """Element: what its row names as taken and as given."""
    with open(page, encoding='utf-8') as file:
        table = re.search(r'^## Caps\n(.*?)^## ', file.read(), re.M | re.S)[1]
    for row in re.findall(r'^\| (`.*)\|$', table, re.M):
        names, takes, gives = row.split('|')
        for name in re.findall(r'`(\w+)`', names):
            yield name, media(takes), media(
                takes if 'the same' in gives else gives)


def media(cell):
    return {'ANY'} if 'anything' in cell and '/' not in cell \
        else set(re.findall(r'`([\w-]+/[\w.+-]+)`', cell)) \
        | ({'ANY'} if 'anything' in cell else set())


def templates(Gst, factory, direction):
    found = set()
    for template in factory.get_static_pad_templates():
        caps = template.get_caps()
        if template.direction == direction:
            # bindings differ in how structures are had
            found |= {'ANY'} if caps.is_any() else set(re.findall(
                r'(?:^|; )([\w-]+/[\w.+-]+)', caps.to_string()))
    return found - OBSOLETE


def main(program, page):
    if subprocess.run([sys.executable, program, page]).returncode:
        return 1
    try:
        import gi
        gi.require_version('Gst', '1.0')
        from gi.repository import Gst
    except (ImportError, ValueError) as error:
        print('skipped: %s' % error)
        return SKIP
    Gst.init(None)
    plugin = Gst.Registry.get().find_plugin('cudashapes')
    elements = {feature.get_name() for feature in Gst.Registry.get()
                .get_feature_list_by_plugin('cudashapes')
                if isinstance(feature, Gst.ElementFactory)}
    wrong, told = [] if plugin else ['no plugin'], set()
    for name, takes, gives in rows(page):
        told.add(name)
        factory = Gst.ElementFactory.find(name)
        for direction, expected in ((Gst.PadDirection.SINK, takes),
                                    (Gst.PadDirection.SRC, gives)):
            if factory and templates(Gst, factory, direction) != expected:
                wrong.append('%s: %s are %s, not %s' % (
                    name, direction.value_nick,
                    sorted(templates(Gst, factory, direction)),
                    sorted(expected)))
    wrong += ['%s is not in the table' % name
              for name in sorted(elements - told)]
    print('\n'.join(wrong) or '%d elements' % len(told))
    return int(bool(wrong))


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
