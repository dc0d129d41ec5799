#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Programs in SYCL: sycl.sh <directory of the programs> <clocl> <python>. Intel's SYCL runtime and
# dpctl are packages of Python, which CONCLAVE_SYCL_PYTHON may have, if the <python> has not:
#   python3 -m venv DIR; DIR/bin/pip install dpctl intel-sycl-rt dpnp; CONCLAVE_SYCL_PYTHON=DIR/bin/python
. "$(dirname "$0")/checks.sh"
clocl=$2
python=${CONCLAVE_SYCL_PYTHON:-$3}
# The wheels' libraries find each other by this path alone.
prefix=$("$python" -c 'import sys; print(sys.prefix)')
[ "$prefix" = /usr ] || export LD_LIBRARY_PATH=$prefix/lib
if ! "$python" -c 'import dpctl, numpy' 2> /dev/null; then
  echo "skipped: $python has no dpctl (pip install dpctl intel-sycl-rt)"
  exit 77
fi
for program in clang-15 llvm-spirv-15 spirv-val; do
  command -v "$program" > /dev/null || { echo "skipped: $program is not installed"; exit 77; }
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/axpy.cl" << 'EOF'
kernel void axpy(global const float* x, global float* y, float a) {
  const size_t i = get_global_id(0);
  y[i] += a * x[i];
}
EOF
run 0 "$clocl" --emit=spirv -o "$folder/axpy.spv" "$folder/axpy.cl"
export ONEAPI_DEVICE_SELECTOR='opencl:*'
here=$(dirname "$0")
run 0 "$python" "$here/sycl.py" "$folder/axpy.spv"
run_twice "$python" "$here/sycl.py" "$folder/axpy.spv"
