# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays on a GPU: the CPU's bits, where they are, and in the order of streams."""

import copy
import gc
import os
import pickle
import sys
import unittest
import unittest.mock
import warnings

import numpy as np

import cudashapes

try:
    import cupy
    if not cupy.cuda.is_available():
        raise ImportError('no GPU')
except ImportError as missing:
    print('skipped:', missing)
    sys.exit(77)
try:
    import torch
except ImportError:
    torch = None

# Writes when it may go, or so many cycles of the clock are over.
SPIN = cupy.RawKernel(r'''
extern "C" __global__ void
spin (float *to, const float *from, const volatile int *go, long long cycles,
    int n)
{
  const long long until = clock64 () + cycles;

  while (clock64 () < until && !*go);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    to[i] = from[i];
}''', 'spin')
LATE = 600_000_000                  # some tenths of a second


class Gate:
    """What a kernel waits for, some seconds at most."""

    def __init__(self):
        self.memory = cupy.cuda.alloc_pinned_memory(4)
        self.go = np.frombuffer(self.memory, np.int32, 1)
        self.go[0] = 0

    def open(self):
        self.go[0] = 1


SHUT = Gate()


def write_late(to, what, gate=None):
    """On the current stream: when gate is open, or late."""
    cycles = 20 * LATE if gate else LATE
    SPIN((1,), (256,), (to, what, np.uint64((gate or SHUT).memory.ptr),
                        np.int64(cycles), np.int32(what.size)))


class Interface:
    """An array that has only __cuda_array_interface__."""

    def __init__(self, array, stream=Ellipsis, version=3):
        self.array = array
        self.__cuda_array_interface__ = dict(array.__cuda_array_interface__,
                                             version=version)
        del self.__cuda_array_interface__['stream']
        if stream is not Ellipsis:
            self.__cuda_array_interface__['stream'] = stream


class Capsules:
    """An array that has only DLPack, as libraries had it first."""

    def __init__(self, array):
        self.array = array

    @property
    def shape(self):
        return self.array.shape

    def __dlpack__(self, *, stream=None):
        return self.array.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def host(array):
    if isinstance(array, cupy.ndarray):
        return cupy.asnumpy(array)
    if torch and isinstance(array, torch.Tensor):
        return array.cpu().numpy()
    if isinstance(array, cudashapes.Array):
        return np.asarray(array.copy_to_host())
    return array


def picture(shape=(97, 131), dtype='f4', seed=1):
    return (np.random.default_rng(seed).random(shape) * 200).astype(dtype)


def to_torch(array):
    return torch.from_numpy(array).cuda()


LIBRARIES = [('cupy', cupy.asarray, cupy.ndarray)]
if torch:
    LIBRARIES.append(('torch', to_torch, torch.Tensor))
OTHERS = [('interface', lambda a: Interface(cupy.asarray(a), 1)),
          ('capsules', lambda a: Capsules(cupy.asarray(a)))]
MAKERS = [library[:2] for library in LIBRARIES] + OTHERS


class Case(unittest.TestCase):
    def assert_same(self, got, want):
        self.assertEqual(len(got), len(want))
        for a, b in zip(got, want):
            if isinstance(b, list):
                self.assert_same(a, b)
                continue
            a = host(a)
            self.assertEqual((a.shape, a.dtype), (b.shape, b.dtype))
            self.assertEqual(np.ascontiguousarray(a).tobytes(),
                             np.ascontiguousarray(b).tobytes())


