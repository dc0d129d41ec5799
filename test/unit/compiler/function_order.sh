#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The order of clocl's functions has what a build calls, as it calls it. Usage: function_order.sh ORDER
order=$1
if [ ! -s "$order" ]; then
  echo "processes may not be traced here: no order"
  exit 77
fi
last=0
for name in main _ZN8conclave8compiler7processERKNS_8protocol7RequestERNS0_6ExtrasE \
            _ZN5clang8ParseASTERNS_4SemaEbb _ZN4llvm16SelectionDAGISel20SelectAllBasic; do
  line=$(grep -n "^$name" "$order" | head -n 1 | cut -d: -f1)
  if [ "${line:-0}" -le "$last" ]; then
    echo "$name: line '$line', expected after line $last"
    exit 1
  fi
  last=$line
done
