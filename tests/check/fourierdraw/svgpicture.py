#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""SVG files in fourierdraw, against the pictures that rsvg-convert draws of them.

svgpicture.py FOLDER [NAME...]

Of each file of FOLDER (svg/), and of variants that this test makes: every point of the element's lines lies within half a
pixel of an edge in rsvg's picture, and every edge of rsvg's picture within half a pixel of a line. rsvg draws at four times
the size, and strokes as hairlines. What lies on the page's border counts for lines that are there, but needs none: rsvg's
picture ends there. Of files with what is not drawn, that the element says so.

Exits with 77 when a program is missing.
"""
import codecs
import gzip
import itertools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import gi
gi.require_version('Gst', '1.0')
from gi.repository import Gst

WIDTH, HEIGHT = 240, 200
ZOOM = 4
# half a pixel, and what an edge between pixels of the larger picture is off by
NEAR = .5 + .75 / ZOOM
# of the viewport
HAIRLINES = '* { stroke-width: .12% !important }'
# for switch_language: of the environment, and as rsvg-convert takes them
LANGUAGES = ('en_GB.UTF-8', 'en-GB'), ('de_AT.UTF-8', 'de-AT'), ('fr', 'fr'), ('pt_BR', 'pt-BR')
# without a size rsvg draws the page down to what is drawn, but not from there on; here it is told the box around that
BOXES = {'percent_page_no_viewbox.svg': '50 50 400 300'}
# where rsvg strokes what stroke-width says is not there
AS_THEY_ARE = 'unpainted.svg',
failed = []


def skip(message):
    print('skipped: %s' % message)
    sys.exit(77)


def run(description, **properties):
    """Runs a pipeline to its end. properties: of elements, by their names. Returns what it said, and whether it failed."""
    pipeline = Gst.parse_launch(description)
    for name, (key, value) in properties.items():
        pipeline.get_by_name(name).set_property(key, value)
    pipeline.set_state(Gst.State.PLAYING)
    texts, ends = [], Gst.MessageType.EOS | Gst.MessageType.ERROR
    while True:
        message = pipeline.get_bus().timed_pop_filtered(120 * Gst.SECOND, ends | Gst.MessageType.WARNING)
        if message.type & Gst.MessageType.WARNING:
            texts.append(message.parse_warning()[0].message)
        elif message.type & Gst.MessageType.ERROR:
            texts.append(message.parse_error()[0].message)
        if message.type & ends:
            break
    pipeline.set_state(Gst.State.NULL)
    return texts, bool(message.type & Gst.MessageType.ERROR)


def rasterize(path, language):
    """rsvg-convert's picture of a file: its size, and rows of a byte for each pixel, 1 where its alpha is more than a tenth."""
    name = os.path.basename(path)
    with tempfile.TemporaryDirectory() as folder:
        css, png, raw = (os.path.join(folder, part) for part in ('hairlines.css', 'picture.png', 'picture'))
        with open(css, 'w', encoding='utf-8') as file:
            file.write(HAIRLINES)
        words = ['-l', language] if language else []
        words += [] if name in AS_THEY_ARE else ['-s', css]
        if name in BOXES:
            with open(path, encoding='utf-8') as file:
                text = file.read().replace('<svg ', '<svg viewBox="%s" ' % BOXES[name], 1)
            path = os.path.join(folder, name)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        subprocess.run(['rsvg-convert', '-a', '-w', str(WIDTH * ZOOM), '-h', str(HEIGHT * ZOOM), '-o', png, *words, path], check=True)
        with open(png, 'rb') as file:
            width, height = struct.unpack('>II', file.read(24)[16:])
        run('filesrc name=in ! pngdec ! videoconvert ! video/x-raw,format=RGBA ! filesink name=out', **{'in': ('location', png)},
            out=('location', raw))
        with open(raw, 'rb') as file:
            alpha = file.read()[3::4].translate(bytes(value >= 26 for value in range(256)))
    return width, height, [alpha[y * width:(y + 1) * width] for y in range(height)]


