#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A C++ program with XRT's interface, compiled and linked as its user would: xrt_cpp.sh BUILD SOURCE
set -euo pipefail
build=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work" /dev/shm/conclave-xrt-cpp.$$' EXIT
cd "$work"
export CONCLAVE_SEGMENT=conclave-xrt-cpp.$$ CONCLAVE_COMPUTE_UNITS=2 XDG_RUNTIME_DIR=$work
compile=(c++ -std=c++17 -Wall -Wextra -Werror -I"$source/include" -I"$source/include/xrt")

cat > scale.cl <<'END'
kernel void scale(global float* x, float factor, int n) {
  for (int i = 0; i < n; ++i) x[i] *= factor;
}
END
"$build/bin/clocl" --cu scale:2 scale.cl

# The same program by the names of two ages of XRT.
program() {
  cat <<END
#include "$1/xrt_bo.h"
#include "$1/xrt_device.h"
#include "$1/xrt_kernel.h"
END
  cat <<'END'
#include <iostream>

int main(int argc, char** argv) try {
  if (argc != 3) return 2;
  auto device = xrt::device(0);
  auto uuid = device.load_xclbin(argv[1]);
  auto scale = xrt::kernel(device, uuid, argv[2]);
  auto x = xrt::bo(device, 100 * sizeof(float), scale.group_id(0));
  auto values = x.map<float*>();
  for (int i = 0; i < 100; ++i) values[i] = i;
  x.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  auto run = scale(x, 1.5f, 100);
  auto state = run.wait();
  x.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  for (int i = 0; i < 100; ++i)
    if (values[i] != 1.5f * i) return 3;
  std::cout << "state " << state << std::endl;
  return 0;
} catch (const std::exception& error) {
  std::cout << "Exception: " << error.what() << std::endl;
  return 1;
}
END
}
for style in xrt experimental; do
  program $style > $style.cpp
  "${compile[@]}" -o $style $style.cpp -L"$build/lib" -lxrt_coreutil -Wl,-rpath,"$build/lib"
  [ "$(./$style scale.xclbin 'scale:{scale_2}')" = "state 4" ]
  output=$(./$style scale.xclbin 'scale:{scale_3}') && exit 1
  [[ $output == *"No compute units matching"*scale_3* ]]
  output=$(./$style nowhere.xclbin scale) && exit 1
  [[ $output == *nowhere.xclbin*"No such file or directory" ]]
done

# Each header stands alone.
for header in "$source"/include/xrt/*.h "$source"/include/experimental/*.h "$source"/include/adf/*/*.h; do
  "${compile[@]}" -fsyntax-only -include "$header" -x c++ /dev/null
done

# The library is a user of libxrt_core.so and has no part of the platform or the compiler in it.
needed=$(readelf -d "$build/lib/libxrt_coreutil.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
grep -q '^libxrt_core\.so' <<<"$needed"
symbols=$(nm -DC --defined-only "$build/lib/libxrt_coreutil.so")
for unwanted in LLVM clang conclave; do
  [[ $needed != *$unwanted* ]]
done
[[ ! $symbols =~ \ [A-Z]\ xcl[A-Z]|conclave::|llvm:: ]]
