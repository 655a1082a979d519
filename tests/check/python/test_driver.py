# SPDX-License-Identifier: LGPL-2.1-or-later
"""Drivers that cannot be used: FAKE_OLD, FAKE_FAILS, FAKE_EMPTY and FAKE_BROKEN
are a libcuda.so.1 each, OLD_DRIVER what is said of the first."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import cudashapes

CHILD = '''
import json, warnings
import numpy as np
import cudashapes

image = np.random.default_rng(1).random((600, 800))
said = {}
try:
    cudashapes.find_contours(image, .5, backend='cuda')
except RuntimeError as error:
    said['error'] = str(error)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    found = [cudashapes.find_contours(image, .5) for _ in range(2)]
    cudashapes.convex_hull(found[0][0])
said['warnings'] = [[w.category.__name__, str(w.message), w.filename]
                    for w in caught]
want = cudashapes.find_contours(image, .5, backend='cpu')
said['equal'] = all([a.tobytes() for a in got] == [a.tobytes() for a in want]
                    for got in found)
print(json.dumps(said))
'''

if 'FAKE_OLD' not in os.environ:
    print('skipped: FAKE_OLD is not set')
    sys.exit(77)


def run(library):
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(library, os.path.join(folder, 'libcuda.so.1'))
        path = os.pathsep.join(filter(None, (
            folder, os.environ.get('LD_LIBRARY_PATH'))))
        done = subprocess.run(
            [sys.executable, '-c', CHILD], text=True, capture_output=True,
            timeout=120, env=dict(os.environ, LD_LIBRARY_PATH=path))
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class Driver(unittest.TestCase):
    def test_one_older_than_the_runtime_is_named_and_warned_of(self):
        said = run(os.environ['FAKE_OLD'])
        self.assertIn(os.environ['OLD_DRIVER'], said['error'])
        self.assertIn('install a driver', said['error'])
        self.assertTrue(said['equal'])
        # once, and where the caller called
        self.assertEqual(len(said['warnings']), 1, said)
        kind, text, file = said['warnings'][0]
        self.assertEqual((kind, file), ('RuntimeWarning', '<string>'))
        self.assertIn('on the CPU', text)
        self.assertIn(os.environ['OLD_DRIVER'], text)

    def test_one_that_does_not_work_is_an_error_where_it_is_asked_for(self):
        for library, why in ((os.environ['FAKE_FAILS'], 'does not start'),
                             (os.environ['FAKE_EMPTY'], 'lists no GPU'),
                             (os.environ['FAKE_BROKEN'], 'it lacks'),
                             ('/dev/null', 'cannot be loaded')):
            with self.subTest(why):
                said = run(library)
                self.assertIn(why, said['error'])
                self.assertTrue(said['equal'])


if __name__ == '__main__':
    unittest.main(verbosity=1)
