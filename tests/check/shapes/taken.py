# SPDX-License-Identifier: LGPL-2.1-or-later
"""What others give is taken as it is meant, or refused by name."""

import decimal
import fractions
import sys
import types
import unittest
import warnings

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

Gst, GstShapes, np = need('Gst', 'GstShapes', 'numpy')

warnings.simplefilter('error')

SQUARE = [(0, 0), (4, 0), (4, 4), (0, 4)]
HOLE = [(1, 1), (1, 2), (2, 2), (2, 1)]
BIG = 2 ** 53


class Geometry:
    """As Shapely's: only __geo_interface__ is looked at."""

    def __init__(self, kind, coordinates):
        self.__geo_interface__ = {'type': kind, 'coordinates': coordinates}


def lists(contours):
    return [contour.tolist() for contour in contours]


class Sized:
    """Detections of others, which have a length."""

    def __init__(self, columns):
        self.__dict__.update(columns.__dict__)

    def __len__(self):
        return len(self.xyxy)


class MaskedImages(unittest.TestCase):
    """True of numpy.ma's masks means missing."""

    TYPES = ('?', 'u1', 'i1', 'u2', 'i2', 'u4', 'i4', 'u8', 'i8', 'f2', 'f4',
             'f8', '>f4', 'longdouble')

    def draw(self, rng, dtype, fill):
        image = rng.integers(0, 2 if dtype == '?' else 90, (12, 17))
        hidden = rng.random(image.shape) < .15
        seen = image.astype(dtype)
        seen[hidden] = fill
        masked = np.ma.array(seen, mask=hidden)
        masked.fill_value = 1
        with_nan = image.astype('f8')
        with_nan[hidden] = np.nan
        return masked, with_nan

    def test_masked_samples_are_as_nan(self):
        rng = np.random.default_rng(1)
        for dtype in self.TYPES:
            for fill in (0, 100):
                masked, with_nan = self.draw(rng, dtype, fill)
                level = .5 if dtype == '?' else 40.5
                want = GstShapes.find_contours(with_nan, level)
                self.assertGreater(len(want), 4)
                self.assertEqual(
                    lists(GstShapes.find_contours(masked, level)), lists(want))
                # the middle, too, is of what is there
                self.assertEqual(lists(GstShapes.find_contours(masked)),
                                 lists(GstShapes.find_contours(with_nan)))
                levels = [-1, level, 101]
                self.assertEqual(
                    [[lists(p) for p in b]
                     for b in GstShapes.find_bands(masked, levels)],
                    [[lists(p) for p in b]
                     for b in GstShapes.find_bands(with_nan, levels)])

    def test_both_masks_count(self):
        rng = np.random.default_rng(2)
        masked, with_nan = self.draw(rng, 'f8', 100)
        use = rng.random(masked.shape) < .9
        want = lists(GstShapes.find_contours(with_nan, 40.5, mask=use))
        self.assertEqual(
            lists(GstShapes.find_contours(masked, 40.5, mask=use)), want)
        self.assertEqual(lists(GstShapes.find_contours(
            masked, 40.5, mask=np.ma.array(np.ones_like(use), mask=~use))),
            want)
        self.assertNotEqual(
            lists(GstShapes.find_contours(with_nan, 40.5)), want)

    def test_channels_have_masks_of_their_own(self):
        rng = np.random.default_rng(3)
        pairs = [self.draw(rng, 'u1', 100) for _ in range(3)]
        got = GstShapes.find_contours(
            np.ma.stack([masked for masked, _ in pairs], -1),
            [30.5, 40.5, 50.5], channel_axis=-1)
        for (_, with_nan), level, lines in zip(pairs, (30.5, 40.5, 50.5), got):
            self.assertEqual(lists(lines), lists(
                GstShapes.find_contours(with_nan, level)))

    def test_lists_of_masked_rows_are_masked(self):
        masked, with_nan = self.draw(np.random.default_rng(4), 'f8', 100)
        self.assertEqual(lists(GstShapes.find_contours(list(masked), 40.5)),
                         lists(GstShapes.find_contours(with_nan, 40.5)))

    def test_nothing_masked_is_as_it_was_and_everything_is_nothing(self):
        image = np.random.default_rng(5).random((9, 9))
        for given in (np.ma.array(image), np.ma.array(image, mask=False)):
            self.assertEqual(lists(GstShapes.find_contours(given)),
                             lists(GstShapes.find_contours(image)))
        hidden = np.ma.array(image, mask=True)
        self.assertEqual(GstShapes.find_contours(hidden), [])
        self.assertEqual(GstShapes.find_bands(hidden, [0, 1]), [[]])

    def test_the_image_that_was_given_stays(self):
        masked, _ = self.draw(np.random.default_rng(6), 'f8', 100)
        before = masked.data.copy(), masked.mask.copy()
        GstShapes.find_contours(masked)
        np.testing.assert_array_equal(masked.data, before[0])
        np.testing.assert_array_equal(masked.mask, before[1])


