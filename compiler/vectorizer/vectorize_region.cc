// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/vectorize_region.h"

#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/item_loops.h"
#include "compiler/vectorizer/analysis/lane_dimension.h"
#include "compiler/vectorizer/analysis/lane_ids.h"
#include "compiler/vectorizer/emit/packet_functions.h"
#include "compiler/vectorizer/emit/packetize.h"
#include "compiler/vectorizer/form_passes.h"
#include "compiler/vectorizer/transform/canonicalize.h"
#include "compiler/vectorizer/transform/disjoint_arguments.h"
#include "compiler/vectorizer/transform/id_masks.h"
#include "compiler/vectorizer/transform/interior_packets.h"
#include "compiler/vectorizer/transform/linearize.h"
#include "compiler/vectorizer/transform/mixed_packets.h"
#include "compiler/vectorizer/transform/narrow_integers.h"
#include "compiler/vectorizer/transform/promote_from_loops.h"
#include "compiler/vectorizer/transform/row_jam.h"
#include "compiler/vectorizer/transform/row_walks.h"
#include "compiler/vectorizer/transform/unconditional_stores.h"
#include "compiler/vectorizer/transform/whole_packets.h"
#include "compiler/workgroup/known_image_formats.h"
#include "compiler/workgroup/lower_images.h"
#include "compiler/workgroup/simplify.h"
#include "compiler/workgroup/sub_groups.h"
#include "compiler/x86/cpu_questions.h"
#include "compiler/x86/vector_math.h"

namespace conclave::compiler {
namespace {

struct FormKind {
  unsigned lanes, dimension;
  bool is_remainder, only_if_faster, has_interior;
};

using llvm::FunctionAnalysisManager;
using llvm::FunctionPassManager;

// Makes the passes for one kind of CPU.
class PassMaker {
 public:
  explicit PassMaker(const Target& target)
      : target_(target), costs_(target.machine().getTargetIRAnalysis()) {}

  // Prepares a region that is to have packet forms.
  FunctionPassManager preparation(unsigned lanes, const PacketForms& forms,
                                  bool has_coordinates) const {
    FunctionPassManager passes;
    passes.addPass(InlineCalls(/*keeps=*/true));
    add_simplification(passes, has_coordinates);
    if (forms.whole_kernel && forms.only_if_faster) passes.addPass(RefuseEqualWork());
    if (tuning().disjoint_arguments) passes.addPass(AddDisjointVersions(lanes));
    if (tuning().promote_from_loops) add_promotion(passes);
    passes.addPass(EraseIdMasks());
    passes.addPass(RefuseLargeArrays(lanes));
    if (tuning().item_loops) {
      passes.addPass(UnlessRefused(llvm::LoopSimplifyPass()));
      passes.addPass(NoteItemLoops(costs_));
    }
    if (tuning().unconditional_stores) passes.addPass(MakeStoresUnconditional(lanes));
    return passes;
  }

  FunctionPassManager packet_form(const FormKind& kind) const {
    FunctionPassManager passes;
    if (!kind.is_remainder && tuning().row_walks) {
      passes.addPass(AddAliasChecks(kind.lanes));
      add_promotion(passes);
      passes.addPass(LoadRowWalks(kind.lanes));
      passes.addPass(UnlessRefused(Simplify()));
    }
    if (!kind.is_remainder && kind.has_interior && tuning().interior_packets)
      passes.addPass(AddInteriorVersion());
    passes.addPass(Canonicalize());
    if (kind.is_remainder) {
      passes.addPass(MarkActiveLanes());
    } else {
      if (tuning().whole_packets) passes.addPass(AddWholePacketVersions());
      if (tuning().mixed_packets) passes.addPass(OutlineMixedPackets(kind.lanes, costs_));
    }
    passes.addPass(Linearize());
    if (tuning().narrow_integers && kind.lanes * 32 > target_.model().vector_bits)
      passes.addPass(NarrowIntegers());
    if (kind.only_if_faster && tuning().scalar_if_faster)
      passes.addPass(RefuseSlowPackets(kind.lanes));
    add_packets(passes, kind.lanes);
    return passes;
  }

