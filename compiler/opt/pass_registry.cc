// SPDX-License-Identifier: Apache-2.0
#include "compiler/opt/pass_registry.h"

#include <llvm/ADT/StringExtras.h>

#include "compiler/base/error.h"
#include "compiler/base/guarded_passes.h"
#include "compiler/base/target_model.h"
#include "compiler/check/check_regions.h"
#include "compiler/check/prepare_checks.h"
#include "compiler/codegen/freeze_wrapping_indices.h"
#include "compiler/codegen/kept_calls.h"
#include "compiler/codegen/limited_passes.h"
#include "compiler/codegen/order_chains.h"
#include "compiler/codegen/ordered_iterations.h"
#include "compiler/native/native_calls.h"
#include "compiler/pipeline/program_passes.h"
#include "compiler/pipeline/vectorize_kernels.h"
#include "compiler/vectorizer/analysis/item_loops.h"
#include "compiler/vectorizer/analysis/lane_count.h"
#include "compiler/vectorizer/analysis/lane_dimension.h"
#include "compiler/vectorizer/analysis/lane_ids.h"
#include "compiler/vectorizer/analysis/lane_masks.h"
#include "compiler/vectorizer/analysis/packet_cost.h"
#include "compiler/vectorizer/analysis/print_analyses.h"
#include "compiler/vectorizer/analysis/remarks.h"
#include "compiler/vectorizer/analysis/shapes.h"
#include "compiler/vectorizer/analysis/uniformity.h"
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
#include "compiler/workgroup/alias_scopes.h"
#include "compiler/workgroup/builtins_link.h"
#include "compiler/workgroup/constant_powers.h"
#include "compiler/workgroup/flatten_address_spaces.h"
#include "compiler/workgroup/form_regions.h"
#include "compiler/workgroup/group_uniformity.h"
#include "compiler/workgroup/guard_division.h"
#include "compiler/workgroup/inline_work_item_code.h"
#include "compiler/workgroup/known_image_formats.h"
#include "compiler/workgroup/known_local_size.h"
#include "compiler/workgroup/local_memory.h"
#include "compiler/workgroup/lower_images.h"
#include "compiler/workgroup/lower_local_atomics.h"
#include "compiler/workgroup/lower_printf.h"
#include "compiler/workgroup/lower_streams.h"
#include "compiler/workgroup/merge_stores.h"
#include "compiler/workgroup/pair_sines.h"
#include "compiler/workgroup/prepare_module.h"
#include "compiler/workgroup/promote_private_memory.h"
#include "compiler/workgroup/simplify.h"
#include "compiler/workgroup/streaming_stores.h"
#include "compiler/workgroup/struct_arguments.h"
#include "compiler/workgroup/sub_groups.h"
#include "compiler/workgroup/sum_arguments.h"
#include "compiler/workgroup/unroll_barrier_loops.h"
#include "compiler/workgroup/work_group_function.h"
#include "compiler/workgroup/work_item_functions.h"
#include "compiler/workgroup/zero_private_memory.h"
#include "compiler/x86/aligned_spills.h"
#include "compiler/x86/bit_counts.h"
#include "compiler/x86/byte_products.h"
#include "compiler/x86/cpu_questions.h"
#include "compiler/x86/lane_addresses.h"
#include "compiler/x86/lower_half.h"
#include "compiler/x86/reloaded_splats.h"
#include "compiler/x86/shared_comparisons.h"
#include "compiler/x86/vector_math.h"
#include "compiler/x86/wide_masks.h"
#include "conclave/image_formats.h"

