#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no_compiler.sh CLOCL: a program whose binary is embedded runs on a machine without compiler and
# LLVM: both are hidden from it if the system allows a namespace of mounts, and it must not ask
# for them anywhere.
clocl=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
fail() {
  echo "$*"
  exit 1
}

echo 'kernel void seven(global int* a) { a[get_global_id(0)] = 7; }' > seven.cl
cat > host.c <<'END'
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include "seven.dsp_h"
int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int error, status, result[4];
  if (clGetPlatformIDs(1, &platform, NULL)) return 1;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 2;
  cl_bool has_compiler = CL_TRUE;
  clGetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof has_compiler, &has_compiler, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  const size_t size = seven_dsp_bin_len, items = 4;
  const unsigned char* binary = (const unsigned char*)seven_dsp_bin;
  cl_program program =
      clCreateProgramWithBinary(context, 1, &device, &size, &binary, &status, &error);
  if (error || clBuildProgram(program, 1, &device, "", NULL, NULL)) return 3;
  cl_kernel kernel = clCreateKernel(program, "seven", &error);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof result, NULL, &error);
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL)) return 4;
  if (clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL)) return 5;
  printf("%d %d compiler %d\n", result[0], result[3], has_compiler);
  return 0;
}
END
"$clocl" -t seven.cl || fail "clocl"
cc -o host host.c -lOpenCL || fail "cc"

export CONCLAVE_CLOCL=/nonexistent
LD_DEBUG=libs ./host > output 2> libraries || fail "status $?"
grep -q '^7 7 compiler 0$' output || fail "wrong output: $(cat output)"
grep -iqE 'libLLVM|libclang|liblld' libraries && fail "LLVM's libraries were asked for"

unset CONCLAVE_CLOCL
hide="mount --bind /dev/null '$clocl' && mount -t tmpfs none /usr/lib/llvm-19"
if unshare -m sh -c "$hide" 2> /dev/null; then
  unshare -m sh -c "$hide && exec ./host" > output || fail "status $? where LLVM is hidden"
elif unshare -rm sh -c "$hide" 2> /dev/null; then
  unshare -rm sh -c "$hide && exec ./host" > output || fail "status $? where LLVM is hidden"
else
  echo "no namespace of mounts to be had: nothing was hidden"
  exit 0
fi
grep -q '^7 7 compiler' output || fail "wrong output where LLVM is hidden: $(cat output)"
