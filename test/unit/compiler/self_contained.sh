#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# self_contained.sh CLOCL: program binaries contain the mathematical functions that they call, so they
# load where the library that the functions come from is not installed.
clocl=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
cat > k.cl <<'END'
kernel void k(global double* d, global float* f) {
  size_t i = get_global_id(0);
  d[i] = acos(d[i]) + asinh(d[i]) + tgamma(d[i]) + sin(d[i]) + hypot(d[i], 2.0) + cospi(d[i]);
  f[i] = lgamma(f[i]) + tgamma(f[i]);
}
END
for cpu in portable haswell skylake-avx512; do
  "$clocl" --target-cpu=$cpu -o k.out k.cl || exit 1
  readelf --dynamic --dyn-syms -W k.out > contents || exit 1
  grep -q ' k' contents || exit 1
  if grep -iE 'needed.*sleef|Sleef_' contents; then
    echo "FAILED: $cpu: the binary needs a library" >&2
    exit 1
  fi
done
