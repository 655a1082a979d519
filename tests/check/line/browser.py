# SPDX-License-Identifier: LGPL-2.1-or-later
"""The line's page in a real browser: browser.py FRUIT_LINE FILES [FOLDER for screenshots]

Chromium without a window, driven by chromedriver, looks at the page of a simulated line: its numbers move, pictures load,
nothing is written to the console, a phone need not scroll sideways, texts can be read in light and dark, and it says when
the line has ended and when it is back.
"""

import base64
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import children

PROGRAM, FILES = sys.argv[1:3]
SCREENSHOTS = sys.argv[3] if len(sys.argv) > 3 else None
TIMEOUT = 90
DESKTOP, PHONE = (1280, 1000), (360, 740)
CONTRAST = 4.5          # of texts, as WCAG 2.1 AA has it

for needed in "chromium", "chromedriver":
    if not shutil.which(needed):
        print("skipped: there is no %s (tests/run --browser installs it)" % needed)
        sys.exit(77)


class Browser:
    """By the WebDriver protocol and Chromium's own commands."""

    def __init__(self, folder):
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.port = server.getsockname()[1]
        environment = dict(os.environ, HOME=folder, XDG_CONFIG_HOME=folder, XDG_CACHE_HOME=folder, LANG="C.UTF-8")
        # those of the build are not for browsers
        for name in "LD_LIBRARY_PATH", "LD_PRELOAD", "MALLOC_PERTURB_", "G_DEBUG":
            environment.pop(name, None)
        self.log = open(os.path.join(folder, "chromedriver.log"), "w", encoding="utf-8")
        self.driver = children.start(["chromedriver", "--port=%d" % self.port], env=environment, stdout=self.log,
                                     stderr=self.log, start_new_session=True)
        wait_until(self.is_ready)
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
                     "--user-data-dir=" + os.path.join(folder, "profile")]
        self.session = "/session/" + self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": arguments}}}})["sessionId"]

    def is_ready(self):
        try:
            return self.call("GET", "/status")["ready"]
        except OSError:
            return False

    def call(self, method, path, body=None):
        request = urllib.request.Request("http://127.0.0.1:%d%s" % (self.port, path), method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(path, body, error.read().decode()[:400]) from None

    def open(self, url):
        self.call("POST", self.session + "/url", {"url": url})

    def run(self, script):
        return self.call("POST", self.session + "/execute/sync", {"script": "return " + script, "args": []})

    def command(self, name, **parameters):
        return self.call("POST", self.session + "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def look_like(self, size, scheme):
        self.command("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], mobile=size is PHONE,
                     deviceScaleFactor=2 if size is PHONE else 1)
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def console(self):
        """What has been written there since it was asked last, but for a site's icon, which there is none of."""
        return [entry for entry in self.call("POST", self.session + "/se/log", {"type": "browser"})
                if "favicon" not in entry["message"]]

    def shoot(self, name, whole=True):
        if SCREENSHOTS:
            data = self.command("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
            with open(os.path.join(SCREENSHOTS, name + ".png"), "wb") as file:
                file.write(base64.b64decode(data))

    def end(self):
        with contextlib.suppress(OSError):
            self.call("DELETE", self.session)
        os.killpg(self.driver.pid, signal.SIGTERM)
        self.driver.wait(TIMEOUT)
        self.log.close()


def wait_until(what):
    return children.wait_until(what, TIMEOUT)


# a PLC that is not there
NO_PLC = "[plc]\naddress=127.0.0.1\nport=1\nregister=0\narrival-ms=3000\n"


def has_modbus(folder):
    """Whether this program was built with it."""
    config = os.path.join(folder, "plc.ini")
    with open(os.path.join(FILES, "line1.ini"), encoding="utf-8") as file:
        text = re.sub("(?m)^recipe=.*", "recipe=" + os.path.join(FILES, "apricot.ini"), file.read())
    with open(config, "w", encoding="utf-8") as file:
        file.write(text + NO_PLC.replace("[plc]", "[plc]\nslots=64"))
    done = subprocess.run([PROGRAM, "check", config], capture_output=True, text=True)
    assert done.returncode == 0 or "without libmodbus" in done.stderr, done
    return done.returncode == 0


def check_names(browser):
    """Outlets and the recipe have names, rejects a time, and what the deadline does not bound is not marked."""
    outlets = browser.run("[...document.querySelectorAll('#outlets tr')].map(r => r.cells[0].textContent)")
    assert "8 reject" in outlets and "0 empty cups" in outlets and all(re.fullmatch("[0-9]+ [a-z0-9-]+((, | )[a-z0-9-]+)*", name) for name in outlets), outlets
    assert browser.run(CARDS)["Recipe"] == [["all lanes: apricot"], False], browser.run(CARDS)
    assert re.match(r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\s[AP]M)? left, piece [0-9]+: outlet 8, reject",
                    browser.run("[...document.querySelectorAll('figcaption')].map(c => c.textContent)"
                                ".find(c => c.includes('left, piece'))"))
    assert not [name for name in browser.run(BAD) if "To decide" in name], browser.run(BAD)


def check_plc(browser, folder):
    if not has_modbus(folder):
        return
    lines, is_bad = browser.run(CARDS)["PLC"]
    assert is_bad and re.match("does not answer since .*[0-9]", lines[0]) and lines[1:] == ["pieces acknowledged before: 0"], lines


def start_line(folder, name, port=0):
    """Two lanes; pieces that no recipe takes, so that there are pictures soon."""
    with open(os.path.join(FILES, "line1.ini"), encoding="utf-8") as file:
        text = file.read().split("[lane ")[0].replace("deadline-ms=50", "deadline-ms=2000")
    text = re.sub("(?m)^recipe=.*", "recipe=" + os.path.join(FILES, "apricot.ini"), text)
    text += "[lane left]\nsource=simulate\ntriggers=0\nblemish=rot\n[lane right]\nsource=simulate\ntriggers=0\nempty=0.1\n"
    config = os.path.join(folder, "line.ini")
    with open(config, "w", encoding="utf-8") as file:
        file.write(text.replace("triggers-per-second=10", "triggers-per-second=4") + (NO_PLC if has_modbus(folder) else ""))
    line = children.start([PROGRAM, "run", config, "--port", str(port), "--output", os.path.join(folder, name)],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    told = ""
    while not (found := re.search("http://[^ ]*:([0-9]+)/", said := line.stderr.readline())):
        told += said
        assert said, told
    return line, int(found[1])


def stop_line(line):
    line.send_signal(signal.SIGTERM)
    err = line.communicate(timeout=TIMEOUT)[1]
    assert line.returncode == 0, err


TILES = "Object.fromEntries([...document.querySelectorAll('.tile')].map(t => [t.lastChild.textContent, t.firstChild.textContent]))"
BAD = "[...document.querySelectorAll('.tile.bad')].map(t => t.lastChild.textContent)"
ALARMS = "[...document.querySelectorAll('#alarms .alarm')].map(a => a.textContent)"
CARDS = """Object.fromEntries([...document.querySelectorAll('#now .card')].map(c =>
  [c.querySelector('h3').textContent, [[...c.querySelectorAll('p')].map(p => p.textContent), c.classList.contains('bad')]]))"""
STATE = "[document.getElementById('state').textContent, document.getElementById('state').className]"
# each element with a text of its own, and its colours
COLOURS = """(() => {
  const back = e => { for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor; if (!/^rgba.*, 0\\)$|transparent/.test(c)) return c; }
    return matchMedia('(prefers-color-scheme: dark)').matches ? 'rgb(18, 18, 18)' : 'rgb(255, 255, 255)'; };
  return [...document.body.querySelectorAll('*')].filter(e => e.checkVisibility() && e.tagName !== 'SCRIPT' &&
    [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
    .map(e => [e.tagName + ' ' + e.className + ' ' + e.textContent.slice(0, 30), getComputedStyle(e).color, back(e),
      parseFloat(getComputedStyle(e).fontSize)]);
})()"""


def luminance(colour):
    channels = [float(c) / 255 for c in re.findall(r"[\d.]+", colour)[:3]]
    r, g, b = (c / 12.92 if c <= .04045 else ((c + .055) / 1.055) ** 2.4 for c in channels)
    return .2126 * r + .7152 * g + .0722 * b


def check_contrast(browser):
    texts = browser.run(COLOURS)
    assert len(texts) > 40, texts
    for what, colour, ground, size in texts:
        light, dark = sorted((luminance(colour), luminance(ground)), reverse=True)
        assert (light + .05) / (dark + .05) >= CONTRAST, (what, colour, ground)
        assert size >= 12, (what, size)


def check_looks(browser, what=""):
    for size, form in ((DESKTOP, "desktop"), (PHONE, "phone")):
        for scheme in "light", "dark":
            browser.look_like(size, scheme)
            time.sleep(.5)
            width, needed = browser.run("[document.documentElement.clientWidth, document.documentElement.scrollWidth]")
            assert width == size[0] and needed <= width, (form, width, needed)
            check_contrast(browser)
            browser.shoot(what + "%s-%s" % (form, scheme))
    browser.look_like(DESKTOP, "light")


def test_page(browser, folder):
    line, port = start_line(folder, "one")
    browser.look_like(DESKTOP, "light")
    browser.open("http://127.0.0.1:%d/" % port)
    first = wait_until(lambda: (tiles := browser.run(TILES)).get("Pieces", "0") != "0" and tiles)
    wait_until(lambda: int(browser.run(TILES)["Pieces"].replace(",", "")) > int(first["Pieces"].replace(",", "")))
    rows = browser.run("[...document.querySelectorAll('#lanes tr')].map(r => r.cells[0].textContent)")
    assert rows == ["Lane", "left", "right"], rows
    # pictures, when they are scrolled to
    wait_until(lambda: browser.run("document.images.length") >= 3)
    browser.run("document.images[0].scrollIntoView()")
    wait_until(lambda: browser.run("document.images[0].naturalWidth") > 0)
    assert browser.run("document.images[0].naturalWidth") >= 510
    assert "left, piece" in browser.run("[...document.querySelectorAll('figcaption')].map(c => c.textContent).join()")
    state, kind = browser.run(STATE)
    assert "since" in state and not kind, state
    check_names(browser)
    check_plc(browser, folder)
    if SCREENSHOTS:
        time.sleep(20)
    browser.run("document.querySelectorAll('img').forEach(i => i.loading = 'eager')")
    browser.run("scrollTo(0, 0)")
    check_looks(browser)
    assert not (said := browser.console()), said
    stop_line(line)
    wait_until(lambda: browser.run(STATE)[1] == "bad")
    state, _ = browser.run(STATE)
    assert "does not answer" in state and "those of" in state, state
    assert browser.run("getComputedStyle(document.getElementById('tiles')).opacity") == "0.5"
    browser.shoot("ended")
    # another one, at the same port: it is back, and its numbers begin anew
    line, _ = start_line(folder, "two", port)
    wait_until(lambda: browser.run(STATE)[1] == "" and "since" in browser.run(STATE)[0])
    assert browser.run("getComputedStyle(document.getElementById('tiles')).opacity") == "1"
    rate = float(browser.run(TILES)["Pieces a second"])
    assert 0 <= rate < 1000, rate
    # a view that is dark, of one lane, and is not any more; the page of two answers is the same but for that
    assert not [said for said in browser.run(ALARMS) if "view" in said]
    browser.run("""(() => { const real = window.fetch; window.dark = "2026-07-08T09:10:11Z"; window.fetch = async (path, options) => {
      const answer = await real(path, options); if (path !== 'report.json' && path !== 'alarms.json' || !window.dark) return answer;
      const what = await answer.json();
      if (path === 'report.json') what.lanes.right.seen.views[2].dark_since = window.dark;
      else what.unshift({ id: 9, what: 'view-dark', lane: 'right', view: 2, value: null, since_ns: 1e6 * Date.parse(window.dark),
        gone_ns: null, acknowledged: null });
      return new Response(JSON.stringify(what)); }; })()""")
    alarm = wait_until(lambda: [said for said in browser.run(ALARMS) if "View" in said])
    assert len(alarm) == 1 and alarm[0].startswith("right, View 2: Dark") and "lamp" in alarm[0] and "11" in alarm[0], alarm
    assert browser.run("[...document.querySelectorAll('#lanes tr')].map(r => r.className)")[2] == "bad"
    assert browser.run("[...document.querySelectorAll('.views .bad')].map(v => v.querySelector('b').textContent)") == ["dark"]
    check_looks(browser, "dark-view-")
    browser.run("window.dark = null")
    wait_until(lambda: not [said for said in browser.run(ALARMS) if "View" in said])
    # one that stands still, and answers all the same: the deciding thread cannot be stopped alone, so its answer is changed
    browser.run("""(() => { const real = window.fetch; window.fetch = async (path, options) => {
      const answer = await real(path, options); if (path !== 'report.json') return answer;
      const report = await answer.json(); report.health.heartbeat_age_s = 17;
      report.latency_us.last_view_to_decision.p99 = 2000001; return new Response(JSON.stringify(report)); };
      })()""")
    wait_until(lambda: "hangs" in browser.run(STATE)[0])
    assert browser.run(STATE)[0].startswith("The line hangs: no sign of life for 17 sec.") and browser.run(STATE)[1] == "bad"
    assert browser.run(CARDS).get("PLC", [["not known while the line does not answer"], True])[0][0].startswith("not known")
    assert "To decide, 99 % of the pieces; allowed: 2,000 ms" in browser.run(BAD), browser.run(BAD)
    stop_line(line)


def run(test):
    """test(BROWSER, FOLDER)"""
    # Chromium writes on for a moment
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        try:
            test(browser, folder)
        finally:
            browser.end()


if __name__ == "__main__":
    run(test_page)
    print("the page can be used")
