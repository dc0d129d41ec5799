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

#include "compiler/passes/address_spaces.h"
#include "compiler/passes/cpu_questions.h"
#include "compiler/passes/known_image_formats.h"
#include "compiler/passes/lower_images.h"
#include "compiler/passes/sub_groups.h"
#include "compiler/passes/vector_math.h"
#include "compiler/stack_bytes.h"
#include "compiler/tuning.h"
#include "compiler/vectorizer/canonicalize.h"
#include "compiler/vectorizer/interior_packets.h"
#include "compiler/vectorizer/lane_dimension.h"
#include "compiler/vectorizer/linearize.h"
#include "compiler/vectorizer/mixed_packets.h"
#include "compiler/vectorizer/narrow_integers.h"
#include "compiler/vectorizer/packet_cost.h"
#include "compiler/vectorizer/packet_functions.h"
#include "compiler/vectorizer/packetize.h"
#include "compiler/vectorizer/row_jam.h"
#include "compiler/vectorizer/slots.h"
#include "compiler/vectorizer/unconditional_stores.h"
#include "compiler/vectorizer/whole_packets.h"

namespace conclave::compiler {
namespace {

bool has_body(const llvm::CallBase& call) {
  return call.getCalledFunction() && !call.getCalledFunction()->isDeclaration();
}

using CallFilter = llvm::function_ref<bool(const llvm::CallBase&)>;

std::vector<llvm::CallBase*> find_defined_calls(llvm::Function& function, CallFilter is_wanted) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (has_body(*call) && is_wanted(*call)) calls.push_back(call);
  return calls;
}

// Inlines the calls that are wanted of functions that have a body. There is no recursion.
bool inline_calls(llvm::Function& function, CallFilter is_wanted, PartRemarks& remarks) {
  std::vector<llvm::CallBase*> calls = find_defined_calls(function, is_wanted);
  size_t size = function.getInstructionCount();
  while (!calls.empty()) {
    llvm::CallBase* call = calls.back();
    calls.pop_back();
    const std::string name = call->getCalledFunction()->getName().str();
    size += call->getCalledFunction()->getInstructionCount();
    if (size > tuning().region_instructions)
      return remarks.refuse("it is too large with what it calls", call);
    llvm::InlineFunctionInfo info;
    llvm::InlineResult result = llvm::InlineFunction(*call, info);
    if (!result.isSuccess())
      return remarks.refuse(
          "function '" + name + "' cannot be inlined: " + result.getFailureReason(), call);
    for (llvm::CallBase* inner : info.InlinedCallSites)
      if (has_body(*inner) && is_wanted(*inner)) calls.push_back(inner);
  }
  return true;
}

bool inline_everything(llvm::Function& function, PartRemarks& remarks) {
  const auto is_any = [](const llvm::CallBase&) { return true; };
  return inline_calls(function, is_any, remarks);
}

// The same, but for what packets call.
bool inline_most(llvm::Function& function, Simplifier& simplifier, PartRemarks& remarks) {
  const auto is_small = [](const llvm::CallBase& call) {
    return !may_be_packet_function(*call.getCalledFunction());
  };
  if (knows_image_formats(function)) {
    const auto is_other = [&](const llvm::CallBase& call) {
      return is_small(call) && !is_image_call(call);
    };
    if (!inline_calls(function, is_other, remarks)) return false;
    apply_image_formats(function, simplifier);
  }
  if (!inline_calls(function, is_small, remarks)) return false;
  choose_packet_calls(function);
  const auto is_inlined = [](const llvm::CallBase& call) {
    return !is_packet_call(call) && !is_kept_apart(*call.getCalledFunction());
  };
  if (!inline_calls(function, is_inlined, remarks)) return false;
  choose_packet_calls(function);
  return true;
}

// The local ids of the last lanes may be beyond the end of the row.
llvm::Instruction* emit_active(llvm::Function& function, unsigned dimension) {
  llvm::IRBuilder<> builder(&function.getEntryBlock(), begin_of(function.getEntryBlock()));
  llvm::Value* id = function.getArg(kLocalId + dimension);
  llvm::Value* size = function.getArg(kLocalSize + dimension);
  llvm::Value* active = builder.CreateICmpULT(id, size, "active");
  return llvm::cast<llvm::Instruction>(active);
}

bool prepare(llvm::Function& function, unsigned lanes, const Target& target, Simplifier& simplifier,
             PartRemarks& remarks) {
  // Coordinates are vectors, of which x alone goes along the lanes.
  const bool has_coordinates = uses_images(function);
  if (!inline_most(function, simplifier, remarks)) return false;
  answer_packet_questions(function, target);
  if (has_coordinates) simplifier.scalarize(function);
  simplifier.run(function);
  return StackBytes().of(function) * lanes <= tuning().packet_stack_bytes ||
         remarks.refuse("its private arrays are too large");
}

struct FormKind {
  unsigned lanes, dimension;
  bool is_remainder, only_if_faster, has_interior;
};

// Makes `function` a packet form, which has its control flow in a form that the passes want.
bool packetize_all(llvm::Function& function, const LaneIds& ids, unsigned lanes,
                   const Target& target, PartRemarks& remarks) {
  const auto find = [&](llvm::Function& scalar, unsigned count) {
    return find_vector_function(scalar, count, target);
  };
  const llvm::TargetTransformInfo costs = target.machine().getTargetTransformInfo(function);
  if (!packetize(function, ids, lanes, find, &costs, remarks)) return false;
  if (function.getInstructionCount() > tuning().region_instructions)
    return remarks.refuse("its packet form is too large");
  if (llvm::verifyFunction(function))
    return remarks.refuse("internal error: the packet form is broken");
  return true;
}

// Of what packets call: lane 0 is the number 0.
bool make_packet_function(llvm::Function& function, unsigned lanes, const Target& target,
                          Simplifier& simplifier, PartRemarks& remarks) {
  const auto lane_ids = [&] {
    return LaneIds{
        .consecutive = {function.getArg(0)}, .aligned = {}, .small = {function.getArg(0)}};
  };
  const bool has_coordinates = uses_images(function);
  if (!inline_everything(function, remarks)) return false;
  answer_packet_questions(function, target);
  if (has_coordinates) simplifier.scalarize(function);
  simplifier.run(function);
  return canonicalize(function, lane_ids(), remarks) && linearize(function, lane_ids(), remarks) &&
         packetize_all(function, lane_ids(), lanes, target, remarks);
}

bool make_packet_functions(llvm::Module& module, unsigned lanes, const Target& target,
                           Simplifier& simplifier, PartRemarks& remarks) {
  bool is_done = true;
  for (llvm::Function* function : new_packet_functions(module)) {
    PartRemarks reasons;
    const bool is_one = make_packet_function(*function, lanes, target, simplifier, reasons);
    finish_packet_function(*function, is_one);
    if (!is_one) is_done = remarks.refuse(reasons.why_not);
  }
  return is_done;
}

bool make_packet_form(llvm::Function& function, const FormKind& kind, const Target& target,
                      Simplifier& simplifier, PartRemarks& remarks) {
  const auto lane_ids = [&] { return lane_ids_along(function, kind.dimension); };
  if (!kind.is_remainder && kind.has_interior && tuning().interior_packets)
    add_interior_version(function, lane_ids());
  if (!canonicalize(function, lane_ids(), remarks)) return false;
  LaneIds ids = lane_ids();
  const llvm::TargetTransformInfo costs = target.machine().getTargetTransformInfo(function);
  if (kind.is_remainder) {
    ids.active = emit_active(function, kind.dimension);
  } else {
    if (tuning().whole_packets) add_whole_packet_versions(function, ids);
    if (tuning().mixed_packets) outline_mixed_packets(function, kind.lanes, costs);
  }
  if (!linearize(function, ids, remarks)) return false;
  if (tuning().narrow_integers && kind.lanes * 32 > target.model().vector_bits)
    narrow_integers(function, lane_ids());
  if (kind.only_if_faster && tuning().scalar_if_faster &&
      gain_of_packets(function, lane_ids(), kind.lanes, costs) < tuning().packet_gain)
    return remarks.refuse(
        "packets would not be faster: accesses to scattered places take most of the "
        "time, or its inner loops have vectors of their own");
  return packetize_all(function, lane_ids(), kind.lanes, target, remarks) &&
         make_packet_functions(*function.getParent(), kind.lanes, target, simplifier, remarks);
}

llvm::Function* clone(llvm::Function& function, const llvm::Twine& name) {
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(&function, map);
  copy->setName(name);
  return copy;
}

LaneIds row_ids_of(llvm::Function& function, const FormKind& kind) {
  return lane_ids_along(function, dimensions_from(kind.dimension)[1]);
}

// The form for so many rows at once of a function that is prepared; null where it is no better.
llvm::Function* make_tall_form(llvm::Function& packet, const FormKind& kind, unsigned rows,
                               bool is_better, const Target& target, Simplifier& simplifier) {
  llvm::Function* tall = clone(packet, packet.getName() + "." + llvm::Twine(rows));
  const auto lane_ids = [&] { return lane_ids_along(*tall, kind.dimension); };
  const double loads = count_loads_in_loops(*tall, lane_ids());
  jam_rows(*tall, row_ids_of(*tall, kind), rows);
  simplifier.run(*tall);
  is_better |= count_loads_in_loops(*tall, lane_ids()) < tuning().jammed_loads * rows * loads;
  PartRemarks no_remarks;
  if (is_better && make_packet_form(*tall, kind, target, simplifier, no_remarks)) return tall;
  tall->eraseFromParent();
  return nullptr;
}

// Those that groups of `height` rows, or of any number, are run with, where that is an improvement.
std::vector<TallForm> make_tall_forms(llvm::Function& packet, const FormKind& kind, uint64_t height,
                                      const Target& target, Simplifier& simplifier) {
  std::vector<TallForm> forms;
  llvm::Function* linear = clone(packet, packet.getName() + ".rows");
  calculate_linear_ids(*linear);
  const LaneIds row_ids = row_ids_of(*linear, kind);
  const unsigned registers = std::max(1u, kind.lanes * 32 / target.model().vector_bits);
  const unsigned most = rows_at_once(*linear, row_ids, registers);
  const AccessesAcross across =
      most == 1 ? AccessesAcross()
                : find_accesses_across(*linear, lane_ids_along(*linear, kind.dimension), row_ids);
  for (unsigned rows : {across.rows_of_line, most}) {
    const bool fits = height == 0 || rows <= height;
    if (rows <= 1 || !fits || (!forms.empty() && rows >= forms.back().rows)) continue;
    llvm::Function* form = make_tall_form(*linear, kind, rows, across.any, target, simplifier);
    if (!form) continue;
    forms.push_back({form, rows});
    if (height != 0 && (height %= rows) == 0) break;
  }
  linear->eraseFromParent();
  return forms;
}

}  // namespace

