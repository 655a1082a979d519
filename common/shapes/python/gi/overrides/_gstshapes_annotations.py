# SPDX-License-Identifier: LGPL-2.1-or-later
"""Annotations of polylines: confidences, ids of tracks and regions."""

from gi.repository import GLib

from gi.overrides import _gstshapes_take as take
from gi.overrides._gstshapes_arrays import ANNOTATION_DESCR, require

_FIELDS = {'confidences': 'confidence', 'track_ids': 'track_id',
           'region_ids': 'region_id'}


def known_confidences(numpy, annotations):
    """The confidences; NaN where they are unknown."""
    confidences = annotations['confidence'].copy()
    confidences[~(numpy.isfinite(confidences) & (confidences >= 0))] = \
        numpy.nan
    return confidences


def annotate(layer, **columns):
    """ShapeLayer.annotate()"""
    numpy = require('numpy', 'annotate()')
    n = len(layer)
    given = layer.annotations()
    if given is None:
        records = numpy.zeros(n, numpy.dtype(ANNOTATION_DESCR))
        for field in records.dtype.names:
            records[field] = -1
    else:
        records = numpy.array(given)
    for name, values in columns.items():
        if values is None:
            continue
        field = _FIELDS[name]
        if field == 'confidence':
            values = take.confidences(name, values, n)
            values = numpy.where(numpy.isfinite(values), values, -1)
        else:
            values = take.integers(name, values, n, -1,
                                   records.dtype[field].itemsize * 8)
        records[field] = values
    try:
        return layer.annotate_bytes(GLib.Bytes.new(records.tobytes()))
    except GLib.Error as error:
        raise ValueError(error.message) from None
