# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of a test's folder. Their names come in parts."""

import os


def read(*names):
    with open(os.path.join(*names), encoding="utf-8") as file:
        return file.read()


def write(what, *names):
    """Text or bytes; the path."""
    path = os.path.join(*names)
    with open(path, "wb") as file:
        file.write(what if isinstance(what, bytes) else what.encode())
    return path
