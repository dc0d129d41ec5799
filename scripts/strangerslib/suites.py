# SPDX-License-Identifier: Apache-2.0
"""Builds suites of small programs: SHOC, Rodinia, Parboil, PolyBench and CHAI."""

import shlex
import shutil

from strangerslib.sources import LENIENT, edit, run

SHOC = ("BFS FFT GEMM MD MD5Hash Reduction Scan Sort Spmv Stencil2D Triad S3D").split()

# Folder, what is built, arguments; {data} is the folder of made-up input.
RODINIA = {
    "b+tree": ("b+tree", "b+tree.out", "file {data}/mil.txt command {data}/command.txt"),
    "backprop": ("backprop", "backprop.out", "-n 1048576"),
    "bfs": ("bfs", "bfs.out", "{data}/graph.txt"),
    # A relative path: it takes any argument with t, d or p in second place for an option.
    "cfd": ("cfd", "euler3d.out", "../../../../data/mesh.txt -p 0 -d 0"),
    "dwt2d": ("dwt2d", "dwt2d.out", "rgb.bmp -i {data} -D 1024x1024 -f -5 -l 3"),
    "gaussian": ("gaussian", "gaussian.out", "-s 1024"),
    "heartwall": ("heartwall", "heartwall.out",
                  "-f {data}/heart.avi -i {data}/heart.txt -n 3 -p 0 -d 0"),
    "hotspot": ("hotspot", "hotspot.out",
                "1024 4 40 {data}/temp_1024 {data}/power_1024 output.txt"),
    "hotspot3D": ("hotspot3D", "hotspot3D.out",
                  "-n 512 -l 8 -i 20 -f {data}/power_512x8 {data}/temp_512x8 output.txt"),
    "hybridsort": ("hybridsort", "hybridsort.out", "r"),
    "kmeans": ("kmeans", "kmeans.out", "-i {data}/features.txt -t 100"),
    "lavaMD": ("lavaMD", "lavaMD.out", "-boxes1d 8"),
    "leukocyte": ("leukocyte", "leukocyte.out", "{data}/cells.avi 5"),
    "lud": ("lud", "lud.out", "-s 2048"),
    "nn": ("nn", "nn.out", "{data}/nn.txt -r 10 -lat 30 -lng 90 -q -p 0 -d 0 -f {data}"),
    "nw": ("nw", "nw.out", "2048 10 ./nw.cl -p 0 -d 0"),
    "particlefilter_double": ("particlefilter", "OCL_particlefilter_double.out",
                              "-x 128 -y 128 -z 10 -np 20000"),
    "particlefilter_naive": ("particlefilter", "OCL_particlefilter_naive.out",
                             "-x 128 -y 128 -z 10 -np 10000"),
    "particlefilter_single": ("particlefilter", "OCL_particlefilter_single.out",
                              "-x 128 -y 128 -z 10 -np 20000"),
    "pathfinder": ("pathfinder", "pathfinder.out", "-c 100000 -r 100 -h 20"),
    "srad": ("srad", "srad.out", "-n 100 -l 0.5 -s 502 458"),
    "streamcluster": ("streamcluster", "streamcluster.out",
                      "10 20 256 16384 16384 1000 none output.txt 1 -p 0 -d 0"),
}

PARBOIL = {
    "bfs": "-i {data}/streets.txt -o output",
    "cutcp": "-i {data}/atoms.pqr",
    "fft": "-i {data}/fft.bin -- 512 4096",
    "histo": "-i {data}/histo.bin -- 20 4",
    "lbm": "-i {data}/lbm.txt -o output -- 20",
    "mri-gridding": "-i {data}/gridding.uks -o output -- 32 0",
    "mri-q": "-i {data}/mri-q.bin",
    "sad": "-i {data}/reference.bin,{data}/frame.bin",
    "sgemm": "-i {data}/matrix.txt,{data}/matrix.txt,{data}/matrix.txt",
    "spmv": "-i {data}/matrix.mtx,{data}/vector.bin",
    "stencil": "-i {data}/stencil.bin -- 256 256 64 300",
    "tpacf": "-i {data}/stars0.txt,{data}/stars1.txt,{data}/stars2.txt,"
             "{data}/stars3.txt,{data}/stars4.txt -o output -- -n 4 -p 2048",
}

# What the device does alone, without the host threads that most of these programs would share
# it with.
CHAI = {"BS": "-a 0", "CEDD": "-a 0 -w 1 -r 3", "HSTI": "-a 0", "HSTO": "-a 0", "PAD": "-a 0",
        "RSCD": "-a 0 -r 20", "RSCT": "-r 20", "SC": "-a 0", "TRNS": "-r 5"}


