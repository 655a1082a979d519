# SPDX-License-Identifier: LGPL-2.1-or-later
"""kernels.py LOG...: every kernel is launched by one of the programs that have written these logs (CUDASHAPES_EMULATE_LOG), but
for those below, of which the reason is given. The logs are read once. Exits with 77 if a program has not run."""
import os
import sys

# name: why no program of the emulated suite launches it
MANY = "sorts more marks than the emulator has the time for: check-raster without --brief does, on a GPU"
UNTAKEN = {
    "emit_entries": MANY,
    "find_starts": MANY,
    "make_keys": MANY,
    "scatter_marks": MANY,
}


def main():
    missing = [path for path in sys.argv[1:] if not os.path.exists(path)]
    if missing:
        print("not run before:", *map(os.path.basename, missing))
        sys.exit(77)
    kinds = {"launched": set(), "never": set()}
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            for line in file:
                kind, name = line.split()
                kinds[kind].add(name)
        os.unlink(path)
    never = kinds["never"] - kinds["launched"]
    print("%d kernels were launched" % len(kinds["launched"]))
    for name in sorted(never - set(UNTAKEN)):
        print("never launched: %s: add a case that takes it" % name)
    for name in sorted(set(UNTAKEN) - never):
        print("launched, or gone: %s: take it out of this file" % name)
    sys.exit(never != set(UNTAKEN))


if __name__ == "__main__":
    main()