class Contours(Case):
    def both(self, image, *args, make=cupy.asarray, **kwargs):
        on_device = dict(kwargs)
        if 'mask' in kwargs:
            on_device['mask'] = make(kwargs['mask'])
        got = cudashapes.find_contours(make(image), *args, **on_device)
        want = cudashapes.find_contours(image, *args, backend='cpu', **kwargs)
        self.assert_same(got, want)
        return got

    def test_all_types_and_libraries_have_the_cpus_bits(self):
        for dtype in ('f4', 'f8', 'f2', 'u1', 'u2', '?'):
            image = picture(dtype=dtype) if dtype != '?' else picture() > 100
            for name, make, kind in LIBRARIES:
                if name == 'torch' and dtype == 'u2':
                    continue
                with self.subTest(dtype=dtype, library=name):
                    level = .5 if dtype == '?' else 100.
                    got = self.both(image, level, make=make)
                    self.assertIsInstance(got[0], kind)
                    self.assertIsInstance(got.points, kind)
                    self.assertIsInstance(got.offsets, kind)
                    self.assertEqual(got.device, 'cuda:0')
                    self.both(image, make=make)
                    self.both(image, level, as_xy=True, make=make)
                    self.both(image, level, 'high', 'high', make=make)
                    self.both(image, level, dtype='float32', make=make)
                    self.both(image, level, mask=picture(seed=2) > 50,
                              make=make)
                    self.both(image, mask=picture(seed=2) > 50, make=make)

    def test_libraries_without_from_dlpack_get_arrays_of_ours(self):
        image = picture()
        for name, make in OTHERS:
            with self.subTest(name):
                got = self.both(image, 100., make=make)
                self.assertIsInstance(got[0], cudashapes.Array)
                self.assertEqual(got[0].device, 'cuda:0')
                self.assertEqual(got[0].shape, host(got[0]).shape)
                taken = cupy.asarray(got[0])
                self.assertEqual(cupy.asnumpy(taken).tobytes(),
                                 host(got[0]).tobytes())
                self.both(image, 100., as_xy=True, make=make)
                with self.assertRaisesRegex(BufferError, 'copy_to_host'):
                    memoryview(got[0])

    def test_random_images_have_the_cpus_bits(self):
        rng = np.random.default_rng(7)
        for i in range(300):
            shape = rng.integers(2, 80, 2)
            image = rng.integers(0, 4, shape).astype('f4') if i % 2 else \
                rng.standard_normal(shape).astype('f8')
            if i % 3 == 0:
                image[rng.random(shape) < .05] = np.nan
            self.both(image, float(rng.choice([0, .5, 1, 2])),
                      str(rng.choice(['low', 'high'])))

    def test_views_are_read_in_place_or_made_contiguous(self):
        image = picture((60, 80))
        for take in (lambda a: a[::2, ::3], lambda a: a[5:, 7:],
                     lambda a: a.T, lambda a: a[::-1], lambda a: a[:, ::-1]):
            got = cudashapes.find_contours(take(cupy.asarray(image)), 100.)
            self.assert_same(got, cudashapes.find_contours(
                take(image), 100., backend='cpu'))
        if torch:
            self.both(image.T.copy(), 100., make=lambda a: to_torch(
                np.ascontiguousarray(a.T)).T)
        with self.assertRaisesRegex(ValueError, 'contiguous'):
            cudashapes.find_contours(Interface(cupy.asarray(image).T, 1), 100.)

    def test_channels_are_lists(self):
        planes = picture((40, 50, 5))
        for axis in (0, 1, 2, -1):
            image = np.ascontiguousarray(np.moveaxis(planes, 2, axis))
            for level in (100., [20., 50., 100., 150., 190.], None):
                got = self.both(image, level, channel_axis=axis)
                want = cudashapes.find_contours(image, level, backend='cpu',
                                                channel_axis=axis)
                for part, contours in zip(got, want):
                    self.assertEqual(part.points.shape[0],
                                     sum(map(len, contours)))
                    self.assertEqual(cupy.asnumpy(part.offsets).tolist(), list(
                        np.cumsum([0, *map(len, contours)])))
                got = cudashapes.find_contours(Interface(cupy.asarray(image),
                                                         1), level,
                                               channel_axis=axis)
                self.assert_same(got, want)
                for part, contours in zip(got, want):
                    self.assertEqual(host(part.points).shape[0],
                                     sum(map(len, contours)))
                    self.assertEqual(host(part.offsets)[-1],
                                     sum(map(len, contours)))

    def test_masked_samples_count_for_the_level(self):
        planes = picture((30, 40, 3))
        planes[..., 1] = 7
        planes[3, 4, 2] = np.inf
        mask = picture((30, 40), seed=2) > 50
        self.both(planes, channel_axis=2, mask=mask)
        for i in range(3):
            self.both(planes[..., i].copy(), mask=mask)

    def test_an_image_without_contours_has_empty_arrays(self):
        got = cudashapes.find_contours(cupy.zeros((5, 6), 'f4'), .5)
        self.assertEqual((len(got), got.points.shape, got[:]),
                         (0, (0, 2), []))
        self.assertEqual(got.offsets.tolist(), [0])
        with self.assertRaises(IndexError):
            got[0]

    def test_it_is_a_sequence(self):
        got = cudashapes.find_contours(cupy.asarray(picture()), 100.)
        self.assertEqual(len(list(got)), len(got))
        self.assertEqual(got[-1].tolist(), got[len(got) - 1].tolist())
        self.assertEqual([a.shape for a in got[2:5]],
                         [got[i].shape for i in (2, 3, 4)])
        self.assertIn('contours on cuda:0', repr(got))

    def test_contours_are_found_by_their_points(self):
        image = picture((40, 50, 3))
        for name, make in MAKERS:
            for axis in (None, 2):
                given = image if axis else image[..., 0].copy()
                got = cudashapes.find_contours(make(given), 100.,
                                               channel_axis=axis)
                with self.subTest(name, axis=axis):
                    for part in got if axis else [got]:
                        self.find_all(part)
                    if axis:
                        self.assertNotIn(got[1][0], got[0])

    def find_all(self, got):
        self.assertEqual([got.index(contour) for contour in got],
                         list(range(len(got))))
        self.assertEqual([got.index(host(contour)) for contour in got[:3]],
                         [0, 1, 2])
        self.assertEqual((got.count(got[1]), got.count(host(got[1]) + 1)),
                         (1, 0))
        self.assertIn(got[-1], got)
        for other in (host(got[0]) + 1, host(got[0])[:-1], host(got[0])[0],
                      None, 7, 'contour'):
            self.assertNotIn(other, got)
        self.assertEqual(got.index(got[2], 1, 3), 2)
        with self.assertRaises(ValueError):
            got.index(got[2], 3)

    def test_contours_and_hulls_are_pickled(self):
        image = picture((40, 50, 3))
        for name, make in MAKERS:
            for kwargs in (dict(), dict(as_xy=True, dtype='float32')):
                with self.subTest(name, **kwargs):
                    got = cudashapes.find_contours(
                        make(image), 100., channel_axis=2, **kwargs)
                    want = cudashapes.find_contours(
                        image, 100., channel_axis=2, backend='cpu', **kwargs)
                    again = pickle.loads(pickle.dumps(got))
                    self.assert_same(again, want)
                    self.assert_same(copy.deepcopy(got[1]), want[1])
                    self.assertIs(copy.copy(got[1]), got[1])
                    self.assertEqual(again[1].device, 'cuda:0')
                    self.assertIs(type(again[1].points), type(got[1].points))
                    self.assertEqual(host(again[1].offsets).tolist(),
                                     host(got[1].offsets).tolist())
        image = cupy.asarray(image[..., 0] / np.float32(200))
        stats = [cudashapes.region_stats(image, part)
                 for part in (got[1], again[1])]
        np.testing.assert_array_equal(stats[0].mean, stats[1].mean)
        array = pickle.loads(pickle.dumps(got[0][0]))
        self.assertEqual((array.device, host(array).tolist()),
                         ('cuda:0', want[0][0].tolist()))
        for name, make, kind in LIBRARIES:
            hull = cudashapes.convex_hull(make(picture((99, 2))))
            again = pickle.loads(pickle.dumps(hull))
            self.assertIsInstance(again.vertices, kind)
            self.assertEqual((again.area, again.rect, again.n_ignored),
                             (hull.area, hull.rect, hull.n_ignored))
            self.assertEqual(again.simplices.tolist(), hull.simplices.tolist())
            self.assertEqual(host(again.points).tolist(),
                             host(hull.points).tolist())

    def test_bands_have_the_cpus_bits(self):
        image = picture()
        for name, make, kind in LIBRARIES:
            got = cudashapes.find_bands(make(image), [20, 100, 150])
            self.assert_same(got, cudashapes.find_bands(
                image, [20, 100, 150], backend='cpu'))
            self.assertIsInstance(got[0][0][0], kind)

    def test_scikit_images_own_tests_pass(self):
        try:
            import pytest
            from skimage import measure
        except ImportError as error:
            self.skipTest(str(error))
        tests = os.path.join(os.environ.get(
            'SKIMAGE_TESTS', os.path.join(os.path.dirname(measure.__file__),
                                          'tests')), 'test_find_contours.py')
        if not os.path.exists(tests):
            self.skipTest('this scikit-image comes without its tests')

        def find(image, *args, **kwargs):
            if isinstance(image, np.ndarray) and image.dtype.name in (
                    'float16', 'float32', 'float64', 'uint8', 'uint16',
                    'bool'):
                image = cupy.asarray(image)
                taken.append(image.shape)
            found = cudashapes.find_contours(image, *args, **kwargs)
            return [host(contour) for contour in found]

        taken = []
        with unittest.mock.patch.object(measure, 'find_contours', find):
            self.assertEqual(pytest.main(['-q', '-p', 'no:cacheprovider',
                                          tests]), 0)
        self.assertGreater(len(taken), 5)