def build_shoc(folder, _data):
    prefix = folder / "installed"
    words = ["sh", "configure", "--without-cuda", "--without-mpi", f"--prefix={prefix}",
             f"CXXFLAGS=-O2 {LENIENT}"]
    if run(words, folder) and run(["make", "-j2"], folder):
        run(["make", "install"], folder)
    programs = prefix / "bin" / "Serial" / "OpenCL"
    for name in SHOC:
        yield name, programs, f"./{name} -s 1 -d 0 -n 3"


def prepare_rodinia(folder):
    programs = folder / "opencl"
    # It compares a stream with NULL, and would run for minutes.
    edit(programs / "cfd" / "euler3d.cpp", ("file==NULL", "!file"),
         ("define iterations 2000", "define iterations 120"))
    # It looks for a GPU, and comes with a library that today's linkers do not take.
    edit(programs / "leukocyte" / "OpenCL" / "find_ellipse_opencl.c",
         ("CL_DEVICE_TYPE_GPU", "CL_DEVICE_TYPE_ALL"))
    library = programs / "leukocyte" / "meschach_lib"
    if library.exists():
        (library / "meschach.a").unlink(missing_ok=True)
        (library / "configure").chmod(0o755)


def build_rodinia(folder, data):
    images = folder / "data" / "srad"
    images.mkdir(parents=True, exist_ok=True)
    shutil.copy(data / "image.pgm", images)
    prepare_rodinia(folder)
    paths = ["NV_OPENCL_DIR=/usr", "NV_OPENCL_INC=/usr/include", "NV_OPENCL_LIB=/usr/lib"]
    for name, (place, program, arguments) in RODINIA.items():
        where = folder / "opencl" / place
        # One of its functions returns no value, after which optimised code runs into the next one.
        flags = ["CC_FLAGS=-O0"] if name == "kmeans" else []
        # Some are C that is no C++, some C++ that is no C++17.
        for compilers in ([], [f"CC=gcc {LENIENT}"],
                          [f"CC=g++ -std=c++11 {LENIENT}", f"CXX=g++ -std=c++11 {LENIENT}"]):
            if (where / program).exists() or run(["make", *paths, *flags, *compilers], where):
                break
        yield name, where, f"./{program} {arguments.format(data=data)}"


def build_parboil(folder, data):
    common = folder / "common"
    # One function is declared otherwise than it is defined.
    edit(common / "include" / "parboil.h",
         ("pb_sig_uchar(char*, int*, unsigned int)", "pb_sig_uchar(char*, unsigned char*, int)"))
    # Stands for counters of the CPU and another implementation of OpenCL.
    (common / "src" / "missing.c").write_text(
        "void perf_init(void) {}\nvoid mxpa_scheduler_init(void) {}\n"
        "void pin_trace_enable(char* name) {}\nvoid pin_trace_disable(char* name) {}\n")
    flags = shlex.split(f"-O2 {LENIENT} -DMXPA_RUNTIME_PERF_MONITOR -I{common / 'include'}")
    shared = [common / "src" / f"{name}.c" for name in ("parboil_opencl", "args", "missing")]
    for name, arguments in PARBOIL.items():
        where = folder / "benchmarks" / name
        tools = where / "common_src" / "convert-dataset"
        sources = [path for path in sorted((where / "src" / "opencl_base").iterdir())
                   if path.suffix in (".c", ".cc", ".cpp")]
        sources += [path for path in sorted(tools.glob("*.c")) if path.stem != "test"]
        run(["gcc", *flags, f"-I{tools}", *sources, *shared, "-o", name,
             "-lOpenCL", "-lm", "-lstdc++"], where)
        yield name, where, f"./{name} {arguments.format(data=data)}"


def build_polybench(folder, _data):
    top = folder / "OpenCL"
    flags = shlex.split(f"-O2 -w -DOPENCL_DEVICE_SELECTION=CL_DEVICE_TYPE_ALL -DRUN_ON_CPU=0 "
                        f"-I{top / 'utilities'}")
    for makefile in sorted(top.rglob("Makefile")):
        where = makefile.parent
        for source in sorted(where.glob("*.c")):
            run(["gcc", *flags, source.name, "-o", source.stem, "-lOpenCL", "-lm"], where)
            yield source.stem, where, f"./{source.stem}"


def build_chai(folder, _data):
    paths = ["CHAI_OCL_LIB=/usr/lib", "CHAI_OCL_INC=/usr/include", f"CXX=g++ -O2 {LENIENT}"]
    for name, arguments in CHAI.items():
        where = folder / "OpenCL-D" / name
        run(["make", *paths], where)
        yield name, where, f"./{name.lower()} {arguments}"
