# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the looks at a piece say together, as docs/fruit-line.md defines it: its measures, its rotation, how much was seen."""
import functools
import math

import numpy as np

LIMB = .3                               # where a look sees less than this cosine it is not asked
SAFE_LIMB = .5                          # what is seen at less than this one is not measured well
MOST_MARKS = 512                        # more than these are not found again in other looks
LARGE_AREA = 15                         # marks of as many least areas are large
SAMPLES, EDGE = 16, 1                   # points of a contour that are asked; pixels to the edge of a fruit that may go on there
RANGE, NEAR, PLAUSIBLE = 120, 4, 30     # degrees of the turns that are looked at, of a peak, that one pair may say
SAME_TURN = 6                           # degrees that count as the same turn
SAME_PLACE, SAME_SIZE, CUT = .08, .6, .02
POLE, CUT_POLE = .95, .85               # how far along the axis longitudes are known, those of marks behind the limb
SLACK, CUT_SLACK = .07, .26             # radians by which looks may differ on where a mark is; or one behind the limb
LARGER = 1.2                            # a part may be found larger than all by this factor
WHOLE, WELL, EXPECTED, CUT_EXPECTED = .7, .5, .75, .85


def get_turn(geometry, diameter):
    """Degrees from cup to cup of a piece of this diameter."""
    return 360 * geometry.travel / (math.pi * diameter) if geometry.travel else geometry.turn


class Sight:
    """A look's direction."""

    def __init__(self, tilt, cup):
        tilt = tilt * math.pi / 180
        self.st, self.ct, self.cup = math.sin(tilt), math.cos(tilt), cup

    def set_turn(self, turn):
        turn = self.cup * turn * math.pi / 180
        self.sc, self.cc = math.sin(turn), math.cos(turn)
        self.direction = (-(self.ct * self.sc), self.st, self.ct * self.cc)
        return self


class Look(Sight):
    """A piece as one view sees it in one cup."""

    def __init__(self, geometry, cup, view, contours, fruit):
        super().__init__(geometry.tilts[view], cup)
        feret = float(fruit.hull["feret_min"]) + float(fruit.hull["feret_max"])
        self.contours, self.view, self.scale = contours, view, geometry.scales[view]
        self.ferets = self.scale * float(fruit.hull["feret_min"]), self.scale * float(fruit.hull["feret_max"])
        self.is_cut = fruit.box[0] < EDGE or fruit.box[1] < EDGE or fruit.box[2] > geometry.columns - 1 - EDGE or \
            fruit.box[3] > geometry.rows - 1 - EDGE
        self.x, self.y, self.radius = float(fruit.hull["circle_x"]), float(fruit.hull["circle_y"]), feret / 4
        self.diameter = 2 * self.scale * math.sqrt(abs(fruit.area) / math.pi)

    def get_directions(self, x, y):
        """Unit vectors in the lane of points in pixels, and their cosines to the camera."""
        u, v = (x - self.x) / self.radius, (y - self.y) / self.radius
        r = u * u + v * v
        length = np.sqrt(np.where(r > 1, r, 1.))
        u, v = u / length, v / length
        w = np.sqrt(np.where(r < 1, 1 - r, 0.))
        return (u, v * self.ct + w * self.st, w * self.ct - v * self.st), w

    def project(self, at):
        """Where a direction in the piece is in the picture; None on the other side."""
        x, z = at[0] * self.cc + at[2] * self.sc, at[2] * self.cc - at[0] * self.sc
        if not at[1] * self.st + z * self.ct > 0:
            return None
        return self.x + self.radius * x, self.y + self.radius * (at[1] * self.ct - z * self.st)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def add_up(values):
    """One after the other."""
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.


def weigh(cosine):
    square = (cosine - LIMB) * (cosine - LIMB)
    return np.where(cosine > LIMB, square * square, 0.)


def get_shown(own, limb, x, y):
    """Square millimetres of surface for each of the picture that the look shows, at points."""
    u, v = (x - own.x) / own.radius, (y - own.y) / own.radius
    q = 1 - u * u - v * v
    return 1 / np.where(q > limb * limb, np.sqrt(np.where(q > 0, q, 0)), limb)


def get_shared(looks, own, x, y):
    """The same, as the looks that see a place share it."""
    u, v = (x - own.x) / own.radius, (y - own.y) / own.radius
    q = 1 - u * u - v * v
    w = np.sqrt(np.where(q > 0, q, 0))
    ly, lz = v * own.ct + w * own.st, w * own.ct - v * own.st
    bx, bz = u * own.cc - lz * own.sc, u * own.sc + lz * own.cc
    total = np.zeros_like(w)
    for look in looks:
        e = look.direction
        total = total + weigh(w if look is own else bx * e[0] + ly * e[1] + bz * e[2])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((q > 0) & (w > LIMB), weigh(w) / (total * w), 0.)


