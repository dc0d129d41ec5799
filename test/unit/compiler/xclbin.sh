#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Xclbins at clocl's command line: what is made, and what is said about layouts that are wrong.
set -uo pipefail
clocl=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# Arguments: exit status, a part of the message, the command line.
refused() {
  local status=$1 message=$2
  shift 2
  "$clocl" "$@" > output 2>&1
  [ $? = "$status" ] || fail "exit status of: clocl $*: $(cat output)"
  grep -qF -- "$message" output || fail "clocl $* says: $(cat output), not: $message"
}
# Arguments: a layout, exit status 1 and this part of the message.
bad_layout() {
  printf '%s' "$1" > layout.json
  refused 1 "layout.json:$2" --layout layout.json -o x.xclbin two.cl
}

cat > two.cl <<'END2'
kernel void vadd(global const int* a, global const int* b, global int* c, char n) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i] + n;
}
kernel void vsub(global int* a, local int* b) { a[get_global_id(0)] -= 1; }
END2

"$clocl" --cu vadd:2 --cu=vsub -o x.xclbin two.cl || fail "--cu"
[ "$(head -c 7 x.xclbin)" = xclbin2 ] || fail "no magic"
for name in vadd:vadd_1 vadd:vadd_2 vsub:vsub_1; do
  grep -q "$name" x.xclbin || fail "no compute unit $name"
done
for register in '"a".*offset="0x10"' '"b".*offset="0x1c"' '"c".*offset="0x28"' \
    '"n".*offset="0x34"' '"global_size".*offset="0x3c"' '"local_size".*offset="0x48"'; do
  grep -aq "name=$register" x.xclbin || fail "no register $register"
done

# The same content is the same xclbin, byte by byte; another layout is another one.
"$clocl" --cu vadd:2 --cu vsub:1 two.cl same.xclbin && cmp x.xclbin same.xclbin || fail "not the same"
"$clocl" --cu vadd:3 --cu vsub:1 two.cl other.xclbin && ! cmp -s x.xclbin other.xclbin || fail "the same"
"$clocl" two.cl each.xclbin || fail "one for each kernel"
grep -q vsub:vsub_1 each.xclbin || fail "no vsub_1"
"$clocl" --cu vadd two.cl && [ -e two.xclbin ] || fail "the name of the output"
"$clocl" -l two.cl && "$clocl" --cu vadd:2 -o linked.xclbin two.obj || fail "a linked xclbin"

cat > layout.json <<'END2'
{
  "compute-units": [
    {"kernel": "vadd", "name": "left", "units": [1, 0]},
    {"kernel": "vadd", "name": "right"}
  ],
  "graphs": [
    {"name": "gr[0]", "kernels": [{"name": "k", "kernel": "vadd", "units": [1], "parameters": [
      {"argument": "a", "name": "in[1]", "bytes": 64}, {"argument": "b", "bytes": 64},
      {"argument": "c", "direction": "out", "bytes": 64, "synchronous": true}]}]}
  ]
}
END2
"$clocl" --layout layout.json -o x.xclbin two.cl || fail "--layout"
grep -q vadd:right x.xclbin || fail "no compute unit right"

bad_layout '' '1:1: error: is no valid JSON'
bad_layout '{"compute-units": [' '1:20: error: is no valid JSON'
bad_layout '[]' '1:1: error: the layout is a list, expected an object'
bad_layout '{}' "1:1: error: the layout has no key 'compute-units'"
bad_layout '{"compute-units": []}' "1:19: error: 'compute-units' is empty"
bad_layout '{"compute-units": 2}' "1:19: error: 'compute-units' is a number, expected a list"
bad_layout '{"compute-unit": []}' "1:2: error: unknown key 'compute-unit'"
one='{"kernel": "vadd", "name": "a"}'
bad_layout "{\"compute-units\": [$one], \"compute-units\": [$one]}" '1:54: error: key "compute-units" is here twice'
bad_layout $'{"compute-units": [\n {"kernel": "vmul", "name": "a"}]}' \
  "2:13: error: unknown kernel 'vmul'; the program has vadd, vsub"
