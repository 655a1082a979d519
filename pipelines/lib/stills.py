# SPDX-License-Identifier: LGPL-2.1-or-later
"""Still pictures: read upright, with what comes with them (colour profile, Exif, XMP, resolution, texts), and written with
it. docs/scripts.md says what goes in and what comes out."""
import io
import re
import struct
import warnings
import zlib

from gi.repository import Gst

try:
    import numpy as np
    from PIL import Image, ImageCms, JpegImagePlugin, TiffImagePlugin, UnidentifiedImageError, WebPImagePlugin
except ImportError as missing:
    raise SystemExit(f"{missing}: install Pillow and NumPy (python3-pil, python3-numpy)") from missing

import exif
import files
import films
import light
import png

# those of Pillow's that are read; others have scripts of their own in them, or need other programs
KINDS = ("JPEG", "PNG", "BMP", "DIB", "GIF", "PPM", TiffImagePlugin.TiffImageFile.format, WebPImagePlugin.WebPImageFile.format)
DAMAGED = (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, AttributeError, struct.error,
           zlib.error)
MOST_PIXELS = 1 << 28
PROFILE_SIZE = 1 << 24
# chunks of PNG that say what its codes mean, and texts
COLOUR_CHUNKS = (b"cICP", b"mDCV", b"mDCv", b"cLLI", b"cLLi", b"gAMA", b"cHRM", b"sRGB")
TEXT_CHUNKS = (b"tEXt", b"zTXt", b"iTXt")
# segments of JPEG
XMP, MORE_XMP, IPTC = b"http://ns.adobe.com/xap/1.0/\0", b"http://ns.adobe.com/xmp/extension/\0", b"Photoshop 3.0\0"
SEGMENT = 0xffff - 2
# what XMP says of other pictures of the file
OTHER_PICTURES = re.compile(rb"hdr-gain-map|photos/1.0/container|HDRGainMap|Container:Directory")
DNG, SUBFILE, PHOTOMETRIC, TIFF_XMP, IPTC_TAG, PHOTOSHOP_TAG = 50706, 254, 262, 700, 33723, 34377
# of a TIFF's own directory, what Exif has, too: description, camera, resolution, program, date, artist, copyright
TIFF_EXIF = (270, 271, 272, 282, 283, 296, 305, 306, 315, 33432)


class Still:
    """pixels: height x width x 1 (gray) or 3 (RGB), uint8 or uint16; or float32, linear light, always RGB
    alpha: height x width x 1 of the same type, or None
    profile, exif, xmp, iptc: bytes, or None; more_xmp: segments of JPEG; density: pixels an inch, x and y, or None
    chunks: of PNG, (kind, data): texts, and what codes mean
    sampling: of the chroma, as Pillow numbers it: 0 is none
    notes: lines on what has been lost in reading"""

    def __init__(self, name):
        self.name = files.shown(name)
        self.pixels = self.alpha = self.profile = self.exif = self.xmp = self.iptc = self.density = None
        self.more_xmp, self.chunks, self.notes, self.sampling = [], [], [], 0

    def is_light(self):
        return self.pixels.dtype == np.float32

    def is_deep(self):
        return self.pixels.dtype == np.uint16

    def turn(self, orientation):
        self.pixels = exif.turned(self.pixels, orientation)
        if self.alpha is not None:
            self.alpha = exif.turned(self.alpha, orientation)
        if self.density and exif.TURNS[orientation][0]:
            self.density = self.density[::-1]

    def lay_on_white(self):
        """Where it is transparent."""
        if self.alpha is None:
            return
        most = np.iinfo(self.alpha.dtype).max
        share = self.alpha / np.float32(most)
        self.pixels = np.rint(self.pixels * share + most * (1 - share)).astype(self.pixels.dtype)
        self.alpha = None
        self.notes.append(f"{self.name}: what is transparent is laid on white")

    def make_shallow(self):
        """16 bits become 8."""
        if self.is_deep():
            self.pixels, self.alpha = (each if each is None else np.rint(each / 257.).astype(np.uint8)
                                       for each in (self.pixels, self.alpha))

    def as_rgb(self):
        return self.pixels if self.pixels.shape[2] == 3 else np.repeat(self.pixels, 3, 2)

    def apply_profile(self):
        """Colours of 8 bits become those of sRGB, for files that have no place for a profile."""
        if self.profile:
            image = Image.fromarray(self.as_rgb() if _space(self.profile) == b"RGB " else self.pixels[..., 0])
            converted = _to_srgb(image, self.profile)
            if converted:
                self.pixels, self.profile = np.asarray(converted), None


