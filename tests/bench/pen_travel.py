#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""pen_travel.py [PROPERTY=VALUE...] IMAGE...: strokes and pixels of the lifted pen, of fourierdraw and of vpype's linemerge
and linesort, for the contours that fourierdraw finds in pictures: a table. The time of fourierdraw is not in it
(check-strokes --bench); vpype's is, without reading. Exits with 77 without vpype.
"""
import json
import os
import subprocess
import sys
import time

try:
    import numpy as np
    import vpype
    import vpype_cli
except ImportError as error:
    print(f'not here: {error}')
    sys.exit(77)

DISTANCE = 2


def draw(image, *properties):
    """The strokes of the finished drawing, in drawing order."""
    line = ['gst-launch-1.0', '-q', 'filesrc', f'location={image}', '!', 'decodebin', '!', 'videoconvert', '!',
            'fourierdraw', 'attach-shapes=true', 'min-points=2', *properties, '!', 'video/x-raw,framerate=0/1', '!',
            'shapejsonenc', '!', 'fdsink']
    text = subprocess.run(line, stdout=subprocess.PIPE, check=True, timeout=300).stdout
    return [np.array(s['points'], float) @ np.array([1, 1j]) for s in json.loads(text)['shapes']]


def travel(strokes):
    return sum(abs(a[-1] - b[0]) for a, b in zip(strokes, strokes[1:]))


def sort(strokes, commands):
    document = vpype.Document()
    document.add(vpype.LineCollection(strokes), 1)
    start = time.perf_counter()
    lines = list(vpype_cli.execute(commands, document).layers[1])
    return lines, time.perf_counter() - start


def main():
    properties = [a for a in sys.argv[1:] if '=' in a]
    merge = [f'merge-distance={DISTANCE}']
    print('| picture | strokes | merged | *ends* | *two-opt* | vpype: merged | linesort | --two-opt | ms |\n' + '|---' * 9 + '|')
    for image in [a for a in sys.argv[1:] if '=' not in a]:
        # min-points=2: vpype drops lines of one point
        strokes = draw(image, 'order=none', *properties)
        ends = draw(image, *merge, *properties)
        best = draw(image, 'two-opt=true', *merge, *properties)
        plain, _ = sort(strokes, f'linemerge --tolerance {DISTANCE} linesort')
        two_opt, seconds = sort(strokes, f'linemerge --tolerance {DISTANCE} linesort --two-opt')
        print(f'| {os.path.basename(image)} | {len(strokes)} | {len(best)} | {travel(ends):.0f} | {travel(best):.0f} | '
              f'{len(two_opt)} | {travel(plain):.0f} | {travel(two_opt):.0f} | {seconds * 1000:.0f} |', flush=True)


if __name__ == '__main__':
    main()
