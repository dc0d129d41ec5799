// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/xclbin_layout.h"

#include <nlohmann/json.hpp>

namespace conclave {
namespace {

using Json = nlohmann::ordered_json;

const char* direction_name(XclbinLayout::Parameter::Direction direction) {
  using Direction = XclbinLayout::Parameter::Direction;
  return direction == Direction::kIn ? "in" : direction == Direction::kOut ? "out" : "inout";
}

Json to_json(const XclbinLayout::GraphKernel& kernel) {
  Json json = {{"name", kernel.name}, {"kernel", kernel.kernel}, {"units", kernel.units}};
  for (const XclbinLayout::Parameter& parameter : kernel.parameters)
    json["parameters"].push_back({{"name", parameter.name},
                                  {"argument", parameter.argument},
                                  {"direction", direction_name(parameter.direction)},
                                  {"synchronous", parameter.synchronous},
                                  {"bytes", parameter.bytes}});
  return json;
}

LayoutKernel::Argument for_layout(const ArgumentInfo& argument) {
  using Kind = LayoutKernel::Argument::Kind;
  switch (argument.kind) {
    case ArgumentKind::kValue:
      return {argument.name, Kind::kValue, argument.size};
    case ArgumentKind::kPointer: {
      const bool is_const = argument.address == CL_KERNEL_ARG_ADDRESS_CONSTANT ||
                            argument.qualifiers & CL_KERNEL_ARG_TYPE_CONST;
      return {argument.name, is_const ? Kind::kConstPointer : Kind::kPointer, 0};
    }
    case ArgumentKind::kStream:
      return {argument.name,
              argument.access == CL_KERNEL_ARG_ACCESS_READ_ONLY ? Kind::kReadStream
                                                                : Kind::kWriteStream,
              0};
    default:
      return {argument.name, Kind::kOther, 0};
  }
}

}  // namespace

std::vector<LayoutKernel> for_layout(const std::vector<KernelInfo>& kernels) {
  std::vector<LayoutKernel> result;
  for (const KernelInfo& kernel : kernels) {
    result.push_back({kernel.name, {}});
    for (const ArgumentInfo& argument : kernel.arguments)
      result.back().arguments.push_back(for_layout(argument));
  }
  return result;
}

void XclbinLayout::add(const std::string& kernel, uint64_t count) {
  for (uint64_t i = 1; i <= count; ++i)
    compute_units.push_back(
        {kernel, kernel + "_" + std::to_string(i), {static_cast<uint32_t>(compute_units.size())}});
}

std::string XclbinLayout::to_json() const {
  Json root = {{"compute-units", Json::array()}};
  for (const ComputeUnit& unit : compute_units)
    root["compute-units"].push_back(
        {{"kernel", unit.kernel}, {"name", unit.name}, {"units", unit.units}});
  for (const Graph& graph : graphs) {
    Json kernels = Json::array();
    for (const GraphKernel& kernel : graph.kernels) kernels.push_back(conclave::to_json(kernel));
    root["graphs"].push_back({{"name", graph.name}, {"kernels", kernels}});
  }
  for (const Stream& stream : streams)
    root["streams"].push_back(
        {{"name", stream.name}, {"from", stream.from}, {"to", stream.to}, {"bytes", stream.bytes}});
  return root.dump(1);
}

}  // namespace conclave
