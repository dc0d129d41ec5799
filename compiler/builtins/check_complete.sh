#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails where the builtins library lacks a function that clang's OpenCL header declares.
#   check_complete.sh CLANG LLVM_NM EXEMPTIONS LIBRARY...
# EXEMPTIONS holds extended regular expressions for mangled names, one a line; lines
# that begin with # say why. Every expression must match something, so that the list stays honest.
set -eu
clang=$1 nm=$2 exemptions=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo 'kernel void nothing(void) {}' > "$work/empty.cl"
for version in CL1.2 CL2.0 CL3.0; do
  "$clang" -cc1 -triple spir64-unknown-unknown -internal-isystem "$("$clang" -print-resource-dir)/include" \
    -finclude-default-header -cl-std=$version -ast-dump=json "$work/empty.cl" |
    grep -o '"mangledName": "_Z[^"]*"' | sed 's/.*"\(_Z[^"]*\)"/\1/'
done | sort -u > "$work/declared"
for library in "$@"; do
  "$nm" --extern-only --defined-only --format=just-symbols "$library"
done | sort -u > "$work/defined"
grep -v '^#' "$exemptions" | grep . > "$work/exempt"

[ "$(wc -l < "$work/declared")" -gt 10000 ] || { echo "clang declared too few functions"; exit 1; }
comm -23 "$work/declared" "$work/defined" > "$work/missing"
status=0
if grep -Ev -f "$work/exempt" "$work/missing" > "$work/unexpected"; then
  echo "declared by clang, not in the library:"
  cat "$work/unexpected"
  status=1
fi
while read -r expression; do
  grep -Eq "$expression" "$work/missing" || { echo "exempt, but not missing: $expression"; status=1; }
done < "$work/exempt"
echo "$(wc -l < "$work/declared") declared, $(wc -l < "$work/defined") defined, $(wc -l < "$work/missing") exempt"
exit $status
