#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What run_blocks.py finds wrong in pages made for that.

usage: run_blocks_test.py BUILD
"""
import pathlib
import subprocess
import sys
import tempfile

RUNNER = pathlib.Path(__file__).with_name("run_blocks.py")
# Page, whether it must be accepted, and what must be in the output.
CASES = [
    ("<!-- run -->\n```sh\ntrue\n```\n", True, "1 blocks were run, 0 failures"),
    ("<!-- run -->\n```sh\nfalse\n```\n", False, "exit status 1"),
    ("<!-- run -->\n```sh\nfalse | true\n```\n", False, "1 failures"),
    ("<!-- run -->\n```sh\ntrue\n```\n```sh\ntrue\n```\n", False, "README.md:5: is neither run nor says why not"),
    ("<!-- run -->\n```sh\ntrue\n```\ntext\n```\n$ ls\n```\n", False, "README.md:6: is neither run"),
    ("<!-- run -->\n```sh\ntrue\n```\n<!-- not run: rest -->\n```sh\nfalse\n```\n", True, "1 blocks were run"),
    ("<!-- run -->\n```sh\ntrue\n```\n<!-- not run -->\n```sh\nfalse\n```\n", False, "says no more"),
    ("<!-- run -->\nA text between.\n```sh\ntrue\n```\n", False, "is neither run"),
    ("<!-- run -->\n```c\nint x;\n```\n", False, "is no block of commands"),
    ("<!-- file: a/b.txt -->\n```json\n{}\n```\n<!-- run -->\n```sh\ngrep -x '{}' a/b.txt\n```\n", True, "1 blocks"),
    ("<!-- run -->\n```console\n$ x=5\n5\n$ [ $x = 5 ]\n```\n", True, "1 blocks"),
    ("<!-- run -->\n```sh\nexport A=1\n```\n<!-- run -->\n```sh\n[ $A = 1 ]\n```\n", True, "2 blocks"),
    ("<!-- run if: no-such-program -->\n```sh\nfalse\n```\n<!-- run -->\n```sh\ntrue\n```\n", True, "SKIPPED"),
    ("<!-- run with: weather -->\n```sh\ntrue\n```\n", False, "setups.sh has no 'weather'"),
    # What a page leaves running is ended, in a session of its own as well, and does not write on.
    ("<!-- run -->\n```sh\nhere=$PWD\nfor i in $(seq 2000); do mkdir -p $here/a/$i; done > /dev/null 2>&1 &\n"
     "setsid sh -c \"for i in $(seq -s ' ' 2000); do mkdir -p $here/b/\\$i; done\" > /dev/null 2>&1 &\n"
     "sleep 0.2\n```\n", True, "1 blocks"),
    ("Nothing to run.\n", False, "0 blocks were run"),
    ("<!-- run -->\n```sh\nclocl --version\n[ -x build/release/bin/clocl ]\n```\n", True, "1 blocks"),
    ("1. A list.\n\n   <!-- run -->\n   ```sh\n   cat <<X\n   x\n   X\n   ```\n", True, "1 blocks"),
]


def main():
    build = sys.argv[1]
    failures = 0
    for text, accepted, expected in CASES:
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder)
            (source / "docs").mkdir()
            (source / "examples").mkdir()
            for name in ("CONTRIBUTING.md", "examples/README.md"):
                (source / name).write_text("")
            (source / "README.md").write_text(text)
            done = subprocess.run([sys.executable, RUNNER, folder, build], capture_output=True, text=True)
        if (done.returncode == 0) != accepted or expected not in done.stdout:
            print(f"FAILED: {text!r}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
            failures += 1
    print(f"{len(CASES)} pages, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
