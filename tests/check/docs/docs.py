#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Keeps the documentation true.

docs.py run PAGE                  runs the page's marked blocks
docs.py take PAGE FOLDER FILE=NAME...
                                  runs it, and copies files that it has made
docs.py properties PAGE ELEMENT   compares its table of properties with ELEMENT
docs.py links PAGE...             looks for what the pages point to, for blocks
                                  without a mark, and for other pages beside them

Every block that is not ```text is marked by a comment on the line before its
fence:

<!-- test -->             run it: sh or python
<!-- test: file NAME -->  write it to the file NAME
<!-- output -->           what the block before printed; "..." is anything
<!-- not run: REASON -->  a camera, a window, ...; its pipelines are still
                          parsed, so that elements and properties are right

<!-- setup
what readers have and a test has not (sh)
-->

All blocks of a page run in order, in one temporary folder that has a link to
pipelines/. Exits with 77 when an element, program or module that is not ours
is missing.

From the environment: DOCS_SHAPES_LIB, DOCS_SHAPES_HEADERS: the folders of the
built library and of its headers; GstShapes' typelib is beside the library.
DOCS_PIPELINES: the folder pipelines/. CUDASHAPES_BUILD: the build, for them.
DOCS_SOURCE: the tree. DOCS_ANALYTICS: set if shapeanalytics was built.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

OURS = ('cudacircles', 'cudacontours', 'cudahull', 'cudallf', 'fourierdraw',
        'shapecocoenc', 'shapecombiner', 'shapecsvenc', 'shapegeojsonenc',
        'shapejsondec', 'shapejsonenc', 'shapeoverlay', 'shapestats',
        'shapesvgenc', 'shapetensordec', 'shapezones')
if os.environ.get('DOCS_ANALYTICS'):
    OURS += ('shapeanalytics',)
TIMEOUT = 400
BLOCK = re.compile(r'^<!-- (?P<mark>test|output|not run)'
                   r'(?:: (?P<note>[^\n]*?))? -->\n'
                   r'```(?P<language>\w+)\n(?P<text>.*?)^```$'
                   r'|^<!-- setup\n(?P<setup>.*?)^-->$', re.M | re.S)
MISSING = (
    re.compile(r'no element "(?P<what>[^"]+)"'),
    re.compile(r"No module named '(?P<what>gi|numpy|cairo|skimage)"),
    re.compile(r'(?P<what>[\w.-]+): command not found'),
    re.compile(r'Package (?P<what>gstreamer[\w.-]*) was not found'),
    re.compile(r'Namespace (?P<what>Gst(App|Video)?) not available'),
)


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def fail(message):
    sys.exit('docs.py: %s' % message)


def skip(message):
    print('skipped: %s' % message)
    sys.exit(77)


# Running


def write_pkgconfig(folder):
    """Lets blocks compile with what is built as if it were installed."""
    library = os.environ['DOCS_SHAPES_LIB']
    include = os.path.join(folder, 'include')
    os.makedirs(os.path.join(include, 'gst'))
    os.symlink(os.environ['DOCS_SHAPES_HEADERS'],
               os.path.join(include, 'gst', 'shapes'))
    with open(os.path.join(folder, 'gstshapes-1.0.pc'), 'w') as file:
        file.write('Name: gstshapes-1.0\nDescription: as built\nVersion: 0\n'
                   'Requires: gstreamer-1.0\nCflags: -I%s\n'
                   'Libs: -L%s -lgstshapes-1.0\n' % (include, library))


def environment(folder):
    library = os.environ['DOCS_SHAPES_LIB']
    env = dict(os.environ)
    # the python3 that has GStreamer's modules
    programs = os.path.join(folder, 'bin')
    os.makedirs(programs)
    os.symlink(sys.executable, os.path.join(programs, 'python3'))
    for name, value in (('PKG_CONFIG_PATH', folder), ('PATH', programs),
                        ('LD_LIBRARY_PATH', library),
                        ('GI_TYPELIB_PATH', library)):
        env[name] = os.pathsep.join(filter(None, (value, env.get(name))))
    # messages as the pages have them
    env['LC_ALL'] = 'C.UTF-8'
    # what is compiled there is the same in the next run's folder
    env.update(CCACHE_BASEDIR=folder, CCACHE_NOHASHDIR='1')
    return env


def missing(text):
    """What of other people's is not here, if that is why a block failed."""
    for pattern in MISSING:
        found = pattern.search(text)
        if found and found.group('what') not in OURS:
            return found.group('what')
    if 'Namespace GstShapes not available' in text:
        typelib = os.path.join(os.environ['DOCS_SHAPES_LIB'],
                               'GstShapes-1.0.typelib')
        if not os.path.exists(typelib):
            return 'GstShapes (built without introspection)'
    return None


def run_block(language, text, folder, env):
    command = {'sh': ['bash', '-euo', 'pipefail', '-c', text],
               'python': [sys.executable, '-c', text]}.get(language)
    if not command:
        fail('a block of %s cannot be run' % language)
    try:
        done = subprocess.run(command, cwd=folder, env=env, text=True,
                              timeout=TIMEOUT, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        fail('takes longer than %d s:\n%s' % (TIMEOUT, text))
    except FileNotFoundError:
        skip('no bash')
    if done.returncode == 0 and 'Traceback' not in done.stderr:
        return done.stdout
    what = missing(done.stdout + done.stderr)
    if what:
        skip('there is no %s here' % what)
    fail('exit code %d of\n%s\n%s\n%s' % (done.returncode, text, done.stdout,
                                          done.stderr))


def launch_lines(text):
    """The arguments of each gst-launch-1.0 in a shell script."""
    for line in text.replace('\\\n', ' ').splitlines():
        if 'gst-launch-1.0' in line:
            words = shlex.split(line.split('gst-launch-1.0', 1)[1], True)
            ends = [i for i, word in enumerate(words) if word == '|'] + [None]
            words = words[:ends[0]]
            while words and words[0].startswith('-'):
                words.pop(0)
            if words and words != ['...']:
                yield words


def check_parses(text):
    """Pipelines that cannot be run here: are there such elements?"""
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import GLib, Gst
    Gst.init(None)
    for words in launch_lines(text):
        try:
            Gst.parse_launchv(words)
        except GLib.Error as error:
            # the caps of inference elements are those of a network
            if not missing(error.message) and not (
                    'model-file=' in ' '.join(words) and
                    'could not link' in error.message):
                fail('%s: %s' % (' '.join(words), error.message))


def check_output(expected, printed):
    pattern = '.*'.join(re.escape(part) for part in
                        expected.strip().split('...'))
    if not re.fullmatch(pattern, printed.strip(), re.S):
        fail('the page says\n%s\nbut this was printed:\n%s'
             % (expected, printed))


def run_page(page, target=None, files=()):
    blocks = list(BLOCK.finditer(read(page)))
    marks = len(re.findall(r'^<!-- (?:test|output|not run|setup)', read(page),
                           re.M))
    if not blocks or len(blocks) != marks:
        fail('%d marks, but %d blocks' % (marks, len(blocks)))
    with tempfile.TemporaryDirectory() as build, \
            tempfile.TemporaryDirectory() as folder:
        write_pkgconfig(build)
        os.symlink(os.environ['DOCS_PIPELINES'],
                   os.path.join(folder, 'pipelines'))
        env = environment(build)
        printed = ''
        for block in blocks:
            mark, note, language, text, setup = block.groups()
            if setup:
                run_block('sh', setup, folder, env)
            elif mark == 'not run':
                if not note:
                    fail('a block is not run, without a reason:\n%s' % text)
                check_parses(text)
            elif mark == 'output':
                check_output(text, printed)
            elif note:
                if not note.startswith('file '):
                    fail('"test: %s" is no mark' % note)
                path = os.path.join(folder, note[5:])
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(text)
            else:
                printed = run_block(language, text, folder, env)
        for name, _, copy in (file.partition('=') for file in files):
            shutil.copy(os.path.join(folder, name), os.path.join(target, copy))
    print('%d blocks' % len(blocks))


# Properties

# of GStreamer's own base classes
INHERITED = ('GstObject', 'GstElement', 'GstBaseTransform', 'GstAggregator')


def default_text(element, pspec):
    value = pspec.default_value
    if pspec.value_type.is_a('GEnum'):
        # newer versions of PyGObject give the default as a mere number
        return element.get_property(pspec.name).value_nick
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if value is None:
        return 'unset'
    if isinstance(value, float):
        return 'all' if value > 1e300 else '%g' % value
    return str(value)


def when_text(Gst, flags):
    if not flags & 2:
        return 'read only'
    if flags & Gst.PARAM_CONTROLLABLE:
        return 'controlled'
    return 'playing' if flags & Gst.PARAM_MUTABLE_PLAYING else 'ready'


def check_properties(page, name):
    try:
        import gi
        gi.require_version('Gst', '1.0')
        from gi.repository import GObject, Gst
    except (ImportError, ValueError) as error:
        skip(error)
    Gst.init(None)
    element = Gst.ElementFactory.make(name)
    if not element:
        fail('no element %s' % name)
    rows = {}
    section = re.search(r'^## Properties\n(.*?)(?=^## |\Z)', read(page),
                        re.M | re.S)
    if not section:
        fail('%s has no properties' % page)
    for row in re.findall(r'^\| `([a-z0-9-]+)` \|(.*)\|$', section.group(1),
                          re.M):
        cells = [cell.strip() for cell in row[1].split('|')]
        rows[row[0]] = (cells[1].strip('`'), cells[2])
    wrong = []
    for pspec in element.list_properties():
        if pspec.owner_type.name in INHERITED:
            continue
        # arrays, and numbers that the page writes in hexadecimal
        default = default_text(element, pspec) \
            if pspec.value_type != Gst.ValueArray.__gtype__ else None
        told, when = rows.pop(pspec.name, (None, None))
        if told is None:
            wrong.append('%s is not in the table' % pspec.name)
            continue
        if told.startswith('0x'):
            told = str(int(told, 16))
        if default is not None and told != default:
            wrong.append('%s: default %s, not %s' % (pspec.name, default,
                                                     told))
        # GObject.ParamFlags knows GStreamer's bits only as a number
        if when != when_text(Gst, int(pspec.flags)):
            wrong.append('%s: changes %s, not %s' % (
                pspec.name, when_text(Gst, int(pspec.flags)), when))
    wrong += ['%s is no property' % row for row in rows]
    if wrong:
        fail('%s: %s' % (os.path.basename(page), '; '.join(wrong)))


