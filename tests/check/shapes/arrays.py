# SPDX-License-Identifier: LGPL-2.1-or-later
"""The library's engine from Python, and the functions of cudashapes."""

import os
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

GLib, GstShapes, np = need('GLib', 'GstShapes', 'numpy')

SQUARE = np.array([[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0.]])


class Functions(unittest.TestCase):
    def test_they_are_those_of_cudashapes(self):
        import cudashapes
        self.assertEqual(
            GstShapes.find_contours(SQUARE, .5, as_xy=True)[0].tolist(),
            cudashapes.find_contours(SQUARE, .5, as_xy=True)[0].tolist())
        self.assertEqual(
            len(GstShapes.find_bands(SQUARE, [.2, .5, .8], mask=None)), 2)
        hull = GstShapes.convex_hull([(0, 0), (1, 0), (0, 1)], backend='cpu')
        self.assertIsInstance(hull, cudashapes.ConvexHull)

    def test_without_the_package_the_error_says_so(self):
        code = ('import sys\n'
                'sys.modules["cudashapes"] = None\n'
                'import gi\n'
                'gi.require_version("GstShapes", "1.0")\n'
                'from gi.repository import GstShapes\n'
                'try:\n'
                '    GstShapes.find_contours([[0, 1], [1, 0]], .5)\n'
                'except ImportError as error:\n'
                '    print(error)\n')
        self.assertIn('needs cudashapes', subprocess.run(
            [sys.executable, '-c', code], text=True, check=True,
            stdout=subprocess.PIPE).stdout)


class Engine(unittest.TestCase):
    def test_the_library_checks_what_other_callers_pass(self):
        engine = GstShapes.ShapeEngine.new('cpu', -1)
        image, mask = GstShapes.ShapeImage(), GstShapes.ShapeImage()
        flags = GstShapes.ShapeContoursFlags(0)
        for text, members in (
                ('no channels', {}),
                ('no data', {'channels': 1, 'width': 4, 'height': 4}),
                ('type', {'data': SQUARE.ctypes.data,
                          'type': GstShapes.ShapeNumber.I32})):
            for name, value in members.items():
                setattr(image, name, value)
            with self.assertRaisesRegex(GLib.Error, text):
                engine.find_contours(image, None, [], flags)
        image.type = GstShapes.ShapeNumber.F64
        image.pixel_stride, image.row_stride, image.channel_stride = 8, 32, 8
        with self.assertRaisesRegex(GLib.Error, 'levels'):
            engine.find_contours(image, None, [1, 2], flags)
        mask.data, mask.channels = SQUARE.ctypes.data, 1
        with self.assertRaisesRegex(GLib.Error, 'pixels'):
            engine.find_contours(image, mask, [.5], flags)
        result = engine.find_contours(image, None, [.5], flags)
        parts = GstShapes.ShapeArrayType
        self.assertEqual(result.get_address(parts.POINTS)[1], 9)
        self.assertEqual(result.get_address(parts.INDICES), (0, 0))

    def test_bands_need_levels(self):
        engine = GstShapes.ShapeEngine.new('cpu', -1)
        image = GstShapes.ShapeImage()
        array = np.zeros((4, 4))
        image.data, image.channels = array.ctypes.data, 1
        image.type = GstShapes.ShapeNumber.F64
        image.width = image.height = 4
        image.pixel_stride, image.row_stride, image.channel_stride = 8, 32, 8
        for levels in ([], [1], [1, 1]):
            with self.assertRaisesRegex(GLib.Error, 'level'):
                engine.find_contours(image, None, levels,
                                     GstShapes.ShapeContoursFlags.BANDS)

    def test_without_the_plugin_the_error_names_it(self):
        code = ('import gi\n'
                'gi.require_version("GstShapes", "1.0")\n'
                'from gi.repository import GstShapes\n'
                'try:\n'
                '    GstShapes.ShapeSet.from_masks([[[0, 1], [1, 0]]])\n'
                'except RuntimeError as error:\n'
                '    print(error)\n')
        environment = dict(os.environ, GST_PLUGIN_PATH='',
                           GST_PLUGIN_PATH_1_0='', GST_REGISTRY_DISABLE='yes',
                           GST_PLUGIN_SYSTEM_PATH_1_0='')
        result = subprocess.run([sys.executable, '-c', code], text=True,
                                stdout=subprocess.PIPE, env=environment,
                                check=True)
        self.assertIn('cudashapes', result.stdout)
        self.assertIn('GST_PLUGIN_PATH', result.stdout)


if __name__ == '__main__':
    unittest.main(verbosity=1)
