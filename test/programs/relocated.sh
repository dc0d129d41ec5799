#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# relocated.sh EXAMPLES BUILD: an installation under a prefix that is named when it is installed, then
# moved, then with Debian's folder for libraries: library, compiler, tools and cache are found in each.
. "$(dirname "$0")/checks.sh"
build=$2
work=$(mktemp -d)
trap 'discard "$work"' EXIT
export CONCLAVE_SEGMENT=conclave-relocated.$$ CONCLAVE_COMPUTE_UNITS=2 XDG_RUNTIME_DIR=$work
unset CONCLAVE_CLOCL

# use PREFIX LIBRARIES: builds a program, or finds it in the cache that came along.
use() {
  export CONCLAVE_CACHE_DIR=$1/cache
  run 0 "$examples/vecadd"
  expect '^Success!$'
  run 0 "$1/bin/conclave" cache show
  expect "^Directory +$1/cache$"
  expect '^Programs +1,'
  run 0 env PKG_CONFIG_LIBDIR="$1/$2/pkgconfig" pkg-config --cflags --libs conclave
  [ -e "$(env PKG_CONFIG_LIBDIR="$1/$2/pkgconfig" pkg-config --variable=includedir conclave)/CL/cl_ext_conclave.h" ] ||
    fail "conclave.pc names no headers"
  [ -e "$(env PKG_CONFIG_LIBDIR="$1/$2/pkgconfig" pkg-config --variable=libdir conclave)/libxrt_core.so" ] ||
    fail "conclave.pc names no libraries"
}

cmake --install "$build" --prefix "$work/first" >/dev/null
[ "$(cat "$work/first/etc/OpenCL/vendors/conclave.icd")" = "$work/first/lib/libconclave.so" ] ||
  fail "the vendor file names $(cat "$work/first/etc/OpenCL/vendors/conclave.icd")"
grep -q "^ExecStart=$work/first/bin/ti-mctd$" "$work/first/lib/systemd/system/ti-mct-daemon.service" ||
  fail "the daemon's unit names another place"
OCL_ICD_VENDORS=$work/first/etc/OpenCL/vendors/ use "$work/first" lib

# Vendor files name a library by its path. Without one, the loader takes the library itself.
mv "$work/first" "$work/second"
OCL_ICD_VENDORS=$work/second/lib/libconclave.so use "$work/second" lib

cmake --install "$build" --prefix "$work/third" >/dev/null
mkdir "$work/third/lib/x86_64-linux-gnu"
mv "$work"/third/lib/lib* "$work/third/lib/x86_64-linux-gnu"
OCL_ICD_VENDORS=$work/third/lib/x86_64-linux-gnu/libconclave.so run 0 "$examples/vecadd"
expect '^Success!$'
