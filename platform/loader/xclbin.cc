// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/xclbin.h"

#include <algorithm>
#include <cerrno>

#include "platform/base/error.h"
#include "platform/loader/graph_plan.h"

namespace conclave {
namespace {

[[noreturn]] void bad(const std::string& what) {
  throw Error(CL_INVALID_BINARY, "xclbin: " + what, EINVAL);
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> names(1);
  for (char c : list) {
    if (c == ',')
      names.emplace_back();
    else if (c != ' ')
      names.back() += c;
  }
  return names;
}

}  // namespace

std::shared_ptr<const Xclbin> Xclbin::parse(std::string bytes) {
  std::shared_ptr<Xclbin> xclbin(new Xclbin);
  xclbin->bytes_ = std::move(bytes);
  try {
    const XclbinParts parts = read_xclbin(xclbin->bytes_);
    xclbin->uuid_ = parts.uuid;
    xclbin->program_ = ProgramBinary::parse(std::string(parts.program));
    if (xclbin->program_->kind() != ProgramKind::kExecutable)
      bad("its program is not linked to an executable");
    xclbin->layout_ = parse_layout(parts.layout, for_layout(xclbin->program_->kernels()));
    xclbin->plan_.emplace(xclbin->layout_);
    if (parts.ip_layout != ip_layout_section(xclbin->layout_))
      bad("its section IP_LAYOUT does not fit its layout");
  } catch (const std::length_error& error) {
    bad(error.what());
  } catch (const XclbinError& error) {
    bad(error.what());
  } catch (const JsonError& error) {
    bad("layout, line " + std::to_string(error.place().line) + ": " + error.what());
  }
  return xclbin;
}

std::vector<uint32_t> Xclbin::units_named(const std::string& name) const {
  const std::string kernel = kernel_of(name);
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < layout_.compute_units.size(); ++i)
    if (layout_.compute_units[i].kernel == kernel) all.push_back(i);
  if (all.empty())
    throw Error(CL_INVALID_KERNEL_NAME, "No kernel compute units matching '" + name +
                                            "': the xclbin has none of '" + kernel + "'");
  if (kernel == name) return all;
  std::vector<uint32_t> units;
  const size_t open = kernel.size() + 2;
  for (const std::string& unit_name : split(name.substr(open, name.size() - open - 1))) {
    const auto found = std::find_if(all.begin(), all.end(), [&](uint32_t i) {
      return layout_.compute_units[i].name == unit_name;
    });
    if (found == all.end())
      throw Error(CL_INVALID_KERNEL_NAME, "No kernel compute units matching '" + name +
                                              "': kernel '" + kernel + "' has none called '" +
                                              unit_name + "'");
    units.push_back(*found);
  }
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  return units;
}

bool Xclbin::has_units(const std::string& kernel) const {
  return std::any_of(layout_.compute_units.begin(), layout_.compute_units.end(),
                     [&](const auto& unit) { return unit.kernel == kernel; });
}

void Xclbin::require_fit(uint32_t device_units) const {
  for (const XclbinLayout::ComputeUnit& unit : layout_.compute_units)
    if (unit.units.back() >= device_units)
      bad("compute unit " + unit.full_name() + " is on unit " + std::to_string(unit.units.back()) +
          " of the device, which has " + std::to_string(device_units) +
          " (compute-units in the configuration)");
}

std::string kernel_of(const std::string& name) {
  const size_t colon = name.find(":{");
  return colon != name.npos && name.ends_with('}') ? name.substr(0, colon) : name;
}

}  // namespace conclave
