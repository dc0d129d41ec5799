# SPDX-License-Identifier: Apache-2.0
"""Builds the programs that measure Boost.Compute, CLBlast and clFFT."""

import shlex

from strangerslib.sources import run

BOOST = ("accumulate cart_to_polar copy_if count exclusive_scan find_end includes inner_product "
         "max_element merge nth_element partial_sum partition random_number_engine reduce_by_key "
         "reverse rotate saxpy set_union sort sort_by_key sort_float stable_partition "
         "unique").split()

# Routine, options of its client.
CLBLAST = {"xaxpy": "-n 4194304", "xdot": "-n 4194304", "xgemv": "-m 2048 -n 2048",
           "xger": "-m 2048 -n 2048", "xgemm": "-m 1024 -n 1024 -k 1024",
           "xsyrk": "-n 1024 -k 1024", "xtrsm": "-m 512 -n 512"}

# Lengths of transforms, and how many at a time.
CLFFT = {"1d_1024": "-x 1024 -b 1024", "1d_1048576": "-x 1048576 -b 4",
         "1d_1000": "-x 1000 -b 1024", "2d_1024": "-x 1024 -y 1024", "3d_64": "-x 64 -y 64 -z 64"}


def build_boost(folder, _data):
    flags = shlex.split("-O2 -w -std=c++14 -DCL_TARGET_OPENCL_VERSION=120 -I../include")
    libraries = [f"-lboost_{name}" for name in ("program_options", "timer", "chrono", "system")]
    where = folder / "perf"
    for name in BOOST:
        run(["g++", *flags, f"perf_{name}.cpp", "-o", name, "-lOpenCL", *libraries], where)
        yield name, where, f"./{name} 4194304"


def build_clblast(folder, _data):
    where = folder / "build"
    run(["cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Release", "-DCLIENTS=ON",
         "-DTUNERS=OFF"], folder)
    run(["cmake", "--build", "build", "-j2", "--target",
         *(f"clblast_client_{routine}" for routine in CLBLAST)], folder)
    for routine, sizes in CLBLAST.items():
        for precision in (32, 64):
            yield (f"{routine}_{precision}", where,
                   f"./clblast_client_{routine} {sizes} -precision {precision} -num_steps 1 "
                   "-runs 5 -clblas 0 -cblas 0")


def build_clfft(folder, _data):
    run(["cmake", "-S", "src", "-B", "build", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_CLIENT=ON",
         "-DBUILD_SHARED_LIBS=OFF", "-DBUILD_EXAMPLES=OFF", "-DBUILD_LOADLIBRARIES=OFF"], folder)
    run(["cmake", "--build", "build", "-j2"], folder)
    for name, sizes in CLFFT.items():
        yield name, folder / "build" / "staging", f"./clFFT-client {sizes} -p 10"
