// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/vectorize_region.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>

#include "compiler/passes/group_rows.h"
#include "compiler/passes/vector_math.h"
#include "compiler/vectorizer/canonicalize.h"
#include "compiler/vectorizer/lane_ids.h"
#include "compiler/vectorizer/linearize.h"
#include "compiler/vectorizer/packet_cost.h"
#include "compiler/vectorizer/packetize.h"
#include "compiler/vectorizer/whole_packets.h"

namespace conclave::compiler {
namespace {

// Above this the scalar form with everything inlined, or the packet form, would take too long to
// compile.
constexpr unsigned kMaxInstructions = 20'000;

// Two registers for a value hide what an operation takes longer than one cycle; with more lanes,
// rows of work-items would be shorter than packets too often.
constexpr unsigned kRegistersPerValue = 2;
constexpr unsigned kMaxLanes = 16;

// An estimate of less means that packets would be slower, or hardly faster.
constexpr double kLeastGain = 1.1;

// What the private arrays of all lanes may take of a thread's stack.
constexpr uint64_t kMaxPrivateBytes = uint64_t{1} << 20;

llvm::CallBase* find_defined_call(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (call->getCalledFunction() && !call->getCalledFunction()->isDeclaration()) return call;
  return nullptr;
}

// Inlines whatever has a body. There is no recursion.
std::string inline_everything(llvm::Function& function) {
  while (llvm::CallBase* call = find_defined_call(function)) {
    const std::string name = call->getCalledFunction()->getName().str();
    llvm::InlineFunctionInfo info;
    llvm::InlineResult result = llvm::InlineFunction(*call, info);
    if (!result.isSuccess())
      return "function '" + name + "' cannot be inlined: " + result.getFailureReason();
    if (function.getInstructionCount() > kMaxInstructions) return "it is too large";
  }
  return "";
}

LaneIds lane_ids(llvm::Function& function) {
  LaneIds ids;
  ids.consecutive = {function.getArg(kLocalId), function.getArg(kItem)};
  for (unsigned parameter : {kItem + 0u, kLocalId + 0u, kLocalId + 1u, kLocalId + 2u})
    ids.small.push_back(function.getArg(parameter));
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (is_global_id(instruction)) ids.small.push_back(&instruction);
  return ids;
}

uint64_t private_bytes(const llvm::Function& function) {
  uint64_t bytes = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      bytes += variable->getAllocationSize(function.getDataLayout())->getFixedValue();
  return bytes;
}

std::string make_packet_form(llvm::Function& function, unsigned lanes, const Target& target,
                             bool only_if_faster) {
  if (std::string why_not = inline_everything(function); !why_not.empty()) return why_not;
  simplify_function(function);
  if (private_bytes(function) * lanes > kMaxPrivateBytes) return "its private arrays are too large";
  std::string why_not;
  const auto find = [&](llvm::Function& scalar, unsigned count) {
    return find_vector_function(scalar, count, target);
  };
  if (!canonicalize(function, lane_ids(function), why_not)) return why_not;
  add_whole_packet_versions(function, lane_ids(function));
  if (!linearize(function, lane_ids(function), why_not)) return why_not;
  const llvm::TargetTransformInfo costs = target.machine().getTargetTransformInfo(function);
  if (only_if_faster &&
      gain_of_packets(function, lane_ids(function), lanes, costs) < kLeastGain)
    return "its accesses to scattered places in memory take most of the time";
  if (!packetize(function, lane_ids(function), lanes, find, &costs, why_not)) return why_not;
  if (function.getInstructionCount() > kMaxInstructions) return "its packet form is too large";
  return llvm::verifyFunction(function) ? "internal error: the packet form is broken" : "";
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
  return std::min(kMaxLanes, kRegistersPerValue * bits / (doubles > floats ? 64 : 32));
}

std::string vectorize_region(Region& region, unsigned lanes, const Target& target,
                             bool only_if_faster) {
  llvm::ValueToValueMapTy map;
  llvm::Function* packet = llvm::CloneFunction(region.function, map);
  packet->setName(region.function->getName() + ".x" + llvm::Twine(lanes));
  std::string why_not = make_packet_form(*packet, lanes, target, only_if_faster);
  if (!why_not.empty()) {
    packet->eraseFromParent();
    return why_not;
  }
  region.packet = packet;
  region.lanes = lanes;
  return "";
}

}  // namespace conclave::compiler
