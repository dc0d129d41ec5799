// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/form_regions.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>

#include "compiler/base/attributes.h"
#include "compiler/base/program.h"
#include "compiler/workgroup/barrier_cuts.h"
#include "compiler/workgroup/prepare_module.h"
#include "compiler/workgroup/rematerialize.h"
#include "compiler/workgroup/spill_slots.h"
#include "compiler/workgroup/split_vectors.h"
#include "compiler/workgroup/uniform_steps.h"
#include "compiler/workgroup/work_item_functions.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;

// Puts all allocas into an entry block of their own, which no region copies as such.
void isolate_allocas(llvm::Function& kernel) {
  BasicBlock& entry = kernel.getEntryBlock();
  std::vector<llvm::AllocaInst*> allocas;
  for (llvm::Instruction& instruction : llvm::instructions(kernel))
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      allocas.push_back(variable);
  entry.splitBasicBlock(entry.begin(), "body");
  for (llvm::AllocaInst* variable : allocas) variable->moveBefore(entry.getTerminator());
}

// Variable locations cannot follow values through spill slots; line numbers can and stay.
void drop_variable_debug_info(llvm::Function& kernel) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    instruction.dropDbgRecords();
    if (llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) instruction.eraseFromParent();
  }
}

void drop_lifetime_markers(llvm::Function& kernel) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel)))
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
      if (intrinsic->isLifetimeStartOrEnd()) intrinsic->eraseFromParent();
}

// The signature of region functions: hidden parameters, the kernel's, the region's inputs.
llvm::FunctionType* region_type(const llvm::Function& kernel, llvm::ArrayRef<UniformInput> inputs) {
  llvm::LLVMContext& context = kernel.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  std::vector<llvm::Type*> parameters(kKernelArguments, llvm::Type::getInt64Ty(context));
  for (unsigned hidden : {kLaunch, kLocalMemory, kSpill, kCheck}) parameters[hidden] = pointer;
  for (const llvm::Argument& argument : kernel.args()) parameters.push_back(argument.getType());
  for (const UniformInput& input : inputs) parameters.push_back(input.type);
  return llvm::FunctionType::get(llvm::Type::getInt32Ty(context), parameters, false);
}

llvm::AttributeSet parameter_attributes(const llvm::Argument& argument) {
  const llvm::Function& kernel = *argument.getParent();
  llvm::LLVMContext& context = kernel.getContext();
  llvm::AttrBuilder builder(context, kernel.getAttributes().getParamAttrs(argument.getArgNo()));
  // A structure is no copy on the stack but a part of the argument block.
  if (llvm::Type* type = argument.getParamByValType()) {
    builder.removeAttribute(llvm::Attribute::ByVal);
    builder.addAttribute(llvm::Attribute::NoAlias).addAttribute(llvm::Attribute::ReadOnly);
    builder.addDereferenceableAttr(kernel.getDataLayout().getTypeAllocSize(type));
  }
  return llvm::AttributeSet::get(context, builder);
}

// Carries the attributes of a kernel and its arguments to a region function. One list of all, as
// each change of it makes a new one.
void copy_attributes(llvm::Function& kernel, llvm::Function& region) {
  llvm::LLVMContext& context = kernel.getContext();
  llvm::AttrBuilder own(context);
  for (auto attribute : kernel.getAttributes().getFnAttrs())
    if (attribute.isStringAttribute()) own.addAttribute(attribute);
  own.addAttribute(kRegionAttribute);
  own.addAttribute(llvm::Attribute::AlwaysInline);
  own.addAttribute(llvm::Attribute::NoUnwind);
  llvm::AttrBuilder hidden(context);
  hidden.addAttribute(llvm::Attribute::NoUndef);
  std::vector<llvm::AttributeSet> parameters(kKernelArguments,
                                             llvm::AttributeSet::get(context, hidden));
  for (const llvm::Argument& argument : kernel.args())
    parameters.push_back(parameter_attributes(argument));
  region.setAttributes(
      llvm::AttributeList::get(context, llvm::AttributeSet::get(context, own), {}, parameters));
  region.addParamAttr(kLaunch, llvm::Attribute::NoAlias);
}