# Links


def anchors(text):
    return {re.sub(r'[^\w -]', '', title.lower()).replace(' ', '-')
            for title in re.findall(r'^#+ (.*)$', text, re.M)}


def unmarked(text):
    """The lines where blocks begin that neither are marked nor are text."""
    lines = text.splitlines()
    fences = [i for i, line in enumerate(lines) if line.startswith('```')]
    for i in fences[::2]:
        if lines[i] != '```text' and not (i and re.match(
                r'<!-- (test|output|not run: \S)', lines[i - 1])):
            yield i + 1


def unlisted(pages):
    """Pages in the folders of these that are not among them."""
    listed = {os.path.realpath(page) for page in pages}
    folders = {os.path.dirname(page) for page in listed}
    return sorted(os.path.join(folder, name) for folder in folders
                  for name in os.listdir(folder) if name.endswith('.md')
                  and os.path.join(folder, name) not in listed)


def check_links(pages):
    wrong = ['%s is not among the pages' % page for page in unlisted(pages)]
    for page in pages:
        wrong += ['%s:%d: a block that is not run and does not say why'
                  % (page, line) for line in unmarked(read(page))]
        for link in re.findall(r'\]\(([^)\s]+)\)', read(page)):
            if re.match(r'\w+:', link):
                continue
            path, _, anchor = link.partition('#')
            target = os.path.join(os.path.dirname(page), path) if path \
                else page
            if not os.path.exists(target):
                wrong.append('%s: %s is not there' % (page, link))
            elif anchor and anchor not in anchors(read(target)):
                wrong.append('%s: %s has no such heading' % (page, link))
    if wrong:
        fail('\n'.join(wrong))


def main():
    command, *arguments = sys.argv[1:] or [None]
    if command == 'run' and len(arguments) == 1:
        run_page(arguments[0])
    elif command == 'take' and len(arguments) > 2:
        run_page(arguments[0], arguments[1], arguments[2:])
    elif command == 'properties' and len(arguments) == 2:
        check_properties(*arguments)
    elif command == 'links' and arguments:
        check_links(arguments)
    else:
        fail('usage:\n%s' % __doc__)


if __name__ == '__main__':
    main()
