# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is expected of a line, whatever is done to it."""
import json
import os
import statistics
import sys

from line import CUPS, VIEWS, read

HEARTBEAT_S = 3.        # a heartbeat is never older
GROWTH = .01            # of memory, from minute 2 to the last
LONG_MINUTES = 30       # from so many on, latency is judged, too
SLOWER = .2             # p99 of the last minute against the first


def open_schema():
    """Of a decision; None where there is no jsonschema."""
    sys.path.append(os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "gst-cudashapes",
                                 "partners"))
    try:
        import jsonschema
    except ImportError:
        return None
    docs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")
    return jsonschema.Draft202012Validator(json.loads(read(docs, "decision.schema.json")))


def quantile(values, share):
    """The smallest value that is not less than so many of them."""
    return sorted(values)[max(0, -(-int(share * 1000) * len(values) // 1000) - 1)] if values else 0


class Decisions:
    """Reads the lines as they are written, and looks at each: valid, in order, none twice, none missing."""

    def __init__(self, path):
        self.path, self.place, self.rest = path, 0, b""
        self.schema = open_schema()
        self.lines, self.next, self.recipes, self.wrong, self.last = 0, {}, set(), [], {}
        self.latencies = []     # of the minute, microseconds
        self.statuses = {}      # of the minute

    def take(self):
        """Latencies and statuses since it was called last."""
        taken = self.latencies, self.statuses
        self.latencies, self.statuses = [], {}
        return taken

    def read_on(self):
        with open(self.path, "rb") as file:
            file.seek(self.place)
            data = self.rest + file.read()
            self.place = file.tell()
        *lines, self.rest = data.split(b"\n")
        for line in lines:
            self.look_at(line)

    def say(self, what):
        if len(self.wrong) < 20:
            self.wrong.append("line %d: %s" % (self.lines, what))

    def look_at(self, line):
        self.lines += 1
        try:
            decision = json.loads(line)
        except ValueError as error:
            return self.say(error)
        if self.schema and (error := next(self.schema.iter_errors(decision), None)):
            self.say(error.message[:200])
        lane, piece = decision["lane"], decision["piece"]
        if piece != self.next.get(lane, 0):
            self.say("%s: piece %d comes, not %d" % (lane, piece, self.next.get(lane, 0)))
        self.next[lane] = piece + 1
        if decision["t_trigger_ns"] <= self.last.get(lane, (0, []))[0]:
            self.say("%s: piece %d is not younger than the one before" % (lane, piece))
        self.last[lane] = decision["t_trigger_ns"], (self.last.get(lane, (0, []))[1] + [decision["reasons"][0]])[-50:]
        self.recipes.add(decision["recipe"])
        self.statuses[decision["status"]] = self.statuses.get(decision["status"], 0) + 1
        if any(view["ok"] for view in decision["views"]):
            self.latencies.append(sum(decision["latency_us"].values()))

    def is_well_at_end(self):
        """Every lane has decided some of its last pieces."""
        return all(set(reasons) - {"undecided"} for _, reasons in self.last.values())


class Minutes:
    """A row for each minute."""

    def __init__(self, line, decisions):
        self.line, self.decisions, self.rows = line, decisions, []
        self.samples, self.ages, self.events = [], [], []

    def sample(self):
        self.samples.append(self.line.measure())
        self.ages.append(self.line.heartbeat_age())

    def end_minute(self):
        self.decisions.read_on()
        latencies, statuses = self.decisions.take()
        row = {"minute": len(self.rows) + 1, "pieces": sum(statuses.values()), "statuses": statuses}
        # in the midst of a minute, faults may hold descriptors and threads for a while
        for name in "rss_kb", "descriptors", "threads":
            row[name] = int(statistics.median(sample[name] for sample in self.samples))
            row[name + "_most"] = max(sample[name] for sample in self.samples)
        row["cpu_s"] = self.samples[-1]["cpu_s"]
        row["heartbeat_age_s"] = round(max(self.ages), 2)
        row["latency_ms"] = {name: round(quantile(latencies, share) / 1000, 1)
                             for name, share in (("p50", .5), ("p90", .9), ("p99", .99), ("max", 1))}
        row["load"] = round(os.getloadavg()[0], 1)
        row["events"] = self.events
        self.rows.append(row)
        self.samples, self.ages, self.events = self.samples[-1:], [], []
        return row

    def judge(self):
        wrong = []
        for row in self.rows:
            if row["heartbeat_age_s"] > HEARTBEAT_S:
                wrong.append("minute %d: the heartbeat was %.1f s old" % (row["minute"], row["heartbeat_age_s"]))
        if len(self.rows) > 2:
            early, late = self.rows[1], self.rows[-1]
            growth = late["rss_kb"] / early["rss_kb"] - 1
            if growth > GROWTH:
                wrong.append("memory grew by %.1f %% from minute 2 to %d" % (100 * growth, late["minute"]))
            for name in "descriptors", "threads":
                wrong += self.judge_counts(name)
        if len(self.rows) >= LONG_MINUTES:
            early, late = (self.rows[i]["latency_ms"]["p99"] for i in (0, -1))
            if late > early * (1 + SLOWER):
                wrong.append("p99 was %.1f ms in the first minute, %.1f ms in the last" % (early, late))
        return wrong

    def judge_counts(self, name):
        """A fault that lasts most of a minute moves its median; a leak passes the most of an early minute in the end."""
        early, late = self.rows[1], self.rows[-1]
        third = (len(self.rows) - 1) // 3
        if late[name] > early[name + "_most"]:
            return ["%s: at most %d in minute 2, %d in minute %d" % (name, early[name + "_most"], late[name], late["minute"])]
        if third > 1:
            first, last = (statistics.median(row[name] for row in rows)
                           for rows in (self.rows[1:1 + third], self.rows[-third:]))
            if last > first:
                return ["%s: %g in the first third after minute 1, %g in the last" % (name, first, last)]
        return []


def judge_frames(report, decisions, rate, is_end):
    """triggers x views = in time + late + lost; before the end some are still on their way."""
    wrong = []
    for name, lane in report["lanes"].items():
        frames = lane["frames"]
        missing = lane["triggers"] * VIEWS - frames["in_time"] - frames["late"] - frames["lost"]
        # no source is further behind than its network's patience and its queue
        if missing < 0 or missing > (0 if is_end else VIEWS * (4 + 4 * rate)):
            wrong.append("%s: %d frames are unaccounted for" % (name, missing))
        if lane["pieces"] != sum(lane["statuses"].values()) or lane["pieces"] != sum(lane["outlets"].values()):
            wrong.append("%s: pieces, statuses and outlets differ" % name)
        if frames["lost"] != sum(lane["losses"].values()):
            wrong.append("%s: %d frames are lost, %d for some reason" % (
                name, frames["lost"], sum(lane["losses"].values())))
        if is_end and lane["pieces"] != max(lane["triggers"] - CUPS + 1, 0):
            wrong.append("%s: %d pieces of %d triggers" % (name, lane["pieces"], lane["triggers"]))
        if is_end and lane["pieces"] != decisions.next.get(name, 0):
            wrong.append("%s: %d pieces, %d lines" % (name, lane["pieces"], decisions.next.get(name, 0)))
    if is_end and (not report["adds_up"] or report["written"]["lines"] != decisions.lines):
        wrong.append("the report does not add up: %s, %d lines" % (report["written"], decisions.lines))
    return wrong
