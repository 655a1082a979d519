# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of tensors that can be believed and show nothing, for tests that need many: almost all of them is a hole."""
import os
import struct


def write(path, triggers, views, view_size, more=0):
    """All is 0, but for a trace of the first class in a corner of each view: it would be constant otherwise. more: bytes of
    the next trigger. For a recipe of permit()."""
    with open(path, "wb") as file:
        for view in range(triggers * views):
            os.pwrite(file.fileno(), struct.pack("=f", .1), view * view_size)
        file.truncate(triggers * views * view_size + more)


def permit(recipe):
    """The recipe, for probabilities that do not add up to 1."""
    assert recipe.count("[recipe]\n") == 1
    return recipe.replace("[recipe]\n", "[recipe]\nexclusive=false\n")
