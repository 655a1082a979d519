# SPDX-License-Identifier: LGPL-2.1-or-later
"""counts.py [partners]: shapes on random ways through random zones.

Without an argument against a literal version: angles around a zone's corners are
summed, crossings of lines are solved for in fractions, and what is counted
follows from the whole way of a track. With it against supervision's PolygonZone
and LineZone, exit status 77 without that."""

import json
import math
import random
import sys
import unittest
from fractions import Fraction

SKIP = 77
WIDTH, HEIGHT = 320, 240

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

Gst, GstShapes, np = need('Gst', 'GstShapes', 'numpy')

sv = None
if sys.argv[1:2] == ['partners']:
    try:
        import supervision as sv
    except ImportError as missing:
        print('skipped:', missing)
        sys.exit(SKIP)


def frame_of(objects):
    """A frame with a shape for each (points, track, class)."""
    buffer = Gst.Buffer.new_allocate(None, 1, None)
    shapes = GstShapes.ShapeSet.from_polygons([points for points, _, _ in objects], WIDTH, HEIGHT,
                                              class_ids=[c for _, _, c in objects])
    tracked = GstShapes.ShapeSet.new(WIDTH, HEIGHT)
    if objects:
        tracked.add_layer(shapes[0].annotate(track_ids=[t for _, t, _ in objects]))
    GstShapes.buffer_add_shape_meta(buffer, tracked)
    return buffer


def run(settings, frames, changes=None):
    """What shapezones tells of each frame, the shapes' lines, and warnings. @changes: settings from frame i on"""
    pipeline = Gst.parse_launch('appsrc name=in format=time caps=application/x-shapes ! shapezones name=zones '
                                '! shapejsonenc points=none ! appsink name=out sync=false')
    appsrc, appsink, zones = (pipeline.get_by_name(n) for n in ('in', 'out', 'zones'))
    for name, value in settings.items():
        Gst.util_set_object_arg(zones, name, str(value))
    pipeline.set_state(Gst.State.PLAYING)
    lines = []
    for i, frame in enumerate(frames):
        for name, value in (changes or {}).get(i, {}).items():
            Gst.util_set_object_arg(zones, name, str(value))
        frame.pts = i * 40 * Gst.MSECOND
        appsrc.emit('push-buffer', frame)
        sample = appsink.emit('try-pull-sample', 10 * Gst.SECOND)
        if not sample:
            break
        buffer = sample.get_buffer()
        lines.append(json.loads(buffer.extract_dup(0, buffer.get_size())))
    messages = []
    while True:
        message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR | Gst.MessageType.WARNING)
        if not message:
            break
        messages.append((message.parse_error() if message.type == Gst.MessageType.ERROR
                         else message.parse_warning())[0].message)
    pipeline.set_state(Gst.State.NULL)
    return lines, messages


def told(line):
    return line['tags']['metas']['shapezones']


def text(points):
    return ' '.join('%.9g,%.9g' % p for p in points)


# Literal geometry

def contains(polygon, x, y):
    """By the sum of angles; of what is not on the border."""
    total = 0
    for (ax, ay), (bx, by) in zip(polygon, polygon[1:] + polygon[:1]):
        total += math.atan2((ax - x) * (by - y) - (bx - x) * (ay - y), (ax - x) * (bx - x) + (ay - y) * (by - y))
    return abs(total) > math.pi


def crossings(line, p, q):
    """Forward less backward, solved in fractions; of ways that meet no corner and do not end on the line."""
    n = 0
    px, py, qx, qy = map(Fraction, p + q)
    for (ax, ay), (bx, by) in zip(line, line[1:]):
        ax, ay, bx, by = map(Fraction, (ax, ay, bx, by))
        det = (qx - px) * (by - ay) - (qy - py) * (bx - ax)
        if det == 0:
            continue
        t = ((ax - px) * (by - ay) - (ay - py) * (bx - ax)) / det
        u = ((ax - px) * (qy - py) - (ay - py) * (qx - px)) / det
        if 0 < t < 1 and 0 < u < 1:
            # y points down: the right hand of who walks to the right points down
            n += 1 if (bx - ax) * (qy - py) - (by - ay) * (qx - px) > 0 else -1
    return n


