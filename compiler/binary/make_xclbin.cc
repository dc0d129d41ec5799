// SPDX-License-Identifier: Apache-2.0
#include "compiler/binary/make_xclbin.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "compiler/binary/binary_file.h"
#include "compiler/binary/metadata.h"
#include "conclave/register_map.h"
#include "platform/loader/xclbin_file.h"
#include "platform/loader/xclbin_layout.h"

namespace conclave::compiler {
namespace {

std::string joined(const std::vector<LayoutKernel>& kernels) {
  std::string text;
  for (const LayoutKernel& kernel : kernels) text += (text.empty() ? "" : ", ") + kernel.name;
  return text;
}

XclbinLayout layout_of(const LayoutRequest& request, const std::vector<LayoutKernel>& kernels) {
  if (!request.file.empty()) {
    try {
      return parse_layout(request.text, kernels);
    } catch (const JsonError& error) {
      throw BuildError(request.file + ":" + std::to_string(error.place().line) + ":" +
                       std::to_string(error.place().column) + ": error: " + error.what());
    }
  }
  XclbinLayout layout;
  for (const auto& [kernel, count] : request.compute_units) {
    const auto is_it = [&](const LayoutKernel& known) { return known.name == kernel; };
    if (std::none_of(kernels.begin(), kernels.end(), is_it))
      throw BuildError("clocl: error: --cu " + kernel + ": unknown kernel '" + kernel +
                       "'; the program has " + joined(kernels));
    layout.add(kernel, count);
  }
  if (request.compute_units.empty())
    for (const LayoutKernel& kernel : kernels) layout.add(kernel.name, 1);
  if (layout.compute_units.size() > XclbinLayout::kMaxComputeUnits)
    throw BuildError("clocl: error: " + std::to_string(layout.compute_units.size()) +
                     " compute units; a device has at most " +
                     std::to_string(XclbinLayout::kMaxComputeUnits));
  for (const XclbinLayout::ComputeUnit& unit : layout.compute_units)
    if (unit.full_name().size() > XclbinLayout::kMaxNameBytes)
      throw BuildError("clocl: error: the name '" + unit.full_name() + "' is longer than " +
                       std::to_string(XclbinLayout::kMaxNameBytes) + " bytes");
  return layout;
}

std::string attribute(const char* name, const std::string& value) {
  std::string text = std::string(" ") + name + "=\"";
  for (char c : value) {
    if (c == '&')
      text += "&amp;";
    else if (c == '<')
      text += "&lt;";
    else if (c == '"')
      text += "&quot;";
    else
      text += c;
  }
  return text + '"';
}

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

// Returns the name that XRT's tools have for an argument's kind.
const char* address_qualifier(const ArgumentInfo& argument) {
  switch (argument.address) {
    case CL_KERNEL_ARG_ADDRESS_GLOBAL:
      return "1";
    case CL_KERNEL_ARG_ADDRESS_CONSTANT:
      return "2";
    case CL_KERNEL_ARG_ADDRESS_LOCAL:
      return "3";
    default:
      return "0";
  }
}

uint64_t register_bytes(const ArgumentInfo& argument) {
  return argument.kind == ArgumentKind::kLocal ? 4 : argument.size;
}

// The kernels, their registers and compute units, as XRT's xclbins describe them.
std::string describe_kernels(const std::vector<KernelInfo>& kernels, const XclbinLayout& layout) {
  std::string xml =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<project name=\"conclave\">\n"
      " <platform vendor=\"conclave\" name=\"conclave\">\n  <device name=\"conclave\">\n"
      "   <core name=\"OCL_REGION_0\" type=\"clc_region\">\n";
  for (const KernelInfo& kernel : kernels) {
    xml += "    <kernel" + attribute("name", kernel.name) + attribute("language", "clc") + ">\n";
    binary::RegisterMap map;
    size_t id = 0;
    const auto add = [&](const std::string& name, const std::string& type, const char* qualifier,
                         uint64_t bytes, uint32_t offset) {
      xml += "     <arg" + attribute("name", name) + attribute("addressQualifier", qualifier) +
             attribute("id", std::to_string(id++)) + attribute("size", hex(bytes)) +
             attribute("offset", hex(offset)) + attribute("type", type) + "/>\n";
    };
    for (const ArgumentInfo& argument : kernel.arguments) {
      const uint64_t bytes = register_bytes(argument);
      add(argument.name, argument.type_name, address_qualifier(argument), bytes, map.next(bytes));
    }
    add("global_size", "uint3", "0", 12, map.global_size());
    add("local_size", "uint3", "0", 12, map.local_size());
    for (const XclbinLayout::ComputeUnit& unit : layout.compute_units)
      if (unit.kernel == kernel.name)
        xml += "     <instance" + attribute("name", unit.name) + "/>\n";
    xml += "    </kernel>\n";
  }
  return xml + "   </core>\n  </device>\n </platform>\n</project>\n";
}

}  // namespace

std::string make_xclbin(const std::string& program, const LayoutRequest& request) {
  const std::vector<KernelInfo> kernels = read_metadata(read_binary(program).metadata).kernels;
  const XclbinLayout layout = layout_of(request, for_layout(kernels));
  return write_xclbin(program, layout, describe_kernels(kernels, layout));
}

}  // namespace conclave::compiler
