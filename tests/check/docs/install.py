#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""install.py SOURCE BUILD: no script of the tree SOURCE installs anything unasked, or where a build is given. apt-get, meson and
ninja are stand-ins that write down what they are asked for, the machine lacks every package, and pip finds none. Exits with 77
where there is no bash."""
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = sys.argv[1:]
PIPELINES = ('circles-bench', 'demo', 'fourier-gif', 'fourier-live', 'fruit-line', 'llf', 'llf-live')
# with arguments that end them soon
SCRIPTS = tuple(('pipelines/' + name, 'none.png') for name in PIPELINES) + (
    ('pipelines/llf',), ('tests/run',), ('tests/run', '--partners'), ('tests/run', '--browser'), ('tests/fresh', 'trixie'),
    ('tests/packages', 'trixie'),
    ('tests/aarch64', '--brief'), ('tests/mutate', '--list'), ('tests/stress/run', 'stress', '1'), ('tests/fuzz/run', 'fuzz', '1'))
STAND_IN = '#!/bin/sh\nprintf "%%s\\n" "%s $*" >>"%s/log"\n%s\n'


class Install(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        programs = os.path.join(self.folder, 'bin')
        os.mkdir(programs)
        # root needs no sudo; nothing is compiled
        for name, does in (('apt-get', 'exit 0'), ('apt', 'exit 1'), ('dpkg-query', 'exit 1'), ('sudo', 'shift; exit 1'),
                           ('id', 'echo 0'), ('meson', 'exit 1'), ('ninja', 'exit 1'), ('clang', 'exit 1'), ('nvcc', 'exit 1'),
                           ('unshare', 'exit 1'), ('mmdebstrap', 'exit 1')):
            path = os.path.join(programs, name)
            with open(path, 'w') as file:
                file.write(STAND_IN % (name, self.folder, does))
            os.chmod(path, 0o755)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith('CUDASHAPES_')}
        self.environment.update(PATH=programs + os.pathsep + os.environ['PATH'], HOME=self.folder,
                                XDG_CACHE_HOME=os.path.join(self.folder, 'cache'), PIP_NO_INDEX='1')

    def asked_for(self):
        """What apt-get was to change or fetch; --print-uris only tells."""
        try:
            with open(os.path.join(self.folder, 'log')) as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            return []
        os.remove(os.path.join(self.folder, 'log'))
        return [line for line in lines if line.startswith('apt') and '--print-uris' not in line and 'indextargets' not in line]

    def run_script(self, *command, said=None, **environment):
        """Its status and what it says; said: what somebody at a terminal types."""
        command = [os.path.join(SOURCE, command[0]), *command[1:]]
        options = dict(cwd=self.folder, env={**self.environment, **environment})
        if said is None:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=100, **options)
            return done.returncode, done.stdout
        own, theirs = pty.openpty()
        with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, **options) as process:
            os.close(theirs)
            os.write(own, said.encode())
            text = b''
            try:
                while data := os.read(own, 4096):
                    text += data
            except OSError:     # the script has ended
                pass
        os.close(own)
        return process.returncode, text.decode()

    def bash(self, text, **options):
        path = os.path.join(self.folder, 'script')
        with open(path, 'w') as file:
            file.write('#!/usr/bin/env bash\nset -euo pipefail\n. "%s/pipelines/lib/setup.sh"\n%s\n' % (SOURCE, text))
        os.chmod(path, 0o755)
        return self.run_script(path, **options)

    def test_nobody_can_be_asked(self):
        for command in SCRIPTS:
            with self.subTest(command):
                status, text = self.run_script(*command)
                self.assertEqual(self.asked_for(), [], text)
                self.assertNotEqual(status, 0, text)
                if status != 77:
                    self.assertIn('--yes', text)
                    self.assertRegex(text, r'CUDASHAPES_YES=1[^`]* apt-get install --no-install-recommends \w')

    def test_a_build_is_given(self):
        for command in SCRIPTS:
            with self.subTest(command):
                _, text = self.run_script(*command, CUDASHAPES_BUILD=BUILD, CUDASHAPES_YES='1')
                self.assertEqual(self.asked_for(), [], text)

    def test_yes(self):
        for command in SCRIPTS:
            if command[0] in ('tests/fresh', 'tests/packages', 'tests/aarch64', 'tests/fuzz/run'):
                continue    # some of it goes on where something cannot be had
            for arguments, environment in ((('--yes', *command[1:]), {}), (command[1:], {'CUDASHAPES_YES': '1'})):
                with self.subTest((command, environment)):
                    _, text = self.run_script(command[0], *arguments, **environment)
                    self.assertRegex('\n'.join(self.asked_for()), r'apt-get update.*\napt-get install -y .*\bmeson\b', text)
                    self.assertNotIn('[Y/n]', text)

    def test_an_answer(self):
        lists = 'install_packages "foo: one thing"; install_packages "bar: another"'
        for said, agrees in (('\n', True), ('y\n', True), ('Yes\n', True), ('n\n', False), ('what\n', False), ('\x04', False)):
            with self.subTest(said):
                status, text = self.bash(lists, said=said)
                asked = '\n'.join(self.asked_for())
                self.assertIn('one thing: foo', text)
                # once for all lists
                self.assertEqual(text.count('[Y/n]'), 1, text)
                self.assertEqual((status == 0, 'install -y' in asked and ' foo' in asked and ' bar' in asked), (agrees, agrees), text)
                if not agrees:
                    self.assertEqual(asked, '', text)

    def test_nothing_is_missing(self):
        with open(os.path.join(self.folder, 'bin', 'dpkg-query'), 'w') as file:
            file.write('#!/bin/sh\nprintf "ii "\n')
        status, text = self.bash('install_packages "foo: one thing"')
        self.assertEqual((status, text, self.asked_for()), (0, '', []))

    def test_python_packages(self):
        for environment, status in (({}, 1), ({'CUDASHAPES_BUILD': BUILD}, 0)):
            found, text = self.bash('python="$PWD/bin/pip"\ninstall_partner_wheels', **environment)
            self.assertEqual(found, status, text)
            self.assertFalse(os.path.exists(os.path.join(self.folder, 'cache')), text)
        self.assertEqual(text, '')

    def test_python_packages_are_pinned(self):
        with open(os.path.join(SOURCE, 'tests', 'partners.txt')) as file:
            lines = file.read().replace('\\\n', ' ').splitlines()
        packages = [line for line in lines if not line.startswith('#')]
        self.assertGreater(len(packages), 10)
        for line in packages:
            self.assertTrue(re.fullmatch(r'[\w.-]+==[\w.]+( +--hash=sha256:[0-9a-f]{64})+ *', line), line)

    def test_fetching_a_picture(self):
        status, text = self.bash('photograph')
        self.assertEqual((status, self.asked_for()), (1, []), text)
        self.assertIn('apt-get download opencv-doc', text)
        self.bash('photograph', CUDASHAPES_BUILD=BUILD)
        self.assertEqual(self.asked_for(), [])
        self.bash('photograph', CUDASHAPES_YES='1')
        self.assertEqual(self.asked_for(), ['apt-get download -qq opencv-doc'])

    def test_folders_that_are_made_again(self):
        os.mkdir(os.path.join(self.folder, 'full'))
        with open(os.path.join(self.folder, 'full', 'thesis'), 'w') as file:
            file.write('years')
        for command in (('tests/stage', 'full', BUILD), ('tests/fresh', '--keep', 'full', 'trixie'),
                        ('tests/packages', '--keep', 'full', 'trixie')):
            status, text = self.run_script(*command)
            self.assertNotEqual(status, 0, text)
            self.assertEqual(os.listdir(os.path.join(self.folder, 'full')), ['thesis'])
        for name, status in (('full', 1), ('new', 0), ('bin/id', 1), ('bin', 0)):
            self.assertEqual(self.bash('empty_or_own "%s" id' % name)[0], status, name)


if __name__ == '__main__':
    if not shutil.which('bash'):
        print('skipped: there is no bash')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
