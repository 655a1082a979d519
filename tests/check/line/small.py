# SPDX-License-Identifier: LGPL-2.1-or-later
"""A line with one view in place of four, for tests of what is not about pixels: a busy machine keeps up with it."""

import live

live.VIEWS = 1
# of a piece: so long that only who waits for something is late
DEADLINE = 2000


def write_small_line(folder, keys="", groups="", **lanes):
    """keys: of [line]."""
    config = live.write_line(folder, **lanes)
    text = live.read(config)
    for old, new in ("deadline-ms=50", "deadline-ms=%d\n%s" % (DEADLINE, keys)), ("tilt=-45;-15;15;45", "tilt=0"):
        assert old in text, old
        text = text.replace(old, new)
    return live.write(text + groups, folder, "line.ini")


def check_on_time(total):
    """No decision waits; a machine with too much to do loses frames before they get there."""
    losses = total["losses"]
    assert total["statuses"]["late"] == total["frames"]["late"] == losses["unfit"] == 0, total
    assert total["statuses"]["ok"] == total["pieces"] or losses["crowded"] + losses["slow"] > 0, total