def _space(profile):
    """Of the colours that an ICC profile is for."""
    return profile[16:20]


def _to_srgb(image, profile):
    """The picture in sRGB, or None if its profile cannot be used."""
    try:
        return ImageCms.profileToProfile(image, ImageCms.ImageCmsProfile(io.BytesIO(profile)),
                                         ImageCms.createProfile("sRGB"), outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError):
        return None


def check_size(name, width, height):
    if width * height > MOST_PIXELS:
        raise RuntimeError(f"{files.shown(name)} has {width} x {height} pixels, and {MOST_PIXELS} are the most: make it "
                           "smaller first, such as with ImageMagick's convert IN -resize 50% OUT")


def read(path):
    """The still picture in the file, upright; None if there is none, but a film, or something else. Raises RuntimeError if
    it is one that cannot be read."""
    still = Still(path)
    if light.is_light(path):
        try:
            still.pixels, still.alpha = light.read(path, lambda *size: check_size(path, *size))
        except (ValueError, OSError) as error:
            raise RuntimeError(f"{still.name} cannot be read: it is damaged: {files.shown(str(error))}") from error
        return still
    Image.preinit()
    Image.MAX_IMAGE_PIXELS = None       # check_size() says more
    try:
        return _read_coded(path, still)
    except DAMAGED as error:
        raise RuntimeError(f"{still.name} cannot be read: it is damaged: {files.shown(str(error))}") from error


def _read_coded(path, still):
    """A picture of codes, not of light."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            image = Image.open(path, formats=KINDS)
        except UnidentifiedImageError:
            return _read_other(path, still)
        with image:
            _refuse(path, still, image)
            _read_image(path, still, image)
            return still


def _refuse(path, still, image):
    """Raises RuntimeError if the picture is of a kind that is not read, and says what to do."""
    check_size(path, *image.size)
    count = getattr(image, "n_frames", 1)
    if count > 1 and image.format in ("GIF", "PNG", "WEBP"):
        raise RuntimeError(f"{still.name} is an animation of {count} pictures: make a film of it first, ffmpeg -i IN -vf "
                           "'pad=ceil(iw/2)*2:ceil(ih/2)*2' -pix_fmt yuv420p OUT.mp4, or a picture, convert 'IN[0]' OUT.png")
    if count > 1:
        still.notes.append(f"{still.name}: only the first of its {count} pictures is read")
    tags = image.tag_v2 if image.format == "TIFF" else {}
    if DNG in tags or tags.get(SUBFILE, 0) & 1:
        raise RuntimeError(f"{still.name} is a camera's raw photograph: develop it first, such as with darktable-cli IN "
                           "OUT.tif")
    bits, gray = _bits(image), image.mode.startswith("I")
    if bits > 16 or bits == 16 and not gray and image.format != "PNG" or gray and tags.get(PHOTOMETRIC) == 0:
        raise RuntimeError(f"{still.name} has samples that are not read: convert it first, such as with ImageMagick's "
                           "convert IN -depth 16 OUT.png")


def _bits(image):
    """Of a sample in the file; Pillow's name of what it unpacks has them, if they are more than 8."""
    decoder, _, _, arguments = image.tile[0] if image.tile else ("", None, 0, ())
    if decoder in ("ppm", "ppm_plain"):
        return 16 if arguments[1] > 255 else 8
    found = re.search(r";(16|32|64)", str(arguments))
    return int(found[1]) if found and decoder != "jpeg" else 8


def _read_image(path, still, image):
    """Pixels, and what comes with them."""
    deep = _bits(image) == 16 and not image.mode.startswith("I")
    if image.format == "JPEG":
        still.sampling = max(JpegImagePlugin.get_sampling(image), 0)
    if image.format == "TIFF":
        _read_tiff_extras(still, image)     # its file is closed afterwards
    raw = image.tile[0][3] if deep else None
    image.load()
    _read_extras(path, still, image)
    still.pixels, still.alpha = _deep_samples(path, raw, image) if deep else _samples(still, image)
    _turn(still)
    _fit_profile(still)