class Rest(Case):
    def test_hulls_have_the_cpus_bits(self):
        rng = np.random.default_rng(3)
        for dtype in ('f4', 'f8', 'i4'):
            for n in (1, 2, 3, 100, 5000, 200000):
                points = (rng.standard_normal((n, 2)) * 1000).astype(dtype)
                for name, make, kind in LIBRARIES:
                    for collinear in (False, True):
                        got = cudashapes.convex_hull(
                            make(points), include_collinear=collinear)
                        want = cudashapes.convex_hull(
                            points, include_collinear=collinear, backend='cpu')
                        self.assertIsInstance(got.vertices, kind)
                        self.assertEqual(host(got.vertices).tolist(),
                                         want.vertices.tolist())
                        self.assertEqual(got.simplices.tolist(),
                                         want.simplices.tolist())
                        for measure in ('area', 'perimeter', 'centroid',
                                        'bbox', 'feret', 'rect', 'circle',
                                        'feret_directions', 'n_ignored'):
                            self.assertEqual(getattr(got, measure),
                                             getattr(want, measure), measure)

    def test_extreme_hulls_have_measures(self):
        square = np.array([(0, 0), (1, 0), (1, 1), (0, 1.)])
        for scale in (1e300, 1e-300, 1e160):
            got = cudashapes.convex_hull(cupy.asarray(square * scale))
            want = cudashapes.convex_hull(square * scale, backend='cpu')
            self.assertEqual((got.area, got.perimeter, got.feret),
                             (want.area, want.perimeter, want.feret))
        points = np.array([(0, 0), (np.nan, 1), (1, 0), (0, 1)])
        got = cudashapes.convex_hull(cupy.asarray(points))
        self.assertEqual((got.n_ignored, got.area), (1, .5))
        for points in (np.full((3, 2), np.nan), np.zeros((0, 2))):
            with self.assertRaisesRegex(ValueError, 'no finite point'):
                cudashapes.convex_hull(cupy.asarray(points))

    def test_filtered_pictures_differ_by_a_code_at_most(self):
        for shape, dtype, largest in (
                ((64, 80), 'u1', 1), ((64, 80), 'u2', 1),
                ((64, 80), 'f4', 1e-4), ((64, 80, 3), 'u1', 1),
                ((64, 80, 4), 'u1', 1)):
            image = np.random.default_rng(5).random(shape)
            image = image.astype('f4') if dtype == 'f4' else \
                (image * np.iinfo(dtype).max).astype(dtype)
            want = cudashapes.local_laplacian(image, backend='cpu')
            for name, make, kind in LIBRARIES:
                if name == 'torch' and dtype == 'u2':
                    continue
                got = cudashapes.local_laplacian(make(image))
                self.assertIsInstance(got, kind)
                got = host(got)
                self.assertEqual((got.shape, got.dtype),
                                 (want.shape, want.dtype))
                self.assertLessEqual(np.abs(got.astype('f8') - want).max(),
                                     largest)
            there = cudashapes.local_laplacian(image, backend='cuda')
            self.assertLessEqual(np.abs(there.astype('f8') - want).max(),
                                 largest)

    def test_statistics_are_the_cpus(self):
        image = picture((200, 210), 'u1')
        for given, kind in ((image, 'gray'), (image / np.float32(200), None),
                            (picture((200, 210, 3), 'u1'), 'lab')):
            rings = cudashapes.find_contours(image, 100., dtype='float32',
                                             backend='cpu')
            want = cudashapes.region_stats(given, rings, kind=kind,
                                           backend='cpu')
            there = cudashapes.find_contours(cupy.asarray(image), 100.,
                                             dtype='float32', as_xy=True)
            for got in (
                    cudashapes.region_stats(cupy.asarray(given), there,
                                            kind=kind),
                    cudashapes.region_stats(cupy.asarray(given), rings,
                                            kind=kind)):
                for name in ('n_pixels', 'mean', 'deviation', 'minimum',
                             'maximum'):
                    np.testing.assert_array_equal(getattr(got, name),
                                                  getattr(want, name))
        with self.assertRaisesRegex(TypeError, "dtype='float32'"):
            cudashapes.region_stats(cupy.asarray(image), (
                cudashapes.find_contours(cupy.asarray(image), 100.)))
        with self.assertRaisesRegex(ValueError, 'cuda:0'):
            cudashapes.region_stats(image, there)