def get_surface(factor, contour, scale):
    """factor: a function of points"""
    mx, my = (contour.box[0] + contour.box[2]) / 2, (contour.box[1] + contour.box[3]) / 2
    ax, ay = contour.points[:-1].T
    bx, by = contour.points[1:].T
    area = ((ax - mx) * (by - my) - (bx - mx) * (ay - my)) / 2
    fa, fb, fc = (factor(x, y) for x, y in (
        ((mx + ax) / 2, (my + ay) / 2), ((mx + bx) / 2, (my + by) / 2), ((ax + bx) / 2, (ay + by) / 2)))
    total = add_up(area * (fa + fb + fc) / 3)
    return (-total if (contour.area < 0) != contour.is_hole else total) * (scale * scale)


def get_mark_surface(factor, own, contour):
    """Of a contour of a look without its holes."""
    surface = get_surface(factor, contour, own.scale)
    for hole in own.contours:
        if hole.is_hole and hole.parent == contour.id:
            surface += get_surface(factor, hole, own.scale)
    return max(surface, 0.)


class Mark:
    """A blemish as one look shows it."""

    def __init__(self, look, contour, n_parts):
        self.look, self.contour, self.share = look, contour, 1.
        self.parts, self.main = [0.] * n_parts, -1
        self.place()
        self.surface = self.least_surface = get_mark_surface(
            functools.partial(get_shown, look, SAFE_LIMB), look, contour)
        if LIMB < self.least < SAFE_LIMB:
            self.surface = get_mark_surface(functools.partial(get_shown, look, LIMB), look, contour)

    def place(self):
        """The middle of its surface, a direction in the lane; its radius; the least cosine of its points."""
        box, points = self.contour.box, self.contour.points
        mx, my = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        ax, ay = points[:-1].T
        bx, by = points[1:].T
        directions, cosines = self.look.get_directions(ax, ay)
        self.least = float(np.min(cosines, initial=1))
        middles, w = self.look.get_directions((mx + ax + bx) / 3, (my + ay + by) / 3)
        weights = ((ax - mx) * (by - my) - (bx - mx) * (ay - my)) / np.maximum(w, LIMB)
        total = [add_up(weights * part) for part in middles]
        (x, y, z), _ = self.look.get_directions(np.float64(mx), np.float64(my))
        centre = float(x), float(y), float(z)
        length = math.sqrt(total[0] * total[0] + total[1] * total[1] + total[2] * total[2])
        if dot(total, centre) < 0:
            length = -length
        self.centre = tuple(part / length for part in total) if length else centre
        nearest = float(np.min(dot(directions, self.centre), initial=1))
        self.radius = math.acos(max(nearest, -1.))

    def get_longitude(self):
        return math.atan2(self.centre[0], self.centre[2]) * 180 / math.pi

    def get_sum(self):
        total = 0.
        for part in self.parts:
            total += part
        return total

    def find_main(self):
        self.parts = [max(part, 0.) for part in self.parts]
        self.main = self.parts.index(max(self.parts)) if self.get_sum() > 0 else -1

    def has_longitude(self):
        return abs(self.centre[1]) <= (POLE if self.least > LIMB else CUT_POLE)

    def may_be(self, other):
        return self.look.cup != other.look.cup and self.main == other.main \
            and self.has_longitude() and other.has_longitude() \
            and (max(self.least, other.least) > LIMB or self.centre[0] * other.centre[0] > 0) \
            and abs(self.centre[1] - other.centre[1]) <= SAME_PLACE \
            and self.surface >= SAME_SIZE * other.surface and other.surface >= SAME_SIZE * self.surface

    def turn(self):
        look, d = self.look, self.centre
        self.at = d[0] * look.cc - d[2] * look.sc, d[1], d[0] * look.sc + d[2] * look.cc

    def has(self, other):
        """Whether the middle of the other one is within this one's outline, or almost."""
        if dot(other.at, self.at) < math.cos(min(self.radius + SLACK, math.pi)):
            return False
        at, slack = self.look.project(other.at), SLACK * self.look.radius
        return at is not None and get_distance2(self.contour.points, *at) <= slack * slack


def has_point(points, x, y):
    """Whether a point is within a contour."""
    ax, ay = points[:-1].T
    bx, by = points[1:].T
    with np.errstate(divide="ignore", invalid="ignore"):
        crosses = ((ay > y) != (by > y)) & (x < ax + (y - ay) * (bx - ax) / (by - ay))
    return np.count_nonzero(crosses) % 2 == 1


