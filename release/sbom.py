#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a build consists of, as a CycloneDX 1.6 bill of materials: release/sbom.py BUILD > sbom.json

Parts are those that the build's installed files name themselves (NEEDED), static libraries that are linked into them, CUDA's
runtime, and what programs use if it is there. The same build gives the same bytes; SOURCE_DATE_EPOCH adds a time. docs/licences.md
has the licences.
"""

import datetime
import json
import os
import re
import subprocess
import sys
import uuid

PROJECT = "gst-cudashapes"
HOLDER = "The gst-cudashapes authors"
LICENCE = "LGPL-2.1-or-later"
# name: licence, the Meson dependency whose version it has, shared libraries and static ones without lib and what follows a dot
PARTS = {
    "aravis": ("LGPL-2.1-or-later", "aravis-0.8", "aravis-0"),
    "cairo": ("LGPL-2.1-only OR MPL-1.1", None, "cairo"),
    "expat": ("MIT", "expat", "expat"),
    "glib": ("LGPL-2.1-or-later", "glib-2.0", "glib-2 gobject-2 gio-2 gmodule-2"),
    "glibc": ("LGPL-2.1-or-later", None, "c m pthread dl rt ld-linux-x86-64 ld-linux-aarch64"),
    "gcc-runtime": ("GPL-3.0-or-later WITH GCC-exception-3.1", None, "gcc_s stdc++"),
    "gstreamer": ("LGPL-2.1-or-later", "gstreamer-1.0", "gstreamer-1 gstbase-1"),
    "gst-plugins-base": ("LGPL-2.1-or-later", "gstreamer-video-1.0", "gstvideo-1 gstapp-1 gstfft-1 gstallocators-1"),
    "gst-plugins-bad": ("LGPL-2.1-or-later", "gstreamer-analytics-1.0", "gstcuda-1 gstanalytics-1"),
    "jansson": ("MIT", "jansson", "jansson"),
    "librdkafka": ("BSD-2-Clause", "rdkafka", "rdkafka"),
    "libmodbus": ("LGPL-2.1-or-later", "libmodbus", "modbus"),
    "mosquitto": ("EPL-2.0 OR BSD-3-Clause", "libmosquitto", "mosquitto"),
    "pango": ("LGPL-2.0-or-later", "pangocairo", "pango-1 pangocairo-1"),
    "pcre2": ("BSD-3-Clause", None, "pcre2-8"),
}
CUDA = "cuda-runtime", "LicenseRef-NVIDIA-CUDA-Toolkit"
CCCL = "cub", "BSD-3-Clause"
# what programs take if it is there, and do without
OPTIONAL = {
    "numpy": "BSD-3-Clause",
    "onnxruntime": "MIT",
    "pygobject": "LGPL-2.1-or-later",
}


def introspect(build, what):
    with open(os.path.join(build, "meson-info", "intro-%s.json" % what), encoding="utf-8") as file:
        return json.load(file)


def find_part(library):
    """By a library's name, such as libgstvideo-1.0.so.0."""
    stem = re.sub(r"^lib", "", os.path.basename(library)).split(".")[0]
    for name, (_, _, stems) in PARTS.items():
        if stem in stems.split():
            return name
    sys.exit("%s is no part that release/sbom.py knows: add it to PARTS there, and to docs/licences.md" % library)


def find_files(build):
    """Of installed programs and libraries: name, kind, path."""
    for target in introspect(build, "targets"):
        kind = {"executable": "application"}.get(target["type"], "library")
        if target["installed"] and target["type"] in ("executable", "shared library", "shared module"):
            yield target, kind, target["filename"][0]


