// SPDX-License-Identifier: Apache-2.0
// An xclbin in memory: a program and the layout of its compute units.
#ifndef CONCLAVE_PLATFORM_LOADER_XCLBIN_H_
#define CONCLAVE_PLATFORM_LOADER_XCLBIN_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/loader/graph_plan.h"
#include "platform/loader/program_binary.h"
#include "platform/loader/xclbin_file.h"

namespace conclave {

class Xclbin {
 public:
  // Parses an xclbin. Throws Error{CL_INVALID_BINARY} that says what is wrong and where. Never
  // reads outside `bytes`, whatever they are.
  static std::shared_ptr<const Xclbin> parse(std::string bytes);

  const std::string& bytes() const { return bytes_; }
  const XclbinUuid& uuid() const { return uuid_; }
  const XclbinLayout& layout() const { return layout_; }
  const GraphPlan& plan() const { return *plan_; }
  const std::shared_ptr<const ProgramBinary>& program() const { return program_; }

  // The numbers of the compute units that a name means: "vadd" (all of the kernel's) or
  // "vadd:{vadd_1,vadd_2}". Throws Error{CL_INVALID_KERNEL_NAME}.
  std::vector<uint32_t> units_named(const std::string& name) const;
  bool has_units(const std::string& kernel) const;
  // Throws Error{CL_INVALID_BINARY} if a compute unit needs one that the device does not have.
  void require_fit(uint32_t device_units) const;

 private:
  Xclbin() = default;

  std::string bytes_;
  XclbinUuid uuid_{};
  XclbinLayout layout_;
  std::optional<GraphPlan> plan_;  // the layout's
  std::shared_ptr<const ProgramBinary> program_;
};

// The kernel in "vadd:{vadd_1}", or a plain name as it is.
std::string kernel_of(const std::string& name);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_XCLBIN_H_