// Copies one region out of the kernel.
class RegionBuilder {
 public:
  RegionBuilder(llvm::Function& kernel, const BarrierCuts& cuts, const SpillLayout& layout,
                bool exits_have_lines)
      : kernel_(kernel),
        cuts_(cuts),
        exits_have_lines_(exits_have_lines),
        has_arrays_(
            !llvm::all_of(layout.slots, [](const SpillSlot& slot) { return slot.is_value; })) {
    for (const SpillSlot& slot : layout.slots) slots_[slot.variable] = &slot;
  }

  Region build(unsigned index) {
    Region region;
    BasicBlock* begin =
        index == 0 ? kernel_.getEntryBlock().getSingleSuccessor() : cuts_[index - 1].after;
    collect_blocks(begin);
    collect_variables();
    const std::vector<const SpillSlot*> slots = input_slots(index);
    for (const SpillSlot* slot : slots)
      region.inputs.push_back({slot->type, slot->offset, slot->alignment});
    function_ = llvm::Function::Create(
        region_type(kernel_, region.inputs), llvm::GlobalValue::InternalLinkage, 0,
        kernel_.getName() + ".region." + llvm::Twine(index), kernel_.getParent());
    copy_attributes(kernel_, *function_);
    // An array there may also be reached through a pointer that was itself spilled.
    if (!has_arrays_) function_->addParamAttr(kSpill, llvm::Attribute::NoAlias);
    map_.clear();
    keep_debug_scopes();
    inputs_.clear();
    for (size_t i = 0; i < slots.size(); ++i)
      inputs_[slots[i]] =
          function_->getArg(static_cast<unsigned>(kKernelArguments + kernel_.arg_size() + i));
    successors_.clear();
    values_.clear();
    BasicBlock* entry = BasicBlock::Create(kernel_.getContext(), "entry", function_);
    map_parameters();
    map_variables(*entry, index);
    copy_blocks();
    llvm::IRBuilder<>(entry).CreateBr(llvm::cast<BasicBlock>(map_[begin]));
    finish_exits();
    clean_up();
    region.function = function_;
    region.successors.assign(successors_.begin(), successors_.end());
    return region;
  }

 private:
  bool is_live_in(const SpillSlot& slot, unsigned index) const {
    return index > 0 && slot.crossings.test(index - 1);
  }

  std::vector<const SpillSlot*> input_slots(unsigned index) const {
    std::vector<const SpillSlot*> slots;
    for (const llvm::AllocaInst* variable : variables_)
      if (const SpillSlot* slot = slot_of(variable);
          slot && slot->is_uniform && is_live_in(*slot, index))
        slots.push_back(slot);
    return slots;
  }

