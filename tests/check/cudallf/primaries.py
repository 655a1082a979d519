#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""primaries.py: cudallf's tone mapping of light of other primaries than a display's, against the standards in double
precision: the matrices follow from the chromaticities of ITU-R BT.709, BT.2020 and SMPTE EG 432-1 (Display P3) by SMPTE
RP 177, the codings are those of SMPTE ST 2084, ARIB STD-B67 (as in ITU-R BT.2100) and IEC 61966-2-1. Nothing is filtered
(amount=0). Exits with 77 when a module of others is missing."""
import sys

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

Gst, np = need('Gst', 'numpy')

D65 = (.3127, .329)
PRIMARIES = {
    'bt709': ((.64, .33), (.3, .6), (.15, .06)),
    'bt2020': ((.708, .292), (.17, .797), (.131, .046)),
    'p3': ((.68, .32), (.265, .69), (.15, .06)),
}
# GStreamer's numbers of primaries and of codings in the caps' colorimetry, range:matrix:coding:primaries
NUMBERS = {'bt709': 1, 'bt2020': 7, 'p3': 11}
CODINGS = {'linear': 1, 'srgb': 7, 'pq': 14, 'hlg': 15}
FORMATS = ('RGBA', 'BGRA', 'ARGB', 'ABGR', 'RGBx', 'BGRx', 'xRGB', 'xBGR', 'RGB', 'BGR', 'ARGB64')
RANGE, CONTRAST = 20., 100.
n_failed = 0


def expect(is_so, text, *values):
    global n_failed
    if not is_so:
        n_failed += 1
        print('FAILED: ' + text % values)


# --- The standards -----------------------------------------------------------------------------------------------------

def to_xyz(name):
    columns = np.array([(x, y, 1 - x - y) for x, y in PRIMARIES[name]]).T
    white = np.array((D65[0] / D65[1], 1, (1 - sum(D65)) / D65[1]))
    return columns * np.linalg.solve(columns, white)


def matrix(source, target):
    return np.linalg.solve(to_xyz(target), to_xyz(source))


def pq_code(light):
    m1, m2, c1, c2, c3 = 2610 / 16384, 2523 / 4096 * 128, 3424 / 4096, 2413 / 4096 * 32, 2392 / 4096 * 32
    power = light ** m1
    return ((c1 + c2 * power) / (1 + c3 * power)) ** m2


def pq_light(code):
    m1, m2, c1, c2, c3 = .1593017578125, 78.84375, .8359375, 18.8515625, 18.6875
    power = code ** (1 / m2)
    return (np.maximum(power - c1, 0) / (c2 - c3 * power)) ** (1 / m1)


def hlg_code(light):
    a, b, c = .17883277, .28466892, .55991073
    return np.where(light <= 1 / 12, np.sqrt(3 * light), a * np.log(np.maximum(12 * light, 1.) - b) + c)


def hlg_light(code):
    a, b, c = .17883277, .28466892, .55991073
    return np.where(code <= .5, code ** 2 / 3, (np.exp((code - c) / a) + b) / 12)


def srgb_code(light):
    return np.where(light <= .0031308, 12.92 * light, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - .055)


def srgb_light(code):
    return np.where(code <= .04045, code / 12.92, ((code + .055) / 1.055) ** 2.4)


def same(value):
    return value


TO_CODE = {'linear': same, 'srgb': srgb_code, 'pq': pq_code, 'hlg': hlg_code}
TO_LIGHT = {'linear': same, 'srgb': srgb_light, 'pq': pq_light, 'hlg': hlg_light}


# --- The page's definition ---------------------------------------------------------------------------------------------

def percentile(values, thousandths):
    values = np.sort(values)
    return values[(len(values) * thousandths + 999) // 1000 - 1]


def brought_in(colour):
    """Colours of luminance 1 in BT.709, with the luminances that they shall have: what a display shows, 0 to 1."""
    rgb, luminance = colour
    least = rgb.min(-1, keepdims=True)
    rgb = np.where(least < 0, 1 + (rgb - 1) / (1 - np.minimum(least, 0)), rgb)
    most = rgb.max(-1, keepdims=True)
    peak = most * luminance[..., None]
    white = 1 - 1 / (.15 * (np.maximum(peak, 1) - 1) + 1)
    return np.where(peak > 1, rgb / most + white * (1 - rgb / most), rgb * luminance[..., None])


def mapped(light, primaries):
    """Codes of sRGB, 0 to 255, of linear light of those primaries."""
    y = light @ to_xyz(primaries)[1]
    x = np.floor(65535 * np.clip(1 + np.log2(y / y.max()) / RANGE, 0, 1) + .5)
    low, high = percentile(x.ravel(), 5), percentile(x.ravel(), 995)
    stops = (high - low) * RANGE / 65535
    slope = min(np.log2(CONTRAST), stops) / (high - low) if high > low else RANGE / 65535
    colour = (light @ matrix(primaries, 'bt709').T) / y[..., None]
    return 255 * srgb_code(brought_in((colour, 2. ** ((x - high) * slope))))


# --- The element -------------------------------------------------------------------------------------------------------

def play(data, caps, properties, target):
    """What becomes of a buffer, and its caps."""
    pipeline = Gst.parse_launch('appsrc name=source format=time ! cudallf backend=cpu amount=0 %s ! '
                                'video/x-raw,format=%s ! appsink name=sink sync=false' % (properties, target))
    source, sink = pipeline.get_by_name('source'), pipeline.get_by_name('sink')
    source.set_property('caps', Gst.Caps.from_string(caps))
    pipeline.set_state(Gst.State.PLAYING)
    source.emit('push-buffer', Gst.Buffer.new_wrapped(data))
    source.emit('end-of-stream')
    sample = sink.emit('pull-sample')
    if not sample:
        sys.exit('primaries.py: no frame of %s' % caps)
    buffer = sample.get_buffer()
    data, caps = buffer.extract_dup(0, buffer.get_size()), sample.get_caps()
    pipeline.set_state(Gst.State.NULL)
    return data, caps


def get_rgb(data, height, width):
    """R, G, B of 0 to 255, of ARGB64."""
    return np.frombuffer(data, np.uint16).reshape(height, width, 4)[..., 1:] / 257


def shown(codes, hdr, colorimetry):
    """R, G, B of 0 to 255 of a picture of codes of 0 to 65535."""
    height, width, _ = codes.shape
    data = np.concatenate((np.full((height, width, 1), 65535.), codes), -1).astype(np.uint16).tobytes()
    caps = 'video/x-raw,format=ARGB64,width=%d,height=%d,framerate=0/1%s' % (
        width, height, colorimetry and ',colorimetry=' + colorimetry)
    return get_rgb(play(data, caps, 'hdr=' + hdr, 'ARGB64')[0], height, width)


def shown_floats(light):
    height, width, _ = light.shape
    caps = 'other/tensors,format=static,num_tensors=1,types=float32,dimensions=(string)3:%d:%d:1,framerate=0/1' % (
        width, height)
    return get_rgb(play(light.astype(np.float32).tobytes(), caps, 'hdr=linear', 'ARGB64')[0], height, width)


# --- Tests -------------------------------------------------------------------------------------------------------------

def scene():
    """All colours of the input's primaries, of 10 stops, with its own white among them."""
    rng = np.random.default_rng(5)
    light = rng.uniform(0, 1, (24, 32, 3)) ** rng.uniform(.2, 4, (24, 32, 1)) * 2. ** rng.uniform(-10, 0, (24, 32, 1))
    light[0, :8] = np.array(((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1), (.2, .2, .2)))
    light[1:3] = 1.
    return light


