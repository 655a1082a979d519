# SPDX-License-Identifier: LGPL-2.1-or-later
"""Who works at the line's page: page.py FRUIT_LINE FILES [FOLDER for screenshots]

In Chromium without a window, in each language, at a desk and on a phone: each button is pressed, and what the line has done is
asked of the line, its log and its decisions.
"""

import json
import os

from browser import ALARMS, CARDS, DESKTOP, PHONE, check_contrast, run, wait_until
from commanding import ANNA, BEN, FILES, Line, read_commands
from files import read, write

LANGUAGES = "en", "it", "de", "es"
NO_PUBLISHER = "[publish]\nhost=127.0.0.1\nport=1\n"
NEVER = 10 ** 9         # a piece that does not come
TEXTS = {language: json.loads(read(FILES, "messages", language + ".json")) for language in LANGUAGES}
# each text that is shown, of an element of its own
SHOWN = """[...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && !e.closest('#language'))
  .flatMap(e => [...e.childNodes]).filter(n => n.nodeType === 3 && n.textContent.trim()).map(n => n.textContent.trim())"""


class Operator:
    """A person at the page."""

    def __init__(self, browser, line, language="en", token=ANNA):
        self.browser, self.line, self.texts = browser, line, TEXTS[language]
        browser.open("http://127.0.0.1:%d/?lang=%s" % (line.port, language))
        wait_until(lambda: browser.run("document.querySelectorAll('.tile').length") and self.get("lane", "options.length") == 3)
        self.window = browser.call("GET", browser.session + "/window")
        if not self.get("signed-in", "hidden"):
            self.press("#sign-out")
        self.sign_in(token)

    def get(self, name, what):
        return self.browser.run("document.getElementById(%s).%s" % (json.dumps(name), what))

    def fill(self, **values):
        for name, value in values.items():
            self.get(name.replace("_", "-"), "value = " + json.dumps(value))
            assert self.get(name.replace("_", "-"), "value") == value, (name, value)

    def press(self, where):
        """As a person can: it is there, it is no other's, and it is not off."""
        self.browser.run("document.querySelector(%s).scrollIntoView({ block: 'center' })" % json.dumps(where))
        found = self.browser.call("POST", self.browser.session + "/element", {"using": "css selector", "value": where})
        self.browser.call("POST", self.browser.session + "/element/%s/click" % next(iter(found.values())), {})

    def sign_in(self, token):
        self.fill(token=token)
        self.press("#sign-in button")
        assert self.get("sign-in", "hidden") and self.get("token", "value") == "" and not self.get("signed-in", "hidden")

    def answer(self):
        """What is said of the last command, when it is said."""
        wait = self.texts["answer-wait"]
        return wait_until(lambda: (said := self.get("answer", "textContent")) != wait and said)

    def do(self, where, question, yes=True):
        """Presses it, and says yes to what is asked. Returns: the log's entry"""
        known = set(self.read_log())
        self.press(where)
        wait_until(lambda: self.get("confirm", "open"))
        assert question in self.get("question", "textContent"), (question, self.get("question", "textContent"))
        self.press("#confirm-yes" if yes else "#confirm-no")
        wait_until(lambda: not self.get("confirm", "open"))
        if not yes:
            return None
        return self.wait_for_entry(known)

    def read_log(self):
        path = os.path.join(self.line.output, "commands.jsonl")
        return read_commands(self.line.output) if os.path.exists(path) else {}

    def wait_for_entry(self, known):
        new = wait_until(lambda: {i: e for i, e in self.read_log().items() if i not in known and "answer" in e})
        assert len(new) == 1, new
        self.answer()
        entry = next(iter(new.values()))
        return {**entry, **entry["asked"]}

    def in_force(self):
        return json.loads(self.line.get("/in-force.json"))


def check_language(operator, language):
    browser = operator.browser
    assert browser.run("document.documentElement.lang") == language and operator.get("language", "value") == language
    shown, own = set(browser.run(SHOWN)), set(TEXTS[language].values())
    assert len(shown & own) > 40, shown & own
    others = {text for other in LANGUAGES for text in TEXTS[other].values() if " " in text} - own
    assert not shown & others, shown & others
    # a key that is no text, and a place that nothing was put into
    assert not {s for s in shown if s in TEXTS["en"] and "-" in s or "{" in s or "undefined" in s or "NaN" in s}, shown


