#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""lanes.py [BUILD]: how many lanes of the fruit line a machine carries: the table and the chart of docs/scaling.md.

Each lane gets ten triggers a second, four views each, tensors given: a file of simulated ones in the page cache. Prints a
row for each number of lanes: pieces in time, from the last tensor to the decision, and processors' time."""
import argparse
import json
import math
import os
import re
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILES = os.path.join(ROOT, "pipelines", "line")
RATE, MADE = 10, 40     # triggers a second, and that are drawn: the file repeats them


def make_tensors(build, folder, triggers):
    """A file of so many triggers."""
    views = os.path.join(folder, "views")
    os.mkdir(views)
    subprocess.run([os.path.join(build, "pipelines", "line", "line-scene"), views, str(MADE)], check=True,
                   stdout=subprocess.DEVNULL)
    parts = sorted(os.path.join(views, name) for name in os.listdir(views) if name.endswith(".f32"))
    assert parts
    path = os.path.join(folder, "tensors.f32")
    with open(path, "wb") as out:
        for _ in range(-(-triggers // MADE)):
            for part in parts:
                with open(part, "rb") as file:
                    out.write(file.read())
    return path


def run(build, folder, lanes, seconds, backend):
    with open(os.path.join(FILES, "line1.ini"), encoding="utf-8") as file:
        text = file.read().split("[lane ")[0]
    text = re.sub("(?m)^recipe=.*", "recipe=%s\npictures=0" % os.path.join(FILES, "apricot.ini"), text)
    text = text.replace("[line]\n", "[line]\nbackend=%s\n" % backend)
    for i in range(lanes):
        text += "[lane lane%d]\nsource=replay\nlocation=tensors.f32\n" % (i + 1)
    config = os.path.join(folder, "line.ini")
    with open(config, "w", encoding="utf-8") as file:
        file.write(text)
    output = os.path.join(folder, "out-%d" % lanes)
    environment = dict(os.environ, GST_PLUGIN_PATH=os.path.join(build, "gst"), GST_REGISTRY=os.path.join(folder, "registry"))
    done = subprocess.run([os.path.join(build, "pipelines", "line", "fruit-line"), "run", config, "--seconds", str(seconds),
                           "--output", output], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with open(os.path.join(output, "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    latency, total = report["latency_us"]["last_tensor_to_decision"], report["total"]
    # where the file begins again, cups have other fruit than before, and pieces are in doubt: only time counts here
    late = total["statuses"]["late"] + total["statuses"]["undecided"] + total["seen"]["doubts"]["lost"]
    return {"lanes": lanes, "pieces": total["pieces"], "in_time": total["pieces"] - min(late, total["pieces"]), "p50": latency["p50"] / 1000,
            "p99": latency["p99"] / 1000, "max": latency["max"] / 1000,
            "cpu": 100 * report["health"]["cpu_s"] / report["seconds"] / os.cpu_count(), "load": os.getloadavg()[0]}


def draw(rows, path):
    """p50 and p99 over lanes, both logarithmic, and the share of the processors."""
    left, right, top, bottom = 60, 580, 20, 290
    lanes = [row["lanes"] for row in rows]
    low, high = .5, max(100, max(row["p99"] for row in rows) * 1.2)

    def x(n):
        return left + (right - left) * math.log(n) / math.log(max(lanes[-1], 2))

    def y(ms):
        return bottom - (bottom - top) * math.log(max(ms, low) / low) / math.log(high / low)

    def share(percent):
        return bottom - (bottom - top) * percent / 100

    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 350" font-family="sans-serif" font-size="12">',
           '<rect width="640" height="350" fill="white"/>']
    for ms in (.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000):
        if low <= ms <= high:
            out.append('<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%g</text>' % (
                left, y(ms), right, left - 6, y(ms) + 4, ms))
    for n in lanes:
        out.append('<text x="%.1f" y="%d" text-anchor="middle">%d</text>' % (x(n), bottom + 18, n))
    for percent in (0, 25, 50, 75, 100):
        out.append('<text x="%d" y="%.1f" fill="#666">%d %%</text>' % (right + 6, share(percent) + 4, percent))
    for key, colour, name, place in (("p50", "#0072b2", "p50", y), ("p99", "#b04a00", "p99", y),
                                     ("cpu", "#999999", "share of the processors (right)", share)):
        points = " ".join("%.1f,%.1f" % (x(row["lanes"]), place(row[key])) for row in rows)
        out.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="2"%s/>' % (
            points, colour, ' stroke-dasharray="4 4"' if key == "cpu" else ""))
    for i, (colour, name) in enumerate((("#0072b2", "p50"), ("#b04a00", "p99"), ("#777777", "share of the processors (right)"))):
        out.append('<text x="%d" y="%d" fill="%s">%s</text>' % (left + 12 + 50 * i, top + 12, colour, name))
    out.append('<text x="%d" y="%d" text-anchor="middle">lanes</text>' % ((left + right) // 2, bottom + 40))
    out.append('<text x="16" y="%d" transform="rotate(-90 16 %d)" text-anchor="middle">last tensor to decision, ms</text>' % (
        (top + bottom) // 2, (top + bottom) // 2))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out + ["</svg>", ""]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=os.path.join(ROOT, "build"))
    parser.add_argument("--seconds", type=int, default=20, help="of each row (20)")
    parser.add_argument("--lanes", default="1,2,4,8,16,24,32", help="numbers of lanes, between commas")
    parser.add_argument("--backend", default="auto", help="auto, cpu or cuda (auto)")
    parser.add_argument("--chart", metavar="FILE", help="write an SVG there")
    arguments = parser.parse_args()
    build, rows = os.path.abspath(arguments.build), []
    print("| lanes | pieces | in time | p50, ms | p99 | greatest | of %d cores | load |\n|---|---|---|---|---|---|---|---|" %
          os.cpu_count())
    with tempfile.TemporaryDirectory() as folder:
        make_tensors(build, folder, RATE * arguments.seconds)
        for lanes in map(int, arguments.lanes.split(",")):
            rows.append(run(build, folder, lanes, arguments.seconds, arguments.backend))
            print("| %(lanes)d | %(pieces)d | %(in_time)d | %(p50).1f | %(p99).1f | %(max).1f | %(cpu).0f %% | %(load).1f |" %
                  rows[-1], flush=True)
    if arguments.chart:
        draw(rows, arguments.chart)


if __name__ == "__main__":
    main()
