#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Filters live video with cudallf, with bounded latency: old frames are dropped.

SOURCE   test             a moving test picture (default)
         v4l2 or v4l2:/dev/video0
         rtp:PORT         RTP over UDP, H.264 (or --codec jpeg); rtp:ADDRESS:PORT for one interface or a group
         rtsp://...  srt://...  or any other URI that GStreamer plays
         ndi:NAME         an NDI source, such as "ndi:STUDIO (Camera 1)", where gst-plugins-rs' ndisrc is installed
SINK     window           (default)
         rtp:HOST:PORT    RTP over UDP
         srt://...        MPEG-TS over SRT
         ndi:NAME         an NDI source of that name, where gst-plugins-rs' ndisink is installed
         none             only count

examples:
  %(prog)s v4l2                                        a camera in a window
  %(prog)s --preset Detail rtp:5000 rtp:192.0.2.7:5002
  %(prog)s rtsp://camera/stream srt://:7001
  %(prog)s --slow 100 --seconds 5 test none            what a slower machine would do

Once a second, and at the end, prints how many frames came in, went out, and were left out because a newer one was there,
and the latency: the time from the arrival of a decoded frame to its departure, encoding included.
"""
import argparse
import collections
import os
import re
import signal
import sys
import time

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import GLib, Gst
except (ImportError, ValueError) as error:
    sys.exit(f"llf_live.py: {error}; run it through pipelines/llf-live, or in `meson devenv -C build`")

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import files
import films
import llf_settings

# Seconds without a frame after which the user is told.
PATIENCE = 5

# What --seconds takes: GLib counts milliseconds in 32 bits.
MOST_SECONDS = 1000000

# Where frames wait: one, and the newest.
NEWEST = "queue name=newest leaky=downstream max-size-buffers=1 max-size-bytes=0 max-size-time=0"
RTP = {"h264": ("encoding-name=H264", "rtph264depay"), "jpeg": ("encoding-name=JPEG,payload=26", "rtpjpegdepay")}


class Meter:
    """Counts frames, and measures how long they take: by their timestamps up to the filter, then by their order, since
    encoders change timestamps."""

    def __init__(self, first, filtered, last):
        self.arrivals = {}
        self.filtered = collections.deque()
        self.leaving = None
        self.n_in = self.n_out = 0
        self.latencies = []
        self.recent = []
        first.add_probe(Gst.PadProbeType.BUFFER, self.arrive)
        filtered.add_probe(Gst.PadProbeType.BUFFER, self.filter)
        # RTP payloaders push buffer lists
        last.add_probe(Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST, self.leave)

    def arrive(self, pad, info):
        self.n_in += 1
        self.arrivals[info.get_buffer().pts] = time.monotonic()
        while len(self.arrivals) > 256:
            self.arrivals.pop(next(iter(self.arrivals)))
        return Gst.PadProbeReturn.OK

    def filter(self, pad, info):
        self.filtered.append(self.arrivals.pop(info.get_buffer().pts, None))
        return Gst.PadProbeReturn.OK

    def leave(self, pad, info):
        if info.type & Gst.PadProbeType.BUFFER_LIST:
            pts = info.get_buffer_list().get(0).pts
        else:
            pts = info.get_buffer().pts
        # all packets of a frame have one timestamp
        if pts == self.leaving or pts == Gst.CLOCK_TIME_NONE or not self.filtered:
            return Gst.PadProbeReturn.OK
        self.leaving = pts
        self.n_out += 1
        arrival = self.filtered.popleft()
        if arrival is not None:
            self.recent.append(time.monotonic() - arrival)
        return Gst.PadProbeReturn.OK

    def report(self):
        recent, self.recent = self.recent, []
        self.latencies += recent
        self.latencies = self.latencies[-100000:]
        if recent:
            say("in %d  out %d  latency %.1f ms (longest %.1f)" % (self.n_in, self.n_out,
                                                                 sorted(recent)[len(recent) // 2] * 1e3,
                                                                 max(recent) * 1e3))

    def summary(self):
        self.report()
        late = sorted(self.latencies)
        say("frames in %d, out %d, left out %d; latency %s" % (
            self.n_in, self.n_out, self.n_in - self.n_out,
            "median %.1f ms, longest %.1f ms" % (late[len(late) // 2] * 1e3, late[-1] * 1e3) if late else "unknown"))


def say(text):
    print(text, flush=True)


def need(name, package):
    if not Gst.ElementFactory.find(name):
        raise RuntimeError(f"there is no element {name}; it comes with {package}")
    return name


def ndi(element, name):
    """An element of NDI, which takes the name of a source. The plugin looks for NDI's library when it starts."""
    need(element, "the plugin ndi of gst-plugins-rs (gst-plugin-ndi), which needs NDI's library (libndi) to run")
    if not name:
        raise RuntimeError("ndi:NAME wants the name of a source; "
                           "gst-device-monitor-1.0 -f Source/Network:application/x-ndi lists those on the network")
    return element


