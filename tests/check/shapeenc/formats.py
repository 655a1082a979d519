# SPDX-License-Identifier: LGPL-2.1-or-later
"""formats.py [partners]: what the encoders write is read by other people's programs, and says the same as the picture.

Without an argument by Python's own modules; with it by jsonschema, pycocotools, shapely, geojson, pandas, vpype and rsvg-convert, of
which those that are not there are named (exit status 77 if none is)."""

import csv
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

W, H, FRAMES = 160, 120, 3
SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../docs/shapes.schema.json")
missing = []
messages = []  # what each pipeline said


def picture(seed):
    """Discs with holes and islands in them, as rows of 0 and 255; no two touch."""
    rand = random.Random(seed)
    rows = [bytearray(W) for _ in range(H)]
    for column in range(4):
        for row in range(3):
            x, y = 20 + 40 * column + rand.uniform(-3, 3), 20 + 40 * row + rand.uniform(-3, 3)
            radius = rand.uniform(6, 16)
            for j in range(H):
                for i in range(W):
                    away = math.hypot(i - x, j - y) / radius
                    if away < .25 or .6 < away < 1 or (away < 1 and (column + row) % 2):
                        rows[j][i] = 255
    return rows


PICTURES = [picture(seed) for seed in range(FRAMES)]


def launch(*line):
    done = subprocess.run(["gst-launch-1.0", *" ".join(line).split()], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    messages.append(done.stdout)
    if done.returncode:
        sys.exit(done.stdout)


def encode(element, extra=""):
    """What the element writes of the pictures."""
    name = "out." + element.split()[0]
    with open("frames.gray", "wb") as file:
        for rows in PICTURES:
            file.writelines(rows)
    launch("filesrc location=frames.gray blocksize=%d" % (W * H),
           "! video/x-raw,format=GRAY8,width=%d,height=%d,framerate=25/1" % (W, H),
           "! cudacontours backend=cpu hierarchy=true measures=full", extra, "!", element, "! filesink location=" + name)
    with open(name, encoding="utf-8") as file:
        return file.read()


def bright(rows):
    return sum(value > 127 for row in rows for value in row)


def twice_area(ring):
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:]))


def lines():
    return [json.loads(line) for line in encode("shapejsonenc").splitlines()]


def check(condition, what):
    if not condition:
        sys.exit("%s does not hold" % what)


# Python's own modules


def geojson_is_the_picture():
    collections = [json.loads(line) for line in encode("shapegeojsonenc source-id=a\"b").splitlines()]
    check(len(collections) == FRAMES, "a collection for each frame")
    for number, (collection, rows) in enumerate(zip(collections, PICTURES)):
        check(collection["type"] == "FeatureCollection" and collection["frame"] == number, "the head")
        check(collection["source"] == 'a"b' and collection["width"] == W, "the frame's keys")
        area = 0
        for feature in collection["features"]:
            check(feature["type"] == "Feature" and feature["id"] == feature["properties"]["id"], "a feature")
            check(feature["geometry"]["type"] == "Polygon", "closed contours are polygons")
            outside, *holes = feature["geometry"]["coordinates"]
            check(twice_area(outside) > 0 and all(twice_area(hole) < 0 for hole in holes), "the rings' orientation")
            check(all(len(ring) >= 4 and ring[0] == ring[-1] for ring in [outside, *holes]), "rings are closed")
            check(abs(abs(feature["properties"]["area"]) - twice_area(outside) / 2) < .01, "the outline's area")
            area += sum(map(twice_area, [outside, *holes])) / 2
        # corners are cut by a half-square of 1/8 pixel, and there are some for each pixel of outline
        check(abs(area - bright(rows)) < .02 * bright(rows), "polygons less holes are the bright area")
        check(any(len(f["geometry"]["coordinates"]) > 1 for f in collection["features"]), "some have holes")


