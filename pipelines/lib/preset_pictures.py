#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""preset_pictures.py PICTURE FOLDER: the pictures of docs/presets.md, of the scene of fruit_scene.py. Run it in
`meson devenv -C build`."""
import os
import sys

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst

SIZE = "video/x-raw,width=320,height=240"
DRAW = "shapeoverlay line-width=1.5 casing=1"
PICTURES = {
    "contours": ("cudacontours @preset=%s ! shapeoverlay line-width=1.5 casing=1 color-mode=%s",
                 {"Objects": "shape", "Uneven": "shape", "Map": "level", "Bands": "level fill-opacity=0.8"}),
    "hull": ("cudacontours @preset=Objects ! cudahull @preset=%s ! " + DRAW + "%s",
             {"Measure": " draw-contours=false", "Defects": "", "Outline": ""}),
    "circles": ("cudacontours @preset=Objects ! cudacircles @preset=%s%s", {"Rings": "", "Spots": "", "Fireworks": ""}),
    "overlay": ("cudacontours @preset=%s min-area=150 ! shapeoverlay font-size=22 @preset=%s",
                {"Readable": "Objects", "Labels": "Objects", "Levels": "Map", "Tint": "Objects"}),
}


def run(line):
    pipeline = Gst.parse_launch(line)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        sys.exit("preset_pictures.py: %s: %s" % (line, message.parse_error()[0].message))


def filtered(picture, chain, target):
    # a frame late enough for animated scenes
    run("filesrc location=%s ! decodebin ! videoconvert ! videoscale ! %s,format=I420 ! imagefreeze num-buffers=40 ! "
        "video/x-raw,framerate=25/1 ! %s ! videoconvert ! jpegenc quality=70 ! multifilesink max-files=1 location=%s"
        % (picture, SIZE, chain, target))


def drawn(picture, preset, target):
    run("filesrc location=%s ! decodebin ! videoconvert ! videoscale ! %s,format=I420 ! imagefreeze num-buffers=1 ! "
        "fourierdraw duration=4 hold=0 mode=redraw @preset=%s ! video/x-raw,framerate=25/1 ! identity eos-after=70 ! "
        "videoconvert ! jpegenc quality=70 ! multifilesink max-files=1 location=%s" % (picture, SIZE, preset, target))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    picture, folder = sys.argv[1:]
    Gst.init(None)
    for name, (chain, presets) in PICTURES.items():
        for preset, more in presets.items():
            order = (more, preset) if name == "overlay" else (preset, more)
            filtered(picture, chain % order, os.path.join(folder, "preset-%s-%s.jpg" % (name, preset.lower())))
    for preset in ("Night", "Paper", "Comet", "Ink", "Neon", "Blueprint", "Follow", "Chalk"):
        drawn(picture, preset, os.path.join(folder, "preset-fourierdraw-%s.jpg" % preset.lower()))


if __name__ == "__main__":
    main()