class MaskedPoints(unittest.TestCase):
    def test_buffers_may_not_have_any(self):
        image = np.ma.array(np.zeros((4, 4), 'u1'), mask=False)
        self.assertEqual(GstShapes.buffer_from_array(image).get_size(), 16)
        image[1, 1] = np.ma.masked
        with self.assertRaisesRegex(ValueError, 'masked'):
            GstShapes.buffer_from_array(image)

    def test_they_are_missing_and_counted(self):
        points = [(0, 0), (100, 1), (4, 0), (0, 100), (0, 3)]
        for dtype in ('u1', 'i4', 'i8', 'f2', 'f4', 'f8'):
            masked = np.ma.array(np.array(points, dtype), mask=False)
            masked[1, 0] = np.ma.masked
            masked[3] = np.ma.masked
            hull = GstShapes.convex_hull(masked)
            self.assertEqual((hull.vertices.tolist(), hull.n_ignored,
                              hull.area), ([0, 2, 4], 2, 6))
            self.assertEqual(hull.points[hull.vertices].tolist(),
                             [[0, 0], [4, 0], [0, 3]])
        with self.assertRaisesRegex(ValueError, 'no finite point'):
            GstShapes.convex_hull(np.ma.array(points, mask=True))

    def test_polygons_may_not_have_any(self):
        masked = np.ma.array(SQUARE, mask=False)
        self.assertEqual(len(GstShapes.ShapeSet.from_polygons([masked])[0]), 1)
        masked[2, 1] = np.ma.masked
        for polygon in (masked, masked.reshape(-1, 1, 2), list(masked)):
            with self.assertRaisesRegex(ValueError, 'polygon 1 .*masked.* 2'):
                GstShapes.ShapeSet.from_polygons([SQUARE, polygon])

    def test_masked_columns_are_unknown(self):
        shape_set = GstShapes.ShapeSet.from_polygons(
            [SQUARE, HOLE], parents=np.ma.array([7, 0], mask=[1, 0]),
            track_ids=np.ma.array([5, 6], mask=[0, 1]),
            confidences=np.ma.array([.5, 1], mask=[0, 1]))
        self.assertEqual([(c.parent, c.track_id, c.confidence)
                          for c in shape_set.contours()],
                         [(None, 5, .5), (0, None, None)])


    def test_what_cannot_be_unknown_may_not_be_masked(self):
        """Masked values of a class, a level, a flag are no 0, as is what is
        masked of a detection or a hierarchy."""
        gone, kept = np.ma.array([3, 4], mask=[0, 1]), [1, np.ma.masked]
        make = GstShapes.ShapeSet
        for name in ('class_ids', 'levels', 'closed', 'holes'):
            for values in (gone, kept, tuple(kept), np.array(kept, object)):
                with self.assertRaisesRegex(ValueError,
                                            r'%s\[1\] is masked' % name):
                    make.from_polygons([SQUARE, HOLE], **{name: values})
            with self.assertRaisesRegex(ValueError, name + '.* is masked'):
                make.from_polygons([SQUARE, HOLE], **{name: np.ma.masked})
        masks = np.ones((2, 4, 4), bool)
        with self.assertRaisesRegex(ValueError, r'class_ids\[1\] is masked'):
            make.from_masks(masks, class_ids=gone)
        for classes in (np.ma.masked, {1: np.ma.masked}):
            with self.assertRaisesRegex(ValueError, 'class_ids.* is masked'):
                make.from_labels(masks[0].astype(int), class_ids=classes)
        with self.assertRaisesRegex(ValueError, 'hierarchy is masked'):
            make.from_cv([np.array(SQUARE)], np.ma.array(
                [[[-1, -1, -1, -1]]], mask=[[[0, 0, 0, 1]]]))
        for columns in ({}, {'mask': np.ma.array(masks, mask=masks)}):
            detections = types.SimpleNamespace(**{
                'xyxy': np.ma.array([[0, 0, 1, 1], [1, 1, 2, 2.]],
                                    mask=[[0] * 4, [0, 0, 0, 1]]),
                'mask': None, 'class_id': None, 'confidence': None,
                'tracker_id': None, 'data': {}, **columns})
            detections = Sized(detections)
            with self.assertRaisesRegex(ValueError, 'masked'):
                make.from_supervision(detections)

    def test_what_may_be_unknown_may_be_masked(self):
        for values in ([5, np.ma.masked], np.ma.array([5, 6], mask=[0, 1]),
                       np.array([5, np.ma.masked], object)):
            for name, attribute in (('parents', 'parent'),
                                    ('track_ids', 'track_id'),
                                    ('region_ids', 'region_id'),
                                    ('confidences', 'confidence')):
                shape_set = GstShapes.ShapeSet.from_polygons(
                    [SQUARE, HOLE], **{name: values})
                self.assertEqual([getattr(c, attribute)
                                  for c in shape_set.contours()], [5, None])
        layer = shape_set[0].annotate(region_ids=[1, np.ma.masked])
        self.assertEqual([c.region_id for c in layer], [1, None])

    def test_masked_points_of_geometries(self):
        ring = np.ma.array([(0, 0), (9, 0), (50, 50), (0, 9)], mask=False)
        ring[2] = np.ma.masked
        for given in ring, list(ring):
            hull = GstShapes.convex_hull(Geometry('Polygon', [given]))
            self.assertEqual((hull.area, hull.n_ignored), (40.5, 1))
            with self.assertRaisesRegex(ValueError, 'masked'):
                GstShapes.ShapeSet.from_polygons(
                    [Geometry('Polygon', [given])])


