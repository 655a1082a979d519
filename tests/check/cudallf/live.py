#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""live.py LLF_LIVE: a stream through pipelines/llf_live.py, by RTP over UDP on this machine: sender, filter, receiver.

Every frame has its number in it, as sixteen black or white blocks, over a faint texture that the filter brings out.
Exits with 77 when an element or module of others is missing.
"""
import importlib.util
import re
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
import types

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

Gst = need('Gst')

NEEDED = ('udpsrc', 'udpsink', 'rtpjpegpay', 'rtpjpegdepay', 'rtpjitterbuffer', 'jpegenc', 'jpegdec', 'appsrc',
          'appsink', 'decodebin')
WIDTH, HEIGHT, BLOCK, AMPLITUDE = 320, 240, 16, 6
BITS = 16
# no test waits for longer
TIMEOUT = 60


def fail(text):
    sys.exit('live.py: ' + text)


def free_port(host='127.0.0.1'):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


def is_free(host, port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((host, port))
        except OSError:
            return False
        return True


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

    def __init__(self, host, port, interval):
        super().__init__(daemon=True)
        self.pipeline = Gst.parse_launch(
            'appsrc name=source is-live=true do-timestamp=true format=time caps=video/x-raw,format=I420,width=%d,'
            'height=%d,framerate=25/1,colorimetry=1:4:7:1 ! jpegenc quality=95 ! rtpjpegpay ! '
            'udpsink host=%s port=%d sync=false async=false' % (WIDTH, HEIGHT, host, port))
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

    def __init__(self, host, port):
        self.frames = []
        self.pipeline = Gst.parse_launch(
            'udpsrc address=%s port=%d buffer-size=2000000 '
            'caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=JPEG,payload=26" ! rtpjpegdepay ! '
            'jpegdec ! videoconvert ! video/x-raw,format=GRAY8 ! appsink name=sink sync=false emit-signals=true' % (host, port))
        self.pipeline.get_by_name('sink').connect('new-sample', self.take)
        self.pipeline.set_state(Gst.State.PLAYING)

    def take(self, sink):
        buffer = sink.emit('pull-sample').get_buffer()
        data = buffer.extract_dup(0, buffer.get_size())
        self.frames.append(read(data, len(data) // HEIGHT))
        return Gst.FlowReturn.OK

    def wait_for(self, count):
        end = time.monotonic() + TIMEOUT
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


def check_figures(printed, slow, most, n_received, n_sent):
    """What the filter says of a stream: no latency is shorter than it was slow, or longer than MOST, in milliseconds."""
    *lines, last = printed.splitlines()
    reports = [re.fullmatch(r'in (\d+)  out (\d+)  latency ([\d.]+) ms \(longest ([\d.]+)\)', line) for line in lines]
    total = re.fullmatch(r'frames in (\d+), out (\d+), left out (\d+); latency median ([\d.]+) ms, longest ([\d.]+) ms', last)
    if not reports or not all(reports) or not total:
        fail('this is no report:\n' + printed)
    latencies = [(float(found[3]), float(found[4])) for found in reports]
    if not all(slow <= median <= longest <= most for median, longest in [*latencies, (float(total[4]), float(total[5]))]):
        fail('latencies from %g to %g ms are wanted:\n%s' % (slow, most, printed))
    if float(total[5]) != max(longest for _, longest in latencies):
        fail('the longest latency of all is another:\n' + printed)
    n_in, n_out, n_left_out = (int(total[i]) for i in (1, 2, 3))
    if n_left_out != n_in - n_out or not n_received <= n_out <= n_in <= n_sent:
        fail('%d were sent, %d received:\n%s' % (n_sent, n_received, printed))
    counts = [(int(found[1]), int(found[2])) for found in reports]
    if counts != sorted(counts) or counts[-1] != (n_in, n_out):
        fail('frames are counted otherwise once a second:\n' + printed)


def stream(script, options, interval, count, hosts=('', ''), slow=0):
    """@count frames or more through the filter: (frames, how many had come when the sender ended, the last number that
    was sent). HOSTS: where it listens and where it sends to, as they are said to it."""
    here, target = (host or '127.0.0.1' for host in hosts)
    there, back = free_port(here), free_port(target)
    receiver, begin = Receiver(target, back), time.monotonic()
    filtering = subprocess.Popen(
        [sys.executable, script, '--codec', 'jpeg', '--backend', 'cpu', *options, '--slow', '%d' % slow,
         *(':'.join(filter(None, ('rtp', host, str(port)))) for host, port in zip(hosts, (there, back)))],
        stdout=subprocess.PIPE, text=True)
    try:
        if 'running' not in filtering.stdout.readline():
            fail('the filter did not start')
        if is_free('127.0.0.1', there) != (here != '127.0.0.1'):
            fail('it does not listen where it should: %s' % (hosts,))
        sender = Sender(here, there, interval)
        sender.start()
        receiver.wait_for(count)
        sender.stop()
        before = len(receiver.frames)
        receiver.wait_until_quiet()
        filtering.send_signal(signal.SIGINT)
        printed = filtering.communicate(timeout=TIMEOUT)[0]
    finally:
        filtering.kill()
        receiver.stop()
    if filtering.returncode != 0:
        fail('the filter ended with %d:\n%s' % (filtering.returncode, printed))
    print(options, printed.splitlines()[-1])
    check_figures(printed, slow, (time.monotonic() - begin) * 1e3, len(receiver.frames), sender.last)
    numbers = [number for number, _ in receiver.frames]
    if numbers != sorted(set(numbers)):
        fail('frames came twice, or in another order: %s' % numbers)
    return receiver.frames, before, sender.last


def check_frames_arrive_filtered(script):
    plain, _, _ = stream(script, ['--set', 'amount=0'], .04, 5)
    frames, _, _ = stream(script, ['--preset', 'Detail'], .04, 15, ('127.0.0.2', '127.0.0.3'))
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
    frames, before, last = stream(script, [], .04, 10, slow=200)
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
                          stderr=subprocess.STDOUT, timeout=TIMEOUT)
    return done.stdout, done.returncode


def check_frames_of_h264_are_counted(script):
    """An encoder that shifts timestamps; what it sends, another one reads."""
    if not Gst.ElementFactory.find('x264enc') and not Gst.ElementFactory.find('openh264enc'):
        print('there is no H.264 encoder here')
        return
    port = free_port()
    reader = subprocess.Popen([sys.executable, script, '--backend', 'cpu', 'rtp:%d' % port, 'none'], stdout=subprocess.PIPE,
                              text=True)
    try:
        if 'running' not in reader.stdout.readline():
            fail('the reader of H.264 did not start')
        printed, status = run(script, '--seconds', '3', '--quality', 'fast', 'test', 'rtp:127.0.0.1:%d' % port)
        reader.send_signal(signal.SIGINT)
        read = reader.communicate(timeout=TIMEOUT)[0]
    finally:
        reader.kill()
    counts = [re.search(r'frames in (\d+), out (\d+), left out (\d+); latency median [\d.]+ ms', text) for text in (printed, read)]
    if status != 0 or reader.returncode != 0 or not all(counts):
        fail('exit status %d and %d:\n%s%s' % (status, reader.returncode, printed, read))
    sent, received = ([int(count) for count in each.groups()] for each in counts)
    if not 0 < received[0] <= sent[1] or any(n_in != n_out + n_left_out for n_in, n_out, n_left_out in (sent, received)):
        fail('in, out, left out: %s, then %s' % (sent, received))


def load(script):
    spec = importlib.util.spec_from_file_location('llf_live', script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_packets_are_no_frames(module):
    """Several buffers with the timestamp of a frame, or none, while another frame waits behind it."""
    probes = []
    pad = types.SimpleNamespace(add_probe=lambda _, probe: probes.append(probe))
    meter = module.Meter(pad, pad, pad)

    def pass_by(probe, pts):
        buffer = types.SimpleNamespace(pts=pts)
        probe(pad, types.SimpleNamespace(type=Gst.PadProbeType.BUFFER, get_buffer=lambda: buffer))
    for probe in probes[:2]:
        for pts in (10, 20, 30):
            pass_by(probe, pts)
    for pts, n_out in ((Gst.CLOCK_TIME_NONE, 0), (11, 1), (11, 1), (Gst.CLOCK_TIME_NONE, 1), (11, 1), (21, 2)):
        pass_by(probes[2], pts)
        if (meter.n_in, meter.n_out) != (3, n_out):
            fail('of three frames, %d in and %d out after the time %d' % (meter.n_in, meter.n_out, pts))


def check_ports(module):
    for text, wanted in (('1', ('here', 1)), ('there:65535', ('there', 65535)), ('::1:80', ('::1', 80)), ('0', None),
                         ('65536', None), ('there', None), ('', None)):
        try:
            found = module.split_address(text, 'here')
        except RuntimeError:
            found = None
        if found != wanted:
            fail('the address "%s" is %s' % (text, found))


def check_words_reach_elements(module):
    for source, sink, needed, wanted in (
            ('v4l2:/dev/video7', 'none', 'v4l2src', {'source': ('device', '/dev/video7')}),
            ('rtsp://localhost/a', 'none', 'rtspsrc', {'source': ('uri', 'rtsp://localhost/a')}),
            ('test', 'srt://127.0.0.1:7001', 'srtsink', {'out': ('uri', 'srt://127.0.0.1:7001')}),
            ('test', 'rtp:127.0.0.2:7002', 'udpsink', {'out': ('port', 7002)})):
        if not Gst.ElementFactory.find(needed):
            print('there is no element %s here' % needed)
            continue
        pipeline = module.describe(types.SimpleNamespace(source=source, sink=sink, codec='jpeg', slow=0, backend='cpu',
                                                         preset='Smooth', quality='fast', set=['sigma=0.375']))
        for name, (key, value) in {**wanted, 'llf': ('sigma', .375)}.items():
            if pipeline.get_by_name(name).get_property(key) != value:
                fail('%s %s: %s of %s is %s' % (source, sink, key, name, pipeline.get_by_name(name).get_property(key)))
        if pipeline.get_by_name('llf').props.quality.value_nick != 'fast':
            fail('the quality is another')


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
    for name in NEEDED:
        if not Gst.ElementFactory.find(name):
            print('skipped: there is no element %s here' % name)
            sys.exit(77)
    if not Gst.ElementFactory.find('cudallf'):
        fail('there is no element cudallf')
    check_frames_arrive_filtered(sys.argv[1])
    check_newest_frame_wins(sys.argv[1])
    check_frames_of_h264_are_counted(sys.argv[1])
    module = load(sys.argv[1])
    check_packets_are_no_frames(module)
    check_ports(module)
    check_words_reach_elements(module)
    check_mistakes_are_named(sys.argv[1])


if __name__ == '__main__':
    main()
