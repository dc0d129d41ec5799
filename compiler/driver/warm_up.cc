// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/warm_up.h"

#include "compiler/driver/compilation.h"
#include "conclave/compile_protocol.h"

namespace conclave::compiler {
namespace {

// Some of each: arithmetic, loops, branches, local memory, vectors, atomics, builtins.
constexpr char kSource[] = R"(
kernel void elements(global const float* a, global float4* b, global int* c, const int n) {
  const int i = get_global_id(0);
  if (i >= n) return;
  float4 sum = (float4)(0);
  for (int k = 0; k < n; ++k) sum += b[k] * a[i + k];
  b[i] = sum + exp(a[i]) + sqrt((float)c[i]);
  if (c[i] % 3 == 1) atomic_inc(&c[n]);
}
kernel void exchange(global float* a, local float* t) {
  const int i = get_local_id(0);
  t[i] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (i < s) t[i] += t[i + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0) a[get_group_id(0)] = sin(t[0]);
}
)";

}  // namespace

void warm_up() {
  protocol::Request request;
  request.source = kSource;
  request.options = "-cl-conclave-tune=code_processes=1";
  Extras extras;
  process(request, extras);
}

}  // namespace conclave::compiler