bad_layout $'{"compute-units": [\n {"kernel": 17, "name": "a"}]}' "2:13: error: 'kernel' is a number"
bad_layout $'{"compute-units": [\n {"kernel": "vadd"}]}' "2:2: error: a compute unit has no key 'name'"
bad_layout "{\"compute-units\": [
$one,
$one]}" "3:28: error: the name 'a' is used already, in line 2"
bad_layout '{"compute-units": [{"kernel": "vadd", "name": "a,b"}]}' "1:47: error: 'a,b' is no name"
bad_layout "{\"compute-units\": [{\"kernel\": \"vadd\", \"name\": \"$(printf 'x%.0s' {1..60})\"}]}" \
  "1:47: error: "
unit() { bad_layout "{\"compute-units\": [{\"kernel\": \"vadd\", \"name\": \"a\", \"units\": $1}]}" "1:$2"; }
unit '[256]' '62: error: there is no compute unit 256'
unit '[-1]' '62: error: a compute unit of the device is no non-negative integer'
unit '[0, 0]' '65: error: compute unit 0 of the device is here twice'
unit '[]' "61: error: 'units' is empty"
unit '"0"' "61: error: 'units' is a string"
bad_layout "{\"compute-units\": [$one], \"graphs\": [{\"name\": \"a\"}]}" "1:74: error: the name 'a' is used"
# Graphs, each with the kernel of this text.
graph() {
  bad_layout "{\"compute-units\": [$one], \"graphs\": [{\"name\": \"g\", \"kernels\": [
$1]}]}" "$2"
}
graph '' "1:90: error: 'kernels' is empty"
graph '{"name": "k", "kernel": "vmul"}' "2:25: error: unknown kernel 'vmul'"
graph '{"name": "k k", "kernel": "vadd"}' "2:10: error: 'k k' is no name for a kernel of a graph"
graph '{"name": "k", "kernel": "vadd"}' "2:1: error: argument 'a' of kernel 'vadd' needs an entry in 'parameters'"
parameter() { graph "{\"name\": \"k\", \"kernel\": \"vadd\", \"parameters\": [
$1]}" "3:$2"; }
parameter '{"bytes": 4}' "1: error: a parameter has no key 'argument'"
parameter '{"argument": "d"}' "14: error: kernel 'vadd' has no argument 'd' that is a value or a pointer"
parameter '{"argument": "a"}' "1: error: 'bytes' is missing: how many 'a' has"
parameter '{"argument": "a", "bytes": 0}' "28: error: a parameter has 1 to 65536 bytes"
parameter '{"argument": "a", "bytes": 65537}' "28: error: a parameter has 1 to 65536 bytes"
parameter '{"argument": "n", "bytes": 2}' "28: error: argument 'n' has 1 bytes"
parameter '{"argument": "a", "bytes": 4, "direction": "out"}' "44: error: the kernel cannot write argument 'a'"
parameter '{"argument": "c", "bytes": 4, "direction": "up"}' "44: error: 'up' is no direction"
parameter '{"argument": "c", "bytes": 4, "synchronous": 1}' "46: error: 'synchronous' is neither true nor false"
parameter '{"argument": "c", "bytes": 4}, {"argument": "c", "bytes": 4}' \
  "45: error: argument 'c' is a parameter already"
parameter '{"argument": "c", "bytes": 4, "name": "x"}, {"argument": "b", "bytes": 4, "name": "x"}' \
  "45: error: the kernel has a parameter 'x' already"
bad_layout "$(printf '[%.0s' {1..100000})" '1:17: error: is nested too deep'

# Streams.
cat > flow.cl <<'END2'
kernel void source(write_only pipe int out, int n) { for (int i = 0; i < n; ++i) write_pipe(out, &i); }
kernel void sink(read_only pipe int in, global int* to) { read_pipe(in, to); }
kernel void pass(read_only pipe int in, write_only pipe int out) {
  int value;
  if (read_pipe(in, &value) == 0) write_pipe(out, &value);
}
END2
cat > flow.json <<'END2'
{
  "compute-units": [{"kernel": "source", "name": "source_1"}, {"kernel": "sink", "name": "sink_1"}],
  "graphs": [{"name": "g", "kernels": [{"name": "k", "kernel": "pass"}]}],
  "streams": [{"name": "a", "from": "source_1.out", "to": "g.k.in", "bytes": 64},
              {"name": "b", "from": "g.k.out", "to": "sink_1.in"}]
}
END2
for std in CL2.0 CL3.0; do
  "$clocl" -cl-std=$std --layout flow.json -o flow.xclbin flow.cl || fail "streams in $std"
