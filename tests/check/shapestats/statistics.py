# SPDX-License-Identifier: LGPL-2.1-or-later
"""statistics.py [partners]: samples inside shapes.

Without an argument against a literal version: every pixel is asked whether it is
inside. With it against scikit-image, exit status 77 without that."""

import math
import sys
import unittest

SKIP = 77

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

Gst, GstShapes, np = need('Gst', 'GstShapes', 'numpy')

measure = color = None
if sys.argv[1:2] == ['partners']:
    try:
        from skimage import color, measure
    except ImportError as missing:
        print('skipped:', missing)
        sys.exit(SKIP)


def run(elements, buffers, caps):
    """The buffers' sets, and what errors and warnings say."""
    pipeline = Gst.parse_launch('appsrc name=in format=time ! ' + elements
                                + ' ! appsink name=out sync=false')
    appsrc, appsink = (pipeline.get_by_name(n) for n in ('in', 'out'))
    appsrc.set_property('caps', Gst.Caps.from_string(caps))
    pipeline.set_state(Gst.State.PLAYING)
    for buffer in buffers:
        appsrc.emit('push-buffer', buffer)
    appsrc.emit('end-of-stream')
    sets, messages, failed = [], [], False
    while not failed:
        sample = appsink.emit('try-pull-sample', 20 * Gst.MSECOND)
        if sample:
            sets.append(GstShapes.buffer_get_shape_set(sample.get_buffer()))
        done = not sample and appsink.get_property('eos')
        while True:
            message = pipeline.get_bus().pop_filtered(
                Gst.MessageType.ERROR | Gst.MessageType.WARNING)
            if not message:
                break
            failed |= message.type == Gst.MessageType.ERROR
            messages.append(
                (message.parse_error() if message.type
                 == Gst.MessageType.ERROR else message.parse_warning())
                [0].message)
        if done:
            break
    pipeline.set_state(Gst.State.NULL)
    return sets, messages


def video(image, form):
    height, width = image.shape[:2]
    rows = image.reshape(height, -1)
    step = (rows.shape[1] * rows.itemsize + 3) // 4 * 4
    padded = np.zeros((height, step), np.uint8)
    padded[:, :rows.shape[1] * rows.itemsize] = \
        np.ascontiguousarray(rows).view(np.uint8)
    return Gst.Buffer.new_wrapped(padded.tobytes()), (
        'video/x-raw,format=%s,width=%d,height=%d,framerate=0/1,'
        'colorimetry=sRGB' % (form, width, height))


