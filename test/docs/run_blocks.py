#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the documentation, so that none is wrong.

A comment before a block of code says what to do with it:

    <!-- run -->                  run it
    <!-- run if: jq, zsh -->      run it where these programs are
    <!-- run with: busy -->       run it after the function `busy` of setups.sh
    <!-- not run: WHY -->         leave it out, for this reason
    <!-- file: NAME -->           write it to this file, for later blocks of the page

The blocks of a page run in their order in one shell and one empty directory, in which build/release is
the build tree, whose programs are in PATH. In a block with prompts, the lines behind `$ ` are the
commands. A block of commands without a comment is an error.

usage: run_blocks.py SOURCE BUILD [PAGE...]
"""
import contextlib
import ctypes
import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36
SHELLS = {"sh", "bash", "shell", "console", "zsh", "fish"}
MARK = re.compile(r"<!-- (run if|run with|run|not run|file)(?:: (.+))? -->$")
PAGE_SECONDS = 60


@dataclasses.dataclass
class Block:
    line: int
    language: str
    text: str
    mark: str = ""      # "run", "run if", "run with", "not run", "file", "": none
    detail: str = ""

    def is_shell(self):
        return self.language in SHELLS or (self.language in ("", "text") and self.text.lstrip().startswith("$ "))

    def commands(self):
        lines = self.text.splitlines()
        if not any(line.startswith("$ ") for line in lines):
            return self.text
        return "".join(line[2:] + "\n" for line in lines if line.startswith("$ "))


def blocks_of(text):
    """The fenced blocks of a page."""
    blocks, block, mark, indent = [], None, None, ""
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if block is not None:
            if stripped == "```":
                blocks.append(block)
                block = mark = None
            else:
                block.text += line.removeprefix(indent) + "\n"
        elif stripped.startswith("```"):
            indent = line[:len(line) - len(line.lstrip())]
            block = Block(number, stripped[3:].strip(), "", *(mark or ("", "")))
        elif found := MARK.match(stripped):
            mark = (found[1], found[2] or "")
        elif stripped:
            mark = None
    if block is not None:
        raise ValueError(f"the block of line {block.line} does not end")
    return blocks


def mistakes_of(blocks, setups):
    """What is wrong with the marks of a page's blocks."""
    for block in blocks:
        if block.is_shell() and not block.mark:
            yield block, "is neither run nor says why not"
        if block.mark in ("not run", "file", "run if", "run with") and not block.detail:
            yield block, f"'{block.mark}' says no more"
        if block.mark.startswith("run") and not block.is_shell():
            yield block, "is to be run, and is no block of commands"
        if block.mark == "run with" and block.detail not in setups:
            yield block, f"setups.sh has no '{block.detail}'"


def script_of(page, blocks, setups_file):
    """A shell script that runs the page's blocks, or None if there are none to be run."""
    script, runs = f"set -euo pipefail\nsource {shlex.quote(str(setups_file))}\n", 0
    for block in blocks:
        if block.mark == "file":
            script += f"mkdir -p \"$(dirname {block.detail})\"\ncat > {block.detail} <<'END_OF_FILE'\n" \
                      f"{block.text}END_OF_FILE\n"
        if block.mark == "run if":
            missing = [name for name in re.split(r",\s*", block.detail) if not shutil.which(name)]
            if missing:
                print(f"{page}:{block.line}: SKIPPED: {', '.join(missing)} not installed")
                continue
        if not block.mark.startswith("run"):
            continue
        runs += 1
        script += f"echo {shlex.quote(f'=== {page}:{block.line}')}\n"
        if block.mark == "run with":
            script += block.detail + "\n"
        script += block.commands()
    return (script, runs) if runs else (None, 0)


def run(script, source, build):
    """Exit status and output of the script in a directory and an environment of its own."""
    with tempfile.TemporaryDirectory(prefix="conclave-docs-") as folder:
        scratch = pathlib.Path(folder)
        for name in ("home", "runtime", "page/build"):
            (scratch / name).mkdir(parents=True, mode=0o700)
        (scratch / "page/build/release").symlink_to(build)
        environment = {
            "HOME": str(scratch / "home"), "XDG_RUNTIME_DIR": str(scratch / "runtime"), "TERM": "dumb",
            "PATH": f"{build}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8",
            "OCL_ICD_VENDORS": f"{build}/etc/OpenCL/vendors/", "CONCLAVE_SEGMENT": f"conclave-docs.{os.getpid()}",
            "SOURCE": str(source), "RUNNER": str(os.getpid()),
        }
        shell = subprocess.Popen(["bash", "-c", script], cwd=scratch / "page", env=environment, text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 start_new_session=True)
        try:
            output, _ = shell.communicate(timeout=PAGE_SECONDS)
            status = shell.returncode
        except subprocess.TimeoutExpired:
            status, output = f"none after {PAGE_SECONDS} s", ""
        end_descendants(shell)
        if not output:
            output, _ = shell.communicate()
        return status, output


def adopt_orphans():
    """Makes this process the parent of what outlives a page's shell: compilers that write to the cache
    when their program has ended, for example."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def end_descendants(shell):
    """Ends what the blocks have left running, whatever process group it is in, and waits for it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(shell.pid, signal.SIGKILL)
    children = pathlib.Path(f"/proc/self/task/{os.getpid()}/children")
    # A child that ends leaves us its own children.
    while remaining := children.read_text().split():
        for child in map(int, remaining):
            os.kill(child, signal.SIGKILL)
            if child == shell.pid:
                shell.wait()
            else:
                os.waitpid(child, 0)


def pages_of(source):
    pages = [source / name for name in ("README.md", "CONTRIBUTING.md", "examples/README.md")]
    return pages + sorted((source / "docs").rglob("*.md"))


def main():
    adopt_orphans()
    source, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    chosen = sys.argv[3:]
    setups_file = pathlib.Path(__file__).with_name("setups.sh")
    setups = re.findall(r"^(\w+)\(\)", setups_file.read_text(), re.MULTILINE)
    failures = total = 0
    for path in pages_of(source):
        page = str(path.relative_to(source))
        if chosen and page not in chosen:
            continue
        blocks = blocks_of(path.read_text())
        for block, mistake in mistakes_of(blocks, setups):
            print(f"{page}:{block.line}: {mistake}")
            failures += 1
        script, count = script_of(page, blocks, setups_file)
        if not script:
            continue
        begin = time.monotonic()
        status, output = run(script, source, build)
        total += count
        print(f"{page}: {count} blocks, {time.monotonic() - begin:.1f} s, exit status {status}")
        if status != 0:
            print(output)
            failures += 1
    print(f"docs: {total} blocks were run, {failures} failures")
    return 1 if failures or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
