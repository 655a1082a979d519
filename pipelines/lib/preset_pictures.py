#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""preset_pictures.py PICTURE FOLDER: the pictures of docs/presets.md, of the scene of fruit_scene.py. Run it in
`meson devenv -C build`."""
import os
import shutil
import sys
import tempfile

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst

import files
import films

SIZE = "video/x-raw,width=320,height=182,pixel-aspect-ratio=1/1"
# of YUV jpegenc takes the codes of video for those of pictures
JPEG = "videoconvert ! video/x-raw,format=RGB ! jpegenc quality=70"
DRAW = "shapeoverlay line-width=1.5 casing=1"
PICTURES = {
    "contours": ("cudacontours @preset=%s ! shapeoverlay line-width=1.5 casing=1 color-mode=%s",
                 {"Objects": "shape", "Uneven": "shape", "Map": "level", "Bands": "level fill-opacity=0.8"}),
    "hull": ("cudacontours @preset=Objects ! cudahull @preset=%s ! " + DRAW + "%s",
             {"Measure": " draw-contours=false draw-ellipses=true", "Defects": "", "Outline": ""}),
    "circles": ("cudacontours @preset=Objects ! cudacircles @preset=%s%s", {"Rings": "", "Spots": "", "Fireworks": ""}),
    "overlay": ("cudacontours @preset=%s min-area=150 ! shapeoverlay font-size=22 @preset=%s",
                {"Readable": "Objects", "Labels": "Objects", "Levels": "Map", "Tint": "Objects"}),
}


def run(line, picture, target):
    """The last frame of the line is the file."""
    with tempfile.TemporaryDirectory() as folder:
        pipeline = Gst.parse_launch(f"filesrc name=file ! {line} ! multifilesink name=out max-files=1")
        files.set_file(pipeline.get_by_name("file"), picture)
        pipeline.get_by_name("out").props.location = os.path.join(folder, "frame")
        films.run(pipeline)
        shutil.copyfile(os.path.join(folder, "frame"), target)


def filtered(picture, chain, target):
    # a frame late enough for animated scenes
    run("decodebin ! videoconvert ! videoscale add-borders=false ! %s,format=I420 ! imagefreeze num-buffers=40 ! "
        "video/x-raw,framerate=25/1 ! %s ! %s" % (SIZE, chain, JPEG), picture, target)


def drawn(picture, preset, target):
    run("decodebin ! videoconvert ! videoscale add-borders=false ! %s,format=I420 ! imagefreeze num-buffers=1 ! "
        "fourierdraw duration=4 hold=0 mode=redraw @preset=%s ! video/x-raw,framerate=25/1 ! identity eos-after=70 ! "
        "%s" % (SIZE, preset, JPEG), picture, target)


def draw(outputs, picture, folder):
    for name, (chain, presets) in PICTURES.items():
        for preset, more in presets.items():
            order = (more, preset) if name == "overlay" else (preset, more)
            filtered(picture, chain % order, outputs.name(os.path.join(folder, "preset-%s-%s.jpg" % (name, preset.lower()))))
    for preset in ("Night", "Paper", "Comet", "Ink", "Neon", "Blueprint", "Follow", "Chalk"):
        drawn(picture, preset, outputs.name(os.path.join(folder, "preset-fourierdraw-%s.jpg" % preset.lower())))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    Gst.init(None)
    try:
        with files.Outputs(sys.argv[1:2]) as outputs:
            draw(outputs, *sys.argv[1:])
            outputs.commit()
    except RuntimeError as error:
        sys.exit(f"preset_pictures.py: {error}")


if __name__ == "__main__":
    main()
