// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/scheduling.h"

#include <llvm/Support/CommandLine.h>

#include "compiler/base/error.h"
#include "compiler/base/tuning.h"

namespace conclave::compiler {
namespace {

template <class Value>
void set_option(llvm::StringRef name, Value value) {
  const auto& options = llvm::cl::getRegisteredOptions();
  const auto found = options.find(name);
  if (found == options.end()) throw BuildError("LLVM has no option " + name.str());
  static_cast<llvm::cl::opt<Value>*>(found->second)->setValue(value);
}

// A vector that is stored lane by lane has become one instruction per lane already.
bool has_huge_block(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    for (const llvm::BasicBlock& block : function)
      if (block.size() > tuning().late_scheduled_accesses &&
          llvm::count_if(block, [](const llvm::Instruction& instruction) {
            return instruction.mayReadOrWriteMemory();
          }) > static_cast<long>(tuning().late_scheduled_accesses))
        return true;
  return false;
}

}  // namespace

void bound_scheduling(const llvm::Module& module) {
  // Of more accesses it forgets half of the dependencies at once.
  set_option<unsigned>("dag-maps-huge-region", tuning().scheduled_accesses);
  set_option<bool>("disable-post-ra", has_huge_block(module));
}

}  // namespace conclave::compiler