class Refused(unittest.TestCase):
    def refuse(self, exception, text, function, *args, **kwargs):
        with self.assertRaisesRegex(exception, text):
            function(*args, **kwargs)

    def test_what_cannot_be_taken_is_named(self):
        find, image = cudashapes.find_contours, cupy.zeros((4, 5), 'f4')
        self.refuse(ValueError, 'copy it to the host', find, image, .5,
                    backend='cpu')
        self.refuse(ValueError, 'backend', find, image, .5, backend='tpu')
        self.refuse(ValueError, 'on GPU 0', find, image, .5, backend='cuda:1')
        self.refuse(TypeError, 'convert', find, image.astype('i8'), .5)
        self.refuse(TypeError, 'convert', find, image.astype('c8'), .5)
        self.refuse(ValueError, '2 dimensions', find, image[0], .5)
        self.refuse(ValueError, 'at least 2 x 2', find, image[:1], .5)
        self.refuse(TypeError, 'bool', find, image, .5,
                    mask=cupy.ones((4, 5), 'u1'))
        self.refuse(ValueError, 'same shape', find, image, .5,
                    mask=cupy.ones((4, 4), bool))
        self.refuse(ValueError, 'finite', find, image, float('nan'))
        self.refuse(TypeError, 'stream', find, image, .5, stream='first')
        self.refuse(ValueError, 'shape', cudashapes.convex_hull,
                    cupy.zeros((4, 3)))
        self.refuse(TypeError, 'float64', cudashapes.convex_hull,
                    cupy.zeros((4, 2), 'i8'))
        self.refuse(TypeError, 'uint8', cudashapes.local_laplacian,
                    cupy.zeros((4, 4), 'f8'))
        if torch:
            self.refuse(TypeError, 'float32', find,
                        torch.zeros((4, 5), dtype=torch.bfloat16).cuda(), .5)
            wanted = torch.zeros((4, 5), requires_grad=True, device='cuda')
            with self.assertRaises((RuntimeError, BufferError, TypeError)):
                find(wanted, .5)
            self.assertEqual(len(find(torch.zeros((4, 5)), .5)), 0)

    def test_an_interface_that_lies_is_an_error(self):
        find, array = cudashapes.find_contours, cupy.zeros((4, 5), 'f4')
        for change, error in ((dict(typestr='>f4'), TypeError),
                              (dict(typestr='<V4'), TypeError),
                              (dict(stream=0), ValueError),
                              (dict(data=(np.zeros(99).ctypes.data, False)),
                               ValueError)):
            given = Interface(array, 1)
            given.__cuda_array_interface__.update(change)
            with self.assertRaises(error):
                find(given, .5)

    def test_read_only_arrays_are_read(self):
        given = Interface(cupy.asarray(picture()), 1)
        data = given.__cuda_array_interface__['data'][0]
        given.__cuda_array_interface__['data'] = (data, True)
        self.assertGreater(len(cudashapes.find_contours(given, 100.)), 9)


