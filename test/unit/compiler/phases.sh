#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# phases.sh CLOCL: clocl --time tells how long each phase of a build took.
clocl=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
echo 'kernel void k(global float* a) { a[get_global_id(0)] *= 2; }' > k.cl
cat > expected <<'END'
target
front end
bitcode
prepare
simplify
regions
builtins
vectorize
work-groups
generate code
link ELF
END
"$clocl" --time k.cl 2> times || exit 1
sed -n 's/ *[0-9]*\.[0-9]* ms$//p' times > phases
diff expected phases || exit 1
# With the remarks, which come first or last but not between.
"$clocl" -v --time k.cl > verbose 2>&1 || exit 1
grep -q "remark: kernel 'k':" verbose || exit 1
sed -n 's/ *[0-9]*\.[0-9]* ms$//p' verbose | diff expected - || exit 1

# At a terminal, phases that last are announced: here the front end, which waits for a file.
mkfifo slow.h
echo '#include "slow.h"' | cat - k.cl > slow.cl
(sleep 1.5 && echo > slow.h) &
script -qec "$clocl slow.cl" /dev/null > terminal < /dev/null || exit 1
grep -q '^clocl: slow.cl: front end' terminal || { echo "no progress is shown: $(cat terminal)"; exit 1; }
"$clocl" k.cl > quiet 2>&1 && [ ! -s quiet ] || exit 1