def get_distance2(points, x, y):
    """The square of a point's distance from a contour; 0 within it."""
    if has_point(points, x, y):
        return 0.
    ax, ay = points[:-1].T
    bx, by = points[1:].T
    if not len(ax):
        return math.inf
    dx, dy, px, py = bx - ax, by - ay, x - ax, y - ay
    length2 = dx * dx + dy * dy
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.clip(np.where(length2 > 0, (px * dx + py * dy) / length2, 0.), 0, 1)
    qx, qy = px - t * dx, py - t * dy
    return float(np.min(qx * qx + qy * qy))


def has_points_in(look, a, b):
    """Whether some of up to 16 points of contour a are within b or on it, and not in one of its holes."""
    holes = [hole for hole in look.contours if hole.is_hole and hole.parent == b.id]
    return any(get_distance2(b.points, x, y) <= 0 and not any(has_point(hole.points, x, y) for hole in holes)
               for x, y in a.points[:-1:max(len(a.points) // SAMPLES, 1)])


def do_overlap(look, a, b):
    return a.box[0] <= b.box[2] and b.box[0] <= a.box[2] and a.box[1] <= b.box[3] and b.box[1] <= a.box[3] \
        and (has_points_in(look, a, b) or has_points_in(look, b, a))


def vote(marks, nominal, large_mm2):
    """(turn, weight, first cup, second cup, whether they are large) by each pair of marks that may be the same."""
    for i, a in enumerate(marks):
        for b in marks[i + 1:]:
            if not a.may_be(b):
                continue
            first, second = (a, b) if a.look.cup < b.look.cup else (b, a)
            span, by = second.look.cup - first.look.cup, second.get_longitude() - first.get_longitude()
            weight, is_large = max(min(a.least, b.least) - LIMB, CUT), min(a.surface, b.surface) >= large_mm2
            for whole in range(-span, span + 1):
                turn = (by + 360 * whole) / span
                off = turn - nominal
                if -RANGE <= off < RANGE:
                    yield turn, weight / (1 + off * off / 900), first.look.cup, second.look.cup, is_large


def find_peak(votes, nominal):
    bins, most, centre = [0.] * (2 * RANGE), 0., nominal
    for turn, weight, *_ in votes:
        bins[int(turn - nominal + RANGE)] += weight
    for i in range(2 * RANGE):
        score = 0.
        for k in range(max(i - NEAR + 1, 0), min(i + NEAR, 2 * RANGE)):
            score += (NEAR - abs(i - k)) * bins[k]
        if score > most:
            most, centre = score, nominal - RANGE + i + .5
    return centre


def find_turn(marks, nominal, large_mm2):
    """(degrees from cup to cup, whether marks say so)"""
    votes = list(vote(marks, nominal, large_mm2))
    centre = find_peak(votes, nominal)
    for _ in range(3):
        weight, total, pairs = 0., 0., set()
        for turn, of, first, second, is_large in votes:
            if abs(turn - centre) <= SAME_TURN:
                known = of * (second - first) * (second - first)
                weight += known
                total += known * turn
                pairs |= {(first, second)} if is_large else set()
        if not weight > 0:
            return nominal, False
        centre = total / weight
    is_found = abs(centre - nominal) <= PLAUSIBLE or len(pairs) > 1
    return (centre if is_found else nominal), is_found


class Track:
    """The same mark, as several looks show it."""

    def __init__(self, marks):
        self.marks, self.surface, self.least = marks, {}, {}
        for mark in marks:
            self.surface[mark.look] = self.surface.get(mark.look, 0.) + mark.surface
            self.least[mark.look] = min(self.least.get(mark.look, mark.least), mark.least)

    def weigh(self):
        """How much each look's marks count, by look; None if no look shows all of it."""
        weights = {}
        for look, least in self.least.items():
            above = least - LIMB
            weights[look] = above * above * above * above if above > 0 else 0.
        most = max((self.surface[look] for look, weight in weights.items() if weight > 0), default=0.)
        total = 0.
        for look in weights:
            if self.surface[look] < WHOLE * most:
                weights[look] = 0.
            total += weights[look]
        return {look: weight / total for look, weight in weights.items()} if total > 0 else None

    def share_parts(self, looks):
        """Each place as the looks that see it share it; all together not less than one look shows."""
        total, most = 0., max(self.surface.values())
        for mark in self.marks:
            factor = functools.partial(get_shared, looks, mark.look)
            mark.share = get_mark_surface(factor, mark.look, mark.contour) / mark.surface if mark.surface > 0 else 0.
            total += mark.share * mark.surface
        if total < most:
            for mark in self.marks:
                mark.share = mark.share * (most / total) if total > 0 else float(self.surface[mark.look] == most)

    def is_missed(self, looks, large_mm2):
        for mark in self.marks:
            expected, least_mm2 = (EXPECTED, large_mm2) if mark.least > LIMB else (CUT_EXPECTED, large_mm2 / 2)
            if not LIMB < mark.least < WELL and mark.surface >= least_mm2 and any(
                    look not in self.surface and dot(mark.at, look.direction) >= expected for look in looks):
                return True
        return False

    def share(self, looks):
        weights = self.weigh()
        if weights is None:
            self.share_parts(looks)
            return
        for mark in self.marks:
            mark.share = weights[mark.look]


def get_gap(part, whole):
    """Radians from the middle of a mark to the rim of another one, if that is round; inf if one look shows both."""
    if part.look is whole.look:
        return math.inf
    return math.acos(min(max(dot(part.at, whole.at), -1.), 1.)) - whole.radius


def find_tracks(marks):
    """Those that are the same: marks that looks show whole, then parts of them, then others behind the limb."""
    tracks = list(range(len(marks)))

    def join(i, j):
        old, new = max(tracks[i], tracks[j]), min(tracks[i], tracks[j])
        tracks[:] = [new if track == old else track for track in tracks]

    for mark in marks:
        mark.turn()
    whole = [i for i, mark in enumerate(marks) if mark.least > LIMB]
    for k, i in enumerate(whole):
        for j in whole[k + 1:]:
            a, b = marks[i], marks[j]
            if a.look is not b.look and tracks[i] != tracks[j] and (b.has(a) or a.has(b)):
                join(i, j)
    rest = []
    for i in (i for i, mark in enumerate(marks) if mark.least <= LIMB):
        near, surfaces = [(gap, j) for j in whole if (gap := get_gap(marks[i], marks[j])) <= CUT_SLACK], {}
        for _, j in near:
            surfaces[marks[j].look] = surfaces.get(marks[j].look, 0.) + marks[j].surface
        if near and marks[i].surface <= LARGER * max(surfaces.values()):
            join(i, min(near)[1])
        else:
            rest.append(i)
    for k, i in enumerate(rest):
        for j in rest[k + 1:]:
            if min(get_gap(marks[i], marks[j]), get_gap(marks[j], marks[i])) <= CUT_SLACK:
                join(i, j)
    return [Track([mark for mark, track in zip(marks, tracks) if track == name]) for name in sorted(set(tracks))]


@functools.lru_cache(maxsize=1)
def make_sphere():
    """512 points that share it evenly."""
    n = 512
    z = [1 - (2 * i + 1.) / n for i in range(n)]
    r = [math.sqrt(1 - height * height) for height in z]
    return (np.array([r[i] * math.cos(i * 2.399963229728653) for i in range(n)]),
            np.array([r[i] * math.sin(i * 2.399963229728653) for i in range(n)]), np.array(z))


def get_coverage(sights):
    """The share of a sphere that is seen at less than 60 degrees."""
    sphere, is_seen = make_sphere(), np.zeros(512, bool)
    for sight in sights:
        is_seen |= dot(sphere, sight.direction) >= .5
    return np.count_nonzero(is_seen) / 512


class Aggregation:
    """The measures of a piece, of the contours of its looks."""

    def __init__(self, geometry, recipe):
        self.geometry, self.recipe = geometry, recipe

    def find_fruit(self, contours, cup, view):
        best = None
        for contour in contours:
            if contour.class_id == len(self.recipe.classes) and not contour.is_hole and \
                    self.geometry.find_cup(contour, view) == cup and (best is None or abs(contour.area) > abs(best.area)):
                best = contour
        small = self.recipe.min_diameter / self.geometry.scales[view]
        return best if best is not None and float(best.hull["feret_min"]) >= small else None

    def find_looks(self, views):
        """The look of each view in each cup, None without fruit; empty unless some view has it in half of its looks."""
        looks, there, shown = [], {}, {}
        for cup, view, contours in views:
            fruit = self.find_fruit(contours, cup, view) if contours is not None else None
            looks.append(Look(self.geometry, cup, view, contours, fruit) if fruit else None)
            there[view] = there.get(view, 0) + (contours is not None)
            shown[view] = shown.get(view, 0) + (fruit is not None)
        return looks, not any(shown[view] and 2 * shown[view] >= there[view] for view in there)

    def measure(self, views):
        """@views: (cup, view, contours, or None if it is not there) of each look, in order. Returns: a dict; of an empty piece
        it has no diameter"""
        looks, is_empty = self.find_looks(views)
        measures = {"shown": [look is not None for look in looks]}
        looks = [look for look in looks if look]
        if is_empty:
            return measures
        diameters, n = sorted(look.diameter for look in looks), len(looks)
        diameter = diameters[n // 2] if n % 2 else (diameters[n // 2 - 1] + diameters[n // 2]) / 2
        marks = [mark for look in looks for mark in self.find_marks(look)]
        measures.update(diameter=diameter, surface=math.pi * diameter * diameter, is_cut=any(look.is_cut for look in looks),
                        roundness=min(look.ferets[0] for look in looks) / max(look.ferets[1] for look in looks))
        self.find_again(looks, marks, measures)
        measures["classes"] = self.add_up(looks, marks, measures["surface"])
        return measures

    def find_marks(self, look):
        marks, defects = [], self.recipe.defects
        own = [contour for contour in look.contours if self.geometry.find_cup(contour, look.view) == look.cup]
        for contour in own:
            if contour.class_id == len(self.recipe.classes) + 1 and not contour.is_hole:
                marks.append(Mark(look, contour, len(defects)))
        for contour in own:
            if contour.class_id not in defects or contour.is_hole:
                continue
            surface = get_mark_surface(functools.partial(get_shown, look, LIMB), look, contour)
            owners, total = [mark for mark in marks if do_overlap(look, contour, mark.contour)], 0.
            for mark in owners:
                total += mark.surface
            for mark in owners if total > 0 else ():
                mark.parts[defects.index(contour.class_id)] += surface * mark.surface / total
        for mark in marks:
            mark.find_main()
        return marks

    def get_large(self):
        """Square millimetres from which on a blemish is large."""
        return LARGE_AREA * self.recipe.min_area * max(self.geometry.scales) ** 2

    def find_again(self, looks, marks, measures):
        """The piece's rotation, and which looks' marks are the same."""
        geometry, is_tracked = self.geometry, len(marks) <= MOST_MARKS
        nominal, large_mm2 = get_turn(geometry, measures["diameter"]), self.get_large()
        turn, is_measured = find_turn(marks, nominal, large_mm2) if is_tracked else (nominal, False)
        for look in looks:
            look.set_turn(turn)
        tracks = find_tracks(marks) if is_tracked else []
        for track in tracks:
            track.share(looks)
        measures.update(
            turn=turn, is_measured=is_measured,
            is_inconsistent=not is_tracked or any(track.is_missed(looks, large_mm2) for track in tracks),
            coverage=get_coverage(looks), most_coverage=get_coverage(
                Sight(tilt, cup).set_turn(nominal) for cup in range(geometry.cups) for tilt in geometry.tilts))

    def add_up(self, looks, marks, surface):
        figures = {name: {"percent": 0., "mm2": 0., "max_length_mm": 0., "count": 0, "confidence": 0., "main": 0.,
                          "whole": 0., "most": 0.} for name in self.recipe.names}
        for look in looks:
            counts, shown = dict.fromkeys(figures, 0), dict.fromkeys(figures, 0.)
            for mark in marks:
                if mark.look is look:
                    self.add_mark(mark, figures, counts, shown)
            for name, figure in figures.items():
                figure["count"] = max(figure["count"], counts[name])
                figure["most"] = max(figure["most"], shown[name])
        for figure in figures.values():
            figure["mm2"] = min(max(figure["mm2"], figure["most"]), surface)
            figure["percent"] = 100 * figure["mm2"] / surface
            if figure["whole"] > 0:
                figure["confidence"] = figure["main"] / figure["whole"]
        return figures

    def add_mark(self, mark, figures, counts, shown):
        total, surface, share, names = mark.get_sum(), mark.surface * mark.share, 0., ["defect"]
        if total > 0:
            for name, part in zip(self.recipe.names, mark.parts):
                figures[name]["mm2"] += surface * part / total
                shown[name] += mark.least_surface * part / total
            share = surface * mark.parts[mark.main] / total
            names.insert(0, self.recipe.names[mark.main])
        figures["defect"]["mm2"] += surface
        shown["defect"] += mark.least_surface
        for name in names:
            figures[name]["main"] += share
            figures[name]["whole"] += surface
            if surface > 0:
                counts[name] += 1
                figures[name]["max_length_mm"] = max(figures[name]["max_length_mm"],
                                                     mark.look.scale * float(mark.contour.hull["feret_max"]))
