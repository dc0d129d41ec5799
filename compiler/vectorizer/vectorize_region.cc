// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/vectorize_region.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <vector>

#include "compiler/passes/vector_math.h"
#include "compiler/vectorizer/canonicalize.h"
#include "compiler/vectorizer/lane_ids.h"
#include "compiler/vectorizer/linearize.h"
#include "compiler/vectorizer/packetize.h"

namespace conclave::compiler {
namespace {

// Above this the scalar form with everything inlined, or the packet form, would take too long to
// compile.
constexpr unsigned kMaxInstructions = 20'000;

// What the private arrays of all lanes may take of a thread's stack.
constexpr uint64_t kMaxPrivateBytes = uint64_t{1} << 20;

bool has_body(const llvm::CallBase& call) {
  return call.getCalledFunction() && !call.getCalledFunction()->isDeclaration();
}

std::vector<llvm::CallBase*> find_defined_calls(llvm::Function& function) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (has_body(*call)) calls.push_back(call);
  return calls;
}

// Inlines whatever has a body. There is no recursion.
bool inline_everything(llvm::Function& function, PartRemarks& remarks) {
  std::vector<llvm::CallBase*> calls = find_defined_calls(function);
  size_t size = function.getInstructionCount();
  while (!calls.empty()) {
    llvm::CallBase* call = calls.back();
    calls.pop_back();
    const std::string name = call->getCalledFunction()->getName().str();
    size += call->getCalledFunction()->getInstructionCount();
    if (size > kMaxInstructions) return remarks.refuse("it is too large with what it calls", call);
    llvm::InlineFunctionInfo info;
    llvm::InlineResult result = llvm::InlineFunction(*call, info);
    if (!result.isSuccess())
      return remarks.refuse(
          "function '" + name + "' cannot be inlined: " + result.getFailureReason(), call);
    for (llvm::CallBase* inner : info.InlinedCallSites)
      if (has_body(*inner)) calls.push_back(inner);
  }
  return true;
}

// The global id in dimension `d`, as work_item_functions.cc writes it.
bool is_global_id(const llvm::Instruction& instruction, const llvm::Function& function) {
  if (instruction.getOpcode() != llvm::Instruction::Add) return false;
  for (unsigned d = 0; d < 3; ++d) {
    const llvm::Value* base = function.getArg(kGlobalBase + d);
    const llvm::Value* id = function.getArg(kLocalId + d);
    const llvm::Value* first = instruction.getOperand(0);
    const llvm::Value* second = instruction.getOperand(1);
    if ((first == base && second == id) || (first == id && second == base)) return true;
  }
  return false;
}

LaneIds lane_ids(llvm::Function& function) {
  LaneIds ids;
  ids.consecutive = {function.getArg(kLocalId), function.getArg(kItem)};
  for (unsigned parameter : {kItem + 0u, kLocalId + 0u, kLocalId + 1u, kLocalId + 2u})
    ids.small.push_back(function.getArg(parameter));
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (is_global_id(instruction, function)) ids.small.push_back(&instruction);
  return ids;
}

uint64_t private_bytes(const llvm::Function& function) {
  uint64_t bytes = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      bytes += variable->getAllocationSize(function.getDataLayout())->getFixedValue();
  return bytes;
}

bool make_packet_form(llvm::Function& function, unsigned lanes, const Target& target,
                      PartRemarks& remarks) {
  if (!inline_everything(function, remarks)) return false;
  simplify_function(function);
  if (private_bytes(function) * lanes > kMaxPrivateBytes)
    return remarks.refuse("its private arrays are too large");
  const auto find = [&](llvm::Function& scalar, unsigned count) {
    return find_vector_function(scalar, count, target);
  };
  if (!canonicalize(function, lane_ids(function), remarks)) return false;
  if (!linearize(function, lane_ids(function), remarks)) return false;
  if (!packetize(function, lane_ids(function), lanes, find, remarks)) return false;
  if (function.getInstructionCount() > kMaxInstructions)
    return remarks.refuse("its packet form is too large");
  if (llvm::verifyFunction(function))
    return remarks.refuse("internal error: the packet form is broken");
  return true;
}

// Bits of what an instruction computes with; 0 for what has no part in the choice of lanes.
unsigned computed_bits(const llvm::Instruction& instruction) {
  if (!llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CallBase>(instruction)) return 0;
  const llvm::Type* type = instruction.getType()->getScalarType();
  return type->isFloatingPointTy() ? type->getScalarSizeInBits() : 0;
}

}  // namespace

unsigned choose_lanes(const llvm::Function& region, const Target& target) {
  const unsigned bits = target.has("+avx512f") ? 512 : target.has("+avx2") ? 256 : 128;
  unsigned doubles = 0, floats = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(region)) {
    const unsigned width = computed_bits(instruction);
    doubles += width == 64;
    floats += width == 32 || width == 16;
  }
  return bits / (doubles > floats ? 64 : 32);
}

bool vectorize_region(Region& region, unsigned lanes, const Target& target, PartRemarks& remarks) {
  if (region.function->getInstructionCount() > kMaxInstructions)
    return remarks.refuse("it is too large");
  llvm::ValueToValueMapTy map;
  llvm::Function* packet = llvm::CloneFunction(region.function, map);
  packet->setName(region.function->getName() + ".x" + llvm::Twine(lanes));
  if (!make_packet_form(*packet, lanes, target, remarks)) {
    packet->eraseFromParent();
    return false;
  }
  region.packet = packet;
  region.lanes = remarks.lanes = lanes;
  return true;
}

}  // namespace conclave::compiler
