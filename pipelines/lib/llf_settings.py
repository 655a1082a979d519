# SPDX-License-Identifier: LGPL-2.1-or-later
"""What scripts share: setting an element's properties as the user says, and the options of cudallf."""
import re

from gi.repository import GObject, Gst

import files

QUALITIES = ("fast", "normal", "high", "exact", "sampled")


def add_options(parser):
    parser.add_argument("--preset", help="Detail, CleanDetail, Clarity, Smooth, Compress or ToneMap (default: the "
                        "element's defaults)")
    parser.add_argument("--quality", choices=QUALITIES, help="how exact (default: normal, or what the preset says)")
    parser.add_argument("--backend", default="auto", choices=("auto", "cuda", "cpu"), help="where to compute")
    parser.add_argument("--set", action="append", default=[], metavar="PROPERTY=VALUE",
                        help="a property of cudallf, such as --set sigma=0.3; any number of times")


def check_range(spec, name, text):
    """Numbers out of range are refused; GObject would only warn."""
    if not hasattr(spec, "minimum"):
        return
    try:
        number = float(text)
    except ValueError:
        # another notation, which the property's type has taken
        return
    if not spec.minimum <= number <= spec.maximum:
        raise RuntimeError(f"{name}={text} is out of range: it takes {spec.minimum:g} to {spec.maximum:g}")


def is_value(kind, text):
    """Whether the text says a value of this type; setting a property by text would not tell."""
    if kind == GObject.TYPE_STRING:
        return all(not 0xd800 <= ord(c) < 0xe000 for c in text)      # only UTF-8
    if not re.fullmatch(r"[\w.+:<>{}(), -]+", text):
        return False
    try:
        # a type for all of an array's elements is not said
        kind = "" if kind == Gst.ValueArray.__gtype__ and text[0] == "<" else f"({kind.name})"
        return bool(Gst.Structure.new_from_string(f"value, it={kind}{text};"))
    except TypeError:
        return False


def set_property(element, setting, option="--set "):
    """Sets PROPERTY=VALUE; raises RuntimeError, saying what is wrong."""
    name, equals, text = setting.partition("=")
    spec = element.find_property(name) if name.isascii() else None
    factory = element.get_factory().get_name()
    if not equals:
        raise RuntimeError(f"{option}{files.shown(setting)}: PROPERTY=VALUE is wanted")
    if not spec or not spec.flags & GObject.ParamFlags.WRITABLE:
        raise RuntimeError(f"{factory} has no property {files.shown(name)} to set; see gst-inspect-1.0 {factory}")
    check_range(spec, name, text)
    if not is_value(spec.value_type, text):
        raise RuntimeError(f"{name} cannot be \"{files.shown(text)}\"; see gst-inspect-1.0 {factory}")
    if spec.value_type == GObject.TYPE_STRING:
        element.set_property(name, text)
    else:
        Gst.util_set_object_arg(element, name, text)


def is_written(name):
    """Whether this property names a file that fourierdraw writes; GObject takes "_" for "-"."""
    return name.replace("_", "-") == "json-location"


def values(settings):
    """What PROPERTY=VALUEs may name: files that the element reads."""
    return [text for name, _, text in (setting.partition("=") for setting in settings) if not is_written(name)]


def set_drawing(element, settings, outputs):
    """Sets PROPERTY=VALUEs of fourierdraw; what it writes is one of the outputs."""
    for setting in settings:
        name, _, text = setting.partition("=")
        set_property(element, f"{name}={outputs.name(text)}" if is_written(name) and text else setting, "")


def check_coding(element, linear):
    """Whether the coding that the element expects is that of what comes."""
    is_set = element.props.hdr.value_nick == "linear"
    if linear and not is_set:
        raise RuntimeError("linear light is HDR: --preset ToneMap, or --set hdr=linear, is for it")
    if is_set and not linear:
        raise RuntimeError("what comes is not linear light: add --set hdr=srgb; for a film in HDR --set hdr=pq, or hlg")


def set_options(element, options, linear=False):
    """LINEAR: whether linear light comes, not codes of a display."""
    Gst.util_set_object_arg(element, "backend", options.backend)
    presets = element.get_preset_names()
    if options.preset and (options.preset not in presets or not element.load_preset(options.preset)):
        raise RuntimeError("there is no preset %s, but %s" % (files.shown(options.preset), ", ".join(presets)))
    if options.quality:
        Gst.util_set_object_arg(element, "quality", options.quality)
    for setting in options.set:
        set_property(element, setting)
    check_coding(element, linear)