def check_buttons(operator, name):
    """Each of them. name: of the lot, which is used once"""
    line, texts = operator.line, operator.texts
    # what is not confirmed is not done
    operator.fill(recipe="large", lane="b")
    before, log = operator.in_force(), operator.read_log()
    operator.do("#change-recipe button:not([type])", "large", yes=False)
    assert operator.in_force() == before and operator.read_log() == log
    # a recipe of a lane, now; of all, from a piece on; the configuration's again
    entry = operator.do("#change-recipe button:not([type])", "large")
    assert (entry["who"], entry["answer"], entry["do"], entry["lane"]) == ("anna", "done", "recipe", "b"), entry
    assert operator.get("answer", "textContent") == texts["answer-done"]
    lanes = operator.in_force()["lanes"]
    assert (lanes["a"]["recipe"], lanes["b"]["recipe"]) == (None, "large"), lanes
    line.wait(lambda: {d["recipe"] for d in line.decisions()[-8:] if d["lane"] == "b"} == {lanes["b"]["hash"]}, "another recipe")
    operator.fill(recipe="small", lane="", recipe_from=str(NEVER))
    entry = operator.do("#change-recipe button:not([type])", str(NEVER))
    assert entry["from"] == NEVER and "lane" not in entry, entry
    assert {lane["next"]["recipe"] for lane in operator.in_force()["lanes"].values()} == {"small"}
    wait_until(lambda: "small" in str(operator.browser.run(CARDS)[texts["recipe"]]))
    operator.fill(recipe_from="")
    entry = operator.do("#reload", texts["ask-reload"])
    assert entry["do"] == "reload" and {lane["recipe"] for lane in operator.in_force()["lanes"].values()} == {None}
    # a lot, whose names are no markup; it ends
    operator.fill(lot=name, grower="<b>Rossi</b>", variety="Bergeron", bin="4 & 5")
    operator.do("#begin-lot button:not([type])", name)
    assert operator.in_force()["lot"]["lot"] == name
    wait_until(lambda: operator.browser.run(CARDS)[texts["lot"]][0][0] == name)
    assert texts["grower"] + ": <b>Rossi</b>" in operator.browser.run(CARDS)[texts["lot"]][0]
    line.wait(lambda: line.decisions()[-1].get("lot") == name, "no pieces of the lot")
    wait_until(lambda: any(name in row and "<b>Rossi</b>" in row for row in operator.browser.run(
        "[...document.querySelectorAll('#lots tr')].map(r => [...r.cells].map(c => c.textContent).join('|'))")))
    # each report that is linked to is there
    paths = operator.browser.run("[...document.querySelectorAll('#lots a')].map(a => new URL(a.href).pathname)")
    assert {"/run.html", "/run.csv", "/lots/%s.html" % name, "/lots/%s.json" % name} <= set(paths), paths
    assert any(path.startswith("/shifts/") for path in paths), paths
    assert not [path for path in paths if line.ask("GET", path)[0] != 200], paths
    entry = operator.do("#end-lot", texts["ask-lot-end"].split("{")[0])
    assert entry["do"] == "lot-end" and operator.in_force()["lot"]["lot"] is None
    # a lot that ends when there is none: the line says why
    entry = operator.do("#end-lot", texts["ask-lot-end"].split("{")[0])
    assert entry["answer"] == "refused" and entry["why"] in operator.get("answer", "textContent"), entry
    assert texts["answer-refused"] in operator.get("answer", "textContent") and operator.get("answer", "className") == "answer bad"


def check_refused(operator):
    """A recipe that is wrong: the page says what is, and nothing changes."""
    write("[recipe", operator.line.folder, "recipes", "broken.ini")
    operator.browser.call("POST", operator.browser.session + "/refresh", {})
    wait_until(lambda: "broken" in operator.browser.run("[...document.querySelectorAll('#recipe option')].map(o => o.value)"))
    before = operator.in_force()
    operator.fill(recipe="broken")
    entry = operator.do("#change-recipe button:not([type])", "broken")
    assert entry["answer"] == "refused" and "broken.ini:1: " in operator.get("answer", "textContent"), entry
    assert operator.in_force() == before
    os.unlink(os.path.join(operator.line.folder, "recipes", "broken.ini"))


def check_tokens(operator):
    """A wrong one is said to be wrong, and forgotten; without one nothing is sent."""
    log = operator.read_log()
    operator.press("#sign-out")
    operator.press("#reload")
    assert operator.answer() == operator.texts["answer-no-token"]
    operator.sign_in(ANNA[:-1] + "x")
    operator.press("#reload")
    wait_until(lambda: operator.get("confirm", "open"))
    operator.press("#confirm-yes")
    wait_until(lambda: operator.get("answer", "textContent") == operator.texts["answer-token"])
    assert operator.browser.run("sessionStorage.length") == 0 and not operator.get("sign-in", "hidden")
    assert operator.browser.run("JSON.stringify(localStorage)").find(ANNA[:-1]) < 0
    assert operator.read_log() == log
    operator.sign_in(ANNA)


