#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# report.sh CLOCL: what clocl --report prints, as text and as JSON.
clocl=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
cat > k.cl <<'END'
kernel void k(global int* a) {
  int i = get_global_id(0);
  a[i] = a[a[i]];
}
END
cat > expected <<'END'
k.cl:1: kernel 'k'
  8 lanes in dimension 0
    k.cl:3:10: load of 4 bytes: gather
END
"$clocl" --report -cl-conclave-width=8 k.cl > text || exit 1
diff expected text || exit 1
"$clocl" --report=json -cl-conclave-width=8 k.cl > k.json || exit 1
python3 - <<'END'
import json
(kernel,) = json.load(open("k.json"))
(part,) = kernel["parts"]
(remark,) = part["remarks"]
assert kernel["kernel"] == "k" and kernel["place"]["line"] == 1, kernel
assert part["lanes"] == 8 and part["dimension"] == 0 and "not_vectorized" not in part, part
assert remark["how"] == "gather" and remark["place"] == {"file": "k.cl", "line": 3, "column": 10}
END

# Vectors of a kernel's own in its inner loop, in an array of each work-item: packets would have as
# many arrays as lanes, and gain nothing.
cat > own.cl <<'END'
kernel void own(global const float* restrict a, global const float* restrict b, uint depth,
                global float* restrict c) {
  a += get_global_id(0) * 16 * depth;
  float8 low[6], high[6];
  for (uint j = 0; j < 6; ++j) low[j] = high[j] = 0;
  for (uint k = 0; k < depth; ++k, a += 16, b += 6)
    for (uint j = 0; j < 6; ++j) {
      low[j] += vload8(0, a) * (float8)b[j];
      high[j] += vload8(1, a) * (float8)b[j];
    }
  for (uint j = 0; j < 6; ++j) {
    vstore8(low[j], 12 * get_global_id(0) + 2 * j, c);
    vstore8(high[j], 12 * get_global_id(0) + 2 * j + 1, c);
  }
}
END
"$clocl" --report --target-cpu=haswell own.cl > text || exit 1
grep -q "  not vectorized: packets would not be faster" text || { cat text; exit 1; }

# Loops of few operations that wait for each other get more lanes, as far as the CPU's registers
# hold them: those of AVX-512 are twice as many.
cat > chains.cl <<'END'
kernel void chains(global float* out, float factor, int times) {
  float a = out[get_global_id(0)], b = a + 1, c = a + 2, d = a + 3;
  for (int i = 0; i < times; ++i) {
    a = fma(a, factor, 1.0f);
    b = fma(b, factor, 2.0f);
    c = fma(c, factor, 3.0f);
    d = fma(d, factor, 4.0f);
  }
  out[get_global_id(0)] = a + b + c + d;
}
END
lanes() {
  "$clocl" --report --target-cpu="$1" chains.cl | grep -q "  $2 lanes" ||
    { echo "expected $2 lanes for $1"; exit 1; }
}
lanes haswell 16
lanes skylake-avx512 32
