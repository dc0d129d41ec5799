#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# debian_packages.sh BUILD: makes the Debian packages, has lintian look at them, installs them in a fresh
# minimal system, uses them there, and looks what is left when they are purged. Exit status 77, with a
# reason: something that this needs is not here.
set -euo pipefail
build=$1
# mmdebstrap calls a shell with descriptors of apt's, of which that shell knows but those of one digit.
for descriptor in 3 4 5 6 7 8 9; do eval "exec $descriptor>&-"; done
folder=$(mktemp -d)
root=$folder/root packages=$folder/packages
trap 'umount "$root" 2>/dev/null || true; rm -rf --one-file-system "$folder"' EXIT

skip() {
  echo "SKIPPED: $*"
  exit 77
}
fail() {
  echo "FAILED: $*" >&2
  exit 1
}
step() {
  printf '%3d s: %s\n' "$SECONDS" "$*"
}
# inside <command...>: in the new system, with mounts that end with the command.
inside() {
  unshare --mount --pid --fork sh -ec '
    mount -t proc proc "$0/proc"
    mount -t tmpfs tmpfs "$0/dev/shm"
    mount -t tmpfs tmpfs "$0/run"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root XDG_CACHE_HOME=/dev/shm/cache LC_ALL=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive chroot "$0" "$@"' "$root" "$@"
}
# What packages leave: not what apt and dpkg write about themselves.
files_inside() {
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache \
    -o -path ./var/log \) -prune -o -print) | sort
}

[ "$(id -u)" -eq 0 ] || skip "only root can make a system to install in"
for program in mmdebstrap dpkg-shlibdeps lintian; do
  command -v "$program" >/dev/null || skip "$program is not installed"
done
unshare --mount --pid --fork true 2>/dev/null || skip "no namespaces"
mkdir -p "$folder/lists/partial"
timeout 30 apt-get update -qq -o Dir::State::lists="$folder/lists" -o APT::Update::Error-Mode=any \
  -o Acquire::Retries=0 -o APT::Sandbox::User=root >/dev/null 2>&1 || skip "Debian's archive does not answer"
rm -rf "$folder/lists"

step "making packages"
"$(dirname "$0")/../../scripts/package" --deb --build "$build" --output "$packages" --compression gzip
for name in opencl-icd tools dbgsym; do
  dpkg-deb -x "$packages"/conclave-${name}_*.deb "$folder/content"
done
for file in "$folder"/content/usr/lib/*/libconclave.so "$folder"/content/usr/bin/*; do
  id=$(readelf --notes "$file" | sed -n 's/ *Build ID: //p')
  [ -e "$folder/content/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" ] || fail "$file has no symbols"
  ! readelf --sections --wide "$file" | grep -q ' \.symtab ' || fail "$file is not stripped"
done
for completion in bash-completion/completions/{conclave,clocl} fish/vendor_completions.d/{conclave,clocl,ti-mctd}.fish \
  zsh/vendor-completions/_{conclave,clocl,ti-mctd}; do
  [ -s "$folder/content/usr/share/$completion" ] || fail "no $completion"
done
rm -r "$folder/content"
step "lintian"
lintian --fail-on error "$packages"/*.deb || fail "lintian has errors"

step "making a system"
mkdir "$root"
mount -t tmpfs -o size=2g tmpfs "$root"  # dpkg waits for disks after each file
. /etc/os-release
sources=/etc/apt/sources.list
[ -e $sources ] || sources=/etc/apt/sources.list.d/debian.sources
timeout 120 mmdebstrap --quiet --variant=apt --aptopt='APT::Install-Recommends "false"' \
  --aptopt='Acquire::Retries "2"' \
  --skip=cleanup/apt/lists \
  --include=ocl-icd-libopencl1,ocl-icd-opencl-dev,clinfo,libopenblas0-pthread,libopenblas0,python3-numpy,python3-pytools \
  "$VERSION_CODENAME" "$root" "$sources" 2>"$folder/log" || {
  [ $? -ne 124 ] || skip "Debian's archive takes too long"
  cat "$folder/log"
  ! grep -q 'apt download failed' "$folder/log" || skip "Debian's archive does not give all packages"
  fail "no minimal system could be made"
}
files_inside >"$folder/before"

step "installing"
mkdir "$root/tmp/packages"
cp "$packages"/*.deb "$root/tmp/packages"
cp "$(dirname "$0")/pyopencl_kernel.py" "$root/tmp/packages"
begin=$(date +%s%N)
rm -f "$root"/tmp/packages/conclave-{examples-mpi,dbgsym}_*.deb  # much to install
inside sh -ec 'apt-get install -qq -y --no-install-recommends /tmp/packages/*.deb >/tmp/packages/apt.log 2>&1 ||
                 { cat /tmp/packages/apt.log; exit 1; }
               /usr/libexec/conclave/examples/vecadd | grep "^Success!$"'
echo "from apt-get install to the first result: $((($(date +%s%N) - begin) / 1000000)) ms"
[ "$(cat "$root/etc/OpenCL/vendors/conclave.icd")" = /usr/lib/x86_64-linux-gnu/libconclave.so ] ||
  fail "the vendor file names another library"
grep -q '^ExecStart=/usr/bin/ti-mctd$' "$root/usr/lib/systemd/system/ti-mct-daemon.service" ||
  fail "the unit names another daemon"

step "using them"
inside clinfo -l | tee /dev/stderr | grep -q '^Platform #0: Conclave'
# It asks for any package that is an `opencl-icd`.
inside apt-get install -qq -y --no-install-recommends python3-pyopencl >/dev/null 2>&1 || fail "no PyOpenCL"
inside python3 /tmp/packages/pyopencl_kernel.py
inside sh -c 'cd /usr/libexec/conclave/examples
  ./sgemm -M 512 -K 700 -N 500 -r & first=$!
  ./sgemm -M 500 -K 700 -N 512 -r & second=$!
  wait $first && wait $second && conclave examine -r compute-units' | tee "$folder/sgemm"
[ "$(grep -c '^PASS!$' "$folder/sgemm")" -eq 2 ] || fail "two processes at once"
inside clocl --version
inside conclave bench --quick --json >"$folder/bench" || fail "conclave bench: $(cat "$folder/bench")"
echo "conclave bench: $(grep -c '"here": [0-9]' "$folder/bench") figures"
inside sh -ec 'ti-mctd --help >/dev/null && ti-mct-heap-check >/dev/null && ldd /usr/bin/ti-mctd >/dev/null'
if ldd_output=$(inside sh -c 'ldd /usr/lib/*/libconclave.so /usr/bin/conclave /usr/libexec/conclave/examples/*' 2>&1 |
    grep 'not found'); then
  fail "a dependency is missing: $ldd_output"
fi

step "purging"
inside sh -ec 'apt-get purge -qq -y python3-pyopencl conclave-opencl-icd conclave-tools libconclave-dev conclave-examples >/dev/null
               apt-get autoremove --purge -qq -y >/dev/null'
rm -rf "$root"/tmp/*
files_inside >"$folder/after"
left=$(comm -13 "$folder/before" "$folder/after")
[ -z "$left" ] || fail "this is left: $left"
step "nothing is left"
