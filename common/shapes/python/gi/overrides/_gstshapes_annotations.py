# SPDX-License-Identifier: LGPL-2.1-or-later
"""Annotations of polylines: confidences, ids of tracks and regions."""

from gi.repository import GLib

from gi.overrides._gstshapes_arrays import ANNOTATION_DESCR, require
from gi.overrides._gstshapes_polygons import column

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
        values = column(numpy, name, values, n, -1)
        if values.dtype.kind not in 'iuf' or (
                name != 'confidences' and n and values.dtype.kind == 'f'):
            raise ValueError('%s: %s are no %s' % (
                name, values.dtype, 'numbers' if name == 'confidences'
                else 'integers'))
        field = _FIELDS[name]
        if field == 'confidence':
            values = numpy.where(numpy.isfinite(values), values, -1)
        else:
            limits = numpy.iinfo(records.dtype[field])
            if n and (values.min() < limits.min or values.max() > limits.max):
                raise ValueError('%s: not all fit into %d bits'
                                 % (name, limits.bits))
        records[field] = values
    try:
        return layer.annotate_bytes(GLib.Bytes.new(records.tobytes()))
    except GLib.Error as error:
        raise ValueError(error.message) from None
