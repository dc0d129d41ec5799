#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# version.sh BIN CMAKE SOURCE: every tool says its version and build, and a build learns its commit
# without anything being made again that has not changed.
set -euo pipefail
. "$(dirname "$0")/checks.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for tool in conclave ti-mctd ti-mct-heap-check; do
  line=$("$1/$tool" --version)
  [[ $line =~ ^"$tool (Conclave) "[0-9]+\.[0-9]+", commit "([0-9a-f]{12,}(-dirty)?|unknown)$ ]] || fail "$tool: $line"
done
line=$("$1/clocl" --version)
[[ $line =~ ^"clocl: conclave "[0-9]+\.[0-9]+" / LLVM "[0-9.]+", build "([0-9a-f]+|unknown)$ ]] || fail "clocl: $line"
build=$(readelf --notes "$1/clocl" | sed -n 's/ *Build ID: //p')
[ -z "$build" ] || [[ $build == "${BASH_REMATCH[1]}"* ]] || fail "clocl has the build id $build and says: $line"

header=$folder/header.h
find_commit() { "$2" -DSOURCE="$1" -DHEADER="$header" -P "$3/cmake/commit.cmake"; }
mkdir "$folder/source"
find_commit "$folder/source" "$2" "$3"
grep -qx '#define CONCLAVE_COMMIT "unknown"' "$header" || fail "without git: $(cat "$header")"
if command -v git >/dev/null; then
  export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
  git init -q "$folder/source"
  git -C "$folder/source" commit -q --allow-empty -m first
  commit=$(git -C "$folder/source" rev-parse HEAD)
  find_commit "$folder/source" "$2" "$3"
  grep -qx "#define CONCLAVE_COMMIT \"${commit:0:12}\"" "$header" || fail "commit $commit: $(cat "$header")"
  touch -d '1 hour ago' "$header"
  find_commit "$folder/source" "$2" "$3"
  [ -z "$(find "$header" -mmin -30)" ] || fail "the header is written again for the same commit"
  mkdir "$folder/source/inside"
  find_commit "$folder/source/inside" "$2" "$3"
  grep -q '"unknown"' "$header" || fail "a source in another repository has that one's commit: $(cat "$header")"
fi
echo PASS