bool vectorize_region(Region& region, unsigned lanes, PacketForms forms, const Target& target,
                      Simplifier& simplifier, PartRemarks& remarks) {
  if (region.function->getInstructionCount() > tuning().region_instructions)
    return remarks.refuse("it is too large");
  const std::string name =
      (region.function->getName() + "." + llvm::Twine("xyz"[forms.dimension]) + llvm::Twine(lanes))
          .str();
  llvm::Function* packet = clone(*region.function, name);
  llvm::Function* remainder = nullptr;
  fix_sub_group_sizes(*packet, {lanes, lanes, region.has_required_lanes});
  if (forms.dimension != 0) calculate_linear_ids(*packet);
  // Code for images of all formats is too much to have it twice, and is not for long in use.
  const bool has_interior = !uses_images(*region.function) || knows_image_formats(*region.function);
  FormKind kind{lanes, forms.dimension, true, forms.only_if_faster, has_interior};
  bool is_done = prepare(*packet, lanes, target, simplifier, remarks);
  if (is_done && tuning().unconditional_stores)
    make_stores_unconditional(*packet, lane_ids_along(*packet, forms.dimension),
                              kLocalAddressSpace);
  if (is_done && forms.remainder) {
    remainder = clone(*packet, name + ".rest");
    is_done = make_packet_form(*remainder, kind, target, simplifier, remarks);
  }
  kind.is_remainder = false;
  std::vector<TallForm> tall;
  if (is_done && forms.tall && tuning().row_jam)
    tall = make_tall_forms(*packet, kind, forms.rows, target, simplifier);
  if (is_done && forms.packet)
    is_done = make_packet_form(*packet, kind, target, simplifier, remarks);
  if (!is_done || !forms.packet) {
    packet->eraseFromParent();
    packet = nullptr;
  }
  if (!is_done) {
    if (remainder) remainder->eraseFromParent();
    for (const TallForm& form : tall) form.function->eraseFromParent();
    return false;
  }
  region.packet = packet;
  region.remainder = remainder;
  remarks.rows = tall.empty() ? 1 : tall.front().rows;
  region.tall = std::move(tall);
  region.lanes = remarks.lanes = lanes;
  region.dimension = remarks.dimension = forms.dimension;
  return true;
}

}  // namespace conclave::compiler
