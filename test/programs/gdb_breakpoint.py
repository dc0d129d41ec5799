# SPDX-License-Identifier: Apache-2.0
"""A breakpoint by source line in a kernel, under gdb: gdb_breakpoint.py. The debugged process runs
it again with the argument `kernel`."""
import re
import subprocess
import sys

SOURCE = """kernel void count(global int* a) {
  int i = get_global_id(0);
  int twice = 2 * i;
  a[i] = twice + 1;
}
"""


def run_kernel():
    import numpy
    import pyopencl as cl

    context = cl.create_some_context(interactive=False)
    program = cl.Program(context, SOURCE).build("-g -cl-opt-disable")
    numbers = numpy.zeros(64, numpy.int32)
    buffer = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, numbers.nbytes)
    queue = cl.CommandQueue(context)
    program.count(queue, numbers.shape, None, buffer)
    cl.enqueue_copy(queue, numbers, buffer)
    assert (numbers == 2 * numpy.arange(64) + 1).all()
    print("right numbers")


def debug():
    commands = ["set debuginfod enabled off", "set breakpoint pending on", "break program.cl:4",
                "run", "backtrace 1", "delete", "continue"]
    words = ["gdb", "-batch", "-nx"]
    for command in commands:
        words += ["-ex", command]
    words += ["--args", sys.executable, __file__, "kernel"]
    output = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            timeout=100).stdout
    for text in (r"hit Breakpoint 1, count \(\) at \S*program\.cl:4", "right numbers"):
        if not re.search(text, output):
            sys.exit(f"{output}\ngdb_breakpoint: no '{text}' in what gdb prints")


if __name__ == "__main__":
    run_kernel() if sys.argv[1:] == ["kernel"] else debug()
