#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clocl.sh CLOCL: the command line: kinds of input and output, and what is wrong.
clocl=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

fail() {
  echo "$*"
  exit 1
}
# has_kernel FILE NAME: the program exports the kernel.
has_kernel() {
  nm -D --defined-only "$1" | grep -q " T kernel_$2\$" || fail "no kernel '$2' in $1"
}
# refused STATUS TEXT ARGUMENT...: clocl ends with the status and says the text.
refused() {
  expected=$1
  text=$2
  shift 2
  "$clocl" "$@" > log 2>&1
  status=$?
  [ $status -eq "$expected" ] || fail "clocl $*: exit status $status, not $expected"
  grep -qF -e "$text" log || fail "clocl $*: '$(cat log)', not '$text'"
}

cat > sum.cl <<'END'
int twice(int x);
kernel void sum(global int* a, int n) { a[get_global_id(0)] += twice(n) * FACTOR; }
END
echo 'int twice(int x) { return 2 * x; }' > twice.cl
echo 'kernel void one(global int* a) { a[get_global_id(0)] = 1; }' > one.cl
echo 'kernel void bad(global int* a) { a[0] = b; }' > bad.cl
echo 'kernel void ti(global int* a) { a[0] = 1; abort(); }' > ti.cl

# One source, and what goes beside it.
mkdir made
"$clocl" -t -k -o made/one-2.out one.cl || fail "one source"
has_kernel made/one-2.out one
grep -q 'define void @kernel_one' made/one-2.ll || fail "no LLVM IR"
grep -q '^kernel_one:' made/one-2.s || fail "no assembly"
cat > bytes.c <<'END'
#include <stdio.h>
#include "made/one-2.dsp_h"
int main(void) { return fwrite(one_2_dsp_bin, 1, one_2_dsp_bin_len, stdout) != sizeof one_2_dsp_bin; }
END
for language in c c++; do
  cc -x $language -Wall -Wextra -Werror -o bytes bytes.c || fail "the header is no $language"
  ./bytes > again.out || fail "wrong length"
  cmp made/one-2.out again.out || fail "other bytes in $language"
done

# Other rules of thumb, and what is wrong.
echo 'kernel void wide(global float* a) { a[get_global_id(0)] *= 2; }' > wide.cl
"$clocl" --report=json --tune=max_usual_lanes=4 wide.cl | grep -q '"lanes": *4' || fail "not tuned"
refused 2 "error: option '-cl-conclave-tune': 'wide=1': there is nothing of that name" --tune=wide=1 wide.cl
"$clocl" --tune=list | grep -q '^switch	row_jam	on	off	on	off	' || fail "no list of rules"

# LLVM 19 has no instructions for what the packets of this kernel become.
cat > unselectable.cl <<'END'
kernel void k(global const int* a, int n) {
  local uint bins[16];
  const size_t i = get_global_id(0);
  atomic_inc(&bins[mul_hi(n % 2, as_int(clamp(convert_float(a[i]), -1024.0f, 1024.0f))) & 15]);
}
END
"$clocl" --target-cpu=skylake-avx512 -cl-conclave-local-size=k:28,1,1 -o unselectable.out \
  unselectable.cl 2> log || fail "no code where LLVM gives up: $(cat log)"
has_kernel unselectable.out k
grep -q '^warning: LLVM cannot generate the code: .*; work-items run one by one instead$' log ||
  fail "no warning where LLVM gives up"

# A working directory that somebody has removed.
mkdir removed
(cd removed && rmdir ../removed && "$clocl" -o "$folder/removed.out" "$folder/one.cl") ||
  fail "no working directory"
has_kernel removed.out one

# A build that takes too much.
awk 'BEGIN { print "#define M0 a[0] += 1;"
             for (i = 1; i <= 27; ++i) print "#define M" i " M" i - 1 " M" i - 1
             print "kernel void explode(global int* a) { M27 }" }' > explode.cl
