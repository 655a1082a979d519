# SPDX-License-Identifier: LGPL-2.1-or-later
"""Spheres with round caps, before the cameras of a lane: tensors whose truth is a formula.

Nothing here is the product's or its simulation's: directions follow from the words of docs/fruit-line.md ("Pieces, looks"),
areas are 2 pi R^2 (1 - cos a), and pixels are shares of samples.
"""

import math

import numpy as np

CLASSES = "belt skin stem calyx roller bruise rot scab russet hail scar insect".split()
BELT, SKIN, ROT = (CLASSES.index(name) for name in ("belt", "skin", "rot"))
DEFECTS = [CLASSES.index(name) for name in ("bruise", "rot", "scab", "russet", "insect")]
SAMPLES = 4             # of a pixel, across
NOISE = .015            # share of a probability that is noise
N_NOISES = 3


def roll(degrees):
    """About the axis across the lane, the top towards larger columns: piece to lane."""
    s, c = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def look_down(tilt):
    """Lane to picture: right, down, towards the camera, which is over the larger rows for a positive tilt."""
    s, c = math.sin(math.radians(tilt)), math.cos(math.radians(tilt))
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def draw_directions(rng, n):
    points = rng.normal(size=(n, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


def draw_rotation(rng):
    """Any, all equally likely."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


class Cap:
    """@axis: in the piece as it lies in cup 0; @angle: from its axis to its rim, in radians"""

    def __init__(self, axis, angle, channel):
        self.axis, self.angle, self.channel = axis, angle, channel

    def points(self, n=600):
        """Spread evenly, along a spiral of the golden angle."""
        z = 1 - (np.arange(n) + .5) / n * (1 - math.cos(self.angle))
        turn = np.arange(n) * math.pi * (3 - math.sqrt(5))
        rim = np.sqrt(1 - z * z)
        other = np.eye(3)[np.argmin(abs(self.axis))]
        across = np.cross(self.axis, other)
        across /= np.linalg.norm(across)
        return (z[:, None] * self.axis + (rim * np.cos(turn))[:, None] * across
                + (rim * np.sin(turn))[:, None] * np.cross(self.axis, across))


class Piece:
    """@place: of its centre from the cup's, in pixels (right, down); @poses: of each cup: piece to lane; no @diameter: an empty cup"""

    def __init__(self, diameter, caps, place, poses):
        self.diameter, self.caps, self.place, self.poses = diameter, caps, place, poses

    def area(self, cap):
        return 2 * math.pi * (self.diameter / 2) ** 2 * (1 - math.cos(cap.angle))

    def areas(self):
        """In mm2, of each channel that it has"""
        sums = {}
        for cap in self.caps:
            sums[cap.channel] = sums.get(cap.channel, 0) + self.area(cap)
        return sums


class Lane:
    """@tilts: of each camera; @turn: degrees that pieces turn from cup to cup, unless they have poses of their own;
    @scale: of all cameras; @views: of each one (scale, columns to the right), in place of it"""

    def __init__(self, tilts, cups=5, turn=72, scale=.8, seed=1, views=None):
        self.tilts, self.cups, self.turn, self.scale = tilts, cups, turn, scale
        self.pitch = math.ceil(58 / scale)
        views = views or [(scale, 0)] * len(tilts)
        self.scales = [each for each, _ in views]
        self.pitches = [self.pitch * scale / each for each in self.scales]
        self.firsts = [self.pitch // 2 * scale / each + shift for each, shift in views]
        self.rows = math.ceil(58 / min(self.scales))
        self.columns = math.ceil(max(pitch * cups + shift for pitch, (_, shift) in zip(self.pitches, views)))
        self.cameras = [look_down(tilt) for tilt in tilts]
        self.rng = np.random.default_rng(seed)
        noise = self.rng.random((N_NOISES, len(tilts), self.rows, self.columns, len(CLASSES)), np.float32)
        self.noises = NOISE * noise / noise.sum(axis=-1, keepdims=True)

    # pieces

    def draw(self, areas, diameter=None):
        """A piece with caps of these areas, a dict of mm2 by channel, anywhere but upon each other."""
        diameter = diameter or self.rng.uniform(38, 54)
        angles = {k: math.acos(1 - mm2 / (2 * math.pi * (diameter / 2) ** 2)) for k, mm2 in areas.items()}
        caps = []
        for channel, angle in angles.items():
            while True:
                axis = draw_directions(self.rng, 1)[0]
                if all(math.acos(np.clip(axis @ cap.axis, -1, 1)) > angle + cap.angle + .2 for cap in caps):
                    break
            caps.append(Cap(axis, angle, channel))
        return Piece(diameter, caps, self.rng.uniform(-1, 1, 2), self.roll(self.turn))

    def empty(self):
        return Piece(0, [], (0, 0), self.roll(self.turn))

    def draw_any(self):
        """One with up to three caps of 25 to 300 mm2, of different classes"""
        channels = self.rng.permutation(DEFECTS)[:self.rng.integers(0, 4)]
        return self.draw({int(k): math.exp(self.rng.uniform(math.log(25), math.log(300))) for k in channels})

    def roll(self, turn):
        return [roll(cup * turn) for cup in range(self.cups)]

    def hop(self, cup):
        """Poses of a piece that lies anew, in any way, from a cup on."""
        anew = draw_rotation(self.rng)
        return [roll(c * self.turn) @ (anew if c >= cup else np.eye(3)) for c in range(self.cups)]

    # what is true of them

    def axes(self, piece, cups=None, views=None):
        """Towards the cameras of its looks, as the piece lies in cup 0: looks x 3"""
        return np.array([self.cameras[v][2] @ piece.poses[c] for c in cups or range(self.cups)
                         for v in (range(len(self.tilts)) if views is None else views)])

    def visible(self, piece, channel, views=None, least=0):
        """The greatest area of a class that one look shows, of the views, in mm2; at a greater cosine than the least"""
        axes = self.axes(piece, views=views)
        shares = [((cap.points() @ axes.T) > least).mean(axis=0) * piece.area(cap) for cap in piece.caps if cap.channel == channel]
        return max(sum(shares)) if shares else 0

    def is_seen(self, piece, cap):
        """Whether all of it is less than 60 degrees from some look's axis"""
        return ((cap.points() @ self.axes(piece).T).max(axis=1) > .5).all()

    def coverage(self, piece, views=None, n=40000):
        """The share of the sphere that is, by points drawn at random"""
        points = draw_directions(np.random.default_rng(5), n)
        return ((points @ self.axes(piece, views=views).T).max(axis=1) > .5).mean()

    # pictures

    def shares(self, piece, cup, view):
        """(first row, first column, rows x columns x classes): the share of each class in the pixels around a piece"""
        r = piece.diameter / 2 / self.scales[view]
        x, y = self.firsts[view] + cup * self.pitches[view] + piece.place[0], (self.rows - 1) / 2 + piece.place[1]
        left, top = (max(math.floor(at - r), 0) for at in (x, y))
        columns, rows = min(math.ceil(x + r), self.columns - 1) + 1 - left, min(math.ceil(y + r), self.rows - 1) + 1 - top
        u = (left - .5 + (np.arange(columns * SAMPLES) + .5) / SAMPLES - x) / r
        v = (top - .5 + (np.arange(rows * SAMPLES) + .5) / SAMPLES - y) / r
        u, v = np.meshgrid(u.astype(np.float32), v.astype(np.float32))
        w = 1 - u * u - v * v
        inside = w > 0
        w = np.sqrt(np.maximum(w, 0))

        def share(samples):
            return samples.reshape(rows, SAMPLES, columns, SAMPLES).mean(axis=(1, 3), dtype=np.float32)

        out = np.zeros((rows, columns, len(CLASSES)), np.float32)
        out[..., SKIN] = share(inside)
        out[..., BELT] = 1 - out[..., SKIN]
        for cap in piece.caps:
            a = (self.cameras[view] @ piece.poses[cup] @ cap.axis).astype(np.float32)
            # none of it is on this side
            if a[2] < -math.sin(cap.angle):
                continue
            part = share(inside & (a[0] * u + a[1] * v + a[2] * w >= math.cos(cap.angle)))
            out[..., cap.channel] += part
            out[..., SKIN] -= part
        return top, left, out

    def tensor(self, pieces, trigger):
        """Of a trigger: views x rows x columns x classes, the sum of each pixel 1"""
        tensor = self.noises[trigger % N_NOISES].copy()
        tensor[..., BELT] += 1 - NOISE
        for cup in range(self.cups):
            piece = pieces[trigger - cup] if 0 <= trigger - cup < len(pieces) else None
            for view in range(len(self.tilts)) if piece and piece.diameter else ():
                top, left, shares = self.shares(piece, cup, view)
                at = view, slice(top, top + shares.shape[0]), slice(left, left + shares.shape[1])
                tensor[at] = self.noises[trigger % N_NOISES][at] + (1 - NOISE) * shares
        return tensor

    def tensors(self, pieces):
        """Of all triggers until the last piece has left"""
        return [self.tensor(pieces, trigger) for trigger in range(len(pieces) + self.cups - 1)]

    # what goes wrong

    def darken(self, tensors, views):
        """The lamps of these views are off: belt alone"""
        for trigger, tensor in enumerate(tensors):
            tensor = tensor.copy()
            for view in views:
                tensor[view] = self.noises[(trigger + 1) % N_NOISES][view]
                tensor[view, ..., BELT] += 1 - NOISE
            yield tensor

    def spoil(self, tensors, pieces, numbers, views):
        """NaN where these pieces are rotten, in the views that views(number) has"""
        for trigger, tensor in enumerate(tensors):
            tensor = tensor.copy()
            for cup in range(self.cups):
                number = trigger - cup
                if number not in numbers:
                    continue
                columns = slice(cup * self.pitch, (cup + 1) * self.pitch)
                for view in views(number):
                    part = tensor[view, :, columns]
                    part[part[..., ROT] > .3] = np.nan
            yield tensor
