# SPDX-License-Identifier: LGPL-2.1-or-later
"""demo.py ANNOTATE FRUITS: what pipelines/demo makes of a film has its sound,
of a silent film none; what it prints is what it writes as JSON; and what it
decides of drawn fruits."""

import contextlib
import io
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
import types
import unittest

SKIP = 77

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

Gst, GstShapes, np = need('Gst', 'GstShapes', 'numpy')

NEEDED = ('avimux', 'jpegenc', 'pngdec', 'pngenc', 'decodebin',
          'audioresample')
for element in NEEDED:
    if not Gst.ElementFactory.find(element):
        print('skipped: there is no', element)
        sys.exit(SKIP)

ANNOTATE, FRUITS = sys.argv[1:3]
sys.path.insert(0, os.path.join(os.path.dirname(FRUITS), 'lib'))
import fruit_scene  # noqa: E402

RATE = 8000
VIDEO = ('videotestsrc num-buffers=30 pattern=ball ! video/x-raw,width=160,'
         'height=120,framerate=15/1 ! jpegenc ! avimux name=mux '
         '! filesink location=%s ')
# two seconds of a tone
AUDIO = ('audiotestsrc num-buffers=20 samplesperbuffer=800 freq=500 volume=0.5 '
         '! audio/x-raw,format=S16LE,rate=%d,channels=1 ! mux.' % RATE)


def play(line):
    pipeline = Gst.parse_launch(line)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        60 * Gst.SECOND, Gst.MessageType.ERROR | Gst.MessageType.EOS)
    pipeline.set_state(Gst.State.NULL)
    assert message and message.type == Gst.MessageType.EOS, (
        line, message and message.parse_error())


def samples(path, folder):
    """The sound of a film as an array, or None."""
    raw = os.path.join(folder, 'sound')
    try:
        play('filesrc location=%s ! decodebin ! audioconvert ! audioresample '
             '! audio/x-raw,format=S16LE,rate=%d,channels=1 '
             '! filesink location=%s' % (path, RATE, raw))
    except AssertionError:
        return None
    return np.fromfile(raw, '<i2')


def pixels(path, folder):
    """Bytes of a PNG file, in rows that are padded to words."""
    raw = os.path.join(folder, 'pixels')
    play('filesrc location=%s ! pngdec ! videoconvert '
         '! video/x-raw,format=RGB ! filesink location=%s' % (path, raw))
    return np.fromfile(raw, np.uint8)


