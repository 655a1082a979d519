# SPDX-License-Identifier: LGPL-2.1-or-later
"""version.py SOURCE VERSION: the headers' version, and that of Debian's packages, are Meson's."""
import pathlib
import re
import sys

source, version = pathlib.Path(sys.argv[1]), sys.argv[2]
header = (source / 'common/shapes/gstshapesversion.h').read_text(encoding='utf-8')
found = {
    'common/shapes/gstshapesversion.h': '.'.join(
        re.search(rf'#define GST_SHAPES_VERSION_{part} (\d+)', header)[1] for part in ('MAJOR', 'MINOR', 'MICRO')),
    'debian/changelog': re.match(r'gst-cudashapes \(([^)]+)\)', (source / 'debian/changelog').read_text(encoding='utf-8'))[1],
}
wrong = [f'{name}: {said}, and meson.build says {version}' for name, said in found.items() if said != version]
print('\n'.join(wrong))
sys.exit(bool(wrong))