def distance(corners, closed, x, y):
    pairs = zip(corners, corners[1:] + corners[:1]) if closed else zip(corners, corners[1:])
    best = math.inf
    for (ax, ay), (bx, by) in pairs:
        length = math.hypot(bx - ax, by - ay)
        t = max(0, min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length ** 2))
        best = min(best, math.hypot(ax + t * (bx - ax) - x, ay + t * (by - ay) - y))
    return best


def expect_zone(ways, polygon, hysteresis):
    """entered, left, appeared, lost by the ways of all tracks: each a list of positions, all of it seen."""
    counts = dict(entered=0, left=0, appeared=0, lost=0)
    for way in ways:
        state, free = None, False
        for x, y in way:
            inside = contains(polygon, x, y)
            away = distance(polygon, True, x, y) >= hysteresis
            if state is None:
                state, free = inside, True
                counts['appeared'] += inside
                continue
            free = free or away
            if free and inside != state:
                counts['entered' if inside else 'left'] += 1
                state, free = inside, away
        if inside != state:
            counts['entered' if inside else 'left'] += 1
        counts['lost'] += inside
    return counts


def expect_line(ways, line, hysteresis):
    counts = dict(forward=0, backward=0)

    def count(n):
        counts['forward' if n > 0 else 'backward'] += abs(n)

    for way in ways:
        free, open_crossings = True, 0
        for p, q in zip(way, way[1:]):
            open_crossings += crossings(line, p, q)
            away = distance(line, False, *q) >= hysteresis
            free = free or away
            if free and open_crossings:
                count(open_crossings)
                open_crossings, free = 0, away
        if open_crossings:
            count(open_crossings)
    return counts


# Random scenes

def star(rng, cx, cy, radius, n):
    """A polygon that does not cross itself, with coordinates that are exact in binary."""
    while True:
        angles = sorted(rng.sample(range(64), n))
        if max((b - a) % 64 for a, b in zip(angles, angles[1:] + angles[:1])) < 30:
            break
    corners = []
    for angle in angles:
        r = radius * rng.uniform(.4, 1)
        corners.append(tuple(round(4 * (c + r * f(angle * math.pi / 32))) / 4 + .0625
                             for c, f in ((cx, math.cos), (cy, math.sin))))
    return corners


def wander(rng, n):
    """A way with jitter, on a grid that no corner of a zone is on."""
    x, y = rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT)
    dx, dy = rng.uniform(-9, 9), rng.uniform(-9, 9)
    way = []
    for _ in range(n):
        way.append((round(4 * x) / 4, round(4 * y) / 4))
        jitter = rng.choice([.5, 6])
        x, y = x + dx + rng.gauss(0, jitter), y + dy + rng.gauss(0, jitter)
        if rng.random() < .1:
            dx, dy = rng.uniform(-9, 9), rng.uniform(-9, 9)
    return way


def box(x, y):
    """A square whose centroid is (x, y)."""
    return [(x - 2, y - 2), (x + 2, y - 2), (x + 2, y + 2), (x - 2, y + 2)]