def find_edges(path, language):
    """Where rsvg's picture changes, as it lies in the element's, in units of 1 / ZOOM pixels: inside, and on its border."""
    width, height, rows = rasterize(path, language)
    # of its first pixel's centre, where centres are at integers
    x0, y0 = (WIDTH * ZOOM - width) / 2 + .5, (HEIGHT * ZOOM - height) / 2 + .5
    inside, border = set(), set()
    for y, row in enumerate(rows):
        for change in re.finditer(b'(?=\0\1|\1\0)', row):
            inside.add((x0 + change.start() + .5, y0 + y))
        border.update((x0 + x, y0 + y) for x in (-.5, width - .5) if row[int(x)])
    for y, (row, below) in enumerate(zip(rows, rows[1:])):
        changes = int.from_bytes(row, 'big') ^ int.from_bytes(below, 'big')
        for change in re.finditer(b'\1', changes.to_bytes(width, 'big')):
            inside.add((x0 + change.start(), y0 + y + .5))
    for row, y in (rows[0], -.5), (rows[-1], height - .5):
        border.update((x0 + change.start(), y0 + y) for change in re.finditer(b'\1', row))
    return inside, border


def draw(path, language):
    """What the element says, and its lines, in pixels, where centres are at integers and a half."""
    os.environ.update(LC_ALL=language, LANGUAGE='')
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'lines.json')
        texts, failed_to_draw = run(
            'videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8,width=%d,height=%d ! fourierdraw name=draw mode=still min-points=1 '
            'duplicate-distance=-1 order=none attach-shapes=true backend=cpu ! shapejsonenc ! filesink name=out' % (WIDTH, HEIGHT),
            draw=('svg-location', path), out=('location', out))
        if failed_to_draw:
            return texts, []
        with open(out, encoding='utf-8') as file:
            shapes = json.loads(file.readline())['shapes']
    return texts, [[(x + .5, y + .5) for x, y in shape['points']] for shape in shapes]


def cells(points):
    """Points by cells of half a pixel."""
    found = {}
    for x, y in points:
        found.setdefault((int(x * 2), int(y * 2)), []).append((x, y))
    return found


def far(points, others):
    """The points that have none of others near."""
    found, result = cells(others), []
    for x, y in points:
        column, row = int(x * 2), int(y * 2)
        around = itertools.chain.from_iterable(found.get((column + i, row + j), ()) for i in range(-2, 3) for j in range(-2, 3))
        if not any((x - u) ** 2 + (y - v) ** 2 <= NEAR ** 2 for u, v in around):
            result.append((round(x, 2), round(y, 2)))
    return result


def divide(lines):
    """Points a tenth of a pixel from each other."""
    for line in lines:
        yield line[0]
        for (x, y), (u, v) in zip(line, line[1:]):
            n = max(1, int(10 * max(abs(u - x), abs(v - y))))
            for i in range(1, n + 1):
                yield x + (u - x) * i / n, y + (v - y) * i / n


def check(name, good, what):
    if not good:
        failed.append(name)
        print('%s: %s' % (name, what))


def compare(name, path, language=('C', None)):
    inside, border = ({(x / ZOOM, y / ZOOM) for x, y in edges} for edges in find_edges(path, language[1]))
    check(name, inside or border, 'there is nothing in rsvg-convert\'s picture')
    texts, lines = draw(path, language[0])
    check(name, not texts, ' '.join(texts))
    check(name, lines, 'nothing is drawn')
    wrong = far([point for line in lines for point in line], inside | border)
    check(name, not wrong, '%d points are at no edge, such as %s' % (len(wrong), wrong[:3]))
    missing = far(inside, set(divide(lines)))
    check(name, not missing, '%d places of edges have no line, such as %s' % (len(missing), sorted(missing)[:3]))


