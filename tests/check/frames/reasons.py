# SPDX-License-Identifier: LGPL-2.1-or-later
"""A naive first line shows something, or says why it does not, once."""

import sys
import unittest

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

Gst = need('Gst')


# with what gives the shapes
COMBINED = ('queue ! both.sink_video %s ! queue ! both.sink_shapes '
            'shapecombiner name=both')


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
                ('cudacontours ! cudacircles',
                 'set from-contours=enclosing'),
                ('cudacontours ! cudahull replace=true ! cudacircles',
                 'set from-contours=enclosing'),
                ('shapestats', 'carry no shapes'),
                ('shapezones zones="0,0 9,0 9,9"', 'carry neither shapes'),
                ('cudacontours ! shapezones', 'There are no zones'),
                ('cudacontours ! shapezones zones="0,0 9,0 9,9"', 'without a track'),
                ('cudahull source=contours', 'carry no shapes'),
                ('shapetensordec', 'carry no tensors'),
                ('shapejsonenc', 'carry no shapes'),
                ('shapecsvenc', 'carry no shapes'),
                ('shapesvgenc', 'carry no shapes'),
                ('shapegeojsonenc', 'carry no shapes'),
                ('shapecocoenc', 'carry no shapes'),
                (COMBINED % 'videotestsrc num-buffers=5', 'sink_shapes carry no shapes'),
                (COMBINED % 'videotestsrc num-buffers=5 '
                 'timestamp-offset=9000000000 '
                 '! cudacontours', 'matched none'),
                (COMBINED % 'videotestsrc num-buffers=0 ! cudacontours',
                 'no buffer arrived'),
                ('cudacontours level=7', 'level 1785 is outside'),
                ('cudacontours levels=0.5,7', 'level 1785 is outside'),
                ('cudacontours levels=' + levels, '39 of 39 levels'),
                ('cudahull source=mask level=7', 'outside')):
            texts = warnings(elements)
            self.assertEqual(len(texts), 1, (elements, texts))
            self.assertIn(words, texts[0])

    def test_what_to_try_is_not_what_is_tried(self):
        for detect, words, other in (('canny', 'canny-sigma', 'detect=canny'),
                                     ('iso', 'detect=canny', 'detect=iso')):
            texts = warnings(
                'fourierdraw mode=live min-points=100000 detect=' + detect)
            self.assertEqual(len(texts), 1, texts)
            self.assertIn(words, texts[0])
            self.assertNotIn(other, texts[0])

    def test_caps_without_a_frame_rate_are_taken(self):
        for elements in ('fourierdraw mode=live', 'fourierdraw mode=redraw '
                         'duration=0.2 hold=0', 'cudallf', 'cudacircles '
                         'scene=rgb', 'cudacontours ! shapeoverlay'):
            pipeline = Gst.parse_launch(
                'appsrc name=source format=time caps=video/x-raw,format=I420,'
                'width=64,height=48 ! %s ! fakesink name=sink' % elements)
            pipeline.set_state(Gst.State.PLAYING)
            source = pipeline.get_by_name('source')
            buffer = Gst.Buffer.new_wrapped(bytes(range(256)) * 18)
            buffer.pts = 0
            source.emit('push-buffer', buffer)
            source.emit('end-of-stream')
            message = pipeline.get_bus().timed_pop_filtered(
                20 * Gst.SECOND, Gst.MessageType.ERROR | Gst.MessageType.EOS)
            self.assertEqual(message.type, Gst.MessageType.EOS, elements)
            if 'redraw' in elements:
                # what is said of films without a rate: 30 frames a second
                caps = pipeline.get_by_name('sink').get_static_pad(
                    'sink').get_current_caps()
                self.assertIn('framerate=(fraction)30/1', caps.to_string())
            pipeline.set_state(Gst.State.NULL)

    def test_what_works_says_nothing(self):
        for elements in (
                'cudacontours ! shapeoverlay', 'cudahull ! shapeoverlay',
                # searched for, and not found
                'cudacontours min-area=1e6 ! shapeoverlay',
                'cudacontours min-area=1e6 ! shapestats',
                'cudacontours ! shapezones zones="0,0 9,0 9,9" tracks=overlap',
                'cudacontours min-area=1e6 ! cudacircles',
                'cudacontours ! cudacircles scene=rgb',
                'cudacontours ! cudacircles from-contours=enclosing',
                'cudacircles scene=rgb', 'cudacontours levels=0.2,0.5',
                'cudacontours min-area=1e6 ! shapejsonenc',
                'cudacontours min-area=1e6 ! shapecocoenc',
                COMBINED % 'videotestsrc num-buffers=5 ! cudacontours',
                COMBINED % 'videotestsrc num-buffers=5 '
                '! cudacontours min-area=1e6',
                'cudacontours ! cudahull defects=true ellipse=true '
                '! shapestats lab=true ! shapeoverlay ! shapejsonenc'):
            self.assertEqual(warnings(elements), [], elements)


if __name__ == '__main__':
    unittest.main(verbosity=1)
