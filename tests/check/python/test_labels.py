# SPDX-License-Identifier: LGPL-2.1-or-later
"""Polygons of label pictures against the contours of one label at a time, and the pixels of that."""

import contextlib
import copy
import gc
import pickle
import sys
import threading
import unittest
import warnings

import numpy as np

import cudashapes

polygons_of = cudashapes.label_polygons
strips_of = cudashapes.label_polygons_of_strips

LARGEST = 2 ** 31 - 1
TYPES = ('?', 'u1', 'i1', 'u2', 'i2', 'u4', 'i4', 'u8', 'i8', '>i4', '>u2')


def lists(found):
    return {label: [[ring.tolist() for ring in rings] for rings in polygons]
            for label, polygons in found.items()}


def cells(rng, shape, n=9):
    """Regions around random points, 1 to n."""
    y, x = np.indices(shape)
    return 1 + np.argmin([np.hypot(y - a, x - b) for a, b in rng.uniform(
        0, 1, (n, 2)) * shape], 0)


def islands():
    """Label 3 with a hole, in that label 4 with label 3 in it; and 9."""
    labels = np.zeros((9, 12), int)
    labels[1:8, 1:8] = 3
    labels[2:7, 2:7] = 4
    labels[3:6, 3:6] = 0
    labels[4, 4] = 3
    labels[0, 11] = labels[8, 9:11] = 9
    return labels


def fill(polygons, shape):
    """The pixels whose centres are inside, by the even-odd rule."""
    flips = np.zeros((shape[0], shape[1] + 1), int)
    for ring in (ring for rings in polygons for ring in rings):
        for (x0, y0), (x1, y1) in zip(ring, ring[1:]):
            for y in range(int(np.ceil(min(y0, y1))),
                           int(np.ceil(max(y0, y1)))):
                x = x0 + (y - y0) / (y1 - y0) * (x1 - x0)
                flips[y, int(np.ceil(x))] += 1
    return np.cumsum(flips, 1)[:, :-1] % 2 == 1


class Case(unittest.TestCase):
    def assert_contours(self, found, labels, background=0):
        """Rings are what find_contours() finds of each label alone."""
        labels = np.asarray(labels)
        want = [label for label in np.unique(labels).tolist()
                if label >= 0 and label != background]
        self.assertEqual(list(found), want)
        self.assertEqual(found.labels.tolist(), want)
        for label in want:
            alone = cudashapes.find_contours(
                np.pad(labels == label, 1), .5, as_xy=True)
            mine = np.flatnonzero(found.ring_labels == label)
            self.assertEqual(len(mine), len(alone))
            for at, ring in zip(mine, alone):
                np.testing.assert_array_equal(found.rings[at],
                                              (ring - 1).astype('f4'))

    def refuse(self, exception, *texts, call=polygons_of, **kwargs):
        with self.assertRaises(exception) as caught:
            call(**kwargs)
        for text in texts:
            self.assertIn(text, str(caught.exception))


