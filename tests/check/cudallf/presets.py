#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""presets.py PRESETS PICTURES: what cudallf's presets do to black and white, skin, night skies and shadows, on drawn scenes that
have what photographs have, and on the photographs in the folder PICTURES. All presets of the file PRESETS but those of HDR are
judged. Luma is (0.2126, 0.7152, 0.0722) R, G, B; black is a luma of at most 1 of 255, white of at least 254. Exits with 77
when a module or element of others is missing."""
import configparser
import os
import re
import sys

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

Gst, np = need('Gst', 'numpy')

WIDTH, HEIGHT = 480, 320
PHOTOGRAPHS = ('llf-portrait.jpg', 'llf-coffee.jpg', 'llf-night.jpg')
# percent of a picture
MOST = 1.
# how many times as strong fine texture of skin, of a contrast of 4 codes, becomes
SKIN = {'Detail': (1.2, 1.8), 'Clarity': (1.1, 1.6), 'CleanDetail': (.7, 1.6), 'Smooth': (0, .7), 'Compress': (1., 1.6)}
# likewise, the noise of a night sky
SKY = {'Detail': 1.4, 'Clarity': 1.3, 'CleanDetail': 1.1, 'Smooth': 1., 'Compress': 1.8}
# share of the range of tones, from 2 to 98 percent of a picture
LEAST_RANGE = .75
n_failed = 0


def expect(is_so, text, *values):
    global n_failed
    if not is_so:
        n_failed += 1
        print('FAILED: ' + text % values)


# --- Scenes: codes of gray, 0 to 255 -----------------------------------------------------------------------------------

def smooth_noise(rng, size):
    """Of deviation 1, in blobs of about this many pixels."""
    coarse = rng.standard_normal((HEIGHT // size + 3, WIDTH // size + 3))
    y, x = np.mgrid[:HEIGHT, :WIDTH] / size
    i, k = y.astype(int), x.astype(int)
    v, u = y - i, x - k
    noise = (coarse[i, k] * (1 - u) + coarse[i, k + 1] * u) * (1 - v) + \
        (coarse[i + 1, k] * (1 - u) + coarse[i + 1, k + 1] * u) * v
    return noise / noise.std()


def portrait(rng, x, y):
    """A face before a bright wall; a white shirt, a black suit with folds and a part without any light."""
    picture = 165 + 30 * x + 6 * smooth_noise(rng, 40)
    face = np.hypot((x - .5) / .17, (y - .35) / .27) < 1
    picture[face] = (150 + 120 * (.5 - x) + 4 * smooth_noise(rng, 2))[face]
    suit = (np.abs(x - .5) < .5 * y) & (y > .62)
    picture[suit] = (16 + 5 * smooth_noise(rng, 12) + 2 * smooth_noise(rng, 2))[suit]
    picture[(np.abs(x - .5) < .06) & (y > .62) & (y < .85)] = 246
    picture[(x > .8) & (y > .5)] = 0
    return picture, {'skin': np.hypot((x - .5) / .1, (y - .35) / .17) < 1}


def coffee(rng, x, y):
    """A dark saucer with a white cup on wood, and its shadow."""
    picture = 130 + 22 * smooth_noise(rng, 24) + 12 * smooth_noise(rng, 3)
    r = np.hypot(x - .5, (y - .5) * HEIGHT / WIDTH)
    shadow = (x < .35) & (y > .55)
    picture[shadow] = (22 + 6 * smooth_noise(rng, 10) + 3 * smooth_noise(rng, 2))[shadow]
    picture[r < .3] = (45 + 14 * smooth_noise(rng, 30) + 3 * smooth_noise(rng, 2))[r < .3]
    picture[r < .17] = (236 + 10 * (.5 - y) + 2 * smooth_noise(rng, 4))[r < .17]
    picture[r < .13] = (60 - 40 * y + 3 * smooth_noise(rng, 5))[r < .13]
    return picture, {'shadow': shadow}


def night(rng, x, y):
    """A sky with noise and stars over black hills, lamps without any detail."""
    picture = 6 + 22 * y + 1.5 * rng.standard_normal(x.shape)
    picture[rng.uniform(size=x.shape) < .001] = 180
    sky = y < .6
    hill = y > .78 + .04 * np.sin(9 * x)
    picture[hill] = 0
    for at in (.2, .45, .8):
        far = np.hypot(x - at, (y - .76) * HEIGHT / WIDTH)
        picture += 240 * np.exp(-far / .02)
    return picture, {'sky': sky}


def landscape(rng, x, y):
    """A bright sky with burnt clouds, hills in mist, a dark meadow, rocks."""
    picture = 205 + 30 * y + 14 * smooth_noise(rng, 50)
    picture[(np.hypot((x - .7) / .15, (y - .15) / .1) < 1)] = 255
    picture = np.where(y > .4 + .05 * np.sin(7 * x), 150 + 10 * smooth_noise(rng, 15), picture)
    meadow = y > .62
    picture[meadow] = (34 + 9 * smooth_noise(rng, 8) + 7 * smooth_noise(rng, 2))[meadow]
    picture[(x < .1) & (y > .8)] = 1
    return picture, {'shadow': meadow & (x > .15)}


def low_light(rng, x, y):
    """A room by a candle."""
    far = np.hypot(x - .4, (y - .5) * HEIGHT / WIDTH)
    return 5 + 180 * np.exp(-far / .09) + 3 * smooth_noise(rng, 20) + 2 * rng.standard_normal(x.shape), {}


def snow(rng, x, y):
    """Nearly all is bright."""
    return 215 + 20 * smooth_noise(rng, 30) + 4 * smooth_noise(rng, 2) - 190 * (np.hypot(x - .2, y - .8) < .08), {}


def drawn():
    y, x = np.mgrid[:HEIGHT, :WIDTH] / np.array((HEIGHT, WIDTH)).reshape(2, 1, 1)
    for draw in (portrait, coffee, night, landscape, low_light, snow):
        codes, places = draw(np.random.default_rng(4), x, y)
        codes = np.clip(np.rint(codes), 0, 255).astype(np.uint8)
        yield draw.__name__, np.repeat(codes[..., None], 3, -1), places


# --- The element -------------------------------------------------------------------------------------------------------

def play(line, data=None, caps=None):
    pipeline = Gst.parse_launch(line + ' ! videoconvert ! video/x-raw,format=RGB ! appsink name=sink sync=false')
    sink = pipeline.get_by_name('sink')
    if data is not None:
        pipeline.get_by_name('source').set_property('caps', Gst.Caps.from_string(caps))
    pipeline.set_state(Gst.State.PLAYING)
    if data is not None:
        pipeline.get_by_name('source').emit('push-buffer', Gst.Buffer.new_wrapped(data))
        pipeline.get_by_name('source').emit('end-of-stream')
    sample = sink.emit('pull-sample')
    pipeline.set_state(Gst.State.NULL)
    if not sample:
        sys.exit('presets.py: no frame: %s' % line)
    # not get_structure(), which GStreamer's own overrides change between versions
    buffer, caps = sample.get_buffer(), sample.get_caps().to_string()
    size = *(int(re.search(r'\b%s=\(int\)(\d+)' % side, caps)[1]) for side in ('height', 'width')), 3
    return np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8).reshape(size)


def filtered(picture, properties):
    """Through the element as RGBx, and as I420, whose luma is changed with another range."""
    height, width, _ = picture.shape
    data = np.concatenate((picture, np.zeros((height, width, 1), np.uint8)), -1).tobytes()
    caps = 'video/x-raw,format=RGBx,width=%d,height=%d,framerate=0/1' % (width, height)
    source = 'appsrc name=source format=time ! '
    return (play(source + 'cudallf backend=cpu %s' % properties, data, caps),
            play(source + 'videoconvert dither=none ! video/x-raw,format=I420 ! cudallf backend=cpu amount=0', data, caps),
            play(source + 'videoconvert dither=none ! video/x-raw,format=I420 ! cudallf backend=cpu %s' % properties, data, caps))


def luma(picture):
    return picture @ np.array((.2126, .7152, .0722))


# --- Judgements --------------------------------------------------------------------------------------------------------

def judge_ends(name, before, after):
    """Of the whole picture: what became black or white, and what is not black or white any more, by more than a code."""
    for what, was, become, near in (('black', before < 1.5, after < 1.5, after < 2.5),
                                    ('white', before > 253.5, after > 253.5, after > 252.5)):
        new, lost = 100 * (become & ~was).mean(), 100 * (was & ~near).mean()
        expect(new <= MOST, '%s: %.1f %% more is %s', name, new, what)
        expect(lost <= MOST, '%s: %.1f %% is no longer %s', name, lost, what)


def fine(picture):
    """What differs from the mean of 5 x 5 pixels."""
    mean = sum(np.roll(picture, (i, k), (0, 1)) for i in range(-2, 3) for k in range(-2, 3)) / 25
    return picture - mean


def judge_places(name, preset, before, after, places):
    if 'skin' in places:
        gain = fine(after)[places['skin']].std() / fine(before)[places['skin']].std()
        least, most = SKIN[preset]
        expect(least <= gain <= most, '%s: texture of skin becomes %.2f times as strong', name, gain)
    if 'sky' in places:
        gain = fine(after)[places['sky']].std() / fine(before)[places['sky']].std()
        lighter = after[places['sky']].mean() - before[places['sky']].mean()
        expect(gain <= SKY[preset], '%s: noise of the sky becomes %.2f times as strong', name, gain)
        expect(abs(lighter) <= 2.5, '%s: the sky is %.1f codes lighter', name, lighter)
    if 'shadow' in places:
        lighter = after[places['shadow']].mean() - before[places['shadow']].mean()
        if preset == 'Compress':
            expect(lighter >= 3, '%s: the shadow is %.1f codes lighter', name, lighter)
        else:
            expect(lighter >= -4, '%s: the shadow is %.1f codes lighter', name, lighter)


def judge_range(name, before, after):
    """No veil: from the darkest to the brightest 2 percent is about as far as before."""
    kept = np.subtract(*np.percentile(after, (98, 2))) / np.subtract(*np.percentile(before, (98, 2)))
    expect(kept >= LEAST_RANGE, '%s: %.0f %% of the range of tones are left', name, 100 * kept)


def judge(preset, properties, scene, picture, places):
    rgb, same, yuv = filtered(picture, properties)
    expect(np.abs(luma(rgb) - luma(picture)).mean() > .2, '%s of %s does nothing', preset, scene)
    for form, was, become in (('RGB', picture, rgb), ('I420', same, yuv)):
        name = '%s of %s, %s' % (preset, scene, form)
        before, after = luma(was), luma(become)
        judge_ends(name, before, after)
        judge_range(name, before, after)
        judge_places(name, preset, before, after, places)


def read_presets(path):
    parser = configparser.ConfigParser()
    parser.read(path)
    for name in parser.sections():
        if name != '_presets_' and parser[name]['hdr'] == 'none':
            yield name, ' '.join('%s=%s' % item for item in parser[name].items() if not item[0].startswith('_meta'))


def main():
    if not Gst.ElementFactory.find('jpegdec'):
        print('skipped: no jpegdec')
        sys.exit(77)
    scenes = list(drawn())
    scenes += [(name, play('filesrc location="%s" ! jpegdec' % os.path.join(sys.argv[2], name)), {})
               for name in PHOTOGRAPHS]
    n = 0
    for preset, properties in read_presets(sys.argv[1]):
        for scene in scenes:
            judge(preset, properties, *scene)
            n += 1
    expect(n >= 5 * len(scenes), 'only %d were judged', n)
    if n_failed:
        sys.exit('%d failed' % n_failed)
    print('%d pictures are well' % n)


if __name__ == '__main__':
    main()
