# SPDX-License-Identifier: LGPL-2.1-or-later
"""demo.py ANNOTATE: what pipelines/demo makes of a film has its sound, of a
silent film none."""

import os
import subprocess
import sys
import tempfile
import unittest

SKIP = 77

try:
    import gi
    gi.require_version('Gst', '1.0')
    gi.require_version('GstShapes', '1.0')
    from gi.repository import Gst, GstShapes  # noqa: F401
    import numpy as np
except (ImportError, ValueError) as missing:
    print('skipped:', missing)
    sys.exit(SKIP)

Gst.init(None)
NEEDED = ('avimux', 'jpegenc', 'decodebin', 'audioresample')
for element in NEEDED:
    if not Gst.ElementFactory.find(element):
        print('skipped: there is no', element)
        sys.exit(SKIP)

ANNOTATE = sys.argv[1]
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


class Sound(unittest.TestCase):
    def annotate(self, with_sound):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        film = os.path.join(folder.name, 'film.avi')
        play(VIDEO % film + (AUDIO if with_sound else ''))
        done = subprocess.run([sys.executable, ANNOTATE, film, folder.name],
                              text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('frames          30 of 160 x 120', done.stdout)
        with open(os.path.join(folder.name, 'shapes.jsonl')) as lines:
            self.assertEqual(len(lines.readlines()), 30)
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
