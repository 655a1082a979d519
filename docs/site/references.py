# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pages of the references, in Markdown: what C's index lists, and docstrings."""

import inspect
import json
import os
import re

from numpydoc.docscrape import NumpyDocString

# MkDocs would take < for markup, and | for the border of a cell
_MARKUP = str.maketrans({'<': '&lt;', '|': '&#124;', '*': r'\*', '_': r'\_'})

_FILES = {'bitfield': 'flags', 'constant': 'const', 'function': 'func',
          'function_macro': 'func', 'record': 'struct'}


def _plain(text):
    """Text in which code is in single backquotes, and nothing else is markup."""
    parts = text.replace('``', '`').split('`')
    return '`'.join(part if i % 2 else part.translate(_MARKUP)
                    for i, part in enumerate(parts))


def _c_entry(symbol, folder):
    kind = symbol['type']
    name = '.'.join(filter(None, (_FILES.get(kind, kind),
                                  symbol.get('type_name'), symbol['name'],
                                  'html')))
    if not os.path.exists(os.path.join(folder, name)):
        raise SystemExit('the reference has no %s' % name)
    shown = symbol.get('ident') or symbol['ctype']
    summary = re.sub(r'[#%](?=\w)', '', symbol.get('summary', ''))
    return '| [`%s`](../reference/%s) | %s |' % (
        shown, name, summary.translate(_MARKUP))


def c_page(folder):
    """All of libgstshapes, for the site's search; folder: gi-docgen's pages."""
    with open(os.path.join(folder, 'index.json'), encoding='utf-8') as file:
        symbols = json.load(file)['symbols']
    owners = {}
    for symbol in symbols:
        owner = symbol.get('type_name') or {
            'function': 'Functions', 'function_macro': 'Functions',
            'constant': 'Constants'}.get(symbol['type'], 'Types')
        owners.setdefault(owner, []).append(_c_entry(symbol, folder))
    first = ['Types', 'Functions', 'Constants']
    lines = ['# Reference of C', '',
             'libgstshapes by its symbols: shapes of arrays, units, ownership '
             'and errors are on the page of each. '
             '[All of it by its types](../reference/index.html); '
             '[how to use it](using-from-c.md).', '']
    for owner in first + sorted(set(owners) - set(first)):
        lines += ['## %s%s' % ('' if owner in first else 'Gst', owner), '',
                  '| symbol | |', '|---|---|', *owners[owner], '']
    return '\n'.join(lines)


def _signature(value, name):
    """The lines of a call, or none where Python does not know it."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return []
    arguments = [argument for argument in signature.parameters.values()
                 if argument.name not in ('self', 'cls')]
    texts = str(signature.replace(parameters=arguments))[1:-1].split(', ')
    line = '%s(%s)' % (name, ', '.join(texts))
    if len(line) <= 80:
        return [line]
    lines = ['%s(' % name]
    for text in texts:
        if len(lines[-1]) + len(text) > 76 or len(lines) == 1:
            lines.append('    ' + text + ',')
        else:
            lines[-1] += ' %s,' % text
    return lines[:-1] + [lines[-1][:-1] + ')']


def _block(text, language):
    return ['```' + language, *text, '```', '']


def _call(value, name):
    """How it is called, if Python knows."""
    signature = _signature(value, name)
    return _block(signature, 'python') if signature else []


def _items(items):
    """A list of names, their types and what is said of them."""
    lines = []
    for name, kind, text in items:
        head = ' : '.join(filter(None, (name and '**%s**' % _plain(name),
                                        _plain(kind))))
        lines += ['- ' + head, '', *('    ' + _plain(line) for line in text),
                  '']
    return lines


def _examples(lines):
    """Doctests as blocks, and the text between them."""
    made, block = [], []

    def close():
        nonlocal block, made
        if block:
            made += _block(block, 'python')
        block = []

    for line in lines:
        if block and line.strip():
            block.append(line)
        elif line.startswith('>>>'):
            block = [line]
        else:
            close()
            made.append(_plain(line))
    close()
    return made + ['']


def _numpydoc(doc):
    parsed = NumpyDocString(doc)
    lines = []
    for name in ('Summary', 'Extended Summary'):
        lines += [_plain(line) for line in parsed[name]] + ['']
    for name in ('Parameters', 'Attributes', 'Returns', 'Raises'):
        if parsed[name]:
            lines += ['**%s**' % name, '', *_items(parsed[name])]
    if parsed['Notes']:
        lines += ['**Notes**', '', *map(_plain, parsed['Notes']), '']
    if parsed['Examples']:
        lines += ['**Examples**', '', *_examples(parsed['Examples'])]
    return lines


def _short(doc):
    """Paragraphs; lines that begin as 'name: ' or 'name, name: ' are items."""
    lines, item = [], False
    doc, mark, examples = doc.partition('\n>>> ')
    for line in doc.splitlines():
        found = re.match(r'(\w+(?:, \w+)*)(?: \(\w+\))?: (.*)', line)
        if found:
            lines += [] if item else ['']
            line = '- `%s`: %s' % (found[1], _plain(found[2]))
            item = True
        elif line:
            line = '  ' + _plain(line) if item else _plain(line)
        else:
            item = False
        lines.append(line)
    return lines + [''] + _examples((mark + examples).splitlines())


def _doc(value):
    """Its text; of a class its own, and not what PyGObject makes of it."""
    doc = vars(value).get('__doc__') if inspect.isclass(value) \
        else inspect.getdoc(value)
    return inspect.cleandoc(doc or '')


def _describe(value):
    doc = _doc(value)
    return _numpydoc(doc) if re.search(r'^-{3,}$', doc, re.M) else _short(doc)


def _members(cls):
    """What of a class has a text of its own, or takes arguments."""
    for name, value in vars(cls).items():
        value = getattr(value, '__func__', value)
        if name.startswith('_'):
            continue
        doc = inspect.getdoc(value)
        if doc and (callable(value) or isinstance(value, property)):
            yield name, value


def undocumented(module, names):
    """Functions and methods without a text."""
    for name in names:
        value = getattr(module, name)
        if callable(value) and not _doc(value):
            yield name
        for member, held in vars(value).items() \
                if inspect.isclass(value) else ():
            held = getattr(held, '__func__', held)
            if not member.startswith('_') and inspect.isfunction(held) \
                    and not inspect.getdoc(held):
                yield '%s.%s' % (name, member)


def python_page(title, module, about, skip=()):
    """Everything public of a module."""
    names = [name for name in module.__all__ if name not in skip]
    missing = list(undocumented(module, names))
    if missing:
        raise SystemExit('%s: no docstring' % ', '.join(missing))
    lines = ['# ' + title, '', about, '']
    for name in sorted(names, key=str.lower):
        value = getattr(module, name)
        lines += ['## %s' % name, '']
        if not callable(value):
            lines += _block(['%s = %r' % (name, value)], 'python')
            continue
        if not inspect.isclass(value):
            lines += _call(value, name)
        lines += _describe(value)
        for member, held in (_members(value) if inspect.isclass(value)
                             else ()):
            lines += ['### %s.%s' % (name, member), '']
            if callable(held):
                lines += _call(held, member)
            lines += _describe(held)
    return '\n'.join(lines)
