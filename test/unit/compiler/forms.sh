#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# forms.sh CLOCL: what the options of a build make of kernels from source to optimised IR. What single
# passes do, test/lit looks at.
clocl=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
code=$folder/code

# expect COUNT PATTERN: so many lines of the code match.
expect() {
  count=$(grep -c "$2" "$code")
  [ "$count" -eq "$1" ] || { echo "$source for $cpu: $count times '$2', not $1"; exit 1; }
}
# compile SOURCE CPU [OPTION...]
compile() {
  source=$1
  cpu=$2
  shift 2
  "$clocl" -w --target-cpu="$cpu" --emit=llvm -o "$code" "$@" "$folder/$source.cl" || exit 1
}

# What is asked for ahead: a line where a packet begins, and of what is long four lines; the same for work-items
# of the rest of a row.
cat > "$folder/prefetch.cl" <<END
kernel void ahead(global float4* x) {
  prefetch(x + get_global_id(0) + 64, 1);
  prefetch(x, 1000);
  x[get_global_id(0)] *= 2;
}
END
compile prefetch haswell
expect 10 'call void @llvm\.prefetch'

# Where a local size is known, and so the kernel in frequent use, a function that is too large for it
# otherwise becomes part of the loop that calls it.
{
  echo 'uint mix(uint x, uint y) {'
  for i in $(seq 80); do echo "  x = (x ^ y >> $((i % 31))) * $((2 * i + 1)); y += x;"; done
  echo '  return x ^ y; }'
  for k in a b; do
    echo "kernel void $k(global uint* x, uint n) {"
    echo "  for (uint i = 0; i < n; ++i) x[get_global_id(0)] = mix(x[get_global_id(0)], n); }"
  done
} > "$folder/mix.cl"
compile mix haswell -cl-conclave-width=1
expect 2 'call .*@cl\.mix('
compile mix haswell -cl-conclave-width=1 -cl-conclave-local-size=a:16,1,1
expect 0 'call .*@cl\.mix('
