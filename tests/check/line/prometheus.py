# SPDX-License-Identifier: LGPL-2.1-or-later
"""/metrics, the alerts and the shipped configuration with Prometheus itself: prometheus.py FRUIT_LINE FILES ALERTS_TEST

promtool looks at the text and tries the alerts; a Prometheus reads a line that runs, and its answers are compared with
report.json.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import children
import dashboard
from files import read, write

PROGRAM, FILES, ALERTS_TEST = sys.argv[1:4]
TIMEOUT = 90

for needed in "promtool", "prometheus":
    if not shutil.which(needed):
        print("skipped: there is no %s (Debian package prometheus; tests/run --partners installs it)" % needed)
        sys.exit(77)


def promtool(*arguments, text=None):
    return subprocess.run(["promtool", *arguments], input=text, capture_output=True, text=True)


def fetch(url):
    with urllib.request.urlopen(url, timeout=TIMEOUT) as answer:
        return answer.read().decode()


def wait_until(what, process):
    return children.wait_until(what, TIMEOUT, process.args, process)


class Prometheus:
    """With the shipped configuration, but for the target and its pace."""

    def __init__(self, folder, target):
        config = read(FILES, "prometheus.yml")
        assert config.count("127.0.0.1:8080'") == 1 and config.count("_interval: 5s") == 2
        write(config.replace("127.0.0.1:8080", "127.0.0.1:%d" % target).replace(": 5s", ": 1s"), folder, "prometheus.yml")
        shutil.copy(os.path.join(FILES, "alerts.yml"), folder)
        self.port = children.find_port()
        self.log = open(os.path.join(folder, "log"), "w", encoding="utf-8")
        self.process = children.start(
            ["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data",
             "--web.listen-address=127.0.0.1:%d" % self.port], cwd=folder, stdout=self.log, stderr=self.log)

    def ask(self, query):
        """Values by labels; nothing while it does not answer yet."""
        url = "http://127.0.0.1:%d/api/v1/query?%s" % (self.port, urllib.parse.urlencode({"query": query}))
        try:
            answer = json.loads(fetch(url))
        except OSError:
            return {}
        assert answer["status"] == "success", answer
        return {tuple(sorted((key, value) for key, value in one["metric"].items() if key not in ("job", "instance"))):
                float(one["value"][1]) for one in answer["data"]["result"]}

    def ask_one(self, query):
        values = self.ask(query)
        return values.get((), None)

    def end(self):
        self.process.terminate()
        self.process.wait(TIMEOUT)
        self.log.close()


def test_rules(folder):
    for name in "alerts.yml", "prometheus.yml":
        shutil.copy(os.path.join(FILES, name), folder)
    path = shutil.copy(ALERTS_TEST, folder)
    for arguments in (("check", "rules", os.path.join(folder, "alerts.yml")),
                      ("check", "config", os.path.join(folder, "prometheus.yml")), ("test", "rules", path)):
        done = promtool(*arguments)
        assert done.returncode == 0 and "SUCCESS" in done.stdout, done
    # every alert is tried, and every metric in them is one that is written
    rules, tests = read(FILES, "alerts.yml"), read(path)
    for alert in re.findall("alert: (\\w+)", rules):
        assert len(re.findall("alertname: %s\n *exp_alerts" % alert, tests)) >= 1, alert
    return set(re.findall(r"\b((?:fruit_line|process)_\w+)", re.sub("(?m)^ *(description|#).*", "", rules)))


def compare(prometheus, name, report):
    """The lane's counters against its report; its triggers have ended."""
    lane = report["lanes"][name]
    assert prometheus.ask_one('sum(fruit_line_triggers_total{lane="%s"})' % name) == lane["triggers"]
    outlets = prometheus.ask('sum by (outlet) (fruit_line_pieces_total{lane="%s"})' % name)
    assert outlets == {(("outlet", key),): n for key, n in lane["outlets"].items()}, (outlets, lane)
    statuses = prometheus.ask('sum by (status) (fruit_line_decisions_total{lane="%s"})' % name)
    assert statuses == {(("status", key),): n for key, n in lane["statuses"].items()}, (statuses, lane)
    frames = prometheus.ask('sum by (state) (fruit_line_frames_total{lane="%s"})' % name)
    assert frames == {(("state", key),): n for key, n in lane["frames"].items()}, (frames, lane)
    losses = prometheus.ask('sum by (reason) (fruit_line_losses_total{lane="%s"})' % name)
    assert losses == {(("reason", key),): n for key, n in lane["losses"].items()}, (losses, lane)


