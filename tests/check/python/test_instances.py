# SPDX-License-Identifier: LGPL-2.1-or-later
"""Polygons of fields against the masks that networks' packages make of them: the field resized in double precision and a
threshold, pixel by pixel."""

import copy
import gc
import math
import pickle
import sys
import threading
import unittest

import numpy as np

import cudashapes

polygons_of = cudashapes.instance_polygons


def along(count, size):
    """Indices and weights of PyTorch's interpolate(align_corners=False)."""
    at = np.maximum((np.arange(size) + .5) * (count / size) - .5, 0)
    first = np.minimum(np.floor(at).astype(int), count - 1)
    return first, np.minimum(first + 1, count - 1), at - first


def resize(field, height, width):
    y0, y1, ty = along(field.shape[0], height)
    x0, x1, tx = along(field.shape[1], width)
    field = field.astype('f8')
    rows = field[y0] * (1 - ty)[:, None] + field[y1] * ty[:, None]
    return rows[:, x0] * (1 - tx) + rows[:, x1] * tx


def smooth(rng, height, width):
    return resize(rng.normal(size=(height // 4 + 2, width // 4 + 2)), height,
                  width)


def fill(polygons, shape):
    """The pixels whose centres are inside, by the even-odd rule."""
    flips = np.zeros((shape[0], shape[1] + 1), int)
    for ring in (ring.astype('f8') for rings in polygons for ring in rings):
        for (x0, y0), (x1, y1) in zip(ring, ring[1:]):
            low, high = min(y0, y1), max(y0, y1)
            for y in range(max(math.ceil(low), 0),
                           min(math.ceil(high), shape[0])):
                x = x0 + (y - y0) / (y1 - y0) * (x1 - x0)
                flips[y, min(max(math.ceil(x), 0), shape[1])] += 1
    return np.cumsum(flips, 1)[:, :-1] % 2 == 1


def lists(found):
    return [[[ring.tolist() for ring in rings] for rings in polygons]
            for polygons in found]


class Case(unittest.TestCase):
    def assert_masks(self, found, values, shape, inside=None):
        """values: of each object at the pixels, less the level."""
        self.assertEqual(len(found), len(values))
        for i, (polygons, value) in enumerate(zip(found, values)):
            want = value > 0
            near = np.abs(value) < 2e-3
            if inside is not None:
                want, near = want & inside[i], near & inside[i]
            got = fill(polygons, shape)
            self.assertFalse(((got != want) & ~near).any(), i)
            self.assertLess((got != want).sum(), 1 + want.sum() / 200)

    def refuse(self, exception, text, *args, **kwargs):
        with self.assertRaises(exception) as caught:
            polygons_of(*args, **kwargs)
        self.assertIn(text, str(caught.exception))


class Masks(Case):
    SHAPE = (75, 101)

    def setUp(self):
        self.rng = np.random.default_rng(1)
        self.fields = np.stack([smooth(self.rng, 20, 24) for _ in range(4)]
                               ).astype('f4')

    def test_fields_cover_the_picture(self):
        found = polygons_of(self.fields, self.SHAPE, tolerance=.001)
        values = [resize(field, *self.SHAPE) for field in self.fields]
        self.assert_masks(found, values, self.SHAPE)
        for area, value in zip(found.areas, values):
            self.assertAlmostEqual(area, (value > 0).sum(), delta=60)
        self.assert_masks(polygons_of(self.fields, self.SHAPE, level=.25,
                                      tolerance=.001),
                          [value - .25 for value in values], self.SHAPE)

    def test_products_of_prototypes(self):
        coefficients = self.rng.normal(size=(6, 4)).astype('f4')
        values = [resize(sum(c * p for c, p in zip(row, self.fields)),
                         *self.SHAPE) for row in coefficients]
        found = polygons_of(self.fields, self.SHAPE,
                            coefficients=coefficients, tolerance=.001)
        self.assert_masks(found, values, self.SHAPE)
        # columns of candidates, some of them, in another order
        chosen = polygons_of(self.fields, self.SHAPE, indices=[4, 1, 1],
                             coefficients=np.asfortranarray(coefficients),
                             tolerance=.001)
        want = lists(found)
        self.assertEqual(lists(chosen), [want[4], want[1], want[1]])

    def test_boxes_cut_and_rings_follow_them(self):
        boxes = np.array([[10.2, 5.5, 60.3, 70.4], [-5, -5, 300, 40.5],
                          [30.2, 30, 30.2, 40], [-math.inf, 20.2, 50.6, math.inf]])
        found = polygons_of(self.fields + 1, self.SHAPE, boxes=boxes,
                            tolerance=.001)
        y, x = np.mgrid[:self.SHAPE[0], :self.SHAPE[1]]
        inside = [(x >= b[0]) & (y >= b[1]) & (x <= b[2]) & (y <= b[3])
                  for b in boxes]
        values = [resize(field + 1, *self.SHAPE) for field in self.fields]
        self.assert_masks(found, values, self.SHAPE, inside)
        self.assertEqual(found[2], [])
        for box, polygons in zip(boxes, found):
            for outer, *_ in polygons:
                low, high = outer.min(0), outer.max(0)
                self.assertTrue((low >= np.maximum(box[:2], -.5) - 1e-3).all())
                self.assertTrue((high <= np.minimum(
                    box[2:], (100.5, 74.5)) + 1e-3).all())

    def test_a_window_and_fields_that_are_resized_first(self):
        window = 3, 6, 30, 40
        found = polygons_of(self.fields, self.SHAPE, resized=(48, 56),
                            window=window, tolerance=.001)
        values = [resize(resize(field, 48, 56).astype('f4')[3:33, 6:46],
                         *self.SHAPE) for field in self.fields]
        self.assert_masks(found, values, self.SHAPE)

    def test_places_of_each_object(self):
        origin = self.rng.uniform(-5, 60, (4, 2))
        step = self.rng.uniform(1, 4, (4, 2))
        y, x = np.mgrid[:self.SHAPE[0], :self.SHAPE[1]].astype(float)
        for outside in ('edge', 'zeros'):
            values = []
            for field, o, s in zip(self.fields + .3, origin, step):
                u, v = (x - o[0]) / s[0], (y - o[1]) / s[1]
                field = field.astype('f8')
                if outside == 'zeros':
                    field, u, v = np.pad(field, 1), u + 1, v + 1
                u = np.clip(u, 0, field.shape[1] - 1)
                v = np.clip(v, 0, field.shape[0] - 1)
                i = np.minimum(u.astype(int), field.shape[1] - 2)
                j = np.minimum(v.astype(int), field.shape[0] - 2)
                a, b = u - i, v - j
                values.append((1 - b) * ((1 - a) * field[j, i]
                                         + a * field[j, i + 1])
                              + b * ((1 - a) * field[j + 1, i]
                                     + a * field[j + 1, i + 1]) - .1)
            self.assert_masks(polygons_of(
                self.fields + .3, self.SHAPE, level=.1, origin=origin,
                step=step, outside=outside, tolerance=.001), values,
                self.SHAPE)
        one = polygons_of(self.fields, self.SHAPE, origin=(1, 2), step=4)
        self.assertEqual(lists(one), lists(polygons_of(
            self.fields, self.SHAPE, origin=[[1, 2]] * 4, step=[[4, 4]] * 4)))

    def test_holes_are_in_their_outer_rings(self):
        y, x = np.mgrid[:40, :40]
        rings = np.sin(np.hypot(x - 20, y - 20) * .7)
        found = polygons_of(np.stack([rings, -rings]), (200, 200))
        for number, polygons in enumerate(found):
            self.assertGreater(len(polygons), 1)
            self.assertIn(2, [len(p) for p in polygons])
            mine = found.objects == number
            self.assertEqual(mine.sum(), sum(map(len, polygons)))
            for (outer, *holes) in polygons:
                for hole in holes:
                    self.assertTrue((hole.min(0) > outer.min(0)).all())
                    self.assertTrue((hole.max(0) < outer.max(0)).all())
            self.assertAlmostEqual(found.areas[number],
                                   found.ring_areas[mine].sum())
        holes = found.parents >= 0
        self.assertTrue((found.ring_areas[holes] < 0).all())
        self.assertTrue((found.ring_areas[~holes] > 0).all())
        self.assertTrue((found.parents[found.parents[holes]] == -1).all())
        self.assertEqual(len(found.rings), len(found.parents))
        few = polygons_of(np.stack([rings, -rings]), (200, 200), min_area=3000)
        self.assertTrue((abs(few.ring_areas) >= 3000).all())
        self.assertLess(len(few.rings), len(found.rings))


class Networks(Case):
    """Places as the networks' packages have them."""

    SHAPES = ((75, 101), (101, 75), (64, 64), (33, 200))

    def setUp(self):
        self.rng = np.random.default_rng(2)

    def test_ultralytics(self):
        prototypes = np.stack([smooth(self.rng, 24, 24) for _ in range(5)]
                              ).astype('f4')
        coefficients = self.rng.normal(size=(3, 5)).astype('f4')

        def fitted(inner, shape):
            gain = min(inner[0] / shape[0], inner[1] / shape[1])
            height, width = (max(round(n * gain), 1) for n in shape)
            return (height, width, round((inner[0] - height) / 2 - .1),
                    round((inner[1] - width) / 2 - .1))

        for shape in self.SHAPES:
            height, width, _, _ = fitted((96, 96), shape)
            border = (96 - height) | (96 - width)
            factor = 4 // math.gcd(4, border | border // 2)
            size = 24 * factor
            height, width, top, left = fitted((size, size), shape)
            values = []
            for row in coefficients:
                field = np.tensordot(row.astype('f8'), prototypes, 1)
                field = resize(field, size, size)
                values.append(resize(field[top:top + height,
                                           left:left + width], *shape))
            boxes = np.sort(self.rng.uniform(0, 1, (3, 2, 2)), 1) \
                * (shape[1], shape[0])
            boxes = boxes.reshape(3, 4).astype('f4')
            y, x = np.mgrid[:shape[0], :shape[1]].astype('f4')
            inside = [(x >= b[0]) & (x < b[2]) & (y >= b[1]) & (y < b[3])
                      for b in boxes]
            for edges in (boxes, np.ceil(boxes) - .5):
                found = polygons_of(
                    prototypes, shape, coefficients=coefficients,
                    boxes=edges, letterbox=(96, 96), tolerance=.001)
                self.assert_masks(found, values, shape, inside)

    def test_segment_anything(self):
        fields = np.stack([smooth(self.rng, 32, 32) for _ in range(2)]
                          ).astype('f4')
        for shape in (*self.SHAPES, (67, 101)):
            height, width = (int(n * (128 / max(shape)) + .5) for n in shape)
            values = [resize(resize(field, 128, 128)[:height, :width], *shape)
                      for field in fields]
            self.assert_masks(polygons_of(
                fields, shape, letterbox=(128, 128), padding='end',
                tolerance=.001), values, shape)

    def test_mask_rcnn(self):
        fields = np.stack([1 / (1 + np.exp(-smooth(self.rng, 14, 14) - 1))
                           for _ in range(6)]).astype('f4')
        for shape in self.SHAPES:
            boxes = np.sort(self.rng.uniform(-.1, 1.1, (6, 2, 2)), 1) \
                * (shape[1], shape[0])
            boxes = boxes.reshape(6, 4).astype('f4')
            boxes[5, 2:] = boxes[5, :2]
            for paste in (self.torchvision, self.detectron2):
                found = polygons_of(fields, shape, boxes=boxes, level=.5,
                                    paste=paste.__name__, tolerance=.001)
                values = [paste(field, box, shape) - .5
                          for field, box in zip(fields, boxes)]
                if paste == self.detectron2:
                    values[5] = np.full(shape, -1.)
                self.assert_masks(found, values, shape)

    @staticmethod
    def torchvision(grid, box, shape):
        half = (box[2:] - box[:2]) * np.float32(.5) * np.float32(16 / 14)
        centre = (box[2:] + box[:2]) * np.float32(.5)
        (x1, y1), (x2, y2) = ((centre - half).astype(int),
                              (centre + half).astype(int))
        value = resize(np.pad(grid, 1), max(y2 - y1 + 1, 1),
                       max(x2 - x1 + 1, 1))
        whole = np.zeros(shape)
        top, left = max(y1, 0), max(x1, 0)
        bottom, right = min(y2 + 1, shape[0]), min(x2 + 1, shape[1])
        if top < bottom and left < right:
            whole[top:bottom, left:right] = value[top - y1:bottom - y1,
                                                  left - x1:right - x1]
        return whole

    @staticmethod
    def detectron2(grid, box, shape):
        padded = np.pad(grid.astype('f8'), 1)

        def taps(size, first, last):
            with np.errstate(all='ignore'):
                at = np.nan_to_num((np.arange(size) + .5 - first)
                                   / (last - first) * 14 - .5)
            at = np.clip(at + 1, 0, 15)
            low = np.minimum(at.astype(int), 14)
            return low, at - low

        box = box.astype('f8')
        y, ty = taps(shape[0], box[1], box[3])
        x, tx = taps(shape[1], box[0], box[2])
        rows = padded[y] * (1 - ty)[:, None] + padded[y + 1] * ty[:, None]
        return rows[:, x] * (1 - tx) + rows[:, x + 1] * tx


class Arrays(Case):
    SHAPE = (60, 80)

    def setUp(self):
        rng = np.random.default_rng(3)
        # numbers that are the same in every type
        self.fields = np.round(np.stack(
            [smooth(rng, 12, 16) for _ in range(3)]) * 64) / 64

    def test_every_type_and_memory_order_gives_the_same(self):
        want = lists(polygons_of(self.fields.astype('f4'), self.SHAPE))
        self.assertTrue(all(want))
        padded = np.zeros((3, 24, 40), 'f4')
        padded[:, ::2, :32:2] = self.fields
        unaligned = np.frombuffer(b'x' + self.fields.astype('f4').tobytes(),
                                  'f4', offset=1).reshape(3, 12, 16)
        single = self.fields.astype('f4')
        variants = [self.fields.astype(t) for t in (
            'f2', 'f4', 'f8', '>f4', '>f2', 'longdouble')]
        variants += [
            padded[:, ::2, :32:2], unaligned, np.asfortranarray(single),
            single.transpose(1, 2, 0).copy().transpose(2, 0, 1),
            single[:, ::-1, ::-1].copy()[:, ::-1, ::-1], self.fields.tolist(),
            memoryview(single)]
        for variant in variants:
            self.assertEqual(lists(polygons_of(variant, self.SHAPE)), want)
        self.assertEqual(lists(polygons_of(
            single, self.SHAPE, coefficients=np.eye(3))), want)
        self.assertEqual(lists(polygons_of(
            single, self.SHAPE, coefficients=np.eye(3, dtype='f2')[:, ::-1]
            )), want[::-1])

    def test_what_is_missing_is_outside(self):
        masked = np.ma.array(self.fields + 9, mask=self.fields < 0)
        holes = np.where(self.fields < 0, np.nan, self.fields + 9)
        self.assertEqual(lists(polygons_of(masked, self.SHAPE)),
                         lists(polygons_of(holes, self.SHAPE)))
        everywhere, nowhere = polygons_of(
            np.stack([np.ones((3, 4)), np.full((3, 4), np.nan)]), self.SHAPE)
        self.assertEqual(nowhere, [])
        (square,), = everywhere
        self.assertEqual(sorted(map(tuple, square[:-1].tolist())), [
            (-.5, -.5), (-.5, 59.5), (79.5, -.5), (79.5, 59.5)])

    def test_nothing_is_no_error(self):
        for count, found in (
                (0, polygons_of(np.zeros((0, 28, 28), 'f4'), self.SHAPE,
                                boxes=[], paste='detectron2')),
                (0, polygons_of(self.fields, self.SHAPE, indices=[])),
                (0, polygons_of(self.fields, self.SHAPE, boxes=np.zeros((0, 4)),
                                coefficients=np.zeros((0, 3)),
                                letterbox=(48, 64))),
                (3, polygons_of(self.fields * 0, self.SHAPE))):
            self.assertEqual(list(found), [[]] * count)
            self.assertEqual(found.areas.tolist(), [0] * count)
            self.assertEqual(len(found.rings), 0)
            self.assertEqual(len(found.objects), 0)

    def test_it_is_a_sequence(self):
        found = polygons_of(self.fields, self.SHAPE)
        want = lists(found)
        self.assertEqual(len(found), 3)
        self.assertEqual(lists(found[1:]), want[1:])
        self.assertEqual(lists([found[-1], found[np.int64(0)]]),
                         [want[2], want[0]])
        with self.assertRaisesRegex(IndexError, '3 objects'):
            found[3]
        self.assertEqual(repr(found), '<polygons of 3 objects on cpu>')
        for again in (pickle.loads(pickle.dumps(found)), copy.copy(found),
                      copy.deepcopy(found)):
            self.assertEqual(lists(again), want)
            self.assertEqual(again.areas.tolist(), found.areas.tolist())

    def test_rings_may_be_written_and_outlive_everything(self):
        ring = polygons_of(self.fields, self.SHAPE)[0][0][0]
        want = ring.copy()
        for _ in range(20):
            polygons_of(-self.fields, self.SHAPE)
        gc.collect()
        self.assertEqual((ring.dtype, ring.shape[1]), (np.float32, 2))
        np.testing.assert_array_equal(ring[0], ring[-1])
        ring += 1
        np.testing.assert_array_equal(ring, want + 1)

    def test_objects_are_regions_of_statistics(self):
        rng = np.random.default_rng(4)
        image = rng.integers(0, 256, self.SHAPE, 'u1')
        found = polygons_of(self.fields, self.SHAPE)
        stats = cudashapes.region_stats(image, found)
        self.assertEqual(len(stats), 3)
        for i, polygons in enumerate(found):
            pixels = image[fill(polygons, self.SHAPE)]
            self.assertEqual(int(stats.n_pixels[i]), len(pixels))
            self.assertAlmostEqual(stats.mean[i], pixels.mean())
        self.assertEqual(len(cudashapes.region_stats(
            image, polygons_of(self.fields, self.SHAPE, indices=[]))), 0)

    def test_threads_find_the_same(self):
        jobs = [(np.roll(self.fields, i, 2), (40 + 9 * i, 60 + 5 * i))
                for i in range(6)]
        want = [lists(polygons_of(*job)) for job in jobs]
        wrong = []

        def work(first):
            for i in range(30):
                at = (first + i) % len(jobs)
                if lists(polygons_of(*jobs[at])) != want[at]:
                    wrong.append(at)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Refused(Case):
    def test_arguments_that_are_wrong_are_named(self):
        fields, shape = np.zeros((2, 8, 8), 'f4'), (20, 30)
        for text, args in (
                ('(objects, height, width), and not (8, 8): fields[None]',
                 (fields[0], shape)),
                ('fields[0] has it', (fields[None], shape)),
                ('fields[:, 0] has it', (fields[:, None], shape)),
                ('no samples', (fields[:, :0], shape)),
                ('(height, width), two integers', (fields, (20, 30, 3))),
                ('(height, width), two integers', (fields, (20., 30.))),
                ('a side must be', (fields, (0, 30)))):
            self.refuse(ValueError, text, *args)
        for text, settings in (
                ('for each of the 2 fields, and not (3, 4)',
                 dict(coefficients=np.zeros((3, 4)))),
                ('coefficients.T', dict(coefficients=np.zeros((2, 9)))),
                ('(2, 4), x0, y0, x1, y1 of each object, and not (1, 4)',
                 dict(boxes=np.zeros((1, 4)))),
                ('boxes of [1]', dict(boxes=[[0] * 4, [math.nan] * 4])),
                ('0 to 1, and not 0 to 2', dict(indices=[0, 2])),
                ('0 to 1, and not -1 to 0', dict(indices=[0, -1])),
                ('one dimension', dict(indices=[[0]])),
                ('level must be finite', dict(level=math.nan)),
                ('0.0001 or more', dict(tolerance=0)),
                ('0 or more', dict(min_area=-1)),
                ('letterbox is (height, width)', dict(letterbox=640)),
                ('"center" or "end"', dict(letterbox=(32, 32), padding='top')),
                ('letterbox says', dict(letterbox=(32, 32), origin=(0, 0))),
                ('paste is', dict(paste=True)),
                ('paste needs boxes', dict(paste='detectron2')),
                ('paste says', dict(paste='detectron2', resized=(9, 9),
                                    boxes=np.ones((2, 4)))),
                ('finite', dict(paste='detectron2',
                                boxes=[[0, 0, 1, math.inf]] * 2)),
                ('resized is (height, width)', dict(resized=(1, 2, 3))),
                ('window is (top, left, height, width)', dict(window=(0, 1))),
                ('in fields of 8 x 8', dict(window=(0, 4, 8, 5))),
                ('given together', dict(step=2)),
                ('origin is (x, y), or has shape (2, 2), and not (3,)',
                 dict(origin=[1, 2, 3], step=1)),
                ('steps of 0', dict(origin=(0, 0), step=0)),
                ('"edge" or "zeros"', dict(outside='wrap')),
                ('no backend "tpu"', dict(backend='tpu')),
                ('a side must be 32768', dict(resized=(40000, 40000)))):
            self.refuse(ValueError, text, fields, shape, **settings)

    def test_types_that_are_wrong_are_named(self):
        fields, shape = np.zeros((2, 8, 8), 'f4'), (20, 30)
        for text, given, settings in (
                ('float16, and not int64', np.zeros((2, 8, 8), int), {}),
                ('and not bool', fields > 0, {}),
                ('complex', fields * 1j, {}),
                ('coefficients', fields,
                 dict(coefficients=np.zeros((3, 2), int))),
                ('flatnonzero', fields, dict(indices=[True, False])),
                ('integers, and not float64', fields, dict(indices=[0.])),
                ('boxes are real', fields, dict(boxes=[['a'] * 4] * 2)),
                ('real number', fields, dict(level='0'))):
            self.refuse(TypeError, text, given, shape, **settings)


class Far(unittest.TestCase):
    """Places that are far from the picture end at once."""

    def test_far(self):
        fields = np.ones((2, 5, 5), np.float32)
        for far in (1e8, 1e12, 1e15, -1e15, 1e300):
            found = cudashapes.instance_polygons(
                fields, (10, 10), origin=(far, 0), step=(1, 1))
            self.assertEqual(len(found), 2)
        with self.assertRaisesRegex(ValueError, '1e9'):
            cudashapes.instance_polygons(
                fields, (10, 10), boxes=[[-1e12, 0, 10, 10]] * 2,
                paste='torchvision')

    def test_close(self):
        """Samples that are close beside the largest coordinate."""
        y, x = np.mgrid[:40, :40]
        field = (15 - np.hypot(x - 20, y - 20)).astype(np.float32)
        found = cudashapes.instance_polygons(field[None], (3, 10000))
        mask = resize(field, 3, 10000) > 0
        self.assertGreater(mask.sum(), 10000)
        wrong = fill([polygon for polygon in found[0]], mask.shape) != mask
        self.assertLess(wrong.sum(), 5)


if __name__ == '__main__':
    sys.exit(unittest.main(verbosity=1))
