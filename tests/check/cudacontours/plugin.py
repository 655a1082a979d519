#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The plugin loads on machines without a driver or a toolkit, and describes
its elements.

usage: plugin.py libgstcudashapes.so
"""
import re
import shutil
import subprocess
import sys
import unittest

PLUGIN = sys.argv.pop(1)


def output_of(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60)
    assert done.returncode == 0, done.stdout
    return done.stdout


def needed_libraries():
    return re.findall(r'\(NEEDED\).*\[(.*)\]',
                      output_of('readelf', '-d', PLUGIN))


@unittest.skipUnless(shutil.which('readelf'), 'needs readelf')
class Library(unittest.TestCase):
    def test_needs_neither_driver_nor_toolkit(self):
        needed = needed_libraries()
        self.assertTrue(any('gstshapes' in name for name in needed), needed)
        for name in needed:
            self.assertNotRegex(name, r'^lib(cuda|cudart|nv\w*|cublas\w*)\.so')

    def test_exports_only_the_plugin(self):
        symbols = output_of('readelf', '-W', '--dyn-syms', PLUGIN)
        exported = {line.split()[7] for line in symbols.splitlines()
                    if re.search(r' (FUNC|OBJECT) +GLOBAL +DEFAULT +\d+ ', line)}
        self.assertTrue(exported)
        for name in exported:
            self.assertRegex(name, r'^gst_plugin_cudashapes_')


@unittest.skipUnless(shutil.which('gst-inspect-1.0') and
                     shutil.which('readelf'), 'needs gst-inspect-1.0, readelf')
class Inspect(unittest.TestCase):
    def setUp(self):
        if any(re.match('lib[a-z]+san', name) for name in needed_libraries()):
            self.skipTest('gst-inspect-1.0 has no sanitizer')

    def test_is_not_blacklisted(self):
        self.assertRegex(output_of('gst-inspect-1.0', '-b'),
                         r'Total count: 0 blacklisted')

    def test_cudacontours_describes_itself(self):
        text = output_of('gst-inspect-1.0', 'cudacontours')
        self.assertIn('Filter/Analyzer/Video', text)
        for name in ('level', 'level-unit', 'levels', 'classes', 'channel',
                     'bit-depth', 'layout', 'fully-connected',
                     'positive-orientation', 'min-points', 'min-area',
                     'max-area', 'mask-location', 'mask-alpha', 'roi',
                     'max-segments', 'max-memory', 'measures',
                     'measures-only', 'post-messages', 'hierarchy',
                     'auto-level', 'backend', 'cuda-device-id',
                     'active-backend', 'n-threads', 'dropped'):
            blurb = re.search(r'^  %s *: (.*)$' % re.escape(name), text, re.M)
            self.assertTrue(blurb, name)
            self.assertRegex(blurb.group(1), r'\.$', name)

    def test_cudahull_describes_itself(self):
        text = output_of('gst-inspect-1.0', 'cudahull')
        self.assertIn('Filter/Analyzer/Video', text)
        for name in ('source', 'scope', 'level', 'level-unit', 'channel',
                     'bit-depth', 'include-collinear', 'measures', 'replace',
                     'post-messages', 'backend', 'dropped', 'ignored'):
            blurb = re.search(r'^  %s *: (.*)$' % re.escape(name), text, re.M)
            self.assertTrue(blurb, name)
            self.assertRegex(blurb.group(1), r'\.$', name)


if __name__ == '__main__':
    unittest.main()
