# SPDX-License-Identifier: Apache-2.0
"""The suite strangers: whole programs that others wrote, run by several implementations in turn.

A layer of the OpenCL loader (test/bench/strangers) times what the programs launch and build. The time of
a program is that of all its kernels by their profiling events. Its wait is the time in which a launch had
been enqueued and had not ended: the one figure has what the device does, the other what the program sees.
The first run of each program fills the caches of kernels; only its builds count. Ratios are speeds: 2 means
that we need half of their time.
"""

import collections
import json
import mmap
import os
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile

from benchlib.corpus import read_lines, write_json
from benchlib.figures import BEST
from benchlib.markdown import heading, mean, number, row
from benchlib.suites import environment_of

STRANGERS = "strangers"
LAYER = "conclave_timing_layer"
LEAST_MS = 0.5  # shorter programs are listed, and left out of the means
WARM_BYTES = 256 << 20
PAGE_BYTES = 4096

Program = collections.namedtuple("Program", "name directory command")
Run = collections.namedtuple("Run", "build_ms wait_ms kernels launches")  # kernels: {name: ms}


def read_corpus(options):
    return [Program("/".join(fields[:2]), *fields[2:])
            for fields in read_lines(options, ["group", "name", "directory", "command"])]


def run_all_of_it(options, program, environment):
    """Its exit status and output. Where these are not waited for, all that it has started ends."""
    with subprocess.Popen(shlex.split(program.command), cwd=program.directory, env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=options.limit)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return process.returncode, output


