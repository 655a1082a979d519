#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The brush for real: a window on a virtual display, and a mouse in it.

Drags across the left side of a square that fourierdraw draws in ximagesink's
window, presses r, and looks at the frames of the next drawing: the points under
the drag are gone, the others are there. Then scrolls, which changes the brush.

Exits with 77 when Xvfb, xdotool, ximagesink or Python's GStreamer is missing.
"""
import os
import shutil
import subprocess
import sys
import time

TIMEOUT = 40.
# the square of the picture, 320 x 240 pixels, is dark from 80 to 240, 40 to 200
LEFT, RIGHT, TOP, BOTTOM = 80, 240, 40, 200
WIDTH, HEIGHT = 320, 240


def skip(message):
    print('skipped: %s' % message)
    sys.exit(77)


def need(program):
    if not shutil.which(program):
        skip('there is no %s (Debian packages xvfb, xdotool)' % program)


def start_display():
    """A virtual display with a number of its own choosing."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ['Xvfb', '-displayfd', str(write), '-screen', '0', '640x480x24',
         '-nolisten', 'tcp'],
        pass_fds=(write,), stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    if not number:
        server.wait()
        skip('Xvfb does not start')
    return server, ':' + number


def xdotool(*arguments):
    return subprocess.run(('xdotool',) + arguments, check=True, text=True,
                          stdout=subprocess.PIPE, timeout=30).stdout


def main():
    need('Xvfb')
    need('xdotool')
    try:
        import gi
        gi.require_version('Gst', '1.0')
        from gi.repository import Gst
    except (ImportError, ValueError) as error:
        skip(error)
    server, display = start_display()
    try:
        os.environ['DISPLAY'] = display
        Gst.init(None)
        if not Gst.ElementFactory.find('ximagesink'):
            skip('there is no ximagesink (Debian package gstreamer1.0-x)')
        run(Gst)
    finally:
        server.terminate()
        server.wait()


class Watch:
    """Looks at every frame: which sides of the square have ink."""

    def __init__(self, Gst, element):
        self.Gst = Gst
        self.sides = {}
        self.n = 0
        pad = element.get_static_pad('src')
        pad.add_probe(Gst.PadProbeType.BUFFER, self.look)

    def look(self, pad, info):
        data = info.get_buffer().extract_dup(0, WIDTH * HEIGHT * 4)

        def ink(x, y):
            return any(data[4 * (v * WIDTH + u)] > 100
                       for u in range(x - 3, x + 4)
                       for v in range(y - 3, y + 4))
        middle = (LEFT + RIGHT) // 2, (TOP + BOTTOM) // 2
        self.sides = {'left': ink(LEFT, middle[1]),
                      'right': ink(RIGHT, middle[1]),
                      'top': ink(middle[0], TOP),
                      'bottom': ink(middle[0], BOTTOM)}
        self.n += 1
        return self.Gst.PadProbeReturn.OK

    def wait_for(self, what, **sides):
        """Until a frame has ink at these sides and not at those."""
        end = time.monotonic() + TIMEOUT
        while any(self.sides.get(side) != there
                  for side, there in sides.items()):
            if time.monotonic() > end:
                sys.exit('%s: %s is never seen; at last %s in %d frames'
                         % (what, sides, self.sides, self.n))
            time.sleep(.02)


def picture(Gst):
    """A bright frame around a dark square."""
    rows = []
    for y in range(HEIGHT):
        inside = TOP <= y < BOTTOM
        rows.append(bytes([255]) * LEFT +
                    bytes([0 if inside else 255]) * (RIGHT - LEFT) +
                    bytes([255]) * (WIDTH - RIGHT))
    return Gst.Buffer.new_wrapped(b''.join(rows))


def drag(window):
    middle = (TOP + BOTTOM) // 2
    xdotool('mousemove', '--window', window, str(LEFT), str(middle - 40))
    xdotool('mousedown', '1')
    for y in range(middle - 40, middle + 41, 10):
        xdotool('mousemove', '--window', window, str(LEFT), str(y))
    xdotool('mouseup', '1')


def run(Gst):
    pipeline = Gst.parse_launch(
        'appsrc name=in format=time caps="video/x-raw,format=GRAY8,'
        'width=%d,height=%d,framerate=0/1" ! fourierdraw name=draw backend=cpu '
        'mode=redraw loop=0 duration=0.5 hold=0.5 detect=iso levels=0.5 '
        'brush-enabled=true brush-radius=12 brush-color=0 ghost-opacity=0 '
        'draw-circles=false draw-arm=false draw-tip=false '
        'trail-color=0xffffffff ! video/x-raw,format=BGRx,framerate=20/1 ! '
        'ximagesink name=out' % (WIDTH, HEIGHT))
    draw = pipeline.get_by_name('draw')
    watch = Watch(Gst, draw)
    pipeline.set_state(Gst.State.PLAYING)
    source = pipeline.get_by_name('in')
    source.emit('push-buffer', picture(Gst))
    source.emit('end-of-stream')
    watch.wait_for('at first', left=True, right=True, top=True, bottom=True)

    window = xdotool('search', '--sync', '--onlyvisible', '--name',
                     '.*').split()[-1]
    drag(window)
    xdotool('key', '--window', window, 'r')
    watch.wait_for('after the drag', left=False, right=True, top=True,
                   bottom=True)
    # and it stays away
    time.sleep(1.5)
    watch.wait_for('later', left=False, right=True, top=True, bottom=True)

    before = draw.get_property('brush-radius')
    xdotool('mousemove', '--window', window, '20', '20', 'click', '4')
    end = time.monotonic() + TIMEOUT
    while draw.get_property('brush-radius') <= before:
        if time.monotonic() > end:
            sys.exit('the wheel does not change the brush')
        time.sleep(.02)

    draw.emit('brush-clear')
    xdotool('key', '--window', window, 'r')
    watch.wait_for('after brush-clear', left=True, right=True, top=True,
                   bottom=True)
    message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message:
        sys.exit('%s' % message.parse_error()[0].message)
    print('%d frames' % watch.n)


if __name__ == '__main__':
    main()