def _samples(still, image):
    """Returns: pixels and alpha of 8 bits, or of 16, if they are gray."""
    if image.mode.startswith("I"):
        pixels, clear = np.asarray(image).astype(np.uint16)[..., None], image.info.get("transparency")
        return pixels, None if clear is None else np.uint16(65535) * (pixels != clear)
    if image.mode in ("CMYK", "LAB", "YCbCr", "HSV"):
        converted = still.profile and _to_srgb(image, still.profile)
        if not converted and image.mode == "CMYK":
            still.notes.append(f"{still.name}: its inks have no usable profile: the colours are a guess")
        if not converted and image.mode == "LAB":
            converted = _to_srgb(image, ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes())
        image, still.profile = converted or image.convert("RGB"), None
    elif "transparency" in image.info:
        image = image.convert("LA" if image.mode in ("1", "L") else "RGBA")
    elif image.mode not in ("L", "LA", "RGB", "RGBA"):
        kinds = {"1": "L", "La": "LA", "PA": "RGBA", "RGBa": "RGBA"}
        image = image.convert(kinds.get(image.mode, "RGB"))
    pixels = np.asarray(image)
    if pixels.ndim == 2:
        return pixels[..., None], None
    colours = pixels.shape[2] - 1 + pixels.shape[2] % 2
    return pixels[..., :colours], pixels[..., colours:] if colours < pixels.shape[2] else None


def _deep_samples(path, raw, image):
    """Pixels and alpha of 16 bits. Pillow takes the upper bytes of RGB: told that the order of bytes is the other one, the
    lower ones. (GStreamer 1.22 shifts them by a sample.)"""
    if raw == "LA;16B":
        with Image.open(path) as bytes_of_it:
            bytes_of_it.tile = [(*bytes_of_it.tile[0][:3], "RGBA")]
            both = np.asarray(bytes_of_it).astype(np.uint16)
        return both[..., :1] << 8 | both[..., 1:2], both[..., 2:3] << 8 | both[..., 3:]
    with Image.open(path) as lower:
        lower.tile = [(*lower.tile[0][:3], raw.replace("16B", "16L"))]
        pixels = np.asarray(image).astype(np.uint16) << 8 | np.asarray(lower)
    if pixels.shape[2] == 4:
        return pixels[..., :3], pixels[..., 3:]
    clear = image.info.get("transparency")
    return pixels, None if clear is None else np.uint16(65535) * (pixels != clear).any(2, keepdims=True)


def _turn(still):
    """By what Exif says; TIFF, which has that in its own directory, is turned by Pillow."""
    if still.exif:
        try:
            still.turn(exif.Block(still.exif).orientation())
            still.exif = exif.upright(still.exif, *still.pixels.shape[1::-1])
        except ValueError:
            still.exif = None
            still.notes.append(f"{still.name}: its Exif is damaged and left out")
    if still.xmp:
        still.xmp = re.sub(rb"(tiff:Orientation(?:\s*=\s*[\"']|>))[2-8]", rb"\g<1>1", still.xmp)


def _fit_profile(still):
    """A profile is of what the pixels are, or not kept."""
    space = _space(still.profile) if still.profile else None
    if space == b"RGB ":
        still.pixels = still.as_rgb()
    elif space == b"GRAY" and still.pixels.shape[2] == 3 or space not in (None, b"RGB ", b"GRAY"):
        still.profile = None
        still.notes.append(f"{still.name}: its colour profile is not of its colours and left out")


def _read_extras(path, still, image):
    info = image.info
    still.profile = info.get("icc_profile") or None
    dpi = info.get("dpi")
    if dpi and min(dpi) > 1:
        still.density = tuple(map(float, dpi))
    if image.format in ("JPEG", "MPO"):
        _read_jpeg_extras(still, image)
    elif image.format == "PNG":
        _read_png_extras(path, still)
    elif image.format != "TIFF":
        still.exif, still.xmp = info.get("exif"), info.get("xmp")
        _take_comment(still, info)
    if still.exif and still.exif.startswith(b"Exif\0\0"):
        still.exif = still.exif[6:]
    if still.xmp and OTHER_PICTURES.search(still.xmp):
        still.xmp, still.more_xmp = None, []
        still.notes.append(f"{still.name}: its XMP is of other pictures in the file, too, such as a gain map, and left out "
                           "with them")


def _take_comment(still, info):
    comment = info.get("comment")
    if comment:
        comment = comment.encode("latin-1", "replace") if isinstance(comment, str) else comment
        still.chunks.append((b"tEXt", b"Comment\0" + comment.replace(b"\0", b"")))


def _read_jpeg_extras(still, image):
    still.exif = image.info.get("exif")
    for marker, data in image.applist:
        if data.startswith(XMP) and marker == "APP1":
            still.xmp = data[len(XMP):]
        elif data.startswith(MORE_XMP) and marker == "APP1":
            still.more_xmp.append(data)
        elif data.startswith(IPTC) and marker == "APP13":
            still.iptc = (still.iptc or b"") + data[len(IPTC):]
    _take_comment(still, image.info)


