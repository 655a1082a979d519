#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""arrays.py: what the functions of the package cudashapes take, beside others' that are installed, in microseconds: the
median of calls for a second each. Arrays of the host with as many threads as the process may use (run it under taskset for
fewer); with CuPy or PyTorch and a GPU also arrays there, and the same by a copy to the host and scikit-image, as libraries
without contours of their own do it."""
import os
import time

import numpy as np

import cudashapes


def optional(name):
    try:
        return __import__(name, fromlist=["x"])
    except ImportError:
        return None


cv2, measure, contourpy, spatial, cupy, torch = map(
    optional, ("cv2", "skimage.measure", "contourpy", "scipy.spatial", "cupy", "torch"))


def microseconds(function, seconds=1.):
    """The median; arrays on a GPU are complete when a call returns."""
    for _ in range(3):
        function()
    times, begin = [], time.perf_counter()
    while len(times) < 5 or (time.perf_counter() - begin < seconds and len(times) < 20000):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e6 * sorted(times)[len(times) // 2]


def picture():
    """Smooth in places, with detail of all sizes: 1080p, 0 to 1."""
    rows, columns = np.mgrid[0:1080, 0:1920].astype("f4")
    waves = np.sin(columns / 9) * np.sin(rows / 7) + np.sin(columns / 31 + rows / 17) + .3 * np.sin(columns * rows / 5e4)
    return ((waves - waves.min()) / (waves.max() - waves.min())).astype("f4")


def row(what, function, **peers):
    cells = ["%.1f" % microseconds(function)]
    cells.append(", ".join("%s %.0f" % (name.replace("_", " "), microseconds(peer)) for name, peer in peers.items() if peer)
                 or "-")
    print("| %s | %s |" % (what, " | ".join(cells)), flush=True)


def contour_peers(image, level):
    mask = (image > level).view("u1")
    return {
        "scikit-image": measure and (lambda: measure.find_contours(image, level)),
        "contourpy": contourpy and (lambda: contourpy.contour_generator(z=image, name="serial").lines(level)),
        "OpenCV,_borders_of_the_mask": cv2 and (lambda: cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)),
    }


def objects():
    """92 objects of a network with 32 prototypes, in a picture of 12 megapixels: prototypes, coefficients, boxes, shape."""
    rng = np.random.default_rng(1)
    y, x = np.mgrid[:160, :120]
    waves, phases = rng.uniform(.02, .2, (2, 32)), rng.uniform(0, 6, (2, 32))
    prototypes = np.stack([np.sin(x * a + p) * np.cos(y * b + q) for a, b, p, q in zip(*waves, *phases)]).astype("f4")
    corners = rng.uniform(0, 1, (92, 2)) * (2300, 3100)
    boxes = np.concatenate([corners, corners + rng.uniform(200, 900, (92, 2))], 1).astype("f4")
    return prototypes, rng.normal(size=(92, 32)).astype("f4"), boxes, (4032, 3024)


def masks_by_opencv(prototypes, coefficients, boxes, shape):
    """Object by object, in its box alone."""
    found, scale = [], shape[0] / prototypes.shape[1]
    for field, box in zip(np.tensordot(coefficients, prototypes, 1), np.ceil(boxes).astype(int)):
        x, y, x1, y1 = np.minimum(box, (shape[1], shape[0]) * 2)
        place = np.array([[1 / scale, 0, (x + .5) / scale - .5], [0, 1 / scale, (y + .5) / scale - .5]])
        mask = cv2.warpAffine(field, place, (int(x1 - x), int(y1 - y)), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                              borderMode=cv2.BORDER_REPLICATE) > 0
        found.append(cv2.findContours(mask.view("u1"), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE, offset=(int(x), int(y))))
    return found


def masks_by_torch(prototypes, coefficients, boxes, shape):
    """All, of the picture's size, on the GPU; boxes are not looked at."""
    fields = torch.einsum("nk,khw->nhw", coefficients, prototypes)
    masks = torch.nn.functional.interpolate(fields[None], shape, mode="bilinear")[0] > 0
    torch.cuda.synchronize()
    return masks


