#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The samples of Khronos' OpenCL-SDK, as CONCLAVE_OPENCL_SDK has them: the folder in which it was built
# (docs/programs.md says how). Those that compare their results end with an error if these are wrong.
. "$(dirname "$0")/checks.sh"
if [ -z "${CONCLAVE_OPENCL_SDK:-}" ]; then
  echo "skipped: CONCLAVE_OPENCL_SDK does not name a build of Khronos' OpenCL-SDK"
  exit 77
fi
samples=$(cd "$CONCLAVE_OPENCL_SDK/bin" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" # some write images, and one looks for its kernels here
ln -s "$samples"/*.cl .

for sample in binaries binariescpp blur blurcpp callback callbackcpp enumopenclcpp multidevice \
  multidevicecpp; do
  run 0 "$samples/$sample"
  expect_no 'rror|nvalid|failed'
done
for sample in copybuffer copybufferkernel; do
  run 0 "$samples/$sample"
  expect '^Success\.$'
done
for sample in histogramcpp saxpy saxpycpp; do
  run 0 "$samples/$sample"
  expect '^Verification passed\.$'
done
run 0 "$samples/enumopencl"
expect 'Conclave'
run 0 "$samples/reduce"
expect '^Validation passed!$'
run 0 "$samples/blur"
expect 'Dual-pass subgroup exchange blur'
# It uses functions of OpenCL C 3.0 and does not ask for that version (docs/programs.md).
run 245 "$samples/reducecpp"
expect "undeclared identifier 'work_group_reduce_min'"
