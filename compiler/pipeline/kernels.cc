// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/kernels.h"

#include <utility>

#include "compiler/base/guarded_passes.h"
#include "compiler/base/program.h"
#include "compiler/base/tuning.h"
#include "compiler/binary/metadata.h"
#include "compiler/check/check_regions.h"
#include "compiler/check/prepare_checks.h"
#include "compiler/native/native_calls.h"
#include "compiler/pipeline/middle_end_analyses.h"
#include "compiler/pipeline/program_passes.h"
#include "compiler/pipeline/vectorize_kernels.h"
#include "compiler/workgroup/alias_scopes.h"
#include "compiler/workgroup/builtins_link.h"
#include "compiler/workgroup/constant_powers.h"
#include "compiler/workgroup/flatten_address_spaces.h"
#include "compiler/workgroup/form_regions.h"
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
#include "compiler/workgroup/sum_arguments.h"
#include "compiler/workgroup/work_group_function.h"
#include "compiler/workgroup/work_item_functions.h"
#include "compiler/workgroup/zero_private_memory.h"
#include "compiler/x86/byte_products.h"
#include "compiler/x86/cpu_questions.h"

namespace conclave::compiler {
namespace {

// Leaves `infos` the one kernel that is wanted, and fixes the size of its work-groups if that is.
void specialize(std::vector<KernelInfo>& infos, const Specialization& wanted) {
  std::erase_if(infos, [&](const KernelInfo& info) { return info.name != wanted.kernel; });
  if (infos.empty())
    throw OptionError(std::string("error: option '-cl-conclave-") +
                      (wanted.local_size[0]           ? "local-size"
                       : wanted.image_formats.empty() ? "kernel"
                                                      : "image-formats") +
                      "': the program has no kernel '" + wanted.kernel + "'");
  if (wanted.local_size[0] == 0) return;
  infos[0].required_local_size = wanted.local_size;
  infos[0].uniform_work_groups = true;
}

unsigned instructions_of(const RegionedKernel& kernel) {
  unsigned count = 0;
  for (const Region& region : kernel.regions) count += region.function->getInstructionCount();
  return count;
}

// The whole middle end, phase by phase.
class MiddleEnd {
 public:
  MiddleEnd(const Options& options, const Target& target, const NativeCode& native)
      : options_(options), target_(target), native_(native) {}

  // Everything that must happen to a kernel while it still describes one work-item.
  GuardedPasses preparation() const {
    GuardedPasses passes;
    if (options_.zero_private_memory) passes.add(ZeroPrivateMemory());
    passes.add(CheckTypes());
    passes.add(LowerStreams());
    passes.add(LowerImages());
    passes.add(PrepareModule());
    if (options_.specialization) passes.add(EraseOtherKernels());
    passes.add(LinkEarlyBuiltins());
    passes.add(GuardDivisions());
    passes.add(InlineWorkItemCode());
    if (options_.check) passes.add(PrepareChecks(options_.optimize));
    passes.add_for_functions(LowerStructArguments());
    passes.add(ApplyLocalSize());
    if (options_.specialization)
      passes.add(NoteImageFormats(options_.specialization->image_formats));
    return passes;
  }

  GuardedPasses simplification() const {
    GuardedPasses passes;
    if (options_.optimize) passes.add_for_functions(Simplify(), ConstantPowers());
    if (options_.optimize && tuning().pair_sines) passes.add_for_functions(PairSines());
    // Checks tell lines, and look at private memory as the program wrote it.
    if (options_.optimize && !options_.check && tuning().merge_stores)
      passes.add_for_functions(MergeStores());
    if (options_.optimize && !options_.check && tuning().promote_private_memory)
      passes.add(PromotePrivateMemory());
    if (options_.optimize && options_.specialization && tuning().unroll_barrier_loops)
      passes.add_for_functions(UnrollAndSimplify());
    if (options_.specialization) passes.add(CheckSharesNoVariables());
    return passes;
  }

  // Kernels are cut at their barriers.
  GuardedPasses regions() const {
    GuardedPasses passes;
    passes.add(FormRegions(/*has_lines=*/options_.check));
    if (options_.check) {
      passes.add(MakeModels());
      passes.add(CheckRegions());
    }
    passes.add(LowerLocalVariables());
    passes.add(AddAliasScopes());
    passes.add_for_functions(LowerPrintf(), LowerWorkItemFunctions());
    return passes;
  }

