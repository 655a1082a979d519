#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Decides pieces of fruit as pipelines/fruit-line does, for a network of one's own.

Reads the same files, and writes the same lines of decisions.jsonl for the same tensors: docs/fruit-line.md, Definition.
Files are taken as good; `fruit-line check` says what is wrong with them. In a program:

    line = FruitLine("line1.ini", infer=my_network)     # a picture, rows x columns x 3, to rows x columns x classes
    for decision in line.pictures([picture_of_view_0, ...]):
        print(decision["outlet"])
"""
import argparse
import configparser
import hashlib
import json
import math
import os
import sys

try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstShapes", "1.0")
    from gi.repository import GLib, Gst, GstShapes
    import numpy as np
except (ImportError, ValueError) as error:
    sys.exit(f"fruit_line.py: {error}; run it in `meson devenv -C build`")

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import files                # noqa: E402
import fruit_judge          # noqa: E402
import fruit_pieces         # noqa: E402
import fruit_simulation     # noqa: E402
import llf_settings         # noqa: E402

CONTOUR, HULL = 0, 1
CLOSED, HOLE = 1, 2
MEASURES = {"-mm2": "mm2", "-length-mm": "max_length_mm", "-percent": "percent", "-count": "count"}


def read_ini(path):
    ini = configparser.ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=("#",), strict=True)
    ini.optionxform = str
    with open(path, encoding="utf-8") as file:
        ini.read_file(file)
    return ini


def split(text):
    return [part.strip() for part in text.split(";") if part.strip()]


class Recipe:
    def __init__(self, path):
        ini = read_ini(path)
        own = ini["recipe"]
        with open(path, "rb") as file:
            self.hash = hashlib.sha256(file.read()).hexdigest()
        self.classes = split(own["classes"])
        self.fruit, self.defects = ([self.classes.index(name) for name in split(own[key])] for key in ("fruit", "defects"))
        self.level, self.class_level = own.getfloat("level", .5), own.getfloat("class-level", .3)
        self.min_area, self.min_diameter = own.getfloat("min-area", 1), own.getfloat("min-diameter-mm", 20)
        self.min_looks, self.empty_outlet = own.getint("min-looks", 1), own.getint("empty-outlet", 0)
        self.undecided_outlet, self.min_coverage = own.getint("undecided-outlet"), own.getfloat("min-coverage", .9)
        self.min_roundness = own.getfloat("min-roundness", .7)
        self.is_exclusive, self.is_logits = own.getboolean("exclusive", True), own.getboolean("logits", False)
        self.names = [self.classes[k] for k in self.defects] + ["defect"]
        groups = [(group.split(None, 1), ini[group]) for group in ini.sections() if " " in group]
        self.sizes = {name[1]: (float(g.get("min-mm", 0)), float(g.get("max-mm", 10000)))
                      for name, g in groups if name[0] == "size"}
        self.limits = {name[1]: [self.parse_limit(key, value) for key, value in g.items()]
                       for name, g in groups if name[0] == "limits"}
        self.rules = [(name[1], g) for name, g in groups if name[0] == "rule"]

    def parse_limit(self, key, value):
        """(key, class, figure, greatest value)"""
        for suffix, figure in MEASURES.items():
            if key.endswith(suffix) and key[:-len(suffix)] in self.names:
                return key, key[:-len(suffix)], figure, float(value)
        raise ValueError(f'"{key}" limits nothing')

    def decide(self, measures, status):
        """(outlet, reasons) of a piece with figures."""
        reasons = []
        for name, rule in self.rules:
            failed = []
            if "size" in rule and not any(low <= measures["diameter"] < high for low, high in
                                          (self.sizes[size] for size in split(rule["size"]))):
                failed.append("size")
            if "limits" in rule:
                failed += [f"{rule['limits']}.{key}" for key, of, figure, most in self.limits[rule["limits"]]
                           if not measures["classes"][of][figure] <= most]
            if "status" in rule and status not in split(rule["status"]):
                failed.append("status")
            if not failed:
                return int(rule["outlet"]), [name] + reasons
            reasons += [reason for reason in failed if reason not in reasons]
        raise ValueError("no rule of the recipe holds")


class Geometry:
    """Of a lane: the keys of its own group come before those of all lanes."""

    def __init__(self, ini, lane):
        common, own = (ini[name] if ini.has_section(name) else {} for name in ("geometry", "geometry " + lane))
        keys = {**common, **own}
        if "turn" in own or "travel-mm" in own:
            keys.update((key, own.get(key, other)) for key, other in (("turn", "72"), ("travel-mm", "0")))
        self.columns, self.rows, self.cups = (int(keys[key]) for key in ("columns", "rows", "cups"))
        self.turn, self.travel = float(keys.get("turn", 72)), float(keys.get("travel-mm", 0))
        self.tilts = [float(tilt) for tilt in split(keys["tilt"])]
        self.views = len(self.tilts)
        self.scales, self.firsts, self.pitches = (self.read_views(keys[key]) for key in ("mm-per-pixel", "cup-first", "cup-pitch"))

    def read_views(self, text):
        """A number of each view; one number is that of all."""
        numbers = [float(number) for number in split(text)]
        return numbers * self.views if len(numbers) == 1 else numbers

    def find_cup(self, contour, view):
        """The cup that a contour lies in, or None."""
        x = (contour.box[0] + contour.box[2]) / 2
        distance, cup = min((abs(x - (self.firsts[view] + c * self.pitches[view])), c) for c in range(self.cups))
        return cup if distance <= self.pitches[view] / 2 else None


class Contour:
    def __init__(self, record, points):
        self.id, self.parent, self.class_id = (int(record[name]) for name in ("id", "parent", "class_id"))
        self.is_hole = bool(record["flags"] & HOLE)
        self.area = float(record["area"])
        self.box = [float(record["bbox_" + side]) for side in ("x0", "y0", "x1", "y1")]
        self.points = points.astype(np.float64)
        self.hull = None


class Finder:
    """The shapes of tensors, by cudacontours and cudahull."""

    def __init__(self, geometry, recipe, backend, device):
        def channels(numbers):
            return "+".join(map(str, numbers))
        levels = [recipe.class_level] * len(recipe.defects) + [recipe.level] * 2
        self.n_views = geometry.views
        self.shape = (geometry.views, geometry.rows, geometry.columns, len(recipe.classes))
        self.pipeline = Gst.parse_launch(
            "appsrc name=source format=time caps=other/tensors,format=static,num_tensors=1,types=float32,framerate=0/1,"
            f"dimensions={':'.join(map(str, reversed(self.shape)))} ! cudacontours name=contours layout=hwc "
            f"close-at-border=true hierarchy=true classes={','.join(map(str, recipe.defects))} "
            f"class-groups=\"fruit={channels(recipe.fruit)}, defect={channels(recipe.defects)}\" "
            f"levels={','.join(map(repr, levels))} min-area={recipe.min_area!r} "
            f"cuda-device-id={device} ! cudahull name=hulls source=contours measures=full cuda-device-id={device} "
            "! appsink name=sink sync=false")
        for name in ("contours", "hulls"):
            llf_settings.set_property(self.pipeline.get_by_name(name), f"backend={backend}", "")
        self.pipeline.set_state(Gst.State.PLAYING)

    def close(self):
        self.pipeline.set_state(Gst.State.NULL)

    def find(self, tensors):
        """A list of contours for each view. Raises RuntimeError for a fault."""
        self.pipeline.get_by_name("source").emit("push-buffer", Gst.Buffer.new_wrapped(tensors.tobytes()))
        while not (sample := self.pipeline.get_by_name("sink").emit("try-pull-sample", Gst.SECOND // 10)):
            message = self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR | Gst.MessageType.WARNING)
            if message:
                raise RuntimeError((message.parse_error() if message.type == Gst.MessageType.ERROR else
                                    message.parse_warning())[0].message)
        shapes = GstShapes.buffer_get_shape_set(sample.get_buffer())
        views = [{} for _ in range(self.n_views)]
        for layer in range(shapes.get_n_layers()):
            self.add_layer(shapes, layer, views)
        return [list(view.values()) for view in views]

    def add_layer(self, shapes, layer, views):
        if shapes.polylines(layer) is None:     # there are none
            return
        records, offsets = np.asarray(shapes.polylines(layer)), np.asarray(shapes.offsets(layer))
        points, hulls = np.asarray(shapes.points(layer)), shapes.hull_measures(layer)
        hulls = None if hulls is None else np.asarray(hulls)
        for i, record in enumerate(records):
            view = views[min(max(int(record["image"]), 0), self.n_views - 1)]
            if record["kind"] == CONTOUR and record["flags"] & CLOSED:
                view[int(record["id"])] = Contour(record, points[offsets[i]:offsets[i + 1]])
            elif record["kind"] == HULL and hulls is not None and int(record["parent"]) in view:
                view[int(record["parent"])].hull = hulls[i]


class FruitLine:
    """A lane: tensors or pictures of one trigger after the other in, decisions out.

    @config: path of a file such as pipelines/line/line1.ini
    @infer: a function from a picture (rows x columns x 3, uint8) to probabilities (rows x columns x classes), for
    pictures(); or override infer() in a class of one's own
    @lane: name in the decisions; the configuration's first unless given
    Raises ValueError, KeyError or configparser.Error for files with faults."""

    def __init__(self, config, infer=None, lane=None):
        ini = read_ini(config)
        self.name = ini["line"]["name"]
        self.lane = lane or next(group.split(None, 1)[1] for group in ini.sections() if group.startswith("lane "))
        self.simulated = "true" if ini["lane " + self.lane]["source"] == "simulate" else "false"
        self.rate = ini["line"].getfloat("triggers-per-second", 10)
        self.geometry = Geometry(ini, self.lane)
        self.recipe = Recipe(os.path.join(os.path.dirname(config), ini["line"]["recipe"]))
        self.judge = fruit_judge.Judge(self.recipe, self.geometry)
        self.aggregation = fruit_pieces.Aggregation(self.geometry, self.recipe)
        self.finder = Finder(self.geometry, self.recipe, ini["line"].get("backend", "auto"),
                             ini["line"].getint("cuda-device-id", -1))
        self.software = Gst.Registry.get().find_plugin("cudashapes").get_package().split()[-1]
        self.triggers = 0
        # by trigger, of each view: the contours, or None and why it is lost
        self.seen, self.lost = {}, {}
        if infer:
            self.infer = infer

    def infer(self, picture):
        raise NotImplementedError("FruitLine needs a network: infer=FUNCTION, or a class with infer()")

    def close(self):
        self.finder.close()

    def pictures(self, pictures):
        """The views of the next trigger. Returns: decisions, as tensors()"""
        return self.tensors(np.stack([self.infer(picture) for picture in pictures]))

    def tensors(self, tensors):
        """The tensors of the next trigger: views x rows x columns x classes. Returns: the decisions, JSON objects as dicts, of
        the pieces that have had their last trigger"""
        return [json.loads(line) for line in self.lines(tensors)]

    def lines(self, tensors):
        """As tensors(), the decisions as lines of decisions.jsonl."""
        trigger, cups = self.triggers, self.geometry.cups
        self.seen[trigger], self.lost[trigger] = self.look(tensors)
        self.triggers += 1
        piece = trigger - cups + 1
        if piece < 0:
            return []
        line = self.decide(piece)
        del self.seen[piece], self.lost[piece]
        return [line]

    def look(self, tensors):
        """(contours, losses) of the views of a trigger. Raises ValueError for tensors of another shape."""
        if np.shape(tensors) != self.finder.shape:
            raise ValueError(f"tensors of shape {np.shape(tensors)}, not {self.finder.shape}: views, rows, columns, classes")
        tensors, losses = self.judge.judge(tensors)
        seen = [None] * len(losses) if all(losses) else self.finder.find(tensors)
        return [None if loss else contours for contours, loss in zip(seen, losses)], losses

    def get_time(self, trigger):
        return int(trigger * 1e9 / self.rate)

    def decide(self, piece):
        looks = [(cup, view, self.seen[piece + cup][view]) for cup in range(self.geometry.cups)
                 for view in range(self.geometry.views)]
        measures = self.aggregation.measure(looks)
        doubts, is_empty = self.find_doubts(looks, measures), "diameter" not in measures
        n_there, n_shown = sum(look[2] is not None for look in looks), sum(measures["shown"])
        status = "undecided" if (n_there if is_empty else n_shown) < max(self.recipe.min_looks, 1) else \
            "partial" if doubts else "ok"
        # not known to be empty: a look was lost, or shows a fruit
        if status == "undecided" or (is_empty and doubts):
            outlet, reasons = self.recipe.undecided_outlet, ["undecided"]
        elif is_empty:
            outlet, reasons = self.recipe.empty_outlet, ["empty"]
        else:
            outlet, reasons = self.recipe.decide(measures, status)
        return self.write(piece, looks, measures, outlet, reasons, status, doubts)

    def get_unnamed(self, measures):
        """Of all blemishes, in square millimetres, what is of none of the classes."""
        named = 0.
        for name in self.recipe.names[:-1]:
            named += measures["classes"][name]["mm2"]
        return measures["classes"]["defect"]["mm2"] - named

    def find_doubts(self, looks, measures):
        """Why a piece is not ok."""
        shown, there = measures["shown"], [contours is not None for _, _, contours in looks]
        is_empty = "diameter" not in measures
        doubts = {
            "lost": not all(there),
            "no-fruit": sum(shown) < sum(there) and (any(shown) or not is_empty),
            "shape": not is_empty and (measures["is_cut"] or measures["roundness"] < self.recipe.min_roundness),
            "coverage": not is_empty and measures["coverage"] < self.recipe.min_coverage * measures["most_coverage"],
            "inconsistent": not is_empty and measures["is_inconsistent"],
            "no-class": not is_empty and self.get_unnamed(measures) >= self.aggregation.get_large(),
        }
        return [name for name, is_true in doubts.items() if is_true]

    def write_view(self, piece, cup, view, contours, is_shown):
        there = contours is not None
        return '{"view":%d,"frame_id":%d,"t_ns":%s,"ok":%s,"fruit":%s%s}' % (
            view, piece + cup, self.get_time(piece + cup) if there else "null", write_bool(there), write_bool(is_shown),
            "" if there else ',"lost":"%s"' % self.lost[piece + cup][view])

    def write(self, piece, looks, measures, outlet, reasons, status, doubts):
        """A line with the members in order, and numbers of fixed decimals."""
        quote, last = lambda text: json.dumps(text, ensure_ascii=False), piece + self.geometry.cups - 1
        views = ",".join(self.write_view(piece, *look, is_shown) for look, is_shown in zip(looks, measures["shown"]))
        if status == "undecided" or "diameter" not in measures:
            nothing = dict.fromkeys(("percent", "mm2", "max_length_mm", "count", "confidence"), 0)
            measures = dict.fromkeys(("coverage", "most_coverage", "turn", "diameter", "surface"), 0)
            measures.update(is_measured=False, is_inconsistent=False, classes=dict.fromkeys(self.recipe.names, nothing))
        classes = ",".join('%s:{"percent":%.2f,"mm2":%.2f,"max_length_mm":%.2f,"count":%d,"confidence":%.4f}' % (
            quote(name), f["percent"], f["mm2"], f["max_length_mm"], f["count"], f["confidence"])
            for name, f in measures["classes"].items())
        return ('{"schema":"fruit-line/2","line":%s,"run":null,"lane":%s,"piece":%d,"trigger":%d,"encoder":null,'
                '"plc":null,"t_trigger_ns":%d,"recipe":"%s","software":%s,"views":[%s],"coverage":%.3f,"most_coverage":%.3f,"turn":%.2f,'
                '"turn_measured":%s,"inconsistent":%s,"diameter_mm":%.2f,"area_mm2":%.2f,"classes":{%s},"outlet":%d,'
                '"reasons":[%s],"status":"%s","doubts":[%s],'
                '"latency_us":{"last_view_to_tensor":0,"to_shapes":0,"to_decision":0},"simulated":%s}' % (
                    quote(self.name), quote(self.lane), piece, last, self.get_time(last), self.recipe.hash,
                    quote(self.software), views, measures["coverage"], measures["most_coverage"], measures["turn"] + 0.,
                    write_bool(measures["is_measured"]), write_bool(measures["is_inconsistent"]), measures["diameter"],
                    measures["surface"], classes, outlet, ",".join(map(quote, reasons)), status,
                    ",".join(map(quote, doubts)), self.simulated))


def write_bool(value):
    return "true" if value else "false"


def decide_file(line, path):
    shape = line.finder.shape
    with open(path, "rb") as file:
        while data := file.read(4 * math.prod(shape)):
            for text in line.lines(np.frombuffer(data, np.float32).reshape(shape)):
                print(text, flush=True)


def main():
    parser = files.Parser(prog="fruit_line.py", description=__doc__,
                          formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", nargs="?", help="such as pipelines/line/line1.ini")
    parser.add_argument("tensors", nargs="?",
                        help="a file of tensors, float32: views x rows x columns x classes of each trigger")
    parser.add_argument("--simulate", metavar="FOLDER", help="a simulated line, and how often it was right: decisions.jsonl "
                        "and report.txt in FOLDER, which must be a new one")
    parser.add_argument("--triggers", type=int, default=600, help="of --simulate (600)")
    parser.add_argument("--seed", type=int, default=1, help="of the fruits of --simulate (1)")
    options = parser.parse_args()
    if not (options.tensors or options.simulate) or (options.config and options.simulate):
        parser.error("CONFIG and TENSORS, or --simulate FOLDER")
    Gst.init(None)
    try:
        line = FruitLine(options.config or fruit_simulation.CONFIG)
        if options.simulate:
            print(fruit_simulation.run(line, options.triggers, options.seed, options.simulate), end="")
        else:
            decide_file(line, options.tensors)
        line.close()
    except (OSError, RuntimeError, ValueError, KeyError, configparser.Error, GLib.Error) as fault:
        sys.exit(f"fruit_line.py: {fault}; `fruit-line check` says what is wrong with a configuration or recipe")


if __name__ == "__main__":
    main()
