# SPDX-License-Identifier: Apache-2.0
"""Builds BabelStream, miniBUDE, LULESH, CoMD, XSBench, CloverLeaf and hashcat."""

import shutil
import subprocess

from strangerslib.sources import LENIENT, edit, run, write_script

# Potential, options.
COMD = {"lj": "-N 20", "eam": "-e -N 20"}

# What CloverLeaf wants of OpenCL's old C++ header, by the new one.
CL_HPP = """#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_ENABLE_SIZE_T_COMPATIBILITY
#define CL_HPP_ENABLE_PROGRAM_CONSTRUCTION_FROM_ARRAY_COMPATIBILITY
#include <CL/opencl.hpp>
namespace cl { inline LocalSpaceArg __local(::size_t size) { return Local(size); } }
"""

# MPI would start a process of its own, and look at OpenCL's devices in both.
RUN_CLOVERLEAF = """#!/bin/sh
export OMPI_MCA_ess_singleton_isolated=1 HWLOC_COMPONENTS=-opencl
exec ./clover_leaf
"""

# Mode, digits of a hash, the words to try.
HASHCAT = {"md5": (0, 32, "?l?l?l?l?l?l"), "sha256": (1400, 64, "?l?l?l?l?d?d"),
           "sha512": (1700, 128, "?l?l?l?d?d?d")}

# All sizes are given: it would else choose them by times, and so what it launches.
HASHCAT_OPTIONS = ("-a 3 -d 1 -D 1 --force -O -n 1024 -u 1024 -T 1 --potfile-disable "
                   "--self-test-disable --logfile-disable --restore-disable")

# Its own cache of kernels becomes that of the measurement. It unloads OpenCL's loader before the
# loader's layers have ended. Its status 1 means that it has tried all words.
RUN_HASHCAT = """#!/bin/sh
caches=${XDG_CACHE_HOME:-$PWD/cache}/hashcat
mkdir -p "$caches" && ln -sfn "$caches" kernels
LD_PRELOAD=libOpenCL.so.1 ./hashcat "$@"
[ $? -le 1 ]
"""


def run_cmake(folder, *options):
    """Builds BabelStream or miniBUDE in `folder`/build; they do not look for the loader."""
    loader = subprocess.run(["gcc", "-print-file-name=libOpenCL.so"], stdout=subprocess.PIPE,
                            text=True, check=False).stdout.strip()
    run(["cmake", "-S", ".", "-B", "build", "-DMODEL=ocl", "-DCMAKE_BUILD_TYPE=Release",
         f"-DOpenCL_LIBRARY={loader}", *options], folder)
    run(["cmake", "--build", "build"], folder)


def build_babelstream(folder, _data):
    # It would fetch headers of its own.
    run_cmake(folder, "-DFETCHCONTENT_SOURCE_DIR_OPENCL_HEADER=/usr/include")
    yield "babelstream", folder / "build", "./ocl-stream -s 8388608 -n 20"


def build_minibude(folder, _data):
    run_cmake(folder)
    yield "minibude", folder / "build", f"./ocl-bude --deck {folder / 'data' / 'bm1'} -n 4096 -i 4"


def build_lulesh(folder, _data):
    where = folder / "lulesh-cl"
    run(["make", f"CXXFLAGS=-O3 -std=c++11 {LENIENT}"], where)
    yield "lulesh", where, "./lulesh -s 30 -i 100"


def build_comd(folder, _data):
    run(["make", f"CC=gcc {LENIENT}", "INCLUDE_PATH=/usr/include", "LIB_PATH=/usr/lib"],
        folder / "comd-cl" / "src-cl")
    for name, options in COMD.items():
        yield name, folder / "comd-cl", f"./CoMD-ocl {options}"


def build_xsbench(folder, _data):
    where = folder / "xsbench-cl" / "src"
    # Its input is the same each time only if it verifies, which also lets each work-item have
    # its result.
    run(["make", "VERIFY=yes", f"GCC_O_FLAGS=-O3 {LENIENT}"], where)
    yield "xsbench", where, "./XSBench -s small -l 2097152"


def build_cloverleaf(folder, _data):
    (folder / "CL").mkdir(exist_ok=True)
    (folder / "CL" / "cl.hpp").write_text(CL_HPP)
    edit(folder / "setup_ocl.C", ("<< std::cout;", "<< std::endl;"))  # writes a stream to a stream
    shutil.copy(folder / "clover_bm_short.in", folder / "clover.in")
    # Any vendor that has a c in its name.
    edit(folder / "clover.in", ("vendor=Nvidia", "vendor=c"), ("type=GPU", "type=CPU"),
         ("end_step=87", "end_step=20"))
    if run(["make", "COMPILER=GNU", "OCL_VENDOR=AMD", "OCL_AMD_INC=-I.",
            "OCL_AMD_LIB=-Wl,--no-as-needed -lOpenCL -lstdc++ -lmpi_cxx",
            "MPI_COMPILER=mpif90 -fallow-argument-mismatch -w",
            f"CXX_MPI_COMPILER=mpicxx -std=c++11 {LENIENT}"], folder):
        write_script(folder / "run", RUN_CLOVERLEAF)
    yield "cloverleaf", folder, "./run"


def build_hashcat(folder, _data):
    modules = [f"modules/module_{mode:05}.so" for mode, _, _ in HASHCAT.values()]
    if run(["make", "-j2", "PRODUCTION=1", "hashcat", *modules], folder):
        write_script(folder / "run", RUN_HASHCAT)
    for name, (mode, digits, words) in HASHCAT.items():
        yield name, folder, f"./run {HASHCAT_OPTIONS} -m {mode} {'f' * digits} {words}"
