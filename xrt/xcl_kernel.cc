// SPDX-License-Identifier: Apache-2.0
#include "xrt/xcl_kernel.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <vector>

#include "platform/model/device.h"
#include "xrt/failure.h"
#include "xrt/xcl_packet.h"

namespace conclave::xrt {
namespace {

const KernelInfo& kernel_info(const Xclbin& xclbin, const std::string& name) {
  const auto& all = xclbin.program()->kernels();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& info) { return info.name == name; });
  if (found == all.end()) fail(ENOENT, "the xclbin has no kernel '" + name + "'");
  return *found;
}

template <size_t size>
void copy_text(const std::string& text, char (&to)[size]) {
  to[text.copy(to, size - 1)] = '\0';
}

uint32_t kind_of(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::kValue:
      return XCL_CONCLAVE_ARGUMENT_VALUE;
    case ArgumentKind::kPointer:
      return XCL_CONCLAVE_ARGUMENT_POINTER;
    case ArgumentKind::kLocal:
      return XCL_CONCLAVE_ARGUMENT_LOCAL;
    case ArgumentKind::kStream:
      return XCL_CONCLAVE_ARGUMENT_STREAM;
    default:
      return XCL_CONCLAVE_ARGUMENT_OTHER;
  }
}

}  // namespace

xclConclaveKernel describe_kernel(const Xclbin& xclbin, const std::string& name) {
  std::vector<uint32_t> units;
  try {
    units = xclbin.units_named(name);
  } catch (const Error& error) {
    throw Error(error.code(), error.text(), ENOENT);
  }
  xclConclaveKernel kernel{};
  static_assert(std::size(kernel.units) >= XclbinLayout::kMaxComputeUnits);
  kernel.num_units = static_cast<uint32_t>(units.size());
  std::copy(units.begin(), units.end(), kernel.units);
  const KernelInfo& info = kernel_info(xclbin, kernel_of(name));
  kernel.num_arguments = static_cast<uint32_t>(info.arguments.size());
  kernel.global_size = registers_of(info).global_size();
  return kernel;
}

xclConclaveArgument describe_argument(const Xclbin& xclbin, const std::string& name,
                                      uint32_t index) {
  const KernelInfo& info = kernel_info(xclbin, kernel_of(name));
  if (index >= info.arguments.size())
    fail(EINVAL, "kernel '" + info.name + "' has " + std::to_string(info.arguments.size()) +
                     " arguments; there is no number " + std::to_string(index));
  binary::RegisterMap map;
  for (uint32_t i = 0; i < index; ++i) map.next(register_bytes(info.arguments[i]));
  const ArgumentInfo& found = info.arguments[index];
  xclConclaveArgument argument{};
  copy_text(found.name, argument.name);
  copy_text(found.type_name, argument.type);
  argument.kind = kind_of(found.kind);
  argument.offset = map.next(register_bytes(found));
  argument.size = static_cast<uint32_t>(register_bytes(found));
  return argument;
}

IndexSpace index_space(const KernelInfo& info, const std::array<uint32_t, 6>& sizes) {
  IndexSpace space;
  space.dimensions = 3;
  size_t items = 1;
  for (size_t d = 0; d < 3; ++d) {
    const size_t required = info.required_local_size[d];
    space.local[d] = sizes[3 + d] ? sizes[3 + d] : required ? required : 1;
    space.global[d] = sizes[d] ? sizes[d] : space.local[d];
    if (required && space.local[d] != required)
      fail(EINVAL, "the kernel requires another local size");
    if (space.local[d] > Device::kMaxWorkGroupSize) fail(EINVAL, "a local size that is too large");
    if (info.uniform_work_groups && space.global[d] % space.local[d])
      fail(EINVAL, "the global size is no multiple of the local size");
    items *= space.local[d];
  }
  if (items > Device::kMaxWorkGroupSize) fail(EINVAL, "a work-group that is too large");
  return space;
}

}  // namespace conclave::xrt