def split_address(text, default):
    host, _, port = text.rpartition(":")
    if not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65535:
        raise RuntimeError(f"\"{files.shown(text)}\" has no port: a number from 1 to 65535 is wanted at its end")
    return host or default, int(port)


def check_uri(text):
    """srtsink crashes on a lone %, and on %00. Returns: the text"""
    if re.search("%(00|(?![0-9A-Fa-f]{2}))", text):
        raise RuntimeError(f"\"{files.shown(text)}\" is no URI: after % two hexadecimal digits are wanted, %25 is a %")
    return text


def describe_source(source, codec):
    """A launch line, and the properties of its element named source"""
    kind, _, rest = source.partition(":")
    if source == "test":
        return "videotestsrc name=source is-live=true pattern=ball ! video/x-raw,width=1280,height=720,framerate=30/1", {}
    if kind == "v4l2":
        return f"{need('v4l2src', 'gst-plugins-good')} name=source ! decodebin", {"device": rest} if rest else {}
    if kind == "rtp":
        host, port = split_address(rest, "0.0.0.0")
        name, depay = RTP[codec]
        return "udpsrc name=source buffer-size=2000000 caps=\"application/x-rtp,media=video,clock-rate=90000," \
               f"{name}\" ! rtpjitterbuffer latency=20 drop-on-latency=true ! {depay} ! decodebin", \
               {"address": host, "port": port}
    if kind == "ndi":
        return f"{ndi('ndisrc', rest)} name=source ! ndisrcdemux name=d d.video", {"ndi-name": rest}
    if "://" in source:
        return "uridecodebin name=source source.", {"uri": check_uri(source)}
    raise RuntimeError(f"\"{files.shown(source)}\" is no source; see --help")


def h264():
    return films.first("x264enc tune=zerolatency speed-preset=veryfast bitrate=8000 key-int-max=30",
                              "openh264enc bitrate=8000000 gop-size=30") + " ! h264parse config-interval=-1"


def describe_sink(sink, codec):
    """A launch line, and the properties of its element named out"""
    kind, _, rest = sink.partition(":")
    if sink == "window":
        if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
            raise RuntimeError("there is no display for a window: name a sink, such as rtp:HOST:PORT or none")
        return "autovideosink sync=false name=out", {}
    if sink == "none":
        return "fakesink sync=false name=out", {}
    if kind == "rtp":
        host, port = split_address(rest, "127.0.0.1")
        encode = "jpegenc quality=90 ! rtpjpegpay" if codec == "jpeg" else f"{h264()} ! rtph264pay aggregate-mode=" \
            "zero-latency"
        return f"video/x-raw,format=I420 ! {encode} ! udpsink sync=false async=false name=out", {"host": host, "port": port}
    if kind == "srt":
        return f"video/x-raw,format=I420 ! {h264()} ! mpegtsmux alignment=7 ! {need('srtsink', 'gst-plugins-bad')} " \
               "sync=false wait-for-connection=false name=out", {"uri": check_uri(sink)}
    if kind == "ndi":
        return f"{ndi('ndisink', rest)} sync=false name=out", {"ndi-name": rest}
    raise RuntimeError(f"\"{files.shown(sink)}\" is no sink; see --help")


