#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs what is built into a wheel, conclave-opencl.

    make_wheel.py BUILD OUTPUT

The wheel holds the runtime, the compiler and the tools for users, as the Python package `conclave`, and
the file by which PyOpenCL's loader finds the platform. Its tag says which C library the programs need.
"""

import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
# Installed files that become part of the package, below conclave/.
FILES = ["lib/libconclave.so", "bin/clocl", "bin/conclave", "bin/ti-mct-heap-check"]
# Programs that the tools run, if there are any. They may need the libraries that they look for.
HELPERS = ["libexec/conclave/conclave-opencl-probe"]
# The libraries that every system has; their versions follow from that of the C library.
EVERYWHERE = {"ld-linux-x86-64.so.2", "libc.so.6", "libgcc_s.so.1", "libm.so.6"}
# PyOpenCL's loader reads all .icd files here. The dynamic linker replaces $ORIGIN by the folder of the
# library that loads: that same folder.
VENDOR_FILE = "pyopencl/.libs/conclave.icd"
VENDOR_TEXT = "$ORIGIN/../../conclave/lib/libconclave.so"
METADATA = """\
Metadata-Version: 2.1
Name: conclave-opencl
Version: {version}
Summary: OpenCL 3.0 on CPUs, shared fairly between processes
License: Apache-2.0
Requires-Python: >=3.8
Provides-Extra: pyopencl
Requires-Dist: pyopencl; extra == "pyopencl"
Description-Content-Type: text/markdown

"""
ENTRY_POINTS = """\
[console_scripts]
conclave = conclave.__main__:main
clocl = conclave.__main__:clocl
"""


def cache_entry(build, name):
    text = (build / "CMakeCache.txt").read_text()
    found = re.search(rf"^{name}:\w+=(.*)$", text, re.MULTILINE)
    if not found:
        sys.exit(f"make_wheel: {build} has no {name}")
    return found[1]


def needed_glibc(file):
    """The newest minor version of glibc 2 whose symbols the file needs; 0 for a static program."""
    output = subprocess.run(["readelf", "--wide", "--version-info", file], check=True, text=True,
                            capture_output=True).stdout
    needs = output.partition(".gnu.version_r")[2]
    return max([int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", needs)], default=0)


def require_nothing_else(file):
    """Ends the program if the file needs a library that may be missing or older where the wheel is installed."""
    output = subprocess.run(["readelf", "--wide", "--dynamic", file], check=True, text=True,
                            capture_output=True).stdout
    others = set(re.findall(r"\(NEEDED\).*\[(.*)\]", output)) - EVERYWHERE
    if others:
        sys.exit(f"make_wheel: {file} needs {', '.join(sorted(others))}: link it statically")


class Wheel:
    """A wheel that is being written."""

    def __init__(self, path, information):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.information = information
        self.record = ""

    def add(self, name, content, mode=0o644):
        entry = zipfile.ZipInfo(name)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100000 | mode) << 16
        self.zip.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record += f"{name},sha256={digest},{len(content)}\n"

    def describe(self, name, content):
        self.add(f"{self.information}/{name}", content)

    def close(self):
        name = f"{self.information}/RECORD"
        self.record += f"{name},,\n"
        self.zip.writestr(name, self.record)
        self.zip.close()


def add_terms(wheel):
    wheel.describe("licenses/LICENSE", (SOURCE / "LICENSE").read_bytes())
    for package in (HERE.parent / "third_party.txt").read_text().splitlines():
        if package and not package.startswith("#"):
            terms = pathlib.Path("/usr/share/doc") / package / "copyright"
            wheel.describe(f"licenses/{package}", terms.read_bytes())


def main(build, output):
    version = cache_entry(build, "CMAKE_PROJECT_VERSION")
    with tempfile.TemporaryDirectory() as temporary:
        prefix = pathlib.Path(temporary)
        for component in ("runtime", "tools"):
            subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--component", component],
                           check=True, stdout=subprocess.DEVNULL)
        library = cache_entry(build, "CMAKE_INSTALL_LIBDIR")
        files = {name: prefix / re.sub("^lib/", library + "/", name) for name in FILES}
        for file in files.values():
            require_nothing_else(file)
        files.update({name: prefix / name for name in HELPERS if (prefix / name).exists()})
        tag = f"py3-none-manylinux_2_{max(map(needed_glibc, files.values()))}_x86_64"
        path = output / f"conclave_opencl-{version}-{tag}.whl"
        wheel = Wheel(path, f"conclave_opencl-{version}.dist-info")
        for module in ("__init__.py", "__main__.py"):
            wheel.add(f"conclave/{module}", (HERE / module).read_bytes())
        for name, file in files.items():
            wheel.add(f"conclave/{name}", file.read_bytes(), 0o644 if name.startswith("lib/") else 0o755)
        wheel.add(VENDOR_FILE, VENDOR_TEXT.encode())
        wheel.describe("METADATA", (METADATA.format(version=version) + (HERE / "README.md").read_text()).encode())
        wheel.describe("WHEEL", f"Wheel-Version: 1.0\nGenerator: make_wheel\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        wheel.describe("entry_points.txt", ENTRY_POINTS.encode())
        add_terms(wheel)
        wheel.close()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
