// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/vectorize_region.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <vector>

#include "compiler/passes/group_rows.h"
#include "compiler/passes/lower_images.h"
#include "compiler/passes/sub_groups.h"
#include "compiler/passes/vector_math.h"
#include "compiler/vectorizer/canonicalize.h"
#include "compiler/vectorizer/lane_ids.h"
#include "compiler/vectorizer/linearize.h"
#include "compiler/vectorizer/packet_cost.h"
#include "compiler/vectorizer/packetize.h"
#include "compiler/vectorizer/slots.h"
#include "compiler/vectorizer/whole_packets.h"

namespace conclave::compiler {
namespace {

// Above this the scalar form with everything inlined, or the packet form, would take too long to
// compile.
constexpr unsigned kMaxInstructions = 20'000;

// Two registers for a value hide what an operation takes longer than one cycle; with more lanes,
// rows of work-items would be shorter than packets too often.
constexpr unsigned kRegistersPerValue = 2;
constexpr unsigned kMinLanes = 4;
constexpr unsigned kMaxLanes = 16;

// An estimate of less means that packets would be slower, or hardly faster.
constexpr double kLeastGain = 1.1;

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

// The local ids of the last lanes may be beyond the end of the row.
llvm::Instruction* emit_active(llvm::Function& function) {
  llvm::IRBuilder<> builder(&function.getEntryBlock(), begin_of(function.getEntryBlock()));
  llvm::Value* id = function.getArg(kLocalId);
  llvm::Value* active = builder.CreateICmpULT(id, function.getArg(kLocalSize), "active");
  return llvm::cast<llvm::Instruction>(active);
}

bool prepare(llvm::Function& function, unsigned lanes, PartRemarks& remarks) {
  // Coordinates are vectors, of which x alone goes along the lanes.
  const bool has_coordinates = uses_images(function);
  if (!inline_everything(function, remarks)) return false;
  if (has_coordinates) scalarize_function(function);
  simplify_function(function);
  return private_bytes(function) * lanes <= kMaxPrivateBytes ||
         remarks.refuse("its private arrays are too large");
}

bool make_packet_form(llvm::Function& function, unsigned lanes, bool is_remainder,
                      bool only_if_faster, const Target& target, PartRemarks& remarks) {
  const auto find = [&](llvm::Function& scalar, unsigned count) {
    return find_vector_function(scalar, count, target);
  };
  if (!canonicalize(function, lane_ids(function), remarks)) return false;
  LaneIds ids = lane_ids(function);
  if (is_remainder)
    ids.active = emit_active(function);
  else
    add_whole_packet_versions(function, ids);
  if (!linearize(function, ids, remarks)) return false;
  const llvm::TargetTransformInfo costs = target.machine().getTargetTransformInfo(function);
  if (only_if_faster && gain_of_packets(function, lane_ids(function), lanes, costs) < kLeastGain)
    return remarks.refuse("its accesses to scattered places in memory take most of the time");
  if (!packetize(function, lane_ids(function), lanes, find, &costs, remarks)) return false;
  if (function.getInstructionCount() > kMaxInstructions)
    return remarks.refuse("its packet form is too large");
  if (llvm::verifyFunction(function))
    return remarks.refuse("internal error: the packet form is broken");
  return true;
}

llvm::Function* clone(llvm::Function& function, const llvm::Twine& name) {
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(&function, map);
  copy->setName(name);
  return copy;
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
  unsigned doubles = 0, floats = 0, elements = 1;
  for (const llvm::Instruction& instruction : llvm::instructions(region)) {
    const unsigned width = computed_bits(instruction);
    doubles += width == 64;
    floats += width == 32 || width == 16;
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType()))
      elements = std::max(elements, vector->getNumElements());
  }
  const unsigned lanes = kRegistersPerValue * bits / (doubles > floats ? 64 : 32);
  // Long explicit vectors fill registers by themselves: one of each element's lanes.
  return std::min(kMaxLanes, std::max(kMinLanes, lanes / std::max(1U, elements / 4)));
}

bool vectorize_region(Region& region, unsigned lanes, PacketForms forms, const Target& target,
                      PartRemarks& remarks) {
  if (region.function->getInstructionCount() > kMaxInstructions)
    return remarks.refuse("it is too large");
  const std::string name = (region.function->getName() + ".x" + llvm::Twine(lanes)).str();
  llvm::Function* packet = clone(*region.function, name);
  llvm::Function* remainder = nullptr;
  fix_sub_group_sizes(*packet, {lanes, lanes, region.has_required_lanes});
  bool is_done = prepare(*packet, lanes, remarks);
  if (is_done && forms.remainder) {
    remainder = clone(*packet, name + ".rest");
    is_done = make_packet_form(*remainder, lanes, true, forms.only_if_faster, target, remarks);
  }
  if (is_done && forms.packet)
    is_done = make_packet_form(*packet, lanes, false, forms.only_if_faster, target, remarks);
  if (!is_done || !forms.packet) {
    packet->eraseFromParent();
    packet = nullptr;
  }
  if (!is_done) {
    if (remainder) remainder->eraseFromParent();
    return false;
  }
  region.packet = packet;
  region.remainder = remainder;
  region.lanes = remarks.lanes = lanes;
  return true;
}

}  // namespace conclave::compiler
