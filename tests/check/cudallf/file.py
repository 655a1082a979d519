#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""file.py LLF: pictures and films through pipelines/llf.py. Exits with 77 when an element or module of others is
missing."""
import os
import struct
import subprocess
import sys
import tempfile

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

Gst = need('Gst')

NEEDED = ('pngenc', 'pngdec', 'jpegenc', 'jpegdec', 'x264enc', 'h264parse', 'mp4mux', 'qtdemux', 'avdec_h264',
          'decodebin', 'videoflip')


def fail(text):
    sys.exit('file.py: ' + text)


def play(line):
    """Frames that arrive at the fakesink named "sink" of a pipeline, as bytes."""
    pipeline = Gst.parse_launch(line)
    frames = []
    sink = pipeline.get_by_name('sink')
    if sink:
        sink.set_property('signal-handoffs', True)
        sink.connect('handoff', lambda _, buffer, pad: frames.append(buffer.extract_dup(0, buffer.get_size())))
    bus = pipeline.get_bus()
    pipeline.set_state(Gst.State.PLAYING)
    message = bus.timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if not message or message.type != Gst.MessageType.EOS:
        fail('%s: %s' % (line, message.parse_error() if message else 'no end'))
    return frames


def decoded(path, kind='GRAY8'):
    return play('filesrc location="%s" ! decodebin ! videoconvert ! video/x-raw,format=%s ! fakesink name=sink '
                'sync=false' % (path, kind))


def llf(script, *arguments, code=0):
    done = subprocess.run([sys.executable, script, '--backend', 'cpu', *arguments], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=90)
    if (done.returncode == 0) != (code == 0):
        fail('%s: exit code %d: %s%s' % (arguments, done.returncode, done.stdout, done.stderr))
    return (done.stdout + done.stderr).strip()


def write_exr(path, width, height):
    """Two flat halves, of 1/16 and 1, uncompressed, in one float channel for each colour."""
    def attribute(name, kind, data):
        return name + b'\0' + kind + b'\0' + struct.pack('<i', len(data)) + data
    window = struct.pack('<4i', 0, 0, width - 1, height - 1)
    channels = b''.join(name + b'\0' + struct.pack('<iIii', 2, 0, 1, 1) for name in (b'B', b'G', b'R')) + b'\0'
    head = struct.pack('<iI', 20000630, 2) + attribute(b'channels', b'chlist', channels) + \
        attribute(b'compression', b'compression', b'\0') + attribute(b'dataWindow', b'box2i', window) + \
        attribute(b'displayWindow', b'box2i', window) + attribute(b'lineOrder', b'lineOrder', b'\0') + \
        attribute(b'pixelAspectRatio', b'float', struct.pack('<f', 1)) + \
        attribute(b'screenWindowCenter', b'v2f', struct.pack('<2f', 0, 0)) + \
        attribute(b'screenWindowWidth', b'float', struct.pack('<f', 1)) + b'\0'
    row = struct.pack('<%df' % width, *([1 / 16] * (width // 2) + [1.] * (width - width // 2))) * 3
    with open(path, 'wb') as file:
        file.write(head + struct.pack('<%dQ' % height, *(len(head) + 8 * height + y * (8 + len(row))
                                                         for y in range(height))))
        for y in range(height):
            file.write(struct.pack('<ii', y, len(row)) + row)


def check_hdr(script, folder):
    if not Gst.ElementFactory.find('openexrdec'):
        return
    source, other = os.path.join(folder, 'room.exr'), os.path.join(folder, 'in.png')
    write_exr(source, 64, 40)
    if llf(script, source) != os.path.join(folder, 'room-llf.png'):
        fail('EXR to another name')
    codes, = decoded(os.path.join(folder, 'room-llf.png'))
    # far from the edge 1/16 is 4 stops darker, of which the preset leaves more than a quarter, and the rest white
    if codes[63] < 230 or not 60 < codes[0] < 200:
        fail('EXR: %d and %d' % (codes[0], codes[63]))
    for arguments, told in (((source, '--preset', 'Detail'), 'ToneMap'), ((other, '--preset', 'ToneMap'), 'hdr=srgb'),
                            ((source, os.path.join(folder, 'x.mp4')), 'still picture')):
        if told not in llf(script, *arguments, code=1):
            fail('%s: no word of %s' % (arguments, told))
    llf(script, other, '--preset', 'ToneMap', '--set', 'hdr=srgb')


def check_pictures(script, folder):
    for kind, encode in (('png', 'pngenc'), ('jpg', 'jpegenc quality=95')):
        source = os.path.join(folder, 'in.' + kind)
        play('videotestsrc num-buffers=1 pattern=circular ! video/x-raw,width=320,height=200 ! videoconvert ! %s ! '
             'filesink location="%s"' % (encode, source))
        if llf(script, '--preset', 'Clarity', source) != os.path.join(folder, 'in-llf.' + kind):
            fail('the output has another name')
        before, after = decoded(source), decoded(os.path.join(folder, 'in-llf.' + kind))
        if len(before) != 1 or len(after) != 1 or len(before[0]) != len(after[0]):
            fail('%s: %d frames became %d' % (kind, len(before), len(after)))
        if before == after:
            fail('%s: nothing was filtered' % kind)


def colours(script, source, target, setting):
    """The chroma of the film's frames with this setting."""
    llf(script, '--set', 'sigma=0.3', '--set', setting, source, target)
    return [frame[2 * len(frame) // 3:] for frame in decoded(target, 'I420')]


def check_film(script, folder):
    source, target = os.path.join(folder, 'in.mp4'), os.path.join(folder, 'out.mp4')
    play('videotestsrc num-buffers=20 ! video/x-raw,width=320,height=200 ! x264enc ! mp4mux ! filesink location="%s"'
         % source)
    llf(script, '--set', 'sigma=0.3', '--quality', 'fast', source, target)
    frames = decoded(target, 'I420')
    if len(frames) != 20:
        fail('20 frames became %d' % len(frames))
    # colours follow luma unless the user says otherwise
    kept, scaled = (colours(script, source, os.path.join(folder, how + '.mp4'), 'chroma=' + how) for how in ('keep', 'scale'))
    unsaid = colours(script, source, os.path.join(folder, 'unsaid.mp4'), 'sigma=0.3')
    if unsaid != scaled or unsaid == kept:
        fail('the colours of a film are not those of chroma=scale')


def check_quality(script, folder):
    """The one that is asked for is not the preset's."""
    results = []
    for name, more in (('preset.png', ()), ('fast.png', ('--quality', 'fast'))):
        target = os.path.join(folder, name)
        llf(script, '--preset', 'CleanDetail', *more, os.path.join(folder, 'in.png'), target)
        results += decoded(target)
    if results[0] == results[1]:
        fail('--quality after --preset does nothing')


def check_errors(script, folder):
    source = os.path.join(folder, 'in.png')
    for arguments, what in (((os.path.join(folder, 'none.png'),), 'No such file'),
                            (('--preset', 'None', source), 'no preset'),
                            (('--set', 'colour=1', source), 'no property'),
                            (('--set', 'alpha', source), 'PROPERTY=VALUE'),
                            (('--set', 'alpha=-3', source), 'alpha=-3 is out of range'),
                            (('--set', 'alpha=much', source), 'alpha cannot be "much"'),
                            (('--set', 'level-weights=abc', source), 'level-weights cannot be "abc"'),
                            ((source, os.path.join(folder, 'out.webp')), 'not written'),
                            ((source, source), 'overwrite')):
        text = llf(script, *arguments, code=1)
        if what not in text:
            fail('%s says: %s' % (arguments, text))
        if os.path.exists(os.path.join(folder, 'out.webp')):
            fail('%s has written a file' % (arguments,))


def main():
    for name in NEEDED:
        if not Gst.ElementFactory.find(name):
            print('skipped: there is no element %s here' % name)
            sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        check_pictures(sys.argv[1], folder)
        check_hdr(sys.argv[1], folder)
        check_film(sys.argv[1], folder)
        check_quality(sys.argv[1], folder)
        check_errors(sys.argv[1], folder)


if __name__ == '__main__':
    main()