class Streams(Case):
    def setUp(self):
        self.what = cupy.asarray(picture())
        self.want = cudashapes.find_contours(picture(), 100., backend='cpu')
        self.image = cupy.zeros_like(self.what)
        self.stream = cupy.cuda.Stream(non_blocking=True)
        SPIN.compile()
        cupy.cuda.Device().synchronize()

    def write(self):
        cupy.cuda.Device().synchronize()
        self.image.fill(0)
        cupy.cuda.Device().synchronize()
        with self.stream:
            write_late(self.image, self.what)
        # unless it is late, nothing is waited for
        self.assertFalse(self.stream.done)

    def test_the_producers_stream_is_waited_for(self):
        takes = {
            'current stream': lambda: self.in_stream(self.image),
            'interface': lambda: cudashapes.find_contours(
                Interface(self.image, self.stream.ptr), 100.),
            'number': lambda: cudashapes.find_contours(
                Interface(self.image), 100., stream=self.stream.ptr),
            'object': lambda: cudashapes.find_contours(
                self.image, 100., stream=self.stream),
            'capsules': lambda: self.in_stream(Capsules(self.image)),
        }
        if torch:
            takes['torch stream'] = lambda: cudashapes.find_contours(
                self.image, 100.,
                stream=torch.cuda.ExternalStream(self.stream.ptr))
            takes['torch'] = self.torch_in_stream
        for name, take in takes.items():
            with self.subTest(name):
                self.write()
                self.assert_same(take(), self.want)

    def test_copies_of_strided_arrays_wait_too(self):
        want = cudashapes.find_contours(picture()[:, ::-1], 100.,
                                        backend='cpu')
        self.write()
        self.assert_same(cudashapes.find_contours(
            self.image[:, ::-1], 100., stream=self.stream), want)
        self.write()
        with self.stream:
            got = cudashapes.find_contours(self.image[:, ::-1], 100.)
        self.assert_same(got, want)

    def in_stream(self, image):
        with self.stream:
            return cudashapes.find_contours(image, 100.)

    def torch_in_stream(self):
        with torch.cuda.stream(torch.cuda.ExternalStream(self.stream.ptr)):
            return cudashapes.find_contours(
                torch.as_tensor(Interface(self.image, 1), device='cuda'), 100.)

    def test_an_interface_without_a_stream_waits_for_the_default_one(self):
        self.image.fill(0)
        cupy.cuda.Device().synchronize()
        write_late(self.image, self.what)
        self.assertFalse(cupy.cuda.Stream.null.done)
        got = cudashapes.find_contours(Interface(self.image, version=2), 100.)
        self.assert_same(got, self.want)

    def test_filter_hull_and_statistics_wait_too(self):
        self.write()
        with self.stream:
            got = cudashapes.local_laplacian(self.image / cupy.float32(200))
        want = cudashapes.local_laplacian(picture() / np.float32(200),
                                          backend='cpu')
        self.assertLess(np.abs(host(got) - want).max(), 1e-4)
        points = picture((5000, 2), seed=4)
        late, there = cupy.zeros((5000, 2), 'f4'), cupy.asarray(points)
        cupy.cuda.Device().synchronize()
        with self.stream:
            write_late(late, there)
            got = cudashapes.convex_hull(late)
        self.assertEqual(got.area, cudashapes.convex_hull(
            points, backend='cpu').area)
        image = picture() / np.float32(200)
        late, there = cupy.zeros(image.shape, 'f4'), cupy.asarray(image)
        cupy.cuda.Device().synchronize()
        with self.stream:
            write_late(late, there)
            got = cudashapes.region_stats(late, self.want)
        np.testing.assert_array_equal(got.mean, cudashapes.region_stats(
            image, self.want, backend='cpu').mean)

    def test_other_streams_are_not_waited_for(self):
        other = cupy.cuda.Stream(non_blocking=True)
        sink = cupy.zeros_like(self.what)
        image = self.what.copy()
        cudashapes.find_contours(image, 100.)
        cudashapes.local_laplacian(image / cupy.float32(200))
        cudashapes.convex_hull(image[:, :2].copy())
        cupy.cuda.Device().synchronize()
        gate = Gate()
        with other:
            write_late(sink, self.what, gate)
        got = cudashapes.find_contours(image, 100.)
        hull = cudashapes.convex_hull(image[:, :2].copy())
        self.assertFalse(other.done)
        gate.open()
        self.assert_same(got, self.want)
        self.assertGreater(hull.area, 0)

    def test_a_consumer_on_its_own_stream_sees_the_result(self):
        with self.stream:
            got = cudashapes.find_contours(self.what, 100.)
            total = got.points.sum()
        self.stream.synchronize()
        self.assertAlmostEqual(float(total), float(sum(
            contour.sum() for contour in self.want)), 3)

    def test_memory_is_not_used_again_before_its_reader_is_done(self):
        pictures = [cupy.asarray(picture(seed=50 + i)) for i in range(5)]
        for blocking in (True, False):
            stream = cupy.cuda.Stream(non_blocking=not blocking)
            with self.subTest(blocking=blocking):
                got = cudashapes.find_contours(self.what, 100.)
                before = cupy.asnumpy(got.points).astype('f4').ravel()
                with stream:
                    points = cupy.asarray(cudashapes.find_contours(
                        self.what, 100., dtype='float32', as_xy=True).points)
                    kept = cupy.zeros(points.size, 'f4')
                    gate = Gate()
                    write_late(kept, points, gate)
                want = np.concatenate([c[:, ::-1] for c in self.want])
                del points, got
                gc.collect()
                # which gets other memory, and does not wait for the reader
                for other in pictures:
                    cudashapes.find_contours(Interface(other), 100.,
                                             dtype='float32')
                self.assertFalse(stream.done)
                gate.open()
                stream.synchronize()
                self.assertEqual(before.size, kept.size)
                np.testing.assert_array_equal(
                    cupy.asnumpy(kept).reshape(-1, 2), want.astype('f4'))


