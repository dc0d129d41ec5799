#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Java's exceptions arrive as exceptions and kernels' faults as statuses of events, in one process:
# java_faults.sh
set -euo pipefail
source=$(realpath "$(dirname "$0")")/java_faults
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() {
  echo "FAILED: $*"
  exit 1
}

command -v javac java > /dev/null || { echo "skipped: no javac and java"; exit 77; }
jdk=$(dirname "$(dirname "$(realpath "$(command -v javac)")")")
[ -f "$jdk/include/jni.h" ] || { echo "skipped: no jni.h in $jdk/include"; exit 77; }

javac -d . "$source/Faults.java"
cc -std=c11 -Wall -Wextra -Werror -shared -fPIC -I"$jdk/include" -I"$jdk/include/linux" -o libfaults.so \
  "$source/faults.c" -lOpenCL

ulimit -c 0
# java_run <expected exit status> <arguments...>
java_run() {
  local expected=$1 status=0
  shift
  java -Xss512k -XX:+UseSerialGC -XX:ErrorFile="$work/crash" "$@" > output 2>&1 || status=$?
  [ "$status" -eq "$expected" ] || fail "status $status, not $expected: java $*: $(cat output)"
  grep -q '^PASSED$' output || fail "java $*: $(cat output)"
}

java_run 0 -cp . Faults "$work/libfaults.so"
# The same with the code of the other one of Java's two compilers.
java_run 0 -XX:TieredStopAtLevel=1 -cp . Faults "$work/libfaults.so"
# With Java's own chaining of handlers, its handler stays on top of ours and hands faults on.
if [ -f "$jdk/lib/libjsig.so" ]; then
  LD_PRELOAD="$jdk/lib/libjsig.so" java_run 0 -cp . Faults "$work/libfaults.so"
fi
# A fault of native code is still the virtual machine's to report: it ends by abort().
java_run 134 -cp . Faults "$work/libfaults.so" crash
grep -q 'A fatal error has been detected by the Java Runtime Environment' output || fail "$(cat output)"
grep -q 'Java_Faults_writeToNull' output || fail "another fault was reported: $(cat output)"
