# SPDX-License-Identifier: LGPL-2.1-or-later
"""What scripts that read pictures and films share: what is in a file, and running a pipeline with its progress."""
import re
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


class Film:
    """What is in a file: video and audio, text: caps of its streams, decoded, as text; and whether it is a still picture."""

    def __init__(self, name):
        self.name, self.is_still = files.shown(name), False
        self.video, self.audio, self.text = [], [], []

    def _field(self, name):
        found = re.search(r"\b%s=\(\w+\)([\w:./-]+)" % name, self.video[0])
        return found[1] if found else ""

    def size(self):
        return int(self._field("width")), int(self._field("height"))

    def format(self):
        return self._field("format")

    def bits(self):
        """Of a sample; 8 unless the format's name has more."""
        found = re.search(r"_(10|12|16)|P0(10|12|16)|(64)", self.format())
        return 8 if not found else 16 if found[3] else int(found[1] or found[2])

    def is_interlaced(self):
        return self._field("interlace-mode") not in ("", "progressive")


def look(path):
    """What is in a file that GStreamer decodes; raises RuntimeError if that is no picture and no film."""
    pipeline = Gst.parse_launch("filesrc name=file ! decodebin name=d ! video/x-raw(ANY) ! fakesink name=sink num-buffers=2 "
                                "sync=false signal-handoffs=true")
    files.set_file(pipeline.get_by_name("file"), path)
    film, count = Film(path), [0]
    pipeline.get_by_name("sink").connect("handoff", lambda *_: count.__setitem__(0, count[0] + 1))

    def added(_, pad):
        # not get_structure(), which GStreamer's own overrides change between versions
        caps = (pad.get_current_caps() or pad.query_caps(None)).to_string()
        streams = getattr(film, caps.split("/")[0], None)
        if isinstance(streams, list):
            streams.append(caps)
    pipeline.get_by_name("d").connect("pad-added", added)
    run(pipeline)
    if not film.video:
        raise RuntimeError(f"{film.name} has no pictures in it")
    film.is_still = count[0] < 2
    return film


def take(film, pad="d"):
    """The pipeline from a decodebin named so to frames that are upright, whole pictures, of even size; and what is lost, in
    lines."""
    lost, line = [], f"{pad}. ! queue ! videoconvert ! "
    if film.is_interlaced():
        if film.bits() > 8:
            raise RuntimeError(f"{film.name} is interlaced, with {film.bits()} bits a sample: make whole pictures of it first, "
                               "such as with ffmpeg -i IN -vf bwdif -c:a copy OUT.mp4")
        line += "deinterlace ! "
        lost.append(f"{film.name}: its interlaced fields become pictures")
    line += "videoflip video-direction=auto ! "
    return line, lost


def sound(film, decoder, muxer, encode=None):
    """The rest of a pipeline that brings all sound of a film from its decoder to its muxer, encoded, as AAC unless said
    otherwise."""
    if not film.audio:
        return ""
    encode = encode or first("avenc_aac", "voaacenc", "fdkaacenc")
    return f" {decoder}. ! audio/x-raw ! queue max-size-time=0 max-size-bytes=0 max-size-buffers=0 ! audioconvert ! " \
           f"audioresample ! {encode} ! queue ! {muxer}." * len(film.audio)