def check_standards():
    """The test's own matrices, against the numbers that are printed in the standards."""
    known = (
        (matrix('bt709', 'bt2020'), ((.6274, .3293, .0433), (.0691, .9195, .0114), (.0164, .0880, .8956)), 'BT.2087'),
        (to_xyz('bt2020')[1:2], ((.2627, .6780, .0593),), 'BT.2020'), (to_xyz('bt709')[1:2], ((.2126, .7152, .0722),), 'BT.709'),
        (to_xyz('p3')[1:2], ((.2290, .6917, .0793),), 'EG 432-1'))
    for found, printed, name in known:
        expect(np.abs(found - np.array(printed)).max() < 6e-5, '%s: %s', name, found)


def check_conversions():
    for hdr, coding in CODINGS.items():
        for primaries, number in NUMBERS.items():
            codes = np.rint(65535 * TO_CODE[hdr](scene()))
            want = mapped(TO_LIGHT[hdr](codes / 65535), primaries)
            got = shown(codes, hdr, '1:1:%d:%d' % (coding, number))
            most = np.abs(got - want).max()
            expect(most < .1, 'hdr=%s, %s: differs by %.2f codes', hdr, primaries, most)


def check_defaults():
    """Caps that say nothing of primaries: those that the coding is defined with."""
    for hdr in CODINGS:
        codes = np.rint(65535 * TO_CODE[hdr](scene()))
        primaries = 'bt2020' if hdr in ('pq', 'hlg') else 'bt709'
        want = mapped(TO_LIGHT[hdr](codes / 65535), primaries)
        for colorimetry in ('', '1:1:%d:0' % CODINGS[hdr]):
            most = np.abs(shown(codes, hdr, colorimetry) - want).max()
            expect(most < .1, 'hdr=%s, colorimetry "%s": differs by %.2f codes', hdr, colorimetry, most)