def _inflated(data):
    return zlib.decompressobj().decompress(data, PROFILE_SIZE)


def _read_png_extras(path, still):
    for kind, data in png.chunks(path):
        if kind == b"eXIf":
            still.exif = data
        elif kind == b"iTXt" and data.startswith(png.XMP + b"\0\0\0\0\0"):
            still.xmp = data[len(png.XMP) + 5:]
        elif kind == b"zTXt" and data.startswith(b"Raw profile type exif\0\0"):
            # as ImageMagick wrote it before there was eXIf
            still.exif = still.exif or bytes.fromhex("".join(_inflated(data[23:]).decode("latin-1").split("\n")[3:]))
        elif kind in COLOUR_CHUNKS or kind in TEXT_CHUNKS:
            still.chunks.append((kind, data))


def _read_tiff_extras(still, image):
    tags = image.tag_v2
    still.xmp = tags.get(TIFF_XMP)
    if isinstance(still.xmp, tuple):
        still.xmp = bytes(still.xmp)
    if IPTC_TAG in tags or PHOTOSHOP_TAG in tags:
        still.notes.append(f"{still.name}: its IPTC is left out")
    there, kept = image.getexif(), Image.Exif()
    for tag in TIFF_EXIF:
        if tag in there:
            kept[tag] = there[tag]
    for tag in (exif.EXIF, exif.GPS):
        directory = there.get_ifd(tag)
        if directory:
            kept[tag] = directory
    if kept:
        still.exif = kept.tobytes()


def _read_other(path, still):
    """What GStreamer decodes: drawings, and kinds that Pillow does not know. None if it is no still picture."""
    with open(path, "rb") as file:
        head = file.read(12)
    if head[4:8] == b"ftyp" and head[8:12] in (b"heic", b"heix", b"mif1", b"msf1", b"avif", b"avis"):
        raise RuntimeError(f"{still.name} is HEIF or AVIF, which is not read: convert it first, such as with heif-convert IN "
                           "OUT.png, of the package libheif-examples")
    film = films.look(path)
    if not film.is_still:
        return None
    still.pixels, still.alpha = _decode(path, "ARGB64" if film.bits() > 8 else "ARGB")
    if (still.alpha == np.iinfo(still.alpha.dtype).max).all():
        still.alpha = None
    return still


def _decode(path, pixels):
    """Pixels and alpha by GStreamer."""
    pipeline = Gst.parse_launch(f"filesrc name=file ! decodebin ! videoconvert ! video/x-raw,format={pixels} ! "
                                "appsink name=out sync=false max-buffers=1")
    files.set_file(pipeline.get_by_name("file"), path)
    pictures = collect(pipeline.get_by_name("out"))
    films.run(pipeline)
    if not pictures:
        raise ValueError("nothing is decoded")
    return pictures[0][..., 1:], pictures[0][..., :1]


# of arrays, by channels and kind
FORMATS = {(1, "u1"): "GRAY8", (3, "u1"): "RGB", (4, "u1"): "ARGB", (1, "u2"): "GRAY16_LE", (4, "u2"): "ARGB64"}


def _caps(pixels):
    height, width, channels = pixels.shape
    if pixels.dtype == np.float32:
        return f"other/tensors,format=static,num_tensors=1,types=float32,dimensions={channels}:{width}:{height}:1," \
               "framerate=0/1"
    return f"video/x-raw,format={FORMATS[channels, pixels.dtype.str[1:]]},width={width},height={height},framerate=0/1"


