// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/scheduling.h"

#include <llvm/Support/CommandLine.h>

#include "compiler/base/error.h"

namespace conclave::compiler {
namespace {

// Accesses in a block from which the scheduler before register allocation gives up precise
// dependencies between those that are far apart, and how many it then forgets at once. LLVM's own
// 1000 and 500 let a block take seconds.
constexpr unsigned kPreciseAccesses = 200;
constexpr unsigned kForgottenAccesses = 100;

// Accesses in a block from which the scheduler after register allocation, which has no such limit,
// is left out.
constexpr size_t kMostAccesses = 1000;

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
      if (block.size() > kMostAccesses &&
          llvm::count_if(block, [](const llvm::Instruction& instruction) {
            return instruction.mayReadOrWriteMemory();
          }) > static_cast<long>(kMostAccesses))
        return true;
  return false;
}

}  // namespace

void bound_scheduling(const llvm::Module& module) {
  set_option<unsigned>("dag-maps-huge-region", kPreciseAccesses);
  set_option<unsigned>("dag-maps-reduction-size", kForgottenAccesses);
  set_option<bool>("disable-post-ra", has_huge_block(module));
}

}  // namespace conclave::compiler