class Process(unittest.TestCase):
    def test_calls_leak_nothing(self):
        small, rows = cupy.asarray(picture((30, 40))), cupy.asarray(
            picture((100, 2)))
        codes, boxes = small.astype('u1'), cupy.asarray([[5., 6., 70., 50.]])

        def call():
            found = cudashapes.find_contours(small, 100., dtype='float32')
            found.points, found[0], found.offsets
            cudashapes.convex_hull(rows).area
            cudashapes.local_laplacian(codes)
            cudashapes.region_stats(codes, found)
            objects = cudashapes.instance_polygons(
                small[None], (60, 80), level=100., boxes=boxes)
            objects[0], objects.areas
            labels = cudashapes.label_polygons(codes, index=[100, 120])
            list(labels.values()), labels.areas

        def used():
            gc.collect()
            free, _ = cupy.cuda.runtime.memGetInfo()
            with open('/proc/self/statm', encoding='ascii') as file:
                return free, int(file.read().split()[1]) * 4096

        for _ in range(500):
            call()
        free, resident = used()
        for _ in range(20000):
            call()
        after_free, after_resident = used()
        self.assertLess(free - after_free, 16 << 20)
        self.assertLess(after_resident - resident, 16 << 20)

    def test_a_child_of_fork_is_told(self):
        cudashapes.find_contours(cupy.asarray(picture()), 100.)
        image = picture()
        cudashapes.find_contours(image, 100.)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            said = []
            try:
                cudashapes.find_contours(image, 100., backend='cuda')
            except RuntimeError as error:
                said.append(str(error))
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter('always')
                n = len(cudashapes.find_contours(image, 100.))
            said += [str(w.message) for w in caught] + [str(n)]
            os.write(write, '\n'.join(said).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            said = pipe.read().splitlines()
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(len(said), 3, said)
        self.assertIn('forked', said[0])
        self.assertIn('on the CPU', said[1])
        self.assertEqual(int(said[2]), len(cudashapes.find_contours(
            image, 100., backend='cpu')))

    @unittest.skipIf(cupy.cuda.runtime.getDeviceCount() < 2, 'one GPU')
    def test_each_gpu_computes_what_it_has(self):
        image = picture()
        with cupy.cuda.Device(1):
            there = cupy.asarray(image)
        got = cudashapes.find_contours(there, 100.)
        self.assertEqual((got.device, got.points.device.id), ('cuda:1', 1))
        want = cudashapes.find_contours(image, 100., backend='cpu')
        self.assertEqual([host(c).tolist() for c in got],
                         [c.tolist() for c in want])
        with self.assertRaisesRegex(ValueError, 'GPU'):
            cudashapes.find_contours(
                there, 100., mask=cupy.ones(image.shape, bool))
        self.assertEqual(len(cudashapes.find_contours(
            image, 100., backend='cuda:1')), len(want))


class Instances(Case):
    SHAPE = (211, 300)

    def setUp(self):
        rng = np.random.default_rng(8)
        self.prototypes = rng.normal(size=(6, 40, 52)).astype('f4')
        self.coefficients = rng.normal(size=(9, 6)).astype('f4')
        self.boxes = np.concatenate([rng.uniform(-9, 90, (9, 2)), rng.uniform(
            100, 300, (9, 2))], 1).astype('f4')

    def compare(self, got, want, kind=None):
        self.assert_same(list(got), list(want))
        self.assert_same(list(got.rings), list(want.rings))
        for name in ('objects', 'parents', 'ring_areas', 'areas'):
            np.testing.assert_array_equal(getattr(got, name),
                                          getattr(want, name))
        if kind:
            self.assertEqual(got.device, 'cuda:0')
            self.assertIsInstance(got.rings.points, kind)
            self.assertIsInstance(got[0][0][0], kind)

    def test_all_types_and_libraries_have_the_cpus_bits(self):
        find = cudashapes.instance_polygons
        for dtype in ('f4', 'f2'):
            fields, rows = (a.astype(dtype) for a in (
                self.prototypes, self.coefficients))
            want = find(fields, self.SHAPE, backend='cpu')
            self.assertIn(2, map(len, (p for o in want for p in o)))
            settings = dict(letterbox=(160, 208), tolerance=.01, min_area=2)
            products = find(fields, self.SHAPE, coefficients=rows,
                            boxes=self.boxes, backend='cpu', **settings)
            chosen = find(fields, self.SHAPE, coefficients=rows,
                          indices=[8, 0, 0], backend='cpu')
            for name, make, kind in LIBRARIES + [
                    (*other, cudashapes.Array) for other in OTHERS]:
                with self.subTest(name, dtype=dtype):
                    self.compare(find(make(fields), self.SHAPE), want, kind)
                    for there in (make, np.asarray):
                        self.compare(find(
                            make(fields), self.SHAPE,
                            coefficients=there(rows), boxes=there(self.boxes),
                            **settings), products, kind)
                        self.compare(find(
                            make(fields), self.SHAPE, coefficients=there(rows),
                            indices=there(np.array([8, 0, 0]))), chosen, kind)
            self.compare(find(fields, self.SHAPE, backend='cuda'), want)

    def test_views_and_other_types_are_read(self):
        find = cudashapes.instance_polygons
        want = find(self.prototypes, self.SHAPE, boxes=self.boxes[:6],
                    coefficients=np.eye(6), backend='cpu')
        fields = cupy.asarray(self.prototypes)
        columns = cupy.zeros((8, 6), 'f4')
        columns[1:7] = cupy.eye(6)
        last = fields.transpose(1, 2, 0).copy().transpose(2, 0, 1)
        for given in (fields, last, fields[:, ::-1].copy()[:, ::-1],
                      fields.astype('f8')):
            for rows in (columns.T[:, 1:7], cupy.eye(6), None):
                self.compare(find(given, self.SHAPE, boxes=self.boxes[:6],
                                  coefficients=rows), want, cupy.ndarray)
        if torch:
            whole = to_torch(self.prototypes).bfloat16()
            self.compare(find(whole, self.SHAPE), find(
                whole.float().cpu(), self.SHAPE, backend='cpu'), torch.Tensor)

    def test_pasted_fields_and_nothing(self):
        find = cudashapes.instance_polygons
        for paste in ('detectron2', 'torchvision'):
            settings = dict(paste=paste, boxes=self.boxes[:6], level=.5)
            self.compare(
                find(cupy.asarray(self.prototypes), self.SHAPE, **settings),
                find(self.prototypes, self.SHAPE, backend='cpu', **settings))
            none = find(cupy.zeros((0, 28, 28), 'f4'), self.SHAPE, paste=paste,
                        boxes=cupy.zeros((0, 4), 'f4'))
            self.assertEqual((list(none), none.rings.points.shape), ([], (0, 2)))
        self.assertEqual(list(find(cupy.zeros((2, 9, 9), 'f4'), self.SHAPE)),
                         [[], []])

    def test_statistics_pickles_and_refusals(self):
        find = cudashapes.instance_polygons
        there = cupy.asarray(self.prototypes)
        got, want = find(there, self.SHAPE), find(self.prototypes, self.SHAPE,
                                                  backend='cpu')
        image = picture(self.SHAPE, 'u1')
        np.testing.assert_array_equal(
            cudashapes.region_stats(cupy.asarray(image), got).mean,
            cudashapes.region_stats(image, want, backend='cpu').mean)
        self.compare(pickle.loads(pickle.dumps(got)), want, cupy.ndarray)
        for error, text, given, settings in (
                (ValueError, 'on the host', self.prototypes,
                 dict(coefficients=cupy.eye(6, dtype='f4'))),
                (ValueError, 'backend is "cpu"', there, dict(backend='cpu')),
                (TypeError, 'not int32', there.astype('i4'), {}),
                (ValueError, 'fields[None]', there[0], {})):
            with self.assertRaises(error) as caught:
                find(given, self.SHAPE, **settings)
            self.assertIn(text, str(caught.exception))

    def test_producers_are_waited_for(self):
        want = cudashapes.instance_polygons(
            self.prototypes, self.SHAPE, coefficients=self.coefficients,
            boxes=self.boxes, backend='cpu')
        given = list(map(cupy.asarray, (self.prototypes, self.coefficients,
                                        self.boxes)))
        stream = cupy.cuda.Stream(non_blocking=True)
        SPIN.compile()
        for at in range(3):
            late = list(given)
            late[at] = cupy.zeros_like(given[at])
            cupy.cuda.Device().synchronize()
            with stream:
                write_late(late[at], given[at])
            self.assertFalse(stream.done)
            fields, rows, boxes = late
            self.compare(cudashapes.instance_polygons(
                fields, self.SHAPE, coefficients=rows, boxes=boxes,
                stream=stream), want, cupy.ndarray)


class Labels(Case):
    def setUp(self):
        rng = np.random.default_rng(9)
        self.labels = np.kron(rng.integers(0, 90, (40, 50)), np.ones((5, 4), int))
        self.labels[rng.random(self.labels.shape) < .02] = 91

    def compare(self, got, want, kind=None):
        self.assertEqual(list(got), list(want))
        self.assert_same(list(got.values()), list(want.values()))
        self.assert_same(list(got.rings), list(want.rings))
        for name in ('areas', 'ring_labels', 'parents', 'ring_areas'):
            np.testing.assert_array_equal(getattr(got, name),
                                          getattr(want, name))
        if kind:
            self.assertEqual(got.device, 'cuda:0')
            self.assertIsInstance(got[91][0][0], kind)

    def test_all_types_and_libraries_have_the_cpus_bits(self):
        find = cudashapes.label_polygons
        for number, dtype in enumerate(('u1', 'i1', 'i2', 'i4', 'i8')):
            labels = self.labels.astype(dtype)
            labels[labels == 7] = -1 if dtype[0] == 'i' else 0
            settings = dict(outline=('contours', 'pixels')[number % 2],
                            background=(0, None, 3)[number % 3],
                            hierarchy=number > 1, min_area=number // 3 * 2.)
            want = find(labels, backend='cpu', **settings)
            some = find(labels, backend='cpu', index=[3, 91, 5], **settings)
            for name, make, kind in LIBRARIES + [
                    (*other, cudashapes.Array) for other in OTHERS]:
                with self.subTest(name, dtype=dtype):
                    there = make(labels)
                    self.compare(find(there, **settings), want, kind)
                    self.compare(find(there, index=[3, 91, 5], **settings),
                                 some, kind)
            self.compare(find(labels, backend='cuda', **settings), want)

    def test_views_and_other_types_are_read(self):
        find = cudashapes.label_polygons
        want = find(self.labels, backend='cpu')
        there = cupy.asarray(self.labels)
        wide = cupy.zeros([2 * n for n in there.shape], there.dtype)
        wide[::2, ::2] = there
        for given in (wide[::2, ::2], cupy.asfortranarray(there), there[::-1].copy()[::-1],
                      *map(there.astype, ('u2', 'u4', 'u8'))):
            self.compare(find(given), want, cupy.ndarray)
        self.compare(find(there > 50), find(self.labels > 50, backend='cpu'))
        for shape in ((0, 0), (0, 5), (5, 0), (5, 6)):
            self.assertEqual(list(find(cupy.zeros(shape, 'i4'))), [])

    def test_statistics_pickles_and_refusals(self):
        find = cudashapes.label_polygons
        there = cupy.asarray(self.labels)
        got, want = find(there), find(self.labels, backend='cpu')
        image = picture(self.labels.shape, 'u1')
        np.testing.assert_array_equal(
            cudashapes.region_stats(cupy.asarray(image), got).mean,
            cudashapes.region_stats(image, want, backend='cpu').mean)
        self.compare(pickle.loads(pickle.dumps(got)), want, cupy.ndarray)
        for error, text, given, settings in (
                (ValueError, 'backend is "cpu"', there, dict(backend='cpu')),
                (TypeError, 'not float32', there.astype('f4'), {}),
                (ValueError, r'labels\[0\] is the first', there[None], {}),
                (ValueError, 'relabel_sequential', there + 2 ** 31, {})):
            with self.assertRaisesRegex(error, text):
                find(given, **settings)


class RegionsOnTheDevice(Case):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(8)
        self.labels = rng.integers(0, 300, (40, 30)).repeat(7, 0).repeat(9, 1)

    def test_all_types_and_libraries_have_the_cpus_bits(self):
        find = cudashapes.region_properties
        for dtype in ('i2', 'i4', 'i8'):
            labels = self.labels.astype(dtype)
            want = find(labels, backend='cpu')
            for name, make, kind in LIBRARIES + [
                    (*other, cudashapes.Array) for other in OTHERS]:
                with self.subTest(name, dtype=dtype):
                    got = find(make(labels))
                    self.assertEqual(list(got), list(want))
                    self.assert_same(list(got.values()), list(want.values()))
                    self.assertIsInstance(got['area'], kind)
            got = find(labels, backend='cuda')
            self.assert_same(list(got.values()), list(want.values()))

    def test_views_and_refusals(self):
        find = cudashapes.region_properties
        there = cupy.asarray(self.labels)
        want = find(self.labels[::2, ::3], ('area', 'solidity'),
                    backend='cpu')
        got = find(there[::2, ::3], ('area', 'solidity'))
        self.assert_same(list(got.values()), list(want.values()))
        for error, text, given, settings in (
                (ValueError, 'backend is "cpu"', there, dict(backend='cpu')),
                (TypeError, 'not float32', there.astype('f4'), {}),
                (ValueError, 'relabel_sequential', there + 2 ** 31, {})):
            with self.assertRaisesRegex(error, text):
                find(given, **settings)


if __name__ == '__main__':
    unittest.main(verbosity=1)
