#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the fruit line's network as a child process: pictures on standard input, tensors on standard output.

A message is a head of 24 bytes, little endian: the letters CSLN, then n, rows, columns, channels (uint32 each) and the
request's number (uint32), which the answer repeats; then the samples: uint8 n x rows x columns x 3 of a request,
float32 n x rows x columns x 12 of an answer. End of input ends the program. Needs the package onnxruntime.
"""

import argparse
import os
import pathlib
import struct
import sys
import time

HEAD = struct.Struct("<4s5I")
MAGIC = b"CSLN"
MAX_BYTES = 1 << 30


def read_exactly(stream, size):
    """`size` bytes; None at the end of the stream before the first; EOFError when it ends between."""
    data = stream.read(size)
    if not data and size:
        return None
    if len(data) < size:
        raise EOFError(f"the input ends after {len(data)} of {size} bytes of a message")
    return data


def read_request(stream):
    """(number, uint8 array n x rows x columns x 3) of the next request; None at the end."""
    import numpy as np

    head = read_exactly(stream, HEAD.size)
    if head is None:
        return None
    magic, n, rows, columns, channels, number = HEAD.unpack(head)
    size = n * rows * columns * channels
    if magic != MAGIC or channels != 3 or not 0 < size <= MAX_BYTES:
        raise ValueError(
            f"not a request for pictures: {magic!r}, {n} x {rows} x {columns} x {channels}; "
            f"{MAGIC!r} and n x rows x columns x 3 are expected, at most {MAX_BYTES} bytes"
        )
    data = read_exactly(stream, size)
    if data is None:
        raise EOFError("the input ends after a message's head")
    return number, np.frombuffer(data, np.uint8).reshape(n, rows, columns, channels)


def write_answer(stream, number, tensor):
    """Writes a float32 tensor n x rows x columns x channels."""
    stream.write(HEAD.pack(MAGIC, *tensor.shape, number))
    stream.write(tensor.tobytes())
    stream.flush()


def serve(infer, options):
    """Answers until the input ends; the options provoke what the line must survive."""
    answered = 0
    while (request := read_request(sys.stdin.buffer)) is not None:
        number, pictures = request
        tensor = infer(pictures)
        if answered == options.exit_after:
            os._exit(3)
        if answered == options.delay_at:
            time.sleep(options.delay_ms / 1000)
        if answered == options.bad_shape_at:
            tensor = tensor[:, :, :-1]
        write_answer(sys.stdout.buffer, number, tensor)
        answered += 1


def main():
    here = pathlib.Path(__file__).parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", default=here / "fruit.onnx", type=pathlib.Path, help="ONNX file (%(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="of the network (%(default)s)")
    tests = parser.add_argument_group("for tests", "answers are counted from 0")
    tests.add_argument("--exit-after", type=int, default=-1, metavar="N", help="die instead of answer N")
    tests.add_argument("--bad-shape-at", type=int, default=-1, metavar="N", help="answer N lacks a column")
    tests.add_argument("--delay-at", type=int, default=-1, metavar="N", help="answer N is late ...")
    tests.add_argument("--delay-ms", type=int, default=1000, help="... by so many ms (%(default)s)")
    options = parser.parse_args()
    try:
        import onnxruntime
    except ImportError:
        sys.exit("network.py: onnxruntime is missing: pip install onnxruntime numpy")
    if not options.network.is_file():
        sys.exit(f"network.py: there is no file {options.network}: name an ONNX file with --network")
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = options.threads
    session = onnxruntime.InferenceSession(str(options.network), settings, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    try:
        serve(lambda pictures: session.run(None, {name: pictures})[0], options)
    except (ValueError, EOFError, BrokenPipeError) as error:
        sys.exit(f"network.py: {error}")


if __name__ == "__main__":
    main()
