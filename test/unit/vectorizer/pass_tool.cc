// SPDX-License-Identifier: Apache-2.0
// Runs passes of the vectorizer on a file of LLVM IR, for tests:
//
//   conclave_pass_tool canonicalize whole-packets linearize packetize=8 file.ll
//
// They are applied to every function with the attribute "conclave.region", but for lower-images
// and lower-half, passes of the compiler that are applied to the module (lower-half-plain: for a
// CPU without conversions). For stream-stores a function is the packet form of the only region, and
// its first parameter the launch. A region's parameters named lane.* are LaneIds::consecutive
// (lane.aligned.* LaneIds::aligned too), and those and small.* LaneIds::small; an instruction
// %active is LaneIds::active. Rows are numbered by the parameters named row.*. The vector form of
// @f for 8 lanes, if there is one, is @f.v8. The module is printed to standard output; why a pass
// refuses a function to standard error, which is no failure; IR that is not valid is.
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <string>
#include <vector>

#include "compiler/passes/lower_half.h"
#include "compiler/passes/lower_images.h"
#include "compiler/passes/streaming_stores.h"
#include "compiler/vectorizer/bit_counts.h"
#include "compiler/vectorizer/byte_masks.h"
#include "compiler/vectorizer/canonicalize.h"
#include "compiler/vectorizer/interior_packets.h"
#include "compiler/vectorizer/lane_addresses.h"
#include "compiler/vectorizer/linearize.h"
#include "compiler/vectorizer/narrow_integers.h"
#include "compiler/vectorizer/packetize.h"
#include "compiler/vectorizer/row_jam.h"
#include "compiler/vectorizer/unconditional_stores.h"
#include "compiler/vectorizer/uniformity.h"
#include "compiler/vectorizer/whole_packets.h"
#include "compiler/vectorizer/wide_masks.h"

namespace {

using conclave::compiler::canonicalize;
using conclave::compiler::LaneIds;
using conclave::compiler::linearize;
using conclave::compiler::packetize;
using conclave::compiler::PartRemarks;
using conclave::compiler::Uniformity;
using llvm::StringRef;

LaneIds ids_of(llvm::Function& function, StringRef prefix = "lane.") {
  LaneIds ids;
  for (llvm::Argument& argument : function.args()) {
    bool consecutive = argument.getName().starts_with(prefix);
    if (consecutive) ids.consecutive.push_back(&argument);
    if (argument.getName().contains("aligned")) ids.aligned.push_back(&argument);
    if (consecutive || argument.getName().starts_with("small.")) ids.small.push_back(&argument);
  }
  for (llvm::Instruction& instruction : function.getEntryBlock())
    if (instruction.getName() == "active") ids.active = &instruction;
  return ids;
}

// A comment for each value and each branch.
bool print_uniformity(llvm::Function& function, const LaneIds& ids) {
  Uniformity uniformity(function, ids);
  auto print = [&](const llvm::Value& value, bool divergent) {
    llvm::outs() << (divergent ? "; divergent: " : "; uniform: ") << value << "\n";
  };
  llvm::outs() << "; uniformity of " << function.getName() << "\n";
  for (llvm::Argument& argument : function.args())
    print(argument, uniformity.is_divergent(argument));
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (instruction.isTerminator())
      print(instruction, uniformity.has_divergent_branch(*instruction.getParent()));
    else if (!instruction.getType()->isVoidTy())
      print(instruction, uniformity.is_divergent(instruction));
  }
  return true;
}

// The vector form of @f for 4 lanes is called @f.v4.
llvm::Function* find_vector_function(llvm::Function& scalar, unsigned lanes) {
  std::string name = (scalar.getName() + ".v" + llvm::Twine(lanes)).str();
  return scalar.getParent()->getFunction(name);
}

bool run_pass(StringRef pass, llvm::Function& function, PartRemarks& remarks) {
  auto [name, value] = pass.split('=');
  LaneIds ids = ids_of(function);
  if (name == "uniformity") return print_uniformity(function, ids);
  if (name == "canonicalize") return canonicalize(function, ids, remarks);
  if (name == "interior-packets") {
    conclave::compiler::add_interior_version(function, ids);
    return true;
  }
  if (name == "narrow-integers") {
    conclave::compiler::narrow_integers(function, ids);
    return true;
  }
  if (name == "whole-packets") {
    conclave::compiler::add_whole_packet_versions(function, ids);
    return true;
  }
  if (name == "unconditional-stores") {
    conclave::compiler::make_stores_unconditional(function, ids, 3);
    return true;
  }
  if (name == "wide-masks") {
    conclave::compiler::widen_lane_masks(function);
    return true;
  }
  if (name == "bit-counts") {
    conclave::compiler::count_bits_by_table(function);
    return true;
  }
  if (name == "byte-masks") {
    conclave::compiler::widen_byte_masks(function);
    return true;
  }
  if (name == "linearize") return linearize(function, ids, remarks);
  unsigned lanes = 0;
  if (name == "packetize" && !value.getAsInteger(10, lanes))
    return packetize(function, ids, lanes, find_vector_function, nullptr, remarks);
  if (name == "jam-rows" && !value.getAsInteger(10, lanes)) {
    const LaneIds rows = ids_of(function, "row.");
    if (conclave::compiler::rows_at_once(function, rows, 1) < lanes)
      return remarks.refuse("rows cannot run at once");
    conclave::compiler::jam_rows(function, rows, lanes);
    return true;
  }
  if (name == "stream-stores") {
    std::vector<conclave::compiler::Region> regions(1);
    regions[0].packet = &function;
    conclave::compiler::stream_stores(regions, conclave::compiler::TargetModel());
    return regions[0].streams || remarks.refuse("nothing streams");
  }
  if (name == "split-gathers") {
    conclave::compiler::split_gathers(function,
                                      llvm::TargetTransformInfo(function.getDataLayout()));
    return true;
  }
  // For a target that has no masked instructions.
  if (name == "packetize-plain" && !value.getAsInteger(10, lanes)) {
    const llvm::TargetTransformInfo plain(function.getDataLayout());
    return packetize(function, ids, lanes, find_vector_function, &plain, remarks);
  }
  return remarks.refuse("no such pass: " + pass.str());
}

void run_passes(llvm::ArrayRef<StringRef> passes, llvm::Function& function) {
  for (StringRef pass : passes) {
    PartRemarks remarks;
    if (run_pass(pass, function, remarks)) continue;
    llvm::errs() << "; " << function.getName() << ": " << remarks.why_not << "\n";
    return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    llvm::errs() << "usage: conclave_pass_tool pass... file.ll\n";
    return 1;
  }
  std::vector<StringRef> passes(argv + 1, argv + argc - 1);
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseIRFile(argv[argc - 1], error, context);
  if (!module) {
    error.print("conclave_pass_tool", llvm::errs());
    return 1;
  }
  if (llvm::is_contained(passes, "lower-images")) conclave::compiler::lower_images(*module);
  if (llvm::is_contained(passes, "lower-half"))
    conclave::compiler::lower_half(*module, /*has_conversions=*/true);
  if (llvm::is_contained(passes, "lower-half-plain"))
    conclave::compiler::lower_half(*module, /*has_conversions=*/false);
  std::vector<llvm::Function*> regions;
  for (llvm::Function& function : *module)
    if (function.hasFnAttribute("conclave.region")) regions.push_back(&function);
  for (llvm::Function* region : regions) run_passes(passes, *region);
  llvm::outs() << *module;
  return llvm::verifyModule(*module, &llvm::errs()) ? 1 : 0;
}
