# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files that scripts read and write, whatever their names: docs/scripts.md has the rules."""
import argparse
import atexit
import contextlib
import itertools
import os
import pathlib
import secrets
import signal
import stat
import sys

# what this program is called, in pipelines/ and installed
PROGRAM = os.environ.get("CUDASHAPES_PROGRAM") or pathlib.Path(sys.argv[0]).stem.replace("_", "-")


def beside(name):
    """What users call another of these programs."""
    return "cudashapes-" + name if PROGRAM.startswith("cudashapes-") else "pipelines/" + name


def shown(text):
    """A name or a message for a terminal: what cannot be printed, as bytes in hexadecimal."""
    return "".join(c if c.isprintable() else "".join("\\x%02x" % byte for byte in c.encode("utf-8", "surrogateescape"))
                   for c in text)


def say(lines):
    """What the user should know of a run."""
    for line in lines:
        print(f"{PROGRAM}: {line}", file=sys.stderr)


class Parser(argparse.ArgumentParser):
    """Its messages have the arguments in them."""

    def error(self, message):
        super().error(shown(message))


def check_input(path):
    """Raises RuntimeError unless this is a file that can be read."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise RuntimeError(f"{shown(path)} cannot be read: it is a folder, a device or a pipe; name a file")
        os.close(os.open(path, os.O_RDONLY))
    except OSError as error:
        raise RuntimeError(f"{shown(path)} cannot be read: {error.strerror}") from error


def make_folder(path):
    """Makes the folder unless it is there. Raises RuntimeError."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        reason = "it is no folder" if isinstance(error, FileExistsError) else error.strerror
        raise RuntimeError(f"nothing can be written into {shown(path)}: {reason}; name a folder") from error


def set_file(element, path):
    """Lets a filesrc or filesink read or write this file. Its property takes no name that is not UTF-8; a URI has any."""
    element.set_uri(pathlib.Path(os.path.abspath(path)).as_uri())


def _numbered(path, number):
    name, kind = os.path.splitext(path)
    return path if number == 1 else f"{name}-{number}{kind}"


def _make(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))


class Outputs:
    """The files that a run writes. Each is written under a name that nobody else has, in its folder, and gets its own when
    commit() says that all are complete; without it nothing has changed when the block ends, by an error or a signal, too.

        with Outputs([photograph]) as outputs:
            part = outputs.name(target)         # what the user has named, or
            part = outputs.choose(target)       # a name that the script has made up: what is there is never replaced
            ...
            target, = outputs.commit()

    inputs: names of files; those that are there are never replaced. Errors are RuntimeErrors."""

    def __init__(self, inputs=()):
        self.inputs = {}
        for path in inputs:
            try:
                there = os.stat(path)
            except (OSError, ValueError):
                continue
            self.inputs[there.st_dev, there.st_ino] = os.fspath(path)
        self.parts, self.names, self.modes = {}, {}, {}     # by the file that is to be
        self.chosen, self.reserved = [], []
        self.held, self.signal = False, None

    def __enter__(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:      # as nohup has it
                signal.signal(number, self._stop)
        # who calls Python from C may end the process by a signal's SystemExit, and no block
        atexit.register(self._remove)
        return self

    def __exit__(self, *_):
        self._remove()
        atexit.unregister(self._remove)

    def _remove(self):
        self.held = True
        for path in [*self.parts.values(), *self.reserved]:
            if os.path.lexists(path):
                os.remove(path)

    def _stop(self, number, _frame):
        self.signal = number
        if not self.held:
            sys.exit(128 + number)

    @contextlib.contextmanager
    def _undisturbed(self):
        """Signals wait: what is made is noted, and files that belong together are."""
        self.held = True
        try:
            yield
        finally:
            self.held = False
        if self.signal:
            sys.exit(128 + self.signal)

    def name(self, path):
        """Where to write the file that the user has named so. It replaces what has this name, and keeps its permissions;
        through a link, what the link leads to."""
        target = os.path.realpath(path)
        try:
            there = os.stat(target)
        except FileNotFoundError:
            there = None
        except OSError as error:
            raise RuntimeError(f"{shown(path)} cannot be written: {error.strerror}") from error
        if there:
            self._check(path, target, there)
        return self._open(path, target)

    def _check(self, path, target, there):
        source = self.inputs.get((there.st_dev, there.st_ino))
        if source is not None:
            raise RuntimeError(f"{shown(path)} would overwrite {shown(source)}, which is read: name another file to write")
        if not stat.S_ISREG(there.st_mode):
            raise RuntimeError(f"{shown(path)} cannot be written: it is a folder, a device or a pipe; name a file")
        if not os.access(target, os.W_OK):
            raise RuntimeError(f"{shown(path)} is there and is protected from writing: name another file to write")
        self.modes[target] = there.st_mode & 0o777

    def choose(self, path):
        """Where to write a file of a name that the script has made up: if one of the run's has that name already, all get
        a number."""
        target = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        part = self._open(path, target)
        self.chosen.append(target)
        return part

    def _open(self, path, target):
        if target in self.parts:
            raise RuntimeError(f"{shown(path)} would be written twice: name different files")
        folder = os.path.dirname(target)
        if not os.path.isdir(folder):
            raise RuntimeError(f"{shown(path)} cannot be written: there is no folder {shown(os.path.dirname(path) or folder)}")
        part = os.path.join(folder, f".{secrets.token_hex(8)}.part")
        try:
            with contextlib.suppress(FileNotFoundError):
                os.lstat(target)    # says whether the name is too long
            with self._undisturbed():
                _make(part)
                self.parts[target], self.names[target] = part, path
        except OSError as error:
            raise RuntimeError(f"{shown(path)} cannot be written: {error.strerror}") from error
        return part

    def _reserve(self):
        """Takes the chosen names, all with the same number. Returns: the number"""
        for number in itertools.count(1):
            try:
                for path in self.chosen:
                    _make(_numbered(path, number))
                    self.reserved.append(_numbered(path, number))
                return number
            except FileExistsError:
                while self.reserved:
                    os.remove(self.reserved.pop())

    def commit(self):
        """The files get their names. Returns: the names, in the order in which they were named and chosen"""
        names = []
        try:
            for target, part in self.parts.items():
                with open(part, "rb") as file:
                    os.fsync(file.fileno())
                    if not os.fstat(file.fileno()).st_size:
                        raise RuntimeError(f"nothing came to write into {shown(self.names[target])}")
            with self._undisturbed():
                number = self._reserve()
                for target, part in self.parts.items():
                    if target in self.modes:
                        os.chmod(part, self.modes[target])
                    of_this = number if target in self.chosen else 1
                    os.replace(part, _numbered(target, of_this))
                    names.append(_numbered(self.names[target], of_this))
                self.reserved.clear()
        except OSError as error:
            raise RuntimeError(f"nothing can be written: {shown(str(error))}") from error
        return names