def _bytes(pixels):
    """As GStreamer has them: rows begin at multiples of four bytes."""
    height, width = pixels.shape[:2]
    if pixels.dtype == np.float32:
        return np.ascontiguousarray(pixels).tobytes()
    rows = np.ascontiguousarray(pixels).view(np.uint8).reshape(height, -1)
    padded = np.zeros((height, (rows.shape[1] + 3) // 4 * 4), np.uint8)
    padded[:, :rows.shape[1]] = rows
    return padded.tobytes()


def with_opacity(pixels):
    """RGB of 16 bits as GStreamer's ARGB64."""
    return np.concatenate((np.full_like(pixels[..., :1], 65535), pixels), 2)


def feed(source, pixels):
    """Lets an appsrc give this picture, and no more."""
    def push(element, _size):
        if left:
            buffer = Gst.Buffer.new_wrapped(left.pop())
            buffer.pts = 0
            element.emit("push-buffer", buffer)
        element.emit("end-of-stream")
    left = [_bytes(pixels)]
    source.props.format = Gst.Format.TIME
    source.props.caps = Gst.Caps.from_string(_caps(pixels))
    source.connect("need-data", push)


def collect(sink):
    """Returns: a list that gets the pictures that come to an appsink, of the formats above, while the pipeline runs"""
    def take(element):
        sample = element.emit("pull-sample")
        caps, buffer = sample.get_caps().to_string(), sample.get_buffer()
        name, width, height = (re.search(r"\b%s=\(\w+\)(\w+)" % key, caps)[1] for key in ("format", "width", "height"))
        (channels, kind), = (key for key, value in FORMATS.items() if value == name)
        rows = np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8).reshape(int(height), -1)
        used = int(width) * channels * int(kind[1])
        pictures.append(np.ascontiguousarray(rows[:, :used]).view(kind).reshape(int(height), int(width), channels))
        return Gst.FlowReturn.OK
    pictures = []
    sink.props.emit_signals = True
    sink.connect("new-sample", take)
    return pictures


def _jpeg(still, lost):
    """The file, whose segments come after the first one, JFIF."""
    if still.is_deep():
        lost.append("16 bits (it has 8)")
        still.make_shallow()
    still.lay_on_white()
    pixels = still.pixels if still.pixels.shape[2] == 3 else still.pixels[..., 0]
    if max(pixels.shape[:2]) > 65500:
        raise RuntimeError("JPEG has at most 65500 rows and columns: name a file .png")
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(
        file, "JPEG", quality=95, subsampling=still.sampling,
        **({"dpi": tuple(map(round, still.density))} if still.density else {}))
    data, segments = file.getvalue(), []
    for what, marker, segment in (("Exif", 0xe1, still.exif and b"Exif\0\0" + still.exif),
                                  ("XMP", 0xe1, still.xmp and XMP + still.xmp),
                                  *(("XMP", 0xe1, each) for each in still.more_xmp)):
        if segment and len(segment) > SEGMENT:
            lost.append(what)
        elif segment:
            segments.append((marker, segment))
    segments += ((0xe2, each) for each in _parts(still.profile, b"ICC_PROFILE\0", True))
    segments += ((0xed, each) for each in _parts(still.iptc, IPTC, False))
    comment = [text for kind, text in still.chunks if kind == b"tEXt" and text.startswith(b"Comment\0")]
    segments += ((0xfe, each[8:][:SEGMENT]) for each in comment)
    if any(kind in TEXT_CHUNKS and (kind, text) not in [(b"tEXt", each) for each in comment] for kind, text in still.chunks):
        lost.append("texts")
    if any(kind in COLOUR_CHUNKS and kind != b"sRGB" for kind, _ in still.chunks) and not still.profile:
        lost.append("what PNG says of its colours (gAMA, cHRM, cICP)")
    end = 4 + int.from_bytes(data[4:6], "big")
    return data[:end] + b"".join(struct.pack(">BBH", 0xff, marker, 2 + len(each)) + each for marker, each in segments) + \
        data[end:]


def _parts(data, name, numbered):
    """Segments of JPEG, of data that may need several."""
    size = SEGMENT - len(name) - 2 * numbered
    parts = [data[at:at + size] for at in range(0, len(data), size)] if data else []
    return [name + (bytes((index + 1, len(parts))) if numbered else b"") + part for index, part in enumerate(parts)]


def _png(still, lost):
    """The file."""
    chunks = list(still.chunks)
    if still.profile:
        chunks = [(b"iCCP", b"ICC profile\0\0" + zlib.compress(still.profile)),
                  *(each for each in chunks if each[0] != b"sRGB")]
    if still.density:
        chunks.append((b"pHYs", struct.pack(">IIB", *(round(each / .0254) for each in still.density), 1)))
    if still.exif:
        chunks.append((b"eXIf", still.exif))
    if still.xmp:
        chunks.append((b"iTXt", png.XMP + b"\0\0\0\0\0" + still.xmp))
    if still.iptc:
        lost.append("IPTC")
    if still.more_xmp:
        lost.append("some of the XMP")
    pixels = still.pixels if still.alpha is None else np.concatenate((still.pixels, still.alpha), 2)
    return png.encode(pixels, chunks)


def write(still, path, kind):
    """Writes a file of this kind, .png or .jpg; what the kind has no place for is in the still's notes afterwards."""
    lost = []
    data = (_png if kind == ".png" else _jpeg)(still, lost)
    with open(path, "wb") as file:
        file.write(data)
    if lost:
        still.notes.append(f"{still.name}: {'PNG' if kind == '.png' else 'JPEG'} has no place for {', '.join(lost)}")
