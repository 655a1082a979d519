# SPDX-License-Identifier: LGPL-2.1-or-later
"""Drawings of these pages as SVG: of arrays, and of a pen."""

import json
import subprocess
import tempfile

import numpy as np

SVG = '<svg xmlns="http://www.w3.org/2000/svg" '
BANDS = ('#22375e', '#2c5f85', '#2f8799', '#47a994', '#85c681', '#cfdd72',
         '#fde488')
LABELS = ('#f2b134', '#4aa3a2', '#d95d48', '#7a6aad', '#90ad3f', '#333333')


def path(rings):
    """Rings as the data of a path."""
    return ' '.join('M%sZ' % ' '.join('%g,%g' % (round(x, 2), round(y, 2))
                                      for x, y in np.asarray(ring)[:-1])
                    for ring in rings)


def bands():
    """Three hills and a hollow."""
    import cudashapes
    y, x = np.mgrid[0:61, 0:121].astype(float)

    def hill(at_x, at_y, width, height):
        return height * np.exp(-((x - at_x) ** 2 + (y - at_y) ** 2)
                               / (2 * width ** 2))

    land = (hill(36, 34, 12, 1) + hill(86, 23, 11, .8) + hill(67, 53, 7, .5)
            - hill(34, 30, 3, .2))
    found = cudashapes.find_bands(
        land, [-1, .1, .25, .4, .55, .7, .85, 2], as_xy=True, backend='cpu')
    yield SVG + ('viewBox="-0.5 -0.5 121 61" width="605" height="305" '
                 'stroke="#fff" stroke-width="0.25" stroke-linejoin="round">')
    for colour, polygons in zip(BANDS, found):
        for polygon in polygons:
            yield '<path fill="%s" fill-rule="evenodd" d="%s"/>' % (
                colour, path(polygon))
    yield '</svg>'


def example_labels():
    """The picture of labels.md."""
    y, x = np.mgrid[0:10, 0:13]
    sites = [(2, 2), (1, 8), (6, 5), (8, 10), (9, 1)]
    labels = 1 + np.argmin([(y - a) ** 2 + (x - b) ** 2 for a, b in sites],
                           axis=0)
    labels[4, 10] = 6
    labels[6:8, 5:7] = 0
    return labels


def labels():
    """Both outlines of labels beside each other."""
    import cudashapes
    yield SVG + ('viewBox="-1 -1 29 12.2" width="870" height="366">'
                 '<rect x="-1" y="-1" width="29" height="12.2" fill="#fff"/>')
    for i, outline in enumerate(('contours', 'pixels')):
        found = cudashapes.label_polygons(example_labels(), outline=outline,
                                          backend='cpu')
        yield ('<g transform="translate(%d 0)" fill-rule="evenodd" '
               'stroke="#222" stroke-width=".05">' % (15 * i))
        for colour, polygons in zip(LABELS, found.values()):
            for rings in polygons:
                yield '<path fill="%s" d="%s"/>' % (colour, path(rings))
                for ring in rings:
                    for px, py in np.asarray(ring)[:-1]:
                        yield '<circle cx="%g" cy="%g" r=".08"/>' % (px, py)
        yield ('<text x="6" y="10.6" stroke="none" font-family="sans-serif" '
               'font-size=".8" text-anchor="middle">outline="%s"</text></g>'
               % outline)
    yield '</svg>'


def strokes(maps):
    """What a pen draws of fruits and their bruises, and where it is lifted."""
    skin, bruise = np.moveaxis(np.fromfile(maps, np.float32).reshape(
        136, 240, 2), -1, 0)
    with tempfile.NamedTemporaryFile(suffix='.jsonl') as lines:
        subprocess.run(
            ['gst-launch-1.0', '-q', 'fdsrc', 'blocksize=32640', '!',
             'rawvideoparse', 'format=gray8', 'width=240', 'height=136', '!',
             'videoscale', '!', 'video/x-raw,width=960,height=544', '!',
             'fourierdraw', 'attach-shapes=true', 'canny-sigma=3',
             'min-points=40', 'merge-distance=4', 'two-opt=true', '!',
             'video/x-raw,framerate=0/1', '!', 'shapejsonenc',
             'points=simplified', 'simplify=0.3', '!', 'filesink',
             'location=' + lines.name], check=True,
            input=(255 * skin * (1 - bruise)).astype(np.uint8).tobytes())
        shapes = json.loads(lines.readline())['shapes']
    yield SVG + ('width="960" height="544" viewBox="-0.5 -0.5 960 544">'
                 '<rect x="-1" y="-1" width="962" height="546" fill="white"/>'
                 '<g fill="none" stroke-linejoin="round">')
    end = None
    for shape in shapes:
        points = shape['points']
        if end:
            yield ('<path stroke="#d55e00" stroke-width="1.4" '
                   'stroke-dasharray="5 3" d="M%.1f,%.1f %.1f,%.1f"/>'
                   % (*end, *points[0]))
        yield '<path stroke="#003049" stroke-width="1.8" d="M%s"/>' % ' '.join(
            '%.1f,%.1f' % tuple(point) for point in points)
        end = points[-1]
    yield '</g></svg>'


def make(maps):
    """Names and texts; maps: those of fruit_scene.py."""
    for name, parts in (('contours-bands.svg', bands()),
                        ('labels.svg', labels()),
                        ('fourierdraw-strokes.svg', strokes(maps))):
        yield name, '\n'.join(parts) + '\n'
