# SPDX-License-Identifier: LGPL-2.1-or-later
"""What summary.py and growth.py run: this project's programs, in a build's folder or by a command before their names."""
import os
import re
import subprocess
import sys

# caps of a tensor of floats, its dimensions to follow, and of a frame: format, width, height
TENSOR = "other/tensors,format=(string)static,num_tensors=(int)1,types=(string)float32,framerate=(fraction)30/1," \
    "dimensions=(string)"
RAW = "video/x-raw,format=%s,width=%d,height=%d,framerate=30/1"


class Machine:
    def __init__(self, build, run, folder):
        self.build, self.run_prefix, self.folder = os.path.abspath(build), run.split(), folder
        self.gpu = self.program("check-luma", "cuda").returncode == 0

    def program(self, name, *arguments):
        if self.run_prefix:
            command = self.run_prefix + [name, *arguments]
        else:
            found = subprocess.run(["find", os.path.join(self.build, "tests"), "-type", "f", "-name", name],
                                   capture_output=True, text=True, check=True).stdout.split()
            command = [found[0] if found else name, *arguments]
        environment = dict(os.environ, GST_REGISTRY=os.path.join(self.folder, "registry"), GST_REGISTRY_FORK="no")
        if not self.run_prefix:
            environment["GST_PLUGIN_PATH"] = os.path.join(self.build, "gst")
        return subprocess.run(command, capture_output=True, text=True, env=environment)

    def element(self, n, path, caps, line, backend, threads=0):
        """(median, 99th percentile, processors' time), None without a GPU"""
        done = self.program("bench-elements", str(n), path, caps,
                            line.replace("BACKEND", "backend=%s n-threads=%d" % (backend, threads)))
        if done.returncode:
            if backend == "cuda" and not self.gpu:
                return None
            sys.exit("%s: %s" % (line, done.stderr))
        return [float(word) for word in done.stdout.split()[-3:]]

    def on_gpu(self, name, arguments, pattern, factor=1.):
        """The number that the program prints, times factor; None without a GPU."""
        found = re.search(pattern, self.program(name, *arguments).stdout) if self.gpu else None
        return float(found[1]) * factor if found else None

    def contours(self, text, *arguments):
        """Of each row of check-contours whose name has the text: name, columns by their titles."""
        out = self.program("check-contours", "--bench", "--backend", "both" if self.gpu else "cpu", "--only", text,
                           *arguments).stdout.splitlines()
        head = next(i for i, line in enumerate(out) if line.startswith("case "))
        titles = re.findall(r"cpu \w+ us|\w+ us|ns/\w+|\w+", out[head][len("case "):])
        rows = (line.rsplit(maxsplit=len(titles)) for line in out[head + 1:])
        return [(row[0], dict(zip(titles, map(float, row[1:])))) for row in rows]

    def llf_on_device(self, width, height):
        return self.on_gpu("check-llf", ["--backend", "cuda", "--run", str(width), str(height), "1", "8"], r"([\d.]+) us a frame")

    def hull_on_device(self, n):
        return self.on_gpu("check-hull", ["--backend", "cuda", "--bench", str(n), "--quick"],
                           r"square +%d +[\d.]+ +([\d.]+)" % n, 1e3)

    def circles_on_device(self, scene, size):
        """size: "1024x1024" """
        return self.on_gpu("check-raster", ["--bench", "--backend", "cuda", "--row", "%s-%s" % (scene, size)],
                           r"%s \| %s \|(?:[^|]*\|){4} *([\d.]+) \|" % (scene, size), 1e3)


def cell(value):
    return "-" if value is None else "%.3g" % value if value < 100 else "%.0f" % value
