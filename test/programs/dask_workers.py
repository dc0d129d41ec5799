# SPDX-License-Identifier: Apache-2.0
"""Four workers of Dask share a device of two compute units: their results are right, all of them are seen on
the device at once, and never do more compute units run than there are.

    dask_workers.py TOOL     TOOL: the program `conclave`
"""

import json
import subprocess
import sys

import numpy
from dask.distributed import Client, LocalCluster

SOURCE = """
kernel void iterate(global float* x, int steps) {
  const size_t i = get_global_id(0);
  float value = x[i];
  for (int step = 0; step < steps; ++step) value = value * 0.5f + 1.0f;
  x[i] = value;
}
"""
WORKERS, UNITS, TASKS, COUNT, STEPS = 4, 2, 24, 1 << 16, 4000


def run_kernel(seed):
    """Runs in a worker: the process keeps its context from task to task."""
    import os

    import numpy
    import pyopencl
    global queue, kernel
    if "queue" not in globals():
        platform = [p for p in pyopencl.get_platforms() if p.name == "Conclave"][0]
        context = pyopencl.Context(platform.get_devices())
        queue = pyopencl.CommandQueue(context)
        kernel = pyopencl.Program(context, SOURCE).build().iterate
    numbers = numpy.random.default_rng(seed).random(COUNT, dtype=numpy.float32)
    flags = pyopencl.mem_flags
    buffer = pyopencl.Buffer(queue.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=numbers)
    for _ in range(20):
        kernel(queue, (COUNT,), None, buffer, numpy.int32(STEPS))
    pyopencl.enqueue_copy(queue, numbers, buffer)
    return os.getpid(), float(numpy.abs(numbers - 2).max())


def examine(tool):
    return json.loads(subprocess.run([tool, "examine", "--json"], check=True, capture_output=True).stdout)


def main(tool):
    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster, \
            Client(cluster) as client:
        client.wait_for_workers(WORKERS)
        pending = client.map(run_kernel, range(TASKS))
        most_processes = most_active = 0
        while not all(task.done() for task in pending):
            now = examine(tool)
            most_processes = max(most_processes, len(now["contexts"]))
            most_active = max(most_active, sum(unit["state"] == "active" for unit in now["compute-units"]))
        results = client.gather(pending)
    workers = {pid for pid, _ in results}
    print(f"{len(workers)} workers, {most_processes} processes on the device at once, "
          f"{most_active} compute units active at once")
    assert max(error for _, error in results) < 1e-6, "wrong results"
    assert len(workers) == WORKERS and most_processes == WORKERS, "the workers did not share the device"
    assert 1 <= most_active <= UNITS, "more compute units than there are"
    print("PASS!")


if __name__ == "__main__":
    main(sys.argv[1])