def warn_of_silence(meter, source):
    source = files.shown(source)
    if meter.n_in == 0 and source.startswith("ndi:"):
        say(f"nothing has come from {source} in {PATIENCE} s: is there such a source? "
            "gst-device-monitor-1.0 -f Source/Network:application/x-ndi lists those on the network")
    elif meter.n_in == 0:
        say(f"nothing has come from {source} in {PATIENCE} s: is it sending, to this address and port, in this codec?")
    return False


def play(pipeline, meter, options):
    """Runs until EOS, an error, a signal, or for as long as the options say."""
    loop = GLib.MainLoop()
    problem = []

    def on_message(_, message):
        if message.type == Gst.MessageType.ERROR:
            problem.append(films.fault(message))
            loop.quit()
        elif message.type == Gst.MessageType.EOS:
            loop.quit()
        elif message.type == Gst.MessageType.LATENCY:
            pipeline.recalculate_latency()

    bus = pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect("message", on_message)
    for number in (signal.SIGINT, signal.SIGTERM):
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, number, loop.quit)
    GLib.timeout_add(1000, lambda: meter.report() or True)
    GLib.timeout_add_seconds(PATIENCE, warn_of_silence, meter, options.source)
    if options.seconds:
        GLib.timeout_add(int(options.seconds * 1000), loop.quit)
    pipeline.set_state(Gst.State.PLAYING)
    say("running; Ctrl+C ends it")
    loop.run()
    pipeline.set_state(Gst.State.NULL)
    meter.summary()
    if problem:
        raise RuntimeError(problem[0])


def describe(options):
    """The pipeline, with the properties as the user's words have them."""
    source, source_properties = describe_source(options.source, options.codec)
    sink, sink_properties = describe_sink(options.sink, options.codec)
    slow = f"identity sleep-time={options.slow * 1000} ! " if options.slow else ""
    pipeline = Gst.parse_launch(f"{source} ! {NEWEST} ! videoconvert ! cudallf name=llf ! {slow}videoconvert ! {sink}")
    for element, properties in (("source", source_properties), ("out", sink_properties)):
        for name, value in properties.items():
            llf_settings.set_property(pipeline.get_by_name(element), f"{name}={value}", f"{element}: ")
    llf_settings.set_options(pipeline.get_by_name("llf"), options)
    return pipeline


def main():
    parser = files.Parser(prog=files.PROGRAM, description=__doc__,
                          formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", default="test")
    parser.add_argument("sink", nargs="?", default="window")
    llf_settings.add_options(parser)
    parser.add_argument("--codec", default="h264", choices=tuple(RTP), help="of RTP, both ways")
    parser.add_argument("--seconds", type=float, help="end after this time")
    parser.add_argument("--slow", type=int, default=0, metavar="MS",
                        help="take that much longer for each frame, to see what a slower machine would do")
    options = parser.parse_args()
    if options.seconds is not None and not 0 < options.seconds <= MOST_SECONDS:
        parser.error(f"--seconds {options.seconds:g}: more than 0, and at most {MOST_SECONDS} are wanted")
    if not 0 <= options.slow <= 10000:
        parser.error(f"--slow {options.slow}: 0 to 10000 milliseconds are wanted")
    Gst.init(None)
    try:
        pipeline = describe(options)
        meter = Meter(pipeline.get_by_name("newest").get_static_pad("sink"),
                      pipeline.get_by_name("llf").get_static_pad("src"),
                      pipeline.get_by_name("out").get_static_pad("sink"))
        play(pipeline, meter, options)
    except (RuntimeError, GLib.Error) as error:
        sys.exit(f"{files.PROGRAM}: {error}")


if __name__ == "__main__":
    main()