class Polygons(Case):
    def test_contours_are_those_of_each_label(self):
        rng = np.random.default_rng(1)
        for labels in (cells(rng, (40, 60)), rng.integers(0, 4, (30, 31)),
                       islands(), np.indices((7, 8)).sum(0) % 2):
            for background in (0, None, 3):
                self.assert_contours(polygons_of(
                    labels, background=background), labels, background)

    def test_pixels_have_their_areas(self):
        rng = np.random.default_rng(2)
        for labels in (cells(rng, (40, 60)), rng.integers(0, 5, (30, 31)),
                       islands()):
            found = polygons_of(labels, outline='pixels', background=None)
            want, counts = np.unique(labels, return_counts=True)
            self.assertEqual(found.labels.tolist(), want.tolist())
            self.assertEqual(found.areas.tolist(), counts.tolist())
            for label, polygons in found.items():
                np.testing.assert_array_equal(fill(polygons, labels.shape),
                                              labels == label)

    def test_contours_hold_the_centres_of_their_pixels(self):
        labels = np.random.default_rng(3).integers(0, 3, (25, 30))
        for label, polygons in polygons_of(labels).items():
            np.testing.assert_array_equal(fill(polygons, labels.shape),
                                          labels == label)

    def test_holes_and_what_is_in_them(self):
        for outline in ('contours', 'pixels'):
            found = polygons_of(islands(), outline=outline)
            self.assertEqual({label: [len(rings) for rings in polygons]
                              for label, polygons in found.items()},
                             {3: [2, 1], 4: [2], 9: [1, 1]})
            self.assertEqual(found.ring_labels.tolist(), [3, 3, 3, 4, 4, 9, 9])
            self.assertEqual((found.ring_areas < 0).tolist(),
                             [0, 1, 0, 0, 1, 0, 0])
            self.assertEqual(found.parents.tolist(),
                             [-1, 0, -1, -1, 3, -1, -1])
            nested = polygons_of(islands(), outline=outline, hierarchy=True)
            self.assertEqual(nested.parents.tolist(),
                             [-1, 0, 1, -1, 3, -1, -1])
            self.assertEqual(lists(nested), lists(found))
        self.assertEqual(found.areas.tolist(), [25, 16, 3])

    def test_small_rings_are_left_out(self):
        found = polygons_of(islands(), outline='pixels', min_area=2)
        self.assertEqual(found.ring_areas.tolist(), [49, -25, 25, -9, 2])
        self.assertEqual(polygons_of(islands(), min_area=100).areas.tolist(),
                         [])

    def test_some_labels(self):
        labels = islands()
        whole = lists(polygons_of(labels))
        for index, want in (([9, 3, 9, 77], [3, 9]), (4, [4]), ([], []),
                            (np.array([9], 'u8'), [9]), ([-1, 2 ** 40], []),
                            (range(5), [3, 4])):
            found = polygons_of(labels, index=index)
            self.assertEqual(lists(found), {k: whole[k] for k in want})
        # the background has none
        self.assertEqual(list(polygons_of(labels, index=[0, 3])), [3])
        self.assertEqual(list(polygons_of(labels, index=[0, 3],
                                          background=None)), [0, 3])

    def test_points_are_at_pixels_edges(self):
        (rings,), = polygons_of(np.ones((3, 4), 'u1'),
                                outline='pixels').values()
        self.assertEqual(sorted(map(tuple, rings[0][:-1].tolist())), [
            (-.5, -.5), (-.5, 2.5), (3.5, -.5), (3.5, 2.5)])
        np.testing.assert_array_equal(rings[0][0], rings[0][-1])
        (rings,), = polygons_of(np.eye(1, dtype='u1')).values()
        self.assertEqual(polygons_of([[7]]).areas.tolist(), [.5])
        self.assertEqual(len(rings[0]), 5)