  FunctionPassManager rows(unsigned count) const {
    FunctionPassManager passes;
    passes.addPass(JamRows(count));
    passes.addPass(UnlessRefused(Simplify()));
    return passes;
  }

  // Makes packet forms of the functions that packets call.
  FunctionPassManager packet_function(unsigned lanes, bool has_coordinates) const {
    FunctionPassManager passes;
    passes.addPass(InlineCalls(/*keeps=*/false));
    add_simplification(passes, has_coordinates);
    passes.addPass(Canonicalize());
    passes.addPass(Linearize());
    add_packets(passes, lanes);
    return passes;
  }

 private:
  // Coordinates are vectors, and only their x goes along the lanes.
  void add_simplification(FunctionPassManager& passes, bool has_coordinates) const {
    passes.addPass(UnlessRefused(AnswerPacketQuestions(target_)));
    if (has_coordinates) passes.addPass(UnlessRefused(llvm::ScalarizerPass()));
    passes.addPass(UnlessRefused(Simplify()));
  }

  static void add_promotion(FunctionPassManager& passes) {
    FunctionPassManager promotion;
    promotion.addPass(llvm::createFunctionToLoopPassAdaptor(PromoteFromLoops(),
                                                            /*UseMemorySSA=*/true));
    promotion.addPass(Simplify());
    passes.addPass(UnlessRefused(std::move(promotion)));
  }

  void add_packets(FunctionPassManager& passes, unsigned lanes) const {
    const auto find = [this](llvm::Function& scalar, unsigned count) {
      return find_vector_function(scalar, count, target_);
    };
    passes.addPass(Packetize({.lanes = lanes, .find = find, .costs = costs_}));
  }

