#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""All pairs of elements link as their pages say, and shapes that come without
a frame pass through every element that needs no frame. The page's text of an
element that takes anything is compared with its pad. Arguments: the folder of
pages, a folder for files."""
import itertools
import pathlib
import sys
import unittest

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

Gst = need('Gst')

PAGES, FOLDER = map(pathlib.Path, sys.argv[1:3])
del sys.argv[1:]

# what comes out of an element: frames, tensors, shapes alone, text
GIVES = {
    'cudacircles': 'frames', 'cudallf': 'frames', 'fourierdraw': 'frames',
    'shapeoverlay': 'frames', 'shapecombiner': 'frames',
    'cudacontours': 'frames tensors', 'shapestats': 'frames tensors',
    'shapetensordec': 'frames tensors',
    'cudahull': 'frames tensors shapes', 'shapejsondec': 'shapes',
    'shapeanalytics': 'anything', 'shapezones': 'anything', 'shapejsonenc': 'lines',
    'shapegeojsonenc': 'geojson', 'shapecocoenc': 'json',
    'shapecsvenc': 'csv', 'shapesvgenc': 'svg',
}
# and what goes in
TAKES = {
    'cudacircles': 'frames', 'cudallf': 'frames tensors',
    'fourierdraw': 'frames', 'shapeoverlay': 'frames',
    'cudacontours': 'frames tensors', 'shapestats': 'frames tensors',
    'shapetensordec': 'frames tensors',
    'cudahull': 'frames tensors shapes', 'shapejsondec': 'lines json',
    'shapecombiner': 'frames anything', 'shapeanalytics': 'anything',
    'shapezones': 'anything',
    'shapejsonenc': 'anything', 'shapegeojsonenc': 'anything',
    'shapecocoenc': 'anything', 'shapecsvenc': 'anything',
    'shapesvgenc': 'anything',
}
# a page's words for a pad that takes anything
ANY_WORDS = ('any caps are accepted', '| any |')
LINE = ('{"pts":0,"width":64,"height":48,"shapes":[{"kind":"contour",'
        '"closed":true,"points":[[8,8],[40,8],[40,30],[8,8]]}]}\n')


def elements():
    plugin = Gst.Registry.get().get_feature_list_by_plugin('cudashapes')
    return sorted(feature.get_name() for feature in plugin
                  if isinstance(feature, Gst.ElementFactory))


def pads(name, direction):
    return [template for template
            in Gst.ElementFactory.find(name).get_static_pad_templates()
            if template.direction == direction]


def takes_anything(name):
    return any(template.get_caps().is_any()
               for template in pads(name, Gst.PadDirection.SINK))


def should_link(source, sink):
    gives, takes = GIVES[source].split(), TAKES[sink].split()
    return 'anything' in gives + takes or bool(set(gives) & set(takes))


def run(text):
    """The JSON of the last buffer, or what went wrong."""
    pipeline = Gst.parse_launch(text)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        60 * Gst.SECOND, Gst.MessageType.ERROR | Gst.MessageType.EOS)
    sample = pipeline.get_by_name('out').get_property('last-sample')
    result = message.parse_error()[0].message \
        if message.type == Gst.MessageType.ERROR else sample.get_buffer()
    pipeline.set_state(Gst.State.NULL)
    return result


class Links(unittest.TestCase):
    def test_the_tables_have_all_elements(self):
        known = set(GIVES) - ({'shapeanalytics'} - set(elements()))
        self.assertEqual(sorted(known), elements())

    def test_pairs_link_as_the_tables_say(self):
        for source, sink in itertools.product(elements(), elements()):
            a, b = (Gst.ElementFactory.make(name) for name in (source, sink))
            pipeline = Gst.Pipeline()
            pipeline.add(a)
            pipeline.add(b)
            with self.subTest('%s ! %s' % (source, sink)):
                self.assertEqual(a.link(b), should_link(source, sink))

    def test_pages_say_what_takes_anything(self):
        for name in elements():
            page = (PAGES / (name + '.md')).read_text(encoding='utf-8')
            page = ' '.join(page.split())
            with self.subTest(name):
                self.assertEqual(any(words in page for words in ANY_WORDS),
                                 takes_anything(name))
                # of what else, the page has to say
                self.assertNotIn('anything else', page)
                if TAKES[name].endswith(' shapes'):
                    self.assertIn('`application/x-shapes`', page)

    def test_shapes_alone_pass(self):
        path = FOLDER / 'one.jsonl'
        path.write_text(LINE * 2)
        for name in elements():
            if not should_link('shapejsondec', name) \
                    or name == 'shapecombiner':
                continue
            with self.subTest(name):
                buffer = run('filesrc location="%s" ! shapejsondec ! %s '
                             '! fakesink name=out' % (path, name))
                self.assertIsInstance(buffer, Gst.Buffer)
                if GIVES[name] not in ('anything', 'frames tensors shapes'):
                    self.assertGreater(buffer.get_size(), 0)

    def test_hulls_of_shapes_alone_have_their_size(self):
        path = FOLDER / 'one.jsonl'
        path.write_text(LINE)
        buffer = run('filesrc location="%s" ! shapejsondec ! cudahull '
                     '! shapejsonenc ! fakesink name=out' % path)
        text = buffer.extract_dup(0, buffer.get_size()).decode()
        self.assertIn('"width":64,"height":48', text)
        self.assertIn('"kind":"hull"', text)

    def test_a_frame_that_is_missing_is_named(self):
        path = FOLDER / 'one.jsonl'
        path.write_text(LINE)
        for source, word in (('mask', 'shapecombiner'),
                             ('points', 'source=contours')):
            text = run('filesrc location="%s" ! shapejsondec ! cudahull '
                       'source=%s ! fakesink name=out' % (path, source))
            self.assertIn(word, text)


if __name__ == '__main__':
    unittest.main()
