#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Films of a picture: an MP4 by a pipeline, a GIF by pipelines/fourier-gif.

film.py mp4 PIPELINES
film.py gif PIPELINES

PIPELINES is the folder pipelines/. The picture has the outlines of its fruit
scene, as steep edges, which no decoder moves.

Counts their frames, decodes the first and the last one, and looks at them: no
ink at first, and at last ink on every contour that the element finds (within
1.5 pixels), so that the arm has drawn them all.

Exits with 77 when a program or an encoder is missing.
"""
import os
import shutil
import subprocess
import sys
import tempfile

RATE = 20
DURATION, HOLD = 2., .5
FRAMES = int((DURATION + HOLD) * RATE)
# white ink, and nothing else that is bright
LOOK = ['trail-color=0xffffffff', 'ink-source=color', 'draw-circles=false', 'draw-arm=false',
        'draw-tip=false', 'ghost-opacity=0', 'trail-width=2']
FIND = ['detect=iso', 'levels=0.45', 'min-points=40']


def skip(message):
    print('skipped: %s' % message)
    sys.exit(77)


try:
    import numpy
except ImportError:
    skip('there is no numpy')


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            skip('there is no %s' % program)


def need_elements(*names):
    for name in names:
        if subprocess.run(['gst-inspect-1.0', '--exists', name]).returncode:
            skip('there is no element %s' % name)


def launch(*words):
    subprocess.run(['gst-launch-1.0', '-q', '-e'] + list(words), check=True,
                   timeout=120)


def decode(film):
    """All frames of a film, as gray arrays."""
    probe = subprocess.run(
        ['ffprobe', '-v', 'error', '-select_streams', 'v', '-show_entries',
         'stream=width,height', '-of', 'csv=p=0', film], check=True, text=True,
        stdout=subprocess.PIPE)
    width, height = [int(part) for part in
                     probe.stdout.strip().strip(',').split(',')[:2]]
    raw = subprocess.run(
        ['ffmpeg', '-v', 'error', '-i', film, '-f', 'rawvideo', '-vsync', '0',
         '-pix_fmt', 'gray', '-'], check=True, stdout=subprocess.PIPE).stdout
    return numpy.frombuffer(raw, numpy.uint8).reshape(-1, height, width)


def contours(photograph, folder):
    """The same contours as points, found and written by other elements."""
    import json
    path = os.path.join(folder, 'contours.jsonl')
    launch('filesrc', 'location=' + photograph, '!', 'jpegdec', '!',
           'videoconvert', '!', 'video/x-raw,format=I420', '!', 'cudacontours',
           'backend=cpu', 'level=0.45', 'min-points=40', '!', 'shapejsonenc',
           '!', 'filesink', 'location=' + path)
    with open(path) as file:
        shapes = json.loads(file.readline())['shapes']
    return numpy.concatenate([shape['points'] for shape in shapes])


def distance_to_ink(frame, points):
    """Of each point, to the nearest bright pixel; more than 3 counts as 3."""
    bright = frame >= 96
    height, width = bright.shape
    nearest = numpy.full(len(points), 3.)
    base = numpy.rint(points).astype(int)
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            x, y = base[:, 0] + dx, base[:, 1] + dy
            inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
            ink = numpy.zeros(len(points), bool)
            ink[inside] = bright[y[inside], x[inside]]
            distance = numpy.hypot(x - points[:, 0], y - points[:, 1])
            nearest = numpy.where(ink, numpy.minimum(nearest, distance),
                                  nearest)
    return nearest


def check(film, photograph, folder):
    frames = decode(film)
    if len(frames) != FRAMES:
        sys.exit('%s has %d frames, not %d' % (film, len(frames), FRAMES))
    if (frames[0] >= 96).sum() > 30:
        sys.exit('there is ink on the first frame')
    points = contours(photograph, folder)
    if len(points) < 1000:
        sys.exit('there are only %d points to look at' % len(points))
    nearest = distance_to_ink(frames[-1], points)
    print('%d frames; %d points, at most %.2f pixels from ink'
          % (len(frames), len(points), nearest.max()))
    if nearest.max() > 1.5:
        sys.exit('%d points have no ink' % (nearest > 1.5).sum())
    if not (frames[len(frames) // 3] >= 96).sum() \
            < (frames[-1] >= 96).sum():
        sys.exit('the drawing does not grow')


def take(pipelines, folder):
    """A JPEG picture to draw."""
    sys.path.insert(0, os.path.join(pipelines, 'lib'))
    import fruit_scene
    _, skin, bruise = fruit_scene.draw()
    gray = 40 + 170 * (numpy.clip(skin + .5, 0, 1) -
                       numpy.clip(bruise + .5, 0, 1))
    scene = os.path.join(folder, 'scene.png')
    photograph = os.path.join(folder, 'scene.jpg')
    fruit_scene.write_png(scene, numpy.repeat(
        gray.astype(numpy.uint8)[:, :640, None], 3, 2))
    launch('filesrc', 'location=' + scene, '!', 'pngdec', '!', 'videoconvert',
           '!', 'jpegenc', 'quality=95', '!', 'filesink',
           'location=' + photograph)
    return photograph


def make_mp4(photograph, film):
    need_elements('jpegdec', 'x264enc', 'mp4mux')
    launch('filesrc', 'location=' + photograph, '!', 'jpegdec', '!',
           'videoconvert', '!', 'video/x-raw,format=I420', '!', 'fourierdraw',
           'backend=cpu', 'duration=%g' % DURATION, 'hold=%g' % HOLD,
           *FIND, *LOOK, '!', 'video/x-raw,framerate=%d/1' % RATE, '!',
           'x264enc', 'quantizer=5', 'pass=quant', '!', 'mp4mux', '!',
           'filesink', 'location=' + film)


def decode_alpha(film):
    """The alpha of all frames, as a viewer shows them."""
    height, width = decode(film).shape[1:]
    raw = subprocess.run(
        ['ffmpeg', '-v', 'error', '-i', film, '-f', 'rawvideo', '-vsync', '0',
         '-pix_fmt', 'rgba', '-'], check=True, stdout=subprocess.PIPE).stdout
    return numpy.frombuffer(raw, numpy.uint8).reshape(-1, height, width, 4)[..., 3]


def check_transparent(photograph, folder, script):
    """What nothing is drawn on is transparent; where the pen has been before, too."""
    film = os.path.join(folder, 'transparent.gif')
    subprocess.run([script, photograph, film, 'backend=cpu', 'background=transparent', 'duration=1', 'hold=0', 'trail=none',
                    'draw-tip=true', 'tip-radius=20'] + FIND + [word for word in LOOK if 'tip' not in word],
                   check=True, timeout=200)
    seen = (decode_alpha(film) > 0).sum((1, 2))
    print('%d to %d pixels of the pen are seen' % (seen.min(), seen.max()))
    # a disc, in part beyond the edge
    if not 200 < seen.min() <= seen.max() < 2 * 1257:
        sys.exit('there is more than the pen, or less')


def make_gif(photograph, film, script):
    need('bash')
    subprocess.run([script, photograph, film, 'backend=cpu',
                    'duration=%g' % DURATION, 'hold=%g' % HOLD] + FIND + LOOK,
                   check=True, timeout=200)
    with open(film, 'rb') as file:
        head = file.read(2048)
    if not head.startswith(b'GIF89a'):
        sys.exit('this is no GIF')
    # the extension that says: again and again
    if b'NETSCAPE2.0\x03\x01\x00\x00' not in head:
        sys.exit('it does not loop for ever')


def main():
    what, pipelines = sys.argv[1:]
    need('ffmpeg', 'ffprobe', 'gst-launch-1.0', 'gst-inspect-1.0')
    with tempfile.TemporaryDirectory() as folder:
        photograph = take(pipelines, folder)
        film = os.path.join(folder, 'film.' + what)
        if what == 'mp4':
            make_mp4(photograph, film)
        else:
            script = os.path.join(pipelines, 'fourier-gif')
            make_gif(photograph, film, script)
            check_transparent(photograph, folder, script)
        check(film, photograph, folder)


if __name__ == '__main__':
    main()
