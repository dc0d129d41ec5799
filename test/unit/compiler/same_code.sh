#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# same_code.sh CLOCL FILE...: asking for remarks changes nothing in the code.
clocl=$1
shift
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
for source; do
  "$clocl" --emit=asm -o "$folder/silent" "$source" || exit 1
  "$clocl" --emit=asm -v -o "$folder/verbose" "$source" 2> "$folder/log" || exit 1
  grep -q "remark: kernel" "$folder/log" || { echo "$source: no remarks with -v"; exit 1; }
  cmp "$folder/silent" "$folder/verbose" || { echo "$source: other code with -v"; exit 1; }
done
