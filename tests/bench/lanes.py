#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""lanes.py [BUILD]: how many lanes of the fruit line a machine carries: the table and the chart of docs/scaling.md.

Each lane gets ten triggers a second, four views each, tensors given: a file of simulated ones in the page cache, again and
again. With --cherry thirty, six smaller views each (cherries.ini); numpy cuts them out of the others. Prints a row for each
number of lanes: pieces in time, from the last tensor to the decision, and processors' time."""
import argparse
import json
import math
import os
import re
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILES = os.path.join(ROOT, "pipelines", "line")
BENCH = os.path.dirname(os.path.abspath(__file__))
MADE, SEEDS = 40, 4     # triggers of a file, and files, that the lanes take in turn
CORES = len(os.sched_getaffinity(0))
VIEWS, ROWS, COLUMNS, CLASSES, CUPS = 4, 95, 511, 12, 5     # of line-scene
# of --cherry: rows and columns of a cup, the view that each view is cut out of, the classes that make one
CUP, CUT_VIEWS, CUT_CLASSES = 76, (0, 0, 1, 2, 3, 3), ((0, 4), (1, 3, 8), (2,), (5,), (6,), (9,), (7,), (10, 11))


def cut(trigger):
    """A trigger of cherries from one of apricots, which have as many pixels."""
    import numpy as np
    views = np.frombuffer(trigger, np.float32).reshape(VIEWS, ROWS, COLUMNS, CLASSES)
    top, lefts = (ROWS - CUP) // 2, [51 + 102 * i - CUP // 2 for i in range(CUPS)]
    views = np.concatenate([views[:, top:top + CUP, left:left + CUP] for left in lefts], axis=2)
    views = np.stack([views[..., list(group)].sum(axis=-1) for group in CUT_CLASSES], axis=-1)
    return np.ascontiguousarray(views[list(CUT_VIEWS)], np.float32).tobytes()


def make_tensors(build, folder, seed, cherry):
    """A file of simulated triggers."""
    path = os.path.join(folder, "tensors-%d.f32" % seed)
    command = [os.path.join(build, "pipelines", "line", "line-scene"), "--tensors", folder, str(MADE), str(seed)]
    with open(path, "wb") as out, subprocess.Popen(command, stdout=subprocess.PIPE) as scene:
        for _ in range(MADE):
            trigger = scene.stdout.read(VIEWS * ROWS * COLUMNS * CLASSES * 4)
            out.write(cut(trigger) if cherry else trigger)
    assert scene.returncode == 0
    return os.path.basename(path)


def write_config(folder, files, lanes, backend, cherry):
    with open(os.path.join(BENCH, "cherries.ini") if cherry else os.path.join(FILES, "line1.ini"), encoding="utf-8") as file:
        text = file.read().split("[lane ")[0]
    recipe = os.path.join(BENCH, "cherry.ini") if cherry else os.path.join(FILES, "apricot.ini")
    text = re.sub("(?m)^recipe=.*", "recipe=%s\npictures=0\nbackend=%s" % (recipe, backend), text)
    for i in range(lanes):
        text += "[lane lane%d]\nsource=replay\nlocation=%s\nrepeat=true\n" % (i + 1, files[i % len(files)])
    path = os.path.join(folder, "line.ini")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def read_latencies(path):
    """Milliseconds from the last tensor to the decision, in order, of pieces all of whose looks came: of others it is counted
    from a look of before, and they are not in time."""
    with open(path, encoding="utf-8") as file:
        found = [re.search(r'"to_shapes":(\d+),"to_decision":(\d+)', line) for line in file if '"lost":' not in line]
    return sorted((int(match[1]) + int(match[2])) / 1000 for match in found if match)


def run(build, folder, config, lanes, seconds):
    output = os.path.join(tempfile.mkdtemp(dir=folder), "out")
    environment = dict(os.environ, GST_PLUGIN_PATH=os.path.join(build, "gst"), GST_REGISTRY=os.path.join(folder, "registry"))
    done = subprocess.run([os.path.join(build, "pipelines", "line", "fruit-line"), "run", config, "--seconds", str(seconds),
                           "--output", output], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with open(os.path.join(output, "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    total, latencies = report["total"], read_latencies(os.path.join(output, "decisions.jsonl"))
    # where the file begins again, cups have other fruit than before, and pieces are in doubt: only time counts here
    late = total["statuses"]["late"] + total["statuses"]["undecided"] + total["seen"]["doubts"]["lost"]
    row = {"lanes": lanes, "pieces": total["pieces"], "in_time": total["pieces"] - min(late, total["pieces"]),
           "max": latencies[-1], "cpu": 100 * report["health"]["cpu_s"] / report["seconds"] / CORES,
           "ready": re.search(r"ready after ([\d.]+) s", done.stderr)[1], "load": os.getloadavg()[0]}
    for name, share in (("p50", .5), ("p99", .99), ("p999", .999)):
        row[name] = latencies[min(math.ceil(share * len(latencies)), len(latencies)) - 1]
    return row


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
    parser.add_argument("--cherry", action="store_true", help="lanes of a cherry machine")
    parser.add_argument("--chart", metavar="FILE", help="write an SVG there")
    arguments = parser.parse_args()
    build, rows = os.path.abspath(arguments.build), []
    print("| lanes | ready, s | pieces | in time | p50, ms | p99 | p99.9 | greatest | of %d cores | load |" % CORES)
    print("|---|" + 9 * "---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        files = [make_tensors(build, folder, seed + 1, arguments.cherry) for seed in range(SEEDS)]
        for lanes in map(int, arguments.lanes.split(",")):
            config = write_config(folder, files, lanes, arguments.backend, arguments.cherry)
            rows.append(run(build, folder, config, lanes, arguments.seconds))
            print("| %(lanes)d | %(ready)s | %(pieces)d | %(in_time)d | %(p50).1f | %(p99).1f | %(p999).1f | %(max).1f |"
                  " %(cpu).0f %% | %(load).1f |" % rows[-1], flush=True)
    if arguments.chart:
        draw(rows, arguments.chart)


if __name__ == "__main__":
    main()
