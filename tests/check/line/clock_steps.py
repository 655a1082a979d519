# SPDX-License-Identifier: LGPL-2.1-or-later
"""fruit-line under a time of day that is stepped by hours, every 0.7 s: clock_steps.py FRUIT_LINE FILES LIBRARY

Decisions stay on time, nothing is lost, no time of a decision goes back, the heartbeat follows the machine's clock, and
pictures are painted. The machine's own clock is not touched: LIBRARY is preloaded.
"""

import glob
import json
import os
import signal
import sys
import tempfile
import time
from datetime import datetime, timezone

from live import TIMEOUT, Run, check_pieces, fetch, read, read_decisions, read_report, write
from small import check_on_time, write_small_line

LIBRARY = sys.argv[3]
HOURS = {0, 3, -5, 30, -100, 1, -2}
HOUR = 3600 * 10**9


def read_step(heartbeat):
    """How many hours the heartbeat is off: whole ones, but for what it takes to be written and read."""
    off = json.loads(heartbeat)["t_ns"] - time.time_ns()
    hours = round(off / HOUR)
    assert abs(off - hours * HOUR) < HOUR / 4, off
    return hours


def watch(run):
    """Heartbeats while the line runs: each within some seconds of the one before. Returns the steps that were seen."""
    steps, last = set(), ""
    for _ in range(8):
        for _ in range(TIMEOUT * 20):
            heartbeat = read(run.folder, "heartbeat")
            if heartbeat != last and heartbeat.endswith("\n"):
                break
            assert run.process.poll() is None, run.said()
            time.sleep(.05)
        assert heartbeat != last, "the heart has stopped"
        last = heartbeat
        steps.add(read_step(heartbeat))
    return steps


def check_times(decisions, report, begin, end):
    """All times are between those of the machine's clock, which nobody stepped."""
    for lane in report["lanes"]:
        last = begin
        for decision in (d for d in decisions if d["lane"] == lane):
            assert last <= decision["t_trigger_ns"] <= end, decision
            last = decision["t_trigger_ns"]
            seen = [view["t_ns"] for view in decision["views"] if view["ok"]]
            assert seen == sorted(seen) and all(begin <= t <= end for t in seen), decision
            assert all(0 <= value <= (end - begin) / 1000 for value in decision["latency_us"].values()), decision
    times = [datetime.strptime(report[name], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc).timestamp()
             for name in ("begin", "end")]
    assert begin / 1e9 - 1 <= times[0] <= times[1] <= end / 1e9, (report["begin"], report["end"])
    assert abs(times[1] - times[0] - report["seconds"]) <= 1 and report["seconds"] <= (end - begin) / 1e9, report


def test_steps(folder):
    config = write_small_line(folder, "record=true", a="source=simulate\ntriggers=0\nblemish=rot",
                              b="source=simulate\ntriggers=0")
    begin = time.time_ns()
    run = Run(["run", config, "--port", "0", "--seconds", "100"], os.path.join(folder, "out"),
              env=dict(os.environ, LD_PRELOAD=LIBRARY, CLOCK_STEPS=folder))
    url = run.find_page()
    run.wait_for(lambda decisions: len(decisions) >= 5)
    write("", folder, "go")
    steps = watch(run)
    now = json.loads(fetch(url, "/report.json")[2])
    assert 0 < now["seconds"] <= (time.time_ns() - begin) / 1e9, now["seconds"]
    for _ in range(TIMEOUT * 10):
        if glob.glob(os.path.join(run.folder, "pictures", "*.jpg")):
            break
        time.sleep(.1)
    run.process.send_signal(signal.SIGTERM)
    run.end()
    end = time.time_ns()
    # the program did see them
    asked = dict(map(int, line.split()) for line in read(folder, "asked").splitlines())
    assert set(asked) == HOURS and sum(n > 0 for n in asked.values()) >= 3, asked
    assert steps <= HOURS and len(steps) >= 3, steps
    report, decisions = read_report(run.folder), read_decisions(run.folder)
    check_pieces(decisions, report)
    check_times(decisions, report, begin, end)
    total = report["total"]
    check_on_time(report, decisions)
    assert report["written"]["pictures"] > 0 and report["written"]["lines"] == len(decisions), report["written"]
    print("%d pieces; the heartbeat was off by %s hours" % (total["pieces"], sorted(steps)))


def main():
    with tempfile.TemporaryDirectory() as folder:
        test_steps(folder)


if __name__ == "__main__":
    main()
