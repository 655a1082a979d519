# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every public name of the library is documented and says since when it is.

documented.py GIR
"""

import sys
import xml.etree.ElementTree

GI = '{http://www.gtk.org/introspection/core/1.0}'
C = '{http://www.gtk.org/introspection/c/1.0}'
TYPES = ('record', 'enumeration', 'bitfield', 'callback', 'constant', 'alias')
FUNCTIONS = ('function', 'method', 'constructor', 'function-macro')


def lacks(node):
    name = node.get(C + 'identifier') or node.get(C + 'type') \
        or node.get('name')
    if node.find(GI + 'doc') is None \
            and node.find(GI + 'return-value/' + GI + 'doc') is None:
        yield '%s is not documented' % name
    if not node.get('version'):
        yield '%s has no Since' % name
    for parameter in node.iterfind(GI + 'parameters/' + GI + 'parameter'):
        if parameter.get('name') not in ('error', 'user_data') \
                and parameter.find(GI + 'doc') is None:
            yield '%s: %s is not documented' % (name, parameter.get('name'))
    if node.tag[len(GI):] in ('enumeration', 'bitfield'):
        for member in node.iterfind(GI + 'member'):
            if member.find(GI + 'doc') is None:
                yield '%s: %s is not documented' % (name, member.get('name'))


def main(path):
    namespace = xml.etree.ElementTree.parse(path).find(GI + 'namespace')
    missing, n = [], 0
    # methods, but not callbacks that are members
    for node in [*namespace, *namespace.iterfind('*/*')]:
        tag = node.tag[len(GI):]
        name = node.get(C + 'identifier', '')
        # get_type() functions are of their types
        if tag not in TYPES + FUNCTIONS or name.endswith('_get_type'):
            continue
        n += 1
        missing += lacks(node)
    print('\n'.join(missing))
    print('%d names, %d things missing' % (n, len(missing)))
    return int(bool(missing) or n < 80)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
