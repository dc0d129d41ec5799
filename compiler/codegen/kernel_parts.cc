// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/kernel_parts.h"

#include <algorithm>
#include <numeric>

#include "compiler/base/address_spaces.h"

namespace conclave::compiler {
namespace {

// With fewer kernels for each process, one would have much more to do than others.
constexpr size_t kLeastKernels = 3;

// Whether several processes may have the variable. Constants whose place may matter are shared
// (outlined_functions.h); local variables are offsets by now.
bool may_be_copied(const llvm::GlobalVariable& variable) {
  return variable.use_empty() || variable.getAddressSpace() == kLocalAddressSpace ||
         variable.getName().starts_with("llvm.") || variable.isConstant();
}

bool may_be_copied(const llvm::Function& function) {
  return function.isDeclaration() || function.hasLocalLinkage() || is_kernel(function) ||
         is_region(function);
}

size_t work_on_kernel(const RegionedKernel& kernel) {
  size_t work = 0;
  for (const Region& region : kernel.regions) work += work_on(*region.function);
  return work;
}

}  // namespace

Parts deal_out_kernels(const llvm::Module& module, const Program& program) {
  const auto copied = [](const auto& value) { return may_be_copied(value); };
  if (!llvm::all_of(module.globals(), copied) || !llvm::all_of(module, copied)) return {};
  std::vector<size_t> sizes;
  for (const RegionedKernel& kernel : program.kernels) sizes.push_back(work_on_kernel(kernel));
  const size_t all = std::accumulate(sizes.begin(), sizes.end(), size_t{0});
  const size_t largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  const size_t processes = std::min(useful_processes(sizes), possible_processes());
  if (processes < 2 || sizes.size() < kLeastKernels * processes || largest * processes > all)
    return {};
  Parts parts = deal_out(sizes, processes);
  for (std::vector<size_t>& part : parts) llvm::sort(part);
  return parts;
}

}  // namespace conclave::compiler
