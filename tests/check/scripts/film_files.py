# SPDX-License-Identifier: LGPL-2.1-or-later
"""Films of the kinds that people have, for films.py, by GStreamer's elements, and what is in a film."""
import struct

from gi.repository import Gst

import numpy as np

NEEDED = ('x264enc', 'h264parse', 'mp4mux', 'qtdemux', 'avdec_h264', 'avenc_aac', 'avdec_aac', 'matroskamux', 'matroskademux',
          'jpegenc', 'jpegdec', 'decodebin', 'deinterlace', 'interlace', 'subparse', 'videocrop', 'videoflip')
RATE = 25
X264 = 'x264enc bframes=0 pass=quant quantizer=4 ! h264parse ! '
# a, b, c, d of the matrix in a track's head, ISO/IEC 14496-12, 8.3.2: x' = a x + c y, y' = b x + d y; of turns clockwise
MATRICES = {0: (1, 0, 0, 1), 90: (0, 1, -1, 0), 180: (-1, 0, 0, -1), 270: (0, -1, 1, 0)}


def wait(pipeline):
    message = pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    assert message and message.type == Gst.MessageType.EOS, message and message.parse_error()


def play(line, frames=(), caps='', times=None):
    """Runs it to its end; frames: bytes for an appsrc of these caps before it, at these times."""
    pipeline = Gst.parse_launch(('appsrc name=in format=time ! ' if frames else '') + line)
    source = pipeline.get_by_name('in')
    if source:
        source.props.caps = Gst.Caps.from_string(caps)
    pipeline.set_state(Gst.State.PLAYING)
    for index, frame in enumerate(frames):
        buffer = Gst.Buffer.new_wrapped(frame)
        buffer.pts = times[index] if times else index * Gst.SECOND // RATE
        buffer.duration = Gst.SECOND // RATE
        source.emit('push-buffer', buffer)
    if source:
        source.emit('end-of-stream')
    wait(pipeline)


def write(path, picture, more='', encode=None, count=8, times=None, convert='I420', caps=''):
    """A film of a picture of RGB, again and again."""
    height, width = picture.shape[:2]
    rows = np.zeros((height, (3 * width + 3) // 4 * 4), np.uint8)
    rows[:, :3 * width] = picture.reshape(height, -1)
    play('videoconvert ! video/x-raw,format=%s ! %s queue ! %s name=mux ! filesink location=%s %s' % (
        convert, encode or X264, 'matroskamux' if path.endswith('.mkv') else 'mp4mux', path, more), [rows.tobytes()] * count,
        'video/x-raw,format=RGB,width=%d,height=%d,framerate=%d/1%s' % (width, height, RATE, caps), times)


def matrices(data):
    """Where those of the tracks are."""
    places, at = [], data.find(b'tkhd')
    while at >= 0:
        places.append(at + 4 + 40)
        at = data.find(b'tkhd', at + 4)
    return places


def turn(path, degrees):
    """Says that the film is to be turned by so much, clockwise."""
    with open(path, 'rb') as file:
        data = bytearray(file.read())
    a, b, c, d = (each * 0x10000 for each in MATRICES[degrees])
    struct.pack_into('>9i', data, matrices(data)[0], a, b, 0, c, d, 0, 0, 0, 0x40000000)
    with open(path, 'wb') as file:
        file.write(data)


def turns(path):
    with open(path, 'rb') as file:
        data = file.read()
    return [struct.unpack_from('>5i', data, place) for place in matrices(data)]


class Seen:
    """What comes out of a film: caps, bytes and times of its pictures; kinds of its streams, languages of its sounds."""

    def __init__(self, path, convert='RGB'):
        self.frames, self.times, self.kinds, self.languages = [], [], [], []
        pipeline = Gst.parse_launch('filesrc location=%s ! decodebin name=d' % path)

        def keep(_sink, buffer, _pad):
            self.frames.append(buffer.extract_dup(0, buffer.get_size()))
            self.times.append(buffer.pts)

        def tags(pad, info):
            event = info.get_event()
            if event.type == Gst.EventType.TAG:
                found, language = event.parse_tag().get_string('language-code')
                if found and language not in self.languages:
                    self.languages.append(language)
            return Gst.PadProbeReturn.OK

        def added(_, pad):
            caps = pad.get_current_caps().to_string()
            kind = caps.split('/')[0]
            self.kinds.append(kind)
            chain = 'queue name=q ! fakesink name=s sync=false'
            if kind == 'video':
                self.caps = caps
                chain = 'queue name=q ! videoconvert ! video/x-raw,format=%s ! fakesink name=s sync=false ' \
                    'signal-handoffs=true' % convert
            part = Gst.parse_bin_from_description(chain, False)
            part.add_pad(Gst.GhostPad.new('sink', part.get_by_name('q').get_static_pad('sink')))
            if kind == 'video':
                part.get_by_name('s').connect('handoff', keep)
            else:
                part.get_static_pad('sink').add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, tags)
            pipeline.add(part)
            part.sync_state_with_parent()
            pad.link(part.get_static_pad('sink'))
        pipeline.get_by_name('d').connect('pad-added', added)
        pipeline.set_state(Gst.State.PLAYING)
        wait(pipeline)

    def size(self):
        return tuple(int(self.caps.split(name + '=(int)')[1].split(',')[0]) for name in ('width', 'height'))

    def picture(self, index=-1):
        width, height = self.size()
        return np.frombuffer(self.frames[index], np.uint8).reshape(height, -1)[:, :3 * width].reshape(height, width, 3)
