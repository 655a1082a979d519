# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the package does to a process: threads, children, memory."""

import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import unittest

import numpy as np

import cudashapes

IMAGE = np.add.accumulate(np.random.default_rng(1).standard_normal((300, 400)),
                          1)


def resident():
    gc.collect()
    with open('/proc/self/statm', encoding='ascii') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


def compute(level=.5):
    return [contour.tobytes() for contour in cudashapes.find_contours(
        IMAGE, level, backend='cpu')]


class Children(unittest.TestCase):
    def test_children_of_fork_compute_while_threads_do(self):
        want, stop = compute(), threading.Event()

        def work():
            while not stop.is_set():
                compute()

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(20):
                child = os.fork()
                if child == 0:
                    import signal
                    signal.alarm(60)
                    os._exit(0 if compute() == want else 1)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
        finally:
            stop.set()
            for thread in threads:
                thread.join()

    def test_pools_of_processes_compute(self):
        want = [compute(level) for level in (0., .5, 1.)]
        for method in ('fork', 'spawn'):
            with multiprocessing.get_context(method).Pool(2) as pool:
                self.assertEqual(pool.map(compute, (0., .5, 1.)), want)


class Threads(unittest.TestCase):
    def test_eight_threads_find_the_same(self):
        images = [np.random.default_rng(i).random((20 + 7 * i, 30 + 5 * i))
                  for i in range(8)]

        def everything(image):
            codes = (image * 255).astype('u1')
            contours = cudashapes.find_contours(image, .5)
            return ([c.tobytes() for c in contours],
                    cudashapes.convex_hull(contours[0]).area,
                    cudashapes.local_laplacian(codes).tobytes(),
                    cudashapes.region_stats(codes, contours).mean.tobytes())

        want = list(map(everything, images))
        wrong = []

        def work(first):
            for i in range(60):
                at = (first + i) % 8
                if everything(images[at]) != want[at]:
                    wrong.append(at)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_others_go_on_while_one_computes(self):
        # without the GIL's release no other thread would see the call begun
        # and not ended
        large = np.random.default_rng(2).random((2000, 3000))
        began, ended, between = threading.Event(), threading.Event(), []

        def call():
            began.set()
            cudashapes.find_contours(large, 2., backend='cpu')
            ended.set()

        interval = sys.getswitchinterval()
        # a thread keeps the GIL until it lets it go
        sys.setswitchinterval(100)
        try:
            for _ in range(20):
                began.clear()
                ended.clear()
                thread = threading.Thread(target=call)
                thread.start()
                began.wait()
                between.append(not ended.is_set())
                thread.join()
        finally:
            sys.setswitchinterval(interval)
        self.assertTrue(any(between))


class Pickled(unittest.TestCase):
    def test_results_go_to_other_processes(self):
        contours = cudashapes.find_contours(IMAGE, .5)
        hull = cudashapes.convex_hull(contours[0])
        stats = cudashapes.region_stats(IMAGE, contours)
        for result, names in ((hull, ('area', 'rect', 'n_ignored')),
                              (stats, ())):
            again = pickle.loads(pickle.dumps(result))
            for name in names:
                self.assertEqual(getattr(again, name), getattr(result, name))
        again = pickle.loads(pickle.dumps((contours, hull, stats)))
        self.assertEqual([c.tobytes() for c in again[0]],
                         [c.tobytes() for c in contours])
        np.testing.assert_array_equal(again[1].vertices, hull.vertices)
        np.testing.assert_array_equal(again[1].simplices, hull.simplices)
        np.testing.assert_array_equal(again[2].mean, stats.mean)


class Memory(unittest.TestCase):
    def test_calls_leave_nothing(self):
        small = np.random.default_rng(3).random((12, 14))
        codes = (small * 255).astype('u1')
        fields = np.random.default_rng(4).normal(size=(3, 8, 9)).astype('f4')
        rows, boxes = np.eye(3)[:2], [[5, 6, 70, 50], [0, 0, 80, 60]]
        labels = codes // 64

        def call():
            contours = cudashapes.find_contours(small, .5)
            cudashapes.find_bands(small, [.2, .8])
            cudashapes.convex_hull(contours[0]).simplices
            cudashapes.local_laplacian(codes)
            cudashapes.region_stats(codes, contours[:1])
            found = cudashapes.instance_polygons(
                fields, (60, 80), coefficients=rows, boxes=boxes)
            found[0], found.areas
            found = cudashapes.label_polygons(labels, index=[1, 2])
            found[1], found.areas
            cudashapes.label_polygons_of_strips([labels, labels])
            try:
                cudashapes.instance_polygons(fields, (60, 80), level=np.nan)
            except ValueError:
                pass
            try:
                cudashapes.label_polygons_of_strips([labels, labels[:, 1:]])
            except ValueError:
                pass
            try:
                cudashapes.find_contours(small, .5, mask=codes)
            except TypeError:
                pass

        for _ in range(2000):
            call()
        before = resident()
        for _ in range(20000):
            call()
        self.assertLess(resident() - before, 2 << 20)

    def test_large_results_are_given_back(self):
        noise = np.random.default_rng(4).random((1500, 1500))
        for _ in range(3):
            cudashapes.find_contours(noise, .5)
        before = resident()
        for _ in range(10):
            cudashapes.find_contours(noise, .5)
        self.assertLess(resident() - before, 64 << 20)

    def test_results_may_go_in_another_thread(self):
        kept = [cudashapes.find_contours(IMAGE, .5)]
        thread = threading.Thread(target=kept.clear)
        thread.start()
        thread.join()
        self.assertEqual(compute(), compute())


class Import(unittest.TestCase):
    def run_python(self, code):
        return subprocess.run([sys.executable, '-c', code], text=True,
                              capture_output=True, check=True).stdout

    def test_it_needs_numpy_alone(self):
        loaded = self.run_python(
            'import sys, numpy\n'
            'before = set(sys.modules)\n'
            'import cudashapes\n'
            'print(*{name.partition(".")[0] for name in '
            'set(sys.modules) - before if name.partition(".")[0] not in '
            'sys.stdlib_module_names})').split()
        self.assertEqual(set(loaded) - {'numpy'}, {'cudashapes'})

    def test_no_gpu_is_opened_by_it(self):
        loaded = self.run_python(
            'import cudashapes\n'
            'print("libcuda" in open("/proc/self/maps").read())')
        self.assertEqual(loaded.strip(), 'False')

    def test_a_second_interpreter_is_told(self):
        # the extension alone, because numpy refuses, too
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            self.skipTest('this Python has no _xxsubinterpreters')
        second = interpreters.create()
        try:
            with self.assertRaisesRegex(interpreters.RunFailedError,
                                        'ImportError.*interpreter'):
                interpreters.run_string(second, (
                    'import importlib.util as util\n'
                    'spec = util.spec_from_file_location(\n'
                    '    "cudashapes._native", %r)\n'
                    'spec.loader.exec_module(util.module_from_spec(spec))\n'
                    % cudashapes._native.__file__))
        finally:
            interpreters.destroy(second)

    def test_the_version_is_told(self):
        self.assertRegex(cudashapes.__version__, r'^\d+\.\d+\.\d+$')
        self.assertEqual(sorted(cudashapes.__all__), sorted(
            name for name in cudashapes.__all__ if hasattr(cudashapes, name)))


if __name__ == '__main__':
    sys.exit(unittest.main(verbosity=1))
