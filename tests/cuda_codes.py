#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cuda_codes.py ARCH... -- OBJECT...: says for each architecture how many objects hold its machine code, and how many bytes,
as compressed; fails where one lacks it. Reads the headers of NVIDIA's fat binaries, for cuobjdump is not everywhere."""
import os
import struct
import subprocess
import sys
import tempfile

MAGIC, ELF = 0xBA55ED50, 2


def section(path):
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(["objcopy", "-O", "binary", "--only-section=.nv_fatbin", "--set-section-flags=.nv_fatbin=alloc",
                        path, file.name], check=True)
        return file.read()


def codes(data):
    """The architecture and bytes of each machine code in the section's fat binaries."""
    at = data.find(struct.pack("<I", MAGIC))
    while at >= 0:
        header, size = struct.unpack_from("<HQ", data, at + 6)
        entry, end = at + header, at + header + size
        while entry < end:
            kind, _, header, size = struct.unpack_from("<HHIQ", data, entry)
            arch, = struct.unpack_from("<I", data, entry + 28)
            if kind == ELF:
                yield arch, size
            entry += header + size
        at = data.find(struct.pack("<I", MAGIC), end)


def main():
    end = sys.argv.index("--")
    archs, objects = [int(name) for name in sys.argv[1:end]], sys.argv[end + 1:]
    found = {path: list(codes(section(path))) for path in objects}
    lacking = [(path, arch) for path in objects for arch in archs if arch not in dict(found[path])]
    for path, arch in lacking:
        print(f"no code for sm_{arch}: {os.path.basename(path)}")
    for arch in archs:
        sizes = [sum(size for code, size in found[path] if code == arch) for path in objects]
        print(f"sm_{arch:<4} {sum(size > 0 for size in sizes)} of {len(objects)} objects, {sum(sizes)} bytes")
    return bool(lacking) or not objects


if __name__ == "__main__":
    sys.exit(main())
