# SPDX-License-Identifier: LGPL-2.1-or-later
"""A line with one view in place of four, for tests of what is not about pixels: a busy machine keeps up with it."""

import live

live.VIEWS = 1
# of a piece: so long that only who waits for something is late
DEADLINE = 2000


def write_small_line(folder, keys="", groups="", **lanes):
    """keys: of [line]."""
    recipe = live.read(live.FILES, "apricot.ini")
    assert "min-looks=10" in recipe
    config = live.write_line(folder, recipe=recipe.replace("min-looks=10", "min-looks=1"), **lanes)
    text = live.read(config)
    for old, new in ("deadline-ms=50", "deadline-ms=%d\n%s" % (DEADLINE, keys)), ("tilt=-45;-15;15;45", "tilt=0"):
        assert old in text, old
        text = text.replace(old, new)
    return live.write(text + groups, folder, "line.ini")


def check_on_time(report, decisions):
    """No decision waits. Frames are lost by a machine with too much to do, before they get there, and by the line's stop, which
    are those of its last triggers."""
    for name, lane in report["lanes"].items():
        losses, mine = lane["losses"], [d for d in decisions if d["lane"] == name]
        assert lane["statuses"]["late"] == lane["frames"]["late"] == losses["unfit"] == 0, lane
        if losses["crowded"] + losses["slow"] == 0:
            assert lane["frames"]["lost"] == losses["stopped"], lane
            lost = {view["frame_id"] for d in mine for view in d["views"] if not view["ok"]}
            assert not mine or lost == set(range(lane["triggers"] - losses["stopped"], lane["triggers"])), (lane, lost)
