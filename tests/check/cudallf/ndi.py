#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ndi.py LLF_LIVE: NDI through pipelines/llf_live.py, with elements that stand for those of gst-plugins-rs.

They have the names, pads, formats and properties of the real ones; the network is left out. Run with arguments of
llf-live behind `--with-ndi`, it is llf-live with them. Exits with 77 when a module of others is missing.
"""
import os
import re
import runpy
import subprocess
import sys

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

GObject, Gst, GstBase = need('GObject', 'Gst', 'GstBase')


TIMEOUT = 120
SINK_CAPS = 'video/x-raw,format={UYVY,I420,NV12,NV21,YV12,BGRA,BGRx,RGBA,RGBx}'
N_FRAMES = 30


def template(name, direction, presence, caps):
    return Gst.PadTemplate.new(name, direction, presence, Gst.Caps.from_string(caps))


class Source(Gst.Bin):
    """One stream of video under caps that only the demuxer takes."""
    __gstmetadata__ = ('NDI source', 'Source', 'Stands for ndisrc', 'The gst-cudashapes authors')
    __gsttemplates__ = (template('src', Gst.PadDirection.SRC, Gst.PadPresence.ALWAYS, 'application/x-ndi'),)
    ndi_name = GObject.Property(type=str)

    def __init__(self):
        super().__init__()
        inside = Gst.parse_bin_from_description(
            'videotestsrc is-live=true num-buffers=%d ! video/x-raw,format=UYVY,width=64,height=48,framerate=30/1 ! '
            'capssetter join=false replace=true caps=application/x-ndi' % N_FRAMES, True)
        self.add(inside)
        self.add_pad(Gst.GhostPad.new_from_template('src', inside.get_static_pad('src'),
                                                    self.get_pad_template('src')))

    def do_change_state(self, change):
        if change == Gst.StateChange.NULL_TO_READY:
            print('ndisrc has "%s"' % self.ndi_name, flush=True)
        return Gst.Bin.do_change_state(self, change)


class Demuxer(Gst.Element):
    """Has pads for video and audio only when they come."""
    __gstmetadata__ = ('NDI demuxer', 'Demuxer', 'Stands for ndisrcdemux', 'The gst-cudashapes authors')
    __gsttemplates__ = (template('sink', Gst.PadDirection.SINK, Gst.PadPresence.ALWAYS, 'application/x-ndi'),
                        template('video', Gst.PadDirection.SRC, Gst.PadPresence.SOMETIMES, 'video/x-raw'),
                        template('audio', Gst.PadDirection.SRC, Gst.PadPresence.SOMETIMES, 'audio/x-raw'))

    def __init__(self):
        super().__init__()
        self.video = None
        self.sink = Gst.Pad.new_from_template(self.get_pad_template('sink'), 'sink')
        self.sink.set_chain_function_full(self.take)
        self.sink.set_event_function_full(self.hear)
        self.add_pad(self.sink)

    def open(self, name, caps):
        pad = Gst.Pad.new_from_template(self.get_pad_template(name), name)
        pad.set_active(True)
        pad.push_event(Gst.Event.new_stream_start('ndi-' + name))
        pad.push_event(Gst.Event.new_caps(Gst.Caps.from_string(caps)))
        self.add_pad(pad)
        return pad

    def hear(self, pad, parent, event):
        if event.type == Gst.EventType.CAPS:
            self.open('audio', 'audio/x-raw,format=F32LE,rate=48000,channels=2,layout=interleaved')
            self.video = self.open('video', 'video/x-raw,format=UYVY,width=64,height=48,framerate=30/1')
            return True
        if event.type == Gst.EventType.STREAM_START:
            return True
        return self.video.push_event(event) if self.video else pad.event_default(parent, event)

    def take(self, pad, parent, buffer):
        return self.video.push(buffer)


class Sink(GstBase.BaseSink):
    """Takes what ndisink takes."""
    __gstmetadata__ = ('NDI sink', 'Sink', 'Stands for ndisink', 'The gst-cudashapes authors')
    __gsttemplates__ = (template('sink', Gst.PadDirection.SINK, Gst.PadPresence.ALWAYS, SINK_CAPS),)
    ndi_name = GObject.Property(type=str)

    def do_start(self):
        print('ndisink has "%s"' % self.ndi_name, flush=True)
        return True

    def do_render(self, buffer):
        return Gst.FlowReturn.OK


def live(script, arguments):
    """llf-live in this process, with the stand-ins."""
    for name, kind in (('ndisrc', Source), ('ndisrcdemux', Demuxer), ('ndisink', Sink)):
        GObject.type_register(kind)
        Gst.Element.register(None, name, Gst.Rank.NONE, kind)
    sys.argv = [script, *arguments]
    runpy.run_path(script, run_name='__main__')


def run(script, *arguments, with_ndi=True):
    command = [sys.executable, __file__, script, '--with-ndi'] if with_ndi else [sys.executable, script]
    # GStreamer warns of every element in Python: it is not floating
    environment = {name: value for name, value in os.environ.items() if name != 'G_DEBUG' or not with_ndi}
    return subprocess.run([*command, *arguments], text=True, timeout=TIMEOUT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=environment)


def expect(done, status, *texts):
    for text in texts:
        if done.returncode != status or not re.search(text, done.stdout):
            sys.exit('ndi.py: not "%s" and status %d, but %d and\n%s' % (text, status, done.returncode, done.stdout))


def main(script):
    name = 'STUDIO 1 (Camera "A")'
    counted = r'frames in %d, out \d+, left out' % N_FRAMES
    expect(run(script, '--backend', 'cpu', 'ndi:' + name, 'ndi:out'), 0,
           re.escape('ndisrc has "%s"' % name), 'ndisink has "out"', counted)
    expect(run(script, '--backend', 'cpu', 'ndi:' + name, 'none'), 0, counted)
    expect(run(script, 'ndi:', 'none'), 1, 'ndi:NAME', 'gst-device-monitor-1.0')
    expect(run(script, 'test', 'ndi:'), 1, 'ndi:NAME')
    if not any(Gst.ElementFactory.find(real) for real in ('ndisrc', 'ndisink')):
        expect(run(script, 'ndi:x', 'none', with_ndi=False), 1, 'no element ndisrc', 'gst-plugins-rs', 'NDI')
        expect(run(script, 'test', 'ndi:x', with_ndi=False), 1, 'no element ndisink', 'gst-plugins-rs', 'NDI')
    print('NDI goes through llf-live')


if len(sys.argv) > 2 and sys.argv[2] == '--with-ndi':
    live(sys.argv[1], sys.argv[3:])
else:
    if not Gst.ElementFactory.find('capssetter'):
        print('skipped: no capssetter')
        sys.exit(77)
    main(sys.argv[1])