def check_known_colours():
    """The primaries of BT.709 and two grays, in light of BT.2020 and P3: their codes of sRGB, without any formula."""
    colours = np.array(((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1), (.21404114, ) * 3))
    want = np.array(((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (127.5, ) * 3))
    light = np.repeat(np.repeat(colours[None], 8, 0), 8, 1) * .02
    for primaries, number in NUMBERS.items():
        codes = np.rint(65535 * pq_code(np.maximum(light @ matrix('bt709', primaries).T, 0)))
        got = shown(codes, 'pq', '1:1:14:%d' % number)
        expect(np.abs(got - np.repeat(want, 8, 0)).max() <= 1, '%s: %s', primaries, got[4, 4::8])


def luminance_of(codes):
    return srgb_light(codes / 255) @ to_xyz('bt709')[1]


def hue_of(codes):
    """A direction around gray, and how far from gray, in linear light."""
    light = srgb_light(codes / 255)
    chroma = light - (light @ to_xyz('bt709')[1])[..., None]
    return chroma / np.maximum(np.linalg.norm(chroma, axis=-1, keepdims=True), 1e-9), np.linalg.norm(chroma, axis=-1)


def check_saturation_ramps():
    """From gray to each primary and secondary of BT.2020, of the same luminance: neither patches nor another hue."""
    weights = to_xyz('bt2020')[1]
    for corner in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 0, 1)):
        pure = np.array(corner) / (np.array(corner) @ weights) * .03
        share = np.linspace(0, 1, 128)[:, None]
        light = np.repeat((.03 * (1 - share) + pure * share)[None], 8, 0)
        light[:2] = .5
        got = shown(np.rint(65535 * pq_code(light)), 'pq', '1:1:14:7')[4]
        step = np.abs(np.diff(got, axis=0)).max()
        expect(step <= 12, '%s: a step of %d codes', corner, step)
        y = luminance_of(got)
        expect(y.max() < 1.03 * y.min(), '%s: luminances of %.4f to %.4f', corner, y.min(), y.max())
        direction, far = hue_of(got)
        same_hue = (direction @ direction[-1])[far > .3 * far.max()]
        expect(same_hue.min() > .999, '%s: the hue turns, %.4f', corner, same_hue.min())
        expect((np.diff(far) > -.01 * far.max()).all(), '%s: colours that are stronger become paler', corner)


def check_highlights():
    """Light of 1/16 to 4096 of one colour beside gray: ever brighter, ever paler, of the same hue, and never a patch."""
    for colour in ((1, .5, .1), (1, .05, .05), (.1, .1, 1), (.1, 1, .3)):
        stops = np.linspace(-4, 12, 128)
        light = np.repeat((2. ** stops[:, None] * np.array(colour))[None], 64, 0)
        light[:60] = 2. ** np.linspace(-4, 6, 60)[:, None, None]
        got = shown_floats(light)[62]
        y = luminance_of(got)
        expect((np.diff(y) > -1e-3).all(), '%s: brighter light is darker', colour)
        expect(len(np.unique(got[stops > 0], axis=0)) > 40, '%s: %d colours of 12 stops', colour,
               len(np.unique(got[stops > 0], axis=0)))
        direction, far = hue_of(got)
        same_hue = (direction @ direction[64])[far > .1 * far.max()]
        expect(same_hue.min() > .995, '%s: the hue turns, %.4f', colour, same_hue.min())


def check_negative_floats():
    """Light of BT.2020 that was converted to BT.709 before has components below 0: it is the same light."""
    light = scene()
    converted = light @ matrix('bt2020', 'bt709').T
    most = np.abs(shown_floats(converted) - mapped(light, 'bt2020')).max()
    expect(converted.min() < 0 and most < .1, 'differs by %.2f codes', most)


def check_output_caps():
    data = np.full((4, 4, 4), 60000, np.uint16).tobytes()
    for hdr, coding in CODINGS.items():
        for target in FORMATS:
            for colorimetry in ('', ',colorimetry=1:1:%d:7' % coding, ',colorimetry=1:1:%d:1' % coding):
                caps = play(data, 'video/x-raw,format=ARGB64,width=4,height=4,framerate=0/1' + colorimetry, 'hdr=' + hdr,
                            target)[1]
                # not get_structure(), which GStreamer's own overrides change between versions
                expect('colorimetry=(string)sRGB' in caps.to_string(), 'hdr=%s, %s%s: %s', hdr, target, colorimetry,
                       caps.to_string())


def main():
    for check in (check_standards, check_conversions, check_defaults, check_known_colours, check_saturation_ramps,
                  check_highlights, check_negative_floats, check_output_caps):
        check()
    if n_failed:
        sys.exit('%d failed' % n_failed)
    print('all is as the standards say')


if __name__ == '__main__':
    main()