class Geometries(unittest.TestCase):
    def test_heights_are_left_out(self):
        """Of positions with z, and m, x and y are taken."""
        def deep(points, n):
            return [(*p, *range(7, 5 + n)) for p in points]
        want = GstShapes.ShapeSet.from_polygons([
            Geometry('Polygon', [SQUARE, HOLE])])
        for n in (3, 4):
            for convert in list, np.array:
                given = Geometry('Polygon', [convert(deep(SQUARE, n)),
                                             convert(deep(HOLE, n))])
                self.assertEqual(GstShapes.ShapeSet.from_shapely(given), want)
                self.assertEqual(GstShapes.convex_hull(given).area,
                                 GstShapes.convex_hull(SQUARE).area)
            for kind in ('LineString', 'LinearRing'):
                line, = GstShapes.ShapeSet.from_shapely(
                    Geometry(kind, deep(SQUARE, n))).contours()
                self.assertEqual(line.points[:4].tolist(),
                                 [list(p) for p in SQUARE[:4]])
            point, = GstShapes.ShapeSet.from_shapely(
                Geometry('Point', (1, 2, 3, 4)[:n])).contours()
            self.assertEqual(point.points.tolist(), [[1, 2]])
        # arrays of three columns may be anything
        with self.assertRaisesRegex(ValueError, 'shape'):
            GstShapes.ShapeSet.from_polygons([deep(SQUARE, 3)])

    def test_opencvs_contours_are_polygons(self):
        contours = [np.array(SQUARE, 'i4').reshape(-1, 1, 2),
                    np.array(HOLE, 'i4').reshape(-1, 1, 2)]
        for given in (contours, tuple(contours)):
            shapes = GstShapes.ShapeSet.from_polygons(given)
            self.assertEqual([c.area for c in shapes.contours()], [16, -1])
        again = GstShapes.ShapeSet.from_polygons(shapes.to_cv())
        self.assertEqual(again, shapes)
        with self.assertRaisesRegex(ValueError, r'\[contour\]'):
            GstShapes.ShapeSet.from_polygons(contours[0])

    def test_contours_of_images_are_polygons(self):
        image = np.zeros((9, 9))
        image[3:6, 2:7] = 1
        lines = GstShapes.find_contours(image, .5, as_xy=True)
        square, = GstShapes.ShapeSet.from_polygons(lines).contours()
        self.assertEqual(square.bbox, (1.5, 2.5, 6.5, 5.5))

    def test_polygons_bring_their_holes(self):
        ring = SQUARE + SQUARE[:1]
        island = [(8, 8), (9, 8), (9, 9), (8, 8)]
        shapes = GstShapes.ShapeSet.from_polygons(
            [SQUARE, Geometry('Polygon', [ring, HOLE + HOLE[:1]]),
             Geometry('MultiPolygon', [[ring, HOLE], [island]]),
             Geometry('LineString', SQUARE), Geometry('LinearRing', ring),
             Geometry('Point', (1, 2)), Geometry('Polygon', []), SQUARE],
            class_ids=[0, 1, 2, 3, 4, 5, 6, 7], track_ids=range(8))
        self.assertEqual(
            [(c.class_id, c.track_id, c.closed, c.hole, c.parent, c.area)
             for c in shapes.contours()],
            [(0, 0, True, False, None, 16),
             (1, 1, True, False, None, 16), (1, 1, True, True, 1, -1),
             (2, 2, True, False, None, 16), (2, 2, True, True, 3, -1),
             (2, 2, True, False, None, .5),
             (3, 3, False, False, None, 16), (4, 4, True, False, None, 16),
             (5, 5, False, False, None, 0), (7, 7, True, False, None, 16)])
        shapes.add_polygons([Geometry('Polygon', [ring, HOLE])])
        self.assertEqual([c.parent for c in shapes.contours()][-1], 10)

    def test_collections_are_sequences(self):
        feature = {'type': 'Feature', 'properties': {}, 'geometry': {
            'type': 'Polygon', 'coordinates': [SQUARE]}}
        for collection in ({'type': 'FeatureCollection',
                            'features': [feature, feature]},
                           Geometry('MultiPolygon', [[SQUARE], [SQUARE]])):
            shapes = GstShapes.ShapeSet.from_polygons(collection)
            self.assertEqual([c.area for c in shapes.contours()], [16, 16])
        for wrong in (Geometry('Polygon', [[(0,), (1,), (1,)]]),
                      Geometry('Polygon', [[0, 1, 2]]),
                      Geometry('Blob', [SQUARE])):
            with self.assertRaisesRegex(ValueError, 'shape|Blob'):
                GstShapes.ShapeSet.from_polygons([wrong])

    def test_hulls_take_them_too(self):
        points = np.array(SQUARE + HOLE)
        for given in (points, points.reshape(-1, 1, 2),
                      [np.array(SQUARE), np.array(HOLE, 'f4')],
                      [np.array(SQUARE).reshape(-1, 1, 2), np.array(HOLE)],
                      Geometry('Polygon', [SQUARE, HOLE]),
                      Geometry('MultiPoint', SQUARE + HOLE),
                      [Geometry('LineString', SQUARE), np.array(HOLE)]):
            hull = GstShapes.convex_hull(given)
            self.assertEqual((hull.vertices.tolist(), hull.area),
                             ([0, 1, 2, 3], 16))
            self.assertEqual(hull.points.tolist(), points.tolist())
        one = np.ma.array(SQUARE, mask=False)
        one[1] = np.ma.masked
        hull = GstShapes.convex_hull([np.array(HOLE), one])
        self.assertEqual((hull.vertices.tolist(), hull.n_ignored),
                         ([4, 3, 6, 7], 1))


