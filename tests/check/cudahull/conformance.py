#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cudahull on the point sets whose hulls were computed in rational arithmetic.

usage: conformance.py hull.json
"""
import json
import sys

SKIP = 77

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

Gst, GstApp, GstShapes, np = need('Gst', 'GstApp', 'GstShapes', 'numpy')

try:
    with open(sys.argv[1]) as file:
        CASES = json.load(file)
except OSError as missing:
    print('skipped:', missing)
    sys.exit(SKIP)

TYPES = {'float32': np.float32, 'float64': np.float64, 'int32': np.int32}


def hulls_of(points, name):
    """The hulls of a tensor of points, as lists of vertices."""
    pipeline = Gst.parse_launch(
        'appsrc name=in format=time ! cudahull backend=cpu ! '
        'appsink name=out sync=false')
    source = pipeline.get_by_name('in')
    source.set_caps(Gst.Caps.from_string(
        'other/tensors,format=static,num_tensors=1,framerate=0/1,types=%s,'
        'dimensions=(string)2:%d:1:1' % (name, len(points))))
    pipeline.set_state(Gst.State.PLAYING)
    source.push_buffer(Gst.Buffer.new_wrapped(points.tobytes()))
    source.end_of_stream()
    sample = pipeline.get_by_name('out').emit('pull-sample')
    assert sample, pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    shapes = GstShapes.buffer_get_shape_set(sample.get_buffer())
    found = [hull.points.copy() for hull in shapes.hulls()]
    pipeline.set_state(Gst.State.NULL)
    return found


def main():
    n = 0
    for case in CASES:
        points = np.array(case['points'], dtype=np.float64).reshape(-1, 2)
        expected = np.array(case['hull_ccw_xy_from_lexmin'],
                            dtype=np.float64).reshape(-1, 2)
        if len(points) == 0:
            continue        # a tensor has at least one
        for name, dtype in TYPES.items():
            if not np.array_equal(points.astype(dtype).astype(np.float64),
                                  points):
                continue    # other points, which have another hull
            found = hulls_of(points.astype(dtype), name)
            assert len(found) == 1, (case['name'], name, found)
            closed = np.vstack([expected, expected[:1]]).astype(np.float32)
            assert np.array_equal(found[0], closed), (case['name'], name,
                                                      found[0], closed)
            n += 1
    assert n > len(CASES)
    print('%d hulls of %d cases as expected' % (n, len(CASES)))


main()
