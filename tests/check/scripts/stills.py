#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""stills.py PIPELINES: still pictures of every kind through every script of that folder that takes some. A picture comes out
as it was, upright, with what came with it; or the script says what to do, and leaves no file. From the environment:
CUDASHAPES_BUILD. Exits with 77 when something of others is missing."""
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
    from PIL import Image, ImageOps, TiffImagePlugin
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import Gst
    import still_files as files
    from runs import Done, runs
except (ImportError, ValueError) as error:
    print('skipped: %s' % error)
    sys.exit(77)

Gst.init(None)
PIPELINES = sys.argv[1]
sys.path.insert(0, os.path.join(PIPELINES, 'lib'))
import hdr_scene    # noqa: E402
import light        # noqa: E402

# nothing of the picture is changed
SAME = ('--backend', 'cpu', '--set', 'amount=0')
GIF = ('backend=cpu', 'duration=.1', 'hold=.1', 'background=frame', 'draw-circles=false',
       'draw-arm=false', 'draw-tip=false', 'trail=none', 'ghost-opacity=0')


def can_write_gif():
    return shutil.which('ffmpeg') or not subprocess.run(['gst-inspect-1.0', '--exists', 'gifenc']).returncode


def opened(*path):
    with Image.open(os.path.join(*path)) as image:
        image.load()
        return image


def middles(picture):
    """Colours in the middle of the four quarters."""
    height, width = picture.shape[:2]
    return [tuple(int(each) for each in picture[y, x, :3]) for y in (height // 4, height * 3 // 4)
            for x in (width // 4, width * 3 // 4)]


COLOURS = [files.RED, files.GREEN, files.BLUE, files.YELLOW]

# runs a script where gst-plugins-rs' encoder is: this stand-in writes the frames as they are
WITH_GIFENC = '''
import runpy, sys
import gi
gi.require_version('Gst', '1.0')
from gi.repository import GObject, Gst
Gst.init(None)


class Encoder(Gst.Bin):
    __gstmetadata__ = ('GIF encoder', 'Encoder', 'Stands for gifenc', 'The gst-cudashapes authors')
    __gsttemplates__ = tuple(Gst.PadTemplate.new(name, of, Gst.PadPresence.ALWAYS, Gst.Caps.from_string('video/x-raw,format=RGB'))
                             for name, of in (('sink', Gst.PadDirection.SINK), ('src', Gst.PadDirection.SRC)))
    repeat = GObject.Property(type=int, default=0)

    def __init__(self):
        super().__init__()
        inside = Gst.ElementFactory.make('identity')
        self.add(inside)
        for name in 'sink', 'src':
            self.add_pad(Gst.GhostPad.new_from_template(name, inside.get_static_pad(name), self.get_pad_template(name)))

    def do_change_state(self, change):
        assert change != Gst.StateChange.READY_TO_PAUSED or self.repeat == -1
        return Gst.Bin.do_change_state(self, change)


GObject.type_register(Encoder)
Gst.Element.register(None, 'gifenc', Gst.Rank.NONE, Encoder)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name='__main__')
'''


class Stills(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def check_colours(self, picture, wanted, tolerance, text):
        for got, want in zip(middles(np.asarray(picture.convert('RGB'))), wanted):
            self.assertLessEqual(max(abs(a - b) for a, b in zip(got, want)), tolerance, (text, got, want))

    def check_upright(self, image, text, tolerance=6):
        self.assertEqual(image.size, (files.WIDTH, files.HEIGHT), text)
        self.check_colours(image, COLOURS, tolerance, text)
        self.assertEqual(image.getexif().get(0x112, 1), 1, text)

    def filtered(self, data, name, target, *more, said=''):
        """What llf makes of the file, and what it says."""
        folder = os.path.join(self.folder, '%d' % len(os.listdir(self.folder)))
        os.mkdir(folder)
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(data)
        done = Done(PIPELINES, ('llf', *SAME, *more, name, target), folder)
        self.assertEqual(done.code, 0, (done.command, done.said))
        self.assertEqual(done.left, [target], done.command)
        if said:
            self.assertIn(said, done.said, done.command)
        else:
            self.assertEqual(done.said, '', done.command)
        return opened(folder, target)

    def test_the_files_are_what_they_say(self):
        """By Pillow's own way to turn them."""
        for orientation in files.STORED:
            data = files.jpeg(files.stored(orientation), orientation)
            self.check_upright(ImageOps.exif_transpose(Image.open(io.BytesIO(data))), orientation)

    def test_all_orientations_of_jpeg(self):
        """By every script: 1 to 8, and none."""
        commands = []
        for orientation in (*files.STORED, 0):
            data = files.jpeg(files.stored(orientation or 1), orientation)
            commands.append((data, 'in.jpg', ('llf', *SAME, 'in.jpg')))
            if orientation in (5, 6, 7):
                commands += ((data, 'in.jpg', ('demo', 'in.jpg', 'out')), (data, 'in.jpg', ('llf', *SAME, 'in.jpg', 'in.png')))
                if can_write_gif():
                    commands.append((data, 'in.jpg', ('fourier-gif', 'in.jpg', 'in.gif', *GIF)))
        for folder, done in runs(PIPELINES, self.folder, *commands):
            self.assertEqual(done.code, 0, (done.command, done.said))
            left, = done.left
            if left == 'out':
                left = 'out/annotated.png'
                with open(os.path.join(folder, 'out/shapes.jsonl')) as lines:
                    shapes = json.loads(lines.read())
                self.assertEqual((shapes['width'], shapes['height']), (files.WIDTH, files.HEIGHT))
            self.check_upright(opened(folder, left), (folder, done.command), 12 if left.endswith('gif') else 6)

    def test_orientations_of_other_kinds(self):
        """TIFF's own, those in Exif of PNG and WebP."""
        for orientation in (2, 6, 7):
            image, block = files.stored(orientation), files.exif(orientation)
            for kind, data in (('tiff', files.saved(image, 'TIFF', tiffinfo={0x112: orientation})),
                               ('png', files.png(np.asarray(image), ((b'eXIf', block),))),
                               ('webp', files.saved(image, 'WEBP', lossless=True, exif=block))):
                self.check_upright(self.filtered(data, 'in.' + kind, 'out.png'), (kind, orientation), 0)

    def test_exif_and_others_are_kept(self):
        """By JPEG and PNG."""
        data = files.jpeg(files.stored(6), 6)
        for target, said in (('out.jpg', ''), ('out.png', 'no place for IPTC')):
            image = self.filtered(data, 'in.jpg', target, said=said)
            block = image.info['exif'].replace(b'Exif\0\0', b'')
            self.assertIn(files.GPS, block, target)
            self.assertIn(files.MAKER, block, target)
            tags = image.getexif()
            self.assertEqual(tags[0x112], 1)
            self.assertEqual([tags.get_ifd(0x8769)[tag] for tag in (0xa002, 0xa003)], [files.WIDTH, files.HEIGHT])
            self.assertEqual([float(each) for each in tags.get_ifd(0x8825)[2]], [52, 31, 12])
            # the directory of the thumbnail, which has another orientation, is not there any more
            self.assertEqual(block[8 + 2 + 36:8 + 2 + 36 + 4], bytes(4))
            self.assertEqual([round(each) for each in image.info['dpi']], [150, 300], target)
            segments = dict((data[:10], data) for _, data in getattr(image, 'applist', ()))
            xmp = segments[b'http://ns.'][29:] if segments else image.info['XML:com.adobe.xmp'].encode()
            self.assertEqual(xmp, files.XMP % 1, target)
            if segments:
                self.assertEqual(segments[b'Photoshop '], b'Photoshop 3.0\0' + files.IPTC)

    def test_tags_of_tiff_are_kept(self):
        """Those that Exif has, too, and Exif's own; not what is said of the file's pages."""
        given = {0x10f: 'A maker', 0x110: 'A model', 0x132: '2026:01:02 03:04:05', 0x8298: 'Nobody', 0x11d: 'A page'}
        tags = TiffImagePlugin.ImageFileDirectory_v2()
        tags[0x8769], tags.tagtype[0x8769] = {0x9003: '2025:11:12 13:14:15'}, TiffImagePlugin.TiffTags.LONG
        for tag, text in given.items():
            tags[tag] = text
        got = self.filtered(files.saved(files.stored(1), 'TIFF', tiffinfo=tags), 'in.tif', 'out.jpg').getexif()
        self.assertEqual({tag: got.get(tag) for tag in given}, {**given, 0x11d: None})
        self.assertEqual(got.get_ifd(0x8769), {0x9003: '2025:11:12 13:14:15'})

    def test_profiles_are_kept(self):
        image, profile = files.stored(1), files.profile()
        gray, of_gray = files.saved(image.convert('L'), 'PNG', icc_profile=files.profile(b'GRAY')), files.profile(b'GRAY')
        for data, name, targets, wanted in (
                (files.jpeg(image, None, profile), 'in.jpg', ('out.jpg', 'out.png'), profile),
                (files.saved(image, 'PNG', icc_profile=profile), 'in.png', ('out.jpg', 'out.png'), profile),
                (files.saved(image, 'WEBP', icc_profile=profile, lossless=True), 'in.webp', ('out.png',), profile),
                (files.saved(image, 'TIFF', icc_profile=profile), 'in.tif', ('out.png',), profile),
                (gray, 'in.png', ('out.png', 'out.jpg'), of_gray)):
            for target in targets:
                got = self.filtered(data, name, target)
                self.assertEqual(got.info.get('icc_profile'), wanted, (name, target))
        # one that has no room in one segment: ICC.1, B.4
        large = profile + np.random.default_rng(1).bytes(150000)
        large = struct.pack('>I', len(large)) + large[4:]
        got = self.filtered(files.saved(image, 'PNG', icc_profile=large), 'in.png', 'out.jpg')
        self.assertEqual(got.info.get('icc_profile'), large)
        self.assertEqual([part[:14] for kind, part in got.applist if kind == 'APP2'],
                         [b'ICC_PROFILE\0' + bytes((i, 3)) for i in (1, 2, 3)])

    def test_profiles_are_kept_or_applied_by_other_scripts(self):
        image, profile = files.stored(1), files.profile()
        data = files.jpeg(image, None, profile)
        (folder, done), = runs(PIPELINES, self.folder, (data, 'in.jpg', ('demo', 'in.jpg', 'out')))
        self.assertEqual(done.code, 0, done.said)
        self.assertEqual(opened(folder, 'out/annotated.png').info.get('icc_profile'), profile)
        if can_write_gif():
            os.mkdir(os.path.join(self.folder, 'gif'))
            (folder, done), = runs(PIPELINES, os.path.join(self.folder, 'gif'), (data, 'in.jpg', ('fourier-gif', 'in.jpg', 'out.gif', *GIF)))
            self.assertEqual(done.code, 0, done.said)
            # more saturated in sRGB: of Display P3's green the red of sRGB is none
            got = middles(np.asarray(opened(folder, 'out.gif').convert('RGB')))
            self.assertLess(got[1][0], 20)
            self.assertGreater(got[0][0], 205)

    def test_gif_by_gifenc(self):
        """Where that is."""
        with open(os.path.join(self.folder, 'in.png'), 'wb') as file:
            file.write(files.png(files.upright()))
        # GStreamer warns of every element in Python
        environment = {name: value for name, value in os.environ.items() if name != 'G_DEBUG'}
        done = subprocess.run([sys.executable, '-c', WITH_GIFENC, os.path.join(PIPELINES, 'fourier_gif.py'), 'in.png', 'out.gif', *GIF],
                              cwd=self.folder, text=True, timeout=200, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        self.assertEqual((done.returncode, done.stdout), (0, 'out.gif\n'), done.stderr)
        frames = np.fromfile(os.path.join(self.folder, 'out.gif'), np.uint8).reshape(-1, files.HEIGHT, files.WIDTH, 3)
        self.assertEqual(len(frames), 4)    # at 20 frames a second
        self.check_colours(Image.fromarray(frames[-1]), COLOURS, 6, 'raw')

    def test_samples(self):
        """Gray, palettes, transparency, inks, one bit: exactly the same, or what others make of them."""
        image = files.stored(1)
        gray = image.convert('L')
        see_through = image.copy()
        see_through.putalpha(Image.fromarray(np.tile(np.arange(files.WIDTH, dtype=np.uint8) * 5, (files.HEIGHT, 1))))
        palette = image.quantize(8)
        for name, kind, source in (('gray.png', 'PNG', gray), ('la.png', 'PNG', see_through.convert('LA')),
                                   ('rgba.png', 'PNG', see_through), ('palette.png', 'PNG', palette),
                                   ('one.png', 'PNG', gray.convert('1')), ('in.bmp', 'BMP', image),
                                   ('in.tif', 'TIFF', see_through), ('in.gif', 'GIF', palette),
                                   ('in.ppm', 'PPM', image), ('in.pgm', 'PPM', gray)):
            with self.subTest(name):
                got = self.filtered(files.saved(source, kind), name, 'out.png')
                mode = {'P': 'RGB', '1': 'L'}.get(source.mode, source.mode)
                self.assertEqual(got.mode, mode)
                self.assertTrue(np.array_equal(np.asarray(got), np.asarray(source.convert(mode))), name)
        clear = files.saved(palette, 'PNG', transparency=palette.getpixel((2, 2)))
        got = self.filtered(clear, 'clear.png', 'out.png')
        self.assertEqual((got.mode, got.getpixel((2, 2))[3], got.getpixel((40, 2))[3]), ('RGBA', 0, 255))
        got = self.filtered(clear, 'clear.png', 'out.jpg', said='laid on white')
        self.check_colours(got, [(255, 255, 255)] + COLOURS[1:], 4, 'on white')

    def test_inks(self):
        image = files.stored(1).convert('CMYK')
        got = self.filtered(files.jpeg(image), 'in.jpg', 'out.jpg', said='no usable profile')
        self.check_colours(got, COLOURS, 6, 'CMYK')
        self.assertEqual(got.mode, 'RGB')
        # of YCCK, which Adobe's marker says, libjpeg makes inks
        data = files.saved(Image.fromarray(np.asarray(files.stored(1).convert('YCbCr')), 'YCbCr'), 'JPEG', quality=97)
        self.check_colours(self.filtered(data, 'in.jpg', 'out.jpg'), COLOURS, 6, 'YCbCr')

    def test_sixteen_bits(self):
        for channels in (1, 2, 3, 4):
            pixels = files.deep(channels)
            data = files.png(pixels)
            self.filtered(data, 'in.png', 'out.png')
            folder = os.path.join(self.folder, max(os.listdir(self.folder), key=int))
            with open(os.path.join(folder, 'out.png'), 'rb') as file:
                got = files.unpacked(file.read())
            self.assertEqual((got.dtype, got.shape), (pixels.dtype, pixels.shape))
            self.assertLessEqual(np.abs(got.astype(int) - pixels).max(), 1 if channels > 2 else 0, channels)
        self.filtered(data, 'in.png', 'out.jpg', said='16 bits')
        # filtered as the same picture of 8 bits is, whose codes are 257 apart; beyond white each limits what it has
        deep, shallow = (np.asarray(self.filtered(each, 'in.png', 'out.png', '--set', 'amount=1').convert('RGB')).astype(int)
                         for each in (data, files.png(np.rint(pixels / 257.).astype(np.uint8))))
        inside = shallow.max(2) < 250
        self.assertGreater(inside.mean(), .5)
        self.assertLessEqual(np.abs(deep - shallow)[inside].max(), 3)
        self.assertGreater(np.abs(shallow - pixels[..., :3] / 257.)[inside].max(), 8)

    def test_sizes(self):
        for width, height in ((1, 1), (33, 17), (1, 40), (2049, 3)):
            pixels = np.random.default_rng(1).integers(0, 256, (height, width, 3), np.uint8)
            got = self.filtered(files.png(pixels), 'in.png', 'out.png')
            self.assertTrue(np.array_equal(np.asarray(got), pixels), (width, height))

    def test_light(self):
        """Of any range: a hundred times as bright, the picture is the same; primaries are converted."""
        dark = np.repeat(np.repeat(np.geomspace(.001, .9, 12).reshape(1, 12, 1), 4, 1), 32, 0) * (.6, 1, .4)
        of_exr, of_hdr = (self.filtered(data, 'in.' + name, 'out.png', '--set', 'amount=1') for name, data in (
            ('exr', files.exr(dark)), ('hdr', files.radiance(dark))))
        bright = self.filtered(files.exr(dark * 100), 'in.exr', 'out.png', '--set', 'amount=1')
        codes = np.asarray(of_exr).astype(int)
        self.assertLessEqual(np.abs(np.asarray(bright) - codes).max(), 1)
        self.assertLessEqual(np.abs(np.asarray(of_hdr) - codes).max(), 4)
        rows = codes.max(2)[16]
        self.assertGreater(len(set(rows)), 11, 'steps are not to be told apart')
        self.assertLess((codes >= 255).mean(), .2, 'burnt')
        # green of BT.2020 is outside of what BT.709 has: its red is none, but in highlights, which become paler
        wide = self.filtered(files.exr(dark * (0, 1, 0), (.708, .292, .17, .797, .131, .046, .3127, .329)), 'in.exr', 'out.png')
        wide = np.asarray(wide).astype(int)
        self.assertEqual(wide[:, :36, 0].max(), 0)
        self.assertTrue((wide[..., 0] < wide[..., 1]).all())
        for arguments in (('demo', 'in.exr'), ('fourier-gif', 'in.exr')):
            os.makedirs(os.path.join(self.folder, arguments[0]))
            (folder, done), = runs(PIPELINES, os.path.join(self.folder, arguments[0]), (files.exr(dark), 'in.exr', arguments))
            done.check_refused(self, 'pipelines/llf')

    def read_light(self, data, *sizes):
        """By the module that the scripts share, which asks whether these sizes may be."""
        path = os.path.join(self.folder, 'light')
        with open(path, 'wb') as file:
            file.write(data)
        asked = []
        found = light.read(path, lambda *size: asked.append(size))
        self.assertEqual(asked, list(sizes))
        return found

    def test_scene_of_light(self):
        """The dark room that the pages have: sky over a field outside of its window, which are far brighter; and its file."""
        picture = hdr_scene.draw()
        sky, field, room = picture[70:160, 310:450].mean((0, 1)), picture[240:310, 310:450].mean((0, 1)), picture[:50].mean()
        self.assertTrue((np.diff(sky) > 0).all(), sky)
        self.assertEqual(list(np.argsort(field)), [2, 0, 1], field)
        self.assertGreater(sky.mean(), 100 * room)
        self.assertGreater(field.mean(), 20 * room)
        path = os.path.join(self.folder, 'room.exr')
        hdr_scene.write_exr(path, picture)
        with open(path, 'rb') as file:
            got, alpha = self.read_light(file.read(), (720, 480), (720, 480))
        self.assertIsNone(alpha)
        # of half precision
        self.assertTrue(np.allclose(got, picture, rtol=1e-3, atol=1e-7))

    def test_rows_of_radiance(self):
        random = np.random.default_rng(1)
        picture = random.integers((130, 130, 130, 120), (256, 256, 256, 140), (9, 11, 4), np.uint8)
        picture[1, 2:9] = picture[1, 2]
        picture[3, :] = picture[3, 0]
        picture[5, 4, 3] = 0        # black
        wide = np.repeat(picture[:2, 6:9], (1, 299, 140), 1)
        for axes in (('-Y', '+X'), ('-Y', '-X'), ('+Y', '+X'), ('+Y', '-X')):
            for each in (axes, axes[::-1]):
                for pack in (files.runs_of_pixels, files.runs_of_planes):
                    for stored in (picture, wide) if each == ('-Y', '+X') else (picture,):
                        got, alpha = self.read_light(files.radiance_stored(stored, each, pack), stored.shape[1::-1] if each == axes
                                                     else stored.shape[:2])
                        want = stored[..., :3] * np.ldexp(1., stored[..., 3:].astype(int) - 136) * (stored[..., 3:] > 0)
                        self.assertIsNone(alpha)
                        self.assertTrue(np.array_equal(got, want), (each, pack))

        for width in (8, 128):      # the least of planes, and the longest without a run
            row = random.integers(130, 140, (1, width, 4), np.uint8)

            def pack(row):
                return bytes((2, 2, 0, width)) + b''.join(bytes((width,)) + plane.tobytes() for plane in row.T)
            got, _ = self.read_light(files.radiance_stored(row, ('-Y', '+X'), pack), (width, 1))
            self.assertTrue(np.array_equal(got, row[..., :3] * np.ldexp(1., row[..., 3:].astype(int) - 136)))
        with self.assertRaises(ValueError):
            self.read_light(files.radiance(np.ones((2, 2, 3))).replace(b'rle_rgbe', b'rle_xyze'))

    def test_primaries(self):
        """ITU-R BT.2087 has the matrix from BT.2020; white stays white, whichever it is."""
        wide = .708, .292, .17, .797, .131, .046, .3127, .329
        warm = .7347, .2653, 0., 1., .0001, -.077, .32168, .33767
        colours = np.array((((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)),)) + 2. ** -9
        matrix = np.array(((1.6605, -.1246, -.0182), (-.5876, 1.1329, -.1006), (-.0728, -.0083, 1.1187)))
        line = b'FORMAT=32-bit_rle_rgbe\nPRIMARIES=%s\n'
        for primaries in (wide, warm):
            text = ' '.join(map(str, primaries)).encode()
            for data, sizes in ((files.exr(colours, primaries), 2),
                                (files.radiance(colours).replace(line[:23], line % text), 1)):
                got, _ = self.read_light(data, *[(4, 1)] * sizes)
                if primaries == wide:
                    self.assertLess(np.abs(got - colours @ matrix).max(), .03)
                self.assertLess(np.abs(got[0, 3] - colours[0, 3]).max(), .01)

    def test_windows_and_opacity_of_exr(self):
        data = np.random.default_rng(2).integers(1, 512, (5, 8, 4)) / 64.
        data[..., 3] = 0, .125, .5, 1, 1.25, 1.75, .25, .75
        light, alpha = self.read_light(files.exr(data, at=(3, -2), display=(-1, -1, 8, 6)), (8, 5), (10, 8))
        want = np.zeros((8, 10, 4))
        want[:4, 4:10] = data[1:, :6]
        want[..., 3] = np.minimum(want[..., 3], 1)
        self.assertTrue(np.array_equal(alpha, want[..., 3:]))
        opacity = np.where(alpha > 0, alpha, 1)
        self.assertTrue(np.allclose(light, want[..., :3] / opacity, rtol=1e-5, atol=0))
        got, alpha = self.read_light(files.exr(data[..., :3], at=(1, 1), display=(2, 3, 4, 4)), (8, 5), (3, 2))
        self.assertIsNone(alpha)
        self.assertTrue(np.array_equal(got, data[2:4, 1:4, :3]))

    def test_what_is_refused(self):
        image = files.stored(1)
        other = Image.fromarray(files.upright()[::-1])
        animated = dict(save_all=True, append_images=[other])
        raw = files.saved(image, 'TIFF', tiffinfo={254: 1})
        whole = files.jpeg(image)
        cases = ((files.saved(image, 'GIF', **animated), 'in.gif', 'ffmpeg -i'),
                 (files.saved(image, 'PNG', **animated), 'in.png', 'ffmpeg -i'),
                 (files.saved(image, 'WEBP', **animated), 'in.webp', 'ffmpeg -i'),
                 (files.saved(Image.new('F', (4, 4)), 'TIFF'), 'in.tif', 'convert IN'),
                 (b'P6\n2 1\n65535\n' + bytes(12), 'in.ppm', 'convert IN'),
                 (raw, 'in.nef', 'darktable-cli'),
                 (b'\0\0\0\x18ftypheic' + bytes(100), 'in.heic', 'heif-convert'),
                 (files.png(files.upright(), size=(60000, 60000)), 'in.png', 'are the most'),
                 (b'a letter\n', 'in.jpg', 'in.jpg is no picture and no film'),
                 (b'', 'in.png', 'in.png is no picture and no film'),
                 (whole[:len(whole) // 2], 'in.jpg', 'damaged'),
                 (files.exr(np.ones((8, 8, 3)))[:400], 'in.exr', 'damaged'),
                 (files.radiance(np.ones((8, 8, 3)))[:99], 'in.hdr', 'damaged'))
        commands = []
        for data, name, _ in cases:
            commands.append((data, name, ('llf', name, 'out.png')))
        for data, name, _ in cases[:1]:
            commands += ((data, name, ('demo', name, 'out')), (data, name, ('fourier-gif', name, 'out.gif')))
        for (_, done), says in zip(runs(PIPELINES, self.folder, *commands), [case[2] for case in cases] + [cases[0][2]] * 2):
            done.check_refused(self, says)

    def test_what_is_said(self):
        """Of what is not kept."""
        image = files.stored(1)
        pages = files.saved(image, 'TIFF', save_all=True, append_images=[image])
        self.check_upright(self.filtered(pages, 'in.tif', 'out.png', said='only the first of its 2 pictures'), 'pages', 0)
        text = files.png(files.upright(), ((b'tEXt', b'Title\0A title'),))
        self.assertEqual(self.filtered(text, 'in.png', 'out.png').text, {'Title': 'A title'})
        self.filtered(text, 'in.png', 'out.jpg', said='no place for texts')
        linear = files.png(files.upright(), ((b'gAMA', b'\0\1\x86\xa0'),))
        self.assertEqual(self.filtered(linear, 'in.png', 'out.png').info['gamma'], 1)
        self.filtered(linear, 'in.png', 'out.jpg', said='gAMA')
        bad = files.jpeg(image, None, None, files.segment(0xe1, b'Exif\0\0II*\0' + b'\xff' * 8))
        self.filtered(bad, 'in.jpg', 'out.jpg', said='Exif is damaged')
        wrong = files.jpeg(image, None, files.profile(b'GRAY'))
        self.filtered(wrong, 'in.jpg', 'out.jpg', said='profile is not of its colours')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=1)