class Coordinates(unittest.TestCase):
    def test_every_type_is_right_or_refused(self):
        make = GstShapes.ShapeSet.from_polygons
        want = make([SQUARE])
        for dtype in ('u1', 'i2', 'u8', 'i8', 'f2', '>f4', 'f8', 'longdouble'):
            self.assertEqual(make([np.array(SQUARE, dtype)]), want)
        self.assertEqual(make([[tuple(map(fractions.Fraction, p))
                                for p in SQUARE]]), want)
        self.assertEqual(make([np.array(SQUARE).astype(object)]), want)
        self.assertEqual(make([[(decimal.Decimal(x), y)
                                for x, y in SQUARE]]), want)
        for exception, polygon in (
                (TypeError, np.array(SQUARE, complex)),
                (TypeError, np.array(SQUARE, '<M8[s]')),
                (TypeError, [('1', '2')]), (ValueError, [(None, 1)]),
                (ValueError, [(0, 1e39)]), (ValueError, [(0, -3.5e38)]),
                (TypeError, [(10 ** 400, 1)]), (ValueError, [(10 ** 40, 1)]),
                (ValueError, np.array([(0, 1), (2, 'inf')], 'f2'))):
            with self.assertRaisesRegex(exception, 'polygon 1'):
                make([SQUARE, polygon])
        with self.assertRaisesRegex(ValueError, r'1, at \(0.0, 1e\+39\)'):
            make([[(0, 0), (0, 1e39)]])

    def test_points_that_would_move_are_refused(self):
        """Integers tell how far single precision is off."""
        make = GstShapes.ShapeSet.from_polygons
        rng = np.random.default_rng(3)
        for bits in range(10, 40):
            for _ in range(40):
                # a coordinate of bits and six of its fraction
                x = int(rng.integers(1 << (bits + 5), 1 << (bits + 6)))
                x *= int(rng.choice((-1, 1)))
                step = 1 << max(0, abs(x).bit_length() - 24)
                off = min(x % step, step - x % step)
                given = [(0, 0), (x / 64, 1), (0, 3)]
                if off * 100 > 64:
                    with self.assertRaisesRegex(
                            ValueError, 'polygon 1 .* 1, at .*offset'):
                        make([SQUARE, given])
                else:
                    got = list(make([SQUARE, given]).contours())[1]
                    self.assertLessEqual(abs(got.points[1, 0] * 64 - x), .64)
        for dtype in ('i4', 'u4', 'i8', 'u8', 'f8', 'longdouble'):
            for x in (2 ** 24 + 1, 2 ** 24 + 3):
                polygon = np.array([(0, 0), (0, 2), (x, 1)], dtype)
                with self.assertRaisesRegex(ValueError, '1677721.*offset'):
                    make([polygon])
            make([polygon + np.array(1, dtype)])
        for polygon in ([(0, .5), (2 ** 53 + 1, 1), (3, 5)],
                        [(0, 0), (2 ** 63 + 1, 1), (3, 5)]):
            with self.assertRaisesRegex(ValueError, 'polygon 0'):
                make([polygon])
        flat = [0, 0, 2 ** 24 + 1.5, 0, 2 ** 24, 9]
        with self.assertRaisesRegex(ValueError, 'annotation 4: .*offset'):
            GstShapes.ShapeSet.from_coco([
                {'id': 4, 'image_id': 1, 'segmentation': [flat]}])
        with self.assertRaisesRegex(ValueError, 'mask 0 .*offset'):
            wide = np.zeros((1, 2, 2 ** 23 + 4), bool)
            wide[0, 0, -2] = True
            GstShapes.ShapeSet.from_masks(wide)

    def test_sizes_are_whole(self):
        make = GstShapes.ShapeSet
        shapes = make.from_polygons([SQUARE], 9, 9)
        for value in (10.9, np.float32(.5), fractions.Fraction(1, 3), np.nan,
                      np.inf, -1, np.int64(-4), np.ma.masked, '10',
                      decimal.Decimal('9.5')):
            for make_set in (
                    make, make.new, lambda w, h: make.from_polygons([], w, h),
                    lambda w, h: make.from_shapely([], w, h),
                    lambda w, h: make.from_cv([], None, w, h),
                    shapes.rescale, lambda w, h: shapes.transform(
                        GstShapes.ShapeAffine(), w, h)):
                for size in ((value, 4), (4, value)):
                    with self.assertRaises((ValueError, TypeError)):
                        make_set(*size)
            with self.assertRaisesRegex((ValueError, TypeError), 'width|int'):
                make(value, 4)
        for value in (10, 10., np.int64(10), np.float32(10), np.uint8(10)):
            self.assertEqual(make(value, value).get_width(), 10)

    def test_hulls_are_exact_or_refused(self):
        hull = GstShapes.convex_hull
        # the middle one is a vertex only if no bit is lost
        bend = np.array([(0, 0), (2, 1), (4, 0), (2, 4)], 'i8')
        for offset, dtype in ((2 ** 62, 'i8'), (-2 ** 63, 'i8'),
                              (2 ** 63 + 5, 'u8'), (2 ** 64 - 5, 'u8'),
                              (BIG - 1, 'i8')):
            points = np.array([[int(v) + offset for v in p] for p in bend],
                              dtype)
            got = hull(points)
            self.assertEqual(got.vertices.tolist(), [0, 2, 3])
            self.assertEqual(got.area, 8)
            self.assertEqual(got.bbox, tuple(
                float(offset + v) for v in (0, 0, 4, 4)))
            self.assertEqual(got.circle[0][0], float(offset + 2))
            if offset > -2 ** 63:
                points[1, 1] -= points.dtype.type(2)
                self.assertEqual(hull(points).vertices.tolist(), [0, 1, 2, 3])
        far = np.array([(0, 0), (BIG + 1, 1), (3, 5)], 'i8')
        both = np.array([(-2 ** 62, 0), (2 ** 62 + 1, 1), (3, 5)], 'i8')
        for points in (far, far.tolist(), both, far.astype('longdouble'),
                       [(0, .5), (BIG + 1, 1), (3, 5)],
                       [np.array(SQUARE, 'f8'), far]):
            if isinstance(points, np.ndarray) and points.dtype.kind == 'f' \
                    and np.finfo(points.dtype).nmant <= 52:
                continue          # long double is a double here
            with self.assertRaisesRegex(ValueError, '1.*double'):
                hull(points)
        masked = np.ma.array(far, mask=False)
        masked[1] = np.ma.masked
        self.assertEqual(hull(masked).vertices.tolist(), [0, 2])
        self.assertEqual(hull([(2 ** 63, 0), (-1, 0), (0, 1)]).vertices
                         .tolist(), [1, 0, 2])
        self.assertEqual(hull(far.astype('f8')).n_ignored, 0)

    def test_images_and_levels_are_not_rounded(self):
        image = np.full((4, 4), 2 ** 60, 'i8')
        image[1, 2] += 2 ** 10          # is a double
        self.assertEqual(len(GstShapes.find_contours(image, 2. ** 60 + 512)),
                         1)
        image[1, 2] += 1
        self.assertEqual(len(GstShapes.find_contours(
            np.ma.array(image, mask=image != 2 ** 60), 1)), 0)
        top = np.full((4, 4), 2 ** 63 - 1, 'i8')
        most = np.full((4, 4), 2 ** 64 - 1, 'u8')
        for given, place in ((image, r'\[1, 2\]'), (top, r'\[0, 0\]'),
                             (most, r'\[0, 0\]'), (-top, r'\[0, 0\]'),
                             ([[.5, 1], [BIG + 1, 2]], r'\[1, 0\]')):
            for find in (lambda i: GstShapes.find_contours(i, 5),
                         lambda i: GstShapes.find_bands(i, [0, 1])):
                with self.assertRaisesRegex(
                        ValueError, 'image%s is .*double' % place):
                    find(given)
        zeros = np.zeros((4, 4))
        for level in (BIG + 1, [BIG + 1], np.int64(BIG + 1), np.ma.masked):
            with self.assertRaisesRegex(ValueError, 'level'):
                GstShapes.find_contours(zeros, level)
        with self.assertRaisesRegex(ValueError, 'levels'):
            GstShapes.find_bands(zeros, [0, BIG + 1])


