#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# constants.sh CLOCL: the code generator takes the constants of a loop out of it, but not in kernels of
# more than hoisted_instructions.
set -eu -o pipefail
clocl=$1
cd "$(mktemp -d)"
trap 'rm -r "$PWD"' EXIT

{
  echo 'kernel void k(global float* o, int n) {'
  echo '  float x = o[get_global_id(0)], y = x;'
  echo '  for (int j = 0; j < n; ++j) {'
  for i in $(seq 10 60); do echo "    x = x * 1.${i}1f + y; y -= x * 1.${i}2f;"; done
  echo '  }'
  echo '  o[get_global_id(0)] = x + y;'
  echo '}'
} > k.cl

# How often the loop, which is the block with the most constants, takes one out of memory.
in_loop() {
  "$clocl" -w --target-cpu=znver3 -cl-conclave-width=8 "-cl-conclave-tune=hoisted_instructions=$1" \
    --emit=asm -o k.s k.cl
  awk '/^\.LBB/ { block = $1 } /vbroadcastss.*LCPI/ && ++count[block] > most { most = count[block] }
       END { print most + 0 }' k.s
}
kept=$(in_loop 10)
hoisted=$(in_loop 1000000)
[ "$kept" -gt "$hoisted" ] || { echo "$kept constants in the loop with the limit, $hoisted without"; exit 1; }