  void collect_blocks(BasicBlock* begin) {
    blocks_.clear();
    blocks_.insert(begin);
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (cuts_.stopped_by(blocks_[i]) >= 0) continue;
      for (BasicBlock* next : llvm::successors(blocks_[i])) blocks_.insert(next);
    }
  }

  // The variables that the region uses, in the kernel's order. Another one that is kept in the spill
  // area stays there as it is.
  void collect_variables() {
    llvm::SmallPtrSet<const llvm::Value*, 16> used;
    for (const BasicBlock* block : blocks_)
      for (const llvm::Instruction& instruction : *block)
        for (const llvm::Value* operand : instruction.operands())
          if (llvm::isa<llvm::AllocaInst>(operand)) used.insert(operand);
    variables_.clear();
    for (const llvm::Value* variable : used)
      variables_.push_back(const_cast<llvm::AllocaInst*>(llvm::cast<llvm::AllocaInst>(variable)));
    llvm::sort(variables_, [](const llvm::AllocaInst* a, const llvm::AllocaInst* b) {
      return a->comesBefore(b);
    });
  }

  // Metadata is copied with the code, but the kernel stays one subprogram of one compile unit.
  void keep_debug_scopes() {
    if (llvm::DISubprogram* subprogram = kernel_.getSubprogram())
      map_.MD()[subprogram].reset(subprogram);
    for (llvm::DICompileUnit* unit : kernel_.getParent()->debug_compile_units())
      map_.MD()[unit].reset(unit);
  }

  void map_parameters() {
    for (llvm::Argument& argument : kernel_.args()) {
      llvm::Argument* parameter = function_->getArg(kKernelArguments + argument.getArgNo());
      parameter->setName(argument.getName());
      map_[&argument] = parameter;
    }
  }

  llvm::Value* slot_address(llvm::IRBuilder<>& builder, const SpillSlot& slot) {
    llvm::Value* array =
        builder.CreateMul(function_->getArg(kItems), builder.getInt64(slot.offset), "", true, true);
    llvm::Value* address =
        builder.CreateInBoundsGEP(builder.getInt8Ty(), function_->getArg(kSpill), array);
    if (slot.is_uniform) return address;
    llvm::Value* element =
        builder.CreateMul(function_->getArg(kItem), builder.getInt64(slot.size), "", true, true);
    return builder.CreateInBoundsGEP(builder.getInt8Ty(), address, element);
  }

  // Gives the region its own copy of each variable, or its place in the spill area.
  void map_variables(BasicBlock& entry, unsigned index) {
    llvm::IRBuilder<> builder(&entry);
    for (llvm::AllocaInst* variable : variables_) {
      const SpillSlot* slot = slot_of(variable);
      if (slot && !slot->is_value) {
        map_[variable] = slot_address(builder, *slot);
        continue;
      }
      auto* copy = llvm::cast<llvm::AllocaInst>(builder.Insert(variable->clone()));
      copy->setName(variable->getName());
      map_[variable] = copy;
      if (!slot) continue;
      values_.push_back(copy);
      if (is_live_in(*slot, index)) builder.CreateStore(value_at_begin(builder, *slot), copy);
    }
  }

  llvm::Value* value_at_begin(llvm::IRBuilder<>& builder, const SpillSlot& slot) {
    llvm::Value* value = inputs_.lookup(&slot);
    if (!value)
      value = builder.CreateAlignedLoad(slot.type, slot_address(builder, slot),
                                        llvm::Align(slot.alignment));
    return change_bits(builder, value, slot.variable->getAllocatedType());
  }

  // Between the type of a value and the type that it is kept as.
  static llvm::Value* change_bits(llvm::IRBuilder<>& builder, llvm::Value* value,
                                  llvm::Type* type) {
    return value->getType() == type ? value : builder.CreateZExtOrTrunc(value, type);
  }

  const SpillSlot* slot_of(const llvm::AllocaInst* variable) const {
    return slots_.lookup(variable);
  }

  void copy_blocks() {
    for (BasicBlock* block : blocks_)
      map_[block] = llvm::CloneBasicBlock(block, map_, "", function_);
    for (BasicBlock* block : blocks_) {
      auto* copy = llvm::cast<BasicBlock>(map_[block]);
      prune_phis(*copy);
      if (cuts_.stopped_by(block) >= 0) continue;  // gets another terminator
      for (llvm::Instruction& instruction : *copy)
        llvm::RemapInstruction(&instruction, map_, llvm::RF_IgnoreMissingLocals);
    }
  }

  // Takes out the edges from blocks that are not part of the region.
  void prune_phis(BasicBlock& copy) {
    for (llvm::PHINode& phi : llvm::make_early_inc_range(copy.phis()))
      phi.removeIncomingValueIf(
          [&](unsigned i) { return !blocks_.contains(phi.getIncomingBlock(i)); },
          /*DeletePHIIfEmpty=*/false);
  }

  void finish_exits() {
    for (BasicBlock* block : blocks_) {
      auto* copy = llvm::cast<BasicBlock>(map_[block]);
      int barrier = cuts_.stopped_by(block);
      const llvm::DebugLoc place =
          exits_have_lines_ ? copy->getTerminator()->getDebugLoc() : llvm::DebugLoc();
      if (barrier >= 0) {
        copy->getTerminator()->eraseFromParent();
        llvm::IRBuilder<> builder(copy);
        builder.SetCurrentDebugLocation(place);
        store_live_values(builder, static_cast<unsigned>(barrier));
        finish(builder, barrier + 1);
      } else if (llvm::isa<llvm::ReturnInst>(copy->getTerminator())) {
        copy->getTerminator()->eraseFromParent();
        llvm::IRBuilder<> builder(copy);
        builder.SetCurrentDebugLocation(place);
        finish(builder, kKernelEnd);
      }
    }
  }

  void finish(llvm::IRBuilder<>& builder, int successor) {
    builder.CreateRet(builder.getInt32(static_cast<uint32_t>(successor)));
    successors_.insert(successor);
  }

  void store_live_values(llvm::IRBuilder<>& builder, unsigned barrier) {
    for (llvm::AllocaInst* variable : variables_) {
      const SpillSlot* slot = slot_of(variable);
      if (!slot || !slot->is_value || !slot->crossings.test(barrier)) continue;
      llvm::Value* value = builder.CreateLoad(variable->getAllocatedType(), map_[variable]);
      value = change_bits(builder, value, slot->type);
      builder.CreateAlignedStore(value, slot_address(builder, *slot), llvm::Align(slot->alignment));
    }
  }

  // Turns the variables of values into SSA form again and drops what this region does not need.
  void clean_up() {
    llvm::removeUnreachableBlocks(*function_);
    llvm::DominatorTree tree(*function_);
    llvm::PromoteMemToReg(values_, tree);
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(function_->getEntryBlock()))
      if (llvm::isInstructionTriviallyDead(&instruction)) instruction.eraseFromParent();
  }

  llvm::Function& kernel_;
  const BarrierCuts& cuts_;
  const bool exits_have_lines_;
  const bool has_arrays_;  // in the spill area
  llvm::DenseMap<const llvm::AllocaInst*, const SpillSlot*> slots_;
  llvm::Function* function_ = nullptr;
  llvm::SetVector<BasicBlock*> blocks_;
  std::vector<llvm::AllocaInst*> variables_;
  llvm::ValueToValueMapTy map_;
  llvm::DenseMap<const SpillSlot*, llvm::Argument*> inputs_;
  llvm::SetVector<int> successors_;
  std::vector<llvm::AllocaInst*> values_;
};

