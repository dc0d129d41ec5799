# SPDX-License-Identifier: Apache-2.0
"""Runs the suites whose programs bring their kernels with them."""

import itertools
import json
import os
import subprocess
import sys
import tempfile

from benchlib.figures import print_kernel_summary, print_table

# How to run each suite's program, and how to ask it for the names of its measurements.
SUITES = {
    "process": {"program": "conclave_bench",
                "run": ["--benchmark_format=json", "--benchmark_filter={filter}"]},
    "share": {"program": "conclave_share_bench",
              "run": ["--json", "--filter={filter}"], "list": ["--list", "--filter={filter}"]},
    "kernels": {"program": "conclave_kernel_bench",
                "run": ["--json", "--filter={filter}"], "list": ["--list", "--filter={filter}"]},
    "math": {"program": "conclave_kernel_bench",
             "run": ["--suite=math", "--json", "--filter={filter}"],
             "list": ["--suite=math", "--list", "--filter={filter}"]},
}


def command(options, suite, what, pattern):
    program = options.build / "bin" / SUITES[suite]["program"]
    return [program, *(word.format(filter=pattern) for word in SUITES[suite][what])]


def parts(options, suite):
    """The patterns of names that are measured in one go. What takes long is measured one by one, so
    that the same figure of both implementations is taken soon after each other."""
    if "list" not in SUITES[suite]:
        return [options.filter]
    done = subprocess.run(command(options, suite, "list", options.filter), stdout=subprocess.PIPE,
                          text=True, check=True)
    return [f"^{line.split()[0]}$" for line in done.stdout.splitlines()]


def environment_of(options, who):
    """In which the loader finds that implementation alone."""
    # The loader takes a name for a directory only if it ends with a slash.
    return dict(os.environ, OCL_ICD_VENDORS=f"{options.contestants[who].resolve()}/")


def run(options, suite, pattern, who, cache):
    """Runs a part of a suite; returns {(name, unit): value}, the names that failed, and success."""
    vendors = options.contestants[who]
    environment = dict(environment_of(options, who), XDG_CACHE_HOME=cache,
                       CONCLAVE_CACHE_DIR=f"{cache}/conclave", POCL_CACHE_DIR=f"{cache}/pocl")
    words = command(options, suite, "run", pattern)
    if options.quick:
        words.append("--quick")
    if suite in ("kernels", "math"):
        words += ["--best"] * options.best
        if who in options.build_options:
            words.append(f"--build-options={options.build_options[who]}")
    done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0 and not done.stdout.strip():
        return {}, set(), True  # no name matches
    try:
        benchmarks = json.loads(done.stdout)["benchmarks"]
    except (ValueError, KeyError):
        sys.exit(f"bench: {words[0].name} printed no results (exit status {done.returncode}) "
                 f"with {vendors}, --filter {pattern}")
    figures, failed = {}, set()
    for benchmark in benchmarks:
        name = benchmark["name"].split("/")[0]
        if benchmark.get("error_occurred"):
            print(f"bench: {name} failed with {vendors}: {benchmark['error_message']}",
                  file=sys.stderr)
            failed.add(name)
            continue
        # The last key of a result is the benchmark's own counter: its unit and its value.
        unit = list(benchmark)[-1]
        figures[name, unit] = benchmark[unit]
    return figures, failed, done.returncode == 0


def write_json(file, results):
    """Writes {"figures": [{"name", "unit", "rounds": {implementation: values}}]}."""
    figures = [{"name": name, "unit": unit,
                "rounds": {who: found[name, unit] for who, found in results.items()
                           if (name, unit) in found}}
               for name, unit in results["ours"]]
    file.write_text(json.dumps({"figures": figures}, indent=1) + "\n")


def run_suites(options, suites):
    """Runs them and prints their figures; returns whether all went well."""
    results = {who: {} for who in options.contestants}
    failures = {who: set() for who in options.contestants}
    all_right = True
    # Processes that build for later ones outlive programs, and may still write there.
    with tempfile.TemporaryDirectory(prefix="conclave-bench-",
                                     ignore_cleanup_errors=True) as caches:
        # One after the other, so that what else the machine does falls on all.
        for suite, round_number, pattern, who in (
                step for suite in suites
                for step in itertools.product([suite], range(options.rounds),
                                              parts(options, suite), options.contestants)):
            print(f"{suite} {pattern}, round {round_number + 1}/{options.rounds}: {who}",
                  file=sys.stderr)
            figures, failed, right = run(options, suite, pattern, who, f"{caches}/{who}")
            all_right &= right
            failures[who] |= failed
            for key, value in figures.items():
                results[who].setdefault(key, []).append(value)
    if not results["ours"]:
        sys.exit("bench: no figure of our own to print")
    if options.json:
        write_json(options.json, results)
    print_table(options, results, failures)
    print_kernel_summary(options, results)
    return all_right
