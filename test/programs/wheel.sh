#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# wheel.sh BUILD: makes the wheel and installs it beside PyOpenCL of PyPI in a fresh virtual environment, as
# a user without privileges if it can. Exit status 77, with a reason: something that this needs is not
# here.
set -euo pipefail
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder" || true' EXIT  # a compiler may outlive its program and write to the cache

skip() {
  echo "SKIPPED: $*"
  exit 77
}
fail() {
  echo "FAILED: $*" >&2
  exit 1
}
chmod 755 "$folder"
mkdir "$folder/home" "$folder/wheel"
user=()
if [ "$(id -u)" -eq 0 ]; then
  chown 65534:65534 "$folder/home"
  user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
# as_user <command...>: with nothing of this shell's environment but what pip needs.
as_user() {
  (cd "$folder/home" && env -u OCL_ICD_VENDORS -u XDG_RUNTIME_DIR -u CONCLAVE_CACHE_DIR HOME="$folder/home" \
    PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CACHE_DIR="$folder/home/pip" "${user[@]}" "$@")
}
python=/usr/bin/python3
"$python" -c 'import ensurepip' 2>/dev/null || skip "$python makes no virtual environments"

"$(dirname "$0")/../../scripts/package" --wheel --build "$build" --output "$folder/wheel"
wheel=$(ls "$folder"/wheel/*.whl)
size=$(stat -c %s "$wheel")
[ "$size" -le $((40 * 1024 * 1024)) ] || fail "$size bytes to download"

as_user "$python" -m venv "$folder/home/environment"
bin=$folder/home/environment/bin
as_user timeout 30 "$bin/pip" download -q --no-deps --retries 0 -d "$folder/home/probe" pyopencl >/dev/null 2>&1 ||
  skip "PyPI does not answer"
begin=$(date +%s%N)
as_user "$bin/pip" install -q "$wheel" pyopencl numpy mako
cp "$(dirname "$0")/pyopencl_kernel.py" "$folder/kernel.py"
as_user "$bin/python" - <<'END'
import numpy, pyopencl, pyopencl.array
conclave = [p for p in pyopencl.get_platforms() if p.name == "Conclave"]
assert conclave, pyopencl.get_platforms()
context = pyopencl.Context(conclave[0].get_devices())
queue = pyopencl.CommandQueue(context)
numbers = numpy.arange(1000, dtype=numpy.int32)
assert ((pyopencl.array.to_device(queue, numbers) * 2).get() == numbers * 2).all()
print("the first kernel is right")
END
echo "from pip install to the first result: $((($(date +%s%N) - begin) / 1000000)) ms"
as_user "$bin/python" -m conclave examine | tee "$folder/examine"
grep -q '^Configuration' "$folder/examine" || fail "conclave examine"
as_user "$bin/conclave" --version
as_user "$bin/clocl" --version
library=$(as_user "$bin/python" -c 'import conclave; print(conclave.LIBRARY)')
as_user env OCL_ICD_VENDORS="$library" "$bin/python" "$folder/kernel.py"
as_user env OCL_ICD_VENDORS="$library" clinfo -l | grep 'Platform #0: Conclave'
installed=$(du -sm "$(dirname "$library")/.." | cut -f1)
echo "$((size / 1000000)) MB to download, $installed MiB installed"
[ "$installed" -le 120 ] || fail "too large"

as_user "$bin/pip" uninstall -q -y conclave-opencl
left=$(find "$folder/home/environment" -iname '*conclave*')
[ -z "$left" ] || fail "pip uninstall leaves $left"