done
flow() {
  printf '%s' "{\"compute-units\": [{\"kernel\": \"source\", \"name\": \"s\"},
{\"kernel\": \"pass\", \"name\": \"p\"}, {\"kernel\": \"pass\", \"name\": \"q\"}], ${3:-}
\"streams\": [
$1]}" > layout.json
  refused 1 "layout.json:$2" -cl-std=CL3.0 --layout layout.json -o x.xclbin flow.cl
}
flow '{"name": "a", "from": "s.out"}' "4:1: error: a stream has no key 'to'"
flow '{"name": "a", "from": "s.in", "to": "p.in"}' \
  "4:23: error: kernel 'source' has no argument 'in' of type write_only pipe"
flow '{"name": "a", "from": "s.out", "to": "p.out"}' \
  "4:38: error: kernel 'pass' has no argument 'out' of type read_only pipe"
flow '{"name": "a", "from": "s.out", "to": "t.in"}' "4:38: error: there is no compute unit or kernel"
flow '{"name": "a", "from": "s", "to": "p.in"}' "4:23: error: 's' is no end of a stream"
flow '{"name": "a", "from": "s.out", "to": "p.in"}, {"name": "b", "from": "p.out", "to": "p.in"}' \
  "4:84: error: a stream ends at 'p.in' already"
flow '{"name": "a", "from": "s.out", "to": "p.in", "bytes": 100}' "4:55: error: the buffer of a stream has"
flow '{"name": "a", "from": "p.out", "to": "q.in"}, {"name": "b", "from": "q.out", "to": "p.in"}' \
  "3:12: error: the streams from 'p' lead back to it"
flow '{"name": "a", "from": "s.out", "to": "p.in"}' "2:78: error: no stream ends at 'g.k.in'" \
  '"graphs": [{"name": "g", "kernels": [{"name": "k", "kernel": "pass"}]}],'
flow '{"name": "a", "from": "host.", "to": "p.in"}' "4:23: error: a port of the host has no name: 'host.'"
flow '{"name": "a", "from": "host.x", "to": "host.y"}' "4:1: error: a stream leads from the host to the host"
flow '{"name": "a", "from": "host.x", "to": "p.in"}, {"name": "b", "from": "host.x", "to": "q.in"}' \
  "4:70: error: a stream ends at 'host.x' already"
flow '' "2:88: error: 'host' is where the host's ports are" \
  '"graphs": [{"name": "host", "kernels": [{"name": "k", "kernel": "pass"}]}],'
sed -e 's/source_1.out/host.g.in/' -e 's/sink_1.in/host.g.out/' flow.json > host.json
"$clocl" -cl-std=CL3.0 --layout host.json -o host.xclbin flow.cl || fail "ports of the host"
many=$(for i in {1..257}; do echo "{\"kernel\": \"vadd\", \"name\": \"a$i\", \"units\": [0]},"; done)
bad_layout "{\"compute-units\": [${many%,}]}" '257:'

refused 1 "--cu vmul: unknown kernel 'vmul'; the program has vadd, vsub" --cu vmul two.cl
refused 1 "300 compute units; a device has at most 256" --cu vadd:200 --cu vsub:100 two.cl
refused 2 "--cu 'vadd:0': expected KERNEL or KERNEL:N" --cu vadd:0 two.cl
refused 2 "--cu 'vadd:x': expected KERNEL or KERNEL:N" --cu vadd:x two.cl
refused 2 "--cu 'vadd:257': expected KERNEL or KERNEL:N" --cu vadd:257 two.cl
refused 2 "kernel 'vadd' is named twice" --cu vadd --cu vadd:2 two.cl
refused 2 "exclude each other" --cu vadd --layout layout.json two.cl
refused 2 "cannot read 'none.json'" --layout none.json two.cl
refused 2 "an xclbin is made of a linked program alone" -l --cu vadd two.cl
