# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples of GstShapes' docstrings in Python print what they say."""

import doctest
import sys

SKIP = 77
FEWEST = 45    # statements; fewer are not found by doctest any more

try:
    import gi
    gi.require_version('Gst', '1.0')
    gi.require_version('GstShapes', '1.0')
    from gi.repository import Gst, GstShapes
    import numpy
except (ImportError, ValueError) as error:
    print('skipped: %s' % error)
    sys.exit(SKIP)
from gi.overrides import GstShapes as overrides


def main():
    Gst.init(None)
    names = {'Gst': Gst, 'GstShapes': GstShapes, 'np': numpy}
    runner = doctest.DocTestRunner()
    for name in overrides.__all__:
        value = getattr(overrides, name)
        # PyGObject hides a class's text from doctest, not its functions'
        values = {name: value} if not isinstance(value, type) else {
            '%s.%s' % (name, member): getattr(held, '__func__', held)
            for member, held in vars(value).items()
            if not member.startswith('_')}
        for label, held in values.items():
            text = getattr(held, '__doc__', None)
            if isinstance(text, str) and '>>>' in text:
                runner.run(doctest.DocTestParser().get_doctest(
                    text, dict(names), label, None, None))
    failed, attempted = runner.summarize()
    print('%d examples, %d failed' % (attempted, failed))
    return int(failed > 0 or attempted < FEWEST)


if __name__ == '__main__':
    sys.exit(main())