export CONCLAVE_COMPILE_MEMORY_MIB=64
refused 1 "clocl: error: the build needs more than 64 MiB of memory" explode.cl
CONCLAVE_COMPILE_MEMORY_MIB=0
refused 2 "CONCLAVE_COMPILE_MEMORY_MIB: '0' is no number above 0" explode.cl
unset CONCLAVE_COMPILE_MEMORY_MIB
export CONCLAVE_COMPILE_TIMEOUT_S=1
refused 1 "clocl: error: the build takes more than 1 s of CPU time" explode.cl
unset CONCLAVE_COMPILE_TIMEOUT_S

# Sources, objects, and archives and libraries of objects.
"$clocl" -DFACTOR=3 sum.cl twice.cl || fail "two sources"
has_kernel sum.out sum
"$clocl" -l -D FACTOR=3 sum.cl && "$clocl" --lib twice.cl || fail "objects"
"$clocl" sum.obj twice.obj of_objects.out || fail "linking objects"
has_kernel of_objects.out sum
ar rc library.a twice.obj
"$clocl" -o of_archive.out sum.obj library.a one.cl || fail "linking an archive"
has_kernel of_archive.out sum
has_kernel of_archive.out one
"$clocl" --create-library -o twice.lib twice.obj && "$clocl" -o of_library.out sum.obj twice.lib ||
  fail "linking a library"
has_kernel of_library.out sum

# C code: sources, objects and archives.
mkdir -p include
cat > add.cl <<'END'
int add(int a, int b);
kernel void sum(global int* a) { a[get_global_id(0)] = add(a[0], 1); }
END
cat > add.c <<'END'
#include <stdlib.h>
#include <math.h>
#include "offset.h"
int add(int a, int b) { return abs(a) + b + OFFSET + FACTOR + (int)cbrt(b); }
END
echo '#define OFFSET 1' > include/offset.h
"$clocl" -DFACTOR=2 -I include -Werror -o c_source.out add.cl add.c || fail "a C source without a warning"
has_kernel c_source.out sum
nm -D --defined-only c_source.out | grep -q ' add$' && fail "a C function is visible outside"
readelf -d c_source.out | grep -q 'libm.so.6' || fail "the mathematics library is not needed"
readelf -d c_source.out | grep -q 'libomp' && fail "OpenMP is needed"
cc -fPIC -O2 -DFACTOR=2 -Iinclude -c add.c && ar rc add.a add.o
"$clocl" -o c_object.out add.cl add.o || fail "a C object"
"$clocl" -o c_archive.out add.cl add.a || fail "an archive of C code"
"$clocl" -l add.cl && "$clocl" --create-library -o add.lib add.obj add.o &&
  "$clocl" -o c_library.out add.lib || fail "a library with C code"
for program in c_object c_archive c_library; do has_kernel $program.out sum; done
cat > parallel.c <<'END'
#include <omp.h>
int add(int a, int b) {
#pragma omp parallel reduction(+ : a)
  a += omp_get_num_threads();
  return a + b;
}
END
"$clocl" -fopenmp -o openmp.out add.cl parallel.c || fail "OpenMP"
readelf -d openmp.out | grep -q 'libomp.so.5' || fail "OpenMP's library is not needed"
refused 1 "undefined function 'add', used in 'sum'" add.cl
refused 1 "undefined function 'add', used in 'sum' (add.cl:2)" -g add.cl
echo 'int missing(int); int add(int a, int b) { return missing(a + b); }' > calls.c
refused 1 "undefined symbol 'missing', used in 'calls.c.o'" add.cl calls.c
echo '#include <no_such.h>' > header.c
refused 1 "'no_such.h' file not found" add.cl header.c
echo 'int numbers[9]; int add(int a, int b) { return numbers[a + b]; }' > absolute.c
cc -fno-pic -c absolute.c
refused 1 "compile with -fPIC" add.cl absolute.o
echo '_Thread_local int x; int add(int a, int b) { return x = a + b; }' > local.c
refused 1 "has the thread-local variable 'x'" add.cl local.c
echo 'int add(int, int); volatile int x; __attribute__((constructor)) void f(void) { x = add(x, 1); } int add(int a, int b) { return a + b; }' > begin.c
refused 1 "has constructors or destructors" add.cl begin.c

