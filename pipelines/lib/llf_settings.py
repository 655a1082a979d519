# SPDX-License-Identifier: LGPL-2.1-or-later
"""What scripts share: setting an element's properties as the user says, and the options of cudallf."""
from gi.repository import GLib, GObject, Gst

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


def set_property(element, setting, option="--set "):
    """Sets PROPERTY=VALUE; raises RuntimeError, saying what is wrong."""
    name, equals, text = setting.partition("=")
    spec = element.find_property(name)
    factory = element.get_factory().get_name()
    if not equals:
        raise RuntimeError(f"{option}{setting}: PROPERTY=VALUE is wanted")
    if not spec or not spec.flags & GObject.ParamFlags.WRITABLE:
        raise RuntimeError(f"{factory} has no property {name} to set; see gst-inspect-1.0 {factory}")
    check_range(spec, name, text)
    quoted = text.replace("\\", "\\\\").replace("\"", "\\\"")
    try:
        # the parser refuses what is no value of the property's type
        Gst.parse_launch(f"{factory} {name}=\"{quoted}\"")
    except GLib.Error as error:
        raise RuntimeError(f"{name} cannot be \"{text}\"; see gst-inspect-1.0 {factory}") from error
    Gst.util_set_object_arg(element, name, text)


def check_coding(element, linear):
    """Whether the coding that the element expects is that of what comes."""
    is_set = element.props.hdr.value_nick == "linear"
    if linear and not is_set:
        raise RuntimeError("linear light is HDR: --preset ToneMap, or --set hdr=linear, is for it")
    if is_set and not linear:
        raise RuntimeError("what comes is not linear light: add --set hdr=srgb")


def set_options(element, options, linear=False):
    """LINEAR: whether linear light comes, not codes of a display."""
    Gst.util_set_object_arg(element, "backend", options.backend)
    if options.preset and not element.load_preset(options.preset):
        raise RuntimeError("there is no preset %s, but %s" % (options.preset, ", ".join(element.get_preset_names())))
    if options.quality:
        Gst.util_set_object_arg(element, "quality", options.quality)
    for setting in options.set:
        set_property(element, setting)
    check_coding(element, linear)
