# SPDX-License-Identifier: Apache-2.0
# What blocks of the documentation find there if they say `run with: NAME` (run_blocks.py).

# Two programs that use the device until the page ends. They end too if its runner is killed.
busy() {
  for size in 1024 1000; do
    while kill -0 "$RUNNER" 2>/dev/null; do sgemm -M "$size" -K 512 -N 512 -r -d; done >/dev/null 2>&1 &
  done
  for _ in {1..200}; do
    [ "$(conclave examine -r contexts | grep -c sgemm)" -ge 2 ] && return
    sleep 0.05
  done
  echo "the two programs do not appear on the device"
  return 1
}

# A kernel in add.cl, and a program of it.
program() {
  echo 'kernel void add(global float* x, float y) { x[get_global_id(0)] += y; }' >add.cl
  clocl add.cl
}

# The headers of XRT's interfaces, as they lie in the source.
xrt() {
  INCLUDE=$SOURCE/include
}

# The files of c-code.md.
c_code() {
  cat >scale.c <<'END'
#include <math.h>
void scale(float* x, int i) { x[i] = sqrtf(x[i]); }
END
  cat >scale.cl <<'END'
void scale(global float* x, int i);
kernel void run(global float* x) { scale(x, get_global_id(0)); }
END
  cp scale.c parallel.c
}

# A kernel and the layout of an xclbin.
xclbin() {
  echo 'kernel void vadd(global int* a) { a[get_global_id(0)] += 1; }' >vadd.cl
  echo '{"compute-units": [{"kernel": "vadd", "name": "vadd_1", "units": [0, 1]}]}' >layout.json
}
