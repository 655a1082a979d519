#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Colours of all elements, as numbers and as texts: by applications, by
gst-launch's parser, by presets and by controllers."""
import os
import sys
import tempfile
import unittest

# where presets are saved; read when the library is loaded
FOLDER = tempfile.TemporaryDirectory()
os.environ['XDG_DATA_HOME'] = FOLDER.name

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

Gst, GstController = need('Gst', 'GstController')


ELEMENTS = {
    'cudacircles': {'marker-color', 'stroke-color'},
    'fourierdraw': {'trail-color', 'circle-color', 'arm-color', 'tip-color',
                    'ghost-color', 'brush-color', 'gradient-color'},
    'shapeoverlay': {'color', 'casing-color'}}
COLORS = ((0xffff0000, 'red', '#ff0000'), (0x80112233, '#11223380', None),
          (0, '#00000000', None), (0xff4682b4, 'SteelBlue', '#4682b4'))


def all_colors():
    for name, properties in ELEMENTS.items():
        for color in sorted(properties):
            yield Gst.ElementFactory.make(name), color


class Colors(unittest.TestCase):
    def test_every_colour_has_a_text(self):
        for name, properties in ELEMENTS.items():
            element = Gst.ElementFactory.make(name)
            self.assertEqual(
                {spec.name for spec in element.list_properties()
                 if spec.name.endswith('color')}, properties)

    def test_numbers_and_texts_agree(self):
        for element, color in all_colors():
            for number, text, canonical in COLORS:
                element.set_property(color, number)
                self.assertEqual(element.get_property(color + '-name'),
                                 canonical or text)
                element.set_property(color, 0x12345678)
                element.set_property(color + '-name', text)
                self.assertEqual(element.get_property(color), number)

    def test_they_are_parsed(self):
        for element, color in all_colors():
            for text in ('%s-name=red', '%s=0xffff0000', '%s=4294901760',
                         '%s-name="#ff0000"'):
                parsed = Gst.parse_launch('%s %s' % (
                    element.get_factory().get_name(), text % color))
                self.assertEqual(parsed.get_property(color), 0xffff0000)

    def test_presets_have_them(self):
        for element, color in all_colors():
            element.set_property(color + '-name', '#11223344')
            self.assertTrue(element.save_preset('test'))
            other = Gst.ElementFactory.make(element.get_factory().get_name())
            self.assertTrue(other.load_preset('test'))
            self.assertEqual(other.get_property(color), 0x44112233)
            self.assertEqual(other.get_property(color + '-name'), '#11223344')

    def test_controllers_animate_them(self):
        for element, color in all_colors():
            sources = []
            for value in (1., 0., .5, 1.):
                source = GstController.InterpolationControlSource()
                source.set_property(
                    'mode', GstController.InterpolationMode.NONE)
                source.set(0, value)
                sources.append(source)
            binding = GstController.ARGBControlBinding.new(
                element, color, *sources)
            self.assertTrue(element.add_control_binding(binding))
            element.sync_values(0)
            self.assertIn(element.get_property(color + '-name'),
                          ('#0080ff', '#007fff'))


class Lists(unittest.TestCase):
    def test_lists_agree(self):
        overlay = Gst.ElementFactory.make('shapeoverlay')
        self.assertEqual(
            overlay.get_property('color-names'),
            '#56b4e9, #e69f00, #009e73, #f0e442, #cc79a7, #d55e00, #0072b2')
        default = list(overlay.get_property('colors'))
        overlay.set_property('color-names', 'red, #11223380')
        self.assertEqual(list(overlay.get_property('colors')),
                         [0xffff0000, 0x80112233])
        Gst.util_set_object_arg(overlay, 'colors', '<0xff000000, 0x0>')
        self.assertEqual(overlay.get_property('color-names'),
                         '#000000, #00000000')
        overlay.set_property('color-names', '')
        self.assertEqual(list(overlay.get_property('colors')), default)

    def test_circles_have_texts(self):
        circles = Gst.parse_launch(
            'cudacircles circles="<[circle,x=1,y=2,r=3,color=red],'
            '[circle,x=1,y=2,r=3,color=(string)\\"#11223380\\"],'
            '[circle,x=1,y=2,r=3,color=rde]>"')
        self.assertEqual(
            [circle.get_value('color')
             for circle in circles.get_property('circles')],
            [0xffff0000, 0x80112233])


if __name__ == '__main__':
    unittest.main()