class Arrays(Case):
    def test_every_type_and_memory_order_gives_the_same(self):
        rng = np.random.default_rng(4)
        for number in range(300):
            shape = rng.integers(1, 20, 2)
            dtype = np.dtype(TYPES[number % len(TYPES)])
            labels = rng.integers(0, 2 if dtype.kind == 'b' else 6, shape)
            settings = dict(outline=('contours', 'pixels')[number % 2],
                            background=(0, None, 3)[number % 3])
            want = lists(polygons_of(labels, **settings))
            labels = labels.astype(dtype)
            step = rng.integers(1, 4, 2)
            wide = np.zeros(shape * step + 3, dtype)
            view = wide[1:shape[0] * step[0] + 1:step[0],
                        2:shape[1] * step[1] + 2:step[1]]
            view[...] = labels
            fields = np.zeros(shape, [('odd', 'u1'), ('label', dtype)])
            fields['label'] = labels
            fixed = labels.copy()
            fixed.flags.writeable = False
            variants = [labels, view, fields['label'], fixed,
                        np.asfortranarray(labels), labels.tolist(),
                        labels[::-1].copy()[::-1],
                        labels[:, ::-1].copy()[:, ::-1],
                        np.ma.array(labels), np.ma.array(labels, mask=False)]
            if dtype.isnative:
                variants.append(memoryview(labels))
            for variant in variants:
                self.assertEqual(lists(polygons_of(variant, **settings)), want)
        row = np.broadcast_to(np.array([1, 1, 2], 'u2'), (4, 3))
        self.assertEqual(polygons_of(row, outline='pixels').areas.tolist(),
                         [8, 4])

    def test_labels_are_of_all_sizes(self):
        for dtype in ('u1', 'i1', 'u2', 'i2', 'u4', 'i4', 'u8', 'i8'):
            largest = min(np.iinfo(dtype).max, LARGEST)
            labels = np.array([[0, largest, 1]], dtype)
            self.assertEqual(list(polygons_of(labels)), [1, largest])
            self.assertEqual(list(polygons_of(labels, background=largest)),
                             [0, 1])
        for dtype in ('i1', 'i2', 'i4', 'i8'):
            labels = np.array([[-1, np.iinfo(dtype).min, 5]], dtype)
            self.assertEqual(list(polygons_of(labels, background=None)), [5])

    def test_what_is_masked_belongs_to_nothing(self):
        rng = np.random.default_rng(5)
        labels = rng.integers(0, 4, (15, 20))
        mask = rng.random(labels.shape) < .2
        want = np.where(mask, -1, labels)
        for dtype in ('u1', 'i1', 'u2', 'i4', 'u4', 'i8', 'u8'):
            masked = np.ma.array(labels.astype(dtype), mask=mask)
            masked.data[mask] = np.iinfo(dtype).max
            for background in (0, 2, None):
                self.assertEqual(
                    lists(polygons_of(masked, background=background)),
                    lists(polygons_of(want, background=background)))
        self.assertEqual(lists(polygons_of(
            [np.ma.array([1, 2], mask=[0, 1])], background=None)),
            lists(polygons_of([[1, -1]])))
        self.assertEqual(list(polygons_of(
            np.ma.array([[True, False]], mask=[[True, False]]),
            background=None)), [0])
        self.refuse(ValueError, 'pixel (1, 0)', background=None,
                    labels=np.ma.array([[0, 2 ** 64 - 1]], dtype='u8'))

    def test_nothing_is_no_error(self):
        for labels in (np.zeros((0, 0), int), np.zeros((0, 5), 'u1'),
                       np.zeros((5, 0), 'i8'), np.zeros((5, 6), int),
                       np.full((5, 6), -1)):
            found = polygons_of(labels)
            self.assertEqual((len(found), list(found), found.areas.tolist(),
                              found.labels.tolist(), len(found.rings),
                              found.rings.points.shape,
                              found.rings.offsets.tolist()),
                             (0, [], [], [], 0, (0, 2), [0]))

    def test_it_is_a_mapping(self):
        labels = islands()
        found = polygons_of(labels)
        want = lists(found)
        self.assertEqual(len(found), 3)
        self.assertIn(np.int64(3), found)
        self.assertNotIn(0, found)
        self.assertIsNone(found.get(5))
        with self.assertRaises(KeyError):
            found[5]
        self.assertEqual(repr(found), '<polygons of 3 labels on cpu>')
        self.assertEqual(repr(found.rings), '<7 rings on cpu>')
        self.assertIn(found, [polygons_of(labels), found])
        self.assertEqual({found: 1}[found], 1)
        for again in (pickle.loads(pickle.dumps(found)), copy.copy(found),
                      copy.deepcopy(found)):
            self.assertEqual(lists(again), want)
            self.assertEqual(again.areas.tolist(), found.areas.tolist())

    def test_rings_are_a_sequence(self):
        rings = polygons_of(islands()).rings
        self.assertEqual(len(rings), 7)
        points = [ring.tolist() for ring in rings]
        self.assertEqual(np.concatenate(points).tolist(),
                         rings.points.tolist())
        self.assertEqual(np.diff(rings.offsets).tolist(),
                         list(map(len, points)))
        self.assertEqual([ring.tolist() for ring in rings[1:3]], points[1:3])
        self.assertEqual(rings[-1].tolist(), points[6])
        with self.assertRaisesRegex(IndexError, '7 rings'):
            rings[7]

    def test_rings_may_be_written_and_outlive_everything(self):
        ring = polygons_of(islands())[3][0][0]
        want = ring.copy()
        for _ in range(20):
            polygons_of(islands()[::-1])
        gc.collect()
        self.assertEqual((ring.dtype, ring.shape[1]), (np.float32, 2))
        ring += 1
        np.testing.assert_array_equal(ring, want + 1)

    def test_labels_are_regions_of_statistics(self):
        rng = np.random.default_rng(6)
        labels = cells(rng, (40, 50))
        image = rng.integers(0, 256, labels.shape, 'u1')
        for outline in ('contours', 'pixels'):
            found = polygons_of(labels, outline=outline)
            stats = cudashapes.region_stats(image, found)
            for i, label in enumerate(found):
                pixels = image[labels == label]
                self.assertEqual(int(stats.n_pixels[i]), len(pixels))
                self.assertAlmostEqual(stats.mean[i], pixels.mean())

    def test_threads_find_the_same(self):
        rng = np.random.default_rng(7)
        jobs = [cells(rng, (40 + 9 * i, 60 + 5 * i)) for i in range(6)]
        want = [lists(polygons_of(job)) for job in jobs]
        wrong = []

        def work(first):
            for i in range(20):
                at = (first + i) % len(jobs)
                call = strips_of if i % 2 else polygons_of
                given = np.array_split(jobs[at], 3) if i % 2 else jobs[at]
                if lists(call(given)) != want[at]:
                    wrong.append(at)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_labels_that_change_while_they_are_read(self):
        labels = np.zeros((1500, 600), 'i4')
        done = threading.Event()

        def write():
            i = 0
            while not done.is_set():
                i += 1
                labels[:, i % 600] = i % 7

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for i in range(60):
                with contextlib.suppress(ValueError):
                    polygons_of(labels, hierarchy=i % 2, outline=(
                        'contours', 'pixels')[i // 2 % 2])
        finally:
            done.set()
            writer.join()
        self.assertEqual(lists(polygons_of(labels)), lists(
            polygons_of(labels.copy())))


class Strips(Case):
    def test_strips_are_the_whole(self):
        rng = np.random.default_rng(8)
        for number in range(100):
            shape = rng.integers(1, 40, 2)
            labels = cells(rng, shape) if number % 2 else \
                rng.integers(0, 4, shape)
            labels = labels.astype(TYPES[number % 9])
            ends = np.sort(rng.integers(0, shape[0] + 1, rng.integers(0, 6)))
            settings = dict(outline=('contours', 'pixels')[number % 2],
                            background=(0, None)[number // 2 % 2],
                            hierarchy=bool(number & 4),
                            min_area=(0, 2)[number // 8 % 2],
                            index=(None, [1, 3])[number // 16 % 2])
            want = polygons_of(labels, **settings)
            got = strips_of(iter(np.split(labels, ends)), **settings)
            self.assertEqual(lists(got), lists(want))
            self.assertEqual(got.parents.tolist(), want.parents.tolist())
            self.assertEqual(got.ring_areas.tolist(),
                             want.ring_areas.tolist())

    def test_strips_are_read_before_the_next_is_asked_for(self):
        labels = islands()
        row = np.empty_like(labels[:1])

        def rows():
            for each in labels:
                row[...] = each
                yield row
        self.assertEqual(lists(strips_of(rows())), lists(polygons_of(labels)))

    def test_calls_between_strips(self):
        labels = islands()
        inside = []

        def rows():
            for each in labels:
                inside.append(lists(strips_of([labels])))
                yield each[None]
        want = lists(polygons_of(labels))
        self.assertEqual(lists(strips_of(rows())), want)
        self.assertEqual(inside, [want] * len(labels))

    def test_nothing(self):
        for strips in ([], [np.zeros((0, 4), int)] * 2, [[[0]]]):
            self.assertEqual(lists(strips_of(strips)), {})

    def test_masks(self):
        strips = [np.ma.array([[1, 2]], 'u1'),
                  np.ma.array([[1, 2]], 'u1', mask=[[1, 0]])]
        self.assertEqual(lists(strips_of(strips, background=None)),
                         lists(polygons_of([[1, 2], [-1, 2]])))

    def test_what_is_wrong_is_named(self):
        def stop():
            yield islands()
            raise OSError('no disk')
        for exception, text, strips in (
                (ValueError, 'strip 1 has 4 columns, and those before it 3',
                 [np.zeros((2, 3), int), np.zeros((2, 4), int)]),
                (TypeError, 'strip 1 is of uint8',
                 [np.zeros((2, 3), 'i4'), np.zeros((2, 3), 'u1')]),
                (TypeError, 'float64', [np.zeros((2, 3))]),
                (ValueError, '(3,)', np.zeros((2, 3), int)),
                (TypeError, 'not iterable', 5),
                (ValueError, 'pixel (0, 2) has the label 2147483648',
                 [np.zeros((2, 1), 'i8'), np.array([[2 ** 31]])]),
                (OSError, 'no disk', stop())):
            self.refuse(exception, text, call=strips_of, strips=strips)
            # and the worker is as before
            self.assertEqual(lists(strips_of([islands()])),
                             lists(polygons_of(islands())))


class Refused(Case):
    def test_labels_that_are_wrong_are_named(self):
        for exception, texts, labels in (
                (TypeError, ("not float64: labels.astype('int32')",),
                 np.zeros((2, 3))),
                (TypeError, ('not complex',), np.zeros((2, 3), complex)),
                (TypeError, ('not object',), np.zeros((2, 3), object)),
                (ValueError, ('and not (3,)',), np.zeros(3, int)),
                (ValueError, ('labels[0] is the first of its 5 planes',),
                 np.zeros((5, 30, 40), int)),
                (ValueError, ('labels[..., 0] is a plane',),
                 np.zeros((30, 40, 1), int)),
                (ValueError, ('pixel (1, 0) has the label 2147483648',
                              'relabel_sequential()'),
                 np.array([[0, 2 ** 31]])),
                (ValueError, ('18446744073709551615',),
                 np.array([[2 ** 64 - 1]], 'u8'))):
            self.refuse(exception, *texts, labels=labels)

    def test_arguments_that_are_wrong_are_named(self):
        for exception, text, settings in (
                (ValueError, '"contours" or "pixels"', dict(outline='lines')),
                (ValueError, '"contours" or "pixels"', dict(outline=1)),
                (TypeError, 'background is an integer', dict(background=.5)),
                (ValueError, 'the background 2147483648',
                 dict(background=2 ** 31)),
                (ValueError, '0 or more', dict(min_area=-1)),
                (ValueError, '0 or more', dict(min_area=np.nan)),
                (TypeError, 'real number', dict(min_area='1')),
                (TypeError, 'flatnonzero', dict(index=[True, False])),
                (TypeError, 'not float64', dict(index=[1.])),
                (TypeError, 'index has labels', dict(index={3})),
                (TypeError, 'index has labels', dict(index=2 ** 70)),
                (ValueError, 'no backend "tpu"', dict(backend='tpu'))):
            self.refuse(exception, text, labels=islands(), **settings)


if __name__ == '__main__':
    warnings.simplefilter('error')
    sys.exit(unittest.main(verbosity=1))