# Several CPUs, and other kinds of output.
"$clocl" --target-cpu=haswell,portable -t -o fat.out one.cl || fail "a binary for two CPUs"
has_kernel fat.out one
readelf -SW fat.out | grep -q '.conclave.images' || fail "the binary is for one CPU"
readelf -n fat.out > /dev/null && objdump -d fat.out | grep -q kernel_one || fail "bad ELF file"
refused 2 "'--target-cpu' lacks a name" --target-cpu=haswell,,portable one.cl
refused 2 "only a program binary" --target-cpu=haswell,portable --emit=asm one.cl
refused 1 "unknown target CPU 'z80'" --target-cpu=portable,z80 one.cl
"$clocl" --emit obj -o code.o one.cl && nm code.o | grep -q ' T kernel_one$' || fail "an object"

# SPIR-V: of one source, and of several that call each other.
# is_spirv FILE KERNEL...: a valid module, with these kernels.
is_spirv() {
  spirv-val "$1" || fail "$1 is not valid"
  spirv-dis --no-color -o listing "$1" || fail "$1 cannot be listed"
  module=$1
  shift
  for kernel in "$@"; do
    grep -q "OpEntryPoint Kernel .*\"$kernel\"" listing || fail "no kernel '$kernel' in $module"
  done
}
"$clocl" --emit spirv one.cl > log 2>&1 && [ ! -s log ] || fail "SPIR-V: $(cat log)"
is_spirv one.spv one
cat > features.cl <<'END'
#include "offset.h"
inline int next(int x) { return x + OFFSET; }
extern inline int before(int x) { return x - OFFSET; }
kernel void images(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
  int2 at = (int2)(get_global_id(0), next(get_global_id(1)) * before(3));
  write_imagef(out, at, read_imagef(in, s, convert_float2(at)) * 2 + sin(1.0f * at.x));
  printf("%d\n", at.y);
}
__attribute__((intel_reqd_sub_group_size(8)))
kernel void groups(global int* a, global atomic_int* sum, local int* own) {
  own[get_local_id(0)] = work_group_reduce_add(a[get_global_id(0)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add_explicit(sum, own[0], memory_order_relaxed, memory_scope_device);
  a[get_global_id(0)] = sub_group_shuffle(own[0], FACTOR) + sub_group_reduce_add(own[1]) +
                        sub_group_rotate(own[2], 3);
}
END
"$clocl" --emit=spirv -cl-std=CL3.0 -DFACTOR=1 -I include -cl-fast-relaxed-math -cl-mad-enable \
  -cl-denorms-are-zero -cl-single-precision-constant -cl-fp32-correctly-rounded-divide-sqrt -v \
  -o - features.cl > features.spv || fail "SPIR-V of many features"
is_spirv features.spv images groups
"$clocl" --emit spirv -cl-opt-disable -DFACTOR=3 -o several.spv sum.cl twice.cl one.cl ||
  fail "SPIR-V of several sources"
is_spirv several.spv sum one
! grep -q '"twice" Import' listing || fail "a function is missing"
refused 1 "bad.cl:1:41: error" --emit spirv bad.cl
! grep -q clang-15 log || fail "clang 15 got a wrong source"
mkdir tools
PATH=$folder/tools "$clocl" --emit spirv one.cl 2> log
[ $? -eq 1 ] && grep -qF "Debian's package clang-15" log || fail "without clang-15: $(cat log)"
ln -s "$(command -v clang-15)" tools
PATH=$folder/tools "$clocl" --emit spirv one.cl 2> log
[ $? -eq 1 ] && grep -qF "Debian's package llvm-spirv-15" log || fail "without translator: $(cat log)"
refused 1 "clang-15 cannot compile 'ti.cl'" --emit spirv ti.cl
refused 1 "cannot write 'nowhere/one.spv'" --emit spirv -o nowhere/one.spv one.cl
refused 2 "takes sources (.cl, .clc) alone, 'twice.obj' is none" --emit spirv one.cl twice.obj
refused 2 "takes sources (.cl, .clc) alone, 'add.c' is none" --emit spirv one.cl add.c
refused 2 "takes sources (.cl, .clc) alone, 'library.a' is none" --emit spirv one.cl library.a
refused 2 "--emit=spirv excludes --lib" --emit spirv -l one.cl
refused 2 "an xclbin is made" --emit spirv --cu one one.cl
refused 2 "option '-g' is not possible" --emit spirv -g one.cl
refused 2 "'-cl-conclave-width=4' is not possible" --emit spirv -cl-conclave-width=4 one.cl

# Any x86-64 CPU: no AVX.
"$clocl" --target-cpu=portable --emit=asm one.cl || fail "a portable program"
! grep -q ymm one.s || fail "the portable program has AVX"

refused 2 "no input file"
refused 2 "option '-o' needs a value" one.cl -o
refused 2 "cannot read 'nothing.cl': No such file or directory" nothing.cl
refused 2 "cannot read 'made': Is a directory" made
refused 2 "--lib takes one source" -l one.cl twice.cl
refused 2 "exclude each other" -l --create-library one.cl
refused 2 "unknown kind of output 'elf'" --emit=elf one.cl
refused 2 "clocl: error: unknown option '-cl-no-such-option'" -cl-no-such-option one.cl
[ "$(grep -c 'unknown option' log)" = 1 ] || fail "the error is told twice: $(cat log)"
refused 2 "clocl: error: unknown option '-cl-no-such-option'" -cl-no-such-option add.cl add.c
"$clocl" --export-syms=names --export-syms names one.cl || fail "TI's --export-syms"
refused 2 "'one.cl' is both input and output" -o one.cl one.cl
refused 2 "'one.cl' is both input and output" -o ./one.cl -l one.cl
grep -q kernel one.cl || fail "the source is gone"
refused 2 "no OpenCL C among the inputs" calls.c
refused 1 "unknown target CPU 'z80'" --target-cpu=z80 one.cl
refused 1 "cannot write 'nowhere/one.out': No such file or directory" -o nowhere/one.out one.cl
# The header is several times as large as the binary.
(trap '' XFSZ && ulimit -f 64 && "$clocl" -t -o large.out one.cl) 2> log
[ $? -eq 1 ] && grep -q "cannot write 'large.dsp_h': File too large" log || fail "$(cat log)"
[ ! -e large.dsp_h ] || fail "a part of the output is left"
"$clocl" -h > /dev/full && fail "wrote the help to a full disk"
cp one.cl again.cl
refused 1 "again.cl: linking failed" one.cl again.cl
echo 'not an archive' > bad.a
refused 2 "archive 'bad.a'" one.cl bad.a
cp one.cl one.txt
refused 2 "'one.txt' is neither source" sum.obj one.txt
echo 'int x;' > x.c && cc -c x.c && echo 'text' > x.txt && ar rc foreign.a x.o x.txt
refused 2 "'foreign.a(x.txt)' is neither source" sum.obj foreign.a
refused 1 "twice" sum.obj
refused 1 "bad.cl:1:41: error" bad.cl
refused 1 "of_objects.out: an executable cannot be linked again" -o x sum.obj of_objects.out
refused 1 "of_objects.out: an executable cannot be linked again" sum.obj of_objects.out -o x

# LLVM's vectorizer would take a minute for a loop over work-items that is too long for the kernel's.
awk 'BEGIN {
  print "kernel void k(global uint* a) { uint x = a[get_global_id(0)];"
  for (i = 0; i < 8000; ++i) print "x = (x ^ " i * 7919 + 13 "u) * (x >> " i % 13 + 1 ");"
  print "a[get_global_id(0)] = x; }"
}' > long.cl
"$clocl" --emit=llvm long.cl || fail "a long kernel"
grep -q 'mul i32' long.ll && ! grep -q 'mul <' long.ll || fail "a long kernel went to LLVM's vectorizer"
