#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A frame's objects in Python, with gst-python's own way to iterate over them,
which GStreamer 1.28 has."""
import sys
import unittest

SKIP = 77

try:
    import gi
    gi.require_version('Gst', '1.0')
    gi.require_version('GstApp', '1.0')
    gi.require_version('GstAnalytics', '1.0')
    from gi.repository import Gst, GstApp, GstAnalytics
    # fails where relations cannot be iterated over
    GstAnalytics.RelationMeta.iter_on_type
except (AttributeError, ImportError, ValueError) as missing:
    print('skipped:', missing)
    sys.exit(SKIP)

Gst.init(None)


def relations(properties):
    """Of two columns of a picture; keeps the sample."""
    pipeline = Gst.parse_launch(
        'videotestsrc num-buffers=1 pattern=ball ! video/x-raw,format=GRAY8,'
        'width=64,height=48 ! cudacontours level=0.5 ! shapeanalytics %s '
        '! appsink name=out sync=false' % properties)
    pipeline.set_state(Gst.State.PLAYING)
    sample = pipeline.get_by_name('out').try_pull_sample(60 * Gst.SECOND)
    pipeline.set_state(Gst.State.NULL)
    return sample, GstAnalytics.buffer_get_analytics_relation_meta(
        sample.get_buffer())


class Objects(unittest.TestCase):
    def test_all_metadata_of_a_frame(self):
        for properties in ('', 'mask=true'):
            sample, meta = relations(properties)
            names = [type(mtd).__name__ for mtd in meta]
            self.assertEqual(names.count('ODMtd'), 1, names)
            self.assertIn('ClsMtd', names)
            self.assertEqual('SegmentationMtd' in names, properties != '')

    def test_objects_with_ids(self):
        """The page's workaround."""
        sample, meta = relations('ids=true')
        objects = list(meta.iter_on_type(GstAnalytics.ODMtd))
        self.assertEqual(len(objects), 1)
        found, x, y, width, height, confidence = objects[0].get_location()
        self.assertTrue(found and width > 0 and height > 0)


if __name__ == '__main__':
    unittest.main()
