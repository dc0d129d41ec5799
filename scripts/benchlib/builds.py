# SPDX-License-Identifier: Apache-2.0
"""The suite builds: cold, cached and warm builds of a corpus of programs.

A build ends when the kernels are created and the binary is at hand. The CPU time is that of the whole
process and all its descendants; the memory is that of the largest process.
"""

import collections
import json
import statistics
import subprocess
import sys

from benchlib.corpus import read_lines, write_json
from benchlib.figures import BEST
from benchlib.markdown import heading, mean, number, row
from benchlib.suites import environment_of

BUILDS = "builds"
BUILD_PROGRAM = "conclave_build_bench"
MODES = ["cold", "cached", "warm"]
WHAT = ["wall ms", "CPU ms", "MB"]
WORST = 3  # ratios that the summary names

Program = collections.namedtuple("Program", "name source options")


def read_corpus(options):
    return [Program("/".join(fields[:2]), *fields[2:])
            for fields in read_lines(options, ["group", "name", "source", "options"], optional=1)]


def measure(options, program, who):
    """{mode: {what: figure}}, or the reason why the program is not built."""
    words = [options.build / "bin" / BUILD_PROGRAM, f"--limit={options.limit}"]
    if program.options.strip():
        words.append(f"--options={program.options}")
    done = subprocess.run([*words, program.source], env=environment_of(options, who), text=True,
                          stdout=subprocess.PIPE, check=False)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        sys.exit(f"bench: {BUILD_PROGRAM} printed no results (exit status {done.returncode}) for "
                 f"{program.name} with {who}")
    return answer.get("error") or answer


def measure_all(options, programs):
    """{who: {program: {(mode, what): figure}}}, and {who: {program: why it is not built}}."""
    rounds = {who: collections.defaultdict(list) for who in options.contestants}
    failures = {who: {} for who in options.contestants}
    for round_number in range(options.rounds):
        for i, program in enumerate(programs):
            print(f"{program.name} ({i + 1}/{len(programs)}), round {round_number + 1}/"
                  f"{options.rounds}", file=sys.stderr)
            # One after the other, so that what else the machine does falls on all.
            for who in options.contestants:
                if program.name in failures[who]:
                    continue
                answer = measure(options, program, who)
                if isinstance(answer, str):
                    failures[who][program.name] = answer
                    rounds[who].pop(program.name, None)
                else:
                    rounds[who][program.name].append(answer)
    typical = min if options.best else statistics.median
    results = {who: {name: {(mode, what): typical([answer[mode][what] for answer in answers])
                            for mode in MODES for what in WHAT}
                     for name, answers in programs_of.items()}
               for who, programs_of in rounds.items()}
    return results, failures


def ratios(results, other, key):
    """{program: ours to theirs} of what both build."""
    ours, theirs = results["ours"], results[other]
    return {name: ours[name][key] / theirs[name][key]
            for name in ours if name in theirs and theirs[name][key] > 0 and ours[name][key] > 0}


def add_best(options, results):
    """With several others, the best of them as one more; returns the names of the columns."""
    others = [who for who in results if who != "ours"]
    if len(options.best_of) < 2:
        return others
    names = {name for who in options.best_of for name in results[who]}
    results[BEST] = {name: {key: min(results[who][name][key] for who in options.best_of
                                     if name in results[who])
                            for key in ((mode, what) for mode in MODES for what in WHAT)}
                     for name in names}
    return [*others, BEST]


def print_programs(results, others, mode):
    """A line for each program that we build."""
    print()
    heading([mode, *WHAT, *(f"ours/{who}: {what.split()[0]}" for who in others for what in WHAT)])
    compared = {(who, what): ratios(results, who, (mode, what)) for who in others for what in WHAT}
    for name, figures in results["ours"].items():
        row([name, *(number(figures[mode, what]) for what in WHAT),
             *(number(found[name]) if name in found else "-" for found in compared.values())])


def with_worst(found):
    """The geometric mean of {program: ratio}, and the largest."""
    worst = sorted(found, key=found.get, reverse=True)[:WORST]
    return f"{mean(found.values())} ({', '.join(f'{number(found[name])} {name}' for name in worst)})"


def print_summary(results, others):
    print()
    counts = {who: len(ratios(results, who, ("cold", "wall ms"))) for who in others}
    heading(["geometric means", f"ours, {len(results['ours'])} programs",
             *(f"ours/{who}, {counts[who]} programs (largest)" for who in others)])
    for key in ((mode, what) for mode in MODES for what in WHAT):
        row([f"{key[0]}, {key[1]}", mean(figures[key] for figures in results["ours"].values()),
             *(with_worst(ratios(results, who, key)) for who in others)])


def print_failures(failures):
    for who, programs in failures.items():
        if programs:
            print(f"\nNot built by {who}: {len(programs)}")
        for name, why in programs.items():
            print(f"- {name}: {why}")


def run_builds(options, _suites):
    """Runs the suite and prints its tables; returns whether we have built anything."""
    results, failures = measure_all(options, read_corpus(options))
    write_json(options, {who: {name: {mode: {what: figures[mode, what] for what in WHAT} for mode in MODES}
                               for name, figures in programs.items()}
                         for who, programs in results.items()}, failures)
    others = add_best(options, results)
    for mode in MODES:
        print_programs(results, others, mode)
    print_summary(results, others)
    print_failures(failures)
    return bool(results["ours"])
