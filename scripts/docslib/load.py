#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that uses the device, for the pictures of the documentation.

usage: load.py NAME KERNEL-MS PAUSE-MS
"""
import ctypes
import sys
import time

import numpy
import pyopencl

GROUPS = 64
PR_SET_NAME = 15
SOURCE = """
kernel void %s(global uint* out, uint steps) {
  uint x = get_global_id(0);
  for (uint i = 0; i < steps; ++i) x = x * 1664525u + 1013904223u;
  out[get_global_id(0)] = x;
}"""


def main():
    name, kernel_ms, pause_ms = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode(), 0, 0, 0)
    platform = next(p for p in pyopencl.get_platforms() if p.name == "Conclave")
    context = pyopencl.Context(platform.get_devices())
    queue = pyopencl.CommandQueue(context)
    kernel = getattr(pyopencl.Program(context, SOURCE % name).build(), name)
    out = pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE, 4 * GROUPS)
    steps = 100_000

    def run():
        begin = time.monotonic()
        kernel(queue, (GROUPS,), (1,), out, numpy.uint32(steps))
        queue.finish()
        return (time.monotonic() - begin) * 1000

    run()
    steps = max(1, int(steps * kernel_ms / min(run() for _ in range(5))))
    print("ready", flush=True)
    while True:
        run()
        time.sleep(pause_ms / 1000)


if __name__ == "__main__":
    main()
