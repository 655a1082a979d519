#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What shapeoverlay fills: without antialiasing the pixels above the level. With
it, on black, of pictures of two values, half of a pixel or more, up to the
border and around holes, but for single dark pixels between four bright
ones."""
import itertools
import random
import sys
import unittest

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

Gst, GstApp = need('Gst', 'GstApp')

# rows of 4 n bytes
WIDTH, HEIGHT = 24, 17


def fill(picture, properties='', drawing=''):
    """The filling of the frame's contours: rows of gray. The frame itself is
    as good as black: its values are 0 and 1."""
    pipeline = Gst.parse_launch(
        'appsrc name=in format=time caps="video/x-raw,format=GRAY8,width=%d,'
        'height=%d,framerate=0/1" ! cudacontours level=0.5 '
        'level-unit=sample close-at-border=true %s ! shapeoverlay '
        'line-width=0 fill-opacity=1 color-mode=fixed color-name=white %s '
        '! appsink name=out sync=false'
        % (WIDTH, HEIGHT, properties, drawing))
    data = b''.join(bytes(row) for row in picture)
    pipeline.set_state(Gst.State.PLAYING)
    pipeline.get_by_name('in').push_buffer(Gst.Buffer.new_wrapped(data))
    pipeline.get_by_name('in').end_of_stream()
    sample = pipeline.get_by_name('out').try_pull_sample(60 * Gst.SECOND)
    buffer = sample.get_buffer()
    data = buffer.extract_dup(0, WIDTH * HEIGHT)
    pipeline.set_state(Gst.State.NULL)
    return [data[y * WIDTH:(y + 1) * WIDTH] for y in range(HEIGHT)]


def at(picture, x, y):
    return x in range(WIDTH) and y in range(HEIGHT) and picture[y][x]


def is_single_hole(picture, x, y):
    return not picture[y][x] and all(
        at(picture, x + dx, y + dy)
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)))


def black():
    return [[0] * WIDTH for _ in range(HEIGHT)]


def white():
    return [[1] * WIDTH for _ in range(HEIGHT)]


def pictures():
    yield 'white', white()
    for x, y in itertools.product((0, 1, 11, WIDTH - 1), (0, 5, HEIGHT - 1)):
        picture = black()
        picture[y][x] = 1
        yield 'a pixel at %d,%d' % (x, y), picture
        # and a hole of four, not at the border
        picture = white()
        for dx, dy in itertools.product(range(2), range(2)):
            if x + dx < WIDTH and y + dy < HEIGHT:
                picture[y + dy][x + dx] = 0
        yield 'a hole at %d,%d' % (x, y), picture
    rand = random.Random(1)
    for share in (.1, .3, .5, .7, .9):
        yield 'noise', [[int(rand.random() < share) for _ in range(WIDTH)]
                        for _ in range(HEIGHT)]
    # rings in each other
    yield 'rings', [[min(x, y, WIDTH - 1 - x, HEIGHT - 1 - y) // 2 % 2 ^ 1
                     for x in range(WIDTH)] for y in range(HEIGHT)]


class Filling(unittest.TestCase):
    def test_without_antialiasing_it_is_the_pixels_above_the_level(self):
        rand = random.Random(2)
        for number, properties in itertools.product(
                range(20), ('', 'positive-orientation=high',
                            'fully-connected=high hierarchy=true')):
            values = (0, 255) if number % 2 else range(256)
            picture = [[rand.choice(values) for _ in range(WIDTH)]
                       for _ in range(HEIGHT)]
            filled = fill(picture, 'level=127.5 ' + properties,
                          'antialias=false')
            for y, x in itertools.product(range(HEIGHT), range(WIDTH)):
                with self.subTest(properties, x=x, y=y):
                    self.assertEqual(
                        filled[y][x], 255 if picture[y][x] > 127 else
                        picture[y][x])

    def test_half_a_pixel_or_more_is_the_picture(self):
        for (name, picture), properties in itertools.product(
                pictures(), ('', 'hierarchy=true')):
            filled = fill(picture, properties)
            for y, x in itertools.product(range(HEIGHT), range(WIDTH)):
                if is_single_hole(picture, x, y):
                    continue
                with self.subTest(name, x=x, y=y):
                    self.assertEqual(filled[y][x] >= 128,
                                     bool(picture[y][x]))


if __name__ == '__main__':
    unittest.main()
