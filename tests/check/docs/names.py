#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""names.py PIPELINES: every script of that folder with hostile names of files, and with outputs that are inputs, links, pipes
or other people's files. Each run has a folder of its own, in which nothing may change but what the script is to write; files
that were there are compared byte for byte. From the environment: CUDASHAPES_BUILD. Exits with 77 when something of others is
missing."""
import concurrent.futures
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

PIPELINES = os.fsencode(sys.argv[1])
NEEDED = ('pngenc', 'pngdec', 'decodebin', 'x264enc', 'mp4mux')
SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
LONG = 255      # bytes that a name has at most

ATTACK = b'a" location=b.png ! tee name=t ! filesink location=VICTIM t. ! queue name="x'
NAMES = {
    'option': b'--help',
    'attack': ATTACK,
    'shell': b' x!$(echo >VICTIM);`echo >VICTIM`&*?[a]\n\'\\"\\\n%s%05n%41 ',
    'bytes': b'-\xff\xfe\x1b]0;x\x07\r\x80',
    'setting': b'duration=1',
    'accent': '...\u00c4pfel \N{GREEN APPLE} \u202egnp'.encode(),
}


def fail(text):
    raise AssertionError(text)


def look(folder):
    """What is in the folder: {path: content, target, or kind}"""
    found = {}
    for at, folders, names in os.walk(folder):
        for name in folders + names:
            path = os.path.join(at, name)
            mode = os.lstat(path).st_mode
            if stat.S_ISREG(mode):
                with open(path, 'rb') as file:
                    found[os.path.relpath(path, folder)] = file.read()
            else:
                found[os.path.relpath(path, folder)] = os.readlink(path) if stat.S_ISLNK(mode) else stat.S_IFMT(mode)
    return found


class Run:
    """A script in a folder with a picture, and files of somebody else."""

    def __init__(self, case, picture):
        self.case = case
        self.folder = tempfile.mkdtemp(prefix='names-').encode()
        shutil.copy(picture, self.path(b'picture'))
        for name in (b'VICTIM', b'b.png', b'.part'):
            self.write(name)
        os.mkdir(self.path(b'home'))
        self.write(b'home/.part')

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name):
        with open(self.path(name), 'wb') as file:
            file.write(b'of somebody else: ' + name)

    def start(self, script, *arguments, **options):
        environment = {name: value for name, value in os.environ.items() if name not in ('DISPLAY', 'WAYLAND_DISPLAY')}
        path = os.path.join(PIPELINES, script)
        self.command = [sys.executable, path, *arguments] if script.endswith(b'.py') else [path, *arguments]
        self.before = look(self.folder)
        return subprocess.Popen(self.command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)

    def end(self, process, new, replaced=(), works=True, says=True):
        """The run must work, or be refused with a message, and write what is new and replaced, and nothing else."""
        said, _ = process.communicate(timeout=200)
        after = look(self.folder)
        told = '%s: %s: status %d\n%s' % (self.case, self.command, process.returncode, said.decode(errors='replace'))
        if (process.returncode == 0) != works or process.returncode < 0:
            fail(told)
        if not works and says and not said.strip() or b'Traceback' in said or b'\x1b' in said:
            fail('this is no message: ' + told)
        changed = {name for name in self.before if after.get(name) != self.before[name]}
        if changed != set(replaced):
            fail('changed: %s, not %s: %s' % (changed, replaced, told))
        if set(after) - set(self.before) != set(new):
            fail('new: %s, not %s: %s' % (set(after) - set(self.before), new, told))
        if any(after[name] == b'' for name in [*new, *replaced]):
            fail('nothing was written: ' + told)

    def run(self, script, *arguments, new=(), replaced=(), works=True):
        self.end(self.start(script, *arguments), new, replaced, works)


GIF = (b'duration=0.1', b'hold=0.1', b'n-vectors=9')


def with_input(name, run):
    """Scripts that read the picture of this name."""
    source = name + b'.png'
    os.rename(run.path(b'picture'), run.path(source))
    return source


def name_demo(name, run):
    source = with_input(name, run)
    run.run(b'demo', b'--', source, name, new=[name, name + b'/annotated.png', name + b'/shapes.jsonl'])


def name_fruits(name, run):
    run.run(b'demo', b'', name, new=[name] + [os.path.join(name, file) for file in (
        b'annotated.png', b'fruits.png', b'maps.raw', b'shapes.jsonl')])


def name_gif(name, run):
    source = with_input(name, run)
    run.run(b'fourier-gif', b'--', source, name + b'.gif', *GIF, new=[name + b'.gif'])


def name_gif_chosen(name, run):
    source = with_input(name, run)
    run.write(name + b'.gif')
    # an empty name is none
    run.run(b'fourier-gif', b'--', source, b'', new=[name + b'-2.gif'])


def name_llf(name, run):
    source = with_input(name, run)
    run.write(b'home/' + name + b'.png')
    run.run(b'llf', b'--', source, b'home/' + name + b'.png', replaced=[b'home/' + name + b'.png'])


def name_llf_chosen(name, run):
    source = with_input(name, run)
    for taken in (b'-llf.png', b'-llf-2.png', b'-llf.png.part'):
        run.write(name + taken)
    run.run(b'llf', b'--set', b'alpha=0.5', b'--', source, new=[name + b'-llf-3.png'])


def name_circles(name, run):
    run.run(b'circles-bench', b'cpu', b'-s', b'32', b'-n', b'9', b'-r', b'1', b'--', name + b'.png', new=[name + b'.png'])


def name_scene(name, run):
    run.run(b'lib/fruit_scene.py', name + b'.png', name, new=[name, name + b'.png'])


def name_hdr_scene(name, run):
    run.run(b'lib/hdr_scene.py', name + b'.exr', new=[name + b'.exr'])


def name_camera(name, run):
    run.write(name)
    run.run(b'fourier-live', b'--', name, works=False)


def name_live_source(name, run):
    run.run(b'llf-live', b'--seconds', b'1', b'--', b'file:///nowhere/' + name, b'none', works=False)


def name_live_sink(name, run):
    run.run(b'llf-live', b'--seconds', b'1', b'--', b'test', b'srt://' + name, works=False)


def name_live_device(name, run):
    run.write(name)
    run.run(b'llf-live', b'--seconds', b'1', b'--', b'v4l2:' + name, b'none', works=False)


def name_settings(name, run):
    os.rename(run.path(b'picture'), run.path(b'p.png'))
    for setting in (b'x' + name, b'sigma=' + name, b'level-weights=<' + name):
        run.run(b'llf', b'--set', setting, b'p.png', works=False)


def name_preset(name, run):
    os.rename(run.path(b'picture'), run.path(b'p.png'))
    run.run(b'llf', b'--preset', b'./' + name, b'p.png', works=False)


def name_fruit_line(name, run):
    run.write(name)
    run.run(b'fruit-line', b'check', b'./' + name, works=False)


def name_argument(name, run):
    run.run(b'llf', b'picture', b'out.png', b'x\x1b' + name, works=False)


def name_train(name, run):
    run.write(name)
    run.run(b'line/train.py', name, name + b'.onnx', works=False)


NAMED = (name_demo, name_fruits, name_gif, name_gif_chosen, name_llf, name_llf_chosen, name_circles, name_scene, name_hdr_scene, name_camera,
         name_live_source, name_live_sink, name_live_device, name_settings, name_preset, name_fruit_line, name_argument,
         name_train)

# Outputs that are something else

SCRIPTS = {     # arguments for an input and an output
    'llf': lambda source, target: (b'llf', source, target),
    'gif': lambda source, target: (b'fourier-gif', source, target, *GIF),
    'json': lambda source, target: (b'fourier-gif', source, b'other.gif', *GIF, b'json_location=' + target),
    'circles': lambda source, target: (b'circles-bench', b'cpu', b'-s', b'32', b'-n', b'9', b'-r', b'1', target),
    'scene': lambda source, target: (b'lib/fruit_scene.py', target),
}
KINDS = {'llf': b'.png', 'gif': b'.gif', 'json': b'.gif', 'circles': b'.png', 'scene': b'.png'}
READING = ('llf', 'gif', 'json')


def make_same(run, source, target):
    return source


def make_dotted(run, source, target):
    return b'home/../' + source


def make_absolute(run, source, target):
    return run.path(source)


def make_link(run, source, target):
    os.symlink(source, run.path(target))
    return target


def make_links(run, source, target):
    os.symlink(source, run.path(b'other'))
    os.symlink(b'../other', run.path(b'home/' + target))
    return b'home/' + target


def make_hard_link(run, source, target):
    os.link(run.path(source), run.path(target))
    return target


def make_folder_link(run, source, target):
    os.symlink(b'.', run.path(b'here'))
    return b'here/' + source


def make_device(run, source, target):
    os.symlink(b'/dev/null', run.path(target))
    return target


def make_pipe(run, source, target):
    os.mkfifo(run.path(target))
    return target


def make_folder(run, source, target):
    os.mkdir(run.path(target))
    return target


def make_circle(run, source, target):
    os.symlink(target, run.path(target))
    return target


def make_too_long(run, source, target):
    return b'x' * LONG + target


def make_lost(run, source, target):
    return b'nowhere/' + target


def make_below_file(run, source, target):
    return b'VICTIM/' + target


INPUTS = (make_same, make_dotted, make_absolute, make_link, make_links, make_hard_link, make_folder_link)
OTHERS = (make_device, make_pipe, make_folder, make_circle, make_too_long, make_lost, make_below_file)


def refuse(script, make, run):
    # the content is a PNG, whatever it is called
    source = b'in' + KINDS[script]
    os.rename(run.path(b'picture'), run.path(source))
    target = make(run, source, b'out' + KINDS[script])
    run.run(*SCRIPTS[script](source, target), works=False)


def follow_link(script, run):
    """What a link leads to is replaced, as by other programs; the link stays."""
    source, target = b'in.png', b'out' + KINDS[script]
    os.rename(run.path(b'picture'), run.path(source))
    os.symlink(b'home/there', run.path(target))
    run.write(b'home/there')
    os.chmod(run.path(b'home/there'), 0o640)
    new = [b'other.gif'] if script == 'json' else []
    process = run.start(*SCRIPTS[script](source, target), umask=0o077)
    process.wait()
    if stat.S_IMODE(os.stat(run.path(b'home/there')).st_mode) != 0o640:
        fail('%s: other permissions' % script)
    for name in new:
        if stat.S_IMODE(os.stat(run.path(name)).st_mode) != 0o600:
            fail('%s: not what umask says' % script)
    run.end(process, new, [b'home/there'])


def read_nothing(script, make, run):
    """Inputs that are no files."""
    name = make(run, None, b'in.png')
    run.run(*script, name, works=False)


# Names that scripts make up


def choose_gif(run):
    os.rename(run.path(b'picture'), run.path(b'anim.gif'))
    run.run(b'fourier-gif', b'anim.gif', new=[b'anim-2.gif'])


def choose_demo(run):
    os.rename(run.path(b'picture'), run.path(b'annotated.png'))
    run.run(b'demo', b'annotated.png', b'.', new=[b'annotated-2.png', b'shapes-2.jsonl'])


def choose_demo_as_a_pair(run):
    os.mkdir(run.path(b'cudashapes-demo'))
    os.symlink(b'nowhere', run.path(b'cudashapes-demo/shapes.jsonl'))
    run.write(b'cudashapes-demo/annotated-2.png')
    run.run(b'demo', b'./picture', new=[b'cudashapes-demo/annotated-3.png', b'cudashapes-demo/shapes-3.jsonl'])


def choose_fruits(run):
    run.write(b'maps.raw')
    run.run(b'demo', b'', b'.', new=[b'annotated-2.png', b'fruits-2.png', b'maps-2.raw', b'shapes-2.jsonl'])


def choose_circles(run):
    os.link(run.path(b'VICTIM'), run.path(b'circles.png'))
    run.run(b'circles-bench', b'cpu', b'-s', b'32', b'-n', b'9', b'-r', b'1', new=[b'circles-2.png'])


def choose_too_long(run):
    name = b'x' * (LONG - 4) + b'.png'
    os.rename(run.path(b'picture'), run.path(name))
    run.run(b'llf', name, works=False)


def name_longest(run):
    name, target = b'x' * (LONG - 4) + b'.png', b'y' * (LONG - 4) + b'.png'
    os.rename(run.path(b'picture'), run.path(name))
    run.run(b'llf', name, target, new=[target])


def choose_live(run):
    run.write(b'fourier-live.mp4')
    process = run.start(b'fourier-live', b'test')
    try:
        wait_for_part(run, process)
        process.send_signal(signal.SIGINT)
        run.end(process, [], works=False, says=False)
    finally:
        process.kill()


def interrupt(number, run):
    """A signal in the middle leaves what was there."""
    run.write(b'drawing.json')
    process = run.start(b'fourier-live', b'test', b'json-location=drawing.json')
    try:
        wait_for_part(run, process)
        process.send_signal(number)
        run.end(process, [], works=False, says=False)
    finally:
        process.kill()


def wait_for_part(run, process):
    """Until the script has begun to write."""
    end = time.monotonic() + 60
    while process.poll() is None and set(os.listdir(run.folder)) <= {os.path.basename(name) for name in run.before}:
        if time.monotonic() > end:
            fail('%s: nothing is written' % run.case)
        time.sleep(.01)


def fail_in_the_middle(run):
    """A file that ends early: an error, and no output."""
    with open(run.path(b'picture'), 'rb') as file:
        data = file.read()
    with open(run.path(b'cut.png'), 'wb') as file:
        file.write(data[:len(data) // 2])
    run.write(b'out.png')
    run.run(b'llf', b'cut.png', b'out.png', works=False)


def protected(run):
    os.rename(run.path(b'picture'), run.path(b'in.png'))
    run.write(b'out.png')
    os.chmod(run.path(b'out.png'), 0o444)
    run.run(b'llf', b'in.png', b'out.png', works=False)


ALONE = (choose_gif, choose_demo, choose_demo_as_a_pair, choose_fruits, choose_circles, choose_too_long, name_longest, choose_live,
         fail_in_the_middle)


def cases():
    # every script with an attack and one of the other names; names_random.py has many more
    others = [name for name in NAMES if name != 'attack']
    for i, call in enumerate(NAMED):
        for name in 'attack', others[i % len(others)]:
            yield '%s %s' % (call.__name__, name), lambda run, call=call, data=NAMES[name]: call(data, run)
    # all ask the same functions of pipelines/lib: each script with every third kind, and each kind with every third script
    for i, script in enumerate(SCRIPTS):
        for make in ((INPUTS if script in READING else ()) + OTHERS)[i % 3::3]:
            yield '%s %s' % (script, make.__name__), lambda run, script=script, make=make: refuse(script, make, run)
        yield '%s follows' % script, lambda run, script=script: follow_link(script, run)
    for script in ((b'demo',), (b'llf',), (b'fourier-gif',)):
        for make in (make_device, make_pipe, make_folder, make_circle):
            yield '%s reads %s' % (script, make.__name__), \
                lambda run, script=script, make=make: read_nothing(script, make, run)
    for call in ALONE + ((protected,) if os.getuid() else ()):
        yield call.__name__, call
    for number in SIGNALS:
        yield 'interrupt %s' % number.name, lambda run, number=number: interrupt(number, run)


def attempt(case, call, picture):
    run = Run(case, picture)
    try:
        call(run)
    except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
        return '%s: %s' % (case, error)
    finally:
        shutil.rmtree(run.folder, ignore_errors=True)
    return None


def main():
    try:
        import numpy    # noqa: F401
    except ImportError as error:
        print('skipped: %s' % error)
        sys.exit(77)
    for name in NEEDED:
        if subprocess.run(['gst-inspect-1.0', '--exists', name]).returncode != 0:
            print('skipped: there is no element %s here' % name)
            sys.exit(77)
    if not shutil.which('ffmpeg') and subprocess.run(['gst-inspect-1.0', '--exists', 'gifenc']).returncode != 0:
        print('skipped: fourier-gif needs ffmpeg, or gifenc')
        sys.exit(77)
    for number in SIGNALS:      # nohup and shells let children ignore them
        signal.signal(number, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        picture = os.path.join(folder, 'picture.png')
        subprocess.run(['gst-launch-1.0', '-q', *('videotestsrc num-buffers=1 pattern=ball ! video/x-raw,width=64,height=48 ! '
                        'pngenc ! filesink').split(), 'location=' + picture], check=True)
        all_cases = list(cases())
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            wrong = [text for text in pool.map(lambda case: attempt(*case, picture), all_cases) if text]
    print('\n'.join(wrong))
    print('%d cases, %d wrong' % (len(all_cases), len(wrong)))
    sys.exit(bool(wrong))


if __name__ == '__main__':
    main()
