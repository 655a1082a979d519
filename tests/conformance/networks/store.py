# SPDX-License-Identifier: LGPL-2.1-or-later
"""Golden files: tensors of a network and what its package makes of them, in an .npz with a JSON header."""
import json

import numpy as np


def versions(*names):
    """The versions of installed packages."""
    from importlib.metadata import version
    return {name: version(name) for name in names}


def save(path, header, tensors, cases, results):
    """Writes tensors, and for each case (a dictionary of parameters) its result: arrays of which `masks` is packed to bits."""
    arrays = dict(tensors)
    cases = [dict(case) for case in cases]
    for number, (case, result) in enumerate(zip(cases, results)):
        for key, value in result.items():
            if value.dtype == bool:
                case[f"{key}_shape"] = list(value.shape)
                value = np.packbits(value)
            arrays[f"case{number}_{key}"] = value
    header = {**header, "tensors": list(tensors), "cases": cases}
    arrays["header"] = np.frombuffer(json.dumps(header, indent=1).encode(), np.uint8)
    np.savez_compressed(path, **arrays)
    print(path, [len(result.get("scores", ())) for result in results])


def load(path):
    """(header, tensors by name, [(case, result)]) of a golden file."""
    with np.load(path) as file:
        arrays = {key: file[key] for key in file.files}
    header = json.loads(arrays.pop("header").tobytes())
    tensors = {key: arrays[key] for key in header["tensors"]}
    pairs = []
    for number, case in enumerate(header["cases"]):
        prefix = f"case{number}_"
        result = {key[len(prefix):]: value for key, value in arrays.items() if key.startswith(prefix)}
        for key in result:
            shape = case.get(f"{key}_shape")
            if shape is not None:
                count = int(np.prod(shape))
                result[key] = np.unpackbits(result[key], count=count).astype(bool).reshape(shape)
        pairs.append((case, result))
    return header, tensors, pairs
