# SPDX-License-Identifier: Apache-2.0
"""The command line of scripts/bench."""

import argparse
import pathlib

from benchlib.builds import BUILD_PROGRAM, BUILDS
from benchlib.figures import BEST
from benchlib.strangers import LAYER, STRANGERS
from benchlib.suites import SUITES

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--vs", metavar="DIR", type=pathlib.Path, action="append", default=[],
                        help="directory with the .icd file of an implementation to compare with; "
                             "may be given several times")
    parser.add_argument("--vs-options", metavar="DIR=OPTIONS", action="append", default=[],
                        help="options with which that implementation builds the kernels of the "
                             "suite kernels")
    parser.add_argument("--best-of", metavar="DIR", type=pathlib.Path, action="append", default=[],
                        help=f"compare in the column '{BEST}' with these only (default all --vs)")
    parser.add_argument("--suite", choices=[*SUITES, BUILDS, STRANGERS, "all"], default="all",
                        help="what one process does, how processes share the device, kernels of "
                             "many classes, mathematical functions, or all of these (default all); "
                             f"{BUILDS}: builds of the programs of --corpus; {STRANGERS}: the programs "
                             "of --corpus themselves")
    parser.add_argument("--corpus", type=pathlib.Path, metavar="FILE",
                        help=f"a program in each line, with tabs between its group, its name, and, "
                             f"for {BUILDS}, the path of its source and its build options, for "
                             f"{STRANGERS}, its directory and its command")
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS",
                        help=f"for {BUILDS} and {STRANGERS}: wall time of a build or run "
                             "(default 60)")
    parser.add_argument("--filter", default=".", metavar="REGEX",
                        help="run only the benchmarks whose name (or group/name) matches")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each (default 3)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release",
                        metavar="DIR", help="build tree (default build/release)")
    parser.add_argument("--best", action="store_true",
                        help="the best call and the best round of each kernel rather than the "
                             "medians: for a busy machine")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE",
                        help="write the figures there too, those of all rounds without --corpus")
    parser.add_argument("--quick", action="store_true", help="few samples: a check, no measurement")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"--rounds {options.rounds}: at least 1 round is needed")
    read_others(parser, options)
    if (options.suite in (BUILDS, STRANGERS)) != (options.corpus is not None):
        parser.error(f"--suite {BUILDS} or {STRANGERS} and --corpus belong together")
    options.suites = list(SUITES) if options.suite == "all" else [options.suite]
    programs = {BUILDS: f"bin/{BUILD_PROGRAM}", STRANGERS: f"lib/lib{LAYER}.so"}
    for suite in options.suites:
        program = programs.get(suite) or f"bin/{SUITES[suite]['program']}"
        if not (options.build / program).exists():
            parser.error(f"--build {options.build}: no {program} there; build it first "
                         "(cmake --preset release && cmake --build --preset release)")
    return options


def read_others(parser, options):
    """Sets options.contestants: {name: directory of the .icd file}, of build_options: {name: text},
    and of best_of: names."""
    options.contestants = {"ours": options.build / "etc" / "OpenCL" / "vendors"}
    names = {}
    for directory in options.vs:
        if not any(directory.glob("*.icd")):
            parser.error(f"--vs {directory}: no .icd file in that directory")
        name = directory.resolve().name
        if name in (*options.contestants, BEST):
            parser.error(f"--vs {directory}: '{name}' is another column already; rename it")
        options.contestants[name] = directory
        names[directory.resolve()] = name
    options.build_options = {}
    for text in options.vs_options:
        directory, equals, words = text.partition("=")
        if not equals or pathlib.Path(directory).resolve() not in names:
            parser.error(f"--vs-options {text}: not of the form DIR=OPTIONS with a DIR of --vs")
        options.build_options[names[pathlib.Path(directory).resolve()]] = words
    for directory in options.best_of:
        if directory.resolve() not in names:
            parser.error(f"--best-of {directory}: not a DIR of --vs")
    options.best_of = ([names[directory.resolve()] for directory in options.best_of]
                       or list(names.values()))
