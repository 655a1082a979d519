# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints where, relative to the prefix, this Python finds modules.

It is a directory below the prefix that Python searches, the one with gi if
possible: Debian's dist-packages, or site-packages. A prefix of its own gets
the directory that Python would search if it were installed there.
"""

import os.path
import sys
import sysconfig

prefix = os.path.join(os.path.abspath(sys.argv[1]), '')
found = [path for path in sys.path
         if path.startswith(prefix)
         and os.path.basename(path) in ('site-packages', 'dist-packages')]
found.sort(key=lambda path: not os.path.isdir(os.path.join(path, 'gi')))
found.append(sysconfig.get_path('platlib', 'posix_prefix',
                                {'platbase': prefix.rstrip('/') or '/'}))
print(os.path.relpath(found[0], prefix))