def warm_memory():
    """Lets the system have memory at hand.

    The host of a virtual machine may take free memory back within seconds. What is touched first then takes
    2 to 4 s for each GiB, as a part of kernels where the cache had their code, and of the build elsewhere.
    """
    with mmap.mmap(-1, WARM_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.madvise(mmap.MADV_HUGEPAGE)
        memory[::PAGE_BYTES] = bytes(WARM_BYTES // PAGE_BYTES)


def run(options, program, who, caches):
    """A Run, or the reason why there is none."""
    warm_memory()
    with tempfile.NamedTemporaryFile(suffix=".json") as times:
        environment = dict(environment_of(options, who), OPENCL_LAYERS=str(layer(options)),
                           CONCLAVE_BENCH_TIMES=times.name, XDG_CACHE_HOME=f"{caches}/{who}",
                           CONCLAVE_CACHE_DIR=f"{caches}/{who}/conclave",
                           POCL_CACHE_DIR=f"{caches}/{who}/pocl")
        try:
            code, output = run_all_of_it(options, program, environment)
        except subprocess.TimeoutExpired:
            return f"longer than {options.limit:.0f} s"
        except OSError as error:
            return str(error)
        if code != 0:
            lines = output.decode(errors="replace").strip().splitlines()
            return f"exit status {code}: {lines[-1][:200] if lines else 'no output'}"
        try:
            answer = json.load(times)
        except ValueError:
            return "no times: is it a program of OpenCL, and does its loader know layers?"
    kernels = {name: figure["ms"] for name, figure in answer["kernels"].items()}
    launches = sum(figure["launches"] for figure in answer["kernels"].values())
    if not kernels:
        return "no kernel has run"
    return Run(answer["build ms"], answer["wait ms"], kernels, launches)


def layer(options):
    return (options.build / "lib" / f"lib{LAYER}.so").resolve()


def combine(options, runs):
    """The typical time of each kernel; the build of the first run, whose caches were empty."""
    typical = min if options.best else statistics.median
    measured = runs[1:]
    kernels = {name: typical([one.kernels.get(name, 0) for one in measured])
               for name in measured[0].kernels}
    return Run(runs[0].build_ms, typical([one.wait_ms for one in measured]), kernels,
               statistics.median(one.launches for one in measured))


def drop_unequal(program, results, failures):
    """Some programs stop early where a result is wrong, and exit with 0 all the same."""
    ours = results["ours"].get(program)
    for who, runs in results.items():
        if ours and program in runs and runs[program].launches != ours.launches:
            failures[who][program] = (f"{runs.pop(program).launches:.0f} launches, of ours "
                                      f"{ours.launches:.0f}: no comparison")


def measure_all(options, programs):
    """{who: {program: Run}}, and {who: {program: why there is none}}."""
    results = {who: {} for who in options.contestants}
    failures = {who: {} for who in options.contestants}
    for i, program in enumerate(programs):
        runs = {who: [] for who in options.contestants}
        # Some programs have the same kernels: each has caches of its own.
        # Processes that build for later ones outlive programs, and may still write there.
        with tempfile.TemporaryDirectory(prefix="conclave-bench-",
                                         ignore_cleanup_errors=True) as caches:
            # One after the other, so that what else the machine does falls on all.
            for round_number in range(options.rounds + 1):
                print(f"{program.name} ({i + 1}/{len(programs)}), round {round_number}/"
                      f"{options.rounds}", file=sys.stderr)
                for who in options.contestants:
                    if program.name in failures[who]:
                        continue
                    one = run(options, program, who, caches)
                    if isinstance(one, str):
                        failures[who][program.name] = one
                    else:
                        runs[who].append(one)
        for who, done in runs.items():
            if program.name not in failures[who]:
                results[who][program.name] = combine(options, done)
        drop_unequal(program.name, results, failures)
    return results, failures


def total(one):
    return sum(one.kernels.values())


def speed(theirs, ours):
    return total(theirs) / total(ours)


def shorter_wait(theirs, ours):
    return theirs.wait_ms / ours.wait_ms


def fastest(options, results, program):
    """The run of the fastest of the others, or None."""
    runs = [results[who][program] for who in options.best_of if program in results[who]]
    return min(runs, key=total, default=None)


def slowest_kernel(ours, theirs):
    """The kernel that loses us the most time, as "name speed"."""
    lost = {name: ms - theirs.kernels[name] for name, ms in ours.kernels.items()
            if theirs.kernels.get(name)}
    if not lost:
        return "-"
    name = max(lost, key=lost.get)
    return f"{name} {number(theirs.kernels[name] / max(ours.kernels[name], 1e-6))}"


def print_programs(options, results, others):
    heading(["program", "kernels, ms", "cold build, ms",
             *(f"speed to {who}" for who in others), f"speed to {BEST}", "wait, ms",
             *(f"wait to {who}" for who in others),
             *(f"build to {who}" for who in others), "the kernel that loses most"])
    for program, ours in sorted(results["ours"].items()):
        theirs = [results[who].get(program) for who in others]
        better = fastest(options, results, program)
        row([program, number(total(ours)), number(ours.build_ms),
             *(number(speed(one, ours)) if one else "-" for one in theirs),
             number(speed(better, ours)) if better else "-", number(ours.wait_ms),
             *(number(shorter_wait(one, ours)) if one else "-" for one in theirs),
             *(number(ours.build_ms / one.build_ms) if one and one.build_ms else "-"
               for one in theirs),
             slowest_kernel(ours, better) if better else "-"])


def print_summary(options, results, others):
    print()
    heading(["compared with", "programs", "speed, geometric mean", "below 0.95", "wait", "cold build"])
    for who in [*others, BEST]:
        pairs = {}
        for program, ours in results["ours"].items():
            one = (fastest(options, results, program) if who == BEST
                   else results[who].get(program))
            if one and max(total(one), total(ours)) >= LEAST_MS:
                pairs[program] = (one, ours)
        speeds = {program: speed(*pair) for program, pair in pairs.items()}
        behind = sorted((program for program in speeds if speeds[program] < 0.95), key=speeds.get)
        row([who, str(len(speeds)), mean(speeds.values()),
             ", ".join(f"{program} {number(speeds[program])}" for program in behind) or "none",
             mean(shorter_wait(*pair) for pair in pairs.values()),
             mean(ours.build_ms / one.build_ms for one, ours in pairs.values() if one.build_ms)])


def print_failures(failures):
    for who, programs in failures.items():
        if programs:
            print(f"\nNot run by {who}: {len(programs)}")
        for name, why in programs.items():
            print(f"- {name}: {why}")


def run_strangers(options, _suites):
    """Runs the suite and prints its tables; returns whether anything has run."""
    results, failures = measure_all(options, read_corpus(options))
    write_json(options, {who: {name: {"cold build ms": one.build_ms, "wait ms": one.wait_ms,
                                      "kernels ms": one.kernels}
                               for name, one in programs.items()}
                         for who, programs in results.items()}, failures)
    others = [who for who in results if who != "ours"]
    print_programs(options, results, others)
    if others:
        print_summary(options, results, others)
    print_failures(failures)
    return bool(results["ours"])