class Ways(unittest.TestCase):
    def check(self, seed):
        rng = random.Random(seed)
        zones = [star(rng, rng.uniform(60, 260), rng.uniform(60, 180), 60, rng.randint(3, 9)) for _ in range(4)]
        lines = [[(rng.randrange(WIDTH) + .125, rng.randrange(HEIGHT) + .125) for _ in range(rng.randint(2, 5))]
                 for _ in range(4)]
        hysteresis = rng.choice([0, 1, 4, 20])
        ways = {track: wander(rng, 40) for track in range(12)}
        begins = {track: rng.randrange(20) for track in ways}
        frames = [frame_of([(box(*way[i - begins[track]]), track, track % 3) for track, way in ways.items()
                            if 0 <= i - begins[track] < len(way)]) for i in range(60)]
        # all are lost
        frames += [frame_of([]) for _ in range(4)]
        told_lines, messages = run({
            'zones': ';'.join('z%d: %s' % (i, text(z)) for i, z in enumerate(zones)),
            'lines': ';'.join('l%d: %s' % (i, text(z)) for i, z in enumerate(lines)),
            'hysteresis': hysteresis, 'max-unseen': 2}, frames)
        self.assertEqual(messages, [])
        last = told(told_lines[-1])
        for zone, polygon in zip(last['zones'], zones):
            for name, n in expect_zone(ways.values(), polygon, hysteresis).items():
                self.assertEqual(zone[name], n, (seed, zone['name'], name))
            self.assertEqual((zone['inside'], zone['unseen']), (0, 0))
        for line, corners in zip(last['lines'], lines):
            for name, n in expect_line(ways.values(), corners, hysteresis).items():
                self.assertEqual(line[name], n, (seed, line['name'], name))
        for i, line in enumerate(told_lines):
            self.check_frame(line, zones, {t: w[i - begins[t]] for t, w in ways.items()
                                           if 0 <= i - begins[t] < len(w)})
        self.check_events(told_lines)

    def check_frame(self, line, zones, places):
        for zone in told(line)['zones']:
            self.assertEqual(zone['inside'], zone['entered'] + zone['appeared'] - zone['left'] - zone['lost'])
            for name in ('inside', 'entered', 'left', 'appeared', 'lost'):
                self.assertEqual(zone[name], sum(c[name] for c in zone['classes']))
        by_track = {shape['track-id']: shape.get('region-id', -1) for shape in line['shapes']}
        for track, place in places.items():
            inside = [i for i, z in enumerate(zones) if contains(z, *place)]
            self.assertEqual(by_track[track], inside[0] if inside else -1)
        for zone, polygon in zip(told(line)['zones'], zones):
            self.assertAlmostEqual(zone['area'], 16 * sum(contains(polygon, *p) for p in places.values()))

    def check_events(self, lines):
        """The counts are the sums of the events."""
        sums, dwells = {}, {}
        for line in lines:
            for event in told(line).get('events', []):
                name = event.get('zone', event.get('line'))
                sums[name, event['event']] = sums.get((name, event['event']), 0) + 1
                if 'dwell' in event:
                    dwells.setdefault(name, []).append(event['dwell'])
        for zone in told(lines[-1])['zones'] + told(lines[-1])['lines']:
            for name in ('entered', 'left', 'appeared', 'lost', 'forward', 'backward'):
                self.assertEqual(zone.get(name, 0), sums.get((zone['name'], name), 0))
            if 'max-dwell' in zone:
                own = dwells[zone['name']]
                self.assertEqual(zone['max-dwell'], max(own))
                self.assertEqual(zone['mean-dwell'], sum(own) // len(own))

    def test_counts_are_those_of_literal_geometry(self):
        for seed in range(40):
            self.check(seed)


SQUARE = {'zones': 'a: 100,100 200,100 200,200 100,200', 'hysteresis': 0}


def way_frames(*places, track=1):
    return [frame_of([(box(*p), track, 0)] if p else []) for p in places]


class Rules(unittest.TestCase):
    def zone(self, lines, i=-1):
        return told(lines[i])['zones'][0]

    def test_jitter_at_a_border_is_one_crossing(self):
        places = [(90 + i, 150) for i in range(10)] + [(100 + (-1) ** i, 150) for i in range(20)] + [(120, 150)]
        lines, _ = run(dict(SQUARE, hysteresis=4), way_frames(*places))
        self.assertEqual((self.zone(lines)['entered'], self.zone(lines)['left']), (1, 0))
        lines, _ = run(SQUARE, way_frames(*places))
        self.assertEqual((self.zone(lines)['entered'], self.zone(lines)['left']), (11, 10))

    def test_a_crossing_counts_at_once(self):
        lines, _ = run(dict(SQUARE, hysteresis=20), way_frames((50, 150), (101, 150), (50, 150)))
        self.assertEqual([self.zone(lines, i)['inside'] for i in range(3)], [0, 1, 0])

    def test_a_border_belongs_to_one_of_two_zones(self):
        lines, _ = run({'zones': 'a: 0,0 100,0 100,100 0,100; b: 100,0 200,0 200,100 100,100'},
                       way_frames((100, 50), (99, 50), (101, 50), (100, 0), (0, 100)))
        inside = [[zone['area'] > 0 for zone in told(line)['zones']] for line in lines]
        self.assertEqual(inside, [[False, True], [True, False], [False, True], [False, True], [False, False]])

    def test_dwell_is_from_crossing_to_crossing(self):
        lines, _ = run(SQUARE, way_frames((90, 150), (110, 150), (120, 150), (130, 150), (90, 150)))
        event = told(lines[-1])['events'][0]
        self.assertEqual((event['event'], event['zone'], event['track-id'], event['dwell']),
                         ('left', 'a', 1, 3 * 40 * Gst.MSECOND))

    def test_what_is_not_seen_is_told(self):
        lines, _ = run(dict(SQUARE, **{'max-unseen': 3}),
                       way_frames((150, 150), None, None, (150, 150), None, None, None, None, None))
        self.assertEqual([(z['inside'], z['unseen'], z['appeared'], z['lost']) for z in map(
            lambda line: told(line)['zones'][0], lines)],
            [(1, 0, 1, 0), (1, 1, 1, 0), (1, 1, 1, 0), (1, 0, 1, 0),
             (1, 1, 1, 0), (1, 1, 1, 0), (1, 1, 1, 0), (0, 0, 1, 1), (0, 0, 1, 1)])

    def test_without_tracks_the_inside_is_counted(self):
        frames = [frame_of([(box(150, 150), None, 0), (box(160, 160), None, 1), (box(50, 50), None, 0)])
                  for _ in range(2)]
        lines, messages = run(SQUARE, frames)
        zone = self.zone(lines)
        self.assertEqual((zone['inside'], zone['entered'], zone['appeared'], zone['area']), (2, 0, 0, 32))
        self.assertEqual([(c['class'], c['inside']) for c in zone['classes']], [(0, 1), (1, 1)])
        self.assertEqual(len(messages), 1)
        self.assertIn('tracks=overlap', messages[0])

    def test_overlap_makes_tracks(self):
        frames = [frame_of([(box(50 + 3 * i, 150), None, 0), (box(250 - 3 * i, 160), None, 0)]) for i in range(60)]
        lines, messages = run(dict(SQUARE, tracks='overlap', lines='m: 150,0 150,240'), frames)
        self.assertEqual(messages, [])
        self.assertEqual((self.zone(lines)['entered'], self.zone(lines)['left']), (2, 2))
        line = told(lines[-1])['lines'][0]
        self.assertEqual((line['forward'], line['backward']), (1, 1))
        self.assertEqual([s['track-id'] for s in lines[-1]['shapes']], [0, 1])

    def test_overlap_follows_through_gaps_and_does_not_mix_classes(self):
        frames = [frame_of([(box(50 + 3 * i, 150), None, 0)] if i % 7 < 5 else []) for i in range(40)]
        frames += [frame_of([(box(170 + 3 * i, 150), None, 1)]) for i in range(3)]
        lines, _ = run(dict(SQUARE, tracks='overlap'), frames)
        self.assertEqual({s['track-id'] for line in lines[:40] for s in line['shapes']}, {0})
        self.assertEqual(lines[-1]['shapes'][0]['track-id'], 1)

    def test_anchors(self):
        tall = [(140, 60), (160, 60), (160, 110), (140, 110)]
        for anchor, inside in (('centroid', 0), ('center', 0), ('bottom', 1), ('any', 1)):
            lines, _ = run(dict(SQUARE, anchor=anchor), [frame_of([(tall, 1, 0)])])
            self.assertEqual(self.zone(lines)['inside'], inside, anchor)
        # the zone within the shape, and the shape within the zone
        for shape in ([(50, 50), (250, 50), (250, 220), (50, 220)], box(150, 150)):
            lines, _ = run(dict(SQUARE, anchor='any'), [frame_of([(shape, 1, 0)])])
            self.assertEqual(self.zone(lines)['inside'], 1)
        # around the zone, like a U
        shape = [(80, 80), (90, 80), (90, 210), (210, 210), (210, 80), (220, 80), (220, 220), (80, 220)]
        lines, _ = run(dict(SQUARE, anchor='any'), [frame_of([(shape, 1, 0)])])
        self.assertEqual(self.zone(lines)['inside'], 0)

    def test_any_part_leaves_when_all_of_it_has(self):
        def at(x):
            return frame_of([([(x - 20, 140), (x + 20, 140), (x + 20, 160), (x - 20, 160)], 1, 0)])
        places = list(range(61, 222, 2)) + [219, 221, 219, 223, 225]
        lines, _ = run(dict(SQUARE, anchor='any', hysteresis=3), [at(x) for x in places])
        inside = [self.zone(lines, i)['inside'] for i in range(len(lines))]
        self.assertEqual(inside, [int(80 < x < 221) for x in places[:-5]] + 5 * [0])

    def test_any_part_may_be_a_side(self):
        """No corner is in the other one: a wide box, whose lower side trembles at the border of a narrow zone."""
        def at(y):
            return frame_of([([(0, 0), (300, 0), (300, y), (0, y)], 1, 0)])
        places = 10 * [50.125, 49.875] + [40, 52]
        lines, _ = run({'zones': 'strip: 100,50 110,50 110,60 100,60', 'anchor': 'any', 'hysteresis': 4},
                       [at(y) for y in places])
        zone = self.zone(lines)
        self.assertEqual((zone['appeared'], zone['entered'], zone['left'], zone['inside']), (1, 1, 1, 1))

    def test_laps_cross_a_loop_as_often_either_way(self):
        """Places and corners on a grid, so that ways lead along sides and through corners."""
        rng = random.Random(5)
        for _ in range(60):
            line = [(rng.randrange(5) * 10, rng.randrange(5) * 10) for _ in range(5)]
            lap = [(rng.randrange(5) * 10, rng.randrange(5) * 10) for _ in range(5)]
            if len(set(line)) < 2:
                continue
            lines, _ = run({'lines': 'm: ' + text(line + line[:1]), 'hysteresis': 0},
                           way_frames(*(3 * lap + lap[:1])))
            told_line = told(lines[-1])['lines'][0]
            self.assertEqual(told_line['forward'], told_line['backward'], (line, lap))

    def test_what_is_told_can_be_read(self):
        """shapejsondec takes tags of 4096 values."""
        def count(value):
            parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
            return 1 + sum(map(count, parts))
        zones = '; '.join('z%d: 0,0 300,0 300,200' % i for i in range(40))
        lines, _ = run({'zones': zones}, [frame_of([(box(200, 50), i, i) for i in range(200)])])
        self.assertLess(count(lines[0]['tags']), 4096)
        self.assertGreater(count(lines[0]['tags']), 3000)
        n_events, n_classes = len(told(lines[0])['events']), sum(len(z['classes']) for z in told(lines[0])['zones'])
        self.assertEqual(n_events + told(lines[0])['events-left-out'], 40 * 200)
        self.assertEqual(n_classes + told(lines[0])['classes-left-out'], 40 * 200)

    def test_another_anchor_is_no_crossing(self):
        tall = [(140, 60), (160, 60), (160, 110), (140, 110)]
        for changes in ({'anchor': 'bottom'}, {'kind': 'hull'}, {'tracks': 'overlap'}):
            lines, _ = run(SQUARE, [frame_of([(tall, 1, 0)]) for _ in range(3)], {1: changes})
            zone = self.zone(lines)
            self.assertEqual((zone['entered'], zone['left']), (0, 0), changes)

    def test_holes_and_several_parts(self):
        zones = 'a: 0,0 100,0 100,100 0,100 / 40,40 60,40 60,60 40,60'
        inside = [self.zone(run({'zones': zones}, way_frames(p))[0])['inside'] for p in ((20, 20), (50, 50), (150, 50))]
        self.assertEqual(inside, [1, 0, 0])

    def test_zones_of_another_size_than_the_frame(self):
        lines, _ = run({'zones': 'a: .25,.25 .75,.25 .75,.75 .25,.75', 'relative': 'true'},
                       way_frames((80, 60), (79, 60), (239, 179), (240, 179)))
        self.assertEqual([told(line)['zones'][0]['area'] > 0 for line in lines], [True, False, True, False])
        self.assertEqual(told(lines[0])['zones'][0]['points'], '79.5,59.5 239.5,59.5 239.5,179.5 79.5,179.5')

    def test_zones_change_while_it_runs(self):
        other = SQUARE['zones'] + '; b: 140,140 160,140 160,160 140,160'
        lines, messages = run(SQUARE, way_frames((90, 150), (110, 150), (150, 150), (150, 150), (110, 150)),
                              {3: {'zones': other}, 4: {'zones': 'c: 1,1 2,2'}})
        self.assertEqual([len(told(line)['zones']) for line in lines], [1, 1, 1, 2, 2])
        a, b = told(lines[-1])['zones']
        self.assertEqual((a['inside'], a['entered'], b['appeared'], b['left']), (1, 1, 1, 1))
        self.assertEqual(len(messages), 1)
        self.assertIn('The zones stay as they were', messages[0])

    def test_two_elements_tell_both(self):
        pipeline = Gst.parse_launch(
            'appsrc name=in format=time caps=application/x-shapes ! shapezones zones="a: 0,0 100,0 100,100 0,100" '
            '! shapezones zones="b: 100,0 200,0 200,100 100,100" lines="m: 0,0 9,9" ! appsink name=out sync=false')
        pipeline.set_state(Gst.State.PLAYING)
        buffer = frame_of([(box(50, 50), 1, 0), (box(150, 50), 2, 0), (box(250, 50), 3, 0)])
        pipeline.get_by_name('in').emit('push-buffer', buffer)
        buffer = pipeline.get_by_name('out').emit('pull-sample').get_buffer()
        meta = buffer.get_custom_meta('shapezones').get_structure()
        self.assertEqual(meta.get_value('zones').n_values if hasattr(meta.get_value('zones'), 'n_values')
                         else len(meta.get_value('zones')), 2)
        regions = [c.region_id for c in GstShapes.buffer_get_shape_set(buffer).contours()]
        self.assertEqual(regions, [0, 1, None])
        pipeline.set_state(Gst.State.NULL)

    def test_the_same_track_twice_counts_once(self):
        lines, messages = run(SQUARE, [frame_of([(box(150, 150), 1, 0), (box(160, 160), 1, 0)])])
        self.assertEqual(self.zone(lines)['inside'], 1)
        self.assertIn('same track', messages[0])

    def test_many_classes_are_counted_together(self):
        lines, _ = run(SQUARE, [frame_of([(box(150, 150), i, i) for i in range(300)]) for _ in range(2)])
        classes = self.zone(lines)['classes']
        self.assertEqual(len(classes), 257)
        self.assertEqual(classes[0], dict(classes[0], **{'class': -1, 'class-name': 'others', 'inside': 44}))


@unittest.skipUnless(sv, 'supervision')
class Partners(unittest.TestCase):
    """Of boxes; theirs are whole pixels, so ways keep off the borders."""

    def test_zones_and_lines(self):
        for seed in range(30):
            self.check(seed)

    def check(self, seed):
        rng = random.Random(seed)
        polygon = [(100, 60), (220, 80), (200, 180), (90, 160)]
        line = [(160, 0), (160, 239)]
        zone = sv.PolygonZone(polygon=np.array(polygon), triggering_anchors=[sv.Position.CENTER])
        # forward is from the left to the right of who walks: theirs "out"
        gate = sv.LineZone(sv.Point(*line[0]), sv.Point(*line[1]), triggering_anchors=[sv.Position.CENTER])
        ways = {}
        for track in range(8):
            while True:
                way = wander(rng, 30)
                if all(min(distance(polygon, True, *p), distance(line, False, *p)) > 2 and 5 < p[0] < WIDTH - 5
                       and 5 < p[1] < HEIGHT - 5 for p in way):
                    break
            ways[track] = way
        frames = [frame_of([(box(*way[i]), track, 0) for track, way in ways.items()]) for i in range(30)]
        lines, _ = run({'zones': 'a: ' + text(polygon), 'lines': 'm: ' + text(line), 'anchor': 'center',
                        'hysteresis': 0}, frames)
        for i, told_line in enumerate(lines):
            boxes = np.array([(x - 2, y - 2, x + 2, y + 2) for x, y in (way[i] for way in ways.values())])
            detections = sv.Detections(xyxy=boxes, tracker_id=np.arange(8), class_id=np.zeros(8, int))
            zone.trigger(detections)
            gate.trigger(detections)
            self.assertEqual(told(told_line)['zones'][0]['inside'], zone.current_count, (seed, i))
        both = sorted((gate.in_count, gate.out_count))
        line = told(lines[-1])['lines'][0]
        self.assertEqual(sorted((line['forward'], line['backward'])), both, seed)


if __name__ == '__main__':
    Gst.init(None)
    unittest.main(argv=sys.argv[:1], defaultTest='Partners' if sv else None)