// The content of a region's own variables is undefined when the next work-item begins.
void mark_lifetimes(llvm::Function& region) {
  const llvm::DataLayout& layout = region.getDataLayout();
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& instruction : region.getEntryBlock())
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      variables.push_back(variable);
  for (llvm::AllocaInst* variable : variables) {
    auto* size = llvm::ConstantInt::get(llvm::Type::getInt64Ty(region.getContext()),
                                        variable->getAllocationSize(layout)->getFixedValue());
    llvm::IRBuilder<>(region.getEntryBlock().getTerminator()).CreateLifetimeStart(variable, size);
    for (BasicBlock& block : region)
      if (auto* exit = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator()))
        llvm::IRBuilder<>(exit).CreateLifetimeEnd(variable, size);
  }
}

// Between steps of form_regions() that leave control flow as it is.
void forget_values(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  analyses.invalidate(kernel, kept);
}

RegionedKernel form_regions(llvm::Function& kernel, bool exits_have_lines,
                            llvm::FunctionAnalysisManager& analyses) {
  llvm::removeUnreachableBlocks(kernel);
  drop_variable_debug_info(kernel);
  isolate_allocas(kernel);
  if (!tells_work_items_apart(kernel)) kernel.addFnAttr(kTask);
  BarrierCuts cuts = cut_at_barriers(kernel);
  analyses.clear(kernel, kernel.getName());
  if (take_out_uniform_steps(kernel, cuts, analyses)) forget_values(kernel, analyses);
  if (rematerialize_across(kernel, cuts, analyses)) forget_values(kernel, analyses);
  if (split_vectors_across(kernel, cuts, analyses)) forget_values(kernel, analyses);
  SpillLayout layout = assign_spill_slots(kernel, cuts, analyses);
  analyses.clear(kernel, kernel.getName());
  drop_lifetime_markers(kernel);

  RegionedKernel result;
  result.name = kernel.getName().str();
  result.original = &kernel;
  result.spill_bytes = layout.bytes;
  result.kept_memory = layout.kept_memory;
  RegionBuilder builder(kernel, cuts, layout, exits_have_lines);
  for (unsigned i = 0; i <= cuts.size(); ++i) {
    result.regions.push_back(builder.build(i));
    mark_lifetimes(*result.regions.back().function);
  }
  return result;
}

}  // namespace

llvm::PreservedAnalyses FormRegions::run(llvm::Module& module,
                                         llvm::ModuleAnalysisManager& analyses) const {
  Program& program = program_of(module, analyses);
  auto& functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  for (llvm::Function* kernel : find_kernels(module))
    program.kernels.push_back(form_regions(*kernel, exits_have_lines, functions));
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