class Case(unittest.TestCase):
    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder

    def run_script(self, *command):
        done = subprocess.run([sys.executable, *command], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def read(self, folder):
        with open(os.path.join(folder, 'shapes.jsonl')) as lines:
            return [json.loads(line) for line in lines]

    def check_drawn(self, before, after, frame, scale):
        """Pixels on the outlines have changed, and none far from them."""
        height, width = frame['height'] * scale, frame['width'] * scale
        changed = (before != after).reshape(height, width, 3).any(2)
        points = np.concatenate([each['points'] for each in frame['shapes']])
        x, y = np.rint((points + .5) * scale - .5).astype(int).T
        self.assertGreater(changed[y, x].mean(), .98)
        near = np.zeros((height + 16, width + 16), bool)
        for dy in range(17):
            for dx in range(17):
                near[y + dy, x + dx] = True
        self.assertFalse((changed & ~near[8:-8, 8:-8]).any())

    def check_summary(self, text, frames):
        """What is printed is the sum of what the lines have."""
        shapes = [shape for frame in frames for shape in frame['shapes']]
        contours = [each for each in shapes if each['kind'] == 'contour']
        hulls = [each for each in shapes if each['kind'] == 'hull']
        wanted = ['frames          %d of %d x %d pixels' % (
            len(frames), frames[0]['width'], frames[0]['height']),
            'contours        %d%s' % (
                len(contours), '' if len(frames) == 1 else ' (%.1f a frame)'
                % (len(contours) / len(frames))),
            '  around dark   %d' % sum(each['hole'] for each in contours),
            'points          %d' % sum(len(each['points'])
                                       for each in contours),
            'total area      %.1f square pixels, holes subtracted'
            % sum(each['area'] for each in contours)]
        if hulls:
            solid = [each['solidity'] for each in hulls]
            wanted += ['hulls           %d' % len(hulls),
                       '  solidity      mean %.3f, lowest %.3f'
                       % (sum(solid) / len(solid), min(solid))]
        self.assertEqual(text.splitlines()[:len(wanted)], wanted)


class Shapes(Case):
    """An L with a hole, a faint rectangle and a speck."""

    def annotate(self, *options):
        folder, picture = self.folder().name, np.zeros((47, 61), np.uint8)
        picture[5:25, 5:35] = picture[25:40, 5:17] = 255
        picture[8:13, 9:20] = 0
        picture[30:36, 40:49] = 102
        picture[42:44, 50:53] = 255
        path = os.path.join(folder, 'in.pgm')
        with open(path, 'wb') as file:
            file.write(b'P5\n61 47\n255\n' + picture.tobytes())
        text = self.run_script(ANNOTATE, *options, path, folder).stdout
        frame, = self.read(folder)
        after = pixels(os.path.join(folder, 'annotated.png'), folder)
        after = after.reshape(47, -1)[:, :3 * 61].reshape(-1, 3)
        self.check_drawn(np.repeat(picture.reshape(-1, 1), 3, 1), after,
                         frame, 1)
        self.assertEqual((frame['width'], frame['height']), (61, 47))
        self.check_summary(text, [frame])
        return text, [each['area'] for each in frame['shapes']
                      if each['kind'] == 'contour']

    # each corner takes an eighth of a pixel away, or gives it
    L, HOLE, SPECK = 30 * 20 + 12 * 15 - .5, .5 - 11 * 5, 3 * 2 - .5

    def test_all_that_is_bright(self):
        text, areas = self.annotate()
        self.assertEqual(sorted(areas), [self.HOLE, self.SPECK, self.L])
        self.assertNotIn('hulls', text)

    def test_the_level_and_the_least_area(self):
        _, areas = self.annotate('--level', '0.3', '--min-area', '10')
        self.assertEqual(len(areas), 3)
        _, areas = self.annotate('--min-area', '10')
        self.assertEqual(sorted(areas), [self.HOLE, self.L])

    def test_hulls(self):
        text, _ = self.annotate('--hulls')
        self.assertRegex(text, r'hulls +3\n')


class Fruits(Case):
    def truth(self, folder):
        """Of each fruit pixels of its skin and, of these, the share that is
        bruised, in the order of fruit_scene's table, which is theirs."""
        maps = np.fromfile(os.path.join(folder, 'maps.raw'), '<f4')
        skin, bruise = maps.reshape(136, 240, 2).transpose(2, 0, 1) > .5
        y, x = np.mgrid[:136, :240] * 4 + 1.5
        for cx, cy, radius, _, n_bruises in fruit_scene.FRUITS:
            own = skin & (np.hypot(x - cx, y - cy) < radius + 6)
            yield own.sum(), (own & bruise).sum() / own.sum(), n_bruises

    def test_decisions(self):
        folder = self.folder().name
        text = self.run_script(FRUITS, folder).stdout
        head, *rows = text.split('\n\n')[0].splitlines()
        self.assertEqual(head, 'fruit  skin, pixels  bruises  bruised')
        self.assertEqual(len(rows), 6)
        decisions = set()
        for number, (row, (area, share, n_bruises)) in enumerate(
                zip(rows, self.truth(folder)), 1):
            found = re.fullmatch(
                r' +(\d+) +(\d+) +(\d+) +([\d.]+) %  (\w+)', row)
            self.assertEqual((int(found[1]), int(found[3])),
                             (number, n_bruises), row)
            self.assertAlmostEqual(int(found[2]) / (16 * area), 1, 2, row)
            self.assertLess(abs(float(found[4]) - 100 * share), .2, row)
            self.assertGreater(abs(share - .02), .002)
            self.assertEqual(found[5], 'reject' if share > .02 else 'accept')
            decisions.add(found[5])
        self.assertEqual(len(decisions), 2)
        frame, = self.read(folder)
        self.assertEqual((frame['width'], frame['height']), (240, 136))
        self.assertRegex(text, r'contours +%d in 2 maps of 240 x 136 in '
                         % len(frame['shapes']))
        before, after = (pixels(os.path.join(folder, name), folder)
                         for name in ('fruits.png', 'annotated.png'))
        self.check_drawn(before, after, frame, 4)

    def test_holes_and_open_lines_are_no_fruits(self):
        """Two fruits; one has a hole, as its only bruise has, whose share
        is exactly what may be bruised; the other one's is larger."""
        def square(x, size, class_id, hole=False, closed=True):
            points = np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)])
            return types.SimpleNamespace(
                points=points * size + (x, 10), class_id=class_id, hole=hole,
                closed=closed, centroid=(x + size / 2, 10 + size / 2),
                area=round(size ** 2) * (-1 if hole else 1))
        contours = [square(80, 50, 0), square(81, 8, 1), square(10, 50, 0),
                    square(20, 5, 0, hole=True), square(30, 50 ** .5, 1),
                    square(31, 2, 1, hole=True), square(140, 50, 0, closed=False)]
        fruits = runpy.run_path(FRUITS)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            fruits['decide'](types.SimpleNamespace(contours=lambda: contours))
        self.assertEqual(said.getvalue().splitlines()[1:], [
            '    1         40000        1     2.0 %  accept',
            '    2         40000        1     2.6 %  reject'])


class Sound(Case):
    def annotate(self, with_sound):
        folder = self.folder()
        film = os.path.join(folder.name, 'film.avi')
        play(VIDEO % film + (AUDIO if with_sound else ''))
        done = self.run_script(ANNOTATE, film, folder.name)
        frames = self.read(folder.name)
        self.assertEqual(len(frames), 30)
        self.check_summary(done.stdout, frames)
        written, = (os.path.join(folder.name, name)
                    for name in os.listdir(folder.name)
                    if name.startswith('annotated.'))
        return done, samples(written, folder.name)

    def test_a_film_keeps_its_sound(self):
        done, sound = self.annotate(True)
        if 'there is no AAC encoder' in done.stderr:
            self.assertIsNone(sound)
            self.skipTest(done.stderr)
        # encoders add some samples at the beginning and at the end
        self.assertGreater(len(sound), 1.9 * RATE)
        self.assertLess(len(sound), 2.4 * RATE)
        middle = sound[len(sound) // 4:len(sound) * 3 // 4]
        power = np.abs(np.fft.rfft(middle * np.hanning(len(middle)))) ** 2
        loudest = power.argmax() * RATE / len(middle)
        self.assertLess(abs(loudest - 500), 10)
        self.assertGreater(np.abs(middle).max(), 8000)

    def test_a_silent_film_stays_silent(self):
        _done, sound = self.annotate(False)
        self.assertIsNone(sound)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=1)
