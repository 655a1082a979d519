# SPDX-License-Identifier: LGPL-2.1-or-later
"""The texts of the line's page: page_messages.py FOLDER

Each language has the texts that English has, with the same places for values; the page uses those that there are, and all of
them; and it has none of its own.
"""

import html.parser
import json
import os
import re
import sys

FOLDER = sys.argv[1]
LANGUAGES = "en", "it", "de", "es"
SCRIPTS = "page.js", "draw.js", "charts.js", "commands.js", "messages.js"
# what texts are made of for each member of the line's lists: the beginning of the keys, and the C file and array of the names
LISTS = (("alarm-", "alarms.c", "line_alarm_names"), ("doubt-", "decide.c", "line_doubt_names"),
         ("loss-", "loss.c", "line_loss_names"), ("status-", "recipe.c", "line_status_names"))
OTHERS = {"outlet-": ("empty", "undecided"), "camera-": ("running", "gone")}


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def load(language):
    def unique(pairs):
        keys = [key for key, _ in pairs]
        assert len(set(keys)) == len(keys), (language, sorted(keys))
        return dict(pairs)
    return json.loads(read("messages/%s.json" % language), object_pairs_hook=unique)


def find_places(text):
    return sorted(re.findall(r"\{[^}]*\}", text))


def find_names(file, array):
    """The strings of an initialiser in C."""
    found = re.search(array + r"[^=;]*=\s*\{(.*?)\}", read(file), re.S)
    assert found, (file, array)
    names = re.findall('"([a-z-]+)"', found[1])
    assert len(names) > 2, (file, names)
    return names


def test_languages(texts):
    assert len(texts["en"]) > 100
    for language, own in texts.items():
        assert set(own) == set(texts["en"]), (language, set(own) ^ set(texts["en"]))
        for key, text in own.items():
            assert text.strip() and text == text.strip(), (language, key)
            assert find_places(text) == find_places(texts["en"][key]), (language, key, text)
            # a text that nobody has translated, of more than a word
            assert language == "en" or text != texts["en"][key] or " " not in text, (language, key, text)


class Parts(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.keys, self.texts, self.tag = set(), [], ""

    def handle_starttag(self, tag, attrs):
        self.tag = tag
        for name, value in attrs:
            if name == "data-text":
                self.keys.add(value)
            assert name not in ("style", "placeholder", "alt", "title", "aria-label") and not name.startswith("on"), (tag, name)

    def handle_data(self, data):
        if data.strip() and self.tag != "title":
            self.texts.append(data.strip())


def test_keys(texts):
    page = Parts()
    page.feed(read("page.html"))
    assert not page.texts, page.texts
    script = "\n".join(map(read, SCRIPTS))
    literal = set(re.findall(r'\btext\(\s*"([a-z-]+)"\s*[,)]', script)) | page.keys
    assert len(literal) > 80
    assert literal <= set(texts["en"]), literal - set(texts["en"])
    made = {prefix + name for prefix, file, array in LISTS for name in find_names(file, array)}
    made |= {prefix + name for prefix, names in OTHERS.items() for name in names}
    assert made <= set(texts["en"]), made - set(texts["en"])
    # the others are named in the scripts, as those of a table's heads are
    named = set(re.findall('"([a-z-]+)"', script))
    unused = set(texts["en"]) - literal - made - named
    assert not unused, unused


def test_script_is_silent():
    """No text for people is in a script: none has two words with a space between, but for tags, paths and headers."""
    for name in SCRIPTS:
        code = re.sub(r"(?m)^\s*//.*$|\s// .*$", "", read(name))
        for found in re.findall(r'"((?:[^"\\\n]|\\.)*)"', code):
            if re.search("[A-Za-z]{2,} [A-Za-z]{2,}", found):
                assert found in ("card bad", "tile bad", "answer bad", "use strict", "series series", "key series",
                                 "alarm gone"), (name, found)


def main():
    texts = {language: load(language) for language in LANGUAGES}
    assert sorted(os.listdir(os.path.join(FOLDER, "messages"))) == sorted(l + ".json" for l in LANGUAGES)
    test_languages(texts)
    test_keys(texts)
    test_script_is_silent()
    print("%d texts in %d languages" % (len(texts["en"]), len(texts)))


if __name__ == "__main__":
    main()
