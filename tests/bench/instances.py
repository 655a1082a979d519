#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""instances.py: polygons of 92 objects of a YOLO-like network, 32 prototypes of 160 x 120, in a picture of 4032 x 3024, from
the network's output on: by cudashapes, and by what others do who make masks first. Milliseconds, medians; what is not
installed is left out. Prototypes and coefficients are where the row says: on the GPU, if PyTorch knows one, or the host.

instances.py [OBJECTS]
"""
import sys
import time

import numpy as np

WIDTH, HEIGHT, COLUMNS, ROWS, PROTOTYPES = 4032, 3024, 160, 120, 32


def optional(name):
    try:
        return __import__(name, fromlist=["x"])
    except ImportError:
        return None


cudashapes, cv2, measure, supervision, torch = map(
    optional, ("cudashapes", "cv2", "skimage.measure", "supervision", "torch"))


def objects(n):
    """Prototypes, coefficients and boxes x0, y0, x1, y1 in pixels from the picture's corner: a few blobs to a box."""
    rng = np.random.default_rng(1)
    y, x = np.mgrid[:ROWS, :COLUMNS]
    prototypes = [np.cos(a * x + b * y + p) for a, b, p in zip(*rng.uniform(-.5, .5, (2, PROTOTYPES)),
                                                               rng.uniform(0, 6.28, PROTOTYPES))]
    sides = rng.uniform(150, 900, (n, 2))
    corners = rng.uniform(0, 1, (n, 2)) * ((WIDTH, HEIGHT) - sides)
    return (np.stack(prototypes).astype("f4"), rng.uniform(-1, 1, (n, PROTOTYPES)).astype("f4"),
            np.concatenate([corners, corners + sides], 1).astype("f4"))


def milliseconds(function, seconds=1.):
    """The median of calls for a second, and what one of them says of its parts."""
    times, parts, begin = [], function(), time.perf_counter()
    while not times or (time.perf_counter() - begin < seconds and len(times) < 1000):
        start = time.perf_counter()
        parts = function()
        times.append(time.perf_counter() - start)
    return 1e3 * sorted(times)[len(times) // 2], parts


def row(what, function):
    took, parts = milliseconds(function)
    print("| %s | %.3g | %s |" % (what, took, parts if isinstance(parts, str) else "-"), flush=True)


class Parts:
    """How long each part of a call has taken."""

    def __init__(self, device):
        self.device, self.took = device, []
        self.last = time.perf_counter()

    def end(self, name):
        if self.device == "cuda":
            torch.cuda.synchronize()
        now = time.perf_counter()
        self.took.append("%s %.3g" % (name, 1e3 * (now - self.last)))
        self.last = now

    def __str__(self):
        return ", ".join(self.took)


def trace(mask, offset=(0, 0)):
    return cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE, offset=offset)[0]


def pixels(box):
    """The pixels whose centres are in a box: x0, y0, x1, y1."""
    return np.ceil(box - .5).astype(int)


def whole_masks(prototypes, coefficients, boxes, find):
    """As ultralytics' process_mask_native(): all masks at once, cut to boxes, then to the host, then find() for each."""
    parts = Parts(prototypes.device.type)
    fields = (coefficients @ prototypes.view(PROTOTYPES, -1)).view(-1, 1, ROWS, COLUMNS)
    masks = torch.nn.functional.interpolate(fields, (HEIGHT, WIDTH), mode="bilinear", align_corners=False)[:, 0]
    x0, y0, x1, y1 = boxes[:, :, None, None].unbind(1)
    x = torch.arange(WIDTH, device=masks.device)[None, None]
    y = torch.arange(HEIGHT, device=masks.device)[None, :, None]
    masks = (masks * ((x >= x0) * (x < x1) * (y >= y0) * (y < y1))).gt_(0.).byte()
    parts.end("masks")
    masks = masks.cpu().numpy()
    parts.end("to the host")
    for mask in masks:
        find(mask)
    parts.end("contours")
    return str(parts)


def boxes_by_torch(prototypes, coefficients, boxes):
    """Object by object, and no more than its box: resized, to the host, contours."""
    fields = (coefficients @ prototypes.view(PROTOTYPES, -1)).view(-1, 1, 1, ROWS, COLUMNS)
    masks = []
    for field, (x0, y0, x1, y1) in zip(fields, map(pixels, boxes)):
        x = (torch.arange(x0, x1, device=field.device) + .5) * (2 / WIDTH) - 1
        y = (torch.arange(y0, y1, device=field.device) + .5) * (2 / HEIGHT) - 1
        places = torch.stack([x.expand(len(y), -1), y[:, None].expand(-1, len(x))], 2)[None].float()
        masks.append(torch.nn.functional.grid_sample(field, places, padding_mode="border", align_corners=False)[0, 0] > 0)
    return [trace(mask.cpu().numpy().view("u1"), (int(x0), int(y0)))
            for mask, (x0, y0, _, _) in zip(masks, map(pixels, boxes))]


def crops(prototypes, coefficients, boxes):
    """Fields at the pixels of their boxes, by OpenCV."""
    scale = WIDTH / COLUMNS
    for field, (x0, y0, x1, y1) in zip(np.tensordot(coefficients, prototypes, 1), map(pixels, boxes)):
        place = np.array([[1 / scale, 0, (x0 + .5) / scale - .5], [0, 1 / scale, (y0 + .5) / scale - .5]])
        yield (int(x0), int(y0)), cv2.warpAffine(field, place, (int(x1 - x0), int(y1 - y0)), borderMode=cv2.BORDER_REPLICATE,
                                                 flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)


def on_the_host(prototypes, coefficients, boxes):
    given = prototypes, coefficients, boxes
    if cudashapes:
        row("cudashapes, CPU", lambda: cudashapes.instance_polygons(
            prototypes, (HEIGHT, WIDTH), coefficients=coefficients, boxes=boxes - .5, backend="cpu").areas)
    if cv2:
        row("OpenCV, CPU: boxes resized, findContours()",
            lambda: [trace((crop > 0).view("u1"), corner) for corner, crop in crops(*given)])
    if cv2 and measure:
        row("scikit-image, CPU: boxes resized by OpenCV, find_contours()",
            lambda: [measure.find_contours(crop, 0.) for _, crop in crops(*given)])


def by_torch(device, prototypes, coefficients, boxes):
    prototypes, coefficients = (torch.from_numpy(one).to(device) for one in (prototypes, coefficients))
    if cudashapes and device == "cuda":
        row("cudashapes, GPU: polygons on the GPU", lambda: cudashapes.instance_polygons(
            prototypes, (HEIGHT, WIDTH), coefficients=coefficients, boxes=boxes - .5).areas)
    if not cv2:
        return
    name = "CPU" if device == "cpu" else "GPU"
    row("PyTorch, %s: box by box, findContours()" % name, lambda: boxes_by_torch(prototypes, coefficients, boxes))
    on_device = torch.from_numpy(boxes).to(device)
    row("PyTorch, %s: all masks, findContours()" % name,
        lambda: whole_masks(prototypes, coefficients, on_device, trace))
    if supervision:
        row("PyTorch, %s: all masks, supervision.mask_to_polygons()" % name,
            lambda: whole_masks(prototypes, coefficients, on_device, supervision.mask_to_polygons))


def main():
    given = objects(int(sys.argv[1]) if len(sys.argv) > 1 else 92)
    print("| polygons of %d objects | ms | parts, ms |\n|---|---|---|" % len(given[2]))
    on_the_host(*given)
    if torch:
        by_torch("cuda" if torch.cuda.is_available() else "cpu", *given)


if __name__ == "__main__":
    main()
