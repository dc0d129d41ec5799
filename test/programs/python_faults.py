#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A kernel's faults are errors of its event, and Python's own are faulthandler's, whenever that was
enabled or disabled: python_faults.py. It runs each case of CASES in a process of its own."""
import ctypes
import faulthandler
import signal
import subprocess
import sys
import time

try:
    import numpy
    import pyopencl
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

SOURCE = """
kernel void faulty(global int* out, int how) {
  size_t i = get_global_id(0);
  if (i == 7 && how == 0) *(volatile global int*)0 = 1;
  if (i == 7 && how == 1) *(volatile global int*)0x123456789000ul = 1;
  if (i == 7 && how == 2) __builtin_trap();
  out[i] = 1;
}
kernel void healthy(global int* out) { out[get_global_id(0)] = 3 * get_global_id(0); }
"""
COUNT = 256


class Kernels:
    def __init__(self):
        device = pyopencl.get_platforms()[0].get_devices()[0]
        assert device.platform.name.startswith("Conclave"), device.platform.name
        self.context = pyopencl.Context([device])
        self.queue = pyopencl.CommandQueue(self.context)
        self.program = pyopencl.Program(self.context, SOURCE).build()
        self.out = pyopencl.Buffer(self.context, pyopencl.mem_flags.READ_WRITE, COUNT * 4)

    def run_healthy(self):
        self.program.healthy(self.queue, (COUNT,), None, self.out)
        found = numpy.empty(COUNT, numpy.int32)
        pyopencl.enqueue_copy(self.queue, found, self.out)
        assert (found == 3 * numpy.arange(COUNT)).all(), found

    def run_faulty(self):
        for how in range(3):
            event = self.program.faulty(self.queue, (COUNT,), None, self.out, numpy.int32(how))
            try:
                event.wait()
                raise AssertionError("a faulty kernel has ended without an error")
            except pyopencl.Error:
                pass
            # CL_ERROR_KERNEL_FAULT_CONCLAVE
            assert event.command_execution_status == -7201, event.command_execution_status
            self.run_healthy()


def let_the_platform_look(kernels):
    """A handler that has just been installed stays on top for some milliseconds, and for some
    kernels where these are short."""
    time.sleep(0.02)
    for _ in range(40):
        kernels.run_healthy()


def before():
    faulthandler.enable()
    Kernels().run_faulty()


def after():
    kernels = Kernels()
    kernels.run_faulty()
    faulthandler.enable()
    let_the_platform_look(kernels)
    kernels.run_faulty()


def just_now():
    Kernels().run_faulty()
    faulthandler.enable()


def before_and_after():
    faulthandler.enable()
    kernels = Kernels()
    for _ in range(20):
        kernels.run_faulty()
        faulthandler.disable()
        let_the_platform_look(kernels)
        kernels.run_faulty()
        faulthandler.enable()
        let_the_platform_look(kernels)
    kernels.run_faulty()


def disabled():
    kernels = Kernels()
    kernels.run_faulty()
    faulthandler.enable()
    let_the_platform_look(kernels)
    faulthandler.disable()
    kernels.run_faulty()


# What a case does, and whether faulthandler is enabled at its end.
CASES = {
    "before": (before, True),
    "after": (after, True),
    "just_now": (just_now, True),
    "before_and_after": (before_and_after, True),
    "disabled": (disabled, False),
}


def play(case):
    CASES[case][0]()
    print("kernels done", flush=True)
    ctypes.string_at(0)


def check(case):
    process = subprocess.run([sys.executable, __file__, case], capture_output=True, text=True,
                             timeout=60)
    enabled = CASES[case][1]
    traced = "Fatal Python error: Segmentation fault" in process.stderr and "in play" in process.stderr
    if (process.stdout != "kernels done\n" or process.returncode != -signal.SIGSEGV or
            traced != enabled):
        sys.exit(f"FAILED: {case}: status {process.returncode}\n{process.stdout}{process.stderr}")
    print(f"{case}: right")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        play(sys.argv[1])
    for one in CASES:
        check(one)
