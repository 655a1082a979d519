# SPDX-License-Identifier: LGPL-2.1-or-later
"""The dashboard for Grafana against what a running line tells: dashboard.py FRUIT_LINE FILES

Its layout is one that Grafana can show, and each metric, label and value of a label in it is in /metrics of a line with a PLC
and a publisher. Cameras' are compared by gige.py.
"""

import json
import re
import subprocess
import sys
import tempfile
import urllib.request

import children
from files import read, write

TIMEOUT = 60
# Prometheus adds them to everything that it reads
TARGET = {"job", "instance"}
FUNCTIONS = {"sum", "min", "max", "rate", "increase", "changes", "histogram_quantile", "by", "label_values"}
# values of labels that come and go
OPEN = {"job", "instance", "lane", "outlet"}


def find_queries(dashboard):
    """Of panels, variables and annotations: the expression, and the text in which its labels are shown."""
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield target["expr"], target["legendFormat"]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["query"]["query"], ""
    for annotation in dashboard["annotations"]["list"]:
        yield annotation["expr"], annotation["titleFormat"] + annotation["textFormat"]


def read_metrics(text):
    """The values of the labels of each name."""
    metrics = {}
    for name, labels in re.findall(r"(?m)^(\w+)(?:\{(.*)\})? \S+$", text):
        known = metrics.setdefault(name, {})
        for label, value in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels):
            known.setdefault(label, set()).add(value)
    return metrics


def check_query(query, shown, metrics):
    """That every word of it is a function, a metric, or a label of one of its metrics."""
    selectors = re.findall(r"(\w+)\{([^}]*)\}", query)
    labels = set(TARGET)
    for name, matchers in selectors:
        assert name in metrics or name == "ALERTS", (name, query)
        labels |= set(metrics.get(name, ["alertname", "lane", "alertstate"]))
        for label, how, values in re.findall(r'(\w+)(!?=~?)"([^"]*)"', matchers):
            assert label in labels, (label, query)
            if label in OPEN or name == "ALERTS":
                continue
            for value in values.split("|"):
                assert value in metrics[name][label], (label, value, query)
        rest = re.sub(r'\w+!?=~?"[^"]*"|,', "", matchers)
        assert not rest.strip(), (rest, query)
    assert selectors, query
    rest = re.sub(r"\w+\{[^}]*\}|\[[^]]*\]", "", query)
    for word in re.findall(r"[A-Za-z_]\w*", rest):
        assert word in FUNCTIONS or word in labels, (word, query)
    kept = re.findall(r"by \(([^)]*)\)", query)
    left = {word.strip() for words in kept for word in words.split(",")} if kept else labels
    for label in re.findall(r"\{\{(\w+)\}\}", shown):
        assert label in left, (label, shown, query)


def check_queries(dashboard, text, of_cameras):
    """Of those, or of all others. @text: of /metrics"""
    metrics = read_metrics(text)
    queries = [(query, shown) for query, shown in find_queries(dashboard) if ("fruit_line_camera_" in query) == of_cameras]
    for query, shown in queries:
        check_query(query, shown, metrics)
    assert queries
    return len(queries)


def check_layout(dashboard):
    assert dashboard["schemaVersion"] >= 36 and dashboard["title"] and dashboard["uid"]
    assert "id" not in dashboard, "an id belongs to one Grafana"
    names = [variable["name"] for variable in dashboard["templating"]["list"]]
    assert names == ["datasource", "instance", "lane"]
    source = {"type": "prometheus", "uid": "${datasource}"}
    taken = {}
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24 and min(place["w"], place["h"]) >= 1 and min(place["x"], place["y"]) >= 0, panel
        for cell in ((x, y) for x in range(place["x"], place["x"] + place["w"])
                     for y in range(place["y"], place["y"] + place["h"])):
            assert taken.setdefault(cell, panel["title"]) == panel["title"], (cell, taken[cell], panel["title"])
        if panel["type"] != "row":
            assert panel["datasource"] == source and panel["targets"] and panel["title"], panel
            ids = [target["refId"] for target in panel["targets"]]
            assert len(ids) == len(set(ids)) and all(target["datasource"] == source for target in panel["targets"]), panel
    for unique in "id", "title":
        values = [panel[unique] for panel in dashboard["panels"]]
        assert len(values) == len(set(values)), values
    for query, _ in find_queries(dashboard):
        assert set(re.findall(r"\$(\w+)", query)) <= {"instance", "lane", "__rate_interval"}, query


def with_line(program, files, folder, use):
    """@use: with the port of the line's page, while a line, its publisher and no PLC at the other end run."""
    write(read(files, "apricot.ini"), folder, "apricot.ini")
    text = read(files, "line1.ini").split("[lane ")[0] + (
        "[lane a]\nsource=simulate\ntriggers=0\n[plc]\naddress=127.0.0.1\nport=%d\nregister=100\narrival-ms=1000\ntriggers=900\n"
        "[publish]\nhost=127.0.0.1\nport=%d\n" % (children.find_port(), children.find_port()))
    config = write(text, folder, "line.ini")
    port = children.find_port()
    null = subprocess.DEVNULL
    line = children.start([program, "run", config, "--port", str(port)], stdout=null, stderr=subprocess.PIPE,
                          text=True)
    while "http://" not in (said := line.stderr.readline()):
        assert said, "no page"
    publisher = children.start([program, "publish", config], stdout=null, stderr=null)
    try:
        return use(port)
    finally:
        for process in publisher, line:
            process.terminate()
            process.communicate(timeout=TIMEOUT)


def fetch_metrics(port):
    wanted = "fruit_line_publisher_up", "fruit_line_plc_lanes ", "fruit_line_pieces_total{"

    def fetch():
        with urllib.request.urlopen("http://127.0.0.1:%d/metrics" % port, timeout=TIMEOUT) as answer:
            text = answer.read().decode()
        return all(one in text for one in wanted) and text
    return children.wait_until(fetch, TIMEOUT)


def main():
    program, files = sys.argv[1:3]
    dashboard = json.loads(read(files, "grafana.json"))
    check_layout(dashboard)
    with tempfile.TemporaryDirectory() as folder:
        text = with_line(program, files, folder, fetch_metrics)
    print("%d queries" % check_queries(dashboard, text, of_cameras=False))


if __name__ == "__main__":
    main()
