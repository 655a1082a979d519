#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""live.py LLF_LIVE: a stream through pipelines/llf_live.py, by RTP over UDP on this machine: sender, filter, receiver.

Every frame has its number in it, as sixteen black or white blocks, over a faint texture that the filter brings out.
Exits with 77 when an element or module of others is missing.
"""
import re
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time

try:
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import Gst
except (ImportError, ValueError) as error:
    print('skipped: %s' % error)
    sys.exit(77)

NEEDED = ('udpsrc', 'udpsink', 'rtpjpegpay', 'rtpjpegdepay', 'rtpjitterbuffer', 'jpegenc', 'jpegdec', 'appsrc',
          'appsink', 'decodebin')
WIDTH, HEIGHT, BLOCK, AMPLITUDE = 320, 240, 16, 6
BITS = 16
# no test waits for longer
PATIENCE = 60


def fail(text):
    sys.exit('live.py: ' + text)


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def draw(number):
    """A frame in I420 with its number."""
    line = bytearray(128 for _ in range(WIDTH))
    for bit in range(BITS):
        line[bit * BLOCK:(bit + 1) * BLOCK] = bytes([235 if number >> bit & 1 else 16]) * BLOCK
    rows = [bytes(line)] * BLOCK
    # checks of 4 x 4 pixels
    textures = [bytes(128 + (AMPLITUDE if (x // 4 + odd) % 2 else -AMPLITUDE) for x in range(WIDTH))
                for odd in range(2)]
    rows += [textures[y // 4 % 2] for y in range(HEIGHT - BLOCK)]
    return b''.join(rows) + b'\x80' * (WIDTH * HEIGHT // 2)


def read(data, stride):
    """The number in a frame, and how strong its texture is."""
    number = 0
    for bit in range(BITS):
        if data[BLOCK // 2 * stride + bit * BLOCK + BLOCK // 2] > 128:
            number |= 1 << bit
    texture = [data[y * stride + x] for y in range(80, 160) for x in range(80, 240)]
    return number, statistics.pstdev(texture)


class Sender(threading.Thread):
    """Sends numbered frames until it is stopped."""

    def __init__(self, port, interval):
        super().__init__(daemon=True)
        self.pipeline = Gst.parse_launch(
            'appsrc name=source is-live=true do-timestamp=true format=time caps=video/x-raw,format=I420,width=%d,'
            'height=%d,framerate=25/1,colorimetry=1:4:7:1 ! jpegenc quality=95 ! rtpjpegpay ! '
            'udpsink host=127.0.0.1 port=%d sync=false async=false' % (WIDTH, HEIGHT, port))
        self.source = self.pipeline.get_by_name('source')
        self.interval = interval
        self.last = 0
        self.stopped = threading.Event()

    def run(self):
        self.pipeline.set_state(Gst.State.PLAYING)
        while not self.stopped.wait(self.interval):
            self.last += 1
            self.source.emit('push-buffer', Gst.Buffer.new_wrapped(draw(self.last)))

    def stop(self):
        self.stopped.set()
        self.join()
        # what it has pushed is out
        time.sleep(.3)
        self.pipeline.set_state(Gst.State.NULL)


class Receiver:
    """Collects (number, texture) of frames."""

    def __init__(self, port):
        self.frames = []
        self.pipeline = Gst.parse_launch(
            'udpsrc address=127.0.0.1 port=%d buffer-size=2000000 '
            'caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=JPEG,payload=26" ! rtpjpegdepay ! '
            'jpegdec ! videoconvert ! video/x-raw,format=GRAY8 ! appsink name=sink sync=false emit-signals=true' % port)
        self.pipeline.get_by_name('sink').connect('new-sample', self.take)
        self.pipeline.set_state(Gst.State.PLAYING)

    def take(self, sink):
        buffer = sink.emit('pull-sample').get_buffer()
        data = buffer.extract_dup(0, buffer.get_size())
        self.frames.append(read(data, len(data) // HEIGHT))
        return Gst.FlowReturn.OK

    def wait_for(self, count):
        end = time.monotonic() + PATIENCE
        while len(self.frames) < count:
            if time.monotonic() > end:
                fail('only %d frames arrived, not %d' % (len(self.frames), count))
            time.sleep(.02)

    def wait_until_quiet(self):
        count = -1
        while count != len(self.frames):
            count = len(self.frames)
            time.sleep(1.5)

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)


def stream(script, options, interval, count):
    """@count frames or more through the filter: (frames, how many had come when the sender ended, the last number that
    was sent, what the filter printed)"""
    there, back = free_port(), free_port()
    receiver = Receiver(back)
    filtering = subprocess.Popen(
        [sys.executable, script, '--codec', 'jpeg', '--backend', 'cpu', *options, 'rtp:127.0.0.1:%d' % there,
         'rtp:127.0.0.1:%d' % back], stdout=subprocess.PIPE, text=True)
    try:
        if 'running' not in filtering.stdout.readline():
            fail('the filter did not start')
        sender = Sender(there, interval)
        sender.start()
        receiver.wait_for(count)
        sender.stop()
        before = len(receiver.frames)
        receiver.wait_until_quiet()
        filtering.send_signal(signal.SIGINT)
        printed = filtering.communicate(timeout=PATIENCE)[0]
    finally:
        filtering.kill()
        receiver.stop()
    if filtering.returncode != 0:
        fail('the filter ended with %d:\n%s' % (filtering.returncode, printed))
    print(options, printed.splitlines()[-1])
    if not re.search(r'latency median [\d.]+ ms', printed):
        fail('no latency in\n%s' % printed)
    numbers = [number for number, _ in receiver.frames]
    if numbers != sorted(set(numbers)):
        fail('frames came twice, or in another order: %s' % numbers)
    return receiver.frames, before, sender.last, printed


def check_frames_arrive_filtered(script):
    plain, _, _, _ = stream(script, ['--set', 'amount=0'], .04, 5)
    frames, _, _, _ = stream(script, ['--preset', 'Detail'], .04, 15)
    as_sent = statistics.median(texture for _, texture in plain)
    filtered = statistics.median(texture for _, texture in frames)
    print('texture: %.2f sent, %.2f through an amount of 0, %.2f filtered' % (AMPLITUDE, as_sent, filtered))
    if not .8 * AMPLITUDE < as_sent < 1.2 * AMPLITUDE:
        fail('without an effect, the texture is %g, not %g' % (as_sent, AMPLITUDE))
    if not filtered > 1.5 * as_sent:
        fail('the texture is %g, from %g: the frames are not filtered' % (filtered, as_sent))


def check_newest_frame_wins(script):
    """A filter that takes five times as long as frames take to come leaves frames out and ends with the last ones; it
    has not saved up old ones."""
    frames, before, last, _ = stream(script, ['--slow', '200'], .04, 10)
    numbers = [number for number, _ in frames]
    print('numbers: %s; sent %d, %d frames after the end' % (numbers, last, len(frames) - before))
    if len(numbers) * 2 > last:
        fail('%d of %d frames arrived: none is left out' % (len(numbers), last))
    if numbers[-1] < last - 3:
        fail('the last frame is %d, but %d were sent' % (numbers[-1], last))
    # one that waits, and those at work
    if len(frames) - before > 6:
        fail('%d frames came after the end: they had piled up' % (len(frames) - before))


def run(script, *arguments):
    """What it prints, and its exit status."""
    done = subprocess.run([sys.executable, script, '--backend', 'cpu', *arguments], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=PATIENCE)
    return done.stdout, done.returncode


def check_frames_of_h264_are_counted(script):
    """An encoder that shifts timestamps."""
    if not Gst.ElementFactory.find('x264enc') and not Gst.ElementFactory.find('openh264enc'):
        print('there is no H.264 encoder here')
        return
    printed, status = run(script, '--seconds', '3', '--quality', 'fast', 'test', 'rtp:127.0.0.1:%d' % free_port())
    counts = re.search(r'frames in (\d+), out (\d+), left out (\d+); latency median [\d.]+ ms', printed)
    if status != 0 or not counts:
        fail('exit status %d:\n%s' % (status, printed))
    n_in, n_out, n_left_out = (int(count) for count in counts.groups())
    if n_out == 0 or n_in != n_out + n_left_out:
        fail('%d in, %d out, %d left out' % (n_in, n_out, n_left_out))


def check_mistakes_are_named(script):
    for arguments, what in ((('rtp:99999', 'none'), 'a number from 1 to 65535'),
                            (('test', 'rtp:127.0.0.1'), 'no port'),
                            (('test', 'none', '--set', 'alpha=-3'), 'out of range'),
                            (('nothing', 'none'), 'is no source')):
        printed, status = run(script, *arguments)
        if status == 0 or what not in printed:
            fail('%s: exit status %d:\n%s' % (arguments, status, printed))
    printed, status = run(script, '--seconds', '6', 'rtp:%d' % free_port(), 'none')
    if status != 0 or 'nothing has come' not in printed:
        fail('without a sender: exit status %d:\n%s' % (status, printed))


def main():
    Gst.init(None)
    for name in NEEDED:
        if not Gst.ElementFactory.find(name):
            print('skipped: there is no element %s here' % name)
            sys.exit(77)
    if not Gst.ElementFactory.find('cudallf'):
        fail('there is no element cudallf')
    check_frames_arrive_filtered(sys.argv[1])
    check_newest_frame_wins(sys.argv[1])
    check_frames_of_h264_are_counted(sys.argv[1])
    check_mistakes_are_named(sys.argv[1])


if __name__ == '__main__':
    main()