def check_alarm(operator):
    """There is no publisher: it is an alarm, and somebody takes note of it. A busy machine may have others."""
    def find():
        return [a for a in json.loads(operator.line.get("/alarms.json")) if a["what"] == "publisher-gone"]

    alarms = wait_until(find)
    assert len(alarms) == 1 and alarms[0]["acknowledged"] is None, alarms
    button = ".alarm button[data-alarm='%d']" % alarms[0]["id"]
    said = operator.texts["alarm-publisher-gone"]
    wait_until(lambda: [a for a in operator.browser.run(ALARMS) if said in a])
    assert operator.browser.run(CARDS)[operator.texts["broker"]] == [[operator.texts["publisher-never"]], True]
    known = set(operator.read_log())
    operator.press(button)
    entry = operator.wait_for_entry(known)
    assert (entry["do"], entry["alarm"], entry["who"]) == ("alarm-ack", alarms[0]["id"], "anna"), entry
    assert find()[0]["acknowledged"]["who"] == "anna"
    wait_until(lambda: any(said in text and "anna" in text for text in operator.browser.run(
        "[...document.querySelectorAll('.alarm.acknowledged')].map(a => a.textContent)")))
    assert not operator.browser.run('document.querySelectorAll("%s").length' % button)


def check_looks(operator, name):
    browser = operator.browser
    for scheme in "light", "dark":
        browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        check_contrast(browser)
    width, needed = browser.run("[document.documentElement.clientWidth, document.documentElement.scrollWidth]")
    assert needed <= width, (name, width, needed)
    browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
    browser.shoot(name)


def check_two(browser, line):
    """Two people, each in a window of theirs: both are in the log, and the second one's is in force, which both see."""
    anna = Operator(browser, line)
    browser.call("POST", browser.session + "/window", {"handle": browser.call(
        "POST", browser.session + "/window/new", {"type": "window"})["handle"]})
    ben = Operator(browser, line, token=BEN)
    ben.fill(recipe="large")
    first = ben.do("#change-recipe button:not([type])", "large")
    browser.call("POST", browser.session + "/window", {"handle": anna.window})
    anna.fill(recipe="small")
    second = anna.do("#change-recipe button:not([type])", "small")
    assert (first["who"], second["who"]) == ("ben", "anna") and first["id"] < second["id"], (first, second)
    assert {lane["recipe"] for lane in anna.in_force()["lanes"].values()} == {"small"}
    for window in anna.window, ben.window:
        browser.call("POST", browser.session + "/window", {"handle": window})
        wait_until(lambda: browser.run(CARDS)["Recipe"] == [["all lanes: small"], False])
    browser.call("DELETE", browser.session + "/window")
    browser.call("POST", browser.session + "/window", {"handle": anna.window})


def check_choice(operator):
    """A language that is chosen is kept."""
    operator.get("language", "value = 'de'")
    operator.browser.run("document.getElementById('language').dispatchEvent(new Event('change'))")
    wait_until(lambda: operator.browser.run("document.documentElement.lang") == "de")
    operator.browser.open("http://127.0.0.1:%d/" % operator.line.port)
    wait_until(lambda: operator.browser.run("document.documentElement.lang") == "de" and operator.browser.run(CARDS).get("Partie"))
    operator.browser.run("localStorage.clear()")


def test_page(browser, folder):
    line = Line(folder, keys="token-file=tokens\nshifts=06:00;14:00;22:00\nsegment-mb=64\nkeep-mb=20000\n", more=NO_PUBLISHER)
    for i, language in enumerate(LANGUAGES):
        for size, form in ((DESKTOP, "desk"), (PHONE, "phone")):
            browser.look_like(size, "light")
            operator = Operator(browser, line, language)
            if (i, form) == (0, "desk"):
                check_alarm(operator)
            check_buttons(operator, "L-%s-%s" % (language, form))
            check_language(operator, language)
            check_looks(operator, "page-%s-%s" % (language, form))
            operator.press("#sign-out")
            assert not browser.run("sessionStorage.length") and operator.get("signed-in", "hidden")
    # Chromium tells of what was refused
    assert not (said := [entry for entry in browser.console() if "/command - " not in entry["message"]]), said
    operator = Operator(browser, line)
    check_refused(operator)
    check_tokens(operator)
    check_choice(operator)
    check_two(browser, line)
    line.end()


if __name__ == "__main__":
    run(test_page)
    print("each button does what it says")