def coco_is_the_picture():
    document = json.loads(encode("shapecocoenc file-name=a-%03d.png"))
    check([image["id"] for image in document["images"]] == [1, 2, 3], "images")
    check([image["file_name"] for image in document["images"]] == ["a-000.png", "a-001.png", "a-002.png"], "names")
    check(document["categories"] == [{"id": 1, "name": "class 0"}], "categories")
    check([a["id"] for a in document["annotations"]] == list(range(1, len(document["annotations"]) + 1)), "ids")
    for image, rows in zip(document["images"], PICTURES):
        mine = [a for a in document["annotations"] if a["image_id"] == image["id"]]
        check((image["width"], image["height"]) == (W, H), "the image's size")
        check(abs(sum(a["area"] for a in mine) - bright(rows)) < .02 * bright(rows), "areas less holes")
        for annotation in mine:
            numbers = annotation["segmentation"][0]
            ring = list(zip(numbers[::2], numbers[1::2]))
            ring.append(ring[0])
            check(abs(abs(twice_area(ring)) / 2 - annotation["area"]) < .01, "the polygon's area is that without holes")
            x, y, width, height = annotation["bbox"]
            check(abs(min(p[0] for p in ring) - x) < 1e-4 and abs(max(p[0] for p in ring) - x - width) < 1e-4
                  and abs(min(p[1] for p in ring) - y) < 1e-4 and abs(max(p[1] for p in ring) - y - height) < 1e-4,
                  "the box")


def coco_numbers_what_is_there():
    """What has no area is no annotation, and takes no number."""
    shapes = [{"id": k, "kind": "contour", "closed": True, "points": points}
              for k, points in enumerate(([[1, 1], [1, 1]], [[2, 1], [6, 1], [6, 5], [2, 1]], [[3, 3], [9, 3], [3, 3]],
                                          [[12, 1], [16, 1], [16, 5], [12, 1]]))]
    with open("some.jsonl", "w", encoding="utf-8") as file:
        for frame in range(2):
            file.write(json.dumps({"pts": frame, "width": 64, "height": 48, "shapes": shapes}) + "\n")
    for how in "polygons", "rle":
        launch("filesrc location=some.jsonl ! shapejsondec ! shapecocoenc segmentation=%s ! filesink location=some.json" % how)
        with open("some.json", encoding="utf-8") as file:
            found = json.load(file)["annotations"]
        check([(one["id"], one["image_id"]) for one in found] == [(1, 1), (2, 1), (3, 2), (4, 2)], "numbers of %s" % how)


def coco_of_nothing_is_a_document():
    launch("videotestsrc num-buffers=2 pattern=black ! cudacontours backend=cpu ! shapecocoenc",
           "! filesink location=nothing.json")
    with open("nothing.json", encoding="utf-8") as file:
        document = json.load(file)
    check(len(document["images"]) == 2 and not document["annotations"] and not document["categories"], "an empty one")
    launch("videotestsrc num-buffers=0 ! shapecocoenc ! filesink location=none.json")
    with open("none.json", encoding="utf-8") as file:
        check(json.load(file) == {"annotations": [], "images": [], "categories": []}, "no frames")


