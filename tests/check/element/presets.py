#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Presets of all elements: each loads, names only properties that there are,
and leaves nothing of another one behind. The folder is GST_PRESET_PATH."""
import configparser
import os
import pathlib
import sys
import tempfile
import unittest

# nobody's own presets
FOLDER = tempfile.TemporaryDirectory()
os.environ['XDG_DATA_HOME'] = FOLDER.name

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

GObject, Gst = need('GObject', 'Gst')

PRESETS = pathlib.Path(os.environ['GST_PRESET_PATH'])
COMMON = ('backend', 'cuda-device-id', 'n-threads', 'qos', 'name', 'parent')


def elements():
    """{type: element}"""
    found = {}
    for feature in Gst.Registry.get().get_feature_list_by_plugin('cudashapes'):
        if isinstance(feature, Gst.ElementFactory):
            element = feature.create()
            found[element.__gtype__.name] = element
    return found


def read(path):
    """{preset: {property: text}}"""
    # values as GStreamer takes them: without interpolation or comments
    parser = configparser.RawConfigParser(delimiters='=',
                                          comment_prefixes='#')
    parser.optionxform = str
    parser.read(path, encoding='utf-8')
    assert parser['_presets_']['element-name'] == path.stem, path
    return {name: {key: value for key, value in parser[name].items()
                   if key != '_meta/comment'}
            for name in parser.sections() if name != '_presets_'}


def own_properties(element):
    return [spec.name for spec in element.list_properties()
            if spec.flags & GObject.ParamFlags.WRITABLE
            and spec.name not in COMMON and not spec.name.endswith('-name')
            and spec.owner_type.name not in ('GstObject', 'GstBaseTransform',
                                             'GstAggregator')]


def values(element, names):
    return {name: Gst.value_serialize(value) for name, value in (
        (name, GObject.Value(element.find_property(name).value_type,
                             element.get_property(name))) for name in names)}


class Presets(unittest.TestCase):
    def test_elements_with_five_properties_have_some(self):
        for name, element in elements().items():
            if len(own_properties(element)) >= 5:
                self.assertTrue((PRESETS / (name + '.prs')).exists(), name)

    def test_files_are_of_elements(self):
        # shapeanalytics needs GStreamer 1.24
        self.assertLessEqual({path.stem for path in PRESETS.glob('*.prs')},
                             set(elements()) | {'GstShapeAnalytics'})

    def test_each_loads(self):
        for name, element in elements().items():
            path = PRESETS / (name + '.prs')
            if not path.exists():
                continue
            presets = read(path)
            self.assertEqual(sorted(element.get_preset_names()),
                             sorted(presets), name)
            properties = set().union(*presets.values())
            for preset, texts in presets.items():
                # whatever was loaded before
                self.assertEqual(set(texts), properties, (name, preset))
                self.assertTrue(element.get_meta(preset, 'comment')[0])
                self.assertTrue(element.load_preset(preset), (name, preset))
                expected = elements()[name]
                for key, text in texts.items():
                    self.assertTrue(expected.find_property(key), (name, key))
                    Gst.util_set_object_arg(expected, key, text)
                self.assertEqual(values(element, properties),
                                 values(expected, properties), (name, preset))


if __name__ == '__main__':
    unittest.main()