def test_line(folder, names):
    text = read(FILES, "line1.ini").split("[lane ")[0]
    write(read(FILES, "apricot.ini"), folder, "apricot.ini")
    config = write(text + "[lane a]\nsource=simulate\ntriggers=20\n[lane b]\nsource=simulate\ntriggers=0\n"
                   "[plc]\naddress=127.0.0.1\nport=%d\nregister=100\narrival-ms=1000\ntriggers=900\n" % children.find_port(),
                   folder, "line.ini")
    port = children.find_port()
    line = children.start([PROGRAM, "run", config, "--port", str(port), "--output", os.path.join(folder, "out")],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    url = "http://127.0.0.1:%d" % port
    while "http://" not in (said := line.stderr.readline()):
        assert said, "no page"
    prometheus = Prometheus(folder, port)
    try:
        # lane a has had all it will ever have
        wait_until(lambda: json.loads(fetch(url + "/report.json"))["lanes"]["a"]["pieces"] == 16, line)
        wait_until(lambda: prometheus.ask_one('sum(fruit_line_pieces_total{lane="a"})') == 16, prometheus.process)
        time.sleep(2.5)     # the frames of the last trigger are counted a moment later: another scrape
        before = json.loads(fetch(url + "/report.json"))
        compare(prometheus, "a", before)
        # lane b goes on: between two looks
        seen = wait_until(lambda: (n := prometheus.ask_one('sum(fruit_line_pieces_total{lane="b"})')) is not None
                          and n >= before["lanes"]["b"]["pieces"] and n, prometheus.process)
        after = json.loads(fetch(url + "/report.json"))
        assert before["lanes"]["b"]["pieces"] <= seen <= after["lanes"]["b"]["pieces"]
        quantile = prometheus.ask_one("histogram_quantile(0.5, fruit_line_decision_seconds_bucket)")
        assert 0 < quantile <= 1, quantile
        assert list(prometheus.ask("up").values()) == [1]
        assert list(prometheus.ask("process_resident_memory_bytes").values())[0] > 1e7
        # what promtool says of the text, and of one that is wrong
        metrics = fetch(url + "/metrics")
        done = promtool("check", "metrics", text=metrics)
        assert done.returncode == 0 and not done.stderr, done
        assert promtool("check", "metrics", text=metrics.replace("triggers_total", "triggers")).returncode != 0
        written = set(re.findall(r"(?m)^(\w+)", metrics))
        # those of cameras are in gige.py
        names = {name for name in names if not name.startswith("fruit_line_camera_")}
        assert names <= written, names - written
        # it is gone
        line.send_signal(signal.SIGTERM)
        line.communicate(timeout=TIMEOUT)
        assert line.returncode == 0
        wait_until(lambda: list(prometheus.ask("up").values()) == [0], prometheus.process)
        pending = 'ALERTS{alertname="FruitLineDown",alertstate="pending"}'
        wait_until(lambda: list(prometheus.ask(pending).values()) == [1], prometheus.process)
    finally:
        if line.poll() is None:
            line.kill()
            line.communicate()
        prometheus.end()


def test_dashboard(folder):
    """Prometheus answers each query of the dashboard, with the variables in it."""
    shown = json.loads(read(FILES, "grafana.json"))
    queries = [query for query, _ in dashboard.find_queries(shown) if not query.startswith("label_values(")]

    def use(port):
        dashboard.fetch_metrics(port)
        prometheus = Prometheus(folder, port)
        try:
            for query in queries:
                for name, value in ("$instance", ".*"), ("$lane", "a|.*"), ("[$__rate_interval]", "[10s]"):
                    query = query.replace(name, value)
                # what is shown only when there is some, or events that have not come
                rare = query.endswith("> 0") or query.startswith("ALERTS") or "fruit_line_camera_" in query
                wait_until(lambda: rare or prometheus.ask(query), prometheus.process)
                prometheus.ask(query)
        finally:
            prometheus.end()
    dashboard.with_line(PROGRAM, FILES, folder, use)
    assert queries


def main():
    with tempfile.TemporaryDirectory() as folder:
        names = test_rules(folder)
        print("alerts")
    with tempfile.TemporaryDirectory() as folder:
        test_line(folder, names)
        print("Prometheus reads a line")
    with tempfile.TemporaryDirectory() as folder:
        test_dashboard(folder)
        print("and answers the dashboard")


if __name__ == "__main__":
    main()
