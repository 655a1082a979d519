#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""scripts.py PIPELINES: the scripts of that folder as users run them: their help, wrong settings, which must end them with
an error and leave no file, and films, which keep their sound. From the environment: CUDASHAPES_BUILD. Exits with 77 when
something of others is missing."""
import os
import subprocess
import sys
import tempfile

import gi
gi.require_version('Gst', '1.0')
from gi.repository import Gst

NEEDED = ('x264enc', 'mp4mux', 'qtdemux', 'h264parse', 'avenc_aac', 'avdec_h264', 'pngenc', 'decodebin', 'progressreport')
HELPERS = ('circles-bench', 'demo', 'fourier-gif', 'fourier-live', 'llf', 'llf-live')

# what is started, and what it says
WRONG = (
    (('fourier-gif', 'in.png', 'out.mp4'), 'only GIF is written'),
    (('fourier-gif', 'in.png', 'duration=3'), 'only GIF is written'),
    (('fourier-gif', 'none.png'), 'cannot be read'),
    (('fourier-gif', '.'), 'it is a folder'),
    (('fourier-gif', 'in.png', 'nowhere/out.gif'), 'there is no folder nowhere'),
    (('fourier-gif', 'in.png', 'out.gif', 'durration=3'), 'no property durration'),
    (('fourier-gif', 'in.png', 'out.gif', 'duration=-3'), 'duration=-3 is out of range'),
    (('fourier-gif', 'in.png', 'out.gif', 'mode=backwards'), 'mode cannot be "backwards"'),
    (('fourier-live', 'test', 'colour=1'), 'no property colour'),
    (('fourier-live', 'test', 'background=transparent'), 'has alpha'),
    (('fourier-gif', 'in.txt', 'out.gif'), 'fourier-gif:'),
    (('fourier-live', '/dev/nothing'), 'there is no camera'),
    (('fourier-live', 'in.png'), 'there is no camera'),
    (('circles-bench', 'gpu'), 'only PNG is written'),
    (('circles-bench', 'cpu', '-s', '99999'), 'usage:'),
    (('demo', 'none.png'), 'cannot be read'),
    (('demo', '.'), 'it is a folder'),
    (('demo', 'in.png', 'in.txt'), 'is no folder'),
    (('demo', 'in.png', 'out', 'more'), 'not 3 arguments'),
    (('demo', '-x.png'), 'is no option'),
    (('demo', 'in.txt', 'out'), 'annotate: '),
    (('llf', 'in.png', 'out.mp4'), 'in.png is a still picture'),
    (('llf', 'in.mp4', 'out.png'), 'in.mp4 is a film'),
    (('llf', 'in.mp4', 'out.webm'), 'are not written'),
    (('llf', 'in.txt', 'out.png'), 'llf:'),
    (('llf', 'in.png', 'nowhere/out.png'), 'llf:'),
    (('llf', '--set', 'error-bound=1', 'in.png'), 'no property error-bound to set'),
    (('llf', '--set', 'split=2', 'in.png'), 'split=2 is out of range'),
    (('llf', '--set', 'roi=abc', 'in.png', 'out.png'), 'four numbers'),
    (('llf', '--backend', 'gpu', 'in.png'), 'invalid choice'),
    (('llf-live', '--seconds', '-1', 'test', 'none'), 'more than 0'),
    (('llf-live', '--slow', '-1', 'test', 'none'), '0 to 10000'),
    (('llf-live', 'rtp:99999', 'none'), 'has no port'),
    (('llf-live', 'nonsense', 'none'), 'is no source'),
    (('llf-live', 'test', 'nonsense'), 'is no sink'),
)


def fail(text):
    sys.exit('scripts.py: ' + text)


def run(script, *arguments):
    return subprocess.run([os.path.join(sys.argv[1], script), *arguments], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=200)


def play(line):
    done = subprocess.run(['gst-launch-1.0', '-q', *line.split()], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=100)
    if done.returncode != 0:
        fail('%s: %s' % (line, done.stdout))


def check_help():
    for script in HELPERS:
        done = run(script, '--help')
        if done.returncode != 0 or 'xamples:' not in done.stdout and 'examples' not in done.stdout:
            fail('%s --help: code %d: %s' % (script, done.returncode, done.stdout))
        if done.stdout.lower().count(script) < 2:
            fail('%s --help has no example:\n%s' % (script, done.stdout))


def check_wrong():
    for arguments, says in WRONG:
        there = set(os.listdir('.'))
        done = run(*arguments)
        if done.returncode == 0 or says not in done.stdout:
            fail('%s: code %d: %s' % (' '.join(arguments), done.returncode, done.stdout))
        if 'Traceback' in done.stdout:
            fail('%s: %s' % (' '.join(arguments), done.stdout))
        left = set(os.listdir('.')) - there
        if left:
            fail('%s leaves %s' % (' '.join(arguments), left))


def samples(path):
    """How many buffers of video and of audio the MP4 file has."""
    counts = {'video': 0, 'audio': 0}

    def count(_sink, _buffer, _pad, kind):
        counts[kind] += 1

    pipeline = Gst.parse_launch('filesrc location=%s ! qtdemux name=d ' % path + ' '.join(
        'd.%s_0 ! queue ! fakesink name=%s signal-handoffs=true' % (kind, kind) for kind in counts))
    for kind in counts:
        pipeline.get_by_name(kind).connect('handoff', count, kind)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(100 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if not message or message.type != Gst.MessageType.EOS:
        fail('%s cannot be read' % path)
    return counts['video'], counts['audio']


def check_sound():
    for arguments, result in ((('llf', '--quality', 'fast', 'in.mp4', 'filtered.mp4'), 'filtered.mp4'),
                              (('demo', 'in.mp4', 'shapes'), 'shapes/annotated.mp4')):
        done = run(*arguments)
        if done.returncode != 0:
            fail('%s: %s' % (arguments, done.stdout))
        frames, sounds = samples(result)
        if frames != 30:
            fail('%s: %d frames' % (result, frames))
        if sounds < 30:
            fail('%s has no sound: %d buffers' % (result, sounds))


def main():
    for name in NEEDED:
        if subprocess.run(['gst-inspect-1.0', '--exists', name]).returncode != 0:
            print('skipped: there is no element %s here' % name)
            sys.exit(77)
    Gst.init(None)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        play('videotestsrc num-buffers=1 pattern=ball ! video/x-raw,width=160,height=120 ! pngenc ! filesink location=in.png')
        play('videotestsrc num-buffers=30 ! video/x-raw,width=160,height=120 ! x264enc ! queue ! mp4mux name=m ! '
             'filesink location=in.mp4 audiotestsrc num-buffers=43 ! audioconvert ! avenc_aac ! queue ! m.')
        with open('in.txt', 'w') as file:
            file.write('neither picture nor film\n' * 100)
        check_help()
        check_wrong()
        check_sound()


if __name__ == '__main__':
    main()