def noise(seed, width=90, height=70, channels=1):
    """Smooth noise."""
    random = np.random.default_rng(seed)
    coarse = random.random((height // 8 + 3, width // 8 + 3, channels))
    y, x = np.mgrid[0:height, 0:width] / 8
    j, i = y.astype(int), x.astype(int)
    u, v = (x - i)[..., None], (y - j)[..., None]
    return ((coarse[j, i] * (1 - u) + coarse[j, i + 1] * u) * (1 - v)
            + (coarse[j + 1, i] * (1 - u) + coarse[j + 1, i + 1] * u) * v)


def inside(polygon, height, width):
    """Whether the polygon winds around each pixel an odd number of times: the
    pixel is on the right of sides that go down, and on the left of those that
    go up. No crossing is computed, only on which side of a line it is."""
    y, x = np.mgrid[0:height, 0:width].astype(np.longdouble)
    turns = np.zeros((height, width), int)
    points = np.asarray(polygon, np.longdouble)
    for (ax, ay), (bx, by) in zip(points, np.roll(points, -1, axis=0)):
        side = (bx - ax) * (y - ay) - (x - ax) * (by - ay)
        turns += (ay <= y) & (y < by) & (side <= 0)
        turns -= (by <= y) & (y < ay) & (side >= 0)
    return turns % 2 != 0


def region(shape, shapes, height, width):
    """A shape's pixels, without those of a contour's holes."""
    mask = inside(shape.points, height, width)
    for other in shapes:
        if (other.hole and other.kind == 'contour' and shape.kind == 'contour'
                and other.parent == shape.id):
            mask ^= inside(other.points, height, width)
    return mask


class Statistics(unittest.TestCase):
    def check(self, statistic, samples, places=9):
        self.assertEqual(statistic.n_pixels, samples.size)
        if samples.size == 0:
            for got in (statistic.mean, statistic.deviation,
                        statistic.minimum, statistic.maximum):
                self.assertTrue(np.isnan(got))
            return
        for got, want in ((statistic.mean, samples.mean()),
                          (statistic.deviation, samples.std()),
                          (statistic.minimum, samples.min()),
                          (statistic.maximum, samples.max())):
            self.assertAlmostEqual(got, want, places)

    def each(self, shape_set, height, width):
        shapes = list(shape_set.iter_polylines())
        self.assertGreater(len(shapes), 5)
        for shape in shapes:
            yield shape, region(shape, shapes, height, width)

    def test_gray(self):
        for seed in range(4):
            image = (noise(seed)[..., 0] * 255).astype(np.uint8)
            buffer, caps = video(image, 'GRAY8')
            sets, messages = run(
                'cudacontours hierarchy=true ! cudahull ! shapestats',
                [buffer], caps)
            self.assertEqual(messages, [])
            for shape, mask in self.each(sets[0], *image.shape):
                self.assertEqual(list(shape.statistics), ['gray'])
                self.check(shape.statistics['gray'], image[mask].astype('f8'))
                self.assertIsNone(shape.confidence)

    def test_gray_of_16_bits(self):
        image = (noise(7)[..., 0] * 65535).astype(np.uint16)
        buffer, caps = video(image, 'GRAY16_LE')
        sets, messages = run('cudacontours ! shapestats', [buffer], caps)
        self.assertEqual(messages, [])
        for shape, mask in self.each(sets[0], *image.shape):
            self.check(shape.statistics['gray'], image[mask].astype('f8'), 6)

    def test_luma_of_rgb(self):
        image = (noise(8, channels=4) * 255).astype(np.uint8)
        buffer, caps = video(image, 'RGBA')
        sets, messages = run('cudacontours hierarchy=true ! shapestats',
                             [buffer], caps)
        self.assertEqual(messages, [])
        luma = image[..., :3].astype('f8') @ (.2126, .7152, .0722)
        for shape, mask in self.each(sets[0], *image.shape[:2]):
            got, want = shape.statistics['gray'], luma[mask]
            self.assertEqual(got.n_pixels, want.size)
            if want.size:
                self.assertLess(abs(got.mean - want.mean()), .01)
                self.assertLess(abs(got.deviation - want.std()), .01)

    def lab(self, image):
        """From the definition, in double precision."""
        code = image / 255.
        linear = np.where(code <= .04045, code / 12.92,
                          ((code + .055) / 1.055) ** 2.4)
        xyz = linear @ np.array([(.412453, .357580, .180423),
                                 (.212671, .715160, .072169),
                                 (.019334, .119193, .950227)]).T
        t = xyz / (.950456, 1, 1.088754)
        f = np.where(t > .008856, np.cbrt(t), 7.787 * t + 16 / 116)
        return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]),
                         200 * (f[..., 1] - f[..., 2])], -1)

    def test_lab(self):
        for seed, form in ((9, 'RGB'), (10, 'RGB')):
            image = (noise(seed, channels=3) * 255).astype(np.uint8)
            buffer, caps = video(image, form)
            sets, messages = run(
                'cudacontours hierarchy=true ! shapestats lab=true gray=false',
                [buffer], caps)
            self.assertEqual(messages, [])
            lab = self.lab(image)
            if color:
                self.assertLess(np.abs(color.rgb2lab(image) - lab).max(), .02)
            for shape, mask in self.each(sets[0], *image.shape[:2]):
                self.assertEqual(list(shape.statistics),
                                 ['lightness', 'a', 'b'])
                for c, name in enumerate(shape.statistics):
                    got, want = shape.statistics[name], lab[mask][:, c]
                    self.assertEqual(got.n_pixels, want.size)
                    if want.size == 0:
                        continue
                    for g, w in ((got.mean, want.mean()),
                                 (got.deviation, want.std()),
                                 (got.minimum, want.min()),
                                 (got.maximum, want.max())):
                        self.assertLess(abs(g - w), .1)

    def test_lab_of_all_codes(self):
        """One pixel each, of every 5th code."""
        codes = np.arange(0, 256, 5)
        image = np.stack(np.meshgrid(codes, codes, codes), -1).reshape(
            -1, 3).astype(np.uint8)
        image = image[np.random.default_rng(1).permutation(len(image))[:900]]
        wide = np.zeros((1, 1800, 3), np.uint8)
        wide[0, ::2] = image
        shapes = GstShapes.ShapeSet.from_polygons(
            [[(2 * i - .5, -.5), (2 * i + .5, -.5), (2 * i + .5, .5),
              (2 * i - .5, .5)] for i in range(900)], 1800, 1)
        buffer, caps = video(wide, 'RGB')
        GstShapes.buffer_add_shape_meta(buffer, shapes)
        sets, messages = run('shapestats lab=true', [buffer], caps)
        self.assertEqual(messages, [])
        got = np.array([[c.statistics[n].mean for n in ('lightness', 'a', 'b')]
                        for c in sets[0].contours()])
        error = np.abs(got - self.lab(image)).max(axis=0)
        print('largest errors of L*, a*, b*:', error)
        for channel, limit in enumerate((.015, .08, .04)):
            self.assertLess(error[channel], limit)

    def test_probabilities_become_confidences(self):
        maps = noise(11, channels=3).astype('f4')
        height, width = maps.shape[:2]
        batch = np.stack([maps, maps[::-1]])
        buffer = Gst.Buffer.new_wrapped(batch.tobytes())
        sets, messages = run(
            'cudacontours level=0.5 hierarchy=true ! shapestats', [buffer],
            'other/tensors,format=static,num_tensors=1,types=float32,'
            'dimensions=3:%d:%d:2,framerate=0/1' % (width, height))
        self.assertEqual(messages, [])
        shapes = list(sets[0].contours())
        self.assertEqual({(s.image, s.class_id) for s in shapes},
                         {(i, c) for i in (0, 1) for c in (0, 1, 2)})
        for shape in shapes:
            mask = region(shape, shapes, height, width)
            want = batch[shape.image, :, :, shape.class_id][mask]
            self.check(shape.statistics['probability'], want.astype('f8'), 4)
            if want.size:
                self.assertAlmostEqual(shape.confidence, want.mean(), 4)
            else:
                self.assertIsNone(shape.confidence)

    def test_shapes_of_another_size_are_scaled(self):
        image = (noise(12)[..., 0] * 255).astype(np.uint8)
        buffer, caps = video(image, 'GRAY8')
        half = GstShapes.ShapeSet.from_polygons(
            [[(4.5, 4.5), (14.5, 4.5), (14.5, 9.5), (4.5, 9.5)]], 45, 35)
        GstShapes.buffer_add_shape_meta(buffer, half)
        sets, messages = run('shapestats', [buffer], caps)
        self.assertEqual(messages, [])
        shape, = sets[0].contours()
        self.assertEqual((sets[0].get_width(), sets[0].get_height()), (45, 35))
        self.check(shape.statistics['gray'],
                   image[10:20, 10:30].astype('f8'))

    def test_borders_belong_to_one_neighbour(self):
        image = (noise(13)[..., 0] * 255).astype(np.uint8)
        buffer, caps = video(image, 'GRAY8')
        tiles = [[(x, y), (x + 10, y), (x + 10, y + 10), (x, y + 10)]
                 for x in range(0, 90, 10) for y in range(0, 70, 10)]
        outside = [(-50, -50), (500, -50), (500, 500), (-50, 500)]
        GstShapes.buffer_add_shape_meta(
            buffer, GstShapes.ShapeSet.from_polygons(tiles + [outside], 90, 70))
        sets, _messages = run('shapestats', [buffer], caps)
        *parts, whole = [s.statistics['gray'] for s in sets[0].contours()]
        self.assertEqual({p.n_pixels for p in parts}, {100})
        self.assertEqual(whole.n_pixels, 90 * 70)
        self.check(whole, image.astype('f8'))

    def test_random_polygons(self):
        random = np.random.default_rng(14)
        image = random.integers(0, 256, (70, 90)).astype(np.uint8)
        buffer, caps = video(image, 'GRAY8')
        polygons = []
        for case in range(60):
            polygon = random.normal(size=(random.integers(3, 12), 2)) * 40 + 40
            polygons.append(np.round(polygon) if case % 2 else polygon)
        polygons = [p.astype('f4') for p in polygons]
        GstShapes.buffer_add_shape_meta(
            buffer, GstShapes.ShapeSet.from_polygons(polygons, 90, 70))
        for threads in (0, 1):
            sets, messages = run('shapestats n-threads=%d' % threads,
                                 [buffer.copy_deep()], caps)
            self.assertEqual(messages, [])
            for shape, polygon in zip(sets[0].contours(), polygons):
                self.check(shape.statistics['gray'],
                           image[inside(polygon, 70, 90)].astype('f8'))

    def test_others_are_kept(self):
        image = (noise(8, channels=4) * 255).astype(np.uint8)
        buffer, caps = video(image, 'RGBA')
        sets, messages = run(
            'cudacontours pixel-size=0.5 ! shapestats ! shapestats gray=false '
            'lab=true ! shapestats', [buffer], caps)
        self.assertEqual(messages, [])
        self.assertEqual(sets[0].pixel_size, (.5, .5))
        for shape in sets[0].contours():
            self.assertEqual(sorted(shape.statistics),
                             ['a', 'b', 'gray', 'lightness'])

    @unittest.skipUnless(measure, 'without scikit-image')
    def test_regionprops_of_a_mask_are_the_same(self):
        compared = 0
        for seed in range(5):
            image = (noise(seed + 20)[..., 0] * 255).astype(np.uint8)
            image[[0, -1]] = image[:, [0, -1]] = 0
            buffer, caps = video(image, 'GRAY8')
            # no pixel is on a contour
            sets, _messages = run('cudacontours level=127.5 level-unit=sample '
                                  'hierarchy=true ! shapestats', [buffer],
                                  caps)
            labels = measure.label(image > 127.5, connectivity=1)
            want = sorted(
                (p.area, round(p.mean_intensity, 6), p.min_intensity,
                 p.max_intensity)
                for p in measure.regionprops(labels, image))
            got = sorted(
                (s.n_pixels, round(s.mean, 6), s.minimum, s.maximum)
                for s in (c.statistics['gray'] for c in sets[0].contours()
                          if not c.hole))
            self.assertEqual(got, want)
            compared += len(got)
        print(compared, 'regions compared')
        self.assertGreater(compared, 20)


class Messages(unittest.TestCase):
    def test_without_shapes_it_says_so_once(self):
        buffer, caps = video(np.zeros((48, 64), np.uint8), 'GRAY8')
        sets, messages = run('shapestats', [buffer, buffer, buffer], caps)
        self.assertEqual((len(sets), len(messages)), (3, 1))
        self.assertIn('carry no shapes', messages[0])

    def test_without_points_it_says_so_once(self):
        image = (noise(1)[..., 0] * 255).astype(np.uint8)
        buffer, caps = video(image, 'GRAY8')
        sets, messages = run('cudacontours measures-only=true ! shapestats',
                             [buffer, buffer], caps)
        self.assertEqual((len(sets), len(messages)), (2, 1))
        self.assertIn('measures-only=false', messages[0])

    def test_lab_of_gray_says_so_once(self):
        image = (noise(1)[..., 0] * 255).astype(np.uint8)
        buffer, caps = video(image, 'GRAY8')
        sets, messages = run('cudacontours ! shapestats lab=true',
                             [buffer, buffer], caps)
        self.assertEqual((len(sets), len(messages)), (2, 1))
        self.assertIn('RGB of 8 bits', messages[0])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=1)