class Columns(unittest.TestCase):
    POLYGONS = [SQUARE] * 3

    def refuse(self, text, **columns):
        with self.assertRaisesRegex(ValueError, text):
            GstShapes.ShapeSet.from_polygons(self.POLYGONS, **columns)

    def test_numbers_that_do_not_fit_are_named(self):
        for name in ('class_ids', 'parents', 'region_ids', 'track_ids'):
            bits = 64 if name == 'track_ids' else 32
            for value, shown in (
                    (1.7, '1.7'), (np.nan, 'nan'), (np.inf, 'inf'),
                    (2 ** (bits - 1), str(2 ** (bits - 1))),
                    (-2 ** (bits - 1) - 1, str(-2 ** (bits - 1) - 1)),
                    (2 ** 80, str(2 ** 80)), ('2', "'2'"), (1j, '1j'),
                    (float(2 ** (bits - 1)), r'\d'), (1e300, r'1e\+300')):
                text = r'%s\[1\] is .*%s.*integer of %d bits' % (
                    name, shown, bits)
                self.refuse(text, **{name: [0, value, 0]})
                if isinstance(value, float):
                    self.refuse(text, **{name: np.array([0, value, 0])})
                self.refuse(text.replace('1', '0', 1), **{name: value})
        self.refuse(r'class_ids\[2\] is 18446744073709551615',
                    class_ids=np.array([0, 0, 2 ** 64 - 1], 'u8'))
        self.refuse(r'parents\[1\] is -2', parents=[0, -2, 0])

    def test_flags_and_levels_that_are_none_are_named(self):
        for name in ('closed', 'holes'):
            for value in (2, np.nan, 'yes', -1, .5):
                self.refuse(r'%s\[1\] is .*, not True or False' % name,
                            **{name: [True, value, False]})
        for value in (np.nan, np.inf, 'high', 1j):
            self.refuse(r'levels\[1\] is .*number',
                        levels=[1, value, 2])
        self.refuse('levels', levels=[1, 10 ** 400, 2])
        self.refuse('confidences.*number', confidences=['a', 0, 0])
        for value in (1e39, -1e39, 10 ** 39, np.float64(3.5e38)):
            self.refuse(r'confidences\[1\] is .*single precision',
                        confidences=[.5, value, None])
            with self.assertRaisesRegex(ValueError, r'confidences\[0\]'):
                GstShapes.ShapeSet.from_polygons([SQUARE])[0].annotate(
                    confidences=value)
            with self.assertRaisesRegex(ValueError, r'annotation 6: score'):
                GstShapes.ShapeSet.from_coco([{
                    'id': 6, 'image_id': 1, 'score': float(value),
                    'segmentation': [[0, 0, 4, 0, 4, 4]]}])
        for name in ('closed', 'class_ids', 'levels', 'track_ids'):
            self.refuse('%s: values of shape' % name, **{name: [0, 1]})

    def test_whole_numbers_of_every_type_are_taken(self):
        for values in ([1, None, 3], [1., 0, 3], np.array([1, 0, 3], 'u1'),
                       np.array([1, 0, 3], 'f4'), np.array([1, 0, 3], object),
                       [np.int8(1), np.bool_(False), np.float64(3)],
                       (1, False, 3)):
            shapes = GstShapes.ShapeSet.from_polygons(
                self.POLYGONS, class_ids=values, region_ids=values,
                track_ids=values, closed=np.array([1, 0, 1]),
                holes=[np.True_, 0, False], levels=values)
            self.assertEqual([c.class_id for c in shapes.contours()],
                             [1, 0, 3])
            self.assertEqual([(c.closed, c.hole) for c in shapes.contours()],
                             [(True, True), (False, False), (True, False)])
        edge = GstShapes.ShapeSet.from_polygons(
            self.POLYGONS, class_ids=[2 ** 31 - 1, -2 ** 31, 0],
            track_ids=[2 ** 63 - 1, 2 ** 53 + 1, None])
        self.assertEqual([c.class_id for c in edge.contours()],
                         [2 ** 31 - 1, -2 ** 31, 0])
        self.assertEqual([c.track_id for c in edge.contours()],
                         [2 ** 63 - 1, 2 ** 53 + 1, None])
        for scalar in (np.int64(4), np.array(4), 4., np.float32(4)):
            shapes = GstShapes.ShapeSet.from_polygons(
                self.POLYGONS, class_ids=scalar)
            self.assertEqual([c.class_id for c in shapes.contours()], [4] * 3)


