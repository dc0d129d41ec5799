#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# verified.sh CLOCL CLOCL_OPT SOURCE...: the middle end's passes on whole kernels, by their names, in the
# order of compiler/pipeline/kernels.cc. clocl-opt verifies the IR after each of them.
clocl=$1
opt=$2
shift 2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

prepare=take-annotations,describe-kernels,check-types,lower-streams,lower-images,prepare-module
prepare=$prepare,link-early-builtins,guard-divisions,inline-work-item-code
simplify='function(lower-struct-arguments),apply-local-size,function(simplify)'
regions='lower-local-variables,add-alias-scopes,function(lower-printf,lower-work-item-functions)'
builtins=link-late-builtins,answer-cpu-questions
groups=stream-stores,answer-scalar-questions,emit-work-group-functions,erase-unused-variables,lower-local-atomics
groups=$groups,check-resolved,check-private-memory,flatten-address-spaces

# verify SOURCE PASSES
verify() {
  "$opt" --cpu=haswell --passes="$2" "$folder/kernel.ll" > "$folder/out" 2> "$folder/log" &&
    grep -q '^define void @kernel_' "$folder/out" && return
  echo "$1: $2: $(head -c 2000 "$folder/log")"
  exit 1
}

for source in "$@"; do
  "$clocl" -w --emit=spir -o "$folder/kernel.ll" "$source" || exit 1
  verify "$source" "$prepare,$simplify,form-regions,$regions,$builtins,vectorize-kernels<width=8>,\
$groups"
  verify "$source" "$prepare,prepare-checks<simplified>,$simplify,form-regions<lines>,make-models,\
check-regions,$regions,$builtins,vectorize-kernels<width=8;check>,$groups"
done
