#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""network.py MODEL.onnx: a child process that runs the network.

It reads pictures from stdin and answers each, in order, with a tensor on
stdout. A frame is a header of five little-endian 32-bit words and its data:

  picture  "FLNP", tag, rows, columns, 3    rows x columns x 3, uint8
  tensor   "FLNT", tag, rows, columns, 12   rows x columns x 12, float32

The tag is the caller's and comes back. The end of stdin ends the process with
status 0; a frame that is cut off or no frame with status 1 and a message.
Needs numpy and onnxruntime; CUDASHAPES_PARTNERS names a folder with them."""

import os
import struct
import sys

HEADER = struct.Struct("<4s4I")
MOST_PIXELS = 1 << 26


def read_exactly(stream, size):
    data = stream.read(size)
    if len(data) != size:
        raise ValueError(f"a frame is cut off: {len(data)} of {size} bytes")
    return data


def read_picture(stream):
    """(tag, rows, columns, data), or None at the end."""
    begin = stream.read(HEADER.size)
    if not begin:
        return None
    if len(begin) != HEADER.size:
        raise ValueError("a header is cut off")
    magic, tag, rows, columns, channels = HEADER.unpack(begin)
    if magic != b"FLNP" or channels != 3:
        raise ValueError("not a picture: the header must begin with FLNP "
                         "and end with 3 channels")
    if not 0 < rows * columns <= MOST_PIXELS:
        raise ValueError(f"a picture of {rows} rows and {columns} columns; "
                         f"at most {MOST_PIXELS} pixels are taken")
    return tag, rows, columns, read_exactly(stream, rows * columns * 3)


def serve(model, source, sink):
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model, options, providers=["CPUExecutionProvider"])
    while (frame := read_picture(source)) is not None:
        tag, rows, columns, data = frame
        picture = np.frombuffer(data, np.uint8).reshape(1, rows, columns, 3)
        tensor = session.run(None, {"picture": picture})[0]
        sink.write(HEADER.pack(b"FLNT", tag, rows, columns, tensor.shape[3]))
        sink.write(memoryview(tensor).cast("B"))
        sink.flush()


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: network.py MODEL.onnx")
    sys.path.insert(0, os.environ.get("CUDASHAPES_PARTNERS", ""))
    try:
        serve(sys.argv[1], sys.stdin.buffer, sys.stdout.buffer)
    except ImportError as error:
        sys.exit(f"network.py: {error}: install onnxruntime and numpy")
    except BrokenPipeError:
        # the reader has gone: nothing is left to say, nor to flush
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        sys.exit(f"network.py: {error}")


if __name__ == "__main__":
    main()
