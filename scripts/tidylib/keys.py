# SPDX-License-Identifier: Apache-2.0
"""Prints a line `KEY SOURCE` for each source that standard input names: KEY is a hash of all that the
outcome of its checks depends on.

Usage: keys.py BUILD PROGRAM < SOURCES
    BUILD    a build folder of Ninja in the current folder, built: Ninja knows which headers each object includes
    PROGRAM  what does the checks; its version is part of each key
Sources are relative to the current folder, and so are the names in the keys: two checkouts with the same
content have the same keys. A source whose headers are not known gets `-` for a key.
"""

import functools
import hashlib
import json
import os
import re
import subprocess
import sys


@functools.cache
def content_hash(path):
    """The hash of a file's content, in hexadecimal digits; of a file that is gone, "gone"."""
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except FileNotFoundError:
        return "gone"


def read_dependencies(build):
    """What each object, and each precompiled header, was made from: a list of absolute paths by its name."""
    listing = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    dependencies = {}
    for line in listing.splitlines():
        if line.startswith("    "):
            dependencies[target].append(os.path.normpath(os.path.join(build, line.strip())))
        elif line:
            target = os.path.normpath(os.path.join(build, line.split(": #deps")[0]))
            dependencies[target] = []
    return dependencies


def files_behind(target, dependencies):
    """The sources and headers that an object is made from, those of its precompiled header included."""
    files = set()
    for file in dependencies[target]:
        files |= set(dependencies[file]) if file in dependencies else {file}
    return files


def main():
    build, program = os.path.abspath(sys.argv[1]), sys.argv[2]
    here = os.getcwd() + "/"
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    common = version + content_hash(".clang-tidy") + content_hash(os.path.join("scripts", "tidy"))
    dependencies = read_dependencies(build)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    keys = {}
    for entry in commands:
        source = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        key = keys.setdefault(source, hashlib.sha256(common.encode()))
        target = os.path.normpath(os.path.join(entry["directory"], re.search(r" -o (\S+)", entry["command"])[1]))
        if key is None or target not in dependencies:
            keys[source] = None
            continue
        key.update(entry["command"].replace(here, "").encode())
        for path in sorted(files_behind(target, dependencies)):
            key.update(f"{path.removeprefix(here)} {content_hash(path)}\n".encode())
    for source in sys.stdin.read().splitlines():
        key = keys.get(here + source)
        print(key.hexdigest() if key else "-", source)


main()
