#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# forms.sh CLOCL KERNELS: which forms of a region are in a program, and how often. Each further one
# takes time to compile. KERNELS is the folder of the benchmark's kernels.
clocl=$1
kernels=$2
code=$(mktemp) || exit 1
trap 'rm -f "$code"' EXIT

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
