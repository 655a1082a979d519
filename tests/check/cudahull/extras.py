# SPDX-License-Identifier: LGPL-2.1-or-later
"""extras.py [partners]: ellipses, convexity defects, indices, annotations,
points of files and sizes of pixels.

Without an argument against slow, literal versions; with it against OpenCV and
SciPy on the photographs of the documentation (exit status 77 with neither)."""

import json
import math
import os
import sys
import tempfile
import unittest

SKIP = 77
IMAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      '../../../docs/images')

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

Gst, GstShapes, np = need('Gst', 'GstShapes', 'numpy')

PARTNERS = sys.argv[1:2] == ['partners']
cv2 = scipy = None
if PARTNERS:
    try:
        import cv2
    except ImportError as missing:
        print('without:', missing)
    try:
        from scipy.spatial import ConvexHull
        scipy = True
    except ImportError as missing:
        print('without:', missing)
    if not cv2 and not scipy:
        sys.exit(SKIP)


def collect(bus, errors):
    """Appends what errors and warnings say. Whether there was an error."""
    failed = False
    while True:
        message = bus.pop_filtered(Gst.MessageType.ERROR
                                   | Gst.MessageType.WARNING)
        if not message:
            return failed
        if message.type == Gst.MessageType.ERROR:
            failed = True
            errors.append(message.parse_error()[0].message)
        else:
            errors.append(message.parse_warning()[0].message)


def run(elements, buffers=(), caps=None):
    """The sets of the buffers that a pipeline makes, and its messages."""
    source = 'appsrc name=in ! ' if caps else ''
    pipeline = Gst.parse_launch(
        source + elements + ' ! appsink name=out sync=false')
    if caps:
        appsrc = pipeline.get_by_name('in')
        appsrc.set_property('caps', Gst.Caps.from_string(caps))
        appsrc.set_property('format', Gst.Format.TIME)
    appsink = pipeline.get_by_name('out')
    pipeline.set_state(Gst.State.PLAYING)
    for buffer in buffers:
        appsrc.emit('push-buffer', buffer)
    if caps:
        appsrc.emit('end-of-stream')
    sets, errors = [], []
    bus = pipeline.get_bus()
    failed = False
    while not failed:
        sample = appsink.emit('try-pull-sample', 20 * Gst.MSECOND)
        if sample:
            sets.append(GstShapes.buffer_get_shape_set(sample.get_buffer()))
        elif appsink.get_property('eos'):
            break
        failed = collect(bus, errors)
    collect(bus, errors)
    pipeline.set_state(Gst.State.NULL)
    return sets, errors


