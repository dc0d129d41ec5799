#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# forms.sh CLOCL KERNELS: which forms of a region are in a program, and how often. Each further one
# takes time to compile. KERNELS is the folder of the benchmark's kernels.
clocl=$1
kernels=$2
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
  "$clocl" -w --target-cpu="$cpu" --emit=llvm -o "$code" "$@" "$kernels/$source.cl" || exit 1
}

# One loop over packets, and another one whose stores may go past the caches; the rest of a row in a
# function of its own.
compile triad skylake
expect 3 'store <16 x float>'
expect 1 'store <16 x float>.*nontemporal'
expect 1 '^define internal .*\.items\.x('
expect 0 'masked'

# Not where the kernel reads what it writes.
compile saxpy skylake
expect 0 'nontemporal'

# Lines that sixteen rows write together, and what is written behind a barrier.
compile transpose_naive znver3
expect 16 'store <16 x float>.*nontemporal'
compile transpose_tiled znver3
expect 5 'store <16 x float>.*nontemporal'

# Bytes have no masked accesses before AVX-512: the edges of an image run lane by lane.
compile sobel skylake
expect 1 'store <16 x i8>'
expect 1 '^define internal .*\.mixed('
expect 0 'masked\.'
compile sobel skylake-avx512
expect 0 '^define internal .*\.mixed('
expect 1 'call void @llvm\.masked\.store'

# Where the size of groups is known, the steps of a tree have packets for the work-items that have
# anything to do, and short ones are no loops: in the first step eight packets, then four.
compile reduce skylake -cl-conclave-local-size=reduce:256,1,1
expect 1 'icmp ult i64 %[^ ]*, 240$'
expect 1 'icmp ult i64 %[^ ]*, 112$'
expect 0 'icmp ult i64 %[^ ]*, 48$'

# What is asked for ahead: a line where a packet begins, and of what is long four lines, by a loop in
# the function for the rest of a row.
kernels=$folder
cat > "$kernels/prefetch.cl" <<END
kernel void ahead(global float4* x) {
  prefetch(x + get_global_id(0) + 64, 1);
  prefetch(x, 1000);
  x[get_global_id(0)] *= 2;
}
END
compile prefetch haswell
expect 7 'call void @llvm\.prefetch'

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
} > "$kernels/mix.cl"
compile mix haswell -cl-conclave-width=1
expect 2 'call .*@cl\.mix('
compile mix haswell -cl-conclave-width=1 -cl-conclave-local-size=a:16,1,1
expect 0 'call .*@cl\.mix('