  GuardedPasses builtins() const {
    GuardedPasses passes;
    passes.add(LinkLateBuiltins());
    passes.add(AnswerCpuQuestions(target_));
    return passes;
  }

  GuardedPasses packets(std::vector<KernelRemarks>& remarks) const {
    GuardedPasses passes;
    passes.add(VectorizeKernels(options_, target_, remarks));
    if (tuning().streaming_stores) passes.add(StreamStores(target_.model()));
    passes.add(AnswerScalarQuestions());
    passes.add(LowerByteProducts());
    passes.add(LowerSums());
    return passes;
  }

  GuardedPasses work_groups() const {
    GuardedPasses passes;
    passes.add(EmitWorkGroupFunctions(options_.denorms_are_zero));
    passes.add(EraseUnusedVariables());
    passes.add(LowerLocalAtomics());
    passes.add(CheckResolved([this](llvm::StringRef name) { return native_.defines(name); }));
    passes.add(CheckPrivateMemory());
    passes.add(FlattenAddressSpaces());
    return passes;
  }

 private:
  const Options& options_;
  const Target& target_;
  const NativeCode& native_;
};

}  // namespace

std::vector<KernelInfo> describe_kernels(llvm::Module& module) {
  Program program;
  MiddleEndAnalyses analyses(module, program);
  llvm::PassBuilder builder(nullptr, {}, {}, analyses.instrumentation());
  analyses.add_all(builder);
  GuardedPasses passes;
  passes.add(TakeAnnotations());
  passes.add(DescribeKernels());
  passes.run(module, analyses.module);
  return std::move(program.infos);
}

LowerKernels::LowerKernels(llvm::Module& module, const Options& options, const Target& target,
                           const NativeCode& native, BeginPhase begin_phase)
    : module_(module),
      options_(options),
      target_(target),
      native_(native),
      begin_phase_(std::move(begin_phase)) {}

LowerKernels::~LowerKernels() = default;

void LowerKernels::run(const char* phase, GuardedPasses passes) {
  begin_phase_(phase);
  passes.run(module_, analyses_->module);
}

const Program& LowerKernels::cut() {
  program_.infos = describe_kernels(module_);
  if (options_.specialization) specialize(program_.infos, *options_.specialization);
  analyses_ = std::make_unique<MiddleEndAnalyses>(module_, program_, &target_);
  builder_ = std::make_unique<llvm::PassBuilder>(nullptr, llvm::PipelineTuningOptions{},
                                                 std::nullopt, analyses_->instrumentation());
  analyses_->add_all(*builder_);

  const auto is_native = [&](llvm::StringRef name) { return native_.defines(name); };
  GuardedPasses native_calls;
  native_calls.add(LowerNativeCalls(is_native));
  native_calls.run(module_, analyses_->module);
  for (KernelInfo& info : program_.infos)
    info.calls_native = calls_native(*module_.getFunction(info.name), native_);

  const MiddleEnd passes(options_, target_, native_);
  run("prepare", passes.preparation());
  run("simplify", passes.simplification());
  run("regions", passes.regions());
  run("builtins", passes.builtins());
  return program_;
}

void LowerKernels::keep_only(llvm::ArrayRef<size_t> kernels) {
  Program kept;
  unsigned code = 0, kept_code = 0;
  for (size_t i = 0; i < program_.kernels.size(); ++i) {
    RegionedKernel& kernel = program_.kernels[i];
    const unsigned own_code = instructions_of(kernel);
    code += own_code;
    if (llvm::is_contained(kernels, i)) {
      kept_code += own_code;
      kept.infos.push_back(std::move(program_.infos[i]));
      kept.kernels.push_back(std::move(kernel));
      continue;
    }
    const auto erase = [&](llvm::Function& function) {
      analyses_->function.clear(function, function.getName());
      function.eraseFromParent();
    };
    for (const Region& region : kernel.regions) erase(*region.function);
    erase(*kernel.original);
  }
  kept.share = program_.share * kept_code / code;
  program_ = std::move(kept);
}

std::vector<KernelInfo> LowerKernels::finish(std::vector<KernelRemarks>& remarks) {
  const MiddleEnd passes(options_, target_, native_);
  run("vectorize", passes.packets(remarks));
  run("work-groups", passes.work_groups());
  return std::move(program_.infos);
}

}  // namespace conclave::compiler
