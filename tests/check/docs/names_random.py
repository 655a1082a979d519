#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""names_random.py PIPELINES [SEED [ROUNDS]]: pipelines/lib/files.py with names of random bytes, in folders with files, links,
hard links, pipes and folders of random names. Whatever a round writes, fails at or gives up: an input has the bytes that it
had, so has everything that was not named as the output, and nothing is left over. Then GStreamer reads and writes files of
such names. Exits with 77 without GStreamer for Python."""
import os
import random
import stat
import sys
import tempfile

sys.path.insert(0, os.path.join(sys.argv[1], 'lib'))
import files    # noqa: E402

SPECIAL = [b'-', b'--', b'"', b"'", b' ', b'\n', b'%s', b'%00', b'\\', b'!', b'=', b';', b'#', b'?', b'&', b':', b'\xff', b'\xc3',
           b'.', b'..', b'~', b'$x', b'.png', b'-2', b'\x1b[', '\u202e'.encode(), b'\x7f']


def make_name(rng):
    """A name of a file: bytes that are likely to mean something, or any."""
    if rng.random() < .7:
        name = b''.join(rng.choice(SPECIAL) for _ in range(rng.randint(1, 6)))
    else:
        name = bytes(rng.randint(1, 255) for _ in range(rng.choice((1, 2, 9, 100, 255, 256, 300))))
    name = name.replace(b'/', b'x')
    return name + b'x' if name in (b'.', b'..') else name


def make(rng, folder, names):
    """One more thing in the folder, of a new name."""
    name = make_name(rng)
    path, other = os.path.join(folder, name), os.path.join(folder, rng.choice(names)) if names else os.path.join(folder, b'no')
    try:
        kind = rng.randint(0, 9)
        if kind < 5:
            with open(path, 'xb') as file:
                file.write(b'of ' + name)
        elif kind == 5:
            os.symlink(rng.choice((other, os.path.basename(other), b'nowhere', b'./' + name)), path)
        elif kind == 6:
            os.link(other, path, follow_symlinks=False)
        elif kind == 7:
            os.mkfifo(path)
        elif kind == 8:
            os.mkdir(path)
        else:
            os.symlink(b'/dev/null', path)
        names.append(name)
    except OSError:     # too long, there already, a hard link to a folder
        pass


def look(folder):
    """{name: (kind, content or where a link leads)}"""
    found = {}
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        mode, content = os.lstat(path).st_mode, None
        if stat.S_ISREG(mode):
            with open(path, 'rb') as file:
                content = file.read()
        elif stat.S_ISLNK(mode):
            content = os.readlink(path)
        elif stat.S_ISDIR(mode):
            content = look(path)
        found[name] = stat.S_IFMT(mode), content
    return found


def identity(path):
    """The file that a name leads to, or None."""
    try:
        there = os.stat(path)
    except OSError:
        return None
    return there.st_dev, there.st_ino


def way(rng, folder, name):
    """A name of the file in the folder, as a script gets it."""
    return os.fsdecode(os.path.join(rng.choice((folder, os.path.join(folder, b'.'), os.path.join(folder, b'..', os.path.basename(
        folder)))), name))


def write(rng, source, target, chosen):
    """What a script does. Returns: the name of what has been written, or None"""
    with files.Outputs([source]) as outputs:
        part = outputs.choose(target) if chosen else outputs.name(target)
        with open(part, 'wb') as file:
            file.write(b'new')
        if rng.random() < .2:
            raise RuntimeError('given up')
        return outputs.commit()[0]


def play(rng, seen):
    with tempfile.TemporaryDirectory() as text:
        folder, names = os.fsencode(text), []
        for _ in range(8):
            make(rng, folder, names)
        source = way(rng, folder, rng.choice(names)) if names else way(rng, folder, b'no')
        target = way(rng, folder, rng.choice(names) if names and rng.random() < .6 else make_name(rng))
        chosen, before = rng.random() < .4, look(folder)
        reads, leads = identity(source), identity(target)
        same = reads is not None and reads == leads
        # the names of what may be replaced, which is a file
        may = {name for name, (kind, _) in before.items() if kind == stat.S_IFREG
               and os.path.realpath(os.path.join(folder, name)) == os.path.realpath(os.fsencode(target))}
        new = None
        try:
            files.check_input(source)
        except RuntimeError as error:
            seen['no input'] += 1
            assert str(error).isprintable(), error
        try:
            new = write(rng, source, target, chosen)
        except RuntimeError as error:
            assert str(error).isprintable(), error
        after = look(folder)
        changed = {name for name in before if after.get(name) != before[name]}
        made = set(after) - set(before)
        if new is None:
            seen['refused'] += 1
            assert not changed and not made, (changed, made)
        elif chosen:
            seen['chosen'] += 1
            assert not changed and made == {os.path.basename(os.fsencode(new))}, (changed, made, new)
        else:
            seen['named'] += 1
            assert not same, (source, target)
            assert changed <= may and len(changed) + len(made) == 1, (changed, made, may)
        for name in made | changed:
            assert after[name] == (stat.S_IFREG, b'new'), after[name]
        if same and not chosen:
            seen['same'] += 1


def copy(rng, Gst):
    """GStreamer copies a file of one such name to another."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = (os.path.join(folder, os.fsdecode(make_name(rng)[:200] + end)) for end in (b'a', b'b'))
        with open(source, 'wb') as file:
            file.write(os.fsencode(source))
        pipeline = Gst.parse_launch('filesrc name=in ! filesink name=out')
        files.set_file(pipeline.get_by_name('in'), source)
        files.set_file(pipeline.get_by_name('out'), target)
        pipeline.set_state(Gst.State.PLAYING)
        message = pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        pipeline.set_state(Gst.State.NULL)
        assert message and message.type == Gst.MessageType.EOS, source
        assert sorted(os.listdir(folder)) == sorted(map(os.path.basename, (source, target))), os.listdir(folder)
        with open(target, 'rb') as file:
            assert file.read() == os.fsencode(source), source


def main():
    seed, rounds = (int(text) for text in (sys.argv[2:] + ['1', '1000'][len(sys.argv) - 2:]))
    seen = dict.fromkeys(('refused', 'chosen', 'named', 'same', 'no input'), 0)
    for number in range(rounds):
        try:
            play(random.Random('%d %d' % (seed, number)), seen)
        except AssertionError:
            print('seed %d, round %d' % (seed, number), file=sys.stderr)
            raise
    print(', '.join('%s: %d' % pair for pair in seen.items()))
    # each path has been gone, often
    assert min(seen.values()) * 100 > rounds, seen
    try:
        import gi
        gi.require_version('Gst', '1.0')
        from gi.repository import Gst
    except (ImportError, ValueError) as error:
        print('skipped: %s' % error)
        sys.exit(77)
    Gst.init(None)
    for number in range(100):
        copy(random.Random('%d copy %d' % (seed, number)), Gst)


if __name__ == '__main__':
    main()
