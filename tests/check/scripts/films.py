#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""films.py PIPELINES: films of every kind through every script of that folder that takes some. A film comes out upright, with
all its sound, its bits, its times; what it has lost is said; or the script says what to do, and leaves no file. From the
environment: CUDASHAPES_BUILD. Exits with 77 when something of others is missing."""
import os
import re
import shutil
import sys
import tempfile
import unittest

try:
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import Gst
    import numpy as np
    import PIL  # noqa: F401
    import film_files as films
    import still_files
    from runs import runs
except (ImportError, ValueError) as error:
    print('skipped: %s' % error)
    sys.exit(77)

Gst.init(None)
for element in films.NEEDED:
    if not Gst.ElementFactory.find(element):
        print('skipped: there is no element', element)
        sys.exit(77)

PIPELINES = sys.argv[1]
UPRIGHT = still_files.upright(96, 64)
SOUND = 'audiotestsrc num-buffers=10 freq=%d ! audioconvert ! avenc_aac ! taginject tags="language-code=%s" ! queue ! mux. '


class Films(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def through(self, name, make, said=()):
        """Yields what llf and demo make of a film, which make(path) makes; each must say this, and nothing else."""
        path = os.path.join(self.folder, name)
        make(path)
        with open(path, 'rb') as file:
            data = file.read()
        commands = ((data, name, ('llf', '--backend', 'cpu', '--set', 'amount=0', name, 'out.mp4')),
                    (data, name, ('demo', name, 'out')))
        for folder, done in runs(PIPELINES, tempfile.mkdtemp(dir=self.folder), *commands):
            self.assertEqual(done.code, 0, (done.command, done.said))
            lines = [line for line in done.said.splitlines() if not re.search(r': [\d.]+ of \d+ s', line)]    # no progress
            self.assertEqual(len(lines), len(said), (done.command, lines))
            for text in said:
                self.assertIn(text, done.said, done.command)
            out = os.path.join(folder, 'out.mp4' if done.command.startswith('llf') else 'out/annotated.mp4')
            for a, b, _u, c, d in films.turns(out):
                self.assertEqual((a, b, c, d), (0x10000, 0, 0, 0x10000), done.command)
            yield out, done

    def check_colours(self, picture, text):
        height, width = picture.shape[:2]
        colours = iter((still_files.RED, still_files.GREEN, still_files.BLUE, still_files.YELLOW))
        for y in (height // 4, height * 3 // 4):
            for x in (width // 4, width * 3 // 4):
                got, want = picture[y, x].astype(int), next(colours)
                self.assertLessEqual(np.abs(got - want).max(), 16, (text, got, want))

    def test_turned(self):
        for degrees in films.MATRICES:
            picture = np.rot90(UPRIGHT, degrees // 90)      # which is against the clock

            def make(path):
                films.write(path, picture)
                films.turn(path, degrees)
            for out, done in self.through('%d.mp4' % degrees, make):
                seen = films.Seen(out)
                self.assertEqual(seen.size(), (96, 64), (degrees, done.command))
                self.check_colours(seen.picture(), (degrees, done.command))
                self.assertEqual((seen.kinds, len(seen.frames)), (['video'], 8))

    def test_all_sounds(self):
        for out, done in self.through('in.mp4', lambda path: films.write(
                path, UPRIGHT, SOUND % (300, 'de') + SOUND % (900, 'en'))):
            seen = films.Seen(out)
            self.assertEqual(sorted(seen.kinds), ['audio', 'audio', 'video'], done.command)
            self.assertEqual(sorted(seen.languages), ['de', 'en'], done.command)
            self.assertEqual(len(seen.frames), 8)

    def test_odd_size(self):
        for out, done in self.through('in.mkv', lambda path: films.write(path, still_files.upright(97, 65), encode='jpegenc ! '),
                                      ('97 x 65 pixels become 96 x 64',)):
            seen = films.Seen(out)
            self.assertEqual(seen.size(), (96, 64), done.command)
            self.check_colours(seen.picture(), done.command)

    def test_ten_bits(self):
        slope = np.broadcast_to(np.linspace(0, 255, 96).astype(np.uint8)[None, :, None], (64, 96, 3)).copy()
        for colorimetry in ('bt709', 'bt2100-pq', 'bt2100-hlg'):
            encode = 'capssetter caps=video/x-raw,colorimetry=%s ! %s' % (colorimetry, films.X264)
            for out, done in self.through('in.mp4', lambda path: films.write(path, slope, encode=encode, convert='I420_10LE')):
                seen = films.Seen(out, 'I420_10LE')
                self.assertIn('format=(string)I420_10LE', seen.caps, done.command)
                self.assertIn('colorimetry=(string)' + colorimetry, seen.caps, done.command)
                if done.command.startswith('llf'):
                    codes = np.frombuffer(seen.frames[0], np.uint16)[:96]
                    self.assertGreater((codes % 4 != 0).mean(), .3)
                    self.assertLess(np.abs(np.diff(codes.astype(int))).max(), 24)

    def test_hdr(self):
        """Colours of BT.2020 become those of BT.709: G / R of light that is inside of both."""
        picture = np.full((64, 96, 3), 200, np.uint8)
        picture[:, 48:] = 124, 131, 124
        film = os.path.join(self.folder, 'in.mp4')
        films.write(film, picture, convert='I420_10LE',
                    encode='capssetter caps=video/x-raw,colorimetry=bt2100-pq ! ' + films.X264)
        with open(film, 'rb') as file:
            data = file.read()
        pipeline = Gst.parse_launch('filesrc location=%s ! decodebin ! videoconvert ! video/x-raw,format=ARGB64,'
                                    'colorimetry=bt2100-pq ! appsink name=out sync=false' % film)
        pipeline.set_state(Gst.State.PLAYING)
        buffer = pipeline.get_by_name('out').emit('pull-sample').get_buffer()
        codes = np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint16).reshape(64, 96, 4)[32, 72, 1:] / 65535
        pipeline.set_state(Gst.State.NULL)
        power = codes ** (1 / 78.84375)                                             # SMPTE ST 2084
        light = (np.maximum(power - .8359375, 0) / (18.8515625 - 18.6875 * power)) ** (1 / .1593017578125)
        red, green = np.array(((1.6605, -.5876, -.0728), (-.1246, 1.1329, -.0083))) @ light     # ITU-R BT.2087
        for folder, done in runs(PIPELINES, tempfile.mkdtemp(dir=self.folder), (data, 'in.mp4', (
                'llf', '--backend', 'cpu', '--preset', 'ToneMap', '--set', 'hdr=pq', 'in.mp4', 'out.mp4'))):
            self.assertEqual(done.code, 0, done.said)
            seen = films.Seen(os.path.join(folder, 'out.mp4')).picture()[32, 72] / 255
            linear = ((seen + .055) / 1.055) ** 2.4
            self.assertGreater(green / red, 1.15 * light[1] / light[0])
            self.assertLess(abs(linear[1] / linear[0] / (green / red) - 1), .05, (linear, light))

    def test_interlaced(self):
        encode = 'interlace field-pattern=1:1 top-field-first=true ! x264enc interlaced=true pass=quant quantizer=4 ! h264parse ! '
        for out, done in self.through('in.mkv', lambda path: films.write(path, UPRIGHT, encode=encode, count=12),
                                      ('interlaced fields become pictures',)):
            seen = films.Seen(out)
            self.assertIn('interlace-mode=(string)progressive', seen.caps, done.command)
            self.check_colours(seen.picture(), done.command)
            self.assertGreaterEqual(len(seen.frames), 11)

    def test_variable_rate(self):
        times = [each * Gst.SECOND // 1000 for each in (0, 40, 240, 280, 700, 740, 1500, 1540)]
        for out, done in self.through('in.mp4', lambda path: films.write(path, UPRIGHT, times=times)):
            got = films.Seen(out).times
            self.assertEqual(len(got), len(times), done.command)
            for a, b in zip(got, times):
                self.assertLess(abs((a - got[0]) - b), Gst.SECOND // 1000, done.command)

    def test_subtitles(self):
        lines = os.path.join(self.folder, 'in.srt')
        with open(lines, 'w') as file:
            file.write('1\n00:00:00,000 --> 00:00:00,200\nhello\n\n')
        for out, done in self.through('in.mkv', lambda path: films.write(
                path, UPRIGHT, 'filesrc location=%s ! subparse ! queue ! mux.' % lines), ('1 subtitles are left out; ffmpeg -i',)):
            self.assertEqual(films.Seen(out).kinds, ['video'], done.command)

    def test_full_colours(self):
        for out, done in self.through('in.mkv', lambda path: films.write(path, UPRIGHT, convert='Y444'),
                                      ('half of their resolution',)):
            self.check_colours(films.Seen(out).picture(), done.command)

    def test_what_is_refused(self):
        film, sound, fields = (os.path.join(self.folder, name) for name in ('film.mp4', 'sound.mp4', 'fields.mkv'))
        films.write(film, UPRIGHT)
        films.play('audiotestsrc num-buffers=5 ! audioconvert ! avenc_aac ! mp4mux ! filesink location=' + sound)
        films.write(fields, UPRIGHT, convert='I420_10LE', caps=',interlace-mode=interleaved,field-order=top-field-first',
                    encode='x264enc interlaced=true ! h264parse ! ')
        commands, wanted = [], []
        for path, arguments, says in ((film, ('fourier-gif', 'film.mp4'), 'ffmpeg -i IN -frames:v 1'),
                                      (film, ('llf', 'film.mp4', 'out.png'), 'is a film'),
                                      (sound, ('llf', 'sound.mp4'), 'no pictures in it'),
                                      (sound, ('demo', 'sound.mp4'), 'no pictures in it'),
                                      (sound, ('fourier-gif', 'sound.mp4'), 'no pictures in it'),
                                      (fields, ('llf', 'fields.mkv'), 'ffmpeg -i IN -vf bwdif'),
                                      (fields, ('demo', 'fields.mkv'), 'ffmpeg -i IN -vf bwdif')):
            with open(path, 'rb') as file:
                commands.append((file.read(), os.path.basename(path), arguments))
            wanted.append(says)
        for (_, done), says in zip(runs(PIPELINES, tempfile.mkdtemp(dir=self.folder), *commands), wanted):
            done.check_refused(self, says)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=1)