def gray(image):
    """A buffer of a gray picture, and its caps."""
    height, width = image.shape
    padded = np.zeros((height, (width + 3) // 4 * 4), np.uint8)
    padded[:, :width] = image
    return Gst.Buffer.new_wrapped(padded.tobytes()), (
        'video/x-raw,format=GRAY8,width=%d,height=%d,framerate=0/1'
        % (width, height))


def hulls_of(image, settings, contours='level=0.5'):
    buffer, caps = gray(image)
    sets, errors = run('cudacontours %s ! cudahull %s' % (contours, settings),
                       [buffer], caps)
    assert not errors, errors
    found = {c.id: c for c in sets[0].contours()}
    return [(hull, found.get(hull.parent)) for hull in sets[0].hulls()]


def blobs(seed, width=160, height=120):
    """Smooth noise, in which contours are far from convex."""
    random = np.random.default_rng(seed)
    coarse = random.random((height // 10 + 3, width // 10 + 3))
    y, x = np.mgrid[0:height, 0:width] / 10
    j, i = y.astype(int), x.astype(int)
    u, v = x - i, y - j
    smooth = ((coarse[j, i] * (1 - u) + coarse[j, i + 1] * u) * (1 - v)
              + (coarse[j + 1, i] * (1 - u) + coarse[j + 1, i + 1] * u) * v)
    return (smooth * 255).astype(np.uint8)


def photographs():
    """Names and gray pictures."""
    for name in ('llf-original.jpg', 'llf-coffee.jpg', 'circles-markers.jpg'):
        image = cv2.imread(os.path.join(IMAGES, name), cv2.IMREAD_GRAYSCALE)
        assert image is not None, name
        yield name, image
    yield 'blobs', blobs(99)


def literal_ellipse(points, eps=5e-7):
    """Area of the smallest ellipse, by Khachiyan's algorithm with line search
    in numpy, and its guaranteed relative error."""
    n = len(points)
    scale = np.ptp(points, axis=0)
    q = np.vstack([(points / scale).T, np.ones(n)])
    u = np.full(n, 1 / n)
    for _step in range(50000):
        kappa = np.einsum('in,ij,jn->n', q, np.linalg.inv(q * u @ q.T), q)
        j = kappa.argmax()
        if kappa[j] <= 3 * (1 + eps):
            break
        active = np.where(u > 1e-14, kappa, np.inf)
        k = active.argmin()
        if kappa[j] - 3 >= 3 - kappa[k]:
            step = (kappa[j] - 3) / (3 * (kappa[j] - 1))
            u *= 1 - step
            u[j] += step
        else:
            step = min((3 - kappa[k]) / (3 * (kappa[k] - 1))
                       if kappa[k] > 1 else np.inf, u[k] / (1 - u[k]))
            u *= 1 + step
            u[k] -= step
    centre = (q * u).sum(1)[:2]
    moment = (q[:2] * u) @ q[:2].T - np.outer(centre, centre)
    area = math.pi * 2 * math.sqrt(np.linalg.det(moment)) * scale.prod()
    return area, (kappa.max() / 3) ** 1.5 - 1


class Ellipses(unittest.TestCase):
    def check(self, points, ellipse):
        (x, y), (a, b), (ux, uy) = (ellipse.center, ellipse.axes,
                                    ellipse.direction)
        self.assertGreaterEqual(a, b)
        self.assertAlmostEqual(ux * ux + uy * uy, 1)
        p = points.astype('f8') - (x, y)
        along, across = p @ (ux, uy), p @ (-uy, ux)
        if b > 0:
            outside = (along / a) ** 2 + (across / b) ** 2
            self.assertLess(outside.max(), 1 + 1e-9)
            area, error = literal_ellipse(points.astype('f8'))
            self.assertLess(error, 1e-6)
            self.assertLess(abs(math.pi * a * b / area - 1), 2e-6)
        else:
            self.assertLess(np.abs(across).max(), 1e-9)
            self.assertAlmostEqual(np.abs(along).max(), a)

    def hulls(self, points, kind='float32'):
        data = points.astype(kind)
        sets, errors = run(
            'cudahull ellipse=true indices=true',
            [Gst.Buffer.new_wrapped(data.tobytes())],
            'other/tensors,format=static,num_tensors=1,types=%s,'
            'dimensions=2:%d:1:1,framerate=0/1' % (kind, len(points)))
        self.assertEqual(errors, [])
        return list(sets[0].hulls())

    def test_known_ones(self):
        square = np.array([(0, 0), (2, 0), (2, 2), (0, 2)])
        hull, = self.hulls(square)
        self.assertAlmostEqual(hull.ellipse.center[0], 1)
        self.assertAlmostEqual(hull.ellipse.axes[0], math.sqrt(2), 6)
        self.assertAlmostEqual(hull.ellipse.axes[1], math.sqrt(2), 6)
        # Steiner's, of a triangle: area 4 pi / (3 sqrt 3) times its area
        triangle = np.array([(0, 0), (7, 1), (3, 5)])
        hull, = self.hulls(triangle)
        a, b = hull.ellipse.axes
        self.assertAlmostEqual(
            math.pi * a * b / (16 * 4 * math.pi / (3 * math.sqrt(3))), 1, 6)
        for axis, centre in zip((0, 1), triangle.mean(0)):
            self.assertAlmostEqual(hull.ellipse.center[axis], centre, 5)
        # an affine image of a square's
        hull, = self.hulls(square * (10, 1))
        self.assertAlmostEqual(hull.ellipse.axes[0], 10 * math.sqrt(2), 5)
        self.assertAlmostEqual(hull.ellipse.angle, 0, 5)

    def test_degenerate_ones(self):
        hull, = self.hulls(np.array([(3, 4), (3, 4)]))
        self.assertEqual((hull.ellipse.center, hull.ellipse.axes),
                         ((3, 4), (0, 0)))
        hull, = self.hulls(np.array([(0, 0), (3, 4), (6, 8)]))
        self.assertEqual((hull.ellipse.center, hull.ellipse.axes),
                         ((3, 4), (5, 0)))
        self.assertAlmostEqual(hull.ellipse.angle, math.degrees(
            math.atan2(4, 3)))

    def test_random_points(self):
        random = np.random.default_rng(5)
        for case in range(45):
            n = random.integers(3, 60)
            points = random.normal(size=(n, 2)) * 10. ** random.uniform(
                -2, 3, 2) + random.normal(size=2) * 100
            if case % 3 == 1:
                angle = random.uniform(0, 7, n)
                points = np.stack([np.cos(angle), np.sin(angle)], 1) * (
                    50, random.uniform(1, 50))
            elif case % 3 == 2:
                points = np.round(points)
            points = points.astype('f4')
            for hull in self.hulls(points):
                self.check(hull.points, hull.ellipse)

    def test_contours(self):
        pairs = hulls_of(blobs(1), 'ellipse=true')
        self.assertGreater(len(pairs), 10)
        for hull, _contour in pairs:
            self.check(hull.points, hull.ellipse)


class Indices(unittest.TestCase):
    def test_each_is_its_point(self):
        for kind in ('float32', 'float64', 'int32'):
            points = (np.random.default_rng(2).normal(size=(500, 2)) * 1000)
            points = points.astype(kind)
            sets, errors = run(
                'cudahull indices=true',
                [Gst.Buffer.new_wrapped(points.tobytes())],
                'other/tensors,format=static,num_tensors=1,types=%s,'
                'dimensions=2:500:1:1,framerate=0/1' % kind)
            self.assertEqual(errors, [])
            hull, = sets[0].hulls()
            self.assertEqual(points[hull.indices].astype('f4').tolist(),
                             hull.points.tolist())
            if scipy:
                vertices = ConvexHull(points).vertices
                start = list(vertices).index(hull.indices[0])
                # clockwise on the screen: counter-clockwise in SciPy's axes
                self.assertEqual(np.roll(vertices, -start).tolist(),
                                 hull.indices[:-1].tolist())

    def test_of_contours_they_count_from_each(self):
        pairs = hulls_of(blobs(2), 'indices=true')
        self.assertGreater(len(pairs), 10)
        for hull, contour in pairs:
            self.assertEqual(contour.points[hull.indices].tolist(),
                             hull.points.tolist())

    def test_without_them_there_are_none(self):
        for hull, _contour in hulls_of(blobs(2), ''):
            self.assertEqual((hull.indices, hull.ellipse, hull.defects),
                             (None, None, None))


def literal_defects(points, indices):
    """From the definition, with no index arithmetic of the product's."""
    points = points.astype('f8')
    n = len(points) - (len(points) > 1 and (points[0] == points[-1]).all())
    vertices = sorted(set(indices))
    found = []
    if len(vertices) < 3:
        return found
    for k, start in enumerate(vertices):
        end = vertices[(k + 1) % len(vertices)]
        between = [i % n for i in range(start + 1,
                                        end if end > start else end + n)]
        a, b = points[start], points[end]
        side = (b - a) / math.hypot(*(b - a))
        depths = [abs(side[0] * (points[i] - a)[1]
                      - side[1] * (points[i] - a)[0]) for i in between]
        if depths and max(depths) > 0:
            found.append((tuple(a), tuple(b),
                          tuple(points[between[int(np.argmax(depths))]]),
                          max(depths)))
    return found


def directed_edges(hull):
    """The hull's edges, in both directions."""
    corners = list(map(tuple, hull.points.tolist()))
    return set(zip(corners, corners[1:])) | set(zip(corners[1:], corners))


class Defects(unittest.TestCase):
    def test_they_are_those_of_the_definition(self):
        total = crossing = 0
        for seed in range(6):
            for hull, contour in hulls_of(blobs(seed),
                                          'defects=true indices=true'):
                want = literal_defects(contour.points, hull.indices)
                if not {w[:2] for w in want} <= directed_edges(hull):
                    # it passes the vertices in another order than the hull:
                    # the line that closes it crosses it
                    self.assertFalse(contour.closed)
                    want = []
                    crossing += 1
                # equal depths: several points are the farthest
                want = [w for w in want if w[3] > 1e-6]
                got = [d for d in hull.defects if d.depth > 1e-6]
                self.assertEqual([(d.start, d.end) for d in got],
                                 [w[:2] for w in want])
                for d, w in zip(got, want):
                    self.assertAlmostEqual(d.depth, w[3], 9)
                total += len(got)
        self.assertGreater(total, 300)
        self.assertLess(crossing, 30)

    def test_they_lie_between_the_ends_of_the_hull_s_edges(self):
        """Also of contours that touch themselves at the hull's vertices."""
        total = 0
        for seed in range(40):
            image = np.random.default_rng(seed).integers(0, 4, (12, 17))
            for orientation in ('low', 'high'):
                for hull, _contour in hulls_of(
                        image.astype(np.uint8), 'defects=true',
                        'level-unit=sample level=1 close-at-border=true '
                        'positive-orientation=' + orientation):
                    edges = directed_edges(hull)
                    for defect in hull.defects:
                        self.assertIn((defect.start, defect.end), edges)
                        total += 1
        self.assertGreater(total, 1000)

    def test_a_vertex_that_is_passed_twice(self):
        """A square's corner, before and after the one that precedes it."""
        ring = [(0, 10), (2, 5), (0, 0), (4, 5), (10, 10), (8, 4), (10, 0),
                (9, 5), (10, 10), (5, 9)]
        pieces = [(0, 1, 2, 2), (2, 4, 6, 10), (6, 7, 8, 1), (8, 9, 0, 1)]
        n = len(ring)
        for turn in range(n):
            for back in False, True:
                def place(i):
                    return (n - 1 - i if back else i) - turn
                given = [None] * n
                for i, point in enumerate(ring):
                    given[place(i) % n] = point
                want = sorted(
                    (place(b if back else a) % n, ring[b if back else a],
                     ring[a if back else b], ring[far], depth)
                    for a, far, b, depth in pieces)
                shapes = GstShapes.ShapeSet.from_polygons([given], 16, 16)
                buffer = Gst.Buffer.new_wrapped(bytes(16 * 16))
                GstShapes.buffer_add_shape_meta(buffer, shapes)
                sets, errors = run(
                    'cudahull defects=true', [buffer],
                    'video/x-raw,format=GRAY8,width=16,height=16,'
                    'framerate=0/1')
                self.assertEqual(errors, [])
                hull, = sets[0].hulls()
                self.assertEqual(
                    [(d.start, d.end, d.farthest, round(d.depth, 6))
                     for d in hull.defects], [w[1:] for w in want])

    def test_shallow_ones_are_left_out(self):
        every = hulls_of(blobs(3), 'defects=true')
        deep = hulls_of(blobs(3), 'defects=true defect-min-depth=2')
        for (hull, _c), (other, _d) in zip(every, deep):
            self.assertEqual([d.depth for d in hull.defects if d.depth >= 2],
                             [d.depth for d in other.defects])

    def test_contours_may_be_replaced(self):
        kept = hulls_of(blobs(3), 'defects=true')
        replaced = hulls_of(blobs(3), 'defects=true replace=true')
        self.assertEqual([[d.farthest for d in hull.defects]
                          for hull, _c in kept],
                         [[d.farthest for d in hull.defects]
                          for hull, _c in replaced])

    def test_other_scopes_say_why_there_are_none(self):
        buffer, caps = gray(blobs(3))
        for settings in ('scope=all', 'scope=per-class', 'source=mask'):
            sets, messages = run('cudacontours ! cudahull defects=true '
                                 + settings, [buffer] * 2, caps)
            self.assertEqual(len(messages), 1)
            self.assertIn('scope=per-contour', messages[0])
            self.assertTrue(all(hull.defects is None
                                for hull in sets[0].hulls()))

    @unittest.skipUnless(cv2, 'without OpenCV')
    def test_they_are_opencv_s(self):
        contours = compared = touching = unequal = 0
        for name, image in photographs():
            for hull, contour in hulls_of(image, 'defects=true indices=true',
                                          'level=0.5 min-area=200'):
                if not contour.closed:
                    continue
                contours += 1
                # OpenCV's are of integer points: a grid of 1/8 pixel
                grid = np.round(contour.points[:-1] * 8).astype('i4')
                vertices = cv2.convexHull(grid, returnPoints=False)
                try:
                    want = cv2.convexityDefects(
                        grid, np.sort(vertices, axis=0)[::-1])
                except cv2.error as error:
                    self.assertIn('not monotonous', str(error))
                    touching += 1   # on the grid it touches itself
                    continue
                want = [] if want is None else want[:, 0]
                deep = sorted(d.depth for d in hull.defects if d.depth > 1)
                cv = sorted(w[3] / 256 / 8 for w in want)
                cv = [w for w in cv if w > 1]
                # a defect of about 1 may be on either side
                if len(deep) != len(cv):
                    deep = [d for d in deep if d > 1.5]
                    cv = [w for w in cv if w > 1.5]
                if len(deep) != len(cv):
                    unequal += 1
                    continue
                for d, w in zip(deep, cv):
                    self.assertLess(abs(d - w), .25, (name, hull))
                    compared += 1
        print(compared, 'defects of', contours, 'contours compared;',
              touching, 'contours touch themselves on the grid,', unequal,
              'have another number of defects there')
        self.assertGreater(compared, 50)
        self.assertLessEqual(touching + unequal, 1 + contours // 20)

    @unittest.skipUnless(cv2, 'without OpenCV')
    def test_they_are_opencv_s_on_a_grid(self):
        """Polygons of integers, where OpenCV is exact but for depth / 256."""
        random = np.random.default_rng(8)
        compared = collinear = 0
        for _case in range(60):
            angles = np.sort(random.uniform(0, 2 * math.pi, 40))
            radii = random.uniform(30, 200, 40)
            polygon = np.round(np.stack([np.cos(angles), np.sin(angles)], 1)
                               * radii[:, None] + 250).astype('i4')
            polygon = polygon[np.r_[True, (np.diff(polygon, axis=0) != 0)
                                    .any(1)]]
            if (polygon[0] == polygon[-1]).all():
                polygon = polygon[:-1]
            shapes = GstShapes.ShapeSet.from_polygons([polygon], 500, 500)
            buffer = Gst.Buffer.new_wrapped(bytes(500 * 500))
            GstShapes.buffer_add_shape_meta(buffer, shapes)
            sets, errors = run('cudahull defects=true', [buffer],
                               'video/x-raw,format=GRAY8,width=500,height=500,'
                               'framerate=0/1')
            self.assertEqual(errors, [])
            hull, = sets[0].hulls()
            vertices = np.sort(cv2.convexHull(polygon, returnPoints=False),
                               axis=0)
            want = cv2.convexityDefects(polygon, vertices)
            want = sorted((tuple(polygon[s]), tuple(polygon[e]), w / 256)
                          for s, e, _f, w in want[:, 0])
            got = sorted((d.start, d.end, d.depth) for d in hull.defects)
            # OpenCV keeps vertices of the hull that are collinear
            if [w[:2] for w in want] != [g[:2] for g in got]:
                self.assertGreater(len(vertices), len(hull.points) - 1)
                collinear += 1
                continue
            for g, w in zip(got, want):
                self.assertLess(abs(g[2] - w[2]), 1 / 256)
                compared += 1
        print(compared, 'defects of polygons compared;', collinear,
              'polygons have vertices in a line')
        self.assertGreater(compared, 400)
        self.assertLessEqual(collinear, 6)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, 'points.csv')

    def tearDown(self):
        self.folder.cleanup()

    def hull(self, text, settings=''):
        with open(self.path, 'wb') as file:
            file.write(text.encode())
        buffer, caps = gray(np.zeros((48, 64), np.uint8))
        return run('cudahull location=%s indices=true %s'
                   % (self.path, settings), [buffer], caps)

    def test_formats(self):
        square = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]
        for text in ('0,0\n4,0\n2,2\n4,4\n0,4\n',
                     'x,y\n0,0\n4,0\n\n# a comment\n2,2\n4,4\n0,4',
                     '0;0\r\n4;0\r\n2;2\r\n4;4\r\n0;4\r\n',
                     '0 0\n4\t0\n 2  2\n4.0 4e0\n0 4 7 eight\n',
                     '\n0 , 0, name\n4,0\n2,2\n4,4\n0,4\n'):
            for settings in ('', 'source=points'):
                sets, errors = self.hull(text, settings)
                self.assertEqual(errors, [])
                hull, = sets[0].hulls()
                self.assertEqual(hull.points.tolist(), square, text)
                self.assertEqual(list(hull.indices), [0, 1, 3, 4, 0])
                self.assertEqual((sets[0].get_width(), sets[0].get_height()),
                                 (64, 48))

    def test_mistakes_name_file_and_line(self):
        for text, words in (
                ('1,2\n3\n', 'line 2'), ('x,y\n1,2\nx,y\n', 'line 3'),
                ('1,2\n\n#\n1,a\n', 'line 4'), ('1,2x\n', 'line 1'),
                ('1,2\n\0', 'zero byte')):
            sets, errors = self.hull(text)
            self.assertEqual((sets, len(errors)), ([], 1), text)
            self.assertIn(words, errors[0])
            self.assertIn('points.csv', errors[0])

    def test_only_files(self):
        buffer, caps = gray(np.zeros((48, 64), np.uint8))
        for path in ('/dev/zero', self.folder.name, self.path + '.missing'):
            sets, errors = run('cudahull location=' + path, [buffer], caps)
            self.assertEqual((sets, len(errors)), ([], 1))
            self.assertIn(path, errors[0])

    def test_no_points_no_hull(self):
        sets, errors = self.hull('x,y\n')
        self.assertEqual((errors, list(sets[0].hulls())), ([], []))


class Annotations(unittest.TestCase):
    """What is known of a contour holds for its hull."""

    SHAPES = ('{"version":1,"width":64,"height":48,"shapes":[%s]}\n')
    CONTOUR = ('{"id":%d,"kind":"contour","class":%d,%s"closed":true,'
               '"parent":null,"points":[[%d,1],[%d,1],[%d,9]]}')
    KNOWN = ('"class-name":"pear","confidence":0.5,"track-id":5,'
             '"region-id":2,')

    def run_json(self, shapes, settings):
        text = self.SHAPES % ','.join(shapes)
        sets, errors = run('shapejsondec ! cudahull ' + settings, [
            Gst.Buffer.new_wrapped(text.encode())],
            'application/x-ndjson')
        self.assertEqual([e for e in errors if 'NaN' not in e], [])
        return sets[0]

    def contour(self, number, class_id, known, x):
        return self.CONTOUR % (number, class_id, known, x, x + 8, x + 8)

    def known_of(self, hull):
        return (hull.class_id, hull.class_name, hull.confidence,
                hull.track_id, hull.region_id)

    def shapes(self):
        return [self.contour(3, 1, self.KNOWN, 0),
                self.contour(4, 7, '', 10),
                self.contour(5, 1, '"class-name":"pear","track-id":0,', 30)]

    def test_hulls_of_contours(self):
        for settings in ('', 'replace=true', 'ellipse=true indices=true'):
            found = self.run_json(self.shapes(), settings)
            self.assertEqual(
                [self.known_of(hull) for hull in found.hulls()],
                [(1, 'pear', .5, 5, 2), (7, None, None, None, None),
                 (1, 'pear', None, 0, None)], settings)

    def test_hulls_of_one_object_are_one(self):
        found = self.run_json([
            self.contour(3, 1, '"track-id":5,"region-id":2,', 0),
            self.contour(4, 1, '"track-id":5,', 20),
            self.contour(5, 1, '"region-id":2,', 40)], 'replace=true')
        for group_by, expected in (
                (GstShapes.ShapeCocoGroup.NONE, 3),
                (GstShapes.ShapeCocoGroup.TRACK, 2),
                (GstShapes.ShapeCocoGroup.REGION, 2)):
            document = json.loads(found.to_coco_full(
                'a', GstShapes.ShapeCocoSegmentation.POLYGONS, group_by))
            self.assertEqual(len(document['annotations']), expected)

    def test_hulls_of_several_contours(self):
        """Of a class its name; of nothing else is it known whose it is."""
        for scope, expected in (
                ('per-class', [(1, 'pear'), (7, None)]), ('all', [(0, None)])):
            found = self.run_json([
                self.contour(2, 0, '"class-name":"leaf","track-id":1,', 50)]
                * (scope == 'all') + self.shapes(), 'scope=' + scope)
            self.assertEqual(
                [self.known_of(hull) for hull in found.hulls()],
                [(*one, None, None, None) for one in expected])

    def test_contours_without_a_hull(self):
        """The next one's annotations are not the first one's."""
        nowhere = self.contour(2, 1, '"region-id":9,', 0).replace(
            '[[0,1],[8,1],[8,9]]', '[[null,1],[null,1]]')
        sets = self.run_json([nowhere, *self.shapes()], 'replace=true')
        self.assertEqual([hull.region_id for hull in sets.hulls()],
                         [2, None, None])

    def test_contours_beside_hulls(self):
        """In a layer that has both, contours are gathered first."""
        made = GstShapes.ShapeSet.new(64, 48)
        made.add_layer(GstShapes.ShapeSet.from_polygons(
            [[(0, 0), (8, 0), (8, 8)]] * 3, region_ids=[7, 8, 9])[0])
        text = made.to_json().replace('"kind":"contour"', '"kind":"hull"', 1)
        sets, errors = run('shapejsondec ! cudahull replace=true', [
            Gst.Buffer.new_wrapped(text.encode())], 'application/x-ndjson')
        self.assertEqual(errors, [])
        found = [hull.region_id for hull in list(sets[0].hulls())[-2:]]
        self.assertEqual(found, [8, 9])

    def test_labels_reach_consumers(self):
        path = os.path.join(tempfile.mkdtemp(), 'labels.txt')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('apple\npear\n')
        buffer = Gst.Buffer.new_wrapped(np.pad(np.ones(
            (2, 8, 8), np.float32) * 9, ((0, 0), (4, 4), (4, 4))).tobytes())
        sets, errors = run(
            'cudacontours level=0.5 labels-location=%s ! '
            'cudahull replace=true' % path,
            [buffer], 'other/tensors,format=static,num_tensors=1,'
            'types=float32,dimensions=16:16:2:1,framerate=0/1')
        self.assertEqual(errors, [])
        self.assertEqual([hull.class_name for hull in sets[0].hulls()],
                         ['apple', 'pear'])
        self.assertIn('"name":"pear"', sets[0].to_coco('a.png'))
        self.assertIn('"class-name":"pear"', sets[0].to_geojson())


class PixelSizes(unittest.TestCase):
    def test_both_elements_take_it(self):
        buffer, caps = gray(blobs(4))
        for elements, size in (
                ('cudacontours pixel-size=0.25 ! cudahull measures=full',
                 (.25, .25)),
                ('cudacontours pixel-size=0.25,0.5 ! cudahull measures=full',
                 (.25, .5)),
                ('cudacontours ! cudahull measures=full pixel-size=0.1',
                 (.1, .1)),
                ('cudacontours pixel-size=1 ! cudahull measures=full '
                 'pixel-size=0.1 replace=true', (.1, .1))):
            sets, errors = run(elements, [buffer], caps)
            self.assertEqual((errors, sets[0].pixel_size), ([], size))
            for hull in sets[0].hulls():
                self.assertAlmostEqual(hull.metric.area,
                                       hull.area * size[0] * size[1])
                if size[0] == size[1]:
                    self.assertEqual(
                        (hull.metric.feret_min, hull.metric.feret_max),
                        tuple(size[0] * f for f in hull.hull_measures.feret))

    def test_mistakes_are_named(self):
        buffer, caps = gray(blobs(4))
        for element in ('cudacontours', 'cudacontours ! cudahull'):
            for size in ('x', '0', '-1', '1,', '1,2,3', '1;2', 'nan', 'inf'):
                _sets, errors = run('%s pixel-size="%s"' % (element, size),
                                    [buffer], caps)
                self.assertIn('pixel-size', errors[0])
                self.assertEqual(sum('pixel-size' in e for e in errors), 1)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=1)
