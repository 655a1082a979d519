# SPDX-License-Identifier: LGPL-2.1-or-later
"""A naive first line shows something, or says why it does not, once."""

import sys
import unittest

SKIP = 77

try:
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import Gst
except (ImportError, ValueError) as missing:
    print('skipped:', missing)
    sys.exit(SKIP)

Gst.init(None)


def warnings(elements):
    """What elements say of five frames of a ball."""
    pipeline = Gst.parse_launch(
        'videotestsrc num-buffers=5 pattern=ball ! '
        'video/x-raw,format=RGBA,width=64,height=48 ! %s ! fakesink'
        % elements)
    pipeline.set_state(Gst.State.PLAYING)
    texts = []
    while True:
        message = pipeline.get_bus().timed_pop_filtered(
            20 * Gst.SECOND, Gst.MessageType.ERROR | Gst.MessageType.WARNING
            | Gst.MessageType.EOS)
        if not message or message.type == Gst.MessageType.EOS:
            break
        if message.type == Gst.MessageType.ERROR:
            texts.append('ERROR ' + message.parse_error()[0].message)
            break
        texts.append(message.parse_warning()[0].message)
    pipeline.set_state(Gst.State.NULL)
    return texts


class Reasons(unittest.TestCase):
    def test_each_mistake_is_one_message(self):
        levels = ','.join(str(2 + i) for i in range(39))
        for elements, words in (
                ('shapeoverlay', 'carry no shapes'),
                ('cudacontours measures-only=true ! shapeoverlay',
                 'measures-only=false'),
                ('cudacircles', 'no circles to paint'),
                ('cudacontours measures-only=true '
                 '! cudacircles from-contours=enclosing',
                 'measures-only=false'),
                ('shapestats', 'carry no shapes'),
                ('cudahull source=contours', 'carry no shapes'),
                ('cudacontours level=7', 'level 1785 is outside'),
                ('cudacontours levels=0.5,7', 'level 1785 is outside'),
                ('cudacontours levels=' + levels, '39 of 39 levels'),
                ('cudahull source=mask level=7', 'outside')):
            texts = warnings(elements)
            self.assertEqual(len(texts), 1, (elements, texts))
            self.assertIn(words, texts[0])

    def test_what_works_says_nothing(self):
        for elements in (
                'cudacontours ! shapeoverlay', 'cudahull ! shapeoverlay',
                # searched for, and not found
                'cudacontours min-area=1e6 ! shapeoverlay',
                'cudacontours min-area=1e6 ! shapestats',
                'cudacontours ! cudacircles from-contours=enclosing',
                'cudacircles scene=rgb', 'cudacontours levels=0.2,0.5',
                'cudacontours ! cudahull defects=true ellipse=true '
                '! shapestats lab=true ! shapeoverlay ! shapejsonenc'):
            self.assertEqual(warnings(elements), [], elements)


if __name__ == '__main__':
    unittest.main(verbosity=1)