  const Target& target_;
  llvm::TargetIRAnalysis costs_;
};

// Whether packets are as they have to be.
bool check_packets(const llvm::Function& function, PartRemarks& remarks) {
  if (function.getInstructionCount() > tuning().region_instructions)
    return remarks.refuse("its packet form is too large");
  return !llvm::verifyFunction(function) ||
         remarks.refuse("internal error: the packet form is broken");
}

// False where a pass has refused the function; `remarks` say why.
bool run(llvm::Function& function, FunctionAnalysisManager& analyses, FunctionPassManager passes,
         PartRemarks& remarks) {
  analyses.getResult<RemarksAnalysis>(function).remarks = &remarks;
  passes.run(function, analyses);
  analyses.clear(function, function.getName());
  return remarks.why_not.empty();
}

bool make_packet_function(llvm::Function& function, unsigned lanes, const PassMaker& maker,
                          FunctionAnalysisManager& analyses, PartRemarks& remarks) {
  // Lane 0 is the number 0.
  llvm::LLVMContext& context = function.getContext();
  function.addFnAttr(kLanesAttribute);
  function.addParamAttr(0, llvm::Attribute::get(context, kLaneAttribute));
  return run(function, analyses, maker.packet_function(lanes, uses_images(function)), remarks) &&
         check_packets(function, remarks);
}

bool make_packet_functions(const llvm::Function& packet, unsigned lanes, const PassMaker& maker,
                           FunctionAnalysisManager& analyses, PartRemarks& remarks) {
  bool is_done = true;
  for (llvm::Function* function : new_packet_functions(packet)) {
    PartRemarks reasons;
    const bool is_one = make_packet_function(*function, lanes, maker, analyses, reasons);
    finish_packet_function(*function, is_one);
    if (!is_one) is_done = remarks.refuse(reasons.why_not);
  }
  return is_done;
}

bool make_packet_form(llvm::Function& function, const FormKind& kind, const PassMaker& maker,
                      FunctionAnalysisManager& analyses, PartRemarks& remarks) {
  return run(function, analyses, maker.packet_form(kind), remarks) &&
         check_packets(function, remarks) &&
         make_packet_functions(function, kind.lanes, maker, analyses, remarks);
}

llvm::Function* clone(llvm::Function& function, const llvm::Twine& name) {
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(&function, map);
  copy->setName(name);
  return copy;
}

void erase(llvm::Function& function, FunctionAnalysisManager& analyses) {
  analyses.clear(function, function.getName());
  function.eraseFromParent();
}

// The form for so many rows at once of a function that is prepared; null where it is no better.
llvm::Function* make_tall_form(llvm::Function& packet, const FormKind& kind, unsigned rows,
                               bool is_better, const PassMaker& maker,
                               FunctionAnalysisManager& analyses) {
  llvm::Function* tall = clone(packet, packet.getName() + "." + llvm::Twine(rows));
  const double loads = count_loads_in_loops(*tall, analyses);
  PartRemarks no_remarks;
  if (run(*tall, analyses, maker.rows(rows), no_remarks)) {
    is_better |= count_loads_in_loops(*tall, analyses) < rows * loads;
    if (is_better && make_packet_form(*tall, kind, maker, analyses, no_remarks)) return tall;
  }
  erase(*tall, analyses);
  return nullptr;
}

// Returns the forms that groups of `height` rows are run with, or of any number of rows if that is
// 0, where such forms are an improvement.
std::vector<TallForm> make_tall_forms(llvm::Function& packet, const FormKind& kind, uint64_t height,
                                      const Target& target, const PassMaker& maker,
                                      FunctionAnalysisManager& analyses) {
  std::vector<TallForm> forms;
  llvm::Function* linear = clone(packet, packet.getName() + ".rows");
  calculate_linear_ids(*linear);
  const unsigned registers = std::max(1u, kind.lanes * 32 / target.model().vector_bits);
  const unsigned most = rows_at_once(*linear, analyses, registers);
  const AccessesAcross across =
      most == 1 ? AccessesAcross() : find_accesses_across(*linear, analyses);
  for (unsigned rows : {across.rows_of_line, most}) {
    const bool fits = height == 0 || rows <= height;
    if (rows <= 1 || !fits || (!forms.empty() && rows >= forms.back().rows)) continue;
    llvm::Function* form = make_tall_form(*linear, kind, rows, across.any, maker, analyses);
    if (!form) continue;
    forms.push_back({form, rows});
    if (height != 0 && (height %= rows) == 0) break;
  }
  erase(*linear, analyses);
  return forms;
}

}  // namespace

bool vectorize_region(Region& region, unsigned lanes, PacketForms forms, const Target& target,
                      llvm::FunctionAnalysisManager& analyses, PartRemarks& remarks) {
  if (region.function->getInstructionCount() > tuning().region_instructions)
    return remarks.refuse("it is too large");
  const std::string name =
      (region.function->getName() + "." + llvm::Twine("xyz"[forms.dimension]) + llvm::Twine(lanes))
          .str();
  llvm::Function* packet = clone(*region.function, name);
  llvm::Function* remainder = nullptr;
  packet->addFnAttr(kLanesAttribute, std::to_string(forms.dimension));
  FixSubGroupSizes({lanes, lanes, region.has_required_lanes}).run(*packet, analyses);
  if (forms.dimension != 0) calculate_linear_ids(*packet);
  // Code for images of all formats is too much to have it twice, and is not for long in use.
  const bool has_interior = !uses_images(*region.function) || knows_image_formats(*region.function);
  FormKind kind{lanes, forms.dimension, true, forms.only_if_faster, has_interior};
  const PassMaker maker(target);
  bool is_done =
      run(*packet, analyses, maker.preparation(lanes, forms, uses_images(*packet)), remarks);
  if (is_done && forms.remainder) {
    remainder = clone(*packet, name + ".rest");
    is_done = make_packet_form(*remainder, kind, maker, analyses, remarks);
  }
  kind.is_remainder = false;
  std::vector<TallForm> tall;
  if (is_done && forms.tall && tuning().row_jam)
    tall = make_tall_forms(*packet, kind, forms.rows, target, maker, analyses);
  if (is_done && forms.packet) is_done = make_packet_form(*packet, kind, maker, analyses, remarks);
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
  if (remainder && !region.has_sub_groups)
    region.remainder_from =
        static_cast<unsigned>(remainder->getFnAttributeAsParsedInteger(kLeastLanesAttribute, 1));
  remarks.rows = tall.empty() ? 1 : tall.front().rows;
  region.tall = std::move(tall);
  region.lanes = remarks.lanes = lanes;
  region.dimension = remarks.dimension = forms.dimension;
  return true;
}

}  // namespace conclave::compiler
