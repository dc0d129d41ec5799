// SPDX-License-Identifier: Apache-2.0
// TI's functions by name: calls of those of the platform that has them.
#include <CL/cl_ext_conclave.h>

#include <vector>

namespace {

// The function of that name and type, of the first platform that has it, or null.
template <class Function>
Function* find(const char* name) {
  cl_uint count = 0;
  clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(count);
  if (count) clGetPlatformIDs(count, platforms.data(), nullptr);
  for (cl_platform_id platform : platforms)
    if (void* function = clGetExtensionFunctionAddressForPlatform(platform, name))
      return reinterpret_cast<Function*>(function);
  return nullptr;
}

}  // namespace

extern "C" {

void* CL_API_CALL __malloc_ddr(size_t size) {
  static auto* const function = find<decltype(__malloc_ddr)>("__malloc_ddr");
  return function ? function(size) : nullptr;
}

void* CL_API_CALL __malloc_msmc(size_t size) {
  static auto* const function = find<decltype(__malloc_msmc)>("__malloc_msmc");
  return function ? function(size) : nullptr;
}

void CL_API_CALL __free_ddr(void* memory) {
  static auto* const function = find<decltype(__free_ddr)>("__free_ddr");
  if (function) function(memory);
}

void CL_API_CALL __free_msmc(void* memory) {
  static auto* const function = find<decltype(__free_msmc)>("__free_msmc");
  if (function) function(memory);
}

cl_bool CL_API_CALL __is_in_malloced_region(void* address) {
  static auto* const function = find<decltype(__is_in_malloced_region)>("__is_in_malloced_region");
  return function ? function(address) : CL_FALSE;
}

cl_int CL_API_CALL __ti_set_kernel_timeout_ms(cl_kernel kernel, cl_uint milliseconds) {
  static auto* const function =
      find<decltype(__ti_set_kernel_timeout_ms)>("__ti_set_kernel_timeout_ms");
  return function ? function(kernel, milliseconds) : CL_INVALID_OPERATION;
}

}  // extern "C"