def table():
    encode("shapecsvenc", "! cudahull backend=cpu source=contours measures=full")
    with open("out.shapecsvenc", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


COLUMNS = {"area": "area", "perimeter": "perimeter", "level": "level", "id": "id"}


def csv_says_what_json_says():
    rows = table()
    encode("shapejsonenc", "! cudahull backend=cpu source=contours measures=full")
    with open("out.shapejsonenc", encoding="utf-8") as file:
        shapes = [(line["frame"], shape) for line in map(json.loads, file) for shape in line["shapes"]]
    check(len(rows) == len(shapes) and len(rows) > 40, "a row for each shape")
    check(all(None not in row and None not in row.values() for row in rows), "all rows are as wide")
    for row, (frame, shape) in zip(rows, shapes):
        check(int(row["frame"]) == frame and row["kind"] == shape["kind"], "frame and kind")
        check(all(float(row[column]) == shape[key] for column, key in COLUMNS.items()), "numbers")
        check([float(row["bbox_" + side]) for side in ("x0", "y0", "x1", "y1")] == shape["bbox"], "the box")
        check((row["hole"] == "1") == shape["hole"] and (row["closed"] == "1") == shape["closed"], "flags")
        check((row["parent"] or None) == (None if shape["parent"] is None else str(shape["parent"])), "the parent")
        if shape["kind"] == "hull":
            check([float(row["feret_min"]), float(row["feret_max"])] == shape["feret"], "Feret diameters")
            check(float(row["circle_r"]) == shape["enclosing-circle"]["r"], "the circle")
            check(float(row["rect_angle"]) == shape["min-area-rect"]["angle"], "the rectangle")
            check(row["eccentricity"] == "", "what was not measured is empty")
        else:
            check(row["solidity"] == "" and row["feret_min"] == "", "what was not measured is empty")
            check(abs(float(row["equivalent_diameter"]) - math.sqrt(4 * abs(shape["area"]) / math.pi)) < 1e-6, "diameter")


def write_circles():
    circles = [{"kind": "circle", "x": 10 + k, "y": 20, "r": 3.5 + k, "z": [2, 5, 0, 5, 1][k], "color": "#ff8000%02x" % (51 * k)}
               for k in range(5)]
    with open("circles.jsonl", "w", encoding="utf-8") as file:
        json.dump({"pts": 0, "width": 64, "height": 48, "shapes": circles}, file)
    return circles


def circles_have_rows_and_elements():
    circles = write_circles()
    launch("filesrc location=circles.jsonl ! shapejsondec ! tee name=t",
           "t. ! queue ! shapecsvenc ! filesink location=circles.csv",
           "t. ! queue ! shapesvgenc ! filesink location=circles.svg",
           "t. ! queue ! shapegeojsonenc ! filesink location=circles.geojson")
    with open("circles.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    check(all(None not in row and None not in row.values() for row in rows), "all rows are as wide")
    check([(row["kind"], float(row["circle_x"]), float(row["circle_r"]), float(row["z"]), row["color"]) for row in rows]
          == [(c["kind"], c["x"], c["r"], c["z"], c["color"]) for c in circles], "rows of circles")
    drawn = list(ElementTree.parse("circles.svg").getroot().iter("{http://www.w3.org/2000/svg}circle"))
    check([float(circle.get("r")) for circle in drawn] == [4.5, 6.5, 3.5, 7.5, 5.5], "the farthest first")
    check([float(circle.get("fill-opacity")) for circle in drawn] == [.2, .6, 0, .8, .4]
          and drawn[0].get("fill") == "#ff8000", "colours")
    with open("circles.geojson", encoding="utf-8") as file:
        features = json.load(file)["features"]
    check([f["properties"]["radius"] for f in features] == [c["r"] for c in circles], "points with radii")
    check(features[3]["geometry"] == {"type": "Point", "coordinates": [13, 20]}, "points")


def write_annotated():
    """Two squares, of which one is annotated."""
    squares = [{"id": k, "kind": "contour", "closed": True, "points": [[x, 1], [x + 4, 1], [x + 4, 5], [x, 5], [x, 1]]}
               for k, x in enumerate((2, 12))]
    squares[0].update({"confidence": .75, "track-id": 2 ** 33, "region-id": 4})
    with open("annotated.jsonl", "w", encoding="utf-8") as file:
        json.dump({"pts": 0, "width": 64, "height": 48, "shapes": squares}, file)
    for element, name in (("shapejsonenc", "jsonl"), ("shapecsvenc", "csv"), ("shapesvgenc", "svg"), ("shapegeojsonenc", "geojson"),
                          ("shapecocoenc", "coco")):
        launch("filesrc location=annotated.jsonl ! shapejsondec !", element, "! filesink location=out." + name)


def annotations_are_written_where_there_is_a_place():
    write_annotated()
    known = {"confidence": .75, "track-id": 2 ** 33, "region-id": 4}

    def among(keys, container):
        return {key: container[key] for key in keys if key in container}

    with open("out.jsonl", encoding="utf-8") as file:
        check([among(known, shape) for shape in json.load(file)["shapes"]] == [known, {}], "JSON")
    with open("out.geojson", encoding="utf-8") as file:
        check([among(known, feature["properties"]) for feature in json.load(file)["features"]] == [known, {}], "GeoJSON")
    with open("out.csv", newline="", encoding="utf-8") as file:
        check([(row["confidence"], row["track_id"], row["region_id"]) for row in csv.DictReader(file)]
              == [("0.75", str(2 ** 33), "4"), ("", "", "")], "CSV")
    with open("out.coco", encoding="utf-8") as file:
        first, second = json.load(file)["annotations"]
    check(first["score"] == .75 and "score" not in second, "a score in COCO")
    check(among(("track_id", "region_id"), first["attributes"]) == {"track_id": 2 ** 33, "region_id": 4}, "attributes in COCO")
    check(not among(("track_id", "region_id"), second["attributes"]), "no attributes in COCO")
    paths = list(ElementTree.parse("out.svg").getroot().iter("{http://www.w3.org/2000/svg}path"))
    check([{key[5:]: json.loads(path.get(key)) for key in path.keys() if key[5:] in known} for path in paths]
          == [known, {}], "SVG")


def svg_is_the_picture():
    documents = encode("shapesvgenc").split("</svg>")
    check(len(documents) == FRAMES + 1, "a document for each frame")
    for document, line in zip(documents, lines()):
        root = ElementTree.fromstring(document + "</svg>")
        check(root.get("viewBox") == "-0.5 -0.5 %d %d" % (W, H), "the view")
        paths = list(root.iter("{http://www.w3.org/2000/svg}path"))
        outer = [shape for shape in line["shapes"] if not (shape["hole"] and shape["parent"] is not None)]
        check([path.get("id") for path in paths] == ["shape-%d" % shape["id"] for shape in outer], "a path for each outline")
        by_id = {shape["id"]: shape for shape in line["shapes"]}
        for path in paths:
            parts = path.get("d").rstrip("Z").split("Z")
            shape = by_id[int(path.get("id")[6:])]
            holes = [s for s in line["shapes"] if s["hole"] and s["parent"] == shape["id"]]
            check(len(parts) == 1 + len(holes), "holes are in the path")
            points = [[float(v) for v in pair.split(",")] for pair in parts[0].lstrip("M").split()]
            check(points == shape["points"][:-1], "the points")


def limits_leave_out_frames():
    check(encode("shapesvgenc max-size=100") == "", "nothing of what is too long")
    check("Frame 0 is left out: the text of the shapes is longer than 100 bytes. Raise max-size" in messages[-1], "the reason")
    check(len(json.loads(encode("shapecocoenc max-shapes=2"))["annotations"]) == 2 * FRAMES, "the first shapes")
    simple = [json.loads(line) for line in encode("shapegeojsonenc points=simplified simplify=1").splitlines()]
    full = [json.loads(line) for line in encode("shapegeojsonenc").splitlines()]
    count = [sum(len(ring) for line in x for f in line["features"] for ring in f["geometry"]["coordinates"])
             for x in (simple, full)]
    check(count[0] < count[1] / 2, "fewer points")
    none = json.loads(encode("shapegeojsonenc points=none").splitlines()[0])
    check(all(feature["geometry"] is None for feature in none["features"]), "no points, no geometry")


def texts_in_cells(names, settings=""):
    """What a table has of names, each of a class and of the source."""
    cells = []
    for name in names:
        square = {"kind": "contour", "closed": True, "points": [[1, 1], [5, 1], [5, 5]], "class": 1, "class-name": name}
        with open("named.jsonl", "w", encoding="utf-8") as file:
            json.dump({"pts": 0, "width": 64, "height": 48, "shapes": [square]}, file)
        launch("filesrc location=named.jsonl ! shapejsondec ! shapecsvenc", settings, "source-id=" + name,
               "! filesink location=named.csv")
        with open("named.csv", newline="", encoding="utf-8") as file:
            row = next(csv.DictReader(file))
        check(row["source"] == row["class_name"], f"the same cell twice: {row}")
        check(float(row["centroid_x"]) > 3, "numbers are numbers")
        cells.append(row["class_name"])
    return cells


def spreadsheets_compute_no_name():
    harmless = ["apple", "a=1", "1-2", "\u00e4", "#1"]
    formulas = ["=1+1", "+1", "-2", "@SUM(A1)", "\uff1d1", "=cmd|A0"]
    check(texts_in_cells(harmless) == harmless, "harmless names stay")
    check(texts_in_cells(formulas) == ["'" + name for name in formulas], "formulas are text")
    check(texts_in_cells(["a;=1", "\u200b=1", "\u2060+1", "a;-1;@b"]) == ["a;'=1", "\u200b'=1", "\u2060'+1", "a;'-1;'@b"],
          "formulas where others split cells")
    check(texts_in_cells(formulas, "formulas=true") == formulas, "formulas stay where they are wanted")


OWN = [geojson_is_the_picture, coco_is_the_picture, coco_numbers_what_is_there, coco_of_nothing_is_a_document, csv_says_what_json_says,
       circles_have_rows_and_elements, spreadsheets_compute_no_name, annotations_are_written_where_there_is_a_place,
       svg_is_the_picture, limits_leave_out_frames]

# Partners


def partner(name):
    try:
        return __import__(name)
    except ImportError:
        missing.append(name)
        return None


def pycocotools_sees_the_picture():
    if not partner("pycocotools"):
        return
    import contextlib
    import io
    from pycocotools.coco import COCO
    encode("shapecocoenc")
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO("out.shapecocoenc")
    for number, rows in enumerate(PICTURES):
        union = 0
        for annotation in coco.loadAnns(coco.getAnnIds(imgIds=[number + 1])):
            mask = coco.annToMask(annotation)
            check(mask.shape == (H, W), "the mask's size")
            union = union + mask
        wrong = sum((rows[j][i] > 127) != bool(union[j][i]) for j in range(H) for i in range(W))
        check(union.max() == 1 and wrong <= .02 * bright(rows), "masks are the bright pixels (%d are wrong)" % wrong)


def shapely_takes_the_polygons():
    if not partner("shapely"):
        return
    from shapely.geometry import shape
    for line, rows in zip(encode("shapegeojsonenc").splitlines(), PICTURES):
        polygons = [shape(feature["geometry"]) for feature in json.loads(line)["features"]]
        check(all(polygon.is_valid for polygon in polygons), "polygons are valid")
        check(abs(sum(polygon.area for polygon in polygons) - bright(rows)) < .02 * bright(rows), "areas")


def geojson_validates():
    geojson = partner("geojson")
    if geojson:
        for line in encode("shapegeojsonenc").splitlines():
            check(geojson.loads(line).is_valid, "GeoJSON")


def pandas_reads_the_table():
    """In a process without the other partners, whose NumPy may not be pandas'."""
    rows = table()
    result = subprocess.run([sys.executable, "-c", "import pandas\nframe = pandas.read_csv('out.shapecsvenc')\n"
                             "print(len(frame), frame['area'].dtype.kind, frame['id'].dtype.kind)"],
                            env={**os.environ, "PYTHONPATH": ""}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            check=False)
    if "No module named 'pandas'" in result.stderr:
        missing.append("pandas")
    else:
        check(result.stdout.split() == [str(len(rows)), "f", "i"], "the table")


def changed(line, *path):
    """The line, whose value at the path, its last element, is another one."""
    line = json.loads(json.dumps(line))
    *way, key, value = path
    at = line
    for step in way:
        at = at[step]
    if value is None:
        del at[key]
    else:
        at[key] = value
    return line


def jsonschema_knows_the_lines():
    jsonschema = partner("jsonschema")
    if not jsonschema:
        return
    with open(SCHEMA, encoding="utf-8") as file:
        schema = jsonschema.Draft202012Validator(json.load(file))
    schema.check_schema(schema.schema)
    encode("shapejsonenc source-id=x", "! cudahull backend=cpu source=contours measures=full")
    with open("out.shapejsonenc", encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    write_circles()
    launch("filesrc location=circles.jsonl ! shapejsondec ! shapejsonenc ! filesink location=again.jsonl")
    with open("again.jsonl", encoding="utf-8") as file:
        found += [json.loads(line) for line in file]
    write_annotated()
    with open("out.jsonl", encoding="utf-8") as file:
        annotated = json.load(file)
    for line in [*found, annotated]:
        schema.validate(line)
    for wrong in (("confidence", "1"), ("confidence", -1), ("track-id", -1), ("region-id", .5)):
        check(not schema.is_valid(changed(annotated, "shapes", 0, *wrong)), "%s is refused" % (wrong,))
    line, hull = found[0], len(found[0]["shapes"]) - 1
    check(line["shapes"][0]["kind"] == "contour" and line["shapes"][hull]["kind"] == "hull", "both kinds")
    for wrong in (("version", 2), ("frame", -1), ("pts", "0"), ("shapes", None), ("shapes", 0, "id", None),
                  ("shapes", 0, "kind", "square"), ("shapes", 0, "bbox", [1, 2, 3]), ("shapes", 0, "points", 0, [1]),
                  ("shapes", 0, "solidity", 1), ("shapes", hull, "solidity", None), ("shapes", hull, "feret", None)):
        check(not schema.is_valid(changed(line, *wrong)), "%s is refused" % (wrong,))


def vpype_plots_the_drawing():
    if not partner("vpype"):
        return
    with open("one.svg", "w", encoding="utf-8") as file:
        file.write(encode("shapesvgenc").split("</svg>")[0] + "</svg>")
    subprocess.run([sys.executable, "-m", "vpype_cli", "read", "one.svg", "linemerge", "write", "--device", "hp7475a",
                    "--page-size", "a4", "one.hpgl"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open("one.hpgl", encoding="ascii") as file:
        check(file.read().count("PD") >= 12, "pen down for each outline")


DRAWING = """
import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
pipeline = Gst.parse_launch(
    "filesrc location=frames.gray blocksize=%d num-buffers=1 ! video/x-raw,format=GRAY8,width=%d,height=%d,framerate=0/1 "
    "! fourierdraw name=draw backend=cpu detect=iso attach-shapes=true ! video/x-raw,framerate=0/1 "
    "! shapesvgenc ! filesink location=drawing.svg")
pipeline.set_state(Gst.State.PLAYING)
pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
print(repr(pipeline.get_by_name("draw").get_property("pen-up-travel")))
pipeline.set_state(Gst.State.NULL)
""" % (W * H, W, H)


def vpype_lifts_the_pen_as_fourierdraw_does():
    if not partner("vpype"):
        return
    encode("shapejsonenc")
    travel = float(subprocess.run([sys.executable, "-c", DRAWING], check=True, stdout=subprocess.PIPE, text=True).stdout)
    statistics = subprocess.run([sys.executable, "-m", "vpype_cli", "read", "--no-crop", "drawing.svg", "stat"], check=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    totals = dict(line.strip().split(": ") for line in statistics.split("Totals")[1].splitlines() if ": " in line)
    drawn = len(list(ElementTree.parse("drawing.svg").getroot().iter("{http://www.w3.org/2000/svg}path")))
    check(int(totals["Path count"]) == drawn and drawn > 10, "a path for each stroke")
    check(travel > 100 and abs(float(totals["Pen-up length"]) - travel) < 1e-5 * travel, "the pen's travel, %s and %g"
          % (totals["Pen-up length"], travel))


def rsvg_draws_the_picture():
    if not shutil.which("rsvg-convert"):
        missing.append("rsvg-convert")
        return
    document = encode("shapesvgenc").split("</svg>")[0] + "</svg>"
    with open("filled.svg", "w", encoding="utf-8") as file:
        file.write(document.replace('fill="none"', 'fill="white"').replace('stroke-width="1"', 'stroke-width="0"'))
    subprocess.run(["rsvg-convert", "-b", "black", "-o", "filled.png", "filled.svg"], check=True)
    launch("filesrc location=filled.png ! pngdec ! videoconvert ! video/x-raw,format=GRAY8 ! filesink location=filled.gray")
    with open("filled.gray", "rb") as file:
        drawn = file.read()
    wrong = sum((PICTURES[0][j][i] > 127) != (drawn[j * W + i] > 127) for j in range(H) for i in range(W))
    check(wrong <= .02 * bright(PICTURES[0]), "the drawing is the picture (%d pixels are wrong)" % wrong)


PARTNERS = [jsonschema_knows_the_lines, pycocotools_sees_the_picture, shapely_takes_the_polygons, geojson_validates, pandas_reads_the_table,
            vpype_plots_the_drawing, vpype_lifts_the_pen_as_fourierdraw_does, rsvg_draws_the_picture]


def main():
    tests = PARTNERS if sys.argv[1:] == ["partners"] else OWN
    sys.path[:0] = filter(None, [os.environ.get("CUDASHAPES_PARTNERS")])
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:1] + [os.environ.get("PYTHONPATH", "")])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for test in tests:
            test()
            print("%s: ok" % test.__name__)
    if missing:
        print("not there: " + ", ".join(missing))
    return 77 if len(missing) == len(PARTNERS) else 0


sys.exit(main())
