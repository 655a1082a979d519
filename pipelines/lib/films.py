# SPDX-License-Identifier: LGPL-2.1-or-later
"""What scripts that read pictures and films share: what is in a file, and running a pipeline with its progress."""
import re
import sys
import time

from gi.repository import GLib, Gst

import files

# Seconds after which the progress of a run is printed, again and again.
PROGRESS_EVERY = 2


def first(*names):
    """The first of these elements, with options, that is installed."""
    for name in names:
        if Gst.ElementFactory.find(name.split()[0]):
            return name
    raise RuntimeError("none of %s is installed" % ", ".join(name.split()[0] for name in names))


def say_progress(pipeline):
    there, position = pipeline.query_position(Gst.Format.TIME)
    known, duration = pipeline.query_duration(Gst.Format.TIME)
    if there:
        of = " of %.0f s, %.0f %%" % (duration / Gst.SECOND, 100 * position / duration) if known and duration > 0 else " s"
        print("%s: %.1f%s" % (files.PROGRAM, position / Gst.SECOND, of), file=sys.stderr, flush=True)


def fault(message):
    """What an error message says, for a terminal."""
    try:
        error, detail = message.parse_error()
    except UnicodeDecodeError:      # it has a name that is not UTF-8
        return f"{message.src.get_name()}: an error with a name that is not UTF-8"
    return "\n".join(map(files.shown, f"{message.src.get_name()}: {error.message}\n{detail or ''}".splitlines()))


def run(pipeline, progress=False):
    """Plays until the end, and tells how far it is if that takes long and @progress says so; raises RuntimeError with what the
    pipeline says is wrong."""
    bus, said = pipeline.get_bus(), time.monotonic()
    try:
        # a signal that comes while it starts is heard right after that, and it must not go on writing
        pipeline.set_state(Gst.State.PLAYING)
        # signals are only heard between waits
        while not (message := bus.timed_pop_filtered(Gst.SECOND // 5, Gst.MessageType.EOS | Gst.MessageType.ERROR)):
            if progress and time.monotonic() >= said + PROGRESS_EVERY:
                say_progress(pipeline)
                said = time.monotonic()
        if message.type == Gst.MessageType.ERROR:
            raise RuntimeError(fault(message))
    finally:
        pipeline.set_state(Gst.State.NULL)


# of formats whose colours have half of the resolution in both directions, or that have none
HALVED = re.compile("420|YV12|NV12|NV21|P01|GRAY")


class Film:
    """What is in a file: the caps, as text, of its streams as they are decoded, by their kind; and whether it is a still
    picture."""

    def __init__(self, path):
        self.name, self.is_still = files.shown(path), False
        self.streams = {}

    def count(self, *kinds):
        return sum(len(self.streams.get(kind, ())) for kind in kinds)

    def _field(self, name):
        found = re.search(r"\b%s=\(\w+\)([\w:./-]+)" % name, self.streams["video"][0])
        return found[1] if found else ""

    def bits(self):
        """Of a sample; 8 unless the format's name has more."""
        found = re.search(r"_(10|12|16)|P0(10|12|16)|64", self._field("format"))
        return int(found[1] or found[2] or 16) if found else 8

    def format(self):
        """As which it is processed and written."""
        return "I420" if self.bits() == 8 else "I420_10LE"

    def frames(self, decoder):
        """The rest of a pipeline from a decodebin of this name to its pictures: whole ones, upright, of even size."""
        line = f"{decoder}. ! video/x-raw(ANY) ! queue ! videoconvert ! video/x-raw,format={self.format()} ! "
        if self._is_interlaced():
            line += "deinterlace ! "
        odd = [int(self._field(side)) % 2 for side in ("width", "height")]
        if any(odd):
            line += "videocrop right=%d bottom=%d ! " % tuple(odd)
        # method=automatic does nothing before GStreamer 1.24
        return line + "videoflip video-direction=auto ! "

    def _is_interlaced(self):
        return self._field("interlace-mode") not in ("", "progressive")

    def check(self):
        """Raises RuntimeError, which says what to do, if a film cannot be made of it."""
        if self._is_interlaced() and self.bits() > 8:
            raise RuntimeError(f"{self.name} is interlaced, with more than 8 bits a sample: make whole pictures of it first, "
                               "such as with ffmpeg -i IN -vf bwdif -c:a copy OUT.mp4")
        if min(int(self._field(side)) for side in ("width", "height")) < 2:
            raise RuntimeError(f"{self.name} is a film of a single row or column: H.264 has no such films")
        if self.bits() > 8 and not Gst.ElementFactory.find("x264enc"):
            raise RuntimeError(f"{self.name} has more than 8 bits a sample: install x264enc (gstreamer1.0-plugins-ugly)")

    def losses(self):
        """Lines on what a film that is made of it does not have."""
        width, height = (int(self._field(side)) for side in ("width", "height"))
        lost = (
            (self._is_interlaced(), "its interlaced fields become pictures"),
            (width % 2 or height % 2, f"its {width} x {height} pixels become {width & ~1} x {height & ~1}: H.264 has even "
             "numbers"),
            (not HALVED.search(self._field("format")), "its colours are written at half of their resolution, as H.264 has them "
             "that all players take"),
            ("A" in self._field("format").replace("GRAY", ""), "its transparency is left out"),
            (self.bits() > 10, f"its {self.bits()} bits a sample become 10"),
            ("mastering-display-info" in self.streams["video"][0], "what it says of the mastering display is left out"),
            (self.count("video") > 1, f"only the first of its {self.count('video')} pictures is taken"),
            (self.count("text", "subpicture"), f"its {self.count('text', 'subpicture')} subtitles are left out; ffmpeg -i OUT "
             "-i IN -map 0 -map 1:s -c copy -c:s mov_text BOTH.mp4 adds them"))
        return [f"{self.name}: {text}" for is_so, text in lost if is_so]


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
        film.streams.setdefault(caps.split("/")[0], []).append(caps)

    def all_there(_):
        if not film.count("video"):
            pipeline.get_bus().post(Gst.Message.new_eos(pipeline))      # no sink will
    pipeline.get_by_name("d").connect("pad-added", added)
    pipeline.get_by_name("d").connect("no-more-pads", all_there)
    try:
        run(pipeline)
    except RuntimeError as error:
        raise RuntimeError(f"{film.name} is no picture and no film that GStreamer can decode here: {error}") from None
    if not film.count("video"):
        raise RuntimeError(f"{film.name} has no pictures in it")
    film.is_still = count[0] < 2
    return film


def sound(film, decoder, muxer, encode=None):
    """The rest of a pipeline that brings all sound of a film from its decoder to its muxer, encoded, as AAC unless said
    otherwise."""
    if not film.count("audio"):
        return ""
    encode = encode or first("avenc_aac", "voaacenc", "fdkaacenc")
    return f" {decoder}. ! audio/x-raw ! queue max-size-time=0 max-size-bytes=0 max-size-buffers=0 ! audioconvert ! " \
           f"audioresample ! {encode} ! queue ! {muxer}." * film.count("audio")
