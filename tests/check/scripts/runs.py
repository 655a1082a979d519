# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scripts of pipelines/ that are run, several at a time, each in a folder of its own."""
import concurrent.futures
import os
import subprocess


class Done:
    def __init__(self, pipelines, command, folder):
        self.command = ' '.join(command)
        before = set(os.listdir(folder))
        done = subprocess.run([os.path.join(pipelines, command[0]), *command[1:]], cwd=folder, text=True, timeout=200,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.code, self.out, self.said = done.returncode, done.stdout, done.stderr
        self.left = sorted(set(os.listdir(folder)) - before)

    def check_refused(self, case, says):
        """It has failed, with a message, and left nothing."""
        case.assertNotEqual(self.code, 0, self.command)
        case.assertIn(says, self.said, self.command)
        case.assertNotIn('Traceback', self.said)
        case.assertEqual(self.left, [], self.command)


def runs(pipelines, folder, *commands):
    """Of (bytes of a file, its name, the command): yields its folder and what came of it, in this order."""
    def run(item):
        index, (data, name, command) = item
        own = os.path.join(folder, '%d' % index)
        os.mkdir(own)
        with open(os.path.join(own, name), 'wb') as file:
            file.write(data)
        return own, Done(pipelines, command, own)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(run, enumerate(commands)))