def says(name, content, text, drawn):
    """Whether the element says what to do, and draws what there is; without any, it fails."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'file.svg')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10">%s</svg>' % content)
        texts, lines = draw(path, 'C')
    check(name, any(text in each for each in texts), 'the element says %s' % texts)
    check(name, bool(lines) == drawn, '%d lines are drawn' % len(lines))


def fits():
    """All values of preserveAspectRatio, of svg elements within another, and some of the document's."""
    shape = '<circle cx="5" cy="4" r="3"/><rect x="8" y="8" width="2" height="2"/>'
    values = ['none'] + ['x%sY%s' % (x, y) for x in ('Min', 'Mid', 'Max') for y in ('Min', 'Mid', 'Max')]
    values = ['%s%s' % both for both in itertools.product(values, ('', ' meet', ' slice'))]
    svg = '<svg xmlns="http://www.w3.org/2000/svg" %s viewBox="0 0 10 10" preserveAspectRatio="%s">' + shape + '</svg>'
    for width, height in (8, 5), (3, 9):
        parts = [svg % ('x="%d" y="%d" width="%d" height="%d"' % (i % 6 * 10, i // 6 * 10, width, height), value)
                 for i, value in enumerate(values)]
        yield 'fits %d' % width, '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 50">%s</svg>' % ''.join(parts)
    for size in 'width="80" height="40"', 'width="30" height="90"':
        for value in 'xMinYMid', 'xMaxYMax slice', 'xMidYMin slice':
            yield 'fit %s %s' % (value, size), svg % (size, value)


def encodings():
    """The same file in other encodings; its id is not ASCII."""
    text = ('<?xml version="1.0" encoding="%s"?>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 80"><style>#gr\u00fcn '
            '{display:none}</style><rect id="gr\u00fcn" width="90" height="9"/><circle cx="50" cy="50" r="20"/></svg>')
    plain = (text % 'UTF-8').encode()
    yield 'UTF-8 with a BOM', codecs.BOM_UTF8 + plain
    yield 'UTF-16LE', codecs.BOM_UTF16_LE + (text % 'UTF-16').encode('utf-16-le')
    yield 'UTF-16BE', codecs.BOM_UTF16_BE + (text % 'utf-16').encode('utf-16-be')
    for name in 'ISO-8859-1', 'ISO-8859-15', 'windows-1252':
        yield name, (text % name).encode(name)
    yield 'gzip', gzip.compress(plain)
    yield 'gzip of UTF-16', gzip.compress(codecs.BOM_UTF16_LE + (text % 'UTF-16').encode('utf-16-le'))


def main():
    if not shutil.which('rsvg-convert'):
        skip('there is no rsvg-convert')
    Gst.init(None)
    folder, names = sys.argv[1], sys.argv[2:]
    done = 0
    for file in sorted(os.listdir(folder)):
        for language in LANGUAGES if file == 'switch_language.svg' else [('C', None)]:
            if file.endswith('.svg') and (not names or file[:-4] in names):
                compare(file, os.path.join(folder, file), language)
                done += 1
    with tempfile.TemporaryDirectory() as made:
        for name, content in itertools.chain(fits(), encodings()):
            path = os.path.join(made, 'file.svg')
            if not names or name in names:
                with open(path, 'wb') as out:
                    out.write(content if isinstance(content, bytes) else content.encode())
                compare(name, path)
                done += 1
    if not names:
        says('text', '<text y="9">a</text>', 'Object to Path', False)
        says('text and more', '<text y="9">a</text><path d="M1 1H9V9z"/>', 'Object to Path', True)
        says('mask', '<path mask="url(#m)" d="M1 1H9V9z"/>', 'masks are not applied', True)
        says('image', '<image href="a.png"/>', 'Trace Bitmap', False)
        says('hidden', '<path display="none" d="M1 1H9V9z"/>', 'nothing is drawn', False)
    print('%d files; %d of them are wrong: %s' % (done, len(set(failed)), ', '.join(sorted(set(failed)))))
    return 1 if failed else 0


sys.exit(main())
