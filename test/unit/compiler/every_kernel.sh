#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# every_kernel.sh CLOCL SOURCE... : builds each source for CPUs of each kind; a program of a source
# has the kernels that the source defines, and no message.
set -eu
clocl=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for source in "$@"; do
  kernels=$(grep -cE '^_*kernel ' "$source" || true)
  for cpu in portable haswell znver3 skylake-avx512; do
    if ! "$clocl" --target-cpu=$cpu -o "$work/program.out" "$source" > "$work/messages" 2>&1; then
      echo "$source does not build for $cpu:"
      cat "$work/messages"
      failed=1
    elif [ -s "$work/messages" ]; then
      echo "$source for $cpu:"
      cat "$work/messages"
      failed=1
    elif [ "$(readelf --dyn-syms --wide "$work/program.out" | grep -c ' kernel_')" -lt "$kernels" ]; then
      echo "$source for $cpu has not the $kernels kernels of its source"
      failed=1
    fi
  done
done
exit $failed