def read_needed(path):
    said = subprocess.run(["readelf", "-dW", path], capture_output=True, text=True, check=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", said)


def find_static(build):
    """Other people's static libraries, by the names of the files that they are in."""
    with open(os.path.join(build, "build.ninja"), encoding="utf-8") as file:
        for block in file.read().split("\nbuild ")[1:]:
            for library in re.findall(r"(?<= )/\S+\.a\b", block) if "_LINKER" in block.split("\n")[0] else []:
                yield os.path.basename(block.split(":")[0].split(" ")[0]), library


def read_cuda_version(targets):
    """Of the CUDA compiler; None in a build without."""
    for target in targets:
        for source in target["target_sources"]:
            if source.get("language") == "cuda":
                said = subprocess.run([word for word in source["compiler"] if "nvcc" in word][-1:] + ["--version"],
                                      capture_output=True, text=True, check=True).stdout
                return re.search(r"release (\S+),", said)[1]
    return None


def make_part(name, licence, version, how):
    part = {"type": "library", "bom-ref": name, "name": name, "scope": "optional" if how == "optional" else "required"}
    if version:
        part["version"] = version
    key = "expression" if " " in licence else "license"
    part["licenses"] = [{"expression": licence} if key == "expression" else {"license": (
        {"name": licence} if licence.startswith("LicenseRef-") else {"id": licence})}]
    part["purl"] = "pkg:generic/%s%s" % (name, "@" + version if version else "")
    part["properties"] = [{"name": "cudashapes:use", "value": how}]
    return part


def make(build):
    project = introspect(build, "projectinfo")
    versions = {one["name"]: one["version"] for one in introspect(build, "dependencies")}
    targets = introspect(build, "targets")
    cuda = read_cuda_version(targets)
    static = list(find_static(build))
    own, uses, how = {}, {}, {}
    ours = {os.path.basename(path) for _, _, path in find_files(build)}
    for target, kind, path in find_files(build):
        name = os.path.basename(path)
        ref = re.sub(r"\.so[.0-9]*$", "", name)
        own[ref] = {"type": kind, "bom-ref": ref, "name": ref, "version": project["version"],
                    "licenses": [{"license": {"id": LICENCE}}]}
        uses[ref] = set()
        for library in read_needed(path):
            if any(one.startswith(library) for one in ours):
                uses[ref].add(re.sub(r"\.so[.0-9]*$", "", library))
                continue
            uses[ref].add(find_part(library))
            how.setdefault(find_part(library), "linked")
        for library in (library for file, library in static if file == name):
            # a linker prefers the shared one
            if find_part(library) not in uses[ref]:
                how[find_part(library)] = "bundled"
        uses[ref] |= {find_part(library) for file, library in static if file == name}
        if cuda and (target["name"] in ("gstcudashapes", "_native")):
            uses[ref] |= {CUDA[0], CCCL[0]}
    parts = [make_part(name, PARTS[name][0], versions.get(PARTS[name][1]), use) for name, use in how.items()]
    parts += [make_part(name, licence, cuda, "bundled") for name, licence in (CUDA, CCCL) if cuda]
    parts += [make_part(name, licence, None, "optional") for name, licence in OPTIONAL.items()]
    top = {"type": "library", "bom-ref": PROJECT, "name": PROJECT, "version": project["version"],
           "copyright": HOLDER, "licenses": [{"license": {"id": LICENCE}}]}
    uses[PROJECT] = set(own) | set(OPTIONAL)
    bom = {"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6",
           "version": 1, "metadata": {"component": top},
           "components": sorted([*own.values(), *parts], key=lambda one: one["bom-ref"]),
           "dependencies": [{"ref": ref, "dependsOn": sorted(on)} for ref, on in sorted(uses.items())]}
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        bom["metadata"]["timestamp"] = datetime.datetime.fromtimestamp(
            int(epoch), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    bom["serialNumber"] = "urn:uuid:%s" % uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bom, sort_keys=True))
    return bom


def main():
    if len(sys.argv) != 2 or not os.path.isdir(os.path.join(sys.argv[1], "meson-info")):
        sys.exit("usage: release/sbom.py BUILD > sbom.json    (a folder that Meson has built in)")
    print(json.dumps(make(sys.argv[1]), indent=2))


if __name__ == "__main__":
    main()