class Extremes(unittest.TestCase):
    def test_measures_of_hulls_of_any_size(self):
        points = np.array([(0, 0), (4, 0), (4, 3), (0, 3), (1, 1)], 'f8')
        for exponent in (-1000, -520, -300, 0, 300, 520, 1000):
            size = 2. ** exponent
            hull = GstShapes.convex_hull(points * size)
            self.assertEqual(hull.vertices.tolist(), [0, 1, 2, 3])
            with np.errstate(all='ignore'):
                self.assertEqual(hull.area, 12 * np.square(size))
            self.assertEqual(hull.perimeter, 14 * size)
            self.assertEqual(hull.centroid, (2 * size, 1.5 * size))
            self.assertEqual(hull.bbox, (0, 0, 4 * size, 3 * size))
            self.assertEqual(hull.feret, (3 * size, 5 * size))
            self.assertEqual(hull.circle, (hull.centroid, 2.5 * size))
        far = GstShapes.convex_hull(1 + points * 2. ** -40)
        self.assertAlmostEqual(far.area / 12 * 2. ** 80, 1)
        for one in ([(1e300, -1e300)] * 3, [(0, 5e-324)]):
            hull = GstShapes.convex_hull(one)
            self.assertEqual((hull.area, hull.perimeter), (0, 0))
            self.assertEqual(hull.centroid, tuple(one[0]))


if __name__ == '__main__':
    unittest.main(verbosity=1)