namespace conclave::compiler {
namespace {

using Pipeline = llvm::ArrayRef<llvm::PassBuilder::PipelineElement>;

llvm::Function* find_by_name(llvm::Function& scalar, unsigned lanes) {
  return scalar.getParent()->getFunction((scalar.getName() + ".v" + llvm::Twine(lanes)).str());
}

// Adds the pass that the text names, if it is one of this kind.
bool add_pass(llvm::StringRef text, llvm::ModulePassManager& passes, PassContext& context) {
  const PassParameters parameters(text);
  const Target& target = context.target;
#define MODULE_PASS(NAME, TYPE, ...)                             \
  if (parameters.name() == NAME) {                               \
    passes.addPass(Guarded<TYPE>((__VA_ARGS__), context.error)); \
    return true;                                                 \
  }
#include "compiler/passes.def"
  return false;
}

bool add_pass(llvm::StringRef text, llvm::FunctionPassManager& passes, PassContext& context) {
  const PassParameters parameters(text);
  const Target& target = context.target;
  const llvm::TargetIRAnalysis costs = target.machine().getTargetIRAnalysis();
#define FUNCTION_PASS(NAME, TYPE, ...)                           \
  if (parameters.name() == NAME) {                               \
    passes.addPass(Guarded<TYPE>((__VA_ARGS__), context.error)); \
    return true;                                                 \
  }
#define FUNCTION_ANALYSIS(NAME, TYPE, ...)                             \
  if (text == "require<" NAME ">") {                                   \
    passes.addPass(llvm::RequireAnalysisPass<TYPE, llvm::Function>()); \
    return true;                                                       \
  }                                                                    \
  if (text == "invalidate<" NAME ">") {                                \
    passes.addPass(llvm::InvalidateAnalysisPass<TYPE>());              \
    return true;                                                       \
  }
#include "compiler/passes.def"
  return false;
}

bool add_pass(llvm::StringRef text, llvm::LoopPassManager& passes, PassContext&) {
#define LOOP_PASS(NAME, TYPE, ...) \
  if (text == NAME) {              \
    passes.addPass((__VA_ARGS__)); \
    return true;                   \
  }
#include "compiler/passes.def"
  return false;
}

// Lets the builder call add_pass(). An exception of add_pass() is kept, because LLVM's code knows
// none.
template <typename PassManager>
void register_kind(llvm::PassBuilder& builder, PassContext& context) {
  builder.registerPipelineParsingCallback([&](llvm::StringRef text, PassManager& passes, Pipeline) {
    try {
      return add_pass(text, passes, context);
    } catch (const BuildError&) {
      *context.error = std::current_exception();
      return true;
    }
  });
}

}  // namespace

PassParameters::PassParameters(llvm::StringRef text) : name_(text) {
  const size_t begin = text.find('<', text.starts_with("print<") ? text.find('>') : 0);
  if (begin == llvm::StringRef::npos || !text.ends_with(">")) return;
  name_ = text.take_front(begin).str();
  const llvm::StringRef rest = text.drop_front(begin + 1).drop_back();
  llvm::SmallVector<llvm::StringRef> words;
  rest.split(words, ';', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) words_.push_back(word.str());
}

bool PassParameters::has(llvm::StringRef flag) const {
  return llvm::is_contained(words_, flag);
}

unsigned PassParameters::number(llvm::StringRef key) const {
  for (llvm::StringRef word : words_) {
    unsigned value = 0;
    if (word.consume_front(key) && word.consume_front("=") && !word.getAsInteger(10, value))
      return value;
  }
  throw BuildError("pass '" + name_ + "' needs a number: '" + name_ + "<" + key.str() + "=N>'");
}

std::function<bool(llvm::StringRef)> PassParameters::names() const {
  return [words = words_](llvm::StringRef name) { return llvm::is_contained(words, name); };
}

const Options& PassContext::options(const PassParameters& parameters) {
  Options& options = options_.emplace_back();
  options.width = parameters.number("width");
  options.check = parameters.has("check");
  options.first = parameters.has("first");
  return options;
}

PacketizeOptions PassContext::packetize_options(const PassParameters& parameters) const {
  PacketizeOptions options{.lanes = parameters.number("lanes"), .find = find_by_name};
  if (parameters.has("target")) options.costs = target.machine().getTargetIRAnalysis();
  if (parameters.has("plain")) options.costs.emplace();
  return options;
}

void register_passes(llvm::PassBuilder& builder, llvm::PassInstrumentationCallbacks& callbacks,
                     PassContext& context) {
#define PASS(NAME, TYPE, ...) callbacks.addClassToPassName(TYPE::name(), NAME);
#define MODULE_PASS PASS
#define FUNCTION_PASS PASS
#define LOOP_PASS PASS
#include "compiler/passes.def"
#undef PASS
  register_kind<llvm::ModulePassManager>(builder, context);
  register_kind<llvm::FunctionPassManager>(builder, context);
  register_kind<llvm::LoopPassManager>(builder, context);
}

}  // namespace conclave::compiler
