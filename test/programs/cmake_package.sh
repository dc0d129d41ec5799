#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A project that finds an installed Conclave by find_package(), built and run:
# cmake_package.sh BUILD COMPILER
set -euo pipefail
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work" /dev/shm/conclave-cmake-package.$$' EXIT
export CONCLAVE_SEGMENT=conclave-cmake-package.$$ CONCLAVE_COMPUTE_UNITS=2 XDG_RUNTIME_DIR=$work CXX=$2
unset OCL_ICD_VENDORS

cmake --install "$build" --prefix "$work/staged" >/dev/null
# A prefix may move: nothing in it names the place where it was, but for the vendor file and the daemon's
# unit.
mv "$work/staged" "$work/prefix"
sed -i "s|$work/staged|$work/prefix|" "$work/prefix/etc/OpenCL/vendors/conclave.icd"
if grep -rlI "$work/staged\|$build" "$work/prefix/lib/cmake" "$work/prefix/etc"; then
  echo "these files name the build tree or the first prefix"
  exit 1
fi
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
# build_consumer FOLDER
build_consumer() {
  cmake -S "$(dirname "$0")/cmake_package" -B "$work/$1" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCONCLAVE_VERSION="$version" >/dev/null
  cmake --build "$work/$1"
}
build_consumer consumer
ctest --test-dir "$work/consumer" --output-on-failure

# As Debian's packages have it.
mkdir "$work/prefix/lib/x86_64-linux-gnu"
mv "$work"/prefix/lib/{cmake,lib*} "$work/prefix/lib/x86_64-linux-gnu"
build_consumer multiarch
ctest --test-dir "$work/multiarch" --output-on-failure -R with_xrt