def on_the_host(image, small, points):
    find = cudashapes.find_contours
    row("find_contours, numpy, 16 x 16 float32", lambda: find(small, .5, backend="cpu"), **contour_peers(small, .5))
    row("find_contours, numpy, 1080p float32, %d contours" % len(find(image, .6)),
        lambda: find(image, .6, backend="cpu"), **contour_peers(image, .6))
    row("convex_hull, numpy, 1,000,000 points float64", lambda: cudashapes.convex_hull(points, backend="cpu"),
        SciPy=spatial and (lambda: spatial.ConvexHull(points)),
        OpenCV=cv2 and (lambda: cv2.convexHull(points.astype("f4"))))
    codes = (image * 255).astype("u1")
    row("local_laplacian, numpy, 1080p uint8", lambda: cudashapes.local_laplacian(codes, backend="cpu"))
    rings = find(codes, 150., dtype="float32")
    row("region_stats, numpy, 1080p uint8, %d regions" % len(rings),
        lambda: cudashapes.region_stats(codes, rings, backend="cpu"))
    prototypes, coefficients, boxes, shape = objects()
    row("instance_polygons, numpy, 92 objects, 32 prototypes of 160 x 120, 3024 x 4032 pixels",
        lambda: cudashapes.instance_polygons(prototypes, shape, coefficients=coefficients, boxes=boxes, backend="cpu"),
        **{"masks_in_boxes_and_OpenCV": cv2 and (lambda: masks_by_opencv(prototypes, coefficients, boxes, shape))})


def on_a_gpu(name, to_device, to_host, image, points):
    find = cudashapes.find_contours
    given = to_device(image)
    row("find_contours, %s, 1080p float32" % name, lambda: find(given, .6),
        **{"copied,_scikit-image": measure and (lambda: measure.find_contours(to_host(given), .6))})
    row("find_contours, %s, points as its array" % name, lambda: find(given, .6, as_xy=True).points)
    classes = to_device(np.ascontiguousarray(np.stack([image[50 * i:50 * i + 95, 100 * i:100 * i + 511] for i in range(12)], 2)))
    row("find_contours, %s, 12 classes of 95 x 511 float32" % name, lambda: find(classes, .6, channel_axis=-1))
    many = to_device(points)
    row("convex_hull, %s, 1,000,000 points float64" % name, lambda: cudashapes.convex_hull(many),
        **{"copied,_SciPy": spatial and (lambda: spatial.ConvexHull(to_host(many)))})
    codes = to_device((image * 255).astype("u1"))
    row("local_laplacian, %s, 1080p uint8" % name, lambda: cudashapes.local_laplacian(codes))
    rings = find(codes, 150., dtype="float32", as_xy=True)
    row("region_stats, %s, 1080p uint8, %d regions" % (name, len(rings)), lambda: cudashapes.region_stats(codes, rings))
    prototypes, coefficients, boxes, shape = objects()
    prototypes, coefficients = to_device(prototypes), to_device(coefficients)
    row("instance_polygons, %s, 92 objects, boxes on the host" % name,
        lambda: cudashapes.instance_polygons(prototypes, shape, coefficients=coefficients, boxes=boxes),
        **{"masks_alone,_on_the_GPU": name == "PyTorch" and (
            lambda: masks_by_torch(prototypes, coefficients, boxes, shape))})


def main():
    if cv2:
        cv2.setNumThreads(1)
    image = picture()
    small = np.zeros((16, 16), "f4")
    small[4:12, 4:12] = 1
    points = np.random.default_rng(2).standard_normal((1000000, 2))
    print("%d CPUs" % len(os.sched_getaffinity(0)))
    print("| call | us | others, us |\n|---|---|---|")
    on_the_host(image, small, points)
    if cupy and cupy.cuda.is_available():
        print("| on %s | | |" % cupy.cuda.runtime.getDeviceProperties(0)["name"].decode())
        row("find_contours, numpy, 1080p float32, there and back", lambda: cudashapes.find_contours(image, .6, backend="cuda"))
        on_a_gpu("CuPy", cupy.asarray, cupy.asnumpy, image, points)
    if torch and torch.cuda.is_available():
        on_a_gpu("PyTorch", lambda a: torch.from_numpy(a).cuda(), lambda a: a.cpu().numpy(), image, points)


if __name__ == "__main__":
    main()
