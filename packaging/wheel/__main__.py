# SPDX-License-Identifier: Apache-2.0
"""`python -m conclave examine` and so on: runs the tool of that name."""

import os
import sys

from conclave import DIRECTORY


def run(name):
    os.execv(DIRECTORY / "bin" / name, [name] + sys.argv[1:])


def main():
    run("conclave")


def clocl():
    run("clocl")


if __name__ == "__main__":
    main()
