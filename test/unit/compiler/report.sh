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
