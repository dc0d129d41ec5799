// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/bounded_codegen.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/Support/CommandLine.h>

#include "compiler/base/attributes.h"
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

size_t count_accesses(const llvm::BasicBlock& block) {
  return static_cast<size_t>(llvm::count_if(block, [](const llvm::Instruction& instruction) {
    return instruction.mayReadOrWriteMemory();
  }));
}

// The block that the code generator will append to `block`.
const llvm::BasicBlock* rest_of(const llvm::BasicBlock& block) {
  const llvm::BasicBlock* next = block.getSingleSuccessor();
  const bool is_joined = next && next->getSinglePredecessor() == &block && !next->hasAddressTaken();
  return is_joined ? next : nullptr;
}

bool is_rest(const llvm::BasicBlock& block) {
  const llvm::BasicBlock* before = block.getSinglePredecessor();
  return before && rest_of(*before);
}

bool has_huge_block(const llvm::Function& function) {
  return llvm::any_of(function, [](const llvm::BasicBlock& block) {
    if (is_rest(block)) return false;
    size_t accesses = 0;
    for (const llvm::BasicBlock* part = &block; part; part = rest_of(*part))
      accesses += count_accesses(*part);
    return accesses > tuning().late_scheduled_accesses;
  });
}

// Whether LLVM's preparation of code for the generator earns little: in packets, and in what stays apart
// from these since it is seldom needed.
bool may_skip_preparation(const llvm::Function& function) {
  return function.isDeclaration() || function.hasFnAttribute(kInPackets) ||
         function.hasFnAttribute(llvm::Attribute::Cold) ||
         function.hasFnAttribute(kRegionAttribute);
}

// Products of 128 bits, as mul_hi of ulong has them. To count with these, LLVM's loop strength reduction
// would divide by them where the program divides shorter numbers, which is a call of a function that no
// library of ours has.
bool has_long_products(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& function) {
    return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
      return instruction.getOpcode() == llvm::Instruction::Mul &&
             instruction.getType()->getScalarSizeInBits() > 64;
    });
  });
}

}  // namespace

void bound_code_generator(const llvm::Module& module, Effort effort) {
  // From this many accesses on, LLVM forgets half of the dependencies at once.
  set_option<unsigned>("dag-maps-huge-region", tuning().scheduled_accesses);
  set_option<bool>("disable-post-ra", llvm::any_of(module, has_huge_block));
  set_option<bool>("disable-lsr", effort == Effort::kFirst || has_long_products(module));
  set_option<bool>("disable-cgp",
                   effort == Effort::kFirst && llvm::all_of(module, may_skip_preparation));
  set_option<bool>("disable-x86-domain-reassignment", effort == Effort::kFirst);
  set_option<bool>("disable-machine-licm", llvm::any_of(module, [](const llvm::Function& function) {
                     return function.getInstructionCount() > tuning().hoisted_instructions;
                   }));
}

}  // namespace conclave::compiler
