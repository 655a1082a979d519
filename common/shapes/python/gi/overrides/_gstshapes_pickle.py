# SPDX-License-Identifier: LGPL-2.1-or-later
"""What pickled sets name; it may be the first that a process imports."""


def load_set(data):
    """The set of ShapeSet.serialize()'s bytes."""
    import gi
    gi.require_version('GstShapes', '1.0')
    from gi.repository import GstShapes
    return GstShapes.ShapeSet.deserialize(data)
