# SPDX-License-Identifier: LGPL-2.1-or-later
"""What scripts that read pictures and films share: what is in a file, and running a pipeline with its progress."""
import sys

import time

from gi.repository import GLib, Gst

import files

# Seconds after which the progress of a run is printed, again and again.
PATIENCE = 2


def first(*names):
    """The first of these elements, with options, that is installed."""
    for name in names:
        if Gst.ElementFactory.find(name.split()[0]):
            return name
    raise RuntimeError("none of %s is installed" % ", ".join(name.split()[0] for name in names))


def say_progress(pipeline, name):
    there, position = pipeline.query_position(Gst.Format.TIME)
    known, duration = pipeline.query_duration(Gst.Format.TIME)
    if there:
        of = " of %.0f s, %.0f %%" % (duration / Gst.SECOND, 100 * position / duration) if known and duration > 0 else " s"
        print("%s: %.1f%s" % (name, position / Gst.SECOND, of), file=sys.stderr, flush=True)


def fault(message):
    """What an error message says, for a terminal."""
    try:
        error, detail = message.parse_error()
    except UnicodeDecodeError:      # it has a name that is not UTF-8
        return f"{message.src.get_name()}: an error with a name that is not UTF-8"
    return "\n".join(map(files.shown, f"{message.src.get_name()}: {error.message}\n{detail or ''}".splitlines()))


def run(pipeline, name=None):
    """Plays until the end; raises RuntimeError with what the pipeline says is wrong. Long runs of a name tell how far
    they are."""
    bus, said = pipeline.get_bus(), time.monotonic()
    try:
        # a signal that comes while it starts is heard right after that, and it must not go on writing
        pipeline.set_state(Gst.State.PLAYING)
        # signals are only heard between waits
        while not (message := bus.timed_pop_filtered(Gst.SECOND // 5, Gst.MessageType.EOS | Gst.MessageType.ERROR)):
            if name and time.monotonic() >= said + PATIENCE:
                say_progress(pipeline, name)
                said = time.monotonic()
        if message.type == Gst.MessageType.ERROR:
            raise RuntimeError(fault(message))
    finally:
        pipeline.set_state(Gst.State.NULL)


def is_film(path):
    """Whether more than one frame comes out of the file: still images have one."""
    pipeline = Gst.parse_launch("filesrc name=file ! decodebin ! video/x-raw(ANY) ! fakesink name=sink num-buffers=2 "
                                "sync=false signal-handoffs=true")
    files.set_file(pipeline.get_by_name("file"), path)
    count = [0]
    pipeline.get_by_name("sink").connect("handoff", lambda *_: count.__setitem__(0, count[0] + 1))
    run(pipeline)
    return count[0] > 1


def has_audio(path):
    """Whether there is sound in the file."""
    pipeline = Gst.parse_launch("filesrc name=file ! decodebin name=d ! video/x-raw(ANY) ! fakesink sync=false "
                                "num-buffers=1")
    files.set_file(pipeline.get_by_name("file"), path)
    found = []

    def added(_, pad):
        caps = pad.get_current_caps() or pad.query_caps(None)
        # not get_structure(), which GStreamer's own overrides change between versions
        found.append(caps.to_string().split(",")[0])
    pipeline.get_by_name("d").connect("pad-added", added)
    run(pipeline)
    return "audio/x-raw" in found


def sound(path, decoder, muxer, encode=None):
    """The rest of a pipeline that brings the sound of a file from its decoder to its muxer, encoded, as AAC unless said
    otherwise; empty if there is none."""
    if not has_audio(path):
        return ""
    encode = encode or first("avenc_aac", "voaacenc", "fdkaacenc")
    return f" {decoder}. ! queue max-size-time=0 max-size-bytes=0 max-size-buffers=0 ! audioconvert ! audioresample ! " \
           f"{encode} ! queue ! {muxer}."
