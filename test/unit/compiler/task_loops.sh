#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# task_loops.sh CLOCL: loops of kernels that ask for no id are unrolled even if nobody knows how often they run.
set -eu -o pipefail
clocl=$1
cd "$(mktemp -d)"
trap 'rm -r "$PWD"' EXIT

# The ends of runs of equal numbers, and their lengths: each iteration needs the one before.
cat > k.cl << 'END'
kernel void runs(global const int* in, global int* ends, global int* lengths, uint n) {
  uint count = 0;
  int last = in[0], length = 1;
  for (ulong i = 1; i < n; ++i) {
    const int one = in[i];
    if (one == last) {
      ++length;
    } else {
      ends[count] = last;
      lengths[count] = length;
      length = 1;
      ++count;
    }
    last = one;
  }
  ends[count + ITEM] = last;
  lengths[count + ITEM] = length;
}
END

# How often the code compares neighbours if that is the number of the work-item.
comparisons() {
  "$clocl" -w --target-cpu=znver4 -cl-conclave-width=1 "-DITEM=$1" --emit=asm -o k.s k.cl
  grep -c cmpl k.s
}
task=$(comparisons 0)
other=$(comparisons 'get_global_id(0)')
[ "$task" -ge $((other + 3)) ] || { echo "$task comparisons in a task, $other elsewhere"; exit 1; }
